//! Blocks find what a march finds.

use crate::arrival::march::tests::dice;
use crate::arrival::solver::{Ended, Solver};
use crate::grid::{Map, Medium};
use crate::parallel::with_threads;
use crate::simd::Simd;
use ndarray::{Array3, Ix3};

type Cell = [usize; 3];

/// Whether a wave came to every cell of a grid, and when, as far as that is known.
#[derive(Debug, PartialEq)]
struct Found {
    ended: Ended,
    limit: i32,
    times: Vec<i32>,
}

fn found(
    solver: &mut Solver,
    map: &Map,
    sources: &[Cell],
    goals: &[Cell],
    by_blocks: bool,
) -> Found {
    let ended = solver.run_by(map, sources, goals, by_blocks);
    let (times, limit) = solver.times();
    Found { ended, limit, times: times.iter().map(|&time| time.min(limit)).collect() }
}

fn check(medium: &Medium<Ix3>, sources: &[Cell], goals: &[Cell]) -> Found {
    let map = medium.map();
    let expected = found(&mut Solver::new(map.size()), map, sources, goals, false);
    for simd in Simd::available() {
        for threads in if cfg!(miri) { vec![1] } else { vec![1, 2, 4] } {
            let by_blocks = with_threads(threads, || {
                let mut solver = Solver::new(map.size());
                solver.set_simd(simd).unwrap();
                found(&mut solver, map, sources, goals, true)
            });
            let is_same = by_blocks == expected;
            let how = || format!("{:?}, {sources:?}, {goals:?}, {threads}", map.size());
            assert!(is_same, "{}, {simd:?}", how());
        }
    }
    expected
}

/// Cells of a map that are no walls, one at least.
fn some_open(walls: &Array3<bool>, most: u64, random: &mut impl FnMut(u64) -> u64) -> Vec<Cell> {
    let open: Vec<Cell> =
        walls.indexed_iter().filter(|(_, wall)| !**wall).map(|((z, y, x), _)| [z, y, x]).collect();
    (0..=random(most)).map(|_| open[random(open.len() as u64) as usize]).collect()
}

/// Walls in so many of 100 cells; at least one cell is open.
fn some_walls(size: Cell, share: u64, random: &mut impl FnMut(u64) -> u64) -> Array3<bool> {
    let mut walls = Array3::from_shape_simple_fn(size, || random(100) < share);
    walls[size.map(|cells| random(cells as u64) as usize)] = false;
    walls
}

/// Speeds that differ from area to area: slices across an axis, so that no cell can be left across
/// a corner, or boxes.
fn some_speeds(size: Cell, boxes: bool, random: &mut impl FnMut(u64) -> u64) -> Array3<f64> {
    let few = [1.0, 0.5, 0.3, 1.0 / 64.0];
    if boxes {
        let mut speeds = Array3::from_elem(size, 1.0);
        for _ in 0..3 {
            let [from, to] = [(); 2].map(|()| size.map(|cells| random(cells as u64) as usize));
            let speed = few[random(4) as usize];
            for ((z, y, x), each) in speeds.indexed_iter_mut() {
                let is_in = |axis: usize, c: usize| {
                    c >= from[axis].min(to[axis]) && c <= from[axis].max(to[axis])
                };
                if is_in(0, z) && is_in(1, y) && is_in(2, x) {
                    *each = speed;
                }
            }
        }
        return speeds;
    }
    let axis = random(3) as usize;
    let slices: Vec<f64> = (0..size[axis]).map(|_| few[random(4) as usize]).collect();
    Array3::from_shape_fn(size, |(z, y, x)| slices[[z, y, x][axis]])
}

fn medium(walls: &Array3<bool>, speeds: Option<&Array3<f64>>) -> Medium<Ix3> {
    let (nz, ny, nx) = walls.dim();
    let builder = Medium::<Ix3>::builder([nz, ny, nx]).walls(walls);
    let builder = if let Some(speeds) = speeds { builder.speeds(speeds) } else { builder };
    builder.build().unwrap()
}

/// Whether blocks are used where they are asked for.
fn is_for_blocks(medium: &Medium<Ix3>, source: Cell) -> bool {
    let mut solver = Solver::new(medium.map().size());
    solver.run_by(medium.map(), &[source], &[], true);
    solver.knows_blocks()
}

