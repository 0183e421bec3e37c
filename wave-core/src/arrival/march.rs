//! First arrivals without running the wave: the limit of short waves.
//!
//! A wave that is short beside everything it meets comes to x at the time T that solves the eikonal
//! equation `|grad T| = 1 / c`, T = 0 at the sources. It is solved by marching (Sethian 1996, "A
//! fast marching level set method for monotonically advancing fronts") over triangles of a cell, a
//! neighbour and a neighbour of both, in 3D tetrahedra: within each the wave is taken to be a plane
//! wave that enters through the side opposite the cell. So it comes round the corner of a wall as
//! it does in the open, and on the eight axes and diagonals (3D: 26) times are exact.
//!
//! Where triangles have no obtuse angles every cell is later than those that it is reached through,
//! here by 0.41 of what it takes itself (3D: 0.31) at least. So all cells of a bucket that is no
//! wider than that are final when their turn comes, in any order, and no heap is needed.
//!
//! Times are whole numbers of a 320th of what the fastest cell takes, so that they are the same
//! everywhere, and every reached cell but a source has a neighbour with a strictly earlier time, on
//! an axis or, where speeds differ, across a [corner](corners); or it begins a link whose end has
//! an earlier time.
//!
//! A link takes as long as the fastest cell at least, which is more than a bucket is wide. So the
//! cells of a bucket first make offers by links, and then to their neighbours. Maps without links
//! pay one comparison for this, a front one a bucket.

mod again;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod corners;
mod even;
mod offers;
mod queue;
mod slowness;
pub(super) mod ways;

use crate::dense::storage::PAST_CORE;
use crate::error::WaveError;
use crate::grid::{Layout, Link, Links, Map};
use crate::simd::{Simd, prefetch};
use corners::{CORNER, Corner};
use offers::{AT_ONCE, Deep, Even, Flat, OFFERS, Stencil, look};

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::after_face;
pub(super) use offers::{rounded, through_face};
pub(crate) use queue::{Queue, entry, time_of};
pub(crate) use ways::way_back;

/// The time of a wall, and of cells outside the grid.
pub(crate) const WALL: i32 = i32::MAX;
/// The time of an open cell that has not been reached.
pub(crate) const UNREACHED: i32 = i32::MAX - 1;
/// The time that the fastest cell takes.
pub(crate) const UNIT: i32 = 320;
/// How wide a bucket is, as a power of two, in 2D and 3D: no more than `(sqrt 2 - 1) UNIT` and
/// `(sqrt 3 - sqrt 2) UNIT`.
const SHIFTS: [u32; 2] = [7, 6];
/// A time after which the slowest possible cells around a source still have numbers.
pub(crate) const LATEST: i32 = i32::MAX - (1 << 25);
/// The time that the slowest possible cell takes.
pub(crate) const SLOWEST: i32 = 4096 * UNIT;
/// How far around a source times follow from the distance alone, in 2D and 3D, where all cells are
/// open and equally fast. The scheme is least exact there.
pub(super) const NEAR: [usize; 2] = [8, 4];

/// Times of first arrival, and the work space for finding them.
#[derive(Clone, Debug)]
pub(crate) struct March {
    pub(super) layout: Layout,
    /// As the medium stores its cells.
    pub(crate) times: Vec<i32>,
    /// The time that every cell takes, with [`CORNER`] where it may be left across one; empty where
    /// all take [`UNIT`].
    pub(super) slowness: Vec<i32>,
    corners: Vec<Corner>,
    has_corners: bool,
    /// The time that the slowest of them takes.
    pub(crate) slowest: i32,
    /// The longest link that the queue has room for, 0 where there is none.
    pub(crate) longest: i32,
    /// The [hash](Links::hash) of the links, 0 without links.
    pub(crate) links: u64,
    pub(crate) queue: Queue,
    /// `[units: steps]` What a unit of time is.
    pub(crate) unit: f64,
    /// The table of [`Even`].
    after: Box<[i32; UNIT as usize + 1]>,
    simd: Simd,
    /// Whether a cell's surroundings are fetched from memory as soon as it gets its time. Where
    /// times are not in the nearest caches, they have then come when the cell has its turn.
    pub(super) fetches: bool,
}

