//! The plan of a sweep, as data.

use super::SweepError;
use super::columns::{of_parameters, plain_key};
use crate::scenario::{
    EvaderMind, Scenario, ScenarioError, Setting, check_key, load, load_with, number, read, text_of,
};
use crate::world::Outcome;
use crate::{input, memory};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The most runs of a sweep.
const MAX_RUNS: u64 = 100_000_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// A built-in scenario, or a file, from where the plan lies.
    scenario: String,
    /// Which seeds every point is run with.
    seeds: Seeds,
    /// Which points of the parameters' space are run.
    #[serde(default)]
    sample: Sample,
    /// What is varied.
    #[serde(default)]
    parameters: Vec<Parameter>,
}

/// Which seeds every point is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seeds {
    /// `[limits: 0 to 2^64 - 1; so is the last one] suggested: 1`
    #[serde(default = "number::<u64, 1>")]
    pub first: u64,
    /// `[units: seeds] [limits: >= 1] suggested: 30`
    pub count: u64,
}

/// Which points of the parameters' space are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sample {
    /// Every combination of values; the last parameter changes fastest.
    #[default]
    Grid,
    /// So many points, every parameter drawn by itself.
    Random {
        /// `[units: points] [limits: >= 1]`
        count: u64,
        /// Where the draws start.
        seed: u64,
    },
}

/// What is varied: listed values, or a range.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// A key of the scenario, with dots, such as `evaders.0.speed`.
    pub key: String,
    /// Its values.
    pub values: Option<Vec<toml::Value>>,
    /// `[limits: finite, ascending]` In place of values: from, to. Of a key that takes whole
    /// numbers, list `values`.
    pub range: Option<[f64; 2]>,
    /// `[units: values] [limits: >= 2]` On a grid, how many values of the range are taken, both
    /// ends among them.
    pub steps: Option<u64>,
}

/// A plan that can be run.
#[derive(Clone, Debug)]
pub struct Plan {
    scenario: String,
    seeds: Seeds,
    points: Vec<Vec<Setting>>,
    keys: Vec<String>,
    columns: Vec<String>,
    figures: Vec<String>,
    shown: Vec<String>,
    fingerprint: u64,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`SweepError::Plan`], [`SweepError::Scenario`].
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let file = path.display().to_string();
        let plan = |reason: String| SweepError::Plan { file: file.clone(), reason };
        let text = input::read_text(path).map_err(|e| plan(e.to_string()))?;
        let mut parsed: File = read(&file, &text).map_err(|e| match e {
            // A fault of the plan is not one of the scenario.
            ScenarioError::Key { file, key, reason } => {
                SweepError::Plan { file, reason: format!("{key}: {reason}") }
            }
            ScenarioError::Syntax { file, reason } => SweepError::Plan { file, reason },
            other => SweepError::Scenario(other),
        })?;
        if Path::new(&parsed.scenario).extension().is_some_and(|e| e == "toml")
            && let Some(folder) = path.parent()
        {
            parsed.scenario = folder.join(&parsed.scenario).display().to_string();
        }
        let scenario = load(&parsed.scenario)?;
        let how_many = how_many(&parsed).map_err(plan)?;
        let Seeds { first, count } = parsed.seeds;
        let runs = how_many.checked_mul(count);
        let Some(runs) = runs.filter(|runs| (1..=MAX_RUNS).contains(runs)) else {
            return Err(plan(format!(
                "seeds.count = {count}: with {how_many} points it must give 1 to {MAX_RUNS} runs"
            )));
        };
        let mut figures: Vec<String> = figures_of(&scenario).collect();
        // All points and, at the end, all rows are in memory: before any is made, it is known how
        // much that is.
        let needs = how_many
            .saturating_mul(of_point(&parsed.parameters))
            .saturating_add(runs.saturating_mul(of_row(figures.len())));
        memory::check(needs)
            .map_err(|e| plan(format!("{how_many} points, {runs} runs: the sweep {e}")))?;
        let points = points(&parsed);
        let mut others = figures_of_groups(&parsed.scenario, &points);
        others.retain(|figure| !figures.contains(figure));
        if !others.is_empty() {
            figures.extend(others);
            figures.sort();
        }
        if first.checked_add(count - 1).is_none() {
            return Err(plan(format!(
                "seeds.first = {first}, seeds.count = {count}: the last seed, first + count - 1, must be at \
                 most 2^64 - 1 = {}",
                u64::MAX
            )));
        }
        // The meaning of a row depends on both texts and on all files. One that cannot be read is
        // refused where it is built.
        let mut whole = format!("{text}\0{}", text_of(&parsed.scenario)?).into_bytes();
        for file in files(&scenario, &points) {
            whole.push(0);
            whole.extend(input::read(&file).unwrap_or_default());
        }
        let keys: Vec<String> = parsed.parameters.into_iter().map(|p| p.key).collect();
        Ok(Self {
            columns: of_parameters(&keys, &figures),
            figures,
            shown: scenario.figures,
            scenario: parsed.scenario,
            seeds: parsed.seeds,
            keys,
            points,
            fingerprint: xxh3_64(&whole),
        })
    }

    /// The scenario's name or file.
    #[must_use]
    pub fn scenario(&self) -> &str {
        &self.scenario
    }
    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> u64 {
        self.points.len() as u64
    }
    /// How many runs there are: points times seeds.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.points() * self.seeds.count
    }
    /// What is varied.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }
    /// The tables' columns of the varied keys: the keys, or `set.` and the key where another column
    /// has that name, such as `steps`.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
    /// Figures that the scenario wants in reports.
    #[must_use]
    pub fn shown(&self) -> &[String] {
        &self.shown
    }
    /// The outcome's figures, sorted.
    #[must_use]
    pub fn figures(&self) -> &[String] {
        &self.figures
    }
    /// Equal for equal plans of equal scenarios on equal maps.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
    /// A run's point and seed.
    #[must_use]
    pub fn run(&self, run: u64) -> (u64, u64) {
        (run / self.seeds.count, self.seeds.first + run % self.seeds.count)
    }
    /// A point's settings.
    #[must_use]
    pub fn settings(&self, point: u64) -> Vec<Setting> {
        self.points.get(point as usize).cloned().unwrap_or_default()
    }
}

