//! Laws of the equations for a dense wave: dispersion, energy, means, causality, linearity.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, flood, open_ground, random_walls};
use crate::reference::{Reference, Scene, any_open, increment};
use ndarray::{Array3, Ix2, Ix3};
use proptest::prelude::*;
use std::f64::consts::PI;
use wave_core::{Medium, Real, Source, Space, WallRule, Wave};

/// A wave that is `field` now and one step ago. Magnitudes that no source may have stay 0.
pub(crate) fn wave_of<D: Space, S: Real>(medium: &Medium<D>, field: &Array3<f64>) -> Wave<D, S> {
    let mut wave = Wave::<_, S>::typed(medium).unwrap();
    for ((z, y, x), &amplitude) in field.indexed_iter() {
        if amplitude.abs() >= 2f64.powi(-40) {
            let source = Source::Impulse { amplitude };
            wave.emit(medium, D::from_zyx([z, y, x]), source).unwrap();
        }
    }
    wave
}

/// `cos(pi m (i + 1/2) / n)` along each axis is an eigenmode of a grid with free edges; with
/// `z = z_prev` at the start it is `cos(w dt (n + 1/2)) / cos(w dt / 2)` of itself after n steps.
fn mode_follows_dispersion<D: Space>(shape: Cell, mode: Cell, courant2: f64, steps: usize) {
    let phase = |axis: usize| PI * mode[axis] as f64 / shape[axis] as f64;
    let field = Array3::from_shape_fn(shape, |(z, y, x)| {
        let at = [z, y, x];
        (0..3).map(|a| (phase(a) * (at[a] as f64 + 0.5)).cos()).product()
    });
    let scene = Scene::new(open_ground(shape), courant2);
    let medium = scene.medium::<D, f64>();
    let mut wave: Wave<D, f64> = wave_of(&medium, &field);

    let sines: f64 = (0..3).map(|a| (phase(a) / 2.0).sin().powi(2)).sum();
    let half = (scene.dt * scene.dt * sines).sqrt().asin();
    for n in 1..=steps {
        wave.step(&medium, 1).unwrap();
        let factor = (half * (2 * n + 1) as f64).cos() / half.cos();
        if n % 16 != 1 && n != steps {
            continue;
        }
        for (z, start) in wave.values().iter().zip(&field) {
            let error = (z - start * factor).abs();
            assert!(error < 1e-9, "{shape:?} mode {mode:?} step {n}: off by {error:e}");
        }
    }
}

fn all_modes<D: Space>(shape: Cell, courant2: f64, steps: usize) {
    for z in 0..shape[0] {
        for y in 0..shape[1] {
            for x in 0..shape[2] {
                mode_follows_dispersion::<D>(shape, [z, y, x], courant2, steps);
            }
        }
    }
}

#[test]
fn standing_waves_follow_the_discrete_dispersion_relation() {
    all_modes::<Ix2>([1, 9, 12], 0.9, 300);
    all_modes::<Ix2>([1, 7, 6], 0.31, 300);
    all_modes::<Ix2>([1, 1, 23], 0.98, 300);
    all_modes::<Ix2>([1, 11, 1], 0.5, 300);
    all_modes::<Ix3>([4, 5, 6], 0.9, 300);
    all_modes::<Ix3>([3, 1, 5], 0.7, 300);
}

/// Relative change of the energy over `steps`, looked at every 50 steps, and its least value.
fn energy_change<D: Space>(scene: &Scene, seed: u64, steps: usize) -> (f64, f64) {
    let mut rng = Rng(seed);
    let medium = scene.medium::<D, f64>();
    let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
    for _ in 0..4 {
        if let Some(cell) = any_open(&scene.walls, &mut rng) {
            let source = Source::Pulse { amplitude: rng.unit() + 0.1, steps: 6 };
            wave.emit(&medium, D::from_zyx(cell), source).unwrap();
        }
    }
    wave.step(&medium, 6).unwrap();
    let start = wave.energy(&medium).unwrap();
    let (mut change, mut least, mut height) = (0.0f64, start, 0.0f64);
    for _ in 0..steps / 50 {
        wave.step(&medium, 50).unwrap();
        let energy = wave.energy(&medium).unwrap();
        change = change.max((energy - start).abs());
        least = least.min(energy);
        height = wave.values().iter().fold(height, |height, z| height.max(z.abs()));
    }
    // Each step rounds by the wave's height. Among free walls that may be large while the energy is
    // small: pulses nearly cancel, or a lone cell keeps its height.
    let rounding = f64::EPSILON * height * start.sqrt() * steps as f64;
    (if change <= rounding { 0.0 } else { (change - rounding) / start }, least)
}

