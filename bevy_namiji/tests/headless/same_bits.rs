use crate::{app, at, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::jump_planner::{Character, Terrain};
use bevy_namiji::wave_track::ndarray::Array2;
use bevy_namiji::{
    AgentGoal, Boid, BoidGoal, DangerSource, GridMap, JumpLevel, JumpRoute, JumpWalker, Pursuer,
    Pursuit, PursuitTarget, RoutePreference, SetWalls, UtilityAgent, state_hash,
};
use bevy_transform::components::Transform;

/// More pursuers than the tracker moves in one thread, and some of everything else.
fn game() -> App {
    let mut app = app();
    let walls = Array2::from_shape_fn((80, 80), |(y, x)| {
        y % 79 == 0 || x % 79 == 0 || (x % 20 == 10 && y % 20 != 5)
    });
    app.insert_resource(GridMap::from_walls(&walls).unwrap());
    let terrain = Terrain::from_rows(&[[0.0, 0.0, -3.0, -3.0, 0.0, 1.0]]).unwrap();
    let character = Character::builder(6.0).build().unwrap();
    app.insert_resource(JumpLevel::new(terrain, character).unwrap());
    let world = app.world_mut();
    let target = world.spawn((PursuitTarget, DangerSource::default(), at(75.0, 75.0))).id();
    for i in 0..5000u16 {
        let (x, y) = (f32::from(i % 8), f32::from(i / 8 % 70));
        let place = at(1.0 + x + f32::from(i / 560) * 0.05, 2.0 + y);
        world.spawn((Pursuer { speed: 5.0 + f32::from(i % 7) }, place));
    }
    for i in 0..300u16 {
        let goal = BoidGoal { to: target, pull: 0.3 };
        let place = at(12.0 + f32::from(i % 7), 2.0 + f32::from(i / 7));
        world.spawn((Boid::new(Vec2::new(5.0, 2.0)), goal, place));
    }
    for y in 1..6u8 {
        let goal = AgentGoal(Vec2::new(75.0, 2.0));
        world.spawn((UtilityAgent::new(5.0), goal, at(1.0, f32::from(y))));
    }
    let preference = RoutePreference::FewestJumps;
    world.spawn((JumpWalker, JumpRoute { goal: Vec2::new(5.0, 0.0), preference }, at(0.0, 0.0)));
    app
}

fn play() -> u64 {
    let mut app = game();
    for tick in 0..240u32 {
        if tick % 40 == 20 {
            app.world_mut().write_message(SetWalls::all([[25, 30]], tick % 80 == 20));
        }
        if tick == 100 {
            let first = app.world().resource::<Pursuit>().len();
            assert_eq!(first, 5000);
            let mut all = app.world_mut().query_filtered::<Entity, With<Pursuer>>();
            let gone: Vec<Entity> = all.iter(app.world()).step_by(100).collect();
            for entity in gone {
                app.world_mut().despawn(entity);
            }
        }
        ticks(&mut app, 1);
    }
    let mut places = app.world_mut().query::<&Transform>();
    assert!(places.iter(app.world()).all(|t| t.translation.is_finite()));
    state_hash(app.world_mut())
}

#[test]
fn the_same_hash_twice_and_for_any_number_of_threads() {
    let first = play();
    assert_eq!(play(), first);
    for threads in [1, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(play), first, "{threads} threads");
    }
}
