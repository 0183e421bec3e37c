#![doc = include_str!("../pictures/front.svg")]
//!
//! Characters that weigh a goal against dangers that move, on a grid or on any petgraph graph.
//!
//! * [`Graph`]: a grid of walls or a petgraph graph, frozen into compressed rows. Walls and edges
//!   may change at any time. [`DistanceField`]: the travel distance to one or several goals,
//!   repaired after edits.
//! * [`StandingCost`]: the cost of standing at a node,
//!   `distance_weight * G + sum of weight * indicator`. [`Danger`] comes from threats that move;
//!   [`Indicator`] is for your own; a [`Curve`] changes how their numbers count.
//! * [`Strategy`]: ways out of dead ends. [`Fill`] is the published one. [`Flood`] (priority-flood)
//!   and [`Route`] (danger as length) can be used alone as well.
//! * [`DetourBudget`]: a promise of arrival that no threat can break, with its proof.
//!   [`Guarantee`]: what is certain right now.
//! * [`Agent`]: all of it together, with hit points, stagnation and fuzzy weights.
//!   [`Agent::explain`] says which indicator contributed what, which rules fired, and why it goes
//!   to this node.
//! * [`fuzzy`]: inference by rules in words, solved exactly; usable alone.
//!
//! A position is (x, y, z) with z = 0 in 2D; a cell is an array index `[y, x]` or `[z, y, x]`. A
//! [`Node`] is petgraph's index. Everything is computed in f64, in stated orders: the same bits on
//! every platform and for any number of threads. After set-up, ticks and decisions allocate nothing
//! until the graph is edited.
//!
//! # Which strategy
//! From games on six drawn maps and on 20 generated ones of each kind
//! (`sim-harness reproduce furukawa`):
//!
//! * [`Strategy::Weighted`] with a [`DetourBudget`], the default, always arrived, sooner than the
//!   published fill and with fewer hits.
//! * [`Strategy::Straight`] is the soonest of all. It takes the hits that are on its way.
//! * [`Strategy::Flood`] always arrived and takes fewer hits than the fill. [`Strategy::Weighted`]
//!   beats it, because it looks at the whole way and not only at its highest point.
//! * [`Strategy::Fill`] gets out of pits in which [`Strategy::Descend`] stays for ever, but not out
//!   of all. Where no pit lasts it only loses time.
//!
//! # Features
//! | feature | default | what it does |
//! |---|---|---|
//! | `rayon` | yes | spreads a fill's update over the current rayon pool; the same bits with and without |
//! | `toml` | yes | rule bases from TOML; brings `serde` along |
//! | `ron` | yes | rule bases from RON; brings `serde` along |
//! | `serde` | no | `Serialize` and `Deserialize` for settings and rule bases |
//! | `schemars` | no | `JsonSchema` for settings; brings `serde` along |

pub use {glam, ndarray, petgraph};

mod agent;
mod distance;
mod error;
pub mod fuzzy;
mod graph;
mod ids;
mod indicators;
#[cfg(feature = "serde")]
mod numbers;
mod pits;

pub use agent::{
    Agent, AgentConfig, Choice, Decision, DetourBudget, Explanation, Extent, Guarantee, Health,
    HealthConfig, Reason, Sense, Stagnation, StagnationConfig, Strategy, WeightNote,
};
pub use distance::{DistanceField, Route};
pub use error::UtilityError;
pub use graph::{Graph, GridSteps, Neighbours, Step, StepLengths};
pub use ids::{IndicatorId, Node};
pub use indicators::{
    Curve, Danger, DangerConfig, Falloff, Indicator, Place, StandingCost, Threat,
};
pub use pits::{Fill, FillConfig, Flood, Laplacian};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
