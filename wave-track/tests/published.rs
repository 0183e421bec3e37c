//! The published methods, step by step, beside a simulator that is written from the texts alone:
//! three buffers, one loop over the cells, no storage shared with the crates. Only the walking
//! along walls is the tracker's own, since the texts leave it open.

use glam::{DVec2, DVec3};
use ndarray::{Array, Array3, Dimension, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Space};
use wave_track::{PursuerState, Tracker, TrackerConfig};

type Vec3 = [f64; 3];

/// One wave on a grid `[z][y][x]`; fixed walls, free ends outside.
struct Plain {
    walls: Array3<bool>,
    now: Array3<f64>,
    before: Array3<f64>,
    delta: f64,
}

impl Plain {
    fn new(walls: &Array3<bool>, delta: f64) -> Self {
        let rest = Array3::zeros(walls.raw_dim());
        Self { walls: walls.clone(), now: rest.clone(), before: rest, delta }
    }

    /// The cell at whole numbers x, y, z; `None` outside.
    fn cell(&self, [x, y, z]: [i64; 3]) -> Option<[usize; 3]> {
        let cell = [z, y, x].map(|c| usize::try_from(c).unwrap_or(usize::MAX));
        self.walls.get(cell).map(|_| cell)
    }

    /// z is A in the cell nearest to the target, and 0 elsewhere; `before` is 0 also there.
    fn emit(&mut self, target: Vec3) {
        self.now.fill(0.0);
        self.before.fill(0.0);
        let cell = self.cell(target.map(|c| c.round() as i64)).unwrap();
        self.now[cell] = 1.0;
    }

    fn step(&mut self) {
        let next = Array3::from_shape_fn(self.walls.raw_dim(), |(z, y, x)| {
            if self.walls[[z, y, x]] {
                return 0.0;
            }
            let (mut sum, mut k) = (0.0, 0.0);
            for axis in 0..3 {
                for side in [-1, 1] {
                    let mut there = [x as i64, y as i64, z as i64];
                    there[axis] += side;
                    if let Some(there) = self.cell(there) {
                        sum += self.now[there];
                        k += 1.0;
                    }
                }
            }
            let z_now = self.now[[z, y, x]];
            self.delta * sum + (2.0 - k * self.delta) * z_now - self.before[[z, y, x]]
        });
        self.before = std::mem::replace(&mut self.now, next);
    }

    /// Central differences; beyond a free end z is that of the cell beside it.
    fn slope(&self, cell: [i64; 3]) -> Vec3 {
        let here = self.now[self.cell(cell).unwrap()];
        std::array::from_fn(|axis| {
            let beside = |side: i64| {
                let mut there = cell;
                there[axis] += side;
                self.cell(there).map_or(here, |there| self.now[there])
            };
            (beside(1) - beside(-1)) / 2.0
        })
    }

    /// z and its slope between the cells around a position; beyond the outermost cells' middles
    /// they are as at those.
    fn between(&self, at: Vec3) -> (f64, Vec3) {
        let (nz, ny, nx) = self.walls.dim();
        let last = [nx, ny, nz].map(|n| (n - 1) as f64);
        let at: Vec3 = std::array::from_fn(|axis| at[axis].clamp(0.0, last[axis]));
        let (mut value, mut slope) = (0.0, [0.0; 3]);
        for corner in 0..8 {
            let low = at.map(|c| c.floor() as i64);
            let high: [bool; 3] = std::array::from_fn(|axis| corner >> axis & 1 == 1);
            let cell: [i64; 3] = std::array::from_fn(|axis| low[axis] + i64::from(high[axis]));
            let part = |axis: usize| {
                let u = at[axis] - low[axis] as f64;
                if high[axis] { u } else { 1.0 - u }
            };
            let weight: f64 = (0..3).map(part).product();
            if weight == 0.0 {
                continue;
            }
            let there = self.cell(cell).unwrap();
            // A fixed wall is at rest, and its slope counts for nothing.
            if !self.walls[there] {
                value += weight * self.now[there];
                let there = self.slope(cell);
                (0..3).for_each(|axis| slope[axis] += weight * there[axis]);
            }
        }
        (value, slope)
    }
}

