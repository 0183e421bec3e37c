//! A pursuer that can arrive does so, one that cannot is told so, and all platforms give the same
//! bits.

mod drawn;

use drawn::{Lcg, free_centres, maze, medium, random_walls, steps_from};
use glam::{DVec2, DVec3};
use ndarray::{Array2, Array3, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, RecordedWave, WallRule};
use wave_track::{Fronts, Method, Pursuer, PursuerState, TrackError, Tracker, TrackerConfig};

fn tracker(walls: &Array2<bool>) -> Tracker<Ix2> {
    tracker_on(walls, Fronts::default())
}

fn tracker_on(walls: &Array2<bool>, fronts: Fronts) -> Tracker<Ix2> {
    Tracker::new(medium(walls), TrackerConfig { fronts, ..TrackerConfig::default() }).unwrap()
}

/// Steps until all pursuers have arrived or were told that there is no way.
fn settle(tracker: &mut Tracker<Ix2>, limit: usize) {
    for _ in 0..limit {
        tracker.step().unwrap();
        let done = |s| matches!(s, PursuerState::Arrived | PursuerState::TargetUnreachable);
        if tracker.pursuers().iter().all(|p| done(p.state())) {
            return;
        }
    }
    let states: Vec<_> = tracker.pursuers().iter().map(|p| (p.position(), p.state())).collect();
    panic!("not settled after {limit} steps: {states:?}");
}

/// Every pursuer that has a way arrives and walks at most a quarter longer than by four directions;
/// all others are told that there is none.
fn everyone_settles(walls: &Array2<bool>, target: DVec2, starts: &[DVec2], limit: usize) {
    for fronts in [Fronts::Waves, Fronts::ShortWaves] {
        everyone_settles_on(tracker_on(walls, fronts), walls, target, starts, limit);
    }
}