impl March {
    pub(crate) fn new(size: [usize; 3]) -> Self {
        // A map's cells can be stored, or it would have been refused.
        let layout = Layout::close(size).expect("a grid that can be stored");
        Self {
            fetches: layout.size[0] > 1 || layout.len > PAST_CORE / 2,
            times: vec![WALL; layout.len],
            slowness: Vec::new(),
            corners: corners::corners(&layout),
            has_corners: false,
            layout,
            slowest: UNIT,
            longest: 0,
            links: 0,
            queue: Queue::default(),
            unit: 1.0,
            after: Even::table(),
            simd: Simd::best(),
        }
    }

    /// Uses `simd` from now on. No time depends on it, nor which cells wait in the queue.
    pub(crate) fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        if !simd.is_available() {
            return Err(WaveError::Simd { simd });
        }
        self.simd = simd;
        Ok(())
    }

    /// Uses a set that another march used.
    pub(super) fn keep_simd(&mut self, simd: Simd) {
        self.simd = simd;
    }

    pub(super) fn simd(&self) -> Simd {
        self.simd
    }

    #[inline]
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The way home from a cell; times from `limit` on must be later than all times before it.
    #[inline]
    pub(crate) fn way_from(&self, i: usize, limit: i32) -> [f64; 3] {
        let Layout { row, plane, size, .. } = self.layout;
        let way = if size[0] == 1 {
            let [x, y] = ways::flat_way(self.rows(i, 1), limit);
            [f64::from(x), f64::from(y), 0.0]
        } else {
            ways::deep_way(
                |[x, y, z]| self.times[i + x + y * row + z * plane - (1 + row + plane)],
                limit,
            )
        };
        if way == [0.0; 3] && !self.slowness.is_empty() && self.times[i] < limit {
            return self.way_across(i).unwrap_or(way);
        }
        way
    }

    /// The ways home from a cell of a flat grid of one speed, and from those one further along x,
    /// along y and along both; `None` where a time is not before `limit`.
    pub(super) fn four_ways_from(&self, i: usize, limit: i32) -> [Option<[f64; 3]>; 4] {
        let row = |y: usize| {
            let from = i + y * self.layout.row - (self.layout.row + 1);
            self.times[from..].first_chunk().expect("a cell's neighbours")
        };
        let ways = ways::four_ways([row(0), row(1), row(2), row(3)], limit);
        ways.map(|way| way.map(|[x, y]| [f64::from(x), f64::from(y), 0.0]))
    }

    /// The way home from a cell that was reached across a corner.
    pub(super) fn way_across(&self, i: usize) -> Option<[f64; 3]> {
        corners::way_across(&self.corners, &self.times, &self.slowness, i)
    }

    /// The row of times from `at` on, `len` cells and one to each side, and those beside it.
    pub(super) fn rows(&self, at: usize, len: usize) -> [&[i32]; 3] {
        let row = |from: usize| &self.times[from - 1..=from + len];
        [at - self.layout.row, at, at + self.layout.row].map(row)
    }

    /// The same of a deep grid, with the planes before and behind.
    pub(super) fn deep_rows(&self, at: usize, len: usize) -> [&[i32]; 9] {
        let planes = [at - self.layout.plane, at, at + self.layout.plane];
        let [[a, b, c], [d, e, f], [g, h, i]] = planes.map(|at| self.rows(at, len));
        [a, b, c, d, e, f, g, h, i]
    }

    /// Takes over all walls from the cell `origin` of a map on, and forgets all times.
    pub(crate) fn read_walls(&mut self, map: &Map, origin: [usize; 3]) {
        let [nz, ny, nx] = self.layout.size;
        for cell in (0..nz).flat_map(|z| (0..ny).map(move |y| [z, y, 0])) {
            let there = std::array::from_fn(|axis| origin[axis] + cell[axis]);
            let (first, number) = (self.layout.index(cell), map.number(there));
            for (i, times) in self.times[first..first + nx].chunks_mut(32).enumerate() {
                let open = map.open().word(number + 32 * i) as u32;
                let time = |lane: usize| WALL - i32::from(open & 1 << lane != 0);
                if let Ok(times) = <&mut [i32; 32]>::try_from(&mut *times) {
                    // So many at once that the compiler makes vectors of them.
                    (0..32).for_each(|lane| times[lane] = time(lane));
                } else {
                    times.iter_mut().enumerate().for_each(|(lane, to)| *to = time(lane));
                }
            }
        }
    }

    /// The same march on a larger grid, of which this one is the part from the cell `at` on, among
    /// the walls of a map, whose cell `origin` is the first of the grid. All cells take the same.
    pub(super) fn within(
        &self,
        size: [usize; 3],
        at: [usize; 3],
        map: &Map,
        origin: [usize; 3],
    ) -> Self {
        let mut larger = Self::new(size);
        larger.read_walls(map, origin);
        (larger.unit, larger.simd) = (self.unit, self.simd);
        let [nz, ny, nx] = self.layout.size;
        let index = |[z, y, x]: [usize; 3]| larger.layout.index([at[0] + z, at[1] + y, at[2] + x]);
        for cell in (0..nz).flat_map(|z| (0..ny).map(move |y| [z, y, 0])) {
            let (from, to) = (self.layout.index(cell), index(cell));
            larger.times[to..to + nx].copy_from_slice(&self.times[from..from + nx]);
        }
        larger.queue = self.queue.clone();
        for taken in larger.queue.entries() {
            let cell = self.layout.cell(*taken as u32 as usize);
            *taken = entry(time_of(*taken), index(cell));
        }
        larger
    }

    /// What a link takes.
    fn length(&self, links: &Links, link: Link<u32>) -> i32 {
        units(links.steps(link), self.unit)
    }

    /// The link by which the wave came to a cell before `limit`, if it came by one.
    pub(crate) fn link_from(&self, links: &Links, i: usize, limit: i32) -> Option<Link<u32>> {
        let came = |link: &&Link<u32>| {
            let there = self.times[link.to as usize];
            there < limit && there + self.length(links, **link) == self.times[i]
        };
        links.from(i).iter().find(came).copied()
    }

    /// When the wave comes to a cell by links whose ends were reached before `limit`.
    pub(crate) fn by_links(&self, links: &Links, i: usize, limit: i32) -> Option<i32> {
        let reached = links.from(i).iter().filter(|link| self.times[link.to as usize] < limit);
        let times = reached.map(|&link| self.times[link.to as usize] + self.length(links, link));
        times.min()
    }

    /// Starts at `sources` at time `start`, on a map with these links.
    pub(crate) fn begin(&mut self, links: Option<&Links>, sources: &[usize], start: i32) {
        self.sow(links, sources, start);
        self.resume(start);
    }

    /// Gives the cells around `sources` their times, and puts them among the seeds.
    pub(super) fn sow(&mut self, links: Option<&Links>, sources: &[usize], start: i32) {
        self.longest = links.map_or(0, |links| units(links.longest(), self.unit));
        self.links = links.map_or(0, Links::hash);
        self.seed(sources, start);
    }

    /// The end of the bucket of this time.
    pub(super) fn end_of_bucket(layout: &Layout, time: i32) -> i32 {
        let shift = SHIFTS[usize::from(layout.size[0] > 1)];
        ((time >> shift) + 1) << shift
    }

    /// Whether cells may be left across a corner.
    pub(super) fn has_corners(&self) -> bool {
        self.has_corners
    }

    /// Goes on from `time` with the seeds.
    pub(crate) fn resume(&mut self, time: i32) {
        self.resume_with(time, self.slowest.max(self.longest / 2 + 1));
    }

    /// [`March::resume`] with room in the queue for offers that are twice so much ahead.
    pub(super) fn resume_with(&mut self, time: i32, room: i32) {
        self.queue.begin(self.shift(), room, time);
    }

    /// When a bucket of a flat grid begins.
    pub(super) fn begin_of(bucket: usize) -> i32 {
        (bucket << SHIFTS[0]) as i32
    }

    /// Takes the cells of one bucket after the other. They offer a time to their neighbours, and to
    /// cells whose links end in them. Goes on while there are cells and `more` says so, which is
    /// called with the times and the end of the last bucket.
    pub(crate) fn take_while(
        &mut self,
        links: Option<&Links>,
        mut more: impl FnMut(&[i32], i32) -> bool,
    ) {
        let Some(links) = links else { return self.take_buckets(|_, _| {}, more) };
        let mut goes_on = true;
        while goes_on && let Some(place) = self.queue.seek() {
            self.leave_by(links, place, |_, _| {});
            self.take_buckets(
                |_, _| {},
                |times, end| {
                    goes_on = more(times, end);
                    false
                },
            );
        }
    }

    /// Offers a time to cells whose links end in cells of a bucket, and notes those that take it,
    /// with the time that they had.
    fn leave_by(&mut self, links: &Links, place: usize, mut note: impl FnMut(usize, i32)) {
        for n in 0..self.queue.ring[place].len() {
            let taken = self.queue.ring[place][n];
            let (time, end) = (time_of(taken), taken as u32 as usize);
            if !links.is_end(end) || self.times[end] != time {
                continue;
            }
            for &link in links.to(end) {
                let (each, from) = (self.length(links, link), link.from as usize);
                // A map with longer links came after the wave: its links are for the next one.
                if each <= self.longest {
                    self.take_offer(from, time + each, &mut note);
                }
            }
        }
    }

    /// Lets a cell take a time if that is earlier than its own, and notes the one it had.
    #[inline]
    fn take_offer(&mut self, to: usize, offer: i32, note: &mut impl FnMut(usize, i32)) {
        let before = self.times[to];
        if offer < before && before != WALL {
            self.times[to] = offer;
            self.queue.push(entry(offer, to));
            note(to, before);
        }
    }

    /// [`March::take_while`] without links; notes cells that get an earlier time, with the one
    /// before.
    #[allow(unsafe_code)]
    pub(super) fn take_buckets(
        &mut self,
        note: impl FnMut(usize, i32),
        more: impl FnMut(&[i32], i32) -> bool,
    ) {
        let Self { times, slowness, queue, after, corners, .. } = self;
        let Layout { row, plane, .. } = self.layout;
        let deep = self.layout.size[0] > 1;
        #[cfg(target_arch = "x86_64")]
        if self.simd >= Simd::Avx2 {
            let (speeds, apart) = ((&slowness[..], &corners[..]), ([row, plane], self.fetches));
            // SAFETY: the feature was detected, or the set would have been refused.
            return unsafe {
                match (deep, slowness.is_empty()) {
                    (false, true) => {
                        avx2::take_while::<false, true>(times, speeds, queue, apart, note, more);
                    }
                    (false, false) => {
                        avx2::take_while::<false, false>(times, speeds, queue, apart, note, more);
                    }
                    (true, true) => {
                        avx2::take_while::<true, true>(times, speeds, queue, apart, note, more);
                    }
                    (true, false) => {
                        avx2::take_while::<true, false>(times, speeds, queue, apart, note, more);
                    }
                }
            };
        }
        match (deep, slowness.is_empty()) {
            (false, true) => {
                each_in_turn::<4, true>(times, (&[], &[]), queue, &Even { row, after }, note, more);
            }
            (false, false) => {
                each_in_turn::<4, false>(
                    times,
                    (slowness, corners),
                    queue,
                    &Flat { row },
                    note,
                    more,
                );
            }
            (true, true) => {
                each_in_turn::<6, true>(times, (&[], &[]), queue, &Deep { row, plane }, note, more);
            }
            (true, false) => {
                each_in_turn::<6, false>(
                    times,
                    (slowness, corners),
                    queue,
                    &Deep { row, plane },
                    note,
                    more,
                );
            }
        }
    }

    /// Times of the cells around `sources`, by distance in the largest open block around each.
    fn seed(&mut self, sources: &[usize], start: i32) {
        self.queue.seeds.clear();
        let mut some = Vec::new();
        for &source in sources {
            some.clear();
            self.around_source(source, start, &mut some);
            for &seed in &some {
                let (time, i) = (time_of(seed), seed as u32 as usize);
                if time < self.times[i] {
                    self.times[i] = time;
                    self.queue.seeds.push(seed);
                }
            }
        }
    }

    /// Adds the cells around a source, as a queue holds them, with the times that it gives them.
    pub(super) fn around_source(&self, source: usize, start: i32, to: &mut Vec<u64>) {
        let reach = NEAR[usize::from(self.layout.size[0] > 1)];
        let centre = self.layout.cell(source);
        let each = self.slowness(source);
        let same = |i: usize| self.times[i] != WALL && self.slowness(i) == each;
        let is_even = |&far: &isize| {
            let mut shell = self.block(far).filter(|off| off.iter().any(|o| o.abs() == far));
            shell.all(|off| self.beside(centre, off).is_some_and(same))
        };
        let far = (1..=reach as isize).take_while(is_even).last().unwrap_or(0);
        for off in self.block(far) {
            let Some(i) = self.beside(centre, off) else { continue };
            let length = (off.iter().map(|o| o * o).sum::<isize>() as f64).sqrt();
            to.push(entry(start + (length * f64::from(each)).round() as i32, i));
        }
    }

    /// Offsets of up to `far` along each axis.
    pub(super) fn block(&self, far: isize) -> impl Iterator<Item = [isize; 3]> + use<> {
        let deep = if self.layout.size[0] > 1 { far } else { 0 };
        (-deep..=deep)
            .flat_map(move |z| (-far..=far).flat_map(move |y| (-far..=far).map(move |x| [z, y, x])))
    }

    /// The cell at an offset from another, if it is inside the grid.
    pub(super) fn beside(&self, cell: [usize; 3], off: [isize; 3]) -> Option<usize> {
        let cell: [usize; 3] = std::array::from_fn(|a| cell[a].wrapping_add_signed(off[a]));
        self.layout.contains(cell).then(|| self.layout.index(cell))
    }
}

