//! One pursuer, one still target, entry by entry of a MovingAI scenario: how long are its ways?

use crate::maps::{Class, Entry, MapFile, Regions};
use crate::memory;
use crate::quantile::nearest_rank;
use crate::scenario::{Tracking, TrackingRule};
use ndarray::{Axis, Ix2, Ix3};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Mutex;
use wave_core::glam::{DVec2, DVec3};
use wave_core::{Medium, MediumBuilder, Space};
use wave_track::{Fronts, PursuerState, TrackError, Tracker, TrackerConfig};
use xxhash_rust::xxh3::Xxh3;

/// `[units: cells per step]` How fast the pursuer walks.
const STRIDE: f64 = 0.5;

/// How an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// An end on a blocked cell, or the ends in different terrain classes.
    Skipped,
    /// The wave ended and had not come to the pursuer: no way exists. (As published, waves do not
    /// end: there a flood fill says so.)
    Unreachable,
    /// The pursuer stands on the goal's centre; as published, it is within a cell of it.
    Arrived,
    /// A way exists, but the pursuer did not arrive.
    Lost,
}

/// The result of one entry.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Walk {
    /// How it ended.
    pub outcome: Outcome,
    /// `[units: cells]` The length of the walk.
    pub walked: f64,
    /// Solver steps until the end.
    pub steps: u64,
    /// Cell updates of the wave.
    pub updates: u64,
    /// Cells that the wave reached.
    pub reached: u64,
}

impl Walk {
    const SKIPPED: Self =
        Self { outcome: Outcome::Skipped, walked: 0.0, steps: 0, updates: 0, reached: 0 };
}

/// Figures over all entries; the keys of `pursue --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The map's name.
    pub map: String,
    /// Entries that were run.
    pub entries: usize,
    /// See [`Outcome::Skipped`].
    pub skipped: usize,
    /// See [`Outcome::Unreachable`].
    pub unreachable: usize,
    /// See [`Outcome::Arrived`].
    pub arrived: usize,
    /// See [`Outcome::Lost`].
    pub lost: usize,
    /// Walked length over the published optimal length, mean over arrived entries that have one.
    pub ratio_mean: Option<f64>,
    /// The same, the smallest value that 95 % do not exceed.
    pub ratio_p95: Option<f64>,
    /// The same, largest.
    pub ratio_max: Option<f64>,
    /// Cell updates over cells reached, all waves taken together.
    pub updates_per_cell: Option<f64>,
    /// Seconds of wall time, once the map was read and its media were made.
    pub seconds: f64,
    /// Equal for equal results, whatever the number of threads.
    pub state_hash: String,
}

/// The rules of the pursuit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rules {
    /// Published ones throughout, with walls as published; [`Rules::published`] are a map's. A
    /// pursuer one cell from the goal has arrived.
    Published(Tracking),
    /// Ours, with free walls.
    Ours(Fronts),
}

impl Rules {
    /// Watanabe's in 2D, kumagai's in 3D.
    #[must_use]
    pub fn published(map: &MapFile) -> Self {
        let rule = TrackingRule::published(map.dimensions());
        Self::Published(Tracking { rule, ..Tracking::default() })
    }

    fn medium<'m, D: Space>(&self, builder: MediumBuilder<'m, D>) -> MediumBuilder<'m, D> {
        match self {
            Self::Published(tracking) => tracking.medium(builder),
            Self::Ours(_) => builder,
        }
    }
}

/// The ends that a level names: from every start to every goal, without a published length.
#[must_use]
pub fn entries_of(map: &MapFile) -> Vec<Entry> {
    let layers = map.layers();
    let ends =
        layers.starts.iter().flat_map(|&start| layers.goals.iter().map(move |&g| (start, g)));
    ends.map(|(start, goal)| Entry { start, goal, optimal: 0.0, line: 0 }).collect()
}

/// Runs all entries in the current rayon pool; `progress` is told of each that is done.
///
/// # Errors
/// The errors of [`Tracker`]; entries are checked before, so there should be none.
pub fn run(
    map: &MapFile,
    entries: &[Entry],
    rules: Rules,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Walk>, TrackError> {
    Ready::new(map, entries, rules)?.run(progress)
}

/// `[units: bytes]` The memory for each entry when entries of a map run side by side.
pub(crate) fn memory_of(map: &MapFile, rules: Rules) -> u64 {
    let shape = map.shape().map(|side| side as u64);
    let short = rules == Rules::Ours(Fronts::ShortWaves) && map.layers().speeds.is_none();
    if short { memory::of_walls(shape) } else { memory::of_map(shape) }
}

/// Entries of a map that can be run at once: the map is made for the walkers of these entries.
pub struct Ready<'a> {
    map: &'a MapFile,
    entries: &'a [Entry],
    rules: Rules,
    media: Media,
}

