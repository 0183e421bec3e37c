//! glTF 2.0: `.gltf` with its buffers beside or within it, and `.glb`.
//!
//! Only nodes, triangles and names are read, as walls need no more. The crate `gltf` looks
//! accessors up by the numbers of the file while it checks them, and panics if one is missing, so
//! it is not for untrusted files.

mod accessor;
mod document;

use super::super::ImportError;
use super::super::names::{Facts, Role};
use super::super::source::{Source, quoted};
use super::columns::Triangle;
use super::{MOST_TRIANGLES, Mesh};
use accessor::Buffers;
use document::{Document, Node, Shape};
use wave_core::glam::{DMat3, DMat4, DVec3};

pub(super) fn read(source: &Source) -> Result<Mesh, ImportError> {
    let (document, blob) = document::read(source)?;
    if let Some(extension) = document.extensions_required.first() {
        let what = format!("the extension {} is required and not known", quoted(extension));
        return Err(source.error("glTF", what));
    }
    let buffers = Buffers::read(source, &document, blob)?;
    let materials = document.materials.iter().map(|material| Facts::of_name(&material.name));
    let mut mesh = Mesh { materials: materials.collect(), ..Mesh::default() };
    let Some(scene) = document.scenes.get(document.scene.unwrap_or(0)) else {
        return Err(source.error("glTF", "it has no scene"));
    };
    let (mut seen, mut shown) = (vec![false; document.nodes.len()], 0);
    let mut open: Vec<_> = scene.nodes.iter().map(|&node| (node, DMat4::IDENTITY)).collect();
    while let Some((index, above)) = open.pop() {
        let Some(node) = document.nodes.get(index) else {
            return Err(source.error(format!("node {index}"), "there is no such node"));
        };
        let place = format!("node {index} {}", quoted(&node.name));
        if std::mem::replace(&mut seen[index], true) {
            return Err(source.error(place, "it stands in the scene twice"));
        }
        let matrix = above * own(node);
        let role = Role::of_node(&node.name);
        if let Some(shape) = node.mesh {
            let first = mesh.triangles.len();
            let shape = document
                .meshes
                .get(shape)
                .ok_or_else(|| source.error(&*place, format!("there is no mesh {shape}")))?;
            shown += shape.primitives.len();
            if shown > MOST_TRIANGLES {
                return Err(source.error(place, "with it, more than 2^22 primitives are shown"));
            }
            add(&document, &buffers, shape, &matrix, &mut mesh)
                .and_then(|()| role.map_or(Ok(()), |role| mesh.place(role, first)))
                .map_err(|what| source.error(place, what))?;
        } else if let Some((role, name)) = role {
            mesh.places.push((role, name.to_owned(), moved(&matrix, [0.0; 3])));
        }
        open.extend(node.children.iter().map(|&child| (child, matrix)));
    }
    Ok(mesh)
}

/// Adds the triangles of a mesh of the document.
fn add(
    document: &Document,
    buffers: &Buffers<'_>,
    shape: &Shape,
    matrix: &DMat4,
    mesh: &mut Mesh,
) -> Result<(), String> {
    let mirrored = DMat3::from_mat4(*matrix).determinant() < 0.0;
    for (i, primitive) in shape.primitives.iter().enumerate() {
        let what = |what: String| format!("primitive {i}: {what}");
        let Some(positions) = primitive.attributes.position else {
            return Err(what("it has no positions".to_owned()));
        };
        let points = buffers.points(document, positions).map_err(what)?;
        let corners = primitive.indices.map(|index| buffers.corners(document, index));
        let corners = corners.transpose().map_err(what)?;
        let count = corners.as_ref().map_or(points.count, |corners| corners.count);
        let point = |at: usize| {
            let corner = corners.as_ref().map_or(Some(at), |corners| corners.corner(at));
            let corner = corner.unwrap_or(usize::MAX);
            let point = points
                .point(corner)
                .ok_or_else(|| format!("the index {corner} names no point of {}", points.count))?;
            let point = moved(matrix, point);
            let is_finite = point.iter().all(|v| v.is_finite());
            if is_finite { Ok(point) } else { Err("its points must be finite".to_owned()) }
        };
        let material = primitive.material.map_or(u32::MAX, |index| index as u32);
        triangles(primitive.mode.unwrap_or(4), count)
            .try_for_each(|[a, b, c]| {
                let [b, c] = if mirrored { [c, b] } else { [b, c] };
                mesh.add(Triangle { points: [point(a)?, point(b)?, point(c)?], material })
            })
            .map_err(what)?;
    }
    Ok(())
}

/// Corners by threes, of so many and by the number of the mode; none of points and lines.
fn triangles(mode: u32, count: usize) -> Box<dyn Iterator<Item = [usize; 3]>> {
    match mode {
        4 => Box::new((0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2])),
        // In a strip, every second triangle goes round the other way.
        5 => Box::new(
            (2..count).map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }),
        ),
        6 => Box::new((2..count).map(|i| [0, i - 1, i])),
        _ => Box::new(std::iter::empty()),
    }
}

/// How a node moves, turns and stretches its contents. A file may give any four numbers for the
/// turn, which glam's own constructors may refuse by a panic.
fn own(node: &Node) -> DMat4 {
    if let Some(m) = &node.matrix {
        return DMat4::from_cols_array(m);
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let axes = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let scale = node.scale.unwrap_or([1.0; 3]);
    let [x, y, z] = [0, 1, 2].map(|i| (DVec3::from(axes[i]) * scale[i]).extend(0.0));
    DMat4::from_cols(x, y, z, DVec3::from(node.translation.unwrap_or_default()).extend(1.0))
}

fn moved(matrix: &DMat4, point: [f64; 3]) -> [f64; 3] {
    (*matrix * DVec3::from(point).extend(1.0)).truncate().into()
}
