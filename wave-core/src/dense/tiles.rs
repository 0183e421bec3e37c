//! The order in which a wave is stepped so that cells in cache are stepped several times.
//!
//! # The one rule
//! Two buffers hold a wave, and a cell that goes to level t (t steps done) overwrites its own level
//! t - 2. So a cell may go from t - 1 to t whenever each of its neighbours is at t - 1 or at t:
//! then the values that it reads are there, and no cell needs the one that it overwrites. Apart
//! from this, cells may be at different levels, and bits cannot depend on the order.
//!
//! # The order
//! On level k a line l lies in wavefront l + k, and a row or block u across in strip (u + k) /
//! width. Neighbours of level k - 1 have no larger number of either kind, those of level k + 1 no
//! smaller one. So five loops may be nested, from the outermost to the innermost: tiles of strips,
//! parts of levels, wavefronts, strips, levels.

use crate::dense::kernel::{PLANES, ROWS};
use arrayvec::ArrayVec;
use std::ops::Range;

/// Cells of one level: rows of some planes, and blocks of these rows; where a layout joins the rows
/// of a plane, they are one row. Small, since lists of patches lie in cache beside the cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Steps done once it is stepped, from the beginning of the run.
    pub(crate) level: usize,
    pub(crate) planes: Range<u32>,
    pub(crate) rows: Range<u32>,
    pub(crate) blocks: Range<u32>,
}

/// Patches that are stepped at once: all levels of a strip, or some if a tiling has more.
const AT_ONCE: usize = 32;

/// A grid in units of the tiling, and the sizes that fit in cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    pub(crate) planes: usize,
    pub(crate) rows: usize,
    pub(crate) blocks: usize,
    /// Whether a line is a plane, or a row of all planes.
    pub(crate) by_planes: bool,
    /// Levels of a part of a trapezoid, at most.
    pub(crate) levels: usize,
    /// Rows (by planes) or blocks (by rows) of a strip, at least 1. A wavefront takes all levels of
    /// a strip before it goes on to the next one, so that what one level has read is in a
    /// first-level cache for the next.
    pub(crate) strip: usize,
    /// Strips that a wavefront goes through before it moves on, at least 1: they stay in a
    /// second-level cache from level to level. All parts of a tile are stepped before the next
    /// tile, so that it stays in a third-level cache from part to part.
    pub(crate) tile: usize,
}

/// Lines over several levels; with every level, each end moves by one line or none. Numbers of
/// lines fit in 31 bits, as cells do, and are signed, because a wavefront's may be below 0 on the
/// way. The arithmetic must be quick, since patches may be small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trapezoid {
    pub(crate) first_level: usize,
    pub(crate) levels: usize,
    /// The lines of the first level.
    pub(crate) begin: i32,
    pub(crate) end: i32,
    /// How far each end moves with every level: -1, 0 or 1.
    pub(crate) begin_moves: i32,
    pub(crate) end_moves: i32,
}

impl Trapezoid {
    /// The lines of the `i`th level.
    #[inline]
    fn lines(&self, i: i32) -> Range<i32> {
        self.begin + i * self.begin_moves..self.end + i * self.end_moves
    }

    /// The levels from `below` on, `levels` at most.
    fn part(&self, below: usize, levels: usize) -> Self {
        let Range { start: begin, end } = self.lines(below as i32);
        let levels = levels.min(self.levels - below);
        Self { first_level: self.first_level + below, levels, begin, end, ..*self }
    }

    /// Where the wavefronts begin and end, each level being a line behind the one below.
    fn fronts(&self) -> Range<i32> {
        let ends =
            [0, self.levels as i32 - 1].map(|i| [self.lines(i).start + i, self.lines(i).end + i]);
        ends[0][0].min(ends[1][0])..ends[0][1].max(ends[1][1])
    }
}

impl Tiling {
    /// Lines of the grid.
    pub(crate) fn lines(&self) -> usize {
        if self.by_planes { self.planes } else { self.rows }
    }

