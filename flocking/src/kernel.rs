//! One boid's step: find its neighbours, sum, turn, move.

use crate::config::Edges;
use crate::finish::Wishes;
use crate::flock::{Body, Columns, Goal, to_f64};
use crate::grid::{FARTHEST, Grid};
use crate::instructions::Instructions;
use crate::lanes::{LANES, Lanes, Portable, Set, all3};
use crate::laws::{Bounds, HeedLaw, Laws, RuleLaw, SpeciesLaw, VelocityLaw};
use crate::nearest::Nearest;
use crate::obstacles::Surroundings;
use crate::pack::{Pack, ROOM, eight, room};
use crate::real::Real;
use crate::rules::Share;
use crate::runs::{Look, Runs};
use crate::space::{Scalar, Space, add, dot, length, scale, sub};
use crate::sums::{Own, Seen, Sums, TurningSums, VelocitySums};
use crate::turn::{toward, turned, unit};

use std::ops::Range;

type Wide<I, V> = <Scalar<V> as Real>::Lanes<I>;

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
struct Desk<S> {
    pack: Pack<S>,
    nearest: Nearest<S>,
}

/// A boid's eyes: what is compared with eight others at once.
#[derive(Clone, Copy)]
struct Eyes<L> {
    position: [L; 3],
    heading: [L; 3],
    cosine: L,
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

/// What a boid sees of eight others.
struct View<L> {
    offset: [L; 3],
    distance2: L,
    bits: u32,
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

    /// Whether the boid may see across the world's edge. Where it cannot, no offset wraps, and not
    /// looking saves a third of the time.
    #[inline(always)]
    fn at_edge(&self, position: [Scalar<V>; 3]) -> bool {
        let mut inside = true;
        for a in 0..if V::FLAT { 2 } else { 3 } {
            inside &= position[a] > self.inner.0[a] && position[a] < self.inner.1[a];
        }
        !inside
    }

