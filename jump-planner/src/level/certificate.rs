//! The moves that show that regions are connected: all between neighbours, and some jumps.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::bits::Bits;
use crate::graph::near::{near_move, strides};
use crate::jump::exact::Effort;
use crate::regions::links::{Along, turned};
use crate::regions::scc::{self, Csr};
use crate::splice::Splice;
use crate::storage::{BitsOf, Storage};
use std::collections::BTreeSet;

/// Moves to places close by as bits, other moves by their ends; kept under edits.
#[derive(Clone, Debug)]
pub(crate) struct Certificate<T: Storage> {
    /// Moves from a place, and to it; marked: there may be others than those that have bits.
    out: Vec<BitsOf<T>>,
    into: Vec<BitsOf<T>>,
    stride: [isize; 24],
    /// Moves without a bit, by launch and by landing.
    far: [BTreeSet<(u32, u32)>; 2],
    /// `[units: cells]` None is longer along an axis.
    longest: usize,
    /// Which search saw a place last.
    stamps: Vec<u32>,
    last_stamp: u32,
}

/// Moves that an edit took away, and all there were from and to some places.
#[derive(Default)]
pub(crate) struct Lost {
    pub(crate) gone: Vec<(u32, u32)>,
    pub(crate) ends: Vec<Ends>,
}

/// Where moves lead from a place, and from where to it.
pub(crate) struct Ends {
    pub(crate) place: u32,
    pub(crate) out: Vec<u32>,
    pub(crate) into: Vec<u32>,
}

/// The result of a search.
pub(crate) struct Seen {
    pub(crate) cells: Vec<u32>,
    /// Whether it saw all it looked for.
    pub(crate) met: bool,
    /// Whether the search has seen all cells that there are.
    pub(crate) ended: bool,
    /// By which it is known.
    pub(crate) stamp: u32,
}

/// The goal of a search.
#[derive(Clone, Copy)]
pub(crate) enum Goal<'a> {
    /// Nothing: it sees all.
    All,
    /// All of some cells.
    Cells(&'a [u32]),
    /// Any cell that another search saw.
    Seen(u32),
}

impl<T: Storage> Certificate<T> {
    /// Of moves that have bits, and of others.
    pub(crate) fn new(level: &T, moves: Vec<BitsOf<T>>, others: &[(u32, u32)]) -> Self {
        let into = turned(level, &moves);
        let (stride, stamps) = (strides(level.shape()[1]), vec![0; moves.len()]);
        let (far, longest, last_stamp) = (Default::default(), 0, 0);
        let mut new = Self { out: moves, into, stride, far, longest, stamps, last_stamp };
        for &(from, to) in others {
            new.insert(level, (from, to));
        }
        new
    }

    pub(crate) fn insert(&mut self, level: &T, (from, to): (u32, u32)) {
        let (i, j) = (from as usize, to as usize);
        if let Some(bit) = level.bit(i, j) {
            self.out[i].insert(bit);
            self.into[j].insert(level.back(i, bit));
            return;
        }
        self.out[i].mark();
        self.into[j].mark();
        self.far[0].insert((from, to));
        self.far[1].insert((to, from));
        self.longest = self.longest.max(length(level, (from, to)));
    }

    fn remove(&mut self, level: &T, (from, to): (u32, u32)) {
        let (i, j) = (from as usize, to as usize);
        if let Some(bit) = level.bit(i, j) {
            self.out[i].remove(bit);
            self.into[j].remove(level.back(i, bit));
        } else {
            self.far[0].remove(&(from, to));
            self.far[1].remove(&(to, from));
        }
    }

    /// Calls `each` with all ground to which moves lead from a cell, or from which they lead to it.
    #[inline]
    pub(crate) fn moves(&self, level: &T, along: Along, cell: u32, mut each: impl FnMut(u32)) {
        let side = usize::from(along == Along::Reverse);
        let mask = [&self.out, &self.into][side][cell as usize];
        let mut at = 0;
        while let Some(bit) = mask.next(&mut at) {
            each(level.beside(cell as usize, bit, &self.stride) as u32);
        }
        if mask.is_marked() {
            self.far[side].range((cell, 0)..=(cell, NONE)).for_each(|&(_, other)| each(other));
        }
    }

    /// All moves from and to a place.
    fn ends(&self, level: &T, place: u32) -> Ends {
        let (mut out, mut into) = (Vec::new(), Vec::new());
        self.moves(level, Along::Moves, place, |to| out.push(to));
        self.moves(level, Along::Reverse, place, |from| into.push(from));
        Ends { place, out, into }
    }

    /// Takes out all moves from and to a place.
    pub(crate) fn take_out(&mut self, level: &T, place: u32) -> Ends {
        let ends = self.ends(level, place);
        ends.out.iter().for_each(|&to| self.remove(level, (place, to)));
        ends.into.iter().for_each(|&from| self.remove(level, (from, place)));
        ends
    }

    /// Follows places that come and go; those that go have no moves any more, nor has any other
    /// place of their column.
    pub(crate) fn splice(&mut self, splice: Splice) {
        splice.follow(&mut self.out, Default::default());
        splice.follow(&mut self.into, Default::default());
        splice.follow(&mut self.stamps, 0);
        for far in &mut self.far {
            let before = std::mem::take(far).into_iter();
            *far = before.filter_map(|ends| splice.ends(ends)).collect();
        }
    }

