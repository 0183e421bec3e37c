//! The graph that everything moves on: nodes by index, edges with lengths, edits at any time.

mod edits;
mod frozen;
mod grid;
pub(crate) mod rows;

pub use frozen::{Graph, Step};
pub use grid::{GridSteps, Neighbours, StepLengths};
