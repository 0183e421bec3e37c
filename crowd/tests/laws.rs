//! Laws of every crowd.

use crowd::glam::DVec2;
use crowd::ndarray::{Array2, Ix2};
use crowd::wave_track::wave_core::Medium;
use crowd::wave_track::{PursuerState, TrackError, Tracker, TrackerConfig};
use crowd::{Crowd, CrowdConfig, CrowdError, GuideError, Guides, Pace, Walker, WalkerId};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SPEED: f64 = 1.34;
const RADIUS: f64 = 0.3;
/// `[units: s]`
const FRAME: f64 = 1.0 / 30.0;

fn random_walls(rows: usize, columns: usize, share: f64, rng: &mut ChaCha8Rng) -> Array2<bool> {
    Array2::from_shape_simple_fn((rows, columns), || rng.random_range(0.0..1.0) < share)
}

/// Walkers at random places of a map, with wishes in all directions.
fn random_walkers(walls: &Array2<bool>, count: usize, rng: &mut ChaCha8Rng) -> Vec<Walker> {
    let (rows, columns) = walls.dim();
    let place = || {
        let x = rng.random_range(-0.5..columns as f64 - 0.5);
        let y = rng.random_range(-0.5..rows as f64 - 0.5);
        let wish = DVec2::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0));
        let wish = wish.normalize_or(DVec2::X);
        let radius = rng.random_range(0.1..=0.5);
        Walker { wish, ..Walker::new(DVec2::new(x, y), radius, rng.random_range(0.0..3.0)) }
    };
    let free = |w: &Walker| !walls[[w.position.y.round() as usize, w.position.x.round() as usize]];
    std::iter::repeat_with(place).filter(free).take(count).collect()
}

fn hash_after(crowd: &mut Crowd, steps: usize) -> u64 {
    (0..steps).for_each(|_| crowd.step(FRAME).unwrap());
    crowd.state_hash()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No walker's middle is ever in a wall or not a number, and none walks faster than it can,
    /// whatever the walls are and wherever all want to go.
    #[test]
    fn walls_are_hard(seed in 0..u64::MAX, share in 0.0..0.6, count in 1..80usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut walls = random_walls(9, 13, share, &mut rng);
        walls[[4, 6]] = false;
        let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
        for walker in random_walkers(&walls, count, &mut rng) {
            crowd.add(walker).unwrap();
        }
        for step in 0..60 {
            // Doors close and open in between.
            let cell = [rng.random_range(0..9), rng.random_range(0..13)];
            if step % 3 == 0 && crowd.set_walls(&[(cell, !walls[cell])]).is_ok() {
                walls[cell] = !walls[cell];
            }
            crowd.step(FRAME).unwrap();
            for (id, walker) in crowd.walkers() {
                let cell = walker.position.round();
                prop_assert!(cell.cmpge(DVec2::ZERO).all() && cell.x < 13.0 && cell.y < 9.0);
                let cell = [cell.y as usize, cell.x as usize];
                prop_assert!(!walls[cell], "{id:?} at {}", walker.position);
                prop_assert!(walker.velocity.length() <= walker.speed * (1.0 + 1e-12));
            }
        }
    }
}

/// A body whose middle is exactly on the corner of a wall leaves the wall, too.
#[test]
fn nobody_stays_on_a_corner() {
    // The corner belongs to cell [1, 1].
    for wall in [[0, 0], [0, 1], [1, 0]] {
        let mut walls = Array2::from_elem([2, 2], false);
        walls[wall] = true;
        let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
        let id = crowd.add(Walker::new(DVec2::splat(0.5), RADIUS, 0.0)).unwrap();
        crowd.step(FRAME).unwrap();
        let place = crowd.walker(id).unwrap().position;
        let wall = DVec2::new(wall[1] as f64, wall[0] as f64);
        let off = place - place.clamp(wall - 0.5, wall + 0.5);
        assert!(off.length() > RADIUS - 1e-9, "{place}");
    }
}

