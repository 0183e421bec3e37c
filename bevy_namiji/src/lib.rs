#![doc = include_str!("../pictures/front.svg")]
//!
#![doc = include_str!("../README.md")]

mod agent;
mod flock;
#[cfg(feature = "gizmos")]
mod gizmos;
mod level;
#[cfg(feature = "levels")]
mod level_file;
mod map;
mod map_3d;
mod order;
mod pursuit;
mod refusal;
mod roster;

pub use agent::{
    AgentBudget, AgentGoal, AgentPlugin, AgentState, Agents, DangerSource, UtilityAgent,
};
pub use flock::{Boid, BoidGoal, FlockPlugin, Flocks};
#[cfg(feature = "gizmos")]
pub use gizmos::{NamijiGizmoPlugin, NamijiGizmos};
pub use level::{
    JumpBudget, JumpLeg, JumpLevel, JumpPath, JumpRoute, JumpWalker, LegKind, LevelPlugin,
    RoutePreference, RouteState, SetHeight,
};
#[cfg(feature = "levels")]
pub use level_file::{LevelError, LevelFile, LevelOptions, LevelPlace};
pub use map::{GridMap, MapPlugin, NamijiSystems, SetWalls, WallsSet};
pub use pursuit::{
    Pursuer, Pursuit, Pursuit3dPlugin, PursuitBudget, PursuitPlugin, PursuitState, PursuitTarget,
};
pub use refusal::{NamijiError, Refused, Request};
#[cfg(feature = "levels")]
pub use sim_harness;
pub use wave_track::ndarray::{Ix2, Ix3};
pub use {flocking, jump_planner, utility_ai, wave_track};

/// The programs of the page for Bevy are also tests.
#[cfg(all(doctest, feature = "levels"))]
#[doc = include_str!("../../docs/engines/bevy.md")]
struct Page;

use bevy_app::{PluginGroup, PluginGroupBuilder};
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use order::SpawnOrder;

/// All plugins of the crate with their default settings, but for gizmos and 3D.
///
/// To set one of them: `NamijiPlugins.build().set(FlockPlugin { config })`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NamijiPlugins;

impl PluginGroup for NamijiPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(MapPlugin)
            .add(PursuitPlugin::default())
            .add(FlockPlugin::default())
            .add(AgentPlugin)
            .add(LevelPlugin)
    }
}

/// A hash of pursuers, waves, boids, agents and walkers: equal for equal bits, so that two machines
/// can tell whether they play the same game.
///
/// # Complexity
/// O(entities that take part + cells that waves have reached).
pub fn state_hash(world: &mut World) -> u64 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let mut add = |value: u64| hash.update(&value.to_le_bytes());
    add(world.get_resource::<Pursuit>().map_or(0, Pursuit::state_hash));
    if let Some(pursuit) = world.get_resource::<Pursuit<Ix3>>() {
        add(pursuit.state_hash());
    }
    add(world.get_resource::<Flocks>().map_or(0, Flocks::state_hash));
    add(world.get_resource::<Agents>().map_or(0, Agents::state_hash));
    let mut walkers = world.query::<(Option<&SpawnOrder>, &JumpPath, &Transform)>();
    let mut walkers: Vec<_> = walkers.iter(world).collect();
    walkers.sort_by_key(|walker| walker.0);
    for (_, path, transform) in walkers {
        add(path.leg as u64);
        add(u64::from(path.time.to_bits()));
        transform.translation.to_array().iter().for_each(|c| add(u64::from(c.to_bits())));
    }
    hash.digest()
}
