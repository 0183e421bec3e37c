//! From arrays to a terrain: all input is checked here, once.

use super::Terrain;
use crate::cell::Cell;
use crate::error::{OutOfRange, TerrainError};
use glam::DVec2;
use ndarray::Array2;

/// The most cells.
pub(crate) const MAX_CELLS: usize = 1 << 30;
/// The largest height.
pub(crate) const MAX_HEIGHT: f64 = 1e9;

/// Builds a [`Terrain`] from arrays of `[rows, columns]`.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct TerrainBuilder<'a> {
    pub(super) heights: &'a Array2<f64>,
    pub(super) no_go: Option<&'a Array2<bool>>,
    pub(super) ceilings: Option<&'a Array2<f64>>,
    pub(super) no_data: Option<f64>,
    pub(super) cell_size: f64,
    pub(super) height_scale: f64,
    pub(super) quantum: Option<f64>,
    pub(super) origin: DVec2,
}

impl<'a> TerrainBuilder<'a> {
    /// `[units: length] [limits: 1e-6 to 1e6] suggested: 1` The side of a cell.
    pub fn cell_size(self, cell_size: f64) -> Self {
        Self { cell_size, ..self }
    }
    /// `[units: length per unit of the array] [limits: 1e-9 to 1e9] suggested: 1` Heights are
    /// multiplied by this; ceilings too.
    pub fn height_scale(self, height_scale: f64) -> Self {
        Self { height_scale, ..self }
    }
    /// `[units: length] [limits: 1e-9 to 1e9] suggested: none` Heights are rounded to multiples of
    /// this after scaling, halves away from 0; ceilings are not.
    pub fn quantum(self, quantum: f64) -> Self {
        Self { quantum: Some(quantum), ..self }
    }
    /// The array's value (before scaling) that means no data; NaN is possible. Without it every
    /// height counts, and NaN is an error.
    pub fn no_data(self, no_data: f64) -> Self {
        Self { no_data: Some(no_data), ..self }
    }
    /// True where a cell must not be stood on; it can still be flown over.
    pub fn no_go(self, no_go: &'a Array2<bool>) -> Self {
        Self { no_go: Some(no_go), ..self }
    }
    /// The height of the ceiling above each cell; positive infinity without a ceiling.
    pub fn ceilings(self, ceilings: &'a Array2<f64>) -> Self {
        Self { ceilings: Some(ceilings), ..self }
    }
    /// `[units: length]` The centre of cell `[0, 0]`. Without: `(0, 0)`.
    pub fn origin(self, origin: DVec2) -> Self {
        Self { origin, ..self }
    }

    /// # Errors
    /// [`TerrainError`]: fewer than two cells or too many, arrays of different shapes, heights that
    /// are not finite or beyond +-1e9, scales out of their limits, nowhere to stand.
    pub fn build(self) -> Result<Terrain, TerrainError> {
        let (rows, columns) = self.heights.dim();
        let Self { cell_size, height_scale, quantum, origin, .. } = self;
        let cells = cells([rows, columns], cell_size, height_scale, quantum, origin)?;
        let expected = [rows, columns];
        let masks = [
            ("the no-go mask", self.no_go.map(Array2::dim)),
            ("the ceiling", self.ceilings.map(Array2::dim)),
        ];
        for (what, found) in masks {
            if let Some(found) = found.map(|(y, x)| [y, x]).filter(|found| *found != expected) {
                return Err(TerrainError::Shape { what, found, expected });
            }
        }
        let no_data = |z: f64| self.no_data.is_some_and(|n| z == n || (n.is_nan() && z.is_nan()));
        let mut heights = Vec::with_capacity(cells);
        for ((y, x), &z) in self.heights.indexed_iter() {
            heights.push(if no_data(z) {
                f64::INFINITY
            } else {
                let z = z * self.height_scale;
                let z = self.quantum.map_or(z, |q| (z / q).round() * q);
                checked("height", [y, x], z)?
            });
        }
        let mut ceilings = Vec::new();
        if let Some(given) = self.ceilings {
            ceilings.reserve(cells);
            for ((y, x), &z) in given.indexed_iter() {
                let open = z == f64::INFINITY;
                let z = z * self.height_scale;
                ceilings.push(if open { z } else { checked("ceiling", [y, x], z)? });
            }
        }
        let no_go = self.no_go.map_or_else(|| vec![false; cells], |n| n.iter().copied().collect());
        let terrain = Terrain {
            shape: expected,
            cell_size: self.cell_size,
            origin: self.origin,
            heights,
            no_go,
            ceilings,
        };
        if (0..cells).any(|i| terrain.is_ground(i)) {
            Ok(terrain)
        } else {
            Err(TerrainError::NoGround { cells })
        }
    }
}

/// How many cells a grid has, if their number and its scales are within their limits.
pub(crate) fn cells(
    [rows, columns]: [usize; 2],
    cell_size: f64,
    height_scale: f64,
    quantum: Option<f64>,
    origin: DVec2,
) -> Result<usize, TerrainError> {
    let cells = rows.saturating_mul(columns);
    if !(2..=MAX_CELLS).contains(&cells) {
        return Err(TerrainError::Size { rows, columns });
    }
    let scales = [
        ("cell_size", cell_size, 1e-6..=1e6, "within 1e-6 to 1e6"),
        ("height_scale", height_scale, 1e-9..=1e9, "within 1e-9 to 1e9"),
        ("quantum", quantum.unwrap_or(1.0), 1e-9..=1e9, "within 1e-9 to 1e9"),
        ("origin.x", origin.x, -1e9..=1e9, "within +-1e9"),
        ("origin.y", origin.y, -1e9..=1e9, "within +-1e9"),
    ];
    for (what, value, range, limit) in scales {
        if !range.contains(&value) {
            return Err(OutOfRange { what, value, limit }.into());
        }
    }
    Ok(cells)
}

pub(crate) fn checked(what: &'static str, cell: Cell, value: f64) -> Result<f64, TerrainError> {
    // NaN is not within.
    if (-MAX_HEIGHT..=MAX_HEIGHT).contains(&value) {
        // One zero: rounding small negative heights gives the other.
        return Ok(value + 0.0);
    }
    Err(TerrainError::Height { what, cell, value })
}
