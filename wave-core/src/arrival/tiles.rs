//! Times of first arrival on large flat grids, tile by tile.
//!
//! A [march](super::march) takes cells in the order of their times, by one thread. Here the grid is
//! cut into tiles. Each is marched for some buckets, many at the same time; then tiles tell their
//! neighbours when something came to the cells at their edges, and go on.
//!
//! # Why the order does not matter
//! A cell has the least time that its neighbours offer. An offer depends on the neighbour that
//! makes it and on cells that are earlier than that (see [`Stencil`](super::march)). So times are
//! the only solution of one equation for each cell. While one time is too late, others may be too
//! late as well; none is ever too early: on a flat grid of one speed no offer gets later when a
//! cell that it depends on gets earlier. (Where speeds differ some do, by rounding, and on deep
//! grids. See [repair](super::repair).)
//!
//! A tile has copies of the cells around it. One of them may turn out to be earlier than the tile
//! has been marched to. Then the march goes back. It takes that cell, and what gets earlier by it.
//! It also takes again what it took before if that is later than such a cell and lies beside it,
//! for what it offers may depend on that cell. In the end each cell was taken after the last change
//! of what its offers depend on, as in one march, and times have the same bits.
//!
//! # What is done in vain
//! Cells at the edges are also taken as copies. Cells to which the wave comes from beyond the edge
//! and from within at about the same time are taken again. Of 4096 x 4096 cells, 10 % of them
//! walls, that is 4 to 6 % in all.

use super::march::{LATEST, March, UNIT, UNREACHED, entry, time_of};
use crate::grid::{Bits, Layout, Map};
use crate::parallel::{each, is_shared, lock};
use crate::simd::Simd;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;

/// Cells of a tile along each axis: so many that few of them are at edges, and that each tile has
/// work for long.
const SIDE: usize = if cfg!(test) { 8 } else { 512 };
/// Buckets that a tile is marched through at a time.
const AHEAD: usize = if cfg!(test) { 4 } else { 8 };
/// After a turn of fewer cells, one thread takes the next turn alone.
const FEW: usize = if cfg!(test) { 20 } else { 1024 };
/// After so many small turns on end a march would be faster, unless an eighth of the grid is done.
const PATIENCE: usize = if cfg!(test) { 30 } else { 256 };
/// Open cells from which on there are tiles enough for two threads at most times.
const ENOUGH: usize = if cfg!(test) { 1 } else { 1 << 21 };
/// Open cells from which on even one thread is faster by tiles. A march touches a memory page in
/// every row that the wave stands in, and a processor keeps track of so many only; the pages of a
/// tile are few.
const ENOUGH_FOR_ONE: usize = if cfg!(test) { 1 } else { 11 << 20 };
/// Which of nine a tile is among its neighbours.
const HERE: usize = 4;

/// The tiles of a grid. What memory they take is kept from run to run.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    /// The size of the grid.
    size: [usize; 3],
    places: Vec<Place>,
    /// Each is worked on by one thread at a time.
    parts: Vec<Mutex<Tile>>,
    /// News for each tile of the cells around it, in a queue's format.
    told: Vec<Mutex<Vec<u64>>>,
    /// Tiles that were told something in this turn.
    awake: Mutex<Vec<u32>>,
    /// The next bucket of each tile, [`usize::MAX`] where the wave is not on its way.
    next: Vec<usize>,
}

/// Where a tile lies.
#[derive(Clone, Debug)]
struct Place {
    /// The cell of the grid that is the first one here, copies included.
    first: [usize; 3],
    layout: Layout,
    /// Copies at the beginning and the end of each axis.
    copies: [[usize; 2]; 3],
}

#[derive(Debug)]
struct Tile {
    march: March,
    /// Whether the wave came to it in this run; its walls are read then.
    is_read: bool,
    /// The cells that others have copies of.
    edge: Bits,
    /// The bucket that it has been marched to.
    done: usize,
    /// Cells that got earlier since it began to go back.
    late: Vec<usize>,
    /// In a queue's format: cells of the edge that were taken, the news for each neighbour, and the
    /// news from them.
    taken: Vec<u64>,
    telling: [Vec<u64>; 9],
    heard: Vec<u64>,
}

/// The data that a tile begins with.
#[derive(Clone, Copy, Debug)]
struct Start<'a> {
    map: &'a Map,
    simd: Simd,
    /// No offer is further ahead in its queue than twice so much.
    room: i32,
}

