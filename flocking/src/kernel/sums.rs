//! The sums of a boid over its neighbours.
//!
//! The k-th in view, in the order (cell, id), goes to partial sum k mod 8; [`Lanes::total`] adds
//! the eight.

use crate::boid::Own;
use crate::number::lanes::{Lanes, all3, cross3, dot3, scale3, total3};
use crate::number::scalar::Scalar;
use crate::number::turn::{away, toward};
use crate::number::vector::{ScalarOf, Vector};
use crate::rules::laws::{TurningLaw, VelocityLaw};
use crate::rules::steering::Push;

/// A boid's view of eight neighbours. Lanes beyond `some` hold any finite numbers.
#[derive(Clone, Copy)]
pub(crate) struct Seen<S: Scalar, L: Lanes<S>> {
    pub(crate) some: L::Mask,
    /// x, y, z.
    pub(crate) offset: [L; 3],
    pub(crate) distance2: L,
    pub(crate) heading: [L; 3],
    pub(crate) angle: L,
    pub(crate) speed: L,
    /// How it reacts to each one's species.
    pub(crate) cohesion: L,
    pub(crate) alignment: L,
    pub(crate) separation: L,
}

impl<S: Scalar, L: Lanes<S>> Seen<S, L> {
    #[inline(always)]
    fn within(&self, radius2: S) -> L::Mask {
        L::both(self.some, self.distance2.at_most(L::all(radius2)))
    }
}

/// Partial sums of one rule. `WEIGHTED`: the neighbour's species has its own weights.
pub(crate) trait Sums<V: Vector, L: Lanes<ScalarOf<V>>>: Copy {
    type Law: Copy;
    /// Whether it reads its neighbours' velocities.
    const VELOCITIES: bool;
    fn new() -> Self;
    fn add<const WEIGHTED: bool>(
        &mut self,
        law: &Self::Law,
        own: &Own<ScalarOf<V>>,
        seen: &Seen<ScalarOf<V>, L>,
    );
}

/// For [`crate::Turning`]: eight partial sums, or the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurningSums<X> {
    pub(crate) offset: [X; 3],
    pub(crate) alignment: [X; 3],
    pub(crate) separation: [X; 3],
    /// Neighbours, each counted with its weight; in the end with the boid itself.
    pub(crate) count: X,
}

impl<L> TurningSums<L> {
    #[inline(always)]
    pub(crate) fn total<S: Scalar>(self) -> TurningSums<S>
    where
        L: Lanes<S>,
    {
        TurningSums {
            offset: total3(self.offset),
            alignment: total3(self.alignment),
            separation: total3(self.separation),
            count: S::ONE + self.count.total(),
        }
    }
}

impl<V: Vector, L: Lanes<ScalarOf<V>>> Sums<V, L> for TurningSums<L> {
    type Law = TurningLaw<ScalarOf<V>>;
    const VELOCITIES: bool = false;

    #[inline(always)]
    fn new() -> Self {
        let zero = L::all(Scalar::ZERO);
        Self { offset: [zero; 3], alignment: [zero; 3], separation: [zero; 3], count: zero }
    }

    #[inline(always)]
    fn add<const WEIGHTED: bool>(
        &mut self,
        law: &Self::Law,
        own: &Own<ScalarOf<V>>,
        seen: &Seen<ScalarOf<V>, L>,
    ) {
        let (turns, aparts) = if V::FLAT {
            flat_terms::<V, L>(law, own, seen)
        } else {
            deep_terms::<V, L>(law, own, seen)
        };
        for a in 0..if V::FLAT { 2 } else { 3 } {
            self.offset[a] = self.offset[a]
                + weighted::<_, _, WEIGHTED>(seen.offset[a], seen.cohesion).only(seen.some);
        }
        for a in if V::FLAT { 2..3 } else { 0..3 } {
            self.alignment[a] = self.alignment[a]
                + weighted::<_, _, WEIGHTED>(turns[a], seen.alignment).only(seen.some);
            self.separation[a] = self.separation[a]
                + weighted::<_, _, WEIGHTED>(aparts[a], seen.separation).only(seen.some);
        }
        let one = weighted::<_, _, WEIGHTED>(L::all(Scalar::ONE), seen.alignment);
        self.count = self.count + one.only(seen.some);
    }
}

