//! A level of cells with a door that closes, and a character that dislikes the dark: what a small
//! game needs.
//!
//! `cargo run --example door -p namiji-utility-ai`

use std::error::Error;
use utility_ai::fuzzy::RuleBase;
use utility_ai::glam::DVec3;
use utility_ai::ndarray::Array2;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Indicator, Neighbours,
    Node, Sense, StandingCost, Threat, UtilityError,
};

const LEVEL: [&str; 7] = [
    "################",
    "#..S..#........#",
    "#.....D.......T#",
    "#.....#........#",
    "#.#########.####",
    "#.............E#",
    "################",
];
const WIDTH: usize = LEVEL[0].len();

/// The troll counts less for a character that is hurt and stuck: then anything is better than to
/// stay.
const RULES: &str = r#"
rules = ["if health is low and stuck is much then boldness is great",
         "if health is high then boldness is little"]
[[inputs]]
name = "health"
range = [0, 1]
terms = { low = { ramp = [0.6, 0.2] }, high = { ramp = [0.4, 1] } }
[[inputs]]
name = "stuck"
range = [0, 1]
terms = { much = { ramp = [0.5, 0.9] } }
[output]
name = "boldness"
range = [0, 1]
terms = { little = { ramp = [0.5, 0] }, great = { ramp = [0.5, 1] } }
"#;

fn find(what: u8) -> Node {
    LEVEL.concat().bytes().position(|cell| cell == what).unwrap_or(0)
}

/// It is dark in the upper right room.
struct Darkness;

impl Indicator for Darkness {
    fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        for (node, value) in values.iter_mut().enumerate() {
            let [x, y] = [node % WIDTH, node / WIDTH];
            *value = if x > 6 && y < 4 { 1.0 } else { 0.0 };
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let walls =
        Array2::from_shape_fn([LEVEL.len(), WIDTH], |(y, x)| LEVEL[y].as_bytes()[x] == b'#');
    let mut graph = Graph::from_walls(&walls, Neighbours::Eight)?;

    let mut cost = StandingCost::new(&graph, 1.0)?;
    cost.add("darkness", Darkness, 0.25)?;
    let settings = DangerConfig { reach: 4.0, falloff: Falloff::Linear };
    let danger = cost.add("troll", Danger::by_travel(&graph, settings)?, 3.0)?;
    cost.get_mut(danger)?.set_threats(&graph, &[Threat::at_node(find(b'T'))])?;

    let (start, exit) = (find(b'S'), find(b'E'));
    let mut agent = Agent::new(&graph, cost, start, &[exit], AgentConfig::default())?;
    agent.set_fuzzy_weight(danger, RuleBase::from_toml(RULES)?, 3.0)?;
    println!("{}", agent.explain(&graph)?);

    for turn in 0..40 {
        if turn == 2 {
            graph.set_wall([2, 6], true)?;
            println!("turn {turn}: the door closes");
        }
        let [x, y] = [agent.node() % WIDTH, agent.node() / WIDTH].map(|c| c as f64);
        agent.tick(&graph, Sense { position: DVec3::new(x, y, 0.0), contact: false, dt: 1.0 })?;
        match agent.decide(&graph)? {
            Decision::Go(step) => {
                println!("turn {turn}: to ({}, {})", step.to % WIDTH, step.to / WIDTH);
            }
            Decision::Arrived => {
                println!("turn {turn}: out");
                return Ok(());
            }
        }
    }
    Err("it did not get out".into())
}
