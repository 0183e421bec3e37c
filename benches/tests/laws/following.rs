//! A walker that follows a solved arrival field, or a wave, walks nearly the shortest way at any
//! angle.

use benches::any_angle::AnyAngle;
use benches::walker::walked;
use ndarray::{Array2, Axis, Ix2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_harness::maps::{Class, Entry, MapFile, read_map, read_scen, select};
use sim_harness::pursue::{self, Outcome, Rules};
use std::path::{Path, PathBuf};
use wave_core::{ArrivalField, Medium, WorldField};
use wave_track::{Fronts, PursuerState, WorldWalker};

/// By a field, by a world's field, whose lengths and bounds are checked too, and by a walker there.
fn mean_ratios(walls: &Array2<bool>, home: [usize; 2], walkers: usize) -> [f64; 3] {
    let (height, width) = walls.dim();
    let medium = Medium::<Ix2>::builder([height, width]).walls(walls).build().unwrap();
    let mut world = WorldField::new(&medium).unwrap();
    world.set_target(&medium, home).unwrap();
    let field = ArrivalField::from_sources(&medium, &[home]).unwrap();
    let shortest = AnyAngle::new(walls, home);
    let cells = field.times().indexed_iter().filter(|(_, t)| t.is_finite() && **t > 4.0);
    let cells: Vec<[usize; 2]> = cells.map(|((y, x), _)| [y, x]).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut sums = [0.0; 3];
    for n in 0..walkers {
        let from = cells[rng.random_range(0..cells.len())];
        let least = shortest.length(from);
        let length = world.length(&medium, from).unwrap().unwrap();
        let way = world.way(&medium, from).unwrap();
        let way: f64 = way.windows(2).map(|leg| leg[0].distance(leg[1])).sum();
        assert!(way >= least - 1e-9, "{from:?}: {way} and {least}");
        // Lengths are those of ways from node to node, of which walkers cut corners.
        assert!(length >= way - 1e-9 && length <= 1.1 * way + 1.0, "{from:?}: {length}, {way}");
        sums[1] += way / least;
        let [y, x] = from.map(|i| i as f64);
        let mut walker = WorldWalker::new(&medium, [x, y], 0.5).unwrap();
        let mut steps = (2.0 * way * 1.1) as usize + 10;
        while walker.step(&medium, &mut world, 1.0).unwrap() == PursuerState::Chasing && steps > 0 {
            steps -= 1;
        }
        assert_eq!(walker.state(), PursuerState::Arrived, "{from:?}: {walker:?}");
        assert!(walker.walked() >= least - 1e-9, "{from:?}: {} and {least}", walker.walked());
        sums[2] += walker.walked() / least;
        if n % 20 == 0 {
            let [at_least, at_most] = world.bounds(&medium, from).unwrap().unwrap();
            assert!(at_least <= least + 1e-9 && at_most == length, "{at_least} and {least}");
        }
        let time = f64::from(field.times()[from]) * medium.dt();
        // It may turn as sharp as the reference, and is late for that by little.
        assert!(time >= least * 0.998, "{from:?}: {time} and {least}");
        let walked = walked(&field, from, home).unwrap_or_else(|| panic!("lost from {from:?}"));
        sums[0] += walked / least;
    }
    sums.map(|sum| sum / walkers as f64)
}

/// Maps of games at `DATA_DIR`: of 512 x 512 cells, and smaller ones.
const LARGE: [&str; 4] =
    ["bg512/AR0306SR", "sc1/FireWalker", "sc1/IceFloes", "wc3maps512/icecrown"];
const SMALL: [&str; 5] =
    ["dao/arena", "dao/brc501d", "dao/lak202d", "da2/ht_chantry", "da2/lt_house"];

/// The place of a map, and its walls on the ground; `None` without data.
fn game(map: &str) -> Option<(PathBuf, MapFile, Array2<bool>)> {
    let Ok(data) = std::env::var("DATA_DIR") else {
        println!("skipped: DATA_DIR is not set");
        return None;
    };
    let path = Path::new(&data).join("movingai").join(format!("{map}.map"));
    let map = read_map(&path).unwrap();
    let walls = map.walls(Class::Ground).index_axis_move(Axis(0), 0);
    Some((path, map, walls))
}

#[test]
fn on_maps_of_games_a_walker_arrives_always_within_a_percent_of_the_shortest_way() {
    for map in LARGE.into_iter().chain(SMALL) {
        let Some((_, _, walls)) = game(map) else { return };
        let open: Vec<_> = walls.indexed_iter().filter(|(_, wall)| !**wall).collect();
        let ((y, x), _) = open[open.len() / 2];
        let means = mean_ratios(&walls, [y, x], 1000);
        println!("{map}: {means:.4?}");
        assert!(means.iter().all(|&mean| mean <= 1.01), "{map}: {means:?}");
    }
}

#[test]
fn on_maps_of_games_pursuers_walk_within_a_percent_of_the_shortest_way() {
    for (map, count) in LARGE.map(|map| (map, 6)).into_iter().chain(SMALL.map(|map| (map, 24))) {
        let Some((path, file, walls)) = game(map) else { return };
        let entries = read_scen(&path.with_extension("map.scen"), &file).unwrap();
        let on_ground = |e: &&Entry| e.optimal > 0.0 && file.class(e.start) == Some(Class::Ground);
        let entries: Vec<Entry> = entries.iter().filter(on_ground).copied().collect();
        let entries = select(&entries, count);
        let walks = pursue::run(&file, &entries, Rules::Ours(Fronts::ShortWaves), &|| ()).unwrap();
        let mut ratios = Vec::new();
        for (entry, walk) in entries.iter().zip(&walks) {
            let [[_, y, x], [_, to_y, to_x]] = [entry.start, entry.goal];
            let least = AnyAngle::new(&walls, [to_y, to_x]).length([y, x]);
            assert_eq!(walk.outcome, Outcome::Arrived, "{map}, line {}", entry.line);
            // The reference touches corners, as a point may.
            assert!(walk.walked >= least * (1.0 - 1e-9), "{map}: {} and {least}", walk.walked);
            ratios.push(walk.walked / least);
        }
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let worst = ratios.iter().copied().fold(1.0, f64::max);
        println!("{map}: {mean:.4}, at most {worst:.4}");
        assert!(mean <= 1.01, "{map}: {mean}");
    }
}

#[test]
fn on_random_ground_a_walker_arrives_always() {
    for (seed, fraction) in [(1, 0.05), (2, 0.15), (3, 0.25), (4, 0.35)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let walls = Array2::from_shape_simple_fn([60, 70], || rng.random_bool(fraction));
        // The middle of the largest part, most likely.
        let off = |y: usize, x: usize| y.abs_diff(30).pow(2) + x.abs_diff(35).pow(2);
        let open = walls.indexed_iter().filter(|(_, wall)| !**wall).map(|(cell, _)| cell);
        let (y, x) = open.min_by_key(|&(y, x)| off(y, x)).unwrap();
        let means = mean_ratios(&walls, [y, x], 300);
        println!("{fraction}: {means:.4?}");
        assert!(means.iter().all(|&mean| mean < 1.03), "{fraction}: {means:?}");
    }
}
