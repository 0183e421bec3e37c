#![doc = include_str!("../pictures/front.svg")]
//!
//! Pursuers that follow shared waves to a moving target, on a map that may change at any frame.
//!
//! The target emits waves; when a wave comes to a pursuer, the pursuer knows where the target is by
//! where the wave came from. All pursuers share the same waves, so the cost does not depend on how
//! many there are, and when walls come or go nothing is rebuilt.
//!
//! [`TrackerConfig::watanabe`] runs the rules of watanabe-2021 ch. 4-5, [`TrackerConfig::kumagai`]
//! those of kumagai-2024 ch. 2. The default runs ours: see [`Method`].
//!
//! Axes and units are those of [`wave_core`]: positions `(x, y)` or `(x, y, z)` in world units,
//! cells `[y, x]` or `[z, y, x]`.
//!
//! # Example
//! ```
//! use glam::DVec2;
//! use ndarray::{Array2, Ix2};
//! use wave_core::Medium;
//! use wave_track::{PursuerState, Tracker, TrackerConfig};
//!
//! let mut walls = Array2::from_elem([20, 30], false);
//! for y in 0..17 {
//!     walls[[y, 15]] = true;
//! }
//! let medium = Medium::<Ix2>::builder([20, 30]).walls(&walls).build()?;
//! let mut tracker = Tracker::new(medium, TrackerConfig::default())?;
//! tracker.set_target(DVec2::new(25.0, 5.0))?;
//! let pursuer = tracker.add_pursuer(DVec2::new(5.0, 5.0), 0.5)?;
//! for _ in 0..400 {
//!     tracker.step()?;
//! }
//! let pursuer = tracker.pursuer(pursuer)?;
//! assert_eq!(pursuer.state(), PursuerState::Arrived);
//! // The shortest way round the wall's end is 32.02 cells long.
//! assert!(pursuer.walked() < 32.5);
//! # Ok::<(), wave_track::TrackError>(())
//! ```
//!
//! # Groups
//! A wave serves those for whom the ground is the same. Groups that may go elsewhere, are slow
//! elsewhere or are of another size take a tracker each, with a [`Medium`](wave_core::Medium) of
//! their own: the same target and the edits that concern them, and their part of the updates.
//! `examples/groups.rs` has three on one map. Who flees from all of them calls
//! [`Escape::add_pursuers`] for each.
//!
//! # Very large worlds
//! On maps of some ten million cells and more a [`WorldField`](wave_core::WorldField) knows the way
//! where somebody asks, and a [`WorldWalker`] walks it: no wave goes over the map. A walker knows
//! one target and where it is; it does not lead it, as a pursuer does that sees where it goes.
//!
//! # Links
//! A medium may have [links](wave_core::Link): jumps, falls, stairs. A pursuer whose way home leads
//! by one walks to the middle of the cell where it begins, is [`PursuerState::OnLink`] for the
//! link's time, and goes on from its end. If either end becomes a wall before, it goes where the
//! next wave leads; nobody can build over the end while somebody is on the way there. Links are for
//! the default method: others refuse such a medium. Targets and [`Escape`] do not take them.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | steps waves and moves pursuers in the current rayon pool where it is worth it (from 4096 pursuers on); the same bits with and without |
//! | `serde` | no | `Serialize` and `Deserialize` for [`Tracker`], which goes on in the same bits, and [`TrackerConfig`] |

mod audience;
mod clearance;
mod compiled;
mod config;
mod course;
mod error;
mod escape;
mod front;
mod ground;
mod pursuer;
mod schedule;
#[cfg(feature = "serde")]
mod state;
mod targets;
mod tracker;
mod walls;
mod waves;
mod world_walker;

pub use ndarray;
pub use wave_core;
pub use wave_core::glam;

pub use clearance::BodyClearance;
pub use config::{Direction, Fronts, Method, Sampling, Schedule, TrackerConfig};
pub use error::TrackError;
pub use escape::{Escape, EscapeConfig, Flight, FlightState};
pub use front::TrackerFront;
pub use ground::SKIN;
pub use pursuer::{Pursuer, PursuerState};
pub use tracker::{PursuerId, Tracker};
pub use world_walker::WorldWalker;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
