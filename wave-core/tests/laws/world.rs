//! A world's field leads every cell home by ways that are there, and knows how long they are.

use crate::maps::{Cell, Rng, flood, maze, open_cells, open_ground, random_walls, walked};
use glam::DVec2;
use ndarray::{Array3, Axis, Ix2};
use wave_core::{ArrivalField, Link, Medium, WaveError, WorldField};

fn medium(walls: &Array3<bool>) -> Medium<Ix2> {
    Medium::from_walls(&walls.index_axis(Axis(0), 0)).unwrap()
}

/// Whether a point is inside a wall, and not on its edge.
fn is_inside_wall(walls: &Array3<bool>, p: DVec2) -> bool {
    let on_edge = |v: f64| (v - 0.5 - (v - 0.5).round()).abs() < 1e-9;
    let cell = [0, p.y.round() as usize, p.x.round() as usize];
    !on_edge(p.x) && !on_edge(p.y) && walls[cell]
}

/// Whether a straight line is blocked: by walls, or between two that it passes along or that meet
/// at a corner.
fn is_blocked(walls: &Array3<bool>, a: DVec2, b: DVec2) -> bool {
    let steps = (a.distance(b) * 16.0).ceil().max(1.0);
    let at = |i: f64| a.lerp(b, i / steps);
    if (0..=steps as usize).any(|i| is_inside_wall(walls, at(i as f64))) {
        return true;
    }
    // Moved aside by very little it must be free on one side at each place.
    let aside = 1e-6 * (b - a).normalize_or_zero().perp();
    let (ny, nx) = (walls.len_of(Axis(1)), walls.len_of(Axis(2)));
    let is_wall = |p: DVec2| {
        let (y, x) = (p.y.round(), p.x.round());
        let inside = y >= 0.0 && x >= 0.0 && y < ny as f64 && x < nx as f64;
        !inside || walls[[0, y as usize, x as usize]]
    };
    (1..steps as usize).any(|i| [aside, -aside].iter().all(|&off| is_wall(at(i as f64) + off)))
}

/// Asks from some cells, and walks.
fn check(walls: &Array3<bool>, questions: usize, rng: &mut Rng) -> WorldField {
    let open = open_cells(walls);
    let medium = medium(walls);
    let mut world = WorldField::new(&medium).unwrap();
    for _ in 0..3 {
        let target = open[rng.below(open.len())];
        let [_, y, x] = target;
        world.set_target(&medium, [y, x]).unwrap();
        let (reached, octile) = (flood(walls, &[target]), walked(walls, target));
        for _ in 0..questions {
            let cell @ [_, y, x] = open[rng.below(open.len())];
            let length = world.length(&medium, [y, x]).unwrap();
            assert_eq!(length.is_some(), reached[cell].is_some(), "{cell:?} to {target:?}");
            let way = world.way(&medium, [y, x]).unwrap();
            let direction = world.direction(&medium, [y, x]).unwrap();
            let bounds = world.bounds(&medium, [y, x]).unwrap();
            let Some(length) = length else {
                assert!(way.is_empty() && direction.is_none() && bounds.is_none());
                continue;
            };
            let centre = |[_, y, x]: Cell| DVec2::new(x as f64, y as f64);
            assert_eq!((way[0], way[way.len() - 1]), (centre(cell), centre(target)));
            let mut sum = 0.0;
            for leg in way.windows(2) {
                assert!(!is_blocked(walls, leg[0], leg[1]), "{leg:?}, {cell:?} to {target:?}");
                sum += leg[0].distance(leg[1]);
            }
            // One crosses borders at better places than nodes, and lengths are rounded up.
            assert!(sum <= length + 1e-9, "{cell:?}: {sum} and {length}");
            assert!(length <= sum * 1.05 + 2.0, "{cell:?}: {sum} and {length}");
            assert!(sum <= octile[cell] * 1.01 + 2.0, "{sum} and {}", octile[cell]);
            assert!(sum >= octile[cell] * 0.7, "{sum} and {}", octile[cell]);
            let [least, most] = bounds.unwrap();
            assert!(least <= sum + 1e-9 && most == length, "{least}, {sum}, {most}");
            assert!(least >= centre(cell).distance(centre(target)) - 0.01);
            let towards = direction.unwrap().as_dvec2();
            let expected = (way.get(1).copied().unwrap_or(way[0]) - way[0]).normalize_or_zero();
            assert!(towards.distance(expected) < 1e-6);
        }
    }
    world
}

