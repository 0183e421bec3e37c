//! Times of first arrival on deep grids, block by block.
//!
//! A [march](super::march) takes cells in the order of their times. On a deep grid these lie far
//! from each other in memory, and each is looked at alone. Here a block of 8 x 8 x 8 cells is
//! worked on at once, eight cells to a vector, while it lies in the nearest cache.
//!
//! # Why the order does not matter
//! A cell has the least time that its neighbours offer, and an offer depends only on cells that are
//! earlier than the neighbour that makes it (see [`Deep`](super::march)). So the times are the only
//! solution of one equation for each cell: cells may be worked out in any order, with the times
//! that the others have so far, as long as a cell is worked out again when one that it depends on
//! has changed. The result has the bits of a march. The order only decides how often cells are
//! worked out; in the open, about once.
//!
//! # The order
//! * Blocks by when something that changed comes to them: a block is mostly worked on when all that
//!   it will be reached through is known.
//! * In a block, rows of eight cells along the axis along which the wave moves least, so that the
//!   cells of a row do not wait for each other; rows in the order in which the wave reaches them.
//! * A row is worked out again if a cell that changed is earlier, by the least that a cell takes,
//!   than one of its own. A block that was worked on asks for rows of its neighbours the same way,
//!   but more exactly: only where cells of growing times lead there, for each block that is
//!   looked at without need costs as much as a tenth of one that is worked out.

mod border;
mod eight;
mod rows;
mod turn;

use super::march::{LATEST, UNIT, UNREACHED, WALL as MARCH_WALL, time_of};
use crate::grid::Layout;
use crate::simd::Simd;
use eight::{Eight, Plain};
use rows::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Cells of a block along each axis, and in all.
const SIDE: usize = 8;
const CELLS: usize = SIDE * SIDE * SIDE;
/// The time of what has not been reached, and of a wall. Sums of times cannot overflow.
const FAR: i32 = 1 << 30;
const WALL: i32 = FAR + 1;
/// Later than the time of anything that changed, and what is added to it.
const NEVER: i32 = i32::MAX - (1 << 12);
/// The least that a cell is later than one that it is reached through, for the fastest cells.
const LEAST: i32 = 102;
/// Times from here on are left to a march.
const TOO_LATE: i32 = FAR - (i32::MAX - LATEST);

/// How much later than another a block may be due that is worked out at once with it: twice what
/// the fastest cell takes.
#[cfg(feature = "rayon")]
const AT_ONCE: i32 = 2 * UNIT;

/// Eight cells side by side.
type Lanes = [i32; SIDE];
/// Times or slownesses of a block's cells, by z, y and x.
type Block = [i32; CELLS];
/// Rows of a face, or rows to look at: bit 8 a + b, for the places a and b along two axes, the
/// first in the order of z, y and x first.
type Face = u64;

/// Strides from block to block among a block and its 26 neighbours, and from cell to cell, along
/// z, y and x.
const BESIDE: [usize; 3] = [9, 3, 1];
const STRIDE: [usize; 3] = [64, 8, 1];

/// The axes across which rows along `lane` lie.
const fn across(lane: usize) -> [usize; 2] {
    match lane {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    }
}

/// A cell whose time is given.
#[derive(Clone, Copy, Debug)]
struct Seed {
    block: u32,
    cell: u16,
    time: i32,
}

/// Blocks of a deep grid. Which memory they take is kept from run to run.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// Blocks along z, y, x.
    size: [usize; 3],
    times: Vec<Block>,
    /// What cells take, where it differs.
    slowness: Vec<Block>,
    /// Rows to look at, by what asks for them: the cells of the faces at the beginning and the end
    /// of z, of y and of x.
    asked: Vec<[Face; 6]>,
    /// When that came which asks, `i32::MAX` where nothing does.
    due: Vec<i32>,
    /// Blocks that are due. One that has become due earlier stands there twice.
    queue: BinaryHeap<Reverse<(i32, u32)>>,
    seeds: Vec<Seed>,
    /// Whether anything in a block was worked out.
    touched: Vec<bool>,
}

