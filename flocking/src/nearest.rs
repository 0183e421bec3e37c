//! The nearest neighbours of a boid, at most so many.

use crate::config::MAX_NEAREST;
use crate::flock::Body;
use crate::real::Real;

/// Room for candidates before the farthest are dropped.
const ROOM: usize = 4 * MAX_NEAREST;

/// Collects candidates in rising order of their slots and keeps the nearest `most`; of equally far
/// ones those of the lowest ids.
pub(crate) struct Nearest<S: Real> {
    most: usize,
    count: usize,
    /// Squared distances above this are not wanted.
    limit: S,
    distance2: [S; ROOM],
    slot: [u32; ROOM],
}

impl<S: Real> Nearest<S> {
    #[inline(always)]
    pub(crate) fn new(most: usize) -> Self {
        let (distance2, slot) = ([S::ZERO; ROOM], [0; ROOM]);
        Self { most: most.clamp(1, MAX_NEAREST), count: 0, limit: S::ZERO, distance2, slot }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self, limit: S) {
        self.count = 0;
        self.limit = limit;
    }

    /// Nobody nearer can come.
    #[inline(always)]
    pub(crate) fn full(&self) -> bool {
        self.count >= self.most
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, distance2: S, slot: usize, bodies: &[Body<S>]) {
        if distance2 > self.limit {
            return;
        }
        if self.count == ROOM {
            self.drop_farthest(bodies);
            if distance2 > self.limit {
                return;
            }
        }
        self.distance2[self.count] = distance2;
        self.slot[self.count] = slot as u32;
        self.count += 1;
    }

    #[inline(never)]
    fn drop_farthest(&mut self, bodies: &[Body<S>]) {
        if self.count <= self.most {
            return;
        }
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

    /// Writes the slots of the chosen ones, rising. Returns how many.
    #[inline(always)]
    pub(crate) fn choose(&mut self, bodies: &[Body<S>], slots: &mut [u32]) -> usize {
        self.drop_farthest(bodies);
        let count = self.count.min(MAX_NEAREST);
        slots[..count].copy_from_slice(&self.slot[..count]);
        count
    }
}
