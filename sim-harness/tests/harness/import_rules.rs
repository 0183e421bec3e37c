//! What an editor means by a part of its file: offsets, alignments, rules, groups, corners.

use crate::command::Folder;
use ndarray::{Array2, Axis};
use proptest::prelude::*;
use sim_harness::import::{self, Files, ImportError, ImportOptions, Store, View};
use sim_harness::maps::{Class, MapFile};
use sim_harness::{scenario, world};
use std::path::Path;

fn read_as(name: &str, text: &str, options: &ImportOptions) -> Result<MapFile, ImportError> {
    let files = Files::from([(name.to_owned(), text.as_bytes().to_vec())]);
    import::read_from(&Store::Memory(files.into()), Path::new(name), options)
}

fn level(name: &str, text: &str) -> MapFile {
    read_as(name, text, &ImportOptions::default()).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// Reading is refused with all of `parts` in the line.
fn refused(name: &str, text: &str, parts: &[&str]) {
    let error = read_as(name, text, &ImportOptions::default()).expect_err(text).to_string();
    assert!(parts.iter().all(|part| error.contains(part)), "{error}\n{parts:?}");
}

fn flat(map: &MapFile) -> Array2<bool> {
    map.walls(Class::Ground).index_axis_move(Axis(0), 0)
}

/// The cells `[x, y]` that are walls.
fn walls(map: &MapFile) -> Vec<[usize; 2]> {
    flat(map).indexed_iter().filter(|(_, wall)| **wall).map(|((y, x), _)| [x, y]).collect()
}

/// A map of 7 x 5 cells; those of an isometric one are twice as wide as high.
fn tmx(orientation: &str, inner: &str) -> String {
    let wide = if orientation == "isometric" { 32 } else { 16 };
    format!(
        "<map orientation=\"{orientation}\" width=\"7\" height=\"5\" tilewidth=\"{wide}\" \
         tileheight=\"16\">{inner}</map>"
    )
}

/// The same map as JSON, with these tilesets and layers.
fn tmj(tilesets: &str, layers: &str) -> String {
    format!(
        "{{\"orientation\":\"orthogonal\",\"width\":7,\"height\":5,\"tilewidth\":16,\
         \"tileheight\":16,\"tilesets\":[{tilesets}],\"layers\":[{layers}]}}"
    )
}

const RECTANGLE: &str = "<objectgroup name=\"o\"><object id=\"1\" type=\"wall\" x=\"0\" y=\"16\" \
                         width=\"16\" height=\"16\"/></objectgroup>";

#[test]
fn groups_shift_what_lies_in_them() {
    let in_groups = |inner: &str| {
        format!(
            "<group offsetx=\"16\"><group offsetx=\"16\" offsety=\"32\">{inner}</group></group>"
        )
    };
    let map = level("a.tmx", &tmx("orthogonal", &in_groups(RECTANGLE)));
    assert_eq!(walls(&map), [[2, 3]]);
    let own = RECTANGLE.replace("name=\"o\"", "name=\"o\" offsetx=\"-16\"");
    assert_eq!(walls(&level("a.tmx", &tmx("orthogonal", &in_groups(&own)))), [[1, 3]]);

    let tiles =
        format!("<layer name=\"wall\"><data encoding=\"csv\">{}1</data></layer>", "0,".repeat(34));
    refused("a.tmx", &tmx("orthogonal", &in_groups(&tiles)), &["layer \"wall\"", "offset"]);
    let back = format!("<group offsetx=\"-16\" offsety=\"-32\">{}</group>", in_groups(&tiles));
    refused("a.tmx", &tmx("orthogonal", &back), &["layer \"wall\"", "offset"]);
    let back = back.replace("=\"-16\"", "=\"-32\"");
    assert_eq!(walls(&level("a.tmx", &tmx("orthogonal", &back))), [[6, 4]]);

    let layers = "{\"type\":\"group\",\"name\":\"G\",\"offsetx\":16,\"layers\":[\
         {\"type\":\"objectgroup\",\"name\":\"o\",\"objects\":[\
         {\"id\":1,\"type\":\"wall\",\"x\":0,\"y\":16,\"width\":16,\"height\":16}]}]}";
    assert_eq!(walls(&level("a.tmj", &tmj("", layers))), [[1, 1]]);
}

#[test]
fn offsets_of_isometric_maps_are_those_of_the_picture() {
    // Half a tile to the right and half a tile down: the next cell along x.
    let group = format!("<group offsetx=\"16\" offsety=\"8\">{RECTANGLE}</group>");
    assert_eq!(walls(&level("a.tmx", &tmx("isometric", &group))), [[1, 1]]);
    // A whole tile down: the next cell along both.
    let layer = RECTANGLE.replace("name=\"o\"", "name=\"o\" offsety=\"16\"");
    assert_eq!(walls(&level("a.tmx", &tmx("isometric", &layer))), [[1, 2]]);
}

/// A tileset: tile 0 is a wall by its class, 1 by a property, 2 a start, 3 nothing.
fn tileset(more: &str) -> String {
    format!(
        "<tileset firstgid=\"1\" name=\"t\" {more}><tile id=\"0\" type=\"wall\"/><tile id=\"1\">\
         <properties><property name=\"wall\" value=\"true\"/></properties></tile>\
         <tile id=\"2\" class=\"Player\"/></tileset>"
    )
}

fn tile_object(gid: u32, more: &str, inner: &str) -> String {
    format!(
        "<objectgroup name=\"o\"><object id=\"1\" type=\"wall\" x=\"0\" y=\"0\" width=\"1\" \
         height=\"1\"/><object id=\"7\" gid=\"{gid}\" x=\"32\" y=\"48\" width=\"16\" \
         height=\"16\" {more}>{inner}</object></objectgroup>"
    )
}

#[test]
fn objects_are_what_their_tiles_are() {
    let read = |gid: u32, more: &str, inner: &str| {
        level("a.tmx", &tmx("orthogonal", &(tileset("") + &tile_object(gid, more, inner))))
    };
    let flipped = 1 << 31;
    for gid in [1, 2, 1 | flipped] {
        assert_eq!(walls(&read(gid, "", "")), [[0, 0], [2, 2]], "{gid}");
    }
    for gid in [3, 3 | flipped] {
        let map = read(gid, "", "");
        assert_eq!((&map.layers().starts[..], walls(&map)), (&[[0, 2, 2]][..], vec![[0, 0]]));
    }
    assert_eq!(walls(&read(4, "", "")), [[0, 0]]);
    // What an object says itself counts.
    assert_eq!(walls(&read(1, "type=\"tree\"", "")), [[0, 0]]);
    let no = "<properties><property name=\"wall\" value=\"false\"/></properties>";
    assert_eq!(walls(&read(2, "", no)), [[0, 0]]);
    let goal = read(3, "type=\"goal\"", "");
    assert_eq!((goal.layers().starts.len(), &goal.layers().goals[..]), (0, &[[0, 2, 2]][..]));
    // A picture that is turned covers no whole cells, nor does one over diamonds.
    for (orientation, more) in [("orthogonal", "rotation=\"30\""), ("isometric", "")] {
        let text = tmx(orientation, &(tileset("") + &tile_object(1, more, "")));
        refused("a.tmx", &text, &["layer \"o\", object 7", "rectangle"]);
    }
    let tiles = "{\"firstgid\":1,\"name\":\"t\",\"tiles\":[{\"id\":0,\"type\":\"start\"},\
                 {\"id\":1,\"class\":\"wall\"}]}";
    let object = |gid: u32| {
        format!("{{\"id\":{gid},\"gid\":{gid},\"x\":32,\"y\":48,\"width\":16,\"height\":16}}")
    };
    let layers = format!(
        "{{\"type\":\"objectgroup\",\"name\":\"o\",\"objects\":[{},{}]}}",
        object(1),
        object(2)
    );
    let map = level("a.tmj", &tmj(tiles, &layers));
    assert_eq!((&map.layers().starts[..], walls(&map)), (&[[0, 2, 2]][..], vec![[2, 2]]));
}

/// A property of a tileset holds for tiles that it does not list, too, up to the next tileset.
#[test]
fn what_a_tileset_says_all_of_its_tiles_say() {
    let sets = "<tileset firstgid=\"1\" name=\"t\"><properties><property name=\"wall\" \
                value=\"true\"/></properties><tile id=\"1\"><properties><property name=\"wall\" \
                value=\"false\"/></properties></tile></tileset>\
                <tileset firstgid=\"9\" name=\"u\"/>";
    let layer = format!(
        "<layer name=\"l\"><data encoding=\"csv\">1,2,3,{},9,0{}</data></layer>",
        7 | 1u32 << 31,
        ",0".repeat(29)
    );
    let object = "<objectgroup name=\"o\"><object id=\"1\" gid=\"4\" x=\"96\" y=\"80\" \
                  width=\"16\" height=\"16\"/></objectgroup>";
    let map = level("a.tmx", &tmx("orthogonal", &format!("{sets}{layer}{object}")));
    assert_eq!(walls(&map), [[0, 0], [2, 0], [3, 0], [6, 4]]);
    let sets =
        "{\"firstgid\":1,\"name\":\"t\",\"properties\":[{\"name\":\"wall\",\"value\":true}]}";
    let cells = [vec![0; 34], vec![5]].concat();
    let layers = format!("{{\"type\":\"tilelayer\",\"name\":\"l\",\"data\":{cells:?}}}");
    assert_eq!(walls(&level("a.tmj", &tmj(sets, &layers))), [[6, 4]]);
}

#[test]
fn objects_lie_as_their_tilesets_align_them() {
    let cells = [
        ("topleft", [2, 3]),
        ("top", [1, 3]),
        ("topright", [1, 3]),
        ("left", [2, 2]),
        ("center", [1, 2]),
        ("right", [1, 2]),
        ("bottomleft", [2, 2]),
        ("bottom", [1, 2]),
        ("bottomright", [1, 2]),
        ("unspecified", [2, 2]),
    ];
    for (alignment, [x, y]) in cells {
        // A little to the right and below, so that no middle lies between cells.
        let object = tile_object(3, "", "").replace("\"32\"", "\"29\"").replace("48", "49");
        let object = if matches!(alignment, "left" | "topleft" | "bottomleft" | "unspecified") {
            object.replace("\"29\"", "\"33\"")
        } else {
            object
        };
        let object = if matches!(alignment, "left" | "center" | "right") {
            object.replace("49", "47")
        } else {
            object
        };
        let aligned = tileset(&format!("objectalignment=\"{alignment}\""));
        let map = level("a.tmx", &tmx("orthogonal", &(aligned + &object)));
        assert_eq!(map.layers().starts, [[0, y, x]], "{alignment}");
    }
    let topleft = tileset("objectalignment=\"topleft\"");
    let wall = level("a.tmx", &tmx("orthogonal", &(topleft.clone() + &tile_object(1, "", ""))));
    assert_eq!(walls(&wall), [[0, 0], [2, 3]]);
    // Turned by a quarter about its upper left corner, it lies to the left of it.
    let turned = topleft + &tile_object(3, "rotation=\"90\"", "");
    let turned = level("a.tmx", &tmx("orthogonal", &turned));
    assert_eq!(turned.layers().starts, [[0, 3, 1]]);
    // On diamonds a place is the foot of its picture, which is the corner that they align by.
    for (alignment, cell) in [("unspecified", [0, 3, 2]), ("bottom", [0, 3, 2]), ("top", [0, 4, 3])]
    {
        let aligned = tileset(&format!("objectalignment=\"{alignment}\""));
        let map = level("a.tmx", &tmx("isometric", &(aligned + &tile_object(3, "", ""))));
        assert_eq!(map.layers().starts, [cell], "{alignment}");
    }
    let odd = tmx("orthogonal", &tileset("objectalignment=\"middle\""));
    refused("a.tmx", &odd, &["tileset \"t\"", "objectalignment", "\"middle\""]);
    let odd = tmj("{\"firstgid\":1,\"name\":\"t\",\"objectalignment\":\"middle\"}", "");
    refused("a.tmj", &odd, &["tileset \"t\"", "objectalignment", "\"middle\""]);
}

#[test]
fn capsules_are_no_rectangles() {
    let object = "<objectgroup name=\"o\"><object id=\"7\" type=\"wall\" x=\"0\" y=\"0\" \
                  width=\"48\" height=\"32\"><capsule/></object></objectgroup>";
    refused("a.tmx", &tmx("orthogonal", object), &["layer \"o\", object 7", "rectangle"]);
    let layers = "{\"type\":\"objectgroup\",\"name\":\"o\",\"objects\":[{\"id\":7,\"type\":\"wall\",\
                  \"x\":0,\"y\":0,\"width\":48,\"height\":32,\"capsule\":true}]}";
    refused("a.tmj", &tmj("", layers), &["layer \"o\", object 7", "rectangle"]);
}

/// A project of one level of 3 x 2 cells: a layer of values of this name, these names of
/// the values 1 and 2, and tiles by rules: 3 is a wall, 4 none, 5 slow, 6 a wall by its enum tag.
fn ldtk(layer: &str, names: [&str; 2], values: [i32; 6], tiles: &[([i32; 2], i32)]) -> String {
    let tiles = tiles.iter().map(|([x, y], t)| {
        format!("{{\"px\":[{},{}],\"src\":[0,0],\"f\":0,\"t\":{t},\"d\":[],\"a\":1}}", 8 * x, 8 * y)
    });
    let tiles = tiles.collect::<Vec<_>>().join(",");
    format!(
        "{{\"defs\":{{\"layers\":[{{\"uid\":1,\"intGridValues\":[\
         {{\"value\":1,\"identifier\":\"{}\"}},{{\"value\":2,\"identifier\":\"{}\"}}]}}],\
         \"tilesets\":[{{\"uid\":5,\"customData\":[{{\"tileId\":3,\"data\":\"wall\"}},\
         {{\"tileId\":4,\"data\":\"wall = false\"}},{{\"tileId\":5,\"data\":\"speed = 0.5\"}}],\
         \"enumTags\":[{{\"enumValueId\":\"wall\",\"tileIds\":[6]}}]}}]}},\
         \"levels\":[{{\"identifier\":\"A\",\"layerInstances\":[{{\"__identifier\":\"{layer}\",\
         \"__cWid\":3,\"__cHei\":2,\"__gridSize\":8,\"layerDefUid\":1,\"__tilesetDefUid\":5,\
         \"intGridCsv\":{values:?},\"autoLayerTiles\":[{tiles}]}}]}}]}}",
        names[0], names[1]
    )
}

#[test]
fn tiles_by_rules_say_what_values_leave_open() {
    let read = |layer, names, values, tiles: &[_]| {
        let map = level("a.ldtk", &ldtk(layer, names, values, tiles));
        let speeds = map.layers().speeds.as_ref();
        let slow = |speeds: &ndarray::Array3<f64>| {
            let cells = speeds.indexed_iter().filter(|(_, speed)| **speed == 0.5);
            cells.map(|((_, y, x), _)| [x, y]).collect::<Vec<_>>()
        };
        (walls(&map), speeds.map(slow).unwrap_or_default())
    };
    let none: Vec<[usize; 2]> = Vec::new();
    // By custom data and by a tag, also where no value is: a rule may draw there.
    let tiles = [([0, 0], 3), ([1, 1], 6), ([2, 1], 3), ([1, 0], 5)];
    assert_eq!(
        read("Ground", ["rock", "grass"], [1, 2, 2, 2, 1, 0], &tiles),
        (vec![[0, 0], [1, 1], [2, 1]], vec![[1, 0]])
    );
    // A value's own name counts; each tile adds what it leaves open.
    let tiles = [([0, 0], 4), ([0, 0], 5), ([1, 0], 3)];
    assert_eq!(
        read("Ground", ["wall", "speed_50"], [1, 2, 0, 0, 0, 0], &tiles),
        (vec![[0, 0], [1, 0]], vec![[0, 0], [1, 0]])
    );
    // A layer's name says the least, and nothing of cells without a value.
    let tiles = [([0, 0], 4), ([2, 0], 5), ([2, 0], 9)];
    assert_eq!(
        read("walls", ["rock", "grass"], [1, 2, 0, 0, 0, 0], &tiles),
        (vec![[1, 0]], vec![[2, 0]])
    );
    assert_eq!(read("walls", ["rock", "grass"], [0; 6], &[([0, 0], 9)]), (none, vec![]));
}

const FLOOR: ImportOptions =
    ImportOptions { cell: Some(1.0), level: None, view: View::Floor, up: import::Up::Y };

/// One face with these corners, as an `.obj`: `order` says in which order it names them.
fn face(corners: &[[f64; 2]], order: impl Iterator<Item = usize>) -> String {
    let mut text = String::new();
    for [x, z] in corners {
        text += &format!("v {x} 0 {z}\n");
    }
    text.push('f');
    order.for_each(|corner| text += &format!(" {}", corner + 1));
    text
}

/// Whether a face names its corners forwards, from which on.
fn orders(corners: usize) -> impl Iterator<Item = (bool, usize)> {
    (0..2 * corners).map(move |i| (i < corners, i % corners))
}

fn ordered(corners: &[[f64; 2]], (forwards, first): (bool, usize)) -> String {
    let n = corners.len();
    face(corners, (0..n).map(move |i| if forwards { (first + i) % n } else { (first + n - i) % n }))
}

#[test]
fn a_notch_of_a_face_is_no_ground() {
    let l = [[0., 0.], [8., 0.], [8., 2.], [2., 2.], [2., 8.], [0., 8.]];
    // With points in the middle of edges, as a cut through a neighbour leaves them.
    let u = [
        [0., 0.],
        [4., 0.],
        [9., 0.],
        [9., 7.],
        [6., 7.],
        [6., 3.],
        [5., 3.],
        [3., 3.],
        [3., 7.],
        [1., 7.],
        [0., 7.],
    ];
    let arrow = [[0., 0.], [5., 8.], [0., 3.], [-5., 8.]];
    let in_l = |x: usize, y: usize| x < 2 || y < 2;
    let in_u = |x: usize, y: usize| y < 3 || !(3..6).contains(&x);
    for order in orders(l.len()) {
        let map = read_as("a.obj", &ordered(&l, order), &FLOOR).unwrap();
        assert_eq!(flat(&map), Array2::from_shape_fn((8, 8), |(y, x)| !in_l(x, y)), "{order:?}");
    }
    for order in orders(u.len()) {
        let map = read_as("a.obj", &ordered(&u, order), &FLOOR).unwrap();
        assert_eq!(flat(&map), Array2::from_shape_fn((7, 9), |(y, x)| !in_u(x, y)), "{order:?}");
    }
    // As voxels, the side on which its cells lie depends on the winding, and on nothing else.
    let voxels = ImportOptions { view: View::Voxels, ..FLOOR };
    for corners in [&l[..], &u, &arrow] {
        for forwards in [true, false] {
            let all = (0..corners.len()).map(|first| {
                let map = read_as("a.obj", &ordered(corners, (forwards, first)), &voxels).unwrap();
                map.walls(Class::Ground)
            });
            let all: Vec<_> = all.collect();
            assert!(all.iter().all(|walls| *walls == all[0]), "{corners:?}");
        }
    }
}

#[test]
fn faces_that_cross_themselves_or_have_no_area_are_refused() {
    let faces = [
        // A bow tie, a star of five points, one that touches itself, one that folds back.
        (&[[0., 0.], [4., 4.], [4., 0.], [0., 5.]][..], "cross"),
        (&[[0., 4.], [2., -3.], [-4., 1.], [4., 1.], [-2., -3.]], "cross"),
        (&[[0., 0.], [4., 0.], [2., 4.], [2., 0.], [1., 4.]], "cross"),
        (&[[0., 0.], [4., 0.], [4., 4.], [4., 2.], [2., 4.], [0., 4.]], "cross"),
        (&[[0., 0.], [1., 1.], [2., 2.], [4., 4.]], "area"),
        (&[[1., 1.], [1., 1.], [1., 1.], [1., 1.]], "area"),
    ];
    for (corners, what) in faces {
        let line = format!("line {}", corners.len() + 1);
        for order in orders(corners.len()) {
            refused("a.obj", &ordered(corners, order), &[&line, "face", what]);
        }
    }
    // A corner that is named twice in a row is one corner.
    let square = [[0., 0.], [3., 0.], [3., 2.], [0., 2.]];
    let map = read_as("a.obj", &face(&square, [0, 1, 1, 2, 3, 0].into_iter()), &FLOOR).unwrap();
    assert_eq!(flat(&map), Array2::from_elem((2, 3), false));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// A cell is ground exactly where its centre lies in the polygon.
    #[test]
    fn a_face_covers_its_polygon(
        radii in prop::collection::vec(1.0_f64..12.0, 4..24),
        teeth in prop::collection::vec(1.5_f64..12.0, 2..8),
        comb in any::<bool>(),
        first in any::<prop::sample::Index>(),
        forwards in any::<bool>(),
    ) {
        let corners: Vec<[f64; 2]> = if comb {
            let teeth = teeth.iter().zip((0..).map(|i| 3.0 * f64::from(i)));
            let up = teeth.clone().flat_map(|(tall, x)| [[x, 1.0], [x, *tall], [x + 2.3, *tall], [x + 2.3, 1.0]]);
            let last = teeth.clone().last().map_or(0.0, |(_, x)| x + 2.3);
            up.chain([[last, 0.0], [0.0, 0.0]]).collect()
        } else {
            let part = std::f64::consts::TAU / radii.len() as f64;
            radii.iter().zip(0..).map(|(r, i)| {
                let (sin, cos) = (part * f64::from(i)).sin_cos();
                [r * cos, r * sin]
            }).collect()
        };
        let order = (forwards, first.index(corners.len()));
        let map = read_as("a.obj", &ordered(&corners, order), &FLOOR).unwrap();
        let low = [0, 1].map(|axis| corners.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min));
        for ((y, x), &wall) in flat(&map).indexed_iter() {
            let at = [x as f64 + 0.5 + low[0], y as f64 + 0.5 + low[1]];
            let (mut inside, mut nearest) = (false, f64::INFINITY);
            for (i, a) in corners.iter().enumerate() {
                let b = corners[(i + 1) % corners.len()];
                let along = [b[0] - a[0], b[1] - a[1]];
                let to = [at[0] - a[0], at[1] - a[1]];
                let square = along[0] * along[0] + along[1] * along[1];
                let share = ((to[0] * along[0] + to[1] * along[1]) / square).clamp(0.0, 1.0);
                nearest = nearest.min((to[0] - share * along[0]).hypot(to[1] - share * along[1]));
                if (a[1] > at[1]) != (b[1] > at[1]) {
                    inside ^= a[0] + to[1] / along[1] * along[0] > at[0];
                }
            }
            // Points near the grid are moved onto it.
            prop_assert!(nearest < 1e-3 || wall != inside, "{x}, {y}: {corners:?}");
        }
    }
}

