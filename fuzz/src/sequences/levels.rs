//! Edits of a level: graph and audit are those of a level that is built at once.

use arbitrary::{Arbitrary, Unstructured};
use jump_planner::{Character, Finding, JumpGraph, JumpRule, Level, PlaceName, Terrain};
use ndarray::Array2;
use std::mem::{Discriminant, discriminant};

/// `[units: cells]` The longest side.
const SIDE: u8 = 8;
/// `[units: edits]` The longest sequence.
const EDITS: usize = 24;

#[derive(Debug, Arbitrary)]
struct Play {
    rows: u8,
    columns: u8,
    heights: Vec<i8>,
    /// Tenths of the launch speed above 2.5.
    tenths: u8,
    body: bool,
    published: bool,
    start: Option<u8>,
    edits: Vec<Edit>,
}

#[derive(Debug, Arbitrary)]
enum Edit {
    Height(u8, i8),
    NoGo(u8, bool),
    Look,
}

/// A level and its edits.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    let [rows, columns] = [play.rows, play.columns].map(|n| usize::from(n % SIDE) + 1);
    let cell = |number: u8| {
        let i = usize::from(number) % (rows * columns);
        [i / columns, i % columns]
    };
    let height = |number: i8| 0.5 * f64::from(number % 16);
    let mut given = play.heights.iter().copied();
    let heights =
        Array2::from_shape_simple_fn([rows, columns], || height(given.next().unwrap_or(0)));
    let Ok(terrain) = Terrain::builder(&heights).build() else { return };
    let mut character = Character::builder(2.5 + 0.1 * f64::from(play.tenths % 40));
    if play.body && !play.published {
        character = character.body(0.25, 1.0);
    }
    let rule = if play.published { JumpRule::Published } else { JumpRule::default() };
    let character = character.build().expect("the character is sound");
    let graph = JumpGraph::with_rule(terrain, character, rule).expect("it fits the terrain");
    let start = play.start.map(cell);
    let mut level = Level::new(graph, start).expect("all cells are ground");
    for edit in play.edits.iter().take(EDITS).chain([&Edit::Look]) {
        match *edit {
            Edit::Height(number, to) => {
                level.set_height(cell(number), height(to)).expect("there are no ceilings");
            }
            Edit::NoGo(number, no_go) => {
                // Refused for the start and for the last ground there is.
                let before = level.graph().terrain().clone();
                if level.set_no_go(cell(number), no_go).is_err() {
                    assert_eq!(level.graph().terrain(), &before);
                }
            }
            Edit::Look => look(&level, start),
        }
    }
}

fn look(level: &Level, start: Option<[usize; 2]>) {
    let graph = level.graph();
    let (terrain, character) = (graph.terrain(), *graph.character());
    let [rows, columns] = terrain.shape();
    let rebuilt =
        JumpGraph::with_rule(terrain.clone(), character, graph.rule()).expect("it was built");
    let audit = rebuilt.audit(start).expect("the start is ground");
    for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x])) {
        assert_eq!(level.graph().moves(cell), rebuilt.moves(cell), "{cell:?}");
        assert_eq!(level.region(cell), audit.region(terrain, cell), "{cell:?}");
        if rebuilt.can_stand(cell) {
            assert_eq!(level.is_reached(cell), audit.is_reached(terrain, cell), "{cell:?}");
        }
    }
    assert_eq!(level.region_count(), audit.region_count());
    assert_eq!(level.counts(), audit.counts());
    assert_eq!((level.traps(), level.one_way()), (audit.traps(), audit.one_way()));
    assert_eq!(kinds(level.findings()), kinds(audit.findings()));
}

/// The subjects of findings, without the moves that show them: a level may have other moves than an
/// audit.
pub(super) fn kinds<P: PlaceName>(
    findings: &[Finding<P>],
) -> Vec<(Discriminant<Finding<P>>, usize)> {
    findings.iter().map(|f| (discriminant(f), f.cells())).collect()
}
