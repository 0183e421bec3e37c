//! On maps of games, a walker that plans its flight lives longer than one that runs to the
//! neighbour furthest from its pursuers.

use glam::DVec2;
use ndarray::{Array2, Axis, Ix2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_harness::maps::{Class, read_map};
use std::path::PathBuf;
use wave_core::{ArrivalField, Medium};
use wave_track::{Escape, EscapeConfig, Flight, Tracker, TrackerConfig};

const MAPS: [&str; 8] = [
    "bg512/AR0044SR",
    "dao/lak202d",
    "da2/ht_chantry",
    "wc3maps512/heart2heart",
    "cities/Berlin_0_256",
    "rooms/32room_000",
    "mazes/maze512-8-0",
    "random/random512-10-0",
];
/// `[units: cells per frame]` The speed of the walker that flees.
const SPEED: f64 = 0.5;
/// Frames from a look around to the next.
const EVERY: usize = 8;
/// Frames after which a chase ends.
const FRAMES: usize = 800;
/// `[units: cells]` A pursuer this near has caught it.
const REACH: f64 = 1.0;

/// How a walker flees: where it is after the next frame.
type Mind<'a> = dyn FnMut(&Tracker<Ix2>, usize, DVec2) -> DVec2 + 'a;

/// Frames until it is caught.
fn chase(
    medium: &Medium<Ix2>,
    pursuers: &[DVec2],
    speed: f64,
    from: DVec2,
    mind: &mut Mind<'_>,
) -> usize {
    let mut tracker = Tracker::new(medium.clone(), TrackerConfig::default()).unwrap();
    for &pursuer in pursuers {
        tracker.add_pursuer(pursuer, speed).unwrap();
    }
    let (mut at, updates) = (from, tracker.suggested_updates());
    for frame in 0..FRAMES {
        if tracker.pursuers().iter().any(|p| p.position().distance(at) <= REACH) {
            return frame;
        }
        let to = mind(&tracker, frame, at);
        assert!(to.distance(at) <= SPEED * (1.0 + 1e-6), "{at} to {to}");
        at = to;
        tracker.set_target(at).unwrap();
        tracker.frame(1.0, updates).unwrap();
    }
    FRAMES
}

/// Goes to the neighbour that pursuers come to last, cell by cell.
fn uphill(field: &ArrivalField<Ix2>, tracker: &Tracker<Ix2>, at: DVec2, goal: &mut DVec2) -> DVec2 {
    if at.distance(*goal) < 1e-9 {
        let times = field.times();
        let here = at.round();
        let (mut best, mut latest) = (here, times[[here.y as usize, here.x as usize]]);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            let to = here + DVec2::new(f64::from(dx), f64::from(dy));
            let cell = tracker.medium().cell_at(to).filter(|&cell| !tracker.medium().is_wall(cell));
            let Some(cell) = cell else { continue };
            let straight = tracker.slide(here, to - here).unwrap().distance(to) < 1e-6;
            if straight && times[cell].is_finite() && times[cell] > latest {
                (best, latest) = (to, times[cell]);
            }
        }
        *goal = best;
    }
    at + (*goal - at).clamp_length_max(SPEED)
}

/// Frames that all planners live, and frames that all walkers live that run uphill; `None` without
/// data.
fn compare(paces: &[f64], count: usize) -> Option<[usize; 2]> {
    let Some(data) = std::env::var_os("DATA_DIR").map(PathBuf::from) else {
        println!("skipped: DATA_DIR is not set");
        return None;
    };
    let (mut all, mut all_naive) = (0, 0);
    for map in MAPS {
        let file = read_map(&data.join(format!("movingai/{map}.map"))).unwrap();
        let walls: Array2<bool> = file.walls(Class::Ground).index_axis_move(Axis(0), 0);
        let (height, width) = walls.dim();
        let medium = Medium::<Ix2>::builder([height, width]).walls(&walls).build().unwrap();
        let open: Vec<DVec2> = walls
            .indexed_iter()
            .filter(|(_, wall)| !**wall)
            .map(|((y, x), _)| DVec2::new(x as f64, y as f64))
            .collect();
        for &pace in paces {
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let (mut planned, mut naive, mut chases) = (0, 0, 0);
            while chases < count {
                let from = open[rng.random_range(0..open.len())];
                let start = [from.y as usize, from.x as usize];
                let field = ArrivalField::from_sources(&medium, &[start]).unwrap();
                let away = |p: &DVec2| {
                    f64::from(field.times()[[p.y as usize, p.x as usize]]) * medium.dt()
                };
                let near: Vec<DVec2> =
                    open.iter().filter(|p| (10.0..60.0).contains(&away(p))).copied().collect();
                if near.len() < 200 {
                    continue;
                }
                chases += 1;
                let pursuers: Vec<DVec2> =
                    (0..2).map(|_| near[rng.random_range(0..near.len())]).collect();
                let speed = SPEED * pace;
                let config = EscapeConfig { reach: REACH, ..EscapeConfig::default() };
                let mut escape = Escape::new(&medium, config).unwrap();
                let mut flight = Flight::new();
                planned += chase(&medium, &pursuers, speed, from, &mut |tracker, frame, at| {
                    if frame.is_multiple_of(EVERY) {
                        escape.clear_threats();
                        escape.add_pursuers(tracker).unwrap();
                        escape.flee(tracker.medium(), at, SPEED, &mut flight).unwrap();
                    }
                    flight.after((frame % EVERY + 1) as f64)
                });
                let mut field = ArrivalField::new(&medium);
                let mut goal = from;
                naive += chase(&medium, &pursuers, speed, from, &mut |tracker, frame, at| {
                    if frame.is_multiple_of(EVERY) {
                        let cells =
                            tracker.pursuers().iter().filter_map(|p| medium.cell_at(p.position()));
                        field.solve(&medium, &cells.collect::<Vec<_>>()).unwrap();
                    }
                    uphill(&field, tracker, at, &mut goal)
                });
            }
            println!(
                "{map} pursuers at {pace}: {} frames, uphill {}",
                planned / count,
                naive / count
            );
            (all, all_naive) = (all + planned, all_naive + naive);
        }
    }
    println!("all: {all} frames, uphill {all_naive}");
    Some([all, all_naive])
}

#[test]
fn on_maps_of_games_who_plans_its_flight_lives_longer() {
    let Some([planned, uphill]) = compare(&[1.0], 2) else { return };
    assert!(2 * planned > 3 * uphill, "{planned} frames, uphill {uphill}");
}

/// The table of wave-track's README.
#[test]
#[ignore = "takes minutes"]
fn at_all_speeds() {
    compare(&[0.9, 1.0, 1.1], 4);
}
