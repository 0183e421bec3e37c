//! What can be wrong with a scenario, on one line.

use crate::maps::printable;
use crate::printable::line;
use thiserror::Error;

/// Why a scenario was not loaded or not built. If it comes from a file, the file's name is followed
/// by the line, if that is known, and by the settings that replace keys of the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// Neither a built-in name nor a file that can be read.
    #[error("{}: {}", printable(name), line(reason))]
    Read {
        /// The requested name.
        name: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The text is not TOML.
    #[error("{}: {}", printable(file), line(reason))]
    Syntax {
        /// The file.
        file: String,
        /// The fault.
        reason: String,
    },
    /// A key is not known, or missing, or its value is of the wrong kind.
    #[error("{}: {}", printable(file), line(&format!("{key}: {reason}")))]
    Key {
        /// The file.
        file: String,
        /// Where in the file, as `table.key`.
        key: String,
        /// The fault.
        reason: String,
    },
    /// A value is out of its limits.
    #[error("{}: {}", printable(file), line(&format!("{key} = {value}: {limit}")))]
    Value {
        /// The file.
        file: String,
        /// Where in the file, as `table.key`.
        key: String,
        /// The value that was given.
        value: String,
        /// The values that are allowed.
        limit: String,
    },
}
