//! Cells in buckets by the time at which the wave comes to them.

/// Cells by the time at which the wave comes to them, as `time << 32 | cell`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// By the number of their bucket, modulo so many.
    pub(crate) ring: Vec<Vec<u64>>,
    pub(super) buckets: usize,
    /// How wide a bucket is, as a power of two.
    pub(super) shift: u32,
    /// The bucket whose turn it is, counted from time 0.
    pub(crate) now: usize,
    /// Cells near the sources, in order, and how many of them have gone into the ring.
    pub(crate) seeds: Vec<u64>,
    sown: usize,
}

impl Queue {
    /// Forgets all but the seeds, none of which is earlier than `start`. No offer is further ahead
    /// than twice what the slowest cell takes.
    pub(crate) fn begin(&mut self, shift: u32, slowest: i32, start: i32) {
        self.ring.iter_mut().for_each(Vec::clear);
        self.shift = shift;
        self.buckets = (((2 * slowest) >> shift) as usize + 2).next_power_of_two();
        if self.ring.len() < self.buckets {
            self.ring.resize_with(self.buckets, Vec::new);
        }
        self.seeds.sort_unstable();
        (self.now, self.sown) = (start as usize >> shift, 0);
    }

    pub(crate) fn push(&mut self, offer: u64) {
        let bucket = self.bucket(time_of(offer)) & (self.buckets - 1);
        self.ring[bucket].push(offer);
    }

    /// The bucket of a time.
    pub(crate) fn bucket(&self, time: i32) -> usize {
        time as usize >> self.shift
    }

    /// How far ahead of [`Queue::time`] cells of the ring may lie, seeds apart.
    pub(crate) fn span(&self) -> i32 {
        (self.buckets << self.shift) as i32
    }

    /// The entries of the bucket whose turn it is.
    pub(crate) fn portion(&self) -> &[u64] {
        &self.ring[self.now & (self.buckets - 1)]
    }

    /// All entries, in any order.
    pub(in crate::arrival) fn entries(&mut self) -> impl Iterator<Item = &mut u64> {
        self.ring.iter_mut().flatten().chain(&mut self.seeds)
    }

    /// Makes all times so much less: a whole number of turns of the ring.
    pub(crate) fn shift_down(&mut self, by: i32) {
        self.entries().for_each(|entry| *entry -= u64::from(by as u32) << 32);
        self.now -= by as usize >> self.shift;
    }

    /// When the bucket whose turn it is begins: all earlier arrivals are known.
    pub(crate) fn time(&self) -> usize {
        self.now << self.shift
    }

    /// Removes a cell from the ring.
    pub(crate) fn remove(&mut self, entry: u64) {
        let bucket = self.bucket(time_of(entry)) & (self.buckets - 1);
        self.ring[bucket].retain(|&other| other != entry);
    }

    /// Forgets a cell among the seeds.
    pub(crate) fn forget_seed(&mut self, cell: usize) {
        let mut sown = self.sown;
        if sown < self.seeds.len() {
            self.seeds.retain(|&seed| {
                let is_sown = sown > 0;
                sown = sown.saturating_sub(1);
                is_sown || seed as u32 as usize != cell
            });
        }
    }

    /// Goes on to the first bucket that is not empty and returns its place; `None` if all are.
    pub(crate) fn seek(&mut self) -> Option<usize> {
        loop {
            for _ in 0..self.buckets {
                let place = self.now & (self.buckets - 1);
                while let Some(&seed) = self.seeds.get(self.sown) {
                    if self.bucket(time_of(seed)) != self.now {
                        break;
                    }
                    self.ring[place].push(seed);
                    self.sown += 1;
                }
                if !self.ring[place].is_empty() {
                    return Some(place);
                }
                self.now += 1;
            }
            // Only seeds may lie further ahead than the ring goes.
            self.now = self.bucket(time_of(*self.seeds.get(self.sown)?));
        }
    }
}

pub(crate) fn entry(time: i32, cell: usize) -> u64 {
    u64::from(time as u32) << 32 | cell as u64
}
pub(crate) fn time_of(entry: u64) -> i32 {
    (entry >> 32) as i32
}
