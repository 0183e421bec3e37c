//! Claims of scenarios about their outcome, measured over seeds.

use crate::printable::line;
use crate::scenario::{
    Claim, Over, Scenario, ScenarioError, Setting, again_with, nearest, variants,
};
use crate::study::estimate::Estimate;
use crate::world::{Outcome, RunError, Runs};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
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
    /// A claim is about no figure, or reports are to show none.
    #[error("{}", line(&format!("{file}: {key} = {name}: no such figure ({hint})")))]
    Figure {
        /// The scenario's file.
        file: String,
        /// The key that names it.
        key: String,
        /// The name in it.
        name: String,
        /// The name that may have been meant.
        hint: String,
    },
    /// Seeds are numbers of 64 bits.
    #[error(
        "--first {first} --seeds {seeds}: the last seed, first + seeds - 1, must be at most 2^64 - 1 = {}",
        u64::MAX
    )]
    First {
        /// The first of them.
        first: u64,
        /// How many there are.
        seeds: u64,
    },
}

/// Seeds one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seeds {
    /// The first one.
    pub first: u64,
    /// How many there are.
    pub count: u64,
}

impl Seeds {
    /// All of them.
    ///
    /// # Errors
    /// [`VerifyError::Seeds`], [`VerifyError::First`].
    fn all(self) -> Result<RangeInclusive<u64>, VerifyError> {
        let Self { first, count } = self;
        if !(1..=MAX_SEEDS).contains(&count) {
            return Err(VerifyError::Seeds { seeds: count });
        }
        let last = first.checked_add(count - 1);
        last.map(|last| first..=last).ok_or(VerifyError::First { first, seeds: count })
    }
}

impl std::fmt::Display for Seeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {}", self.first, self.first.saturating_add(self.count - 1))
    }
}

/// A scenario, or one of its variants, over all seeds.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The variant; `None` for the scenario itself.
    pub variant: Option<String>,
    /// Figures by their keys, sorted; `None` for a figure that is null for every seed.
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
    /// The variant by whose mean it is divided, `""` being the scenario itself.
    pub relative_to: Option<String>,
    /// The figure: the mean, its ratio to a variant's, or the worst of all seeds; `None` where it
    /// is null for a seed.
    pub measured: Option<f64>,
    /// The interval of a mean or a ratio with a confidence of 95 %, with paired seeds.
    pub interval: Option<[f64; 2]>,
    /// From here on it holds.
    pub at_least: Option<f64>,
    /// Up to here it holds.
    pub at_most: Option<f64>,
    /// Whether it does.
    pub holds: bool,
    /// Whether the measurements contradict it. If they do not and it does not hold, more seeds
    /// would decide.
    pub refuted: bool,
}

/// The results; the keys of `verify --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Verification {
    /// The scenario.
    pub scenario: String,
    /// Its file, or its name if it is built in.
    #[serde(skip)]
    pub file: String,
    /// The question that it answers.
    pub question: String,
    /// The seeds that were run.
    pub seeds: Seeds,
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

/// Runs a scenario and its variants with every seed, in the current rayon pool.
///
/// # Errors
/// [`VerifyError`].
pub fn verify(
    scenario: &Scenario,
    seeds: Seeds,
    tick: &(dyn Fn() + Sync),
) -> Result<Verification, VerifyError> {
    verify_as(scenario, &[], seeds, tick)
}

/// The same with more settings, which hold for every variant, as do those that the scenario was
/// loaded with.
///
/// # Errors
/// [`VerifyError`].
pub fn verify_as(
    scenario: &Scenario,
    with: &[Setting],
    seeds: Seeds,
    tick: &(dyn Fn() + Sync),
) -> Result<Verification, VerifyError> {
    let range = seeds.all()?;
    let names = scenario.variants.iter().map(|variant| Some(variant.name.clone()));
    let with: Vec<Setting> = scenario.origin.settings().iter().chain(with).cloned().collect();
    let itself = again_with(scenario, &with)?;
    let variants = variants(scenario, &with)?;
    let all = [None].into_iter().chain(names).zip([itself].into_iter().chain(variants));
    let all: Vec<(Option<String>, Scenario)> = all.collect();
    check_names(scenario, all.iter().map(|(_, scenario)| scenario))?;
    let measured: Vec<Measured> = all
        .iter()
        .map(|(variant, scenario)| measure(scenario, variant.clone(), range.clone(), tick))
        .collect::<Result<_, _>>()?;
    let claims: Vec<_> = scenario.claims.iter().map(|claim| judge(claim, &measured)).collect();
    Ok(Verification {
        scenario: scenario.name.clone(),
        file: scenario.origin.file().to_owned(),
        question: scenario.question.clone(),
        seeds,
        holds: claims.iter().all(|verdict| verdict.holds),
        claims,
        measured,
        shown: scenario.figures.clone(),
    })
}

/// Checks that a scenario's claims are about figures of it or of its variants, and that it shows
/// only such figures.
///
/// # Errors
/// [`VerifyError::Scenario`], [`VerifyError::Figure`].
pub fn check_figures(scenario: &Scenario) -> Result<(), VerifyError> {
    // `run --set` runs no variant, so these are checked as the file has them.
    check_names(scenario, variants(scenario, &[])?.iter().chain([scenario]))
}