/// Worlds of one level and of three: of more than 256 cells along an axis, of more than 1024.
#[test]
fn ways_are_there_and_as_long_as_is_said() {
    let mut rng = Rng(70);
    for (shape, fraction) in [
        ([1, 60, 70], 0.3),
        ([1, 33, 64], 0.45),
        ([1, 90, 101], 0.1),
        ([1, 40, 300], 0.2),
        ([1, 40, 1100], 0.04),
        ([1, 1, 400], 0.01),
        ([1, 40, 1], 0.0),
    ] {
        check(&random_walls(shape, fraction, &mut rng), 20, &mut rng);
    }
    check(&maze([30, 40], 1, &mut rng), 20, &mut rng);
    check(&maze([6, 180], 5, &mut rng), 20, &mut rng);
    check(&open_ground([1, 300, 1300]), 10, &mut rng);
}

#[test]
fn on_open_ground_ways_are_hardly_longer_than_straight_lines() {
    let walls = open_ground([1, 700, 1400]);
    let medium = medium(&walls);
    let mut world = WorldField::new(&medium).unwrap();
    let mut rng = Rng(71);
    let mut cell = || [rng.below(700), rng.below(1400)];
    let (mut sum, mut walked) = (0.0, 0.0);
    for _ in 0..100 {
        let [target, from] = [cell(), cell()];
        world.set_target(&medium, target).unwrap();
        let [least, length] = world.bounds(&medium, from).unwrap().unwrap();
        let off = |axis: usize| target[axis] as f64 - from[axis] as f64;
        let straight = off(0).hypot(off(1));
        assert!(least <= straight + 1e-9 && straight <= length + 1e-9);
        let way = world.way(&medium, from).unwrap();
        walked += way.windows(2).map(|leg| leg[0].distance(leg[1])).sum::<f64>() / straight;
        sum += length / straight;
    }
    assert!(sum < 100.5, "{sum}");
    assert!(walked < 100.1, "{walked}");
}

#[test]
fn ways_are_as_short_as_a_field_of_the_whole_world_says() {
    let mut rng = Rng(72);
    for walls in [random_walls([1, 100, 300], 0.05, &mut rng), maze([20, 25], 15, &mut rng)] {
        let medium = medium(&walls);
        let mut world = WorldField::new(&medium).unwrap();
        let open = open_cells(&walls);
        let [_, y, x] = open[rng.below(open.len())];
        world.set_target(&medium, [y, x]).unwrap();
        let field = ArrivalField::from_sources(&medium, &[[y, x]]).unwrap();
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..200 {
            let [_, y, x] = open[rng.below(open.len())];
            let time = f64::from(field.times()[[y, x]]) * medium.dt();
            let way = world.way(&medium, [y, x]).unwrap();
            assert_eq!(way.is_empty(), time.is_infinite());
            if !way.is_empty() && time > 20.0 {
                let walked: f64 = way.windows(2).map(|leg| leg[0].distance(leg[1])).sum();
                assert!(walked < time * 1.03, "{walked} and {time}");
                sum += walked / time;
                count += 1;
            }
        }
        let mean = sum / f64::from(count);
        assert!((0.97..1.002).contains(&mean), "{mean}");
    }
}

#[test]
fn an_edited_world_is_one_that_was_built_so() {
    let mut rng = Rng(73);
    for (shape, fraction) in [([1, 70, 1100], 0.02), ([1, 64, 64], 0.4), ([1, 300, 300], 0.01)] {
        let mut walls = random_walls(shape, fraction, &mut rng);
        let mut medium = medium(&walls);
        let mut world = WorldField::new(&medium).unwrap();
        for round in 0..12 {
            let (first, len, axis) = (rng.cell(shape), 1 + rng.below(40), 1 + rng.below(2));
            let wall = rng.below(2) == 0;
            for n in 0..len {
                let mut cell = first;
                cell[axis] += n;
                if cell[axis] < shape[axis] {
                    walls[cell] = wall;
                    medium.set_wall([cell[1], cell[2]], wall).unwrap();
                }
            }
            if round % 3 == 1 {
                world.refresh(&medium).unwrap();
            } else {
                world.update(&medium).unwrap();
            }
            if round % 4 != 3 {
                continue;
            }
            let mut fresh = WorldField::new(&medium).unwrap();
            let open = open_cells(&walls);
            let [_, y, x] = open[rng.below(open.len())];
            world.set_target(&medium, [y, x]).unwrap();
            fresh.set_target(&medium, [y, x]).unwrap();
            for _ in 0..30 {
                let [_, y, x] = open[rng.below(open.len())];
                let ways = [&mut world, &mut fresh].map(|w| w.way(&medium, [y, x]).unwrap());
                assert_eq!(ways[0], ways[1]);
                let lengths = [&mut world, &mut fresh].map(|w| w.length(&medium, [y, x]).unwrap());
                assert_eq!(lengths[0], lengths[1]);
            }
            assert!(world == fresh, "{shape:?}, round {round}");
        }
    }
}

