use crate::{app, at, refusals, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::{
    Boid, GridMap, Pursuer, Pursuit, PursuitBudget, PursuitState, PursuitTarget, SetWalls,
    UtilityAgent,
};
use bevy_transform::components::Transform;

/// Two rooms; the door is cell [3, 9].
const ROOMS: &str = "
    ####################
    #........#.........#
    #........#.........#
    #..................#
    #........#.........#
    #........#.........#
    ####################";
const DOOR: [usize; 2] = [3, 9];

fn rooms() -> App {
    let mut app = app();
    app.insert_resource(GridMap::from_drawing(ROOMS).unwrap());
    app
}

fn state(app: &App, entity: Entity) -> PursuitState {
    *app.world().get::<PursuitState>(entity).unwrap()
}
fn place(app: &App, entity: Entity) -> Vec2 {
    app.world().get::<Transform>(entity).unwrap().translation.truncate()
}
fn pursuers(app: &App) -> usize {
    app.world().resource::<Pursuit>().tracker().unwrap().pursuers().len()
}
fn set_door(app: &mut App, wall: bool) {
    app.world_mut().write_message(SetWalls::all([DOOR], wall));
}

/// Nobody is pursued on a map that is gone, and everybody again on the next one.
#[test]
fn a_map_that_is_taken_away_takes_its_pursuit_along() {
    let mut app = rooms();
    app.world_mut().spawn((PursuitTarget, at(17.0, 5.0)));
    let one = app.world_mut().spawn((Pursuer { speed: 3.0 }, at(1.0, 1.0))).id();
    ticks(&mut app, 20);
    let before = place(&app, one);
    assert!(before != Vec2::ONE && state(&app, one) == PursuitState::Chasing);
    app.world_mut().remove_resource::<GridMap>();
    ticks(&mut app, 20);
    assert_eq!((place(&app, one), state(&app, one)), (before, PursuitState::NotYet));
    assert!(app.world().resource::<Pursuit>().tracker().is_none());
    app.insert_resource(GridMap::from_drawing(ROOMS).unwrap());
    ticks(&mut app, 600);
    assert_eq!((pursuers(&app), state(&app, one)), (1, PursuitState::Arrived));
}

#[test]
fn everybody_arrives_through_a_door_that_closes_and_opens() {
    let mut app = rooms();
    app.world_mut().spawn((PursuitTarget, at(17.0, 5.0)));
    let all: Vec<Entity> = (0..40u8)
        .map(|i| at(1.0 + f32::from(i % 8), 1.0 + f32::from(i / 8)))
        .map(|at| app.world_mut().spawn((Pursuer { speed: 3.0 }, at)).id())
        .collect();
    ticks(&mut app, 2);
    set_door(&mut app, true);
    ticks(&mut app, 200);
    // The door is shut, nobody has come through, and they have been told.
    assert!(app.world().resource::<GridMap>().is_wall(DOOR));
    let behind: Vec<_> = all.iter().filter(|e| place(&app, **e).x < 9.0).collect();
    assert_eq!(behind.len(), 40);
    assert!(behind.iter().all(|e| state(&app, **e) == PursuitState::TargetUnreachable));
    set_door(&mut app, false);
    ticks(&mut app, 1000);
    assert!(all.iter().all(|e| state(&app, *e) == PursuitState::Arrived));
    assert!(all.iter().all(|e| place(&app, *e).distance(Vec2::new(17.0, 5.0)) < 0.01));
    assert_eq!(refusals(&mut app), [""; 0]);
}

#[test]
fn who_is_despawned_or_loses_the_component_leaves_the_tracker() {
    let mut app = rooms();
    let all: Vec<Entity> = (1..6u8)
        .map(|y| app.world_mut().spawn((Pursuer { speed: 3.0 }, at(2.0, f32::from(y)))).id())
        .collect();
    ticks(&mut app, 1);
    assert_eq!(pursuers(&app), 5);
    app.world_mut().despawn(all[1]);
    app.world_mut().entity_mut(all[3]).remove::<Pursuer>();
    assert_eq!(pursuers(&app), 3);
    app.world_mut().spawn((PursuitTarget, at(17.0, 5.0)));
    ticks(&mut app, 600);
    // The remaining ones are the right ones.
    for (i, entity) in [0, 2, 4].map(|i| (i, all[i])) {
        assert_eq!(state(&app, entity), PursuitState::Arrived, "{i}");
    }
    assert_eq!(place(&app, all[3]), Vec2::new(2.0, 4.0));
    // A pursuer that comes back pursues again.
    app.world_mut().entity_mut(all[3]).insert(Pursuer { speed: 3.0 });
    ticks(&mut app, 600);
    assert_eq!(state(&app, all[3]), PursuitState::Arrived);
}

#[test]
fn a_refused_edit_leaves_the_map_as_it_was() {
    let mut app = rooms();
    let guard = app.world_mut().spawn((Pursuer { speed: 3.0 }, at(9.0, 3.0))).id();
    ticks(&mut app, 1);
    // Cell [1, 1] is free, but a guard stands in the door: all or none.
    app.world_mut().write_message(SetWalls::all([[1, 1], DOOR], true));
    ticks(&mut app, 1);
    let told = format!(
        "walls were not set: cell [3, 9] (row, column) cannot be changed: {guard} is there"
    );
    assert_eq!(refusals(&mut app), [told]);
    let map = app.world().resource::<GridMap>();
    assert!(!map.is_wall([1, 1]) && !map.is_wall(DOOR));
    let medium = app.world().resource::<Pursuit>().tracker().unwrap().medium();
    assert!(!medium.is_wall([1, 1]) && !medium.is_wall(DOOR));
    app.world_mut().write_message(SetWalls::all([[1, 1], [70, 0]], true));
    ticks(&mut app, 1);
    let told = "walls were not set: cell [70, 0] (row, column) is outside the map of [7, 20] cells";
    assert_eq!(refusals(&mut app), [told]);
    assert!(!app.world().resource::<GridMap>().is_wall([1, 1]));
    // Without the guard that stands there it is carried out.
    app.world_mut().despawn(guard);
    app.world_mut().write_message(SetWalls::all([[1, 1], DOOR], true));
    ticks(&mut app, 1);
    assert!(app.world().resource::<GridMap>().is_wall([1, 1]));
    assert_eq!(refusals(&mut app), [""; 0]);
}

/// A body that comes into the doorway in the tick in which the door is to shut keeps it open.
#[test]
fn a_door_does_not_shut_on_a_body_that_has_just_come() {
    let told = |who: Entity| {
        [format!("walls were not set: cell [3, 9] (row, column) cannot be changed: {who} is there")]
    };
    let spawn = |app: &mut App, kind: u8, x: f32| {
        let (place, world) = (at(x, 3.0), app.world_mut());
        match kind {
            0 => world.spawn((PursuitTarget, place)).id(),
            1 => world.spawn((Pursuer { speed: 3.0 }, place)).id(),
            2 => world.spawn((Boid::new(Vec2::ZERO), place)).id(),
            _ => world.spawn((UtilityAgent::new(1.0), place)).id(),
        }
    };
    let is_open = |app: &App| !app.world().resource::<GridMap>().is_wall(DOOR);
    // One that was there before: 0.0005 from the doorway touches its wall.
    for (kind, x) in [(0, 9.0), (0, 8.4995), (1, 9.0), (1, 9.5005), (2, 9.0), (3, 9.0)] {
        let mut app = rooms();
        let who = spawn(&mut app, kind, 8.0);
        ticks(&mut app, 10);
        app.world_mut().get_mut::<Transform>(who).unwrap().translation.x = x;
        set_door(&mut app, true);
        ticks(&mut app, 1);
        assert_eq!(refusals(&mut app), told(who), "{kind} {x}");
        assert!(is_open(&app));
        // From where it is now, it does not touch the wall.
        app.world_mut().get_mut::<Transform>(who).unwrap().translation.x = 8.0;
        ticks(&mut app, 1);
        set_door(&mut app, true);
        ticks(&mut app, 1);
        assert_eq!(refusals(&mut app), [""; 0], "{kind} {x}");
        assert!(!is_open(&app));
        // Again, where it is a wall already: that is no reason to refuse anything.
        app.world_mut().get_mut::<Transform>(who).unwrap().translation.x = 9.0;
        app.world_mut().write_message(SetWalls::all([DOOR, [1, 1]], true));
        ticks(&mut app, 1);
        assert!(app.world().resource::<GridMap>().is_wall([1, 1]));
    }
    // One that is spawned in that tick, the first one of the map.
    for kind in 0..4 {
        let mut app = rooms();
        let who = spawn(&mut app, kind, 9.0);
        set_door(&mut app, true);
        ticks(&mut app, 1);
        assert_eq!(refusals(&mut app), told(who), "{kind}");
        assert!(is_open(&app));
    }
}

#[test]
fn another_place_in_the_transform_is_a_teleport() {
    let mut app = rooms();
    app.world_mut().spawn((PursuitTarget, at(17.0, 5.0)));
    let pursuer = app.world_mut().spawn((Pursuer { speed: 3.0 }, at(2.0, 2.0))).id();
    ticks(&mut app, 50);
    *app.world_mut().get_mut::<Transform>(pursuer).unwrap() = at(12.0, 1.0);
    ticks(&mut app, 1);
    assert!(place(&app, pursuer).distance(Vec2::new(12.0, 1.0)) < 0.1);
    // Into a wall: refused, and put back.
    let before = place(&app, pursuer);
    *app.world_mut().get_mut::<Transform>(pursuer).unwrap() = at(9.0, 1.0);
    ticks(&mut app, 1);
    assert!(place(&app, pursuer).distance(before) < 0.1);
    let told = refusals(&mut app);
    assert!(told.len() == 1 && told[0].ends_with("is in a wall or touches one"), "{told:?}");
    ticks(&mut app, 300);
    assert_eq!(state(&app, pursuer), PursuitState::Arrived);
}

#[test]
fn what_makes_no_sense_is_refused_and_nobody_else_is_hurt() {
    let mut app = rooms();
    let target = app.world_mut().spawn((PursuitTarget, at(17.0, 5.0))).id();
    let good = app.world_mut().spawn((Pursuer { speed: 3.0 }, at(2.0, 2.0))).id();
    let slow = app.world_mut().spawn((Pursuer { speed: -1.0 }, at(2.0, 3.0))).id();
    let lost = app.world_mut().spawn((Pursuer { speed: 1.0 }, at(f32::NAN, 3.0))).id();
    let astray = app.world_mut().spawn((PursuitTarget, at(900.0, 5.0))).id();
    ticks(&mut app, 1);
    let told = refusals(&mut app).join("\n");
    for (what, entity) in [("pursuer", slow), ("pursuer", lost), ("target", astray)] {
        assert!(told.contains(&format!("{what} {entity} was refused: ")), "{told}");
    }
    assert_eq!([slow, lost].map(|e| state(&app, e)), [PursuitState::Refused; 2]);
    // Told once, not in every tick; a better speed is taken.
    ticks(&mut app, 10);
    assert_eq!(refusals(&mut app), [""; 0]);
    app.world_mut().get_mut::<Pursuer>(slow).unwrap().speed = 2.0;
    app.world_mut().get_mut::<Pursuer>(good).unwrap().speed = f32::INFINITY;
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 1);
    ticks(&mut app, 600);
    assert_eq!([good, slow].map(|e| state(&app, e)), [PursuitState::Arrived; 2]);
    assert_eq!(refusals(&mut app), [""; 0]);
    app.world_mut().despawn(target);
    ticks(&mut app, 1);
    assert_eq!(state(&app, good), PursuitState::NoTarget);
}