#[test]
fn a_group_does_not_end_an_object_that_is_a_place() {
    let floor = "v 0 0 0\nv 9 0 0\nv 9 0 9\nv 0 0 9\no floor\nf 1 2 3 4\n";
    let place = "v 4 0 6\nv 5 0 6\nv 4 0 7\n";
    let read = |more: &str| read_as("a.obj", &format!("{floor}{place}{more}"), &FLOOR);
    for more in [
        "o start\ng something\nf 5 6 7",
        "g something\no start\ng\nf 5 6 7\no other",
        "o start\nf 5 6 7\ng other",
        "g start\nf 5 6 7\ng other",
        "o other\ng start\nf 5 6 7",
        "g start\no start\nf 5 6 7",
    ] {
        let map = read(more).unwrap_or_else(|e| panic!("{more}: {e}"));
        assert_eq!(map.layers().starts, [[0, 6, 4]], "{more}");
    }
    let name = |more: &str| read(more).expect_err(more).to_string();
    for more in ["o start", "o mark_a\no start\nf 5 6 7", "g goal\ng start\nf 5 6 7"] {
        let (error, word) = (name(more), more[2..].lines().next().unwrap());
        assert!(error.contains("line 10"), "{error}");
        assert!(error.contains(word.trim_start_matches("mark_")), "{error}");
        assert!(error.contains("no triangles"), "{error}");
    }
}

