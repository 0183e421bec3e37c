//! A front is a part of the dense wave; it ends, and starts again as the first time.

use crate::dense_reference::cases;
use crate::maps::{Rng, open_cells, open_ground, random_walls};
use crate::reference::{Scene, any_open};
use crate::tile_reach::run_to_end;
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{FrontConfig, Real, Source, Space, TileFront, Wave};

const PULSE: u32 = 8;
/// Wider than any grid here: everything that a way leads to is computed, and nothing rests.
const ALL: FrontConfig = FrontConfig { pulse: Some(PULSE), lead: Some(250), rest: Some(1024) };

fn is_the_dense_wave<D: Space, S: Real>(scene: &Scene, seed: u64) {
    let mut rng = Rng(seed);
    let Some(first) = any_open(&scene.walls, &mut rng) else {
        return;
    };
    let second = any_open(&scene.walls, &mut rng).unwrap_or(first);
    let mut cells = vec![D::from_zyx(first), D::from_zyx(second)];
    let medium = scene.medium::<D, S>();
    let mut front = TileFront::<_, S>::typed_with(&medium, ALL).unwrap();
    front.emit(&medium, &cells).unwrap();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    // A cell that is named twice is one source.
    cells.dedup();
    for cell in cells {
        wave.emit(&medium, cell, Source::Pulse { amplitude: 1.0, steps: PULSE }).unwrap();
    }
    for step in 1..=60 {
        wave.step(&medium, 1).unwrap();
        front.step(&medium, 1).unwrap();
        for ((z, y, x), _) in scene.walls.indexed_iter() {
            let cell = D::from_zyx([z, y, x]);
            let dense = wave.values()[D::shape(cell)];
            assert!(front.value(cell) == dense, "step {step} at {cell:?}: {dense:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_front_that_rests_nowhere_is_the_dense_wave(
        flat in Scene::any(false), deep in Scene::any(true), seed: u64,
    ) {
        is_the_dense_wave::<Ix2, f32>(&flat, seed);
        is_the_dense_wave::<Ix2, f64>(&flat, seed);
        is_the_dense_wave::<Ix3, f32>(&deep, seed);
        is_the_dense_wave::<Ix3, f64>(&deep, seed);
    }

    /// Also after another wave that was cut off, and under any settings.
    #[test]
    fn the_same_emission_gives_the_same_hash(
        seed: u64, fraction in 0.0..0.4f64, ny in 1..30usize, nx in 1..30usize,
        pulse in 2..40u32, lead in 1..60u32, rest in 1..60u32,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let sources: Vec<_> =
            (0..3).filter_map(|_| any_open(&walls, &mut rng)).map(|[_, y, x]| [y, x]).collect();
        prop_assume!(!sources.is_empty());
        let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
        let config = FrontConfig { pulse: Some(pulse), lead: Some(lead), rest: Some(rest) };
        let mut front = TileFront::<_, f64>::typed_with(&medium, config).unwrap();
        let hear = |front: &mut TileFront<Ix2, f64>| {
            front.emit(&medium, &sources).unwrap();
            let hashes = [7, 5000].map(|steps| {
                front.step(&medium, steps).unwrap();
                front.state_hash()
            });
            (hashes, front.updates(), front.reached_cells())
        };
        let first = hear(&mut front.clone());
        prop_assert_eq!(&hear(&mut front), &first);
        prop_assert_eq!(&hear(&mut front), &first);
        front.emit(&medium, &sources[..1]).unwrap();
        front.step(&medium, 9).unwrap();
        prop_assert_eq!(&hear(&mut front), &first);
    }

    #[test]
    fn steps_may_be_taken_in_any_portions(seed: u64, fraction in 0.0..0.4f64) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, 25, 25], fraction, &mut rng);
        let Some([_, y, x]) = any_open(&walls, &mut rng) else { return Ok(()) };
        let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
        let (mut one, mut two) = (TileFront::<_, f64>::typed(&medium), TileFront::<_, f64>::typed(&medium));
        one.emit(&medium, &[[y, x]]).unwrap();
        two.emit(&medium, &[[y, x]]).unwrap();
        let computed = one.step(&medium, 300).unwrap();
        let mut portions = 0;
        for _ in 0..100 {
            portions += two.step(&medium, 3).unwrap();
        }
        prop_assert_eq!((computed, one.updates()), (portions, two.updates()));
        prop_assert_eq!(one.state_hash(), two.state_hash());
        prop_assert_eq!((one.has_ended(), one.steps()), (two.has_ended(), two.steps()));
    }

    /// Damping may end a front before it has been everywhere, but its count stays right.
    #[test]
    fn what_is_counted_as_reached_has_an_arrival(
        seed: u64, damping in 0.0..60.0f64, fraction in 0.0..0.3f64, side in 5..40usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, side, side], fraction, &mut rng);
        let Some([_, y, x]) = any_open(&walls, &mut rng) else { return Ok(()) };
        let medium = Scene { damping, ..Scene::new(walls, 0.98) }.medium::<Ix2, f32>();
        let mut front = TileFront::new(&medium);
        let mut hashes = Vec::new();
        for _ in 0..2 {
            front.emit(&medium, &[[y, x]]).unwrap();
            front.step(&medium, 3000).unwrap();
            let arrivals = front.arrivals().iter().filter(|t| t.is_finite()).count();
            prop_assert_eq!(front.reached_cells(), arrivals);
            hashes.push(front.state_hash());
        }
        prop_assert_eq!(hashes[0], hashes[1]);
    }
}

/// So faint that the front computes cells further on with more than is there.
#[test]
fn a_faint_front_is_the_dense_wave() {
    let amplitude = 2f64.powi(-30);
    let medium = Scene::new(open_ground([1, 1, 900]), 0.98).medium::<Ix2, f32>();
    let mut front = TileFront::with_config(&medium, ALL).unwrap();
    front.emit_scaled(&medium, &[[0, 20]], amplitude).unwrap();
    let mut wave = Wave::new(&medium).unwrap();
    wave.emit(&medium, [0, 20], Source::Pulse { amplitude, steps: PULSE }).unwrap();
    for step in 0..95 {
        for x in 0..900 {
            assert_eq!(front.value([0, x]), wave.values()[[0, x]], "{step} at {x}");
        }
        wave.step(&medium, 10).unwrap();
        front.step(&medium, 10).unwrap();
    }
    assert!(wave.values()[[0, 800]] != 0.0);
}

#[test]
fn a_front_that_has_ended_leaves_nothing_behind() {
    let mut rng = Rng(8);
    let walls = random_walls([1, 40, 40], 0.3, &mut rng);
    let source = any_open(&walls, &mut rng).unwrap();
    let scene = Scene::new(walls, 0.98);
    let medium = scene.medium::<Ix2, f64>();
    let mut front = TileFront::<Ix2, f64>::typed(&medium);
    assert!(front.has_ended() && front.steps() == 0);
    front.emit(&medium, &[[source[1], source[2]]]).unwrap();
    assert!(!front.has_ended());
    run_to_end(&mut front, &medium, 400);
    for [_, y, x] in open_cells(&scene.walls) {
        assert_eq!(front.value([y, x]), 0.0);
    }
    let (hash, steps) = (front.state_hash(), front.steps());
    assert_eq!(front.run(&medium).unwrap(), 0);
    assert_eq!((front.state_hash(), front.steps()), (hash, steps));
    front.clear();
    assert_eq!(front.state_hash(), TileFront::<Ix2, f64>::typed(&medium).state_hash());
    assert_eq!((front.reached_cells(), front.updates()), (0, 0));
}
