//! Terrains and characters of any numbers: they are refused, or a level's regions are those of
//! petgraph, and every jump has a flight.

use crate::refusal;
use arbitrary::{Arbitrary, Unstructured};
use jump_planner::{Character, JumpGraph, MoveGraph, MoveKind, Terrain};
use ndarray::Array2;
use petgraph::algo::tarjan_scc;
use petgraph::visit::NodeIndexable;

/// `[units: cells]` The longest side.
const SIDE: u8 = 5;

#[derive(Debug, Arbitrary)]
struct Play {
    rows: u8,
    columns: u8,
    heights: Vec<Number>,
    no_go: Option<Vec<bool>>,
    ceilings: Option<Vec<Number>>,
    no_data: Option<Number>,
    cell_size: Option<Number>,
    height_scale: Option<Number>,
    quantum: Option<Number>,
    launch_speed: Number,
    gravity: Option<Number>,
    step_height: Option<Number>,
    max_fall: Option<Number>,
    body: Option<(Number, Number)>,
}

/// A number: mostly one of a level's, sometimes any.
#[derive(Clone, Copy, Debug, Arbitrary)]
enum Number {
    Half(i8),
    Tenth(u8),
    Any(f64),
    Large,
}

impl Number {
    fn value(self) -> f64 {
        match self {
            Self::Half(n) => 0.5 * f64::from(n % 16),
            Self::Tenth(n) => 0.1 * f64::from(n),
            Self::Any(value) => value,
            Self::Large => f64::INFINITY,
        }
    }
}

/// A terrain and a character.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let shape = [play.rows, play.columns].map(|n| usize::from(n % SIDE) + 1);
    let array = |numbers: &[Number], rest: f64| {
        let mut numbers = numbers.iter().map(|n| n.value());
        Array2::from_shape_simple_fn(shape, || numbers.next().unwrap_or(rest))
    };
    let heights = array(&play.heights, 0.0);
    let ceilings = play.ceilings.as_ref().map(|numbers| array(numbers, f64::INFINITY));
    let no_go = play.no_go.as_ref().map(|all| {
        let mut all = all.iter().copied();
        Array2::from_shape_simple_fn(shape, || all.next().unwrap_or(false))
    });
    let mut builder = Terrain::builder(&heights);
    if let Some(ceilings) = &ceilings {
        builder = builder.ceilings(ceilings);
    }
    if let Some(no_go) = &no_go {
        builder = builder.no_go(no_go);
    }
    if let Some(number) = play.no_data {
        builder = builder.no_data(number.value());
    }
    if let Some(number) = play.cell_size {
        builder = builder.cell_size(number.value());
    }
    if let Some(number) = play.height_scale {
        builder = builder.height_scale(number.value());
    }
    if let Some(number) = play.quantum {
        builder = builder.quantum(number.value());
    }
    let mut character = Character::builder(play.launch_speed.value());
    if let Some(number) = play.gravity {
        character = character.gravity(number.value());
    }
    if let Some(number) = play.step_height {
        character = character.step_height(number.value());
    }
    if let Some(number) = play.max_fall {
        character = character.max_fall(number.value());
    }
    if let Some((radius, height)) = play.body {
        character = character.body(radius.value(), height.value());
    }
    let terrain = refusal::accepted(builder.build());
    let character = refusal::accepted(character.build());
    let (Some(terrain), Some(character)) = (terrain, character) else { return };
    let Some(graph) = refusal::accepted(JumpGraph::new(terrain, character)) else { return };
    regions(&graph);
}

fn regions(graph: &JumpGraph) {
    let Some(audit) = refusal::accepted(graph.audit(None)) else { return };
    let [rows, columns] = graph.terrain().shape();
    let cells = || (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x]));
    // Components of petgraph by the least cell of each, which numbers the audit's regions.
    let mut component = vec![None; rows * columns];
    let view = MoveGraph(graph);
    for mut cells in tarjan_scc(view) {
        cells.sort_unstable();
        for &cell in &cells {
            component[view.to_index(cell)] = Some(cells[0]);
        }
    }
    let mut firsts = Vec::new();
    for cell in cells() {
        if !graph.can_stand(cell) {
            assert_eq!(audit.region(graph.terrain(), cell), None, "{cell:?}");
            continue;
        }
        let region = audit.region(graph.terrain(), cell).expect("it is ground");
        if region == firsts.len() {
            firsts.push(cell);
        }
        assert_eq!(component[view.to_index(cell)], firsts.get(region).copied(), "{cell:?}");
        for step in graph.moves(cell) {
            let flies = step.kind == MoveKind::Jump;
            assert!(!flies || graph.witness(&step).is_some(), "{step:?} has no flight");
        }
    }
    assert_eq!(audit.region_count(), firsts.len());
}
