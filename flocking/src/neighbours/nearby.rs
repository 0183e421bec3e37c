//! The boids that those of one cell look at: the columns of all cells around, one behind the other.
//!
//! The boids of a cell then run over the same few blocks, which the processor learns to predict,
//! and the rows are looked up once for all of them.

use crate::neighbours::bins::{Grid, Place};
use crate::neighbours::columns::{Columns, Sight};
use crate::neighbours::runs::{Look, Runs};
use crate::number::lanes::LANES;
use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector};

/// How many can be copied. Cells with more around them are looked at row by row, and rows are cut.
pub(crate) const CROWD: usize = 128;

/// The copy for the cell of the boids up to slot `end`.
pub(crate) struct Nearby<S> {
    end: usize,
    bin: usize,
    /// None: too many.
    count: Option<usize>,
    columns: [[S; CROWD + LANES]; 9],
}

impl<S: Scalar> Nearby<S> {
    pub(crate) fn new() -> Self {
        Self { end: 0, bin: 0, count: None, columns: [[S::ZERO; CROWD + LANES]; 9] }
    }

    /// All that the boid of a slot may see, and how many; None where they are too many. Slots must
    /// be asked for in rising order.
    #[inline(always)]
    pub(crate) fn of<V: Vector<Scalar = S>>(
        &mut self,
        slot: usize,
        grid: &Grid,
        columns: &Columns<ScalarOf<V>>,
    ) -> Option<usize> {
        if slot >= self.end {
            self.enter::<V>(slot, grid, columns);
        }
        self.count
    }

    #[inline(always)]
    pub(crate) fn sight(&self) -> Sight<'_, S> {
        let [x, y, z, hx, hy, hz, angle, speed, kind] = &self.columns;
        Sight { x, y, z, hx, hy, hz, angle, speed, kind }
    }

    #[inline(never)]
    fn enter<V: Vector<Scalar = S>>(&mut self, slot: usize, grid: &Grid, columns: &Columns<S>) {
        let starts = &grid.starts;
        if self.end == 0 {
            self.bin = starts.partition_point(|&start| start as usize <= slot) - 1;
        }
        while starts[self.bin + 1] as usize <= slot {
            self.bin += 1;
        }
        self.end = starts[self.bin + 1] as usize;
        let [w, h, _] = grid.dims;
        let bin = [self.bin % w, self.bin / w % h, self.bin / (w * h)];
        let place = Place { bin, within: [0.0; 3] };
        let everything =
            Look { reach: f64::INFINITY, rings: grid.rings, heading: [0.0; 3], ahead: false };
        let mut count = 0;
        self.count = None;
        let sources = columns.each();
        for run in Runs::<V>::new(grid, &place, everything) {
            if count + run.len() > CROWD {
                return;
            }
            for (to, from) in self.columns.iter_mut().zip(sources) {
                if from.is_empty() {
                    continue;
                }
                // Eight at a time; the excess is overwritten.
                let blocks = run.len().div_ceil(LANES);
                let (to, _) = to[count..].as_chunks_mut::<LANES>();
                let (from, _) = from[run.start..].as_chunks::<LANES>();
                for (to, from) in to[..blocks].iter_mut().zip(&from[..blocks]) {
                    *to = *from;
                }
            }
            count += run.len();
        }
        // Behind the last there is nobody in sight.
        self.columns[0][count..count + LANES].fill(S::from_f64(f64::INFINITY));
        self.count = Some(count);
    }
}