/// A march has to do it: a cell lies very far, or there is hardly any work to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unfit;

impl Tiles {
    /// Whether tiles are faster than a march and find the same.
    pub(super) fn suit(map: &Map, march: &March) -> bool {
        let enough = if is_shared() { ENOUGH } else { ENOUGH_FOR_ONE };
        march.is_monotone() && march.layout().count() >= enough && map.open_cells() >= enough
    }

    #[cfg(test)]
    pub(super) fn are_there(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Works out the times of all open cells of a map, beginning with the seeds of `march`, and
    /// writes them there. It stops when `is_enough` accepts a time before which all times are
    /// known, and returns its answer; `None` if it never stopped. After an `Err` `march` is as it
    /// was.
    pub(super) fn run(
        &mut self,
        map: &Map,
        march: &mut March,
        mut is_enough: impl FnMut(&Self, i32) -> Option<i32> + Send,
    ) -> Result<Option<i32>, Unfit> {
        let mut all = || {
            let start = self.begin(map, march);
            let ended = self.work(start, &mut is_enough)?;
            self.write(march);
            Ok(ended)
        };
        // It is cheaper to enter the pool once than for every turn.
        #[cfg(feature = "rayon")]
        if is_shared() {
            return rayon::scope(|_| all());
        }
        all()
    }

    /// Begins the tiles of the sources, and returns what the others begin with.
    fn begin<'a>(&mut self, map: &'a Map, march: &March) -> Start<'a> {
        if self.size != march.layout().size {
            self.cut(march.layout().size);
        }
        // Removes what a run left behind in which a thread panicked.
        self.told.iter().for_each(|told| lock(told).clear());
        lock(&self.awake).clear();
        let seeds = &march.queue.seeds;
        let latest = seeds.iter().map(|&seed| time_of(seed)).max().unwrap_or(0);
        for &seed in seeds {
            let cell = march.layout().cell(seed as u32 as usize);
            let tile = self.tile(cell);
            self.each_copy(tile, self.places[tile].index(cell), |k, i| {
                lock(&self.told[self.beside(tile, k)]).push(entry(time_of(seed), i));
            });
        }
        // Room for the buckets of a turn and an offer further on, or for the latest seed.
        let room = UNIT + i32::midpoint(latest, March::begin_of(AHEAD));
        let start = Start { map, simd: march.simd(), room };
        let all = self.places.iter().zip(&self.parts).zip(&self.told).collect();
        self.next = each(all, |((place, tile), seeds)| {
            let (tile, seeds) = (&mut *lock(tile), mem::take(&mut *lock(seeds)));
            tile.is_read = false;
            if seeds.is_empty() {
                return usize::MAX;
            }
            tile.begin(start, place, seeds);
            tile.next().unwrap_or(usize::MAX)
        });
        start
    }

    fn cut(&mut self, size: [usize; 3]) {
        self.size = size;
        let [ny, nx] = self.count();
        let all = (0..ny).flat_map(|y| (0..nx).map(move |x| [0, y, x]));
        self.places = all.map(|tile| Place::new(size, tile.map(|c| c * SIDE))).collect();
        self.parts = self.places.iter().map(|place| Mutex::new(Tile::new(place))).collect();
        self.told = self.places.iter().map(|_| Mutex::default()).collect();
    }

    /// Tiles along y and x.
    fn count(&self) -> [usize; 2] {
        [1, 2].map(|axis| self.size[axis].div_ceil(SIDE))
    }

    /// The tile that a cell belongs to.
    fn tile(&self, [_, y, x]: [usize; 3]) -> usize {
        y / SIDE * self.count()[1] + x / SIDE
    }

    /// The time of a cell.
    pub(super) fn time(&self, cell: [usize; 3]) -> i32 {
        let tile = self.tile(cell);
        let Tile { march, is_read, .. } = &*lock(&self.parts[tile]);
        if *is_read { march.times[self.places[tile].index(cell)] } else { UNREACHED }
    }

    fn work(
        &mut self,
        start: Start<'_>,
        is_enough: &mut impl FnMut(&Self, i32) -> Option<i32>,
    ) -> Result<Option<i32>, Unfit> {
        let mut live: Vec<u32> = (0..self.parts.len() as u32).collect();
        // Turns on end in which few cells were taken.
        let mut little = 0;
        let (mut all_taken, early) = (0, self.size.iter().product::<usize>() / 8);
        loop {
            live.sort_unstable();
            live.dedup();
            live.retain(|&tile| self.next[tile as usize] != usize::MAX);
            let Some(now) = live.iter().map(|&tile| self.next[tile as usize]).min() else {
                return Ok(is_enough(self, UNREACHED));
            };
            // A march finds out which of the last buckets is too late.
            if March::begin_of(now + 2 * AHEAD) > LATEST || little > PATIENCE && all_taken < early {
                return Err(Unfit);
            }
            if let Some(end) = is_enough(self, March::begin_of(now)) {
                return Ok(Some(end));
            }
            let horizon = now + AHEAD;
            let is_due = |&&tile: &&u32| self.next[tile as usize] < horizon;
            let mut due: Vec<u32> = live.iter().filter(is_due).copied().collect();
            let mut taken = 0;
            while !due.is_empty() {
                let go_on = |tile| (tile, self.go_on(start, tile as usize, horizon));
                let done = if little > 0 {
                    due.into_iter().map(go_on).collect()
                } else {
                    each(due, go_on)
                };
                for (tile, (next, cells)) in done {
                    self.next[tile as usize] = next;
                    taken += cells;
                }
                // A tile that heard something in this round may have been told more since.
                due = mem::take(&mut lock(&self.awake));
                due.sort_unstable();
                due.dedup();
                live.extend(&due);
            }
            all_taken += taken;
            little = if taken < FEW { little + 1 } else { 0 };
        }
    }

    /// Marches a tile up to the bucket `horizon` and tells its neighbours the arrivals at its
    /// edges. Returns the tile's next bucket, and how many cells were taken.
    fn go_on(&self, start: Start<'_>, tile: usize, horizon: usize) -> (usize, usize) {
        let this = &mut *lock(&self.parts[tile]);
        if !this.is_read {
            this.begin(start, &self.places[tile], Vec::new());
        }
        mem::swap(&mut this.heard, &mut lock(&self.told[tile]));
        let done = this.go_on(horizon);
        let Tile { taken, telling, .. } = this;
        for taken in taken.drain(..) {
            self.each_copy(tile, taken as u32 as usize, |k, i| {
                if k != HERE {
                    telling[k].push(entry(time_of(taken), i));
                }
            });
        }
        for (k, telling) in telling.iter_mut().enumerate().filter(|(_, some)| !some.is_empty()) {
            let other = self.beside(tile, k);
            let mut told = lock(&self.told[other]);
            if told.is_empty() {
                lock(&self.awake).push(other as u32);
            }
            told.append(telling);
        }
        done
    }

    /// The number of a tile's neighbour, `k` of nine.
    fn beside(&self, tile: usize, k: usize) -> usize {
        let [_, nx] = self.count();
        tile + k / 3 * nx + k % 3 - (nx + 1)
    }

    /// Calls `tell` for each tile that has a copy of a tile's own cell: with which of nine the tile
    /// is, and where the cell is in it.
    fn each_copy(&self, tile: usize, i: usize, mut tell: impl FnMut(usize, usize)) {
        let place = &self.places[tile];
        let at = place.layout.cell(i);
        let cell = [0, 1, 2].map(|axis| place.first[axis] + at[axis]);
        let [y, x] = [1, 2].map(|axis| {
            let [is_first, is_last] = place.is_edge(at, axis);
            usize::from(!is_first)..2 + usize::from(is_last)
        });
        for k in y.flat_map(|y| x.clone().map(move |x| 3 * y + x)) {
            tell(k, self.places[self.beside(tile, k)].index(cell));
        }
    }

    /// Writes the times of all tiles that the wave came to: of the others, `march` has the walls
    /// already.
    fn write(&self, march: &mut March) {
        let layout = march.layout().clone();
        let [_, nx] = self.count();
        let all = self.places.chunks(nx).zip(self.parts.chunks(nx));
        let rows = march.times[layout.lead..].chunks_mut(SIDE * layout.row);
        each(all.zip(rows).enumerate().collect(), |(y, ((places, tiles), times))| {
            let start = layout.index([0, y * SIDE, 0]);
            for (place, tile) in places.iter().zip(tiles) {
                let tile = lock(tile);
                if !tile.is_read {
                    continue;
                }
                for row in place.own_rows() {
                    let to = layout.index(place.cell(row.start)) - start;
                    times[to..to + row.len()].copy_from_slice(&tile.march.times[row]);
                }
            }
        });
    }
}

