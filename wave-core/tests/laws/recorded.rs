//! The arrivals that a dense wave notes: which cells it reaches, and in which order.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, flood, folded_corridor, maze, neighbours, open_ground, random_walls};
use crate::reference::{Scene, any_open};
use ndarray::{Array2, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Real, RecordedWave, Source, Space, Wave, WaveError};

/// The wave on `scene` at its end: it has reached all cells that a flood fill reaches, and every
/// cell but the source has a neighbour that it reached before.
fn reaches_all<D: Space, S: Real>(scene: &Scene, source: Cell) -> RecordedWave<D, S> {
    let medium = scene.medium::<D, S>();
    let distance = flood(&scene.walls, &[source]);
    let mut wave = RecordedWave::<D, S>::typed(&medium).unwrap();
    wave.emit(&medium, &[D::from_zyx(source)], Source::default()).unwrap();
    wave.run(&medium).unwrap();
    assert!(wave.has_ended() && !wave.is_exhausted());
    for ((z, y, x), d) in distance.indexed_iter() {
        let cell = [z, y, x];
        let arrival = wave.arrival(D::from_zyx(cell));
        assert_eq!(arrival.is_some(), d.is_some(), "{cell:?} {d:?} cells away: {arrival:?}");
        let Some(here) = arrival else { continue };
        let earlier = |there: Cell| wave.arrival(D::from_zyx(there)).is_some_and(|t| t < here);
        let beside = neighbours(scene.shape(), cell);
        assert_eq!(beside.into_iter().any(earlier), cell != source, "{cell:?} at {here}");
    }
    assert_eq!(wave.reached_cells(), distance.iter().filter(|d| d.is_some()).count());
    assert_eq!(wave.arrivals().iter().filter(|t| t.is_finite()).count(), wave.reached_cells());
    wave
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn a_recorded_wave_reaches_what_a_flood_fill_reaches(
        seed: u64, fraction in 0.0..0.45f64, ny in 1..40usize, nx in 1..40usize,
        shape in [1..11usize, 1..11usize, 1..11usize],
    ) {
        let mut rng = Rng(seed);
        let flat = random_walls([1, ny, nx], fraction, &mut rng);
        if let Some(source) = any_open(&flat, &mut rng) {
            let scene = Scene::new(flat, 0.98);
            reaches_all::<Ix2, f64>(&scene, source);
            reaches_all::<Ix2, f32>(&scene.with_random_speeds(&mut rng), source);
        }
        let deep = random_walls(shape, fraction, &mut rng);
        if let Some(source) = any_open(&deep, &mut rng) {
            reaches_all::<Ix3, f32>(&Scene::new(deep, 0.98), source);
        }
    }
}

#[test]
fn a_recorded_wave_in_f32_reaches_all_of_a_maze() {
    for width in [1, 2, 3, 4, 8] {
        let mut rng = Rng(21);
        let rooms = 120 / (width + 1);
        let walls = maze([rooms, rooms], width, &mut rng);
        let source = any_open(&walls, &mut rng).unwrap();
        reaches_all::<Ix2, f32>(&Scene::new(walls, 0.98), source);
    }
}

#[test]
fn a_recorded_wave_in_f32_goes_round_hundreds_of_bends() {
    reaches_all::<Ix2, f32>(&Scene::new(folded_corridor(6000, 1, 300), 0.98), [0, 0, 0]);
}

#[test]
fn times_on_open_ground_are_those_of_the_waves_own_speed_on_axes_and_diagonals() {
    let wave = reaches_all::<Ix2, f32>(&Scene::new(open_ground([1, 121, 121]), 0.98), [0, 0, 0]);
    let steps_a_cell = 1.0 / (0.98f64 / 2.0).sqrt();
    for (cell, far) in [([0, 120], 120.0), ([85, 85], 85.0 * 2f64.sqrt()), ([120, 0], 120.0)] {
        let excess = wave.arrival(cell).unwrap() - far * steps_a_cell;
        assert!((0.0..8.0).contains(&excess), "{cell:?}: {excess} steps late");
    }
    let way = wave.direction([40, 80]).unwrap();
    assert!(way.angle_to(-glam::DVec2::new(80.0, 40.0)).abs() < 0.03, "{way:?}");
}

