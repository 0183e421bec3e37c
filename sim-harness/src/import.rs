//! Levels from editors, as one thing: a [`MapFile`] of walls, speeds, heights and named places.
//!
//! | ending | editor | feature |
//! |---|---|---|
//! | `.map`, `.3dmap` | MovingAI's benchmarks | |
//! | `.asc`, `.png` | height maps | |
//! | `.tmx`, `.tmj` | Tiled | `tiled` |
//! | `.ldtk` | LDtk | `ldtk` |
//! | `.vox` | MagicaVoxel | `vox` |
//! | `.gltf`, `.glb`, `.obj` | meshes | `mesh` |
//! | `.tif`, `.tiff` | heights of GIS programs | `geotiff` |
//!
//! `docs/levels.md` lists the names to use, `docs/editors/` the other features of each editor.
//! Cells are `[z, y, x]`. Row 0 of a 2D level is its upper row, so y grows downwards, as it does in
//! Tiled, in LDtk and in pictures. In a 3D level z grows upwards.
//!
//! Files are not trusted. A file of the formats with a feature has at most [`MAX_BYTES`] bytes. Any
//! other file, and every level, is held to the limit of [`memory`](crate::memory). Compressed data
//! is unpacked up to the size that the level needs and no further. A file that a level refers to (a
//! tileset, a buffer) is found by a path relative to the level's folder; the path may begin with
//! `..` twice at most and must not be absolute. All of them together have at most [`MAX_BYTES`],
//! each counted as often as it is named.

#[cfg(feature = "editors")]
#[cfg_attr(not(feature = "import"), allow(dead_code, reason = "some formats need less of it"))]
mod draft;
mod error;
#[cfg(feature = "geotiff")]
mod geotiff;
#[cfg(feature = "ldtk")]
mod ldtk;
#[cfg(feature = "mesh")]
mod mesh;
#[cfg(feature = "editors")]
#[cfg_attr(not(feature = "import"), allow(dead_code, reason = "some formats need less of it"))]
mod names;
#[cfg(feature = "editors")]
#[cfg_attr(not(feature = "import"), allow(dead_code, reason = "some formats need less of it"))]
mod source;
mod store;
#[cfg(feature = "tiled")]
mod tiled;
#[cfg(feature = "vox")]
mod vox;

pub use error::ImportError;
pub use store::{Files, Store};

use crate::maps::heights::{self, Heightmap};
use crate::maps::{self, MapFile};
use serde::{Deserialize, Serialize};
#[cfg(feature = "editors")]
use source::Source;
use std::path::{Path, PathBuf};

/// `[units: bytes]` The largest file of a level.
pub const MAX_BYTES: u64 = 1 << 28;

/// The endings that are known.
pub const ENDINGS: &str =
    ".asc, .png, .tif, .tiff, .tmx, .tmj, .ldtk, .vox, .gltf, .glb, .obj, .map or .3dmap";

/// How a file becomes a level, where the file leaves a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// `[units: the mesh's own] [limits: > 0]` The side of a mesh's cell. `None`: a 256th of its
    /// longest side. [`read_relief`] needs it of a GeoTIFF in degrees, too.
    pub cell: Option<f64>,
    /// Which level of an LDtk project; `None`: the first.
    pub level: Option<String>,
    /// What a mesh becomes.
    pub view: View,
    /// Which axis of a mesh points upwards.
    pub up: Up,
}

/// What a mesh becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// 3D: every cell that a triangle passes through is a wall.
    #[default]
    Voxels,
    /// 2D, from above: the highest surface is the ground; what is too steep to walk, a cliff's
    /// edge, and what has no ground, is a wall.
    Floor,
}

/// Which axis of a mesh points upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Up {
    /// As glTF demands: the map's x, y, z are the mesh's x, z, y.
    #[default]
    Y,
    /// The map's x, y, z are the mesh's.
    Z,
}

/// Reads a level; the name's ending says which format it has. A height map is a level whose walls
/// are the cells without data.
///
/// # Errors
///
/// [`ImportError`].
pub fn read(path: &Path, options: &ImportOptions) -> Result<MapFile, ImportError> {
    read_from(&Store::Disk, path, options)
}

/// As [`read`], from the disk or from memory.
///
/// ```
/// use sim_harness::import::{self, Files, ImportOptions, Store};
/// use std::path::Path;
///
/// let map = b"type octile\nheight 1\nwidth 3\nmap\n.@.\n".to_vec();
/// let store = Store::Memory(Files::from([("tiny.map".to_owned(), map)]).into());
/// let options = ImportOptions::default();
/// assert_eq!(import::read_from(&store, Path::new("tiny.map"), &options)?.shape(), [1, 1, 3]);
/// assert!(import::read_from(&store, Path::new("huge.map"), &options).is_err());
/// # Ok::<(), import::ImportError>(())
/// ```
///
/// # Errors
///
/// [`ImportError`].
#[cfg_attr(
    not(any(feature = "ldtk", feature = "mesh")),
    allow(unused_variables, reason = "the other formats leave no choice")
)]
pub fn read_from(
    store: &Store,
    path: &Path,
    options: &ImportOptions,
) -> Result<MapFile, ImportError> {
    let ending = maps::extension(path);
    match ending.as_str() {
        "map" | "3dmap" => Ok(match store.held(path)? {
            Some(bytes) => maps::parse_map(path, bytes)?,
            None => maps::read_map(path)?,
        }),
        "asc" | "png" | "tif" | "tiff" => Ok(heightmap(store, path, false)?.map(&file_name(path))),
        #[cfg(feature = "tiled")]
        "tmx" => tiled::read_tmx(&Source::read(store, path)?),
        #[cfg(feature = "tiled")]
        "tmj" => tiled::read_tmj(&Source::read(store, path)?),
        #[cfg(feature = "ldtk")]
        "ldtk" => ldtk::read(&Source::read(store, path)?, options.level.as_deref()),
        #[cfg(feature = "vox")]
        "vox" => vox::read(&Source::read(store, path)?),
        #[cfg(feature = "mesh")]
        "gltf" | "glb" | "obj" => mesh::read(&Source::read(store, path)?, options),
        _ => Err(unknown(path, &ending)),
    }
}

