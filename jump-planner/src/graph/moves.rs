//! Walking and falling between neighbours, and what every move is.

use crate::cell::Cell;
use crate::character::Character;
use crate::terrain::Terrain;
use crate::terrain::rounding::rounding;

/// The eight neighbours as (dy, dx): the four sides, then the four corners.
pub(crate) const NEIGHBOURS: [(isize, isize); 8] =
    [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// What a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MoveKind {
    /// To a neighbour of the same height, or within the step height; possible both ways.
    Walk,
    /// To a neighbour that lies lower than that.
    Fall,
    /// Through the air.
    Jump,
}

/// A directed edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Move {
    /// `[row, column]`
    pub from: Cell,
    /// `[row, column]`
    pub to: Cell,
    /// What it is.
    pub kind: MoveKind,
}

/// Terrain and character together: where it can stand, and what joins neighbours.
#[derive(Clone, Copy)]
pub(crate) struct Footing<'a> {
    pub(crate) terrain: &'a Terrain,
    pub(crate) character: &'a Character,
}

impl Footing<'_> {
    /// Ground with headroom.
    pub(crate) fn can_stand(&self, i: usize) -> bool {
        self.terrain.is_ground(i) && self.fits_under(i, self.terrain.heights()[i])
    }

    fn fits_under(&self, i: usize, z: f64) -> bool {
        self.terrain.ceiling_of(i) - (z + self.character.height()) > 0.0
    }

    /// The walk or fall from `i` to its neighbour `j` at `(dy, dx)`; both can be stood on.
    pub(crate) fn step(&self, i: usize, j: usize, (dy, dx): (isize, isize)) -> Option<MoveKind> {
        let heights = self.terrain.heights();
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
            let columns = self.terrain.shape()[1] as isize;
            // Finite, so that what is unknown beside is higher.
            let most = higher + rounding(higher, higher);
            let sides = [i as isize + dy * columns, i as isize + dx];
            for side in sides.map(|s| s as usize) {
                if heights[side] > most || !self.fits_under(side, higher) {
                    return None;
                }
            }
        }
        Some(kind)
    }

    /// The neighbours of `i` inside the terrain.
    pub(crate) fn neighbours(
        &self,
        i: usize,
    ) -> impl Iterator<Item = (usize, (isize, isize))> + use<> {
        let [rows, columns] = self.terrain.shape();
        let [y, x] = self.terrain.cell(i);
        NEIGHBOURS.into_iter().filter_map(move |(dy, dx)| {
            let y = y.checked_add_signed(dy).filter(|&y| y < rows)?;
            let x = x.checked_add_signed(dx).filter(|&x| x < columns)?;
            Some((y * columns + x, (dy, dx)))
        })
    }
}
