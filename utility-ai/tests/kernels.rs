//! The searches and the fill on a small graph against relaxation until nothing changes. Small
//! enough for Miri, which then sees every unsafe block (`.ci/miri`).

use petgraph::graph::UnGraph;
use utility_ai::{DistanceField, Fill, FillConfig, Flood, Graph};

/// The fill works on whole blocks of 64 nodes, from which no step leads out of the graph.
const SIDE: u32 = 13;

/// A square of nodes, each joined to its 8 neighbours; some edges are left out.
fn edges() -> Vec<(u32, u32, f64)> {
    let mut edges = Vec::new();
    for node in 0..SIDE * SIDE {
        let (x, y) = (node % SIDE, node / SIDE);
        let ways = [
            (x + 1, y, 1.0),
            (x, y + 1, 1.0),
            (x + 1, y + 1, 1.5),
            (x.wrapping_sub(1), y + 1, 1.5),
        ];
        for (i, (to_x, to_y, length)) in (0..).zip(ways) {
            if to_x < SIDE && to_y < SIDE && (node * 5 + i) % 7 != 0 {
                edges.push((node, to_y * SIDE + to_x, length));
            }
        }
    }
    edges
}

/// The least values that any way to the goal gives.
fn relaxed(
    goal: usize,
    at_goal: f64,
    edges: &[(u32, u32, f64)],
    way: impl Fn(usize, f64, f64) -> f64,
) -> Vec<f64> {
    let mut values = vec![f64::INFINITY; (SIDE * SIDE) as usize];
    values[goal] = at_goal;
    loop {
        let before = values.clone();
        for &(a, b, length) in edges {
            let (a, b) = (a as usize, b as usize);
            values[a] = values[a].min(way(a, values[b], length));
            values[b] = values[b].min(way(b, values[a], length));
        }
        if values == before {
            return values;
        }
    }
}

#[test]
fn searches_are_relaxation() {
    let edges = edges();
    let petgraph = UnGraph::<(), f64>::from_edges(&edges);
    let graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
    let goal = 24;
    let field = DistanceField::new(&graph, &[goal]).unwrap();
    assert_eq!(field.values(), relaxed(goal, 0.0, &edges, |_, value, length| value + length));

    let cost: Vec<f64> = (0..SIDE * SIDE).map(|node| f64::from(node * 29 % 31)).collect();
    let mut flood = Flood::new(&graph);
    flood.update(&graph, &cost, &[goal]).unwrap();
    let expected = relaxed(goal, cost[goal], &edges, |node, value, _| value.max(cost[node]));
    assert_eq!(flood.values(), expected);
}

#[test]
fn one_update_fills_what_lies_below_its_neighbours() {
    // Numbered in order, and so that hardly two nodes have the same steps.
    let shuffled = |node: u32| node * node % 7 * 13 + node * 40 % (SIDE * SIDE);
    let mut order: Vec<u32> = (0..SIDE * SIDE).collect();
    order.sort_by_key(|&node| shuffled(node));
    let mut scattered: Vec<_> =
        edges().iter().map(|e| (order[e.0 as usize], order[e.1 as usize], e.2)).collect();
    // One has more neighbours than all around it.
    scattered.extend((20..60).map(|node| (3, node * 2, 1.0)));
    for mut edges in [edges(), scattered] {
        let petgraph = UnGraph::<(), f64>::from_edges(&edges);
        let mut graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
        // An edge that was not there.
        assert_eq!(graph.length(70, 141), None);
        graph.set_length(70, 141, Some(1.0)).unwrap();
        edges.push((70, 141, 1.0));
        edges.sort_by_key(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)));
        edges.dedup_by_key(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)));
        let cost: Vec<f64> = (0..SIDE * SIDE).map(|node| f64::from(node * 29 % 31)).collect();
        let config = FillConfig { gamma: 0.05, ..FillConfig::default() };
        let mut fill = Fill::new(&graph, config).unwrap();
        fill.update(&graph, &cost, &[0]).unwrap();
        for (node, value) in (0..).zip(fill.values()).skip(1) {
            let sum: f64 = edges
                .iter()
                .filter(|edge| edge.0 == node || edge.1 == node)
                .map(|edge| cost[(edge.0 + edge.1 - node) as usize] - cost[node as usize])
                .sum();
            assert_eq!(*value > 0.0, sum > config.threshold, "{node}: {value} at depth {sum}");
        }
    }
}
