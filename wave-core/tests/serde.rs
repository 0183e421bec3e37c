//! A wave that is written and read again goes on in the same bits.

use ndarray::{Array, Ix2, Ix3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wave_core::{Medium, MediumError, Real, RecordedWave, Simd, Source, Space, WallRule, Wave};

fn copy<T: Serialize + DeserializeOwned>(original: &T) -> T {
    serde_json::from_str(&serde_json::to_string(original).unwrap()).unwrap()
}

/// More speeds than a medium has kinds of cells for.
const MANY: u32 = 31;

/// Speeds, walls, damping, impulses, pulses half out, and edits that the wave has not seen.
fn running<D: Space, S: Real>(shape: D::Cell, speeds: u32) -> (Medium<D>, Wave<D, S>) {
    let [_, ny, nx] = D::to_size(shape);
    let cell = |i: usize| D::from_zyx([i / nx / ny, i / nx % ny, i % nx]);
    let mut i = 0;
    let mut next = || {
        i += 1;
        i * 7919 % MANY
    };
    let walls = Array::from_shape_simple_fn(D::shape(shape), || next() < 4);
    let speeds = Array::from_shape_simple_fn(D::shape(shape), || {
        S::from_f64(0.3 + 0.01 * f64::from(next() % speeds))
    });
    let builder = Medium::<D>::builder(shape).walls(&walls).speeds(&speeds).damping(0.013);
    let mut medium = builder.wall_rule(WallRule::Fixed).spacing(0.7).build().unwrap();
    let mut wave = Wave::<_, S>::typed(&medium).unwrap();
    for (i, _) in walls.iter().enumerate().filter(|(i, wall)| i % 29 == 0 && !**wall) {
        let (amplitude, steps) = (1.0 / 3.0 + i as f64, 24);
        wave.emit(&medium, cell(i), Source::Impulse { amplitude }).unwrap();
        wave.emit(&medium, cell(i), Source::Pulse { amplitude, steps }).unwrap();
    }
    wave.step(&medium, 11).unwrap();
    for i in [3, 40, 41, 77] {
        medium.set_wall(cell(i), i % 2 == 1).unwrap();
        medium.set_speed(cell(i + 1), 0.31).unwrap();
    }
    (medium, wave)
}

fn goes_on_in_the_same_bits<D: Space, S: Real>(shape: D::Cell, speeds: u32) {
    let (mut medium, mut wave) = running::<D, S>(shape, speeds);
    let (mut read_medium, mut read) = (copy(&medium), copy(&wave));
    wave.set_simd(Simd::Scalar).unwrap();
    assert_eq!(read.state_hash(), wave.state_hash());
    assert_eq!(read_medium.walls(), medium.walls());
    for round in 0..6 {
        wave.step(&medium, 9).unwrap();
        read.step(&read_medium, 9).unwrap();
        assert_eq!(read.state_hash(), wave.state_hash(), "round {round}");
        // A wall also keeps its speed through the snapshot.
        for (medium, wall) in [(&mut medium, round % 2 == 0), (&mut read_medium, round % 2 == 0)] {
            for i in 0..5 {
                medium.set_wall(D::from_zyx([0, i, i]), wall).unwrap();
            }
        }
    }
    // Either medium serves either wave.
    wave.step(&read_medium, 5).unwrap();
    read.step(&medium, 5).unwrap();
    assert_eq!(read.state_hash(), wave.state_hash());
}

#[test]
fn a_wave_that_was_read_goes_on_in_the_same_bits() {
    for speeds in [2, MANY] {
        goes_on_in_the_same_bits::<Ix2, f32>([19, 23], speeds);
        goes_on_in_the_same_bits::<Ix2, f64>([19, 23], speeds);
        goes_on_in_the_same_bits::<Ix3, f32>([5, 11, 13], speeds);
        goes_on_in_the_same_bits::<Ix3, f64>([5, 11, 13], speeds);
    }
}

/// A medium that once had more speeds than a table holds rounds them, also after it was read and
/// when few are left; and the slowest speed that is permitted stays so.
#[test]
fn rounded_speeds_stay_rounded() {
    let mut medium = Medium::<Ix2>::builder([20, 20]).build().unwrap();
    let cells = || (0..400usize).map(|i| [i / 20, i % 20]);
    for (i, cell) in cells().enumerate() {
        medium.set_speed(cell, 0.1 + i as f64 * 1e-3).unwrap();
    }
    let error = medium.set_speed([0, 0], 1e-9).unwrap_err();
    let MediumError::SlowSpeed { min_speed, .. } = error else { panic!("{error}") };
    medium.set_speed([0, 0], min_speed).unwrap();
    for kept in [400, 3] {
        cells().skip(kept).for_each(|cell| medium.set_speed(cell, 0.5).unwrap());
        let mut read = copy(&medium);
        assert!(cells().all(|cell| read.speed(cell) == medium.speed(cell)));
        for medium in [&mut medium, &mut read] {
            medium.set_speed([9, 9], 0.3).unwrap();
        }
        assert_eq!(read.speed([9, 9]), medium.speed([9, 9]));
        assert_ne!(medium.speed([9, 9]), Some(0.3), "it is rounded");
    }
}

#[test]
fn rollback_repeats_the_future() {
    let (medium, mut wave) = running::<Ix2, f32>([40, 40], MANY);
    let text = serde_json::to_string(&wave).unwrap();
    wave.step(&medium, 50).unwrap();
    let mut again: Wave<Ix2, f32> = serde_json::from_str(&text).unwrap();
    again.step(&medium, 50).unwrap();
    assert_eq!(again.state_hash(), wave.state_hash());
}

fn refusal<T: DeserializeOwned>(value: Value) -> String {
    match serde_json::from_value::<T>(value) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("accepted"),
    }
}

