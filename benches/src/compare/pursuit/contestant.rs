//! The interface of a contestant in the game.

use super::lattice::{Cell, Place};

/// Why a contestant refused a request of the game.
pub(crate) type Refused = String;

/// A crowd of pursuers and the method that tells them the way.
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