/// Steps a wave so often that growth by a factor every step would show, even if the factor differs
/// from 1 only by rounding. Energy and mean stay within the sum of roundings of random signs.
fn endures<D: Space, S: Real>(shape: Cell, slowest: f64, rule: WallRule) {
    let steps = 1_000_000u32;
    let mut rng = Rng(7);
    let mut scene = Scene::new(random_walls(shape, 0.1, &mut rng), 0.99);
    scene.speeds.mapv_inplace(|_| slowest.powf(rng.unit()));
    scene.rule = rule;
    let medium = scene.medium::<D, S>();
    let field = scene.walls.mapv(|wall| if wall { 0.0 } else { rng.unit() - 0.5 });
    let mut wave: Wave<D, S> = wave_of(&medium, &field);
    // Among free ends this one, with the weights 1 / c^2, gains the same every step: here nothing.
    let weight: f64 = scene.speeds.iter().map(|c| c.powi(-2)).sum();
    let mean = |wave: &Wave<D, S>| -> f64 {
        let parts = wave.values().into_iter().zip(&scene.speeds).map(|(z, c)| z.to_f64() / (c * c));
        parts.sum::<f64>() / weight
    };
    let (energy, start) = (wave.energy(&medium).unwrap(), mean(&wave));
    wave.step(&medium, steps as usize).unwrap();
    let change = (wave.energy(&medium).unwrap() - energy).abs() / energy;
    let drift = (mean(&wave) - start).abs();
    let rounding = S::EPSILON.to_f64() * f64::from(steps).sqrt();
    assert!(change < 0.2 * rounding / slowest, "{shape:?}, {slowest}, {rule:?}: {change:e}");
    // A step's rounding moves the mean at every later one.
    let drifts = 0.2 * rounding * f64::from(steps);
    assert!(rule == WallRule::Fixed || drift < drifts, "{shape:?}, {slowest}: {drift:e}");
}

#[test]
fn a_wave_endures_among_free_ends() {
    for slowest in [1.0, 0.25, 0.005] {
        endures::<Ix2, f32>([1, 16, 16], slowest, WallRule::Free);
        endures::<Ix3, f32>([7, 7, 7], slowest, WallRule::Free);
        endures::<Ix3, f64>([7, 7, 7], slowest, WallRule::Free);
    }
}

