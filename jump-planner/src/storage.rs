//! How a level stores the places where a character can stand, as the graph of moves uses it.
//!
//! Places are numbered; a height map has one in each cell, a world of spans as many in a column as
//! it has storeys. All that is asked of places is the same for both, and compiled for each.

#![allow(private_interfaces, reason = "nobody outside names the trait")]

use crate::cell::Cell;
use crate::character::Character;
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::bits::Bits;
use crate::graph::groups::groups;
use crate::graph::moves::{Footing, MoveKind, NEIGHBOURS};
use crate::graph::near::{CLOSE, close_mask, opposite};
use crate::graph::partition::Partition;
use crate::jump::clearance::Raster;
use crate::jump::exact::{Found, Question, Verdict};
use crate::jump::published;
use crate::regions::Regions;
use crate::terrain::Terrain;
use crate::terrain::rounding::rounding;
use glam::DVec2;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

/// How a place where one can stand is named: a [`Cell`], or a [`Place`](crate::Place) where there
/// are storeys.
pub trait PlaceName: Copy + Debug + Eq + Hash + Ord + Send + Sync {
    /// Moves from it to places close by.
    #[doc(hidden)]
    type Bits: Bits;
}

impl PlaceName for Cell {
    type Bits = u32;
}

/// The ground of a graph of moves: a [`Terrain`] or a [`SpanTerrain`](crate::SpanTerrain).
pub trait Floors {
    /// How its places are named.
    type Place: PlaceName;

    /// `[rows, columns]`
    fn shape(&self) -> [usize; 2];
    /// `[units: length]` The side of a cell.
    fn cell_size(&self) -> f64;
    /// The places of a cell, from below; none outside.
    fn stack(&self, cell: Cell) -> impl Iterator<Item = Self::Place>;
    /// The cell of a place.
    fn cell_of(&self, place: Self::Place) -> Cell;
    /// `[units: length]` How high a place lies; `None` where it has no floor, and outside.
    fn floor_of(&self, place: Self::Place) -> Option<f64>;
}

impl Floors for Terrain {
    type Place = Cell;

    fn shape(&self) -> [usize; 2] {
        self.shape()
    }
    fn cell_size(&self) -> f64 {
        self.cell_size()
    }
    fn stack(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.index(cell).map(|_| cell).into_iter()
    }
    fn cell_of(&self, place: Cell) -> Cell {
        place
    }
    fn floor_of(&self, place: Cell) -> Option<f64> {
        self.height(place)
    }
}

/// The ground of a graph of moves, for code that takes both kinds: all questions to a [`JumpGraph`]
/// and a [`Level`](crate::Level) work for any of them. Nobody else can implement it.
///
/// ```
/// use jump_planner::{Character, Ground, JumpError, JumpGraph, SpanTerrain, Terrain};
///
/// fn traps<T: Ground>(graph: &JumpGraph<T>) -> Result<usize, JumpError> {
///     Ok(graph.audit(None)?.traps())
/// }
///
/// let terrain = Terrain::from_rows(&[[0.0, 0.0, -3.0]])?;
/// let (storeys, character) = (SpanTerrain::from(&terrain), Character::builder(6.0).build()?);
/// assert_eq!(traps(&JumpGraph::new(terrain, character)?)?, 1);
/// assert_eq!(traps(&JumpGraph::new(storeys, character)?)?, 1);
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
pub trait Ground: Storage {}

impl<T: Storage> Ground for T {}

/// Moves from a place of a level to others close by.
pub(crate) type BitsOf<T> = <<T as Floors>::Place as PlaceName>::Bits;

/// The floors of a level. Nobody else can implement it.
pub trait Storage: Floors + Flights + Clone + Debug + Send + Sync + Sized {
    /// Why nobody stands where there is no floor.
    const NO_FLOOR: &str;

