//! What can be wrong with a map or a scenario, each case in one line of bounded length.

use crate::input;
use crate::memory::MemoryError;
use std::path::Path;

/// Why a map or a scenario cannot be used.
///
/// `file` and `found` are made for reading: control characters and stray bytes are escaped, long
/// text is cut. Lines count from 1; rows and columns count from 0, as cells do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MapError {
    /// The file is missing, is no file, is too large, or may not be read.
    #[error("{file}: cannot be read: {reason}")]
    Read { file: String, reason: String },
    /// The name does not say which format the file has.
    #[error("{file}: the name must end in {expected}")]
    Extension { file: String, expected: &'static str },
    /// The file has no text.
    #[error("{file}: the file is empty")]
    Empty { file: String },
    /// A line of the header is missing or does not fit the format.
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
    /// The axes are within their limits, the map as a whole is not, or the machine has no memory
    /// for it.
    #[error("{file}:{line}: the map of {cells} cells {error}")]
    Memory { file: String, line: usize, cells: u64, error: MemoryError },
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
    input::read(path).map_err(|error| MapError::Read {
        file: printable(&path.to_string_lossy()),
        reason: error.to_string(),
    })
}

/// `bytes` between backquotes, escaped to ASCII and cut after 24 bytes.
pub(crate) fn quote(bytes: &[u8]) -> String {
    const KEPT: usize = 24;
    let cut = if bytes.len() > KEPT { "..." } else { "" };
    format!("`{}{cut}`", bytes[..bytes.len().min(KEPT)].escape_ascii())
}

/// A file's name on one line: control characters for terminals are escaped; only the end of a long
/// path is kept.
pub(crate) fn printable(name: &str) -> String {
    const KEPT: usize = 160;
    let skipped = name.chars().count().saturating_sub(KEPT);
    let dots = if skipped > 0 { "..." } else { "" };
    let end: String = name.chars().skip(skipped).collect();
    format!("{dots}{}", crate::printable::line(&end))
}
