//! glam's vectors at the border: one of them names the dimension and the number format.

use crate::number::scalar::Scalar;
use glam::{DVec2, DVec3, Vec2, Vec3};
use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// `Vec2`, `Vec3` (f32), `DVec2` or `DVec3` (f64): the positions of a flock.
pub trait Vector:
    sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// The number format.
    type Scalar: Scalar;
    /// The dimension of an array over the cells of its world: `Ix2` or `Ix3`.
    type Grid: ndarray::Dimension;
    /// Two axes.
    const FLAT: bool;

    /// `[x, y, z]`, with z = 0 in 2D.
    fn to_xyz(self) -> [Self::Scalar; 3];
    /// The inverse of [`Vector::to_xyz`]; z is dropped in 2D.
    fn from_xyz(xyz: [Self::Scalar; 3]) -> Self;
}

macro_rules! space {
    ($v:ty, $s:ty, flat) => {
        impl sealed::Sealed for $v {}
        impl Vector for $v {
            type Scalar = $s;
            type Grid = ndarray::Ix2;
            const FLAT: bool = true;
            #[inline]
            fn to_xyz(self) -> [$s; 3] {
                [self.x, self.y, 0.0]
            }
            #[inline]
            fn from_xyz([x, y, _]: [$s; 3]) -> Self {
                Self::new(x, y)
            }
        }
    };
    ($v:ty, $s:ty, deep) => {
        impl sealed::Sealed for $v {}
        impl Vector for $v {
            type Scalar = $s;
            type Grid = ndarray::Ix3;
            const FLAT: bool = false;
            #[inline]
            fn to_xyz(self) -> [$s; 3] {
                [self.x, self.y, self.z]
            }
            #[inline]
            fn from_xyz([x, y, z]: [$s; 3]) -> Self {
                Self::new(x, y, z)
            }
        }
    };
}
space!(Vec2, f32, flat);
space!(DVec2, f64, flat);
space!(Vec3, f32, deep);
space!(DVec3, f64, deep);

/// The number format of a [`Vector`].
pub(crate) type ScalarOf<V> = <V as Vector>::Scalar;

pub(crate) fn to_f64<S: Scalar>(v: [S; 3]) -> [f64; 3] {
    v.map(Scalar::to_f64)
}

/// The dot product. `x y z` are added in this order; in 2D z adds an exact 0.
#[inline(always)]
pub(crate) fn dot<S: Scalar>(a: [S; 3], b: [S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
#[inline(always)]
pub(crate) fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
#[inline(always)]
pub(crate) fn add<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
#[inline(always)]
pub(crate) fn sub<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
#[inline(always)]
pub(crate) fn scale<S: Scalar>(a: [S; 3], k: S) -> [S; 3] {
    [a[0] * k, a[1] * k, a[2] * k]
}
#[inline(always)]
pub(crate) fn length<S: Scalar>(a: [S; 3]) -> S {
    dot(a, a).sqrt()
}
