//! One step of a block of rows, compiled for every instruction set from one source.

#![allow(unsafe_code)] // vector instructions and raw memory; see the SAFETY notes
#![allow(clippy::inline_always)] // what is not inlined is compiled without the instruction set

use crate::lanes::{Lanes, Plain};
use crate::layout::BLOCK;
use crate::real::Real;
use crate::simd::Simd;
use crate::step::Damping;

/// What a kernel reads and writes: the whole storage, and where neighbours lie.
#[derive(Clone, Copy)]
pub struct Pass<S> {
    pub(crate) delta: *const S,
    /// Read on deep grids only.
    pub(crate) k: *const u8,
    /// Read on flat grids only.
    pub(crate) centre: *const S,
    pub(crate) z: *const S,
    /// Read for `z_prev`, overwritten by the next z.
    pub(crate) out: *mut S,
    pub(crate) row: usize,
    pub(crate) plane: usize,
    pub(crate) damping: Damping<S>,
}

/// `kernel(pass, first, [planes, rows, blocks])` steps so many blocks of rows of planes, the first
/// at storage index `first`.
///
/// # Safety
/// The processor has the instruction set. In all four arrays the cells stepped are in storage, in
/// `z` their neighbours too, and no other thread writes what is read or touches what is written.
pub(crate) type Kernel<S> = unsafe fn(pass: &Pass<S>, first: usize, size: [usize; 3]);

/// Rows of a plane that share the loads of the rows between them: 1.15x over one at a time.
pub(crate) const ROWS: usize = 4;
/// Planes that share likewise, in two rows of each: 1.06x over four rows of one plane.
pub(crate) const PLANES: usize = 2;

/// Cells that a fetching kernel asks memory for ahead of those it steps.
const AHEAD: usize = 80;

#[inline(always)]
unsafe fn all_rows<L: Lanes, const DEEP: bool, const DAMPED: bool, const FETCH: bool>(
    pass: &Pass<L::Real>,
    first: usize,
    [planes, rows, blocks]: [usize; 3],
) {
    let pairs = if DEEP { planes / PLANES } else { 0 };
    // SAFETY: the caller's promise holds for every part of the planes.
    unsafe {
        for pair in 0..pairs {
            let mut at = first + pair * PLANES * pass.plane;
            for _ in 0..rows / 2 {
                some_rows::<L, 2, 4, DEEP, DAMPED, FETCH>(pass, at, blocks);
                at += 2 * pass.row;
            }
            if rows % 2 > 0 {
                some_rows::<L, 1, 2, DEEP, DAMPED, FETCH>(pass, at, blocks);
            }
        }
        for plane in pairs * PLANES..planes {
            let mut at = first + plane * pass.plane;
            for _ in 0..rows / ROWS {
                some_rows::<L, ROWS, ROWS, DEEP, DAMPED, FETCH>(pass, at, blocks);
                at += ROWS * pass.row;
            }
            if rows % ROWS >= 2 {
                some_rows::<L, 2, 2, DEEP, DAMPED, FETCH>(pass, at, blocks);
                at += 2 * pass.row;
            }
            if rows % 2 > 0 {
                some_rows::<L, 1, 1, DEEP, DAMPED, FETCH>(pass, at, blocks);
            }
        }
    }
}

/// Steps `N` rows, `TALL` of each plane.
///
/// `z' = ((delta * sum + (2 - k * delta) * z) - (1 - m) * z_prev) / (1 + m)` with
/// `sum = ((left + right) + (up + down)) + (front + back)`; what is undamped or flat leaves out
/// what would change no bit.
#[inline(always)]
unsafe fn some_rows<
    L: Lanes,
    const TALL: usize,
    const N: usize,
    const DEEP: bool,
    const DAMPED: bool,
    const FETCH: bool,
