//! Filled costs and dear ways against plainly written searches.

use super::worlds::{directed, grid, random_edges, walls};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::{DistanceField, Flood, Graph, Route};

/// Filled costs and steps to descent: the lowest pairs that follow from a neighbour's, by going
/// over all edges until nothing changes.
fn plainly(graph: &Graph, cost: &[f64], goals: &[usize]) -> Vec<(f64, u32)> {
    let mut pairs = vec![(f64::INFINITY, 0); graph.node_bound()];
    for &goal in goals {
        pairs[goal].0 = cost[goal];
    }
    loop {
        let mut changed = false;
        for node in graph.nodes() {
            for step in graph.steps(node) {
                let (there, level) = pairs[step.to];
                let filled = cost[node].max(there);
                let pair = (filled, if filled == there { level + 1 } else { 0 });
                if filled < f64::INFINITY && pair < pairs[node] {
                    pairs[node] = pair;
                    changed = true;
                }
            }
        }
        if !changed {
            return pairs;
        }
    }
}

fn pairs(flood: &Flood) -> Vec<(f64, u32)> {
    flood.values().iter().copied().zip(flood.steps_to_descent().iter().copied()).collect()
}

fn costs(nodes: usize, levels: u32, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..nodes).map(|_| f64::from(rng.random_range(0..levels)) * 0.7 - 3.0).collect()
}

proptest! {
    #[test]
    fn filled_costs_are_the_least_that_leave_a_way_down(nodes in 2_u32..60, seed: u64, levels in 1_u32..40) {
        let graph = directed(&random_edges(nodes, nodes, seed));
        let cost = costs(graph.node_bound(), levels, seed);
        let goals = [0, nodes as usize / 2];
        let mut flood = Flood::new(&graph);
        // Twice, the second time over the rest of the first.
        flood.update(&graph, &costs(graph.node_bound(), 9, !seed), &goals).unwrap();
        flood.update(&graph, &cost, &goals).unwrap();
        prop_assert_eq!(pairs(&flood), plainly(&graph, &cost, &goals));
        // The way down from anywhere.
        let pair = |n: usize| (flood.values()[n], flood.steps_to_descent()[n]);
        for node in graph.nodes().filter(|n| !goals.contains(n)) {
            prop_assert!(graph.steps(node).any(|s| pair(s.to) < pair(node)), "{}", node);
        }
    }

    #[test]
    fn so_they_are_on_grids_after_edits_and_from_other_goals(
        share in 0.0..0.6, seed: u64, levels in 1_u32..60, eight: bool,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut graph = grid(23, &walls(23 * 17, share, seed), eight);
        let mut flood = Flood::new(&graph);
        for round in 0..4 {
            let mut cost = costs(graph.node_bound(), levels, seed ^ round);
            cost.iter_mut().step_by(29).for_each(|cost| *cost = f64::INFINITY);
            let goals = [0; 2].map(|_| rng.random_range(1..28));
            flood.update(&graph, &cost, &goals).unwrap();
            prop_assert_eq!(pairs(&flood), plainly(&graph, &cost, &goals));
            for _ in 0..6 {
                let (a, b) = (rng.random_range(0..graph.node_bound()), rng.random_range(0..graph.node_bound()));
                let _ = graph.set_length(a, b, rng.random_bool(0.5).then_some(1.0));
                let first = graph.steps(a).next();
                if let Some(step) = first {
                    graph.set_length(a, step.to, None).unwrap();
                }
            }
        }
    }

    #[test]
    fn dear_ways_are_the_cheapest(nodes in 2_u32..60, seed: u64) {
        let graph = directed(&random_edges(nodes, nodes, seed));
        let danger: Vec<f64> = costs(graph.node_bound(), 30, seed).iter().map(|c| c + 3.0).collect();
        let mut route = Route::new(&graph);
        route.update(&graph, 0.5, &danger, &[0]).unwrap();
        let mut plain = vec![f64::INFINITY; graph.node_bound()];
        plain[0] = 0.0;
        for _ in 0..nodes {
            for node in graph.nodes() {
                for step in graph.steps(node) {
                    let cost = step.length * (0.5 + danger[step.to]) + plain[step.to];
                    plain[node] = plain[node].min(cost);
                }
            }
        }
        prop_assert_eq!(route.values(), plain);
    }
}

#[test]
fn without_danger_ways_are_shortest_and_costs_are_distances() {
    let graph = grid(31, &walls(31 * 20, 0.3, 5), true);
    let goal = graph.nodes().max_by_key(|&n| graph.steps(n).len()).unwrap();
    let field = DistanceField::new(&graph, &[goal]).unwrap();
    let mut route = Route::new(&graph);
    route.update(&graph, 1.0, &vec![0.0; graph.node_bound()], &[goal]).unwrap();
    assert_eq!(route.values(), field.values());
    let mut flood = Flood::new(&graph);
    flood.update(&graph, field.values(), &[goal]).unwrap();
    assert_eq!(flood.values(), field.values());
    assert!(flood.steps_to_descent().iter().all(|&level| level == 0));
}