/// A file of heights alone; one whose cells are degrees is refused where somebody `needs_side`.
#[cfg_attr(not(feature = "geotiff"), allow(unused_variables, reason = "others have no degrees"))]
fn heightmap(store: &Store, path: &Path, needs_side: bool) -> Result<Heightmap, ImportError> {
    match maps::extension(path).as_str() {
        #[cfg(feature = "geotiff")]
        "tif" | "tiff" => geotiff::read(&Source::read(store, path)?, needs_side),
        #[cfg(not(feature = "geotiff"))]
        "tif" | "tiff" => Err(unknown(path, "tif")),
        _ => Ok(match store.held(path)? {
            Some(bytes) => heights::parse(path, bytes)?,
            None => heights::read(path)?,
        }),
    }
}

/// The heights that a character walks and jumps over, and the places that its file names.
#[derive(Clone, Debug, PartialEq)]
pub struct Relief {
    /// The ground, seen from above.
    pub heights: Heightmap,
    /// `[y, x]` Where players start, in the file's order.
    pub starts: Vec<[usize; 2]>,
    /// `[y, x]` Where they are to get.
    pub goals: Vec<[usize; 2]>,
}

impl From<Heightmap> for Relief {
    fn from(heights: Heightmap) -> Self {
        Self { heights, starts: Vec::new(), goals: Vec::new() }
    }
}

/// Reads the heights of a level and its places: of a height map as the file has them, of any other
/// level as [`MapFile::heights`] says.
///
/// # Errors
///
/// [`ImportError`].
pub fn read_relief(path: &Path, options: &ImportOptions) -> Result<Relief, ImportError> {
    match maps::extension(path).as_str() {
        "asc" | "png" | "tif" | "tiff" => {
            Ok(heightmap(&Store::Disk, path, options.cell.is_none())?.into())
        }
        #[cfg(feature = "mesh")]
        "gltf" | "glb" | "obj" => mesh::read_relief(&Source::read(&Store::Disk, path)?, options),
        _ => {
            let map = read(path, options)?;
            let above = |cells: &[[usize; 3]]| cells.iter().map(|&[_, y, x]| [y, x]).collect();
            let [starts, goals] = [&map.layers().starts, &map.layers().goals].map(|at| above(at));
            Ok(Relief { heights: map.heights(), starts, goals })
        }
    }
}

/// The heights of [`read_relief`] alone.
///
/// # Errors
///
/// [`ImportError`].
pub fn read_heights(path: &Path, options: &ImportOptions) -> Result<Heightmap, ImportError> {
    Ok(read_relief(path, options)?.heights)
}

/// The levels among files and folders: a file as it is, of a folder all files in it and below that
/// have a level's ending, sorted by path. Links are not followed.
///
/// # Errors
///
/// [`ImportError::File`]: a folder that cannot be read, or holds no level.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ImportError> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let fail = |at: &Path, what: String| ImportError::File {
            file: maps::printable(&at.to_string_lossy()),
            what,
        };
        let before = found.len();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder);
            for entry in entries.map_err(|e| fail(&folder, e.to_string()))? {
                let entry = entry.map_err(|e| fail(&folder, e.to_string()))?;
                let kind = entry.file_type().map_err(|e| fail(&entry.path(), e.to_string()))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if is_level(&entry.path()) {
                    found.push(entry.path());
                }
            }
        }
        if found.len() == before {
            return Err(fail(path, format!("holds no file that ends in {ENDINGS}")));
        }
        found[before..].sort();
    }
    Ok(found)
}

/// Whether the name's ending is one of [`ENDINGS`].
#[must_use]
pub fn is_level(path: &Path) -> bool {
    let ending = format!(".{}", maps::extension(path));
    ENDINGS.split([',', ' ']).any(|known| known == ending)
}

/// An ending that nobody knows, or one of a feature that this program was built without.
fn unknown(path: &Path, ending: &str) -> ImportError {
    let file = maps::printable(&path.to_string_lossy());
    let feature = match ending {
        "tmx" | "tmj" => "tiled",
        "ldtk" => "ldtk",
        "vox" => "vox",
        "gltf" | "glb" | "obj" => "mesh",
        "tif" | "tiff" => "geotiff",
        _ => return ImportError::Ending { file, known: ENDINGS },
    };
    ImportError::Feature { file, feature }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_an_importer_names_its_feature() {
        for (ending, feature) in [
            ("tmx", "tiled"),
            ("tmj", "tiled"),
            ("ldtk", "ldtk"),
            ("vox", "vox"),
            ("gltf", "mesh"),
            ("glb", "mesh"),
            ("obj", "mesh"),
            ("tif", "geotiff"),
            ("tiff", "geotiff"),
        ] {
            let error = unknown(Path::new("a\nlevel"), ending).to_string();
            assert_eq!(
                error,
                format!(
                    "a\\nlevel: this program was built without the feature `{feature}` (or `import`)"
                )
            );
        }
        assert!(unknown(Path::new("level.txt"), "txt").to_string().contains("must end in .asc"));
    }
}
