//! The graph libraries that a user would reach for.

use super::Distances;
use crate::pursuit::lattice::{Cell, Lattice};
use ndarray::Array2;
use petgraph::graph::{NodeIndex, UnGraph};
use std::collections::HashMap;

/// The versions in the lock file.
pub(super) const PATHFINDING: &str = "4.16";
pub(super) const PETGRAPH: &str = "0.8";
pub(super) const EIKONAL: &str = "0.1";

/// Lengths in parts of a step, whole numbers as `pathfinding` wants them.
const STEP: u64 = 1 << 20;
const DIAGONAL: u64 = 1_482_910;

/// The cells that a step leads to, and how long it is.
fn steps(lattice: &Lattice, cell: Cell) -> impl Iterator<Item = (Cell, u64)> + '_ {
    let s = lattice.stride;
    let open = |c: Cell| lattice.open[c];
    let straight = [cell - 1, cell + 1, cell - s, cell + s];
    let corners =
        [(cell - 1, cell - s), (cell + 1, cell - s), (cell - 1, cell + s), (cell + 1, cell + s)];
    let straight = straight.into_iter().filter(move |&c| open(c)).map(|c| (c, STEP));
    let diagonal = corners.into_iter().filter_map(move |(a, b)| {
        let corner = a + b - cell;
        (open(a) && open(b) && open(corner)).then_some((corner, DIAGONAL))
    });
    straight.chain(diagonal)
}

/// `pathfinding::directed::dijkstra::dijkstra_all`.
pub(super) struct Pathfinding<'a> {
    lattice: &'a Lattice,
    source: Cell,
    found: HashMap<Cell, (Cell, u64)>,
}

impl<'a> Pathfinding<'a> {
    pub(super) fn new(lattice: &'a Lattice) -> Self {
        Self { lattice, source: 0, found: HashMap::new() }
    }
}

impl Distances for Pathfinding<'_> {
    fn fill(&mut self, source: Cell) {
        self.source = source;
        let steps = |&cell: &Cell| steps(self.lattice, cell);
        self.found = pathfinding::prelude::dijkstra_all(&source, steps);
    }
    fn length(&self, cell: Cell) -> f64 {
        let found = self.found.get(&cell).map(|&(_, length)| length as f64 / STEP as f64);
        let elsewhere = if cell == self.source { 0.0 } else { f64::INFINITY };
        found.unwrap_or(elsewhere)
    }
}

/// `petgraph::algo::dijkstra` on a graph of all cells.
pub(super) struct Petgraph {
    graph: UnGraph<(), f64>,
    /// Looks a node up in the map that the search returned.
    found: Box<dyn Fn(NodeIndex) -> Option<f64>>,
}

impl Petgraph {
    pub(super) fn new(lattice: &Lattice) -> Self {
        let mut graph = UnGraph::with_capacity(lattice.open.len(), 4 * lattice.open.len());
        (0..lattice.open.len()).for_each(|_| _ = graph.add_node(()));
        for cell in (0..lattice.open.len()).filter(|&c| lattice.open[c]) {
            for (there, length) in steps(lattice, cell).filter(|&(there, _)| there > cell) {
                let ends = [cell, there].map(NodeIndex::new);
                graph.add_edge(ends[0], ends[1], length as f64 / STEP as f64);
            }
        }
        Self { graph, found: Box::new(|_| None) }
    }
}

impl Distances for Petgraph {
    fn fill(&mut self, source: Cell) {
        let length = |edge: petgraph::graph::EdgeReference<'_, f64>| *edge.weight();
        let found = petgraph::algo::dijkstra(&self.graph, NodeIndex::new(source), None, length);
        self.found = Box::new(move |node| found.get(&node).copied());
    }
    fn length(&self, cell: Cell) -> f64 {
        (self.found)(NodeIndex::new(cell)).unwrap_or(f64::INFINITY)
    }
}

/// Fast marching of the crate `eikonal`.
pub(super) struct Eikonal {
    lattice: Lattice,
    cost: eikonal::CostField,
    found: Option<eikonal::SolveResult>,
}

impl Eikonal {
    /// From a map's walls, `[y, x]`.
    pub(super) fn new(lattice: &Lattice, walls: &Array2<bool>) -> Self {
        let cost = eikonal::CostField::with_obstacles(walls);
        Self { lattice: lattice.clone(), cost, found: None }
    }
}

impl Distances for Eikonal {
    fn fill(&mut self, source: Cell) {
        let [x, y] = self.lattice.xy(source);
        self.found = eikonal::solve(&self.cost, (y, x)).ok();
    }
    fn length(&self, cell: Cell) -> f64 {
        let [x, y] = self.lattice.xy(cell);
        self.found.as_ref().map_or(f64::INFINITY, |found| found.distance()[[y, x]])
    }
}
