//! Whether a path exists, many times over: an index that is built once.
//!
//! Grouping does not help on ragged terrain, where every other cell is a group of its own. But
//! almost all of it is mutually reachable. So the index has the regions of the level, which are
//! found without looking at most of its edges, and the few passages between them, along which no
//! way leads back.

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::questions::exists::Existence;
use crate::regions::Regions;
use crate::regions::scc::{self, Csr};
use crate::storage::{PlaceName, Storage};

/// An index of which cells reach which. It belongs to the level as it was when the index was built.
#[derive(Clone, Debug)]
pub struct ReachIndex<P: PlaceName = Cell> {
    regions: Regions<P::Bits>,
    successors: Csr,
    /// A topological order from behind: passages lead to lower numbers.
    order: Vec<u32>,
}

impl<T: Storage> JumpGraph<T> {
    /// Builds an index of which cells reach which.
    ///
    /// # Complexity
    /// As [`JumpGraph::audit`].
    #[must_use]
    pub fn reach_index(&self) -> ReachIndex<T::Place> {
        let regions = T::regions(self);
        let successors = regions.successors();
        let (order, _) = scc::components(&successors);
        ReachIndex { regions, successors, order }
    }
}

impl<P: PlaceName> ReachIndex<P> {
    /// Between two of `places` that the level has now.
    pub(crate) fn exists(
        &self,
        start: usize,
        goal: usize,
        places: usize,
    ) -> Result<Existence, JumpError> {
        // Where nobody could stand then, the level has changed since.
        let region = |i: usize| match self.regions.labels.get(i) {
            Some(&label) if label != NONE && self.regions.labels.len() == places => Ok(label),
            _ => Err(JumpError::OtherLevel { found: self.regions.labels.len(), expected: places }),
        };
        let (start, goal) = (region(start)?, region(goal)?);
        let rank = |region: u32| self.order[region as usize];
        let mut steps = 0;
        let mut open = vec![start];
        let mut seen = std::collections::BTreeSet::from([start]);
        // From below the goal it cannot be met any more.
        while let (Some(node), true) = (open.pop(), rank(start) > rank(goal)) {
            for &next in self.successors.of(node) {
                steps += 1;
                if next == goal {
                    return Ok(Existence { exists: true, steps });
                }
                if rank(next) > rank(goal) && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        Ok(Existence { exists: start == goal, steps })
    }

    /// The work of building it: moves between neighbours, and pairs of cells that were checked for
    /// a longer jump, whatever the answer.
    #[must_use]
    pub fn building_steps(&self) -> usize {
        self.regions.examined
    }
    /// Regions: strongly connected components.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.regions.count()
    }
}