/// The keys of an outcome's figures.
fn figures_of(scenario: &Scenario) -> impl Iterator<Item = String> {
    Outcome::of(scenario).figures().into_iter().map(|(key, _)| key)
}

/// The figures of points where the groups that pursue are varied, or their names.
fn figures_of_groups(scenario: &str, points: &[Vec<Setting>]) -> BTreeSet<String> {
    let names = |(key, _): &&Setting| {
        let key = plain_key(key);
        let parts: Vec<&str> = key.split('.').collect();
        matches!(parts[..], ["pursuers"] | ["pursuers", _] | ["pursuers", _, "name"])
    };
    let mut seen = BTreeSet::new();
    let other = |point: &&Vec<Setting>| {
        let groups: Vec<_> = point.iter().filter(names).collect();
        !groups.is_empty() && seen.insert(format!("{groups:?}"))
    };
    // One that cannot be read is refused where it is built.
    let varied = points.iter().filter(other).filter_map(|point| load_with(scenario, point).ok());
    varied.flat_map(|scenario| figures_of(&scenario).collect::<Vec<_>>()).collect()
}

/// The files that points read: maps, and rules.
fn files(scenario: &Scenario, points: &[Vec<Setting>]) -> BTreeSet<PathBuf> {
    let mut varied = Vec::new();
    for (key, value) in points.iter().flatten() {
        files_at(&plain_key(key), value, &mut varied);
    }
    let rules = scenario.evaders.iter().filter_map(|group| match &group.mind {
        EvaderMind::Utility(mind) => mind.fuzzy.file(),
        _ => None,
    });
    let files = varied.into_iter().chain(scenario.map.file.as_deref()).chain(rules);
    files.map(|file| scenario.beside(file)).collect()
}

/// The files that a value names, at a key or within a table or list there.
fn files_at<'a>(key: &str, value: &'a toml::Value, files: &mut Vec<&'a str>) {
    match value {
        toml::Value::String(file) => {
            let is_file = key == "map.file" || key.ends_with(".mind.utility.fuzzy");
            files.extend(is_file.then_some(&**file));
        }
        toml::Value::Table(table) => {
            table.iter().for_each(|(name, value)| files_at(&format!("{key}.{name}"), value, files));
        }
        toml::Value::Array(list) => {
            let numbered = list.iter().enumerate();
            numbered.for_each(|(i, value)| files_at(&format!("{key}.{i}"), value, files));
        }
        _ => {}
    }
}

/// `[units: bytes]` The memory of a point.
fn of_point(parameters: &[Parameter]) -> u64 {
    let of = |parameter: &Parameter| {
        let values = parameter.values.iter().flatten().map(|value| value.to_string().len());
        // A key, a value that may hold others, and the overhead of the allocator for both.
        size_of::<Setting>() + parameter.key.len() + 4 * values.max().unwrap_or(0) + 64
    };
    64 + parameters.iter().map(of).sum::<usize>() as u64
}

/// `[units: bytes]` The memory of a row: it is there twice while tables are written, once as
/// numbers and once as text.
fn of_row(figures: usize) -> u64 {
    400 + 48 * figures as u64
}

