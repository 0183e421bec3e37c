//! Direct moves from one part of a level to another.

use super::scc::Csr;
use crate::graph::JumpGraph;
use crate::graph::moves::{Move, MoveKind};
use crate::storage::Storage;

/// How many moves of each kind an audit knows: all walks and falls, and of jumps those that it
/// needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MoveCounts {
    /// Walks, each direction for itself.
    pub walk: usize,
    /// Falls between neighbours.
    pub fall: usize,
    /// Not all jumps of the graph, of which a large map has some 10^8 to decide. Those up between
    /// side neighbours count, and of longer ones one for each pair of regions that no move between
    /// neighbours joins, where without it the one would not lead to the other. So jumps within a
    /// region, as over a ditch that one also gets out of, are 0 here.
    pub jump: usize,
}

impl MoveCounts {
    pub(crate) fn add(&mut self, kind: MoveKind) {
        match kind {
            MoveKind::Walk => self.walk += 1,
            MoveKind::Fall => self.fall += 1,
            MoveKind::Jump => self.jump += 1,
        }
    }
}

/// A direct move from one part to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Passage {
    pub(crate) parts: (u32, u32),
    /// Whether it is a jump that counts only where no other move leads there: all jumps but those
    /// up to a side neighbour.
    pub(crate) far: bool,
    pub(crate) kind: MoveKind,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl Passage {
    pub(crate) fn as_move<T: Storage>(&self, graph: &JumpGraph<T>) -> Move<T::Place> {
        let cell = |i: u32| graph.terrain().name(i as usize);
        Move { from: cell(self.from), to: cell(self.to), kind: self.kind }
    }
}

/// Regions as findings see them.
pub(crate) struct RegionView<'a> {
    pub(crate) sizes: &'a [u32],
    pub(crate) firsts: &'a [u32],
    pub(crate) passages: &'a [Passage],
    /// Where those out of each region begin among them, and where those of the last one end.
    pub(crate) begins: &'a [u32],
    pub(crate) marginal: &'a [(u32, u32)],
    pub(crate) of: &'a dyn Fn(u32) -> u32,
}

impl RegionView<'_> {
    pub(crate) fn count(&self) -> usize {
        self.sizes.len()
    }
    /// The passages out of a region, by their numbers.
    pub(crate) fn out_of(&self, region: u32) -> std::ops::Range<usize> {
        let at = |i: usize| self.begins[i] as usize;
        at(region as usize)..at(region as usize + 1)
    }
    /// The region of a cell.
    pub(crate) fn of(&self, cell: u32) -> u32 {
        (self.of)(cell)
    }
}

/// Whether a passage is none of the longer jumps between regions of which the one leads to the
/// other without it: those that are left do not depend on which were found. Up to the size of a
/// closure of all pairs.
pub(crate) fn needed<'a>(
    [successors, predecessors]: [&'a Csr; 2],
    leads: impl Fn(u32, u32) -> bool + 'a,
) -> impl Fn(&Passage) -> bool + 'a {
    let round = move |p: &Passage| {
        let (from, to) = p.parts;
        let (after, before) = (successors.of(from), predecessors.of(to));
        if after.len() < before.len() {
            after.iter().any(|&next| next != to && leads(next, to))
        } else {
            before.iter().any(|&last| last != from && leads(from, last))
        }
    };
    move |p| !(p.far && round(p))
}

/// Sorts, and keeps one passage per pair of parts, rather one between neighbours.
pub(crate) fn thin(passages: &mut Vec<Passage>) {
    // The stable sort is the faster one: most is in order already.
    passages.sort();
    passages.dedup_by_key(|p| p.parts);
}
