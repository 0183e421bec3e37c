//! Where an agent goes, and what is certain about its arrival.

use super::Agent;
use super::budget::{Guarantee, Purse};
use super::strategy::{Rank, Ranking};
use crate::error::UtilityError;
use crate::graph::{Graph, Step};
use crate::ids::Node;

/// What the agent does now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// It stands at a goal.
    Arrived,
    /// Take this edge.
    Go(Step),
}

impl Agent {
    /// Where to go from here. The agent then counts as being there.
    ///
    /// # Errors
    /// [`UtilityError::Unreachable`]; [`UtilityError::GoalRemoved`]; [`UtilityError::NoNode`] for
    /// an agent whose node was removed; [`UtilityError::OtherGraph`]; the errors of the strategy.
    /// The agent then stays where it is.
    ///
    /// # Complexity
    /// That of the strategy's update. Between edits it allocates nothing.
    pub fn decide(&mut self, graph: &Graph) -> Result<Decision, UtilityError> {
        self.prepare(graph)?;
        let Some(step) = self.choose(graph, self.node, self.came_from, self.purse) else {
            return Ok(Decision::Arrived);
        };
        if let Some(purse) = &mut self.purse {
            let distance = self.field.distance(step.to);
            purse.pay(step.length + distance - self.field.distance(self.node), distance);
        }
        self.came_from = Some(self.node);
        self.node = step.to;
        Ok(Decision::Go(step))
    }

    /// What is certain about arrival at this moment, before the next decision. Distances are those
    /// of the graph as it is; threats, weights and the fill count as of the last tick.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    ///
    /// # Complexity
    /// That of a decision and, without a budget, O(degree) per node of the way.
    pub fn guarantee(&mut self, graph: &Graph) -> Result<Guarantee, UtilityError> {
        self.prepare(graph)?;
        let distance = self.field.distance(self.node);
        if let Some(purse) = &self.purse {
            return Ok(Guarantee::Arrival { within: purse.within(graph, distance) });
        }
        let turns_freely = self.config.hysteresis == 0.0;
        if matches!(self.ranking, Ranking::Straight) && turns_freely {
            return Ok(Guarantee::Arrival { within: distance });
        }
        // Weights that the agent changes itself are not constant, and hysteresis may keep it from
        // descending.
        let steady = self.fuzzy.is_none() && turns_freely;
        if !(steady && self.ranking.descends_to_goal()) {
            return Ok(Guarantee::None);
        }
        let (mut node, mut within) = (self.node, 0.0);
        for _ in 0..=graph.node_bound() {
            match self.choose(graph, node, None, None) {
                None => return Ok(Guarantee::WhileStill { within }),
                Some(step) => {
                    node = step.to;
                    within += step.length;
                }
            }
        }
        // Only sums that rounding has made equal could lead round in a circle.
        Ok(Guarantee::None)
    }

    pub(super) fn prepare(&mut self, graph: &Graph) -> Result<(), UtilityError> {
        self.follow_edits(graph)?;
        graph.check_node(self.node)?;
        if self.field.distance(self.node) == f64::INFINITY {
            return Err(UtilityError::Unreachable { from: self.node });
        }
        self.ranking.refresh(graph, &self.cost, self.field.goals())
    }

    /// The allowed step of the lowest rank. Of equal ones it is that to the lowest index. `None` at
    /// a goal.
    pub(super) fn choose(
        &self,
        graph: &Graph,
        node: Node,
        came_from: Option<Node>,
        purse: Option<Purse>,
    ) -> Option<Step> {
        let here = self.field.distance(node);
        if here == 0.0 {
            return None;
        }
        let mut best: Option<(Rank, Step)> = None;
        for step in graph.steps(node) {
            let distance = self.field.distance(step.to);
            let allowed = purse.is_none_or(|purse| step.length + distance - here <= purse.left());
            if !allowed || distance == f64::INFINITY {
                continue;
            }
            let mut rank = self.ranking.rank(step, &self.cost, &self.field);
            if came_from == Some(step.to) {
                rank.0 += self.config.hysteresis;
            }
            if best.is_none_or(|(lowest, _)| rank < lowest) {
                best = Some((rank, step));
            }
        }
        best.map(|(_, step)| step)
    }
}
