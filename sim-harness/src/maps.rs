//! Maps and scenarios of the `MovingAI` benchmarks: grids (`.map`, `.scen`) and voxels (`.3dmap`,
//! `.3dscen`).
//!
//! A cell is `[z, y, x]`, as ndarray indexes it; a 2D map is one cell deep, its row 0 is the file's
//! first. Input is checked here, once: a [`MapFile`] has a size within the limits and knows every
//! cell, and an [`Entry`] lies on its map. Errors name in one line the file, the line and the
//! fault.
//!
//! ```
//! use sim_harness::maps::{self, Class, Regions};
//!
//! let text = b"type octile\nheight 2\nwidth 4\nmap\n..@.\n.WT.\n";
//! let map = maps::parse_octile("tiny.map", text)?;
//! assert_eq!(map.shape(), [1, 2, 4]);
//! assert_eq!(map.class([0, 1, 1]), Some(Class::Water));
//! assert!(!Regions::new(&map).same([0, 0, 0], [0, 0, 3]));
//!
//! let scenario = b"version 1\n0 tiny.map 4 2 0 0 1 0 1.0\n";
//! let entries = maps::parse_scen("tiny.scen", scenario, &map)?;
//! assert_eq!((entries[0].goal, entries[0].optimal), ([0, 0, 1], 1.0));
//! # Ok::<(), maps::MapError>(())
//! ```

mod error;
pub mod heights;
mod lines;
mod octile;
mod regions;
mod scen;
mod voxel;

use std::fmt;
use std::path::Path;

use crate::memory;
use heights::Heightmap;
use ndarray::{Array2, Array3, Axis};
use std::collections::BTreeMap;

pub use error::MapError;
pub(crate) use error::{printable, quote};
use lines::Line;
pub use octile::parse_octile;
pub use regions::Regions;
pub use scen::{Entry, parse_scen, read_scen, select};
pub use voxel::parse_voxel;

/// The longest axis that a map may have, in cells. How many cells it may have, the limit of
/// [`memory`] says.
pub const MAX_AXIS: u64 = 1 << 20;

/// The class of a free cell. A walker never leaves its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Octile `.`, `G` and `S`, and every free voxel.
    Ground,
    /// Octile `W`.
    Water,
}

/// A map as its file draws it.
#[derive(Clone, PartialEq)]
pub struct MapFile {
    name: String,
    dimensions: usize,
    shape: [usize; 3],
    /// Row-major; `None` is blocked.
    cells: Vec<Option<Class>>,
    layers: Layers,
}

/// The optional contents of a level beside its walls. Cells are `[z, y, x]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// How fast one is in a cell, as a part of the usual speed; none: the same everywhere.
    pub speeds: Option<Array3<f64>>,
    /// The ground's height `[y, x]` in the file's own unit; NaN where there is no ground.
    pub heights: Option<Array2<f64>>,
    /// `[units: the file's own]` The side of a cell, where the file says so.
    pub cell_size: Option<f64>,
    /// Places by their names, starts and goals among them.
    pub marks: BTreeMap<String, [usize; 3]>,
    /// Where pursuers or players start.
    pub starts: Vec<[usize; 3]>,
    /// Where they are to get.
    pub goals: Vec<[usize; 3]>,
}

impl MapFile {
    /// A map of ground, but for its walls; `walls` is `[z, y, x]`.
    #[must_use]
    pub fn from_walls(
        name: String,
        dimensions: usize,
        walls: &Array3<bool>,
        layers: Layers,
    ) -> Self {
        let (z, y, x) = walls.dim();
        let cells = walls.iter().map(|&wall| (!wall).then_some(Class::Ground)).collect();
        Self { name, dimensions, shape: [z, y, x], cells, layers }
    }

