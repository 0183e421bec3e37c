//! A page of audits: a table of levels, then each with its picture and its worst faults.

use super::Audited;
use super::audit::AuditSummary;
use super::gate::Fault;
use super::picture::{LEGEND, NO_FLOOR, Sign};
use crate::ink::Rgb;
use crate::printable::in_html;
use std::fmt::Write;

const STYLE: &str = "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 1180px; \
padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; margin: 1em 0 } th, td { padding: .25em .8em; text-align: right; \
border-bottom: 1px solid #ddd } th:first-child, td:first-child, td.word { text-align: left }
img { max-width: 100%; display: block; margin: 1em 0 } .bad { color: #b00020; font-weight: 600 }
.good { color: #1b6b36 } .legend { display: flex; flex-wrap: wrap; gap: .3em 1.4em; padding: 0; \
list-style: none } .legend svg { vertical-align: -4px; margin-right: .4em }
";

/// The page as HTML, for a browser without a network. Pictures lie in the folders of the levels.
#[must_use]
pub fn page(levels: &[Audited<'_>]) -> String {
    let title = match levels {
        [level] => format!("Audit of {}", in_html(level.file)),
        _ => format!("Audit of {} levels", levels.len()),
    };
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n"
    );
    table(&mut html, levels);
    if levels.iter().any(|level| level.folder.is_some()) {
        let has_storeys =
            |level: &Audited<'_>| level.outcome.is_ok_and(|summary| summary.storeys.is_some());
        legend(&mut html, levels.iter().any(has_storeys));
    }
    for (number, level) in levels.iter().enumerate() {
        section(&mut html, number, level);
    }
    html += "</body></html>\n";
    html
}

fn table(html: &mut String, levels: &[Audited<'_>]) {
    html.push_str(
        "<table><tr><th>level</th><th>verdict</th><th>cells</th><th>regions</th><th>traps</th>\
         <th>never reached</th><th>one-way</th><th>cuts</th><th>cuts back</th><th>shortcuts</th>\
         <th>goal</th><th>s</th></tr>\n",
    );
    for (number, level) in levels.iter().enumerate() {
        let file = in_html(level.file);
        let _ = write!(html, "<tr><td><a href=\"#level-{number}\">{file}</a></td>");
        match level.outcome {
            Err(_) => *html += "<td class=\"word bad\">not a level</td>",
            Ok(s) => {
                let goal = s.goal.as_ref().map(|goal| goal.reached);
                let goal =
                    goal.map_or("", |reached| if reached { "reached" } else { "not reached" });
                let shortcuts = s.shortcuts.map_or_else(String::new, |n| n.to_string());
                let _ = write!(
                    html,
                    "<td class=\"word\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                     <td>{}</td><td>{}</td><td>{}</td><td>{shortcuts}</td><td>{goal}</td>\
                     <td>{:.2}</td>",
                    verdict(s),
                    s.cells,
                    s.components,
                    s.traps,
                    s.unreachable,
                    s.one_way,
                    s.cuts,
                    s.cuts_back,
                    s.seconds
                );
            }
        }
        *html += "</tr>\n";
    }
    *html += "</table>\n";
}

/// The denied faults that the level has; empty if none is denied.
fn verdict(summary: &AuditSummary) -> String {
    match summary.denied.as_deref() {
        None => String::new(),
        Some([]) => "<span class=\"good\">passes</span>".to_owned(),
        Some(denied) => {
            let each = denied.iter().map(|d| format!("{} {}", d.count, d.fault.words()));
            format!("<span class=\"bad\">{}</span>", each.collect::<Vec<_>>().join(", "))
        }
    }
}

fn legend(html: &mut String, has_storeys: bool) {
    *html += "<ul class=\"legend\">";
    for (sign, colour, words) in LEGEND.into_iter().chain(has_storeys.then_some(NO_FLOOR)) {
        let _ = write!(html, "<li>{}{words}</li>", drawn(sign, colour));
    }
    *html += "</ul>\n";
}

/// A sign beside its meaning.
fn drawn(sign: Sign, colour: Rgb) -> String {
    let [r, g, b] = colour.map(|v| v as u8);
    let rgb = format!("rgb({r},{g},{b})");
    // White lines show on grey only.
    let paper = "<rect width=\"26\" height=\"18\" fill=\"#8fa39b\"/>";
    let shape = match sign {
        Sign::Area => format!("<rect width=\"26\" height=\"18\" fill=\"{rgb}\" stroke=\"#999\"/>"),
        Sign::Arrow => format!(
            "{paper}<path d=\"M3 9H22M16 5L22 9L16 13\" fill=\"none\" stroke-width=\"2\" stroke=\"{rgb}\"/>"
        ),
        Sign::Ring => format!(
            "{paper}<circle cx=\"13\" cy=\"9\" r=\"6\" fill=\"none\" stroke-width=\"2.5\" stroke=\"{rgb}\"/>"
        ),
        Sign::Disc => format!(
            "{paper}<circle cx=\"13\" cy=\"9\" r=\"7\" fill=\"{rgb}\"/><circle cx=\"13\" cy=\"9\" r=\"5\" \
             fill=\"#fafafa\"/><circle cx=\"13\" cy=\"9\" r=\"3\" fill=\"{rgb}\"/>"
        ),
    };
    format!("<svg width=\"26\" height=\"18\">{shape}</svg>")
}

fn section(html: &mut String, number: usize, level: &Audited<'_>) {
    let file = in_html(level.file);
    let _ = writeln!(html, "<h2 id=\"level-{number}\">{file}</h2>");
    let summary = match level.outcome {
        Ok(summary) => summary,
        Err(line) => {
            let _ = writeln!(html, "<p class=\"bad\">{}</p>", in_html(line));
            return;
        }
    };
    let _ = write!(html, "<p>Start {}.", summary.start);
    if let Some(goal) = &summary.goal {
        let reached = if goal.reached { "is reached" } else { "is never reached" };
        let _ = write!(html, " Goal {} {reached}.", goal.seen());
    }
    *html += "</p>\n";
    if summary.storeys.is_some() {
        *html += "<p>Each part of the picture shows one floor of each column: the first one from \
                  below that one can stand on, then the second, and so on.</p>\n";
    }
    if let Some(folder) = level.folder {
        let folder = in_html(folder);
        let _ = writeln!(
            html,
            "<img loading=\"lazy\" src=\"{folder}audit.png\" alt=\"{file}, seen from above\">\n\
             <p><a href=\"{folder}findings.json\">All findings</a></p>"
        );
    }
    let counted = Fault::ALL.map(|fault| (fault, fault.count(summary)));
    // No goal is no fault, unless it is denied.
    let counted = counted.into_iter().filter(|&(fault, n)| n > 0 && fault != Fault::Goal);
    for (fault, count) in counted {
        let _ = write!(html, "<h3>{count} {}</h3>\n<ul>", fault.words());
        for (_, words) in summary.examples.iter().filter(|(kind, _)| *kind == fault) {
            let _ = write!(html, "<li>{}</li>", in_html(words));
        }
        *html += "</ul>\n";
    }
}
