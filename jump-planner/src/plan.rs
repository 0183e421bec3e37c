//! Paths: whether there is one, by groups first, and the best one under a preference.

use crate::error::{Cell, JumpError};
use crate::exact::Effort;
use crate::flight::Flight;
use crate::graph::{Jump, JumpGraph};
use crate::groups::{Members, NONE};
use crate::moves::{Move, MoveKind};
use crate::preference::{Cost, Preference, Remaining};
use crate::regions::near_move;
use glam::DVec3;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A path from cell to cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The moves, from the start to the goal; empty where they are the same.
    pub moves: Vec<Move>,
    /// What it costs under the preference.
    pub cost: Cost,
}

/// Whether a path exists, and what it took to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Existence {
    /// Whether a path exists.
    pub exists: bool,
    /// Edges examined.
    pub steps: usize,
}

/// How a cell is left: what is cheap to look at comes first.
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
    /// What a way through it costs at least.
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
    /// Of equal bounds that which has gone the furthest.
    fn cmp(&self, other: &Self) -> Ordering {
        let bounds = self.bound.cmp(&other.bound).then(self.stage.cmp(&other.stage));
        bounds.then(other.cost.cmp(&self.cost)).then(self.cell.cmp(&other.cell))
    }
}

/// The bookkeeping of A*.
struct Search<B> {
    best: Vec<Option<Cost>>,
    before: Vec<(u32, MoveKind)>,
    heap: BinaryHeap<Reverse<Open>>,
    remaining: B,
}

impl<B: Fn(usize) -> Cost> Search<B> {
    fn from(cells: usize, start: usize, remaining: B) -> Self {
        let before = vec![(NONE, MoveKind::Walk); cells];
        let mut search =
            Self { best: vec![None; cells], before, heap: BinaryHeap::new(), remaining };
        search.offer(start, (NONE, MoveKind::Walk), Cost::ZERO);
        search
    }

    /// The next cell whose cost is final.
    fn settle(&mut self) -> Option<Open> {
        while let Some(Reverse(open)) = self.heap.pop() {
            // An entry that was bettered since is stale.
            if self.best[open.cell as usize] == Some(open.cost) {
                return Some(open);
            }
        }
        None
    }

    fn offer(&mut self, to: usize, before: (u32, MoveKind), cost: Cost) {
        if self.best[to].is_none_or(|known| cost < known) {
            (self.best[to], self.before[to]) = (Some(cost), before);
            let bound = cost.plus((self.remaining)(to));
            self.heap.push(Reverse(Open { bound, stage: Stage::Near, cost, cell: to as u32 }));
        }
    }
}