fn everyone_settles_on(
    mut tracker: Tracker<Ix2>,
    walls: &Array2<bool>,
    target: DVec2,
    starts: &[DVec2],
    limit: usize,
) {
    tracker.set_target(target).unwrap();
    for &start in starts {
        tracker.add_pursuer(start, 0.6).unwrap();
    }
    settle(&mut tracker, limit);
    let steps = steps_from(walls, target);
    for (pursuer, start) in tracker.pursuers().iter().zip(starts) {
        match steps[[start.y as usize, start.x as usize]] {
            Some(steps) => {
                assert_eq!(pursuer.state(), PursuerState::Arrived, "from {start} to {target}");
                // Within a dozen cells of the source the pulse is as long as the ways are
                // different.
                let (walked, bound) = (pursuer.walked(), 1.25 * steps as f64 + 1.0);
                assert!(walked <= bound, "{walked} > {bound} from {start} to {target}");
                assert!(pursuer.walked() >= start.distance(target) - 0.01);
            }
            None => assert_eq!(pursuer.state(), PursuerState::TargetUnreachable),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn who_has_a_way_arrives_and_who_has_none_is_told(
        seed in any::<u64>(),
        share in 0.0..0.55f64,
        height in 1..30usize,
        width in 1..30usize,
    ) {
        let walls = random_walls([height, width], share, seed);
        let centres = free_centres(&walls);
        let target = centres[Lcg(seed ^ 1).below(centres.len())];
        everyone_settles(&walls, target, &centres, 4000);
    }
}

#[test]
fn mazes_of_every_corridor_width_are_walked() {
    for corridor in [1, 2, 3, 4, 8, 16] {
        let n = (64 / (corridor + 1)).max(4);
        let walls = maze([n, n], corridor, corridor as u64);
        let centres = free_centres(&walls);
        let starts: Vec<DVec2> = centres.iter().copied().step_by(1 + centres.len() / 60).collect();
        everyone_settles(&walls, centres[centres.len() - 1], &starts, 40_000);
    }
}

#[test]
fn a_far_target_is_found_through_a_corridor_of_any_width() {
    for width in [1, 2, 5] {
        let walls = Array2::from_elem([width, 4000], false);
        let target = DVec2::new(3999.0, (width - 1) as f64);
        everyone_settles(&walls, target, &[DVec2::ZERO], 40_000);
    }
}

#[test]
fn a_target_that_walks_is_caught_by_faster_pursuers() {
    let walls = random_walls([40, 60], 0.15, 3);
    let steps = steps_from(&walls, DVec2::ZERO);
    let joined: Vec<DVec2> = free_centres(&walls)
        .into_iter()
        .filter(|c| steps[[c.y as usize, c.x as usize]].is_some())
        .collect();
    for seed in 0..6 {
        let mut random = Lcg(seed);
        let mut tracker = tracker(&walls);
        tracker.set_target(joined[random.below(joined.len())]).unwrap();
        for _ in 0..5 {
            tracker.add_pursuer(joined[random.below(joined.len())], 0.6).unwrap();
        }
        let mut heading = DVec2::X;
        let mut caught = false;
        for step in 0..6000 {
            if step % 30 == 0 {
                let turns = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y, DVec2::ONE * 0.7];
                heading = turns[random.below(turns.len())];
            }
            let at = tracker.target().unwrap();
            let to = tracker.slide(at, heading * 0.2).unwrap();
            tracker.set_target(to).unwrap();
            tracker.step().unwrap();
            caught |= tracker.pursuers().iter().any(|p| p.state() == PursuerState::Arrived);
            if caught {
                break;
            }
        }
        assert!(caught, "seed {seed}");
    }
}

#[test]
fn a_closed_door_turns_the_chase_and_an_opened_one_starts_it() {
    // Two rooms, two doors in the wall between them.
    let mut walls = Array2::from_elem([21, 31], false);
    for y in 0..21 {
        walls[[y, 15]] = y != 3 && y != 17;
    }
    let mut tracker = tracker(&walls);
    tracker.set_target(DVec2::new(25.0, 4.0)).unwrap();
    let id = tracker.add_pursuer(DVec2::new(5.0, 4.0), 0.4).unwrap();
    while tracker.pursuer(id).unwrap().position().x < 11.0 {
        tracker.step().unwrap();
    }
    tracker.set_wall([3, 15], true).unwrap();
    settle(&mut tracker, 2000);
    let walked = tracker.pursuer(id).unwrap().walked();
    assert_eq!(tracker.pursuer(id).unwrap().state(), PursuerState::Arrived);
    assert!(walked > 30.0, "through the other door: {walked}");

    tracker.set_wall([17, 15], true).unwrap();
    let late = tracker.add_pursuer(DVec2::new(5.0, 15.0), 0.4).unwrap();
    settle(&mut tracker, 2000);
    assert_eq!(tracker.pursuer(late).unwrap().state(), PursuerState::TargetUnreachable);
    tracker.set_wall([17, 15], false).unwrap();
    settle(&mut tracker, 2000);
    assert_eq!(tracker.pursuer(late).unwrap().state(), PursuerState::Arrived);
}

#[test]
fn a_chase_in_three_dimensions_takes_the_stair() {
    // Two storeys, one hole in the floor between them.
    let walls = Array3::from_shape_fn([7, 12, 12], |(z, y, x)| z == 3 && !(y > 8 && x > 8));
    let medium = Medium::<Ix3>::builder([7, 12, 12]).walls(&walls).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.set_target(DVec3::new(1.0, 1.0, 5.0)).unwrap();
    let id = tracker.add_pursuer(DVec3::new(1.0, 1.0, 1.0), 0.4).unwrap();
    for _ in 0..600 {
        tracker.step().unwrap();
    }
    let pursuer = tracker.pursuer(id).unwrap();
    assert_eq!(pursuer.state(), PursuerState::Arrived);
    // Round the edge of the hole at (8.5, 8.5, 2.5..3.5) and back.
    let shortest = 2.0 * (7.5f64.powi(2) * 2.0 + 1.5f64.powi(2)).sqrt() + 1.0;
    let walked = pursuer.walked();
    assert!((shortest - 0.1..shortest * 1.06).contains(&walked), "{walked} against {shortest}");
}

#[test]
fn nothing_is_emitted_while_nothing_changes_and_nothing_runs_that_nobody_waits_for() {
    let mut tracker = tracker(&Array2::from_elem([40, 40], false));
    tracker.set_target(DVec2::new(20.0, 20.0)).unwrap();
    tracker.add_pursuer(DVec2::new(28.0, 20.0), 0.1).unwrap();
    for _ in 0..40 {
        tracker.step().unwrap();
    }
    let cost = tracker.updates();
    for _ in 0..400 {
        tracker.step().unwrap();
    }
    assert_eq!(tracker.updates(), cost);
    // A new pursuer far away wakes the same wave where it stopped.
    let far = tracker.add_pursuer(DVec2::new(1.0, 1.0), 0.4).unwrap();
    for _ in 0..300 {
        tracker.step().unwrap();
    }
    assert_eq!(tracker.pursuer(far).unwrap().state(), PursuerState::Arrived);
    assert!(tracker.updates() > cost);
}

#[test]
fn a_reset_tracker_is_as_good_as_new() {
    let walls = random_walls([25, 25], 0.2, 9);
    let run = |tracker: &mut Tracker<Ix2>, from: usize| {
        let centres = free_centres(&walls);
        tracker.set_target(centres[0]).unwrap();
        for at in centres.iter().skip(from).step_by(40) {
            tracker.add_pursuer(*at, 0.5).unwrap();
        }
        for _ in 0..150 {
            tracker.step().unwrap();
        }
        tracker.state_hash()
    };
    let fresh = run(&mut tracker(&walls), 7);
    let mut used = tracker(&walls);
    run(&mut used, 11);
    used.reset();
    assert_eq!(run(&mut used, 7), fresh);
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    for config in [
        TrackerConfig::default(),
        TrackerConfig::watanabe(),
        TrackerConfig::kumagai(),
        TrackerConfig { method: Method::PerEmission, ..Default::default() },
        TrackerConfig { fronts: Fronts::Waves, ..Default::default() },
    ] {
        let walls = random_walls([60, 70], 0.15, 5);
        let centres = free_centres(&walls);
        let mut hashes = [1, 2, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut tracker = Tracker::new(medium(&walls), config).unwrap();
                tracker.set_target(centres[centres.len() / 2]).unwrap();
                for at in centres.iter().step_by(7) {
                    tracker.add_pursuer(*at, 0.3).unwrap();
                }
                for step in 0..200 {
                    let at = tracker.target().unwrap();
                    let to = tracker.slide(at, DVec2::new(0.1, 0.07 * f64::from(step % 3 - 1)));
                    tracker.set_target(to.unwrap()).unwrap();
                    tracker.step().unwrap();
                }
                tracker.state_hash()
            })
        });
        hashes.sort_unstable();
        assert_eq!(hashes[0], hashes[2]);
    }
}

