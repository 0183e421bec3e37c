//! Audits against Tarjan's algorithm on the graph with every jump in it.

use crate::levels::{ground, level};
use jump_planner::{Finding, Jump, JumpRule};
use petgraph::algo::tarjan_scc;
use petgraph::visit::{Bfs, NodeIndexable};
use rayon::ThreadPoolBuilder;

#[test]
fn regions_traps_and_reach_are_those_of_the_full_graph() {
    let (mut several, mut traps) = (0, 0);
    for seed in 0..600 {
        let rule = if seed % 3 == 0 { JumpRule::Published } else { JumpRule::default() };
        let graph = level(5000 + seed, rule);
        let ground = ground(&graph);
        let start = ground[0];
        let audit = graph.audit(Some(start)).unwrap();
        let full = graph.to_digraph();
        let view = jump_planner::MoveGraph(&graph);
        let components = tarjan_scc(&full);
        let mut of = vec![usize::MAX; full.node_count()];
        for (number, component) in components.iter().enumerate() {
            for node in component {
                of[node.index()] = number;
            }
        }
        for (&a, &b) in ground.iter().zip(ground.iter().skip(1)) {
            let same = of[view.to_index(a)] == of[view.to_index(b)];
            assert_eq!(audit.region(a) == audit.region(b), same, "{seed} {a:?} {b:?}");
        }
        let standing = components.iter().filter(|c| graph.can_stand(view.from_index(c[0].index())));
        assert_eq!(standing.count(), audit.region_count(), "{seed}");
        let mut walk = Bfs::new(&full, petgraph::graph::NodeIndex::new(view.to_index(start)));
        let mut reached = vec![false; full.node_count()];
        while let Some(node) = walk.next(&full) {
            reached[node.index()] = true;
        }
        for &cell in &ground {
            assert_eq!(audit.is_reached(cell), reached[view.to_index(cell)], "{seed} {cell:?}");
        }
        // A trap: nothing leads out, something reached leads in.
        let sinks = components.iter().filter(|component| {
            let inside = |n: usize| of[n] == of[component[0].index()];
            let out = full.edge_indices().filter_map(|e| full.edge_endpoints(e));
            let (mut leaves, mut enters) = (false, false);
            for (a, b) in out {
                leaves |= inside(a.index()) && !inside(b.index());
                enters |= !inside(a.index()) && inside(b.index()) && reached[a.index()];
            }
            enters && !leaves
        });
        assert_eq!(sinks.count(), audit.traps(), "{seed}");
        several += usize::from(audit.region_count() > 1);
        traps += audit.traps();
        for finding in audit.findings() {
            if let Some(step) = finding.witness() {
                assert!(full.edge_weights().any(|m| *m == step), "{seed} {finding:?}");
            } else if let Finding::Marginal { ends, .. } = finding {
                let jump = graph.jump(ends[0], ends[1]).unwrap();
                assert!(matches!(jump, Jump::Marginal { .. }));
            }
        }
    }
    assert!(several > 100 && traps > 50, "{several} {traps}");
}

#[test]
fn the_hash_is_the_same_for_any_number_of_threads() {
    for seed in 0..20 {
        let graph = level(9000 + seed, JumpRule::default());
        let hash = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| graph.audit(None).unwrap().state_hash())
        };
        let first = hash(1);
        for threads in [2, 3, 8] {
            assert_eq!(hash(threads), first);
        }
    }
}
