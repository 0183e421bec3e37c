use crate::{app, at, refusals, ticks};
use bevy_app::{App, FixedUpdate};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::wave_track::ndarray::Array2;
use bevy_namiji::{Boid, BoidGoal, Flocks, GridMap, SetWalls};
use bevy_time::Time;
use bevy_transform::components::Transform;

/// 40 x 60 cells in a frame of walls, with a wall that has a gap.
fn field() -> (App, Vec<Entity>) {
    let mut app = app();
    let walls = Array2::from_shape_fn((40, 60), |(y, x)| {
        y % 39 == 0 || x % 59 == 0 || (x == 30 && !(15..25).contains(&y))
    });
    app.insert_resource(GridMap::from_walls(&walls).unwrap());
    let boids = (0..60u8)
        .map(|i| at(5.0 + f32::from(i % 10), 15.0 + f32::from(i / 10)))
        .map(|at| app.world_mut().spawn((Boid::new(Vec2::new(6.0, 1.0)), at)).id())
        .collect();
    (app, boids)
}

fn place(app: &App, entity: Entity) -> Vec2 {
    app.world().get::<Transform>(entity).unwrap().translation.truncate()
}

#[test]
fn a_flock_stays_out_of_walls_and_goes_to_its_goal() {
    let (mut app, boids) = field();
    let goal = app.world_mut().spawn(at(50.0, 20.0)).id();
    for &boid in &boids {
        app.world_mut().entity_mut(boid).insert(BoidGoal { to: goal, pull: 0.5 });
    }
    let mut nearest = f32::INFINITY;
    for _ in 0..1500 {
        ticks(&mut app, 1);
        let map = app.world().resource::<GridMap>();
        for &boid in &boids {
            let at = place(&app, boid);
            assert!(!map.is_wall(map.cell_at(at).unwrap()), "{at}");
            nearest = nearest.min(at.distance(Vec2::new(50.0, 20.0)));
        }
    }
    assert!(nearest < 3.0, "{nearest}");
    let speed = app.world().get::<Boid>(boids[0]).unwrap().velocity.length();
    assert!((speed - 37f32.sqrt()).abs() < 0.01, "{speed}");
    assert_eq!(refusals(&mut app), [""; 0]);
}

#[test]
fn a_wall_on_a_boid_is_refused_and_one_elsewhere_is_not() {
    let (mut app, boids) = field();
    ticks(&mut app, 1);
    let cell = app.world().resource::<GridMap>().cell_at(place(&app, boids[7])).unwrap();
    app.world_mut().write_message(SetWalls::all([[35, 50], cell], true));
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 1);
    let blocks = |app: &App, x: f32, y: f32| {
        let flock = app.world().resource::<Flocks>().flock().unwrap();
        flock.walls().unwrap().blocks(bevy_namiji::flocking::glam::Vec2::new(x, y))
    };
    assert!(!blocks(&app, 50.0, 35.0));
    app.world_mut().write_message(SetWalls::all([[35, 50]], true));
    ticks(&mut app, 1);
    assert!(blocks(&app, 50.0, 35.0));
    assert!(app.world().resource::<GridMap>().is_wall([35, 50]));
}

#[test]
fn boids_come_go_and_are_put_elsewhere() {
    let (mut app, boids) = field();
    ticks(&mut app, 10);
    assert_eq!(app.world().resource::<Flocks>().len(), 60);
    app.world_mut().despawn(boids[3]);
    app.world_mut().entity_mut(boids[4]).remove::<Boid>();
    assert_eq!(app.world().resource::<Flocks>().len(), 58);
    assert_eq!(app.world().resource::<Flocks>().flock().unwrap().len(), 58);
    *app.world_mut().get_mut::<Transform>(boids[5]).unwrap() = at(50.0, 5.0);
    app.world_mut().get_mut::<Boid>(boids[6]).unwrap().velocity = Vec2::new(-2.0, 0.0);
    ticks(&mut app, 1);
    assert!(place(&app, boids[5]).distance(Vec2::new(50.0, 5.0)) < 0.2);
    let slower = app.world().get::<Boid>(boids[6]).unwrap().velocity.length();
    assert!((slower - 2.0).abs() < 0.01, "{slower}");
    // Into a wall, a velocity that is no number, a goal that is nowhere.
    *app.world_mut().get_mut::<Transform>(boids[7]).unwrap() = at(30.0, 5.0);
    app.world_mut().get_mut::<Boid>(boids[8]).unwrap().velocity.x = f32::NAN;
    let nobody = app.world_mut().spawn_empty().id();
    app.world_mut().entity_mut(boids[9]).insert(BoidGoal { to: nobody, pull: 0.3 });
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 3);
    assert!(place(&app, boids[7]).x < 20.0);
    ticks(&mut app, 20);
    assert_eq!(refusals(&mut app), [""; 0]);
}

#[test]
fn a_map_that_is_taken_away_takes_its_walls_along() {
    let (mut app, _) = field();
    ticks(&mut app, 5);
    app.world_mut().remove_resource::<GridMap>();
    ticks(&mut app, 1);
    assert!(app.world().resource::<Flocks>().flock().unwrap().walls().is_none());
    // Where a wall was, and across it.
    let boid = app.world_mut().spawn((Boid::new(Vec2::new(6.0, 0.0)), at(30.0, 5.0))).id();
    let other = app.world_mut().spawn((Boid::new(Vec2::new(6.0, 0.0)), at(57.0, 35.0))).id();
    ticks(&mut app, 100);
    assert_eq!(app.world().resource::<Flocks>().len(), 62);
    assert!(place(&app, boid).x > 30.5);
    assert!(place(&app, other).x > 60.0);
    assert_eq!(refusals(&mut app), [""; 0]);
    // Walls come with the next map.
    let walls = Array2::from_elem((40, 60), false);
    app.insert_resource(GridMap::from_walls(&walls).unwrap());
    ticks(&mut app, 1);
    assert!(app.world().resource::<Flocks>().flock().unwrap().walls().is_some());
}

/// A tick of no time changes nothing, and the flock flies on afterwards.
#[test]
fn a_tick_of_no_time_leaves_boids_as_they_are() {
    let (mut app, boids) = field();
    ticks(&mut app, 3);
    let shown = |app: &App| *app.world().get::<Boid>(boids[0]).unwrap();
    let before = (place(&app, boids[0]), shown(&app).velocity);
    let time = *app.world().resource::<Time>();
    *app.world_mut().resource_mut::<Time>() = Time::default();
    app.world_mut().run_schedule(FixedUpdate);
    *app.world_mut().resource_mut::<Time>() = time;
    assert_eq!((place(&app, boids[0]), shown(&app).velocity), before);
    ticks(&mut app, 10);
    assert!(place(&app, boids[0]).distance(before.0) > 0.5);
    assert!(refusals(&mut app).is_empty());
}
