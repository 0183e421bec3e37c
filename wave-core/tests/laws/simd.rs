//! The same bits for every instruction set, any number of threads, and however steps are grouped.

use crate::dense_reference::{cases, emit};
use crate::maps::{Rng, open_cells, random_walls};
use crate::reference::{Number, Reference, Scene};
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Real, Simd, Source, Space, Wave, WaveError};

fn every_set_is_the_scalar_one<D: Space, S: Real + Number>(scene: &Scene, seed: u64) {
    let medium = scene.medium::<D, S>();
    let mut scalar = Wave::<_, S>::typed(&medium).unwrap();
    let mut reference = Reference::<S>::new(scene);
    let mut rng = Rng(seed);
    for _ in 0..4 {
        emit(&mut rng, &medium, &mut scalar, &mut reference);
    }
    scalar.set_simd(Simd::Scalar).unwrap();
    let start = scalar.clone();
    let steps = 1 + rng.below(30);
    scalar.step(&medium, steps).unwrap();
    (0..steps).for_each(|_| reference.step());
    reference.assert_same_bits(&scalar, "scalar");
    for simd in Simd::available() {
        let mut wave = start.clone();
        wave.set_simd(simd).unwrap();
        wave.step(&medium, steps).unwrap();
        assert_eq!(wave.state_hash(), scalar.state_hash(), "{}", simd.name());
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn a_flat_wave_has_the_same_bits_with_every_set(scene in Scene::any(false), seed: u64) {
        every_set_is_the_scalar_one::<Ix2, f32>(&scene, seed);
        every_set_is_the_scalar_one::<Ix2, f64>(&scene, seed);
    }

    #[test]
    fn a_deep_wave_has_the_same_bits_with_every_set(scene in Scene::any(true), seed: u64) {
        every_set_is_the_scalar_one::<Ix3, f32>(&scene, seed);
        every_set_is_the_scalar_one::<Ix3, f64>(&scene, seed);
    }
}

/// Speeds of which AVX2 can look the kinds of cells up, AVX-512 in `f64` too, and too many for
/// that.
const ONE: usize = 1;
const FEW: usize = 2;
const MANY: usize = Scene::SPEEDS;

/// A map of some speeds with sources all over it, impulses and pulses that last longer than any
/// tile is high.
fn busy<D: Space, S: Real>(shape: [usize; 3], speeds: usize) -> (Medium<D>, Wave<D, S>) {
    let mut rng = Rng(7);
    let walls = random_walls(shape, 0.1, &mut rng);
    let sources: Vec<_> = open_cells(&walls).into_iter().step_by(97).collect();
    let scene = Scene::new(walls, 0.9).with_speeds(speeds, &mut rng);
    let medium = scene.medium::<D, S>();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    for (i, cell) in sources.into_iter().enumerate() {
        let source = match i % 4 {
            0 => Source::Impulse { amplitude: 1.0 },
            1 => Source::Pulse { amplitude: -0.5, steps: 40 },
            _ => Source::Pulse { amplitude: 1.5, steps: 8 },
        };
        wave.emit(&medium, D::from_zyx(cell), source).unwrap();
    }
    (medium, wave)
}

fn grouping_and_threads_change_no_bit<D: Space, S: Real>(shape: [usize; 3], speeds: usize) {
    let (medium, start) = busy::<D, S>(shape, speeds);
    let mut single = start.clone();
    single.set_simd(Simd::Scalar).unwrap();
    (0..64).for_each(|_| single.step(&medium, 1).unwrap());
    for threads in [1, 2, 3, 8] {
        for simd in Simd::available().skip(1) {
            for groups in [vec![64], vec![1; 64], vec![7, 50, 7]] {
                let hash = stepped(&medium, &start, simd, threads, &groups);
                let what = format!(
                    "{shape:?}, {speeds} speeds, {threads} threads, {}, {groups:?}",
                    simd.name()
                );
                assert_eq!(hash, single.state_hash(), "{what}");
            }
        }
    }
}

/// The hash of a wave after so many steps each time.
fn stepped<D: Space, S: Real>(
    medium: &Medium<D>,
    start: &Wave<D, S>,
    simd: Simd,
    threads: usize,
    groups: &[usize],
) -> u64 {
    let mut wave = start.clone();
    wave.set_simd(simd).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| groups.iter().for_each(|&n| wave.step(medium, n).unwrap()));
    wave.state_hash()
}

