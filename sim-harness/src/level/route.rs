//! Files of routes: a cell `C,R` a line.

use super::{CellFault, LevelError};
use crate::input;
use crate::maps::printable;
use jump_planner::{Cell, JumpError, JumpGraph, Preference, Shortcut, ShortcutRule};
use std::path::Path;

/// The cells `[row, column]` of a file with their lines, in its order. Empty lines and what follows
/// a `#` do not count.
pub(super) fn read(path: &Path) -> Result<Vec<(usize, Cell)>, LevelError> {
    let fail = |what| refuse(path, what);
    let text = input::read_text(path).map_err(|e| fail(format!("cannot be read: {e}")))?;
    let mut cells = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let numbers: Option<Vec<usize>> = line.split(',').map(|n| n.trim().parse().ok()).collect();
        let Some(&[column, row]) = numbers.as_deref() else {
            let given: String = printable(line).chars().take(40).collect();
            return Err(fail(format!("line {number}: {given}: must be C,R, whole numbers from 0")));
        };
        cells.push((number, [row, column]));
    }
    if cells.len() < 2 {
        return Err(fail(format!("has {} cells, a route has two or more", cells.len())));
    }
    Ok(cells)
}

/// The route through the cells of a file, and the ways that skip a part of it.
pub(super) fn through(
    graph: &JumpGraph,
    path: &Path,
    stops: &[(usize, Cell)],
    rule: ShortcutRule,
) -> Result<(Vec<Cell>, Vec<Shortcut>), LevelError> {
    let fail = |&(line, [row, column]): &(usize, Cell), why: &dyn std::fmt::Display| {
        refuse(path, format!("line {line}: {column},{row}: {why}"))
    };
    for stop in stops {
        if let Some(fault) = CellFault::of(graph, stop.1) {
            return Err(fail(stop, &fault));
        }
    }
    let cells: Vec<Cell> = stops.iter().map(|&(_, cell)| cell).collect();
    let route = graph.route_through(&cells, Preference::FewestJumps);
    let route = route.map_err(|e| match e {
        JumpError::Route { place, why, .. } => {
            stops.get(place).map_or_else(|| e.into(), |stop| fail(stop, &why))
        }
        other => other.into(),
    })?;
    let shortcuts = graph.shortcuts(&route, rule);
    let shortcuts = shortcuts.map_err(|e| match e {
        JumpError::Route { why, .. } => refuse(path, why.to_owned()),
        other => other.into(),
    })?;
    Ok((route, shortcuts))
}

fn refuse(path: &Path, what: String) -> LevelError {
    LevelError::Route { file: printable(&path.to_string_lossy()), what }
}
