//! What a slow area does to a wave.

use crate::maps::open_ground;
use crate::reference::Scene;
use ndarray::Ix2;
use wave_core::{Medium, Source, TileFront, Wave};

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

#[test]
fn a_slow_strip_delays_a_front_by_its_length_over_its_speed() {
    for speed in [0.5, 0.25] {
        let arrival = |speed: f64| {
            let mut scene = Scene::new(open_ground([1, 6, 300]), 0.98);
            for y in 0..6 {
                (100..200).for_each(|x| scene.speeds[[0, y, x]] = speed);
            }
            let medium = scene.medium::<Ix2, f64>();
            let mut front = TileFront::<Ix2, f64>::typed(&medium);
            let sources: Vec<_> = (0..6).map(|y| [y, 0]).collect();
            front.emit(&medium, &sources).unwrap();
            front.step(&medium, 5000).unwrap();
            (front.arrival([3, 280]).unwrap(), scene.dt)
        };
        let ((slow, dt), (fast, _)) = (arrival(speed), arrival(1.0));
        let expected = 100.0 * (1.0 / speed - 1.0) / dt;
        let delay = slow - fast;
        // Measured: 2.5 % more.
        assert!((delay / expected - 1.0).abs() < 0.04, "{delay} steps, {expected} expected");
    }
}

/// Also while a front runs on a medium that had one speed until then.
#[test]
fn a_speed_that_is_set_to_what_it_was_changes_no_arrival() {
    let arrivals = |edit: bool| {
        let mut medium = Medium::<Ix2>::builder([60, 90]).build().unwrap();
        assert!(medium.is_uniform());
        let mut front = TileFront::<Ix2, f64>::typed(&medium);
        front.emit(&medium, &[[30, 20]]).unwrap();
        front.step(&medium, 25).unwrap();
        if edit {
            let speed = medium.speed([50, 80]).unwrap();
            medium.set_speed([50, 80], speed).unwrap();
        }
        front.run(&medium).unwrap();
        front.arrivals()
    };
    let (set, left) = (arrivals(true), arrivals(false));
    // The speed that is told is good to rounding.
    assert!(set.iter().zip(&left).all(|(a, b)| (a - b).abs() < 0.01));
}
