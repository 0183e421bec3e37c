//! Some numbers at once, mostly eight.

use super::march::{rounded, through_face};

/// Eight cells side by side.
pub(super) type Lanes = [i32; 8];

/// Whole numbers that are worked on at once: one or more. A mask has all bits or none in each.
pub(super) trait Whole: Copy {
    fn splat(x: i32) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// A mask: where it is above the other.
    fn above(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// The first where a mask has bits, the second elsewhere.
    fn pick(mask: Self, first: Self, second: Self) -> Self;
}

/// Eight whole numbers.
pub(super) trait Eight: Whole {
    fn load(from: &Lanes) -> Self;
    fn store(self, to: &mut Lanes);
    fn plus(self, other: Self) -> Self;
    /// A mask: where it is not equal to the other.
    fn differs(self, other: Self) -> Self;
    /// For each number, the least of it and those beside it.
    fn spread(self) -> Self;
    /// The numbers moved on by one place, after the `first` of others.
    fn moved_on(self, first: Self) -> Self;
    /// The numbers moved back by one place, before the `last` of others.
    fn moved_back(self, last: Self) -> Self;
    fn is_any(mask: Self) -> bool;
    /// The least of them.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn least(self) -> i32 {
        let mut each = [0; 8];
        self.store(&mut each);
        each.into_iter().fold(i32::MAX, i32::min)
    }
    /// A mask's bits, one for each number.
    fn bits(mask: Self) -> u64;
    fn transpose(rows: [Self; 8]) -> [Self; 8];
    /// How long after a neighbour a cell that takes `each` is reached: [`through_face`], rounded.
    fn through_face(lead: Self, further: Self, each: Self) -> Self;
}

/// Plain arrays; the compiler makes vectors of them where it can.
#[derive(Clone, Copy)]
pub(super) struct Plain<const N: usize = 8>(pub(super) [i32; N]);

impl<const N: usize> Plain<N> {
    fn each(self, other: Self, of: impl Fn(i32, i32) -> i32) -> Self {
        Self(std::array::from_fn(|i| of(self.0[i], other.0[i])))
    }
}

impl<const N: usize> Whole for Plain<N> {
    fn splat(x: i32) -> Self {
        Self([x; N])
    }
    fn min(self, other: Self) -> Self {
        self.each(other, i32::min)
    }
    fn max(self, other: Self) -> Self {
        self.each(other, i32::max)
    }
    fn minus(self, other: Self) -> Self {
        self.each(other, i32::wrapping_sub)
    }
    fn above(self, other: Self) -> Self {
        self.each(other, |a, b| -i32::from(a > b))
    }
    fn and(self, other: Self) -> Self {
        self.each(other, |a, b| a & b)
    }
    fn or(self, other: Self) -> Self {
        self.each(other, |a, b| a | b)
    }
    fn pick(mask: Self, first: Self, second: Self) -> Self {
        Self(std::array::from_fn(|i| if mask.0[i] < 0 { first.0[i] } else { second.0[i] }))
    }
}

