//! After any edits everything is as if it had been built again.

use crate::levels::{ground, level};
use jump_planner::{Character, Finding, JumpError, JumpGraph, JumpRule, Level, MoveKind, Terrain};
use ndarray::{Array2, array};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Whether two labellings are the same partition.
pub(crate) fn same<A: std::hash::Hash + Eq + Copy, B: std::hash::Hash + Eq + Copy>(
    pairs: &[(A, B)],
) -> bool {
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    pairs
        .iter()
        .all(|&(a, b)| *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a)
}

/// What a level says after edits is what an audit of the same ground says, and finds as many
/// regions: so many.
fn equals_a_rebuild(level: &Level, case: &str) -> usize {
    let ours = level.graph();
    let (terrain, character) = (ours.terrain().clone(), *ours.character());
    let rebuilt = JumpGraph::with_rule(terrain, character, ours.rule()).unwrap();
    let audit = rebuilt.audit(level.start()).unwrap();
    let cells = ground(&rebuilt);
    let groups: Vec<_> = cells.iter().map(|&c| (rebuilt.group(c), ours.group(c))).collect();
    assert!(same(&groups), "{case}");
    assert_eq!(rebuilt.group_count(), ours.group_count(), "{case}");
    for cell in cells {
        assert_eq!(audit.region(rebuilt.terrain(), cell), level.region(cell), "{case} {cell:?}");
        let is_reached = audit.is_reached(rebuilt.terrain(), cell);
        assert_eq!(is_reached, level.is_reached(cell), "{case} {cell:?}");
    }
    assert_eq!(audit.counts(), level.counts(), "{case}");
    assert_eq!(audit.one_way(), level.one_way(), "{case}");
    let kinds = |findings: &[Finding]| -> Vec<_> {
        findings.iter().map(|f| (std::mem::discriminant(f), f.cells())).collect()
    };
    assert_eq!(kinds(audit.findings()), kinds(level.findings()), "{case}");
    for step in level.findings().iter().take(50).filter_map(Finding::witness) {
        let flies = step.kind == MoveKind::Jump;
        assert!(!flies || rebuilt.witness(&step).is_some(), "{case} {step:?}");
    }
    assert_eq!((audit.traps(), audit.region_count()), (level.traps(), level.region_count()));
    audit.region_count()
}

#[test]
fn edits_equal_a_rebuild() {
    let mut several = 0;
    for seed in 0..150 {
        let graph = level(20_000 + seed, JumpRule::default());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let [rows, columns] = graph.terrain().shape();
        let start = seed % 2 == 0;
        let start = start.then(|| ground(&graph)[0]);
        let mut level = Level::new(graph, start).unwrap();
        for edit in 0..25 {
            let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
            if rng.random_bool(0.8) {
                level.set_height(cell, 0.5 * f64::from(rng.random_range(-3..9))).unwrap();
            } else {
                // Refused for the start and for the last ground there is.
                let _ = level.set_no_go(cell, rng.random_bool(0.5));
            }
            if start.is_none() && edit % 3 != 0 {
                continue;
            }
            several += usize::from(equals_a_rebuild(&level, &format!("{seed} {edit}")) > 1);
        }
    }
    assert!(several > 500, "{several}");
}

/// The same ground for other characters: by the published rule, with a body, under ceilings.
fn variant(seed: u64, rng: &mut ChaCha8Rng) -> JumpGraph {
    let shape = (rng.random_range(3..8), rng.random_range(3..8));
    let deep = rng.random_range(1..6);
    let heights =
        Array2::from_shape_simple_fn(shape, || 0.5 * f64::from(rng.random_range(0..=deep)));
    let ceilings = heights.map(|_| if rng.random_bool(0.4) { 5.0 } else { f64::INFINITY });
    let builder = Terrain::builder(&heights);
    let mut character = Character::builder(rng.random_range(2.5..5.0));
    let (builder, rule) = match seed % 3 {
        0 => (builder, JumpRule::Published),
        1 => (builder, JumpRule::default()),
        _ => (builder.ceilings(&ceilings), JumpRule::default()),
    };
    if !seed.is_multiple_of(3) {
        character = character.body(rng.random_range(0.1..0.45), 1.0);
    }
    let (terrain, character) = (builder.build().unwrap(), character.build().unwrap());
    JumpGraph::with_rule(terrain, character, rule).unwrap()
}

