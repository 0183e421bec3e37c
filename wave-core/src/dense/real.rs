//! The two number formats of the solver.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

mod sealed {
    pub trait Sealed: crate::dense::kernel::Kernels + crate::dense::packed::Packed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`. Sealed: the solver's guarantees are tested for these two.
pub trait Real:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Into<f64>
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The step to the next number above 1, relative.
    const EPSILON: Self;
    /// Magnitudes under this are 0 after every step: 2^-63 for `f32`, 2^-511 for `f64`. In both the
    /// two highest bits of the exponent are then 0, so that one AVX-512 instruction tells instead
    /// of two: a tenth of a flat step.
    ///
    /// No subnormal number is ever computed with. As z is 0 or not under the floor, every z and
    /// every sum of z is a multiple of `FLOOR * u`, where `u` is [`EPSILON`](Real::EPSILON). delta
    /// is at least 2^-24; `2 - k * delta` and the `1 - m` of damping are 0 or at least `u / 2`. A
    /// difference of two numbers is 0, or at least half the larger, or they are within a factor of
    /// two of each other and it is a multiple of the smaller's last bit. So whatever a step
    /// computes is 0 or at least `FLOOR * u^2 / 4`, which is 2^-111 for `f32`, and 2^-122 once
    /// divided by `1 + m`, which is at most 1025.
    const FLOOR: Self;

    /// Rounds to the nearest number of this format.
    fn from_f64(value: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Exact.
    fn from_u8(value: u8) -> Self;
    /// The magnitude.
    #[must_use]
    fn abs(self) -> Self;
    /// The bits.
    fn bits(self) -> u64;
    /// The number with these bits, or `None` if they are more than this format has.
    fn from_bits(bits: u64) -> Option<Self>;

    /// `self`, or 0 where its magnitude is under [`Real::FLOOR`].
    #[inline]
    #[must_use]
    fn floored(self) -> Self {
        if self.abs() < Self::FLOOR { Self::ZERO } else { self }
    }
}

macro_rules! real {
    ($t:ty, $floor:expr) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = <$t>::EPSILON;
            const FLOOR: Self = <$t>::from_bits($floor << (<$t>::MANTISSA_DIGITS - 1));

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn from_u8(value: u8) -> Self {
                <$t>::from(value)
            }
            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline]
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            #[inline]
            fn from_bits(bits: u64) -> Option<Self> {
                bits.try_into().ok().map(Self::from_bits)
            }
        }
    };
}

// The exponent fields of the powers of two: bias plus exponent.
real!(f32, 127 - 63);
real!(f64, 1023 - 511);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_the_powers_of_two_that_the_docs_name() {
        assert_eq!(f32::FLOOR.to_f64(), 2f64.powi(-63));
        assert_eq!(f64::FLOOR, 2f64.powi(-511));
        assert_eq!((-f32::FLOOR).floored(), -f32::FLOOR);
        assert_eq!(f32::FLOOR.next_down().floored(), 0.0);
    }
}
