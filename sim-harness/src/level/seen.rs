//! Cells as users see them, `[column, row]`, as they type them: of what jump-planner tells by
//! `[row, column]`, copies to be written.

use jump_planner::{Cut, CutAt, Finding, Move, Shortcut, SpeedStep};

/// `[column, row]` of `[row, column]`, and the other way round.
pub(super) fn cell([a, b]: [usize; 2]) -> [usize; 2] {
    [b, a]
}

fn step(step: Move) -> Move {
    Move { from: cell(step.from), to: cell(step.to), kind: step.kind }
}

pub(super) fn finding(finding: &Finding) -> Finding {
    match finding.clone() {
        Finding::Trap { cell: at, cells, entrance } => {
            Finding::Trap { cell: cell(at), cells, entrance: step(entrance) }
        }
        Finding::Unreachable { cell: at, cells, exit } => {
            Finding::Unreachable { cell: cell(at), cells, exit: exit.map(step) }
        }
        Finding::OneWay { passage, from_cells, to_cells } => {
            Finding::OneWay { passage: step(passage), from_cells, to_cells }
        }
        Finding::Marginal { ends, cells } => Finding::Marginal { ends: ends.map(cell), cells },
        // Kinds to come: whoever adds one turns its cells here.
        other => other,
    }
}

pub(super) fn cut(cut: &Cut) -> Cut {
    let at = match cut.at {
        CutAt::Cell(at) => CutAt::Cell(cell(at)),
        CutAt::Move(at) => CutAt::Move(step(at)),
    };
    Cut { at, lost: cut.lost, example: cell(cut.example) }
}

pub(super) fn shortcut(shortcut: &Shortcut) -> Shortcut {
    let way = shortcut.way.iter().copied().map(step).collect();
    Shortcut { way, ..shortcut.clone() }
}

pub(super) fn speed(speed: &SpeedStep) -> SpeedStep {
    SpeedStep { witness: speed.witness.map(step), ..*speed }
}
