//! The boids that a boid sees.

use crate::boid::{Body, Own};
use crate::kernel::sums::Sums;
use crate::kernel::{Desk, Done, Kernel, Scene, Subject, Wide};
use crate::neighbours::columns::Sight;
use crate::neighbours::nearby::CROWD;
use crate::neighbours::pack::{ALONE, Pack, SHARED, eight, room};
use crate::neighbours::runs::{Look, Runs};
use crate::number::lanes::{LANES, Lanes, Set, all3};
use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector, to_f64};
use crate::rules::laws::SpeciesLaw;

/// A boid's eyes: the data that are compared with eight others at once.
#[derive(Clone, Copy)]
struct Eyes<L> {
    position: [L; 3],
    heading: [L; 3],
    cosine: L,
}

/// A boid's view of eight others.
struct View<L> {
    offset: [L; 3],
    distance2: L,
    bits: u32,
}

/// The data of a neighbour that the rules read besides its place.
#[derive(Clone, Copy)]
pub(crate) struct Reads {
    velocities: bool,
    species: bool,
}

/// Eight numbers of a column.
#[inline(always)]
fn load<I: Set, V: Vector>(column: &[ScalarOf<V>], first: usize) -> Wide<I, V> {
    // The columns are padded, so eight are always there.
    Wide::<I, V>::load(&column[first..first + LANES].as_chunks().0[0])
}

/// Of the eight boids from `first` on, puts the data of those in `bits` into the pack.
#[inline(always)]
fn put<I: Set, V: Vector, T: Sums<V, Wide<I, V>>, const WEIGHTED: bool, const SIZE: usize>(
    offset: &[Wide<I, V>; 3],
    bits: u32,
    sight: &Sight<'_, ScalarOf<V>>,
    first: usize,
    pack: &mut Pack<ScalarOf<V>, SIZE>,
) {
    let at = pack.count;
    for a in 0..if V::FLAT { 2 } else { 3 } {
        offset[a].store_packed(bits, room(&mut pack.offset[a], at));
    }
    if T::VELOCITIES || !V::FLAT {
        load::<I, V>(sight.hx, first).store_packed(bits, room(&mut pack.heading[0], at));
        load::<I, V>(sight.hy, first).store_packed(bits, room(&mut pack.heading[1], at));
    }
    if !V::FLAT {
        load::<I, V>(sight.hz, first).store_packed(bits, room(&mut pack.heading[2], at));
    }
    if T::VELOCITIES {
        load::<I, V>(sight.speed, first).store_packed(bits, room(&mut pack.speed, at));
    } else if V::FLAT {
        load::<I, V>(sight.angle, first).store_packed(bits, room(&mut pack.angle, at));
    }
    if WEIGHTED {
        load::<I, V>(sight.kind, first).store_packed(bits, room(&mut pack.kind, at));
    }
    pack.count += bits.count_ones() as usize;
}

