//! The best path under a preference.

use crate::cell::Cell;
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::decide::Jump;
use crate::graph::moves::{Move, MoveKind};
use crate::jump::exact::Effort;
use crate::jump::flight::Flight;
use crate::questions::preference::{Cost, Preference, Remaining};
use crate::questions::two_stages::ByGroups;
use crate::storage::Storage;
use glam::DVec3;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A path from cell to cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<P = Cell> {
    /// The moves, from the start to the goal; empty where they are the same.
    pub moves: Vec<Move<P>>,
    /// Its cost under the preference.
    pub cost: Cost,
}

/// The best path and what it took to find it.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned<P = Cell> {
    /// The path, or `None` if the goal cannot be reached.
    pub plan: Option<Plan<P>>,
    /// Pairs of cells of different groups that were looked at, to find out whether there is a way.
    pub pairs: usize,
    /// Cells to which the search for the best way found the best way; none where there is no way.
    pub settled: usize,
}

/// How a cell is left: cheap looks come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Near,
    /// By jumps that one look finds, where their cost is known without a flight.
    Easy,
    Far,
}

/// A cell to be left.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Open {
    /// The least cost of a way through it.
    bound: Cost,
    stage: Stage,
    cost: Cost,
    cell: u32,
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    /// Of equal bounds, the one whose way has gone the furthest.
    fn cmp(&self, other: &Self) -> Ordering {
        let bounds = self.bound.cmp(&other.bound).then(self.stage.cmp(&other.stage));
        bounds.then(other.cost.cmp(&self.cost)).then(self.cell.cmp(&other.cell))
    }
}

/// The bookkeeping of A*. Lists of zeros cost nothing where nothing is written: a plan costs by the
/// cells that it looks at, not by those of the level.
struct Search<B> {
    start: usize,
    /// Numbers of a [`Cost`]; those of a cell without a way to it mean nothing.
    best: Vec<(u32, u32, f64)>,
    /// One more than the cell before; 0 at the start, and where no way is known.
    before: Vec<u32>,
    heap: BinaryHeap<Reverse<Open>>,
    remaining: B,
}

impl<B: Fn(usize) -> Cost> Search<B> {
    fn from(cells: usize, start: usize, remaining: B) -> Self {
        let mut search = Self {
            start,
            best: vec![(0, 0, 0.0); cells],
            before: vec![0; cells],
            heap: BinaryHeap::new(),
            remaining,
        };
        search.queue(start, Cost::ZERO);
        search
    }

    fn best(&self, cell: usize) -> Option<Cost> {
        let (first, second, third) = self.best[cell];
        let is_known = cell == self.start || self.before[cell] != 0;
        is_known.then_some(Cost { first, second, third })
    }

    /// The next cell whose cost is final.
    fn settle(&mut self) -> Option<Open> {
        while let Some(Reverse(open)) = self.heap.pop() {
            // An entry that was bettered since is stale.
            if self.best(open.cell as usize) == Some(open.cost) {
                return Some(open);
            }
        }
        None
    }

    fn offer(&mut self, to: usize, before: usize, cost: Cost) {
        if self.best(to).is_none_or(|known| cost < known) {
            self.best[to] = (cost.first, cost.second, cost.third);
            self.before[to] = before as u32 + 1;
            self.queue(to, cost);
        }
    }

    fn queue(&mut self, cell: usize, cost: Cost) {
        let bound = cost.plus((self.remaining)(cell));
        self.heap.push(Reverse(Open { bound, stage: Stage::Near, cost, cell: cell as u32 }));
    }
}

impl<T: Storage> JumpGraph<T> {
    /// The best path under a preference, of all paths of the graph, or `None` if the goal cannot be
    /// reached. Groups tell that before any cell is searched. Ties are settled by the order of the
    /// cells, so the same path comes out everywhere.
    ///
    /// # Errors
    /// As [`JumpGraph::exists`]; [`JumpError::Value`] for a preference out of its limits.
    ///
    /// # Complexity
    /// Groups are searched from both ends, so a start that leads nowhere and a goal that nothing
    /// leads to cost little. Then A*, at worst O(cells x cells within reach): the straight way
    /// bounds the rest; jumps from a cell are looked at once no path without one more jump can be
    /// better; and a jump is decided only where its least possible cost would make a path better.
    pub fn plan(
        &self,
        from: T::Place,
        to: T::Place,
        preference: Preference,
    ) -> Result<Option<Plan<T::Place>>, JumpError> {
        Ok(self.planned(from, to, preference)?.plan)
    }

    /// As [`JumpGraph::plan`], with the work that it took.
    ///
    /// # Errors
    /// As [`JumpGraph::plan`].
    pub fn planned(
        &self,
        from: T::Place,
        to: T::Place,
        preference: Preference,
    ) -> Result<Planned<T::Place>, JumpError> {
        preference.check()?;
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let ByGroups { exists, steps: pairs } = self.groups_meet(start, goal);
        let (plan, settled) =
            if exists { self.best_path(start, goal, preference) } else { (None, 0) };
        Ok(Planned { plan, pairs, settled })
    }

