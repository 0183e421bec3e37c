//! Walls that come and go around a target that stands, and speeds that are set: the last wave is
//! repaired, at the cost of the changed cells.

mod drawn;

use drawn::{Lcg, free_centres, random_walls, steps_from};
use glam::DVec2;
use ndarray::{Array2, Ix2};
use wave_core::{Front, Link, Medium};
use wave_track::{Pursuer, PursuerState, Tracker, TrackerConfig};

const SHAPE: [usize; 2] = [90, 120];
/// The budget of a frame, enough for a quarter of a wave.
const UPDATES: u64 = 5 * (SHAPE[0] * SHAPE[1]) as u64;

/// The contents of a map beside walls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ground {
    Even,
    /// Areas of three speeds.
    Areas,
    /// Links between random cells.
    Links,
}

const SPEEDS: [f64; 3] = [1.0, 0.5, 0.7];

fn medium(walls: &Array2<bool>, ground: Ground, seed: u64) -> Medium<Ix2> {
    let builder = Medium::<Ix2>::builder(SHAPE).walls(walls);
    match ground {
        Ground::Even => builder.build(),
        Ground::Areas => {
            let speed = |(y, x): (usize, usize)| SPEEDS[(y / 17 + x / 23) % 3];
            builder.speeds(&Array2::from_shape_fn(SHAPE, speed)).build()
        }
        Ground::Links => {
            let (centres, mut random) = (free_centres(walls), Lcg(seed + 7));
            let mut any = || centres[random.below(centres.len())];
            let cell = |at: DVec2| [at.y as usize, at.x as usize];
            let ends = (0..12).map(|i| (cell(any()), cell(any()), f64::from(2 + 5 * i)));
            let apart = ends.filter(|(from, to, _)| from != to);
            let links: Vec<_> = apart.map(|(from, to, time)| Link { from, to, time }).collect();
            builder.links(&links).build()
        }
    }
    .unwrap()
}

/// A tracker with so many pursuers. They are too slow to get anywhere, and all have heard of the
/// target.
fn chase(share: f64, seed: u64, pursuers: usize, ground: Ground) -> (Tracker<Ix2>, Vec<DVec2>) {
    let walls = random_walls(SHAPE, share, seed);
    let medium = medium(&walls, ground, seed);
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    let centres = free_centres(&walls);
    tracker.set_target(centres[0]).unwrap();
    let mut random = Lcg(seed);
    for _ in 0..pursuers {
        tracker.add_pursuer(centres[random.below(centres.len())], 1e-4).unwrap();
    }
    rest(&mut tracker);
    (tracker, centres)
}

/// Runs frames until no wave is on its way and all have listened; returns the updates spent.
fn rest(tracker: &mut Tracker<Ix2>) -> u64 {
    let before = tracker.updates();
    let mut idle = 0;
    for _ in 0..200 {
        let spent = tracker.frame(1.0, UPDATES).unwrap();
        idle = if spent == 0 { idle + 1 } else { 0 };
        if idle == 5 {
            return tracker.updates() - before;
        }
    }
    panic!("waves still run");
}

/// Builds a wall of up to four cells somewhere, or takes walls there away; where speeds differ, it
/// sets their speed as often. Nowhere near the target, where a new wave is needed. Tells whether
/// that changed anything.
fn edit(tracker: &mut Tracker<Ix2>, random: &mut Lcg) -> bool {
    let target = tracker.target().unwrap();
    let (y, x) = (random.below(SHAPE[0]), random.below(SHAPE[1] - 4));
    let is_near = target.distance(DVec2::new(x as f64, y as f64)) < 16.0;
    let wall = random.below(2) == 0;
    let is_speed = !tracker.medium().is_uniform() && random.below(2) == 0;
    let speed = SPEEDS[random.below(3)];
    let mut changes = false;
    for x in x..x + 1 + random.below(4) {
        if is_near {
            continue;
        }
        let state = |of: &Tracker<Ix2>| (of.medium().is_wall([y, x]), of.medium().speed([y, x]));
        let before = state(tracker);
        if is_speed {
            tracker.set_wave_speed([y, x], speed).unwrap();
        } else {
            // Refused where a pursuer stands.
            let _ = tracker.set_wall([y, x], wall);
        }
        changes |= state(tracker) != before;
    }
    changes
}

