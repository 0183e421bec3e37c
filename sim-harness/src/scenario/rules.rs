//! Fuzzy rules as data: the source's, a file of them, or their text.

use super::syntax::check_depth;
use super::{Scenario, ScenarioError};
use crate::input;
use serde::{Deserialize, Serialize};
use std::path::Path;
use utility_ai::fuzzy::RuleBase;

/// By which rules hit points and stagnation set the danger's weight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "rules are true, false, a file that ends in .ron or .toml, { ron = \"..\" } or { toml = \"..\" }"
)]
pub enum Rules {
    /// True: those of furukawa-2021, appendix A. False: none.
    Published(bool),
    /// A file, from where the scenario's file lies.
    File(String),
    /// The rules themselves.
    Text(RulesText),
}

/// Rules in place of a file of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RulesText {
    /// In RON.
    Ron(String),
    /// In TOML.
    Toml(String),
}

impl Default for Rules {
    fn default() -> Self {
        Self::Published(true)
    }
}

impl Rules {
    /// The rules, read and checked; `None` where there are none. `key` stands in errors.
    ///
    /// # Errors
    /// [`ScenarioError::Value`] for a file that cannot be read or whose name ends otherwise, and
    /// for rules that make no rule base: with their line, or their number and what is wrong.
    pub fn read(&self, scenario: &Scenario, key: &str) -> Result<Option<RuleBase>, ScenarioError> {
        let (value, rules) = match self {
            Self::Published(false) => return Ok(None),
            Self::Published(true) => return Ok(Some(RuleBase::furukawa())),
            Self::Text(RulesText::Ron(text)) => ("{ ron }".to_owned(), from_ron(text)),
            Self::Text(RulesText::Toml(text)) => ("{ toml }".to_owned(), from_toml(text)),
            Self::File(file) => {
                let value = format!("{file:?}");
                let refuse = |limit: String| scenario.origin.refuse(key, &value, limit);
                let from_text = match Path::new(file).extension().and_then(|end| end.to_str()) {
                    Some("ron") => from_ron,
                    Some("toml") => from_toml,
                    _ => return Err(refuse("must end in .ron or .toml".to_owned())),
                };
                let text = input::read_text(&scenario.beside(file));
                let text = text.map_err(|e| refuse(e.to_string()))?;
                (value, from_text(&text))
            }
        };
        rules.map(Some).map_err(|limit| scenario.origin.refuse(key, value, limit))
    }

    /// The file, where there is one.
    #[cfg(feature = "study")]
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Self::File(file) => Some(file),
            Self::Published(_) | Self::Text(_) => None,
        }
    }
}

fn from_ron(text: &str) -> Result<RuleBase, String> {
    RuleBase::from_ron(text).map_err(|e| e.to_string())
}

fn from_toml(text: &str) -> Result<RuleBase, String> {
    check_depth(text).map_err(|(line, limit)| format!("line {line}: {limit}"))?;
    RuleBase::from_toml(text).map_err(|e| e.to_string())
}
