//! Regions: the strongly connected components of the whole graph of moves, without drawing it.
//!
//! Within a region everybody gets from everywhere to everywhere. Most of a terrain is joined by moves
//! between neighbours alone: walks, falls with a jump back up (from a side neighbour onto anything
//! lower than the jump height there always is one, whatever stands around: jump close before the
//! edge, land close behind it). What these join is merged first. Longer jumps matter only between
//! what they do not join, and one from a part to another is enough; that none exists is proved pair
//! by pair, nearly always by reach.

use crate::closure::Closure;
use crate::graph::JumpGraph;
use crate::groups::{Forest, NONE};
use crate::moves::{Move, MoveKind};
use crate::parallel;
use crate::scc::{self, Csr};
use crate::search::Search;

/// Up to so many parts it does not pay to look for easy jumps first.
const FEW: usize = 2048;

/// How many moves of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MoveCounts {
    /// Walks, each direction for itself.
    pub walk: usize,
    /// Falls between neighbours.
    pub fall: usize,
    /// Jumps up between side neighbours; and of longer ones one for each pair of regions that no
    /// move between neighbours joins, where without it the one would not lead to the other.
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
    /// Whether it is a jump that counts only where nothing else leads there: all but those up to a
    /// side neighbour.
    pub(crate) far: bool,
    pub(crate) kind: MoveKind,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// The regions of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regions {
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
    /// What was looked at: moves between neighbours, and pairs of cells of which it was asked whether
    /// a longer jump joins them.
    pub(crate) examined: usize,
    /// Jumps between parts that were neither found nor excluded.
    pub(crate) marginal: Vec<(u32, u32)>,
    /// Longer jumps that were found: with all moves between neighbours they join whatever the whole
    /// graph joins.
    pub(crate) joins: Vec<(u32, u32)>,
}

/// Regions as findings see them.
pub(crate) struct RegionView<'a> {
    pub(crate) sizes: &'a [u32],
    pub(crate) firsts: &'a [u32],
    pub(crate) passages: &'a [Passage],
    pub(crate) marginal: &'a [(u32, u32)],
    pub(crate) of: &'a dyn Fn(u32) -> u32,
}

impl RegionView<'_> {
    pub(crate) fn count(&self) -> usize {
        self.sizes.len()
    }
    /// The region of a cell.
    pub(crate) fn of(&self, cell: u32) -> u32 {
        (self.of)(cell)
    }
}

