//! Species, goals, limits, steering.

use crate::worlds::turning;
use flocking::{
    Boid, BoidGoal, BoidId, Edges, Flock, FlockConfig, Heed, Species, SteeringRule, Turning,
    Velocity,
};
use glam::DVec2;
use std::f64::consts::{FRAC_PI_2, TAU};

#[test]
fn prey_flees_and_the_hunter_chases() {
    let mut config = turning::<DVec2>(|t| t.view_angle = TAU);
    config.species.push(config.species[0]);
    // 0 is prey, 1 the hunter.
    config.heeds = vec![Heed::FULL, Heed::FLEE, Heed::CHASE, Heed::NONE];
    let mut flock = Flock::new(config).unwrap();
    let prey = flock.add(Boid::new(DVec2::ZERO, DVec2::Y)).unwrap();
    let hunter =
        flock.add(Boid { species: 1, ..Boid::new(DVec2::new(8.0, 0.0), DVec2::Y) }).unwrap();
    flock.step();
    assert!((flock.boid(prey).unwrap().heading - DVec2::NEG_X).length() < 1e-12);
    assert!((flock.boid(hunter).unwrap().heading - DVec2::NEG_X).length() < 1e-12);
}

#[test]
fn a_boid_with_a_goal_leads_the_others() {
    let mut config = turning::<DVec2>(|t| {
        (t.view_angle, t.view_radius) = (TAU, 30.0);
        (t.cohesion, t.separation) = (0.3, 0.02);
    });
    config.species[0].max_turn = 0.3;
    let goal = BoidGoal { position: DVec2::new(400.0, 300.0), pull: 1.0 };
    let distance = |lead: bool| {
        let mut flock = Flock::new(config.clone()).unwrap();
        for i in 0..20 {
            let p = DVec2::new(f64::from(i % 5) * 4.0, f64::from(i / 5) * 4.0);
            let mut boid = Boid::new(p, DVec2::NEG_X * 0.5);
            boid.goal = (lead && i < 4).then_some(goal);
            flock.add(boid).unwrap();
        }
        for _ in 0..600 {
            flock.step();
        }
        flock
            .boids()
            .filter(|(id, _)| id.number() >= 4)
            .map(|(_, b)| b.position.distance(goal.position))
            .sum::<f64>()
            / 16.0
    };
    let (led, alone) = (distance(true), distance(false));
    assert!(led < 0.6 * alone, "{led} {alone}");
}

#[test]
fn alone_a_boid_turns_to_its_goal_in_full() {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    let goal = BoidGoal { position: DVec2::new(0.0, 50.0), pull: 0.0 };
    let id = flock.add(Boid { goal: Some(goal), ..Boid::new(DVec2::ZERO, DVec2::X) }).unwrap();
    flock.step();
    assert!((flock.boid(id).unwrap().heading - DVec2::Y).length() < 1e-15);
    assert_eq!(flock.boid(id).unwrap().goal, Some(goal));
}

#[test]
fn turns_and_speeds_keep_to_their_limits() {
    let species = Species { max_turn: 0.05, max_acceleration: 0.1, ..Species::published() };
    let mut flock = Flock::new(FlockConfig::of(species)).unwrap();
    let goal = BoidGoal { position: DVec2::new(0.0, 50.0), pull: 0.0 };
    let id = flock
        .add(Boid { goal: Some(goal), cruise: 1.25, ..Boid::new(DVec2::ZERO, DVec2::X) })
        .unwrap();
    for step in 1..=3 {
        flock.step();
        let boid = flock.boid(id).unwrap();
        assert!((boid.heading.to_angle() - 0.05 * f64::from(step)).abs() < 1e-12);
        assert!((boid.speed - (1.0 + 0.1 * f64::from(step)).min(1.25)).abs() < 1e-12);
    }
    let rule = Velocity { separation: 50.0, ..Velocity::within(10.0) };
    let species = Species {
        rule: SteeringRule::Velocity(rule),
        max_acceleration: 0.1,
        max_turn: 0.2,
        ..species
    };
    let mut flock = Flock::new(FlockConfig::of(species)).unwrap();
    for i in 0..30u8 {
        let a = f64::from(i);
        flock.add(Boid::new(DVec2::from_angle(a) * 0.1 * a, DVec2::from_angle(3.0 * a))).unwrap();
    }
    for _ in 0..20 {
        let before = flock.snapshot();
        flock.step();
        for (id, old) in before.boids {
            let new = flock.boid(id).unwrap();
            assert!(old.heading.angle_to(new.heading).abs() < 0.2 + 1e-9);
            assert!((0.5..=1.0).contains(&new.speed));
        }
    }
}

#[test]
fn steering_is_the_step_without_the_step() {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    for i in 0..40u8 {
        let a = f64::from(i);
        flock.add(Boid::new(DVec2::from_angle(a) * a, DVec2::from_angle(2.0 * a))).unwrap();
    }
    let before = flock.state_hash();
    let plans: Vec<_> = flock.steer().collect();
    assert_eq!(flock.state_hash(), before);
    let old = flock.snapshot();
    flock.step();
    for (id, plan) in plans {
        let new = flock.boid(id).unwrap();
        assert_eq!(plan.velocity, new.velocity());
        let was = old.boids.iter().find(|b| b.0 == id).unwrap().1;
        assert!((was.velocity() + plan.change - new.velocity()).length() < 1e-15);
    }
}

#[test]
fn boids_come_and_go_under_their_ids() {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    for i in 0..10u8 {
        flock.add(Boid::new(DVec2::new(f64::from(i) * 5.0, 0.0), DVec2::Y)).unwrap();
    }
    flock.step();
    let gone = flock.remove(BoidId::new(3)).unwrap();
    assert!(flock.boid(BoidId::new(3)).is_err() && flock.len() == 9);
    flock.step();
    assert_eq!(flock.add(gone).unwrap(), BoidId::new(10));
    flock.add_as(BoidId::new(3), gone).unwrap();
    flock.step();
    let mut ids: Vec<u32> = flock.boids().map(|b| b.0.number()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..11).collect::<Vec<_>>());
}

#[test]
fn a_snapshot_goes_on_in_the_same_bits() {
    let mut config = turning::<DVec2>(|_| {});
    config.edges = Edges::Wrapping { low: DVec2::ZERO, high: DVec2::splat(50.0) };
    let mut flock = Flock::new(config).unwrap();
    for i in 0..60u8 {
        let a = f64::from(i);
        flock
            .add(Boid::new(
                DVec2::splat(25.0) + DVec2::from_angle(a) * a * 0.4,
                DVec2::from_angle(5.0 * a),
            ))
            .unwrap();
    }
    for _ in 0..5 {
        flock.step();
    }
    let mut other = Flock::restore(flock.snapshot()).unwrap();
    for _ in 0..5 {
        flock.step();
        other.step();
    }
    assert_eq!(flock.state_hash(), other.state_hash());
    assert_eq!(Turning::published().view_angle, 2.0 * FRAC_PI_2);
}
