//! Snapshots: a medium, a running wave and a running front as plain data, and back, checked.
//!
//! Numbers stand as their bits, because not every text format gives the last one back.

use crate::dense::real::Real;
use crate::dense::source::{Pulse, Source};
use crate::dense::wave::Wave;
use crate::grid::layout::Layout;
use crate::grid::medium::{Medium, WallRule};
use crate::grid::space::Space;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// Why a snapshot was refused.
#[derive(Debug, Error)]
pub(crate) enum StateError {
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

/// A medium. Cells are in the order of `[z][y][x]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MediumState {
    /// Bits of a number.
    pub(crate) format: u32,
    /// z, y, x.
    pub(crate) size: [usize; 3],
    pub(crate) spacing: u64,
    pub(crate) origin: [u64; 3],
    pub(crate) dt: u64,
    pub(crate) damping: u64,
    pub(crate) wall_rule: WallRule,
    pub(crate) uniform: bool,
    pub(crate) speed_edits: u64,
    pub(crate) revision: u64,
    /// The cells of the latest edits of walls, in order.
    pub(crate) log: Vec<usize>,
    /// `(c dt / h)^2`, negative in walls.
    pub(crate) delta: Vec<u64>,
}

/// A wave, likewise.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaveState {
    pub(crate) format: u32,
    pub(crate) size: [usize; 3],
    pub(crate) steps: u64,
    /// Edits of the medium that the wave has seen.
    pub(crate) seen: u64,
    pub(crate) now: Vec<u64>,
    pub(crate) prev: Vec<u64>,
    pub(crate) pulses: Vec<PulseState>,
}

/// A pulse that is going out.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PulseState {
    /// Counted in the order of cells.
    cell: usize,
    amplitude: u64,
    steps: u32,
    done: u32,
}

impl PulseState {
    pub(crate) fn new(pulse: &Pulse, layout: &Layout) -> Self {
        let amplitude = pulse.amplitude.to_bits();
        let cell = number(layout, pulse.index);
        Self { cell, amplitude, steps: pulse.steps, done: pulse.done }
    }

    pub(crate) fn pulse(self, layout: &Layout) -> Result<Pulse, StateError> {
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
pub(crate) fn number(layout: &Layout, index: usize) -> usize {
    let [_, ny, nx] = layout.size;
    let [z, y, x] = layout.cell(index);
    (z * ny + y) * nx + x
}

/// The storage index of the cell of this number.
pub(crate) fn index(layout: &Layout, number: usize) -> Option<usize> {
    let [nz, ny, nx] = layout.size;
    let inside = number < nz * ny * nx;
    inside.then(|| layout.index([number / nx / ny, number / nx % ny, number % nx]))
}

/// The layout of a snapshot's grid, if the grid and the number format are those of the type.
pub(crate) fn layout<D: Space, S: Real>(
    size: [usize; 3],
    format: u32,
) -> Result<Layout, StateError> {
    let expected = 8 * size_of::<S>() as u32;
    if format != expected {
        return Err(StateError::Format { found: format, expected });
    }
    let fits = D::to_size(D::from_zyx(size)) == size;
    Layout::new(size, size_of::<S>()).filter(|_| fits).ok_or(StateError::Size { size })
}

/// The bits of the grid's cells.
pub(crate) fn bits<S: Real>(layout: &Layout, value: impl Fn(usize) -> S) -> Vec<u64> {
    layout.indices().map(|i| value(i).bits()).collect()
}

/// Refuses numbers of which there is not one for every cell, before anything is made for so many
/// cells.
pub(crate) fn check_length(
    layout: &Layout,
    what: &'static str,
    found: usize,
) -> Result<(), StateError> {
    let expected = layout.count();
    if found == expected { Ok(()) } else { Err(StateError::Length { what, found, expected }) }
}

/// Refuses a count that is near to where counting on would overflow.
pub(crate) fn check_count(what: &'static str, count: u64) -> Result<(), StateError> {
    let value = count as f64;
    if count >> 60 == 0 { Ok(()) } else { Err(StateError::Value { what, value }) }
}

/// Puts the numbers of a snapshot into the grid's cells, each of which must be `allowed`.
pub(crate) fn fill<S: Real>(
    layout: &Layout,
    what: &'static str,
    bits: &[u64],
    allowed: impl Fn(S) -> bool,
    mut set: impl FnMut(usize, S),
) -> Result<(), StateError> {
    check_length(layout, what, bits.len())?;
    for (cell, (i, &bits)) in layout.indices().zip(bits).enumerate() {
        let value = S::from_bits(bits).filter(|&value| allowed(value));
        set(i, value.ok_or(StateError::Cell { what, cell, bits })?);
    }
    Ok(())
}

impl<D: Space, S: Real> Serialize for Medium<D, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.state().serialize(serializer)
    }
}

/// What was written by another type, or cannot be a medium, is refused.
impl<'de, D: Space, S: Real> Deserialize<'de> for Medium<D, S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_state(&MediumState::deserialize(deserializer)?).map_err(T::Error::custom)
    }
}

impl<D: Space, S: Real> Serialize for Wave<D, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.state().serialize(serializer)
    }
}

/// What was written by another type, or cannot be a wave, is refused.
impl<'de, D: Space, S: Real> Deserialize<'de> for Wave<D, S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_state(&WaveState::deserialize(deserializer)?).map_err(T::Error::custom)
    }
}
