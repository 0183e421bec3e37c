//! Cells and moves whose loss cuts the level.
//!
//! A cell is a cut if some place is reached only through it, a move if some place is reached only
//! by it: dominators and bridges of the whole graph of moves. They are found on a sparse part of
//! it, moves between neighbours and the jumps that join regions. The dominator tree of a part is
//! that of the whole if and only if no move leads into a subtree from outside, past its top
//! (Georgiadis and Tarjan, *Dominator tree certification and divergent spanning trees*, 2015: the
//! parent property; the sibling property holds in every part). So only jumps that would do that are
//! decided; those that exist join the part, until none is left.

use crate::cell::{Cell, NONE};
use crate::error::JumpError;
use crate::graph::JumpGraph;
use crate::graph::moves::{Move, MoveKind};
use crate::graph::near::near_move;
use crate::graph::reach::End;
use crate::jump::exact::Effort;
use crate::parallel;
use crate::questions::audit::Audit;
use crate::questions::dominators::{Dominators, Places};
use crate::regions::links::{Along, Links};
use crate::storage::{Ground, PlaceName, Storage};

/// `[units: cells]` Before there are proofs, jumps no longer than this are tried, and so many a
/// node.
const NEAR: usize = 5;
const LOOKS: u32 = 8;
/// Nodes in one piece of work.
const PIECE: usize = 8192;

/// Which ways are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Ways {
    /// From the start: lost ground cannot be reached any more.
    FromStart,
    /// Back to the start: from lost ground there is no way back any more.
    ToStart,
}

/// The ways that are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CutAt<P = Cell> {
    /// Nobody can set foot on this cell any more; it can still be flown over.
    Cell(P),
    /// This move is not possible any more.
    Move(Move<P>),
}

/// A cell or a move whose loss cuts something off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cut<P = Cell> {
    /// The cell or the move.
    pub at: CutAt<P>,
    /// How many cells are cut off; a lost cell itself does not count.
    pub lost: usize,
    /// The first of them.
    pub example: P,
}

impl<P> Cut<P> {
    /// The same cut, its places named otherwise.
    pub fn map<Q>(self, mut name: impl FnMut(P) -> Q) -> Cut<Q> {
        let at = match self.at {
            CutAt::Cell(cell) => CutAt::Cell(name(cell)),
            CutAt::Move(step) => CutAt::Move(step.map(&mut name)),
        };
        Cut { at, lost: self.lost, example: name(self.example) }
    }
}

/// All cuts of a level, as seen from its start.
///
/// ```
/// use jump_planner::{Character, CutAt, JumpGraph, Terrain, Ways};
///
/// // Two halls, a door between them, and a ledge that only one jump leads to.
/// let terrain = Terrain::from_rows(&[
///     [0.0, 0.0, 9.0, 0.0, 0.0],
///     [0.0, 0.0, 0.0, 0.0, 0.0],
///     [0.0, 0.0, 9.0, 0.0, 0.0],
/// ])?;
/// let graph = JumpGraph::new(terrain, Character::builder(3.0).build()?)?;
/// let audit = graph.audit(Some([1, 0]))?;
/// let cuts = graph.cuts(&audit, Ways::FromStart)?;
/// assert_eq!(cuts.worst_first()[0].at, CutAt::Cell([1, 2])); // the door
/// assert_eq!(cuts.worst_first()[0].lost, 6);
/// assert_eq!(cuts.on_every_way(graph.terrain(), [0, 4]), Some(vec![[1, 2]]));
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cuts<P = Cell> {
    worst_first: Vec<Cut<P>>,
    /// The immediate dominator of every cell, as a cell; itself where there is none.
    above: Vec<u32>,
    start: u32,
}

