//! Inputs, output and rules, checked.

use super::definition::Definition;
use super::error::FuzzyError;
use super::expression::{self, Rule};
use super::inference::Inference;
use super::shape::LEAST_HEIGHT;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The effect of a rule's strength on its term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
pub enum Implication {
    /// Cuts it off at that height.
    #[default]
    Min,
    /// Scales it.
    Product,
}

/// How rules are put together at a number of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
pub enum Aggregation {
    /// They add up, also beyond 1.
    #[default]
    Sum,
    /// The largest counts.
    Max,
}

/// How one number is read from the results of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Defuzzifier {
    /// Half of the area lies on each side.
    #[default]
    Bisector,
    /// The centre of gravity of the area.
    Centroid,
    /// The mean of all numbers at which the height is largest.
    MeanOfMaximum,
    /// The smallest of these.
    SmallestOfMaximum,
    /// The largest of these.
    LargestOfMaximum,
}

/// A term of the output, ready for inference.
#[derive(Clone, Debug)]
pub(crate) struct OutputTerm {
    /// From the lower to the upper end of the range.
    pub(crate) polygon: Vec<[f64; 2]>,
    /// Its largest height.
    pub(crate) peak: f64,
}

/// A rule base that makes sense: every name and label is known, every term is a shape.
#[derive(Clone, Debug)]
pub struct RuleBase {
    definition: Definition,
    rules: Vec<Rule>,
    pub(crate) terms: Vec<OutputTerm>,
}

impl RuleBase {
    /// Checks a definition.
    ///
    /// # Errors
    /// [`FuzzyError`], which names the rule and the label that is wrong.
    pub fn new(definition: Definition) -> Result<Self, FuzzyError> {
        definition.check()?;
        let mut rules = Vec::with_capacity(definition.rules.len());
        for (i, text) in definition.rules.iter().enumerate() {
            let rule = expression::parse(text, &definition);
            rules.push(rule.map_err(|problem| FuzzyError::Rule {
                number: i + 1,
                rule: text.clone(),
                problem,
            })?);
        }
        let output = &definition.output;
        let [low, high] = output.range;
        let mut terms = Vec::with_capacity(output.terms.len());
        for (label, shape) in &output.terms {
            let polygon = shape.polygon(low, high);
            let flat =
                |ends: &[[f64; 2]]| ends[0][0] == ends[1][0] || ends[0][1] + ends[1][1] <= 0.0;
            let peak = polygon.iter().map(|corner| corner[1]).fold(0.0, f64::max);
            if polygon.windows(2).all(flat) || peak < LEAST_HEIGHT {
                let (variable, label) = (output.name.clone(), label.clone());
                return Err(FuzzyError::OutOfRange { variable, label, low, high });
            }
            terms.push(OutputTerm { polygon, peak });
        }
        Ok(Self { definition, rules, terms })
    }

    /// The engine of furukawa-2021, appendix A: [`Definition::furukawa`].
    ///
    /// # Panics
    /// Never: the definition is sound, and a test says so.
    #[must_use]
    pub fn furukawa() -> Self {
        Self::new(Definition::furukawa()).expect("the appendix is sound")
    }

    /// Reads a [`Definition`] in TOML.
    ///
    /// # Errors
    /// [`FuzzyError::Format`] with the line; otherwise as [`RuleBase::new`].
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str) -> Result<Self, FuzzyError> {
        let definition: Result<Definition, _> = toml::from_str(text);
        Self::new(definition.map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            FuzzyError::Format { format: "TOML", line, message: one_line(error.message()) }
        })?)
    }

    /// Reads a [`Definition`] in RON.
    ///
    /// # Errors
    /// [`FuzzyError::Format`] with the line; otherwise as [`RuleBase::new`].
    #[cfg(feature = "ron")]
    pub fn from_ron(text: &str) -> Result<Self, FuzzyError> {
        let definition: Result<Definition, _> = ron::from_str(text);
        Self::new(definition.map_err(|error| FuzzyError::Format {
            format: "RON",
            line: error.span.start.line,
            message: one_line(&error.code.to_string()),
        })?)
    }

    /// The definition that it was made from.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Fires the rules on numbers, one per input in the order of the definition.
    ///
    /// # Errors
    /// [`FuzzyError::InputCount`], [`FuzzyError::Input`].
    ///
    /// # Complexity
    /// O(rules * corners of the output's terms * log of that).
    pub fn infer(&self, inputs: &[f64]) -> Result<Inference, FuzzyError> {
        let mut inference = Inference::default();
        self.infer_into(inputs, &mut inference)?;
        Ok(inference)
    }

    /// The same into an inference made before, which then allocates nothing. On an error it is as
    /// it was before.
    ///
    /// # Errors
    /// As [`RuleBase::infer`].
    pub fn infer_into(&self, inputs: &[f64], result: &mut Inference) -> Result<(), FuzzyError> {
        let variables = &self.definition.inputs;
        if inputs.len() != variables.len() {
            let (found, expected) = (inputs.len(), variables.len());
            return Err(FuzzyError::InputCount { found, expected });
        }
        for (variable, &value) in variables.iter().zip(inputs) {
            if !value.is_finite() {
                return Err(FuzzyError::Input { variable: variable.name.clone(), value });
            }
        }
        result.memberships.clear();
        for (variable, &value) in variables.iter().zip(inputs) {
            result.memberships.extend(variable.terms.values().map(|shape| shape.at(value)));
        }
        let Inference { memberships, strengths, .. } = result;
        strengths.clear();
        strengths.extend(self.rules.iter().map(|r| r.weight * r.condition.strength(memberships)));
        result.defuzzifier = self.definition.defuzzifier;
        result.aggregate(self);
        Ok(())
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

#[cfg(any(feature = "toml", feature = "ron"))]
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
