//! Wavefront `.obj`: points, faces, names of objects, groups and materials. The rest does not
//! matter to walls.
//!
//! Materials are known by their names alone, so no other file is read; the crate `tobj` knows them
//! only through one, and names no line in its errors.

use super::super::ImportError;
use super::super::names::{Facts, Role};
use super::super::source::{Source, quoted};
use super::Mesh;
use super::columns::Triangle;
use super::polygon;
use std::collections::BTreeMap;

pub(super) fn read(source: &Source) -> Result<Mesh, ImportError> {
    let mut mesh = Mesh::default();
    let mut points: Vec<[f64; 3]> = Vec::new();
    let mut materials = BTreeMap::new();
    let mut material = u32::MAX;
    let mut open: Option<Place> = None;
    for (number, line) in (1..).zip(source.text()?.lines()) {
        let fail = |what: String| source.error(format!("line {number}"), what);
        let line = line.split('#').next().unwrap_or_default();
        let mut fields = line.split_ascii_whitespace();
        match fields.next() {
            Some("v") => {
                let numbers = fields.map(str::parse).take(3).collect::<Result<Vec<f64>, _>>();
                let point = numbers.ok().filter(|p| p.iter().all(|v| v.is_finite()));
                let point = point.and_then(|p| <[f64; 3]>::try_from(p).ok());
                let what = || fail(format!("must be v and three numbers, found {}", quoted(line)));
                points.push(point.ok_or_else(what)?);
            }
            Some("f") => {
                let corners = fields.map(|field| corner(field, points.len()));
                let corners = corners.collect::<Result<Vec<usize>, _>>().map_err(fail)?;
                if corners.len() < 3 {
                    return Err(fail(format!(
                        "a face has three corners or more, found {}",
                        corners.len()
                    )));
                }
                let corners: Vec<[f64; 3]> = corners.into_iter().map(|c| points[c]).collect();
                let triangles = match corners.len() {
                    3 => vec![[0, 1, 2]],
                    _ => polygon::triangles(&corners).map_err(fail)?,
                };
                for three in triangles {
                    let points = three.map(|corner| corners[corner]);
                    mesh.add(Triangle { points, material }).map_err(fail)?;
                }
            }
            Some(word @ ("o" | "g")) => {
                let of_object = word == "o";
                // The groups of an object are parts of it.
                if !of_object && open.as_ref().is_some_and(|place| place.of_object) {
                    continue;
                }
                // The name of an object may hold spaces; groups are several names.
                let name = if of_object {
                    line.trim_ascii()[1..].trim_ascii()
                } else {
                    fields.next().unwrap_or_default()
                };
                let place = Role::of_node(name);
                let first = mesh.triangles.len();
                // Some programs write a group of the same name before each object.
                let again = |open: &Place| Some((open.role, &*open.name)) == place;
                if let Some(open) = open.take().filter(|open| open.first < first || !again(open)) {
                    open.close(source, &mut mesh)?;
                }
                open = place.map(|(role, name)| {
                    // What makes a place of triangles removes them.
                    let (name, first) = (name.to_owned(), mesh.triangles.len());
                    Place { role, name, of_object, line: number, first }
                });
            }
            Some("usemtl") => {
                let name = fields.next().unwrap_or_default();
                material = *materials.entry(name.to_owned()).or_insert_with(|| {
                    mesh.materials.push(Facts::of_name(name));
                    mesh.materials.len() as u32 - 1
                });
            }
            _ => {}
        }
    }
    if let Some(open) = open {
        open.close(source, &mut mesh)?;
    }
    Ok(mesh)
}

/// The place that faces belong to.
struct Place {
    role: Role,
    name: String,
    /// An object names it, not a group.
    of_object: bool,
    /// Where it is named.
    line: usize,
    /// The first of its triangles.
    first: usize,
}

impl Place {
    fn close(self, source: &Source, mesh: &mut Mesh) -> Result<(), ImportError> {
        mesh.place((self.role, &self.name), self.first)
            .map_err(|what| source.error(format!("line {}", self.line), what))
    }
}

/// The point of a corner such as `7`, `7/1/3` or, counted from the last, `-1`.
fn corner(field: &str, points: usize) -> Result<usize, String> {
    let index: Option<i64> = field.split('/').next().and_then(|index| index.parse().ok());
    let at = match index {
        Some(index) if index > 0 => usize::try_from(index - 1).ok(),
        Some(index) if index < 0 => {
            usize::try_from(index.unsigned_abs()).ok().and_then(|back| points.checked_sub(back))
        }
        _ => None,
    };
    let what = || format!("the corner {} names no point of the {points} before it", quoted(field));
    at.filter(|&at| at < points).ok_or_else(what)
}
