//! Audits against Tarjan's algorithm on the graph with every jump in it.

use crate::levels::{ground, level};
use jump_planner::{
    Character, Finding, Jump, JumpGraph, JumpRule, Move, MoveGraph, MoveKind, Terrain,
};
use ndarray::array;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Bfs, EdgeRef, NodeIndexable};
use rayon::ThreadPoolBuilder;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Asserts that an audit from `start` says what the full graph does. Regions and traps.
pub(crate) fn equals_the_full_graph(
    graph: &JumpGraph,
    start: [usize; 2],
    case: &str,
) -> [usize; 2] {
    let ground = ground(graph);
    let audit = graph.audit(Some(start)).unwrap();
    let full = graph.to_digraph();
    let view = MoveGraph(graph);
    let mut components = tarjan_scc(&full);
    components.retain(|component| graph.can_stand(view.from_index(component[0].index())));
    assert_eq!(components.len(), audit.region_count(), "{case}");
    let mut of = vec![usize::MAX; full.node_count()];
    for (number, component) in components.iter().enumerate() {
        for node in component {
            of[node.index()] = number;
        }
    }
    for (&a, &b) in ground.iter().zip(ground.iter().skip(1)) {
        let same = of[view.to_index(a)] == of[view.to_index(b)];
        let region = |cell| audit.region(graph.terrain(), cell);
        assert_eq!(region(a) == region(b), same, "{case} {a:?} {b:?}");
    }
    let reached = reached_from(&full, view.to_index(start));
    for &cell in &ground {
        let is_reached = audit.is_reached(graph.terrain(), cell);
        assert_eq!(is_reached, reached[view.to_index(cell)], "{case} {cell:?}");
    }
    // For each pair of regions: whether a walk or a fall leads from the one to the other.
    let mut pairs = BTreeMap::new();
    // For each region: whether a move leads out, and whether one leads in from reached ground.
    let (mut leaves, mut enters) = (vec![false; components.len()], vec![false; components.len()]);
    for edge in full.edge_references() {
        let [from, to] = [edge.source(), edge.target()].map(|node| of[node.index()]);
        if from != to {
            *pairs.entry((from, to)).or_insert(false) |= edge.weight().kind != MoveKind::Jump;
            leaves[from] = true;
            enters[to] |= reached[edge.source().index()];
        }
    }
    let mut regions = DiGraph::new();
    for _ in &components {
        regions.add_node(());
    }
    for &(from, to) in pairs.keys() {
        regions.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    let after: Vec<_> = (0..components.len()).map(|from| reached_from(&regions, from)).collect();
    // Walks and falls are all named, and jumps to what cannot be reached in another way.
    let is_named = |&(from, to): &(usize, usize)| {
        let mut next = pairs.keys().filter(|pair| pair.0 == from && pair.1 != to);
        pairs[&(from, to)] || !next.any(|pair| after[pair.1][to])
    };
    let mut named: BTreeSet<_> = pairs.keys().copied().filter(is_named).collect();

    let size = |region: usize| components[region].len();
    let is_reached = |region: usize| reached[components[region][0].index()];
    let sizes = |is: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let mut sizes: Vec<_> = (0..components.len()).filter(|&r| is(r)).map(size).collect();
        sizes.sort_unstable_by_key(|&size| Reverse(size));
        sizes
    };
    let traps = sizes(&|region| enters[region] && !leaves[region]);
    let unreachable = sizes(&|region| !is_reached(region));
    let (mut found_traps, mut found_unreachable) = (Vec::new(), Vec::new());
    for finding in audit.findings() {
        match *finding {
            Finding::Trap { cells, .. } => found_traps.push(cells),
            Finding::Unreachable { cells, .. } => found_unreachable.push(cells),
            Finding::OneWay { passage, from_cells, to_cells } => {
                let pair = [passage.from, passage.to].map(|cell| of[view.to_index(cell)]);
                assert_eq!([from_cells, to_cells], pair.map(size), "{case} {finding:?}");
                let was_named = named.remove(&(pair[0], pair[1]));
                assert!(was_named || are_near(&passage), "{case} {finding:?}");
            }
            Finding::Marginal { ends, .. } => {
                let jump = graph.jump(ends[0], ends[1]).unwrap();
                assert!(matches!(jump, Jump::Marginal { .. }), "{case} {finding:?}");
            }
            _ => panic!("{case}: the full graph does not know {finding:?}"),
        }
        if let Some(step) = finding.witness() {
            assert!(full.edge_weights().any(|m| *m == step), "{case} {finding:?}");
        }
    }
    assert_eq!((found_traps, found_unreachable), (traps, unreachable), "{case}");
    assert!(named.is_empty(), "{case}: no one-way passage between {named:?}");
    [audit.region_count(), audit.traps()]
}

/// Short jumps are named, too, where an audit comes by them.
fn are_near(step: &Move) -> bool {
    (0..2).all(|axis| step.from[axis].abs_diff(step.to[axis]) <= 2)
}

fn reached_from<N, E>(graph: &DiGraph<N, E>, start: usize) -> Vec<bool> {
    let mut walk = Bfs::new(graph, NodeIndex::new(start));
    let mut reached = vec![false; graph.node_count()];
    while let Some(node) = walk.next(graph) {
        reached[node.index()] = true;
    }
    reached
}

#[test]
fn findings_are_those_of_the_full_graph() {
    let (mut several, mut traps) = (0, 0);
    for seed in 0..600 {
        let rule = if seed % 3 == 0 { JumpRule::Published } else { JumpRule::default() };
        let graph = level(5000 + seed, rule);
        let [regions, trapped] =
            equals_the_full_graph(&graph, ground(&graph)[0], &seed.to_string());
        several += usize::from(regions > 1);
        traps += trapped;
    }
    assert!(several > 100 && traps > 50, "{several} {traps}");
}

/// Found by `fuzz`: the audit took climbs that no flight was found for, and that are no moves.
#[test]
fn climbs_of_an_audit_are_moves() {
    for jump_height in [1e-9, 5e-8, 1e-5, 1e-3, 0.01, 1.0] {
        for below in [1.0, 0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-9, 1e-12] {
            for cell_size in [0.01, 1.0, 8.6] {
                let heights = array![[jump_height * (1.0 - below) + 1e-76, 0.0], [0.0, 0.0]];
                let terrain = Terrain::builder(&heights).cell_size(cell_size).build().unwrap();
                let character = Character::with_jump_height(jump_height, 9.81).build().unwrap();
                let graph = JumpGraph::new(terrain, character).unwrap();
                let case = format!("{jump_height} {below} {cell_size}");
                equals_the_full_graph(&graph, [0, 1], &case);
            }
        }
    }
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
