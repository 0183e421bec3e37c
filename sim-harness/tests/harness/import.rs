//! Levels of editors: the same castle from each of them, and real data.

use crate::command::{Folder, data, harness, json, refused};
use ndarray::{Array2, Axis, s};
use sim_harness::import::{self, ImportOptions, View};
use sim_harness::maps::{Class, MapFile, heights};
use std::path::{Path, PathBuf};

fn level(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/levels").join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read(name: &str, options: &ImportOptions) -> MapFile {
    import::read(&level(name), options).unwrap_or_else(|e| panic!("{e}"))
}

/// The castle's walls `[y, x]`, from its `.map`.
fn castle() -> Array2<bool> {
    let map = read("castle.map", &ImportOptions::default());
    map.walls(Class::Ground).index_axis_move(Axis(0), 0)
}

const START: [usize; 3] = [0, 1, 1];
const GOAL: [usize; 3] = [0, 13, 22];
const BRIDGE: [usize; 3] = [0, 10, 12];

#[test]
fn three_editors_of_tiles_give_the_same_castle() {
    for name in ["castle.tmx", "castle.tmj", "castle.ldtk"] {
        let map = read(name, &ImportOptions::default());
        assert_eq!(map.dimensions(), 2, "{name}");
        let walls = map.walls(Class::Ground);
        // The infinite map is as large as its chunks: cells beyond the castle are free.
        let walls = walls.slice(s![0, ..16, ..24]);
        assert_eq!(walls, castle(), "{name}");
        let layers = map.layers();
        assert_eq!((&layers.starts[..], &layers.goals[..]), (&[START][..], &[GOAL][..]), "{name}");
        assert_eq!(layers.marks["bridge"], BRIDGE, "{name}");
        let speeds = layers.speeds.as_ref().unwrap().slice(s![0, ..16, ..24]).to_owned();
        let muddy = |y: usize, x: usize| (3..=7).contains(&y) && (18..=20).contains(&x);
        for ((y, x), &speed) in speeds.indexed_iter() {
            let mud = muddy(y, x) && !castle()[[y, x]];
            assert_eq!(speed, if mud { 0.5 } else { 1.0 }, "{name}: {x}, {y}");
        }
    }
}

#[test]
fn voxels_and_meshes_give_the_castle_three_cells_high() {
    let ones = ImportOptions { cell: Some(1.0), ..ImportOptions::default() };
    for (name, options) in
        [("castle.vox", &ImportOptions::default()), ("castle.obj", &ones), ("castle.glb", &ones)]
    {
        let map = read(name, options);
        assert_eq!(map.dimensions(), 3, "{name}");
        let walls = map.walls(Class::Ground);
        assert_eq!(walls.dim().1, 16, "{name}");
        assert_eq!(walls.dim().2, 24, "{name}");
        for z in 0..=3 {
            let expected = castle().map(|&wall| wall || z == 0);
            assert_eq!(walls.index_axis(Axis(0), z), expected, "{name}, z = {z}");
        }
        let up = |[_, y, x]: [usize; 3]| [1, y, x];
        if name != "castle.obj" {
            let layers = map.layers();
            assert_eq!(layers.starts, [up(START)], "{name}");
            assert_eq!(layers.goals, [up(GOAL)], "{name}");
            assert_eq!(layers.marks["bridge"], up(BRIDGE), "{name}");
        }
        // The ground for jumps: the floor, and the tops of the walls three higher.
        let heights = import::read_heights(&level(name), options).unwrap().heights;
        let floor = heights[[1, 1]];
        assert_eq!(
            heights.map(|&height| height - floor),
            castle().map(|&wall| if wall { 3.0 } else { 0.0 }),
            "{name}"
        );
    }
}

#[test]
fn a_mesh_seen_from_above_is_a_floor_between_cliffs() {
    let options = ImportOptions { cell: Some(1.0), view: View::Floor, ..ImportOptions::default() };
    let map = read("castle.glb", &options);
    assert_eq!(map.dimensions(), 2);
    assert_eq!(map.walls(Class::Ground).index_axis_move(Axis(0), 0), castle());
    assert_eq!(map.layers().starts, [START]);
    let heights = map.layers().heights.as_ref().unwrap();
    assert_eq!((heights[[1, 1]], heights[[0, 0]]), (0.0, 3.0));
}