/// One that hardly moves towards another avoids it by no force that is not a number.
#[test]
fn the_slowest_approach_moves_nobody() {
    let config = CrowdConfig { sight: 9.0, ..CrowdConfig::default() };
    let mut crowd = Crowd::new(&Array2::from_elem([3, 20], false), config).unwrap();
    let place = DVec2::splat(0.25);
    // Its square is 0, and that of eight times as much is not.
    let velocity = DVec2::X * 2.0f64.powi(-538);
    let id = crowd.add(Walker { velocity, ..Walker::new(place, RADIUS, SPEED) }).unwrap();
    crowd.add(Walker::new(place + 8.0 * DVec2::X, RADIUS, SPEED)).unwrap();
    crowd.step(FRAME).unwrap();
    assert_eq!(crowd.walker(id).unwrap().position, place);
}

/// A step of a turned map is the turned step, but for rounding: no direction is preferred. Seeds
/// are fixed, for a walker that touches a wall exactly may be held there by a last bit.
#[test]
fn a_turned_crowd_moves_turned() {
    for seed in 0..64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let walls = random_walls(10, 10, 0.2, &mut rng);
        let turned = Array2::from_shape_fn((10, 10), |(y, x)| walls[[9 - x, y]]);
        // The place (x, y) becomes (9 - y, x).
        let turn = |p: DVec2| DVec2::new(9.0 - p.y, p.x);
        let mut crowds = [&walls, &turned].map(|w| Crowd::new(w, CrowdConfig::default()).unwrap());
        for walker in random_walkers(&walls, 30, &mut rng) {
            crowds[0].add(walker).unwrap();
            let (position, wish) = (turn(walker.position), walker.wish.perp());
            crowds[1].add(Walker { position, wish, ..walker }).unwrap();
        }
        // Chaos makes rounding large soon.
        for crowd in &mut crowds {
            (0..5).for_each(|_| crowd.step(FRAME).unwrap());
        }
        let [one, other] = crowds;
        for (id, walker) in one.walkers() {
            let there = other.walker(id).unwrap();
            let off = turn(walker.position).distance(there.position);
            assert!(off < 1e-6, "{id:?} of seed {seed}: off by {off:e}");
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let walls = random_walls(50, 60, 0.1, &mut rng);
    let walkers = random_walkers(&walls, 2500, &mut rng);
    let hashes = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
        for &walker in &walkers {
            crowd.add(walker).unwrap();
        }
        pool.install(|| hash_after(&mut crowd, 10))
    });
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:x?}");
    assert_eq!(hashes[0], GOLDEN, "{:x}", hashes[0]);
}

/// The hash of the test above, on every machine.
const GOLDEN: u64 = 0xf30a_98b1_40a1_cd73;

/// Walkers that are set later, and removed in another order, move in the same bits.
#[test]
fn the_order_of_calls_does_not_matter() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let walls = random_walls(20, 20, 0.1, &mut rng);
    let walkers = random_walkers(&walls, 200, &mut rng);
    let mut one = Crowd::new(&walls, CrowdConfig::default()).unwrap();
    let mut other = one.clone();
    for &walker in &walkers {
        one.add(walker).unwrap();
        let id = other.add(Walker { wish: DVec2::ZERO, ..walker }).unwrap();
        other.set(id, walker).unwrap();
    }
    let gone: Vec<WalkerId> = one.walkers().map(|w| w.0).step_by(3).collect();
    for &id in &gone {
        one.remove(id).unwrap();
    }
    for &id in gone.iter().rev() {
        other.remove(id).unwrap();
    }
    assert_eq!(hash_after(&mut one, 20), hash_after(&mut other, 20));
    assert_eq!(one.remove(gone[0]), Err(CrowdError::NoWalker(gone[0])));
}

