//! The groups that take part, and what they decide by.

use super::{Place, Rules, number};
use serde::{Deserialize, Serialize};
use utility_ai::{Curve, DangerConfig, Falloff, HealthConfig, Strategy};

/// Evaders that start alike.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Evaders {
    /// Where they start; left out, anywhere free, at random.
    pub start: Option<Place>,
    /// `[limits: 1 to 10^4] suggested: 1` How many.
    #[serde(default = "number::<usize, 1>")]
    pub count: usize,
    /// `[units:
    /// world units per time] [limits: 0 to 10^6; > 0 for flee and utility;
    /// 1000 cells a frame] suggested: 0.3` How fast they walk.
    #[serde(default)]
    pub speed: f64,
    /// What they decide by; left out, `still`.
    #[serde(default)]
    pub mind: EvaderMind,
}

/// What an evader decides by.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EvaderMind {
    /// It stays where it is.
    #[default]
    Still,
    /// It walks to these places in turn, in straight lines, again and again.
    Patrol(Vec<Place>),
    /// `[units: frames] [limits: 1 to 10^8] suggested: 60` It takes a new random direction every so
    /// many frames.
    Wander(u64),
    /// `[units: frames] [limits: 1 to 10^8] suggested: 60` It runs to the place that pursuers come
    /// to last, of those that it can reach before them, and looks around again every so many frames
    /// and whenever a wall has changed. Not where the map has legs: it knows no links.
    Flee(u64),
    /// It weighs its goal against danger: utility AI.
    Utility(Box<UtilityMind>),
}

/// Goal, danger, fill, fuzzy weight, hit points: furukawa-2021 and ours. 2D only.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UtilityMind {
    /// Where it wants to go.
    pub goal: Place,
    /// How it ranks its neighbours: `straight`, `descend` (gamma = 0),
    /// `{ fill = { gamma = 0.3, .. } }`, `flood`, `weighted`.
    #[serde(default)]
    pub strategy: Strategy,
    /// How far it may stray.
    #[serde(default)]
    pub detour: Detour,
    /// `[units: cost per length] [limits: 10^-30 to 10^6] suggested: 1` The alpha of furukawa-2021.
    #[serde(default = "number::<f64, 1>")]
    pub distance_weight: f64,
    /// `[units: cost] [limits: 0 to 10^6] suggested: 30` The B of furukawa-2021: the
    /// danger's weight is `B (1 - Z)`, where Z comes by fuzzy inference from hit points and
    /// stagnation.
    #[serde(default = "number::<f64, 30>")]
    pub danger_weight: f64,
    /// The rules of Z. `true`: those of its appendix. `false`: none; the weight is B,
    /// whatever hit points and stagnation are. `"rules.ron"` or `"rules.toml"`: a file, from where
    /// the scenario's file lies. `{ ron = ".." }` or `{ toml = ".." }`: their text. They take two
    /// inputs from 0 to 1, hit points and stagnation in this order, and give an output within 0 to
    /// 1; the form is that of `utility_ai::fuzzy::Definition`.
    #[serde(default)]
    pub fuzzy: Rules,
    /// `[units: 1] [limits: 0 to 1] suggested: 0.5` Z where none of the rules fires.
    #[serde(default = "half")]
    pub unfired: f64,
    /// How far pursuers are felt, by travel distance.
    #[serde(default = "reach_of_twelve")]
    pub danger: DangerConfig,
    /// What the sum of danger at a place counts for, before its weight: `{ power = { scale = 1,
    /// exponent = 2, offset = 0 } }`, `linear`, `logistic` or `step`; left out, as much as it is.
    pub danger_curve: Option<Curve>,
    /// Hit points, recovery, grace.
    #[serde(default)]
    pub health: HealthConfig,
    /// `[units: time] [limits: > 0, <= 10^6, at most 65536 frames] suggested: 3` Stagnation
    /// compares with where it was so long ago, in whole frames, one at least.
    #[serde(default = "number::<f64, 3>")]
    pub stagnation: f64,
    /// `[units: cost] [limits: 0 to 10^6] suggested: 0` By how much going back must be better.
    #[serde(default)]
    pub hysteresis: f64,
    /// How it gets about on a map with heights.
    #[serde(default)]
    pub legs: Legs,
}

/// How far a member may stray from a shortest way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Detour {
    /// As far as it likes: no promise of arrival.
    Unlimited,
    /// `[units: distance at the start] [limits: 0 to 10^6] suggested: 0.5` By this part of the
    /// shortest way from its start.
    OfStart(f64),
    /// `[units: world units] [limits: 0 to 10^6]` By so much.
    Length(f64),
}

impl Default for Detour {
    fn default() -> Self {
        Self::OfStart(0.5)
    }
}

