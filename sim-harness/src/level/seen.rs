//! Places as users see them and type them: `[column, row]`, and a height where there are storeys.

use super::CellFault;
use jump_planner::{
    Audit, Cell, Cuts, JumpError, JumpGraph, Place, SpanTerrain, SpeedSteps, Terrain,
};
use serde::Serialize;
use std::fmt;

/// `[column, row]`, and where there are storeys a height in the place that is meant; without it,
/// the highest.
pub type Named = ([usize; 2], Option<f64>);

/// A place as users see it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Seen {
    /// A cell of a height map: `[column, row]`.
    Cell([usize; 2]),
    /// Where there are storeys.
    Place {
        /// `[column, row]`
        cell: [usize; 2],
        /// `[units: length]` How high its floor lies.
        z: f64,
    },
}

impl Seen {
    /// `[column, row]`
    #[must_use]
    pub fn cell(self) -> [usize; 2] {
        match self {
            Self::Cell(cell) | Self::Place { cell, .. } => cell,
        }
    }
    /// `[units: length]` How high its floor lies; `None` on a height map.
    #[must_use]
    pub fn z(self) -> Option<f64> {
        match self {
            Self::Cell(_) => None,
            Self::Place { z, .. } => Some(z),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [column, row] = self.cell();
        match self.z() {
            None => write!(f, "{column},{row}"),
            Some(z) => write!(f, "{column},{row},{z}"),
        }
    }
}

/// `[column, row]` of `[row, column]`, and the other way round.
pub(super) fn cell([a, b]: [usize; 2]) -> [usize; 2] {
    [b, a]
}

/// The cell that is named, if the level has it.
fn cell_within(named: [usize; 2], [rows, columns]: [usize; 2]) -> Result<Cell, CellFault> {
    let at = cell(named);
    if at[0] >= rows || at[1] >= columns {
        return Err(CellFault::Outside { columns, rows });
    }
    Ok(at)
}

/// Ground of either kind as the commands see it.
pub trait Ground: jump_planner::Ground {
    /// Whether there may be several floors in a column.
    const HAS_STOREYS: bool;

    /// `[rows, columns]`
    fn size(&self) -> [usize; 2];
    /// `[units: length]` The side of a cell.
    fn side(&self) -> f64;
    /// The places of a column, from below.
    fn stack(&self, cell: Cell) -> impl Iterator<Item = Self::Place>;
    /// `[row, column]` Where a place is.
    fn cell(place: Self::Place) -> Cell;
    /// `[units: length]` How high it lies.
    fn floor_of(&self, place: Self::Place) -> Option<f64>;
    /// A place as users see it.
    fn seen(&self, place: Self::Place) -> Seen;
    /// The place that is named, if one can stand there.
    ///
    /// # Errors
    /// [`CellFault`].
    fn named(graph: &JumpGraph<Self>, named: Named) -> Result<Self::Place, CellFault>;
    /// The region of a place, and whether it is reached.
    fn region(&self, audit: &Audit<Self::Place>, place: Self::Place) -> Option<(usize, bool)>;
    /// The places that every way to a place passes.
    fn on_every_way(&self, cuts: &Cuts<Self::Place>, goal: Self::Place)
    -> Option<Vec<Self::Place>>;
    /// The least launch speed at which a place is reached.
    fn least_speed(&self, speeds: &SpeedSteps<Self::Place>, goal: Self::Place) -> Option<f64>;
}

impl Ground for Terrain {
    const HAS_STOREYS: bool = false;

    fn size(&self) -> [usize; 2] {
        self.shape()
    }
    fn side(&self) -> f64 {
        self.cell_size()
    }
    fn stack(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        std::iter::once(cell)
    }
    fn cell(place: Cell) -> Cell {
        place
    }
    fn floor_of(&self, place: Cell) -> Option<f64> {
        self.height(place)
    }
    fn seen(&self, place: Cell) -> Seen {
        Seen::Cell(cell(place))
    }
    fn named(graph: &JumpGraph, (at, _): Named) -> Result<Cell, CellFault> {
        let at = cell_within(at, graph.terrain().shape())?;
        match graph.jump(at, at) {
            Err(JumpError::NotGround { why, .. }) => Err(CellFault::NotGround { why }),
            _ => Ok(at),
        }
    }
    fn region(&self, audit: &Audit, place: Cell) -> Option<(usize, bool)> {
        Some((audit.region(place)?, audit.is_reached(place)))
    }
    fn on_every_way(&self, cuts: &Cuts, goal: Cell) -> Option<Vec<Cell>> {
        cuts.on_every_way(goal)
    }
    fn least_speed(&self, speeds: &SpeedSteps, goal: Cell) -> Option<f64> {
        speeds.least(goal)
    }
}

impl Ground for SpanTerrain {
    const HAS_STOREYS: bool = true;

    fn size(&self) -> [usize; 2] {
        self.shape()
    }
    fn side(&self) -> f64 {
        self.cell_size()
    }
    fn stack(&self, cell: Cell) -> impl Iterator<Item = Place> {
        (0..self.storeys(cell)).map(move |storey| Place { cell, storey })
    }
    fn cell(place: Place) -> Cell {
        place.cell
    }
    fn floor_of(&self, place: Place) -> Option<f64> {
        self.floor(place)
    }
    fn seen(&self, place: Place) -> Seen {
        let z = self.floor(place).unwrap_or(f64::NEG_INFINITY);
        Seen::Place { cell: cell(place.cell), z }
    }
    fn named(graph: &JumpGraph<Self>, (at, z): Named) -> Result<Place, CellFault> {
        let terrain = graph.terrain();
        let at = cell_within(at, terrain.shape())?;
        let place = match z {
            Some(z) => terrain.place_at(terrain.centre(at).extend(z)),
            None => terrain.highest(at),
        };
        let why = match place {
            Some(place) if graph.can_stand(place) => return Ok(place),
            Some(_) => "it has no floor, is no-go, or its ceiling is too low",
            None if z.is_some() => "that height is inside something",
            None => "it has no floor",
        };
        Err(CellFault::NotGround { why })
    }
    fn region(&self, audit: &Audit<Place>, place: Place) -> Option<(usize, bool)> {
        Some((audit.region(self, place)?, audit.is_reached(self, place)))
    }
    fn on_every_way(&self, cuts: &Cuts<Place>, goal: Place) -> Option<Vec<Place>> {
        cuts.on_every_way(self, goal)
    }
    fn least_speed(&self, speeds: &SpeedSteps<Place>, goal: Place) -> Option<f64> {
        speeds.least(self, goal)
    }
}

/// The places of a level on which one can stand.
pub(super) fn standing<T: Ground>(graph: &JumpGraph<T>) -> impl Iterator<Item = T::Place> {
    let [rows, columns] = graph.terrain().size();
    let cells = (0..rows).flat_map(move |y| (0..columns).map(move |x| [y, x]));
    let places = cells.flat_map(|cell| graph.terrain().stack(cell));
    places.filter(|&place| graph.can_stand(place))
}
