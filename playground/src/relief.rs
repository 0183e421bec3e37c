//! A level that is audited while it is painted: heights, a character, and the faults.
//!
//! Cells go in and out as `[column, row]`, as everywhere in the page.

mod asked;
mod told;

pub(crate) use asked::{Request, answer};

use crate::level;
use crate::world::Error;
use jump_planner::{Cell, Character, Cuts, JumpGraph, Level, Move, Preference, ShortcutRule, Ways};
use ndarray::Array2;
use serde_json::{Value, json};
use sim_harness::import::{self, Files, ImportOptions, Store};
use sim_harness::maps::heights::{Heightmap, NO_DATA, Scaling};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use told::Told;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

/// `[units: cells]` The longest side of a level that is made here.
const MOST_SIDE: usize = 512;
/// Findings of a kind that are told, the worst ones; beyond that only how many there are. Boxes of
/// a note likewise.
const TOLD: usize = 100;
/// `[units: cells]` On larger maps pursuers only walk: all jumps are too many.
const MOST_JUMPED: usize = 1 << 14;

/// A level to begin with: rows of heights, a step of `LIFT` each. It has a pit, a moat around an
/// isle to which a jump leads, a yard behind walls that stairs lead up to, a chasm to jump over
/// with stairs out of it, and a tower that nobody reaches.
const SAMPLE: &str = include_str!("relief/sample.txt");
const LIFT: f64 = 0.5;

/// How the character walks and jumps. Lengths are in the unit of the level, times in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Legs {
    launch_speed: f64,
    gravity: f64,
    step_height: f64,
    max_fall: Option<f64>,
}

impl Legs {
    fn character(&self) -> Result<Character, Error> {
        let Self { launch_speed, gravity, step_height, max_fall } = *self;
        let builder = Character::builder(launch_speed).gravity(gravity).step_height(step_height);
        Ok(max_fall.map_or(builder, |most| builder.max_fall(most)).build()?)
    }
}

/// The settings besides the ground: all of them are kept to go back.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    legs: Legs,
    start: Option<Cell>,
    goal: Option<Cell>,
    route: Vec<Cell>,
}

/// The changes that a step back undoes.
enum Done {
    /// Heights before a stroke.
    Stroke(BTreeMap<Cell, f64>),
    /// Settings before another one; of the last change that asked for another level, that level,
    /// too, since deciding all jumps again takes seconds on a large one.
    Settings(Settings, Option<Box<Level>>),
}

/// The effect of a brush on cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Brush {
    /// Higher by this, once a stroke; below 0: lower.
    By(f64),
    /// Sets them to this height.
    To(f64),
}

/// A level under the brush.
pub(crate) struct Relief {
    name: String,
    level: Level,
    settings: Settings,
    past: Vec<Done>,
}

impl Relief {
    /// The level to begin with.
    pub(crate) fn sample() -> Result<Self, Error> {
        let rows: Vec<&str> = SAMPLE.lines().collect();
        let size = (rows.len(), rows.first().map_or(0, |row| row.len()));
        let digit = |[y, x]: [usize; 2]| {
            let digit = rows[y].as_bytes().get(x).map_or(0, |b| b.saturating_sub(b'0'));
            f64::from(digit) * LIFT
        };
        let heights = Array2::from_shape_fn(size, |(y, x)| digit([y, x]));
        Self::of("sample".to_owned(), &of_heights(heights), LIFT, [None; 2])
    }

    /// A flat one of so many cells.
    pub(crate) fn flat(columns: usize, rows: usize) -> Result<Self, Error> {
        if columns.max(rows) > MOST_SIDE || columns.min(rows) == 0 || columns * rows < 2 {
            return Err(Error::Size { columns, rows, most: MOST_SIDE });
        }
        let heights = Array2::zeros((rows, columns));
        Self::of("level".to_owned(), &of_heights(heights), 0.0, [None; 2])
    }

