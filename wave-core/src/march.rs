//! First arrivals without running the wave: the limit of short waves.
//!
//! A wave that is short beside everything it meets comes to x at the time T that solves the
//! eikonal equation `|grad T| = 1 / c`, T = 0 at the sources. It is solved by marching (Sethian
//! 1996, "A fast marching level set method for monotonically advancing fronts") over triangles of a
//! cell, a neighbour and a neighbour of both, in 3D tetrahedra: the wave comes as a plane one
//! through the side opposite the cell. So it comes round the corner of a wall as it does in the
//! open, and on the eight axes and diagonals (3D: 26) times are exact.
//!
//! Where triangles have no obtuse angles every cell is later than those that it is reached through,
//! here by 0.41 of what it takes itself (3D: 0.31) at least. So all cells of a bucket that is no
//! wider than that are final when their turn comes, in any order, and no heap is needed.
//!
//! Times are whole numbers of a 320th of what the fastest cell takes, so that they are the same
//! everywhere, and every reached cell but a source has a neighbour with a strictly earlier time.

use crate::layout::Layout;
use crate::medium::Medium;
use crate::real::Real;
use crate::simd::Simd;
use crate::space::Space;
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

/// The time of a wall, and of what lies outside the grid.
pub(crate) const WALL: i32 = i32::MAX;
/// The time of an open cell before anything has come.
pub(crate) const UNREACHED: i32 = i32::MAX - 1;
/// What the fastest cell takes.
pub(crate) const UNIT: i32 = 320;
/// How wide a bucket is, as a power of two, in 2D and 3D: no more than `(sqrt 2 - 1) UNIT` and
/// `(sqrt 3 - sqrt 2) UNIT`.
const SHIFTS: [u32; 2] = [7, 6];
/// A time after which the slowest possible cells around a source still have numbers.
pub(crate) const LATEST: i32 = i32::MAX - (1 << 25);
/// What the slowest possible cell takes.
pub(crate) const SLOWEST: i32 = 4096 * UNIT;
/// Cells that are worked on before any of their offers is taken: whether an offer is good is known
/// so late that a branch on it, mispredicted, would cost as much as the offer.
const AT_ONCE: usize = 16;
/// How far around a source times are taken from the distance, where all is open and as fast: the
/// scheme is least exact there. In 2D and 3D.
const NEAR: [usize; 2] = [8, 4];

/// Times of first arrival, and the work space for finding them.
#[derive(Clone, Debug)]
pub(crate) struct March {
    layout: Layout,
    /// As the medium stores its cells.
    pub(crate) times: Vec<i32>,
    /// What every cell takes, empty where all take [`UNIT`].
    pub(crate) slowness: Vec<i32>,
    /// What the slowest of them takes.
    pub(crate) slowest: i32,
    pub(crate) queue: Queue,
    /// `[units: steps]` What a unit of time is.
    pub(crate) unit: f64,
    /// [`through_edge`] where all cells take [`UNIT`], by the lead.
    after: Box<[i32; UNIT as usize + 1]>,
    /// Times from here on are not final.
    limit: i32,
    /// Whether the times are its own, not those of a front.
    solved: bool,
}

/// Cells by the time that something comes to them, as `time << 32 | cell`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    /// By the number of their bucket, modulo so many.
    pub(crate) ring: Vec<Vec<u64>>,
    buckets: usize,
    /// How wide a bucket is, as a power of two.
    shift: u32,
    /// The bucket whose turn it is, counted from time 0.
    now: usize,
    /// Cells near the sources, in order, and how many of them have gone into the ring.
    pub(crate) seeds: Vec<u64>,
    sown: usize,
}

impl Queue {
    /// Forgets all but the seeds, none of which is earlier than `start`.
    pub(crate) fn begin(&mut self, shift: u32, slowest: i32, start: i32) {
        self.ring.iter_mut().for_each(Vec::clear);
        self.shift = shift;
        self.buckets = ((slowest >> shift) as usize + 2).next_power_of_two();
        if self.ring.len() < self.buckets {
            self.ring.resize_with(self.buckets, Vec::new);
        }
        self.seeds.sort_unstable();
        (self.now, self.sown) = (start as usize >> shift, 0);
    }

