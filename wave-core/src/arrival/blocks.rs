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
//! * A row is worked out again if one of its cells can depend on a cell that changed: if times grow
//!   from the changed cell to it, over cells between that are neighbours, and the last of these is
//!   earlier by the least that a cell takes. Rows of other blocks are asked for by the same rule, a
//!   face or an edge at once. A block that no wave has come to is only told that one comes: it will
//!   be worked out whole, and no other block reads its cells before.

mod border;
mod rows;
#[cfg(test)]
mod tests;
mod turn;

use super::eight::{Eight, Lanes, Plain};
use super::march::{LATEST, UNIT, UNREACHED, WALL as MARCH_WALL, time_of};
#[cfg(feature = "rayon")]
use crate::crew;
use crate::grid::{Layout, Map};
#[cfg(feature = "rayon")]
use crate::parallel::lock;
use crate::parallel::{each, is_shared};
use crate::simd::Simd;
use rows::Work;
use std::borrow::BorrowMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;
use std::ops::Range;
#[cfg(feature = "rayon")]
use std::sync::Mutex;

/// Cells from which on blocks take less time than a march: by one thread and by several, where
/// walls are few, among walls, and where walls are many. Blocks are worked out again where walls
/// throw shadows.
const ENOUGH: [[usize; 2]; 3] = [[1 << 16, 1 << 18], [1 << 21, 1 << 20], [1 << 24, 1 << 22]];
/// The fewest cells for blocks where a march may stop early.
const ENOUGH_FOR_GOALS: usize = 1 << 22;
/// Walls are few where a row meets one in so many cells or more, and many where it does so in less
/// than the second number of cells.
const WALLS_APART: [usize; 2] = [40, 8];

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

/// The bit of the block in the middle among 27.
const CENTRAL: u32 = 1 << 13;

/// Which of 27 blocks lies over the face at an end of an axis.
const fn over_face(axis: usize, end: usize) -> usize {
    if end == 0 { 13 - BESIDE[axis] } else { 13 + BESIDE[axis] }
}

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
    #[allow(clippy::vec_box)] // lent to threads one by one
    times: Vec<Box<Block>>,
    /// The earliest time in each face of a block, at the beginning and the end of z, of y and of x.
    soonest: Vec<[i32; 6]>,
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
    /// Whether a block was ever worked out.
    touched: Vec<bool>,
}

/// The data that a block is worked out from.
struct Around<'a> {
    /// Times of the block's neighbours; those of the block, in the middle, are lent out.
    times: [&'a Block; 27],
    slowness: Option<&'a Block>,
    /// The earliest time beyond the faces at the beginning and the end of z, of y and of x.
    earliest: [i32; 6],
    asked: [Face; 6],
    /// Which of these blocks have no times yet.
    untouched: u32,
    seeds: &'a [Seed],
}

/// What is worked out of one block.
#[derive(Clone, Debug)]
struct Found {
    /// The block's times, which are worked out here.
    times: Box<Block>,
    /// Whether any of them has changed; if not, the others say nothing.
    has_changed: bool,
    /// The earliest time in each face.
    soonest: [i32; 6],
    /// Whether a time is so late that only a march can find it.
    is_too_late: bool,
    asks: Asks,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            times: Box::new([FAR; CELLS]),
            has_changed: false,
            soonest: [FAR; 6],
            is_too_late: false,
            asks: Asks::default(),
        }
    }
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

/// What threads share that work blocks out at once.
#[cfg(feature = "rayon")]
struct SideBySide<'a> {
    blocks: &'a mut Blocks,
    /// Blocks of which no two are neighbours, for each of eight rounds.
    rounds: [Vec<u32>; 8],
    round: usize,
    /// The results of this round.
    found: Vec<Mutex<Found>>,
}

