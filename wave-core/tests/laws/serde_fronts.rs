//! A front or a recorded wave that is written and read again goes on in the same bits.

use crate::heard::Heard;
use ndarray::{Array, Ix2, Ix3};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use wave_core::{Front, Link, Medium, Real, RecordedWave, Space, WaveError};

type Emit<D, F> = fn(&mut F, &Medium<D>, &[<D as Space>::Cell]) -> Result<(), WaveError>;

/// Every other wave is for some cells alone.
fn emit<D: Space>(
    front: &mut Front<D>,
    medium: &Medium<D>,
    cells: &[D::Cell],
) -> Result<(), WaveError> {
    let corner = D::to_zyx(cells[0]);
    if corner.iter().sum::<usize>() % 2 == 0 {
        return front.emit(medium, cells);
    }
    front.emit_toward(medium, cells, [cells[0], D::from_zyx(corner.map(|at| at / 2))], 30.0)
}

/// Walls at random, speeds that differ if asked for, and the first open cell.
fn medium<D: Space, S: Real>(shape: D::Cell, seed: u64, speeds: bool) -> (Medium<D>, D::Cell) {
    let mut state = seed;
    let mut below = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let walls = Array::from_shape_simple_fn(D::shape(shape), || below(4) == 0);
    let differ =
        Array::from_shape_simple_fn(D::shape(shape), || S::from_f64(0.25 + 0.1 * below(3) as f64));
    let mut builder = Medium::<D>::builder(shape).walls(&walls);
    if speeds {
        builder = builder.speeds(&differ);
    }
    let [_, ny, nx] = D::to_size(shape);
    let open = walls.iter().position(|wall| !wall).unwrap();
    (builder.build().unwrap(), D::from_zyx([open / nx / ny, open / nx % ny, open % nx]))
}

