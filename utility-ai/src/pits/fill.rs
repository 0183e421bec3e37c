//! The published way out of pits: earth piled up in them, update by update.

use super::differences::sums;
use super::laplacian::LaplacianBound;
use super::parallel::in_chunks;
use crate::error::{UtilityError, number};
use crate::graph::Graph;
use crate::ids::Node;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// How the depth of a pit is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Laplacian {
    /// The sum of the differences to all neighbours, as published. Its scale, and so the largest
    /// stable gamma, depends on how many neighbours a node has.
    #[default]
    Sum,
    /// Their mean. Any gamma below 2 is stable on any graph.
    Mean,
}

/// Settings of a [`Fill`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields, default))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct FillConfig {
    /// `[units: 1] [limits: 0 to the stability bound, exclusive] suggested: 0.3 with 8 neighbours`
    /// How much of the fill counts. The bound is 4 over a proved upper bound of the Laplacian's
    /// largest eigenvalue, so whatever is below it is stable, on the graph as it is; updates see to
    /// that when edges are added: 4/13 on a grid with 8 neighbours (where a third is
    /// the limit), a half with 4, 2 for [`Laplacian::Mean`].
    pub gamma: f64,
    /// `[units: cost] [limits: finite, >= 0] suggested: 1` Pits that are not deeper stay as they
    /// are.
    pub threshold: f64,
    /// `[units: 1 per update] [limits: 0 to 1, exclusive] suggested: 0.01` The part that is lost at
    /// every update.
    pub decay: f64,
    /// How depth is measured.
    pub laplacian: Laplacian,
}

impl Default for FillConfig {
    /// As published (which states no threshold).
    fn default() -> Self {
        Self { gamma: 0.3, threshold: 1.0, decay: 0.01, laplacian: Laplacian::Sum }
    }
}

/// The fill of furukawa-2021, 2.3: per update, in every node,
/// `L = sum over neighbours j of (T_j - T)` with `T = cost + gamma * C`, then
/// `C <- (1 - decay) * (C + L)` where L is above the threshold, else `C <- (1 - decay) * C`.
///
/// It keeps the graph's steps, to see that gamma stays stable. All nodes are updated from the same
/// old values. Goals are no pits. (The source prints the sign of L
/// the other way round, which digs.) It promises nothing: in a corridor one node wide a single
/// threat is never passed, and the fill of a pit decays while the next is being filled.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{Fill, FillConfig, Graph};
///
/// let path = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
/// let graph = Graph::freeze(&path, |edge| *edge.weight())?;
/// let mut fill = Fill::new(&graph, FillConfig::default())?;
/// // A pit 3 deep at node 2; the goal is node 0.
/// fill.update(&graph, &[0.0, 4.0, 2.0, 6.0], &[0])?;
/// assert_eq!(fill.values(), [0.0, 0.0, 0.99 * 6.0, 0.0]);
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fill {
    config: FillConfig,
    values: Vec<f64>,
    /// Cost and fill together, as of the last update.
    total: Vec<f64>,
    /// The bound that keeps gamma stable, where it depends on the graph.
    bound: Option<Box<LaplacianBound>>,
    origin: u64,
}

