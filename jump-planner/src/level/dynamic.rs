//! Regions under edits.
//!
//! Every region is kept with moves that show that it is connected (the certificate). An edit of a
//! cell takes moves away. This does no harm as long as their ends are still joined both ways within
//! their region; where they are not, the cells that have fallen off are cut out.
//!
//! Which region leads to which is kept as a few moves between them, just enough to tell it. If one
//! region does not lead to another, it is known that no jump leads from the one to the other. An
//! edit puts that in question for its cell, for flights over it, and where one region does not lead
//! to another any more. Only there jumps are looked for.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::level::certificate::Certificate;
use crate::level::known::Known;
use crate::level::leading::Leading;
use crate::level::trees::Trees;
use crate::regions::Regions;
use crate::regions::passage::{Passage, needed};
use crate::regions::tiles::Tiles;
use crate::storage::{BitsOf, Storage};
use std::collections::{BTreeMap, BTreeSet};

/// The regions of a graph, kept under edits.
#[derive(Clone, Debug)]
pub(crate) struct Dynamic<T: Storage> {
    /// The region of every cell, by a number of its own; NONE where nobody can stand.
    pub(crate) labels: Vec<u32>,
    /// The size of each region, by label; 0: there is no such region.
    pub(crate) sizes: Vec<u32>,
    /// The first cell of every region, but for those that have lost it.
    pub(super) firsts: Vec<u32>,
    pub(super) beheaded: Vec<u32>,
    pub(super) free: Vec<u32>,
    /// The largest region at first.
    pub(crate) main: u32,
    pub(crate) tiles: Tiles,
    pub(crate) certificate: Certificate<T>,
    /// The trees of the largest region.
    pub(crate) trees: Trees,
    pub(crate) known: Known,
    /// Jumps that were neither found nor excluded, between regions of which the one does not lead
    /// to the other.
    pub(crate) open: BTreeSet<(u32, u32)>,
    /// Which region leads to which, by labels.
    pub(crate) leading: Leading,
    /// For each new region, the one that it was a part of before the edit that is followed; NONE:
    /// of none. A region that is not named is as it was.
    pub(crate) origins: BTreeMap<u32, u32>,
}

/// An edit of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub(crate) column: usize,
    /// `[units: length]` From where to where the feet of flights may be there that were blocked
    /// and may have come to be free.
    pub(crate) frees: Option<[f64; 2]>,
    /// Whether flights there may have come to be blocked.
    pub(crate) blocks: bool,
    /// `[units: cells]` How far jumps led before or lead now.
    pub(crate) reach: usize,
}

/// Which regions lead to which, in the order of their first cells.
pub(crate) struct Summary {
    /// The number of every region, by label.
    pub(crate) number: Vec<u32>,
    pub(crate) sizes: Vec<u32>,
    pub(crate) firsts: Vec<u32>,
    pub(crate) passages: Vec<Passage>,
    /// As [`RegionView::begins`](crate::regions::passage::RegionView).
    pub(crate) begins: Vec<u32>,
    pub(crate) marginal: Vec<(u32, u32)>,
}

impl<T: Storage> Dynamic<T> {
    pub(crate) fn new(graph: &JumpGraph<T>, regions: Regions<BitsOf<T>>) -> Self {
        let Regions { labels, sizes, firsts, moves, rest, mut joins, passages, marginal, .. } =
            regions;
        let level = graph.terrain();
        joins.retain(|&(from, to)| labels[from as usize] == labels[to as usize]);
        let largest = (0..sizes.len()).max_by_key(|&r| (sizes[r], std::cmp::Reverse(r)));
        let main = largest.unwrap_or(0) as u32;
        let known = Known::new(graph, &labels, sizes.len(), &passages);
        let leading = Leading::new(known.after());
        joins.extend(rest);
        let certificate = Certificate::new(level, moves, &joins);
        // Ways are short from the middle.
        let middle = labels.len() / 2;
        let root = (middle..labels.len()).chain(0..middle).find(|&cell| labels[cell] == main);
        let root = root.unwrap_or(middle) as u32;
        Self {
            tiles: Tiles::of(level, &labels),
            trees: Trees::new(level, &certificate, &labels, main, root),
            certificate,
            main,
            leading,
            labels,
            sizes,
            firsts,
            beheaded: Vec::new(),
            free: Vec::new(),
            known,
            open: marginal.into_iter().collect(),
            origins: BTreeMap::new(),
        }
    }

