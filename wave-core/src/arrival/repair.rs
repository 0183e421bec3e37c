//! A solved field after edits: only what they change is worked out again.
//!
//! # Why the bits are those of a fresh field
//! A cell's time is the least of what its neighbours, links and corners offer, and of what a source
//! gives it. An offer depends only on cells that are earlier than the one that makes it, and that
//! one is earlier, by more than a bucket is wide, than what it offers. So the times are the only
//! solution of one equation for each cell, and none depends on cells of its own bucket or a later
//! one. Nothing else is needed: an offer may well get later when what it depends on gets earlier,
//! as rounding and ties make it now and then.
//!
//! # The order
//! Buckets have their turn as in a march. When one has, all earlier ones are final, and
//! 1. cells that had a time in it and may have lost it are looked at again: those around edits, and
//!    around cells that have changed in an earlier bucket. A cell to which earlier cells still
//!    offer this time keeps it. Others take the time that these offer, or wait; they have changed.
//! 2. Around cells that have changed, all later cells are to be looked at in their own turn.
//! 3. Cells that have changed, cells that kept their times and later cells of this bucket offer
//!    their neighbours times, as in a march. A cell that takes one has changed.
//!
//! A cell around which nothing changes is never looked at. On a flat map of one speed without links
//! less is done where all edits close cells, or where all open them and all of the field is known
//! (`march/even.rs`).

use super::march::{LATEST, March, NEAR, UNREACHED, WALL, entry, time_of};
use crate::grid::{Links, Map};

/// After more than one edit for so many cells nothing is repaired.
pub(super) const CELLS_PER_EDIT: usize = 128;

/// Whether an edit of a cell may change the times that a source gives the cells around it, on a
/// grid of this size.
pub(super) fn is_near_a_source(sources: &[[usize; 3]], cell: [usize; 3], size: [usize; 3]) -> bool {
    let reach = NEAR[usize::from(size[0] > 1)];
    let is_near = |source: &[usize; 3]| (0..3).all(|a| source[a].abs_diff(cell[a]) <= reach);
    sources.iter().any(is_near)
}

/// A mark on the number of a cell in the queue: it is to be looked at, and has not changed.
pub(super) const LOOK: u64 = 1 << 31;

/// Marks of a cell: its time is another one now; it is in the queue to be looked at; a source gives
/// it a time; it is to offer its time in its turn ([`March::rise`]).
pub(super) const CHANGED: u8 = 1;
pub(super) const ASKED: u8 = 2;
pub(super) const ROOT: u8 = 4;
pub(super) const OFFERS: u8 = 8;

/// How a repair ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Repaired,
    /// So much changes that a march is cheaper, or a march is needed.
    TooMuch,
    /// A cell lies too far.
    TooFar,
}

/// The repair of a march's times.
#[derive(Clone, Debug, Default)]
pub(super) struct Repair {
    marks: Vec<u8>,
    /// Cells with marks, but for [`ROOT`].
    marked: Vec<u32>,
    /// Cells that sources give a time, in order.
    roots: Vec<(u32, i32)>,
    /// Cells whose time or speed is another one than before, and the time before; first those
    /// that were edited.
    pub(super) changed: Vec<(u32, i32)>,
    /// Whether a cell has to be looked at in a turn that the queue has no room for.
    is_lost: bool,
}

/// The time that a source gives a cell, of those that get one.
fn root(roots: &[(u32, i32)], i: usize) -> i32 {
    let place = roots.binary_search_by_key(&(i as u32), |(cell, _)| *cell);
    place.map_or(UNREACHED, |place| roots[place].1)
}

impl Repair {
    /// Forgets the times that sources give, after other sources were sown.
    pub(super) fn forget_roots(&mut self) {
        for &(cell, _) in &self.roots {
            self.marks[cell as usize] = 0;
        }
        self.roots.clear();
    }

    pub(super) fn knows_roots(&self) -> bool {
        !self.roots.is_empty()
    }

