//! A world of copies of a map, joined by passages.

use crate::error::CompareError;
use crate::region::{DOOR, NO_CELL, Region};
use ndarray::{Array2, Axis};
use rand::{Rng, RngExt};
use sim_harness::maps::MapFile;
use std::ops::Range;

/// Passages between two copies.
const PASSAGES: usize = 2;
/// `[units: cells]` Where in the first copy the world begins: no multiple of anything.
const SHIFT: usize = 13;

/// Copies of a map, all alike, passages included.
pub(crate) struct Copies {
    size: usize,
    /// The walls of a copy.
    walls: Array2<bool>,
    /// The cells of its largest region.
    region: Vec<[usize; 2]>,
}

/// Cells along a line, of which `true` ones are to be joined across its end to those at its
/// beginning, once it is repeated.
fn gap(line: impl Iterator<Item = bool> + Clone) -> Option<(usize, usize)> {
    let first = line.clone().position(|is_inside| is_inside)?;
    let last = line.enumerate().filter(|(_, is_inside)| *is_inside).last()?.0;
    Some((first, last))
}

impl Copies {
    pub(crate) fn new(map: &MapFile, size: usize) -> Result<Self, CompareError> {
        let region = Region::largest(map).ok_or(CompareError::Map(NO_CELL))?;
        let mut walls = map.walls(region.class).index_axis_move(Axis(0), 0);
        let mut inside = Array2::from_elem(walls.dim(), false);
        let region: Vec<[usize; 2]> = region.cells.iter().map(|&[_, y, x]| [y, x]).collect();
        for &cell in &region {
            inside[cell] = true;
        }
        // Along x, then along y.
        for axis in [1, 0] {
            let lines = walls.len_of(Axis(1 - axis));
            let along = walls.len_of(Axis(axis));
            for part in 0..PASSAGES {
                let lines = part * lines / PASSAGES..(part + 1) * lines / PASSAGES;
                let shortest = lines
                    .filter_map(|line| {
                        let cells = inside.index_axis(Axis(1 - axis), line);
                        let (first, last) = gap(cells.iter().copied())?;
                        Some((first + along - last, line, first, last))
                    })
                    .min();
                let Some((_, line, first, last)) = shortest else { continue };
                let most = walls.len_of(Axis(1 - axis));
                for line in line..(line + DOOR).min(most) {
                    let mut cells = walls.index_axis_mut(Axis(1 - axis), line);
                    (0..first).chain(last + 1..along).for_each(|i| cells[i] = false);
                }
            }
        }
        let copies = Self { size, walls, region };
        if (0..2).any(|axis| copies.whole(axis).is_empty()) {
            return Err(CompareError::Map("the world is too small for a whole copy of the map"));
        }
        Ok(copies)
    }

    /// Whole copies along an axis, by number: those that are cut off may have lost their passages.
    fn whole(&self, axis: usize) -> Range<usize> {
        1..(self.size + SHIFT) / self.walls.len_of(Axis(axis))
    }

    /// The walls of the world.
    pub(crate) fn walls(&self) -> Array2<bool> {
        let (height, width) = self.walls.dim();
        Array2::from_shape_fn([self.size; 2], |(y, x)| {
            self.walls[[(y + SHIFT) % height, (x + SHIFT) % width]]
        })
    }

    /// A cell of the largest region of a whole copy.
    pub(crate) fn any_cell(&self, rng: &mut impl Rng) -> [usize; 2] {
        let cell = self.region[rng.random_range(0..self.region.len())];
        std::array::from_fn(|axis| {
            let copy = rng.random_range(self.whole(axis));
            copy * self.walls.len_of(Axis(axis)) + cell[axis] - SHIFT
        })
    }
}
