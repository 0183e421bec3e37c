//! One step of a block of rows, compiled for every instruction set from one source.

#![allow(unsafe_code)] // vector instructions and raw memory; see the SAFETY notes
#![allow(clippy::inline_always)] // what is not inlined is compiled without the instruction set

use crate::dense::coefficients::Coefficients;
use crate::dense::kinds::Table;
use crate::dense::lanes::{Lanes, LookUp, Plain};
use crate::dense::real::Real;
use crate::dense::run::Run;
use crate::dense::source::Pulse;
use crate::dense::step::Damping;
use crate::dense::storage::BLOCK;
use crate::dense::tiles::Patch;
use crate::simd::{Simd, prefetch};

/// The memory of a kernel: the whole storage, and where cells and their neighbours lie.
#[derive(Clone, Copy)]
pub struct Pass<S> {
    pub(crate) medium: Arrays<S>,
    /// Even levels and odd ones. A step reads z of the level before from one buffer, and `z_prev`
    /// from the other, which it overwrites.
    pub(crate) buffers: [*mut S; 2],
    pub(crate) lead: usize,
    pub(crate) row: usize,
    pub(crate) plane: usize,
    pub(crate) damping: Damping<S>,
}

/// Where delta and `2 - k * delta` are. A kernel is of one form and reads only the arrays of that
/// form.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX2 and AVX-512 look them up"))]
pub(crate) struct Arrays<S> {
    /// On deep grids together with k: [`Packed`](crate::dense::packed::Packed).
    pub(crate) delta: *const S,
    /// On flat grids.
    pub(crate) centre: *const S,
    /// In place of both, with the table that they are looked up in.
    pub(crate) kinds: *const u8,
    pub(crate) table: *const Table<S>,
}

/// A form of coefficients, for lanes.
trait Read<L: Lanes>: Copy {
    /// # Safety
    /// The processor has the instruction set, and the arrays of the form are there.
    unsafe fn new(from: &Arrays<L::Real>) -> Self;
    /// delta and `2 - k * delta` of the cells from `i` on.
    ///
    /// # Safety
    /// The processor has the instruction set, and the cells are in storage; kinds are below what it
    /// can look up.
    unsafe fn read(self, i: usize) -> [L; 2];
    /// Asks memory for what belongs to cell `i`.
    fn ask(self, i: usize);
}

#[derive(Clone, Copy)]
struct Stored<S>(*const S, *const S);

impl<L: Lanes> Read<L> for Stored<L::Real> {
    #[inline(always)]
    unsafe fn new(from: &Arrays<L::Real>) -> Self {
        Self(from.delta, from.centre)
    }
    #[inline(always)]
    unsafe fn read(self, i: usize) -> [L; 2] {
        // SAFETY: the caller's promise.
        unsafe { [L::load(self.0.add(i)), L::load(self.1.add(i))] }
    }
    #[inline(always)]
    fn ask(self, i: usize) {
        prefetch(self.0, i);
        prefetch(self.1, i);
    }
}

#[derive(Clone, Copy)]
struct Packed<S>(*const S);

impl<L: Lanes> Read<L> for Packed<L::Real> {
    #[inline(always)]
    unsafe fn new(from: &Arrays<L::Real>) -> Self {
        Self(from.delta)
    }
    #[inline(always)]
    unsafe fn read(self, i: usize) -> [L; 2] {
        // SAFETY: the caller's promise.
        unsafe {
            let [delta, k] = L::load(self.0.add(i)).unpacked();
            [delta, L::splat(L::Real::ONE + L::Real::ONE).sub(k.mul(delta))]
        }
    }
    #[inline(always)]
    fn ask(self, i: usize) {
        prefetch(self.0, i);
    }
}

#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX2 and AVX-512 look them up"))]
struct Kinds<C>(*const u8, [C; 2]);

