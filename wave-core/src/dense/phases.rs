//! How several threads step a wave without waiting for each other.
//!
//! The lines of the grid are cut into slabs, one per task, and every slab is stepped some levels up
//! at once. By the rule of [`tiles`](crate::dense::tiles) a line beside a cut can only be stepped
//! once, the next one twice, and so on: a dip is left at the cut. The next phase has its cuts half
//! way between, fills the dips and goes on from there.
//!
//! A task may run as soon as all tasks of the phase before that share lines with it are done. No
//! task ever waits inside. So any number of threads may run them, in any such order.

use crate::dense::tiles::Trapezoid;
#[cfg(any(feature = "rayon", test))]
use std::ops::Range;

/// A run of steps, cut into phases of tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    lines: usize,
    /// Slabs of equal size; cut half way between their cuts, there is one slab more.
    slabs: usize,
    steps: usize,
    /// Levels of a phase.
    levels: usize,
    /// Phases that do more than fill dips.
    phases: usize,
}

/// A slab in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Task {
    pub(crate) phase: usize,
    pub(crate) slab: usize,
}

impl Plan {
    /// With fewer lines in a slab, too little would be between two tasks.
    pub(crate) const LINES: usize = 8;

    /// `steps` steps of `lines` lines in up to `slabs` slabs, up to `levels` levels at a time.
    pub(crate) fn new(lines: usize, slabs: usize, levels: usize, steps: usize) -> Self {
        let slabs = slabs.min(lines / Self::LINES).max(1);
        let levels = if slabs == 1 { levels } else { levels.min(lines / slabs / 2) }.max(1);
        let phases = steps.div_ceil(levels);
        let levels = steps.div_ceil(phases.max(1));
        Self { lines, slabs, steps, levels, phases }
    }

    /// Whether the slabs of a phase are cut half way between the cuts of slabs of equal size. The
    /// last dips lie at such cuts, because there are as many of them as slabs.
    fn is_shifted(&self, phase: usize) -> bool {
        self.slabs > 1 && (self.phases + phase) % 2 == 1
    }

    /// The slabs of a phase; none after the last one.
    pub(crate) fn tasks(&self, phase: usize) -> usize {
        let dips = self.slabs > 1 && self.levels > 1;
        if phase >= self.phases + usize::from(dips) {
            return 0;
        }
        self.slabs + usize::from(self.is_shifted(phase))
    }

    /// The slabs that a task waits for, as a range: those of the phase before that share lines with
    /// its own.
    #[cfg(any(feature = "rayon", test))]
    pub(crate) fn before(&self, task: Task) -> Range<usize> {
        match task.phase {
            0 => 0..0,
            _ if self.slabs == 1 => 0..1,
            phase if self.is_shifted(phase) => {
                task.slab.saturating_sub(1)..(task.slab + 1).min(self.slabs)
            }
            _ => task.slab..task.slab + 2,
        }
    }

    /// The tasks that wait for this one.
    #[cfg(any(feature = "rayon", test))]
    pub(crate) fn after(&self, task: Task) -> impl Iterator<Item = Task> {
        let phase = task.phase + 1;
        let slabs = match self.tasks(phase) {
            0 => 0..0,
            1 => 0..1,
            _ if self.is_shifted(phase) => task.slab..task.slab + 2,
            count => task.slab.saturating_sub(1)..(task.slab + 1).min(count),
        };
        slabs.map(move |slab| Task { phase, slab })
    }

    /// Levels by which a phase steps all lines up, except for the dips that it leaves.
    fn levels(&self, phase: usize) -> usize {
        self.levels.min(self.steps.saturating_sub(self.levels * phase))
    }

    /// Cut `i` of those that make slabs of equal size, the ends of the grid included.
    fn cut(&self, i: usize) -> usize {
        i * self.lines / self.slabs
    }

    /// The cut half way to the next.
    fn middle(&self, i: usize) -> usize {
        usize::midpoint(self.cut(i), self.cut(i + 1))
    }

