//! Eight numbers in the registers of AVX2 and AVX-512.
//!
//! The intrinsics are unsafe to call where the compiler does not know that the processor has them.
//! Here it does not know. But only kernels that are compiled for these instructions name the types
//! of this module, and they only run where [`Instructions`](crate::Instructions) found them.
//! Intrinsics that touch memory get arrays as long as the data that they read or write.
#![allow(unsafe_code)]
// Their names say where they come from.
#![allow(clippy::wildcard_imports)]

use crate::number::lanes::{LANES, Lanes, Set, angle_f32, angle_f64, sin_cos_f32, sin_cos_f64};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2;

impl Set for Avx2 {
    type F32 = Avx2F32;
    type F64 = Avx2F64;
}

/// AVX-512, in registers of 256 bits for `f32`, 512 for `f64`.
#[derive(Clone, Copy)]
pub(crate) struct Avx512;

impl Set for Avx512 {
    type F32 = Avx512F32;
    type F64 = Avx512F64;
}

/// An intrinsic of the instructions that the caller is compiled for.
macro_rules! known {
    ($call:expr) => {{
        // SAFETY: as the module says.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}

macro_rules! operators {
    ($lanes:ident, $($trait:ident $method:ident |$a:ident, $b:ident| $call:expr),* $(,)?) => {$(
        impl $trait for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self(known!($call))
            }
        }
    )*};
}

/// The numbers of the bits that are set in 0 to 255, a byte each.
const BITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut i, mut n) = (0, 0);
        while i < 8 {
            if bits >> i & 1 == 1 {
                table[bits][n] = i;
                n += 1;
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

/// The same of 0 to 15 in halves of four f64, as numbers of f32.
const PAIRS: [[u32; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut bits = 0;
    while bits < 16 {
        let mut i = 0;
        while i < 4 {
            table[bits][2 * i] = 2 * BITS[bits][i] as u32;
            table[bits][2 * i + 1] = 2 * BITS[bits][i] as u32 + 1;
            i += 1;
        }
        bits += 1;
    }
    table
};

/// Which lanes go where to stand one behind the other.
#[inline(always)]
fn order(bits: u32) -> __m256i {
    let bytes = &BITS[(bits & 255) as usize];
    known!(_mm256_cvtepu8_epi32(_mm_loadl_epi64(bytes.as_ptr().cast())))
}

#[derive(Clone, Copy)]
pub(crate) struct Avx2F32(__m256);

operators!(Avx2F32,
    Add add |a, b| _mm256_add_ps(a, b),
    Sub sub |a, b| _mm256_sub_ps(a, b),
    Mul mul |a, b| _mm256_mul_ps(a, b),
    Div div |a, b| _mm256_div_ps(a, b),
);

impl Lanes<f32> for Avx2F32 {
    type Mask = __m256;

    #[inline(always)]
    fn all(value: f32) -> Self {
        Self(known!(_mm256_set1_ps(value)))
    }
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        Self(known!(_mm256_loadu_ps(from.as_ptr())))
    }
    #[inline(always)]
    fn array(self) -> [f32; LANES] {
        let mut to = [0.0; LANES];
        known!(_mm256_storeu_ps(to.as_mut_ptr(), self.0));
        to
    }
    #[inline(always)]
    fn root(self) -> Self {
        Self(known!(_mm256_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(known!(_mm256_floor_ps(self.0)))
    }
    #[inline(always)]
    fn below(self, other: Self) -> __m256 {
        known!(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0))
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> __m256 {
        known!(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0))
    }
    #[inline(always)]
    fn above(self, other: Self) -> __m256 {
        known!(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0))
    }
    #[inline(always)]
    fn both(a: __m256, b: __m256) -> __m256 {
        known!(_mm256_and_ps(a, b))
    }
    #[inline(always)]
    fn first(count: usize) -> __m256 {
        known!(_mm256_castsi256_ps(_mm256_cmpgt_epi32(
            _mm256_set1_epi32(count as i32),
            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
        )))
    }
    #[inline(always)]
    fn bits(mask: __m256) -> u32 {
        known!(_mm256_movemask_ps(mask)) as u32
    }
    #[inline(always)]
    fn only(self, mask: __m256) -> Self {
        Self(known!(_mm256_and_ps(self.0, mask)))
    }
    #[inline(always)]
    fn pick(mask: __m256, yes: Self, no: Self) -> Self {
        Self(known!(_mm256_blendv_ps(no.0, yes.0, mask)))
    }
    #[inline(always)]
    fn store_packed(self, bits: u32, to: &mut [f32; LANES]) {
        let packed = known!(_mm256_permutevar8x32_ps(self.0, order(bits)));
        known!(_mm256_storeu_ps(to.as_mut_ptr(), packed));
    }
    #[inline(always)]
    fn store_packed_u32(from: &[u32; LANES], bits: u32, to: &mut [u32; LANES]) {
        let numbers = known!(_mm256_loadu_si256(from.as_ptr().cast()));
        let packed = known!(_mm256_permutevar8x32_epi32(numbers, order(bits)));
        known!(_mm256_storeu_si256(to.as_mut_ptr().cast(), packed));
    }
    #[inline(always)]
    fn store_numbers(first: u32, bits: u32, to: &mut [u32; LANES]) {
        let numbers = known!(_mm256_add_epi32(_mm256_set1_epi32(first as i32), order(bits)));
        known!(_mm256_storeu_si256(to.as_mut_ptr().cast(), numbers));
    }
    #[inline(always)]
    fn angle(y: Self, x: Self) -> Self {
        angle_f32(y, x)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos_f32(self)
    }
}

/// Two registers of four.
#[derive(Clone, Copy)]
pub(crate) struct Avx2F64([__m256d; 2]);

operators!(Avx2F64,
    Add add |a, b| [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])],
    Sub sub |a, b| [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])],
    Mul mul |a, b| [_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])],
    Div div |a, b| [_mm256_div_pd(a[0], b[0]), _mm256_div_pd(a[1], b[1])],
);

