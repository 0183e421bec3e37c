//! Files of routes: a cell `C,R` a line.

use super::LevelError;
use crate::maps::printable;
use jump_planner::Cell;
use std::fs;
use std::path::Path;

/// The cells `[row, column]` of a file, in its order. Empty lines and what follows a `#` do not count.
pub(super) fn read(path: &Path) -> Result<Vec<Cell>, LevelError> {
    let file = printable(&path.to_string_lossy());
    let fail = |what: String| LevelError::Route { file: file.clone(), what };
    let text = fs::read_to_string(path).map_err(|e| fail(format!("cannot be read: {e}")))?;
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
        cells.push([row, column]);
    }
    if cells.len() < 2 {
        return Err(fail(format!("has {} cells, a route has two or more", cells.len())));
    }
    Ok(cells)
}
