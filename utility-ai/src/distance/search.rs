//! Least sums of lengths, from every node to the nearest of some.

use super::queue::BucketQueue;
use crate::graph::Graph;
use crate::graph::rows::{Offset, prefetch};
use fixedbitset::FixedBitSet;

/// Buckets of a search. More would make it no faster: nodes within a bucket may be taken again.
const BUCKETS: usize = 4096;

/// The work space of a search besides the values that it fills.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    queue: BucketQueue,
    /// The nodes whose value their neighbours know already. So a node that was lowered twice within
    /// a bucket is expanded once (1.2 times as fast on a grid).
    known: Vec<u64>,
}

/// In which direction a search goes through the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    /// Values are of the way from each node.
    Entering,
    /// Values are of the way to each node.
    Leaving,
}

impl Search {
    pub(crate) fn new(graph: &Graph) -> Self {
        let known = vec![0; graph.node_bound().div_ceil(64)];
        Self { queue: BucketQueue::new(graph.node_bound(), BUCKETS), known }
    }

    /// Lowers `values`, in which `seeds` have been set lower than before, until nothing is left to
    /// lower below `reach`: value of a neighbour <= length * `factor(node)` + value of the node.
    ///
    /// The result is the least of all floating-point sums over all ways, whatever the order in
    /// which nodes are taken: addition is monotone, and a node that was lowered is taken again.
    ///
    /// `range`: the smallest and the largest product of a length and a factor, for the width of the
    /// buckets; no node of a bucket reaches into the same one when that is the smallest.
    /// `first_seen` is told of nodes that had no value.
    #[allow(clippy::too_many_arguments)] // one loop, three users
    #[allow(unsafe_code)] // 8 bounds checks a node
    pub(crate) fn lower(
        &mut self,
        graph: &Graph,
        along: Along,
        values: &mut [f64],
        seeds: impl IntoIterator<Item = usize>,
        range: (f64, f64),
        reach: f64,
        factor: impl Fn(usize) -> f64,
        mut first_seen: impl FnMut(usize),
    ) {
        let rows = match along {
            Along::Entering => graph.entering(),
            Along::Leaving => &graph.out,
        };
        let Self { queue, known } = self;
        let values = &mut values[..rows.len()];
        let mask = queue.buckets() - 1;
        // The largest step must not go round to the bucket that it starts from.
        let width = range.0.max(range.1 / (mask - 1) as f64);
        let scale = 1.0 / width;
        let bucket = |value: f64| (value * scale) as i64 as usize & mask;
        let mut at = f64::INFINITY;
        for seed in seeds {
            at = at.min(values[seed]);
            known[seed / 64] &= !(1 << (seed % 64));
            // Seeds may be further apart than the buckets reach: these are taken in a wrong order
            // and, where that matters, again.
            queue.push(seed, bucket(values[seed]));
        }
        let mut current = bucket(at.min(f64::MAX));
        while let Some(next) = queue.open(current) {
            current = next;
            while let Some(batch) = queue.take() {
                for (node, row) in batch.with_rows(rows) {
                    let bit = 1 << (node % 64);
                    if known[node / 64] & bit != 0 {
                        continue;
                    }
                    known[node / 64] |= bit;
                    let value = values[node];
                    let factor = factor(node);
                    // First all comparisons, which cannot be predicted, without a branch; then the
                    // few that lower.
                    for steps in row.chunks(32) {
                        let mut lower = 0_u32;
                        for (i, step) in steps.iter().enumerate() {
                            // SAFETY: steps lead to nodes below rows.len(), the length of values.
                            let theirs = unsafe { *values.get_unchecked(step.from(node)) };
                            lower |= u32::from(step.length * factor + value < theirs) << i;
                        }
                        while lower != 0 {
                            let step = steps[lower.trailing_zeros() as usize];
                            lower &= lower - 1;
                            let (further, neighbour) =
                                (step.length * factor + value, step.from(node));
                            if further < reach {
                                if values[neighbour] == f64::INFINITY {
                                    first_seen(neighbour);
                                }
                                values[neighbour] = further;
                                known[neighbour / 64] &= !(1 << (neighbour % 64));
                                queue.push(neighbour, bucket(further));
                                // Fetches what is read at its turn: on grids the way goes on as it
                                // came. It saves a quarter of the time.
                                rows.prefetch(neighbour);
                                prefetch(values, (2 * neighbour).wrapping_sub(node));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Nodes, listed and marked, whose distance follows from no neighbour that is not marked
    /// itself, as far as they depend on `candidates`. Values are exact distances from before edits.
    pub(crate) fn find_unsupported(
        &mut self,
        graph: &Graph,
        values: &[f64],
        candidates: &[u32],
        found: &mut Vec<u32>,
        marked: &mut FixedBitSet,
    ) {
        let (queue, range) = (&mut self.queue, graph.length_range());
        let mask = queue.buckets() - 1;
        let scale = 1.0 / range.0.max(range.1 / (mask - 1) as f64);
        let bucket = |node: usize| (values[node] * scale) as u64 as usize & mask;
        found.clear();
        // Goals, at 0, follow from nothing.
        let finite = |node: usize| values[node] > 0.0 && values[node] < f64::INFINITY;
        for &node in candidates {
            if finite(node as usize) {
                queue.push(node as usize, bucket(node as usize));
            }
        }
        // In about ascending order. A node that is looked at too early is looked at again, when the
        // neighbour that it follows from has been marked.
        let mut current = 0;
        while let Some(next) = queue.open(current) {
            current = next;
            while let Some(batch) = queue.take() {
                for node in batch.nodes() {
                    let holds = |step: &Offset| {
                        let to = step.from(node);
                        !marked.contains(to) && step.length + values[to] == values[node]
                    };
                    if marked.contains(node) || graph.out.of(node).iter().any(holds) {
                        continue;
                    }
                    marked.insert(node);
                    found.push(node as u32);
                    for step in graph.entering().of(node) {
                        let before = step.from(node);
                        if step.length + values[node] == values[before] && finite(before) {
                            queue.push(before, bucket(before));
                        }
                    }
                }
            }
        }
    }
}
