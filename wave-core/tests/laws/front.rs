//! The front of short waves, step by step, against the field that is solved at once.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, flood, folded_corridor, open_ground, random_walls};
use crate::reference::{Scene, any_open};
use glam::{Vec2, Vec3};
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{ArrivalField, Front, Real, Space, WaveError};

/// A scene, and sources in it.
fn scene(seed: u64, shape: Cell, fraction: f64, speeds: bool) -> Option<(Scene, Vec<Cell>, Rng)> {
    let mut rng = Rng(seed);
    let mut scene = Scene::new(random_walls(shape, fraction, &mut rng), 0.98);
    if speeds {
        scene = scene.with_random_speeds(&mut rng);
    }
    let sources: Option<_> = (0..=rng.below(3)).map(|_| any_open(&scene.walls, &mut rng)).collect();
    Some((scene, sources?, rng))
}

/// In any portions it gives the field's times and ways, whatever it had run before.
fn is_the_field<D: Space, S: Real>(
    (seed, fraction, speeds): (u64, f64, bool),
    shape: Cell,
    xyz: impl Fn(D::Direction) -> [f32; 3],
) {
    let Some((mut scene, sources, mut rng)) = scene(seed, shape, fraction, speeds) else { return };
    // The front counts time by the fastest cell, walls included, the field by the fastest open one.
    let open = scene.speeds.iter().zip(&scene.walls).filter(|(_, wall)| !**wall);
    let fastest = open.fold(0.0, |most: f64, (speed, _)| most.max(*speed));
    scene.speeds.mapv_inplace(|speed| speed.min(fastest));
    let medium = scene.medium::<D, S>();
    let cells: Vec<_> = sources.iter().map(|&cell| D::from_zyx(cell)).collect();
    let field = ArrivalField::from_sources(&medium, &cells).unwrap();
    let mut front = Front::<D>::new(&medium);
    let at = any_open(&scene.walls, &mut rng).unwrap();
    front.emit(&medium, &[D::from_zyx(at)]).unwrap();
    front.step(&medium, rng.below(30)).unwrap();
    front.emit(&medium, &cells).unwrap();
    let mut updates = 0;
    while !front.has_ended() {
        let (steps, most) = (1 + rng.below(9), front.next_updates() * (1 + rng.below(6)) as u64);
        let spent = front.step_within(&medium, steps, most).unwrap();
        assert!(spent <= most);
        updates += spent;
    }
    let reached = flood(&scene.walls, &sources).iter().filter(|d| d.is_some()).count();
    assert_eq!(front.reached_cells(), reached);
    assert_eq!(updates, front.updates());
    assert_eq!(updates, reached as u64 * Front::<D>::UPDATES_PER_CELL);
    let (arrivals, ways) = (front.arrivals(), field.directions());
    assert_eq!(arrivals, *field.times());
    for ((z, y, x), &wall) in scene.walls.indexed_iter() {
        let cell = D::from_zyx([z, y, x]);
        let Some(way) = front.direction(cell) else { continue };
        assert!(!wall);
        let (way, direction) = (D::to_xyz(way), xyz(ways[D::shape(cell)]));
        let off = (0..3).map(|a| (way[a] - f64::from(direction[a])).abs());
        assert!(off.fold(0.0, f64::max) < 1e-6, "{way:?} and {direction:?}");
    }
}

