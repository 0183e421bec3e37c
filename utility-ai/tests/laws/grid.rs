//! Grids against graphs that are built by hand.

use super::worlds::{grid, walls};
use proptest::prelude::*;
use utility_ai::ndarray::{Array2, Array3};
use utility_ai::{
    DistanceField, Graph, GridSteps, Neighbours, StepLengths, UtilityError,
    petgraph::graph::UnGraph,
};

fn edges(graph: &Graph) -> Vec<(usize, usize, u64)> {
    let of = |from| graph.steps(from).map(move |step| (from, step.to, step.length.to_bits()));
    graph.nodes().flat_map(of).collect()
}

fn neighbours(eight: bool) -> Neighbours {
    if eight { Neighbours::Eight } else { Neighbours::Four }
}

proptest! {
    #[test]
    fn a_grid_is_the_graph_that_one_would_build_by_hand(
        width in 1_usize..9, height in 1_usize..9, share in 0.0..0.6, seed: u64, eight: bool,
    ) {
        let walls = walls(width * height, share, seed);
        let array = Array2::from_shape_vec([height, width], walls.clone()).unwrap();
        let made = Graph::from_walls(&array, neighbours(eight)).unwrap();
        let by_hand = grid(width, &walls, eight);
        let pairs = |graph| edges(graph).iter().map(|e| (e.0, e.1)).collect::<Vec<_>>();
        prop_assert_eq!(pairs(&made), pairs(&by_hand));
        // The quantum is chosen for the longest step that a door may bring.
        for (a, b) in edges(&made).iter().zip(&edges(&by_hand)) {
            prop_assert!((f64::from_bits(a.2) - f64::from_bits(b.2)).abs() < 1e-12);
        }
        for node in made.nodes() {
            let cell: [usize; 2] = made.cell(node).unwrap();
            prop_assert_eq!(cell, [node / width, node % width]);
            prop_assert_eq!(made.node(cell).unwrap(), node);
            prop_assert_eq!(made.is_wall(cell).unwrap(), walls[node]);
            prop_assert_eq!(made.cell::<3>(node), None);
        }
    }

    #[test]
    fn walls_that_come_and_go_leave_the_graph_of_the_walls_there_are(
        size in prop::array::uniform3(1_usize..5), share in 0.0..0.6, seed: u64, eight: bool, hops: bool,
        edits in prop::collection::vec((prop::array::uniform3(0_usize..5), any::<bool>()), 1..20),
    ) {
        let cells = size.iter().product();
        let mut walls = Array3::from_shape_vec(size, walls(cells, share, seed)).unwrap();
        let lengths = if hops { StepLengths::Hops } else { StepLengths::Straight };
        let steps = GridSteps { neighbours: neighbours(eight), lengths, spacing: 0.5 };
        let mut graph = Graph::from_walls(&walls, steps).unwrap();
        let mut field = DistanceField::new(&graph, &[0]).unwrap();
        for (cell, wall) in edits {
            let cell = [0, 1, 2].map(|axis| cell[axis] % size[axis]);
            walls[cell] = wall;
            graph.set_wall(cell, wall).unwrap();
            let new = Graph::from_walls(&walls, steps).unwrap();
            prop_assert_eq!(edges(&graph), edges(&new));
            field.update(&graph).unwrap();
            let expected = DistanceField::new(&new, &[0]).unwrap();
            prop_assert_eq!(field.values(), expected.values());
        }
    }
}

#[test]
fn a_flat_grid_in_3d_is_the_2d_one_and_a_cube_has_26_neighbours() {
    let flat = walls(42, 0.3, 7);
    let two = Array2::from_shape_vec([6, 7], flat.clone()).unwrap();
    let three = Array3::from_shape_vec([1, 6, 7], flat).unwrap();
    let [two, three] = [
        Graph::from_walls(&two, Neighbours::Eight).unwrap(),
        Graph::from_walls(&three, Neighbours::Eight).unwrap(),
    ];
    assert!(edges(&two).iter().zip(edges(&three)).all(|(a, b)| (a.0, a.1) == (b.0, b.1)));
    assert_eq!(edges(&two).len(), edges(&three).len());

    let mut cube = Array3::from_elem([3; 3], false);
    for (neighbours, inner, corner) in [(Neighbours::Four, 6, 3), (Neighbours::Eight, 26, 7)] {
        let graph = Graph::from_walls(&cube, neighbours).unwrap();
        assert_eq!((graph.steps(13).len(), graph.steps(0).len()), (inner, corner));
    }
    // A wall beside the step to a corner forbids it, and no other.
    cube[[0, 0, 1]] = true;
    let graph = Graph::from_walls(&cube, Neighbours::Eight).unwrap();
    assert_eq!(graph.length(0, 13), None);
    assert!((graph.length(6, 13).unwrap() - 3.0_f64.sqrt()).abs() < 1e-12);
    assert!((graph.length(0, 12).unwrap() - 2.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_step_taken_away_by_hand_stays_away_when_a_wall_elsewhere_changes() {
    let walls = Array2::from_elem([3, 3], false);
    let mut graph = Graph::from_walls(&walls, Neighbours::Eight).unwrap();
    graph.set_length(0, 1, None).unwrap();
    graph.set_length(4, 5, Some(2.5)).unwrap();
    graph.set_wall([2, 2], true).unwrap();
    graph.set_wall([2, 2], false).unwrap();
    // This one is free.
    graph.set_wall([0, 1], false).unwrap();
    assert_eq!((graph.length(0, 1), graph.length(4, 5)), (None, Some(2.5)));
}

#[test]
fn what_is_no_cell_is_refused() {
    let graph = Graph::from_walls(&Array2::from_elem([2, 3], false), Neighbours::Four).unwrap();
    let outside = UtilityError::NoCell { cell: vec![2, 0], shape: vec![2, 3] };
    assert_eq!(graph.node([2, 0]), Err(outside));
    assert!(graph.node([0, 0, 0]).is_err());
    assert_eq!(graph.cell::<2>(6), None);
    let line = utility_ai::ndarray::Array1::from_elem([4], false);
    let axes = Graph::from_walls(&line, Neighbours::Four).err();
    assert_eq!(axes, Some(UtilityError::Axes { axes: 1 }));
    let none = Graph::from_walls(&Array2::from_elem([0, 3], false), Neighbours::Four).err();
    assert_eq!(none, Some(UtilityError::NodeCount { nodes: 0 }));
    let steps = GridSteps { spacing: f64::NAN, ..Neighbours::Four.into() };
    let wrong = Graph::from_walls(&Array2::from_elem([2, 3], false), steps).err();
    assert!(matches!(wrong, Some(UtilityError::Value { what: "spacing", .. })));

    let petgraph = UnGraph::<(), ()>::from_edges([(0, 1)]);
    let mut plain = Graph::freeze(&petgraph, |_| 1.0).unwrap();
    assert_eq!(plain.node([0, 0]), Err(UtilityError::NoCell { cell: vec![0, 0], shape: vec![] }));
    assert!(plain.set_wall([0, 0], true).is_err());
}

#[test]
fn a_door_may_open_in_what_was_all_wall() {
    let steps = GridSteps { spacing: 20.0, ..Neighbours::Eight.into() };
    let mut graph = Graph::from_walls(&Array2::from_elem([2, 2], true), steps).unwrap();
    for cell in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        graph.set_wall(cell, false).unwrap();
    }
    assert!((graph.length(0, 3).unwrap() - 20.0 * 2.0_f64.sqrt()).abs() < 1e-9);
}
