//! Doors that open and close while a front is on its way.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, flood, open_cells, open_ground, random_walls};
use crate::reference::{Scene, any_open};
use crate::tile_reach::run_to_end;
use ndarray::{Array3, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Front, Medium, Real, Space, TileFront};

/// A room of 30 x 61 cells, halved by a wall with a door at the top and one at the bottom.
fn two_doors() -> Array3<bool> {
    let mut walls = open_ground([1, 30, 61]);
    for y in 0..30 {
        walls[[0, y, 30]] = !(2..5).contains(&y) && !(25..28).contains(&y);
    }
    walls
}

fn set(medium: &mut Medium<Ix2>, rows: std::ops::Range<usize>, wall: bool) {
    for y in rows {
        medium.set_wall([y, 30], wall).unwrap();
    }
}

/// The front at its end, the medium having been edited after `steps`.
fn edited(
    walls: &Array3<bool>,
    source: Cell,
    steps: usize,
    edit: impl Fn(&mut Medium<Ix2>),
) -> TileFront<Ix2, f64> {
    let mut medium = Scene::new(walls.clone(), 0.98).medium::<Ix2, f64>();
    let mut front = TileFront::<_, f64>::typed(&medium);
    front.emit(&medium, &[[source[1], source[2]]]).unwrap();
    front.step(&medium, steps).unwrap();
    edit(&mut medium);
    run_to_end(&mut front, &medium, 400);
    for (cell, &wall) in medium.walls().indexed_iter() {
        assert!(!wall || (front.arrival(cell.into()).is_none() && front.value(cell.into()) == 0.0));
    }
    let arrivals = front.arrivals().iter().filter(|t| t.is_finite()).count();
    assert_eq!(front.reached_cells(), arrivals);
    front
}

#[test]
fn a_door_that_closes_before_the_front_sends_it_round() {
    let (walls, source) = (two_doors(), [0, 3, 10]);
    let straight = edited(&walls, source, 5, |_| ());
    let round = edited(&walls, source, 5, |medium| set(medium, 2..5, true));
    let mut closed = walls.clone();
    (2..5).for_each(|y| closed[[0, y, 30]] = true);
    let never_open = edited(&closed, source, 5, |_| ());
    // Before the wave had been at the door, closing it is as if it had never been open.
    assert_eq!(round.arrivals(), never_open.arrivals());
    let (near, far) = (straight.arrival([3, 40]).unwrap(), round.arrival([3, 40]).unwrap());
    assert!(near < 50.0 && far > 70.0, "{near} and {far}");
    assert_eq!(straight.arrival([3, 20]), round.arrival([3, 20]));
}

#[test]
fn doors_that_close_on_a_front_cut_it_off() {
    let (walls, source) = (two_doors(), [0, 3, 10]);
    let mut closed = walls.clone();
    (0..30).for_each(|y| closed[[0, y, 30]] = true);
    let left: Vec<_> = open_cells(&closed).into_iter().filter(|c| c[2] < 30).collect();
    // Before, in, and well behind the door; it ends each time, and the left half is reached.
    for steps in [1, 10, 20, 24, 26, 28, 30, 32, 34, 40, 60] {
        let front = edited(&walls, source, steps, |medium| {
            set(medium, 2..5, true);
            set(medium, 25..28, true);
        });
        assert!(left.iter().all(|&[_, y, x]| front.arrival([y, x]).is_some()), "{steps} steps");
        if steps <= 10 {
            assert_eq!(front.reached_cells(), left.len(), "{steps} steps");
        }
    }
}

#[test]
fn a_door_that_opens_where_the_front_is_lets_it_through() {
    let mut walls = two_doors();
    for y in 0..30 {
        walls[[0, y, 30]] = true;
    }
    let source = [0, 15, 10];
    // The front is at column 30 after some 29 steps.
    for steps in [3, 15, 25, 28, 30, 32] {
        let front = edited(&walls, source, steps, |medium| set(medium, 13..18, false));
        let open = 30 * 60 + 5;
        assert_eq!(front.reached_cells(), open, "{steps} steps");
        let arrival = front.arrival([15, 50]).unwrap();
        assert!((50.0..75.0).contains(&arrival), "{steps} steps: {arrival}");
    }
}

#[test]
fn a_door_that_opens_behind_a_front_stays_unreached_until_the_next() {
    let mut walls = open_ground([1, 9, 80]);
    walls[[0, 4, 10]] = true;
    let mut medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
    let mut front = TileFront::<Ix2, f64>::typed(&medium);
    front.emit(&medium, &[[4, 0]]).unwrap();
    front.step(&medium, 70).unwrap();
    assert!(front.arrival([4, 40]).is_some() && !front.has_ended());
    medium.set_wall([4, 10], false).unwrap();
    run_to_end(&mut front, &medium, 80);
    assert_eq!(front.arrival([4, 10]), None);
    assert_eq!(front.reached_cells(), 9 * 80 - 1);
    front.emit(&medium, &[[4, 0]]).unwrap();
    run_to_end(&mut front, &medium, 80);
    assert_eq!(front.reached_cells(), 9 * 80);
}

#[test]
fn a_source_that_becomes_a_wall_leaves_the_rest_of_the_front() {
    let walls = open_ground([1, 21, 21]);
    for steps in [0, 1, 4, 8, 12] {
        let front = edited(&walls, [0, 10, 10], steps, |medium| {
            medium.set_wall([10, 10], true).unwrap();
        });
        assert_eq!(front.arrival([10, 10]), None);
        // Once the wave is out of its source, it goes on.
        assert!(steps < 12 || front.reached_cells() == 21 * 21 - 1, "{steps} steps");
    }
}

