//! Every bad input is named, and changes nothing.

use flocking::{
    Boid, BoidId, Edges, Flock, FlockConfig, FlockError, Goal, Heed, Neighbours, Obstacle, Rule,
    Species, Turning, Velocity, Walls,
};
use glam::Vec2;

fn refused(change: impl FnOnce(&mut FlockConfig<Vec2>)) -> FlockError {
    let mut config = FlockConfig::published();
    change(&mut config);
    Flock::new(config).expect_err("it is not sound")
}

fn turning(change: impl FnOnce(&mut Turning)) -> String {
    let mut rule = Turning::published();
    change(&mut rule);
    refused(|c| c.species[0].rule = Rule::Turning(rule)).to_string()
}

#[test]
fn settings() {
    assert_eq!(refused(|c| c.species.clear()), FlockError::SpeciesCount { found: 0, most: 32 });
    assert_eq!(
        refused(|c| c.heeds = vec![Heed::FULL; 2]),
        FlockError::HeedCount { found: 2, expected: 1 }
    );
    assert_eq!(
        turning(|t| t.view_radius = -1.0),
        "view_radius = -1 is not allowed: it must be finite and 0 to 1e12"
    );
    assert!(turning(|t| t.view_angle = 7.0).contains("view_angle = 7"));
    assert!(turning(|t| t.cohesion = f64::NAN).contains("NaN"));
    let nearest = |most| refused(|c| c.neighbours = Neighbours::Nearest { most }).to_string();
    assert!(nearest(0).contains("1 to 64") && nearest(65).contains("65"));
    assert!(refused(|c| c.species[0].max_turn = 0.0).to_string().contains("max_turn"));
    let still = Velocity::within(10.0);
    assert_eq!(
        refused(|c| c.species[0].rule = Rule::Velocity(still)).to_string(),
        "max_acceleration = 0 is not allowed: it must be finite and above 0, to 1e12, under a velocity \
         rule"
    );
    let high = Vec2::splat(149.0);
    assert_eq!(
        refused(|c| c.edges = Edges::Wrapping { low: Vec2::ZERO, high }),
        FlockError::WorldSize { axis: 0, length: 149.0, least: 150.0 }
    );
    let low = Vec2::new(0.0, f32::NAN);
    refused(|c| c.edges = Edges::Contained { low, high });
}

#[test]
fn boids() {
    let mut config = FlockConfig::published();
    config.edges = Edges::Contained { low: Vec2::ZERO, high: Vec2::splat(10.0) };
    let mut flock = Flock::new(config).unwrap();
    let good = Boid::new(Vec2::ONE, Vec2::X);
    let id = flock.add(good).unwrap();
    let hash = flock.state_hash();
    let errors = [
        flock.add(Boid { position: Vec2::splat(11.0), ..good }).unwrap_err(),
        flock.add(Boid { position: Vec2::NAN, ..good }).unwrap_err(),
        flock.add(Boid { heading: Vec2::ZERO, ..good }).unwrap_err(),
        flock.add(Boid { heading: Vec2::new(f32::INFINITY, 0.0), ..good }).unwrap_err(),
        flock.add(Boid { heading: Vec2::new(1.0, f32::NAN), ..good }).unwrap_err(),
        flock.add(Boid { speed: f64::NAN, ..good }).unwrap_err(),
        flock.add(Boid { speed: -1.0, ..good }).unwrap_err(),
        flock.add(Boid { species: 1, ..good }).unwrap_err(),
        flock
            .add(Boid { goal: Some(Goal { position: Vec2::NAN, pull: 0.0 }), ..good })
            .unwrap_err(),
        flock.add_as(id, good).unwrap_err(),
        flock.add_as(BoidId(BoidId::LIMIT), good).unwrap_err(),
        flock.set(BoidId(9), good).unwrap_err(),
        flock.remove(BoidId(9)).unwrap_err(),
        flock.boid(BoidId(u32::MAX)).unwrap_err(),
        flock.set_obstacles(vec![Obstacle::Ball { centre: Vec2::NAN, radius: 1.0 }]).unwrap_err(),
        flock.set_obstacles(vec![Obstacle::Ball { centre: Vec2::X, radius: -1.0 }]).unwrap_err(),
        flock
            .set_walls(Some(Walls::new([1, 1, 1], 4.0, Vec2::ONE, vec![true]).unwrap()))
            .unwrap_err(),
        Walls::new([2, 2, 1], 1.0, Vec2::ZERO, vec![true]).unwrap_err(),
        Walls::new([usize::MAX, 2, 1], 1.0, Vec2::ZERO, vec![true]).unwrap_err(),
        Walls::new([1, 1, 1], 0.0, Vec2::ZERO, vec![true]).unwrap_err(),
    ];
    for error in &errors {
        assert!(!error.to_string().contains('\n') && error.to_string().len() > 10);
    }
    assert_eq!(flock.state_hash(), hash);
    assert_eq!(flock.len(), 1);
    assert_eq!(Species::published(), flock.config().species[0]);
}