#[cfg(feature = "rayon")]
impl SideBySide<'_> {
    /// Shares the next blocks, of which the first is due then, out among the rounds.
    fn gather(&mut self, due: i32) {
        while self.blocks.next_due().is_some_and(|next| next - due < AT_ONCE) {
            let Some(Reverse((_, block))) = self.blocks.queue.pop() else { break };
            self.blocks.due[block as usize] = i32::MAX;
            let [z, y, x] = self.blocks.position(block as usize);
            self.rounds[4 * (z % 2) + 2 * (y % 2) + x % 2].push(block);
        }
    }

    /// Returns the number of blocks in a round.
    fn begin(&mut self, round: usize) -> usize {
        self.round = round;
        let round = &self.rounds[round];
        self.found.resize_with(round.len().max(self.found.len()), Mutex::default);
        for (&block, found) in round.iter().zip(&self.found) {
            // This also answers the asks of the meantime.
            self.blocks.due[block as usize] = i32::MAX;
            self.blocks.exchange(block as usize, &mut lock(found));
        }
        round.len()
    }

    fn end(&mut self) -> Result<(), TooFar> {
        let round = &mut self.rounds[self.round];
        for (&block, found) in round.iter().zip(&self.found) {
            self.blocks.exchange(block as usize, &mut lock(found));
        }
        for (block, found) in round.drain(..).zip(&self.found) {
            self.blocks.take_over(block as usize, &lock(found))?;
        }
        Ok(())
    }
}

