//! Bad input gets a typed error with the value in it, and changes nothing.

mod drawn;

use drawn::medium;
use glam::DVec2;
use ndarray::{Array2, Ix2};
use wave_core::Medium;
use wave_track::{Method, TrackError, Tracker, TrackerConfig};

fn world() -> Tracker<Ix2> {
    let mut walls = Array2::from_elem([5, 7], false);
    walls[[2, 3]] = true;
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_target(DVec2::new(6.0, 4.0)).unwrap();
    tracker.add_pursuer(DVec2::ZERO, 0.5).unwrap();
    (0..20).for_each(|_| tracker.step().unwrap());
    tracker
}

#[test]
fn refused_calls_change_nothing() {
    let mut tracker = world();
    let id = tracker.pursuers()[0].id();
    let hash = tracker.state_hash();
    let here = tracker.pursuers()[0].position();
    let wall = DVec2::new(3.0, 2.0);
    let off = DVec2::new(6.6, 0.0);
    for at in [off, DVec2::NAN, DVec2::INFINITY, DVec2::new(-1.0, 0.0)] {
        assert!(matches!(tracker.set_target(at), Err(TrackError::OffGrid { what: "target", .. })));
        assert!(matches!(tracker.add_pursuer(at, 1.0), Err(TrackError::OffGrid { .. })));
        assert!(matches!(tracker.teleport(id, at), Err(TrackError::OffGrid { .. })));
        assert!(tracker.slide(at, DVec2::X).is_err());
    }
    // In the wall, and so near to it that it would be touched.
    for at in [wall, DVec2::new(2.4995, 2.0)] {
        assert!(matches!(tracker.set_target(at), Err(TrackError::InWall { .. })));
        assert!(matches!(tracker.add_pursuer(at, 1.0), Err(TrackError::InWall { .. })));
    }
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = tracker.add_pursuer(DVec2::ZERO, speed);
        assert!(matches!(refused, Err(TrackError::Value { what: "speed", .. })));
    }
    assert!(tracker.slide(here, DVec2::NAN).is_err());
    let cell = tracker.medium().cell_at(here).unwrap();
    let occupied = tracker.set_wall(cell, true).unwrap_err();
    assert!(occupied.to_string().contains("pursuer 0"), "{occupied}");
    let target = tracker.set_wall([4, 6], true).unwrap_err();
    assert!(target.to_string().contains("a target"), "{target}");
    assert!(matches!(tracker.set_wall([5, 0], true), Err(TrackError::Medium(_))));
    assert!(matches!(tracker.set_wave_speed([0, 0], -1.0), Err(TrackError::Medium(_))));
    assert!(matches!(tracker.set_wave_speed([0, 0], 1.5), Err(TrackError::Medium(_))));
    assert_eq!(tracker.state_hash(), hash);
    assert!(!tracker.medium().is_wall(cell));
}

#[test]
fn who_was_removed_is_gone_and_no_name_is_given_twice() {
    let mut tracker = world();
    let id = tracker.pursuers()[0].id();
    assert_eq!(tracker.remove_pursuer(id).unwrap().id(), id);
    assert_eq!(tracker.remove_pursuer(id).unwrap_err(), TrackError::NoPursuer(id));
    assert_eq!(tracker.pursuer(id).unwrap_err(), TrackError::NoPursuer(id));
    assert_ne!(tracker.add_pursuer(DVec2::ZERO, 1.0).unwrap(), id);
    tracker.step().unwrap();
}

/// A door of three cells closes whole or not at all.
#[test]
fn walls_are_set_all_or_none() {
    let mut tracker = world();
    let hash = tracker.state_hash();
    let door = |wall| [([0, 4], wall), ([0, 5], wall), ([0, 6], wall)];
    // The last cell is where the target stands, and outside the grid.
    for last in [[4, 6], [5, 0]] {
        let mut cells = door(true).to_vec();
        cells.push((last, true));
        assert!(tracker.set_walls(&cells).is_err());
        assert!(door(true).iter().all(|&(cell, _)| !tracker.medium().is_wall(cell)));
    }
    assert_eq!(tracker.state_hash(), hash);
    for wall in [true, false] {
        tracker.set_walls(&door(wall)).unwrap();
        assert!(door(wall).iter().all(|&(cell, _)| tracker.medium().is_wall(cell) == wall));
    }
}

