//! One step of a block of rows, compiled for every instruction set from one source.

#![allow(unsafe_code)] // vector instructions and raw memory; see the SAFETY notes
#![allow(clippy::inline_always)] // what is not inlined is compiled without the instruction set

use crate::lanes::{Lanes, Plain};
use crate::layout::BLOCK;
use crate::real::Real;
use crate::simd::Simd;
use crate::step::Damping;
use crate::tiles::Patch;

/// What a kernel reads and writes: the whole storage, and where cells and their neighbours lie.
#[derive(Clone, Copy)]
pub struct Pass<S> {
    /// On deep grids with k: [`Packed`](crate::packed::Packed).
    pub(crate) delta: *const S,
    /// Read on flat grids only.
    pub(crate) centre: *const S,
    /// Even levels and odd ones. A step reads z of the level before from the one, and `z_prev` from
    /// the other, which it overwrites.
    pub(crate) buffers: [*mut S; 2],
    pub(crate) lead: usize,
    pub(crate) row: usize,
    pub(crate) plane: usize,
    pub(crate) damping: Damping<S>,
}

/// A [`Pass`] to one level.
#[derive(Clone, Copy)]
struct Step<S> {
    delta: *const S,
    centre: *const S,
    z: *const S,
    out: *mut S,
    row: usize,
    plane: usize,
    damping: Damping<S>,
    /// Cells from one that is stepped to one that memory is asked for.
    ahead: usize,
}

impl<S: Copy> Step<S> {
    fn new(pass: &Pass<S>, level: usize, ahead: usize) -> Self {
        let Pass { delta, centre, row, plane, damping, .. } = *pass;
        let [out, z] = [level, level + 1].map(|level| pass.buffers[level % 2]);
        Self { delta, centre, z, out, row, plane, damping, ahead }
    }
}

/// `kernel(pass, patches)` steps the patches in their order. A call for each of them would take a
/// tenth longer where they are small.
///
/// # Safety
/// The processor has the instruction set. In all arrays the cells of the patches are in storage, in
/// both buffers their neighbours and a block to either side too, and no other thread writes what is
/// read or touches what is written. The padding that whole blocks take in behind rows, between the rows of a
/// plane that is stepped as one row and behind its last is stepped with them: it holds 0 in both buffers and no
/// open cell's delta.
pub(crate) type Kernel<S> = unsafe fn(pass: &Pass<S>, patches: &[Patch]);

/// Rows of a plane that share the loads of the rows between them: 1.15x over one at a time.
pub(crate) const ROWS: usize = 4;
/// Planes that share likewise, in two rows of each: 1.06x over four rows of one plane.
pub(crate) const PLANES: usize = 2;

/// Cells that a kernel asks memory for ahead of those it steps, where it takes several rows at once.
pub(crate) const NEAR: usize = 80;
/// Where it runs through the rows of a plane one after the other: few streams, each as long as can be,
/// are what memory delivers fastest. Step by step 1.2x over several rows at once.
pub(crate) const FAR: usize = 512;

#[inline(always)]
unsafe fn all_rows<L: Lanes, const DEEP: bool, const DAMPED: bool, const AHEAD: usize>(
    pass: &Step<L::Real>,
    first: usize,
    [planes, rows, blocks]: [usize; 3],
) {
    if DEEP && AHEAD == FAR {
        for plane in 0..planes {
            // SAFETY: the caller's promise holds for every plane.
            unsafe { run_of_rows::<L, DAMPED>(pass, first + plane * pass.plane, rows, blocks) };
        }
        return;
    }
    if L::N == 1 {
        // One row at a time is what the compiler makes vectors of by itself.
        for plane in 0..planes {
            for row in 0..rows {
                let at = first + plane * pass.plane + row * pass.row;
                // SAFETY: the caller's promise holds for every row.
                unsafe { some_rows::<L, 1, 1, DEEP, DAMPED, AHEAD>(pass, at, blocks) };
            }
        }
        return;
    }
    let pairs = if DEEP { planes / PLANES } else { 0 };
    // SAFETY: the caller's promise holds for every part of the planes.
    unsafe {
        for pair in 0..pairs {
            let mut at = first + pair * PLANES * pass.plane;
            for _ in 0..rows / 2 {
                some_rows::<L, 2, 4, DEEP, DAMPED, AHEAD>(pass, at, blocks);
                at += 2 * pass.row;
            }
            if rows % 2 > 0 {
                some_rows::<L, 1, 2, DEEP, DAMPED, AHEAD>(pass, at, blocks);
            }
        }
        for plane in pairs * PLANES..planes {
            let mut at = first + plane * pass.plane;
            for _ in 0..rows / ROWS {
                some_rows::<L, ROWS, ROWS, DEEP, DAMPED, AHEAD>(pass, at, blocks);
                at += ROWS * pass.row;
            }
            if rows % ROWS >= 2 {
                some_rows::<L, 2, 2, DEEP, DAMPED, AHEAD>(pass, at, blocks);
                at += 2 * pass.row;
            }
            if rows % 2 > 0 {
                some_rows::<L, 1, 1, DEEP, DAMPED, AHEAD>(pass, at, blocks);
            }
        }
    }
}

