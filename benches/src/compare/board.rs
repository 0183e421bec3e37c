//! A flat map as a graph and as a lattice, for the subjects of `utility-ai`.

use crate::error::CompareError;
use crate::pursuit::lattice::{Cell, Lattice};
use crate::region::{self, Region};
use benches::grid_graph::grid_graph;
use benches::scenes;
use clap::Args;
use ndarray::{Array2, Axis, Ix2};
use petgraph::graph::{NodeIndex, UnGraph};
use sim_harness::maps::MapFile;
use utility_ai::Graph;

/// Which map.
#[derive(Clone, Debug, Args)]
pub(crate) struct BoardArgs {
    /// A MovingAI .map [default: 512 x 512 cells, every tenth at random a wall]
    #[arg(long, value_name = "FILE", value_parser = read)]
    map: Option<MapFile>,
    /// Number the open cells alone, so that neighbours differ by other indices in every row; else
    /// walls are numbered too
    #[arg(long)]
    open_cells: bool,
}

fn read(file: &str) -> Result<MapFile, String> {
    let map = region::read(file)?;
    if map.dimensions() != 2 {
        return Err("the map has three axes; this comparison takes two".to_owned());
    }
    Ok(map)
}

/// A map, every cell a node or every open one, 8 neighbours, lengths 1 and sqrt 2, no corners cut.
pub(crate) struct Board {
    pub(crate) name: String,
    pub(crate) lattice: Lattice,
    pub(crate) petgraph: UnGraph<[usize; 2], f64>,
    pub(crate) graph: Graph,
    /// The nodes of the largest region, ascending.
    pub(crate) region: Vec<usize>,
}

impl BoardArgs {
    pub(crate) fn board(&self) -> Result<Board, CompareError> {
        let (name, walls) = match &self.map {
            Some(map) => {
                let class = Region::largest(map).map(|region| region.class);
                let walls = class.map(|class| map.walls(class).index_axis_move(Axis(0), 0));
                (map.name().to_owned(), walls.unwrap_or_else(|| Array2::from_elem([1, 1], false)))
            }
            None => ("random 512x512".to_owned(), scenes::random_walls::<Ix2>([512, 512], 0.1, 1)),
        };
        Board::new(name, &walls, self.open_cells)
    }
}

impl Board {
    fn new(name: String, walls: &Array2<bool>, open_cells: bool) -> Result<Self, CompareError> {
        let every = grid_graph(walls);
        let is_open = |cell: &[usize; 2]| !walls[*cell];
        let (petgraph, name) = if open_cells {
            let open = every.filter_map(|_, cell| is_open(cell).then_some(*cell), |_, e| Some(*e));
            (open, format!("{name}, open cells alone"))
        } else {
            (every, name)
        };
        let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
        let mut best = Vec::new();
        let mut seen = vec![false; graph.node_bound()];
        for start in 0..graph.node_bound() {
            if seen[start] || !is_open(&petgraph[NodeIndex::new(start)]) {
                continue;
            }
            seen[start] = true;
            let mut region = vec![start];
            let mut next = 0;
            while let Some(&node) = region.get(next) {
                next += 1;
                for step in graph.steps(node) {
                    if !std::mem::replace(&mut seen[step.to], true) {
                        region.push(step.to);
                    }
                }
            }
            if region.len() > best.len() {
                best = region;
            }
        }
        best.sort_unstable();
        Ok(Self { name, lattice: Lattice::new(walls), petgraph, graph, region: best })
    }

    /// The node's place in the lattice.
    pub(crate) fn cell(&self, node: usize) -> Cell {
        let [y, x] = self.petgraph[NodeIndex::new(node)];
        self.lattice.cell_at(x, y)
    }

    /// A node of the largest region: the part `at` of the way through it.
    pub(crate) fn node(&self, at: f64) -> usize {
        self.region.get((at * self.region.len() as f64) as usize).copied().unwrap_or(0)
    }
}
