//! Whether a region is still connected where moves are gone.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::reach::End;
use crate::jump::exact::Effort;
use crate::level::certificate::{Ends, Goal, Lost, Seen};
use crate::level::dynamic::Dynamic;
use crate::regions::links::Along;
use crate::storage::Storage;

/// `[units: cells]` So many are seen in search of a detour; after that, all is made again.
const FAR: [usize; 6] = [1 << 7, 1 << 9, 1 << 11, 1 << 13, 1 << 15, 1 << 17];
/// Jumps are looked for where one has seen so many in vain.
const FAR_ENOUGH: usize = FAR[2];
/// From so many cells jumps are looked for where there is no detour, and so many from each.
const BRIDGES: usize = 32;
const LOOKS: usize = 4;

/// The ends of moves that have gone: the first one led to the others, by them.
pub(crate) struct Torn {
    pub(crate) from: u32,
    pub(crate) to: Vec<u32>,
}

impl<T: Storage> Dynamic<T> {
    /// Cuts out the cells that have fallen off regions where moves are gone, and appends them.
    /// `false` if they are not known after a long search.
    pub(crate) fn hold(
        &mut self,
        graph: &JumpGraph<T>,
        mut torn: Vec<Torn>,
        changed: &mut Vec<u32>,
    ) -> bool {
        let level = graph.terrain();
        let is_whole = self.trees.mend(level, &self.certificate, &self.labels, true);
        while let Some(mut gone) = torn.pop() {
            let label = self.labels[gone.from as usize];
            if is_whole && label == self.main {
                continue;
            }
            gone.to.retain(|&to| self.labels[to as usize] == label && to != gone.from);
            if label == NONE || gone.to.is_empty() {
                continue;
            }
            let Some(mut off) = self.fallen_off(graph, &gone) else { return false };
            if off.is_empty() {
                continue;
            }
            // A way that led over cells that have fallen off needs a detour.
            off.sort_unstable();
            let is_off = |cell: &u32| off.binary_search(cell).is_ok();
            let (mut from, mut to) = (Vec::new(), Vec::new());
            for &cell in &off {
                for (along, ends) in [(Along::Reverse, &mut from), (Along::Moves, &mut to)] {
                    self.certificate.moves(level, along, cell, |other| {
                        if self.labels[other as usize] == label && !is_off(&other) {
                            ends.push(other);
                        }
                    });
                }
            }
            torn.push(gone);
            for gone in &torn {
                if is_off(&gone.from) {
                    to.extend(gone.to.iter().filter(|cell| !is_off(cell)));
                } else if gone.to.iter().any(is_off) {
                    from.push(gone.from);
                }
            }
            for ends in [&mut from, &mut to] {
                ends.sort_unstable();
                ends.dedup();
            }
            torn.extend(from.into_iter().map(|from| Torn { from, to: to.clone() }));
            self.cut_out(level, &mut off);
            changed.extend(off);
        }
        if !is_whole {
            self.trees.mend(level, &self.certificate, &self.labels, false);
        }
        true
    }

    /// The cells that lead to no others of their region, or to which no others lead; none if there
    /// are other ways. `None` if that is not known after a long search.
    fn fallen_off(&mut self, graph: &JumpGraph<T>, gone: &Torn) -> Option<Vec<u32>> {
        let level = graph.terrain();
        for most in FAR {
            let mut best: Option<Vec<u32>> = None;
            let mut offer = |seen: Seen| {
                let smaller = best.as_ref().is_none_or(|best| seen.cells.len() < best.len());
                if seen.ended && smaller {
                    best = Some(seen.cells);
                }
            };
            let (from, goal) = ((Along::Moves, gone.from), Goal::Cells(&gone.to));
            let seen = self.certificate.search(level, &self.labels, from, goal, most);
            let missed = gone.to.iter().copied();
            let missed = missed.filter(|&end| !self.certificate.saw(seen.stamp, end));
            let mut lost = false;
            for end in missed.collect::<Vec<_>>() {
                let (from, goal) = ((Along::Reverse, end), Goal::Seen(seen.stamp));
                let back = self.certificate.search(level, &self.labels, from, goal, most);
                let mut bridged = || most == FAR_ENOUGH && self.bridge(graph, &seen, &back);
                if !back.met && !bridged() {
                    lost = true;
                    offer(back);
                }
            }
            if !lost {
                return Some(Vec::new());
            }
            offer(seen);
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// Looks for a jump from cells that one search saw to cells that the other saw, beginning with
    /// those that the first one saw first.
    fn bridge(&mut self, graph: &JumpGraph<T>, seen: &Seen, back: &Seen) -> bool {
        let mut space = Vec::new();
        for &cell in back.cells.iter().take(BRIDGES) {
            space.clear();
            let wanted = |i: usize| self.certificate.saw(seen.stamp, i as u32);
            let (end, most) = (End::Landing, usize::MAX);
            graph.scan(cell as usize, end, most, |_| false, wanted, &mut space);
            for &from in space.iter().take(LOOKS) {
                if graph.shows_jump(from as usize, cell as usize, Effort::Look) {
                    self.certificate.insert(graph.terrain(), (from, cell));
                    return true;
                }
            }
        }
        false
    }

    /// Regions of their own for cells that have fallen off theirs.
    fn cut_out(&mut self, level: &T, cells: &mut Vec<u32>) {
        let (component, count) = self.certificate.components(level, cells);
        let before = self.labels[cells[0] as usize];
        if before == self.main {
            self.trees.leave(level, &self.certificate, cells);
        }
        let origin = self.origin(before);
        let labels: Vec<u32> = (0..count).map(|_| self.fresh(origin)).collect();
        for (&cell, &component) in cells.iter().zip(&component) {
            self.assign(level, cell, labels[component as usize]);
        }
    }
}

/// The moves of certificates that have gone. `stays`: whether an edited place stays in its region.
pub(crate) fn torn(lost: Lost, stays: impl Fn(u32) -> bool) -> Vec<Torn> {
    let Lost { mut gone, ends } = lost;
    let mut torn = Vec::new();
    for Ends { place, out, into } in ends.into_iter().filter(|ends| !stays(ends.place)) {
        // A way that led over the place needs a detour.
        gone.retain(|&(from, to)| from != place && to != place);
        torn.extend(into.into_iter().map(|from| Torn { from, to: out.clone() }));
    }
    torn.extend(gone.into_iter().map(|(from, to)| Torn { from, to: vec![to] }));
    torn
}
