//! Numbers at their limits: an f32 cannot hold the square of a length beyond 1.8e19.

use crate::worlds::vector;
use flocking::{
    Boid, BoidGoal, Flock, FlockConfig, FlockError, Heed, Push, Scalar, Share, Species,
    SteeringRule, Turning, Vector, Velocity,
};
use glam::{DVec2, DVec3, Vec2, Vec3};

fn velocity(max_acceleration: f64) -> Species {
    let mut rule = Velocity::within(1e12);
    rule.cohesion.weight = 1e6;
    rule.cohesion.share = Share::Sum;
    rule.push = Push::Inverse;
    Species { rule: SteeringRule::Velocity(rule), max_acceleration, ..Species::published() }
}

fn config<V: Vector>(species: Species) -> FlockConfig<V> {
    let heeds = vec![Heed { cohesion: 1e6, ..Heed::FULL }];
    FlockConfig { heeds, ..FlockConfig::of(species) }
}

/// A boid at the origin that has two groups of neighbours, and where it looks after a step.
fn heading<V: Vector>(config: FlockConfig<V>, goal: Option<[f64; 3]>) -> [f64; 3] {
    let mut flock = Flock::new(config).unwrap();
    let boid = |at, way| Boid::new(vector::<V>(at), vector(way));
    let mut first = boid([0.0; 3], [1.0, 0.0, 0.0]);
    first.goal = goal.map(|at| BoidGoal { position: vector(at), pull: 1e6 });
    let id = flock.add(first).unwrap();
    for i in 0..30 {
        let x = f64::from(i) * 1e9;
        flock.add(boid([3e11 + x, 6e11, 0.0], [0.0, 1.0, 0.0])).unwrap();
        flock.add(boid([2e11 + x, 5e11, 1e11], [1.0, 0.0, 0.0])).unwrap();
    }
    flock.step();
    let again = Flock::restore(flock.snapshot()).unwrap();
    assert_eq!(again.state_hash(), flock.state_hash());
    flock.boid(id).unwrap().heading.to_xyz().map(Scalar::to_f64)
}

fn assert_close(a: [f64; 3], b: [f64; 3]) {
    assert!((0..3).all(|i| (a[i] - b[i]).abs() < 1e-5), "{a:?} {b:?}");
    // It has turned at all.
    assert!(b[1] > 0.1, "{b:?}");
}

#[test]
fn accelerations_are_cut_however_large_the_sums_are() {
    for most in [1.0, 1e12] {
        let flat = heading::<Vec2>(config(velocity(most)), None);
        assert_close(flat, heading::<DVec2>(config(velocity(most)), None));
        let deep = heading::<Vec3>(config(velocity(most)), None);
        assert_close(deep, heading::<DVec3>(config(velocity(most)), None));
    }
}

#[test]
fn turns_are_right_however_large_the_sums_are() {
    let mut rule = Turning { cohesion: 0.5, ..Turning::published_at(1e12) };
    rule.view_angle = std::f64::consts::TAU;
    let turning = Species { rule: SteeringRule::Turning(rule), ..Species::published() };
    for factor in [1e6, -1e6] {
        let with = |factor| vec![Heed { cohesion: factor, ..Heed::NONE }];
        let flat = heading::<DVec3>(FlockConfig { heeds: with(factor), ..config(turning) }, None);
        let deep = heading::<Vec3>(FlockConfig { heeds: with(factor), ..config(turning) }, None);
        assert!((0..3).all(|i| (flat[i] - deep[i]).abs() < 1e-5), "{flat:?} {deep:?}");
        assert!(deep[0] < 0.999, "{deep:?}");
    }
}

#[test]
fn goals_are_sought_from_as_far_as_a_world_reaches() {
    let goal = Some([-1e18, 1e18, 1e18]);
    let mut species = velocity(1.0);
    if let SteeringRule::Velocity(rule) = &mut species.rule {
        rule.cohesion.weight = 0.0;
    }
    assert_close(heading::<Vec3>(config(species), goal), heading::<DVec3>(config(species), goal));
    let mut flock = Flock::<Vec3>::new(config(velocity(1.0))).unwrap();
    flock.add(Boid::new(Vec3::splat(-9.9e17), Vec3::X)).unwrap();
    let error = flock.add(Boid::new(Vec3::splat(1.1e18), Vec3::X)).unwrap_err();
    assert!(matches!(error, FlockError::Outside { .. }), "{error}");
}

#[test]
fn accelerations_that_no_velocity_could_hold_are_refused() {
    for most in [1.1e12, 1e30, 1e300] {
        for species in [velocity(most), Species { max_acceleration: most, ..Species::published() }]
        {
            let error = Flock::<Vec2>::new(config(species)).unwrap_err().to_string();
            assert!(error.contains("max_acceleration") && error.contains("to 1e12"), "{error}");
        }
    }
}

/// All places beyond a grid's numbers are in the same cell, as far off as they may be.
#[test]
fn places_beyond_all_numbers_have_a_cell() {
    let mut flock = Flock::new(FlockConfig::<DVec2>::published()).unwrap();
    flock.add(Boid::new(DVec2::ZERO, DVec2::X)).unwrap();
    flock.step();
    let cell = |far: f64| flock.cell(DVec2::splat(far));
    assert_eq!([cell(1e300), cell(-1e300)], [cell(f64::INFINITY), cell(f64::NEG_INFINITY)]);
}
