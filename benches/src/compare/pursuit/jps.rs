//! Jump point search, for every pursuer on its own.
//!
//! Written plainly for steps that cut no corners: a diagonal step needs the two cells beside it
//! open, so jump points lie one cell behind the corners (Harabor and Grastien 2012, JPS without
//! corner cutting). A way is sought again when the target's cell or the map has changed.

use super::contestant::{Contestant, Refused};
use super::lattice::{Cell, Lattice, Place};
use super::walkers::Walker;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f32::consts::SQRT_2;

/// Work space of a search, kept from search to search.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    lengths: Vec<f32>,
    parents: Vec<u32>,
    /// The search that last came to a cell.
    seen: Vec<u32>,
    number: u32,
}

impl Search {
    pub(crate) fn new(lattice: &Lattice) -> Self {
        let cells = lattice.open.len();
        Self {
            heap: BinaryHeap::new(),
            lengths: vec![0.0; cells],
            parents: vec![0; cells],
            seen: vec![0; cells],
            number: 0,
        }
    }

    /// The jump points from `from`, which is left out, to `to`, the last one first, and the length.
    pub(crate) fn way(
        &mut self,
        lattice: &Lattice,
        from: Cell,
        to: Cell,
        way: &mut Vec<Cell>,
    ) -> Option<f32> {
        way.clear();
        self.heap.clear();
        self.number += 1;
        self.reach(lattice, (from, from), 0.0, to);
        while let Some(Reverse((top, length))) = self.heap.pop() {
            let (cell, length) = (top as u32 as usize, f32::from_bits(length));
            if length > self.lengths[cell] {
                continue;
            }
            if cell == to {
                let mut at = to;
                while at != from {
                    way.push(at);
                    at = self.parents[at] as usize;
                }
                return Some(length);
            }
            let came = direction(lattice, self.parents[cell] as usize, cell);
            for ahead in DIRECTIONS {
                if leads_on(lattice, cell, came, ahead)
                    && let Some(point) = jump(lattice, cell, ahead, to)
                {
                    let further = length + octile(lattice, cell, point);
                    self.reach(lattice, (cell, point), further, to);
                }
            }
        }
        None
    }

    fn reach(&mut self, lattice: &Lattice, (from, cell): (Cell, Cell), length: f32, to: Cell) {
        if self.seen[cell] == self.number && self.lengths[cell] <= length {
            return;
        }
        self.seen[cell] = self.number;
        self.lengths[cell] = length;
        self.parents[cell] = from as u32;
        // Lengths are not negative: their bits are in order.
        let estimate = (length + octile(lattice, cell, to)).to_bits();
        self.heap.push(Reverse((u64::from(estimate) << 32 | cell as u64, length.to_bits())));
    }
}

type Direction = (isize, isize);
const DIRECTIONS: [Direction; 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];

fn beside(lattice: &Lattice, cell: Cell, (dx, dy): Direction) -> Cell {
    cell.wrapping_add_signed(dx + dy * lattice.stride as isize)
}

fn direction(lattice: &Lattice, from: Cell, to: Cell) -> Direction {
    let ([fx, fy], [tx, ty]) = (lattice.xy(from), lattice.xy(to));
    let sign = |a: usize, b: usize| (b as isize - a as isize).signum();
    (sign(fx, tx), sign(fy, ty))
}

fn octile(lattice: &Lattice, from: Cell, to: Cell) -> f32 {
    let ([fx, fy], [tx, ty]) = (lattice.xy(from), lattice.xy(to));
    let (dx, dy) = (fx.abs_diff(tx) as f32, fy.abs_diff(ty) as f32);
    dx.max(dy) + (SQRT_2 - 1.0) * dx.min(dy)
}

/// Whether a step is possible.
fn is_free(lattice: &Lattice, cell: Cell, (dx, dy): Direction) -> bool {
    let open = |d| lattice.open[beside(lattice, cell, d)];
    open((dx, dy)) && open((dx, 0)) && open((0, dy))
}

/// Whether a shortest way that came along `came` may go on along `ahead`.
fn leads_on(lattice: &Lattice, cell: Cell, came: Direction, ahead: Direction) -> bool {
    if !is_free(lattice, cell, ahead) {
        return false;
    }
    match came {
        (0, 0) => true,
        // Neither back nor aside; aside and diagonally where a corner was passed.
        (dx, 0) => ahead == came || (ahead.0 != -dx && behind_corner(lattice, cell, came, ahead.1)),
        (0, dy) => ahead == came || (ahead.1 != -dy && behind_corner(lattice, cell, came, ahead.0)),
        (dx, dy) => [(dx, dy), (dx, 0), (0, dy)].contains(&ahead),
    }
}

