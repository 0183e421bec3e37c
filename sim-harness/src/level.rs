//! The `jump`, `audit` and `links` commands: a height map, a character, and the results.

mod audit;
mod gate;
mod links;
#[cfg(feature = "record")]
mod page;
#[cfg(feature = "record")]
pub(crate) mod picture;
mod route;
mod seen;
mod site;
mod storeys;

pub use audit::{AuditOptions, AuditSummary, GoalSummary, audit};
pub use gate::{Denied, Fault};
pub use links::{Link, links};
#[cfg(feature = "record")]
pub use page::page;
pub use route::named;
pub use seen::{Ground, Named, Seen};
pub use site::scenario_legs;
pub use storeys::Storeys;

use crate::import::{ImportError, ImportOptions};
use crate::maps::heights::{Heightmap, Scaling};
use crate::output::WriteError;
#[cfg(feature = "record")]
use crate::output::{OutFolder, Sharing, Whole};
use crate::scenario::ScenarioError;
#[cfg(feature = "record")]
use jump_planner::Move;
use jump_planner::{
    Character, Flight, JumpError, JumpGraph, JumpRule, MoveKind, Preference, SearchOver,
    TerrainError,
};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// The level, and the character that moves in it.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelOptions {
    /// Any file of a level that [`import`](crate::import) knows; or a scenario, a file or a
    /// built-in name, whose ground it is then.
    pub terrain: PathBuf,
    /// Where the file leaves a choice.
    pub import: ImportOptions,
    /// How heights and cells are scaled.
    pub scaling: Scaling,
    /// `[units: length / time] [limits: > 0, <= 1e6]`
    pub speed: f64,
    /// `[units: length / time^2] [limits: > 0, <= 1e6]`
    pub gravity: f64,
    /// `[units: length] [limits: 0 to 1e9]`
    pub step_height: f64,
    /// `[units: length] [limits: 0 to 1e9]`
    pub max_fall: Option<f64>,
    /// `[units: length]` Half the side and the height of the box that moves; 0: a point.
    pub body: [f64; 2],
    /// When jumps are clear.
    pub rule: JumpRule,
    /// Boxes of cells that nobody stands in, though one jumps over them: corners `[column, row]`,
    /// the smaller first, both included.
    pub no_go: Vec<[[usize; 2]; 2]>,
    /// Whether all floors of a level of voxels or a mesh count, not the highest ones alone.
    pub storeys: bool,
}

/// Why a level gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] ImportError),
    /// The scenario cannot be used.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A box that is not on the level.
    #[error(
        "no-go {},{},{},{}: must lie on the level of {columns} x {rows} cells, the smaller corner first",
        corners[0][0], corners[0][1], corners[1][0], corners[1][1]
    )]
    NoGo {
        /// The corners of the box, `[column, row]`.
        corners: [[usize; 2]; 2],
        /// How many the level has.
        columns: usize,
        /// How many the level has.
        rows: usize,
    },
    /// Its heights cannot be used.
    #[error("{file}: {error}")]
    Terrain {
        /// The file.
        file: String,
        /// The fault.
        error: TerrainError,
    },
    /// A cell that was named cannot be used.
    #[error("{which} {column},{row}: {fault}", column = cell[0], row = cell[1])]
    Cell {
        /// start, goal, from or to.
        which: &'static str,
        /// `[column, row]`
        cell: [usize; 2],
        /// The fault.
        fault: CellFault,
    },
    /// The character cannot be used, or the question not be answered.
    #[error("{0}")]
    Jump(#[from] JumpError),
    /// A file of a route cannot be used.
    #[error("{file}: {what}")]
    Route {
        /// The file.
        file: String,
        /// The line and the fault.
        what: String,
    },
    /// The findings could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why a cell cannot be a start, a goal or a stop of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellFault {
    /// There is no such cell.
    #[error("outside the terrain of {columns} columns and {rows} rows, which count from 0")]
    Outside {
        /// Columns there are.
        columns: usize,
        /// Rows there are.
        rows: usize,
    },
    /// Nobody can stand there.
    #[error("cannot be stood on: {why}")]
    NotGround {
        /// No data, say.
        why: &'static str,
    },
}

/// The place that is named, if one can stand there.
fn place<T: Ground>(
    graph: &JumpGraph<T>,
    which: &'static str,
    named: Named,
) -> Result<T::Place, LevelError> {
    T::named(graph, named).map_err(|fault| LevelError::Cell { which, cell: named.0, fault })
}

/// A step of a path; the keys are those of the command's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// `[column, row]`
    pub cell: [usize; 2],
    /// `[units: length]` Where there are storeys: how high the floor lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    /// start, walk, fall or jump.
    #[serde(rename = "move")]
    pub kind: &'static str,
    /// How a jump is flown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flight: Option<Flight>,
}

/// The results of `jump`; the keys are those of its JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JumpSummary {
    /// Whether there is a path.
    pub reachable: bool,
    /// The best one; empty where there is none.
    pub path: Vec<Step>,
    /// Steps of the search that decides whether a path exists, over cells; not counted where there
    /// are storeys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_plain: Option<usize>,
    /// The same over groups.
    pub steps_grouped: usize,
    /// The kind of a step: "edges" of the graph examined, as the source counts them, up to 2^12
    /// cells. Beyond, and where there are storeys, deciding all edges takes minutes: there it is
    /// "pairs" of cells looked at.
    pub steps_are: &'static str,
    /// Wall-clock time of all three searches.
    pub seconds: f64,
}

