//! `report.html`: one file that shows a run, without a network.

use super::film::Film;
use super::viewer::{Part, write_page};
use crate::world::Summary;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};

/// A page of a file may load scripts beside it, but not read other files.
const FOLLOW: &str = r#"setInterval(() => {
  const newest = document.createElement("script");
  newest.src = `run.js?${Date.now()}`;
  newest.onload = () => {
    newest.remove();
    if (window.newestRun !== RUN) location.reload();
  };
  newest.onerror = () => newest.remove();
  document.head.append(newest);
}, 1000);
"#;

/// Writes the page. With the number of a run to `follow` it looks for a newer one every second.
///
/// # Errors
/// The errors of `out`.
pub fn write(
    out: &mut dyn Write,
    film: &Film,
    summary: &Summary,
    follow: Option<u128>,
) -> io::Result<()> {
    write_page(out, |part, out| match part {
        Part::Title => {
            let title = format!("{}, seed {}", summary.scenario, summary.seed);
            out.write_all(title.replace('&', "&amp;").replace('<', "&lt;").as_bytes())
        }
        Part::Head => {
            let mut head = film.head();
            head["summary"] = serde_json::json!(summary);
            // In a script element only `<` could end it.
            out.write_all(head.to_string().replace('<', "\\u003c").as_bytes())
        }
        Part::Body => {
            let base64 = EncoderWriter::new(out, &STANDARD);
            let mut zlib = ZlibEncoder::new(base64, Compression::new(6));
            body(&mut zlib, film)?;
            zlib.finish()?.finish()?;
            Ok(())
        }
        Part::Script => match follow {
            Some(run) => write!(out, "const RUN = \"{run}\";\n{FOLLOW}"),
            None => Ok(()),
        },
        Part::Controls => Ok(()),
    })
}

/// The film's numbers. Places are written axis by axis as differences from the moment before, low
/// bytes before high ones: so they take a third of the room.
fn body(out: &mut dyn Write, film: &Film) -> io::Result<()> {
    out.write_all(&film.ground())?;
    let axes = film.scene.axes();
    for axis in 0..axes {
        let mut high = Vec::new();
        let mut before: Vec<u16> = Vec::new();
        for shot in &film.shots {
            let now: Vec<u16> = shot.places.iter().skip(axis).step_by(axes).copied().collect();
            let past = before.iter().copied().chain(std::iter::repeat(0));
            let steps: Vec<u16> = now.iter().zip(past).map(|(n, p)| n.wrapping_sub(p)).collect();
            out.write_all(&steps.iter().map(|&s| s as u8).collect::<Vec<_>>())?;
            high.extend(steps.iter().map(|&s| (s >> 8) as u8));
            before = now;
        }
        out.write_all(&high)?;
    }
    for shot in &film.shots {
        out.write_all(&shot.doing)?;
    }
    for layer in &film.layers {
        out.write_all(&layer.values)?;
    }
    for shot in &film.shots {
        for i in 0..film.gauges.len() {
            let value = shot.gauges.get(i).copied().unwrap_or(f32::NAN);
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
