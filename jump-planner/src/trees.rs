//! Ways from every cell of the largest region to one of its cells, the root, and from there to it: as
//! long as there are such, the region hangs together. Where an edit takes a move away, another one
//! nearly always is close by that leads to a cell whose way is still whole.

use crate::certificate::{Certificate, Lost};
use crate::groups::NONE;
use crate::near::Along;

/// `[units: cells]` So many are seen in search of another way.
const MOST: usize = 1 << 13;

/// Two trees of moves in one region.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    label: u32,
    root: u32,
    /// The next cell on the way to the root, and that before on the way from it; NONE outside the
    /// region and where it is not known.
    next: [Vec<u32>; 2],
    /// Cells whose next one is not known, and on which way.
    broken: Vec<(usize, u32)>,
    /// Cells that have come into the region, which are on nobody's way yet.
    joined: Vec<(usize, u32)>,
    /// What is known of cells: from `base` on.
    stamps: Vec<u32>,
    base: u32,
}

/// Towards the root, and away from it.
const SIDES: [Along; 2] = [Along::Moves, Along::Reverse];

impl Trees {
    /// For the region `label`, of which `root` is a cell.
    ///
    /// # Complexity
    /// O(cells).
    pub(crate) fn new(certificate: &Certificate, labels: &[u32], label: u32, root: u32) -> Self {
        let next = SIDES.map(|along| {
            let mut next = vec![NONE; labels.len()];
            next[root as usize] = root;
            let (mut cells, mut at) = (vec![root], 0);
            while let Some(&cell) = cells.get(at) {
                at += 1;
                certificate.moves(along.turned(), cell, |other| {
                    if labels[other as usize] == label && next[other as usize] == NONE {
                        next[other as usize] = cell;
                        cells.push(other);
                    }
                });
            }
            next
        });
        let stamps = vec![0; labels.len()];
        Self { label, root, next, broken: Vec::new(), joined: Vec::new(), stamps, base: 1 }
    }

    /// Follows what an edit of a cell took away; `stays`: the cell stays in the region.
    pub(crate) fn follow(&mut self, lost: &Lost, edited: u32, stays: bool) {
        for &(from, to) in &lost.gone {
            self.part(0, from, to);
            self.part(1, to, from);
        }
        if !stays {
            lost.into.iter().for_each(|&from| self.part(0, from, edited));
            lost.out.iter().for_each(|&to| self.part(1, to, edited));
        }
    }

    /// Follows cells that have left the region.
    pub(crate) fn leave(&mut self, certificate: &Certificate, cells: &[u32]) {
        for &cell in cells {
            for (side, along) in SIDES.into_iter().enumerate() {
                certificate.moves(along.turned(), cell, |other| self.part(side, other, cell));
            }
        }
        for &cell in cells {
            self.next.iter_mut().for_each(|next| next[cell as usize] = NONE);
        }
    }

    /// Follows cells that have come into the region.
    pub(crate) fn join(&mut self, cells: &[u32]) {
        self.joined.extend(cells.iter().flat_map(|&cell| [(0, cell), (1, cell)]));
    }

    /// Finds other ways where they are broken; whether all are whole, so that the region is known to
    /// hang together. `briefly`: it does not search for long.
    pub(crate) fn mend(
        &mut self,
        certificate: &Certificate,
        labels: &[u32],
        briefly: bool,
    ) -> bool {
        if labels[self.root as usize] != self.label {
            // Those that it was the next one of are in the region still, as a rule.
            let there = |&&(_, cell): &&(usize, u32)| labels[cell as usize] == self.label;
            if let Some(&(_, root)) = self.broken.iter().find(there) {
                self.root = root;
                self.next.iter_mut().for_each(|next| next[root as usize] = root);
            } else if briefly {
                return false;
            } else {
                let Some(root) = labels.iter().position(|&label| label == self.label) else {
                    return false;
                };
                *self = Self::new(certificate, labels, self.label, root as u32);
            }
        }
        let mut broken = std::mem::take(&mut self.broken);
        if self.base > u32::MAX / 2 || broken.len() > u32::MAX as usize / 16 {
            self.stamps.fill(0);
            self.base = 1;
        }
        let (good, mut stamp) = (self.base, self.base + 1);
        broken.retain(|&(side, cell)| {
            let is_broken = labels[cell as usize] == self.label
                && self.next[side][cell as usize] == NONE
                && cell != self.root;
            // The two trees have nothing in common.
            stamp += 4;
            is_broken && !self.mend_one(certificate, labels, (side, cell), [good, stamp], briefly)
        });
        self.base = stamp + 4;
        self.broken = broken;
        self.broken.is_empty() && self.take_in(certificate, labels)
    }