    pub(crate) fn push(&mut self, offer: u64) {
        let bucket = time_of(offer) as usize >> self.shift & (self.buckets - 1);
        self.ring[bucket].push(offer);
    }

    /// How far ahead of [`Queue::time`] cells of the ring may lie, seeds apart.
    pub(crate) fn span(&self) -> i32 {
        (self.buckets << self.shift) as i32
    }

    /// Cells in the bucket whose turn it is.
    pub(crate) fn portion(&self) -> usize {
        self.ring[self.now & (self.buckets - 1)].len()
    }

    /// Lets all times be so much less: a whole number of turns of the ring.
    pub(crate) fn shift_down(&mut self, by: i32) {
        let entries = self.ring.iter_mut().flatten().chain(&mut self.seeds);
        entries.for_each(|entry| *entry -= u64::from(by as u32) << 32);
        self.now -= by as usize >> self.shift;
    }

    /// When the bucket whose turn it is begins: all that comes before has come.
    pub(crate) fn time(&self) -> usize {
        self.now << self.shift
    }

    /// Takes a cell of the ring out again.
    pub(crate) fn remove(&mut self, entry: u64) {
        let bucket = time_of(entry) as usize >> self.shift & (self.buckets - 1);
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
                    if time_of(seed) as usize >> self.shift != self.now {
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
            self.now = time_of(*self.seeds.get(self.sown)?) as usize >> self.shift;
        }
    }
}

/// How a march ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Everything that a way joins to the sources was reached.
    Whole,
    /// All that was asked for was reached; what lies further was not.
    Early,
    /// Something lies too far.
    TooFar,
}

impl March {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self {
            layout: layout.clone(),
            times: vec![WALL; layout.len],
            slowness: Vec::new(),
            slowest: UNIT,
            queue: Queue::default(),
            unit: 1.0,
            after: Box::new(std::array::from_fn(|lead| {
                rounded(through_edge(lead as f32, UNIT as f32))
            })),
            limit: UNREACHED,
            solved: false,
        }
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Times from outside, the first `nx` of every row, in units of so many steps; those from
    /// [`UNREACHED`] on never came.
    pub(crate) fn take_over(&mut self, unit: f64, mut row: impl FnMut([usize; 3], &mut [i32])) {
        let [nz, ny, nx] = self.layout.size;
        for cell in (0..nz).flat_map(|z| (0..ny).map(move |y| [z, y, 0])) {
            row(cell, &mut self.times[self.layout.index(cell)..][..nx]);
        }
        (self.unit, self.limit, self.solved) = (unit, UNREACHED, false);
    }

    /// When something came to the cells of row `r`, in steps, and the ways home from there.
    pub(crate) fn row<D: Space>(&self, r: usize, times: &mut [f32], ways: &mut [D::Direction]) {
        let ny = self.layout.size[1];
        let at = self.layout.index([r / ny, r % ny, 0]);
        let here = &self.times[at..][..times.len()];
        let unit = self.unit as f32;
        for (to, &time) in times.iter_mut().zip(here) {
            *to = if time < self.limit { time as f32 * unit } else { f32::INFINITY };
        }
        let deep = self.layout.size[0] > 1;
        if self.solved && !deep {
            return self.flat_ways::<D>(Simd::best(), at, ways);
        }
        let (row, plane) = (self.layout.row as isize, self.layout.plane as isize);
        for (i, way) in (at..).zip(ways) {
            let time = |[x, y, z]: [isize; 3]| {
                let there = self.times[i.wrapping_add_signed(x + y * row + z * plane)];
                if there < self.limit { f64::from(there) } else { f64::INFINITY }
            };
            let to = match (self.times[i] < self.limit, self.solved, deep) {
                (false, ..) => [0.0; 3],
                (true, true, _) => way_home::<3>(time),
                (true, false, true) => way_back::<3>(time),
                (true, false, false) => way_back::<2>(time),
            };
            *way = D::direction(to.map(|w| w as f32));
        }
    }

