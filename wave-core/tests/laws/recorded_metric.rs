//! When a recorded wave arrives, and from where.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, flood, maze, open_ground, random_walls, walked};
use crate::reference::{Scene, any_open};
use crate::symmetry::Turn;
use glam::DVec2;
use ndarray::{Array2, Array3, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Medium, Real, RecordedWave, Source, WallRule};

/// The wave at its end.
fn heard<S: Real>(medium: &Medium<Ix2>, sources: &[Cell], source: Source) -> RecordedWave<Ix2, S> {
    let mut wave = RecordedWave::<_, S>::typed(medium).unwrap();
    let cells: Vec<_> = sources.iter().map(|&[_, y, x]| [y, x]).collect();
    wave.emit(medium, &cells, source).unwrap();
    wave.run(medium).unwrap();
    wave
}

/// All arrivals, infinite where it did not come.
fn arrivals<S: Real>(scene: &Scene, sources: &[Cell]) -> Array3<f64> {
    let medium = scene.medium::<Ix2, S>();
    let wave = heard::<S>(&medium, sources, RecordedWave::pulse(&medium));
    Array3::from_shape_fn(scene.shape(), |(_, y, x)| wave.arrival([y, x]).unwrap_or(f64::INFINITY))
}

/// The largest and the mean difference in steps where both came, which is the same cells.
fn difference(a: &Array3<f64>, b: &Array3<f64>) -> (f64, f64) {
    let (mut largest, mut sum, mut cells) = (0.0f64, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.is_finite(), b.is_finite());
        if a.is_finite() {
            largest = largest.max((a - b).abs());
            sum += (a - b).abs();
            cells += 1.0;
        }
    }
    (largest, sum / cells)
}

#[test]
fn on_open_ground_a_wave_is_as_fast_in_every_direction() {
    let scene = Scene::new(open_ground([1, 301, 301]), 0.98);
    let times = arrivals::<f64>(&scene, &[[0, 50, 50]]);
    let per_cell =
        |dy: usize, dx: usize| times[[0, 50 + dy, 50 + dx]] / (dy as f64).hypot(dx as f64);
    // Axis, diagonal, and both a knight's directions, all about 200 cells away.
    let rates = [[0, 200], [200, 0], [141, 141], [89, 178], [178, 89]].map(|[y, x]| per_cell(y, x));
    let (low, high) = rates.iter().fold((f64::MAX, 0.0f64), |(l, h), &r| (l.min(r), h.max(r)));
    assert!(high / low < 1.02, "{rates:?}");
    assert!((low * scene.dt - 1.0).abs() < 0.03, "{rates:?}");
}

#[test]
fn in_a_deep_space_a_wave_is_as_fast_in_every_direction() {
    let scene = Scene::new(open_ground([50, 50, 50]), 0.98);
    let medium = scene.medium::<Ix3, f64>();
    let mut wave = RecordedWave::<Ix3, f64>::typed(&medium).unwrap();
    wave.emit(&medium, &[[5, 5, 5]], RecordedWave::pulse(&medium)).unwrap();
    wave.run(&medium).unwrap();
    let per_cell = |d: [usize; 3]| {
        let length = d.map(|d| (d * d) as f64).iter().sum::<f64>().sqrt();
        wave.arrival(d.map(|d| d + 5)).unwrap() * scene.dt / length
    };
    let rates = [[0, 0, 40], [40, 0, 0], [0, 28, 28], [28, 0, 28], [23, 23, 23], [12, 24, 30]]
        .map(per_cell);
    // Measured: 1.012 to 1.027.
    assert!(rates.iter().all(|r| (1.005..1.04).contains(r)), "{rates:?}");
}

#[test]
fn on_open_ground_the_direction_points_to_the_source() {
    let medium = Scene::new(open_ground([1, 201, 201]), 0.98).medium::<Ix2, f64>();
    let wave = heard::<f64>(&medium, &[[0, 90, 70]], RecordedWave::pulse(&medium));
    let (mut sum, mut cells, mut worst, mut worst_far) = (0.0, 0.0, 0.0f64, 0.0f64);
    for (y, x) in (0..201).flat_map(|y| (0..201).map(move |x| (y, x))) {
        let home = DVec2::new(70.0 - x as f64, 90.0 - y as f64);
        if home.length() < 4.0 {
            continue;
        }
        let way = wave.direction([y, x]).unwrap();
        assert!((way.length() - 1.0).abs() < 1e-12);
        let degrees = way.angle_to(home).abs().to_degrees();
        (sum, cells, worst) = (sum + degrees, cells + 1.0, worst.max(degrees));
        if home.length() >= 45.0 && y.min(x).min(200 - y).min(200 - x) >= 3 {
            worst_far = worst_far.max(degrees);
        }
    }
    let mean = sum / cells;
    assert!(mean < 3.0 && worst < 40.0 && worst_far < 13.0, "{mean}, {worst}, {worst_far}");
}

