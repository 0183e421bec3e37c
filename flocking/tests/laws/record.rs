//! A recorded step of another program's rule, by configuring ours.

use flocking::{
    Boid, BoidId, Flock, FlockConfig, Pull, Push, Share, Species, SteeringRule, Velocity,
};
use glam::DVec2;
use std::path::PathBuf;

/// The four lists (x, y, vx, vy) before and after.
fn lists(text: &str) -> Vec<Vec<f64>> {
    let mut lists: Vec<Vec<f64>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("- - ") {
            lists.push(Vec::new());
        }
        let number = line.trim_start_matches(['-', ' ']);
        // "- -12" keeps the sign of its number.
        let sign = if line.ends_with(&format!("-{number}")) { -1.0 } else { 1.0 };
        if let (Ok(value), Some(list)) = (number.parse::<f64>(), lists.last_mut()) {
            list.push(sign * value);
        }
    }
    lists
}

#[test]
fn the_simultaneous_record_is_reproduced() {
    let Some(data) = std::env::var_os("DATA_DIR") else {
        println!("skipped: DATA_DIR is not set");
        return;
    };
    let path = PathBuf::from(data).join("trajectories/boids/bad_boids_simultaneous_a.yml");
    let text = std::fs::read_to_string(path).expect("the record is there");
    let lists = lists(&text);
    assert_eq!(lists.len(), 8);
    let (after, before) = lists.split_at(4);
    let rule = Velocity {
        view_angle: std::f64::consts::TAU,
        cohesion: Pull { weight: 0.01, radius: 1e5, share: Share::Flock },
        alignment: Pull { weight: 0.125, radius: 100.0, share: Share::Flock },
        separation: 1.0,
        separation_radius: 10.0,
        push: Push::Offset,
        min_speed: 0.0,
        max_speed: 1e6,
    };
    let species = Species {
        rule: SteeringRule::Velocity(rule),
        max_acceleration: 1e6,
        ..Species::published()
    };
    let mut flock = Flock::new(FlockConfig::of(species)).unwrap();
    let at = |list: &[Vec<f64>], k: usize, i: usize| DVec2::new(list[k][i], list[k + 1][i]);
    for i in 0..50 {
        flock.add(Boid::new(at(before, 0, i), at(before, 2, i))).unwrap();
    }
    flock.step();
    let mut worst = 0.0f64;
    for i in 0..50 {
        let boid = flock.boid(BoidId::new(i as u32)).unwrap();
        worst = worst.max((boid.position - at(after, 0, i)).abs().max_element());
        worst = worst.max((boid.velocity() - at(after, 2, i)).abs().max_element());
    }
    println!("largest difference to the record: {worst:e}");
    assert!(worst <= 1e-9, "{worst:e}");
}
