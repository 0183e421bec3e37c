//! Walking and falling between neighbours, and the kinds of moves.

use crate::cell::Cell;
use crate::character::Character;
use crate::storage::Storage;
use crate::terrain::Terrain;
use crate::terrain::rounding::rounding;

/// The eight neighbours as (dy, dx): the four sides, then the four corners.
pub(crate) const NEIGHBOURS: [(isize, isize); 8] =
    [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// The kind of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MoveKind {
    /// A walk to a neighbour of the same height, or within the step height; possible both ways.
    Walk,
    /// A fall to a neighbour that lies lower than that.
    Fall,
    /// Through the air.
    Jump,
}

/// A directed edge of the graph, between cells or, where there are storeys, between places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Move<P = Cell> {
    /// `[row, column]`, or a place.
    pub from: P,
    /// `[row, column]`, or a place.
    pub to: P,
    /// The kind of the move.
    pub kind: MoveKind,
}

impl<P> Move<P> {
    /// The same move between places that are named otherwise.
    pub fn map<Q>(self, mut name: impl FnMut(P) -> Q) -> Move<Q> {
        Move { from: name(self.from), to: name(self.to), kind: self.kind }
    }
}

/// Terrain and character together: where the character can stand, and the moves between neighbours.
pub(crate) struct Footing<'a, T = Terrain> {
    pub(crate) terrain: &'a T,
    pub(crate) character: &'a Character,
}

impl<T> Clone for Footing<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Footing<'_, T> {}

impl<'a, T: Storage> Footing<'a, T> {
    /// Ground with headroom.
    pub(crate) fn can_stand(&self, i: usize) -> bool {
        self.terrain.is_ground(i) && self.fits_under(i, self.terrain.floors()[i])
    }

    pub(crate) fn fits_under(&self, i: usize, z: f64) -> bool {
        self.terrain.ceiling_of(i) - (z + self.character.height()) > 0.0
    }

    /// The walk or fall from `i` to its neighbour `j` at `(dy, dx)`; both can be stood on.
    pub(crate) fn step(&self, i: usize, j: usize, (dy, dx): (isize, isize)) -> Option<MoveKind> {
        let heights = self.terrain.floors();
        let (a, b) = (heights[i], heights[j]);
        let kind = if (a - b).abs() <= self.character.step_height() + rounding(a, b) {
            MoveKind::Walk
        } else if a > b && self.character.survives(a, b) {
            MoveKind::Fall
        } else {
            return None;
        };
        let higher = a.max(b);
        if self.terrain.has_ceilings()
            && !(self.fits_under(i, higher) && self.fits_under(j, higher))
        {
            return None;
        }
        // A body that takes a corner passes over both cells beside it.
        if self.character.radius() > 0.0 && dy != 0 && dx != 0 {
            let (at, columns) = (self.terrain.column(i) as isize, self.terrain.shape()[1] as isize);
            for side in [at + dy * columns, at + dx].map(|s| s as usize) {
                if !self.terrain.lets_by(side, higher, self.character.height()) {
                    return None;
                }
            }
        }
        Some(kind)
    }

    /// The places beside `i`, inside the terrain.
    pub(crate) fn neighbours(
        &self,
        i: usize,
    ) -> impl Iterator<Item = (usize, (isize, isize))> + use<'a, T> {
        self.terrain.neighbours(i)
    }
}
