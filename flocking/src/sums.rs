//! What a boid sums over its neighbours, in the order (cell, id).

use crate::lanes::{LANES, Lanes};
use crate::laws::{HeedLaw, TurningLaw, VelocityLaw};
use crate::real::Real;
use crate::rules::Push;
use crate::space::{Scalar, Space, add, scale, sub};
use crate::turn::{away, toward};

/// What a boid knows of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own<S> {
    pub(crate) position: [S; 3],
    pub(crate) heading: [S; 3],
    pub(crate) angle: S,
    pub(crate) velocity: [S; 3],
    pub(crate) slot: usize,
    pub(crate) species: usize,
}

/// What a boid sees of some neighbours. Lanes from `count` on hold something finite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<S> {
    pub(crate) count: usize,
    /// x, y, z.
    pub(crate) offset: [[S; LANES]; 3],
    pub(crate) distance2: [S; LANES],
    pub(crate) heading: [[S; LANES]; 3],
    pub(crate) angle: [S; LANES],
    pub(crate) speed: [S; LANES],
    /// The species in the lowest byte.
    pub(crate) tags: [u32; LANES],
}

/// Sums of one rule. `WEIGHTED`: the neighbour's species has its own weights.
pub(crate) trait Sums<V: Space>: Copy {
    type Law: Copy;
    /// Whether it reads its neighbours' velocities.
    const VELOCITIES: bool;
    fn new() -> Self;
    fn add<const WEIGHTED: bool>(
        &mut self,
        law: &Self::Law,
        own: &Own<Scalar<V>>,
        seen: &Seen<Scalar<V>>,
        heeds: &[HeedLaw<Scalar<V>>],
    );
}

/// For [`crate::Turning`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurningSums<S> {
    pub(crate) offset: [S; 3],
    pub(crate) alignment: [S; 3],
    pub(crate) separation: [S; 3],
    /// Neighbours, each counted with its weight, and the boid itself.
    pub(crate) count: S,
}

impl<V: Space> Sums<V> for TurningSums<Scalar<V>> {
    type Law = TurningLaw<Scalar<V>>;
    const VELOCITIES: bool = false;

    #[inline(always)]
    fn new() -> Self {
        let zero = [Scalar::<V>::ZERO; 3];
        Self { offset: zero, alignment: zero, separation: zero, count: Scalar::<V>::ONE }
    }

    #[inline(always)]
    fn add<const WEIGHTED: bool>(
        &mut self,
        law: &Self::Law,
        own: &Own<Scalar<V>>,
        seen: &Seen<Scalar<V>>,
        heeds: &[HeedLaw<Scalar<V>>],
    ) {
        let (offsets, turns, aparts) =
            if V::FLAT { flat_terms::<V>(law, own, seen) } else { deep_terms::<V>(law, own, seen) };
        for i in 0..seen.count.min(LANES) {
            let heed = if WEIGHTED { &heeds[(seen.tags[i] & 0xff) as usize] } else { &heeds[0] };
            let weighted = |v, weight| if WEIGHTED { v * weight } else { v };
            for a in 0..if V::FLAT { 2 } else { 3 } {
                self.offset[a] += weighted(offsets[a][i], heed.cohesion);
            }
            for a in if V::FLAT { 2..3 } else { 0..3 } {
                self.alignment[a] += weighted(turns[a][i], heed.alignment);
                self.separation[a] += weighted(aparts[a][i], heed.separation);
            }
            if WEIGHTED {
                self.count += heed.alignment;
            }
        }
        if !WEIGHTED {
            // Whole numbers: exact in any order.
            self.count += Scalar::<V>::from_f64(seen.count as f64);
        }
    }
}

/// Offsets, alignment turns and separation turns of eight neighbours: x, y, z of each.
type Terms<S> = ([[S; LANES]; 3], [[S; LANES]; 3], [[S; LANES]; 3]);

/// As `toward` and `away` in 2D, lane by lane.
#[inline(always)]
fn flat_terms<V: Space>(
    law: &TurningLaw<Scalar<V>>,
    own: &Own<Scalar<V>>,
    seen: &Seen<Scalar<V>>,
) -> Terms<Scalar<V>> {
    let all = wide_of::<Scalar<V>>;
    let zero = all(Scalar::<V>::ZERO);
    let [x, y, _] = seen.offset;
    let push = push::<V>(law, seen);
    let turn = Wide::<Scalar<V>>::from(seen.angle) - all(own.angle);
    let tau = all(Scalar::<V>::TAU);
    let less = turn.above(all(Scalar::<V>::PI)).both(tau);
    let more = turn.below(all(-Scalar::<V>::PI)).both(tau);
    let turn = turn - less + more;
    let left = all(own.heading[0]) * Wide::<Scalar<V>>::from(y);
    let right = all(own.heading[1]) * Wide::<Scalar<V>>::from(x);
    let apart = (left - right).below(zero).pick(push, zero - push);
    let none = [Scalar::<V>::ZERO; LANES];
    (seen.offset, [none, none, turn.array()], [none, none, apart.array()])
}