#[test]
fn pursuers_find_their_ways_through_every_castle() {
    let mut walked = Vec::new();
    for name in ["castle.tmx", "castle.tmj", "castle.ldtk", "castle.vox", "castle.glb"] {
        let path = level(name);
        let mut arguments = vec!["pursue", "--map", text(&path)];
        if name == "castle.glb" {
            arguments.extend(["--cell", "1"]);
        }
        let answer = json(&arguments);
        assert_eq!(
            (&answer["entries"], &answer["arrived"]),
            (&1.into(), &1.into()),
            "{name}: {answer}"
        );
        let to_bridge = json(&[&arguments[..], &["--from", "start", "--to", "bridge"]].concat());
        assert_eq!(to_bridge["arrived"], 1, "{name}");
        walked.push(answer["state_hash"].clone());
    }
    // The same walls and speeds: the same walk, to the last bit.
    assert_eq!(walked[0], walked[2]);
    let path = level("castle.tmx");
    let mistyped = ["pursue", "--map", text(&path), "--from", "start", "--to", "Bridge"];
    refused(&mistyped, &["--to Bridge", "X,Y", "one of bridge, goal, start"]);
}

#[test]
fn scenarios_take_levels_and_their_places() {
    let folder = Folder::new();
    for (name, more) in [
        ("castle.tmx", ""),
        ("castle.tmj", ""),
        ("castle.ldtk", "level = \"Castle\""),
        ("castle.vox", ""),
        ("castle.glb", "cell = 1.0"),
        ("castle.glb", "cell = 1.0\nview = \"floor\""),
    ] {
        std::fs::copy(level(name), folder.path(name)).unwrap();
        let scenario = folder.file(
            "castle.toml",
            format!(
                "name = \"castle\"\nsteps = 400\n[map]\nfile = \"{name}\"\n{more}\n[[evaders]]\nstart = \"goal\"\n\
                 mind = \"still\"\n[[pursuers]]\nstart = \"start\"\nspeed = 1.0\nmind = \"wave\"\n"
            ),
        );
        let answer = json(&["run", &scenario]);
        assert_eq!(answer["outcome"]["arrived"], 1, "{name}: {answer}");
    }
    let bad = folder.file(
        "bad.toml",
        "name = \"bad\"\nsteps = 4\n[map]\nfile = \"castle.tmx\"\n[[evaders]]\nstart = \"tower\"\nmind = \"still\"\n[[pursuers]]\nstart = \"start\"\nspeed = 1.0\nmind = \"wave\"\n",
    );
    refused(
        &["run", &bad],
        &["bad.toml:6: evaders[0].start", "\"tower\"", "nor a place of the map's file"],
    );
}

#[test]
fn scenarios_take_heights_on_which_legs_find_ways() {
    let folder = Folder::new();
    std::fs::copy(level("hill.tif"), folder.path("hill.tif")).unwrap();
    // A step that is higher than a stride, from edge to edge: a pursuer that arrives has jumped.
    let rows = "0 0 1 0 0 0\n".repeat(3);
    folder.file("step.asc", format!("ncols 6\nnrows 3\ncellsize 1\n{rows}"));
    // The evader stands on the ground, far above or below the place where a pursuer begins.
    folder
        .file("stairs.asc", format!("ncols 6\nnrows 3\ncellsize 1\n{}", "0 1 2 3 4 5\n".repeat(3)));
    let ways = [
        ("hill.tif", "2, 30", "50, 30"),
        ("step.asc", "0, 1", "5, 1"),
        ("stairs.asc", "0, 1", "5, 1"),
        ("stairs.asc", "5, 1", "0, 1"),
    ];
    for (name, from, to) in ways {
        let scenario = folder.file(
            "hill.toml",
            format!(
                "name = \"hill\"\nsteps = 400\n[contact]\nreach = 0.9\n[map]\nfile = \"{name}\"\n[[evaders]]\nstart = [{to}]\n\
                 mind = \"still\"\n[[pursuers]]\nstart = [{from}]\nspeed = 1.0\n\
                 mind = {{ travel = {{ legs = {{ launch_speed = 6.0, step_height = 0.5 }} }} }}\n"
            ),
        );
        let answer = json(&["run", &scenario]);
        assert_eq!(answer["outcome"]["arrived"], 1, "{name}: {answer}");
    }
}

