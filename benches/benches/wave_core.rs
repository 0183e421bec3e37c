//! The dense step, the front, probes and edits.

use benches::scenes;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use glam::DVec2;
use ndarray::{Array2, Ix2, Ix3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use wave_core::{Front, Medium, RecordedWave, Source, Space, Wave};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    dense_step(&mut criterion);
    front(&mut criterion);
    probes(&mut criterion);
    set_wall(&mut criterion);
    criterion.final_summary();
}

/// Steps per iteration.
const STEPS: usize = 16;

fn dense_step(criterion: &mut Criterion) {
    dense_step_of::<Ix2>(criterion, "100x100", [100, 100]);
    dense_step_of::<Ix2>(criterion, "200x200", [200, 200]);
    dense_step_of::<Ix2>(criterion, "1024x1024", [1024, 1024]);
    dense_step_of::<Ix3>(criterion, "50x50x50", [50, 50, 50]);
}

/// f32, 10 % walls, a busy wave.
fn dense_step_of<D: Space>(criterion: &mut Criterion, name: &str, shape: D::Cell) {
    let walls = scenes::random_walls::<D>(shape, 0.1, 1);
    let medium = Medium::<D>::builder(shape).walls(&walls).build().unwrap();
    let mut wave = Wave::new(&medium).unwrap();
    let [_, ny, nx] = D::to_size(shape);
    for (i, _) in walls.iter().enumerate().filter(|(i, wall)| i % 61 == 0 && !**wall) {
        let cell = D::from_zyx([i / (nx * ny), i / nx % ny, i % nx]);
        let amplitude = if i % 2 == 0 { 1.0 } else { -1.0 };
        wave.emit(&medium, cell, Source::Impulse { amplitude }).unwrap();
    }
    let before = wave.energy(&medium).unwrap();
    wave.step(&medium, STEPS).unwrap();
    let after = wave.energy(&medium).unwrap();
    assert!((after - before).abs() < 1e-4 * before, "{name}: energy {before} became {after}");

    let mut group = criterion.benchmark_group("dense_step");
    group.throughput(Throughput::Elements((walls.len() * STEPS) as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| wave.step(&medium, STEPS).unwrap());
    });
    group.finish();
    assert!(wave.values().iter().all(|z| z.is_finite()));
}

/// A front from its emission to its end, and a recorded wave; the throughput is in cells reached.
fn front(criterion: &mut Criterion) {
    let open = Array2::from_elem([256, 256], false);
    let random = scenes::random_walls::<Ix2>([256, 256], 0.2, 1);
    let maze = scenes::maze(127, 1);
    let mut group = criterion.benchmark_group("front");
    for (name, walls, source) in [
        ("open 256x256", open, [128, 128]),
        ("20 % walls 256x256", random, [128, 128]),
        ("maze 255x255", maze, [1, 1]),
    ] {
        let medium = medium_f64(&walls);
        let reachable = scenes::reachable(&walls, source).len();
        assert!(reachable > 10_000, "{name}: the source is shut in");
        let mut wave = RecordedWave::new(&medium).unwrap();
        let pulse = RecordedWave::pulse(&medium);
        group.throughput(Throughput::Elements(reachable as u64));
        group.bench_function(BenchmarkId::new("recorded wave", name), |bencher| {
            bencher.iter(|| {
                wave.emit(&medium, &[source], pulse).unwrap();
                wave.run(&medium).unwrap();
                assert_eq!(wave.reached_cells(), reachable);
            });
        });
        let mut front = Front::new(&medium);
        group.bench_function(BenchmarkId::new("short waves", name), |bencher| {
            bencher.iter(|| {
                front.emit(&medium, &[source]).unwrap();
                front.run(&medium).unwrap();
                assert_eq!(front.reached_cells(), reachable);
            });
        });
    }
    group.finish();
}

fn probes(criterion: &mut Criterion) {
    let walls = scenes::random_walls::<Ix2>([256, 256], 0.1, 1);
    let medium = medium_f64(&walls);
    let mut wave = Wave::new(&medium).unwrap();
    let source = scenes::reachable(&walls, [128, 128])[0];
    wave.emit(&medium, source, Source::default()).unwrap();
    wave.step(&medium, 60).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let positions: Vec<DVec2> = (0..1000)
        .map(|_| DVec2::new(rng.random_range(90.0..166.0), rng.random_range(90.0..166.0)))
        .filter(|&p| medium.cell_at(p).is_some_and(|cell| !medium.is_wall(cell)))
        .collect();

    let values = || -> f64 {
        let at = |&p: &DVec2| wave.value_at(&medium, p).unwrap().abs();
        positions.iter().map(at).sum()
    };
    let gradients = || -> f64 {
        let at = |&p: &DVec2| wave.gradient_at(&medium, p).unwrap().length();
        positions.iter().map(at).sum()
    };
    let (value, gradient) = (values(), gradients());
    assert!(value > 0.0 && gradient > 0.0);

    let mut group = criterion.benchmark_group("probe");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("value_at", |b| {
        b.iter(|| assert_eq!(black_box(values()), value));
    });
    group.bench_function("gradient_at", |b| {
        b.iter(|| assert_eq!(black_box(gradients()), gradient));
    });
    group.finish();
}

/// 64 cells become walls and free again.
fn set_wall(criterion: &mut Criterion) {
    let mut medium = medium_f64(&Array2::from_elem([256, 256], false));
    let cells: Vec<[usize; 2]> = (0..64).map(|i| [(37 * i) % 256, (91 * i) % 256]).collect();
    let mut toggle = |wall: bool| {
        for &cell in &cells {
            medium.set_wall(cell, wall).unwrap();
        }
        medium.revision()
    };
    let before = toggle(true);
    assert_eq!((before, toggle(false)), (64, 128));
    let mut group = criterion.benchmark_group("set_wall");
    group.throughput(Throughput::Elements(128));
    group.bench_function("64 cells shut and opened", |bencher| {
        bencher.iter(|| {
            let before = toggle(true);
            assert_eq!(toggle(false), before + 64);
        });
    });
    // The wave also has to learn of it.
    let mut wave = Wave::new(&medium).unwrap();
    wave.emit(&medium, [128, 128], Source::default()).unwrap();
    group.throughput(Throughput::Elements(64));
    group.bench_function("64 cells shut and heard of by a wave", |bencher| {
        bencher.iter_batched_ref(
            || (medium.clone(), wave.clone()),
            |(medium, wave)| {
                for &cell in &cells {
                    medium.set_wall(cell, true).unwrap();
                }
                wave.step(medium, 0).unwrap();
                assert!(medium.is_wall(cells[0]));
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn medium_f64(walls: &Array2<bool>) -> Medium<Ix2> {
    let (ny, nx) = walls.dim();
    Medium::builder([ny, nx]).walls(walls).build().unwrap()
}
