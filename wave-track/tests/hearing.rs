//! Every pursuer that a way joins to the target hears of it in time: none starves because of the
//! others.

mod drawn;

use drawn::{Lcg, free_centres, maze, medium, random_walls};
use glam::{DVec2, DVec3};
use ndarray::{Array2, Array3, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Front, Medium, RecordedWave, Space};
use wave_track::{Fronts, Method, Tracker, TrackerConfig};

/// The promise of [`Tracker::frame`]: news is no older than so many waves over the whole map take;
/// twice as many where waves are only for pursuers that listen.
const WAVES: u64 = 10;
/// The pursuers that are as fast as the target and begin beside it; the others hardly move.
const NEAR: usize = 4;
const PURSUERS: [usize; 2] = [5, 16];

struct Chase<D: Space> {
    tracker: Tracker<D>,
    /// Where a way from the target leads to.
    joined: Vec<D::Point>,
    random: Lcg,
    /// The updates of a wave over all of that, from where it takes most.
    a_wave: u64,
    /// Until when the news of each wave were good, in updates: then the target left the cell.
    good: Vec<Option<u64>>,
}

impl<D: Space> Chase<D> {
    /// `centres` are those of the free cells.
    fn new(
        medium: Medium<D>,
        centres: &[D::Point],
        seed: u64,
        fronts: Fronts,
        narrow: bool,
    ) -> Self {
        let mut random = Lcg(seed);
        let cells: Vec<D::Cell> = centres.iter().map(|c| medium.cell_at(*c).unwrap()).collect();
        let mut front = RecordedWave::new(&medium).unwrap();
        let pulse = RecordedWave::pulse(&medium);
        front.emit(&medium, &[cells[random.below(cells.len())]], pulse).unwrap();
        // A wave costs most from the end of the map.
        let a_wave = front.run(&medium).unwrap();
        let end = cells.iter().max_by(|a, b| {
            let time = |cell: D::Cell| front.arrival(cell).unwrap_or(0.0);
            time(**a).total_cmp(&time(**b))
        });
        let mut longest = RecordedWave::new(&medium).unwrap();
        longest.emit(&medium, &[*end.unwrap()], pulse).unwrap();
        let longest = longest.run(&medium).unwrap();
        let a_wave = match fronts {
            Fronts::ShortWaves => front.reached_cells() as u64 * Front::<D>::UPDATES_PER_CELL,
            Fronts::Waves => a_wave.max(longest),
        };
        let joined = cells.iter().zip(centres).filter(|(cell, _)| front.arrival(**cell).is_some());
        let joined = joined.map(|(_, centre)| *centre).collect();
        let narrow_from = if narrow { 0 } else { u64::MAX };
        let config = TrackerConfig { fronts, narrow_from, ..TrackerConfig::default() };
        let tracker = Tracker::new(medium, config).unwrap();
        Self { tracker, joined, random, a_wave, good: vec![Some(0)] }
    }

    fn anywhere(&mut self) -> D::Point {
        self.joined[self.random.below(self.joined.len())]
    }

    /// A cell becomes a wall and is freed again: nobody is cut off, but the map has changed.
    fn edit(&mut self) {
        let at = self.anywhere();
        let cell = self.tracker.medium().cell_at(at).unwrap();
        if self.tracker.set_wall(cell, true).is_ok() {
            self.tracker.set_wall(cell, false).unwrap();
        }
    }

    fn walk(&mut self, heading: [f64; 3]) {
        let target = self.tracker.target().unwrap();
        let to = self.tracker.slide(target, D::from_xyz(heading)).unwrap();
        let cell = |at| self.tracker.medium().cell_at(at);
        if cell(target) != cell(to) {
            let now = self.tracker.updates();
            self.good.iter_mut().for_each(|good| *good = good.or(Some(now)));
        }
        self.tracker.set_target(to).unwrap();
    }