/// Steps rows of a plane one after the other.
#[inline(always)]
unsafe fn run_of_rows<L: Lanes, const DAMPED: bool>(
    pass: &Step<L::Real>,
    first: usize,
    rows: usize,
    blocks: usize,
) {
    // Rows with no block between them are one run, padding included, where they come to whole blocks:
    // what lies in the padding is 0 and stays so.
    let gapless = pass.row < (blocks + 1) * BLOCK && pass.row.is_multiple_of(BLOCK / 4);
    let run = if gapless { rows / 4 * 4 } else { 0 };
    let cells = run * pass.row;
    // What follows on the last cells are the first of the plane behind.
    let last = cells.min(FAR);
    let turn = Step { ahead: pass.plane + last - cells, ..*pass };
    // SAFETY: the caller's promise; the padding of a row is in storage and stepped with it.
    unsafe {
        some_rows::<L, 1, 1, true, DAMPED, FAR>(pass, first, (cells - last) / BLOCK);
        some_rows::<L, 1, 1, true, DAMPED, FAR>(&turn, first + cells - last, last / BLOCK);
        for row in run..rows {
            some_rows::<L, 1, 1, true, DAMPED, FAR>(pass, first + row * pass.row, blocks);
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
    const AHEAD: usize,
>(
    pass: &Step<L::Real>,
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
                if AHEAD > 0 && L::N > 1 {
                    let ahead = i + pass.ahead;
                    fetch(pass.z, ahead + if DEEP { plane } else { row });
                    fetch(pass.out, ahead);
                    fetch(pass.delta, ahead);
                    if !DEEP {
                        fetch(pass.centre, ahead);
                    }
                }
                let delta = L::load(pass.delta.add(i));
                let free = if DEEP {
                    let [delta, k] = delta.unpacked();
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
            pub(super) unsafe fn run<const DEEP: bool, const DAMPED: bool, const AHEAD: usize>(
                pass: &Pass<<$lanes as Lanes>::Real>, patches: &[Patch],
            ) {
                for Patch { level, planes, rows, blocks } in patches {
                    let [z, y, x] = [planes, rows, blocks].map(|range| range.start as usize);
                    let first = pass.lead + z * pass.plane + y * pass.row + x * BLOCK;
                    let size = [planes, rows, blocks].map(ExactSizeIterator::len);
                    let step = Step::new(pass, *level, AHEAD);
                    // SAFETY: the caller's promise.
                    unsafe { all_rows::<$lanes, DEEP, DAMPED, AHEAD>(&step, first, size) }
                }
            }
            pub(super) fn choose<const AHEAD: usize>(
                deep: bool, damped: bool,
            ) -> Kernel<<$lanes as Lanes>::Real> {
                match (deep, damped) {
                    (false, false) => run::<false, false, AHEAD>,
                    (false, true) => run::<false, true, AHEAD>,
                    (true, false) => run::<true, false, AHEAD>,
                    (true, true) => run::<true, true, AHEAD>,
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
    fn kernel<const AHEAD: usize>(simd: Simd, deep: bool, damped: bool) -> Kernel<Self>;
}

impl Kernels for f32 {
    fn kernel<const AHEAD: usize>(simd: Simd, deep: bool, damped: bool) -> Kernel<Self> {
        match simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Sse2 => sse2_f32::choose::<AHEAD>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => avx2_f32::choose::<AHEAD>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => avx512_f32::choose::<AHEAD>(deep, damped),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => neon_f32::choose::<AHEAD>(deep, damped),
            _ => scalar_f32::choose::<AHEAD>(deep, damped),
        }
    }
}

impl Kernels for f64 {
    fn kernel<const AHEAD: usize>(simd: Simd, deep: bool, damped: bool) -> Kernel<Self> {
        match simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Sse2 => sse2_f64::choose::<AHEAD>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => avx2_f64::choose::<AHEAD>(deep, damped),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => avx512_f64::choose::<AHEAD>(deep, damped),
            #[cfg(target_arch = "aarch64")]
            Simd::Neon => neon_f64::choose::<AHEAD>(deep, damped),
            _ => scalar_f64::choose::<AHEAD>(deep, damped),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::march::tests::dice;
    use crate::packed::Packed;
    use proptest::prelude::*;
    use std::ops::Range;

    /// Planes of rows of `width` cells, of which only those inside are not 0.
    struct Grid {
        size: [usize; 3],
        row: usize,
        values: Vec<f32>,
    }

    impl Grid {
        const LEAD: usize = 64;

        fn new(size: [usize; 3], row: usize, random: &mut impl FnMut(u64) -> u64) -> Self {
            let plane = row * (size[1] + 2);
            let mut grid =
                Self { size, row, values: vec![0.0; plane * (size[0] + 2) + 2 * Self::LEAD] };
            for [z, y, x] in grid.cells() {
                let i = grid.first() + z * plane + y * row + x;
                // A tenth of them walls, where the grid is one of speeds.
                let value = random(1 << 24) as f32 / (1 << 24) as f32;
                grid.values[i] = if value < 0.1 { 0.0 } else { value };
            }
            grid
        }

        fn plane(&self) -> usize {
            self.row * (self.size[1] + 2)
        }

        fn first(&self) -> usize {
            Self::LEAD + self.plane() + self.row
        }

        fn cells(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
            let [planes, rows, width] = self.size;
            (0..planes)
                .flat_map(move |z| (0..rows).flat_map(move |y| (0..width).map(move |x| [z, y, x])))
        }
    }

    /// The bits of both buffers after two levels of all rows, by a kernel of `simd`.
    fn stepped(
        ahead: usize,
        simd: Simd,
        damped: bool,
        size: [usize; 3],
        row: usize,
    ) -> [Vec<u32>; 2] {
        let [planes, rows, width] = size;
        let mut random = dice();
        let grids = [(); 4].map(|()| Grid::new(size, row, &mut random));
        let (plane, lead) = (grids[0].plane(), grids[0].first());
        let [mut delta, centre, mut even, mut odd] = grids.map(|grid| grid.values);
        if planes > 1 {
            for (i, delta) in delta.iter_mut().enumerate() {
                *delta = match *delta {
                    open if open > 0.0 => f32::pack(open, (i % 7) as u8),
                    _ if i % 2 == 0 => -0.25,
                    _ => f32::OUTSIDE,
                };
            }
        }
        let pass = Pass {
            delta: delta.as_ptr(),
            centre: centre.as_ptr(),
            buffers: [even.as_mut_ptr(), odd.as_mut_ptr()],
            lead,
            row,
            plane,
            damping: Damping::new(if damped { 0.25 } else { 0.0 }),
        };
        let whole = |count: usize| -> Range<u32> { 0..count as u32 };
        let (planes, rows, blocks) = (whole(planes), whole(rows), whole(width.div_ceil(BLOCK)));
        let patches = [1, 2].map(|level| Patch {
            level,
            planes: planes.clone(),
            rows: rows.clone(),
            blocks: blocks.clone(),
        });
        let deep = planes.len() > 1;
        let kernel = match ahead {
            NEAR => f32::kernel::<NEAR>(simd, deep, damped),
            FAR => f32::kernel::<FAR>(simd, deep, damped),
            _ => f32::kernel::<0>(simd, deep, damped),
        };
        // SAFETY: the set is available; a lead, a plane and a row of zeros stand around the cells.
        unsafe { kernel(&pass, &patches) };
        [even, odd].map(|buffer| buffer.into_iter().map(f32::to_bits).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 200 })
        })]

        /// Whether rows are run through with their padding, taken one by one, or several at once.
        #[test]
        fn kernels_that_fetch_ahead_step_the_same(
            planes in 1..5usize, rows in 1..30usize, blocks in 1..4usize, gap in 0..3usize, damped: bool,
        ) {
            // No padding but a quarter of a block, as on large grids; a block; or part of one.
            let (width, row) = [(blocks * 16, blocks * 16 + 4), (blocks * 16, blocks * 16 + 16), (blocks * 16 - 3, blocks * 16)][gap];
            let size = [planes, rows, width];
            let expected = stepped(0, Simd::Scalar, damped, size, row);
            for simd in Simd::available() {
                for ahead in [0, NEAR, FAR] {
                    prop_assert!(stepped(ahead, simd, damped, size, row) == expected, "{simd:?} {ahead}");
                }
            }
        }
    }
}
