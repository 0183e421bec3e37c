//! Edits of columns with storeys: graph and audit are those of a level that is built at once, and
//! every jump that is found has a flight.

use super::levels::kinds;
use arbitrary::{Arbitrary, Unstructured};
use jump_planner::{Character, JumpGraph, Level, MoveKind, Place, Span, SpanTerrain};
use ndarray::Array2;

/// `[units: cells]` The longest side.
const SIDE: u8 = 5;
/// `[units: spans]` The most of a column.
const SPANS: usize = 4;
/// `[units: edits]` The longest sequence.
const EDITS: usize = 16;

#[derive(Debug, Arbitrary)]
struct Play {
    rows: u8,
    columns: u8,
    spans: Vec<Vec<Floor>>,
    /// Tenths of the launch speed above 2.5.
    tenths: u8,
    /// Quarters of a cell's side, of radius and height.
    body: (u8, u8),
    start: Option<(u8, u8)>,
    edits: Vec<(u8, Vec<Floor>, bool)>,
}

/// A span in quarters of a cell's side.
#[derive(Debug, Arbitrary)]
struct Floor {
    bottom: i8,
    thick: u8,
    no_go: bool,
}

fn column(floors: &[Floor]) -> Vec<Span> {
    let span = |floor: &Floor| {
        let bottom = 0.25 * f64::from(floor.bottom % 32);
        let mut span = Span::new(bottom, bottom + 0.25 * f64::from(floor.thick % 16));
        span.no_go = floor.no_go;
        span
    };
    floors.iter().take(SPANS).map(span).collect()
}

/// A level with storeys and its edits.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let [rows, columns] = [play.rows, play.columns].map(|n| usize::from(n % SIDE) + 1);
    let mut given = play.spans.iter();
    let mut spans = Array2::from_shape_simple_fn([rows, columns], || {
        given.next().map_or_else(|| vec![Span::ground(0.0)], |floors| column(floors))
    });
    let Ok(terrain) = SpanTerrain::builder(&spans).build() else { return };
    let [radius, height] = [play.body.0 % 2, play.body.1 % 8].map(|n| 0.25 * f64::from(n));
    let character = Character::builder(2.5 + 0.1 * f64::from(play.tenths % 40));
    let character = character.body(radius, height).build().expect("the character is sound");
    let Ok(graph) = JumpGraph::new(terrain, character) else { return };
    let cell = |number: u8| {
        let i = usize::from(number) % (rows * columns);
        [i / columns, i % columns]
    };
    let start = play.start.map(|(number, storey)| {
        let cell = cell(number);
        Place { cell, storey: usize::from(storey) % graph.terrain().storeys(cell).max(1) }
    });
    let Ok(mut level) = Level::new(graph, start) else { return };
    for (number, floors, looks) in play.edits.iter().take(EDITS) {
        let (cell, floors) = (cell(*number), column(floors));
        let before = level.graph().terrain().clone();
        if level.set_spans(cell, &floors).is_ok() {
            spans[cell] = floors;
        } else {
            assert_eq!(level.graph().terrain(), &before);
        }
        if *looks {
            look(&level, &spans);
        }
    }
    look(&level, &spans);
}

fn look(level: &Level<SpanTerrain>, spans: &Array2<Vec<Span>>) {
    let terrain = SpanTerrain::builder(spans).build().expect("it was built before");
    assert_eq!(level.graph().terrain(), &terrain);
    let Ok(rebuilt) = JumpGraph::new(terrain, *level.graph().character()) else {
        // Edits may take away all headroom, of which no graph is made.
        let ours = level.graph();
        assert!(ours.terrain().places().all(|place| !ours.can_stand(place)));
        return;
    };
    let audit = rebuilt.audit(level.start()).expect("the start is ground");
    let terrain = rebuilt.terrain();
    for place in terrain.places() {
        let moves = rebuilt.moves(place);
        assert_eq!(level.graph().moves(place), moves, "{place:?}");
        for step in moves.iter().filter(|step| step.kind == MoveKind::Jump) {
            assert!(rebuilt.witness(step).is_some(), "{step:?} has no flight");
        }
        assert_eq!(level.region(place), audit.region(terrain, place), "{place:?}");
        assert_eq!(level.is_reached(place), audit.is_reached(terrain, place), "{place:?}");
    }
    assert_eq!(level.region_count(), audit.region_count());
    assert_eq!(level.counts(), audit.counts());
    assert_eq!(kinds(level.findings()), kinds(audit.findings()));
}