/// What a block is worked out from.
struct Around<'a> {
    /// Times of the block and its neighbours.
    times: [&'a Block; 27],
    slowness: Option<&'a Block>,
    /// The earliest time beyond the faces at the beginning and the end of z, of y and of x.
    earliest: [i32; 6],
    asked: [Face; 6],
    /// Whether none of its times has been worked out.
    is_fresh: bool,
    seeds: &'a [Seed],
}

/// A block that was worked out.
struct Done {
    block: usize,
    times: Block,
    /// The numbers of it and its neighbours, `u32::MAX` where there are none.
    beside: [u32; 27],
    asks: Asks,
}

/// What a block asks of itself and its neighbours: cells of their faces, and since when.
struct Asks {
    faces: [[Face; 6]; 27],
    due: [i32; 27],
}

impl Blocks {
    /// Whether a grid is deep and hardly smaller than the blocks that hold it.
    pub(super) fn suit(layout: &Layout) -> bool {
        let cells: usize = layout.size.iter().map(|cells| cells.next_multiple_of(SIDE)).product();
        layout.size[0] > 1 && cells / 2 <= layout.count()
    }

    /// Works out the times of all open cells, beginning with `seeds` as a queue holds them, and
    /// writes them into `times`, which a `layout` stores and which knows the walls. It stops when
    /// `is_enough` says so of a time before which all is known, and returns that time; `None` if it
    /// did not. `Err` if something lies too far.
    pub(super) fn run(
        &mut self,
        layout: &Layout,
        times: &mut [i32],
        slowness: &[i32],
        seeds: &[u64],
        simd: Simd,
        is_enough: impl FnMut(&Self, i32) -> Option<i32>,
    ) -> Result<Option<i32>, TooFar> {
        self.read(layout, times, slowness);
        self.sow(layout, seeds);
        let ended = self.work(simd, is_enough);
        if ended.is_ok() {
            self.write(layout, times);
        }
        ended
    }

    fn read(&mut self, layout: &Layout, times: &[i32], slowness: &[i32]) {
        self.size = layout.size.map(|cells| cells.div_ceil(SIDE));
        let blocks = self.size.iter().product();
        self.times.clear();
        self.times.resize(blocks, [WALL; CELLS]);
        self.slowness.clear();
        if !slowness.is_empty() {
            self.slowness.resize(blocks, [UNIT; CELLS]);
        }
        self.asked.clear();
        self.asked.resize(blocks, [0; 6]);
        self.due.clear();
        self.due.resize(blocks, i32::MAX);
        self.touched.clear();
        self.touched.resize(blocks, false);
        self.queue.clear();
        each_row(layout, self.size, |block, at, cells| {
            take(&mut self.times[block], at, &times[cells.clone()], |time| {
                FAR + i32::from(time == MARCH_WALL)
            });
            if let Some(to) = self.slowness.get_mut(block) {
                take(to, at, &slowness[cells], |each| each);
            }
        });
    }

    fn write(&self, layout: &Layout, times: &mut [i32]) {
        let time = |time: i32| if time < FAR { time } else { UNREACHED + (time - FAR) };
        each_row(layout, self.size, |block, at, cells| {
            let (from, to) = (&self.times[block][at..], &mut times[cells]);
            if !self.touched[block] {
                return;
            }
            if let (Ok(to), Some(from)) = (<&mut Lanes>::try_from(&mut *to), from.first_chunk()) {
                let from: &Lanes = from;
                // So many at once that the compiler makes vectors of them.
                (0..SIDE).for_each(|l| to[l] = time(from[l]));
            } else {
                to.iter_mut().zip(from).for_each(|(to, &from)| *to = time(from));
            }
        });
    }

    fn sow(&mut self, layout: &Layout, seeds: &[u64]) {
        self.seeds.clear();
        for &seed in seeds {
            let (block, cell) = self.place(layout.cell(seed as u32 as usize));
            self.seeds.push(Seed { block: block as u32, cell: cell as u16, time: time_of(seed) });
        }
        self.seeds.sort_unstable_by_key(|seed| (seed.block, seed.cell, seed.time));
        for n in 0..self.seeds.len() {
            let Seed { block, time, .. } = self.seeds[n];
            self.ask(block as usize, [0; 6], time);
        }
    }

