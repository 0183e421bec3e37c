//! Equal to the reference to the last bit: any dimension, format, world, order, number of threads.

use crate::reference::stepped;
use crate::worlds::{boids, contained, flock, random, turning, wrapping};
use flocking::{
    Boid, BoidId, Edges, Flock, FlockConfig, Heed, Neighbours, Push, Scalar, Species, SteeringRule,
    Vector, Velocity,
};
use glam::{DVec2, DVec3, Vec2, Vec3};
use rand::seq::SliceRandom;
use std::f64::consts::{PI, TAU};

fn bits<V: Vector>(boid: &Boid<V>) -> Vec<u64> {
    let mut all: Vec<u64> = boid.position.to_xyz().iter().map(|c| c.bits()).collect();
    // A zero has two signs.
    all.extend(boid.heading.to_xyz().iter().map(|c| (*c + V::Scalar::ZERO).bits()));
    all.push(boid.speed.to_bits());
    all
}

fn same<V: Vector>(flock: &Flock<V>, expected: &[(BoidId, Boid<V>)], what: &str) {
    for (id, boid) in expected {
        let got = flock.boid(*id).expect("it is there");
        assert_eq!(bits(&got), bits(boid), "{what}, {id:?}: {got:?} is not {boid:?}");
    }
}

/// Steps a flock beside the reference, shuffled and on several pools.
fn check<V: Vector>(config: &FlockConfig<V>, n: usize, side: f64, seed: u64, what: &str) {
    let kinds = config.species.len() as u8;
    let mut all = boids::<V>(n, side, kinds, seed);
    let first = flock(config, &all);
    let mut expected = first.clone();
    let mut steps = Vec::new();
    for _ in 0..3 {
        let next = stepped(&mut expected);
        expected.step();
        same(&expected, &next, what);
        steps.push(next);
    }
    for threads in [1, 2, 3, 8] {
        all.shuffle(&mut random(seed + threads));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().unwrap();
        let mut other = flock(config, &all);
        pool.install(|| {
            for next in &steps {
                other.step();
                same(&other, next, what);
            }
        });
        assert_eq!(other.state_hash(), expected.state_hash(), "{what}, {threads} threads");
    }
}

fn in_all_worlds<V: Vector>(n: usize, side: f64) {
    for (seed, edges) in [Edges::Open, wrapping(side), contained(side)].into_iter().enumerate() {
        let seed = seed as u64;
        for angle in [PI, 0.7 * PI, 1.5 * PI, TAU] {
            let mut config = turning::<V>(|t| t.view_angle = angle);
            config.edges = edges;
            check(&config, n, side, seed, &format!("{edges:?}, view {angle}"));
            config.neighbours = Neighbours::Nearest { most: 5 };
            check(&config, n, side, seed, &format!("{edges:?}, view {angle}, 5 nearest"));
        }
    }
}

#[test]
fn flat_f32() {
    in_all_worlds::<Vec2>(300, 60.0);
}
#[test]
fn flat_f64() {
    in_all_worlds::<DVec2>(300, 60.0);
}
#[test]
fn deep_f32() {
    in_all_worlds::<Vec3>(300, 35.0);
}
#[test]
fn deep_f64() {
    in_all_worlds::<DVec3>(300, 35.0);
}

#[test]
fn crowded_nearest_where_cells_are_halved() {
    for most in [1, 16, 64] {
        let mut config = turning::<Vec2>(|_| {});
        config.neighbours = Neighbours::Nearest { most };
        check(&config, 1500, 30.0, 7, "crowded");
        config.edges = wrapping(40.0);
        check(&config, 1500, 40.0, 8, "crowded, wrapping");
        let mut config = turning::<Vec3>(|t| t.view_angle = TAU);
        config.neighbours = Neighbours::Nearest { most };
        check(&config, 1200, 20.0, 9, "crowded, deep");
    }
}

#[test]
fn many_boids_counted_in_parts() {
    let mut config = turning::<Vec2>(|_| {});
    config.edges = wrapping(330.0);
    let all = boids::<Vec2>(9000, 330.0, 1, 3);
    let mut one = flock(&config, &all);
    let next = stepped(&mut one);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut other = flock(&config, &all);
        pool.install(|| other.step());
        same(&other, &next, "many");
    }
}

#[test]
fn species_with_weights() {
    let mut config = turning::<Vec2>(|_| {});
    config.species.push(Species { max_turn: 0.2, ..config.species[0] });
    config.heeds = vec![
        Heed::FULL,
        Heed { cohesion: -0.7, alignment: 0.3, separation: 1.4 },
        Heed::NONE,
        Heed::CHASE,
    ];
    config.edges = wrapping(60.0);
    check(&config, 400, 60.0, 4, "species");
}

#[test]
fn velocity_rules() {
    for push in [Push::Offset, Push::Linear, Push::Inverse] {
        let rule = Velocity { push, ..Velocity::within(10.0) };
        let species = Species {
            rule: SteeringRule::Velocity(rule),
            max_acceleration: 0.2,
            ..Species::published()
        };
        let mut config = FlockConfig::<DVec3>::of(species);
        config.edges = wrapping(40.0);
        check(&config, 300, 40.0, 5, "velocity");
    }
}

#[test]
fn clusters_far_apart_share_bins_without_meeting() {
    let config = turning::<DVec2>(|t| t.view_angle = TAU);
    let mut all = boids::<DVec2>(200, 30.0, 1, 11);
    for (i, (_, boid)) in all.iter_mut().enumerate() {
        boid.position += DVec2::new(1e6, -3e5) * f64::from(i as u32 % 3);
    }
    let mut flock = flock(&config, &all);
    for _ in 0..3 {
        let next = stepped(&mut flock);
        flock.step();
        same(&flock, &next, "far apart");
    }
}