#[test]
fn snapshots_that_cannot_be_are_refused() {
    let (medium, wave) = running::<Ix2, f32>([19, 23], MANY);
    let (medium, wave) = (serde_json::to_value(&medium), serde_json::to_value(&wave));
    let (medium, wave) = (medium.unwrap(), wave.unwrap());
    let with = |state: &Value, key: &str, value: Value| {
        let mut state = state.clone();
        state[key] = value;
        state
    };
    let cell = |state: &Value, key: &str, bits: u64| {
        let mut state = state.clone();
        state[key][7] = bits.into();
        state
    };
    assert!(refusal::<Wave<Ix2, f64>>(wave.clone()).contains("32-bit"));
    let size = |[z, y, x]: [u64; 3]| Value::from(vec![z, y, x]);
    assert!(refusal::<Wave<Ix2, f32>>(with(&wave, "size", size([19, 1, 23]))).contains("possible"));
    assert!(refusal::<Wave<Ix2, f32>>(with(&wave, "size", size([1, 23, 20]))).contains("437"));
    assert!(refusal::<Medium<Ix2>>(with(&medium, "size", size([1, 0, 20]))).contains("possible"));
    // Before anything is made for 2^31 cells.
    let huge = size([1, 40_000, 40_000]);
    for error in [
        refusal::<Wave<Ix2, f32>>(with(&wave, "size", huge.clone())),
        refusal::<Medium<Ix2>>(with(&medium, "size", huge)),
    ] {
        assert!(error.contains("1600000000"), "{error}");
    }
    // Counting on would overflow.
    for key in ["revision", "speed_edits"] {
        assert!(refusal::<Medium<Ix2>>(with(&medium, key, u64::MAX.into())).contains(key));
    }
    assert!(refusal::<Wave<Ix2, f32>>(with(&wave, "steps", u64::MAX.into())).contains("steps"));
    for bits in [f32::NAN, f32::INFINITY, 1e-40, -0.0].map(f32::to_bits) {
        let error = refusal::<Wave<Ix2, f32>>(cell(&wave, "now", bits.into()));
        assert!(error.contains("z of cell 7"), "{error}");
        refusal::<Wave<Ix2, f32>>(cell(&wave, "prev", bits.into()));
    }
    refusal::<Wave<Ix2, f32>>(cell(&wave, "now", 1 << 40));
    for speed in [f64::NAN, 0.0, 60.0, 1e-9, -0.6].map(f64::to_bits) {
        let error = refusal::<Medium<Ix2>>(cell(&medium, "speeds", speed));
        assert!(error.contains("speed"), "{error}");
    }
    for key in ["spacing", "dt"] {
        let error = refusal::<Medium<Ix2>>(with(&medium, key, 0.into()));
        assert!(error.contains(key), "{error}");
    }
    refusal::<Medium<Ix2>>(with(&medium, "damping", (-1.0f64).to_bits().into()));
    let mut state = wave.clone();
    state["pulses"][0]["cell"] = size([0, 19, 0]);
    assert!(refusal::<Wave<Ix2, f32>>(state).contains("pulse"));
    for (key, value) in [("steps", 0), ("done", 24), ("steps", 5000), ("amplitude", 0)] {
        let mut state = wave.clone();
        state["pulses"][0][key] = value.into();
        assert!(refusal::<Wave<Ix2, f32>>(state).contains("pulse"), "{key}");
    }
}

/// A wave that stands in walls of the medium it is stepped with is put to rest there first.
#[test]
fn a_wave_that_was_read_leaves_walls_alone() {
    let (_, wave) = running::<Ix2, f32>([19, 23], MANY);
    let walls = Array::from_shape_fn((19, 23), |(y, _)| y % 2 == 0);
    let mut medium = Medium::<Ix2>::builder([19, 23]).walls(&walls).build().unwrap();
    for _ in 0..4 {
        medium.set_wall([1, 1], true).unwrap();
        medium.set_wall([1, 1], false).unwrap();
    }
    let mut read = copy(&wave);
    read.step(&medium, 1).unwrap();
    assert!(read.values().iter().zip(&walls).all(|(&z, &wall)| !wall || z == 0.0));
}

#[test]
fn a_recorded_wave_that_is_read_goes_on_in_the_same_bits() {
    let (mut medium, _) = running::<Ix2, f32>([23, 31], MANY);
    let source = medium.walls().indexed_iter().find(|(_, wall)| !**wall).unwrap().0;
    let mut wave = RecordedWave::new(&medium).unwrap();
    wave.emit(&medium, &[[source.0, source.1]], Source::default()).unwrap();
    wave.step(&medium, 25).unwrap();
    medium.set_wall([20, 20], true).unwrap();
    let (read_medium, mut read): (Medium<Ix2>, RecordedWave<Ix2>) = (copy(&medium), copy(&wave));
    assert_eq!(read.state_hash(), wave.state_hash());
    for round in 0..6 {
        wave.step(&medium, 20).unwrap();
        read.step(&read_medium, 20).unwrap();
        assert_eq!(read.state_hash(), wave.state_hash(), "round {round}");
        assert_eq!(read.next_updates(), wave.next_updates());
    }
    assert!(wave.reached_cells() > 100);
    let mut text = serde_json::to_value(&wave).unwrap();
    text["times"][3] = 4_000_000_000u32.into();
    assert!(serde_json::from_value::<RecordedWave<Ix2>>(text).is_err());
}
