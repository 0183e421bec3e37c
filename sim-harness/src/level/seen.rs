//! Places as users see them and type them: `[column, row]`, and a height where there are storeys.

use super::CellFault;
use jump_planner::{Cell, JumpError, JumpGraph, Place, SpanTerrain, Terrain};
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

    /// A place as users see it.
    fn seen(&self, place: Self::Place) -> Seen;
    /// The place that is named, if one can stand there.
    ///
    /// # Errors
    /// [`CellFault`].
    fn named(graph: &JumpGraph<Self>, named: Named) -> Result<Self::Place, CellFault>;
}

impl Ground for Terrain {
    const HAS_STOREYS: bool = false;

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
}

impl Ground for SpanTerrain {
    const HAS_STOREYS: bool = true;

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
}

/// The places of a level on which one can stand.
pub(super) fn standing<T: Ground>(graph: &JumpGraph<T>) -> impl Iterator<Item = T::Place> {
    let [rows, columns] = graph.terrain().shape();
    let cells = (0..rows).flat_map(move |y| (0..columns).map(move |x| [y, x]));
    let places = cells.flat_map(|cell| graph.terrain().stack(cell));
    places.filter(|&place| graph.can_stand(place))
}