impl Regions {
    pub(crate) fn with_view<T>(&self, look: impl FnOnce(&RegionView<'_>) -> T) -> T {
        look(&RegionView {
            sizes: &self.sizes,
            firsts: &self.firsts,
            passages: &self.passages,
            marginal: &self.marginal,
            of: &|cell| self.labels[cell as usize],
        })
    }

    /// # Complexity
    /// O(cells) for what neighbours join, and O(cells within reach) for each cell from which another
    /// part may be in reach.
    pub(crate) fn new(graph: &JumpGraph) -> Self {
        let mutual = mutual_parts(graph);
        let (near, mut counts) = near_passages(graph, &mutual);
        let mut parts = merged(&mutual, &near);
        let mut known = renamed(&near, &mutual, &parts);
        let (mut marginal, mut joins) = (Vec::new(), Vec::new());
        let mut examined = counts.walk + counts.fall + counts.jump;
        for search in [Search::Corners, Search::Short, Search::Easy, Search::All] {
            if search == Search::Easy && parts.firsts.len() <= FEW {
                continue;
            }
            let mut found = search.run(graph, &parts, &known);
            examined += found.asked;
            joins.extend(found.passages.iter().map(|p| (p.from, p.to)));
            known.append(&mut found.passages);
            thin(&mut known);
            let after = merged(&parts, &known);
            known = renamed(&known, &parts, &after);
            (parts, marginal) = (after, found.open);
        }
        let labels = &parts.labels;
        let passages = needed(known, parts.firsts.len(), &mut marginal, |i| labels[i as usize]);
        counts.jump += passages.iter().filter(|p| p.far).count();
        let Parts { labels, firsts } = parts;
        let mut sizes = vec![0; firsts.len()];
        for &label in labels.iter().filter(|&&label| label != NONE) {
            sizes[label as usize] += 1;
        }
        Self { labels, sizes, firsts, passages, counts, examined, marginal, joins }
    }

    pub(crate) fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The regions that a passage leads to, per region.
    pub(crate) fn successors(&self) -> Csr {
        Csr::from_sorted(self.count(), self.passages.iter().map(|p| p.parts))
    }
}

impl Passage {
    pub(crate) fn as_move(&self, graph: &JumpGraph) -> Move {
        let cell = |i: u32| graph.terrain().cell(i as usize);
        Move { from: cell(self.from), to: cell(self.to), kind: self.kind }
    }
}

/// A partition of the cells into numbered parts, by first cell.
pub(crate) struct Parts {
    pub(crate) labels: Vec<u32>,
    pub(crate) firsts: Vec<u32>,
}

impl Parts {
    /// The part of the most cells, of several the first, and the cells outside it.
    pub(crate) fn outside_largest(&self) -> (u32, Vec<u32>) {
        let mut sizes = vec![0_u32; self.firsts.len()];
        let known = || self.labels.iter().filter(|&&label| label != NONE);
        known().for_each(|&label| sizes[label as usize] += 1);
        let largest = (0..sizes.len()).max_by_key(|&part| (sizes[part], std::cmp::Reverse(part)));
        let largest = largest.map_or(NONE, |part| part as u32);
        let cells = (0..).zip(&self.labels);
        let outside = cells.filter(|&(_, &l)| l != largest && l != NONE).map(|(i, _)| i);
        (largest, outside.collect())
    }
}

/// Labels of what moves between neighbours join both ways: the first cell of each.
fn mutual_labels(graph: &JumpGraph) -> Vec<u32> {
    Forest::of_cells(&graph.footing(), |i, j, way| joined_both_ways(graph, i, j, way)).flat()
}

/// Whether moves join two neighbours, both ground, both ways.
fn joined_both_ways(graph: &JumpGraph, i: usize, j: usize, way: (isize, isize)) -> bool {
    let footing = graph.footing();
    let (i, j, way) = if footing.is_higher(i, j) { (i, j, way) } else { (j, i, (-way.0, -way.1)) };
    match footing.step(i, j, way) {
        Some(MoveKind::Walk) => true,
        Some(_) => graph.climbs(j, i, way),
        None => false,
    }
}

/// The move from a ground cell to a neighbour.
pub(crate) fn near_move(
    graph: &JumpGraph,
    i: usize,
    j: usize,
    way: (isize, isize),
) -> Option<MoveKind> {
    let climb = || graph.climbs(i, j, way).then_some(MoveKind::Jump);
    graph.footing().step(i, j, way).or_else(climb)
}

fn mutual_parts(graph: &JumpGraph) -> Parts {
    let mut labels = mutual_labels(graph);
    let mut firsts = Vec::new();
    for i in 0..labels.len() {
        let root = labels[i] as usize;
        if labels[i] == NONE {
            continue;
        }
        if root == i {
            labels[i] = firsts.len() as u32;
            firsts.push(i as u32);
        } else {
            // The root comes first and has its number.
            labels[i] = labels[root];
        }
    }
    Parts { labels, firsts }
}

/// Direct moves between neighbours of different parts, one per pair of parts, and all counts.
fn near_passages(graph: &JumpGraph, parts: &Parts) -> (Vec<Passage>, MoveCounts) {
    let footing = graph.footing();
    let [rows, columns] = graph.terrain().shape();
    let bands = parallel::bands(rows, |first, end| {
        let (mut found, mut counts) = (Vec::new(), MoveCounts::default());
        for i in first * columns..end * columns {
            let part = parts.labels[i];
            if part == NONE {
                continue;
            }
            for (j, way) in footing.neighbours(i) {
                let other = parts.labels[j];
                if other == NONE {
                    continue;
                }
                let Some(kind) = near_move(graph, i, j, way) else { continue };
                counts.add(kind);
                if other != part {
                    let (from, to) = (i as u32, j as u32);
                    found.push(Passage { parts: (part, other), far: false, kind, from, to });
                }
            }
        }
        thin(&mut found);
        (found, counts)
    });
    let mut counts = MoveCounts::default();
    let mut all = Vec::new();
    for (found, band) in bands {
        all.extend(found);
        counts.walk += band.walk;
        counts.fall += band.fall;
        counts.jump += band.jump;
    }
    thin(&mut all);
    (all, counts)
}

/// Without the longer jumps between regions of which the one leads to the other without them: what
/// is left does not depend on which were found. Up to the size of a closure of all pairs. Jumps that
/// are open matter no more where the one leads to the other anyway.
pub(crate) fn needed(
    all: Vec<Passage>,
    regions: usize,
    open: &mut Vec<(u32, u32)>,
    region: impl Fn(u32) -> u32,
) -> Vec<Passage> {
    let successors = Csr::from_sorted(regions, all.iter().map(|p| p.parts));
    let closure = Closure::new(&successors);
    open.retain(|&(i, j)| !closure.leads(region(i), region(j)));
    let round = |p: &Passage| {
        let beyond = successors.of(p.parts.0).iter();
        beyond.into_iter().any(|&next| next != p.parts.1 && closure.leads(next, p.parts.1))
    };
    all.into_iter().filter(|p| !(p.far && round(p))).collect()
}

/// Sorts, and keeps one passage per pair of parts, rather one between neighbours.
pub(crate) fn thin(passages: &mut Vec<Passage>) {
    // The stable sort is the faster one: most is in order already.
    passages.sort();
    passages.dedup_by_key(|p| p.parts);
}

/// Parts merged where passages join them both ways.
fn merged(parts: &Parts, passages: &[Passage]) -> Parts {
    let graph = Csr::from_sorted(parts.firsts.len(), passages.iter().map(|p| p.parts));
    let (component, count) = scc::components(&graph);
    // Numbered by first cell again.
    let mut number = vec![NONE; count];
    let mut firsts = Vec::new();
    for (part, &first) in parts.firsts.iter().enumerate() {
        let number = &mut number[component[part] as usize];
        if *number == NONE {
            *number = firsts.len() as u32;
            firsts.push(first);
        }
    }
    let rename = |&label: &u32| match label {
        NONE => NONE,
        part => number[component[part as usize] as usize],
    };
    Parts { labels: parts.labels.iter().map(rename).collect(), firsts }
}

/// Passages by the numbers of merged parts, without those that have come to lie inside one.
fn renamed(passages: &[Passage], before: &Parts, after: &Parts) -> Vec<Passage> {
    let new = |part: u32| after.labels[before.firsts[part as usize] as usize];
    let mut all: Vec<_> = passages
        .iter()
        .map(|p| Passage { parts: (new(p.parts.0), new(p.parts.1)), ..*p })
        .filter(|p| p.parts.0 != p.parts.1)
        .collect();
    thin(&mut all);
    all
}
