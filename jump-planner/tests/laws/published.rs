//! The published planning against a plain simulator, written from the text of harakawa-2003 alone:
//! groups, jump cells, jump edges, and which goals are reached.

use crate::levels::{ground, level};
use jump_planner::{
    Character, Jump, JumpGraph, JumpRule, MoveKind, Preference, SearchOver, Terrain,
};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

type Cell = [usize; 2];
/// (x, y) in cells: cell [y, x] covers x to x + 1 and y to y + 1.
type Point = [f64; 2];

/// The thesis, as plainly as it can be written.
struct Simulator {
    heights: Array2<f64>,
    speed: f64,
    gravity: f64,
}

impl Simulator {
    fn cells(&self) -> Vec<Cell> {
        let (rows, columns) = self.heights.dim();
        (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x])).collect()
    }

    /// 2.1: cells that share a vertex.
    fn neighbours(&self, [y, x]: Cell) -> Vec<Cell> {
        let near = |c: &Cell| *c != [y, x] && c[0].abs_diff(y) <= 1 && c[1].abs_diff(x) <= 1;
        self.cells().into_iter().filter(near).collect()
    }

    /// 3.2: neighbours of the same height, gathered.
    fn groups(&self) -> BTreeMap<Cell, usize> {
        let mut group = BTreeMap::new();
        for (number, first) in self.cells().into_iter().enumerate() {
            let mut open = vec![first];
            while let Some(cell) = open.pop() {
                if group.contains_key(&cell) {
                    continue;
                }
                group.insert(cell, number);
                let equal = |c: &Cell| self.heights[*c] == self.heights[cell];
                open.extend(self.neighbours(cell).into_iter().filter(equal));
            }
        }
        group
    }

    /// (2.8), between the nearest points of two squares.
    fn is_in_range(&self, from: Cell, to: Cell) -> bool {
        let gap = |axis: usize| from[axis].abs_diff(to[axis]).saturating_sub(1) as f64;
        let x2 = gap(0) * gap(0) + gap(1) * gap(1);
        let (v2, g) = (self.speed * self.speed, self.gravity);
        self.heights[to] - self.heights[from] <= -g / (2.0 * v2) * x2 + v2 / (2.0 * g)
    }

    /// 2.3: whether nothing between hinders the jump.
    fn is_clear(&self, from: Cell, to: Cell) -> bool {
        let between = |c: &Cell| {
            let within = |a: usize| (from[a].min(to[a])..=from[a].max(to[a])).contains(&c[a]);
            within(0) && within(1) && *c != from && *c != to
        };
        let cells: Vec<Cell> = self.cells().into_iter().filter(between).collect();
        let (low, tall): (Vec<Cell>, Vec<Cell>) =
            cells.into_iter().partition(|&c| self.is_in_range(from, c));
        // Neighbours touch: there is nothing between them to fly over.
        let beside = self.neighbours(from).contains(&to);
        let arc_is_free = beside || low.iter().all(|&cell| self.arc_passes(from, to, cell));
        arc_is_free && (tall.is_empty() || is_seen(from, to, &tall))
    }

    /// Whether the higher arc between the nearest points lies above a cell; they are taken 1e-9
    /// inside the squares, and in a row in its middle.
    fn arc_passes(&self, from: Cell, to: Cell, over: Cell) -> bool {
        let along = |axis: usize| {
            let (a, b) = (from[axis] as f64, to[axis] as f64);
            match from[axis].cmp(&to[axis]) {
                std::cmp::Ordering::Less => [a + 1.0 - 1e-9, b + 1e-9],
                std::cmp::Ordering::Equal => [a + 0.5, b + 0.5],
                std::cmp::Ordering::Greater => [a + 1e-9, b + 1.0 - 1e-9],
            }
        };
        let ([x0, x1], [y0, y1]) = (along(1), along(0));
        let Some([t0, t1]) = clip([x0, y0], [x1, y1], over) else { return true };
        let d = (x1 - x0).hypot(y1 - y0);
        let gain = self.heights[to] - self.heights[from];
        // y = tau x - k (1 + tau^2) x^2 through (d, gain), the larger tau.
        let k = self.gravity / (2.0 * self.speed * self.speed);
        let root = (1.0 - 4.0 * k * (gain + k * d * d)).max(0.0).sqrt();
        let tau = (1.0 + root) / (2.0 * k * d);
        let height = |t: f64| {
            let x = t * d;
            self.heights[from] + tau * x - k * (1.0 + tau * tau) * x * x
        };
        // The arc bends down, so over a cell it is lowest where it comes in or goes out.
        height(t0).min(height(t1)) > self.heights[over]
    }

    fn moves(&self) -> BTreeMap<Cell, BTreeSet<(Cell, MoveKind)>> {
        let groups = self.groups();
        let jumps = self.jump_cells();
        let mut moves = BTreeMap::new();
        for from in self.cells() {
            let mut own = BTreeSet::new();
            for to in self.neighbours(from) {
                let gain = self.heights[to] - self.heights[from];
                if gain <= 0.0 {
                    own.insert((to, if gain < 0.0 { MoveKind::Fall } else { MoveKind::Walk }));
                }
            }
            let joined: Vec<Cell> = own.iter().map(|&(to, _)| to).collect();
            for &to in &jumps {
                let other = groups[&from] != groups[&to] && !joined.contains(&to);
                let jumps = jumps.contains(&from) && other && self.is_in_range(from, to);
                if jumps && self.is_clear(from, to) {
                    own.insert((to, MoveKind::Jump));
                }
            }
            moves.insert(from, own);
        }
        moves
    }

    /// 3.2: cells that border another group.
    fn jump_cells(&self) -> BTreeSet<Cell> {
        let groups = self.groups();
        let borders = |c: &Cell| self.neighbours(*c).iter().any(|n| groups[n] != groups[c]);
        self.cells().into_iter().filter(borders).collect()
    }
}

