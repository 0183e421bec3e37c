//! The rules as settings: the effect of neighbours and obstacles on a boid.

use crate::error::{FlockError, number};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_3, PI, TAU};

/// The effect of neighbours on a boid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum SteeringRule {
    /// Neighbours turn the heading; the speed is the boid's own (boids-2016).
    Turning(Turning),
    /// Neighbours change the velocity (Reynolds 1987 and most programs since).
    Velocity(Velocity),
}

/// The published rule, with a weight for each part.
///
/// With h the heading, d the offset to a neighbour in view, n their number, and `h -> u` the
/// shortest turn from h to u (in 2D a signed angle, positive from +x toward +y, half a turn being
/// positive; in 3D the rotation vector `(h x u) / |h x u| * atan2(|h x u|, h . u)`):
///
/// * cohesion: `h -> sum(d)` (the mean offset, the boid itself included, has the same direction;
///   none where the sum is 0);
/// * alignment: `sum(h -> h_j) / (n + 1)`;
/// * separation: over neighbours with |d| <= R, `separation_turn * (R - |d|) / R` away from d:
///   against the side on which d lies; the negative turn where it lies dead ahead.
///
/// The turns add up, avoidance and goal to them; the heading is turned once. In 3D a turn without
/// an axis (dead ahead or exactly behind, or so near to it that rounding decides: within 1000 times
/// the format's epsilon) takes -z made square to h, which is the negative turn of a flat flock; for
/// |h.z| >= 0.9, -x made square to h.
///
/// A neighbour is in view at 0 < |d| <= `view_radius` and at less than half the view angle from the
/// heading. A neighbour at the same place has no direction and is not seen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Turning {
    /// `[units: world units] [limits: 0 to 1e12] suggested: 10; published: 75`
    pub view_radius: f64,
    /// `[units: radians] [limits: 0 to 2 pi; 2 pi: all around] suggested: 4.7; published: pi`
    pub view_angle: f64,
    /// `[units: 1] [limits: within 1e6] suggested: 0.1; published: 1` The weight.
    pub cohesion: f64,
    /// `[units: 1] [limits: within 1e6] suggested: 0.5; published: 1` The weight.
    pub alignment: f64,
    /// `[units: 1] [limits: within 1e6] suggested: 0.3; published: 1` The weight.
    pub separation: f64,
    /// `[units: world units] [limits: 0 to 1e12] suggested: 0.4 view radii; published: 30` Those
    /// farther than the view radius are not seen.
    pub separation_radius: f64,
    /// `[units: radians] [limits: 0 to 2 pi] suggested: pi / 3; published: pi / 3` At distance 0.
    pub separation_turn: f64,
}

/// For a map of some 100 units: a radius of 10, an angle of 270 degrees, and weights so low that a
/// flock gives way to an obstacle before it draws together.
impl Default for Turning {
    fn default() -> Self {
        Self {
            view_angle: 1.5 * PI,
            cohesion: 0.1,
            alignment: 0.5,
            separation: 0.3,
            ..Self::published_at(10.0)
        }
    }
}

impl Turning {
    /// Radius 75, angle 180 degrees, weights 1, separation of 60 degrees within 30.
    #[must_use]
    pub fn published() -> Self {
        Self {
            view_radius: 75.0,
            view_angle: PI,
            cohesion: 1.0,
            alignment: 1.0,
            separation: 1.0,
            separation_radius: 30.0,
            separation_turn: FRAC_PI_3,
        }
    }

    /// The published rule at another scale: all lengths times `view_radius / 75`.
    #[must_use]
    pub fn published_at(view_radius: f64) -> Self {
        Self { view_radius, separation_radius: 0.4 * view_radius, ..Self::published() }
    }
}

/// Neighbours add to the velocity v: `v' = v + (cohesion + separation + alignment)`, the sum cut to
/// the largest acceleration, the result to the speed limits; then `x' = x + v'`.
///
/// With d the offset to a neighbour: cohesion `w * sum(d)`, alignment `w * sum(v_j - v)`, each
/// shared as its [`Share`] says; separation `w * sum(push)` by its [`Push`]. Each has its own
/// radius.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Velocity {
    /// `[units: radians] [limits: 0 to 2 pi; 2 pi: all around] suggested: 2 pi`
    pub view_angle: f64,
    /// Toward the neighbours.
    pub cohesion: Pull,
    /// Toward their velocities.
    pub alignment: Pull,
    /// `[units: by push] [limits: within 1e6] suggested: 0.05` The weight.
    pub separation: f64,
    /// `[units: world units] [limits: 0 to 1e12] suggested: 0.4 of the others' radius`
    pub separation_radius: f64,
    /// How it falls off.
    pub push: Push,
    /// `[units: world units per step] [limits: 0 to max_speed] suggested: 0.5`
    pub min_speed: f64,
    /// `[units: world units per step] [limits: min_speed to 1e12] suggested: 1`
    pub max_speed: f64,
}

/// A part of a velocity rule that draws toward something.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Pull {
    /// `[units: 1] [limits: within 1e6] suggested: 0.01 (cohesion), 0.1 (alignment)`
    pub weight: f64,
    /// `[units: world units] [limits: 0 to 1e12] suggested: 10`
    pub radius: f64,
    /// The divisor of the sum.
    pub share: Share,
}

/// The divisor of a sum over neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Share {
    /// Nothing.
    Sum,
    /// The number of neighbours within the radius: their mean.
    Neighbours,
    /// The number of boids in the flock.
    Flock,
}

