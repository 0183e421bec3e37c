//! The running world, and the data that are kept of it for the page.

use crate::level;
use crate::sheet::Sheet;
use jump_planner::{CharacterError, JumpError};
use ndarray::Array2;
use serde_json::{Value, json};
use sim_harness::WriteError;
use sim_harness::import::{Files, ImportError, Store};
use sim_harness::record::Film;
use sim_harness::scenario::{self, Edit, Move, Place, Scenario, ScenarioError};
use sim_harness::world::{End, Live, Moment, RunError, Runs, Scene, Summary, Watch};
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

/// Why something is not done. The world is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scenario cannot be.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The world cannot be, or cannot be changed so.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A level cannot be read.
    #[error(transparent)]
    Level(#[from] ImportError),
    /// None of the files is a scenario or a level.
    #[error("{files}: one must be a scenario (.toml) or a level: {known}")]
    NoLevel {
        /// Their names.
        files: String,
        /// Endings of levels.
        known: &'static str,
    },
    /// More than one of the files is.
    #[error("{one} and {other}: one level at a time, with the files that it needs")]
    TwoLevels {
        /// Its name.
        one: String,
        /// Its name.
        other: String,
    },
    /// Nobody can stand in the level.
    #[error("{0}: no cell is free")]
    NoRoom(String),
    /// A scenario's file is no text.
    #[error("{0}: byte {1} is not UTF-8 text")]
    NoText(String, usize),
    /// The scenario's text cannot be added to.
    #[error("the scenario cannot be written on: {}", .0.message())]
    Text(#[from] toml_edit::TomlError),
    /// A level of heights cannot be, or be asked this.
    #[error(transparent)]
    Jump(#[from] JumpError),
    /// The character that jumps is not possible.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// A level of this size is not made.
    #[error("a level of {columns} x {rows} cells: must be 2 cells or more, {most} a side at most")]
    Size {
        /// How wide it would be.
        columns: usize,
        /// How long it would be.
        rows: usize,
        /// The most of both.
        most: usize,
    },
    /// No level is painted.
    #[error("no level is open")]
    NoRelief,
    /// No world is open beside this one.
    #[error("no world is open beside this one")]
    NoneBeside,
    /// Something cannot be done to the world beside this one, to which it was done.
    #[error("under the other rules: {0}")]
    Beside(String),
    /// Nothing is open yet.
    #[error("no scenario is open")]
    Closed,
    /// A scenario cannot have the seed.
    #[error("seed = {0} is not allowed: it must be 0 to 2^63 - 1, as in a scenario")]
    Seed(u64),
    /// There is no table for a number.
    #[error("{0}: the scenario has no table for it")]
    NoTable(String),
    /// Nothing was done yet.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// The request is not known.
    #[error("not understood: {0}")]
    Request(#[from] serde_json::Error),
    /// A request that is shorter than it says.
    #[error("not understood: {0} bytes of a request that says it is longer")]
    Cut(usize),
}

/// A scenario that goes on.
pub struct Playground {
    name: String,
    /// The files that were opened; there is no disk.
    store: Store,
    scenario: Scenario,
    live: Live,
    film: Film,
    sheet: Sheet,
    /// The text before each of the last things that were done, and whether it then went on after
    /// its end. As a document, with its comments and order, it takes many times as much memory.
    past: VecDeque<(String, bool)>,
    /// The reasons of evaders that the page was told last, and from when on they held.
    told: BTreeMap<usize, (u64, String)>,
    /// Whether a hand did something after the scenario's end, so that it goes on.
    beyond: bool,
}

/// How many things can be taken back.
const REMEMBERED: usize = 100;

/// A seed as a scenario states it.
fn of_scenario(seed: u64) -> Result<i64, Error> {
    i64::try_from(seed).map_err(|_| Error::Seed(seed))
}

/// The sheet of a scenario's text. What is wrong with the text is told on a line, with its place.
fn sheet(name: &str, text: &str, seed: Option<u64>) -> Result<Sheet, Error> {
    scenario::parse(name, text)?;
    let mut sheet = Sheet::new(text)?;
    if let Some(seed) = seed {
        sheet.set_seed(of_scenario(seed)?);
    }
    Ok(sheet)
}

/// The watcher of the world: a film that keeps nothing for long.
struct Screen<'a> {
    film: &'a mut Film,
    layers: bool,
}

impl Watch for Screen<'_> {
    fn begin(&mut self, scene: Scene) {
        self.film.begin(scene);
    }

    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        self.film.show(moment)?;
        Ok(self.layers)
    }

    fn wave(&mut self, step: u64, arrivals: &ndarray::Array3<f32>) {
        self.film.wave(step, arrivals);
    }

    fn dense_waves(&mut self, step: u64, z: &ndarray::Array3<f32>) {
        self.film.dense_waves(step, z);
    }

    fn layer(&mut self, step: u64, name: &'static str, values: &[f64]) {
        self.film.layer(step, name, values);
    }

    fn end(&mut self, _: &End, _: &Summary) -> Result<(), WriteError> {
        Ok(())
    }
}