impl Fill {
    /// No fill anywhere.
    ///
    /// # Errors
    /// [`UtilityError::UnstableGamma`] with the bound; [`UtilityError::Value`].
    ///
    /// # Complexity
    /// O(sum over the edges of the degrees of their ends).
    pub fn new(graph: &Graph, config: FillConfig) -> Result<Self, UtilityError> {
        let FillConfig { gamma, threshold, decay, laplacian } = config;
        number("gamma", gamma, gamma >= 0.0, ">= 0")?;
        number("threshold", threshold, threshold >= 0.0, ">= 0")?;
        number("decay", decay, (0.0..1.0).contains(&decay), ">= 0 and below 1")?;
        let bound = match laplacian {
            Laplacian::Sum => {
                let limit = (4.0 / gamma).next_down();
                Some(Box::new(LaplacianBound::new(graph, limit)))
            }
            Laplacian::Mean => None,
        };
        check_gamma(gamma, bound.as_ref().map_or(2.0, |bound| bound.largest()))?;
        let zeros = vec![0.0; graph.node_bound()];
        Ok(Self { config, values: zeros.clone(), total: zeros, bound, origin: graph.origin() })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &FillConfig {
        &self.config
    }
    /// `[units: cost]` The fill C of every node, not yet multiplied by gamma.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Takes all fill away.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Makes sure that gamma is stable on the graph as it is.
    pub(crate) fn follow_edits(&mut self, graph: &Graph) -> Result<(), UtilityError> {
        graph.check_origin(self.origin, self.values.len())?;
        let Some(bound) = &mut self.bound else { return Ok(()) };
        bound.update(graph);
        check_gamma(self.config.gamma, bound.largest())
    }

    /// One update. `cost` is the cost of every node without the fill; infinite where nobody goes.
    ///
    /// # Errors
    /// [`UtilityError::OtherGraph`], [`UtilityError::Count`], [`UtilityError::NotFinite`];
    /// [`UtilityError::NoNode`] for a goal; [`UtilityError::UnstableGamma`] where new edges of the
    /// graph have lowered the bound. The fill is then as before.
    ///
    /// # Complexity
    /// O(edges), in the current rayon pool. After edits O(degree^4) more for each new edge, mostly;
    /// where they bring gamma near its bound, as [`Fill::new`].
    pub fn update(
        &mut self,
        graph: &Graph,
        cost: &[f64],
        goals: &[Node],
    ) -> Result<(), UtilityError> {
        graph.check_count("cost", cost)?;
        self.follow_edits(graph)?;
        goals.iter().try_for_each(|&goal| graph.check_node(goal))?;
        let FillConfig { gamma, threshold, decay, laplacian } = self.config;
        let Self { values, total, .. } = self;
        let old: &[f64] = values;
        let all_costs = AtomicBool::new(true);
        in_chunks(total, |first, chunk| {
            let parts = cost[first..].iter().zip(&old[first..]);
            let mut costs = true;
            for (total, (cost, fill)) in chunk.iter_mut().zip(parts) {
                *total = cost + gamma * fill;
                costs &= *cost > f64::NEG_INFINITY;
            }
            if !costs {
                all_costs.store(false, Ordering::Relaxed);
            }
        });
        if !all_costs.into_inner() {
            return graph.check_numbers("cost", cost);
        }
        let total: &[f64] = total;
        let keep = 1.0 - decay;
        in_chunks(values, |first, chunk| {
            let count = chunk.len();
            sums(graph, total, first, count, |node, sums| {
                let values = &mut chunk[node - first..][..sums.len()];
                let add = |value: &mut f64, depth: f64| {
                    // A node where nobody goes has no depth: neither inf nor NaN passes the second
                    // test.
                    #[allow(clippy::needless_bitwise_bool)]
                    // a branch that nothing foretells otherwise
                    let pit = (depth > threshold) & (depth < f64::INFINITY);
                    *value = keep * (*value + if pit { depth } else { 0.0 });
                };
                match laplacian {
                    Laplacian::Sum => values.iter_mut().zip(sums).for_each(|(v, s)| add(v, *s)),
                    Laplacian::Mean => {
                        for (i, (value, sum)) in values.iter_mut().zip(sums).enumerate() {
                            let neighbours = graph.out.of(node + i).len().max(1);
                            add(value, sum / neighbours as f64);
                        }
                    }
                }
            });
        });
        for &goal in goals {
            values[goal] = 0.0;
        }
        Ok(())
    }
}

fn check_gamma(gamma: f64, largest_eigenvalue: f64) -> Result<(), UtilityError> {
    let bound = 4.0 / largest_eigenvalue;
    if gamma >= bound {
        return Err(UtilityError::UnstableGamma { gamma, bound, largest_eigenvalue });
    }
    Ok(())
}
