//! Several cells at once: the few operations that a kernel needs, per instruction set.

#![allow(unsafe_code)] // vector instructions and raw memory; see the SAFETY notes
#![allow(clippy::inline_always)] // what is not inlined is compiled without the instruction set

use crate::dense::kinds::Table;
use crate::dense::real::Real;

/// Some numbers of one vector register. The operations are those of [`Real`], lane by lane, and
/// none is fused, so that lanes of any width give the same bits.
pub(crate) trait Lanes: Copy {
    type Real: Real;
    /// Lanes, a divisor of [`BLOCK`](crate::dense::storage::BLOCK).
    const N: usize;

    /// `index`, with its origin hidden from the compiler. Otherwise the compiler keeps a pointer to
    /// every row of every array, runs out of registers, and a step takes a tenth longer.
    #[inline(always)]
    fn hidden(index: usize) -> usize {
        index
    }

    /// # Safety
    /// The processor has the instruction set.
    unsafe fn splat(value: Self::Real) -> Self;
    /// # Safety
    /// The processor has the instruction set, and `N` numbers can be read at `from`.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// # Safety
    /// The processor has the instruction set, and `N` numbers can be written at `to`.
    unsafe fn store(self, to: *mut Self::Real);
    /// The neighbours to the left and to the right of the lanes `here`, which were loaded from
    /// `from`; `before` and `after` were loaded from beside them.
    ///
    /// # Safety
    /// The processor has the instruction set, and `N + 2` numbers can be read from one before
    /// `from` on.
    #[inline(always)]
    unsafe fn sides(from: *const Self::Real, before: Self, here: Self, after: Self) -> [Self; 2] {
        let _ = (before, here, after);
        // SAFETY: the caller's promise.
        unsafe { [Self::load(from.sub(1)), Self::load(from.add(1))] }
    }
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn add(self, other: Self) -> Self;
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn sub(self, other: Self) -> Self;
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn mul(self, other: Self) -> Self;
    /// delta and k by [`Packed::unpack`](crate::dense::packed::Packed::unpack), but k is any finite
    /// number where delta is 0.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn unpacked(self) -> [Self; 2];
    /// [`Real::floored`].
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn floored(self) -> Self;
}

/// Lanes that can look up the coefficients of a kind of cells.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX2 and AVX-512 look them up"))]
pub(crate) trait LookUp: Lanes {
    /// A table's delta or centre, where it is fast to read.
    type Column: Copy;
    /// Kinds in a column: as many as one instruction looks up. With two instructions it would take
    /// as long as without kinds.
    const KINDS: usize;

    /// # Safety
    /// The processor has the instruction set; the table can be read as long as what comes from it
    /// is used.
    unsafe fn columns(table: *const Table<Self::Real>) -> [Self::Column; 2];
    /// The values of a column for the `N` kinds from `kinds` on.
    ///
    /// # Safety
    /// The processor has the instruction set, and the kinds can be read and are below `KINDS`.
    unsafe fn look_up(column: Self::Column, kinds: *const u8) -> Self;
}

/// `N` lanes without vector instructions of our own. One lane is the scalar twin of all kernels;
/// with more lanes the compiler uses the instructions that every processor of the target has.
#[derive(Clone, Copy)]
pub(crate) struct Plain<S, const N: usize>([S; N]);

impl<S: Real, const N: usize> Plain<S, N> {
    #[inline(always)]
    fn map(self, other: Self, f: impl Fn(S, S) -> S) -> Self {
        let mut lanes = self.0;
        for (lane, &other) in lanes.iter_mut().zip(&other.0) {
            *lane = f(*lane, other);
        }
        Self(lanes)
    }
}

impl<S: Real, const N: usize> Lanes for Plain<S, N> {
    type Real = S;
    const N: usize = N;

