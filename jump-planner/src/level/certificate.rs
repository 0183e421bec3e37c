//! The moves that show that regions hang together: all between neighbours, and some jumps.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::moves::NEIGHBOURS;
use crate::graph::near::close_mask;
use crate::graph::near::{CLOSE, next_bit, opposite, strides};
use crate::jump::exact::Effort;
use crate::regions::links::{Along, turned};
use crate::regions::scc::{self, Csr};
use std::collections::BTreeSet;

/// Moves to cells at most two away by bits, longer jumps by cell; kept under edits.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    /// Bit k: a move to the cell at `CLOSE[k]`, and from it; [`FAR`]: there may be longer jumps.
    out: Vec<u32>,
    into: Vec<u32>,
    stride: [isize; 24],
    /// Longer jumps, by launch and by landing.
    far: [BTreeSet<(u32, u32)>; 2],
    /// `[units: cells]` None is longer along an axis.
    longest: usize,
    /// Which search saw a cell last.
    stamps: Vec<u32>,
    last_stamp: u32,
}

/// The bit that is set where longer jumps begin or end.
const FAR: u32 = 1 << 31;
/// The bits of moves to neighbours.
const NEAR: u32 = (1 << NEIGHBOURS.len()) - 1;

/// Moves that an edit took away, and all there were from and to its cell.
#[derive(Default)]
pub(crate) struct Lost {
    pub(crate) gone: Vec<(u32, u32)>,
    pub(crate) out: Vec<u32>,
    pub(crate) into: Vec<u32>,
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
    /// Of moves to cells at most two away, by bits, and of longer jumps.
    pub(crate) fn new(columns: usize, moves: Vec<u32>, jumps: &[(u32, u32)]) -> Self {
        let (into, stride, stamps) =
            (turned(&moves, columns), strides(columns), vec![0; moves.len()]);
        let (far, longest, last_stamp) = (Default::default(), 0, 0);
        let mut new = Self { out: moves, into, stride, far, longest, stamps, last_stamp };
        for &jump in jumps {
            new.insert(jump, columns);
        }
        new
    }

    pub(crate) fn insert(&mut self, (from, to): (u32, u32), columns: usize) {
        let (i, j) = (from as usize, to as usize);
        if let Some(k) = place((from, to), columns) {
            self.out[i] |= 1 << k;
            self.into[j] |= 1 << opposite(k);
            return;
        }
        self.out[i] |= FAR;
        self.into[j] |= FAR;
        self.far[0].insert((from, to));
        self.far[1].insert((to, from));
        self.longest = self.longest.max(length((from, to), columns));
    }

    fn remove(&mut self, (from, to): (u32, u32), columns: usize) {
        if let Some(k) = place((from, to), columns) {
            self.out[from as usize] &= !(1 << k);
            self.into[to as usize] &= !(1 << opposite(k));
        } else {
            self.far[0].remove(&(from, to));
            self.far[1].remove(&(to, from));
        }
    }

    /// Calls `each` with all ground to which moves lead from a cell, or from which they lead to it.
    #[inline]
    pub(crate) fn moves(&self, along: Along, cell: u32, mut each: impl FnMut(u32)) {
        let side = usize::from(along == Along::Reverse);
        let mask = [&self.out, &self.into][side][cell as usize];
        let mut at = 0;
        while let Some(k) = next_bit(mask & !FAR, &mut at) {
            each((cell as usize).wrapping_add_signed(self.stride[k]) as u32);
        }
        if mask & FAR != 0 {
            self.far[side].range((cell, 0)..=(cell, NONE)).for_each(|&(_, other)| each(other));
        }
    }

