//! Whether a path exists, many times over: an index that is built once.
//!
//! Grouping does not help on ragged terrain, where every other cell is a group of its own. What helps
//! is that almost all of it is mutually reachable: one pass over the edges finds the strongly
//! connected components, and what is left between them is a graph without cycles in which an edge
//! always leads to a lower number.

use crate::error::{Cell, JumpError};
use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::plan::Existence;
use crate::scc::{self, Csr};

/// An index of who reaches whom. It belongs to the level as it was when it was built.
#[derive(Clone, Debug)]
pub struct ReachIndex {
    /// The component of every cell.
    labels: Vec<u32>,
    /// Edges between components, each once.
    between: Csr,
    building: usize,
}

impl JumpGraph {
    /// Builds an index of who reaches whom.
    ///
    /// # Complexity
    /// O(cells x cells within reach): every edge of the graph of cells is examined, and those
    /// between groups once more.
    #[must_use]
    pub fn reach_index(&self) -> ReachIndex {
        let labels = &self.groups().labels;
        let mut building = 0;
        let mut edges = Vec::new();
        for i in 0..labels.len() {
            if labels[i] == NONE {
                continue;
            }
            self.for_each(i, |j, _| {
                building += 1;
                if labels[i] != labels[j] {
                    edges.push((labels[i], labels[j]));
                }
            });
        }
        edges.sort_unstable();
        edges.dedup();
        // The components are found along these edges, and what is left between them once more.
        building += 2 * edges.len();
        let groups = Csr::from_sorted(labels.len(), edges.iter().copied());
        let (component, count) = scc::components(&groups);
        let of = |label: u32| component[label as usize];
        let mut between: Vec<_> =
            edges.into_iter().map(|(a, b)| (of(a), of(b))).filter(|(a, b)| a != b).collect();
        between.sort_unstable();
        between.dedup();
        let label = |&l: &u32| if l == NONE { NONE } else { of(l) };
        ReachIndex {
            labels: labels.iter().map(label).collect(),
            between: Csr::from_sorted(count, between.into_iter()),
            building,
        }
    }

    /// Whether a path exists, by an index; `steps` are the edges between components that this one
    /// question examines.
    ///
    /// # Errors
    /// As [`JumpGraph::exists_by_cells`].
    pub fn exists_by_index(
        &self,
        index: &ReachIndex,
        from: Cell,
        to: Cell,
    ) -> Result<Existence, JumpError> {
        let (start, goal) = (self.ground_index(from)?, self.ground_index(to)?);
        let (start, goal) = (index.labels[start], index.labels[goal]);
        let mut steps = 0;
        let mut open = vec![start];
        let mut seen = std::collections::BTreeSet::from([start]);
        // Edges lead to lower numbers: below the goal it cannot be met any more.
        while let (Some(node), true) = (open.pop(), start > goal) {
            for &next in index.between.of(node) {
                steps += 1;
                if next == goal {
                    return Ok(Existence { exists: true, steps });
                }
                if next > goal && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        Ok(Existence { exists: start == goal, steps })
    }
}

impl ReachIndex {
    /// Edges examined to build it.
    #[must_use]
    pub fn building_steps(&self) -> usize {
        self.building
    }
    /// Strongly connected components.
    #[must_use]
    pub fn components(&self) -> usize {
        // Labels of no group are components of their own in the compact graph.
        let mut labels: Vec<_> = self.labels.iter().filter(|&&l| l != NONE).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.len()
    }
}
