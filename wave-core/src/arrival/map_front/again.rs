//! A wave that is repaired after edits.

use super::MapFront;
use crate::arrival::march::{March, UNREACHED, WALL, entry, time_of};
use crate::arrival::repair::{CELLS_PER_EDIT, Ended, Repair, is_near_a_source};
use crate::arrival::window::Window;
use crate::error::WaveError;
use crate::grid::{Links, Map};

/// A repair is given up when more than one in so many of the reached cells has changed: then a new
/// wave costs less.
const SHARE: u64 = MapFront::UPDATES_PER_CHANGE / MapFront::UPDATES_PER_CELL;

/// So many cells count as one update when all are gone through: for a wave's first repair, and
/// after speeds were set.
const CELLS_PER_UPDATE: usize = 8;

/// The sources of a wave, the edits since its emission, and the repair of the times that they
/// change.
#[derive(Clone, Debug, Default)]
pub(in crate::arrival) struct Again {
    /// The cells of the sources; none where there is no wave.
    pub(in crate::arrival) sources: Vec<[usize; 3]>,
    /// Numbers of cells that became walls or free or have another speed, some of them twice.
    pub(in crate::arrival) edited: Vec<usize>,
    /// Whether times count from the wave's beginning, and earlier waves have left none.
    pub(in crate::arrival) begins_at_0: bool,
    repair: Repair,
}

impl Again {
    /// The number of edits on so many cells after which nothing is repaired.
    pub(in crate::arrival) fn most(cells: usize) -> usize {
        cells / CELLS_PER_EDIT
    }

    /// A wave begins in these cells, or nowhere.
    pub(super) fn begin(&mut self, sources: Vec<[usize; 3]>) {
        self.sources = sources;
        self.edited.clear();
        self.begins_at_0 = false;
        self.repair.forget_roots();
    }

    /// From now on the wave is not repaired any more.
    pub(in crate::arrival) fn give_up(&mut self) {
        self.sources.clear();
        self.edited.clear();
    }

    /// Lists each edited cell of so many once, and gives up if they are too many.
    pub(in crate::arrival) fn sort(&mut self, cells: usize) {
        self.edited.sort_unstable();
        self.edited.dedup();
        if self.edited.len() > Self::most(cells) {
            self.give_up();
        }
    }

    /// Notes an edit of one of so many cells.
    pub(super) fn note(&mut self, cell: usize, cells: usize) {
        if self.sources.is_empty() {
            return;
        }
        self.edited.push(cell);
        if self.edited.len() > 2 * Self::most(cells) + 1 {
            self.sort(cells);
        }
    }
}

impl MapFront {
    pub(in crate::arrival) const UPDATES_PER_CHANGE: u64 = 100;

    pub(in crate::arrival) fn repair(
        &mut self,
        map: &Map,
        updates: u64,
    ) -> Result<bool, WaveError> {
        self.sync(map)?;
        self.again.sort(map.count());
        if self.exhausted || !self.may_repair(map) {
            return Ok(false);
        }
        if self.is_spoiled(map) {
            self.again.give_up();
            return Ok(false);
        }
        let edits = self.again.edited.len() as u64;
        if edits == 0 {
            return Ok(true);
        }
        let speeds_differ = self.knows_old_speeds(map);
        let first = if speeds_differ || !self.again.begins_at_0 {
            map.count() / CELLS_PER_UPDATE
        } else {
            0
        } as u64;
        let updates = updates.saturating_sub(first);
        if updates / Self::UPDATES_PER_CHANGE < edits {
            return Ok(false);
        }
        self.updates += first;
        if !self.again.begins_at_0 {
            self.begin_at_0();
            self.again.begins_at_0 = true;
        }
        let mut again = std::mem::take(&mut self.again);
        let is_done = self.repair_by(map, updates, &mut again, speeds_differ);
        self.again = again;
        Ok(is_done)
    }

    /// Whether the wave is for all cells, on a map of which all cells are kept.
    pub(in crate::arrival) fn is_ever_repaired(&self) -> bool {
        let is_whole = self.window.is_whole() && Window::new(self.size()).is_whole();
        self.toward.is_none() && is_whole
    }

    /// Whether a cell near a source was edited.
    fn is_spoiled(&self, map: &Map) -> bool {
        let Again { sources, edited, .. } = &self.again;
        let is_near = |&number: &usize| is_near_a_source(sources, map.cell(number), self.size());
        edited.iter().any(is_near)
    }

    /// Whether all is known of the wave and the map that a repair needs.
    fn may_repair(&self, map: &Map) -> bool {
        // Of waves that are never repaired no sources are noted.
        !self.again.sources.is_empty() && self.march.links == map.links().map_or(0, Links::hash)
    }

