//! The parts of a glTF file's JSON that are read, and the container of `.glb`.

use super::super::super::ImportError;
use super::super::super::source::{Source, json};
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Shape>,
    pub(super) materials: Vec<Material>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<View>,
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    #[serde(default)]
    pub(super) name: String,
    pub(super) mesh: Option<usize>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
pub(super) struct Shape {
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Material {
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    /// 5121: u8, 5123: u16, 5125: u32, 5126: f32.
    pub(super) component_type: u32,
    pub(super) count: usize,
    /// SCALAR, VEC3 and others.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: usize,
}

/// The document, and the bytes that a `.glb` holds beside it.
pub(super) fn read(source: &Source) -> Result<(Document, &[u8]), ImportError> {
    if source.ending() != "glb" {
        return Ok((json(source, &source.bytes)?, &[]));
    }
    let fail = |what: &str| source.error("glTF", what);
    let word = |at: usize| {
        let bytes = source.bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    if !source.bytes.starts_with(b"glTF") || word(4) != Some(2) {
        return Err(fail("must begin with `glTF` and version 2"));
    }
    let chunk = |at: usize, kind: &[u8]| {
        let length = word(at)? as usize;
        let is_kind = source.bytes.get(at + 4..at + 8)? == kind;
        let end = (at + 8).checked_add(length)?;
        source.bytes.get(at + 8..end).filter(|_| is_kind)
    };
    let text = chunk(12, b"JSON").ok_or_else(|| fail("its first chunk must be JSON and whole"))?;
    let next = 20 + text.len();
    let blob = if next < source.bytes.len() {
        chunk(next, b"BIN\0").ok_or_else(|| fail("its second chunk must be BIN and whole"))?
    } else {
        &[]
    };
    Ok((json(source, text)?, blob))
}
