//! Meshes: `.obj`, `.gltf` and `.glb`, as cells that triangles pass through or as the ground seen
//! from above.
//!
//! Nodes and objects called `start`, `goal` or `mark_NAME` are places: the middle of their
//! triangles, or the node's own origin where it has no mesh. A place within a wall is lifted to the
//! next free cell above. A material called `speed_50` is ground on which one is half as fast
//! ([`View::Floor`](super::View::Floor) only).

mod columns;
mod gltf;
mod obj;
mod polygon;

use super::draft::Draft;
use super::names::{Facts, Role};
use super::source::{Source, quoted};
use super::{ImportError, ImportOptions, Relief, Up, View};
use crate::maps::MapFile;
use crate::maps::heights::Heightmap;
use columns::{Columns, Triangle};
use ndarray::Array2;

/// The most triangles.
const MOST_TRIANGLES: usize = 1 << 22;
/// The longest side in cells where the size of a cell is left to us.
const CELLS: f64 = 256.0;
/// The largest coordinate.
const FARTHEST: f64 = 1e9;
/// `[units: cells]` How far a point is moved to lie on the grid, at most.
const SNAP: f64 = 1e-4;
/// `[units: cells]` The height that a walker climbs between neighbours; higher is a cliff.
const CLIMB: f64 = 2.0;

/// The contents of a file, in its own axes.
#[derive(Default)]
struct Mesh {
    /// Those of places are taken out again.
    triangles: Vec<Triangle>,
    added: usize,
    /// The facts of each material, by the number in a triangle.
    materials: Vec<Facts>,
    places: Vec<(Role, String, [f64; 3])>,
}

impl Mesh {
    fn add(&mut self, triangle: Triangle) -> Result<(), String> {
        if self.added == MOST_TRIANGLES {
            return Err("the mesh has more than 2^22 triangles".to_owned());
        }
        self.added += 1;
        self.triangles.push(triangle);
        Ok(())
    }

    /// Makes a place of the triangles from the `first` on.
    fn place(&mut self, (role, name): (Role, &str), first: usize) -> Result<(), String> {
        if first == self.triangles.len() {
            return Err(format!("the place {} has no triangles", quoted(name)));
        }
        let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for point in self.triangles.drain(first..).flat_map(|triangle| triangle.points) {
            widen(&mut ends, point);
        }
        let middle = [0, 1, 2].map(|axis| f64::midpoint(ends[0][axis], ends[1][axis]));
        self.places.push((role, name.to_owned(), middle));
        Ok(())
    }
}

fn widen(ends: &mut [[f64; 3]; 2], point: [f64; 3]) {
    for axis in 0..3 {
        ends[0][axis] = ends[0][axis].min(point[axis]);
        ends[1][axis] = ends[1][axis].max(point[axis]);
    }
}

/// A mesh in cells: x, y, z of the map, from its lowest corner on.
struct InCells {
    mesh: Mesh,
    /// `[units: cells]` x first.
    size: [u64; 3],
    cell: f64,
    /// `[units: the mesh's own]` How high the lowest point lies.
    bottom: f64,
}

fn in_cells(source: &Source, options: &ImportOptions) -> Result<InCells, ImportError> {
    let mut mesh = match &*source.ending() {
        "obj" => obj::read(source)?,
        _ => gltf::read(source)?,
    };
    if mesh.triangles.is_empty() {
        return Err(source.file_error("it has no triangles"));
    }
    let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let turn = |p: [f64; 3]| match options.up {
        Up::Y => [p[0], p[2], p[1]],
        Up::Z => p,
    };
    for triangle in &mut mesh.triangles {
        let [a, b, c] = triangle.points.map(turn);
        // Swapping two axes mirrors the mesh; this keeps the outer side outside.
        triangle.points = if options.up == Up::Y { [a, c, b] } else { [a, b, c] };
        triangle.points.iter().for_each(|&point| widen(&mut ends, point));
    }
    let [low, high] = ends;
    if low.iter().chain(&high).any(|v| v.abs() > FARTHEST) {
        return Err(source.file_error("its coordinates must be within +-1e9"));
    }
    let sides = [0, 1, 2].map(|axis| high[axis] - low[axis]);
    let longest = sides.into_iter().fold(0.0, f64::max);
    let cell = options.cell.unwrap_or(if longest > 0.0 { longest / CELLS } else { 1.0 });
    if !(1e-6..=1e6).contains(&cell) {
        return Err(source.error("the side of a cell", format!("{cell:?} must be 1e-6 to 1e6")));
    }
    let size = sides.map(|side| ((side / cell - SNAP).ceil() as u64).max(1));
    // Points that are almost on the grid are put there: half of all meshes are drawn on it, in f32.
    let snap = |v: f64| if (v - v.round()).abs() < SNAP { v.round() } else { v };
    let into = |p: [f64; 3]| [0, 1, 2].map(|axis| snap((p[axis] - low[axis]) / cell));
    for triangle in &mut mesh.triangles {
        triangle.points = triangle.points.map(into);
    }
    for (_, _, at) in &mut mesh.places {
        *at = into(turn(*at));
    }
    Ok(InCells { mesh, size, cell, bottom: low[2] })
}