    #[inline(always)]
    fn advance_as<I: Set, const WEIGHTED: bool>(
        &self,
        first: usize,
        out: &mut [Body<Scalar<V>>],
        stay: bool,
    ) {
        let mut desk = Desk { pack: Pack::new(), nearest: Nearest::new(self.laws.nearest) };
        let mut wishes = Wishes::new();
        for (chunk, out) in out.chunks_mut(LANES).enumerate() {
            let first = first + chunk * LANES;
            for (lane, out) in out.iter_mut().enumerate() {
                self.wish::<I, WEIGHTED>(first + lane, lane, &mut wishes, &mut desk, out);
            }
            let headings = wishes.headings::<V, Wide<I, V>>();
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

    /// What a boid wants; under a velocity rule it already gets it.
    #[inline(always)]
    fn wish<I: Set, const WEIGHTED: bool>(
        &self,
        slot: usize,
        lane: usize,
        wishes: &mut Wishes<Scalar<V>>,
        desk: &mut Desk<Scalar<V>>,
        out: &mut Body<Scalar<V>>,
    ) {
        let old = self.sorted[slot];
        let law = &self.laws.species[old.species()];
        let own = Own {
            position: old.position,
            heading: old.heading,
            angle: if V::FLAT { self.columns.angle[slot] } else { Scalar::<V>::ZERO },
            velocity: scale(old.heading, old.speed),
            species: old.species(),
        };
        let edge = self.at_edge(own.position);
        *out = old;
        match &law.rule {
            RuleLaw::Turning(rule) => {
                type T<I, V> = TurningSums<Wide<I, V>>;
                let sums = if edge {
                    self.sums::<I, T<I, V>, true, WEIGHTED>(law, rule, &own, desk)
                } else {
                    self.sums::<I, T<I, V>, false, WEIGHTED>(law, rule, &own, desk)
                };
                let sums = sums.total();
                wishes.set(lane, &sums);
                let avoidance = self.surroundings.turn(&own, law);
                let goal = self.goal_turn(&old, &own, sums.count == Scalar::<V>::ONE);
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
            }
            RuleLaw::Velocity(rule) => {
                type T<I, V> = VelocitySums<Wide<I, V>>;
                let sums = if edge {
                    self.sums::<I, T<I, V>, true, WEIGHTED>(law, rule, &own, desk)
                } else {
                    self.sums::<I, T<I, V>, false, WEIGHTED>(law, rule, &own, desk)
                };
                *out = self.accelerated(&old, &own, law, rule, &sums.total());
            }
        }
    }

    /// The sums over the neighbours of a boid.
    #[inline(always)]
    fn sums<I: Set, T: Sums<V, Wide<I, V>>, const WRAPS: bool, const WEIGHTED: bool>(
        &self,
        law: &SpeciesLaw<Scalar<V>>,
        rule: &T::Law,
        own: &Own<Scalar<V>>,
        desk: &mut Desk<Scalar<V>>,
    ) -> T {
        let mut sums = T::new();
        let kinds = self.laws.species.len();
        let heeds = &self.laws.heeds[own.species * kinds..(own.species + 1) * kinds];
        let eyes = Eyes {
            position: all3(own.position),
            heading: all3(own.heading),
            cosine: Wide::<I, V>::all(law.cosine),
        };
        let pack = &mut desk.pack;
        pack.count = 0;
        let look = Look {
            reach: law.reach,
            rings: self.grid.rings,
            heading: to_f64(own.heading),
            ahead: law.ahead(),
        };
        if self.laws.nearest == 0 {
            let reach2 = Wide::<I, V>::all(law.reach2);
            let place = self.grid.place(to_f64(own.position));
            let runs = Runs::<V>::new(self.grid, &place, look);
            if law.cosine == Scalar::<V>::ZERO {
                for run in runs {
                    self.scan::<I, T, WRAPS, WEIGHTED, true>(
                        &eyes, reach2, run, rule, own, heeds, pack, &mut sums,
                    );
                }
            } else {
                for run in runs {
                    self.scan::<I, T, WRAPS, WEIGHTED, false>(
                        &eyes, reach2, run, rule, own, heeds, pack, &mut sums,
                    );
                }
            }
        } else {
            let slots =
                self.nearest::<I, WRAPS, WEIGHTED>(&eyes, law, own, look, &mut desk.nearest);
            self.fetch::<I, T, WRAPS, WEIGHTED>(&eyes, slots, pack);
        }
        self.add_up::<I, T, WEIGHTED>(rule, own, heeds, pack, pack.count, &mut sums);
        sums
    }

    /// Packs those of a run that are in view; what does not fit goes to the sums.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn scan<
        I: Set,
        T: Sums<V, Wide<I, V>>,
        const WRAPS: bool,
        const WEIGHTED: bool,
        const HALF: bool,
    >(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        reach2: Wide<I, V>,
        run: Range<usize>,
        rule: &T::Law,
        own: &Own<Scalar<V>>,
        heeds: &[HeedLaw<Scalar<V>>],
        pack: &mut Pack<Scalar<V>>,
        sums: &mut T,
    ) {
        let mut first = run.start;
        while first < run.end {
            let view = self.view::<I, WRAPS, HALF>(eyes, reach2, first);
            let bits = self.counted::<WEIGHTED>(view.bits, own.species, first, run.end);
            self.put::<I, T, WEIGHTED>(&view.offset, bits, first, pack);
            if pack.count > ROOM - LANES {
                let whole = pack.count / LANES * LANES;
                self.add_up::<I, T, WEIGHTED>(rule, own, heeds, pack, whole, sums);
                pack.keep_rest();
            }
            first += LANES;
        }
    }

    /// Eight numbers of a column.
    #[inline(always)]
    fn eight<I: Set>(column: &[Scalar<V>], first: usize) -> Wide<I, V> {
        // The columns are padded, so eight are always there.
        Wide::<I, V>::load(&column[first..first + LANES].as_chunks().0[0])
    }

    /// The offsets to the eight boids from a slot on, and which of them are in view.
    #[inline(always)]
    fn view<I: Set, const WRAPS: bool, const HALF: bool>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        reach2: Wide<I, V>,
        first: usize,
    ) -> View<Wide<I, V>> {
        let all = Wide::<I, V>::all;
        let zero = all(Scalar::<V>::ZERO);
        let columns = self.columns;
        let dx = Self::eight::<I>(&columns.x, first) - eyes.position[0];
        let dy = Self::eight::<I>(&columns.y, first) - eyes.position[1];
        let (dx, dy) = (self.offsets::<I, WRAPS>(dx, 0), self.offsets::<I, WRAPS>(dy, 1));
        let mut dz = zero;
        let mut distance2 = dx * dx + dy * dy;
        let mut ahead = dx * eyes.heading[0] + dy * eyes.heading[1];
        if !V::FLAT {
            dz = Self::eight::<I>(&columns.z, first) - eyes.position[2];
            dz = self.offsets::<I, WRAPS>(dz, 2);
            distance2 = distance2 + dz * dz;
            ahead = ahead + dz * eyes.heading[2];
        }
        let far = distance2.at_most(reach2);
        let near = distance2.above(all(Scalar::<V>::SAME_PLACE));
        let ahead =
            if HALF { ahead.above(zero) } else { ahead.above(eyes.cosine * distance2.root()) };
        let both = Wide::<I, V>::both;
        let bits = Wide::<I, V>::bits(both(both(far, near), ahead));
        View { offset: [dx, dy, dz], distance2, bits }
    }

    /// Of the eight from `first` on, those before `end` whose species counts.
    #[inline(always)]
    fn counted<const WEIGHTED: bool>(
        &self,
        mut bits: u32,
        species: usize,
        first: usize,
        end: usize,
    ) -> u32 {
        if end - first < LANES {
            bits &= (1 << (end - first)) - 1;
        }
        if WEIGHTED {
            let mask = self.laws.masks[species];
            for (i, kind) in self.columns.kind[first..first + LANES].iter().enumerate() {
                bits &= !(u32::from(mask >> kind.to_f64() as u32 & 1 == 0) << i);
            }
        }
        bits
    }

    /// Puts what the rules read of the eight from `first` on into the pack, those of `bits`.
    #[inline(always)]
    fn put<I: Set, T: Sums<V, Wide<I, V>>, const WEIGHTED: bool>(
        &self,
        offset: &[Wide<I, V>; 3],
        bits: u32,
        first: usize,
        pack: &mut Pack<Scalar<V>>,
    ) {
        let (columns, at) = (self.columns, pack.count);
        for a in 0..if V::FLAT { 2 } else { 3 } {
            offset[a].store_packed(bits, room(&mut pack.offset[a], at));
        }
        if T::VELOCITIES || !V::FLAT {
            Self::eight::<I>(&columns.hx, first).store_packed(bits, room(&mut pack.heading[0], at));
            Self::eight::<I>(&columns.hy, first).store_packed(bits, room(&mut pack.heading[1], at));
        }
        if !V::FLAT {
            Self::eight::<I>(&columns.hz, first).store_packed(bits, room(&mut pack.heading[2], at));
        }
        if T::VELOCITIES {
            Self::eight::<I>(&columns.speed, first).store_packed(bits, room(&mut pack.speed, at));
        } else if V::FLAT {
            Self::eight::<I>(&columns.angle, first).store_packed(bits, room(&mut pack.angle, at));
        }
        if WEIGHTED {
            Self::eight::<I>(&columns.kind, first).store_packed(bits, room(&mut pack.kind, at));
        }
        pack.count += bits.count_ones() as usize;
    }

    /// The slots of the nearest in view, rising.
    #[inline(always)]
    fn nearest<'d, I: Set, const WRAPS: bool, const WEIGHTED: bool>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        law: &SpeciesLaw<Scalar<V>>,
        own: &Own<Scalar<V>>,
        mut look: Look,
        nearest: &'d mut Nearest<Scalar<V>>,
    ) -> &'d [u32] {
        let place = self.grid.place(to_f64(own.position));
        look.rings = 1;
        // Twice as many rings until there are enough within what they surely hold.
        loop {
            let far = self.grid.sure(&place, look.rings, if V::FLAT { 2 } else { 3 });
            let last = look.rings >= self.grid.rings || far >= law.reach;
            look.reach = if last { law.reach } else { far };
            let far = Scalar::<V>::from_f64(far);
            nearest.clear(if last { law.reach2 } else { far * far });
            if last {
                look.rings = self.grid.rings;
            }
            for run in Runs::<V>::new(self.grid, &place, look) {
                for first in run.clone().step_by(LANES) {
                    let limit = Wide::<I, V>::all(nearest.limit());
                    let view = self.view::<I, WRAPS, false>(eyes, limit, first);
                    let bits = self.counted::<WEIGHTED>(view.bits, own.species, first, run.end);
                    nearest.push(view.distance2, first, bits, self.sorted);
                }
            }
            if last || nearest.full() {
                return nearest.choose::<Wide<I, V>>(self.sorted);
            }
            look.rings *= 2;
        }
    }