/// Whatever is edited whenever, anywhere or the same few cells again and again: it ends, walls are
/// not reached, and the next emission is as on a medium that was built so.
fn survives<D: Space, S: Real>((seed, fraction, speeds): (u64, f64, bool), shape: Cell) {
    let Some((mut scene, sources, mut rng)) = scene(seed, shape, fraction, speeds) else { return };
    let mut medium = scene.medium::<D, S>();
    let cells: Vec<_> = sources.iter().map(|&cell| D::from_zyx(cell)).collect();
    let mut front = Front::<D>::new(&medium);
    front.emit(&medium, &cells).unwrap();
    let doors = [0; 6].map(|_| rng.cell(shape));
    for i in 0..60 {
        let flaps = i >= 12;
        front.step(&medium, rng.below(if flaps { 2 } else { 5 })).unwrap();
        for _ in 0..rng.below(5) {
            let anywhere = rng.cell(shape);
            let cell = if flaps { doors[rng.below(6)] } else { anywhere };
            let wall = rng.below(2) == 0;
            if !sources.contains(&cell) {
                medium.set_wall(D::from_zyx(cell), wall).unwrap();
                scene.walls[cell] = wall;
            }
        }
        if speeds && rng.below(4) == 0 {
            let (cell, sixteenths) = (rng.cell(shape), 4 + rng.below(29));
            scene.speeds[cell] = sixteenths as f64 / 16.0;
            medium.set_speed(D::from_zyx(cell), scene.speeds[cell]).unwrap();
        }
    }
    front.run(&medium).unwrap();
    assert!(front.has_ended() && !front.is_exhausted());
    for (cell, &wall) in scene.walls.indexed_iter() {
        assert!(!wall || front.arrival(D::from_zyx(cell.into())).is_none());
    }
    let arrivals = front.arrivals().iter().filter(|t| t.is_finite()).count();
    assert_eq!(front.reached_cells(), arrivals);

    front.emit(&medium, &cells).unwrap();
    front.run(&medium).unwrap();
    let fresh = scene.medium::<D, S>();
    let mut afresh = Front::<D>::new(&fresh);
    afresh.emit(&fresh, &cells).unwrap();
    afresh.run(&fresh).unwrap();
    assert_eq!(front.state_hash(), afresh.state_hash());
    assert_eq!(front.arrivals(), afresh.arrivals());
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn a_front_of_short_waves_comes_when_the_field_says(
        seed: u64,
        fraction in 0.0..0.6f64,
        speeds: bool,
        side in 1..40usize,
    ) {
        let case = (seed, fraction, speeds);
        let (flat, deep) = (|way: Vec2| way.extend(0.0).to_array(), |way: Vec3| way.to_array());
        is_the_field::<Ix2, f32>(case, [1, side, 33], flat);
        is_the_field::<Ix2, f64>(case, [1, 9, side], flat);
        is_the_field::<Ix3, f32>(case, [1 + side / 5, 7, 12], deep);
    }

    #[test]
    fn a_front_of_short_waves_survives_any_edits(
        seed: u64,
        fraction in 0.0..0.6f64,
        speeds: bool,
        side in 3..40usize,
    ) {
        survives::<Ix2, f32>((seed, fraction, speeds), [1, side, 20]);
        survives::<Ix3, f64>((seed, fraction, speeds), [1 + side / 4, 7, 18]);
    }
}

/// Times around sources are there before the wave is; a cell that becomes a wall there and is freed
/// still counts once.
#[test]
fn cells_around_sources_may_close_and_open_again() {
    let mut rng = Rng(8);
    for case in 0..3000 {
        let mut medium = Scene::new(open_ground([1, 30, 30]), 0.98).medium::<Ix2, f32>();
        let sources = [[15, 13], [15 + rng.below(3), 14 + rng.below(7)]];
        let mut front = Front::new(&medium);
        front.emit(&medium, &sources).unwrap();
        let portions = |front: &mut Front<Ix2>, medium: &_, n: usize| {
            for _ in 0..n {
                front.step_within(medium, 1, front.next_updates()).unwrap();
            }
        };
        portions(&mut front, &medium, rng.below(20));
        let [y, x] = [sources[1][0] - 2 + rng.below(5), sources[1][1] - 2 + rng.below(5)];
        let cross = [[y, x], [y - 1, x], [y + 1, x], [y, x - 1], [y, x + 1]];
        for cell in cross {
            medium.set_wall(cell, true).unwrap();
        }
        portions(&mut front, &medium, rng.below(2));
        for cell in [cross[1 + rng.below(4)], cross[0]] {
            medium.set_wall(cell, false).unwrap();
            portions(&mut front, &medium, rng.below(4));
        }
        front.run(&medium).unwrap();
        let arrivals = front.arrivals().iter().filter(|t| t.is_finite()).count();
        assert_eq!(front.reached_cells(), arrivals, "case {case}");
    }
}

/// Also where cells are slow or few, a step is a step.
#[test]
fn steps_of_short_waves_may_be_taken_in_any_portions() {
    let mut scene = Scene::new(folded_corridor(200, 1, 4), 0.98);
    scene.speeds.mapv_inplace(|_| 1.0 / 16.0);
    scene.speeds[[0, 0, 0]] = 1.0;
    let medium = scene.medium::<Ix2, f32>();
    let open = scene.walls.indexed_iter().find(|(_, wall)| !**wall).map(|(c, _)| c).unwrap();
    let run = |portions: &[usize]| {
        let mut front = Front::new(&medium);
        front.emit(&medium, &[[open.1, open.2]]).unwrap();
        for &n in portions {
            front.step(&medium, n).unwrap();
        }
        (front.steps(), front.reached_cells(), front.state_hash())
    };
    let whole = run(&[700]);
    // A cell takes 16 / 0.7 steps.
    assert!(whole.0 <= 700 && (29..=33).contains(&whole.1), "{whole:?}");
    assert_eq!(run(&[1; 700]), whole);
    assert_eq!(run(&[3, 97, 0, 600]), whole);
    // At its end, however far it was asked to go.
    let ended = run(&[usize::MAX]);
    assert!(ended.1 > 4 * whole.1);
    assert_eq!(run(&[100_000]), ended);
    assert_eq!(run(&[1_000; 100]), ended);
}

