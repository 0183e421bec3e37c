//! The page that shows a film: a recorded one in reports, one that goes on in the playground.

use std::io::{self, Write};

const PAGE: &str = include_str!("../../viewer/page.html");
const STYLE: &str = include_str!("../../viewer/viewer.css");
const SCRIPT: [&str; 5] = [
    include_str!("../../viewer/viewer.js"),
    include_str!("../../viewer/draw.js"),
    include_str!("../../viewer/panels.js"),
    include_str!("../../viewer/beside.js"),
    include_str!("../../viewer/controls.js"),
];

/// A part of the page that is not the same in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its title, as HTML.
    Title,
    /// Controls beside those of the viewer, as HTML.
    Controls,
    /// The film's head, as JSON in which no `<` stands.
    Head,
    /// The data of the script, in base64: a film or a program.
    Body,
    /// JavaScript that runs after the viewer.
    Script,
}

/// Writes the page. `part` writes its parts.
///
/// # Errors
/// The errors of `out`.
pub fn write_page(
    out: &mut dyn Write,
    mut part: impl FnMut(Part, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut pieces = PAGE.split("{{");
    out.write_all(pieces.next().unwrap_or_default().as_bytes())?;
    for piece in pieces {
        let (mark, text) = piece.split_once("}}").unwrap_or(("", piece));
        match mark {
            "title" => part(Part::Title, out)?,
            "style" => out.write_all(STYLE.as_bytes())?,
            "controls" => part(Part::Controls, out)?,
            "head" => part(Part::Head, out)?,
            "body" => part(Part::Body, out)?,
            "after" => part(Part::Script, out)?,
            _ => SCRIPT.iter().try_for_each(|part| out.write_all(part.as_bytes()))?,
        }
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}
