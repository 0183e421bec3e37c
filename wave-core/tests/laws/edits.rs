//! Walls and speeds that change while a wave is on its way.

use crate::dense_reference::{cases, emit};
use crate::maps::{Rng, open_ground, random_walls};
use crate::reference::{Number, Reference, Scene, random_speed};
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use std::collections::HashSet;
use wave_core::{Medium, Real, Simd, Source, Space, WallRule, Wave, WaveError};

fn edited_equals_reference<D: Space, S: Real + Number>(scene: &Scene, seed: u64) {
    let mut rng = Rng(seed);
    let mut medium = scene.medium::<D, S>();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    let mut reference = Reference::<S>::new(scene);
    let speeds = [2, Scene::SPEEDS][rng.below(2)];
    for round in 0..24 {
        if round % 5 == 0 {
            emit(&mut rng, &medium, &mut wave, &mut reference);
        }
        let mut touched = HashSet::new();
        for _ in 0..rng.below(6) {
            let cell = rng.cell(scene.shape());
            if rng.below(3) == 0 {
                let speed = random_speed(speeds, &mut rng);
                medium.set_speed(D::from_zyx(cell), speed).unwrap();
                reference.set_speed(cell, speed);
            } else if touched.insert(cell) {
                let wall = rng.below(2) == 0;
                medium.set_wall(D::from_zyx(cell), wall).unwrap();
                reference.set_wall(cell, wall);
            }
        }
        for _ in 0..rng.below(4) {
            wave.step(&medium, 1).unwrap();
            reference.step();
        }
        wave.step(&medium, 0).unwrap();
        reference.assert_same_bits(&wave, &format!("round {round}"));
        assert!(medium.walls().iter().eq(reference.walls.iter()));
        // Small boxes, some of which leave the grid or end before they begin; and numbers that
        // wrapped below 0.
        let first = rng.cell(scene.shape());
        let axes = 3 - D::AXES..3;
        for more in 0..27 {
            let more = [more / 9, more / 3 % 3, more % 3];
            let mut last = first;
            axes.clone().for_each(|a| last[a] += more[a]);
            let mut cells = (first[0]..=last[0]).flat_map(|z| {
                (first[1]..=last[1]).flat_map(move |y| (first[2]..=last[2]).map(move |x| [z, y, x]))
            });
            let open = cells.all(|cell| reference.walls.get(cell) == Some(&false));
            let [begin, end] = [first, last].map(D::from_zyx);
            assert_eq!(medium.is_open_box(begin, end), open, "{first:?} to {last:?}");
            assert!(begin == end || !medium.is_open_box(end, begin));
        }
        for a in axes {
            let mut below = first;
            below[a] = usize::MAX;
            assert!(!medium.is_open_box(D::from_zyx(below), D::from_zyx(first)));
        }
    }
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn an_edited_flat_wave_is_the_edited_reference(scene in Scene::any(false), seed: u64) {
        edited_equals_reference::<Ix2, f32>(&scene, seed);
        edited_equals_reference::<Ix2, f64>(&scene, seed);
    }

    #[test]
    fn an_edited_deep_wave_is_the_edited_reference(scene in Scene::any(true), seed: u64) {
        edited_equals_reference::<Ix3, f32>(&scene, seed);
        edited_equals_reference::<Ix3, f64>(&scene, seed);
    }

    /// A medium that has been edited to a map is the medium that is built from the map.
    #[test]
    fn an_edited_medium_is_the_one_built_from_scratch(
        from in Scene::any(true), seed: u64, fraction in 0.0..0.6f64,
    ) {
        let mut rng = Rng(seed);
        let mut to = Scene { walls: random_walls(from.shape(), fraction, &mut rng), ..from.clone() };
        to.speeds.mapv_inplace(|_| random_speed(Scene::SPEEDS, &mut rng));
        let mut edited = from.medium::<Ix3, f64>();
        for (cell, &wall) in to.walls.indexed_iter() {
            edited.set_wall(cell.into(), wall).unwrap();
            edited.set_speed(cell.into(), to.speeds[cell]).unwrap();
        }
        let built = to.medium::<Ix3, f64>();
        prop_assert_eq!(edited.walls(), built.walls());
        prop_assert_eq!(edited.open_cells(), built.open_cells());
        let changes = from.walls.iter().zip(&to.walls).filter(|(a, b)| a != b).count();
        prop_assert_eq!(edited.revision(), changes as u64);
        let (mut one, mut two) = (Wave::<_, f64>::typed(&edited).unwrap(), Wave::<_, f64>::typed(&built).unwrap());
        for (cell, _) in to.walls.indexed_iter().filter(|&(_, &wall)| !wall) {
            let source = Source::Impulse { amplitude: rng.unit() + 0.5 };
            one.emit(&edited, cell.into(), source).unwrap();
            two.emit(&built, cell.into(), source).unwrap();
        }
        one.step(&edited, 12).unwrap();
        two.step(&built, 12).unwrap();
        prop_assert_eq!(one.state_hash(), two.state_hash());
    }
}