    /// The parts that a task has to step, in order.
    pub(crate) fn parts(&self, Task { phase, slab: i }: Task) -> impl Iterator<Item = Trapezoid> {
        let (begin, dip, end) = if self.slabs == 1 {
            (0, None, self.lines)
        } else if self.is_shifted(phase) {
            let begin = i.checked_sub(1).map_or(0, |before| self.middle(before));
            let end = if i < self.slabs { self.middle(i) } else { self.lines };
            (begin, (i > 0 && i < self.slabs).then(|| self.cut(i)), end)
        } else {
            (self.cut(i), Some(self.middle(i)), self.cut(i + 1))
        };
        let base = phase * self.levels;
        let before = phase.checked_sub(1).map_or(0, |phase| self.levels(phase));
        let fill = dip.filter(|_| before > 1).map(|dip| Trapezoid {
            first_level: base - self.levels + 2,
            levels: before - 1,
            begin: dip as i32 - 1,
            end: dip as i32 + 1,
            begin_moves: -1,
            end_moves: 1,
        });
        let levels = self.levels(phase);
        let all = (levels > 0).then_some(Trapezoid {
            first_level: base + 1,
            levels,
            begin: begin as i32,
            end: end as i32,
            begin_moves: i32::from(begin > 0),
            end_moves: -i32::from(end < self.lines),
        });
        fill.into_iter().chain(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::tiles::{Patch, Tiling};
    use proptest::prelude::*;

    /// The level of every cell, blocks for cells along x.
    struct Levels {
        tiling: Tiling,
        level: Vec<usize>,
    }

    impl Levels {
        fn at(&self, [plane, row, block]: [usize; 3]) -> usize {
            (plane * self.tiling.rows + row) * self.tiling.blocks + block
        }

        /// The cells that share a face with cell `i`.
        fn beside(&self, i: usize) -> impl Iterator<Item = usize> {
            let Tiling { planes, rows, blocks, .. } = self.tiling;
            let cell = [i / blocks / rows, i / blocks % rows, i % blocks];
            (0..6).filter_map(move |side| {
                let mut there = cell;
                let axis = side / 2;
                there[axis] = cell[axis].wrapping_add_signed(if side % 2 == 0 { -1 } else { 1 });
                let inside = there[axis] < [planes, rows, blocks][axis];
                inside.then(|| (there[0] * rows + there[1]) * blocks + there[2])
            })
        }

        fn is_beside(&self, i: usize, own: &[bool]) -> bool {
            self.beside(i).any(|j| own[j])
        }

        /// Steps one cell, after checking the rule in these levels and, for what other tasks do
        /// meanwhile, in those before and after the phase.
        fn step(&mut self, cell: [usize; 3], level: usize, fixed: [&Self; 2], own: &[bool]) {
            let i = self.at(cell);
            assert_eq!(self.level[i] + 1, level, "cell {cell:?}");
            for j in self.beside(i) {
                let others = fixed.map(|levels| levels.level[j]);
                let seen = if own[j] { [self.level[j]; 2] } else { others };
                let fits = seen.iter().all(|&seen| seen + 1 == level || seen == level);
                assert!(fits, "{cell:?} to {level} beside {j} at {seen:?}");
            }
            self.level[i] = level;
        }
    }

    fn cells_of(patch: &Patch) -> impl Iterator<Item = [usize; 3]> {
        patch.planes.clone().flat_map(move |z| {
            let row = move |y| patch.blocks.clone().map(move |x| [z, y, x].map(|i| i as usize));
            patch.rows.clone().flat_map(row)
        })
    }

    /// Every task of every phase keeps the rule, whatever the others of the phase have done
    /// meanwhile, and all cells end at the last level.
    fn keeps_the_rule(tiling: Tiling, slabs: usize, levels: usize, steps: usize) {
        let plan = Plan::new(tiling.lines(), slabs, levels, steps);
        let cells = tiling.planes * tiling.rows * tiling.blocks;
        let mut before = Levels { tiling, level: vec![0; cells] };
        let mut owners: Vec<Vec<bool>> = Vec::new();
        for phase in (0..).take_while(|&phase| plan.tasks(phase) > 0) {
            let tasks: Vec<Vec<Patch>> = (0..plan.tasks(phase))
                .map(|slab| {
                    let mut patches = Vec::new();
                    for part in plan.parts(Task { phase, slab }) {
                        tiling.walk(&part, |some, _| patches.extend_from_slice(some));
                    }
                    patches
                })
                .collect();
            let mut after = Levels { tiling, level: before.level.clone() };
            for cell in tasks.iter().flatten().flat_map(|p| cells_of(p).map(move |c| (c, p.level)))
            {
                let i = after.at(cell.0);
                after.level[i] = after.level[i].max(cell.1);
            }
            let mut owned = Vec::new();
            for (slab, task) in tasks.iter().enumerate() {
                let mut own = vec![false; cells];
                task.iter().flat_map(cells_of).for_each(|cell| own[before.at(cell)] = true);
                let mut levels = Levels { tiling, level: before.level.clone() };
                for patch in task {
                    for cell in cells_of(patch) {
                        levels.step(cell, patch.level, [&before, &after], &own);
                    }
                }
                // The task waits for every task that stepped one of its cells, or one beside, in
                // the phase before.
                let near: Vec<bool> =
                    (0..cells).map(|i| own[i] || before.is_beside(i, &own)).collect();
                let waits = plan.before(Task { phase, slab });
                for (other, owner) in owners.iter().enumerate() {
                    let meets = owner.iter().zip(&near).any(|(&a, &b)| a && b);
                    assert!(!meets || waits.contains(&other), "{phase} {slab} needs {other}");
                    let after = plan.after(Task { phase: phase - 1, slab: other });
                    let named = after.into_iter().any(|task| task == Task { phase, slab });
                    assert_eq!(named, waits.contains(&other));
                }
                owned.push(own);
            }
            // No cell belongs to two tasks: their steps add up to what the phase did.
            let done = tasks.iter().flatten().flat_map(cells_of).count();
            let due = after.level.iter().sum::<usize>() - before.level.iter().sum::<usize>();
            assert_eq!(done, due);
            (before, owners) = (after, owned);
        }
        assert!(before.level.iter().all(|&level| level == steps));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn every_order_of_tasks_keeps_the_rule(
            planes in 1..40usize, rows in 1..40usize, blocks in 1..12usize, by_planes: bool,
            depth in 1..50usize, strip in 1..12usize, tile in 1..4usize, slabs in 1..9usize, levels in 1..60usize,
            steps in 1..60usize,
        ) {
            let planes = if by_planes { planes } else { planes % 3 + 1 };
            let tiling = Tiling { planes, rows, blocks, by_planes, levels: depth, strip, tile };
            keeps_the_rule(tiling, slabs, levels, steps);
        }
    }
}
