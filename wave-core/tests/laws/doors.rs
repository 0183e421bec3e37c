//! Doors that open and close while a front or a recorded wave is on its way, and their effect on
//! the next wave.

use crate::dense_reference::cases;
use crate::heard::Heard;
use crate::maps::{Cell, Rng, open_cells, open_ground, random_walls};
use crate::reference::{Scene, any_open};
use ndarray::{Array3, Ix2};
use proptest::prelude::*;
use wave_core::{Front, Medium, RecordedWave};

type Short = Front<Ix2>;
type Recorded = RecordedWave<Ix2, f64>;

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

/// The wave at its end, the medium having been edited after `steps`.
fn edited<F: Heard<Ix2>>(
    walls: &Array3<bool>,
    source: Cell,
    steps: usize,
    edit: impl Fn(&mut Medium<Ix2>),
) -> F {
    let mut medium = Scene::new(walls.clone(), 0.98).medium::<Ix2, f64>();
    let mut front = F::at_rest(&medium);
    front.emit(&medium, &[[source[1], source[2]]]).unwrap();
    front.step(&medium, steps).unwrap();
    edit(&mut medium);
    front.run(&medium);
    for (cell, &wall) in medium.walls().indexed_iter() {
        assert!(!wall || front.arrival(cell.into()).is_none());
    }
    let arrivals = front.arrivals(&medium).iter().flatten().count();
    assert_eq!(front.reached_cells(), arrivals);
    front
}

fn goes_round<F: Heard<Ix2>>() {
    let (walls, source) = (two_doors(), [0, 3, 10]);
    let straight = edited::<F>(&walls, source, 5, |_| ());
    let round = edited::<F>(&walls, source, 5, |medium| set(medium, 2..5, true));
    let mut closed = walls.clone();
    (2..5).for_each(|y| closed[[0, y, 30]] = true);
    let never_open = edited::<F>(&closed, source, 5, |_| ());
    // Before the wave had been at the door, closing it is as if it had never been open.
    let medium = Scene::new(closed, 0.98).medium::<Ix2, f64>();
    assert_eq!(round.arrivals(&medium), never_open.arrivals(&medium));
    let (near, far) = (straight.arrival([3, 40]).unwrap(), round.arrival([3, 40]).unwrap());
    assert!(near < 50.0 && far > 70.0, "{near} and {far}");
    assert_eq!(straight.arrival([3, 20]), round.arrival([3, 20]));
}

#[test]
fn a_door_that_closes_before_the_wave_sends_it_round() {
    goes_round::<Short>();
    goes_round::<Recorded>();
}

