//! Pursuers of a size go where they fit, and nowhere else.

mod drawn;

use drawn::{Lcg, free_centres, medium, random_walls};
use glam::DVec2;
use ndarray::{Array, Array2, Array3, Ix2};
use proptest::prelude::*;
use wave_core::Space;
use wave_track::{BodyClearance, PursuerState, SKIN, TrackError, Tracker, TrackerConfig};

/// Written plainly: a cell is closed if one within reach is a wall or outside.
fn closed<D: Space>(walls: &Array<bool, D>, reach: i64) -> Array<bool, D> {
    let mut size = [1; 3];
    size[3 - D::AXES..].copy_from_slice(walls.shape());
    let wall = |zyx: [i64; 3]| {
        let inside = zyx.iter().zip(size).all(|(c, n)| (0..n as i64).contains(c));
        !inside || walls[D::shape(D::from_zyx(zyx.map(|c| c as usize)))]
    };
    let mut grown = walls.clone();
    let [_, ny, nx] = size;
    for (i, closed) in grown.iter_mut().enumerate() {
        let zyx = [i / nx / ny, i / nx % ny, i % nx].map(|c| c as i64);
        let span = |a: usize| {
            let reach = if a + D::AXES < 3 { 0 } else { reach };
            zyx[a] - reach..=zyx[a] + reach
        };
        let xs = |z, y| span(2).any(move |x| wall([z, y, x]));
        *closed = span(0).any(|z| span(1).any(|y| xs(z, y)));
    }
    grown
}

/// Whether a box of this half width touches a wall or leaves the grid.
fn touches(walls: &Array2<bool>, at: DVec2, half: f64) -> bool {
    let low = (at - half + 0.5).floor().as_i64vec2();
    let high = (at + half + 0.5).floor().as_i64vec2();
    let wall = |y: i64, x: i64| {
        let cell = usize::try_from(y).ok().zip(usize::try_from(x).ok());
        cell.and_then(|(y, x)| walls.get([y, x])).is_none_or(|wall| *wall)
    };
    (low.y..=high.y).any(|y| (low.x..=high.x).any(|x| wall(y, x)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn walls_are_grown_by_the_reach(seed in any::<u64>(), reach in 0..4u32, share in 0.0..0.1f64) {
        let walls = random_walls([23, 31], share, seed);
        prop_assert_eq!(BodyClearance::new(&walls, reach).grown(), closed(&walls, reach.into()));
        let mut random = Lcg(seed);
        let walls = Array3::from_shape_simple_fn([8, 9, 11], || random.below(60) == 0);
        prop_assert_eq!(BodyClearance::new(&walls, reach).grown(), closed(&walls, reach.into()));
    }

    /// Nobody ever overlaps a wall, edits included, and the grown walls stay what they would be
    /// again.
    #[test]
    fn who_is_wide_touches_no_wall(seed in any::<u64>(), reach in 0..3u32) {
        let mut walls = random_walls([40, 50], 0.02, seed);
        let mut size = BodyClearance::new(&walls, reach);
        let centres = free_centres(&size.grown());
        prop_assume!(centres.len() > 200);
        let medium = medium(&size.grown());
        let mut tracker = Tracker::<Ix2>::new(medium, TrackerConfig::default()).unwrap();
        let mut random = Lcg(seed);
        tracker.set_target(centres[random.below(centres.len())]).unwrap();
        for _ in 0..12 {
            tracker.add_pursuer(centres[random.below(centres.len())], 0.5).unwrap();
        }
        for frame in 0..300 {
            if frame < 150 {
                let (cell, wall) = ([random.below(40), random.below(50)], random.below(2) == 0);
                let before = size.grown();
                match size.set_wall(&mut tracker, cell, wall) {
                    Ok(()) => walls[cell] = wall,
                    Err(TrackError::Occupied { .. }) => prop_assert_eq!(&size.grown(), &before),
                    Err(error) => panic!("{error}"),
                }
            }
            tracker.frame(1.0, 100_000).unwrap();
            for pursuer in tracker.pursuers() {
                let half = f64::from(reach) + 0.999 * SKIN;
                prop_assert!(!touches(&walls, pursuer.position(), half));
            }
        }
        let again = BodyClearance::new(&walls, reach).grown();
        prop_assert_eq!(&size.grown(), &again);
        prop_assert_eq!(&tracker.medium().walls(), &again);
        let settled = |s| matches!(s, PursuerState::Arrived | PursuerState::TargetUnreachable);
        prop_assert!(tracker.pursuers().iter().all(|p| settled(p.state())));
    }
}

#[test]
fn cells_that_are_not_there_are_refused() {
    let walls = Array2::from_elem([10, 10], false);
    let mut size = BodyClearance::new(&walls, 1);
    let mut tracker = Tracker::<Ix2>::new(medium(&size.grown()), TrackerConfig::default()).unwrap();
    assert!(matches!(size.set_wall(&mut tracker, [10, 0], true), Err(TrackError::Medium(_))));
    let other = Array2::from_elem([9, 10], false);
    let mut other = Tracker::<Ix2>::new(medium(&other), TrackerConfig::default()).unwrap();
    let refused = size.set_wall(&mut other, [3, 3], true).unwrap_err();
    assert_eq!(refused.to_string(), "the array of walls has shape [10, 10], the grid [9, 10]");
}
