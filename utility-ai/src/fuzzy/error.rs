//! What can be wrong with a rule base or with the inputs of an inference.

use thiserror::Error;

/// Why a rule base was refused or gave no result.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FuzzyError {
    /// A list that must not be empty.
    #[error("there are no {what}")]
    Empty {
        /// `inputs`, `rules`, or `terms of` a variable.
        what: String,
    },
    /// A name or label that rules could not tell from their own words.
    #[error(
        "{name:?} is no name: letters, digits and _ only, no digit first, not if, is, not, and, or, then, with"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Two variables of one name.
    #[error("there are two variables of the name {name:?}")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A range that is empty or not finite.
    #[error("the range of {variable} is {low:?} to {high:?}: it must be finite and ascending")]
    Range {
        /// The variable.
        variable: String,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// Numbers that make no shape.
    #[error("{variable} is {label}: {shape} is no shape: {limit}")]
    Shape {
        /// The variable.
        variable: String,
        /// The term's label.
        label: String,
        /// The shape.
        shape: String,
        /// The condition on its numbers.
        limit: &'static str,
    },
    /// A term of the output that has no area within the output's range, or none to speak of.
    #[error(
        "{variable} is {label}: the term has no area from {low:?} to {high:?}, where it must somewhere be above 1e-300"
    )]
    OutOfRange {
        /// The output's name.
        variable: String,
        /// The term's label.
        label: String,
        /// The range's lower end.
        low: f64,
        /// The range's upper end.
        high: f64,
    },
    /// A rule that cannot be understood.
    #[error("rule {number} ({rule:?}): {problem}")]
    Rule {
        /// Counted from 1.
        number: usize,
        /// The rule's text.
        rule: String,
        /// Its fault.
        problem: RuleProblem,
    },
    /// As many numbers as inputs are needed.
    #[error("{found} inputs were given, there are {expected}")]
    InputCount {
        /// Numbers given.
        found: usize,
        /// Inputs of the rule base.
        expected: usize,
    },
    /// An input that is not a number.
    #[error("{variable} = {value:?}: it must be finite")]
    Input {
        /// The input's name.
        variable: String,
        /// Its value.
        value: f64,
    },
    /// A text that is not of its format.
    #[error("{format}, line {line}: {message}")]
    Format {
        /// `TOML` or `RON`.
        format: &'static str,
        /// Counted from 1; 0 where it is not known.
        line: usize,
        /// The fault.
        message: String,
    },
}

/// The fault of a rule.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RuleProblem {
    /// Another word is needed here.
    #[error("expected {expected} at column {column}, found {found}")]
    Syntax {
        /// Counted from 1.
        column: usize,
        /// The words that could be there.
        expected: &'static str,
        /// The word that is there.
        found: String,
    },
    /// A rule without a condition.
    #[error("there is no condition between if and then")]
    NoAntecedent,
    /// A variable that the rule base does not have.
    #[error("there is no input {name:?}; there are: {known}")]
    UnknownVariable {
        /// The name.
        name: String,
        /// The names that may be there.
        known: String,
    },
    /// Something other than the output behind `then`.
    #[error("{name:?} is not the output: that is {output}")]
    NotTheOutput {
        /// The name.
        name: String,
        /// The output's name.
        output: String,
    },
    /// A label that the variable does not have.
    #[error("{variable} has no label {label:?}; it has: {known}")]
    UnknownLabel {
        /// The variable.
        variable: String,
        /// The label.
        label: String,
        /// The names that it has.
        known: String,
    },
    /// A weight out of its limits.
    #[error("the weight is {weight:?}: it must be above 0 and at most 1")]
    Weight {
        /// The weight.
        weight: f64,
    },
    /// Parentheses or `not` nested too deeply.
    #[error("it is nested deeper than {most} levels")]
    TooDeep {
        /// The most levels.
        most: usize,
    },
}
