//! Every bad input is named, and changes nothing.

use flocking::{
    Boid, BoidGoal, BoidId, Edges, Flock, FlockConfig, FlockError, Heed, Neighbours, Obstacle,
    Snapshot, Species, SteeringRule, Turning, Velocity, Walls,
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
    refused(|c| c.species[0].rule = SteeringRule::Turning(rule)).to_string()
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
        "view_radius = -1.0 is not allowed: it must be finite and 0 to 1e12"
    );
    assert!(turning(|t| t.view_angle = 7.0).contains("view_angle = 7"));
    assert!(turning(|t| t.cohesion = f64::NAN).contains("NaN"));
    let nearest = |most| refused(|c| c.neighbours = Neighbours::Nearest { most }).to_string();
    assert!(nearest(0).contains("1 to 64") && nearest(65).contains("65"));
    assert!(refused(|c| c.species[0].max_turn = 0.0).to_string().contains("max_turn"));
    let still = Velocity::within(10.0);
    assert_eq!(
        refused(|c| c.species[0].rule = SteeringRule::Velocity(still)).to_string(),
        "max_acceleration = 0.0 is not allowed: it must be finite and above 0, to 1e12, under a velocity \
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
            .add(Boid { goal: Some(BoidGoal { position: Vec2::NAN, pull: 0.0 }), ..good })
            .unwrap_err(),
        flock.add_as(id, good).unwrap_err(),
        flock.add_as(BoidId::new(BoidId::LIMIT), good).unwrap_err(),
        flock.set(BoidId::new(9), good).unwrap_err(),
        flock.remove(BoidId::new(9)).unwrap_err(),
        flock.boid(BoidId::new(u32::MAX)).unwrap_err(),
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

/// Of two boids in a wall one is named, the same in a flock that stores them in another order.
#[test]
fn who_is_in_the_way_of_a_wall() {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    let add = |x| flock.add(Boid::new(Vec2::new(x, 0.0), Vec2::X)).unwrap();
    let first = [0.0, 1.0, 2.0].map(add)[0];
    flock.remove(first).unwrap();
    let walls = Walls::new([1, 1, 1], 8.0, Vec2::ZERO, vec![true]).unwrap();
    let mut other = Flock::restore(flock.snapshot()).unwrap();
    let told = flock.set_walls(Some(walls.clone())).unwrap_err().to_string();
    assert_eq!(other.set_walls(Some(walls)).unwrap_err().to_string(), told);
}

/// The error of a flock in a world with these edges for a boid at this place.
fn outside(edges: Edges<Vec2>, position: Vec2) -> String {
    let mut flock = Flock::new(FlockConfig { edges, ..FlockConfig::published() }).unwrap();
    flock.add(Boid::new(position, Vec2::X)).unwrap_err().to_string()
}

#[test]
fn positions_outside_are_told_the_limits() {
    let (low, high) = (Vec2::ZERO, Vec2::splat(200.0));
    assert_eq!(
        outside(Edges::Contained { low, high }, Vec2::new(201.0, 5.0)),
        "position [201.0, 5.0, 0.0] is outside the world, which is from [0.0, 0.0, 0.0] to [200.0, \
         200.0, 0.0]"
    );
    let wrapped = outside(Edges::Wrapping { low, high }, high);
    assert!(wrapped.ends_with("[200.0, 200.0, 0.0], the latter excluded"), "{wrapped}");
    // 75 * 2^30
    let open = outside(Edges::Open, Vec2::new(1e11, 0.0));
    assert!(open.contains("to [80530636800.0, 80530636800.0, 0.0]"), "{open}");
}

/// A radius whose 2^30-fold is larger in f32 than in f64.
#[test]
fn who_is_held_at_the_end_of_an_open_world_may_be_added_there() {
    let mut rule = Turning::published_at(0.1);
    rule.view_radius = 0.1;
    let mut config = FlockConfig::published();
    config.species[0].rule = SteeringRule::Turning(rule);
    let mut flock = Flock::new(config).unwrap();
    flock.add(Boid::new(Vec2::ZERO, Vec2::new(1e12, 0.0))).unwrap();
    flock.step();
    let again = Flock::restore(flock.snapshot()).unwrap();
    assert_eq!(again.state_hash(), flock.state_hash());
}

#[test]
fn grids_of_walls() {
    let walls = |shape, cells| {
        Walls::<Vec2>::new(shape, 1.0, Vec2::ZERO, vec![false; cells]).unwrap_err().to_string()
    };
    assert_eq!(walls([2, 2, 2], 8), "a grid of walls in 2D is 1 cell deep, not 2");
    assert_eq!(
        walls([2, 2, 1], 3),
        "3 wall cells are given for a grid of [2, 2, 1]: all of its cells are needed, at most 2^28"
    );
}

/// As one might come from a file.
#[test]
fn snapshots_whose_counts_would_run_over_are_refused() {
    let flock = Flock::<Vec2>::new(FlockConfig::published()).unwrap();
    let refused = |change: fn(&mut Snapshot<Vec2>)| {
        let mut snapshot = flock.snapshot();
        change(&mut snapshot);
        Flock::restore(snapshot).expect_err("it is not sound").to_string()
    };
    let steps = refused(|s| s.steps = u64::MAX);
    assert!(steps.starts_with("steps = ") && steps.ends_with("0 to 2^53"), "{steps}");
    let next = refused(|s| s.next_id = u32::MAX);
    assert!(next.starts_with("next_id = 4294967295") && next.ends_with("0 to 2^24"), "{next}");
    let mut last = flock.snapshot();
    (last.steps, last.next_id) = (1 << 53, BoidId::LIMIT);
    let mut last = Flock::restore(last).unwrap();
    last.step();
    assert_eq!(last.steps(), (1 << 53) + 1);
    let full = last.add(Boid::new(Vec2::ZERO, Vec2::X)).unwrap_err();
    assert_eq!(full, FlockError::IdLimit(BoidId::new(BoidId::LIMIT)));
}
