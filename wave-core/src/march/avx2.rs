//! Flat grids eight cells at a time, by AVX2: the same offers, in the same order, as by
//! [`look`](super::look), and so the same bits.
#![allow(unsafe_code)] // loads, whose bounds are checked eight cells at a time; see the SAFETY notes
#![allow(clippy::cast_ptr_alignment, clippy::wildcard_imports)] // loads and stores need no alignment

use super::offers::{OFFERS, WHOLE};
use super::{CORNER, Corner, Queue, UNIT};
use std::arch::x86_64::*;
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

/// [`super::take_while`] on a flat grid. Where all cells take [`UNIT`], no `slowness` is read.
#[target_feature(enable = "avx2")]
pub(super) fn take_while<const UNIFORM: bool>(
    times: &mut [i32],
    speeds: (&[i32], &[Corner]),
    queue: &mut Queue,
    row: usize,
    more: impl FnMut(&[i32], i32) -> bool,
) {
    assert!((1..=i32::MAX as usize).contains(&row), "cells lie a row from either end");
    let slowness = speeds.0;
    assert!(UNIFORM || slowness.len() == times.len(), "every cell takes its time");
    let look = |times: &[i32], some: &[u64], offers: &mut [u64; OFFERS]| {
        let (mut count, mut marks) = (0, _mm256_setzero_si256());
        let mut made_up;
        for taken in some.chunks(8) {
            let eight = if let Some(eight) = taken.first_chunk() {
                eight
            } else {
                // With what got earlier in the meantime, for no time is negative.
                made_up = [taken[0] ^ 1 << 63; 8];
                made_up[..taken.len()].copy_from_slice(taken);
                &made_up
            };
            (count, marks) =
                look_eight::<UNIFORM>(times, slowness, row, eight, offers, (count, marks));
        }
        let corners = _mm256_set1_epi32(CORNER);
        (count, if _mm256_testz_si256(marks, corners) == 1 { 0 } else { CORNER })
    };
    super::take_while::<UNIFORM>(times, speeds, queue, look, more);
}

/// By which of eight offers are good, as bits: where the good ones are, an offer a byte; and from bit
/// 59 on, how many. Interleaving within halves gives the first four, then the others.
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

