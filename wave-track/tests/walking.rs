//! Pursuers and walls: they slide along, never enter, never touch, and are never cut a corner.

mod drawn;

use drawn::{Lcg, free_centres, medium, random_walls};
use glam::DVec2;
use ndarray::{Array2, Ix2};
use proptest::prelude::*;
use wave_core::Medium;
use wave_track::{Pursuer, PursuerState, SKIN, TrackError, Tracker, TrackerConfig};

/// The distance, by the larger coordinate, from `p` to the nearest wall cell or the outside.
fn clearance(medium: &Medium<Ix2>, p: DVec2) -> f64 {
    let [height, width] = medium.shape();
    let mut least = (p.x + 0.5).min(p.y + 0.5);
    least = least.min(width as f64 - 0.5 - p.x).min(height as f64 - 0.5 - p.y);
    for y in 0..height {
        for x in 0..width {
            if medium.is_wall([y, x]) {
                let off = (p - DVec2::new(x as f64, y as f64)).abs() - DVec2::splat(0.5);
                least = least.min(off.max_element());
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn who_slides_keeps_the_skin_from_every_wall(
        seed in any::<u64>(),
        share in 0.0..0.5f64,
        steps in proptest::collection::vec((-1.7..1.7f64, -1.7..1.7f64), 1..60),
    ) {
        let walls = random_walls([9, 11], share, seed);
        let medium = medium(&walls);
        let mut p = free_centres(&walls)[0];
        let tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
        for (dx, dy) in steps {
            let step = DVec2::new(dx, dy);
            let q = tracker.slide(p, step).unwrap();
            prop_assert!(clearance(tracker.medium(), q) >= SKIN - 1e-8, "{p} by {step} to {q}");
            // It slides, it does not fly: no further than the step on any axis.
            prop_assert!((q - p).abs().cmple(step.abs() + 1e-8).all());
            // Where nothing is near, it goes all the way.
            if clearance(tracker.medium(), p) > step.abs().max_element() + 2.0 * SKIN {
                prop_assert!((q - p - step).length() < 1e-9);
            }
            p = q;
        }
    }

    /// Short steps, so that places between two of them are also looked at.
    #[test]
    fn pursuers_keep_clear_of_walls_through_random_edits(
        seed in any::<u64>(),
        share in 0.0..0.35f64,
        edits in proptest::collection::vec((0..12usize, 0..14usize, any::<bool>()), 0..80),
    ) {
        let walls = random_walls([12, 14], share, seed);
        let centres = free_centres(&walls);
        let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
        tracker.set_target(centres[seed as usize % centres.len()]).unwrap();
        for at in centres.iter().step_by(1 + centres.len() / 12) {
            tracker.add_pursuer(*at, 0.05).unwrap();
        }
        let mut edits = edits.into_iter();
        for step in 0..400 {
            let edit = if step % 5 == 0 { edits.next() } else { None };
            if let Some((y, x, wall)) = edit {
                match tracker.set_wall([y, x], wall) {
                    Ok(()) | Err(TrackError::Occupied { .. }) => {}
                    Err(e) => return Err(TestCaseError::fail(e.to_string())),
                }
            }
            tracker.step().unwrap();
            for p in tracker.pursuers() {
                prop_assert!(clearance(tracker.medium(), p.position()) >= SKIN - 1e-8);
            }
        }
    }
}

#[test]
fn nobody_slips_between_two_walls_that_touch_at_a_corner() {
    // Free cells only on one diagonal.
    let walls = Array2::from_shape_fn([2, 2], |(y, x)| y != x);
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    let corner = tracker.slide(DVec2::ZERO, DVec2::ONE).unwrap();
    assert!(corner.max_element() < 0.5 - SKIN);
    tracker.set_target(DVec2::ONE).unwrap();
    let pursuer = tracker.add_pursuer(DVec2::ZERO, 1.0).unwrap();
    for _ in 0..200 {
        tracker.step().unwrap();
    }
    let pursuer = tracker.pursuer(pursuer).unwrap();
    assert_eq!(pursuer.state(), PursuerState::TargetUnreachable);
    assert_eq!(pursuer.walked(), 0.0);
}

#[test]
fn an_open_corner_is_cut_but_not_touched() {
    let mut walls = Array2::from_elem([3, 3], false);
    walls[[1, 1]] = true;
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_target(DVec2::new(2.0, 1.0)).unwrap();
    let pursuer = tracker.add_pursuer(DVec2::new(1.0, 2.0), 0.05).unwrap();
    for _ in 0..200 {
        tracker.step().unwrap();
        let at = tracker.pursuer(pursuer).unwrap().position();
        assert!(clearance(tracker.medium(), at) >= SKIN - 1e-8);
    }
    let pursuer = tracker.pursuer(pursuer).unwrap();
    assert_eq!(pursuer.state(), PursuerState::Arrived);
    // Round the corner (1.5, 1.5): twice sqrt(0.5), with a hair for the skin.
    let shortest = 2.0 * 0.5f64.hypot(0.5);
    assert!((shortest..shortest + 0.05).contains(&pursuer.walked()), "{}", pursuer.walked());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever moved last: a wall is refused where a body's box touches the cell, and nowhere
    /// else.
    #[test]
    fn walls_are_refused_where_somebody_stands_and_nowhere_else(seed in any::<u64>()) {
        let walls = random_walls([14, 19], 0.2, seed);
        let centres = free_centres(&walls);
        let mut random = Lcg(seed);
        let mut tracker = Tracker::<Ix2>::new(medium(&walls), TrackerConfig::default()).unwrap();
        for round in 0..30 {
            let anywhere = centres[random.below(centres.len())];
            let offset = DVec2::new(0.3, -0.4) * (random.below(3) as f64 - 1.0);
            let at = tracker.slide(anywhere, offset).unwrap_or(anywhere);
            match random.below(6) {
                0 => drop(tracker.set_target(at)),
                1 => drop(tracker.add_pursuer(at, 0.3)),
                2 if !tracker.pursuers().is_empty() => {
                    let id = tracker.pursuers()[random.below(tracker.pursuers().len())].id();
                    drop(tracker.teleport(id, at));
                }
                3 if tracker.pursuers().len() > 3 => {
                    tracker.remove_pursuer(tracker.pursuers()[1].id()).unwrap();
                }
                4 => tracker.step().unwrap(),
                _ => drop(tracker.frame(1.0, 500).unwrap()),
            }
            if round % 7 == 6 {
                tracker.clear_target();
            }
            let bodies: Vec<DVec2> =
                tracker.targets().chain(tracker.pursuers().iter().map(Pursuer::position)).collect();
            // The first answers come from looking at each, the others from notes.
            let first = random.below(14 * 19);
            for i in 0..14 * 19 {
                let i = (first + i) % (14 * 19);
                let (y, x) = (i / 19, i % 19);
                if tracker.medium().is_wall([y, x]) {
                    continue;
                }
                let middle = DVec2::new(x as f64, y as f64);
                let reach = 0.5 + SKIN + 1e-6;
                let touched = bodies.iter().any(|b| (*b - middle).abs().max_element() <= reach);
                let built = tracker.set_wall([y, x], true);
                prop_assert_eq!(built.is_err(), touched, "{} {}", y, x);
                if built.is_ok() {
                    tracker.set_wall([y, x], false).unwrap();
                }
            }
        }
    }
}

/// Also where positions are coarse, a place to which somebody slid is one where it may stand.
#[test]
fn who_slides_may_stand_there_however_far_the_map_is_from_0() {
    let mut rng = Lcg(5);
    for origin in [0.0, 1.7e7, 5e7, 1e9, 4e9] {
        for seed in 0..20 {
            let walls = random_walls([9, 11], 0.2, seed);
            let medium = Medium::<Ix2>::builder([9, 11]).walls(&walls);
            let medium = medium.origin(DVec2::splat(origin)).build().unwrap();
            let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
            let mut at = free_centres(&walls)[0] + DVec2::splat(origin);
            for _ in 0..20 {
                let mut part = || rng.below(3001) as f64 * 1e-3 - 1.5;
                let step = DVec2::new(part(), part());
                at = tracker.slide(at, step).unwrap();
                tracker.set_target(at).unwrap();
            }
        }
    }
}
