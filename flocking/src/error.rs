//! What can be wrong with input, with the value and its limit.

use crate::ids::BoidId;
use crate::instructions::Instructions;
use thiserror::Error;

/// Why a [`Flock`](crate::Flock) was not built or not changed. It is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FlockError {
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
    /// No species, or more than a mask can name.
    #[error("{found} species are not possible: 1 to {most}")]
    SpeciesCount {
        /// Species given.
        found: usize,
        /// The most.
        most: usize,
    },
    /// A matrix of which species heed which, whose size is not species times species.
    #[error(
        "the matrix of who heeds whom has {found} entries, not {expected} (or none: all heed all)"
    )]
    HeedCount {
        /// Entries given.
        found: usize,
        /// Species times species.
        expected: usize,
    },
    /// A species that the settings do not have.
    #[error("there is no species {found}, only 0 to {last}")]
    NoSpecies {
        /// The one asked for.
        found: u8,
        /// The last one.
        last: u8,
    },
    /// An axis along which a bounded world is too short.
    #[error("the world is {length:?} long along axis {axis}: at least {least:?} is needed")]
    WorldSize {
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// high - low.
        length: f64,
        /// Twice the largest radius where the world wraps, more than 0 otherwise.
        least: f64,
    },
    /// A position that is not finite, is outside the world, or is farther out than an open world
    /// reaches.
    #[error(
        "position {position:?} is outside the world, which is from {low:?} to {high:?}{end}",
        end = if *wraps { ", the latter excluded" } else { "" }
    )]
    Outside {
        /// As `[x, y, z]` (z = 0 in 2D).
        position: [f64; 3],
        /// The lower corner, which is inside.
        low: [f64; 3],
        /// The upper corner, which is inside where the world does not wrap.
        high: [f64; 3],
        /// Whether it wraps.
        wraps: bool,
    },
    /// A position in a wall cell.
    #[error("position {position:?} is in a wall")]
    InWall {
        /// As `[x, y, z]` (z = 0 in 2D).
        position: [f64; 3],
    },
    /// An id that is not below [`BoidId::LIMIT`].
    #[error("id {0:?} is too large: ids are below {limit}", limit = BoidId::LIMIT)]
    IdLimit(BoidId),
    /// An id that another boid has.
    #[error("there is a boid {0:?} already")]
    IdTaken(BoidId),
    /// A boid that was removed, or never was there.
    #[error("there is no boid {0:?}")]
    NoBoid(BoidId),
    /// Instructions that this processor does not have.
    #[error("this processor does not have the instructions {0:?}")]
    NoInstructions(Instructions),
    /// A grid of walls in 2D that is not one cell deep.
    #[error("a grid of walls in 2D is 1 cell deep, not {found}")]
    WallDepth {
        /// Cells along z.
        found: usize,
    },
    /// A grid of walls whose cells do not fit its shape, or that has too many.
    #[error(
        "{found} wall cells are given for a grid of {shape:?}: all of its cells are needed, at most 2^28"
    )]
    WallShape {
        /// Cells given.
        found: usize,
        /// Cells along x, y, z.
        shape: [usize; 3],
    },
}

/// Refuses a number that is not finite or does not fit.
pub(crate) fn number(
    what: &'static str,
    value: f64,
    fits: bool,
    limit: &'static str,
) -> Result<(), FlockError> {
    if value.is_finite() && fits { Ok(()) } else { Err(FlockError::Value { what, value, limit }) }
}
