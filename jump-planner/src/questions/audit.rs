//! The faults of a level: traps, unreachable ground, one-way passages.

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::moves::Move;
use crate::jump::flight::Flight;
use crate::regions::Regions;
use crate::regions::passage::{MoveCounts, RegionView};
use crate::storage::{Floors, Ground, PlaceName, Storage};
use xxhash_rust::xxh3::xxh3_64;

/// One thing that a designer should look at.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "finding", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Finding<P = Cell> {
    /// A region that can be reached from the start and entered from another one, and that no move
    /// leaves.
    Trap {
        /// Its first cell.
        cell: P,
        /// How many cells it has.
        cells: usize,
        /// A move that enters it from ground that can be reached.
        entrance: Move<P>,
    },
    /// A region that cannot be reached from the start.
    Unreachable {
        /// Its first cell.
        cell: P,
        /// How many cells it has.
        cells: usize,
        /// A move out of it to another region, if there is any.
        exit: Option<Move<P>>,
    },
    /// Two regions, of which one leads to the other and not back.
    OneWay {
        /// The move that joins them.
        passage: Move<P>,
        /// Cells of the region that it leaves.
        from_cells: usize,
        /// Cells of the region that it enters.
        to_cells: usize,
    },
    /// A jump that would join two regions and was neither found nor excluded.
    Marginal {
        /// From and to.
        ends: [P; 2],
        /// Cells of the smaller one of the two regions.
        cells: usize,
    },
}

impl<P: Copy> Finding<P> {
    /// The same finding, its places named otherwise.
    #[must_use]
    pub fn map<Q>(&self, mut name: impl FnMut(P) -> Q) -> Finding<Q> {
        match *self {
            Self::Trap { cell, cells, entrance } => {
                Finding::Trap { cell: name(cell), cells, entrance: entrance.map(name) }
            }
            Self::Unreachable { cell, cells, exit } => {
                let cell = name(cell);
                Finding::Unreachable { cell, cells, exit: exit.map(|exit| exit.map(name)) }
            }
            Self::OneWay { passage, from_cells, to_cells } => {
                Finding::OneWay { passage: passage.map(name), from_cells, to_cells }
            }
            Self::Marginal { ends, cells } => Finding::Marginal { ends: ends.map(name), cells },
        }
    }

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
    pub fn witness(&self) -> Option<Move<P>> {
        match self {
            Self::Trap { entrance, .. } => Some(*entrance),
            Self::Unreachable { exit, .. } => *exit,
            Self::OneWay { passage, .. } => Some(*passage),
            Self::Marginal { .. } => None,
        }
    }

    /// The flight of that move, where it is a jump.
    #[must_use]
    pub fn flight<T: Storage + Floors<Place = P>>(&self, graph: &JumpGraph<T>) -> Option<Flight> {
        self.witness().and_then(|m| graph.witness(&m))
    }
}

/// An audit of a level, as seen from its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit<P: PlaceName = Cell> {
    start: P,
    regions: Regions<P::Bits>,
    reached: Vec<bool>,
    groups: usize,
    shape: [usize; 2],
    findings: Vec<Finding<P>>,
}

impl<T: Storage> JumpGraph<T> {
    /// Audits the level from `start`; `None`: from the first cell of the largest region.
    ///
    /// # Errors
    /// [`TerrainError::Outside`](crate::TerrainError::Outside), [`JumpError::NotGround`].
    ///
    /// # Complexity
    /// O(cells), and O(cells within reach) more for each cell near the edge of a region.
    pub fn audit(&self, start: Option<T::Place>) -> Result<Audit<T::Place>, JumpError> {
        let start = start.map(|place| self.ground_index(place)).transpose()?;
        Ok(Audit::of(self, T::regions(self), start))
    }
}

