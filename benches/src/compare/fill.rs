//! `fill`: an update of the strategies against dead ends, over all nodes of a map.

use crate::board::{Board, BoardArgs};
use crate::error::CompareError;
use crate::measure::{self, Race};
use crate::pursuit::fields::{Dijkstra, Field};
use crate::report::{Report, Row};
use crate::subject::{Options, Subject};
use clap::Parser;
use rayon::{ThreadPool, ThreadPoolBuilder};
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, DetourBudget, DistanceField, Falloff, Fill,
    FillConfig, Flood, Route, Sense, StandingCost, Strategy, Threat,
};

/// Milliseconds per update of the strategies against dead ends, over all nodes of a map, 8 threats
/// on it
///
/// published-fill, priority-flood, weighted-dijkstra: the update alone; the first on all worker
/// threads, published-fill-1-thread in a pool of one, the others use one.
///
/// ...-budget: a whole tick and decision of an agent with that strategy and a detour budget, the
/// dangers of its threats and their sum included; ...-agent: the same without the budget.
///
/// dijkstra: for comparison, a plain-array Dijkstra on the grid.
#[derive(Debug, Parser)]
#[command(name = "fill")]
pub(crate) struct FillSubject {
    #[command(flatten)]
    board: BoardArgs,
}

const NAMES: [&str; 11] = [
    "published-fill",
    "published-fill-1-thread",
    "priority-flood",
    "weighted-dijkstra",
    "dijkstra",
    "published-fill-agent",
    "published-fill-budget",
    "priority-flood-agent",
    "priority-flood-budget",
    "weighted-dijkstra-agent",
    "weighted-dijkstra-budget",
];
const FIRST_AGENT: usize = 5;

struct Contest<'a> {
    board: &'a Board,
    goal: usize,
    start: usize,
    cost: Vec<f64>,
    danger: Vec<f64>,
    fill: Fill,
    flood: Flood,
    route: Route,
    dijkstra: Dijkstra,
    agents: Vec<Agent>,
    pools: [ThreadPool; 2],
    /// The fill after one update, written plainly.
    filled: Vec<f64>,
}

/// A third of the largest cost of a step: updates leave pits of all depths.
const CONFIG: FillConfig =
    FillConfig { gamma: 0.3, threshold: 0.3, decay: 0.01, laplacian: utility_ai::Laplacian::Sum };

impl Subject for FillSubject {
    fn run(self, options: &Options) -> Result<Report, CompareError> {
        let board = self.board.board()?;
        let graph = &board.graph;
        let (goal, start) = (board.node(0.98), board.node(0.02));
        let field = DistanceField::new(graph, &[goal])?;
        let threats: Vec<Threat> =
            (1..=8).map(|i| Threat::at_node(board.node(f64::from(i) / 9.0))).collect();
        let standing_cost = || -> Result<StandingCost, CompareError> {
            let settings = DangerConfig { reach: 30.0, falloff: Falloff::Linear };
            let mut danger = Danger::by_travel(graph, settings)?;
            danger.set_threats(graph, &threats)?;
            let mut cost = StandingCost::new(graph, 1.0)?;
            cost.add("danger", danger, 40.0)?;
            Ok(cost)
        };
        let mut sum = standing_cost()?;
        sum.update(graph, field.values())?;
        let strategies = [Strategy::Fill(CONFIG), Strategy::Flood, Strategy::Weighted];
        let budgets = [None, Some(DetourBudget::half())];
        let pairs = strategies.into_iter().flat_map(|s| budgets.map(|b| (s, b)));
        let agents = pairs.map(|(strategy, budget)| {
            let config = AgentConfig { strategy, budget, ..AgentConfig::default() };
            Ok(Agent::new(graph, standing_cost()?, start, &[goal], config)?)
        });
        let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
        let mut contest = Contest {
            goal,
            start,
            filled: plain_fill(&board, sum.total(), goal),
            cost: sum.total().to_vec(),
            danger: sum.indicator_sum().to_vec(),
            fill: Fill::new(graph, CONFIG)?,
            flood: Flood::new(graph),
            route: Route::new(graph),
            dijkstra: Dijkstra::new(&board.lattice),
            agents: agents.collect::<Result<_, CompareError>>()?,
            pools: [pool(options.threads())?, pool(1)?],
            board: &board,
        };
        let times = measure::interleave(&mut contest, &NAMES, options.runs.into())?;
        let nodes = board.region.len();
        let row = |(contestant, times)| Row {
            contestant,
            version: env!("CARGO_PKG_VERSION"),
            times,
            extra: vec![("nodes", nodes.into())],
        };
        Ok(Report {
            subject: "fill",
            case: format!("{} threads={}", board.name, options.threads()),
            baseline: "dijkstra",
            rows: NAMES.into_iter().zip(times).map(row).collect(),
        })
    }
}

