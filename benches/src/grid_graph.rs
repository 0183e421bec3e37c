//! Grids as petgraph graphs, for rivals that search those.

use ndarray::ArrayRef2;
use petgraph::graph::{NodeIndex, UnGraph};
use std::f64::consts::SQRT_2;

/// The graph of a grid: 8 neighbours, lengths 1 and sqrt 2, no corners cut. Cell `[y, x]` is node
/// `y * width + x`, walls included, which have no edges. A node's weight is its cell.
///
/// ```
/// use benches::grid_graph::grid_graph;
/// use ndarray::array;
///
/// let walls = array![[false, false, true], [false, false, false]];
/// let graph = grid_graph(&walls);
/// assert_eq!((graph.node_count(), graph.edge_count()), (6, 7));
/// assert_eq!(graph[petgraph::graph::NodeIndex::new(4)], [1, 1]);
/// ```
#[must_use]
pub fn grid_graph(walls: &ArrayRef2<bool>) -> UnGraph<[usize; 2], f64> {
    let (height, width) = walls.dim();
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
        if !below {
            continue;
        }
        if right && open(y + 1, x + 1) {
            graph.add_edge(node(y, x), node(y + 1, x + 1), SQRT_2);
        }
        if x > 0 && open(y, x - 1) && open(y + 1, x - 1) {
            graph.add_edge(node(y, x), node(y + 1, x - 1), SQRT_2);
        }
    }
    graph
}
