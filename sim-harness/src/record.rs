//! What a run leaves behind: `summary.json`, `trace.jsonl`, `final.png`.

use crate::picture;
use crate::world::Summary;
use ndarray::Array3;
use serde::Serialize;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;
use wave_track::PursuerState;

/// One recorded step.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Steps done.
    pub step: u64,
    /// `[units: world units]` `[x, y, z]`.
    pub target: Option<[f32; 3]>,
    /// `[units: world units]` Where each pursuer is and what it does, oldest first.
    pub pursuers: Vec<([f32; 3], PursuerState)>,
}

/// The course of a run and the map as it was at the end; arrays are `[z, y, x]`.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The scenario's name.
    pub name: String,
    /// 2 or 3.
    pub dimensions: usize,
    /// `[units: world units]` The distance between cell centres.
    pub spacing: f64,
    /// True where a wall is.
    pub walls: Array3<bool>,
    /// True where the wave is slower than elsewhere.
    pub slow: Array3<bool>,
    /// `[units: steps]` When the front that got furthest came; infinite where it did not.
    pub arrivals: Option<Array3<f32>>,
    /// The sum of all z. Dense waves only.
    pub height: Option<Array3<f32>>,
    /// `[units: cells]` The storeys that the picture shows, by their z.
    pub slices: Vec<usize>,
    /// The recorded steps, the last one being the end.
    pub frames: Vec<Frame>,
}

/// Why a run's files were not written.
#[derive(Debug, Error)]
#[error("{path}: {reason}", path = path.display())]
pub struct RecordError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system says.
    pub reason: String,
}

#[derive(Serialize)]
struct TraceLine<'a> {
    step: u64,
    target: Option<&'a [f32]>,
    pursuers: Vec<(&'a [f32], &'static str)>,
}

/// A word for a state, as it stands in the trace.
#[must_use]
pub fn word(state: PursuerState) -> &'static str {
    match state {
        PursuerState::NoTarget => "no-target",
        PursuerState::Waiting => "waiting",
        PursuerState::Chasing => "chasing",
        PursuerState::Closing => "closing",
        PursuerState::Arrived => "arrived",
        PursuerState::TargetUnreachable => "unreachable",
        PursuerState::Blocked => "blocked",
        _ => "other",
    }
}

/// Writes `summary.json`, `trace.jsonl` and `final.png` into `folder`, which is made if need be.
/// Each file appears whole or not at all.
///
/// # Errors
/// [`RecordError`] names the file.
pub fn write(folder: &Path, summary: &Summary, recording: &Recording) -> Result<(), RecordError> {
    fs::create_dir_all(folder)
        .map_err(|e| RecordError { path: folder.to_owned(), reason: e.to_string() })?;
    whole(&folder.join("trace.jsonl"), |out| {
        let n = recording.dimensions;
        for frame in &recording.frames {
            let pursuers = frame.pursuers.iter().map(|(p, state)| (&p[..n], word(*state)));
            let line = TraceLine {
                step: frame.step,
                target: frame.target.as_ref().map(|t| &t[..n]),
                pursuers: pursuers.collect(),
            };
            serde_json::to_writer(&mut *out, &line).map_err(|e| e.to_string())?;
            out.write_all(b"\n").map_err(|e| e.to_string())?;
        }
        Ok(())
    })?;
    whole(&folder.join("final.png"), |out| {
        let picture = picture::draw(recording).ok_or("no memory for the picture")?;
        let png = picture.encode_png().map_err(|e| e.to_string())?;
        out.write_all(&png).map_err(|e| e.to_string())
    })?;
    whole(&folder.join("summary.json"), |out| {
        serde_json::to_writer_pretty(&mut *out, summary).map_err(|e| e.to_string())?;
        out.write_all(b"\n").map_err(|e| e.to_string())
    })
}

/// Writes a file beside its place and moves it there when it is whole.
fn whole(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), String>,
) -> Result<(), RecordError> {
    let part = path.with_extension("part");
    let written = (|| {
        let file = fs::File::create(&part).map_err(|e| e.to_string())?;
        let mut out = BufWriter::new(file);
        fill(&mut out)?;
        out.flush().map_err(|e| e.to_string())?;
        drop(out);
        fs::rename(&part, path).map_err(|e| e.to_string())
    })();
    written.map_err(|reason| {
        // Best effort: what matters is that no half file stands in the place of a whole one.
        let _ = fs::remove_file(&part);
        RecordError { path: path.to_owned(), reason }
    })
}