#[test]
fn a_recorded_wave_is_the_wave_itself() {
    let medium = Scene::new(random_walls([1, 30, 40], 0.2, &mut Rng(5)), 0.98).medium::<Ix2, f32>();
    let open = medium.walls().indexed_iter().find(|(_, wall)| !**wall).unwrap().0;
    let cell = [open.0, open.1];
    let (mut recorded, mut wave) =
        (RecordedWave::new(&medium).unwrap(), Wave::new(&medium).unwrap());
    recorded.emit(&medium, &[cell], Source::default()).unwrap();
    wave.emit(&medium, cell, Source::default()).unwrap();
    assert_eq!(recorded.step_within(&medium, 50, 1200 * 20 + 1199).unwrap(), 1200 * 20);
    wave.step(&medium, 20).unwrap();
    assert_eq!(recorded.wave().state_hash(), wave.state_hash());
}

/// A door that opens behind the wave is entered; one that closes before it holds it up.
#[test]
fn doors_let_it_through_and_hold_it_up() {
    let mut walls = Array2::from_elem([9, 30], false);
    (0..9).for_each(|y| walls[[y, 15]] = true);
    let mut medium = Medium::<Ix2>::builder([9, 30]).walls(&walls).build().unwrap();
    let mut wave = RecordedWave::new(&medium).unwrap();
    wave.emit(&medium, &[[4, 3]], Source::default()).unwrap();
    wave.step(&medium, 40).unwrap();
    assert_eq!((wave.has_ended(), wave.reached_cells()), (true, 9 * 15));
    let opened = wave.steps() as f64;
    medium.set_wall([4, 15], false).unwrap();
    assert_eq!(wave.edits_behind(&medium).unwrap(), 1);
    wave.run(&medium).unwrap();
    assert_eq!(wave.reached_cells(), 9 * 29 + 1);
    assert!(wave.arrival([4, 16]).unwrap() > opened);

    wave.emit(&medium, &[[4, 3]], Source::default()).unwrap();
    wave.step(&medium, 5).unwrap();
    medium.set_wall([4, 15], true).unwrap();
    wave.run(&medium).unwrap();
    assert_eq!((wave.reached_cells(), wave.arrival([4, 15])), (9 * 15, None));
}

/// How long a wave waits for an arrival does not depend on how it learns of slower speeds: from the
/// log of edits, from another copy of the medium, or with a wall that opens.
#[test]
fn slower_cells_are_waited_for() {
    let mut walls = Array2::from_elem([1, 8], false);
    walls[[0, 5]] = true;
    let speeds = Array2::from_shape_fn([1, 8], |(_, x)| if x == 5 { 0.0005 } else { 1.0 });
    let builder = || Medium::<Ix2>::builder([1, 8]).dt(0.9);
    let ends = |mut medium: Medium<Ix2>, edit: fn(&mut Medium<Ix2>), is_copied: bool| {
        let mut wave = RecordedWave::new(&medium).unwrap();
        wave.emit(&medium, &[[0, 0]], Source::default()).unwrap();
        wave.step(&medium, 4).unwrap();
        if is_copied {
            medium = medium.clone();
        }
        edit(&mut medium);
        wave.run(&medium).unwrap();
        (wave.steps(), wave.reached_cells(), wave.is_exhausted())
    };
    let slow = |medium: &mut Medium<Ix2>| {
        (0..8).for_each(|x| medium.set_speed([0, x], 0.0005).unwrap());
    };
    let open = |medium: &mut Medium<Ix2>| {
        medium.set_wall([0, 5], false).unwrap();
    };
    let even = builder().build().unwrap();
    let found = ends(even.clone(), slow, false);
    assert_eq!((found.1, found.2), (8, false));
    assert_eq!(ends(even, slow, true), found);
    let walled = builder().walls(&walls).speeds(&speeds).build().unwrap();
    let found = ends(walled.clone(), open, false);
    assert_eq!((found.1, found.2), (8, false));
    assert_eq!(ends(walled, open, true), found);
}

