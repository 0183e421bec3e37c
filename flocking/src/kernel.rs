//! One boid's step: find its neighbours, sum, turn, move.

use crate::config::Edges;
use crate::flock::{Body, Columns, Goal, to_f64};
use crate::grid::{FARTHEST, Grid, Place};
use crate::lanes::{LANES, Lanes};
use crate::laws::{Bounds, Laws, RuleLaw, SpeciesLaw, VelocityLaw};
use crate::nearest::Nearest;
use crate::obstacles::Surroundings;
use crate::real::Real;
use crate::rules::Share;
use crate::space::{Scalar, Space, add, dot, length, scale, sub};
use crate::sums::{Own, Seen, Sums, TurningSums, VelocitySums};
use crate::turn::{toward, turned, unit};
use std::ops::Range;

type Wide<V> = <Scalar<V> as Real>::Lanes;

/// Neighbours are listed before they are summed, so that the sums run in one loop.
pub(crate) const ROOM: usize = 64;

/// Slots of neighbours, with room to fill up the last eight.
struct List {
    slots: [u32; ROOM + LANES],
    count: usize,
}

/// The numbers of the bits that are set in 0 to 15, and how many.
const NIBBLES: [([u32; 4], usize); 16] = {
    let mut table = [([0; 4], 0); 16];
    let mut bits = 0;
    while bits < 16 {
        let mut i = 0;
        while i < 4 {
            if bits >> i & 1 == 1 {
                let n = table[bits].1;
                table[bits].0[n] = i;
                table[bits].1 += 1;
            }
            i += 1;
        }
        bits += 1;
    }
    table
};

impl List {
    /// Adds `first + i` for each bit i of the lowest eight. Without a branch per bit: four by four
    /// from a table.
    #[inline(always)]
    fn push(&mut self, first: usize, bits: u32) {
        let mut first = first as u32;
        for bits in [bits & 15, bits >> 4 & 15] {
            let (numbers, count) = &NIBBLES[bits as usize];
            // The mask tells the compiler what the caller sees to: there is room.
            let at = self.count & (ROOM - 1);
            let to = &mut self.slots[at..at + 4];
            for (to, number) in to.iter_mut().zip(numbers) {
                *to = first + number;
            }
            self.count += count;
            first += 4;
        }
    }

    /// The slots by eights; the last eight are filled up with `own`.
    #[inline(always)]
    fn eights(&mut self, own: usize) -> (&[[u32; LANES]], usize) {
        let count = self.count.min(ROOM);
        for slot in &mut self.slots[count..count + LANES] {
            *slot = own as u32;
        }
        let (eights, _) = self.slots[..count.next_multiple_of(LANES)].as_chunks();
        (eights, count)
    }
}

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
}

