//! Cuts against taking away every cell and every move in turn.

use crate::levels::{ground, level};
use jump_planner::{Cut, CutAt, JumpError, JumpRule, Move, PlaceName, Ways};
use std::collections::{BTreeMap, BTreeSet};

/// The moves of a level by their ends.
pub(crate) struct Joins<'a, P> {
    ground: &'a [P],
    moves: &'a [Move<P>],
    /// For every cell of `ground`: where a move leads, and which one.
    next: Vec<Vec<(usize, usize)>>,
}

impl<'a, P: PlaceName> Joins<'a, P> {
    pub(crate) fn new(ground: &'a [P], moves: &'a [Move<P>], ways: Ways) -> Self {
        let number: BTreeMap<P, usize> = ground.iter().copied().zip(0..).collect();
        let mut next = vec![Vec::new(); ground.len()];
        for (step, n) in moves.iter().zip(0..) {
            let (mut from, mut to) = (number[&step.from], number[&step.to]);
            if ways == Ways::ToStart {
                (from, to) = (to, from);
            }
            next[from].push((to, n));
        }
        Self { ground, moves, next }
    }

    /// The places that `start` is joined with, without one cell or one move.
    fn without(&self, start: P, cell: Option<P>, lost: Option<usize>) -> BTreeSet<P> {
        let number = |cell: P| self.ground.iter().position(|&other| other == cell);
        let mut seen = vec![false; self.ground.len()];
        let mut open = Vec::from_iter(number(start));
        for &start in &open {
            seen[start] = true;
        }
        if let Some(lost) = cell.and_then(number) {
            seen[lost] = true;
        }
        let mut found: BTreeSet<P> = open.iter().map(|&i| self.ground[i]).collect();
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

    /// Takes away each cell and each move, and compares the ground that this cuts off with the cuts
    /// of a level. Returns how many there are at cells and at moves.
    pub(crate) fn compare(&self, start: P, cuts: &[Cut<P>]) -> [usize; 2] {
        let whole = self.without(start, None, None);
        let mut expected = BTreeMap::new();
        let places = self.ground.iter().filter(|&&cell| cell != start);
        let places = places.map(|&cell| (CutAt::Cell(cell), Some(cell), None));
        let steps = self.moves.iter().zip(0..).map(|(&step, n)| (CutAt::Move(step), None, Some(n)));
        for (at, cell, step) in places.chain(steps) {
            let left = self.without(start, cell, step);
            let mut lost: Vec<P> = whole.difference(&left).copied().collect();
            lost.retain(|&cell| at != CutAt::Cell(cell));
            if let Some(&example) = lost.first() {
                expected.insert(format!("{at:?}"), (lost.len(), example));
            }
        }
        let found: BTreeMap<_, _> =
            cuts.iter().map(|cut| (format!("{:?}", cut.at), (cut.lost, cut.example))).collect();
        assert_eq!(found, expected);
        assert!(cuts.is_sorted_by(|a, b| a.lost >= b.lost));
        let cells = cuts.iter().filter(|cut| matches!(cut.at, CutAt::Cell(_))).count();
        [cells, cuts.len() - cells]
    }

    /// Takes away each cell, and compares the result with the places that every way to a goal
    /// passes.
    pub(crate) fn compare_ways(&self, start: P, goal: P, every: Option<Vec<P>>) {
        let whole = self.without(start, None, None);
        assert_eq!(every.is_some(), whole.contains(&goal), "{goal:?}");
        let Some(mut every) = every else { return };
        let needed = self.ground.iter().filter(|&&cell| {
            let without = |cell| self.without(start, Some(cell), None);
            cell != start && cell != goal && !without(cell).contains(&goal)
        });
        let expected = needed.copied().collect::<Vec<_>>();
        every.sort_unstable();
        assert_eq!(if goal == start { vec![] } else { expected }, every);
    }
}

#[test]
fn cuts_are_what_taking_away_cuts_off() {
    let (mut all, mut far) = ([0; 2], 0);
    for seed in 0..160 {
        let rule = if seed % 4 == 0 { JumpRule::Published } else { JumpRule::default() };
        let graph = level(30_000 + seed, rule);
        let ground = ground(&graph);
        let start = ground[seed as usize % ground.len()];
        let moves: Vec<Move> = ground.iter().flat_map(|&cell| graph.moves(cell)).collect();
        let audit = graph.audit(Some(start)).unwrap();
        for ways in [Ways::FromStart, Ways::ToStart] {
            let cuts = graph.cuts(&audit, ways).unwrap();
            let joins = Joins::new(&ground, &moves, ways);
            let found = joins.compare(start, cuts.worst_first());
            (0..2).for_each(|k| all[k] += found[k]);
            for cut in cuts.worst_first() {
                if let CutAt::Move(step) = cut.at {
                    far += usize::from(graph.witness(&step).is_some());
                }
            }
            for &goal in ground.iter().step_by(3) {
                joins.compare_ways(start, goal, cuts.on_every_way(graph.terrain(), goal));
            }
        }
    }
    assert!(all[0] > 100 && all[1] > 100 && far > 20, "{all:?} {far}");
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