impl LevelOptions {
    /// Reads the terrain and builds the graph.
    ///
    /// # Errors
    /// [`LevelError`].
    pub fn graph(&self) -> Result<JumpGraph, LevelError> {
        self.graph_of(&self.site()?.heights)
    }

    /// Builds the graph of heights that are there already; errors name [`LevelOptions::terrain`].
    ///
    /// # Errors
    /// [`LevelError`].
    pub fn graph_of(&self, map: &Heightmap) -> Result<JumpGraph, LevelError> {
        let terrain = map.terrain(&self.scaling).map_err(|error| {
            let file = crate::maps::printable(&self.terrain.to_string_lossy());
            LevelError::Terrain { file, error }
        })?;
        Ok(JumpGraph::with_rule(terrain, self.character()?, self.rule)?)
    }

    fn character(&self) -> Result<Character, LevelError> {
        let [radius, height] = self.body;
        let builder = Character::builder(self.speed).gravity(self.gravity).body(radius, height);
        let builder = builder.step_height(self.step_height);
        let builder = self.max_fall.map_or(builder, |most| builder.max_fall(most));
        Ok(builder.build().map_err(JumpError::from)?)
    }
}

#[cfg(feature = "record")]
impl JumpSummary {
    /// Draws the level with the way from one place to another as `jump.png` in a folder.
    ///
    /// # Errors
    /// [`LevelError::Write`]; [`LevelError::Cell`] for places of another level.
    pub fn draw<T: Ground>(
        &self,
        graph: &JumpGraph<T>,
        [from, to]: [Named; 2],
        folder: &std::path::Path,
    ) -> Result<(), LevelError> {
        let ends = [place(graph, "from", from)?, place(graph, "to", to)?];
        let kind = |step: &Step| match step.kind {
            "walk" => MoveKind::Walk,
            "fall" => MoveKind::Fall,
            _ => MoveKind::Jump,
        };
        let mut way = Vec::new();
        for two in self.path.windows(2) {
            let [from, to] = [&two[0], &two[1]].map(|step| (step.cell, step.z));
            let (from, to) = (place(graph, "from", from)?, place(graph, "to", to)?);
            way.push(Move { from, to, kind: kind(&two[1]) });
        }
        let folder = OutFolder::open(folder, Sharing::Alone)?;
        let path = folder.join("jump.png");
        let picture = picture::draw_way(graph, ends, &way, picture::AIM);
        let bytes = picture.and_then(|picture| picture.encode_png().ok());
        let bytes = bytes.ok_or_else(|| WriteError::new(&path, &"no memory for the picture"))?;
        Ok(Whole::place(vec![Whole::of(path, &bytes)?])?)
    }
}

/// `[units: cells]` Terrains up to this have their edges counted.
const COUNTED: usize = 1 << 12;

/// The best path from one place to another.
///
/// # Errors
/// [`LevelError::Cell`], [`LevelError::Jump`].
pub fn jump<T: Ground>(
    graph: &JumpGraph<T>,
    [from, to]: [Named; 2],
    preference: Preference,
) -> Result<JumpSummary, LevelError> {
    let (from, to) = (place(graph, "from", from)?, place(graph, "to", to)?);
    let begin = Instant::now();
    let [rows, columns] = graph.terrain().shape();
    let small = !T::HAS_STOREYS && rows * columns <= COUNTED;
    let searches = if small {
        [SearchOver::Cells, SearchOver::Groups]
    } else {
        [SearchOver::CellsLazily, SearchOver::GroupsLazily]
    };
    let plain = (!T::HAS_STOREYS).then(|| graph.exists(from, to, searches[0])).transpose()?;
    let grouped = graph.exists(from, to, searches[1])?;
    // No group path, no path: the search over cells is spared.
    let plan = if grouped.exists { graph.plan(from, to, preference)? } else { None };
    let seconds = begin.elapsed().as_secs_f64();
    let mut path = Vec::new();
    let step = |place, kind, flight| {
        let seen = graph.terrain().seen(place);
        Step { cell: seen.cell(), z: seen.z(), kind, flight }
    };
    if let Some(plan) = &plan {
        path.push(step(from, "start", None));
        path.extend(plan.moves.iter().map(|one| {
            let kind = match one.kind {
                MoveKind::Walk => "walk",
                MoveKind::Fall => "fall",
                MoveKind::Jump => "jump",
            };
            step(one.to, kind, graph.witness(one))
        }));
    }
    Ok(JumpSummary {
        reachable: plan.is_some(),
        path,
        steps_plain: plain.map(|plain| plain.steps),
        steps_grouped: grouped.steps,
        steps_are: if small { "edges" } else { "pairs" },
        seconds,
    })
}

/// A level that was audited, or why it was not.
#[derive(Clone, Copy, Debug)]
pub struct Audited<'a> {
    /// Its file, as it was named.
    pub file: &'a str,
    /// The folder of its picture, from where the page lies: empty, or with a slash at its end;
    /// `None`: there is none.
    pub folder: Option<&'a str>,
    /// The results, or one line.
    pub outcome: Result<&'a AuditSummary, &'a str>,
}