/// How separation falls off with the distance, for an offset d and a radius R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Push {
    /// `-d`: it grows with the distance, and ends at the radius.
    Offset,
    /// `-d / |d| * (1 - |d| / R)`.
    Linear,
    /// `-d / |d|^2`.
    Inverse,
}

impl Velocity {
    /// Means over all neighbours within `radius` all around, linear separation within 0.4 of it.
    #[must_use]
    pub fn within(radius: f64) -> Self {
        let pull = |weight| Pull { weight, radius, share: Share::Neighbours };
        Self {
            view_angle: TAU,
            cohesion: pull(0.01),
            alignment: pull(0.1),
            separation: 0.05,
            separation_radius: 0.4 * radius,
            push: Push::Linear,
            min_speed: 0.5,
            max_speed: 1.0,
        }
    }
}

/// The effect of obstacles on a boid: the published projection, with the parts named.
///
/// With c the offset to the obstacle's centre (a segment's nearest point) and r its radius: it is
/// ahead where `0 <= p <= look_ahead + r` for `p = h . c`, and in the way where
/// `|c - p h| < clearance + r`; then the boid turns away from c by
/// `weight * turn * (1 - max(p - r, 0) / look_ahead)`. The source's obstacles have r = 0. Obstacles
/// behind (p < 0) are skipped, unless [`Avoidance::behind`] is set; |p| then stands for p.
///
/// Avoidance is only a turn, so obstacles are soft: if other turns outweigh it, a boid may cross
/// one. [`Walls`](crate::Walls) are hard: no boid ends a step in a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Avoidance {
    /// `[units: 1] [limits: within 1e6] suggested: 2; published: 1`
    pub weight: f64,
    /// `[units: world units] [limits: 0 to 1e12] suggested: 1.5 view radii; published: 80`
    pub look_ahead: f64,
    /// `[units: world units] [limits: 0 to 1e12] suggested: 0.2 view radii; published: 60`
    pub clearance: f64,
    /// `[units: radians] [limits: 0 to 2 pi] suggested: pi / 3; published: pi / 3` At distance 0.
    pub turn: f64,
    /// `suggested: false; published text: false, published code: true` Whether a boid also turns
    /// away from balls behind it, as far as it looks ahead. The text of boids-2016 speaks of
    /// obstacles ahead; its code compares the length of the projection, which has no sign.
    #[cfg_attr(feature = "serde", serde(default))]
    pub behind: bool,
}

/// For a map of some 100 units: looks 15 ahead and 2 aside, and weighs twice as much as published.
impl Default for Avoidance {
    fn default() -> Self {
        Self { weight: 2.0, look_ahead: 15.0, clearance: 2.0, ..Self::published() }
    }
}

impl Avoidance {
    /// Looks 80 ahead and 60 aside, turns by 60 degrees at most.
    #[must_use]
    pub fn published() -> Self {
        Self { weight: 1.0, look_ahead: 80.0, clearance: 60.0, turn: FRAC_PI_3, behind: false }
    }

    /// The same as the code of boids-2016 has it: obstacles behind count as those ahead do.
    #[must_use]
    pub fn published_code() -> Self {
        Self { behind: true, ..Self::published() }
    }

    pub(crate) fn check(&self) -> Result<(), FlockError> {
        weight("avoidance.weight", self.weight)?;
        distance("avoidance.look_ahead", self.look_ahead)?;
        distance("avoidance.clearance", self.clearance)?;
        angle("avoidance.turn", self.turn)
    }
}

fn distance(what: &'static str, value: f64) -> Result<(), FlockError> {
    number(what, value, (0.0..=1e12).contains(&value), "0 to 1e12")
}
fn angle(what: &'static str, value: f64) -> Result<(), FlockError> {
    number(what, value, (0.0..=TAU).contains(&value), "0 to 2 pi")
}

/// Bounded, so that no sum of weighted neighbours leaves the range of f32.
pub(crate) fn weight(what: &'static str, value: f64) -> Result<(), FlockError> {
    number(what, value, value.abs() <= 1e6, "within 1e6")
}

impl SteeringRule {
    /// The farthest that a neighbour counts.
    pub(crate) fn reach(&self) -> f64 {
        match self {
            SteeringRule::Turning(t) => t.view_radius,
            SteeringRule::Velocity(v) => {
                v.cohesion.radius.max(v.alignment.radius).max(v.separation_radius)
            }
        }
    }

    pub(crate) fn view_angle(&self) -> f64 {
        match self {
            SteeringRule::Turning(t) => t.view_angle,
            SteeringRule::Velocity(v) => v.view_angle,
        }
    }

    pub(crate) fn check(&self) -> Result<(), FlockError> {
        angle("view_angle", self.view_angle())?;
        match self {
            SteeringRule::Turning(t) => {
                distance("view_radius", t.view_radius)?;
                distance("separation_radius", t.separation_radius)?;
                angle("separation_turn", t.separation_turn)?;
                weight("cohesion", t.cohesion)?;
                weight("alignment", t.alignment)?;
                weight("separation", t.separation)
            }
            SteeringRule::Velocity(v) => {
                for pull in [v.cohesion, v.alignment] {
                    distance("radius", pull.radius)?;
                    weight("weight", pull.weight)?;
                }
                distance("separation_radius", v.separation_radius)?;
                weight("separation", v.separation)?;
                distance("max_speed", v.max_speed)?;
                let fits = (0.0..=v.max_speed).contains(&v.min_speed);
                number("min_speed", v.min_speed, fits, "0 to max_speed")
            }
        }
    }
}
