//! Point-to-point flights against independently computed ones.

use glam::DVec2;
use jump_planner::{Character, JumpGraph, Terrain};
use serde_json::Value;

/// "21/5", "10" or 4.2.
fn rational(value: &Value) -> f64 {
    let number = |s: &str| s.parse::<f64>().unwrap();
    match value {
        Value::String(s) => match s.split_once('/') {
            Some((a, b)) => number(a) / number(b),
            None => number(s),
        },
        other => other.as_f64().unwrap(),
    }
}

#[test]
fn oracle_flights_between_cell_centres() {
    let Ok(folder) = std::env::var("ORACLE_DIR") else {
        eprintln!("skipped: ORACLE_DIR is not set");
        return;
    };
    let text = std::fs::read_to_string(format!("{folder}/jump_oracle.json")).unwrap();
    let oracle: Value = serde_json::from_str(&text).unwrap();
    let mut checked = 0;
    for case in oracle["cases"].as_array().unwrap() {
        let id = &case["id"];
        // heights[j][i] is the height of cell (i, j): rows of j.
        let rows: Vec<Vec<f64>> = case["heights"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row.as_array().unwrap().iter().map(rational).collect())
            .collect();
        let terrain = Terrain::from_rows(&rows).unwrap();
        let (v, g) = (rational(&case["speed"]), rational(&case["gravity"]));
        let graph =
            JumpGraph::new(terrain, Character::builder(v).gravity(g).build().unwrap()).unwrap();
        let place = |key: &str| {
            let cell = case[key].as_array().unwrap();
            DVec2::new(cell[0].as_f64().unwrap(), cell[1].as_f64().unwrap())
        };
        let flights = graph.flights(place("takeoff"), place("landing")).unwrap();
        let result = &case["result"];
        assert_eq!(flights.is_some(), result["reachable"].as_bool().unwrap(), "case {id}");
        let Some(flights) = flights else { continue };
        for (flight, arc) in flights.iter().zip(result["arcs"].as_array().unwrap()) {
            let close = |ours: f64, key: &str| {
                let theirs = arc[key].as_f64().unwrap();
                // Where the arcs almost meet, the root of the discriminant loses half the digits.
                assert!((ours - theirs).abs() < 1e-7 * (1.0 + theirs.abs()), "{id} {key} {ours}");
            };
            close(flight.angle.tan(), "tan_theta");
            close(flight.flight_time, "flight_time");
            if case["passes_exactly_through_corner"] == Value::Bool(false) {
                close(flight.margin, "min_margin");
                assert_eq!(flight.is_clear(), arc["clear"].as_bool().unwrap(), "case {id}");
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
}

/// The corner convention: such a flight touches all four cells around the corner.
#[test]
fn a_flight_through_a_corner_touches_all_four_cells() {
    let flights = |beside: f64| {
        let terrain = Terrain::from_rows(&[[0.0, beside], [0.0, 0.0]]).unwrap();
        let graph = JumpGraph::new(terrain, Character::builder(4.0).build().unwrap()).unwrap();
        graph.flights(DVec2::ZERO, DVec2::ONE).unwrap().unwrap()
    };
    let free = flights(0.0);
    let beside = flights(0.1);
    for (free, beside) in free.iter().zip(&beside) {
        assert!((free.margin - beside.margin - 0.1).abs() < 1e-12);
    }
    assert!(!flights(9.0)[1].is_clear());
}
