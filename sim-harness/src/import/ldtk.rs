//! LDtk's projects, by the fields that its format documents for games.
//!
//! Only these are read, so projects of all versions from 1.0 on will do; a crate with all of the
//! schema's types refuses a project that lacks a field of another version.

use super::ImportError;
use super::draft::Draft;
use super::names::{Facts, Role, is_heights};
use super::source::{Source, json, quoted};
use crate::maps::MapFile;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Deserialize)]
struct Project {
    #[serde(default)]
    defs: Definitions,
    #[serde(default)]
    levels: Vec<Level>,
    #[serde(default)]
    worlds: Vec<World>,
}

#[derive(Deserialize)]
struct World {
    #[serde(default)]
    levels: Vec<Level>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Definitions {
    layers: Vec<LayerDefinition>,
    tilesets: Vec<TilesetDefinition>,
}

#[derive(Deserialize)]
struct LayerDefinition {
    uid: i64,
    #[serde(default, rename = "intGridValues")]
    values: Vec<ValueDefinition>,
}

#[derive(Deserialize)]
struct ValueDefinition {
    value: i64,
    identifier: Option<String>,
}

#[derive(Deserialize)]
struct TilesetDefinition {
    uid: i64,
    #[serde(default, rename = "customData")]
    custom: Vec<CustomData>,
    #[serde(default, rename = "enumTags")]
    tags: Vec<EnumTag>,
}

#[derive(Deserialize)]
struct CustomData {
    #[serde(rename = "tileId")]
    tile: i64,
    data: String,
}

#[derive(Deserialize)]
struct EnumTag {
    #[serde(rename = "enumValueId")]
    value: String,
    #[serde(rename = "tileIds")]
    tiles: Vec<i64>,
}

#[derive(Deserialize)]
struct Level {
    identifier: String,
    #[serde(rename = "externalRelPath")]
    external: Option<String>,
    #[serde(rename = "layerInstances")]
    layers: Option<Vec<Layer>>,
}

#[derive(Deserialize)]
struct Layer {
    #[serde(rename = "__identifier")]
    name: String,
    #[serde(rename = "__cWid")]
    width: u64,
    #[serde(rename = "__cHei")]
    height: u64,
    #[serde(rename = "__gridSize")]
    side: u32,
    #[serde(default, rename = "__pxTotalOffsetX")]
    offset_x: i64,
    #[serde(default, rename = "__pxTotalOffsetY")]
    offset_y: i64,
    #[serde(rename = "layerDefUid")]
    definition: i64,
    #[serde(rename = "__tilesetDefUid")]
    tileset: Option<i64>,
    #[serde(default, rename = "intGridCsv")]
    values: Vec<i64>,
    #[serde(default, rename = "gridTiles")]
    tiles: Vec<TileInstance>,
    #[serde(default, rename = "autoLayerTiles")]
    auto_tiles: Vec<TileInstance>,
    #[serde(default, rename = "entityInstances")]
    entities: Vec<Entity>,
}

#[derive(Deserialize)]
struct TileInstance {
    px: [i64; 2],
    t: i64,
}

#[derive(Deserialize)]
struct Entity {
    #[serde(rename = "__identifier")]
    kind: String,
    #[serde(rename = "__pivot", default)]
    pivot: [f64; 2],
    px: [f64; 2],
    #[serde(default)]
    width: f64,
    #[serde(default)]
    height: f64,
    #[serde(default, rename = "fieldInstances")]
    fields: Vec<Field>,
}

#[derive(Deserialize)]
struct Field {
    #[serde(rename = "__identifier")]
    name: String,
    #[serde(default, rename = "__value")]
    value: Value,
}

pub(super) fn read(source: &Source, wanted: Option<&str>) -> Result<MapFile, ImportError> {
    let mut project: Project = json(source, &source.bytes)?;
    let mut levels = std::mem::take(&mut project.levels);
    levels.extend(project.worlds.drain(..).flat_map(|world| world.levels));
    let at = match wanted {
        None => (!levels.is_empty()).then_some(0),
        Some(name) => levels.iter().position(|level| level.identifier == name),
    };
    let Some(at) = at else {
        let names: Vec<String> = levels.iter().map(|level| quoted(&level.identifier)).collect();
        let wanted = wanted.map_or_else(String::new, |name| format!("called {}", quoted(name)));
        return Err(
            source.file_error(format!("it has no level {wanted}; levels: {}", names.join(", ")))
        );
    };
    let level = levels.swap_remove(at);
    let name = level.identifier.clone();
    match (level.layers, &level.external) {
        (Some(layers), _) => build(source, &project.defs, &name, &layers),
        (None, Some(relative)) => {
            let file = source.beside(&format!("level {}", quoted(&name)), relative)?;
            let level: Level = json(&file, &file.bytes)?;
            let layers = level.layers.unwrap_or_default();
            build(&file, &project.defs, &name, &layers)
        }
        (None, None) => {
            Err(source
                .error(format!("level {}", quoted(&name)), "it has neither layers nor a file"))
        }
    }
}

/// What the values of a grid or the tiles of a tileset say, by their numbers.
#[derive(Default)]
struct Meanings {
    facts: BTreeMap<i64, Facts>,
    /// Whether one of them says something of walls.
    walls: bool,
}

impl Meanings {
    fn of(mut facts: BTreeMap<i64, Facts>) -> Self {
        facts.retain(|_, facts| !facts.is_empty());
        let walls = facts.values().any(|facts| facts.wall.is_some());
        Self { facts, walls }
    }

