//! Walls of a grid that come and go: the graph, and a field that follows it, are those of a grid
//! that has the walls from the start.

use arbitrary::{Arbitrary, Unstructured};
use ndarray::Array;
use utility_ai::{DistanceField, Graph, Neighbours};

/// `[units: cells]` The longest side.
const SIDE: u8 = 7;
/// `[units: edits]` The longest sequence.
const EDITS: usize = 64;

#[derive(Debug, Arbitrary)]
struct Play {
    /// z, y, x.
    size: [u8; 3],
    deep: bool,
    all_neighbours: bool,
    walls: Vec<u8>,
    goal: u16,
    edits: Vec<(u16, bool, bool)>,
}

/// A grid and its edits.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let [depth, height, width] = play.size.map(|n| usize::from(n % SIDE) + 1);
    if play.deep {
        let cell = |i| [i / width / height, i / width % height, i % width];
        follow(&play, [depth, height, width], cell);
    } else {
        follow(&play, [height, width], |i| [i / width, i % width]);
    }
}

fn follow<const AXES: usize>(
    play: &Play,
    shape: [usize; AXES],
    cell: impl Fn(usize) -> [usize; AXES],
) {
    let cells: usize = shape.iter().product();
    let wall = |i: usize| play.walls.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
    let mut walls = Array::from_shape_fn(&shape[..], |_| false);
    walls.iter_mut().enumerate().for_each(|(i, w)| *w = wall(i));
    let neighbours = if play.all_neighbours { Neighbours::Eight } else { Neighbours::Four };
    let Ok(mut graph) = Graph::from_walls(&walls, neighbours) else { return };
    let goal = usize::from(play.goal) % cells;
    let mut field = DistanceField::new(&graph, &[goal]).expect("a wall is a node, too");
    for (i, &(at, becomes, look)) in play.edits.iter().take(EDITS).enumerate() {
        let at = cell(usize::from(at) % cells);
        graph.set_wall(at, becomes).expect("the cell is in the grid");
        walls[&at[..]] = becomes;
        assert_eq!(graph.is_wall(at), Ok(becomes));
        if !look && i + 1 < play.edits.len().min(EDITS) {
            continue;
        }
        let rebuilt = Graph::from_walls(&walls, neighbours).expect("it was built before");
        for node in 0..cells {
            assert!(graph.steps(node).eq(rebuilt.steps(node)), "steps of {node}");
        }
        field.update(&graph).expect("the goal is there");
        let fresh = DistanceField::new(&rebuilt, &[goal]).expect("the goal is there");
        assert_eq!(field.values(), fresh.values());
    }
}
