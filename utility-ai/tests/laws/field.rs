//! Distances: exact, of any petgraph graph, and right after any edits.

use super::worlds::{bellman_ford, directed, edges, grid, random_edges, walls};
use petgraph::graphmap::DiGraphMap;
use petgraph::stable_graph::StableUnGraph;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::{DistanceField, Graph, UtilityError};

proptest! {
    #[test]
    fn distances_are_those_of_a_plain_search(edges in edges(), goals in prop::collection::vec(0_usize..12, 1..4)) {
        let graph = directed(&edges);
        let goals: Vec<usize> = goals.into_iter().map(|g| g % graph.node_bound()).collect();
        let field = DistanceField::new(&graph, &goals).unwrap();
        prop_assert_eq!(field.values(), bellman_ford(&graph, &goals));
    }

    #[test]
    fn lengths_far_apart_make_it_slower_not_wrong(edges in edges(), exponent in -12_i32..12) {
        let mut edges = edges;
        for edge in edges.iter_mut().step_by(3) {
            edge.2 *= 10.0_f64.powi(exponent);
        }
        let graph = directed(&edges);
        let field = DistanceField::new(&graph, &[0]).unwrap();
        prop_assert_eq!(field.values(), bellman_ford(&graph, &[0]));
        // A shortest way's first step costs nothing extra, to the last bit; no step costs less.
        for node in graph.nodes() {
            for step in graph.steps(node) {
                prop_assert!(step.length + field.distance(step.to) - field.distance(node) >= 0.0);
            }
            let next = field.successor(&graph, node);
            prop_assert_eq!(next.is_some(), node != 0 && field.distance(node).is_finite());
        }
    }

    #[test]
    fn copies_that_go_other_ways_are_taken_in(edges in edges(), seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut graphs = [directed(&edges), directed(&edges)];
        let mut field = DistanceField::new(&graphs[0], &[0]).unwrap();
        // Frozen again it is another graph, however equal.
        let nodes = graphs[0].node_bound();
        let other = UtilityError::OtherGraph { found: nodes, expected: nodes };
        prop_assert_eq!(field.update(&graphs[1]), Err(other));
        graphs[1] = graphs[0].clone();
        for _ in 0..20 {
            let which = rng.random_range(0..2);
            let (a, b) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
            let _ = graphs[which].set_length(a, b, rng.random_bool(0.6).then_some(0.5));
            if rng.random_bool(0.1) {
                graphs[which] = graphs[1 - which].clone();
            }
            let graph = &graphs[rng.random_range(0..2)];
            field.update(graph).unwrap();
            let rebuilt = DistanceField::new(graph, &[0]).unwrap();
            prop_assert_eq!(field.values(), rebuilt.values());
        }
    }

    #[test]
    fn after_edits_it_is_as_made_anew(nodes in 3_u32..40, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let undirected = rng.random_bool(0.5);
        let edges = random_edges(nodes, nodes, seed);
        let mut graph = if undirected {
            let petgraph = petgraph::graph::UnGraph::<(), f64>::from_edges(edges);
            Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap()
        } else {
            directed(&edges)
        };
        let goals = [0, rng.random_range(0..nodes as usize)];
        let mut field = DistanceField::new(&graph, &goals).unwrap();
        for _ in 0..20 {
            for _ in 0..rng.random_range(1..4) {
                let (a, b) = (rng.random_range(0..nodes as usize), rng.random_range(0..nodes as usize));
                let length = rng.random_bool(0.6).then(|| rng.random_range(0.1..8.0));
                match rng.random_range(0..10) {
                    0 if !goals.contains(&a) => {
                        let _ = graph.remove_node(a);
                    }
                    _ => {
                        let _ = graph.set_length(a, b, length);
                    }
                }
            }
            field.update(&graph).unwrap();
            let rebuilt = DistanceField::new(&graph, &goals).unwrap();
            prop_assert_eq!(field.values(), rebuilt.values());
        }
    }
}

#[test]
fn grids_with_walls() {
    for seed in 0..20 {
        let graph = grid(23, &walls(23 * 17, 0.05 * seed as f64, seed), seed % 2 == 0);
        let field = DistanceField::new(&graph, &[40]).unwrap();
        assert_eq!(field.values(), bellman_ford(&graph, &[40]));
    }
}

#[test]
fn every_kind_of_petgraph_graph() {
    let mut stable = StableUnGraph::<(), f64>::default();
    let nodes: Vec<_> = (0..4).map(|_| stable.add_node(())).collect();
    stable.add_edge(nodes[0], nodes[1], 9.0);
    stable.add_edge(nodes[0], nodes[2], 1.0);
    stable.add_edge(nodes[2], nodes[3], 2.0);
    stable.remove_node(nodes[1]);
    let graph = Graph::freeze(&stable, |edge| *edge.weight()).unwrap();
    assert_eq!(graph.nodes().collect::<Vec<_>>(), [0, 2, 3]);
    let field = DistanceField::new(&graph, &[0]).unwrap();
    assert_eq!(field.values(), [0.0, f64::INFINITY, 1.0, 3.0]);
    assert_eq!(
        DistanceField::new(&graph, &[1]).unwrap_err(),
        UtilityError::NoNode { node: 1, bound: 4 }
    );

    let map = DiGraphMap::<&str, f64>::from_edges([("a", "b", 2.0), ("b", "c", 3.0)]);
    let graph = Graph::freeze(&map, |(_, _, length)| *length).unwrap();
    let field = DistanceField::new(&graph, &[2]).unwrap();
    assert_eq!(field.values(), [5.0, 3.0, 0.0]);

    // Parallel edges: the shortest. Loops: none. Weights of any type.
    let multi = petgraph::graph::DiGraph::<(), u8>::from_edges([(0, 1, 7), (0, 1, 4), (0, 0, 1)]);
    let graph = Graph::freeze(&multi, |edge| f64::from(*edge.weight())).unwrap();
    assert_eq!(graph.steps(0).map(|s| (s.to, s.length)).collect::<Vec<_>>(), [(1, 4.0)]);
    assert_eq!(graph.length(1, 0), None);
}

#[test]
fn many_edits_are_taken_in_also_when_the_log_is_too_short() {
    let mut graph = directed(&[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 2.5)]);
    let mut field = DistanceField::new(&graph, &[2]).unwrap();
    for i in 0..70_000_u32 {
        graph.set_length(0, 1, Some(1.0 + f64::from(i % 7) / 4.0)).unwrap();
    }
    assert!(field.update(&graph).unwrap());
    assert_eq!(field.values(), bellman_ford(&graph, &[2]));
    assert!(!field.update(&graph).unwrap());
}