#[test]
fn both_number_formats_agree_on_arrivals() {
    let mut rng = Rng(4);
    let walls = random_walls([1, 200, 200], 0.2, &mut rng);
    let source = any_open(&walls, &mut rng).unwrap();
    let scene = Scene::new(walls, 0.98);
    let (double, single) = (arrivals::<f64>(&scene, &[source]), arrivals::<f32>(&scene, &[source]));
    let (largest, mean) = difference(&double, &single);
    // Measured: a step in a cell, and 2e-4 on the mean.
    assert!(largest < 2.0 && mean < 0.002, "{largest} and {mean} steps");
}

/// A power of two as a factor changes no bit, as long as nothing comes under the floor.
#[test]
fn the_amplitude_changes_no_arrival() {
    let mut rng = Rng(5);
    for fraction in [0.0, 0.2, 0.35] {
        let walls = random_walls([1, 80, 90], fraction, &mut rng);
        let source = any_open(&walls, &mut rng).unwrap();
        let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
        let hear = |amplitude: f64| {
            heard::<f64>(&medium, &[source], Source::Pulse { amplitude, steps: 8 }).arrivals()
        };
        let expected = hear(1.0);
        for amplitude in [2f64.powi(40), 2f64.powi(-40), -1.0, -8.0] {
            assert!(hear(amplitude) == expected, "{amplitude}");
        }
    }
}

/// Shorter steps, or slow ground beside one fast cell, must not make waves shorter than the grid
/// can carry, nor have them given up.
#[test]
fn the_time_step_changes_no_metric() {
    let (size, middle) = (161, 80);
    let is_right = |medium: &Medium<Ix2>, speed: f64, what: &str| {
        let wave = heard::<f32>(medium, &[[0, middle, middle]], RecordedWave::pulse(medium));
        assert!(!wave.is_exhausted(), "{what}");
        for [y, x] in [[0, 75], [53, 53], [33, 66]] {
            let distance = ((y * y + x * x) as f64).sqrt();
            let time = wave.arrival([middle + y, middle + x]).unwrap() * medium.dt() * speed;
            assert!((1.0..1.03).contains(&(time / distance)), "{what}: {}", time / distance);
        }
    };
    for dt in [0.7, 0.3, 0.1] {
        let medium = Medium::<Ix2>::builder([size, size]).dt(dt).build().unwrap();
        is_right(&medium, 1.0, &format!("dt {dt}"));
    }
    let mut speeds = Array2::from_elem([size, size], 0.2);
    speeds[[0, 0]] = 1.0;
    let medium = Medium::<Ix2>::builder([size, size]).speeds(&speeds).build().unwrap();
    is_right(&medium, 0.2, "slow ground");
}

#[test]
fn mirrored_and_transposed_maps_have_mirrored_and_transposed_arrivals() {
    let mut rng = Rng(6);
    for _ in 0..6 {
        let walls = random_walls([1, 45, 61], 0.25, &mut rng);
        let source = any_open(&walls, &mut rng).unwrap();
        let scene = Scene::new(walls, 0.98).with_random_speeds(&mut rng);
        let straight = arrivals::<f64>(&scene, &[source]);
        for (axes, flip) in [
            ([0, 1, 2], [false, true, false]),
            ([0, 1, 2], [false, false, true]),
            ([0, 2, 1], [false, false, false]),
            ([0, 2, 1], [false, true, true]),
        ] {
            let turn = Turn { axes, flip };
            let cell = turn.cell(scene.shape(), source);
            let turned = arrivals::<f64>(&turn.scene(&scene), &[cell]);
            let (largest, mean) = difference(&turn.array(&straight), &turned);
            assert!(mean < 0.001, "{turn:?}: {largest} and {mean} steps");
        }
    }
}

