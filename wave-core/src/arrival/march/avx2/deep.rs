//! Deep grids.

use super::super::offers::{AT_ONCE, OFFERS, SQRT_3};
use super::super::{CORNER, UNIT};
use super::{
    assert_inside, better, cells_and_times, found_in_all, in_eights, not_negative, one, put,
    rounded, rows, three,
};
use std::arch::x86_64::*;
use std::f32::consts::SQRT_2;

/// [`look`](super::super::look) for several cells.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn look<const UNIFORM: bool>(
    arrays: [&[i32]; 2],
    apart: [usize; 2],
    some: &[u64],
    offers: &mut [u64; OFFERS],
) -> (usize, i32) {
    let mut made_up = [0; AT_ONCE];
    let mut found = (0, _mm256_setzero_si256());
    for eight in in_eights(some, &mut made_up) {
        found = look_eight::<UNIFORM>(arrays, apart, eight, offers, found);
    }
    found_in_all(found)
}

/// [`look`](super::super::look) for eight cells.
#[target_feature(enable = "avx2")]
#[inline]
fn look_eight<const UNIFORM: bool>(
    [times, slowness]: [&[i32]; 2],
    [row, plane]: [usize; 2],
    taken: &[u64; 8],
    offers: &mut [u64; OFFERS],
    (mut count, mut marks): (usize, __m256i),
) -> (usize, __m256i) {
    let [cell, time] = cells_and_times(taken);
    assert_inside(cell, plane + row + 1, times.len());
    let (y, z) = (row as isize, plane as isize);
    // SAFETY: no offset here is more than asserted; `slowness`, where it is read, is as long, as
    // `take_while` asserts.
    let beside = |array: &[i32], offset: isize| unsafe { rows(array, taken, offset) };

    // By offsets along x, y and z: `a` before, `b` behind, `o` none.
    let [aoo, here, boo] = three(beside(times, -1));
    let [aao, oao, bao] = three(beside(times, -y - 1));
    let [abo, obo, bbo] = three(beside(times, y - 1));
    let [aoa, ooa, boa] = three(beside(times, -z - 1));
    let [aob, oob, bob] = three(beside(times, z - 1));
    let [oaa, oba] = [one(beside(times, -y - z)), one(beside(times, y - z))];
    let [oab, obb] = [one(beside(times, z - y)), one(beside(times, z + y))];
    // The earliest neighbour to the side, and its earlier neighbour to the other side.
    let along_x = earliest(&[(oao, oaa, oab), (obo, oba, obb), (ooa, oaa, oba), (oob, oab, obb)]);
    let along_y = earliest(&[(aoo, aoa, aob), (boo, boa, bob), (ooa, aoa, boa), (oob, aob, bob)]);
    let along_z = earliest(&[(aoo, aao, abo), (boo, bao, bbo), (oao, aao, bao), (obo, abo, bbo)]);

    let old = [ooa, oao, aoo, boo, obo, oob];
    let new = if UNIFORM {
        let each = _mm256_set1_epi32(UNIT);
        let [x, y, z] =
            [offer(time, along_x, each), offer(time, along_y, each), offer(time, along_z, each)];
        [z, y, x, x, y, z]
    } else {
        let [aoo, here, boo] = three(beside(slowness, -1));
        marks = _mm256_or_si256(marks, here);
        let [oao, obo] = [one(beside(slowness, -y)), one(beside(slowness, y))];
        let [ooa, oob] = [one(beside(slowness, -z)), one(beside(slowness, z))];
        [
            offer(time, along_z, ooa),
            offer(time, along_y, oao),
            offer(time, along_x, aoo),
            offer(time, along_x, boo),
            offer(time, along_y, obo),
            offer(time, along_z, oob),
        ]
    };

    // A cell that got an earlier time in the meantime offers nothing.
    let fresh = _mm256_cmpeq_epi32(here, time);
    let offsets = [-z, -y, -1, 1, y, z];
    for k in 0..6 {
        let good = better(new[k], old[k], fresh);
        count = put(good, cell, offsets[k] as i32, new[k], offers, count);
    }
    (count, marks)
}

/// The earliest of four neighbours, the first one if there are several, and the earlier one of two
/// that follow it.
#[target_feature(enable = "avx2")]
#[inline]
fn earliest(sides: &[(__m256i, __m256i, __m256i); 4]) -> [__m256i; 2] {
    let &[(mut first, a, b), ref others @ ..] = sides;
    let mut second = _mm256_min_epi32(a, b);
    for &(time, a, b) in others {
        let earlier = _mm256_cmpgt_epi32(first, time);
        second = _mm256_blendv_epi8(second, _mm256_min_epi32(a, b), earlier);
        first = _mm256_min_epi32(first, time);
    }
    [first, second]
}

/// When neighbours that take `each` are reached from cells reached at `time`, by the [`earliest`]
/// to the side.
#[target_feature(enable = "avx2")]
#[inline]
fn offer(time: __m256i, [first, second]: [__m256i; 2], each: __m256i) -> __m256i {
    let [lead, further] = [_mm256_sub_epi32(time, first), _mm256_sub_epi32(first, second)];
    let each = _mm256_and_si256(each, _mm256_set1_epi32(!CORNER));
    _mm256_add_epi32(time, after_face(lead, further, each))
}

/// [`through_face`](super::super::offers::through_face) of whole numbers, rounded.
#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::arrival) fn after_face(lead: __m256i, further: __m256i, each: __m256i) -> __m256i {
    rounded(through_face(
        _mm256_cvtepi32_ps(lead),
        _mm256_cvtepi32_ps(further),
        _mm256_cvtepi32_ps(each),
    ))
}

/// [`through_face`](super::super::offers::through_face).
#[target_feature(enable = "avx2")]
#[inline]
fn through_face(lead: __m256, further: __m256, each: __m256) -> __m256 {
    let times = |factor: f32, x| _mm256_mul_ps(_mm256_set1_ps(factor), x);
    let lead = _mm256_min_ps(not_negative(lead), each);
    let further = not_negative(further);
    let square = |x| _mm256_mul_ps(x, x);
    let root = |x| _mm256_sqrt_ps(not_negative(x));
    let rest = _mm256_sub_ps(square(each), square(lead));
    let across = root(_mm256_sub_ps(rest, square(_mm256_min_ps(further, lead))));
    let edge = root(_mm256_sub_ps(square(each), square(further)));
    let edge = _mm256_sub_ps(times(SQRT_2, edge), lead);
    let end = _mm256_sub_ps(_mm256_sub_ps(times(SQRT_3, each), lead), further);
    let within = _mm256_cmp_ps::<_CMP_LE_OQ>(times(SQRT_3, further), each);
    let beyond = _mm256_blendv_ps(end, edge, within);
    let after = _mm256_blendv_ps(beyond, across, _mm256_cmp_ps::<_CMP_GE_OQ>(across, lead));
    _mm256_max_ps(after, times(SQRT_3 - SQRT_2, each))
}
