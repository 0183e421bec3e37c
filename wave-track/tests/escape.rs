//! A walker that flees is at its refuge before any threat, and lives as long as it was promised.

mod drawn;

use drawn::{Lcg, free_centres, maze, medium, random_walls};
use glam::{DVec2, DVec3};
use ndarray::{Array2, Array3, Ix2, Ix3, array};
use wave_core::{ArrivalField, Link, Medium, WaveError};
use wave_track::{
    Escape, EscapeConfig, Flight, FlightState, Pursuer, TrackError, Tracker, TrackerConfig,
};

/// When the first of the threats, at these places with these speeds, can be at each cell.
fn threatened(medium: &Medium<Ix2>, threats: &[(DVec2, f64)], reach: f64) -> Array2<f64> {
    let mut first = Array2::from_elem(medium.shape(), f64::INFINITY);
    for &(at, speed) in threats {
        let field = ArrivalField::from_sources(medium, &[medium.cell_at(at).unwrap()]).unwrap();
        let time = |&steps: &f32| (f64::from(steps) * medium.dt() - reach) / speed;
        first.zip_mut_with(field.times(), |first, steps| *first = first.min(time(steps)));
    }
    first
}

fn cell(p: DVec2) -> [usize; 2] {
    [p.y.round() as usize, p.x.round() as usize]
}

/// When a walker can be at each cell, before any threat all along its way: by plain relaxation over
/// eight directions until nothing changes. `stretch` is the time for a cell; `cuts` tells whether
/// it may cut the corner of one wall.
fn plain_region(
    walls: &Array2<bool>,
    first: &Array2<f64>,
    from: [usize; 2],
    stretch: f64,
    cuts: bool,
) -> Array2<f64> {
    let (height, width) = walls.dim();
    let mut times = Array2::from_elem([height, width], f64::INFINITY);
    times[from] = 0.0;
    let open = |y: i64, x: i64| {
        let cell = usize::try_from(y).ok().zip(usize::try_from(x).ok());
        cell.is_some_and(|(y, x)| walls.get([y, x]) == Some(&false))
    };
    loop {
        let mut changed = false;
        for (y, x) in (0..height as i64).flat_map(|y| (0..width as i64).map(move |x| (y, x))) {
            let here = times[[y as usize, x as usize]];
            if here.is_infinite() {
                continue;
            }
            for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
                let (ty, tx) = (y + dy, x + dx);
                let sides = [open(y, tx), open(ty, x)].into_iter().filter(|open| *open).count();
                let fits = dy == 0 || dx == 0 || sides == 2 || (cuts && sides == 1);
                if !(open(ty, tx) && fits) {
                    continue;
                }
                let to = [ty as usize, tx as usize];
                let then = here + stretch * ((dx * dx + dy * dy) as f64).sqrt();
                if then < first[to] && then < times[to] {
                    times[to] = then;
                    changed = true;
                }
            }
        }
        if !changed {
            return times;
        }
    }
}

/// The latest time at which a threat comes to a place of the region.
fn latest(region: &Array2<f64>, first: &Array2<f64>) -> f64 {
    let places = region.iter().zip(first).filter(|(time, _)| time.is_finite());
    places.map(|(_, first)| *first).fold(f64::NEG_INFINITY, f64::max)
}

struct Case {
    walls: Array2<bool>,
    threats: Vec<(DVec2, f64)>,
    from: DVec2,
    speed: f64,
}

/// Rubble and mazes; one to three threats, slower or faster.
fn cases(n: u64) -> impl Iterator<Item = Case> {
    (0..n).map(|seed| {
        let mut random = Lcg(seed * 77 + 5);
        let walls = match seed % 3 {
            0 => random_walls([24, 31], 0.05 + 0.1 * (random.below(3) as f64), seed),
            1 => maze([6, 7], 1 + random.below(4), seed),
            _ => {
                // A maze with some walls taken away, so that there are ways around.
                let mut walls = maze([7, 8], 2, seed);
                let holes: Vec<_> = (0..60).map(|_| random.below(walls.len())).collect();
                let (height, width) = walls.dim();
                for hole in holes {
                    let (y, x) = (hole / width, hole % width);
                    if (1..height - 1).contains(&y) && (1..width - 1).contains(&x) {
                        walls[[y, x]] = false;
                    }
                }
                walls
            }
        };
        let centres = free_centres(&walls);
        let speeds = [0.6, 0.9, 1.0, 1.0, 1.25, 2.0];
        let speed = [0.5, 1.0, 1.0, 1.5][random.below(4)];
        let threats = (0..=random.below(3))
            .map(|_| (centres[random.below(centres.len())], speeds[random.below(6)]))
            .collect();
        Case { threats, from: centres[random.below(centres.len())], speed, walls }
    })
}

