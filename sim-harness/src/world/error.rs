//! Why a scenario did not run, on one line.

use crate::maps::printable;
use crate::printable::line;
use crate::scenario::ScenarioError;
use flocking::FlockError;
use jump_planner::{CharacterError, JumpError, TerrainError};
use thiserror::Error;
use utility_ai::UtilityError;
use utility_ai::fuzzy::FuzzyError;
use wave_core::{MediumError, WaveError};
use wave_track::TrackError;

/// Why a scenario did not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scenario states something that is not possible.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A crate refused a value of the scenario.
    #[error("{}: {}", printable(file), line(&format!("{key}: {source}")))]
    Refused {
        /// The scenario's file, with the line where that is known.
        file: String,
        /// Where in the file.
        key: String,
        /// The error of the crate.
        source: Box<Refusal>,
    },
    /// The recording could not be written.
    #[error(transparent)]
    Record(#[from] crate::output::WriteError),
}

/// The error of a crate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// About a key of its own.
    #[error("{}: {source}", line(key))]
    At {
        /// The key.
        key: String,
        /// Its fault.
        source: Box<Refusal>,
    },
    /// The scenario's own data.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Pursuit.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// Waves.
    #[error(transparent)]
    Wave(#[from] WaveError),
    /// The map.
    #[error(transparent)]
    Medium(#[from] MediumError),
    /// Decisions.
    #[error(transparent)]
    Utility(#[from] UtilityError),
    /// Jumps.
    #[error(transparent)]
    Jump(#[from] JumpError),
    /// Heights.
    #[error(transparent)]
    Heights(#[from] TerrainError),
    /// Legs.
    #[error(transparent)]
    Legs(#[from] CharacterError),
    /// Flocks.
    #[error(transparent)]
    Flock(#[from] FlockError),
    /// Rule bases.
    #[error(transparent)]
    Fuzzy(#[from] FuzzyError),
}

impl Refusal {
    /// About this key.
    pub(super) fn at<E: Into<Self>>(key: impl Into<String>) -> impl FnOnce(E) -> Self {
        let key = key.into();
        move |source| Self::At { key, source: Box::new(source.into()) }
    }
}
