//! `.scen` and `.3dscen`: pairs of cells and the length of the shortest way between them.

use std::path::Path;

use super::error::{self, MapError, printable};
use super::lines::{Line, Lines};
use super::{MAX_AXIS, MapFile, extension};

/// A start, a goal and how far apart they are. Both ends lie on the map; either may be blocked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// `[z, y, x]`
    pub start: [usize; 3],
    /// `[z, y, x]`
    pub goal: [usize; 3],
    /// The published length of a shortest way, in cells: finite, never negative. Some files write 0
    /// for a goal that cannot be reached.
    pub optimal: f64,
    /// The entry's line in its file, from 1.
    pub line: usize,
}

/// Reads the `.scen` of an octile map or the `.3dscen` of a voxel map.
///
/// # Errors
///
/// Every [`MapError`] about a file, its name, or a scenario.
pub fn read_scen(path: &Path, map: &MapFile) -> Result<Vec<Entry>, MapError> {
    let file = path.to_string_lossy();
    let dimensions = match extension(path).as_str() {
        "scen" => 2,
        "3dscen" => 3,
        _ => return Err(MapError::extension(&file, ".scen or .3dscen")),
    };
    if dimensions != map.dimensions {
        let (file, map) = (printable(&file), map.dimensions);
        return Err(MapError::Dimensions { file, found: dimensions, map });
    }
    parse_scen(&file, &error::read(path)?, map)
}

/// Reads a scenario in the format that goes with the map's dimensions; `name` is the file's in
/// errors.
///
/// Columns are separated by blanks or tabs, a 2D map's name may contain blanks, and empty lines are
/// skipped. The name of the map in the scenario is not compared: files get renamed and moved.
///
/// # Errors
///
/// Every [`MapError`] about a scenario.
pub fn parse_scen(name: &str, bytes: &[u8], map: &MapFile) -> Result<Vec<Entry>, MapError> {
    const VERSION: &str = "`version 1` or `version 1.0`";
    let mut lines = Lines::new(name, bytes)?;
    let version = lines.header(VERSION)?;
    let [b"version", b"1" | b"1.0"] = version.fields()[..] else {
        return Err(version.other_than("version", VERSION));
    };
    let parse = if map.dimensions == 2 {
        flat_entry
    } else {
        const NAME: &str = "the name of the map";
        let line = lines.header(NAME)?;
        // A file without the line would silently lose its first entry.
        if matches!(line.fields().len(), 0 | 8) {
            return Err(line.not(NAME));
        }
        voxel_entry
    };
    let entries = lines.filter(|line| !line.bytes.trim_ascii().is_empty());
    entries.map(|line| parse(&line, map)).collect()
}

/// `bucket map width height sx sy gx gy length`
fn flat_entry(line: &Line<'_>, map: &MapFile) -> Result<Entry, MapError> {
    let fields = line.fields();
    let columns = || line.columns("bucket, map, width, height, x, y, x, y, length", fields.len());
    let (bucket, rest) = fields.split_first().ok_or_else(columns)?;
    let (_name, &[w, h, sx, sy, gx, gy, length]) = rest.split_last_chunk().ok_or_else(columns)?;
    if fields.len() < 9 {
        return Err(columns());
    }
    line.integer("bucket", bucket, (0, u64::MAX))?;
    let width = line.integer("map width", w, (0, MAX_AXIS))? as usize;
    let height = line.integer("map height", h, (0, MAX_AXIS))? as usize;
    let [_, map_height, map_width] = map.shape;
    if [width, height] != [map_width, map_height] {
        let (found, map) = ([width, height], [map_width, map_height]);
        return Err(MapError::OtherMap { file: line.file(), line: line.number, found, map });
    }
    Ok(Entry {
        start: cell(line, START, [b"0", sy, sx], map)?,
        goal: cell(line, GOAL, [b"0", gy, gx], map)?,
        optimal: length_of(line, length)?,
        line: line.number,
    })
}

/// `sx sy sz gx gy gz length ratio`
fn voxel_entry(line: &Line<'_>, map: &MapFile) -> Result<Entry, MapError> {
    let fields = line.fields();
    let [sx, sy, sz, gx, gy, gz, length, ratio] = fields[..] else {
        return Err(line.columns("x, y, z, x, y, z, length, ratio", fields.len()));
    };
    // Length over straight distance: not a number where start = goal.
    line.real("the ratio must be a number", ratio, |_| true)?;
    Ok(Entry {
        start: cell(line, START, [sz, sy, sx], map)?,
        goal: cell(line, GOAL, [gz, gy, gx], map)?,
        optimal: length_of(line, length)?,
        line: line.number,
    })
}

const START: [&str; 3] = ["start z", "start y", "start x"];
const GOAL: [&str; 3] = ["goal z", "goal y", "goal x"];

fn cell(
    line: &Line<'_>,
    what: [&'static str; 3],
    fields: [&[u8]; 3],
    map: &MapFile,
) -> Result<[usize; 3], MapError> {
    let mut cell = [0; 3];
    for axis in 0..3 {
        let last = map.shape[axis] as u64 - 1;
        cell[axis] = line.integer(what[axis], fields[axis], (0, last))? as usize;
    }
    Ok(cell)
}

fn length_of(line: &Line<'_>, field: &[u8]) -> Result<f64, MapError> {
    // Cells lie 1 apart; anything shorter would make a ratio of any size.
    let what = "the length must be finite, and 0 or at least 1e-3";
    line.real(what, field, |length| length == 0.0 || (1e-3..f64::INFINITY).contains(&length))
}

/// `n` entries spread evenly: the i-th is entry `floor(i * total / n)`. If `n` exceeds the total,
/// all of them, once each.
#[must_use]
pub fn select(entries: &[Entry], n: usize) -> Vec<Entry> {
    let total = entries.len();
    let n = n.min(total);
    (0..n).map(|i| entries[(i as u128 * total as u128 / n as u128) as usize]).collect()
}
