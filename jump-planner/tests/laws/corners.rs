//! Flights past the corners of cells, where rounding could lose a cell that is entered there: a
//! flight through a corner touches all four cells around it, and touching is blocked.

use glam::{DVec2, DVec3};
use jump_planner::{Character, Flight, Jump, JumpGraph, Preference, Terrain};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A floor with a few pillars.
fn pillars(shape: [usize; 2], pillars: &[([usize; 2], f64)], size: f64) -> Terrain {
    let mut heights = Array2::from_elem(shape, -2.0 * size);
    for &(cell, height) in pillars {
        heights[cell] = height;
    }
    Terrain::builder(&heights).cell_size(size).build().unwrap()
}

/// How close a flight comes to the ground that it passes over if it is as thick as a hair, hardly
/// more than the rounding of places: slow flights pass corners by 1e-13 of a cell. Cell by cell, by
/// where the way enters and leaves each, so that both axes agree in spite of rounding.
fn hair_clearance(graph: &JumpGraph, flight: &Flight, ends: [[usize; 2]; 2]) -> f64 {
    const HAIR: f64 = 2e-15;
    let (terrain, character) = (graph.terrain(), graph.character());
    let cells = |p: DVec3| p.truncate() / terrain.cell_size() + DVec2::splat(0.5);
    let (p, q) = (cells(flight.launch), cells(flight.landing));
    let radius = character.radius() / terrain.cell_size() + HAIR;
    let [rows, columns] = terrain.shape();
    let mut least = f64::INFINITY;
    for y in 0..rows {
        for x in 0..columns {
            let low = DVec2::new(x as f64, y as f64) - DVec2::splat(radius);
            let high = DVec2::new(x as f64, y as f64) + DVec2::splat(1.0 + radius);
            let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
            for axis in 0..2 {
                let way = q[axis] - p[axis];
                if way == 0.0 {
                    if p[axis] < low[axis] || p[axis] > high[axis] {
                        leaves = -1.0;
                    }
                    continue;
                }
                let (a, b) = ((low[axis] - p[axis]) / way, (high[axis] - p[axis]) / way);
                (enters, leaves) = (enters.max(a.min(b)), leaves.min(a.max(b)));
            }
            if enters > leaves {
                continue;
            }
            let top = terrain.height([y, x]).unwrap();
            for t in [enters, leaves] {
                // Where it starts and lands, it is on the ground of that cell and of cells that lie
                // no higher.
                let home = ends.contains(&[y, x]) || character.radius() > 0.0;
                let at_end = t == 0.0 || t == 1.0;
                if at_end && home {
                    continue;
                }
                let z = flight.position_at(t * flight.flight_time).z;
                least = least.min(z - top);
                let ceiling = terrain.ceiling([y, x]).unwrap_or(f64::INFINITY);
                least = least.min(ceiling - z - character.height());
            }
        }
    }
    least
}

#[test]
fn a_pillar_on_the_diagonal_is_not_flown_through() {
    let terrain = pillars([4, 4], &[([0, 0], 0.0), ([2, 2], 0.5)], 1.0);
    let character = Character::builder(5.4).gravity(9.81).build().unwrap();
    let graph = JumpGraph::new(terrain, character).unwrap();
    assert_eq!(graph.jump([0, 0], [3, 3]).unwrap(), Jump::Blocked);
    let plan = graph.plan([0, 0], [3, 3], Preference::FewestJumps).unwrap().unwrap();
    assert!(plan.moves.len() > 1);
}

