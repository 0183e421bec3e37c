//! What a march takes over of the medium: walls and speeds, as a whole or by their edits.

use super::corners::{self, CORNER};
use super::{March, SLOWEST, UNIT, UNREACHED, WALL};
use crate::dense::real::Real;
use crate::grid::medium::Medium;
use crate::grid::space::Space;
use std::ops::Range;

/// Stretches of open cells begin and end at multiples of so many along x: a cache line.
const STRETCH: usize = 16;

/// Counts of a medium's wall edits when its walls were taken over.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallsOf {
    medium: u64,
    /// As a whole.
    read: u64,
    /// By what was edited since.
    seen: u64,
}

impl March {
    /// Changes when walls are taken over as a whole.
    pub(crate) fn readings(&self) -> u64 {
        self.readings
    }

    /// Stretches of rows besides which all cells have been walls since walls were last taken over
    /// as a whole: where in the grid each begins, row by row, and the indices of its cells.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let [_, ny, nx] = self.layout.size;
        self.stretches.iter().map(move |stretch| {
            let [z, y, x] = self.layout.cell(stretch.start);
            ((z * ny + y) * nx + x, stretch.clone())
        })
    }

    /// Takes over all walls and forgets all times.
    pub(crate) fn read_walls<D: Space, S: Real>(&mut self, medium: &Medium<D, S>) {
        for (time, &delta) in self.times.iter_mut().zip(medium.delta.iter()) {
            *time = if delta > S::ZERO { UNREACHED } else { WALL };
        }
    }

    /// [`March::read_walls`] that reads the edits alone, where the walls are known and edits few.
    pub(super) fn take_walls<D: Space, S: Real>(&mut self, medium: &Medium<D, S>) {
        let (number, revision) = (medium.identity.number(), medium.revision());
        // An edit takes as long as dozens of cells, and stretches only grow by edits.
        let few = self.times.len() as u64 / 128;
        let known = self.walls_of.filter(|of| of.medium == number && revision - of.read <= few);
        if let Some((of, edits)) = known.and_then(|of| Some((of, medium.edits_since(of.seen)?))) {
            // Before the edits, for what they close has to be written once more.
            if self.stretches.is_empty() {
                self.find_stretches();
            }
            self.take_edits(medium, edits);
            for stretch in &self.stretches {
                for time in &mut self.times[stretch.clone()] {
                    *time = if *time == WALL { WALL } else { UNREACHED };
                }
            }
            self.walls_of = Some(WallsOf { seen: revision, ..of });
        } else {
            self.read_walls(medium);
            self.stretches.clear();
            self.readings += 1;
            self.speeds_of = None;
            self.walls_of = Some(WallsOf { medium: number, read: revision, seen: revision });
        }
    }

    fn find_stretches(&mut self) {
        let nx = self.layout.size[2];
        for first in self.layout.indices().step_by(nx) {
            for at in (first..first + nx).step_by(STRETCH) {
                let part = at..(first + nx).min(at + STRETCH);
                if self.times[part.clone()].iter().any(|&time| time != WALL) {
                    self.stretches.push(part);
                }
            }
        }
        self.join_stretches();
    }

    /// Joins those that touch, of stretches in order. No row follows the one before without a gap.
    fn join_stretches(&mut self) {
        self.stretches.dedup_by(|next, before| {
            let joins = next.start <= before.end;
            if joins {
                before.end = before.end.max(next.end);
            }
            joins
        });
    }

    /// Takes edited cells over.
    fn take_edits<D: Space, S: Real>(
        &mut self,
        medium: &Medium<D, S>,
        edits: impl Iterator<Item = usize>,
    ) {
        let known = self.stretches.len();
        for i in edits {
            let is_open = medium.is_open(i);
            if is_open != (self.times[i] != WALL) {
                self.count_speed(i, medium.cell_delta(i).to_f64(), is_open);
            }
            self.times[i] = if is_open { UNREACHED } else { WALL };
            let place = self.stretches[..known].partition_point(|stretch| stretch.end <= i);
            if is_open && (place == known || i < self.stretches[place].start) {
                let [.., x] = self.layout.cell(i);
                let (first, from) = (i - x, x / STRETCH * STRETCH);
                let to = self.layout.size[2].min(from + STRETCH);
                self.stretches.push(first + from..first + to);
            }
        }
        if self.stretches.len() > known {
            self.stretches.sort_unstable_by_key(|stretch| stretch.start);
            self.join_stretches();
        }
    }

    /// Counts a cell of some delta that became open or a wall. Speeds are no longer known if others
    /// are the fastest then.
    fn count_speed(&mut self, i: usize, delta: f64, is_open: bool) {
        if self.speeds_of.is_none() || self.slowness.is_empty() {
            return;
        }
        let (fastest, cells) = &mut self.fastest;
        if delta == *fastest {
            *cells = if is_open { *cells + 1 } else { *cells - 1 };
        }
        if delta > *fastest || *cells == 0 {
            self.speeds_of = None;
        } else if is_open {
            self.slowest = self.slowest.max(self.slowness(i));
        }
    }

    /// Takes over the speeds of the cells that `counts`.
    pub(crate) fn read_speeds<D: Space, S: Real>(
        &mut self,
        medium: &Medium<D, S>,
        counts: impl Fn(usize) -> bool,
    ) {
        self.slowness.clear();
        self.slowest = UNIT;
        let fastest = if medium.is_uniform() {
            medium.uniform_delta().to_f64()
        } else {
            // By ranges: one index after the other, a field after an edit takes 1.1 times as long.
            let nx = self.layout.size[2];
            let rows = || self.layout.indices().step_by(nx).map(|first| first..first + nx);
            let (mut fastest, mut cells) = (S::ZERO, 0);
            for i in rows().flatten().filter(|&i| counts(i)) {
                let delta = medium.cell_delta(i);
                let is_faster = delta > fastest;
                cells = usize::from(delta >= fastest) + if is_faster { 0 } else { cells };
                fastest = if is_faster { delta } else { fastest };
            }
            let fastest = fastest.to_f64();
            self.fastest = (fastest, cells);
            self.slowness.resize(self.layout.len, UNIT);
            // Neighbours are mostly of one area.
            let (mut last, mut each) = (S::ZERO, UNIT);
            for i in rows().flatten() {
                let delta = medium.cell_delta(i);
                if delta != last {
                    last = delta;
                    // A medium lets no cell take more, but for rounding; walls may be faster than
                    // what is open.
                    let units = f64::from(UNIT) * (fastest / delta.to_f64()).sqrt();
                    each = ((units + 0.5) as i32).clamp(UNIT, SLOWEST);
                }
                self.slowness[i] = each;
                if each > self.slowest && counts(i) {
                    self.slowest = each;
                }
            }
            corners::mark(&self.corners, &self.layout, &mut self.slowness);
            fastest
        };
        self.unit = 1.0 / (f64::from(UNIT) * fastest.sqrt());
    }

    /// What a cell takes.
    pub(crate) fn slowness(&self, i: usize) -> i32 {
        self.slowness.get(i).map_or(UNIT, |each| each & !CORNER)
    }

    /// What every cell takes, in storage order; nothing where all take [`UNIT`].
    #[cfg(feature = "serde")]
    pub(crate) fn every_slowness(&self) -> impl Iterator<Item = i32> + '_ {
        let differ = !self.slowness.is_empty();
        self.layout.indices().filter(move |_| differ).map(|i| self.slowness(i))
    }

    /// Takes over what every cell takes, in storage order.
    #[cfg(feature = "serde")]
    pub(crate) fn set_slowness(&mut self, each: impl Iterator<Item = i32>) {
        (self.slowest, self.speeds_of) = (UNIT, None);
        self.slowness.clear();
        self.slowness.resize(self.layout.len, UNIT);
        for (i, each) in self.layout.indices().zip(each) {
            self.slowness[i] = each;
            self.slowest = self.slowest.max(each);
        }
        corners::mark(&self.corners, &self.layout, &mut self.slowness);
    }
}
