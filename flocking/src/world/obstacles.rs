//! Things in the way: balls, segments, walls of a grid.

use crate::boid::{Body, Own};
use crate::error::{FlockError, number};
use crate::number::scalar::Scalar;
use crate::number::turn::{away, toward, turned};
use crate::number::vector::{ScalarOf, Vector, add, dot, scale, sub, to_f64};
use crate::rules::config::Species;
use crate::rules::laws::SpeciesLaw;
use crate::rules::steering::Avoidance;
use crate::world::obstacle_grid::{Extent, ObstacleGrid};
use crate::world::walls::Walls;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Something that boids turn away from, as [`Avoidance`](crate::Avoidance) says. Obstacles are
/// soft: they are steered around, and no boid is kept out of them. A boid looks at those that its
/// species' reach can meet; for many small ones take [`Walls`], which nobody enters. Neither is
/// seen across a wrapping edge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Obstacle<V> {
    /// A circle or a sphere; the published obstacle has radius 0.
    Ball {
        /// `[units: world units] [limits: within 1e18]` Its centre.
        centre: V,
        /// `[units: world units] [limits: 0 to 1e12]` Its radius.
        radius: f64,
    },
    /// All within `radius` of a line from one point to another. Its centre is the point of the line
    /// that is nearest to the boid's path ahead. A boid whose path crosses the line turns along it,
    /// toward the end to which it is already leaning; one that moves away from it is left alone.
    Segment {
        /// `[units: world units] [limits: within 1e18]` One end.
        from: V,
        /// `[units: world units] [limits: within 1e18]` The other end.
        to: V,
        /// `[units: world units] [limits: 0 to 1e12]` Half the thickness.
        radius: f64,
    },
}

impl<V: Vector> Obstacle<V> {
    fn check(&self) -> Result<(), FlockError> {
        let (points, radius) = match *self {
            Self::Ball { centre, radius } => ([centre, centre], radius),
            Self::Segment { from, to, radius } => ([from, to], radius),
        };
        for value in points.into_iter().flat_map(|p| to_f64(p.to_xyz())) {
            number("obstacle position", value, value.abs() <= 1e18, "within 1e18")?;
        }
        number("obstacle radius", radius, (0.0..=1e12).contains(&radius), "0 to 1e12")
    }

    /// Nobody outside turns away from it.
    fn extent(&self, avoidance: &Avoidance) -> Extent {
        let (a, b, radius) = match *self {
            Self::Ball { centre, radius } => (centre, centre, radius),
            Self::Segment { from, to, radius } => (from, to, radius),
        };
        let (a, b) = (to_f64(a.to_xyz()), to_f64(b.to_xyz()));
        let length: f64 = (0..3).map(|i| (b[i] - a[i]).abs()).sum();
        let reach = avoidance.look_ahead + avoidance.clearance + 2.0 * radius;
        // Far more than rounding can add.
        let reach = reach + 1e-4 * (reach + length);
        let bound = |i: usize, sign: f64| sign * (sign * a[i]).max(sign * b[i]) + sign * reach;
        (std::array::from_fn(|i| bound(i, -1.0)), std::array::from_fn(|i| bound(i, 1.0)))
    }
}

/// Obstacles and walls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings<V: Vector> {
    obstacles: Vec<Obstacle<V>>,
    grid: ObstacleGrid,
    pub walls: Option<Walls<V>>,
}

impl<V: Vector> Surroundings<V> {
    pub(crate) fn obstacles(&self) -> &[Obstacle<V>] {
        &self.obstacles
    }

    /// For boids of these species.
    pub(crate) fn set(
        &mut self,
        obstacles: Vec<Obstacle<V>>,
        species: &[Species],
    ) -> Result<(), FlockError> {
        for obstacle in &obstacles {
            obstacle.check()?;
        }
        let mut widest = Avoidance { look_ahead: 0.0, clearance: 0.0, ..Avoidance::published() };
        for Species { avoidance, .. } in species {
            widest.look_ahead = widest.look_ahead.max(avoidance.look_ahead);
            widest.clearance = widest.clearance.max(avoidance.clearance);
        }
        let extents: Vec<_> = obstacles.iter().map(|o| o.extent(&widest)).collect();
        self.grid = ObstacleGrid::new(&extents);
        self.obstacles = obstacles;
        Ok(())
    }

    /// The turn away from all that is ahead: obstacles in their order, then the walls.
    #[inline]
    pub(crate) fn turn(
        &self,
        own: &Own<ScalarOf<V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
    ) -> [ScalarOf<V>; 3] {
        let mut sum = [ScalarOf::<V>::ZERO; 3];
        for &obstacle in self.grid.near(to_f64(own.position)) {
            let turn = match self.obstacles[obstacle as usize] {
                Obstacle::Ball { centre, radius } => ball(own, law, centre, radius),
                Obstacle::Segment { from, to, radius } => segment(own, law, from, to, radius),
            };
            if let Some(turn) = turn {
                sum = add(sum, turn);
            }
        }
        if let Some(turn) = self.walls.as_ref().and_then(|walls| wall(own, law, walls)) {
            sum = add(sum, turn);
        }
        scale(sum, law.avoid_weight)
    }