#[test]
fn as_published_a_pursuer_turns_only_when_a_wave_comes() {
    let medium = Medium::<Ix2>::builder([41, 41]).wall_rule(WallRule::Fixed).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::watanabe()).unwrap();
    let target = DVec2::new(30.0, 26.0);
    tracker.set_target(target).unwrap();
    let start = DVec2::new(10.0, 12.0);
    let id = tracker.add_pursuer(start, 0.05).unwrap();
    let mut headings: Vec<DVec2> = Vec::new();
    let mut before = start;
    for _ in 0..300 {
        tracker.step().unwrap();
        let at = tracker.pursuer(id).unwrap().position();
        if at != before {
            let heading = (at - before).normalize();
            if headings.last().is_none_or(|last| last.distance(heading) > 1e-6) {
                headings.push(heading);
            }
        }
        before = at;
    }
    // Three waves of lifetime 300, a hundred steps apart: at most three turns in 300 steps.
    assert!((1..=3).contains(&headings.len()), "{headings:?}");
    let home = (target - start).normalize();
    assert!(headings[0].dot(home) > 0.95, "{} instead of {home}", headings[0]);
}

#[test]
fn states_say_why_a_pursuer_does_not_move() {
    let mut walls = Array2::from_elem([9, 30], false);
    for y in 0..9 {
        walls[[y, 20]] = true;
    }
    let mut tracker = tracker(&walls);
    let near = tracker.add_pursuer(DVec2::new(5.0, 4.0), 0.2).unwrap();
    let cut_off = tracker.add_pursuer(DVec2::new(25.0, 4.0), 0.2).unwrap();
    let state = |t: &Tracker<Ix2>, id| t.pursuer(id).unwrap().state();
    tracker.step().unwrap();
    assert_eq!(state(&tracker, near), PursuerState::NoTarget);
    tracker.set_target(DVec2::new(15.0, 4.0)).unwrap();
    tracker.step().unwrap();
    assert_eq!(state(&tracker, near), PursuerState::Waiting);
    let mut seen = Vec::new();
    for _ in 0..400 {
        tracker.step().unwrap();
        if seen.last() != Some(&state(&tracker, near)) {
            seen.push(state(&tracker, near));
        }
    }
    let expected = ["Waiting", "Chasing", "Closing", "Arrived"];
    assert_eq!(seen.iter().map(|s| format!("{s:?}")).collect::<Vec<_>>(), expected);
    assert_eq!(state(&tracker, cut_off), PursuerState::TargetUnreachable);
    tracker.clear_target();
    tracker.step().unwrap();
    assert_eq!(state(&tracker, near), PursuerState::NoTarget);
}

