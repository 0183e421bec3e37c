//! The solved arrival field: the equation that it solves, and its promises.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, flood, maze, open_cells, open_ground, random_walls};
use crate::reference::Scene;
use glam::{Vec2, Vec3};
use ndarray::{Array, Array2, Array3, Axis, Ix2, Ix3, s};
use proptest::prelude::*;
use std::f64::consts::SQRT_2;
use wave_core::{ArrivalField, Front, Medium, RecordedWave, Simd, Space, WaveError};

/// The times of a field as a 3D array.
fn times<D: Space>(field: &ArrivalField<D>, shape: Cell) -> Array3<f64> {
    let times = field.times().to_owned().into_iter().map(f64::from).collect();
    Array3::from_shape_vec(shape, times).unwrap()
}

/// The least of `T(x) + each |x|` over points x of the segment from A, one cell off, to B, one cell
/// aside of A: by trying many.
fn least_over_edge(a: f64, b: f64, each: f64) -> f64 {
    (0..=400)
        .map(|i| {
            let x = f64::from(i) / 400.0;
            a + (b - a) * x + each * (1.0 + x * x).sqrt()
        })
        .fold(f64::INFINITY, |least, t| if t < least { t } else { least })
}

/// The same over the triangle of A, B and C, one cell aside of B to the third side.
fn least_over_face(a: f64, b: f64, c: f64, each: f64) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..=60 {
        for j in 0..=i {
            let (x, y) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
            let time = a + (b - a) * x + (c - b) * y;
            least = least.min(time + each * (1.0 + x * x + y * y).sqrt());
        }
    }
    least
}

/// Bounds of a cell's time by the times around it: the least over all triangles and tetrahedra, and
/// the least over all triangles. The same on a flat grid.
fn bounds(times: &Array3<f64>, cell: Cell, each: f64) -> (f64, f64) {
    let at = |offset: [isize; 3]| {
        let there: Cell = std::array::from_fn(|k| cell[k].wrapping_add_signed(offset[k]));
        times.get(there).copied().unwrap_or(f64::INFINITY)
    };
    let unit = |axis: usize, sign: isize| {
        let mut offset = [0; 3];
        offset[axis] = sign;
        offset
    };
    let sum = |a: [isize; 3], b: [isize; 3]| std::array::from_fn(|k| a[k] + b[k]);
    let (mut low, mut high) = (f64::INFINITY, f64::INFINITY);
    let late = |t: f64, other: f64| if t.is_finite() { t } else { other + 1e9 };
    for (i, p, q) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
        for signs in 0..8 {
            let sign = |bit: usize| if signs >> bit & 1 == 1 { 1 } else { -1 };
            let first = unit(i, sign(0));
            let second = sum(first, unit(p, sign(1)));
            let third = sum(second, unit(q, sign(2)));
            let a = at(first);
            if a.is_infinite() {
                continue;
            }
            let (b, c) = (late(at(second), a), late(at(third), a));
            // No cell takes less than this after the neighbour it is reached through.
            high = high.min(least_over_edge(a, b, each).max(a + (SQRT_2 - 1.0) * each));
            let flat = times.dim().0 == 1;
            let face =
                if flat { least_over_edge(a, b, each) } else { least_over_face(a, b, c, each) };
            let after = if flat { SQRT_2 - 1.0 } else { 3.0_f64.sqrt() - SQRT_2 };
            low = low.min(face.max(a + after * each));
        }
    }
    (low, high)
}

/// The earliest arrival at a cell across a corner, if all the cells that share it are open and
/// those beside the way are slower than the cell: half of the way is in either, and both middles
/// are late by half of their times. `each` is the time of a cell, infinite in walls, in whole
/// `unit`s.
fn across_corners(times: &Array3<f64>, each: &Array3<f64>, cell: Cell) -> f64 {
    let mut least = f64::INFINITY;
    for step in (0..27).map(|i| [i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1]) {
        let axes = step.iter().filter(|&&s: &&isize| s != 0).count();
        let there: Cell = std::array::from_fn(|k| cell[k].wrapping_add_signed(step[k]));
        if axes < 2 || !times.get(there).is_some_and(|t| t.is_finite()) {
            continue;
        }
        let block = each.slice(s![
            cell[0].min(there[0])..=cell[0].max(there[0]),
            cell[1].min(there[1])..=cell[1].max(there[1]),
            cell[2].min(there[2])..=cell[2].max(there[2]),
        ]);
        let open = block.iter().all(|e| e.is_finite());
        let slower = block.iter().filter(|&&e| e > each[cell]).count();
        let beside = (1 << axes) - 2;
        if open && slower == beside + usize::from(each[there] > each[cell]) {
            let half = 0.5 * (axes as f64).sqrt();
            let left = times[there] - 0.5 * each[there];
            least = least.min(left + half * (each[there] + each[cell]) + 0.5 * each[cell]);
        }
    }
    least
}

