//! Exact jumps over height maps: ballistic reach and clearance, plans, audits of whole levels.
//!
//! * [`Terrain`]: square cells, each flat at some height; no-go and no-data cells, ceilings.
//! * [`Character`]: a point or a box with a launch speed; in Unreal's words a jump height, a jump
//!   length and a max drop.
//! * [`JumpGraph`]: walks, falls and jumps between cells. [`JumpGraph::jump`] decides a jump and shows
//!   it by a [`Flight`]; [`JumpGraph::plan`] finds the best path under a [`Preference`];
//!   [`JumpGraph::audit`] tells what is wrong with the level.
//! * [`JumpGraph::cuts`]: cells and moves whose loss cuts it; [`JumpGraph::shortcuts`]: ways that skip
//!   a part of an intended route; [`JumpGraph::speed_steps`]: the launch speeds at which more of it
//!   comes within reach.
//! * [`Level`]: graph and audit under edits.
//! * [`MoveGraph`]: the graph through petgraph's traits.
//!
//! # Axes
//! A cell is an ndarray index `[y, x]`; a position is a glam vector (x, y), z is up. Cell (i, j) has
//! its centre at (i, j) * cell size + origin and reaches half a cell to each side.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | spreads an audit over the current rayon pool; the same bits with and without |
//! | `serde` | no | settings and moves can be read and written, findings and flights written |

mod audit;
mod ballistics;
mod certificate;
mod character;
mod clearance;
mod closure;
mod cuts;
mod dominators;
mod dynamic;
mod error;
mod exact;
mod flight;
mod graph;
mod groups;
mod hold;
mod known;
mod leading;
mod level;
mod moves;
mod near;
mod offsets;
mod over;
mod parallel;
mod partition;
mod plan;
mod preference;
mod published;
mod reach;
mod regions;
mod relief;
mod scc;
mod search;
mod settle;
mod shortcuts;
mod speeds;
mod terrain;
mod trees;
mod visit;

pub use audit::{Audit, Finding};
pub use ballistics::{Arc, ArcKind, Ballistics};
pub use character::{Character, CharacterBuilder, STANDARD_GRAVITY};
pub use cuts::{Cut, CutAt, Cuts, Ways};
pub use error::{Cell, CharacterError, JumpError, OutOfRange, TerrainError};
pub use flight::Flight;
pub use graph::{Clearance, Jump, JumpGraph};
pub use level::Level;
pub use moves::{Move, MoveKind};
pub use plan::{Existence, Plan};
pub use preference::{Cost, Preference};
pub use reach::ReachIndex;
pub use regions::MoveCounts;
pub use shortcuts::{Shortcut, ShortcutRule};
pub use speeds::{SpeedStep, SpeedSteps};
pub use terrain::{Terrain, TerrainBuilder};
pub use visit::{Cells, MoveGraph, MoveRef, Visited};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