impl Clone for Tiles {
    /// The clone has no tiles: a run leaves in them only memory for the next one.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Place {
    /// Of the tile that begins at a cell of a grid.
    fn new(size: [usize; 3], begin: [usize; 3]) -> Self {
        let end = [0, 1, 2].map(|axis| size[axis].min(begin[axis] + SIDE));
        let copies = [0, 1, 2]
            .map(|axis| [usize::from(begin[axis] > 0), usize::from(end[axis] < size[axis])]);
        let first = [0, 1, 2].map(|axis| begin[axis] - copies[axis][0]);
        let cells = [0, 1, 2].map(|axis| end[axis] + copies[axis][1] - first[axis]);
        let layout = Layout::close(cells).expect("a part of a grid that can be stored");
        Self { first, layout, copies }
    }

    /// Where a cell of the grid is here.
    fn index(&self, cell: [usize; 3]) -> usize {
        self.layout.index([0, 1, 2].map(|axis| cell[axis] - self.first[axis]))
    }

    /// The cell of the grid that is here.
    fn cell(&self, i: usize) -> [usize; 3] {
        let at = self.layout.cell(i);
        [0, 1, 2].map(|axis| self.first[axis] + at[axis])
    }

    /// Whether other tiles have copies of an own cell because it is the first along an axis, and
    /// because it is the last; `at` counts as this layout does.
    fn is_edge(&self, at: [usize; 3], axis: usize) -> [bool; 2] {
        let [before, after] = self.copies[axis];
        let last = self.layout.size[axis] - 1 - after;
        [before > 0 && at[axis] == before, after > 0 && at[axis] == last]
    }

