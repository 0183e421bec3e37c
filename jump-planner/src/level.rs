//! A level under edit: graph, groups and audit follow every change of a cell.
//!
//! What moves between neighbours join both ways is kept as a partition that follows edits. As long as
//! nearly all ground is one part of it, every cell outside that part remembers what leads out of it and
//! into it, as long as nothing changes within reach; regions, passages and findings are put together
//! anew from that after every edit. Else the whole is audited again.

use crate::audit::{Audit, Finding, find};
use crate::error::{Cell, JumpError};
use crate::exact::Verdict;
use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::moves::MoveKind;
use crate::parallel;
use crate::partition::Partition;
use crate::regions::{
    MoveCounts, Passage, RegionView, joined_both_ways, mutual_labels, near_move, needed, thin,
};
use crate::scc::{self, Csr};
use std::collections::BTreeMap;

/// `[units: cells]` Up to so many cells outside the largest part, an edit costs no more than these.
const MOST_OUTSIDE: usize = 1 << 15;
/// Of these in one piece of work.
const PIECE: usize = 64;

/// A graph of moves and its audit, both kept up to date under edits.
///
/// ```
/// use jump_planner::{Character, JumpGraph, Level, Terrain};
///
/// let terrain = Terrain::from_rows(&[[0.0; 5]; 5])?;
/// let graph = JumpGraph::new(terrain, Character::builder(6.0).build()?)?;
/// let mut level = Level::new(graph, Some([0, 0]))?;
/// assert_eq!(level.region_count(), 1);
/// level.set_height([2, 2], -4.0)?; // a pit that nobody gets out of
/// assert_eq!((level.region_count(), level.traps()), (2, 1));
/// level.set_height([2, 2], -1.0)?;
/// assert_eq!((level.region_count(), level.traps()), (1, 0));
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Level {
    graph: JumpGraph,
    start: Option<usize>,
    parts: Partition,
    /// The largest part.
    main: u32,
    /// The cells outside it, and what leads out of them and into them.
    outside: BTreeMap<u32, Ways>,
    /// Moves between neighbours.
    near: MoveCounts,
    /// Space to number parts in, by label.
    numbers: Vec<u32>,
    state: State,
}

/// What the audit says.
#[derive(Clone, Debug)]
enum State {
    Local(Box<Local>),
    Whole(Box<Audit>),
}

/// Moves from a cell to other parts, one to each at most, and those to it from the largest one.
#[derive(Clone, Debug, Default)]
struct Ways {
    /// Whether it was looked at since something changed.
    known: bool,
    /// From, to, what, and whether it is one of the longer jumps.
    moves: Vec<(u32, u32, MoveKind, bool)>,
    /// Jumps that were neither found nor excluded.
    open: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, Default)]
struct Local {
    /// Every part with its region, in order.
    of_part: Vec<(u32, u32)>,
    sizes: Vec<u32>,
    passages: Vec<Passage>,
    far: usize,
    reached: Vec<bool>,
    findings: Vec<Finding>,
}