#[test]
fn a_layer_of_an_infinite_map_may_have_no_chunk() {
    let xml = "<layer name=\"wall\"><data encoding=\"csv\"><chunk x=\"-2\" y=\"0\" width=\"2\" \
               height=\"1\">0,1</chunk></data></layer>\
               <layer name=\"art\"><data encoding=\"csv\">\n</data></layer>";
    let xml = tmx("orthogonal", xml).replace("<map ", "<map infinite=\"1\" ");
    let json = "{\"type\":\"tilelayer\",\"name\":\"wall\",\"chunks\":[{\"x\":-2,\"y\":0,\
                \"width\":2,\"height\":1,\"data\":[0,1]}]},\
                {\"type\":\"tilelayer\",\"name\":\"art\",\"chunks\":[]}";
    let json = tmj("", json).replacen('{', "{\"infinite\":true,", 1);
    for map in [level("a.tmx", &xml), level("a.tmj", &json)] {
        assert_eq!((map.shape(), walls(&map)), ([1, 1, 2], vec![[1, 0]]));
    }
}

#[test]
fn a_tileset_that_has_grown_leaves_the_next_one_its_numbers() {
    // The first one had two tiles when the map was saved, and has five now: its tiles 2 and 4 are
    // not those that the map calls 3 and 5.
    let wall = "<properties><property name=\"wall\" value=\"true\"/></properties>";
    let sets = format!(
        "<tileset firstgid=\"1\" name=\"a\"><tile id=\"1\">{wall}</tile><tile id=\"2\">{wall}</tile>\
         <tile id=\"4\">{wall}</tile></tileset><tileset firstgid=\"3\" name=\"b\"/>"
    );
    let row = "2,3,4,5,0,0,0";
    let rest = ",0,0,0,0,0,0,0".repeat(4);
    let layer = format!("<layer name=\"x\"><data encoding=\"csv\">{row}{rest}</data></layer>");
    let map = level("a.tmx", &tmx("orthogonal", &(sets + &layer)));
    assert_eq!(walls(&map), [[0, 0]]);
}

