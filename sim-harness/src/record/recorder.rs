//! The files of a run: `trace.jsonl` as it goes; `final.png`, `report.html`, `film.gif` and
//! `summary.json` at its end.

use super::film::Film;
use super::heat::Heat;
use super::{picture, report};
use crate::output::{OutFolder, Sharing, Whole, WriteError};
use crate::world::{End, Member, Moment, Scene, Summary, Watch};
use ndarray::Array3;
use serde::Serialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct TraceLine<'a> {
    step: u64,
    evaders: Vec<(&'a [f64], &'static str)>,
    pursuers: Vec<(&'a [f64], &'static str)>,
    gauges: &'a [(String, f64)],
    walls: Vec<(&'a [usize], bool)>,
    why: &'a [(usize, String)],
}

/// Writes a run down while it goes on.
#[derive(Debug)]
pub struct Recorder {
    folder: OutFolder,
    trace: Option<Whole>,
    film: Option<Film>,
    gif: bool,
    /// A number that differs from the next run's, if the report shows the newest run.
    follow: Option<u128>,
    heat: Option<Heat>,
}

impl Recorder {
    /// Makes the folder, if need be, locks it as long as this lives, and begins the trace there.
    ///
    /// # Errors
    /// [`WriteError`] names the folder or the file; another process may be writing there.
    pub fn new(folder: &Path, gif: bool) -> Result<Self, WriteError> {
        let folder = OutFolder::open(folder, Sharing::Alone)?;
        let trace = Some(Whole::new(folder.join("trace.jsonl"))?);
        Ok(Self { folder, trace, film: None, gif, follow: None, heat: None })
    }

    /// Lets an open report load itself again when a later run has another number: `run.js` beside
    /// it says which the newest is.
    pub fn follow(&mut self, run: u128) {
        self.follow = Some(run);
    }

    /// Makes the report also show counts over many runs.
    pub fn set_heat(&mut self, heat: Heat) {
        self.heat = Some(heat);
    }

    /// The files that it writes for a reader.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let gif = self.gif.then_some("film.gif");
        let names = ["summary.json", "trace.jsonl", "final.png", "report.html"];
        names.into_iter().chain(gif).map(|name| self.folder.join(name)).collect()
    }
}

impl Watch for Recorder {
    fn begin(&mut self, scene: Scene) {
        self.film = Some(Film::new(scene));
    }

    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        let (Some(film), Some(trace)) = (&mut self.film, &mut self.trace) else {
            return Ok(false);
        };
        if self.gif && film.shots.is_empty() {
            let refused = |e: String| WriteError::new(self.folder.join("film.gif"), &e);
            picture::check_film(film).map_err(refused)?;
        }
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
        let dimensions = film.scene.dimensions;
        let turned = |&([z, y, x], wall): &([usize; 3], bool)| ([x, y, z], wall);
        let edits: Vec<_> = moment.edits.iter().map(turned).collect();
        let line = TraceLine {
            step: moment.step,
            evaders: e.iter().map(|(p, word)| (&p[..axes], *word)).collect(),
            pursuers: p.iter().map(|(p, word)| (&p[..axes], *word)).collect(),
            gauges: moment.gauges,
            walls: edits.iter().map(|(cell, wall)| (&cell[..dimensions], *wall)).collect(),
            why: moment.why,
        };
        trace.write(|out| {
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")
        })?;
        film.show(moment)
    }

    fn wave(&mut self, step: u64, arrivals: &Array3<f32>) {
        if let Some(film) = &mut self.film {
            film.wave(step, arrivals);
        }
    }

    fn dense_waves(&mut self, step: u64, z: &Array3<f32>) {
        if let Some(film) = &mut self.film {
            film.dense_waves(step, z);
        }
    }

    fn layer(&mut self, step: u64, name: &'static str, values: &[f64]) {
        if let Some(film) = &mut self.film {
            film.layer(step, name, values);
        }
    }

    fn end(&mut self, end: &End, summary: &Summary) -> Result<(), WriteError> {
        let Some(film) = &mut self.film else { return Ok(()) };
        let path = |name: &str| self.folder.join(name);
        let mut files: Vec<Whole> = self.trace.take().into_iter().collect();
        let no_memory = |name: &str| WriteError::new(path(name), &"no memory for the picture");
        let picture = picture::draw(film, end).and_then(|picture| picture.encode_png().ok());
        let picture = picture.ok_or_else(|| no_memory("final.png"))?;
        files.push(Whole::of(path("final.png"), &picture)?);
        if self.gif {
            let film = picture::film(film).ok_or_else(|| no_memory("film.gif"))?;
            files.push(Whole::of(path("film.gif"), &film)?);
        }
        if let Some(heat) = &self.heat {
            heat.show(film);
        }
        let mut report = Whole::new(path("report.html"))?;
        report.write(|out| report::write(out, film, summary, self.follow))?;
        files.push(report);
        if let Some(run) = self.follow {
            let text = format!("window.newestRun = \"{run}\";\n");
            files.push(Whole::of(path("run.js"), text.as_bytes())?);
        }
        let mut text = serde_json::to_vec_pretty(summary).unwrap_or_default();
        text.push(b'\n');
        files.push(Whole::of(path("summary.json"), &text)?);
        Whole::place(files)?;
        if !self.gif {
            // A film of an earlier run would not match the files beside it.
            match std::fs::remove_file(path("film.gif")) {
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return Err(WriteError::new(path("film.gif"), &e));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