fn escape(medium: &Medium<Ix2>, case: &Case) -> Escape<Ix2> {
    let mut escape = Escape::new(medium, EscapeConfig::default()).unwrap();
    for &(at, speed) in &case.threats {
        escape.add_threats(medium, [at], speed).unwrap();
    }
    escape
}

#[test]
fn a_course_leads_nowhere_where_a_threat_can_be_first() {
    let (mut runs, mut turns) = (0, 0);
    for case in cases(300) {
        let medium = medium(&case.walls);
        let first = threatened(&medium, &case.threats, 1.0);
        let mut escape = escape(&medium, &case);
        let mut flight = Flight::new();
        escape.flee(&medium, case.from, case.speed, &mut flight).unwrap();
        if flight.state() == FlightState::Caught {
            assert!(first[cell(case.from)] <= 0.0 && flight.promised() == 0.0);
            continue;
        }
        runs += u32::from(flight.state() == FlightState::Fleeing);
        turns += flight.course().len() - 1;
        let end = flight.course().last().unwrap();
        assert_eq!(end, flight.refuge());
        assert_eq!(flight.after(flight.arrival()), end);
        assert!(
            (first[cell(end)] - flight.promised()).abs() < 1e-3 || flight.promised().is_infinite()
        );
        assert!(flight.arrival() <= flight.promised());
        let mut at = case.from;
        for i in 1..=1000 {
            let time = flight.arrival() * f64::from(i) / 1000.0;
            let next = flight.after(time);
            let stride = case.speed * flight.arrival() / 1000.0;
            assert!(at.distance(next) <= stride * (1.0 + 1e-6), "{at} to {next}");
            assert!(!case.walls[cell(next)], "{next}");
            // To half a cell, looked at four times a cell.
            let late = time - 0.76 / case.speed;
            assert!(late < first[cell(next)], "{next} at {time}: {}", first[cell(next)]);
            at = next;
        }
    }
    assert!(runs > 150 && turns > 900, "{runs}, {turns}");
}

#[test]
fn a_refuge_is_as_good_as_any_place_that_can_be_reached_in_time() {
    let mut compared = 0;
    for case in cases(300) {
        let medium = medium(&case.walls);
        let first = threatened(&medium, &case.threats, 1.0);
        let mut escape = escape(&medium, &case);
        let mut flight = Flight::new();
        escape.flee(&medium, case.from, case.speed, &mut flight).unwrap();
        if flight.state() == FlightState::Caught {
            continue;
        }
        // Eight directions make ways longer by 8 % at most.
        let (slow, fast) = (1.0 / case.speed, (0.5f64 + 0.5f64.sqrt() * 0.5).sqrt() / case.speed);
        // It takes no way on which it is less than a cell ahead, if it can help it.
        let sooner = first.mapv(|first| first - slow);
        let least = plain_region(&case.walls, &sooner, cell(case.from), slow, false);
        let least = latest(&least, &first);
        let most = latest(&plain_region(&case.walls, &first, cell(case.from), fast, true), &first);
        let fastest = case.threats.iter().fold(0.0f64, |most, t| most.max(t.1));
        assert!(flight.promised() >= least - 1.5 / fastest, "{} < {least}", flight.promised());
        assert!(flight.promised() <= most + 1e-3, "{} > {most}", flight.promised());
        compared += u32::from(least.is_finite());
    }
    assert!(compared > 150, "{compared}");
}

/// Frames until a chase ends.
const FRAMES: usize = 1500;
/// `[units: time]`
const FRAME: f64 = 0.25;

/// Plays a chase by a tracker's pursuers and returns after how many frames the target was caught;
/// `flee` tells where it goes.
fn chase(case: &Case, mut flee: impl FnMut(&Tracker<Ix2>, usize, DVec2) -> DVec2) -> usize {
    let mut tracker = Tracker::new(medium(&case.walls), TrackerConfig::default()).unwrap();
    let mut at = case.from;
    for &(from, speed) in &case.threats {
        tracker.add_pursuer(from, speed).unwrap();
    }
    for frame in 0..FRAMES {
        // Not through walls: a reach is along the way.
        let sees = |p: DVec2| tracker.slide(p, at - p).unwrap().distance(at) < 1e-6;
        let mut places = tracker.pursuers().iter().map(Pursuer::position);
        if places.any(|p| p.distance(at) <= 0.5 && sees(p)) {
            return frame;
        }
        let to = flee(&tracker, frame, at);
        assert!(at.distance(to) <= case.speed * FRAME * (1.0 + 1e-6) + 1e-9);
        at = to;
        tracker.set_target(at).unwrap();
        tracker.frame(FRAME, 1 << 22).unwrap();
    }
    FRAMES
}

/// How often a walker that flees looks around, in frames.
const EVERY: usize = 4;

/// Looks around and flees, whenever it is time to.
struct Fugitive {
    escape: Escape<Ix2>,
    flight: Flight<Ix2>,
}