impl Playground {
    /// Opens the scenario that `text` states, before its first frame; `name` stands in errors. A
    /// seed takes the place of the scenario's own.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(name: &str, text: &str, seed: Option<u64>) -> Result<Self, Error> {
        Self::of(name, sheet(name, text, seed)?, Store::Memory(Files::new().into()))
    }

    /// Opens a scenario with the files that it names, or a level with the files that it needs, such
    /// as a tileset. Pursuers begin at the level's starts, evaders stand at its goals.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open_files(files: Files, seed: Option<u64>) -> Result<Self, Error> {
        let name = level::main_of(&files)?.to_owned();
        let store = Store::Memory(files.into());
        let sheet = sheet(&name, &level::text(&store, &name)?, seed)?;
        Self::of(&name, sheet, store)
    }

    fn of(name: &str, sheet: Sheet, store: Store) -> Result<Self, Error> {
        let scenario = scenario::parse(name, &sheet.text())?;
        let mut live = Live::of(&Runs::of(&scenario).from_store(&store), None)?;
        let mut film = Film::new(live.scene());
        live.show(&mut Screen { film: &mut film, layers: true })?;
        let name = name.to_owned();
        Ok(Self {
            name,
            store,
            scenario,
            live,
            film,
            sheet,
            past: VecDeque::new(),
            told: BTreeMap::new(),
            beyond: false,
        })
    }

    /// The same world under another rule of tracking, with all that was done and at the same time.
    ///
    /// # Errors
    /// [`Error`].
    pub fn beside(&self, rule: &str) -> Result<Self, Error> {
        let mut sheet = self.sheet.clone();
        sheet.set_rule(rule);
        let mut next = Self::of(&self.name, sheet, self.store.clone())?;
        next.past.clone_from(&self.past);
        next.change_past(|sheet| sheet.set_rule(rule))?;
        let frame = next.frame() + u64::from(next.frames_behind(self));
        match next.go_to(frame) {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(next),
        }
    }

    /// How many frames it is behind another one, in time.
    #[must_use]
    pub fn frames_behind(&self, other: &Self) -> u32 {
        let time = other.frame() as f64 * other.film.scene.dt;
        let frames = (time / self.film.scene.dt).round() as u64;
        frames.saturating_sub(self.frame()).try_into().unwrap_or(u32::MAX)
    }

    /// The same from the first frame on, with another sheet, up to frame `frame`.
    fn again(&mut self, sheet: Sheet, frame: u64) -> Result<(), Error> {
        let mut next = Self::of(&self.name, sheet, self.store.clone())?;
        next.past = std::mem::take(&mut self.past);
        next.beyond = self.beyond && frame >= self.frame();
        let done = next.go_to(frame);
        if let ControlFlow::Break(error) = done {
            self.past = next.past;
            return Err(error);
        }
        *self = next;
        Ok(())
    }

    fn go_to(&mut self, frame: u64) -> ControlFlow<Error> {
        while self.live.frame() < frame {
            if let Err(error) = self.live.advance() {
                return ControlFlow::Break(error.into());
            }
        }
        self.film.shots.clear();
        self.film.layers.clear();
        match self.live.show(&mut Screen { film: &mut self.film, layers: true }) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error.into()),
        }
    }

    /// Frames done.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.live.frame()
    }

    /// A hash of the whole state, as the summary of a run states it.
    #[must_use]
    pub fn state_hash(&self) -> String {
        format!("{:016x}", self.live.state_hash())
    }

    /// Goes on by some frames, and keeps the figures per cell of the last one if `layers` are
    /// wanted; with no frames, those of now.
    ///
    /// # Errors
    /// [`Error`].
    pub fn go_on(&mut self, frames: u32, layers: bool) -> Result<(), Error> {
        self.go(frames, layers, |_| false)
    }

    /// As [`Playground::go_on`], but no further than to the frame at which a run of the scenario
    /// ends. A change by hand after that lets it go on.
    ///
    /// # Errors
    /// [`Error`].
    pub fn go_on_to_end(&mut self, frames: u32, layers: bool) -> Result<(), Error> {
        self.go(frames, layers, Self::is_over)
    }

    fn go(&mut self, frames: u32, layers: bool, ends: fn(&Self) -> bool) -> Result<(), Error> {
        let mut left = if ends(self) { 0 } else { frames };
        if left == 0 && layers {
            self.live.show(&mut Screen { film: &mut self.film, layers })?;
        }
        while left > 0 {
            self.live.advance()?;
            left = if ends(self) { 0 } else { left - 1 };
            let layers = layers && left == 0;
            self.live.show(&mut Screen { film: &mut self.film, layers })?;
        }
        Ok(())
    }

    /// Whether a run of the scenario would have ended by now, and no hand has let it go on.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !self.beyond && self.live.is_over()
    }

    /// Remembers the world as it is, for [`Playground::undo`]: all changes from here to the next
    /// mark are one thing to undo.
    pub fn mark(&mut self) {
        if self.past.len() == REMEMBERED {
            self.past.pop_front();
        }
        self.past.push_back((self.sheet.text(), self.beyond));
    }

    /// Forgets the last mark, after which nothing was done.
    pub fn unmark(&mut self) {
        self.past.pop_back();
    }

    /// Changes what [`Playground::undo`] goes back to.
    fn change_past(&mut self, change: impl Fn(&mut Sheet)) -> Result<(), Error> {
        for (text, _) in &mut self.past {
            let mut sheet = Sheet::new(text)?;
            change(&mut sheet);
            *text = sheet.text();
        }
        Ok(())
    }

    /// Changes cells before the next frame, `[x, y]` or `[x, y, z]` of two corners.
    ///
    /// # Errors
    /// [`Error`] outside the map, and for speeds that the waves cannot have.
    pub fn edit(
        &mut self,
        from: Vec<usize>,
        to: Vec<usize>,
        wall: Option<bool>,
        wave_speed: Option<f64>,
    ) -> Result<(), Error> {
        let edit = Edit { step: self.live.frame(), from, to, wall, wave_speed };
        let over = self.live.is_over();
        self.live.edit(edit.clone())?;
        self.sheet.edit(&edit);
        self.beyond |= over;
        Ok(())
    }

    /// A box of one storey, `[x, y, z]` of two corners, stretched from floor to ceiling by the
    /// walls that the scenario begins with: each column is as high as its room. A column of wall
    /// that is broken through is as high as the lowest room in the box or beside it. Other boxes
    /// stay as they are, also those that reach out of the map, which nobody can edit.
    #[must_use]
    pub fn floor_to_ceiling(
        &self,
        from: &[usize],
        to: &[usize],
        breaks: bool,
    ) -> Vec<[Vec<usize>; 2]> {
        let as_is = vec![[from.to_vec(), to.to_vec()]];
        let walls = &self.film.scene.walls;
        let (height, rows, columns) = walls.dim();
        let (&[x, y, z], &[right, lower, top]) = (from, to) else { return as_is };
        if z != top || z >= height || lower >= rows || right >= columns {
            return as_is;
        }
        let room = |[y, x]: [usize; 2]| {
            let is_open = |z: &usize| walls.get([*z, y, x]) == Some(&false);
            let below = (0..=z).rev().take_while(is_open).last()?;
            let above = (z..height).take_while(is_open).last()?;
            Some([below, above])
        };
        let ys = y.saturating_sub(1)..=lower + 1;
        let beside = ys.flat_map(|y| (x.saturating_sub(1)..=right + 1).map(move |x| [y, x]));
        let lowest = beside.filter_map(room).min_by_key(|[below, above]| above - below);
        let rest = lowest.filter(|_| breaks).unwrap_or([z, z]);
        let mut boxes: Vec<[Vec<usize>; 2]> = Vec::new();
        for y in y..=lower {
            for x in x..=right {
                let [below, above] = room([y, x]).unwrap_or(rest);
                match boxes.last_mut() {
                    Some([low, high])
                        if high[..] == [x.wrapping_sub(1), y, above] && low[2] == below =>
                    {
                        high[0] = x;
                    }
                    _ => boxes.push([vec![x, y, below], vec![x, y, above]]),
                }
            }
        }
        boxes
    }

    /// Puts an evader elsewhere before the next frame.
    ///
    /// # Errors
    /// [`Error`] outside the map, in walls, and for evaders that walk on a graph.
    pub fn put(&mut self, evader: usize, to: Vec<f64>) -> Result<(), Error> {
        let step = self.live.frame();
        self.put_somebody(&Move { step, evader, pursuer: None, to: Place::At(to) })
    }

    /// Puts a pursuer elsewhere before the next frame, by its number in the order in which they
    /// came in.
    ///
    /// # Errors
    /// [`Error`] outside the map, in walls, and for pursuers that do not follow waves.
    pub fn put_pursuer(&mut self, pursuer: usize, to: Vec<f64>) -> Result<(), Error> {
        let step = self.live.frame();
        self.put_somebody(&Move { step, evader: 0, pursuer: Some(pursuer), to: Place::At(to) })
    }

    fn put_somebody(&mut self, put: &Move) -> Result<(), Error> {
        self.live.put(put.clone())?;
        self.sheet.put(put);
        self.beyond |= self.live.is_over();
        Ok(())
    }

    /// Lets one more pursuer come in before the next frame, like those of the first group.
    ///
    /// # Errors
    /// [`Error`] outside the map and in walls.
    pub fn add_pursuer(&mut self, at: Vec<f64>) -> Result<(), Error> {
        let mut sheet = self.sheet.clone();
        sheet.pursuers(self.live.frame(), &Place::At(at));
        let over = self.live.is_over();
        self.again(sheet, self.live.frame())?;
        self.beyond |= over;
        Ok(())
    }

    /// Puts a number in place of one that the scenario states, by its key with dots; without a
    /// number, the default. The world is run again with it, up to this frame.
    ///
    /// # Errors
    /// [`Error`] where a run of such a scenario would be refused.
    pub fn set(&mut self, key: &str, number: Option<f64>) -> Result<(), Error> {
        let mut sheet = self.sheet.clone();
        if !sheet.set_number(key, number) {
            return Err(Error::NoTable(key.to_owned()));
        }
        self.again(sheet, self.live.frame())
    }

    /// The numbers that the scenario states by their keys, and the keys of its tables.
    #[must_use]
    pub fn numbers(&self) -> Value {
        let (numbers, tables) = self.sheet.numbers();
        json!({"numbers": numbers, "tables": tables})
    }

    /// The world as it would be now without the changes since the last mark.
    ///
    /// # Errors
    /// [`Error::NothingToUndo`].
    pub fn undo(&mut self) -> Result<(), Error> {
        let (text, beyond) = self.past.back().ok_or(Error::NothingToUndo)?;
        let (sheet, beyond) = (Sheet::new(text)?, *beyond);
        self.again(sheet, self.live.frame())?;
        self.past.pop_back();
        self.beyond = beyond;
        Ok(())
    }

    /// The scenario with all that was done, from its first frame on.
    ///
    /// # Errors
    /// [`Error`].
    pub fn restart(&mut self, seed: Option<u64>) -> Result<(), Error> {
        let mut sheet = self.sheet.clone();
        let seed = seed.map(of_scenario).transpose()?;
        if let Some(seed) = seed {
            sheet.set_seed(seed);
        }
        self.again(sheet, 0)?;
        // To take something back is not to go back to the seed before.
        if let Some(seed) = seed {
            self.change_past(|sheet| sheet.set_seed(seed))?;
        }
        Ok(())
    }

    /// The scenario with all that was done, which ends where this world is now: a run of it has the
    /// same state hash.
    #[must_use]
    pub fn saved(&self) -> String {
        let mut sheet = self.sheet.clone();
        sheet.end_after(self.live.frame());
        sheet.text()
    }

    /// The name of the scenario.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.scenario.name
    }

    /// The heights of the ground, by `[y, x]`, and the side of a cell; `None` on flat ground.
    #[must_use]
    pub fn heights(&self) -> Option<(&Array2<f64>, f64)> {
        let scene = &self.film.scene;
        scene.heights.as_ref().map(|heights| (heights, scene.spacing))
    }

    /// The constant data, and the outcome so far.
    #[must_use]
    pub fn head(&self) -> Value {
        let mut head = self.film.head();
        head["wave_speed"] = json!(self.scenario.map.wave_speed);
        head["summary"] = self.summary();
        head
    }

    /// The outcome so far, with a hash of the state.
    #[must_use]
    pub fn summary(&self) -> Value {
        let mut summary = self.outcome();
        summary["state_hash"] = json!(self.state_hash());
        summary
    }

    /// The outcome so far.
    #[must_use]
    pub fn outcome(&self) -> Value {
        json!({
            "scenario": self.scenario.name,
            "seed": self.scenario.seed,
            "steps": self.frame(),
            "over": self.is_over(),
            "outcome": self.live.outcome(),
        })
    }

    /// Takes the present ground as that of the beginning, since the page has forgotten what was
    /// shown to it.
    pub fn look_again(&mut self) {
        self.film.scene = self.live.scene();
        self.film.edits.clear();
        let told = std::mem::take(&mut self.told).into_iter();
        let told = told.map(|(evader, (step, text))| (step, evader, text));
        drop(self.film.why.splice(..0, told));
    }

    /// Walls of the storeys to show as they were at first, a byte a cell, and then slow cells.
    #[must_use]
    pub fn ground(&self) -> Vec<u8> {
        self.film.ground()
    }

    /// The data that were kept since the last call: a head, and numbers behind it. Shot by shot
    /// places, 16 bits each with the low byte first, and a byte that says what each does; then
    /// layers.
    pub fn take(&mut self) -> (Value, Vec<u8>) {
        let film = &mut self.film;
        let (shots, layers) = (std::mem::take(&mut film.shots), std::mem::take(&mut film.layers));
        let mut bytes = Vec::new();
        for shot in &shots {
            bytes.extend(shot.places.iter().flat_map(|place| place.to_le_bytes()));
            bytes.extend_from_slice(&shot.doing);
        }
        for layer in &layers {
            bytes.extend_from_slice(&layer.values);
        }
        let height = film.scene.walls.dim().1;
        let width = film.scene.walls.dim().2;
        let edits = std::mem::take(&mut film.edits).into_iter();
        let edits = edits
            .map(|(step, [z, y, x], wall)| (step, (z * height + y) * width + x, u8::from(wall)));
        let why = std::mem::take(&mut film.why);
        self.told.extend(why.iter().map(|(step, evader, text)| (*evader, (*step, text.clone()))));
        let head = json!({
            "steps": shots.iter().map(|s| s.step).collect::<Vec<_>>(),
            "counts": shots.iter().map(|s| s.doing.len()).collect::<Vec<_>>(),
            "gauges": film.gauges,
            "values": shots.iter().map(|s| &s.gauges[..]).collect::<Vec<_>>(),
            "layers": layers.iter().map(|l| json!({"name": l.name, "step": l.step, "most": l.most, "length": l.values.len()})).collect::<Vec<_>>(),
            "edits": edits.collect::<Vec<_>>(),
            "why": why,
        });
        (head, bytes)
    }
}