impl<L: LookUp> Read<L> for Kinds<L::Column> {
    #[inline(always)]
    unsafe fn new(from: &Arrays<L::Real>) -> Self {
        // SAFETY: the caller's promise.
        Self(from.kinds, unsafe { L::columns(from.table) })
    }
    #[inline(always)]
    unsafe fn read(self, i: usize) -> [L; 2] {
        // SAFETY: the caller's promise.
        unsafe {
            let kinds = self.0.add(i);
            [L::look_up(self.1[0], kinds), L::look_up(self.1[1], kinds)]
        }
    }
    #[inline(always)]
    fn ask(self, i: usize) {
        prefetch(self.0, i);
    }
}

/// A [`Pass`] to one level.
#[derive(Clone, Copy)]
struct Step<S> {
    medium: Arrays<S>,
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
        let Pass { medium, row, plane, damping, .. } = *pass;
        let [out, z] = [level, level + 1].map(|level| pass.buffers[level % 2]);
        Self { medium, z, out, row, plane, damping, ahead }
    }
}

/// `kernel(pass, patches)` steps the patches in their order. A call for each of them would take a
/// tenth longer where they are small.
///
/// # Safety
/// The processor has the instruction set. The arrays of the form that the kernel was chosen for are
/// there, and kinds are below what the set [can look up](Kernels::kinds). In all arrays the cells
/// of the patches are in storage, in both buffers their neighbours and a block to either side too,
/// and no other thread writes what is read or touches what is written. The padding that whole
/// blocks take in behind rows, between the rows of a plane that is stepped as one row and behind
/// its last is stepped with them: it holds 0 in both buffers and no open cell's delta.
pub(crate) type Kernel<S> = unsafe fn(pass: &Pass<S>, patches: &[Patch]);

/// Rows of a plane that share the loads of the rows between them: 1.15x over one at a time.
pub(crate) const ROWS: usize = 4;
/// Planes that share loads in the same way, in two rows of each: 1.06x over four rows of one plane.
pub(crate) const PLANES: usize = 2;

/// Cells that a kernel asks memory for ahead of those it steps, where it takes several rows at
/// once.
pub(crate) const NEAR: usize = 80;
/// The same where it runs through the rows of a plane one after the other: memory delivers few long
/// streams fastest. Step by step 1.2x over several rows at once.
pub(crate) const FAR: usize = 512;

/// Steps the blocks of a patch that begins at the cell `first`.
///
/// # Safety
/// As for a [`Kernel`], of this patch.
#[inline(always)]
unsafe fn all_rows<
    L: Lanes,
    M: Read<L>,
    const DEEP: bool,
    const DAMPED: bool,
    const AHEAD: usize,
>(
    pass: &Step<L::Real>,
    first: usize,
    [planes, rows, blocks]: [usize; 3],
) {
    if DEEP && AHEAD == FAR {
        for plane in 0..planes {
            // SAFETY: the caller's promise holds for every plane.
            unsafe { run_of_rows::<L, M, DAMPED>(pass, first + plane * pass.plane, rows, blocks) };
        }
        return;
    }
    if L::N == 1 {
        // The compiler by itself makes vectors only of one row at a time.
        for plane in 0..planes {
            for row in 0..rows {
                let at = first + plane * pass.plane + row * pass.row;
                // SAFETY: the caller's promise holds for every row.
                unsafe { some_rows::<L, M, 1, 1, DEEP, DAMPED, AHEAD>(pass, at, blocks) };
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
                some_rows::<L, M, 2, 4, DEEP, DAMPED, AHEAD>(pass, at, blocks);
                at += 2 * pass.row;
            }
            if rows % 2 > 0 {
                some_rows::<L, M, 1, 2, DEEP, DAMPED, AHEAD>(pass, at, blocks);
            }
        }
        for plane in pairs * PLANES..planes {
            let mut at = first + plane * pass.plane;
            for _ in 0..rows / ROWS {
                some_rows::<L, M, ROWS, ROWS, DEEP, DAMPED, AHEAD>(pass, at, blocks);
                at += ROWS * pass.row;
            }
            if rows % ROWS >= 2 {
                some_rows::<L, M, 2, 2, DEEP, DAMPED, AHEAD>(pass, at, blocks);
                at += 2 * pass.row;
            }
            if rows % 2 > 0 {
                some_rows::<L, M, 1, 1, DEEP, DAMPED, AHEAD>(pass, at, blocks);
            }
        }
    }
}

