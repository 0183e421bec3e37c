//! The bounds of the time step and of speeds: a bound that an error names is accepted.

use crate::dense_reference::cases;
use crate::maps::Rng;
use crate::reference::Number;
use ndarray::{Array, Ix2, Ix3};
use proptest::prelude::*;
use std::sync::mpsc;
use std::time::Duration;
use wave_core::{Medium, MediumError, Real, Source, Space, Wave};

/// A number between `10^-decades` and `10^decades`, every magnitude as likely.
fn magnitudes(decades: f64) -> impl Strategy<Value = f64> {
    (-decades..decades).prop_map(|exponent| 10f64.powf(exponent))
}

fn shapes(deep: bool) -> impl Strategy<Value = [usize; 3]> {
    let side = prop_oneof![Just(1usize), 1..5usize];
    let depth = if deep { 1..4usize } else { 1..2 };
    (depth, side.clone(), side).prop_map(|(z, y, x)| [z, y, x])
}

/// Speeds of one shape, the fastest of them `fastest`.
fn speeds<D: Space, S: Real + Number>(shape: [usize; 3], fastest: f64, seed: u64) -> Array<S, D> {
    let mut rng = Rng(seed);
    let mut left = shape.iter().product::<usize>();
    Array::from_shape_simple_fn(D::shape(D::from_zyx(shape)), || {
        left -= 1;
        S::of(if left == 0 { fastest } else { fastest * (0.1 + 0.9 * rng.unit()) })
    })
}

fn dt_bound_is_sharp<D: Space, S: Real + Number>(
    shape: [usize; 3],
    spacing: f64,
    fastest: f64,
    seed: u64,
) {
    let cells = D::from_zyx(shape);
    let speeds = speeds::<D, S>(shape, fastest, seed);
    let fastest = speeds.iter().fold(0.0, |max: f64, c| max.max(c.to_f64()));
    let builder = Medium::<D>::builder(cells).spacing(spacing).speeds(&speeds);
    let axes = shape.iter().filter(|&&n| n > 1).count().max(1) as f64;
    let bound = spacing / (fastest * axes.sqrt());
    let room = 2.0 * S::EPSILON.to_f64();

    for factor in [1.0 + room, 1.5, 1e20] {
        let dt = bound * factor;
        let error = builder.clone().dt(dt).build().unwrap_err();
        let MediumError::UnstableStep { dt: refused, speed, max_dt } = error else {
            panic!("{error}");
        };
        assert_eq!((refused, speed), (dt, fastest));
        assert!((max_dt / bound - 1.0).abs() <= room, "{max_dt} far from {bound}");
        let medium = builder.clone().dt(max_dt).build().expect("the largest dt that was named");
        assert_eq!(medium.dt(), max_dt);
    }
    builder.clone().dt(bound * (1.0 - room)).build().expect("a dt within the bound");
    let limit = builder.clone().stability(1.0).build().expect("the limit itself");
    assert!((limit.dt() / bound - 1.0).abs() <= room, "{} far from {bound}", limit.dt());
    let left_out = builder.build().expect("a dt of the crate's choice");
    approx::assert_relative_eq!(left_out.dt(), bound * 0.98f64.sqrt(), max_relative = 1e-12);
}

