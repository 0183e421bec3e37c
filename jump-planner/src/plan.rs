//! Paths: whether there is one, by groups first, and the best one under a preference.

use crate::error::{Cell, JumpError};
use crate::flight::Flight;
use crate::graph::{Jump, JumpGraph};
use crate::groups::{Members, NONE};
use crate::moves::{Move, MoveKind};
use crate::preference::{Cost, Preference};
use glam::DVec3;
use std::cmp::Reverse;
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

/// Dijkstra's bookkeeping.
struct Search {
    best: Vec<Option<Cost>>,
    before: Vec<(u32, MoveKind)>,
    heap: BinaryHeap<Reverse<(Cost, u32)>>,
}

impl Search {
    fn from(cells: usize, start: usize) -> Self {
        let mut search = Self {
            best: vec![None; cells],
            before: vec![(NONE, MoveKind::Walk); cells],
            heap: BinaryHeap::from([Reverse((Cost::ZERO, start as u32))]),
        };
        search.best[start] = Some(Cost::ZERO);
        search
    }

    /// The next cell whose cost is final.
    fn settle(&mut self) -> Option<(Cost, usize)> {
        while let Some(Reverse((cost, i))) = self.heap.pop() {
            // An entry that was bettered since is stale.
            if self.best[i as usize] == Some(cost) {
                return Some((cost, i as usize));
            }
        }
        None
    }

    fn offer(&mut self, to: usize, from: usize, kind: MoveKind, cost: Cost) {
        if self.best[to].is_none_or(|known| cost < known) {
            self.best[to] = Some(cost);
            self.before[to] = (from as u32, kind);
            self.heap.push(Reverse((cost, to as u32)));
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
            self.for_each_candidate(i, |j| {
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

    /// The best path under a preference, of all paths of the graph; `None` where there is none.
    /// Ties are settled by the order of the cells, so the same path comes out everywhere.
    ///
    /// # Errors
    /// As [`JumpGraph::exists_by_cells`].
    ///
    /// # Complexity
    /// Dijkstra's algorithm: O(cells x cells within reach). A jump is decided only where it would
    /// better a path.
    pub fn plan(
        &self,
        from: Cell,
        to: Cell,
        preference: Preference,
    ) -> Result<Option<Plan>, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let mut search = Search::from(self.terrain().len(), start);
        while let Some((cost, i)) = search.settle() {
            if i == goal {
                return Ok(Some(self.backtrack(&search.before, goal, cost)));
            }
            let here = self.place(i);
            let footing = self.footing();
            for (j, way) in footing.neighbours(i) {
                if footing.can_stand(j)
                    && let Some(kind) = footing.step(i, j, way)
                {
                    let ends = [here, self.place(j)];
                    let step = preference.cost(self.character(), ends, kind, None);
                    search.offer(j, i, kind, cost.plus(step));
                }
            }
            self.for_each_candidate(i, |j| {
                let ends = [here, self.place(j)];
                let least = cost.plus(preference.least_jump(self.character(), ends));
                if search.best[j].is_some_and(|known| known <= least) {
                    return;
                }
                let kind = MoveKind::Jump;
                if preference == Preference::FewestVertices {
                    if self.verdict(i, j).is_clear() {
                        search.offer(j, i, kind, least);
                    }
                } else if let Some(flight) = self.clear_flight(i, j) {
                    let step = preference.cost(self.character(), ends, kind, Some(&flight));
                    search.offer(j, i, kind, cost.plus(step));
                }
            });
        }
        Ok(None)
    }

    /// What a move of the graph costs under a preference.
    ///
    /// # Errors
    /// As [`JumpGraph::exists_by_cells`]. A jump that does not exist costs as if it took no flight.
    pub fn cost(&self, step: &Move, preference: Preference) -> Result<Cost, JumpError> {
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
