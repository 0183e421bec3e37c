//! A tracker as plain data, and back, checked. A tracker that was read goes on with the same bits.
//! Numbers are written as their bits, because not every text format gives the last one back.

use crate::audience::EVERYWHERE;
use crate::config::{Direction, Fronts, Method, Sampling, Schedule, TrackerConfig};
use crate::error::TrackError;
use crate::front::TrackerFront;
use crate::ground::{Cells, Ground};
use crate::pursuer::{Pursuer, PursuerRecord};
use crate::schedule::Crowd;
use crate::targets::{Targets, TargetsRecord};
use crate::tracker::{Tracker, check_links, check_origin};
use crate::walls::Standing;
use crate::waves::{Carrier, Dense, Emission, Waves};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use wave_core::{Medium, Source, Space, Wave};

/// `[x, y, z]`, each as its bits.
pub(crate) type Bits = [u64; 3];

pub(crate) fn bits(p: Cells) -> Bits {
    p.map(f64::to_bits)
}

/// The number of these bits, if it is finite.
pub(crate) fn number(what: &'static str, bits: u64) -> Result<f64, TrackError> {
    let value = f64::from_bits(bits);
    if value.is_finite() { Ok(value) } else { Err(TrackError::Snapshot { what }) }
}

/// The length of these bits, if it is finite and not negative.
pub(crate) fn length(what: &'static str, bits: u64) -> Result<f64, TrackError> {
    let value = number(what, bits)?;
    if value >= 0.0 { Ok(value) } else { Err(TrackError::Snapshot { what }) }
}

pub(crate) fn numbers(what: &'static str, [x, y, z]: Bits) -> Result<Cells, TrackError> {
    Ok([number(what, x)?, number(what, y)?, number(what, z)?])
}