    #[inline(always)]
    unsafe fn splat(value: S) -> Self {
        Self([value; N])
    }
    #[inline(always)]
    unsafe fn load(from: *const S) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { from.cast::<[S; N]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut S) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[S; N]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.map(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.map(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.map(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn unpacked(self) -> [Self; 2] {
        let of = |pick: fn((S, u8)) -> S| Self(self.0.map(|lane| pick(lane.unpack())));
        [of(|(delta, _)| delta), of(|(_, k)| S::from_u8(k))]
    }
    #[inline(always)]
    unsafe fn floored(self) -> Self {
        self.map(self, |a, _| a.floored())
    }
}

/// For Miri, which has no AVX-512. It is no faster so.
#[cfg(test)]
impl<S: Real> LookUp for Plain<S, 1> {
    type Column = *const S;
    const KINDS: usize = crate::dense::kinds::MOST;

    #[inline(always)]
    unsafe fn columns(table: *const Table<S>) -> [*const S; 2] {
        // SAFETY: the caller's promise.
        unsafe { [(&raw const (*table).delta).cast(), (&raw const (*table).centre).cast()] }
    }
    #[inline(always)]
    unsafe fn look_up(column: *const S, kinds: *const u8) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { [column.add(usize::from(*kinds)).read()] })
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{Lanes, LookUp};
    use crate::dense::kinds::Table;
    use crate::dense::packed::Bits;
    use crate::dense::real::Real;
    use std::arch::asm;
    #[allow(clippy::wildcard_imports)] // nearly every line names one
    use std::arch::x86_64::*;

    type Bits32 = Bits<f32>;
    type Bits64 = Bits<f64>;
    /// 2^52: a small whole number added to it stands in its low bits.
    const TWO52: f64 = (1u64 << 52) as f64;
    /// Of the first of three operands and the second, or the third.
    const AND_OR: i32 = 0xea;

    /// [`Lanes::sides`] by one instruction each. The intrinsic alone becomes a permutation that
    /// overwrites an operand, and so a copy of it before: 1.01x to 1.03x.
    macro_rules! sides512 {
        ($sides:ident, $instruction:literal, $last:literal) => {
            #[target_feature(enable = "avx512f")]
            #[inline]
            fn $sides(before: __m512i, here: __m512i, after: __m512i) -> [__m512i; 2] {
                let (left, right): (__m512i, __m512i);
                // SAFETY: registers alone.
                unsafe {
                    asm!(
                        concat!($instruction, " {0}, {1}, {2}, ", $last),
                        lateout(zmm_reg) left, in(zmm_reg) here, in(zmm_reg) before,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                    asm!(
                        concat!($instruction, " {0}, {1}, {2}, 1"),
                        lateout(zmm_reg) right, in(zmm_reg) after, in(zmm_reg) here,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                [left, right]
            }
        };
    }

    sides512!(sides32, "valignd", 15);
    sides512!(sides64, "valignq", 7);

    /// Implements [`Lanes`] by one intrinsic an operation.
    macro_rules! lanes {
        (
            $(#[$doc:meta])* $name:ident, $real:ty, $vector:ty, $n:expr, $splat:ident, $load:ident,
            $store:ident, $add:ident, $sub:ident, $mul:ident,
            unpacked $p:ident => $unpacked:expr, floored $a:ident => $floored:expr
            $(, sides $before:ident $here:ident $after:ident => $sides:expr)?
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub(crate) struct $name($vector);

            #[allow(clippy::cast_ptr_alignment)] // loads and stores need none
            impl Lanes for $name {
                type Real = $real;
                const N: usize = $n;

                #[inline(always)]
                fn hidden(mut index: usize) -> usize {
                    if cfg!(miri) {
                        return index;
                    }
                    // SAFETY: no instruction at all.
                    unsafe {
                        asm!("/* {0} */", inout(reg) index, options(pure, nomem, nostack, preserves_flags));
                    }
                    index
                }
                #[inline(always)]
                unsafe fn splat(value: $real) -> Self {
                    // SAFETY: the caller has the instruction set.
                    unsafe { Self($splat(value)) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $real) -> Self {
                    // SAFETY: the caller has the instruction set and gives the memory, which need
                    // not be aligned.
                    unsafe { Self($load(from)) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $real) {
                    // SAFETY: the caller has the instruction set and gives the memory, which need
                    // not be aligned.
                    unsafe { $store(to, self.0) }
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    // SAFETY: the caller has the instruction set.
                    unsafe { Self($add(self.0, other.0)) }
                }
                #[inline(always)]
                unsafe fn sub(self, other: Self) -> Self {
                    // SAFETY: the caller has the instruction set.
                    unsafe { Self($sub(self.0, other.0)) }
                }
                #[inline(always)]
                unsafe fn mul(self, other: Self) -> Self {
                    // SAFETY: the caller has the instruction set.
                    unsafe { Self($mul(self.0, other.0)) }
                }
                #[inline(always)]
                unsafe fn unpacked(self) -> [Self; 2] {
                    let $p = self.0;
                    // SAFETY: the caller has the instruction set.
                    let (delta, k) = unsafe { $unpacked };
                    [Self(delta), Self(k)]
                }
                #[inline(always)]
                unsafe fn floored(self) -> Self {
                    let $a = self.0;
                    // SAFETY: the caller has the instruction set.
                    unsafe { Self($floored) }
                }
                $(
                    #[inline(always)]
                    unsafe fn sides(
                        _: *const $real, before: Self, here: Self, after: Self,
                    ) -> [Self; 2] {
                        let ($before, $here, $after) = (before.0, here.0, after.0);
                        // SAFETY: the caller has the instruction set.
                        unsafe { $sides }
                    }
                )?
            }
        };
    }

    lanes!(
        /// 4 of `f32`, SSE2.
        Sse2F32, f32, __m128, 4, _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, _mm_add_ps, _mm_sub_ps,
        _mm_mul_ps,
        unpacked a => {
            // A tie gives the second operand: +0.
            let open = _mm_max_ps(a, _mm_setzero_ps());
            let own = _mm_and_ps(open, _mm_set1_ps(f32::from_bits(Bits32::DELTA)));
            let k = _mm_srli_epi32::<{ Bits32::SHIFT as i32 }>(_mm_castps_si128(a));
            (_mm_mul_ps(own, _mm_set1_ps(Bits32::SCALE)), _mm_cvtepi32_ps(k))
        },
        floored a => {
            let magnitude = _mm_andnot_ps(_mm_set1_ps(-0.0), a);
            _mm_and_ps(a, _mm_cmpnlt_ps(magnitude, _mm_set1_ps(f32::FLOOR)))
        }
    );
    lanes!(
        /// 2 of `f64`, SSE2.
        Sse2F64, f64, __m128d, 2, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd,
        _mm_mul_pd,
        unpacked a => {
            let open = _mm_max_pd(a, _mm_setzero_pd());
            let own = _mm_and_pd(open, _mm_set1_pd(f64::from_bits(Bits64::DELTA)));
            let k = _mm_srli_epi64::<{ Bits64::SHIFT as i32 }>(_mm_castpd_si128(a));
            let two52 = _mm_set1_pd(TWO52);
            let k = _mm_or_pd(_mm_castsi128_pd(k), two52);
            (_mm_mul_pd(own, _mm_set1_pd(Bits64::SCALE)), _mm_sub_pd(k, two52))
        },
        floored a => {
            let magnitude = _mm_andnot_pd(_mm_set1_pd(-0.0), a);
            _mm_and_pd(a, _mm_cmpnlt_pd(magnitude, _mm_set1_pd(f64::FLOOR)))
        }
    );
    lanes!(
        /// 8 of `f32`, AVX2.
        Avx2F32, f32, __m256, 8, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps,
        _mm256_sub_ps, _mm256_mul_ps,
        unpacked a => {
            let open = _mm256_max_ps(a, _mm256_setzero_ps());
            let own = _mm256_and_ps(open, _mm256_set1_ps(f32::from_bits(Bits32::DELTA)));
            let k = _mm256_srli_epi32::<{ Bits32::SHIFT as i32 }>(_mm256_castps_si256(a));
            (_mm256_mul_ps(own, _mm256_set1_ps(Bits32::SCALE)), _mm256_cvtepi32_ps(k))
        },
        floored a => {
            let magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0), a);
            _mm256_and_ps(a, _mm256_cmp_ps::<_CMP_NLT_UQ>(magnitude, _mm256_set1_ps(f32::FLOOR)))
        }
    );
    lanes!(
        /// 4 of `f64`, AVX2.
        Avx2F64, f64, __m256d, 4, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd,
        _mm256_sub_pd, _mm256_mul_pd,
        unpacked a => {
            let open = _mm256_max_pd(a, _mm256_setzero_pd());
            let own = _mm256_and_pd(open, _mm256_set1_pd(f64::from_bits(Bits64::DELTA)));
            let k = _mm256_srli_epi64::<{ Bits64::SHIFT as i32 }>(_mm256_castpd_si256(a));
            let two52 = _mm256_set1_pd(TWO52);
            let k = _mm256_or_pd(_mm256_castsi256_pd(k), two52);
            (_mm256_mul_pd(own, _mm256_set1_pd(Bits64::SCALE)), _mm256_sub_pd(k, two52))
        },
        floored a => {
            let magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
            _mm256_and_pd(a, _mm256_cmp_pd::<_CMP_NLT_UQ>(magnitude, _mm256_set1_pd(f64::FLOOR)))
        }
    );
    lanes!(
        /// 16 of `f32`, AVX-512F.
        Avx512F32, f32, __m512, 16, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps,
        _mm512_sub_ps, _mm512_mul_ps,
        unpacked a => {
            let bits = _mm512_castps_si512(a);
            let open = _mm512_cmpge_epi32_mask(bits, _mm512_setzero_si512());
            let own = _mm512_set1_epi32(Bits32::DELTA as i32);
            let always = _mm512_set1_epi32(Bits32::ALWAYS as i32);
            let delta = _mm512_maskz_ternarylogic_epi32::<AND_OR>(open, bits, own, always);
            let k = _mm512_cvtepi32_ps(_mm512_srli_epi32::<{ Bits32::SHIFT }>(bits));
            (_mm512_castsi512_ps(delta), k)
        },
        floored a => {
            // Either of the two highest bits of the exponent.
            let exponent = _mm512_set1_epi32(0x6000_0000);
            _mm512_maskz_mov_ps(_mm512_test_epi32_mask(_mm512_castps_si512(a), exponent), a)
        },
        sides before here after => {
            let (before, after) = (_mm512_castps_si512(before), _mm512_castps_si512(after));
            let here = _mm512_castps_si512(here);
            let [left, right] = sides32(before, here, after);
            [Self(_mm512_castsi512_ps(left)), Self(_mm512_castsi512_ps(right))]
        }
    );
    lanes!(
        /// 8 of `f64`, AVX-512F.
        Avx512F64, f64, __m512d, 8, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd,
        _mm512_sub_pd, _mm512_mul_pd,
        unpacked a => {
            let bits = _mm512_castpd_si512(a);
            let open = _mm512_cmpge_epi64_mask(bits, _mm512_setzero_si512());
            let own = _mm512_set1_epi64(Bits64::DELTA as i64);
            let always = _mm512_set1_epi64(Bits64::ALWAYS as i64);
            let delta = _mm512_maskz_ternarylogic_epi64::<AND_OR>(open, bits, own, always);
            let two52 = _mm512_set1_pd(TWO52);
            let k = _mm512_srli_epi64::<{ Bits64::SHIFT }>(bits);
            let k = _mm512_castsi512_pd(_mm512_or_si512(k, _mm512_castpd_si512(two52)));
            (_mm512_castsi512_pd(delta), _mm512_sub_pd(k, two52))
        },
        floored a => {
            let exponent = _mm512_set1_epi64(0x6000_0000_0000_0000);
            _mm512_maskz_mov_pd(_mm512_test_epi64_mask(_mm512_castpd_si512(a), exponent), a)
        },
        sides before here after => {
            let (before, after) = (_mm512_castpd_si512(before), _mm512_castpd_si512(after));
            let here = _mm512_castpd_si512(here);
            let [left, right] = sides64(before, here, after);
            [Self(_mm512_castsi512_pd(left)), Self(_mm512_castsi512_pd(right))]
        }
    );

    /// Implements [`LookUp`] for columns of registers, with what `kinds` are as wide as numbers.
    macro_rules! look_up {
        ($name:ident, $column:ty, $kinds:expr, $from:ident => $wide:expr, $c:ident $k:ident => $found:expr) => {
            #[allow(clippy::cast_ptr_alignment)] // a table is aligned for every register
            impl LookUp for $name {
                type Column = $column;
                const KINDS: usize = $kinds;

                #[inline(always)]
                unsafe fn columns(table: *const Table<Self::Real>) -> [Self::Column; 2] {
                    // SAFETY: the caller gives the table, which is at least as long as a column
                    // and aligned for every register.
                    unsafe {
                        let delta = (&raw const (*table).delta).cast();
                        let centre = (&raw const (*table).centre).cast();
                        [*delta, *centre]
                    }
                }
                #[inline(always)]
                unsafe fn look_up($c: Self::Column, $from: *const u8) -> Self {
                    // SAFETY: the caller has the instruction set and gives `N` kinds.
                    unsafe {
                        let $k = $wide;
                        Self($found)
                    }
                }
            }
        };
    }

    look_up!(
        Avx2F32, __m256, 8,
        from => _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast())),
        column kinds => _mm256_permutevar8x32_ps(column, kinds)
    );
    look_up!(
        Avx512F32, [__m512; 2], 32,
        from => _mm512_cvtepu8_epi32(_mm_loadu_si128(from.cast())),
        column kinds => _mm512_permutex2var_ps(column[0], kinds, column[1])
    );
    look_up!(
        Avx512F64, [__m512d; 2], 16,
        from => _mm512_cvtepu8_epi64(_mm_loadl_epi64(from.cast())),
        column kinds => _mm512_permutex2var_pd(column[0], kinds, column[1])
    );
}