impl Fugitive {
    fn of(case: &Case) -> Self {
        let config = EscapeConfig::default();
        Self { escape: Escape::new(&medium(&case.walls), config).unwrap(), flight: Flight::new() }
    }

    fn go(&mut self, tracker: &Tracker<Ix2>, frame: usize, at: DVec2, speed: f64) -> DVec2 {
        if frame.is_multiple_of(EVERY) {
            self.escape.clear_threats();
            self.escape.add_pursuers(tracker).unwrap();
            self.escape.flee(tracker.medium(), at, speed, &mut self.flight).unwrap();
        }
        self.flight.after((frame % EVERY + 1) as f64 * FRAME)
    }
}

#[test]
fn a_promise_is_kept_and_only_ever_gets_better() {
    let mut promises = 0;
    for case in cases(100) {
        let mut fugitive = Fugitive::of(&case);
        let fastest = case.threats.iter().fold(0.0f64, |most, t| most.max(t.1));
        // How much too long the field's ways are for a promise: in corridors a cell wide it knows
        // little more than eight directions.
        let excess = |time: f64| 0.08 * time;
        let (mut until, mut made) = (0.0f64, 0.0);
        let frames = chase(&case, |tracker, frame, at| {
            let to = fugitive.go(tracker, frame, at, case.speed);
            let flight = &fugitive.flight;
            // Both are somewhere in their cells.
            let near = 2.5 / fastest.min(case.speed);
            let ahead = fugitive.escape.threatened(cell(at)).unwrap() > near;
            if frame % EVERY == 0 && flight.state() != FlightState::Caught && ahead {
                let now = frame as f64 * FRAME;
                let promised = now + flight.promised();
                let lost = until - promised - excess(until - made);
                assert!(lost <= 3.0 / fastest, "{lost} lost at {now}");
                if promised > until {
                    (until, made) = (promised, now);
                }
                promises += 1;
            }
            to
        });
        let lived = frames as f64 * FRAME;
        let short = until - lived - excess(until - made);
        assert!(frames == FRAMES || short <= 3.0 / fastest, "{lived} of {until}");
    }
    assert!(promises > 1000, "{promises}");
}

#[test]
fn who_flees_lives_longer_than_who_runs_straight_away() {
    let (mut ours, mut naive, mut worse) = (0, 0, 0);
    for case in cases(100) {
        let mut fugitive = Fugitive::of(&case);
        let by_plan =
            chase(&case, |tracker, frame, at| fugitive.go(tracker, frame, at, case.speed));
        let straight = chase(&case, |tracker, _, at| {
            let off = |p: DVec2| p.distance(at);
            let pursuers = tracker.pursuers().iter().map(Pursuer::position);
            let nearest = pursuers.min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap();
            let away = (at - nearest).normalize_or_zero();
            tracker.slide(at, away * case.speed * FRAME).unwrap()
        });
        (ours, naive) = (ours + by_plan, naive + straight);
        worse += u32::from(by_plan + 8 < straight);
    }
    println!("{ours} frames, {naive} straight away; {worse} of 100 worse");
    assert!(ours > 5 * naive / 2 && worse <= 3, "{ours}, {naive}, {worse}");
}

/// A corridor along the top with blind alleys off it, the last one open at its end onto another
/// corridor.
fn comb(alleys: usize, depth: usize) -> Array2<bool> {
    let width = 4 * alleys + 1;
    Array2::from_shape_fn([depth + 12, width], |(y, x)| {
        let alley = x % 4 == 2 && (1..=depth).contains(&y);
        let last = x == width - 3 && y >= 1;
        !(y == 0 && x < width - 2 || alley || last || y == depth + 11)
    })
}

#[test]
fn nobody_runs_into_a_blind_alley_that_has_a_way_out_ahead() {
    for (alleys, depth) in [(4, 6), (6, 10), (9, 20)] {
        let walls = comb(alleys, depth);
        let end = DVec2::new(0.0, (depth + 11) as f64);
        for (ahead, speed) in [(3.0, 1.0), (6.0, 0.9), (4.0, 1.3)] {
            let threats = vec![(DVec2::ZERO, 1.0)];
            let case = Case { threats, from: DVec2::new(ahead, 0.0), speed, walls: walls.clone() };
            let mut fugitive = Fugitive::of(&case);
            let frames = chase(&case, |tracker, frame, at| {
                let to = fugitive.go(tracker, frame, at, speed);
                let last = to.x.round() as usize == walls.dim().1 - 3;
                assert!(last || to.y < 0.6 || to.y > depth as f64 + 10.0, "{to}");
                to
            });
            // It comes out on the other side, to the end of the corridor there, if it is fast
            // enough.
            let way = (walls.dim().1 - 3) as f64 + end.y + (walls.dim().1 - 3) as f64;
            // Corners cost it a cell more than a threat.
            let most = if speed < 1.0 { (ahead - 2.0) / (1.0 - speed) } else { f64::INFINITY };
            let least = (way - 3.0).min(most);
            assert!(frames as f64 * FRAME > least, "{frames} frames, {least}");
        }
    }
}

