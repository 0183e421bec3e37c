//! XML of Tiled, turned into the form of its JSON.

use super::super::ImportError;
use super::super::source::{Source, quoted};
use super::model::{Chunk, Data, Layer, Object, Property, Shape, Tile, TiledMap, Tileset};
use roxmltree::{Document, Node, ParsingOptions};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::str::FromStr;

/// The most elements and texts of a file.
const MOST_NODES: u32 = 1 << 24;
/// How deep groups may lie; they are read one in the other.
const MOST_DEEP: usize = 64;

pub(super) fn map(source: &Source) -> Result<TiledMap, ImportError> {
    root(source, "map", |xml, node| {
        Ok(TiledMap {
            orientation: node.attribute("orientation").unwrap_or("orthogonal").to_owned(),
            infinite: xml.number::<u32>(node, "infinite", Some(0))? == 1,
            width: xml.number(node, "width", None)?,
            height: xml.number(node, "height", None)?,
            tilewidth: xml.number(node, "tilewidth", None)?,
            tileheight: xml.number(node, "tileheight", None)?,
            tilesets: xml.each(node, "tileset", Xml::tileset)?,
            layers: xml.layers(node, 0)?,
        })
    })
}

#[allow(clippy::redundant_closure, reason = "the method itself is not general enough")]
pub(super) fn tileset(source: &Source) -> Result<Tileset, ImportError> {
    root(source, "tileset", |xml, node| Xml::tileset(xml, node))
}

fn root<T>(
    source: &Source,
    name: &str,
    read: impl Fn(&Xml<'_>, Node<'_, '_>) -> Result<T, ImportError>,
) -> Result<T, ImportError> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(source.text()?, options)
        .map_err(|e| source.error("XML", e.to_string()))?;
    let node = document.root_element();
    if node.tag_name().name() != name {
        let what =
            format!("the outermost element must be <{name}>, found <{}>", node.tag_name().name());
        return Err(source.error("XML", what));
    }
    read(&Xml { source }, node)
}

struct Xml<'a> {
    source: &'a Source,
}