/// How a member moves on a map with heights, and where it does not go on any map. On a flat map a
/// mind's legs take `no_go` alone, and `map.legs` has no place.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Legs {
    /// `[units: world units per time] [limits: > 0, <= 10^6] suggested: 5` The launch speed of
    /// jumps; left out, it cannot jump.
    pub launch_speed: Option<f64>,
    /// `[units: world units per time^2] [limits: > 0, <= 10^6] suggested: 9.80665` The downward
    /// acceleration of a member in the air.
    pub gravity: f64,
    /// `[units: world units] [limits: 0 to 10^6] suggested: 0` How high a walker steps.
    pub step_height: f64,
    /// `[units: world units] [limits: 0 to 10^6]` The deepest fall that it dares; left out, any.
    pub max_fall: Option<f64>,
    /// Boxes of cells that it does not enter, though others may; it jumps over them.
    pub no_go: Vec<NoGo>,
}

/// A box of cells that a member does not enter, both corners included.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NoGo {
    /// `[units: cells]` The corner with the smallest coordinates, x first.
    pub from: Vec<usize>,
    /// `[units: cells]` The corner with the largest coordinates, x first.
    pub to: Vec<usize>,
}

impl Default for Legs {
    fn default() -> Self {
        let gravity = jump_planner::STANDARD_GRAVITY;
        Self { launch_speed: None, gravity, step_height: 0.0, max_fall: None, no_go: Vec::new() }
    }
}

/// Pursuers that start alike.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pursuers {
    /// Stands in the outcome; left out, `pursuers` and the group's number.
    pub name: Option<String>,
    /// Where they start; left out, anywhere free, at random.
    pub start: Option<Place>,
    /// `[units: world units] [limits: 0 to 10^6] suggested: 0` How far along each axis they start
    /// from `start`, at random; only with a `start`.
    #[serde(default)]
    pub spread: f64,
    /// `[limits: 1 to 10^6] suggested: 1` How many.
    #[serde(default = "number::<usize, 1>")]
    pub count: usize,
    /// `[units: world units per time] [limits: > 0, <= 10^6; 1000 cells a frame] suggested: 0.5`
    /// How fast they walk.
    pub speed: f64,
    /// `[units: frames] [limits: < steps] suggested: 0` When they come. Until then
    /// no wall is built at a stated `start`.
    #[serde(default)]
    pub enter: u64,
    /// What they decide by; left out, `wave`.
    #[serde(default)]
    pub mind: PursuerMind,
}

impl Pursuers {
    /// The name in the outcome of the group with this number.
    pub(crate) fn name(&self, number: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("pursuers {number}"))
    }
}

/// What a pursuer decides by.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PursuerMind {
    /// It follows waves.
    #[default]
    Wave,
    /// It follows waves and flocks.
    Pack(Pack),
    /// It takes the shortest way on the navigation graph. 2D only; the one for maps with heights.
    Travel(Travel),
    /// It asks for the way to the nearest evader across a map that may be very large. Ways are
    /// worked out only where they are asked for; each of up to 16 evaders costs as much again. It
    /// goes straight to an evader within three cells that it sees. 2D only, without heights; slow
    /// areas do not slow it.
    World,
}

/// Follows waves as a boid: the point that a wave leads it to is its goal.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Pack {
    /// `[units: world units] [limits: > 0, <= 10^6] suggested: 4` How far it sees others;
    /// separation reaches 0.4 of it, as published.
    pub view_radius: f64,
    /// `[units: 1] [limits: -10^6 to 10^6] suggested: 0.1` The weight of going to the middle of
    /// those in view.
    pub cohesion: f64,
    /// `[units: 1] [limits: -10^6 to 10^6] suggested: 0.5` The weight of going the way that those
    /// in view go.
    pub alignment: f64,
    /// `[units: 1] [limits: -10^6 to 10^6] suggested: 1` The weight of keeping away from those that
    /// are near.
    pub separation: f64,
    /// `[limits: 0 to 1] suggested: 0.1` The share of leaders, who follow the wave whatever the
    /// others do; the share is rounded up.
    pub leaders: f64,
    /// `[units: 1] [limits: 0 to 10^6] suggested: 0.5` How much members that do not lead turn to
    /// where the wave leads, beside the pull of the flock; 1 for leaders.
    pub pull: f64,
    /// `[units: world units] [limits: > 0, <= 10^6] suggested: 2` How far ahead of a boid the point
    /// may be that it is led by.
    pub leash: f64,
    /// `[units: radians per frame] [limits: > 0, <= 10^6] suggested: 0.3` The most that it turns.
    pub max_turn: f64,
    /// `[units: boids] [limits: 1 to 64] suggested: 16` It heeds so many of the nearest; left out,
    /// all in view.
    pub nearest: Option<usize>,
}

impl Default for Pack {
    fn default() -> Self {
        Self {
            view_radius: 4.0,
            cohesion: 0.1,
            alignment: 0.5,
            separation: 1.0,
            leaders: 0.1,
            pull: 0.5,
            leash: 2.0,
            max_turn: 0.3,
            nearest: None,
        }
    }
}

/// The shortest way on the navigation graph.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Travel {
    /// How it gets about on a map with heights.
    pub legs: Legs,
}

fn half() -> f64 {
    0.5
}
fn reach_of_twelve() -> DangerConfig {
    DangerConfig { reach: 12.0, falloff: Falloff::Linear }
}