impl Avx2F64 {
    #[inline(always)]
    fn compare<const HOW: i32>(self, other: Self) -> [__m256d; 2] {
        let (a, b) = (self.0, other.0);
        [known!(_mm256_cmp_pd::<HOW>(a[0], b[0])), known!(_mm256_cmp_pd::<HOW>(a[1], b[1]))]
    }
}

impl Lanes<f64> for Avx2F64 {
    type Mask = [__m256d; 2];

    #[inline(always)]
    fn all(value: f64) -> Self {
        Self([known!(_mm256_set1_pd(value)); 2])
    }
    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        let (low, high) = (from[..4].as_ptr(), from[4..].as_ptr());
        Self([known!(_mm256_loadu_pd(low)), known!(_mm256_loadu_pd(high))])
    }
    #[inline(always)]
    fn array(self) -> [f64; LANES] {
        let mut to = [0.0; LANES];
        known!(_mm256_storeu_pd(to[..4].as_mut_ptr(), self.0[0]));
        known!(_mm256_storeu_pd(to[4..].as_mut_ptr(), self.0[1]));
        to
    }
    #[inline(always)]
    fn root(self) -> Self {
        Self([known!(_mm256_sqrt_pd(self.0[0])), known!(_mm256_sqrt_pd(self.0[1]))])
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self([known!(_mm256_floor_pd(self.0[0])), known!(_mm256_floor_pd(self.0[1]))])
    }
    #[inline(always)]
    fn below(self, other: Self) -> [__m256d; 2] {
        self.compare::<_CMP_LT_OQ>(other)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> [__m256d; 2] {
        self.compare::<_CMP_LE_OQ>(other)
    }
    #[inline(always)]
    fn above(self, other: Self) -> [__m256d; 2] {
        self.compare::<_CMP_GT_OQ>(other)
    }
    #[inline(always)]
    fn both(a: [__m256d; 2], b: [__m256d; 2]) -> [__m256d; 2] {
        [known!(_mm256_and_pd(a[0], b[0])), known!(_mm256_and_pd(a[1], b[1]))]
    }
    #[inline(always)]
    fn first(count: usize) -> [__m256d; 2] {
        Self::load(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).below(Self::all(count as f64))
    }
    #[inline(always)]
    fn bits(mask: [__m256d; 2]) -> u32 {
        let (low, high) =
            (known!(_mm256_movemask_pd(mask[0])), known!(_mm256_movemask_pd(mask[1])));
        (low | high << 4) as u32
    }
    #[inline(always)]
    fn only(self, mask: [__m256d; 2]) -> Self {
        Self(Self::both(self.0, mask))
    }
    #[inline(always)]
    fn pick(mask: [__m256d; 2], yes: Self, no: Self) -> Self {
        Self([
            known!(_mm256_blendv_pd(no.0[0], yes.0[0], mask[0])),
            known!(_mm256_blendv_pd(no.0[1], yes.0[1], mask[1])),
        ])
    }
    #[inline(always)]
    fn store_packed(self, bits: u32, to: &mut [f64; LANES]) {
        let halves = [bits & 15, bits >> 4 & 15];
        let mut at = 0;
        for (half, bits) in self.0.into_iter().zip(halves) {
            let order = known!(_mm256_loadu_si256(PAIRS[bits as usize].as_ptr().cast()));
            let packed = known!(_mm256_permutevar8x32_ps(_mm256_castpd_ps(half), order));
            let to = &mut to[at..at + 4];
            known!(_mm256_storeu_pd(to.as_mut_ptr(), _mm256_castps_pd(packed)));
            at += bits.count_ones() as usize;
        }
    }
    #[inline(always)]
    fn store_packed_u32(from: &[u32; LANES], bits: u32, to: &mut [u32; LANES]) {
        Avx2F32::store_packed_u32(from, bits, to);
    }
    #[inline(always)]
    fn store_numbers(first: u32, bits: u32, to: &mut [u32; LANES]) {
        Avx2F32::store_numbers(first, bits, to);
    }
    #[inline(always)]
    fn angle(y: Self, x: Self) -> Self {
        angle_f64(y, x)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos_f64(self)
    }
}

