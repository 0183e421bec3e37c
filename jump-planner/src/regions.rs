//! Regions: the strongly connected components of the whole graph of moves, without drawing it.
//!
//! Within a region a character gets from everywhere to everywhere. Most of a terrain is joined by
//! moves between neighbours alone: walks, falls with a jump back up (onto a side neighbour that is
//! lower than the jump height there always is one, whatever stands around: jump close before the
//! edge, land close behind it). Cells that these join are merged first. Longer jumps matter only
//! between the parts that are left, and one jump from a part to another is enough; that none exists
//! is proved pair by pair, nearly always by reach.

mod close;
pub(crate) mod closure;
pub(crate) mod links;
pub(crate) mod parts;
pub(crate) mod passage;
pub(crate) mod scc;
mod search;
pub(crate) mod tiles;

use self::close::{Close, add_short, close_moves, joined, pairs, passages};
use self::parts::{Parts, renamed};
use self::passage::{MoveCounts, Passage, RegionView, needed, thin};
use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::regions::closure::Closure;
use crate::regions::scc::Csr;
use crate::regions::search::{Found, Search, prove};
use crate::storage::Storage;

/// Up to so many parts it does not pay to look for easy jumps first.
const FEW: usize = 2048;

/// The regions of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regions<M> {
    /// The region of every cell; NONE where nobody can stand. Numbered by first cell.
    pub(crate) labels: Vec<u32>,
    /// Cells per region.
    pub(crate) sizes: Vec<u32>,
    /// The first cell of every region.
    pub(crate) firsts: Vec<u32>,
    /// Direct moves between regions, at most one per pair, ascending: all between neighbours, and
    /// jumps where a region could not be reached otherwise.
    pub(crate) passages: Vec<Passage>,
    pub(crate) counts: MoveCounts,
    /// The work: moves between neighbours, and pairs of cells that were checked for a longer jump.
    pub(crate) examined: usize,
    /// Jumps between parts that were neither found nor excluded.
    pub(crate) marginal: Vec<(u32, u32)>,
    /// For each place: all moves between neighbours, and on height maps the jumps that were found
    /// to cells at most two away.
    pub(crate) moves: Vec<M>,
    /// Moves between neighbours that have no bit.
    pub(crate) rest: Vec<(u32, u32)>,
    /// Longer jumps that were found: with those moves they join whatever the whole graph joins.
    pub(crate) joins: Vec<(u32, u32)>,
}

impl<M> Regions<M> {
    pub(crate) fn with_view<R>(&self, look: impl FnOnce(&RegionView<'_>) -> R) -> R {
        look(&RegionView {
            sizes: &self.sizes,
            firsts: &self.firsts,
            passages: &self.passages,
            begins: &self.successors().begins,
            marginal: &self.marginal,
            of: &|cell| self.labels[cell as usize],
        })
    }

    /// From parts that are strongly connected, and direct moves between them: looks for the jumps
    /// that join parts.
    pub(crate) fn joined(
        graph: &JumpGraph<impl Storage>,
        mut parts: Parts,
        mut known: Vec<Passage>,
        mut counts: MoveCounts,
        mut examined: usize,
    ) -> Self {
        let (mut open, mut joins) = (Vec::new(), Vec::new());
        let mut merge = |parts: &mut Parts, known: &mut Vec<Passage>, mut found: Found| {
            examined += found.asked;
            joins.extend(found.passages.iter().map(|p| (p.from, p.to)));
            known.append(&mut found.passages);
            thin(known);
            let after = parts.merged(&known.iter().map(|p| p.parts).collect::<Vec<_>>());
            *known = renamed(known, parts, &after);
            *parts = after;
            found.open
        };
        for search in [Search::Easy, Search::All] {
            if search == Search::All || parts.firsts.len() > FEW {
                let found = search.run(graph, &parts, &known);
                open = merge(&mut parts, &mut known, found);
            }
        }
        let found = prove(graph, &parts, &known, open);
        let mut marginal = merge(&mut parts, &mut known, found);
        let labels = &parts.labels;
        let successors = Csr::from_sorted(parts.firsts.len(), known.iter().map(|p| p.parts));
        let closure = Closure::new(&successors);
        let region = |i: u32| labels[i as usize];
        let leads = |from: u32, to: u32| closure.leads(from, to);
        let predecessors = successors.turned();
        let is_needed = needed([&successors, &predecessors], leads);
        let passages: Vec<_> = known.into_iter().filter(is_needed).collect();
        marginal.retain(|&(i, j)| !leads(region(i), region(j)));
        counts.jump += passages.iter().filter(|p| p.far).count();
        let Parts { labels, firsts } = parts;
        let mut sizes = vec![0; firsts.len()];
        for &label in labels.iter().filter(|&&label| label != NONE) {
            sizes[label as usize] += 1;
        }
        Self {
            labels,
            sizes,
            firsts,
            passages,
            counts,
            examined,
            marginal,
            moves: Vec::new(),
            rest: Vec::new(),
            joins,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The regions that a passage leads to, per region.
    pub(crate) fn successors(&self) -> Csr {
        Csr::from_sorted(self.count(), self.passages.iter().map(|p| p.parts))
    }
}

impl Regions<u32> {
    /// # Complexity
    /// O(cells) for moves between neighbours, and O(cells within reach) for each cell from which
    /// another part may be in reach.
    pub(crate) fn new(graph: &JumpGraph) -> Self {
        let Close { mut moves, counts, asked } = close_moves(graph);
        let mut examined = counts.walk + counts.fall + counts.jump + asked;
        let mut parts = joined(graph, &moves);
        if parts.firsts.len() > 1 {
            examined += add_short(graph, &parts, &mut moves);
            parts = parts.merged(&pairs(graph, &parts, &moves));
        }
        let known = passages(graph, &parts, &moves);
        Self { moves, ..Self::joined(graph, parts, known, counts, examined) }
    }
}