impl<P: PlaceName> Audit<P> {
    pub(crate) fn of<T: Storage + Floors<Place = P>>(
        graph: &JumpGraph<T>,
        regions: Regions<P::Bits>,
        start: Option<usize>,
    ) -> Self {
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
            start: graph.terrain().name(start),
            reached,
            groups: graph.group_count(),
            shape: graph.terrain().shape(),
            findings,
            regions,
        }
    }

    /// Where it starts.
    #[must_use]
    pub fn start(&self) -> P {
        self.start
    }
    /// Moves by kind: all walks and falls, but not all jumps, which are decided only as far as an
    /// audit needs them. [`MoveCounts::jump`] says which count; [`JumpGraph::for_each_move`] names
    /// every one.
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
    /// Cells on which one can stand and which the start does not reach.
    #[must_use]
    pub fn unreached_cells(&self) -> usize {
        let regions = self.reached.iter().zip(&self.regions.sizes);
        regions.filter(|(reached, _)| !**reached).map(|(_, &size)| size as usize).sum()
    }
    /// The region of a place, numbered by first place; `None` where nobody can stand and outside.
    /// `ground` is the one that was audited.
    #[must_use]
    pub fn region<T: Ground<Place = P>>(&self, ground: &T, place: P) -> Option<usize> {
        self.region_of(ground.find(place)?)
    }
    /// Whether a place can be reached from the start. `ground` is the one that was audited.
    #[must_use]
    pub fn is_reached<T: Ground<Place = P>>(&self, ground: &T, place: P) -> bool {
        self.region(ground, place).is_some_and(|region| self.reached[region])
    }
    /// The region of a place by its number.
    pub(crate) fn region_of(&self, place: usize) -> Option<usize> {
        let label = *self.regions.labels.get(place)?;
        (label != NONE).then_some(label as usize)
    }
    /// Whether a region can be reached from the start.
    pub(crate) fn reaches(&self, region: usize) -> bool {
        self.reached[region]
    }
    /// Refuses a level of another shape.
    pub(crate) fn check_shape<T: Storage>(&self, graph: &JumpGraph<T>) -> Result<(), JumpError> {
        let (found, expected) = (self.regions.labels.len(), graph.terrain().floors().len());
        if found == expected && self.shape == graph.terrain().shape() {
            return Ok(());
        }
        Err(JumpError::OtherLevel { found, expected })
    }
    /// The region of every cell.
    pub(crate) fn labels(&self) -> &[u32] {
        &self.regions.labels
    }
    /// Moves to places close by, by place.
    pub(crate) fn moves(&self) -> &[P::Bits] {
        &self.regions.moves
    }
    /// The other moves between neighbours, and longer jumps that join regions, or parts of one.
    pub(crate) fn joins(&self) -> Vec<(u32, u32)> {
        [&self.regions.joins[..], &self.regions.rest].concat()
    }

    /// All findings: by kind, and of a kind those first that are about the most cells.
    #[must_use]
    pub fn findings(&self) -> &[Finding<P>] {
        &self.findings
    }
    /// How many traps there are.
    #[must_use]
    pub fn traps(&self) -> usize {
        self.findings.iter().filter(|f| matches!(f, Finding::Trap { .. })).count()
    }
    /// Pairs of regions of which one leads to the other directly, and not back: all that a walk or
    /// a fall joins. Of those that only jumps join, at least the ones between which there is no
    /// other way; an audit looks for no more.
    #[must_use]
    pub fn one_way(&self) -> usize {
        self.regions.passages.len()
    }

    /// A hash of regions, passages and reached ground: the same for any number of threads, and for
    /// any sequence of edits that leads to the same level.
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