    /// A* over cells; how many of them it settled.
    fn best_path(
        &self,
        start: usize,
        goal: usize,
        preference: Preference,
    ) -> (Option<Plan<T::Place>>, usize) {
        let (character, cell_size) = (self.character(), self.terrain().cell_size());
        let left = Remaining {
            goal: self.place(goal),
            cell_size,
            hop: self.relief().furthest(&character.ballistics(), cell_size),
        };
        let remaining = |i: usize| preference.remaining(character, &left, self.place(i));
        let mut search = Search::from(self.terrain().floors().len(), start, remaining);
        let footing = self.footing();
        let mut settled = 0;
        while let Some(open) = search.settle() {
            let (i, cost) = (open.cell as usize, open.cost);
            let here = self.place(i);
            if open.stage == Stage::Near {
                settled += 1;
                if i == goal {
                    return (Some(self.backtrack(&search.before, goal, cost)), settled);
                }
                for (j, way) in footing.neighbours(i) {
                    if footing.can_stand(j)
                        && let Some(kind) = footing.step(i, j, way)
                    {
                        let ends = [here, self.place(j)];
                        let step = preference.cost(character, ends, kind, None);
                        search.offer(j, i, cost.plus(step));
                    }
                }
                let bound = open.bound.plus(preference.jumps_of_a_jump());
                let known = preference == Preference::FewestVertices;
                let stage = if known { Stage::Easy } else { Stage::Far };
                search.heap.push(Reverse(Open { bound, stage, ..open }));
                continue;
            }
            if open.stage == Stage::Easy {
                let next = cost.plus(Cost { first: 1, ..Cost::ZERO });
                self.candidates(i).for_each(|j| {
                    if search.best(j).is_none_or(|known| next < known)
                        && self.shows_jump(i, j, Effort::Look)
                    {
                        search.offer(j, i, next);
                    }
                });
                search.heap.push(Reverse(Open { stage: Stage::Far, ..open }));
                continue;
            }
            self.candidates(i).for_each(|j| {
                let ends = [here, self.place(j)];
                let better =
                    |least: Cost| search.best(j).is_none_or(|known| cost.plus(least) < known);
                let apex = |straight: Cost| {
                    // The height costs a root; most jumps are out of the question without.
                    let apex = better(straight).then(|| self.least_apex(i, j));
                    apex.is_some_and(|apex| better(preference.least_jump(character, ends, apex)))
                };
                if !apex(preference.least_jump(character, ends, None)) {
                    return;
                }
                if preference == Preference::FewestVertices {
                    if self.verdict(i, j).is_clear() {
                        let step = preference.least_jump(character, ends, None);
                        search.offer(j, i, cost.plus(step));
                    }
                } else if let Some(flight) = self.clear_flight(i, j) {
                    let step = preference.cost(character, ends, MoveKind::Jump, Some(&flight));
                    search.offer(j, i, cost.plus(step));
                }
            });
        }
        (None, settled)
    }

    /// The cost of a move of the graph under a preference.
    ///
    /// # Errors
    /// As [`JumpGraph::plan`]. A jump that is not in the graph costs as if it took no flight.
    pub fn cost(&self, step: &Move<T::Place>, preference: Preference) -> Result<Cost, JumpError> {
        preference.check()?;
        let (i, j) = (self.ground_index(step.from)?, self.ground_index(step.to)?);
        let flight = if step.kind == MoveKind::Jump { self.clear_flight(i, j) } else { None };
        let ends = [self.place(i), self.place(j)];
        Ok(preference.cost(self.character(), ends, step.kind, flight.as_ref()))
    }

    /// How a jump of the graph is flown; the published rule does not draw every clear one.
    fn clear_flight(&self, i: usize, j: usize) -> Option<Flight> {
        if !self.draws(i, j) {
            return None;
        }
        match self.jump(self.terrain().name(i), self.terrain().name(j)) {
            Ok(Jump::Clear(flight)) => Some(flight),
            _ => None,
        }
    }

    /// The middle of a cell, on the ground.
    fn place(&self, i: usize) -> DVec3 {
        let [y, x] = self.cell(i).map(|at| at as f64 + 0.5);
        self.terrain().position([x, y]).extend(self.terrain().floors()[i])
    }

    fn backtrack(&self, before: &[u32], goal: usize, cost: Cost) -> Plan<T::Place> {
        let mut moves = Vec::new();
        let mut at = goal;
        while before[at] != 0 {
            let from = before[at] as usize - 1;
            let ends = [from, at].map(|i| self.terrain().name(i));
            // No jump leads where a step does.
            let kind = self.step(ends[0], ends[1]).unwrap_or(MoveKind::Jump);
            moves.push(Move { from: ends[0], to: ends[1], kind });
            at = from;
        }
        moves.reverse();
        Plan { moves, cost }
    }
}
