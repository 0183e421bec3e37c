//! Which jumps are edges of the graph.

use super::JumpGraph;
use crate::cell::NONE;
use crate::graph::moves::MoveKind;
use crate::storage::Storage;

/// Which jumps are edges of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum JumpRule {
    /// The graph of harakawa-2003. Clearance is decided by plan view, and jumps are drawn only
    /// between *jump cells* ([`JumpGraph::is_jump_cell`]) of *different groups*. The character is
    /// a point then, and there are no ceilings.
    Published,
    /// A jump is drawn between any two cells that neither a walk nor a fall joins, if and only if
    /// some launch point in the one open square and some landing point in the other allow an arc
    /// that clears every cell.
    Exact {
        /// `[units: length] [limits: > 0] suggested: 0.001` A jump is *marginal* where none was
        /// found and it is only proved that none has more margin than this.
        tolerance: f64,
    },
}

impl Default for JumpRule {
    fn default() -> Self {
        Self::Exact { tolerance: 1e-3 }
    }
}

impl<T: Storage> JumpGraph<T> {
    /// Whether `cell` lies at the rim of its group: walking does not lead to one of its neighbours
    /// inside the terrain, which is higher or lower or cannot be stood on. Without a step height
    /// and where all cells can be stood on, these are the source's *jump cells*, those that border
    /// another group. `false` where nobody can stand.
    ///
    /// ```
    /// use jump_planner::{Character, JumpGraph, Terrain};
    ///
    /// let terrain = Terrain::from_rows(&[[0.0, 0.0, 0.0, 1.0, 1.0]])?;
    /// let graph = JumpGraph::new(terrain, Character::builder(6.0).build()?)?;
    /// let jump_cells = (0..5).filter(|&x| graph.is_jump_cell([0, x]));
    /// assert_eq!(jump_cells.collect::<Vec<_>>(), [2, 3]);
    /// # Ok::<(), jump_planner::JumpError>(())
    /// ```
    #[must_use]
    pub fn is_jump_cell(&self, cell: T::Place) -> bool {
        self.terrain().find(cell).is_some_and(|i| self.is_at_rim(i))
    }

    fn is_at_rim(&self, i: usize) -> bool {
        let footing = self.footing();
        let walks =
            |(j, way)| footing.can_stand(j) && footing.step(i, j, way) == Some(MoveKind::Walk);
        footing.can_stand(i) && !footing.neighbours(i).all(walks)
    }

    /// Whether the rule draws a jump between these two ground cells if it is clear.
    pub(crate) fn draws(&self, i: usize, j: usize) -> bool {
        match self.rule() {
            JumpRule::Exact { .. } => true,
            JumpRule::Published => {
                let labels = &self.groups().labels;
                debug_assert!(labels[i] != NONE && labels[j] != NONE, "both can be stood on");
                labels[i] != labels[j] && self.is_at_rim(i) && self.is_at_rim(j)
            }
        }
    }
}