    /// Follows an edit of a cell: moves between neighbours as they are now, and of the jumps that
    /// it may have changed those that still are.
    pub(crate) fn follow(&mut self, graph: &JumpGraph, edited: u32) -> Lost {
        let terrain = graph.terrain();
        let [rows, columns] = terrain.shape();
        let mut lost = Lost::default();
        self.moves(Along::Moves, edited, |to| lost.out.push(to));
        self.moves(Along::Reverse, edited, |from| lost.into.push(from));
        let stands = |i: u32| graph.footing().can_stand(i as usize);
        let holds = |from: u32, to: u32| {
            let (i, j) = (from as usize, to as usize);
            stands(from)
                && stands(to)
                && graph.within_reach(i, j)
                && graph.shows_jump(i, j, Effort::Ascent)
        };
        let cell = terrain.cell(edited as usize);
        for i in graph.block(cell) {
            let (now, before) = (close_mask(graph, i, |_| {}), self.out[i] & NEAR);
            let mut at = 0;
            while let Some(k) = next_bit(now ^ before, &mut at) {
                let ends = (i as u32, i.wrapping_add_signed(self.stride[k]) as u32);
                if now >> k & 1 == 1 {
                    self.insert(ends, columns);
                } else if k < 4 || !holds(ends.0, ends.1) {
                    self.remove(ends, columns);
                    lost.gone.push(ends);
                }
            }
        }
        // Jumps whose way may lead over the cell, or that end there.
        let mut over = Vec::new();
        let around = |span: usize, axis: usize, n: usize| {
            cell[axis].saturating_sub(span)..(cell[axis] + span + 1).min(n)
        };
        let span = if graph.is_point() { 2 } else { 3 };
        for y in around(span, 0, rows) {
            for i in around(span, 1, columns).map(|x| y * columns + x) {
                let mut at = NEIGHBOURS.len() as u32;
                while let Some(k) = next_bit(self.out[i] & !FAR, &mut at) {
                    over.push((i as u32, i.wrapping_add_signed(self.stride[k]) as u32));
                }
            }
        }
        let span = self.longest + 1;
        for y in around(span, 0, rows).filter(|_| self.longest > 0) {
            let xs = around(span, 1, columns);
            let row = [y * columns + xs.start, y * columns + xs.end - 1].map(|i| i as u32);
            over.extend(self.far[0].range((row[0], 0)..=(row[1], NONE)));
        }
        for (from, to) in over {
            if passes(graph, from, to, edited) && !holds(from, to) {
                self.remove((from, to), columns);
                lost.gone.push((from, to));
            }
        }
        lost
    }

    /// Searches from a cell among those of its label, until it has met its goal or seen more than
    /// `most` cells.
    pub(crate) fn search(
        &mut self,
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
            self.moves(along, cell, |other| {
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
    pub(crate) fn components(&self, cells: &mut Vec<u32>) -> (Vec<u32>, usize) {
        cells.sort_unstable();
        let mut pairs = Vec::new();
        for (i, &cell) in (0..).zip(&*cells) {
            self.moves(Along::Moves, cell, |other| {
                if let Ok(j) = cells.binary_search(&other) {
                    pairs.push((i, j as u32));
                }
            });
        }
        scc::components(&Csr::from_sorted(cells.len(), pairs.into_iter()))
    }
}

/// Where the end of a move at most two long stands in `CLOSE`.
fn place((from, to): (u32, u32), columns: usize) -> Option<usize> {
    let [from, to] = [from, to].map(|i| [i as usize / columns, i as usize % columns]);
    let way = [0, 1].map(|axis| to[axis] as isize - from[axis] as isize);
    CLOSE.iter().position(|&(dy, dx)| [dy, dx] == way)
}

/// `[units: cells]` Along the longer axis.
pub(crate) fn length((from, to): (u32, u32), columns: usize) -> usize {
    let [from, to] = [from, to].map(|i| [i as usize / columns, i as usize % columns]);
    from[0].abs_diff(to[0]).max(from[1].abs_diff(to[1]))
}

/// Whether a flight from one cell to another may pass over a third, or ends there.
pub(crate) fn passes(graph: &JumpGraph, from: u32, to: u32, over: u32) -> bool {
    let cells = [from, to, over].map(|i| graph.terrain().cell(i as usize).map(|v| v as isize));
    passes_over(cells, graph.is_point())
}

/// The same by rows and columns.
pub(crate) fn passes_over([a, b, c]: [[isize; 2]; 3], is_point: bool) -> bool {
    // A body meets what is beside its way, too.
    let wide = isize::from(!is_point);
    let within = |axis: usize| {
        (a[axis].min(b[axis]) - wide..=a[axis].max(b[axis]) + wide).contains(&c[axis])
    };
    let (ahead, aside) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let across = (ahead[0] * aside[1] - ahead[1] * aside[0]).abs();
    within(0) && within(1) && (wide > 0 || across <= ahead[0].abs() + ahead[1].abs())
}