/// The part of a segment that lies in a closed square, as shares of its length. Squares are larger
/// by the rounding of such coordinates, so that a segment through a corner touches all four cells.
fn clip(from: Point, to: Point, [y, x]: Cell) -> Option<[f64; 2]> {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (a, low) in [(0, x as f64), (1, y as f64)] {
        let (way, low, high) = (to[a] - from[a], low - 1e-12, low + 1.0 + 1e-12);
        if way == 0.0 {
            if from[a] < low || from[a] > high {
                return None;
            }
            continue;
        }
        let (one, other) = ((low - from[a]) / way, (high - from[a]) / way);
        first = first.max(one.min(other));
        last = last.min(one.max(other));
    }
    (first <= last).then_some([first, last])
}

/// Whether a segment from a point of one square to a point of another meets no tall cell. If there
/// is one, there is one that almost touches two corners of cells: those are tried, a little to
/// each side of both.
fn is_seen(from: Cell, to: Cell, tall: &[Cell]) -> bool {
    let [low, high] = [0, 1].map(|end| {
        [0, 1].map(|axis| {
            let (a, b) = (from[axis].min(to[axis]), from[axis].max(to[axis]) + 1);
            if end == 0 { a } else { b }
        })
    });
    let corners: Vec<Point> = (low[0]..=high[0])
        .flat_map(|y| (low[1]..=high[1]).map(move |x| [x as f64, y as f64]))
        .collect();
    let free = |p: Point, q: Point| {
        let far = |t: f64| [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
        let line = [far(-100.0), far(100.0)];
        let ends = [from, to].map(|square| clip(line[0], line[1], square));
        let [Some(a), Some(b)] = ends else { return false };
        if a[1] - a[0] < 1e-12 || b[1] - b[0] < 1e-12 {
            return false;
        }
        let between = if a[0] + a[1] <= b[0] + b[1] { [a[1], b[0]] } else { [b[1], a[0]] };
        // Squares that share a corner overlap a little there.
        let [begin, end] = [between[0].min(between[1]), between[0].max(between[1])];
        tall.iter()
            .all(|&cell| clip(line[0], line[1], cell).is_none_or(|[s, t]| t < begin || s > end))
    };
    for (n, &p) in corners.iter().enumerate() {
        for &q in &corners[..n] {
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            for (a, b) in [(1e-6, 1e-6), (1e-6, -1e-6), (-1e-6, 1e-6), (-1e-6, -1e-6)] {
                let beside = |p: Point, by: f64| [p[0] - by * dy, p[1] + by * dx];
                if free(beside(p, a), beside(q, b)) {
                    return true;
                }
            }
        }
    }
    false
}

/// All that edges lead to, and how many edges leave that.
fn reach<T: Copy + Ord>(edges: &BTreeMap<T, BTreeSet<T>>, start: T) -> (BTreeSet<T>, usize) {
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(node) = open.pop() {
        open.extend(edges[&node].iter().copied().filter(|&next| seen.insert(next)));
    }
    let count = seen.iter().map(|node| edges[node].len()).sum();
    (seen, count)
}

fn random_heights(rng: &mut ChaCha8Rng) -> Array2<f64> {
    let shape = (rng.random_range(1..8), rng.random_range(2..8));
    let (levels, calm) = (rng.random_range(1..6), rng.random_range(0.0..0.9));
    // Half of them with towers that no jump gets onto.
    let towers = if rng.random_bool(0.5) { 0.3 } else { 0.0 };
    Array2::from_shape_simple_fn(shape, || {
        let low = if rng.random_bool(calm) { 0 } else { rng.random_range(0..=levels) };
        f64::from(if rng.random_bool(towers) { 6 } else { low })
    })
}

#[test]
fn the_published_planning_is_that_of_the_text() {
    let (mut jumps, mut hindered, mut reached, mut not) = (0, 0, 0, 0);
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(2003 + seed);
        let heights = random_heights(&mut rng);
        let (speed, gravity) = (rng.random_range(4.5..7.5), 9.81);
        let character = Character::builder(speed).gravity(gravity).build().unwrap();
        let terrain = Terrain::builder(&heights).build().unwrap();
        let graph = JumpGraph::with_rule(terrain, character, JumpRule::Published).unwrap();
        let text = Simulator { heights, speed, gravity };
        let (groups, jump_cells) = (text.groups(), text.jump_cells());
        let moves = text.moves();
        let mut of_groups: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut of_cells: BTreeMap<Cell, BTreeSet<Cell>> = BTreeMap::new();
        for cell in text.cells() {
            for other in text.cells() {
                let same = groups[&cell] == groups[&other];
                assert_eq!(graph.group(cell) == graph.group(other), same, "{seed} {cell:?}");
            }
            assert_eq!(graph.is_jump_cell(cell), jump_cells.contains(&cell), "{seed} {cell:?}");
            let ours: BTreeSet<_> = graph.moves(cell).iter().map(|m| (m.to, m.kind)).collect();
            assert_eq!(ours, moves[&cell], "{seed} {cell:?} {speed} {}", text.heights);
            let in_range = jump_cells.iter().filter(|&&to| {
                let other = groups[&to] != groups[&cell] && jump_cells.contains(&cell);
                other && text.is_in_range(cell, to)
            });
            hindered += in_range.filter(|&&to| ours.iter().all(|&(end, _)| end != to)).count();
            jumps += ours.iter().filter(|(_, kind)| *kind == MoveKind::Jump).count();
            of_cells.insert(cell, ours.iter().map(|&(to, _)| to).collect());
            let own = of_groups.entry(groups[&cell]).or_default();
            own.extend(ours.iter().map(|(to, _)| groups[to]).filter(|&g| g != groups[&cell]));
        }
        for from in text.cells().into_iter().step_by(5) {
            let (cells, all) = reach(&of_cells, from);
            let (met, edges) = reach(&of_groups, groups[&from]);
            for to in text.cells().into_iter().step_by(3) {
                assert_eq!(met.contains(&groups[&to]), cells.contains(&to), "{seed}");
                let found = graph.two_stages(from, to).unwrap();
                assert_eq!(found.way().is_some(), cells.contains(&to), "{seed} {from:?} {to:?}");
                let plain = graph.exists(from, to, SearchOver::Cells).unwrap();
                if let Some(way) = found.way() {
                    reached += 1;
                    let cells = found.by_cells.as_ref().unwrap();
                    assert_eq!(cells.steps, plain.steps, "{seed} {from:?} {to:?}");
                    assert!(cells.steps_until_taken >= cells.steps);
                    assert!(way.iter().all(|m| moves[&m.from].contains(&(m.to, m.kind))));
                    let plan = graph.plan(from, to, Preference::FewestVertices).unwrap().unwrap();
                    assert_eq!(plan.moves.len(), way.len(), "{seed} {from:?} {to:?}");
                    continue;
                }
                // The first stage says no, after all edges of the groups that were met.
                not += 1;
                assert_eq!((plain.exists, plain.steps), (false, all), "{seed} {from:?} {to:?}");
                assert_eq!((found.by_cells, found.group_steps), (None, edges), "{seed}");
            }
        }
    }
    assert!(jumps > 2000 && hindered > 300, "{jumps} {hindered}");
    assert!(reached > 500 && not > 100, "{reached} {not}");
}

