//! The weight of an indicator by fuzzy inference from hit points and stagnation.

use super::Agent;
use crate::error::{UtilityError, number};
use crate::fuzzy::{Definition, Inference, RuleBase};
use crate::ids::IndicatorId;
use crate::indicators::StandingCost;

/// Rules that set a weight.
#[derive(Clone, Debug)]
pub(super) struct FuzzyWeight {
    /// The indicator's place in the sum.
    pub(super) index: usize,
    pub(super) rules: RuleBase,
    upper: f64,
    pub(super) inference: Inference,
    /// The next inference, until it is taken over.
    next: Inference,
    /// z where no rule fires.
    unfired: f64,
    pub(super) z: f64,
}

/// z where no rule fires, unless another is set: the limit from inside.
const NOTHING_FIRED: f64 = 0.5;

impl FuzzyWeight {
    /// Fires the rules and sets the weight. If `sum` refuses it, all is as before.
    pub(super) fn update(
        &mut self,
        inputs: [f64; 2],
        cost: &mut StandingCost,
        sum: impl FnOnce(&mut StandingCost) -> Result<(), UtilityError>,
    ) -> Result<(), UtilityError> {
        self.rules.infer_into(&inputs, &mut self.next)?;
        let z = self.next.output().value().unwrap_or(self.unfired);
        let before = cost.set_weight_at(self.index, self.upper * (1.0 - z))?;
        if let Err(error) = sum(cost) {
            cost.set_weight_at(self.index, before)?;
            return Err(error);
        }
        std::mem::swap(&mut self.inference, &mut self.next);
        self.z = z;
        Ok(())
    }
}

impl Agent {
    /// From now on the weight of an indicator is `upper * (1 - z)`, renewed at every tick. z is the
    /// output of the rules for health and stagnation, in this order, both 0 to 1. Where no rule
    /// fires, z is 1/2, or what [`Agent::set_unfired`] says. The larger z is, the less the
    /// indicator counts. That is the `beta = B - Z` of furukawa-2021; its rules are
    /// [`RuleBase::furukawa`].
    ///
    /// Only one weight at a time can be set by rules. Rules that were set before are dropped, and
    /// their indicator keeps its last weight. For other inputs (how dark it is, what it carries),
    /// infer yourself and call [`StandingCost::set_weight`].
    ///
    /// ```
    /// # #[cfg(feature = "toml")] {
    /// use petgraph::graph::UnGraph;
    /// use utility_ai::fuzzy::RuleBase;
    /// use utility_ai::{Agent, AgentConfig, Danger, DangerConfig, Falloff, Graph, StandingCost};
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
    /// let mut cost = StandingCost::new(&graph, 1.0)?;
    /// let config = DangerConfig { reach: 2.0, falloff: Falloff::Linear };
    /// let danger = cost.add("danger", Danger::by_travel(&graph, config)?, 5.0)?;
    /// let mut agent = Agent::new(&graph, cost, 0, &[2], AgentConfig::default())?;
    /// agent.set_fuzzy_weight(danger, rules, 5.0)?;
    /// // In full health it is bold, and danger counts little.
    /// assert!(agent.standing_cost().weight(danger)? < 1.0);
    /// # }
    /// # Ok::<(), utility_ai::UtilityError>(())
    /// ```
    ///
    /// # Errors
    /// [`UtilityError::Value`], [`UtilityError::OtherIndicator`]; [`UtilityError::WeightRules`] for
    /// rules with other inputs or ranges. The weight is then as before.
    pub fn set_fuzzy_weight<I>(
        &mut self,
        indicator: IndicatorId<I>,
        rules: RuleBase,
        upper: f64,
    ) -> Result<(), UtilityError> {
        let index = self.cost.index(indicator)?;
        number("upper", upper, upper >= 0.0, ">= 0")?;
        self.set_rules(index, rules, upper)
    }

    fn set_rules(&mut self, index: usize, rules: RuleBase, upper: f64) -> Result<(), UtilityError> {
        check_weight_rules(rules.definition())?;
        let inputs = [self.health.share(), self.stagnation.share()];
        let inference = rules.infer(&inputs)?;
        let next = inference.clone();
        let unfired = NOTHING_FIRED;
        let mut weight = FuzzyWeight { index, rules, upper, inference, next, unfired, z: 0.0 };
        let distances = self.field.values();
        weight.update(inputs, &mut self.cost, |cost| cost.sum_again(distances))?;
        self.fuzzy = Some(weight);
        Ok(())
    }

    /// Sets z where none of the rules of [`Agent::set_fuzzy_weight`] fires:
    /// `[limits: 0 to 1] suggested: 0.5` It counts from the next tick on, until rules are set
    /// again. furukawa-2021 leaves it open: 1/2 is the limit from inside; its appendix's loop ends
    /// with 0, since half of an area of 0 is reached at once.
    ///
    /// # Errors
    /// [`UtilityError::Value`]; z is then as before.
    pub fn set_unfired(&mut self, z: f64) -> Result<(), UtilityError> {
        number("unfired", z, (0.0..=1.0).contains(&z), "0 to 1")?;
        if let Some(weight) = &mut self.fuzzy {
            weight.unfired = z;
        }
        Ok(())
    }

    /// Drops the rules of [`Agent::set_fuzzy_weight`]. The weight stays as it is.
    pub fn remove_fuzzy_weight(&mut self) {
        self.fuzzy = None;
    }
}

/// Rules from health and stagnation, 0 to 1, to a part of a weight.
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
