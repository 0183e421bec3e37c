//! What scenarios claim of their outcome, measured over seeds.

use crate::estimate::Estimate;
use crate::scenario::{Claim, Over, Scenario, ScenarioError, Setting, load_with};
use crate::world::{self, RunError};
use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

/// The largest number of seeds.
pub const MAX_SEEDS: u64 = 1_000_000;

/// Why nothing was measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The scenario cannot be used.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A run failed.
    #[error("seed {seed}: {source}")]
    Run {
        /// Its seed.
        seed: u64,
        /// Why.
        source: Box<RunError>,
    },
    /// A number out of its limits.
    #[error("--seeds {seeds}: must be 1 to {MAX_SEEDS}")]
    Seeds {
        /// The number.
        seeds: u64,
    },
}

/// A scenario, or one of its variants, over all seeds.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The variant; `None` for the scenario itself.
    pub variant: Option<String>,
    /// Figures by their keys, sorted; `None` for what is null for every seed.
    pub figures: Vec<(String, Option<Estimate>)>,
    #[serde(skip)]
    every: Vec<Vec<(String, Option<f64>)>>,
}

/// A claim, and whether it holds.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The claim in words.
    pub says: String,
    /// The variant that it is about.
    pub variant: Option<String>,
    /// The figure's key.
    pub outcome: String,
    /// The figure: the mean, or the worst of all seeds; `None` where it is null.
    pub measured: Option<f64>,
    /// From here on it holds.
    pub at_least: Option<f64>,
    /// Up to here it holds.
    pub at_most: Option<f64>,
    /// Whether it does.
    pub holds: bool,
}

/// What came of it; the keys of `verify --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Verification {
    /// The scenario.
    pub scenario: String,
    /// The question that it answers.
    pub question: String,
    /// Seeds 1 to this one were run.
    pub seeds: u64,
    /// Whether every claim holds.
    pub holds: bool,
    /// Claim by claim.
    pub claims: Vec<Verdict>,
    /// The scenario, then its variants.
    pub measured: Vec<Measured>,
    /// Figures that the scenario wants in reports.
    #[serde(skip)]
    pub shown: Vec<String>,
}

/// How many runs a verification makes.
#[must_use]
pub fn runs(scenario: &Scenario, seeds: u64) -> u64 {
    seeds.saturating_mul(1 + scenario.variants.len() as u64)
}

/// Runs a scenario and its variants with seeds 1 to `seeds`, in the current rayon pool.
///
/// # Errors
/// [`VerifyError`].
pub fn verify(
    scenario: &Scenario,
    seeds: u64,
    tick: &(dyn Fn() + Sync),
) -> Result<Verification, VerifyError> {
    verify_as(scenario, &[], seeds, tick)
}

/// The same with settings that hold for every variant.
///
/// # Errors
/// [`VerifyError`].
pub fn verify_as(
    scenario: &Scenario,
    with: &[Setting],
    seeds: u64,
    tick: &(dyn Fn() + Sync),
) -> Result<Verification, VerifyError> {
    if !(1..=MAX_SEEDS).contains(&seeds) {
        return Err(VerifyError::Seeds { seeds });
    }
    let variants = scenario.variants.iter().map(|v| (Some(v.name.clone()), settings(&v.set)));
    let all = [(None, Vec::new())].into_iter().chain(variants);
    let measured: Vec<Measured> = all
        .map(|(variant, settings)| {
            let settings = [with, &settings].concat();
            let scenario = load_with(&scenario.file, &settings)?;
            measure(&scenario, variant, seeds, tick)
        })
        .collect::<Result<_, _>>()?;
    let claims: Vec<_> = scenario.claims.iter().map(|claim| judge(claim, &measured)).collect();
    Ok(Verification {
        scenario: scenario.name.clone(),
        question: scenario.question.clone(),
        seeds,
        holds: claims.iter().all(|verdict| verdict.holds),
        claims,
        measured,
        shown: scenario.figures.clone(),
    })
}

fn settings(set: &toml::Table) -> Vec<Setting> {
    set.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn measure(
    scenario: &Scenario,
    variant: Option<String>,
    seeds: u64,
    tick: &(dyn Fn() + Sync),
) -> Result<Measured, VerifyError> {
    let seeds: Vec<u64> = (1..=seeds).collect();
    let run = |seed: u64| {
        let summary = world::run(scenario, Some(seed), None, &mut |_| {});
        tick();
        let summary =
            summary.map_err(|source| VerifyError::Run { seed, source: Box::new(source) })?;
        Ok::<_, VerifyError>(summary.outcome.figures())
    };
    let every: Vec<_> = seeds.into_par_iter().with_max_len(1).map(run).collect::<Result<_, _>>()?;
    let keys = every.first().into_iter().flatten().map(|(key, _)| key.clone());
    let figures = keys
        .enumerate()
        .map(|(i, key)| (key, Estimate::of(every.iter().map(|run| run.get(i)?.1))))
        .collect();
    Ok(Measured { variant, figures, every })
}

impl Measured {
    fn mean(&self, key: &str) -> Option<f64> {
        self.figures.iter().find(|(name, _)| name == key)?.1.map(|estimate| estimate.mean)
    }

    /// The figure of every seed.
    fn of_seeds(&self, key: &str) -> Vec<Option<f64>> {
        let of = |run: &Vec<(String, Option<f64>)>| run.iter().find(|(name, _)| name == key)?.1;
        self.every.iter().map(of).collect()
    }
}

fn judge(claim: &Claim, measured: &[Measured]) -> Verdict {
    let find = |name: Option<&str>| measured.iter().find(|m| m.variant.as_deref() == name);
    let about = find(claim.variant.as_deref());
    let fits = |v: f64| {
        claim.at_least.is_none_or(|low| v >= low) && claim.at_most.is_none_or(|high| v <= high)
    };
    let figure = match claim.over {
        Over::Mean => about.and_then(|m| m.mean(&claim.outcome)),
        Over::EverySeed => about.and_then(|m| {
            let figures: Option<Vec<f64>> = m.of_seeds(&claim.outcome).into_iter().collect();
            let figures = figures?;
            let broken = figures.iter().copied().find(|&v| !fits(v));
            let worst = if claim.at_least.is_some() { f64::min } else { f64::max };
            broken.or_else(|| figures.into_iter().reduce(worst))
        }),
    };
    let other = claim.relative_to.as_deref().map(|name| (!name.is_empty()).then_some(name));
    let figure = match other {
        None => figure,
        Some(name) => {
            figure.zip(find(name).and_then(|m| m.mean(&claim.outcome))).map(|(a, b)| a / b)
        }
    };
    Verdict {
        says: claim.says.clone(),
        variant: claim.variant.clone(),
        outcome: claim.outcome.clone(),
        measured: figure,
        at_least: claim.at_least,
        at_most: claim.at_most,
        holds: figure.is_some_and(fits),
    }
}
