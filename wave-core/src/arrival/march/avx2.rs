//! Eight cells at a time, by AVX2: the same offers as by [`look`](super::look), and so the same
//! times. They come in another order, which makes no difference: first those that all eight make to
//! one neighbour, then those to the next.
#![allow(unsafe_code)] // loads, whose bounds are checked eight cells at a time; see the SAFETY notes
#![allow(clippy::cast_ptr_alignment, clippy::wildcard_imports)] // loads and stores need no alignment

mod deep;

pub(in crate::arrival) use deep::after_face;

use super::even::{ASIDE, NEXT, found};
use super::offers::{AT_ONCE, OFFERS, WHOLE};
use super::{CORNER, Corner, Queue, UNIT, UNREACHED};
use crate::arrival::repair::LOOK;
use crate::dense::storage::PAST_CORE;
use crate::grid::layout::Layout;
use std::arch::x86_64::*;
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

/// [`super::take_while`] on a grid whose neighbours along y and z lie a row and a plane apart.
/// Where all cells take [`UNIT`], no `slowness` is read.
#[target_feature(enable = "avx2")]
pub(super) fn take_while<const DEEP: bool, const UNIFORM: bool>(
    times: &mut [i32],
    speeds: (&[i32], &[Corner]),
    queue: &mut Queue,
    ([row, plane], fetches): ([usize; 2], bool),
    note: impl FnMut(usize, i32),
    more: impl FnMut(&[i32], i32) -> bool,
) {
    let slowness = speeds.0;
    assert!(UNIFORM || slowness.len() == times.len(), "every cell takes its time");
    let look = |times: &[i32], some: &[u64], offers: &mut [u64; OFFERS]| {
        let arrays = [times, slowness];
        if DEEP {
            deep::look::<UNIFORM>(arrays, [row, plane], some, offers)
        } else {
            look_flat::<UNIFORM>(arrays, row, some, offers)
        }
    };
    let [y, z] = [row as isize, plane as isize];
    if DEEP && times.len() > PAST_CORE {
        let around = [-y, y, -z, z, -z - y, y - z, z - y, z + y];
        super::take_while::<UNIFORM, 8>(times, speeds, queue, around, look, note, more);
    } else if fetches {
        super::take_while::<UNIFORM, 2>(times, speeds, queue, [-y, y], look, note, more);
    } else {
        super::take_while::<UNIFORM, 0>(times, speeds, queue, [], look, note, more);
    }
}

/// [`look`](super::look) for several cells of a flat grid.
// Inlined where it is called, it would call `look_eights` as functions.
#[target_feature(enable = "avx2")]
#[inline(never)]
fn look_flat<const UNIFORM: bool>(
    arrays: [&[i32]; 2],
    row: usize,
    some: &[u64],
    offers: &mut [u64; OFFERS],
) -> (usize, i32) {
    let mut made_up = [0; AT_ONCE];
    let mut found = (0, _mm256_setzero_si256());
    let (fours, eights) = in_eights(some, &mut made_up).as_chunks();
    for four in fours {
        found = look_eights::<UNIFORM, 4>(arrays, row, four, offers, found);
    }
    let (twos, ones) = eights.as_chunks();
    for two in twos {
        found = look_eights::<UNIFORM, 2>(arrays, row, two, offers, found);
    }
    for one in ones.as_chunks().0 {
        found = look_eights::<UNIFORM, 1>(arrays, row, one, offers, found);
    }
    found_in_all(found)
}

/// How many offers there are, and [`CORNER`] if any of the marks of all eights has it.
#[target_feature(enable = "avx2")]
#[inline]
fn found_in_all((count, marks): (usize, __m256i)) -> (usize, i32) {
    let corners = _mm256_set1_epi32(CORNER);
    (count, if _mm256_testz_si256(marks, corners) == 1 { 0 } else { CORNER })
}

/// Entries eight by eight. The last eight are `made_up` in part if others are wanting.
#[inline]
fn in_eights<'a>(some: &'a [u64], made_up: &'a mut [u64; AT_ONCE]) -> &'a [[u64; 8]] {
    let (eights, rest) = some.as_chunks();
    if rest.is_empty() {
        return eights;
    }
    // Such entries count as cells that got earlier in the meantime, for no time is negative.
    *made_up = [rest[0] ^ 1 << 63; AT_ONCE];
    made_up[..some.len()].copy_from_slice(some);
    &made_up.as_chunks().0[..=eights.len()]
}