#[inline(always)]
fn weighted<S: Scalar, L: Lanes<S>, const WEIGHTED: bool>(v: L, weight: L) -> L {
    if WEIGHTED { v * weight } else { v }
}

/// Alignment turns and separation turns of eight neighbours: x, y, z of each.
type Terms<L> = ([L; 3], [L; 3]);

/// As `toward` and `away` in 2D, lane by lane.
#[inline(always)]
fn flat_terms<V: Vector, L: Lanes<ScalarOf<V>>>(
    law: &TurningLaw<ScalarOf<V>>,
    own: &Own<ScalarOf<V>>,
    seen: &Seen<ScalarOf<V>, L>,
) -> Terms<L> {
    let all = L::all;
    let zero = all(Scalar::ZERO);
    let [x, y, _] = seen.offset;
    let push = push::<V, L>(law, seen);
    let (pi, tau) = (<ScalarOf<V> as Scalar>::PI, <ScalarOf<V> as Scalar>::TAU);
    let turn = seen.angle - all(own.angle);
    let less = all(tau).only(turn.above(all(pi)));
    let more = all(tau).only(turn.at_most(all(-pi)));
    let turn = turn - less + more;
    let side = all(own.heading[0]) * y - all(own.heading[1]) * x;
    let apart = L::pick(side.below(zero), push, zero - push);
    ([zero, zero, turn], [zero, zero, apart])
}

/// As `toward` and `away` in 3D, lane by lane; the rare cases without an axis one by one.
#[inline(always)]
fn deep_terms<V: Vector, L: Lanes<ScalarOf<V>>>(
    law: &TurningLaw<ScalarOf<V>>,
    own: &Own<ScalarOf<V>>,
    seen: &Seen<ScalarOf<V>, L>,
) -> Terms<L> {
    let zero = L::all(Scalar::ZERO);
    let push = push::<V, L>(law, seen);
    let heading = all3(own.heading);
    let axis = cross3(heading, seen.heading);
    let sine = dot3(axis, axis).root();
    let angle = L::angle(sine, dot3(heading, seen.heading));
    let most = L::all(<ScalarOf<V> as Scalar>::PI - <ScalarOf<V> as Scalar>::NARROW);
    let some = L::both(sine.above(zero), angle.at_most(most));
    // What a lane without an axis gets here is corrected below, or belongs to no neighbour.
    let mut turns = scale3(axis, angle / sine);
    let axis = cross3(heading, seen.offset);
    let sine2 = dot3(axis, axis);
    let narrow = <ScalarOf<V> as Scalar>::NARROW;
    let aside = sine2.above(seen.distance2 * L::all(narrow * narrow));
    let mut aparts = scale3(axis, zero - push / sine2.root());
    let here = L::bits(seen.some);
    if L::bits(L::both(some, aside)) & here != here {
        (turns, aparts) = one_by_one::<V, L>(own, seen, turns, aparts, push);
    }
    (turns, aparts)
}

/// Corrects the lanes that have no axis.
#[inline(always)]
fn one_by_one<V: Vector, L: Lanes<ScalarOf<V>>>(
    own: &Own<ScalarOf<V>>,
    seen: &Seen<ScalarOf<V>, L>,
    mut turns: [L; 3],
    mut aparts: [L; 3],
    push: L,
) -> Terms<L> {
    let [hx, hy, hz] = seen.heading;
    let headings = [hx.array(), hy.array(), hz.array()];
    let [x, y, z] = seen.offset;
    let offsets = [x.array(), y.array(), z.array()];
    let push = push.array();
    let (mut t, mut a) = ([push; 3], [push; 3]);
    for i in 0..L::bits(seen.some).count_ones() as usize {
        let turn = toward::<V>(own.heading, headings.map(|h| h[i]));
        let apart = away::<V>(own.heading, offsets.map(|o| o[i]), push[i]);
        for axis in 0..3 {
            t[axis][i] = turn[axis];
            a[axis][i] = apart[axis];
        }
    }
    for axis in 0..3 {
        (turns[axis], aparts[axis]) = (L::load(&t[axis]), L::load(&a[axis]));
    }
    (turns, aparts)
}