    /// The floor of every place; infinite where there is none.
    fn floors(&self) -> &[f64];
    /// The number of the column of cells in which a place is, row by row.
    fn column(&self, place: usize) -> usize;
    /// The places of a column, from below.
    fn places(&self, column: usize) -> Range<usize>;
    /// The places of columns that lie beside each other in a row; their numbers are also
    /// consecutive.
    fn run(&self, columns: Range<usize>) -> Range<usize>;
    fn name(&self, place: usize) -> Self::Place;
    /// The number of a place, if it is one.
    fn find(&self, name: Self::Place) -> Option<usize>;
    /// The number of a place that may be no place.
    fn checked(&self, name: Self::Place) -> Result<usize, JumpError>;
    /// Whether it has a floor and is not no-go.
    fn is_ground(&self, place: usize) -> bool;
    fn is_no_go(&self, place: usize) -> bool;
    fn ceiling_of(&self, place: usize) -> f64;
    fn has_ceilings(&self) -> bool;
    /// The places in the eight columns around, with their `(dy, dx)`.
    fn neighbours(&self, place: usize) -> impl Iterator<Item = (usize, (isize, isize))>;
    /// Whether a body of this height that walks on `floor` may overlap a column.
    fn lets_by(&self, column: usize, floor: f64, height: f64) -> bool;
    /// (x, y) in cells, where cell `[0, 0]` covers 0 to 1, to the world.
    fn position(&self, p: [f64; 2]) -> DVec2;
    /// Where the move of a bit leads; `stride`: how far the columns of [`CLOSE`] are.
    fn beside(&self, place: usize, bit: usize, stride: &[isize; 24]) -> usize;
    /// The bit of a move. Where there is one, there is one of the move back.
    fn bit(&self, from: usize, to: usize) -> Option<usize>;
    /// The bit of the move back.
    fn back(&self, from: usize, bit: usize) -> usize;
    /// The moves from a place to its neighbours: all but jumps, and those jumps that a formula
    /// tells. Appends to `rest` the ends of moves that have no bit.
    fn near(graph: &JumpGraph<Self>, place: usize, rest: &mut Vec<u32>) -> BitsOf<Self>;
    /// The regions of the graph.
    fn regions(graph: &JumpGraph<Self>) -> Regions<BitsOf<Self>>;
    /// The groups that walking joins.
    fn groups(&self, character: &Character) -> Partition;

    /// Whether the published rule can be asked for.
    fn knows_published(&self) -> bool {
        !self.has_ceilings()
    }
}

/// The flights over the floors of a level.
pub trait Flights {
    /// [`Question::is_easy`]
    fn is_easy(&self, question: &Question<()>) -> bool;
    /// [`Question::is_likely`]
    fn is_likely(&self, question: &Question<()>) -> bool;
    /// [`Question::is_hopeless`]
    fn is_hopeless(&self, question: &Question<()>) -> bool;
    /// [`Question::sought`]
    fn sought(&self, question: &Question<()>) -> Option<bool>;
    /// [`Question::decide`]
    fn decide(&self, question: &Question<()>) -> Verdict;
    /// [`Question::safest`]
    fn safest(&self, question: &Question<()>, found: Found) -> Found;
    /// [`Question::slowest`]
    fn slowest(&self, question: &Question<()>, found: Found) -> f64;
    /// The flight that stands for a jump of the published rule.
    fn published(&self, _: &Question<()>) -> Option<Found> {
        None
    }
}

impl Terrain {
    pub(crate) fn raster(&self) -> Raster<'_> {
        let [rows, columns] = self.shape();
        Raster { heights: self.heights(), ceilings: self.ceilings(), rows, columns }
    }
}

impl Storage for Terrain {
    const NO_FLOOR: &str = "it has no data";