/// Weidmann's fundamental diagram: in a wide corridor in which all go the same way, the mean speed
/// is the diagram's at the density that there is.
#[test]
fn speed_falls_with_density_as_measured_of_pedestrians() {
    for density in [0.5, 1.0, 2.0, 3.0] {
        let pace = Pace::Weidmann { metres_per_unit: 1.0 };
        let config = CrowdConfig { pace, ..CrowdConfig::default() };
        let mut crowd = Crowd::new(&Array2::from_elem([6, 80], false), config).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..(density * 6.0 * 80.0) as usize {
            let place = [rng.random_range(-0.5..79.5), rng.random_range(-0.5..5.5)];
            let walker = Walker::new(DVec2::from(place), 0.15, SPEED);
            crowd.add(Walker { wish: DVec2::X, ..walker }).unwrap();
        }
        // Settled, and before either end is felt in the middle.
        (0..90).for_each(|_| crowd.step(FRAME).unwrap());
        let middle = |w: &Walker| (25.0..55.0).contains(&w.position.x);
        let speeds = crowd.walkers().filter(|(_, w)| middle(w)).map(|(_, w)| w.velocity.x);
        let (sum, count) = speeds.fold((0.0, 0.0), |(s, n), speed| (s + speed, n + 1.0));
        let (found, there) = (sum / count, count / (6.0 * 30.0));
        let expected = SPEED * pace.share(there);
        assert!((found - expected).abs() < 0.12 * SPEED, "{there}: {found}, not {expected}");
    }
}

/// A room of 20 x 20 cells whose only door leads to another one.
fn rooms(width: usize) -> Array2<bool> {
    let door = 10 - width / 2..10 - width / 2 + width;
    Array2::from_shape_fn((20, 41), |(y, x)| x == 20 && !door.contains(&y))
}

fn tracker(walls: &Array2<bool>, target: DVec2) -> Tracker<Ix2> {
    let medium = Medium::<Ix2>::builder(walls.dim().into()).walls(walls).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.set_target(target).unwrap();
    tracker
}

/// All get out of a room, through doors of every width, and soon: at no fewer than one a second for
/// a cell of the door's width.
#[test]
fn nobody_is_stuck_at_a_door() {
    for (seed, width) in [(0, 1), (1, 1), (2, 2), (3, 4)] {
        let walls = rooms(width);
        let mut tracker = tracker(&walls, DVec2::new(39.0, 10.0));
        let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
        let mut guides = Guides::new(4.0).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..100 {
            let place = [rng.random_range(0.0..18.5), rng.random_range(0.0..19.0)];
            let walker = Walker::new(DVec2::from(place), RADIUS, SPEED);
            guides.add(&mut tracker, &mut crowd, walker).unwrap();
        }
        let budget = tracker.suggested_updates();
        let mut overlaps = Vec::new();
        let mut frames = 0;
        while !crowd.is_empty() {
            frames += 1;
            let most = 30 * (20 + 100 / width);
            assert!(frames < most, "width {width}: {} are left", crowd.len());
            tracker.frame(FRAME, budget).unwrap();
            guides.lead(&mut tracker, &mut crowd).unwrap();
            crowd.step(FRAME).unwrap();
            let all: Vec<(WalkerId, DVec2)> =
                crowd.walkers().map(|(id, w)| (id, w.position)).collect();
            for (i, (id, place)) in all.iter().enumerate() {
                let nearest = all[..i].iter().map(|o| o.1.distance(*place)).fold(9.0, f64::min);
                if frames > 150 {
                    overlaps.push((2.0 * RADIUS - nearest).max(0.0));
                }
                if place.x > 24.0 {
                    guides.remove(&mut tracker, &mut crowd, *id).unwrap();
                }
            }
        }
        // They keep apart, to a twentieth of their width, but for one in a thousand.
        overlaps.sort_by(f64::total_cmp);
        let most = overlaps[overlaps.len() * 999 / 1000];
        assert!(most < 0.05 * 2.0 * RADIUS, "width {width}: {most}");
    }
}

