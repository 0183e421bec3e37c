//! A level in profile: a plan with its flights, and a trap.

use super::drawing::{BLUE, Drawing, GREY, ORANGE, Point, RED, WALL};
use jump_planner::{Character, Finding, JumpGraph, MoveKind, Preference, Terrain};
use std::error::Error;

/// `[units: halves]` Heights, a cell a digit.
const GROUND: &str = "4444440044446600777001133555500555577744444400044444411144444";

pub(crate) fn profile() -> Result<String, Box<dyn Error>> {
    let heights: Vec<f64> = GROUND.bytes().map(|digit| f64::from(digit - b'0') / 2.0).collect();
    let player = Character::with_jump_height(1.7, 9.81).step_height(0.1).build()?;
    let graph = JumpGraph::new(Terrain::from_rows(&[&heights])?, player)?;
    let (start, goal) = ([0, 1], [0, heights.len() - 2]);
    let plan = graph.plan(start, goal, Preference::LeastTime)?.ok_or("the goal can be reached")?;
    let audit = graph.audit(Some(start))?;

    let title = "A way by jumps, each with a flight that clears the ground; red: nobody gets out";
    let mut drawing = Drawing::new(heights.len(), 10, title);
    // Height 0 is drawn at row 8.
    let seen = |x: f64, z: f64| -> Point { [x, 8.0 - 1.4 * z] };
    let bottom = 9.5;
    let block = |x: usize, height: f64| {
        let (left, right) = (x as f64 - 0.5, x as f64 + 0.5);
        [[left, bottom], seen(left, height), seen(right, height), [right, bottom]]
    };
    let profile = heights.iter().enumerate().flat_map(|(x, &height)| block(x, height));
    drawing.polygons(&[profile.collect()], WALL);
    let traps = (0..heights.len()).filter(|&x| {
        let region = |cell| audit.region(graph.terrain(), cell);
        audit.findings().iter().any(|finding| {
            matches!(finding, Finding::Trap { cell, .. } if region(*cell) == region([0, x]))
        })
    });
    drawing.polygons(&traps.map(|x| block(x, heights[x]).to_vec()).collect::<Vec<_>>(), RED);
    for step in &plan.moves {
        let [from, to] = [step.from, step.to].map(|[_, x]| seen(x as f64, heights[x]));
        match step.kind {
            MoveKind::Walk => drawing.line(&[from, to], BLUE, 0.2, false),
            MoveKind::Fall => drawing.line(&[from, [to[0], from[1]], to], ORANGE, 0.2, true),
            MoveKind::Jump => {
                let flight = graph.witness(step).ok_or("every jump has a flight")?;
                assert!(flight.is_clear());
                let (from, to) = (flight.launch, flight.landing);
                // The tangents of a parabola meet half way.
                let top = from.z + flight.velocity.z * flight.flight_time / 2.0;
                let middle = seen(f64::midpoint(from.x, to.x), top);
                drawing.parabola([seen(from.x, from.z), middle, seen(to.x, to.z)], BLUE, 0.2);
            }
        }
    }
    drawing.dot(seen(1.0, heights[1]), 0.45, GREY);
    drawing.ring(seen(goal[1] as f64, heights[goal[1]]), 0.4, BLUE);
    Ok(drawing.finish())
}
