//! `run` and `new`: a scenario, once or whenever its file is saved; a file to begin with.

use super::{Done, complain, print, print_json, progress, setting, ticks, whole};
use crate::maps::printable;
use crate::pages;
use crate::record::{Heat, Recorder};
use crate::scenario::{self, BuiltIn};
use crate::study::verify::{self, MAX_SEEDS};
use crate::world::{Runs, Watch};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The scenario that `new` writes if none is copied.
const STARTER: &str = include_str!("../../scenarios/new/starter.toml");
/// How often a watched file is looked at.
const LOOK: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
pub(super) struct RunArguments {
    scenario: String,
    /// Seeds all that is random, in place of the scenario's own seed.
    #[arg(long, value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// Worker threads; default: all cores. The result is the same for any number.
    #[arg(long, value_parser = whole::<usize>)]
    pub(super) threads: Option<usize>,
    /// Writes summary.json, trace.jsonl, final.png and report.html into this folder.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Also writes film.gif there.
    #[arg(long, requires = "out")]
    gif: bool,
    /// Also runs so many seeds, 1 to 10^6, from this run's own on: where all their pursuers walk
    /// and where evaders are caught are layers of the report.
    #[arg(long, value_name = "SEEDS", requires = "out", value_parser = whole::<u32>)]
    heat: Option<u32>,
    /// Runs again whenever the scenario's file is saved; a report that is open shows the new run.
    #[arg(long, requires = "out")]
    watch: bool,
    /// Sets a key of the scenario, such as evaders.0.speed=2; may stand several times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RunArguments) -> Done {
    if !arguments.watch {
        return once(arguments);
    }
    let file = Path::new(&arguments.scenario);
    if !file.is_file() {
        return Err(format!("--watch: {} is no file", printable(&arguments.scenario)).into());
    }
    loop {
        let before = saved(file);
        // A mistake is told, and the next save is waited for.
        if let Err(error) = once(arguments) {
            complain(&error);
        }
        while saved(file) == before {
            std::thread::sleep(LOOK);
        }
    }
}

/// When a file was written, and how long it is. None: it is not there, as some editors have it
/// while they save.
fn saved(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn once(arguments: &RunArguments) -> Done {
    let is_wrong = |seeds: &u32| !(1..=MAX_SEEDS).contains(&u64::from(*seeds));
    if let Some(seeds) = arguments.heat.filter(is_wrong) {
        return Err(format!("--heat {seeds}: must be 1 to {MAX_SEEDS}").into());
    }
    let settings = arguments.set.iter().map(|text| setting(text)).collect::<Result<Vec<_>, _>>()?;
    let scenario = scenario::load_with(&arguments.scenario, &settings)?;
    verify::check_figures(&scenario)?;
    let out = arguments.out.as_deref();
    let mut recorder = out.map(|folder| Recorder::new(folder, arguments.gif)).transpose()?;
    if let Some(recorder) = recorder.as_mut().filter(|_| arguments.watch) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        recorder.follow(now.as_nanos());
    }
    let runs = Runs::of(&scenario);
    if let (Some(recorder), Some(seeds)) = (&mut recorder, arguments.heat) {
        let (first, seeds) = (arguments.seed.unwrap_or(scenario.seed), u64::from(seeds));
        recorder.set_heat(Heat::over(&runs, first, seeds, &ticks(seeds, "seeds"))?);
    }
    let bar = progress(scenario.steps, "frames");
    let watch = recorder.as_mut().map(|recorder| recorder as &mut dyn Watch);
    let summary = runs.run(arguments.seed, watch, &mut |step| bar.set_position(step))?;
    bar.finish_and_clear();
    if arguments.json {
        return print_json(&summary);
    }
    let o = &summary.outcome;
    let step = |s: Option<u64>| s.map_or_else(|| "-".to_owned(), |s| s.to_string());
    let mut text = summary.scenario.clone();
    if !scenario.question.is_empty() {
        text += &format!(": {}", scenario.question);
    }
    text.push('\n');
    text += &format!(
        "{} of {} pursuers arrived (the first in frame {}, the last in frame {}), {} found that no way exists\n",
        o.arrived,
        o.pursuers,
        step(o.first_arrival),
        step(o.last_arrival),
        o.unreachable,
    );
    text += &format!(
        "mean way {:.1}, {} frames in {:.2} s, seed {}, state {}\n",
        o.walked_mean, summary.steps, summary.seconds, summary.seed, summary.state_hash,
    );
    let figures = summary.outcome.figures();
    for (key, value) in figures.iter().filter(|(key, _)| scenario.figures.contains(key)) {
        text += &format!("{key}: {}\n", value.map_or_else(|| "-".to_owned(), pages::short));
    }
    if let Some(recorder) = recorder {
        let files: Vec<_> = recorder.files().iter().map(|f| f.display().to_string()).collect();
        text += &format!("written: {}\n", files.join(", "));
    }
    print(&text)
}

/// Writes `NAME.toml`, which must not be there.
pub(super) fn new(name: &str, from: Option<&str>) -> Done {
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if !is_name {
        let name = printable(name);
        return Err(format!("{name}: a name has 1 to 64 letters, digits, - and _").into());
    }
    let text = match from {
        None => STARTER,
        Some(from) => {
            let built_in = scenario::built_in().iter().find(|built_in| built_in.name == from);
            let names = || -> Vec<_> { scenario::built_in().iter().map(|b| b.name).collect() };
            let BuiltIn { text, .. } = built_in.ok_or_else(|| {
                format!("--from {}: must be one of {}", printable(from), names().join(", "))
            })?;
            text
        }
    };
    let old = from.unwrap_or("starter");
    let text = text.replacen(&format!("name = \"{old}\""), &format!("name = \"{name}\""), 1);
    let path = format!("{name}.toml");
    let write =
        || OpenOptions::new().write(true).create_new(true).open(&path)?.write_all(text.as_bytes());
    write().map_err(|e| format!("{path}: {e}"))?;
    print(&format!("written: {path}; run it by: sim-harness run {path} --out {name}\n"))
}
