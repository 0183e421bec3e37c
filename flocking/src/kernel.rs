//! A step: every boid looks around, sums, turns, moves; eight at a time.

use crate::config::Edges;
use crate::finish::Wishes;
use crate::flock::{Body, Columns, Goal};
use crate::grid::Grid;
use crate::instructions::Instructions;
use crate::lanes::{LANES, Lanes, Portable, Set};
use crate::laws::{Bounds, HeedLaw, Laws, RuleLaw};
use crate::nearby::Nearby;
use crate::nearest::Nearest;
use crate::obstacles::Surroundings;
use crate::pack::{ALONE, Pack, SHARED, eight};
use crate::real::Real;
use crate::space::{Scalar, Space, scale};
use crate::sums::{Own, Seen, Sums, TurningSums, VelocitySums};

pub(crate) type Wide<I, V> = <Scalar<V> as Real>::Lanes<I>;

/// Everything that a step reads. The old state, sorted; nobody writes to it.
pub(crate) struct Scene<'a, V: Space> {
    pub sorted: &'a [Body<Scalar<V>>],
    pub columns: &'a Columns<Scalar<V>>,
    pub grid: &'a Grid,
    pub laws: &'a Laws<Scalar<V>>,
    pub surroundings: &'a Surroundings<V>,
    /// Sorted by id.
    pub goals: &'a [(u32, Goal<V>)],
    pub edges: Edges<V>,
    pub bounds: Bounds<V>,
    pub reach: f64,
    /// Where no neighbour is seen across the edge.
    pub inner: ([Scalar<V>; 3], [Scalar<V>; 3]),
    /// Of this processor.
    pub instructions: Instructions,
}

/// What is used again for every boid.
pub(crate) struct Desk<S> {
    pub(crate) pack: Pack<S, SHARED>,
    pub(crate) alone: Pack<S, ALONE>,
    pub(crate) nearest: Nearest<S>,
    pub(crate) nearby: Nearby<S>,
    pub(crate) wishes: Wishes<S>,
    /// Where in the pack the neighbours of each lane are, if they are to be summed. The sums come
    /// later than the packing, when what was stored can be loaded.
    pub(crate) spans: [Option<(usize, usize)>; LANES],
}

#[cfg(target_arch = "x86_64")]
mod compiled {
    //! The kernel, compiled for the instructions of its name.

    use super::{Body, Scalar, Scene, Space};
    use crate::lanes::x86::{Avx2, Avx512};

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx2<V: Space>(
        scene: &Scene<'_, V>,
        first: usize,
        out: &mut [Body<Scalar<V>>],
        stay: bool,
    ) {
        scene.advance_by::<Avx2>(first, out, stay);
    }

    #[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx512<V: Space>(
        scene: &Scene<'_, V>,
        first: usize,
        out: &mut [Body<Scalar<V>>],
        stay: bool,
    ) {
        scene.advance_by::<Avx512>(first, out, stay);
    }
}