    /// Takes the times that sources give from the `seeds` of a march over `len` stored cells.
    pub(super) fn know_roots(&mut self, seeds: &[u64], len: usize) {
        if self.knows_roots() {
            return;
        }
        self.marks.resize(len, 0);
        self.roots.extend(seeds.iter().map(|&seed| (seed as u32, time_of(seed))));
        self.roots.sort_unstable();
        self.roots.dedup_by_key(|(cell, _)| *cell);
        for &(cell, _) in &self.roots {
            self.marks[cell as usize] = ROOT;
        }
    }

    /// Puts all times back that a run has changed.
    pub(super) fn undo(&self, march: &mut March) {
        for &(cell, before) in self.changed.iter().rev() {
            march.times[cell as usize] = before;
        }
    }

    /// Repairs all times of a march after the cells at the indices `edited` were edited. The march
    /// has their walls and speeds already, and has taken all cells that are earlier than `until`.
    /// The repair gives up when more than `most` cells have changed.
    pub(super) fn run(
        &mut self,
        march: &mut March,
        map: &Map,
        edited: &[u32],
        until: i32,
        most: usize,
    ) -> Ended {
        self.is_lost = false;
        self.changed.clear();
        self.changed.extend(edited.iter().map(|&i| (i, march.times[i as usize])));
        let is_even = march.is_monotone() && map.links().is_none();
        let closed = self.changed.iter().filter(|&&(_, time)| time == WALL).count();
        if is_even && closed == 0 && until == UNREACHED {
            return self.open(march, edited, most);
        }
        march.queue.seeds.clear();
        for &i in edited {
            self.ask_around(march, map.links(), i as usize);
        }
        march.resume_repair();
        if is_even && closed == edited.len() {
            return self.close(march, until, most);
        }
        let ended = self.work(march, map.links(), until, most);
        for cell in self.marked.drain(..) {
            self.marks[cell as usize] &= ROOT;
        }
        ended
    }

    /// Repairs times where no offer gets later when what it depends on gets earlier, and walls went
    /// at all cells that were edited.
    fn open(&mut self, march: &mut March, edited: &[u32], most: usize) -> Ended {
        march.queue.seeds.clear();
        for i in edited.iter().map(|&i| i as usize) {
            let time = self.earliest(march, None, i, UNREACHED);
            if time < march.times[i] {
                self.marks[i] |= CHANGED;
                self.changed.push((i as u32, march.times[i]));
                march.times[i] = time;
                march.queue.seeds.push(entry(time, i));
            }
        }
        march.resume(0);
        let ended = self.fall(march, most);
        self.changed.iter().for_each(|&(i, _)| self.marks[i as usize] &= ROOT);
        ended
    }

    /// Lets times fall from what stands in the queue.
    fn fall(&mut self, march: &mut March, most: usize) -> Ended {
        let Self { marks, changed, .. } = self;
        while let Some(place) = march.queue.seek() {
            march.fall(place, |i, before| {
                if marks[i] & CHANGED == 0 {
                    marks[i] |= CHANGED;
                    changed.push((i as u32, before));
                }
            });
            if changed.len() > most {
                return Ended::TooMuch;
            }
            if march.queue.time() as i32 + (1 << march.shift()) > LATEST {
                return Ended::TooFar;
            }
        }
        Ended::Repaired
    }