#[test]
fn around_a_block_one_as_fast_as_the_threat_is_never_caught() {
    let walls =
        Array2::from_shape_fn([25, 30], |(y, x)| (8..17).contains(&y) && (8..22).contains(&x));
    for from in [DVec2::new(5.0, 12.0), DVec2::new(15.0, 4.0), DVec2::new(25.0, 20.0)] {
        let threats = vec![(from + DVec2::new(-4.0, 3.0), 1.0)];
        let case = Case { threats, from, speed: 1.0, walls: walls.clone() };
        let mut fugitive = Fugitive::of(&case);
        let frames = chase(&case, |tracker, frame, at| fugitive.go(tracker, frame, at, 1.0));
        assert_eq!(frames, FRAMES, "from {from}");
    }
}

#[test]
fn who_has_threats_beyond_the_horizon_stands_still() {
    let walls = Array2::from_elem([20, 80], false);
    let medium = medium(&walls);
    let config = EscapeConfig { horizon: 30.0, ..EscapeConfig::default() };
    let mut escape = Escape::new(&medium, config).unwrap();
    let mut flight = Flight::new();
    let from = DVec2::new(60.3, 9.8);
    escape.add_threats(&medium, [DVec2::new(10.0, 10.0)], 1.0).unwrap();
    escape.flee(&medium, from, 1.0, &mut flight).unwrap();
    assert_eq!((flight.state(), flight.arrival()), (FlightState::Safe, 0.0));
    assert_eq!(flight.refuge(), from);
    // Time goes by, and nobody looks where the threat is: it may have come near.
    escape.pass(25.0).unwrap();
    escape.flee(&medium, from, 1.0, &mut flight).unwrap();
    assert!(flight.state() == FlightState::Safe && flight.refuge().x > 65.0, "{flight:?}");
    assert!((30.0..32.5).contains(&flight.promised()), "{flight:?}");
    escape.pass(20.0).unwrap();
    escape.flee(&medium, from, 1.0, &mut flight).unwrap();
    assert!(flight.state() == FlightState::Fleeing && flight.refuge().x > 78.0, "{flight:?}");
    // None at all.
    escape.clear_threats();
    escape.flee(&medium, from, 1.0, &mut flight).unwrap();
    assert_eq!((flight.state(), flight.promised()), (FlightState::Safe, f64::INFINITY));
}

#[test]
fn who_goes_where_threats_cannot_is_safe_there() {
    // A river that only a swimmer can cross, in 3D a shaft that only a small walker fits through.
    let river = Array2::from_shape_fn([20, 40], |(_, x)| x == 25);
    let (dry, wet) = (medium(&river), medium(&Array2::from_elem([20, 40], false)));
    let mut escape = Escape::new(&wet, EscapeConfig::default()).unwrap();
    escape.add_threats(&dry, [DVec2::new(5.0, 10.0)], 2.0).unwrap();
    let mut flight = Flight::new();
    escape.flee(&wet, DVec2::new(20.0, 10.0), 1.0, &mut flight).unwrap();
    assert_eq!((flight.state(), flight.promised()), (FlightState::Safe, f64::INFINITY));
    assert_eq!(flight.refuge(), DVec2::new(25.0, 10.0));

    // Two storeys, a stair in a corner, the threat in the other one.
    let walls = Array3::from_shape_fn([5, 12, 14], |(z, y, x)| z == 2 && (y, x) != (11, 13));
    let medium = Medium::<Ix3>::builder([5, 12, 14]).walls(&walls).build().unwrap();
    let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
    escape.add_threats(&medium, [DVec3::new(1.0, 1.0, 1.0)], 1.0).unwrap();
    let mut flight = Flight::new();
    escape.flee(&medium, DVec3::new(8.0, 8.0, 1.0), 1.0, &mut flight).unwrap();
    assert!(flight.refuge().z > 2.0 && flight.promised() > 25.0, "{flight:?}");
    for p in flight.course() {
        assert!(!medium.is_wall(medium.cell_at(p).unwrap()), "{p}");
    }
}

#[test]
fn slow_areas_slow_both() {
    // North of the start a swamp, at a quarter of the speed, south of it a road of the same length.
    let speeds = Array2::from_shape_fn([61, 3], |(y, _)| if y < 30 { 0.25f32 } else { 1.0 });
    let medium = Medium::<Ix2>::builder([61, 3]).speeds(&speeds).build().unwrap();
    let config = EscapeConfig { reach: 0.0, ..EscapeConfig::default() };
    let mut escape = Escape::new(&medium, config).unwrap();
    escape.add_threats(&medium, [DVec2::new(1.0, 36.0)], 1.0).unwrap();
    let mut flight = Flight::new();
    // Threats are also late in the swamp.
    escape.flee(&medium, DVec2::new(1.0, 30.0), 1.0, &mut flight).unwrap();
    assert!(flight.refuge().y < 0.5 && (flight.promised() - 126.0).abs() < 5.0, "{flight:?}");
    assert!((flight.arrival() - 120.0).abs() < 4.0, "{flight:?}");
}

