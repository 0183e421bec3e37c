//! The rules of a flock: the settings, and the same ready for the kernels.

pub(crate) mod config;
pub(crate) mod laws;
pub(crate) mod steering;

pub use config::{Edges, FlockConfig, Heed, Neighbours, Species};
pub use steering::{Avoidance, Pull, Push, Share, SteeringRule, Turning, Velocity};
