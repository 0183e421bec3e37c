//! Somebody with a goal, a few fears and hit points.

use crate::budget::{DetourBudget, Guarantee, Purse};
use crate::error::{UtilityError, number};
use crate::explain::{Choice, Explanation, Reason, WeightNote};
use crate::field::DistanceField;
use crate::fuzzy::{Definition, Inference, Output, RuleBase};
use crate::graph::{Graph, Step};
use crate::indicator::{Indicator, Slot, Utility};
use crate::strategy::{Rank, Ranking, Strategy};
use crate::vitality::{Health, HealthConfig, Stagnation, StagnationConfig};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Settings of an [`Agent`]. The default is ours: danger as length, and half of the way as budget.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields, default))]
pub struct AgentConfig {
    /// How it ranks its neighbours.
    pub strategy: Strategy,
    /// How far it may stray; `None`: as far as it likes, and no promise of arrival.
    pub budget: Option<DetourBudget>,
    /// `[units: cost] [limits: finite, >= 0] suggested: 0, as published` By how much better than the
    /// best other neighbour it must be to go back to where it just came from.
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

/// What an agent perceives in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sense {
    /// `[units: distance]` Where it is, `[x, y, z]` with z = 0 in 2D; for stagnation only.
    pub position: [f64; 3],
    /// Whether an attacker is within its reach.
    pub contact: bool,
    /// `[units: time] [limits: finite, >= 0]` Time since the last tick.
    pub dt: f64,
}

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// It stands at a goal.
    Arrived,
    /// Take this edge.
    Go(Step),
}

/// A weight by fuzzy inference from health and stagnation.
#[derive(Clone, Debug)]
struct FuzzyWeight {
    slot: usize,
    rules: RuleBase,
    upper: f64,
    inference: Inference,
    /// Where the next one is made.
    next: Inference,
    z: f64,
}

/// What the published engine takes where no rule fires: the limit from inside.
const NOTHING_FIRED: f64 = 0.5;

fn z_of(inference: &Inference) -> f64 {
    inference.output().value().unwrap_or(NOTHING_FIRED)
}

/// Somebody who moves from node to node toward a goal and away from danger.
///
/// In every frame: tell it of threats ([`Agent::utility_mut`]), then [`Agent::tick`]. Whenever it stands at
/// a node: [`Agent::decide`], and move it along the edge.
///
/// ```
/// use petgraph::graph::UnGraph;
/// use utility_ai::{
///     Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, Graph, Guarantee, Sense, Threat, Utility,
/// };
///
/// // Two ways from 0 to 3: by 1, or by 2, which is a little longer.
/// let edges = [(0, 1, 1.0), (1, 3, 1.0), (0, 2, 1.25), (2, 3, 1.25)];
/// let petgraph = UnGraph::<(), f64>::from_edges(edges);
/// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
///
/// let mut utility = Utility::new(&graph, 1.0)?;
/// let config = DangerConfig { reach: 0.5, falloff: Falloff::Linear };
/// let danger = utility.add("danger", Danger::by_travel(&graph, config)?, 2.0)?;
/// let mut agent = Agent::new(&graph, utility, 0, &[3], AgentConfig::default())?;
///
/// agent.utility_mut().get_mut(danger)?.set_threats(&graph, &[Threat::at_node(1)])?;
/// agent.tick(&graph, Sense { position: [0.0; 3], contact: false, dt: 0.1 })?;
/// // Half of the shortest way is its budget: it arrives within 3, whatever the threats do.
/// assert_eq!(agent.guarantee(&graph)?, Guarantee::Arrival { within: 3.0 });
/// println!("{}", agent.explain(&graph)?);
/// assert!(matches!(agent.decide(&graph)?, Decision::Go(step) if step.to == 2));
/// # Ok::<(), utility_ai::UtilityError>(())
/// ```
#[derive(Debug)]
pub struct Agent {
    config: AgentConfig,
    utility: Utility,
    field: DistanceField,
    ranking: Ranking,
    purse: Option<Purse>,
    fuzzy: Option<FuzzyWeight>,
    health: Health,
    stagnation: Stagnation,
    /// Where it stands, or where it is going to.
    node: usize,
    came_from: Option<usize>,
}