/// As `toward` and `away` in 3D, lane by lane; the rare cases without an axis one by one.
#[inline(always)]
fn deep_terms<V: Space>(
    law: &TurningLaw<Scalar<V>>,
    own: &Own<Scalar<V>>,
    seen: &Seen<Scalar<V>>,
) -> Terms<Scalar<V>> {
    let all = wide_of::<Scalar<V>>;
    let (zero, one) = (all(Scalar::<V>::ZERO), all(Scalar::<V>::ONE));
    let push = push::<V>(law, seen);
    let heading = own.heading.map(all);
    let cross = |[x, y, z]: [Wide<Scalar<V>>; 3]| {
        let [a, b, c] = heading;
        [b * z - c * y, c * x - a * z, a * y - b * x]
    };
    let dot =
        |a: [Wide<Scalar<V>>; 3], b: [Wide<Scalar<V>>; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let other = seen.heading.map(Wide::<Scalar<V>>::from);
    let axis = cross(other);
    let sine = dot(axis, axis).root();
    let some = sine.above(zero);
    let angle = <Wide<Scalar<V>> as Lanes<_>>::angle(sine, dot(heading, other));
    let ratio = some.both(angle / some.pick(sine, one));
    let mut turns = axis.map(|a| (a * ratio).array());
    let axis = cross(seen.offset.map(Wide::<Scalar<V>>::from));
    let sine = dot(axis, axis).root();
    let aside = sine.above(zero);
    let ratio = zero - aside.both(push / aside.pick(sine, one));
    let mut aparts = axis.map(|a| (a * ratio).array());
    if some.bits() & aside.bits() != 255 {
        for i in 0..seen.count.min(LANES) {
            let heading = seen.heading.map(|h| h[i]);
            let turn = toward::<V>(own.heading, heading);
            let apart = away::<V>(own.heading, seen.offset.map(|o| o[i]), push.array()[i]);
            for a in 0..3 {
                turns[a][i] = turn[a];
                aparts[a][i] = apart[a];
            }
        }
    }
    (seen.offset, turns, aparts)
}

type Wide<S> = <S as Real>::Lanes;

#[inline(always)]
fn wide_of<S: Real>(value: S) -> Wide<S> {
    Wide::<S>::all(value)
}

/// The angles of separation; 0 at and beyond the radius.
#[inline(always)]
fn push<V: Space>(law: &TurningLaw<Scalar<V>>, seen: &Seen<Scalar<V>>) -> Wide<Scalar<V>> {
    let all = wide_of::<Scalar<V>>;
    let near = all(law.radius) - Wide::<Scalar<V>>::from(seen.distance2).root();
    near.above(all(Scalar::<V>::ZERO)).both(near) * all(law.slope)
}

/// For [`crate::Velocity`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct VelocitySums<S> {
    pub(crate) offset: [S; 3],
    pub(crate) offset_count: S,
    pub(crate) matching: [S; 3],
    pub(crate) matching_count: S,
    pub(crate) push: [S; 3],
}

impl<V: Space> Sums<V> for VelocitySums<Scalar<V>> {
    type Law = VelocityLaw<Scalar<V>>;
    const VELOCITIES: bool = true;

    #[inline(always)]
    fn new() -> Self {
        let zero = Scalar::<V>::ZERO;
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
        own: &Own<Scalar<V>>,
        seen: &Seen<Scalar<V>>,
        heeds: &[HeedLaw<Scalar<V>>],
    ) {
        let one = Scalar::<V>::ONE;
        let weighted = |v, weight| if WEIGHTED { scale(v, weight) } else { v };
        for i in 0..seen.count.min(LANES) {
            let heed = if WEIGHTED { &heeds[(seen.tags[i] & 0xff) as usize] } else { &heeds[0] };
            let offset = seen.offset.map(|o| o[i]);
            let d2 = seen.distance2[i];
            if d2 <= law.cohesion.radius2 {
                self.offset = add(self.offset, weighted(offset, heed.cohesion));
                self.offset_count += if WEIGHTED { heed.cohesion.abs() } else { one };
            }
            if d2 <= law.alignment.radius2 {
                let velocity = scale(seen.heading.map(|h| h[i]), seen.speed[i]);
                let difference = sub(velocity, own.velocity);
                self.matching = add(self.matching, weighted(difference, heed.alignment));
                self.matching_count += if WEIGHTED { heed.alignment } else { one };
            }
            if d2 <= law.radius2 {
                let push = match law.push {
                    Push::Offset => offset,
                    Push::Linear => {
                        let d = d2.sqrt();
                        scale(offset, (one - d / law.radius) / d)
                    }
                    Push::Inverse => scale(offset, one / d2),
                };
                self.push = sub(self.push, weighted(push, heed.separation));
            }
        }
    }
}
