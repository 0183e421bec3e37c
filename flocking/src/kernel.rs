//! A step: every boid looks around, sums, turns, moves; eight at a time.

mod finish;
mod motion;
mod sight;
mod sums;

use crate::boid::{Body, BoidGoal, Own};
use crate::instructions::Instructions;
use crate::kernel::finish::Wishes;
use crate::kernel::sight::Reads;
use crate::kernel::sums::{Seen, Sums, TurningSums, VelocitySums};
use crate::neighbours::bins::Grid;
use crate::neighbours::columns::Columns;
use crate::neighbours::nearby::Nearby;
use crate::neighbours::nearest::Nearest;
use crate::neighbours::pack::{ALONE, Pack, SHARED, eight};
#[cfg(target_arch = "x86_64")]
use crate::number::lanes::x86::{Avx2, Avx512};
use crate::number::lanes::{LANES, Lanes, Portable, Set};
use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector, scale};
use crate::rules::config::Edges;
use crate::rules::laws::{Bounds, HeedLaw, Laws, RuleLaw, SpeciesLaw, TurningLaw, VelocityLaw};
use crate::world::obstacles::Surroundings;

pub(crate) type Wide<I, V> = <ScalarOf<V> as Scalar>::Lanes<I>;

/// Everything that a step reads. The old state, sorted; nobody writes to it.
pub(crate) struct Scene<'a, V: Vector> {
    pub sorted: &'a [Body<ScalarOf<V>>],
    pub columns: &'a Columns<ScalarOf<V>>,
    pub grid: &'a Grid,
    pub laws: &'a Laws<ScalarOf<V>>,
    pub surroundings: &'a Surroundings<V>,
    /// Sorted by id.
    pub goals: &'a [(u32, BoidGoal<V>)],
    pub edges: Edges<V>,
    pub bounds: Bounds<V>,
    pub reach: f64,
    /// Where no neighbour is seen across the edge.
    pub inner: ([ScalarOf<V>; 3], [ScalarOf<V>; 3]),
    /// Of this processor.
    pub instructions: Instructions,
}

/// Work space that is used again for every boid.
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

/// A boid whose turn it is.
pub(crate) struct Subject<'a, V: Vector, R> {
    pub(crate) own: Own<ScalarOf<V>>,
    pub(crate) law: &'a SpeciesLaw<ScalarOf<V>>,
    pub(crate) rule: &'a R,
    pub(crate) slot: usize,
    pub(crate) lane: usize,
}

/// The parts of the kernel, compiled one by one for a set of instructions: as one function they
/// take several times as long to compile.
#[allow(unsafe_code)]
pub(crate) trait Kernel: Set {
    /// As [`Scene::advance`].
    ///
    /// # Safety
    /// The processor has the instructions of the set.
    unsafe fn advance<V: Vector>(
        scene: &Scene<'_, V>,
        first: usize,
        out: &mut [Body<ScalarOf<V>>],
        stay: bool,
    );
    /// As [`Scene::near_as`].
    ///
    /// # Safety
    /// The processor has the instructions of the set.
    unsafe fn near<V, T, const WEIGHTED: bool, const WRAPS: bool, const HALF: bool>(
        scene: &Scene<'_, V>,
        own: &Own<ScalarOf<V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
        count: usize,
        desk: &mut Desk<ScalarOf<V>>,
    ) where
        V: Vector,
        T: Sums<V, Wide<Self, V>>;
    /// As [`Scene::nearest_as`].
    ///
    /// # Safety
    /// The processor has the instructions of the set.
    unsafe fn nearest<V: Vector, const USUAL: bool>(
        scene: &Scene<'_, V>,
        own: &Own<ScalarOf<V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
        ways: [bool; 2],
        reads: Reads,
        desk: &mut Desk<ScalarOf<V>>,
    );
    /// As [`Scene::crowd_as`].
    ///
    /// # Safety
    /// The processor has the instructions of the set.
    unsafe fn crowd<V, T, const WEIGHTED: bool>(
        scene: &Scene<'_, V>,
        subject: &Subject<'_, V, T::Law>,
        ways: [bool; 2],
        desk: &mut Desk<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) where
        V: Vector,
        T: Sums<V, Wide<Self, V>> + Done<V, T::Law>;
}