impl Xml<'_> {
    fn error(&self, node: Node<'_, '_>, what: impl Into<String>) -> ImportError {
        let line = node.document().text_pos_at(node.range().start).row;
        self.source.error(format!("line {line}: <{}>", node.tag_name().name()), what)
    }

    fn number<T: FromStr>(
        &self,
        node: Node<'_, '_>,
        name: &str,
        default: Option<T>,
    ) -> Result<T, ImportError> {
        match (node.attribute(name), default) {
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.error(node, format!("{name} is missing"))),
            (Some(text), _) => text.trim().parse().map_err(|_| {
                self.error(
                    node,
                    format!("{name} must be a number in its range, found {}", quoted(text)),
                )
            }),
        }
    }

    fn each<T>(
        &self,
        node: Node<'_, '_>,
        name: &str,
        read: impl Fn(&Self, Node<'_, '_>) -> Result<T, ImportError>,
    ) -> Result<Vec<T>, ImportError> {
        children(node, name).map(|child| read(self, child)).collect()
    }

    fn tileset(&self, node: Node<'_, '_>) -> Result<Tileset, ImportError> {
        Ok(Tileset {
            firstgid: self.number(node, "firstgid", Some(0))?,
            name: text(node, "name"),
            source: node.attribute("source").map(str::to_owned),
            objectalignment: text(node, "objectalignment"),
            tiles: self.each(node, "tile", Self::tile)?,
            properties: properties(node),
        })
    }

    fn tile(&self, node: Node<'_, '_>) -> Result<Tile, ImportError> {
        Ok(Tile {
            id: self.number(node, "id", None)?,
            class: class(node),
            properties: properties(node),
            objectgroup: self.each(node, "objectgroup", |xml, group| xml.layer(group, 0))?.pop(),
        })
    }

    fn layers(&self, node: Node<'_, '_>, depth: usize) -> Result<Vec<Layer>, ImportError> {
        let is_layer = |n: &Node<'_, '_>| {
            matches!(n.tag_name().name(), "layer" | "objectgroup" | "imagelayer" | "group")
        };
        node.children().filter(is_layer).map(|child| self.layer(child, depth)).collect()
    }

    fn layer(&self, node: Node<'_, '_>, depth: usize) -> Result<Layer, ImportError> {
        if depth > MOST_DEEP {
            return Err(self.error(node, format!("groups lie more than {MOST_DEEP} deep")));
        }
        let tag = node.tag_name().name();
        let kind = if tag == "layer" { "tilelayer" } else { tag };
        let mut layer = Layer {
            kind: kind.to_owned(),
            name: text(node, "name"),
            class: class(node),
            offsetx: self.number(node, "offsetx", Some(0.0))?,
            offsety: self.number(node, "offsety", Some(0.0))?,
            objects: self.each(node, "object", Self::object)?,
            properties: properties(node),
            ..Layer::default()
        };
        if tag == "group" {
            layer.layers = self.layers(node, depth + 1)?;
        }
        if let Some(data) = children(node, "data").next() {
            layer.encoding = text(data, "encoding");
            layer.compression = text(data, "compression");
            layer.chunks = self.each(data, "chunk", Self::chunk)?;
            layer.data = self.data(data)?;
        }
        Ok(layer)
    }

    fn chunk(&self, node: Node<'_, '_>) -> Result<Chunk, ImportError> {
        Ok(Chunk {
            x: self.number(node, "x", None)?,
            y: self.number(node, "y", None)?,
            width: self.number(node, "width", None)?,
            height: self.number(node, "height", None)?,
            data: self.data(node)?,
        })
    }

    /// Text, or an element for each tile.
    fn data(&self, node: Node<'_, '_>) -> Result<Data, ImportError> {
        let tiles = self.each(node, "tile", |xml, tile| xml.number(tile, "gid", Some(0)))?;
        if tiles.is_empty() {
            return Ok(Data::Text(node.text().unwrap_or("").to_owned()));
        }
        Ok(Data::Numbers(tiles))
    }

    fn object(&self, node: Node<'_, '_>) -> Result<Object, ImportError> {
        let has = |name| children(node, name).next().map(|_| IgnoredAny);
        Ok(Object {
            id: self.number(node, "id", Some(0))?,
            name: text(node, "name"),
            class: class(node),
            x: self.number(node, "x", Some(0.0))?,
            y: self.number(node, "y", Some(0.0))?,
            width: self.number(node, "width", Some(0.0))?,
            height: self.number(node, "height", Some(0.0))?,
            rotation: self.number(node, "rotation", Some(0.0))?,
            gid: node.attribute("gid").map(|_| self.number(node, "gid", None)).transpose()?,
            template: node.attribute("template").map(str::to_owned),
            properties: properties(node),
            shape: Shape {
                ellipse: has("ellipse"),
                capsule: has("capsule"),
                polygon: has("polygon"),
                polyline: has("polyline"),
                text: has("text"),
            },
        })
    }
}

fn properties(node: Node<'_, '_>) -> Vec<Property> {
    let lists = children(node, "properties").flat_map(|list| children(list, "property"));
    let read = |property: Node<'_, '_>| {
        // A value of several lines is the element's text.
        let value = property.attribute("value").or(property.text()).unwrap_or("");
        Property { name: text(property, "name"), value: Value::String(value.to_owned()) }
    };
    lists.map(read).collect()
}

fn children<'a, 'input>(
    node: Node<'a, 'input>,
    name: &str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn text(node: Node<'_, '_>, name: &str) -> String {
    node.attribute(name).unwrap_or("").to_owned()
}

/// Tiled 1.9 called the type of tiles and objects their class.
fn class(node: Node<'_, '_>) -> String {
    node.attribute("class").or(node.attribute("type")).unwrap_or("").to_owned()
}