    /// The level among files, as `sim-harness audit` reads it. Steps between neighbours that most
    /// of a height map has can be walked.
    pub(crate) fn open_files(files: Files) -> Result<Self, Error> {
        let name = level::main_of(&files)?.to_owned();
        let map = import::read_from(
            &Store::Memory(files.into()),
            Path::new(&name),
            &ImportOptions::default(),
        )?;
        let turned = |cells: &[[usize; 3]]| cells.first().map(|&[_, y, x]| [y, x]);
        let ends = [turned(&map.layers().starts), turned(&map.layers().goals)];
        let step_height = map.layers().heights.as_ref().map_or(0.0, level::climbed);
        Self::of(name, &map.heights(), step_height, ends)
    }

    /// The ground of a world, if it has heights.
    pub(crate) fn of_world(name: &str, heights: Array2<f64>, spacing: f64) -> Result<Self, Error> {
        let cell_size = Some(spacing);
        let step_height = level::climbed(&heights);
        let map = Heightmap { heights, no_go: None, cell_size };
        Self::of(name.to_owned(), &map, step_height, [None; 2])
    }

    fn of(
        name: String,
        map: &Heightmap,
        step_height: f64,
        [start, goal]: [Option<Cell>; 2],
    ) -> Result<Self, Error> {
        let terrain = map.terrain(&Scaling::default()).map_err(jump_planner::JumpError::from)?;
        let gravity = jump_planner::STANDARD_GRAVITY;
        let legs = Legs { launch_speed: 6.0, gravity, step_height, max_fall: None };
        let graph = JumpGraph::new(terrain, legs.character()?)?;
        let stands = |cell: &Cell| graph.can_stand(*cell);
        let [start, goal] = [start.filter(stands), goal.filter(stands)];
        let settings = Settings { legs, start, goal, route: Vec::new() };
        let level = Level::new(graph, start)?;
        Ok(Self { name, level, settings, past: Vec::new() })
    }

    fn graph(&self) -> &JumpGraph {
        self.level.graph()
    }

