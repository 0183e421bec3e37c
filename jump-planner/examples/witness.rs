//! One question, its witness, and the slowest character that can still do it.
//!
//! `cargo run -p namiji-jump-planner --example witness`

use jump_planner::{Character, Jump, JumpGraph, Terrain};

fn main() -> Result<(), jump_planner::JumpError> {
    // A crate 1.2 m high in the middle of a gap of three metres.
    let terrain = Terrain::from_rows(&[[0.0, -5.0, 1.2, -5.0, 0.0]])?;
    let hero = Character::with_jump_height(1.9, 9.81).build()?;
    let graph = JumpGraph::new(terrain, hero)?;
    let Jump::Clear(flight) = graph.jump([0, 0], [0, 4])? else { panic!("it can be jumped") };
    println!(
        "{:.1} degrees, {:.2} s, {:.3} to spare",
        flight.angle.to_degrees(),
        flight.flight_time,
        flight.margin
    );

    // The witness flies clear, step by step.
    for step in 1..1000 {
        let feet = flight.position_at(flight.flight_time * f64::from(step) / 1000.0);
        let below =
            graph.terrain().cell_at(feet.truncate()).and_then(|c| graph.terrain().height(c));
        assert!(below.is_none_or(|ground| feet.z > ground));
    }
    let least = graph.least_launch_speed([0, 0], [0, 4])?.expect("it can be jumped");
    println!("at least {least:.3} of {:.3}", hero.launch_speed());
    assert!(least < hero.launch_speed());
    let slower = JumpGraph::new(graph.terrain().clone(), hero.at_speed(least * 0.99)?)?;
    assert!(!matches!(slower.jump([0, 0], [0, 4])?, Jump::Clear(_)));
    Ok(())
}
