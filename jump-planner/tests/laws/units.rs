//! A level is the same in other units: heights, cells, limits and the square of the launch speed
//! scaled alike, there are the same moves, though decimal fractions are rounded.

use jump_planner::{Character, JumpGraph, JumpRule, Move, MoveKind, Terrain};
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const UNITS: [f64; 5] = [0.1, 0.2, 0.3, 0.7, 10.0];

/// Whole heights, in this unit.
fn in_units(
    heights: &Array2<f64>,
    unit: f64,
    [step, fall]: [Option<f64>; 2],
    speed: f64,
    rule: JumpRule,
) -> JumpGraph {
    let terrain = Terrain::builder(heights).height_scale(unit).quantum(unit).cell_size(unit);
    let mut character = Character::builder(speed * unit.sqrt());
    if let Some(step) = step {
        character = character.step_height(step * unit);
    }
    if let Some(fall) = fall {
        character = character.max_fall(fall * unit);
    }
    let rule = match rule {
        JumpRule::Exact { tolerance } => JumpRule::Exact { tolerance: tolerance * unit },
        JumpRule::Published => JumpRule::Published,
    };
    let (terrain, character) = (terrain.build().unwrap(), character.build().unwrap());
    JumpGraph::with_rule(terrain, character, rule).unwrap()
}

fn all_moves(graph: &JumpGraph) -> Vec<Move> {
    let [rows, columns] = graph.terrain().shape();
    let mut moves = Vec::new();
    for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x])) {
        graph.for_each_move(cell, |step| moves.push(step));
    }
    moves.sort_by_key(|step| (step.from, step.to));
    moves
}

/// Groups as the first cells of the groups of all cells.
fn groups(graph: &JumpGraph) -> Vec<usize> {
    let [rows, columns] = graph.terrain().shape();
    let labels: Vec<_> =
        (0..rows * columns).map(|i| graph.group([i / columns, i % columns])).collect();
    labels.iter().map(|label| labels.iter().position(|other| other == label).unwrap()).collect()
}

#[test]
fn stairs_are_climbed_in_steps_of_their_own_height() {
    let stairs = Array2::from_shape_fn((1, 12), |(_, x)| x as f64);
    for unit in [0.1, 0.2, 0.25, 0.3, 1.0] {
        let graph = in_units(&stairs, unit, [Some(1.0), None], 0.01, JumpRule::default());
        let counts = graph.audit(None).unwrap().counts();
        assert_eq!((graph.group_count(), counts.walk), (1, 22), "{unit}");
        let stairs = stairs.map(|z| 3.0 * z);
        let graph = in_units(&stairs, unit, [None, Some(3.0)], 0.01, JumpRule::default());
        let counts = graph.audit(None).unwrap().counts();
        assert_eq!((graph.group_count(), counts.fall), (12, 11), "{unit}");
        assert_eq!(graph.step([0, 4], [0, 3]), Some(MoveKind::Fall));
        assert_eq!([graph.step([0, 3], [0, 4]), graph.step([0, 4], [0, 2])], [None; 2]);
    }
}

#[test]
fn the_same_level_in_other_units_has_the_same_moves() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let mut kinds = [0; 3];
    for n in 0..60 {
        let shape = (rng.random_range(1..7), rng.random_range(2..7));
        let base = f64::from([0, 0, 1000, -70][n % 4]);
        let mut heights =
            Array2::from_shape_simple_fn(shape, || base + f64::from(rng.random_range(0..6)));
        let step = rng.random_bool(0.7).then(|| f64::from(rng.random_range(0..3)));
        let fall = rng.random_bool(0.7).then(|| f64::from(rng.random_range(1..4)));
        let rule = [JumpRule::default(), JumpRule::Published][n / 4 % 2];
        // No jump is as high as a whole number, so ground just within reach is not tested here.
        let speed = (2.0 * 9.80665 * (0.37 + f64::from(rng.random_range(0..3)))).sqrt();
        let of = |heights: &Array2<f64>, unit| in_units(heights, unit, [step, fall], speed, rule);
        let mut graphs: Vec<_> = UNITS.iter().map(|&unit| of(&heights, unit)).collect();
        for edit in 0..4 {
            let plain = of(&heights, 1.0);
            let (moves, parts) = (all_moves(&plain), groups(&plain));
            for step in &moves {
                kinds[step.kind as usize] += 1;
            }
            for (graph, unit) in graphs.iter().zip(UNITS) {
                assert_eq!(all_moves(graph), moves, "{n} {edit} {unit} {heights}");
                assert_eq!(groups(graph), parts, "{n} {edit} {unit} {heights}");
                let counts = [graph, &plain].map(|graph| graph.audit(None).unwrap().counts());
                assert_eq!(counts[0], counts[1], "{n} {edit} {unit} {heights}");
            }
            let cell = [rng.random_range(0..shape.0), rng.random_range(0..shape.1)];
            heights[cell] = base + f64::from(rng.random_range(0..6));
            for (graph, unit) in graphs.iter_mut().zip(UNITS) {
                graph.set_height(cell, heights[cell] * unit).unwrap();
            }
        }
    }
    assert!(kinds.iter().all(|&count| count > 500), "{kinds:?}");
}

/// Around every corner, on every side of it, up and down a step: a body passes ground that is known
/// and, to rounding, no higher.
#[test]
fn a_body_takes_corners_beside_what_is_as_high_and_known() {
    let corner = |[dy, dx]: [usize; 2], beside: usize, side: f64, to: f64| {
        let (from, end) = ([dy, dx], [1 - dy, 1 - dx]);
        let mut heights = ndarray::Array2::from_elem([2, 2], 0.3);
        heights[end] = to;
        heights[if beside == 0 { [dy, 1 - dx] } else { [1 - dy, dx] }] = side;
        let terrain = Terrain::builder(&heights).no_data(f64::NAN).build().unwrap();
        let character = Character::builder(0.1).step_height(0.1).body(0.3, 1.0).build().unwrap();
        JumpGraph::new(terrain, character).unwrap().step(from, end)
    };
    for from in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        for beside in [0, 1] {
            let step = |side, to| corner(from, beside, side, to);
            for side in [0.3, 0.1 + 0.2, 0.1] {
                assert_eq!(step(side, 0.3), Some(MoveKind::Walk), "{from:?} {beside} {side}");
                assert_eq!(step(side, 0.1), Some(MoveKind::Fall), "{from:?} {beside} {side}");
            }
            assert_eq!(step(0.4, 0.4), Some(MoveKind::Walk), "{from:?} {beside}");
            for to in [0.1, 0.3, 0.4] {
                for side in [0.41, f64::NAN] {
                    assert_eq!(step(side, to), None, "{from:?} {beside} {side} {to}");
                }
            }
            assert_eq!(step(0.31, 0.3), None, "{from:?} {beside}");
        }
    }
}
