//! The loss of accuracy by at most k nearest neighbours.

use crate::worlds::{boids, flock, turning, wrapping};
use flocking::Neighbours;
use glam::DVec2;

/// The root mean square difference of the heading after a step to the full rule, in radians, in a
/// flock that was stepped `steps` times by the full rule.
fn error(steps: usize, n: usize, side: f64, most: usize) -> f64 {
    let mut config = turning::<DVec2>(|_| {});
    config.edges = wrapping(side);
    let all = boids::<DVec2>(n, side, 1, 31);
    let mut full = flock(&config, &all);
    for _ in 0..steps {
        full.step();
    }
    config.neighbours = Neighbours::Nearest { most };
    let mut snapshot = full.snapshot();
    snapshot.config = config;
    let mut few = flocking::Flock::restore(snapshot).unwrap();
    full.step();
    few.step();
    let sum: f64 =
        full.boids().map(|(id, b)| b.heading.angle_to(few.boid(id).unwrap().heading).powi(2)).sum();
    (sum / n as f64).sqrt()
}

#[test]
fn the_error_of_the_bounded_mode_falls_with_the_number_of_neighbours() {
    // 31 within the radius on the mean, about 16 of them in view; then condensing.
    for steps in [0, 20, 100] {
        let errors = [4, 8, 16, 32, 64].map(|most| error(steps, 2000, 141.4, most));
        println!(
            "bounded mode after {steps} steps, radians (rms) off the full rule, \
             4 8 16 32 64 neighbours: {errors:.4?}"
        );
        assert!(errors[0] > errors[2] && errors[2] > errors[4], "{errors:?}");
        if steps == 0 {
            assert_eq!(errors[4], 0.0, "nobody sees more than 64");
        }
    }
}
