//! Ways from every cell of the largest region to one of its cells, the root, and back: as long as
//! all cells have both, the region is connected. Where an edit takes a move away, there nearly
//! always is another one close by that leads to a cell whose way is still whole.

use crate::cell::NONE;
use crate::level::certificate::{Certificate, Ends, Lost};
use crate::regions::links::Along;
use crate::splice::Splice;
use crate::storage::Storage;

/// `[units: cells]` The most that are seen in search of another way.
const MOST: usize = 1 << 13;

/// Two trees of moves in one region.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    label: u32,
    root: u32,
    /// For each cell, its data together, since a way is followed through far memory.
    knots: Vec<Knot>,
    /// Cells whose next one is not known, and on which way.
    broken: Vec<(usize, u32)>,
    /// Cells that have come into the region. No way leads over them yet.
    joined: Vec<(usize, u32)>,
    /// Stamps from here on belong to the present search.
    base: u32,
}

/// A cell of the trees.
#[derive(Clone, Copy, Debug)]
struct Knot {
    /// The next cell on the way to the root, and that before on the way from it; NONE outside the
    /// region and where it is not known.
    next: [u32; 2],
    /// Its state in a search; see [`Trees::base`].
    stamp: u32,
}

/// Towards the root, and away from it.
const SIDES: [Along; 2] = [Along::Moves, Along::Reverse];

impl Trees {
    /// For the region `label`, of which `root` is a cell.
    ///
    /// # Complexity
    /// O(cells).
    pub(crate) fn new<T: Storage>(
        level: &T,
        certificate: &Certificate<T>,
        labels: &[u32],
        label: u32,
        root: u32,
    ) -> Self {
        let mut knots = vec![Knot { next: [NONE; 2], stamp: 0 }; labels.len()];
        for (side, along) in SIDES.into_iter().enumerate() {
            knots[root as usize].next[side] = root;
            let (mut cells, mut at) = (vec![root], 0);
            while let Some(&cell) = cells.get(at) {
                at += 1;
                certificate.moves(level, along.turned(), cell, |other| {
                    let next = &mut knots[other as usize].next[side];
                    if labels[other as usize] == label && *next == NONE {
                        *next = cell;
                        cells.push(other);
                    }
                });
            }
        }
        Self { label, root, knots, broken: Vec::new(), joined: Vec::new(), base: 1 }
    }

    /// Follows the moves that an edit took away.
    pub(crate) fn follow(&mut self, lost: &Lost) {
        for &(from, to) in &lost.gone {
            self.part(0, from, to);
            self.part(1, to, from);
        }
    }

    /// Follows moves from and to a place that does not stay in the region.
    pub(crate) fn lose(&mut self, ends: &Ends) {
        ends.into.iter().for_each(|&from| self.part(0, from, ends.place));
        ends.out.iter().for_each(|&to| self.part(1, to, ends.place));
    }

    /// Follows places that come and go; those that go have left the region.
    ///
    /// # Complexity
    /// O(places).
    pub(crate) fn splice(&mut self, splice: Splice) {
        splice.follow(&mut self.knots, Knot { next: [NONE; 2], stamp: 0 });
        let number = |place: u32| if place == NONE { None } else { splice.number(place) };
        for next in self.knots.iter_mut().flat_map(|knot| &mut knot.next) {
            *next = number(*next).unwrap_or(NONE);
        }
        self.root = number(self.root).unwrap_or(NONE);
        for side in [&mut self.broken, &mut self.joined] {
            let before = std::mem::take(side).into_iter();
            side.extend(before.filter_map(|(side, place)| Some((side, number(place)?))));
        }
    }

    /// Follows cells that have left the region.
    pub(crate) fn leave<T: Storage>(
        &mut self,
        level: &T,
        certificate: &Certificate<T>,
        cells: &[u32],
    ) {
        for &cell in cells {
            for (side, along) in SIDES.into_iter().enumerate() {
                certificate
                    .moves(level, along.turned(), cell, |other| self.part(side, other, cell));
            }
        }
        for &cell in cells {
            self.knots[cell as usize].next = [NONE; 2];
        }
    }

    /// Follows cells that have come into the region.
    pub(crate) fn join(&mut self, cells: &[u32]) {
        self.joined.extend(cells.iter().flat_map(|&cell| [(0, cell), (1, cell)]));
    }

