//! 2D and 3D at the border of the crate: ndarray's dimension types carry the choice.

use glam::{DVec2, DVec3, Vec2, Vec3};
use ndarray::{Dimension, Ix2, Ix3};
use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for ndarray::Ix2 {}
    impl Sealed for ndarray::Ix3 {}
}

/// Directions of a grid's cells, of either dimension.
#[derive(Debug)]
pub enum Directions<'a> {
    /// Directions of a 2D grid.
    Flat(&'a mut [Vec2]),
    /// Directions of a 3D grid.
    Deep(&'a mut [Vec3]),
}

/// [`Ix2`](type@Ix2) or [`Ix3`](type@Ix3). Inside, a 2D grid is a 3D grid one cell deep.
pub trait Space: Dimension + sealed::Sealed + Send + Sync + 'static {
    /// A position: `DVec2` or `DVec3`, in world units, x first.
    type Point: Copy + Debug + PartialEq + Send + Sync + Default + 'static;
    /// A direction: `Vec2` or `Vec3`, x first.
    type Direction: Copy + Debug + PartialEq + Send + Sync + Default + 'static;
    /// A cell: `[y, x]` or `[z, y, x]`, as ndarray indexes it.
    type Cell: Copy + Debug + Eq + Ord + std::hash::Hash + Send + Sync + 'static;
    /// The number of axes.
    const AXES: usize;

    /// `[x, y, z]`, with z = 0 in 2D.
    fn to_xyz(point: Self::Point) -> [f64; 3];
    /// The inverse of [`Space::to_xyz`]; z is dropped in 2D.
    fn from_xyz(xyz: [f64; 3]) -> Self::Point;
    /// As a direction; z is dropped in 2D.
    fn direction(xyz: [f32; 3]) -> Self::Direction;
    /// Directions, by their dimension.
    fn directions(all: &mut [Self::Direction]) -> Directions<'_>;
    /// `[z, y, x]`, with z = 0 in 2D.
    fn to_zyx(cell: Self::Cell) -> [usize; 3];
    /// The inverse of [`Space::to_zyx`]; z is dropped in 2D.
    fn from_zyx(zyx: [usize; 3]) -> Self::Cell;
    /// The dimension that holds `cell` as a shape.
    fn shape(cell: Self::Cell) -> Self;
    /// A shape as `[nz, ny, nx]`, with nz = 1 in 2D.
    fn to_size(shape: Self::Cell) -> [usize; 3];
}

// Inlined wherever they are called from: a game under development builds a crate in many parts.
impl Space for Ix2 {
    type Point = DVec2;
    type Direction = Vec2;
    type Cell = [usize; 2];
    const AXES: usize = 2;

    #[inline]
    fn to_xyz(point: DVec2) -> [f64; 3] {
        [point.x, point.y, 0.0]
    }
    #[inline]
    fn from_xyz([x, y, _]: [f64; 3]) -> DVec2 {
        DVec2::new(x, y)
    }
    #[inline]
    fn direction([x, y, _]: [f32; 3]) -> Vec2 {
        Vec2::new(x, y)
    }
    #[inline]
    fn directions(all: &mut [Vec2]) -> Directions<'_> {
        Directions::Flat(all)
    }
    #[inline]
    fn to_zyx([y, x]: [usize; 2]) -> [usize; 3] {
        [0, y, x]
    }
    #[inline]
    fn from_zyx([_, y, x]: [usize; 3]) -> [usize; 2] {
        [y, x]
    }
    #[inline]
    fn shape([y, x]: [usize; 2]) -> Self {
        ndarray::Dim([y, x])
    }
    #[inline]
    fn to_size([y, x]: [usize; 2]) -> [usize; 3] {
        [1, y, x]
    }
}

impl Space for Ix3 {
    type Point = DVec3;
    type Direction = Vec3;
    type Cell = [usize; 3];
    const AXES: usize = 3;

    #[inline]
    fn to_xyz(point: DVec3) -> [f64; 3] {
        point.to_array()
    }
    #[inline]
    fn from_xyz(xyz: [f64; 3]) -> DVec3 {
        DVec3::from_array(xyz)
    }
    #[inline]
    fn direction(xyz: [f32; 3]) -> Vec3 {
        Vec3::from_array(xyz)
    }
    #[inline]
    fn directions(all: &mut [Vec3]) -> Directions<'_> {
        Directions::Deep(all)
    }
    #[inline]
    fn to_zyx(cell: [usize; 3]) -> [usize; 3] {
        cell
    }
    #[inline]
    fn from_zyx(zyx: [usize; 3]) -> [usize; 3] {
        zyx
    }
    #[inline]
    fn shape(cell: [usize; 3]) -> Self {
        ndarray::Dim(cell)
    }
    #[inline]
    fn to_size(shape: [usize; 3]) -> [usize; 3] {
        shape
    }
}
