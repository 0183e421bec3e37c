//! Moves between regions that are known: all between neighbours, and of the longer jumps at least
//! as many as tell which region leads to which.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::moves::MoveKind;
use crate::graph::near::near_move;
use crate::level::certificate::{length, passes, still_flies};
use crate::regions::passage::Passage;
use crate::regions::scc::Csr;
use crate::splice::Splice;
use crate::storage::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// Known moves by cells and by the labels of the regions that they join; kept under edits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Moves to neighbours of other regions, by the cell that they leave.
    near: BTreeMap<u32, Vec<Passage>>,
    /// Longer jumps, and which regions they join; and by landing.
    far: BTreeMap<(u32, u32), (u32, u32)>,
    far_into: BTreeSet<(u32, u32)>,
    /// `[units: cells]` None is longer along an axis.
    longest: usize,
    pairs: BTreeMap<(u32, u32), BTreeSet<Passage>>,
    /// The first move of each pair, in order, as it was before `touched` changed: it is read as a
    /// whole much faster than the map of pairs.
    passages: Vec<Passage>,
    /// The regions that these lead to, by labels, and those that lead to them.
    after: Csr,
    before: Csr,
    touched: Vec<(u32, u32)>,
    changes: Changes,
}

/// The changes since the last question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Pairs of regions that have come to be joined directly; some may have parted again.
    pub(crate) born: BTreeSet<(u32, u32)>,
    /// Pairs that were not joined directly any more; some may be again.
    pub(crate) died: BTreeSet<(u32, u32)>,
    /// Whether another move than before stands for any pair.
    pub(crate) any: bool,
}

impl Known {
    /// Of all cells, and of some longer jumps; `regions`: labels are below.
    pub(crate) fn new(
        graph: &JumpGraph<impl Storage>,
        labels: &[u32],
        regions: usize,
        passages: &[Passage],
    ) -> Self {
        let mut known = Self::default();
        let (footing, mut others) = (graph.footing(), Vec::new());
        for cell in (0..labels.len()).filter(|&cell| labels[cell] != NONE) {
            others.clear();
            others.extend(footing.neighbours(cell).map(|(j, _)| labels[j]));
            if others.iter().any(|&label| label != labels[cell] && label != NONE) {
                known.enter_near(graph, labels, cell as u32);
            }
        }
        for passage in passages.iter().filter(|passage| passage.far) {
            known.insert(graph.terrain(), labels, (passage.from, passage.to));
        }
        known.changes = Changes::default();
        known.touched = Vec::new();
        known.passages = known.pairs.values().filter_map(|all| all.first().copied()).collect();
        known.after = Csr::from_sorted(regions, known.passages.iter().map(|p| p.parts));
        known.before = known.after.turned();
        known
    }

    /// Enters the moves from a cell to its neighbours again.
    pub(crate) fn enter_near(
        &mut self,
        graph: &JumpGraph<impl Storage>,
        labels: &[u32],
        cell: u32,
    ) {
        let (footing, i) = (graph.footing(), cell as usize);
        let mut moves = Vec::new();
        if labels[i] != NONE {
            for (j, way) in footing.neighbours(i) {
                if labels[j] != NONE
                    && labels[j] != labels[i]
                    && let Some(kind) = near_move(graph, i, j, way)
                {
                    let (parts, to) = ((labels[i], labels[j]), j as u32);
                    moves.push(Passage { parts, far: false, kind, from: cell, to });
                }
            }
        }
        let before = self.near.get(&cell).map_or(&[][..], |moves| moves);
        if before == moves {
            return;
        }
        let before = self.near.remove(&cell).unwrap_or_default();
        before.iter().filter(|passage| !moves.contains(passage)).for_each(|p| self.drop(p));
        for passage in moves.iter().filter(|passage| !before.contains(passage)) {
            self.add(*passage);
        }
        if !moves.is_empty() {
            self.near.insert(cell, moves);
        }
    }

