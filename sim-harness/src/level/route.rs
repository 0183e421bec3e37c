//! Files of routes: a cell `C,R` a line, or a place `C,R,Z` where there are storeys.

use super::LevelError;
use super::seen::{Ground, Named};
use crate::input;
use crate::maps::printable;
use jump_planner::{JumpError, JumpGraph, Preference, Shortcut, ShortcutRule};
use std::path::Path;

/// The cells that a file names, with its lines, in its order. Empty lines and text after a `#` do
/// not count.
pub(super) fn read(path: &Path, has_storeys: bool) -> Result<Vec<(usize, Named)>, LevelError> {
    let fail = |what| refuse(path, what);
    let text = input::read_text(path).map_err(|e| fail(format!("cannot be read: {e}")))?;
    let mut cells = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let Some(named) = named(line, has_storeys) else {
            let given: String = printable(line).chars().take(40).collect();
            let must = if has_storeys { "C,R or C,R,Z" } else { "C,R, whole numbers from 0" };
            return Err(fail(format!("line {number}: {given}: must be {must}")));
        };
        cells.push((number, named));
    }
    if cells.len() < 2 {
        return Err(fail(format!("has {} cells, a route has two or more", cells.len())));
    }
    Ok(cells)
}

/// A place as it is typed, `C,R`, or `C,R,Z` where there are storeys.
pub fn named(text: &str, has_storeys: bool) -> Option<Named> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let whole = |part: &str| part.parse().ok();
    match parts[..] {
        [column, row] => Some(([whole(column)?, whole(row)?], None)),
        [column, row, z] if has_storeys => {
            let z: f64 = z.parse().ok()?;
            Some(([whole(column)?, whole(row)?], Some(z)))
        }
        _ => None,
    }
}

/// A route, and the ways that skip a part of it.
pub(super) type Routed<P> = (Vec<P>, Vec<Shortcut<P>>);

/// The route through the places of a file, and the ways that skip a part of it.
pub(super) fn through<T: Ground>(
    graph: &JumpGraph<T>,
    path: &Path,
    stops: &[(usize, Named)],
    rule: ShortcutRule,
) -> Result<Routed<T::Place>, LevelError> {
    let fail = |&(line, ([column, row], z)): &(usize, Named), why: &dyn std::fmt::Display| {
        let z = z.map_or_else(String::new, |z| format!(",{z}"));
        refuse(path, format!("line {line}: {column},{row}{z}: {why}"))
    };
    let mut cells = Vec::new();
    for stop in stops {
        cells.push(T::named(graph, stop.1).map_err(|fault| fail(stop, &fault))?);
    }
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
