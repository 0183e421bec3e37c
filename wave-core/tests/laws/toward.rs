//! Waves that are for some cells alone, against waves that go everywhere.

use crate::dense_reference::cases;
use crate::maps::{Cell, Rng, open_ground, random_walls};
use crate::reference::{Scene, any_open};
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{Front, Link, Medium, Space, WaveError};

/// A wave toward a box, for a part of the steps that one that goes everywhere takes for all of it.
fn comes_in_time<D: Space>((seed, fraction, speeds): (u64, f64, bool), shape: Cell, part: f64) {
    let mut rng = Rng(seed);
    let mut scene = Scene::new(random_walls(shape, fraction, &mut rng), 0.98);
    if speeds {
        scene = scene.with_random_speeds(&mut rng);
    }
    let ends = [(); 2].map(|()| any_open(&scene.walls, &mut rng));
    let [Some(source), Some(low)] = ends else { return };
    let high: Cell = std::array::from_fn(|a| (low[a] + rng.below(4)).min(shape[a] - 1));
    let medium = scene.medium::<D, f32>();
    let mut front = Front::<D>::new(&medium);
    front.emit(&medium, &[D::from_zyx(source)]).unwrap();
    front.run(&medium).unwrap();
    let (all, whole) = (front.arrivals(), front.reached_cells());

    let is_in_box = |cell: Cell| (0..3).all(|a| (low[a]..=high[a]).contains(&cell[a]));
    let cells = scene.walls.indexed_iter().map(|(cell, _)| Cell::from(cell));
    let due: Vec<_> = cells.filter(|&cell| is_in_box(cell)).map(D::from_zyx).collect();
    let due = due.into_iter().map(|cell| (cell, all[D::shape(cell)]));
    let last = due.clone().map(|(_, t)| t).filter(|t| t.is_finite()).fold(0.0, f32::max);
    let steps = part * f64::from(last) + 2.0;
    // Any two corners, in any portions.
    let mut corners = [low, high];
    for a in 0..3 {
        if rng.below(2) == 0 {
            (corners[0][a], corners[1][a]) = (high[a], low[a]);
        }
    }
    front.emit_toward(&medium, &[D::from_zyx(source)], corners.map(D::from_zyx), steps).unwrap();
    while !front.has_ended() {
        let most = front.next_updates() * (1 + rng.below(6)) as u64;
        front.step_within(&medium, 1 + rng.below(9), most).unwrap();
    }
    let some = front.arrivals();
    for (cell, time) in due {
        let in_time = f64::from(time) * 1.02 + 2.0 <= steps;
        assert!(!in_time || some[D::shape(cell)] == time, "{cell:?}: {time}");
    }
    // At the rim of the reached cells, offers may differ in 3D where one side was left out.
    let early = if D::AXES == 2 { 0.0 } else { 1.0 };
    assert!(some.iter().zip(&all).all(|(one, other)| one + early >= *other));
    assert_eq!(front.is_exhausted(), front.reached_cells() < whole);
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_wave_toward_cells_comes_there_when_one_that_goes_everywhere_does(
        seed: u64,
        fraction in 0.0..0.5f64,
        speeds: bool,
        part in prop::sample::select(vec![0.5, 1.0, 1.02, 1.1, 1.25]),
    ) {
        let case = (seed, fraction, speeds);
        comes_in_time::<Ix2>(case, [1, 90, 130], part);
        comes_in_time::<Ix3>(case, [25, 30, 40], part);
    }
}

/// The cells of a spheroid with the ends of the way in its focuses, and few more.
#[test]
fn a_wave_toward_a_cell_comes_to_what_lies_between() {
    let medium = Scene::new(open_ground([90, 90, 160]), 0.98).medium::<Ix3, f32>();
    let mut front = Front::<Ix3>::new(&medium);
    for (part, least, most) in [(1.1, 0.9, 1.25), (1.25, 0.9, 1.15)] {
        front.emit(&medium, &[[45, 45, 30]]).unwrap();
        while front.arrival([45, 45, 130]).is_none() {
            front.step(&medium, 1).unwrap();
        }
        let steps = part * front.arrival([45, 45, 130]).unwrap();
        front.emit_toward(&medium, &[[45, 45, 30]], [[45, 45, 130]; 2], steps).unwrap();
        front.run(&medium).unwrap();
        let (along, across) = (50.0 * part, 50.0 * (part * part - 1.0f64).sqrt());
        let spheroid = 4.0 / 3.0 * std::f64::consts::PI * along * across * across;
        let share = front.reached_cells() as f64 / spheroid;
        assert!((least..most).contains(&share), "{part}: {share}");
    }
}

#[test]
fn a_wave_that_has_all_the_time_there_is_goes_everywhere() {
    let mut rng = Rng(3);
    let medium = Scene::new(random_walls([1, 60, 70], 0.3, &mut rng), 0.98).medium::<Ix2, f32>();
    let source = (0..70).map(|x| [0, x]).find(|&cell| !medium.is_wall(cell)).unwrap();
    let mut front = Front::<Ix2>::new(&medium);
    front.emit(&medium, &[source]).unwrap();
    front.run(&medium).unwrap();
    let all = front.arrivals();
    front.emit_toward(&medium, &[source], [[3, 3], [9, 4]], f64::INFINITY).unwrap();
    front.run(&medium).unwrap();
    assert!(front.arrivals() == all && !front.is_exhausted());
}

#[test]
fn links_may_lead_anywhere_and_a_wave_toward_cells_runs_through_them() {
    // The box lies on the other side of a wall, and a chute begins behind the source.
    let mut walls = ndarray::Array2::from_elem([5, 41], false);
    walls.column_mut(20).fill(true);
    let chute = Link { from: [2, 25], to: [2, 0], time: 4.0 };
    let medium = Medium::<Ix2>::builder([5, 41]).walls(&walls).links(&[chute]).build().unwrap();
    let mut front = Front::new(&medium);
    front.emit_toward(&medium, &[[2, 15]], [[2, 25]; 2], 50.0).unwrap();
    front.run(&medium).unwrap();
    assert!(front.arrival([2, 25]).is_some() && !front.is_exhausted());
}

#[test]
fn a_wave_toward_nowhere_is_refused_and_the_wave_before_goes_on() {
    let medium = Scene::new(open_ground([1, 9, 9]), 0.98).medium::<Ix2, f32>();
    let mut front = Front::<Ix2>::new(&medium);
    front.emit(&medium, &[[0, 0]]).unwrap();
    front.step(&medium, 2).unwrap();
    let before = front.state_hash();
    let outside = front.emit_toward(&medium, &[[0, 0]], [[3, 3], [9, 3]], 5.0);
    assert!(matches!(outside, Err(WaveError::OutOfGrid { cell, .. }) if cell == [9, 3]));
    for steps in [-1.0, f64::NAN] {
        let refused = front.emit_toward(&medium, &[[0, 0]], [[3, 3]; 2], steps);
        assert!(
            matches!(refused, Err(WaveError::Steps { steps: value }) if value.to_bits() == steps.to_bits())
        );
    }
    assert!(matches!(front.emit_toward(&medium, &[], [[3, 3]; 2], 5.0), Err(WaveError::NoSource)));
    assert_eq!(front.state_hash(), before);
    front.run(&medium).unwrap();
    assert_eq!(front.reached_cells(), 81);
}