    /// Its own cells, row by row.
    fn own_rows(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let [_, ny, nx] = self.layout.size;
        let [_, [above, below], [before, after]] = self.copies;
        (above..ny - below).map(move |y| {
            let row = self.layout.index([0, y, 0]);
            row + before..row + nx - after
        })
    }
}

impl Tile {
    fn new(place: &Place) -> Self {
        let mut edge = Bits::new(place.layout.len, false);
        for i in place.own_rows().flatten() {
            let at = place.layout.cell(i);
            edge.set(i, [1, 2].iter().any(|&axis| place.is_edge(at, axis).contains(&true)));
        }
        let mut march = March::new(place.layout.size);
        // However small a tile is, it is out of the caches by its next turn.
        march.fetches = true;
        Self {
            march,
            is_read: false,
            edge,
            done: 0,
            late: Vec::new(),
            taken: Vec::new(),
            telling: Default::default(),
            heard: Vec::new(),
        }
    }

    /// Takes walls and seeds over.
    fn begin(&mut self, start: Start<'_>, place: &Place, seeds: Vec<u64>) {
        let Start { map, simd, room } = start;
        let Self { march, .. } = self;
        self.is_read = true;
        march.keep_simd(simd);
        march.read_walls(map, place.first);
        for &seed in &seeds {
            let time = &mut march.times[seed as u32 as usize];
            *time = time_of(seed).min(*time);
        }
        march.queue.seeds = seeds;
        march.resume_with(0, room);
        self.done = 0;
        self.late.clear();
        self.taken.clear();
        self.heard.clear();
        self.telling.iter_mut().for_each(Vec::clear);
    }

    /// The bucket that is next.
    fn next(&mut self) -> Option<usize> {
        let queue = &mut self.march.queue;
        queue.seek().map(|_| queue.now)
    }

    /// Takes over its news and marches up to the bucket `horizon`. Returns the next bucket, and how
    /// many cells were taken.
    fn go_on(&mut self, horizon: usize) -> (usize, usize) {
        self.hear();
        let (mut next, mut count) = (self.next(), 0);
        while let Some(now) = next.filter(|&now| now < horizon) {
            let Self { march, edge, late, taken, done, .. } = self;
            for &entry in march.queue.portion() {
                let cell = entry as u32 as usize;
                if edge.get(cell) && march.times[cell] == time_of(entry) {
                    taken.push(entry);
                }
            }
            count += march.queue.portion().len();
            if now < *done {
                march.take_buckets(|cell, _| late.push(cell), |_, _| false);
                self.take_again();
            } else {
                march.take_buckets(|_, _| {}, |_, _| false);
            }
            next = self.next();
        }
        self.done = self.done.max(horizon);
        (next.unwrap_or(usize::MAX), count)
    }

