//! A boid: as a caller gives it, and as a step stores it.

use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector, scale};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// One boid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Boid<V> {
    /// `[units: world units] [limits: in the world, out of walls]`
    pub position: V,
    /// `[limits: finite, not 0]` Where it looks and goes. Of any length; one of length 1 to
    /// rounding is taken as it is.
    pub heading: V,
    /// `[units: world units per step] [limits: 0 to 1e12] suggested: 0.1 view radii`
    pub speed: f64,
    /// `[units: world units per step] [limits: 0 to 1e12] suggested: speed` The speed toward which
    /// it goes by at most [`Species::max_acceleration`](crate::Species::max_acceleration) a step.
    pub cruise: f64,
    /// `[limits: below the number of species] suggested: 0`
    pub species: u8,
    /// Where it wants to go.
    pub goal: Option<BoidGoal<V>>,
}

/// Where a boid wants to go. It leads those that do not know the way.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct BoidGoal<V> {
    /// `[units: world units] [limits: within 1e18]`
    pub position: V,
    /// `[units: 1] [limits: within 1e6] suggested: 0.3; published: 0` The weight of the turn toward
    /// it while neighbours are in view; with nobody in view the boid turns to it in full, as
    /// published. Under a velocity rule, the share of the wanted change of velocity, always.
    pub pull: f64,
}

impl<V: Vector> Boid<V> {
    /// A boid of species 0 without a goal that keeps its speed. At velocity 0 it looks along +x.
    pub fn new(position: V, velocity: V) -> Self {
        let v = velocity.to_xyz();
        let speed = crate::number::vector::length(v).to_f64();
        let along_x = [ScalarOf::<V>::ONE, ScalarOf::<V>::ZERO, ScalarOf::<V>::ZERO];
        let heading = if speed == 0.0 { V::from_xyz(along_x) } else { velocity };
        Self { position, heading, speed, cruise: speed, species: 0, goal: None }
    }

    /// `heading * speed`, for a heading of length 1.
    #[must_use]
    pub fn velocity(&self) -> V {
        V::from_xyz(scale(self.heading.to_xyz(), ScalarOf::<V>::from_f64(self.speed)))
    }
}

/// The motion that the rules want for a boid, for a host that moves it itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steering<V> {
    /// `[units: world units per step]` The velocity after the turn.
    pub velocity: V,
    /// `[units: world units per step^2]` The wanted velocity less the present one: a host adds it
    /// to its own movement.
    pub change: V,
}

/// A boid as it is stored, in the order of the last sort.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Body<S> {
    pub position: [S; 3],
    pub heading: [S; 3],
    pub speed: S,
    pub cruise: S,
    pub id: u32,
    /// The species, and whether it has a goal.
    pub tag: u32,
}

pub(crate) const HAS_GOAL: u32 = 1 << 8;

impl<S> Body<S> {
    pub(crate) fn species(&self) -> usize {
        (self.tag & 0xff) as usize
    }
    pub(crate) fn has_goal(&self) -> bool {
        self.tag & HAS_GOAL != 0
    }
}

/// The data of a boid itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own<S> {
    pub(crate) position: [S; 3],
    pub(crate) heading: [S; 3],
    pub(crate) angle: S,
    pub(crate) velocity: [S; 3],
    pub(crate) species: usize,
}
