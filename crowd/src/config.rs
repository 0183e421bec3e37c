//! How a crowd moves.

use crate::error::{CrowdError, number};
use wave_core::glam::DVec2;

/// How a crowd moves. Lengths are in world units, times in whatever speeds are given in.
///
/// The default is for people on a map in metres and seconds, without [`Pace::Weidmann`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdConfig {
    /// `[units: world units] [limits: 1e-6 to 1e6] [default: 1]` The side of a cell.
    pub spacing: f64,
    /// `[units: world units] [limits: at most 1e9 cells from 0] [default: 0]` The centre of the
    /// first cell.
    pub origin: DVec2,
    /// `[default: Free]` How density slows a walker down.
    pub pace: Pace,
    /// `[units: world units] [limits: > 0, at most 16 cells] [default: 2]` How far it looks:
    /// walkers further away neither count as near nor are avoided.
    pub sight: f64,
    /// `[units: time] [limits: > 0] [default: 0.25]` How long it takes to come up to speed.
    pub relaxation: f64,
    /// `[units: time] [limits: > 0] [default: 3]` The time to a collision from which on it hardly
    /// matters: `tau_0` of Karamouzas, Skinner and Guy (2014).
    pub horizon: f64,
    /// `[units: world units^2 / time^2] [limits: 0 to 1e6] [default: 1.5]` How strongly collisions
    /// to come are avoided, k of the same authors; 0 for not at all.
    pub foresight: f64,
    /// `[limits: 0 to 1] [default: 0.5]` How much of that may slow a walker down, beside turning
    /// it: 1 as published. With a half, people turn aside rather than brake, and a fifth to a third
    /// more come through a door.
    pub braking: f64,
}

/// How density slows a walker down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Pace {
    /// Not at all; others are in the way, no more.
    #[default]
    Free,
    /// Speed follows Weidmann's fundamental diagram of pedestrians (1993): with `d` people in a
    /// square metre, speed is `1 - exp(-1.913 (1 / d - 1 / 5.4))` of the free one.
    Weidmann {
        /// `[units: m] [limits: 1e-3 to 1e3; sight is at least 1.5 m]` How long a world unit is.
        metres_per_unit: f64,
    },
}

impl Default for CrowdConfig {
    fn default() -> Self {
        Self {
            spacing: 1.0,
            origin: DVec2::ZERO,
            pace: Pace::Free,
            sight: 2.0,
            relaxation: 0.25,
            horizon: 3.0,
            foresight: 1.5,
            braking: 0.5,
        }
    }
}

impl CrowdConfig {
    pub(crate) fn check(&self) -> Result<(), CrowdError> {
        let Self { spacing, sight, relaxation, horizon, foresight, braking, .. } = *self;
        number("spacing", spacing, (1e-6..=1e6).contains(&spacing), "1e-6 to 1e6")?;
        for value in self.origin.to_array() {
            number("origin", value, value.abs() <= 1e9 * spacing, "at most 1e9 cells from 0")?;
        }
        let far = sight > 0.0 && sight <= 16.0 * spacing;
        number("sight", sight, far, "more than 0, at most 16 cells")?;
        for (what, value) in [("relaxation", relaxation), ("horizon", horizon)] {
            number(what, value, value > 0.0, "more than 0")?;
        }
        number("foresight", foresight, (0.0..=1e6).contains(&foresight), "0 to 1e6")?;
        number("braking", braking, (0.0..=1.0).contains(&braking), "0 to 1")?;
        if let Pace::Weidmann { metres_per_unit: metres } = self.pace {
            number("metres_per_unit", metres, (1e-3..=1e3).contains(&metres), "1e-3 to 1e3")?;
            // One's own body counts for the less, the further one looks.
            let limit = "at least 1.5 m where density slows down";
            number("sight", sight, sight * metres >= 1.5, limit)?;
        }
        Ok(())
    }
}

impl Pace {
    /// The share of its free speed at which one walks where `density` people, oneself among them,
    /// stand on each square world unit.
    ///
    /// ```
    /// use crowd::Pace;
    ///
    /// // One person on each square metre: four fifths of the speed.
    /// let pace = Pace::Weidmann { metres_per_unit: 1.0 };
    /// assert!((pace.share(1.0) - 0.79).abs() < 0.01);
    /// assert_eq!(pace.share(6.0), 0.0);
    /// assert_eq!(Pace::Free.share(6.0), 1.0);
    /// ```
    #[must_use]
    pub fn share(self, density: f64) -> f64 {
        match self {
            Self::Free => 1.0,
            Self::Weidmann { metres_per_unit } => {
                let room = metres_per_unit * metres_per_unit / density;
                (1.0 - libm::exp(-1.913 * (room - 1.0 / 5.4))).clamp(0.0, 1.0)
            }
        }
    }
}
