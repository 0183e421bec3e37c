//! One step of one tile.
//!
//! The loops over a row are written so that the compiler turns each into vector instructions; they
//! are compiled once for every instruction set, and [`advance`] chooses. A function that is not
//! inlined would be compiled for the least of them, so all of them are.
#![allow(clippy::inline_always)]

use super::tiles::{Beside, Edge, Mask, ROWS, WIDTH};
use crate::dense::real::Real;
use crate::dense::step::{Damping, next};
use crate::simd::Simd;

type Row<S> = [S; WIDTH];

/// One number per cell of a tile, on cache lines of its own: a row across two of them costs twice.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Rows<T>(pub(super) [Row<T>; ROWS]);

/// One number per cell of a tile, with its first and last column beside it: whoever needs those
/// would else touch all sixteen cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Block<S>([Row<S>; ROWS + 2]);

impl<S: Real> Block<S> {
    pub(super) const REST: Self = Self([[S::ZERO; WIDTH]; ROWS + 2]);

    #[inline(always)]
    fn row(&self, r: usize) -> &Row<S> {
        &self.0[r + 1]
    }

    /// The first or the last cell of every row.
    #[inline(always)]
    fn column(&self, last: usize) -> &Row<S> {
        &self.0[last * (ROWS + 1)]
    }

    pub(super) fn get(&self, row: usize, lane: usize) -> S {
        self.0[row + 1][lane]
    }

    pub(super) fn set(&mut self, row: usize, lane: usize, z: S) {
        self.0[row + 1][lane] = z;
        if lane == 0 {
            self.0[0][row] = z;
        }
        if lane == WIDTH - 1 {
            self.0[ROWS + 1][row] = z;
        }
    }

    #[inline(always)]
    fn set_row(&mut self, r: usize, z: Row<S>) {
        self.0[r + 1] = z;
        self.0[0][r] = z[0];
        self.0[ROWS + 1][r] = z[WIDTH - 1];
    }

    /// Every number, those beside the tile included.
    pub(super) fn all_mut(&mut self) -> &mut [S] {
        self.0.as_flattened_mut()
    }

    pub(super) fn any(&self, which: impl Fn(S) -> bool) -> bool {
        self.0[1..=ROWS].as_flattened().iter().any(|&z| which(z))
    }

    pub(super) fn cells(&self) -> &[S] {
        self.0[1..=ROWS].as_flattened()
    }
}

/// A neighbour that is computed: its z, and what to multiply them with.
pub(super) type Neighbour<'a, S> = Option<(&'a Block<S>, S)>;

/// What a step of a tile reads.
pub(super) struct Reads<'a, S> {
    pub(super) z: &'a Block<S>,
    pub(super) beside: Beside<Neighbour<'a, S>>,
    pub(super) open: &'a Mask,
    pub(super) reached: &'a Mask,
    /// The neighbours' cells that touch the tile: those reached, and those that wait.
    pub(super) reached_beside: &'a Beside<Edge>,
    pub(super) waiting_beside: &'a Beside<Edge>,
    /// delta of every cell, or of all.
    pub(super) deltas: Option<&'a Rows<S>>,
    pub(super) delta: S,
    pub(super) k: &'a Rows<u8>,
    pub(super) damping: Damping<S>,
    /// When this step begins.
    pub(super) begin: u32,
}

/// What it writes.
pub(super) struct Writes<'a, S> {
    /// z one step ago, then z of the next step.
    pub(super) prev: &'a mut Block<S>,
    /// The rows of `prev` that are not at rest.
    pub(super) moving: &'a mut u16,
    /// The Laplacian, in rows with cells that wait.
    pub(super) bend: &'a mut Rows<S>,
    /// The cells that were reached long enough ago.
    pub(super) aged: &'a mut Mask,
    /// What becomes old with this step, then the cells that it reached.
    pub(super) newly: &'a mut Mask,
    /// When the cells were reached.
    pub(super) times: &'a mut Rows<u32>,
}

/// What a step of a tile tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<S> {
    /// The rows in which cells were reached, a bit each.
    pub(super) news: u16,
    /// Cells with a reached neighbour had not been reached before.
    pub(super) waits: bool,
    /// Reached cells do not rest yet.
    pub(super) held: bool,
    /// The largest magnitude in the cells that were reached.
    pub(super) amplitude: S,
}

