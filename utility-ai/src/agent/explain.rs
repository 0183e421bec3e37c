//! Why an agent does what it does.

use super::Agent;
use super::budget::Guarantee;
use super::strategy::Strategy;
use crate::error::UtilityError;
use crate::fuzzy::Output;
use crate::graph::{Graph, Step};
use crate::ids::Node;
use std::fmt;

/// Why an agent would take the step that it would take, term by term. `Display` makes a table of
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Where it stands.
    pub node: Node,
    /// How it ranks its neighbours.
    pub strategy: Strategy,
    /// Names and weights of the indicators.
    pub weights: Vec<(String, f64)>,
    /// Its neighbours from which a way leads to a goal, by ascending index; none if it is cut
    /// off. The text has the chosen one first, then the lowest rank.
    pub choices: Vec<Choice>,
    /// The step that it would take; `None` at a goal, and if it is cut off from all goals.
    pub chosen: Option<Step>,
    /// The reason of the decision.
    pub reason: Reason,
    /// `[units: most hit points]` Its hit points.
    pub health: f64,
    /// How stuck it is, 0 to 1.
    pub stagnation: f64,
    /// Where a weight comes from, if by inference.
    pub fuzzy: Option<WeightNote>,
    /// `[units: length]` The rest of the budget.
    pub budget_left: Option<f64>,
    /// What is certain about arrival.
    pub guarantee: Guarantee,
}

/// A neighbour.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The edge to it.
    pub step: Step,
    /// `[units: cost]` The part of its travel distance.
    pub distance: f64,
    /// `[units: cost]` The parts of the indicators, in the order of [`Explanation::weights`].
    pub indicators: Vec<f64>,
    /// `[units: cost]` The part of the fill, where there is one.
    pub fill: Option<f64>,
    /// `[units: cost]` The part of its rank from beyond the neighbour itself. Under
    /// [`Flood`](Strategy::Flood) it is by how much the flood has raised the neighbour. Under
    /// [`Weighted`](Strategy::Weighted) it is the edge to the neighbour and the danger on all the
    /// rest of the way, less the indicators right at the neighbour, which count there by the length
    /// of the edge; so it may be below 0. `None` where ranks look no further.
    pub beyond: Option<f64>,
    /// `[units: cost]` Its rank: the lowest wins. It is the sum of distance, indicators, fill and
    /// beyond, up to rounding; under [`Straight`](Strategy::Straight) the length of the way alone.
    pub rank: f64,
    /// `[units: length]` How much longer the way becomes.
    pub detour: f64,
    /// Whether the budget allows it.
    pub allowed: bool,
}

/// The reason of the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It stands at a goal.
    AtGoal,
    /// No way leads to a goal.
    CutOff,
    /// The neighbour's rank is the lowest.
    LowestRank,
    /// Others rank lower, but the budget does not allow them.
    BudgetForbidsBetter,
    /// The node that it came from ranks lower, but not by enough to turn back.
    Hysteresis,
}

/// Where a fuzzy weight comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightNote {
    /// The indicator's place in [`Explanation::weights`].
    pub indicator: usize,
    /// Each rule, and how strongly it fired.
    pub fired: Vec<(String, f64)>,
    /// The output.
    pub z: f64,
    /// No rule fired: z is then 1/2, or what [`Agent::set_unfired`] says.
    pub nothing_fired: bool,
}

impl Agent {
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
        let (cost, left) = (&self.cost, self.purse.map(|purse| purse.left()));
        let choices: Vec<Choice> = graph
            .steps(self.node)
            .filter(|step| !cut_off && self.field.distance(step.to) < f64::INFINITY)
            .map(|step| {
                let distance = self.field.distance(step.to);
                let detour = step.length + distance - here;
                let at = cost.distance_weight() * distance;
                let indicators: Vec<f64> =
                    cost.indicators().map(|(_, w, v)| w * v[step.to]).collect();
                let fill = self.ranking.fill(step.to);
                let rank = self.ranking.rank(step, cost, &self.field).0;
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
        let weights = cost.indicators().map(|(name, weight, _)| (name.to_owned(), weight));
        let weight = self.fuzzy.as_ref().map(|fuzzy| {
            let texts = fuzzy.rules.definition().rules.iter().cloned();
            WeightNote {
                indicator: fuzzy.index,
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
}

impl Explanation {
    /// The table of [`Display`](fmt::Display) with nodes called by `name` in place of their
    /// indices, by the coordinates of a cell for instance.
    ///
    /// ```
    /// use petgraph::graph::UnGraph;
    /// use utility_ai::{Agent, AgentConfig, Graph, StandingCost};
    ///
    /// # fn main() -> Result<(), utility_ai::UtilityError> {
    /// let graph = Graph::freeze(&UnGraph::<(), ()>::from_edges([(0, 1)]), |_| 1.0)?;
    /// let cost = StandingCost::new(&graph, 1.0)?;
    /// let mut agent = Agent::new(&graph, cost, 0, &[1], AgentConfig::default())?;
    /// let why = agent.explain(&graph)?;
    /// let names = ["inn", "mill"];
    /// let table = why.named(|node| names[node].to_owned()).to_string();
    /// assert!(table.starts_with("node inn -> mill: the lowest rank"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn named(&self, name: impl Fn(Node) -> String) -> impl fmt::Display {
        Named { explanation: self, name }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|node| node.to_string())
    }
}

struct Named<'a, N> {
    explanation: &'a Explanation,
    name: N,
}

impl<N: Fn(Node) -> String> fmt::Display for Named<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explanation.write(f, &self.name)
    }
}