    /// Mirrors a boid that would stand in a wall, axis by axis; where that does not help it stays.
    pub(crate) fn keep_out(&self, from: [ScalarOf<V>; 3], body: &mut Body<ScalarOf<V>>) {
        let Some(walls) = &self.walls else { return };
        if !walls.blocks(V::from_xyz(body.position)) {
            return;
        }
        let zero = ScalarOf::<V>::ZERO;
        for flip in [[true, false, false], [false, true, false], [false, false, true]]
            .into_iter()
            .take(if V::FLAT { 2 } else { 3 })
        {
            let mut to = from;
            for a in 0..3 {
                to[a] = if flip[a] { from[a] } else { body.position[a] };
            }
            if !walls.blocks(V::from_xyz(to)) {
                for a in 0..3 {
                    if flip[a] {
                        body.heading[a] = zero - body.heading[a];
                    }
                }
                body.position = to;
                return;
            }
        }
        body.position = from;
        body.heading = body.heading.map(|h| zero - h);
    }
}

/// How strong a turn is for something `far` ahead.
fn strength<S: Scalar>(law: &SpeciesLaw<S>, far: S) -> S {
    if law.look_ahead > S::ZERO {
        law.avoid_turn * ((law.look_ahead - far) / law.look_ahead)
    } else {
        S::ZERO
    }
}

fn ball<V: Vector>(
    own: &Own<ScalarOf<V>>,
    law: &SpeciesLaw<ScalarOf<V>>,
    centre: V,
    radius: f64,
) -> Option<[ScalarOf<V>; 3]> {
    let zero = ScalarOf::<V>::ZERO;
    let radius = ScalarOf::<V>::from_f64(radius);
    let offset = sub(centre.to_xyz(), own.position);
    let ahead = dot(offset, own.heading);
    let behind = ahead < zero;
    let far = ((if behind { -ahead } else { ahead }) - radius).max(zero);
    if behind && !law.avoid_behind || far > law.look_ahead {
        return None;
    }
    let miss = sub(offset, scale(own.heading, ahead));
    let near = law.clearance + radius;
    (dot(miss, miss) < near * near).then(|| away::<V>(own.heading, offset, strength(law, far)))
}

fn segment<V: Vector>(
    own: &Own<ScalarOf<V>>,
    law: &SpeciesLaw<ScalarOf<V>>,
    from: V,
    to: V,
    radius: f64,
) -> Option<[ScalarOf<V>; 3]> {
    let (zero, one) = (ScalarOf::<V>::ZERO, ScalarOf::<V>::ONE);
    let radius = ScalarOf::<V>::from_f64(radius);
    let (a, b) = (sub(from.to_xyz(), own.position), sub(to.to_xyz(), own.position));
    let along = sub(b, a);
    let length2 = dot(along, along);
    let clamp = |v: ScalarOf<V>| v.max(zero).min(one);
    // The nearest points of the ray t * heading, t >= 0, and the segment a + s * along.
    let lean = dot(along, own.heading);
    let (a_ahead, a_along) = (dot(a, own.heading), dot(a, along));
    let square = length2 - lean * lean;
    // Side by side with the path all points are equally near it: the first one ahead counts.
    let beside = square <= length2 * ScalarOf::<V>::from_f64(1e-6);
    let mut s = match (beside, lean == zero) {
        (false, _) => clamp((lean * a_ahead - a_along) / square),
        (true, false) => clamp(-(a_ahead / lean)),
        (true, true) => zero,
    };
    let mut t = a_ahead + s * lean;
    if t < zero {
        t = zero;
        s = if length2 > zero { clamp(-(a_along / length2)) } else { zero };
    }
    let point = add(a, scale(along, s));
    let far = (t - radius).max(zero);
    if t <= zero || far > law.look_ahead {
        return None;
    }
    let miss = sub(point, scale(own.heading, t));
    let near = law.clearance + radius;
    let miss2 = dot(miss, miss);
    if miss2 >= near * near {
        return None;
    }
    let crossing = miss2 <= length2 * ScalarOf::<V>::from_f64(1e-10);
    let way = if !crossing || length2 == zero {
        point
    } else {
        scale(along, if lean > zero { -one } else { one })
    };
    Some(away::<V>(own.heading, way, strength(law, far)))
}

/// A wall ahead: turn toward the feeler (an eighth of a turn to either side; in 3D also up and
/// down) that reaches farthest. The negative turn where two reach equally far.
fn wall<V: Vector>(
    own: &Own<ScalarOf<V>>,
    law: &SpeciesLaw<ScalarOf<V>>,
    walls: &Walls<V>,
) -> Option<[ScalarOf<V>; 3]> {
    let (zero, pi) = (ScalarOf::<V>::ZERO, ScalarOf::<V>::PI);
    let look = law.look_ahead;
    let far = walls.free(own.position, own.heading, look);
    if far >= look {
        return None;
    }
    let eighth = pi * ScalarOf::<V>::from_f64(0.25);
    let turns = if V::FLAT {
        [[zero, zero, -eighth], [zero, zero, eighth], [zero; 3], [zero; 3]]
    } else {
        let axis = crate::number::turn::stated_axis(own.heading);
        let other = crate::number::vector::cross(own.heading, axis);
        [axis, scale(axis, -ScalarOf::<V>::ONE), other, scale(other, -ScalarOf::<V>::ONE)]
            .map(|axis| scale(axis, eighth))
    };
    let mut best = (-ScalarOf::<V>::ONE, turns[0]);
    for turn in turns.into_iter().take(if V::FLAT { 2 } else { 4 }) {
        let free = walls.free(own.position, turned::<V>(own.heading, turn, pi), look);
        if free > best.0 {
            best = (free, turn);
        }
    }
    let heading = turned::<V>(own.heading, best.1, pi);
    let turn = toward::<V>(own.heading, heading);
    Some(scale(turn, strength(law, far) / eighth))
}