/// Steps rows of a plane one after the other.
///
/// # Safety
/// As for [`all_rows`], of this plane.
#[inline(always)]
unsafe fn run_of_rows<L: Lanes, M: Read<L>, const DAMPED: bool>(
    pass: &Step<L::Real>,
    first: usize,
    rows: usize,
    blocks: usize,
) {
    // Rows with no block between them are one run, padding included, where they come to whole
    // blocks: what lies in the padding is 0 and stays so.
    let gapless = pass.row < (blocks + 1) * BLOCK && pass.row.is_multiple_of(BLOCK / 4);
    let run = if gapless { rows / 4 * 4 } else { 0 };
    let cells = run * pass.row;
    // The first cells of the plane behind follow on the last cells.
    let last = cells.min(FAR);
    let turn = Step { ahead: pass.plane + last - cells, ..*pass };
    // SAFETY: the caller's promise; the padding of a row is in storage and stepped with it.
    unsafe {
        some_rows::<L, M, 1, 1, true, DAMPED, FAR>(pass, first, (cells - last) / BLOCK);
        some_rows::<L, M, 1, 1, true, DAMPED, FAR>(&turn, first + cells - last, last / BLOCK);
        for row in run..rows {
            some_rows::<L, M, 1, 1, true, DAMPED, FAR>(pass, first + row * pass.row, blocks);
        }
    }
}

/// Steps `N` rows, `TALL` of each plane.
///
/// `z' = ((delta * sum + (2 - k * delta) * z) - (1 - m) * z_prev) / (1 + m)` with
/// `sum = ((left + right) + (up + down)) + (front + back)`; without damping, and on flat grids,
/// terms that would change no bit are left out.
///
/// # Safety
/// As for [`all_rows`], of these rows.
#[inline(always)]
unsafe fn some_rows<
    L: Lanes,
    M: Read<L>,
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
    // SAFETY: every cell stepped and every neighbour lies in storage, by the caller's promise, as
    // are the arrays of the form. The lanes of one iteration are read before any is written, and
    // later ones read from `out` only what has not been written.
    unsafe {
        let medium = M::new(&pass.medium);
        let (keep, scale) = (L::splat(pass.damping.keep), L::splat(pass.damping.scale));
        // These may lie before the storage, so they are only added to.
        let (above, below) = (pass.z.wrapping_sub(row), pass.z.wrapping_add(row));
        let mut index: [usize; N] =
            std::array::from_fn(|r| first + r % TALL * row + r / TALL * plane);
        let (mut before, mut here) = ([keep; N], [keep; N]);
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
                    prefetch(pass.z, ahead + if DEEP { plane } else { row });
                    prefetch(pass.out, ahead);
                    medium.ask(ahead);
                }
                let [delta, centre] = medium.read(i);
                let free = delta.mul(sum).add(centre.mul(here[r]));
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