    /// Repairs times where no offer gets earlier when what it depends on gets later, and walls came
    /// at all cells that were edited. The cells around those are among the seeds.
    fn close(&mut self, march: &mut March, until: i32, most: usize) -> Ended {
        let mut ended = Ended::Repaired;
        while let Some(place) = march.queue.seek() {
            let start = march.queue.time() as i32;
            if start >= until {
                self.look_beyond(march, None, until);
                break;
            }
            let Self { marks, roots, changed, .. } = self;
            self.is_lost |= !march.rise(place, until, marks, changed, |i| root(roots, i));
            if self.is_lost || self.changed.len() > most {
                ended = Ended::TooMuch;
                break;
            }
            if start + (1 << march.shift()) > LATEST {
                ended = Ended::TooFar;
                break;
            }
            if !march.queue.ring[place].is_empty() {
                let marks = &self.marks;
                march.take_one(None, place, |i, _| {
                    debug_assert!(marks[i] & OFFERS != 0, "cell {i} does not wait");
                });
            }
        }
        for entry in march.queue.entries() {
            self.marks[(*entry & !LOOK) as u32 as usize] &= ROOT;
        }
        self.changed.iter().for_each(|&(i, _)| self.marks[i as usize] &= ROOT);
        self.marked.drain(..).for_each(|i| self.marks[i as usize] &= ROOT);
        ended
    }

    /// Marks all cells to be looked at that an edit of a cell may concern.
    fn ask_around(&mut self, march: &mut March, links: Option<&Links>, i: usize) {
        let cell = march.layout().cell(i);
        for off in march.block(1) {
            if let Some(j) = march.beside(cell, off) {
                self.ask_first(march, j);
            }
        }
        if let Some(links) = links {
            links.to(i).iter().for_each(|link| self.ask_first(march, link.from as usize));
            links.from(i).iter().for_each(|link| self.ask_first(march, link.to as usize));
        }
    }

    fn ask_first(&mut self, march: &mut March, i: usize) {
        let time = march.times[i];
        if time < UNREACHED && self.marks[i] & ASKED == 0 {
            self.mark(i, ASKED);
            march.queue.seeds.push(entry(time, i) | LOOK);
        }
    }

    fn mark(&mut self, i: usize, mark: u8) {
        self.marks[i] |= mark;
        self.marked.push(i as u32);
    }

    fn work(&mut self, march: &mut March, links: Option<&Links>, until: i32, most: usize) -> Ended {
        let shift = march.shift();
        while let Some(place) = march.queue.seek() {
            let start = march.queue.time() as i32;
            if start >= until {
                self.look_beyond(march, links, until);
                break;
            }
            let end = start + (1 << shift);
            self.look_again(march, links, place, [start, end]);
            if self.is_lost || self.changed.len() > most {
                return Ended::TooMuch;
            }
            if end > LATEST {
                return Ended::TooFar;
            }
            if march.queue.ring[place].is_empty() {
                continue;
            }
            let Self { marks, marked, changed, .. } = self;
            march.take_one(links, place, |i, before| {
                if marks[i] & CHANGED == 0 {
                    marks[i] |= CHANGED;
                    marked.push(i as u32);
                    changed.push((i as u32, before));
                }
            });
        }
        Ended::Repaired
    }

    /// Looks at the cells of a bucket, and leaves those in it that are to offer their neighbours
    /// times.
    fn look_again(
        &mut self,
        march: &mut March,
        links: Option<&Links>,
        place: usize,
        [start, end]: [i32; 2],
    ) {
        // Entries added meanwhile need no look. Of the entries that were there, those that stay
        // move up.
        let count = march.queue.ring[place].len();
        let mut stay = 0;
        for n in 0..count {
            let taken = march.queue.ring[place][n];
            let (time, i) = (time_of(taken), (taken & !LOOK) as u32 as usize);
            if march.times[i] != time {
                continue;
            }
            if taken & LOOK == 0 {
                self.ask_later(march, links, i, [start, end]);
            } else if self.marks[i] & CHANGED != 0 {
                continue;
            } else {
                // No earlier than it was, unless a snapshot gave the times, which may be any.
                let now = self.earliest(march, links, i, start);
                if now != time {
                    march.times[i] = now;
                    self.mark(i, CHANGED);
                    self.changed.push((i as u32, time));
                    if now < UNREACHED {
                        march.queue.push(entry(now, i));
                    }
                    self.ask_later(march, links, i, [start, end]);
                    self.ask_ends(march, links, i, [start, end]);
                    continue;
                }
            }
            march.queue.ring[place][stay] = entry(time, i);
            stay += 1;
        }
        march.queue.ring[place].drain(stay..count);
    }