    /// Finds other ways where they are broken; whether all are whole, so that the region is known
    /// to hang together. `briefly`: it does not search for long.
    pub(crate) fn mend<T: Storage>(
        &mut self,
        level: &T,
        certificate: &Certificate<T>,
        labels: &[u32],
        briefly: bool,
    ) -> bool {
        if self.root == NONE || labels[self.root as usize] != self.label {
            // The cells that it was the next one of are mostly still in the region.
            let there = |&&(_, cell): &&(usize, u32)| labels[cell as usize] == self.label;
            if let Some(&(_, root)) = self.broken.iter().find(there) {
                self.root = root;
                self.knots[root as usize].next = [root; 2];
            } else if briefly {
                return false;
            } else {
                let Some(root) = labels.iter().position(|&label| label == self.label) else {
                    return false;
                };
                *self = Self::new(level, certificate, labels, self.label, root as u32);
            }
        }
        let mut broken = std::mem::take(&mut self.broken);
        if self.base > u32::MAX / 2 || broken.len() > u32::MAX as usize / 16 {
            self.knots.iter_mut().for_each(|knot| knot.stamp = 0);
            self.base = 1;
        }
        let (good, mut stamp) = (self.base, self.base + 1);
        broken.retain(|&(side, cell)| {
            let is_broken = labels[cell as usize] == self.label
                && self.knots[cell as usize].next[side] == NONE
                && cell != self.root;
            // The two trees have nothing in common.
            stamp += 4;
            is_broken
                && !self.mend_one(level, certificate, labels, (side, cell), [good, stamp], briefly)
        });
        self.base = stamp + 4;
        self.broken = broken;
        self.broken.is_empty() && self.take_in(level, certificate, labels)
    }

    /// Finds ways for the cells that have come into the region. The ways of other cells do not lead
    /// over them, so those stay whole. Whether all of them have a way.
    fn take_in<T: Storage>(
        &mut self,
        level: &T,
        certificate: &Certificate<T>,
        labels: &[u32],
    ) -> bool {
        let mut joined = std::mem::take(&mut self.joined);
        joined.retain(|&(side, cell)| {
            let mut open = vec![cell];
            while let Some(cell) = open.pop() {
                let knots = &mut self.knots;
                if labels[cell as usize] != self.label || knots[cell as usize].next[side] != NONE {
                    continue;
                }
                certificate.moves(level, SIDES[side], cell, |other| {
                    let is_whole = labels[other as usize] == self.label
                        && knots[other as usize].next[side] != NONE;
                    if is_whole && knots[cell as usize].next[side] == NONE {
                        knots[cell as usize].next[side] = other;
                    }
                });
                if knots[cell as usize].next[side] != NONE {
                    certificate.moves(level, SIDES[side].turned(), cell, |other| open.push(other));
                }
            }
            labels[cell as usize] == self.label && self.knots[cell as usize].next[side] == NONE
        });
        // A cell that had no way in its turn may have been given one since.
        joined.retain(|&(side, cell)| self.knots[cell as usize].next[side] == NONE);
        self.joined = joined;
        self.joined.is_empty()
    }

    fn mend_one<T: Storage>(
        &mut self,
        level: &T,
        certificate: &Certificate<T>,
        labels: &[u32],
        (side, cell): (usize, u32),
        [good, bad]: [u32; 2],
        briefly: bool,
    ) -> bool {
        let (good, seen) = (good + side as u32, bad + 1);
        self.knots[cell as usize].stamp = seen;
        // Cells, and from which of them they were seen.
        let (mut cells, mut at) = (vec![(cell, 0)], 0);
        let mut end = None;
        while end.is_none() && !(briefly && at > MOST) {
            let Some(&(from, _)) = cells.get(at) else { return false };
            let knots = &mut self.knots;
            certificate.moves(level, SIDES[side], from, |other| {
                let i = other as usize;
                if end.is_some() || labels[i] != self.label || knots[i].stamp == seen {
                    return;
                }
                if knots[i].stamp != bad && is_whole(knots, side, self.root, other, [good, bad]) {
                    end = Some(other);
                } else {
                    knots[i].stamp = seen;
                    cells.push((other, at));
                }
            });
            at += 1;
        }
        let Some(mut to) = end else { return false };
        let mut k = at - 1;
        loop {
            let (from, before) = cells[k];
            let knot = &mut self.knots[from as usize];
            (knot.next[side], knot.stamp) = (to, good);
            if k == 0 {
                return true;
            }
            (to, k) = (from, before);
        }
    }

    /// Breaks the way of a cell that goes on to another one.
    fn part(&mut self, side: usize, cell: u32, next: u32) {
        let known = &mut self.knots[cell as usize].next[side];
        if *known == next && cell != self.root {
            *known = NONE;
            self.broken.push((side, cell));
        }
    }
}

/// Whether a cell's way leads to the root; notes the same of all cells on it.
fn is_whole(knots: &mut [Knot], side: usize, root: u32, cell: u32, [good, bad]: [u32; 2]) -> bool {
    let mut end = cell;
    let is_good = loop {
        let Knot { next, stamp } = knots[end as usize];
        if end == root || stamp == good {
            break true;
        }
        // Cells that were seen also count as bad.
        if next[side] == NONE || stamp == bad || stamp == bad + 1 {
            break false;
        }
        end = next[side];
    };
    let mut at = cell;
    while at != end {
        let knot = &mut knots[at as usize];
        knot.stamp = if is_good { good } else { bad };
        at = knot.next[side];
    }
    is_good
}
