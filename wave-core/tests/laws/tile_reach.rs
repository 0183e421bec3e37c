//! Which cells a front reaches: exactly those that a way joins to the sources.

use crate::dense_reference::cases;
use crate::maps::{
    Cell, Rng, flood, folded_corridor, maze, neighbours, open_cells, open_ground, random_walls,
};
use crate::reference::{Scene, any_open};
use ndarray::{Array3, Ix2, Ix3};
use proptest::prelude::*;
use wave_core::{FrontConfig, Medium, Real, Space, TileFront, WallRule};

/// Steps a front until it ends, which must be within what its longest way allows.
pub(crate) fn run_to_end<D: Space, S: Real>(
    front: &mut TileFront<D, S>,
    medium: &Medium<D>,
    longest: usize,
) {
    let steps = front.step(medium, 500 + 8 * longest).map(|_| front.steps());
    assert!(front.has_ended(), "{steps:?} steps and no end, {longest} cells to go");
}

/// The front on `scene` from `sources`, at its end, after its laws of reach have been checked.
pub(crate) fn reaches_all<D: Space, S: Real>(scene: &Scene, sources: &[Cell]) -> TileFront<D, S> {
    let medium = scene.medium::<D, S>();
    let cells: Vec<D::Cell> = sources.iter().map(|&cell| D::from_zyx(cell)).collect();
    let distance = flood(&scene.walls, sources);
    let longest = distance.iter().filter_map(|&d| d).max().unwrap_or(0);
    let mut front = TileFront::<D, S>::typed(&medium);
    front.emit(&medium, &cells).unwrap();
    run_to_end(&mut front, &medium, longest);

    for ((z, y, x), d) in distance.indexed_iter() {
        let cell = [z, y, x];
        let arrival = front.arrival(D::from_zyx(cell));
        assert_eq!(arrival.is_some(), d.is_some(), "{cell:?} {d:?} cells away: {arrival:?}");
        let Some(here) = arrival else { continue };
        let earlier = neighbours(scene.shape(), cell)
            .into_iter()
            .any(|there| front.arrival(D::from_zyx(there)).is_some_and(|there| there < here));
        assert_eq!(earlier, !sources.contains(&cell), "{cell:?} at {here}");
        assert_eq!(here == 0.0, sources.contains(&cell));
    }
    let reached = distance.iter().filter(|d| d.is_some()).count();
    assert_eq!(front.reached_cells(), reached);
    let finite = front.arrivals().iter().filter(|t| t.is_finite()).count();
    assert_eq!(finite, reached);
    front
}

/// Also in `f32`, and both end.
fn both_formats<D: Space>(scene: &Scene, sources: &[Cell]) {
    reaches_all::<D, f64>(scene, sources);
    reaches_all::<D, f32>(scene, sources);
}

fn some_sources(walls: &Array3<bool>, rng: &mut Rng) -> Vec<Cell> {
    (0..=rng.below(3)).filter_map(|_| any_open(walls, rng)).collect()
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_tile_reaches_what_a_flood_fill_reaches_in_2d(
        seed: u64, fraction in 0.0..0.45f64, ny in 1..60usize, nx in 1..60usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let sources = some_sources(&walls, &mut rng);
        prop_assume!(!sources.is_empty());
        both_formats::<Ix2>(&Scene::new(walls, 0.98), &sources);
    }

    #[test]
    fn a_tile_reaches_what_a_flood_fill_reaches_in_3d(
        seed: u64, fraction in 0.0..0.45f64, shape in [1..14usize, 1..14usize, 1..14usize],
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls(shape, fraction, &mut rng);
        let sources = some_sources(&walls, &mut rng);
        prop_assume!(!sources.is_empty());
        both_formats::<Ix3>(&Scene::new(walls, 0.98), &sources);
    }

    #[test]
    fn a_tile_reaches_all_where_speeds_differ(
        seed: u64, fraction in 0.0..0.4f64, ny in 1..40usize, nx in 1..40usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let sources = some_sources(&walls, &mut rng);
        prop_assume!(!sources.is_empty());
        let scene = Scene::new(walls, 0.98).with_random_speeds(&mut rng);
        both_formats::<Ix2>(&scene, &sources);
    }

    /// As long as a cell is computed for no less than the pulse.
    #[test]
    fn a_tile_reaches_all_under_any_settings(
        seed: u64, fraction in 0.0..0.45f64, ny in 1..40usize, nx in 1..40usize,
        pulse in 2..20u32, lead in 1..30u32, more in 0..30u32,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let Some(source) = any_open(&walls, &mut rng) else { return Ok(()) };
        let medium = Scene::new(walls.clone(), 0.98).medium::<Ix2, f64>();
        let rest = pulse + more;
        let config = FrontConfig { pulse: Some(pulse), lead: Some(lead), rest: Some(rest) };
        let mut front = TileFront::<_, f64>::typed_with(&medium, config).unwrap();
        front.emit(&medium, &[[source[1], source[2]]]).unwrap();
        run_to_end(&mut front, &medium, ny * nx);
        let reached = flood(&walls, &[source]).iter().filter(|d| d.is_some()).count();
        prop_assert_eq!(front.reached_cells(), reached);
    }

    #[test]
    fn a_tile_reaches_all_between_fixed_walls(
        seed: u64, fraction in 0.0..0.45f64, ny in 1..40usize, nx in 1..40usize,
    ) {
        let mut rng = Rng(seed);
        let walls = random_walls([1, ny, nx], fraction, &mut rng);
        let sources = some_sources(&walls, &mut rng);
        prop_assume!(!sources.is_empty());
        let scene = Scene { rule: WallRule::Fixed, ..Scene::new(walls, 0.98) };
        both_formats::<Ix2>(&scene, &sources);
    }
}

