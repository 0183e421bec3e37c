//! Graphs to try laws on, and their properties, written plainly.

use petgraph::graph::DiGraph;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::Graph;

/// Directed edges `(from, to, length)` on few nodes; every node but 0 has a way to 0.
pub(crate) fn edges() -> impl Strategy<Value = Vec<(u32, u32, f64)>> {
    (2_u32..12, any::<u64>()).prop_map(|(nodes, seed)| random_edges(nodes, 2 * nodes, seed))
}

/// A tree toward node 0 and some edges anywhere, their lengths whole quarters.
pub(crate) fn random_edges(nodes: u32, more: u32, seed: u64) -> Vec<(u32, u32, f64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut edges = Vec::new();
    for node in 1..nodes {
        edges.push((node, rng.random_range(0..node), f64::from(rng.random_range(1_u32..9)) / 4.0));
    }
    for _ in 0..more {
        let (a, b) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
        edges.push((a, b, f64::from(rng.random_range(1_u32..9)) / 4.0));
    }
    edges
}

pub(crate) fn directed(edges: &[(u32, u32, f64)]) -> Graph {
    let petgraph = DiGraph::<(), f64>::from_edges(edges.iter().copied());
    Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap()
}

/// A grid with 8 or 4 neighbours; a diagonal needs both cells beside it. Node y * width + x.
pub(crate) fn grid(width: usize, walls: &[bool], eight: bool) -> Graph {
    grid_by(width, walls, |beside| eight && beside.iter().all(|&open| open))
}

/// A grid with those diagonals for which `diagonal` holds, asked with whether the two cells beside
/// are open.
pub(crate) fn grid_by(width: usize, walls: &[bool], diagonal: impl Fn([bool; 2]) -> bool) -> Graph {
    let height = walls.len() / width;
    let open = |x: usize, y: usize| x < width && y < height && !walls[y * width + x];
    let mut petgraph = petgraph::graph::UnGraph::<(), f64>::default();
    (0..walls.len()).for_each(|_| {
        petgraph.add_node(());
    });
    let mut join = |a: usize, b: usize, length| {
        petgraph.add_edge((a as u32).into(), (b as u32).into(), length);
    };
    for y in 0..height {
        for x in 0..width {
            let here = y * width + x;
            if !open(x, y) {
                continue;
            }
            if open(x + 1, y) {
                join(here, here + 1, 1.0);
            }
            if open(x, y + 1) {
                join(here, here + width, 1.0);
            }
            if open(x + 1, y + 1) && diagonal([open(x + 1, y), open(x, y + 1)]) {
                join(here, here + width + 1, std::f64::consts::SQRT_2);
            }
            if x > 0 && open(x - 1, y + 1) && diagonal([open(x - 1, y), open(x, y + 1)]) {
                join(here, here + width - 1, std::f64::consts::SQRT_2);
            }
        }
    }
    Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap()
}

/// Distances to goals by going over all edges until nothing changes.
pub(crate) fn bellman_ford(graph: &Graph, goals: &[usize]) -> Vec<f64> {
    let mut values = vec![f64::INFINITY; graph.node_bound()];
    for &goal in goals {
        values[goal] = 0.0;
    }
    loop {
        let mut changed = false;
        for node in graph.nodes() {
            for step in graph.steps(node) {
                let further = step.length + values[step.to];
                if further < values[node] {
                    values[node] = further;
                    changed = true;
                }
            }
        }
        if !changed {
            return values;
        }
    }
}

pub(crate) fn walls(cells: usize, share: f64, seed: u64) -> Vec<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..cells).map(|_| rng.random_bool(share)).collect()
}