/// Two rooms joined by a door of one cell; the target keeps moving on the right.
struct TwoRooms {
    tracker: Tracker<Ix2>,
    step: usize,
}

impl TwoRooms {
    const DOOR: [usize; 2] = [10, 30];

    fn new() -> Self {
        let mut walls = Array2::from_elem([21, 61], false);
        for y in 0..21 {
            walls[[y, 30]] = true;
        }
        walls[Self::DOOR] = false;
        Self { tracker: tracker(&walls), step: 0 }
    }

    /// The target circles in the right room, faster than its pursuer.
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            let corners = [(50.0, 4.0), (50.0, 16.0), (36.0, 16.0), (36.0, 4.0)];
            let (x, y) = corners[self.step / 40 % 4];
            let at = self.tracker.target().unwrap_or(DVec2::new(36.0, 4.0));
            let way = DVec2::new(x, y) - at;
            let to = self.tracker.slide(at, way.clamp_length_max(0.4)).unwrap();
            self.tracker.set_target(to).unwrap();
            self.tracker.step().unwrap();
            self.step += 1;
        }
    }
}

#[test]
fn who_is_stranded_holds_up_nobody_and_comes_when_the_door_opens() {
    let mut world = TwoRooms::new();
    world.tracker.set_target(DVec2::new(36.0, 4.0)).unwrap();
    let stranded = world.tracker.add_pursuer(DVec2::new(3.0, 10.0), 0.1).unwrap();
    let chasing = world.tracker.add_pursuer(DVec2::new(45.0, 10.0), 0.3).unwrap();
    world.run(120);
    world.tracker.set_wall(TwoRooms::DOOR, true).unwrap();
    world.run(400);
    let state = |world: &TwoRooms, id| world.tracker.pursuer(id).unwrap().state();
    assert_eq!(state(&world, stranded), PursuerState::TargetUnreachable);
    // The other one still hears news at every turn, for no more than the right room costs.
    let cost = world.tracker.updates();
    world.run(400);
    assert!(matches!(state(&world, chasing), PursuerState::Chasing | PursuerState::Closing));
    let spent = world.tracker.updates() - cost;
    assert!(spent > 0 && spent < 400 * 30 * 21 * 4, "{spent}");

    world.tracker.set_wall(TwoRooms::DOOR, false).unwrap();
    settle(&mut world.tracker, 4000);
    for id in [stranded, chasing] {
        assert_eq!(state(&world, id), PursuerState::Arrived);
    }
}

#[test]
fn who_was_walled_in_from_the_start_costs_one_front() {
    let sealed = |with: bool| {
        let mut walls = Array2::from_elem([60, 60], false);
        for i in 0..5 {
            walls[[i, 4]] = true;
            walls[[4, i]] = true;
        }
        let mut tracker = tracker(&walls);
        tracker.set_target(DVec2::new(40.0, 30.0)).unwrap();
        tracker.add_pursuer(DVec2::new(30.0, 30.0), 0.3).unwrap();
        if with {
            tracker.add_pursuer(DVec2::new(1.0, 1.0), 0.3).unwrap();
        }
        for step in 0..1500 {
            let turn = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y][step / 30 % 4];
            let at = tracker.target().unwrap();
            tracker.set_target(tracker.slide(at, turn * 0.3).unwrap()).unwrap();
            tracker.step().unwrap();
        }
        tracker.updates() as f64
    };
    // Measured: some 60 updates a cell.
    let one_front = 60.0 * 60.0 * 90.0;
    assert!(sealed(true) < sealed(false) + 2.0 * one_front);
}

