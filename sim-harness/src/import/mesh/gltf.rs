//! glTF 2.0: `.gltf` with its buffers beside or within it, and `.glb`.

use super::super::ImportError;
use super::super::names::{Facts, Role};
use super::super::source::{Source, quoted};
use super::Mesh;
use super::columns::Triangle;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Node};
use std::borrow::Cow;

type Matrix = [[f64; 4]; 4];

pub(super) fn read(source: &Source) -> Result<Mesh, ImportError> {
    let Gltf { document, blob } =
        Gltf::from_slice(&source.bytes).map_err(|e| source.error("glTF", e.to_string()))?;
    let buffers = buffers(source, &document, blob.as_deref())?;
    let mut mesh = Mesh {
        materials: document
            .materials()
            .map(|m| Facts::of_name(m.name().unwrap_or_default()))
            .collect(),
        ..Mesh::default()
    };
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let Some(scene) = scene else {
        return Err(source.error("glTF", "it has no scene"));
    };
    const IDENTITY: Matrix =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let mut seen = vec![false; document.nodes().len()];
    let mut open: Vec<(Node<'_>, Matrix)> = scene.nodes().map(|node| (node, IDENTITY)).collect();
    while let Some((node, above)) = open.pop() {
        let place = format!("node {} {}", node.index(), quoted(node.name().unwrap_or_default()));
        if std::mem::replace(&mut seen[node.index()], true) {
            return Err(source.error(place, "it stands in the scene twice"));
        }
        let own = node.transform().matrix().map(|column| column.map(f64::from));
        let matrix = product(&above, &own);
        let mirrored = determinant(&matrix) < 0.0;
        let role = node.name().and_then(Role::of_node);
        if let Some(shape) = node.mesh() {
            let first = mesh.triangles.len();
            for primitive in shape.primitives() {
                let place = format!("{place}, primitive {}", primitive.index());
                let points =
                    points(&buffers, &primitive).map_err(|what| source.error(&place, what))?;
                let points: Vec<[f64; 3]> = points.into_iter().map(|p| moved(&matrix, p)).collect();
                if points.iter().flatten().any(|v| !v.is_finite()) {
                    return Err(source.error(place, "its points must be finite"));
                }
                let material = primitive.material().index().map_or(u32::MAX, |index| index as u32);
                corners(&buffers, &primitive, points.len())
                    .and_then(|corners| {
                        triangles(primitive.mode(), &corners).try_for_each(|[a, b, c]| {
                            let three = if mirrored { [a, c, b] } else { [a, b, c] };
                            mesh.add(Triangle { points: three.map(|at| points[at]), material })
                        })
                    })
                    .map_err(|what| source.error(place, what))?;
            }
            if let Some(role) = role {
                mesh.place(role, first);
            }
        } else if let Some((role, name)) = role {
            mesh.places.push((role, name.to_owned(), moved(&matrix, [0.0; 3])));
        }
        open.extend(node.children().map(|child| (child, matrix)));
    }
    Ok(mesh)
}

/// The bytes of each buffer.
fn buffers<'a>(
    source: &Source,
    document: &Document,
    blob: Option<&'a [u8]>,
) -> Result<Vec<Cow<'a, [u8]>>, ImportError> {
    let read = |buffer: gltf::Buffer<'_>| {
        let place = format!("buffer {}", buffer.index());
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => Cow::Borrowed(blob.unwrap_or_default()),
            gltf::buffer::Source::Uri(uri) => Cow::Owned(match uri.strip_prefix("data:") {
                Some(data) => {
                    let data = data.split_once(";base64,").map(|(_, data)| data);
                    let bytes = data.and_then(|data| STANDARD.decode(data).ok());
                    bytes.ok_or_else(|| source.error(&place, "its data: must be base64"))?
                }
                None if uri.contains("://") => {
                    return Err(source.error(place, "only files are read"));
                }
                None => source.beside(&place, &uri.replace("%20", " "))?.bytes,
            }),
        };
        if bytes.len() < buffer.length() {
            let what = format!("has {} bytes, the file says {}", bytes.len(), buffer.length());
            return Err(source.error(place, what));
        }
        Ok(bytes)
    };
    document.buffers().map(read).collect()
}

