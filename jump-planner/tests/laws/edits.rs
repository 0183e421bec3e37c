//! After any edits everything is as if it had been built anew.

use crate::levels::{ground, level};
use jump_planner::{Clearance, JumpGraph, Level};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Whether two labellings are the same partition.
fn same<A: std::hash::Hash + Eq + Copy, B: std::hash::Hash + Eq + Copy>(pairs: &[(A, B)]) -> bool {
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    pairs
        .iter()
        .all(|&(a, b)| *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a)
}

#[test]
fn edits_equal_a_rebuild() {
    let mut several = 0;
    for seed in 0..150 {
        let graph = level(20_000 + seed, Clearance::default());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let [rows, columns] = graph.terrain().shape();
        let start = seed % 2 == 0;
        let start = start.then(|| ground(&graph)[0]);
        let mut level = Level::new(graph, start).unwrap();
        for edit in 0..25 {
            let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
            if rng.random_bool(0.8) {
                level.set_height(cell, 0.5 * f64::from(rng.random_range(-3..9))).unwrap();
            } else {
                // Refused for the start and for the last ground there is.
                let _ = level.set_no_go(cell, rng.random_bool(0.5));
            }
            if start.is_none() && edit % 3 != 0 {
                continue;
            }
            let (terrain, character) =
                (level.graph().terrain().clone(), *level.graph().character());
            let anew = JumpGraph::new(terrain, character).unwrap();
            let audit = anew.audit(start).unwrap();
            let cells = ground(&anew);
            let groups: Vec<_> =
                cells.iter().map(|&c| (anew.group(c), level.graph().group(c))).collect();
            assert!(same(&groups), "{seed} {edit}");
            assert_eq!(anew.group_count(), level.graph().group_count());
            for &cell in &cells {
                assert_eq!(audit.region(cell), level.region(cell), "{seed} {edit} {cell:?}");
                assert_eq!(audit.is_reached(cell), level.is_reached(cell), "{seed} {edit}");
            }
            assert_eq!(audit.region_count(), level.region_count());
            assert_eq!(audit.counts(), level.counts(), "{seed} {edit}");
            assert_eq!((audit.traps(), audit.one_way()), (level.traps(), level.one_way()));
            several += usize::from(audit.region_count() > 1);
        }
    }
    assert!(several > 500, "{several}");
}
