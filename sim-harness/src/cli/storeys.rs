//! The commands `jump`, `audit` and `links` with `--storeys`.

use super::audit::AuditArguments;
use super::level::{Deny, JumpArguments, LevelArguments, Prefer, print_links};
use super::{Line, one_line, print, print_json};
use crate::import;
use crate::level::{self, Fault, LevelError, Named, SeenPlace, StoreyAudit};
use crate::maps::printable;
use std::path::Path;
use std::process::ExitCode;

/// `C,R` or `C,R,Z`; whether there is such a place is for the level to say.
fn named(option: &str, text: &str) -> Result<Named, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let refuse = || format!("{option} {}: must be C,R or C,R,Z", one_line(text));
    let whole = |part: &str| part.parse().map_err(|_| refuse());
    match parts[..] {
        [column, row] => Ok(([whole(column)?, whole(row)?], None)),
        [column, row, z] => {
            let z: f64 = z.parse().map_err(|_| refuse())?;
            Ok(([whole(column)?, whole(row)?], Some(z)))
        }
        _ => Err(refuse()),
    }
}

fn at(place: &SeenPlace) -> String {
    format!("{},{},{}", place.cell[0], place.cell[1], place.z)
}

/// An option that knows nothing of storeys.
fn refuse(is_typed: bool, option: &str) -> Result<(), String> {
    if is_typed { Err(format!("{option}: not with --storeys")) } else { Ok(()) }
}

pub(super) fn jump(
    terrain: &Path,
    arguments: &LevelArguments,
    JumpArguments { from, to, prefer, out, deny }: &JumpArguments,
    json: bool,
) -> Result<ExitCode, String> {
    refuse(out.is_some(), "--out")?;
    refuse(arguments.quantise.is_some(), "--quantise")?;
    let ends = [named("--from", from)?, named("--to", to)?];
    let typed = [("from", from.as_str()), ("to", to.as_str())];
    let line = |e: LevelError| arguments.line(&e, &typed);
    let level = arguments.options(terrain)?.storeys().map_err(line)?;
    let preference = Prefer::preference(*prefer, level.graph.character().jump_length());
    let summary = level::jump_storeys(&level, ends, preference).map_err(line)?;
    let is_denied = matches!(deny, Some(Deny::Unreachable)) && !summary.reachable;
    let code = ExitCode::from(u8::from(is_denied));
    if json {
        return print_json(&summary).map(|()| code);
    }
    let mut text = if summary.reachable { "reachable:" } else { "not reachable" }.to_owned();
    for step in &summary.path {
        text += &format!(" {} {}", step.kind, at(&step.place));
    }
    text += &format!("\n{} pairs looked at, {:.3} s\n", summary.pairs, summary.seconds);
    print(&text).map(|()| code)
}

pub(super) fn links(terrain: &Path, arguments: &LevelArguments, json: bool) -> Line {
    refuse(arguments.quantise.is_some(), "--quantise")?;
    let line = |e: LevelError| arguments.line(&e, &[]);
    let level = arguments.options(terrain)?.storeys().map_err(line)?;
    let links = level::links_storeys(&level).map_err(|e| line(e.into()))?;
    print_links(&links, json)
}

pub(super) fn audit(
    arguments: &LevelArguments,
    audit: &AuditArguments,
    json: bool,
) -> Result<ExitCode, String> {
    refuse(audit.route.is_some(), "--route")?;
    refuse(audit.speeds, "--speeds")?;
    refuse(audit.junit.is_some(), "--junit")?;
    refuse(arguments.quantise.is_some(), "--quantise")?;
    for fault in [Fault::Cut, Fault::CutBack, Fault::Shortcut] {
        refuse(audit.deny.contains(&fault), &format!("--deny {fault}"))?;
    }
    let place = |option: &str, text: &Option<String>| {
        text.as_deref().map(|text| named(option, text)).transpose()
    };
    let ends = [place("--start", &audit.start)?, place("--goal", &audit.goal)?];
    let files = match &audit.terrain {
        Some(terrain) => vec![terrain.clone()],
        None => import::find(&audit.files).map_err(|e| one_line(&e.to_string()))?,
    };
    refuse(audit.out.is_some() && files.len() > 1, "--out of several levels")?;
    let cells = [("start", &audit.start), ("goal", &audit.goal)];
    let cells = cells.iter().filter_map(|(option, text)| Some((*option, text.as_deref()?)));
    let cells: Vec<(&str, &str)> = cells.collect();
    let mut is_denied = false;
    for file in &files {
        let options = arguments.options(file)?;
        let summary = level::audit_storeys(&options, ends, &audit.deny, audit.out.as_deref());
        let summary = summary.map_err(|error| arguments.line(&error, &cells))?;
        is_denied |= summary.denied.as_ref().is_some_and(|denied| !denied.is_empty());
        tell(&summary, json)?;
    }
    Ok(if is_denied { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn tell(summary: &StoreyAudit, json: bool) -> Line {
    if json {
        return print_json(summary);
    }
    let mut text = format!("{}:\n", printable(&summary.file));
    text += &format!(
        "{} cells, {} places, up to {} in a column, {} groups; {} walks, {} falls\n",
        summary.cells,
        summary.places,
        summary.storeys,
        summary.groups,
        summary.edges.walk,
        summary.edges.fall
    );
    text += &format!(
        "from {}: {} components, {} traps, {} places never reached, {} one-way passages, {} open questions\n",
        at(&summary.start),
        summary.components,
        summary.traps,
        summary.unreachable,
        summary.one_way,
        summary.marginal
    );
    if let Some(goal) = &summary.goal {
        let reached = if goal.reached { "reached" } else { "never reached" };
        text += &format!("the goal at {} is {reached}\n", at(&goal.place));
    }
    for denied in summary.denied.iter().flatten() {
        text += &format!("denied: {} {}\n", denied.count, denied.fault.words());
    }
    text += &format!("{:.3} s, state {}\n", summary.seconds, summary.state_hash);
    print(&text)
}
