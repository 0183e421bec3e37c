//! Which neighbour is best: strategies against dead ends.

use crate::distance::{DistanceField, Route};
use crate::error::UtilityError;
use crate::graph::{Graph, Step};
use crate::ids::Node;
use crate::indicators::StandingCost;
use crate::pits::{Fill, FillConfig, Flood};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How an agent ranks the neighbours of where it stands.
///
/// The crate's documentation says which one to take.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Strategy {
    /// A shortest way, whatever the danger. It arrives for certain and soonest, unless hysteresis
    /// keeps it from turning back.
    Straight,
    /// The lowest cost, as published with gamma = 0. It stays in any pit.
    Descend,
    /// The lowest cost with the published fill, which grows at every tick. Ticks are refused once
    /// new edges of the graph have made gamma unstable.
    Fill(FillConfig),
    /// The lowest filled cost: [`Flood`], computed at every decision.
    Flood,
    /// The cheapest way with danger as length: [`Route`], computed at every decision. The
    /// distance weight plus the weighted indicators must be above 0 at every node, or decisions are
    /// refused.
    #[default]
    Weighted,
}

/// A strategy at work.
#[derive(Clone, Debug)]
pub(crate) enum Ranking {
    Straight,
    Descend,
    Fill(Fill),
    Flood(Flood),
    Weighted(Route),
}

/// The lower the better; the second number decides where the first is the same.
pub(crate) type Rank = (f64, u32);

impl Ranking {
    pub(crate) fn new(graph: &Graph, strategy: Strategy) -> Result<Self, UtilityError> {
        Ok(match strategy {
            Strategy::Straight => Self::Straight,
            Strategy::Descend => Self::Descend,
            Strategy::Fill(config) => Self::Fill(Fill::new(graph, config)?),
            Strategy::Flood => Self::Flood(Flood::new(graph)),
            Strategy::Weighted => Self::Weighted(Route::new(graph)),
        })
    }

    /// Makes sure that the strategy still fits the graph.
    pub(crate) fn follow_edits(&mut self, graph: &Graph) -> Result<(), UtilityError> {
        match self {
            Self::Fill(fill) => fill.follow_edits(graph),
            _ => Ok(()),
        }
    }

    /// Whether ranks hold more than the cost of the neighbour itself.
    pub(crate) fn looks_beyond(&self) -> bool {
        matches!(self, Self::Flood(_) | Self::Weighted(_))
    }

    /// Updates the strategy at every tick.
    pub(crate) fn tick(
        &mut self,
        graph: &Graph,
        cost: &StandingCost,
        goals: &[Node],
    ) -> Result<(), UtilityError> {
        match self {
            Self::Fill(fill) => fill.update(graph, cost.total(), goals),
            _ => Ok(()),
        }
    }

    /// Brings up to date what a decision needs.
    pub(crate) fn refresh(
        &mut self,
        graph: &Graph,
        cost: &StandingCost,
        goals: &[Node],
    ) -> Result<(), UtilityError> {
        match self {
            Self::Flood(flood) => flood.update(graph, cost.total(), goals),
            Self::Weighted(route) => {
                route.update(graph, cost.distance_weight(), cost.indicator_sum(), goals)
            }
            _ => Ok(()),
        }
    }

    /// How good it is to take a step.
    pub(crate) fn rank(&self, step: Step, cost: &StandingCost, field: &DistanceField) -> Rank {
        let to = step.to;
        match self {
            Self::Straight => (step.length + field.distance(to), 0),
            Self::Descend => (cost.total()[to], 0),
            Self::Fill(fill) => (cost.total()[to] + fill.config().gamma * fill.values()[to], 0),
            Self::Flood(flood) => (flood.values()[to], flood.steps_to_descent()[to]),
            Self::Weighted(route) => {
                let factor = cost.distance_weight() + cost.indicator_sum()[to];
                (step.length * factor + route.values()[to], 0)
            }
        }
    }

    /// The fill of a node, where there is one.
    pub(crate) fn fill(&self, node: Node) -> Option<f64> {
        match self {
            Self::Fill(fill) => Some(fill.config().gamma * fill.values()[node]),
            _ => None,
        }
    }

    /// Whether following ranks arrives as long as nothing changes.
    pub(crate) fn descends_to_goal(&self) -> bool {
        matches!(self, Self::Straight | Self::Flood(_) | Self::Weighted(_))
    }

    /// Takes all fill away.
    pub(crate) fn clear(&mut self) {
        if let Self::Fill(fill) = self {
            fill.clear();
        }
    }
}