/// AVX-512 has no instruction of that name.
#[target_feature(enable = "avx512f")]
#[inline]
fn floor_pd(a: __m512d) -> __m512d {
    _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(a)
}

/// One register and masks in registers of their own.
macro_rules! masked {
    ($lanes:ident, $register:ident, $scalar:ident, $angle:ident $sin_cos:ident,
     $all:ident $load:ident $store:ident $root:ident $floor:ident $compare:ident $only:ident $pick:ident $pack:ident,
     $add:ident $sub:ident $mul:ident $div:ident) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $lanes($register);

        operators!($lanes,
            Add add |a, b| $add(a, b),
            Sub sub |a, b| $sub(a, b),
            Mul mul |a, b| $mul(a, b),
            Div div |a, b| $div(a, b),
        );

        impl Lanes<$scalar> for $lanes {
            type Mask = __mmask8;

            #[inline(always)]
            fn all(value: $scalar) -> Self {
                Self(known!($all(value)))
            }
            #[inline(always)]
            fn load(from: &[$scalar; LANES]) -> Self {
                Self(known!($load(from.as_ptr())))
            }
            #[inline(always)]
            fn array(self) -> [$scalar; LANES] {
                let mut to = [0.0; LANES];
                known!($store(to.as_mut_ptr(), self.0));
                to
            }
            #[inline(always)]
            fn root(self) -> Self {
                Self(known!($root(self.0)))
            }
            #[inline(always)]
            fn floor(self) -> Self {
                Self(known!($floor(self.0)))
            }
            #[inline(always)]
            fn below(self, other: Self) -> __mmask8 {
                known!($compare::<_CMP_LT_OQ>(self.0, other.0))
            }
            #[inline(always)]
            fn at_most(self, other: Self) -> __mmask8 {
                known!($compare::<_CMP_LE_OQ>(self.0, other.0))
            }
            #[inline(always)]
            fn above(self, other: Self) -> __mmask8 {
                known!($compare::<_CMP_GT_OQ>(self.0, other.0))
            }
            #[inline(always)]
            fn both(a: __mmask8, b: __mmask8) -> __mmask8 {
                a & b
            }
            #[inline(always)]
            fn first(count: usize) -> __mmask8 {
                ((1u32 << count) - 1) as u8
            }
            #[inline(always)]
            fn bits(mask: __mmask8) -> u32 {
                u32::from(mask)
            }
            #[inline(always)]
            fn only(self, mask: __mmask8) -> Self {
                Self(known!($only(mask, self.0)))
            }
            #[inline(always)]
            fn pick(mask: __mmask8, yes: Self, no: Self) -> Self {
                Self(known!($pick(mask, no.0, yes.0)))
            }
            #[inline(always)]
            fn store_packed(self, bits: u32, to: &mut [$scalar; LANES]) {
                // Packing straight to memory takes a hundred cycles on some processors.
                known!($store(to.as_mut_ptr(), $pack(bits as u8, self.0)));
            }
            #[inline(always)]
            fn store_packed_u32(from: &[u32; LANES], bits: u32, to: &mut [u32; LANES]) {
                let numbers = known!(_mm256_loadu_si256(from.as_ptr().cast()));
                let packed = known!(_mm256_maskz_compress_epi32(bits as u8, numbers));
                known!(_mm256_storeu_si256(to.as_mut_ptr().cast(), packed));
            }
            #[inline(always)]
            fn store_numbers(first: u32, bits: u32, to: &mut [u32; LANES]) {
                let numbers = known!(_mm256_add_epi32(
                    _mm256_set1_epi32(first as i32),
                    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                ));
                let packed = known!(_mm256_maskz_compress_epi32(bits as u8, numbers));
                known!(_mm256_storeu_si256(to.as_mut_ptr().cast(), packed));
            }
            #[inline(always)]
            fn angle(y: Self, x: Self) -> Self {
                $angle(y, x)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                $sin_cos(self)
            }
        }
    };
}

masked!(Avx512F32, __m256, f32, angle_f32 sin_cos_f32,
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_sqrt_ps _mm256_floor_ps _mm256_cmp_ps_mask
    _mm256_maskz_mov_ps _mm256_mask_blend_ps _mm256_maskz_compress_ps,
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps);
masked!(Avx512F64, __m512d, f64, angle_f64 sin_cos_f64,
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_sqrt_pd floor_pd _mm512_cmp_pd_mask
    _mm512_maskz_mov_pd _mm512_mask_blend_pd _mm512_maskz_compress_pd,
    _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd);