#[test]
fn jump_and_audit_take_levels() {
    for (name, more) in [
        ("hill.tif", &["--speed", "6", "--step-height", "0.5"][..]),
        ("castle.vox", &["--speed", "9"]),
        ("castle.ldtk", &["--speed", "5", "--level", "Castle"]),
        ("castle.glb", &["--speed", "9", "--cell", "1"]),
    ] {
        let path = level(name);
        let answer = json(&[&["audit", "--terrain", text(&path)], more].concat());
        let cells = if name == "hill.tif" { 2400 } else { 384 };
        assert_eq!(answer["cells"], cells, "{name}");
        if name != "hill.tif" {
            assert_eq!(answer["start"], serde_json::json!([1, 1]), "{name}");
            assert_eq!(answer["goal"]["cell"], serde_json::json!([22, 13]), "{name}");
        }
        let answer = json(
            &[&["jump", "--terrain", text(&path), "--from", "1,8", "--to", "3,8"], more].concat(),
        );
        assert_eq!(answer["reachable"], true, "{name}");
    }
}

#[test]
fn a_geotiff_has_its_heights_its_cells_and_its_holes() {
    let map = import::read_heights(&level("hill.tif"), &ImportOptions::default()).unwrap();
    assert_eq!((map.heights.dim(), map.cell_size), ((40, 60), Some(2.0)));
    assert!(map.heights[[0, 55]].is_nan());
    assert_eq!((map.heights[[8, 8]], map.heights[[18, 35]]), (3.0, 8.0));
    let walls = read("hill.tif", &ImportOptions::default()).walls(Class::Ground);
    assert_eq!(walls.iter().filter(|wall| **wall).count(), 60);
}

#[test]
fn a_real_geotiff_equals_its_ascii_twin() {
    let Some(tif) = data("heightmap/dem/dem_RGI50-05.08389.tif") else { return };
    let ours = import::read_heights(&tif, &ImportOptions::default()).unwrap();
    let twin = heights::read(&tif.with_extension("asc")).unwrap();
    assert_eq!(ours.heights, twin.heights);
    assert_eq!(ours.cell_size, Some(100.0));
}

#[test]
fn recasts_meshes_become_levels_on_which_pursuers_find_ways() {
    let Some(mesh) = data("levels/recast_mesh/Meshes/nav_test.obj") else { return };
    // Ends from Recast's own test cases, which stand on the ground: x, y, z upwards.
    let tests =
        std::fs::read_to_string(data("levels/recast_mesh/TestCases/nav_mesh_test.txt").unwrap());
    let low = [-28.889_317, -4.869_517, -46.300_152];
    let options = ImportOptions { cell: Some(0.5), view: View::Floor, ..ImportOptions::default() };
    let floor = import::read(&mesh, &options).unwrap();
    let walls = floor.walls(Class::Ground);
    let heights = floor.layers().heights.as_ref().unwrap();
    let mut asked = 0;
    let mut free = 0;
    for line in tests.unwrap().lines().filter(|line| line.starts_with("pf")).take(20) {
        let n: Vec<f64> = line.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let cell = |p: &[f64]| [(p[0] - low[0]) / 0.5, (p[2] - low[2]) / 0.5].map(|v| v as usize);
        let ends = [cell(&n[..3]), cell(&n[3..6])];
        // Ground under another surface is not seen from above.
        let below = |[x, y]: [usize; 2], z: f64| heights[[y, x]] - z > 1.0;
        if below(ends[0], n[1]) || below(ends[1], n[4]) {
            continue;
        }
        asked += 1;
        if ends.iter().any(|&[x, y]| walls[[0, y, x]]) {
            continue;
        }
        free += 1;
        let [from, to] = ends.map(|[x, y]| format!("{x},{y}"));
        let answer = json(&[
            "pursue",
            "--map",
            text(&mesh),
            "--view",
            "floor",
            "--cell",
            "0.5",
            "--from",
            &from,
            "--to",
            &to,
        ]);
        assert_eq!(answer["arrived"], 1, "{from} to {to}: {answer}");
    }
    assert!(
        asked >= 8 && free * 4 >= asked * 3,
        "{free} of {asked} tests have both ends on the floor"
    );
    // As voxels: over the ground, from one end to the other.
    let voxels =
        import::read(&mesh, &ImportOptions { cell: Some(1.0), ..ImportOptions::default() });
    let walls = voxels.unwrap().walls(Class::Ground);
    let (depth, height, width) = walls.dim();
    let over = |x: usize, y: usize| {
        let top = (0..depth).rev().find(|&z| walls[[z, y, x]])?;
        (top + 1 < depth).then(|| format!("{x},{y},{}", top + 1))
    };
    let mut ends = (0..height.min(width)).filter_map(|i| over(i, i));
    let (from, to) = (ends.next().unwrap(), ends.next_back().unwrap());
    let answer =
        json(&["pursue", "--map", text(&mesh), "--cell", "1", "--from", &from, "--to", &to]);
    assert_eq!(answer["arrived"], 1, "{answer}");
}