fn speed_bounds_are_sharp<D: Space, S: Real + Number>(
    shape: [usize; 3],
    spacing: f64,
    fastest: f64,
    fraction: f64,
) {
    let axes = shape.iter().filter(|&&n| n > 1).count().max(1) as f64;
    let dt = fraction * spacing / (fastest * axes.sqrt());
    let builder = Medium::<D>::builder(D::from_zyx(shape)).spacing(spacing).speed(fastest);
    let mut medium = builder.dt(dt).build().unwrap();
    let cell = D::from_zyx([0; 3]);
    let (before, room) = (medium.speed(cell), 2.0 * S::EPSILON.to_f64());

    let bound = spacing / (dt * axes.sqrt());
    let error = medium.set_speed(cell, bound * (1.0 + room)).unwrap_err();
    let MediumError::UnstableSpeed { max_speed, .. } = error else { panic!("{error}") };
    assert!((max_speed / bound - 1.0).abs() <= room);
    assert_eq!(medium.speed(cell), before);
    medium.set_speed(cell, max_speed).expect("the largest speed that was named");

    let bound = spacing / (dt * 4096.0);
    let before = medium.speed(cell);
    let error = medium.set_speed(cell, bound * (1.0 - 1e-12)).unwrap_err();
    let MediumError::SlowSpeed { min_speed, .. } = error else { panic!("{error}") };
    assert!((min_speed / bound - 1.0).abs() <= 1e-11);
    assert_eq!(medium.speed(cell), before);
    medium.set_speed(cell, min_speed).expect("the smallest speed that was named");
    approx::assert_relative_eq!(medium.speed(cell).unwrap(), min_speed, max_relative = room);
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_largest_stable_dt_is_named_and_accepted(
        flat in shapes(false), deep in shapes(true),
        spacing in magnitudes(9.0), fastest in magnitudes(9.0), seed: u64,
    ) {
        dt_bound_is_sharp::<Ix2, f32>(flat, spacing, fastest, seed);
        dt_bound_is_sharp::<Ix2, f64>(flat, spacing, fastest, seed);
        dt_bound_is_sharp::<Ix3, f32>(deep, spacing, fastest, seed);
        dt_bound_is_sharp::<Ix3, f64>(deep, spacing, fastest, seed);
    }

    #[test]
    fn the_largest_and_the_smallest_speed_are_named_and_accepted(
        flat in shapes(false), deep in shapes(true),
        spacing in magnitudes(9.0), fastest in magnitudes(9.0), fraction in 0.01..0.999f64,
    ) {
        speed_bounds_are_sharp::<Ix2, f32>(flat, spacing, fastest, fraction);
        speed_bounds_are_sharp::<Ix2, f64>(flat, spacing, fastest, fraction);
        speed_bounds_are_sharp::<Ix3, f32>(deep, spacing, fastest, fraction);
        speed_bounds_are_sharp::<Ix3, f64>(deep, spacing, fastest, fraction);
    }

    /// At the bound the shortest wave may grow with every step, but no faster than that.
    #[test]
    fn a_wave_at_the_largest_dt_does_not_blow_up(shape in shapes(true), fastest in 0.1..10.0f64) {
        let builder = Medium::<Ix3>::builder(shape).speed(fastest);
        let error = builder.clone().dt(1e9).build().unwrap_err();
        let MediumError::UnstableStep { max_dt, .. } = error else { panic!("{error}") };
        let medium = builder.dt(max_dt).build().unwrap();
        let mut wave = Wave::<_, f64>::typed(&medium).unwrap();
        wave.emit(&medium, [0; 3], Source::Impulse { amplitude: 1.0 }).unwrap();
        wave.step(&medium, 500).unwrap();
        prop_assert!(wave.values().iter().all(|z| z.abs() <= 1001.0));
    }
}

/// Whatever the magnitudes: a medium or an error, soon, and a medium that can be used.
#[test]
fn absurd_magnitudes_are_no_trap() {
    let (sender, receiver) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let magnitudes = [5e-324, 1e-320, 1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e160, 1e300, f64::MAX];
        for spacing in magnitudes {
            for speed in magnitudes {
                for dt in [None].into_iter().chain(magnitudes.map(Some)) {
                    sender.send((spacing, speed, dt)).unwrap();
                    let builder = Medium::<Ix2>::builder([3, 3]).spacing(spacing).speed(speed);
                    let builder = if let Some(dt) = dt { builder.dt(dt) } else { builder };
                    let Ok(mut medium) = builder.build() else {
                        continue;
                    };
                    assert!(medium.dt() > 0.0 && medium.dt().is_finite());
                    for speed in magnitudes {
                        let _ = medium.set_speed([1, 1], speed);
                    }
                }
            }
        }
    });
    let mut last = None;
    loop {
        match receiver.recv_timeout(Duration::from_secs(5)) {
            Ok(case) => last = Some(case),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                panic!("no answer for (spacing, speed, dt) = {last:?}")
            }
        }
    }
    worker.join().expect("no panic");
}

fn stays_finite<S: Real>(damping: f64) {
    let Ok(medium) = Medium::<Ix2>::builder([5, 5]).damping(damping).build() else {
        assert!(damping > 1e3, "damping {damping:e} is refused");
        return;
    };
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    wave.emit(&medium, [2, 2], Source::Impulse { amplitude: 1.0 }).unwrap();
    wave.step(&medium, 20).unwrap();
    assert!(wave.values().iter().all(|z| z.to_f64().abs() <= 4.0), "damping {damping:e}");
}

#[test]
fn any_damping_that_is_accepted_damps() {
    for damping in [5e-324, 1e-30, 1.0, 1e3, 1e6, 1e20, 1e37] {
        stays_finite::<f32>(damping);
        stays_finite::<f64>(damping);
    }
    for damping in [1e39, 1e300, f64::MAX] {
        stays_finite::<f64>(damping);
        stays_finite::<f32>(damping);
    }
}