impl Level {
    /// Audits the level from `start`; `None`: from the first cell of the largest region.
    ///
    /// # Errors
    /// As [`JumpGraph::audit`].
    ///
    /// # Complexity
    /// As [`JumpGraph::audit`].
    pub fn new(graph: JumpGraph, start: Option<Cell>) -> Result<Self, JumpError> {
        let start = start.map(|cell| graph.ground_index(cell)).transpose()?;
        let parts = Partition::new(mutual_labels(&graph));
        let mut near = MoveCounts::default();
        for i in 0..graph.terrain().len() {
            count_from(&graph, i, |kind| near.add(kind));
        }
        let state = State::Local(Box::default());
        let (main, outside) = (NONE, BTreeMap::new());
        let numbers = vec![0; parts.labels.len()];
        let mut level = Self { graph, start, parts, main, outside, near, numbers, state };
        level.choose_main();
        level.follow()?;
        Ok(level)
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &JumpGraph {
        &self.graph
    }

    /// Sets the height of a cell; graph, groups and audit follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`]; [`JumpError::NotGround`] if it leaves no headroom at the start. Nothing
    /// has changed then.
    ///
    /// # Complexity
    /// O(what falls off a part or joins one + cells outside the largest part, and of these each one
    /// within reach of the change x cells within reach of it), as long as those outside are not more
    /// than 32,768; else as [`JumpGraph::audit`].
    pub fn set_height(&mut self, cell: Cell, height: f64) -> Result<(), JumpError> {
        let graph = &self.graph;
        let i = graph.terrain().checked_index(cell)?;
        let headroom = graph.terrain().ceiling_of(i) - height - graph.character().height();
        if self.start == Some(i) && headroom <= 0.0 {
            let why = "it is the start, and its ceiling would be too low";
            return Err(JumpError::NotGround { cell, why });
        }
        self.edit(cell, |graph| graph.set_height(cell, height))
    }

    /// Allows or forbids to stand on a cell; graph, groups and audit follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`]; [`JumpError::NotGround`] for the start. Nothing has changed then.
    ///
    /// # Complexity
    /// As [`Level::set_height`].
    pub fn set_no_go(&mut self, cell: Cell, no_go: bool) -> Result<(), JumpError> {
        if no_go && self.start.is_some() && self.graph.terrain().index(cell) == self.start {
            return Err(JumpError::NotGround { cell, why: "it is the start, which must stay" });
        }
        self.edit(cell, |graph| graph.set_no_go(cell, no_go))
    }

    fn edit(
        &mut self,
        cell: Cell,
        change: impl FnOnce(&mut JumpGraph) -> Result<(), JumpError>,
    ) -> Result<(), JumpError> {
        let edited = self.graph.terrain().checked_index(cell)?;
        let block = self.graph.block(cell);
        let mut before = MoveCounts::default();
        for &i in &block {
            count_from(&self.graph, i, |kind| before.add(kind));
        }
        let reach = self.graph.offsets().radius();
        change(&mut self.graph)?;
        let graph = &self.graph;
        let footing = graph.footing();
        let joined = |i: usize, each: &mut dyn FnMut(usize)| {
            if !footing.can_stand(i) {
                return;
            }
            for (j, way) in footing.neighbours(i) {
                if footing.can_stand(j) && joined_both_ways(graph, i, j, way) {
                    each(j);
                }
            }
        };
        let mut changed = Vec::new();
        self.parts.follow(edited, &block, |i| footing.can_stand(i), joined, &mut changed);
        let mut after = MoveCounts::default();
        for &i in &block {
            count_from(graph, i, |kind| after.add(kind));
        }
        self.near.walk = self.near.walk + after.walk - before.walk;
        self.near.fall = self.near.fall + after.fall - before.fall;
        self.near.jump = self.near.jump + after.jump - before.jump;
        for &i in &changed {
            let label = self.parts.labels[i as usize];
            if label == self.main || label == NONE {
                self.outside.remove(&i);
            } else {
                self.outside.insert(i, Ways::default());
            }
        }
        changed.extend(block.iter().map(|&i| i as u32));
        self.forget_around(&changed, reach.max(self.graph.offsets().radius()));
        // More outside than inside: another part may be the largest by now.
        if self.outside.len() > MOST_OUTSIDE
            && self.parts.size(self.main) < self.outside.len() as u32
        {
            self.choose_main();
        }
        self.follow()
    }

    fn choose_main(&mut self) {
        self.main = self.parts.largest();
        let labels = self.parts.labels.iter().enumerate();
        let outside = labels.filter(|&(_, &label)| label != self.main && label != NONE);
        self.outside = outside.map(|(i, _)| (i as u32, Ways::default())).collect();
    }

    /// Forgets what was known of cells within reach of any of some cells.
    fn forget_around(&mut self, cells: &[u32], reach: usize) {
        let [rows, columns] = self.graph.terrain().shape();
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        for cell in cells.iter().map(|&i| self.graph.terrain().cell(i as usize)) {
            for axis in 0..2 {
                low[axis] = low[axis].min(cell[axis].saturating_sub(reach));
                high[axis] = high[axis].max(cell[axis] + reach);
            }
        }
        for y in low[0]..(high[0] + 1).min(rows) {
            let ends = [low[1], high[1].min(columns - 1)].map(|x| (y * columns + x) as u32);
            self.outside.range_mut(ends[0]..=ends[1]).for_each(|(_, ways)| ways.known = false);
        }
    }

    fn follow(&mut self) -> Result<(), JumpError> {
        self.state = if self.outside.len() > MOST_OUTSIDE {
            let start = self.start.map(|i| self.graph.terrain().cell(i));
            State::Whole(Box::new(self.graph.audit(start)?))
        } else {
            self.look();
            let mut numbers = std::mem::take(&mut self.numbers);
            let local = self.local(&mut numbers);
            self.numbers = numbers;
            State::Local(Box::new(local))
        };
        Ok(())
    }

    /// Looks at all cells of which nothing is known.
    fn look(&mut self) {
        let new = self.outside.iter().filter(|(_, ways)| !ways.known);
        let new: Vec<u32> = new.map(|(&i, _)| i).collect();
        let pieces = parallel::pieces(new.len(), PIECE, |first, end| {
            new[first..end].iter().map(|&i| self.ways(i as usize)).collect::<Vec<_>>()
        });
        for (i, ways) in new.iter().zip(pieces.into_iter().flatten()) {
            self.outside.insert(*i, ways);
        }
    }

    /// What leads out of a cell outside the largest part, and from there into it.
    fn ways(&self, i: usize) -> Ways {
        let (graph, labels) = (&self.graph, &self.parts.labels);
        let mut ways = Ways { known: true, ..Ways::default() };
        let (mut to, mut from_main) = (Vec::new(), false);
        for (j, way) in graph.footing().neighbours(i) {
            if labels[j] == NONE || labels[j] == labels[i] {
                continue;
            }
            if let Some(kind) = near_move(graph, i, j, way) {
                ways.moves.push((i as u32, j as u32, kind, false));
                to.push(labels[j]);
            }
            let kind = || near_move(graph, j, i, (-way.0, -way.1));
            if let (true, Some(kind)) = (labels[j] == self.main, kind()) {
                ways.moves.push((j as u32, i as u32, kind, false));
                from_main = true;
            }
        }
        // One each way to every part.
        let parts = |m: &(u32, u32, MoveKind, bool)| (labels[m.0 as usize], labels[m.1 as usize]);
        ways.moves.sort_unstable_by_key(|m| (parts(m), m.2, m.0, m.1));
        ways.moves.dedup_by_key(|m| parts(m));
        let mut ask = |from: usize, to: usize| {
            let ends = (from as u32, to as u32);
            let verdict = graph.verdict(from, to);
            match verdict {
                Verdict::Clear(_) => ways.moves.push((ends.0, ends.1, MoveKind::Jump, true)),
                Verdict::Marginal(_) => ways.open.push(ends),
                Verdict::Blocked => {}
            }
            verdict.is_clear()
        };
        for j in graph.candidates(i) {
            if labels[j] != labels[i] && !to.contains(&labels[j]) && ask(i, j) {
                to.push(labels[j]);
            }
        }
        let mut sources = graph.sources(i).filter(|&j| labels[j] == self.main);
        if !from_main {
            sources.any(|j| ask(j, i));
        }
        ways
    }

    /// Regions and findings from the cells outside the largest part.
    fn local(&self, numbers: &mut [u32]) -> Local {
        let labels = &self.parts.labels;
        // Parts, numbered by first cell.
        let mut order: Vec<(u32, u32)> =
            self.outside.keys().map(|&i| (labels[i as usize], i)).collect();
        order.extend(labels.iter().position(|&l| l == self.main).map(|i| (self.main, i as u32)));
        order.sort_unstable();
        order.dedup_by_key(|(part, _)| *part);
        let mut order: Vec<(u32, u32)> = order.iter().map(|&(part, first)| (first, part)).collect();
        order.sort_unstable();
        for (&(_, part), number) in order.iter().zip(0..) {
            numbers[part as usize] = number;
        }
        let part_of = |i: u32| numbers[labels[i as usize] as usize];
        let (mut passages, mut marginal) = (Vec::new(), Vec::new());
        for ways in self.outside.values() {
            marginal.extend(&ways.open);
            passages.extend(ways.moves.iter().map(|&(from, to, kind, far)| {
                let parts = (part_of(from), part_of(to));
                Passage { parts, far, kind, from, to }
            }));
        }
        thin(&mut passages);
        // Regions, numbered by first cell again.
        let joined = Csr::from_sorted(order.len(), passages.iter().map(|p| p.parts));
        let (component, count) = scc::components(&joined);
        let mut region_of = vec![NONE; count];
        let (mut sizes, mut region_firsts, mut of_part) = (Vec::new(), Vec::new(), Vec::new());
        for (n, &(first, part)) in order.iter().enumerate() {
            let region = &mut region_of[component[n] as usize];
            if *region == NONE {
                *region = sizes.len() as u32;
                sizes.push(0);
                region_firsts.push(first);
            }
            sizes[*region as usize] += self.parts.size(part);
            of_part.push((part, *region));
        }
        of_part.sort_unstable();
        let rename = |n: u32| region_of[component[n as usize] as usize];
        let mut between: Vec<Passage> = passages
            .into_iter()
            .map(|p| Passage { parts: (rename(p.parts.0), rename(p.parts.1)), ..p })
            .filter(|p| p.parts.0 != p.parts.1)
            .collect();
        thin(&mut between);
        for &(part, region) in &of_part {
            numbers[part as usize] = region;
        }
        let of = |cell: u32| numbers[labels[cell as usize] as usize];
        let passages = needed(between, sizes.len(), &mut marginal, of);
        let far = passages.iter().filter(|p| p.far).count();
        let view = RegionView {
            sizes: &sizes,
            firsts: &region_firsts,
            passages: &passages,
            marginal: &marginal,
            of: &of,
        };
        let largest = (0..sizes.len()).max_by_key(|&r| (sizes[r], std::cmp::Reverse(r)));
        let home = self.start.map_or(largest.unwrap_or(0) as u32, |i| of(i as u32));
        let (reached, findings) = find(&self.graph, &view, home);
        Local { of_part, sizes, passages, far, reached, findings }
    }

    /// Regions: the strongly connected components of the graph.
    #[must_use]
    pub fn region_count(&self) -> usize {
        match &self.state {
            State::Local(local) => local.sizes.len(),
            State::Whole(audit) => audit.region_count(),
        }
    }
    /// The region of a cell, numbered by first cell; `None` where nobody can stand and outside.
    #[must_use]
    pub fn region(&self, cell: Cell) -> Option<usize> {
        match &self.state {
            State::Local(local) => {
                let label = self.parts.labels[self.graph.terrain().index(cell)?];
                of_label(&local.of_part, label).map(|region| region as usize)
            }
            State::Whole(audit) => audit.region(cell),
        }
    }
    /// Whether a cell can be reached from the start.
    #[must_use]
    pub fn is_reached(&self, cell: Cell) -> bool {
        match &self.state {
            State::Local(local) => self.region(cell).is_some_and(|region| local.reached[region]),
            State::Whole(audit) => audit.is_reached(cell),
        }
    }
    /// All findings, as [`Audit::findings`].
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match &self.state {
            State::Local(local) => &local.findings,
            State::Whole(audit) => audit.findings(),
        }
    }
    /// How many traps there are.
    #[must_use]
    pub fn traps(&self) -> usize {
        self.findings().iter().filter(|f| matches!(f, Finding::Trap { .. })).count()
    }
    /// Pairs of regions of which one leads to the other and not back, as [`Audit::one_way`].
    #[must_use]
    pub fn one_way(&self) -> usize {
        match &self.state {
            State::Local(local) => local.passages.len(),
            State::Whole(audit) => audit.one_way(),
        }
    }
    /// Moves by kind, as [`Audit::counts`].
    #[must_use]
    pub fn counts(&self) -> MoveCounts {
        match &self.state {
            State::Local(local) => MoveCounts { jump: self.near.jump + local.far, ..self.near },
            State::Whole(audit) => audit.counts(),
        }
    }
}

/// What goes with a label in a list ordered by labels.
fn of_label(list: &[(u32, u32)], label: u32) -> Option<u32> {
    let at = list.binary_search_by_key(&label, |(label, _)| *label).ok()?;
    Some(list[at].1)
}

/// Calls `each` for all moves from cell i to its neighbours.
fn count_from(graph: &JumpGraph, i: usize, mut each: impl FnMut(MoveKind)) {
    let footing = graph.footing();
    if !footing.can_stand(i) {
        return;
    }
    for (j, way) in footing.neighbours(i) {
        if footing.can_stand(j)
            && let Some(kind) = near_move(graph, i, j, way)
        {
            each(kind);
        }
    }
}
