//! `distance-field`: how far it is from every node of a map's graph to a goal.

use crate::board::{Board, BoardArgs};
use crate::error::CompareError;
use crate::measure::{self, Race};
use crate::pursuit::fields::{Buckets, Dijkstra, Field};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use petgraph::graph::NodeIndex;
use std::time::Instant;
use utility_ai::{DistanceField, Graph};

/// The distance from every cell of a map to a goal, 8 directions, no corners cut
///
/// ours: utility-ai's field over the frozen petgraph graph, goal by goal; one thread.
///
/// ours-after-edit: the same field taking in that 8 cells have become walls or free again.
///
/// dijkstra, dijkstra-buckets: plain arrays of f32 on the grid itself, no graph; with a binary heap
/// and with buckets.
///
/// petgraph: petgraph's dijkstra on the same graph. pathfinding: its `dijkstra_all`.
///
/// Building the graph is not timed; `build_ms` tells of it (freezing alone for ours).
#[derive(Debug, Parser)]
#[command(name = "distance-field")]
pub(crate) struct DistanceFieldSubject {
    #[command(flatten)]
    board: BoardArgs,
}

const NAMES: [&str; 6] =
    ["ours", "ours-after-edit", "dijkstra", "dijkstra-buckets", "petgraph", "pathfinding"];
const VERSIONS: [&str; 6] = [
    env!("CARGO_PKG_VERSION"),
    env!("CARGO_PKG_VERSION"),
    env!("CARGO_PKG_VERSION"),
    env!("CARGO_PKG_VERSION"),
    "0.8",
    "4.16",
];

struct Contest<'a> {
    board: &'a Board,
    goal: usize,
    truth: Vec<f64>,
    ours: DistanceField,
    /// The map on which 8 cells change, and whether they are walls just now.
    edited: Graph,
    repaired: DistanceField,
    closed: bool,
    dijkstra: Dijkstra,
    buckets: Buckets,
    /// The answer of the contestant that just ran.
    answer: Vec<f64>,
}

impl Subject for DistanceFieldSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let board = self.board.board()?;
        let goal = board.node(0.5);
        let begin = Instant::now();
        Graph::freeze(&board.petgraph, |edge| *edge.weight())?;
        let build_ms = begin.elapsed().as_secs_f64() * 1e3;
        let graph = &board.graph;
        let mut dijkstra = Dijkstra::new(&board.lattice);
        dijkstra.fill(board.cell(goal));
        let value = |node| dijkstra.length(board.cell(node));
        let truth = (0..graph.node_bound()).map(value).collect();
        let ours = DistanceField::new(graph, &[goal])?;
        let mut contest = Contest {
            goal,
            truth,
            repaired: ours.clone(),
            edited: graph.clone(),
            closed: false,
            ours,
            buckets: Buckets::new(&board.lattice),
            dijkstra,
            answer: Vec::new(),
            board: &board,
        };
        let times = measure::interleave(&mut contest, &NAMES, options.runs.into())?;
        let nodes = board.region.len();
        let rows = NAMES.iter().zip(VERSIONS).zip(times).enumerate();
        let rows = rows.map(|(i, ((contestant, version), times))| {
            let build = if i < 2 { build_ms } else { 0.0 };
            let extra = vec![("nodes", nodes.into()), ("build_ms", build.into())];
            Row { contestant, version, times, extra }
        });
        Ok(Report {
            subject: "distance-field",
            case: board.name.clone(),
            baseline: "dijkstra",
            rows: rows.collect(),
        })
    }
}

impl Contest<'_> {
    /// Makes 8 cells in open ground a quarter of the region away walls, or frees them again.
    fn edit(&mut self) -> Result<(), CompareError> {
        let first = self.board.node(0.25);
        self.closed = !self.closed;
        for node in (first..first + 8).filter(|&node| node != self.goal) {
            for step in self.board.graph.steps(node).collect::<Vec<_>>() {
                let length = (!self.closed).then_some(step.length);
                self.edited.set_length(node, step.to, length)?;
            }
        }
        Ok(())
    }
}

impl Race for Contest<'_> {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        if who == 1 { self.edit() } else { Ok(()) }
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let Self { board, goal, answer, .. } = self;
        let cell = board.cell(*goal);
        match who {
            0 => self.ours.set_goals(&board.graph, &[*goal])?,
            1 => {
                self.repaired.update(&self.edited)?;
            }
            2 => self.dijkstra.fill(cell),
            3 => self.buckets.fill(cell),
            4 => {
                let goal = NodeIndex::new(*goal);
                let found = petgraph::algo::dijkstra(&board.petgraph, goal, None, |e| *e.weight());
                answer.clear();
                answer.resize(board.graph.node_bound(), f64::INFINITY);
                for (node, distance) in found {
                    answer[node.index()] = distance;
                }
            }
            _ => {
                let next = |node: &usize| {
                    // Costs must be ordered in full: whole numbers of 2^-32.
                    let cost = |length: f64| (length * (1_u64 << 32) as f64) as u64;
                    board.graph.steps(*node).map(move |step| (step.to, cost(step.length)))
                };
                let found = pathfinding::directed::dijkstra::dijkstra_all(goal, next);
                answer.clear();
                answer.resize(board.graph.node_bound(), f64::INFINITY);
                answer[*goal] = 0.0;
                for (node, (_, cost)) in found {
                    answer[node] = cost as f64 / (1_u64 << 32) as f64;
                }
            }
        }
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let board = self.board;
        let lattice = |field: &dyn Fn(usize) -> f64| {
            (0..board.graph.node_bound()).map(|node| field(board.cell(node))).collect::<Vec<f64>>()
        };
        let rebuilt;
        let answer = match who {
            0 => self.ours.values(),
            1 => {
                // Bit by bit that of a field made again; the map is another one.
                rebuilt = DistanceField::new(&self.edited, &[self.goal])?;
                if rebuilt.values() == self.repaired.values() {
                    return Ok(());
                }
                self.repaired.values()
            }
            2 => &lattice(&|cell| self.dijkstra.length(cell)),
            3 => &lattice(&|cell| self.buckets.length(cell)),
            _ => &self.answer,
        };
        // f32 sums of up to thousands of steps.
        let same = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-4 * a.max(1.0);
        match answer.iter().zip(&self.truth).position(|(&a, &b)| !same(a, b)) {
            None => Ok(()),
            Some(node) => Err(CompareError::Mismatch {
                one: NAMES[who],
                other: "dijkstra",
                how: format!("node {node}: {} and {}", answer[node], self.truth[node]),
            }),
        }
    }
}