fn is_the_solution<D: Space>(scene: &Scene, sources: &[Cell]) {
    let medium = scene.medium::<D, f32>();
    let cells: Vec<_> = sources.iter().map(|&c| D::from_zyx(c)).collect();
    let field = ArrivalField::from_sources(&medium, &cells).unwrap();
    let times = times(&field, scene.shape());
    let joined = flood(&scene.walls, sources);
    let fastest = open_cells(&scene.walls).into_iter().map(|c| scene.speeds[c]);
    let fastest = fastest.fold(0.0, f64::max);
    let steps = |cell: Cell| scene.spacing / (scene.speeds[cell] * scene.dt);
    // Rounded twice, to a whole number of this; and tried at 400, in 3D 60, places.
    let unit = scene.spacing / (fastest * scene.dt) / 320.0;
    let each = Array3::from_shape_fn(scene.shape(), |(z, y, x)| {
        let open = !scene.walls[[z, y, x]];
        if open { (steps([z, y, x]) / unit).round() * unit } else { f64::INFINITY }
    });
    for (cell, &time) in times.indexed_iter() {
        let cell = [cell.0, cell.1, cell.2];
        assert_eq!(time.is_finite(), joined[cell].is_some(), "{cell:?}");
        if !time.is_finite() {
            continue;
        }
        let across = across_corners(&times, &each, cell);
        let each = steps(cell);
        // Near a source, where all is alike, times are distances.
        let straight = sources.iter().map(|source| {
            let square = (0..3).map(|k| (cell[k] as f64 - source[k] as f64).powi(2)).sum::<f64>();
            square.sqrt() * each
        });
        let is_near = straight.clone().any(|t| (t - time).abs() <= unit);
        let (low, high) = bounds(&times, cell, each);
        let (low, high) = (low.min(across), high.min(across));
        let slack = 1.5 * unit + 1e-5 * time + 2e-4 * each;
        let range = if is_near { -slack..=high + slack } else { low - slack..=high + slack };
        assert!(range.contains(&time), "{cell:?}: {time} not in {range:?}, cell {each}");
    }
}

fn same_bits<D: Space>(one: &ArrivalField<D>, other: &ArrivalField<D>) -> bool {
    let bits = |field: &ArrivalField<D>| -> Vec<u32> {
        field.times().iter().map(|t| t.to_bits()).collect()
    };
    bits(one) == bits(other) && one.directions() == other.directions()
}