    /// [`way_home`] from the cells of a row of a flat grid, the first at index `at`, many at once.
    #[allow(unsafe_code)]
    fn flat_ways<D: Space>(&self, simd: Simd, at: usize, ways: &mut [D::Direction]) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn avx2<D: Space>(rows: [&[i32]; 3], limit: i32, ways: &mut [D::Direction]) {
                flat_ways::<D>(rows, limit, ways);
            }
            if simd >= Simd::Avx2 && Simd::Avx2.is_available() {
                // SAFETY: the feature was detected.
                return unsafe { avx2::<D>(self.rows(at, ways.len()), self.limit, ways) };
            }
        }
        let _ = simd;
        flat_ways::<D>(self.rows(at, ways.len()), self.limit, ways);
    }

    /// The way home from a cell; what has not come before `limit` must be later than what has.
    #[inline]
    pub(crate) fn way_from(&self, i: usize, limit: i32) -> [f64; 3] {
        let Layout { row, plane, size, .. } = self.layout;
        if size[0] == 1 {
            let [x, y] = flat_way(self.rows(i, 1), limit);
            return [f64::from(x), f64::from(y), 0.0];
        }
        way_home::<3>(|[x, y, z]: [isize; 3]| {
            let there = x + y * row as isize + z * plane as isize;
            let there = self.times[i.wrapping_add_signed(there)];
            if there < limit { f64::from(there) } else { f64::INFINITY }
        })
    }

    /// The row of times from `at` on, `len` cells and one to each side, and those beside it.
    fn rows(&self, at: usize, len: usize) -> [&[i32]; 3] {
        let row = |from: usize| &self.times[from - 1..=from + len];
        [at - self.layout.row, at, at + self.layout.row].map(row)
    }

    /// Marches from `sources` until all of `goals` were reached, or to the end if there are none.
    pub(crate) fn run<D: Space, S: Real>(
        &mut self,
        medium: &Medium<D, S>,
        sources: &[usize],
        goals: &[usize],
    ) -> Ended {
        if self.layout != medium.layout {
            // The same shape, stored for the other number format.
            *self = Self::new(&medium.layout);
        }
        self.read_walls(medium);
        self.read_speeds(medium, |i| medium.is_open(i));
        self.begin(sources, 0);
        let mut goals = goals.iter().peekable();
        let wanted = goals.peek().is_some();
        let (mut last, mut ended) = (0, Ended::Whole);
        self.take_while(|times, end| {
            last = end;
            while goals.next_if(|&&goal| times[goal] < end).is_some() {}
            if wanted && goals.peek().is_none() {
                ended = Ended::Early;
            } else if end > LATEST {
                ended = Ended::TooFar;
            }
            ended == Ended::Whole
        });
        self.solved = true;
        self.limit = if ended == Ended::Whole { UNREACHED } else { last };
        ended
    }

    /// Starts at `sources` at time `start`.
    pub(crate) fn begin(&mut self, sources: &[usize], start: i32) {
        self.seed(sources, start);
        self.resume(start);
    }

    /// Goes on from `time` with what stands among the seeds.
    pub(crate) fn resume(&mut self, time: i32) {
        let shift = SHIFTS[usize::from(self.layout.size[0] > 1)];
        self.queue.begin(shift, self.slowest, time);
    }

    /// Takes the cells of one bucket after the other and offers their neighbours a time, as long as
    /// `more`, called with the times and the end of the bucket taken last, says so and there are any.
    pub(crate) fn take_while(&mut self, more: impl FnMut(&[i32], i32) -> bool) {
        let Self { times, slowness, queue, after, .. } = self;
        let Layout { row, plane, .. } = self.layout;
        let deep = self.layout.size[0] > 1;
        match (deep, slowness.is_empty()) {
            (false, true) => {
                take_while::<4, true>(times, slowness, queue, &Even { row, after }, more);
            }
            (false, false) => take_while::<4, false>(times, slowness, queue, &Flat { row }, more),
            (true, true) => {
                take_while::<6, true>(times, slowness, queue, &Deep { row, plane }, more);
            }
            (true, false) => {
                take_while::<6, false>(times, slowness, queue, &Deep { row, plane }, more);
            }
        }
    }

    /// Takes over all walls and forgets all times.
    pub(crate) fn read_walls<D: Space, S: Real>(&mut self, medium: &Medium<D, S>) {
        for (time, &delta) in self.times.iter_mut().zip(medium.delta.iter()) {
            *time = if delta > S::ZERO { UNREACHED } else { WALL };
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
            let delta = |i: usize| medium.cell_delta(i).to_f64();
            let cells = || self.layout.indices().filter(|&i| counts(i));
            let fastest = cells().map(delta).fold(0.0, f64::max);
            self.slowness.resize(self.layout.len, UNIT);
            for i in cells() {
                // A medium lets no cell take more, but for rounding.
                let each = (f64::from(UNIT) * (fastest / delta(i)).sqrt()).round() as i32;
                self.slowness[i] = each.min(SLOWEST);
                self.slowest = self.slowest.max(self.slowness[i]);
            }
            fastest
        };
        self.unit = 1.0 / (f64::from(UNIT) * fastest.sqrt());
    }

    /// Times of the cells around `sources`, by distance in the largest open block around each.
    fn seed(&mut self, sources: &[usize], start: i32) {
        self.queue.seeds.clear();
        for &source in sources {
            let centre = self.layout.cell(source).map(|c| c as isize);
            let slowness = |i: usize| self.slowness.get(i).copied().unwrap_or(UNIT);
            let same = |i: usize| self.times[i] != WALL && slowness(i) == slowness(source);
            let reach = NEAR[usize::from(self.layout.size[0] > 1)];
            let open = |far: &isize| self.shell(centre, *far).all(|(i, _)| i.is_some_and(same));
            let far = (1..=reach as isize).take_while(open).last().unwrap_or(0);
            let each = f64::from(slowness(source));
            for distance in 0..=far {
                let shell: Vec<_> = self.shell(centre, distance).collect();
                for (i, length) in shell {
                    let Some(i) = i else { continue };
                    let time = start + (length * each).round() as i32;
                    if time < self.times[i] {
                        self.times[i] = time;
                        self.queue.seeds.push(entry(time, i));
                    }
                }
            }
        }
    }

    /// The cells whose largest offset from `centre` is `far`, if they are inside the grid, and how
    /// far their centres are.
    fn shell(
        &self,
        centre: [isize; 3],
        far: isize,
    ) -> impl Iterator<Item = (Option<usize>, f64)> + '_ {
        let deep = if self.layout.size[0] > 1 { far } else { 0 };
        let block = (-deep..=deep).flat_map(move |z| {
            (-far..=far).flat_map(move |y| (-far..=far).map(move |x| [z, y, x]))
        });
        let shell = block.filter(move |off| off.iter().any(|o| o.abs() == far));
        shell.map(move |off| {
            let cell: [usize; 3] = std::array::from_fn(|a| (centre[a] + off[a]) as usize);
            let length = (off.iter().map(|o| o * o).sum::<isize>() as f64).sqrt();
            (self.layout.contains(cell).then(|| self.layout.index(cell)), length)
        })
    }
}

