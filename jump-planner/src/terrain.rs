//! The ground: square cells, each flat at some height.

pub(crate) mod builder;
pub(crate) mod rounding;

use self::builder::{TerrainBuilder, checked};
use crate::cell::Cell;
use crate::error::TerrainError;
use glam::DVec2;
use ndarray::Array2;

/// Square cells, each flat at some height, with cells that cannot be entered and ceilings.
///
/// * A *no-go* cell has a height and can be flown over, but not stood on.
/// * A *no-data* cell is of unknown height: neither stood on nor flown over.
/// * A *ceiling* is the underside of something above a cell; no flight passes through it, and
///   ground on top of it is not part of the terrain.
///
/// ```
/// use jump_planner::Terrain;
/// use ndarray::array;
///
/// let terrain = Terrain::builder(&array![[0.0, 0.0, -9999.0], [1.0, 2.5, 0.0]])
///     .cell_size(0.5)
///     .no_data(-9999.0)
///     .build()?;
/// assert_eq!(terrain.height([1, 1]), Some(2.5));
/// assert_eq!(terrain.height([0, 2]), None);
/// # Ok::<(), jump_planner::TerrainError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// `[rows, columns]`
    shape: [usize; 2],
    cell_size: f64,
    origin: DVec2,
    /// Infinite where there is no data.
    heights: Vec<f64>,
    no_go: Vec<bool>,
    /// Empty without ceilings; infinite where there is none.
    ceilings: Vec<f64>,
}

