//! How pursuit works: by the published method or by ours.

use crate::error::TrackError;
use wave_core::Source;

/// What counts as the arrival of a wave, and what a pursuer does between two waves.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum Method {
    /// Ours. Only the fronts of the waves are computed, and every cell remembers when the last wave
    /// came and from where. Between two waves a pursuer follows that, in straight lines from one
    /// point that it sees to the next. The quality of its way does not depend on how many waves it
    /// hears.
    #[default]
    Wake,
    /// Fronts as in [`Method::Wake`], but a pursuer takes the direction of a wave when the wave
    /// comes, and goes straight on until the next wave comes.
    PerEmission,
    /// The published methods: dense waves. A wave has come when |z| at the pursuer passes a fixed
    /// threshold, and the pursuer goes straight on until the next wave comes.
    ///
    /// The sources state when waves are emitted and that pursuers take `+grad z`. They leave the
    /// amplitude, the threshold and the time step to the reader, and ask for care with them.
    /// [`TrackerConfig::watanabe`] and [`TrackerConfig::kumagai`] have values that work. They need
    /// a medium of [`wave_core::MediumBuilder::published`]: the default time step is so near the
    /// limit of stability that odd and even cells hardly know of each other, and the slope at a
    /// cell leads astray.
    Published {
        /// `[units: of z] [limits: finite, > 0] suggested: 10^-10 of the source's amplitude in 2D,
        /// 10^-15 in 3D` Behind corners and a few rooms away waves are this faint. If the threshold
        /// is too high, only a late echo passes it, which leads astray. A threshold as low as this
        /// hears the numerical forerunner of a wave, which runs along the axes by a cell a step and
        /// points back along them. So take the highest that works on your maps.
        threshold: f64,
        /// What is emitted. As published, the cell gets a constant amplitude. The papers do not
        /// state the cell's value one step before: [`Source::Kick`] leaves it at 0,
        /// [`Source::Impulse`] also sets it.
        source: Source,
        /// When waves are emitted.
        schedule: Schedule,
        /// Where pursuers go when a wave comes.
        direction: Direction,
        /// Where z and its gradient are read.
        sampling: Sampling,
    },
}

/// When dense waves are emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Schedule {
    /// [`TrackerConfig::waves`] waves in turn, each of a lifetime of [`TrackerConfig::lifetime`]
    /// steps (watanabe-2021, 5.2).
    #[default]
    Periodic,
    /// One wave. When it has come to a pursuer that has not arrived, it is cleared for all, and the
    /// target emits again (kumagai-2024, 2.2). It is made for one pursuer: with several, the
    /// nearest one keeps the waves from those far away.
    OnArrival,
}

/// Where a pursuer goes when a dense wave comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Direction {
    /// Along `grad z`, as printed.
    #[default]
    Gradient,
    /// Along `sign(z) grad z`, toward higher |z|. It is the same as long as the first part of a
    /// wave to come is positive.
    TowardCrest,
}

/// Where a pursuer reads a dense wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sampling {
    /// At its position, between the cells around it (watanabe-2021, eq. 16-20; in 3D ours).
    #[default]
    Position,
    /// In the cell that it stands in (kumagai-2024, 2.2).
    Cell,
}

impl Method {
    fn is_published(&self) -> bool {
        matches!(self, Self::Published { .. })
    }
}

/// What kind of fronts run under [`Method::Wake`] and [`Method::PerEmission`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fronts {
    /// Fronts of waves that are short beside everything they meet ([`wave_core::Front`]).
    #[default]
    ShortWaves,
    /// Fronts of waves that are some cells long ([`wave_core::RecordedWave`]): the wave equation
    /// itself, in every cell at every step, which takes 10 to 100 times as long. Walks are up to 9
    /// % longer. Such a wave goes through a slow area narrower than it is long as if the area were
    /// not there.
    Waves,
}

/// Settings of a [`Tracker`](crate::Tracker).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct TrackerConfig {
    /// What counts as the arrival of a wave, and what pursuers do between two waves.
    pub method: Method,
    /// What kind of fronts run, unless the method is the published one.
    pub fronts: Fronts,
    /// `[units: waves] [limits: 1 to 8; at least 2 unless published] suggested: leave out;
    /// published: 3` Waves that share the map. Left out, there are 6 with [`Method::Wake`]: for
    /// each of three ranges, one wave in use and one on its way. There are 4 with
    /// [`Method::PerEmission`], 3 with [`Method::Published`], and 1 with [`Schedule::OnArrival`].
    pub waves: Option<usize>,
    /// `[units: steps] [limits: waves to 2^30] suggested: leave out; published: 300` The lifetime T
    /// of a wave. Wave i + 1 starts T / waves steps after wave i, where the target then is; at age
    /// T a wave is cleared and emitted again. Fronts differ from that in three ways. A wave that a
    /// pursuer still needs is left alone. The next wave starts early once all pursuers have heard
    /// the last one. With [`Method::Wake`] no wave is emitted while neither the target's cell nor
    /// the map has changed, unless the target was taken away or jumped in between.
    ///
    /// Left out with [`Method::Wake`], the tracker chooses for every wave how far it runs and when
    /// the next one starts, by how long waves took to reach the pursuers. Most waves run only as
    /// far as the nearer pursuers, every second one twice as far, every fourth over the whole map.
    /// Left out otherwise, it is 300 with [`Method::Published`] and 128 with
    /// [`Method::PerEmission`].
    pub lifetime: Option<u32>,
    /// `[units: cells] [limits: finite, >= 2] suggested: 3` A pursuer this near to the target that
    /// sees it goes straight for it: a wave tells cells apart, not places within one.
    pub close_range: f64,
    /// `[units: cells] [limits: finite, > 0] suggested: 0.001` A pursuer this near to the target
    /// has [arrived](crate::PursuerState::Arrived) and stands still. That is a place, not a
    /// capture: a pursuer behind a target that walks on rarely gets so near.
    pub arrival_range: f64,
    /// Whether areas also slow pursuers: by the wave's speed there over the fastest speed when the
    /// tracker was made (that of open cells; of all cells, if none was open). Published: no.
    pub areas_slow_pursuers: bool,
    /// `[units: cells] suggested: 2^22, the default; 0 for few pursuers in the open` On maps of
    /// more cells, a wave of [`Method::Wake`] is only for the pursuers that listen: it [leaves
    /// out](wave_core::Front::emit_toward) cells that lead to none of them. So it costs the cells
    /// between a target and its pursuers, not those all around. If it does not come to all of them,
    /// the next one reaches further, and the fifth goes everywhere: the first news may then come
    /// three times as late. This needs short waves, and a map of one speed without links. Otherwise
    /// all waves go everywhere, and also where the box around the pursuers is more than a sixteenth
    /// of the map.
    pub narrow_from: u64,
}