    /// Takes over its news.
    fn hear(&mut self) {
        let mut next = self.next();
        let Self { march, done, late, heard, .. } = self;
        for told in heard.drain(..) {
            let (time, cell) = (time_of(told), told as u32 as usize);
            if time < march.times[cell] {
                march.times[cell] = time;
                let bucket = march.queue.bucket(time);
                let first = next.unwrap_or(bucket).min(bucket);
                next = Some(first);
                march.queue.now = first;
                march.queue.push(told);
                if bucket < *done {
                    late.push(cell);
                }
            }
        }
        self.take_again();
    }

    /// Puts cells back into the queue that were taken, lie beside one that got earlier and are
    /// later than it.
    fn take_again(&mut self) {
        let Self { march, done, late, .. } = self;
        let row = march.layout.row;
        for cell in late.drain(..) {
            for beside in [cell - row, cell - 1, cell + 1, cell + row] {
                let later = march.times[beside];
                if later > march.times[cell] && march.queue.bucket(later) < *done {
                    march.queue.push(entry(later, beside));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::arrival::solver::{Ended, Solver};
    use crate::grid::Medium;
    use crate::parallel::with_threads;
    use ndarray::{Array2, Ix2};
    use proptest::prelude::*;

    type Cell = [usize; 3];

    /// How a run ends, when it came to every cell, as far as that is known, and whether tiles were
    /// asked: by so many threads they are, and by 0 a march is. Before it there is one the other
    /// way, which stops early, with some more walls: what it leaves does not matter.
    fn found(
        threads: usize,
        mut medium: Medium<Ix2>,
        [sources, goals, more_walls]: [&[Cell]; 3],
        is_whole: bool,
    ) -> ((Ended, i32, Vec<i32>), bool) {
        with_threads(threads.max(1), || {
            let mut solver = Solver::new(medium.map().size());
            let mut build = |is_wall| {
                for &[_, y, x] in more_walls {
                    medium.set_wall([y, x], is_wall).unwrap();
                }
                medium.clone()
            };
            solver.run_by(build(true).map(), goals, sources, threads > 0);
            let medium = build(false);
            let goals = if is_whole { &[] } else { goals };
            let ended = solver.run_by(medium.map(), sources, goals, threads > 0);
            let (times, limit) = solver.times();
            let times = times.iter().map(|&time| time.min(limit)).collect();
            ((ended, limit, times), solver.knows_tiles())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 400 })
        })]

        /// On grids of many tiles, from some sources, to the end or to some goals.
        #[test]
        fn times_are_those_of_a_march(
            ny in 1..60usize, nx in 1..60usize,
            share in prop::sample::select(vec![0.0, 0.1, 0.4]),
            dice in prop::collection::vec(0.0..1.0f64, 3600),
            places in prop::collection::vec((0..60usize, 0..60usize), 2..8),
            more in prop::collection::vec((0..60usize, 0..60usize), 0..20),
            is_whole: bool,
        ) {
            let mut walls = Array2::from_shape_fn([ny, nx], |(y, x)| dice[60 * y + x] < share);
            let places: Vec<Cell> = places.iter().map(|&(y, x)| [0, y % ny, x % nx]).collect();
            for &[_, y, x] in &places {
                walls[[y, x]] = false;
            }
            let medium = Medium::<Ix2>::builder([ny, nx]).walls(&walls).build().unwrap();
            let (goals, sources) = places.split_at(places.len() / 2);
            let mut more: Vec<Cell> = more.iter().map(|&(y, x)| [0, y % ny, x % nx]).collect();
            more.retain(|cell @ &[_, y, x]| !walls[[y, x]] && !places.contains(cell));
            let run = |threads: usize| {
                found(threads, medium.clone(), [sources, goals, &more[..]], is_whole)
            };
            let (expected, by_tiles) = run(0);
            prop_assert!(!by_tiles);
            for threads in [1, 2, 4] {
                let (found, by_tiles) = run(threads);
                prop_assert!(by_tiles);
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
