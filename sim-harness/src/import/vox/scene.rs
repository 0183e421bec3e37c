//! The chunks of a `.vox` file, and where its graph of nodes puts the models.

use super::super::ImportError;
use super::super::source::{Source, quoted};
use super::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The most models that a scene shows: a model may stand in many places.
const MOST_PLACED: usize = 1 << 16;
/// The most nodes that are looked at, each as often as it is shown: groups that name a group twice,
/// one in the other, would be as many as two to the power of their depth.
const MOST_VISITED: usize = 1 << 20;
/// `[units: voxels]` How far a node may move its contents.
const FARTHEST: i64 = 1 << 24;

/// The parts of the file that are read.
#[derive(Default)]
pub(super) struct Chunks {
    pub(super) models: Vec<Model>,
    nodes: BTreeMap<u32, Node>,
    hidden_layers: BTreeSet<i32>,
}

enum Node {
    Transform { name: Rc<str>, hidden: bool, layer: i32, child: u32, frame: Placed },
    Group(Vec<u32>),
    Shape(Vec<u32>),
}

/// A model where it stands: row by row which axis it comes from and with which sign, and the
/// offset.
#[derive(Clone)]
pub(super) struct Placed {
    pub(super) model: usize,
    /// The name of the nearest node above that has one.
    pub(super) name: Rc<str>,
    pub(super) axes: [usize; 3],
    pub(super) signs: [i64; 3],
    pub(super) offset: [i64; 3],
}

/// The bytes of a chunk.
struct Reader<'a> {
    rest: &'a [u8],
}

