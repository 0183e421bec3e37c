//! Utility AI on any petgraph graph.

mod agent;
mod budget;
mod curve;
mod danger;
mod error;
mod explain;
mod field;
mod fill;
mod flood;
pub mod fuzzy;
mod graph;
mod indicator;
mod laplacian;
mod parallel;
mod queue;
mod route;
mod rows;
mod search;
mod strategy;
mod vitality;

pub use agent::{Agent, AgentConfig, Decision, Sense};
pub use budget::{DetourBudget, Extent, Guarantee};
pub use curve::{Curve, Falloff};
pub use danger::{Danger, DangerConfig, Place, Threat};
pub use error::UtilityError;
pub use explain::{Choice, Explanation, Reason, WeightNote};
pub use field::DistanceField;
pub use fill::{Fill, FillConfig, Laplacian};
pub use flood::Flood;
pub use graph::{Graph, Step};
pub use indicator::{Indicator, Slot, Utility};
pub use route::Route;
pub use strategy::Strategy;
pub use vitality::{Health, HealthConfig, Stagnation, StagnationConfig};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
