//! From sums to headings, eight boids at once: operation by operation as `turn.rs` does one.

use crate::kernel::sums::TurningSums;
use crate::number::lanes::{LANES, Lanes, cross3, dot3, scale3};
use crate::number::scalar::Scalar;
use crate::number::turn::toward;
use crate::number::vector::{ScalarOf, Vector};

type Eight<S> = [S; LANES];

/// The data that decide where eight boids turn, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct Wishes<S> {
    pub(crate) heading: [Eight<S>; 3],
    pub(crate) offset: [Eight<S>; 3],
    pub(crate) alignment: [Eight<S>; 3],
    pub(crate) separation: [Eight<S>; 3],
    /// Neighbours, and the boid itself.
    pub(crate) count: Eight<S>,
    /// The turn away from obstacles, and toward a goal.
    pub(crate) avoidance: [Eight<S>; 3],
    pub(crate) goal: [Eight<S>; 3],
    /// Weights of cohesion, alignment, separation.
    pub(crate) weights: [Eight<S>; 3],
    pub(crate) max_turn: Eight<S>,
}

impl<S: Scalar> Wishes<S> {
    pub(crate) fn new() -> Self {
        let (zero, one) = ([S::ZERO; LANES], [S::ONE; LANES]);
        Self {
            heading: [one, zero, zero],
            offset: [zero; 3],
            alignment: [zero; 3],
            separation: [zero; 3],
            count: one,
            avoidance: [zero; 3],
            goal: [zero; 3],
            weights: [zero; 3],
            max_turn: zero,
        }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, sums: &TurningSums<S>) {
        for a in 0..3 {
            self.offset[a][lane] = sums.offset[a];
            self.alignment[a][lane] = sums.alignment[a];
            self.separation[a][lane] = sums.separation[a];
        }
        self.count[lane] = sums.count;
    }

    /// The headings after the turn.
    #[inline(always)]
    pub(crate) fn headings<V: Vector<Scalar = S>, L: Lanes<S>>(&self) -> [Eight<S>; 3] {
        let heading = load3::<S, L>(&self.heading);
        let cohesion = self.cohesion::<V, L>(heading);
        let [cohere, align, separate] = load3::<S, L>(&self.weights);
        let share = align / L::load(&self.count);
        let (alignment, separation) =
            (load3::<S, L>(&self.alignment), load3::<S, L>(&self.separation));
        let (avoidance, goal) = (load3::<S, L>(&self.avoidance), load3::<S, L>(&self.goal));
        let mut turn = [L::all(S::ZERO); 3];
        for a in if V::FLAT { 2..3 } else { 0..3 } {
            let sum = cohesion[a] * cohere + alignment[a] * share + separation[a] * separate;
            turn[a] = sum + avoidance[a] + goal[a];
        }
        let heading = turned::<V, L>(heading, turn, L::load(&self.max_turn));
        [heading[0].array(), heading[1].array(), heading[2].array()]
    }

    /// The turns toward the mean offset, as `toward`.
    #[inline(always)]
    fn cohesion<V: Vector<Scalar = S>, L: Lanes<S>>(&self, heading: [L; 3]) -> [L; 3] {
        let zero = L::all(S::ZERO);
        let way = load3::<S, L>(&self.offset);
        if V::FLAT {
            let axis = heading[0] * way[1] - heading[1] * way[0] + zero;
            // z is 0.
            let ahead = dot3(heading, [way[0], way[1], zero]);
            let left = axis.below(zero);
            let minus = L::all(-S::ONE);
            let angle = L::angle(L::pick(left, axis * minus, axis), ahead);
            return [zero, zero, L::pick(left, angle * minus, angle)];
        }
        let axis = cross3(heading, way);
        let sine = dot3(axis, axis).root();
        let angle = L::angle(sine, dot3(heading, way));
        let some = L::both(sine.above(zero), sine.below(L::all(S::from_f64(f64::INFINITY))));
        let some = L::both(some, angle.at_most(L::all(S::PI - S::NARROW)));
        let ratio = angle / L::pick(some, sine, L::all(S::ONE));
        let mut turns = scale3(axis, ratio);
        if L::bits(some) != (1 << LANES) - 1 {
            // Rare: alone, all neighbours exactly ahead, as good as behind, or a sum whose square
            // is infinite.
            let (some, [x, y, z]) = (L::bits(some), turns);
            let mut each = [x.array(), y.array(), z.array()];
            for i in (0..LANES).filter(|i| some >> i & 1 == 0) {
                let turn = toward::<V>(self.heading.map(|h| h[i]), self.offset.map(|o| o[i]));
                for a in 0..3 {
                    each[a][i] = turn[a];
                }
            }
            turns = load3(&each);
        }
        turns
    }
}

