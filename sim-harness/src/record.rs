//! What a run leaves behind: `trace.jsonl` as it goes; `final.png`, `report.html`, `film.gif` and
//! `summary.json` at its end.

use crate::film::{End, Film, Moment, Scene};
use crate::world::{Member, Summary};
use crate::{picture, report};
use ndarray::Array3;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a file was not written. Files of an earlier run are as they were.
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
    evaders: Vec<(&'a [f64], &'static str)>,
    pursuers: Vec<(&'a [f64], &'static str)>,
    gauges: &'a [(&'static str, f64)],
    walls: &'a [([usize; 3], bool)],
    why: &'a [(usize, String)],
}

/// Writes a run down while it goes on.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    trace: Whole,
    film: Option<Film>,
    gif: bool,
}

impl Recorder {
    /// Makes the folder, if need be, and begins the trace there.
    ///
    /// # Errors
    /// [`RecordError`] names the folder or the file.
    pub fn new(folder: &Path, gif: bool) -> Result<Self, RecordError> {
        fs::create_dir_all(folder)
            .map_err(|e| RecordError { path: folder.to_owned(), reason: e.to_string() })?;
        let trace = Whole::new(folder.join("trace.jsonl"))?;
        Ok(Self { folder: folder.to_owned(), trace, film: None, gif })
    }

    pub(crate) fn begin(&mut self, scene: Scene) {
        self.film = Some(Film::new(scene));
    }

    /// Writes a line of the trace. Returns whether layers are wanted too.
    pub(crate) fn show(&mut self, moment: &Moment<'_>) -> Result<bool, RecordError> {
        let Some(film) = &mut self.film else { return Ok(false) };
        let axes = film.scene.axes();
        let short = |m: &Member| m.position.map(|v| (v * 1e3).round() / 1e3);
        let places = |members: &[Member]| members.iter().map(short).collect::<Vec<_>>();
        let [evaders, pursuers] = [&moment.cast.evaders, &moment.cast.pursuers];
        let (e, p) = (places(evaders), places(pursuers));
        let with_words = |places: &[[f64; 3]], members: &[Member]| {
            let words = members.iter().map(|m| m.doing.words()[0]).collect::<Vec<_>>();
            places.iter().copied().zip(words).collect::<Vec<_>>()
        };
        let (e, p) = (with_words(&e, evaders), with_words(&p, pursuers));
        let line = TraceLine {
            step: moment.step,
            evaders: e.iter().map(|(p, word)| (&p[..axes], *word)).collect(),
            pursuers: p.iter().map(|(p, word)| (&p[..axes], *word)).collect(),
            gauges: moment.gauges,
            walls: moment.edits,
            why: moment.why,
        };
        self.trace.write(|out| {
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")
        })?;
        Ok(film.show(moment))
    }

    pub(crate) fn wave(&mut self, step: u64, arrivals: Option<&Array3<f32>>) {
        if let (Some(film), Some(arrivals)) = (&mut self.film, arrivals) {
            film.layer(step, "wave", |cell| f64::from(arrivals[cell]));
        }
    }

    /// Figures per cell `[y, x]` of a flat map, row by row.
    pub(crate) fn layer(&mut self, step: u64, name: &'static str, values: &[f64]) {
        if let Some(film) = &mut self.film {
            let width = film.scene.walls.dim().2;
            film.layer(step, name, |[_, y, x]| {
                values.get(y * width + x).copied().filter(|v| *v > 0.0).unwrap_or(f64::INFINITY)
            });
        }
    }

    pub(crate) fn end(&mut self, end: &End, summary: &Summary) -> Result<(), RecordError> {
        let Some(film) = &self.film else { return Ok(()) };
        self.trace.finish()?;
        let file = |name: &str| self.folder.join(name);
        let bytes = |name: &str, bytes: &[u8]| {
            let mut whole = Whole::new(file(name))?;
            whole.write(|out| out.write_all(bytes))?;
            whole.finish()
        };
        let picture = picture::draw(film, end).and_then(|picture| picture.encode_png().ok());
        let no_memory =
            |path: PathBuf| RecordError { path, reason: "no memory for the picture".to_owned() };
        bytes("final.png", &picture.ok_or_else(|| no_memory(file("final.png")))?)?;
        if self.gif {
            let film = picture::film(film).ok_or_else(|| no_memory(file("film.gif")))?;
            bytes("film.gif", &film)?;
        }
        let mut report = Whole::new(file("report.html"))?;
        report.write(|out| report::write(out, film, summary))?;
        report.finish()?;
        let mut text = serde_json::to_vec_pretty(summary).unwrap_or_default();
        text.push(b'\n');
        bytes("summary.json", &text)
    }

    /// What was written, for people.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let gif = self.gif.then_some("film.gif");
        let names = ["summary.json", "trace.jsonl", "final.png", "report.html"];
        names.into_iter().chain(gif).map(|name| self.folder.join(name)).collect()
    }
}

/// A file that is written beside its place and moved there when it is whole.
#[derive(Debug)]
pub(crate) struct Whole {
    path: PathBuf,
    part: PathBuf,
    out: Option<BufWriter<File>>,
}

impl Whole {
    pub(crate) fn new(path: PathBuf) -> Result<Self, RecordError> {
        let mut part = path.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        match File::create(&part) {
            Ok(file) => Ok(Self { path, part, out: Some(BufWriter::new(file)) }),
            Err(e) => Err(RecordError { path, reason: e.to_string() }),
        }
    }

    fn failed(&self, error: &io::Error) -> RecordError {
        RecordError { path: self.path.clone(), reason: error.to_string() }
    }

    pub(crate) fn write(
        &mut self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), RecordError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        fill(out).map_err(|e| self.failed(&e))
    }

    /// Moves it to its place.
    pub(crate) fn finish(&mut self) -> Result<(), RecordError> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let done = out.into_inner().map_err(io::IntoInnerError::into_error);
        let done = done.and_then(|file| file.sync_all());
        let done = done.and_then(|()| fs::rename(&self.part, &self.path));
        done.map_err(|e| {
            let _ = fs::remove_file(&self.part);
            self.failed(&e)
        })
    }
}

impl Drop for Whole {
    /// A file that was not finished leaves nothing behind.
    fn drop(&mut self) {
        if self.out.take().is_some() {
            let _ = fs::remove_file(&self.part);
        }
    }
}