#[test]
fn times_are_those_of_a_march_on_grids_of_every_size() {
    let mut random = dice();
    let (mut reached, mut early, mut areas, mut of_areas) = (0, 0, 0, 0);
    let rounds = if cfg!(miri) { 1 } else { 400 };
    for round in 0..rounds {
        let mut size = [2, 1, 1];
        let more = if cfg!(miri) { [1, 2, 9] } else { [20; 3] };
        size.iter_mut().zip(more).for_each(|(cells, more)| *cells += random(more) as usize);
        if round % 8 == 7 {
            // Thin, and of more blocks.
            size = [2 + random(3) as usize, 1 + random(3) as usize, 1 + random(70) as usize];
            size.rotate_left(random(3) as usize);
            size[0] = size[0].max(2);
        }
        let walls = some_walls(size, [0, 10, 30, 50][round % 4], &mut random);
        let speeds = (round % 3 > 0).then(|| some_speeds(size, round % 3 == 2, &mut random));
        let sources = some_open(&walls, 3, &mut random);
        let goals = if random(2) == 0 { vec![] } else { some_open(&walls, 2, &mut random) };
        let medium = medium(&walls, speeds.as_ref());
        let found = check(&medium, &sources, &goals);
        reached += found.times.iter().filter(|&&time| time < found.limit).count();
        early += usize::from(found.ended == Ended::Early);
        if speeds.is_some() {
            areas += 1;
            of_areas += usize::from(is_for_blocks(&medium, sources[0]));
        }
    }
    assert!(cfg!(miri) || reached > 100_000 && early > 50, "{reached} cells, {early} early");
    assert!(cfg!(miri) || of_areas > 50 && of_areas < areas, "{of_areas} of {areas}");
}

#[test]
fn times_are_those_of_a_march_on_grids_of_many_blocks() {
    let mut random = dice();
    for (size, share) in [
        ([40, 40, 40], 0),
        ([33, 50, 65], 10),
        ([48, 31, 40], 30),
        ([40, 56, 24], 55),
        ([9, 90, 90], 60),
    ] {
        for speeds in [false, true] {
            let walls = some_walls(size, share, &mut random);
            let speeds = speeds.then(|| some_speeds(size, false, &mut random));
            let medium = medium(&walls, speeds.as_ref());
            let sources = some_open(&walls, 2, &mut random);
            check(&medium, &sources, &[]);
            let goals = some_open(&walls, 2, &mut random);
            check(&medium, &sources, &goals);
        }
    }
}

/// A late change in one of the four blocks around an edge decides what a cell of the second one
/// offers to the third, by way of a cell beside it: no times grow straight across the edge.
#[test]
fn a_late_change_beside_an_edge_is_heard_of_beyond_it() {
    let mut walls = Array3::from_elem([16, 24, 24], true);
    let mut open = |z: usize, y: usize, x: usize| walls[[z, y, x]] = false;
    (5..=15).for_each(|y| open(8, y, 8));
    (9..=18).for_each(|x| open(8, 15, x));
    (8..=18).for_each(|x| open(8, 16, x));
    open(8, 14, 18);
    open(8, 17, 18);
    for [z, y, x] in [[3, 13, 4], [3, 13, 5], [4, 13, 5], [5, 13, 5], [5, 14, 5], [5, 15, 5]] {
        open(z, y, x);
    }
    (6..=9).for_each(|x| open(5, 15, x));
    open(6, 15, 9);
    open(7, 15, 9);
    let sources = [[3, 13, 4], [8, 5, 8], [8, 14, 18], [8, 17, 18]];
    check(&medium(&walls, None), &sources, &[]);
}

/// Walls across, each with one gap, so that the way leads to and fro.
#[test]
fn times_are_those_of_a_march_where_the_way_is_long() {
    let [nz, ny, nx] = [11, 20, 37];
    for axis in 0..3 {
        let mut size = [nz, ny, nx];
        size.rotate_left(axis);
        let walls = Array3::from_shape_fn(size, |(z, y, x)| {
            let mut cell = [z, y, x];
            cell.rotate_right(axis);
            let [z, y, x] = cell;
            let gap = if x % 4 == 1 { [0, 0] } else { [nz - 1, ny - 1] };
            x % 2 == 1 && [z, y] != gap
        });
        let found = check(&medium(&walls, None), &[[0; 3]], &[]);
        assert!(found.times.iter().all(|&time| time == i32::MAX - 1 || time < found.limit));
    }
}

