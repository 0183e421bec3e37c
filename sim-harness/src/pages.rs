//! Pages of the repository that the program writes: Markdown, dated, losses named.

#[cfg(feature = "schema")]
pub(crate) mod parameters;

use crate::papers::{By, Figure, Found, Of, Reproduction, Row};
use crate::printable::{in_html, markdown, markdown_code};
use crate::scenario::built_in;
use crate::study::verify::{Seeds, Verdict, Verification};
use std::fmt::Write;
use std::path::Path;

/// The page of `reproduce all`. Pictures are in `out`.
#[must_use]
pub(crate) fn reproduced(
    all: &[Reproduction],
    name: &str,
    seeds: u64,
    out: Option<&Path>,
    file: &str,
) -> String {
    let option = out.map_or_else(String::new, |out| format!(" --out {}", out.display()));
    // As seen from the page.
    let beside = Path::new(file).parent().unwrap_or(Path::new(""));
    let folder = out.map(|out| out.strip_prefix(beside).unwrap_or(out).display().to_string());
    let mut page = format!(
        "# The published figures, measured again\n\n\
         Made by `sim-harness reproduce {name} --seeds {seeds}{option} --page {file}`, {}.\n\
         What \"holds\" means stands in the documentation of each module of \
         `sim-harness/src/papers`.\n\n\
         | source | by ours | by the published rules | ours holds |\n|---|---|---|---|\n",
        today()
    );
    let share = |r: &Reproduction, by: By| {
        let counts = |row: &&Row| row.by == by && row.of == Of::Source;
        let rows: Vec<bool> = r.rows.iter().filter(counts).filter_map(|row| row.holds).collect();
        let held = rows.iter().filter(|&&holds| holds).count();
        if rows.is_empty() { "-".to_owned() } else { format!("{held} of {} rows", rows.len()) }
    };
    for r in all {
        let (ours, published) = (share(r, By::Ours), share(r, By::Published));
        let _ = writeln!(page, "| {} | {ours} | {published} | {} |", r.name, yes(r.holds));
    }
    for r in all {
        let _ = write!(page, "\n## {}\n\n", r.name);
        for picture in &r.pictures {
            let folder = folder.as_deref().unwrap_or_default();
            let _ = write!(page, "![{}]({folder}/{})\n\n", picture.says, r.file_of(picture));
            let _ = write!(page, "{}\n\n", picture.says);
        }
        page +=
            "| case | by | published | measured | holds | detail |\n|---|---|---:|---:|---|---|\n";
        for row in &r.rows {
            let by = match (row.of, row.by) {
                (Of::Contrast, _) => "contrast",
                (Of::Source, By::Ours) => "ours",
                (Of::Source, By::Published) => "published rules",
                (Of::Source, By::Baseline) => "baseline",
            };
            let published =
                row.published.map_or_else(|| "-".to_owned(), |figure: Figure| figure.to_string());
            let holds = row.holds.map_or("", yes);
            let (case, measured, detail) = (cell(&row.case), row.measured, cell(&row.detail));
            let _ =
                writeln!(page, "| {case} | {by} | {published} | {measured} | {holds} | {detail} |");
        }
        let lost = r.rows.iter().filter(|row| row.of == Of::Source && row.holds == Some(false));
        let lost: Vec<_> = lost.map(|row| format!("* {}: {}\n", row.case, row.measured)).collect();
        if !lost.is_empty() {
            let _ = write!(page, "\nWhat does not hold:\n\n{}", lost.concat());
            let published =
                r.rows.iter().any(|row| row.by == By::Published && row.holds == Some(false));
            if published && !r.on_published.is_empty() {
                let _ = write!(page, "\n{}\n", r.on_published);
            }
        }
    }
    page
}

/// The page of `reproduce --out`: pictures in its own folder, and figures, for a browser.
#[must_use]
pub(crate) fn pictures(all: &[Reproduction]) -> String {
    let mut html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
        <title>The published figures, measured again</title><style>\
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1240px; padding: 0 1em } \
        img { max-width: 100% } figure { margin: 1.5em 0 } figcaption { color: #444 } \
        pre { overflow-x: auto; font-size: 12px }</style></head>\n\
        <body><h1>The published figures, measured again</h1>\n"
        .to_owned();
    for r in all {
        let _ = writeln!(html, "<h2>{}</h2>", r.name);
        for picture in &r.pictures {
            let (file, says) = (r.file_of(picture), in_html(&picture.says));
            let image = format!("<img src=\"{file}\" alt=\"\">");
            let _ = writeln!(html, "<figure>{image}<figcaption>{says}</figcaption></figure>");
        }
        let _ = writeln!(html, "<pre>{}</pre>", in_html(&r.table()));
    }
    html + "</body></html>\n"
}

/// The page of `reproduce NAME --search TRIALS`.
#[must_use]
pub(crate) fn searched(found: &Found, file: &str) -> String {
    format!(
        "# What furukawa-2021 leaves open, searched\n\n\
         Made by `sim-harness reproduce furukawa --search {} --seeds {} --page {file}`, {}. What is searched, and \
         what is lost where, stands in `sim-harness/src/papers/furukawa/search.rs`.\n\n```text\n{}```\n",
        found.trials,
        found.seeds,
        today(),
        found.table()
    )
}

