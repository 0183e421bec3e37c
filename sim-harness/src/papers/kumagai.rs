//! `reproduce kumagai`: the four chases of kumagai-2024 ch. 3 in a two-storey building.
//!
//! * Target still: from the upper north room to the lower south-east room.
//! * Target fleeing: the pursuer starts in the upper south-east room, the target in the upper east
//!   room, and walks down the stair to the lower north-west room at 0.8 of the pursuer's speed. It
//!   stops there: a pursuer that has not caught it by then catches it standing.
//! * Opening closed: as the first, but the target's room has a second opening, which is nearer. It
//!   is walled up once the pursuer is 14 cells from the target.
//! * Slow area: as the first, but the wave is slow, a quarter of its speed, around the southern
//!   door of the lower east room.
//!
//! The source gives no figures, but that all four chases succeed. Starts lie up to 2 cells off by
//! seed, ten runs a case at most. `measured` is whether the target was caught in every run,
//! within 4000 steps; where the opening closes, it must have closed before; in the slow area's
//! case, the middle half of the way must in every run come at least 4 cells off the way that
//! the same method takes from the same start without it. Four methods: ours; kumagai's, one wave
//! that is reset when it arrives ([`TrackerConfig::kumagai`]); the same with watanabe's schedule of
//! three waves and T = 300, one every 100 steps; and, as a contrast, kumagai's with a threshold and
//! a time step that the source does not state either, and with which it fails.

use super::building::{Block, Building, OPENING, SIDE, SLOW, cells};
use super::chase::{CAPTURE, Chase, STRIDE, WaveChase, deaf, published_source};
use super::pictures::{Picture, Sheet};
use super::{By, Figure, Of, ReproduceError, Row};
use crate::ink::{self, Rgb};
use ndarray::{ArrayView3, Ix3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use wave_core::glam::DVec3;
use wave_core::{Medium, WallRule, Wave};
use wave_track::{Schedule, TrackError, TrackerConfig};

/// `[units: steps]` A run ends here: about eight times the length of the ways.
const CAP: u32 = 4000;
/// More starts than these say nothing new.
const MAX_RUNS: u64 = 10;
/// `[units: cells]` How far along each axis a start may lie off.
const SPREAD: i32 = 2;
/// `[units: cells per step]` How fast the fleeing target walks.
const FLIGHT: f64 = 0.8 * STRIDE;
/// `[units: cells]` The opening closes when the pursuer is this near to the target.
const CLOSES_AT: f64 = 14.0;
/// The speed in the slow area, as a share of that elsewhere.
const SLOWNESS: f64 = 0.25;
/// `[units: cells]` Two ways that are nowhere further apart are the same.
const SHIFT: f64 = 4.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Still,
    Fleeing,
    Closing,
    Slow,
}

const CASES: [(Case, &str); 4] = [
    (Case::Still, "target still"),
    (Case::Fleeing, "target fleeing through the stair"),
    (Case::Closing, "opening closed mid-chase"),
    (Case::Slow, "slow area changes the way"),
];

#[derive(Clone, Copy)]
enum Method {
    Ours,
    /// One wave, reset on arrival.
    Reset,
    /// Three waves, each emitted again every 300 steps.
    Periodic,
    /// [`Method::Reset`] as [`deaf`] has it.
    Deaf,
}

const METHODS: [(Method, By, &str); 4] = [
    (Method::Ours, By::Ours, "ours"),
    (Method::Reset, By::Published, "one wave, reset on arrival"),
    (Method::Periodic, By::Published, "three waves, one every 100 steps"),
    (Method::Deaf, By::Published, "reset on arrival, threshold 0.01, delta * d = 0.98"),
];

/// From the upper east room down the stair to the lower north-west room.
const FLIGHT_WAY: [[f64; 3]; 7] = [
    [30.0, 25.0, 32.0],
    [22.0, 25.0, 30.0],
    [22.0, 27.0, 22.0],
    [21.0, 30.5, 6.0],
    [15.0, 30.0, 5.0],
    [7.5, 19.0, 5.0],
    [7.5, 8.0, 5.0],
];

