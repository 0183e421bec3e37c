//! The cells that may be the other end of a jump: those within reach of the free flight.

use super::JumpGraph;
use super::rule::JumpRule;
use crate::cell::Cell;
use crate::jump::ballistics::Ballistics;
use crate::jump::offsets::{Offset, gap2};
use crate::jump::relief::SMALL;
use crate::storage::Storage;

/// Which end of a jump a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Launch,
    Landing,
}

impl End {
    /// From and to, where `own` is this end.
    pub(crate) fn with<T>(self, own: T, other: T) -> (T, T) {
        if self == Self::Launch { (own, other) } else { (other, own) }
    }
}

impl<T: Storage> JumpGraph<T> {
    /// Cells to which a jump from `i` may exist: within reach, and not joined by a step; nearest
    /// first.
    pub(crate) fn candidates(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others(i, End::Launch, self.ways(i, End::Launch))
    }

    /// Cells from which a jump to `i` may exist, likewise.
    pub(crate) fn sources(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.others(i, End::Landing, self.ways(i, End::Landing))
    }

    /// `[units: length]` The least gain of a jump that has `i` as its launch or landing.
    fn least_gain(&self, i: usize, end: End) -> f64 {
        match end {
            End::Launch => self.relief.low(self.terrain.column(i)) - self.terrain.floors()[i],
            End::Landing => self.terrain.floors()[i] - self.relief.high(self.terrain.column(i)),
        }
    }

    /// Offsets from `i` at which there may be other ends of jumps that have `i` as the one end: for
    /// landings the opposites count.
    pub(crate) fn ways(&self, i: usize, end: End) -> &[Offset] {
        self.offsets.down_to(self.least_gain(i, end))
    }

