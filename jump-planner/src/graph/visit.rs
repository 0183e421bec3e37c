//! The graph through petgraph's traits: nodes are cells, edges are moves, found when asked for.

use crate::cell::Cell;
use crate::graph::JumpGraph;
use crate::graph::moves::Move;
use fixedbitset::FixedBitSet;
use petgraph::graph::DiGraph;
use petgraph::visit::{
    Data, EdgeRef, GraphBase, GraphProp, GraphRef, IntoEdgeReferences, IntoEdges, IntoNeighbors,
    IntoNodeIdentifiers, NodeCount, NodeIndexable, VisitMap, Visitable,
};
use petgraph::{Directed, graph::NodeIndex};

/// A [`JumpGraph`] for petgraph's algorithms, by reference: every cell is a node, also those on
/// which nobody can stand; they have no edges.
///
/// ```
/// use jump_planner::{Character, JumpGraph, MoveGraph, Terrain};
/// use petgraph::algo::dijkstra;
/// use petgraph::visit::EdgeRef;
///
/// let terrain = Terrain::from_rows(&[[0.0, -3.0, -3.0, 0.0]])?;
/// let graph = JumpGraph::new(terrain, Character::builder(6.0).build()?)?;
/// let moves = dijkstra(MoveGraph(&graph), [0, 0], None, |_| 1);
/// assert_eq!(moves[&[0, 3]], 1);
/// # Ok::<(), jump_planner::JumpError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MoveGraph<'a>(pub &'a JumpGraph);

impl JumpGraph {
    /// All moves from a cell; see [`JumpGraph::for_each_move`].
    #[must_use]
    pub fn moves(&self, cell: Cell) -> Vec<Move> {
        let mut moves = Vec::new();
        self.for_each_move(cell, |step| moves.push(step));
        moves
    }

    /// The whole graph as one of petgraph's, with every jump decided: node i is cell
    /// `[i / columns, i % columns]`.
    ///
    /// # Complexity
    /// O(cells x cells within reach) in time and memory: for small levels.
    #[must_use]
    pub fn to_digraph(&self) -> DiGraph<Cell, Move> {
        let mut graph = DiGraph::new();
        let view = MoveGraph(self);
        for cell in view.node_identifiers() {
            graph.add_node(cell);
        }
        for cell in view.node_identifiers() {
            self.for_each_move(cell, |step| {
                let node = |cell| NodeIndex::new(view.to_index(cell));
                graph.add_edge(node(step.from), node(step.to), step);
            });
        }
        graph
    }
}

impl GraphBase for MoveGraph<'_> {
    type NodeId = Cell;
    type EdgeId = Move;
}
impl GraphRef for MoveGraph<'_> {}
impl Data for MoveGraph<'_> {
    type NodeWeight = ();
    type EdgeWeight = Move;
}
impl GraphProp for MoveGraph<'_> {
    type EdgeType = Directed;
}

/// A move as an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRef(Move);

impl EdgeRef for MoveRef {
    type NodeId = Cell;
    type EdgeId = Move;
    type Weight = Move;
    fn source(&self) -> Cell {
        self.0.from
    }
    fn target(&self) -> Cell {
        self.0.to
    }
    fn weight(&self) -> &Move {
        &self.0
    }
    fn id(&self) -> Move {
        self.0
    }
}

fn as_edge(step: Move) -> MoveRef {
    MoveRef(step)
}
fn as_neighbour(step: Move) -> Cell {
    step.to
}

type Moves<T> = std::iter::Map<std::vec::IntoIter<Move>, fn(Move) -> T>;

impl IntoNeighbors for MoveGraph<'_> {
    type Neighbors = Moves<Cell>;
    fn neighbors(self, cell: Cell) -> Self::Neighbors {
        self.0.moves(cell).into_iter().map(as_neighbour)
    }
}
impl IntoEdgeReferences for MoveGraph<'_> {
    type EdgeRef = MoveRef;
    type EdgeReferences = Moves<MoveRef>;
    /// Decides every jump of the level.
    fn edge_references(self) -> Self::EdgeReferences {
        let moves: Vec<Move> = self.node_identifiers().flat_map(|c| self.0.moves(c)).collect();
        moves.into_iter().map(as_edge)
    }
}
impl IntoEdges for MoveGraph<'_> {
    type Edges = Moves<MoveRef>;
    fn edges(self, cell: Cell) -> Self::Edges {
        self.0.moves(cell).into_iter().map(as_edge)
    }
}

/// All cells in row order.
#[derive(Clone, Debug)]
pub struct Cells {
    next: usize,
    shape: [usize; 2],
}
impl Iterator for Cells {
    type Item = Cell;
    fn next(&mut self) -> Option<Cell> {
        let [rows, columns] = self.shape;
        let i = self.next;
        self.next += 1;
        (i < rows * columns).then(|| [i / columns, i % columns])
    }
}

impl IntoNodeIdentifiers for MoveGraph<'_> {
    type NodeIdentifiers = Cells;
    fn node_identifiers(self) -> Cells {
        Cells { next: 0, shape: self.0.terrain().shape() }
    }
}
impl NodeCount for MoveGraph<'_> {
    fn node_count(&self) -> usize {
        self.0.terrain().len()
    }
}
impl NodeIndexable for MoveGraph<'_> {
    fn node_bound(&self) -> usize {
        self.0.terrain().len()
    }
    fn to_index(&self, [y, x]: Cell) -> usize {
        y * self.0.terrain().shape()[1] + x
    }
    fn from_index(&self, i: usize) -> Cell {
        self.0.terrain().cell(i)
    }
}

/// Which cells were visited.
#[derive(Clone, Debug)]
pub struct Visited {
    seen: FixedBitSet,
    columns: usize,
}
impl VisitMap<Cell> for Visited {
    fn visit(&mut self, [y, x]: Cell) -> bool {
        !self.seen.put(y * self.columns + x)
    }
    fn is_visited(&self, &[y, x]: &Cell) -> bool {
        self.seen[y * self.columns + x]
    }
    fn unvisit(&mut self, [y, x]: Cell) -> bool {
        let i = y * self.columns + x;
        let was_seen = self.seen[i];
        self.seen.remove(i);
        was_seen
    }
}
impl Visitable for MoveGraph<'_> {
    type Map = Visited;
    fn visit_map(&self) -> Visited {
        let terrain = self.0.terrain();
        let seen = FixedBitSet::with_capacity(terrain.len());
        Visited { seen, columns: terrain.shape()[1] }
    }
    fn reset_map(&self, map: &mut Visited) {
        map.seen.clear();
    }
}