/// Steps a tile.
#[inline(always)]
fn step<S: Real, const DEEP: bool, const DAMPED: bool>(
    reads: &Reads<'_, S>,
    writes: &mut Writes<'_, S>,
) -> Told<S> {
    let Cells { frontier, alive, waits, waiting, active, held } = cells::<S, DEEP>(reads, writes);
    let rest = [S::ZERO; WIDTH];
    let ny = if DEEP { 4 } else { ROWS };
    let [x, y, z] = &reads.beside;
    let left = take::<S, true>(&x[0], 1);
    let right = take::<S, true>(&x[1], 0);
    let mut above = [rest; 4];
    let mut below = [rest; 4];
    let mut front = [rest; 4];
    let mut back = [rest; 4];
    for i in 0..ROWS / ny {
        above[i] = take::<S, false>(&y[0], i * ny + ny - 1);
        below[i] = take::<S, false>(&y[1], i * ny);
        if DEEP {
            front[i] = take::<S, false>(&z[0], i + ROWS - ny);
            back[i] = take::<S, false>(&z[1], i);
        }
    }

    let damping = if DAMPED { reads.damping } else { Damping { keep: S::ONE, scale: S::ONE } };
    let flat = reads.z.0.as_flattened();
    let mut bends = [rest; ROWS];
    // In several passes: what a row needs cannot be foreseen, and each wrong guess costs a row.
    for r in set(active) {
        let row = reads.z.row(r);
        let first = WIDTH * (r + 1);
        let (before, after) = (&flat[first - 1..][..WIDTH], &flat[first + 1..][..WIDTH]);
        let mut across = rest;
        for i in 0..WIDTH {
            across[i] = before[i] + after[i];
        }
        // Storage goes on with the next row here, the grid with the next tile.
        across[0] = left[r] + after[0];
        across[WIDTH - 1] = before[WIDTH - 1] + right[r];
        let up = if r % ny == 0 { &above[r / ny] } else { reads.z.row(r - 1) };
        let down = if r % ny == ny - 1 { &below[r / ny] } else { reads.z.row(r + 1) };
        let (front, back) = match (DEEP, r < ny, r >= ROWS - ny) {
            (false, ..) => (&rest, &rest),
            (true, true, _) => (&front[r % 4], reads.z.row(r + ny)),
            (true, _, true) => (reads.z.row(r - ny), &back[r % 4]),
            (true, ..) => (reads.z.row(r - ny), reads.z.row(r + ny)),
        };
        let prev = writes.prev.row(r);
        let k = &reads.k.0[r];
        let delta: Row<S> = match reads.deltas {
            Some(deltas) => deltas.0[r],
            None => [reads.delta; WIDTH],
        };
        let bend = &mut bends[r];
        let mut out = rest;
        for i in 0..WIDTH {
            let mut sum = across[i] + (up[i] + down[i]);
            if DEEP {
                sum += front[i] + back[i];
            }
            let k = S::from_u8(k[i]);
            let z = next(delta[i], k, sum, row[i], prev[i], damping);
            out[i] = if alive[r] >> i & 1 == 1 { z } else { S::ZERO };
            bend[i] = sum - k * row[i];
        }
        writes.prev.set_row(r, out);
    }
    let mut news = 0;
    for r in set(active & waits) {
        let (row, bend) = (reads.z.row(r), &bends[r]);
        let mut inflected = [false; WIDTH];
        for i in 0..WIDTH {
            let away = if row[i] < S::ZERO { -bend[i] } else { bend[i] };
            inflected[i] = away <= S::ZERO && row[i] != S::ZERO;
        }
        let newly = mask(&inflected) & frontier[r];
        writes.newly[r] = newly;
        news |= u16::from(newly != 0) << r;
    }
    let mut amplitude = rest;
    for r in set(news) {
        let (newly, row, bend, bent) =
            (writes.newly[r], reads.z.row(r), &bends[r], &writes.bend.0[r]);
        let times = &mut writes.times.0[r];
        for i in 0..WIDTH {
            let here = newly >> i & 1 == 1;
            let time = reads.begin + moment(bent[i], bend[i]);
            times[i] = if here { time } else { times[i] };
            let size = if here { row[i].abs() } else { S::ZERO };
            amplitude[i] = if size > amplitude[i] { size } else { amplitude[i] };
        }
    }
    for r in set(active & waiting) {
        writes.bend.0[r] = bends[r];
    }
    for r in set(*writes.moving & !active) {
        writes.prev.set_row(r, rest);
    }
    *writes.moving = active;
    let amplitude = if news == 0 { S::ZERO } else { largest(amplitude) };
    Told { news, waits: waits != 0, held: held != 0, amplitude }
}

