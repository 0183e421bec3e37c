//! Cuts against taking away every cell and every move in turn.

use crate::levels::{ground, level};
use jump_planner::{CutAt, JumpError, JumpRule, Move, Ways};
use std::collections::{BTreeMap, BTreeSet};

type Cell = [usize; 2];

/// The moves of a level by their ends.
struct Joins<'a> {
    ground: &'a [Cell],
    /// For every cell of `ground`: where a move leads, and which one.
    next: Vec<Vec<(usize, usize)>>,
}

impl<'a> Joins<'a> {
    fn new(ground: &'a [Cell], moves: &[Move], ways: Ways) -> Self {
        let number: BTreeMap<Cell, usize> = ground.iter().copied().zip(0..).collect();
        let mut next = vec![Vec::new(); ground.len()];
        for (step, n) in moves.iter().zip(0..) {
            let (mut from, mut to) = (number[&step.from], number[&step.to]);
            if ways == Ways::ToStart {
                (from, to) = (to, from);
            }
            next[from].push((to, n));
        }
        Self { ground, next }
    }

    /// What `start` is joined with, without one cell or one move.
    fn without(&self, start: Cell, cell: Option<Cell>, lost: Option<usize>) -> BTreeSet<Cell> {
        let number = |cell: Cell| self.ground.iter().position(|&other| other == cell);
        let mut seen = vec![false; self.ground.len()];
        let mut open = Vec::from_iter(number(start));
        for &start in &open {
            seen[start] = true;
        }
        if let Some(lost) = cell.and_then(number) {
            seen[lost] = true;
        }
        let mut found: BTreeSet<Cell> = open.iter().map(|&i| self.ground[i]).collect();
        while let Some(i) = open.pop() {
            for &(to, step) in &self.next[i] {
                if Some(step) != lost && !std::mem::replace(&mut seen[to], true) {
                    found.insert(self.ground[to]);
                    open.push(to);
                }
            }
        }
        found
    }
}

#[test]
fn cuts_are_what_taking_away_cuts_off() {
    let (mut cells, mut moves, mut far) = (0, 0, 0);
    for seed in 0..160 {
        let rule = if seed % 4 == 0 { JumpRule::Published } else { JumpRule::default() };
        let graph = level(30_000 + seed, rule);
        let ground = ground(&graph);
        let start = ground[seed as usize % ground.len()];
        let all: Vec<Move> = ground.iter().flat_map(|&cell| graph.moves(cell)).collect();
        let audit = graph.audit(Some(start)).unwrap();
        for ways in [Ways::FromStart, Ways::ToStart] {
            let cuts = graph.cuts(&audit, ways).unwrap();
            let joins = Joins::new(&ground, &all, ways);
            let whole = joins.without(start, None, None);
            let mut expected = BTreeMap::new();
            let places = ground.iter().filter(|&&cell| cell != start);
            let places = places.map(|&cell| (CutAt::Cell(cell), Some(cell), None));
            let steps = all.iter().zip(0..).map(|(&step, n)| (CutAt::Move(step), None, Some(n)));
            for (at, cell, step) in places.chain(steps) {
                let left = joins.without(start, cell, step);
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
                    let without = |cell| joins.without(start, Some(cell), None);
                    cell != start && cell != goal && !without(cell).contains(&goal)
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
    let small = level(1, JumpRule::default());
    let other = (2..).map(|seed| level(seed, JumpRule::default()));
    let other = other.into_iter().find(|o| o.terrain().shape() != small.terrain().shape()).unwrap();
    let audit = small.audit(None).unwrap();
    let refused = other.cuts(&audit, Ways::FromStart);
    assert!(matches!(refused, Err(JumpError::OtherLevel { .. })));
}
