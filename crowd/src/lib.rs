#![doc = include_str!("../pictures/front.svg")]
//!
//! Crowds: walkers that keep apart, slow down where it is dense, pass through doors, and follow
//! waves to where they want to go.
//!
//! * [`Crowd`]: walkers as discs among the walls of a map; a step chooses velocities, moves, and
//!   pushes apart.
//! * [`CrowdConfig`], [`Pace`]: how far they look, how they avoid each other, and how density slows
//!   them down.
//! * [`Guides`]: lead walkers by the waves of a [`Tracker`](wave_track::Tracker) to targets that
//!   move. [`Guide`]: the same for bodies of another kind, such as boids of a flock.
//!
//! Axes and units are those of [`wave_core`]: positions `(x, y)` in world units, cells `[y, x]`.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | moves walkers in the current rayon pool from 512 on; the same bits with and without |

mod config;
mod crowd;
mod error;
mod ground;
mod guides;
mod motion;
mod walker;

pub use ndarray;
pub use wave_core::glam;
pub use wave_track;

pub use config::{CrowdConfig, Pace};
pub use crowd::Crowd;
pub use error::CrowdError;
pub use guides::{Guide, GuideError, Guides};
pub use walker::{Walker, WalkerId};

/// The README's program is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