    /// Forgets the moves that are known from a place to another beside it.
    pub(crate) fn forget(&mut self, from: u32, to: u32) {
        let Some(moves) = self.near.get_mut(&from) else { return };
        let Some(at) = moves.iter().position(|passage| passage.to == to) else { return };
        let passage = moves.remove(at);
        if moves.is_empty() {
            self.near.remove(&from);
        }
        self.drop(&passage);
    }

    /// Follows places that come and go; nothing is known of those that go any more.
    ///
    /// # Complexity
    /// O(moves that are known).
    pub(crate) fn splice(&mut self, splice: Splice) {
        let moved = |passage: Passage| {
            let (from, to) = splice.ends((passage.from, passage.to))?;
            Some(Passage { from, to, ..passage })
        };
        let near = std::mem::take(&mut self.near).into_iter();
        self.near = near
            .filter_map(|(from, moves)| {
                Some((splice.number(from)?, moves.into_iter().filter_map(moved).collect()))
            })
            .collect();
        let far = std::mem::take(&mut self.far).into_iter();
        self.far = far.filter_map(|(jump, parts)| Some((splice.ends(jump)?, parts))).collect();
        let into = std::mem::take(&mut self.far_into).into_iter();
        self.far_into = into.filter_map(|ends| splice.ends(ends)).collect();
        for passages in self.pairs.values_mut() {
            *passages = std::mem::take(passages).into_iter().filter_map(moved).collect();
        }
        // Passages whose places have gone are among the touched ones, and are read from the pairs.
        for passage in &mut self.passages {
            *passage = moved(*passage).unwrap_or(*passage);
        }
    }

    /// Takes in a longer jump.
    pub(crate) fn insert(&mut self, level: &impl Storage, labels: &[u32], jump: (u32, u32)) {
        let parts = (labels[jump.0 as usize], labels[jump.1 as usize]);
        if self.far.insert(jump, parts).is_none() {
            self.far_into.insert((jump.1, jump.0));
            self.longest = self.longest.max(length(level, jump));
            self.add(far_passage(parts, jump));
        }
    }

    /// Takes out the longer jumps that an edit of a column blocks; those that end there stay if
    /// they show that they still exist. `blocks`: flights over it may have come to be blocked.
    pub(crate) fn take_out_over(
        &mut self,
        graph: &JumpGraph<impl Storage>,
        edited: usize,
        blocks: bool,
    ) {
        let level = graph.terrain();
        let [rows, columns] = level.shape();
        let (cell, span) = ([edited / columns, edited % columns], self.longest + 1);
        let around =
            |axis: usize, n: usize| cell[axis].saturating_sub(span)..(cell[axis] + span + 1).min(n);
        let own = level.places(edited);
        let is_own = |place: u32| own.contains(&(place as usize));
        let mut gone = Vec::new();
        for y in around(0, rows).filter(|_| self.longest > 0) {
            let xs = around(1, columns);
            let row = level.run(y * columns + xs.start..y * columns + xs.end);
            if row.is_empty() {
                continue;
            }
            let row = [row.start, row.end - 1].map(|i| i as u32);
            for (&jump, _) in self.far.range((row[0], 0)..=(row[1], NONE)) {
                let meets = blocks || is_own(jump.0) || is_own(jump.1);
                if meets && passes(graph, jump.0, jump.1, edited) && !still_flies(graph, jump) {
                    gone.push(jump);
                }
            }
        }
        for jump in gone {
            self.take_out(jump);
        }
    }

    /// Follows a new label of a cell in the longer jumps from and to it.
    pub(crate) fn enter_far(&mut self, labels: &[u32], cell: u32) {
        let out = self.far.range((cell, 0)..=(cell, NONE)).map(|(&jump, _)| jump);
        let into = self.far_into.range((cell, 0)..=(cell, NONE)).map(|&(to, from)| (from, to));
        for jump in out.chain(into).collect::<Vec<_>>() {
            let new = (labels[jump.0 as usize], labels[jump.1 as usize]);
            if self.far.get(&jump) == Some(&new) {
                continue;
            }
            if new.0 == new.1 || new.0 == NONE || new.1 == NONE {
                self.take_out(jump);
            } else if let Some(old) = self.far.insert(jump, new) {
                self.drop(&far_passage(old, jump));
                self.add(far_passage(new, jump));
            }
        }
    }