fn keeps_its_speed<D: Space>(shape: [usize; 3], cell: D::Cell) {
    let mut rng = Rng(3);
    let scene = Scene::new(open_ground(shape), 0.9).with_random_speeds(&mut rng);
    let mut medium = scene.medium::<D, f32>();
    let before = medium.speed(cell);
    medium.set_wall(cell, true).unwrap();
    assert_eq!(medium.speed(cell), before);
    medium.set_wall(cell, false).unwrap();
    assert_eq!(medium.speed(cell), before);
    // A speed that is set in a wall counts from the opening on, and does not open it.
    medium.set_wall(cell, true).unwrap();
    medium.set_speed(cell, 0.75).unwrap();
    assert!(medium.is_wall(cell));
    medium.set_wall(cell, false).unwrap();
    approx::assert_relative_eq!(medium.speed(cell).unwrap(), 0.75, epsilon = 1e-6);
}

#[test]
fn a_cell_that_is_closed_and_opened_again_has_its_speed_back() {
    keeps_its_speed::<Ix2>([1, 5, 6], [2, 3]);
    keeps_its_speed::<Ix3>([4, 5, 6], [1, 2, 3]);
}

fn fastest_of_the_open<D: Space>(shape: D::Cell, [fast, slow]: [D::Cell; 2]) {
    let mut medium = Medium::<D>::builder(shape).speed(0.5).dt(0.5).build().unwrap();
    medium.set_speed(fast, 1.0).unwrap();
    medium.set_speed(slow, 0.25).unwrap();
    approx::assert_relative_eq!(medium.fastest_speed(), 1.0, epsilon = 1e-6);
    medium.set_wall(fast, true).unwrap();
    approx::assert_relative_eq!(medium.fastest_speed(), 0.5, epsilon = 1e-6);
}

#[test]
fn the_fastest_speed_is_that_of_an_open_cell() {
    fastest_of_the_open::<Ix2>([4, 5], [[1, 2], [0, 0]]);
    fastest_of_the_open::<Ix3>([3, 4, 5], [[1, 1, 2], [0, 0, 0]]);
}

/// As many edits between two steps as asked for, the first of which closes a cell for good.
fn closes_first<S: Real + Number>(edits: usize, rule: WallRule) {
    let scene = Scene { rule, ..Scene::new(open_ground([1, 21, 20]), 0.9) };
    let mut medium = scene.medium::<Ix2, S>();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    let mut reference = Reference::<S>::new(&scene);
    wave.emit(&medium, [10, 10], Source::Impulse { amplitude: 1.0 }).unwrap();
    reference.impulse([0, 10, 10], 1.0);
    wave.step(&medium, 9).unwrap();
    (0..9).for_each(|_| reference.step());

    medium.set_wall([10, 12], true).unwrap();
    reference.set_wall([0, 10, 12], true);
    for edit in 1..edits {
        medium.set_wall([3, 3], edit % 2 == 1).unwrap();
    }
    reference.set_wall([0, 3, 3], edits.is_multiple_of(2));
    assert_eq!(medium.revision(), edits as u64);
    wave.step(&medium, 9).unwrap();
    (0..9).for_each(|_| reference.step());
    reference.assert_same_bits(&wave, &format!("{edits} edits"));
}

#[test]
fn any_number_of_edits_between_two_steps_counts() {
    for edits in [1, 2, 65_535, 65_536, 65_537, 65_538, 150_000] {
        closes_first::<f32>(edits, WallRule::Free);
        closes_first::<f64>(edits, WallRule::Fixed);
    }
}

#[test]
fn a_source_that_becomes_a_wall_emits_nothing_more() {
    for (rule, edits) in [(WallRule::Free, 1), (WallRule::Fixed, 1), (WallRule::Free, 65_537)] {
        let scene = Scene { rule, ..Scene::new(open_ground([1, 9, 9]), 0.9) };
        let mut medium = scene.medium::<Ix2, f64>();
        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        let mut reference = Reference::<f64>::new(&scene);
        for (cell, steps) in [([4, 4], 12), ([2, 7], 9)] {
            wave.emit(&medium, cell, Source::Pulse { amplitude: 1.0, steps }).unwrap();
            reference.pulse([0, cell[0], cell[1]], 1.0, steps);
        }
        wave.step(&medium, 4).unwrap();
        (0..4).for_each(|_| reference.step());
        for edit in 0..edits {
            medium.set_wall([4, 4], edit % 2 == 0).unwrap();
        }
        reference.set_wall([0, 4, 4], true);
        wave.step(&medium, 2).unwrap();
        (0..2).for_each(|_| reference.step());
        medium.set_wall([4, 4], false).unwrap();
        reference.set_wall([0, 4, 4], false);
        wave.step(&medium, 20).unwrap();
        (0..20).for_each(|_| reference.step());
        reference.assert_same_bits(&wave, &format!("{rule:?}, {edits} edits"));
    }
}