/// [`March::take_while`], with the stencil that suits.
fn take_while<const N: usize, const UNIFORM: bool>(
    times: &mut [i32],
    slowness: &[i32],
    queue: &mut Queue,
    stencil: &impl Stencil<N>,
    mut more: impl FnMut(&[i32], i32) -> bool,
) {
    let offsets = stencil.offsets();
    let (shift, buckets) = (queue.shift, queue.buckets);
    // With room for one that is no offer.
    let mut offers = [0; 8 * AT_ONCE];
    while let Some(place) = queue.seek() {
        let ring = &mut queue.ring[..buckets];
        let mut next = 0;
        while next < ring[place].len() {
            let some = &ring[place][next..];
            let some = &some[..some.len().min(AT_ONCE)];
            next += some.len();
            let mut count = 0;
            for &taken in some {
                let (time, cell) = (time_of(taken), taken as u32 as usize);
                let each: [i32; N] = if UNIFORM {
                    [UNIT; N]
                } else {
                    offsets.map(|offset| slowness[cell.wrapping_add_signed(offset)])
                };
                let (old, new) = stencil.offers(times, cell, time, &each);
                let before = count;
                for k in 0..N {
                    offers[count % offers.len()] =
                        entry(new[k], cell.wrapping_add_signed(offsets[k]));
                    // Turns walls, and them alone, into what nothing is earlier than.
                    let better = new[k].wrapping_add(1) < old[k].wrapping_add(1);
                    count += usize::from(better);
                }
                // Unless it got earlier in the meantime.
                count = if times[cell] == time { count } else { before };
            }
            for &offer in &offers[..count] {
                let (time, cell) = (time_of(offer), offer as u32 as usize);
                if time < times[cell] {
                    times[cell] = time;
                    ring[time as usize >> shift & (buckets - 1)].push(offer);
                }
            }
        }
        ring[place].clear();
        if !more(times, ((queue.now + 1) << shift) as i32) {
            return;
        }
    }
}