fn is_cut_off<F: Heard<Ix2>>() {
    let (walls, source) = (two_doors(), [0, 3, 10]);
    let mut closed = walls.clone();
    (0..30).for_each(|y| closed[[0, y, 30]] = true);
    let left: Vec<_> = open_cells(&closed).into_iter().filter(|c| c[2] < 30).collect();
    // Before, in, and well behind the door; it ends each time, and the left half is reached.
    for steps in [1, 10, 20, 24, 26, 28, 30, 32, 34, 40, 60] {
        let front = edited::<F>(&walls, source, steps, |medium| {
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
fn doors_that_close_on_a_wave_cut_it_off() {
    is_cut_off::<Short>();
    is_cut_off::<Recorded>();
}

fn goes_through<F: Heard<Ix2>>() {
    let mut walls = two_doors();
    for y in 0..30 {
        walls[[0, y, 30]] = true;
    }
    let source = [0, 15, 10];
    // The wave is at column 30 after some 29 steps.
    for steps in [3, 15, 25, 28, 30, 32] {
        let front = edited::<F>(&walls, source, steps, |medium| set(medium, 13..18, false));
        assert_eq!(front.reached_cells(), 30 * 60 + 5, "{steps} steps");
        let arrival = front.arrival([15, 50]).unwrap();
        assert!((50.0..75.0).contains(&arrival), "{steps} steps: {arrival}");
    }
}

#[test]
fn a_door_that_opens_where_the_wave_is_lets_it_through() {
    goes_through::<Short>();
    goes_through::<Recorded>();
}

fn goes_on_without_its_source<F: Heard<Ix2>>() {
    let walls = open_ground([1, 21, 21]);
    for steps in [0, 1, 4, 8, 12] {
        let front = edited::<F>(&walls, [0, 10, 10], steps, |medium| {
            medium.set_wall([10, 10], true).unwrap();
        });
        assert_eq!(front.arrival([10, 10]), None);
        // Once the wave is out of its source, it goes on.
        assert!(steps < 12 || front.reached_cells() == 21 * 21 - 1, "{steps} steps");
    }
}

#[test]
fn a_source_that_becomes_a_wall_leaves_the_rest_of_the_wave() {
    goes_on_without_its_source::<Short>();
    goes_on_without_its_source::<Recorded>();
}

/// How it runs in a medium that it has not run in before: another of the same shape, edited as
/// often, or a copy.
fn goes_over<F: Heard<Ix2>>() {
    let mut walled_at_the_edge = Scene::new(open_ground([1, 9, 30]), 0.98).medium::<Ix2, f32>();
    let mut divided = walled_at_the_edge.clone();
    for y in 0..9 {
        walled_at_the_edge.set_wall([y, 0], true).unwrap();
        divided.set_wall([y, 15], true).unwrap();
    }
    let mut before = F::at_rest(&walled_at_the_edge);
    let mut on_its_way = before.clone();
    on_its_way.emit(&walled_at_the_edge, &[[4, 5]]).unwrap();
    on_its_way.step(&walled_at_the_edge, 3).unwrap();
    before.emit(&divided, &[[4, 5]]).unwrap();
    for (mut front, column_0) in [(before, true), (on_its_way, false)] {
        front.run(&divided);
        for (y, x) in (0..9).flat_map(|y| (0..30).map(move |x| (y, x))) {
            let expected = x < 15 && (x > 0 || column_0);
            // A wave may enter a cell that became free in the middle of the wave.
            if x > 0 || expected {
                assert_eq!(front.arrival([y, x]).is_some(), expected, "[{y}, {x}]");
            }
        }
    }

    let mut rng = Rng(8);
    let walls = random_walls([1, 60, 70], 0.25, &mut rng);
    let source = any_open(&walls, &mut rng).unwrap();
    let mut medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
    let mut front = F::at_rest(&medium);
    front.emit(&medium, &[[source[1], source[2]]]).unwrap();
    for _ in 0..12 {
        front.step(&medium, 6).unwrap();
        // Some are freed behind the wave, some built on it.
        for _ in 0..20 {
            let cell = [rng.below(60), rng.below(70)];
            medium.set_wall(cell, rng.below(2) == 0).unwrap();
        }
        for steps in [1, 7] {
            let (mut copy, other) = (front.clone(), medium.clone());
            for (front, medium) in [(&mut front, &medium), (&mut copy, &other)] {
                front.step(medium, steps).unwrap();
            }
            assert_eq!(front.state_hash(), copy.state_hash());
        }
    }
}

#[test]
fn a_wave_goes_over_to_another_medium_and_its_walls() {
    goes_over::<Short>();
    goes_over::<Recorded>();
}

fn leaves_nothing<F: Heard<Ix2>>() {
    let mut rng = Rng(8);
    let walls = random_walls([1, 40, 40], 0.3, &mut rng);
    let source = any_open(&walls, &mut rng).unwrap();
    let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
    let mut front = F::at_rest(&medium);
    assert!(front.has_ended() && front.steps() == 0);
    front.emit(&medium, &[[source[1], source[2]]]).unwrap();
    assert!(!front.has_ended());
    front.run(&medium);
    let (hash, steps) = (front.state_hash(), front.steps());
    assert_eq!(front.step(&medium, 50).unwrap(), 0);
    assert_eq!((front.state_hash(), front.steps()), (hash, steps));
    front.clear();
    assert_eq!(front.state_hash(), F::at_rest(&medium).state_hash());
    assert_eq!((front.reached_cells(), front.steps()), (0, 0));
}

#[test]
fn a_wave_that_has_ended_leaves_nothing_behind() {
    leaves_nothing::<Short>();
    leaves_nothing::<Recorded>();
}

/// A speed that is set to what it was, while the wave runs on a medium that had one speed until
/// then.
fn hears_no_news_in_an_old_speed<F: Heard<Ix2>>() {
    let arrivals = |edit: bool| {
        let mut medium = Medium::<Ix2>::builder([60, 90]).build().unwrap();
        assert!(medium.is_uniform());
        let mut front = F::at_rest(&medium);
        front.emit(&medium, &[[30, 20]]).unwrap();
        front.step(&medium, 25).unwrap();
        if edit {
            let speed = medium.speed([50, 80]).unwrap();
            medium.set_speed([50, 80], speed).unwrap();
        }
        front.run(&medium);
        front.arrivals(&medium)
    };
    // The speed that is told is good to rounding.
    for (set, left) in arrivals(true).into_iter().zip(arrivals(false)) {
        assert!((set.unwrap() - left.unwrap()).abs() < 0.01);
    }
}

#[test]
fn a_speed_that_is_set_to_what_it_was_changes_no_arrival() {
    hears_no_news_in_an_old_speed::<Short>();
    hears_no_news_in_an_old_speed::<Recorded>();
}

/// Also after another wave that was cut off.
fn comes_as_the_first_time<F: Heard<Ix2>>(
    walls: Array3<bool>,
    sources: &[[usize; 2]],
) -> Result<(), TestCaseError> {
    let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
    let mut front = F::at_rest(&medium);
    let hear = |front: &mut F| {
        front.emit(&medium, sources).unwrap();
        let hashes = [7, usize::MAX].map(|steps| {
            front.step(&medium, steps).unwrap();
            front.state_hash()
        });
        (hashes, front.steps(), front.reached_cells())
    };
    let first = hear(&mut front.clone());
    prop_assert_eq!(&hear(&mut front), &first);
    prop_assert_eq!(&hear(&mut front), &first);
    front.emit(&medium, &sources[..1]).unwrap();
    front.step(&medium, 9).unwrap();
    prop_assert_eq!(&hear(&mut front), &first);
    Ok(())
}

fn takes_any_portions<F: Heard<Ix2>>(
    walls: Array3<bool>,
    source: [usize; 2],
) -> Result<(), TestCaseError> {
    let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
    let mut one = F::at_rest(&medium);
    one.emit(&medium, &[source]).unwrap();
    let mut two = one.clone();
    let computed = one.step(&medium, 300).unwrap();
    let portions: u64 = (0..100).map(|_| two.step(&medium, 3).unwrap()).sum();
    prop_assert_eq!(computed, portions);
    prop_assert_eq!(one.state_hash(), two.state_hash());
    prop_assert_eq!((one.has_ended(), one.steps()), (two.has_ended(), two.steps()));
    Ok(())
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn the_same_emission_gives_the_same_hash(
        seed: u64, fraction in 0.0..0.4f64, ny in 1..30usize, nx in 1..30usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let sources: Vec<_> =
            (0..3).filter_map(|_| any_open(&walls, &mut rng)).map(|[_, y, x]| [y, x]).collect();
        prop_assume!(!sources.is_empty());
        comes_as_the_first_time::<Short>(walls.clone(), &sources)?;
        comes_as_the_first_time::<Recorded>(walls, &sources)?;
    }

    #[test]
    fn steps_may_be_taken_in_any_portions(seed: u64, fraction in 0.0..0.4f64) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, 25, 25], fraction, &mut rng);
        let Some([_, y, x]) = any_open(&walls, &mut rng) else { return Ok(()) };
        takes_any_portions::<Short>(walls.clone(), [y, x])?;
        takes_any_portions::<Recorded>(walls, [y, x])?;
    }
}