/// Whatever is edited whenever: it ends, walls are not reached, and the next emission is as on a
/// medium that was built so.
fn survives<D: Space, S: Real>(seed: u64, fraction: f64, shape: Cell, speeds: bool) {
    let mut rng = Rng(seed);
    let walls = random_walls(shape, fraction, &mut rng);
    let Some(source) = any_open(&walls, &mut rng) else { return };
    let mut scene = Scene::new(walls, 0.98);
    if speeds {
        scene = scene.with_random_speeds(&mut rng);
    }
    let mut medium = scene.medium::<D, S>();
    let mut front = TileFront::<D, S>::typed(&medium);
    let longest = 8 * scene.walls.len();
    front.emit(&medium, &[D::from_zyx(source)]).unwrap();
    for _ in 0..12 {
        front.step(&medium, rng.below(5)).unwrap();
        for _ in 0..rng.below(5) {
            let (cell, wall) = (rng.cell(shape), rng.below(2) == 0);
            if cell != source {
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
    run_to_end(&mut front, &medium, longest);
    for (cell, &wall) in scene.walls.indexed_iter() {
        assert!(!wall || front.arrival(D::from_zyx(cell.into())).is_none());
    }
    let arrivals = front.arrivals().iter().filter(|t| t.is_finite()).count();
    assert_eq!(front.reached_cells(), arrivals);

    front.emit(&medium, &[D::from_zyx(source)]).unwrap();
    run_to_end(&mut front, &medium, longest);
    let fresh = scene.medium::<D, S>();
    let mut afresh = TileFront::<D, S>::typed(&fresh);
    afresh.emit(&fresh, &[D::from_zyx(source)]).unwrap();
    run_to_end(&mut afresh, &fresh, longest);
    assert_eq!(front.arrivals(), afresh.arrivals());
    let reached = flood(&scene.walls, &[source]).iter().filter(|d| d.is_some()).count();
    assert_eq!(front.reached_cells(), reached);
}

/// A wave that was emitted again beside a tile at rest did not wake it.
#[test]
fn a_front_survives_the_edits_that_once_kept_it_running() {
    survives::<Ix2, f64>(9_551_475_796_535_129_975, 0.210_171_111_900_561_56, [1, 17, 17], false);
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_front_survives_any_edits(
        seed: u64,
        fraction in 0.0..0.6f64,
        side in 3..40usize,
        speeds: bool,
    ) {
        survives::<Ix2, f64>(seed, fraction, [1, side, side], speeds);
        survives::<Ix2, f32>(seed, fraction, [1, side, 20], speeds);
        survives::<Ix3, f32>(seed, fraction, [1 + side / 4, 7, 18], speeds);
    }
}

/// What a front does in a medium that it has not run in before: another of the same shape, edited
/// as often, or a copy.
macro_rules! goes_over {
    ($front:ident) => {
        let mut walled_at_the_edge = Scene::new(open_ground([1, 9, 30]), 0.98).medium::<Ix2, f32>();
        let mut divided = walled_at_the_edge.clone();
        for y in 0..9 {
            walled_at_the_edge.set_wall([y, 0], true).unwrap();
            divided.set_wall([y, 15], true).unwrap();
        }
        let mut before = $front::new(&walled_at_the_edge);
        let mut on_its_way = before.clone();
        on_its_way.emit(&walled_at_the_edge, &[[4, 5]]).unwrap();
        on_its_way.step(&walled_at_the_edge, 3).unwrap();
        before.emit(&divided, &[[4, 5]]).unwrap();
        for (mut front, column_0) in [(before, true), (on_its_way, false)] {
            front.run(&divided).unwrap();
            for (y, x) in (0..9).flat_map(|y| (0..30).map(move |x| (y, x))) {
                let expected = x < 15 && (x > 0 || column_0);
                // What became free in the middle of a wave, a wave may enter.
                if x > 0 || expected {
                    assert_eq!(front.arrival([y, x]).is_some(), expected, "[{y}, {x}]");
                }
            }
        }

        let mut rng = Rng(8);
        let walls = random_walls([1, 60, 70], 0.25, &mut rng);
        let source = any_open(&walls, &mut rng).unwrap();
        let mut medium = Scene::new(walls.clone(), 0.98).medium::<Ix2, f32>();
        let mut front = $front::new(&medium);
        front.emit(&medium, &[[source[1], source[2]]]).unwrap();
        for _ in 0..12 {
            front.step(&medium, 6).unwrap();
            // Some are freed behind the front, some built on it.
            for _ in 0..20 {
                let cell = [rng.below(60), rng.below(70)];
                medium.set_wall(cell, rng.below(2) == 0).unwrap();
            }
            let (mut copy, other) = (front.clone(), medium.clone());
            for (front, medium) in [(&mut front, &medium), (&mut copy, &other)] {
                front.step(medium, 1).unwrap();
            }
            assert_eq!(front.state_hash(), copy.state_hash());
            let (mut copy, other) = (front.clone(), medium.clone());
            for (front, medium) in [(&mut front, &medium), (&mut copy, &other)] {
                front.step(medium, 7).unwrap();
            }
            assert_eq!(front.state_hash(), copy.state_hash());
        }
    };
}

#[test]
fn a_front_goes_over_to_another_medium_and_its_walls() {
    goes_over!(TileFront);
}

#[test]
fn so_does_a_front_of_short_waves() {
    goes_over!(Front);
}