/// Which cells a step is about.
struct Cells {
    /// Not reached, with a reached neighbour.
    frontier: Mask,
    /// Not at rest.
    alive: Mask,
    /// The rows of the frontier, of cells not reached, of those not at rest, and of those of them
    /// that were reached.
    waits: u16,
    waiting: u16,
    active: u16,
    held: u16,
}

#[inline(always)]
fn cells<S: Real, const DEEP: bool>(reads: &Reads<'_, S>, writes: &mut Writes<'_, S>) -> Cells {
    let (open, reached) = (reads.open, reads.reached);
    let waiting = without(open, reached);
    let near = spread::<DEEP>(reached, &[0; ROWS], reads.reached_beside);
    let needed = spread::<DEEP>(open, reached, reads.waiting_beside);
    let mut frontier = [0; ROWS];
    let mut alive = [0; ROWS];
    let mut held = [0; ROWS];
    for r in 0..ROWS {
        let aged = writes.aged[r] | std::mem::take(&mut writes.newly[r]);
        writes.aged[r] = aged;
        frontier[r] = waiting[r] & near[r];
        held[r] = reached[r] & !(aged & !needed[r]);
        alive[r] = open[r] & !(aged & !needed[r]);
    }
    let (waits, waiting) = (rows(&frontier), rows(&waiting));
    let (active, held) = (rows(&alive), rows(&held));
    Cells { frontier, alive, waits, waiting, active, held }
}

/// Row `r` of a neighbour, or with `COLUMN` its first or last column, on the tile's own gain.
#[inline(always)]
fn take<S: Real, const COLUMN: bool>(neighbour: &Neighbour<'_, S>, r: usize) -> Row<S> {
    let Some((z, scale)) = neighbour else {
        return [S::ZERO; WIDTH];
    };
    let mut row = if COLUMN { *z.column(r) } else { *z.row(r) };
    if *scale != S::ONE {
        for z in &mut row {
            *z = (*z * *scale).floored();
        }
    }
    row
}

/// The cells of one mask that are not in another.
#[inline(always)]
fn without(cells: &Mask, others: &Mask) -> Mask {
    let mut left = *cells;
    for r in 0..ROWS {
        left[r] &= !others[r];
    }
    left
}

/// The rows that hold cells of a mask.
#[inline(always)]
fn rows(cells: &Mask) -> u16 {
    let mut any = [false; ROWS];
    for r in 0..ROWS {
        any[r] = cells[r] != 0;
    }
    mask(&any)
}

/// The cells next to those of `mask` that are not in `but`, and next to the neighbours' `beside`.
#[inline(always)]
fn spread<const DEEP: bool>(mask: &Mask, but: &Mask, beside: &Beside<Edge>) -> Mask {
    let mut out = [0; ROWS];
    let [[left], [right]] = beside[0].map(|[edge, ..]| [edge]);
    for r in 0..ROWS {
        let row = mask[r] & !but[r];
        out[r] = row << 1 | row >> 1 | left >> r & 1 | right >> r << 15;
    }
    // From memory at an offset: what is still in registers would have to come round by the stack.
    for r in 1..ROWS {
        out[r] |= if DEEP && r % 4 == 0 { 0 } else { mask[r - 1] & !but[r - 1] };
    }
    for r in 0..ROWS - 1 {
        out[r] |= if DEEP && r % 4 == 3 { 0 } else { mask[r + 1] & !but[r + 1] };
    }
    let [up, down] = &beside[1];
    if DEEP {
        let [front, back] = &beside[2];
        for i in 0..4 {
            out[4 * i] |= up[i];
            out[4 * i + 3] |= down[i];
            out[i] |= front[i];
            out[12 + i] |= back[i];
        }
        for r in 4..ROWS {
            out[r] |= mask[r - 4] & !but[r - 4];
        }
        for r in 0..ROWS - 4 {
            out[r] |= mask[r + 4] & !but[r + 4];
        }
    } else {
        out[0] |= up[0];
        out[ROWS - 1] |= down[0];
    }
    out
}

