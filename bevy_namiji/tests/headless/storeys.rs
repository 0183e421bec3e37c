use crate::{app, refusals, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_namiji::{
    GridMap, Ix3, NamijiError, Pursuer, Pursuit, Pursuit3dPlugin, PursuitState, PursuitTarget,
    SetWalls, WallsSet, state_hash,
};
use bevy_transform::components::Transform;

/// Two storeys of a house and the floor between them, which has a stairwell at each end.
const HOUSE: &str = "
    ###########
    #.........#
    #....#....#
    #....#....#
    ###########

    ###########
    ###########
    #.#######.#
    ###########
    ###########

    ###########
    #.........#
    #....#....#
    #....#....#
    ###########";
/// Cells `[z, y, x]` of the stairwells.
const WELLS: [[usize; 3]; 2] = [[1, 2, 1], [1, 2, 9]];

/// Pursuers on the ground floor, and a target upstairs.
fn house(pursuers: u8) -> (App, Vec<Entity>) {
    let mut app = app();
    app.add_plugins(Pursuit3dPlugin::default());
    app.insert_resource(GridMap::<Ix3>::from_storeys(HOUSE).unwrap());
    app.world_mut().spawn((PursuitTarget, Transform::from_xyz(8.0, 1.0, 2.0)));
    let places = (0..pursuers).map(|i| (f32::from(i % 4) + 1.0, f32::from(i / 4) * 0.1 + 1.0));
    let all = places
        .map(|(x, y)| {
            let place = Transform::from_xyz(x, y, 0.0);
            app.world_mut().spawn((Pursuer { speed: 3.0 }, place)).id()
        })
        .collect();
    (app, all)
}

fn state(app: &App, entity: Entity) -> PursuitState {
    *app.world().get::<PursuitState>(entity).unwrap()
}
fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}
fn set(app: &mut App, well: usize, wall: bool) {
    app.world_mut().write_message(SetWalls::all([WELLS[well]], wall));
}

#[test]
fn a_target_upstairs_is_caught_through_the_stairwell_that_is_open() {
    let (mut app, all) = house(12);
    set(&mut app, 0, true);
    set(&mut app, 1, true);
    ticks(&mut app, 200);
    // Both are shut, nobody has come up, and they have been told.
    assert!(all.iter().all(|e| state(&app, *e) == PursuitState::TargetUnreachable));
    assert!(all.iter().all(|e| place(&app, *e).z < 0.5));
    set(&mut app, 1, false);
    let mut was_in_the_well = vec![false; all.len()];
    for _ in 0..1000 {
        ticks(&mut app, 1);
        let map = app.world().resource::<GridMap<Ix3>>();
        for (seen, entity) in was_in_the_well.iter_mut().zip(&all) {
            let cell = map.cell_at(place(&app, *entity)).unwrap();
            assert!(!map.is_wall(cell), "{cell:?}");
            *seen |= cell == WELLS[1];
        }
    }
    assert_eq!(was_in_the_well, vec![true; all.len()]);
    for entity in all {
        assert_eq!(state(&app, entity), PursuitState::Arrived);
        assert!(place(&app, entity).distance(Vec3::new(8.0, 1.0, 2.0)) < 0.01);
    }
    assert_eq!(refusals(&mut app), [""; 0]);
    let mut done = app.world_mut().resource_mut::<Messages<WallsSet<3>>>();
    assert!(done.drain().all(|set| WELLS.contains(&set.cells[0].0)));
    // The flat tracker had nobody.
    assert!(app.world().resource::<Pursuit>().is_empty());
}

#[test]
fn walls_in_3d_are_set_all_or_none() {
    let (mut app, all) = house(1);
    *app.world_mut().get_mut::<Transform>(all[0]).unwrap() = Transform::from_xyz(1.0, 2.0, 1.0);
    let astray = Transform::from_xyz(1.0, 1.0, 9.0);
    let astray = app.world_mut().spawn((Pursuer { speed: 3.0 }, astray)).id();
    ticks(&mut app, 1);
    let told = refusals(&mut app);
    let expected = format!("pursuer {astray} was refused: pursuer at [1.0, 1.0, 9.0] is outside");
    assert!(told.len() == 1 && told[0].starts_with(&expected), "{told:?}");
    for (cells, reason) in [
        (
            [WELLS[1], WELLS[0]],
            format!("cell [1, 2, 1] (storey, row, column) cannot be changed: {} is there", all[0]),
        ),
        (
            [WELLS[1], [3, 0, 0]],
            "cell [3, 0, 0] is outside the grid of [3, 5, 11] cells".to_owned(),
        ),
    ] {
        app.world_mut().write_message(SetWalls::all(cells, true));
        ticks(&mut app, 1);
        assert_eq!(refusals(&mut app), [format!("walls were not set: {reason}")]);
        let medium = app.world().resource::<Pursuit<Ix3>>().tracker().unwrap().medium();
        assert!(!medium.is_wall(WELLS[1]));
        assert!(!app.world().resource::<GridMap<Ix3>>().is_wall(WELLS[1]));
    }
}

