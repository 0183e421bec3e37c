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
trait Mark: Copy + PartialOrd {
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
struct Values<T> {
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

    fn set_wall(&mut self, cell: Cell, wall: bool) {
        self.blank[cell] = if wall { T::WALL } else { T::UNSEEN };
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

    fn length(&self, cell: Cell) -> f64
    where
        T: Into<f64>,
    {
        let value = self.now[cell];
        if value == T::WALL || value == T::UNSEEN { f64::INFINITY } else { value.into() }
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

/// Hops, breadth first.
#[derive(Clone, Debug)]
pub(crate) struct Bfs {
    values: Values<u32>,
    queue: Vec<u32>,
}

impl Field for Bfs {
    fn new(lattice: &Lattice) -> Self {
        Self { values: Values::new(lattice), queue: Vec::with_capacity(lattice.open.len()) }
    }
    fn set_wall(&mut self, cell: Cell, wall: bool) {
        self.values.set_wall(cell, wall);
    }
    fn fill(&mut self, target: Cell) {
        let Self { values, queue } = self;
        values.now.copy_from_slice(&values.blank);
        values.now[target] = 0;
        queue.clear();
        queue.push(target as u32);
        let mut done = 0;
        while let Some(&cell) = queue.get(done) {
            done += 1;
            let hops = values.now[cell as usize] + 1;
            values.steps(cell as usize, |value, there, _| {
                if *value == u32::UNSEEN {
                    *value = hops;
                    queue.push(there as u32);
                }
            });
        }
    }
    fn next(&self, cell: Cell) -> Cell {
        self.values.lowest_around(cell)
    }
    fn length(&self, cell: Cell) -> f64 {
        self.values.length(cell)
    }
}

/// Lengths, steps of 1 and sqrt 2, by a binary heap.
#[derive(Clone, Debug)]
pub(crate) struct Dijkstra {
    values: Values<f32>,
    heap: Queue,
}

impl Field for Dijkstra {
    fn new(lattice: &Lattice) -> Self {
        let heap = Queue::with_capacity(lattice.open.len());
        Self { values: Values::new(lattice), heap }
    }
    fn set_wall(&mut self, cell: Cell, wall: bool) {
        self.values.set_wall(cell, wall);
    }
    fn fill(&mut self, target: Cell) {
        let Self { values, heap } = self;
        values.now.copy_from_slice(&values.blank);
        values.now[target] = 0.0;
        heap.clear();
        heap.push(0.0, target);
        while let Some((length, cell)) = heap.pop() {
            if length > values.now[cell] {
                continue;
            }
            values.steps(cell, |value, there, diagonal| {
                let further = length + if diagonal { SQRT_2 } else { 1.0 };
                if further < *value {
                    *value = further;
                    heap.push(further, there);
                }
            });
        }
    }
    fn next(&self, cell: Cell) -> Cell {
        self.values.lowest_around(cell)
    }
    fn length(&self, cell: Cell) -> f64 {
        self.values.length(cell)
    }
}

/// The same lengths without a heap: no step is shorter than 1, so the cells of [k, k + 1) may be
/// settled in any order.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    values: Values<f32>,
    /// Cells by the whole part of their length, modulo 3.
    buckets: [Vec<u32>; 3],
}

impl Field for Buckets {
    fn new(lattice: &Lattice) -> Self {
        Self { values: Values::new(lattice), buckets: Default::default() }
    }
    fn set_wall(&mut self, cell: Cell, wall: bool) {
        self.values.set_wall(cell, wall);
    }
    fn fill(&mut self, target: Cell) {
        let Self { values, buckets } = self;
        values.now.copy_from_slice(&values.blank);
        values.now[target] = 0.0;
        buckets[0].push(target as u32);
        let mut k = 0;
        while buckets.iter().any(|bucket| !bucket.is_empty()) {
            let mut bucket = std::mem::take(&mut buckets[k % 3]);
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
                        buckets[further as usize % 3].push(there as u32);
                    }
                });
            }
            buckets[k % 3] = bucket;
            k += 1;
        }
    }
    fn next(&self, cell: Cell) -> Cell {
        self.values.lowest_around(cell)
    }
    fn length(&self, cell: Cell) -> f64 {
        self.values.length(cell)
    }
}

#[cfg(test)]
pub(crate) mod tests;