proptest! {
    #![proptest_config(cases(48))]

    /// The least over all triangles of a cell, a neighbour and one aside: the limit of short waves.
    #[test]
    fn a_field_solves_its_equation(
        seed: u64, fraction in 0.0..0.45f64, shape in [1..7usize, 1..30usize, 1..40usize],
        differ: bool, deep: bool,
    ) {
        let mut rng = Rng(seed);
        let shape = if deep { [shape[0], shape[1].min(9), shape[2].min(9)] } else { [1, shape[1], shape[2]] };
        let walls = random_walls(shape, fraction, &mut rng);
        let open = open_cells(&walls);
        prop_assume!(!open.is_empty());
        let sources: Vec<Cell> = (0..=rng.below(3)).map(|_| open[rng.below(open.len())]).collect();
        let mut scene = Scene::new(walls, 0.98);
        if differ {
            scene = scene.with_random_speeds(&mut rng);
        }
        if deep { is_the_solution::<Ix3>(&scene, &sources) } else { is_the_solution::<Ix2>(&scene, &sources) }
    }

    /// Earlier solutions leave no trace, and a search that stops early equals the whole one as far
    /// as it went.
    #[test]
    fn a_field_depends_on_its_sources_alone(seed: u64, fraction in 0.0..0.4f64, differ: bool) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, 40, 50], fraction, &mut rng);
        let open = open_cells(&walls);
        let mut any = || { let [_, y, x] = open[rng.below(open.len())]; [y, x] };
        let (a, b, goals) = (any(), any(), [any(), any()]);
        let mut scene = Scene::new(walls, 0.98);
        if differ {
            scene = scene.with_random_speeds(&mut rng);
        }
        let medium = scene.medium::<Ix2, f32>();
        let whole = ArrivalField::from_sources(&medium, &[a]).unwrap();
        let mut field = ArrivalField::from_sources(&medium, &[b]).unwrap();
        let reached = field.solve_until(&medium, &[a], &goals).unwrap();
        prop_assert_eq!(reached, goals.iter().all(|&goal| whole.times()[goal].is_finite()));
        let far = goals.iter().map(|&goal| whole.times()[goal]).fold(0.0, f32::max);
        for (cell, &early) in field.times().indexed_iter() {
            let late = whole.times()[[cell.0, cell.1]];
            if early.is_finite() || late <= far {
                prop_assert_eq!(early.to_bits(), late.to_bits());
                prop_assert_eq!(field.directions()[[cell.0, cell.1]], whole.directions()[[cell.0, cell.1]]);
            }
        }
        field.solve(&medium, &[a, a]).unwrap();
        prop_assert!(same_bits(&field, &whole));
        // The same again for the other number format.
        let wide = scene.medium::<Ix2, f64>();
        field.solve(&wide, &[a]).unwrap();
        prop_assert_eq!(field.times().shape(), whole.times().shape());
    }

    #[test]
    fn mirrored_maps_have_mirrored_times(seed: u64, fraction in 0.0..0.4f64) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, 33, 41], fraction, &mut rng);
        let open = open_cells(&walls);
        let [_, y, x] = open[rng.below(open.len())];
        let mirrored = Array3::from_shape_fn(walls.dim(), |(z, y, x)| walls[[z, 32 - y, 40 - x]]);
        let field = |walls: Array3<bool>, source| {
            let medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
            ArrivalField::from_sources(&medium, &[source]).unwrap()
        };
        let (one, other) = (field(walls, [y, x]), field(mirrored, [32 - y, 40 - x]));
        for ((y, x), time) in one.times().indexed_iter() {
            prop_assert_eq!(*time, other.times()[[32 - y, 40 - x]]);
        }
    }

    /// Each of the cells that the way home leads across is earlier: so is every neighbour on its
    /// way.
    #[test]
    fn ways_lead_to_what_is_earlier(seed: u64, fraction in 0.0..0.45f64, deep: bool) {
        let mut rng = Rng(seed);
        let shape = if deep { [6, 9, 10] } else { [1, 30, 33] };
        let walls = random_walls(shape, fraction, &mut rng);
        let open = open_cells(&walls);
        let source = open[rng.below(open.len())];
        let scene = Scene::new(walls, 0.98).with_random_speeds(&mut rng);
        let mut ways: Vec<[f32; 3]> = Vec::new();
        let times = if deep {
            let field = ArrivalField::from_sources(&scene.medium::<Ix3, f32>(), &[source]).unwrap();
            ways.extend(field.directions().iter().map(Vec3::to_array));
            times(&field, shape)
        } else {
            let [_, y, x] = source;
            let field = ArrivalField::from_sources(&scene.medium::<Ix2, f32>(), &[[y, x]]).unwrap();
            ways.extend(field.directions().iter().map(|w| w.extend(0.0).to_array()));
            times(&field, shape)
        };
        for ((cell, &time), way) in times.indexed_iter().zip(ways) {
            let cell = [cell.0, cell.1, cell.2];
            let length = way.iter().map(|w| w * w).sum::<f32>().sqrt();
            if !time.is_finite() || cell == source {
                prop_assert_eq!(length, 0.0);
                continue;
            }
            prop_assert!((length - 1.0).abs() < 1e-5, "{:?}", way);
            let axis = (0..3).max_by(|&a, &b| way[a].abs().total_cmp(&way[b].abs())).unwrap();
            let mut next = cell;
            next[2 - axis] = next[2 - axis].wrapping_add_signed(if way[axis] > 0.0 { 1 } else { -1 });
            // On the diagonal either may be meant.
            let diagonal = way.iter().filter(|w| (w.abs() - way[axis].abs()).abs() < 1e-6).count() > 1;
            prop_assert!(diagonal || times[next] < time, "{:?}: {:?}", cell, way);
        }
    }
}

