//! Audits among cliffs as wide as a cell: the findings are right.

use crate::audits::equals_the_full_graph;
use crate::levels::ground;
use jump_planner::{Character, JumpGraph, Terrain};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every cell is on a storey of its own, or nearly.
fn cliffs(seed: u64, side: usize, radius: f64) -> JumpGraph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let storeys = [100.0, -100.0, 0.0, 1.0, -1.0, 10.0];
    let heights =
        Array2::from_shape_simple_fn((side, side), || storeys[rng.random_range(0..storeys.len())]);
    let terrain = Terrain::builder(&heights).build().unwrap();
    let character = Character::builder(2.5).body(radius, 1.0).build().unwrap();
    JumpGraph::new(terrain, character).unwrap()
}

#[test]
fn findings_among_cliffs_are_those_of_the_full_graph() {
    let mut traps = 0;
    for seed in 0..30 {
        let radius = if seed % 3 == 0 { 0.1 } else { 0.0 };
        let graph = cliffs(seed, 4 + seed as usize % 5, radius);
        let start = ground(&graph)[0];
        traps += equals_the_full_graph(&graph, start, &format!("{seed}, radius {radius}"))[1];
    }
    assert!(traps > 10, "{traps}");
}
