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
use crate::level::follow::{Gone, Outcome};
use crate::questions::audit::{Audit, Finding, find};
use crate::regions::closure::MOST_NODES;
use crate::regions::passage::{MoveCounts, RegionView};
use crate::spans::builder::Span;
use crate::spans::edit::ColumnEdit;
use crate::spans::{Place, SpanTerrain};
use crate::splice::Splice;
use crate::storage::{Floors, Storage};
use crate::terrain::Terrain;
use std::sync::OnceLock;

/// A graph of moves and its audit, both kept up to date under edits. An edit follows which region
/// leads to which. The numbers of regions, the reached ground and the findings are made from that
/// when one of them is asked for, in O(regions log regions + moves between them).
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
pub struct Level<T: Storage = Terrain> {
    graph: JumpGraph<T>,
    start: Option<usize>,
    /// Moves between neighbours.
    near: MoveCounts,
    state: State<T>,
}

/// The results of the audit.
#[derive(Clone, Debug)]
enum State<T: Storage> {
    Local(Box<Local<T>>),
    /// Where there are too many regions to keep them apart.
    Whole(Box<Audit<T::Place>>),
}

#[derive(Clone, Debug)]
struct Local<T: Storage> {
    dynamic: Dynamic<T>,
    /// Drawn up when it is asked for.
    overview: OnceLock<Overview<T::Place>>,
}

/// The findings, and all other results that need all regions at once.
#[derive(Clone, Debug)]
struct Overview<P> {
    /// The number of every region, by label.
    number: Vec<u32>,
    regions: usize,
    one_way: usize,
    far: usize,
    reached: Vec<bool>,
    findings: Vec<Finding<P>>,
}

/// The state before an edit, to compare with.
struct Before {
    /// Moves between neighbours around the column.
    near: MoveCounts,
    /// `[units: cells]` How far jumps led.
    reach: usize,
    gone: Gone,
}

