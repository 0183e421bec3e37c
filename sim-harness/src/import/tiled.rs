//! Tiled's maps: `.tmx` (XML) and `.tmj` (JSON), which say the same.
//!
//! Both become a [`TiledMap`] first; here it becomes a level. The crate `tiled` reads XML alone,
//! unpacks layers without a limit and looks tiles up without asking whether a layer has them, so it
//! is not for files of unknown worth.

mod data;
mod model;
mod objects;
mod xml;

use super::ImportError;
use super::draft::Draft;
use super::names::Facts;
use super::source::{Source, json, quoted};
use crate::maps::MapFile;
use model::{Layer, Property, TiledMap, Tileset};
use std::collections::BTreeMap;

/// The number of a tile without its flips and turns.
const TILE: u32 = 0x0fff_ffff;
/// How deep groups of layers may lie in each other.
const MOST_DEEP: usize = 32;

pub(super) fn read_tmx(source: &Source) -> Result<MapFile, ImportError> {
    level(source, xml::map(source)?)
}

pub(super) fn read_tmj(source: &Source) -> Result<MapFile, ImportError> {
    level(source, json(source, &source.bytes)?)
}

/// The tiles of all tilesets that say something.
#[derive(Default)]
struct Tiles {
    /// By the first number of their tileset and their numbers in the map: a tileset that has grown
    /// since the map was saved reaches into the numbers of the next one, which has them still.
    known: BTreeMap<[u32; 2], KnownTile>,
    /// By the first number of each tileset.
    sets: BTreeMap<u32, KnownSet>,
}

struct KnownTile {
    class: String,
    facts: Facts,
    /// Those that do not come from its class, which an object may replace.
    without_class: Facts,
}

struct KnownSet {
    /// Where in its picture an object's own corner lies, as parts of width and height; `None`: as
    /// the map has it.
    corner: Option<[f64; 2]>,
    /// What its tiles say that do not speak for themselves.
    others: KnownTile,
}

impl Tiles {
    fn of(&self, number: u32) -> Option<&KnownTile> {
        let (&first, set) = self.set_of(number)?;
        self.known.get(&[first, number & TILE]).or(Some(&set.others))
    }

    fn corner_of(&self, number: u32) -> Option<[f64; 2]> {
        self.set_of(number).and_then(|(_, set)| set.corner)
    }

    fn set_of(&self, number: u32) -> Option<(&u32, &KnownSet)> {
        self.sets.range(..=number & TILE).next_back()
    }
}

fn level(source: &Source, mut map: TiledMap) -> Result<MapFile, ImportError> {
    if !matches!(&*map.orientation, "orthogonal" | "isometric") {
        let what = "cells must be squares: orthogonal or isometric";
        return Err(
            source.error("map", format!("orientation {}: {what}", quoted(&map.orientation)))
        );
    }
    if map.tilewidth == 0 || map.tileheight == 0 {
        return Err(source.error("map", "tilewidth and tileheight must be at least 1"));
    }
    let mut tiles = Tiles::default();
    for tileset in &map.tilesets {
        add_tiles(source, tileset, &mut tiles)?;
    }
    let mut layers = Vec::new();
    flatten(source, std::mem::take(&mut map.layers), [0.0; 2], 0, &mut layers)?;
    let (corner, size) = bounds(source, &map, &layers)?;
    let mut draft = Draft::new(source, "map", 2, [1, size[1], size[0]])?;
    let mut says_walls = false;
    for layer in &layers {
        match &*layer.kind {
            "tilelayer" => paint(source, layer, &tiles, &map, corner, &mut draft, &mut says_walls)?,
            "objectgroup" => {
                let place = objects::Frame::of(&map, corner);
                objects::place(source, layer, &tiles, &place, &mut draft, &mut says_walls)?;
            }
            _ => {}
        }
    }
    if !says_walls {
        let names: Vec<String> = layers.iter().map(|layer| quoted(&layer.name)).collect();
        return Err(source.file_error(format!(
            "nothing says where walls are: name a layer wall, or give tiles the property wall = true; layers: {}",
            names.join(", ")
        )));
    }
    Ok(draft.finish(source.name()))
}

