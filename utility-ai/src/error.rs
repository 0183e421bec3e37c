//! What can be wrong with graphs, indicators, strategies and agents, with the value and its limit.

use crate::ids::Node;
use glam::DVec3;
use thiserror::Error;

/// Why something was not built or not done. All is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum UtilityError {
    /// A graph without nodes, or with more than indices can name.
    #[error("a graph of {nodes} nodes is not possible: 1 to 2^31 - 1")]
    NodeCount {
        /// The nodes it has, or indices up to its last node.
        nodes: usize,
    },
    /// A length that is negative, zero, not finite, or out of the range that distances are exact
    /// in.
    #[error("the edge {from} -> {to} has length {length:?}: it must be from {least:?} to {most:?}")]
    Length {
        /// The node that the edge leaves.
        from: Node,
        /// The node that it enters.
        to: Node,
        /// The length.
        length: f64,
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// A node that the graph does not have, never had or no longer has.
    #[error("there is no node {node} (indices are below {bound}, some may be unused)")]
    NoNode {
        /// The node's index.
        node: Node,
        /// One more than the largest index.
        bound: usize,
    },
    /// An edge from a node to itself: nobody gets anywhere on it.
    #[error("node {node} cannot have an edge to itself")]
    Loop {
        /// The node.
        node: Node,
    },
    /// No goal was named.
    #[error("there must be at least one goal")]
    NoGoal,
    /// A goal that was taken out of the graph.
    #[error("the goal {node} is no longer in the graph")]
    GoalRemoved {
        /// The goal's index.
        node: Node,
    },
    /// No way leads from a node to any goal.
    #[error("no way leads from node {from} to a goal")]
    Unreachable {
        /// The node.
        from: Node,
    },
    /// A graph that is neither the one that something was made for nor a copy of it. Strategies
    /// that are computed from the start at every decision take any graph of the same size.
    #[error(
        "this is another graph than before ({found} node indices, before {expected}): what was made for one graph is of no use for another, even an equal one"
    )]
    OtherGraph {
        /// One more than the largest index of the graph that was passed.
        found: usize,
        /// The same of the graph used before.
        expected: usize,
    },
    /// A setting out of its limits.
    #[error("{what} = {value:?} is not allowed: it must be {limit}")]
    Value {
        /// The setting's name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The values that are allowed.
        limit: &'static str,
    },
    /// A length of a budget that the graph's numbers cannot keep to.
    #[error(
        "{what} = {value:?} is not allowed on this graph: it must be from {least:?} to {most:?}"
    )]
    Budget {
        /// The setting's name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The least that is allowed: 0, or a quantum of the graph.
        least: f64,
        /// The most that is allowed: 2^50 quanta, or any number.
        most: f64,
    },
    /// A gamma at which the fill would grow without bound.
    #[error(
        "gamma = {gamma:?} is unstable on this graph: it must be below {bound:?} = 4 / {largest_eigenvalue:?} (the largest eigenvalue of the Laplacian)"
    )]
    UnstableGamma {
        /// The gamma that was asked for.
        gamma: f64,
        /// Every gamma below is accepted.
        bound: f64,
        /// The eigenvalue that gives the bound; an upper bound of it.
        largest_eigenvalue: f64,
    },
    /// A list that does not have an entry per node.
    #[error("{what} has {found} entries, the graph {expected} nodes")]
    Count {
        /// The name of the list.
        what: &'static str,
        /// Its entries.
        found: usize,
        /// The graph's node indices.
        expected: usize,
    },
    /// A value per node that is not a number, or infinite where it must not be.
    #[error("{what} is {value:?} at node {node}: it must be a finite number")]
    NotFinite {
        /// The indicator's name, or what the value is.
        what: String,
        /// The node.
        node: Node,
        /// The value.
        value: f64,
    },
    /// Danger so far below 0 that an edge would cost nothing or less.
    #[error(
        "edges to node {node} would cost {factor:?} times their length: distance weight and danger must add up to more than 0"
    )]
    Factor {
        /// The node.
        node: Node,
        /// Distance weight plus danger.
        factor: f64,
    },
    /// Two indicators of one name.
    #[error("there is an indicator {name:?} already")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// An id of an indicator of another sum.
    #[error("indicator {number} was added to another standing cost, not to this one")]
    OtherIndicator {
        /// The indicator's number there.
        number: u32,
    },
    /// An array of walls that is neither 2D nor 3D.
    #[error("walls with {axes} axes make no grid: it must be 2 or 3")]
    Axes {
        /// The axes of the array.
        axes: usize,
    },
    /// A cell outside the grid, or of a graph that was not made of a grid with so many axes.
    #[error("there is no cell {cell:?} in a grid of shape {shape:?} ([y, x] or [z, y, x])")]
    NoCell {
        /// The cell, `[y, x]` or `[z, y, x]`.
        cell: Vec<usize>,
        /// The shape of the grid; empty if the graph was not made of one.
        shape: Vec<usize>,
    },
    /// A position where a node is needed.
    #[error("a threat at {position:?} has no node, where danger by travel begins")]
    NotAtNode {
        /// Where the threat is.
        position: DVec3,
    },
    /// Rules that do not take health and stagnation to a part of a weight.
    #[error(
        "rules for a weight take two inputs from 0 to 1, health and stagnation, to an output within 0 to 1: {found}"
    )]
    WeightRules {
        /// The type that they take instead.
        found: String,
    },
    /// Fuzzy inference for a weight failed.
    #[error(transparent)]
    Fuzzy(#[from] crate::fuzzy::FuzzyError),
}

/// Refuses a number that is not finite or does not fit.
pub(crate) fn number(
    what: &'static str,
    value: f64,
    fits: bool,
    limit: &'static str,
) -> Result<f64, UtilityError> {
    match (value.is_finite(), fits) {
        (true, true) => Ok(value),
        (true, false) => Err(UtilityError::Value { what, value, limit }),
        (false, _) => Err(UtilityError::Value { what, value, limit: "a finite number" }),
    }
}
