//! A level under edit: graph, groups and audit follow every change of a cell.

mod certificate;
mod dynamic;
mod follow;
mod hold;
mod known;
mod leading;
mod over;
mod settle;
mod trees;

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::moves::MoveKind;
use crate::graph::near::near_move;
use crate::graph::rule::JumpRule;
use crate::level::dynamic::{Dynamic, Edit};
use crate::level::follow::Outcome;
use crate::questions::audit::{Audit, Finding, find};
use crate::regions::Regions;
use crate::regions::closure::MOST_NODES;
use crate::regions::passage::{MoveCounts, RegionView};
use std::sync::OnceLock;

/// A graph of moves and its audit, both kept up to date under edits. An edit follows which region
/// leads to which. The numbers of regions, what is reached and the findings are made from that when
/// one of them is asked for, in O(regions log regions + moves between them).
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
    /// Moves between neighbours.
    near: MoveCounts,
    state: State,
}

/// What the audit says.
#[derive(Clone, Debug)]
enum State {
    Local(Box<Local>),
    /// Where there are too many regions to keep them apart.
    Whole(Box<Audit>),
}

#[derive(Clone, Debug)]
struct Local {
    dynamic: Dynamic,
    /// Drawn up when it is asked for.
    overview: OnceLock<Overview>,
}

/// The findings, and what else is read off all regions at once.
#[derive(Clone, Debug)]
struct Overview {
    /// The number of every region, by label.
    number: Vec<u32>,
    regions: usize,
    one_way: usize,
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
        let near = all_near(&graph);
        let state = State::of(&graph, start);
        Ok(Self { graph, start, near, state })
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &JumpGraph {
        &self.graph
    }

    /// Sets the height of a cell; graph, groups and audit follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`]; [`JumpError::NotGround`] if it leaves no headroom at the start.
    /// Nothing has changed then.
    ///
    /// # Complexity
    /// O(the way to a root of the largest region, where the edit cuts it, or the way around the
    /// edit in another region + what falls off a region or joins one + what flights over the cell
    /// lead to, from within reach of it, if the edit lowers it); where regions do not lead to
    /// others any more, O(pairs of regions that it concerns + cells of the smaller ones, each with
    /// what is within its reach) more. As [`JumpGraph::audit`] where too much falls apart, where
    /// there are more than 32,768 regions, and under the published rule, where an edit that cuts a
    /// group in two makes edges far away from it.
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
        if self.graph.rule() == JumpRule::Published {
            change(&mut self.graph)?;
            self.near = all_near(&self.graph);
            self.state = State::of(&self.graph, self.start);
            return Ok(());
        }
        let block = self.graph.block(cell);
        let mut before = MoveCounts::default();
        for &i in &block {
            for_each_near(&self.graph, i, |kind| before.add(kind));
        }
        let reach = self.graph.offsets().radius();
        let height = self.graph.terrain().heights()[edited];
        change(&mut self.graph)?;
        let graph = &self.graph;
        let mut after = MoveCounts::default();
        for &i in &block {
            for_each_near(graph, i, |kind| after.add(kind));
        }
        self.near.walk = self.near.walk + after.walk - before.walk;
        self.near.fall = self.near.fall + after.fall - before.fall;
        self.near.jump = self.near.jump + after.jump - before.jump;
        // A body meets what is beside its way, too.
        let wide = if graph.is_point() { 0 } else { 2 };
        let reach = reach.max(graph.offsets().radius()) + wide;
        let now = graph.terrain().heights()[edited];
        let (frees, blocks) = (now < height, now > height);
        let edit = Edit { cell: edited, frees, blocks, was: height, reach };
        let outcome = match &mut self.state {
            State::Local(local) => local.dynamic.follow(graph, edit),
            State::Whole(_) => Outcome::TooFar,
        };
        match (outcome, &mut self.state) {
            (Outcome::Same, _) => {}
            (Outcome::Changed, State::Local(local)) => local.overview = OnceLock::new(),
            _ => self.state = State::of(graph, self.start),
        }
        Ok(())
    }

    fn overview<'a>(&self, local: &'a Local) -> &'a Overview {
        local.overview.get_or_init(|| Overview::of(&local.dynamic, &self.graph, self.start))
    }

    /// Regions: the strongly connected components of the graph.
    #[must_use]
    pub fn region_count(&self) -> usize {
        match &self.state {
            State::Local(local) => self.overview(local).regions,
            State::Whole(audit) => audit.region_count(),
        }
    }
    /// The region of a cell, numbered by first cell; `None` where nobody can stand and outside.
    #[must_use]
    pub fn region(&self, cell: Cell) -> Option<usize> {
        match &self.state {
            State::Local(local) => {
                let label = local.dynamic.labels[self.graph.terrain().index(cell)?];
                (label != NONE).then(|| self.overview(local).number[label as usize] as usize)
            }
            State::Whole(audit) => audit.region(cell),
        }
    }
    /// Whether a cell can be reached from the start.
    #[must_use]
    pub fn is_reached(&self, cell: Cell) -> bool {
        match &self.state {
            State::Local(local) => {
                self.region(cell).is_some_and(|region| self.overview(local).reached[region])
            }
            State::Whole(audit) => audit.is_reached(cell),
        }
    }
    /// All findings, as [`Audit::findings`].
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        match &self.state {
            State::Local(local) => &self.overview(local).findings,
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
            State::Local(local) => self.overview(local).one_way,
            State::Whole(audit) => audit.one_way(),
        }
    }
    /// Moves by kind, as [`Audit::counts`].
    #[must_use]
    pub fn counts(&self) -> MoveCounts {
        match &self.state {
            State::Local(local) => {
                let jump = self.near.jump + self.overview(local).far;
                MoveCounts { jump, ..self.near }
            }
            State::Whole(audit) => audit.counts(),
        }
    }
}