/// Among slow cells the lead is as long as a tile: the first cells that are reached of it, x = 17
/// and 16, want the same tiles awake as all of its cells would, though nobody has woken them yet.
#[test]
fn a_front_leaves_the_tile_that_it_begins_in() {
    let sixteenths =
        [10, 4, 9, 30, 15, 18, 15, 14, 31, 6, 29, 10, 11, 6, 7, 18, 27, 17, 19, 10, 21, 19, 20, 21];
    let walls = Array3::from_shape_fn([1, 1, 24], |(_, _, x)| matches!(x, 4..=6 | 19 | 20));
    let mut scene = Scene::new(walls, 0.98);
    scene.speeds = Array3::from_shape_fn([1, 1, 24], |(_, _, x)| f64::from(sixteenths[x]) / 16.0);
    scene.dt /= 2.0;
    both_formats::<Ix2>(&scene, &[[0, 0, 18]]);
}

fn mazes<S: Real>(side: usize) {
    for width in 1..=8 {
        let mut rng = Rng(21);
        let rooms = side / (width + 1);
        let walls = maze([rooms, rooms], width, &mut rng);
        let source = any_open(&walls, &mut rng).unwrap();
        reaches_all::<Ix2, S>(&Scene::new(walls, 0.98), &[source]);
    }
}

#[test]
fn a_tile_reaches_all_of_a_maze() {
    mazes::<f64>(180);
}

#[test]
fn a_front_in_f32_reaches_all_of_a_maze() {
    mazes::<f32>(180);
}

#[test]
fn a_tile_reaches_the_end_of_a_corridor_of_ten_thousand_cells() {
    for width in [1, 2, 3, 4, 8, 16] {
        let straight = Scene::new(open_ground([1, width, 10_000]), 0.98);
        reaches_all::<Ix2, f64>(&straight, &[[0, width / 2, 0]]);
        reaches_all::<Ix2, f32>(&straight, &[[0, 0, 0]]);
    }
}

fn folded<S: Real>(length: usize, width: usize, folds: usize) {
    let scene = Scene::new(folded_corridor(length, width, folds), 0.98);
    reaches_all::<Ix2, S>(&scene, &[[0, 0, 0]]);
}

#[test]
fn a_tile_reaches_the_end_of_a_folded_corridor() {
    for width in [1, 2, 3, 4, 8, 16] {
        folded::<f64>(10_000, width, 50);
    }
}

#[test]
fn a_front_in_f32_reaches_the_end_of_a_folded_corridor() {
    for width in [1, 2, 3, 4, 8, 16] {
        folded::<f32>(10_000, width, 50);
    }
}

/// Every bend costs the front a factor of its amplitude: the number format must not set how many
/// of them it takes.
#[test]
fn a_front_goes_round_any_number_of_bends() {
    folded::<f64>(24 * 600, 8, 600);
}

#[test]
fn a_front_in_f32_goes_round_any_number_of_bends() {
    folded::<f32>(24 * 600, 8, 600);
}

#[test]
fn a_source_that_is_walled_in_ends_with_itself() {
    let mut walls = Array3::from_elem([1, 7, 7], true);
    walls[[0, 3, 3]] = false;
    walls[[0, 6, 6]] = false;
    let scene = Scene::new(walls, 0.98);
    let medium = scene.medium::<Ix2, f64>();
    let front = reaches_all::<Ix2, f64>(&scene, &[[0, 3, 3]]);
    assert!(front.steps() <= 32, "{} steps", front.steps());
    assert_eq!(front.updates(), 49 * front.steps());
    assert_eq!((front.reached_cells(), front.arrival([3, 3])), (1, Some(0.0)));
    assert_eq!(front.direction([3, 3]), Some(glam::DVec2::ZERO));
    assert_eq!(front.direction([6, 6]), None);
    assert_eq!(medium.open_cells(), 2);
    // A grid of one cell, too.
    reaches_all::<Ix2, f32>(&Scene::new(open_ground([1, 1, 1]), 0.98), &[[0; 3]]);
}

#[test]
fn a_front_from_every_cell_has_nowhere_to_go() {
    let scene = Scene::new(random_walls([3, 6, 5], 0.2, &mut Rng(2)), 0.98);
    let front = reaches_all::<Ix3, f64>(&scene, &open_cells(&scene.walls));
    assert!(front.steps() <= 32);
}
