//! The medium of a wave: walls, speed per cell, damping, the time step.

use super::builder::MediumBuilder;
use super::links::Link;
use super::map::{Map, WallRule};
use super::space::Space;
use crate::error::MediumError;
use ndarray::{Array, ArrayRef};
use std::marker::PhantomData;

/// The map: walls, speeds, links, and a log of the latest edits.
///
/// Any number of waves, fronts and fields can share one medium. It does not know them: when one of
/// them goes on, it takes over the edits that it has not seen.
///
/// Memory: a bit a cell. Where speeds differ, another byte a cell; where there are more than 256 of
/// them, 4 bytes, and speeds are kept as `f32`. A link takes 32 bytes. The latest 65,536 edits take
/// 4 bytes each.
///
/// ```
/// use ndarray::Array2;
/// use wave_core::Medium;
///
/// let mut walls = Array2::from_elem([20, 30], false);
/// walls[[3, 4]] = true;
/// let mut medium = Medium::from_walls(&walls)?;
/// assert!(medium.is_wall([3, 4]) && medium.is_wall([20, 0]));
/// medium.set_walls(&[([3, 4], false), ([3, 5], true)])?;
/// assert!(!medium.is_wall([3, 4]) && medium.is_wall([3, 5]));
/// # Ok::<(), wave_core::MediumError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = "", try_from = "Map", into = "Map"))]
pub struct Medium<D: Space> {
    map: Map,
    space: PhantomData<D>,
}

impl<D: Space> Medium<D> {
    /// A medium of `shape` cells, `[ny, nx]` or `[nz, ny, nx]`.
    #[must_use]
    pub fn builder<'a>(shape: D::Cell) -> MediumBuilder<'a, D> {
        MediumBuilder::new(shape)
    }

    /// A medium with these walls, true where a cell is a wall, and with the defaults of
    /// [`Medium::builder`]: cells of size 1, the first one's centre at 0, speed 1.
    ///
    /// # Errors
    /// [`MediumError::Shape`].
    pub fn from_walls(walls: &ArrayRef<bool, D>) -> Result<Self, MediumError> {
        let shape = walls.shape();
        let mut size = [1; 3];
        size[3 - shape.len()..].copy_from_slice(shape);
        Self::builder(D::from_zyx(size)).walls(walls).build()
    }

    pub(super) fn of(map: Map) -> Self {
        Self { map, space: PhantomData }
    }

    #[cfg(feature = "serde")]
    pub(super) fn into_map(self) -> Map {
        self.map
    }

    pub(crate) fn map(&self) -> &Map {
        &self.map
    }