/// The kernel of one instruction set, for flat and deep grids, undamped and damped, and for some
/// forms of coefficients: of kinds where lanes are `LookUp`.
macro_rules! kernel {
    ($simd:ident, $lanes:ty $(, $feature:literal)? $(; $look_up:ident)?) => {
        mod $simd {
            use super::*;
            type L = $lanes;
            type S = <L as Lanes>::Real;
            /// Kinds that can be looked up.
            pub(super) const KINDS: usize = 0 $(+ <L as $look_up>::KINDS)?;
            /// Steps patches.
            ///
            /// # Safety
            /// As for a [`Kernel`].
            $(#[target_feature(enable = $feature)])?
            unsafe fn run<M: Read<L>, const DEEP: bool, const DAMPED: bool, const AHEAD: usize>(
                pass: &Pass<S>, patches: &[Patch],
            ) {
                for Patch { level, planes, rows, blocks } in patches {
                    let [z, y, x] = [planes, rows, blocks].map(|range| range.start as usize);
                    let first = pass.lead + z * pass.plane + y * pass.row + x * BLOCK;
                    let size = [planes, rows, blocks].map(ExactSizeIterator::len);
                    let step = Step::new(pass, *level, AHEAD);
                    // SAFETY: the caller's promise.
                    unsafe { all_rows::<L, M, DEEP, DAMPED, AHEAD>(&step, first, size) }
                }
            }
            fn of<M: Read<L>, const DEEP: bool, const AHEAD: usize>(damped: bool) -> Kernel<S> {
                if damped { run::<M, DEEP, true, AHEAD> } else { run::<M, DEEP, false, AHEAD> }
            }
            pub(super) fn choose<const AHEAD: usize>(
                deep: bool, damped: bool, kinds: bool,
            ) -> Kernel<S> {
                assert!(!kinds || KINDS > 0);
                $(if kinds && deep {
                    return of::<Kinds<<L as $look_up>::Column>, true, AHEAD>(damped);
                } else if kinds {
                    return of::<Kinds<<L as $look_up>::Column>, false, AHEAD>(damped);
                })?
                if deep {
                    of::<Packed<S>, true, AHEAD>(damped)
                } else {
                    of::<Stored<S>, false, AHEAD>(damped)
                }
            }
        }
    };
}

#[cfg(not(test))]
kernel!(scalar_f32, Plain<f32, 1>);
#[cfg(not(test))]
kernel!(scalar_f64, Plain<f64, 1>);
#[cfg(test)]
kernel!(scalar_f32, Plain<f32, 1>; LookUp);
#[cfg(test)]
kernel!(scalar_f64, Plain<f64, 1>; LookUp);
#[cfg(target_arch = "aarch64")]
kernel!(neon_f32, Plain<f32, 4>, "neon");
#[cfg(target_arch = "aarch64")]
kernel!(neon_f64, Plain<f64, 2>, "neon");
#[cfg(target_arch = "x86_64")]
kernel!(sse2_f32, crate::dense::lanes::x86::Sse2F32, "sse2");
#[cfg(target_arch = "x86_64")]
kernel!(sse2_f64, crate::dense::lanes::x86::Sse2F64, "sse2");
#[cfg(target_arch = "x86_64")]
kernel!(avx2_f32, crate::dense::lanes::x86::Avx2F32, "avx2"; LookUp);
#[cfg(target_arch = "x86_64")]
kernel!(avx2_f64, crate::dense::lanes::x86::Avx2F64, "avx2");
#[cfg(target_arch = "x86_64")]
kernel!(avx512_f32, crate::dense::lanes::x86::Avx512F32, "avx512f"; LookUp);
#[cfg(target_arch = "x86_64")]
kernel!(avx512_f64, crate::dense::lanes::x86::Avx512F64, "avx512f"; LookUp);

/// The kernels of a number format. A set that the target does not have gives the scalar twin.
pub trait Kernels: Sized {
    /// Steps a wave `steps` times, from z and `z_prev`. Compiled here for both formats, and not
    /// again in the crates of users.
    fn run(
        medium: &Coefficients<Self>,
        simd: Simd,
        buffers: [&mut [Self]; 2],
        pulses: &[Pulse],
        steps: usize,
    );
    /// Kinds with which a step that uses `simd` is faster, or 0.
    fn kinds(simd: Simd) -> usize;
    /// The kernel that uses `simd`, on grids of several planes or of one, and on `kinds`, if there
    /// are not too many for it.
    fn kernel<const AHEAD: usize>(
        simd: Simd,
        deep: bool,
        damped: bool,
        kinds: bool,
    ) -> Kernel<Self>;
}

macro_rules! kernels {
    ($t:ty, $scalar:ident, $sse2:ident, $avx2:ident, $avx512:ident, $neon:ident) => {
        impl Kernels for $t {
            fn run(
                medium: &Coefficients<Self>,
                simd: Simd,
                [now, prev]: [&mut [Self]; 2],
                pulses: &[Pulse],
                steps: usize,
            ) {
                Run::new(medium, simd, now, prev, pulses, steps).step();
            }
            fn kinds(simd: Simd) -> usize {
                match simd {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Sse2 => $sse2::KINDS,
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => $avx2::KINDS,
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => $avx512::KINDS,
                    #[cfg(target_arch = "aarch64")]
                    Simd::Neon => $neon::KINDS,
                    _ => 0,
                }
            }
            fn kernel<const AHEAD: usize>(
                simd: Simd,
                deep: bool,
                damped: bool,
                kinds: bool,
            ) -> Kernel<Self> {
                match simd {
                    #[cfg(target_arch = "x86_64")]
                    Simd::Sse2 => $sse2::choose::<AHEAD>(deep, damped, kinds),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => $avx2::choose::<AHEAD>(deep, damped, kinds),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => $avx512::choose::<AHEAD>(deep, damped, kinds),
                    #[cfg(target_arch = "aarch64")]
                    Simd::Neon => $neon::choose::<AHEAD>(deep, damped, kinds),
                    _ => $scalar::choose::<AHEAD>(deep, damped, kinds),
                }
            }
        }
    };
}

kernels!(f32, scalar_f32, sse2_f32, avx2_f32, avx512_f32, neon_f32);
kernels!(f64, scalar_f64, sse2_f64, avx2_f64, avx512_f64, neon_f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrival::march::tests::dice;
    use crate::dense::kinds::MOST;
    use crate::dense::step::centre;
    use proptest::prelude::*;
    use std::ops::Range;
    use std::ptr::null;

    /// Planes of rows of cells, in storage with zeros around.
    #[derive(Clone, Copy)]
    struct Grid {
        size: [usize; 3],
        row: usize,
    }

    impl Grid {
        const LEAD: usize = 64;

        fn plane(self) -> usize {
            self.row * (self.size[1] + 2)
        }

        fn first(self) -> usize {
            Self::LEAD + self.plane() + self.row
        }

        /// What `value` gives for every cell's index.
        fn filled<T: Copy>(self, outside: T, mut value: impl FnMut(usize) -> T) -> Vec<T> {
            let [planes, rows, width] = self.size;
            let mut all = vec![outside; self.plane() * (planes + 2) + 2 * Self::LEAD];
            for (z, y) in (0..planes).flat_map(|z| (0..rows).map(move |y| (z, y))) {
                let first = self.first() + z * self.plane() + y * self.row;
                (first..first + width).for_each(|i| all[i] = value(i));
            }
            all
        }
    }

    /// The bits of both buffers after two levels of all rows of so many kinds of cells, by a kernel
    /// of `simd`.
    fn stepped<S: Real>(
        grid: Grid,
        most: usize,
        simd: Simd,
        kinds: bool,
        ahead: usize,
        damped: bool,
    ) -> [Vec<u64>; 2] {
        let [planes, rows, width] = grid.size;
        let deep = planes > 1;
        let mut random = dice();
        let mut part = move || S::from_f64((1 + random(1 << 24)) as f64 / f64::from(1 << 24));
        let mut table = Table { delta: [S::ZERO; MOST], centre: [S::ZERO; MOST] };
        let k = |kind: usize| (kind % 7) as u8;
        for kind in 1..MOST {
            table.delta[kind] = part();
            table.centre[kind] = centre(table.delta[kind], S::from_u8(k(kind)));
        }
        let mut random = dice();
        let of = grid.filled(0, |_| random(most as u64) as u8);
        let mut open = |i: usize| if of[i] > 0 { part() - part() } else { S::ZERO };
        let [mut even, mut odd] = [(); 2].map(|()| grid.filled(S::ZERO, &mut open));
        let outside = if deep { S::OUTSIDE } else { S::ZERO };
        let delta = grid.filled(outside, |i| match usize::from(of[i]) {
            0 if deep && i % 2 == 0 => -S::ONE,
            0 => outside,
            kind if deep => S::pack(table.delta[kind], k(kind)),
            kind => table.delta[kind],
        });
        let centre = grid.filled(S::ZERO, |i| table.centre[usize::from(of[i])]);
        let pass = Pass {
            medium: if kinds {
                let (kinds, table) = (of.as_ptr(), &raw const table);
                Arrays { delta: null(), centre: null(), kinds, table }
            } else {
                let (delta, centre) = (delta.as_ptr(), centre.as_ptr());
                Arrays { delta, centre, kinds: null(), table: null() }
            },
            buffers: [even.as_mut_ptr(), odd.as_mut_ptr()],
            lead: grid.first(),
            row: grid.row,
            plane: grid.plane(),
            damping: Damping::new(S::from_f64(if damped { 0.25 } else { 0.0 })),
        };
        let whole = |count: usize| -> Range<u32> { 0..count as u32 };
        let [planes, rows, blocks] = [planes, rows, width.div_ceil(BLOCK)].map(whole);
        let patches = [1, 2].map(|level| Patch {
            level,
            planes: planes.clone(),
            rows: rows.clone(),
            blocks: blocks.clone(),
        });
        let kernel = match ahead {
            NEAR => S::kernel::<NEAR>(simd, deep, damped, kinds),
            FAR => S::kernel::<FAR>(simd, deep, damped, kinds),
            _ => S::kernel::<0>(simd, deep, damped, kinds),
        };
        // SAFETY: the set is available; a lead, a plane and a row of zeros stand around the cells.
        unsafe { kernel(&pass, &patches) };
        [even, odd].map(|buffer| buffer.into_iter().map(Real::bits).collect())
    }

    fn every_kernel_is_the_scalar_one<S: Real>(grid: Grid, most: usize, damped: bool) {
        let expected = stepped::<S>(grid, most, Simd::Scalar, false, 0, damped);
        let moved = |all: &[Vec<u64>; 2]| all.iter().flatten().any(|&bits| bits != 0);
        assert!(moved(&expected));
        for simd in Simd::available() {
            for kinds in [false, true] {
                // The scalar kernel of kinds is there for this test: Miri has no AVX-512.
                if kinds && S::kinds(simd) < most && simd != Simd::Scalar {
                    continue;
                }
                for ahead in [0, NEAR, FAR] {
                    let found = stepped::<S>(grid, most, simd, kinds, ahead, damped);
                    assert!(found == expected, "{simd:?}, kinds: {kinds}, ahead: {ahead}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 200 })
        })]

        /// Whether rows are run through with their padding, taken one by one, or several at once,
        /// and in whichever form coefficients are read.
        #[test]
        fn all_kernels_step_the_same(
            planes in 1..5usize, rows in 1..(if cfg!(miri) { 8 } else { 30usize }), blocks in 1..4usize, gap in 0..3usize,
            damped: bool,
        ) {
            // No padding but a quarter of a block, as on large grids; a block; or part of one.
            let wide = blocks * BLOCK;
            let (width, row) = [(wide, wide + 4), (wide, wide + 16), (wide - 3, wide)][gap];
            let grid = Grid { size: [planes, rows, width], row };
            // Under Miri only what all sets look up.
            for &most in if cfg!(miri) { &[8][..] } else { &[8, 16, 32, MOST] } {
                every_kernel_is_the_scalar_one::<f32>(grid, most, damped);
                every_kernel_is_the_scalar_one::<f64>(grid, most, damped);
            }
        }
    }
}
