//! The whole wave: every cell of the grid, every step.

mod coefficients;
pub(crate) mod kernel;
pub(crate) mod kinds;
pub(crate) mod lanes;
pub(crate) mod packed;
pub(crate) mod phases;
mod probe;
pub(crate) mod real;
pub(crate) mod recorded;
#[cfg(feature = "serde")]
mod recorded_snapshot;
pub(crate) mod run;
#[cfg(feature = "serde")]
mod snapshot;
pub(crate) mod source;
pub(crate) mod step;
pub(crate) mod storage;
pub(crate) mod tiles;
pub(crate) mod wave;