/// Along the axes and diagonals exact, between them a little late, and ways that point at the
/// source.
#[test]
fn on_open_ground_times_are_distances() {
    fn worst<D: Space>(
        shape: Cell,
        source: Cell,
        ways: impl Fn(&ArrivalField<D>) -> Vec<[f32; 3]>,
    ) -> [f64; 2] {
        let scene = Scene::new(open_ground(shape), 0.98);
        let field =
            ArrivalField::from_sources(&scene.medium::<D, f32>(), &[D::from_zyx(source)]).unwrap();
        let (mut late, mut degrees, mut ways_told) = (0.0_f64, 0.0, 0.0);
        for ((cell, time), way) in times(&field, shape).indexed_iter().zip(ways(&field)) {
            let cell = [cell.2, cell.1, cell.0];
            let back: [f64; 3] = std::array::from_fn(|k| source[2 - k] as f64 - cell[k] as f64);
            let distance = back.iter().map(|b| b * b).sum::<f64>().sqrt();
            if distance < 0.5 {
                continue;
            }
            let error = time * scene.dt / distance - 1.0;
            assert!(error > -0.002, "too early by {error}");
            late = late.max(error);
            let along = back.iter().zip(way).map(|(b, w)| b * f64::from(w)).sum::<f64>() / distance;
            degrees += along.min(1.0).acos().to_degrees();
            ways_told += 1.0;
        }
        [late, degrees / ways_told]
    }
    let flat = worst::<Ix2>([1, 301, 301], [0, 150, 150], |field| {
        field.directions().iter().map(|w| w.extend(0.0).to_array()).collect()
    });
    let deep = worst::<Ix3>([61, 61, 61], [30, 30, 30], |field| {
        field.directions().iter().map(Vec3::to_array).collect()
    });
    // Measured: 0.42 % and 1.5 % late at most.
    assert!(flat[0] < 0.005 && flat[1] < 1.0, "{flat:?}");
    assert!(deep[0] < 0.016 && deep[1] < 3.0, "{deep:?}");
}

/// A front gives the limit of short waves; it is late at corners and in narrow places.
#[test]
fn a_recorded_wave_says_nearly_the_same() {
    let mut rng = Rng(5);
    let maps = [
        (open_ground([1, 120, 150]), 0.03),
        (random_walls([1, 120, 150], 0.1, &mut rng), 0.2),
        (maze([12, 15], 8, &mut rng), 0.35),
    ];
    for (walls, most) in maps {
        let source = open_cells(&walls)[0];
        let medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
        let field = ArrivalField::from_sources(&medium, &[[source[1], source[2]]]).unwrap();
        let mut wave = RecordedWave::new(&medium).unwrap();
        let pulse = RecordedWave::pulse(&medium);
        wave.emit(&medium, &[[source[1], source[2]]], pulse).unwrap();
        wave.run(&medium).unwrap();
        for (&one, &other) in field.times().iter().zip(&wave.arrivals()) {
            assert_eq!(one.is_finite(), other.is_finite());
            // A wave is late by a step or two from the beginning.
            let least = if one.is_finite() { one - 1.0 } else { one };
            assert!(
                other >= least
                    && (one < 40.0 || other <= one * (1.0 + most) + 2.0 || one.is_infinite()),
                "{one} {other}"
            );
        }
    }
}

#[test]
fn what_cannot_be_solved_is_refused_and_the_field_stays() {
    let mut walls = open_ground([1, 5, 7]);
    walls[[0, 2, 2]] = true;
    let medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
    let mut field = ArrivalField::from_sources(&medium, &[[0, 0]]).unwrap();
    let before = field.clone();
    assert_eq!(field.solve(&medium, &[]), Err(WaveError::NoSource));
    assert_eq!(field.solve(&medium, &[[2, 2]]), Err(WaveError::Wall { cell: vec![2, 2] }));
    let outside = Err(WaveError::OutOfGrid { cell: vec![5, 0], shape: vec![5, 7] });
    assert_eq!(field.solve(&medium, &[[5, 0]]), outside);
    assert_eq!(field.solve_until(&medium, &[[0, 0]], &[[5, 0]]).map(|_| ()), outside);
    let other = Medium::<Ix2>::builder([6, 7]).build().unwrap();
    let refused = WaveError::OtherMedium { found: vec![6, 7], expected: vec![5, 7] };
    assert_eq!(field.solve(&other, &[[0, 0]]), Err(refused));
    assert!(same_bits(&field, &before));
}

