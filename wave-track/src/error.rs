//! What can be wrong with input, with the value and its limit.

use crate::tracker::PursuerId;
use thiserror::Error;
use wave_core::{MediumError, WaveError};

/// Why a [`Tracker`](crate::Tracker) or a [`WorldWalker`](crate::WorldWalker) did not do what it
/// was asked for. It is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TrackError {
    /// A number that must be finite and within a limit.
    #[error("{what} = {value:?} is not allowed: it must be finite and {limit}")]
    Value {
        /// The name of the number.
        what: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed.
        limit: &'static str,
    },
    /// The number of waves and their lifetime do not fit.
    #[error("{waves} waves of lifetime {lifetime} steps are not possible: {limit}")]
    Schedule {
        /// Waves asked for.
        waves: usize,
        /// Their lifetime in steps.
        lifetime: u32,
        /// The limit that they break.
        limit: &'static str,
    },
    /// A position that no cell covers, or that is not finite.
    #[error("{what} at {position:?} is outside the grid")]
    OffGrid {
        /// The body that is to stand there: a `pursuer`, a `target`, the `walker` of
        /// [`Tracker::slide`](crate::Tracker::slide), ...
        what: &'static str,
        /// The position, as `[x, y, z]` (z = 0 in 2D).
        position: [f64; 3],
    },
    /// A position in a wall, or closer than [`SKIN`](crate::SKIN) to one or to the edge of the map.
    #[error("{what} at {position:?} is in a wall or touches one")]
    InWall {
        /// The body that is to stand there: a `pursuer`, a `target`, the `walker` of
        /// [`Tracker::slide`](crate::Tracker::slide), ...
        what: &'static str,
        /// The position, as `[x, y, z]` (z = 0 in 2D).
        position: [f64; 3],
    },
    /// A wall cannot be built where a target or a pursuer stands.
    #[error("cell {cell:?} cannot become a wall: {who} stands there")]
    Occupied {
        /// The cell, as `[z, y, x]` (z = 0 in 2D).
        cell: [usize; 3],
        /// `a target`, or the pursuer.
        who: String,
    },
    /// A pursuer that was removed, or never was there.
    #[error("there is no pursuer {0:?}")]
    NoPursuer(PursuerId),
    /// Saved data that no tracker can have written.
    #[error("a saved tracker cannot have such a {what}")]
    Snapshot {
        /// The wrong part of the data.
        what: &'static str,
    },
    /// The medium refused an edit.
    #[error(transparent)]
    Medium(#[from] MediumError),
    /// A wave refused its source, or a [`WorldField`](wave_core::WorldField) its medium.
    #[error(transparent)]
    Wave(#[from] WaveError),
}