type Found<T> = Result<T, String>;
type Attributes = BTreeMap<String, String>;

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Found<&'a [u8]> {
        let short = || format!("ends after {} of {count} bytes", self.rest.len());
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or_else(short)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn u32(&mut self) -> Found<u32> {
        let bytes = self.bytes(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A count of things of at least `least` bytes each.
    fn count(&mut self, least: usize) -> Found<usize> {
        let count = self.u32()? as usize;
        if count > self.rest.len() / least {
            return Err(format!("says {count} entries, its {} bytes hold fewer", self.rest.len()));
        }
        Ok(count)
    }

    fn text(&mut self) -> Found<String> {
        let length = self.count(1)?;
        Ok(String::from_utf8_lossy(self.bytes(length)?).into_owned())
    }

    fn attributes(&mut self) -> Found<Attributes> {
        let count = self.count(8)?;
        (0..count).map(|_| Ok((self.text()?, self.text()?))).collect()
    }
}

impl Chunks {
    pub(super) fn read(source: &Source) -> Result<Self, ImportError> {
        let mut file = Reader { rest: &source.bytes };
        let head = |what: String| source.error("the head of the file", what);
        if file.bytes(4).map_err(head)? != b"VOX " {
            return Err(head("must begin with `VOX `".to_owned()));
        }
        file.u32().map_err(head)?;
        if file.bytes(4).map_err(head)? != b"MAIN" {
            return Err(head("the first chunk must be MAIN".to_owned()));
        }
        let own = file.u32().map_err(head)? as usize;
        let children = file.u32().map_err(head)? as usize;
        file.bytes(own).map_err(head)?;
        let mut chunks = Self::default();
        let mut main = Reader { rest: file.bytes(children).map_err(head)? };
        let mut size = None;
        while !main.rest.is_empty() {
            let at = source.bytes.len() - file.rest.len() - main.rest.len();
            let id = main.bytes(4).map_err(head)?.to_owned();
            let fail =
                |what| source.error(format!("chunk {} at byte {at}", id.escape_ascii()), what);
            let own = main.u32().map_err(fail)? as usize;
            let children = main.u32().map_err(fail)? as usize;
            let mut chunk = Reader { rest: main.bytes(own).map_err(fail)? };
            main.bytes(children).map_err(fail)?;
            chunks.take(&id, &mut chunk, &mut size).map_err(fail)?;
        }
        Ok(chunks)
    }

    fn take(
        &mut self,
        id: &[u8],
        chunk: &mut Reader<'_>,
        size: &mut Option<[u32; 3]>,
    ) -> Found<()> {
        match id {
            b"SIZE" => {
                let found = [chunk.u32()?, chunk.u32()?, chunk.u32()?];
                if found.iter().any(|n| !(1..=256).contains(n)) {
                    return Err(format!("the size {found:?} must be 1 to 256 along each axis"));
                }
                *size = Some(found);
            }
            b"XYZI" => {
                let size = size.take().ok_or("has no SIZE before it")?;
                let count = chunk.count(4)?;
                let mut voxels = Vec::with_capacity(count);
                for voxel in chunk.bytes(4 * count)?.chunks_exact(4) {
                    let voxel = [voxel[0], voxel[1], voxel[2]];
                    if (0..3).any(|axis| u32::from(voxel[axis]) >= size[axis]) {
                        return Err(format!("the voxel {voxel:?} lies outside its size {size:?}"));
                    }
                    voxels.push(voxel);
                }
                self.models.push(Model { size, voxels });
            }
            b"nTRN" => {
                let (id, attributes) = (chunk.u32()?, chunk.attributes()?);
                let child = chunk.u32()?;
                chunk.u32()?;
                let layer = chunk.u32()? as i32;
                let frames = chunk.count(4)?;
                let frame = if frames == 0 { Attributes::new() } else { chunk.attributes()? };
                let node = Node::Transform {
                    name: attributes.get("_name").map_or("", String::as_str).into(),
                    hidden: attributes.get("_hidden").is_some_and(|hidden| hidden == "1"),
                    layer,
                    child,
                    frame: Placed::of(&frame)?,
                };
                self.nodes.insert(id, node);
            }
            b"nGRP" => {
                let (id, _) = (chunk.u32()?, chunk.attributes()?);
                let count = chunk.count(4)?;
                let children = (0..count).map(|_| chunk.u32()).collect::<Found<_>>()?;
                self.nodes.insert(id, Node::Group(children));
            }
            b"nSHP" => {
                let (id, _) = (chunk.u32()?, chunk.attributes()?);
                let count = chunk.count(8)?;
                let mut models = Vec::new();
                for _ in 0..count {
                    models.push(chunk.u32()?);
                    chunk.attributes()?;
                }
                // Only the first frame of an animation.
                models.truncate(1);
                self.nodes.insert(id, Node::Shape(models));
            }
            b"LAYR" => {
                let (id, attributes) = (chunk.u32()?, chunk.attributes()?);
                if attributes.get("_hidden").is_some_and(|hidden| hidden == "1") {
                    self.hidden_layers.insert(id as i32);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Placed {
    fn standing(model: usize, offset: [i64; 3]) -> Self {
        Self { model, name: Rc::from(""), axes: [0, 1, 2], signs: [1; 3], offset }
    }

    fn of(frame: &Attributes) -> Found<Self> {
        let mut placed = Self::standing(0, [0; 3]);
        if let Some(text) = frame.get("_t") {
            let numbers: Option<Vec<i64>> =
                text.split_ascii_whitespace().map(|n| n.parse().ok()).collect();
            let numbers = numbers.filter(|n| n.iter().all(|v: &i64| v.abs() <= FARTHEST));
            let what =
                || format!("the offset {} must be three numbers within +-2^24", quoted(text));
            placed.offset = numbers.and_then(|n| n.try_into().ok()).ok_or_else(what)?;
        }
        if let Some(text) = frame.get("_r") {
            let what = || format!("{} is no rotation", quoted(text));
            let byte: u8 = text.trim().parse().map_err(|_| what())?;
            let [first, second] = [byte & 3, byte >> 2 & 3].map(usize::from);
            if first == second || first > 2 || second > 2 {
                return Err(what());
            }
            placed.axes = [first, second, 3 - first - second];
            placed.signs = [4, 5, 6].map(|bit| if byte >> bit & 1 == 0 { 1 } else { -1 });
        }
        Ok(placed)
    }

    /// This, moved and turned by the node above it.
    fn under(&self, above: &Self) -> Self {
        Self {
            model: self.model,
            name: if self.name.is_empty() { above.name.clone() } else { self.name.clone() },
            axes: std::array::from_fn(|row| self.axes[above.axes[row]]),
            signs: std::array::from_fn(|row| above.signs[row] * self.signs[above.axes[row]]),
            offset: std::array::from_fn(|row| {
                above.offset[row] + above.signs[row] * self.offset[above.axes[row]]
            }),
        }
    }
}

/// All models that are shown. A file without nodes shows all its models, each in the same corner.
pub(super) fn placed(source: &Source, chunks: &Chunks) -> Result<Vec<Placed>, ImportError> {
    let mut shown = Vec::new();
    if chunks.nodes.is_empty() {
        let corner = |model: &Model| model.size.map(|n| i64::from(n) / 2);
        let models = chunks.models.iter().enumerate();
        return Ok(models.map(|(i, model)| Placed::standing(i, corner(model))).collect());
    }
    // The root is node 0. Nodes that are nested deeper than there are nodes go round in a circle.
    let mut open = vec![(0, Placed::standing(0, [0; 3]), 0)];
    let mut visited = 0;
    while let Some((id, above, depth)) = open.pop() {
        let fail = |what: &str| Err(source.error(format!("node {id}"), what));
        if depth > chunks.nodes.len() {
            return fail("it lies in itself");
        }
        visited += 1;
        if visited > MOST_VISITED {
            return fail("more than 2^20 nodes are shown");
        }
        match chunks.nodes.get(&id) {
            None => return fail("it is named as a child, but is not in the file"),
            Some(Node::Group(children)) => {
                if open.len() + shown.len() + children.len() > MOST_PLACED {
                    return fail("more than 2^16 models are shown");
                }
                open.extend(children.iter().map(|&child| (child, above.clone(), depth + 1)));
            }
            Some(Node::Transform { name, hidden, layer, child, frame }) => {
                if *hidden || chunks.hidden_layers.contains(layer) {
                    continue;
                }
                let mut frame = frame.under(&above);
                if !name.is_empty() {
                    frame.name.clone_from(name);
                }
                if frame.offset.iter().any(|v| v.abs() > FARTHEST) {
                    return fail("it lies beyond +-2^24");
                }
                open.push((*child, frame, depth + 1));
            }
            Some(Node::Shape(models)) => {
                for &model in models {
                    let model = model as usize;
                    if model >= chunks.models.len() {
                        return fail("it shows a model that is not in the file");
                    }
                    shown.push(Placed { model, ..above.clone() });
                }
            }
        }
    }
    Ok(shown)
}