/// The result of one run.
struct Chased {
    caught: Option<u32>,
    /// Step in which the opening closed.
    closed: Option<u32>,
    /// Where the pursuer was, step by step.
    way: Vec<DVec3>,
    /// Where the target was.
    target: Vec<DVec3>,
}

fn runs(seeds: u64) -> u64 {
    seeds.min(MAX_RUNS)
}

pub(super) fn ticks(seeds: u64) -> u64 {
    runs(seeds) * (CASES.len() * METHODS.len()) as u64
}

pub(super) fn rows(seeds: u64, tick: &(dyn Fn() + Sync)) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    let places: Vec<_> =
        (0..CASES.len()).flat_map(|c| (0..METHODS.len()).map(move |m| (c, m))).collect();
    let jobs: Vec<_> =
        places.iter().flat_map(|&(c, m)| (0..runs(seeds)).map(move |s| (c, m, s))).collect();
    let run = |&(case, method, seed): &(usize, usize, u64)| {
        let chased = chase(CASES[case].0, METHODS[method].0, seed);
        tick();
        chased
    };
    let all: Vec<Chased> = jobs.par_iter().with_max_len(1).map(run).collect::<Result<_, _>>()?;
    let all: Vec<&[Chased]> = all.chunks(runs(seeds) as usize).collect();
    for (&(case, method), chased) in places.iter().zip(&all) {
        // The first case's runs by the same method start from the same places.
        rows.push(row(case, method, chased, all[method]));
    }
    Ok(rows)
}

fn row(case: usize, method: usize, chased: &[Chased], still: &[Chased]) -> Row {
    let (case, name) = CASES[case];
    let (_, by, who) = METHODS[method];
    let n = chased.len();
    let caught: Vec<u32> = chased.iter().filter_map(|c| c.caught).collect();
    let mut detail = format!("caught in {} of {n} runs", caught.len());
    if !caught.is_empty() {
        let mean = caught.iter().map(|&s| f64::from(s)).sum::<f64>() / caught.len() as f64;
        detail += &format!(", after {mean:.0} steps");
    }
    let mut came = caught.len() == n;
    if case == Case::Closing {
        let closed = chased.iter().filter(|c| c.closed.is_some()).count();
        detail += &format!("; the opening closed in {closed}");
        came &= closed == n;
    }
    if case == Case::Slow {
        let shift = |(slow, plain): (&Chased, &Chased)| apart(&slow.way, &plain.way);
        let shifts: Vec<f64> = chased.iter().zip(still).map(shift).collect();
        let least = shifts.iter().copied().fold(f64::INFINITY, f64::min);
        let inside = |all: &[Chased]| -> f64 {
            let steps = all.iter().flat_map(|c| &c.way).filter(|at| within(SLOW, **at)).count();
            steps as f64 / n as f64
        };
        detail += &format!(
            "; ways at least {least:.1} cells apart; {:.0} steps inside the area, {:.0} without it",
            inside(chased),
            inside(still)
        );
        came &= least >= SHIFT;
    }
    Row {
        of: if matches!(METHODS[method].0, Method::Deaf) { Of::Contrast } else { Of::Source },
        case: format!("{name}: {who}"),
        by,
        published: Some(Figure::Truth(true)),
        measured: Figure::Truth(came),
        holds: Some(came),
        detail,
    }
}

fn within([low, high]: Block, at: DVec3) -> bool {
    let fits = |(a, v): (usize, f64)| v >= low[a] as f64 - 0.5 && v < high[a] as f64 + 0.5;
    at.to_array().into_iter().enumerate().all(fits)
}