impl State {
    /// All again.
    fn of(graph: &JumpGraph, start: Option<usize>) -> Self {
        let regions = Regions::new(graph);
        if regions.count() > MOST_NODES {
            return Self::Whole(Box::new(Audit::of(graph, regions, start)));
        }
        let dynamic = Dynamic::new(graph, regions);
        let overview = OnceLock::from(Overview::of(&dynamic, graph, start));
        Self::Local(Box::new(Local { dynamic, overview }))
    }
}

impl Overview {
    /// From which region leads to which.
    fn of(dynamic: &Dynamic, graph: &JumpGraph, start: Option<usize>) -> Self {
        let summary = dynamic.summary();
        let (labels, number, sizes) = (&dynamic.labels, &summary.number, &summary.sizes);
        let of = |cell: u32| number[labels[cell as usize] as usize];
        let view = RegionView {
            sizes,
            firsts: &summary.firsts,
            passages: &summary.passages,
            begins: &summary.begins,
            marginal: &summary.marginal,
            of: &of,
        };
        let largest = (0..sizes.len()).max_by_key(|&r| (sizes[r], std::cmp::Reverse(r)));
        let home = start.map_or(largest.unwrap_or(0) as u32, |i| of(i as u32));
        let (reached, findings) = find(graph, &view, home);
        let (regions, one_way) = (sizes.len(), summary.passages.len());
        let far = summary.passages.iter().filter(|p| p.far).count();
        Self { number: summary.number, regions, one_way, far, reached, findings }
    }
}

/// All moves between neighbours.
fn all_near(graph: &JumpGraph) -> MoveCounts {
    let mut near = MoveCounts::default();
    for i in 0..graph.terrain().len() {
        for_each_near(graph, i, |kind| near.add(kind));
    }
    near
}

/// Calls `each` with all moves from cell i to its neighbours.
fn for_each_near(graph: &JumpGraph, i: usize, mut each: impl FnMut(MoveKind)) {
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
