//! Cuts against taking away every cell and every move in turn.

use crate::levels::{ground, level};
use jump_planner::{Clearance, CutAt, JumpError, Move, Ways};
use std::collections::{BTreeMap, BTreeSet};

type Cell = [usize; 2];

/// What `start` is joined with by `moves`, without one cell or one move.
fn joined(moves: &[Move], start: Cell, ways: Ways, without: Option<CutAt>) -> BTreeSet<Cell> {
    let mut next: BTreeMap<Cell, Vec<Cell>> = BTreeMap::new();
    for step in moves {
        let (mut from, mut to) = (step.from, step.to);
        if ways == Ways::ToStart {
            (from, to) = (to, from);
        }
        let lost = match without {
            Some(CutAt::Cell(cell)) => cell == from || cell == to,
            Some(CutAt::Move(lost)) => lost == *step,
            None => false,
        };
        if !lost {
            next.entry(from).or_default().push(to);
        }
    }
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(cell) = open.pop() {
        for &to in next.get(&cell).into_iter().flatten() {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

#[test]
fn cuts_are_what_taking_away_cuts_off() {
    let (mut cells, mut moves, mut far) = (0, 0, 0);
    for seed in 0..160 {
        let clearance = if seed % 4 == 0 { Clearance::Published } else { Clearance::default() };
        let graph = level(30_000 + seed, clearance);
        let ground = ground(&graph);
        let start = ground[seed as usize % ground.len()];
        let all: Vec<Move> = ground.iter().flat_map(|&cell| graph.moves(cell)).collect();
        let audit = graph.audit(Some(start)).unwrap();
        for ways in [Ways::FromStart, Ways::ToStart] {
            let cuts = graph.cuts(&audit, ways).unwrap();
            let whole = joined(&all, start, ways, None);
            let mut expected = BTreeMap::new();
            let places = ground.iter().filter(|&&cell| cell != start).map(|&c| CutAt::Cell(c));
            for at in places.chain(all.iter().map(|&step| CutAt::Move(step))) {
                let left = joined(&all, start, ways, Some(at));
                let mut lost: Vec<Cell> = whole.difference(&left).copied().collect();
                lost.retain(|&cell| at != CutAt::Cell(cell));
                if let Some(&example) = lost.first() {
                    expected.insert(format!("{at:?}"), (lost.len(), example));
                }
            }
            let found: BTreeMap<_, _> = cuts
                .worst_first()
                .iter()
                .map(|cut| (format!("{:?}", cut.at), (cut.lost, cut.example)))
                .collect();
            assert_eq!(found, expected, "{seed} {ways:?}");
            assert!(cuts.worst_first().is_sorted_by(|a, b| a.lost >= b.lost));
            for cut in cuts.worst_first() {
                match cut.at {
                    CutAt::Cell(_) => cells += 1,
                    CutAt::Move(step) => {
                        moves += 1;
                        far += usize::from(graph.witness(&step).is_some());
                    }
                }
            }
            for &goal in ground.iter().step_by(3) {
                let every = cuts.on_every_way(goal);
                assert_eq!(every.is_some(), whole.contains(&goal), "{seed} {goal:?}");
                let Some(every) = every else { continue };
                let needed = ground.iter().filter(|&&cell| {
                    let without = joined(&all, start, ways, Some(CutAt::Cell(cell)));
                    cell != start && cell != goal && !without.contains(&goal)
                });
                let (mut sorted, expected) = (every, needed.copied().collect::<Vec<_>>());
                sorted.sort_unstable();
                assert_eq!(if goal == start { vec![] } else { expected }, sorted, "{seed}");
            }
        }
    }
    assert!(cells > 100 && moves > 100 && far > 20, "{cells} {moves} {far}");
}

#[test]
fn an_audit_of_another_level_is_refused() {
    let small = level(1, Clearance::default());
    let other = (2..).map(|seed| level(seed, Clearance::default()));
    let other = other.into_iter().find(|o| o.terrain().shape() != small.terrain().shape()).unwrap();
    let audit = small.audit(None).unwrap();
    let refused = other.cuts(&audit, Ways::FromStart);
    assert!(matches!(refused, Err(JumpError::OtherLevel { .. })));
}