/// When the first threat comes within reach of `at`: by plain relaxation of the lengths of ways
/// over eight directions, to cells that it can be at in these times.
fn within_reach(times: &Array2<f64>, at: [usize; 2], reach: f64) -> f64 {
    let open = |y, x| times.get([y, x]).is_some_and(|time: &f64| time.is_finite());
    let mut lengths = times.mapv(|_| f64::INFINITY);
    lengths[at] = 0.0;
    let mut next = vec![at];
    while let Some([y, x]) = next.pop() {
        for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
            // Below 0 it is also outside.
            let (ty, tx) = (y.wrapping_add_signed(dy), x.wrapping_add_signed(dx));
            let length = lengths[[y, x]] + ((dy * dy + dx * dx) as f64).sqrt();
            let fits = open(ty, tx) && (open(y, tx) || open(ty, x)) && length <= reach + 1e-9;
            if fits && length < lengths[[ty, tx]] - 1e-9 {
                lengths[[ty, tx]] = length;
                next.push([ty, tx]);
            }
        }
    }
    let near = lengths.iter().zip(times).filter(|(length, _)| length.is_finite());
    near.fold(f64::INFINITY, |first, (_, &time)| first.min(time))
}

/// Behind a swamp a threat with a long reach strikes from within it, as long before it comes out.
#[test]
fn reaches_count_cells_where_speeds_differ() {
    let mut cells = 0;
    for seed in 0..60 {
        let mut random = Lcg(seed);
        let walls = random_walls([17, 23], [0.0, 0.1, 0.3][random.below(3)], seed);
        let side = 1 + random.below(5);
        let areas =
            Array2::from_shape_simple_fn([17, 23], || [1.0, 0.5, 0.1, 1.0][random.below(4)]);
        let speeds = Array2::from_shape_fn([17, 23], |(y, x)| areas[[y / side, x / side]]);
        let medium = Medium::<Ix2>::builder([17, 23]).walls(&walls).speeds(&speeds);
        let medium = medium.build().unwrap();
        let centres = free_centres(&walls);
        let threat = centres[random.below(centres.len())];
        let reach = [1.0, 2.0, 3.0, 5.0][random.below(4)];
        let [times, told] = [0.0, reach].map(|reach| {
            let config = EscapeConfig { reach, ..EscapeConfig::default() };
            let mut escape = Escape::new(&medium, config).unwrap();
            escape.add_threats(&medium, [threat], 1.0).unwrap();
            Array2::from_shape_fn([17, 23], |(y, x)| escape.threatened([y, x]).unwrap())
        });
        for at in centres.iter().map(|&at| cell(at)).filter(|&at| times[at].is_finite()) {
            cells += 1;
            let latest = within_reach(&times, at, reach) + 1e-3;
            assert!(told[at] <= latest, "{seed}, {reach}, {at:?}: {} > {latest}", told[at]);
            // Across corners it may count an eighth more; the slowest cell takes 10.
            let earliest = within_reach(&times, at, 1.13 * reach + 1.0) - 10.001;
            assert!(told[at] >= earliest, "{seed}, {reach}, {at:?}: {} < {earliest}", told[at]);
        }
    }
    assert!(cells > 10_000, "{cells}");
}

/// Areas make a course end early, where a threat is sooner than at the place that it begins at.
#[test]
fn no_flight_promises_less_than_to_stay() {
    let walls = array![[false, false, true], [false, false, false]];
    let speeds = array![[0.25, 0.25, 0.25], [0.125, 0.5, 0.125]];
    let builder = Medium::<Ix2>::builder([2, 3]).walls(&walls);
    let medium = builder.speeds(&speeds).build().unwrap();
    let config = EscapeConfig { reach: 0.0, ..EscapeConfig::default() };
    let mut escape = Escape::new(&medium, config).unwrap();
    escape.add_threats(&medium, [DVec2::ZERO], 0.5).unwrap();
    let mut flight = Flight::new();
    escape.flee(&medium, DVec2::X, 1.0, &mut flight).unwrap();
    assert!(flight.promised() >= escape.threatened([0, 1]).unwrap(), "{flight:?}");
}

