//! How pursuers follow waves, as data.

use serde::{Deserialize, Serialize};
use wave_core::{MediumBuilder, Source, Space};
use wave_track::{Direction, Fronts, Method, Sampling, Schedule, TrackerConfig};

/// How pursuers follow waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tracking {
    /// By which rules.
    #[serde(default)]
    pub rule: TrackingRule,
    /// What kind of fronts, unless published.
    #[serde(default)]
    pub fronts: FrontKind,
    /// `[units: waves] [limits: 1 to 8; at least 2 unless published] suggested: leave out` How many
    /// waves are under way at most.
    pub waves: Option<usize>,
    /// `[units: steps] [limits: waves to 2^30] suggested: leave out` The lifetime of a wave.
    pub lifetime: Option<u32>,
    /// `[units: of z] [limits: > 0, <= 10^6] suggested: leave out` For published rules alone:
    /// what |z| must pass for a wave to have come.
    pub threshold: Option<f64>,
    /// For published rules alone: what is emitted.
    pub source: Option<SourceKind>,
    /// `[units: of z] [limits: > 0, <= 10^6] suggested: leave out; else 1` For published rules
    /// alone: the amplitude.
    pub amplitude: Option<f64>,
    /// For published rules alone: when waves are emitted.
    pub schedule: Option<ScheduleKind>,
    /// For published rules alone: where pursuers go when a wave comes.
    pub direction: Option<DirectionKind>,
    /// For published rules alone: where pursuers read a wave.
    pub sampling: Option<SamplingKind>,
    /// `[units: 1] [limits: > 0 to 1] suggested: leave out; else 0.5` For published rules alone:
    /// the time step by how near it is to the limit of stability: `delta * d`, where d is the
    /// number of axes.
    pub stability: Option<f64>,
    /// `[units: 1 / time] [limits: 0 to 10^6] suggested: 0` For published rules alone: the damping
    /// of the waves.
    #[serde(default)]
    pub damping: f64,
}

/// What dense waves are emitted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// The cell gets the amplitude; its value of the step before stays.
    Kick,
    /// The cell gets the amplitude now and for the step before.
    Impulse,
}

/// When dense waves are emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleKind {
    /// Several in turn, each for its lifetime.
    Periodic,
    /// One, cleared for all and emitted again when it has come to a pursuer.
    OnArrival,
}

/// Where pursuers read a dense wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SamplingKind {
    /// Where they stand, between the centres of cells.
    Position,
    /// At the centre of the cell that they stand in.
    Cell,
}

/// Where pursuers go when a dense wave comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DirectionKind {
    /// Along the gradient of z, as printed.
    Gradient,
    /// Toward higher |z|.
    TowardCrest,
}

/// By which rules pursuers follow waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TrackingRule {
    /// Fronts, and the way the last wave came.
    #[default]
    Wake,
    /// Fronts; straight on from one wave to the next.
    PerEmission,
    /// Watanabe's: dense waves and a threshold; straight on from one wave to the next. Three waves,
    /// each of 300 steps.
    #[serde(alias = "published")]
    Watanabe,
    /// Kumagai's: the same with one wave, which is emitted again when it has come to a pursuer.
    Kumagai,
}

/// What kind of fronts waves run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum FrontKind {
    /// Of waves short beside everything they meet.
    #[default]
    ShortWaves,
    /// The wave equation in every cell: waves of some cells' length.
    Waves,
}

impl From<FrontKind> for Fronts {
    fn from(kind: FrontKind) -> Self {
        match kind {
            FrontKind::ShortWaves => Self::ShortWaves,
            FrontKind::Waves => Self::Waves,
        }
    }
}

impl Tracking {
    /// The configuration of a tracker. Keys that are left out are as in the rule.
    pub(crate) fn config(&self) -> TrackerConfig {
        let ours = |method| TrackerConfig { method, ..TrackerConfig::default() };
        let mut config = match self.rule {
            TrackingRule::Wake => ours(Method::Wake),
            TrackingRule::PerEmission => ours(Method::PerEmission),
            TrackingRule::Watanabe => TrackerConfig::watanabe(),
            TrackingRule::Kumagai => TrackerConfig::kumagai(),
        };
        config.fronts = self.fronts.into();
        // Another schedule has another number of waves.
        let preset = config.waves.filter(|_| self.schedule.is_none());
        config.waves = self.waves.or(preset);
        config.lifetime = self.lifetime.or(config.lifetime);
        if let Method::Published { threshold, source, schedule, direction, sampling } =
            &mut config.method
        {
            let amplitude = self.amplitude.unwrap_or(source.amplitude());
            // Left out, it is in proportion to the amplitude.
            *threshold = self.threshold.unwrap_or(*threshold * amplitude);
            *source = match (self.source, &*source) {
                (Some(SourceKind::Impulse), _) | (None, Source::Impulse { .. }) => {
                    Source::Impulse { amplitude }
                }
                _ => Source::Kick { amplitude },
            };
            *schedule = self.schedule.map_or(*schedule, |kind| match kind {
                ScheduleKind::Periodic => Schedule::Periodic,
                ScheduleKind::OnArrival => Schedule::OnArrival,
            });
            *direction = self.direction.map_or(*direction, |kind| match kind {
                DirectionKind::TowardCrest => Direction::TowardCrest,
                DirectionKind::Gradient => Direction::Gradient,
            });
            *sampling = self.sampling.map_or(*sampling, |kind| match kind {
                SamplingKind::Position => Sampling::Position,
                SamplingKind::Cell => Sampling::Cell,
            });
        }
        config
    }

    /// Walls, damping and time step as published, where the rule is.
    pub(crate) fn medium<'m, D: Space>(
        &self,
        builder: MediumBuilder<'m, D>,
    ) -> MediumBuilder<'m, D> {
        if !self.rule.is_published() {
            return builder;
        }
        let builder = builder.published().damping(self.damping);
        self.stability.into_iter().fold(builder, MediumBuilder::stability)
    }
}

impl TrackingRule {
    /// The source's of a map with so many dimensions: watanabe's in 2D, kumagai's in 3D.
    pub(crate) fn published(dimensions: usize) -> Self {
        if dimensions == 2 { Self::Watanabe } else { Self::Kumagai }
    }

    /// Whether it is a source's.
    pub(crate) fn is_published(self) -> bool {
        matches!(self, Self::Watanabe | Self::Kumagai)
    }
}
