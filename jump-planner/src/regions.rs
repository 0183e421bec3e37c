//! Regions: the strongly connected components of the whole graph of moves, without drawing it.
//!
//! Within a region everybody gets from everywhere to everywhere. Most of a terrain is joined by moves
//! between neighbours alone: walks, falls with a jump back up (from a side neighbour onto anything
//! lower than the jump height there always is one, whatever stands around: jump close before the
//! edge, land close behind it). What these join is merged first. Longer jumps matter only between
//! what they do not join, and one from a part to another is enough; that none exists is proved pair
//! by pair, nearly always by reach.

use crate::closure::Closure;
use crate::exact::Effort;
use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::moves::{Move, MoveKind, NEIGHBOURS};
use crate::near::{CLOSE, VIA, close_cells, next_bit, strides, turns_corner};
use crate::parallel;
use crate::scc::{self, Csr};
use crate::search::{Search, Tiles};

/// Up to so many parts it does not pay to look for easy jumps first.
const FEW: usize = 2048;

/// How many moves of each kind an audit knows: all walks and falls, and of jumps those that it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MoveCounts {
    /// Walks, each direction for itself.
    pub walk: usize,
    /// Falls between neighbours.
    pub fall: usize,
    /// Not all jumps of the graph, of which a large map has some 10^8 to decide. Those up between side
    /// neighbours count, and of longer ones one for each pair of regions that no move between neighbours
    /// joins, where without it the one would not lead to the other. So jumps within a region, as over a
    /// ditch that one also gets out of, are 0 here.
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
    /// All moves between neighbours, and what jumps were found to cells at most two away: bit k for
    /// one at `CLOSE[k]`.
    pub(crate) moves: Vec<u32>,
    /// Longer jumps that were found: with those moves they join whatever the whole graph joins.
    pub(crate) joins: Vec<(u32, u32)>,
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