    /// Follows an edit of a column: moves between neighbours as they are now, and of the jumps that
    /// it may have changed those that still are.
    pub(crate) fn follow(&mut self, graph: &JumpGraph<T>, column: usize) -> Lost {
        let level = graph.terrain();
        let [rows, columns] = level.shape();
        let edited = level.places(column);
        let ends = edited.map(|place| self.ends(level, place as u32)).collect();
        let mut lost = Lost { gone: Vec::new(), ends };
        let flies = |from: u32, to: u32| still_flies(graph, (from, to));
        let mut rest = Vec::new();
        for i in graph.block(column) {
            rest.clear();
            let (now, from) = (T::near(graph, i, &mut rest), i as u32);
            let change = now.change(self.out[i]);
            let mut at = 0;
            while let Some(bit) = change.next(&mut at) {
                let ends = (from, level.beside(i, bit, &self.stride) as u32);
                if now.has(bit) {
                    self.insert(level, ends);
                } else if !flies(ends.0, ends.1) {
                    self.remove(level, ends);
                    lost.gone.push(ends);
                }
            }
            for &to in &rest {
                self.insert(level, (from, to));
            }
        }
        // Jumps whose way may lead over the column, or that end there, and walks without a bit.
        let mut over = Vec::new();
        let at = [column / columns, column % columns];
        let around = |span: usize, axis: usize, n: usize| {
            at[axis].saturating_sub(span)..(at[axis] + span + 1).min(n)
        };
        let run = |span: usize, y: usize| {
            let xs = around(span, 1, columns);
            level.run(y * columns + xs.start..y * columns + xs.end)
        };
        let span = if graph.is_point() { 2 } else { 3 };
        for i in around(span, 0, rows).flat_map(|y| run(span, y)) {
            let mut at = BitsOf::<T>::FAR;
            while let Some(bit) = self.out[i].next(&mut at) {
                over.push((i as u32, level.beside(i, bit, &self.stride) as u32));
            }
        }
        let span = self.longest + 1;
        for y in around(span, 0, rows).filter(|_| self.longest > 0) {
            let row = run(span, y);
            if !row.is_empty() {
                over.extend(self.far[0].range((row.start as u32, 0)..=(row.end as u32 - 1, NONE)));
            }
        }
        for (from, to) in over {
            if passes(graph, from, to, column) && !is_near(graph, (from, to)) && !flies(from, to) {
                self.remove(level, (from, to));
                lost.gone.push((from, to));
            }
        }
        lost
    }

    /// Searches from a cell among those of its label, until it has met its goal or seen more than
    /// `most` cells.
    pub(crate) fn search(
        &mut self,
        level: &T,
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
            self.moves(level, along, cell, |other| {
                let known = &mut stamps[other as usize];
                if labels[other as usize] != label || *known == stamp {
                    return;
                }
                match goal {
                    // Cells that the other search has seen stay its own.
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

    /// Parts of these cells that these moves join both ways.
    pub(crate) fn components(&self, level: &T, cells: &mut Vec<u32>) -> (Vec<u32>, usize) {
        cells.sort_unstable();
        let mut pairs = Vec::new();
        for (i, &cell) in (0..).zip(&*cells) {
            self.moves(level, Along::Moves, cell, |other| {
                if let Ok(j) = cells.binary_search(&other) {
                    pairs.push((i, j as u32));
                }
            });
        }
        scc::components(&Csr::from_sorted(cells.len(), pairs.into_iter()))
    }
}

/// Whether a search without a proof still finds a jump.
pub(crate) fn still_flies<T: Storage>(graph: &JumpGraph<T>, (from, to): (u32, u32)) -> bool {
    let (footing, i, j) = (graph.footing(), from as usize, to as usize);
    footing.can_stand(i)
        && footing.can_stand(j)
        && graph.within_reach(i, j)
        && graph.shows_jump(i, j, Effort::Ascent)
}

/// Whether a move that has no bit leads to a neighbour, and is no jump over anything.
fn is_near<T: Storage>(graph: &JumpGraph<T>, (from, to): (u32, u32)) -> bool {
    let [i, j] = [from, to].map(|place| place as usize);
    let [a, b] = [i, j].map(|place| graph.cell(place).map(|v| v as isize));
    let way = (b[0] - a[0], b[1] - a[1]);
    let stands = |place| graph.footing().can_stand(place);
    way.0.abs() <= 1
        && way.1.abs() <= 1
        && stands(i)
        && stands(j)
        && near_move(graph, i, j, way).is_some()
}

/// `[units: cells]` Along the longer axis.
pub(crate) fn length(level: &impl Storage, (from, to): (u32, u32)) -> usize {
    let columns = level.shape()[1];
    let [from, to] = [from, to].map(|i| level.column(i as usize));
    let along = |a: usize, b: usize| a.abs_diff(b);
    along(from / columns, to / columns).max(along(from % columns, to % columns))
}

/// Whether a flight from one cell to another may pass over a column, or ends there.
pub(crate) fn passes<T: Storage>(graph: &JumpGraph<T>, from: u32, to: u32, over: usize) -> bool {
    let columns = graph.terrain().shape()[1];
    let ends = [from, to].map(|i| graph.terrain().column(i as usize));
    let cells = [ends[0], ends[1], over].map(|at| [at / columns, at % columns]);
    passes_over(cells.map(|cell| cell.map(|v| v as isize)), graph.is_point())
}

/// The same by rows and columns.
pub(crate) fn passes_over([a, b, c]: [[isize; 2]; 3], is_point: bool) -> bool {
    // A body also meets the ground beside its way.
    let wide = isize::from(!is_point);
    let within = |axis: usize| {
        (a[axis].min(b[axis]) - wide..=a[axis].max(b[axis]) + wide).contains(&c[axis])
    };
    let (ahead, aside) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let across = (ahead[0] * aside[1] - ahead[1] * aside[0]).abs();
    within(0) && within(1) && (wide > 0 || across <= ahead[0].abs() + ahead[1].abs())
}