/// The largest number of waves.
pub(crate) const MAX_WAVES: usize = 8;

impl Default for TrackerConfig {
    fn default() -> Self {
        Self {
            method: Method::default(),
            fronts: Fronts::default(),
            waves: None,
            lifetime: None,
            close_range: 3.0,
            arrival_range: 1e-3,
            areas_slow_pursuers: false,
            narrow_from: 1 << 22,
        }
    }
}

impl TrackerConfig {
    /// Pursuit as in watanabe-2021 ch. 5, made for 2D: three waves, each of a lifetime of 300 steps
    /// (the source's figures), in a medium of [`wave_core::MediumBuilder::published`].
    ///
    /// The source states neither threshold nor time step. We chose the threshold, 10^-10 of the
    /// amplitude; that only z gets the amplitude; that a pursuer one cell from the target has
    /// caught it; and that within three cells it goes straight for a target that it sees. Each of
    /// three pursuers on four maps of 100 x 100 cells catches the target in 800 of 800 runs; with a
    /// threshold of 10^-2 and an impulse at 0.98 of the limit of stability, in 30 to 171 of 800.
    #[must_use]
    pub fn watanabe() -> Self {
        let source = Source::Kick { amplitude: 1.0 };
        Self::dense(1e-10, source, Schedule::Periodic, Sampling::Position, 3)
    }

    /// Pursuit as in kumagai-2024 ch. 2, made for 3D: one wave, which is cleared for all and
    /// emitted again when it has come to the pursuer, in a medium of
    /// [`wave_core::MediumBuilder::published`].
    ///
    /// As [`TrackerConfig::watanabe`], but z and its gradient are those of the pursuer's cell, and
    /// the threshold is 10^-15 of the amplitude, since waves in 3D are fainter. In a two-storey
    /// building of 50 x 50 x 50 cells with a slow area, thresholds of 10^-12 to 10^-20 catch the
    /// target in 8 of 8 runs, 10^-10 in 6 and 10^-8 in none. Our threshold is below the highest
    /// that works, for larger worlds.
    #[must_use]
    pub fn kumagai() -> Self {
        let source = Source::Kick { amplitude: 1.0 };
        Self::dense(1e-15, source, Schedule::OnArrival, Sampling::Cell, 1)
    }

    fn dense(
        threshold: f64,
        source: Source,
        schedule: Schedule,
        sampling: Sampling,
        waves: usize,
    ) -> Self {
        let direction = Direction::Gradient;
        Self {
            method: Method::Published { threshold, source, schedule, direction, sampling },
            waves: Some(waves),
            lifetime: Some(300),
            arrival_range: 1.0,
            ..Self::default()
        }
    }

    /// The number of waves.
    #[must_use]
    pub fn wave_count(&self) -> usize {
        self.waves.unwrap_or(match self.method {
            Method::Published { schedule: Schedule::OnArrival, .. } => 1,
            Method::Published { .. } => 3,
            Method::PerEmission => 4,
            Method::Wake => 6,
        })
    }

    /// `[units: steps]` The lifetime where it is fixed.
    #[must_use]
    pub fn fixed_lifetime(&self) -> u32 {
        self.lifetime.unwrap_or(if self.method.is_published() { 300 } else { 128 })
    }

    pub(crate) fn check(&self) -> Result<(), TrackError> {
        let (waves, lifetime) = (self.wave_count(), self.fixed_lifetime());
        let schedule = |limit| Err(TrackError::Schedule { waves, lifetime, limit });
        let least = if self.method.is_published() { 1 } else { 2 };
        if !(least..=MAX_WAVES).contains(&waves) {
            return schedule(if least == 1 { "1 to 8 waves" } else { "fronts take 2 to 8 waves" });
        }
        if (lifetime as usize) < waves || lifetime > 1 << 30 {
            return schedule("a lifetime is at least a step per wave and at most 2^30 steps");
        }
        let number = |what, value: f64, fits: bool, limit| {
            if value.is_finite() && fits {
                Ok(())
            } else {
                Err(TrackError::Value { what, value, limit })
            }
        };
        if let Method::Published { threshold, source, schedule: when, .. } = self.method {
            number("threshold", threshold, threshold > 0.0, "> 0")?;
            source.check()?;
            if when == Schedule::OnArrival && waves != 1 {
                return schedule("a wave that is emitted on arrival is the only one");
            }
        }
        number("close_range", self.close_range, self.close_range >= 2.0, ">= 2")?;
        number("arrival_range", self.arrival_range, self.arrival_range > 0.0, "> 0")
    }
}
