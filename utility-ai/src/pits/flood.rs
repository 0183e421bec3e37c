//! Pits filled to the brim: the least fill that leaves a way to the goal from everywhere.

use crate::error::UtilityError;
use crate::graph::Graph;
use crate::graph::rows::stencil::ELSEWHERE;
use crate::graph::rows::{Rows, prefetch};
use crate::ids::Node;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The filled costs of priority-flood (Barnes, Lehman and Mulla 2014): the smallest over all ways
/// to a goal of the highest cost on the way.
///
/// From every node that can reach a goal leads a way along which filled costs never rise; on level
/// ground [`Flood::steps_to_descent`] falls, so no slope is made up to tell nodes apart. An agent
/// that always goes to the neighbour that is lowest by the pair of both arrives, as long as the
/// costs stay.
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
    /// Nodes that were reached from lower ground, in the order in which they are climbed from.
    slope: Vec<u32>,
    climbed: usize,
    /// The nodes among them beside which lower ground was still dry when they were climbed from.
    doubtful: Vec<u32>,
    /// The nodes among these for which that was still so when all slopes had been climbed, the
    /// lowest on top.
    rims: BinaryHeap<Reverse<(u64, u32)>>,
    /// Rims that have run over, and the nodes that they have filled, in this order.
    pit: Vec<u32>,
    filled: usize,
}

/// Memory is asked for so many nodes before it is needed.
const AHEAD: usize = 6;

