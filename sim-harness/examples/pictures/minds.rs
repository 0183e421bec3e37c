//! Ways past guards, by three strategies.

use super::drawing::{BLACK, BLUE, Drawing, GREY, Point, RED, WALL, mix};
use std::error::Error;
use utility_ai::glam::DVec3;
use utility_ai::ndarray::Array2;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Neighbours, Sense,
    StandingCost, Strategy, Threat,
};

const MAP: [&str; 18] = [
    "......................................................",
    "......................................................",
    "......................................................",
    "..........#########...................................",
    "..................#..........#######..................",
    "..................#...................................",
    "..................#...................................",
    "..................#.........G.........................",
    "..S...............#...............................E...",
    "..................#..........G........................",
    "..................#...................................",
    "..................#...................................",
    "..........#########...................................",
    ".............................#######..................",
    "..........................................G...........",
    "......................................................",
    "......................................................",
    "......................................................",
];
const SHAPE: [usize; 2] = [MAP.len(), MAP[0].len()];

fn marks(mark: u8) -> impl Iterator<Item = [usize; 2]> {
    let cells = (0..SHAPE[0]).flat_map(|y| (0..SHAPE[1]).map(move |x| [y, x]));
    cells.filter(move |&[y, x]| MAP[y].as_bytes()[x] == mark)
}

/// The way of an agent, and the danger of every cell.
fn way(config: AgentConfig) -> Result<(Vec<Point>, Array2<f64>), Box<dyn Error>> {
    let walls = Array2::from_shape_fn(SHAPE, |(y, x)| MAP[y].as_bytes()[x] == b'#');
    let graph = Graph::from_walls(&walls, Neighbours::Eight)?;
    let place = |mark| marks(mark).next().ok_or("the map has it");
    let (start, goal) = (graph.node(place(b'S')?)?, graph.node(place(b'E')?)?);
    let mut guards = Vec::new();
    for guard in marks(b'G') {
        guards.push(Threat::at_node(graph.node(guard)?));
    }
    let mut cost = StandingCost::new(&graph, 1.0)?;
    let reach = DangerConfig { reach: 7.0, falloff: Falloff::Linear };
    let danger = cost.add("danger", Danger::by_travel(&graph, reach)?, 12.0)?;
    let mut agent = Agent::new(&graph, cost, start, &[goal], config)?;
    agent.indicator_mut(danger)?.set_threats(&graph, &guards)?;
    let mut way = Vec::new();
    for _ in 0..120 {
        let [y, x] = graph.cell(agent.node()).ok_or("a grid has cells")?;
        way.push([x as f64, y as f64]);
        agent.tick(&graph, Sense { position: DVec3::ZERO, contact: false, dt: 0.2 })?;
        if agent.decide(&graph)? == Decision::Arrived {
            break;
        }
    }
    let felt = agent.standing_cost().indicators().next().ok_or("there is one")?.2.to_vec();
    Ok((way, Array2::from_shape_vec(SHAPE, felt)?))
}

/// Straight past the guards, into a dead end, and around.
pub(crate) fn three_ways() -> Result<String, Box<dyn Error>> {
    let (straight, danger) = way(AgentConfig::published(Strategy::Straight))?;
    let (descends, _) = way(AgentConfig::published(Strategy::Descend))?;
    let (weighs, _) = way(AgentConfig::default())?;
    let end = [50.0, 8.0];
    assert_eq!([straight.last(), weighs.last()], [Some(&end); 2]);
    assert_ne!(descends.last(), Some(&end));

    let title = "Past three guards: the shortest way, one that gets stuck, and one that weighs";
    let mut drawing = Drawing::new(SHAPE[1], SHAPE[0], title);
    let levels = 8;
    for level in 1..=levels {
        let share = 0.7 * f64::from(level) / f64::from(levels);
        drawing.cells(SHAPE, &mix([251, 250, 246], [217, 54, 62], share), |y, x| {
            (danger[[y, x]].min(1.0) * f64::from(levels)).ceil() as i32 == level
        });
    }
    drawing.cells(SHAPE, WALL, |y, x| MAP[y].as_bytes()[x] == b'#');
    drawing.line(&straight, GREY, 0.25, true);
    drawing.line(&descends, BLACK, 0.25, false);
    drawing.line(&weighs, BLUE, 0.35, false);
    for [y, x] in marks(b'G') {
        drawing.dot([x as f64, y as f64], 0.6, RED);
    }
    if let Some(&[x, y]) = descends.last() {
        let cross =
            [[[x - 0.5, y - 0.5], [x + 0.5, y + 0.5]], [[x - 0.5, y + 0.5], [x + 0.5, y - 0.5]]];
        drawing.strokes(&cross, BLACK, 0.3);
    }
    drawing.dot(weighs[0], 0.6, BLUE);
    drawing.ring(end, 0.6, BLUE);
    Ok(drawing.finish())
}