/// The way home from a cell whose time is `time([0; 3])`, `time` telling those of the cells around
/// at offsets `[x, y, z]`, infinite where nothing came: across the side of the triangle (3D:
/// tetrahedron) of the cell, its earliest neighbour, and the earliest of that one's neighbours to the
/// side. Zero where no neighbour is earlier.
pub(crate) fn way_home<const AXES: usize>(time: impl Fn([isize; 3]) -> f64) -> [f64; 3] {
    let mut way = [0.0; 3];
    let mut used = [false; AXES];
    let (mut at, mut now, mut most) = ([0; 3], time([0; 3]), f64::INFINITY);
    for _ in 0..AXES {
        let mut best = (now, at, 0);
        for axis in (0..AXES).filter(|&axis| !used[axis]) {
            for step in [-1, 1] {
                let mut there = at;
                there[axis] = step;
                let then = time(there);
                if then < best.0 {
                    best = (then, there, axis);
                }
            }
        }
        let (then, there, axis) = best;
        if then >= now {
            break;
        }
        most = most.min(now - then);
        way[axis] = most * there[axis] as f64;
        used[axis] = true;
        (at, now) = (there, then);
    }
    unit(way)
}

/// The ways home from the cells of a row of a flat grid, by the times of the rows above, here and
/// below, that begin and end a cell further out.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
fn flat_ways<D: Space>([above, here, below]: [&[i32]; 3], limit: i32, ways: &mut [D::Direction]) {
    let columns = above.windows(3).zip(here.windows(3)).zip(below.windows(3));
    for (way, ((above, here), below)) in ways.iter_mut().zip(columns) {
        let [x, y] = flat_way([above, here, below], limit);
        *way = D::direction([x, y, 0.0]);
    }
}

/// [`way_home`] from the cell in the middle of three rows of three, without branches. What is not reached
/// before `limit` need only be later than what is.
#[allow(clippy::inline_always)]
#[inline(always)]
fn flat_way([above, here, below]: [&[i32]; 3], limit: i32) -> [f32; 2] {
    let pick = |first: bool, a: i32, b: i32| if first { a } else { b };
    let (up, down, left, right) = (above[1], below[1], here[0], here[2]);
    let (is_left, is_up) = (left <= right, up <= down);
    let (beside, across) = (left.min(right), up.min(down));
    let along_x = beside <= across;
    // The earliest neighbour, and the two cells to its sides.
    let first = beside.min(across);
    let near = pick(along_x, pick(is_left, above[0], above[2]), pick(is_up, above[0], below[0]));
    let far = pick(along_x, pick(is_left, below[0], below[2]), pick(is_up, above[2], below[2]));
    let gain = here[1] - first;
    let gain = if gain > 0 && here[1] < limit { gain } else { 0 } as f32;
    let aside = at_most(not_negative((first - near.min(far)) as f32), gain);
    let aside = if near <= far { -aside } else { aside };
    let (x, y) = if along_x {
        (if is_left { -gain } else { gain }, aside)
    } else {
        (aside, if is_up { -gain } else { gain })
    };
    let square = x * x + y * y;
    let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
    [x * scale, y * scale]
}

