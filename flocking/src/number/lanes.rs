//! Eight numbers side by side, in the instructions that the processor has.
//!
//! Every operation rounds each lane by itself, as the same operation on one number does, and
//! nothing is fused: all sets of instructions give the same bits.

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::number::scalar::Scalar;
use std::ops::{Add, Div, Mul, Sub};
use wide::{f32x8, f64x8};

/// Neighbours are looked at and summed this many at a time.
pub(crate) const LANES: usize = 8;

/// A set of instructions: its types for eight numbers of either format.
// Public in a private module: `Scalar` names it.
#[allow(unreachable_pub)]
pub trait Set: Copy + Send + Sync + 'static {
    type F32: Lanes<f32>;
    type F64: Lanes<f64>;
}

/// The instructions that every processor of the target has: SSE2, NEON, or none.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Set for Portable {
    type F32 = f32x8;
    type F64 = f64x8;
}

/// Eight numbers.
#[allow(unreachable_pub)]
pub trait Lanes<S: Scalar>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A choice of lanes.
    type Mask: Copy;

    fn all(value: S) -> Self;
    fn load(from: &[S; LANES]) -> Self;
    fn array(self) -> [S; LANES];
    fn root(self) -> Self;
    /// The largest whole numbers not above.
    fn floor(self) -> Self;
    fn below(self, other: Self) -> Self::Mask;
    fn at_most(self, other: Self) -> Self::Mask;
    fn above(self, other: Self) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The first `count` lanes, 0 to 8.
    fn first(count: usize) -> Self::Mask;
    /// A bit per lane.
    fn bits(mask: Self::Mask) -> u32;
    /// 0 in the other lanes.
    fn only(self, mask: Self::Mask) -> Self;
    /// `yes` in the lanes of the mask, `no` in the others.
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Writes the lanes of `bits` one behind the other, and anything after them.
    fn store_packed(self, bits: u32, to: &mut [S; LANES]);
    /// The same with whole numbers.
    fn store_packed_u32(from: &[u32; LANES], bits: u32, to: &mut [u32; LANES]);
    /// Writes `first` plus the number of each lane of `bits` one behind the other, and anything
    /// after them.
    fn store_numbers(first: u32, bits: u32, to: &mut [u32; LANES]);
    /// As [`Scalar::atan2`], with `y` not negative.
    fn angle(y: Self, x: Self) -> Self;
    /// As [`Scalar::sin_cos`].
    fn sin_cos(self) -> (Self, Self);

    /// As [`Scalar::min`].
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::pick(self.below(other), self, other)
    }
    /// As [`Scalar::max`].
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::pick(self.above(other), self, other)
    }

    /// The sum, in the stated order: lane i + 4 to lane i, then i + 2 to i, then 1 to 0.
    #[inline(always)]
    fn total(self) -> S {
        let [a, b, c, d, e, f, g, h] = self.array();
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

// Three at a time. Neither closures nor `map`: they are functions of their own, which are not
// compiled for the kernel's instructions and then are not inlined (measured: half the speed).

/// Vectors of the same number in all lanes.
#[inline(always)]
pub(crate) fn all3<S: Scalar, L: Lanes<S>>(a: [S; 3]) -> [L; 3] {
    [L::all(a[0]), L::all(a[1]), L::all(a[2])]
}
#[inline(always)]
pub(crate) fn total3<S: Scalar, L: Lanes<S>>(a: [L; 3]) -> [S; 3] {
    [a[0].total(), a[1].total(), a[2].total()]
}
#[inline(always)]
pub(crate) fn dot3<S: Scalar, L: Lanes<S>>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
#[inline(always)]
pub(crate) fn cross3<S: Scalar, L: Lanes<S>>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
#[inline(always)]
pub(crate) fn scale3<S: Scalar, L: Lanes<S>>(a: [L; 3], k: L) -> [L; 3] {
    [a[0] * k, a[1] * k, a[2] * k]
}

/// The polynomial of [`Scalar::atan2`] for `f32`, operation by operation.
#[inline(always)]
fn angle_f32<L: Lanes<f32>>(y: L, x: L) -> L {
    let zero = L::all(0.0);
    let behind = x.below(zero);
    let ax = L::pick(behind, zero - x, x);
    let steep = y.above(ax);
    let (small, large) = (L::pick(steep, ax, y), L::pick(steep, y, ax));
    let some = large.above(zero);
    let s = (small / L::pick(some, large, L::all(1.0))).only(some);
    let t = s * s;
    let mut u = L::all(crate::number::scalar::ATAN[0]);
    for c in &crate::number::scalar::ATAN[1..] {
        u = u * t + L::all(*c);
    }
    let mut angle = s + s * (t * u);
    angle = L::pick(steep, L::all(std::f32::consts::FRAC_PI_2) - angle, angle);
    L::pick(behind, L::all(std::f32::consts::PI) - angle, angle)
}

/// [`Scalar::sin_cos`] for `f32`, operation by operation.
#[inline(always)]
fn sin_cos_f32<L: Lanes<f32>>(angle: L) -> (L, L) {
    use crate::number::scalar::{COSINE, QUARTER, SINE};
    let (half, one) = (L::all(0.5), L::all(1.0));
    let quarters = (angle * L::all(std::f32::consts::FRAC_2_PI) + half).floor();
    let mut r = angle;
    for part in QUARTER {
        r = r - quarters * L::all(part);
    }
    let t = r * r;
    let sine = r + r * t * ((L::all(SINE[0]) * t + L::all(SINE[1])) * t + L::all(SINE[2]));
    let cosine = (L::all(COSINE[0]) * t + L::all(COSINE[1])) * t + L::all(COSINE[2]);
    let cosine = one - t * half + t * t * cosine;
    let which = quarters - (quarters * L::all(0.25)).floor() * L::all(4.0);
    let odd = (which - (which * half).floor() * L::all(2.0)).above(half);
    let (s, c) = (L::pick(odd, cosine, sine), L::pick(odd, sine, cosine));
    let minus = L::all(-1.0);
    let s = L::pick(which.above(L::all(1.5)), s * minus, s);
    let middle = L::both(which.above(half), which.below(L::all(2.5)));
    (s, L::pick(middle, c * minus, c))
}

/// Lane by lane, as [`angle_f64`].
#[inline(always)]
fn sin_cos_f64<L: Lanes<f64>>(angle: L) -> (L, L) {
    let (mut sines, mut cosines) = (angle.array(), [0.0; LANES]);
    for (sine, cosine) in sines.iter_mut().zip(&mut cosines) {
        (*sine, *cosine) = Scalar::sin_cos(*sine);
    }
    (L::load(&sines), L::load(&cosines))
}

/// Lane by lane: `libm` knows one number at a time.
#[inline(always)]
fn angle_f64<L: Lanes<f64>>(y: L, x: L) -> L {
    let (y, x) = (y.array(), x.array());
    let mut angles = [0.0; LANES];
    for (i, angle) in angles.iter_mut().enumerate() {
        *angle = Scalar::atan2(y[i], x[i]);
    }
    L::load(&angles)
}

/// The numbers of the bits that are set in 0 to 15, and how many.
const NIBBLES: [([u8; 4], usize); 16] = {
    let mut table = [([0; 4], 0); 16];
    let mut bits = 0;
    while bits < 16 {
        let mut i = 0;
        while i < 4 {
            if bits >> i & 1 == 1 {
                let n = table[bits].1;
                table[bits].0[n] = i;
                table[bits].1 += 1;
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

/// Without a branch per bit: four by four from a table.
#[inline(always)]
fn store_packed<S: Copy>(from: &[S; LANES], bits: u32, to: &mut [S; LANES]) {
    let (low, count) = &NIBBLES[(bits & 15) as usize];
    let (high, _) = &NIBBLES[(bits >> 4 & 15) as usize];
    for i in 0..4 {
        to[i] = from[low[i] as usize];
    }
    for i in 0..4 {
        to[count + i] = from[4 + high[i] as usize];
    }
}

macro_rules! portable {
    ($lanes:ty, $scalar:ty, $angle:ident, $sin_cos:ident) => {
        impl Lanes<$scalar> for $lanes {
            type Mask = Self;

            #[inline(always)]
            fn all(value: $scalar) -> Self {
                Self::splat(value)
            }
            #[inline(always)]
            fn load(from: &[$scalar; LANES]) -> Self {
                Self::from(*from)
            }
            #[inline(always)]
            fn array(self) -> [$scalar; LANES] {
                self.to_array()
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn floor(self) -> Self {
                self.floor()
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
            fn both(a: Self, b: Self) -> Self {
                a & b
            }
            #[inline(always)]
            fn first(count: usize) -> Self {
                Self::from([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
                    .simd_lt(Self::splat(count as $scalar))
            }
            #[inline(always)]
            fn bits(mask: Self) -> u32 {
                mask.to_bitmask()
            }
            #[inline(always)]
            fn only(self, mask: Self) -> Self {
                self & mask
            }
            #[inline(always)]
            fn pick(mask: Self, yes: Self, no: Self) -> Self {
                mask.bitselect(yes, no)
            }
            #[inline(always)]
            fn store_packed(self, bits: u32, to: &mut [$scalar; LANES]) {
                store_packed(&self.to_array(), bits, to);
            }
            #[inline(always)]
            fn store_packed_u32(from: &[u32; LANES], bits: u32, to: &mut [u32; LANES]) {
                store_packed(from, bits, to);
            }
            #[inline(always)]
            fn store_numbers(first: u32, bits: u32, to: &mut [u32; LANES]) {
                store_packed(&std::array::from_fn(|i| first + i as u32), bits, to);
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

portable!(f32x8, f32, angle_f32, sin_cos_f32);
portable!(f64x8, f64, angle_f64, sin_cos_f64);