/// A place on the grid.
pub(crate) fn place<D: Space>(
    ground: Ground<'_, D>,
    what: &'static str,
    at: Bits,
) -> Result<Cells, TrackError> {
    let at = numbers(what, at)?;
    let is_flat = at[D::AXES..].iter().all(|&z| z == 0.0);
    if is_flat && ground.covers(at) { Ok(at) } else { Err(TrackError::Snapshot { what }) }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum MethodRecord {
    Published {
        threshold: u64,
        kind: u8,
        amplitude: u64,
        steps: u32,
        schedule: Schedule,
        direction: Direction,
        sampling: Sampling,
    },
    Wake,
    PerEmission,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigRecord {
    method: MethodRecord,
    fronts: Fronts,
    waves: Option<usize>,
    lifetime: Option<u32>,
    close_range: u64,
    arrival_range: u64,
    areas_slow_pursuers: bool,
    #[serde(default = "nowhere")]
    narrow_from: u64,
}

/// In older snapshots waves go everywhere.
fn nowhere() -> u64 {
    u64::MAX
}

impl From<&TrackerConfig> for ConfigRecord {
    fn from(config: &TrackerConfig) -> Self {
        let method = match config.method {
            Method::Wake => MethodRecord::Wake,
            Method::PerEmission => MethodRecord::PerEmission,
            Method::Published { threshold, source, schedule, direction, sampling } => {
                let (kind, amplitude, steps) = match source {
                    Source::Impulse { amplitude } => (0, amplitude, 0),
                    Source::Kick { amplitude } => (1, amplitude, 0),
                    Source::Pulse { amplitude, steps } => (2, amplitude, steps),
                };
                let [threshold, amplitude] = [threshold, amplitude].map(f64::to_bits);
                MethodRecord::Published {
                    threshold,
                    kind,
                    amplitude,
                    steps,
                    schedule,
                    direction,
                    sampling,
                }
            }
        };
        Self {
            method,
            fronts: config.fronts,
            waves: config.waves,
            lifetime: config.lifetime,
            close_range: config.close_range.to_bits(),
            arrival_range: config.arrival_range.to_bits(),
            areas_slow_pursuers: config.areas_slow_pursuers,
            narrow_from: config.narrow_from,
        }
    }
}

impl ConfigRecord {
    fn config(&self) -> Result<TrackerConfig, TrackError> {
        let method = match self.method {
            MethodRecord::Wake => Method::Wake,
            MethodRecord::PerEmission => Method::PerEmission,
            MethodRecord::Published {
                threshold,
                kind,
                amplitude,
                steps,
                schedule,
                direction,
                sampling,
            } => {
                let [threshold, amplitude] = [threshold, amplitude].map(f64::from_bits);
                let source = match kind {
                    0 => Source::Impulse { amplitude },
                    1 => Source::Kick { amplitude },
                    2 => Source::Pulse { amplitude, steps },
                    _ => return Err(TrackError::Snapshot { what: "kind of source" }),
                };
                Method::Published { threshold, source, schedule, direction, sampling }
            }
        };
        let config = TrackerConfig {
            method,
            fronts: self.fronts,
            waves: self.waves,
            lifetime: self.lifetime,
            close_range: f64::from_bits(self.close_range),
            arrival_range: f64::from_bits(self.arrival_range),
            areas_slow_pursuers: self.areas_slow_pursuers,
            narrow_from: self.narrow_from,
        };
        config.check()?;
        Ok(config)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
enum CarrierRecord<'a, D: Space> {
    Dense(Cow<'a, [Wave<D, f64>]>),
    Fronts(Cow<'a, [TrackerFront<D>]>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmissionRecord {
    number: u64,
    #[serde(default)]
    repairs: u64,
    sources: Vec<Bits>,
    turn: u64,
    era: u64,
    range: Option<u64>,
    #[serde(default)]
    walked: Option<u64>,
    #[serde(default = "everywhere")]
    tries: u8,
}

/// Waves of older snapshots.
fn everywhere() -> u8 {
    EVERYWHERE
}

impl EmissionRecord {
    /// The emission, of targets that have walked so far since.
    fn emission<D: Space>(
        &self,
        ground: Ground<'_, D>,
        walked: f64,
    ) -> Result<Emission, TrackError> {
        // The targets count turns; no count gets this high.
        let is_counted = self.turn >> 60 == 0 && self.repairs < self.number.max(1);
        if !is_counted || self.tries > EVERYWHERE {
            return Err(TrackError::Snapshot { what: "emissions" });
        }
        let then = self.walked.map(|then| length("walked length", then)).transpose()?;
        if then.is_some_and(|then| then > walked) {
            return Err(TrackError::Snapshot { what: "walked length" });
        }
        let sources = self.sources.iter().map(|&at| place(ground, "source", at));
        Ok(Emission {
            number: self.number,
            repairs: self.repairs,
            sources: sources.collect::<Result<_, _>>()?,
            turn: self.turn,
            era: self.era,
            walked: then,
            range: self.range,
            tries: self.tries,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
struct TrackerRecord<'a, D: Space> {
    axes: usize,
    medium: Cow<'a, Medium<D>>,
    config: ConfigRecord,
    carrier: CarrierRecord<'a, D>,
    emissions: Vec<EmissionRecord>,
    order: Vec<usize>,
    newest: u64,
    emitted: Option<(u64, u64)>,
    turn: usize,
    emitted_cells: Vec<[usize; 3]>,
    targets: TargetsRecord,
    fastest: u64,
    pursuers: Vec<PursuerRecord>,
    next_id: u64,
    steps: u64,
    edits: u64,
    era: u64,
    updates: u64,
    edited: u64,
    frames: u64,
    /// The points that pursuers looked at in the last step, also those that were removed since.
    #[serde(default)]
    points: Option<u64>,
}

impl<D: Space> Tracker<D> {
    fn record(&self) -> TrackerRecord<'_, D> {
        let waves = &self.waves;
        let emission = |e: &Emission| EmissionRecord {
            number: e.number,
            repairs: e.repairs,
            sources: e.sources.iter().copied().map(bits).collect(),
            turn: e.turn,
            era: e.era,
            range: e.range,
            walked: e.walked.map(f64::to_bits),
            tries: e.tries,
        };
        let (era, revision) = self.acted;
        let in_doubt = |mut pursuer: Pursuer<D>| {
            pursuer.doubt(revision != self.medium.revision(), era != self.era);
            pursuer
        };
        TrackerRecord {
            axes: D::AXES,
            medium: Cow::Borrowed(&self.medium),
            config: (&self.config).into(),
            carrier: match &waves.carrier {
                Carrier::Dense(dense) => CarrierRecord::Dense(Cow::Borrowed(&dense.waves)),
                Carrier::Fronts(fronts) => CarrierRecord::Fronts(Cow::Borrowed(fronts)),
            },
            emissions: waves.emissions.iter().map(emission).collect(),
            order: waves.order.clone(),
            newest: waves.newest,
            emitted: waves.emitted,
            turn: waves.turn,
            emitted_cells: waves.emitted_cells.iter().map(|&c| D::to_zyx(c)).collect(),
            targets: self.targets.record(),
            fastest: self.fastest.to_bits(),
            pursuers: self.pursuers.iter().cloned().map(in_doubt).map(|p| p.record()).collect(),
            next_id: self.next_id,
            steps: self.steps,
            edits: self.edits,
            era: self.era,
            updates: self.updates,
            edited: self.edited,
            frames: self.frames,
            points: Some(self.crowd.points),
        }
    }

    fn from_record(from: TrackerRecord<'_, D>) -> Result<Self, TrackError> {
        let wrong = |what| Err(TrackError::Snapshot { what });
        if from.axes != D::AXES {
            return wrong("number of axes");
        }
        let config = from.config.config()?;
        let medium = from.medium.into_owned();
        check_origin(&medium)?;
        check_links(&medium, &config)?;
        let ground = Ground::new(&medium);
        let counts = [from.steps, from.edits, from.era, from.updates, from.edited, from.frames];
        if counts.into_iter().chain([from.newest, from.next_id]).any(|count| count >> 60 != 0) {
            return wrong("count");
        }
        // Each of them counts hundreds of updates.
        if from.points.is_some_and(|points| points >> 48 != 0) {
            return wrong("number of points");
        }
        let n = config.wave_count();
        let carrier = match (from.carrier, config.method) {
            (
                CarrierRecord::Dense(waves),
                Method::Published { threshold, source, schedule, direction, sampling },
            ) if waves.len() == n && waves.iter().all(|wave| wave.fits(&medium)) => {
                let waves = waves.into_owned();
                Carrier::Dense(Dense { waves, source, threshold, schedule, direction, sampling })
            }
            (CarrierRecord::Fronts(fronts), Method::Wake | Method::PerEmission)
                if fronts.len() == n
                    && fronts.iter().all(|front| front.fits(&medium, config.fronts)) =>
            {
                Carrier::Fronts(fronts.into_owned())
            }
            _ => return wrong("waves"),
        };
        let targets = Targets::from_record(&from.targets, ground)?;
        let mut waves = Waves::with(carrier, n);
        // Eras are counted by the tracker.
        let is_ahead = |e: &EmissionRecord| e.number > from.newest || e.era > from.era;
        if from.emissions.len() != n || from.emissions.iter().any(is_ahead) {
            return wrong("emissions");
        }
        for (emission, e) in waves.emissions.iter_mut().zip(&from.emissions) {
            *emission = e.emission(ground, targets.walked())?;
        }
        let mut seen = vec![false; n];
        for &slot in &from.order {
            match seen.get_mut(slot) {
                Some(seen) if !*seen => *seen = true,
                _ => return wrong("order of waves"),
            }
        }
        // The newest was emitted before now, on the map as it was then.
        if from.emitted.is_some_and(|(step, edits)| step > from.steps || edits > from.edits) {
            return wrong("step of the newest emission");
        }
        (waves.order, waves.newest) = (from.order, from.newest);
        (waves.emitted, waves.turn) = (from.emitted, from.turn.min(n));
        waves.emitted_cells = from.emitted_cells.iter().map(|&c| D::from_zyx(c)).collect();
        let fastest = number("speed", from.fastest)?;
        // The limits of a medium.
        let courant = fastest * medium.dt() / medium.spacing();
        if !(2f64.powi(-26)..=1.0).contains(&(courant * courant)) {
            return wrong("fastest speed");
        }
        let mut tracker = Self {
            waves,
            fastest,
            config,
            targets,
            pursuers: Vec::with_capacity(from.pursuers.len().min(1 << 16)),
            next_id: from.next_id,
            steps: from.steps,
            edits: from.edits,
            era: from.era,
            acted: (from.era, medium.revision()),
            updates: from.updates,
            edited: from.edited,
            frames: from.frames,
            crowd: Crowd::default(),
            top_speed: None,
            standing: Standing::default(),
            medium,
        };
        for target in tracker.targets() {
            tracker.free_place("target", D::to_xyz(target))?;
        }
        for record in &from.pursuers {
            let ground = Ground::new(&tracker.medium);
            let pursuer = Pursuer::from_record(record, ground, tracker.config.method)?;
            tracker.checked_speed(pursuer.speed)?;
            let last = tracker.pursuers.last();
            if last.is_some_and(|last| last.id >= pursuer.id)
                || pursuer.id.number() >= tracker.next_id
            {
                return wrong("pursuer's number");
            }
            if pursuer.hears > tracker.waves.newest {
                return wrong("pursuer's wave");
            }
            tracker.pursuers.push(pursuer);
        }
        tracker.count_crowd();
        tracker.crowd.points = from.points.unwrap_or(tracker.crowd.points);
        Ok(tracker)
    }
}

impl<D: Space> Serialize for Tracker<D> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.record().serialize(serializer)
    }
}

/// Data written by another type, or that cannot be a tracker, is refused with the words of a
/// [`TrackError`].
impl<'de, D: Space> Deserialize<'de> for Tracker<D> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_record(TrackerRecord::deserialize(deserializer)?).map_err(T::Error::custom)
    }
}