    /// The age of the oldest news that a pursuer has to go by, in frames of `updates`. The target
    /// walks about at random. Now and then a pursuer is put elsewhere; its news counts from then
    /// on.
    fn oldest_news(&mut self, frames: usize, updates: u64, edited: bool) -> u64 {
        let target = self.anywhere();
        self.tracker.set_target(target).unwrap();
        let pursuers = PURSUERS[self.random.below(2)];
        for i in 0..pursuers {
            let (at, speed) = if i < NEAR { (target, 0.4) } else { (self.anywhere(), 0.002) };
            self.tracker.add_pursuer(at, speed).unwrap();
        }
        let mut heading = [0.0; 3];
        let mut oldest = 0;
        let mut since = vec![0; pursuers];
        for frame in 0..frames {
            if frame % 20 == 0 {
                heading = [0; 3].map(|_| (self.random.below(101) as f64 - 50.0) / 130.0);
                heading[2] *= f64::from(u8::from(D::AXES == 3));
            }
            self.walk(heading);
            if frame % 97 == 96 {
                let (who, at) = (NEAR + self.random.below(pursuers - NEAR), self.anywhere());
                let id = self.tracker.pursuers()[who].id();
                self.tracker.teleport(id, at).unwrap();
                since[who] = self.tracker.updates();
            }
            if edited {
                self.edit();
            }
            let before = self.tracker.updates();
            self.tracker.frame(1.0, updates).unwrap();
            self.good.resize(self.tracker.emissions() as usize + 1, None);
            for (pursuer, since) in self.tracker.pursuers().iter().zip(&mut since) {
                let good = self.good[pursuer.heard() as usize].unwrap_or(before);
                *since = good.max(*since);
                oldest = oldest.max(before - *since);
            }
        }
        oldest
    }
}

/// Budgets from some steps of the waves to more than a wave, in updates per cell of the map.
const BUDGETS: [f64; 4] = [0.05, 0.2, 2.0, 20.0];