/// Whose rules.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Thesis {
    Watanabe,
    Kumagai,
}

/// A chase by the texts: pursuers with a heading that they take from a wave when it comes.
struct Chase {
    thesis: Thesis,
    waves: Vec<Plain>,
    /// Which emission each wave is of, 0 for none, and how many there were.
    emitted: Vec<u64>,
    count: u64,
    step: u64,
    /// Place, heading, and the last emission heard of each wave.
    pursuers: Vec<(Vec3, Option<Vec3>, Vec<u64>)>,
    heard: bool,
}

impl Chase {
    fn new(thesis: Thesis, walls: &Array3<bool>, delta: f64, starts: &[Vec3]) -> Self {
        let n = if thesis == Thesis::Watanabe { 3 } else { 1 };
        Self {
            thesis,
            waves: (0..n).map(|_| Plain::new(walls, delta)).collect(),
            emitted: vec![0; n],
            count: 0,
            step: 0,
            pursuers: starts.iter().map(|&at| (at, None, vec![0; n])).collect(),
            heard: false,
        }
    }

    /// `slide` tells where a step leads that walls may bend; `near` tells whether a pursuer goes
    /// straight for the target, and where that leads.
    fn step(
        &mut self,
        target: Vec3,
        stride: f64,
        slide: &dyn Fn(Vec3, Vec3) -> Vec3,
        near: &dyn Fn(Vec3) -> Option<Vec3>,
    ) {
        for (i, wave) in self.waves.iter_mut().enumerate() {
            let due = match self.thesis {
                // W0 at 0, W1 at 100, W2 at 200, each again after 300.
                Thesis::Watanabe => self.step % 300 == 100 * i as u64,
                Thesis::Kumagai => self.count == 0 || self.heard,
            };
            if due {
                self.count += 1;
                self.emitted[i] = self.count;
                wave.emit(target);
            }
            wave.step();
        }
        self.heard = false;
        self.step += 1;
        for (at, heading, last) in &mut self.pursuers {
            for (i, wave) in self.waves.iter().enumerate() {
                if self.emitted[i] <= last[i] {
                    continue;
                }
                let (z, slope, threshold) = match self.thesis {
                    Thesis::Watanabe => {
                        let (z, slope) = wave.between(*at);
                        (z, slope, 1e-10)
                    }
                    Thesis::Kumagai => {
                        let cell = at.map(|c| c.round() as i64);
                        (wave.now[wave.cell(cell).unwrap()], wave.slope(cell), 1e-15)
                    }
                };
                if z.abs() > threshold {
                    last[i] = self.emitted[i];
                    self.heard = true;
                    let length = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
                    *heading = (length > 0.0).then(|| slope.map(|s| s / length));
                }
            }
            if let Some(next) = near(*at) {
                *at = next;
            } else if let Some(heading) = *heading {
                *at = slide(*at, heading.map(|h| stride * h));
            }
        }
    }
}

