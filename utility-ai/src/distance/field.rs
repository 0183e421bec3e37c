//! Travel distance to one or several goals, for every node.

use super::search::{Along, Search};
use crate::error::UtilityError;
use crate::graph::Graph;
use crate::ids::Node;
use fixedbitset::FixedBitSet;

/// How far it is from every node to the nearest of some goals.
///
/// ```
/// use petgraph::graph::DiGraph;
/// use utility_ai::{DistanceField, Graph};
///
/// let petgraph = DiGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 2.0), (2, 0, 4.0)]);
/// let mut graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
/// let mut field = DistanceField::new(&graph, &[2])?;
/// assert_eq!(field.values(), [3.0, 2.0, 0.0]);
///
/// graph.set_length(0, 2, Some(1.5))?;
/// field.update(&graph)?;
/// assert_eq!(field.values(), [1.5, 2.0, 0.0]);
/// assert_eq!(field.successor(&graph, 0), Some(2));
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistanceField {
    goals: Vec<Node>,
    values: Vec<f64>,
    search: Search,
    /// Nodes whose value no longer follows from a neighbour's, while a change is taken in.
    stale: Vec<u32>,
    is_stale: FixedBitSet,
    /// The nodes from which a change spreads.
    seeds: Vec<u32>,
    /// The graph that it is of, and the state that was seen last.
    origin: u64,
    state: u64,
}

impl DistanceField {
    /// The field of a graph and its goals, which may be named twice.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`].
    ///
    /// # Complexity
    /// O(edges) where the longest edge is at most 4000 times as long as the shortest.
    pub fn new(graph: &Graph, goals: &[Node]) -> Result<Self, UtilityError> {
        let mut field = Self {
            goals: Vec::new(),
            values: vec![f64::INFINITY; graph.node_bound()],
            search: Search::new(graph),
            stale: Vec::with_capacity(graph.node_bound()),
            is_stale: FixedBitSet::with_capacity(graph.node_bound()),
            seeds: Vec::with_capacity(graph.node_bound()),
            origin: graph.origin(),
            state: graph.state(),
        };
        field.set_goals(graph, goals)?;
        Ok(field)
    }

    /// `[units: length]` The distance from every node index to the nearest goal; infinite where no
    /// way leads.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// `[units: length]` The distance from a node, infinite if no way leads to a goal or there is
    /// no such node.
    #[must_use]
    pub fn distance(&self, node: Node) -> f64 {
        self.values.get(node).copied().unwrap_or(f64::INFINITY)
    }
    /// The goals, as they were named.
    #[must_use]
    pub fn goals(&self) -> &[Node] {
        &self.goals
    }
    /// The next node of a shortest way from `node`, the lowest index of several; `None` at goals
    /// and where no way leads.
    ///
    /// # Complexity
    /// O(degree).
    #[must_use]
    pub fn successor(&self, graph: &Graph, node: Node) -> Option<Node> {
        let here = self.distance(node);
        let mut steps = graph.steps(node);
        steps.find(|s| s.length + self.distance(s.to) == here && here < f64::INFINITY).map(|s| s.to)
    }

    /// Sets other goals.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`], [`UtilityError::OtherGraph`]; the field
    /// is then as before.
    ///
    /// # Complexity
    /// As [`DistanceField::new`].
    pub fn set_goals(&mut self, graph: &Graph, goals: &[Node]) -> Result<(), UtilityError> {
        self.check_graph(graph)?;
        if goals.is_empty() {
            return Err(UtilityError::NoGoal);
        }
        goals.iter().try_for_each(|&goal| graph.check_node(goal))?;
        self.goals.clear();
        self.goals.extend_from_slice(goals);
        self.compute(graph);
        Ok(())
    }

    /// Follows the edits of the graph, or the differences of a copy of it. The values are then
    /// those of a new field, bit by bit. Returns whether anything had changed.
    ///
    /// # Errors
    /// [`UtilityError::GoalRemoved`], [`UtilityError::OtherGraph`]; the field is then as before.
    ///
    /// # Complexity
    /// O(edits + nodes whose distance they change, and their edges). After more than 65,536 edits,
    /// or for a copy with edits of its own, as [`DistanceField::new`].
    pub fn update(&mut self, graph: &Graph) -> Result<bool, UtilityError> {
        self.check_graph(graph)?;
        if let Some(&node) = self.goals.iter().find(|&&goal| !graph.contains(goal)) {
            return Err(UtilityError::GoalRemoved { node });
        }
        if graph.state() == self.state {
            return Ok(false);
        }
        self.repair(graph);
        self.state = graph.state();
        Ok(true)
    }

    fn check_graph(&self, graph: &Graph) -> Result<(), UtilityError> {
        graph.check_origin(self.origin, self.values.len())
    }

    fn compute(&mut self, graph: &Graph) {
        self.values.fill(f64::INFINITY);
        for &goal in &self.goals {
            self.values[goal] = 0.0;
        }
        let (goals, range) = (self.goals.iter().copied(), graph.length_range());
        let (values, all) = (&mut self.values, f64::INFINITY);
        self.search.lower(graph, Along::Entering, values, goals, range, all, |_| 1.0, |_| ());
        self.state = graph.state();
    }

    /// Drops every value that no longer follows from a neighbour's. Then fills the hole from its
    /// rim.
    fn repair(&mut self, graph: &Graph) {
        let Self { values, stale, is_stale, seeds, search, .. } = self;
        let Some(edits) = graph.edits_since(self.state) else {
            self.compute(graph);
            return;
        };
        seeds.clear();
        seeds.extend(edits.flat_map(|(a, b)| [a as u32, b as u32]));
        search.find_unsupported(graph, values, seeds, stale, is_stale);
        for &node in stale.iter() {
            values[node as usize] = f64::INFINITY;
        }
        // First the nodes whose values follow from ones that still hold; nodes deeper in the hole
        // follow from these. An edit may also have brought in a shorter way.
        seeds.extend_from_slice(stale);
        for &node in seeds.iter() {
            let node = node as usize;
            let around =
                graph.out.of(node).iter().filter(|step| !is_stale.contains(step.from(node)));
            let best = around.map(|step| step.length + values[step.from(node)]);
            values[node] = best.fold(values[node], f64::min);
        }
        seeds.retain(|&node| values[node as usize] < f64::INFINITY);
        for &node in stale.iter() {
            is_stale.set(node as usize, false);
        }
        let seeds = seeds.iter().map(|&node| node as usize);
        let (range, all) = (graph.length_range(), f64::INFINITY);
        search.lower(graph, Along::Entering, values, seeds, range, all, |_| 1.0, |_| ());
    }
}
