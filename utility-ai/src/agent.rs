//! Characters with a goal, things that they avoid, and hit points.

mod body;
mod budget;
mod decide;
mod explain;
mod strategy;
mod weight;

pub use body::{Health, HealthConfig, Stagnation, StagnationConfig};
pub use budget::{DetourBudget, Extent, Guarantee};
pub use decide::Decision;
pub use explain::{Choice, Explanation, Reason, WeightNote};
pub use strategy::Strategy;

use crate::distance::DistanceField;
use crate::error::{UtilityError, number};
use crate::graph::Graph;
use crate::ids::{IndicatorId, Node};
use crate::indicators::{Indicator, StandingCost};
use budget::Purse;
use glam::DVec3;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use strategy::Ranking;
use weight::FuzzyWeight;

/// Settings of an [`Agent`]. The default is ours: danger counts as length, and the way may get half
/// as long again as the shortest one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields, default))]
pub struct AgentConfig {
    /// How it ranks its neighbours.
    pub strategy: Strategy,
    /// How far it may stray. With `None` it may stray as far as it likes, and nothing is promised.
    pub budget: Option<DetourBudget>,
    /// `[units: cost] [limits: finite, >= 0] suggested: 0, as published` It goes back to the node
    /// that it has just left only if that is better than every other neighbour by so much.
    pub hysteresis: f64,
    /// Its hit points.
    pub health: HealthConfig,
    /// When it counts as stuck.
    pub stagnation: StagnationConfig,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            strategy: Strategy::Weighted,
            budget: Some(DetourBudget::half()),
            hysteresis: 0.0,
            health: HealthConfig::default(),
            stagnation: StagnationConfig::default(),
        }
    }
}

impl AgentConfig {
    /// As published: the given strategy, no budget, no hysteresis.
    #[must_use]
    pub fn published(strategy: Strategy) -> Self {
        Self { strategy, budget: None, ..Self::default() }
    }
}

/// The perception of an agent in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sense {
    /// `[units: distance]` Where it is, with z = 0 in 2D. Only stagnation needs it.
    pub position: DVec3,
    /// Whether an attacker reaches it.
    pub contact: bool,
    /// `[units: time] [limits: finite, >= 0]` The time since the last tick.
    pub dt: f64,
}

/// A character that moves from node to node, toward a goal and away from danger.
///
/// In every frame: tell it where the threats are ([`Agent::indicator_mut`]), then call
/// [`Agent::tick`]. Whenever it stands at a node: call [`Agent::decide`] and move it along the
/// edge.
///
/// ```
/// use glam::DVec3;
/// use petgraph::graph::UnGraph;
/// use utility_ai::{
///     Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Guarantee, Sense,
///     StandingCost, Threat,
/// };
///
/// // Two ways from 0 to 3: by 1, or by 2, which is a little longer.
/// let edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.25), (2, 3, 1.25)];
/// let petgraph = UnGraph::<(), f64>::from_edges(edges);
/// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
///
/// let mut cost = StandingCost::new(&graph, 1.0)?;
/// let config = DangerConfig { reach: 0.5, falloff: Falloff::Linear };
/// let danger = cost.add("danger", Danger::by_travel(&graph, config)?, 2.0)?;
/// let mut agent = Agent::new(&graph, cost, 0, &[3], AgentConfig::default())?;
///
/// agent.indicator_mut(danger)?.set_threats(&graph, &[Threat::at_node(1)])?;
/// agent.tick(&graph, Sense { position: DVec3::ZERO, contact: false, dt: 0.1 })?;
/// // Half of the shortest way is its budget: it arrives within 3, whatever the threats do.
/// assert_eq!(agent.guarantee(&graph)?, Guarantee::Arrival { within: 3.0 });
/// println!("{}", agent.explain(&graph)?);
/// assert!(matches!(agent.decide(&graph)?, Decision::Go(step) if step.to == 2));
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
#[derive(Debug)]
pub struct Agent {
    config: AgentConfig,
    cost: StandingCost,
    field: DistanceField,
    ranking: Ranking,
    purse: Option<Purse>,
    fuzzy: Option<FuzzyWeight>,
    health: Health,
    stagnation: Stagnation,
    /// The node where it stands, or to which it is on its way.
    node: Node,
    came_from: Option<Node>,
}