#[test]
fn a_field_solved_again_after_edits_has_the_times_of_a_march() {
    let mut random = dice();
    let size = [13, 18, 22];
    for areas in [false, true] {
        let mut walls = some_walls(size, 20, &mut random);
        let speeds = areas.then(|| some_speeds(size, false, &mut random));
        let mut medium = medium(&walls, speeds.as_ref());
        let mut solvers = [(); 2].map(|()| Solver::new(size));
        let mut whole = 0;
        for round in 0..30 {
            let sources = some_open(&walls, 2, &mut random);
            let goals = if round % 3 == 0 { some_open(&walls, 1, &mut random) } else { vec![] };
            let [by_blocks, march] = &mut solvers;
            let expected = found(march, medium.map(), &sources, &goals, false);
            let again = found(by_blocks, medium.map(), &sources, &goals, true);
            assert!(again == expected, "round {round}, areas: {areas}");
            whole += usize::from(expected.ended == Ended::Whole);
            for _ in 0..random(12) {
                let cell = size.map(|cells| random(cells as u64) as usize);
                walls[cell] = !walls[cell] && walls.iter().filter(|wall| !**wall).count() > 1;
                medium.set_wall(cell, walls[cell]).unwrap();
            }
            if areas && round % 10 == 9 {
                medium.set_speed(size.map(|cells| random(cells as u64) as usize), 0.5).unwrap();
            }
        }
        assert!(whole > 0);
    }
}

/// The cells of a way through cells as slow as they may be, but for those at its beginning.
fn slow_way(size: Cell, way: &[Cell]) -> Medium<Ix3> {
    let mut walls = Array3::from_elem(size, true);
    for &cell in way {
        walls[cell] = false;
    }
    let speeds = Array3::from_shape_fn(size, |(_, _, x)| if x == 0 { 1.0 } else { 0.00043 });
    medium(&walls, Some(&speeds))
}

/// Times that blocks have no numbers for.
#[test]
fn what_lies_very_far_is_left_to_a_march() {
    for length in [1000, 1390, 1410, 1430, 1460, 1900] {
        let nx = length / 2;
        let there = (0..nx).map(|x| [0, 0, x]);
        let back = (0..nx).rev().map(|x| [0, 2, x]);
        let way: Vec<Cell> = there.chain([[0, 1, nx - 1]]).chain(back).collect();
        let medium = slow_way([2, 8, nx], &way);
        assert!(is_for_blocks(&medium, [0; 3]));
        let found = check(&medium, &[[0; 3]], &[]);
        let far = found.times.iter().filter(|&&time| time < found.limit).max().unwrap();
        assert_eq!(*far > 1 << 30, length > 1443, "{length}: {far}");
    }
}

/// Where no other block is asked to go on.
#[test]
fn what_lies_very_far_within_a_block_is_left_to_a_march() {
    let straight = 1392;
    let mut way: Vec<Cell> = (0..straight).map(|x| [0, 0, x]).collect();
    // To and fro along x, then along y, then along z.
    let (mut y, mut x) = (0, straight);
    for z in 0..8 {
        way.push([z, y, x]);
        for step in 0..if z % 2 == 0 { 7 } else { 0 } {
            if step % 2 == 0 {
                let is_back = x > straight;
                let along = (straight..straight + 8).map(|x| [z, y, x]);
                way.extend(along);
                x = if is_back { straight } else { straight + 7 };
            }
            if step < 6 {
                y = if z % 4 == 0 { y + 1 } else { y - 1 };
                way.push([z, y, x]);
            }
        }
    }
    let medium = slow_way([8, 8, straight + 8], &way);
    let found = check(&medium, &[[0; 3]], &[]);
    let far = found.times.iter().filter(|&&time| time < found.limit).max().unwrap();
    assert!(*far > 1 << 30, "{far}");
}

/// A map of a game; its file names the size and then each voxel that is a wall.
#[test]
fn times_are_those_of_a_march_on_a_map_of_a_game() {
    let Some(data) = std::env::var_os("DATA_DIR") else {
        println!("skipped: DATA_DIR is not set");
        return;
    };
    let path = std::path::Path::new(&data).join("voxel3d/warframe/Complex.3dmap");
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| {
        let numbers = line.trim_start_matches("voxel").split_whitespace();
        let numbers: Vec<usize> = numbers.map(|number| number.parse().unwrap()).collect();
        <Cell>::try_from(numbers).unwrap()
    });
    let [x, y, z] = lines.next().unwrap();
    let mut walls = Array3::from_elem([z, y, x], false);
    lines.for_each(|[x, y, z]| walls[[z, y, x]] = true);
    let mut random = dice();
    let medium = medium(&walls, None);
    for _ in 0..2 {
        let sources = some_open(&walls, 1, &mut random);
        let found = check(&medium, &sources, &[]);
        assert!(found.times.iter().filter(|&&time| time < found.limit).count() > 10_000);
        check(&medium, &sources, &some_open(&walls, 1, &mut random));
    }
}
