//! Maps for the tests.
#![allow(dead_code)] // each test file uses some of it

use glam::DVec2;
use ndarray::{Array2, Ix2};
use wave_core::Medium;

/// A small generator, so that a seed means the same map for ever.
pub(crate) struct Lcg(pub(crate) u64);

impl Lcg {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Walls at random; cell `[0, 0]` is free.
pub(crate) fn random_walls(shape: [usize; 2], share: f64, seed: u64) -> Array2<bool> {
    let mut random = Lcg(seed);
    let mut walls =
        Array2::from_shape_simple_fn(shape, || random.below(1000) < (share * 1000.0) as usize);
    walls[[0, 0]] = false;
    walls
}

/// A depth-first maze with corridors and walls of the given widths.
pub(crate) fn maze(nodes: [usize; 2], corridor: usize, seed: u64) -> Array2<bool> {
    let pitch = corridor + 1;
    let mut walls = Array2::from_elem(nodes.map(|n| n * pitch + 1), true);
    let mut random = Lcg(seed);
    let mut seen = Array2::from_elem(nodes, false);
    let mut stack = vec![[0usize, 0]];
    seen[[0, 0]] = true;
    let mut open = |from: [usize; 2], to: [usize; 2]| {
        let low = [from[0].min(to[0]), from[1].min(to[1])];
        let high = [from[0].max(to[0]), from[1].max(to[1])];
        for y in low[0] * pitch + 1..=high[0] * pitch + corridor {
            for x in low[1] * pitch + 1..=high[1] * pitch + corridor {
                walls[[y, x]] = false;
            }
        }
    };
    open([0, 0], [0, 0]);
    while let Some(&[y, x]) = stack.last() {
        let mut next = vec![[y.wrapping_sub(1), x], [y + 1, x], [y, x.wrapping_sub(1)], [y, x + 1]];
        next.retain(|&n| seen.get(n) == Some(&false));
        if next.is_empty() {
            stack.pop();
            continue;
        }
        let to = next[random.below(next.len())];
        seen[to] = true;
        open([y, x], to);
        stack.push(to);
    }
    walls
}

pub(crate) fn medium(walls: &Array2<bool>) -> Medium<Ix2> {
    let (height, width) = walls.dim();
    Medium::builder([height, width]).walls(walls).build().unwrap()
}

/// Centres of the free cells, row by row.
pub(crate) fn free_centres(walls: &Array2<bool>) -> Vec<DVec2> {
    let free = walls.indexed_iter().filter(|(_, wall)| !**wall);
    free.map(|((y, x), _)| DVec2::new(x as f64, y as f64)).collect()
}

/// Length of the shortest way over the four neighbours from `from` to every cell; `None` where
/// there is none.
pub(crate) fn steps_from(walls: &Array2<bool>, from: DVec2) -> Array2<Option<usize>> {
    let mut steps = Array2::from_elem(walls.raw_dim(), None);
    let start = [from.y as usize, from.x as usize];
    steps[start] = Some(0);
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some([y, x]) = queue.pop_front() {
        let next = steps[[y, x]].map(|n| n + 1);
        for to in [[y.wrapping_sub(1), x], [y + 1, x], [y, x.wrapping_sub(1)], [y, x + 1]] {
            if walls.get(to) == Some(&false) && steps[to].is_none() {
                steps[to] = next;
                queue.push_back(to);
            }
        }
    }
    steps
}