#[test]
fn a_wave_endures_among_fixed_walls() {
    for slowest in [1.0, 0.25, 0.005] {
        endures::<Ix2, f32>([1, 16, 16], slowest, WallRule::Fixed);
        endures::<Ix3, f32>([7, 7, 7], slowest, WallRule::Fixed);
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn energy_is_conserved_in_2d(scene in Scene::any(false), seed: u64) {
        let (change, least) = energy_change::<Ix2>(&Scene { damping: 0.0, ..scene }, seed, 1000);
        prop_assert!(change < 1e-10 && least >= 0.0, "{change:e}, {least:e}");
    }

    #[test]
    fn energy_is_conserved_in_3d(scene in Scene::any(true), seed: u64) {
        let (change, least) = energy_change::<Ix3>(&Scene { damping: 0.0, ..scene }, seed, 1000);
        prop_assert!(change < 1e-10 && least >= 0.0, "{change:e}, {least:e}");
    }

    #[test]
    fn damping_only_ever_takes_energy(scene in Scene::any(true), seed: u64, damping in 0.01..3.0) {
        let scene = Scene { damping, ..scene };
        let medium = scene.medium::<Ix3, f64>();
        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        if let Some(cell) = any_open(&scene.walls, &mut Rng(seed)) {
            wave.emit(&medium, cell, Source::Impulse { amplitude: 1.0 }).unwrap();
        }
        let mut before = wave.energy(&medium).unwrap();
        let start = before;
        for _ in 0..200 {
            wave.step(&medium, 1).unwrap();
            let energy = wave.energy(&medium).unwrap();
            // A lone cell has no energy but that of its roundings.
            prop_assert!(energy <= before + 1e-14 * start + 1e-25, "{before:e} -> {energy:e}");
            before = energy;
        }
    }

    /// With free ends the mean obeys `M' - 2 M + M_prev = increment / cells`.
    #[test]
    fn a_mean_stays_where_its_source_put_it(scene in Scene::any(true), seed: u64, steps in 2..20u32) {
        let speeds = Array3::from_elem(scene.walls.dim(), 0.5);
        let scene = Scene { damping: 0.0, rule: WallRule::Free, speeds, ..scene };
        let Some(cell) = any_open(&scene.walls, &mut Rng(seed)) else { return Ok(()) };
        let medium = scene.medium::<Ix3, f64>();
        let cells = medium.open_cells() as f64;
        let sum = |wave: &Wave<Ix3, f64>| wave.values().sum();

        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        wave.emit(&medium, cell, Source::Impulse { amplitude: 3.0 }).unwrap();
        for _ in 0..100 {
            wave.step(&medium, 3).unwrap();
            prop_assert!((sum(&wave) - 3.0).abs() < 1e-9 * cells);
        }

        // A pulse's increments sum to 0, so the mean stands still after it: raised by the sum that
        // the increments moved while they were out.
        let moved: f64 = (1..=steps).map(|n| -f64::from(n) * increment(n, steps)).sum();
        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        wave.emit(&medium, cell, Source::Pulse { amplitude: 3.0, steps }).unwrap();
        wave.step(&medium, steps as usize).unwrap();
        for _ in 0..100 {
            prop_assert!((sum(&wave) - 3.0 * moved).abs() < 1e-9 * cells);
            wave.step(&medium, 3).unwrap();
        }
    }

    #[test]
    fn nothing_runs_faster_than_a_cell_a_step(scene in Scene::any(true), seed: u64) {
        let Some(source) = any_open(&scene.walls, &mut Rng(seed)) else { return Ok(()) };
        let distance = flood(&scene.walls, &[source]);
        let medium = scene.medium::<Ix3, f64>();
        // The first increment of a pulse comes after the first step.
        let late = Source::Pulse { amplitude: 1.0, steps: 8 };
        for (kind, delay) in [(Source::Impulse { amplitude: 1.0 }, 0), (late, 1)] {
            let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
            wave.emit(&medium, source, kind).unwrap();
            for n in 1..24 {
                wave.step(&medium, 1).unwrap();
                for (cell, &z) in wave.values().indexed_iter() {
                    let d = distance[cell].map(|d| d + delay);
                    // Beyond n steps nothing; at exactly n steps a sum of positive products.
                    prop_assert!(z == 0.0 || d.is_some_and(|d| d <= n), "{cell:?} {n} {z:e}");
                    prop_assert!(d != Some(n) || z > 0.0, "{cell:?} {n} {z:e}");
                }
            }
        }
    }

    #[test]
    fn walls_hold_zero(scene in Scene::any(true), seed: u64) {
        let medium = scene.medium::<Ix3, f32>();
        let mut wave = Wave::new(&medium).unwrap();
        if let Some(cell) = any_open(&scene.walls, &mut Rng(seed)) {
            wave.emit(&medium, cell, Source::Impulse { amplitude: 1.0 }).unwrap();
            wave.emit(&medium, cell, Source::default()).unwrap();
        }
        for _ in 0..30 {
            wave.step(&medium, 1).unwrap();
            let (now, prev) = (wave.values(), wave.previous());
            for ((z, prev), &wall) in now.iter().zip(&prev).zip(&scene.walls) {
                prop_assert!(!wall || (*z == 0.0 && *prev == 0.0));
            }
        }
    }

    #[test]
    fn waves_add_up(scene in Scene::any(true), seed: u64) {
        let mut rng = Rng(seed);
        let medium = scene.medium::<Ix3, f64>();
        let (Some(a), Some(b)) = (any_open(&scene.walls, &mut rng), any_open(&scene.walls, &mut rng))
        else { return Ok(()) };
        let first = (a, Source::Impulse { amplitude: 1.7 });
        let second = (b, Source::Pulse { amplitude: -0.6, steps: 9 });
        let run = |sources: &[(Cell, Source)]| {
            let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
            for &(cell, source) in sources {
                wave.emit(&medium, cell, source).unwrap();
            }
            wave.step(&medium, 60).unwrap();
            wave
        };
        let (one, two, both) = (run(&[first]), run(&[second]), run(&[first, second]));
        let error = &one.values() + &two.values() - both.values();
        prop_assert!(error.iter().all(|e| e.abs() < 1e-11));
    }

    #[test]
    fn scaling_by_a_power_of_two_is_exact(scene in Scene::any(true), seed: u64, power in -20..20) {
        let Some(cell) = any_open(&scene.walls, &mut Rng(seed)) else { return Ok(()) };
        let medium = scene.medium::<Ix3, f64>();
        let scale = 2f64.powi(power);
        let run = |scale: f64| {
            let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
            let (one, two) = (1.7 * scale, -0.3 * scale);
            wave.emit(&medium, cell, Source::Impulse { amplitude: one }).unwrap();
            wave.emit(&medium, cell, Source::Pulse { amplitude: two, steps: 7 }).unwrap();
            wave.step(&medium, 60).unwrap();
            wave
        };
        let (one, scaled) = (run(1.0), run(scale));
        prop_assert_eq!(one.values().mapv(|z| z * scale), scaled.values());
    }
}

#[test]
fn a_cleared_wave_is_a_new_one() {
    let scene = Scene::new(open_ground([1, 6, 9]), 0.9);
    let medium = scene.medium::<Ix2, f64>();
    let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
    wave.emit(&medium, [2, 3], Source::default()).unwrap();
    wave.step(&medium, 4).unwrap();
    wave.clear();
    assert_eq!(wave.state_hash(), Wave::<_, f64>::typed(&medium).unwrap().state_hash());
    wave.step(&medium, 10).unwrap();
    Reference::<f64>::new(&scene).assert_same_bits(&wave, "at rest after a clear");
}