    /// Its contents beside its walls.
    #[must_use]
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The heights that a character walks and jumps over. For a 2D map, its heights, or 0 without
    /// any; walls have unknown height, so no flight leads over them. For a 3D map, the top of the
    /// highest wall of each column, in cells; a column without one is a pit, which can be flown
    /// over but not stood on.
    #[must_use]
    pub fn heights(&self) -> Heightmap {
        let [depth, height, width] = self.shape;
        let walls = self.walls(Class::Ground);
        let mut heights = Array2::from_elem([height, width], 0.0);
        let mut no_go = None;
        if self.dimensions == 2 {
            if let Some(given) = &self.layers.heights {
                heights.assign(given);
            }
            for (height, &wall) in heights.iter_mut().zip(walls.index_axis(Axis(0), 0)) {
                *height = if wall { f64::NAN } else { *height };
            }
        } else {
            for z in 0..depth {
                for (height, &wall) in heights.iter_mut().zip(walls.index_axis(Axis(0), z)) {
                    *height = if wall { (z + 1) as f64 } else { *height };
                }
            }
            no_go = Some(heights.map(|&height| height == 0.0));
        }
        Heightmap { heights, no_go, cell_size: self.layers.cell_size }
    }

    /// The file's name without its folders, or the name given to the parser.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// 2 for an octile map, 3 for a voxel map, however thin.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The size in cells as `[z, y, x]`; every axis is at least 1, and z is 1 on a 2D map.
    #[must_use]
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// The class of the cell `[z, y, x]`, or `None` where it is blocked or off the map.
    #[must_use]
    pub fn class(&self, cell: [usize; 3]) -> Option<Class> {
        index_in(self.shape, cell).and_then(|index| self.cells[index])
    }

    /// The cells that a walker of `class` cannot enter: blocked ones and those of the other class.
    /// The array has the map's [`shape`](Self::shape).
    #[must_use]
    pub fn walls(&self, class: Class) -> Array3<bool> {
        let mut walls = Array3::from_elem(self.shape, true);
        for (wall, cell) in walls.iter_mut().zip(&self.cells) {
            *wall = *cell != Some(class);
        }
        walls
    }
}

impl fmt::Debug for MapFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapFile")
            .field("name", &self.name)
            .field("dimensions", &self.dimensions)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

/// Reads a `.map` or a `.3dmap`.
///
/// # Errors
///
/// Every [`MapError`] about a file, its name or a map.
pub fn read_map(path: &Path) -> Result<MapFile, MapError> {
    let parse = parser(path)?;
    parse_with(parse, path, &error::read(path)?)
}

/// The map that [`read_map`] reads from a file with these bytes.
pub(crate) fn parse_map(path: &Path, bytes: &[u8]) -> Result<MapFile, MapError> {
    parse_with(parser(path)?, path, bytes)
}

type Parse = fn(&str, &[u8]) -> Result<MapFile, MapError>;

fn parser(path: &Path) -> Result<Parse, MapError> {
    match extension(path).as_str() {
        "map" => Ok(parse_octile),
        "3dmap" => Ok(parse_voxel),
        _ => Err(MapError::extension(&path.to_string_lossy(), ".map or .3dmap")),
    }
}

fn parse_with(parse: Parse, path: &Path, bytes: &[u8]) -> Result<MapFile, MapError> {
    let mut map = parse(&path.to_string_lossy(), bytes)?;
    map.name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(map)
}

/// Checks that a map of walls of this shape may be made, and can be. Code that needs more for it
/// checks again.
fn check_memory(line: &Line<'_>, shape: [u64; 3]) -> Result<(), MapError> {
    memory::check(memory::of_walls(shape)).map_err(|error| MapError::Memory {
        file: line.file(),
        line: line.number,
        cells: memory::cells(shape),
        error,
    })
}

fn index_in(shape: [usize; 3], cell: [usize; 3]) -> Option<usize> {
    let inside = cell.iter().zip(shape).all(|(&at, extent)| at < extent);
    inside.then(|| (cell[0] * shape[1] + cell[1]) * shape[2] + cell[2])
}

pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