impl<V: Vector> Scene<'_, V> {
    /// Whether the boid may see across the world's edge. Where it cannot, no offset wraps, and not
    /// looking saves a third of the time.
    #[inline(always)]
    fn at_edge(&self, position: [ScalarOf<V>; 3]) -> bool {
        let mut inside = true;
        for a in 0..if V::FLAT { 2 } else { 3 } {
            inside &= position[a] > self.inner.0[a] && position[a] < self.inner.1[a];
        }
        !inside
    }

    /// Finds the neighbours of a boid, and puts them into the pack or, where they are too many,
    /// sums.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn look<I: Kernel, T, const WEIGHTED: bool>(
        &self,
        subject: &Subject<'_, V, T::Law>,
        desk: &mut Desk<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) where
        T: Sums<V, Wide<I, V>> + Done<V, T::Law>,
    {
        let Subject { own, law, slot, lane, .. } = subject;
        let from = desk.pack.count;
        let wraps = WEIGHTED || self.at_edge(own.position);
        let half = !WEIGHTED && law.cosine == ScalarOf::<V>::ZERO;
        // SAFETY: this is part of `Kernel::advance` of the same instructions.
        unsafe {
            if self.laws.nearest > 0 {
                let reads = Reads { velocities: T::VELOCITIES, species: WEIGHTED };
                if (wraps, half) == (false, true) {
                    I::nearest::<V, true>(self, own, law, [false, true], reads, desk);
                } else {
                    I::nearest::<V, false>(self, own, law, [wraps, half], reads, desk);
                }
            } else if let Some(count) = desk.nearby.of::<V>(*slot, self.grid, self.columns)
                && from + CROWD + LANES <= SHARED
            {
                // The same bits either way: the shorter ways are for the common cases.
                if WEIGHTED {
                    I::near::<V, T, true, true, false>(self, own, law, count, desk);
                } else {
                    match (wraps, half) {
                        (false, true) => {
                            I::near::<V, T, false, false, true>(self, own, law, count, desk);
                        }
                        (true, true) => {
                            I::near::<V, T, false, true, true>(self, own, law, count, desk);
                        }
                        (false, false) => {
                            I::near::<V, T, false, false, false>(self, own, law, count, desk);
                        }
                        (true, false) => {
                            I::near::<V, T, false, true, false>(self, own, law, count, desk);
                        }
                    }
                }
            } else {
                desk.spans[*lane] = None;
                I::crowd::<V, T, WEIGHTED>(self, subject, [wraps, half], desk, out);
                return;
            }
        }
        desk.spans[*lane] = Some((from, desk.pack.count));
    }

    #[inline(always)]
    fn eyes<I: Set>(own: &Own<ScalarOf<V>>, law: &SpeciesLaw<ScalarOf<V>>) -> Eyes<Wide<I, V>> {
        Eyes {
            position: all3(own.position),
            heading: all3(own.heading),
            cosine: Wide::<I, V>::all(law.cosine),
        }
    }

    fn look_of(&self, own: &Own<ScalarOf<V>>, law: &SpeciesLaw<ScalarOf<V>>) -> Look {
        Look {
            reach: law.reach,
            rings: self.grid.rings,
            heading: to_f64(own.heading),
            ahead: law.ahead(),
        }
    }

    /// Puts those in view of the `count` that lie near into the pack.
    #[inline(always)]
    pub(crate) fn near_as<I: Set, T, const WEIGHTED: bool, const WRAPS: bool, const HALF: bool>(
        &self,
        own: &Own<ScalarOf<V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
        count: usize,
        desk: &mut Desk<ScalarOf<V>>,
    ) where
        T: Sums<V, Wide<I, V>>,
    {
        let eyes = Self::eyes::<I>(own, law);
        let reach2 = Wide::<I, V>::all(law.reach2);
        let sight = desk.nearby.sight();
        for first in (0..count).step_by(LANES) {
            let view = self.view::<I>(&eyes, reach2, &sight, first, [WRAPS, HALF]);
            let bits = self.counted(WEIGHTED, view.bits, own.species, &sight, first);
            put::<I, V, T, WEIGHTED, _>(&view.offset, bits, &sight, first, &mut desk.pack);
        }
    }

    /// Sums row by row, in parts.
    #[inline(always)]
    pub(crate) fn crowd_as<I: Set, T, const WEIGHTED: bool>(
        &self,
        subject: &Subject<'_, V, T::Law>,
        ways: [bool; 2],
        desk: &mut Desk<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) where
        T: Sums<V, Wide<I, V>> + Done<V, T::Law>,
    {
        let Subject { own, law, .. } = subject;
        let eyes = Self::eyes::<I>(own, law);
        let reach2 = Wide::<I, V>::all(law.reach2);
        let pack = &mut desk.alone;
        pack.count = 0;
        let mut seen = 0;
        let mut sums = T::new();
        let sight = self.columns.sight();
        let place = self.grid.place(to_f64(own.position));
        let mut runs = Runs::<V>::new(self.grid, &place, self.look_of(own, law));
        let mut run = 0..0;
        // One place adds up, the last part too: twice the code takes twice as long to compile.
        loop {
            while run.start < run.end && pack.count <= ALONE - 2 * LANES {
                let first = run.start;
                let view = self.view::<I>(&eyes, reach2, &sight, first, ways);
                let bits = view.bits & !(u32::MAX << (run.end - first).min(LANES));
                let bits = self.counted(WEIGHTED, bits, own.species, &sight, first);
                put::<I, V, T, WEIGHTED, _>(&view.offset, bits, &sight, first, pack);
                run.start += LANES;
            }
            let mut last = false;
            if pack.count <= ALONE - 2 * LANES {
                match runs.next() {
                    Some(next) => {
                        run = next;
                        continue;
                    }
                    None => last = true,
                }
            }
            let end = if last { pack.count } else { pack.count / LANES * LANES };
            self.add_up::<I, T, WEIGHTED, _>(subject, pack, (0, end), &mut sums);
            seen += end;
            if last {
                break;
            }
            pack.keep_rest();
        }
        sums.done(self, subject, seen == 0, &mut desk.wishes, out);
    }

    /// The offsets to the eight boids from a slot on, and which of them are in view. `wraps`: the
    /// boid may see across the edge; `half`: it sees what is ahead.
    #[inline(always)]
    fn view<I: Set>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        reach2: Wide<I, V>,
        sight: &Sight<'_, ScalarOf<V>>,
        first: usize,
        [wraps, half]: [bool; 2],
    ) -> View<Wide<I, V>> {
        let all = Wide::<I, V>::all;
        let zero = all(ScalarOf::<V>::ZERO);
        let dx = load::<I, V>(sight.x, first) - eyes.position[0];
        let dy = load::<I, V>(sight.y, first) - eyes.position[1];
        let (dx, dy) = (self.offsets::<I>(wraps, dx, 0), self.offsets::<I>(wraps, dy, 1));
        let mut dz = zero;
        let mut distance2 = dx * dx + dy * dy;
        let mut ahead = dx * eyes.heading[0] + dy * eyes.heading[1];
        if !V::FLAT {
            dz = load::<I, V>(sight.z, first) - eyes.position[2];
            dz = self.offsets::<I>(wraps, dz, 2);
            distance2 = distance2 + dz * dz;
            ahead = ahead + dz * eyes.heading[2];
        }
        let far = distance2.at_most(reach2);
        let near = distance2.above(all(ScalarOf::<V>::SAME_PLACE));
        let ahead =
            if half { ahead.above(zero) } else { ahead.above(eyes.cosine * distance2.root()) };
        let both = Wide::<I, V>::both;
        let bits = Wide::<I, V>::bits(both(both(far, near), ahead));
        View { offset: [dx, dy, dz], distance2, bits }
    }

    /// Of the eight boids from `first` on, those whose species counts.
    #[inline(always)]
    fn counted(
        &self,
        weighted: bool,
        mut bits: u32,
        species: usize,
        sight: &Sight<'_, ScalarOf<V>>,
        first: usize,
    ) -> u32 {
        if weighted {
            let mask = self.laws.masks[species];
            for (i, kind) in sight.kind[first..first + LANES].iter().enumerate() {
                bits &= !(u32::from(mask >> kind.to_f64() as u32 & 1 == 0) << i);
            }
        }
        bits
    }

    /// Puts the nearest in view into the pack, in rising order of their slots. `USUAL`: half the
    /// world is in view, and not across the edge.
    #[inline(always)]
    pub(crate) fn nearest_as<I: Set, const USUAL: bool>(
        &self,
        own: &Own<ScalarOf<V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
        ways: [bool; 2],
        reads: Reads,
        desk: &mut Desk<ScalarOf<V>>,
    ) {
        let ways = if USUAL { [false, true] } else { ways };
        let eyes = Self::eyes::<I>(own, law);
        let nearest = &mut desk.nearest;
        let sight = self.columns.sight();
        let place = self.grid.place(to_f64(own.position));
        let mut look = Look { rings: 1, ..self.look_of(own, law) };
        // Doubles the rings until there are enough boids within the distance that they fully cover.
        loop {
            let far = self.grid.sure(&place, look.rings, if V::FLAT { 2 } else { 3 });
            let last = look.rings >= self.grid.rings || far >= law.reach;
            look.reach = if last { law.reach } else { far };
            let far = ScalarOf::<V>::from_f64(far);
            nearest.clear(if last { law.reach2 } else { far * far });
            if last {
                look.rings = self.grid.rings;
            }
            for run in Runs::<V>::new(self.grid, &place, look) {
                for first in run.clone().step_by(LANES) {
                    let limit = Wide::<I, V>::all(nearest.limit());
                    let view = self.view::<I>(&eyes, limit, &sight, first, ways);
                    let bits = view.bits & !(u32::MAX << (run.end - first).min(LANES));
                    let bits = self.counted(reads.species, bits, own.species, &sight, first);
                    nearest.push(view.distance2, first, bits, self.sorted);
                }
            }
            if last || nearest.full() {
                break;
            }
            look.rings *= 2;
        }
        let slots = nearest.choose::<Wide<I, V>>(self.sorted);
        self.fetch::<I>(&eyes, slots, ways[0], reads, &mut desk.pack);
    }

    /// Puts the boids of these slots into the pack.
    #[inline(always)]
    fn fetch<I: Set>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        slots: &[u32],
        wraps: bool,
        reads: Reads,
        pack: &mut Pack<ScalarOf<V>, SHARED>,
    ) {
        let columns = self.columns;
        let at = pack.count;
        let copy = |column: &[ScalarOf<V>], to: &mut [ScalarOf<V>]| {
            for (to, &slot) in to[at..].iter_mut().zip(slots) {
                *to = column[slot as usize];
            }
        };
        let places = [&columns.x, &columns.y, &columns.z];
        for a in 0..if V::FLAT { 2 } else { 3 } {
            let column = &mut pack.offset[a];
            copy(places[a], column);
            for i in (at..at + slots.len()).step_by(LANES) {
                let d = Wide::<I, V>::load(eight(column, i)) - eyes.position[a];
                *room(column, i) = self.offsets::<I>(wraps, d, a).array();
            }
        }
        if reads.velocities || !V::FLAT {
            copy(&columns.hx, &mut pack.heading[0]);
            copy(&columns.hy, &mut pack.heading[1]);
        }
        if !V::FLAT {
            copy(&columns.hz, &mut pack.heading[2]);
        }
        if reads.velocities {
            copy(&columns.speed, &mut pack.speed);
        } else if V::FLAT {
            copy(&columns.angle, &mut pack.angle);
        }
        if reads.species {
            copy(&columns.kind, &mut pack.kind);
        }
        pack.count += slots.len();
    }

    /// The shortest offsets along an axis; those of a world that does not wrap are left alone.
    #[inline(always)]
    fn offsets<I: Set>(&self, wraps: bool, d: Wide<I, V>, axis: usize) -> Wide<I, V> {
        if !wraps {
            return d;
        }
        let all = Wide::<I, V>::all;
        let (size, half) = (all(self.bounds.size[axis]), all(self.bounds.half[axis]));
        let zero = all(ScalarOf::<V>::ZERO);
        let more = size.only(d.below(zero - half));
        let less = size.only(d.above(half));
        d + more - less
    }
}
