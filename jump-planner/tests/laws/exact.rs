//! The exact rule against sampled flights.

use crate::brute::Scene;
use jump_planner::{ArcKind, Character, Jump, JumpGraph};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Default, Debug)]
struct Tally {
    clear: usize,
    blocked: usize,
    out: usize,
    marginal: usize,
    /// Clear by the exact rule, not found by samples.
    narrow: usize,
    low: usize,
    /// Marginal, and found by samples.
    open: usize,
}

/// Random questions; every answer is checked against flights in small time steps.
fn ask(seed: u64, questions: usize, radius: f64, ceilings: bool) -> Tally {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tally = Tally::default();
    for n in 0..questions {
        let size = [0.5, 1.0, 2.0][rng.random_range(0..3)];
        let character = Character::builder(rng.random_range(2.0..9.0))
            .gravity(9.81)
            .body(radius * size, if ceilings { rng.random_range(0.0..1.0) } else { 0.0 })
            .build()
            .unwrap();
        let relief = character.jump_height() * rng.random_range(0.3..2.5);
        let quantum = [0.0, 0.25, 0.5][rng.random_range(0..3)];
        let (rows, columns) = (rng.random_range(1..5), rng.random_range(3..8));
        let flat: f64 = rng.random_range(0.0..0.9);
        let heights = Array2::from_shape_simple_fn((rows, columns), || {
            let z: f64 = if rng.random_bool(flat) { 0.0 } else { rng.random_range(0.0..relief) };
            if quantum > 0.0 { (z / quantum).round() * quantum } else { z }
        });
        let ceilings = ceilings.then(|| {
            heights.map(|z| {
                let room = rng.random_range(0.5..3.0) * character.jump_height();
                if rng.random_bool(0.5) { z + character.height() + room } else { f64::INFINITY }
            })
        });
        let scene = Scene { heights, ceilings, cell_size: size, character };
        let from = [rng.random_range(0..rows), rng.random_range(0..columns)];
        let to = [rng.random_range(0..rows), rng.random_range(0..columns)];
        if from == to {
            continue;
        }
        let graph = JumpGraph::new(scene.terrain(), character).unwrap();
        let jump = graph.jump(from, to).unwrap();
        let sampled = scene.search(from, to, 4, 60);
        match jump {
            Jump::Clear(flight) => {
                tally.clear += 1;
                tally.narrow += usize::from(sampled <= 0.0);
                tally.low += usize::from(flight.arc == ArcKind::Low);
                assert!(flight.margin > 0.0);
                let flown = scene.clearance(&flight, 4000, [from, to]);
                assert!(
                    flown > -1e-6,
                    "{n}: {from:?} {to:?} {flown} {flight:?}\n{:?}",
                    scene.heights
                );
            }
            other => {
                match other {
                    // An undecided jump must not count as a no.
                    Jump::Marginal { .. } => {
                        tally.marginal += 1;
                        tally.open += usize::from(sampled > 1e-6);
                        continue;
                    }
                    Jump::Blocked => tally.blocked += 1,
                    _ => tally.out += 1,
                }
                let scene = (&scene.heights, &scene.ceilings, character);
                assert!(sampled <= 1e-6, "{n}: {other:?} but {sampled}: {from:?} {to:?} {scene:?}");
            }
        }
    }
    tally
}

#[test]
fn every_claim_of_the_exact_rule_holds_against_sampled_flights() {
    let tally = ask(1, 12_000, 0.0, false);
    assert!(tally.clear > 5000 && tally.blocked > 400 && tally.narrow > 100, "{tally:?}");
    // Fewer than three in a thousand stay open, and none of those that samples find.
    assert!(tally.marginal * 1000 <= 3 * 12_000 && tally.open == 0, "{tally:?}");
}

#[test]
fn so_do_those_for_bodies() {
    let tally = ask(2, 300, 0.3, false);
    assert!(tally.clear > 100 && tally.blocked > 20 && tally.open == 0, "{tally:?}");
}

#[test]
fn so_do_those_under_ceilings() {
    let tally = ask(3, 1000, 0.0, true);
    assert!(tally.clear > 300 && tally.blocked > 30 && tally.low > 5, "{tally:?}");
    let tally = ask(4, 200, 0.2, true);
    assert!(tally.clear > 30, "{tally:?}");
}
