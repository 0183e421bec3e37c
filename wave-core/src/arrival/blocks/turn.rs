//! A block and what lies around it, turned so that rows lie along any axis.

use super::{BESIDE, Block, FAR, Lanes, SIDE, STRIDE, TOO_LATE, across};
use crate::arrival::eight::Eight;

/// Rows of a block and around it, each of eight cells and one at either end, from [`FIRST`] on.
pub(super) type Row = [i32; ROW];
pub(super) const ROW: usize = 16;
/// Where the cell before the first one stands in a [`Row`].
pub(super) const FIRST: usize = 3;
/// Rows beside each other, along the first of the axes across them; along the second it is 1.
pub(super) const APART: usize = SIDE + 2;
pub(super) type Rows = [Row; APART * APART];

/// Eight cells of a row, counted from a place: 1 gives those of the block.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
pub(super) fn lanes(row: &Row, from: usize) -> &Lanes {
    row[FIRST + from..][..SIDE].first_chunk().expect("a row has eight cells and two more")
}

#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn lanes_mut(row: &mut Row) -> &mut Lanes {
    row[FIRST + 1..].first_chunk_mut().expect("a row has eight cells")
}

#[allow(clippy::inline_always)]
#[inline(always)]
fn eight(block: &Block, from: usize) -> &Lanes {
    block[from..].first_chunk().expect("eight cells from here on are in the block")
}

/// For a place from 0 to 9 along an axis of a block and around it: the block that it is in, and
/// where.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn split(place: usize) -> (usize, usize) {
    (place.div_ceil(SIDE), (place + SIDE - 1) % SIDE)
}

/// Writes times of a block and around it into `rows` along axis `L`.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn gather<E: Eight, const L: usize>(blocks: &[&Block; 27], rows: &mut Rows) {
    let [first, _] = across(L);
    for i in 0..APART {
        let (block, place) = split(i);
        let (block, at) = (block * BESIDE[first], place * STRIDE[first]);
        let rows = &mut rows[i * APART..][..APART];
        if L == 2 {
            for (j, row) in rows.iter_mut().enumerate() {
                let (beside, place) = split(j);
                let (block, at) = (block + beside * BESIDE[1], at + place * STRIDE[1]);
                E::load(eight(blocks[block + 1], at)).store(lanes_mut(row));
                row[FIRST] = blocks[block][at + SIDE - 1];
                row[FIRST + SIDE + 1] = blocks[block + 2][at];
            }
            continue;
        }
        // In the blocks rows lie along x; here they lie across it.
        let (step, apart) = (STRIDE[L], BESIDE[L]);
        let (before, here, behind) = (blocks[block + 1], block + apart, block + 2 * apart);
        let turned = turned::<E>(blocks[here + 1], at, step);
        let (before, after) = (eight(before, at + 7 * step), eight(blocks[behind + 1], at));
        for j in 0..SIDE {
            turned[j].store(lanes_mut(&mut rows[j + 1]));
            rows[j + 1][FIRST] = before[j];
            rows[j + 1][FIRST + SIDE + 1] = after[j];
        }
        for (j, beside, x) in [(0, 0, SIDE - 1), (SIDE + 1, 2, 0)] {
            rows[j][FIRST] = blocks[block + beside][at + 7 * step + x];
            rows[j][FIRST + SIDE + 1] = blocks[behind + beside][at + x];
            let beside = blocks[here + beside];
            for l in 0..SIDE {
                rows[j][FIRST + 1 + l] = beside[at + l * step + x];
            }
        }
    }
}

/// Eight rows of eight cells, `apart` from each other, as columns.
#[allow(clippy::inline_always)]
#[inline(always)]
fn turned<E: Eight>(block: &Block, at: usize, step: usize) -> [E; SIDE] {
    let mut rows = [E::splat(0); SIDE];
    for (l, row) in rows.iter_mut().enumerate() {
        *row = E::load(eight(block, at + l * step));
    }
    E::transpose(rows)
}

/// Numbers of a block alone, such as what its cells take, eight by eight, rows along axis `L`.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn inner<E: Eight, const L: usize>(block: &Block) -> [Lanes; SIDE * SIDE] {
    let mut rows = [[0; SIDE]; SIDE * SIDE];
    let [first, _] = across(L);
    for (i, rows) in rows.chunks_exact_mut(SIDE).enumerate() {
        let at = i * STRIDE[first];
        if L == 2 {
            for (j, row) in rows.iter_mut().enumerate() {
                *row = *eight(block, at + j * STRIDE[1]);
            }
            continue;
        }
        let turned = turned::<E>(block, at, STRIDE[L]);
        for (row, turned) in rows.iter_mut().zip(turned) {
            turned.store(row);
        }
    }
    rows
}

/// Writes the block back. Returns the earliest time in each of its faces, at the beginning and the
/// end of z, of y and of x, and whether any of its times is too late.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn back<E: Eight, const L: usize>(rows: &Rows, block: &mut Block) -> ([i32; 6], bool) {
    let [first, second] = across(L);
    let far = E::splat(FAR);
    let mut latest = E::splat(0);
    let (mut ends, mut all) = ([[far; 2]; 2], far);
    for i in 0..SIDE {
        let mut some = [E::splat(0); SIDE];
        let mut earliest = far;
        for (j, to) in some.iter_mut().enumerate() {
            *to = E::load(lanes(&rows[(i + 1) * APART + j + 1], 1));
            latest = latest.max(far.above(*to).and(*to));
            earliest = earliest.min(*to);
        }
        all = all.min(earliest);
        if i == 0 || i == SIDE - 1 {
            ends[0][i / (SIDE - 1)] = earliest;
        }
        ends[1] = [ends[1][0].min(some[0]), ends[1][1].min(some[SIDE - 1])];
        let some = if L == 2 { some } else { E::transpose(some) };
        let step = if L == 2 { STRIDE[1] } else { STRIDE[L] };
        for (l, some) in some.into_iter().enumerate() {
            let to = block[i * STRIDE[first] + l * step..].first_chunk_mut();
            some.store(to.expect("eight cells from here on are in the block"));
        }
    }
    let mut soonest = [0; 6];
    for end in 0..2 {
        soonest[2 * first + end] = ends[0][end].least();
        soonest[2 * second + end] = ends[1][end].least();
    }
    let mut each = [0; SIDE];
    all.store(&mut each);
    (soonest[2 * L], soonest[2 * L + 1]) = (each[0], each[SIDE - 1]);
    (soonest, E::is_any(latest.above(E::splat(TOO_LATE - 1))))
}
