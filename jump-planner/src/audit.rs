//! What is wrong with a level: traps, unreachable ground, one-way passages.

use crate::error::{Cell, JumpError};
use crate::flight::Flight;
use crate::graph::JumpGraph;
use crate::moves::Move;
use crate::regions::{MoveCounts, Passage, RegionView, Regions};
use crate::scc::Csr;
use xxhash_rust::xxh3::xxh3_64;

/// One thing that a designer should look at.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "finding", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Finding {
    /// A region that can be reached from the start and entered from another one, and that no move
    /// leaves.
    Trap {
        /// Its first cell.
        cell: Cell,
        /// How many cells it has.
        cells: usize,
        /// A move that enters it from ground that can be reached.
        entrance: Move,
    },
    /// A region that cannot be reached from the start.
    Unreachable {
        /// Its first cell.
        cell: Cell,
        /// How many cells it has.
        cells: usize,
        /// A move out of it to another region, if there is any.
        exit: Option<Move>,
    },
    /// Two regions, of which one leads to the other and not back.
    OneWay {
        /// The move that joins them.
        passage: Move,
        /// Cells of the region that it leaves.
        from_cells: usize,
        /// Cells of the region that it enters.
        to_cells: usize,
    },
    /// A jump that would join two regions and was neither found nor excluded.
    Marginal {
        /// From and to.
        ends: [Cell; 2],
        /// Cells of the smaller one of the two regions.
        cells: usize,
    },
}

impl Finding {
    /// How many cells it is about: worst first is the most first.
    #[must_use]
    pub fn cells(&self) -> usize {
        match *self {
            Self::Trap { cells, .. }
            | Self::Unreachable { cells, .. }
            | Self::Marginal { cells, .. } => cells,
            Self::OneWay { from_cells, to_cells, .. } => from_cells.min(to_cells),
        }
    }

    /// The move that shows it.
    #[must_use]
    pub fn witness(&self) -> Option<Move> {
        match self {
            Self::Trap { entrance, .. } => Some(*entrance),
            Self::Unreachable { exit, .. } => *exit,
            Self::OneWay { passage, .. } => Some(*passage),
            Self::Marginal { .. } => None,
        }
    }

    /// The flight of that move, where it is a jump.
    #[must_use]
    pub fn flight(&self, graph: &JumpGraph) -> Option<Flight> {
        self.witness().and_then(|m| graph.witness(&m))
    }
}

/// An audit of a level, as seen from its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    start: Cell,
    regions: Regions,
    reached: Vec<bool>,
    groups: usize,
    columns: usize,
    findings: Vec<Finding>,
}

impl JumpGraph {
    /// Audits the level from `start`; `None`: from the first cell of the largest region.
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    ///
    /// # Complexity
    /// O(cells), and O(cells within reach) more for each cell near the edge of a region.
    pub fn audit(&self, start: Option<Cell>) -> Result<Audit, JumpError> {
        let start = start.map(|cell| self.ground_index(cell)).transpose()?;
        Ok(Audit::of(self, Regions::new(self), start))
    }
}

impl Audit {
    pub(crate) fn of(graph: &JumpGraph, regions: Regions, start: Option<usize>) -> Self {
        let largest = || {
            // The first of the largest.
            let sizes = regions.sizes.iter().enumerate();
            let largest = sizes.max_by_key(|&(region, &size)| (size, std::cmp::Reverse(region)));
            largest.map_or(0, |(region, _)| regions.firsts[region] as usize)
        };
        let start = start.unwrap_or_else(largest);
        let home = regions.labels[start];
        let (reached, findings) = regions.with_view(|view| find(graph, view, home));
        Self {
            start: graph.terrain().cell(start),
            reached,
            groups: graph.group_count(),
            columns: graph.terrain().shape()[1],
            findings,
            regions,
        }
    }

    /// Where it starts.
    #[must_use]
    pub fn start(&self) -> Cell {
        self.start
    }
    /// Moves by kind.
    #[must_use]
    pub fn counts(&self) -> MoveCounts {
        self.regions.counts
    }
    /// Groups: parts that walking joins.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups
    }
    /// Regions: the strongly connected components of the graph.
    #[must_use]
    pub fn region_count(&self) -> usize {
        self.regions.count()
    }
    /// The region of a cell, numbered by first cell; `None` where nobody can stand and outside.
    #[must_use]
    pub fn region(&self, [y, x]: Cell) -> Option<usize> {
        let inside = x < self.columns;
        let label = inside.then(|| self.regions.labels.get(y * self.columns + x)).flatten()?;
        (*label != crate::groups::NONE).then_some(*label as usize)
    }
    /// Whether a cell can be reached from the start.
    #[must_use]
    pub fn is_reached(&self, cell: Cell) -> bool {
        self.region(cell).is_some_and(|region| self.reached[region])
    }
    /// Cells on which one can stand and which the start does not reach.
    #[must_use]
    pub fn unreached_cells(&self) -> usize {
        let regions = self.reached.iter().zip(&self.regions.sizes);
        regions.filter(|(reached, _)| !**reached).map(|(_, &size)| size as usize).sum()
    }
    /// Refuses a level of another shape.
    pub(crate) fn check_shape(&self, graph: &JumpGraph) -> Result<(), JumpError> {
        let (found, expected) = (self.regions.labels.len(), graph.terrain().len());
        if found == expected && self.columns == graph.terrain().shape()[1] {
            return Ok(());
        }
        Err(JumpError::OtherLevel { found, expected })
    }
    /// The region of every cell.
    pub(crate) fn labels(&self) -> &[u32] {
        &self.regions.labels
    }
    /// Moves to cells at most two away, by cell.
    pub(crate) fn moves(&self) -> &[u32] {
        &self.regions.moves
    }
    /// Longer jumps that join regions, or parts of one.
    pub(crate) fn joins(&self) -> &[(u32, u32)] {
        &self.regions.joins
    }

    /// All findings: by kind, and of a kind those first that are about the most cells.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
    /// How many traps there are.
    #[must_use]
    pub fn traps(&self) -> usize {
        self.findings.iter().filter(|f| matches!(f, Finding::Trap { .. })).count()
    }
    /// Pairs of regions of which one leads to the other directly, and not back.
    #[must_use]
    pub fn one_way(&self) -> usize {
        self.regions.passages.len()
    }

    /// A hash of regions, passages and what is reached: the same for any number of threads and
    /// after any way of edits to the same level.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut bytes = Vec::with_capacity(4 * self.regions.labels.len());
        for label in &self.regions.labels {
            bytes.extend(label.to_le_bytes());
        }
        for passage in &self.regions.passages {
            let (a, b) = passage.parts;
            bytes.extend([a, b].iter().flat_map(|v| v.to_le_bytes()));
        }
        bytes.extend(self.reached.iter().map(|&r| u8::from(r)));
        xxh3_64(&bytes)
    }
}

