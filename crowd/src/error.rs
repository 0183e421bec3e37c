//! What can be wrong with input, with the value and its limit.

use crate::walker::WalkerId;
use thiserror::Error;
use wave_core::glam::DVec2;

/// Why a [`Crowd`](crate::Crowd) was not built or not changed. It is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CrowdError {
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
    /// A map without cells, or one of more than 2^30 rows or columns.
    #[error("a map of {rows} rows and {columns} columns is not possible: 1 to 2^30 of each")]
    Size {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },
    /// A place that is outside the map or not a number.
    #[error("{:?} is outside the map, which is from {low} to {high}", place.to_array())]
    OffGrid {
        /// The place.
        place: DVec2,
        /// `[units: world units]` The corner of the map with the least x and y.
        low: DVec2,
        /// `[units: world units]` The corner with the largest.
        high: DVec2,
    },
    /// A cell that is outside the map.
    #[error("cell {cell:?} is outside the map, which has {size:?} cells, as [y, x]")]
    NoCell {
        /// `[y, x]`
        cell: [usize; 2],
        /// Rows and columns.
        size: [usize; 2],
    },
    /// A place in a wall.
    #[error("{:?} is in a wall", place.to_array())]
    InWall {
        /// The place.
        place: DVec2,
    },
    /// A cell that cannot become a wall because a walker stands there.
    #[error("cell {cell:?} cannot become a wall: walker {} stands there", walker.number())]
    Occupied {
        /// `[y, x]`
        cell: [usize; 2],
        /// The walker that stands there.
        walker: WalkerId,
    },
    /// A walker that is not there.
    #[error("there is no walker {}", .0.number())]
    NoWalker(WalkerId),
    /// More walkers than there are numbers for.
    #[error("a crowd names no more than 2^32 - 1 walkers")]
    Full,
}

pub(crate) fn number(
    what: &'static str,
    value: f64,
    is_allowed: bool,
    limit: &'static str,
) -> Result<f64, CrowdError> {
    if value.is_finite() && is_allowed {
        return Ok(value);
    }
    Err(CrowdError::Value { what, value, limit })
}