#[test]
fn edits_equal_a_rebuild_for_bodies_and_by_plan_view() {
    let mut several = 0;
    for seed in 0..36 {
        let mut rng = ChaCha8Rng::seed_from_u64(900 + seed);
        let graph = variant(seed, &mut rng);
        let [rows, columns] = graph.terrain().shape();
        let mut level = Level::new(graph, None).unwrap();
        for edit in 0..12 {
            let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
            level.set_height(cell, 0.5 * f64::from(rng.random_range(-2..6))).unwrap();
            several += usize::from(equals_a_rebuild(&level, &format!("{seed} {edit}")) > 1);
        }
    }
    assert!(several > 120, "{several}");
}

/// Rooms with doors, ledges and rubble: large enough for regions that hang together by one cell.
fn rooms(rng: &mut ChaCha8Rng) -> JumpGraph {
    let (side, rubble) = (rng.random_range(24..44), rng.random_range(0.0..0.6));
    let room = rng.random_range(4..9);
    let (wall, deep) = (rng.random_range(2..9), rng.random_range(1..7));
    let mut heights = Array2::from_shape_simple_fn((side, side), || {
        0.5 * f64::from(if rng.random_bool(rubble) { rng.random_range(-deep..=deep) } else { 0 })
    });
    for at in (room..side).step_by(room) {
        for k in (0..side).filter(|k| k % room != at / room % room) {
            heights[[at, k]] = 0.5 * f64::from(wall);
            heights[[k, at]] = 0.5 * f64::from(wall);
        }
    }
    let terrain = Terrain::builder(&heights).build().unwrap();
    let character = Character::builder(rng.random_range(2.0..4.5)).build().unwrap();
    JumpGraph::new(terrain, character).unwrap()
}

#[test]
fn edits_of_rooms_equal_a_rebuild() {
    let (mut several, mut changes, mut last) = (0, 0, 0);
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(600 + seed);
        let graph = rooms(&mut rng);
        let [rows, columns] = graph.terrain().shape();
        let start = Some([rows / 2, columns / 2]).filter(|_| seed % 3 != 0);
        let mut level = Level::new(graph, start).unwrap();
        for edit in 0..60 {
            let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
            let height = level.graph().terrain().height(cell).unwrap();
            match rng.random_range(0..8) {
                0 => {
                    let _ = level.set_no_go(cell, rng.random_bool(0.6));
                }
                1 => level.set_height(cell, 6.0).unwrap(),
                2 => level.set_height(cell, -6.0).unwrap(),
                3 => level.set_height(cell, 0.0).unwrap(),
                4 | 5 => level.set_height(cell, height + 0.5).unwrap(),
                _ => level.set_height(cell, height - 0.5).unwrap(),
            }
            changes += usize::from(std::mem::replace(&mut last, level.region_count()) != last);
            if edit % 6 == 5 {
                several += usize::from(equals_a_rebuild(&level, &format!("{seed} {edit}")) > 1);
            }
        }
    }
    assert!(several > 200 && changes > 400, "{several} {changes}");
}

/// Edits of a level, of which every so many are checked against a rebuild; how many of these found
/// several regions, and how often their number changed.
fn edited(graph: JumpGraph, rng: &mut ChaCha8Rng, edits: usize, every: usize) -> [usize; 2] {
    let [rows, columns] = graph.terrain().shape();
    let start = graph.audit(None).unwrap().start();
    let mut level = Level::new(graph, Some(start)).unwrap();
    let (mut several, mut changes, mut last) = (0, 0, level.region_count());
    for edit in 1..=edits {
        let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
        let Some(height) = level.graph().terrain().height(cell) else { continue };
        match rng.random_range(0..16) {
            0 => {
                let _ = level.set_no_go(cell, rng.random_bool(0.6));
            }
            1 => level.set_height(cell, height - 8.0).unwrap(),
            2 => level.set_height(cell, height + 8.0).unwrap(),
            k if k % 2 == 0 => level.set_height(cell, height + 0.5).unwrap(),
            _ => level.set_height(cell, height - 0.5).unwrap(),
        }
        changes += usize::from(std::mem::replace(&mut last, level.region_count()) != last);
        if edit % every != 0 {
            continue;
        }
        several += usize::from(equals_a_rebuild(&level, &edit.to_string()) > 1);
    }
    [several, changes]
}