/// What the start in region `home` reaches, and all findings, worst first.
pub(crate) fn find(
    graph: &JumpGraph,
    regions: &RegionView<'_>,
    home: u32,
) -> (Vec<bool>, Vec<Finding>) {
    let successors = Csr::from_sorted(regions.count(), regions.passages.iter().map(|p| p.parts));
    let mut reached = vec![false; regions.count()];
    if reached.is_empty() {
        return (reached, Vec::new());
    }
    let mut open = vec![home];
    reached[home as usize] = true;
    while let Some(region) = open.pop() {
        for &next in successors.of(region) {
            if !reached[next as usize] {
                reached[next as usize] = true;
                open.push(next);
            }
        }
    }
    let terrain = graph.terrain();
    let cell = |i: u32| terrain.cell(i as usize);
    let size = |region: u32| regions.sizes[region as usize];
    // The first way in from ground that can be reached, and the first way out, per region.
    let (mut entrance, mut exit) = (vec![None; regions.count()], vec![None; regions.count()]);
    // Of every kind, how many cells and which one.
    let mut order: [Vec<(u32, u32)>; 4] = Default::default();
    order[2].reserve(regions.passages.len());
    for (n, passage) in (0..).zip(regions.passages) {
        let (from, to) = passage.parts;
        if reached[from as usize] {
            entrance[to as usize].get_or_insert(passage);
        }
        exit[from as usize].get_or_insert(passage);
        order[2].push((size(from).min(size(to)), n));
    }
    for region in 0..regions.count() as u32 {
        if !reached[region as usize] {
            order[1].push((size(region), region));
        } else if entrance[region as usize].is_some() && exit[region as usize].is_none() {
            order[0].push((size(region), region));
        }
    }
    for (n, &(i, j)) in (0..).zip(regions.marginal) {
        let (a, b) = (regions.of(i), regions.of(j));
        if a != b {
            order[3].push((size(a).min(size(b)), n));
        }
    }
    let as_move = |passage: Option<&Passage>| passage.map(|passage| passage.as_move(graph));
    let first = |region: usize| cell(regions.firsts[region]);
    order.iter_mut().for_each(most_cells_first);
    let [traps, unreachable, one_way, marginal] = &order;
    // Each kind by itself: what is written where it stays costs half of what is looked at before.
    let mut findings = Vec::with_capacity(order.iter().map(Vec::len).sum());
    findings.extend(traps.iter().filter_map(|&(cells, n)| {
        let (region, cells) = (n as usize, cells as usize);
        let entrance = as_move(entrance[region])?;
        Some(Finding::Trap { cell: first(region), cells, entrance })
    }));
    findings.extend(unreachable.iter().map(|&(cells, n)| {
        let (region, cells) = (n as usize, cells as usize);
        Finding::Unreachable { cell: first(region), cells, exit: as_move(exit[region]) }
    }));
    findings.extend(one_way.iter().map(|&(_, n)| {
        let passage = &regions.passages[n as usize];
        let (from, to) = passage.parts;
        let (from_cells, to_cells) = (size(from) as usize, size(to) as usize);
        Finding::OneWay { passage: passage.as_move(graph), from_cells, to_cells }
    }));
    findings.extend(marginal.iter().map(|&(cells, n)| {
        let (i, j) = regions.marginal[n as usize];
        Finding::Marginal { ends: [cell(i), cell(j)], cells: cells as usize }
    }));
    (reached, findings)
}

/// Those of the most cells first; of as many, in the order in which they are.
fn most_cells_first(order: &mut Vec<(u32, u32)>) {
    /// Nearly all regions are smaller.
    const SMALL: usize = 64;
    let mut ends = [0_usize; SMALL];
    let (mut large, small): (Vec<_>, Vec<_>) =
        order.drain(..).partition(|&(cells, _)| cells as usize >= SMALL);
    large.sort_by_key(|&(cells, _)| std::cmp::Reverse(cells));
    for &(cells, _) in &small {
        ends[cells as usize] += 1;
    }
    let mut places = ends;
    let mut next = large.len();
    for cells in (0..SMALL).rev() {
        places[cells] = next;
        next += ends[cells];
    }
    order.append(&mut large);
    order.resize(next, (0, 0));
    for (cells, n) in small {
        let place = &mut places[cells as usize];
        order[*place] = (cells, n);
        *place += 1;
    }
}
