#![doc = include_str!("../pictures/front.svg")]
//!
//! Exact jumps over height maps: ballistic reach and clearance, plans, audits of whole levels.
//!
//! * [`Terrain`]: square cells, each flat at some height; no-go and no-data cells, ceilings.
//! * [`SpanTerrain`]: the same with several floors a column; a [`Place`] is a cell and a storey.
//! * [`Character`]: a point or a box with a launch speed; in Unreal's words a jump height, a jump
//!   length and a max drop.
//! * [`JumpGraph`]: walks, falls and jumps between cells. [`JumpGraph::jump`] decides a jump and
//!   shows it by a [`Flight`]; [`JumpGraph::plan`] finds the best path under a [`Preference`];
//!   [`JumpGraph::audit`] finds the faults of the level.
//! * [`JumpGraph::cuts`]: cells and moves whose loss cuts it; [`JumpGraph::shortcuts`]: ways that
//!   skip a part of an intended route; [`JumpGraph::speed_steps`]: the launch speeds at which more
//!   of it comes within reach.
//! * [`Level`]: graph and audit under edits.
//! * [`MoveGraph`]: the graph through petgraph's traits.
//!
//! # Axes
//! A cell is an ndarray index `[y, x]`; a position is a glam vector (x, y), z is up. Cell `[y, x]`
//! has its centre at (x, y) * cell size + origin and reaches half a cell to each side.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | spreads an audit over the current rayon pool; the same bits with and without |
//! | `serde` | no | settings and moves can be read and written, findings and flights written |

mod cell;
mod character;
mod error;
mod graph;
mod jump;
mod level;
mod parallel;
mod questions;
mod regions;
mod spans;
mod splice;
mod storage;
mod terrain;

pub use cell::Cell;
pub use character::{Character, CharacterBuilder, STANDARD_GRAVITY};
pub use error::{CharacterError, JumpError, OutOfRange, TerrainError};
pub use graph::JumpGraph;
pub use graph::decide::Jump;
pub use graph::moves::{Move, MoveKind};
pub use graph::rule::JumpRule;
pub use graph::visit::{Cells, MoveGraph, MoveRef, Visited};
pub use jump::ballistics::{Arc, ArcKind, Ballistics};
pub use jump::flight::Flight;
pub use level::Level;
pub use questions::audit::{Audit, Finding};
pub use questions::cuts::{Cut, CutAt, Cuts, Ways};
pub use questions::exists::{Existence, SearchOver};
pub use questions::index::ReachIndex;
pub use questions::plan::{Plan, Planned};
pub use questions::preference::{Cost, Preference};
pub use questions::shortcuts::{Shortcut, ShortcutRule};
pub use questions::speeds::{SpeedStep, SpeedSteps};
pub use questions::two_stages::{ByCells, TwoStages};
pub use regions::passage::MoveCounts;
pub use spans::builder::{Span, SpanTerrainBuilder};
pub use spans::{Place, SpanTerrain};
pub use storage::{Floors, Ground, PlaceName};
pub use terrain::Terrain;
pub use terrain::builder::TerrainBuilder;
pub use {glam, ndarray, petgraph};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
