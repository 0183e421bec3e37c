//! A tracker that is saved and loaded goes on with the same bits; impossible data is refused.

mod drawn;

use drawn::{Lcg, free_centres, medium, random_walls};
use glam::DVec2;
use ndarray::{Array2, Ix2, Ix3};
use proptest::prelude::*;
use serde_json::Value;
use wave_core::{Medium, WorldField};
use wave_track::{Fronts, Method, TrackError, Tracker, TrackerConfig, WorldWalker};

fn copy(tracker: &Tracker<Ix2>) -> Tracker<Ix2> {
    serde_json::from_str(&serde_json::to_string(tracker).unwrap()).unwrap()
}

/// A chase with everything in it: several targets, edits, and pursuers that come, go and are put
/// elsewhere.
fn play(tracker: &mut Tracker<Ix2>, centres: &[DVec2], from: usize, frames: usize) {
    for frame in from..from + frames {
        let mut random = Lcg(frame as u64);
        let mut anywhere = || centres[random.below(centres.len())];
        let targets: Vec<DVec2> = tracker.targets().collect();
        if targets.is_empty() || frame % 40 == 39 {
            // Refused where a wall has been built since.
            let _ = tracker.set_targets([anywhere(), anywhere()]);
        } else {
            let walk = |at| tracker.slide(at, DVec2::new(0.2, 0.1 * (frame % 3) as f64)).unwrap();
            tracker.set_targets(targets.into_iter().map(walk).collect::<Vec<_>>()).unwrap();
        }
        if frame % 9 == 0 {
            let _ = tracker.add_pursuer(anywhere(), 0.4);
        }
        if frame % 31 == 30 {
            tracker.remove_pursuer(tracker.pursuers()[0].id()).unwrap();
            let id = tracker.pursuers()[0].id();
            let _ = tracker.teleport(id, anywhere());
        }
        if frame % 5 == 1 {
            let at = anywhere();
            let _ = tracker.set_wall([at.y as usize, at.x as usize], frame % 2 == 0);
        }
        if frame % 3 == 0 { tracker.step().unwrap() } else { drop(tracker.frame(1.0, 3000)) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn who_is_loaded_goes_on_in_the_same_bits(seed in any::<u64>(), frames in 0..200usize) {
        let walls = random_walls([30, 40], 0.2, seed);
        let centres = free_centres(&walls);
        for config in [
            TrackerConfig::default(),
            TrackerConfig { areas_slow_pursuers: true, ..TrackerConfig::default() },
            TrackerConfig {
                method: Method::PerEmission,
                ..TrackerConfig::default()
            },
            TrackerConfig { fronts: Fronts::Waves, ..TrackerConfig::default() },
            TrackerConfig::watanabe(),
            TrackerConfig::kumagai(),
        ] {
            let mut medium = medium(&walls);
            if config.areas_slow_pursuers {
                (0..20).for_each(|x| medium.set_speed([7, x], 0.35).unwrap());
            }
            let mut tracker = Tracker::new(medium, config).unwrap();
            play(&mut tracker, &centres, 0, frames);
            let mut read = copy(&tracker);
            prop_assert_eq!(read.config(), tracker.config());
            prop_assert_eq!(read.state_hash(), tracker.state_hash());
            for round in 0..4 {
                let from = frames + 30 * round;
                play(&mut tracker, &centres, from, 30);
                play(&mut read, &centres, from, 30);
                prop_assert_eq!(read.state_hash(), tracker.state_hash());
                prop_assert_eq!(read.updates(), tracker.updates());
            }
        }
    }
}

/// Where the target stands and walls come and go, or speeds are set, the last wave is repaired.
#[test]
fn who_is_loaded_repairs_waves_in_the_same_bits() {
    let (mut waves, mut cost) = (0, 0.0);
    for seed in 0..8 {
        let walls = random_walls([70, 90], 0.1, seed);
        let centres = free_centres(&walls);
        let speeds = [1.0, 0.5, 0.8];
        let area = |(y, x): (usize, usize)| speeds[(y / 20 + x / 25) % 3];
        let areas = Array2::from_shape_fn([70, 90], area);
        let builder = Medium::<Ix2>::builder([70, 90]).walls(&walls);
        let builder = if seed % 2 == 0 { builder } else { builder.speeds(&areas) };
        let mut tracker = Tracker::new(builder.build().unwrap(), TrackerConfig::default()).unwrap();
        let mut random = Lcg(seed);
        tracker.set_target(centres[0]).unwrap();
        for _ in 0..20 {
            tracker.add_pursuer(centres[random.below(centres.len())], 0.2).unwrap();
        }
        rest(&mut tracker);
        let before = (tracker.emissions(), tracker.updates());
        for frame in 0..120 {
            let mut read = (frame % 3 == 2).then(|| copy(&tracker));
            let (y, x) = (16 + random.below(54), random.below(90));
            let wall = random.below(2) == 0;
            let speed = Some(speeds[random.below(3)]).filter(|_| seed % 2 == 1 && frame % 6 == 0);
            for tracker in read.iter_mut().chain([&mut tracker]) {
                if let Some(speed) = speed {
                    tracker.set_wave_speed([y, x], speed).unwrap();
                } else if frame % 2 == 0 {
                    let _ = tracker.set_wall([y, x], wall);
                }
                tracker.frame(1.0, 20_000).unwrap();
                tracker.frame(1.0, 20_000).unwrap();
            }
            if let Some(read) = read {
                assert_eq!(read.state_hash(), tracker.state_hash(), "seed {seed}, frame {frame}");
                assert_eq!(read.updates(), tracker.updates(), "seed {seed}, frame {frame}");
                tracker = read;
            }
        }
        // The cost of waves over the whole map, at 20 updates a cell.
        let whole = 20.0 * tracker.medium().open_cells() as f64;
        waves += tracker.emissions() - before.0;
        cost += (tracker.updates() - before.1) as f64 / whole;
    }
    // Waves that are not repaired have to come to all pursuers again.
    assert!(waves > 200 && cost < 0.4 * waves as f64, "{waves} for what {cost} cost");
}

/// What pursuers cost in a frame is counted until the next one, even if they are removed.
#[test]
fn the_cost_of_who_was_removed_is_saved() {
    let walls = random_walls([30, 40], 0.2, 1);
    let centres = free_centres(&walls);
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_target(centres[0]).unwrap();
    let added = centres.iter().step_by(50).map(|&at| tracker.add_pursuer(at, 0.4).unwrap());
    let ids: Vec<_> = added.collect();
    for _ in 0..100 {
        tracker.step().unwrap();
        if tracker.planning_updates() > 0 {
            break;
        }
    }
    for id in ids {
        tracker.remove_pursuer(id).unwrap();
    }
    assert!(tracker.planning_updates() > 0);
    assert_eq!(copy(&tracker).planning_updates(), tracker.planning_updates());
}

/// A wave that had been repaired was told of after a reset.
#[test]
fn a_tracker_that_was_reset_after_repairs_is_read_back() {
    let walls = random_walls([70, 90], 0.1, 2);
    let centres = free_centres(&walls);
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_target(centres[0]).unwrap();
    tracker.add_pursuer(centres[centres.len() - 1], 0.01).unwrap();
    rest(&mut tracker);
    let before = tracker.emissions();
    for x in 30..40 {
        let wall = !tracker.medium().is_wall([60, x]);
        tracker.set_wall([60, x], wall).unwrap();
        rest(&mut tracker);
    }
    assert!(tracker.emissions() >= before + 10);
    tracker.reset();
    assert_eq!(copy(&tracker).state_hash(), tracker.state_hash());
}

/// Frames until nothing is on its way.
fn rest(tracker: &mut Tracker<Ix2>) {
    while tracker.frame(1.0, 20_000).unwrap() > 0 {}
}

/// Found by `fuzz`. Its fastest speed was 0: no saved tracker may have that, and in a slow area
/// pursuers walked infinitely fast.
#[test]
fn a_tracker_on_walls_alone_is_saved_and_walks_when_they_open() {
    let mut speeds = Array2::from_elem([3, 12], 0.5);
    speeds[[1, 0]] = 1.0;
    let walls = Array2::from_elem([3, 12], true);
    let medium = Medium::<Ix2>::builder([3, 12]).speeds(&speeds).walls(&walls).build().unwrap();
    let config = TrackerConfig { areas_slow_pursuers: true, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(medium, config).unwrap();
    let mut saved = copy(&tracker);
    for tracker in [&mut tracker, &mut saved] {
        let way: Vec<_> = (0..12).map(|x| ([1, x], false)).collect();
        tracker.set_walls(&way).unwrap();
        tracker.set_target(DVec2::new(11.0, 1.0)).unwrap();
        let pursuer = tracker.add_pursuer(DVec2::new(1.0, 1.0), 0.4).unwrap();
        let mut at = DVec2::new(1.0, 1.0);
        for _ in 0..100 {
            tracker.step().unwrap();
            let to = tracker.pursuer(pursuer).unwrap().position();
            // Half as fast as in the cell at speed 1.
            assert!(to.distance(at) <= 0.2 + 1e-12, "from {at} to {to}");
            at = to;
        }
        assert!(at.x > 10.0, "{at}");
    }
    assert_eq!(tracker.state_hash(), saved.state_hash());
}

/// Where waves are only for pursuers that listen: with some that fall short, and one for an hour's
/// walk.
#[test]
fn a_tracker_on_a_large_map_goes_on_in_the_same_bits() {
    let mut medium = Medium::<Ix2>::builder([2100, 2100]).build().unwrap();
    let wall: Vec<_> = (970..1080).map(|x| ([1000, x], true)).collect();
    medium.set_walls(&wall).unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.set_target([1000.0, 990.0]).unwrap();
    for x in [980.0, 1000.0, 1040.0] {
        tracker.add_pursuer([x, 1020.0], 0.7).unwrap();
    }
    for _ in 0..12 {
        let mut read = copy(&tracker);
        for tracker in [&mut tracker, &mut read] {
            for _ in 0..50 {
                tracker.step().unwrap();
            }
            let to = tracker.slide(tracker.target().unwrap(), DVec2::new(1.0, -0.5)).unwrap();
            tracker.set_target(to).unwrap();
            tracker.frame(1.0, 20_000).unwrap();
        }
        assert_eq!(read.state_hash(), tracker.state_hash());
    }
    assert!(tracker.pursuers().iter().all(|p| p.heard() > 0));
}

/// The waves' records of how far the targets had walked are of targets that are gone.
#[test]
fn a_tracker_whose_target_was_taken_away_is_saved_and_goes_on() {
    let medium = Medium::<Ix2>::builder([20, 30]).build().unwrap();
    for again in [false, true] {
        let mut tracker = Tracker::new(medium.clone(), TrackerConfig::default()).unwrap();
        tracker.add_pursuer([2.0, 2.0], 0.3).unwrap();
        for frame in 0..40 {
            tracker.set_target([25.0, 2.0 + 0.3 * f64::from(frame)]).unwrap();
            tracker.step().unwrap();
        }
        if again {
            tracker.reset();
        } else {
            tracker.clear_target();
        }
        let mut read = copy(&tracker);
        for tracker in [&mut tracker, &mut read] {
            tracker.set_target([5.0, 5.0]).unwrap();
            for _ in 0..40 {
                tracker.step().unwrap();
            }
        }
        assert_eq!(read.state_hash(), tracker.state_hash());
    }
}

#[test]
fn trackers_that_cannot_be_are_refused() {
    let walls = random_walls([30, 40], 0.2, 5);
    let centres = free_centres(&walls);
    let mut tracker = Tracker::<Ix2>::new(medium(&walls), TrackerConfig::default()).unwrap();
    play(&mut tracker, &centres, 0, 60);
    let good = serde_json::to_value(&tracker).unwrap();
    assert!(serde_json::from_value::<Tracker<Ix2>>(good.clone()).is_ok());
    let deep = serde_json::from_value::<Tracker<Ix3>>(good.clone()).unwrap_err();
    assert!(deep.to_string().contains("axes"), "{deep}");
    let nan = Value::from(f64::NAN.to_bits());
    let far = Value::from(1e6f64.to_bits());
    for (path, value, says) in [
        ("/config/waves", Value::from(1), "2 to 8"),
        ("/config/close_range", nan.clone(), "close_range"),
        ("/config/waves", 5.into(), "waves"),
        ("/newest", 0.into(), "emissions"),
        ("/order/0", 17.into(), "order"),
        ("/turn", Value::Null, "null"),
        ("/targets/here/0/0", far.clone(), "place of a target"),
        ("/targets/turns/0", Value::Array(Vec::new()), "trail"),
        ("/pursuers/1/at/0", nan.clone(), "place"),
        ("/pursuers/1/at/1", far, "place"),
        ("/pursuers/1/at/2", 5.0f64.to_bits().into(), "place"),
        ("/pursuers/1/speed", nan, "speed"),
        ("/pursuers/1/id", 1_000_000.into(), "number"),
        ("/pursuers/1/state", "Lost".into(), "Lost"),
        ("/pursuers/1/horizon", u32::MAX.into(), "points"),
        ("/pursuers/1/traced", u32::MAX.into(), "points"),
        ("/updates", u64::MAX.into(), "count"),
        ("/medium/size", Value::from(vec![1, 40, 30]), "waves"),
        ("/medium/dt", 0.into(), "dt"),
        ("/config/fronts", "Waves".into(), "waves"),
        ("/carrier/Fronts/0/Short/unit", 0.into(), "unit"),
        ("/emitted/0", (1u64 << 40).into(), "step of the newest emission"),
        ("/emitted/1", (1u64 << 40).into(), "step of the newest emission"),
        ("/emissions/0/era", u64::MAX.into(), "emissions"),
        ("/emissions/0/turn", u64::MAX.into(), "emissions"),
        ("/emissions/0/walked", (-1.0f64).to_bits().into(), "walked length"),
        ("/emissions/0/walked", 1e9f64.to_bits().into(), "walked length"),
        ("/targets/walked", (-1.0f64).to_bits().into(), "walked length"),
        ("/pursuers/1/gone", (-1.0f64).to_bits().into(), "walked length"),
        ("/pursuers/1/mark", serde_json::json!([0, u64::MAX]), "mark"),
        ("/pursuers/1/heading", serde_json::json!([0, 0, 0]), "course"),
        ("/fastest", 1.into(), "fastest speed"),
        ("/fastest", 1e30f64.to_bits().into(), "fastest speed"),
        ("/pursuers/1/position/0", 1e9f64.to_bits().into(), "position"),
        ("/medium/origin/0", 1e18f64.to_bits().into(), "2^32 cells"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).expect(path) = value;
        match serde_json::from_value::<Tracker<Ix2>>(bad) {
            Err(error) => assert!(error.to_string().contains(says), "{path}: {error}"),
            Ok(_) => panic!("{path} was accepted"),
        }
    }
}

#[test]
fn settings_are_read_from_a_file_and_what_is_left_out_is_the_default() {
    let text = r#"{ "lifetime": 90, "method": "PerEmission" }"#;
    let config: TrackerConfig = serde_json::from_str(text).unwrap();
    let method = Method::PerEmission;
    assert_eq!(config, TrackerConfig { lifetime: Some(90), method, ..TrackerConfig::default() });
    assert!(serde_json::from_str::<TrackerConfig>(r#"{ "lifetimes": 90 }"#).is_err());
}

/// With a world that is built again for the medium that was read.
#[test]
fn walkers_that_are_loaded_go_on_in_the_same_bits() {
    let walls = random_walls([90, 120], 0.2, 5);
    let centres = free_centres(&walls);
    let mut random = Lcg(9);
    let mut anywhere = || centres[random.below(centres.len())];
    let mut medium = Medium::<Ix2>::from_walls(&walls).unwrap();
    let mut world = WorldField::new(&medium).unwrap();
    let walkers = (0..30).map(|_| WorldWalker::new(&medium, anywhere(), 0.7).unwrap());
    let mut walkers: Vec<_> = walkers.collect();
    for round in 0..40 {
        let target = anywhere();
        if round % 3 == 0 {
            world.set_target(&medium, [target.y as usize, target.x as usize]).unwrap();
        }
        let door = anywhere();
        let door = [door.y as usize, door.x as usize];
        if world.target() != Some(door) {
            medium.set_wall(door, round % 2 == 0).unwrap();
        }
        let text = serde_json::to_string(&(&medium, &walkers)).unwrap();
        let (other, mut loaded): (Medium<Ix2>, Vec<WorldWalker>) =
            serde_json::from_str(&text).unwrap();
        let mut new = WorldField::new(&other).unwrap();
        new.set_target(&other, world.target().unwrap()).unwrap();
        for _ in 0..6 {
            for (walker, copy) in walkers.iter_mut().zip(&mut loaded) {
                let state = walker.step(&medium, &mut world, 1.0).unwrap();
                assert_eq!(copy.step(&other, &mut new, 1.0).unwrap(), state);
                assert_eq!(copy.position(), walker.position());
                assert_eq!(copy.walked(), walker.walked());
            }
        }
    }
    let walked: f64 = walkers.iter().map(WorldWalker::walked).sum();
    assert!(walked > 1000.0, "{walked}");
}

/// Whatever number stands in it, it is refused, then or by the next step, or can go on.
#[test]
fn data_that_cannot_be_a_walker_is_refused() {
    let medium = Medium::<Ix2>::from_walls(&Array2::from_elem([20, 30], false)).unwrap();
    let mut world = WorldField::new(&medium).unwrap();
    world.set_target(&medium, [10, 25]).unwrap();
    let mut walker = WorldWalker::new(&medium, [3.0, 4.0], 1.0).unwrap();
    walker.step(&medium, &mut world, 1.0).unwrap();
    let good = serde_json::to_value(&walker).unwrap();
    let (mut refused, mut off) = (0, 0);
    for (key, old) in good.as_object().unwrap() {
        for number in [f64::NAN, f64::INFINITY, -1.0, 1e300, 1e6, 0.0].map(f64::to_bits) {
            let mut changed = good.clone();
            changed[key] = match old {
                Value::Array(_) if key == "way" => vec![vec![number, number, 0]; 2].into(),
                Value::Array(_) if key == "target" => vec![number; 2].into(),
                Value::Array(_) => vec![number, number, 0].into(),
                _ => number.into(),
            };
            match serde_json::from_value::<WorldWalker>(changed) {
                Err(_) => refused += 1,
                Ok(mut read) => match read.step(&medium, &mut world, 1.0) {
                    Err(TrackError::OffGrid { what: "walker", .. }) => off += 1,
                    // So fast that a step is longer than any map.
                    Err(TrackError::Value { what: "time", .. }) => assert_eq!(key, "speed"),
                    state => {
                        assert!(state.is_ok(), "{key}: {state:?}");
                        assert!(medium.cell_at(read.position()).is_some(), "{key}");
                    }
                },
            }
        }
    }
    assert!(refused > 20 && off > 0, "{refused}, {off}");
    let mut long = good;
    long["way"] = vec![vec![0_u64; 3]; 9].into();
    assert!(serde_json::from_value::<WorldWalker>(long).is_err(), "more points than it keeps");
}