#[test]
fn the_way_that_is_counted_is_the_way_that_is_walked() {
    let walls = maze([12, 12], 2, 4);
    let centres = free_centres(&walls);
    let walked = |speed: f64| {
        let mut tracker = tracker(&walls);
        tracker.set_target(centres[0]).unwrap();
        let id = tracker.add_pursuer(centres[centres.len() - 1], speed).unwrap();
        settle(&mut tracker, 100_000);
        tracker.pursuer(id).unwrap().walked()
    };
    let slow = walked(0.02);
    for speed in [0.7, 5.0, 900.0] {
        assert!((walked(speed) / slow - 1.0).abs() < 0.01, "{} at {speed}, {slow}", walked(speed));
    }
}

/// The same on every machine, in every build, with and without the `rayon` feature.
#[test]
fn a_chase_ends_in_the_same_bits_for_ever() {
    let walls = random_walls([40, 50], 0.2, 11);
    let centres = free_centres(&walls);
    let hash = |config: TrackerConfig| {
        let mut tracker = Tracker::<Ix2>::new(medium(&walls), config).unwrap();
        tracker.set_target(centres[700]).unwrap();
        for at in centres.iter().step_by(90) {
            tracker.add_pursuer(*at, 0.4).unwrap();
        }
        for _ in 0..120 {
            tracker.step().unwrap();
        }
        tracker.state_hash()
    };
    assert_eq!(
        [
            hash(TrackerConfig::default()),
            hash(TrackerConfig { fronts: Fronts::Waves, ..TrackerConfig::default() }),
            hash(TrackerConfig::watanabe()),
        ]
        .map(|h| format!("{h:x}")),
        ["ded4e606842b2244", "3e17ffd38b65b3fc", "1920e3eeb8e160c6"],
    );
}

/// A frame costs its budget at the most, or one step of one wave, whatever happens.
#[test]
fn a_frame_costs_what_it_is_given() {
    let walls = random_walls([90, 120], 0.15, 5);
    let centres = free_centres(&walls);
    let cells = 90 * 120;
    let map = medium(&walls);
    let mut wave = RecordedWave::new(&map).unwrap();
    wave.emit(&map, &[[0, 0]], RecordedWave::pulse(&map)).unwrap();
    let whole_wave = wave.run(&map).unwrap();
    let run = |fronts: Fronts, budget: u64, threads: usize| {
        // All pursuers hear within the cost of ten waves, and the ways are shorter than 400 cells.
        // A frame pays for one step of a dense wave at the least, and for a quarter of its budget.
        let frames = match fronts {
            Fronts::ShortWaves => 900.max(8_000_000 / budget as usize),
            Fronts::Waves => {
                let a_frame = (budget / 4 / cells).max(1) * cells;
                400 + (10 * whole_wave).div_ceil(a_frame) as usize + 400 * 10 / 4
            }
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tracker = tracker_on(&walls, fronts);
            tracker.set_target(centres[0]).unwrap();
            for at in centres.iter().skip(40).step_by(97) {
                tracker.add_pursuer(*at, 0.4).unwrap();
            }
            let mut most = 0;
            for frame in 0..frames {
                if frame % 50 == 49 && frame < 400 {
                    tracker.set_target(centres[frame * 7 % centres.len()]).unwrap();
                }
                if frame % 20 == 7 && frame < 400 {
                    // Refused where a body stands.
                    let _ = tracker.set_wall([frame % 90, frame % 120], frame % 40 == 7);
                }
                most = most.max(tracker.frame(1.0, budget).unwrap());
            }
            let arrived = |p: &Pursuer<Ix2>| {
                matches!(p.state(), PursuerState::Arrived | PursuerState::TargetUnreachable)
            };
            assert!(tracker.pursuers().iter().all(arrived), "budget {budget}");
            (most, tracker.state_hash())
        })
    };
    for fronts in [Fronts::Waves, Fronts::ShortWaves] {
        for budget in [2000, 20_000, 200_000] {
            let (most, hash) = run(fronts, budget, 1);
            let least = budget.min(20_000) / 2;
            assert!(most >= least && most <= budget.max(cells), "{most} of {budget}");
            assert_eq!(run(fronts, budget, 3), (most, hash));
        }
    }
}

