//! Bad input: a typed error with the value and its limit, and nothing has changed.

use crate::maps::open_ground;
use crate::reference::Scene;
use ndarray::{Array2, Array3, Ix2, Ix3};
use wave_core::{Front, Medium, MediumError, RecordedWave, Source, Wave, WaveError};

const NOT_POSITIVE: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0];

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

#[test]
fn numbers_that_are_not_positive_and_finite_are_refused_by_name() {
    let builder = || Medium::<Ix2>::builder([3, 4]);
    for bad in NOT_POSITIVE {
        let errors = [
            ("spacing", builder().spacing(bad).build()),
            ("speed", builder().speed(bad).build()),
            ("dt", builder().dt(bad).build()),
        ];
        for (name, result) in errors {
            let Err(MediumError::Value { what, value, .. }) = result else {
                panic!("{name} {bad}")
            };
            assert!(what == name && same(value, bad));
        }
        for origin in [[bad, 0.0], [0.0, bad]] {
            let result = builder().origin(origin).build();
            let refused = matches!(result, Err(MediumError::Value { what: "origin", .. }));
            assert_eq!(refused, !bad.is_finite(), "{origin:?}");
        }
        let damping = builder().damping(bad).build();
        let refused = matches!(damping, Err(MediumError::Value { what: "damping", .. }));
        assert_eq!(refused, bad != 0.0, "damping {bad}");
    }
}

#[test]
fn speeds_that_are_not_positive_and_finite_are_refused_with_their_cell() {
    for bad in NOT_POSITIVE {
        let mut speeds = Array3::from_elem([2, 3, 4], 1.0);
        speeds[[1, 2, 0]] = bad;
        let result = Medium::<Ix3>::builder([2, 3, 4]).speeds(&speeds).build();
        let Err(MediumError::Speed { value, cell }) = result else { panic!("{bad}") };
        assert_eq!(cell, [1, 2, 0]);
        assert!(same(value, bad));

        let mut medium = Medium::<Ix2>::builder([3, 4]).build().unwrap();
        let Err(MediumError::Speed { value, cell }) = medium.set_speed([2, 1], bad) else {
            panic!("{bad}")
        };
        assert_eq!(cell, [2, 1]);
        assert!(same(value, bad));
        approx::assert_relative_eq!(medium.speed([2, 1]).unwrap(), 1.0, epsilon = 1e-6);
    }
}

#[test]
fn empty_and_huge_shapes_are_refused_before_any_memory_is_taken() {
    let huge = 1usize << 40;
    for [y, x] in [[0, 0], [0, 5], [5, 0], [huge, huge], [1 << 16, 1 << 16], [1, 1 << 31]] {
        let result = Medium::<Ix2>::builder([y, x]).build();
        assert_eq!(result.unwrap_err(), MediumError::Shape { shape: vec![y, x] });
    }
    for shape in [[0, 5, 5], [5, 0, 5], [1 << 11; 3], [usize::MAX; 3], [2, usize::MAX, 1]] {
        let result = Medium::<Ix3>::builder(shape).build();
        assert_eq!(result.unwrap_err(), MediumError::Shape { shape: shape.to_vec() });
    }
}

#[test]
fn arrays_of_another_shape_are_refused_with_both_shapes() {
    let wrong = |what, found: &[usize]| MediumError::ArrayShape {
        what,
        found: found.to_vec(),
        expected: vec![3, 4],
    };
    for shape in [[4, 3], [3, 5], [0, 0], [12, 1]] {
        let (walls, speeds) = (Array2::from_elem(shape, false), Array2::from_elem(shape, 1.0));
        let builder = Medium::<Ix2>::builder([3, 4]);
        assert_eq!(builder.clone().walls(&walls).build().unwrap_err(), wrong("walls", &shape));
        assert_eq!(builder.speeds(&speeds).build().unwrap_err(), wrong("speeds", &shape));
    }
}

#[test]
fn cells_outside_are_refused_and_nothing_is_edited() {
    let mut medium = Medium::<Ix2>::builder([3, 4]).build().unwrap();
    let (mut wave, mut front) = (Wave::new(&medium).unwrap(), Front::new(&medium));
    let mut recorded = RecordedWave::new(&medium).unwrap();
    for [y, x] in [[3, 0], [0, 4], [usize::MAX, 0], [0, usize::MAX]] {
        let (cell, shape) = (vec![y, x], vec![3, 4]);
        let error = MediumError::OutOfGrid { cell: cell.clone(), shape: shape.clone() };
        assert_eq!(medium.set_wall([y, x], true), Err(error.clone()));
        assert_eq!(medium.set_speed([y, x], 0.5), Err(error));
        assert!(medium.is_wall([y, x]));
        assert_eq!(medium.speed([y, x]), None);
        let error = Err(WaveError::OutOfGrid { cell, shape });
        assert_eq!(wave.emit(&medium, [y, x], Source::default()), error);
        assert_eq!(front.emit(&medium, &[[1, 1], [y, x]]), error);
        assert_eq!(recorded.emit(&medium, &[[1, 1], [y, x]], Source::default()), error);
        assert_eq!((front.arrival([y, x]), front.direction([y, x])), (None, None));
        assert_eq!((recorded.arrival([y, x]), recorded.direction([y, x])), (None, None));
    }
    assert_eq!((medium.revision(), medium.open_cells()), (0, 12));
}

