//! Scenarios as data: a map, its evaders and pursuers, the changes, the end, and the expected
//! outcome.
//!
//! A scenario is a TOML file; see `sim-harness/scenarios` for those that are built in. Positions
//! are `[x, y]` or `[x, y, z]` in world units, or the letter that marks a cell in the drawing.

mod builtin;
mod check;
mod claim;
mod error;
mod load;
mod map;
mod minds;
mod origin;
mod rules;
mod syntax;
mod tracking;

pub use builtin::{BuiltIn, built_in};
pub(crate) use check::{check_edit, check_move, check_stride};
pub use claim::{Claim, Over, Variant};
pub use error::ScenarioError;
pub use load::{Setting, load, load_with, parse, text_of, tracking};
#[cfg(feature = "study")]
pub(crate) use load::{again_with, nearest, read, variants};
pub use map::{Blocks, CellBox, Map, Walls};
pub use minds::{
    Detour, EvaderMind, Evaders, Legs, NoGo, Pack, PursuerMind, Pursuers, Travel, UtilityMind,
};
pub use origin::Origin;
#[cfg(feature = "study")]
pub(crate) use origin::with_dots;
pub use rules::{Rules, RulesText};
#[cfg(feature = "study")]
pub(crate) use syntax::check_key;
pub use tracking::{
    DirectionKind, FrontKind, SamplingKind, ScheduleKind, SourceKind, Tracking, TrackingRule,
};

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A scenario as its file states it.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Where it came from; stands in errors.
    #[serde(skip)]
    pub origin: Origin,
    /// The question that it answers.
    #[serde(default)]
    pub question: String,
    /// `[units: frames] [limits: 1 to 10^8] suggested: 2000` It ends here at the latest.
    pub steps: u64,
    /// When it ends before that.
    #[serde(default)]
    pub until: Until,
    /// `[limits: 0 to 2^63 - 1] suggested: 1` Seeds all that is random; `--seed`, which takes up to
    /// 2^64 - 1, and the seeds of `verify` and sweeps override it.
    #[serde(default = "number::<u64, 1>")]
    pub seed: u64,
    /// `[units: frames] [limits: 1 to 10^8] suggested: 4` Every so many frames are recorded.
    #[serde(default = "number::<u64, 4>")]
    pub record_every: u64,
    /// `[units: cells]` 3D: the storeys that pictures show, by their z; left out, the one with the
    /// most open cells, of equals the nearest to the middle.
    #[serde(default)]
    pub slices: Vec<usize>,
    /// The ground.
    pub map: Map,
    /// How pursuers follow waves.
    #[serde(default)]
    pub tracking: Tracking,
    /// How long a frame is, and what its waves may cost.
    #[serde(default)]
    pub pace: Pace,
    /// How near a pursuer must come to an evader.
    #[serde(default)]
    pub contact: Contact,
    /// The groups that are pursued.
    pub evaders: Vec<Evaders>,
    /// The groups that pursue.
    pub pursuers: Vec<Pursuers>,
    /// What changes at a stated frame. No walls on a map with heights where `travel` or `utility`
    /// walk: their graphs do not change.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// Evaders and pursuers that are put elsewhere at a stated frame.
    #[serde(default)]
    pub moves: Vec<Move>,
    /// Walls that come and go at random. Not on a map with heights, as for `edits`.
    #[serde(default)]
    pub churn: Vec<Churn>,
    /// What must come of it, seed by seed or on the mean.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Keys of the outcome that stand in reports, with dots for keys within keys.
    #[serde(default)]
    pub figures: Vec<String>,
    /// The same with other settings, to compare with.
    #[serde(default)]
    pub variants: Vec<Variant>,
}

impl Scenario {
    /// Where a file is that the scenario names: from where its own lies; of a built-in one, from
    /// here.
    #[must_use]
    pub fn beside(&self, file: &str) -> PathBuf {
        Path::new(self.origin.file()).with_file_name(file)
    }
}