/// The numbers of the bits that are set.
#[inline(always)]
fn set(mut bits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (first < ROWS).then_some(first)
    })
}

/// The bits of 16 truths, the first lowest.
#[inline(always)]
#[allow(unsafe_code)]
fn mask(truths: &[bool; WIDTH]) -> u16 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_movemask_epi8, _mm_set_epi8};
        let b = |i: usize| if truths[i] { -1 } else { 0 };
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let bytes = _mm_set_epi8(
                b(15),
                b(14),
                b(13),
                b(12),
                b(11),
                b(10),
                b(9),
                b(8),
                b(7),
                b(6),
                b(5),
                b(4),
                b(3),
                b(2),
                b(1),
                b(0),
            );
            _mm_movemask_epi8(bytes) as u16
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        truths.iter().rev().fold(0, |bits, &truth| bits << 1 | u16::from(truth))
    }
}

/// The largest of 16 numbers, in halves: one after the other would be four times as slow.
#[inline(always)]
fn largest<S: Real>(mut row: Row<S>) -> S {
    let mut n = WIDTH / 2;
    while n > 0 {
        for i in 0..n {
            row[i] = if row[i + n] > row[i] { row[i + n] } else { row[i] };
        }
        n /= 2;
    }
    row[0]
}

/// When in a step the bend passed 0, in 256ths, at least 1.
#[inline(always)]
fn moment<S: Real>(before: S, now: S) -> u32 {
    let (before, now) = (before.abs(), now.abs());
    let parts = S::from_f64(256.0) * now;
    // Past the inflection before a neighbour was reached: reached with this step. And a quotient
    // under 1 is not asked for, since it might be subnormal.
    let left = if before > S::ZERO && parts >= before { parts / (before + now) } else { S::ZERO };
    256 - left.below_256()
}

/// Steps a tile with the vectors of an instruction set; the same bits with all.
pub(super) fn advance<S: Real>(
    simd: Simd,
    deep: bool,
    reads: &Reads<'_, S>,
    writes: &mut Writes<'_, S>,
) -> Told<S> {
    let damped = reads.damping.keep != S::ONE;
    match (deep, damped) {
        (false, false) => dispatch::<S, false, false>(simd, reads, writes),
        (false, true) => dispatch::<S, false, true>(simd, reads, writes),
        (true, false) => dispatch::<S, true, false>(simd, reads, writes),
        (true, true) => dispatch::<S, true, true>(simd, reads, writes),
    }
}

#[allow(unsafe_code)]
fn dispatch<S: Real, const DEEP: bool, const DAMPED: bool>(
    simd: Simd,
    reads: &Reads<'_, S>,
    writes: &mut Writes<'_, S>,
) -> Told<S> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::simd::detected as has;
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn avx512<S: Real, const DEEP: bool, const DAMPED: bool>(
            reads: &Reads<'_, S>,
            writes: &mut Writes<'_, S>,
        ) -> Told<S> {
            step::<S, DEEP, DAMPED>(reads, writes)
        }
        #[target_feature(enable = "avx2")]
        fn avx2<S: Real, const DEEP: bool, const DAMPED: bool>(
            reads: &Reads<'_, S>,
            writes: &mut Writes<'_, S>,
        ) -> Told<S> {
            step::<S, DEEP, DAMPED>(reads, writes)
        }
        let masks = || has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        if simd == Simd::Avx512 && has!("avx512f") && masks() {
            // SAFETY: the features were detected.
            return unsafe { avx512::<S, DEEP, DAMPED>(reads, writes) };
        }
        if matches!(simd, Simd::Avx2 | Simd::Avx512) && has!("avx2") {
            // SAFETY: the feature was detected.
            return unsafe { avx2::<S, DEEP, DAMPED>(reads, writes) };
        }
    }
    let _ = simd;
    step::<S, DEEP, DAMPED>(reads, writes)
}
