//! One step of the scheme, in place: `prev` is read and overwritten by the next state.

use crate::layout::Layout;
use crate::real::Real;

/// The coefficients of a step that are the same for all cells: `1 - m` and `1 / (1 + m)` with
/// `m = mu dt / 2`. Both are exactly 1 without damping, and then change no bit.
#[derive(Clone, Copy)]
pub(crate) struct Damping<S> {
    pub(crate) keep: S,
    pub(crate) scale: S,
}

impl<S: Real> Damping<S> {
    pub(crate) fn new(m: S) -> Self {
        Self { keep: S::ONE - m, scale: S::ONE / (S::ONE + m) }
    }
}

/// `z'` of one cell. The sums stand in the one order that gives the same bits everywhere; nothing
/// is fused.
#[inline(always)]
#[allow(clippy::inline_always)] // about 4x slower where the row loop does not see through it
pub(crate) fn next<S: Real>(delta: S, k: S, sum: S, z: S, prev: S, damping: Damping<S>) -> S {
    let delta = if delta > S::ZERO { delta } else { S::ZERO };
    let two = S::ONE + S::ONE;
    let free = delta * sum + (two - k * delta) * z;
    ((free - damping.keep * prev) * damping.scale).floored()
}

/// What a step reads.
pub(crate) struct Input<'a, S> {
    pub(crate) layout: &'a Layout,
    pub(crate) delta: &'a [S],
    pub(crate) k: &'a [u8],
    pub(crate) z: &'a [S],
    pub(crate) damping: Damping<S>,
}

impl<S: Real> Input<'_, S> {
    /// Steps the row of `out.len()` cells that begins at storage index `first`.
    fn row<const DEEP: bool>(&self, first: usize, out: &mut [S]) {
        let n = out.len();
        let (row, plane) = (self.layout.row, self.layout.plane);
        let at = |i: usize| &self.z[i..i + n];
        let (centre, left, right) = (at(first), at(first - 1), at(first + 1));
        let (up, down) = (at(first - row), at(first + row));
        // Flat grids have no planes; the two slices are then never read.
        let (front, back) =
            if DEEP { (at(first - plane), at(first + plane)) } else { (centre, centre) };
        let (delta, k) = (&self.delta[first..first + n], &self.k[first..first + n]);
        for j in 0..n {
            let mut sum = (left[j] + right[j]) + (up[j] + down[j]);
            if DEEP {
                sum += front[j] + back[j];
            }
            out[j] = next(delta[j], S::from_u8(k[j]), sum, centre[j], out[j], self.damping);
        }
    }

    /// Steps the `rows` of storage that `out` holds, the first of them being row `first_row`.
    fn rows(&self, first_row: usize, out: &mut [S]) {
        let [nz, ny, nx] = self.layout.size;
        for (r, out) in out.chunks_mut(self.layout.row).enumerate() {
            let row = first_row + r;
            // The last row of a plane is halo.
            if row % (ny + 1) == ny || out.len() < nx {
                continue;
            }
            let first = self.layout.lead + row * self.layout.row;
            if nz > 1 {
                self.row::<true>(first, &mut out[..nx]);
            } else {
                self.row::<false>(first, &mut out[..nx]);
            }
        }
    }

    /// Steps the whole grid.
    pub(crate) fn step(&self, prev: &mut [S]) {
        let layout = self.layout;
        let cells = layout.plane * layout.size[0];
        let body = &mut prev[layout.lead..layout.lead + cells];
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;
            // Below some 10^5 cells a step is shorter than handing it out.
            let rows_per_task = (1usize << 16).div_ceil(layout.row);
            if cells > 2 * rows_per_task * layout.row && rayon::current_num_threads() > 1 {
                body.par_chunks_mut(rows_per_task * layout.row)
                    .enumerate()
                    .for_each(|(task, out)| self.rows(task * rows_per_task, out));
                return;
            }
        }
        self.rows(0, body);
    }
}
