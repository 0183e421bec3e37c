//! The end state of a run, in one number: the same for every number of threads, every set of
//! instructions, every pool, with and without the feature `rayon`.

use crate::worlds::{boids, contained, flock, turning, wrapping};
use flocking::{
    Avoidance, BoidGoal, FlockError, Heed, Instructions, Neighbours, Obstacle, Species,
    SteeringRule, Vector, Velocity,
};
use glam::{DVec2, DVec3, Vec2, Vec3};

/// The hashes of a flock of two species, one of each rule, with goals and an obstacle; and of
/// flocks of one species, with all neighbours and with the nearest.
fn hashes<V: Vector>(side: f64, set: Instructions) -> Vec<u64> {
    let mut mixed = turning::<V>(|t| t.view_angle = 4.0);
    let rule = SteeringRule::Velocity(Velocity::within(10.0));
    mixed.species[0].avoidance =
        Avoidance { look_ahead: 10.0, clearance: 3.0, ..Avoidance::published() };
    mixed.species.push(Species { rule, max_acceleration: 0.2, max_turn: 0.5, ..mixed.species[0] });
    mixed.heeds = vec![Heed::FULL, Heed::FLEE, Heed::CHASE, Heed::FULL];
    mixed.edges = contained(side);
    let mut all = turning::<V>(|_| {});
    all.edges = wrapping(side);
    let mut nearest = all.clone();
    nearest.neighbours = Neighbours::Nearest { most: 7 };
    let mut hashes = Vec::new();
    for config in [mixed, all, nearest] {
        let mut boids = boids::<V>(1000, side, config.species.len() as u8, 41);
        let goal = BoidGoal { position: boids[0].1.position, pull: 0.3 };
        for (_, boid) in boids.iter_mut().step_by(50) {
            boid.goal = Some(goal);
        }
        let mut flock = flock(&config, &boids);
        let ball = Obstacle::Ball { centre: boids[1].1.position, radius: 2.0 };
        flock.set_obstacles(vec![ball]).unwrap();
        flock.set_instructions(set).unwrap();
        assert_eq!(flock.instructions(), set);
        for _ in 0..20 {
            flock.step();
        }
        hashes.push(flock.state_hash());
    }
    hashes
}

/// In the order `Vec2`, `DVec2`, `Vec3`, `DVec3`, three each.
fn all_hashes(set: Instructions) -> Vec<u64> {
    let mut all = hashes::<Vec2>(80.0, set);
    all.extend(hashes::<DVec2>(80.0, set));
    all.extend(hashes::<Vec3>(40.0, set));
    all.extend(hashes::<DVec3>(40.0, set));
    all
}

const GOLDEN: [u64; 12] = [
    0xf93d_2888_fbc0_b645,
    0x5b6b_df88_906e_1c81,
    0xd6b0_a774_dec6_b894,
    0x68cb_69ac_c973_68dd,
    0xa13a_0bd9_4a3a_ab13,
    0xef1c_e529_78ad_9fad,
    0x6445_15d4_e139_0cda,
    0xadbb_09b5_8305_8b86,
    0xe930_bb1e_4019_3f5f,
    0x419a_621c_7203_2e80,
    0xc1c5_ab22_ff4a_1430,
    0x018a_a45a_b156_633f,
];

#[test]
fn golden_end_states_with_every_set_of_instructions() {
    for set in Instructions::ALL {
        if set.available() {
            let found = all_hashes(set);
            assert_eq!(found, GOLDEN, "{set:?}: {found:#018x?}");
        } else {
            println!("skipped: this processor has no {set:?}");
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn golden_end_states_with_any_number_of_threads_and_in_nested_pools() {
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| all_hashes(Instructions::best())), GOLDEN, "{threads} threads");
        // A pool of one inside a task of a larger one, and the other way round.
        let inner = rayon::ThreadPoolBuilder::new().num_threads(9 - threads).build().unwrap();
        let nested = pool.install(|| inner.install(|| all_hashes(Instructions::best())));
        assert_eq!(nested, GOLDEN, "{} threads in {threads}", 9 - threads);
    }
}

#[test]
fn instructions_that_the_processor_lacks_are_refused() {
    let mut flock = flock::<Vec2>(&turning(|_| {}), &[]);
    for set in Instructions::ALL {
        match flock.set_instructions(set) {
            Ok(()) => assert!(set.available()),
            Err(error) => assert_eq!(error, FlockError::NoInstructions(set)),
        }
    }
}
