//! Indicators of every node, and the cost of standing there.

mod curve;
mod danger;
mod indicator;
mod standing_cost;

pub use curve::{Curve, Falloff};
pub use danger::{Danger, DangerConfig, Place, Threat};
pub use indicator::Indicator;
pub use standing_cost::StandingCost;