/// The way home by the times of a front, which are a little off: the gradient toward the earlier
/// neighbour on every axis is steadier than [`way_home`]. Where that knows one axis only, as behind
/// corners, the way leads across the side of a triangle.
pub(crate) fn way_back<const AXES: usize>(time: impl Fn([isize; 3]) -> f64) -> [f64; 3] {
    let here = time([0; 3]);
    // The earlier one of the neighbours of a place along an axis.
    let along = |place: [isize; 3], axis: usize| {
        let (mut before, mut after) = (place, place);
        before[axis] -= 1;
        after[axis] += 1;
        let (earlier, later) = (time(before), time(after));
        if earlier <= later { (before, earlier) } else { (after, later) }
    };
    let mut way = [0.0; 3];
    let mut first = None;
    let mut axes = 0;
    for axis in 0..AXES {
        let (there, then) = along([0; 3], axis);
        if then < here {
            way[axis] = there[axis] as f64 * (here - then);
            first = Some((axis, there, then));
            axes += 1;
        }
    }
    if let (1, Some((axis, there, then))) = (axes, first) {
        for across in (0..AXES).filter(|&across| across != axis) {
            let (beyond, earliest) = along(there, across);
            if earliest < then {
                way[across] = beyond[across] as f64 * (then - earliest).min(here - then);
            }
        }
    }
    unit(way)
}

/// A vector of length 1, or 0.
fn unit(way: [f64; 3]) -> [f64; 3] {
    let length = way.iter().map(|w| w * w).sum::<f64>().sqrt();
    if length > 0.0 { way.map(|w| w / length) } else { way }
}

pub(crate) fn entry(time: i32, cell: usize) -> u64 {
    u64::from(time as u32) << 32 | cell as u64
}
pub(crate) fn time_of(entry: u64) -> i32 {
    (entry >> 32) as i32
}

/// The neighbours of a cell and what it offers them.
trait Stencil<const N: usize> {
    fn offsets(&self) -> [isize; N];

    /// The times of the neighbours, and those that they would have by the triangles of them, the
    /// cell, whose time is `time`, and the earlier one of its neighbours to each side; `each` is
    /// what they take.
    fn offers(
        &self,
        times: &[i32],
        cell: usize,
        time: i32,
        each: &[i32; N],
    ) -> ([i32; N], [i32; N]);
}

struct Flat {
    row: usize,
}

impl Stencil<4> for Flat {
    fn offsets(&self) -> [isize; 4] {
        [-(self.row as isize), -1, 1, self.row as isize]
    }

    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn offers(
        &self,
        times: &[i32],
        cell: usize,
        time: i32,
        each: &[i32; 4],
    ) -> ([i32; 4], [i32; 4]) {
        let row = self.row;
        let around = &times[cell - row..=cell + row];
        let [up, left, right, down] = [0, row - 1, row + 1, 2 * row].map(|i| around[i]);
        let (beside, above) = (left.min(right), up.min(down));
        // Exact whole numbers.
        let (beside, above) = ((time - beside) as f32, (time - above) as f32);
        let mut new = [0; 4];
        for (k, lead) in [beside, above, above, beside].into_iter().enumerate() {
            let each = each[k] as f32;
            new[k] = time.wrapping_add(rounded(through_edge(lead, each)));
        }
        ([up, left, right, down], new)
    }
}

/// [`Flat`] where all cells take [`UNIT`]: leads are whole numbers, so what follows from them is
/// known.
struct Even<'a> {
    row: usize,
    after: &'a [i32; UNIT as usize + 1],
}

impl Stencil<4> for Even<'_> {
    fn offsets(&self) -> [isize; 4] {
        Flat { row: self.row }.offsets()
    }

    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn offers(&self, times: &[i32], cell: usize, time: i32, _: &[i32; 4]) -> ([i32; 4], [i32; 4]) {
        let row = self.row;
        let around = &times[cell - row..=cell + row];
        let [up, left, right, down] = [0, row - 1, row + 1, 2 * row].map(|i| around[i]);
        let [beside, above] = [left.min(right), up.min(down)]
            .map(|side| time + self.after[(time - side).clamp(0, UNIT) as usize]);
        ([up, left, right, down], [beside, above, above, beside])
    }
}

/// How long after a cell its neighbour is reached, that takes `each`, if a cell to its side was
/// reached `lead` before it.
#[allow(clippy::inline_always)] // called, no two are computed at once
#[inline(always)]
fn through_edge(lead: f32, each: f32) -> f32 {
    let lead = at_most(not_negative(lead), each);
    // Across the edge; or from its far end, along the diagonal.
    let across = not_negative(each * each - lead * lead).sqrt();
    if lead <= each * FRAC_1_SQRT_2 { across } else { SQRT_2 * each - lead }
}