#[test]
fn on_a_plain_one_walks() {
    let terrain = Terrain::builder(&Array2::zeros((12, 12))).build().unwrap();
    let character = Character::builder(6.0).build().unwrap();
    let graph = JumpGraph::with_rule(terrain, character, JumpRule::Published).unwrap();
    let plan = graph.plan([1, 1], [9, 4], Preference::FewestVertices).unwrap().unwrap();
    assert_eq!(plan.moves.len(), 8);
    assert!(plan.moves.iter().all(|step| step.kind == MoveKind::Walk));
    // The jump itself is clear; it is no edge.
    assert!(matches!(graph.jump([1, 1], [1, 4]).unwrap(), Jump::Clear(_)));
}

/// Under both rules: the answer is that of a plain search over all cells, and where it is no, no
/// cell is searched.
#[test]
fn groups_say_no_before_any_cell_is_searched() {
    let mut counts = [[0; 2]; 2];
    for seed in 0..120 {
        for (n, rule) in [JumpRule::default(), JumpRule::Published].into_iter().enumerate() {
            let graph = level(70_000 + seed, rule);
            let ground = ground(&graph);
            let from = ground[seed as usize * 7 % ground.len()];
            let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
            while let Some(cell) = open.pop() {
                let moves = graph.moves(cell);
                open.extend(moves.into_iter().map(|m| m.to).filter(|&to| seen.insert(to)));
            }
            for &to in ground.iter().step_by(5) {
                let found = graph.planned(from, to, Preference::FewestVertices).unwrap();
                let is_reached = seen.contains(&to);
                assert_eq!(found.plan.is_some(), is_reached, "{seed} {from:?} {to:?}");
                assert_eq!(found.settled > 0, is_reached, "{seed} {from:?} {to:?}");
                let groups = graph.exists(from, to, SearchOver::GroupsLazily).unwrap();
                assert_eq!((groups.exists, groups.steps), (is_reached, found.pairs));
                let stages = graph.two_stages(from, to).unwrap();
                assert_eq!(stages.way().is_some(), is_reached, "{seed} {from:?} {to:?}");
                assert_eq!(stages.by_cells.is_some(), is_reached, "{seed} {from:?} {to:?}");
                counts[n][usize::from(is_reached)] += 1;
            }
        }
    }
    assert!(counts.iter().flatten().all(|&count| count > 40), "{counts:?}");
}