/// [`look`](super::look) for eight cells.
#[target_feature(enable = "avx2")]
#[inline]
fn look_eight<const UNIFORM: bool>(
    times: &[i32],
    slowness: &[i32],
    row: usize,
    taken: &[u64; 8],
    offers: &mut [u64; OFFERS],
    (mut count, mut marks): (usize, __m256i),
) -> (usize, __m256i) {
    // SAFETY: the two halves of an array.
    let [a, b] = unsafe {
        let from = taken.as_ptr().cast::<__m256>();
        [_mm256_loadu_ps(from.cast()), _mm256_loadu_ps(from.add(1).cast())]
    };
    let cell = in_order(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
    let time = in_order(_mm256_shuffle_ps::<0b11_01_11_01>(a, b));

    // A row lies before each of them, a row and three cells after.
    let first = _mm256_set1_epi32(row as i32);
    let last = _mm256_set1_epi32((times.len() - row - 4) as i32);
    let outside = _mm256_or_si256(_mm256_cmpgt_epi32(first, cell), _mm256_cmpgt_epi32(cell, last));
    assert!(_mm256_testz_si256(outside, outside) == 1, "a cell of the edge is open");
    // SAFETY: as asserted, and `slowness` is as long as `times`.
    let [up, left, here, right, down] = unsafe { cross(times, row, taken) };
    let old = [up, left, right, down];
    let beside = _mm256_sub_epi32(time, _mm256_min_epi32(left, right));
    let above = _mm256_sub_epi32(time, _mm256_min_epi32(up, down));
    let new = if UNIFORM {
        let [beside, above] = [beside, above]
            .map(|lead| _mm256_add_epi32(time, after(lead, _mm256_set1_epi32(UNIT))));
        [beside, above, above, beside]
    } else {
        // SAFETY: as above.
        let [up, left, here, right, down] = unsafe { cross(slowness, row, taken) };
        marks = _mm256_or_si256(marks, here);
        let bits = _mm256_set1_epi32(!CORNER);
        let offer = |lead, each| _mm256_add_epi32(time, after(lead, _mm256_and_si256(each, bits)));
        [offer(beside, up), offer(above, left), offer(above, right), offer(beside, down)]
    };

    // Turns walls, and them alone, into what nothing is earlier than. Who got earlier in the meantime
    // offers nothing.
    let one = _mm256_set1_epi32(1);
    let fresh = _mm256_cmpeq_epi32(here, time);
    let good: [__m256i; 4] = std::array::from_fn(|k| {
        let [old, new] = [old[k], new[k]].map(|time| _mm256_add_epi32(time, one));
        _mm256_and_si256(_mm256_cmpgt_epi32(old, new), fresh)
    });
    // As bits, the offers of each cell side by side.
    let good = _mm256_packs_epi16(
        _mm256_packs_epi32(good[0], good[1]),
        _mm256_packs_epi32(good[2], good[3]),
    );
    let by_cell = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    let good = _mm256_shuffle_epi8(good, _mm256_broadcastsi128_si256(by_cell));
    let good = _mm256_movemask_epi8(good) as u32;

    let r = row as i32;
    let aside = _mm256_setr_epi32(-r, -1, 1, r, -r, -1, 1, r);
    for pair in 0..4 {
        let bits = good >> (8 * pair) & 0xff;
        let two = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
        let two = _mm256_add_epi32(two, _mm256_set1_epi32(2 * pair));
        let of_two = |x| _mm256_permutevar8x32_epi32(x, two);
        let [ends, sides] = if UNIFORM {
            [of_two(new[0]), of_two(new[1])]
        } else {
            let [up, left, right, down] = new.map(of_two);
            [
                _mm256_blend_epi32::<0b1000_1000>(up, down),
                _mm256_blend_epi32::<0b0100_0100>(left, right),
            ]
        };
        let times = _mm256_blend_epi32::<0b0110_0110>(ends, sides);
        let cells = _mm256_add_epi32(of_two(cell), aside);

        let good = GOOD[bits as usize];
        let places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(good as i64));
        let times = _mm256_permutevar8x32_epi32(times, places);
        let cells = _mm256_permutevar8x32_epi32(cells, places);
        let to = offers[count..][..8].as_mut_ptr().cast::<__m256i>();
        // SAFETY: the two halves of eight offers.
        unsafe {
            _mm256_storeu_si256(to, _mm256_unpacklo_epi32(cells, times));
            _mm256_storeu_si256(to.add(1), _mm256_unpackhi_epi32(cells, times));
        }
        count += (good >> 59) as usize;
    }
    (count, marks)
}

/// What lies above eight cells, to their left, there, to their right and below.
///
/// # Safety
/// A row lies before each cell in the array, and a row and three values after it; a row is a cell at least.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn cross(array: &[i32], row: usize, taken: &[u64; 8]) -> [__m256i; 5] {
    // Four values from each cell on, or from one beside, turned into columns: gathers take longer.
    let rows = |offset: isize| {
        let from = array.as_ptr().wrapping_offset(offset);
        // SAFETY: the caller's promise.
        unsafe {
            [two(from, taken, 0), two(from, taken, 1), two(from, taken, 2), two(from, taken, 3)]
        }
    };
    let stride = row as isize;
    let [above, near, below] = [rows(-stride), rows(-1), rows(stride)];
    let low =
        |[a, b, c, d]: [__m256i; 4]| [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
    let high =
        |[a, b, c, d]: [__m256i; 4]| [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
    let first = |[ab, cd]: [__m256i; 2]| _mm256_unpacklo_epi64(ab, cd);
    let second = |[ab, cd]: [__m256i; 2]| _mm256_unpackhi_epi64(ab, cd);
    [first(low(above)), first(low(near)), second(low(near)), first(high(near)), first(low(below))]
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
    let whole = _mm256_set1_ps(WHOLE);
    let shifted = _mm256_add_ps(not_negative(after), whole);
    _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_castps_si256(whole))
}

#[target_feature(enable = "avx2")]
#[inline]
fn not_negative(x: __m256) -> __m256 {
    _mm256_max_ps(x, _mm256_setzero_ps())
}