    /// Puts the boids of these slots into the pack.
    #[inline(always)]
    fn fetch<I: Set, T: Sums<V, Wide<I, V>>, const WRAPS: bool, const WEIGHTED: bool>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        slots: &[u32],
        pack: &mut Pack<Scalar<V>>,
    ) {
        let columns = self.columns;
        let copy = |column: &[Scalar<V>], to: &mut [Scalar<V>]| {
            for (to, &slot) in to.iter_mut().zip(slots) {
                *to = column[slot as usize];
            }
        };
        let places = [&columns.x, &columns.y, &columns.z];
        for a in 0..if V::FLAT { 2 } else { 3 } {
            let column = &mut pack.offset[a];
            copy(places[a], column);
            for i in 0..slots.len().div_ceil(LANES) {
                let d = Wide::<I, V>::load(eight(column, i)) - eyes.position[a];
                *room(column, i * LANES) = self.offsets::<I, WRAPS>(d, a).array();
            }
        }
        if T::VELOCITIES || !V::FLAT {
            copy(&columns.hx, &mut pack.heading[0]);
            copy(&columns.hy, &mut pack.heading[1]);
        }
        if !V::FLAT {
            copy(&columns.hz, &mut pack.heading[2]);
        }
        if T::VELOCITIES {
            copy(&columns.speed, &mut pack.speed);
        } else if V::FLAT {
            copy(&columns.angle, &mut pack.angle);
        }
        if WEIGHTED {
            copy(&columns.kind, &mut pack.kind);
        }
        pack.count = slots.len();
    }

    /// Adds the first `count` of the pack to the sums.
    #[inline(always)]
    fn add_up<I: Set, T: Sums<V, Wide<I, V>>, const WEIGHTED: bool>(
        &self,
        rule: &T::Law,
        own: &Own<Scalar<V>>,
        heeds: &[HeedLaw<Scalar<V>>],
        pack: &Pack<Scalar<V>>,
        count: usize,
        sums: &mut T,
    ) {
        let one = Wide::<I, V>::all(Scalar::<V>::ONE);
        for i in 0..count.min(ROOM).div_ceil(LANES) {
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
                some: Wide::<I, V>::first((count - i * LANES).min(LANES)),
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

    /// The shortest offset along an axis; an offset of a world that does not wrap is left alone.
    #[inline(always)]
    fn offset<const WRAPS: bool>(&self, d: Scalar<V>, axis: usize) -> Scalar<V> {
        if !WRAPS {
            return d;
        }
        let (size, half) = (self.bounds.size[axis], self.bounds.half[axis]);
        let more = if d < -half { size } else { Scalar::<V>::ZERO };
        let less = if d > half { size } else { Scalar::<V>::ZERO };
        d + more - less
    }

    /// As `offset`, lane by lane.
    #[inline(always)]
    fn offsets<I: Set, const WRAPS: bool>(&self, d: Wide<I, V>, axis: usize) -> Wide<I, V> {
        if !WRAPS {
            return d;
        }
        let all = Wide::<I, V>::all;
        let (size, half) = (all(self.bounds.size[axis]), all(self.bounds.half[axis]));
        let zero = all(Scalar::<V>::ZERO);
        let more = size.only(d.below(zero - half));
        let less = size.only(d.above(half));
        d + more - less
    }

    fn goal(&self, old: &Body<Scalar<V>>) -> Option<&Goal<V>> {
        if !old.has_goal() {
            return None;
        }
        let at = self.goals.binary_search_by_key(&old.id, |g| g.0).ok()?;
        Some(&self.goals[at].1)
    }

    fn way_to(&self, goal: &Goal<V>, own: &Own<Scalar<V>>) -> [Scalar<V>; 3] {
        let way = sub(goal.position.to_xyz(), own.position);
        if matches!(self.edges, Edges::Wrapping { .. }) {
            std::array::from_fn(|a| self.offset::<true>(way[a], a))
        } else {
            way
        }
    }

    fn goal_turn(
        &self,
        old: &Body<Scalar<V>>,
        own: &Own<Scalar<V>>,
        alone: bool,
    ) -> [Scalar<V>; 3] {
        match self.goal(old) {
            None => [Scalar::<V>::ZERO; 3],
            Some(goal) => {
                let turn = toward::<V>(own.heading, self.way_to(goal, own));
                if alone { turn } else { scale(turn, Scalar::<V>::from_f64(goal.pull)) }
            }
        }
    }

    /// The velocity rule.
    fn accelerated(
        &self,
        old: &Body<Scalar<V>>,
        own: &Own<Scalar<V>>,
        law: &SpeciesLaw<Scalar<V>>,
        rule: &VelocityLaw<Scalar<V>>,
        sums: &VelocitySums<Scalar<V>>,
    ) -> Body<Scalar<V>> {
        let zero = Scalar::<V>::ZERO;
        let share = |weight: Scalar<V>, share, count: Scalar<V>| match share {
            Share::Sum => weight,
            Share::Neighbours if count > zero => weight / count,
            Share::Neighbours => zero,
            Share::Flock => weight / Scalar::<V>::from_f64(self.sorted.len() as f64),
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
                let pull = Scalar::<V>::from_f64(goal.pull);
                change = add(change, scale(sub(wanted, own.velocity), pull));
            }
        }
        let size = length(change);
        if size > law.max_acceleration {
            change = scale(change, law.max_acceleration / size);
        }
        let velocity = add(own.velocity, change);
        let speed = length(velocity);
        let mut heading = own.heading;
        if dot(velocity, velocity) > Scalar::<V>::SAME_PLACE {
            heading = unit(velocity);
            if law.max_turn < Scalar::<V>::PI {
                heading = turned::<V>(own.heading, toward::<V>(own.heading, heading), law.max_turn);
            }
        }
        let avoiding = self.surroundings.turn(own, law);
        if dot(avoiding, avoiding) > zero {
            heading = turned::<V>(heading, avoiding, law.max_turn);
        }
        Body { heading, speed: speed.max(rule.min_speed).min(rule.max_speed), ..*old }
    }

    /// Moves a boid by its speed along its heading, and keeps it in the world and out of walls.
    fn move_on(&self, body: &mut Body<Scalar<V>>) {
        let from = body.position;
        body.position = add(from, scale(body.heading, body.speed));
        self.surroundings.keep_out(from, body);
        let zero = Scalar::<V>::ZERO;
        let axes = if V::FLAT { 2 } else { 3 };
        match self.edges {
            Edges::Open => {
                let far = Scalar::<V>::from_f64(self.reach * FARTHEST);
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
                    body.position[a] = mirrored.max(low).min(high);
                    body.heading[a] = zero - body.heading[a];
                }
            }
        }
    }
}
