//! Eight numbers side by side, as vector code on every target without a switch at run time.

use crate::real::Real;
use std::ops::{Add, Div, Mul, Sub};
use wide::{f32x8, f64x8};

/// Neighbours are looked at and summed this many at a time.
pub(crate) const LANES: usize = 8;

/// Eight numbers. A mask has all bits of a lane set, or none.
// Public in a private module: `Real` names it.
#[allow(unreachable_pub)]
pub trait Lanes<S>:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + From<[S; LANES]>
    + Send
    + Sync
    + 'static
{
    fn all(value: S) -> Self;
    fn array(self) -> [S; LANES];
    fn root(self) -> Self;
    fn below(self, other: Self) -> Self;
    fn at_most(self, other: Self) -> Self;
    fn above(self, other: Self) -> Self;
    /// Bit by bit.
    fn both(self, other: Self) -> Self;
    /// `yes` where the mask is set, `no` elsewhere.
    fn pick(self, yes: Self, no: Self) -> Self;
    /// A bit per lane of a mask.
    fn bits(self) -> u32;
    /// As [`Real::atan2`], with `y` not negative.
    fn angle(y: Self, x: Self) -> Self;
}

macro_rules! lanes {
    ($l:ty, $s:ty, $angle:expr) => {
        impl Lanes<$s> for $l {
            #[inline(always)]
            fn all(value: $s) -> Self {
                Self::splat(value)
            }
            #[inline(always)]
            fn array(self) -> [$s; LANES] {
                self.to_array()
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn below(self, other: Self) -> Self {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn at_most(self, other: Self) -> Self {
                self.simd_le(other)
            }
            #[inline(always)]
            fn above(self, other: Self) -> Self {
                self.simd_gt(other)
            }
            #[inline(always)]
            fn both(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn pick(self, yes: Self, no: Self) -> Self {
                self.bitselect(yes, no)
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                self.to_bitmask()
            }
            #[inline(always)]
            fn angle(y: Self, x: Self) -> Self {
                $angle(y, x)
            }
        }
    };
}

lanes!(f32x8, f32, angles_f32);
lanes!(f64x8, f64, angles_f64);

/// The polynomial of [`Real::atan2`] for `f32`, operation by operation.
#[inline(always)]
fn angles_f32(y: f32x8, x: f32x8) -> f32x8 {
    let all = f32x8::splat;
    let zero = all(0.0);
    let ax = x.simd_lt(zero).bitselect(zero - x, x);
    let steep = y.simd_gt(ax);
    let (small, large) = (steep.bitselect(ax, y), steep.bitselect(y, ax));
    let some = large.simd_gt(zero);
    let s = some & (small / some.bitselect(large, all(1.0)));
    let t = s * s;
    let mut u = all(crate::real::ATAN[0]);
    for c in &crate::real::ATAN[1..] {
        u = u * t + all(*c);
    }
    let mut angle = s + s * (t * u);
    angle = steep.bitselect(all(std::f32::consts::FRAC_PI_2) - angle, angle);
    x.simd_lt(zero).bitselect(all(std::f32::consts::PI) - angle, angle)
}

fn angles_f64(y: f64x8, x: f64x8) -> f64x8 {
    let (y, x) = (y.to_array(), x.to_array());
    f64x8::from(std::array::from_fn(|i| Real::atan2(y[i], x[i])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_the_same_bits_as_one_number() {
        for i in 0..1000 {
            let a = i as f32 * 0.01;
            let (y, x) = ((a * 1.7).sin().abs() * a, (a * 2.3).cos());
            let lanes = f32x8::angle(f32x8::splat(y), f32x8::splat(x)).array();
            assert_eq!(lanes[3].to_bits(), Real::atan2(y, x).to_bits());
        }
        assert_eq!(f32x8::angle(f32x8::splat(0.0), f32x8::splat(0.0)).array(), [0.0; 8]);
    }
}