#[test]
fn a_frame_of_no_time_or_too_much_is_refused() {
    let walls = Array2::from_elem([10, 10], false);
    let mut tracker = tracker(&walls);
    tracker.set_target(DVec2::new(8.0, 8.0)).unwrap();
    let id = tracker.add_pursuer(DVec2::new(1.0, 1.0), 2.0).unwrap();
    let before = tracker.state_hash();
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY, 501.0] {
        let refused = tracker.frame(time, 1000);
        assert!(matches!(refused, Err(TrackError::Value { what: "time", .. })), "{time}");
    }
    assert_eq!(tracker.state_hash(), before);
    // Without updates there is no wave to follow, and nobody moves.
    assert_eq!(tracker.frame(1.0, 0).unwrap(), 0);
    assert_eq!(tracker.pursuer(id).unwrap().position(), DVec2::new(1.0, 1.0));
}

/// A target circles in rooms; with a fiftieth of a wave a frame every wave is old when it comes. A
/// faster pursuer still catches the target, since from the source of an old wave its trail leads
/// on.
#[test]
fn old_waves_do_for_a_chase() {
    let mut walls = Array2::from_elem([61, 61], false);
    for i in 0..61 {
        walls[[30, i]] = i != 8 && i != 52;
        walls[[i, 30]] = i != 8 && i != 52;
    }
    let corners = [(52.0, 8.0), (52.0, 52.0), (8.0, 52.0), (8.0, 8.0)];
    let mut tracker = tracker(&walls);
    let mut at = DVec2::new(8.0, 8.0);
    tracker.set_target(at).unwrap();
    for (x, y) in [(50.0, 50.0), (20.0, 50.0), (50.0, 20.0)] {
        tracker.add_pursuer(DVec2::new(x, y), 0.5).unwrap();
    }
    let a_wave = 60 * 61 * 61;
    let mut caught = [false; 3];
    let mut corner = 0;
    for frame in 0..3000 {
        let (x, y) = corners[corner % 4];
        let way = DVec2::new(x, y) - at;
        if way.length() < 0.5 {
            corner += 1;
        }
        let to = tracker.slide(at, way.clamp_length_max(0.4)).unwrap();
        assert!(way.length() < 0.5 || to.distance(at) > 0.39, "frame {frame}: it walks freely");
        at = to;
        tracker.set_target(at).unwrap();
        tracker.frame(1.0, a_wave / 50).unwrap();
        for (caught, pursuer) in caught.iter_mut().zip(tracker.pursuers()) {
            *caught |= pursuer.position().distance(at) < 1.5;
        }
        if caught == [true; 3] {
            return;
        }
    }
    panic!("{caught:?}");
}

/// Walls that go up open no way; a cell that is freed might, and until the next wave has ended
/// nobody knows. Frames of 60 in which one that is cut off says so while a wall far off comes and
/// goes every so many frames, in the second half.
fn frames_told(fronts: Fronts, every: usize) -> usize {
    let mut walls = Array2::from_elem([40, 60], false);
    for i in 5..16 {
        for cell in [[5, i], [15, i], [i, 5], [i, 15]] {
            walls[cell] = true;
        }
    }
    let mut tracker = tracker_on(&walls, fronts);
    tracker.set_target(DVec2::new(10.0, 10.0)).unwrap();
    let id = tracker.add_pursuer(DVec2::new(40.0, 20.0), 0.4).unwrap();
    let mut told = 0;
    for frame in 0..120 {
        if every == 0 {
            tracker.set_wall([30 + frame / 40, 10 + frame % 40], true).unwrap();
        } else if frame % every == 0 {
            tracker.set_wall([30, 50], (frame / every).is_multiple_of(2)).unwrap();
        }
        tracker.frame(1.0, tracker.suggested_updates()).unwrap();
        let is_told = tracker.pursuer(id).unwrap().state() == PursuerState::TargetUnreachable;
        told += usize::from(frame >= 60 && is_told);
    }
    tracker.set_wall([15, 12], false).unwrap();
    for _ in 0..400 {
        tracker.frame(1.0, 8000).unwrap();
    }
    assert_eq!(tracker.pursuer(id).unwrap().state(), PursuerState::Arrived);
    told
}

#[test]
fn who_is_cut_off_is_told_while_walls_come_and_go() {
    assert_eq!(frames_told(Fronts::ShortWaves, 0), 60);
    assert_eq!(frames_told(Fronts::Waves, 0), 60);
    let told = [1, 4, 10].map(|every| frames_told(Fronts::ShortWaves, every));
    println!("{told:?} of 60 frames");
    assert!(told[1] >= 30 && told[2] >= 45, "{told:?}");
}