impl Flood {
    /// Nothing is filled before the first update.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        let nodes = graph.node_bound();
        Self {
            values: vec![f64::INFINITY; nodes],
            levels: vec![0; nodes],
            slope: Vec::with_capacity(nodes),
            climbed: 0,
            doubtful: Vec::with_capacity(nodes),
            rims: BinaryHeap::with_capacity(nodes),
            pit: Vec::with_capacity(nodes),
            filled: 0,
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

    /// Fills again from the start. `cost` is the cost of every node; infinite where nobody goes.
    ///
    /// A node that is reached from lower ground keeps its own cost, whatever is found later. So
    /// slopes are climbed in any order, and only the rims of pits are put in order (Zhou, Sun and
    /// Fu, *An efficient variant of the priority-flood algorithm*, 2016).
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`], [`UtilityError::Count`],
    /// [`UtilityError::NotFinite`]; the flood is then as before.
    ///
    /// # Complexity
    /// O(edges + rims * log(rims)).
    pub fn update(
        &mut self,
        graph: &Graph,
        cost: &[f64],
        goals: &[Node],
    ) -> Result<(), UtilityError> {
        graph.check_numbers("cost", cost)?;
        graph.check_count("the flood", &self.values)?;
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
        self.drain();
        for &goal in goals {
            if self.values[goal] == f64::INFINITY {
                self.values[goal] = cost[goal];
                self.slope.push(goal as u32);
            }
        }
        let rows = graph.entering();
        loop {
            self.climb(rows, cost);
            let Some(&Reverse((lowest, _))) = self.rims.peek() else { return Ok(()) };
            while let Some(&Reverse((level, rim))) = self.rims.peek()
                && level == lowest
            {
                self.rims.pop();
                self.pit.push(rim);
            }
            self.fill_pits(rows, cost);
        }
    }

    /// Takes the last flood away.
    fn drain(&mut self) {
        let Self { values, levels, slope, pit, .. } = self;
        // Most of it at once, or node by node.
        if slope.len() > values.len() / 8 {
            values.fill(f64::INFINITY);
        } else {
            slope.iter().chain(&*pit).for_each(|&node| values[node as usize] = f64::INFINITY);
        }
        for &node in &*pit {
            levels[node as usize] = 0;
        }
        slope.clear();
        pit.clear();
        (self.climbed, self.filled) = (0, 0);
    }

    /// Climbs from all nodes that have not been climbed from.
    fn climb(&mut self, rows: &Rows, cost: &[f64]) {
        let Self { values, slope, climbed, doubtful, rims, .. } = self;
        let far = rows.stencil().is_none();
        while let Some(&node) = slope.get(*climbed) {
            *climbed += 1;
            let node = node as usize;
            let value = values[node];
            // A fifth less time where rows lie about in memory.
            if far && let Some(&later) = slope.get(*climbed + AHEAD) {
                rows.prefetch_steps(later as usize);
            }
            let mut lower_beside = false;
            for_each_dry(rows, node, values, |values, before| {
                let own = cost[before];
                lower_beside |= own <= value;
                if own > value && own < f64::INFINITY {
                    values[before] = own;
                    slope.push(before as u32);
                    prefetch_beyond(rows, node, before, values, cost);
                }
            });
            if lower_beside {
                doubtful.push(node as u32);
            }
        }
        // Nearly all of that was reached from elsewhere since.
        for node in doubtful.drain(..) {
            let value = values[node as usize];
            let mut lower_beside = false;
            for_each_dry(rows, node as usize, values, |_, before| {
                lower_beside |= cost[before] <= value;
            });
            if lower_beside {
                rims.push(Reverse((ordered(value), node)));
            }
        }
    }

    /// Fills pits from rims that have run over, all of the same level.
    fn fill_pits(&mut self, rows: &Rows, cost: &[f64]) {
        let Self { values, levels, slope, pit, filled, .. } = self;
        while let Some(&node) = pit.get(*filled) {
            *filled += 1;
            let node = node as usize;
            let (level, further) = (values[node], levels[node] + 1);
            for_each_dry(rows, node, values, |values, before| {
                let own = cost[before];
                if own <= level {
                    values[before] = level;
                    levels[before] = further;
                    pit.push(before as u32);
                } else if own < f64::INFINITY {
                    values[before] = own;
                    slope.push(before as u32);
                }
            });
        }
    }
}

/// Calls `visit` with all nodes that lead to `node` and have no value yet.
#[inline(always)]
#[allow(unsafe_code)] // 8 bounds checks a node
#[allow(clippy::inline_always)] // the flood is this loop
fn for_each_dry(
    rows: &Rows,
    node: usize,
    values: &mut [f64],
    mut visit: impl FnMut(&mut [f64], usize),
) {
    let values = &mut values[..rows.len()];
    // First all comparisons, which cannot be predicted, without a branch.
    if let Some(stencil) = rows.stencil()
        && stencil.takes()[node] != ELSEWHERE
    {
        let mut dry = 0_u32;
        for (i, &by) in stencil.offsets().iter().enumerate() {
            let before = node.wrapping_add_signed(by as isize);
            // SAFETY: a node that is not ELSEWHERE has nodes at all offsets.
            let theirs = unsafe { *values.get_unchecked(before) };
            dry |= u32::from(theirs == f64::INFINITY) << i;
        }
        dry &= stencil.takes()[node];
        while dry != 0 {
            let by = stencil.offsets()[dry.trailing_zeros() as usize];
            dry &= dry - 1;
            visit(values, node.wrapping_add_signed(by as isize));
        }
        return;
    }
    for steps in rows.of(node).chunks(32) {
        let mut dry = 0_u32;
        for (i, step) in steps.iter().enumerate() {
            // SAFETY: steps lead to nodes below rows.len(), the length of values.
            let theirs = unsafe { *values.get_unchecked(step.from(node)) };
            dry |= u32::from(theirs == f64::INFINITY) << i;
        }
        while dry != 0 {
            let before = steps[dry.trailing_zeros() as usize].from(node);
            dry &= dry - 1;
            visit(values, before);
        }
    }
}

/// Fetches what is read at the turn of `before`: on grids the way goes on as it came.
#[inline(always)]
#[allow(clippy::inline_always)]
fn prefetch_beyond(rows: &Rows, node: usize, before: usize, values: &[f64], cost: &[f64]) {
    match rows.stencil() {
        Some(stencil) => prefetch(stencil.takes(), before),
        None => rows.prefetch(before),
    }
    let beyond = (2 * before).wrapping_sub(node);
    prefetch(values, beyond);
    prefetch(cost, beyond);
}

/// Numbers in the order of finite values; both zeros have the same.
fn ordered(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}