/// From centre to centre: which cells are met, touching included, is a question of whole numbers.
#[test]
fn flights_between_centres_meet_what_whole_numbers_say() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut corners, mut misses) = (0, 0);
    for n in 0..400 {
        let size = [1.0, 0.1, 0.3, 2.0][n % 4];
        let origin = [DVec2::ZERO, DVec2::new(-7.3, 1234.1)][n / 4 % 2];
        let (rows, columns) = (rng.random_range(2..48), rng.random_range(2..48));
        let cell = |rng: &mut ChaCha8Rng| [rng.random_range(0..rows), rng.random_range(0..columns)];
        let (from, to) = (cell(&mut rng), cell(&mut rng));
        if from == to {
            continue;
        }
        for _ in 0..20 {
            // Beside the way, as often as not.
            let share = rng.random_range(0.0..1.0);
            let beside = [0, 1].map(|a| {
                let at = from[a] as f64 + 0.5 + share * (to[a] as f64 - from[a] as f64);
                (at as usize + rng.random_range(0..2)).min([rows, columns][a] - 1)
            });
            let pillar = if rng.random_bool(0.5) { beside } else { cell(&mut rng) };
            if pillar == from || pillar == to {
                continue;
            }
            let mut heights = Array2::zeros([rows, columns]);
            heights[pillar] = 1e6;
            let builder = Terrain::builder(&heights).cell_size(size).origin(origin);
            let character = Character::builder(60.0).gravity(9.81).body(0.0, 0.0).build().unwrap();
            let graph = JumpGraph::new(builder.build().unwrap(), character).unwrap();
            let (p, q) = (graph.terrain().centre(from), graph.terrain().centre(to));
            let [low, high] = graph.flights(p, q).unwrap().unwrap();
            // The sides of the pillar's four corners, in halves of cells.
            let ahead = [0, 1].map(|a| to[a] as i64 - from[a] as i64);
            let aside = [0, 1].map(|a| 2 * (pillar[a] as i64 - from[a] as i64));
            let sides = [[-1, -1], [-1, 1], [1, -1], [1, 1]].map(|[y, x]: [i64; 2]| {
                (ahead[0] * (aside[1] + x) - ahead[1] * (aside[0] + y)).signum()
            });
            let between =
                (0..2).all(|a| (from[a].min(to[a])..=from[a].max(to[a])).contains(&pillar[a]));
            let touched = between && !(sides == [1; 4] || sides == [-1; 4]);
            corners += usize::from(touched && !(sides.contains(&1) && sides.contains(&-1)));
            misses += usize::from(!touched);
            for flight in [low, high] {
                assert_eq!(flight.is_clear(), !touched, "{size} {from:?} {to:?} {pillar:?}");
            }
        }
    }
    assert!(corners > 50 && misses > 1000, "{corners} {misses}");
}

#[test]
fn a_flight_past_the_corner_of_a_tower_touches_it() {
    let terrain = pillars([14, 40], &[([8, 22], 1e6)], 1.0);
    let character = Character::builder(60.0).gravity(9.81).build().unwrap();
    let graph = JumpGraph::new(terrain, character).unwrap();
    let flights = graph.flights(DVec2::ZERO, DVec2::new(39.0, 13.0)).unwrap().unwrap();
    assert!(flights.iter().all(|flight| !flight.is_clear()));
}

