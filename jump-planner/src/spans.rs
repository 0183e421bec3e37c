//! Ground with several storeys: bridges, caves, houses, voxel worlds, Recast's heightfields.
//!
//! A column of cells holds solid spans; a *place* is the free part between two of them, with the
//! floor below and the ceiling above. Places are numbered column by column, each from below, so one
//! storey everywhere gives the numbers of the cells of a height map. The graph of moves uses only
//! [`Storage`]; [`window`] is the part that one flight may meet, and [`flights`] decides the
//! flight.

pub(crate) mod builder;
pub(crate) mod edit;
mod flights;
mod regions;
mod storage;
mod window;

use self::builder::{Span, SpanTerrainBuilder};
use crate::cell::Cell;
use crate::terrain::Terrain;
use glam::{DVec2, DVec3};
use ndarray::Array2;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A place between two solid spans of a column, or above the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Place {
    /// `[row, column]`
    pub cell: Cell,
    /// Which free part of the column, counted from below, from 0. A free part below the lowest span
    /// also counts.
    pub storey: usize,
}

/// Columns of solid spans; one can stand on each of them where there is room above.
///
/// The free parts of a column are between spans, below the lowest one (a character cannot stand
/// there, but can fly through it) and above the highest one. A column that is solid from minus to
/// plus infinity has one place, on which nobody can stand and over which nobody can fly: it is a
/// wall, or not known.
///
/// ```
/// use jump_planner::{Place, Span, SpanTerrain, ndarray::arr2};
///
/// // A bridge one unit thick over the middle of three cells.
/// let (ground, bridge) = (Span::ground(0.0), Span::new(3.0, 4.0));
/// let columns = arr2(&[[vec![ground], vec![ground, bridge], vec![ground]]]);
/// let terrain = SpanTerrain::builder(&columns).build()?;
/// assert_eq!((terrain.storeys([0, 0]), terrain.storeys([0, 1])), (1, 2));
/// let under = Place { cell: [0, 1], storey: 0 };
/// assert_eq!((terrain.floor(under), terrain.ceiling(under)), (Some(0.0), Some(3.0)));
/// assert_eq!(terrain.floor(Place { storey: 1, ..under }), Some(4.0));
/// # Ok::<(), jump_planner::TerrainError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTerrain {
    /// `[rows, columns]`
    shape: [usize; 2],
    cell_size: f64,
    origin: DVec2,
    /// The first place of every column, and the end.
    begins: Vec<u32>,
    /// By place.
    columns: Vec<u32>,
    /// For each place: minus infinity below the lowest span, infinite in a solid column.
    floors: Vec<f64>,
    /// For each place: infinite where it has no ceiling.
    ceilings: Vec<f64>,
    no_go: Vec<bool>,
    has_ceilings: bool,
    /// How many places have a ceiling, and how many columns several places.
    roofs: usize,
    stacks: usize,
}

