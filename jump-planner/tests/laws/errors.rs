//! Every bad input is named, and changes nothing.

use crate::levels::{ground, level};
use glam::DVec2;
use jump_planner::{
    Ballistics, Character, JumpError, JumpGraph, JumpRule, Level, Move, MoveKind, Preference,
    SearchOver, Terrain, TerrainError, Ways,
};
use ndarray::{Array2, array};

#[test]
fn terrains() {
    let none: [[f64; 0]; 0] = [];
    assert_eq!(Terrain::from_rows(&none), Err(TerrainError::Size { rows: 0, columns: 0 }));
    assert_eq!(Terrain::from_rows(&[[1.0]]), Err(TerrainError::Size { rows: 1, columns: 1 }));
    let ragged = Terrain::from_rows(&[vec![0.0, 1.0], vec![0.0]]);
    assert_eq!(ragged, Err(TerrainError::Ragged { row: 1, found: 1, expected: 2 }));
    for bad in [f64::NAN, f64::INFINITY, -2e9] {
        let error = Terrain::from_rows(&[[0.0, bad]]).unwrap_err().to_string();
        assert!(error.contains("[0, 1]") && error.contains("1e9"), "{error}");
    }
    let heights = array![[-9999.0, -9999.0]];
    let nothing = Terrain::builder(&heights).no_data(-9999.0).build();
    assert_eq!(nothing, Err(TerrainError::NoGround { cells: 2 }));
    let heights = array![[0.0, 1.0]];
    let mask = Array2::from_elem([2, 2], false);
    assert!(Terrain::builder(&heights).no_go(&mask).build().is_err());
    assert!(Terrain::builder(&heights).cell_size(0.0).build().is_err());
    assert!(Terrain::builder(&heights).cell_size(f64::NAN).build().is_err());
    assert!(Terrain::builder(&heights).height_scale(-1.0).build().is_err());
    assert!(Terrain::builder(&heights).quantum(0.0).build().is_err());
}

#[test]
fn characters() {
    for speed in [0.0, -6.0, f64::NAN, f64::INFINITY] {
        assert!(Character::builder(speed).build().is_err());
        assert!(Ballistics::new(speed, 9.81).is_err());
    }
    for gravity in [0.0, -9.81, f64::NAN] {
        let error = Character::builder(6.0).gravity(gravity).build().unwrap_err();
        assert!(error.to_string().contains("gravity"));
    }
    assert!(Character::builder(6.0).max_fall(-1.0).build().is_err());
    assert!(Character::builder(6.0).step_height(f64::NAN).build().is_err());
    assert!(Character::builder(6.0).walk_speed(0.0).build().is_err());
    for (height, gravity, named) in [
        (-1.0, 9.81, "jump_height = -1.0 "),
        (f64::NAN, 9.81, "jump_height = NaN "),
        (1e12, 9.81, "jump_height = 1000000000000.0 "),
        (1.0, -9.81, "gravity = -9.81 "),
    ] {
        let error = Character::with_jump_height(height, gravity).build().unwrap_err().to_string();
        assert!(error.starts_with(named), "{error}");
    }
    let wide = Character::builder(6.0).body(0.5, 1.0).build().unwrap();
    let terrain = || Terrain::from_rows(&[[0.0, 0.0]]).unwrap();
    assert!(JumpGraph::new(terrain(), wide).unwrap_err().to_string().contains("radius"));
    let point = Character::builder(6.0).build().unwrap();
    let exact = JumpRule::Exact { tolerance: 0.0 };
    assert!(JumpGraph::with_rule(terrain(), point, exact).is_err());
}

#[test]
fn places() {
    let heights = array![[0.0, 0.0, 0.0]];
    let no_go = array![[false, true, false]];
    let terrain = Terrain::builder(&heights).no_go(&no_go).build().unwrap();
    let graph = JumpGraph::new(terrain, Character::builder(6.0).build().unwrap()).unwrap();
    let outside = graph.plan([0, 0], [0, 3], Preference::Shortest).unwrap_err();
    assert!(matches!(outside, JumpError::Terrain(TerrainError::Outside { .. })));
    let on_no_go = graph.audit(Some([0, 1])).unwrap_err();
    assert_eq!(on_no_go, JumpError::NotGround { cell: [0, 1], why: "it is no-go" });
    assert!(graph.exists([9, 9], [0, 0], SearchOver::Groups).is_err());
    assert!(graph.flights(DVec2::new(9.0, 0.0), DVec2::ZERO).is_err());
    assert!(graph.flights(DVec2::NAN, DVec2::ZERO).is_err());
    assert!(graph.flights(DVec2::ZERO, DVec2::ZERO).is_err());
}

