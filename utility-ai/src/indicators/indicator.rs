//! Indicators: a number for every node.

use crate::distance::DistanceField;
use crate::error::UtilityError;
use crate::graph::Graph;
use std::any::Any;

/// A number for every node; the lower, the better.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{Graph, Indicator, StandingCost, UtilityError};
///
/// /// How light it is.
/// struct Light(Vec<f64>);
///
/// impl Indicator for Light {
///     fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
///         values.copy_from_slice(&self.0);
///         Ok(())
///     }
/// }
///
/// let petgraph = UnGraph::<(), f64>::from_edges([(0, 1, 1.0)]);
/// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
/// let mut cost = StandingCost::new(&graph, 1.0)?;
/// let light = cost.add("light", Light(vec![0.0, 4.0]), 0.5)?;
/// cost.update(&graph, &[1.0, 0.0])?;
/// assert_eq!(cost.total(), [1.0, 2.0]);
/// cost.get_mut(light)?.0[1] = 0.0; // at any time
/// # Ok::<(), UtilityError>(())
/// ```
pub trait Indicator: Any + Send {
    /// Writes a number for every node index. `values` holds its own of the last
    /// time, before any curve, 0 at first.
    ///
    /// The caller checks that the numbers are finite. Where no way leads to a goal, a number that
    /// is not finite counts as 0.
    ///
    /// # Errors
    /// The indicator's own.
    fn evaluate(&mut self, graph: &Graph, values: &mut [f64]) -> Result<(), UtilityError>;
}

/// The travel distance to other goals than the agent's own, such as the next first-aid kit. It is
/// infinite where no way leads. [`StandingCost::update`](crate::StandingCost::update) refuses that
/// at nodes from which a way leads to the agent's goals, unless a [`Curve`](crate::Curve) makes it
/// finite.
impl Indicator for DistanceField {
    fn evaluate(&mut self, graph: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        self.update(graph)?;
        graph.check_count("the list of values", values)?;
        values.copy_from_slice(self.values());
        Ok(())
    }
}
