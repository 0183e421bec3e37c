//! Grids as petgraph graphs.

use ndarray::ArrayRef2;
use petgraph::graph::{NodeIndex, UnGraph};
use std::f64::consts::SQRT_2;

/// Which cells a walker can step to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// Side to side.
    Four,
    /// Also corner to corner, where both cells beside the corner are free.
    Eight,
}

/// How long a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// 1, whichever it is.
    Hops,
    /// 1 side to side, sqrt 2 corner to corner.
    Octile,
}

/// The graph of a grid's free cells. Cell `[y, x]` is node `y * width + x`, walls included, which have no
/// edges: so neighbours differ by the same indices everywhere. A node's weight is its cell.
///
/// ```
/// use ndarray::array;
/// use sim_harness::world::grid_graph::{Lengths, Neighbours, grid_graph};
///
/// let walls = array![[false, false, true], [false, false, false]];
/// let graph = grid_graph(&walls, Neighbours::Eight, Lengths::Octile);
/// assert_eq!((graph.node_count(), graph.edge_count()), (6, 7));
/// assert_eq!(graph[petgraph::graph::NodeIndex::new(4)], [1, 1]);
/// ```
#[must_use]
pub fn grid_graph(
    walls: &ArrayRef2<bool>,
    neighbours: Neighbours,
    lengths: Lengths,
) -> UnGraph<[usize; 2], f64> {
    let (height, width) = walls.dim();
    let diagonal = if lengths == Lengths::Hops { 1.0 } else { SQRT_2 };
    let mut graph = UnGraph::with_capacity(width * height, 4 * width * height);
    for ((y, x), _) in walls.indexed_iter() {
        graph.add_node([y, x]);
    }
    let node = |y: usize, x: usize| NodeIndex::new(y * width + x);
    let open = |y: usize, x: usize| walls.get([y, x]) == Some(&false);
    for ((y, x), _) in walls.indexed_iter().filter(|(_, wall)| !**wall) {
        let (right, below) = (open(y, x + 1), open(y + 1, x));
        if right {
            graph.add_edge(node(y, x), node(y, x + 1), 1.0);
        }
        if below {
            graph.add_edge(node(y, x), node(y + 1, x), 1.0);
        }
        if neighbours == Neighbours::Four || !below {
            continue;
        }
        if right && open(y + 1, x + 1) {
            graph.add_edge(node(y, x), node(y + 1, x + 1), diagonal);
        }
        if x > 0 && open(y, x - 1) && open(y + 1, x - 1) {
            graph.add_edge(node(y, x), node(y + 1, x - 1), diagonal);
        }
    }
    graph
}
