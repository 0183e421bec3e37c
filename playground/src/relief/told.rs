//! Findings in words, with the moves that show them.

use super::{TOLD, turned};
use jump_planner::{Cell, Cut, CutAt, Finding, JumpGraph, Move, MoveKind, Shortcut};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Points of an arc.
const POINTS: usize = 33;

/// Findings, the worst of each kind; how many there are of each.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) counts: BTreeMap<&'static str, usize>,
    pub(super) items: Vec<Value>,
}

impl Told {
    fn push(
        &mut self,
        kind: &'static str,
        told: impl FnOnce() -> (String, Option<Cell>, Vec<Move>),
    ) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= TOLD {
            let (text, cell, moves) = told();
            let moves: Vec<_> = moves.into_iter().map(step).collect();
            let cell = cell.map(turned);
            self.items.push(json!({"kind": kind, "text": text, "cell": cell, "moves": moves}));
        }
    }

    pub(super) fn finding(&mut self, finding: &Finding) {
        match *finding {
            Finding::Trap { cell, cells, entrance } => self.push("trap", || {
                let text = format!("{}: {cells} cells, entered by {}", at(cell), words(&entrance));
                (text, Some(cell), vec![entrance])
            }),
            Finding::Unreachable { cell, cells, exit } => self.push("not reached", || {
                let out =
                    exit.map_or_else(String::new, |exit| format!(", left by {}", words(&exit)));
                (
                    format!("{}: {cells} cells{out}", at(cell)),
                    Some(cell),
                    exit.into_iter().collect(),
                )
            }),
            Finding::OneWay { passage, from_cells, to_cells } => self.push("one way", || {
                let text = format!("{}, {from_cells} cells into {to_cells}", words(&passage));
                (text, Some(passage.to), vec![passage])
            }),
            Finding::Marginal { ends: [from, to], cells } => self.push("marginal", || {
                let jump = Move { from, to, kind: MoveKind::Jump };
                let text = format!("{} to {}: {cells} cells", at(from), at(to));
                (text, Some(to), vec![jump])
            }),
            // Kinds to come: add the text of a new one here.
            _ => {}
        }
    }

    pub(super) fn cut(&mut self, kind: &'static str, cut: &Cut) {
        self.push(kind, || {
            let (what, moves) = match cut.at {
                CutAt::Cell(cell) => (at(cell), Vec::new()),
                CutAt::Move(lost) => (words(&lost), vec![lost]),
            };
            let cell = match cut.at {
                CutAt::Cell(cell) => cell,
                CutAt::Move(lost) => lost.from,
            };
            let text =
                format!("without {what} {} cells are lost, as {}", cut.lost, at(cut.example));
            (text, Some(cell), moves)
        });
    }

    pub(super) fn shortcut(&mut self, shortcut: &Shortcut) {
        self.push("shortcut", || {
            let ends = shortcut.way.first().zip(shortcut.way.last());
            let way = ends.map_or_else(String::new, |(first, last)| {
                format!("{} to {} ", at(first.from), at(last.to))
            });
            let first = shortcut.way.first().map(|step| step.from);
            (format!("{way}skips {} cells", shortcut.skipped), first, shortcut.way.clone())
        });
    }
}

/// A move as the page has it.
pub(super) fn step(step: Move) -> Value {
    json!({"from": turned(step.from), "to": turned(step.to), "kind": word(step.kind)})
}

fn word(kind: MoveKind) -> &'static str {
    match kind {
        MoveKind::Walk => "walk",
        MoveKind::Fall => "fall",
        MoveKind::Jump => "jump",
    }
}

fn words(step: &Move) -> String {
    format!("a {} from {} to {}", word(step.kind), at(step.from), at(step.to))
}

fn at(cell: Cell) -> String {
    let [column, row] = turned(cell);
    format!("[{column}, {row}]")
}

/// How a move is done: points `[x, y, z]`, the ground under them (`null` where there is none), and
/// of a jump its figures.
pub(super) fn arc(graph: &JumpGraph, step: &Move) -> Value {
    let terrain = graph.terrain();
    let flight = graph.witness(step);
    let stands = |cell: Cell| {
        let centre = terrain.centre(cell);
        [centre.x, centre.y, terrain.height(cell).unwrap_or(0.0)]
    };
    let ends = [stands(step.from), stands(step.to)];
    let points: Vec<[f64; 3]> = (0..POINTS)
        .map(|n| {
            let part = n as f64 / (POINTS - 1) as f64;
            match &flight {
                Some(flight) => flight.position_at(part * flight.flight_time).to_array(),
                None => std::array::from_fn(|a| ends[0][a] + part * (ends[1][a] - ends[0][a])),
            }
        })
        .collect();
    let below =
        |[x, y, _]: [f64; 3]| terrain.cell_at([x, y].into()).and_then(|cell| terrain.height(cell));
    let ground: Vec<_> = points.iter().copied().map(below).collect();
    let flown = flight.map(|flight| {
        json!({
            "speed": flight.velocity.length(),
            "degrees": flight.angle.to_degrees(),
            "margin": flight.margin,
            "time": flight.flight_time,
            "least_speed": graph.least_launch_speed(step.from, step.to).ok().flatten(),
        })
    });
    json!({"kind": word(step.kind), "points": points, "ground": ground, "flight": flown})
}