/// Both side by side for `steps`; the target walks about. Returns how many waves were heard.
fn side_by_side<D: Space + Dimension>(
    thesis: Thesis,
    walls: &Array<bool, D>,
    starts: &[D::Point],
    target: D::Point,
    steps: usize,
) -> u64 {
    let flat = walls.view().into_dyn();
    let mut shape = vec![1; 3 - D::AXES];
    shape.extend_from_slice(flat.shape());
    let cube =
        Array3::from_shape_vec([shape[0], shape[1], shape[2]], walls.iter().copied().collect());
    let cube = cube.unwrap();
    let cell = D::from_zyx([shape[0], shape[1], shape[2]]);
    let medium = Medium::<D>::builder(cell).walls(walls).published().build().unwrap();
    let delta = medium.dt() * medium.dt();
    assert!((delta * D::AXES as f64 - 0.5).abs() < 1e-12);
    let config = match thesis {
        Thesis::Watanabe => TrackerConfig::watanabe(),
        Thesis::Kumagai => TrackerConfig::kumagai(),
    };
    let mut tracker = Tracker::<D>::new(medium, config).unwrap();
    tracker.set_target(target).unwrap();
    let stride = 0.2;
    let speed = stride / tracker.medium().dt();
    let ids: Vec<_> = starts.iter().map(|&at| tracker.add_pursuer(at, speed).unwrap()).collect();
    let xyz: Vec<Vec3> = starts.iter().map(|&at| D::to_xyz(at)).collect();
    let mut chase = Chase::new(thesis, &cube, delta, &xyz);
    let mut target = D::to_xyz(target);
    let ground = tracker.clone();
    let slide =
        |at: Vec3, way: Vec3| D::to_xyz(ground.slide(D::from_xyz(at), D::from_xyz(way)).unwrap());
    for step in 0..steps {
        // Every 37 steps another way.
        let angle = 2.4 * (step / 37) as f64;
        target = slide(target, [0.08 * angle.cos(), 0.08 * angle.sin(), 0.0]);
        let far = |at: Vec3| (0..3).map(|a| (at[a] - target[a]).powi(2)).sum::<f64>().sqrt();
        // Within three cells, and seen, straight for it: ours. Within one it has been caught.
        let near = |at: Vec3| {
            let way: Vec3 = std::array::from_fn(|a| target[a] - at[a]);
            if far(at) <= 1.0 {
                return Some(at);
            }
            let end = slide(at, way);
            let seen = far(at) <= 3.0 && far(end) < 1e-9;
            seen.then(|| slide(at, way.map(|w| w * (stride / far(at)).min(1.0))))
        };
        chase.step(target, stride, &slide, &near);
        tracker.set_target(D::from_xyz(target)).unwrap();
        tracker.step().unwrap();
        assert_eq!(tracker.emissions(), chase.count, "step {step}");
        for (id, (at, _, last)) in ids.iter().zip(&chase.pursuers) {
            let pursuer = tracker.pursuer(*id).unwrap();
            let there = D::to_xyz(pursuer.position());
            assert!(
                (0..3).all(|a| (there[a] - at[a]).abs() < 1e-6),
                "step {step}: {there:?} {at:?}"
            );
            let newest = last.iter().copied().max().unwrap_or(0);
            assert_eq!(pursuer.heard(), newest, "step {step}");
        }
        for (wave, plain) in tracker.waves().iter().zip(&chase.waves) {
            let values = wave.values();
            let furthest = values.iter().zip(&plain.now).map(|(a, b)| (a - b).abs());
            assert!(furthest.fold(0.0, f64::max) < 1e-9, "step {step}");
        }
        if ids.iter().all(|id| tracker.pursuer(*id).unwrap().state() == PursuerState::Arrived) {
            break;
        }
    }
    chase.pursuers.iter().flat_map(|(_, _, last)| last).copied().max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn watanabe_in_the_plane(blocks in prop::collection::vec(([4usize..34, 4usize..44], 1usize..6), 0..7)) {
        let mut walls = ndarray::Array2::from_elem([40, 50], false);
        for ([y, x], side) in blocks {
            walls.slice_mut(ndarray::s![y..(y + side).min(36), x..(x + side).min(46)]).fill(true);
        }
        let starts = [DVec2::new(2.0, 2.0), DVec2::new(47.5, 2.25), DVec2::new(1.75, 37.0)];
        let heard = side_by_side::<Ix2>(Thesis::Watanabe, &walls, &starts, DVec2::new(47.0, 37.0), 420);
        prop_assert!(heard >= 1);
    }

    #[test]
    fn kumagai_in_space(blocks in prop::collection::vec(([2usize..10, 2usize..14, 2usize..14], 1usize..5), 0..5)) {
        let mut walls = Array3::from_elem([12, 16, 17], false);
        for ([z, y, x], side) in blocks {
            let end = |c: usize, most: usize| (c + side).min(most);
            walls
                .slice_mut(ndarray::s![z..end(z, 10), y..end(y, 14), x..end(x, 15)])
                .fill(true);
        }
        let start = [DVec3::new(1.0, 1.0, 0.75)];
        let heard = side_by_side::<Ix3>(Thesis::Kumagai, &walls, &start, DVec3::new(15.0, 14.0, 11.0), 200);
        prop_assert!(heard >= 2);
    }
}