/// 6.6 million times the time of the fastest cell, and not a step further.
#[test]
fn what_is_too_far_is_an_error() {
    let medium = |slow: usize| {
        let mut speeds = Array::from_elem([1, 3000], 1.0_f32);
        (1..=slow).for_each(|x| speeds[[0, x]] = 1.0 / 2800.0);
        Medium::<Ix2>::builder([1, 3000]).speeds(&speeds).build().unwrap()
    };
    let mut field = ArrivalField::from_sources(&medium(2300), &[[0, 0]]).unwrap();
    let time = f64::from(field.times()[[0, 2999]]) * medium(1).dt();
    assert!((time / (2800.0 * 2300.0 + 699.0) - 1.0).abs() < 1e-3, "{time}");
    let before = field.clone();
    assert_eq!(field.solve(&medium(2900), &[[0, 0]]), Err(WaveError::TooFar));
    assert!(same_bits(&field, &before));
    assert_eq!(field.solve_until(&medium(2900), &[[0, 0]], &[[0, 5]]), Ok(true));

    // Nor does the field take walls for those among which it was refused.
    let (near, mut medium) = (medium(1), medium(2900));
    for _ in 0..2 {
        field.solve(&near, &[[0, 0]]).unwrap();
        assert!(same_bits(&field, &ArrivalField::from_sources(&near, &[[0, 0]]).unwrap()));
        assert_eq!(field.solve(&medium, &[[0, 0]]), Err(WaveError::TooFar));
    }
    field.solve(&medium, &[[0, 1450]]).unwrap();
    (2900..3000).for_each(|x| medium.set_wall([0, x], true).unwrap());
    assert_eq!(field.solve(&medium, &[[0, 0]]), Err(WaveError::TooFar));
    // A repair is of the last solve, not of a refused one since.
    field.solve(&medium, &[[0, 1450]]).unwrap();
    assert_eq!(field.solve(&medium, &[[0, 0]]), Err(WaveError::TooFar));
    medium.set_wall([0, 1400], true).unwrap();
    field.repair(&medium).unwrap();
    assert!(same_bits(&field, &ArrivalField::from_sources(&medium, &[[0, 1450]]).unwrap()));
    assert!(field.times().iter().skip(2900).all(|time| time.is_infinite()));
}

/// Whatever it was used for before: other media, also of other number formats, walls that came and
/// went, fronts, and refused calls.
#[test]
fn a_field_used_again_is_as_a_new_one() {
    /// Edits the medium, and uses a field and a new one for it.
    fn turn<D: Space>(
        medium: &mut Medium<D>,
        shape: Cell,
        field: &mut ArrivalField<D>,
        rng: &mut Rng,
    ) {
        let cell = |rng: &mut Rng| shape.map(|n| rng.below(n));
        for _ in 0..rng.below(3) {
            // Much of a row may come to be walls alone.
            let [z, y, x] = cell(rng);
            let is_wall = rng.below(2) == 0;
            for x in x..shape[2].min(x + 40) {
                medium.set_wall(D::from_zyx([z, y, x]), is_wall).unwrap();
            }
        }
        let [source, goal] = [(); 2].map(|()| D::from_zyx(cell(rng)));
        let mut new = ArrivalField::new(medium);
        let goals = if rng.below(2) == 0 { vec![goal] } else { vec![] };
        let before = field.clone();
        let found = field.solve_until(medium, &[source], &goals);
        assert_eq!(found, new.solve_until(medium, &[source], &goals));
        assert!(same_bits(field, if found.is_ok() { &new } else { &before }));
    }
    fn check<D: Space>(shape: Cell, turns: usize, rng: &mut Rng) {
        let mut scene = |share| Scene::new(random_walls(shape, share, rng), 0.9);
        let mut others = [scene(0.0), scene(0.3)].map(|scene| scene.medium::<D, f32>());
        let mut wide = scene(0.6).medium::<D, f64>();
        let mut areas = scene(0.2).with_random_speeds(rng).medium::<D, f32>();
        let mut field = ArrivalField::new(&areas);
        let mut which = 0;
        for _ in 0..turns {
            if rng.below(4) == 0 {
                which = rng.below(4);
            }
            match which {
                2 => turn::<D>(&mut wide, shape, &mut field, rng),
                3 => turn::<D>(&mut areas, shape, &mut field, rng),
                _ => turn::<D>(&mut others[which], shape, &mut field, rng),
            }
        }
    }
    let mut rng = Rng(11);
    check::<Ix2>([1, 40, 400], 200, &mut rng);
    check::<Ix3>([3, 10, 300], 100, &mut rng);
    for nx in [1, 15, 16, 17, 48] {
        check::<Ix2>([1, 20, nx], 50, &mut rng);
    }
}

