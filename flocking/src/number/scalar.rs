//! The two number formats, and the functions of them that are the same bits on every machine.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`. Sealed: the crate's guarantees are tested for these two.
///
/// Nothing here calls the platform's mathematics library, and nothing is fused.
pub trait Scalar:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Half a turn.
    const PI: Self;
    /// A whole turn.
    const TAU: Self;
    /// Ways this close to the line of a heading, by the sine between them, lie dead ahead or
    /// exactly behind in 3D: their cross product is largely rounding, which may point along the
    /// heading.
    /// 1000 times the format's epsilon: beyond it the product is square to the heading within 1e-3,
    /// and the turn about it right within 1e-6.
    const NARROW: Self;
    /// Squared distances up to this are 0: the two are at the same place. 2^-100 for `f32`,
    /// 2^-900 for `f64`.
    const SAME_PLACE: Self;
    /// Orders neighbours by squared distance, then id.
    type Key: Copy + Ord + Default + Send + Sync + Debug;
    /// Eight of them.
    #[doc(hidden)]
    type Lanes<I: crate::number::lanes::Set>: crate::number::lanes::Lanes<Self>;

    /// Rounds to the nearest number of this format.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// The magnitude.
    #[must_use]
    fn abs(self) -> Self;
    /// The square root, correctly rounded.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The largest whole number not above `self`.
    #[must_use]
    fn floor(self) -> Self;
    /// The smaller one; `other` where `self` is not a number.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The larger one; `other` where `self` is not a number.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The angle of the vector `(x, self)` in -pi..=pi, 0 for the zero vector. `f32`: a polynomial,
    /// within 4e-7; `f64`: `libm`.
    #[must_use]
    fn atan2(self, x: Self) -> Self;
    /// Sine and cosine. `f32`: polynomials, within 2e-7 for angles of some turns; `f64`: `libm`.
    #[must_use]
    fn sin_cos(self) -> (Self, Self);
    /// The bits, for hashing.
    fn bits(self) -> u64;
    /// The place in the order by squared distance (`self`, not negative), then id.
    fn key(self, id: u32) -> Self::Key;

    /// The same angle in -pi..=pi.
    ///
    /// # Example
    /// ```
    /// use flocking::Scalar;
    /// assert!((7.0f64.wrapped() - (7.0 - std::f64::consts::TAU)).abs() < 1e-15);
    /// assert_eq!(1.0f32.wrapped(), 1.0);
    /// ```
    #[inline]
    #[must_use]
    fn wrapped(self) -> Self {
        if self.abs() <= Self::PI {
            return self;
        }
        let turns = (self / Self::TAU + Self::from_f64(0.5)).floor();
        (self - turns * Self::TAU).max(-Self::PI).min(Self::PI)
    }
}

/// The arc tangent of s is s + s * t * p(t), t = s^2; p by Horner's rule from the first.
pub(crate) const ATAN: [f32; 8] = [
    0.002_823_639,
    -0.015_956_903,
    0.042_504_99,
    -0.074_890_09,
    0.106_347_93,
    -0.142_027_36,
    0.199_926_96,
    -0.333_331_02,
];

/// The arc tangent on 0..=1 by a minimax polynomial (the coefficients are SLEEF's `atanf`), the
/// octants by hand. No branches, so a loop over it becomes vector code: about 5x faster than
/// `libm::atan2f` where a 3D flock calls it per neighbour.
#[inline]
fn atan2_polynomial(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let (small, large) = if ay > ax { (ax, ay) } else { (ay, ax) };
    let s = if large > 0.0 { small / large } else { 0.0 };
    let t = s * s;
    let mut u = ATAN[0];
    for c in &ATAN[1..] {
        u = u * t + c;
    }
    let mut angle = s + s * (t * u);
    if ay > ax {
        angle = std::f32::consts::FRAC_PI_2 - angle;
    }
    if x < 0.0 {
        angle = std::f32::consts::PI - angle;
    }
    angle.copysign(y)
}

/// A quarter of a turn in three parts; whole numbers of quarters times the first two are exact.
pub(crate) const QUARTER: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];
/// The sine of r is r + r * t * p(t), t = r^2; p by Horner's rule from the first.
pub(crate) const SINE: [f32; 3] = [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1];
/// The cosine of r is 1 - t / 2 + t^2 * p(t), likewise.
pub(crate) const COSINE: [f32; 3] = [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2];