/// How far the middle half of `way` gets from `other`. A body that stands still has no way.
fn apart(way: &[DVec3], other: &[DVec3]) -> f64 {
    let middle = &way[way.len() / 4..way.len() - way.len() / 4];
    let nearest = |p: &DVec3| {
        other.iter().map(|q| p.distance_squared(*q)).fold(f64::INFINITY, f64::min).sqrt()
    };
    middle.iter().map(nearest).fold(0.0, f64::max)
}

fn chase(case: Case, method: Method, seed: u64) -> Result<Chased, TrackError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut near = |[x, y, z]: [i32; 3]| {
        let mut off = |c: i32| f64::from(c + rng.random_range(-SPREAD..=SPREAD));
        DVec3::new(off(x), off(y), off(z))
    };
    let (start, target) = match case {
        Case::Fleeing => (near([41, 41, 32]), near([38, 25, 32])),
        _ => (near([24, 8, 38]), near([40, 41, 6])),
    };
    let building = Building::new(case == Case::Closing);
    let builder = Medium::builder([SIDE; 3]).walls(&building.walls);
    let kumagai = TrackerConfig::kumagai();
    let (builder, config) = match method {
        Method::Ours => (builder, TrackerConfig::default()),
        Method::Reset => (builder.published(), kumagai),
        Method::Periodic => (builder.published(), periodic(kumagai)),
        Method::Deaf => (builder.wall_rule(WallRule::Fixed), deaf(kumagai)),
    };
    let mut medium = builder.build()?;
    if case == Case::Slow {
        cells(SLOW).try_for_each(|cell| medium.set_speed(cell, SLOWNESS))?;
    }
    run(WaveChase::new(medium, config, target, &[start])?, case, target)
}

/// The same waves by watanabe's schedule.
fn periodic(mut config: TrackerConfig) -> TrackerConfig {
    if let wave_track::Method::Published { schedule, .. } = &mut config.method {
        *schedule = Schedule::Periodic;
    }
    TrackerConfig { waves: TrackerConfig::watanabe().waves, ..config }
}

fn run(mut chase: WaveChase<Ix3>, case: Case, mut target: DVec3) -> Result<Chased, TrackError> {
    let mut stops = FLIGHT_WAY.into_iter().map(DVec3::from_array).peekable();
    let mut chased = Chased { caught: None, closed: None, way: Vec::new(), target: Vec::new() };
    for step in 1..=CAP {
        if let Some(stop) = stops.peek().filter(|_| case == Case::Fleeing) {
            let way = *stop - target;
            target += way.clamp_length_max(FLIGHT);
            if way.length() <= FLIGHT {
                stops.next();
            }
            chase.set_target(target)?;
        }
        chase.step()?;
        let Some(at) = chase.place(0) else { break };
        chased.way.push(at);
        chased.target.push(target);
        let far = at.distance(target);
        if far <= CAPTURE {
            chased.caught = Some(step);
            break;
        }
        if case == Case::Closing && chased.closed.is_none() && far <= CLOSES_AT {
            cells(OPENING).try_for_each(|cell| chase.set_wall(cell, true))?;
            chased.closed = Some(step);
        }
    }
    Ok(chased)
}

/// The storeys from above, and the building from the front. Sections, each through a row of rooms.
#[derive(Clone, Copy)]
enum View {
    /// At this z.
    Above(usize),
    /// At this y; z points up.
    Front(usize),
}

const VIEWS: [View; 3] = [View::Above(6), View::Above(32), View::Front(25)];
/// Below it is the lower storey.
const FLOOR: f64 = 24.5;
const TINT: Rgb = [214.0, 178.0, 96.0];
/// `[units: pixels per cell]`
const SCALE: usize = 6;

impl View {
    /// The cell `[z, y, x]` that is seen at a cell of the panel.
    fn cell(self, [x, row]: [usize; 2]) -> [usize; 3] {
        match self {
            Self::Above(z) => [z, row, x],
            Self::Front(y) => [SIDE - 1 - row, y, x],
        }
    }

