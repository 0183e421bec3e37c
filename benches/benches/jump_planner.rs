//! Benches of `jump-planner`: one question, an audit, an edit. Each checks its answer.

use criterion::{Criterion, criterion_group, criterion_main};
use jump_planner::{Character, Jump, JumpGraph, Level, Terrain};
use ndarray::Array2;
use std::hint::black_box;

/// Rolling ground in steps of half a metre, with pillars.
fn ground(side: usize) -> JumpGraph {
    let heights = Array2::from_shape_fn((side, side), |(y, x)| {
        let wave = ((x as f64 * 0.05).sin() + (y as f64 * 0.07).cos()) * 4.0;
        let pillar = if (x * 7 + y * 13) % 97 == 0 { 6.0 } else { 0.0 };
        wave + pillar
    });
    let terrain = Terrain::builder(&heights).quantum(0.5).build().expect("sound");
    let character = Character::builder(6.0).build().expect("sound");
    JumpGraph::new(terrain, character).expect("sound")
}

fn benches(c: &mut Criterion) {
    let ditch = Terrain::from_rows(&[[0.0, -3.0, -3.0, 0.0, 1.0, 0.0, 3.0, 0.0]]).expect("sound");
    let graph =
        JumpGraph::new(ditch, Character::builder(6.0).build().expect("sound")).expect("sound");
    c.bench_function("jump: clear at first look", |b| {
        b.iter(|| assert!(matches!(graph.jump(black_box([0, 0]), [0, 3]), Ok(Jump::Clear(_)))));
    });
    c.bench_function("jump: proved blocked", |b| {
        b.iter(|| assert!(matches!(graph.jump(black_box([0, 5]), [0, 7]), Ok(Jump::Blocked))));
    });
    let graph = ground(256);
    let regions = graph.audit(None).expect("sound").region_count();
    c.bench_function("audit: 256 x 256", |b| {
        b.iter(|| assert_eq!(graph.audit(None).expect("sound").region_count(), regions));
    });
    let mut level = Level::new(graph, None).expect("sound");
    let height = level.graph().terrain().height([100, 100]).expect("data");
    c.bench_function("edit: up and down again", |b| {
        b.iter(|| {
            level.set_height([100, 100], height + 0.5).expect("sound");
            level.set_height([100, 100], height).expect("sound");
        });
    });
    assert_eq!(level.region_count(), regions);
}

criterion_group!(all, benches);
criterion_main!(all);