/// Speeds are read again where they must be: the fastest cell is the unit of all times, and the
/// slowest limits the part that a search that stops early has not seen.
#[test]
fn walls_come_and_go_on_the_fastest_and_the_slowest_cells() {
    let mut rng = Rng(12);
    let shape = [1, 2, 600];
    // Some have no cells left at times; nobody passes the slowest but through them.
    let doors = [
        (1.0, [[0, 0, 100], [0, 1, 200]]),
        (0.8, [[0, 0, 300], [0, 1, 500]]),
        (0.01, [[0, 0, 400], [0, 1, 400]]),
    ];
    let mut scene = Scene::new(open_ground(shape), 0.9);
    scene.speeds.fill(0.5);
    for (speed, cells) in doors {
        for cell in cells {
            scene.speeds[cell] = speed;
        }
    }
    let mut medium = scene.medium::<Ix2, f32>();
    let mut field = ArrivalField::new(&medium);
    for _ in 0..1000 {
        for _ in 0..rng.below(3) {
            let (_, cells) = doors[rng.below(3)];
            let [_, y, x] = cells[rng.below(2)];
            medium.set_wall([y, x], rng.below(2) == 0).unwrap();
        }
        if rng.below(20) == 0 {
            let (speed, _) = doors[rng.below(3)];
            let (_, cells) = doors[rng.below(3)];
            let [_, y, x] = cells[rng.below(2)];
            medium.set_speed([y, x], speed).unwrap();
        }
        let goals = if rng.below(2) == 0 { vec![[0, rng.below(600)]] } else { vec![] };
        let mut new = ArrivalField::new(&medium);
        let found = field.solve_until(&medium, &[[1, 0]], &goals);
        assert_eq!(found, new.solve_until(&medium, &[[1, 0]], &goals));
        assert!(found.is_err() || same_bits(&field, &new));
    }
}

/// Between the fast fields of a chessboard ways lead through corners; every field has one, and it
/// leads home.
#[test]
fn fast_cells_that_touch_at_corners_are_joined() {
    fn check<D: Space>(shape: Cell, slow: impl Fn(Cell) -> bool, length: f64, to: [f32; 3]) {
        let mut scene = Scene::new(Array3::from_elem(shape, false), 0.9);
        scene.speeds =
            Array3::from_shape_fn(shape, |(z, y, x)| if slow([z, y, x]) { 0.1 } else { 1.0 });
        let medium = scene.medium::<D, f32>();
        let last = shape.map(|n| n - 1);
        let home = D::from_zyx([0; 3]);
        let field = ArrivalField::from_sources(&medium, &[home]).unwrap();
        let mut front = Front::new(&medium);
        front.emit(&medium, &[home]).unwrap();
        front.run(&medium).unwrap();
        let time = times(&field, shape)[last] * scene.dt;
        assert!((time / length - 1.0).abs() < 2e-3, "{time}, not {length}");
        let way = front.direction(D::from_zyx(last)).unwrap();
        let way = D::to_xyz(way).map(|w| w as f32);
        for a in 0..3 {
            assert!((way[a] - to[a]).abs() < 1e-6, "{way:?}, not {to:?}");
        }
        let i = field.directions().len() - 1;
        let found = *field.directions().iter().nth(i).unwrap();
        assert_eq!(found, D::direction(way));
        // A walker that follows the ways from any cell comes home.
        for cell in open_cells(&scene.walls) {
            let (mut at, mut moves) = (cell, 0);
            while at != [0; 3] {
                let way = D::to_xyz(front.direction(D::from_zyx(at)).unwrap());
                let before = front.arrival(D::from_zyx(at));
                let step = way.map(|w| if w.abs() > 0.38 { w.signum() as isize } else { 0 });
                at = std::array::from_fn(|k| at[k].saturating_add_signed(step[2 - k]).min(last[k]));
                moves += 1;
                assert!(front.arrival(D::from_zyx(at)) < before, "{cell:?}: {at:?}");
                assert!(moves < 500);
            }
        }
    }
    let half = 0.5_f32.sqrt();
    let odd = |c: Cell| c.iter().sum::<usize>() % 2 == 1;
    check::<Ix2>([1, 30, 30], odd, 29.0 * SQRT_2, [-half, -half, 0.0]);
    let third = (1.0 / 3.0_f32).sqrt();
    // Fast where all are even or all are odd: such cells share nothing but corners.
    let body = |c: Cell| c.iter().any(|v| v % 2 != c[0] % 2);
    check::<Ix3>([9, 9, 9], body, 8.0 * 3.0_f64.sqrt(), [-third; 3]);
}

