//! Random levels for the laws of graphs.

use jump_planner::{Character, JumpGraph, JumpRule, Terrain};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A small level: heights in steps of half a unit, some no-go and no-data cells.
pub(crate) fn level(seed: u64, rule: JumpRule) -> JumpGraph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let shape = (rng.random_range(1..9), rng.random_range(2..9));
    let levels = rng.random_range(1..8);
    let calm = rng.random_range(0.0..0.9);
    let heights = Array2::from_shape_simple_fn(shape, || {
        let low = rng.random_bool(calm);
        0.5 * f64::from(if low { 0 } else { rng.random_range(0..=levels) })
    });
    let no_go = heights.map(|_| rng.random_bool(0.06));
    let holes = heights.map(|&z| if rng.random_bool(0.04) { -9999.0 } else { z });
    let terrain = Terrain::builder(&holes).no_go(&no_go).no_data(-9999.0).build();
    let terrain = terrain.unwrap_or_else(|_| Terrain::builder(&heights).build().unwrap());
    let mut character = Character::builder(rng.random_range(2.5..6.5));
    if rng.random_bool(0.3) {
        character = character.max_fall(1.5);
    }
    if rng.random_bool(0.3) {
        character = character.step_height(0.5);
    }
    JumpGraph::with_rule(terrain, character.build().unwrap(), rule).unwrap()
}

/// All cells on which one can stand.
pub(crate) fn ground(graph: &JumpGraph) -> Vec<[usize; 2]> {
    let [rows, columns] = graph.terrain().shape();
    let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
    cells.filter(|&cell| graph.can_stand(cell)).collect()
}