/// Two groups that go opposite ways through a corridor form lanes and get through.
#[test]
fn those_who_go_opposite_ways_form_lanes() {
    let mut crowd = Crowd::new(&Array2::from_elem([6, 60], false), CrowdConfig::default()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for i in 0..120 {
        let (wish, from) = if i % 2 == 0 { (DVec2::X, 0.0) } else { (-DVec2::X, 35.0) };
        let place = [from + rng.random_range(0.0..24.0), rng.random_range(-0.2..5.2)];
        let walker = Walker::new(DVec2::from(place), 0.2, SPEED);
        crowd.add(Walker { wish, ..walker }).unwrap();
    }
    // The mean over walkers of (a - b)^2 / (a + b)^2, of those in its lane: 1 where each lane has
    // one direction (the order parameter of Rex and Loewen, 2007).
    let order = |crowd: &Crowd| {
        let all: Vec<_> = crowd.walkers().map(|(_, w)| (w.position, w.wish.x)).collect();
        let inside = |p: DVec2| (20.0..40.0).contains(&p.x);
        let (mut sum, mut count) = (0.0, 0.0);
        for &(place, wish) in all.iter().filter(|one| inside(one.0)) {
            let lane = all.iter().filter(|o| inside(o.0) && (o.0.y - place.y).abs() < 0.3);
            let (same, other) = lane.fold((0.0, 0.0), |(same, other), one| {
                if one.1 == wish { (same + 1.0, other) } else { (same, other + 1.0) }
            });
            let share: f64 = (same - other) / (same + other);
            sum += share * share;
            count += 1.0;
        }
        if count > 30.0 { sum / count } else { 0.0 }
    };
    let mut best: f64 = 0.0;
    for _ in 0..60 * 30 {
        crowd.step(FRAME).unwrap();
        best = best.max(order(&crowd));
    }
    assert!(best > 0.7, "{best}");
    let through = |w: &Walker| w.position.x * w.wish.x > if w.wish.x > 0.0 { 40.0 } else { -20.0 };
    let through = crowd.walkers().filter(|(_, w)| through(w)).count();
    assert!(through > 110, "{through} of 120");
}

/// The same map in other units, and elsewhere, has the same walks in those units, but for rounding.
#[test]
fn units_and_origin_do_not_matter() {
    let mut walls = Array2::from_elem([10, 20], false);
    (0..10).filter(|y| *y != 5).for_each(|y| walls[[y, 10]] = true);
    let run = |spacing: f64, origin: DVec2| -> Vec<DVec2> {
        let medium = Medium::<Ix2>::builder([10, 20]).walls(&walls);
        let medium = medium.spacing(spacing).origin(origin).build().unwrap();
        let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
        let place = |x: f64, y: f64| origin + DVec2::new(x, y) * spacing;
        tracker.set_target(place(18.0, 5.0)).unwrap();
        let config = CrowdConfig {
            spacing,
            origin,
            sight: 2.0 * spacing,
            foresight: 1.5 * spacing * spacing,
            ..CrowdConfig::default()
        };
        let mut crowd = Crowd::new(&walls, config).unwrap();
        let mut guides = Guides::new(4.0 * spacing).unwrap();
        for i in 0..8 {
            let walker = Walker::new(place(2.0, f64::from(i)), 0.3 * spacing, SPEED * spacing);
            guides.add(&mut tracker, &mut crowd, walker).unwrap();
        }
        let budget = tracker.suggested_updates();
        for _ in 0..100 {
            tracker.frame(FRAME, budget).unwrap();
            guides.lead(&mut tracker, &mut crowd).unwrap();
            crowd.step(FRAME).unwrap();
        }
        guides.led().iter().map(|(id, _)| crowd.walker(*id).unwrap().position).collect()
    };
    let expected = run(1.0, DVec2::ZERO);
    assert!(expected.iter().all(|place| place.x > 4.5), "{expected:?}");
    for (spacing, origin) in [(0.3, DVec2::new(7.7, -3.1)), (0.1, DVec2::splat(0.05))] {
        for (found, expected) in run(spacing, origin).into_iter().zip(&expected) {
            let found = (found - origin) / spacing;
            assert!(found.distance(*expected) < 1e-3, "{spacing}: {found}, not {expected}");
        }
    }
}

/// A walker that its game has taken away, frozen or walled in hinders no other, and can be let go.
#[test]
fn guides_go_on_when_one_walker_is_refused() {
    let walls = rooms(2);
    let mut tracker = tracker(&walls, DVec2::new(39.0, 10.0));
    let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
    let mut guides = Guides::new(4.0).unwrap();
    let ids = [4.0, 6.0, 8.0, 10.0].map(|x| {
        let walker = Walker::new(DVec2::new(x, 10.0), RADIUS, SPEED);
        guides.add(&mut tracker, &mut crowd, walker).unwrap()
    });
    crowd.remove(ids[0]).unwrap();
    let frozen = Walker { speed: 0.0, ..*crowd.walker(ids[1]).unwrap() };
    crowd.set(ids[1], frozen).unwrap();
    let budget = tracker.suggested_updates();
    for _ in 0..60 {
        tracker.frame(FRAME, budget).unwrap();
        let refused = guides.lead(&mut tracker, &mut crowd).unwrap_err();
        assert_eq!(refused, CrowdError::NoWalker(ids[0]).into());
        crowd.step(FRAME).unwrap();
    }
    assert_eq!(crowd.walker(ids[1]).unwrap().position, frozen.position);
    assert!(crowd.walker(ids[2]).unwrap().position.x > 9.0);
    // Its guide can be taken away, once.
    assert!(guides.remove(&mut tracker, &mut crowd, ids[0]).is_err());
    assert!(!guides.release(&mut tracker, ids[0]));
    assert_eq!((guides.led().len(), tracker.pursuers().len()), (3, 3));
    guides.lead(&mut tracker, &mut crowd).unwrap();
    // One without a guide keeps its wish, and may be led again.
    assert!(guides.release(&mut tracker, ids[2]));
    assert!(crowd.walker(ids[2]).unwrap().wish.length() > 0.9);
    guides.follow(&mut tracker, &crowd, ids[2]).unwrap();
    guides.follow(&mut tracker, &crowd, ids[2]).unwrap();
    assert_eq!((guides.led().len(), tracker.pursuers().len()), (3, 3));
    // A walker that is refused in the tracker's wall leaves nothing behind.
    let before = (crowd.len(), tracker.pursuers().len());
    tracker.set_wall([0, 0], true).unwrap();
    let walker = Walker::new(DVec2::ZERO, RADIUS, SPEED);
    assert!(guides.add(&mut tracker, &mut crowd, walker).is_err());
    assert_eq!((crowd.len(), tracker.pursuers().len()), before);
}

/// A door closes in front of a walker though its guide is in it or behind it already; those in it
/// keep it open. A walker that is shut in stands still and says why.
#[test]
fn a_door_closes_before_walkers_and_not_upon_them() {
    let walls = rooms(2);
    let door = [([9, 20], true), ([10, 20], true)];
    let mut tracker = tracker(&walls, DVec2::new(39.0, 10.0));
    let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
    let mut guides = Guides::new(4.0).unwrap();
    let walker = Walker::new(DVec2::new(16.0, 9.5), RADIUS, SPEED);
    let id = guides.add(&mut tracker, &mut crowd, walker).unwrap();
    let budget = tracker.suggested_updates();
    let frame = |tracker: &mut Tracker<Ix2>, crowd: &mut Crowd| {
        tracker.frame(FRAME, budget).unwrap();
        guides.lead(tracker, crowd).unwrap();
        crowd.step(FRAME).unwrap();
        *crowd.walker(id).unwrap()
    };
    while frame(&mut tracker, &mut crowd).position.x < 17.7 {}
    guides.set_walls(&mut tracker, &mut crowd, &door).unwrap();
    for _ in 0..300 {
        frame(&mut tracker, &mut crowd);
    }
    let shut_in = frame(&mut tracker, &mut crowd);
    assert!(shut_in.position.x < 19.5 && shut_in.velocity.length() < 1e-3, "{shut_in:?}");
    let state = guides.led()[0].1.state(&tracker).unwrap();
    assert_eq!(state, PursuerState::TargetUnreachable);
    guides.set_walls(&mut tracker, &mut crowd, &door.map(|(cell, _)| (cell, false))).unwrap();
    while frame(&mut tracker, &mut crowd).position.x < 19.8 {}
    let before = (crowd.walls().clone(), tracker.medium().revision());
    let refused = guides.set_walls(&mut tracker, &mut crowd, &door).unwrap_err();
    assert!(refused.to_string().contains("walker 0 stands there"), "{refused}");
    assert_eq!((crowd.walls().clone(), tracker.medium().revision()), before);
}

/// Where a target stands or the tracker has no such cell, no wall is built, and no guide in another
/// one of the cells goes back.
#[test]
fn a_refused_door_leaves_guides_where_they_are() {
    let walls = rooms(2);
    let mut tracker = tracker(&walls, DVec2::new(39.0, 10.0));
    let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
    let mut guides = Guides::new(4.0).unwrap();
    let walker = Walker::new(DVec2::new(18.0, 9.5), RADIUS, SPEED);
    guides.add(&mut tracker, &mut crowd, walker).unwrap();
    let budget = tracker.suggested_updates();
    let guide = guides.led()[0].1;
    while guide.position(&tracker).unwrap().x < 19.6 {
        tracker.frame(FRAME, budget).unwrap();
        guides.lead(&mut tracker, &mut crowd).unwrap();
        crowd.step(FRAME).unwrap();
    }
    let door = [([9, 20], true), ([10, 20], true), ([10, 39], true)];
    let before = tracker.state_hash();
    let refused = guides.set_walls(&mut tracker, &mut crowd, &door).unwrap_err();
    assert!(refused.to_string().contains("a target stands there"), "{refused}");
    assert_eq!(tracker.state_hash(), before);
    assert_eq!(crowd.walls(), &walls);
    guides.set_walls(&mut tracker, &mut crowd, &door[..2]).unwrap();
    assert_eq!(guide.position(&tracker).unwrap(), crowd.walkers().next().unwrap().1.position);
}

/// Density, guides and several substeps, on any number of threads and any machine.
#[test]
fn a_led_crowd_has_the_same_bits() {
    let hashes = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let walls = rooms(4);
        let mut tracker = tracker(&walls, DVec2::new(39.0, 10.0));
        let pace = Pace::Weidmann { metres_per_unit: 1.0 };
        let config = CrowdConfig { pace, ..CrowdConfig::default() };
        let mut crowd = Crowd::new(&walls, config).unwrap();
        let mut guides = Guides::new(4.0).unwrap();
        for i in 0..600 {
            let place = DVec2::new(0.6 * f64::from(i % 30), 0.9 * f64::from(i / 30));
            let walker = Walker::new(place, 0.2, SPEED);
            guides.add(&mut tracker, &mut crowd, walker).unwrap();
        }
        let budget = tracker.suggested_updates();
        pool.install(|| {
            for _ in 0..20 {
                tracker.frame(0.2, budget).unwrap();
                guides.lead(&mut tracker, &mut crowd).unwrap();
                crowd.step(0.2).unwrap();
            }
        });
        crowd.state_hash()
    });
    assert_eq!(hashes, [LED; 2], "{:x}", hashes[0]);
}