/// The ground that the start in region `home` reaches, and all findings, worst first.
pub(crate) fn find<T: Storage>(
    graph: &JumpGraph<T>,
    regions: &RegionView<'_>,
    home: u32,
) -> (Vec<bool>, Vec<Finding<T::Place>>) {
    let mut reached = vec![false; regions.count()];
    if reached.is_empty() {
        return (reached, Vec::new());
    }
    // The first way in from ground that can be reached, by its number.
    let mut entrance = vec![NONE; regions.count()];
    let mut open = vec![home];
    reached[home as usize] = true;
    while let Some(region) = open.pop() {
        for n in regions.out_of(region) {
            let next = regions.passages[n].parts.1;
            let entrance = &mut entrance[next as usize];
            *entrance = (n as u32).min(*entrance);
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next);
            }
        }
    }
    let terrain = graph.terrain();
    let cell = |i: u32| terrain.name(i as usize);
    let first = |region: u32| cell(regions.firsts[region as usize]);
    let size = |region: u32| regions.sizes[region as usize];
    let smaller = |(a, b): (u32, u32)| size(a).min(size(b));
    let (mut traps, mut unreachable) = (Vec::new(), Vec::new());
    for (region, reached) in (0..).zip(&reached) {
        if !reached {
            unreachable.push((size(region), region));
        } else if entrance[region as usize] != NONE && regions.out_of(region).is_empty() {
            traps.push((size(region), region));
        }
    }
    let traps = most_cells_first(&traps);
    let unreachable = most_cells_first(&unreachable);
    let one_way: Vec<_> = (0..).zip(regions.passages).map(|(n, p)| (smaller(p.parts), n)).collect();
    let one_way = most_cells_first(&one_way);
    let ends = |n: u32| regions.marginal[n as usize];
    let marginal = (0..).zip(regions.marginal.iter().map(|&(i, j)| (regions.of(i), regions.of(j))));
    let marginal = marginal.filter(|(_, between)| between.0 != between.1);
    let marginal: Vec<_> = marginal.map(|(n, between)| (smaller(between), n)).collect();
    let marginal = most_cells_first(&marginal);

    let counts = [&traps, &unreachable, &one_way, &marginal].map(Vec::len);
    let mut findings = Vec::with_capacity(counts.iter().sum());
    findings.extend(traps.iter().map(|&(cells, region)| {
        let (cell, cells) = (first(region), cells as usize);
        let entrance = regions.passages[entrance[region as usize] as usize].as_move(graph);
        Finding::Trap { cell, cells, entrance }
    }));
    findings.extend(unreachable.iter().map(|&(cells, region)| {
        let (cell, cells) = (first(region), cells as usize);
        match regions.passages[regions.out_of(region)].first() {
            None => Finding::Unreachable { cell, cells, exit: None },
            Some(exit) => Finding::Unreachable { cell, cells, exit: Some(exit.as_move(graph)) },
        }
    }));
    findings.extend(one_way.iter().map(|&(_, n)| {
        let passage = &regions.passages[n as usize];
        let (from, to) = passage.parts;
        let (from_cells, to_cells) = (size(from) as usize, size(to) as usize);
        Finding::OneWay { passage: passage.as_move(graph), from_cells, to_cells }
    }));
    findings.extend(marginal.iter().map(|&(cells, n)| {
        let (i, j) = ends(n);
        Finding::Marginal { ends: [cell(i), cell(j)], cells: cells as usize }
    }));
    (reached, findings)
}

/// Pairs of cells and a number: those of the most cells first; of as many, in the order in which
/// they are.
fn most_cells_first(all: &[(u32, u32)]) -> Vec<(u32, u32)> {
    /// Nearly all regions are smaller, and are counted.
    const SMALL: usize = 64;
    let kind = |cells: u32| (cells as usize).min(SMALL);
    let mut places = [0; SMALL + 1];
    for &(cells, _) in all {
        places[kind(cells)] += 1;
    }
    let (large, mut next) = (places[SMALL], 0);
    for place in places.iter_mut().rev() {
        next += std::mem::replace(place, next);
    }
    let mut sorted = vec![(0, 0); all.len()];
    for &one in all {
        let place = &mut places[kind(one.0)];
        sorted[*place] = one;
        *place += 1;
    }
    sorted[..large].sort_by_key(|&(cells, _)| std::cmp::Reverse(cells));
    sorted
}
