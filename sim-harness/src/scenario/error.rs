//! What can be wrong with a scenario, on one line.

use crate::maps::printable;
use crate::printable::line;
use thiserror::Error;

/// Why a scenario was not loaded or not built. Where it comes from a file, the file's name is
/// followed by the line where that is known; where settings take the place of what a file says, by
/// them.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// Neither a built-in name nor a file that can be read.
    #[error("{}: {}", printable(name), line(reason))]
    Read {
        /// What was asked for.
        name: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The text is not TOML.
    #[error("{}: {}", printable(file), line(reason))]
    Syntax {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A key is not known, or missing, or its value is of the wrong kind.
    #[error("{}: {}", printable(file), line(&format!("{key}: {reason}")))]
    Key {
        /// The file.
        file: String,
        /// Where in the file, as `table.key`.
        key: String,
        /// What is wrong.
        reason: String,
    },
    /// A value is out of its limits.
    #[error("{}: {}", printable(file), line(&format!("{key} = {value}: {limit}")))]
    Value {
        /// The file.
        file: String,
        /// Where in the file, as `table.key`.
        key: String,
        /// What it was.
        value: String,
        /// What it may be.
        limit: String,
    },
}