#[test]
fn a_hatch_does_not_shut_on_a_body_that_has_just_come() {
    let (mut app, all) = house(1);
    let told = |who: Entity| {
        let cell = "cell [1, 2, 9] (storey, row, column) cannot be changed";
        [format!("walls were not set: {cell}: {who} is there")]
    };
    // The first tick of the map.
    app.world_mut().get_mut::<Transform>(all[0]).unwrap().translation = Vec3::new(9.0, 2.0, 1.0);
    set(&mut app, 1, true);
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app), told(all[0]));
    let mut targets = app.world_mut().query_filtered::<Entity, With<PursuitTarget>>();
    let target = targets.single(app.world()).unwrap();
    app.world_mut().despawn(all[0]);
    ticks(&mut app, 5);
    app.world_mut().get_mut::<Transform>(target).unwrap().translation = Vec3::new(9.0, 2.0, 1.0);
    set(&mut app, 1, true);
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app), told(target));
    assert!(!app.world().resource::<GridMap<Ix3>>().is_wall(WELLS[1]));
    // In the storey above it is not in the way.
    app.world_mut().get_mut::<Transform>(target).unwrap().translation = Vec3::new(9.0, 2.0, 2.0);
    ticks(&mut app, 1);
    set(&mut app, 1, true);
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app), [""; 0]);
    assert!(app.world().resource::<GridMap<Ix3>>().is_wall(WELLS[1]));
}

#[test]
fn a_target_slides_along_floors() {
    let (mut app, _) = house(1);
    let slide = |app: &App, from: Vec3, step: Vec3| {
        app.world().resource::<Pursuit<Ix3>>().slide(from, step)
    };
    let from = Vec3::new(5.0, 3.0, 2.0);
    assert_eq!(slide(&app, from, Vec3::X), Err(NamijiError::NoMap));
    ticks(&mut app, 1);
    let there = slide(&app, from, Vec3::new(1.0, 0.0, -1.0)).unwrap();
    assert!((there.x - 6.0).abs() < 1e-3 && (there.z - 1.5).abs() < 1e-2, "{there}");
    // A walker can go on from the place that it returns.
    assert!(slide(&app, there, Vec3::X).is_ok());
}

#[test]
fn a_drawing_of_storeys_that_is_wrong_is_refused_by_its_line() {
    let error = |drawing: &str| GridMap::<Ix3>::from_storeys(drawing).unwrap_err().to_string();
    assert_eq!(
        error("#.#\n\n#.#\n#.#\n"),
        "the storey at line 3 of the drawing has 2 rows, the first one has 1"
    );
    assert_eq!(
        error("#.#\n\n#x#\n"),
        "line 3, column 2 of the drawing is 'x': only '#', '.' and ' ' are known"
    );
    assert_eq!(error("\n  \n"), "the drawing has no cells");
}

#[test]
fn the_same_house_has_the_same_hash() {
    let play = |close_at: u32| {
        let (mut app, all) = house(100);
        for tick in 0..300 {
            if tick % 100 == close_at {
                set(&mut app, 0, tick < 100);
            }
            if tick == 150 {
                app.world_mut().despawn(all[7]);
            }
            ticks(&mut app, 1);
        }
        state_hash(app.world_mut())
    };
    let first = play(20);
    assert_eq!(play(20), first);
    assert_ne!(play(21), first);
}

/// A flat map in place of a house takes its pursuers over: nobody is on both.
#[test]
fn a_house_that_is_taken_away_leaves_its_pursuers_to_a_flat_map() {
    let (mut app, all) = house(3);
    ticks(&mut app, 5);
    app.world_mut().remove_resource::<GridMap<Ix3>>();
    app.insert_resource(GridMap::from_drawing(&vec![".".repeat(40); 5].join("\n")).unwrap());
    for (i, &one) in (1u8..).zip(&all) {
        app.world_mut().get_mut::<Transform>(one).unwrap().translation =
            Vec3::new(f32::from(i), 1.0, 0.0);
    }
    ticks(&mut app, 1);
    assert!(all.iter().all(|&one| state(&app, one) != PursuitState::NotYet));
    assert!(app.world().resource::<Pursuit<Ix3>>().is_empty());
    assert_eq!(app.world().resource::<Pursuit>().len(), 3);
}