    /// Finds ways for what has come into the region: nobody else's lead there, so that all that there are
    /// are whole. Whether all have one.
    fn take_in(&mut self, certificate: &Certificate, labels: &[u32]) -> bool {
        let mut joined = std::mem::take(&mut self.joined);
        joined.retain(|&(side, cell)| {
            let mut open = vec![cell];
            while let Some(cell) = open.pop() {
                let next = &mut self.next[side];
                if labels[cell as usize] != self.label || next[cell as usize] != NONE {
                    continue;
                }
                certificate.moves(SIDES[side], cell, |other| {
                    let is_whole =
                        labels[other as usize] == self.label && next[other as usize] != NONE;
                    if is_whole && next[cell as usize] == NONE {
                        next[cell as usize] = other;
                    }
                });
                if next[cell as usize] != NONE {
                    certificate.moves(SIDES[side].turned(), cell, |other| open.push(other));
                }
            }
            labels[cell as usize] == self.label && self.next[side][cell as usize] == NONE
        });
        // Who had no way when it was his turn may have been given one since.
        joined.retain(|&(side, cell)| self.next[side][cell as usize] == NONE);
        self.joined = joined;
        self.joined.is_empty()
    }

    fn mend_one(
        &mut self,
        certificate: &Certificate,
        labels: &[u32],
        (side, cell): (usize, u32),
        [good, bad]: [u32; 2],
        briefly: bool,
    ) -> bool {
        let (good, seen) = (good + side as u32, bad + 1);
        self.stamps[cell as usize] = seen;
        // Cells, and from which of them they were seen.
        let (mut cells, mut at) = (vec![(cell, 0)], 0);
        let mut end = None;
        while end.is_none() && !(briefly && at > MOST) {
            let Some(&(from, _)) = cells.get(at) else { return false };
            let next = &self.next[side];
            let stamps = &mut self.stamps;
            certificate.moves(SIDES[side], from, |other| {
                let i = other as usize;
                if end.is_some() || labels[i] != self.label || stamps[i] == seen {
                    return;
                }
                if stamps[i] != bad && is_whole(next, stamps, self.root, other, [good, bad]) {
                    end = Some(other);
                } else {
                    stamps[i] = seen;
                    cells.push((other, at));
                }
            });
            at += 1;
        }
        let Some(mut to) = end else { return false };
        let mut k = at - 1;
        loop {
            let (from, before) = cells[k];
            self.next[side][from as usize] = to;
            self.stamps[from as usize] = good;
            if k == 0 {
                return true;
            }
            (to, k) = (from, before);
        }
    }

    /// Breaks the way of a cell that goes on to another one.
    fn part(&mut self, side: usize, cell: u32, next: u32) {
        if self.next[side][cell as usize] == next && cell != self.root {
            self.next[side][cell as usize] = NONE;
            self.broken.push((side, cell));
        }
    }
}

/// Whether a cell's way leads to the root; notes the same of all cells on it.
fn is_whole(next: &[u32], stamps: &mut [u32], root: u32, cell: u32, [good, bad]: [u32; 2]) -> bool {
    let mut end = cell;
    let is_good = loop {
        let stamp = stamps[end as usize];
        if end == root || stamp == good {
            break true;
        }
        // What was seen counts as bad, too.
        if next[end as usize] == NONE || stamp == bad || stamp == bad + 1 {
            break false;
        }
        end = next[end as usize];
    };
    let mut at = cell;
    while at != end {
        stamps[at as usize] = if is_good { good } else { bad };
        at = next[at as usize];
    }
    is_good
}