#[test]
fn a_tile_that_its_rule_shifts_belongs_to_the_cell_that_it_covers_most_of() {
    let tiles = [([0, 0], 3), ([1, 1], 3)];
    let straight = ldtk("Ground", ["rock", "grass"], [0; 6], &tiles);
    for (px, shifted) in [("[0,0]", "[-3,2]"), ("[8,8]", "[5,11]"), ("[0,0]", "[-7,-5]")] {
        let map = level("a.ldtk", &straight.replace(px, shifted));
        assert_eq!(walls(&map), [[0, 0], [1, 1]], "{shifted}");
    }
    // Of the level, it covers the last column only.
    let map = level("a.ldtk", &straight.replace("[8,8]", "[21,8]"));
    assert_eq!(walls(&map), [[0, 0], [2, 1]]);
}

#[test]
fn the_name_of_an_object_may_hold_spaces() {
    let mesh =
        |name: &str| format!("v 0 0 0\nv 9 0 0\nv 9 0 9\no floor\nf 1 2 3\no {name}\nf 1 2 3");
    let places = |name: &str| read_as("a.obj", &mesh(name), &FLOOR).unwrap().layers().marks.len();
    // A goal post is no goal.
    assert_eq!(["goal post", "goal", "Goal 2", "mark_old bridge"].map(places), [0, 1, 1, 1]);
}