impl<V: Space> Scene<'_, V> {
    /// The boids of the slots from `first` on after a step. With `stay`, only headings and speeds.
    pub(crate) fn advance(&self, first: usize, out: &mut [Body<Scalar<V>>], stay: bool) {
        if self.laws.plain {
            self.advance_as::<false>(first, out, stay);
        } else {
            self.advance_as::<true>(first, out, stay);
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
    fn advance_as<const WEIGHTED: bool>(
        &self,
        first: usize,
        out: &mut [Body<Scalar<V>>],
        stay: bool,
    ) {
        for (i, out) in out.iter_mut().enumerate() {
            let slot = first + i;
            let old = self.sorted[slot];
            let law = &self.laws.species[old.species()];
            let own = Own {
                position: old.position,
                heading: old.heading,
                angle: if V::FLAT { self.columns.angle[slot] } else { Scalar::<V>::ZERO },
                velocity: scale(old.heading, old.speed),
                slot,
                species: old.species(),
            };
            let mut new = match &law.rule {
                RuleLaw::Turning(rule) => {
                    let sums = if self.at_edge(own.position) {
                        self.sums::<TurningSums<_>, true, WEIGHTED>(law, rule, &own)
                    } else {
                        self.sums::<TurningSums<_>, false, WEIGHTED>(law, rule, &own)
                    };
                    let cohesion = scale(toward::<V>(own.heading, sums.offset), rule.cohesion);
                    let share = rule.alignment / sums.count;
                    let alignment = scale(sums.alignment, share);
                    let separation = scale(sums.separation, rule.separation);
                    let mut turn = add(add(cohesion, alignment), separation);
                    turn = add(turn, self.surroundings.turn(&own, law));
                    turn = add(turn, self.goal_turn(&old, &own, sums.count == Scalar::<V>::ONE));
                    let most = law.max_acceleration;
                    let faster = (old.cruise - old.speed).max(-most).min(most);
                    let heading = turned::<V>(own.heading, turn, law.max_turn);
                    Body { heading, speed: old.speed + faster, ..old }
                }
                RuleLaw::Velocity(rule) => {
                    let sums = if self.at_edge(own.position) {
                        self.sums::<VelocitySums<_>, true, WEIGHTED>(law, rule, &own)
                    } else {
                        self.sums::<VelocitySums<_>, false, WEIGHTED>(law, rule, &own)
                    };
                    self.accelerated(&old, &own, law, rule, &sums)
                }
            };
            if !stay {
                self.move_on(&mut new);
            }
            *out = new;
        }
    }

    /// The sums over the neighbours of a boid.
    #[inline(always)]
    fn sums<T: Sums<V>, const WRAPS: bool, const WEIGHTED: bool>(
        &self,
        law: &SpeciesLaw<Scalar<V>>,
        rule: &T::Law,
        own: &Own<Scalar<V>>,
    ) -> T {
        let mut sums = T::new();
        let place = self.grid.place(to_f64(own.position));
        let heading = to_f64(own.heading);
        let kinds = self.laws.species.len();
        let heeds = &self.laws.heeds[own.species * kinds..(own.species + 1) * kinds];
        let mut list = List { slots: [0; ROOM + LANES], count: 0 };
        let mut take = |list: &mut List| {
            let (eights, mut count) = list.eights(own.slot);
            for slots in eights {
                let seen = self.seen::<T, WRAPS, WEIGHTED>(own, slots, count);
                sums.add::<WEIGHTED>(rule, own, &seen, heeds);
                count = count.saturating_sub(LANES);
            }
        };
        if self.laws.nearest == 0 {
            let rings = self.grid.rings;
            self.runs(&place, law.reach, rings, heading, law.ahead(), |run| {
                self.scan::<WRAPS, WEIGHTED>(own, law, law.reach2, run, &mut list, &mut take);
            });
            take(&mut list);
            return sums;
        }
        // Twice as far until there are enough; what lies within `q` cells is known to be complete.
        let mut nearest = Nearest::new(self.laws.nearest);
        let cell = self.grid.edge[0].min(self.grid.edge[if V::FLAT { 1 } else { 2 }]);
        let cell = cell.min(self.grid.edge[1]) * (1.0 - 1e-5);
        let mut q = 1;
        loop {
            let last = q >= self.grid.rings || q as f64 * cell >= law.reach;
            let far = if last { law.reach } else { q as f64 * cell };
            let far2 = Scalar::<V>::from_f64(far);
            let far2 = if last { law.reach2 } else { far2 * far2 };
            nearest.clear(far2);
            let rings = if last { self.grid.rings } else { q };
            let mut collect = |list: &mut List| {
                for &slot in &list.slots[..list.count.min(ROOM)] {
                    let d2 = self.distance2::<WRAPS>(own, slot as usize);
                    nearest.push(d2, slot as usize, self.sorted);
                }
            };
            list.count = 0;
            self.runs(&place, far, rings, heading, law.ahead(), |run| {
                self.scan::<WRAPS, WEIGHTED>(own, law, far2, run, &mut list, &mut collect);
            });
            collect(&mut list);
            if last || nearest.full() {
                break;
            }
            q *= 2;
        }
        list.count = nearest.choose(self.sorted, &mut list.slots);
        take(&mut list);
        sums
    }

    #[inline(always)]
    fn runs(
        &self,
        place: &Place,
        reach: f64,
        rings: usize,
        heading: [f64; 3],
        ahead: bool,
        run: impl FnMut(Range<usize>),
    ) {
        if V::FLAT {
            self.grid.runs::<true>(place, reach, rings, heading, ahead, run);
        } else {
            self.grid.runs::<false>(place, reach, rings, heading, ahead, run);
        }
    }

    /// Lists the slots of `run` that are in view, in rising order; when the list is full it goes to
    /// `take`.
    #[inline(always)]
    fn scan<const WRAPS: bool, const WEIGHTED: bool>(
        &self,
        own: &Own<Scalar<V>>,
        law: &SpeciesLaw<Scalar<V>>,
        reach2: Scalar<V>,
        run: Range<usize>,
        list: &mut List,
        take: &mut impl FnMut(&mut List),
    ) {
        let count = run.len();
        // The columns are padded, so the last eight are there.
        let whole = run.start..run.start + count.next_multiple_of(LANES);
        let (xs, _) = self.columns.x[whole.clone()].as_chunks::<LANES>();
        let (ys, _) = self.columns.y[whole.clone()].as_chunks::<LANES>();
        let zs = if V::FLAT { xs } else { self.columns.z[whole.clone()].as_chunks::<LANES>().0 };
        let tags = if WEIGHTED { self.columns.tag[whole].as_chunks::<LANES>().0 } else { &[] };
        let mut first = run.start;
        for (i, ((x, y), z)) in xs.iter().zip(ys).zip(zs).enumerate() {
            if list.count > ROOM - LANES {
                take(list);
                list.count = 0;
            }
            let mut bits = self.view::<WRAPS>(own, law, reach2, x, y, z);
            if WEIGHTED {
                let mask = self.laws.masks[own.species];
                for (i, tag) in tags[i].iter().enumerate() {
                    bits &= !(u32::from(mask >> (tag & 0xff) & 1 == 0) << i);
                }
            }
            let rest = run.end - first;
            if rest < LANES {
                bits &= (1 << rest) - 1;
            }
            list.push(first, bits);
            first += LANES;
        }
    }

    /// One bit for each of eight boids that is in view.
    #[inline(always)]
    fn view<const WRAPS: bool>(
        &self,
        own: &Own<Scalar<V>>,
        law: &SpeciesLaw<Scalar<V>>,
        reach2: Scalar<V>,
        x: &[Scalar<V>; LANES],
        y: &[Scalar<V>; LANES],
        z: &[Scalar<V>; LANES],
    ) -> u32 {
        let all = Wide::<V>::all;
        let some = |column: &[Scalar<V>; LANES], axis: usize| {
            self.offsets::<WRAPS>(Wide::<V>::from(*column) - all(own.position[axis]), axis)
        };
        let (dx, dy) = (some(x, 0), some(y, 1));
        let mut d2 = dx * dx + dy * dy;
        let mut ahead = dx * all(own.heading[0]) + dy * all(own.heading[1]);
        if !V::FLAT {
            let dz = some(z, 2);
            d2 = d2 + dz * dz;
            ahead = ahead + dz * all(own.heading[2]);
        }
        let near = d2.at_most(all(reach2)).both(d2.above(all(Scalar::<V>::SAME_PLACE)));
        // A view of half a turn has cosine 0: the same bits, without the root.
        let ahead = if law.cosine == Scalar::<V>::ZERO {
            ahead.above(all(Scalar::<V>::ZERO))
        } else {
            ahead.above(all(law.cosine) * d2.root())
        };
        near.both(ahead).bits()
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
    fn offsets<const WRAPS: bool>(&self, d: Wide<V>, axis: usize) -> Wide<V> {
        if !WRAPS {
            return d;
        }
        let (size, half) = (self.bounds.size[axis], self.bounds.half[axis]);
        let more = d.below(Wide::<V>::all(-half)).both(Wide::<V>::all(size));
        let less = d.above(Wide::<V>::all(half)).both(Wide::<V>::all(size));
        d + more - less
    }

    #[inline(always)]
    fn distance2<const WRAPS: bool>(&self, own: &Own<Scalar<V>>, slot: usize) -> Scalar<V> {
        let columns = self.columns;
        let dx = self.offset::<WRAPS>(columns.x[slot] - own.position[0], 0);
        let dy = self.offset::<WRAPS>(columns.y[slot] - own.position[1], 1);
        let mut distance2 = dx * dx + dy * dy;
        if !V::FLAT {
            let dz = self.offset::<WRAPS>(columns.z[slot] - own.position[2], 2);
            distance2 += dz * dz;
        }
        distance2
    }

    /// What the boid sees of those in `slots`, the first `count` of them.
    #[inline(always)]
    fn seen<T: Sums<V>, const WRAPS: bool, const WEIGHTED: bool>(
        &self,
        own: &Own<Scalar<V>>,
        slots: &[u32; LANES],
        count: usize,
    ) -> Seen<Scalar<V>> {
        let zeros = [Scalar::<V>::ZERO; LANES];
        let columns = self.columns;
        let mut seen = Seen {
            count: count.min(LANES),
            offset: [zeros; 3],
            distance2: zeros,
            heading: [zeros; 3],
            angle: zeros,
            speed: zeros,
            tags: [0; LANES],
        };
        for i in 0..LANES {
            seen.offset[0][i] = columns.x[slots[i] as usize];
            seen.offset[1][i] = columns.y[slots[i] as usize];
            if !V::FLAT {
                seen.offset[2][i] = columns.z[slots[i] as usize];
                seen.heading[2][i] = columns.hz[slots[i] as usize];
            }
            if T::VELOCITIES || !V::FLAT {
                seen.heading[0][i] = columns.hx[slots[i] as usize];
                seen.heading[1][i] = columns.hy[slots[i] as usize];
            }
            if T::VELOCITIES {
                seen.speed[i] = columns.speed[slots[i] as usize];
            } else if V::FLAT {
                seen.angle[i] = columns.angle[slots[i] as usize];
            }
            if WEIGHTED {
                seen.tags[i] = columns.tag[slots[i] as usize];
            }
        }
        let from = |a: usize, column: [Scalar<V>; LANES]| {
            let own = Wide::<V>::all(own.position[a]);
            self.offsets::<WRAPS>(Wide::<V>::from(column) - own, a)
        };
        let (dx, dy) = (from(0, seen.offset[0]), from(1, seen.offset[1]));
        let mut distance2 = dx * dx + dy * dy;
        (seen.offset[0], seen.offset[1]) = (dx.array(), dy.array());
        if !V::FLAT {
            let dz = from(2, seen.offset[2]);
            distance2 = distance2 + dz * dz;
            seen.offset[2] = dz.array();
        }
        seen.distance2 = distance2.array();
        seen
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
