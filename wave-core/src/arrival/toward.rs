//! The box that a wave is for, and the cells that the wave leaves out.

use super::march::{NEAR, UNIT};

/// The box of cells that a wave is for, and until when. No way is shorter than the straight line:
/// if that takes longer from a cell to the box than there is time left, no way over the cell gets
/// there in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Toward {
    /// The first and the last cell of the box.
    pub(super) to: [[usize; 3]; 2],
    /// `[units: UNIT for the fastest cell]` Since the emission.
    pub(super) within: i32,
    /// Whether the wave has left cells out.
    pub(super) left_out: bool,
}

impl Toward {
    /// The box between two of its corners.
    pub(super) fn new([one, other]: [[usize; 3]; 2], within: i32) -> Self {
        let least = std::array::from_fn(|axis| one[axis].min(other[axis]));
        let most = std::array::from_fn(|axis| one[axis].max(other[axis]));
        Self { to: [least, most], within, left_out: false }
    }

    /// Whether a way may lead on over a cell that is reached at this time after the emission.
    #[inline]
    pub(super) fn leads_over(&self, cell: [usize; 3], since: i32) -> bool {
        let left = f64::from(self.within - since) / f64::from(UNIT);
        let [from, to] = &self.to;
        let off = |axis: usize| {
            let (before, behind) =
                (from[axis].saturating_sub(cell[axis]), cell[axis].saturating_sub(to[axis]));
            (before + behind) as f64
        };
        let [z, y, x] = [off(0), off(1), off(2)];
        left >= 0.0 && z * z + y * y + x * x <= left * left
    }

    /// A box, from and to, that holds all cells that ways lead over from a box of sources, and
    /// their neighbours; and some more, since the next wave comes from nearby. It may be larger
    /// than the grid.
    pub(super) fn bounds(&self, sources: [[usize; 3]; 2]) -> [[isize; 3]; 2] {
        let within = f64::from(self.within) / f64::from(UNIT);
        // Times are rounded in every cell, by a 640th of it at most.
        let more = (NEAR[0] + 4) as f64 + within / 16.0;
        let [from, to] = self.to;
        let [sources_from, sources_to] = sources.map(|cell| cell.map(|at| at as f64));
        let (from, to) = (from.map(|at| at as f64), to.map(|at| at as f64));
        let gap = |axis: usize| {
            (from[axis] - sources_to[axis]).max(sources_from[axis] - to[axis]).max(0.0)
        };
        // A way to a plane so far beyond both boxes and back is a straight line if one half is
        // mirrored.
        let beyond = |axis: usize, apart: f64| {
            let across: f64 = (0..3).filter(|&a| a != axis).map(|a| gap(a) * gap(a)).sum();
            let along = (within * within - across).max(0.0).sqrt();
            ((along - apart) / 2.0).max(0.0) + more
        };
        [
            std::array::from_fn(|axis| {
                let apart = (from[axis] - sources_from[axis]).abs();
                (from[axis].min(sources_from[axis]) - beyond(axis, apart)).floor() as isize
            }),
            std::array::from_fn(|axis| {
                let apart = (to[axis] - sources_to[axis]).abs();
                (to[axis].max(sources_to[axis]) + 1.0 + beyond(axis, apart)).ceil() as isize
            }),
        ]
    }
}