/// Wave i starts i T / n steps after the first and again every T steps, however many steps a frame
/// makes.
#[test]
fn published_waves_go_out_on_time_in_frames_too() {
    for (waves, lifetime) in [(3, 300), (1, 99), (2, 151)] {
        for updates in [3_000, 20_000, 100_000] {
            let medium =
                Medium::<Ix2>::builder([40, 60]).wall_rule(WallRule::Fixed).build().unwrap();
            let config = TrackerConfig {
                waves: Some(waves),
                lifetime: Some(lifetime),
                ..TrackerConfig::watanabe()
            };
            let mut tracker = Tracker::new(medium, config).unwrap();
            tracker.add_pursuer(DVec2::new(50.0, 30.0), 1e-3).unwrap();
            for frame in 0..400 {
                let angle = 0.01 * f64::from(frame);
                tracker.set_target(DVec2::new(20.0 + 9.0 * angle.cos(), 18.0)).unwrap();
                tracker.frame(8.0 * tracker.medium().dt(), updates).unwrap();
                let before = |step: u64| -> u64 {
                    let since =
                        |i: u64| step.checked_sub(i * u64::from(lifetime) / waves as u64 + 1);
                    (0..waves as u64).filter_map(since).map(|n| n / u64::from(lifetime) + 1).sum()
                };
                // A wave that is due at this very step may or may not be out yet.
                let due = before(tracker.steps())..=before(tracker.steps() + 1);
                let found = tracker.emissions();
                assert!(due.contains(&found), "{waves} {lifetime} {updates}: {found} of {due:?}");
            }
            assert!(tracker.steps() > 150);
        }
    }
}

/// A wave that was sent from a room ends in it after its door has closed. That is no proof that no
/// way leads to the target, which has left the room.
#[test]
fn a_target_that_shuts_a_door_behind_it_is_found() {
    let speeds = Array2::from_shape_fn([1, 60], |(_, x)| if x < 5 { 0.1 } else { 1.0 });
    let medium = Medium::<Ix2>::builder([1, 60]).speeds(&speeds).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    let mut x = 2.0;
    tracker.set_target(DVec2::new(x, 0.0)).unwrap();
    let pursuer = tracker.add_pursuer(DVec2::new(59.0, 0.0), 0.5).unwrap();
    for _ in 0..300 {
        tracker.step().unwrap();
        if x < 6.0 {
            x += 0.5;
            tracker.set_target(DVec2::new(x, 0.0)).unwrap();
            if x == 5.0 {
                tracker.set_wall([0, 4], true).unwrap();
            }
        }
    }
    assert_eq!(tracker.pursuer(pursuer).unwrap().state(), PursuerState::Arrived);
}

/// Also if the target was gone or elsewhere in between.
#[test]
fn a_pursuer_that_is_cut_off_is_told_so_again() {
    type Between = fn(&mut Tracker<Ix2>, DVec2);
    let b = DVec2::new(4.0, 0.0);
    let between: [Between; 4] = [
        |tracker, _| tracker.clear_target(),
        |tracker, _| {
            tracker.clear_target();
            tracker.frame(1.0, 1000).unwrap();
        },
        |tracker, _| tracker.set_target(DVec2::new(1.0, 0.0)).unwrap(),
        |tracker, b| tracker.set_targets([b, b]).unwrap(),
    ];
    for change in between {
        let walls = Array2::from_shape_fn([1, 5], |(_, x)| x == 2);
        let mut tracker = tracker(&walls);
        tracker.set_target(b).unwrap();
        let first = tracker.add_pursuer(DVec2::ZERO, 0.5).unwrap();
        (0..100).for_each(|_| _ = tracker.frame(1.0, 100_000).unwrap());
        change(&mut tracker, b);
        tracker.set_target(b).unwrap();
        let second = tracker.add_pursuer(DVec2::X, 0.5).unwrap();
        (0..100).for_each(|_| _ = tracker.frame(1.0, 100_000).unwrap());
        for pursuer in [first, second] {
            let state = tracker.pursuer(pursuer).unwrap().state();
            assert_eq!(state, PursuerState::TargetUnreachable);
        }
    }
}
