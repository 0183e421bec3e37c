//! Exact jumps over height maps.

mod audit;
mod ballistics;
mod character;
mod clearance;
mod closure;
mod error;
mod exact;
mod flight;
mod graph;
mod groups;
mod moves;
mod offsets;
mod parallel;
mod plan;
mod preference;
mod published;
mod reach;
mod regions;
mod scc;
mod terrain;
mod visit;

pub use audit::{Audit, Finding};
pub use ballistics::{Arc, ArcKind, Ballistics};
pub use character::{Character, CharacterBuilder, STANDARD_GRAVITY};
pub use error::{Cell, CharacterError, JumpError, TerrainError};
pub use flight::Flight;
pub use graph::{Clearance, Jump, JumpGraph};
pub use moves::{Move, MoveKind};
pub use plan::{Existence, Plan};
pub use preference::{Cost, Preference};
pub use reach::ReachIndex;
pub use regions::MoveCounts;
pub use terrain::{Terrain, TerrainBuilder};
pub use visit::{Cells, MoveGraph, MoveRef, Visited};