impl Eight for Plain {
    fn load(from: &Lanes) -> Self {
        Self(*from)
    }
    fn store(self, to: &mut Lanes) {
        *to = self.0;
    }
    fn plus(self, other: Self) -> Self {
        self.each(other, i32::wrapping_add)
    }
    fn differs(self, other: Self) -> Self {
        self.each(other, |a, b| -i32::from(a != b))
    }
    fn spread(self) -> Self {
        self.min(self.moved_on(self)).min(self.moved_back(self))
    }
    fn moved_on(self, first: Self) -> Self {
        Self(std::array::from_fn(|i| if i == 0 { first.0[0] } else { self.0[i - 1] }))
    }
    fn moved_back(self, last: Self) -> Self {
        Self(std::array::from_fn(|i| if i == 7 { last.0[7] } else { self.0[i + 1] }))
    }
    fn is_any(mask: Self) -> bool {
        mask.0.iter().any(|&m| m < 0)
    }
    fn bits(mask: Self) -> u64 {
        mask.0.iter().enumerate().map(|(i, &m)| u64::from(m < 0) << i).sum()
    }
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        std::array::from_fn(|a| Self(std::array::from_fn(|b| rows[b].0[a])))
    }
    fn through_face(lead: Self, further: Self, each: Self) -> Self {
        let [lead, further, each] = [lead, further, each].map(|x| x.0.map(|x| x as f32));
        Self(std::array::from_fn(|i| rounded(through_face(lead[i], further[i], each[i]))))
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // instructions that are there; see the SAFETY notes
#[allow(clippy::wildcard_imports)]
mod avx2 {
    use super::{Eight, Lanes, Whole};
    use crate::arrival::march::after_face;
    use std::arch::x86_64::*;

    /// With AVX2. A number of this type is only ever made in code that is compiled for AVX2, which
    /// runs where it was detected.
    #[derive(Clone, Copy)]
    pub(in crate::arrival) struct Avx2(__m256i);

    /// Instructions of AVX2, within a method of [`Avx2`].
    macro_rules! avx2 {
        ($what:expr) => {
            // SAFETY: where a number of this type is, AVX2 is; loads and stores are of eight whole
            // numbers that are borrowed as such.
            unsafe { $what }
        };
    }

    /// Steps of a transposition: numbers of two rows in turn, one by one, two by two, four by four.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn pairs(a: __m256i, b: __m256i) -> [__m256i; 2] {
        avx2!([_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)])
    }
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn fours(a: __m256i, b: __m256i) -> [__m256i; 2] {
        avx2!([_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)])
    }
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn halves(a: __m256i, b: __m256i) -> [__m256i; 2] {
        avx2!([_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)])
    }

    #[allow(clippy::inline_always)] // so that they are compiled for AVX2, as what calls them is
    impl Whole for Avx2 {
        #[inline(always)]
        fn splat(x: i32) -> Self {
            Self(avx2!(_mm256_set1_epi32(x)))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(avx2!(_mm256_min_epi32(self.0, other.0)))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(avx2!(_mm256_max_epi32(self.0, other.0)))
        }
        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            Self(avx2!(_mm256_sub_epi32(self.0, other.0)))
        }
        #[inline(always)]
        fn above(self, other: Self) -> Self {
            Self(avx2!(_mm256_cmpgt_epi32(self.0, other.0)))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self(avx2!(_mm256_and_si256(self.0, other.0)))
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self(avx2!(_mm256_or_si256(self.0, other.0)))
        }
        #[inline(always)]
        fn pick(mask: Self, first: Self, second: Self) -> Self {
            Self(avx2!(_mm256_blendv_epi8(second.0, first.0, mask.0)))
        }
    }

    #[allow(clippy::inline_always)]
    #[allow(clippy::cast_ptr_alignment)] // loads and stores need no alignment
    impl Eight for Avx2 {
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            Self(avx2!(_mm256_loadu_si256(from.as_ptr().cast())))
        }
        #[inline(always)]
        fn store(self, to: &mut Lanes) {
            avx2!(_mm256_storeu_si256(to.as_mut_ptr().cast(), self.0));
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            Self(avx2!(_mm256_add_epi32(self.0, other.0)))
        }
        #[inline(always)]
        fn differs(self, other: Self) -> Self {
            let ones = avx2!(_mm256_set1_epi32(-1));
            Self(avx2!(_mm256_andnot_si256(_mm256_cmpeq_epi32(self.0, other.0), ones)))
        }
        #[inline(always)]
        fn spread(self) -> Self {
            self.min(self.moved_on(self)).min(self.moved_back(self))
        }
        #[inline(always)]
        fn moved_on(self, first: Self) -> Self {
            let places = avx2!(_mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6));
            let moved = avx2!(_mm256_permutevar8x32_epi32(self.0, places));
            Self(avx2!(_mm256_blend_epi32::<0b0000_0001>(moved, first.0)))
        }
        #[inline(always)]
        fn moved_back(self, last: Self) -> Self {
            let places = avx2!(_mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7));
            let moved = avx2!(_mm256_permutevar8x32_epi32(self.0, places));
            Self(avx2!(_mm256_blend_epi32::<0b1000_0000>(moved, last.0)))
        }
        #[inline(always)]
        fn is_any(mask: Self) -> bool {
            avx2!(_mm256_testz_si256(mask.0, mask.0)) == 0
        }
        #[inline(always)]
        fn bits(mask: Self) -> u64 {
            avx2!(_mm256_movemask_ps(_mm256_castsi256_ps(mask.0))) as u64
        }
        #[inline(always)]
        fn transpose(rows: [Self; 8]) -> [Self; 8] {
            let [a, b, c, d, e, f, g, h] = rows;
            let ([ab, ab2], [cd, cd2]) = (pairs(a.0, b.0), pairs(c.0, d.0));
            let ([ef, ef2], [gh, gh2]) = (pairs(e.0, f.0), pairs(g.0, h.0));
            let ([t0, t1], [t2, t3]) = (fours(ab, cd), fours(ab2, cd2));
            let ([t4, t5], [t6, t7]) = (fours(ef, gh), fours(ef2, gh2));
            let ([a, e], [b, f]) = (halves(t0, t4), halves(t1, t5));
            let ([c, g], [d, h]) = (halves(t2, t6), halves(t3, t7));
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
        #[inline(always)]
        fn through_face(lead: Self, further: Self, each: Self) -> Self {
            Self(avx2!(after_face(lead.0, further.0, each.0)))
        }
    }
}