/// The hash of the test above, on every machine.
const LED: u64 = 0x5c0c_a343_4842_5b02;

#[test]
fn a_refused_call_changes_nothing_and_names_value_and_limit() {
    let mut walls = Array2::from_elem([4, 6], false);
    walls[[1, 2]] = true;
    let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
    let id = crowd.add(Walker::new(DVec2::new(1.0, 1.0), 0.3, 1.0)).unwrap();
    let before = crowd.state_hash();
    let at = |x: f64, y: f64| Walker::new(DVec2::new(x, y), 0.3, 1.0);
    let good = at(3.0, 3.0);
    let nan = f64::NAN;
    let refused = [
        (crowd.add(at(2.2, 1.1)).unwrap_err(), "[2.2, 1.1] is in a wall"),
        (crowd.add(at(5.6, 1.0)).unwrap_err(), "from [-0.5, -0.5] to [5.5, 3.5]"),
        (crowd.add(at(nan, 1.0)).unwrap_err(), "outside"),
        (crowd.add(Walker { radius: 0.6, ..good }).unwrap_err(), "radius = 0.6"),
        (crowd.add(Walker { radius: 0.0, ..good }).unwrap_err(), "a hundredth of a cell"),
        (crowd.set(id, at(2.2, 1.1)).unwrap_err(), "is in a wall"),
        (crowd.add(Walker { speed: -1.0, ..good }).unwrap_err(), "speed = -1"),
        (crowd.add(Walker { wish: DVec2::ONE, ..good }).unwrap_err(), "wish = 1.41"),
        (crowd.set_wish(id, DVec2::NAN).unwrap_err(), "wish = NaN"),
        (crowd.set_walls(&[([0, 0], true), ([1, 1], true)]).unwrap_err(), "walker 0 stands"),
        (crowd.set_walls(&[([0, 0], true), ([4, 1], true)]).unwrap_err(), "[4, 6] cells"),
        (crowd.step(nan).unwrap_err(), "time = NaN"),
        (crowd.step(-1.0).unwrap_err(), "time = -1"),
        (crowd.step(1e-300).unwrap_err(), "0, or at least 1e-9"),
        (crowd.step(1e9).unwrap_err(), "128 of the smallest radius"),
        (Guides::new(0.0).unwrap_err(), "leash = 0"),
    ];
    for (error, part) in refused {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(crowd.state_hash(), before);
    assert_eq!(crowd.walls(), &walls);
    for (field, config) in [
        ("spacing", CrowdConfig { spacing: 0.0, ..CrowdConfig::default() }),
        ("sight", CrowdConfig { sight: 99.0, ..CrowdConfig::default() }),
        ("braking", CrowdConfig { braking: 2.0, ..CrowdConfig::default() }),
        ("foresight", CrowdConfig { foresight: -1.0, ..CrowdConfig::default() }),
    ] {
        assert!(Crowd::new(&walls, config).unwrap_err().to_string().starts_with(field));
    }
}

/// A tracker may have another map, and other limits.
#[test]
fn what_a_tracker_refuses_its_guides_is_told() {
    let mut crowd = Crowd::new(&Array2::from_elem([4, 9], false), CrowdConfig::default()).unwrap();
    // Waves that take long for a cell: a step of 1000 cells is slow.
    let medium = Medium::<Ix2>::builder([4, 6]).speed(0.05).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    let mut guides = Guides::new(4.0).unwrap();
    let walker = Walker::new(DVec2::new(2.0, 2.0), RADIUS, 60.0);
    let id = guides.add(&mut tracker, &mut crowd, walker).unwrap();
    let refused = guides.lead(&mut tracker, &mut crowd);
    let is_speed = |e| matches!(e, GuideError::Track(TrackError::Value { what: "speed", .. }));
    assert!(refused.is_err_and(is_speed));
    crowd.set(id, Walker { position: DVec2::new(8.0, 2.0), ..walker }).unwrap();
    let off = |e: &GuideError| matches!(e, GuideError::Track(TrackError::OffGrid { .. }));
    assert!(guides.lead(&mut tracker, &mut crowd).is_err_and(|e| off(&e)));
    let refused = guides.set_walls(&mut tracker, &mut crowd, &[([2, 2], true)]);
    assert!(refused.is_err_and(|e| off(&e)));
    assert!(!crowd.walls()[[2, 2]] && !tracker.medium().is_wall([2, 2]));
}

/// Of two entries for a cell the last one counts, and what is a wall already takes no room.
#[test]
fn walls_are_refused_where_a_free_cell_with_a_walker_would_become_one() {
    let walls = Array2::from_shape_fn([3, 3], |cell| cell == (1, 2));
    let mut crowd = Crowd::new(&walls, CrowdConfig::default()).unwrap();
    crowd.add(Walker::new(DVec2::new(1.495, 1.0), RADIUS, 1.0)).unwrap();
    let before = crowd.walls().clone();
    crowd.set_walls(&[([1, 2], true), ([1, 1], true), ([1, 1], false)]).unwrap();
    assert_eq!(crowd.walls(), before);
    let occupied = crowd.set_walls(&[([0, 0], true), ([1, 1], true)]);
    assert!(matches!(occupied, Err(CrowdError::Occupied { cell: [1, 1], .. })));
    let outside = crowd.set_walls(&[([0, 0], true), ([3, 0], false)]);
    assert!(matches!(outside, Err(CrowdError::NoCell { cell: [3, 0], .. })));
    assert_eq!(crowd.walls(), before);
}