fn check_names<'a>(
    scenario: &Scenario,
    all: impl Iterator<Item = &'a Scenario>,
) -> Result<(), VerifyError> {
    let known: BTreeSet<String> =
        all.flat_map(|s| Outcome::of(s).figures()).map(|(key, _)| key).collect();
    let known = || known.iter().map(String::as_str);
    let claims = scenario.claims.iter().enumerate();
    let claims = claims.map(|(i, claim)| (format!("claims[{i}].outcome"), &claim.outcome));
    let shown = scenario.figures.iter().enumerate();
    let shown = shown.map(|(i, name)| (format!("figures[{i}]"), name));
    for (key, name) in claims.chain(shown) {
        if known().all(|other| other != name) {
            let hint = nearest(name, known()).map_or_else(
                || "verify --json names all".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            let (file, name) = (scenario.origin.of(&key), name.clone());
            return Err(VerifyError::Figure { file, key, name, hint });
        }
    }
    Ok(())
}

fn measure(
    scenario: &Scenario,
    variant: Option<String>,
    seeds: RangeInclusive<u64>,
    tick: &(dyn Fn() + Sync),
) -> Result<Measured, VerifyError> {
    let seeds: Vec<u64> = seeds.collect();
    let runs = Runs::of(scenario);
    let run = |seed: u64| {
        let summary = runs.run(Some(seed), None, &mut |_| {});
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
    /// The figure of every seed, `None` if one of them is null.
    fn of_seeds(&self, key: &str) -> Option<Vec<f64>> {
        let of = |run: &Vec<(String, Option<f64>)>| run.iter().find(|(name, _)| name == key)?.1;
        self.every.iter().map(of).collect()
    }
}

/// A claim for every seed holds where the worst seed is within its limits, one about means where
/// all of the interval is.
fn judge(claim: &Claim, measured: &[Measured]) -> Verdict {
    let find = |name: Option<&str>| measured.iter().find(|m| m.variant.as_deref() == name);
    let figures_of = |name| find(name)?.of_seeds(&claim.outcome);
    let figures = figures_of(claim.variant.as_deref());
    let relative_to = claim.relative_to.as_deref();
    let others = relative_to.and_then(|name| figures_of((!name.is_empty()).then_some(name)));
    // A division by 0 leaves the claim open; a null figure makes it wrong.
    let is_open = figures.is_some() && others.is_some();
    let estimate = match (claim.over, relative_to) {
        (_, Some(_)) => figures
            .zip(others)
            .and_then(|(a, b)| Estimate::of_ratio(&a.into_iter().zip(b).collect::<Vec<_>>())),
        (Over::Mean, None) => figures.and_then(|all| Estimate::of(all.into_iter().map(Some))),
        (Over::EverySeed, None) => figures.and_then(|all| {
            let point = |v| Estimate { count: 1, mean: v, low: v, high: v };
            let fits = |v: &f64| point(*v).is_within(claim.at_least, claim.at_most);
            let worst = if claim.at_least.is_some() { f64::min } else { f64::max };
            let broken = all.iter().copied().find(|v| !fits(v));
            broken.or_else(|| all.into_iter().reduce(worst)).map(point)
        }),
    };
    let is_mean = claim.over == Over::Mean || claim.relative_to.is_some();
    let holds = estimate.is_some_and(|e| e.is_within(claim.at_least, claim.at_most));
    let is_outside = |e: Estimate| {
        claim.at_least.is_some_and(|low| e.high < low)
            || claim.at_most.is_some_and(|high| e.low > high)
    };
    Verdict {
        says: claim.says.clone(),
        variant: claim.variant.clone(),
        outcome: claim.outcome.clone(),
        relative_to: claim.relative_to.clone(),
        measured: estimate.map(|e| e.mean),
        interval: estimate.filter(|_| is_mean).map(|e| [e.low, e.high]),
        at_least: claim.at_least,
        at_most: claim.at_most,
        holds,
        refuted: estimate.map_or(!is_open, is_outside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(variant: Option<&str>, hits: &[Option<f64>]) -> Measured {
        let every = hits.iter().map(|&v| vec![("hits".to_owned(), v)]).collect();
        Measured { variant: variant.map(str::to_owned), figures: Vec::new(), every }
    }

    #[test]
    fn what_is_null_refutes_and_what_nothing_can_be_said_of_is_open() {
        let verdict = |hits: &[Option<f64>], others: &[Option<f64>], relative: bool| {
            let claim = Claim {
                says: String::new(),
                outcome: "hits".to_owned(),
                variant: None,
                relative_to: relative.then(|| "other".to_owned()),
                over: Over::Mean,
                at_least: None,
                at_most: Some(0.5),
            };
            let verdict = judge(&claim, &[measured(None, hits), measured(Some("other"), others)]);
            (verdict.holds, verdict.refuted)
        };
        let [zeros, ones, twos] = [0.0, 1.0, 2.0].map(|v| [Some(v); 4]);
        let nulls = [None; 4];
        assert_eq!(verdict(&zeros, &ones, true), (true, false));
        assert_eq!(verdict(&twos, &ones, true), (false, true));
        // Divided by 0.
        assert_eq!(verdict(&ones, &zeros, true), (false, false));
        // Too few seeds.
        assert_eq!(verdict(&zeros[..1], &ones[..1], true), (false, false));
        for (hits, others) in [(&nulls, &ones), (&ones, &nulls), (&nulls, &zeros)] {
            assert_eq!(verdict(hits, others, true), (false, true), "{hits:?} {others:?}");
        }
        assert_eq!(verdict(&nulls, &ones, false), (false, true));
    }
}