#[test]
fn a_flat_wave_has_the_same_bits_however_its_steps_are_grouped_and_spread() {
    // Odd sizes, a grid of one tile and of several, thin ones in both directions.
    for shape in [[1, 97, 83], [1, 131, 1021], [1, 3, 3001], [1, 1201, 5]] {
        grouping_and_threads_change_no_bit::<Ix2, f32>(shape, MANY);
    }
    grouping_and_threads_change_no_bit::<Ix2, f32>([1, 131, 1021], FEW);
    grouping_and_threads_change_no_bit::<Ix2, f64>([1, 97, 83], MANY);
    grouping_and_threads_change_no_bit::<Ix2, f64>([1, 131, 501], FEW);
}

#[test]
fn a_deep_wave_has_the_same_bits_however_its_steps_are_grouped_and_spread() {
    // Planes of one row and of many, of the most cells that are stepped as one row, tiles of
    // strips.
    for shape in [
        [33, 34, 35],
        [50, 49, 50],
        [70, 7, 9],
        [2, 64, 64],
        [9, 1, 999],
        [64, 63, 140],
        [40, 150, 120],
    ] {
        grouping_and_threads_change_no_bit::<Ix3, f32>(shape, FEW);
        grouping_and_threads_change_no_bit::<Ix3, f32>(shape, MANY);
    }
    grouping_and_threads_change_no_bit::<Ix3, f32>([33, 34, 35], ONE);
    grouping_and_threads_change_no_bit::<Ix3, f32>([40, 150, 120], ONE);
    for speeds in [FEW, MANY] {
        grouping_and_threads_change_no_bit::<Ix3, f64>([33, 34, 35], speeds);
        grouping_and_threads_change_no_bit::<Ix3, f64>([34, 33, 35], speeds);
    }
}

/// A wave that no cache holds, of which memory is asked ahead: at once and by several threads as a
/// step at a time by the scalar kernel.
fn too_large_for_a_cache<D: Space>(shape: [usize; 3], speeds: usize, steps: usize) {
    let (medium, start) = busy::<D, f32>(shape, speeds);
    let expected = stepped(&medium, &start, Simd::Scalar, 1, &vec![1; steps]);
    for simd in Simd::available() {
        assert_eq!(stepped(&medium, &start, simd, 3, &[steps - 1, 1]), expected, "{simd:?}");
    }
}

#[test]
fn waves_too_large_for_a_cache_have_the_same_bits() {
    // As many steps as take another kernel than a few, and rows of more than one strip.
    too_large_for_a_cache::<Ix2>([1, 1000, 4300], ONE, 18);
    too_large_for_a_cache::<Ix2>([1, 2100, 2001], MANY, 11);
    too_large_for_a_cache::<Ix3>([40, 331, 330], FEW, 11);
    too_large_for_a_cache::<Ix3>([40, 331, 330], MANY, 11);
    too_large_for_a_cache::<Ix3>([9, 700, 690], ONE, 11);
    too_large_for_a_cache::<Ix3>([700, 30, 250], FEW, 11);
}

/// A pool with fewer threads than it would take if tasks waited for each other.
#[test]
fn more_workers_than_cores_and_nested_pools_finish() {
    let (medium, start) = busy::<Ix2, f32>([1, 300, 300], MANY);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let run = || {
        let mut wave = start.clone();
        wave.step(&medium, 100).unwrap();
        wave.state_hash()
    };
    let (one, eight) = (pool(1), pool(8));
    let hash = one.install(run);
    assert_eq!(eight.install(|| one.install(run)), hash);
    assert_eq!(eight.install(|| rayon::join(run, run)), (hash, hash));
}

#[test]
fn a_set_that_the_processor_has_not_is_refused() {
    let (medium, mut wave) = busy::<Ix2, f32>([1, 9, 9], MANY);
    let before = wave.state_hash();
    let foreign = if cfg!(target_arch = "aarch64") { Simd::Avx2 } else { Simd::Neon };
    assert_eq!(wave.set_simd(foreign), Err(WaveError::Simd { simd: foreign }));
    assert_eq!(wave.state_hash(), before);
    wave.step(&medium, 1).unwrap();
}
