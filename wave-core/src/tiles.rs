//! In which order a wave is stepped so that what is in cache is stepped several times.
//!
//! # The one rule
//! Two buffers hold a wave, and a cell that goes to level t (t steps done) overwrites its own level
//! t - 2. So a cell may go from t - 1 to t at any time at which each of its neighbours is at t - 1
//! or at t: then what it reads is there, and nobody needs what it overwrites. Cells need not be at
//! the same level otherwise, and bits cannot depend on the order.

use crate::kernel::{PLANES, ROWS};
use arrayvec::ArrayVec;
use std::ops::Range;

/// Cells of one level: rows of some planes, and blocks of these rows. Small, since lists of them lie
/// in cache beside what they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Steps done once it is stepped, from the beginning of the run.
    pub(crate) level: usize,
    pub(crate) planes: Range<u32>,
    pub(crate) rows: Range<u32>,
    pub(crate) blocks: Range<u32>,
}

/// Patches that are stepped at once: all levels of a strip, or some if a tiling has more.
const AT_ONCE: usize = 24;

/// A grid in units of the tiling, and what fits in cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    pub(crate) planes: usize,
    pub(crate) rows: usize,
    pub(crate) blocks: usize,
    /// Whether a line is a plane, or a row of all planes.
    pub(crate) by_planes: bool,
    /// Levels that a trapezoid is cut into.
    pub(crate) levels: usize,
    /// Rows (by planes) or blocks (by rows) of a tile, at least 1.
    pub(crate) width: usize,
    /// Of a strip of a tile: a wavefront takes all levels of a strip before it goes on to the next one, so
    /// that what one level has read is in a smaller cache for the next. At least 1.
    pub(crate) strip: usize,
}

/// Lines over several levels, one or no line more or fewer at each end with every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trapezoid {
    pub(crate) first_level: usize,
    pub(crate) levels: usize,
    /// The lines of the first level.
    pub(crate) begin: usize,
    pub(crate) end: usize,
    /// What each end moves by with every level: -1, 0 or 1.
    pub(crate) begin_moves: isize,
    pub(crate) end_moves: isize,
}

impl Trapezoid {
    /// The lines of the `i`th level.
    fn lines(&self, i: usize) -> Range<usize> {
        let at = |line: usize, moves: isize| line.saturating_add_signed(moves * i as isize);
        at(self.begin, self.begin_moves)..at(self.end, self.end_moves)
    }

    /// The levels from `i` on, `levels` at most.
    fn part(&self, i: usize, levels: usize) -> Self {
        let Range { start, end } = self.lines(i);
        let levels = levels.min(self.levels - i);
        Self { first_level: self.first_level + i, levels, begin: start, end, ..*self }
    }
}

impl Tiling {
    /// Lines of the grid.
    pub(crate) fn lines(&self) -> usize {
        if self.by_planes { self.planes } else { self.rows }
    }

    /// Lines by which a wavefront moves on: as many as a kernel takes at once; of flat grids twice as
    /// many, so that half as much comes back into the first-level cache: 1.1x.
    fn stride(&self) -> usize {
        match self.planes {
            _ if self.by_planes => PLANES,
            1 => 2 * ROWS,
            _ => ROWS,
        }
    }

    /// Steps a trapezoid in an order of patches that keeps the rule within it, some of them at a time.
    /// The second argument of `visit` is whether the first of them is on the first level of a tile, so that
    /// its cells have not been stepped for a while.
    pub(crate) fn walk(&self, all: &Trapezoid, mut visit: impl FnMut(&[Patch], bool)) {
        // Parts as equal as they can be.
        let levels = all.levels.div_ceil(all.levels.div_ceil(self.levels).max(1)).max(1);
        for i in (0..all.levels).step_by(levels) {
            self.walk_part(&all.part(i, levels), &mut visit);
        }
    }

    /// Where the wavefronts of a part begin and end, each level being a line behind the one below.
    fn fronts(part: &Trapezoid) -> Range<usize> {
        let ends = [0, part.levels - 1].map(|i| (part.lines(i).start + i, part.lines(i).end + i));
        ends[0].0.min(ends[1].0)..ends[0].1.max(ends[1].1)
    }

    fn walk_part(&self, part: &Trapezoid, visit: &mut impl FnMut(&[Patch], bool)) {
        let across = if self.by_planes { self.rows } else { self.blocks };
        let stride = self.stride();
        let strips = Strips::new(across, self.strip, part.levels);
        let each = (self.width / self.strip).max(1);
        for tile in (0..strips.number).step_by(each) {
            for front in Self::fronts(part).step_by(stride) {
                for strip in tile..strips.number.min(tile + each) {
                    self.walk_strip(part, front..front + stride, &strips, strip, visit);
                }
            }
        }
    }

    /// All levels of a strip in a wavefront.
    fn walk_strip(
        &self,
        part: &Trapezoid,
        front: Range<usize>,
        strips: &Strips,
        strip: usize,
        visit: &mut impl FnMut(&[Patch], bool),
    ) {
        let mut patches = ArrayVec::<Patch, AT_ONCE>::new();
        let mut fresh = false;
        for i in 0..part.levels {
            let (lines, across) = (part.lines(i), strips.at(strip, i));
            let lines = front.start.saturating_sub(i).max(lines.start)
                ..front.end.saturating_sub(i).min(lines.end);
            if lines.is_empty() || across.is_empty() {
                continue;
            }
            let whole = |count: usize| 0..count as u32;
            let [lines, across] = [lines, across].map(|range| range.start as u32..range.end as u32);
            let (planes, rows, blocks) = if self.by_planes {
                (lines, across, whole(self.blocks))
            } else {
                (whole(self.planes), lines, across)
            };
            if patches.is_full() {
                visit(&patches, fresh);
                patches.clear();
            }
            if patches.is_empty() {
                fresh = i == 0;
            }
            patches.push(Patch { level: part.first_level + i, planes, rows, blocks });
        }
        if !patches.is_empty() {
            visit(&patches, fresh);
        }
    }
}

/// `count` rows or blocks in strips of `width`, each level of them one further to the front than the
/// level below, which must have been stepped beside it; or all as one.
struct Strips {
    number: usize,
    width: usize,
    count: usize,
    skew: usize,
}

impl Strips {
    fn new(count: usize, width: usize, levels: usize) -> Self {
        if count <= width {
            return Self { number: 1, width: count, count, skew: 0 };
        }
        Self { number: (count + levels - 1).div_ceil(width), width, count, skew: 1 }
    }

    /// Those of the `i`th level of a strip.
    fn at(&self, strip: usize, i: usize) -> Range<usize> {
        let at = |end: usize| (end * self.width).saturating_sub(i * self.skew).min(self.count);
        at(strip)..at(strip + 1)
    }
}