/// The angles of separation; 0 at and beyond the radius.
#[inline(always)]
fn push<V: Vector, L: Lanes<ScalarOf<V>>>(
    law: &TurningLaw<ScalarOf<V>>,
    seen: &Seen<ScalarOf<V>, L>,
) -> L {
    let near = L::all(law.radius) - seen.distance2.root();
    near.only(near.above(L::all(Scalar::ZERO))) * L::all(law.slope)
}

/// For [`crate::Velocity`]: eight partial sums, or the sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VelocitySums<X> {
    pub(crate) offset: [X; 3],
    pub(crate) offset_count: X,
    pub(crate) matching: [X; 3],
    pub(crate) matching_count: X,
    pub(crate) push: [X; 3],
}

impl<L> VelocitySums<L> {
    #[inline(always)]
    pub(crate) fn total<S: Scalar>(self) -> VelocitySums<S>
    where
        L: Lanes<S>,
    {
        VelocitySums {
            offset: total3(self.offset),
            offset_count: self.offset_count.total(),
            matching: total3(self.matching),
            matching_count: self.matching_count.total(),
            push: total3(self.push),
        }
    }
}

impl<V: Vector, L: Lanes<ScalarOf<V>>> Sums<V, L> for VelocitySums<L> {
    type Law = VelocityLaw<ScalarOf<V>>;
    const VELOCITIES: bool = true;

    #[inline(always)]
    fn new() -> Self {
        let zero = L::all(Scalar::ZERO);
        Self {
            offset: [zero; 3],
            offset_count: zero,
            matching: [zero; 3],
            matching_count: zero,
            push: [zero; 3],
        }
    }

    #[inline(always)]
    fn add<const WEIGHTED: bool>(
        &mut self,
        law: &Self::Law,
        own: &Own<ScalarOf<V>>,
        seen: &Seen<ScalarOf<V>, L>,
    ) {
        let (zero, one) = (L::all(Scalar::ZERO), L::all(Scalar::ONE));
        let near = seen.within(law.cohesion.radius2);
        let along = seen.within(law.alignment.radius2);
        let (apart, radius) = (seen.within(law.radius2), L::all(law.radius));
        let d = seen.distance2.root();
        let shrink = match law.push {
            Push::Offset => one,
            Push::Linear => (one - d / radius) / d,
            Push::Inverse => one / seen.distance2,
        };
        for a in 0..if V::FLAT { 2 } else { 3 } {
            let offset = seen.offset[a];
            self.offset[a] =
                self.offset[a] + weighted::<_, _, WEIGHTED>(offset, seen.cohesion).only(near);
            let difference = seen.heading[a] * seen.speed - L::all(own.velocity[a]);
            let matching = weighted::<_, _, WEIGHTED>(difference, seen.alignment);
            self.matching[a] = self.matching[a] + matching.only(along);
            let push = if law.push == Push::Offset { offset } else { offset * shrink };
            let push = weighted::<_, _, WEIGHTED>(push, seen.separation);
            self.push[a] = self.push[a] - push.only(apart);
        }
        let flees = seen.cohesion.below(zero);
        let size = L::pick(flees, zero - seen.cohesion, seen.cohesion);
        self.offset_count = self.offset_count + (if WEIGHTED { size } else { one }).only(near);
        let alignment = if WEIGHTED { seen.alignment } else { one };
        self.matching_count = self.matching_count + alignment.only(along);
    }
}