/// Only the walls that stand when a wave steps count, also where the log is too short to tell.
#[test]
fn a_wall_that_came_and_went_between_two_steps_was_never_there() {
    let scene = Scene::new(open_ground([1, 9, 9]), 0.9);
    let mut medium = scene.medium::<Ix2, f64>();
    let start = {
        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        wave.emit(&medium, [4, 4], Source::Pulse { amplitude: 1.0, steps: 12 }).unwrap();
        wave.step(&medium, 6).unwrap();
        wave
    };
    let mut undisturbed = start.clone();
    undisturbed.step(&medium, 20).unwrap();
    for edits in [2, 65_540] {
        for edit in 0..edits {
            medium.set_wall([4, 4], edit % 2 == 0).unwrap();
        }
        let mut wave = start.clone();
        wave.step(&medium, 20).unwrap();
        assert_eq!(wave.state_hash(), undisturbed.state_hash(), "{edits} edits");
    }
}

/// Also where two waves share the medium and look at it at different times.
#[test]
fn every_wave_on_a_medium_sees_every_edit() {
    let mut rng = Rng(11);
    let scene = Scene::new(open_ground([1, 12, 12]), 0.9);
    let mut medium = scene.medium::<Ix2, f64>();
    let mut waves =
        [Wave::<_, f64>::typed(&medium).unwrap(), Wave::<_, f64>::typed(&medium).unwrap()];
    for wave in &mut waves {
        wave.emit(&medium, [6, 6], Source::default()).unwrap();
        wave.step(&medium, 10).unwrap();
    }
    let rest = |medium: &Medium<Ix2>, wave: &Wave<Ix2, f64>| {
        let cells = medium.walls();
        wave.values().iter().zip(&cells).all(|(&z, &wall)| !wall || z == 0.0)
    };
    for _ in 0..10 {
        medium.set_wall([rng.below(12), rng.below(12)], true).unwrap();
        waves[0].step(&medium, 1).unwrap();
        assert!(rest(&medium, &waves[0]));
    }
    waves[1].step(&medium, 1).unwrap();
    assert!(rest(&medium, &waves[1]));
}

/// Two media that were the same once and have been edited as often, but not alike.
fn goes_over<D: Space>(shape: [usize; 3], [here, there]: [[usize; 3]; 2]) {
    let [here, there] = [here, there].map(D::from_zyx);
    let mut first = Scene::new(open_ground(shape), 0.9).medium::<D, f32>();
    let mut second = first.clone();
    first.set_wall(there, true).unwrap();
    second.set_wall(here, true).unwrap();
    let mut start = Wave::new(&first).unwrap();
    start.emit(&first, here, Source::Impulse { amplitude: 1.0 }).unwrap();
    start.step(&first, 1).unwrap();
    let hashes = Simd::available().map(|simd| {
        let mut wave = start.clone();
        wave.set_simd(simd).unwrap();
        wave.step(&second, 1).unwrap();
        let walls = second.walls();
        let mut cells = wave.values().into_iter().zip(&walls);
        assert!(cells.all(|(&z, &wall)| !wall || z == 0.0), "{simd:?}");
        assert!(wave.values().iter().any(|&z| z != 0.0));
        wave.step(&second, 20).unwrap();
        wave.state_hash()
    });
    let hashes = hashes.collect::<Vec<_>>();
    assert!(hashes.iter().all(|&hash| hash == hashes[0]));
}

/// Only the walls at a wave's next step count, whatever was emitted or refused before.
#[test]
fn an_emission_takes_over_no_edit() {
    let scene = Scene::new(open_ground([1, 12, 12]), 0.9);
    let mut medium = scene.medium::<Ix2, f32>();
    let mut wave = Wave::new(&medium).unwrap();
    wave.emit(&medium, [6, 6], Source::default()).unwrap();
    wave.step(&medium, 6).unwrap();
    let mut plain = wave.clone();
    medium.set_wall([6, 6], true).unwrap();
    let before = wave.state_hash();
    assert_eq!(
        wave.emit(&medium, [6, 6], Source::default()),
        Err(WaveError::Wall { cell: vec![6, 6] })
    );
    assert_eq!(wave.state_hash(), before);
    wave.emit(&medium, [2, 3], Source::default()).unwrap();
    medium.set_wall([6, 6], false).unwrap();
    plain.emit(&medium, [2, 3], Source::default()).unwrap();
    for wave in [&mut wave, &mut plain] {
        wave.step(&medium, 20).unwrap();
    }
    assert_eq!(wave.state_hash(), plain.state_hash());
}

#[test]
fn a_wave_that_goes_over_to_another_medium_is_at_rest_in_its_walls() {
    goes_over::<Ix2>([1, 9, 30], [[0, 4, 10], [0, 4, 20]]);
    goes_over::<Ix2>([1, 300, 300], [[0, 150, 100], [0, 150, 120]]);
    goes_over::<Ix3>([5, 9, 30], [[2, 4, 10], [2, 4, 20]]);
}
