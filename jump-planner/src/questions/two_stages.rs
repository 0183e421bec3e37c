//! The source's search in two stages (harakawa-2003, 3.3): groups first, then cells.
//!
//! Cells that walking joins make a group, and a group is all or nothing. So there are far fewer
//! groups than cells, and where no way between the groups exists no cell needs to be looked at.
//!
//! A *step* is an edge that the breadth-first search examines: it takes the nodes in the order in
//! which it met them, and examines every edge that leaves a taken node, whether its other end was
//! met before or not. The source does not say whether its search ends as soon as the goal is met or
//! only when it is taken, and its figures fit both readings: the single step between the groups on
//! two sides of a ditch fits the first, the equal numbers of steps there and back across it fit the
//! second. So both are counted over cells; over groups the search ends when the goal is met.

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::groups::Members;
use crate::graph::moves::{Move, MoveKind};
use crate::storage::Storage;
use fixedbitset::FixedBitSet;

/// The result of the search in two stages, and the work of each stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoStages<P = Cell> {
    /// Edges of the graph of groups that the first stage examined.
    pub group_steps: usize,
    /// The second stage; `None` where no way between the groups exists, and so none between the
    /// cells.
    pub by_cells: Option<ByCells<P>>,
}

/// The result of a breadth-first search over cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByCells<P = Cell> {
    /// Edges of the graph of cells that were examined until the goal was met.
    pub steps: usize,
    /// Edges that were examined until the goal was taken; as many as until it was met where there
    /// is no way.
    pub steps_until_taken: usize,
    /// A way through the fewest cells, from the start to the goal; empty where they are the same.
    /// `None` where there is no way.
    pub way: Option<Vec<Move<P>>>,
}

impl<P> TwoStages<P> {
    /// The way, or `None` if the goal cannot be reached.
    #[must_use]
    pub fn way(&self) -> Option<&[Move<P>]> {
        self.by_cells.as_ref()?.way.as_deref()
    }
}

/// When a search ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    Met,
    Taken,
}

/// Whether a breadth-first search over groups met its goal, and the edges that it examined.
#[derive(Clone, Copy)]
pub(crate) struct ByGroups {
    pub(crate) exists: bool,
    pub(crate) steps: usize,
}

impl<T: Storage> JumpGraph<T> {
    /// The source's search in two stages: groups first, and cells only if a way between the groups
    /// exists. Under [`JumpRule::Published`](crate::JumpRule::Published) it is the published
    /// method.
    ///
    /// ```
    /// use jump_planner::{Character, JumpGraph, JumpRule, Terrain};
    ///
    /// let terrain = Terrain::from_rows(&[[0.0, 0.0, -3.0, -3.0, 0.0]])?;
    /// let character = Character::builder(6.0).build()?;
    /// let graph = JumpGraph::with_rule(terrain, character, JumpRule::Published)?;
    /// let over = graph.two_stages([0, 0], [0, 4])?;
    /// assert_eq!(over.way().map(<[_]>::len), Some(2)); // to the rim, and over the ditch
    /// let out = graph.two_stages([0, 2], [0, 4])?; // the ditch is too deep
    /// assert_eq!((out.group_steps, out.by_cells), (0, None));
    /// # Ok::<(), jump_planner::JumpError>(())
    /// ```
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    ///
    /// # Complexity
    /// O(cells of the groups met x cells within reach), and as much for the cells met. Every edge
    /// that a step counts is decided: [`JumpGraph::plan`] takes far less time.
    pub fn two_stages(
        &self,
        from: T::Place,
        to: T::Place,
    ) -> Result<TwoStages<T::Place>, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let groups = self.by_groups(start, goal);
        let by_cells = groups.exists.then(|| self.by_cells(start, goal, Until::Taken));
        Ok(TwoStages { group_steps: groups.steps, by_cells })
    }

    /// Breadth first over cells.
    pub(crate) fn by_cells(&self, start: usize, goal: usize, until: Until) -> ByCells<T::Place> {
        let (mut steps, mut until_met) = (0, None);
        let mut seen = FixedBitSet::with_capacity(self.terrain().floors().len());
        // For each number in the queue: the cell, the move by which it was met, and the number that
        // the move came from.
        let mut queue = vec![(start, MoveKind::Walk, 0)];
        seen.insert(start);
        let mut next = 0;
        while next < queue.len() && queue[next].0 != goal {
            if until == Until::Met && until_met.is_some() {
                break;
            }
            let i = queue[next].0;
            self.for_each(i, |j, kind| {
                steps += 1;
                if j == goal && until_met.is_none() {
                    until_met = Some(steps);
                }
                if !seen.put(j) {
                    queue.push((j, kind, next));
                }
            });
            next += 1;
        }
        let met = queue.iter().position(|&(i, ..)| i == goal);
        let way = met.map(|mut at| {
            let mut moves = Vec::new();
            while at != 0 {
                let (i, kind, before) = queue[at];
                let [from, to] = [queue[before].0, i].map(|i| self.terrain().name(i));
                moves.push(Move { from, to, kind });
                at = before;
            }
            moves.reverse();
            moves
        });
        // At the start that is the goal, none is examined.
        ByCells { steps: until_met.unwrap_or(steps), steps_until_taken: steps, way }
    }

    /// Breadth first over groups.
    pub(crate) fn by_groups(&self, start: usize, goal: usize) -> ByGroups {
        let labels = &self.groups().labels;
        let members = Members::new(labels);
        let (home, target) = (labels[start], labels[goal]);
        let mut steps = 0;
        let mut seen = FixedBitSet::with_capacity(labels.len());
        // The group from which an edge to this one was examined last.
        let mut edge_from = vec![NONE; labels.len()];
        let mut queue = vec![home];
        seen.insert(home as usize);
        let mut next = 0;
        while let (Some(&group), false) = (queue.get(next), seen[target as usize]) {
            next += 1;
            self.for_each_group_edge(&members, group, &mut edge_from, |other| {
                steps += 1;
                if !seen.put(other as usize) {
                    queue.push(other);
                }
                other == target
            });
        }
        ByGroups { exists: seen[target as usize], steps }
    }

    /// Calls `each` once for every group to which a move leads from `group`, until it says true.
    fn for_each_group_edge(
        &self,
        members: &Members,
        group: u32,
        edge_from: &mut [u32],
        mut each: impl FnMut(u32) -> bool,
    ) {
        let labels = &self.groups().labels;
        let footing = self.footing();
        let mut is_done = false;
        for &i in members.of(group) {
            let i = i as usize;
            let mut meet = |j: usize, edge_from: &mut [u32]| {
                let other = labels[j];
                if !is_done && other != group && edge_from[other as usize] != group {
                    edge_from[other as usize] = group;
                    is_done = each(other);
                }
            };
            for (j, way) in footing.neighbours(i) {
                if labels[j] != NONE && footing.step(i, j, way).is_some() {
                    meet(j, edge_from);
                }
            }
            self.candidates(i).for_each(|j| {
                let other = labels[j];
                let is_new = other != group && edge_from[other as usize] != group;
                if is_new && self.verdict(i, j).is_clear() {
                    meet(j, edge_from);
                }
            });
            if is_done {
                return;
            }
        }
    }
}
