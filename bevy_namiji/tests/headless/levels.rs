use crate::{app, at, refusals, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3};
use bevy_namiji::jump_planner::{Character, JumpGraph, MoveKind, Preference, Terrain};
use bevy_namiji::{
    JumpBudget, JumpLevel, JumpPath, JumpRoute, JumpWalker, LegKind, RoutePreference, RouteState,
    SetHeight,
};
use bevy_transform::components::Transform;

const HEIGHTS: [[f64; 8]; 2] =
    [[0.0, 0.0, -3.0, -3.0, 0.0, 1.5, 0.5, 0.0], [0.0, 0.0, -3.0, -3.0, 0.0, 0.0, 9.0, 9.0]];

fn graph() -> JumpGraph {
    let character = Character::builder(6.0).walk_speed(3.0).build().unwrap();
    JumpGraph::new(Terrain::from_rows(&HEIGHTS).unwrap(), character).unwrap()
}
fn level() -> App {
    let mut app = app();
    app.insert_resource(JumpLevel::from_graph(graph()));
    app
}
fn route(x: f32, y: f32) -> JumpRoute {
    JumpRoute { goal: Vec2::new(x, y), preference: RoutePreference::FewestJumps }
}
fn state(app: &App, entity: Entity) -> RouteState {
    *app.world().get::<RouteState>(entity).unwrap()
}

#[test]
fn a_route_is_that_of_the_jump_planner() {
    let mut app = level();
    let runner = app.world_mut().spawn((route(7.0, 0.0), at(0.0, 0.0))).id();
    ticks(&mut app, 1);
    assert_eq!(state(&app, runner), RouteState::Found);
    let graph = graph();
    let plan = graph.plan([0, 0], [0, 7], Preference::FewestJumps).unwrap().unwrap();
    let path = app.world().get::<JumpPath>(runner).unwrap();
    assert_eq!(path.legs.len(), plan.moves.len());
    for (leg, step) in path.legs.iter().zip(&plan.moves) {
        assert_eq!(leg.cells, [step.from, step.to]);
        assert_eq!(leg.kind, LegKind::from(step.kind));
        if step.kind == MoveKind::Jump {
            let flight = graph.witness(step).unwrap();
            let time = 0.5 * flight.flight_time;
            let ours = leg.position_at(leg.from.distance(leg.launch) / 3.0 + time as f32);
            let theirs = flight.position_at(time).to_array().map(|c| c as f32);
            assert!(ours.distance(Vec3::from_array(theirs)) < 1e-4);
        }
    }
    assert!(path.legs.iter().any(|leg| leg.kind == LegKind::Jump));
    // It did not ask to be moved.
    assert_eq!(app.world().get::<Transform>(runner).unwrap().translation, Vec3::ZERO);
}

#[test]
fn a_walker_arrives_on_the_ground() {
    let mut app = level();
    let runner = app.world_mut().spawn((JumpWalker, route(7.0, 0.0), at(0.0, 0.0))).id();
    let mut highest = 0f32;
    for _ in 0..600 {
        ticks(&mut app, 1);
        highest = highest.max(app.world().get::<Transform>(runner).unwrap().translation.z);
    }
    assert_eq!(state(&app, runner), RouteState::Arrived);
    assert_eq!(app.world().get::<Transform>(runner).unwrap().translation, Vec3::new(7.0, 0.0, 0.0));
    assert!(highest > 0.2);
    // Another goal, and back again.
    app.world_mut().get_mut::<JumpRoute>(runner).unwrap().goal = Vec2::ZERO;
    ticks(&mut app, 600);
    assert_eq!(state(&app, runner), RouteState::Arrived);
    assert_eq!(app.world().get::<Transform>(runner).unwrap().translation, Vec3::ZERO);
}

#[test]
fn heights_are_edited_and_routes_follow() {
    let mut app = level();
    let runner = app.world_mut().spawn((JumpWalker, route(7.0, 0.0), at(0.0, 0.0))).id();
    ticks(&mut app, 2);
    // Nobody lifts the ground under a walker.
    app.world_mut().write_message(SetHeight { cell: [0, 0], height: 2.0 });
    app.world_mut().write_message(SetHeight { cell: [0, 1], height: f64::NAN });
    app.world_mut().write_message(SetHeight { cell: [9, 0], height: 2.0 });
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 3);
    // The goal becomes a tower that nobody can reach.
    app.world_mut().write_message(SetHeight { cell: [0, 7], height: 50.0 });
    ticks(&mut app, 200);
    assert_eq!(state(&app, runner), RouteState::NoWay);
    app.world_mut().write_message(SetHeight { cell: [0, 7], height: 0.0 });
    ticks(&mut app, 600);
    assert_eq!(state(&app, runner), RouteState::Arrived);
    let lost = app.world_mut().spawn((route(70.0, 0.0), at(0.0, 0.0))).id();
    ticks(&mut app, 1);
    assert_eq!(state(&app, lost), RouteState::Refused);
    assert_eq!(refusals(&mut app).len(), 1);
}