impl Agent {
    /// An agent at `start`, on its way to the nearest of `goals`.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`], [`UtilityError::Unreachable`],
    /// [`UtilityError::Value`], [`UtilityError::Budget`], [`UtilityError::UnstableGamma`], and what
    /// [`StandingCost::update`] refuses, such as the cost of another graph.
    ///
    /// # Complexity
    /// As [`DistanceField::new`] and, with a fill, [`Fill::new`](crate::Fill::new).
    pub fn new(
        graph: &Graph,
        mut cost: StandingCost,
        start: Node,
        goals: &[Node],
        config: AgentConfig,
    ) -> Result<Self, UtilityError> {
        number("hysteresis", config.hysteresis, config.hysteresis >= 0.0, ">= 0")?;
        graph.check_node(start)?;
        let field = DistanceField::new(graph, goals)?;
        let purse = purse(graph, &field, config.budget, start)?;
        cost.update(graph, field.values())?;
        Ok(Self {
            config,
            cost,
            field,
            ranking: Ranking::new(graph, config.strategy)?,
            purse,
            fuzzy: None,
            health: Health::new(config.health)?,
            stagnation: Stagnation::new(config.stagnation)?,
            node: start,
            came_from: None,
        })
    }

    /// Runs a tick: it updates hit points, stagnation, the fuzzy weight, all indicators, and with
    /// [`Strategy::Fill`] the fill. Returns whether a hit was taken.
    ///
    /// An agent that is cut off from its goals goes on: only decisions are refused, until a way
    /// leads to a goal again. Its budget is then a new one. If one of several goals is removed from
    /// the graph, everything is refused until [`Agent::set_goals`] names those that are left.
    ///
    /// # Errors
    /// What [`StandingCost::update`], [`DistanceField::update`] and
    /// [`Fill::update`](crate::Fill::update) refuse, [`UtilityError::Value`] for a bad sense, and
    /// [`UtilityError::OtherIndicator`] if the indicator whose weight rules set is gone.
    /// The distances and the budget, which follow the graph, may then have changed, and nothing
    /// else.
    ///
    /// # Complexity
    /// As [`StandingCost::update`]. Between edits it allocates nothing, once the number of threats
    /// has been at its largest. The fill of more than 8192 nodes is spread over the rayon pool that
    /// the caller is in (`install`).
    pub fn tick(&mut self, graph: &Graph, sense: Sense) -> Result<bool, UtilityError> {
        number("dt", sense.dt, sense.dt >= 0.0, ">= 0")?;
        for c in sense.position.to_array() {
            number("position", c, true, "a finite number")?;
        }
        let mut health = self.health;
        let hit = health.pass(sense.dt, sense.contact);
        self.follow_edits(graph)?;
        self.ranking.follow_edits(graph)?;
        let Self { cost, fuzzy, field, .. } = self;
        if let Some(fuzzy) = fuzzy {
            let inputs = [health.share(), self.stagnation.share_with(sense.position)];
            fuzzy.update(inputs, cost, |cost| cost.update(graph, field.values()))?;
        } else {
            cost.update(graph, field.values())?;
        }
        self.ranking.tick(graph, cost, field.goals())?;
        self.health = health;
        self.stagnation.observe(sense.position);
        Ok(hit)
    }

    /// Charges the budget for a length that was walked for nothing, such as back along half an edge
    /// and forth again. Returns whether the budget was enough. If not, earlier promises are void,
    /// and later ones hold.
    ///
    /// # Errors
    /// [`UtilityError::Value`], and what [`DistanceField::update`] refuses.
    pub fn charge(&mut self, graph: &Graph, length: f64) -> Result<bool, UtilityError> {
        number("length", length, length >= 0.0, ">= 0")?;
        self.follow_edits(graph)?;
        let quantum = graph.quantum();
        let length = (length / quantum).ceil() * quantum;
        Ok(self.purse.as_mut().is_none_or(|purse| purse.charge(length)))
    }

