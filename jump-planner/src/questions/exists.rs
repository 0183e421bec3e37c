//! Whether a path exists at all.

use crate::cell::Cell;
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::near::near_move;
use crate::questions::index::ReachIndex;
use crate::questions::two_stages::{ByCells, ByGroups, TwoStages, Until};
use crate::storage::{PlaceName, Storage};
use fixedbitset::FixedBitSet;

/// The nodes of a search for a path, and so the steps that it counts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum SearchOver<'a, P: PlaceName = Cell> {
    /// Cells, breadth first. A step is an edge of the graph of cells that is examined until the
    /// goal is met. O(cells x cells within reach).
    Cells,
    /// Groups, breadth first. A step is an edge of the graph of groups that is examined until the
    /// goal's group is met. There is an edge from one group to another where a fall or a jump leads
    /// from any cell of the one to any cell of the other. O(cells of the groups met x cells within
    /// reach).
    Groups,
    /// The source's two stages, [`JumpGraph::two_stages`]: groups first, and cells only if a way
    /// between the groups exists. The steps are those of both.
    GroupsThenCells,
    /// Cells, with few decisions: moves between neighbours come first, and a jump is decided only
    /// where it leads to a cell that was not seen before. A step is a pair of cells that was looked
    /// at, decided or not; there are more of them than edges, but they take far less time.
    CellsLazily,
    /// Groups, likewise, and from both ends at once: [`JumpGraph::plan`] asks this first. A step is
    /// a pair of cells of different groups that was looked at.
    GroupsLazily,
    /// An index of the level as it is. A step is a passage between regions that this one question
    /// examines.
    Index(&'a ReachIndex<P>),
}

/// Whether a path exists, and what it took to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Existence {
    /// Whether a path exists.
    pub exists: bool,
    /// The steps that were examined, of the kind that [`SearchOver`] states.
    pub steps: usize,
}

impl From<ByGroups> for Existence {
    fn from(ByGroups { exists, steps }: ByGroups) -> Self {
        Self { exists, steps }
    }
}

impl<T: Storage> JumpGraph<T> {
    /// Whether a path exists. All searches give the same answer; they differ in the steps that they
    /// examine.
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
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`];
    /// [`JumpError::OtherLevel`] for an index of a level with another number of cells, or from
    /// before an edit after which one can stand on one of the two.
    ///
    /// # Complexity
    /// [`SearchOver`] says it.
    pub fn exists(
        &self,
        from: T::Place,
        to: T::Place,
        over: SearchOver<'_, T::Place>,
    ) -> Result<Existence, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        Ok(match over {
            SearchOver::Cells => {
                let ByCells { steps, way, .. } = self.by_cells(start, goal, Until::Met);
                Existence { exists: way.is_some(), steps }
            }
            SearchOver::Groups => self.by_groups(start, goal).into(),
            SearchOver::GroupsThenCells => {
                let TwoStages { group_steps, by_cells } = self.two_stages(from, to)?;
                by_cells.map_or(Existence { exists: false, steps: group_steps }, |cells| {
                    let steps = group_steps + cells.steps;
                    Existence { exists: cells.way.is_some(), steps }
                })
            }
            SearchOver::CellsLazily => self.by_cells_lazily(start, goal),
            SearchOver::GroupsLazily => self.groups_meet(start, goal).into(),
            SearchOver::Index(index) => index.exists(start, goal, self.terrain().floors().len())?,
        })
    }

    /// Whether a path exists, by [`SearchOver::GroupsLazily`].
    ///
    /// # Errors
    /// As [`JumpGraph::jump`].
    ///
    /// # Complexity
    /// At worst O(cells within reach) decisions for each cell of the groups that one end meets.
    pub fn is_reachable(&self, from: T::Place, to: T::Place) -> Result<bool, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        Ok(self.groups_meet(start, goal).exists)
    }

    /// Cells, with few decisions.
    pub(crate) fn by_cells_lazily(&self, start: usize, goal: usize) -> Existence {
        let mut seen = FixedBitSet::with_capacity(self.terrain().floors().len());
        let mut queue = vec![start];
        seen.insert(start);
        let (mut near, mut far, mut steps) = (0, 0, 0);
        let footing = self.footing();
        while !seen[goal] && far < queue.len() {
            if let Some(&i) = queue.get(near) {
                near += 1;
                for (j, way) in footing.neighbours(i).filter(|&(j, _)| footing.can_stand(j)) {
                    if near_move(self, i, j, way).is_some() {
                        steps += 1;
                        if !seen.put(j) {
                            queue.push(j);
                        }
                    }
                }
                continue;
            }
            let i = queue[far];
            far += 1;
            self.candidates(i).for_each(|j| {
                if seen[goal] {
                    return;
                }
                steps += 1;
                if !seen[j] && self.has_jump(i, j) {
                    seen.insert(j);
                    queue.push(j);
                }
            });
        }
        Existence { exists: seen[goal], steps }
    }
}
