//! What can be wrong with input, with the value and its limit.

use crate::cell::Cell;
use thiserror::Error;

/// A number out of its limits.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{what} = {value:?} is not allowed: it must be {limit}")]
pub struct OutOfRange {
    /// The name of the number.
    pub what: &'static str,
    /// The value that was given.
    pub value: f64,
    /// The values that are allowed.
    pub limit: &'static str,
}

/// Why there is no [`Terrain`](crate::Terrain), or why it was not changed. It is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// Less than two cells, or more than cell numbers can name.
    #[error("a terrain of {rows} x {columns} cells is not possible: 2 to 2^30 cells")]
    Size {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },
    /// A row that is shorter or longer than the first one.
    #[error("row {row} has {found} cells, row 0 has {expected}")]
    Ragged {
        /// The row.
        row: usize,
        /// Its cells.
        found: usize,
        /// The cells of row 0.
        expected: usize,
    },
    /// A mask or a ceiling of another shape than the heights.
    #[error("{what} has {found:?} cells, the heights have {expected:?} (rows, columns)")]
    Shape {
        /// Which array.
        what: &'static str,
        /// Its shape.
        found: [usize; 2],
        /// The shape of the heights.
        expected: [usize; 2],
    },
    /// A height that is NaN, infinite or too large.
    #[error(
        "the {what} of cell {cell:?} (row, column) is {value:?}: it must be finite and within +-1e9"
    )]
    Height {
        /// Height or ceiling.
        what: &'static str,
        /// The cell.
        cell: Cell,
        /// The value that was given.
        value: f64,
    },
    /// A span that ends where it begins, or before.
    #[error("a span of cell {cell:?} (row, column) goes from {bottom:?} up to {top:?}")]
    Span {
        /// The cell.
        cell: Cell,
        /// Its bottom.
        bottom: f64,
        /// Its top.
        top: f64,
    },
    /// More places than numbers can name.
    #[error("{rows} x {columns} columns of spans have more than 2^30 places")]
    Places {
        /// Rows given.
        rows: usize,
        /// Columns given.
        columns: usize,
    },
    /// A storey that its column does not have.
    #[error("cell {cell:?} (row, column) has {storeys} storeys, none of number {storey} from 0")]
    Storey {
        /// The cell.
        cell: Cell,
        /// The storey.
        storey: usize,
        /// Storeys there are.
        storeys: usize,
    },
    /// No cell is left that could be stood on.
    #[error("no cell can be stood on: all {cells} are no-data or no-go")]
    NoGround {
        /// Cells in all.
        cells: usize,
    },
    /// A cell outside the terrain.
    #[error("cell {cell:?} (row, column) is outside the terrain of {rows} x {columns} cells")]
    Outside {
        /// The cell.
        cell: Cell,
        /// Rows there are.
        rows: usize,
        /// Columns there are.
        columns: usize,
    },
    /// A scale out of its limits.
    #[error(transparent)]
    Value(#[from] OutOfRange),
}

/// Why there is no [`Character`](crate::Character) or no arc.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// A number out of its limits.
    #[error(transparent)]
    Value(#[from] OutOfRange),
}

/// Why a graph cannot answer. It is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum JumpError {
    /// A terrain or an edit of it was refused.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// A character that does not fit the terrain.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// A number of a question out of its limits.
    #[error(transparent)]
    Value(#[from] OutOfRange),
    /// A cell that nobody can stand on was named as a start or a goal.
    #[error("cell {cell:?} (row, column) cannot be stood on: {why}")]
    NotGround {
        /// The cell.
        cell: Cell,
        /// No-data, no-go or a ceiling too low.
        why: &'static str,
    },
    /// An audit or an index of a level of another shape; or an index from before an edit after
    /// which one can stand on a cell that it was asked for.
    #[error(
        "it was made for a level of {found} cells, this one has {expected}; or cells were opened since"
    )]
    OtherLevel {
        /// Cells it was made for.
        found: usize,
        /// Cells of this one.
        expected: usize,
    },
    /// A question for which more speed must never hurt: that holds only for the exact rule without
    /// ceilings.
    #[error("launch speeds cannot be ordered {under}: there a faster character may jump less")]
    NotMonotone {
        /// The rule under which it is so.
        under: &'static str,
    },
    /// A route that cannot be followed.
    #[error("the route breaks off at its cell {place}, {cell:?} (row, column): {why}")]
    Route {
        /// Which cell of the route, from 0.
        place: usize,
        /// The cell.
        cell: Cell,
        /// The fault.
        why: &'static str,
    },
    /// A place from which or to which there is no flight.
    #[error("no flight at {place:?} (x, y): {why}")]
    Place {
        /// (x, y)
        place: [f64; 2],
        /// Its fault.
        why: &'static str,
    },
}