macro_rules! kernel {
    ($set:ty, $(#[$feature:meta])?) => {
        #[allow(unsafe_code)]
        impl Kernel for $set {
            $(#[$feature])?
            unsafe fn advance<V: Vector>(
                scene: &Scene<'_, V>,
                first: usize,
                out: &mut [Body<ScalarOf<V>>],
                stay: bool,
            ) {
                if scene.laws.plain {
                    scene.advance_as::<$set, false>(first, out, stay);
                } else {
                    scene.advance_as::<$set, true>(first, out, stay);
                }
            }

            $(#[$feature])?
            #[inline(never)]
            unsafe fn near<V, T, const WEIGHTED: bool, const WRAPS: bool, const HALF: bool>(
                scene: &Scene<'_, V>,
                own: &Own<ScalarOf<V>>,
                law: &SpeciesLaw<ScalarOf<V>>,
                count: usize,
                desk: &mut Desk<ScalarOf<V>>,
            ) where
                V: Vector,
                T: Sums<V, Wide<Self, V>>,
            {
                scene.near_as::<$set, T, WEIGHTED, WRAPS, HALF>(own, law, count, desk);
            }

            $(#[$feature])?
            #[inline(never)]
            unsafe fn nearest<V: Vector, const USUAL: bool>(
                scene: &Scene<'_, V>,
                own: &Own<ScalarOf<V>>,
                law: &SpeciesLaw<ScalarOf<V>>,
                ways: [bool; 2],
                reads: Reads,
                desk: &mut Desk<ScalarOf<V>>,
            ) {
                scene.nearest_as::<$set, USUAL>(own, law, ways, reads, desk);
            }

            $(#[$feature])?
            #[inline(never)]
            unsafe fn crowd<V, T, const WEIGHTED: bool>(
                scene: &Scene<'_, V>,
                subject: &Subject<'_, V, T::Law>,
                ways: [bool; 2],
                desk: &mut Desk<ScalarOf<V>>,
                out: &mut Body<ScalarOf<V>>,
            ) where
                V: Vector,
                T: Sums<V, Wide<Self, V>> + Done<V, T::Law>,
            {
                scene.crowd_as::<$set, T, WEIGHTED>(subject, ways, desk, out);
            }
        }
    };
}

kernel!(Portable,);
#[cfg(target_arch = "x86_64")]
kernel!(Avx2, #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]);
#[cfg(target_arch = "x86_64")]
kernel!(Avx512, #[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]);

impl<V: Vector> Scene<'_, V> {
    /// The boids of the slots from `first` on after a step. With `stay`, only headings and speeds.
    #[allow(unsafe_code)]
    pub(crate) fn advance(&self, first: usize, out: &mut [Body<ScalarOf<V>>], stay: bool) {
        // SAFETY: `Flock` only holds instructions that are available.
        unsafe {
            match self.instructions {
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => Avx512::advance(self, first, out, stay),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => Avx2::advance(self, first, out, stay),
                _ => Portable::advance(self, first, out, stay),
            }
        }
    }

    #[inline(always)]
    fn advance_as<I: Kernel, const WEIGHTED: bool>(
        &self,
        first: usize,
        out: &mut [Body<ScalarOf<V>>],
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
                let slot = first + lane;
                let own = self.own(slot);
                let law = &self.laws.species[own.species];
                desk.pack.count = desk.pack.count.next_multiple_of(LANES);
                match &law.rule {
                    RuleLaw::Turning(rule) => {
                        let subject = Subject { own, law, rule, slot, lane };
                        self.look::<I, TurningSums<_>, WEIGHTED>(&subject, &mut desk, out);
                    }
                    RuleLaw::Velocity(rule) => {
                        // Such flocks are never plain.
                        if WEIGHTED {
                            let subject = Subject { own, law, rule, slot, lane };
                            self.look::<I, VelocitySums<_>, WEIGHTED>(&subject, &mut desk, out);
                        }
                    }
                }
            }
            for (lane, out) in out.iter_mut().enumerate() {
                let Some(span) = desk.spans[lane] else { continue };
                let slot = first + lane;
                let own = self.own(slot);
                let law = &self.laws.species[own.species];
                let Desk { pack, wishes, .. } = &mut desk;
                match &law.rule {
                    RuleLaw::Turning(rule) => {
                        let subject = Subject { own, law, rule, slot, lane };
                        let mut sums = <TurningSums<Wide<I, V>> as Sums<V, _>>::new();
                        self.add_up::<I, _, WEIGHTED, _>(&subject, pack, span, &mut sums);
                        sums.done(self, &subject, span.0 == span.1, wishes, out);
                    }
                    RuleLaw::Velocity(rule) => {
                        if WEIGHTED {
                            let subject = Subject { own, law, rule, slot, lane };
                            let mut sums = <VelocitySums<Wide<I, V>> as Sums<V, _>>::new();
                            self.add_up::<I, _, WEIGHTED, _>(&subject, pack, span, &mut sums);
                            sums.done(self, &subject, span.0 == span.1, wishes, out);
                        }
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
    pub(crate) fn own(&self, slot: usize) -> Own<ScalarOf<V>> {
        let old = &self.sorted[slot];
        Own {
            position: old.position,
            heading: old.heading,
            angle: if V::FLAT { self.columns.angle[slot] } else { ScalarOf::<V>::ZERO },
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
        Subject { own, rule, .. }: &Subject<'_, V, T::Law>,
        pack: &Pack<ScalarOf<V>, SIZE>,
        (first, end): (usize, usize),
        sums: &mut T,
    ) {
        let one = Wide::<I, V>::all(ScalarOf::<V>::ONE);
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
                let heed = |k: ScalarOf<V>| &heeds[k.to_f64() as usize];
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

/// The use of finished sums.
pub(crate) trait Done<V: Vector, R> {
    /// The boid's wish goes to its lane of the wishes; under a velocity rule the boid gets it at
    /// once. `alone`: nobody is in view.
    fn done(
        self,
        scene: &Scene<'_, V>,
        subject: &Subject<'_, V, R>,
        alone: bool,
        wishes: &mut Wishes<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    );
}

impl<V: Vector, L: Lanes<ScalarOf<V>>> Done<V, TurningLaw<ScalarOf<V>>> for TurningSums<L> {
    #[inline(always)]
    fn done(
        self,
        scene: &Scene<'_, V>,
        subject: &Subject<'_, V, TurningLaw<ScalarOf<V>>>,
        alone: bool,
        wishes: &mut Wishes<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) {
        let Subject { own, law, rule, slot, lane } = subject;
        let (old, lane) = (&scene.sorted[*slot], *lane);
        let sums = self.total();
        wishes.set(lane, &sums);
        let avoidance = scene.surroundings.turn(own, law);
        let goal = scene.goal_turn(old, own, alone);
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
        *out = *old;
    }
}

impl<V: Vector, L: Lanes<ScalarOf<V>>> Done<V, VelocityLaw<ScalarOf<V>>> for VelocitySums<L> {
    #[inline(always)]
    fn done(
        self,
        scene: &Scene<'_, V>,
        subject: &Subject<'_, V, VelocityLaw<ScalarOf<V>>>,
        _: bool,
        _: &mut Wishes<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) {
        let Subject { own, law, rule, slot, .. } = subject;
        *out = scene.accelerated(&scene.sorted[*slot], own, law, rule, &self.total());
    }
}

/// Eight vectors of columns of the pack.
#[inline(always)]
fn eight3<I: Set, V: Vector, const SIZE: usize>(
    columns: &[[ScalarOf<V>; SIZE]; 3],
    i: usize,
) -> [Wide<I, V>; 3] {
    let [x, y, z] = columns;
    [
        Wide::<I, V>::load(eight(x, i)),
        Wide::<I, V>::load(eight(y, i)),
        Wide::<I, V>::load(eight(z, i)),
    ]
}
