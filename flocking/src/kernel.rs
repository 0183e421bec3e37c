//! A step: every boid looks around, sums, turns, moves; eight at a time.

use crate::config::Edges;
use crate::finish::Wishes;
use crate::flock::{Body, Columns, Goal};
use crate::grid::Grid;
use crate::instructions::Instructions;
use crate::lanes::{LANES, Lanes, Portable, Set};
use crate::laws::{Bounds, HeedLaw, Laws, RuleLaw};
use crate::nearby::{CROWD, Nearby};
use crate::nearest::Nearest;
use crate::obstacles::Surroundings;
use crate::pack::{Pack, ROOM, eight};
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
    pub(crate) pack: Pack<S>,
    pub(crate) nearest: Nearest<S>,
    pub(crate) nearby: Nearby<S>,
    pub(crate) wishes: Wishes<S>,
    /// Where in the pack the neighbours of each lane are; those from the lane `waiting` on have not
    /// been summed. The sums come later than the packing, when what was stored can be loaded.
    pub(crate) spans: [(usize, usize); LANES],
    pub(crate) waiting: usize,
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
            nearest: Nearest::new(self.laws.nearest),
            nearby: Nearby::new(),
            wishes: Wishes::new(),
            spans: [(0, 0); LANES],
            waiting: 0,
        };
        for (chunk, out) in out.chunks_mut(LANES).enumerate() {
            let first = first + chunk * LANES;
            (desk.waiting, desk.pack.count) = (0, 0);
            for lane in 0..out.len() {
                desk.pack.count = desk.pack.count.next_multiple_of(LANES);
                if desk.pack.count + CROWD + LANES > ROOM {
                    self.settle::<I, WEIGHTED>(first, lane, &mut desk, out);
                }
                match &self.laws.species[self.sorted[first + lane].species()].rule {
                    RuleLaw::Turning(rule) => {
                        type T<I, V> = TurningSums<Wide<I, V>>;
                        self.look::<I, T<I, V>, WEIGHTED>(rule, first, lane, &mut desk, out);
                    }
                    RuleLaw::Velocity(rule) => {
                        type T<I, V> = VelocitySums<Wide<I, V>>;
                        self.look::<I, T<I, V>, WEIGHTED>(rule, first, lane, &mut desk, out);
                    }
                }
            }
            self.settle::<I, WEIGHTED>(first, out.len(), &mut desk, out);
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

    /// Sums up the lanes that wait, up to `end`, and empties the pack.
    #[inline(always)]
    pub(crate) fn settle<I: Set, const WEIGHTED: bool>(
        &self,
        first: usize,
        end: usize,
        desk: &mut Desk<Scalar<V>>,
        out: &mut [Body<Scalar<V>>],
    ) {
        for lane in desk.waiting..end {
            let own = self.own(first + lane);
            let (from, to) = desk.spans[lane];
            match &self.laws.species[own.species].rule {
                RuleLaw::Turning(rule) => {
                    let mut sums = <TurningSums<Wide<I, V>> as Sums<V, _>>::new();
                    self.add_up::<I, _, WEIGHTED>(rule, &own, &desk.pack, from, to, &mut sums);
                    sums.done(self, &own, first + lane, lane, desk, out);
                }
                RuleLaw::Velocity(rule) => {
                    let mut sums = <VelocitySums<Wide<I, V>> as Sums<V, _>>::new();
                    self.add_up::<I, _, WEIGHTED>(rule, &own, &desk.pack, from, to, &mut sums);
                    sums.done(self, &own, first + lane, lane, desk, out);
                }
            }
        }
        (desk.waiting, desk.pack.count) = (end, 0);
    }

    /// Adds the neighbours from `first` to `end` of the pack to the sums.
    #[inline(always)]
    pub(crate) fn add_up<I: Set, T: Sums<V, Wide<I, V>>, const WEIGHTED: bool>(
        &self,
        rule: &T::Law,
        own: &Own<Scalar<V>>,
        pack: &Pack<Scalar<V>>,
        first: usize,
        end: usize,
        sums: &mut T,
    ) {
        let one = Wide::<I, V>::all(Scalar::<V>::ONE);
        let kinds = self.laws.species.len();
        let heeds: &[HeedLaw<_>] = &self.laws.heeds[own.species * kinds..(own.species + 1) * kinds];
        for i in (first..end).step_by(LANES) {
            let offset = eight3::<I, V>(&pack.offset, i);
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
                heading: eight3::<I, V>(&pack.heading, i),
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

/// What the sums come to.
pub(crate) trait Done<V: Space> {
    /// What boid `slot` wants goes to the wishes' `lane`; under a velocity rule it gets it at once.
    fn done(
        self,
        scene: &Scene<'_, V>,
        own: &Own<Scalar<V>>,
        slot: usize,
        lane: usize,
        desk: &mut Desk<Scalar<V>>,
        out: &mut [Body<Scalar<V>>],
    );
}

impl<V: Space, L: Lanes<Scalar<V>>> Done<V> for TurningSums<L> {
    #[inline(always)]
    fn done(
        self,
        scene: &Scene<'_, V>,
        own: &Own<Scalar<V>>,
        slot: usize,
        lane: usize,
        desk: &mut Desk<Scalar<V>>,
        out: &mut [Body<Scalar<V>>],
    ) {
        let old = &scene.sorted[slot];
        let law = &scene.laws.species[own.species];
        let RuleLaw::Turning(rule) = &law.rule else { return };
        let sums = self.total();
        let wishes = &mut desk.wishes;
        wishes.set(lane, &sums);
        let avoidance = scene.surroundings.turn(own, law);
        let goal = scene.goal_turn(old, own, sums.count == Scalar::<V>::ONE);
        for a in 0..3 {
            wishes.heading[a][lane] = own.heading[a];
            wishes.avoidance[a][lane] = avoidance[a];
            wishes.goal[a][lane] = goal[a];
        }
        let weights = [rule.cohesion, rule.alignment, rule.separation];
        for (to, weight) in wishes.weights.iter_mut().zip(weights) {
            to[lane] = weight;
        }
        wishes.max_turn[lane] = law.max_turn;
        out[lane] = *old;
    }
}

impl<V: Space, L: Lanes<Scalar<V>>> Done<V> for VelocitySums<L> {
    #[inline(always)]
    fn done(
        self,
        scene: &Scene<'_, V>,
        own: &Own<Scalar<V>>,
        slot: usize,
        lane: usize,
        _: &mut Desk<Scalar<V>>,
        out: &mut [Body<Scalar<V>>],
    ) {
        let law = &scene.laws.species[own.species];
        let RuleLaw::Velocity(rule) = &law.rule else { return };
        out[lane] = scene.accelerated(&scene.sorted[slot], own, law, rule, &self.total());
    }
}

/// Eight vectors of columns of the pack.
#[inline(always)]
fn eight3<I: Set, V: Space>(columns: &[[Scalar<V>; ROOM + LANES]; 3], i: usize) -> [Wide<I, V>; 3] {
    let [x, y, z] = columns;
    [
        Wide::<I, V>::load(eight(x, i)),
        Wide::<I, V>::load(eight(y, i)),
        Wide::<I, V>::load(eight(z, i)),
    ]
}
