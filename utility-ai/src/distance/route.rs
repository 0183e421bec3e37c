//! Ways on which danger counts as length.

use super::search::{Along, Search};
use crate::error::UtilityError;
use crate::graph::Graph;
use crate::ids::Node;

/// The least cost of a way from every node to a goal, where an edge from P to Q costs
/// `length * (distance_weight + danger[Q])`.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{Graph, Route};
///
/// // Past danger at node 1, or round by 2.
/// let edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 2.0), (2, 3, 2.0)];
/// let petgraph = UnGraph::<(), f64>::from_edges(edges);
/// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
/// let mut route = Route::new(&graph);
/// route.update(&graph, 1.0, &[0.0, 5.0, 0.0, 0.0], &[3])?;
/// assert_eq!(route.values(), [4.0, 1.0, 2.0, 0.0]);
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Route {
    values: Vec<f64>,
    search: Search,
}

impl Route {
    /// Infinite everywhere before the first update.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        Self { values: vec![f64::INFINITY; graph.node_bound()], search: Search::new(graph) }
    }

    /// `[units: cost]` The least cost from every node; infinite where no way leads to a goal.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Computes it again.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`], [`UtilityError::Count`];
    /// [`UtilityError::NotFinite`] and [`UtilityError::Factor`] for danger that makes an edge cost
    /// nothing or less. The route is then as before.
    ///
    /// # Complexity
    /// O(edges) where the dearest edge costs at most 4000 times as much as the cheapest.
    pub fn update(
        &mut self,
        graph: &Graph,
        distance_weight: f64,
        danger: &[f64],
        goals: &[Node],
    ) -> Result<(), UtilityError> {
        graph.check_count("danger", danger)?;
        graph.check_count("the route", &self.values)?;
        if goals.is_empty() {
            return Err(UtilityError::NoGoal);
        }
        goals.iter().try_for_each(|&goal| graph.check_node(goal))?;
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for (node, &value) in danger.iter().enumerate() {
            let factor = distance_weight + value;
            if !(factor > 0.0 && factor < f64::INFINITY) {
                if graph.entering().of(node).is_empty() {
                    continue;
                }
                if factor.is_finite() {
                    return Err(UtilityError::Factor { node, factor });
                }
                return Err(UtilityError::NotFinite { what: "danger".to_owned(), node, value });
            }
            least = least.min(factor);
            most = most.max(factor);
        }
        let (shortest, longest) = graph.length_range();
        self.values.fill(f64::INFINITY);
        for &goal in goals {
            self.values[goal] = 0.0;
        }
        self.search.lower(
            graph,
            Along::Entering,
            &mut self.values,
            goals.iter().copied(),
            (shortest * least, longest * most),
            f64::INFINITY,
            |node| distance_weight + danger[node],
            |_| (),
        );
        Ok(())
    }
}