/// Through cells of any speed, corners or not, the way there takes as long as the way back between
/// cells that are equally fast, and no less than it can.
#[test]
fn ways_across_corners_take_as_long_there_and_back() {
    let mut speeds = Array2::from_elem([7, 7], 0.02_f32);
    (speeds[[1, 1]], speeds[[2, 2]], speeds[[2, 3]]) = (1.0, 0.1, 1.0);
    let medium = Medium::<Ix2>::builder([7, 7]).speeds(&speeds).build().unwrap();
    let time = |from: [usize; 2], to: [usize; 2]| {
        let field = ArrivalField::from_sources(&medium, &[from]).unwrap();
        f64::from(field.times()[to]) * medium.dt()
    };
    let (there, back) = (time([1, 1], [2, 3]), time([2, 3], [1, 1]));
    assert!((there - back).abs() < 0.01, "{there}, {back}");
    // Half a diagonal at full speed, and through the slow cell by its shortest way to the other.
    assert!(there >= 0.5_f64.sqrt() + 10.0 + 0.5 && there < 13.4, "{there}");
}

/// The same bits on every machine, with every instruction set.
#[test]
fn a_golden_field() {
    let mut rng = Rng(2026);
    let walls = random_walls([9, 40, 40], 0.25, &mut rng);
    let source = open_cells(&walls)[100];
    let even = Medium::<Ix3>::builder([9, 40, 40]).walls(&walls).build().unwrap();
    let areas = Scene::new(walls, 0.98).with_random_speeds(&mut rng).medium::<Ix3, f32>();
    for (medium, golden) in [(even, 0xae7b_62c4_1b0e_6fcc), (areas, 0xf94b_2375_a518_f772)] {
        let mut field = ArrivalField::new(&medium);
        for simd in Simd::available() {
            field.set_simd(simd).unwrap();
            field.solve(&medium, &[source]).unwrap();
            let bits = field.directions().iter().flat_map(Vec3::to_array).map(f32::to_bits);
            let hash = hash_of(bits.chain(field.times().iter().map(|t| t.to_bits())));
            assert_eq!(hash, golden, "{simd:?}: {hash:#x}");
        }
    }
}

/// The same of flat fields, of one speed and with areas, with every instruction set.
#[test]
fn golden_flat_fields() {
    let mut rng = Rng(2027);
    let walls = random_walls([1, 90, 150], 0.25, &mut rng);
    let source = open_cells(&walls)[4000];
    let flat = walls.index_axis(Axis(0), 0);
    // One speed has a kernel of its own.
    let even = Medium::<Ix2>::builder([90, 150]).walls(&flat).build().unwrap();
    let areas = Scene::new(walls, 0.98).with_random_speeds(&mut rng).medium::<Ix2, f32>();
    for (medium, golden) in [(even, 0x52b7_7a45_990d_2f2f), (areas, 0x1896_7663_105e_905f)] {
        let mut field = ArrivalField::new(&medium);
        for simd in Simd::available() {
            field.set_simd(simd).unwrap();
            field.solve(&medium, &[[source[1], source[2]]]).unwrap();
            let bits = field.directions().iter().flat_map(Vec2::to_array).map(f32::to_bits);
            let hash = hash_of(bits.chain(field.times().iter().map(|t| t.to_bits())));
            assert_eq!(hash, golden, "{simd:?}: {hash:#x}");
        }
    }
}

fn hash_of(bits: impl Iterator<Item = u32>) -> u64 {
    bits.fold(0, |hash, bits| {
        (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
    })
}