#[test]
fn without_a_start_one_must_be_given() {
    let path = level("castle.obj");
    refused(&["pursue", "--map", text(&path)], &["--from and --to", "no start and goal"]);
    let output = harness().args(["pursue", "--help"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains(".ldtk"));
}

/// Reads a level that is a file of the castle with other words in it.
fn reworded(name: &str, words: &[[&str; 2]]) -> MapFile {
    let mut text = std::fs::read_to_string(level(name)).unwrap();
    for [old, new] in words {
        assert!(text.contains(old), "{name}: {old}");
        text = text.replacen(old, new, 1);
    }
    let folder = Folder::new();
    folder.file(name, text);
    import::read(&folder.path(name), &ImportOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn heights_of_tiles_are_the_ground_of_their_cells() {
    let speed = "<property name=\"speed\" type=\"float\" value=\"0.5\"/>";
    let height = "<property name=\"height\" type=\"float\" value=\"2.5\"/>";
    let levels = [
        (reworded("castle.tmx", &[[speed, height]]), 2.5),
        (reworded("castle.ldtk", &[["\"speed_50\"", "\"height_3\""]]), 3.0),
    ];
    for (map, height) in levels {
        let muddy = read("castle.tmx", &ImportOptions::default());
        let muddy = muddy.layers().speeds.as_ref().unwrap();
        let heights = map.layers().heights.as_ref().unwrap();
        assert_eq!(map.walls(Class::Ground).index_axis(Axis(0), 0), castle(), "{}", map.name());
        for ((y, x), _) in castle().indexed_iter().filter(|(_, wall)| !**wall) {
            let expected = if muddy[[0, y, x]] < 1.0 { height } else { 0.0 };
            assert_eq!(heights[[y, x]], expected, "{}: {x}, {y}", map.name());
        }
        assert_eq!(map.layers().speeds, None, "{}", map.name());
    }
}

#[test]
fn an_isometric_map_has_the_cells_and_places_of_a_square_one() {
    let square = "orientation=\"orthogonal\"";
    let size = "tilewidth=\"16\" tileheight=\"16\" infinite";
    let map = reworded(
        "castle.tmx",
        &[
            [square, "orientation=\"isometric\""],
            [size, "tilewidth=\"32\" tileheight=\"16\" infinite"],
        ],
    );
    assert_eq!(map, read("castle.tmx", &ImportOptions::default()));
}

#[test]
fn a_gltf_with_its_buffer_beside_is_the_glb() {
    let glb = std::fs::read(level("castle.glb")).unwrap();
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    // A head of 12 bytes, then chunks: their length, their kind, their bytes.
    let json = &glb[20..20 + word(12)];
    let rest = 20 + word(12);
    let buffer = &glb[rest + 8..rest + 8 + word(rest)];
    let mut json: serde_json::Value = serde_json::from_slice(json).unwrap();
    json["buffers"][0]["uri"] = "parts/castle.bin".into();
    let folder = Folder::new();
    std::fs::create_dir(folder.path("parts")).unwrap();
    folder.file("parts/castle.bin", buffer);
    folder.file("castle.gltf", json.to_string());
    let ones = ImportOptions { cell: Some(1.0), ..ImportOptions::default() };
    let [a, b] = [folder.path("castle.gltf"), level("castle.glb")]
        .map(|path| import::read(&path, &ones).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(a.walls(Class::Ground), b.walls(Class::Ground));
    assert_eq!(a.layers(), b.layers());
}

#[test]
fn objects_of_an_obj_are_places_and_its_materials_speeds() {
    let mut text = std::fs::read_to_string(level("castle.obj")).unwrap();
    for (name, [_, y, x]) in [("start", START), ("goal", GOAL), ("mark_bridge", BRIDGE)] {
        let corner = |dx: f64, dz: f64| format!("v {} 0.4 {}\n", x as f64 + dx, y as f64 + dz);
        let corners = [corner(0.3, 0.3), corner(0.7, 0.3), corner(0.3, 0.7)].concat();
        text += &format!("o {name}\n{corners}f -3 -2 -1\n");
    }
    let folder = Folder::new();
    folder.file("castle.obj", text);
    let ones = ImportOptions { cell: Some(1.0), ..ImportOptions::default() };
    let map = import::read(&folder.path("castle.obj"), &ones).unwrap();
    let up = |[_, y, x]: [usize; 3]| [1, y, x];
    let layers = map.layers();
    assert_eq!((&layers.starts[..], &layers.goals[..]), (&[up(START)][..], &[up(GOAL)][..]));
    assert_eq!(layers.marks["bridge"], up(BRIDGE));
    assert_eq!(map.walls(Class::Ground), read("castle.obj", &ones).walls(Class::Ground));

    folder.file(
        "floor.obj",
        "v 0 0 0\nv 2 0 0\nv 4 0 0\nv 0 0 3\nv 2 0 3\nv 4 0 3\n\
         usemtl stone\nf 1 4 5 2\nusemtl speed_50\nf 2 5 6 3\n",
    );
    let floor = ImportOptions { view: View::Floor, ..ones };
    let map = import::read(&folder.path("floor.obj"), &floor).unwrap();
    let speeds = map.layers().speeds.as_ref().unwrap();
    assert_eq!(speeds.dim(), (1, 3, 4));
    for ((_, _, x), &speed) in speeds.indexed_iter() {
        assert_eq!(speed, if x < 2 { 1.0 } else { 0.5 }, "{x}");
    }
}

#[test]
fn a_model_of_voxels_may_be_slow_air() {
    let chunk = |id: &str, content: Vec<u8>| {
        let sizes = [content.len() as u32, 0].map(u32::to_le_bytes).concat();
        [id.as_bytes(), &sizes, &content].concat()
    };
    let words = |numbers: &[i32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let text = |text: &str| [&words(&[text.len() as i32])[..], text.as_bytes()].concat();
    let model = |size: [u8; 3], voxels: Vec<[u8; 4]>| {
        let count = words(&[voxels.len() as i32]);
        [
            chunk("SIZE", words(&size.map(i32::from))),
            chunk("XYZI", [count, voxels.concat()].concat()),
        ]
        .concat()
    };
    let shown = |id: i32, name: &str, at: &str, shape: i32| {
        let name = [words(&[id, 1]), text("_name"), text(name)].concat();
        let at = [words(&[id + 1, -1, 0, 1, 1]), text("_t"), text(at)].concat();
        let shape = chunk("nSHP", words(&[id + 1, 0, 1, shape, 0]));
        [chunk("nTRN", [name, at].concat()), shape].concat()
    };
    let floor = (0..12).map(|i| [i % 4, i / 4, 0, 1]).collect();
    let children = [
        model([4, 3, 2], floor),
        model([2, 1, 1], vec![[0, 0, 0, 1], [1, 0, 0, 1]]),
        chunk("nTRN", words(&[0, 0, 1, -1, -1, 1, 0])),
        chunk("nGRP", words(&[1, 0, 2, 2, 4])),
        // Placed by its middle.
        shown(2, "floor", "2 1 1", 0),
        shown(4, "speed_50", "2 1 1", 1),
    ]
    .concat();
    let head = [&b"VOX "[..], &words(&[150]), b"MAIN", &words(&[0, children.len() as i32])];
    let folder = Folder::new();
    folder.file("slow.vox", [head.concat(), children].concat());
    let map = import::read(&folder.path("slow.vox"), &ImportOptions::default()).unwrap();
    let (walls, speeds) = (map.walls(Class::Ground), map.layers().speeds.as_ref().unwrap());
    let [depth, rows, columns] = map.shape();
    assert_eq!([rows, columns], [3, 4]);
    for (z, y, x) in (0..depth * 12).map(|i| (i / 12, i / 4 % 3, i % 4)) {
        assert_eq!(walls[[z, y, x]], z == 0, "{x}, {y}, {z}");
        let slow = (z, y) == (1, 1) && (1..3).contains(&x);
        assert_eq!(speeds[[z, y, x]], if slow { 0.5 } else { 1.0 }, "{x}, {y}, {z}");
    }
}