impl SpanTerrain {
    /// From the spans of every column, by `[row, column]`, in any order; spans that overlap or
    /// touch count as one. Cells are of side 1 and heights count as they are, but for the builder's
    /// methods.
    pub fn builder(columns: &Array2<Vec<Span>>) -> SpanTerrainBuilder<'_> {
        SpanTerrainBuilder::new(columns)
    }

    /// `[rows, columns]`
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }
    /// Places in all.
    #[must_use]
    pub fn len(&self) -> usize {
        self.floors.len()
    }
    /// Never: a terrain has two columns or more.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.floors.is_empty()
    }
    /// `[units: length]` The side of a cell.
    #[must_use]
    pub fn cell_size(&self) -> f64 {
        self.cell_size
    }
    /// `[units: length]` The centre of `cell`, as (x, y), which need not be inside.
    #[must_use]
    pub fn centre(&self, cell: Cell) -> DVec2 {
        self.to_world([cell[1] as f64 + 0.5, cell[0] as f64 + 0.5])
    }
    /// How many places a column has; 0 outside.
    #[must_use]
    pub fn storeys(&self, cell: Cell) -> usize {
        self.column_of(cell).map_or(0, |column| self.range(column).len())
    }
    /// The most places of any column.
    #[must_use]
    pub fn most_storeys(&self) -> usize {
        (0..self.begins.len() - 1).map(|column| self.range(column).len()).max().unwrap_or(0)
    }
    /// `[units: length]` The floor of a place; `None` where there is none, or no such place.
    #[must_use]
    pub fn floor(&self, place: Place) -> Option<f64> {
        self.number(place).map(|i| self.floors[i]).filter(|z| z.is_finite())
    }
    /// `[units: length]` The ceiling of a place; `None` where there is none.
    #[must_use]
    pub fn ceiling(&self, place: Place) -> Option<f64> {
        self.number(place).map(|i| self.ceilings[i]).filter(|z| z.is_finite())
    }
    /// Whether a place has a floor and is not no-go. Low ceilings are the character's business.
    #[must_use]
    pub fn can_stand(&self, place: Place) -> bool {
        self.number(place).is_some_and(|i| self.is_floor(i))
    }
    /// All places of the level, column by column, each from below.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        (0..self.len()).map(|i| self.place(i))
    }
    /// The highest place of a column that can be stood on.
    #[must_use]
    pub fn highest(&self, cell: Cell) -> Option<Place> {
        let mut places = self.range(self.column_of(cell)?).rev();
        places.find(|&i| self.is_floor(i)).map(|i| self.place(i))
    }
    /// The place in which a point (x, y, z) is; `None` outside, and inside a solid span. A point on
    /// a floor is above it.
    #[must_use]
    pub fn place_at(&self, point: DVec3) -> Option<Place> {
        let p = (point.truncate() - self.origin) / self.cell_size + 0.5;
        let [rows, columns] = self.shape;
        let within = |v: f64, n: usize| (v >= 0.0 && v < n as f64).then_some(v as usize);
        let column = self.column_of([within(p.y, rows)?, within(p.x, columns)?])?;
        let holds = |&i: &usize| self.floors[i] <= point.z && point.z < self.ceilings[i];
        self.range(column).find(holds).map(|i| self.place(i))
    }

    fn column_of(&self, [y, x]: Cell) -> Option<usize> {
        let [rows, columns] = self.shape;
        (y < rows && x < columns).then(|| y * columns + x)
    }
    fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.begins[column] as usize..self.begins[column + 1] as usize
    }
    fn number(&self, place: Place) -> Option<usize> {
        self.range(self.column_of(place.cell)?).nth(place.storey)
    }
    fn place(&self, i: usize) -> Place {
        let (column, columns) = (self.columns[i] as usize, self.shape[1]);
        let cell = [column / columns, column % columns];
        Place { cell, storey: i - self.begins[column] as usize }
    }
    fn is_floor(&self, i: usize) -> bool {
        self.floors[i].is_finite() && !self.no_go[i]
    }
    fn to_world(&self, p: [f64; 2]) -> DVec2 {
        self.origin + (DVec2::from_array(p) - DVec2::splat(0.5)) * self.cell_size
    }
}

impl From<&Terrain> for SpanTerrain {
    /// The same ground: one storey, with the same numbers.
    fn from(terrain: &Terrain) -> Self {
        let cells = terrain.len();
        Self {
            shape: terrain.shape(),
            cell_size: terrain.cell_size(),
            origin: terrain.centre([0, 0]),
            begins: (0..=cells as u32).collect(),
            columns: (0..cells as u32).collect(),
            floors: terrain.heights().to_vec(),
            ceilings: (0..cells).map(|i| terrain.ceiling_of(i)).collect(),
            no_go: (0..cells).map(|i| terrain.is_no_go(i)).collect(),
            has_ceilings: terrain.has_ceilings(),
            roofs: (0..cells).filter(|&i| terrain.ceiling_of(i).is_finite()).count(),
            stacks: 0,
        }
    }
}
