//! `report.html`: one file that shows a run, without a network.

use super::film::Film;
use crate::world::{Doing, Summary};
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::json;
use std::io::{self, Write};

const PAGE: &str = include_str!("../../viewer/page.html");
const STYLE: &str = include_str!("../../viewer/viewer.css");
const SCRIPT: &str = include_str!("../../viewer/viewer.js");

/// Writes the page.
///
/// # Errors
/// What `out` says.
pub fn write(out: &mut dyn Write, film: &Film, summary: &Summary) -> io::Result<()> {
    let mut pieces = PAGE.split("{{");
    out.write_all(pieces.next().unwrap_or_default().as_bytes())?;
    for piece in pieces {
        let (mark, text) = piece.split_once("}}").unwrap_or(("", piece));
        match mark {
            "title" => {
                let title = format!("{}, seed {}", summary.scenario, summary.seed);
                out.write_all(title.replace('&', "&amp;").replace('<', "&lt;").as_bytes())?;
            }
            "style" => out.write_all(STYLE.as_bytes())?,
            "script" => out.write_all(SCRIPT.as_bytes())?,
            // In a script element only `<` could end it.
            "head" => {
                let head = head(film, summary).to_string().replace('<', "\\u003c");
                out.write_all(head.as_bytes())?;
            }
            _ => {
                let base64 = EncoderWriter::new(&mut *out, &STANDARD);
                let mut zlib = ZlibEncoder::new(base64, Compression::new(6));
                body(&mut zlib, film)?;
                zlib.finish()?.finish()?;
            }
        }
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// What the page needs to know before it reads the film.
fn head(film: &Film, summary: &Summary) -> serde_json::Value {
    let scene = &film.scene;
    let (depth, height, width) = scene.walls.dim();
    let doing: Vec<_> = Doing::ALL.iter().map(|d| d.words()).collect();
    let layers =
        film.layers.iter().map(|l| json!({"name": l.name, "step": l.step, "most": l.most}));
    let round = |p: [f64; 3]| p.map(|v| (v * 1e3).round() / 1e3);
    let ways = scene.ways.iter().map(|(ends, jump)| (ends.map(round), u8::from(*jump)));
    json!({
        "summary": summary,
        "question": scene.question,
        "size": [width, height, depth],
        "dimensions": scene.dimensions,
        "axes": scene.axes(),
        "range": scene.range(),
        "spacing": scene.spacing,
        "dt": scene.dt,
        "storeys": scene.storeys(),
        "coarse": film.coarse,
        "evaders": scene.evaders,
        "heights": scene.heights.as_ref().map(|h| h.iter().copied().collect::<Vec<_>>()),
        "doing": doing,
        "steps": film.shots.iter().map(|s| s.step).collect::<Vec<_>>(),
        "counts": film.shots.iter().map(|s| s.doing.len()).collect::<Vec<_>>(),
        "gauges": film.gauges,
        "why": film.why,
        "edits": film.edits.iter().map(|(step, [z, y, x], wall)| {
            (step, (z * height + y) * width + x, u8::from(*wall))
        }).collect::<Vec<_>>(),
        "layers": layers.collect::<Vec<_>>(),
        "ways": ways.collect::<Vec<_>>(),
    })
}

/// The film's numbers. Places are written axis by axis as differences from the moment before, low
/// bytes before high ones: so they take a third of the room.
fn body(out: &mut dyn Write, film: &Film) -> io::Result<()> {
    let storeys = film.scene.storeys();
    for field in [&film.scene.walls, &film.scene.slow] {
        for &z in &storeys {
            let plane = field.index_axis(ndarray::Axis(0), z);
            out.write_all(&plane.iter().map(|&b| u8::from(b)).collect::<Vec<_>>())?;
        }
    }
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