/// Terraces, mesas and pits: many regions that lead to each other by falls and long jumps only.
fn cliffs(rng: &mut ChaCha8Rng) -> JumpGraph {
    let side = rng.random_range(20..40);
    let (coarse, storey) = (rng.random_range(3..8), 0.5 * f64::from(rng.random_range(2..12)));
    let blocks = Array2::from_shape_simple_fn((side, side), || f64::from(rng.random_range(0..5)));
    let rubble = rng.random_range(0.0..0.5);
    let heights = Array2::from_shape_fn((side, side), |(y, x)| {
        let rough = if rng.random_bool(rubble) { rng.random_range(-2..=2) } else { 0 };
        storey * blocks[[y / coarse, x / coarse]] + 0.5 * f64::from(rough)
    });
    let terrain = Terrain::builder(&heights).build().unwrap();
    let character = Character::builder(rng.random_range(2.0..6.0)).build().unwrap();
    JumpGraph::new(terrain, character).unwrap()
}

#[test]
fn edits_of_cliffs_equal_a_rebuild() {
    let mut all = [0; 2];
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(1600 + seed);
        let graph = cliffs(&mut rng);
        let counts = edited(graph, &mut rng, 60, 5);
        (0..2).for_each(|k| all[k] += counts[k]);
    }
    assert!(all[0] > 400 && all[1] > 600, "{all:?}");
}

#[test]
fn edits_of_real_mountains_equal_a_rebuild() {
    let Ok(folder) = std::env::var("DATA_DIR") else {
        eprintln!("skipped: DATA_DIR is not set");
        return;
    };
    let mut all = [0; 2];
    for (seed, file) in (0..).zip(["dem_RGI50-05.08389.asc", "jacksboro_fault_dem.asc"]) {
        let text = std::fs::read_to_string(format!("{folder}/heightmap/dem/{file}")).unwrap();
        let rows: Vec<Vec<f64>> = text
            .lines()
            .map(|line| line.split_whitespace().filter_map(|z| z.parse().ok()).collect())
            .filter(|row: &Vec<f64>| row.len() > 100)
            .collect();
        for part in 0..2 {
            let (y, x) = (part * 120, part * 120);
            let heights = Array2::from_shape_fn((90, 90), |(dy, dx)| rows[y + dy][x + dx]);
            let terrain = Terrain::builder(&heights).height_scale(0.2).quantum(0.5);
            let character = Character::builder(6.0).build().unwrap();
            let graph = JumpGraph::new(terrain.build().unwrap(), character).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(8 * seed + part as u64);
            let counts = edited(graph, &mut rng, 150, 30);
            (0..2).for_each(|k| all[k] += counts[k]);
        }
    }
    assert!(all[0] > 15 && all[1] > 30, "{all:?}");
}

/// A region's label that is used again in the same edit takes nothing along from its old region:
/// of the largest region, and of any other.
#[test]
fn labels_that_are_used_again_are_those_of_new_regions() {
    let body = |speed: f64, step: f64| {
        Character::builder(speed).step_height(step).body(0.2, 1.2).build().unwrap()
    };
    let level = |heights: &Array2<f64>, no_go: &Array2<bool>, ceilings: &Array2<f64>, who| {
        let terrain = Terrain::builder(heights).no_go(no_go).ceilings(ceilings).build().unwrap();
        Level::new(JumpGraph::new(terrain, who).unwrap(), None).unwrap()
    };
    let edit = |mut level: Level, edits: &[([usize; 2], f64)], case: &str| {
        for &(cell, height) in edits {
            level.set_height(cell, height).unwrap();
            equals_a_rebuild(&level, case);
        }
    };
    let heights = array![[0.5, -4.0, -4.0, -4.0, 0.5, 0.0, 0.5, 0.0, 0.0]];
    let no_go = heights.map(|_| false);
    let open = heights.map(|_| f64::INFINITY);
    let posts = Array2::from_shape_fn([1, 9], |(_, x)| x == 5 || x == 7);
    let first = level(&heights, &posts, &open, body(4.579_287_983_397_986, 0.5));
    edit(first, &[([0, 2], 1.0), ([0, 3], 1.5), ([0, 2], 0.0)], "the largest region's");

    let (n, y) = (false, true);
    let heights = array![[0.0, 0.0, -4.0, 0.0], [0.0, 1.5, -4.0, -4.0], [0.0, -4.0, 0.0, 1.5]];
    let holes = array![[y, n, n, y], [y, n, y, n], [y, n, y, n]];
    let open = heights.map(|_| f64::INFINITY);
    let second = level(&heights, &holes, &open, body(2.741_182_947_261_172_4, 0.0));
    edit(second, &[([1, 1], 0.5), ([1, 1], -4.0)], "another region's");

    let far = f64::INFINITY;
    let heights = array![[9.0, 0.0, -4.0, 1.5, -4.0, 0.0, 0.0, 9.0, 0.0]];
    let ceilings = array![[5.0, 6.0, far, far, far, 5.0, 4.0, far, 5.0]];
    let third = level(&heights, &no_go, &ceilings, body(6.399_799_286_207_008, 0.5));
    edit(third, &[([0, 2], 3.0)], "with ceilings");
}