    /// Whether an edited cell has another speed now than the wave knows.
    fn knows_old_speeds(&self, map: &Map) -> bool {
        if self.knows_speeds || !self.march.has_slowness() {
            return false;
        }
        let fastest = map.fastest_delta();
        self.again.edited.iter().any(|&number| {
            let i = self.march.layout().index(map.cell(number));
            self.march.takes_otherwise(map, fastest, number, i)
        })
    }

    /// Notes which of some cells have another speed now than the wave knows. If another speed is
    /// the fastest, or one differs for the first time, the wave is not to be repaired any more.
    pub(super) fn note_speeds(&mut self, map: &Map, numbers: impl Iterator<Item = usize>) {
        let mut numbers = numbers.peekable();
        if self.again.sources.is_empty() || numbers.peek().is_none() {
            return;
        }
        let fastest = map.fastest_delta();
        if self.march.unit != March::unit_of(fastest) {
            return self.again.give_up();
        }
        if map.is_uniform() && !self.march.has_slowness() {
            return;
        }
        for number in numbers {
            let Some(place) = self.window.place(map.cell(number)) else { continue };
            let i = self.march.layout().index(place);
            if self.march.takes_otherwise(map, fastest, number, i) {
                if !self.march.has_slowness() {
                    return self.again.give_up();
                }
                self.again.note(number, map.count());
            }
        }
    }

    /// [`MapFront::repair`], where it is possible.
    fn repair_by(
        &mut self,
        map: &Map,
        updates: u64,
        again: &mut Again,
        speeds_differ: bool,
    ) -> bool {
        let Again { sources, edited, repair, .. } = again;
        let took = if speeds_differ {
            self.march.read_speeds_of(map, map.fastest_delta(), edited)
        } else {
            Vec::new()
        };
        let layout = self.march.layout();
        let sources: Vec<usize> = sources.iter().map(|&cell| layout.index(cell)).collect();
        let edited = edited.drain(..).map(|number| layout.index(map.cell(number)) as u32);
        let edited: Vec<u32> = edited.collect();
        // A cell that was freed while the wave was on its way was given a time then; now it gets
        // the time that the cells around it offer.
        let given: Vec<i32> = edited.iter().map(|&i| self.march.times[i as usize]).collect();
        for &i in &edited {
            let time = &mut self.march.times[i as usize];
            if *time != WALL {
                *time = UNREACHED;
            }
        }
        if !repair.knows_roots() {
            let mut seeds = Vec::new();
            for &source in &sources {
                self.march.around_source(source, self.start, &mut seeds);
            }
            repair.know_roots(&seeds, self.march.times.len());
        }
        let until = self.limit();
        // The repair takes the queue.
        let mut ahead: Vec<u64> = self.march.queue.entries().map(|entry| *entry).collect();
        ahead.retain(|&entry| !self.ended && time_of(entry) >= until);
        let most = (updates / Self::UPDATES_PER_CHANGE).min(self.reached_cells as u64 / SHARE);
        let ended = repair.run(&mut self.march, map, &edited, until, most as usize);
        // It notices only after a bucket that it has spent too much.
        let spent = repair.changed.len() as u64 * Self::UPDATES_PER_CHANGE;
        self.updates += spent.min(updates);
        if ended != Ended::Repaired {
            repair.undo(&mut self.march);
            for (&i, time) in edited.iter().zip(given) {
                self.march.times[i as usize] = time;
            }
            self.march.give_back_speeds(&took);
            again.give_up();
            self.go_on(ahead, until);
            return false;
        }
        let changed = &repair.changed[edited.len()..];
        let before = given.iter().copied().chain(changed.iter().map(|&(_, before)| before));
        self.reached_cells -= before.filter(|&time| time < until).count();
        let now = |i: u32| self.march.times[i as usize];
        self.reached_cells += changed.iter().filter(|&&(i, _)| now(i) < until).count();
        if self.ended {
            let last = changed.iter().map(|&(i, _)| now(i)).filter(|&time| time < UNREACHED).max();
            let shift = self.march.shift();
            self.time = self.time.max(last.unwrap_or(0) >> shift << shift);
            self.clock = self.clock.max(self.steps_gone().ceil() as u64);
        } else {
            let all = edited.iter().copied().chain(changed.iter().map(|&(i, _)| i));
            ahead.extend(all.map(|i| entry(now(i), i as usize)));
            self.go_on(ahead, until);
        }
        true
    }

    /// If the wave has not ended, puts back into the queue what is `ahead` of it.
    fn go_on(&mut self, mut ahead: Vec<u64>, from: i32) {
        if self.ended {
            return;
        }
        let times = &self.march.times;
        ahead.retain(|&entry| {
            let time = time_of(entry);
            from <= time && time < UNREACHED && times[entry as u32 as usize] == time
        });
        ahead.sort_unstable();
        ahead.dedup();
        self.march.queue.seeds = ahead;
        self.march.resume(from);
        self.seek();
    }
}
