//! A petgraph graph, frozen into compressed rows.

use crate::error::UtilityError;
use crate::identity;
use crate::rows::Rows;
use petgraph::visit::{EdgeRef, GraphProp, IntoEdgeReferences, IntoNodeIdentifiers, NodeIndexable};
use std::collections::VecDeque;

/// What lengths may be, so that their sums and quotients stay numbers.
const MAGNITUDES: (f64, f64) = (1e-60, 1e60);
/// Distances take at most this many bits, so that they and their sums are exact.
const DISTANCE_BITS: i32 = 52;
/// An edge that is set later may be this many times as long as the longest at first.
const HEADROOM: f64 = 4.0;
/// How many of the latest edits are kept for fields that have not seen them yet.
const LOG: usize = 1 << 16;

/// An edge as seen from one of its ends: that which it leaves, but in [`Graph::steps_into`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The neighbour at the other.
    pub to: usize,
    /// `[units: length]` How long it is.
    pub length: f64,
}

/// A graph to move on: nodes by index, edges with lengths.
///
/// A node's index is petgraph's ([`NodeIndexable::to_index`]); where a graph has holes, no node has
/// that index. Edges of an undirected graph lead both ways. Loops are left out, of parallel edges the
/// shortest counts.
///
/// # Exact distances
/// Lengths are rounded to whole multiples of [`Graph::quantum`], a power of two so small that a
/// length changes by at most `2^-49 * nodes` of the longest one, and so large that every distance is
/// below 2^52 of it. So sums and differences of lengths are exact, whatever their order. What is
/// proved of them holds to the last bit.
///
/// Rows that look the same are stored once; a grid takes 9 bytes a node, a graph in which nothing
/// repeats 18 bytes an edge and direction, mostly. Whatever the steps that many nodes share, such as those to 8
/// neighbours, the fill and the flood find by bits which of them a node takes: a grid may have walls
/// anywhere, and some edges beyond the pattern, as long as walls have indices too. Without a pattern, such
/// as on a grid of which the open cells alone have indices, an update of the fill takes longer.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) out: Rows,
    /// The edges by the node they enter; `None` if that is the same.
    back: Option<Rows>,
    present: Vec<bool>,
    quantum: f64,
    max_length: f64,
    /// No edge is shorter, or longer.
    shortest: f64,
    longest: f64,
    /// Edges that were set or taken away, the latest last.
    log: VecDeque<Edit>,
    revision: u64,
    /// The state that it was frozen in: the same in all copies.
    origin: u64,
    /// Another one after every edit; copies have the same until one of them is edited.
    state: u64,
}

/// An edge that was set or taken away.
#[derive(Clone, Copy, Debug)]
struct Edit {
    from: u32,
    to: u32,
    /// The graph's state since.
    state: u64,
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
        if bound >= 1 << 31 {
            return Err(UtilityError::NodeCount { nodes: bound });
        }
        let mut present = vec![false; bound];
        for node in graph.node_identifiers() {
            present[graph.to_index(node)] = true;
        }
        let directed = graph.is_directed();
        let mut edges = Vec::new();
        let (least, most) = MAGNITUDES;
        for edge in graph.edge_references() {
            let [from, to] = [edge.source(), edge.target()].map(|node| graph.to_index(node));
            let length = length(edge);
            if !(least..=most).contains(&length) {
                return Err(UtilityError::Length { from, to, length, least, most });
            }
            if from != to {
                edges.push((from as u32, to as u32, length));
                if !directed {
                    edges.push((to as u32, from as u32, length));
                }
            }
        }
        if !present.contains(&true) {
            return Err(UtilityError::NodeCount { nodes: 0 });
        }

