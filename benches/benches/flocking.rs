//! A step of a flock: the published rule in 2D and 3D, and the bounded mode in a condensed flock.

use criterion::{BenchmarkId, Criterion, Throughput};
use flocking::{Flock, Neighbours, Vector};
use glam::{Vec2, Vec3};
use sim_harness::flock::FlockScene;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let scene = |boids, dim, density| FlockScene { boids, dim, density, ..FlockScene::default() };
    for boids in [1_000, 100_000, 1_000_000] {
        step::<Vec2>(&mut criterion, "2d", scene(boids, 2, 0.1), Neighbours::All);
    }
    // 31 neighbours within the radius on the mean, as in 2D.
    step::<Vec3>(&mut criterion, "3d", scene(100_000, 3, 0.0075), Neighbours::All);
    // A thousand in view: half of those within the radius.
    let dense = scene(10_000, 2, 6.366);
    step::<Vec2>(&mut criterion, "dense_all", dense, Neighbours::All);
    step::<Vec2>(&mut criterion, "dense_nearest_16", dense, Neighbours::Nearest { most: 16 });
    criterion.final_summary();
}

/// The same first step, every time; its end state is checked.
fn step<V: Vector>(
    criterion: &mut Criterion,
    name: &str,
    scene: FlockScene,
    neighbours: Neighbours,
) {
    let mut snapshot = scene.build::<V>().unwrap().snapshot();
    snapshot.config.neighbours = neighbours;
    let start = Flock::restore(snapshot).unwrap();
    let mut flock = start.clone();
    flock.step();
    let hash = flock.state_hash();
    let mut group = criterion.benchmark_group("flock_step");
    group.throughput(Throughput::Elements(u64::from(scene.boids))).sample_size(10);
    group.bench_function(BenchmarkId::new(name, scene.boids), |bencher| {
        bencher.iter_batched(
            || start.clone(),
            |mut flock| {
                flock.step();
                flock
            },
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
    let mut again = start.clone();
    again.step();
    assert_eq!(again.state_hash(), hash);
}
