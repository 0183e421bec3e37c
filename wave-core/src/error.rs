//! What can be wrong with input, with the value and its limit.

use crate::grid::{Follower, Map};
use thiserror::Error;

/// Why a [`Medium`](crate::Medium) was not built or not changed. A medium that was there before is
/// as it was.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MediumError {
    /// A grid without cells, or with more than storage indices can name.
    #[error("a grid of {shape:?} cells is not possible: 1 to 2^31 cells, a halo of one included")]
    Shape {
        /// Cells along each axis, as an array's shape.
        shape: Vec<usize>,
    },
    /// An array whose shape is not the grid's.
    #[error("the array of {what} has shape {found:?}, the grid {expected:?}")]
    ArrayShape {
        /// `walls` or `speeds`.
        what: &'static str,
        /// The array's shape.
        found: Vec<usize>,
        /// The grid's shape.
        expected: Vec<usize>,
    },
    /// A number out of its limits.
    #[error("{what} = {value:?} is not allowed: it must be {limit}")]
    Value {
        /// The name of the number.
        what: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed.
        limit: &'static str,
    },
    /// A speed out of its limits, at a cell.
    #[error("speed {value:?} at cell {cell:?} is not allowed: it must be from 1e-30 to 1e30")]
    Speed {
        /// The value that was given.
        value: f64,
        /// The cell, as `[y, x]` or `[z, y, x]`.
        cell: Vec<usize>,
    },
    /// The time step breaks the stability bound `delta * d <= 1`, d being the number of axes along
    /// which the grid is longer than a cell.
    #[error(
        "dt = {dt:?} is unstable: at the largest speed {speed:?} the largest stable dt is {max_dt:?}"
    )]
    UnstableStep {
        /// The step that was asked for.
        dt: f64,
        /// The largest speed of the medium.
        speed: f64,
        /// The largest step that is accepted.
        max_dt: f64,
    },
    /// A speed that the medium's time step cannot carry.
    #[error(
        "speed {speed:?} is unstable: with dt = {dt:?} the largest stable speed is {max_speed:?}"
    )]
    UnstableSpeed {
        /// The speed that was asked for.
        speed: f64,
        /// The medium's time step.
        dt: f64,
        /// The largest speed that is accepted.
        max_speed: f64,
    },
    /// A speed so low that a wave would take 4096 steps or more for a cell.
    #[error("speed {speed:?} is too low: with dt = {dt:?} the smallest speed is {min_speed:?}")]
    SlowSpeed {
        /// The speed that was asked for.
        speed: f64,
        /// The medium's time step.
        dt: f64,
        /// The smallest speed that is accepted.
        min_speed: f64,
    },
    /// A cell that the grid does not have.
    #[error("cell {cell:?} is outside the grid of {shape:?} cells")]
    OutOfGrid {
        /// The cell, as `[y, x]` or `[z, y, x]`.
        cell: Vec<usize>,
        /// Cells along each axis, as an array's shape.
        shape: Vec<usize>,
    },
    /// A [`Link`](crate::Link) that is not possible.
    #[error("a link from {from:?} to {to:?} is not possible: {fault}")]
    Link {
        /// The cell, as `[y, x]` or `[z, y, x]`.
        from: Vec<usize>,
        /// The cell, as `[y, x]` or `[z, y, x]`.
        to: Vec<usize>,
        /// The fault of the link.
        fault: LinkFault,
    },
}

/// Why a [`Link`](crate::Link) was refused.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum LinkFault {
    /// It begins in a wall.
    #[error("it begins in a wall")]
    FromWall,
    /// It ends in a wall.
    #[error("it ends in a wall")]
    ToWall,
    /// It ends where it begins.
    #[error("it ends where it begins")]
    SameCell,
    /// It takes less than the fastest cell, or too long, or its time is not a number.
    #[error("it takes {time:?}, which must be from {min_time:?} to {max_time:?}")]
    Time {
        /// `[units: time]` The time that was given.
        time: f64,
        /// `[units: time]` The time that the fastest cell takes.
        min_time: f64,
        /// `[units: time]` 4096 steps.
        max_time: f64,
    },
}