    /// Cells along each axis, `[ny, nx]` or `[nz, ny, nx]`.
    #[must_use]
    pub fn shape(&self) -> D::Cell {
        D::from_zyx(self.map.size())
    }
    /// `[units: world units]` The distance between cell centres.
    #[must_use]
    pub fn spacing(&self) -> f64 {
        self.map.spacing()
    }
    /// `[units: world units]` The centre of the first cell.
    #[must_use]
    pub fn origin(&self) -> D::Point {
        D::from_xyz(self.map.origin())
    }
    /// `[units: time]` The time that one step of a wave stands for.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.map.dt()
    }
    /// `[units: 1 / time]` The factor of `dz/dt`.
    #[must_use]
    pub fn damping(&self) -> f64 {
        self.map.damping()
    }
    /// The effect of walls on a wave.
    #[must_use]
    pub fn wall_rule(&self) -> WallRule {
        self.map.wall_rule()
    }
    /// Whether the medium was given one speed everywhere: true if neither [`MediumBuilder::speeds`]
    /// nor [`Medium::set_speed`] was called.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.map.is_uniform()
    }
    /// How often walls were edited since the medium was built.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.map.revision()
    }
    /// `[units: bytes]` The memory of walls, speeds, links and the log of edits.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.map.memory_bytes()
    }

    /// The cell around `position`, or `None` if no cell covers it.
    #[must_use]
    pub fn cell_at(&self, position: impl Into<D::Point>) -> Option<D::Cell> {
        let p = self.map.to_cells(D::to_xyz(position.into()));
        self.map.nearest(p).map(D::from_zyx)
    }
    /// `[units: world units]` The centre of `cell`, which need not be inside the grid.
    #[must_use]
    pub fn centre(&self, cell: D::Cell) -> D::Point {
        let [z, y, x] = D::to_zyx(cell).map(|v| v as f64);
        D::from_xyz(self.map.from_cells([x, y, z]))
    }
    /// Whether `cell` is a wall; cells outside the grid are.
    #[must_use]
    #[inline]
    pub fn is_wall(&self, cell: D::Cell) -> bool {
        self.map.is_wall(D::to_zyx(cell))
    }
    /// Whether all cells of a box, both corners included, are on the grid and none is a wall. Lines
    /// of sight ask for many cells at once. `false` if `last` is before `first` on some axis.
    ///
    /// # Complexity
    /// O(cells of the box), a row at a time.
    #[must_use]
    #[inline]
    pub fn is_open_box(&self, first: D::Cell, last: D::Cell) -> bool {
        self.map.is_open_box(D::to_zyx(first), D::to_zyx(last))
    }
    /// All walls, as an array of the grid's shape.
    #[must_use]
    pub fn walls(&self) -> Array<bool, D> {
        let mut cells = 0..self.map.count();
        let shape = D::shape(self.shape());
        Array::from_shape_simple_fn(shape, || cells.next().is_none_or(|i| !self.map.is_open(i)))
    }
    /// `[units: world units per time]` The wave speed of `cell`; of a wall, the speed that it will
    /// have when it is opened. `None` outside the grid.
    #[must_use]
    pub fn speed(&self, cell: D::Cell) -> Option<f64> {
        self.map.speed(D::to_zyx(cell))
    }
    /// `[units: world units per time]` The wave speed of the fastest open cell; 0 if there is none.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn fastest_speed(&self) -> f64 {
        self.map.fastest_speed()
    }
    /// `[units: world units per time]` The wave speed of the fastest cell, walls included.
    ///
    /// # Complexity
    /// O(1); O(cells) where there are more than 256 speeds.
    #[must_use]
    pub fn fastest_of_all(&self) -> f64 {
        self.map.fastest_of_all()
    }
    /// All links, in the order of the cells where they begin; none unless
    /// [`MediumBuilder::links`] gave some.
    pub fn links(&self) -> impl Iterator<Item = Link<D::Cell>> + '_ {
        self.map.all_links().map(|link| link.map(D::from_zyx))
    }
    /// Whether there are any links.
    #[must_use]
    pub fn has_links(&self) -> bool {
        self.map.links().is_some()
    }
    /// The number of open cells.
    ///
    /// # Complexity
    /// O(cells / 64).
    #[must_use]
    pub fn open_cells(&self) -> usize {
        self.map.open_cells()
    }

    /// Makes `cell` a wall or frees it. The next step of a wave sees the cell as it is then: in a
    /// wall the wave is gone. The cell keeps its speed.
    ///
    /// # Errors
    /// [`MediumError::OutOfGrid`].
    ///
    /// # Complexity
    /// O(1).
    pub fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), MediumError> {
        self.map.set_wall(D::to_zyx(cell), wall)
    }

    /// [`Medium::set_wall`] of several cells, such as those of a wide door: all or none.
    ///
    /// # Errors
    /// [`MediumError::OutOfGrid`] with the first cell outside; then none was set.
    pub fn set_walls(&mut self, cells: &[(D::Cell, bool)]) -> Result<(), MediumError> {
        cells.iter().try_for_each(|&(cell, _)| self.map.checked(D::to_zyx(cell)).map(|_| ()))?;
        cells.iter().try_for_each(|&(cell, wall)| self.set_wall(cell, wall))
    }

    /// Whether [`Medium::set_speed`] would take this speed.
    ///
    /// # Errors
    /// As [`Medium::set_speed`]'s for cell 0.
    pub fn check_speed(&self, speed: f64) -> Result<(), MediumError> {
        self.map.check_speed([0; 3], speed)
    }

    /// Sets the wave speed of `cell`, now or, if it is a wall, for when it is opened.
    ///
    /// # Errors
    /// [`MediumError::OutOfGrid`], [`MediumError::Speed`]; [`MediumError::UnstableSpeed`] and
    /// [`MediumError::SlowSpeed`] with the bounds that the medium's time step sets.
    ///
    /// # Complexity
    /// O(1); the first time, and when the number of speeds first exceeds 256, O(cells).
    pub fn set_speed(&mut self, cell: D::Cell, speed: f64) -> Result<(), MediumError> {
        self.map.set_speed(D::to_zyx(cell), speed)
    }
}