#[inline(always)]
fn load3<S: Scalar, L: Lanes<S>>(a: &[Eight<S>; 3]) -> [L; 3] {
    [L::load(&a[0]), L::load(&a[1]), L::load(&a[2])]
}

/// As [`Scalar::wrapped`].
#[inline(always)]
fn wrapped<S: Scalar, L: Lanes<S>>(angle: L) -> L {
    let (pi, tau, half) = (L::all(S::PI), L::all(S::TAU), L::all(S::from_f64(0.5)));
    let minus = L::all(-S::PI);
    let far = L::pick(angle.below(L::all(S::ZERO)), L::all(S::ZERO) - angle, angle).above(pi);
    let turns = (angle / tau + half).floor();
    L::pick(far, (angle - turns * tau).max(minus).min(pi), angle)
}

/// As `turn::turned`.
#[inline(always)]
fn turned<V: Vector, L: Lanes<ScalarOf<V>>>(heading: [L; 3], turn: [L; 3], most: L) -> [L; 3] {
    let (zero, one) = (L::all(ScalarOf::<V>::ZERO), L::all(ScalarOf::<V>::ONE));
    let (angle, axis) = if V::FLAT {
        (turn[2], [zero, zero, one])
    } else {
        let angle = dot3(turn, turn).root();
        let some = angle.above(zero);
        (angle, scale3(turn, one / L::pick(some, angle, one)))
    };
    let angle = wrapped(angle).max(zero - most).min(most);
    let (sine, cosine) = angle.sin_cos();
    let minus = L::all(-ScalarOf::<V>::ONE);
    let side = if V::FLAT { [heading[1] * minus, heading[0], zero] } else { cross3(axis, heading) };
    let mut new = [zero; 3];
    for a in 0..if V::FLAT { 2 } else { 3 } {
        new[a] = heading[a] * cosine + side[a] * sine;
    }
    let length = dot3(new, new).root();
    let still = L::both(angle.at_most(zero), zero.at_most(angle));
    for a in 0..if V::FLAT { 2 } else { 3 } {
        new[a] = L::pick(still, heading[a], new[a] / length);
    }
    if V::FLAT { [new[0], new[1], heading[2]] } else { new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::lanes::{Portable, all3};
    use crate::number::turn;
    use glam::{DVec2, DVec3, Vec2, Vec3};

    fn same<V: Vector>() {
        type Wide<V> = <ScalarOf<V> as Scalar>::Lanes<Portable>;
        let number = |a: f64| ScalarOf::<V>::from_f64(a);
        let axes = if V::FLAT { 2 } else { 3 };
        for i in 0..500 {
            let a = f64::from(i) * 0.37;
            let mut heading = [a.sin(), a.cos(), (a * 0.7).sin()].map(number);
            let mut turn = [0.0, 0.0, 7.0 * (a * 1.3).sin()].map(number);
            if V::FLAT {
                heading[2] = number(0.0);
            } else {
                turn = turn::away::<V>(heading, [0.3, 0.5, 0.1].map(number), turn[2]);
            }
            if i % 7 == 0 {
                turn = [number(0.0); 3];
            }
            let heading = turn::unit(heading);
            let most = number(if i % 2 == 0 { 4.0 } else { 0.3 });
            let one = turn::turned::<V>(heading, turn, most);
            let lanes = turned::<V, Wide<V>>(all3(heading), all3(turn), Lanes::all(most));
            for axis in 0..axes {
                let bits = lanes[axis].array().map(Scalar::bits);
                assert_eq!(bits, [one[axis].bits(); LANES], "{heading:?} {turn:?} {most:?}");
            }
        }
    }

    #[test]
    fn eight_turn_as_one_does() {
        same::<Vec2>();
        same::<DVec2>();
        same::<Vec3>();
        same::<DVec3>();
    }
}
