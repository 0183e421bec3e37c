//! Games without a window, tick by tick: one `FixedUpdate` in every `App::update`.

mod agents;
mod documents;
#[cfg(feature = "levels")]
mod editors;
mod flocks;
mod levels;
mod pursuits;
mod same_bits;
mod storeys;

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_namiji::{NamijiPlugins, Refused};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

/// An app with all plugins and nothing else.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, NamijiPlugins))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // The first update only starts the clock.
    app.update();
    app
}

fn at(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

fn ticks(app: &mut App, count: usize) {
    (0..count).for_each(|_| app.update());
}

/// The refusals so far that are not forgotten yet, as sentences.
fn refusals(app: &mut App) -> Vec<String> {
    let mut messages = app.world_mut().resource_mut::<Messages<Refused>>();
    messages.drain().map(|refused| refused.to_string()).collect()
}