/// Every call on a wave and a recorded one that must fail, and the error that is due.
fn failing_calls(
    wave: &mut Wave<Ix2, f64>,
    recorded: &mut RecordedWave<Ix2, f64>,
    medium: &Medium<Ix2>,
) {
    let source = Source::default();
    let wall = Err(WaveError::Wall { cell: vec![2, 3] });
    assert_eq!(wave.emit(medium, [2, 3], Source::default()), wall);
    assert_eq!(recorded.emit(medium, &[[0, 0], [2, 3]], source), wall);
    assert_eq!(recorded.emit(medium, &[], source), Err(WaveError::NoSource));
    let bound = 2f64.powi(40);
    let amplitudes = [f64::NAN, f64::INFINITY, 0.0, -0.0, bound * 1.001, -bound * 1.001, 1e-13];
    for bad in amplitudes {
        let is_due = |result: Result<(), WaveError>| {
            let Err(WaveError::Source { amplitude, .. }) = result else { panic!("{bad}") };
            assert!(same(amplitude, bad));
        };
        is_due(wave.emit(medium, [0, 0], Source::Impulse { amplitude: bad }));
        is_due(wave.emit(medium, [0, 0], Source::Pulse { amplitude: bad, steps: 8 }));
        is_due(recorded.emit(medium, &[[0, 0]], Source::Kick { amplitude: bad }));
    }
    for steps in [0, 1, 1025, u32::MAX] {
        let due = WaveError::Source { amplitude: 1.0, steps };
        assert_eq!(wave.emit(medium, [0, 0], Source::Pulse { amplitude: 1.0, steps }), Err(due));
    }
    let other = Medium::<Ix2>::builder([5, 4]).build().unwrap();
    let due = WaveError::OtherMedium { found: vec![5, 4], expected: vec![4, 5] };
    assert_eq!(wave.emit(&other, [0, 0], Source::default()), Err(due.clone()));
    assert_eq!(wave.step(&other, 1), Err(due.clone()));
    assert_eq!(wave.energy(&other), Err(due.clone()));
    assert_eq!(wave.value_at(&other, [0.0, 0.0]), Err(due.clone()));
    assert_eq!(wave.gradient_at(&other, [0.0, 0.0]), Err(due.clone()));
    assert_eq!(recorded.emit(&other, &[[0, 0]], source), Err(due.clone()));
    assert_eq!(recorded.step(&other, 1), Err(due.clone()));
    assert_eq!(recorded.run(&other), Err(due));
}

#[test]
fn a_failed_call_leaves_waves_as_they_were() {
    let mut scene = Scene::new(open_ground([1, 4, 5]), 0.9);
    scene.walls[[0, 2, 3]] = true;
    let medium = scene.medium::<Ix2, f64>();
    let (mut wave, mut recorded) =
        (Wave::<_, f64>::typed(&medium).unwrap(), RecordedWave::<_, f64>::typed(&medium).unwrap());
    wave.emit(&medium, [1, 1], Source::default()).unwrap();
    recorded.emit(&medium, &[[1, 1]], Source::default()).unwrap();
    wave.step(&medium, 3).unwrap();
    recorded.step(&medium, 3).unwrap();
    let (mut same_wave, mut same_recorded) = (wave.clone(), recorded.clone());
    failing_calls(&mut wave, &mut recorded, &medium);
    for _ in 0..20 {
        assert_eq!(wave.state_hash(), same_wave.state_hash());
        assert_eq!(recorded.state_hash(), same_recorded.state_hash());
        wave.step(&medium, 1).unwrap();
        same_wave.step(&medium, 1).unwrap();
        recorded.step(&medium, 1).unwrap();
        same_recorded.step(&medium, 1).unwrap();
    }
}

#[test]
fn a_medium_from_before_an_edit_is_refused() {
    let old = Medium::<Ix2>::builder([4, 5]).build().unwrap();
    let mut new = old.clone();
    let (mut wave, mut recorded) =
        (Wave::<_, f64>::typed(&old).unwrap(), RecordedWave::<_, f64>::typed(&old).unwrap());
    new.set_wall([1, 1], true).unwrap();
    wave.step(&new, 1).unwrap();
    recorded.emit(&new, &[[0, 0]], Source::default()).unwrap();
    let due = WaveError::OtherMedium { found: vec![4, 5], expected: vec![4, 5] };
    assert_eq!(wave.step(&old, 1), Err(due.clone()));
    assert_eq!(wave.emit(&old, [0, 0], Source::default()), Err(due.clone()));
    assert_eq!(recorded.step(&old, 1), Err(due.clone()));
    assert_eq!(recorded.emit(&old, &[[0, 0]], Source::default()), Err(due));
}

/// The text of an error names the value and the limit.
#[test]
fn messages_hold_the_value_and_its_limit() {
    let builder = Medium::<Ix2>::builder([3, 3]);
    let unstable = builder.clone().dt(1.0).build().unwrap_err();
    let MediumError::UnstableStep { max_dt, .. } = unstable else { panic!("{unstable}") };
    let text = unstable.to_string();
    assert!(text.contains("dt = 1.0 ") && text.contains(&max_dt.to_string()), "{text}");
    let text = WaveError::from(builder.spacing(-2.0).build().unwrap_err()).to_string();
    assert!(text.contains("spacing = -2") && text.contains("from 1e-30"), "{text}");
    let text = WaveError::OutOfGrid { cell: vec![7, 1], shape: vec![3, 3] }.to_string();
    assert!(text.contains("[7, 1]") && text.contains("[3, 3]"), "{text}");
}
