//! How pursuit works: by the published rules or by ours.

use crate::error::TrackError;
use wave_core::Source;

/// How a pursuer steers between two waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum Steering {
    /// As published: it takes the wave's direction when the wave comes and goes straight until
    /// the next wave comes.
    PerEmission,
    /// Every cell remembers when the last wave came and from where; between waves a pursuer follows
    /// that, in straight lines from one point that it sees to the next. How well it walks no longer
    /// hangs on how many waves it hears.
    #[default]
    Wake,
}

/// What counts as the arrival of a wave, and on what kind of wave.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum Rule {
    /// The published rules: dense waves; a wave has come when |z| at the pursuer passes a fixed
    /// threshold, and the pursuer goes straight until the next one.
    Published {
        /// `[units: of z] [limits: finite, > 0] suggested: 0.01 of the source's amplitude`
        threshold: f64,
        /// What is emitted; published: an impulse.
        source: Source,
    },
    /// Ours: only the fronts of the waves are computed, and a wave has come when it inflects
    /// ([`wave_core::TileFront`]), at any distance and amplitude.
    Front {
        /// How pursuers steer between waves.
        steering: Steering,
    },
}

impl Default for Rule {
    fn default() -> Self {
        Self::Front { steering: Steering::Wake }
    }
}

impl Rule {
    /// An impulse of 1 and a threshold of 0.01.
    #[must_use]
    pub fn published() -> Self {
        Self::Published { threshold: 0.01, source: Source::Impulse { amplitude: 1.0 } }
    }
}

/// What kind of fronts run under [`Rule::Front`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fronts {
    /// Of waves short beside everything they meet ([`wave_core::Front`]).
    #[default]
    ShortWaves,
    /// Of waves of some cells' length ([`wave_core::TileFront`]), which take 4 to 14 times as long. Such a
    /// wave goes through a slow area narrower than it is long as if it were not there: where areas are
    /// small, pursuers may take up to a third longer than they need to, and over twice as long where speeds change from
    /// cell to cell.
    Waves,
}

/// Settings of a [`Tracker`](crate::Tracker).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct TrackerConfig {
    /// What counts as the arrival of a wave.
    pub rule: Rule,
    /// What kind of fronts run under [`Rule::Front`].
    pub fronts: Fronts,
    /// `[units: waves] [limits: 1 to 8; 2 to 8 for Front] suggested: leave out; published: 3` Waves
    /// that share the map. Left out, 6 with [`Steering::Wake`]: three ranges, and of each a wave in use
    /// and one on its way; 4 with [`Steering::PerEmission`], 3 under [`Rule::Published`].
    pub waves: Option<usize>,
    /// `[units: steps] [limits: waves to 2^30] suggested: leave out; published: 300` The lifetime T of a
    /// wave. Wave i + 1 starts T / waves steps after wave i, where the target then is; at age T a
    /// wave is cleared and emitted again. Under [`Rule::Front`] a wave that somebody still needs is
    /// left alone, the next one starts early once everybody has heard the last, and with
    /// [`Steering::Wake`] nothing is emitted while neither the target's cell nor the map has
    /// changed.
    ///
    /// Left out with [`Steering::Wake`], the tracker chooses anew for every wave how far it runs and
    /// when the next one starts, from how long the waves took to the pursuers: most run only as far
    /// as the nearer ones, every second one twice as far, every fourth over the whole map. Left out
    /// elsewhere, it is 300 under [`Rule::Published`] and else 128.
    pub lifetime: Option<u32>,
    /// `[units: cells] [limits: finite, >= 2] suggested: 3` A pursuer this near to the target that
    /// sees it goes straight for it: a wave tells cells apart, not places within one.
    pub close_range: f64,
    /// `[units: cells] [limits: finite, > 0] suggested: 0.001` A pursuer this near has arrived.
    pub arrival_range: f64,
    /// Whether pursuers, too, are slower where the wave is: by its speed there over its fastest
    /// speed when the tracker was made. Published: no.
    pub areas_slow_pursuers: bool,
}

/// The largest number of waves.
pub(crate) const MAX_WAVES: usize = 8;

impl Default for TrackerConfig {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            fronts: Fronts::default(),
            waves: None,
            lifetime: None,
            close_range: 3.0,
            arrival_range: 1e-3,
            areas_slow_pursuers: false,
        }
    }
}

impl TrackerConfig {
    /// Three waves of lifetime 300, impulses and a threshold (watanabe-2021 ch. 5). Walls are the
    /// medium's: the published ones are [`wave_core::WallRule::Fixed`].
    #[must_use]
    pub fn published() -> Self {
        Self { rule: Rule::published(), waves: Some(3), lifetime: Some(300), ..Self::default() }
    }

    /// The number of waves.
    #[must_use]
    pub fn wave_count(&self) -> usize {
        self.waves.unwrap_or(match self.rule {
            Rule::Published { .. } => 3,
            Rule::Front { steering: Steering::PerEmission } => 4,
            Rule::Front { steering: Steering::Wake } => 6,
        })
    }

    /// `[units: steps]` The lifetime where it is fixed.
    #[must_use]
    pub fn fixed_lifetime(&self) -> u32 {
        let published = matches!(self.rule, Rule::Published { .. });
        self.lifetime.unwrap_or(if published { 300 } else { 128 })
    }

    pub(crate) fn check(&self) -> Result<(), TrackError> {
        let (waves, lifetime) = (self.wave_count(), self.fixed_lifetime());
        let schedule = |limit| Err(TrackError::Schedule { waves, lifetime, limit });
        match self.rule {
            Rule::Front { .. } if !(2..=MAX_WAVES).contains(&waves) => {
                return schedule("fronts take 2 to 8 waves");
            }
            _ if !(1..=MAX_WAVES).contains(&waves) => return schedule("1 to 8 waves"),
            _ if (lifetime as usize) < waves || lifetime > 1 << 30 => {
                return schedule("a lifetime is at least a step per wave and at most 2^30 steps");
            }
            _ => {}
        }
        let number = |what, value: f64, fits: bool, limit| {
            if value.is_finite() && fits {
                Ok(())
            } else {
                Err(TrackError::Value { what, value, limit })
            }
        };
        if let Rule::Published { threshold, source } = self.rule {
            number("threshold", threshold, threshold > 0.0, "> 0")?;
            source.check()?;
        }
        number("close_range", self.close_range, self.close_range >= 2.0, ">= 2")?;
        number("arrival_range", self.arrival_range, self.arrival_range > 0.0, "> 0")
    }
}