/// The time that a link of so many steps takes: at least that of the fastest cell.
fn units(steps: f64, unit: f64) -> i32 {
    ((steps / unit + 0.5) as i32).clamp(UNIT, SLOWEST)
}

/// [`March::take_while`], cell by cell, with the stencil that suits.
fn each_in_turn<const N: usize, const UNIFORM: bool>(
    times: &mut [i32],
    speeds: (&[i32], &[Corner]),
    queue: &mut Queue,
    stencil: &impl Stencil<N>,
    note: impl FnMut(usize, i32),
    more: impl FnMut(&[i32], i32) -> bool,
) {
    let look = |times: &[i32], some: &[u64], offers: &mut [u64; OFFERS]| {
        look::<N, UNIFORM>(times, speeds.0, stencil, some, offers)
    };
    take_while::<UNIFORM, 0>(times, speeds, queue, [], look, note, more);
}

/// [`March::take_while`]; `look` writes what some cells offer and tells how many offers there are,
/// and all bits of the times that these cells take. `around` are offsets to the rows beside a cell.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
fn take_while<const UNIFORM: bool, const N: usize>(
    times: &mut [i32],
    (slowness, corners): (&[i32], &[Corner]),
    queue: &mut Queue,
    around: [isize; N],
    look: impl Fn(&[i32], &[u64], &mut [u64; OFFERS]) -> (usize, i32),
    mut note: impl FnMut(usize, i32),
    mut more: impl FnMut(&[i32], i32) -> bool,
) {
    let (shift, buckets) = (queue.shift, queue.buckets);
    let mut offers = [0; OFFERS];
    while let Some(place) = queue.seek() {
        let ring = &mut queue.ring[..buckets];
        let mut next = 0;
        while next < ring[place].len() {
            let first = next;
            let some = &ring[place][first..];
            let some = &some[..some.len().min(AT_ONCE)];
            next += some.len();
            let (count, marks) = look(times, some, &mut offers);
            for &offer in &offers[..count] {
                let (time, cell) = (time_of(offer), offer as u32 as usize);
                let before = times[cell];
                let is_earlier = time < before;
                times[cell] = if is_earlier { time } else { before };
                add_if(&mut ring[time as usize >> shift & (buckets - 1)], offer, is_earlier);
                if is_earlier {
                    note(cell, before);
                    // Its turn is soon, and then these rows are read.
                    for to in around {
                        prefetch(times.as_ptr(), cell.wrapping_add_signed(to));
                    }
                }
            }
            if UNIFORM || marks & CORNER == 0 {
                continue;
            }
            for i in first..next {
                let (time, cell) = (time_of(ring[place][i]), ring[place][i] as u32 as usize);
                if slowness[cell] & CORNER != 0 && times[cell] == time {
                    corners::leave(corners, times, slowness, (time, cell), |time, cell, before| {
                        ring[time as usize >> shift & (buckets - 1)].push(entry(time, cell));
                        note(cell, before);
                    });
                }
            }
        }
        ring[place].clear();
        if !more(times, ((queue.now + 1) << shift) as i32) {
            return;
        }
    }
}