impl Terrain {
    /// From heights by `[row, column]`; the rest by the builder's methods. Cells are of side 1 and
    /// heights count as they are.
    pub fn builder(heights: &Array2<f64>) -> TerrainBuilder<'_> {
        TerrainBuilder {
            heights,
            no_go: None,
            ceilings: None,
            no_data: None,
            cell_size: 1.0,
            height_scale: 1.0,
            quantum: None,
            origin: DVec2::ZERO,
        }
    }

    /// From heights by `[row, column]`, cells of side 1.
    ///
    /// ```
    /// use jump_planner::{Terrain, ndarray::array};
    ///
    /// let terrain = Terrain::from_heights(&array![[0.0, 0.5], [1.0, 2.5]])?;
    /// assert_eq!(terrain.height([1, 0]), Some(1.0));
    /// # Ok::<(), jump_planner::TerrainError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`TerrainBuilder::build`].
    pub fn from_heights(heights: &Array2<f64>) -> Result<Self, TerrainError> {
        Self::builder(heights).build()
    }

    /// From rows of heights, cells of side 1.
    ///
    /// # Errors
    /// [`TerrainError::Ragged`], and those of [`TerrainBuilder::build`].
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, TerrainError> {
        let expected = rows.first().map_or(0, |row| row.as_ref().len());
        let mut heights = Vec::new();
        for (row, cells) in rows.iter().enumerate() {
            let found = cells.as_ref().len();
            if found != expected {
                return Err(TerrainError::Ragged { row, found, expected });
            }
            heights.extend_from_slice(cells.as_ref());
        }
        let shape = (rows.len(), expected);
        let heights = Array2::from_shape_vec(shape, heights);
        let heights =
            heights.map_err(|_| TerrainError::Size { rows: shape.0, columns: shape.1 })?;
        Self::builder(&heights).build()
    }

    /// `[rows, columns]`
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }
    /// Cells in all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heights.len()
    }
    /// Never: a terrain has two cells or more.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }
    /// `[units: length]` The side of a cell.
    #[must_use]
    pub fn cell_size(&self) -> f64 {
        self.cell_size
    }
    /// `[units: length]` The centre of `cell`, as (x, y), which need not be inside.
    #[must_use]
    pub fn centre(&self, cell: Cell) -> DVec2 {
        self.position([cell[1] as f64 + 0.5, cell[0] as f64 + 0.5])
    }
    /// The cell around a position (x, y); `None` outside.
    #[must_use]
    pub fn cell_at(&self, position: DVec2) -> Option<Cell> {
        let p = DVec2::from_array(self.in_cells(position));
        let [rows, columns] = self.shape;
        let within = |v: f64, n: usize| (v >= 0.0 && v < n as f64).then_some(v as usize);
        Some([within(p.y, rows)?, within(p.x, columns)?])
    }
    /// `[units: length]` The height of `cell`; `None` outside and where there is no data.
    #[must_use]
    pub fn height(&self, cell: Cell) -> Option<f64> {
        self.index(cell).map(|i| self.heights[i]).filter(|z| z.is_finite())
    }
    /// `[units: length]` The ceiling above `cell`; `None` where there is none.
    #[must_use]
    pub fn ceiling(&self, cell: Cell) -> Option<f64> {
        self.index(cell).map(|i| self.ceiling_of(i)).filter(|z| z.is_finite())
    }
    /// Whether `cell` has a height and is not no-go. Low ceilings are the character's business.
    #[must_use]
    pub fn can_stand(&self, cell: Cell) -> bool {
        self.index(cell).is_some_and(|i| self.is_ground(i))
    }
    /// Whether there are ceilings.
    #[must_use]
    pub fn has_ceilings(&self) -> bool {
        !self.ceilings.is_empty()
    }

    /// Sets the height of a cell; a cell without data has data then.
    ///
    /// # Errors
    /// [`TerrainError::Outside`], [`TerrainError::Height`].
    pub(crate) fn set_height(&mut self, cell: Cell, height: f64) -> Result<(), TerrainError> {
        let i = self.checked_index(cell)?;
        self.heights[i] = checked("height", cell, height)?;
        Ok(())
    }

    pub(crate) fn set_no_go(&mut self, cell: Cell, no_go: bool) -> Result<(), TerrainError> {
        let i = self.checked_index(cell)?;
        let alone = no_go && (0..self.len()).all(|j| j == i || !self.is_ground(j));
        if alone {
            return Err(TerrainError::NoGround { cells: self.len() });
        }
        self.no_go[i] = no_go;
        Ok(())
    }

    /// (x, y) in cells, where cell `[0, 0]` covers 0 to 1, to the world.
    pub(crate) fn position(&self, p: [f64; 2]) -> DVec2 {
        self.origin + (DVec2::from_array(p) - DVec2::splat(0.5)) * self.cell_size
    }
    /// The inverse of [`Terrain::position`]. A point as near a centre or a border as the rounding
    /// of such coordinates counts as there; otherwise flights between centres would miss corners.
    pub(crate) fn in_cells(&self, p: DVec2) -> [f64; 2] {
        let along = |p: f64, origin: f64| {
            let exact = (p - origin) / self.cell_size + 0.5;
            let half = 0.5 * (2.0 * exact).round();
            let rounding = 4.0 * f64::EPSILON * ((p.abs() + origin.abs()) / self.cell_size + 1.0);
            if (exact - half).abs() <= rounding { half } else { exact }
        };
        [along(p.x, self.origin.x), along(p.y, self.origin.y)]
    }
    pub(crate) fn index(&self, [y, x]: Cell) -> Option<usize> {
        let [rows, columns] = self.shape;
        (y < rows && x < columns).then(|| y * columns + x)
    }
    pub(crate) fn checked_index(&self, cell: Cell) -> Result<usize, TerrainError> {
        let [rows, columns] = self.shape;
        self.index(cell).ok_or(TerrainError::Outside { cell, rows, columns })
    }
    pub(crate) fn cell(&self, index: usize) -> Cell {
        // There are at most MAX_CELLS, and 32 bits are divided faster.
        let (index, columns) = (index as u32, self.shape[1] as u32);
        [(index / columns) as usize, (index % columns) as usize]
    }
    pub(crate) fn is_ground(&self, index: usize) -> bool {
        self.heights[index].is_finite() && !self.no_go[index]
    }
    pub(crate) fn is_no_go(&self, index: usize) -> bool {
        self.no_go[index]
    }
    pub(crate) fn heights(&self) -> &[f64] {
        &self.heights
    }
    pub(crate) fn ceilings(&self) -> &[f64] {
        &self.ceilings
    }
    pub(crate) fn ceiling_of(&self, index: usize) -> f64 {
        self.ceilings.get(index).copied().unwrap_or(f64::INFINITY)
    }
}