/// The page of `verify NAME --page FILE`. `harness` is the folder of this crate, as seen from the
/// page.
#[must_use]
pub(crate) fn scenarios(all: &[Verification], name: &str, file: &str, harness: &str) -> String {
    let (pictures, files) = (format!("{harness}/pictures"), format!("{harness}/scenarios"));
    let seeds = all.first().map_or(Seeds { first: 1, count: 1 }, |v| v.seeds);
    let mut page = format!(
        "# The scenarios and what comes of them\n\n\
         Made by {}, {}: every scenario \
         and every variant of it with seeds {seeds}. After ± stands what a 95 % confidence interval of the \
         mean reaches to each side. A claim for every seed holds where its worst seed is within the limit, \
         one about a mean or a ratio of means where the whole 95 % interval is; seeds are paired. Every \
         parameter stands in [parameters.md](parameters.md), how to write scenarios in \
         [writing-scenarios.md](writing-scenarios.md).\n",
        markdown_code(&format!(
            "sim-harness verify {name} --first {} --seeds {} --page {file}",
            seeds.first, seeds.count
        )),
        today()
    );
    for v in all {
        let _ = write!(page, "\n## {}\n\n{}\n", markdown(&v.scenario), markdown(&v.question));
        let _ = match built_in().iter().find(|b| b.name == v.file).map(|b| b.name) {
            Some(name) => write!(
                page,
                "\n![{name}]({pictures}/{name}.png)\n\nAs a file: [{name}.toml]({files}/{name}.toml).\n"
            ),
            None => write!(page, "\nAs a file: {}.\n", markdown_code(&v.file)),
        };
        if !v.claims.is_empty() {
            page += "\n| what is claimed | figure | limit | measured | holds |\n|---|---|---:|---:|---|\n";
        }
        for verdict in &v.claims {
            let Verdict { says, outcome, variant, .. } = verdict;
            let about = variant.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            let figure = figure(verdict);
            let _ = writeln!(
                page,
                "| {}{} | {} | {} | {figure} | {} |",
                markdown(says),
                markdown(&about),
                markdown_code(outcome),
                markdown(&limit(verdict)),
                if verdict.holds || verdict.refuted { yes(verdict.holds) } else { "open" }
            );
        }
        figures(&mut page, v);
    }
    page
}

fn figures(page: &mut String, v: &Verification) {
    if v.shown.is_empty() {
        return;
    }
    let names = v.measured.iter().map(|m| markdown(m.variant.as_deref().unwrap_or("as it is")));
    let names: Vec<_> = names.collect();
    let _ = write!(page, "\n| mean of {} seeds | {} |\n|---|", v.seeds.count, names.join(" | "));
    *page += &"---:|".repeat(names.len());
    page.push('\n');
    for key in &v.shown {
        let of = |m: &crate::study::verify::Measured| {
            let estimate = m.figures.iter().find(|(name, _)| name == key).and_then(|f| f.1);
            estimate.map_or_else(|| "-".to_owned(), |e| e.to_string())
        };
        let cells: Vec<_> = v.measured.iter().map(of).collect();
        let _ = writeln!(page, "| {} | {} |", markdown_code(key), cells.join(" | "));
    }
}

/// A verification's claims and figures, for people.
#[must_use]
pub(crate) fn verdicts(v: &Verification) -> String {
    let whole = match (v.holds, v.claims.iter().any(|verdict| verdict.refuted)) {
        (true, _) if v.claims.is_empty() => "nothing is claimed",
        (true, _) => "holds",
        (false, true) => "does not hold",
        (false, false) => "these seeds do not show all that is claimed",
    };
    let mut text = format!("{}, seeds {}: {whole}\n", v.scenario, v.seeds);
    for verdict in &v.claims {
        let word = match (verdict.holds, verdict.refuted) {
            (true, _) => "holds",
            (false, true) => "fails",
            (false, false) => "open",
        };
        let figure = figure(verdict);
        let _ = writeln!(
            text,
            "  {word}: {}: {} = {figure}, {}",
            verdict.says,
            verdict.outcome,
            limit(verdict)
        );
    }
    for measured in &v.measured {
        let _ = writeln!(text, "  {}:", measured.variant.as_deref().unwrap_or("as it is"));
        let shown = |key: &String| v.shown.is_empty() || v.shown.contains(key);
        for (key, estimate) in measured.figures.iter().filter(|(key, _)| shown(key)) {
            let figure = estimate.map_or_else(|| "-".to_owned(), |e| e.to_string());
            let _ = writeln!(text, "    {key}: {figure}");
        }
    }
    text
}

fn limit(verdict: &Verdict) -> String {
    let low = verdict.at_least.map(|v| format!("at least {v}"));
    let high = verdict.at_most.map(|v| format!("at most {v}"));
    let limit = low.into_iter().chain(high).collect::<Vec<_>>().join(", ");
    match verdict.relative_to.as_deref() {
        None => limit,
        Some("") => format!("{limit} of the scenario's"),
        Some(name) => format!("{limit} of \"{name}\""),
    }
}

fn figure(verdict: &Verdict) -> String {
    let Some(measured) = verdict.measured.map(short) else {
        // Null in a seed is a claim refuted.
        let divided = verdict.relative_to.is_some() && !verdict.refuted;
        return if divided { "nothing over 0" } else { "none" }.to_owned();
    };
    match verdict.interval {
        Some([low, high]) if low.is_infinite() && high.is_infinite() => {
            format!("{measured} (of so few seeds, anything)")
        }
        Some([low, high]) if low < high => {
            format!("{measured} ({} to {})", short(low), short(high))
        }
        _ => measured,
    }
}

/// A figure to three digits after the point, if it has any.
#[must_use]
pub(crate) fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") }
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "**no**" }
}

/// The program's own words in a cell of a table, markup and all.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}