/// Whatever the method, a frame that may cost any number of updates comes to an end.
#[test]
fn a_frame_without_a_bound_ends() {
    let walls = Array2::from_elem([9, 9], false);
    for config in [
        TrackerConfig::default(),
        TrackerConfig { method: Method::PerEmission, ..TrackerConfig::default() },
        TrackerConfig::watanabe(),
        TrackerConfig::kumagai(),
    ] {
        let mut tracker: Tracker<Ix2> = Tracker::new(medium(&walls), config).unwrap();
        tracker.set_target(DVec2::new(7.0, 7.0)).unwrap();
        tracker.add_pursuer(DVec2::new(1.0, 1.0), 1e-3).unwrap();
        for _ in 0..3 {
            let before = tracker.steps();
            tracker.frame(1.0, u64::MAX).unwrap();
            assert!(tracker.steps() - before <= 300, "{config:?}");
        }
    }
}

#[test]
fn settings_out_of_their_limits_are_refused() {
    let walls = Array2::from_elem([3, 3], false);
    let good = TrackerConfig::default();
    let published = TrackerConfig::watanabe();
    let threshold = |value| {
        let mut method = published.method;
        if let Method::Published { threshold, .. } = &mut method {
            *threshold = value;
        }
        method
    };
    for bad in [
        TrackerConfig { waves: Some(0), ..good },
        TrackerConfig { waves: Some(1), ..good },
        TrackerConfig { waves: Some(9), ..good },
        TrackerConfig { waves: Some(9), ..published },
        TrackerConfig { waves: Some(2), ..TrackerConfig::kumagai() },
        TrackerConfig { lifetime: Some(2), ..good },
        TrackerConfig { lifetime: Some(u32::MAX), ..good },
        TrackerConfig { close_range: -1.0, ..good },
        TrackerConfig { close_range: f64::NAN, ..good },
        TrackerConfig { arrival_range: 0.0, ..good },
        TrackerConfig { arrival_range: f64::INFINITY, ..good },
        TrackerConfig { method: threshold(0.0), ..published },
        TrackerConfig { method: threshold(f64::NAN), ..published },
    ] {
        assert!(Tracker::new(medium(&walls), bad).is_err(), "{bad:?}");
    }
    assert!(Tracker::new(medium(&walls), TrackerConfig { waves: Some(1), ..published }).is_ok());
}

/// A cell that is named twice is what its last entry says, and none changes if one is refused.
#[test]
fn set_walls_takes_the_last_entry_of_a_cell_and_changes_all_or_none() {
    let mut walls = Array2::from_elem([9, 9], false);
    walls[[5, 6]] = true;
    let medium = Medium::<Ix2>::builder([9, 9]).walls(&walls).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    let beside = tracker.slide(DVec2::new(5.0, 5.0), DVec2::new(2.0, 0.0)).unwrap();
    tracker.add_pursuer(beside, 0.1).unwrap();
    // It leans on the wall, which so stays one.
    tracker.set_walls(&[([5, 6], false), ([5, 6], true)]).unwrap();
    assert!(tracker.medium().is_wall([5, 6]));
    let refused = tracker.set_walls(&[([5, 6], false), ([5, 5], true)]);
    assert!(matches!(refused, Err(TrackError::Occupied { .. })));
    assert!(tracker.medium().is_wall([5, 6]));
    tracker.set_walls(&[([5, 6], true), ([5, 6], false), ([1, 1], true), ([1, 1], false)]).unwrap();
    assert!(!tracker.medium().is_wall([5, 6]) && !tracker.medium().is_wall([1, 1]));
}
