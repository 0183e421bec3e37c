//! The usual way of grid games for many pursuers of one target: a field over the whole map, every
//! frame.
//!
//! Eight directions; a diagonal step needs the two cells beside it open. Arrays are kept from frame
//! to frame, nothing is allocated once they have been at their longest.

mod condor;

pub(crate) use condor::{Condor, VERSION as CONDOR};

use super::lattice::{Cell, Lattice};
use crate::queue::Queue;
use std::f32::consts::SQRT_2;

/// A field that falls toward the target.
pub(crate) trait Field: Send {
    fn new(lattice: &Lattice) -> Self;
    /// Makes a cell a wall or frees it.
    fn set_wall(&mut self, cell: Cell, wall: bool);
    /// Computes the whole field.
    fn fill(&mut self, target: Cell);
    /// The neighbour to go to, or the cell itself where nothing falls.
    fn next(&self, cell: Cell) -> Cell;
    /// The value of a cell, infinite where no way leads.
    fn length(&self, cell: Cell) -> f64;
}

/// Marks of cells that no wave of a fill has come to.
pub(crate) trait Mark: Copy + PartialOrd {
    const WALL: Self;
    /// More than any value.
    const UNSEEN: Self;
}

impl Mark for u32 {
    const WALL: Self = u32::MAX;
    const UNSEEN: Self = u32::MAX - 1;
}

impl Mark for f32 {
    /// Less than any value, so that no step into a wall is ever shorter.
    const WALL: Self = -1.0;
    const UNSEEN: Self = f32::INFINITY;
}

/// The values, and their values before a fill.
#[derive(Clone, Debug)]
pub(crate) struct Values<T> {
    stride: usize,
    now: Vec<T>,
    blank: Vec<T>,
}

impl<T: Mark> Values<T> {
    fn new(lattice: &Lattice) -> Self {
        let mark = |open: &bool| if *open { T::UNSEEN } else { T::WALL };
        let blank: Vec<T> = lattice.open.iter().map(mark).collect();
        Self { stride: lattice.stride, now: blank.clone(), blank }
    }

    /// Calls `visit` with every neighbour that a step leads to, those along the axes first.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the fills are these few lines
    fn steps(&mut self, cell: Cell, mut visit: impl FnMut(&mut T, Cell, bool)) {
        let s = self.stride;
        let [west, east, north, south] = [cell - 1, cell + 1, cell - s, cell + s];
        let [w, e, n, s_] = [west, east, north, south].map(|c| self.now[c] != T::WALL);
        for (open, c) in [(w, west), (e, east), (n, north), (s_, south)] {
            if open {
                visit(&mut self.now[c], c, false);
            }
        }
        let corners =
            [(w && n, north - 1), (e && n, north + 1), (w && s_, south - 1), (e && s_, south + 1)];
        for (free, c) in corners {
            if free && self.now[c] != T::WALL {
                visit(&mut self.now[c], c, true);
            }
        }
    }

    fn lowest_around(&self, cell: Cell) -> Cell {
        let s = self.stride;
        let mut best = (self.now[cell], cell);
        let mut look = |c: Cell| {
            if self.now[c] != T::WALL && self.now[c] < best.0 {
                best = (self.now[c], c);
            }
        };
        let open = |c: Cell| self.now[c] != T::WALL;
        // Along the axes first: of equal hops they are the shorter ones.
        [cell - 1, cell + 1, cell - s, cell + s].into_iter().for_each(&mut look);
        for side in [cell - 1, cell + 1] {
            for (beside, corner) in [(cell - s, side - s), (cell + s, side + s)] {
                if open(side) && open(beside) {
                    look(corner);
                }
            }
        }
        best.1
    }
}

/// How the values of a field are worked out, and what is kept for that from frame to frame.
pub(crate) trait Fill: Send {
    type Value: Mark + Default + Into<f64> + Send;

    fn new(cells: usize) -> Self;
    /// Lowers the values, which are 0 at the target and blank elsewhere.
    fn fill(&mut self, values: &mut Values<Self::Value>, target: Cell);
}

/// A field in plain arrays.
pub(crate) struct Plain<F: Fill> {
    values: Values<F::Value>,
    by: F,
}

impl<F: Fill> Field for Plain<F> {
    fn new(lattice: &Lattice) -> Self {
        Self { values: Values::new(lattice), by: F::new(lattice.open.len()) }
    }
    fn set_wall(&mut self, cell: Cell, wall: bool) {
        self.values.blank[cell] = if wall { F::Value::WALL } else { F::Value::UNSEEN };
    }
    fn fill(&mut self, target: Cell) {
        self.values.now.copy_from_slice(&self.values.blank);
        self.values.now[target] = F::Value::default();
        self.by.fill(&mut self.values, target);
    }
    fn next(&self, cell: Cell) -> Cell {
        self.values.lowest_around(cell)
    }
    fn length(&self, cell: Cell) -> f64 {
        let value = self.values.now[cell];
        let is_reached = value != F::Value::WALL && value != F::Value::UNSEEN;
        if is_reached { value.into() } else { f64::INFINITY }
    }
}

/// Hops, breadth first.
pub(crate) type Bfs = Plain<Vec<u32>>;

impl Fill for Vec<u32> {
    type Value = u32;

    fn new(cells: usize) -> Self {
        Self::with_capacity(cells)
    }
    fn fill(&mut self, values: &mut Values<u32>, target: Cell) {
        self.clear();
        self.push(target as u32);
        let mut done = 0;
        while let Some(&cell) = self.get(done) {
            done += 1;
            let hops = values.now[cell as usize] + 1;
            values.steps(cell as usize, |value, there, _| {
                if *value == u32::UNSEEN {
                    *value = hops;
                    self.push(there as u32);
                }
            });
        }
    }
}

/// Lengths, steps of 1 and sqrt 2, by a binary heap.
pub(crate) type Dijkstra = Plain<Queue>;

impl Fill for Queue {
    type Value = f32;

    fn new(cells: usize) -> Self {
        Self::with_capacity(cells)
    }
    fn fill(&mut self, values: &mut Values<f32>, target: Cell) {
        self.clear();
        self.push(0.0, target);
        while let Some((length, cell)) = self.pop() {
            if length > values.now[cell] {
                continue;
            }
            values.steps(cell, |value, there, diagonal| {
                let further = length + if diagonal { SQRT_2 } else { 1.0 };
                if further < *value {
                    *value = further;
                    self.push(further, there);
                }
            });
        }
    }
}

/// The same lengths without a heap: no step is shorter than 1, so the cells of [k, k + 1) may be
/// settled in any order. Cells by the whole part of their length, modulo 3.
pub(crate) type Buckets = Plain<[Vec<u32>; 3]>;

impl Fill for [Vec<u32>; 3] {
    type Value = f32;

    fn new(_: usize) -> Self {
        Self::default()
    }
    fn fill(&mut self, values: &mut Values<f32>, target: Cell) {
        self[0].push(target as u32);
        let mut k = 0;
        while self.iter().any(|bucket| !bucket.is_empty()) {
            let mut bucket = std::mem::take(&mut self[k % 3]);
            for cell in bucket.drain(..) {
                let length = values.now[cell as usize];
                // Found again on a shorter way, and settled there.
                if (length as usize) < k {
                    continue;
                }
                values.steps(cell as usize, |value, there, diagonal| {
                    let further = length + if diagonal { SQRT_2 } else { 1.0 };
                    if further < *value {
                        *value = further;
                        self[further as usize % 3].push(there as u32);
                    }
                });
            }
            self[k % 3] = bucket;
            k += 1;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
