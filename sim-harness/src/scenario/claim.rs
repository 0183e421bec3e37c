//! What must come of a scenario, and what it is compared with, as data.

use serde::{Deserialize, Serialize};

/// A limit for a figure of the outcome: for that of every seed, or for all of the 95 % interval of
/// the mean.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// In words.
    pub says: String,
    /// A key of the outcome, with dots for keys within keys; true counts 1, false 0. Null, or a key
    /// that is not there, breaks the claim.
    pub outcome: String,
    /// The variant that it is about; left out, the scenario itself.
    pub variant: Option<String>,
    /// Divides the mean by that of the same figure of another variant, `""` being the scenario
    /// itself. Seeds are paired.
    pub relative_to: Option<String>,
    /// What is compared.
    #[serde(default)]
    pub over: Over,
    /// `[limits: finite]` It holds from here on.
    pub at_least: Option<f64>,
    /// `[limits: finite]` It holds up to here.
    pub at_most: Option<f64>,
}

/// What a claim compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The figure of every seed.
    #[default]
    EverySeed,
    /// The mean of all seeds.
    Mean,
}

/// The same scenario with other settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Keys of the file, with dots for tables and numbers for places in lists, such as
    /// `"evaders.0.speed"`, and what they are then.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")
    )]
    pub set: toml::Table,
}