/// One medium for each class that is walked on.
enum Media {
    Flat(Vec<(Class, Medium<Ix2>)>),
    Deep(Vec<(Class, Medium<Ix3>)>),
}

impl<'a> Ready<'a> {
    /// Makes the media of the map.
    ///
    /// # Errors
    /// As [`run`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn new(map: &'a MapFile, entries: &'a [Entry], rules: Rules) -> Result<Self, TrackError> {
        let speeds = map.layers().speeds.as_ref().map(|speeds| speeds.mapv(|v| v as f32));
        let walked =
            |class: &Class| entries.iter().any(|entry| class_of(map, entry) == Some(*class));
        let classes = [Class::Ground, Class::Water].into_iter().filter(walked);
        let media = if map.dimensions() == 2 {
            let medium = |class| {
                let walls_2d = map.walls(class).index_axis_move(Axis(0), 0);
                let shape = [walls_2d.dim().0, walls_2d.dim().1];
                let builder = Medium::<Ix2>::builder(shape).walls(&walls_2d);
                let builder = rules.medium(builder);
                let speeds = speeds.clone().map(|speeds| speeds.index_axis_move(Axis(0), 0));
                Ok((class, speeds.iter().fold(builder, |b, speeds| b.speeds(speeds)).build()?))
            };
            Media::Flat(classes.map(medium).collect::<Result<_, TrackError>>()?)
        } else {
            let medium = |class| {
                let blocked = map.walls(class);
                let builder = Medium::<Ix3>::builder(map.shape()).walls(&blocked);
                let builder = rules.medium(builder);
                Ok((class, speeds.iter().fold(builder, |b, speeds| b.speeds(speeds)).build()?))
            };
            Media::Deep(classes.map(medium).collect::<Result<_, TrackError>>()?)
        };
        Ok(Self { map, entries, rules, media })
    }

    /// Runs all entries in the current rayon pool; `progress` is told of each that is done.
    ///
    /// # Errors
    /// As [`run`](fn@run).
    pub fn run(&self, progress: &(dyn Fn() + Sync)) -> Result<Vec<Walk>, TrackError> {
        match &self.media {
            Media::Flat(media) => {
                self.run_in(media, progress, |[_, y, x]| DVec2::new(x as f64, y as f64))
            }
            Media::Deep(media) => {
                self.run_in(media, progress, |[z, y, x]| DVec3::new(x as f64, y as f64, z as f64))
            }
        }
    }

    fn run_in<D: Space>(
        &self,
        media: &[(Class, Medium<D>)],
        progress: &(dyn Fn() + Sync),
        centre: impl Fn([usize; 3]) -> D::Point + Sync,
    ) -> Result<Vec<Walk>, TrackError> {
        let Self { map, entries, rules, .. } = *self;
        let config = match rules {
            Rules::Published(tracking) => tracking.config(),
            // One still target is one emission; on a large map the second wave is the next try
            // where one falls short.
            Rules::Ours(fronts) => {
                TrackerConfig { fronts, waves: Some(2), ..TrackerConfig::default() }
            }
        };
        let mut walks = vec![Walk::SKIPPED; entries.len()];
        // A dense wave never ends, so as published no pursuer is told that no way exists.
        let regions = matches!(rules, Rules::Published(_)).then(|| Regions::new(map));
        let cut_off = |e: &Entry| regions.as_ref().is_some_and(|r| !r.same(e.start, e.goal));
        for (class, medium) in media {
            let of_class = |(entry, _): &(&Entry, _)| class_of(map, entry) == Some(*class);
            let mut jobs: Vec<(&Entry, &mut Walk)> =
                entries.iter().zip(&mut walks).filter(of_class).collect();
            // Trackers are large: they are handed from entry to entry.
            let idle = Mutex::new(Vec::new());
            // Side by side they take no more than the limit together.
            let abreast = ((memory::limit() / memory_of(map, rules)) as usize).max(1);
            let one_by_one = jobs.len().div_ceil(abreast.min(rayon::current_num_threads()));
            let least = if abreast < rayon::current_num_threads() { one_by_one } else { 1 };
            jobs.par_iter_mut().with_min_len(least).with_max_len(least).try_for_each(
                |(entry, walk)| {
                    if cut_off(entry) {
                        **walk = Walk { outcome: Outcome::Unreachable, ..Walk::SKIPPED };
                        progress();
                        return Ok(());
                    }
                    let spare = idle.lock().ok().and_then(|mut idle| idle.pop());
                    let mut tracker = match spare {
                        Some(tracker) => tracker,
                        None => Tracker::new(medium.clone(), config)?,
                    };
                    **walk = walk_one(&mut tracker, centre(entry.start), centre(entry.goal))?;
                    if let Ok(mut idle) = idle.lock() {
                        idle.push(tracker);
                    }
                    progress();
                    Ok::<(), TrackError>(())
                },
            )?;
        }
        Ok(walks)
    }
}

