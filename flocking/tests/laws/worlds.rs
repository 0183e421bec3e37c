//! Random flocks.

use flocking::{
    Boid, BoidId, Edges, Flock, FlockConfig, Scalar, Species, SteeringRule, Turning, Vector,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn vector<V: Vector>(v: [f64; 3]) -> V {
    V::from_xyz(v.map(V::Scalar::from_f64))
}

/// Boids in a cube from 0 to `side`, of random headings and speeds about 1, some at the same place.
pub(crate) fn boids<V: Vector>(
    n: usize,
    side: f64,
    kinds: u8,
    seed: u64,
) -> Vec<(BoidId, Boid<V>)> {
    let mut rng = random(seed);
    let mut all: Vec<(BoidId, Boid<V>)> = Vec::new();
    for i in 0..n {
        let position = std::array::from_fn(|_| rng.random::<f64>() * side * 0.99999);
        let heading: [f64; 3] = std::array::from_fn(|_| rng.random::<f64>() * 2.0 - 1.0);
        let mut boid = Boid::new(vector(position), vector(heading));
        boid.speed = V::Scalar::from_f64(0.5 + rng.random::<f64>()).to_f64();
        boid.cruise = boid.speed;
        boid.species = (rng.random::<u32>() % u32::from(kinds)) as u8;
        if i > 0 && i % 17 == 0 {
            boid.position = all[i / 2].1.position;
        }
        // Ids with gaps.
        all.push((BoidId::new(i as u32 * 3 + 1), boid));
    }
    all
}

pub(crate) fn flock<V: Vector>(config: &FlockConfig<V>, boids: &[(BoidId, Boid<V>)]) -> Flock<V> {
    let mut flock = Flock::new(config.clone()).expect("the settings are sound");
    for (id, boid) in boids {
        flock.add_as(*id, *boid).expect("the boid is sound");
    }
    flock
}

/// One species after the published rule with a view radius of 10.
pub(crate) fn turning<V: Vector>(change: impl FnOnce(&mut Turning)) -> FlockConfig<V> {
    let mut rule = Turning::published_at(10.0);
    change(&mut rule);
    FlockConfig::of(Species { rule: SteeringRule::Turning(rule), ..Species::published() })
}

pub(crate) fn wrapping<V: Vector>(side: f64) -> Edges<V> {
    Edges::Wrapping { low: vector([0.0; 3]), high: vector([side; 3]) }
}

pub(crate) fn contained<V: Vector>(side: f64) -> Edges<V> {
    Edges::Contained { low: vector([0.0; 3]), high: vector([side; 3]) }
}
