//! Snapshots: a medium, a running wave and a running front as plain data, and back, checked.
//!
//! Numbers stand as their bits, because not every text format gives the last one back.

use crate::dense::real::Real;
use crate::dense::source::{Pulse, Source};
use crate::grid::{Layout, Space};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a snapshot was refused.
#[derive(Debug, Error)]
pub(super) enum StateError {
    #[error("a snapshot of {found}-bit numbers, not of {expected}-bit ones")]
    Format { found: u32, expected: u32 },
    #[error("a grid of {size:?} cells is not possible here")]
    Size { size: [usize; 3] },
    #[error("{what} holds {found} cells, the grid has {expected}")]
    Length { what: &'static str, found: usize, expected: usize },
    #[error("{what} = {value} is not allowed in a snapshot")]
    Value { what: &'static str, value: f64 },
    #[error("{what} of cell {cell} is not allowed in a snapshot (bits {bits:#x})")]
    Cell { what: &'static str, cell: usize, bits: u64 },
    #[error("a tile with {what} = {value} is not possible in a snapshot")]
    Tile { what: &'static str, value: u64 },
    #[error("a pulse at cell {cell}, {done} of {steps} steps done, is not possible")]
    Pulse { cell: usize, done: u32, steps: u32 },
}

/// A pulse that is going out.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PulseState {
    /// Counted in the order of cells.
    cell: usize,
    amplitude: u64,
    steps: u32,
    done: u32,
}

impl PulseState {
    pub(super) fn new(pulse: &Pulse, layout: &Layout) -> Self {
        let amplitude = pulse.amplitude.to_bits();
        let cell = number(layout, pulse.index);
        Self { cell, amplitude, steps: pulse.steps, done: pulse.done }
    }

    pub(super) fn pulse(self, layout: &Layout) -> Result<Pulse, StateError> {
        let Self { cell, steps, done, .. } = self;
        let amplitude = f64::from_bits(self.amplitude);
        let source = Source::Pulse { amplitude, steps };
        match index(layout, cell) {
            Some(index) if done < steps && source.check().is_ok() => {
                Ok(Pulse { index, amplitude, steps, done })
            }
            _ => Err(StateError::Pulse { cell, done, steps }),
        }
    }
}

/// The number of a cell of the grid, counted in the order of `[z][y][x]`.
pub(super) fn number(layout: &Layout, index: usize) -> usize {
    let [_, ny, nx] = layout.size;
    let [z, y, x] = layout.cell(index);
    (z * ny + y) * nx + x
}

/// The storage index of the cell of this number.
pub(super) fn index(layout: &Layout, number: usize) -> Option<usize> {
    let [nz, ny, nx] = layout.size;
    let inside = number < nz * ny * nx;
    inside.then(|| layout.index([number / nx / ny, number / nx % ny, number % nx]))
}

/// The layout of a snapshot's grid, if the grid and the number format are those of the type.
pub(super) fn layout<D: Space, S: Real>(
    size: [usize; 3],
    format: u32,
) -> Result<Layout, StateError> {
    let expected = 8 * size_of::<S>() as u32;
    if format != expected {
        return Err(StateError::Format { found: format, expected });
    }
    let fits = D::to_size(D::from_zyx(size)) == size;
    Layout::close(size).filter(|_| fits).ok_or(StateError::Size { size })
}
