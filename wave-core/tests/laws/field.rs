//! The arrival field: the same as what a front tells cell by cell.

use crate::dense_reference::cases;
use crate::maps::{Rng, open_cells, random_walls};
use crate::reference::{Scene, any_open};
use crate::tile_reach::run_to_end;
use ndarray::{Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{ArrivalField, Medium, Space, TileFront, WaveError};

fn says_what_the_front_says<D: Space>(
    scene: &Scene,
    sources: &[D::Cell],
    steps: usize,
    to_array: impl Fn(D::Direction) -> Vec<f32>,
) {
    let medium = scene.medium::<D, f32>();
    let mut front = TileFront::<D, f32>::typed(&medium);
    let mut field = ArrivalField::new(&medium);
    // The second wave over the first, and one that is still running.
    for source in sources {
        front.emit(&medium, &[*source]).unwrap();
        front.step(&medium, steps).unwrap();
        front.write_field(&mut field).unwrap();
        assert_eq!(*field.times(), front.arrivals());
        for ((z, y, x), _) in scene.walls.indexed_iter() {
            let cell = D::from_zyx([z, y, x]);
            let time = field.times()[D::shape(cell)];
            assert_eq!(front.arrival(cell).unwrap_or(f64::INFINITY), f64::from(time));
            let way = front.direction(cell).map_or([0.0; 3], D::to_xyz);
            let found = to_array(field.directions()[D::shape(cell)]);
            for (way, found) in way.iter().zip(found) {
                assert!((way - f64::from(found)).abs() < 1e-5, "{cell:?}: {way} and {found}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn a_field_is_what_its_front_says(
        seed: u64, fraction in 0.0..0.4f64, shape in [1..9usize, 1..40usize, 1..40usize],
        steps in 0..120usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, shape[1], shape[2]], fraction, &mut rng);
        let sources: Vec<_> = (0..2).filter_map(|_| any_open(&walls, &mut rng)).collect();
        let flat: Vec<_> = sources.iter().map(|&[_, y, x]| [y, x]).collect();
        let scene = Scene::new(walls, 0.98);
        says_what_the_front_says::<Ix2>(&scene, &flat, steps, |d| d.to_array().to_vec());
        let walls = random_walls([shape[0], shape[1].min(12), shape[2]], fraction, &mut rng);
        let sources: Vec<_> = (0..2).filter_map(|_| any_open(&walls, &mut rng)).collect();
        let scene = Scene::new(walls, 0.98);
        says_what_the_front_says::<Ix3>(&scene, &sources, steps, |d| d.to_array().to_vec());
    }

    /// As far as it ran, a wave that was stopped early is the wave that ran to its end.
    #[test]
    fn an_early_stop_changes_nothing_before_it(seed: u64, fraction in 0.0..0.3f64) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, 50, 60], fraction, &mut rng);
        let open = open_cells(&walls);
        let pick = |i: usize| { let [_, y, x] = open[i % open.len()]; [y, x] };
        let (source, a, b) = (pick(rng.below(3000)), pick(rng.below(3000)), pick(rng.below(3000)));
        let medium = Scene::new(walls, 0.98).medium::<Ix2, f32>();
        let mut whole = TileFront::<Ix2, f32>::typed(&medium);
        let mut early = whole.clone();
        whole.emit(&medium, &[source]).unwrap();
        run_to_end(&mut whole, &medium, 3000);
        early.emit(&medium, &[source]).unwrap();
        let reached = early.run_until(&medium, &[a, b]).unwrap();
        prop_assert_eq!(reached, whole.arrival(a).is_some() && whole.arrival(b).is_some());
        prop_assert!(early.steps() <= whole.steps());
        for (&early, &whole) in early.arrivals().iter().zip(&whole.arrivals()) {
            prop_assert!(early == whole || early.is_infinite());
        }
        if reached {
            let last = early.arrival(a).unwrap().max(early.arrival(b).unwrap());
            prop_assert!(early.steps() as f64 <= last.ceil().max(1.0));
        }
    }
}

#[test]
fn a_field_for_another_medium_is_refused() {
    let medium = |n: usize| Medium::<Ix2>::builder([n, 7]).build().unwrap();
    let mut front = TileFront::new(&medium(5));
    front.emit(&medium(5), &[[1, 1]]).unwrap();
    let mut field = ArrivalField::new(&medium(6));
    let before = field.clone();
    let refused = front.write_field(&mut field);
    assert!(matches!(refused, Err(WaveError::OtherMedium { expected, .. }) if expected == [5, 7]));
    assert_eq!(field, before);
    let outside = front.run_until(&medium(5), &[[5, 0]]);
    assert!(matches!(outside, Err(WaveError::OutOfGrid { cell, .. }) if cell == [5, 0]));
}
