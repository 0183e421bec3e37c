//! Boids.

mod config;
mod error;
mod flock;
mod grid;
mod kernel;
mod lanes;
mod laws;
mod nearest;
mod obstacles;
mod order;
mod parallel;
mod real;
mod rules;
mod space;
mod sums;
mod turn;
mod walls;

pub use config::{Edges, FlockConfig, Heed, Neighbours, Species};
pub use error::FlockError;
pub use flock::{Boid, BoidId, Flock, Goal, Snapshot, Steering};
pub use obstacles::Obstacle;
pub use order::Order;
pub use real::Real;
pub use rules::{Avoidance, Pull, Push, Rule, Share, Turning, Velocity};
pub use space::Space;
pub use walls::Walls;