/// The layers in the order in which they are drawn, without the groups they lie in, but with
/// their offsets: a group at `offset` shifts all that lies in it.
fn flatten(
    source: &Source,
    layers: Vec<Layer>,
    offset: [f64; 2],
    depth: usize,
    all: &mut Vec<Layer>,
) -> Result<(), ImportError> {
    for mut layer in layers {
        layer.offsetx += offset[0];
        layer.offsety += offset[1];
        if layer.kind == "group" {
            if depth == MOST_DEEP {
                let what = format!("groups lie more than {MOST_DEEP} deep in each other");
                return Err(source.error(layer.place(), what));
            }
            let offset = [layer.offsetx, layer.offsety];
            flatten(source, layer.layers, offset, depth + 1, all)?;
        } else {
            all.push(layer);
        }
    }
    Ok(())
}

/// The upper left cell and the size `[x, y]`. An infinite map is as large as the chunks that were
/// drawn in.
fn bounds(
    source: &Source,
    map: &TiledMap,
    layers: &[Layer],
) -> Result<([i64; 2], [u64; 2]), ImportError> {
    if !map.infinite {
        return Ok(([0, 0], [u64::from(map.width), u64::from(map.height)]));
    }
    let chunks = layers.iter().flat_map(|layer| &layer.chunks);
    let (mut low, mut high) = ([i64::MAX; 2], [i64::MIN; 2]);
    for chunk in chunks {
        let at = [i64::from(chunk.x), i64::from(chunk.y)];
        let size = [i64::from(chunk.width), i64::from(chunk.height)];
        for axis in 0..2 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(at[axis] + size[axis]);
        }
    }
    if low[0] >= high[0] || low[1] >= high[1] {
        return Err(source.error("map", "it is infinite and no tile is drawn in it"));
    }
    Ok((low, [0, 1].map(|axis| (high[axis] - low[axis]) as u64)))
}

fn add_tiles(source: &Source, tileset: &Tileset, tiles: &mut Tiles) -> Result<(), ImportError> {
    let first = tileset.firstgid;
    let place = format!("tileset {}", quoted(&tileset.name_or_source()));
    let Some(relative) = &tileset.source else {
        return add_own_tiles(source, &place, first, tileset, tiles);
    };
    let file = source.beside(&place, relative)?;
    let outer = match &*file.ending() {
        "tsx" | "xml" => xml::tileset(&file)?,
        "tsj" | "json" => json(&file, &file.bytes)?,
        _ => return Err(source.error(place, "its file must end in .tsx, .tsj, .xml or .json")),
    };
    if outer.source.is_some() {
        return Err(file.error("tileset", "it refers to another tileset's file"));
    }
    add_own_tiles(&file, "tileset", first, &outer, tiles)
}

fn add_own_tiles(
    source: &Source,
    place: &str,
    first: u32,
    tileset: &Tileset,
    tiles: &mut Tiles,
) -> Result<(), ImportError> {
    let corner = corner(&tileset.objectalignment).map_err(|what| source.error(place, what))?;
    let of_set = facts(source, place, &tileset.properties)?;
    let others = KnownTile { class: String::new(), facts: of_set, without_class: of_set };
    tiles.sets.insert(first, KnownSet { corner, others });
    for tile in &tileset.tiles {
        let place = format!("{place}, tile {}", tile.id);
        let own = facts(source, &place, &tile.properties)?;
        // Drawn in Tiled's editor of collision shapes.
        let has_shape = tile.objectgroup.as_ref().is_some_and(|group| !group.objects.is_empty());
        let rest = of_set.or(Facts { wall: has_shape.then_some(true), ..Facts::default() });
        let known = KnownTile {
            class: tile.class.clone(),
            facts: own.or(Facts::of_name(&tile.class)).or(rest),
            without_class: own.or(rest),
        };
        let Some(number) = first.checked_add(tile.id).filter(|number| number & !TILE == 0) else {
            return Err(source.error(place, format!("its number must be below {TILE}")));
        };
        if !known.facts.is_empty() || !known.class.is_empty() {
            tiles.known.insert([first, number], known);
        }
    }
    Ok(())
}

