//! Small waves and fronts through every kernel: the bits of the scalar one. Small enough for Miri, which
//! then sees every unsafe block (`.ci/miri`).

use ndarray::{Array, Ix2, Ix3};
use wave_core::{Front, Medium, Real, Simd, Source, Space, Wave};

/// Every seventh cell is a wall. With `areas`, every fifth is slow.
fn medium<D: Space, S: Real>(size: D::Cell, areas: bool) -> Medium<D, S> {
    let mut cell = 0;
    let walls = Array::from_shape_simple_fn(D::shape(size), || {
        cell += 1;
        cell % 7 == 3
    });
    let speeds = Array::from_shape_simple_fn(D::shape(size), || {
        cell += 1;
        S::from_f64(if areas && cell % 5 == 0 { 0.5 } else { 1.0 })
    });
    Medium::builder(size).walls(&walls).speeds(&speeds).build().unwrap()
}

fn every_set_agrees<D: Space, S: Real>(size: D::Cell, source: D::Cell) {
    // Under Miri only the harder of the two.
    for areas in if cfg!(miri) { &[true][..] } else { &[false, true] } {
        let medium = medium::<D, S>(size, *areas);
        let hashes = Simd::available().map(|simd| {
            let mut wave = Wave::new(&medium);
            wave.set_simd(simd).unwrap();
            wave.emit(&medium, source, Source::Impulse { amplitude: 1.0 }).unwrap();
            wave.emit(&medium, source, Source::Pulse { amplitude: 0.5, steps: 2 }).unwrap();
            wave.step(&medium, 1).unwrap();
            wave.step(&medium, if cfg!(miri) { 2 } else { 4 }).unwrap();
            let mut front = Front::new(&medium);
            front.set_simd(simd).unwrap();
            front.emit(&medium, &[source]).unwrap();
            front.step(&medium, 3).unwrap();
            (wave.content_hash(), front.content_hash())
        });
        let hashes: Vec<_> = hashes.collect();
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
    }
}

#[test]
fn flat_waves_have_the_same_bits() {
    every_set_agrees::<Ix2, f32>([5, 19], [2, 10]);
    every_set_agrees::<Ix2, f64>([5, 19], [2, 10]);
}

#[test]
fn deep_waves_have_the_same_bits() {
    every_set_agrees::<Ix3, f32>([3, 4, 18], [1, 2, 9]);
    every_set_agrees::<Ix3, f64>([3, 4, 18], [1, 2, 9]);
}