    /// All cells, row by row.
    fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let [rows, columns] = self.graph().terrain().shape();
        (0..rows).flat_map(move |y| (0..columns).map(move |x| [y, x]))
    }

    fn index(&self, [y, x]: Cell) -> usize {
        y * self.graph().terrain().shape()[1] + x
    }

    /// Begins one stroke.
    pub(crate) fn begin_stroke(&mut self) {
        self.past.push(Done::Stroke(BTreeMap::new()));
    }

    /// Forgets a stroke that did nothing.
    pub(crate) fn end_stroke(&mut self) {
        if matches!(self.past.last(), Some(Done::Stroke(before)) if before.is_empty()) {
            self.past.pop();
        }
    }

    /// Paints the cells of a box, but leaves out cells outside the map, and cells without data,
    /// whose height is not known. Returns what changed: cells by their index, row by row, and their
    /// heights.
    pub(crate) fn paint(
        &mut self,
        from: [usize; 2],
        to: [usize; 2],
        brush: Brush,
    ) -> Result<Vec<(usize, f64)>, Error> {
        let [rows, columns] = self.graph().terrain().shape();
        if !matches!(self.past.last(), Some(Done::Stroke(_))) {
            self.begin_stroke();
        }
        let mut changed = Vec::new();
        for y in from[1]..=to[1].min(rows - 1) {
            for x in from[0]..=to[0].min(columns - 1) {
                let cell = [y, x];
                let Some(now) = self.graph().terrain().height(cell) else { continue };
                let Some(Done::Stroke(before)) = self.past.last_mut() else { continue };
                let first = *before.get(&cell).unwrap_or(&now);
                let next = match brush {
                    Brush::By(step) => first + step,
                    Brush::To(height) => height,
                };
                if next.to_bits() == now.to_bits() {
                    continue;
                }
                self.level.set_height(cell, next)?;
                before.entry(cell).or_insert(now);
                changed.push((self.index(cell), next));
            }
        }
        Ok(changed)
    }

    /// Takes back the last stroke or setting.
    pub(crate) fn undo(&mut self) -> Result<(), Error> {
        match self.past.pop().ok_or(Error::NothingToUndo)? {
            Done::Stroke(before) => {
                for (cell, height) in before {
                    self.level.set_height(cell, height)?;
                }
                Ok(())
            }
            Done::Settings(before, level) => self.again(before, level).map(|_| ()),
        }
    }

    /// Audits the ground again under other settings, unless the level of these is `known`; returns
    /// those of before, and the level, if it is another one now.
    fn again(
        &mut self,
        settings: Settings,
        known: Option<Box<Level>>,
    ) -> Result<(Settings, Option<Box<Level>>), Error> {
        let before = &self.settings;
        let level = if known.is_some() {
            known
        } else if settings.legs != before.legs {
            Some(Box::new(Level::new(self.graph_at(&settings.legs)?, settings.start)?))
        } else if settings.start != before.start {
            Some(Box::new(Level::new(self.graph().clone(), settings.start)?))
        } else {
            None
        };
        let level = level.map(|level| Box::new(std::mem::replace(&mut self.level, *level)));
        Ok((std::mem::replace(&mut self.settings, settings), level))
    }

    fn graph_at(&self, legs: &Legs) -> Result<JumpGraph, Error> {
        Ok(JumpGraph::new(self.graph().terrain().clone(), legs.character()?)?)
    }

    fn set(&mut self, settings: Settings) -> Result<(), Error> {
        let (before, level) = self.again(settings, None)?;
        if level.is_some() {
            for done in &mut self.past {
                if let Done::Settings(_, older) = done {
                    *older = None;
                }
            }
        }
        self.past.push(Done::Settings(before, level));
        Ok(())
    }

    /// Sets a number of the character; without one, falls have no limit.
    pub(crate) fn set_number(&mut self, key: &str, number: Option<f64>) -> Result<(), Error> {
        let mut settings = self.settings.clone();
        let legs = &mut settings.legs;
        match (key, number) {
            ("launch_speed", Some(speed)) => legs.launch_speed = speed,
            ("gravity", Some(gravity)) => legs.gravity = gravity,
            ("step_height", Some(height)) => legs.step_height = height,
            ("max_fall", most) => legs.max_fall = most,
            _ => return Err(Error::NoTable(key.to_owned())),
        }
        self.set(settings)
    }

    /// Puts the start, the goal or the next stop of the route somewhere.
    pub(crate) fn put(&mut self, what: &str, at: [usize; 2]) -> Result<(), Error> {
        let cell = self.ground(at)?;
        let mut settings = self.settings.clone();
        match what {
            "start" => settings.start = Some(cell),
            "goal" => settings.goal = Some(cell),
            "stop" => settings.route.push(cell),
            _ => return Err(Error::NoTable(what.to_owned())),
        }
        self.set(settings)
    }

    /// Forgets the route.
    pub(crate) fn clear_route(&mut self) -> Result<(), Error> {
        self.set(Settings { route: Vec::new(), ..self.settings.clone() })
    }

    /// The cell `[row, column]` of `[column, row]`, if one can stand there.
    fn ground(&self, [x, y]: [usize; 2]) -> Result<Cell, Error> {
        let cell = [y, x];
        self.graph().jump(cell, cell)?;
        Ok(cell)
    }

    fn start(&self) -> Result<Cell, Error> {
        // Without one it is the first cell of the largest region.
        Ok(match self.settings.start {
            Some(start) => start,
            None => self.graph().audit(None)?.start(),
        })
    }

    /// The data that the viewer needs at first, and walls: cells without data.
    pub(crate) fn head(&self) -> (Value, Vec<u8>) {
        let terrain = self.graph().terrain();
        let [rows, columns] = terrain.shape();
        let heights: Vec<_> =
            self.cells().map(|cell| terrain.height(cell).unwrap_or(0.0)).collect();
        let size = terrain.cell_size();
        let range = |n: usize| [-0.5 * size, n as f64 * size];
        let head = json!({
            "question": "Paint the ground. What is wrong with it stands at the right; click a finding to see it.",
            "size": [columns, rows, 1],
            "dimensions": 2,
            "axes": 2,
            "range": [range(columns), range(rows)],
            "spacing": size,
            "dt": 1.0,
            "storeys": [0],
            "coarse": 1,
            "evaders": 0,
            "heights": heights,
            "places": self.places(),
            "doing": [],
            "ways": [],
            "summary": self.summary(),
            "settings": self.settings(),
        });
        let walls = self.cells().map(|cell| u8::from(!terrain.can_stand(cell)));
        (head, walls.chain(self.cells().map(|_| 0)).collect())
    }

    fn settings(&self) -> Value {
        let Legs { launch_speed, gravity, step_height, max_fall } = self.settings.legs;
        json!({
            "launch_speed": launch_speed, "gravity": gravity,
            "step_height": step_height, "max_fall": max_fall,
        })
    }

    fn places(&self) -> Value {
        let Settings { start, goal, route, .. } = &self.settings;
        let at = |cell: Cell| turned(cell).map(|v| v as f64 * self.cell_size());
        let named = |name: &str, cell: &Option<Cell>| cell.map(|cell| (name.to_owned(), at(cell)));
        let stops = (1..).zip(route).map(|(n, &cell)| (format!("route {n}"), at(cell)));
        let ends = [named("start", start), named("goal", goal)];
        json!(ends.into_iter().flatten().chain(stops).collect::<Vec<_>>())
    }

    fn summary(&self) -> Value {
        let (level, counts) = (&self.level, self.level.counts());
        json!({
            "scenario": self.name,
            "outcome": {
                "cells": self.graph().terrain().len(),
                "regions": level.region_count(),
                "traps": level.traps(),
                "one_way": level.one_way(),
                "walks": counts.walk,
                "falls": counts.fall,
                "jumps counted": counts.jump,
            },
        })
    }

    /// The present results of the audit, the worst findings of each kind first; and a byte a cell:
    /// 0 nobody can stand there, 1 reached, 2 a trap, 3 not reached.
    pub(crate) fn look(&self) -> (Value, Vec<u8>) {
        let mut told = Told::default();
        let mut traps = Vec::new();
        for finding in self.level.findings() {
            if let jump_planner::Finding::Trap { cell, .. } = finding {
                traps.extend(self.level.region(*cell));
            }
            told.finding(finding);
        }
        let mut is_trap = vec![false; self.level.region_count()];
        for region in traps {
            is_trap[region] = true;
        }
        let kind = |cell: Cell| match self.level.region(cell) {
            None => 0,
            Some(region) if is_trap[region] => 2,
            Some(_) if self.level.is_reached(cell) => 1,
            Some(_) => 3,
        };
        let head = json!({
            "summary": self.summary(), "places": self.places(), "settings": self.settings(),
            "counts": told.counts, "findings": told.items,
        });
        (head, self.cells().map(kind).collect())
    }

    /// Cells and moves whose loss alone cuts ground off, from the start and back to it; and the
    /// places that every way to the goal passes.
    pub(crate) fn cuts(&self) -> Result<Value, Error> {
        let audit = self.graph().audit(self.settings.start)?;
        let mut told = Told::default();
        let mut goal = None;
        for (ways, kind) in [(Ways::FromStart, "cut"), (Ways::ToStart, "cut back")] {
            let cuts = self.graph().cuts(&audit, ways)?;
            cuts.worst_first().iter().for_each(|cut| told.cut(kind, cut));
            if ways == Ways::FromStart {
                goal = self.settings.goal.map(|goal| on_every_way(self.graph(), &cuts, goal));
            }
        }
        Ok(json!({"counts": told.counts, "findings": told.items, "goal": goal}))
    }

    /// Ways that skip a part of the route, and the route.
    pub(crate) fn shortcuts(&self) -> Result<Value, Error> {
        let graph = self.graph();
        let route = graph.route_through(&self.settings.route, Preference::FewestJumps)?;
        let mut told = Told::default();
        for shortcut in graph.shortcuts(&route, ShortcutRule::default())? {
            told.shortcut(&shortcut);
        }
        let route: Vec<_> = route.into_iter().map(turned).collect();
        Ok(json!({"counts": told.counts, "findings": told.items, "route": route}))
    }

    /// The launch speeds up to `most` at which more is reached from the start.
    pub(crate) fn speeds(&self, most: f64) -> Result<Value, Error> {
        let graph = self.graph_at(&Legs { launch_speed: most, ..self.settings.legs })?;
        let steps = graph.speed_steps(self.start()?)?;
        let steps = steps.steps().iter().map(|step| {
            let witness = step.witness.map(told::step);
            json!({"speed": step.speed, "gained": step.gained, "reached": step.reached, "move": witness})
        });
        Ok(json!({"steps": steps.collect::<Vec<_>>()}))
    }

    /// How moves are done, each by points `[x, y, z]`, with the ground's heights under them; and a
    /// byte a cell: 1 in the region of `cell`.
    pub(crate) fn show(&self, cell: Option<[usize; 2]>, moves: &[Move]) -> (Value, Vec<u8>) {
        let graph = self.graph();
        let region = cell.and_then(|at| self.level.region(turned(at)));
        let is_in = |cell: Cell| region.is_some() && self.level.region(cell) == region;
        let mask = self.cells().map(|cell| u8::from(is_in(cell))).collect();
        let arcs: Vec<_> = moves.iter().map(|step| told::arc(graph, step)).collect();
        let reached = cell.map(|at| self.level.is_reached(turned(at)));
        (json!({"arcs": arcs, "region": region, "reached": reached}), mask)
    }

    /// The name of the file of the ground.
    pub(crate) fn file(&self) -> String {
        let stem = Path::new(&self.name).file_stem().unwrap_or_default().to_string_lossy();
        format!("{stem}.asc")
    }

    /// A chase on the ground, by characters that walk and, on small maps, jump as in the audit: a
    /// scenario that lies beside the file.
    pub(crate) fn scenario(&self) -> Result<String, Error> {
        let file = self.file();
        // Nobody begins in a pit.
        let ground = self.asc_with(|cell| self.graph().can_stand(cell));
        let files = Files::from([(file.clone(), ground.into_bytes())]);
        let text = level::text(&Store::Memory(files.into()), &file)?;
        let mut document: DocumentMut = text.parse()?;
        // Walls of a scenario can be flown over.
        let corner = |[x, y]: [usize; 2]| value(Array::from_iter([x as i64, y as i64]));
        let walls: ArrayOfTables = (self.no_go().into_iter())
            .map(|[from, to]| {
                Table::from_iter([
                    ("from", corner(from)),
                    ("to", corner(to)),
                    ("wall", value(true)),
                ])
            })
            .collect();
        if !walls.is_empty() {
            document["map"]["boxes"] = Item::ArrayOfTables(walls);
        }
        let Settings { legs, start, goal, .. } = &self.settings;
        let mut entries = InlineTable::new();
        let jumps = self.graph().terrain().len() <= MOST_JUMPED;
        for (key, number) in [
            ("launch_speed", Some(legs.launch_speed).filter(|_| jumps)),
            ("gravity", Some(legs.gravity)),
            ("step_height", Some(legs.step_height)),
            ("max_fall", legs.max_fall),
        ] {
            number.map(|number| entries.insert(key, number.into()));
        }
        let mut mind = entries;
        for key in ["legs", "travel"] {
            mind = InlineTable::from_iter([(key, mind)]);
        }
        let place = |cell: &Cell| {
            value(turned(*cell).map(|v| v as f64 * self.cell_size()).into_iter().collect::<Array>())
        };
        let group = |document: &mut DocumentMut, list: &str, key: &str, item: Item| {
            if let Some(group) =
                document[list].as_array_of_tables_mut().and_then(|all| all.get_mut(0))
            {
                group[key] = item;
            }
        };
        group(&mut document, "pursuers", "mind", value(mind));
        for (list, cell) in [("pursuers", start), ("evaders", goal)] {
            if let Some(cell) = cell {
                group(&mut document, list, "start", place(cell));
            }
        }
        Ok(document.to_string())
    }

    fn cell_size(&self) -> f64 {
        self.graph().terrain().cell_size()
    }

    /// Boxes of cells that one flies over but does not stand in (pits of voxels), as `--no-go` of
    /// `sim-harness audit` takes them: corners `[column, row]`, both included. A grid of heights
    /// cannot say that of a cell.
    pub(crate) fn no_go(&self) -> Vec<[[usize; 2]; 2]> {
        let terrain = self.graph().terrain();
        let is_pit = |cell| terrain.height(cell).is_some() && !terrain.can_stand(cell);
        let [rows, columns] = terrain.shape();
        let mut boxes: Vec<[[usize; 2]; 2]> = Vec::new();
        // The last box that begins in a column.
        let mut last = vec![None; columns];
        for y in 0..rows {
            let mut x = 0;
            while x < columns {
                let left = x;
                while x < columns && is_pit([y, x]) {
                    x += 1;
                }
                if x == left {
                    x += 1;
                    continue;
                }
                // A run as wide as that above it makes its box longer.
                match last[left].map(|i: usize| &mut boxes[i]) {
                    Some([_, [right, lower]]) if [*right, *lower + 1] == [x - 1, y] => *lower = y,
                    _ => {
                        last[left] = Some(boxes.len());
                        boxes.push([[left, y], [x - 1, y]]);
                    }
                }
            }
        }
        boxes
    }

    /// What a saved file does not say.
    pub(crate) fn note(&self) -> Option<String> {
        let boxes = self.no_go();
        let mut options = String::new();
        for [[left, upper], [right, lower]] in boxes.iter().take(TOLD) {
            // Into a text: nothing can go wrong.
            let _ = write!(options, " --no-go {left},{upper},{right},{lower}");
        }
        let more = match boxes.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!(" and {more} more, which namiji.ask tells as no_go"),
        };
        (!boxes.is_empty()).then(|| {
            format!(
                "an .asc cannot say that one flies over a cell but never stands in it; for the \
                 same findings, audit it with{options}{more}"
            )
        })
    }

    /// The ground as an ESRI ASCII grid, which `sim-harness audit` and the playground read; see
    /// also [`Relief::no_go`].
    pub(crate) fn asc(&self) -> String {
        self.asc_with(|_| true)
    }

    /// The same, without data where `has_data` is false.
    fn asc_with(&self, has_data: impl Fn(Cell) -> bool) -> String {
        let terrain = self.graph().terrain();
        let [rows, columns] = terrain.shape();
        let mut text = format!(
            "ncols {columns}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize {}\nNODATA_value {NO_DATA}\n",
            terrain.cell_size()
        );
        for y in 0..rows {
            for x in 0..columns {
                let height = terrain.height([y, x]).filter(|_| has_data([y, x]));
                let end = if x + 1 == columns { '\n' } else { ' ' };
                // Into a text: nothing can go wrong.
                let _ = write!(text, "{}{end}", height.unwrap_or(NO_DATA));
            }
        }
        text
    }
}