/// On an eighth of a turn each way by polynomials (the coefficients are Cephes' `sinf`), the
/// quarters by hand. The same operations on eight angles at once cost a fifth of `libm::sincosf`.
#[inline]
fn sin_cos_polynomial(angle: f32) -> (f32, f32) {
    let quarters = Scalar::floor(angle * std::f32::consts::FRAC_2_PI + 0.5);
    let mut r = angle;
    for part in QUARTER {
        r -= quarters * part;
    }
    let t = r * r;
    let sine = r + r * t * ((SINE[0] * t + SINE[1]) * t + SINE[2]);
    let cosine = (COSINE[0] * t + COSINE[1]) * t + COSINE[2];
    let cosine = 1.0 - t * 0.5 + t * t * cosine;
    // 0 to 3, and whether it is odd.
    let which = quarters - Scalar::floor(quarters * 0.25) * 4.0;
    let odd = which - Scalar::floor(which * 0.5) * 2.0 > 0.5;
    let (s, c) = if odd { (cosine, sine) } else { (sine, cosine) };
    let s = if which > 1.5 { -s } else { s };
    (s, if which > 0.5 && which < 2.5 { -c } else { c })
}

/// 0 for the zero vector of either sign, as the polynomial.
#[inline]
fn atan2_exact(y: f64, x: f64) -> f64 {
    if y == 0.0 && x == 0.0 { 0.0 } else { libm::atan2(y, x) }
}

macro_rules! real {
    ($float:ident, $lanes:ident, $key:ident, $same_place:expr, $floor:path, $atan2:path, $sin_cos:path) => {
        impl Scalar for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const PI: Self = std::$float::consts::PI;
            const TAU: Self = std::$float::consts::TAU;
            const SAME_PLACE: Self = Self::from_bits($same_place);
            const NARROW: Self = 1000.0 * Self::EPSILON;
            type Key = $key;
            type Lanes<I: crate::number::lanes::Set> = I::$lanes;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline]
            fn floor(self) -> Self {
                $floor(self)
            }
            #[inline]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline]
            fn atan2(self, x: Self) -> Self {
                $atan2(self, x)
            }
            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                $sin_cos(self)
            }
            #[inline]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline]
            fn key(self, id: u32) -> $key {
                $key::from(self.to_bits()) << 32 | $key::from(id)
            }
        }
    };
}

real!(f32, F32, u64, (127 - 100) << 23, f32::floor, atan2_polynomial, sin_cos_polynomial);
real!(f64, F64, u128, (1023 - 900) << 52, f64::floor, atan2_exact, libm::sincos);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomial_is_as_close_as_the_docs_say() {
        let mut worst = 0.0f64;
        for i in 0..100_000 {
            let a = (f64::from(i) / 50_000.0 - 1.0) * std::f64::consts::PI;
            let (y, x) = (a.sin() as f32 * 3.0, a.cos() as f32 * 3.0);
            let got = Scalar::atan2(y, x).to_f64();
            worst = worst.max((got - f64::from(y).atan2(f64::from(x))).abs());
        }
        assert!(worst < 4e-7, "{worst}");
        assert_eq!(Scalar::atan2(0.0f32, 0.0), 0.0);
        assert_eq!(Scalar::atan2(0.0f32, -1.0), f32::PI);
    }

    #[test]
    fn sines_are_as_close_as_the_docs_say() {
        let mut worst = 0.0f64;
        for i in 0..200_000 {
            let angle = (f64::from(i) / 50_000.0 - 2.0) as f32 * f32::PI;
            let (s, c) = Scalar::sin_cos(angle);
            let (sine, cosine) = f64::from(angle).sin_cos();
            worst = worst.max((s.to_f64() - sine).abs()).max((c.to_f64() - cosine).abs());
        }
        assert!(worst < 2e-7, "{worst}");
        assert_eq!(Scalar::sin_cos(0.0f32), (0.0, 1.0));
    }

    #[test]
    fn small_angles_keep_their_digits() {
        for y in [1e-3f32, 1e-6, 1e-12, 1e-30] {
            assert!((Scalar::atan2(y, 1.0) / y - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn angles_wrap_to_half_a_turn_each_way() {
        for (angle, expected) in
            [(0.0, 0.0), (3.0, 3.0), (4.0, 4.0 - f64::TAU), (-9.0, f64::TAU - 9.0)]
        {
            assert!((Scalar::wrapped(angle) - expected).abs() < 1e-12);
        }
        assert!(Scalar::wrapped(1e9f32).abs() <= f32::PI);
    }
}