#[test]
fn a_world_is_the_same_for_any_number_of_threads() {
    let mut rng = Rng(74);
    let mut walls = random_walls([1, 70, 1100], 0.03, &mut rng);
    let closed = [0, 60, 500];
    walls[closed] = false;
    let before = medium(&walls);
    let worlds = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut medium = before.clone();
            let mut world = WorldField::new(&medium).unwrap();
            medium.set_wall([60, 500], true).unwrap();
            world.refresh(&medium).unwrap();
            world
        })
    });
    assert!(worlds[0] == worlds[1] && worlds[0] == worlds[2]);
}

#[test]
fn only_tiles_that_are_asked_for_are_filled() {
    let walls = open_ground([1, 320, 1280]);
    let medium = medium(&walls);
    let mut world = WorldField::new(&medium).unwrap();
    world.set_target(&medium, [10, 10]).unwrap();
    for x in 0..30 {
        world.direction(&medium, [300, 1200 + x]).unwrap();
    }
    // Those two, and the tiles that are seen from there.
    assert!((2..20).contains(&world.filled_tiles()), "{}", world.filled_tiles());
    let mut taken = [0; 2];
    for taken in &mut taken {
        for target in 0..10 {
            world.set_target(&medium, [target, 1000]).unwrap();
            assert_eq!(world.filled_tiles(), 0);
            world.direction(&medium, [target, 5]).unwrap();
        }
        *taken = world.memory_bytes();
    }
    assert_eq!(taken[0], taken[1], "nothing more is taken for other targets");
}

#[test]
fn a_world_refuses_what_it_does_not_know() {
    let open = open_ground([1, 40, 50]);
    let mut plain = medium(&open);
    let mut world = WorldField::new(&plain).unwrap();
    assert_eq!(world.direction(&plain, [1, 1]), Ok(None), "without a target");
    assert!(matches!(world.set_target(&plain, [40, 0]), Err(WaveError::OutOfGrid { .. })));
    plain.set_wall([3, 3], true).unwrap();
    assert!(matches!(world.set_target(&plain, [3, 3]), Err(WaveError::Wall { .. })));
    world.set_target(&plain, [3, 4]).unwrap();
    assert!(matches!(world.length(&plain, [5, 50]), Err(WaveError::OutOfGrid { .. })));
    assert_eq!(world.length(&plain, [3, 3]), Ok(None), "in a wall");
    assert_eq!(world.length(&plain, [3, 4]), Ok(Some(0.0)));
    assert_eq!(world.direction(&plain, [3, 4]).unwrap().map(glam::Vec2::length), Some(0.0));
    // A target that becomes a wall is none until it is opened.
    plain.set_wall([3, 4], true).unwrap();
    assert_eq!(world.length(&plain, [9, 9]), Ok(None));
    plain.set_wall([3, 4], false).unwrap();
    assert!(world.length(&plain, [9, 9]).unwrap().is_some());

    let other = medium(&open_ground([1, 50, 40]));
    assert!(matches!(world.update(&other), Err(WaveError::OtherMedium { .. })));
    // An older copy, and one with as many edits.
    let mut copy = plain.clone();
    plain.set_wall([30, 20], true).unwrap();
    world.update(&plain).unwrap();
    for _ in 0..2 {
        world.update(&copy).unwrap();
        assert!(world == WorldField::new(&copy).unwrap());
        copy.set_wall([10, 30], true).unwrap();
        world.update(&plain).unwrap();
        assert!(world == WorldField::new(&plain).unwrap());
    }
    let link = Link { from: [1, 1], to: [5, 5], time: 10.0 };
    let linked = Medium::<Ix2>::builder([40, 50]).links(&[link]).build().unwrap();
    assert!(matches!(WorldField::new(&linked), Err(WaveError::Links)));
    plain.set_speed([1, 1], 0.5).unwrap();
    assert_eq!(world.update(&plain), Err(WaveError::Speeds));
    assert!(matches!(WorldField::new(&plain), Err(WaveError::Speeds)));
}