#[test]
fn what_cannot_be_emitted_leaves_the_wave_as_it_was() {
    let mut walls = Array2::from_elem([5, 5], false);
    walls[[2, 2]] = true;
    let medium = Medium::<Ix2>::builder([5, 5]).walls(&walls).build().unwrap();
    let mut wave = RecordedWave::new(&medium).unwrap();
    wave.emit(&medium, &[[0, 0]], Source::default()).unwrap();
    wave.step(&medium, 4).unwrap();
    let hash = wave.state_hash();
    let source = Source::default();
    assert!(matches!(wave.emit(&medium, &[], source), Err(WaveError::NoSource)));
    assert!(matches!(wave.emit(&medium, &[[2, 2]], source), Err(WaveError::Wall { .. })));
    assert!(matches!(wave.emit(&medium, &[[9, 2]], source), Err(WaveError::OutOfGrid { .. })));
    let bad = Source::Kick { amplitude: 0.0 };
    assert!(matches!(wave.emit(&medium, &[[1, 2]], bad), Err(WaveError::Source { .. })));
    assert_eq!(wave.state_hash(), hash);
}

/// Every bend costs a wave a factor of its amplitude; `f32` can hold the rest.
#[test]
fn a_recorded_wave_in_f32_goes_round_six_hundred_bends() {
    reaches_all::<Ix2, f32>(&Scene::new(folded_corridor(24 * 600, 8, 600), 0.98), [0, 0, 0]);
}

proptest! {
    #![proptest_config(cases(48))]

    /// Whatever is edited whenever: it ends, walls are not reached, and the next emission is as on
    /// a medium that was built so.
    #[test]
    fn a_recorded_wave_survives_any_edits(
        seed: u64, fraction in 0.0..0.6f64, side in 3..30usize, speeds: bool,
    ) {
        let (mut rng, shape) = (Rng(seed), [1, side, 20]);
        let walls = random_walls(shape, fraction, &mut rng);
        let Some(source) = any_open(&walls, &mut rng) else { return Ok(()) };
        let mut scene = Scene::new(walls, 0.98);
        if speeds {
            scene = scene.with_random_speeds(&mut rng);
        }
        let mut medium = scene.medium::<Ix2, f32>();
        let mut wave = RecordedWave::new(&medium).unwrap();
        let source = [source[1], source[2]];
        wave.emit(&medium, &[source], RecordedWave::pulse(&medium)).unwrap();
        for _ in 0..12 {
            wave.step(&medium, rng.below(5)).unwrap();
            for _ in 0..rng.below(5) {
                let (cell, wall) = (rng.cell(shape), rng.below(2) == 0);
                if [cell[1], cell[2]] != source {
                    medium.set_wall([cell[1], cell[2]], wall).unwrap();
                    scene.walls[cell] = wall;
                }
            }
            if speeds && rng.below(4) == 0 {
                let (cell, sixteenths) = (rng.cell(shape), 4 + rng.below(29));
                scene.speeds[cell] = sixteenths as f64 / 16.0;
                medium.set_speed([cell[1], cell[2]], scene.speeds[cell]).unwrap();
            }
        }
        wave.run(&medium).unwrap();
        for ((_, y, x), &wall) in scene.walls.indexed_iter() {
            prop_assert!(!wall || wave.arrival([y, x]).is_none());
        }
        let reached = |wave: &RecordedWave<Ix2>| {
            wave.arrivals().iter().filter(|t| t.is_finite()).count()
        };
        prop_assert_eq!(wave.reached_cells(), reached(&wave));

        let built = scene.medium::<Ix2, f32>();
        let mut again = RecordedWave::new(&built).unwrap();
        for (wave, medium) in [(&mut wave, &medium), (&mut again, &built)] {
            wave.emit(medium, &[source], RecordedWave::pulse(medium)).unwrap();
            wave.run(medium).unwrap();
        }
        prop_assert_eq!(wave.arrivals(), again.arrivals());
        let all = flood(&scene.walls, &[[0, source[0], source[1]]]);
        prop_assert_eq!(again.reached_cells(), all.iter().filter(|d| d.is_some()).count());
    }
}
