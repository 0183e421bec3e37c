//! Response curves and fall-offs.

use crate::error::{UtilityError, number};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How an indicator's number counts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Curve {
    /// `slope * x + offset`.
    Linear {
        /// `[limits: finite] suggested: 1` The factor of x.
        slope: f64,
        /// `[limits: finite] suggested: 0` The number that is added.
        offset: f64,
    },
    /// `scale * x^exponent + offset`; not a number for x < 0, which is refused when it happens.
    Power {
        /// `[limits: finite] suggested: 1` The factor of the power.
        scale: f64,
        /// `[limits: 0.01 to 100] suggested: 2` Above 1 large x count for more.
        exponent: f64,
        /// `[limits: finite] suggested: 0` The number that is added to that.
        offset: f64,
    },
    /// `height / (1 + exp(-steepness * (x - centre)))`.
    Logistic {
        /// `[limits: finite] suggested: 1` Where it ends.
        height: f64,
        /// `[limits: finite] suggested: 10 over the width of what x may be` How fast it rises.
        steepness: f64,
        /// `[limits: finite] suggested: the middle of what x may be` Where it is half as high.
        centre: f64,
    },
    /// `below` for x < at, `above` from there on.
    Step {
        /// `[limits: finite] suggested: the middle of what x may be` Where it steps.
        at: f64,
        /// `[limits: finite] suggested: 0` Before that.
        below: f64,
        /// `[limits: finite] suggested: 1` From there on.
        above: f64,
    },
}

impl Curve {
    /// The curve at `x`; at an infinite x it may be infinite, unless it is constant.
    ///
    /// ```
    /// use utility_ai::Curve;
    ///
    /// assert_eq!(Curve::Linear { slope: 2.0, offset: 1.0 }.at(3.0), 7.0);
    /// assert_eq!(Curve::Power { scale: 2.0, exponent: 2.0, offset: 1.0 }.at(3.0), 19.0);
    /// assert_eq!(Curve::Logistic { height: 4.0, steepness: 9.0, centre: 3.0 }.at(3.0), 2.0);
    /// assert_eq!(Curve::Step { at: 3.0, below: 0.0, above: 5.0 }.at(3.0), 5.0);
    /// ```
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        match self {
            Self::Linear { slope, offset } => times(slope, x) + offset,
            Self::Power { scale, exponent, offset } => {
                times(scale, libm::pow(x, exponent)) + offset
            }
            Self::Logistic { height, steepness, centre } => {
                height / (1.0 + libm::exp(times(-steepness, x - centre)))
            }
            Self::Step { at, below, above } => {
                if x < at {
                    below
                } else {
                    above
                }
            }
        }
    }

    pub(crate) fn check(self) -> Result<(), UtilityError> {
        let all = |numbers: &[(&'static str, f64)]| {
            numbers.iter().try_for_each(|&(what, n)| number(what, n, true, "finite").map(|_| ()))
        };
        match self {
            Self::Linear { slope, offset } => all(&[("slope", slope), ("offset", offset)]),
            Self::Power { scale, exponent, offset } => {
                let fits = (0.01..=100.0).contains(&exponent);
                number("exponent", exponent, fits, "0.01 to 100")?;
                all(&[("scale", scale), ("offset", offset)])
            }
            Self::Logistic { height, steepness, centre } => {
                all(&[("height", height), ("steepness", steepness), ("centre", centre)])
            }
            Self::Step { at, below, above } => {
                all(&[("at", at), ("below", below), ("above", above)])
            }
        }
    }
}

/// The product; nothing of an infinity is nothing, so that a constant curve is its constant there
/// too.
fn times(factor: f64, x: f64) -> f64 {
    if factor == 0.0 && x.is_infinite() { 0.0 } else { factor * x }
}

/// How danger falls off from 1 at a threat to 0 at its reach, with d the distance over the reach.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Falloff {
    /// `1 - d`.
    #[default]
    Linear,
    /// `(1 - d)^exponent`.
    Power {
        /// `[limits: 0.01 to 100] suggested: 2` Above 1 it falls off sooner.
        exponent: f64,
    },
    /// `exp(-d^2 / (2 sigma^2))`, cut off at the reach.
    Gaussian {
        /// `[units: reach] [limits: 0.01 to 100] suggested: 0.33` Where it has fallen to 0.61.
        sigma: f64,
    },
    /// 1 all over the reach.
    Step,
}

impl Falloff {
    /// Danger at the part `d` of the reach; 0 from 1 on.
    #[must_use]
    pub fn at(self, d: f64) -> f64 {
        if d >= 1.0 {
            return 0.0;
        }
        match self {
            Self::Linear => 1.0 - d,
            Self::Power { exponent } => libm::pow(1.0 - d, exponent),
            Self::Gaussian { sigma } => libm::exp(-0.5 * (d / sigma) * (d / sigma)),
            Self::Step => 1.0,
        }
    }

    pub(crate) fn check(self) -> Result<(), UtilityError> {
        let (what, value) = match self {
            Self::Power { exponent } => ("exponent", exponent),
            Self::Gaussian { sigma } => ("sigma", sigma),
            Self::Linear | Self::Step => return Ok(()),
        };
        number(what, value, (0.01..=100.0).contains(&value), "0.01 to 100").map(|_| ())
    }
}