/// Another threat has come to the end of a course that could still be walked.
#[test]
fn nor_does_one_that_is_kept() {
    let medium = Medium::<Ix2>::builder([1, 10]).build().unwrap();
    let config = EscapeConfig { reach: 0.0, ..EscapeConfig::default() };
    let mut escape = Escape::new(&medium, config).unwrap();
    escape.add_threats(&medium, [DVec2::ZERO], 1.0).unwrap();
    let (mut flight, from) = (Flight::new(), DVec2::new(8.3, 0.0));
    escape.flee(&medium, from, 1.0, &mut flight).unwrap();
    assert_eq!(flight.refuge(), DVec2::new(9.0, 0.0));
    escape.add_threats(&medium, [DVec2::new(9.0, 0.0)], 1.0).unwrap();
    escape.pass(0.5).unwrap();
    escape.flee(&medium, from, 1.0, &mut flight).unwrap();
    assert!(flight.promised() >= escape.threatened([0, 8]).unwrap(), "{flight:?}");
}

#[test]
fn what_is_wrong_is_refused_and_changes_nothing() {
    let walls = Array2::from_shape_fn([10, 10], |(y, x)| (y, x) == (4, 4));
    let medium = medium(&walls);
    let wrong = |reach, horizon| Escape::new(&medium, EscapeConfig { reach, horizon }).is_err();
    assert!(wrong(-1.0, 1.0) && wrong(f64::NAN, 1.0) && wrong(1.0, 0.0) && wrong(1.0, f64::NAN));
    let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
    let mut flight = Flight::new();
    assert_eq!((flight.course().len(), flight.after(1.0)), (0, DVec2::ZERO));
    escape.flee(&medium, DVec2::new(1.0, 1.0), 1.0, &mut flight).unwrap();
    let before = flight.course().collect::<Vec<_>>();
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let at = DVec2::new(1.0, 1.0);
        assert!(matches!(escape.add_threats(&medium, [at], speed), Err(TrackError::Value { .. })));
        let fled = escape.flee(&medium, at, speed, &mut flight);
        assert!(matches!(fled, Err(TrackError::Value { .. })));
    }
    let (off, wall) = (DVec2::new(20.0, 1.0), DVec2::new(4.0, 4.0));
    let both = [DVec2::new(1.0, 1.0), off];
    assert!(matches!(escape.add_threats(&medium, both, 1.0), Err(TrackError::OffGrid { .. })));
    assert!(matches!(escape.add_threats(&medium, [wall], 1.0), Err(TrackError::InWall { .. })));
    let fled = escape.flee(&medium, wall, 1.0, &mut flight);
    assert!(matches!(fled, Err(TrackError::InWall { .. })));
    // In no wall, but too near.
    let fled = escape.flee(&medium, DVec2::new(3.4999, 4.0), 1.0, &mut flight);
    assert!(matches!(fled, Err(TrackError::InWall { .. })));
    let other = Medium::<Ix2>::builder([10, 11]).build().unwrap();
    assert!(matches!(escape.add_threats(&other, [both[0]], 1.0), Err(TrackError::Wave(_))));
    // A corridor that is too slow to be walked by a wave from end to end.
    let slow = Array2::from_shape_fn([1, 2000], |(_, x)| if x == 0 { 1.0_f32 } else { 2.5e-4 });
    let slow = Medium::<Ix2>::builder([1, 2000]).speeds(&slow).build().unwrap();
    let mut on_slow = Escape::new(&slow, EscapeConfig::default()).unwrap();
    let far = on_slow.add_threats(&slow, [DVec2::new(1999.0, 0.0)], 1.0);
    assert!(matches!(far, Err(TrackError::Wave(WaveError::TooFar))), "{far:?}");
    assert_eq!(on_slow.threatened([0, 1999]), Some(f64::INFINITY));
    assert!(matches!(escape.pass(-1.0), Err(TrackError::Value { .. })));
    assert_eq!(escape.threatened([1, 1]), Some(f64::INFINITY));
    assert_eq!(escape.threatened([10, 1]), None);
    assert_eq!(flight.course().collect::<Vec<_>>(), before);
}

/// Two rooms that no way joins, and when threats that are looked up after `wait` can be at the
/// cells of the second one; in the first one is one that takes `1 / slow` for a cell.
fn looked_up_later(wait: &[f64], slow: f64) -> Vec<f64> {
    let walls = Array2::from_shape_fn([9, 41], |(_, x)| x == 20);
    let medium = medium(&walls);
    let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
    escape.add_threats(&medium, [DVec2::new(2.0, 4.0)], slow).unwrap();
    for &time in wait {
        escape.pass(time).unwrap();
    }
    escape.add_threats(&medium, [DVec2::new(30.0, 4.0)], 2.0).unwrap();
    (0..9)
        .flat_map(|y| (21..41).map(move |x| [y, x]))
        .filter_map(|c| escape.threatened(c))
        .collect()
}

