//! Paths against petgraph's Dijkstra on the whole graph; existence by every way of asking.

use crate::levels::{ground, level};
use jump_planner::{
    Character, Cost, JumpGraph, JumpRule, MoveGraph, MoveKind, Preference, SearchOver, Terrain,
};
use petgraph::algo::dijkstra;
use petgraph::visit::EdgeRef;
use std::collections::HashMap;

const PREFERENCES: [Preference; 5] = [
    Preference::FewestVertices,
    Preference::FewestJumps,
    Preference::Shortest,
    Preference::LeastTime,
    Preference::BigJumps { at_least: 1.2 },
];

/// A cost that petgraph can add: in a semiring of its own.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Sum(u32, u32, f64);

impl Default for Sum {
    fn default() -> Self {
        Self(0, 0, 0.0)
    }
}
impl std::ops::Add for Sum {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1, self.2 + o.2)
    }
}

fn sum(cost: Cost) -> Sum {
    Sum(cost.first, cost.second, cost.third)
}

#[test]
fn every_preference_is_optimal_on_the_full_graph() {
    let mut paths = 0;
    for seed in 0..24 {
        let graph = level(seed, JumpRule::default());
        let ground = ground(&graph);
        let from = ground[seed as usize % ground.len()];
        let full = graph.to_digraph();
        for preference in PREFERENCES {
            let costs: HashMap<_, _> = full
                .edge_weights()
                .map(|step| (*step, sum(graph.cost(step, preference).unwrap())))
                .collect();
            let best = dijkstra(MoveGraph(&graph), from, None, |edge| costs[edge.weight()]);
            for &to in ground.iter().step_by(7) {
                let plan = graph.plan(from, to, preference).unwrap();
                let Some(plan) = plan else {
                    assert!(!best.contains_key(&to), "{seed} {preference:?} {from:?} {to:?}");
                    continue;
                };
                paths += 1;
                let (ours, theirs) = (sum(plan.cost), best[&to]);
                assert_eq!((ours.0, ours.1), (theirs.0, theirs.1), "{seed} {preference:?}");
                assert!(
                    (ours.2 - theirs.2).abs() < 1e-9,
                    "{seed} {preference:?} {ours:?} {theirs:?}"
                );
                // And it is a path, of moves of the graph, that costs what it says.
                let mut at = from;
                let mut walked = Sum::default();
                for step in &plan.moves {
                    assert_eq!(step.from, at);
                    walked = walked + costs[step];
                    at = step.to;
                    assert_eq!(graph.witness(step).is_some(), step.kind == MoveKind::Jump);
                }
                assert_eq!(at, to);
                assert!((walked.2 - ours.2).abs() < 1e-9 && walked.0 == ours.0);
            }
        }
    }
    assert!(paths > 200, "{paths}");
}

#[test]
fn existence_is_the_same_by_cells_by_groups_and_by_index() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..150 {
        let graph = level(1000 + seed, JumpRule::default());
        let ground = ground(&graph);
        let index = graph.reach_index();
        for (i, &from) in ground.iter().enumerate().step_by(5) {
            let to = ground[(i * 31 + 17) % ground.len()];
            let exists = |over| graph.exists(from, to, over).unwrap().exists;
            let cells = exists(SearchOver::Cells);
            let others = [
                SearchOver::Groups,
                SearchOver::GroupsThenCells,
                SearchOver::CellsLazily,
                SearchOver::GroupsLazily,
                SearchOver::Index(&index),
            ];
            for over in others {
                assert_eq!(exists(over), cells, "{seed} {from:?} {to:?} {over:?}");
            }
            assert_eq!(cells, graph.plan(from, to, Preference::FewestVertices).unwrap().is_some());
            if cells { yes += 1 } else { no += 1 }
        }
    }
    assert!(yes > 250 && no > 50, "{yes} {no}");
}

#[test]
fn nobody_hops_along_a_step_where_walking_will_do() {
    // Upper and lower ground along a step; the way to go lies on the lower one, not straight.
    let row = |y: usize| (0..20).map(|x| if y < 3 + x / 10 { 1.0 } else { 0.0 }).collect();
    let rows: Vec<Vec<f64>> = (0..12).map(row).collect();
    let terrain = Terrain::from_rows(&rows).unwrap();
    let graph = JumpGraph::new(terrain, Character::builder(6.0).build().unwrap()).unwrap();
    let jumps = |preference| {
        let plan = graph.plan([5, 0], [8, 19], preference).unwrap().unwrap();
        plan.moves.iter().filter(|m| m.kind == MoveKind::Jump).count()
    };
    assert!(jumps(Preference::FewestVertices) > 0);
    for preference in &PREFERENCES[1..] {
        assert_eq!(jumps(*preference), 0, "{preference:?}");
    }
}
