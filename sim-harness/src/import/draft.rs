//! A level as it is being read.

use super::ImportError;
use super::names::{Facts, Role};
use super::source::{Source, quoted};
use crate::maps::{Layers, MapFile};
use ndarray::{Array2, Array3, s};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most cells that the parts of a level may say something of together: layers, rectangles and
/// models may lie over each other, and a short file may name many of them.
const MOST_SAID: u64 = 1 << 30;

/// A level in the making: walls first, then other facts. It has a checked size.
pub(super) struct Draft {
    dimensions: usize,
    said: u64,
    pub(super) walls: Array3<bool>,
    pub(super) layers: Layers,
}

impl Draft {
    /// All free. `size` is `[z, y, x]`.
    pub(super) fn new(
        source: &Source,
        place: &str,
        dimensions: usize,
        size: [u64; 3],
    ) -> Result<Self, ImportError> {
        let shape = source.size(place, size)?;
        let mut cells = Vec::new();
        let count = shape.iter().product();
        if cells.try_reserve_exact(count).is_err() {
            return Err(source.error(place, format!("no memory for {count} cells")));
        }
        cells.resize(count, false);
        let walls = Array3::from_shape_vec(shape, cells).unwrap_or_default();
        Ok(Self { dimensions, said: 0, walls, layers: Layers::default() })
    }

    pub(super) fn shape(&self) -> [usize; 3] {
        let (z, y, x) = self.walls.dim();
        [z, y, x]
    }

    /// Counts the cells of a part before it is looked at.
    pub(super) fn say(&mut self, cells: usize) -> Result<(), String> {
        self.said = self.said.saturating_add(cells as u64);
        let what = "with it, the parts of the level lie over more than 2^30 cells together";
        if self.said > MOST_SAID { Err(what.to_owned()) } else { Ok(()) }
    }

    /// Takes over facts about a cell; later facts count.
    pub(super) fn set(&mut self, cell: [usize; 3], facts: Facts) {
        if let Some(wall) = facts.wall {
            self.walls[cell] = wall;
        }
        if let Some(speed) = facts.speed {
            let shape = self.walls.raw_dim();
            self.layers.speeds.get_or_insert_with(|| Array3::ones(shape))[cell] = speed;
        }
        if let Some(height) = facts.height {
            let [_, y, x] = self.shape();
            let heights = self.layers.heights.get_or_insert_with(|| Array2::zeros([y, x]));
            heights[[cell[1], cell[2]]] = height;
        }
    }

    /// Takes over facts about a rectangle of cells of a flat level.
    pub(super) fn fill(&mut self, rows: Range<usize>, columns: Range<usize>, facts: Facts) {
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        // What is not there yet is made.
        self.set([0, rows.start, columns.start], facts);
        let Layers { speeds, heights, .. } = &mut self.layers;
        if let Some(wall) = facts.wall {
            self.walls.slice_mut(s![0, rows.clone(), columns.clone()]).fill(wall);
        }
        if let (Some(speed), Some(speeds)) = (facts.speed, speeds) {
            speeds.slice_mut(s![0, rows.clone(), columns.clone()]).fill(speed);
        }
        if let (Some(height), Some(heights)) = (facts.height, heights) {
            heights.slice_mut(s![rows, columns]).fill(height);
        }
    }

    /// The cell of a place `[z, y, x]` in cells, whose whole numbers are corners of cells.
    pub(super) fn cell(&self, at: [f64; 3]) -> Result<[usize; 3], String> {
        let shape = self.shape();
        let inside = (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < shape[axis] as f64);
        if inside {
            Ok(at.map(|v| v as usize))
        } else {
            Err("it lies outside the level".to_owned())
        }
    }

    /// Puts a start, a goal or a mark into a cell. Starts and goals without a name are called so,
    /// and get a number where the name is taken; a mark's name is its own.
    pub(super) fn place(&mut self, role: Role, name: &str, cell: [usize; 3]) -> Result<(), String> {
        let (word, list) = match role {
            Role::Start => ("start", Some(&mut self.layers.starts)),
            Role::Goal => ("goal", Some(&mut self.layers.goals)),
            Role::Mark => ("mark", None),
        };
        let mut name = name.trim().to_owned();
        let taken = |marks: &BTreeMap<String, _>, name: &str| marks.contains_key(name);
        if let Some(list) = list {
            list.push(cell);
            let stem = if name.is_empty() { word.to_owned() } else { name.clone() };
            let mut number = list.len().max(2);
            name.clone_from(&stem);
            while taken(&self.layers.marks, &name) {
                name = format!("{stem}{number}");
                number += 1;
            }
        } else if name.is_empty() {
            return Err("a mark needs a name".to_owned());
        } else if taken(&self.layers.marks, &name) {
            return Err(format!("another place is called {} already", quoted(&name)));
        }
        self.layers.marks.insert(name, cell);
        Ok(())
    }

    pub(super) fn finish(self, name: String) -> MapFile {
        MapFile::from_walls(name, self.dimensions, &self.walls, self.layers)
    }
}