/// By the bits of the good ones among eight offers: the places of the good ones, a byte each; and
/// from bit 59 on, their number. Interleaving within halves gives the first four, then the others.
static GOOD: [u64; 256] = {
    const PLACES: [u64; 8] = [0, 1, 4, 5, 2, 3, 6, 7];
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut offer, mut found) = (0, 0);
        while offer < 8 {
            if bits >> offer & 1 == 1 {
                table[bits] |= offer << (8 * PLACES[found]);
                found += 1;
            }
            offer += 1;
        }
        table[bits] |= (found as u64) << 59;
        bits += 1;
    }
    table
};

/// [`look`](super::look) for several times eight cells of a flat grid: each step is made for all of
/// them before the next one, so that what one eight waits for, the processor spends on another.
#[target_feature(enable = "avx2")]
#[inline]
fn look_eights<const UNIFORM: bool, const N: usize>(
    [times, slowness]: [&[i32]; 2],
    row: usize,
    taken: &[[u64; 8]; N],
    offers: &mut [u64; OFFERS],
    (mut count, mut marks): (usize, __m256i),
) -> (usize, __m256i) {
    let nothing = _mm256_setzero_si256();
    let (mut cell, mut time, mut around) = ([nothing; N], [nothing; N], [[nothing; 5]; N]);
    for e in 0..N {
        [cell[e], time[e]] = cells_and_times(&taken[e]);
        assert_inside(cell[e], row, times.len());
        // SAFETY: as asserted.
        around[e] = unsafe { cross(times, row, &taken[e]) };
    }
    let (mut fresh, mut new) = ([nothing; N], [[nothing; 4]; N]);
    for e in 0..N {
        let ([up, left, here, right, down], time) = (around[e], time[e]);
        let beside = _mm256_sub_epi32(time, _mm256_min_epi32(left, right));
        let above = _mm256_sub_epi32(time, _mm256_min_epi32(up, down));
        new[e] = if UNIFORM {
            let [beside, above] = [beside, above]
                .map(|lead| _mm256_add_epi32(time, after(lead, _mm256_set1_epi32(UNIT))));
            [beside, above, above, beside]
        } else {
            // SAFETY: as above; it is as long, as `take_while` asserts.
            let [up, left, here, right, down] = unsafe { cross(slowness, row, &taken[e]) };
            marks = _mm256_or_si256(marks, here);
            let bits = _mm256_set1_epi32(!CORNER);
            let offer =
                |lead, each| _mm256_add_epi32(time, after(lead, _mm256_and_si256(each, bits)));
            [offer(beside, up), offer(above, left), offer(above, right), offer(beside, down)]
        };
        // A cell that got an earlier time in the meantime offers nothing.
        fresh[e] = _mm256_cmpeq_epi32(here, time);
    }
    let offsets = [-(row as i32), -1, 1, row as i32];
    for e in 0..N {
        let [up, left, _, right, down] = around[e];
        for (k, old) in [up, left, right, down].into_iter().enumerate() {
            let good = better(new[e][k], old, fresh[e]);
            count = put(good, cell[e], offsets[k], new[e][k], offers, count);
        }
    }
    (count, marks)
}