/// A picture of heights, 4 x 3 cells of a byte, with these tags: their numbers and their values.
fn tif(doubles: &[(u16, &[f64])], shorts: &[(u16, &[u16])], no_data: Option<&str>) -> Vec<u8> {
    use tiff::encoder::{TiffEncoder, colortype::Gray8};
    use tiff::tags::Tag;
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut file = TiffEncoder::new(&mut bytes).unwrap();
    let mut image = file.new_image::<Gray8>(4, 3).unwrap();
    let tags = image.encoder();
    for (tag, values) in doubles {
        tags.write_tag(Tag::from_u16_exhaustive(*tag), *values).unwrap();
    }
    for (tag, values) in shorts {
        tags.write_tag(Tag::from_u16_exhaustive(*tag), *values).unwrap();
    }
    if let Some(text) = no_data {
        tags.write_tag(Tag::GdalNodata, text).unwrap();
    }
    image.write_data(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]).unwrap();
    bytes.into_inner()
}

fn read_tif(bytes: Vec<u8>) -> Result<MapFile, ImportError> {
    let files = Files::from([("a.tif".to_owned(), bytes)]);
    import::read_from(&Store::Memory(files.into()), Path::new("a.tif"), &ImportOptions::default())
}

const SCALE: u16 = 33550;
const MATRIX: u16 = 34264;
const KEYS: u16 = 34735;
const GEOGRAPHIC: [u16; 12] = [1, 1, 0, 2, 1024, 0, 1, 2, 1025, 0, 1, 1];

