//! The moves that show that regions hang together: all between neighbours, and some longer jumps.

use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::near::Along;
use crate::regions::near_move;
use crate::scc::{self, Csr};
use std::collections::BTreeSet;

/// Longer jumps, kept under edits; moves between neighbours are read off the terrain.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    /// As at first, by launch and by landing.
    at_first: [Csr; 2],
    /// What has come since, by launch and by landing.
    since: [BTreeSet<(u32, u32)>; 2],
    /// What is gone of the first ones.
    gone: BTreeSet<(u32, u32)>,
    /// `[units: cells]` None is longer along an axis.
    longest: usize,
    /// Which search saw a cell last.
    stamps: Vec<u32>,
    last_stamp: u32,
}

/// What a search came to.
pub(crate) struct Seen {
    pub(crate) cells: Vec<u32>,
    /// Whether it saw all it looked for.
    pub(crate) met: bool,
    /// Whether there is nothing else to see.
    pub(crate) ended: bool,
    /// By which it is known.
    pub(crate) stamp: u32,
}

/// What a search looks for.
#[derive(Clone, Copy)]
pub(crate) enum Goal<'a> {
    /// Nothing: it sees all.
    All,
    /// All of some cells.
    Cells(&'a [u32]),
    /// Any cell that another search saw.
    Seen(u32),
}

impl Certificate {
    pub(crate) fn new(shape: [usize; 2], mut jumps: Vec<(u32, u32)>) -> Self {
        jumps.sort_unstable();
        jumps.dedup();
        let cells = shape[0] * shape[1];
        let longest = jumps.iter().map(|&jump| length(jump, shape[1])).max().unwrap_or(0);
        let ahead = Csr::from_sorted(cells, jumps.into_iter());
        let back = ahead.turned();
        let at_first = [ahead, back];
        let (since, gone) = (Default::default(), BTreeSet::new());
        Self { at_first, since, gone, longest, stamps: vec![0; cells], last_stamp: 0 }
    }

    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    pub(crate) fn insert(&mut self, jump: (u32, u32), columns: usize) {
        if !self.gone.remove(&jump) && self.at_first[0].of(jump.0).binary_search(&jump.1).is_err() {
            self.since[0].insert(jump);
            self.since[1].insert((jump.1, jump.0));
            self.longest = self.longest.max(length(jump, columns));
        }
    }

    pub(crate) fn remove(&mut self, jump: (u32, u32)) {
        if self.since[0].remove(&jump) {
            self.since[1].remove(&(jump.1, jump.0));
        } else {
            self.gone.insert(jump);
        }
    }

    /// Calls `each` with the landings of the jumps from a cell, or the launches of those to it.
    pub(crate) fn jumps(&self, along: Along, cell: u32, mut each: impl FnMut(u32)) {
        let side = usize::from(along == Along::Reverse);
        for &other in self.at_first[side].of(cell) {
            let jump = if side == 0 { (cell, other) } else { (other, cell) };
            if self.gone.is_empty() || !self.gone.contains(&jump) {
                each(other);
            }
        }
        if !self.since[side].is_empty() {
            let since = self.since[side].range((cell, 0)..=(cell, NONE));
            since.for_each(|&(_, other)| each(other));
        }
    }

    /// Calls `each` with all ground to which moves lead from a cell, or from which they lead to it.
    pub(crate) fn moves(
        &self,
        graph: &JumpGraph,
        along: Along,
        cell: u32,
        mut each: impl FnMut(u32),
    ) {
        let (footing, i) = (graph.footing(), cell as usize);
        for (j, (dy, dx)) in footing.neighbours(i) {
            if footing.can_stand(j) {
                let step = match along {
                    Along::Moves => near_move(graph, i, j, (dy, dx)),
                    Along::Reverse => near_move(graph, j, i, (-dy, -dx)),
                };
                if step.is_some() {
                    each(j as u32);
                }
            }
        }
        self.jumps(along, cell, each);
    }

    /// Searches from a cell among those of its label, until it has met its goal or seen more than
    /// `most` cells.
    pub(crate) fn search(
        &mut self,
        graph: &JumpGraph,
        labels: &[u32],
        (along, from): (Along, u32),
        goal: Goal<'_>,
        most: usize,
    ) -> Seen {
        if self.last_stamp == u32::MAX {
            self.stamps.fill(0);
            self.last_stamp = 0;
        }
        self.last_stamp += 1;
        let (mut stamps, stamp) = (std::mem::take(&mut self.stamps), self.last_stamp);
        let label = labels[from as usize];
        let (mut cells, mut next) = (vec![from], 0);
        let mut left = match goal {
            Goal::All => usize::MAX,
            Goal::Cells(goal) => goal.iter().filter(|&&cell| cell != from).count(),
            Goal::Seen(before) => usize::from(stamps[from as usize] != before),
        };
        if left > 0 {
            stamps[from as usize] = stamp;
        }
        while left > 0 && cells.len() <= most {
            let Some(&cell) = cells.get(next) else { break };
            next += 1;
            self.moves(graph, along, cell, |other| {
                let known = &mut stamps[other as usize];
                if labels[other as usize] != label || *known == stamp {
                    return;
                }
                match goal {
                    // What the other search has seen stays its own.
                    Goal::Seen(before) if *known == before => left = 0,
                    _ => {
                        *known = stamp;
                        cells.push(other);
                        if let Goal::Cells(goal) = goal {
                            left -= usize::from(goal.contains(&other));
                        }
                    }
                }
            });
        }
        self.stamps = stamps;
        Seen { met: left == 0, ended: next == cells.len(), cells, stamp }
    }

    /// Whether a search saw a cell, and none has since.
    pub(crate) fn saw(&self, stamp: u32, cell: u32) -> bool {
        self.stamps[cell as usize] == stamp
    }

    /// Cells parted by what these moves join both ways among them.
    pub(crate) fn components(&self, graph: &JumpGraph, cells: &mut Vec<u32>) -> (Vec<u32>, usize) {
        cells.sort_unstable();
        let mut pairs = Vec::new();
        for (i, &cell) in (0..).zip(&*cells) {
            self.moves(graph, Along::Moves, cell, |other| {
                if let Ok(j) = cells.binary_search(&other) {
                    pairs.push((i, j as u32));
                }
            });
        }
        scc::components(&Csr::from_sorted(cells.len(), pairs.into_iter()))
    }
}

/// `[units: cells]` Along the longer axis.
fn length((from, to): (u32, u32), columns: usize) -> usize {
    let [from, to] = [from, to].map(|i| [i as usize / columns, i as usize % columns]);
    from[0].abs_diff(to[0]).max(from[1].abs_diff(to[1]))
}