    /// The block of a cell, and its place there.
    fn place(&self, cell: [usize; 3]) -> (usize, usize) {
        let [z, y, x] = cell.map(|c| c / SIDE);
        let block = (z * self.size[1] + y) * self.size[2] + x;
        (block, (0..3).map(|axis| cell[axis] % SIDE * STRIDE[axis]).sum())
    }

    /// The time of a cell.
    pub(super) fn time(&self, cell: [usize; 3]) -> i32 {
        let (block, place) = self.place(cell);
        self.times[block][place]
    }

    fn ask(&mut self, block: usize, faces: [Face; 6], due: i32) {
        self.asked[block].iter_mut().zip(faces).for_each(|(asked, face)| *asked |= face);
        if due < self.due[block] {
            self.due[block] = due;
            self.queue.push(Reverse((due, block as u32)));
        }
    }

    fn work(
        &mut self,
        simd: Simd,
        mut is_enough: impl FnMut(&Self, i32) -> Option<i32>,
    ) -> Result<Option<i32>, TooFar> {
        #[cfg(feature = "rayon")]
        if rayon::current_num_threads() > 1 {
            return self.work_side_by_side(simd, is_enough);
        }
        let mut work = Box::<Work>::default();
        while let Some(due) = self.next_due() {
            if let Some(end) = ended(self, due, &mut is_enough)? {
                return Ok(Some(end));
            }
            let Some(Reverse((_, block))) = self.queue.pop() else { break };
            self.due[block as usize] = i32::MAX;
            let done = self.work_out(block as usize, simd, &mut work);
            self.asked[block as usize] = [0; 6];
            self.take_over(done);
        }
        Ok(None)
    }

    /// When the block is due whose turn it is, without those that were due earlier and are done.
    fn next_due(&mut self) -> Option<i32> {
        while let Some(&Reverse((due, block))) = self.queue.peek() {
            if due == self.due[block as usize] {
                return Some(due);
            }
            self.queue.pop();
        }
        None
    }

    /// [`Blocks::work`] by all threads of the pool: blocks that are due at about the same time and
    /// of which no two are neighbours are worked out at once.
    #[cfg(feature = "rayon")]
    fn work_side_by_side(
        &mut self,
        simd: Simd,
        mut is_enough: impl FnMut(&Self, i32) -> Option<i32>,
    ) -> Result<Option<i32>, TooFar> {
        use rayon::prelude::*;
        let mut together: [Vec<u32>; 8] = Default::default();
        let mut done: Vec<Option<Done>> = Vec::new();
        while let Some(due) = self.next_due() {
            if let Some(end) = ended(self, due, &mut is_enough)? {
                return Ok(Some(end));
            }
            while self.next_due().is_some_and(|next| next - due < AT_ONCE) {
                let Some(Reverse((_, block))) = self.queue.pop() else { break };
                self.due[block as usize] = i32::MAX;
                let [z, y, x] = self.position(block as usize);
                together[4 * (z % 2) + 2 * (y % 2) + x % 2].push(block);
            }
            for blocks in &mut together {
                // What was asked in the meantime is answered, too.
                blocks.iter().for_each(|&block| self.due[block as usize] = i32::MAX);
                let all = &*self;
                blocks
                    .par_iter()
                    .with_min_len(2)
                    .map_init(Box::<Work>::default, |work, &block| {
                        all.work_out(block as usize, simd, work)
                    })
                    .collect_into_vec(&mut done);
                blocks.drain(..).for_each(|block| self.asked[block as usize] = [0; 6]);
                done.drain(..).for_each(|done| self.take_over(done));
            }
        }
        Ok(None)
    }

    /// A block along z, y, x.
    fn position(&self, block: usize) -> [usize; 3] {
        let [_, ny, nx] = self.size;
        [block / nx / ny, block / nx % ny, block % nx]
    }