impl<T: Storage> JumpGraph<T> {
    /// The cells and moves whose loss alone cuts ground off from the audit's start. A cell c is a
    /// cut if some cell that is joined with the start is not joined with it without c; a move
    /// likewise. Marginal jumps count as none.
    ///
    /// `audit` belongs to the level as it is.
    ///
    /// # Errors
    /// [`JumpError::OtherLevel`] if the audit is of a level of another shape.
    ///
    /// # Complexity
    /// Nearly linear in cells, and O(cells within reach) decisions for each cell that moves between
    /// neighbours alone join by one way only. About 44 bytes a cell while it runs.
    pub fn cuts(&self, audit: &Audit<T::Place>, ways: Ways) -> Result<Cuts<T::Place>, JumpError> {
        audit.check_shape(self)?;
        let labels = audit.labels();
        let start = self.ground_index(audit.start())? as u32;
        let mut links = Links::new(self.terrain(), audit.moves().to_vec());
        let mut far = audit.joins();
        let mut refused: Vec<(u32, u32)> = Vec::new();
        let search = Search { graph: self, ways };
        // Round by round, the first one without proofs: the jumps found make most of the proofs
        // needless.
        let mut effort = Effort::Look;
        links.set_far(&mut far);
        let mut tree = Dominators::new(&links, labels.len(), start, ways.along());
        loop {
            let found = search.past_the_top(&tree, effort, &mut refused);
            if found.is_empty() && effort == Effort::Proof {
                break;
            }
            effort = Effort::Proof;
            far.extend(found);
            links.set_far(&mut far);
            tree = tree.after(&links, ways.along());
        }
        let examples = examples(&tree);
        let cell = |i: u32| self.terrain().name(i as usize);
        let pieces = parallel::pieces(tree.cells.len(), PIECE, |first, end| {
            let mut cuts = Vec::new();
            for (node, &(with_top, without)) in (0..end).zip(&examples).skip(first.max(1)) {
                let size = tree.size[node] as usize;
                if size > 1 {
                    let at = CutAt::Cell(cell(tree.cells[node]));
                    cuts.push(Cut { at, lost: size - 1, example: cell(without) });
                }
                if let Some(bridge) = search.bridge(&tree, &links, node as u32, &refused) {
                    let at = CutAt::Move(bridge);
                    cuts.push(Cut { at, lost: size, example: cell(with_top) });
                }
            }
            cuts
        });
        let mut cuts = pieces.concat();
        cuts.sort_unstable_by_key(|cut| {
            let place = match cut.at {
                CutAt::Cell(cell) => (0, cell, cell, MoveKind::Walk),
                CutAt::Move(step) => (1, step.from, step.to, step.kind),
            };
            (std::cmp::Reverse(cut.lost), place)
        });
        let mut above: Vec<u32> = (0..labels.len() as u32).collect();
        for (cell, up) in above.iter_mut().enumerate() {
            if tree.node(cell as u32) == Some(0) {
                *up = start;
            }
        }
        for (&i, &up) in tree.cells.iter().zip(&tree.above) {
            above[i as usize] = tree.cells[up as usize];
        }
        let joined = |i: u32| tree.node(i).is_some();
        for i in (0..labels.len() as u32).filter(|&i| !joined(i)) {
            above[i as usize] = NONE;
        }
        Ok(Cuts { worst_first: cuts, above, start })
    }
}

impl<P: PlaceName> Cuts<P> {
    /// All cuts, those first that cut off the most; of equal ones cells before moves.
    #[must_use]
    pub fn worst_first(&self) -> &[Cut<P>] {
        &self.worst_first
    }

    /// The places that every way between the start and `goal` passes, in the order of a way from
    /// the start (or, with [`Ways::ToStart`], backwards to `goal`), without both ends; `None` where
    /// there is no way at all. `ground` is the one whose cuts these are.
    #[must_use]
    pub fn on_every_way<T: Ground<Place = P>>(&self, ground: &T, goal: P) -> Option<Vec<P>> {
        let is_joined = |&i: &usize| self.above.get(i).is_some_and(|&up| up != NONE);
        let mut at = ground.find(goal).filter(is_joined)?;
        let mut way = Vec::new();
        while at as u32 != self.start {
            at = self.above[at] as usize;
            way.push(at);
        }
        way.pop();
        way.reverse();
        let places = ground.floors().len();
        way.into_iter().map(|i| (i < places).then(|| ground.name(i))).collect()
    }
}

impl Ways {
    fn along(self) -> Along {
        match self {
            Self::FromStart => Along::Moves,
            Self::ToStart => Along::Reverse,
        }
    }
}

/// The lowest cell of every subtree, with and without its top.
fn examples(tree: &Dominators) -> Vec<(u32, u32)> {
    let mut lowest: Vec<(u32, u32)> = tree.cells.iter().map(|&cell| (cell, u32::MAX)).collect();
    for node in (1..lowest.len()).rev() {
        let (own, up) = (lowest[node].0, tree.above[node] as usize);
        lowest[up] = (lowest[up].0.min(own), lowest[up].1.min(own));
    }
    lowest
}

struct Search<'a, T> {
    graph: &'a JumpGraph<T>,
    ways: Ways,
}

