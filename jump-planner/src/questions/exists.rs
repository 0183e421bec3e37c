//! Whether a path exists at all.

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::groups::Members;
use crate::graph::near::near_move;
use crate::graph::rule::JumpRule;
use crate::questions::index::ReachIndex;

/// What a search for a path goes over, and so what it counts as a step.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum SearchOver<'a> {
    /// Cells, breadth first. A step is an edge of the graph of cells that is examined until the
    /// goal is met. O(cells x cells within reach).
    Cells,
    /// Groups, breadth first. A step is an edge of the graph of groups that is examined until the
    /// goal's group is met. There is an edge from one group to another where a fall or a jump leads
    /// from any cell of the one to any cell of the other. O(cells of the groups met x cells within
    /// reach).
    Groups,
    /// The source's two stages: groups first, and cells only if a way between the groups exists.
    /// The steps are those of both.
    GroupsThenCells,
    /// Cells, with few decisions: moves between neighbours come first, and a jump is decided only
    /// where it leads to what was not seen before. A step is a pair of cells that was looked at,
    /// decided or not; there are more of them than edges, but they take far less time.
    CellsLazily,
    /// Groups, likewise. A step is a pair of cells of different groups that was looked at.
    GroupsLazily,
    /// An index of the level as it is. A step is a passage between regions that this one question
    /// examines.
    Index(&'a ReachIndex),
}

/// Whether a path exists, and what it took to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Existence {
    /// Whether a path exists.
    pub exists: bool,
    /// What was examined; [`SearchOver`] says what a step is.
    pub steps: usize,
}

impl JumpGraph {
    /// Whether a path exists. All searches give the same answer; they differ in what they look at.
    ///
    /// ```
    /// use jump_planner::{Character, JumpGraph, SearchOver, Terrain};
    ///
    /// let terrain = Terrain::from_rows(&[[0.0, 0.0, -3.0, -3.0, 0.0]])?;
    /// let graph = JumpGraph::new(terrain, Character::builder(6.0).build()?)?;
    /// assert!(graph.exists([0, 0], [0, 4], SearchOver::Cells)?.exists);
    /// let back = graph.exists([0, 2], [0, 4], SearchOver::Groups)?; // out of the ditch
    /// assert_eq!((back.exists, back.steps), (false, 0));
    /// # Ok::<(), jump_planner::JumpError>(())
    /// ```
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    ///
    /// # Complexity
    /// [`SearchOver`] says it.
    pub fn exists(
        &self,
        from: Cell,
        to: Cell,
        over: SearchOver<'_>,
    ) -> Result<Existence, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        Ok(match over {
            SearchOver::Cells => self.exists_by_cells(start, goal),
            SearchOver::Groups => self.exists_by_groups(start, goal),
            SearchOver::GroupsThenCells => {
                let groups = self.exists_by_groups(start, goal);
                if !groups.exists {
                    return Ok(groups);
                }
                let cells = self.exists_by_cells(start, goal);
                Existence { steps: groups.steps + cells.steps, ..cells }
            }
            SearchOver::CellsLazily => self.exists_lazily(start, goal, false),
            SearchOver::GroupsLazily => self.exists_lazily(start, goal, true),
            SearchOver::Index(index) => index.exists(start, goal),
        })
    }

    fn exists_by_cells(&self, start: usize, goal: usize) -> Existence {
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
        Existence { exists: seen[goal], steps }
    }

    fn exists_by_groups(&self, start: usize, goal: usize) -> Existence {
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
        Existence { exists: seen[target as usize], steps }
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
        let published = self.rule() == JumpRule::Published;
        (!published || (borders(i) && borders(j))) && self.verdict(i, j).is_clear()
    }

    fn exists_lazily(&self, start: usize, goal: usize, by_groups: bool) -> Existence {
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
        Existence { exists: seen[target], steps }
    }
}
