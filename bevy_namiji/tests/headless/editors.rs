//! Levels from editors: the castle of the harness's tests, from each of them.

use crate::{app, refusals, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::jump_planner::Character;
use bevy_namiji::sim_harness::import::{ImportError, ImportOptions, View};
use bevy_namiji::{
    AgentGoal, AgentState, GridMap, JumpRoute, JumpWalker, LevelError, LevelFile, LevelOptions,
    NamijiError, Pursuer, Pursuit3dPlugin, PursuitState, PursuitTarget, RoutePreference,
    RouteState, UtilityAgent, state_hash,
};
use bevy_transform::components::Transform;
use std::path::{Path, PathBuf};

/// A grey picture of 3 x 2 pixels, in rows 0 0 7 and 0 0 0.
const GREY: [u8; 71] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0,
    0, 0, 184, 31, 57, 198, 0, 0, 0, 14, 73, 68, 65, 84, 120, 156, 99, 96, 96, 96, 103, 0, 2, 0, 0,
    43, 0, 8, 247, 112, 16, 10, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-harness/tests/levels").join(name)
}
/// A file of this test, in a folder that cargo keeps for tests.
fn written(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}
fn read(path: impl AsRef<Path>) -> LevelFile {
    LevelFile::read(path, &LevelOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}
fn cubes(view: View) -> LevelOptions {
    let import = ImportOptions { cell: Some(1.0), view, ..ImportOptions::default() };
    LevelOptions { import, ..LevelOptions::default() }
}
fn character() -> Character {
    Character::builder(6.0).walk_speed(3.0).build().unwrap()
}
fn is<C: Component + PartialEq>(app: &App, entity: Entity, state: C) -> bool {
    *app.world().get::<C>(entity).unwrap() == state
}
/// Whether something happens within so many ticks.
fn within(most: usize, app: &mut App, happens: impl Fn(&App) -> bool) -> bool {
    (0..most).any(|_| {
        ticks(app, 1);
        happens(app)
    })
}

#[test]
fn everybody_goes_from_start_to_goal_in_a_castle_of_each_2d_editor() {
    for name in ["castle.tmx", "castle.tmj", "castle.ldtk"] {
        let level = read(fixture(name));
        let mut app = app();
        app.insert_resource(level.map().unwrap());
        app.insert_resource(level.jump_level(character()).unwrap());
        let (start, goal) = (level.mark("start").unwrap(), level.mark("goal").unwrap());
        assert_eq!((vec![start], vec![goal]), (level.starts(), level.goals()), "{name}");
        let at = |position| Transform::from_translation(position);
        let to = goal.position.truncate();
        let world = app.world_mut();
        world.spawn((PursuitTarget, at(goal.position)));
        let pursuer = world.spawn((Pursuer { speed: 4.0 }, at(start.position))).id();
        let agent = world.spawn((UtilityAgent::new(4.0), AgentGoal(to), at(start.position))).id();
        let route = JumpRoute { goal: to, preference: RoutePreference::LeastTime };
        let walker = world.spawn((JumpWalker, route, at(start.position))).id();
        let has_come = |app: &App| {
            is(app, pursuer, PursuitState::Arrived)
                && is(app, agent, AgentState::Arrived)
                && is(app, walker, RouteState::Arrived)
        };
        assert!(within(1500, &mut app, has_come), "{name}");
        assert_eq!(refusals(&mut app), [""; 0], "{name}");
    }
}

#[test]
fn the_top_row_of_an_editor_is_on_top() {
    let (drawn, tiles) = (read(fixture("castle.map")), read(fixture("castle.tmx")));
    let maps = [&drawn, &tiles, &read(fixture("castle.ldtk"))].map(|l| l.map().unwrap());
    let from_above = LevelFile::read(fixture("castle.glb"), &cubes(View::Floor)).unwrap();
    let seen = from_above.map().unwrap();
    let jumps = from_above.jump_level(character()).unwrap();
    let heights = [[14, 1], [8, 0], [0, 0]].map(|cell| jumps.standing(cell).unwrap().z);
    assert_eq!(heights, [0.0, 3.0, 3.0]);
    // The eighth line of the file, and its row from below.
    let line = "@@@.@@@@@@@@.@@@@@...@@@";
    for (x, found) in line.chars().enumerate() {
        for map in maps.iter().chain([&seen]) {
            assert_eq!(map.is_wall([15 - 7, x]), found == '@', "{x}");
        }
    }
    for map in &maps[1..] {
        assert_eq!(map.medium().walls(), maps[0].medium().walls());
        assert_eq!(map.medium().speed([15 - 3, 18]), Some(0.5));
    }
    let marks: Vec<_> = tiles.marks().map(|(name, place)| (name, place.cell)).collect();
    assert_eq!(marks, [("bridge", [0, 5, 12]), ("goal", [0, 2, 22]), ("start", [0, 14, 1])]);
}

#[test]
fn cells_lie_where_the_options_put_them() {
    let options = LevelOptions {
        spacing: Some(16.0),
        origin: Vec2::new(8.0, -8.0),
        ..LevelOptions::default()
    };
    let level = LevelFile::read(fixture("castle.tmx"), &options).unwrap();
    let (map, jumps) = (level.map().unwrap(), level.jump_level(character()).unwrap());
    let start = level.starts()[0];
    assert_eq!(start.position.to_array(), [24.0, 216.0, 0.0]);
    let cell = [start.cell[1], start.cell[2]];
    assert_eq!(map.centre(cell), start.position.truncate());
    assert_eq!(jumps.standing(cell), Some(start.position));
}

#[test]
fn pursuers_fly_through_voxels_and_meshes() {
    for name in ["castle.vox", "castle.glb", "castle.obj"] {
        let level = LevelFile::read(fixture(name), &cubes(View::Voxels)).unwrap();
        assert_eq!(level.dimensions(), 3);
        let map = level.map_3d().unwrap();
        // The floor is below, and rows are as the file has them.
        assert!(map.is_wall([0, 1, 1]) && !map.is_wall([1, 1, 1]) && map.is_wall([1, 7, 4]));
        let jumps = level.jump_level(character()).unwrap();
        let height = |cell| jumps.standing(cell).unwrap().z;
        assert_eq!(height([0, 0]) - height([1, 1]), 3.0, "{name}");
        if name == "castle.obj" {
            // It has no places.
            assert_eq!(level.marks().count(), 0);
            continue;
        }
        let mut app = app();
        app.add_plugins(Pursuit3dPlugin::default()).insert_resource(map);
        let [start, goal] = [level.starts()[0], level.goals()[0]];
        assert_eq!(start.cell, [1, 1, 1]);
        let at = |position| Transform::from_translation(position);
        app.world_mut().spawn((PursuitTarget, at(goal.position)));
        let pursuer = app.world_mut().spawn((Pursuer { speed: 4.0 }, at(start.position))).id();
        let has_come = |app: &App| is(app, pursuer, PursuitState::Arrived);
        assert!(within(1500, &mut app, has_come), "{name}");
    }
    let voxels = read(written("two.3dmap", "voxel 3 2 2\n0 1 0\n0 1 1\n"));
    let map = voxels.map_3d().unwrap();
    assert!(map.is_wall([0, 1, 0]) && map.is_wall([1, 1, 0]) && !map.is_wall([0, 0, 0]));
    let large = LevelOptions { spacing: Some(2.0), ..LevelOptions::default() };
    let large = LevelFile::read(fixture("castle.vox"), &large).unwrap();
    let jumps = large.jump_level(character()).unwrap();
    // Voxels are cubes of any size.
    assert_eq!(jumps.standing([0, 0]).unwrap().z - jumps.standing([1, 1]).unwrap().z, 6.0);
}

#[test]
fn heights_come_with_their_cells_and_holes() {
    let hill = read(fixture("hill.tif"));
    let jumps = hill.jump_level(character()).unwrap();
    // Row 8 of 40 from the top, in cells of 2; and a hole.
    assert_eq!(jumps.standing([31, 8]).unwrap().to_array(), [16.0, 62.0, 3.0]);
    assert_eq!(jumps.standing([39, 55]), None);
    let map = hill.map().unwrap();
    assert!(map.is_wall([39, 55]) && map.medium().spacing() == 2.0);

    let steps = "ncols 3\nnrows 2\ncellsize 1\nNODATA_value -9\n0 -9 4\n0 1 2\n";
    let jumps = read(written("steps.asc", steps)).jump_level(character()).unwrap();
    let heights = |row: usize| [0, 1, 2].map(|x| jumps.standing([row, x]).map(|at| at.z));
    assert_eq!(heights(0), [Some(0.0), Some(1.0), Some(2.0)]);
    assert_eq!(heights(1), [Some(0.0), None, Some(4.0)]);

    let options = LevelOptions { height_scale: Some(0.5), ..LevelOptions::default() };
    let grey = LevelFile::read(written("grey.png", GREY), &options).unwrap();
    let jumps = grey.jump_level(character()).unwrap();
    assert_eq!(jumps.standing([1, 2]).unwrap().z, 3.5);
    assert_eq!(jumps.standing([0, 2]).unwrap().z, 0.0);
}

/// A level of Tiled of two cells, with this in it.
fn tiled(name: &str, inner: &str) -> PathBuf {
    let head = "<map orientation='orthogonal' width='2' height='1' tilewidth='8' tileheight='8'>\
                <layer name='wall'><data encoding='csv'>0,0</data></layer>";
    written(name, format!("{head}<objectgroup name='o'>{inner}</objectgroup></map>"))
}

/// The error of this file with all of `parts` in its one line.
fn says(path: &Path, result: Result<(), LevelError>, parts: &[&str]) -> LevelError {
    let error = result.unwrap_err();
    let line = error.to_string();
    let file = path.file_name().unwrap().to_str().unwrap();
    assert!(line.lines().count() == 1, "{line}");
    for part in parts.iter().chain([&file]) {
        assert!(line.contains(part), "{line:?} lacks {part:?}");
    }
    error
}

#[test]
fn a_bad_file_is_refused_with_its_name_and_the_element() {
    let refused = |path: &Path, parts: &[&str]| {
        says(path, LevelFile::read(path, &LevelOptions::default()).map(drop), parts)
    };
    let error = refused(&fixture("no.tmx"), &["no.tmx"]);
    assert!(matches!(error, LevelError::Import(ImportError::File { .. })), "{error:?}");
    let error = refused(&written("level.txt", "#"), &["must end in", ".tmx"]);
    assert!(matches!(error, LevelError::Import(ImportError::Ending { .. })), "{error:?}");
    let lost = "<object id='7' type='start' x='99' y='0'/>";
    let error = refused(&tiled("lost.tmx", lost), &["layer \"o\", object 7", "outside"]);
    assert!(matches!(error, LevelError::Import(ImportError::Element { .. })), "{error:?}");
    let error = refused(&written("bad.map", "type octile\nheight 1\nwidth 1\nmap\nx\n"), &["x"]);
    assert!(matches!(error, LevelError::Import(ImportError::Map(_))), "{error:?}");
    let asc = "ncols 1\nnrows 1\ncellsize 1\nhigh\n";
    let error = refused(&written("bad.asc", asc), &["high"]);
    assert!(matches!(error, LevelError::Import(ImportError::Heights(_))), "{error:?}");
    for (name, bytes) in [
        ("bad.tmj", "{"),
        ("bad.ldtk", "{}"),
        ("bad.vox", "VOX"),
        ("bad.obj", "v 1 2"),
        ("bad.gltf", "{}"),
        ("bad.glb", "glTF"),
        ("bad.tif", "II"),
        ("bad.png", "PNG"),
        ("bad.3dmap", "voxel 1 1"),
    ] {
        refused(&written(name, bytes), &[]);
    }
}

#[test]
fn what_a_level_cannot_give_is_refused_with_its_limit() {
    let (flat, deep) = (fixture("castle.tmx"), fixture("castle.vox"));
    let error = says(&flat, read(&flat).map_3d().map(drop), &["in 2D", "in 3D"]);
    assert!(matches!(error, LevelError::Dimensions { found: 2, asked: 3, .. }), "{error:?}");
    says(&deep, read(&deep).map().map(drop), &["in 3D", "in 2D"]);
    let error = says(&flat, read(&flat).mark("tower").map(drop), &["\"tower\"", "\"bridge\""]);
    assert!(matches!(error, LevelError::NoPlace { .. }), "{error:?}");
    let drawing = fixture("castle.map");
    says(&drawing, read(&drawing).mark("a").map(drop), &["there are none"]);

    let mark = |i: u8| format!("<object id='{i}' type='mark' name='m{i}' x='1' y='1'/>");
    let many = tiled("many.tmx", &(1..=9).map(mark).collect::<String>());
    says(&many, read(&many).mark("a").map(drop), &["\"m8\" and 1 more"]);

    let of = |spacing, x, height_scale| LevelOptions {
        spacing: Some(spacing),
        origin: Vec2::new(x, 0.0),
        height_scale: Some(height_scale),
        ..LevelOptions::default()
    };
    for (options, parts) in [
        (of(0.0, 0.0, 1.0), ["spacing = 0", "from 1e-9 to 1e9"]),
        (of(f64::NAN, 0.0, 1.0), ["spacing = NaN", "from 1e-9 to 1e9"]),
        (of(1.0, f32::INFINITY, 1.0), ["origin.x = inf", "finite"]),
        (of(1.0, 0.0, -1.0), ["height_scale = -1", "from 1e-9 to 1e9"]),
    ] {
        says(&flat, LevelFile::read(&flat, &options).map(drop), &parts);
    }
    let mesh = fixture("castle.glb");
    let mut none = cubes(View::Voxels);
    none.import.cell = Some(0.0);
    let error = says(&mesh, LevelFile::read(&mesh, &none).map(drop), &["cell", "0"]);
    assert!(matches!(error, LevelError::Import(_)), "{error:?}");
    let project = fixture("castle.ldtk");
    let mut other = LevelOptions::default();
    other.import.level = Some("Tower".to_owned());
    let error = says(&project, LevelFile::read(&project, &other).map(drop), &["\"Tower\""]);
    assert!(matches!(error, LevelError::Import(_)), "{error:?}");
    // One cell a thousand times as fast as usual, the other a thousand times as slow.
    let speed = |id: u8, x: u8, speed: &str| {
        format!(
            "<object id='{id}' type='ground' x='{x}' y='0' width='8' height='8'><properties>\
             <property name='speed' value='{speed}'/></properties></object>"
        )
    };
    let speeds = tiled("speeds.tmx", &(speed(1, 0, "1000") + &speed(2, 8, "0.001")));
    let error = says(&speeds, read(&speeds).map().map(drop), &["0.001"]);
    let is_medium = |reason: &NamijiError| matches!(reason, NamijiError::Medium(_));
    assert!(matches!(&error, LevelError::Refused { reason, .. } if is_medium(reason)), "{error:?}");
    // Nobody can jump in a level of one cell.
    let one = written("one.map", "type octile\nheight 1\nwidth 1\nmap\n.\n");
    let error = says(&one, read(&one).jump_level(character()).map(drop), &["1"]);
    let is_jump = |reason: &NamijiError| matches!(reason, NamijiError::Jump(_));
    assert!(matches!(&error, LevelError::Refused { reason, .. } if is_jump(reason)), "{error:?}");
}

/// A game in the castle that tries to load another level in its 50th tick.
fn game(next: Option<PathBuf>) -> (bool, u64) {
    let level = read(fixture("castle.tmx"));
    let mut app = app();
    app.insert_resource(level.map().unwrap());
    let at = |name| Transform::from_translation(level.mark(name).unwrap().position);
    app.world_mut().spawn((PursuitTarget, at("goal")));
    app.world_mut().spawn((Pursuer { speed: 4.0 }, at("start")));
    ticks(&mut app, 50);
    let map = next
        .map(|next| LevelFile::read(&next, &LevelOptions::default()).and_then(|level| level.map()));
    let is_loaded = matches!(map, Some(Ok(_)));
    if let Some(Ok(map)) = map {
        app.insert_resource::<GridMap>(map);
    }
    ticks(&mut app, 50);
    (is_loaded, state_hash(app.world_mut()))
}

#[test]
fn a_game_goes_on_as_before_where_its_next_level_is_refused() {
    let (_, hash) = game(None);
    assert_eq!(game(Some(written("broken.tmx", "<map"))), (false, hash));
    assert_eq!(game(Some(fixture("castle.vox"))), (false, hash));
    let (is_loaded, other) = game(Some(fixture("castle.map")));
    assert!(is_loaded && other != hash);
}
