//! The commands that run many scenes: `verify`, `sweep`, `reproduce`.

use super::{Done, Error, PageArguments, progress, show, ticks};
use crate::maps::printable;
use crate::output::{OutFolder, Sharing, Whole, WriteError};
use crate::papers::Reproduction;
use crate::study::sweep::{Plan, Progress, Shard, SweepSummary};
use crate::study::verify::Seeds;
use crate::study::{sweep, verify};
use crate::{pages, papers, scenario};
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn verify(name: &str, seeds: Seeds, to: &PageArguments) -> Done {
    let built_in = scenario::built_in().iter().map(|b| b.name);
    let names = if name == "all" { built_in.collect() } else { vec![name] };
    let scenarios = names.into_iter().map(scenario::load).collect::<Result<Vec<_>, _>>()?;
    let page = begin(to.page.as_deref())?;
    let mut all = Vec::new();
    for scenario in scenarios {
        let (runs, what) = (verify::runs(&scenario, seeds.count), scenario.name.clone());
        let verification =
            verify::verify(&scenario, seeds, &ticks(runs, &format!("runs of {what}")))?;
        show(to.json, &verification, || pages::verdicts(&verification))?;
        all.push(verification);
    }
    finish(page, || pages::scenarios(&all, name, &file_of(to), "../sim-harness"))?;
    let refuted = all.iter().filter(|v| v.claims.iter().any(|verdict| verdict.refuted));
    let refuted: Vec<_> = refuted.map(|v| v.scenario.as_str()).collect();
    if refuted.is_empty() {
        return Ok(());
    }
    Err(format!("{}: what was measured contradicts what is claimed", refuted.join(", ")).into())
}

pub(super) fn reproduce(name: &str, seeds: u64, out: Option<&Path>, to: &PageArguments) -> Done {
    let experiments = papers::select(name)?;
    let page = begin(to.page.as_deref())?;
    let folder = out.map(|out| OutFolder::open(out, Sharing::Alone)).transpose()?;
    let mut all = Vec::new();
    for experiment in experiments {
        let mut outcome = experiment.run(seeds, &ticks(experiment.ticks(seeds), "runs"))?;
        show(to.json, &outcome, || outcome.table())?;
        if folder.is_some() {
            outcome.pictures = experiment.draw()?;
        }
        all.push(outcome);
    }
    if let Some(folder) = &folder {
        draw(&all, folder)?;
    }
    finish(page, || pages::reproduced(&all, name, seeds, out, &file_of(to)))
}

/// Writes the pictures, and a page that shows them.
fn draw(all: &[Reproduction], folder: &OutFolder) -> Result<(), WriteError> {
    let mut files = Vec::new();
    for reproduction in all {
        for picture in &reproduction.pictures {
            let path = folder.join(&reproduction.file_of(picture));
            files.push(Whole::of(path, &picture.png)?);
        }
    }
    let index = pages::pictures(all);
    files.push(Whole::of(folder.join("index.html"), index.as_bytes())?);
    Whole::place(files)
}

pub(super) fn search(name: &str, trials: u64, seeds: u64, to: &PageArguments) -> Done {
    let page = begin(to.page.as_deref())?;
    let found = papers::search(name, trials, seeds, &ticks(0, "games"))?;
    show(to.json, &found, || found.table())?;
    finish(page, || pages::searched(&found, &file_of(to)))
}

#[cfg(feature = "schema")]
pub(super) fn schema(to: Option<&Path>) -> Done {
    match to {
        None => super::print_json(&crate::parameters::schema()),
        to => finish(begin(to)?, pages::parameters::page),
    }
}

#[cfg(not(feature = "schema"))]
pub(super) fn schema(_: Option<&Path>) -> Done {
    Err("schema: this program was built without it; build it with --features schema".into())
}

/// Where the page goes.
fn file_of(to: &PageArguments) -> String {
    to.page.as_deref().unwrap_or(Path::new("")).display().to_string()
}

/// Begins a page before its contents are measured, so that a page that cannot be written is noticed
/// in time.
fn begin(page: Option<&Path>) -> Result<Option<Whole>, Error> {
    if let Some(page) = page.filter(|page| page.is_dir()) {
        return Err(format!("{}: is a folder", page.display()).into());
    }
    Ok(page.map(Whole::new).transpose()?)
}

fn finish(page: Option<Whole>, text: impl FnOnce() -> String) -> Done {
    let Some(mut page) = page else { return Ok(()) };
    page.write(|out| out.write_all(text().as_bytes()))?;
    Ok(Whole::place(vec![page])?)
}

pub(super) fn sweep(plan: &Path, out: Option<&Path>, shard: &str, json: bool) -> Done {
    let parsed = shard.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let shard = match parsed {
        Some((index, of)) if (1..=of).contains(&index) && of <= 1_000_000 => Shard { index, of },
        _ => {
            let shard = printable(shard);
            let limits = "must be i/n, i from 1 to n, n at most 10^6";
            return Err(format!("--shard {shard}: {limits}").into());
        }
    };
    let beside = plan.with_extension("rows");
    let folder = out.unwrap_or(&beside);
    let plan = Plan::read(plan)?;
    let bar = progress(plan.runs(), "runs");
    let told = |what| match what {
        Progress::Points(count) => bar.set_length(count),
        Progress::Runs(count) => {
            bar.reset();
            bar.set_length(count);
        }
        Progress::One => bar.inc(1),
    };
    let summary = sweep::run(&plan, folder, shard, &told)?;
    bar.finish_and_clear();
    show(json, &summary, || table(&summary, plan.shown()))
}

/// The figures that the scenario is about, or all that vary, where it names none.
fn table(summary: &SweepSummary, shown: &[String]) -> String {
    let SweepSummary { scenario, runs, made, kept, missing, .. } = summary;
    let mut text = format!("{scenario}: {runs} runs, {made} made now, {kept} were there\n");
    if *missing > 0 {
        text += &format!("{missing} are for other shards; there are tables once all are there\n");
        return text;
    }
    // Figures that are the same everywhere tell nothing about the parameters.
    let varies = |key: &str| {
        let mut means = summary.points.iter().map(|p| p.means.get(key).map(|e| (e.mean, e.low)));
        let first = means.next().flatten();
        first.is_none_or(|(mean, low)| low < mean) || means.any(|other| other != first)
    };
    let keys: BTreeSet<&str> = match shown {
        [] => summary.points.iter().flat_map(|p| p.means.keys()).map(String::as_str).collect(),
        shown => shown.iter().map(String::as_str).collect(),
    };
    let keys: BTreeSet<&str> =
        keys.into_iter().filter(|key| !shown.is_empty() || varies(key)).collect();
    for point in &summary.points {
        let settings = point.parameters.iter().map(|(key, value)| format!("{key} = {value}"));
        let settings: Vec<_> = settings.collect();
        text += &format!("point {}: {}\n", point.point, settings.join(", "));
        for (key, estimate) in point.means.iter().filter(|(key, _)| keys.contains(key.as_str())) {
            text += &format!("  {key}: {estimate}\n");
        }
    }
    let files: Vec<_> = summary.files.iter().map(|f| f.display().to_string()).collect();
    text += &format!("written: {} (all figures)\n", files.join(", "));
    if cfg!(not(feature = "parquet")) {
        text += "for rows.parquet, build this program with --features parquet\n";
    }
    text
}
