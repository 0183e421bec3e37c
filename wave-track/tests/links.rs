//! Pursuers on maps with links: jumps, falls, stairs.

use glam::DVec2;
use ndarray::{Array2, Ix2};
use proptest::prelude::*;
use std::collections::VecDeque;
use wave_core::{Link, Medium, WaveError};
use wave_track::{Fronts, Method, PursuerState, TrackError, Tracker, TrackerConfig};

/// splitmix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

type Cell = [usize; 2];

struct Level {
    walls: Array2<bool>,
    links: Vec<Link<Cell>>,
}

impl Level {
    /// Rooms of 4 x 4 cells, closed all around, and links between random cells.
    fn rooms(count: usize, rng: &mut Rng) -> Self {
        let walls = Array2::from_shape_fn([19, 24], |(y, x)| y % 5 == 4 || x % 5 == 4);
        let open: Vec<Cell> =
            walls.indexed_iter().filter(|(_, wall)| !**wall).map(|((y, x), _)| [y, x]).collect();
        let mut links = Vec::new();
        while links.len() < count {
            let [from, to] = [0; 2].map(|_| open[rng.below(open.len())]);
            if from != to {
                links.push(Link { from, to, time: 1.0 + rng.below(90) as f64 / 10.0 });
            }
        }
        Self { walls, links }
    }

    fn medium(&self) -> Medium<Ix2> {
        let shape = self.walls.dim().into();
        Medium::builder(shape).walls(&self.walls).links(&self.links).build().unwrap()
    }

    fn any_open(&self, rng: &mut Rng) -> Cell {
        let (ny, nx) = self.walls.dim();
        loop {
            let cell = [rng.below(ny), rng.below(nx)];
            if !self.walls[cell] {
                return cell;
            }
        }
    }

    /// The cells from which a way leads to a cell, by a plain search.
    fn can_come(&self, target: Cell) -> Array2<bool> {
        let mut found = Array2::from_elem(self.walls.dim(), false);
        let mut queue = VecDeque::from([target]);
        found[target] = true;
        while let Some([y, x]) = queue.pop_front() {
            let beside = [[y + 1, x], [y, x + 1], [y.wrapping_sub(1), x], [y, x.wrapping_sub(1)]];
            let linked = self.links.iter().filter(|link| link.to == [y, x]).map(|link| link.from);
            for cell in beside.into_iter().chain(linked) {
                if self.walls.get(cell) == Some(&false) && !found[cell] {
                    found[cell] = true;
                    queue.push_back(cell);
                }
            }
        }
        found
    }
}

fn middle([y, x]: Cell) -> DVec2 {
    DVec2::new(x as f64, y as f64)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// All pursuers that can come to the target do. The others do not, and know it. This holds
    /// whatever the budget is, and after saving in the middle.
    #[test]
    fn whoever_can_come_comes_and_whoever_cannot_knows_it(
        seed: u64, count in 0..40usize, by_frames: bool,
    ) {
        let mut rng = Rng(seed);
        let level = Level::rooms(count, &mut rng);
        let target = level.any_open(&mut rng);
        let mut tracker = Tracker::new(level.medium(), TrackerConfig::default()).unwrap();
        tracker.set_target(middle(target)).unwrap();
        let starts: Vec<Cell> = (0..12).map(|_| level.any_open(&mut rng)).collect();
        for &start in &starts {
            tracker.add_pursuer(middle(start), 0.3 + rng.below(10) as f64 / 10.0).unwrap();
        }
        for step in 0..1500 {
            if by_frames {
                tracker.frame(0.7, 2000).unwrap();
            } else {
                tracker.step().unwrap();
            }
            #[cfg(feature = "serde")]
            if step % 40 == 7 {
                let json = serde_json::to_string(&tracker).unwrap();
                let hash = tracker.state_hash();
                tracker = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(tracker.state_hash(), hash);
            }
            let _ = step;
        }
        let can_come = level.can_come(target);
        for (pursuer, &start) in tracker.pursuers().iter().zip(&starts) {
            let state = pursuer.state();
            let expected = if can_come[start] {
                PursuerState::Arrived
            } else {
                PursuerState::TargetUnreachable
            };
            prop_assert_eq!(state, expected, "from {:?} to {:?}", start, target);
        }
    }
}

/// Two rooms, a slow chute at the left end of the wall between them and a quick one at the right.
fn chutes() -> (Level, [Link<Cell>; 2]) {
    let walls = Array2::from_shape_fn([9, 30], |(y, _)| y == 4);
    let links = [
        Link { from: [3, 1], to: [5, 1], time: 6.0 },
        Link { from: [3, 28], to: [5, 28], time: 3.0 },
    ];
    (Level { walls, links: links.to_vec() }, links)
}

#[test]
fn a_link_takes_its_time_and_the_pursuer_is_seen_on_it() {
    let (level, [slow, _]) = chutes();
    let mut tracker = Tracker::new(level.medium(), TrackerConfig::default()).unwrap();
    tracker.set_target(DVec2::new(1.0, 8.0)).unwrap();
    let id = tracker.add_pursuer(DVec2::new(1.0, 0.0), 0.5).unwrap();
    let (mut on_link, mut last) = (0, 0.0);
    for _ in 0..100 {
        tracker.step().unwrap();
        let pursuer = tracker.pursuer(id).unwrap();
        if pursuer.state() == PursuerState::OnLink {
            on_link += 1;
            let y = pursuer.position().y;
            assert!((3.0..=5.0).contains(&y) && y >= last, "{y}");
            last = y;
            // Nobody builds where it lands.
            let refused = tracker.set_wall(slow.to, true);
            assert!(matches!(refused, Err(TrackError::Occupied { .. })));
        }
    }
    let pursuer = tracker.pursuer(id).unwrap();
    assert_eq!(pursuer.state(), PursuerState::Arrived);
    let time = f64::from(on_link) * tracker.medium().dt();
    assert!((time - slow.time).abs() <= tracker.medium().dt(), "{time}");
    assert!((pursuer.walked() - 8.0).abs() < 1e-2, "{}", pursuer.walked());
}

#[test]
fn a_link_that_closes_sends_pursuers_to_another_one() {
    let (level, [slow, quick]) = chutes();
    let mut tracker = Tracker::new(level.medium(), TrackerConfig::default()).unwrap();
    tracker.set_target(DVec2::new(1.0, 8.0)).unwrap();
    let id = tracker.add_pursuer(DVec2::new(1.0, 0.0), 0.5).unwrap();
    while tracker.pursuer(id).unwrap().position().y < 2.0 {
        tracker.step().unwrap();
    }
    tracker.set_wall(slow.to, true).unwrap();
    let mut crossed = false;
    for _ in 0..400 {
        tracker.step().unwrap();
        let pursuer = tracker.pursuer(id).unwrap();
        if pursuer.state() == PursuerState::OnLink {
            crossed = true;
            assert!((pursuer.position().x - quick.from[1] as f64).abs() < 1e-6);
        }
    }
    assert!(crossed);
    assert_eq!(tracker.pursuer(id).unwrap().state(), PursuerState::Arrived);
}

#[test]
fn other_methods_refuse_links() {
    let (level, _) = chutes();
    let others = [
        TrackerConfig { method: Method::PerEmission, ..TrackerConfig::default() },
        TrackerConfig { fronts: Fronts::Waves, ..TrackerConfig::default() },
        TrackerConfig::watanabe(),
    ];
    for config in others {
        let refused = Tracker::new(level.medium(), config).unwrap_err();
        assert_eq!(refused, TrackError::Wave(WaveError::Links));
    }
}