#[test]
fn after_an_edit_the_last_wave_is_that_of_the_walls_there_are_now() {
    follows(Ground::Even);
}

#[test]
fn where_speeds_differ_the_last_wave_is_that_of_the_map_as_it_is_now() {
    follows(Ground::Areas);
}

#[test]
fn where_links_lead_the_last_wave_is_that_of_the_walls_there_are_now() {
    follows(Ground::Links);
}

fn follows(ground: Ground) {
    let (mut edits, mut cheap, mut told) = (0, 0, 0);
    for seed in 0..12 {
        let (mut tracker, _) = chase([0.0, 0.15, 0.3][seed as usize % 3], seed, 30, ground);
        let mut random = Lcg(seed + 100);
        let whole = Front::<Ix2>::UPDATES_PER_CELL * tracker.medium().open_cells() as u64;
        for _ in 0..20 {
            let before = tracker.emissions();
            if !edit(&mut tracker, &mut random) {
                continue;
            }
            let first = tracker.frame(1.0, UPDATES).unwrap();
            let is_told = tracker.pursuers().iter().all(|p| {
                p.heard() == tracker.emissions() || p.state() == PursuerState::TargetUnreachable
            });
            let spent = first + rest(&mut tracker);
            assert!(tracker.emissions() > before);

            let mut new = Front::new(tracker.medium());
            let source = tracker.medium().cell_at(tracker.target().unwrap()).unwrap();
            new.emit(tracker.medium(), &[source]).unwrap();
            new.run(tracker.medium()).unwrap();
            let last = tracker.fronts().next().unwrap();
            for (found, expected) in last.arrivals().iter().zip(&new.arrivals()) {
                assert!(found.is_infinite() || found == expected, "seed {seed}");
            }
            // Where nobody waits, it has not come.
            for pursuer in tracker.pursuers() {
                let cell = tracker.medium().cell_at(pursuer.position()).unwrap();
                assert_eq!(last.arrival(cell), new.arrival(cell), "seed {seed}: {pursuer:?}");
                let is_cut_off = pursuer.state() == PursuerState::TargetUnreachable;
                assert_eq!(is_cut_off, new.arrival(cell).is_none(), "seed {seed}: {pursuer:?}");
            }
            edits += 1;
            cheap += u32::from(spent < whole / 10);
            told += u32::from(is_told);
        }
    }
    assert!(edits > 150 && cheap > edits / 2, "{cheap} of {edits}");
    assert!(told > edits * 2 / 3, "{told} of {edits} in the frame after");
}

/// Every frame a wall comes or goes, and frames keep to their budget, small or large. In the end
/// pursuers that have a way have come to the target, and the others know that they have none.
#[test]
fn who_has_a_way_arrives_while_walls_change_in_every_frame() {
    for seed in 0..9 {
        let ground = if seed % 2 == 0 { Ground::Even } else { Ground::Areas };
        let (mut tracker, centres) = chase(0.1, seed, 0, ground);
        let mut random = Lcg(seed);
        for _ in 0..20 {
            let at = centres[random.below(centres.len())];
            let _ = tracker.add_pursuer(at, 0.5);
        }
        let updates = [1000, 10_000, UPDATES][seed as usize % 3];
        for _ in 0..1500 {
            edit(&mut tracker, &mut random);
            // The first step may cost more than there is.
            assert!(tracker.frame(1.0, updates).unwrap() <= updates.max(4000), "seed {seed}");
        }
        let target = tracker.target().unwrap();
        let steps = steps_from(&tracker.medium().walls(), target);
        let come = |p: &&Pursuer<Ix2>| p.state() == PursuerState::Arrived;
        let came = tracker.pursuers().iter().filter(come).count();
        assert!(came > 14, "seed {seed}: {came}");
        for _ in 0..600 {
            tracker.frame(1.0, updates).unwrap();
        }
        for p in tracker.pursuers() {
            let [y, x] = tracker.medium().cell_at(p.position()).unwrap();
            let has_a_way = steps[[y, x]].is_some();
            let end =
                if has_a_way { PursuerState::Arrived } else { PursuerState::TargetUnreachable };
            assert_eq!(p.state(), end, "seed {seed}: {p:?}");
        }
    }
}
