//! A petgraph graph, frozen into compressed rows.

use super::edits::History;
use super::grid::Grid;
use super::rows::Rows;
use crate::error::UtilityError;
use crate::ids::Node;
use fixedbitset::FixedBitSet;
use petgraph::visit::{EdgeRef, GraphProp, IntoEdgeReferences, IntoNodeIdentifiers, NodeIndexable};

/// The limits of a length, so that sums and quotients of lengths stay numbers.
pub(super) const LENGTHS: (f64, f64) = (1e-60, 1e60);
/// Distances take at most this many bits, so that they and their sums are exact.
const DISTANCE_BITS: i32 = 52;
/// An edge that is set later may be this many times as long as the longest one at first.
const HEADROOM: f64 = 4.0;

/// An edge as seen from one of its ends: from the node that it leaves, or, in
/// [`Graph::steps_into`], from the node that it enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The neighbour at the other end.
    pub to: Node,
    /// `[units: length]` The length of the edge.
    pub length: f64,
}

/// A graph to move on: nodes by index, edges with lengths. It is made of a grid
/// ([`Graph::from_walls`]) or of any petgraph graph ([`Graph::freeze`]).
///
/// A node's index is petgraph's ([`NodeIndexable::to_index`]). Where a petgraph graph has holes, no
/// node has that index. Edges of an undirected graph lead both ways. Loops are left out; of
/// parallel edges the shortest counts.
///
/// # Exact distances
/// Lengths are rounded to whole multiples of [`Graph::quantum`], a power of two. It is so small
/// that a length changes by at most `2^-49 * nodes` of the longest one, and so large that every
/// distance is below 2^52 of it. So sums and differences of lengths are exact in any order, and
/// proofs about them hold to the last bit.
///
/// # Memory
/// Rows that look the same are stored once. A grid takes 9 bytes a node. A graph in which nothing
/// repeats takes about 18 bytes per edge and direction.
///
/// Some steps are common to many nodes, such as those to 8 neighbours. The fill and the flood find
/// by bits which of these steps a node takes. So a grid may have walls anywhere, and some edges
/// beyond the pattern, as long as walls have indices too. If the open cells alone have indices,
/// there is no pattern, and an update of the fill takes longer.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) out: Rows,
    /// The edges by the node that they enter; `None` if every edge leads both ways.
    pub(super) back: Option<Rows>,
    pub(super) present: FixedBitSet,
    pub(super) quantum: f64,
    max_length: f64,
    /// No edge is shorter than the first or longer than the second.
    pub(super) length_range: (f64, f64),
    pub(super) history: History,
    /// The cells, where it was made of a grid.
    pub(super) grid: Option<Box<Grid>>,
}

impl Graph {
    /// Freezes a graph of any of petgraph's kinds. `length` gives the length of an edge.
    ///
    /// ```
    /// use petgraph::graph::UnGraph;
    /// use utility_ai::Graph;
    ///
    /// let petgraph = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 2.5)]);
    /// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
    /// assert_eq!(graph.length(2, 1), Some(2.5));
    /// # Ok::<(), utility_ai::UtilityError>(())
    /// ```
    ///
    /// # Errors
    /// [`UtilityError::NodeCount`]; [`UtilityError::Length`] for a length outside 1e-60 to 1e60.
    ///
    /// # Complexity
    /// O(nodes + edges * log(degree)).
    pub fn freeze<G>(
        graph: G,
        mut length: impl FnMut(G::EdgeRef) -> f64,
    ) -> Result<Self, UtilityError>
    where
        G: IntoNodeIdentifiers + IntoEdgeReferences + NodeIndexable + GraphProp,
    {
        let bound = graph.node_bound();
        check_count_of_nodes(bound)?;
        let mut present = FixedBitSet::with_capacity(bound);
        for node in graph.node_identifiers() {
            present.insert(graph.to_index(node));
        }
        let mut edges = Vec::new();
        for edge in graph.edge_references() {
            let [from, to] = [edge.source(), edge.target()].map(|node| graph.to_index(node));
            edges.push((from as u32, to as u32, length(edge)));
        }
        Self::from_edges(present, edges, graph.is_directed(), 0.0)
    }