/// Levels with few, deep heights, bodies and ceilings, in which labels are often used again.
#[test]
fn edits_of_tight_levels_equal_a_rebuild() {
    let mut several = 0;
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shape = (rng.random_range(1..4), rng.random_range(2..10));
        let some = [0.0, 0.0, -4.0, 0.5, 1.5, 9.0];
        let heights = Array2::from_shape_simple_fn(shape, || some[rng.random_range(0..6)]);
        let ceilings = heights.map(|_| {
            if rng.random_bool(0.5) { f64::INFINITY } else { f64::from(rng.random_range(2..7)) }
        });
        let no_go = heights.map(|_| rng.random_bool(0.2));
        let terrain = Terrain::builder(&heights).no_go(&no_go).ceilings(&ceilings).build();
        let character = Character::builder(rng.random_range(2.0..7.0)).body(0.2, 1.2);
        let character = character.step_height(if rng.random_bool(0.5) { 0.5 } else { 0.0 });
        let graph = terrain.map(|terrain| JumpGraph::new(terrain, character.build().unwrap()));
        let Ok(Ok(graph)) = graph else { continue };
        let mut level = Level::new(graph, None).unwrap();
        for edit in 0..12 {
            let cell = [rng.random_range(0..shape.0), rng.random_range(0..shape.1)];
            level.set_height(cell, some[rng.random_range(0..6)]).unwrap();
            // An audit of ground on which nobody can stand is refused.
            let (terrain, who) = (level.graph().terrain().clone(), *level.graph().character());
            if JumpGraph::new(terrain, who).is_err() {
                assert_eq!(level.region_count(), 0);
                continue;
            }
            several += usize::from(equals_a_rebuild(&level, &format!("{seed} {edit}")) > 2);
        }
    }
    assert!(several > 400, "{several}");
}

/// An edit may leave nobody a place to stand, and another one give it back; but not at the start.
#[test]
fn headroom_that_is_gone_comes_back() {
    let terrain = |heights: &Array2<f64>, ceilings: &Array2<f64>| {
        Terrain::builder(heights).ceilings(ceilings).build().unwrap()
    };
    let who = |height: f64| Character::builder(3.0).body(0.1, height).build().unwrap();
    let (flat, low) = (array![[0.0, 0.0]], array![[2.0, 1.0]]);
    let mut level =
        Level::new(JumpGraph::new(terrain(&flat, &low), who(1.5)).unwrap(), None).unwrap();
    for height in [1.0, 1.2] {
        level.set_height([0, 0], height).unwrap();
        assert_eq!((level.region_count(), level.region([0, 0])), (0, None));
    }
    level.set_height([0, 0], 0.25).unwrap();
    equals_a_rebuild(&level, "it is there again");
    // The sum of both heights rounds up to the ceiling.
    let (flat, low) = (array![[0.0, 0.0, 0.0]], array![[0.300_000_000_000_000_04, 1e3, 1e3]]);
    let graph = JumpGraph::new(terrain(&flat, &low), who(0.2)).unwrap();
    let mut level = Level::new(graph, Some([0, 0])).unwrap();
    assert!(matches!(level.set_height([0, 0], 0.1), Err(JumpError::NotGround { .. })));
    assert_eq!(level.region_count(), 1);
}