/// [`Even::find`](super::Even::find), two cells at a time.
#[target_feature(enable = "avx2")]
pub(super) fn find(times: &[i32], row: usize, until: i32, bucket: &mut Vec<u64>) {
    let count = bucket.len();
    for n in (0..count).step_by(2) {
        let cells = [n, (n + 1).min(count - 1)].map(|n| (bucket[n] & !LOOK) as u32 as usize);
        let inside = |&i: &usize| i > row && i < times.len() && row + 2 < times.len() - i;
        assert!(cells.iter().all(inside), "a cell of the edge is open");
        let three = |to: usize| {
            let from = times.as_ptr().wrapping_sub(row + 1).wrapping_add(to);
            // SAFETY: as asserted, a row and a cell lie before each of them, and a row and two
            // cells after it.
            let [a, b] = cells.map(|i| unsafe { _mm_loadu_si128(from.wrapping_add(i).cast()) });
            _mm256_castsi256_ps(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b))
        };
        let [above, here, below] = [three(0), three(row), three(2 * row)];
        // The neighbours above, below, to the left and to the right; the corners, row by row.
        let middle = _mm256_shuffle_ps::<0b01_01_01_01>(above, below);
        let next = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(middle, here));
        let aside = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(above, below));
        let side = _mm256_min_epi32(
            _mm256_shuffle_epi32::<0b01_00_10_00>(aside),
            _mm256_shuffle_epi32::<0b11_10_11_01>(aside),
        );
        let after = after(_mm256_sub_epi32(next, side), _mm256_set1_epi32(UNIT));
        let counts = _mm256_cmpgt_epi32(_mm256_set1_epi32(until), next);
        let offers = _mm256_add_epi32(next, after);
        let offers = _mm256_blendv_epi8(_mm256_set1_epi32(UNREACHED), offers, counts);
        let least = _mm256_min_epi32(offers, _mm256_shuffle_epi32::<0b10_11_00_01>(offers));
        let least = _mm256_min_epi32(least, _mm256_shuffle_epi32::<0b01_00_11_10>(least));
        let time = _mm256_castps_si256(_mm256_shuffle_ps::<0b01_01_01_01>(here, here));
        let [next, aside] = [(next, NEXT), (aside, ASIDE)].map(|(then, by)| {
            let later = _mm256_sub_epi32(then, time);
            let from = _mm256_cmpgt_epi32(later, _mm256_set1_epi32(by.start - 1));
            let to = _mm256_cmpgt_epi32(_mm256_set1_epi32(by.end), later);
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_and_si256(from, to))) as u32
        });
        bucket.push(found(_mm256_cvtsi256_si32(least), next & 15 | (aside & 15) << 4));
        if n + 1 < count {
            bucket.push(found(_mm256_extract_epi32::<4>(least), next >> 4 | aside & 0xf0));
        }
    }
}

/// The values above eight cells, to their left, in them, to their right and below.
///
/// # Safety
/// A row lies before each cell in the array, and a row and three values after it; a row is a cell
/// at least.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn cross(array: &[i32], row: usize, taken: &[u64; 8]) -> [__m256i; 5] {
    let row = row as isize;
    // SAFETY: the caller's promise.
    let [above, near, below] =
        unsafe { [rows(array, taken, -row), rows(array, taken, -1), rows(array, taken, row)] };
    let [left, here, right] = three(near);
    [one(above), left, here, right, one(below)]
}

/// Four values from `offset` beside each of eight cells on, those of cells `k` and `k + 4`
/// together. Turned into columns by [`one`] and [`three`] they take less long than gathers.
///
/// # Safety
/// They are in the array.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn rows(array: &[i32], taken: &[u64; 8], offset: isize) -> [__m256i; 4] {
    let from = array.as_ptr().wrapping_offset(offset);
    // SAFETY: the caller's promise.
    unsafe { [two(from, taken, 0), two(from, taken, 1), two(from, taken, 2), two(from, taken, 3)] }
}

/// Four values for cell `k` and four for the one four further.
///
/// # Safety
/// They can be read.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn two(from: *const i32, taken: &[u64; 8], k: usize) -> __m256i {
    let [a, b] = [taken[k], taken[k + 4]].map(|cell| from.wrapping_add(cell as u32 as usize));
    // SAFETY: the caller's promise.
    let [a, b] = unsafe { [_mm_loadu_si128(a.cast()), _mm_loadu_si128(b.cast())] };
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b)
}

/// The first values of [`rows`].
#[target_feature(enable = "avx2")]
#[inline]
fn one([a, b, c, d]: [__m256i; 4]) -> __m256i {
    _mm256_unpacklo_epi64(_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d))
}

/// The first three values of [`rows`].
#[target_feature(enable = "avx2")]
#[inline]
fn three([a, b, c, d]: [__m256i; 4]) -> [__m256i; 3] {
    let [ab, cd] = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
    let third = _mm256_unpacklo_epi64(_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
    [_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd), third]
}

