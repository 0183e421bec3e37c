//! Why nothing was compared.

use thiserror::Error;

/// Why a comparison gave no figures.
#[derive(Debug, Error)]
pub(crate) enum CompareError {
    /// The command line was refused, or it asks for help.
    #[error("{0}")]
    Arguments(#[from] clap::Error),
    /// Two contestants do not agree.
    #[error("the answers of {one} and {other} differ: {how}")]
    Mismatch {
        /// A contestant.
        one: &'static str,
        /// The one that it was checked against.
        other: &'static str,
        /// The difference that was found.
        how: String,
    },
    /// A map on which nobody can walk.
    #[error("{0}")]
    Map(&'static str),
    /// A medium was refused.
    #[error(transparent)]
    Medium(#[from] wave_core::MediumError),
    /// A wave refused its source or its medium.
    #[error(transparent)]
    Wave(#[from] wave_core::WaveError),
    /// A flock was refused.
    #[error(transparent)]
    Flock(#[from] sim_harness::flock::FlockSceneError),
    /// A crowd was refused.
    #[error(transparent)]
    Crowd(#[from] crowd::CrowdError),
    /// A crowd's guides lost their way.
    #[error(transparent)]
    Guides(#[from] crowd::GuideError),
    /// A tracker refused its input.
    #[error(transparent)]
    Track(#[from] wave_track::TrackError),
    /// A level was refused.
    #[error(transparent)]
    Level(#[from] sim_harness::level::LevelError),
    /// A graph, a field or a strategy was refused.
    #[error(transparent)]
    Utility(#[from] utility_ai::UtilityError),
    /// A rule base was refused.
    #[error(transparent)]
    Fuzzy(#[from] utility_ai::fuzzy::FuzzyError),
    /// No threads.
    #[error("the threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The figures could not be written as JSON.
    #[error("the figures could not be written: {0}")]
    Json(#[from] serde_json::Error),
    /// Standard output is gone.
    #[error("standard output: {0}")]
    Output(#[from] std::io::Error),
}

impl CompareError {
    /// 2 for bad input, 1 for a job that failed.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Arguments(_) | Self::Map(_) | Self::Level(_) | Self::Flock(_) => 2,
            _ => 1,
        }
    }

    /// The error as one line, for people.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Arguments(error) => {
                // The fault, without usage and tips, which follow after an empty line.
                let text = error.render().to_string();
                let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
                lines.collect::<Vec<_>>().join(" ")
            }
            other => format!("error: {other}"),
        }
    }
}