    fn of_values(definition: &LayerDefinition) -> Self {
        let values = definition.values.iter();
        let known =
            values.filter_map(|v| Some((v.value, Facts::of_name(v.identifier.as_deref()?))));
        Self::of(known.collect())
    }

    fn of_tiles(source: &Source, set: &TilesetDefinition) -> Result<Self, ImportError> {
        let mut tiles = BTreeMap::<i64, Facts>::new();
        for custom in &set.custom {
            let facts = facts_of_text(&custom.data).map_err(|what| {
                source.error(format!("tileset {}, tile {}", set.uid, custom.tile), what)
            })?;
            tiles.insert(custom.tile, facts);
        }
        for tag in &set.tags {
            let of_tag = Facts::of_name(&tag.value);
            for &tile in &tag.tiles {
                let facts = tiles.entry(tile).or_default();
                *facts = facts.or(of_tag);
            }
        }
        Ok(Self::of(tiles))
    }
}

/// The facts of the cells of one layer.
struct Sayings<'a> {
    layer: &'a Layer,
    place: String,
    /// Facts by value of the grid. Layers share them.
    values: Rc<Meanings>,
    of_layer: Facts,
    tiles: Rc<Meanings>,
}

impl Sayings<'_> {
    fn says_anything(&self) -> bool {
        let numbers = !self.layer.values.is_empty();
        let tiles = !(self.layer.tiles.is_empty() && self.layer.auto_tiles.is_empty());
        let of_layer = !self.of_layer.is_empty() || is_heights(&self.layer.name);
        (numbers && (of_layer || !self.values.facts.is_empty()))
            || (tiles && (of_layer || !self.tiles.facts.is_empty()))
    }

    fn of_value(&self, value: i64) -> Facts {
        let alone = self.of_value_alone(value);
        let by_layer = value != 0 && !is_heights(&self.layer.name);
        alone.or(if by_layer { self.of_layer } else { Facts::default() })
    }

    /// As [`Self::of_value`], but without what the layer's name says of all values.
    fn of_value_alone(&self, value: i64) -> Facts {
        if is_heights(&self.layer.name) {
            return Facts { height: Some(value as f64), ..Facts::default() };
        }
        if value == 0 {
            return Facts::default();
        }
        self.values.facts.get(&value).copied().unwrap_or_default()
    }

    fn says_walls(&self) -> bool {
        self.of_layer.wall.is_some() || self.values.walls || self.tiles.walls
    }
}

/// `wall`, `speed = 0.5` and the like, one a line.
fn facts_of_text(text: &str) -> Result<Facts, String> {
    let mut facts = Facts::default();
    for line in text.lines() {
        match line.split_once(['=', ':']) {
            Some((name, value)) => facts.set(name, value)?,
            None => facts = facts.or(Facts::of_name(line)),
        }
    }
    Ok(facts)
}