    /// Works out what was asked for of a block.
    #[allow(unsafe_code)]
    fn work_out(&self, block: usize, simd: Simd, work: &mut Work) -> Option<Done> {
        #[cfg(target_arch = "x86_64")]
        if simd >= Simd::Avx2 {
            // SAFETY: the feature was detected, or the set would have been refused.
            return unsafe { self.work_out_by_avx2(block, work) };
        }
        let _ = simd;
        self.work_out_by::<Plain>(block, work)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn work_out_by_avx2(&self, block: usize, work: &mut Work) -> Option<Done> {
        self.work_out_by::<eight::Avx2>(block, work)
    }

    #[allow(clippy::inline_always)] // into the code for each instruction set
    #[inline(always)]
    fn work_out_by<E: Eight>(&self, block: usize, work: &mut Work) -> Option<Done> {
        const OUTSIDE: &Block = &[WALL; CELLS];
        let [z, y, x] = self.position(block);
        let [nz, ny, nx] = self.size;
        let mut beside = [u32::MAX; 27];
        let mut times = [OUTSIDE; 27];
        for k in 0..27 {
            let [z, y, x] = [z + k / 9, y + k / 3 % 3, x + k % 3];
            if z > 0 && z <= nz && y > 0 && y <= ny && x > 0 && x <= nx {
                let number = ((z - 1) * ny + y - 1) * nx + x - 1;
                beside[k] = number as u32;
                times[k] = &self.times[number];
            }
        }
        let first = self.seeds.partition_point(|seed| (seed.block as usize) < block);
        let seeds = &self.seeds[first..];
        let seeds = &seeds[..seeds.iter().take_while(|s| s.block as usize == block).count()];
        let around = Around {
            earliest: border::earliest::<E>(&times),
            times,
            slowness: self.slowness.get(block),
            asked: self.asked[block],
            is_fresh: !self.touched[block],
            seeds,
        };
        let mut asks = Asks { faces: [[0; 6]; 27], due: [i32::MAX; 27] };
        let [z, y, x] = [0, 1, 2].map(|a| around.earliest[2 * a].min(around.earliest[2 * a + 1]));
        let mut times = self.times[block];
        // Rows lie along the axis along which least is earlier: there the wave moves least.
        let changed = if x >= y && x >= z {
            rows::work_out::<E, 2>(&around, work, &mut asks, &mut times)
        } else if y >= z {
            rows::work_out::<E, 1>(&around, work, &mut asks, &mut times)
        } else {
            rows::work_out::<E, 0>(&around, work, &mut asks, &mut times)
        };
        changed.then_some(Done { block, times, beside, asks })
    }

    /// Takes the new times of a block over, and what it asks of others.
    fn take_over(&mut self, done: Option<Done>) {
        let Some(Done { block, times, beside, asks }) = done else { return };
        self.times[block] = times;
        self.touched[block] = true;
        for (k, number) in beside.into_iter().enumerate() {
            if asks.due[k] != i32::MAX && number != u32::MAX {
                self.ask(number as usize, asks.faces[k], asks.due[k]);
            }
        }
    }
}

/// Until when all is known, if that is enough; before `due` it is.
fn ended(
    blocks: &Blocks,
    due: i32,
    is_enough: &mut impl FnMut(&Blocks, i32) -> Option<i32>,
) -> Result<Option<i32>, TooFar> {
    if due >= TOO_LATE { Err(TooFar) } else { Ok(is_enough(blocks, due)) }
}

/// Writes numbers of a row, eight at most, into a block.
fn take(to: &mut Block, at: usize, from: &[i32], number: impl Fn(i32) -> i32) {
    let to = &mut to[at..][..SIDE];
    if let (Ok(from), Ok(to)) = (<&Lanes>::try_from(from), <&mut Lanes>::try_from(&mut *to)) {
        // So many at once that the compiler makes vectors of them.
        (0..SIDE).for_each(|l| to[l] = number(from[l]));
    } else {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = number(from));
    }
}

/// Something lies further than blocks have numbers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooFar;

/// All rows of all blocks: the number of the block, where the row begins there, and its cells as a
/// `layout` stores them.
fn each_row(
    layout: &Layout,
    blocks: [usize; 3],
    mut row: impl FnMut(usize, usize, std::ops::Range<usize>),
) {
    let [nz, ny, nx] = layout.size;
    for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
        let first = layout.index([z, y, 0]);
        let block = (z / SIDE * blocks[1] + y / SIDE) * blocks[2];
        let at = z % SIDE * STRIDE[0] + y % SIDE * STRIDE[1];
        for n in 0..blocks[2] {
            let x = n * SIDE;
            row(block + n, at, first + x..first + nx.min(x + SIDE));
        }
    }
}
