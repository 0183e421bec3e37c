//! A flock as a value, to save and to restore.

use crate::boid::Boid;
use crate::ids::BoidId;
use crate::rules::config::FlockConfig;
use crate::world::obstacles::Obstacle;
use crate::world::walls::Walls;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Everything that a flock's future depends on. Some text formats do not give the last bit of a
/// number back: `serde_json` does so with its feature `float_roundtrip`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Snapshot<V> {
    /// The settings.
    pub config: FlockConfig<V>,
    /// The obstacles.
    pub obstacles: Vec<Obstacle<V>>,
    /// The walls.
    pub walls: Option<Walls<V>>,
    /// The boids.
    pub boids: Vec<(BoidId, Boid<V>)>,
    /// `[limits: 0 to 2^24]` The id that the next boid gets.
    pub next_id: u32,
    /// `[units: steps] [limits: 0 to 2^53]` Steps so far.
    pub steps: u64,
}