/// Why a wave, a front or a field did not do what it was asked for. It is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WaveError {
    /// The medium was refused.
    #[error(transparent)]
    Medium(#[from] MediumError),
    /// A medium of another shape than the wave, front or field was made for. Waves and fronts also
    /// refuse one of the same shape that was edited less often than the one that they have seen
    /// last, as an older copy is.
    #[error(
        "this medium does not fit: its shape is {found:?} and must be {expected:?}, and it must have all edits that were seen, which an older copy has not"
    )]
    OtherMedium {
        /// The shape of the medium that was passed.
        found: Vec<usize>,
        /// The shape of the medium that the wave, front or field was made for.
        expected: Vec<usize>,
    },
    /// A cell that the grid does not have.
    #[error("cell {cell:?} is outside the grid of {shape:?} cells")]
    OutOfGrid {
        /// The cell, as `[y, x]` or `[z, y, x]`.
        cell: Vec<usize>,
        /// Cells along each axis, as an array's shape.
        shape: Vec<usize>,
    },
    /// A position that no cell covers, or that is not finite.
    #[error("position {position:?} is outside the grid")]
    OffGrid {
        /// The position, as `[x, y]` or `[x, y, z]`.
        position: Vec<f64>,
    },
    /// A wall cell, where no wave can be emitted or heard.
    #[error("cell {cell:?} is a wall")]
    Wall {
        /// The cell, as `[y, x]` or `[z, y, x]`.
        cell: Vec<usize>,
    },
    /// A dense wave pads the rows of its grid, and this one would take more than 2^31 cells.
    #[error("a dense wave on a grid of {shape:?} cells would take more than 2^31, halo included")]
    TooLarge {
        /// Cells along each axis, as an array's shape.
        shape: Vec<usize>,
    },
    /// A source out of its limits.
    #[error(
        "a source of amplitude {amplitude:?} over {steps} steps is not possible: magnitude 2^-40 to 2^40, 2 to 1024 steps"
    )]
    Source {
        /// The amplitude that was asked for.
        amplitude: f64,
        /// The duration in steps (2 for an impulse).
        steps: u32,
    },
    /// An instruction set that this processor does not have.
    #[error("this processor has no {}", simd.name())]
    Simd {
        /// What was asked for.
        simd: crate::Simd,
    },
    /// Neither a wave that obeys the wave equation nor a [`WorldField`](crate::WorldField) leads
    /// through [`Link`](crate::Link)s.
    #[error("only fronts and arrival fields run through links, and this medium has some")]
    Links,
    /// A [`WorldField`](crate::WorldField) needs a medium of one speed, and this one has a speed
    /// for each cell, even if all are the same: [`Medium::is_uniform`](crate::Medium::is_uniform).
    #[error("a world's field needs a medium of one speed, and this one has a speed for each cell")]
    Speeds,
    /// A wave toward some cells whose steps are negative or not a number.
    #[error("a wave for {steps:?} steps is not possible: it must be 0 or more")]
    Steps {
        /// What was asked for.
        steps: f64,
    },
    /// A front or a field without a source.
    #[error("a front needs at least one source cell")]
    NoSource,
    /// A cell that a way joins to the sources, but a way too long for the numbers of times.
    #[error("a cell is further off than 6.6e6 times what the fastest cell takes")]
    TooFar,
}

/// An open cell.
pub(crate) fn open_cell(map: &Map, cell: [usize; 3]) -> Result<[usize; 3], WaveError> {
    if !map.contains(cell) {
        let shape = map.name(map.size());
        return Err(WaveError::OutOfGrid { cell: map.name(cell), shape });
    }
    if map.is_open(map.number(cell)) {
        return Ok(cell);
    }
    Err(WaveError::Wall { cell: map.name(cell) })
}

/// The cells that a wave starts from: one at least, all open.
pub(crate) fn source_cells(
    map: &Map,
    cells: impl ExactSizeIterator<Item = [usize; 3]>,
) -> Result<Vec<[usize; 3]>, WaveError> {
    if cells.len() == 0 {
        return Err(WaveError::NoSource);
    }
    cells.map(|cell| open_cell(map, cell)).collect()
}

/// Refuses a map with links, for waves that cannot run through them.
pub(crate) fn no_links(map: &Map) -> Result<(), WaveError> {
    if map.links().is_none() { Ok(()) } else { Err(WaveError::Links) }
}

/// Refuses a map of another size, and one with fewer edits than were seen already.
pub(crate) fn same_medium(
    size: [usize; 3],
    follower: &Follower,
    map: &Map,
) -> Result<(), WaveError> {
    if follower.fits(map.edits()) { same_size(size, map) } else { Err(other_medium(size, map)) }
}

/// Refuses a map of another size.
pub(crate) fn same_size(size: [usize; 3], map: &Map) -> Result<(), WaveError> {
    if size == map.size() { Ok(()) } else { Err(other_medium(size, map)) }
}

fn other_medium(size: [usize; 3], map: &Map) -> WaveError {
    WaveError::OtherMedium { found: map.name(map.size()), expected: map.name(size) }
}
