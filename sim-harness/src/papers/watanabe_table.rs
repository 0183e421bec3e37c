//! `reproduce watanabe-table-2`: steps until capture, waves against Lee's flood.
//!
//! On every map of [`PLANS`] and for every seed, three pursuers start near A, B and C, and the
//! target stands near T or walks about from there. In the same scenes chase Lee's flood, the
//! published wave rules ([`TrackerConfig::watanabe`]) and our default; and, as a contrast, the
//! published rules with a threshold and a time step with which they fail. All have the same
//! pursuers' speed, close range and capture distance, and three waves: the first two with T = 300,
//! ours with its own lifetime. A step is a step of the wave, in which the flood runs 1 cell along
//! an axis and the wave 0.7 cells (0.5 by the published rules). A
//! pursuer that has not caught the target after 4000 steps counts as 4000 steps.
//!
//! `measured` is the mean number of steps of the wave over Lee's, over all maps and seeds. A row
//! holds where that is at most the published ratio, and so is the ratio over only those runs in
//! which both methods caught the target, which no cap touches. The 95 % interval takes a seed's
//! maps together as one draw; whether its upper end is at most the published ratio stands in
//! `detail`. Rows of steps show the numbers behind the ratios, beside the source's on its own map.

use super::chase::{CAPTURE, Chase, STRIDE, WaveChase, deaf, published_source};
use super::pictures::{Picture, Sheet};
use super::plans::{PLANS, Plan};
use super::{By, Figure, Of, ReproduceError, Row};
use crate::ink;
use crate::papers::lee::Lee;
use crate::study::estimate::Estimate;
use ndarray::{ArrayView2, Ix2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use wave_core::glam::DVec2;
use wave_core::{Medium, WallRule, Wave};
use wave_track::{TrackError, Tracker, TrackerConfig};

/// `[units: steps]` A run ends here: more than three times the longest published one.
const CAP: u32 = 4000;
/// `[units: cells per step]` The target walks half as fast as pursuers: it can be caught.
const TARGET_STRIDE: f64 = 0.5 * STRIDE;
/// `[units: steps]` A walking target turns this often: every 5 cells.
const TURN_EVERY: u32 = 50;
/// Cells to a side of a field: 100 x 100 cells.
const SCALE: usize = 5;
const SIDE: usize = 20 * SCALE;

const MARKS: [char; 3] = ['A', 'B', 'C'];
/// Lee, ours, and the published rules, by values that work and by values that do not.
const METHODS: usize = 4;
/// The last of them.
const DEAF: usize = 3;
/// The maps that are drawn.
const SHOWN: [usize; 3] = [0, 2, 1];
/// The share of all runs that must catch, by the published rules.
const CAUGHT: f64 = 0.95;
/// Steps as published, `[target][method][pursuer]`: Lee and wave.
const PUBLISHED: [[[f64; 3]; 2]; 2] = [
    [[769.0, 406.0, 745.0], [632.0, 313.0, 584.0]],
    [[1104.0, 747.0, 450.0], [905.0, 654.0, 439.0]],
];
/// Their quotients as SPEC states them, `[target][pursuer]`.
const RATIOS: [[f64; 3]; 2] = [[0.82, 0.77, 0.78], [0.82, 0.88, 0.98]];
const TARGETS: [&str; 2] = ["still", "random walk"];

/// Steps until capture, `None` where there was none: `[method][pursuer]`.
type Scene = [[Option<u32>; 3]; METHODS];

pub(super) fn ticks(seeds: u64) -> u64 {
    2 * seeds * PLANS.len() as u64
}

pub(super) fn rows(seeds: u64, tick: &(dyn Fn() + Sync)) -> Result<Vec<Row>, ReproduceError> {
    let mut rows = Vec::new();
    for target in 0..2 {
        let jobs: Vec<_> = (0..seeds).flat_map(|s| (0..PLANS.len()).map(move |p| (s, p))).collect();
        let run = |&(seed, plan): &(u64, usize)| {
            let runs = play(&PLANS[plan], plan, seed, target == 1);
            tick();
            runs.map(|runs| runs.map(|run| run.caught))
        };
        let scenes: Vec<Scene> =
            jobs.par_iter().with_max_len(1).map(run).collect::<Result<_, _>>()?;
        (0..3).for_each(|pursuer| cell(target, pursuer, &scenes, &mut rows));
    }
    Ok(rows)
}

/// The rows of one cell of the table.
fn cell(target: usize, pursuer: usize, scenes: &[Scene], rows: &mut Vec<Row>) {
    let place = format!("{}, {}", TARGETS[target], MARKS[pursuer]);
    let published = RATIOS[target][pursuer];
    for method in 1..METHODS {
        let (by, name, _) = method_names(method);
        // Every run has steps, so there is a ratio.
        let Some(against) = Against::new(scenes, method, pursuer) else { continue };
        let all = against.all;
        let both = match against.both {
            Some(both) => format!("where both caught it {both:.3}"),
            None => "never did both catch it".to_owned(),
        };
        let below = if all.high <= published { "all of it below" } else { "not all of it below" };
        rows.push(Row {
            of: if method == DEAF { Of::Contrast } else { Of::Source },
            case: format!("{place}: {name} / Lee"),
            by,
            published: Some(Figure::Number(published)),
            measured: Figure::Number(all.mean),
            holds: Some(
                all.mean <= published && against.both.is_some_and(|both| both <= published),
            ),
            detail: format!(
                "95 % interval {:.3} to {:.3}, {below}; {both}; {}",
                all.low, all.high, against.maps
            ),
        });
    }
    for method in 0..METHODS {
        let (by, name, source) = method_names(method);
        let caught = scenes.iter().filter(|s| s[method][pursuer].is_some()).count();
        let steps: f64 = scenes.iter().map(|s| count(s[method][pursuer])).sum();
        rows.push(Row {
            of: if method == DEAF { Of::Contrast } else { Of::Source },
            case: format!("{place}: steps, {name}"),
            by,
            published: source.map(|m| Figure::Number(PUBLISHED[target][m][pursuer])),
            measured: Figure::Number(steps / scenes.len() as f64),
            // Steps on other maps than the source's say nothing, but each pursuer must catch its
            // target.
            holds: match by {
                By::Ours => Some(caught == scenes.len()),
                By::Published if method != DEAF => {
                    Some(caught as f64 >= CAUGHT * scenes.len() as f64)
                }
                By::Published | By::Baseline => None,
            },
            detail: format!("caught in {caught} of {} runs", scenes.len()),
        });
    }
}

/// Whose it is, its name, and its row in [`PUBLISHED`].
fn method_names(method: usize) -> (By, &'static str, Option<usize>) {
    match method {
        0 => (By::Baseline, "Lee", Some(0)),
        1 => (By::Ours, "ours", None),
        2 => (By::Published, "published rules", Some(1)),
        _ => (By::Published, "published rules, threshold 0.01, delta * d = 0.98", None),
    }
}

fn count(steps: Option<u32>) -> f64 {
    f64::from(steps.unwrap_or(CAP))
}

/// A method's steps over Lee's.
struct Against {
    /// Over all maps and seeds.
    all: Estimate,
    /// Over the runs in which both caught the target, if there are any.
    both: Option<f64>,
    /// Map by map.
    maps: String,
}

impl Against {
    fn new(scenes: &[Scene], method: usize, pursuer: usize) -> Option<Self> {
        let steps = |s: &Scene| [s[method][pursuer], s[0][pursuer]];
        // Seed by seed, all maps together.
        let sum = |maps: &[Scene], who: usize| maps.iter().map(|s| count(steps(s)[who])).sum();
        let sums: Vec<(f64, f64)> =
            scenes.chunks(PLANS.len()).map(|maps| (sum(maps, 0), sum(maps, 1))).collect();
        let mut caught = [0.0; 2];
        for scene in scenes {
            if let [Some(ours), Some(lee)] = steps(scene) {
                caught[0] += f64::from(ours);
                caught[1] += f64::from(lee);
            }
        }
        let map = |(i, plan): (usize, &Plan)| {
            let on = scenes.iter().skip(i).step_by(PLANS.len());
            let sum = |who: usize| on.clone().map(|s| count(steps(s)[who])).sum::<f64>();
            format!("{} {:.3}", plan.name, sum(0) / sum(1))
        };
        Some(Self {
            all: Estimate::of_ratio(&sums)?,
            both: (caught[1] > 0.0).then(|| caught[0] / caught[1]),
            maps: PLANS.iter().enumerate().map(map).collect::<Vec<_>>().join(", "),
        })
    }
}

/// One scene by all methods.
fn play(plan: &Plan, number: usize, seed: u64, walks: bool) -> Result<[Run; METHODS], TrackError> {
    let walls = plan.walls(SCALE);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(2 * number as u64 + u64::from(walks));
    let mut place = |mark| plan.place(mark, &walls, &mut rng).unwrap_or_default();
    let target = place('T');
    let starts = MARKS.map(&mut place);
    let builder = || Medium::<Ix2>::builder([walls.nrows(), walls.ncols()]).walls(&walls);
    let medium = builder().build()?;
    let published = TrackerConfig::watanabe();
    let ground = Tracker::new(medium.clone(), TrackerConfig { waves: Some(1), ..published })?;
    let way = Way { ground: &ground, rng, walks };

    let mut lee = Lee::new(medium.clone(), published, STRIDE, target)?;
    starts.iter().try_for_each(|&at| lee.add_pursuer(at))?;
    let ours = WaveChase::new(medium, TrackerConfig::default(), target, &starts)?;
    let chase = |medium, config| WaveChase::new(medium, config, target, &starts);
    let near_the_limit = builder().wall_rule(WallRule::Fixed).build()?;
    Ok([
        run(lee, &way, target)?,
        run(ours, &way, target)?,
        run(chase(builder().published().build()?, published)?, &way, target)?,
        run(chase(near_the_limit, deaf(published))?, &way, target)?,
    ])
}

/// How the target walks: the same for every method.
struct Way<'a> {
    ground: &'a Tracker<Ix2>,
    rng: ChaCha8Rng,
    walks: bool,
}

