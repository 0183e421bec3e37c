//! The launch speeds at which reachability changes, against graphs built just below and just above.

use crate::levels::{ground, level};
use jump_planner::{Character, Jump, JumpError, JumpGraph, JumpRule, Terrain};
use std::collections::BTreeSet;

type Cell = [usize; 2];

/// The same level at another launch speed.
fn at_speed(graph: &JumpGraph, speed: f64) -> JumpGraph {
    let character = graph.character().at_speed(speed).unwrap();
    JumpGraph::with_rule(graph.terrain().clone(), character, graph.rule()).unwrap()
}

fn reached(graph: &JumpGraph, start: Cell) -> BTreeSet<Cell> {
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(cell) = open.pop() {
        graph.for_each_move(cell, |step| {
            if seen.insert(step.to) {
                open.push(step.to);
            }
        });
    }
    seen
}

#[test]
fn reach_changes_at_these_speeds_and_at_no_others() {
    let exact = JumpRule::Exact { tolerance: 1e-5 };
    let (mut steps, mut whole) = (0, 0);
    for seed in 0..150 {
        let graph = level(50_000 + seed, exact);
        let ground = ground(&graph);
        let start = ground[seed as usize % ground.len()];
        let speeds = graph.speed_steps(start).unwrap();
        let of = |speed: f64| -> BTreeSet<Cell> {
            let least = |cell: Cell| speeds.least(graph.terrain(), cell);
            let within = |c: &&Cell| least(**c).is_some_and(|least| least <= speed);
            ground.iter().filter(within).copied().collect()
        };
        let all = reached(&graph, start);
        assert_eq!(of(graph.character().launch_speed()), all, "{seed}");
        let mut before = 0;
        for step in speeds.steps() {
            assert_eq!(step.reached, before + step.gained, "{seed}");
            before = step.reached;
            if step.speed == 0.0 {
                assert_eq!(step.witness, None);
                continue;
            }
            steps += 1;
            // Just above the speed all of it is reached, but for jumps that are marginal there, and
            // just below nothing that is new.
            let faster = at_speed(&graph, step.speed * (1.0 + 2e-4));
            let witness = step.witness.unwrap();
            let jump = faster.jump(witness.from, witness.to).unwrap();
            assert!(matches!(jump, Jump::Clear(_) | Jump::Marginal { .. }), "{seed} {step:?}");
            let within = of(step.speed * (1.0 + 1e-6));
            whole += usize::from(within.is_subset(&reached(&faster, start)));
            let below = reached(&at_speed(&graph, step.speed * (1.0 - 3e-4)), start);
            let slower = of(step.speed * (1.0 - 1e-5));
            assert!(below.is_subset(&slower), "{seed} {step:?}");
            assert!(below.len() < step.reached);
            let least = graph.least_launch_speed(witness.from, witness.to).unwrap().unwrap();
            assert!((least - step.speed).abs() < 2e-4 * step.speed, "{seed} {least} {step:?}");
        }
        assert_eq!(before, all.len(), "{seed}");
    }
    assert!(steps > 100 && 100 * whole >= 97 * steps, "{steps} {whole}");
}

#[test]
fn where_speed_may_hurt_there_is_no_answer() {
    let graph = level(5, JumpRule::Published);
    let refused = graph.speed_steps(ground(&graph)[0]);
    assert!(matches!(refused, Err(JumpError::NotMonotone { .. })));
    let (heights, roof) = (ndarray::arr2(&[[0.0, 0.0]]), ndarray::arr2(&[[3.0, 3.0]]));
    let terrain = Terrain::builder(&heights).ceilings(&roof).build().unwrap();
    let graph = JumpGraph::new(terrain, Character::builder(5.0).build().unwrap()).unwrap();
    assert!(matches!(graph.speed_steps([0, 0]), Err(JumpError::NotMonotone { .. })));
}
