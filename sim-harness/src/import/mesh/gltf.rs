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
use super::Mesh;
use super::columns::Triangle;
use accessor::Buffers;
use document::{Document, Node};
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
    let mut seen = vec![false; document.nodes.len()];
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

/// Adds the triangles of the document's mesh number `shape`.
fn add(
    document: &Document,
    buffers: &Buffers<'_>,
    shape: usize,
    matrix: &DMat4,
    mesh: &mut Mesh,
) -> Result<(), String> {
    let mirrored = DMat3::from_mat4(*matrix).determinant() < 0.0;
    let shape = document.meshes.get(shape).ok_or_else(|| format!("there is no mesh {shape}"))?;
    for (i, primitive) in shape.primitives.iter().enumerate() {
        let what = |what: String| format!("primitive {i}: {what}");
        let Some(positions) = primitive.attributes.position else {
            return Err(what("it has no positions".to_owned()));
        };
        let points = buffers.points(document, positions).map_err(what)?;
        let points: Vec<[f64; 3]> = points.into_iter().map(|p| moved(matrix, p)).collect();
        if points.iter().flatten().any(|v| !v.is_finite()) {
            return Err(what("its points must be finite".to_owned()));
        }
        let corners = match primitive.indices {
            Some(indices) => buffers.corners(document, indices, points.len()).map_err(what)?,
            None => (0..points.len()).collect(),
        };
        let material = primitive.material.map_or(u32::MAX, |index| index as u32);
        triangles(primitive.mode.unwrap_or(4), &corners)
            .try_for_each(|[a, b, c]| {
                let three = if mirrored { [a, c, b] } else { [a, b, c] };
                mesh.add(Triangle { points: three.map(|at| points[at]), material })
            })
            .map_err(what)?;
    }
    Ok(())
}

/// Corners by threes, by the number of the mode; none of points and lines.
fn triangles(mode: u32, corners: &[usize]) -> Box<dyn Iterator<Item = [usize; 3]> + '_> {
    match mode {
        4 => Box::new(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
        // In a strip, every second triangle goes round the other way.
        5 => Box::new(
            corners
                .windows(3)
                .enumerate()
                .map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }),
        ),
        6 => {
            let first = corners.first().copied().unwrap_or_default();
            let rest = corners.get(1..).unwrap_or_default();
            Box::new(rest.windows(2).map(move |c| [first, c[0], c[1]]))
        }
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
