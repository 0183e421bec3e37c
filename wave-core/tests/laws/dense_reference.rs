//! The dense wave is the plain reference, bit for bit.

use crate::maps::{Rng, open_ground, random_walls};
use crate::reference::{Number, Reference, Scene, any_open};
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Real, Source, Space, WallRule, Wave};

pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Emits the same from a random open cell into both.
pub(crate) fn emit<D: Space, S: Real, T: Number>(
    rng: &mut Rng,
    medium: &Medium<D>,
    wave: &mut Wave<D, S>,
    reference: &mut Reference<T>,
) {
    let Some(cell) = any_open(&reference.walls, rng) else {
        return;
    };
    let amplitude = (rng.unit() - 0.5) * 8.0;
    let source = if rng.below(2) == 0 {
        reference.impulse(cell, amplitude);
        Source::Impulse { amplitude }
    } else {
        let steps = 2 + rng.below(12) as u32;
        reference.pulse(cell, amplitude, steps);
        Source::Pulse { amplitude, steps }
    };
    wave.emit(medium, D::from_zyx(cell), source).unwrap();
}

fn equals_reference<D: Space, S: Real + Number>(scene: &Scene, seed: u64) {
    let mut rng = Rng(seed);
    let medium = scene.medium::<D, S>();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    let mut reference = Reference::<S>::new(scene);
    for burst in 0..4 {
        for _ in 0..=rng.below(3) {
            emit(&mut rng, &medium, &mut wave, &mut reference);
        }
        for step in 0..10 {
            wave.step(&medium, 1).unwrap();
            reference.step();
            if step % 3 == 0 {
                reference.assert_same_bits(&wave, &format!("burst {burst} step {step}"));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn a_flat_wave_is_the_reference_bit_for_bit(scene in Scene::any(false), seed: u64) {
        equals_reference::<Ix2, f32>(&scene, seed);
        equals_reference::<Ix2, f64>(&scene, seed);
    }

    #[test]
    fn a_deep_wave_is_the_reference_bit_for_bit(scene in Scene::any(true), seed: u64) {
        equals_reference::<Ix3, f32>(&scene, seed);
        equals_reference::<Ix3, f64>(&scene, seed);
    }

    /// The equation divides by `1 + m`, the crate multiplies by the rounded `1 / (1 + m)`: hence
    /// the tolerance, a few roundings a step.
    #[test]
    fn a_damped_wave_follows_the_equation_as_it_is_written(scene in Scene::any(true), seed: u64) {
        let mut scene = scene;
        scene.damping += 0.1;
        let medium = scene.medium::<Ix3, f64>();
        let (mut wave, mut reference) = (Wave::<_, f64>::typed(&medium).unwrap(), Reference::<f64>::new(&scene));
        reference.divide = true;
        let mut rng = Rng(seed);
        for _ in 0..3 {
            emit(&mut rng, &medium, &mut wave, &mut reference);
        }
        for _ in 0..50 {
            wave.step(&medium, 1).unwrap();
            reference.step();
        }
        for (ours, theirs) in wave.values().iter().zip(&reference.z) {
            approx::assert_abs_diff_eq!(ours, theirs, epsilon = 1e-11);
        }
    }
}

/// Large enough to be handed out in pieces.
fn in_pieces<D: Space>(shape: [usize; 3], steps: usize) {
    let mut rng = Rng(5);
    let walls = random_walls(shape, 0.1, &mut rng);
    let mut scene = Scene::new(walls, 0.9).with_random_speeds(&mut rng);
    scene.rule = WallRule::Fixed;
    let medium = scene.medium::<D, f32>();
    let (mut wave, mut reference) = (Wave::new(&medium).unwrap(), Reference::<f32>::new(&scene));
    // Everywhere, so that a row that is left out or stepped twice shows.
    for _ in 0..400 {
        emit(&mut rng, &medium, &mut wave, &mut reference);
    }
    wave.step(&medium, steps).unwrap();
    (0..steps).for_each(|_| reference.step());
    reference.assert_same_bits(&wave, &format!("{shape:?}"));
}

#[test]
fn a_wave_that_is_stepped_in_pieces_is_the_reference_bit_for_bit() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        in_pieces::<Ix2>([1, 401, 399], 5);
        in_pieces::<Ix3>([53, 51, 60], 5);
        in_pieces::<Ix2>([1, 3, 70_001], 5);
        in_pieces::<Ix2>([1, 70_001, 3], 5);
    });
}

fn floor_holds<S: Real + Number>(courant2: f64, amplitude: f64, steps: usize) {
    let mut scene = Scene::new(open_ground([1, 3, 400]), courant2);
    scene.rule = WallRule::Fixed;
    let medium = scene.medium::<Ix2, S>();
    let (mut wave, mut reference) =
        (Wave::<_, S>::typed(&medium).unwrap(), Reference::<S>::new(&scene));
    wave.emit(&medium, [1, 0], Source::Impulse { amplitude }).unwrap();
    reference.impulse([0, 1, 0], amplitude);
    wave.step(&medium, steps).unwrap();
    (0..steps).for_each(|_| reference.step());
    reference.assert_same_bits(&wave, "at the floor");
    let least = 2f64.powi(S::LEAST);
    let row: Vec<f64> = (0..400).map(|x| wave.values()[[1, x]].to_f64().abs()).collect();
    assert!(row.iter().all(|&z| z == 0.0 || z >= least));
    // Without a floor, z would not be 0 at any of these.
    assert!(row[..=steps].contains(&0.0), "the floor was not reached");
}

#[test]
fn magnitudes_under_the_floor_are_zero() {
    floor_holds::<f32>(1e-3, 1.0, 30);
    floor_holds::<f32>(0.9, 2f64.powi(-40), 200);
    floor_holds::<f64>(1e-5, 1.0, 100);
}
