//! The command `audit`: one level or many, and whether they pass.

use super::level::LevelArguments;
use super::{Done, Error, one_line, print, print_json, progress, whole};
use crate::import;
use crate::level::{self, AuditOptions, AuditSummary, Audited, Fault};
use crate::maps::printable;
use crate::output::{OutFolder, Sharing, Whole};
use jump_planner::ShortcutRule;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Which levels, and what an audit looks at.
#[derive(clap::Args)]
pub(super) struct AuditArguments {
    /// Levels: .asc, .png, .tif, .map, .3dmap, .tmx, .tmj, .ldtk, .vox, .gltf, .glb, .obj; folders
    /// of them; scenarios with heights.
    #[arg(value_name = "FILE", required_unless_present = "terrain")]
    pub(super) files: Vec<PathBuf>,
    /// One level; --out writes right into its folder.
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(super) terrain: Option<PathBuf>,
    /// C,R, or C,R,Z with --storeys: where the player starts [default: the level's own start, else
    /// the largest component]
    #[arg(long)]
    pub(super) start: Option<String>,
    /// C,R, or C,R,Z with --storeys: where the player is to get; shows the cells that every way
    /// there passes [default: the level's own goal]
    #[arg(long)]
    pub(super) goal: Option<String>,
    /// The intended route: a file with C,R (or C,R,Z with --storeys) on each line; finds ways that
    /// skip a part of it.
    #[arg(long, value_name = "FILE")]
    pub(super) route: Option<PathBuf>,
    /// Ground within so many walks of the route belongs to it [default: all one can walk to]
    #[arg(long, requires = "route", value_name = "WALKS", value_parser = whole::<usize>)]
    route_width: Option<usize>,
    /// The fewest cells of the route that a shortcut skips [default: twice a level jump]
    #[arg(long, requires = "route", value_name = "CELLS", value_parser = whole::<usize>)]
    least_skip: Option<usize>,
    /// Finds the launch speeds up to --speed at which more ground comes within reach.
    #[arg(long)]
    pub(super) speeds: bool,
    /// What must not be there: exit code 1 where it is.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAULTS")]
    pub(super) deny: Vec<Fault>,
    /// Writes JUnit XML: a suite a level, a case a denied fault.
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Writes index.html, audit.png and findings.json into this folder; of several levels, a list
    /// of them, and these three into a folder for each.
    #[arg(long)]
    pub(super) out: Option<PathBuf>,
}

impl AuditArguments {
    fn options(&self, level: &LevelArguments) -> Result<AuditOptions, Error> {
        level.check_storeys()?;
        let cell = |option: &str, text: &Option<String>| {
            text.as_ref().map(|text| level.named(option, text)).transpose()
        };
        if self.deny.contains(&Fault::Shortcut) && self.route.is_none() {
            return Err("--deny shortcut: needs --route FILE".into());
        }
        Ok(AuditOptions {
            start: cell("--start", &self.start)?,
            goal: cell("--goal", &self.goal)?,
            route: self.route.clone(),
            shortcuts: ShortcutRule { width: self.route_width, least: self.least_skip },
            speeds: self.speeds,
            deny: (!self.deny.is_empty()).then(|| self.deny.clone()),
            out: self.out.clone(),
        })
    }

    /// The report, begun now, so that a file that cannot be written is noticed before the work.
    fn begin_junit(&self) -> Result<Option<Whole>, Error> {
        let Some(path) = &self.junit else { return Ok(None) };
        if cfg!(not(feature = "junit")) {
            let file = printable(&path.to_string_lossy());
            let why = "this program was built without the feature `junit`";
            return Err(format!("--junit {file}: {why}").into());
        }
        Ok(Some(Whole::new(path)?))
    }
}

/// A level and its results.
struct Level {
    file: String,
    /// Its folder below `--out`, with a slash at its end.
    folder: String,
    outcome: Result<AuditSummary, String>,
}