    /// Where a place is seen; `None` on another storey.
    fn place(self, at: DVec3) -> Option<[f64; 2]> {
        match self {
            Self::Above(z) if ((z as f64) < FLOOR) != (at.z < FLOOR) => None,
            Self::Above(_) => Some([at.x, at.y]),
            Self::Front(_) => Some([at.x, (SIDE - 1) as f64 - at.z]),
        }
    }
}

/// A spreading wave in the building, and the four chases by kumagai's schedule.
pub(super) fn pictures() -> Result<Vec<Picture>, ReproduceError> {
    const FILES: [&str; CASES.len()] = ["still", "fleeing", "closing", "slow"];
    let mut pictures = vec![wave()?];
    for ((case, name), file) in CASES.into_iter().zip(FILES) {
        let chased = chase(case, Method::Reset, 0)?;
        let building = Building::new(case == Case::Closing);
        let tinted: Vec<[usize; 3]> = match case {
            Case::Closing => cells(OPENING).collect(),
            Case::Slow => cells(SLOW).collect(),
            Case::Still | Case::Fleeing => Vec::new(),
        };
        let mut sheet = Sheet::new([VIEWS.len(), 1], [SIDE; 2], SCALE)?;
        for (panel, view) in VIEWS.into_iter().enumerate() {
            sheet.cells(panel, |at| match view.cell(at) {
                cell if building.walls[cell] => ink::WALL,
                cell if tinted.contains(&cell) => TINT,
                _ => ink::PAPER,
            });
            // A way that leaves the storey ends there and begins again.
            for (way, colour) in [(&chased.way, ink::TRAILS[0]), (&chased.target, ink::TARGET)] {
                let seen: Vec<_> = way.iter().map(|&at| view.place(at)).collect();
                for part in seen.split(Option::is_none) {
                    sheet.trail(panel, part.iter().flatten().copied(), colour);
                }
            }
        }
        let tint = match case {
            Case::Closing => " The yellow opening is walled up on the way.",
            Case::Slow => " The wave is slow where it is yellow.",
            Case::Still | Case::Fleeing => "",
        };
        let says = format!(
            "{name}, one wave that is reset on arrival: the lower storey and the upper one from above, \
             and a section through the middle rooms from the front; pursuer red, target black.{tint}"
        );
        pictures.push(sheet.finish(file, says)?);
    }
    Ok(pictures)
}

/// The published wave from the target's place.
fn wave() -> Result<Picture, ReproduceError> {
    const STEPS: [u64; 3] = [40, 100, 180];
    let building = Building::new(false);
    let medium = Medium::<Ix3>::builder([SIDE; 3]).walls(&building.walls).published().build()?;
    let mut wave = Wave::typed(&medium)?;
    wave.emit(&medium, [6, 41, 40], published_source(TrackerConfig::kumagai()))?;
    let mut sheet = Sheet::new([VIEWS.len(), STEPS.len()], [SIDE; 2], SCALE)?;
    for (row, step) in STEPS.into_iter().enumerate() {
        wave.step(&medium, (step - wave.steps()) as usize)?;
        let z: ArrayView3<'_, f64> = wave.values();
        for (column, view) in VIEWS.into_iter().enumerate() {
            let every = || (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| view.cell([x, y])));
            let swing = every().map(|cell| z[cell].abs()).fold(0.0, f64::max) as f32;
            sheet.cells(row * VIEWS.len() + column, |at| match view.cell(at) {
                cell if building.walls[cell] => ink::WALL,
                cell => ink::wave(z[cell] as f32, swing),
            });
        }
    }
    let says = format!(
        "The wave of the published rules {} steps after a target in the lower south-east room emitted \
         it (from top to bottom): the lower storey and the upper one from above, and a section through \
         the middle rooms from the front; each panel by its own highest.",
        STEPS.map(|step| step.to_string()).join(", ")
    );
    sheet.finish("waves", says)
}
