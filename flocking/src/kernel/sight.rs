//! Whom a boid sees.

use crate::boid::{Body, Own};
use crate::kernel::sums::Sums;
use crate::kernel::{Desk, Done, Kernel, Scene, Subject, Wide};
use crate::neighbours::columns::Sight;
use crate::neighbours::nearby::CROWD;
use crate::neighbours::nearest::Nearest;
use crate::neighbours::pack::{ALONE, Pack, SHARED, eight, room};
use crate::neighbours::runs::{Look, Runs};
use crate::number::lanes::{LANES, Lanes, Set, all3};
use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector, to_f64};
use crate::rules::laws::SpeciesLaw;

/// A boid's eyes: what is compared with eight others at once.
#[derive(Clone, Copy)]
struct Eyes<L> {
    position: [L; 3],
    heading: [L; 3],
    cosine: L,
}

/// What a boid sees of eight others.
struct View<L> {
    offset: [L; 3],
    distance2: L,
    bits: u32,
}

/// Eight numbers of a column.
#[inline(always)]
fn load<I: Set, V: Vector>(column: &[ScalarOf<V>], first: usize) -> Wide<I, V> {
    // The columns are padded, so eight are always there.
    Wide::<I, V>::load(&column[first..first + LANES].as_chunks().0[0])
}

