use crate::{app, at, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::jump_planner::{Character, Terrain};
use bevy_namiji::wave_track::ndarray::Array2;
use bevy_namiji::{
    AgentBudget, AgentGoal, Boid, BoidGoal, DangerSource, GridMap, JumpBudget, JumpLevel,
    JumpRoute, JumpWalker, Pursuer, Pursuit, PursuitTarget, RoutePreference, RouteState, SetWalls,
    UtilityAgent, state_hash,
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

/// A component of the game, which makes other archetypes.
#[derive(Component, Clone)]
struct Hat;

/// Six characters of each kind, every second one with a hat.
fn small_game(app: &mut App) {
    app.insert_resource(GridMap::from_walls(&Array2::from_elem((12, 40), false)).unwrap());
    let terrain = Terrain::from_rows(&vec![vec![0.0; 40]; 12]).unwrap();
    let character = Character::builder(6.0).build().unwrap();
    app.insert_resource(JumpLevel::new(terrain, character).unwrap());
    app.insert_resource(JumpBudget { plans: 1 }).insert_resource(AgentBudget { decisions: 1 });
    for i in 0..6u8 {
        let (x, world) = (f32::from(i), app.world_mut());
        let preference = RoutePreference::Shortest;
        let all = [
            world.spawn((PursuitTarget, at(30.0 + x, 2.0))).id(),
            world.spawn((Pursuer { speed: 1.0 }, at(2.0 + x, 2.0))).id(),
            world.spawn((Boid::new(Vec2::X), at(2.0 + x, 4.0))).id(),
            world
                .spawn((UtilityAgent::new(3.0), AgentGoal(Vec2::splat(9.0)), at(2.0 + x, 7.0)))
                .id(),
            world.spawn((DangerSource { strength: 0.1 + x, kinds: 1 }, at(3.0 + x, 8.0))).id(),
            world
                .spawn((JumpWalker, JumpRoute { goal: Vec2::splat(9.0), preference }, at(x, 1.0)))
                .id(),
        ];
        if i % 2 == 1 {
            for entity in all {
                world.entity_mut(entity).insert(Hat);
            }
        }
    }
}

#[test]
fn the_order_of_spawning_counts_and_not_that_of_archetypes() {
    let play = |others_before: bool| {
        let mut app = app();
        if others_before {
            // The same archetypes are made in another order.
            small_game(&mut app);
            let world = app.world_mut();
            let with_hats: Vec<_> =
                world.query_filtered::<Entity, With<Hat>>().iter(world).collect();
            for entity in with_hats {
                world.entity_mut(entity).remove::<Hat>();
            }
            let all: Vec<_> =
                world.query_filtered::<Entity, With<Transform>>().iter(world).collect();
            for entity in all {
                world.despawn(entity);
            }
        }
        small_game(&mut app);
        ticks(&mut app, 3);
        let pursuit = app.world().resource::<Pursuit>().tracker().unwrap();
        let pursuers = pursuit.pursuers().iter().map(|pursuer| pursuer.position().x.round());
        assert_eq!(pursuers.collect::<Vec<_>>(), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let targets = pursuit.targets().map(|target| target.x);
        assert_eq!(targets.collect::<Vec<_>>(), [30.0, 31.0, 32.0, 33.0, 34.0, 35.0]);
        // Three plans so far, for the first three.
        let mut routes = app.world_mut().query::<(&RouteState, &Transform)>();
        let routes = routes.iter(app.world()).filter(|route| *route.0 == RouteState::Found);
        let found: Vec<_> = routes.map(|route| route.1.translation.x).collect();
        assert!(found.len() == 3 && found.iter().all(|&x| x < 3.0), "{found:?}");
        ticks(&mut app, 100);
        state_hash(app.world_mut())
    };
    assert_eq!(play(false), play(true));
}

#[test]
fn a_character_that_goes_or_is_copied_does_not_change_the_order() {
    let mut app = app();
    app.insert_resource(GridMap::from_walls(&Array2::from_elem((12, 40), false)).unwrap());
    let spawn = |x: f32| (Pursuer { speed: 1.0 }, at(x, 2.0));
    let all: Vec<_> = (2..8u8).map(|x| app.world_mut().spawn(spawn(f32::from(x))).id()).collect();
    // The table puts the last one in its place.
    app.world_mut().despawn(all[0]);
    let copy = app.world_mut().entity_mut(all[1]).clone_and_spawn();
    app.world_mut().get_mut::<Transform>(copy).unwrap().translation.x = 20.0;
    app.world_mut().spawn((spawn(21.0), Hat));
    let xs = |app: &App| {
        let tracker = app.world().resource::<Pursuit>().tracker().unwrap();
        tracker.pursuers().iter().map(|pursuer| pursuer.position().x).collect::<Vec<_>>()
    };
    ticks(&mut app, 1);
    let expected = [3.0, 4.0, 5.0, 6.0, 7.0, 20.0, 21.0];
    assert_eq!(xs(&app), expected);
    // On another map, too.
    app.insert_resource(GridMap::from_walls(&Array2::from_elem((12, 40), false)).unwrap());
    ticks(&mut app, 1);
    assert_eq!(xs(&app), expected);
}
