//! A rule base as it is written down.

use super::error::FuzzyError;
use super::expression::is_name;
use super::rule_base::{Aggregation, Defuzzifier, Implication};
use super::shape::Shape;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An input or the output: a range of numbers, and terms by label.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct Variable {
    /// Its name in rules.
    pub name: String,
    /// `[low, high]`. The terms of the output are cut here. Inputs may lie outside: their terms are
    /// taken where they are.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::numbers::numbers"))]
    pub range: [f64; 2],
    /// The terms by label.
    pub terms: BTreeMap<String, Shape>,
}

/// A rule base as it is written down; [`RuleBase::new`](super::RuleBase::new) checks it.
///
/// In RON the same fields, lists of numbers as tuples: `terms: {"many": ramp((2.0, 8.0))}`. In
/// TOML:
/// ```
/// # #[cfg(feature = "toml")] {
/// let text = r#"
/// aggregation = "max"          # or "sum", the default
/// implication = "min"          # the default, or "product"
/// defuzzifier = "centroid"     # the default is "bisector"
/// rules = [
///     "if wounds is many or foes is near then wish is flee",
///     "if not wounds is many and foes is far then wish is fight with 0.5",
/// ]
///
/// [[inputs]]
/// name = "wounds"
/// range = [0, 10]
/// terms = { many = { ramp = [2, 8] } }
///
/// [[inputs]]
/// name = "foes"
/// range = [0, 50]
/// terms = { near = { ramp = [20, 5] }, far = { sigmoid = [25, 0.4] } }
///
/// [output]
/// name = "wish"
/// range = [0, 1]
/// terms = { flee = { triangle = [0, 0, 0.5] }, fight = { trapezoid = [0.4, 0.8, 1, 1] } }
/// "#;
/// let rules = utility_ai::fuzzy::RuleBase::from_toml(text)?;
/// assert!(rules.infer(&[9.0, 40.0])?.output().value().unwrap() < 0.5);
/// # }
/// # Ok::<(), utility_ai::fuzzy::FuzzyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct Definition {
    /// The inputs, in the order in which [`RuleBase::infer`](super::RuleBase::infer) takes them.
    pub inputs: Vec<Variable>,
    /// The output.
    pub output: Variable,
    /// The rules as text; the form is that of [`fuzzy`](super).
    pub rules: Vec<String>,
    /// The effect of a rule's strength on its term.
    #[cfg_attr(feature = "serde", serde(default))]
    pub implication: Implication,
    /// How the rules are put together.
    #[cfg_attr(feature = "serde", serde(default))]
    pub aggregation: Aggregation,
    /// How the output is read.
    #[cfg_attr(feature = "serde", serde(default))]
    pub defuzzifier: Defuzzifier,
}

impl Definition {
    /// Appendix A of furukawa-2021: health a and stagnation b, both from 0 (its label bad) to 1
    /// (good; of b that means stuck), to z. A label's term fires as far as both inputs have it;
    /// minimum, sum, bisector. (The source calls it the product-sum-gravity method, which it is
    /// not.)
    #[must_use]
    pub fn furukawa() -> Self {
        let terms = || {
            [
                ("bad", Shape::Ramp([0.5, 0.0])),
                ("normal", Shape::Triangle([0.0, 0.5, 1.0])),
                ("good", Shape::Ramp([0.5, 1.0])),
            ]
        };
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            range: [0.0, 1.0],
            terms: terms().map(|(label, shape)| (label.to_owned(), shape)).into(),
        };
        let rule = |(label, _)| format!("if a is {label} and b is {label} then z is {label}");
        Self {
            inputs: vec![variable("a"), variable("b")],
            output: variable("z"),
            rules: terms().map(rule).into(),
            implication: Implication::Min,
            aggregation: Aggregation::Sum,
            defuzzifier: Defuzzifier::Bisector,
        }
    }

    /// All but the rules.
    pub(crate) fn check(&self) -> Result<(), FuzzyError> {
        let empty = |what: &str| Err(FuzzyError::Empty { what: what.to_owned() });
        if self.inputs.is_empty() {
            return empty("inputs");
        }
        if self.rules.is_empty() {
            return empty("rules");
        }
        let variables = || self.inputs.iter().chain([&self.output]);
        for (i, variable) in variables().enumerate() {
            if variables().take(i).any(|other| other.name == variable.name) {
                return Err(FuzzyError::NameTaken { name: variable.name.clone() });
            }
            variable.check()?;
        }
        Ok(())
    }
}

impl Variable {
    fn check(&self) -> Result<(), FuzzyError> {
        let variable = self.name.clone();
        for name in [&self.name].into_iter().chain(self.terms.keys()) {
            if !is_name(name) {
                return Err(FuzzyError::Name { name: name.clone() });
            }
        }
        let [low, high] = self.range;
        if !(low < high && low.abs() <= 1e100 && high.abs() <= 1e100) {
            return Err(FuzzyError::Range { variable, low, high });
        }
        if self.terms.is_empty() {
            return Err(FuzzyError::Empty { what: format!("terms of {variable}") });
        }
        for (label, shape) in &self.terms {
            if let Some(limit) = shape.wrong() {
                let (label, shape) = (label.clone(), format!("{shape:?}"));
                return Err(FuzzyError::Shape { variable, label, shape, limit });
            }
        }
        Ok(())
    }
}
