//! Pits filled to the brim: the least fill that leaves a way to the goal from everywhere.

use crate::error::UtilityError;
use crate::fill::{check_cost, check_count};
use crate::graph::Graph;
use crate::queue::BucketQueue;
use crate::rows::prefetch;

/// The filled costs of priority-flood (Barnes, Lehman and Mulla 2014): the smallest over all ways to a
/// goal of the highest cost on the way.
///
/// From every node that can reach a goal leads a way along which filled costs never rise; on level
/// ground [`Flood::steps_to_descent`] falls, so no slope is made up to tell nodes apart. Who always goes
/// to the neighbour that is lowest by the pair of both arrives, as long as the costs stay.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{Flood, Graph};
///
/// let path = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
/// let graph = Graph::freeze(&path, |edge| *edge.weight())?;
/// let mut flood = Flood::new(&graph);
/// flood.update(&graph, &[0.0, 4.0, 2.0, 6.0], &[0])?;
/// assert_eq!(flood.values(), [0.0, 4.0, 4.0, 6.0]);
/// assert_eq!(flood.steps_to_descent(), [0, 0, 1, 0]);
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Flood {
    values: Vec<f64>,
    levels: Vec<u32>,
    queue: BucketQueue,
}

impl Flood {
    /// Nothing is filled before the first update.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        let buckets = (graph.bound() / 64).clamp(64, 1 << 13).next_power_of_two();
        Self {
            values: vec![f64::INFINITY; graph.bound()],
            levels: vec![0; graph.bound()],
            queue: BucketQueue::new(graph.bound(), buckets),
        }
    }

    /// `[units: cost]` The filled cost of every node; infinite where no way leads to a goal.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// How many level steps a node is away from where its filled cost begins.
    #[must_use]
    pub fn steps_to_descent(&self) -> &[u32] {
        &self.levels
    }

    /// Fills anew. `cost` is the cost of every node; infinite where nobody goes.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`], [`UtilityError::Count`],
    /// [`UtilityError::NotFinite`]; the flood is then as before.
    ///
    /// # Complexity
    /// O(edges) where costs are spread out; O(edges * log) at worst in practice.
    #[allow(unsafe_code)] // 8 bounds checks a node
    #[allow(clippy::needless_bitwise_bool)] // a branch each otherwise
    pub fn update(
        &mut self,
        graph: &Graph,
        cost: &[f64],
        goals: &[usize],
    ) -> Result<(), UtilityError> {
        check_cost(cost, graph)?;
        check_count("the flood", &self.values, graph)?;
        if goals.is_empty() {
            return Err(UtilityError::NoGoal);
        }
        for &node in goals {
            graph.check_node(node)?;
            if !cost[node].is_finite() {
                return Err(UtilityError::NotFinite {
                    what: "cost".to_owned(),
                    node,
                    value: cost[node],
                });
            }
        }
        let rows = graph.entering();
        let (values, levels) = (&mut self.values[..rows.len()], &mut self.levels);
        let queue = &mut self.queue;
        values.fill(f64::INFINITY);
        levels.fill(0);
        // No level is below the lowest goal's.
        let low = goals.iter().map(|&goal| cost[goal]).fold(f64::INFINITY, f64::min);
        let higher = |high: f64, &c: &f64| if c > high && c < f64::INFINITY { c } else { high };
        let high = cost.iter().fold(low, higher);
        let last = queue.buckets() - 1;
        let scale = if high > low { last as f64 / (high - low) } else { 0.0 };
        let bucket = |value: f64| (((value - low) * scale) as i64 as usize).min(last);
        for &goal in goals {
            values[goal] = cost[goal];
            queue.push(goal, bucket(cost[goal]));
        }
        let mut current = 0;
        while let Some(next) = queue.open(current) {
            current = next;
            // All values of this bucket and those before are below, rounding included.
            let edge = low + (current + 2) as f64 / scale;
            while let Some(batch) = queue.take() {
                for (node, row) in batch.with_rows(rows) {
                    let (value, level) = (values[node], levels[node] + 1);
                    if bucket(value) != current {
                        continue;
                    }
                    // First all comparisons, which nothing foretells, without a branch.
                    for steps in row.chunks(32) {
                        let mut open = 0_u32;
                        for (i, step) in steps.iter().enumerate() {
                            // SAFETY: steps lead to nodes below rows.len(), the length of values.
                            let theirs = unsafe { *values.get_unchecked(step.from(node)) };
                            // Lower ones have a better way. What has a value beyond the edge has it from
                            // its own cost, since whoever gave it was below: nothing makes it lower.
                            let near = (theirs >= value) & (theirs < edge);
                            open |= u32::from(near | (theirs == f64::INFINITY)) << i;
                        }
                        while open != 0 {
                            let before = steps[open.trailing_zeros() as usize].from(node);
                            open &= open - 1;
                            let theirs = values[before];
                            let filled = if cost[before] > value { cost[before] } else { value };
                            let further = if filled == value { level } else { 0 };
                            // Both parts only ever fall: the same pair comes out whatever the order.
                            if filled < theirs || (filled == theirs && further < levels[before]) {
                                values[before] = filled;
                                levels[before] = further;
                                queue.push(before, bucket(filled));
                                // As in `Search::lower`: on grids the way goes on as it came.
                                rows.prefetch(before);
                                let beyond = (2 * before).wrapping_sub(node);
                                prefetch(values, beyond);
                                prefetch(cost, beyond);
                                prefetch(levels, beyond);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
