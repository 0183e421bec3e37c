//! What can be wrong with a scenario, on one line.

use thiserror::Error;

/// Why a scenario was not loaded or not built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// Neither a built-in name nor a file that can be read.
    #[error("{name}: {reason}")]
    Read {
        /// What was asked for.
        name: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The text is no scenario.
    #[error("{name}:{line}: {reason}")]
    Syntax {
        /// The file.
        name: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A value is out of its limits.
    #[error("{name}: {key} = {value}: {limit}")]
    Value {
        /// The file.
        name: String,
        /// Where in the file, as `table.key`.
        key: String,
        /// What it was.
        value: String,
        /// What it may be.
        limit: String,
    },
    /// A setting in place of the file's own makes it no scenario.
    #[error("{name}: with {settings}: {reason}")]
    Settings {
        /// The file.
        name: String,
        /// The settings.
        settings: String,
        /// What is wrong.
        reason: String,
    },
}
