//! The names of boids.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Names a boid. Ids may be chosen freely below [`BoidId::LIMIT`]; the flock keeps a table of four
/// bytes for each up to the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct BoidId(u32);

impl BoidId {
    /// Ids are below this, 2^24; so are the numbers of boids, which an `f32` then counts exactly.
    pub const LIMIT: u32 = 1 << 24;

    /// The id of this number; a flock refuses it from [`BoidId::LIMIT`] on.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}
