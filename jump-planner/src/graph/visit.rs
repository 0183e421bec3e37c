//! The graph through petgraph's traits: nodes are cells, or places where there are storeys; edges
//! are moves, found when asked for.

use crate::cell::Cell;
use crate::graph::JumpGraph;
use crate::graph::moves::Move;
use crate::storage::{PlaceName, Storage};
use crate::terrain::Terrain;
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
#[derive(Debug)]
pub struct MoveGraph<'a, T = Terrain>(pub &'a JumpGraph<T>);

impl<T> Clone for MoveGraph<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MoveGraph<'_, T> {}

impl<T: Storage> JumpGraph<T> {
    /// All moves from a cell; see [`JumpGraph::for_each_move`].
    #[must_use]
    pub fn moves(&self, cell: T::Place) -> Vec<Move<T::Place>> {
        let mut moves = Vec::new();
        self.for_each_move(cell, |step| moves.push(step));
        moves
    }

    /// The whole graph as one of petgraph's, with every jump decided: node i is cell
    /// `[i / columns, i % columns]`, or the i-th place where there are storeys.
    ///
    /// # Complexity
    /// O(cells x cells within reach) in time and memory: for small levels.
    #[must_use]
    pub fn to_digraph(&self) -> DiGraph<T::Place, Move<T::Place>> {
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

impl<T: Storage> GraphBase for MoveGraph<'_, T> {
    type NodeId = T::Place;
    type EdgeId = Move<T::Place>;
}
impl<T: Storage> GraphRef for MoveGraph<'_, T> {}
impl<T: Storage> Data for MoveGraph<'_, T> {
    type NodeWeight = ();
    type EdgeWeight = Move<T::Place>;
}
impl<T: Storage> GraphProp for MoveGraph<'_, T> {
    type EdgeType = Directed;
}

/// A move as an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRef<P = Cell>(Move<P>);

impl<P: PlaceName> EdgeRef for MoveRef<P> {
    type NodeId = P;
    type EdgeId = Move<P>;
    type Weight = Move<P>;
    fn source(&self) -> P {
        self.0.from
    }
    fn target(&self) -> P {
        self.0.to
    }
    fn weight(&self) -> &Move<P> {
        &self.0
    }
    fn id(&self) -> Move<P> {
        self.0
    }
}

fn as_edge<P>(step: Move<P>) -> MoveRef<P> {
    MoveRef(step)
}
fn as_neighbour<P>(step: Move<P>) -> P {
    step.to
}

type Moves<P, R> = std::iter::Map<std::vec::IntoIter<Move<P>>, fn(Move<P>) -> R>;

impl<T: Storage> IntoNeighbors for MoveGraph<'_, T> {
    type Neighbors = Moves<T::Place, T::Place>;
    fn neighbors(self, cell: T::Place) -> Self::Neighbors {
        self.0.moves(cell).into_iter().map(as_neighbour)
    }
}
impl<T: Storage> IntoEdgeReferences for MoveGraph<'_, T> {
    type EdgeRef = MoveRef<T::Place>;
    type EdgeReferences = Moves<T::Place, MoveRef<T::Place>>;
    /// Decides every jump of the level.
    fn edge_references(self) -> Self::EdgeReferences {
        let moves: Vec<_> = self.node_identifiers().flat_map(|c| self.0.moves(c)).collect();
        moves.into_iter().map(as_edge)
    }
}
impl<T: Storage> IntoEdges for MoveGraph<'_, T> {
    type Edges = Moves<T::Place, MoveRef<T::Place>>;
    fn edges(self, cell: T::Place) -> Self::Edges {
        self.0.moves(cell).into_iter().map(as_edge)
    }
}

/// All cells in row order, or all places, column by column.
#[derive(Clone, Debug)]
pub struct Cells<'a, T = Terrain> {
    next: usize,
    level: &'a T,
}
impl<T: Storage> Iterator for Cells<'_, T> {
    type Item = T::Place;
    fn next(&mut self) -> Option<T::Place> {
        let i = self.next;
        self.next += 1;
        (i < self.level.floors().len()).then(|| self.level.name(i))
    }
}

impl<'a, T: Storage> IntoNodeIdentifiers for MoveGraph<'a, T> {
    type NodeIdentifiers = Cells<'a, T>;
    fn node_identifiers(self) -> Cells<'a, T> {
        Cells { next: 0, level: self.0.terrain() }
    }
}
impl<T: Storage> NodeCount for MoveGraph<'_, T> {
    fn node_count(&self) -> usize {
        self.0.terrain().floors().len()
    }
}
impl<T: Storage> NodeIndexable for MoveGraph<'_, T> {
    fn node_bound(&self) -> usize {
        self.node_count()
    }
    fn to_index(&self, cell: T::Place) -> usize {
        self.0.terrain().find(cell).unwrap_or(self.node_bound())
    }
    fn from_index(&self, i: usize) -> T::Place {
        self.0.terrain().name(i)
    }
}

/// Which cells were visited.
#[derive(Clone, Debug)]
pub struct Visited<'a, T = Terrain> {
    seen: FixedBitSet,
    level: &'a T,
}
impl<T: Storage> VisitMap<T::Place> for Visited<'_, T> {
    fn visit(&mut self, cell: T::Place) -> bool {
        self.level.find(cell).is_some_and(|i| !self.seen.put(i))
    }
    fn is_visited(&self, &cell: &T::Place) -> bool {
        self.level.find(cell).is_some_and(|i| self.seen[i])
    }
    fn unvisit(&mut self, cell: T::Place) -> bool {
        let Some(i) = self.level.find(cell) else { return false };
        let was_seen = self.seen[i];
        self.seen.remove(i);
        was_seen
    }
}
impl<'a, T: Storage> Visitable for MoveGraph<'a, T> {
    type Map = Visited<'a, T>;
    fn visit_map(&self) -> Visited<'a, T> {
        let level = self.0.terrain();
        Visited { seen: FixedBitSet::with_capacity(level.floors().len()), level }
    }
    fn reset_map(&self, map: &mut Visited<'a, T>) {
        map.seen.clear();
    }
}