/// `[column, row]` of `[row, column]`, and the other way round.
fn turned([a, b]: [usize; 2]) -> [usize; 2] {
    [b, a]
}

fn of_heights(heights: Array2<f64>) -> Heightmap {
    Heightmap { heights, no_go: None, cell_size: None }
}

fn on_every_way(graph: &JumpGraph, cuts: &Cuts, goal: Cell) -> Value {
    let every = cuts.on_every_way(graph.terrain(), goal);
    let cells = every.as_ref().map(|cells| cells.iter().copied().map(turned).collect::<Vec<_>>());
    json!({"reached": every.is_some(), "on_every_way": cells})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_setting_is_undone_without_deciding_all_jumps_again() {
        let heights = Array2::from_shape_fn((80, 80), |(y, x)| ((x * 7 + y * 13) % 5) as f64 * 0.7);
        let mut relief =
            Relief::of("hills".to_owned(), &of_heights(heights), 0.0, [None; 2]).unwrap();
        let told =
            |relief: &Relief| (relief.settings.clone(), relief.level.counts(), relief.look());
        let before = told(&relief);
        let begin = Instant::now();
        relief.set_number("launch_speed", Some(7.0)).unwrap();
        let set = begin.elapsed();
        relief.put("goal", [3, 3]).unwrap();
        relief.paint([5, 5], [8, 8], Brush::By(3.0)).unwrap();
        assert_ne!(told(&relief), before);
        relief.undo().unwrap();
        relief.undo().unwrap();
        let begin = Instant::now();
        relief.undo().unwrap();
        let undone = begin.elapsed();
        assert_eq!(told(&relief), before);
        assert!(10 * undone < set, "{set:?}, undone in {undone:?}");
    }
}