/// Entries of the queue, taken apart.
#[target_feature(enable = "avx2")]
#[inline]
fn cells_and_times(taken: &[u64; 8]) -> [__m256i; 2] {
    // SAFETY: the two halves of an array.
    let [a, b] = unsafe {
        let from = taken.as_ptr().cast::<__m256>();
        [_mm256_loadu_ps(from.cast()), _mm256_loadu_ps(from.add(1).cast())]
    };
    let cells = in_order(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
    [cells, in_order(_mm256_shuffle_ps::<0b11_01_11_01>(a, b))]
}

/// Makes sure that `reach` lies before each of the cells in an array of so many, and `reach` and
/// three more after it.
#[target_feature(enable = "avx2")]
#[inline]
fn assert_inside(cells: __m256i, reach: usize, len: usize) {
    assert!(reach > 0 && reach < len - reach - 3 && len as u128 <= Layout::MAX_CELLS);
    let first = _mm256_set1_epi32(reach as i32);
    let last = _mm256_set1_epi32((len - reach - 4) as i32);
    let outside =
        _mm256_or_si256(_mm256_cmpgt_epi32(first, cells), _mm256_cmpgt_epi32(cells, last));
    assert!(_mm256_testz_si256(outside, outside) == 1, "a cell of the edge is open");
}

/// Where `fresh` offers are earlier than the times that were there. No offer is to a wall.
#[target_feature(enable = "avx2")]
#[inline]
fn better(new: __m256i, old: __m256i, fresh: __m256i) -> __m256i {
    // Turns walls, and only walls, into a number that no time is earlier than.
    let one = _mm256_set1_epi32(1);
    let [old, new] = [old, new].map(|time| _mm256_add_epi32(time, one));
    _mm256_and_si256(_mm256_cmpgt_epi32(old, new), fresh)
}

/// Writes the good ones of eight offers behind `count` others, and returns the number of all.
/// They are made by `cells` to those at an `offset` from them.
#[target_feature(enable = "avx2")]
#[inline]
fn put(
    good: __m256i,
    cells: __m256i,
    offset: i32,
    times: __m256i,
    offers: &mut [u64; OFFERS],
    count: usize,
) -> usize {
    let good = _mm256_movemask_ps(_mm256_castsi256_ps(good));
    let cells = _mm256_add_epi32(cells, _mm256_set1_epi32(offset));
    let good = GOOD[good as usize];
    let places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(good as i64));
    let times = _mm256_permutevar8x32_epi32(times, places);
    let cells = _mm256_permutevar8x32_epi32(cells, places);
    let to = offers[count..][..8].as_mut_ptr().cast::<__m256i>();
    // SAFETY: the two halves of eight offers.
    unsafe {
        _mm256_storeu_si256(to, _mm256_unpacklo_epi32(cells, times));
        _mm256_storeu_si256(to.add(1), _mm256_unpackhi_epi32(cells, times));
    }
    count + (good >> 59) as usize
}

/// Undoes the order that a shuffle of two vectors leaves.
#[target_feature(enable = "avx2")]
#[inline]
fn in_order(x: __m256) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_castps_si256(x))
}

/// `rounded(through_edge(lead, each))`.
#[target_feature(enable = "avx2")]
#[inline]
fn after(lead: __m256i, each: __m256i) -> __m256i {
    let each = _mm256_cvtepi32_ps(each);
    let lead = _mm256_min_ps(not_negative(_mm256_cvtepi32_ps(lead)), each);
    let square = |x| _mm256_mul_ps(x, x);
    let across = _mm256_sqrt_ps(not_negative(_mm256_sub_ps(square(each), square(lead))));
    let along = _mm256_sub_ps(_mm256_mul_ps(_mm256_set1_ps(SQRT_2), each), lead);
    let bound = _mm256_mul_ps(each, _mm256_set1_ps(FRAC_1_SQRT_2));
    let after = _mm256_blendv_ps(along, across, _mm256_cmp_ps::<_CMP_LE_OQ>(lead, bound));
    rounded(after)
}

/// The nearest whole numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn rounded(x: __m256) -> __m256i {
    let whole = _mm256_set1_ps(WHOLE);
    let shifted = _mm256_add_ps(not_negative(x), whole);
    _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_castps_si256(whole))
}

#[target_feature(enable = "avx2")]
#[inline]
fn not_negative(x: __m256) -> __m256 {
    _mm256_max_ps(x, _mm256_setzero_ps())
}