    /// The regions to which moves lead directly from one.
    pub(crate) fn after_one(&self, label: u32) -> impl Iterator<Item = u32> + '_ {
        self.pairs.range((label, 0)..=(label, NONE)).map(|(&(_, to), _)| to)
    }

    pub(crate) fn joins(&self, parts: (u32, u32)) -> bool {
        self.pairs.contains_key(&parts)
    }

    /// One move for each pair of regions that are joined directly, rather one between neighbours;
    /// in the order of these pairs.
    pub(crate) fn passages(&self) -> &[Passage] {
        debug_assert!(self.touched.is_empty(), "passages are refreshed before they are read");
        &self.passages
    }

    /// The regions that these moves lead to, by labels.
    pub(crate) fn after(&self) -> &Csr {
        &self.after
    }

    /// Which regions lead there.
    pub(crate) fn before(&self) -> &Csr {
        &self.before
    }

    /// Brings [`Known::passages`] up to date; `regions`: labels are below.
    ///
    /// # Complexity
    /// O(pairs + regions) where anything has changed.
    pub(crate) fn refresh(&mut self, regions: usize) {
        if self.touched.is_empty() && self.after.nodes() == regions {
            return;
        }
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        let before = std::mem::take(&mut self.passages);
        let mut all = Vec::with_capacity(before.len() + touched.len());
        let mut rest = &before[..];
        for &pair in &touched {
            let (less, more) = rest.split_at(rest.partition_point(|p| p.parts < pair));
            all.extend_from_slice(less);
            all.extend(self.pairs.get(&pair).and_then(BTreeSet::first));
            rest = if more.first().is_some_and(|p| p.parts == pair) { &more[1..] } else { more };
        }
        all.extend_from_slice(rest);
        self.passages = all;
        let is_in = |pair| self.pairs.contains_key(&pair);
        self.after = self.after.with(regions, touched.iter().map(|&pair| (pair, is_in(pair))));
        let mut turned: Vec<(u32, u32)> = touched.iter().map(|&(from, to)| (to, from)).collect();
        turned.sort_unstable();
        let is_in = |(to, from)| is_in((from, to));
        self.before = self.before.with(regions, turned.iter().map(|&pair| (pair, is_in(pair))));
        touched.clear();
        self.touched = touched;
    }

    /// Takes the changes; there are none after that.
    pub(crate) fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    fn take_out(&mut self, jump: (u32, u32)) {
        if let Some(parts) = self.far.remove(&jump) {
            self.far_into.remove(&(jump.1, jump.0));
            self.drop(&far_passage(parts, jump));
        }
    }

    fn add(&mut self, passage: Passage) {
        let all = self.pairs.entry(passage.parts).or_default();
        if all.is_empty() {
            self.changes.born.insert(passage.parts);
        }
        if all.first().is_none_or(|first| passage < *first) {
            self.changes.any = true;
            self.touched.push(passage.parts);
        }
        all.insert(passage);
    }

    fn drop(&mut self, passage: &Passage) {
        let Some(all) = self.pairs.get_mut(&passage.parts) else { return };
        if all.first() == Some(passage) {
            self.changes.any = true;
            self.touched.push(passage.parts);
        }
        all.remove(passage);
        if all.is_empty() {
            self.pairs.remove(&passage.parts);
            self.changes.died.insert(passage.parts);
        }
    }
}

fn far_passage(parts: (u32, u32), (from, to): (u32, u32)) -> Passage {
    Passage { parts, far: true, kind: MoveKind::Jump, from, to }
}