/// Where an alignment puts an object's own corner: parts of width and height. `None`: as the map
/// has it.
fn corner(alignment: &str) -> Result<Option<[f64; 2]>, String> {
    Ok(Some(match alignment {
        "" | "unspecified" => return Ok(None),
        "topleft" => [0.0, 0.0],
        "top" => [0.5, 0.0],
        "topright" => [1.0, 0.0],
        "left" => [0.0, 0.5],
        "center" => [0.5, 0.5],
        "right" => [1.0, 0.5],
        "bottomleft" => [0.0, 1.0],
        "bottom" => [0.5, 1.0],
        "bottomright" => [1.0, 1.0],
        _ => return Err(format!("objectalignment {} is not known", quoted(alignment))),
    }))
}

fn facts(source: &Source, place: &str, properties: &[Property]) -> Result<Facts, ImportError> {
    let mut facts = Facts::default();
    for property in properties {
        facts.set(&property.name, &property.text()).map_err(|what| source.error(place, what))?;
    }
    Ok(facts)
}

/// Takes over the facts of a layer's tiles, and the facts of the layer for all cells in which it
/// has a tile.
fn paint(
    source: &Source,
    layer: &Layer,
    tiles: &Tiles,
    map: &TiledMap,
    corner: [i64; 2],
    draft: &mut Draft,
    says_walls: &mut bool,
) -> Result<(), ImportError> {
    let place = layer.place();
    let of_layer = facts(source, &place, &layer.properties)?
        .or(Facts::of_name(&layer.name))
        .or(Facts::of_name(&layer.class));
    *says_walls |= of_layer.wall.is_some();
    let [_, height, width] = draft.shape();
    let mut set = |at: [i64; 2], tile: u32, draft: &mut Draft| {
        let tile = tile & TILE;
        let of_tile = tiles.of(tile).map_or_else(Facts::default, |known| known.facts);
        let known = of_tile.or(of_layer);
        if tile == 0 || known.is_empty() {
            return Ok(());
        }
        let [x, y] = [0, 1].map(|axis| at[axis] - corner[axis]);
        let inside = (0..width as i64).contains(&x) && (0..height as i64).contains(&y);
        if !inside {
            return Err(source.error(&place, "a chunk lies outside the map"));
        }
        if layer.offsetx != 0.0 || layer.offsety != 0.0 {
            let what =
                "it is shifted by an offset, so its tiles lie in no cells; set the offset to 0";
            return Err(source.error(&place, what));
        }
        *says_walls |= known.wall.is_some();
        draft.set([0, y as usize, x as usize], known);
        Ok(())
    };
    // A layer of an infinite map in which nothing is drawn has no chunk.
    if layer.chunks.is_empty() && !map.infinite {
        let said = draft.say(width * height);
        let numbers = said.and_then(|()| data::numbers(layer, &layer.data, width * height));
        let numbers = numbers.map_err(|what| source.error(&place, what))?;
        for (i, &tile) in numbers.iter().enumerate() {
            set([(i % width) as i64, (i / width) as i64], tile, draft)?;
        }
    }
    for chunk in &layer.chunks {
        let place = format!("{place}, chunk {},{}", chunk.x, chunk.y);
        let [_, _, wide] =
            source.size(&place, [1, u64::from(chunk.height), u64::from(chunk.width)])?;
        let cells = wide * chunk.height as usize;
        let said = draft.say(cells);
        let numbers = said.and_then(|()| data::numbers(layer, &chunk.data, cells));
        let numbers = numbers.map_err(|what| source.error(&place, what))?;
        for (i, &tile) in numbers.iter().enumerate() {
            let at =
                [i64::from(chunk.x) + (i % wide) as i64, i64::from(chunk.y) + (i / wide) as i64];
            set(at, tile, draft)?;
        }
    }
    Ok(())
}