fn build(
    source: &Source,
    definitions: &Definitions,
    name: &str,
    layers: &[Layer],
) -> Result<MapFile, ImportError> {
    let (mut values, mut tiles) = (BTreeMap::new(), BTreeMap::new());
    for definition in definitions.layers.iter().rev() {
        values.insert(definition.uid, Rc::new(Meanings::of_values(definition)));
    }
    // A tileset that no layer shows may say what it likes.
    let shown: BTreeSet<i64> = layers.iter().filter_map(|layer| layer.tileset).collect();
    for set in definitions.tilesets.iter().filter(|set| shown.contains(&set.uid)) {
        tiles.insert(set.uid, Rc::new(Meanings::of_tiles(source, set)?));
    }
    // The file lists the upper layer first; the upper one counts.
    let sayings = layers.iter().rev().map(|layer| Sayings {
        layer,
        place: format!("level {}, layer {}", quoted(name), quoted(&layer.name)),
        values: values.get(&layer.definition).cloned().unwrap_or_default(),
        of_layer: Facts::of_name(&layer.name),
        tiles: layer.tileset.and_then(|uid| tiles.get(&uid)).cloned().unwrap_or_default(),
    });
    let sayings: Vec<_> = sayings.collect();
    let place = format!("level {}", quoted(name));
    let Some(first) = sayings.iter().find(|s| s.says_anything() && s.says_walls()) else {
        let names: Vec<String> = layers.iter().map(|layer| quoted(&layer.name)).collect();
        let what = format!(
            "nothing says where walls are: call a value of an IntGrid layer, or the layer, wall; layers: {}",
            names.join(", ")
        );
        return Err(source.error(place, what));
    };
    let side = first.layer.side;
    let size = [first.layer.width, first.layer.height];
    if side == 0 {
        return Err(source.error(&first.place, "__gridSize must be at least 1"));
    }
    let mut draft = Draft::new(source, &first.place, 2, [1, size[1], size[0]])?;
    for sayings in sayings.iter().filter(|s| s.says_anything()) {
        let layer = sayings.layer;
        if layer.side != side || [layer.width, layer.height] != size {
            let what = format!(
                "it has {} x {} cells of {}, {} has {} x {} of {side}: layers that say something of cells need the same grid",
                layer.width, layer.height, layer.side, first.place, size[0], size[1]
            );
            return Err(source.error(&sayings.place, what));
        }
        if layer.offset_x != 0 || layer.offset_y != 0 {
            return Err(
                source.error(&sayings.place, "it is shifted by an offset; set the offset to 0")
            );
        }
        paint(source, sayings, &mut draft)?;
    }
    for layer in layers {
        place_entities(source, name, layer, side, &mut draft)?;
    }
    Ok(draft.finish(format!("{}:{name}", source.name())))
}

fn paint(source: &Source, sayings: &Sayings<'_>, draft: &mut Draft) -> Result<(), ImportError> {
    let Sayings { layer, place, .. } = sayings;
    let [_, height, width] = draft.shape();
    if !layer.values.is_empty() {
        if layer.values.len() != width * height {
            let what = format!(
                "intGridCsv has {} values, {width} x {height} cells have {}",
                layer.values.len(),
                width * height
            );
            return Err(source.error(place, what));
        }
        for (i, &value) in layer.values.iter().enumerate() {
            let facts = sayings.of_value(value);
            if facts.height.is_some_and(|height| !super::names::is_height(height)) {
                return Err(source.error(place, format!("the height {value} is beyond +-1e9")));
            }
            draft.set([0, i / width, i % width], facts);
        }
    }
    for tile in layer.tiles.iter().chain(&layer.auto_tiles) {
        let facts = sayings.tiles.facts.get(&tile.t).copied().unwrap_or_default();
        let of_layer = if layer.values.is_empty() { sayings.of_layer } else { Facts::default() };
        let facts = facts.or(of_layer);
        if facts.is_empty() {
            continue;
        }
        let cell = [0, 1].map(|axis| {
            let cells = [width, height][axis] as i64;
            covered(tile.px[axis], i64::from(layer.side), cells)
        });
        let [Some(x), Some(y)] = cell else {
            let what = format!("the tile at {}, {} lies outside the level", tile.px[0], tile.px[1]);
            return Err(source.error(place, what));
        };
        // The tiles that an IntGrid layer draws by its rules say what its values leave open.
        let value = layer.values.get(y * width + x).map(|&value| sayings.of_value_alone(value));
        draft.set([0, y, x], facts.besides(value.unwrap_or_default()));
    }
    Ok(())
}

/// Of so many cells along an axis, the one that a tile covers most of: a rule may shift its tiles.
/// `None`: it covers none.
fn covered(px: i64, side: i64, cells: i64) -> Option<usize> {
    let nearest = px.saturating_add(side / 2).div_euclid(side);
    (-side < px && px < cells * side).then(|| nearest.clamp(0, cells - 1) as usize)
}

fn place_entities(
    source: &Source,
    level: &str,
    layer: &Layer,
    side: u32,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    for entity in &layer.entities {
        let Some(role) = Role::of(&entity.kind) else { continue };
        let place = format!(
            "level {}, layer {}, entity {}",
            quoted(level),
            quoted(&layer.name),
            quoted(&entity.kind)
        );
        let field = entity.fields.iter().find(|field| field.name.eq_ignore_ascii_case("name"));
        let name = field.and_then(|field| field.value.as_str()).unwrap_or("");
        let offset = [layer.offset_x as f64, layer.offset_y as f64];
        let size = [entity.width, entity.height];
        // `px` is where the pivot lies: the middle is half a size on from the corner.
        let [x, y] = [0, 1].map(|axis| {
            let middle = entity.px[axis] + offset[axis] + (0.5 - entity.pivot[axis]) * size[axis];
            middle / f64::from(side)
        });
        let put = draft.cell([0.0, y, x]).and_then(|cell| draft.place(role, name, cell));
        put.map_err(|what| source.error(place, what))?;
    }
    Ok(())
}
