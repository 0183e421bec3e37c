//! The dense wave is the plain reference, bit for bit.

use crate::maps::Rng;
use crate::reference::{Number, Reference, Scene, any_open, reshape};
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Real, Source, Space, Wave};

pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Emits the same from a random open cell into both.
pub(crate) fn emit<D: Space, S: Real, T: Number>(
    rng: &mut Rng,
    medium: &Medium<D, S>,
    wave: &mut Wave<D, S>,
    reference: &mut Reference<T>,
) {
    let Some(cell) = any_open(&reference.walls, rng) else { return };
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
    let mut wave = Wave::new(&medium);
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
    #![proptest_config(cases(96))]

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
}