/// The class of an entry's ends, if it is one.
fn class_of(map: &MapFile, entry: &Entry) -> Option<Class> {
    map.class(entry.start).filter(|_| map.class(entry.start) == map.class(entry.goal))
}

fn walk_one<D: Space>(
    tracker: &mut Tracker<D>,
    start: D::Point,
    goal: D::Point,
) -> Result<Walk, TrackError> {
    tracker.reset();
    tracker.set_target(goal)?;
    let speed = STRIDE * tracker.medium().spacing() / tracker.medium().dt();
    let id = tracker.add_pursuer(start, speed)?;
    // The wave takes 1.2 to 1.8 steps a cell and the walk 2, so 8 times the wave's time is a way
    // four times too long. As published, a pursuer that hears nothing for two lifetimes never will.
    let lifetime = u64::from(tracker.config().fixed_lifetime());
    let mut deadline = None;
    let mut moved = 0;
    let outcome = loop {
        let walked = tracker.pursuer(id)?.walked();
        tracker.step()?;
        let pursuer = tracker.pursuer(id)?;
        let steps = tracker.steps();
        if pursuer.walked() > walked {
            moved = steps;
            deadline.get_or_insert(1000 + 8 * steps);
        }
        match pursuer.state() {
            PursuerState::Arrived => break Outcome::Arrived,
            PursuerState::TargetUnreachable => break Outcome::Unreachable,
            _ if deadline.is_some_and(|deadline| steps > deadline) => break Outcome::Lost,
            _ if !tracker.waves().is_empty() && steps > moved + 2 * lifetime => {
                break Outcome::Lost;
            }
            _ => {}
        }
    };
    Ok(Walk {
        outcome,
        walked: tracker.pursuer(id)?.walked() / tracker.medium().spacing(),
        steps: tracker.steps(),
        updates: tracker.updates(),
        reached: tracker.fronts().map(|f| f.reached_cells() as u64).sum(),
    })
}

/// Figures over the walks of `entries`.
#[must_use]
pub fn summarise(map: &str, entries: &[Entry], walks: &[Walk], seconds: f64) -> Summary {
    let count = |outcome| walks.iter().filter(|w| w.outcome == outcome).count();
    let mut ratios: Vec<f64> = entries
        .iter()
        .zip(walks)
        .filter(|(e, w)| w.outcome == Outcome::Arrived && e.start != e.goal && e.optimal > 0.0)
        .map(|(e, w)| w.walked / e.optimal)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let updates: u64 = walks.iter().map(|w| w.updates).sum();
    let reached: u64 = walks.iter().map(|w| w.reached).sum();
    let mut hash = Xxh3::new();
    for w in walks {
        let words = [w.outcome as u64, w.walked.to_bits(), w.steps, w.updates, w.reached];
        for word in words {
            hash.update(&word.to_le_bytes());
        }
    }
    Summary {
        map: map.to_owned(),
        entries: walks.len(),
        skipped: count(Outcome::Skipped),
        unreachable: count(Outcome::Unreachable),
        arrived: count(Outcome::Arrived),
        lost: count(Outcome::Lost),
        ratio_mean: (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64),
        ratio_p95: nearest_rank(&ratios, 95),
        ratio_max: ratios.last().copied(),
        updates_per_cell: (reached > 0).then(|| updates as f64 / reached as f64),
        seconds,
        state_hash: format!("{:016x}", hash.digest()),
    }
}
