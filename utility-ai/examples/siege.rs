//! A goal behind two guards who never move: descending gets stuck before them, the default gets through,
//! and says why at every node. `cargo run --example siege`

use petgraph::graph::UnGraph;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Guarantee, Sense, Strategy,
    Threat, Utility, UtilityError,
};

const DRAWING: [&str; 9] = [
    "...............",
    "...............",
    "...####........",
    "...#...........",
    "E..#....T.....G",
    "...#....T......",
    "...####........",
    "...............",
    "...............",
];
const WIDTH: usize = 15;

fn main() -> Result<(), UtilityError> {
    let graph = graph()?;
    let marks = |mark| (0..graph.bound()).filter(move |&node| at(node) == mark);
    let (Some(start), Some(goal)) = (marks(b'E').next(), marks(b'G').next()) else {
        return Ok(());
    };
    let guards: Vec<Threat> = marks(b'T').map(Threat::at_node).collect();
    for config in [AgentConfig::published(Strategy::Descend), AgentConfig::default()] {
        let mut utility = Utility::new(&graph, 1.0)?;
        let danger = DangerConfig { reach: 6.0, falloff: Falloff::Linear };
        let danger = utility.add("danger", Danger::by_travel(&graph, danger)?, 8.0)?;
        let mut agent = Agent::new(&graph, utility, start, &[goal], config)?;
        agent.utility_mut().get_mut(danger)?.set_threats(&graph, &guards)?;

        let mut way = vec![start];
        let mut first = None;
        while way.len() < 60 {
            let position = [(agent.node() % WIDTH) as f64, (agent.node() / WIDTH) as f64, 0.0];
            agent.tick(&graph, Sense { position, contact: false, dt: 0.2 })?;
            first.get_or_insert(agent.explain(&graph)?);
            match agent.decide(&graph)? {
                Decision::Arrived => break,
                Decision::Go(step) => way.push(step.to),
            }
        }
        let arrived = agent.node() == goal;
        println!("{:?}: {}", config.strategy, if arrived { "arrived" } else { "still there" });
        if let Some(why) = first {
            println!("{why}");
            // With a budget it was promised.
            assert!(arrived || why.guarantee == Guarantee::None);
        }
        draw(&way);
    }
    Ok(())
}

fn at(node: usize) -> u8 {
    DRAWING[node / WIDTH].as_bytes()[node % WIDTH]
}

/// Four neighbours, an edge per pair of open cells.
fn graph() -> Result<Graph, UtilityError> {
    let cells = 0..DRAWING.len() * WIDTH;
    let open = |node: usize| node < DRAWING.len() * WIDTH && at(node) != b'#';
    let right = cells.clone().filter(|n| n % WIDTH + 1 < WIDTH).map(|n| (n, n + 1));
    let edges = right.chain(cells.map(|n| (n, n + WIDTH)));
    let edges = edges.filter(|&(a, b)| open(a) && open(b)).map(|(a, b)| (a as u32, b as u32, 1.0));
    let petgraph = UnGraph::<(), f64>::from_edges(edges);
    Graph::freeze(&petgraph, |edge| *edge.weight())
}

fn draw(way: &[usize]) {
    for (y, row) in DRAWING.iter().enumerate() {
        let cell = |(x, mark): (usize, char)| match mark {
            '.' if way.contains(&(y * WIDTH + x)) => '*',
            mark => mark,
        };
        println!("{}", row.chars().enumerate().map(cell).collect::<String>());
    }
    println!();
}
