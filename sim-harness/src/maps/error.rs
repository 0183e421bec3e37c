//! What can be wrong with a map or a scenario, each case in one line of bounded length.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Why a map or a scenario cannot be used.
///
/// `file` and `found` are made for reading: control characters and stray bytes are escaped, long
/// text is cut. Lines count from 1; rows and columns count from 0, as cells do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MapError {
    /// The file is missing, is a folder, or may not be read.
    #[error("{file}: cannot be read: {kind}")]
    Read { file: String, kind: io::ErrorKind },
    /// The name does not say which format the file has.
    #[error("{file}: the name must end in {expected}")]
    Extension { file: String, expected: &'static str },
    /// The file has no text.
    #[error("{file}: the file is empty")]
    Empty { file: String },
    /// A line of the header is missing or is not what the format asks for there.
    #[error("{file}:{line}: expected {expected}, found {found}")]
    Header { file: String, line: usize, expected: &'static str, found: String },
    /// A size or a coordinate is not an integer, or is out of its range.
    #[error("{file}:{line}: {what} must be an integer from {min} to {max}, found {found}")]
    Integer { file: String, line: usize, what: &'static str, min: u64, max: u64, found: String },
    /// A length is not a number, or is negative or not finite.
    #[error("{file}:{line}: {what}, found {found}")]
    Real { file: String, line: usize, what: &'static str, found: String },
    /// A line has the wrong number of columns.
    #[error("{file}:{line}: expected {expected}, found {found} columns")]
    Columns { file: String, line: usize, expected: &'static str, found: usize },
    /// The axes are within their limits, the map as a whole is not.
    #[error("{file}:{line}: the map would have {cells} cells, the limit is {limit}")]
    TooManyCells { file: String, line: usize, cells: u64, limit: u64 },
    /// The machine has no memory for the map.
    #[error("{file}: no memory for {cells} cells")]
    Memory { file: String, cells: usize },
    /// A row of an octile map is shorter or longer than the header says.
    #[error("{file}:{line}: row {row} has {found} cells, the header says {width}")]
    RowLength { file: String, line: usize, row: usize, found: usize, width: usize },
    /// An octile map ends early.
    #[error("{file}:{line}: the file ends after {found} rows, the header says {height}")]
    MissingRows { file: String, line: usize, found: usize, height: usize },
    /// An octile map goes on after its last row.
    #[error("{file}:{line}: the header says {height} rows, then comes {found}")]
    ExtraRows { file: String, line: usize, height: usize, found: String },
    /// An octile map has a letter without a meaning.
    #[error(
        "{file}:{line}: unknown letter {found} in row {row}, column {column}; known are . G S W @ O T"
    )]
    Letter { file: String, line: usize, row: usize, column: usize, found: String },
    /// A scenario's entry is for a map of another size; both as `[width, height]`.
    #[error("{file}:{line}: the entry is for a map of {} x {} cells, the map has {} x {}", found[0], found[1], map[0], map[1])]
    OtherMap { file: String, line: usize, found: [usize; 2], map: [usize; 2] },
    /// A `.scen` was given for a voxel map, or a `.3dscen` for an octile map.
    #[error("{file}: the scenario is for a map of {found} dimensions, the map has {map}")]
    Dimensions { file: String, found: usize, map: usize },
}

impl MapError {
    pub(super) fn extension(file: &str, expected: &'static str) -> Self {
        Self::Extension { file: printable(file), expected }
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, MapError> {
    std::fs::read(path).map_err(|error| MapError::Read {
        file: printable(&path.to_string_lossy()),
        kind: error.kind(),
    })
}

/// `bytes` between backquotes, escaped to ASCII and cut after 24 bytes.
pub(crate) fn quote(bytes: &[u8]) -> String {
    const KEPT: usize = 24;
    let cut = if bytes.len() > KEPT { "..." } else { "" };
    format!("`{}{cut}`", bytes[..bytes.len().min(KEPT)].escape_ascii())
}

/// A file's name on one line: control characters escaped; of a long path, the end.
pub(crate) fn printable(name: &str) -> String {
    const KEPT: usize = 160;
    let skipped = name.chars().count().saturating_sub(KEPT);
    let mut text = String::from(if skipped > 0 { "..." } else { "" });
    for letter in name.chars().skip(skipped) {
        if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') {
            let _ = write!(text, "{}", letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}
