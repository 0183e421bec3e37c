//! The solver behind a field: a march that takes over walls and speeds of a map, all of them or
//! only their edits.

mod again;

use super::blocks::Blocks;
use super::eight::{Eight, Plain};
use super::march::{LATEST, March, UNREACHED, WALL, ways};
use super::tiles::Tiles;
use crate::error::WaveError;
use crate::grid::{Directions, Edit, Follower, Link, Map, News, Space};
#[cfg(feature = "rayon")]
use crate::parallel::is_shared;
use crate::simd::Simd;
use again::Again;
use ndarray::{Ix2, Ix3};
use std::ops::Range;

/// Stretches of open cells begin and end at multiples of so many along x: a cache line.
const STRETCH: usize = 16;
/// The least number of cells whose ways home one task writes: some 50 microseconds. Fewer than
/// eight times as many are not worth waking threads for.
const AT_ONCE: usize = 8192;

/// A march to the end, or until all goals are reached, and what it knows of the map.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    march: March,
    /// Work out the times on large grids: blocks on deep ones, tiles on flat ones.
    blocks: Blocks,
    tiles: Tiles,
    follower: Follower,
    /// The count of wall edits when walls were last taken over as a whole.
    read: u64,
    /// How often walls were taken over as a whole.
    readings: u64,
    /// Stretches of rows, in order: since walls were last taken over as a whole, all other cells
    /// have been walls. There are none before the next run: a single run among the same walls has
    /// no use for them.
    stretches: Vec<Range<usize>>,
    /// Whether the slowness of cells is that of the map's speeds.
    knows_speeds: bool,
    /// The delta of the fastest open cells, and how many they are.
    fastest: (f64, usize),
    /// Times from here on are not final.
    limit: i32,
    again: Again,
}

/// How a march ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Every cell that a way joins to the sources was reached.
    Whole,
    /// All goals were reached; cells further off were not.
    Early,
    /// A cell lies too far.
    TooFar,
}

impl Solver {
    pub(super) fn new(size: [usize; 3]) -> Self {
        Self {
            march: March::new(size),
            blocks: Blocks::default(),
            tiles: Tiles::default(),
            follower: Follower::unread(),
            read: 0,
            readings: 0,
            stretches: Vec::new(),
            knows_speeds: false,
            fastest: (0.0, 0),
            limit: UNREACHED,
            again: Again::default(),
        }
    }

