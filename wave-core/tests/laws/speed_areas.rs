//! The effect of a slow area on a wave.

use crate::maps::open_ground;
use crate::reference::Scene;
use ndarray::Ix2;
use wave_core::{Source, Wave};

/// The moment at which the first hump of a plane pulse is highest in column `column` of a
/// corridor, whose columns from 100 to 200 have `speed`.
fn hump_arrival(speed: f64, pulse: u32, column: usize) -> f64 {
    let mut scene = Scene::new(open_ground([1, 6, 700]), 0.9);
    for y in 0..6 {
        (100..200).for_each(|x| scene.speeds[[0, y, x]] = speed);
    }
    let medium = scene.medium::<Ix2, f64>();
    let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
    for y in 0..6 {
        wave.emit(&medium, [y, 0], Source::Pulse { amplitude: 1.0, steps: pulse }).unwrap();
    }
    let mut heights = Vec::new();
    while wave.steps() < 1500 {
        wave.step(&medium, 1).unwrap();
        heights.push(wave.values()[[3, column]]);
        let top = heights.len().saturating_sub(2);
        if top > 0 && heights[top] > 0.3 && heights[top] > heights[top + 1] {
            break;
        }
    }
    let top = heights.len() - 2;
    let (a, b, c) = (heights[top - 1], heights[top], heights[top + 1]);
    (top + 1) as f64 + 0.5 * (a - c) / (a - 2.0 * b + c)
}

#[test]
fn a_slow_strip_delays_by_its_length_over_its_speed() {
    let dt = Scene::new(open_ground([1, 6, 700]), 0.9).dt;
    for (speed, pulse) in [(0.5, 64), (0.25, 96), (0.25, 128)] {
        let delay = hump_arrival(speed, pulse, 280) - hump_arrival(1.0, pulse, 280);
        let expected = 100.0 * (1.0 / speed - 1.0) / dt;
        assert!((delay / expected - 1.0).abs() < 0.02, "{delay} steps, {expected} expected");
        // And not before the strip.
        assert_eq!(hump_arrival(speed, pulse, 50), hump_arrival(1.0, pulse, 50));
    }
}

#[test]
fn a_plane_pulse_runs_at_its_speed() {
    let dt = Scene::new(open_ground([1, 6, 700]), 0.9).dt;
    let measured = hump_arrival(1.0, 48, 280) - hump_arrival(1.0, 48, 80);
    assert!((measured * dt / 200.0 - 1.0).abs() < 0.005, "{measured} steps");
}