/// The command `audit`.
pub(super) fn audit(
    arguments: &LevelArguments,
    audit: &AuditArguments,
    json: bool,
) -> Result<ExitCode, Error> {
    let mut options = audit.options(arguments)?;
    let junit = audit.begin_junit()?;
    let mut levels = Vec::new();
    if let Some(terrain) = &audit.terrain {
        let outcome = one(terrain, arguments, audit, &options);
        let file = match &outcome {
            Ok(summary) => summary.file.clone(),
            Err(_) => terrain.to_string_lossy().into_owned(),
        };
        if let Ok(summary) = &outcome {
            tell(summary, &options, json)?;
        }
        levels.push(Level { file, folder: String::new(), outcome });
    } else {
        let files = import::find(&audit.files)?;
        let folder = audit.out.as_ref();
        let _lock = folder.map(|folder| OutFolder::open(folder, Sharing::Alone)).transpose()?;
        let bar = progress(files.len() as u64, "levels");
        for (file, folder) in files.iter().zip(folders(&files)) {
            options.out = audit.out.as_ref().map(|out| out.join(&folder));
            let outcome = one(file, arguments, audit, &options);
            if let Ok(summary) = &outcome {
                bar.suspend(|| tell(summary, &options, json))?;
            }
            bar.inc(1);
            let file = file.to_string_lossy().into_owned();
            levels.push(Level { file, folder: format!("{folder}/"), outcome });
        }
        bar.finish_and_clear();
        if let Some(out) = &audit.out {
            write_page(out, &levels)?;
        }
    }
    write_junit(junit, &levels, &audit.deny)?;
    verdict(&levels)
}

/// Audits a level; an error names it, unless it is about an option of the only one.
fn one(
    file: &Path,
    arguments: &LevelArguments,
    audit: &AuditArguments,
    options: &AuditOptions,
) -> Result<AuditSummary, String> {
    let cells = [("start", &audit.start), ("goal", &audit.goal)];
    let cells = cells.iter().filter_map(|(option, text)| Some((*option, text.as_deref()?)));
    let cells: Vec<(&str, &str)> = cells.collect();
    let summary = arguments.options(file).and_then(|level| {
        Ok(level::audit(&level, options).map_err(|error| arguments.line(&error, &cells))?)
    });
    let name = printable(&file.to_string_lossy());
    summary.map_err(|error| {
        let line = one_line(&error.to_string());
        let is_named = audit.terrain.is_some() || line.contains(&name);
        if is_named { line } else { one_line(&format!("{name}: {line}")) }
    })
}

/// Exit code 1, and a line on stderr, where something denied is there.
fn verdict(levels: &[Level]) -> Result<ExitCode, Error> {
    let failed: Vec<&String> =
        levels.iter().filter_map(|level| level.outcome.as_ref().err()).collect();
    match failed[..] {
        [] => {}
        [line] => return Err(line.as_str().into()),
        [line, ref more @ ..] => {
            // So that the count behind it is not cut off.
            let line: String = line.chars().take(400).collect();
            return Err(format!("{line}; and {} more were not audited", more.len()).into());
        }
    }
    let denied: Vec<String> = levels.iter().filter_map(denied).collect();
    let Some(first) = denied.first() else { return Ok(ExitCode::SUCCESS) };
    let more = match denied.len() - 1 {
        0 => String::new(),
        more => format!("; and {more} more levels"),
    };
    eprintln!("sim-harness: denied: {first}{more}");
    Ok(ExitCode::FAILURE)
}

/// The denied faults that a level has.
fn denied(level: &Level) -> Option<String> {
    let denied = level.outcome.as_ref().ok()?.denied.as_deref()?;
    let each: Vec<_> = denied.iter().map(|d| format!("{} {}", d.count, d.fault.words())).collect();
    let file = printable(&level.file);
    (!each.is_empty()).then(|| format!("{file}: {}", each.join(", ")))
}

