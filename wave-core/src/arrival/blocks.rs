//! Times of first arrival on deep grids, block by block.
//!
//! A [march](super::march) takes cells in the order of their times. On a deep grid these cells lie
//! far from each other in memory, and each is looked at alone. Here a block of 8 x 8 x 8 cells is
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
//! * Blocks come in the order in which changes reach them: mostly, all cells that a block is
//!   reached through are known when its turn comes.
//! * In a block, rows of eight cells lie along the axis along which the wave moves least, so that
//!   the cells of a row do not wait for each other. Rows come in the order in which the wave
//!   reaches them.
//! * A row is worked out again if a cell that changed is earlier, by the least that a cell takes,
//!   than one of its own. A block that was worked on asks for rows of its neighbours by a stricter
//!   rule: only where cells of growing times lead there. A block that is looked at without need
//!   costs a tenth of one that is worked out.

mod border;
mod rows;
#[cfg(test)]
mod tests;
mod turn;

use super::eight::{Eight, Lanes, Plain};
use super::march::{LATEST, UNIT, UNREACHED, WALL as MARCH_WALL, time_of};
use crate::grid::Layout;
use crate::parallel::each;
#[cfg(feature = "rayon")]
use crate::parallel::is_shared;
use crate::simd::Simd;
use rows::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Cells from which on blocks take less time than a march, by several threads or without walls. One
/// thread with 10 % walls takes 1.3 times as long at 128^3, 1.1 times at 256^3, 0.7 times at 400^3.
const ENOUGH: usize = 1 << 22;

/// Cells of a block along each axis, and in all.
const SIDE: usize = 8;
const CELLS: usize = SIDE * SIDE * SIDE;
/// The time of a cell that has not been reached, and of a wall. Sums of times cannot overflow.
const FAR: i32 = 1 << 30;
const WALL: i32 = FAR + 1;
/// Later than the time of any changed cell. What is added to it does not overflow.
const NEVER: i32 = i32::MAX - (1 << 12);
/// The least that a cell is later than one that it is reached through, for the fastest cells.
const LEAST: i32 = 102;
/// Times from here on are left to a march.
const TOO_LATE: i32 = FAR - (i32::MAX - LATEST);

/// Blocks are worked out together if they are due at most so much apart: twice what the fastest
/// cell takes.
#[cfg(feature = "rayon")]
const AT_ONCE: i32 = 2 * UNIT;

/// Times or slownesses of a block's cells, by z, y and x.
type Block = [i32; CELLS];
/// Cells of a face, or rows to look at: bit 8 a + b for the places a and b along two axes, which
/// are in the order of z, y and x.
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

/// Blocks of a deep grid. Their memory is kept from run to run.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// Blocks along z, y, x.
    size: [usize; 3],
    times: Vec<Block>,
    /// The time that each cell takes; empty where all take the same.
    slowness: Vec<Block>,
    /// The cells to look at of each block's faces: those at the beginning and the end of z, of y
    /// and of x.
    asked: Vec<[Face; 6]>,
    /// The earliest time of a change that asks for this block; `i32::MAX` where none does.
    due: Vec<i32>,
    /// Blocks that are due. A block whose due time became earlier is in the queue twice.
    queue: BinaryHeap<Reverse<(i32, u32)>>,
    seeds: Vec<Seed>,
    /// Whether any cell of a block was worked out.
    touched: Vec<bool>,
}

/// The data that a block is worked out from.
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

/// The results for one block.
#[derive(Clone, Debug)]
struct Found {
    times: Block,
    /// Whether a time is so late that only a march can find it.
    is_too_late: bool,
    asks: Asks,
}

/// Cells that a block asks its neighbours to look at: some of a face of each, and the earliest time
/// of a change there.
#[derive(Clone, Debug)]
struct Asks {
    /// Which of 27 blocks are asked.
    blocks: u32,
    /// By [`FACE_TOWARD`].
    faces: [Face; 27],
    due: [i32; 27],
}

/// The face of a neighbour on which a block collects the cells that it asks for: a face where the
/// two blocks meet.
const FACE_TOWARD: [usize; 27] = {
    let mut faces = [0; 27];
    let mut k = 0;
    while k < 27 {
        let mut axis = 3;
        while axis > 0 {
            axis -= 1;
            match k / BESIDE[axis] % 3 {
                0 => faces[k] = 2 * axis + 1,
                2 => faces[k] = 2 * axis,
                _ => {}
            }
        }
        k += 1;
    }
    faces
};

impl Default for Asks {
    fn default() -> Self {
        Self { blocks: 0, faces: [0; 27], due: [i32::MAX; 27] }
    }
}

impl Asks {
    /// Asks block `k` of 27 for `cells` of its face.
    fn add(&mut self, k: usize, cells: Face, due: i32) {
        self.blocks |= 1 << k;
        self.faces[k] |= cells;
        self.due[k] = self.due[k].min(due);
    }
}

