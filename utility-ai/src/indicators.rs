//! What can be said about every node, and what it costs to stand there.

mod curve;
mod danger;
mod indicator;
mod standing_cost;

pub use curve::{Curve, Falloff};
pub use danger::{Danger, DangerConfig, Place, Threat};
pub use indicator::Indicator;
pub use standing_cost::StandingCost;
