//! What an editor means by a part of its file: offsets, alignments, rules, groups, corners.

use ndarray::{Array2, Axis};
use sim_harness::import::{self, Files, ImportError, ImportOptions, Store};
use sim_harness::maps::{Class, MapFile};
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

#[test]
fn capsules_are_no_rectangles() {
    let object = "<objectgroup name=\"o\"><object id=\"7\" type=\"wall\" x=\"0\" y=\"0\" \
                  width=\"48\" height=\"32\"><capsule/></object></objectgroup>";
    refused("a.tmx", &tmx("orthogonal", object), &["layer \"o\", object 7", "rectangle"]);
    let layers = "{\"type\":\"objectgroup\",\"name\":\"o\",\"objects\":[{\"id\":7,\"type\":\"wall\",\
                  \"x\":0,\"y\":0,\"width\":48,\"height\":32,\"capsule\":true}]}";
    refused("a.tmj", &tmj("", layers), &["layer \"o\", object 7", "rectangle"]);
}