/// The first update from no fill.
fn plain_fill(board: &Board, cost: &[f64], goal: usize) -> Vec<f64> {
    let depth = |node: usize| {
        let around = board.graph.steps(node).filter(|step| cost[step.to].is_finite());
        around.map(|step| cost[step.to] - cost[node]).sum::<f64>()
    };
    let value = |node: usize| {
        let depth = depth(node);
        let pit = depth > CONFIG.threshold && depth.is_finite() && node != goal;
        if pit { (1.0 - CONFIG.decay) * depth } else { 0.0 }
    };
    (0..cost.len()).map(value).collect()
}

impl Race for Contest<'_> {
    fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
        match who.checked_sub(FIRST_AGENT) {
            Some(agent) => self.agents[agent].place(&self.board.graph, self.start)?,
            None => self.fill.clear(),
        }
        Ok(())
    }

    fn run(&mut self, who: usize) -> Result<(), CompareError> {
        let Self { board, cost, danger, fill, flood, route, dijkstra, agents, pools, .. } = self;
        let (graph, goals) = (&board.graph, [self.goal]);
        match who {
            0 | 1 => pools[who].install(|| fill.update(graph, cost, &goals))?,
            2 => flood.update(graph, cost, &goals)?,
            3 => route.update(graph, 1.0, danger, &goals)?,
            4 => dijkstra.fill(board.cell(self.goal)),
            _ => {
                let agent = &mut agents[who - FIRST_AGENT];
                let sense = Sense { position: [0.0; 3].into(), contact: false, dt: 0.02 };
                pools[0].install(|| agent.tick(graph, sense).and_then(|_| agent.decide(graph)))?;
            }
        }
        Ok(())
    }

    fn check(&mut self, who: usize) -> Result<(), CompareError> {
        let Self { board, cost, danger, fill, flood, route, .. } = self;
        let wrong = |how: String| {
            Err(CompareError::Mismatch { one: NAMES[who], other: "its definition", how })
        };
        let steps = |node: usize| board.graph.steps(node);
        // Each value follows from those of its neighbours.
        let odd = |values: &[f64], from: &dyn Fn(usize) -> f64| {
            let inner = board.region.iter().copied().filter(|&node| node != self.goal);
            inner.into_iter().find(|&node| values[node] != from(node))
        };
        let least = f64::min;
        let found = match who {
            0 | 1 => fill.values().iter().zip(&self.filled).position(|(a, b)| a != b),
            2 => odd(flood.values(), &|node| {
                let around = steps(node).map(|step| flood.values()[step.to]);
                around.fold(f64::INFINITY, least).max(cost[node])
            }),
            3 => odd(route.values(), &|node| {
                let way =
                    |s: utility_ai::Step| s.length * (1.0 + danger[s.to]) + route.values()[s.to];
                steps(node).map(way).fold(f64::INFINITY, least)
            }),
            _ => None,
        };
        found.map_or(Ok(()), |node| wrong(format!("node {node}")))
    }
}
