//! Which region leads to which after an edit: where that is in question, jumps are looked for.

use crate::certificate::{Goal, passes};
use crate::closure::Leading;
use crate::dynamic::{Dynamic, Edit};
use crate::exact::{Effort, Verdict};
use crate::graph::{End, JumpGraph};
use crate::groups::NONE;
use crate::known::Changes;
use crate::near::Along;
use crate::parallel;
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
    /// The regions at the other end, in order.
    others: Vec<u32>,
}

impl Dynamic {
    /// Finds out who leads where; whether that, or what shows it, is not what it was.
    pub(crate) fn settle(&mut self, graph: &JumpGraph, edit: Edit) -> bool {
        let changes = self.known.take_changes();
        let mut asked = Asked::default();
        let mut dirty = changes.any;
        if !self.leads_as_before(&changes) {
            dirty = true;
            let new = self.leads_now();
            let before = std::mem::replace(&mut self.leading, new);
            for part in self.parts(&self.lost(&before, &changes)) {
                asked.merge(self.ask_part(graph, &part));
            }
        }
        self.ask_around(graph, edit, &mut asked);
        let again: Vec<_> = self.open.iter().copied().collect();
        for (from, to) in again {
            let [a, b] = [from, to].map(|cell| self.labels[cell as usize]);
            let is_over = passes(graph, from, to, edit.cell as u32);
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
        dirty
    }

    fn leads_now(&self) -> Leading {
        Leading::new(self.sizes.len(), self.known.pairs())
    }

    /// Whether it is certain that everybody still leads where he did. Where no region has come or gone,
    /// all have a way around what died, and what was born led there before.
    fn leads_as_before(&self, changes: &Changes) -> bool {
        let leads = |from: u32, to: u32| self.leading.leads(from, to);
        let there = |label: u32| self.sizes[label as usize] > 0;
        self.origins.is_empty()
            && changes.born.iter().all(|&(from, to)| leads(from, to))
            && changes.died.iter().all(|&(from, to)| {
                there(from)
                    && there(to)
                    && (self.known.joins((from, to))
                        || self.known.after(from).any(|next| leads(next, to)))
            })
    }

    /// Pairs of regions of which the one led to the other before and does not any more. Along a lost way
    /// there is a first region that its beginning does not lead to any more, to some part of it at
    /// least: a move to it has died, or it fell apart. The same holds from its end.
    fn lost(&self, before: &Leading, changes: &Changes) -> Vec<(u32, u32)> {
        let torn = || self.origins.values().filter(|&&origin| origin != NONE);
        let mut seeds: BTreeSet<(u32, u32)> = changes.died.clone();
        seeds.extend(torn().map(|&origin| (origin, origin)));
        let labels: Vec<(u32, u32)> = (0..self.sizes.len() as u32)
            .filter(|&label| self.sizes[label as usize] > 0)
            .map(|label| (label, self.origin(label)))
            .collect();
        // What there is of a region now.
        let parts = |old: u32| -> Vec<u32> {
            let whole = [old].into_iter().filter(|&l| self.origin(l) == l);
            let off = self.origins.iter().filter(|&(_, &origin)| origin == old).map(|(&l, _)| l);
            let there = |label: &u32| self.sizes.get(*label as usize).is_some_and(|&size| size > 0);
            whole.chain(off).filter(there).collect()
        };
        let seeds: Vec<_> =
            seeds.into_iter().map(|(from, to)| ((from, parts(from)), (to, parts(to)))).collect();
        let led = |from: u32, to: u32| {
            let known = before.nodes() as u32;
            from < known && to < known && before.leads(from, to)
        };
        let all = |parts: &[u32], such: &dyn Fn(u32) -> bool| {
            !parts.is_empty() && parts.iter().all(|&part| such(part))
        };
        let leads = |from: u32, to: u32| self.leading.leads(from, to);
        let begins = |&&(x, before): &&(u32, u32)| {
            seeds.iter().any(|((from, _), (_, parts))| {
                led(before, *from) && !all(parts, &|part| leads(x, part))
            })
        };
        let ends = |&&(y, before): &&(u32, u32)| {
            seeds.iter().any(|((_, parts), (to, _))| {
                led(*to, before) && !all(parts, &|part| leads(part, y))
            })
        };
        let targets: Vec<_> = labels.iter().filter(ends).collect();
        let mut lost = Vec::new();
        for &(from, from_before) in labels.iter().filter(begins) {
            for &&(to, to_before) in &targets {
                if !leads(from, to) && led(from_before, to_before) {
                    lost.push((from, to));
                }
            }
        }
        lost
    }

    /// Few regions at one end of each of these pairs, with what is at the other.
    fn parts(&mut self, pairs: &[(u32, u32)]) -> Vec<Part> {
        let size = |label: u32| self.sizes[label as usize] as usize;
        let mut plans = [End::Launch, End::Landing].map(|end| {
            let own = |&(from, to): &(u32, u32)| match end {
                End::Launch => (from, to),
                End::Landing => (to, from),
            };
            let mut sorted: Vec<(u32, u32)> = pairs.iter().map(own).collect();
            sorted.sort_unstable();
            // All of a region at once, or each that it is paired with, whichever has fewer cells.
            let mut plan: BTreeMap<(bool, u32), Vec<u32>> = BTreeMap::new();
            for of_one in sorted.chunk_by(|a, b| a.0 == b.0) {
                let own = of_one[0].0;
                let others: usize = of_one.iter().map(|&(_, other)| size(other)).sum();
                let is_own = size(own) <= others;
                let side = is_own == (end == End::Launch);
                let others = of_one.iter().map(|&(_, other)| other);
                if is_own {
                    plan.entry((side, own)).or_default().extend(others);
                } else {
                    others.for_each(|other| plan.entry((side, other)).or_default().push(own));
                }
            }
            plan
        });
        let cost = |plan: &BTreeMap<(bool, u32), Vec<u32>>| -> usize {
            plan.keys().map(|&(_, label)| size(label)).sum()
        };
        let best = usize::from(cost(&plans[1]) < cost(&plans[0]));
        let plan = std::mem::take(&mut plans[best]);
        plan.into_iter()
            .map(|((launches, label), mut others)| {
                others.sort_unstable();
                let end = if launches { End::Launch } else { End::Landing };
                Part { end, cells: self.cells(label), others }
            })
            .collect()
    }

    /// All cells of a region.
    fn cells(&mut self, label: u32) -> Vec<u32> {
        let everywhere = (Along::Moves, self.first(label));
        self.certificate.search(&self.labels, everywhere, Goal::All, usize::MAX).cells
    }

    /// Jumps between a region and others.
    fn ask_part(&self, graph: &JumpGraph, part: &Part) -> Asked {
        let (mut asked, mut space) = (Asked::default(), Vec::new());
        for &cell in &part.cells {
            let own = self.labels[cell as usize];
            let wanted = |label: u32| {
                let parts = if part.end == End::Launch { (own, label) } else { (label, own) };
                part.others.binary_search(&label).is_ok() && !asked.found.contains_key(&parts)
            };
            space.clear();
            self.scan(graph, cell, part.end, wanted, &mut space);
            for &other in &space {
                let jump = if part.end == End::Launch { (cell, other) } else { (other, cell) };
                self.ask(graph, jump, &mut asked);
            }
        }
        asked
    }

    /// Jumps from and to an edited cell, and over it where that is lower now.
    fn ask_around(&self, graph: &JumpGraph, edit: Edit, asked: &mut Asked) {
        let edited = edit.cell as u32;
        let mut cells = vec![edited];
        if !graph.is_point() {
            // A body passes over more cells than the two, also where it stands.
            let block = graph.block(graph.terrain().cell(edit.cell));
            cells = block.into_iter().map(|i| i as u32).collect();
        }
        let mut space = Vec::new();
        for &cell in cells.iter().filter(|&&cell| self.labels[cell as usize] != NONE) {
            let own = self.labels[cell as usize];
            space.clear();
            self.scan(
                graph,
                cell,
                End::Launch,
                |label| !self.leading.leads(own, label),
                &mut space,
            );
            for &other in &space {
                self.ask(graph, (cell, other), asked);
            }
            space.clear();
            self.scan(
                graph,
                cell,
                End::Landing,
                |label| !self.leading.leads(label, own),
                &mut space,
            );
            for &other in &space {
                self.ask(graph, (other, cell), asked);
            }
        }
        if edit.frees {
            self.ask_over(graph, edit, &cells, asked);
        }
    }

    /// Cells within reach of one whose regions are such, the nearest first.
    fn scan(
        &self,
        graph: &JumpGraph,
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
    pub(crate) fn ask(&self, graph: &JumpGraph, (from, to): (u32, u32), asked: &mut Asked) {
        let parts = (self.labels[from as usize], self.labels[to as usize]);
        if parts.0 == NONE
            || parts.1 == NONE
            || asked.found.contains_key(&parts)
            || self.leading.leads(parts.0, parts.1)
            || !graph.within_reach(from as usize, to as usize)
        {
            return;
        }
        if graph.shows_jump(from as usize, to as usize, Effort::Look) {
            asked.found.insert(parts, (from, to));
        } else {
            asked.left.push((parts, (from, to)));
        }
    }

    /// Takes in what was found, and decides what is left where that does not lead; whether there is
    /// anything new.
    fn decide(&mut self, graph: &JumpGraph, asked: Asked) -> bool {
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
            let label = |cell: u32| self.labels[cell as usize];
            let leading = &self.leading;
            self.open.retain(|&(from, to)| !leading.leads(label(from), label(to)));
            self.known.take_changes();
        }
        dirty
    }

    /// Takes in jumps that were found.
    fn take_in(&mut self, graph: &JumpGraph, jumps: impl Iterator<Item = (u32, u32)>) {
        let mut is_known = true;
        for jump in jumps {
            self.known.insert(&self.labels, jump, graph.terrain().shape()[1]);
            let [from, to] = [jump.0, jump.1].map(|cell| self.labels[cell as usize]);
            is_known = is_known && self.leading.insert(from, to);
        }
        if !is_known {
            self.leading = self.leads_now();
        }
    }

    /// Makes one region of those that lead to each other.
    fn merge(&mut self, graph: &JumpGraph) {
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
        let columns = graph.terrain().shape()[1];
        for passage in self.known.passages().filter(|passage| passage.far) {
            let (from, to) = passage.parts;
            if component[from as usize] == component[to as usize] {
                self.certificate.insert((passage.from, passage.to), columns);
            }
        }
        let keeps: Vec<u32> = component.iter().map(|&c| keeps[c as usize]).collect();
        let mut changed = Vec::new();
        for label in 0..self.sizes.len() as u32 {
            let keeps = keeps[label as usize];
            if self.sizes[label as usize] > 0 && keeps != label {
                let cells = self.cells(label);
                for &cell in &cells {
                    self.assign(cell, keeps);
                }
                if keeps == self.main {
                    self.trees.join(&cells);
                }
                changed.extend(cells);
            }
        }
        self.trees.mend(&self.certificate, &self.labels, false);
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
fn decide_one(graph: &JumpGraph, jumps: &[Question]) -> Vec<((u32, u32), Verdict)> {
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