#[test]
fn another_map_is_a_new_level() {
    let mut app = rooms();
    app.world_mut().spawn((PursuitTarget, at(17.0, 5.0)));
    let pursuer = app.world_mut().spawn((Pursuer { speed: 3.0 }, at(2.0, 2.0))).id();
    ticks(&mut app, 10);
    let saved = app.world().resource::<GridMap>().clone();
    set_door(&mut app, true);
    ticks(&mut app, 100);
    assert_eq!(state(&app, pursuer), PursuitState::TargetUnreachable);
    app.insert_resource(saved);
    ticks(&mut app, 600);
    assert_eq!(state(&app, pursuer), PursuitState::Arrived);
}

#[test]
fn any_budget_ends_and_a_target_slides_along_walls() {
    let mut app = rooms();
    let target = app.world_mut().spawn((PursuitTarget, at(8.0, 5.0))).id();
    let pursuer = app.world_mut().spawn((Pursuer { speed: 3.0 }, at(2.0, 2.0))).id();
    app.insert_resource(PursuitBudget { updates: Some(1) });
    ticks(&mut app, 5);
    for _ in 0..200 {
        // Against the wall and along it, to the door.
        let here = place(&app, target);
        let step = Vec2::new(0.05, if here.y > 3.0 { -0.05 } else { 0.0 });
        let there = app.world().resource::<Pursuit>().slide(here, step).unwrap();
        app.world_mut().get_mut::<Transform>(target).unwrap().translation = there.extend(0.0);
        ticks(&mut app, 1);
    }
    assert!(place(&app, target).x > 10.0);
    assert_eq!(refusals(&mut app), [""; 0]);
    ticks(&mut app, 3000);
    assert_eq!(state(&app, pursuer), PursuitState::Arrived);
}