#[test]
fn who_is_looked_up_after_any_time_is_told_as_exactly() {
    let fresh = looked_up_later(&[], 1.0);
    assert!(fresh.iter().any(|&time| time > 4.0));
    for (wait, slow) in [(1e8, 1.0), (1e8, 1e-9), (3e15, 1.0), (3e15, 1e-11), (1e308, 1.0)] {
        let later = looked_up_later(&[wait], slow);
        assert_eq!(later.len(), fresh.len());
        for (later, fresh) in later.iter().zip(&fresh) {
            assert!((later - fresh).abs() < 0.01, "{wait} {slow}: {later} {fresh}");
        }
    }
}

#[test]
fn any_time_may_pass_any_number_of_times() {
    let walls = Array2::from_shape_fn([9, 41], |(_, x)| x == 20);
    let medium = medium(&walls);
    let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
    escape.pass(1e308).unwrap();
    assert_eq!(escape.threatened([4, 30]), Some(f64::INFINITY));
    escape.add_threats(&medium, [DVec2::new(2.0, 4.0)], 1.0).unwrap();
    assert!(escape.threatened([4, 12]).is_some_and(|time| (time - 9.0).abs() < 0.1));
    for _ in 0..3 {
        escape.pass(1e308).unwrap();
    }
    assert_eq!(escape.threatened([4, 30]), Some(f64::INFINITY));
    assert_eq!(escape.threatened([4, 19]), Some(0.0));
    let mut flight = Flight::new();
    escape.flee(&medium, DVec2::new(30.0, 4.0), 1.0, &mut flight).unwrap();
    assert_eq!((flight.state(), flight.promised()), (FlightState::Safe, f64::INFINITY));
    // Caught, but still on its way from where the threat was.
    let mut flight = Flight::new();
    escape.flee(&medium, DVec2::new(8.0, 4.0), 1.0, &mut flight).unwrap();
    assert_eq!((flight.state(), flight.promised()), (FlightState::Caught, 0.0));
    assert!(flight.refuge().x > 15.0, "{flight:?}");
}

/// Threats by links come sooner than a field without them says, so they are refused.
#[test]
fn threats_on_a_map_with_links_are_refused() {
    let walls = Array2::from_shape_fn([1, 21], |(_, x)| x == 10);
    let links = [Link { from: [0, 9], to: [0, 11], time: 2.0 }];
    let medium = Medium::<Ix2>::builder([1, 21]).walls(&walls).links(&links).build().unwrap();
    let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
    let refused = escape.add_threats(&medium, [DVec2::new(5.0, 0.0)], 1.0);
    assert!(matches!(refused, Err(TrackError::Wave(WaveError::Links))));
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.add_pursuer(DVec2::new(5.0, 0.0), 0.5).unwrap();
    assert!(matches!(escape.add_pursuers(&tracker), Err(TrackError::Wave(WaveError::Links))));
    assert_eq!(escape.threatened([0, 15]), Some(f64::INFINITY));
}

/// Pursuers walk at the speed of a tracker whose fastest cell was another one when it was made.
#[test]
fn promises_hold_where_faster_cells_open_or_close() {
    for closes in [false, true] {
        let walls =
            Array2::from_shape_fn([3, 60], |(y, x)| y == 1 || y == 2 && !(closes && x == 30));
        let speeds = Array2::from_shape_fn([3, 60], |(y, _)| if y == 2 { 4.0 } else { 1.0 });
        let builder = Medium::<Ix2>::builder([3, 60]).walls(&walls).speeds(&speeds);
        let config = TrackerConfig { areas_slow_pursuers: true, ..TrackerConfig::default() };
        let mut tracker = Tracker::new(builder.build().unwrap(), config).unwrap();
        tracker.set_target(DVec2::new(50.0, 0.0)).unwrap();
        let pursuer = tracker.add_pursuer(DVec2::ZERO, 1.0).unwrap();
        // A cell that is joined to nothing.
        tracker.set_wall([2, 30], closes).unwrap();
        let config = EscapeConfig { reach: 0.0, ..EscapeConfig::default() };
        let mut escape = Escape::new(tracker.medium(), config).unwrap();
        escape.add_pursuers(&tracker).unwrap();
        let promised = escape.threatened([0, 50]).unwrap();
        let mut time = 0.0;
        while tracker.pursuer(pursuer).unwrap().position().x < 49.9 {
            tracker.frame(0.1, 1_000_000).unwrap();
            time += 0.1;
        }
        assert!((promised - time).abs() < 1.0, "closes: {closes}: {promised} and {time}");
    }
}