fn audited(levels: &[Level], with_folders: bool) -> Vec<Audited<'_>> {
    let each = levels.iter().map(|level| Audited {
        file: &level.file,
        folder: (with_folders && level.outcome.is_ok()).then_some(level.folder.as_str()),
        outcome: level.outcome.as_ref().map_err(String::as_str),
    });
    each.collect()
}

fn write_page(out: &Path, levels: &[Level]) -> Done {
    let page = level::page(&audited(levels, true));
    Ok(Whole::place(vec![Whole::of(out.join("index.html"), page.as_bytes())?])?)
}

#[cfg(feature = "junit")]
fn write_junit(file: Option<Whole>, levels: &[Level], deny: &[Fault]) -> Done {
    let Some(mut file) = file else { return Ok(()) };
    let xml = super::junit::junit(&audited(levels, false), deny)?;
    file.write(|out| out.write_all(xml.as_bytes()))?;
    Ok(Whole::place(vec![file])?)
}

#[cfg(not(feature = "junit"))]
#[allow(clippy::unnecessary_wraps, reason = "as with the feature")]
fn write_junit(_: Option<Whole>, _: &[Level], _: &[Fault]) -> Done {
    Ok(())
}

/// A folder for each level, called as its file; a number keeps names apart.
fn folders(files: &[PathBuf]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let each = files.iter().map(|file| {
        let stem: String =
            file.file_stem().unwrap_or_default().to_string_lossy().chars().map(plain).collect();
        let numbered = (1..).map(|n| if n == 1 { stem.clone() } else { format!("{stem}-{n}") });
        // Some file systems do not tell small letters from capitals.
        numbered.into_iter().find(|name| taken.insert(name.to_lowercase())).unwrap_or(stem)
    });
    each.collect()
}

fn tell(summary: &AuditSummary, options: &AuditOptions, json: bool) -> Done {
    if json {
        return print_json(summary);
    }
    let mut text = format!("{}:\n", printable(&summary.file));
    let storeys = summary.places.zip(summary.storeys);
    let storeys =
        storeys.map(|(places, most)| format!("{places} places, up to {most} in a column, "));
    text += &format!(
        "{} cells, {}{} groups; {} walks, {} falls, {} jumps up a step or between components\n",
        summary.cells,
        storeys.unwrap_or_default(),
        summary.groups,
        summary.edges.walk,
        summary.edges.fall,
        summary.edges.jump
    );
    text += &format!(
        "from {}: {} components, {} traps, {} cells never reached, {} one-way passages, {} open questions\n",
        summary.start,
        summary.components,
        summary.traps,
        summary.unreachable,
        summary.one_way,
        summary.marginal
    );
    text += &format!(
        "{} cuts on ways from the start, {} on ways back; the worst cuts off {} cells\n",
        summary.cuts, summary.cuts_back, summary.worst_cut
    );
    if let Some(goal) = &summary.goal {
        let every: Vec<_> = goal.on_every_way.iter().map(|seen| format!(" {seen}")).collect();
        text += &match (goal.reached, every.is_empty()) {
            (false, _) => "the goal is never reached\n".to_owned(),
            (true, true) => "the goal is reached, by ways that share no cell\n".to_owned(),
            (true, false) => format!("every way to the goal passes{}\n", every.concat()),
        };
    }
    if let (Some(shortcuts), Some(worst)) = (summary.shortcuts, summary.worst_shortcut) {
        text += &format!("{shortcuts} shortcuts; the worst skips {worst} cells of the route\n");
    }
    for step in summary.speeds.iter().flatten() {
        text += &format!("above {:.4}: {} more cells, {}\n", step.speed, step.gained, step.reached);
    }
    text += &format!("{:.3} s, state {}\n", summary.seconds, summary.state_hash);
    if let Some(folder) = &options.out {
        let folder = folder.display();
        text += &format!("written: {folder}/index.html, audit.png, findings.json\n");
    }
    print(&text)
}