#[test]
fn a_door_that_opens_beside_the_wave_lets_it_through() {
    let mut walls = open_ground([1, 31, 40]);
    (0..31).for_each(|y| walls[[0, y, 20]] = true);
    let mut medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
    let mut front = Front::new(&medium);
    front.emit(&medium, &[[15, 2]]).unwrap();
    // The wave has been at the wall; the rest of it is in the corners.
    front.step(&medium, 28).unwrap();
    assert!(!front.has_ended() && front.arrival([15, 19]).is_some());
    medium.set_wall([15, 20], false).unwrap();
    front.run(&medium).unwrap();
    assert_eq!(front.reached_cells(), 31 * 39 + 1);
    assert!(front.arrival([15, 20]) > front.arrival([15, 19]));
}

#[test]
fn thousands_of_waves_follow_one_another_in_the_same_front() {
    let mut rng = Rng(4);
    let scene = Scene::new(random_walls([1, 12, 15], 0.2, &mut rng), 0.98);
    let medium = scene.medium::<Ix2, f32>();
    let mut front = Front::new(&medium);
    for i in 0..2000 {
        let source = any_open(&scene.walls, &mut rng).unwrap();
        let source = [source[1], source[2]];
        front.emit(&medium, &[source]).unwrap();
        front.step(&medium, rng.below(40)).unwrap();
        if i % 50 < 3 {
            front.run(&medium).unwrap();
            let field = ArrivalField::from_sources(&medium, &[source]).unwrap();
            assert_eq!(front.arrivals(), *field.times());
        }
    }
}

/// Slow cells: a wave goes on for longer than waves are apart in the front's own count of time, and
/// longer than is left of it.
#[test]
fn a_wave_may_be_on_its_way_for_as_long_as_times_can_tell() {
    let mut scene = Scene::new(folded_corridor(12_000, 1, 20), 0.98);
    let open: Vec<_> =
        scene.walls.indexed_iter().filter(|(_, wall)| !**wall).map(|(c, _)| c).collect();
    for (i, &cell) in open.iter().enumerate() {
        scene.speeds[cell] = if i < 10 { 1.0 } else { 1.0 / 32.0 };
    }
    let medium = scene.medium::<Ix2, f32>();
    let (_, y, x) = open[0];
    let field = ArrivalField::from_sources(&medium, &[[y, x]]).unwrap();
    let mut front = Front::new(&medium);
    for _ in 0..3 {
        front.emit(&medium, &[[y, x]]).unwrap();
        front.run(&medium).unwrap();
        assert!(!front.is_exhausted());
        assert_eq!(front.arrivals(), *field.times());
        front.emit(&medium, &[[y, x]]).unwrap();
        front.step(&medium, 100).unwrap();
    }
}

#[test]
fn a_front_of_short_waves_refuses_what_cannot_be_and_goes_on() {
    let mut walls = open_ground([1, 5, 5]);
    walls[[0, 2, 2]] = true;
    let medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
    let other = Scene::new(open_ground([1, 5, 6]), 0.98).medium::<Ix2, f32>();
    let mut front = Front::new(&medium);
    front.emit(&medium, &[[0, 0]]).unwrap();
    front.step(&medium, 2).unwrap();
    let before = front.state_hash();
    assert!(matches!(front.emit(&medium, &[]), Err(WaveError::NoSource)));
    assert!(matches!(front.emit(&medium, &[[2, 2]]), Err(WaveError::Wall { .. })));
    assert!(matches!(front.emit(&medium, &[[5, 0]]), Err(WaveError::OutOfGrid { .. })));
    assert!(matches!(front.emit(&other, &[[0, 0]]), Err(WaveError::OtherMedium { .. })));
    assert!(matches!(front.step(&other, 1), Err(WaveError::OtherMedium { .. })));
    assert_eq!(front.state_hash(), before);
    assert!(front.fits(&medium) && !front.fits(&other));
    front.run(&medium).unwrap();
    assert_eq!(front.reached_cells(), 24);
}