/// One method's chase.
#[derive(Default)]
struct Run {
    /// Steps until each pursuer's capture.
    caught: [Option<u32>; 3],
    /// Where each pursuer was, step by step, until it had caught the target.
    ways: [Vec<DVec2>; 3],
    target: Vec<DVec2>,
}

fn run(mut chase: impl Chase<Ix2>, way: &Way<'_>, mut target: DVec2) -> Result<Run, TrackError> {
    let mut rng = way.rng.clone();
    let mut heading = DVec2::ZERO;
    let mut run = Run::default();
    for step in 1..=CAP {
        if way.walks {
            if (step - 1).is_multiple_of(TURN_EVERY) {
                heading = random_heading(&mut rng);
            }
            target = way.ground.slide(target, heading * TARGET_STRIDE)?;
            chase.set_target(target)?;
        }
        chase.step()?;
        run.target.push(target);
        for i in 0..MARKS.len() {
            let Some(at) = chase.place(i).filter(|_| run.caught[i].is_none()) else { continue };
            run.ways[i].push(at);
            if at.distance(target) <= CAPTURE {
                run.caught[i] = Some(step);
                chase.dismiss(i)?;
            }
        }
        if run.caught.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(run)
}

/// A unit vector, all directions alike: a random point of the disc, pulled to its edge.
fn random_heading(rng: &mut ChaCha8Rng) -> DVec2 {
    loop {
        let v = DVec2::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0));
        if (0.01..=1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

/// A spreading wave, and the ways of all.
pub(super) fn pictures() -> Result<Vec<Picture>, ReproduceError> {
    let trails = |walks: bool, file: &str, target: &str| {
        let mut sheet = Sheet::new([PLANS.len(), SHOWN.len()], [SIDE; 2], 3)?;
        for (number, plan) in PLANS.iter().enumerate() {
            let walls = plan.walls(SCALE);
            let runs = play(plan, number, 0, walks)?;
            for (row, &method) in SHOWN.iter().enumerate() {
                let panel = row * PLANS.len() + number;
                sheet.cells(panel, |[x, y]| if walls[[y, x]] { ink::WALL } else { ink::PAPER });
                let run = &runs[method];
                let places = |way: &[DVec2]| way.iter().map(DVec2::to_array).collect::<Vec<_>>();
                for (way, colour) in run.ways.iter().zip(ink::TRAILS) {
                    sheet.trail(panel, places(way), colour);
                }
                sheet.trail(panel, places(&run.target), ink::TARGET);
            }
        }
        let names = SHOWN.map(|method| method_names(method).1).join(", ");
        let plans = PLANS.map(|plan| plan.name).join(", ");
        let says = format!(
            "Three pursuers (A red, B blue, C green) and a target (black) that {target}; from left to \
             right: {plans}; from top to bottom: {names}. Each starts at the dot and ends at the disc."
        );
        sheet.finish(file, says)
    };
    Ok(vec![
        wave()?,
        trails(false, "trails-still", "stands")?,
        trails(true, "trails-walking", "walks about")?,
    ])
}

/// The published wave on the first map.
fn wave() -> Result<Picture, ReproduceError> {
    const STEPS: [u64; 4] = [40, 100, 180, 280];
    let plan = &PLANS[0];
    let walls = plan.walls(SCALE);
    let medium = Medium::<Ix2>::builder([SIDE; 2]).walls(&walls).published().build()?;
    let mut wave = Wave::typed(&medium)?;
    let source = plan.field('T', SCALE).unwrap_or_default();
    wave.emit(&medium, source, published_source(TrackerConfig::watanabe()))?;
    let mut sheet = Sheet::new([STEPS.len(), 1], [SIDE; 2], 3)?;
    for (panel, step) in STEPS.into_iter().enumerate() {
        wave.step(&medium, (step - wave.steps()) as usize)?;
        let z: ArrayView2<'_, f64> = wave.values();
        let swing = z.iter().fold(0.0, |most: f64, z| most.max(z.abs())) as f32;
        sheet.cells(panel, |[x, y]| {
            if walls[[y, x]] { ink::WALL } else { ink::wave(z[[y, x]] as f32, swing) }
        });
    }
    let says = format!(
        "The wave of the published rules, {} steps after the target emitted it: red above rest, blue \
         below, each panel by its own highest.",
        STEPS.map(|step| step.to_string()).join(", ")
    );
    sheet.finish("waves", says)
}