    /// Puts it at another node. A new promise begins there.
    ///
    /// # Errors
    /// [`UtilityError::NoNode`], [`UtilityError::Unreachable`]; it then stays where it was.
    pub fn place(&mut self, graph: &Graph, node: Node) -> Result<(), UtilityError> {
        graph.check_node(node)?;
        self.follow_edits(graph)?;
        self.purse = purse(graph, &self.field, self.config.budget, node)?;
        self.node = node;
        self.came_from = None;
        Ok(())
    }

    /// Sets other goals. A new promise begins, and all fill is gone.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`]; [`UtilityError::Unreachable`], unless no
    /// way leads to its present goals either. The goals are then as before.
    pub fn set_goals(&mut self, graph: &Graph, goals: &[Node]) -> Result<(), UtilityError> {
        let has_way =
            self.follow_edits(graph).is_ok() && self.field.distance(self.node) < f64::INFINITY;
        let mut field = self.field.clone();
        field.set_goals(graph, goals)?;
        let purse = if has_way || field.distance(self.node) < f64::INFINITY {
            purse(graph, &field, self.config.budget, self.node)?
        } else {
            self.purse
        };
        self.cost.update(graph, field.values())?;
        self.ranking.clear();
        (self.field, self.purse, self.came_from) = (field, purse, None);
        Ok(())
    }

    /// The node where it stands or, after a decision, to which it goes.
    #[must_use]
    pub fn node(&self) -> Node {
        self.node
    }
    /// Its hit points. At 0 it goes on: the game decides what that means.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.health
    }
    /// How stuck it is.
    #[must_use]
    pub fn stagnation(&self) -> &Stagnation {
        &self.stagnation
    }
    /// The travel distance to its goals.
    #[must_use]
    pub fn distance_field(&self) -> &DistanceField {
        &self.field
    }
    /// Its cost of standing at each node.
    #[must_use]
    pub fn standing_cost(&self) -> &StandingCost {
        &self.cost
    }
    /// The same, to set weights and curves. It counts from the next tick on.
    pub fn standing_cost_mut(&mut self) -> &mut StandingCost {
        &mut self.cost
    }
    /// One of its indicators, to move threats, for instance. It counts from the next tick on.
    ///
    /// # Errors
    /// [`UtilityError::OtherIndicator`].
    pub fn indicator_mut<I: Indicator>(
        &mut self,
        id: IndicatorId<I>,
    ) -> Result<&mut I, UtilityError> {
        self.cost.get_mut(id)
    }
    /// The fill of every node under [`Strategy::Fill`], before it is multiplied by gamma.
    #[must_use]
    pub fn fill(&self) -> Option<&[f64]> {
        match &self.ranking {
            Ranking::Fill(fill) => Some(fill.values()),
            _ => None,
        }
    }

    fn follow_edits(&mut self, graph: &Graph) -> Result<(), UtilityError> {
        let before = self.field.distance(self.node);
        self.field.update(graph)?;
        let distance = self.field.distance(self.node);
        // An agent that is cut off decides nothing and needs no budget. An agent that is as far
        // away as before keeps its own.
        if distance != before && distance < f64::INFINITY {
            self.purse = purse(graph, &self.field, self.config.budget, self.node)?;
        }
        Ok(())
    }
}

/// A full budget at a node from which a way leads to a goal.
fn purse(
    graph: &Graph,
    field: &DistanceField,
    budget: Option<DetourBudget>,
    node: Node,
) -> Result<Option<Purse>, UtilityError> {
    let distance = field.distance(node);
    if distance == f64::INFINITY {
        return Err(UtilityError::Unreachable { from: node });
    }
    budget.map(|budget| Purse::new(budget, graph, distance)).transpose()
}