impl Blocks {
    /// Whether a grid is deep, large enough, and hardly smaller than the blocks that hold it.
    pub(super) fn suit(layout: &Layout) -> bool {
        let cells = |cells: &usize| cells.next_multiple_of(SIDE) as u64;
        let held: u64 = layout.size.iter().map(cells).product();
        let count = layout.count();
        layout.size[0] > 1 && held / 2 <= count as u64 && count >= ENOUGH
    }

    /// Whether no block was ever worked out.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Works out the times of all open cells, beginning with `seeds` in a queue's format, and
    /// writes them into `times`, which are stored as `layout` says and have the walls. It stops
    /// when `is_enough` accepts a time before which all times are known, and returns that time;
    /// `None` if it never stopped. `Err` if a cell lies too far.
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
        let apart = self.size[1] * self.size[2];
        let Self { size, times: to, slowness: to_slowness, .. } = self;
        let planes = to.chunks_mut(apart).enumerate().collect();
        each(planes, |(z, to)| {
            each_row(layout, *size, z, |blocks, at, cells| {
                take(&mut to[blocks], at, &times[cells], |time| {
                    FAR + i32::from(time == MARCH_WALL)
                });
            });
        });
        let planes = to_slowness.chunks_mut(apart).enumerate().collect();
        each(planes, |(z, to)| {
            each_row(layout, *size, z, |blocks, at, cells| {
                take(&mut to[blocks], at, &slowness[cells], |each| each);
            });
        });
    }

    fn write(&self, layout: &Layout, times: &mut [i32]) {
        // Without a branch, so that the compiler makes vectors of it.
        let time = |time: i32| time + (-i32::from(time >= FAR) & (UNREACHED - FAR));
        let apart = self.size[1] * self.size[2];
        let blocks = self.times.chunks(apart).zip(self.touched.chunks(apart));
        let planes = times[layout.lead..].chunks_mut(SIDE * layout.plane).zip(blocks);
        each(planes.enumerate().collect(), |(z, (times, (from, touched)))| {
            let before = layout.lead + z * SIDE * layout.plane;
            each_row(layout, self.size, z, |blocks, at, cells| {
                let blocks = from[blocks.clone()].iter().zip(&touched[blocks]);
                let cells = cells.start - before..cells.end - before;
                for ((from, &is_touched), to) in blocks.zip(times[cells].chunks_mut(SIDE)) {
                    if !is_touched {
                        continue;
                    }
                    let from: &Lanes = from[at..].first_chunk().expect("a row has eight cells");
                    if let Ok(to) = <&mut Lanes>::try_from(&mut *to) {
                        (0..SIDE).for_each(|l| to[l] = time(from[l]));
                    } else {
                        to.iter_mut().zip(from).for_each(|(to, &from)| *to = time(from));
                    }
                }
            });
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
            self.ask(block as usize, 0, 0, time);
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

    /// Asks a block for cells of a face.
    fn ask(&mut self, block: usize, face: usize, cells: Face, due: i32) {
        self.asked[block][face] |= cells;
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
        if is_shared() {
            return self.work_side_by_side(simd, is_enough);
        }
        let mut work = Box::<Work>::default();
        while let Some(due) = self.next_due() {
            if let Some(end) = ended(self, due, &mut is_enough)? {
                return Ok(Some(end));
            }
            let Some(Reverse((_, block))) = self.queue.pop() else { break };
            self.due[block as usize] = i32::MAX;
            let has_changed = self.work_out(block as usize, simd, &mut work);
            self.asked[block as usize] = [0; 6];
            if has_changed {
                self.take_over(block as usize, &work.found)?;
            }
        }
        Ok(is_enough(self, FAR))
    }

    /// When the next block is due. Removes entries of blocks that are done from the queue.
    fn next_due(&mut self) -> Option<i32> {
        while let Some(&Reverse((due, block))) = self.queue.peek() {
            if due == self.due[block as usize] {
                return Some(due);
            }
            self.queue.pop();
        }
        None
    }

    /// [`Blocks::work`] by all threads of the pool: those that are due at about the same time are
    /// worked out at once, if no two of them are neighbours.
    #[cfg(feature = "rayon")]
    fn work_side_by_side(
        &mut self,
        simd: Simd,
        mut is_enough: impl FnMut(&Self, i32) -> Option<i32>,
    ) -> Result<Option<i32>, TooFar> {
        use rayon::prelude::*;
        let mut together: [Vec<u32>; 8] = Default::default();
        let mut done: Vec<Option<Found>> = Vec::new();
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
                // This also answers the asks of the meantime.
                for &block in &*blocks {
                    self.due[block as usize] = i32::MAX;
                }
                let all = &*self;
                blocks
                    .par_iter()
                    .with_min_len(2)
                    .map_init(Box::<Work>::default, |work, &block| {
                        all.work_out(block as usize, simd, work).then(|| work.found.clone())
                    })
                    .collect_into_vec(&mut done);
                for (block, done) in blocks.drain(..).zip(&done) {
                    self.asked[block as usize] = [0; 6];
                    if let Some(found) = done {
                        self.take_over(block as usize, found)?;
                    }
                }
            }
        }
        Ok(is_enough(self, FAR))
    }

    /// A block along z, y, x.
    fn position(&self, block: usize) -> [usize; 3] {
        let [_, ny, nx] = self.size;
        [block / nx / ny, block / nx % ny, block % nx]
    }

    /// Works out the rows of a block that were asked for, and tells whether any time has changed.
    #[allow(unsafe_code)]
    fn work_out(&self, block: usize, simd: Simd, work: &mut Work) -> bool {
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
    fn work_out_by_avx2(&self, block: usize, work: &mut Work) -> bool {
        self.work_out_by::<super::eight::Avx2>(block, work)
    }

    #[allow(clippy::inline_always)] // into the code for each instruction set
    #[inline(always)]
    fn work_out_by<E: Eight>(&self, block: usize, work: &mut Work) -> bool {
        const OUTSIDE: &Block = &[WALL; CELLS];
        let mut times = [OUTSIDE; 27];
        let position = self.position(block);
        let is_there = |axis: usize, k: usize| match k {
            0 => position[axis] > 0,
            1 => true,
            _ => position[axis] + 1 < self.size[axis],
        };
        for z in (0..3).filter(|&z| is_there(0, z)) {
            for y in (0..3).filter(|&y| is_there(1, y)) {
                for x in (0..3).filter(|&x| is_there(2, x)) {
                    let k = 9 * z + 3 * y + x;
                    times[k] = &self.times[self.beside(block, k)];
                }
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
        let [z, y, x] = [0, 1, 2].map(|a| around.earliest[2 * a].min(around.earliest[2 * a + 1]));
        // Rows lie along the axis whose faces the wave reaches last: there it moves least.
        if x >= y && x >= z {
            rows::work_out::<E, 2>(&around, work)
        } else if y >= z {
            rows::work_out::<E, 1>(&around, work)
        } else {
            rows::work_out::<E, 0>(&around, work)
        }
    }

    /// The number of a block's neighbour, `k` of 27.
    fn beside(&self, block: usize, k: usize) -> usize {
        let [_, ny, nx] = self.size;
        let [z, y, x] = [k / 9, k / 3 % 3, k % 3];
        block + (z * ny + y) * nx + x - ((ny + 1) * nx + 1)
    }

    /// Takes over the new times of a block, and the cells that it asks for.
    fn take_over(&mut self, block: usize, found: &Found) -> Result<(), TooFar> {
        if found.is_too_late {
            return Err(TooFar);
        }
        self.times[block] = found.times;
        self.touched[block] = true;
        let Asks { faces, due, .. } = &found.asks;
        let mut blocks = found.asks.blocks;
        while blocks != 0 {
            let k = blocks.trailing_zeros() as usize;
            blocks &= blocks - 1;
            self.ask(self.beside(block, k), FACE_TOWARD[k], faces[k], due[k]);
        }
        Ok(())
    }
}

/// The time before which all times are known, if that is enough. `due` is such a time.
fn ended(
    blocks: &Blocks,
    due: i32,
    is_enough: &mut impl FnMut(&Blocks, i32) -> Option<i32>,
) -> Result<Option<i32>, TooFar> {
    if due >= TOO_LATE { Err(TooFar) } else { Ok(is_enough(blocks, due)) }
}

/// Writes numbers of a row into the blocks that hold it, from `at` on in each.
fn take(blocks: &mut [Block], at: usize, from: &[i32], number: impl Fn(i32) -> i32) {
    for (to, from) in blocks.iter_mut().zip(from.chunks(SIDE)) {
        let to: &mut Lanes = to[at..].first_chunk_mut().expect("a row has eight cells");
        if let Ok(from) = <&Lanes>::try_from(from) {
            // So many at once that the compiler makes vectors of them.
            (0..SIDE).for_each(|l| to[l] = number(from[l]));
        } else {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = number(from));
        }
    }
}

/// A cell lies further than the numbers of blocks reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooFar;

/// Each row of a plane of blocks: the blocks that hold it, where it begins in them, and its cells
/// as `layout` stores them.
fn each_row(
    layout: &Layout,
    blocks: [usize; 3],
    plane: usize,
    mut row: impl FnMut(Range<usize>, usize, Range<usize>),
) {
    let [nz, ny, nx] = layout.size;
    let planes = plane * SIDE..nz.min((plane + 1) * SIDE);
    for (z, y) in planes.flat_map(|z| (0..ny).map(move |y| (z, y))) {
        let cells = layout.index([z, y, 0]);
        let block = y / SIDE * blocks[2];
        let at = z % SIDE * STRIDE[0] + y % SIDE * STRIDE[1];
        row(block..block + blocks[2], at, cells..cells + nx);
    }
}