        let longest = edges.iter().map(|edge| edge.2).fold(0.0, f64::max);
        let longest = if longest > 0.0 { longest } else { 1.0 };
        let (_, exponent) = libm::frexp(longest * HEADROOM * bound as f64);
        let quantum = libm::ldexp(1.0, exponent - DISTANCE_BITS);
        for edge in &mut edges {
            edge.2 = quantise(edge.2, quantum);
        }
        let shortest = edges.iter().map(|edge| edge.2).fold(longest, f64::min);
        let mut out = Rows::collect(bound, &edges, |&(from, to, _)| (from, to));
        out.slice();
        let back = directed.then(|| Rows::collect(bound, &edges, |&(from, to, _)| (to, from)));
        let max_length = (longest * HEADROOM / quantum).floor() * quantum;
        let (log, origin) = (VecDeque::new(), identity::fresh());
        Ok(Self {
            out,
            back,
            present,
            quantum,
            max_length,
            shortest,
            longest: quantise(longest, quantum),
            log,
            revision: 0,
            origin,
            state: origin,
        })
    }

    /// One more than the largest index of a node: the length of all lists by node.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.present.len()
    }
    /// Whether there is a node with this index.
    #[must_use]
    pub fn contains(&self, node: usize) -> bool {
        self.present.get(node) == Some(&true)
    }
    /// All nodes, ascending.
    pub fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bound()).filter(|&node| self.present[node])
    }
    /// The edges that leave a node, by ascending neighbour; none if there is no such node.
    #[must_use]
    pub fn steps(&self, node: usize) -> impl ExactSizeIterator<Item = Step> + '_ {
        self.steps_in(&self.out, node)
    }
    /// The edges that enter a node, by ascending neighbour, `to` being where each comes from; none if there is
    /// no such node. In a graph frozen from an undirected one the same as [`Graph::steps`].
    #[must_use]
    pub fn steps_into(&self, node: usize) -> impl ExactSizeIterator<Item = Step> + '_ {
        self.steps_in(self.entering(), node)
    }
    fn steps_in<'a>(
        &self,
        rows: &'a Rows,
        node: usize,
    ) -> impl ExactSizeIterator<Item = Step> + use<'a> {
        let row = if node < self.bound() { rows.of(node) } else { &[] };
        row.iter().map(move |step| Step { to: step.from(node), length: step.length })
    }
    /// `[units: length]` How long the edge is; `None` without one.
    #[must_use]
    pub fn length(&self, from: usize, to: usize) -> Option<f64> {
        let inside = from < self.bound() && to < self.bound();
        if inside { self.out.length(from, to) } else { None }
    }
    /// `[units: length]` All lengths and distances are whole multiples of it.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        self.quantum
    }
    /// `[units: length]` The longest edge that [`Graph::set_length`] takes: 4 times the longest at
    /// first.
    #[must_use]
    pub fn max_length(&self) -> f64 {
        self.max_length
    }
    /// How often edges were set or taken away.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Sets the length of an edge, which need not be there before, or takes it away. In a graph that
    /// was frozen from an undirected one the edge back goes along.
    ///
    /// # Errors
    /// [`UtilityError::NoNode`], [`UtilityError::Loop`], [`UtilityError::Length`].
    ///
    /// # Complexity
    /// O(degree).
    pub fn set_length(
        &mut self,
        from: usize,
        to: usize,
        length: Option<f64>,
    ) -> Result<(), UtilityError> {
        self.check_node(from)?;
        self.check_node(to)?;
        if from == to {
            return Err(UtilityError::Loop { node: from });
        }
        let (least, most) = (MAGNITUDES.0, self.max_length);
        let length = match length {
            Some(length) if (least..=most).contains(&length) => {
                Some(quantise(length, self.quantum))
            }
            Some(length) => return Err(UtilityError::Length { from, to, length, least, most }),
            None => None,
        };
        self.put(from, to, length);
        Ok(())
    }

    /// Takes a node and its edges away for good: its index stays unused. For a door, take away the edges of its
    /// node ([`Graph::steps`], [`Graph::steps_into`]) and set them again.
    ///
    /// # Errors
    /// [`UtilityError::NoNode`].
    ///
    /// # Complexity
    /// O(degree^2).
    pub fn remove_node(&mut self, node: usize) -> Result<(), UtilityError> {
        self.check_node(node)?;
        let leaving: Vec<usize> = self.out.of(node).iter().map(|step| step.from(node)).collect();
        let entering: Vec<usize> = self.entering().of(node).iter().map(|s| s.from(node)).collect();
        for to in leaving {
            self.put(node, to, None);
        }
        for from in entering {
            self.put(from, node, None);
        }
        self.out.clear(node);
        self.present[node] = false;
        self.remember(node, node);
        Ok(())
    }

    pub(crate) fn check_node(&self, node: usize) -> Result<(), UtilityError> {
        if self.contains(node) {
            Ok(())
        } else {
            Err(UtilityError::NoNode { node, bound: self.bound() })
        }
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
        (self.shortest, self.longest)
    }

    /// The same in all copies of a graph, and in no other graph.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    /// Refuses what was made for another graph, which had `expected` indices.
    pub(crate) fn check_origin(&self, origin: u64, expected: usize) -> Result<(), UtilityError> {
        let found = self.bound();
        if origin == self.origin {
            Ok(())
        } else {
            Err(UtilityError::OtherGraph { found, expected })
        }
    }

    /// Two graphs in the same state are equal.
    pub(crate) fn state(&self) -> u64 {
        self.state
    }

    /// Edges `(from, to)` that changed since a state; `None` if the log does not reach back so far, or if that
    /// was the state of a copy which has gone another way.
    pub(crate) fn edits_since(&self, state: u64) -> Option<impl Iterator<Item = (usize, usize)>> {
        let whole = self.log.len() as u64 == self.revision;
        let first = if whole && state == self.origin {
            0
        } else {
            self.log.binary_search_by_key(&state, |edit| edit.state).ok()? + 1
        };
        Some(self.log.range(first..).map(|edit| (edit.from as usize, edit.to as usize)))
    }

    fn put(&mut self, from: usize, to: usize, length: Option<f64>) {
        if self.out.length(from, to) == length {
            return;
        }
        self.out.set(from, to, length);
        match &mut self.back {
            Some(back) => back.set(to, from, length),
            None => self.out.set(to, from, length),
        }
        if let Some(length) = length {
            self.shortest = self.shortest.min(length);
            self.longest = self.longest.max(length);
        }
        self.remember(from, to);
    }

    fn remember(&mut self, from: usize, to: usize) {
        self.revision += 1;
        self.state = identity::fresh();
        self.log.push_back(Edit { from: from as u32, to: to as u32, state: self.state });
        if self.log.len() > LOG {
            self.log.pop_front();
        }
    }
}

fn quantise(length: f64, quantum: f64) -> f64 {
    (length / quantum).round().max(1.0) * quantum
}
