//! The nearest neighbours of a boid, at most so many.

use crate::boid::Body;
use crate::neighbours::pack::{eight, room};
use crate::number::lanes::{LANES, Lanes};
use crate::number::scalar::Scalar;
use crate::rules::config::MAX_NEAREST;

/// Room for candidates before the farthest are dropped.
const ROOM: usize = 4 * MAX_NEAREST;

/// Guesses at the distance of the last one before it is looked for exactly.
const GUESSES: usize = 12;

/// Collects candidates in rising order of their slots and keeps the nearest `most`; of equally far
/// ones those of the lowest ids.
pub(crate) struct Nearest<S> {
    most: usize,
    count: usize,
    /// Squared distances above this are not wanted.
    limit: S,
    distance2: [S; ROOM + LANES],
    slot: [u32; ROOM + LANES],
}

impl<S: Scalar> Nearest<S> {
    pub(crate) fn new(most: usize) -> Self {
        let (distance2, slot) = ([S::ZERO; ROOM + LANES], [0; ROOM + LANES]);
        Self { most: most.clamp(1, MAX_NEAREST), count: 0, limit: S::ZERO, distance2, slot }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self, limit: S) {
        self.count = 0;
        self.limit = limit;
    }

    /// Candidates must be this near, or nearer.
    #[inline(always)]
    pub(crate) fn limit(&self) -> S {
        self.limit
    }

    /// Nobody nearer can come.
    #[inline(always)]
    pub(crate) fn full(&self) -> bool {
        self.count >= self.most
    }

    /// Takes the candidates of `bits`: their squared distances, slots from `first` on.
    #[inline(always)]
    pub(crate) fn push<L: Lanes<S>>(
        &mut self,
        distance2: L,
        first: usize,
        bits: u32,
        bodies: &[Body<S>],
    ) {
        distance2.store_packed(bits, room(&mut self.distance2, self.count));
        L::store_numbers(first as u32, bits, room(&mut self.slot, self.count));
        self.count += bits.count_ones() as usize;
        if self.count > ROOM - LANES {
            self.drop_farthest::<L>(bodies);
        }
    }

    /// The slots of the chosen ones, rising.
    #[inline(always)]
    pub(crate) fn choose<L: Lanes<S>>(&mut self, bodies: &[Body<S>]) -> &[u32] {
        self.drop_farthest::<L>(bodies);
        &self.slot[..self.count.min(MAX_NEAREST)]
    }

    #[inline(always)]
    fn drop_farthest<L: Lanes<S>>(&mut self, bodies: &[Body<S>]) {
        if self.count <= self.most {
            return;
        }
        let Some(limit) = self.guess::<L>() else {
            self.drop_exactly(bodies);
            return;
        };
        let mut kept = 0;
        for i in 0..self.count.div_ceil(LANES) {
            let here = L::first((self.count - i * LANES).min(LANES));
            let distance2 = L::load(eight(&self.distance2, i * LANES));
            let bits = L::bits(L::both(distance2.at_most(L::all(limit)), here));
            let slots = *eight(&self.slot, i * LANES);
            // Never beyond what was read.
            distance2.store_packed(bits, room(&mut self.distance2, kept));
            L::store_packed_u32(&slots, bits, room(&mut self.slot, kept));
            kept += bits.count_ones() as usize;
        }
        self.count = kept;
        self.limit = limit;
    }

    /// A squared distance within which exactly `most` are; in a disc of even density their number
    /// is proportional to it, so a few guesses find it. None where ties or chance prevent it.
    #[inline(always)]
    fn guess<L: Lanes<S>>(&self) -> Option<S> {
        let number = |n: usize| S::from_f64(n as f64);
        let (mut low, mut fewer) = (S::ZERO, 0);
        let (mut high, mut more) = (self.limit, self.count);
        for guess in 0..GUESSES {
            // Every third one halves, lest one end stands still.
            let share = if guess % 3 == 2 {
                S::from_f64(0.5)
            } else {
                (number(self.most - fewer) + S::from_f64(0.5)) / (number(more - fewer) + S::ONE)
            };
            let limit = low + (high - low) * share;
            let mut count = 0;
            for i in 0..self.count.div_ceil(LANES) {
                let here = L::first((self.count - i * LANES).min(LANES));
                let near = L::load(eight(&self.distance2, i * LANES)).at_most(L::all(limit));
                count += L::bits(L::both(near, here)).count_ones() as usize;
            }
            if count == self.most {
                return Some(limit);
            }
            if count < self.most {
                (low, fewer) = (limit, count);
            } else {
                (high, more) = (limit, count);
            }
        }
        None
    }

    #[inline(never)]
    fn drop_exactly(&mut self, bodies: &[Body<S>]) {
        let mut keys = [S::Key::default(); ROOM];
        let key = |i: usize| self.distance2[i].key(bodies[self.slot[i] as usize].id);
        for (i, to) in keys[..self.count].iter_mut().enumerate() {
            *to = key(i);
        }
        let last = *keys[..self.count].select_nth_unstable(self.most - 1).1;
        let mut kept = 0;
        let mut limit = S::ZERO;
        for i in 0..self.count {
            if self.distance2[i].key(bodies[self.slot[i] as usize].id) <= last {
                limit = limit.max(self.distance2[i]);
                self.distance2[kept] = self.distance2[i];
                self.slot[kept] = self.slot[i];
                kept += 1;
            }
        }
        self.count = kept;
        self.limit = limit;
    }
}
