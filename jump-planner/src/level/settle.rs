//! Which region leads to which after an edit: where that is in question, jumps are looked for.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::reach::End;
use crate::jump::exact::{Effort, Verdict};
use crate::level::certificate::{Goal, passes};
use crate::level::dynamic::{Dynamic, Edit};
use crate::level::known::Changes;
use crate::parallel;
use crate::regions::links::Along;
use crate::storage::Storage;
use std::collections::{BTreeMap, BTreeSet};

/// A pair of regions, by labels, and a jump from the one to the other.
type Question = ((u32, u32), (u32, u32));

/// Jumps that are in question: those that one look found, and those that it did not.
#[derive(Default)]
pub(crate) struct Asked {
    found: BTreeMap<(u32, u32), (u32, u32)>,
    left: Vec<Question>,
}

/// A region from whose cells jumps are looked for, or to which.
struct Part {
    end: End,
    cells: Vec<u32>,
    /// The regions at the other end.
    others: Vec<u32>,
}

impl<T: Storage> Dynamic<T> {
    /// Finds out which region leads to which. Whether that, or a move that shows it, has changed.
    pub(crate) fn settle(&mut self, graph: &JumpGraph<T>, edit: Edit) -> bool {
        let changes = self.known.take_changes();
        let mut asked = Asked::default();
        let mut dirty = changes.any;
        if !self.leads_as_before(&changes) {
            dirty = true;
            let lost = self.draw_leading(&changes);
            let parts = self.parts(graph.terrain(), &lost);
            let mut is_other = vec![false; self.sizes.len()];
            for part in parts {
                asked.merge(self.ask_part(graph, &part, &mut is_other));
            }
        }
        self.ask_around(graph, edit, &mut asked);
        let again: Vec<_> = self.open.iter().copied().collect();
        for (from, to) in again {
            let [a, b] = [from, to].map(|cell| self.labels[cell as usize]);
            let is_over = passes(graph, from, to, edit.column);
            if a == NONE || b == NONE || self.leading.leads(a, b) || is_over {
                dirty |= self.open.remove(&(from, to));
            }
            if is_over {
                self.ask(graph, (from, to), &mut asked);
            }
        }
        dirty |= self.decide(graph, asked);
        if self.leading.has_cycles() {
            self.merge(graph);
        }
        if dirty {
            // Jumps that are open matter no more where the one region leads to the other anyway.
            let label = |cell: u32| self.labels[cell as usize];
            let leading = &self.leading;
            self.open.retain(|&(from, to)| !leading.leads(label(from), label(to)));
        }
        dirty
    }

    /// Whether it is certain that every region still leads to the same regions. If no region has
    /// come or gone, that is so if there is a way around each move that died, and each new move
    /// leads to a region that was led to before.
    fn leads_as_before(&self, changes: &Changes) -> bool {
        let leads = |from: u32, to: u32| self.leading.leads(from, to);
        let there = |label: u32| self.sizes[label as usize] > 0;
        self.origins.is_empty()
            && changes.born.iter().all(|&(from, to)| leads(from, to))
            && changes.died.iter().all(|&(from, to)| {
                there(from)
                    && there(to)
                    && (self.known.joins((from, to))
                        || self.known.after_one(from).any(|next| leads(next, to)))
            })
    }

    /// Follows which region leads to which, by the moves that are known now. Returns the pairs of
    /// regions of which the first led to the second before and does not any more. A new region
    /// counts as the one that it was a part of.
    fn draw_leading(&mut self, changes: &Changes) -> Vec<(u32, u32)> {
        let mut is_old: Vec<bool> = self.sizes.iter().map(|&size| size > 0).collect();
        self.origins.keys().for_each(|&label| is_old[label as usize] = false);
        let new: Vec<(u32, u32)> = (self.origins.iter())
            .map(|(&label, &origin)| (label, origin))
            .filter(|&(label, origin)| self.sizes[label as usize] > 0 && origin != NONE)
            .collect();
        // The regions that led to ones that have fallen apart, and those that these led to.
        let origins: BTreeSet<u32> = new.iter().map(|&(_, origin)| origin).collect();
        let leading = &self.leading;
        let ways = |&origin: &u32| {
            let [into, out]: [Vec<u32>; 2] =
                [leading.before(origin).collect(), leading.after(origin).collect()];
            (origin, (into, out))
        };
        let before: BTreeMap<u32, _> = origins.iter().map(ways).collect();
        self.known.refresh(self.sizes.len());
        let links = [self.known.after(), self.known.before()];
        let all_new: Vec<u32> = self.origins.keys().copied().collect();
        let mut lost = self.leading.follow(links, changes, &all_new, &is_old);
        let mut check = |from: u32, to: u32| {
            if !self.leading.leads(from, to) {
                lost.push((from, to));
            }
        };
        for &(label, origin) in &new {
            let (into, out) = &before[&origin];
            into.iter().filter(|&&from| is_old[from as usize]).for_each(|&from| check(from, label));
            out.iter().filter(|&&to| is_old[to as usize]).for_each(|&to| check(label, to));
            for &(to, _) in new.iter().filter(|(_, origin)| out.binary_search(origin).is_ok()) {
                check(label, to);
            }
        }
        lost
    }