>(
    pass: &Pass<L::Real>,
    first: usize,
    blocks: usize,
) {
    let (row, plane) = (pass.row, pass.plane);
    // SAFETY: every cell stepped and every neighbour lies in storage, by the caller's promise.
    // The lanes of one iteration are read before any is written, and later ones read from `out`
    // only what has not been written.
    unsafe {
        let two = L::splat(L::Real::ONE + L::Real::ONE);
        let (keep, scale) = (L::splat(pass.damping.keep), L::splat(pass.damping.scale));
        // Before the storage itself, so only to be added to.
        let (above, below) = (pass.z.wrapping_sub(row), pass.z.wrapping_add(row));
        let mut index: [usize; N] =
            std::array::from_fn(|r| first + r % TALL * row + r / TALL * plane);
        let (mut before, mut here) = ([two; N], [two; N]);
        for r in 0..N {
            before[r] = L::load(pass.z.add(index[r]).sub(L::N));
            here[r] = L::load(pass.z.add(index[r]));
        }
        let end = first + blocks * BLOCK;
        while index[0] < end {
            let mut after = here;
            for (after, index) in after.iter_mut().zip(&mut index) {
                *index = L::hidden(*index);
                *after = L::load(pass.z.add(*index + L::N));
            }
            let mut next = here;
            for r in 0..N {
                let i = index[r];
                let z = pass.z.add(i);
                let up = if r % TALL == 0 { L::load(above.wrapping_add(i)) } else { here[r - 1] };
                let down =
                    if r % TALL + 1 == TALL { L::load(below.wrapping_add(i)) } else { here[r + 1] };
                let [left, right] = L::sides(z, before[r], here[r], after[r]);
                let mut sum = left.add(right).add(up.add(down));
                if DEEP {
                    let back = if r < TALL { L::load(z.sub(plane)) } else { here[r - TALL] };
                    let front = if r + TALL >= N { L::load(z.add(plane)) } else { here[r + TALL] };
                    sum = sum.add(back.add(front));
                }
                if FETCH {
                    let ahead = i + AHEAD;
                    fetch(pass.z, ahead + if DEEP { plane } else { row });
                    fetch(pass.out, ahead);
                    fetch(pass.delta, ahead);
                    if DEEP {
                        fetch(pass.k, ahead);
                    } else {
                        fetch(pass.centre, ahead);
                    }
                }
                let delta = L::load(pass.delta.add(i));
                let free = if DEEP {
                    let delta = delta.positive();
                    let k = L::load_bytes(pass.k.add(i));
                    delta.mul(sum).add(two.sub(k.mul(delta)).mul(here[r]))
                } else {
                    let centre = L::load(pass.centre.add(i));
                    delta.mul(sum).add(centre.mul(here[r]))
                };
                let prev = L::load(pass.out.add(i));
                next[r] = if DAMPED {
                    free.sub(keep.mul(prev)).mul(scale).floored()
                } else {
                    free.sub(prev).floored()
                };
            }
            for (next, index) in next.into_iter().zip(&mut index) {
                next.store(pass.out.add(*index));
                *index += L::N;
            }
            (before, here) = (here, after);
        }
    }
}

/// Asks memory for the cache line of cell `i`.
#[inline(always)]
fn fetch<T>(array: *const T, i: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: part of every x86-64 processor, and never reads in the sense of the language.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(array.wrapping_add(i).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (array, i);
}

/// The kernel of one instruction set, for flat and deep grids, undamped and damped.
macro_rules! kernel {
    ($simd:ident, $lanes:ty $(, $feature:literal)?) => {
        #[allow(clippy::missing_safety_doc)]
        mod $simd {
            use super::*;
            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn run<const DEEP: bool, const DAMPED: bool, const FETCH: bool>(
                pass: &Pass<<$lanes as Lanes>::Real>, first: usize, size: [usize; 3],
            ) {
                // SAFETY: the caller's promise.
                unsafe { all_rows::<$lanes, DEEP, DAMPED, FETCH>(pass, first, size) }
            }
            pub(super) fn choose<const FETCH: bool>(
                deep: bool, damped: bool,
            ) -> Kernel<<$lanes as Lanes>::Real> {
                match (deep, damped) {
                    (false, false) => run::<false, false, FETCH>,
                    (false, true) => run::<false, true, FETCH>,
                    (true, false) => run::<true, false, FETCH>,
                    (true, true) => run::<true, true, FETCH>,
                }
            }
        }
    };
}

kernel!(scalar_f32, Plain<f32, 1>);
kernel!(scalar_f64, Plain<f64, 1>);
#[cfg(target_arch = "aarch64")]
kernel!(neon_f32, Plain<f32, 4>, "neon");
#[cfg(target_arch = "aarch64")]
kernel!(neon_f64, Plain<f64, 2>, "neon");
#[cfg(target_arch = "x86_64")]
kernel!(sse2_f32, crate::lanes::x86::Sse2F32, "sse2");
#[cfg(target_arch = "x86_64")]
kernel!(sse2_f64, crate::lanes::x86::Sse2F64, "sse2");
#[cfg(target_arch = "x86_64")]
kernel!(avx2_f32, crate::lanes::x86::Avx2F32, "avx2");
#[cfg(target_arch = "x86_64")]
kernel!(avx2_f64, crate::lanes::x86::Avx2F64, "avx2");
#[cfg(target_arch = "x86_64")]
kernel!(avx512_f32, crate::lanes::x86::Avx512F32, "avx512f");
#[cfg(target_arch = "x86_64")]
kernel!(avx512_f64, crate::lanes::x86::Avx512F64, "avx512f");

/// The kernels of a number format. A set that the target does not have gives the scalar twin.
pub trait Kernels: Sized {
    /// The kernel that uses `simd`, on grids of several planes or of one.
    fn kernel<const FETCH: bool>(simd: Simd, deep: bool, damped: bool) -> Kernel<Self>;
}

impl Kernels for f32 {
    fn kernel<const FETCH: bool>(simd: Simd, deep: bool, damped: bool) -> Kernel<Self> {
        match simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Sse2 => sse2_f32::choose::<FETCH>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => avx2_f32::choose::<FETCH>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => avx512_f32::choose::<FETCH>(deep, damped),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => neon_f32::choose::<FETCH>(deep, damped),
            _ => scalar_f32::choose::<FETCH>(deep, damped),
        }
    }
}

impl Kernels for f64 {
    fn kernel<const FETCH: bool>(simd: Simd, deep: bool, damped: bool) -> Kernel<Self> {
        match simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Sse2 => sse2_f64::choose::<FETCH>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => avx2_f64::choose::<FETCH>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => avx512_f64::choose::<FETCH>(deep, damped),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => neon_f64::choose::<FETCH>(deep, damped),
            _ => scalar_f64::choose::<FETCH>(deep, damped),
        }
    }
}