#[test]
fn a_small_picture_of_heights_has_its_cells_and_holes() {
    // The tags are larger than the heights.
    let map = read_tif(tif(&[(SCALE, &[30.0, 30.0, 0.0])], &[], Some("5"))).unwrap();
    assert_eq!((map.layers().cell_size, walls(&map)), (Some(30.0), vec![[1, 1]]));
}

#[test]
fn heights_lie_as_their_matrix_says_or_are_refused() {
    let turned = |x: f64, y: f64, aslant: f64| {
        let matrix = [x, aslant, 0.0, 5e5, aslant, y, 0.0, 4e6, 0., 0., 0., 0., 0., 0., 0., 1.];
        read_tif(tif(&[(MATRIX, &matrix)], &[], None))
    };
    assert_eq!(turned(10.0, -10.0, 0.0).unwrap().layers().cell_size, Some(10.0));
    for (x, y, aslant) in
        [(10.0, 10.0, 0.0), (7.0, -7.0, 7.0), (10.0, -20.0, 0.0), (-1.0, 1.0, 0.0)]
    {
        let error = turned(x, y, aslant).expect_err("not north up").to_string();
        assert!(error.contains("northern") && error.contains(&format!("{y:?}")), "{error}");
    }
}

#[test]
fn degrees_are_no_length() {
    let bytes = tif(&[(SCALE, &[0.25, 0.25, 0.0])], &[(KEYS, &GEOGRAPHIC)], None);
    let folder = Folder::new();
    folder.file("a.tif", &bytes);
    let relief = |cell| {
        let options = ImportOptions { cell, ..ImportOptions::default() };
        import::read_relief(&folder.path("a.tif"), &options)
    };
    let error = relief(None).expect_err("no side").to_string();
    assert!(error.contains("0.25 degrees") && error.contains("--cell"), "{error}");
    assert_eq!(relief(Some(30.0)).unwrap().heights.cell_size, None);
    // A scenario has a spacing of its own.
    let map = "{ file = \"a.tif\", spacing = 30 }";
    let scene = format!(
        "name = \"a\"\nsteps = 1\nuntil = \"last-step\"\nmap = {map}\n\
         evaders = [{{ start = [0, 0] }}]\npursuers = [{{ start = [30, 0], speed = 1 }}]\n"
    );
    folder.file("a.toml", scene);
    let scenario = scenario::load(&folder.path("a.toml").to_string_lossy()).unwrap();
    world::Live::new(&scenario, None).unwrap();

    let projected = GEOGRAPHIC.map(|word| if word == 2 { 1 } else { word });
    let file = tif(&[(SCALE, &[0.25, 0.25, 0.0])], &[(KEYS, &projected)], None);
    assert_eq!(read_tif(file).unwrap().layers().cell_size, Some(0.25));
}

#[test]
fn heights_are_not_turned_over() {
    let error = read_tif(tif(&[], &[(262, &[0])], None)).expect_err("white is 0").to_string();
    assert!(error.contains("WhiteIsZero"), "{error}");
}