impl<V: Space> Scene<'_, V> {
    /// The boids of the slots from `first` on after a step. With `stay`, only headings and speeds.
    #[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
    pub(crate) fn advance(&self, first: usize, out: &mut [Body<Scalar<V>>], stay: bool) {
        match self.instructions {
            // SAFETY: `Flock` only holds instructions that are available.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { compiled::avx512(self, first, out, stay) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { compiled::avx2(self, first, out, stay) },
            _ => self.advance_by::<Portable>(first, out, stay),
        }
    }

    #[inline(always)]
    fn advance_by<I: Set>(&self, first: usize, out: &mut [Body<Scalar<V>>], stay: bool) {
        if self.laws.plain {
            self.advance_as::<I, false>(first, out, stay);
        } else {
            self.advance_as::<I, true>(first, out, stay);
        }
    }

    #[inline(always)]
    fn advance_as<I: Set, const WEIGHTED: bool>(
        &self,
        first: usize,
        out: &mut [Body<Scalar<V>>],
        stay: bool,
    ) {
        let mut desk = Desk {
            pack: Pack::new(),
            alone: Pack::new(),
            nearest: Nearest::new(self.laws.nearest),
            nearby: Nearby::new(),
            wishes: Wishes::new(),
            spans: [None; LANES],
        };
        for (chunk, out) in out.chunks_mut(LANES).enumerate() {
            let first = first + chunk * LANES;
            desk.pack.count = 0;
            for (lane, out) in out.iter_mut().enumerate() {
                let own = self.own(first + lane);
                let law = &self.laws.species[own.species];
                let at = Place { slot: first + lane, lane };
                desk.pack.count = desk.pack.count.next_multiple_of(LANES);
                match &law.rule {
                    RuleLaw::Turning(rule) => {
                        type T<I, V> = TurningSums<Wide<I, V>>;
                        self.look::<I, T<I, V>, WEIGHTED>(&own, law, rule, at, &mut desk, out);
                    }
                    RuleLaw::Velocity(rule) => {
                        type T<I, V> = VelocitySums<Wide<I, V>>;
                        self.look::<I, T<I, V>, WEIGHTED>(&own, law, rule, at, &mut desk, out);
                    }
                }
            }
            for (lane, out) in out.iter_mut().enumerate() {
                let Some((from, to)) = desk.spans[lane] else { continue };
                let own = self.own(first + lane);
                let at = Place { slot: first + lane, lane };
                match &self.laws.species[own.species].rule {
                    RuleLaw::Turning(rule) => {
                        let mut sums = <TurningSums<Wide<I, V>> as Sums<V, _>>::new();
                        self.add_up::<I, _, WEIGHTED, _>(
                            rule,
                            &own,
                            &desk.pack,
                            (from, to),
                            &mut sums,
                        );
                        sums.done(self, &own, at, &mut desk.wishes, out);
                    }
                    RuleLaw::Velocity(rule) => {
                        let mut sums = <VelocitySums<Wide<I, V>> as Sums<V, _>>::new();
                        self.add_up::<I, _, WEIGHTED, _>(
                            rule,
                            &own,
                            &desk.pack,
                            (from, to),
                            &mut sums,
                        );
                        sums.done(self, &own, at, &mut desk.wishes, out);
                    }
                }
            }
            let headings = desk.wishes.headings::<V, Wide<I, V>>();
            for (lane, out) in out.iter_mut().enumerate() {
                let law = &self.laws.species[out.species()];
                if let RuleLaw::Turning(_) = law.rule {
                    let most = law.max_acceleration;
                    out.speed += (out.cruise - out.speed).max(-most).min(most);
                    out.heading = headings.map(|h| h[lane]);
                }
                if !stay {
                    self.move_on(out);
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn own(&self, slot: usize) -> Own<Scalar<V>> {
        let old = &self.sorted[slot];
        Own {
            position: old.position,
            heading: old.heading,
            angle: if V::FLAT { self.columns.angle[slot] } else { Scalar::<V>::ZERO },
            velocity: scale(old.heading, old.speed),
            species: old.species(),
        }
    }

    /// Adds the neighbours from `first` to `end` of the pack to the sums.
    #[inline(always)]
    pub(crate) fn add_up<
        I: Set,
        T: Sums<V, Wide<I, V>>,
        const WEIGHTED: bool,
        const SIZE: usize,
    >(
        &self,
        rule: &T::Law,
        own: &Own<Scalar<V>>,
        pack: &Pack<Scalar<V>, SIZE>,
        (first, end): (usize, usize),
        sums: &mut T,
    ) {
        let one = Wide::<I, V>::all(Scalar::<V>::ONE);
        let kinds = self.laws.species.len();
        let heeds: &[HeedLaw<_>] = &self.laws.heeds[own.species * kinds..(own.species + 1) * kinds];
        for i in (first..end).step_by(LANES) {
            let offset = eight3::<I, V, SIZE>(&pack.offset, i);
            let mut distance2 = offset[0] * offset[0] + offset[1] * offset[1];
            if !V::FLAT {
                distance2 = distance2 + offset[2] * offset[2];
            }
            let [mut cohesion, mut alignment, mut separation] = [one; 3];
            if WEIGHTED {
                let heed = |k: Scalar<V>| &heeds[k.to_f64() as usize];
                let kinds = eight(&pack.kind, i);
                cohesion = Wide::<I, V>::load(&kinds.map(|k| heed(k).cohesion));
                alignment = Wide::<I, V>::load(&kinds.map(|k| heed(k).alignment));
                separation = Wide::<I, V>::load(&kinds.map(|k| heed(k).separation));
            }
            let seen = Seen {
                some: Wide::<I, V>::first((end - i).min(LANES)),
                offset,
                distance2,
                heading: eight3::<I, V, SIZE>(&pack.heading, i),
                angle: Wide::<I, V>::load(eight(&pack.angle, i)),
                speed: Wide::<I, V>::load(eight(&pack.speed, i)),
                cohesion,
                alignment,
                separation,
            };
            sums.add::<WEIGHTED>(rule, own, &seen);
        }
    }
}

/// Where a boid is.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) slot: usize,
    pub(crate) lane: usize,
}

/// What the sums come to.
pub(crate) trait Done<V: Space> {
    /// What the boid wants goes to its lane of the wishes; under a velocity rule it gets it at once.
    fn done(
        self,
        scene: &Scene<'_, V>,
        own: &Own<Scalar<V>>,
        at: Place,
        wishes: &mut Wishes<Scalar<V>>,
        out: &mut Body<Scalar<V>>,
    );
}

impl<V: Space, L: Lanes<Scalar<V>>> Done<V> for TurningSums<L> {
    #[inline(always)]
    fn done(
        self,
        scene: &Scene<'_, V>,
        own: &Own<Scalar<V>>,
        at: Place,
        wishes: &mut Wishes<Scalar<V>>,
        out: &mut Body<Scalar<V>>,
    ) {
        let old = &scene.sorted[at.slot];
        let law = &scene.laws.species[own.species];
        let RuleLaw::Turning(rule) = &law.rule else { return };
        let sums = self.total();
        wishes.set(at.lane, &sums);
        let avoidance = scene.surroundings.turn(own, law);
        let goal = scene.goal_turn(old, own, sums.count == Scalar::<V>::ONE);
        for a in 0..3 {
            wishes.heading[a][at.lane] = own.heading[a];
            wishes.avoidance[a][at.lane] = avoidance[a];
            wishes.goal[a][at.lane] = goal[a];
        }
        let weights = [rule.cohesion, rule.alignment, rule.separation];
        for (to, weight) in wishes.weights.iter_mut().zip(weights) {
            to[at.lane] = weight;
        }
        wishes.max_turn[at.lane] = law.max_turn;
        *out = *old;
    }
}

impl<V: Space, L: Lanes<Scalar<V>>> Done<V> for VelocitySums<L> {
    #[inline(always)]
    fn done(
        self,
        scene: &Scene<'_, V>,
        own: &Own<Scalar<V>>,
        at: Place,
        _: &mut Wishes<Scalar<V>>,
        out: &mut Body<Scalar<V>>,
    ) {
        let law = &scene.laws.species[own.species];
        let RuleLaw::Velocity(rule) = &law.rule else { return };
        *out = scene.accelerated(&scene.sorted[at.slot], own, law, rule, &self.total());
    }
}

/// Eight vectors of columns of the pack.
#[inline(always)]
fn eight3<I: Set, V: Space, const SIZE: usize>(
    columns: &[[Scalar<V>; SIZE]; 3],
    i: usize,
) -> [Wide<I, V>; 3] {
    let [x, y, z] = columns;
    [
        Wide::<I, V>::load(eight(x, i)),
        Wide::<I, V>::load(eight(y, i)),
        Wide::<I, V>::load(eight(z, i)),
    ]
}