fn goes_on<D: Space, S: Real, F: Heard<D> + Serialize + DeserializeOwned>(
    emit: Emit<D, F>,
    shape: D::Cell,
    seed: u64,
    before: usize,
    speeds: bool,
) {
    let (mut medium, source) = medium::<D, S>(shape, seed, speeds);
    let mut front = F::at_rest(&medium);
    emit(&mut front, &medium, &[source]).unwrap();
    front.step(&medium, before).unwrap();
    let [nz, ny, nx] = D::to_size(shape);
    let cell = |i: usize| D::from_zyx([i * 5 % nz, i * 3 % ny, i * 7 % nx]);
    for round in 0..6 {
        // Edits that the front has not seen yet, and some of speeds.
        for i in 0..4 {
            let at = cell(seed as usize % 997 + 4 * round + i);
            medium.set_wall(at, i % 2 == 0 && at != source).unwrap();
            if round == 2 {
                medium.set_speed(at, 0.3).unwrap();
            }
        }
        let mut read: F = serde_json::from_str(&serde_json::to_string(&front).unwrap()).unwrap();
        let read_medium: Medium<D> =
            serde_json::from_str(&serde_json::to_string(&medium).unwrap()).unwrap();
        assert_eq!(read.state_hash(), front.state_hash());
        for steps in [1, 7, 20] {
            let cost = front.step(&medium, steps).unwrap();
            assert_eq!(read.step(&read_medium, steps).unwrap(), cost);
            assert_eq!(read.state_hash(), front.state_hash(), "round {round}");
            assert_eq!(read.has_ended(), front.has_ended());
        }
        // A front that was read serves as well as the one that was written, also for the next wave.
        if round == 4 {
            emit(&mut read, &medium, &[source]).unwrap_or_default();
            emit(&mut front, &medium, &[source]).unwrap_or_default();
        }
        front = read;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_recorded_wave_that_was_read_goes_on_in_the_same_bits(
        seed in any::<u64>(),
        before in 0..90usize,
        speeds in any::<bool>(),
    ) {
        goes_on::<Ix2, f32, RecordedWave<_, f32>>(Heard::emit, [37, 53], seed, before, speeds);
        goes_on::<Ix2, f64, RecordedWave<_, f64>>(Heard::emit, [20, 16], seed, before, speeds);
        goes_on::<Ix3, f32, RecordedWave<_, f32>>(Heard::emit, [9, 14, 35], seed, before / 3, speeds);
    }

    #[test]
    fn so_does_a_front_of_short_waves(
        seed in any::<u64>(),
        before in 0..60usize,
        speeds in any::<bool>(),
    ) {
        goes_on::<Ix2, f32, Front<_>>(emit, [37, 53], seed, before, speeds);
        goes_on::<Ix2, f64, Front<_>>(emit, [20, 16], seed, before, speeds);
        goes_on::<Ix3, f32, Front<_>>(emit, [9, 14, 35], seed, before / 3, speeds);
    }
}

#[test]
fn fronts_of_short_waves_that_cannot_be_are_refused() {
    let speeds = Array::from_shape_fn([20, 30], |(y, _)| if y < 9 { 1.0 } else { 0.5 });
    let medium = Medium::<Ix2>::builder([20, 30]).speeds(&speeds).build().unwrap();
    let mut front = Front::new(&medium);
    front.emit(&medium, &[[4, 4]]).unwrap();
    front.step(&medium, 9).unwrap();
    let good = serde_json::to_value(&front).unwrap();
    assert!(serde_json::from_value::<Front<Ix2>>(good.clone()).is_ok());
    // A flat grid may be one of three axes, one cell deep; a deep one cannot be flat.
    assert!(serde_json::from_value::<Front<Ix3>>(good.clone()).is_ok());
    for (path, value, says) in [
        ("/size", Value::from(vec![1, 20, 31]), "times"),
        ("/unit", f64::NAN.to_bits().into(), "unit"),
        ("/unit", 1e300_f64.to_bits().into(), "unit"),
        ("/time", (-1).into(), "time"),
        ("/exhausted", true.into(), "exhausted"),
        ("/updates", u64::MAX.into(), "updates"),
        ("/times/9", i32::MAX.into(), "time of cell 9"),
        ("/times/9", (-3).into(), "time of cell 9"),
        ("/slowness/7", 319.into(), "slowness of cell 7"),
        ("/slowness", Value::from(vec![320; 3]), "slowness"),
        ("/toward", serde_json::json!([[[0, 0, 0], [0, 20, 0]], 9, false]), "toward"),
        ("/toward", serde_json::json!([[[0, 0, 0], [0, 9, 0]], -1, true]), "toward"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(path).expect(path) = value;
        let read = serde_json::from_value::<Front<Ix2>>(bad);
        let error = read.err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(says)), "{path}: {error:?}");
    }
    // One that gave up with cells still waiting, each of which then becomes a wall.
    let mut exhausted = good.clone();
    for key in ["/ended", "/exhausted"] {
        *exhausted.pointer_mut(key).unwrap() = true.into();
    }
    let mut read: Front<Ix2> = serde_json::from_value(exhausted).unwrap();
    let mut medium = medium;
    for (y, x) in (0..20).flat_map(|y| (0..30).map(move |x| (y, x))) {
        medium.set_wall([y, x], true).unwrap();
        assert_eq!(read.step(&medium, 1).unwrap(), 0);
    }
    assert_eq!(read.reached_cells(), 0);
}

/// Its log of edits is not that of the medium that it was saved with, so they come in another
/// order.
#[test]
fn edits_that_a_saved_front_has_not_seen_are_taken_over_as_by_the_one_that_was_saved() {
    for turned in [false, true] {
        let mut medium = Medium::<Ix2>::builder([9, 9]).build().unwrap();
        medium.set_wall([4, 5], true).unwrap();
        let mut front = Front::new(&medium);
        front.emit(&medium, &[[4, 0]]).unwrap();
        front.step(&medium, 7).unwrap();
        assert!(front.arrival([4, 4]).is_some() && front.arrival([4, 6]).is_none());
        let saved = serde_json::to_string(&front).unwrap();
        let mut restored: Front<Ix2> = serde_json::from_str(&saved).unwrap();
        // The only reached neighbour of the cell that is freed is closed.
        let mut edits = [([4, 5], false), ([4, 4], true)];
        if turned {
            edits.reverse();
        }
        for (cell, wall) in edits {
            medium.set_wall(cell, wall).unwrap();
        }
        for front in [&mut front, &mut restored] {
            front.run(&medium).unwrap();
        }
        assert_eq!(restored.state_hash(), front.state_hash(), "turned: {turned}");
    }
}