/// Ways whose plans love to run through corners: along diagonals and two to one, pillars beside
/// them.
fn witnesses_hold(seed: u64, questions: usize, radius: f64, ceilings: bool) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut clear = 0;
    for n in 0..questions {
        let size = [1.0, 0.25, 0.5, 2.0][n % 4];
        let (long, two_to_one) = (rng.random_range(2..5), rng.random_bool(0.3));
        let end = if two_to_one { [long, 2 * long] } else { [long, long] };
        let shape = end.map(|n| n + 1);
        let mut heights = Array2::from_elem(shape, -2.0 * size);
        for z in &mut heights {
            if rng.random_bool(0.25) {
                *z = rng.random_range(-1.0..1.5) * size;
            }
        }
        heights[[0, 0]] = 0.0;
        let speed = rng.random_range(3.5..9.0) * (size * (1.0 + f64::from(two_to_one))).sqrt();
        let height = if ceilings { 0.5 * size } else { 0.0 };
        let character =
            Character::builder(speed).gravity(9.81).body(radius * size, height).build().unwrap();
        let roof = heights.map(|z| {
            let room = rng.random_range(1.0..5.0) * size;
            if ceilings && rng.random_bool(0.3) { z + room } else { f64::INFINITY }
        });
        let builder = Terrain::builder(&heights).cell_size(size);
        let builder = if ceilings { builder.ceilings(&roof) } else { builder };
        let graph = JumpGraph::new(builder.build().unwrap(), character).unwrap();
        let turned = rng.random_bool(0.5);
        let (from, to) = if turned { (end, [0, 0]) } else { ([0, 0], end) };
        let Jump::Clear(flight) = graph.jump(from, to).unwrap() else { continue };
        clear += 1;
        let closest = hair_clearance(&graph, &flight, [from, to]);
        assert!(closest > 0.0, "{n} {from:?} {to:?} {closest} {flight:?}\n{heights:?}");
        if radius > 0.0 || ceilings || n % 8 != 0 {
            continue;
        }
        // No faster than the least speed, the jump is still one of those.
        let least = graph.least_launch_speed(from, to).unwrap().unwrap();
        let slower = graph.character().at_speed(least * (1.0 + 1e-6)).unwrap();
        let slower = JumpGraph::new(graph.terrain().clone(), slower).unwrap();
        if let Jump::Clear(flight) = slower.jump(from, to).unwrap() {
            let closest = hair_clearance(&slower, &flight, [from, to]);
            assert!(closest > 0.0, "{n} {least} {closest} {flight:?}\n{heights:?}");
        }
    }
    assert!(5 * clear > questions, "{clear}");
}

#[test]
fn no_witness_along_a_diagonal_touches_anything() {
    witnesses_hold(21, 8000, 0.0, false);
}

#[test]
fn nor_does_that_of_a_body() {
    witnesses_hold(22, 400, 0.25, false);
    witnesses_hold(23, 400, 0.3, false);
}

#[test]
fn nor_does_any_under_ceilings() {
    witnesses_hold(24, 1000, 0.0, true);
}

/// The margins of the low flight from the one place to the other and back, along a row that begins
/// with `first` and goes on level.
fn beside(first: f64, p: DVec2, q: DVec2, headroom: Option<f64>) -> [f64; 2] {
    let mut heights = Array2::zeros([3, 5]);
    heights.column_mut(0).fill(first);
    let ceilings = headroom.map(|headroom| Array2::from_elem([3, 5], headroom));
    let builder = Terrain::builder(&heights).no_data(f64::NAN);
    let terrain = match &ceilings {
        Some(ceilings) => builder.ceilings(ceilings).build().unwrap(),
        None => builder.build().unwrap(),
    };
    let character = Character::builder(9.0).gravity(9.81).build().unwrap();
    let graph = JumpGraph::new(terrain, character).unwrap();
    [(p, q), (q, p)].map(|(p, q)| graph.flights(p, q).unwrap().unwrap()[0].margin)
}

#[test]
fn who_stands_at_the_border_of_a_higher_cell_touches_it() {
    let far = DVec2::new(4.0, 1.25);
    let mut free = None;
    // At a side, at a corner, and along the border.
    for (p, q) in [
        (DVec2::new(0.5, 1.25), far),
        (DVec2::new(0.5, 0.5), far),
        (DVec2::new(0.5, 0.75), DVec2::new(0.5, 1.25)),
    ] {
        for headroom in [None, Some(1e6)] {
            for margin in beside(0.25, p, q, headroom) {
                assert!((margin + 0.25).abs() < 1e-12, "{p} {q} {headroom:?}: {margin}");
            }
            assert_eq!(beside(f64::NAN, p, q, headroom), [f64::NEG_INFINITY; 2]);
        }
        for first in [0.0, -1.0] {
            assert!(beside(first, p, q, None)[0] >= 0.0, "{p} {q}");
        }
        free = free.or(Some(beside(0.0, p, q, None)));
    }
    // A hair off it nothing is touched.
    let off = beside(0.25, DVec2::new(0.5 + 1e-9, 1.25), far, None);
    assert!(off.iter().zip(free.unwrap()).all(|(a, b)| (a - b).abs() < 1e-6), "{off:?} {free:?}");
}
