//! A level of cells with a door that closes, and someone who dislikes the dark: what a small game needs.
//!
//! `cargo run --example door -p namiji-utility-ai`

use petgraph::graph::UnGraph;
use std::error::Error;
use utility_ai::fuzzy::RuleBase;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Indicator, Sense, Step,
    Threat, Utility, UtilityError,
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

/// Heeded less by who is hurt and stuck: then anything is better than to stay.
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

fn find(what: u8) -> usize {
    LEVEL.concat().bytes().position(|cell| cell == what).unwrap_or(0)
}

/// Every cell a node, walls too: 8 neighbours, no corners cut.
fn graph() -> Result<Graph, UtilityError> {
    let open = |x: usize, y: usize| LEVEL[y].as_bytes()[x] != b'#';
    let mut graph = UnGraph::<(), f64>::default();
    for _ in 0..LEVEL.len() * WIDTH {
        graph.add_node(());
    }
    let node = |x: usize, y: usize| ((y * WIDTH + x) as u32).into();
    for y in 1..LEVEL.len() - 1 {
        for x in (1..WIDTH - 1).filter(|&x| open(x, y)) {
            for (to_x, to_y) in [(x + 1, y), (x, y + 1), (x + 1, y + 1), (x - 1, y + 1)] {
                if open(to_x, to_y) && open(to_x, y) && open(x, to_y) {
                    let length = (to_x.abs_diff(x) as f64).hypot(to_y.abs_diff(y) as f64);
                    graph.add_edge(node(x, y), node(to_x, to_y), length);
                }
            }
        }
    }
    Graph::freeze(&graph, |edge| *edge.weight())
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

/// Takes away the edges of a node, or sets them again.
fn set_door(
    graph: &mut Graph,
    door: usize,
    edges: &[Step],
    open: bool,
) -> Result<(), UtilityError> {
    edges.iter().try_for_each(|edge| graph.set_length(door, edge.to, open.then_some(edge.length)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut graph = graph()?;
    let door = find(b'D');
    let hinges: Vec<Step> = graph.steps(door).collect();

    let mut utility = Utility::new(&graph, 1.0)?;
    utility.add("darkness", Darkness, 0.25)?;
    let settings = DangerConfig { reach: 4.0, falloff: Falloff::Linear };
    let danger = utility.add("troll", Danger::by_travel(&graph, settings)?, 3.0)?;
    utility.get_mut(danger)?.set_threats(&graph, &[Threat::at_node(find(b'T'))])?;

    let (start, exit) = (find(b'S'), find(b'E'));
    let mut agent = Agent::new(&graph, utility, start, &[exit], AgentConfig::default())?;
    agent.set_fuzzy_weight(danger, RuleBase::from_toml(RULES)?, 3.0)?;
    println!("{}", agent.explain(&graph)?);

    for turn in 0..40 {
        if turn == 2 {
            set_door(&mut graph, door, &hinges, false)?;
            println!("turn {turn}: the door closes");
        }
        let [x, y] = [agent.node() % WIDTH, agent.node() / WIDTH].map(|c| c as f64);
        agent.tick(&graph, Sense { position: [x, y, 0.0], contact: false, dt: 1.0 })?;
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
