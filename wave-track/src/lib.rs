#![doc = include_str!("../pictures/front.svg")]
//!
//! Pursuers that follow shared waves to a moving target, on a map that may change at any frame.
//!
//! The target emits waves. When a wave comes to a pursuer, the pursuer knows the way to the target
//! by where the wave came from. All pursuers share the same waves, so the cost of the waves does
//! not depend on the number of pursuers, and nothing is rebuilt when walls come or go.
//!
//! [`TrackerConfig::watanabe`] runs the rules of watanabe-2021 ch. 4-5, [`TrackerConfig::kumagai`]
//! those of kumagai-2024 ch. 2. The default runs our own rules: see [`Method`].
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
//! A wave serves pursuers with the same ground. Groups with other walls, other slow areas or
//! another size need a tracker each, with a [`Medium`](wave_core::Medium) of its own. It gets the
//! same target, the edits that concern the group, and its share of the updates.
//! `examples/groups.rs` has three groups on one map. To flee from all of them, call
//! [`Escape::add_pursuers`] for each.
//!
//! # Very large worlds
//! On maps of some ten million cells and more, a [`WorldField`](wave_core::WorldField) works out
//! the way only where it is asked for, and a [`WorldWalker`] walks it: no wave goes over the map. A
//! walker goes to the place of one target. It does not aim ahead of it, as a pursuer does that sees
//! the target move.
//!
//! # Links
//! A medium may have [links](wave_core::Link): jumps, falls, stairs. A pursuer whose way home leads
//! by one walks to the middle of the cell where it begins, is [`PursuerState::OnLink`] for the
//! link's time, and goes on from its end. If either end becomes a wall before, it goes where the
//! next wave leads. While a pursuer is on a link, no wall can be built over its end. Links need the
//! default method; others refuse such a medium. Targets do not use them, and [`Escape`] knows no
//! threats that do.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | 4096 pursuers, or 200,000 updates, and more use the current pool; same bits |
//! | `serde` | no | saves [`Tracker`] and [`WorldWalker`] to the bit, and [`TrackerConfig`] |

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