/// The number of points, or the fault.
fn how_many(file: &File) -> Result<u64, String> {
    let random = matches!(file.sample, Sample::Random { .. });
    for (i, parameter) in file.parameters.iter().enumerate() {
        let key = format!("parameters[{i}]");
        if let Err(limit) = check_key(&parameter.key) {
            let begin: String = parameter.key.chars().take(40).collect();
            return Err(format!("{key} ({begin}…): {limit}"));
        }
        let plain = plain_key(&parameter.key);
        if plain == "seed" {
            return Err(format!(
                "{key}: seed is no parameter: every point is run with all of `seeds`"
            ));
        }
        let fits = match (&parameter.values, parameter.range, parameter.steps) {
            (Some(values), None, None) => !values.is_empty(),
            (None, Some([low, high]), steps) => {
                let steps = if random { steps.is_none() } else { steps.is_some_and(|n| n >= 2) };
                low < high && (high - low).is_finite() && steps
            }
            _ => false,
        };
        if !fits {
            let steps = if random { "" } else { " and 2 steps or more" };
            return Err(format!(
                "{key} ({}): needs either values, or an ascending range of finite width{steps}",
                parameter.key
            ));
        }
        if file.parameters[..i].iter().any(|other| plain_key(&other.key) == plain) {
            return Err(format!("{key}: {} is varied twice", parameter.key));
        }
        // Parameters are set in their order, so the part would come to nothing.
        let lost = |other: &Parameter| {
            plain_key(&other.key).strip_prefix(&plain).is_some_and(|rest| rest.starts_with('.'))
        };
        if let Some(part) = file.parameters[..i].iter().position(lost) {
            return Err(format!(
                "{key}: {} sets all of {} again, which parameters[{part}] varies: leave one out, or let the \
                 whole stand before its part",
                parameter.key, file.parameters[part].key
            ));
        }
        // A value that stands twice would be drawn twice as often, but on a grid runs would be the
        // same.
        let mut seen = BTreeSet::new();
        let as_text = |value: &toml::Value| match value {
            toml::Value::Integer(number) => (*number as f64).to_string(),
            toml::Value::Float(number) => number.to_string(),
            other => other.to_string(),
        };
        let values = parameter.values.iter().flatten();
        if let Some(value) = values.filter(|_| !random).find(|value| !seen.insert(as_text(value))) {
            return Err(format!("{key} ({}): {value} stands twice in values", parameter.key));
        }
    }
    match file.sample {
        Sample::Grid => {
            let values = file.parameters.iter().map(|parameter| {
                parameter.values.as_ref().map_or(parameter.steps.unwrap_or(0), |v| v.len() as u64)
            });
            let points = values.fold(1, u64::saturating_mul);
            if points > MAX_RUNS {
                return Err(format!("the grid has {points} points: at most {MAX_RUNS}"));
            }
            Ok(points)
        }
        Sample::Random { count, .. } if (1..=MAX_RUNS).contains(&count) => Ok(count),
        Sample::Random { count, .. } => {
            Err(format!("sample.random.count = {count}: must be 1 to {MAX_RUNS}"))
        }
    }
}

/// All points of a plan that was found right.
fn points(file: &File) -> Vec<Vec<Setting>> {
    let of = |value: f64| toml::Value::Float(value);
    match file.sample {
        Sample::Grid => {
            let mut points = vec![Vec::new()];
            for parameter in &file.parameters {
                let values = match (&parameter.values, parameter.range, parameter.steps) {
                    (Some(values), ..) => values.clone(),
                    (None, Some([low, high]), Some(steps)) => {
                        let part = |i: u64| i as f64 / (steps - 1) as f64;
                        (0..steps).map(|i| of(low + (high - low) * part(i))).collect()
                    }
                    _ => Vec::new(),
                };
                points = points
                    .into_iter()
                    .flat_map(|point: Vec<Setting>| {
                        values.iter().map(move |value| {
                            let setting = (parameter.key.clone(), value.clone());
                            point.iter().cloned().chain([setting]).collect()
                        })
                    })
                    .collect();
            }
            points
        }
        Sample::Random { count, seed } => {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut draw = |parameter: &Parameter| {
                let value = match (&parameter.values, parameter.range) {
                    (Some(values), _) => {
                        values[rng.random_range(0..values.len() as u64) as usize].clone()
                    }
                    (None, Some([low, high])) => of(low + (high - low) * rng.random::<f64>()),
                    (None, None) => of(0.0),
                };
                (parameter.key.clone(), value)
            };
            let point = |_| file.parameters.iter().map(&mut draw).collect();
            (0..count).map(point).collect()
        }
    }
}
