//! A step allocates nothing once one has run with as many boids. On two threads rayon allocates a
//! little for each worker at its first theft, whenever that is, and nothing for each step.
#![allow(unsafe_code)]

use flocking::{
    Boid, Edges, Flock, FlockConfig, Neighbours, Obstacle, Scalar, Species, SteeringRule, Turning,
    Vector,
};
use glam::{DVec3, Vec2, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, SeqCst);
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Random boids in a wrapping world that condense under strong cohesion.
fn flock<V: Vector>(n: usize, side: f64, neighbours: Neighbours) -> Flock<V> {
    let rule = Turning { cohesion: 2.0, ..Turning::published_at(10.0) };
    let species = Species { rule: SteeringRule::Turning(rule), ..Species::published() };
    let vector = |v: [f64; 3]| V::from_xyz(v.map(V::Scalar::from_f64));
    let edges = Edges::Wrapping { low: vector([0.0; 3]), high: vector([side; 3]) };
    let config = FlockConfig { edges, neighbours, ..FlockConfig::of(species) };
    let mut flock = Flock::new(config).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..n {
        let place = [(); 3].map(|()| rng.random::<f64>() * side * 0.999);
        let way = [(); 3].map(|()| rng.random::<f64>() - 0.5);
        flock.add(Boid { speed: 0.5, ..Boid::new(vector(place), vector(way)) }).unwrap();
    }
    let ball = Obstacle::Ball { centre: vector([side / 2.0; 3]), radius: 3.0 };
    flock.set_obstacles(vec![ball]).unwrap();
    flock
}

fn allocations<V: Vector>(mut flock: Flock<V>, steps: usize) -> usize {
    flock.step();
    let before = ALLOCATIONS.load(SeqCst);
    for _ in 0..steps {
        flock.step();
    }
    ALLOCATIONS.load(SeqCst) - before
}

// One test: another would allocate at the same time.
#[test]
fn steps_allocate_nothing() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let most = if threads == 1 { 0 } else { 8 };
        pool.install(|| {
            // More than 8192: counted in parts.
            let all = flock::<Vec2>(9000, 300.0, Neighbours::All);
            assert!(allocations(all, 20) <= most, "all, {threads} threads");
            let few = flock::<Vec2>(9000, 300.0, Neighbours::Nearest { most: 8 });
            assert!(allocations(few, 100) <= most, "nearest, {threads} threads");
            let deep = flock::<Vec3>(2000, 60.0, Neighbours::All);
            assert!(allocations(deep, 20) <= most, "3D, {threads} threads");
            let few = flock::<DVec3>(2000, 60.0, Neighbours::Nearest { most: 8 });
            assert!(allocations(few, 60) <= most, "nearest in 3D, {threads} threads");
        });
    }
}
