//! The order in which characters were spawned. Queries follow archetypes instead, which depend on
//! the other components of an entity and on entities that have gone.

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a character. A copy of an entity is a character of its own.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[component(clone_behavior = Ignore)]
pub(crate) struct SpawnOrder(u64);

/// Gives an entity that gets its first component of a character the next number.
pub(crate) fn number(mut world: DeferredWorld, context: HookContext) {
    // One for all worlds: only which number is larger matters.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let order = SpawnOrder(NEXT.fetch_add(1, Ordering::Relaxed));
    world.commands().entity(context.entity).try_insert_if_new(order);
}