impl Blocks {
    /// Whether a grid is deep and hardly smaller than the blocks that hold it, and blocks take less
    /// time than a march, which reads less of it if its goals lie near.
    pub(super) fn suit(map: &Map, layout: &Layout, has_goals: bool) -> bool {
        let cells = |cells: &usize| cells.next_multiple_of(SIDE) as u64;
        let held: u64 = layout.size.iter().map(cells).product();
        let count = layout.count();
        let least = if has_goals { ENOUGH_FOR_GOALS } else { ENOUGH[0][0] };
        if layout.size[0] == 1 || held / 2 > count as u64 || count < least {
            return false;
        }
        // A row goes into a wall and out of it.
        let apart = 2 * map.open_cells() / map.open().edges().max(1);
        let many = WALLS_APART.iter().filter(|&&enough| apart < enough).count();
        count >= ENOUGH[many][usize::from(is_shared())]
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
        // Cells beyond the grid stay walls.
        self.times.resize_with(blocks, || Box::new([WALL; CELLS]));
        self.slowness.clear();
        if !slowness.is_empty() {
            self.slowness.resize(blocks, [UNIT; CELLS]);
        }
        self.asked.clear();
        self.asked.resize(blocks, [0; 6]);
        self.due.clear();
        self.due.resize(blocks, i32::MAX);
        self.soonest.clear();
        self.soonest.resize(blocks, [FAR; 6]);
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
                let (whole, rest) = times[cells.start - before..cells.end - before].as_chunks_mut();
                for (to, (from, &is_touched)) in whole.iter_mut().zip(blocks.clone()) {
                    if is_touched {
                        *to = row_of(from, at).map(time);
                    }
                }
                if let Some((from, &true)) = blocks.clone().nth(whole.len()) {
                    rest.iter_mut().zip(row_of(from, at)).for_each(|(to, &from)| *to = time(from));
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
        let (mut work, mut found) = (Box::<Work>::default(), Box::<Found>::default());
        while let Some(due) = self.next_due() {
            if let Some(end) = ended(self, due, &mut is_enough)? {
                return Ok(Some(end));
            }
            let Some(Reverse((_, block))) = self.queue.pop() else { break };
            self.due[block as usize] = i32::MAX;
            self.exchange(block as usize, &mut found);
            self.work_out(block as usize, simd, &mut work, &mut found);
            self.exchange(block as usize, &mut found);
            self.take_over(block as usize, &found)?;
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
        let shared =
            SideBySide { blocks: self, rounds: Default::default(), round: 0, found: Vec::new() };
        let act = |all: &SideBySide<'_>, work: &mut Box<Work>, n: usize| {
            let block = all.rounds[all.round][n] as usize;
            all.blocks.work_out(block, simd, work, &mut lock(&all.found[n]));
        };
        crew::lead(shared, Box::default, act, |leader| {
            loop {
                let mut all = leader.state();
                let Some(due) = all.blocks.next_due() else {
                    return Ok(is_enough(all.blocks, FAR));
                };
                if let Some(end) = ended(all.blocks, due, &mut is_enough)? {
                    return Ok(Some(end));
                }
                all.gather(due);
                drop(all);
                for round in 0..8 {
                    let count = leader.state().begin(round);
                    leader.round(count);
                    leader.state().end()?;
                }
            }
        })
    }

    /// Lends a block's times to those who work it out, or takes them back. No other block that is
    /// worked out meanwhile reads them.
    fn exchange(&mut self, block: usize, found: &mut Found) {
        mem::swap(&mut self.times[block], &mut found.times);
    }

    /// A block along z, y, x.
    fn position(&self, block: usize) -> [usize; 3] {
        let [_, ny, nx] = self.size;
        [block / nx / ny, block / nx % ny, block % nx]
    }

    /// Works out the rows of a block that were asked for.
    #[allow(unsafe_code)]
    fn work_out(&self, block: usize, simd: Simd, work: &mut Work, found: &mut Found) {
        #[cfg(target_arch = "x86_64")]
        if simd >= Simd::Avx2 {
            // SAFETY: the feature was detected, or the set would have been refused.
            return unsafe { self.work_out_by_avx2(block, work, found) };
        }
        let _ = simd;
        self.work_out_by::<Plain>(block, work, found);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn work_out_by_avx2(&self, block: usize, work: &mut Work, found: &mut Found) {
        self.work_out_by::<super::eight::Avx2>(block, work, found);
    }

    #[allow(clippy::inline_always)] // into the code for each instruction set
    #[inline(always)]
    fn work_out_by<E: Eight>(&self, block: usize, work: &mut Work, found: &mut Found) {
        const OUTSIDE: &Block = &[WALL; CELLS];
        const UNTOUCHED: &Block = &[FAR; CELLS];
        let (mut times, mut untouched) = ([OUTSIDE; 27], 0);
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
                    let beside = self.beside(block, k);
                    if self.touched[beside] {
                        times[k] = &self.times[beside];
                    } else {
                        // Far from the cache as it may be, it is not read.
                        (times[k], untouched) = (UNTOUCHED, untouched | 1 << k);
                    }
                }
            }
        }
        let first = self.seeds.partition_point(|seed| (seed.block as usize) < block);
        let seeds = &self.seeds[first..];
        let seeds = &seeds[..seeds.iter().take_while(|s| s.block as usize == block).count()];
        let around = Around {
            earliest: self.earliest_beside(block, is_there),
            times,
            slowness: self.slowness.get(block),
            asked: self.asked[block],
            untouched,
            seeds,
        };
        let [z, y, x] = [0, 1, 2].map(|a| around.earliest[2 * a].min(around.earliest[2 * a + 1]));
        // Rows lie along the axis whose faces the wave reaches last: there it moves least.
        if x >= y && x >= z {
            rows::work_out::<E, 2>(&around, work, found);
        } else if y >= z {
            rows::work_out::<E, 1>(&around, work, found);
        } else {
            rows::work_out::<E, 0>(&around, work, found);
        }
    }

    /// The earliest time beyond the faces at the beginning and the end of z, of y and of x. A block
    /// beside it `is_there` for an axis and a place from 0 to 2.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn earliest_beside(&self, block: usize, is_there: impl Fn(usize, usize) -> bool) -> [i32; 6] {
        std::array::from_fn(|face| {
            let (axis, end) = (face / 2, face % 2);
            let opposite = 2 * axis + (1 - end);
            if is_there(axis, 2 * end) {
                self.soonest[self.beside(block, over_face(axis, end))][opposite]
            } else {
                FAR
            }
        })
    }

    /// The number of a block's neighbour, `k` of 27.
    fn beside(&self, block: usize, k: usize) -> usize {
        let [_, ny, nx] = self.size;
        let [z, y, x] = [k / 9, k / 3 % 3, k % 3];
        block + (z * ny + y) * nx + x - ((ny + 1) * nx + 1)
    }

    /// Takes over what a block asks for, and the earliest times of its faces.
    fn take_over(&mut self, block: usize, found: &Found) -> Result<(), TooFar> {
        self.asked[block] = [0; 6];
        self.touched[block] = true;
        if !found.has_changed {
            return Ok(());
        }
        if found.is_too_late {
            return Err(TooFar);
        }
        self.soonest[block] = found.soonest;
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
fn take(
    blocks: &mut [impl BorrowMut<Block>],
    at: usize,
    from: &[i32],
    number: impl Fn(i32) -> i32,
) {
    let row = at / SIDE;
    let (whole, rest) = from.as_chunks();
    for (to, from) in blocks.iter_mut().zip(whole) {
        // Eight numbers at once: the compiler makes vectors of them.
        to.borrow_mut().as_chunks_mut().0[row] = Lanes::map(*from, &number);
    }
    if let Some(to) = blocks.get_mut(whole.len()) {
        to.borrow_mut()[at..].iter_mut().zip(rest).for_each(|(to, &from)| *to = number(from));
    }
}

/// The row of a block that begins at a cell.
fn row_of(block: &Block, at: usize) -> &Lanes {
    &block.as_chunks().0[at / SIDE]
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
