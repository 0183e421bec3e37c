//! Many runs of a scenario: a grid or a random sample of parameters times seeds.
//!
//! Every run that ends is a row in a journal, a CSV file that is only ever appended to and synced
//! row by row. A run that is in a journal is never run again, whichever shard it was, and a row
//! that was half written when the machine stopped is cut off. Every row carries a check: a journal
//! that was changed since is refused, by the line. Shards may run at the same time in one folder.
//! Once all rows are there, they are written in the order of the runs, as `rows.csv` and
//! `rows.parquet`, with `means.csv`: the same bytes for any number of shards and threads, and
//! however often it was interrupted.

mod columns;
mod journal;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod table;

pub use plan::{Parameter, Plan, Sample, Seeds};

use crate::output::{OutFolder, Sharing, WriteError};
use crate::printable::line;
use crate::scenario::{ScenarioError, load_with};
use crate::study::estimate::Estimate;
use crate::world::{self, RunError, Runs};
use journal::{Journal, Row};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use thiserror::Error;

/// Why a sweep did not run to its end. Rows that were written stay.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The plan cannot be used.
    #[error("{}", line(&format!("{file}: {reason}")))]
    Plan {
        /// Its file, with the line where that is known.
        file: String,
        /// The fault.
        reason: String,
    },
    /// The scenario that it names cannot be used.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A point's scenario cannot be built.
    #[error("point {point}, seed {seed}: {source}")]
    Point {
        /// Its number.
        point: u64,
        /// With this seed.
        seed: u64,
        /// Why.
        source: Box<RunError>,
    },
    /// A run failed.
    #[error("run {run}: {source}")]
    Run {
        /// Its number.
        run: u64,
        /// Why.
        source: Box<RunError>,
    },
    /// A file of the output folder cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file of the output folder is not this sweep's.
    #[error("{}", line(&format!("{}: {reason}", path.display())))]
    Folder {
        /// The file.
        path: PathBuf,
        /// Its fault.
        reason: String,
    },
}

/// A part of all runs, for job arrays: those whose number is `index - 1` modulo `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// `[limits: 1 to of]`
    pub index: u64,
    /// `[limits: 1 to 10^6]`
    pub of: u64,
}

/// The results of a sweep's point; the keys are those of the command's JSON.
#[derive(Clone, Debug, Serialize)]
pub struct PointSummary {
    /// Its number.
    pub point: u64,
    /// Its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Every figure's mean over seeds, but for figures that are null in all runs.
    pub means: BTreeMap<String, Estimate>,
}

/// The results of a sweep; the keys are those of the command's JSON.
#[derive(Clone, Debug, Serialize)]
pub struct SweepSummary {
    /// The scenario.
    pub scenario: String,
    /// Runs of the whole sweep.
    pub runs: u64,
    /// Runs that this call made.
    pub made: u64,
    /// Runs that were there before.
    pub kept: u64,
    /// Runs that other shards have still to make. While there are any, there are no tables.
    pub missing: u64,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// Point by point, once all runs are there.
    pub points: Vec<PointSummary>,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many points are built, to check that they can be.
    Points(u64),
    /// So many runs are made.
    Runs(u64),
    /// One of them is done.
    One,
}

/// Runs a sweep's shard in the current rayon pool and writes into `folder`.
///
/// Points of which the shard has runs to make are built with their first such seed before any of
/// them runs, and before a file is written. So impossible points are refused in time, unless only
/// other seeds show that.
///
/// # Errors
/// [`SweepError`].
pub fn run(
    plan: &Plan,
    folder: &Path,
    shard: Shard,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<SweepSummary, SweepError> {
    for point in 0..plan.points() {
        load_with(plan.scenario(), &plan.settings(point))?;
    }
    let is_due = |run: &u64, rows: &BTreeMap<u64, Row>| {
        run % shard.of == shard.index - 1 && !rows.contains_key(run)
    };
    // Before anything is made there.
    let is_owned = journal::is_owned(plan, folder)?;
    let rows = if is_owned { journal::read_all(plan, folder)? } else { BTreeMap::new() };
    let mut firsts: Vec<u64> = (0..plan.runs()).filter(|run| is_due(run, &rows)).collect();
    firsts.dedup_by_key(|run| plan.run(*run).0);
    progress(Progress::Points(firsts.len() as u64));
    let build = |run: u64| {
        let (point, seed) = plan.run(run);
        let scenario = load_with(plan.scenario(), &plan.settings(point))?;
        let built = Runs::of(&scenario).build(Some(seed));
        progress(Progress::One);
        built.map_err(|source| SweepError::Point { point, seed, source: Box::new(source) })
    };
    let refused = firsts.into_par_iter().find_map_first(|run| build(run).err());
    refused.map_or(Ok(()), Err)?;
    let folder = OutFolder::open(folder, Sharing::Together)?;
    let (journal, kept) = Journal::open(plan, &folder, shard)?;
    let due: Vec<u64> = (0..plan.runs()).filter(|run| is_due(run, &kept)).collect();
    progress(Progress::Runs(due.len() as u64));
    let journal = Mutex::new(journal);
    due.par_iter().with_max_len(1).try_for_each(|&run| {
        let (point, seed) = plan.run(run);
        let failed = |source| SweepError::Run { run, source: Box::new(source) };
        let scenario = load_with(plan.scenario(), &plan.settings(point))?;
        let summary = world::run(&scenario, Some(seed), None, &mut |_| {}).map_err(failed)?;
        let row = Row::new(plan, run, &summary);
        // A poisoned lock means that another thread panicked, which ends the sweep anyway.
        let mut journal = journal.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        journal.append(&row)?;
        progress(Progress::One);
        Ok::<(), SweepError>(())
    })?;
    drop(journal);
    let rows = journal::read_all(plan, folder.path())?;
    let mut summary = SweepSummary {
        scenario: plan.scenario().to_owned(),
        runs: plan.runs(),
        made: due.len() as u64,
        kept: kept.len() as u64,
        missing: plan.runs() - rows.len() as u64,
        files: Vec::new(),
        points: Vec::new(),
    };
    if summary.missing == 0 {
        let rows: Vec<Row> = rows.into_values().collect();
        summary.points = points(plan, &rows);
        summary.files = table::write(plan, &folder, &rows, &summary.points)?;
    }
    Ok(summary)
}

fn points(plan: &Plan, rows: &[Row]) -> Vec<PointSummary> {
    let seeds = plan.runs() / plan.points();
    let point = |(point, rows): (usize, &[Row])| {
        let figure = |i: usize| Estimate::of(rows.iter().map(|row| row.figures[i]));
        let names = plan.figures().iter().enumerate();
        let settings = plan.settings(point as u64);
        PointSummary {
            point: point as u64,
            parameters: settings.into_iter().map(|(key, value)| (key, value.to_string())).collect(),
            means: names.filter_map(|(i, name)| Some((name.clone(), figure(i)?))).collect(),
        }
    };
    rows.chunks(seeds as usize).enumerate().map(point).collect()
}