/// A speed that is too high for the map comes after one that is not.
#[test]
fn all_pursuers_are_added_or_none() {
    let medium = Medium::<Ix2>::builder([1, 20]).speed(1e15).build().unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.add_pursuer(DVec2::ZERO, 1.0).unwrap();
    tracker.add_pursuer(DVec2::new(19.0, 0.0), 1e14).unwrap();
    let mut escape = Escape::new(tracker.medium(), EscapeConfig::default()).unwrap();
    assert!(escape.add_pursuers(&tracker).is_err());
    assert_eq!(escape.threatened([0, 10]), Some(f64::INFINITY));

    // One of them is too far from the other end.
    let speeds = Array2::from_shape_fn([1, 2400], |(_, x)| if x == 1200 { 1.0 } else { 0.00025 });
    let medium = Medium::<Ix2>::builder([1, 2400]).speeds(&speeds).build().unwrap();
    let config = TrackerConfig { areas_slow_pursuers: true, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(medium, config).unwrap();
    tracker.add_pursuer(DVec2::new(1200.0, 0.0), 0.5).unwrap();
    tracker.add_pursuer(DVec2::ZERO, 1.0).unwrap();
    let mut escape = Escape::new(tracker.medium(), EscapeConfig::default()).unwrap();
    assert_eq!(escape.add_pursuers(&tracker), Err(WaveError::TooFar.into()));
    assert_eq!(escape.threatened([0, 1200]), Some(f64::INFINITY));
}

/// Between two times lie the turns of the course that are passed, and the place at the later time.
#[test]
fn places_between_two_times_are_those_of_the_course() {
    let walls = random_walls([40, 40], 0.25, 3);
    let medium = medium(&walls);
    let centres = free_centres(&walls);
    let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
    escape.add_threats(&medium, [centres[0]], 0.9).unwrap();
    let (mut flight, mut turns) = (Flight::new(), 0);
    for &from in centres.iter().skip(200).step_by(97) {
        escape.flee(&medium, from, 1.0, &mut flight).unwrap();
        let end = flight.arrival();
        let all: Vec<DVec2> = flight.between([-1.0, end + 1.0]).collect();
        let course: Vec<DVec2> = flight.course().collect();
        assert_eq!((&all[..course.len()], all.last()), (&course[..], course.last()));
        let parts = (0..10).map(|i| f64::from(i) * 0.1 * end);
        let mut at = flight.after(0.0);
        for from in parts {
            let mut way = 0.0;
            for place in flight.between([from, from + 0.1 * end]) {
                way += at.distance(place);
                at = place;
                turns += 1;
            }
            assert!((way - 0.1 * end).abs() < 1e-6 * (1.0 + end), "at speed 1: {way}");
        }
        assert!(at.distance(flight.after(end)) < 1e-9);
    }
    assert!(turns > 100, "{turns}");
}

/// Maps with areas: where a walker goes depends on no order of cells.
#[test]
fn a_map_promises_as_much_as_its_mirror_images() {
    let mut fleeing = 0;
    for seed in 0..1500 {
        let mut random = Lcg(seed * 31 + 7);
        let [height, width] = [6 + random.below(14), 6 + random.below(14)];
        let walls = random_walls([height, width], 0.1 * random.below(3) as f64, seed + 1);
        let kinds = 2 + random.below(3);
        let speed = |random: &mut Lcg| [1.0_f32, 0.5, 0.25, 0.125][random.below(kinds)];
        let mut speeds = Array2::from_elem([height, width], 1.0);
        for cell in &mut speeds {
            // From cell to cell, or on a few of them.
            *cell = if seed % 2 == 0 || random.below(5) == 0 { speed(&mut random) } else { 1.0 };
        }
        let centres = free_centres(&walls);
        let [threat, from] = [0; 2].map(|_| centres[random.below(centres.len())]);
        let pace = [0.5, 0.9, 1.0, 1.3, 2.0][random.below(5)];
        let promise = |[down, right]: [bool; 2]| {
            let mirrored = |p: DVec2| {
                let [x, y] = [width as f64 - 1.0 - p.x, height as f64 - 1.0 - p.y];
                DVec2::new(if right { x } else { p.x }, if down { y } else { p.y })
            };
            let at = |(y, x): (usize, usize)| cell(mirrored(DVec2::new(x as f64, y as f64)));
            let walls = Array2::from_shape_fn([height, width], |cell| walls[at(cell)]);
            let speeds = Array2::from_shape_fn([height, width], |cell| speeds[at(cell)]);
            let medium = Medium::<Ix2>::builder([height, width]).walls(&walls).speeds(&speeds);
            let medium = medium.build().unwrap();
            let mut escape = Escape::new(&medium, EscapeConfig::default()).unwrap();
            escape.add_threats(&medium, [mirrored(threat)], 1.0).unwrap();
            let mut flight = Flight::new();
            escape.flee(&medium, mirrored(from), pace, &mut flight).unwrap();
            (flight.promised(), flight.state())
        };
        let (promised, state) = promise([false; 2]);
        fleeing += u32::from(state == FlightState::Fleeing);
        for turns in [[true, false], [false, true], [true; 2]] {
            let (other, _) = promise(turns);
            assert!(other == promised, "{seed}: {promised} and {other}");
        }
    }
    assert!(fleeing > 600, "{fleeing}");
}