/// The bytes of each element of an accessor, of `size` bytes each.
fn elements<'a>(
    buffers: &'a [Cow<'_, [u8]>],
    accessor: &Accessor<'_>,
    size: usize,
) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, String> {
    let what = |what: &str| format!("accessor {}: {what}", accessor.index());
    if accessor.sparse().is_some() {
        return Err(what("sparse accessors are not read"));
    }
    let view = accessor
        .view()
        .ok_or_else(|| what("it has no buffer view; compressed meshes are not read"))?;
    let stride = view.stride().unwrap_or(size).max(1);
    let bytes = buffers.get(view.buffer().index()).and_then(|buffer| {
        let end = view.offset().checked_add(view.length())?;
        let view = buffer.get(view.offset()..end)?;
        let last = accessor.count().checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
        view.get(accessor.offset()..accessor.offset().checked_add(last)?)
    });
    let bytes = bytes.ok_or_else(|| what("it reaches beyond its buffer"))?;
    let count = accessor.count();
    Ok((0..count).map(move |i| &bytes[i * stride..][..size]))
}

fn points(
    buffers: &[Cow<'_, [u8]>],
    primitive: &gltf::Primitive<'_>,
) -> Result<Vec<[f64; 3]>, String> {
    let Some(accessor) = primitive.get(&gltf::Semantic::Positions) else {
        return Err("it has no positions".to_owned());
    };
    if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, Dimensions::Vec3) {
        return Err(format!("accessor {}: positions must be three floats", accessor.index()));
    }
    let float = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let points = elements(buffers, &accessor, 12)?;
    Ok(points.map(|b| [float(b), float(&b[4..]), float(&b[8..])]).collect())
}

/// The numbers of points, in the order in which the primitive takes them.
fn corners(
    buffers: &[Cow<'_, [u8]>],
    primitive: &gltf::Primitive<'_>,
    points: usize,
) -> Result<Vec<usize>, String> {
    let Some(accessor) = primitive.indices() else { return Ok((0..points).collect()) };
    let what = |what: &str| format!("accessor {}: {what}", accessor.index());
    let size = match (accessor.data_type(), accessor.dimensions()) {
        (DataType::U8, Dimensions::Scalar) => 1,
        (DataType::U16, Dimensions::Scalar) => 2,
        (DataType::U32, Dimensions::Scalar) => 4,
        _ => return Err(what("indices must be whole numbers without a sign")),
    };
    let number = |b: &[u8]| b.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
    let corners: Vec<usize> = elements(buffers, &accessor, size)?.map(number).collect();
    match corners.iter().find(|&&corner| corner >= points) {
        Some(corner) => Err(what(&format!("the index {corner} names no point of {points}"))),
        None => Ok(corners),
    }
}

/// Corners by threes; none of points and lines.
fn triangles(mode: Mode, corners: &[usize]) -> Box<dyn Iterator<Item = [usize; 3]> + '_> {
    match mode {
        Mode::Triangles => Box::new(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
        // Every second one goes round the other way.
        Mode::TriangleStrip => Box::new(
            corners
                .windows(3)
                .enumerate()
                .map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }),
        ),
        Mode::TriangleFan => {
            let first = corners.first().copied().unwrap_or_default();
            let rest = corners.get(1..).unwrap_or_default();
            Box::new(rest.windows(2).map(move |c| [first, c[0], c[1]]))
        }
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => {
            Box::new(std::iter::empty())
        }
    }
}

/// Columns first, as glTF has them.
fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let cell = |column: usize, row: usize| (0..4).map(|i| left[i][row] * right[column][i]).sum();
    std::array::from_fn(|column| std::array::from_fn(|row| cell(column, row)))
}

/// Of the part that turns and stretches.
fn determinant([x, y, z, _]: &Matrix) -> f64 {
    x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
}

fn moved(matrix: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|row| {
        matrix[0][row] * x + matrix[1][row] * y + matrix[2][row] * z + matrix[3][row]
    })
}
