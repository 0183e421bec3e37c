//! What the game asks of a contestant.

use super::lattice::{Cell, Place};

/// Why a contestant did not do what the game asked for.
pub(crate) type Refused = String;

/// A crowd of pursuers and what tells them the way.
pub(crate) trait Contestant: Send {
    /// Makes a cell a wall or frees it. Nobody stands near.
    fn set_wall(&mut self, cell: Cell, wall: bool) -> Result<(), Refused>;
    /// One frame: finds out the ways to the target and walks.
    fn frame(&mut self, target: Place) -> Result<(), Refused>;
    /// Where a pursuer is.
    fn place(&self, pursuer: usize) -> Place;
    /// How far it has walked.
    fn walked(&self, pursuer: usize) -> f64;
    /// A hash of its whole state, if it has one.
    fn state_hash(&self) -> Option<u64> {
        None
    }
}