    /// Looks again at cells that the wave has yet to reach, by the arrivals before `until`.
    fn look_beyond(&mut self, march: &mut March, links: Option<&Links>, until: i32) {
        let asked = |entry: &u64| entry & LOOK != 0 && time_of(*entry) >= until;
        let asked: Vec<u64> = march.queue.entries().map(|entry| *entry).filter(asked).collect();
        for taken in asked {
            let (time, i) = (time_of(taken), (taken & !LOOK) as u32 as usize);
            if march.times[i] == time && self.marks[i] & CHANGED == 0 {
                let now = self.earliest(march, links, i, until);
                if now != time {
                    march.times[i] = now;
                    self.mark(i, CHANGED);
                    self.changed.push((i as u32, time));
                }
            }
        }
    }

    /// The time of a cell by the cells that are earlier than `before`, and by sources.
    fn earliest(&self, march: &March, links: Option<&Links>, i: usize, before: i32) -> i32 {
        let time = march.earliest(links, i, before);
        if self.marks[i] & ROOT == 0 { time } else { time.min(root(&self.roots, i)) }
    }

    /// Marks all cells to be looked at that are not earlier than a bucket and may depend on a
    /// changed cell in it.
    fn ask_later(&mut self, march: &mut March, links: Option<&Links>, i: usize, bucket: [i32; 2]) {
        let (row, plane) = (march.layout().row, march.layout().plane);
        if march.layout().size[0] > 1 {
            for at in [i - plane, i, i + plane] {
                for at in [at - row, at, at + row] {
                    self.ask_three(march, at, bucket);
                }
            }
        } else {
            for at in [i - row, i, i + row] {
                self.ask_three(march, at, bucket);
            }
        }
        if let Some(links) = links.filter(|links| links.is_end(i)) {
            links.to(i).iter().for_each(|link| self.ask(march, link.from as usize, bucket));
        }
    }

    /// For a waiting cell that begins links: the links' ends that are not earlier than a bucket are
    /// to offer it their times.
    fn ask_ends(
        &mut self,
        march: &mut March,
        links: Option<&Links>,
        i: usize,
        [start, end]: [i32; 2],
    ) {
        for link in links.into_iter().flat_map(|links| links.from(i)) {
            let to = link.to as usize;
            // Unlike a neighbour, it may be later than the queue has room for.
            let time = march.times[to];
            self.is_lost |= time < UNREACHED && time >= start + march.queue.span();
            self.ask(march, to, [start, end]);
        }
    }

    /// [`Repair::ask`] of a cell and those before and behind it on its row.
    #[inline]
    fn ask_three(&mut self, march: &mut March, i: usize, bucket: [i32; 2]) {
        let three: [i32; 3] = *march.times[i - 1..].first_chunk().expect("a cell's neighbours");
        self.ask_by(march, i - 1, three[0], bucket);
        self.ask_by(march, i, three[1], bucket);
        self.ask_by(march, i + 1, three[2], bucket);
    }

    #[inline]
    fn ask(&mut self, march: &mut March, i: usize, bucket: [i32; 2]) {
        self.ask_by(march, i, march.times[i], bucket);
    }

    #[inline]
    fn ask_by(&mut self, march: &mut March, i: usize, time: i32, [start, end]: [i32; 2]) {
        // A cell further ahead than any offer goes cannot depend on it.
        if time >= start && time < start + march.queue.span() {
            self.ask_once(march, i, time, end);
        }
    }

    /// Has a cell looked at, or offer its time in the bucket that ends at `end`, unless it has
    /// changed or was asked.
    #[inline]
    fn ask_once(&mut self, march: &mut March, i: usize, time: i32, end: i32) {
        if self.marks[i] & (CHANGED | ASKED) == 0 {
            self.mark(i, ASKED);
            march.queue.push(entry(time, i) | if time < end { 0 } else { LOOK });
        }
    }
}