    /// Few regions at one end of each of these pairs, with the regions at the other end. Each pair
    /// comes once.
    fn parts(&mut self, level: &T, pairs: &[(u32, u32)]) -> Vec<Part> {
        let nodes = self.sizes.len();
        let size = |label: u32| self.sizes[label as usize] as usize;
        let end = |side: usize| if side == 0 { End::Launch } else { End::Landing };
        let Some(&(from, to)) = pairs.first() else { return Vec::new() };
        // Most often all pairs share one end. That is asked alone, unless it has more cells than
        // the others together; where both cost the same, launches are asked, as below.
        for (side, label) in [(0, from), (1, to)] {
            let at = |side: usize| {
                pairs.iter().map(move |&(from, to)| if side == 0 { from } else { to })
            };
            let others = || at(1 - side);
            let is_one = at(side).all(|other| other == label);
            if is_one && size(label) + side <= others().map(size).sum() {
                let others = others().collect();
                return vec![Part { end: end(side), cells: self.cells(level, label), others }];
            }
        }
        let mut opposite = [vec![0_usize; nodes], vec![0_usize; nodes]];
        for &(from, to) in pairs {
            opposite[0][from as usize] += size(to);
            opposite[1][to as usize] += size(from);
        }
        // All of a region at once, or each that it is paired with, whichever has fewer cells: for
        // all launches, or for all landings. Then the region to ask of a pair, and at which end it
        // is.
        let whom = |by: usize, (from, to): (u32, u32)| {
            let ends = [from, to];
            let own = ends[by];
            let side = if size(own) <= opposite[by][own as usize] { by } else { 1 - by };
            (side, ends[side], ends[1 - side])
        };
        let cells = |by: usize| {
            let mut is_asked = [vec![false; nodes], vec![false; nodes]];
            let asked = |pair: &(u32, u32)| {
                let (side, label, _) = whom(by, *pair);
                let again = std::mem::replace(&mut is_asked[side][label as usize], true);
                if again { 0 } else { size(label) }
            };
            pairs.iter().map(asked).sum::<usize>()
        };
        let by = usize::from(cells(1) < cells(0));
        let mut plan: Vec<_> = pairs.iter().map(|&pair| whom(by, pair)).collect();
        plan.sort_unstable();
        let parts = plan.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|chunk| {
            let (side, label, _) = chunk[0];
            let others = chunk.iter().map(|&(_, _, other)| other).collect();
            Part { end: end(side), cells: self.cells(level, label), others }
        });
        parts.collect()
    }

    /// All cells of a region.
    fn cells(&mut self, level: &T, label: u32) -> Vec<u32> {
        let everywhere = (Along::Moves, self.first(label));
        self.certificate.search(level, &self.labels, everywhere, Goal::All, usize::MAX).cells
    }

    /// Jumps between a region and others; `is_other` is false of all regions.
    fn ask_part(&self, graph: &JumpGraph<T>, part: &Part, is_other: &mut [bool]) -> Asked {
        let (mut asked, mut space) = (Asked::default(), Vec::new());
        part.others.iter().for_each(|&label| is_other[label as usize] = true);
        for &cell in &part.cells {
            let own = self.labels[cell as usize];
            let wanted = |label: u32| {
                is_other[label as usize] && !asked.found.contains_key(&part.end.with(own, label))
            };
            space.clear();
            self.scan(graph, cell, part.end, wanted, &mut space);
            for &other in &space {
                self.ask(graph, part.end.with(cell, other), &mut asked);
            }
        }
        part.others.iter().for_each(|&label| is_other[label as usize] = false);
        asked
    }

    /// Jumps from and to an edited cell, and over it where that is lower now.
    fn ask_around(&self, graph: &JumpGraph<T>, edit: Edit, asked: &mut Asked) {
        let mut cells: Vec<u32> =
            graph.terrain().places(edit.column).map(|place| place as u32).collect();
        if !graph.is_point() {
            // A body passes over more cells than the two, also where it stands.
            cells = graph.block(edit.column).into_iter().map(|i| i as u32).collect();
        }
        let mut space = Vec::new();
        for &cell in cells.iter().filter(|&&cell| self.labels[cell as usize] != NONE) {
            let own = self.labels[cell as usize];
            for end in [End::Launch, End::Landing] {
                let wanted = |label: u32| {
                    let (from, to) = end.with(own, label);
                    !self.leading.leads(from, to)
                };
                space.clear();
                self.scan(graph, cell, end, wanted, &mut space);
                for &other in &space {
                    self.ask(graph, end.with(cell, other), asked);
                }
            }
        }
        if let Some(freed) = edit.frees {
            self.ask_over(graph, edit, freed, &cells, asked);
        }
    }

    /// Cells within reach of one whose regions are such, the nearest first.
    fn scan(
        &self,
        graph: &JumpGraph<T>,
        cell: u32,
        end: End,
        such: impl Fn(u32) -> bool,
        space: &mut Vec<u32>,
    ) {
        let dull = |tile: usize| self.tiles.all(tile, |label| !such(label));
        let wanted = |j: usize| self.labels[j] != NONE && such(self.labels[j]);
        graph.scan(cell as usize, end, usize::MAX, dull, wanted, space);
    }

    /// Looks at a jump within reach.
    pub(crate) fn ask(&self, graph: &JumpGraph<T>, (from, to): (u32, u32), asked: &mut Asked) {
        let parts = (self.labels[from as usize], self.labels[to as usize]);
        if parts.0 == NONE
            || parts.1 == NONE
            || asked.found.contains_key(&parts)
            || self.leading.leads(parts.0, parts.1)
            || !graph.within_reach(from as usize, to as usize)
            || graph.is_hopeless(from as usize, to as usize)
        {
            return;
        }
        if graph.shows_jump(from as usize, to as usize, Effort::Look) {
            asked.found.insert(parts, (from, to));
        } else {
            asked.left.push((parts, (from, to)));
        }
    }

    /// Takes in the moves that were found, and decides the others where those do not lead; tells
    /// whether anything is new.
    fn decide(&mut self, graph: &JumpGraph<T>, asked: Asked) -> bool {
        let mut dirty = !asked.found.is_empty();
        self.take_in(graph, asked.found.values().copied());
        let mut left = asked.left;
        left.retain(|&((from, to), _)| !self.leading.leads(from, to));
        left.sort_unstable();
        left.dedup();
        let groups: Vec<_> = left.chunk_by(|a, b| a.0 == b.0).collect();
        let decided =
            parallel::pieces(groups.len(), 1, |first, _| decide_one(graph, groups[first]));
        let mut found = Vec::new();
        for (jump, verdict) in decided.into_iter().flatten() {
            match verdict {
                Verdict::Clear(_) => found.push(jump),
                Verdict::Marginal(_) => dirty |= self.open.insert(jump),
                Verdict::Blocked => {}
            }
        }
        dirty |= !found.is_empty();
        self.take_in(graph, found.into_iter());
        if dirty {
            self.known.take_changes();
        }
        dirty
    }

    /// Takes in jumps that were found.
    fn take_in(&mut self, graph: &JumpGraph<T>, jumps: impl Iterator<Item = (u32, u32)>) {
        for jump in jumps {
            self.known.insert(graph.terrain(), &self.labels, jump);
            let [from, to] = [jump.0, jump.1].map(|cell| self.labels[cell as usize]);
            self.leading.insert(from, to);
        }
    }

    /// Makes one region of those that lead to each other.
    fn merge(&mut self, graph: &JumpGraph<T>) {
        let component = self.leading.component();
        // The region of each component that keeps its label.
        let mut keeps = vec![NONE; component.len()];
        for label in (0..self.sizes.len() as u32).filter(|&l| self.sizes[l as usize] > 0) {
            let keeps = &mut keeps[component[label as usize] as usize];
            let rank = |l: u32| (l == self.main, self.sizes[l as usize], std::cmp::Reverse(l));
            if *keeps == NONE || rank(label) > rank(*keeps) {
                *keeps = label;
            }
        }
        let level = graph.terrain();
        self.known.refresh(self.sizes.len());
        for passage in self.known.passages().iter().filter(|passage| passage.far) {
            let (from, to) = passage.parts;
            if component[from as usize] == component[to as usize] {
                self.certificate.insert(level, (passage.from, passage.to));
            }
        }
        let keeps: Vec<u32> = component.iter().map(|&c| keeps[c as usize]).collect();
        let mut changed = Vec::new();
        for label in 0..self.sizes.len() as u32 {
            let keeps = keeps[label as usize];
            if self.sizes[label as usize] > 0 && keeps != label {
                let cells = self.cells(level, label);
                for &cell in &cells {
                    self.assign(level, cell, keeps);
                }
                if keeps == self.main {
                    self.trees.join(&cells);
                }
                changed.extend(cells);
            }
        }
        self.trees.mend(level, &self.certificate, &self.labels, false);
        self.enter(graph, &changed, None);
        self.leading.forget_cycles();
        self.known.take_changes();
    }
}

impl Asked {
    fn merge(&mut self, mut other: Self) {
        self.found.append(&mut other.found);
        self.left.append(&mut other.left);
    }
}

/// Decides jumps between two regions, until one is found.
fn decide_one<T: Storage>(graph: &JumpGraph<T>, jumps: &[Question]) -> Vec<((u32, u32), Verdict)> {
    let verdict =
        |&(_, (from, to)): &Question| ((from, to), graph.verdict(from as usize, to as usize));
    let likely = |&&(_, (from, to)): &&Question| {
        graph.shows_jump(from as usize, to as usize, Effort::Ascent)
    };
    if let Some(jump) = jumps.iter().find(likely) {
        return vec![verdict(jump)];
    }
    let mut verdicts = Vec::new();
    for jump in jumps {
        verdicts.push(verdict(jump));
        if verdicts.last().is_some_and(|(_, verdict)| verdict.is_clear()) {
            break;
        }
    }
    verdicts
}
