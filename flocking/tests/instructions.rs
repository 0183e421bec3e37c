//! Small flocks through every kernel: the bits of the portable one. Small enough for Miri, which
//! then sees every unsafe block (`.ci/miri`).

use flocking::{Boid, Edges, Flock, FlockConfig, Instructions, Neighbours, Scalar, Vector};
use glam::{DVec2, DVec3, Vec2, Vec3};

/// A third of these stand close together, more than eight in a cell; the rest are scattered.
fn start<V: Vector>(neighbours: Neighbours, side: f64) -> Flock<V> {
    let vector = |v: [f64; 3]| V::from_xyz(v.map(V::Scalar::from_f64));
    let mut config = FlockConfig::<V>::published();
    config.neighbours = neighbours;
    config.edges = Edges::Wrapping { low: vector([0.0; 3]), high: vector([side; 3]) };
    let mut flock = Flock::new(config).unwrap();
    // Miri is slow: enough of them for a full block of eight and a rest.
    for i in 0..if cfg!(miri) { 11 } else { 29 } {
        let t = f64::from(i);
        let spread = if i % 3 == 0 { 5.0 } else { side };
        let place = [t * 0.618_034, t * 0.414_214, t * 0.732_051].map(|u| (u % 1.0) * spread);
        let way = [t * 0.31, t * 0.731, t * 0.17].map(|u| u % 1.0 - 0.47);
        flock.add(Boid::new(vector(place), vector(way))).unwrap();
    }
    flock
}

fn every_set_agrees<V: Vector>(side: f64) {
    for neighbours in [Neighbours::All, Neighbours::Nearest { most: 5 }] {
        let hashes = Instructions::ALL.into_iter().filter(|set| set.available()).map(|set| {
            let mut flock = start::<V>(neighbours, side);
            flock.set_instructions(set).unwrap();
            flock.step();
            if !cfg!(miri) {
                flock.step();
            }
            flock.state_hash()
        });
        let hashes: Vec<_> = hashes.collect();
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
    }
}

#[test]
fn flat_flocks_have_the_same_bits() {
    every_set_agrees::<Vec2>(300.0);
    every_set_agrees::<DVec2>(300.0);
}

#[test]
fn deep_flocks_have_the_same_bits() {
    every_set_agrees::<Vec3>(300.0);
    every_set_agrees::<DVec3>(300.0);
}