impl Agent {
    /// At `start`, on its way to the nearest of `goals`.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`], [`UtilityError::Unreachable`],
    /// [`UtilityError::Value`], [`UtilityError::Budget`], [`UtilityError::UnstableGamma`], what [`Utility::update`] refuses, such as a
    /// utility of another graph.
    ///
    /// # Complexity
    /// As [`DistanceField::new`] and, with a fill, [`Fill::new`](crate::Fill::new).
    pub fn new(
        graph: &Graph,
        mut utility: Utility,
        start: usize,
        goals: &[usize],
        config: AgentConfig,
    ) -> Result<Self, UtilityError> {
        number("hysteresis", config.hysteresis, config.hysteresis >= 0.0, ">= 0")?;
        graph.check_node(start)?;
        let field = DistanceField::new(graph, goals)?;
        let purse = purse(graph, &field, config.budget, start)?;
        utility.update(graph, field.values())?;
        Ok(Self {
            config,
            utility,
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

    /// From now on the weight of an indicator is `upper * (1 - z)`, renewed at every tick, z being the output of
    /// the rules for health and stagnation (in this order, both 0 to 1), 1/2 where no rule fires: the larger z,
    /// the less it counts. That is the `beta = B - Z` of furukawa-2021; its rules are [`RuleBase::furukawa`].
    ///
    /// One weight at a time: rules set before are dropped, and their indicator keeps its last weight. For other
    /// inputs (how dark it is, what it carries), infer by yourself and call [`Utility::set_weight`].
    ///
    /// ```
    /// # #[cfg(feature = "toml")] {
    /// use petgraph::graph::UnGraph;
    /// use utility_ai::fuzzy::RuleBase;
    /// use utility_ai::{Agent, AgentConfig, Danger, DangerConfig, Falloff, Graph, Utility};
    ///
    /// let rules = RuleBase::from_toml(
    ///     r#"
    ///     rules = ["if health is low and not stuck is much then boldness is little",
    ///              "if not health is low or stuck is much then boldness is great"]
    ///     [[inputs]]
    ///     name = "health"
    ///     range = [0, 1]
    ///     terms = { low = { ramp = [0.8, 0.3] } }
    ///     [[inputs]]
    ///     name = "stuck"
    ///     range = [0, 1]
    ///     terms = { much = { ramp = [0.5, 0.9] } }
    ///     [output]
    ///     name = "boldness"
    ///     range = [0, 1]
    ///     terms = { little = { ramp = [0.4, 0] }, great = { ramp = [0.6, 1] } }
    ///     "#,
    /// )?;
    /// let petgraph = UnGraph::<(), f64>::from_edges([(0, 1, 1.0), (1, 2, 1.0)]);
    /// let graph = Graph::freeze(&petgraph, |edge| *edge.weight())?;
    /// let mut utility = Utility::new(&graph, 1.0)?;
    /// let config = DangerConfig { reach: 2.0, falloff: Falloff::Linear };
    /// let danger = utility.add("danger", Danger::by_travel(&graph, config)?, 5.0)?;
    /// let mut agent = Agent::new(&graph, utility, 0, &[2], AgentConfig::default())?;
    /// agent.set_fuzzy_weight(danger, rules, 5.0)?;
    /// // In full health it is bold, and heeds danger little.
    /// assert!(agent.utility().weight(danger)? < 1.0);
    /// # }
    /// # Ok::<(), utility_ai::UtilityError>(())
    /// ```
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::OtherSlot`]; [`UtilityError::WeightRules`] for rules of other
    /// inputs or ranges. The weight is then as before.
    pub fn set_fuzzy_weight<I: Indicator>(
        &mut self,
        slot: Slot<I>,
        rules: RuleBase,
        upper: f64,
    ) -> Result<(), UtilityError> {
        self.utility.get(slot)?;
        number("upper", upper, upper >= 0.0, ">= 0")?;
        check_weight_rules(rules.definition())?;
        let inputs = [self.health.share(), self.stagnation.share()];
        let (inference, next) = (rules.infer(&inputs)?, rules.infer(&inputs)?);
        let z = z_of(&inference);
        let slot = slot.index();
        let before = self.utility.set_weight_at(slot, upper * (1.0 - z));
        self.utility.sum_again(self.field.values()).inspect_err(|_| {
            self.utility.set_weight_at(slot, before);
        })?;
        self.fuzzy = Some(FuzzyWeight { slot, rules, upper, inference, next, z });
        Ok(())
    }

    /// Drops the rules of [`Agent::set_fuzzy_weight`]; the weight stays what it is.
    pub fn remove_fuzzy_weight(&mut self) {
        self.fuzzy = None;
    }

    /// Lets a tick pass: hit points, stagnation, the fuzzy weight, all indicators, and with
    /// [`Strategy::Fill`] an update of the fill. Returns whether a hit was taken.
    ///
    /// Who has been cut off from its goals lives on: only decisions are refused, until a way leads there
    /// again. Its budget is then a new one. While one of several goals is out of the graph, everything is
    /// refused: name those that are left ([`Agent::set_goals`]).
    ///
    /// # Errors
    /// What [`Utility::update`], [`DistanceField::update`] and [`Fill::update`](crate::Fill::update) refuse, and
    /// [`UtilityError::Value`] for a bad sense. All but the distances and the budget, which follow the graph, is then as before.
    ///
    /// # Complexity
    /// As [`Utility::update`]. Between edits it allocates nothing, once threats have been at their most. The
    /// fill of more than 8192 nodes is spread over the rayon pool that the caller is in (`install`).
    pub fn tick(&mut self, graph: &Graph, sense: Sense) -> Result<bool, UtilityError> {
        number("dt", sense.dt, sense.dt >= 0.0, ">= 0")?;
        for c in sense.position {
            number("position", c, true, "a finite number")?;
        }
        let mut health = self.health;
        let hit = health.pass(sense.dt, sense.contact);
        self.follow_edits(graph)?;
        self.ranking.follow_edits(graph)?;
        let Self { utility, fuzzy, field, .. } = self;
        if let Some(FuzzyWeight { slot, rules, upper, inference, next, z }) = fuzzy {
            let stuck = self.stagnation.share_with(sense.position);
            rules.infer_into(&[health.share(), stuck], next)?;
            let fired = z_of(next);
            let before = utility.set_weight_at(*slot, *upper * (1.0 - fired));
            utility.update(graph, field.values()).inspect_err(|_| {
                utility.set_weight_at(*slot, before);
            })?;
            std::mem::swap(inference, next);
            *z = fired;
        } else {
            utility.update(graph, field.values())?;
        }
        self.ranking.tick(graph, utility, field.goals())?;
        self.health = health;
        self.stagnation.observe(sense.position);
        Ok(hit)
    }

    /// Where to go from here. The agent then counts as being there.
    ///
    /// # Errors
    /// [`UtilityError::Unreachable`], [`UtilityError::GoalRemoved`], [`UtilityError::NoNode`] for an agent whose
    /// node was removed, [`UtilityError::OtherGraph`], what the strategy refuses. The agent then stays where it
    /// is.
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

    /// What holds about arrival at this moment, before the next decision. Distances are those of the graph as it
    /// is; threats, weights and the fill count as of the last tick.
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
            return Ok(Guarantee::Arrival { within: purse.within(distance) });
        }
        if matches!(self.ranking, Ranking::Straight) && self.config.hysteresis == 0.0 {
            return Ok(Guarantee::Arrival { within: distance });
        }
        // Weights that the agent changes by itself do not stay, and who is slow to turn back may not
        // descend.
        let steady = self.fuzzy.is_none() && self.config.hysteresis == 0.0;
        if !(steady && self.ranking.descends_to_goal()) {
            return Ok(Guarantee::None);
        }
        let (mut node, mut within) = (self.node, 0.0);
        for _ in 0..=graph.bound() {
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

    /// Why [`Agent::decide`] would go where it would go now, or why it goes nowhere.
    ///
    /// # Errors
    /// As [`Agent::decide`], but for [`UtilityError::Unreachable`]: that is an explanation.
    pub fn explain(&mut self, graph: &Graph) -> Result<Explanation, UtilityError> {
        let guarantee = match self.guarantee(graph) {
            Err(UtilityError::Unreachable { .. }) => Guarantee::None,
            guarantee => guarantee?,
        };
        let here = self.field.distance(self.node);
        let cut_off = here == f64::INFINITY;
        let choose = |came_from, purse| {
            (!cut_off).then(|| self.choose(graph, self.node, came_from, purse)).flatten()
        };
        let chosen = choose(self.came_from, self.purse);
        let (utility, left) = (&self.utility, self.purse.map(|purse| purse.left()));
        let choices: Vec<Choice> = graph
            .steps(self.node)
            .filter(|step| !cut_off && self.field.distance(step.to) < f64::INFINITY)
            .map(|step| {
                let distance = self.field.distance(step.to);
                let detour = step.length + distance - here;
                let at = utility.distance_weight() * distance;
                let indicators: Vec<f64> =
                    utility.indicators().map(|(_, w, v)| w * v[step.to]).collect();
                let fill = self.ranking.fill(step.to);
                let rank = self.ranking.rank(step, utility, &self.field).0;
                let here = at + indicators.iter().sum::<f64>() + fill.unwrap_or(0.0);
                let beyond = self.ranking.looks_beyond().then_some(rank - here);
                let allowed = left.is_none_or(|left| detour <= left);
                Choice { step, distance: at, indicators, fill, beyond, rank, detour, allowed }
            })
            .collect();
        let free = choose(self.came_from, None);
        let eager = choose(None, self.purse);
        let reason = match chosen {
            None if cut_off => Reason::CutOff,
            None => Reason::AtGoal,
            Some(_) if chosen != free => Reason::BudgetForbidsBetter,
            Some(_) if chosen != eager => Reason::Hysteresis,
            Some(_) => Reason::LowestRank,
        };
        let weights = utility.indicators().map(|(name, weight, _)| (name.to_owned(), weight));
        let weight = self.fuzzy.as_ref().map(|fuzzy| {
            let texts = fuzzy.rules.definition().rules.iter().cloned();
            WeightNote {
                indicator: fuzzy.slot,
                fired: texts.zip(fuzzy.inference.strengths().iter().copied()).collect(),
                z: fuzzy.z,
                nothing_fired: fuzzy.inference.output() == Output::NothingFired,
            }
        });
        Ok(Explanation {
            node: self.node,
            strategy: self.config.strategy,
            weights: weights.collect(),
            choices,
            chosen,
            reason,
            health: self.health.share(),
            stagnation: self.stagnation.share(),
            fuzzy: weight,
            budget_left: left,
            guarantee,
        })
    }

    /// Charges the budget for a length that was walked for nothing, such as back along half an edge and
    /// forth again. Returns whether it was enough: if not, promises made before are void, later ones hold.
    ///
    /// # Errors
    /// [`UtilityError::Value`], what [`DistanceField::update`] refuses.
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
    /// [`UtilityError::NoNode`], [`UtilityError::Unreachable`]; it is then where it was.
    pub fn place(&mut self, graph: &Graph, node: usize) -> Result<(), UtilityError> {
        graph.check_node(node)?;
        self.follow_edits(graph)?;
        self.purse = purse(graph, &self.field, self.config.budget, node)?;
        self.node = node;
        self.came_from = None;
        Ok(())
    }

    /// Other goals. A new promise begins, and all fill is gone.
    ///
    /// # Errors
    /// [`UtilityError::NoGoal`], [`UtilityError::NoNode`]; [`UtilityError::Unreachable`], unless no way leads to
    /// its present goals either. The goals are then as before.
    pub fn set_goals(&mut self, graph: &Graph, goals: &[usize]) -> Result<(), UtilityError> {
        let has_way =
            self.follow_edits(graph).is_ok() && self.field.distance(self.node) < f64::INFINITY;
        let mut field = self.field.clone();
        field.set_goals(graph, goals)?;
        let purse = if has_way || field.distance(self.node) < f64::INFINITY {
            purse(graph, &field, self.config.budget, self.node)?
        } else {
            self.purse
        };
        self.utility.update(graph, field.values())?;
        self.ranking.clear();
        (self.field, self.purse, self.came_from) = (field, purse, None);
        Ok(())
    }

    /// The node where it stands or, after a decision, goes to.
    #[must_use]
    pub fn node(&self) -> usize {
        self.node
    }
    /// Its hit points. At 0 it goes on: what that means is up to the game.
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
    pub fn field(&self) -> &DistanceField {
        &self.field
    }
    /// What its costs are made of.
    #[must_use]
    pub fn utility(&self) -> &Utility {
        &self.utility
    }
    /// The fill of every node under [`Strategy::Fill`], before it is weighed with gamma.
    #[must_use]
    pub fn fill(&self) -> Option<&[f64]> {
        match &self.ranking {
            Ranking::Fill(fill) => Some(fill.values()),
            _ => None,
        }
    }
    /// What its costs are made of, to move threats and set weights; counts from the next tick on.
    pub fn utility_mut(&mut self) -> &mut Utility {
        &mut self.utility
    }

    fn follow_edits(&mut self, graph: &Graph) -> Result<(), UtilityError> {
        let before = self.field.distance(self.node);
        self.field.update(graph)?;
        let distance = self.field.distance(self.node);
        // Who is cut off decides nothing, so needs no budget. Who is as far away as before needs no other.
        if distance != before && distance < f64::INFINITY {
            self.purse = purse(graph, &self.field, self.config.budget, self.node)?;
        }
        Ok(())
    }

    fn prepare(&mut self, graph: &Graph) -> Result<(), UtilityError> {
        self.follow_edits(graph)?;
        graph.check_node(self.node)?;
        if self.field.distance(self.node) == f64::INFINITY {
            return Err(UtilityError::Unreachable { from: self.node });
        }
        self.ranking.refresh(graph, &self.utility, self.field.goals())
    }

    /// The step of the lowest rank of those allowed, of equal ones that to the lowest index; `None` at a
    /// goal.
    fn choose(
        &self,
        graph: &Graph,
        node: usize,
        came_from: Option<usize>,
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
            let mut rank = self.ranking.rank(step, &self.utility, &self.field);
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

/// Health and stagnation, 0 to 1, to a part of a weight.
fn check_weight_rules(rules: &Definition) -> Result<(), UtilityError> {
    let found = |found| Err(UtilityError::WeightRules { found });
    if rules.inputs.len() != 2 {
        return found(format!("these take {}", rules.inputs.len()));
    }
    if let Some(variable) = rules.inputs.iter().find(|input| input.range != [0.0, 1.0]) {
        return found(format!("{} has the range {:?}", variable.name, variable.range));
    }
    let [low, high] = rules.output.range;
    if low < 0.0 || high > 1.0 {
        return found(format!("{} has the range {:?}", rules.output.name, rules.output.range));
    }
    Ok(())
}

/// A full budget at a node from which a way leads to a goal.
fn purse(
    graph: &Graph,
    field: &DistanceField,
    budget: Option<DetourBudget>,
    node: usize,
) -> Result<Option<Purse>, UtilityError> {
    let distance = field.distance(node);
    if distance == f64::INFINITY {
        return Err(UtilityError::Unreachable { from: node });
    }
    budget.map(|budget| Purse::new(budget, graph, distance)).transpose()
}