impl<T: Storage> Level<T> {
    /// Audits the level from `start`; `None`: from the first cell of the largest region.
    ///
    /// # Errors
    /// As [`JumpGraph::audit`].
    ///
    /// # Complexity
    /// As [`JumpGraph::audit`].
    pub fn new(graph: JumpGraph<T>, start: Option<T::Place>) -> Result<Self, JumpError> {
        let start = start.map(|place| graph.ground_index(place)).transpose()?;
        let near = all_near(&graph);
        let state = State::of(&graph, start);
        Ok(Self { graph, start, near, state })
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &JumpGraph<T> {
        &self.graph
    }
    /// Where it is audited from, if that was said; where there are storeys an edit of its column
    /// may give it another one.
    #[must_use]
    pub fn start(&self) -> Option<T::Place> {
        self.start.map(|i| self.graph.terrain().name(i))
    }

    /// Prepares an edit of a column that takes some of its places away.
    fn before(&mut self, column: usize, splice: Splice) -> Before {
        let gone = match &mut self.state {
            State::Local(local) => local.dynamic.take_out(&self.graph, column, splice),
            State::Whole(_) => Gone::default(),
        };
        let (near, reach) = (near_around(&self.graph, column), self.graph.offsets().radius());
        Before { near, reach, gone }
    }

    /// Follows an edit of a column of the graph.
    fn after(
        &mut self,
        column: usize,
        splice: Splice,
        before: Before,
        frees: Option<[f64; 2]>,
        blocks: bool,
    ) {
        let (graph, after) = (&self.graph, near_around(&self.graph, column));
        let changed = |all: usize, before: usize, after: usize| all + after - before;
        self.near.walk = changed(self.near.walk, before.near.walk, after.walk);
        self.near.fall = changed(self.near.fall, before.near.fall, after.fall);
        self.near.jump = changed(self.near.jump, before.near.jump, after.jump);
        // A body also meets the ground beside its way.
        let wide = if graph.is_point() { 0 } else { 2 };
        let reach = before.reach.max(graph.offsets().radius()) + wide;
        let edit = Edit { column, frees, blocks, reach };
        let outcome = match &mut self.state {
            State::Local(local) => {
                let mut gone = before.gone;
                local.dynamic.splice(graph, splice, &mut gone);
                local.dynamic.follow(graph, edit, gone)
            }
            State::Whole(_) => Outcome::TooFar,
        };
        match (outcome, &mut self.state) {
            (Outcome::Same, _) => {}
            (Outcome::Changed, State::Local(local)) => local.overview = OnceLock::new(),
            _ => self.state = State::of(graph, self.start),
        }
    }

    /// Makes the audit again.
    fn renew(&mut self) {
        self.near = all_near(&self.graph);
        self.state = State::of(&self.graph, self.start);
    }

    fn overview<'a>(&self, local: &'a Local<T>) -> &'a Overview<T::Place> {
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
    pub fn region(&self, cell: T::Place) -> Option<usize> {
        let i = self.graph.terrain().find(cell)?;
        match &self.state {
            State::Local(local) => {
                let label = local.dynamic.labels[i];
                (label != NONE).then(|| self.overview(local).number[label as usize] as usize)
            }
            State::Whole(audit) => audit.region_of(i),
        }
    }
    /// Whether a cell can be reached from the start.
    #[must_use]
    pub fn is_reached(&self, cell: T::Place) -> bool {
        self.region(cell).is_some_and(|region| match &self.state {
            State::Local(local) => self.overview(local).reached[region],
            State::Whole(audit) => audit.reaches(region),
        })
    }
    /// All findings, as [`Audit::findings`].
    #[must_use]
    pub fn findings(&self) -> &[Finding<T::Place>] {
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

impl Level {
    /// Sets the height of a cell; graph, groups and audit follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`]; [`JumpError::NotGround`] if it leaves no headroom at the start.
    /// Nothing has changed then.
    ///
    /// # Complexity
    /// O(the way to a root of the largest region, where the edit cuts it, or the way around the
    /// edit in another region + cells that fall off a region or join one + cells that flights over
    /// the cell lead to, from within its reach, if the edit lowers it); where regions do not lead
    /// to others any more, O(pairs of regions that it concerns + cells of the smaller ones, each
    /// with what is within its reach) more. As [`JumpGraph::audit`] where too much falls apart,
    /// where there are more than 32,768 regions, and under the published rule, where an edit that
    /// cuts a group in two makes edges far away from it.
    pub fn set_height(&mut self, cell: Cell, height: f64) -> Result<(), JumpError> {
        let graph = &self.graph;
        let i = graph.terrain().checked_index(cell)?;
        if self.start == Some(i) && !height.is_nan() && !graph.footing().fits_under(i, height) {
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
            self.renew();
            return Ok(());
        }
        let none = Splice::default();
        let before = self.before(edited, none);
        let height = self.graph.terrain().heights()[edited];
        change(&mut self.graph)?;
        let now = self.graph.terrain().heights()[edited];
        let frees = (now < height).then_some([now, height]);
        self.after(edited, none, before, frees, now > height);
        Ok(())
    }
}

impl Level<SpanTerrain> {
    /// Sets the spans of a column, as [`JumpGraph::set_spans`]; graph, groups and audit follow. The
    /// start stays at its floor; where that is gone, it goes to the nearest floor of its column, of
    /// two the lower one, that one can stand on.
    ///
    /// ```
    /// use jump_planner::{Character, JumpGraph, Level, Place, Span, SpanTerrain};
    /// use jump_planner::ndarray::Array2;
    ///
    /// // A corridor, and a shelf over its end that is too high to jump.
    /// let columns = Array2::from_shape_fn([1, 4], |(_, x)| match x {
    ///     3 => vec![Span::ground(0.0), Span::new(3.0, 3.2)],
    ///     _ => vec![Span::ground(0.0)],
    /// });
    /// let character = Character::with_jump_height(2.0, 9.81).body(0.2, 1.5).build()?;
    /// let graph = JumpGraph::new(SpanTerrain::builder(&columns).build()?, character)?;
    /// let (start, shelf) = ([0, 0], Place { cell: [0, 3], storey: 1 });
    /// let mut level = Level::new(graph, Some(Place { cell: start, storey: 0 }))?;
    /// assert!(!level.is_reached(shelf));
    /// level.set_spans([0, 1], &[Span::ground(1.5)])?; // a crate
    /// assert!(level.is_reached(shelf));
    /// # Ok::<(), jump_planner::JumpError>(())
    /// ```
    ///
    /// # Errors
    /// [`JumpError::Terrain`]; [`JumpError::NotGround`] if nobody could stand in the start's column
    /// any more. Nothing has changed then.
    ///
    /// # Complexity
    /// As [`Level::set_height`]; O(places) more, to number them, where the column has more or fewer
    /// storeys than before. As [`JumpGraph::audit`] where the level's first ceiling or its first
    /// second storey comes, or its last one goes.
    pub fn set_spans(&mut self, cell: Cell, spans: &[Span]) -> Result<(), JumpError> {
        let edit = self.graph.terrain().with_spans(cell, spans)?;
        let start = self.start.map(|start| self.moved(start, &edit)).transpose()?;
        let (kind, before) = (self.graph.terrain().kind(), self.before(edit.column, edit.splice));
        self.graph.apply(&edit);
        self.start = start;
        if kind != self.graph.terrain().kind() {
            // How flights are looked at is not the same anywhere now.
            self.renew();
            return Ok(());
        }
        let body = self.graph.character().height();
        let frees = edit.freed.map(|[low, high]| [low - body, high]);
        self.after(edit.column, edit.splice, before, frees, edit.blocks);
        Ok(())
    }

    /// Allows or forbids to stand on a place; graph, groups and audit follow.
    ///
    /// # Errors
    /// [`JumpError::Terrain`]; [`JumpError::NotGround`] for the start. Nothing has changed then.
    ///
    /// # Complexity
    /// As [`Level::set_spans`].
    pub fn set_no_go(&mut self, place: Place, no_go: bool) -> Result<(), JumpError> {
        let i = self.graph.terrain().checked(place)?;
        if no_go && self.start == Some(i) {
            let why = "it is the start, which must stay";
            return Err(JumpError::NotGround { cell: place.cell, why });
        }
        self.graph.terrain().check_no_go(place, no_go)?;
        let (column, none) = (self.graph.terrain().column(i), Splice::default());
        let before = self.before(column, none);
        self.graph.set_no_go(place, no_go)?;
        self.after(column, none, before, None, false);
        Ok(())
    }

    /// Where the start is after an edit.
    fn moved(&self, start: usize, edit: &ColumnEdit) -> Result<usize, JumpError> {
        let level = self.graph.terrain();
        if level.column(start) != edit.column {
            return Ok(edit.splice.number(start as u32).map_or(start, |start| start as usize));
        }
        let floor = level.floors()[start];
        edit.nearest(level, floor, self.graph.character().height()).ok_or_else(|| {
            let (cell, why) = (level.name(start).cell, "the start is there, and must stay");
            JumpError::NotGround { cell, why }
        })
    }
}

impl<T: Storage> State<T> {
    /// All again.
    fn of(graph: &JumpGraph<T>, start: Option<usize>) -> Self {
        let regions = T::regions(graph);
        if regions.count() > MOST_NODES {
            return Self::Whole(Box::new(Audit::of(graph, regions, start)));
        }
        let dynamic = Dynamic::new(graph, regions);
        let overview = OnceLock::from(Overview::of(&dynamic, graph, start));
        Self::Local(Box::new(Local { dynamic, overview }))
    }
}

impl<P: Copy> Overview<P> {
    /// From which region leads to which.
    fn of<T: Storage + Floors<Place = P>>(
        dynamic: &Dynamic<T>,
        graph: &JumpGraph<T>,
        start: Option<usize>,
    ) -> Self {
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
fn all_near<T: Storage>(graph: &JumpGraph<T>) -> MoveCounts {
    let mut near = MoveCounts::default();
    for i in 0..graph.terrain().floors().len() {
        for_each_near(graph, i, |kind| near.add(kind));
    }
    near
}

/// Moves between neighbours that an edit of a column may change.
fn near_around<T: Storage>(graph: &JumpGraph<T>, column: usize) -> MoveCounts {
    let mut near = MoveCounts::default();
    for i in graph.block(column) {
        for_each_near(graph, i, |kind| near.add(kind));
    }
    near
}

/// Calls `each` with all moves from cell i to its neighbours.
fn for_each_near<T: Storage>(graph: &JumpGraph<T>, i: usize, mut each: impl FnMut(MoveKind)) {
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