    /// Cells at some offsets that may be the other end of a jump that has `i` as its launch or
    /// landing: within reach, and not joined by a step that way; nearest first.
    pub(crate) fn others<'a>(
        &'a self,
        i: usize,
        end: End,
        ways: &'a [Offset],
    ) -> impl Iterator<Item = usize> + 'a {
        let (heights, footing) = (self.terrain.floors(), self.footing());
        let sign = if end == End::Launch { 1 } else { -1 };
        self.within(i, ways, sign).filter_map(move |(j, offset)| {
            let (from, to) = end.with(i, j);
            let gain = heights[to] - heights[from];
            let way = (offset.dy as isize, offset.dx as isize);
            let near = way.0.abs() <= 1 && way.1.abs() <= 1;
            (self.reaches(gain, offset.most_gain)
                && footing.can_stand(j)
                && self.character.survives(heights[from], heights[to])
                && !(near && footing.step(from, to, way).is_some()))
            .then_some(j)
        })
    }

    /// The cell of a place.
    pub(crate) fn cell(&self, i: usize) -> Cell {
        // There are at most 2^30, and 32 bits are divided faster.
        let (at, columns) = (self.terrain.column(i) as u32, self.terrain.shape()[1] as u32);
        [(at / columns) as usize, (at % columns) as usize]
    }

    /// The places at some offsets from `i`, or at their opposites, with `sign` -1.
    fn within<'a>(
        &'a self,
        i: usize,
        ways: &'a [Offset],
        sign: isize,
    ) -> impl Iterator<Item = (usize, &'a Offset)> {
        let ([rows, columns], [y, x]) = (self.terrain.shape(), self.cell(i));
        ways.iter().flat_map(move |offset| {
            let y = y.wrapping_add_signed(sign * offset.dy as isize);
            let x = x.wrapping_add_signed(sign * offset.dx as isize);
            let is_inside = y < rows && x < columns;
            let places = if is_inside { self.terrain.places(y * columns + x) } else { 0..0 };
            places.map(move |j| (j, offset))
        })
    }

    /// Appends to `found` the cells within reach of `i` that `wanted` names, among those in small
    /// tiles that are not `dull`; the nearest first. All of them can be stood on, and `i` is none
    /// of them. At most `most` away along either axis.
    pub(crate) fn scan(
        &self,
        i: usize,
        end: End,
        most: usize,
        dull: impl Fn(usize) -> bool,
        wanted: impl Fn(usize) -> bool,
        found: &mut Vec<u32>,
    ) {
        let size2 = self.terrain.cell_size() * self.terrain.cell_size();
        let heights = self.terrain.floors();
        let ([rows, columns], [y, x]) = (self.terrain.shape(), self.cell(i));
        let (z, begin) = (heights[i], found.len());
        let span = self.offsets.span(self.least_gain(i, end)).min(most);
        let middle = self.offsets.columns();
        let around = |at: usize, n: usize| at.saturating_sub(span)..(at + span + 1).min(n);
        let (ys, xs) = (around(y, rows), around(x, columns));
        let across = columns.div_ceil(SMALL);
        // The gap to the nearest cell of a tile.
        let gap = |at: usize, tile: usize| {
            let (first, last) = (tile * SMALL, tile * SMALL + SMALL - 1);
            (first.saturating_sub(at)).max(at.saturating_sub(last)).saturating_sub(1) as f64
        };
        for ty in ys.start / SMALL..=(ys.end - 1) / SMALL {
            for tx in xs.start / SMALL..=(xs.end - 1) / SMALL {
                let tile = ty * across + tx;
                let (dy, dx) = (gap(y, ty), gap(x, tx));
                let [low, high] = self.relief.of_small(tile);
                let least = if end == End::Launch { low - z } else { z - high };
                let most = self.law.most_gain((dy * dy + dx * dx) * size2);
                if dull(tile) || !self.reaches(least, most) {
                    continue;
                }
                let part = |span: &std::ops::Range<usize>, tile: usize| {
                    span.start.max(tile * SMALL)..span.end.min((tile + 1) * SMALL)
                };
                for cy in part(&ys, ty) {
                    let gains = self.offsets.gains(cy as isize - y as isize);
                    let (row, part) = (cy * columns, part(&xs, tx));
                    // One loop over all places of the row: a height map pays nothing for storeys.
                    for j in self.terrain.run(row + part.start..row + part.end) {
                        // Few places are wanted, and a height map's own one never is.
                        if !wanted(j) {
                            continue;
                        }
                        let cx = self.terrain.column(j) - row;
                        if cy == y && cx == x {
                            continue;
                        }
                        let (from, to) = end.with(z, heights[j]);
                        let most = gains[cx + middle - x];
                        if self.reaches(to - from, most) && self.character.survives(from, to) {
                            found.push(j as u32);
                        }
                    }
                }
            }
        }
        let nearness = |&j: &u32| {
            let [cy, cx] = self.cell(j as usize);
            let (dy, dx) = (cy.abs_diff(y) as u64, cx.abs_diff(x) as u64);
            let (gy, gx) = (dy.saturating_sub(1), dx.saturating_sub(1));
            (gy * gy + gx * gx, dy * dy + dx * dx, j)
        };
        found[begin..].sort_unstable_by_key(nearness);
    }

    /// The open squares never attain their least distance, the source's closed ones do.
    #[inline]
    pub(crate) fn reaches(&self, gain: f64, most_gain: f64) -> bool {
        gain < most_gain || (gain == most_gain && self.rule == JumpRule::Published)
    }

    /// `[units: length]` Between cells whose squares are that far apart, squared and in cells.
    pub(crate) fn most_gain(&self, gap2: f64) -> f64 {
        self.law.most_gain(gap2 * self.terrain.cell_size() * self.terrain.cell_size())
    }

    pub(crate) fn within_reach(&self, i: usize, j: usize) -> bool {
        let size2 = self.terrain.cell_size() * self.terrain.cell_size();
        let most_gain = self.law.most_gain(gap2(self.dx(i, j), self.dy(i, j)) * size2);
        let [base, end] = [i, j].map(|cell| self.terrain.floors()[cell]);
        self.reaches(end - base, most_gain) && self.character.survives(base, end)
    }

    pub(super) fn dx(&self, i: usize, j: usize) -> isize {
        let columns = self.terrain.shape()[1];
        let [i, j] = [i, j].map(|place| self.terrain.column(place));
        (j % columns) as isize - (i % columns) as isize
    }

    pub(super) fn dy(&self, i: usize, j: usize) -> isize {
        let columns = self.terrain.shape()[1];
        let [i, j] = [i, j].map(|place| self.terrain.column(place));
        (j / columns) as isize - (i / columns) as isize
    }

    /// `[units: length / time]` The least launch speed between two squares in free air.
    pub(crate) fn least_in_air(&self, i: usize, j: usize) -> f64 {
        let gain = self.terrain.floors()[j] - self.terrain.floors()[i];
        let distance = gap2(self.dx(i, j), self.dy(i, j)).sqrt() * self.terrain.cell_size();
        Ballistics::least_speed(self.character.gravity(), distance, gain)
    }
}