impl Explanation {
    fn write(&self, f: &mut fmt::Formatter<'_>, name: &dyn Fn(Node) -> String) -> fmt::Result {
        let here = name(self.node);
        match (self.chosen, self.reason) {
            (None, Reason::CutOff) => return writeln!(f, "node {here}: no way leads to a goal"),
            (None, _) => return writeln!(f, "node {here}: at the goal"),
            (Some(step), reason) => {
                let of = self.choices.len();
                let why = match reason {
                    Reason::BudgetForbidsBetter => "the best that the budget allows".to_owned(),
                    Reason::Hysteresis => "going back is not enough better".to_owned(),
                    Reason::LowestRank | Reason::AtGoal | Reason::CutOff => {
                        format!("the lowest rank of {of}")
                    }
                };
                writeln!(f, "node {here} -> {}: {why}", name(step.to))?;
            }
        }
        write!(f, "{:>9} {:>10} {:>10} {:>10}", "neighbour", "rank", "detour", "distance")?;
        for (name, _) in &self.weights {
            write!(f, " {name:>10}")?;
        }
        let any = |is: fn(&Choice) -> bool| self.choices.iter().any(is);
        let fill = if any(|c| c.fill.is_some()) { "       fill" } else { "" };
        let beyond = if any(|c| c.beyond.is_some()) { "     beyond" } else { "" };
        writeln!(f, "{fill}{beyond}")?;
        // The chosen one first, then the lowest rank.
        let is_chosen = |choice: &Choice| self.chosen.is_some_and(|c| c.to == choice.step.to);
        let mut choices: Vec<&Choice> = self.choices.iter().collect();
        choices.sort_by(|a, b| is_chosen(b).cmp(&is_chosen(a)).then(a.rank.total_cmp(&b.rank)));
        for choice in choices {
            let Choice { step, rank, detour, distance, .. } = choice;
            let to = name(step.to);
            write!(f, "{to:>9} {rank:>10.3} {detour:>10.3} {distance:>10.3}")?;
            for value in choice.indicators.iter().chain(&choice.fill).chain(&choice.beyond) {
                write!(f, " {value:>10.3}")?;
            }
            let mark = if is_chosen(choice) { " <-" } else { "" };
            writeln!(f, "{}{mark}", if choice.allowed { "" } else { " over budget" })?;
        }
        if self.strategy == Strategy::Straight {
            writeln!(f, "rank = length of the way")?;
        } else {
            let weights = self.weights.iter().map(|(name, _)| name.as_str());
            let fill = any(|c| c.fill.is_some()).then_some("fill");
            let beyond = any(|c| c.beyond.is_some()).then_some("beyond");
            let terms = std::iter::once("distance").chain(weights).chain(fill).chain(beyond);
            writeln!(f, "rank = {}", terms.collect::<Vec<_>>().join(" + "))?;
        }
        if let Some(note) = &self.fuzzy {
            let (name, weight) = &self.weights[note.indicator];
            let Self { health, stagnation, .. } = self;
            writeln!(
                f,
                "weight of {name}: {weight:.3} (health {health:.2}, stagnation {stagnation:.2}, z = {:.3}{})",
                note.z,
                if note.nothing_fired { ", no rule fired" } else { "" },
            )?;
            for (rule, strength) in note.fired.iter().filter(|(_, strength)| *strength > 0.0) {
                writeln!(f, "  {strength:.3} {rule}")?;
            }
        }
        match self.guarantee {
            Guarantee::Arrival { within } => {
                writeln!(f, "arrives within {within:.3}, whatever the threats do")
            }
            Guarantee::WhileStill { within } => {
                writeln!(f, "arrives within {within:.3} as long as the threats stay")
            }
            Guarantee::None => writeln!(f, "arrival is not guaranteed"),
        }
    }
}
