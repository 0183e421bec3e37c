//! Height maps: ESRI ASCII grids and grey PNG pictures.

mod asc;
mod error;
#[cfg(feature = "png")]
mod png;

pub use asc::parse_asc;
pub use error::HeightmapError;
#[cfg(feature = "png")]
pub use png::parse_png;

use crate::maps::{Layers, MapFile, printable};
use crate::{input, memory};
use jump_planner::{Terrain, TerrainError};
use ndarray::{Array2, Axis};
use std::path::Path;

/// The value for no data of an ESRI file whose header does not state one.
pub const NO_DATA: f64 = -9999.0;

/// A height map as its file has it: `[row, column]`, the first row first.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightmap {
    /// Heights in the file's own unit; NaN where there is no data.
    pub heights: Array2<f64>,
    /// True where one can fly over but not stand.
    pub no_go: Option<Array2<bool>>,
    /// `[units: length]` The side of a cell, where the file says so.
    pub cell_size: Option<f64>,
}

/// How a height map becomes a terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scaling {
    /// `[units: length] [limits: 1e-6 to 1e6]` The side of a cell; `None`: as the file says, else
    /// 1.
    pub cell_size: Option<f64>,
    /// `[units: length per unit of the file]` `None`: 1.
    pub height_scale: Option<f64>,
    /// `[units: length]` Heights are rounded to multiples of this.
    pub quantum: Option<f64>,
}

/// Reads a height map; the name's ending says which format it has.
///
/// # Errors
/// [`HeightmapError`].
pub fn read(path: &Path) -> Result<Heightmap, HeightmapError> {
    let file = path.to_string_lossy();
    let parse = parser(path)?;
    let bytes = input::read(path)
        .map_err(|e| HeightmapError::Read { file: printable(&file), reason: e.to_string() })?;
    parse(&file, &bytes)
}

/// The heights that [`read`] reads from a file with these bytes.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Heightmap, HeightmapError> {
    parser(path)?(&path.to_string_lossy(), bytes)
}

type Parse = fn(&str, &[u8]) -> Result<Heightmap, HeightmapError>;

fn parser(path: &Path) -> Result<Parse, HeightmapError> {
    match super::extension(path).as_str() {
        "asc" => Ok(parse_asc),
        #[cfg(feature = "png")]
        "png" => Ok(parse_png),
        _ => Err(HeightmapError::Extension { file: printable(&path.to_string_lossy()) }),
    }
}

/// Checks that a terrain of this size and its graph may be made, and can be.
fn check_memory(file: &str, columns: u64, rows: u64) -> Result<(), HeightmapError> {
    memory::check(memory::of_level(columns, rows)).map_err(|error| HeightmapError::Memory {
        file: printable(file),
        columns,
        rows,
        error,
    })
}

impl Heightmap {
    /// The 2D map whose walls are the cells without data.
    #[must_use]
    pub fn map(self, name: &str) -> MapFile {
        let walls = self.heights.map(|height| height.is_nan()).insert_axis(Axis(0));
        let Self { heights, cell_size, .. } = self;
        let layers = Layers { heights: Some(heights), cell_size, ..Layers::default() };
        MapFile::from_walls(name.to_owned(), 2, &walls, layers)
    }

    /// The terrain that it stands for.
    ///
    /// # Errors
    /// [`TerrainError`].
    pub fn terrain(&self, scaling: &Scaling) -> Result<Terrain, TerrainError> {
        let cell_size = scaling.cell_size.or(self.cell_size).unwrap_or(1.0);
        let mut builder = Terrain::builder(&self.heights).cell_size(cell_size).no_data(f64::NAN);
        if let Some(no_go) = &self.no_go {
            builder = builder.no_go(no_go);
        }
        if let Some(scale) = scaling.height_scale {
            builder = builder.height_scale(scale);
        }
        if let Some(quantum) = scaling.quantum {
            builder = builder.quantum(quantum);
        }
        builder.build()
    }
}