/// Puts what the rules read of the eight from `first` on into the pack, those of `bits`.
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
    pub(crate) fn look<I: Kernel, T, const WEIGHTED: bool>(
        &self,
        subject: &Subject<'_, V, T::Law>,
        desk: &mut Desk<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) where
        T: Sums<V, Wide<I, V>> + Done<V, T::Law>,
    {
        // The same bits either way: the shorter ways are for the common cases.
        if WEIGHTED {
            self.look_by::<I, T, WEIGHTED, true, false>(subject, desk, out);
            return;
        }
        let edge = self.at_edge(subject.own.position);
        match (edge, subject.law.cosine == ScalarOf::<V>::ZERO) {
            (false, true) => self.look_by::<I, T, WEIGHTED, false, true>(subject, desk, out),
            (true, true) => self.look_by::<I, T, WEIGHTED, true, true>(subject, desk, out),
            (false, false) => self.look_by::<I, T, WEIGHTED, false, false>(subject, desk, out),
            (true, false) => self.look_by::<I, T, WEIGHTED, true, false>(subject, desk, out),
        }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn look_by<I: Kernel, T, const WEIGHTED: bool, const WRAPS: bool, const HALF: bool>(
        &self,
        subject: &Subject<'_, V, T::Law>,
        desk: &mut Desk<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) where
        T: Sums<V, Wide<I, V>> + Done<V, T::Law>,
    {
        // SAFETY: this is part of `Kernel::advance` of the same instructions.
        unsafe { I::look::<V, T, WEIGHTED, WRAPS, HALF>(self, subject, desk, out) }
    }

    #[inline(always)]
    pub(crate) fn look_as<I: Set, T, const WEIGHTED: bool, const WRAPS: bool, const HALF: bool>(
        &self,
        subject: &Subject<'_, V, T::Law>,
        desk: &mut Desk<ScalarOf<V>>,
        out: &mut Body<ScalarOf<V>>,
    ) where
        T: Sums<V, Wide<I, V>> + Done<V, T::Law>,
    {
        let Subject { own, law, slot, lane, .. } = subject;
        let (slot, lane) = (*slot, *lane);
        let eyes = Eyes {
            position: all3(own.position),
            heading: all3(own.heading),
            cosine: Wide::<I, V>::all(law.cosine),
        };
        let look = Look {
            reach: law.reach,
            rings: self.grid.rings,
            heading: to_f64(own.heading),
            ahead: law.ahead(),
        };
        let reach2 = Wide::<I, V>::all(law.reach2);
        let from = desk.pack.count;
        if self.laws.nearest > 0 {
            let nearest = &mut desk.nearest;
            let slots = self.nearest::<I, WRAPS, WEIGHTED, HALF>(&eyes, law, own, look, nearest);
            self.fetch::<I, T, WRAPS, WEIGHTED>(&eyes, slots, &mut desk.pack);
            desk.spans[lane] = Some((from, desk.pack.count));
            return;
        }
        if let Some(count) = desk.nearby.of::<V>(slot, self.grid, self.columns)
            && from + CROWD + LANES <= SHARED
        {
            let sight = desk.nearby.sight();
            let mut first = 0;
            while first < count {
                let view = self.view::<I, WRAPS, HALF>(&eyes, reach2, &sight, first);
                let bits = self.counted::<WEIGHTED>(view.bits, own.species, &sight, first);
                put::<I, V, T, WEIGHTED, _>(&view.offset, bits, &sight, first, &mut desk.pack);
                first += LANES;
            }
            desk.spans[lane] = Some((from, desk.pack.count));
            return;
        }
        desk.spans[lane] = None;
        let pack = &mut desk.alone;
        pack.count = 0;
        let mut seen = 0;
        let mut sums = T::new();
        let sight = self.columns.sight();
        let place = self.grid.place(to_f64(own.position));
        for run in Runs::<V>::new(self.grid, &place, look) {
            let mut first = run.start;
            while first < run.end {
                let view = self.view::<I, WRAPS, HALF>(&eyes, reach2, &sight, first);
                let bits = view.bits & !(u32::MAX << (run.end - first).min(LANES));
                let bits = self.counted::<WEIGHTED>(bits, own.species, &sight, first);
                put::<I, V, T, WEIGHTED, _>(&view.offset, bits, &sight, first, pack);
                if pack.count > ALONE - 2 * LANES {
                    let whole = pack.count / LANES * LANES;
                    self.add_up::<I, T, WEIGHTED, _>(subject, pack, (0, whole), &mut sums);
                    seen += whole;
                    pack.keep_rest();
                }
                first += LANES;
            }
        }
        self.add_up::<I, T, WEIGHTED, _>(subject, pack, (0, pack.count), &mut sums);
        seen += pack.count;
        sums.done(self, subject, seen == 0, &mut desk.wishes, out);
    }

    /// The offsets to the eight boids from a slot on, and which of them are in view.
    #[inline(always)]
    fn view<I: Set, const WRAPS: bool, const HALF: bool>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        reach2: Wide<I, V>,
        sight: &Sight<'_, ScalarOf<V>>,
        first: usize,
    ) -> View<Wide<I, V>> {
        let all = Wide::<I, V>::all;
        let zero = all(ScalarOf::<V>::ZERO);
        let dx = load::<I, V>(sight.x, first) - eyes.position[0];
        let dy = load::<I, V>(sight.y, first) - eyes.position[1];
        let (dx, dy) = (self.offsets::<I, WRAPS>(dx, 0), self.offsets::<I, WRAPS>(dy, 1));
        let mut dz = zero;
        let mut distance2 = dx * dx + dy * dy;
        let mut ahead = dx * eyes.heading[0] + dy * eyes.heading[1];
        if !V::FLAT {
            dz = load::<I, V>(sight.z, first) - eyes.position[2];
            dz = self.offsets::<I, WRAPS>(dz, 2);
            distance2 = distance2 + dz * dz;
            ahead = ahead + dz * eyes.heading[2];
        }
        let far = distance2.at_most(reach2);
        let near = distance2.above(all(ScalarOf::<V>::SAME_PLACE));
        let ahead =
            if HALF { ahead.above(zero) } else { ahead.above(eyes.cosine * distance2.root()) };
        let both = Wide::<I, V>::both;
        let bits = Wide::<I, V>::bits(both(both(far, near), ahead));
        View { offset: [dx, dy, dz], distance2, bits }
    }

    /// Of the eight from `first` on, those whose species counts.
    #[inline(always)]
    fn counted<const WEIGHTED: bool>(
        &self,
        mut bits: u32,
        species: usize,
        sight: &Sight<'_, ScalarOf<V>>,
        first: usize,
    ) -> u32 {
        if WEIGHTED {
            let mask = self.laws.masks[species];
            for (i, kind) in sight.kind[first..first + LANES].iter().enumerate() {
                bits &= !(u32::from(mask >> kind.to_f64() as u32 & 1 == 0) << i);
            }
        }
        bits
    }

    /// The slots of the nearest in view, rising.
    #[inline(always)]
    fn nearest<'d, I: Set, const WRAPS: bool, const WEIGHTED: bool, const HALF: bool>(
        &self,
        eyes: &Eyes<Wide<I, V>>,
        law: &SpeciesLaw<ScalarOf<V>>,
        own: &Own<ScalarOf<V>>,
        mut look: Look,
        nearest: &'d mut Nearest<ScalarOf<V>>,
    ) -> &'d [u32] {
        let sight = self.columns.sight();
        let place = self.grid.place(to_f64(own.position));
        look.rings = 1;
        // Twice as many rings until there are enough within what they surely hold.
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
                let mut first = run.start;
                while first < run.end {
                    let limit = Wide::<I, V>::all(nearest.limit());
                    let view = self.view::<I, WRAPS, HALF>(eyes, limit, &sight, first);
                    let bits = view.bits & !(u32::MAX << (run.end - first).min(LANES));
                    let bits = self.counted::<WEIGHTED>(bits, own.species, &sight, first);
                    nearest.push(view.distance2, first, bits, self.sorted);
                    first += LANES;
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
                *room(column, i) = self.offsets::<I, WRAPS>(d, a).array();
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
        pack.count += slots.len();
    }

    /// The shortest offsets along an axis; those of a world that does not wrap are left alone.
    #[inline(always)]
    fn offsets<I: Set, const WRAPS: bool>(&self, d: Wide<I, V>, axis: usize) -> Wide<I, V> {
        if !WRAPS {
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