struct Deep {
    row: usize,
    plane: usize,
}

impl Stencil<6> for Deep {
    fn offsets(&self) -> [isize; 6] {
        let (row, plane) = (self.row as isize, self.plane as isize);
        [-plane, -row, -1, 1, row, plane]
    }

    #[allow(clippy::inline_always)] // called, it takes twice as long
    #[inline(always)]
    fn offers(
        &self,
        times: &[i32],
        cell: usize,
        time: i32,
        each: &[i32; 6],
    ) -> ([i32; 6], [i32; 6]) {
        let strides = [1, self.row as isize, self.plane as isize];
        let at = |offset: isize| times[cell.wrapping_add_signed(offset)];
        let mut new = [0; 6];
        for axis in 0..3 {
            // The earliest neighbour to the side, and its earlier neighbour to the other side.
            let [p, q] = [[1, 2], [0, 2], [0, 1]][axis].map(|a: usize| strides[a]);
            let mut side = [(at(-p), -p, q), (at(p), p, q), (at(-q), -q, p), (at(q), q, p)];
            for i in (0..3).rev() {
                if side[i + 1].0 < side[i].0 {
                    side[i] = side[i + 1];
                }
            }
            let (first, along, across) = side[0];
            let second = at(along + across).min(at(along - across));
            let (lead, further) = ((time - first) as f32, first.wrapping_sub(second) as f32);
            for k in [2 - axis, 3 + axis] {
                let after = through_face(lead, further, each[k] as f32);
                new[k] = time.wrapping_add(rounded(after));
            }
        }
        (self.offsets().map(at), new)
    }
}

/// [`through_edge`] of a tetrahedron: a cell to the side of that cell, further to the side than it
/// is, was reached `further` before it.
#[allow(clippy::inline_always)] // called, no two are computed at once
#[inline(always)]
fn through_face(lead: f32, further: f32, each: f32) -> f32 {
    let lead = at_most(not_negative(lead), each);
    let further = not_negative(further);
    let square = each * each;
    // Across the face, if the way lies within it; or its edge without the cell; or that edge's end.
    let within = at_most(further, lead);
    let across = not_negative(square - lead * lead - within * within).sqrt();
    let edge = SQRT_2 * not_negative(square - further * further).sqrt() - lead;
    let end = SQRT_3 * each - lead - further;
    let beyond = if SQRT_3 * further <= each { edge } else { end };
    let after = if across >= lead { across } else { beyond };
    // Where speeds differ, leads may be longer than what the cell takes.
    let least = (SQRT_3 - SQRT_2) * each;
    if after > least { after } else { least }
}

/// 3D's diagonal of a cell.
const SQRT_3: f32 = 1.732_050_8;

fn at_most(x: f32, most: f32) -> f32 {
    if x < most { x } else { most }
}

fn not_negative(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// The nearest whole number, of a number from 0 to 2^22.
fn rounded(x: f32) -> i32 {
    // Where numbers lie 1 apart; what has no meaning is never taken.
    const WHOLE: f32 = (1 << 23) as f32;
    ((not_negative(x) + WHOLE).to_bits() as i32).wrapping_sub(WHOLE.to_bits() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;
    use ndarray::Ix2;

    /// Rows of every length, with walls, cells not reached, ties and a limit among the times.
    #[test]
    fn ways_have_the_same_bits_with_every_instruction_set() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for nx in 1..70 {
            let medium = Medium::<Ix2>::builder([3, nx]).build().unwrap();
            let mut march = March::new(&medium.layout);
            for time in &mut march.times {
                *time = match random(8) {
                    0 => WALL,
                    1 => UNREACHED,
                    _ => 320 * random(4) as i32 + random(320) as i32,
                };
            }
            (march.limit, march.solved) = (900, true);
            let at = march.layout.index([0, 1, 0]);
            let ways = |simd| {
                let mut ways = vec![Vec2::ZERO; nx];
                march.flat_ways::<Ix2>(simd, at, &mut ways);
                ways.iter().map(|way| way.to_array().map(f32::to_bits)).collect::<Vec<_>>()
            };
            let expected = ways(Simd::Scalar);
            assert!(Simd::available().all(|simd| ways(simd) == expected), "{nx} cells");
        }
    }
}