    /// Enters known moves again from and to cells that have come to another region, and around a
    /// column that was edited.
    pub(crate) fn enter(&mut self, graph: &JumpGraph<T>, cells: &[u32], edited: Option<usize>) {
        let mut near: Vec<u32> = cells.to_vec();
        for &cell in cells {
            near.extend(graph.footing().neighbours(cell as usize).map(|(j, _)| j as u32));
            self.known.enter_far(&self.labels, cell);
        }
        if let Some(edited) = edited {
            near.extend(graph.block(edited).into_iter().map(|i| i as u32));
        }
        near.sort_unstable();
        near.dedup();
        for cell in near {
            self.known.enter_near(graph, &self.labels, cell);
        }
    }

    /// An unused label for a region that was part of another before the edit, or NONE.
    pub(crate) fn fresh(&mut self, origin: u32) -> u32 {
        let label = self.free.pop().unwrap_or_else(|| {
            self.sizes.push(0);
            self.firsts.push(NONE);
            self.sizes.len() as u32 - 1
        });
        self.origins.insert(label, origin);
        label
    }

    /// The region of which one was part before the edit.
    pub(crate) fn origin(&self, label: u32) -> u32 {
        self.origins.get(&label).copied().unwrap_or(label)
    }

    pub(crate) fn assign(&mut self, level: &T, cell: u32, label: u32) {
        let old = std::mem::replace(&mut self.labels[cell as usize], label);
        if old == label {
            return;
        }
        if label != NONE {
            let first = &mut self.firsts[label as usize];
            *first = if self.sizes[label as usize] == 0 { cell } else { cell.min(*first) };
            self.sizes[label as usize] += 1;
        }
        if old != NONE {
            self.sizes[old as usize] -= 1;
            if self.firsts[old as usize] == cell {
                self.beheaded.push(old);
            }
            if self.sizes[old as usize] == 0 && old != self.main {
                self.free.push(old);
            }
        }
        self.tiles.follow(level, &self.labels, cell as usize);
    }

    /// The first cell of a region that there is.
    pub(crate) fn first(&mut self, label: u32) -> u32 {
        let mut first = self.firsts[label as usize];
        while self.labels[first as usize] != label {
            first += 1;
        }
        self.firsts[label as usize] = first;
        first
    }

    /// Which region leads to which.
    pub(crate) fn summary(&self) -> Summary {
        let mut order = Vec::new();
        for label in 0..self.sizes.len() as u32 {
            if self.sizes[label as usize] > 0 {
                order.push((self.firsts[label as usize], label));
            }
        }
        // Most is in order already, which the stable sort knows to use.
        order.sort_by(Ord::cmp);
        let mut number = vec![NONE; self.sizes.len()];
        for (n, &(_, label)) in (0..).zip(&order) {
            number[label as usize] = n;
        }
        let (known, after) = (self.known.passages(), self.known.after());
        let is_needed =
            needed([after, self.known.before()], |from, to| self.leading.leads(from, to));
        let mut passages: Vec<Passage> = Vec::with_capacity(known.len());
        let mut begins = Vec::with_capacity(order.len() + 1);
        for (n, &(_, label)) in (0..).zip(&order) {
            let begin = passages.len();
            begins.push(begin as u32);
            for passage in known[after.range(label)].iter().filter(|p| is_needed(p)) {
                let parts = (n, number[passage.parts.1 as usize]);
                passages.push(Passage { parts, ..*passage });
            }
            passages[begin..].sort_by_key(|p| p.parts.1);
        }
        begins.push(passages.len() as u32);
        Summary {
            sizes: order.iter().map(|&(_, label)| self.sizes[label as usize]).collect(),
            firsts: order.iter().map(|&(first, _)| first).collect(),
            number,
            passages,
            begins,
            marginal: self.open.iter().copied().collect(),
        }
    }
}