impl<T: Storage> Search<'_, T> {
    /// Which end of the jumps that are looked for the cell is to which they are looked for.
    fn end(&self) -> End {
        match self.ways {
            Ways::FromStart => End::Landing,
            Ways::ToStart => End::Launch,
        }
    }

    fn ends(&self, before: u32, cell: u32) -> (u32, u32) {
        match self.ways {
            Ways::FromStart => (before, cell),
            Ways::ToStart => (cell, before),
        }
    }

    /// Jumps into subtrees past their tops. Jumps that do not exist are noted as refused.
    fn past_the_top(
        &self,
        tree: &Dominators,
        effort: Effort,
        refused: &mut Vec<(u32, u32)>,
    ) -> Vec<(u32, u32)> {
        let around = Places::new(tree, self.graph.terrain());
        let pieces = parallel::pieces(tree.cells.len(), PIECE, |first, end| {
            let (mut found, mut blocked) = (Vec::new(), Vec::new());
            let mut space = [Vec::new(), Vec::new()];
            for node in (first.max(1)..end).filter(|&node| tree.above[node] != 0) {
                let results = [&mut found, &mut blocked];
                self.past_one(tree, &around, node, effort, refused, &mut space, results);
            }
            (found, blocked)
        });
        let mut all = Vec::new();
        for (found, blocked) in pieces {
            all.extend(found);
            refused.extend(blocked);
        }
        refused.sort_unstable();
        all
    }

    #[allow(clippy::too_many_arguments)] // One node of the search above, which has them all.
    fn past_one(
        &self,
        tree: &Dominators,
        around: &Places,
        node: usize,
        most: Effort,
        refused: &[(u32, u32)],
        [cells, open]: &mut [Vec<u32>; 2],
        [found, blocked]: [&mut Vec<(u32, u32)>; 2],
    ) {
        let mut top = tree.above[node];
        let cell = tree.cells[node];
        cells.clear();
        open.clear();
        let subtree = tree.places(top);
        let dull = |tile: usize| around.are_within(tile, &subtree);
        let outside = |i: usize| around.is_outside(i, &subtree);
        let (end, looks) = (self.end(), if most == Effort::Look { NEAR } else { usize::MAX });
        self.graph.scan(cell as usize, end, looks, dull, outside, cells);
        let mut looks = if most == Effort::Look { LOOKS } else { u32::MAX };
        // First the jumps that one look finds; the rest only where these left a top.
        for &i in &*cells {
            if top == 0 || looks == 0 {
                break;
            }
            if let Some(from) = tree.node(i).filter(|&from| !tree.dominates(top, from)) {
                let ends = self.ends(i, cell);
                if self.exists(ends, Effort::Look) {
                    found.push(ends);
                    top = tree.lowest_common(top, from);
                } else {
                    open.push(i);
                }
                looks -= 1;
            }
        }
        if most == Effort::Look {
            return;
        }
        for effort in [Effort::Ascent, Effort::Proof] {
            for &i in &*open {
                if top == 0 {
                    return;
                }
                let (ends, from) = (self.ends(i, cell), tree.node(i).unwrap_or(top));
                if tree.dominates(top, from) || refused.binary_search(&ends).is_ok() {
                    continue;
                }
                if self.exists(ends, effort) {
                    found.push(ends);
                    top = tree.lowest_common(top, from);
                } else if effort == Effort::Proof {
                    blocked.push(ends);
                }
            }
        }
    }

    fn exists(&self, (from, to): (u32, u32), effort: Effort) -> bool {
        self.graph.shows_jump(from as usize, to as usize, effort)
    }

    /// The move that alone leads into the subtree of a node.
    fn bridge(
        &self,
        tree: &Dominators,
        links: &Links<'_, T>,
        node: u32,
        refused: &[(u32, u32)],
    ) -> Option<Move<T::Place>> {
        let (cell, top) = (tree.cells[node as usize], tree.above[node as usize]);
        let above = tree.cells[top as usize];
        // From places other than the top and its subtree.
        let other = |i: u32| i != above && tree.node(i).is_some_and(|i| !tree.dominates(node, i));
        let mut at = 0;
        while let Some(i) = links.next(self.ways.along().turned(), cell, &mut at) {
            if other(i) {
                return None;
            }
        }
        let mut open = Vec::new();
        let (i, end) = (cell as usize, self.end());
        let easy = self.graph.others(i, end, self.graph.ways(i, end)).any(|i| {
            let ends = self.ends(i as u32, cell);
            if !other(i as u32) {
                return false;
            }
            open.push(ends);
            self.exists(ends, Effort::Look)
        });
        open.retain(|ends| refused.binary_search(ends).is_err());
        let exists = |effort| open.iter().any(|&ends| self.exists(ends, effort));
        if easy || [Effort::Ascent, Effort::Proof].into_iter().any(exists) {
            return None;
        }
        let (from, to) = self.ends(above, cell);
        let [a, b] = [from, to].map(|i| self.graph.cell(i as usize));
        let way = (b[0] as isize - a[0] as isize, b[1] as isize - a[1] as isize);
        let near = way.0.abs() <= 1 && way.1.abs() <= 1;
        let kind = near.then(|| near_move(self.graph, from as usize, to as usize, way)).flatten();
        let [from, to] = [from, to].map(|i| self.graph.terrain().name(i as usize));
        Some(Move { from, to, kind: kind.unwrap_or(MoveKind::Jump) })
    }
}