#[test]
fn links_are_found_by_themselves() {
    let level = JumpLevel::from_graph(graph());
    let links = level.links();
    assert!(!links.is_empty());
    for link in links {
        let groups = link.cells.map(|cell| level.graph().group(cell));
        assert_ne!(groups[0], groups[1]);
        assert_eq!(link.kind, LegKind::Jump);
        assert!(link.position_at(f32::INFINITY).distance(link.to) < 1e-6);
    }
}

#[test]
fn a_budget_bounds_the_plans_of_a_tick() {
    let mut app = level();
    let world = app.world_mut();
    world.insert_resource(JumpBudget { plans: 0 });
    let all: Vec<_> = (0..5).map(|_| world.spawn((route(7.0, 0.0), at(0.0, 0.0))).id()).collect();
    let planned =
        |app: &App| all.iter().filter(|route| state(app, **route) == RouteState::Found).count();
    ticks(&mut app, 10);
    assert_eq!(planned(&app), 0);
    app.world_mut().insert_resource(JumpBudget { plans: 2 });
    for expected in [2, 4, 5, 5] {
        ticks(&mut app, 1);
        assert_eq!(planned(&app), expected);
    }
}

#[test]
fn nobody_waits_for_ever_where_every_tick_changes_the_ground() {
    let mut app = level();
    app.insert_resource(JumpBudget { plans: 1 });
    let world = app.world_mut();
    let all: Vec<_> = (0..5).map(|_| world.spawn((route(7.0, 0.0), at(0.0, 0.0))).id()).collect();
    for tick in 0..5_u8 {
        // Every edit makes all ways old.
        let height = -3.0 - f64::from(tick);
        app.world_mut().write_message(SetHeight { cell: [1, 2], height });
        ticks(&mut app, 1);
    }
    assert!(all.iter().all(|route| state(&app, *route) == RouteState::Found));
}

/// A flat level, and `count` walkers in the middle of a leg, each in a row of its own.
fn plain(count: u8) -> (App, Vec<Entity>) {
    let mut app = app();
    let terrain = Terrain::from_rows(&vec![vec![0.0; 40]; usize::from(count)]).unwrap();
    let character = Character::builder(6.0).build().unwrap();
    app.insert_resource(JumpLevel::new(terrain, character).unwrap());
    let walkers = (0..count)
        .map(f32::from)
        .map(|y| app.world_mut().spawn((JumpWalker, route(35.0, y), at(2.0, y))).id())
        .collect();
    ticks(&mut app, 40);
    (app, walkers)
}
fn x(app: &App, entity: Entity) -> f32 {
    app.world().get::<Transform>(entity).unwrap().translation.x
}

#[test]
fn walkers_that_are_put_elsewhere_stay_there_while_they_wait_for_a_plan() {
    let (mut app, walkers) = plain(8);
    assert!(walkers.iter().all(|e| x(&app, *e).fract() != 0.0 && x(&app, *e) < 10.0));
    for &walker in &walkers {
        app.world_mut().get_mut::<Transform>(walker).unwrap().translation.x = 20.0;
    }
    ticks(&mut app, 1);
    // The budget of 4 plans is for half of them.
    let waiting = |e: &&Entity| state(&app, **e) == RouteState::NotYet && x(&app, **e) == 20.0;
    assert_eq!(walkers.iter().filter(waiting).count(), 4);
    assert!(walkers.iter().all(|e| (20.0..21.0).contains(&x(&app, *e))));
    ticks(&mut app, 600);
    assert!(walkers.iter().all(|e| state(&app, *e) == RouteState::Arrived && x(&app, *e) == 35.0));
}

#[test]
fn a_walker_without_a_route_stops() {
    let (mut app, walkers) = plain(1);
    let before = x(&app, walkers[0]);
    app.world_mut().entity_mut(walkers[0]).remove::<JumpRoute>();
    ticks(&mut app, 100);
    assert_eq!(x(&app, walkers[0]), before);
    assert_eq!(state(&app, walkers[0]), RouteState::NotYet);
    assert!(app.world().get::<JumpPath>(walkers[0]).unwrap().legs.is_empty());
    // It holds no ground any more.
    let cell = [0, before.round() as usize];
    app.world_mut().write_message(SetHeight { cell, height: 0.5 });
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app), [""; 0]);
    app.world_mut().write_message(SetHeight { cell, height: 0.0 });
    app.world_mut().entity_mut(walkers[0]).insert(route(8.0, 0.0));
    ticks(&mut app, 300);
    assert_eq!((state(&app, walkers[0]), x(&app, walkers[0])), (RouteState::Arrived, 8.0));
}
