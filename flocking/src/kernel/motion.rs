//! How a boid moves toward its goal, under a velocity rule, and at the edge of the world.

use crate::boid::{Body, BoidGoal, Own};
use crate::kernel::Scene;
use crate::kernel::sums::VelocitySums;
use crate::neighbours::bins::farthest;
use crate::number::scalar::Scalar;
use crate::number::turn::{shrunk, toward, turned, unit};
use crate::number::vector::{ScalarOf, Vector, add, dot, length, scale, sub};
use crate::rules::config::Edges;
use crate::rules::laws::{SpeciesLaw, VelocityLaw};
use crate::rules::steering::Share;

impl<V: Vector> Scene<'_, V> {
    /// The shortest offset along an axis of a wrapping world.
    fn offset(&self, d: ScalarOf<V>, axis: usize) -> ScalarOf<V> {
        let (size, half) = (self.bounds.size[axis], self.bounds.half[axis]);
        let more = if d < -half { size } else { ScalarOf::<V>::ZERO };
        let less = if d > half { size } else { ScalarOf::<V>::ZERO };
        d + more - less
    }

    fn goal(&self, old: &Body<ScalarOf<V>>) -> Option<&BoidGoal<V>> {
        if !old.has_goal() {
            return None;
        }
        let at = self.goals.binary_search_by_key(&old.id, |g| g.0).ok()?;
        Some(&self.goals[at].1)
    }

    fn way_to(&self, goal: &BoidGoal<V>, own: &Own<ScalarOf<V>>) -> [ScalarOf<V>; 3] {
        let way = sub(goal.position.to_xyz(), own.position);
        if matches!(self.edges, Edges::Wrapping { .. }) {
            std::array::from_fn(|a| self.offset(way[a], a))
        } else {
            way
        }
    }

    /// The turn to the boid's goal: in full where it is alone.
    pub(crate) fn goal_turn(
        &self,
        old: &Body<ScalarOf<V>>,
        own: &Own<ScalarOf<V>>,
        alone: bool,
    ) -> [ScalarOf<V>; 3] {
        match self.goal(old) {
            None => [ScalarOf::<V>::ZERO; 3],
            Some(goal) => {
                let turn = toward::<V>(own.heading, self.way_to(goal, own));
                if alone { turn } else { scale(turn, ScalarOf::<V>::from_f64(goal.pull)) }
            }
        }
    }

    /// The velocity rule.
    pub(crate) fn accelerated(
        &self,
        old: &Body<ScalarOf<V>>,
        own: &Own<ScalarOf<V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
        rule: &VelocityLaw<ScalarOf<V>>,
        sums: &VelocitySums<ScalarOf<V>>,
    ) -> Body<ScalarOf<V>> {
        let zero = ScalarOf::<V>::ZERO;
        let share = |weight: ScalarOf<V>, share, count: ScalarOf<V>| match share {
            Share::Sum => weight,
            Share::Neighbours if count > zero => weight / count,
            Share::Neighbours => zero,
            Share::Flock => weight / ScalarOf::<V>::from_f64(self.sorted.len() as f64),
        };
        let k = share(rule.cohesion.weight, rule.cohesion.share, sums.offset_count);
        let mut change = scale(sums.offset, k);
        change = add(change, scale(sums.push, rule.separation));
        let k = share(rule.alignment.weight, rule.alignment.share, sums.matching_count);
        change = add(change, scale(sums.matching, k));
        if let Some(goal) = self.goal(old) {
            let way = self.way_to(goal, own);
            let far = length(way);
            if far > zero {
                let wanted = scale(way, old.cruise / far);
                let pull = ScalarOf::<V>::from_f64(goal.pull);
                change = add(change, scale(sub(wanted, own.velocity), pull));
            }
        }
        let size = length(change);
        if size > law.max_acceleration {
            change = cut(change, size, law.max_acceleration);
        }
        let velocity = add(own.velocity, change);
        let speed = length(velocity);
        let mut heading = own.heading;
        if dot(velocity, velocity) > ScalarOf::<V>::SAME_PLACE {
            heading = unit(velocity);
        }
        let avoiding = self.surroundings.turn(own, law);
        let avoids = dot(avoiding, avoiding) > zero;
        if avoids || law.max_turn < ScalarOf::<V>::PI {
            // Both turns are of the old heading, and the limit is that of their sum.
            let turn = add(toward::<V>(own.heading, heading), avoiding);
            heading = turned::<V>(own.heading, turn, law.max_turn);
        }
        Body { heading, speed: speed.max(rule.min_speed).min(rule.max_speed), ..*old }
    }

    /// Moves a boid by its speed along its heading, and keeps it in the world and out of walls.
    pub(crate) fn move_on(&self, body: &mut Body<ScalarOf<V>>) {
        let from = body.position;
        body.position = add(from, scale(body.heading, body.speed));
        let zero = ScalarOf::<V>::ZERO;
        let axes = if V::FLAT { 2 } else { 3 };
        match self.edges {
            Edges::Open => {
                let far = ScalarOf::<V>::from_f64(farthest(self.reach));
                for p in &mut body.position[..axes] {
                    *p = (*p).max(-far).min(far);
                }
            }
            Edges::Wrapping { .. } => {
                for (a, p) in body.position[..axes].iter_mut().enumerate() {
                    let (low, high) = (self.bounds.low[a], self.bounds.high[a]);
                    let size = self.bounds.size[a];
                    if *p < low || *p >= high {
                        *p = *p - ((*p - low) / size).floor() * size;
                        // Rounding may leave it on the upper edge, which is the lower one.
                        *p = if *p < low || *p >= high { low } else { *p };
                    }
                }
            }
            Edges::Contained { .. } => {
                for a in 0..axes {
                    let (low, high) = (self.bounds.low[a], self.bounds.high[a]);
                    let p = body.position[a];
                    let mirrored = if p < low {
                        low + (low - p)
                    } else if p > high {
                        high - (p - high)
                    } else {
                        continue;
                    };
                    let (place, turned) = if mirrored < low || mirrored > high {
                        folded(p, low, high, self.bounds.size[a])
                    } else {
                        (mirrored, true)
                    };
                    body.position[a] = place.max(low).min(high);
                    if turned {
                        body.heading[a] = zero - body.heading[a];
                    }
                }
            }
        }
        // Where it ends up, the other side of an edge included.
        self.surroundings.keep_out(from, body);
    }
}

/// `change` at length `most`; `size` is its length.
#[inline]
fn cut<S: Scalar>(change: [S; 3], size: S, most: S) -> [S; 3] {
    if size < S::from_f64(f64::INFINITY) {
        return scale(change, most / size);
    }
    scale(unit(shrunk(change)), most)
}

/// Where a boid is along an axis, and whether it comes back, whose way to `p` is mirrored more than
/// once: the way repeats itself after two sizes of the world.
#[cold]
fn folded<S: Scalar>(p: S, low: S, high: S, size: S) -> (S, bool) {
    let (near, far, over, inward) =
        if p < low { (low, high, low - p, S::ONE) } else { (high, low, p - high, -S::ONE) };
    let size = size.to_f64();
    // Remainders are exact, and the same everywhere.
    let rest = over.to_f64() % (2.0 * size);
    if rest == 0.0 {
        (near, false)
    } else if rest <= size {
        (near + inward * S::from_f64(rest), true)
    } else {
        (far - inward * S::from_f64(rest - size), false)
    }
}