/// Whether, on the given side of a straight way, the cell behind is a wall.
fn behind_corner(lattice: &Lattice, cell: Cell, (dx, dy): Direction, side: isize) -> bool {
    let back = if dx == 0 { (side, -dy) } else { (-dx, side) };
    side != 0 && !lattice.open[beside(lattice, cell, back)]
}

/// The next jump point along a direction.
fn jump(lattice: &Lattice, from: Cell, ahead: Direction, to: Cell) -> Option<Cell> {
    let (dx, dy) = ahead;
    let mut cell = from;
    while is_free(lattice, cell, ahead) {
        cell = beside(lattice, cell, ahead);
        if cell == to {
            return Some(cell);
        }
        let stops = if dx == 0 || dy == 0 {
            [-1, 1].into_iter().any(|side| {
                let aside = if dx == 0 { (side, 0) } else { (0, side) };
                lattice.open[beside(lattice, cell, aside)]
                    && behind_corner(lattice, cell, ahead, side)
            })
        } else {
            jump(lattice, cell, (dx, 0), to).or_else(|| jump(lattice, cell, (0, dy), to)).is_some()
        };
        if stops {
            return Some(cell);
        }
    }
    None
}

/// A pursuer with its own way.
struct Agent {
    walker: Walker,
    /// Jump points, the next one last.
    way: Vec<Cell>,
}

pub(crate) struct Jps {
    lattice: Lattice,
    agents: Vec<Agent>,
    searches: Vec<Search>,
    speed: f64,
    /// The target's cell when ways were last sought; none after an edit.
    sought: Option<Cell>,
}

impl Jps {
    pub(crate) fn new(lattice: &Lattice, starts: &[Cell], speed: f64) -> Self {
        let agent = |&cell: &Cell| Agent { walker: Walker::new(lattice, cell), way: Vec::new() };
        Self {
            agents: starts.iter().map(agent).collect(),
            searches: vec![Search::new(lattice); rayon::current_num_threads()],
            lattice: lattice.clone(),
            speed,
            sought: None,
        }
    }
}

impl Contestant for Jps {
    fn set_wall(&mut self, cell: Cell, wall: bool) -> Result<(), Refused> {
        self.lattice.open[cell] = !wall;
        self.sought = None;
        Ok(())
    }

    fn frame(&mut self, target: Place) -> Result<(), Refused> {
        let Self { lattice, agents, searches, speed, sought } = self;
        let target = lattice.cell(target);
        if *sought != Some(target) {
            *sought = Some(target);
            let share = agents.len().div_ceil(searches.len()).max(1);
            let seek = |(agents, search): (&mut [Agent], &mut Search)| {
                for agent in agents {
                    search.way(lattice, agent.walker.next, target, &mut agent.way);
                }
            };
            agents.par_chunks_mut(share).zip(&mut searches[..]).for_each(seek);
        }
        for Agent { walker, way } in agents {
            walker.walk(lattice.stride, *speed, |cell| {
                while way.last() == Some(&cell) {
                    way.pop();
                }
                way.last()
                    .map_or(cell, |&point| beside(lattice, cell, direction(lattice, cell, point)))
            });
        }
        Ok(())
    }

    fn place(&self, pursuer: usize) -> Place {
        self.agents[pursuer].walker.at
    }
    fn walked(&self, pursuer: usize) -> f64 {
        self.agents[pursuer].walker.walked
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::tests::reference;
    use super::super::lattice::tests::small_maps;
    use super::*;

    #[test]
    fn ways_are_as_short_as_those_of_a_plain_reference() {
        for (lattice, to) in small_maps() {
            let lengths = reference(&lattice, to, std::f64::consts::SQRT_2);
            let mut search = Search::new(&lattice);
            let mut way = Vec::new();
            for from in (0..lengths.len()).filter(|&c| lattice.open[c]) {
                let found = search.way(&lattice, from, to, &mut way);
                let found = found.map_or(f64::INFINITY, f64::from);
                let same = found == lengths[from] || (found - lengths[from]).abs() < 1e-3;
                assert!(same, "{found} and {}", lengths[from]);
            }
        }
    }
}