impl JumpGraph {
    /// Whether a path exists, by breadth-first search over cells; `steps` are the edges of the graph
    /// of cells that are examined until the goal is met.
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    ///
    /// # Complexity
    /// O(cells x cells within reach).
    pub fn exists_by_cells(&self, from: Cell, to: Cell) -> Result<Existence, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let mut steps = 0;
        let mut seen = vec![false; self.terrain().len()];
        let mut queue = vec![start];
        seen[start] = true;
        let mut next = 0;
        while let (Some(&i), false) = (queue.get(next), seen[goal]) {
            next += 1;
            let mut found = false;
            self.for_each(i, |j, _| {
                steps += usize::from(!found);
                found |= j == goal;
                if !seen[j] {
                    seen[j] = true;
                    queue.push(j);
                }
            });
        }
        Ok(Existence { exists: seen[goal], steps })
    }

    /// Whether a path exists, by breadth-first search over groups; `steps` are the edges of the graph
    /// of groups that are examined until the goal's group is met. There is an edge from one group to
    /// another where a fall or a jump leads from any cell of the one to any cell of the other.
    ///
    /// # Errors
    /// As [`JumpGraph::exists_by_cells`].
    ///
    /// # Complexity
    /// O(cells of the groups met x cells within reach).
    pub fn exists_by_groups(&self, from: Cell, to: Cell) -> Result<Existence, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let labels = &self.groups().labels;
        let members = Members::new(labels);
        let (home, target) = (labels[start], labels[goal]);
        let mut steps = 0;
        let mut seen = vec![false; labels.len()];
        // The group from which an edge to this one was examined last.
        let mut edge_from = vec![NONE; labels.len()];
        let mut queue = vec![home];
        seen[home as usize] = true;
        let mut next = 0;
        while let (Some(&group), false) = (queue.get(next), seen[target as usize]) {
            next += 1;
            self.for_each_group_edge(&members, group, &mut edge_from, |other| {
                steps += 1;
                if !seen[other as usize] {
                    seen[other as usize] = true;
                    queue.push(other);
                }
                other == target
            });
        }
        Ok(Existence { exists: seen[target as usize], steps })
    }

    /// Calls `each` once for every group to which a move leads from `group`, until it says true.
    pub(crate) fn for_each_group_edge(
        &self,
        members: &Members,
        group: u32,
        edge_from: &mut [u32],
        mut each: impl FnMut(u32) -> bool,
    ) {
        let labels = &self.groups().labels;
        let footing = self.footing();
        let mut done = false;
        for &i in members.of(group) {
            let i = i as usize;
            let mut meet = |j: usize, edge_from: &mut [u32]| {
                let other = labels[j];
                if !done && other != group && edge_from[other as usize] != group {
                    edge_from[other as usize] = group;
                    done = each(other);
                }
            };
            for (j, way) in footing.neighbours(i) {
                if labels[j] != NONE && footing.step(i, j, way).is_some() {
                    meet(j, edge_from);
                }
            }
            self.candidates(i).for_each(|j| {
                let other = labels[j];
                if other != group && edge_from[other as usize] != group && self.group_jump(i, j) {
                    meet(j, edge_from);
                }
            });
            if done {
                return;
            }
        }
    }

    /// Whether a jump joins the groups of two cells. Under the published rule only cells that
    /// border another group jump; the exact rule may need a run-up from inside.
    fn group_jump(&self, i: usize, j: usize) -> bool {
        let borders = |i: usize| {
            let labels = &self.groups().labels;
            self.footing().neighbours(i).any(|(k, _)| labels[k] != labels[i])
        };
        let published = self.clearance() == crate::graph::Clearance::Published;
        (!published || (borders(i) && borders(j))) && self.verdict(i, j).is_clear()
    }

    /// Whether a path exists, by a search over cells or over groups that follows moves between
    /// neighbours first and decides a jump only where it leads to what was not seen before. `steps` are
    /// the pairs of cells (over groups: of different groups) that were looked at, decided or not. They
    /// are not the edges that [`JumpGraph::exists_by_cells`] and [`JumpGraph::exists_by_groups`] count,
    /// but take far less time.
    ///
    /// # Errors
    /// As [`JumpGraph::exists_by_cells`].
    ///
    /// # Complexity
    /// O(cells x cells within reach), with decisions only for jumps to what no move between neighbours
    /// leads to.
    pub fn exists(&self, from: Cell, to: Cell, by_groups: bool) -> Result<Existence, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let cells = self.terrain().len();
        let stands = |i: usize| if self.footing().can_stand(i) { i as u32 } else { NONE };
        let own: Vec<u32> = if by_groups { Vec::new() } else { (0..cells).map(stands).collect() };
        let labels = if by_groups { &self.groups().labels } else { &own };
        let members = Members::new(labels);
        let target = labels[goal] as usize;
        let mut seen = vec![false; cells];
        let mut queue = vec![labels[start]];
        seen[labels[start] as usize] = true;
        let (mut near, mut far, mut steps) = (0, 0, 0);
        let footing = self.footing();
        while !seen[target] && far < queue.len() {
            if let Some(&label) = queue.get(near) {
                near += 1;
                for &i in members.of(label) {
                    let i = i as usize;
                    for (j, way) in footing.neighbours(i) {
                        let other = labels[j];
                        if other != label && other != NONE && near_move(self, i, j, way).is_some() {
                            steps += 1;
                            if !std::mem::replace(&mut seen[other as usize], true) {
                                queue.push(other);
                            }
                        }
                    }
                }
                continue;
            }
            let label = queue[far];
            far += 1;
            for &i in members.of(label) {
                let i = i as usize;
                self.candidates(i).for_each(|j| {
                    let other = labels[j];
                    if other == label || seen[target] {
                        return;
                    }
                    steps += 1;
                    let jumps = |i, j| {
                        if by_groups { self.group_jump(i, j) } else { self.has_jump(i, j) }
                    };
                    if !seen[other as usize] && jumps(i, j) {
                        seen[other as usize] = true;
                        queue.push(other);
                    }
                });
            }
        }
        Ok(Existence { exists: seen[target], steps })
    }

    /// The best path under a preference, of all paths of the graph; `None` where there is none.
    /// Ties are settled by the order of the cells, so the same path comes out everywhere.
    ///
    /// # Errors
    /// As [`JumpGraph::exists_by_cells`]; [`JumpError::Value`] for a preference out of its limits.
    ///
    /// # Complexity
    /// A*, at worst O(cells x cells within reach). What is left is bounded by the straight way, jumps
    /// from a cell are looked at once nothing without one more jump can be better, and a jump is
    /// decided only where the least that it may cost would better a path.
    pub fn plan(
        &self,
        from: Cell,
        to: Cell,
        preference: Preference,
    ) -> Result<Option<Plan>, JumpError> {
        preference.check()?;
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let (character, cell_size) = (self.character(), self.terrain().cell_size());
        let left = Remaining {
            goal: self.place(goal),
            cell_size,
            hop: self.relief().furthest(&character.ballistics(), cell_size),
            drop: self.offsets().drop(),
        };
        let remaining = |i: usize| preference.remaining(character, &left, self.place(i));
        let mut search = Search::from(self.terrain().len(), start, remaining);
        let footing = self.footing();
        while let Some(open) = search.settle() {
            let (i, cost) = (open.cell as usize, open.cost);
            let here = self.place(i);
            if open.stage == Stage::Near {
                if i == goal {
                    return Ok(Some(self.backtrack(&search.before, goal, cost)));
                }
                for (j, way) in footing.neighbours(i) {
                    if footing.can_stand(j)
                        && let Some(kind) = footing.step(i, j, way)
                    {
                        let ends = [here, self.place(j)];
                        let step = preference.cost(character, ends, kind, None);
                        search.offer(j, (i as u32, kind), cost.plus(step));
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
                    if search.best[j].is_none_or(|known| next < known)
                        && self.shows_jump(i, j, Effort::Look)
                    {
                        search.offer(j, (i as u32, MoveKind::Jump), next);
                    }
                });
                search.heap.push(Reverse(Open { stage: Stage::Far, ..open }));
                continue;
            }
            self.candidates(i).for_each(|j| {
                let ends = [here, self.place(j)];
                let better =
                    |least: Cost| search.best[j].is_none_or(|known| cost.plus(least) < known);
                let apex = |straight: Cost| {
                    // The height costs a root; most jumps are out of the question without.
                    let apex = better(straight).then(|| self.least_apex(i, j));
                    apex.is_some_and(|apex| better(preference.least_jump(character, ends, apex)))
                };
                if !apex(preference.least_jump(character, ends, None)) {
                    return;
                }
                let jump = (i as u32, MoveKind::Jump);
                if preference == Preference::FewestVertices {
                    if self.verdict(i, j).is_clear() {
                        let step = preference.least_jump(character, ends, None);
                        search.offer(j, jump, cost.plus(step));
                    }
                } else if let Some(flight) = self.clear_flight(i, j) {
                    let step = preference.cost(character, ends, MoveKind::Jump, Some(&flight));
                    search.offer(j, jump, cost.plus(step));
                }
            });
        }
        Ok(None)
    }

    /// What a move of the graph costs under a preference.
    ///
    /// # Errors
    /// As [`JumpGraph::plan`]. A jump that does not exist costs as if it took no flight.
    pub fn cost(&self, step: &Move, preference: Preference) -> Result<Cost, JumpError> {
        preference.check()?;
        let (i, j) = (self.ground_index(step.from)?, self.ground_index(step.to)?);
        let flight = if step.kind == MoveKind::Jump { self.clear_flight(i, j) } else { None };
        let ends = [self.place(i), self.place(j)];
        Ok(preference.cost(self.character(), ends, step.kind, flight.as_ref()))
    }

    fn clear_flight(&self, i: usize, j: usize) -> Option<Flight> {
        match self.jump(self.terrain().cell(i), self.terrain().cell(j)) {
            Ok(Jump::Clear(flight)) => Some(flight),
            _ => None,
        }
    }

    /// The middle of a cell, on the ground.
    fn place(&self, i: usize) -> DVec3 {
        let cell = self.terrain().cell(i);
        self.terrain().centre(cell).extend(self.terrain().heights()[i])
    }

    fn backtrack(&self, before: &[(u32, MoveKind)], goal: usize, cost: Cost) -> Plan {
        let mut moves = Vec::new();
        let mut at = goal;
        while before[at].0 != NONE {
            let (from, kind) = before[at];
            let cell = |i: usize| self.terrain().cell(i);
            moves.push(Move { from: cell(from as usize), to: cell(at), kind });
            at = from as usize;
        }
        moves.reverse();
        Plan { moves, cost }
    }
}
