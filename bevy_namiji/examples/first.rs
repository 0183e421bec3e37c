//! Pursuers, a door and a flock: `cargo run --example first`.
use bevy_app::{ScheduleRunnerPlugin, TaskPoolPlugin, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::{
    Boid, BoidGoal, GridMap, NamijiError, NamijiPlugins, NamijiSystems, Pursuer, PursuitState,
    PursuitTarget, Refused, SetWalls,
};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;

const MAP: &str = "
    ####################
    #........#.........#
    #........#.........#
    #..................#
    #........#.........#
    #........#.........#
    ####################";

fn main() -> Result<(), NamijiError> {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, ScheduleRunnerPlugin::run_once()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(NamijiPlugins)
        .insert_resource(GridMap::from_drawing(MAP)?)
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, (door, report).chain().before(NamijiSystems::Edit));
    (0..1000).for_each(|_| app.update());
    let mut states = app.world_mut().query::<&PursuitState>();
    assert!(states.iter(app.world()).all(|state| *state == PursuitState::Arrived));
    Ok(())
}

fn spawn(mut commands: Commands) {
    let target = commands.spawn((PursuitTarget, Transform::from_xyz(17.0, 5.0, 0.0))).id();
    for y in 1..6_u8 {
        let y = f32::from(y);
        commands.spawn((Pursuer { speed: 4.0 }, Transform::from_xyz(2.0, y, 0.0)));
        let goal = BoidGoal { to: target, pull: 0.3 };
        commands.spawn((Boid::new(Vec2::X), goal, Transform::from_xyz(4.0, y, 0.0)));
    }
}

/// The door is shut from tick 60 to tick 180.
fn door(mut tick: Local<u32>, mut walls: MessageWriter<SetWalls>) {
    *tick += 1;
    if *tick == 60 || *tick == 180 {
        walls.write(SetWalls::all([[3, 9]], *tick == 60));
    }
}

fn report(mut refused: MessageReader<Refused>) {
    refused.read().for_each(|refused| println!("{refused}"));
}