/// A front in the middle of long links, and the medium with links one of which was closed.
#[test]
fn a_front_on_its_way_through_links_goes_on_in_the_same_bits() {
    let walls = Array::from_shape_fn([20, 33], |(y, x)| y % 2 + x % 2 > 0);
    let some = |n: usize, k: usize| (n.wrapping_mul(2_654_435_761) >> k) % 1000;
    let link = |n: usize| Link {
        from: [some(n, 3) % 10 * 2, some(n, 7) % 17 * 2],
        to: [some(n, 11) % 10 * 2, some(n, 15) % 17 * 2],
        time: 1.0 + some(n, 19) as f64 / 10.0,
    };
    let links: Vec<_> = (1..400).map(link).filter(|link| link.from != link.to).collect();
    let mut medium = Medium::<Ix2>::builder([20, 33]).walls(&walls).links(&links).build().unwrap();
    medium.set_wall([6, 10], true).unwrap();
    medium.set_speed([0, 0], 0.01).unwrap();
    let json = serde_json::to_string(&medium).unwrap();
    let read_medium: Medium<Ix2> = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&read_medium).unwrap(), json);
    assert!(read_medium.links().eq(medium.links()) && read_medium.has_links());
    let mut front = Front::new(&medium);
    front.emit(&medium, &[links[0].to]).unwrap();
    while !front.has_ended() {
        let json = serde_json::to_string(&front).unwrap();
        let mut read: Front<Ix2> = serde_json::from_str(&json).unwrap();
        front.step(&medium, 20).unwrap();
        read.step(&read_medium, 20).unwrap();
        assert_eq!(read.state_hash(), front.state_hash());
    }
    assert!(front.reached_cells() > 50, "{} cells", front.reached_cells());
    // A time that no medium takes, and a link to nowhere.
    let mut wrong: Value = serde_json::from_str(&json).unwrap();
    wrong["links"][3][2] = 0.into();
    assert!(serde_json::from_value::<Medium<Ix2>>(wrong).is_err());
    let mut wrong: Value = serde_json::from_str(&json).unwrap();
    wrong["links"][3][1] = serde_json::json!([0, 40, 0]);
    assert!(serde_json::from_value::<Medium<Ix2>>(wrong).is_err());
}

/// A hall, and below it one corridor of some 27,000 cells, at the end of which is a door.
fn hall_and_corridor() -> Medium<Ix2> {
    let walls = Array::from_shape_fn([130, 530], |(y, x)| {
        let gap = if y / 2 % 2 == 0 { 529 } else { 0 };
        y >= 25 && y % 2 == 1 && x != gap || (y, x) == (128, 300)
    });
    Medium::from_walls(&walls).unwrap()
}

/// A wave that is about to come to the last number for times, and one that has been read, which
/// begins at 0: both are repaired, to the same bits.
#[test]
fn a_long_wave_is_repaired_as_one_that_has_been_read() {
    let mut medium = hall_and_corridor();
    let mut front = Front::new(&medium);
    front.emit(&medium, &[[12, 12]]).unwrap();
    let mut read: Option<Front<Ix2>> = None;
    let edits = [([3, 120], true), ([21, 15], true), ([128, 300], false), ([128, 300], true)];
    for (round, (cell, wall)) in edits.into_iter().enumerate() {
        front.step(&medium, if round == 0 { 2000 } else { usize::MAX }).unwrap();
        let mut copies = vec![
            serde_json::from_str(&serde_json::to_string(&front).unwrap()).unwrap(),
            read.take().unwrap_or_else(|| front.clone()),
        ];
        // One that is read when the edit has been made has not seen it.
        medium.set_wall(cell, wall).unwrap();
        copies.push(serde_json::from_str(&serde_json::to_string(&front).unwrap()).unwrap());
        assert!(front.repair(&medium, u64::MAX).unwrap(), "round {round}");
        front.run(&medium).unwrap();
        for copy in &mut copies {
            copy.step(&medium, 0).unwrap();
            assert!(copy.repair(&medium, u64::MAX).unwrap(), "round {round}");
            copy.run(&medium).unwrap();
            assert_eq!(copy.state_hash(), front.state_hash(), "round {round}");
            assert_eq!(copy.updates(), front.updates(), "round {round}");
        }
        read = copies.pop();
        let mut new = Front::new(&medium);
        new.emit(&medium, &[[12, 12]]).unwrap();
        new.run(&medium).unwrap();
        assert_eq!(front.arrivals(), new.arrivals(), "round {round}");
        assert_eq!(front.reached_cells(), new.reached_cells(), "round {round}");
    }
}