    /// Lines by which a wavefront moves on: as many as a kernel takes at once; on flat grids twice
    /// as many, so that half as much is loaded again into the first-level cache: 1.1x.
    fn stride(&self) -> usize {
        match self.planes {
            _ if self.by_planes => PLANES,
            1 => 2 * ROWS,
            _ => ROWS,
        }
    }

    /// Steps a trapezoid in an order of patches that keeps the rule within it, some of them at a
    /// time. The second argument of `visit` is whether the first of them is on the first level of a
    /// part, so that its cells have not been stepped for a while.
    pub(crate) fn walk(&self, all: &Trapezoid, mut visit: impl FnMut(&[Patch], bool)) {
        // Parts as equal as they can be.
        let levels = all.levels.div_ceil(all.levels.div_ceil(self.levels));
        let strips = Strips::new(self, all.levels);
        let stride = self.stride();
        for tile in (0..strips.number).step_by(self.tile) {
            for below in (0..all.levels).step_by(levels) {
                let part = all.part(below, levels);
                for front in part.fronts().step_by(stride) {
                    let front = front..front + stride as i32;
                    for strip in tile..strips.number.min(tile + self.tile) {
                        let strip = strips.at(strip, below);
                        self.walk_strip(&part, front.clone(), strip, &mut visit);
                    }
                }
            }
        }
    }

    /// All levels of a strip in a wavefront.
    #[inline]
    fn walk_strip(
        &self,
        part: &Trapezoid,
        front: Range<i32>,
        strip: Strip,
        visit: &mut impl FnMut(&[Patch], bool),
    ) {
        let mut patches = ArrayVec::<Patch, AT_ONCE>::new();
        let mut fresh = false;
        for i in 0..part.levels as i32 {
            let all = part.lines(i);
            let lines = (front.start - i).max(all.start)..(front.end - i).min(all.end);
            let across = strip.at(i);
            if lines.is_empty() || across.is_empty() {
                continue;
            }
            if patches.is_full() {
                visit(&patches, fresh);
                patches.clear();
            }
            if patches.is_empty() {
                fresh = i == 0;
            }
            // None is below 0.
            let [lines, across] = [lines, across].map(|range| range.start as u32..range.end as u32);
            let (planes, rows, blocks) = if self.by_planes {
                (lines, across, 0..self.blocks as u32)
            } else {
                (0..self.planes as u32, lines, across)
            };
            let level = part.first_level + i as usize;
            patches.push(Patch { level, planes, rows, blocks });
        }
        if !patches.is_empty() {
            visit(&patches, fresh);
        }
    }
}

/// Rows or blocks in strips, each level of them one further to the front than the level below,
/// which must have been stepped beside it; or all as one.
struct Strips {
    number: usize,
    width: usize,
    count: usize,
    skew: usize,
}

impl Strips {
    fn new(tiling: &Tiling, levels: usize) -> Self {
        let count = if tiling.by_planes { tiling.rows } else { tiling.blocks };
        let width = tiling.strip;
        if count <= width {
            return Self { number: 1, width: count, count, skew: 0 };
        }
        Self { number: (count + levels - 1).div_ceil(width), width, count, skew: 1 }
    }

    /// Strip `i` from the level `below` on.
    fn at(&self, i: usize, below: usize) -> Strip {
        let [begin, end] = [i, i + 1].map(|i| (i * self.width) as i32 - (below * self.skew) as i32);
        Strip { begin, end, count: self.count as i32, skew: self.skew as i32 }
    }
}

/// One of them, from some level on. Its ends may be out of the grid.
#[derive(Clone, Copy)]
struct Strip {
    begin: i32,
    end: i32,
    count: i32,
    skew: i32,
}

impl Strip {
    /// Those of the `i`th level from there on.
    #[inline]
    fn at(&self, i: i32) -> Range<i32> {
        let at = |end: i32| (end - i * self.skew).clamp(0, self.count);
        at(self.begin)..at(self.end)
    }
}
