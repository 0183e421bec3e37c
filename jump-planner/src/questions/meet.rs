//! Whether a way between groups exists, from both ends at once.
//!
//! Where there is no way, mostly no move leads to the goal, or none leads out of the start. Which
//! of the two it is, is not known, so both ends are searched in turn: next the one that has cost
//! less so far. The answer is no as soon as either end has nothing left to look at, so it never
//! costs much more than the cheaper of the two.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::groups::Members;
use crate::graph::near::near_move;
use crate::graph::reach::End;
use crate::jump::exact::Effort;
use crate::questions::two_stages::ByGroups;
use crate::storage::Storage;
use fixedbitset::FixedBitSet;

/// The looks at a group in turn, with their rough costs for each cell.
const LOOKS: [(Look, usize); 3] = [(Look::Near, 1), (Look::Easy, 16), (Look::Proof, 512)];

#[derive(Clone, Copy)]
enum Look {
    /// Moves between neighbours.
    Near,
    /// Jumps that one look finds.
    Easy,
    /// All other jumps.
    Proof,
}

/// The groups that lead to one end, or that it leads to.
struct Side {
    end: End,
    seen: FixedBitSet,
    queue: Vec<u32>,
    /// How many groups of the queue each look has taken.
    taken: [usize; LOOKS.len()],
    /// The cost so far.
    spent: usize,
}

impl Side {
    fn new(end: End, home: u32, groups: usize) -> Self {
        let mut seen = FixedBitSet::with_capacity(groups);
        seen.insert(home as usize);
        Self { end, seen, queue: vec![home], taken: [0; LOOKS.len()], spent: 0 }
    }

    /// The cheapest look that is left, by its place.
    fn next(&self) -> Option<usize> {
        (0..LOOKS.len()).find(|&look| self.taken[look] < self.queue.len())
    }

    /// The cost of this side after its next look.
    fn cost(&self, members: &Members) -> Option<usize> {
        let look = self.next()?;
        let cells = members.of(self.queue[self.taken[look]]).len();
        Some(self.spent + cells * LOOKS[look].1)
    }
}

impl<T: Storage> JumpGraph<T> {
    /// Whether a way from the group of one ground cell to that of another exists. A step is a pair
    /// of cells of different groups that was looked at.
    ///
    /// # Complexity
    /// At worst O(cells within reach) decisions for each cell of the groups that one end meets.
    pub(crate) fn groups_meet(&self, start: usize, goal: usize) -> ByGroups {
        let labels = &self.groups().labels;
        let (home, target) = (labels[start], labels[goal]);
        if home == target {
            return ByGroups { exists: true, steps: 0 };
        }
        let members = Members::new(labels);
        let mut sides = [
            Side::new(End::Launch, home, labels.len()),
            Side::new(End::Landing, target, labels.len()),
        ];
        let mut steps = 0;
        loop {
            let [ahead, back] = [0, 1].map(|side: usize| sides[side].cost(&members));
            let (Some(ahead), Some(back)) = (ahead, back) else {
                return ByGroups { exists: false, steps };
            };
            let [one, other] = &mut sides;
            let (side, opposite) = if ahead <= back { (one, other) } else { (other, one) };
            let before = side.queue.len();
            steps += self.look(&members, side);
            side.spent = ahead.min(back);
            if side.queue[before..].iter().any(|&group| opposite.seen[group as usize]) {
                return ByGroups { exists: true, steps };
            }
        }
    }

    /// One look at the moves from a group, or to it; how many pairs of cells that were.
    fn look(&self, members: &Members, side: &mut Side) -> usize {
        let Some(place) = side.next() else { return 0 };
        let (end, labels, footing) = (side.end, &self.groups().labels, self.footing());
        let group = side.queue[side.taken[place]];
        side.taken[place] += 1;
        let mut steps = 0;
        for &i in members.of(group) {
            let i = i as usize;
            match LOOKS[place].0 {
                Look::Near => {
                    for (j, (dy, dx)) in footing.neighbours(i) {
                        if labels[j] == NONE || labels[j] == group {
                            continue;
                        }
                        steps += 1;
                        let (from, to) = end.with(i, j);
                        let way = end.with((dy, dx), (-dy, -dx)).0;
                        let is_joined = near_move(self, from, to, way).is_some();
                        if is_joined && !side.seen.put(labels[j] as usize) {
                            side.queue.push(labels[j]);
                        }
                    }
                }
                look => {
                    let easy = matches!(look, Look::Easy);
                    let effort = if easy { Effort::Look } else { Effort::Proof };
                    for j in self.others(i, end, self.ways(i, end)) {
                        let (other, (from, to)) = (labels[j], end.with(i, j));
                        if other == group || side.seen[other as usize] {
                            continue;
                        }
                        steps += 1;
                        if !self.is_hopeless(from, to) && self.shows_jump(from, to, effort) {
                            side.seen.insert(other as usize);
                            side.queue.push(other);
                        }
                    }
                }
            }
        }
        steps
    }
}