/// Kinds of fronts, and whether waves are only for pursuers that listen.
const KINDS: [(Fronts, bool); 3] =
    [(Fronts::Waves, false), (Fronts::ShortWaves, false), (Fronts::ShortWaves, true)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nobody_goes_by_old_news(
        seed in any::<u64>(),
        [height, width] in [10..110usize, 10..110usize],
        kind in prop_oneof![(0.0..0.4).prop_map(Ok), (1..4usize).prop_map(Err)],
        budget in prop::sample::select(&BUDGETS[..]),
        edited in any::<bool>(),
        (fronts, narrow) in prop::sample::select(&KINDS[..]),
    ) {
        let walls = match kind {
            Ok(share) => random_walls([height, width], share, seed),
            Err(corridor) => {
                maze([height, width].map(|n| n / (corridor + 1) + 1), corridor, seed)
            }
        };
        let mut chase = Chase::new(medium(&walls), &free_centres(&walls), seed, fronts, narrow);
        let oldest = chase.oldest_news(1000, (walls.len() as f64 * budget) as u64, edited);
        let waves = if narrow { 2 * WAVES } else { WAVES };
        prop_assert!(oldest <= waves * chase.a_wave, "{oldest} of {}", chase.a_wave);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn nobody_goes_by_old_news_in_three_dimensions(
        seed in any::<u64>(),
        shape in [4..16usize, 8..24usize, 8..24usize],
        share in 0..30usize,
        budget in prop::sample::select(&BUDGETS[..]),
        edited in any::<bool>(),
        (fronts, narrow) in prop::sample::select(&KINDS[..]),
    ) {
        let mut random = Lcg(seed);
        let mut walls = Array3::from_shape_simple_fn(shape, || random.below(100) < share);
        walls[[0, 0, 0]] = false;
        let free = walls.indexed_iter().filter(|(_, wall)| !**wall);
        let centres: Vec<DVec3> =
            free.map(|((z, y, x), _)| DVec3::new(x as f64, y as f64, z as f64)).collect();
        let medium = Medium::<Ix3>::builder(shape).walls(&walls).build().unwrap();
        let mut chase = Chase::new(medium, &centres, seed, fronts, narrow);
        let oldest = chase.oldest_news(600, (walls.len() as f64 * budget) as u64, edited);
        let waves = if narrow { 2 * WAVES } else { WAVES };
        prop_assert!(oldest <= waves * chase.a_wave, "{oldest} of {}", chase.a_wave);
    }
}

/// Targets leave their cells at every step, so that another wave is always due, and some pursuers
/// stand near them: most waves go no further than to these. For one behind a long wall many fall
/// short.
#[test]
fn who_is_far_does_not_wait_for_ever_step_by_step() {
    let walls = Array2::from_shape_fn([300, 400], |(y, x)| x == 200 && y > 20);
    for narrow_from in [0, u64::MAX] {
        for case in 0..24u32 {
            let config = TrackerConfig { narrow_from, ..TrackerConfig::default() };
            let mut tracker = Tracker::new(medium(&walls), config).unwrap();
            let row = 40.0 + 10.0 * f64::from(case);
            let targets = |step: u32| {
                (0..=case % 4).map(move |i| {
                    DVec2::new(180.0 + f64::from(i), row + 1.2 * f64::from((step + i) % 3))
                })
            };
            for off in [4.0, 30.0] {
                tracker.set_targets(targets(0)).unwrap();
                tracker.add_pursuer([180.0 - off, row], 1e-6).unwrap();
            }
            for step in 0..100 {
                tracker.set_targets(targets(step)).unwrap();
                tracker.step().unwrap();
            }
            let far = tracker.add_pursuer([280.0, row], 1e-6).unwrap();
            let mut steps = 0;
            while tracker.pursuer(far).unwrap().heard() == 0 {
                tracker.set_targets(targets(steps)).unwrap();
                tracker.step().unwrap();
                steps += 1;
                // The way takes a wave 1.4 steps a cell.
                let way = 2.0 * (row - 20.0) + 100.0;
                assert!(f64::from(steps) < 8.0 * 1.42 * way, "case {case}, {narrow_from}: {way}");
            }
        }
    }
}

/// Edits are paid for out of the frame that follows them, and never take all of it.
#[test]
fn waves_leave_to_edits_what_they_cost() {
    const BUDGET: u64 = 100_000;
    let medium = Medium::<Ix2>::builder([300, 300]).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.set_target(DVec2::new(5.0, 5.0)).unwrap();
    tracker.add_pursuer(DVec2::new(290.0, 290.0), 0.5).unwrap();
    tracker.frame(1.0, BUDGET).unwrap();
    let waves = tracker.fronts().filter(|front| !front.has_ended()).count() as u64;
    assert_eq!(waves, 1);
    for edits in [0, 40, 400, 4000] {
        let mut edited = tracker.clone();
        for i in 0..edits {
            // Where no wave has been yet, again and again.
            edited.set_wall([250, i % 7], i / 7 % 2 == 0).unwrap();
        }
        let spent = edited.frame(1.0, BUDGET).unwrap();
        assert_eq!(edited.edit_updates(), 150 * edits as u64 * waves);
        let left = BUDGET - edited.edit_updates().min(BUDGET / 4 * 3);
        assert!(spent <= left && spent > left * 9 / 10, "{edits}: {spent} of {left}");
        assert_eq!(edited.frame(1.0, BUDGET).map(|_| edited.edit_updates()).unwrap(), 0);
    }
}

/// Even the largest budget ends a frame, whatever the method is and whether or not a pursuer hears
/// a wave.
#[test]
fn a_frame_of_any_budget_ends() {
    let walls = random_walls([20, 30], 0.35, 4);
    let centres = free_centres(&walls);
    for method in [Method::Wake, Method::PerEmission, TrackerConfig::watanabe().method] {
        for fronts in [Fronts::ShortWaves, Fronts::Waves] {
            let config = TrackerConfig { method, fronts, ..TrackerConfig::default() };
            let mut tracker = Tracker::<Ix2>::new(medium(&walls), config).unwrap();
            assert_eq!(tracker.frame(1.0, u64::MAX).unwrap(), 0, "there is nothing to hear of");
            tracker.set_target(centres[0]).unwrap();
            // Some of them are cut off from the target.
            for &centre in centres.iter().step_by(17) {
                tracker.add_pursuer(centre, 0.3).unwrap();
            }
            let before = tracker.steps();
            for frame in 0..4 {
                tracker.set_target(centres[frame % 2]).unwrap();
                tracker.frame(1.0, u64::MAX).unwrap();
            }
            // Unless waves end by themselves, a frame has a lifetime of them at the most.
            let most = 4 * u64::from(config.fixed_lifetime());
            assert!(method == Method::Wake || tracker.steps() - before <= most, "{config:?}");
        }
    }
}