pub(super) fn read(source: &Source, options: &ImportOptions) -> Result<MapFile, ImportError> {
    let in_cells = in_cells(source, options)?;
    let [x, y, z] = in_cells.size;
    let what = format!("in cells of {}", in_cells.cell);
    let mut draft = match options.view {
        View::Voxels => {
            // A layer below the lowest point: the ground is there, and one stands on it.
            let mut draft = Draft::new(source, &what, 3, [z + 1, y, x])?;
            let columns = Columns::of(source, &in_cells.mesh.triangles, [x, y])?;
            columns.visit(|_, [x, y], ends, normal| {
                for z in columns::cells(ends.map(|z| z + 1.0), normal, z as usize + 1) {
                    draft.walls[[z, y, x]] = true;
                }
            });
            draft
        }
        View::Floor => {
            let mut draft = Draft::new(source, &what, 2, [1, y, x])?;
            let ground = Ground::of(source, &in_cells)?;
            for ((y, x), &height) in ground.heights.indexed_iter() {
                let facts = in_cells.mesh.materials.get(ground.material[[y, x]] as usize);
                let speed = facts.and_then(|facts| facts.speed);
                let wall = Some(ground.is_wall([y, x]));
                draft.set([0, y, x], Facts { wall, speed, height: Some(height) });
            }
            if let Some(heights) = &mut draft.layers.heights {
                heights.mapv_inplace(|height| height * in_cells.cell + in_cells.bottom);
            }
            draft
        }
    };
    draft.layers.cell_size = Some(in_cells.cell);
    for (role, name, at) in &in_cells.mesh.places {
        let cell = cell_of(&draft, *at).and_then(|cell| draft.place(*role, name, cell));
        cell.map_err(|what| source.error(format!("the place {}", quoted(name)), what))?;
    }
    Ok(draft.finish(source.name()))
}

/// The free cell at a place or above it.
fn cell_of(draft: &Draft, [x, y, z]: [f64; 3]) -> Result<[usize; 3], String> {
    let [depth, _, _] = draft.shape();
    if depth == 1 {
        return draft.cell([0.0, y, x]);
    }
    let [first, y, x] = draft.cell([z + 1.0, y, x])?;
    let free = (first..depth).find(|&z| !draft.walls[[z, y, x]]);
    free.map(|z| [z, y, x]).ok_or_else(|| "there is no free cell at it or above it".to_owned())
}

/// Heights for a character that jumps: the highest surface over each cell's centre. A cell without
/// ground is a pit as deep as the mesh's lowest point.
pub(super) fn read_relief(source: &Source, options: &ImportOptions) -> Result<Relief, ImportError> {
    let in_cells = in_cells(source, options)?;
    let [width, height, _] = in_cells.size;
    source.size(&format!("in cells of {}", in_cells.cell), [1, height, width])?;
    let ground = Ground::of(source, &in_cells)?;
    let no_go = Some(ground.heights.map(|height| height.is_nan()));
    let heights = ground.heights.map(|&height| {
        let height = if height.is_nan() { 0.0 } else { height };
        height * in_cells.cell + in_cells.bottom
    });
    let heights = Heightmap { heights, no_go, cell_size: Some(in_cells.cell) };
    let mut relief = Relief::from(heights);
    for (role, name, [x, y, _]) in in_cells.mesh.places {
        let list = match role {
            Role::Start => &mut relief.starts,
            Role::Goal => &mut relief.goals,
            Role::Mark => continue,
        };
        if !(0.0..width as f64).contains(&x) || !(0.0..height as f64).contains(&y) {
            let place = format!("the place {}", quoted(&name));
            return Err(source.error(place, "it lies outside the level"));
        }
        list.push([y as usize, x as usize]);
    }
    Ok(relief)
}

/// The highest surface over each cell's centre.
struct Ground {
    /// `[units: cells]` NaN where there is no ground.
    heights: Array2<f64>,
    material: Array2<u32>,
    /// The surface itself is too steep to walk.
    steep: Array2<bool>,
    /// `[units: cells]` How high steep surfaces reach in a cell.
    steep_top: Array2<f64>,
}

impl Ground {
    fn of(source: &Source, in_cells: &InCells) -> Result<Self, ImportError> {
        let [x, y] = [in_cells.size[0], in_cells.size[1]];
        let columns = Columns::of(source, &in_cells.mesh.triangles, [x, y])?;
        let shape = [y as usize, x as usize];
        let mut ground = Self {
            heights: Array2::from_elem(shape, f64::NAN),
            material: Array2::from_elem(shape, u32::MAX),
            steep: Array2::from_elem(shape, false),
            steep_top: Array2::from_elem(shape, f64::NEG_INFINITY),
        };
        columns.visit(|triangle, [x, y], [_, high], _| {
            let steep = triangle.is_steep();
            if steep {
                let top = &mut ground.steep_top[[y, x]];
                *top = top.max(high);
            }
            let Some(height) = triangle.height_at([x as f64 + 0.5, y as f64 + 0.5]) else { return };
            let known = &mut ground.heights[[y, x]];
            if known.is_nan() || height > *known {
                *known = height;
                ground.material[[y, x]] = triangle.material;
                ground.steep[[y, x]] = steep;
            }
        });
        Ok(ground)
    }

    /// Whether a cell has no ground, is too steep, lies under a steep surface that is higher than a
    /// climb, or is the upper edge of a cliff.
    fn is_wall(&self, [y, x]: [usize; 2]) -> bool {
        let height = self.heights[[y, x]];
        let lower = |y: usize, x: usize| {
            self.heights.get([y, x]).is_some_and(|&other| height - other > CLIMB)
        };
        let around = |at: usize| at.saturating_sub(1)..=at + 1;
        height.is_nan()
            || self.steep[[y, x]]
            || self.steep_top[[y, x]] - height > CLIMB
            || around(y).any(|y| around(x).any(|x| lower(y, x)))
    }
}
