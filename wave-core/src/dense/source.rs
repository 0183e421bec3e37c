//! The sources of waves.

use crate::dense::real::Real;
use crate::error::WaveError;
use std::f64::consts::TAU;

/// What a source cell adds to the wave.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Source {
    /// The published source: `amplitude` is added to z and `z_prev` of one cell at once. It carries
    /// every wavelength, also those that the stencil does not propagate properly. Where all ends
    /// are free, it raises the mean of z for ever, by `amplitude` over the number of open cells.
    Impulse {
        /// `[units: of z] [limits: magnitude 2^-40 to 2^40] suggested: 1`
        amplitude: f64,
    },
    /// The other reading of the published source: `amplitude` is added only to z of one cell,
    /// `z_prev` stays. So the cell is moving, and more goes out than from an impulse. Where all
    /// ends are free, the mean of z goes on rising in each step, by `amplitude` over the number of
    /// open cells.
    Kick {
        /// `[units: of z] [limits: magnitude 2^-40 to 2^40] suggested: 1`
        amplitude: f64,
    },
    /// Increments `amplitude * sin(2 pi (n - 1/2) / steps)`, n = 1..=steps, added to z after each
    /// of the next steps. They sum to 0, so that the mean of z comes to rest; where all ends are
    /// free, it stays raised by `amplitude * steps / (2 sin(pi / steps))` over the number of open
    /// cells. In a corridor they make one smooth hump.
    Pulse {
        /// `[units: of z] [limits: magnitude 2^-40 to 2^40] suggested: 1`
        amplitude: f64,
        /// `[units: steps] [limits: 2 to 1024] suggested: 8` Where waves must pass areas slower
        /// than the fastest by a factor q, take q times as many, or they are too short for them.
        steps: u32,
    },
}

impl Default for Source {
    /// A pulse of amplitude 1 over 8 steps.
    fn default() -> Self {
        Self::Pulse { amplitude: 1.0, steps: 8 }
    }
}

impl Source {
    /// `[units: of z]` The amplitude, to which thresholds are in proportion.
    #[must_use]
    pub fn amplitude(self) -> f64 {
        match self {
            Self::Impulse { amplitude }
            | Self::Kick { amplitude }
            | Self::Pulse { amplitude, .. } => amplitude,
        }
    }

    /// Whether amplitude and steps are within their limits.
    ///
    /// # Errors
    /// [`WaveError::Source`].
    pub fn check(self) -> Result<(), WaveError> {
        let (amplitude, steps) = match self {
            Self::Impulse { amplitude } | Self::Kick { amplitude } => (amplitude, 2),
            Self::Pulse { amplitude, steps } => (amplitude, steps),
        };
        let bound = (1u64 << 40) as f64;
        let fits = amplitude.abs() <= bound && amplitude.abs() >= 1.0 / bound;
        if fits && (2..=1024).contains(&steps) {
            Ok(())
        } else {
            Err(WaveError::Source { amplitude, steps })
        }
    }
}

/// A pulse on its way out.
#[derive(Clone, Debug)]
pub struct Pulse {
    pub(crate) index: usize,
    pub(crate) amplitude: f64,
    pub(crate) steps: u32,
    pub(crate) done: u32,
}

impl Pulse {
    /// Steps that are still to end with an increment.
    pub(crate) fn left(&self) -> usize {
        (self.steps - self.done) as usize
    }

    /// The increment that `steps` more steps end with, or `None` when the pulse is over by then.
    pub(crate) fn after<S: Real>(&self, steps: usize) -> Option<S> {
        let n = u32::try_from(steps).ok()?.checked_add(self.done).filter(|&n| n <= self.steps)?;
        Some(S::from_f64(self.amplitude * increment(n, self.steps)))
    }
}

/// `sin(2 pi (n - 1/2) / steps)`, antisymmetric to the last bit so that a pulse sums to exactly 0.
fn increment(n: u32, steps: u32) -> f64 {
    let mirrored = steps + 1 - n;
    let phase = |n: u32| TAU * (f64::from(n) - 0.5) / f64::from(steps);
    match n.cmp(&mirrored) {
        std::cmp::Ordering::Less => libm::sin(phase(n)),
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => -libm::sin(phase(mirrored)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulse_leaves_nothing_behind() {
        for steps in 2..=64 {
            let all: Vec<f64> = (1..=steps).map(|n| increment(n, steps)).collect();
            for i in 0..all.len() {
                assert_eq!(all[i], -all[all.len() - 1 - i], "step {i} of {steps}");
            }
            assert!(all.iter().any(|&p| p > 0.5));
        }
    }
}
