//! What can be wrong with input, with the value and its limit.

use thiserror::Error;

/// Why a [`Medium`](crate::Medium) was not built or not changed. What was there before is still
/// there.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MediumError {
    /// A grid without cells, or with more than storage indices can name.
    #[error("a grid of {shape:?} cells is not possible: 1 to 2^31 cells, halo included")]
    Shape {
        /// Cells along z, y, x.
        shape: [usize; 3],
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
    #[error("{what} = {value} is not allowed: it must be {limit}")]
    Value {
        /// The name of the number.
        what: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        limit: &'static str,
    },
    /// A speed out of its limits, at a cell.
    #[error("speed {value:?} at cell {cell:?} is not allowed: it must be from 1e-30 to 1e30")]
    Speed {
        /// What it was.
        value: f64,
        /// Where, as `[z, y, x]` (z = 0 in 2D).
        cell: [usize; 3],
    },
    /// The time step breaks the stability bound `delta * d <= 1`, d being the number of axes along
    /// which the grid is longer than a cell.
    #[error(
        "dt = {dt} is unstable: at the largest speed {speed:?} the largest stable dt is {max_dt}"
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
    #[error("speed {speed:?} is unstable: with dt = {dt} the largest stable speed is {max_speed}")]
    UnstableSpeed {
        /// The speed that was asked for.
        speed: f64,
        /// The medium's time step.
        dt: f64,
        /// The largest speed that is accepted.
        max_speed: f64,
    },
    /// A speed so low that a wave would take 4096 steps or more for a cell.
    #[error("speed {speed:?} is too low: with dt = {dt} the smallest speed is {min_speed}")]
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
        /// As `[z, y, x]` (z = 0 in 2D).
        cell: [usize; 3],
        /// Cells along z, y, x.
        shape: [usize; 3],
    },
}

/// Why a [`Wave`](crate::Wave) or a [`TileFront`](crate::TileFront) did not do what it was asked
/// for. It is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WaveError {
    /// The medium was refused.
    #[error(transparent)]
    Medium(#[from] MediumError),
    /// A medium of another shape, or one that was edited less often than the one seen before.
    #[error(
        "this is not the medium that the wave was made for (shape {found:?}, was {expected:?}, or an older copy)"
    )]
    OtherMedium {
        /// The shape of the medium that was passed.
        found: [usize; 3],
        /// The shape of the medium that the wave was made for.
        expected: [usize; 3],
    },
    /// A cell that the grid does not have.
    #[error("cell {cell:?} is outside the grid of {shape:?} cells")]
    OutOfGrid {
        /// As `[z, y, x]` (z = 0 in 2D).
        cell: [usize; 3],
        /// Cells along z, y, x.
        shape: [usize; 3],
    },
    /// A position that no cell covers, or that is not finite.
    #[error("position {position:?} is outside the grid")]
    OffGrid {
        /// As `[x, y, z]` (z = 0 in 2D).
        position: [f64; 3],
    },
    /// A wall cell, where no wave can be emitted or heard.
    #[error("cell {cell:?} is a wall")]
    Wall {
        /// As `[z, y, x]` (z = 0 in 2D).
        cell: [usize; 3],
    },
    /// A source out of its limits.
    #[error(
        "a source of amplitude {amplitude} over {steps} steps is not possible: magnitude 2^-40 to 2^40, 2 to 1024 steps"
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
    /// A front or a field from nowhere.
    #[error("a front needs at least one source cell")]
    NoSource,
    /// A cell that a way joins to the sources, but a longer one than times can tell.
    #[error("a cell is further off than 6.6e6 times what the fastest cell takes")]
    TooFar,
    /// A front's setting is out of its limits.
    #[error("{what} = {value} is not allowed: {limit}")]
    Config {
        /// The setting's name.
        what: &'static str,
        /// Its value.
        value: u32,
        /// What it may be.
        limit: &'static str,
    },
}