/// Adds an entry, or not, without a branch: mispredicted, it would cost as much as several entries.
#[allow(unsafe_code)] // see the SAFETY note
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
fn add_if(entries: &mut Vec<u64>, entry: u64, is_added: bool) {
    if entries.len() == entries.capacity() {
        entries.reserve(1);
    }
    entries.spare_capacity_mut()[0].write(entry);
    // SAFETY: there is room for one more, and it was just written.
    unsafe { entries.set_len(entries.len() + usize::from(is_added)) };
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::grid::{Medium, Space};
    use ndarray::{Array, Ix2, Ix3};

    /// Random numbers below what is asked for.
    pub(crate) fn dice() -> impl FnMut(u64) -> u64 {
        let mut state = 1_u64;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Times, and the cells that wait in the queue.
    type State = (Vec<i32>, Vec<u64>);

    /// After every bucket, for waves from one open cell in `apart`; and the most cells of a bucket.
    fn states<D: Space>(
        medium: &Medium<D>,
        apart: usize,
        (simd, fetches): (Simd, bool),
    ) -> (Vec<State>, usize) {
        let map = medium.map();
        let mut march = March::new(map.size());
        march.fetches = fetches;
        let open = (0..map.count()).filter(|&number| map.is_open(number)).step_by(apart);
        let sources: Vec<usize> = open.map(|n| march.layout().index(map.cell(n))).collect();
        march.set_simd(simd).unwrap();
        march.read_walls(map, [0; 3]);
        march.read_speeds(map, map.short_delta(1.0), |_, _| true);
        march.begin(None, &sources, 0);
        let mut most = 0;
        let bucket = || {
            let place = march.queue.seek()?;
            most = most.max(march.queue.ring[place].len());
            march.take_while(None, |_, _| false);
            let March { times, queue, .. } = &march;
            let mut waiting: Vec<u64> = queue.ring.iter().flatten().copied().collect();
            waiting.retain(|&taken| times[taken as u32 as usize] == time_of(taken));
            waiting.sort_unstable();
            Some((times.clone(), waiting))
        };
        (std::iter::from_fn(bucket).collect(), most)
    }

    /// After every bucket. Cells wait in another order, and entries of cells that got earlier in
    /// the meantime differ: both depend on the order of offers.
    #[test]
    fn the_same_cells_wait_with_every_instruction_set() {
        fn check<D: Space>(size: [usize; 3], apart: usize) {
            let mut random = dice();
            for areas in [false, true] {
                let shape = D::shape(D::from_zyx(size));
                let walls = Array::from_shape_simple_fn(shape.clone(), || random(4) == 0);
                let speeds = Array::from_shape_simple_fn(shape, || 1.0 / (1 + random(3)) as f32);
                let builder = Medium::<D>::builder(D::from_zyx(size)).walls(&walls);
                let builder = if areas { builder.speeds(&speeds) } else { builder };
                let medium = builder.build().unwrap();
                let (expected, most) = states(&medium, apart, (Simd::Scalar, false));
                assert!(most > AT_ONCE + 3, "{size:?}: a batch and some more");
                let all = Simd::available().map(|simd| (simd, false));
                for how in all.chain([(Simd::best(), true)]) {
                    let same = states(&medium, apart, how).0 == expected;
                    assert!(same, "{size:?}, areas: {areas}, {how:?}");
                }
            }
        }
        if cfg!(miri) {
            check::<Ix2>([1, 20, 30], 10);
            check::<Ix3>([3, 8, 12], 4);
        } else {
            check::<Ix2>([1, 60, 70], 500);
            check::<Ix3>([2, 30, 40], 200);
            // Rows of planes this small are joined.
            check::<Ix3>([20, 14, 17], 1000);
        }
    }
}
