//! Characters that weigh things up, on any petgraph graph.
//!
//! * [`Graph`]: a petgraph graph frozen into compressed rows; edges may change at any time.
//!   [`DistanceField`]: the travel distance to one or several goals, repaired after edits.
//! * [`Utility`]: what it costs to stand at a node, `distance_weight * G + sum of weight * indicator`.
//!   [`Danger`] from threats that move; [`Indicator`] for your own; [`Curve`] for what their numbers are
//!   worth.
//! * [`Strategy`]: ways out of dead ends. [`Fill`] is the published one, [`Flood`] (priority-flood) and
//!   [`Route`] (danger as length) can be used alone as well.
//! * [`DetourBudget`]: a promise of arrival that no threat can break, with its proof, and [`Guarantee`]: what
//!   holds right now.
//! * [`Agent`]: all of it together, with hit points, stagnation and fuzzy weights, and
//!   [`Agent::explain`]: which indicator contributed what, which rules fired, why this node.
//! * [`fuzzy`]: inference by rules in words, solved exactly; usable alone.
//!
//! Nodes are numbered as in petgraph. Everything is computed in f64, in stated orders: the same bits on
//! every platform and for any number of threads. After set-up, ticks and decisions allocate nothing,
//! but for taking in edits.
//!
//! # Which strategy
//! From games on six drawn maps and on 20 generated ones of each kind
//! (`sim-harness reproduce furukawa`; the figures stand in the crate's README):
//!
//! * [`Strategy::Weighted`] with a [`DetourBudget`], the default, always arrived, sooner than the published
//!   fill and with fewer hits.
//! * [`Strategy::Straight`] is the soonest of all; it takes the hits that are on its way. Where time is all that
//!   counts, nothing beats it.
//! * [`Strategy::Flood`] always arrived and takes fewer hits than the fill; [`Strategy::Weighted`] beats it,
//!   because it looks at the whole way and not only at its highest point.
//! * [`Strategy::Fill`] gets out of pits in which [`Strategy::Descend`] stays for ever, but not out of all,
//!   and where no pit lasts it only loses time.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | spreads a fill's update over the current rayon pool; the same bits with and without |
//! | `toml` | yes | rule bases from TOML; brings `serde` along |
//! | `ron` | yes | rule bases from RON; brings `serde` along |
//! | `serde` | no | `Serialize` and `Deserialize` for settings and rule bases |
//! | `schemars` | no | `JsonSchema` for settings; brings `serde` along |

mod agent;
mod budget;
mod curve;
mod danger;
mod differences;
mod error;
mod explain;
mod field;
mod fill;
mod flood;
pub mod fuzzy;
mod graph;
mod identity;
mod indicator;
mod laplacian;
#[cfg(feature = "serde")]
mod numbers;
mod parallel;
mod queue;
mod route;
mod rows;
mod search;
mod slices;
mod stencil;
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
