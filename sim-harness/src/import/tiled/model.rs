//! The parts of a map of Tiled that are read. The fields are named as in JSON.

use super::super::source::quoted;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

#[derive(Default, Deserialize)]
pub(super) struct TiledMap {
    pub(super) orientation: String,
    #[serde(default)]
    pub(super) infinite: bool,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) tilewidth: u32,
    pub(super) tileheight: u32,
    #[serde(default)]
    pub(super) tilesets: Vec<Tileset>,
    #[serde(default)]
    pub(super) layers: Vec<Layer>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tileset {
    pub(super) firstgid: u32,
    pub(super) name: String,
    /// The file that holds it, where the map does not.
    pub(super) source: Option<String>,
    /// Where the own corner of an object lies that shows one of its tiles.
    pub(super) objectalignment: String,
    pub(super) tiles: Vec<Tile>,
    pub(super) properties: Vec<Property>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tile {
    pub(super) id: u32,
    #[serde(alias = "type")]
    pub(super) class: String,
    pub(super) properties: Vec<Property>,
    /// Its collision shapes.
    pub(super) objectgroup: Option<Layer>,
}

#[derive(Default, Deserialize)]
pub(super) struct Property {
    pub(super) name: String,
    #[serde(default)]
    pub(super) value: serde_json::Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Layer {
    /// tilelayer, objectgroup, imagelayer or group.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) class: String,
    pub(super) offsetx: f64,
    pub(super) offsety: f64,
    pub(super) encoding: String,
    pub(super) compression: String,
    pub(super) data: Data,
    pub(super) chunks: Vec<Chunk>,
    pub(super) objects: Vec<Object>,
    pub(super) layers: Vec<Layer>,
    pub(super) properties: Vec<Property>,
}

#[derive(Default, Deserialize)]
pub(super) struct Chunk {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: u32,
    pub(super) height: u32,
    #[serde(default)]
    pub(super) data: Data,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Object {
    pub(super) id: u32,
    pub(super) name: String,
    #[serde(alias = "type")]
    pub(super) class: String,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) rotation: f64,
    /// The tile of an object that is one.
    pub(super) gid: Option<u32>,
    pub(super) template: Option<String>,
    pub(super) properties: Vec<Property>,
    #[serde(flatten)]
    pub(super) shape: Shape,
}

/// The shape of an object that is no rectangle.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Shape {
    pub(super) ellipse: Option<serde::de::IgnoredAny>,
    pub(super) capsule: Option<serde::de::IgnoredAny>,
    pub(super) polygon: Option<serde::de::IgnoredAny>,
    pub(super) polyline: Option<serde::de::IgnoredAny>,
    pub(super) text: Option<serde::de::IgnoredAny>,
}

/// The tiles of a layer or chunk: numbers, or text that holds them.
pub(super) enum Data {
    Numbers(Vec<u32>),
    Text(String),
}

impl Default for Data {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Data;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of tile numbers or text that holds them")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Data, E> {
                Ok(Data::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Data, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element()? {
                    numbers.push(number);
                }
                Ok(Data::Numbers(numbers))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl Tileset {
    pub(super) fn name_or_source(&self) -> String {
        self.source.clone().unwrap_or_else(|| self.name.clone())
    }
}

impl Layer {
    /// How errors call it.
    pub(super) fn place(&self) -> String {
        format!("layer {}", quoted(&self.name))
    }
}

impl Property {
    /// Its value as XML would write it.
    pub(super) fn text(&self) -> String {
        self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned)
    }
}
