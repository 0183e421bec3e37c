//! From columns of spans, or from voxels, to a terrain with storeys: checked here, once.

use super::SpanTerrain;
use crate::cell::Cell;
use crate::error::TerrainError;
use crate::terrain::builder::{self, MAX_CELLS};
use glam::DVec2;
use ndarray::{Array2, Array3, Axis};

/// A solid part of a column, from its bottom to its top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// `[units: length] [limits: within +-1e9, or minus infinity]`
    pub bottom: f64,
    /// `[units: length] [limits: > bottom, within +-1e9, or infinity]` The floor on it.
    pub top: f64,
    /// Whether nobody may stand on it; one can still fly over it.
    pub no_go: bool,
}

impl Span {
    /// One can stand on it.
    #[must_use]
    pub fn new(bottom: f64, top: f64) -> Self {
        Self { bottom, top, no_go: false }
    }
    /// The ground: solid up to `top`, however deep.
    #[must_use]
    pub fn ground(top: f64) -> Self {
        Self::new(f64::NEG_INFINITY, top)
    }
    /// A column that is solid all the way, or of which nothing is known.
    #[must_use]
    pub fn wall() -> Self {
        Self::new(f64::NEG_INFINITY, f64::INFINITY)
    }

    /// The spans of voxels by `[z, y, x]`, true where solid: voxel z fills heights z to z + 1.
    ///
    /// ```
    /// use jump_planner::{Span, ndarray::array};
    ///
    /// // One column: ground, two free voxels, a ceiling.
    /// let columns = Span::of_voxels(&array![[[true]], [[false]], [[false]], [[true]]]);
    /// assert_eq!(columns[[0, 0]], [Span::new(0.0, 1.0), Span::new(3.0, 4.0)]);
    /// ```
    #[must_use]
    pub fn of_voxels(solid: &Array3<bool>) -> Array2<Vec<Self>> {
        let (_, rows, columns) = solid.dim();
        let mut spans: Array2<Vec<Self>> = Array2::default([rows, columns]);
        for (z, layer) in solid.axis_iter(Axis(0)).enumerate() {
            for ((y, x), _) in layer.indexed_iter().filter(|(_, solid)| **solid) {
                let (bottom, column) = (z as f64, &mut spans[[y, x]]);
                match column.last_mut().filter(|span| span.top == bottom) {
                    Some(span) => span.top = bottom + 1.0,
                    None => column.push(Self::new(bottom, bottom + 1.0)),
                }
            }
        }
        spans
    }
}

/// Builds a [`SpanTerrain`] from the spans of each column.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct SpanTerrainBuilder<'a> {
    columns: &'a Array2<Vec<Span>>,
    cell_size: f64,
    height_scale: f64,
    origin: DVec2,
}

impl<'a> SpanTerrainBuilder<'a> {
    pub(super) fn new(columns: &'a Array2<Vec<Span>>) -> Self {
        Self { columns, cell_size: 1.0, height_scale: 1.0, origin: DVec2::ZERO }
    }
    /// `[units: length] [limits: 1e-6 to 1e6] suggested: 1` The side of a cell.
    pub fn cell_size(self, cell_size: f64) -> Self {
        Self { cell_size, ..self }
    }
    /// `[units: length per unit of the spans] [limits: 1e-9 to 1e9] suggested: 1` Bottoms and tops
    /// are multiplied by this.
    pub fn height_scale(self, height_scale: f64) -> Self {
        Self { height_scale, ..self }
    }
    /// `[units: length]` The centre of cell `[0, 0]`. Without: `(0, 0)`.
    pub fn origin(self, origin: DVec2) -> Self {
        Self { origin, ..self }
    }

    /// # Errors
    /// [`TerrainError`]: fewer than two columns, more than 2^30 columns or places, a span that ends
    /// where it begins or before, heights that are not numbers or beyond +-1e9, scales out of their
    /// limits, nowhere to stand.
    ///
    /// # Complexity
    /// O(spans), and sorting those of each column.
    pub fn build(self) -> Result<SpanTerrain, TerrainError> {
        let (rows, columns) = self.columns.dim();
        let Self { cell_size, height_scale, origin, .. } = self;
        let cells = builder::cells([rows, columns], cell_size, height_scale, None, origin)?;
        let mut terrain = SpanTerrain {
            shape: [rows, columns],
            cell_size: self.cell_size,
            origin: self.origin,
            begins: Vec::with_capacity(cells + 1),
            columns: Vec::with_capacity(cells),
            floors: Vec::with_capacity(cells),
            ceilings: Vec::with_capacity(cells),
            no_go: Vec::with_capacity(cells),
            has_ceilings: false,
            roofs: 0,
            stacks: 0,
        };
        let mut spans = Vec::new();
        for (column, ((y, x), given)) in self.columns.indexed_iter().enumerate() {
            spans.clear();
            for span in given {
                spans.push(checked([y, x], span, self.height_scale)?);
            }
            terrain.push(column as u32, &mut spans);
            if terrain.floors.len() > MAX_CELLS {
                return Err(TerrainError::Places { rows, columns });
            }
        }
        terrain.begins.push(terrain.floors.len() as u32);
        terrain.roofs = terrain.ceilings.iter().filter(|z| z.is_finite()).count();
        terrain.has_ceilings = terrain.roofs > 0;
        if (0..terrain.len()).any(|i| terrain.is_floor(i)) {
            Ok(terrain)
        } else {
            Err(TerrainError::NoGround { cells })
        }
    }
}

/// A span in the units of the level.
pub(super) fn checked(cell: Cell, span: &Span, scale: f64) -> Result<Span, TerrainError> {
    let of = |what, value: f64, open: f64| {
        if value == open {
            return Ok(value);
        }
        builder::checked(what, cell, value * scale)
    };
    let bottom = of("bottom of a span", span.bottom, f64::NEG_INFINITY)?;
    let top = of("top of a span", span.top, f64::INFINITY)?;
    if bottom >= top {
        return Err(TerrainError::Span { cell, bottom, top });
    }
    Ok(Span { bottom, top, ..*span })
}

/// A free part of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Free {
    pub(super) floor: f64,
    pub(super) ceiling: f64,
    pub(super) no_go: bool,
}

/// Calls `each` with the parts of a column that some spans leave free, from below; sorts the spans.
pub(super) fn free(spans: &mut [Span], mut each: impl FnMut(Free)) {
    spans.sort_unstable_by(|a, b| {
        a.bottom.total_cmp(&b.bottom).then(a.top.total_cmp(&b.top)).then(a.no_go.cmp(&b.no_go))
    });
    let (mut floor, mut no_go, mut is_solid) = (f64::NEG_INFINITY, false, true);
    for span in spans.iter() {
        if span.bottom > floor {
            each(Free { floor, ceiling: span.bottom, no_go });
            is_solid = false;
        }
        if span.top > floor {
            (floor, no_go) = (span.top, span.no_go);
        } else if span.top == floor {
            no_go |= span.no_go;
        }
    }
    if floor < f64::INFINITY || is_solid {
        each(Free { floor, ceiling: f64::INFINITY, no_go });
    }
}

impl SpanTerrain {
    /// Adds the free parts of the next column.
    fn push(&mut self, column: u32, spans: &mut [Span]) {
        let before = self.floors.len();
        self.begins.push(before as u32);
        free(spans, |Free { floor, ceiling, no_go }| {
            self.columns.push(column);
            self.floors.push(floor);
            self.ceilings.push(ceiling);
            self.no_go.push(no_go);
        });
        self.stacks += usize::from(self.floors.len() - before > 1);
    }
}