    /// `longest`: no shorter than the longest edge that is planned for, if that is known.
    pub(super) fn from_edges(
        present: FixedBitSet,
        mut edges: Vec<(u32, u32, f64)>,
        directed: bool,
        longest: f64,
    ) -> Result<Self, UtilityError> {
        let (least, most) = LENGTHS;
        if let Some(&(from, to, length)) =
            edges.iter().find(|(.., length)| !(least..=most).contains(length))
        {
            let [from, to] = [from, to].map(|node| node as Node);
            return Err(UtilityError::Length { from, to, length, least, most });
        }
        if present.is_clear() {
            return Err(UtilityError::NodeCount { nodes: 0 });
        }
        edges.retain(|(from, to, _)| from != to);
        let bound = present.len();
        let longest = edges.iter().map(|edge| edge.2).fold(longest, f64::max);
        let longest = if longest > 0.0 { longest } else { 1.0 };
        let (_, exponent) = libm::frexp(longest * HEADROOM * bound as f64);
        let quantum = libm::ldexp(1.0, exponent - DISTANCE_BITS);
        for edge in &mut edges {
            edge.2 = quantise(edge.2, quantum);
        }
        let shortest = edges.iter().map(|edge| edge.2).fold(longest, f64::min);
        if !directed {
            edges.extend_from_within(..);
            let second = edges.len() / 2;
            for edge in &mut edges[second..] {
                *edge = (edge.1, edge.0, edge.2);
            }
        }
        let mut out = Rows::collect(bound, &edges, |&(from, to, _)| (from, to));
        out.slice();
        let back = directed.then(|| Rows::collect(bound, &edges, |&(from, to, _)| (to, from)));
        Ok(Self {
            out,
            back,
            present,
            quantum,
            max_length: (longest * HEADROOM / quantum).floor() * quantum,
            length_range: (shortest, quantise(longest, quantum)),
            history: History::new(),
            grid: None,
        })
    }

    /// One more than the largest index of a node: the length of all lists by node.
    #[must_use]
    pub fn node_bound(&self) -> usize {
        self.present.len()
    }
    /// Whether there is a node with this index.
    #[must_use]
    pub fn contains(&self, node: Node) -> bool {
        self.present.contains(node)
    }
    /// All nodes, ascending.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.present.ones()
    }
    /// The edges that leave a node, by ascending neighbour; none if there is no such node.
    #[must_use]
    pub fn steps(&self, node: Node) -> impl ExactSizeIterator<Item = Step> + '_ {
        self.steps_in(&self.out, node)
    }
    /// The edges that enter a node, by ascending neighbour, which is [`Step::to`]; none if there is
    /// no such node. If the graph is undirected, they are the same as those of [`Graph::steps`].
    #[must_use]
    pub fn steps_into(&self, node: Node) -> impl ExactSizeIterator<Item = Step> + '_ {
        self.steps_in(self.entering(), node)
    }
    fn steps_in<'a>(
        &self,
        rows: &'a Rows,
        node: Node,
    ) -> impl ExactSizeIterator<Item = Step> + use<'a> {
        let row = if node < self.node_bound() { rows.of(node) } else { &[] };
        row.iter().map(move |step| Step { to: step.from(node), length: step.length })
    }
    /// `[units: length]` The length of an edge; `None` if there is no such edge.
    #[must_use]
    pub fn length(&self, from: Node, to: Node) -> Option<f64> {
        let inside = from < self.node_bound() && to < self.node_bound();
        if inside { self.out.length(from, to) } else { None }
    }
    /// `[units: length]` All lengths and distances are whole multiples of it.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        self.quantum
    }
    /// `[units: length]` The longest edge that [`Graph::set_length`] takes: 4 times the longest one
    /// at first.
    #[must_use]
    pub fn max_length(&self) -> f64 {
        self.max_length
    }

    pub(crate) fn check_node(&self, node: Node) -> Result<(), UtilityError> {
        if self.contains(node) {
            Ok(())
        } else {
            Err(UtilityError::NoNode { node, bound: self.node_bound() })
        }
    }

    /// Refuses a list that does not have a value per node.
    pub(crate) fn check_count(&self, what: &'static str, list: &[f64]) -> Result<(), UtilityError> {
        let (found, expected) = (list.len(), self.node_bound());
        if found == expected { Ok(()) } else { Err(UtilityError::Count { what, found, expected }) }
    }

    /// Refuses also values that are neither numbers nor infinite.
    pub(crate) fn check_numbers(
        &self,
        what: &'static str,
        list: &[f64],
    ) -> Result<(), UtilityError> {
        self.check_count(what, list)?;
        // Whole runs, which are compared side by side.
        #[allow(clippy::needless_bitwise_bool)]
        let sound = |run: &[f64]| run.iter().fold(true, |all, &c| all & (c > f64::NEG_INFINITY));
        if list.chunks(256).all(sound) {
            return Ok(());
        }
        let node = list.iter().position(|&c| c.is_nan() || c == f64::NEG_INFINITY).unwrap_or(0);
        Err(UtilityError::NotFinite { what: what.to_owned(), node, value: list[node] })
    }

    /// The edges by the node that they enter.
    #[inline]
    pub(crate) fn entering(&self) -> &Rows {
        self.back.as_ref().unwrap_or(&self.out)
    }

    /// Whether every edge leads both ways at the same length.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.back.is_none()
    }

    /// No edge is shorter than the first or longer than the second.
    pub(crate) fn length_range(&self) -> (f64, f64) {
        self.length_range
    }
}

pub(super) fn check_count_of_nodes(nodes: usize) -> Result<(), UtilityError> {
    if nodes < 1 << 31 { Ok(()) } else { Err(UtilityError::NodeCount { nodes }) }
}

pub(super) fn quantise(length: f64, quantum: f64) -> f64 {
    (length / quantum).round().max(1.0) * quantum
}
