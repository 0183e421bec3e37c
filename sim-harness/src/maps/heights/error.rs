//! What can be wrong with a height map, each case in one line of bounded length.

use crate::memory::MemoryError;

/// Why a height map cannot be used. Lines count from 1, rows and columns from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum HeightmapError {
    /// The file is missing, is no file, is too large, or may not be read.
    #[error("{file}: cannot be read: {reason}")]
    Read { file: String, reason: String },
    /// The name does not say which format the file has.
    #[error("{file}: the name must end in .asc or .png")]
    Extension { file: String },
    /// The header lacks a key.
    #[error("{file}: the header lacks {key}")]
    Missing { file: String, key: &'static str },
    /// The header has a key that is not known, twice the same, or one without a value.
    #[error("{file}:{line}: {what}, found {found}")]
    Header { file: String, line: usize, what: &'static str, found: String },
    /// A size that no terrain has.
    #[error("{file}: {columns} x {rows} cells: a terrain has at least 2")]
    Size { file: String, columns: u64, rows: u64 },
    /// The terrain and its graph are beyond the limit, or the machine has no memory for them.
    #[error("{file}: the terrain of {columns} x {rows} cells {error}")]
    Memory { file: String, columns: u64, rows: u64, error: MemoryError },
    /// A row of another length than the header says.
    #[error("{file}:{line}: row {row} has {found} heights, the header says {expected}")]
    Row { file: String, line: usize, row: usize, found: usize, expected: usize },
    /// A height that is no finite number.
    #[error("{file}:{line}: row {row}, column {column}: {found} is not a finite number")]
    Height { file: String, line: usize, row: usize, column: usize, found: String },
    /// The file ends early, or goes on after the last row.
    #[error("{file}: it has {found} rows, the header says {expected}")]
    Rows { file: String, found: usize, expected: usize },
    /// It is not a picture that can be read.
    #[error("{file}: not a PNG that can be read: {why}")]
    Png { file: String, why: String },
    /// It is a picture, but not a grey one.
    #[error("{file}: the PNG must be grey with 8 or 16 bits, it is {found}")]
    Colour { file: String, found: String },
}
