//! Paths against petgraph's Dijkstra on the whole graph; existence by every way of asking.

use crate::levels::{ground, level};
use jump_planner::{
    Character, Cost, Jump, JumpGraph, JumpRule, Move, MoveGraph, MoveKind, Preference, SearchOver,
    Terrain,
};
use ndarray::Array2;
use petgraph::algo::dijkstra;
use petgraph::visit::EdgeRef;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
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

/// The costs of the best paths from a cell, by moves that `for_each_move` tells and by no others.
fn costs_by_moves(
    graph: &JumpGraph,
    from: [usize; 2],
    preference: Preference,
) -> HashMap<[usize; 2], Cost> {
    let mut open = HashMap::from([(from, Cost::ZERO)]);
    let mut done = HashMap::new();
    while let Some((&cell, &cost)) = open.iter().min_by_key(|&(&cell, &cost)| (cost, cell)) {
        open.remove(&cell);
        done.insert(cell, cost);
        graph.for_each_move(cell, |step| {
            let more = graph.cost(&step, preference).unwrap();
            let next = Cost {
                first: cost.first + more.first,
                second: cost.second + more.second,
                third: cost.third + more.third,
            };
            if !done.contains_key(&step.to) {
                let known = open.entry(step.to).or_insert(next);
                *known = next.min(*known);
            }
        });
    }
    done
}

/// Slow walkers gain most by a jump, also by one that the published rule does not draw.
#[test]
fn plans_take_moves_of_the_graph_and_cost_what_dijkstra_says() {
    let (mut paths, mut jumps) = (0, [0; 2]);
    for seed in 0..40 {
        for (k, rule) in [JumpRule::default(), JumpRule::Published].into_iter().enumerate() {
            let fast = level(2000 + seed, rule);
            let slow = Character::builder(fast.character().launch_speed()).walk_speed(0.5);
            let terrain = fast.terrain().clone();
            let graph = JumpGraph::with_rule(terrain, slow.build().unwrap(), rule).unwrap();
            let ground = ground(&graph);
            let from = ground[seed as usize % ground.len()];
            for preference in PREFERENCES {
                let best = costs_by_moves(&graph, from, preference);
                for &to in ground.iter().step_by(5) {
                    let plan = graph.plan(from, to, preference).unwrap();
                    let case = format!("{seed} {rule:?} {preference:?} {from:?} {to:?}");
                    assert_eq!(plan.is_some(), best.contains_key(&to), "{case}");
                    let Some(plan) = plan else { continue };
                    paths += 1;
                    for step in &plan.moves {
                        let mut is_move = false;
                        graph.for_each_move(step.from, |other| is_move |= other == *step);
                        assert!(is_move, "{case}: {step:?}");
                        jumps[k] += usize::from(step.kind == MoveKind::Jump);
                    }
                    let (ours, plain) = (plan.cost, best[&to]);
                    assert_eq!((ours.first, ours.second), (plain.first, plain.second), "{case}");
                    assert!((ours.third - plain.third).abs() < 1e-9, "{case}");
                }
            }
        }
    }
    assert!(paths > 1000 && jumps.iter().all(|&n| n > 100), "{paths} {jumps:?}");
}

/// Up steps higher than they are deep the feet go faster than anybody walks or flies in plan.
#[test]
fn the_soonest_way_up_steep_steps_is_the_one_that_dijkstra_finds() {
    for seed in 0..30 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let heights =
            Array2::from_shape_simple_fn((6, 6), || 3.0 * f64::from(rng.random_range(0..5_u8)));
        let walker = Character::builder(1.5).gravity(1.0).step_height(6.0).walk_speed(8.0);
        let terrain = Terrain::from_heights(&heights).unwrap();
        let graph = JumpGraph::new(terrain, walker.build().unwrap()).unwrap();
        let best = costs_by_moves(&graph, [0, 0], Preference::LeastTime);
        for to in ground(&graph) {
            let plan = graph.plan([0, 0], to, Preference::LeastTime).unwrap();
            let (ours, plain) = (plan.map(|plan| plan.cost.third), best.get(&to).map(|c| c.third));
            let (ours, plain) = (ours.unwrap_or(-1.0), plain.unwrap_or(-1.0));
            assert!((ours - plain).abs() < 1e-9, "{seed} {to:?}: {ours} {plain}");
        }
    }
}

/// Walking along a row of one height takes long, and every jump along it is clear but not drawn.
#[test]
fn a_jump_that_is_not_drawn_is_in_no_plan_and_costs_no_flight() {
    let terrain = Terrain::from_rows(&[[0.0; 6]]).unwrap();
    let character = Character::builder(6.0).walk_speed(0.5).build().unwrap();
    let graph = JumpGraph::with_rule(terrain, character, JumpRule::Published).unwrap();
    for preference in PREFERENCES {
        let plan = graph.plan([0, 0], [0, 5], preference).unwrap().unwrap();
        assert!(plan.moves.iter().all(|step| step.kind == MoveKind::Walk), "{preference:?}");
    }
    let jump = Move { from: [0, 1], to: [0, 5], kind: MoveKind::Jump };
    assert!(matches!(graph.jump(jump.from, jump.to).unwrap(), Jump::Clear(_)));
    assert_eq!(graph.witness(&jump), None);
    // Four units at half a unit of time each, and nothing in the air.
    assert_eq!(graph.cost(&jump, Preference::LeastTime).unwrap().third, 8.0);
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
