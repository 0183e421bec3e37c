//! Scenarios as data: a map, a target, pursuers, edits, and when it ends.
//!
//! A scenario is a TOML file; see `sim-harness/scenarios` for those that are built in. Positions
//! are `[x, y]` or `[x, y, z]` in world units, or the letter that marks a cell in the drawing.

mod builtin;
mod error;
mod load;

pub use builtin::{BuiltIn, built_in};
pub use error::ScenarioError;
pub use load::{load, parse};

use serde::Deserialize;

/// A scenario as its file states it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The file it came from, or its name again if it is built in; stands in errors.
    #[serde(skip)]
    pub file: String,
    /// The question that it answers.
    #[serde(default)]
    pub question: String,
    /// `[units: steps] [limits: 1 to 10^8] suggested: 2000` It ends here at the latest.
    pub steps: u64,
    /// When it ends before that.
    #[serde(default)]
    pub until: Until,
    /// `[limits: any] suggested: 1` Seeds all that is random; `--seed` overrides it.
    #[serde(default = "one")]
    pub seed: u64,
    /// `[units: steps] [limits: >= 1] suggested: 4` Every so many steps are recorded.
    #[serde(default = "four")]
    pub record_every: u64,
    /// `[units: cells]` 3D: the storeys that the picture shows, by their z; left out, the middle.
    #[serde(default)]
    pub slices: Vec<usize>,
    /// The ground.
    pub map: Map,
    /// How pursuers follow waves.
    #[serde(default)]
    pub tracking: Tracking,
    /// Who is pursued.
    pub target: Target,
    /// Who pursues, group by group.
    pub pursuers: Vec<Group>,
    /// What changes on the way.
    #[serde(default)]
    pub edits: Vec<Edit>,
}

/// When a scenario ends before its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// When every pursuer has arrived or found that no way exists.
    #[default]
    AllArrived,
    /// When one pursuer has arrived.
    FirstArrived,
    /// Not before.
    LastStep,
}

/// The ground: a drawing or a size, then boxes over it in their order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// 2D: rows of `#` (wall), `.` (free) and letters that mark free cells.
    pub drawing: Option<String>,
    /// `[units: cells]` In place of a drawing: `[x, y]` or `[x, y, z]`, all free.
    pub size: Option<Vec<usize>>,
    /// `[units: world units] [limits: > 0] suggested: 1` The distance between cell centres.
    #[serde(default = "unit")]
    pub spacing: f64,
    /// `[units: world units per time] [limits: > 0] suggested: 1` The wave's speed.
    #[serde(default = "unit")]
    pub wave_speed: f64,
    /// What walls do to waves.
    #[serde(default)]
    pub walls: Walls,
    /// Boxes of cells that are wall, free, or slower.
    #[serde(default)]
    pub boxes: Vec<CellBox>,
}

/// What walls do to waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walls {
    /// Free ends: ours.
    #[default]
    Free,
    /// Fixed ends: as published.
    Fixed,
}

/// A box of cells, both corners included.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellBox {
    /// `[units: cells]` The corner with the smallest coordinates, x first.
    pub from: Vec<usize>,
    /// `[units: cells]` The corner with the largest coordinates, x first.
    pub to: Vec<usize>,
    /// True: the cells become walls; false: free.
    pub wall: Option<bool>,
    /// `[units: world units per time] [limits: > 0]` The wave's speed in the cells.
    pub wave_speed: Option<f64>,
}

/// A box of cells that changes on the way. A wall is not built where somebody stands.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// `[units: steps] [limits: < steps]` Before which step it happens.
    pub step: u64,
    /// `[units: cells]` The corner with the smallest coordinates, x first.
    pub from: Vec<usize>,
    /// `[units: cells]` The corner with the largest coordinates, x first.
    pub to: Vec<usize>,
    /// True: the cells become walls; false: free.
    pub wall: Option<bool>,
    /// `[units: world units per time] [limits: > 0, stable]` The wave's speed in the cells.
    pub wave_speed: Option<f64>,
}

/// How pursuers follow waves.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tracking {
    /// By which rules.
    #[serde(default)]
    pub rule: TrackingRule,
    /// `[units: waves] [limits: 1 to 8; at least 2 unless published] suggested: leave out`
    pub waves: Option<usize>,
    /// `[units: steps] [limits: >= waves] suggested: leave out` The lifetime of a wave.
    pub lifetime: Option<u32>,
    /// `[units: of z] [limits: > 0] suggested: leave out` Published rules only.
    pub threshold: Option<f64>,
}

/// By which rules pursuers follow waves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrackingRule {
    /// Fronts, and the way the last wave came.
    #[default]
    Wake,
    /// Fronts; straight on from one wave to the next.
    PerEmission,
    /// Dense waves, an impulse, a threshold; straight on from one wave to the next.
    Published,
}

/// Who is pursued.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Where it starts.
    pub start: Place,
    /// `[units: world units per time] [limits: >= 0] suggested: 0.3` How fast it walks.
    #[serde(default)]
    pub speed: f64,
    /// Places that it walks to in turn, in straight lines, again and again.
    #[serde(default)]
    pub patrol: Vec<Place>,
    /// `[units: steps] [limits: >= 1]` In place of a patrol: it takes a new random direction every
    /// so many steps.
    pub wander_every: Option<u64>,
}

/// Pursuers that start alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Where they start; left out, anywhere free, at random.
    pub start: Option<Place>,
    /// `[limits: 1 to 10^6] suggested: 1`
    #[serde(default = "one_pursuer")]
    pub count: usize,
    /// `[units: world units per time] [limits: > 0] suggested: 0.5` How fast they walk.
    pub speed: f64,
    /// `[units: steps] [limits: < steps] suggested: 0` When they come.
    #[serde(default)]
    pub enter: u64,
}

/// A letter of the drawing, or coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a place is a letter of the drawing, or [x, y], or [x, y, z]")]
pub enum Place {
    /// The cell that carries this letter.
    Mark(char),
    /// `[units: world units]` x first.
    At(Vec<f64>),
}

fn one() -> u64 {
    1
}
fn four() -> u64 {
    4
}
fn unit() -> f64 {
    1.0
}
fn one_pursuer() -> usize {
    1
}