#[test]
fn preferences() {
    let graph = level(7, JumpRule::default());
    let cell = ground(&graph)[0];
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let preference = Preference::BigJumps { at_least: bad };
        let stay = Move { from: cell, to: cell, kind: MoveKind::Walk };
        let plan = graph.plan(cell, cell, preference).unwrap_err();
        let cost = graph.cost(&stay, preference).unwrap_err();
        for error in [plan, cost] {
            assert!(matches!(error, JumpError::Value(_)) && error.to_string().contains("at_least"));
        }
    }
    let none = Preference::BigJumps { at_least: 0.0 };
    assert!(graph.plan(cell, cell, none).unwrap().is_some());
}

#[test]
fn refused_edits_change_nothing() {
    let mut level = Level::new(level(7, JumpRule::default()), None).unwrap();
    let before = (level.graph().terrain().clone(), level.counts(), level.region_count());
    assert!(level.set_height([0, 0], f64::NAN).is_err());
    assert!(level.set_height([99, 0], 1.0).is_err());
    assert!(level.set_no_go([0, 99], true).is_err());
    assert_eq!(before, (level.graph().terrain().clone(), level.counts(), level.region_count()));
}

#[test]
fn indices_and_audits_know_their_level_and_its_border() {
    let flat = |columns: usize| {
        let heights = Array2::zeros([3, columns]);
        let no_go = Array2::from_shape_fn([3, columns], |cell| cell == (0, 1));
        let terrain = Terrain::builder(&heights).no_go(&no_go).build().unwrap();
        JumpGraph::new(terrain, Character::builder(3.0).build().unwrap()).unwrap()
    };
    let (mut small, large) = (flat(3), flat(9));
    let (index, audit) = (small.reach_index(), small.audit(Some([0, 0])).unwrap());
    let ask = |graph: &JumpGraph, to| graph.exists([0, 0], to, SearchOver::Index(&index));
    assert!(ask(&small, [2, 2]).unwrap().exists);
    let other = ask(&large, [2, 8]);
    assert!(matches!(other, Err(JumpError::OtherLevel { found: 9, expected: 27 })), "{other:?}");
    small.set_no_go([0, 1], false).unwrap();
    assert!(matches!(ask(&small, [0, 1]), Err(JumpError::OtherLevel { .. })));
    let now = small.audit(Some([0, 0])).unwrap();
    let cuts = small.cuts(&now, Ways::FromStart).unwrap();
    for cell in [[3, 0], [0, 3], [1 << 62, 0], [usize::MAX, 1]] {
        let ground = small.terrain();
        assert_eq!(audit.region(ground, cell), None, "{cell:?}");
        assert!(!audit.is_reached(ground, cell), "{cell:?}");
        assert_eq!(cuts.on_every_way(ground, cell), None);
        assert_eq!(small.speed_steps([0, 0]).unwrap().least(ground, cell), None);
    }
}

/// A block 1 m high and 1.5 m long, which nobody can stand on, wants a run-up of 0.47 m at 6 m/s.
#[test]
fn a_long_block_wants_a_run_up() {
    let size = 0.05;
    let block = |x: usize| (20..50).contains(&x);
    let heights = Array2::from_shape_fn((1, 80), |(_, x)| f64::from(block(x)));
    let no_go = heights.map(|&z| z > 0.0);
    let terrain = Terrain::builder(&heights).cell_size(size).no_go(&no_go).build().unwrap();
    let character = Character::builder(6.0).gravity(9.81).build().unwrap();
    let graph = JumpGraph::new(terrain, character).unwrap();
    let clears = |run_up: usize| {
        let jump = |to| graph.jump([0, 20 - run_up], [0, to]).unwrap();
        (50..80).any(|to| matches!(jump(to), jump_planner::Jump::Clear(_)))
    };
    // Cells of 5 cm: the ninth one before the block reaches back to 0.45 m, the tenth to 0.5 m.
    assert!(!clears(9) && clears(10));
}