/// When a scenario ends before its last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// When every pursuer has arrived or found that no way exists, unless an edit, a move or a
    /// churn that frees cells may still open one.
    #[default]
    AllArrived,
    /// When one pursuer has arrived.
    FirstArrived,
    /// When every evader that has a goal stands there.
    EvadersHome,
    /// Not before.
    LastStep,
    /// `[units: frames] [limits: 0 to steps]` After so many frames: at a moment to look at.
    Frame(u64),
}

/// How long a frame is, and what its waves may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// `[units: time] [limits: >= 10^-100; at most 10^6, and nobody walks more than 1000 cells in
    /// it] suggested: 1/60 s` With `updates`, and only with it; left out: a step of the waves.
    pub frame: Option<f64>,
    /// `[units: cell updates] [limits: 1 to 2^40] suggested: 1 to 5 for every cell of the map` What
    /// the waves of a frame may cost; with `frame`, and only with it.
    pub updates: Option<u64>,
}

/// How near a pursuer must come to an evader.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Contact {
    /// `[units: world units] [limits: > 0, <= 10^6] suggested: 1` A pursuer this near is in
    /// contact: it has arrived, and an evader with hit points takes a hit.
    pub reach: f64,
    /// `[limits: > 0, <= 10^6] suggested: 0.8` Pursuers whose shortest way to an evader, walls and
    /// evaders being as they are when they come in, is up to this part of what they can walk until
    /// the last frame are counted separately, in `near` and `near_arrived`: others cannot be asked
    /// to be there in time.
    pub near: Option<f64>,
}

impl Default for Contact {
    fn default() -> Self {
        Self { reach: 1e-3, near: None }
    }
}

/// A box of cells that changes at a stated frame. No wall is built where a member stands or is
/// still to come in or to be put.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// `[units: frames] [limits: < steps]` Before which frame it happens.
    pub step: u64,
    /// `[units: cells]` The corner with the smallest coordinates, x first.
    pub from: Vec<usize>,
    /// `[units: cells]` The corner with the largest coordinates, x first.
    pub to: Vec<usize>,
    /// True: the cells become walls; false: free.
    pub wall: Option<bool>,
    /// `[units: world units per time] [limits: > 0, <= 10^6]` The wave's speed in the cells.
    pub wave_speed: Option<f64>,
}

/// A member is put elsewhere at a stated frame, as by a hand that drags an evader. It does not walk
/// there.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// `[units: frames] [limits: < steps]` Before which frame it happens; before edits of that
    /// frame.
    pub step: u64,
    /// `[limits: < the number of evaders]` Which evader, of all groups in their order, from 0.
    /// Those that decide by utility walk on a graph and cannot be put elsewhere.
    #[serde(default)]
    pub evader: usize,
    /// `[limits: < the number of pursuers]` Which pursuer in place of an evader, of all in the
    /// order in which they come in, from 0. It must follow waves and be there; it listens again.
    pub pursuer: Option<usize>,
    /// Where it is put. The place must be free then; no wall is built there before.
    pub to: Place,
}

/// Walls that come and go at random places anywhere on the map, every so many frames.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Churn {
    /// `[units: frames] [limits: 1 to 10^8] suggested: 60` How often.
    pub every: u64,
    /// `[units: boxes] [limits: 0 to 10^4] suggested: 8` Boxes around a random wall cell that are
    /// freed.
    #[serde(default)]
    pub broken: usize,
    /// `[units: boxes] [limits: 0 to 10^4] suggested: 8` Boxes around a random free cell that
    /// become walls, except for cells where a member stands or is still to come.
    #[serde(default)]
    pub built: usize,
    /// `[units: cells] [limits: 1 to 64] suggested: 4` The side of a box.
    #[serde(default = "number::<usize, 4>")]
    pub side: usize,
}

/// A letter of the drawing, a place that the level's file names, or coordinates.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a place is a letter of the drawing, the name of a place, or [x, y], or [x, y, z]"
)]
pub enum Place {
    /// The cell that carries this letter or name.
    Mark(String),
    /// `[units: world units]` x first.
    At(Vec<f64>),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mark(letter) => write!(f, "{letter:?}"),
            Self::At(position) => write!(f, "{position:?}"),
        }
    }
}

/// What a key is where it is left out.
pub(crate) fn number<T: From<u8>, const N: u8>() -> T {
    N.into()
}
