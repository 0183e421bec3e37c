//! A level under edit: graph, groups and audit follow every change of a cell.
//!
//! What moves between neighbours join both ways is kept as a partition that follows edits. As long as
//! nearly all ground is one part of it, regions, passages and findings are made anew from the few
//! cells outside that part after every edit, which takes microseconds; else the whole is.

use crate::audit::{Audit, Finding, find};
use crate::closure::Closure;
use crate::error::{Cell, JumpError};
use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::moves::MoveKind;
use crate::partition::Partition;
use crate::regions::{
    MoveCounts, Passage, RegionView, joined_both_ways, mutual_labels, near_move, needed, thin,
};
use crate::scc::{self, Csr};
use std::collections::{BTreeMap, BTreeSet};

/// `[units: cells]` Up to so many cells outside the largest part, an edit costs no more than these.
const MOST_OUTSIDE: usize = 512;

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
    outside: BTreeSet<u32>,
    /// Moves between neighbours.
    near: MoveCounts,
    state: State,
}

/// What the audit says.
#[derive(Clone, Debug)]
enum State {
    Local(Box<Local>),
    Whole(Box<Audit>),
}

#[derive(Clone, Debug, Default)]
struct Local {
    /// The region of every part.
    of_part: BTreeMap<u32, u32>,
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
        let (main, outside) = (NONE, BTreeSet::new());
        let mut level = Self { graph, start, parts, main, outside, near, state };
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
    /// O(what falls off a part or joins one + cells outside the largest part x cells within reach),
    /// as long as those outside are not more than 512; else as [`JumpGraph::audit`].
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
        for i in changed {
            let label = self.parts.labels[i as usize];
            if label == self.main || label == NONE {
                self.outside.remove(&i);
            } else {
                self.outside.insert(i);
            }
        }
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
        self.outside = outside.map(|(i, _)| i as u32).collect();
    }

    fn follow(&mut self) -> Result<(), JumpError> {
        self.state = if self.outside.len() > MOST_OUTSIDE {
            let start = self.start.map(|i| self.graph.terrain().cell(i));
            State::Whole(Box::new(self.graph.audit(start)?))
        } else {
            State::Local(Box::new(self.local()))
        };
        Ok(())
    }

    /// Regions and findings from the cells outside the largest part.
    fn local(&self) -> Local {
        let labels = &self.parts.labels;
        // Parts, numbered by first cell.
        let mut firsts: BTreeMap<u32, u32> = BTreeMap::new();
        for &i in &self.outside {
            firsts.entry(labels[i as usize]).or_insert(i);
        }
        if let Some(first) = labels.iter().position(|&label| label == self.main) {
            firsts.insert(self.main, first as u32);
        }
        let mut order: Vec<(u32, u32)> =
            firsts.iter().map(|(&part, &first)| (first, part)).collect();
        order.sort_unstable();
        let number: BTreeMap<u32, u32> =
            order.iter().enumerate().map(|(n, &(_, part))| (part, n as u32)).collect();
        let part_of = |i: usize| number[&labels[i]];
        let mut passages = self.near_passages(part_of);
        thin(&mut passages);
        let (far, marginal) = self.far_passages(order.len(), &passages, part_of);
        passages.extend(far);
        thin(&mut passages);
        // Regions, numbered by first cell again.
        let joined = Csr::from_sorted(order.len(), passages.iter().map(|p| p.parts));
        let (component, count) = scc::components(&joined);
        let mut region_of = vec![NONE; count];
        let (mut sizes, mut region_firsts, mut of_part) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (n, &(first, part)) in order.iter().enumerate() {
            let region = &mut region_of[component[n] as usize];
            if *region == NONE {
                *region = sizes.len() as u32;
                sizes.push(0);
                region_firsts.push(first);
            }
            sizes[*region as usize] += self.parts.size(part);
            of_part.insert(part, *region);
        }
        let rename = |n: u32| region_of[component[n as usize] as usize];
        let mut between: Vec<Passage> = passages
            .into_iter()
            .map(|p| Passage { parts: (rename(p.parts.0), rename(p.parts.1)), ..p })
            .filter(|p| p.parts.0 != p.parts.1)
            .collect();
        thin(&mut between);
        let passages = needed(&self.graph, between, sizes.len());
        let footing = self.graph.footing();
        let far =
            passages.iter().filter(|p| footing.is_far(p.from as usize, p.to as usize)).count();
        let of = |cell: u32| of_part[&labels[cell as usize]];
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

    /// Moves between neighbours of different parts: one of them is outside the largest.
    fn near_passages(&self, part_of: impl Fn(usize) -> u32) -> Vec<Passage> {
        let labels = &self.parts.labels;
        let mut found = Vec::new();
        for &i in &self.outside {
            let i = i as usize;
            for (j, way) in self.graph.footing().neighbours(i) {
                if labels[j] == NONE || labels[j] == labels[i] {
                    continue;
                }
                let back = (-way.0, -way.1);
                for (a, b, way) in [(i, j, way), (j, i, back)] {
                    if let Some(kind) = near_move(&self.graph, a, b, way) {
                        let parts = (part_of(a), part_of(b));
                        found.push(Passage { parts, kind, from: a as u32, to: b as u32 });
                    }
                }
            }
        }
        found
    }

    /// Longer jumps between parts that do not lead to each other without.
    fn far_passages(
        &self,
        count: usize,
        known: &[Passage],
        part_of: impl Fn(usize) -> u32,
    ) -> (Vec<Passage>, Vec<(u32, u32)>) {
        let graph = Csr::from_sorted(count, known.iter().map(|p| p.parts));
        // Among components, where no way leads back.
        let (component, components) = scc::components(&graph);
        let of = |part: u32| component[part as usize];
        let mut between: Vec<(u32, u32)> =
            known.iter().map(|p| (of(p.parts.0), of(p.parts.1))).filter(|(a, b)| a != b).collect();
        between.sort_unstable();
        between.dedup();
        let closure = Closure::new(&Csr::from_sorted(components, between.into_iter()));
        let (mut found, mut open) = (BTreeMap::new(), Vec::new());
        let mut ask = |i: usize, j: usize| {
            let parts = (part_of(i), part_of(j));
            if closure.leads(of(parts.0), of(parts.1)) || found.contains_key(&parts) {
                return;
            }
            match self.graph.verdict(i, j) {
                crate::exact::Verdict::Clear(_) => {
                    let (from, to) = (i as u32, j as u32);
                    found.insert(parts, Passage { parts, kind: MoveKind::Jump, from, to });
                }
                crate::exact::Verdict::Marginal(_) => open.push((i as u32, j as u32)),
                crate::exact::Verdict::Blocked => {}
            }
        };
        for &i in &self.outside {
            self.graph.for_each_candidate(i as usize, |j| ask(i as usize, j));
            self.graph.for_each_source(i as usize, |j| ask(j, i as usize));
        }
        (found.into_values().collect(), open)
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
                local.of_part.get(&label).map(|&region| region as usize)
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