impl Regions {
    pub(crate) fn with_view<T>(&self, look: impl FnOnce(&RegionView<'_>) -> T) -> T {
        look(&RegionView {
            sizes: &self.sizes,
            firsts: &self.firsts,
            passages: &self.passages,
            begins: &self.successors().begins,
            marginal: &self.marginal,
            of: &|cell| self.labels[cell as usize],
        })
    }

    /// # Complexity
    /// O(cells) for what neighbours join, and O(cells within reach) for each cell from which another
    /// part may be in reach.
    pub(crate) fn new(graph: &JumpGraph) -> Self {
        let Close { mut moves, mut counts, asked } = close_moves(graph);
        let mut examined = counts.walk + counts.fall + counts.jump + asked;
        let mut parts = joined(graph, &moves);
        if parts.firsts.len() > 1 {
            examined += add_short(graph, &parts, &mut moves);
            parts = parts.merged(&pairs(graph, &parts, &moves));
        }
        let mut known = passages(graph, &parts, &moves);
        let (mut marginal, mut joins) = (Vec::new(), Vec::new());
        for search in [Search::Easy, Search::All] {
            if search == Search::Easy && parts.firsts.len() <= FEW {
                continue;
            }
            let mut found = search.run(graph, &parts, &known);
            examined += found.asked;
            joins.extend(found.passages.iter().map(|p| (p.from, p.to)));
            known.append(&mut found.passages);
            thin(&mut known);
            let after = parts.merged(&known.iter().map(|p| p.parts).collect::<Vec<_>>());
            known = renamed(&known, &parts, &after);
            (parts, marginal) = (after, found.open);
        }
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
        Self { labels, sizes, firsts, passages, counts, examined, marginal, moves, joins }
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
    /// Merged where `pairs`, which lead from the one to the other, join them both ways.
    fn merged(&self, pairs: &[(u32, u32)]) -> Self {
        let (component, count) = scc::components(&Csr::from_pairs(self.firsts.len(), pairs));
        // Numbered by first cell again.
        let mut number = vec![NONE; count];
        let mut firsts = Vec::new();
        for (part, &first) in self.firsts.iter().enumerate() {
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
        Self { labels: self.labels.iter().map(rename).collect(), firsts }
    }

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

/// Moves to cells close by.
struct Close {
    /// Bit k for one at `CLOSE[k]`.
    moves: Vec<u32>,
    /// Between neighbours, without jumps around corners.
    counts: MoveCounts,
    /// Of how many corners it was asked.
    asked: usize,
}

/// All moves between neighbours, and jumps around corners as far as their formula tells.
fn close_moves(graph: &JumpGraph) -> Close {
    let [rows, columns] = graph.terrain().shape();
    let bands = parallel::bands(rows, |first, end| {
        let (mut counts, mut asked) = (MoveCounts::default(), 0);
        let moves: Vec<u32> = (first * columns..end * columns)
            .map(|i| {
                close_mask(graph, i, |kind| match kind {
                    Some(kind) => counts.add(kind),
                    None => asked += 1,
                })
            })
            .collect();
        (moves, counts, asked)
    });
    let (mut moves, mut counts, mut asked) = (Vec::new(), MoveCounts::default(), 0);
    moves.reserve_exact(rows * columns);
    for (band, of_band, asked_there) in bands {
        moves.extend(band);
        counts.walk += of_band.walk;
        counts.fall += of_band.fall;
        counts.jump += of_band.jump;
        asked += asked_there;
    }
    Close { moves, counts, asked }
}

/// The moves from a cell to its neighbours, and jumps around corners as far as their formula tells.
/// `each`: what move there is, or that it was asked for a corner.
pub(crate) fn close_mask(
    graph: &JumpGraph,
    i: usize,
    mut each: impl FnMut(Option<MoveKind>),
) -> u32 {
    let footing = graph.footing();
    if !footing.can_stand(i) {
        return 0;
    }
    let mut mask = 0;
    for (k, j) in close_cells(graph, i, 0..NEIGHBOURS.len()) {
        if !footing.can_stand(j) {
            continue;
        }
        let kind = near_move(graph, i, j, CLOSE[k]);
        if kind.is_some() || k >= 4 {
            each(kind);
        }
        if kind.is_some() || turns_corner(graph, i, j, CLOSE[k]) {
            mask |= 1 << k;
        }
    }
    mask
}

/// What these moves join both ways.
fn joined(graph: &JumpGraph, moves: &[u32]) -> Parts {
    let (footing, stride) = (graph.footing(), strides(graph.terrain().shape()[1]));
    let (component, count) = scc::components_of(moves.len(), |cell, at| {
        let k = next_bit(moves[cell as usize], at)?;
        Some((cell as usize).wrapping_add_signed(stride[k]) as u32)
    });
    let mut number = vec![NONE; count];
    let mut firsts = Vec::new();
    let label = |(cell, component): (usize, u32)| {
        if !footing.can_stand(cell) {
            return NONE;
        }
        let number = &mut number[component as usize];
        if *number == NONE {
            *number = firsts.len() as u32;
            firsts.push(cell as u32);
        }
        *number
    };
    let labels = component.into_iter().enumerate().map(label).collect();
    Parts { labels, firsts }
}

/// Adds jumps over one cell, and around corners, that one look finds, each from a cell to a part to
/// which it has no move yet and two between neighbours do not lead; of how many it was asked.
fn add_short(graph: &JumpGraph, parts: &Parts, moves: &mut [u32]) -> usize {
    let [rows, columns] = graph.terrain().shape();
    let (labels, stride) = (&parts.labels, strides(columns));
    let tiles = Tiles::new(labels, graph.terrain().shape());
    let before = &*moves;
    let bands = parallel::bands(rows, |first, end| {
        let (mut added, mut asked) = (Vec::new(), 0);
        for i in first * columns..end * columns {
            let own = labels[i];
            // Most cells have nothing else around them.
            let is_own = |label: u32| label == own;
            if own == NONE || tiles.around(i, 2).all(|tile| tiles.all(tile, is_own)) {
                continue;
            }
            let mut mask = before[i];
            for (k, j) in close_cells(graph, i, 4..CLOSE.len()) {
                if labels[j] == own || labels[j] == NONE || two_steps(before, &stride, i, k) {
                    continue;
                }
                let mut at = 0;
                let known = std::iter::from_fn(|| next_bit(mask, &mut at));
                let mut parts = known.map(|k| labels[i.wrapping_add_signed(stride[k])]);
                if parts.any(|part| part == labels[j]) || !graph.within_reach(i, j) {
                    continue;
                }
                asked += 1;
                if graph.shows_jump(i, j, Effort::Look) {
                    mask |= 1 << k;
                }
            }
            if mask != before[i] {
                added.push((i, mask));
            }
        }
        (added, asked)
    });
    let mut all = 0;
    for (added, asked) in bands {
        for (i, mask) in added {
            moves[i] = mask;
        }
        all += asked;
    }
    all
}

/// Whether two moves between neighbours lead from a cell to the one at `CLOSE[k]`.
fn two_steps(moves: &[u32], stride: &[isize; 24], i: usize, k: usize) -> bool {
    VIA[k].iter().any(|&(first, second)| {
        let via = || i.wrapping_add_signed(stride[usize::from(first)]);
        moves[i] >> first & 1 == 1 && moves[via()] >> second & 1 == 1
    })
}

/// Calls `each` with all of these moves in some rows that lead to other parts: from, to, where.
fn for_each_between(
    labels: &[u32],
    moves: &[u32],
    columns: usize,
    (first, end): (usize, usize),
    mut each: impl FnMut(usize, usize, usize),
) {
    let stride = strides(columns);
    for i in first * columns..end * columns {
        let mut at = 0;
        while let Some(k) = next_bit(moves[i], &mut at) {
            let j = i.wrapping_add_signed(stride[k]);
            if labels[j] != labels[i] {
                each(i, j, k);
            }
        }
    }
}

/// Which parts these moves lead from and to.
fn pairs(graph: &JumpGraph, parts: &Parts, moves: &[u32]) -> Vec<(u32, u32)> {
    let [rows, columns] = graph.terrain().shape();
    let labels = &parts.labels;
    let bands = parallel::bands(rows, |first, end| {
        let mut pairs = Vec::new();
        for_each_between(labels, moves, columns, (first, end), |i, j, _| {
            pairs.push((labels[i], labels[j]));
        });
        pairs
    });
    bands.concat()
}

/// Direct moves between parts, one per pair of parts.
fn passages(graph: &JumpGraph, parts: &Parts, moves: &[u32]) -> Vec<Passage> {
    let [rows, columns] = graph.terrain().shape();
    let labels = &parts.labels;
    let bands = parallel::bands(rows, |first, end| {
        let mut found = Vec::new();
        for_each_between(labels, moves, columns, (first, end), |i, j, k| {
            let kind = (k < NEIGHBOURS.len()).then(|| near_move(graph, i, j, CLOSE[k])).flatten();
            let (far, kind) = (kind.is_none(), kind.unwrap_or(MoveKind::Jump));
            let (from, to) = (i as u32, j as u32);
            found.push(Passage { parts: (labels[i], labels[j]), far, kind, from, to });
        });
        thin(&mut found);
        found
    });
    let mut all = bands.concat();
    thin(&mut all);
    all
}

/// Whether a passage is none of the longer jumps between regions of which the one leads to the other
/// without it: those that are left do not depend on which were found. Up to the size of a closure of all
/// pairs.
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
