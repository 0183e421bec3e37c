//! A goal behind two guards that never move. An agent that descends gets stuck before them; the
//! default gets through, and says why at every node.
//! `cargo run -p namiji-utility-ai --example siege`

use utility_ai::glam::DVec3;
use utility_ai::ndarray::Array2;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Guarantee, Neighbours,
    Node, Sense, StandingCost, Strategy, Threat, UtilityError,
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

fn mark(node: Node) -> u8 {
    DRAWING[node / WIDTH].as_bytes()[node % WIDTH]
}

fn main() -> Result<(), UtilityError> {
    let walls = Array2::from_shape_fn([9, WIDTH], |(y, x)| DRAWING[y].as_bytes()[x] == b'#');
    let graph = Graph::from_walls(&walls, Neighbours::Four)?;
    let marks = |wanted| graph.nodes().filter(move |&node| mark(node) == wanted);
    let (Some(start), Some(goal)) = (marks(b'E').next(), marks(b'G').next()) else {
        return Ok(());
    };
    let guards: Vec<Threat> = marks(b'T').map(Threat::at_node).collect();
    for config in [AgentConfig::published(Strategy::Descend), AgentConfig::default()] {
        let mut cost = StandingCost::new(&graph, 1.0)?;
        let danger = DangerConfig { reach: 6.0, falloff: Falloff::Linear };
        let danger = cost.add("danger", Danger::by_travel(&graph, danger)?, 8.0)?;
        let mut agent = Agent::new(&graph, cost, start, &[goal], config)?;
        agent.indicator_mut(danger)?.set_threats(&graph, &guards)?;

        let mut way = vec![start];
        let mut first = None;
        while way.len() < 60 {
            let [y, x] = graph.cell(agent.node()).unwrap_or_default();
            let position = DVec3::new(x as f64, y as f64, 0.0);
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

fn draw(way: &[Node]) {
    for (y, row) in DRAWING.iter().enumerate() {
        let cell = |(x, mark): (usize, char)| match mark {
            '.' if way.contains(&(y * WIDTH + x)) => '*',
            mark => mark,
        };
        println!("{}", row.chars().enumerate().map(cell).collect::<String>());
    }
    println!();
}