/// Later parts of a wave may be louder and hide the first ones, so among many walls it is late.
#[test]
fn arrivals_tell_the_length_of_the_shortest_way() {
    let mut rng = Rng(7);
    let mut maps = vec![(open_ground([1, 100, 100]), 1.1)];
    for (fraction, most) in [(0.1, 1.2), (0.2, 1.3)] {
        maps.push((random_walls([1, 100, 100], fraction, &mut rng), most));
    }
    for width in [1, 2, 4, 8] {
        let rooms = 90 / (width + 1);
        maps.push((maze([rooms, rooms], width, &mut rng), 1.4));
    }
    for (number, (walls, most)) in maps.into_iter().enumerate() {
        let source = any_open(&walls, &mut rng).unwrap();
        let ways = walked(&walls, source);
        let scene = Scene::new(walls, 0.98);
        let times = arrivals::<f64>(&scene, &[source]);
        let far = times.iter().zip(&ways).filter(|&(_, &way)| (20.0..1e9).contains(&way));
        let ratios: Vec<f64> = far.map(|(time, way)| time * scene.dt / way).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let low = ratios.iter().fold(f64::MAX, |a, &b| a.min(b));
        assert!(low > 0.95 && mean < most, "map {number}: {low}, mean {mean}");
    }
}

/// Except for the effect of two waves on each other where they meet.
#[test]
fn several_sources_arrive_as_the_nearest_of_them() {
    let scene = Scene::new(open_ground([1, 60, 160]), 0.98);
    let sources = [[0, 30, 20], [0, 25, 140]];
    let both = arrivals::<f64>(&scene, &sources);
    let each = sources.map(|cell| arrivals::<f64>(&scene, &[cell]));
    for (cell, &both) in both.indexed_iter() {
        let nearest = each[0][cell].min(each[1][cell]);
        assert!((both - nearest).abs() < 1.5, "{cell:?}: {both}, nearest {nearest}");
    }
}

#[test]
fn a_slow_strip_delays_a_wave_by_its_length_over_its_speed() {
    for speed in [0.5, 0.25] {
        let arrival = |speed: f64| {
            let mut scene = Scene::new(open_ground([1, 6, 300]), 0.98);
            for y in 0..6 {
                (100..200).for_each(|x| scene.speeds[[0, y, x]] = speed);
            }
            let medium = scene.medium::<Ix2, f64>();
            let sources: Vec<_> = (0..6).map(|y| [0, y, 0]).collect();
            let wave = heard::<f64>(&medium, &sources, RecordedWave::pulse(&medium));
            (wave.arrival([3, 280]).unwrap(), scene.dt)
        };
        let ((slow, dt), (fast, _)) = (arrival(speed), arrival(1.0));
        let (delay, expected) = (slow - fast, 100.0 * (1.0 / speed - 1.0) / dt);
        assert!((delay / expected - 1.0).abs() < 0.08, "{delay} steps, {expected} expected");
    }
}

#[test]
fn a_source_that_is_walled_in_ends_with_itself() {
    let mut walls = Array3::from_elem([1, 7, 7], true);
    walls[[0, 3, 3]] = false;
    walls[[0, 6, 6]] = false;
    let medium = Scene::new(walls, 0.98).medium::<Ix2, f64>();
    let wave = heard::<f64>(&medium, &[[0, 3, 3]], RecordedWave::pulse(&medium));
    assert_eq!((wave.steps(), wave.reached_cells(), wave.arrival([3, 3])), (0, 1, Some(0.0)));
    assert_eq!(wave.direction([3, 3]), Some(DVec2::ZERO));
    assert_eq!(wave.direction([6, 6]), None);
}

proptest! {
    #![proptest_config(cases(48))]

    /// Between fixed walls little gets through narrow gaps, but some does.
    #[test]
    fn a_recorded_wave_reaches_all_between_fixed_walls(
        seed: u64, fraction in 0.0..0.45f64, ny in 1..40usize, nx in 1..40usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let sources: Vec<_> =
            (0..=rng.below(3)).filter_map(|_| any_open(&walls, &mut rng)).collect();
        prop_assume!(!sources.is_empty());
        let scene = Scene { rule: WallRule::Fixed, ..Scene::new(walls, 0.98) };
        let times = arrivals::<f64>(&scene, &sources);
        let expected = flood(&scene.walls, &sources);
        for (time, distance) in times.iter().zip(&expected) {
            prop_assert_eq!(time.is_finite(), distance.is_some());
        }
    }

    /// Damping may end a wave before it has been everywhere, but its count stays right.
    #[test]
    fn what_is_counted_as_reached_has_an_arrival(
        seed: u64, damping in 0.0..60.0f64, fraction in 0.0..0.3f64, side in 5..40usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, side, side], fraction, &mut rng);
        let Some(source) = any_open(&walls, &mut rng) else { return Ok(()) };
        let medium = Scene { damping, ..Scene::new(walls, 0.98) }.medium::<Ix2, f32>();
        let wave = heard::<f32>(&medium, &[source], RecordedWave::pulse(&medium));
        let arrivals = wave.arrivals().iter().filter(|t| t.is_finite()).count();
        prop_assert_eq!(wave.reached_cells(), arrivals);
    }
}