    #[inline]
    fn floors(&self) -> &[f64] {
        self.heights()
    }
    #[inline]
    fn column(&self, place: usize) -> usize {
        place
    }
    #[inline]
    fn places(&self, column: usize) -> Range<usize> {
        column..column + 1
    }
    #[inline]
    fn run(&self, columns: Range<usize>) -> Range<usize> {
        columns
    }
    fn name(&self, place: usize) -> Cell {
        self.cell(place)
    }
    fn find(&self, name: Cell) -> Option<usize> {
        self.index(name)
    }
    fn checked(&self, name: Cell) -> Result<usize, JumpError> {
        Ok(self.checked_index(name)?)
    }
    #[inline]
    fn is_ground(&self, place: usize) -> bool {
        self.is_ground(place)
    }
    fn is_no_go(&self, place: usize) -> bool {
        self.is_no_go(place)
    }
    #[inline]
    fn ceiling_of(&self, place: usize) -> f64 {
        self.ceiling_of(place)
    }
    fn has_ceilings(&self) -> bool {
        self.has_ceilings()
    }
    fn neighbours(&self, place: usize) -> impl Iterator<Item = (usize, (isize, isize))> {
        let [rows, columns] = self.shape();
        let [y, x] = self.cell(place);
        NEIGHBOURS.into_iter().filter_map(move |(dy, dx)| {
            let y = y.checked_add_signed(dy).filter(|&y| y < rows)?;
            let x = x.checked_add_signed(dx).filter(|&x| x < columns)?;
            Some((y * columns + x, (dy, dx)))
        })
    }
    fn lets_by(&self, column: usize, floor: f64, height: f64) -> bool {
        // Finite, so that unknown ground beside is higher.
        self.heights()[column] <= floor + rounding(floor, floor)
            && self.ceiling_of(column) - (floor + height) > 0.0
    }
    fn position(&self, p: [f64; 2]) -> DVec2 {
        self.position(p)
    }
    #[inline]
    fn beside(&self, place: usize, bit: usize, stride: &[isize; 24]) -> usize {
        place.wrapping_add_signed(stride[bit])
    }
    fn bit(&self, from: usize, to: usize) -> Option<usize> {
        let [from, to] = [from, to].map(|i| self.cell(i).map(|v| v as isize));
        let way = (to[0] - from[0], to[1] - from[1]);
        CLOSE.iter().position(|&other| other == way)
    }
    #[inline]
    fn back(&self, _: usize, bit: usize) -> usize {
        opposite(bit)
    }
    fn near(graph: &JumpGraph<Self>, place: usize, _: &mut Vec<u32>) -> u32 {
        close_mask(graph, place, |_| {})
    }
    fn regions(graph: &JumpGraph<Self>) -> Regions<u32> {
        Regions::new(graph)
    }
    fn groups(&self, character: &Character) -> Partition {
        groups(&Footing { terrain: self, character })
    }
}

impl Flights for Terrain {
    #[inline]
    fn is_easy(&self, question: &Question<()>) -> bool {
        question.over(self.raster()).is_easy()
    }
    #[inline]
    fn is_likely(&self, question: &Question<()>) -> bool {
        question.over(self.raster()).is_likely()
    }
    #[inline]
    fn is_hopeless(&self, question: &Question<()>) -> bool {
        question.over(self.raster()).is_hopeless()
    }
    #[inline]
    fn sought(&self, question: &Question<()>) -> Option<bool> {
        question.over(self.raster()).sought()
    }
    #[inline]
    fn decide(&self, question: &Question<()>) -> Verdict {
        question.over(self.raster()).decide()
    }
    fn safest(&self, question: &Question<()>, found: Found) -> Found {
        question.over(self.raster()).safest(found)
    }
    fn slowest(&self, question: &Question<()>, found: Found) -> f64 {
        question.over(self.raster()).slowest(found)
    }
    fn published(&self, question: &Question<()>) -> Option<Found> {
        // The published rule knows no launch points: the flight between the nearest ones stands for
        // the jump, whether it clears everything or not.
        let question = question.over(self.raster());
        published::clear(&question).then(|| question.nearest())
    }
}

/// Whether neighbours are joined by walking.
pub(crate) fn walks<T: Storage>(
    footing: &Footing<'_, T>,
    i: usize,
    j: usize,
    way: (isize, isize),
) -> bool {
    footing.step(i, j, way) == Some(MoveKind::Walk)
}
