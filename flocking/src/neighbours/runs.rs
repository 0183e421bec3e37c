//! The runs of slots in which a boid's neighbours lie.

use crate::neighbours::bins::{Grid, Place};
use crate::number::vector::Vector;
use std::marker::PhantomData;
use std::ops::Range;

/// A row of bins with more boids than this is cut to the part that can be in view. A cut costs as
/// much as looking at about half as many boids.
const LONG: usize = 64;

/// The boids to look at.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) reach: f64,
    /// Bins from the boid's own, each way.
    pub(crate) rings: usize,
    pub(crate) heading: [f64; 3],
    /// Nothing behind the boid counts.
    pub(crate) ahead: bool,
}

/// Runs of slots, rising, with all boids within `reach` of a place, and others: the bins within
/// `rings` of the place's own, row by row; of a long row only the part that can be within `reach`
/// and in front.
pub(crate) struct Runs<'a, V> {
    grid: &'a Grid,
    bin: [isize; 3],
    within: [f64; 3],
    look: Look,
    margin: f64,
    reach2: f64,
    /// The next plane and row, and how many are left.
    plane: (isize, usize),
    row: (isize, usize),
    /// The present plane: its first row, the rest of the squared reach, the lean.
    at: usize,
    rest2: f64,
    plane_lean: f64,
    /// A run that comes before the next row.
    next: Range<usize>,
    space: PhantomData<V>,
}

impl<'a, V: Vector> Runs<'a, V> {
    #[inline(always)]
    pub(crate) fn new(grid: &'a Grid, place: &Place, look: Look) -> Self {
        let [w, h, d] = grid.dims;
        let rings = look.rings;
        // A grid of few bins is looked at as a whole.
        let whole = w <= 2 * rings || h <= 2 * rings || (!V::FLAT && d <= 2 * rings);
        let margin = 1e-4 * grid.edge[0];
        let mut runs = Self {
            grid,
            bin: place.bin.map(|b| b as isize),
            within: place.within,
            look,
            margin,
            reach2: (look.reach + margin) * (look.reach + margin),
            plane: (0, 1),
            row: (0, 0),
            at: 0,
            rest2: 0.0,
            plane_lean: 0.0,
            next: 0..0,
            space: PhantomData,
        };
        if whole {
            runs.plane.1 = 0;
            runs.next = 0..grid.starts[w * h * d] as usize;
        } else if !V::FLAT {
            runs.plane = (runs.first(2), 2 * rings + 1);
        }
        runs
    }

    /// The row with the lowest bin comes first.
    #[inline(always)]
    fn first(&self, a: usize) -> isize {
        let (bin, width, r) = (self.bin[a], self.grid.dims[a] as isize, self.look.rings as isize);
        if bin < r {
            -bin
        } else if bin + r >= width {
            width - bin
        } else {
            -r
        }
    }

    /// The bin k from the boid's own.
    #[inline(always)]
    fn wrapped(&self, a: usize, k: isize) -> usize {
        let (bin, width) = (self.bin[a] + k, self.grid.dims[a] as isize);
        let bin = if bin < 0 { bin + width } else { bin };
        (if bin >= width { bin - width } else { bin }) as usize
    }

    /// The distance from the boid to a row along an axis.
    #[inline(always)]
    fn gap(&self, a: usize, k: isize) -> f64 {
        let from = k as f64 * self.grid.edge[a] - self.within[a];
        let gap = if k > 0 { from } else { -from - self.grid.edge[a] };
        if k == 0 { 0.0 } else { gap.max(0.0) }
    }

    /// The largest offset along the heading of a place in row k along an axis.
    #[inline(always)]
    fn lean(&self, a: usize, k: isize) -> f64 {
        let tilt = self.grid.edge[a] * self.look.heading[a];
        tilt.max(0.0) - self.within[a] * self.look.heading[a] + k as f64 * tilt
    }

    /// The bins of row k, from the boid's own, that can hold a neighbour.
    #[inline(always)]
    fn cut(&self, k: isize) -> Option<(isize, isize)> {
        let r = self.look.rings as isize;
        let gap = self.gap(1, k);
        let wide2 = self.rest2 - gap * gap;
        if wide2 < 0.0 {
            return None;
        }
        let wide = wide2.sqrt();
        let (mut from, mut to) = (-wide, wide);
        if self.look.ahead {
            let lean = self.plane_lean + self.lean(1, k);
            let along = self.look.heading[0];
            if along > 1e-9 {
                from = from.max(-lean / along);
            } else if along < -1e-9 {
                to = to.min(-lean / along);
            } else if lean + self.margin < 0.0 {
                return None;
            }
            if from > to {
                return None;
            }
        }
        let cell = |x: f64| {
            // Not below 0, so cutting is rounding down.
            let x = (self.within[0] + x) * self.grid.inverse[0] + r as f64;
            (x.max(0.0) as i32 as isize).min(2 * r) - r
        };
        Some((cell(from - self.margin), cell(to + self.margin)))
    }

    #[inline(always)]
    fn slots(&self, row: usize, from: isize, to: isize) -> Range<usize> {
        let starts = &self.grid.starts;
        starts[row + from as usize] as usize..starts[row + to as usize + 1] as usize
    }
}

impl<V: Vector> Iterator for Runs<'_, V> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        if !self.next.is_empty() {
            return Some(std::mem::replace(&mut self.next, 0..0));
        }
        let rings = self.look.rings;
        let r = rings as isize;
        let width = self.grid.dims[0] as isize;
        loop {
            if self.row.1 == 0 {
                if self.plane.1 == 0 {
                    return None;
                }
                let k = self.plane.0;
                self.plane = (if k == r { -r } else { k + 1 }, self.plane.1 - 1);
                (self.at, self.rest2, self.plane_lean) = (0, self.reach2, self.margin);
                if !V::FLAT {
                    self.rest2 -= self.gap(2, k) * self.gap(2, k);
                    self.plane_lean += self.lean(2, k);
                    self.at = self.wrapped(2, k) * self.grid.dims[1];
                }
                self.row = (self.first(1), 2 * rings + 1);
            }
            let k = self.row.0;
            self.row = (if k == r { -r } else { k + 1 }, self.row.1 - 1);
            let row = (self.at + self.wrapped(1, k)) * self.grid.dims[0];
            let bin = self.bin[0];
            if bin >= r && bin + r < width {
                let run = self.slots(row, bin - r, bin + r);
                if run.len() <= LONG {
                    if run.is_empty() {
                        continue;
                    }
                    return Some(run);
                }
            }
            let Some((from, to)) = self.cut(k) else { continue };
            let (mut a, mut b) = (bin + from, bin + to);
            let mut run = 0..0;
            if a < 0 || b >= width {
                if b < 0 || a >= width {
                    let by = if b < 0 { width } else { -width };
                    (a, b) = (a + by, b + by);
                } else {
                    // Both ends of the row; the lower one first.
                    run = self.slots(row, 0, if a < 0 { b } else { b - width });
                    (a, b) = (if a < 0 { a + width } else { a }, width - 1);
                }
            }
            let last = self.slots(row, a, b);
            if run.is_empty() {
                run = last;
            } else {
                self.next = last;
            }
            if !run.is_empty() {
                return Some(run);
            }
        }
    }
}