    pub(super) fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        self.march.set_simd(simd)
    }

    pub(super) fn size(&self) -> [usize; 3] {
        self.march.layout().size
    }

    /// Stretches of rows `ys` of plane `z`. All other cells of these rows have been walls since
    /// walls were last taken over as a whole. For each: where it begins, counted from the first of
    /// the rows on, and the indices of its cells.
    fn stretches(
        &self,
        z: usize,
        ys: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let layout = self.march.layout();
        let nx = layout.size[2];
        let [from, to] = [ys.start, ys.end].map(|y| {
            let first = layout.index([z, y, 0]);
            self.stretches.partition_point(|stretch| stretch.start < first)
        });
        self.stretches[from..to].iter().map(move |stretch| {
            let [_, y, x] = layout.cell(stretch.start);
            ((y - ys.start) * nx + x, stretch.clone())
        })
    }

    /// Marches from `sources` until all of `goals` were reached, or to the end if there are none.
    pub(super) fn run(&mut self, map: &Map, sources: &[[usize; 3]], goals: &[[usize; 3]]) -> Ended {
        let ended = self.run_as_is(map, sources, goals);
        if ended != Ended::TooFar {
            self.again.note(sources, goals);
        }
        ended
    }

    /// [`Solver::run`] without notes for a repair.
    fn run_as_is(&mut self, map: &Map, sources: &[[usize; 3]], goals: &[[usize; 3]]) -> Ended {
        self.again.forget();
        let layout = self.march.layout();
        let in_parts = layout.size[0] == 1 || Blocks::suit(map, layout, !goals.is_empty());
        let ended = self.run_by(map, sources, goals, in_parts);
        self.again.is_whole = ended == Ended::Whole;
        ended
    }

    /// [`Solver::run`], in parts where that is wanted and possible, otherwise by a march.
    pub(super) fn run_by(
        &mut self,
        map: &Map,
        sources: &[[usize; 3]],
        goals: &[[usize; 3]],
        in_parts: bool,
    ) -> Ended {
        self.take_walls(map);
        if !self.knows_speeds {
            self.read_speeds(map);
        }
        let index = |cells: &[[usize; 3]]| -> Vec<usize> {
            cells.iter().map(|&cell| self.march.layout().index(cell)).collect()
        };
        let (sources, places) = (index(sources), index(goals));
        self.march.sow(map.links(), &sources, 0);
        // Blocks and tiles know neither links nor ways across corners.
        if in_parts
            && map.links().is_none()
            && !self.march.has_corners()
            && let Some(ended) = self.run_in_parts(map, goals)
        {
            return ended;
        }
        self.march.resume(0);
        let mut goals = places.iter().peekable();
        let wanted = goals.peek().is_some();
        let (mut last, mut ended) = (0, Ended::Whole);
        self.march.take_while(map.links(), |times, end| {
            last = end;
            while goals.next_if(|&&goal| times[goal] < end).is_some() {}
            if wanted && goals.peek().is_none() {
                ended = Ended::Early;
            } else if end > LATEST {
                ended = Ended::TooFar;
            }
            ended == Ended::Whole
        });
        self.limit = match ended {
            Ended::Whole => UNREACHED,
            Ended::Early => last,
            // None of these times is one of the field.
            Ended::TooFar => 0,
        };
        ended
    }

    /// [`Solver::run`] by blocks or by tiles, after sources were sown: the same times. `None` if
    /// neither suits, or if they give up.
    fn run_in_parts(&mut self, map: &Map, goals: &[[usize; 3]]) -> Option<Ended> {
        let layout = self.march.layout().clone();
        let (mut reached, mut last) = (0, 0);
        let mut is_enough = |time_of: &dyn Fn([usize; 3]) -> i32, time: i32| {
            while let Some(&goal) = goals.get(reached)
                && time_of(goal) < time
            {
                last = last.max(time_of(goal));
                reached += 1;
            }
            // Where a march would have stopped.
            let end = March::end_of_bucket(&layout, last);
            (!goals.is_empty() && reached == goals.len() && end <= time).then_some(end)
        };
        let end = if layout.size[0] > 1 {
            let simd = self.march.simd();
            let March { layout, times, slowness, queue, .. } = &mut self.march;
            let is_enough = |blocks: &Blocks, time: i32| is_enough(&|cell| blocks.time(cell), time);
            self.blocks.run(layout, times, slowness, &queue.seeds, simd, is_enough).ok()?
        } else if Tiles::suit(map, &self.march) {
            let is_enough = |tiles: &Tiles, time: i32| is_enough(&|cell| tiles.time(cell), time);
            self.tiles.run(map, &mut self.march, is_enough).ok()?
        } else {
            return None;
        };
        self.limit = end.unwrap_or(UNREACHED);
        Some(if end.is_some() { Ended::Early } else { Ended::Whole })
    }

    /// All stored times, and the time from which on they are not final.
    #[cfg(test)]
    pub(super) fn times(&self) -> (&[i32], i32) {
        (&self.march.times, self.limit)
    }

    /// Whether tiles have been used.
    #[cfg(test)]
    pub(super) fn knows_tiles(&self) -> bool {
        self.tiles.are_there()
    }

    /// Whether blocks have been used.
    #[cfg(test)]
    pub(super) fn knows_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The link by which the way home leads on from a cell, if it does so by one.
    pub(super) fn link(&self, map: &Map, cell: [usize; 3]) -> Option<Link<[usize; 3]>> {
        let links = map.links()?;
        let i = self.march.layout().index(cell);
        self.march.link_from(links, i, self.limit).map(|link| links.named(link))
    }

    /// Takes over walls, by their edits alone where these are few.
    fn take_walls(&mut self, map: &Map) {
        // An edit takes as long as dozens of cells, and stretches only grow by edits.
        let few = self.march.times.len() as u64 / 128;
        let news = self.follower.news(map.edits());
        let is_known = !matches!(news, News::Everything);
        if !is_known || map.revision() - self.read > few {
            self.march.read_walls(map, [0; 3]);
            self.stretches.clear();
            self.readings += 1;
            self.knows_speeds = false;
            self.read = map.revision();
            return;
        }
        // Before the edits, since the cells that they close have to be written once more.
        if self.stretches.is_empty() {
            self.find_stretches();
        }
        if let News::Edits(edits) = news {
            self.take_edits(map, edits);
        }
        for stretch in &self.stretches {
            for time in &mut self.march.times[stretch.clone()] {
                *time = if *time == WALL { WALL } else { UNREACHED };
            }
        }
    }

    fn find_stretches(&mut self) {
        let nx = self.march.layout().size[2];
        for first in self.march.layout().indices().step_by(nx) {
            for at in (first..first + nx).step_by(STRETCH) {
                let part = at..(first + nx).min(at + STRETCH);
                if self.march.times[part.clone()].iter().any(|&time| time != WALL) {
                    self.stretches.push(part);
                }
            }
        }
        self.join_stretches();
    }

    /// Joins stretches that touch; they are in order. No row follows the one before without a gap.
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
    fn take_edits(&mut self, map: &Map, edits: impl Iterator<Item = Edit>) {
        let known = self.stretches.len();
        for edit in edits {
            let Edit::Wall(number) = edit else {
                self.knows_speeds = false;
                continue;
            };
            let is_open = map.is_open(number);
            let cell = map.cell(number);
            let i = self.march.layout().index(cell);
            if is_open != (self.march.times[i] != WALL) {
                self.count_speed(i, map.short_delta(map.speeds().at(number)), is_open);
            }
            self.take_wall(cell, i, is_open, known);
        }
        self.take_stretches(known);
    }

    /// Makes a cell a wall or opens it, in one of the first `known` stretches or in a new one.
    fn take_wall(&mut self, [.., x]: [usize; 3], i: usize, is_open: bool, known: usize) {
        self.march.times[i] = if is_open { UNREACHED } else { WALL };
        let place = self.stretches[..known].partition_point(|stretch| stretch.end <= i);
        if is_open && (place == known || i < self.stretches[place].start) {
            let (first, from) = (i - x, x / STRETCH * STRETCH);
            let to = self.size()[2].min(from + STRETCH);
            self.stretches.push(first + from..first + to);
        }
    }

    /// Puts stretches among the first `known`.
    fn take_stretches(&mut self, known: usize) {
        if self.stretches.len() > known {
            self.stretches.sort_unstable_by_key(|stretch| stretch.start);
            self.join_stretches();
        }
    }

    /// Counts a cell of some delta that became open or a wall. Speeds are no longer known if others
    /// are the fastest then.
    fn count_speed(&mut self, i: usize, delta: f64, is_open: bool) {
        if !self.knows_speeds || self.march.slowness.is_empty() {
            return;
        }
        let (fastest, cells) = &mut self.fastest;
        if delta == *fastest {
            *cells = if is_open { *cells + 1 } else { *cells - 1 };
        }
        if delta > *fastest || *cells == 0 {
            self.knows_speeds = false;
        } else if is_open {
            self.march.slowest = self.march.slowest.max(self.march.slowness(i));
        }
    }

    /// Takes over speeds, by the fastest open cell.
    fn read_speeds(&mut self, map: &Map) {
        self.fastest = map.fastest(|number| map.is_open(number));
        self.march.read_speeds(map, self.fastest.0, |march, i| march.times[i] != WALL);
        self.knows_speeds = true;
    }

    /// Writes the arrival at every cell, in steps, and the way home from there. The arrays were
    /// last written after the reading `written`. Returns the number of the present reading.
    pub(super) fn write(
        &self,
        times: &mut [f32],
        ways: Directions<'_>,
        written: Option<u64>,
    ) -> u64 {
        // Compiled here, and not again in the crates of users.
        match ways {
            Directions::Flat(ways) => self.write_all::<Ix2>(times, ways, written),
            Directions::Deep(ways) => self.write_all::<Ix3>(times, ways, written),
        }
        self.readings
    }

    fn write_all<D: Space>(
        &self,
        times: &mut [f32],
        ways: &mut [D::Direction],
        written: Option<u64>,
    ) {
        let [_, ny, nx] = self.size();
        let known = written == Some(self.readings);
        // So many rows of a plane that they are worth a task.
        let rows = ny.min(AT_ONCE.div_ceil(nx));
        let part = |z: usize, part: usize, times: &mut [f32], ways: &mut [D::Direction]| {
            let layout = self.march.layout();
            let ys = part * rows..part * rows + times.len() / nx;
            if known {
                // Cells that have been walls since then are already written so.
                for (to, from) in self.stretches(z, ys) {
                    let to = to..to + from.len();
                    self.write_row::<D>(from.start, &mut times[to.clone()], &mut ways[to]);
                }
                return;
            }
            let rows = times.chunks_mut(nx).zip(ways.chunks_mut(nx));
            for (y, (times, ways)) in ys.zip(rows) {
                self.write_row::<D>(layout.index([z, y, 0]), times, ways);
            }
        };
        let planes = ny * nx;
        #[cfg(feature = "rayon")]
        if times.len() >= 8 * AT_ONCE && is_shared() {
            use rayon::prelude::*;
            let parts = rows * nx;
            let all = times.par_chunks_mut(planes).zip(ways.par_chunks_mut(planes)).enumerate();
            all.with_min_len(AT_ONCE.div_ceil(planes)).for_each(|(z, (times, ways))| {
                let all = times.par_chunks_mut(parts).zip(ways.par_chunks_mut(parts)).enumerate();
                all.for_each(|(n, (times, ways))| part(z, n, times, ways));
            });
            return;
        }
        let all = times.chunks_mut(planes).zip(ways.chunks_mut(planes)).enumerate();
        all.for_each(|(z, (times, ways))| part(z, 0, times, ways));
    }

    /// The cells of a row, the first at index `at`.
    fn write_row<D: Space>(&self, at: usize, times: &mut [f32], ways: &mut [D::Direction]) {
        self.write_rows::<D>(at, times, ways);
        self.across::<D>(at, ways);
    }

    /// The ways home of cells of a row, the first at index `at`, that were reached across a corner
    /// and have none yet.
    fn across<D: Space>(&self, at: usize, ways: &mut [D::Direction]) {
        if self.march.slowness.is_empty() {
            return;
        }
        for (i, way) in (at..).zip(ways).filter(|(_, way)| **way == D::Direction::default()) {
            if self.march.times[i] < self.limit
                && let Some(to) = self.march.way_across(i)
            {
                *way = D::direction(to.map(|w| w as f32));
            }
        }
    }

    /// [`Solver::write_row`] but for ways across corners, many cells at once.
    #[allow(unsafe_code)]
    fn write_rows<D: Space>(&self, at: usize, times: &mut [f32], ways: &mut [D::Direction]) {
        #[allow(clippy::inline_always)] // into the code for each instruction set
        #[inline(always)]
        fn write<E: Eight, D: Space>(
            solver: &Solver,
            at: usize,
            times: &mut [f32],
            ways: &mut [D::Direction],
        ) {
            let march = &solver.march;
            let (limit, unit) = (solver.limit, march.unit as f32);
            if march.layout().size[0] > 1 {
                let rows = march.deep_rows(at, ways.len());
                ways::deep_row::<E, D>(rows, limit, unit, times, ways);
            } else {
                let rows = march.rows(at, ways.len());
                ways::flat_row::<D>(rows, limit, unit, times, ways);
            }
        }
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn avx2<D: Space>(
                solver: &Solver,
                at: usize,
                times: &mut [f32],
                ways: &mut [D::Direction],
            ) {
                write::<super::eight::Avx2, D>(solver, at, times, ways);
            }
            if self.march.simd() >= Simd::Avx2 {
                // SAFETY: the feature was detected, or the set would have been refused.
                return unsafe { avx2::<D>(self, at, times, ways) };
            }
        }
        write::<Plain, D>(self, at, times, ways);
    }
}
