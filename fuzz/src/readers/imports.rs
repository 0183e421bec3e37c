//! Levels from editors: a level that is read is sound and is read the same again, and its relief is
//! that of its map.

use super::{MEMORY, scratch, within};
use crate::readers::maps;
use crate::refusal;
use sim_harness::import::{self, ImportOptions, View};
use sim_harness::maps::{Class, MapFile};
use std::fs;
use std::path::Path;

/// `[units: cells]` Of larger levels only cheap properties are checked.
const MANY: usize = 1 << 12;

/// Tiled's XML.
///
/// # Panics
/// Where something is found.
pub fn tmx(data: &[u8]) {
    level("fuzz.tmx", data);
}

/// Tiled's JSON.
///
/// # Panics
/// Where something is found.
pub fn tmj(data: &[u8]) {
    level("fuzz.tmj", data);
}

/// An LDtk project.
///
/// # Panics
/// Where something is found.
pub fn ldtk(data: &[u8]) {
    level("fuzz.ldtk", data);
}

/// A MagicaVoxel model.
///
/// # Panics
/// Where something is found.
pub fn vox(data: &[u8]) {
    level("fuzz.vox", data);
}

/// A mesh as text.
///
/// # Panics
/// Where something is found.
pub fn obj(data: &[u8]) {
    level("fuzz.obj", data);
}

/// A glTF mesh in one binary file.
///
/// # Panics
/// Where something is found.
pub fn glb(data: &[u8]) {
    level("fuzz.glb", data);
}

/// A glTF mesh as text.
///
/// # Panics
/// Where something is found.
pub fn gltf(data: &[u8]) {
    level("fuzz.gltf", data);
}

/// Heights of a GIS program.
///
/// # Panics
/// Where something is found.
pub fn tif(data: &[u8]) {
    level("fuzz.tif", data);
}

fn level(name: &str, data: &[u8]) {
    let folder = scratch();
    let path = folder.path().join(name);
    fs::write(&path, data).expect("there is room");
    for view in [View::Voxels, View::Floor] {
        within(MEMORY, || read(&path, &ImportOptions { view, ..ImportOptions::default() }));
        let is_mesh = [".obj", ".glb", ".gltf"].iter().any(|ending| name.ends_with(ending));
        if !is_mesh {
            break;
        }
    }
}

fn read(path: &Path, options: &ImportOptions) {
    let map = match import::read(path, options) {
        Ok(map) => map,
        Err(error) => {
            assert!(import::read_relief(path, options).is_err() || options.view == View::Voxels);
            return refusal::check(&error);
        }
    };
    let again = import::read(path, options).expect("it was read before");
    // NaN is where there is no ground.
    assert_eq!(format!("{:?}", again.layers()), format!("{:?}", map.layers()));
    assert_eq!(again.walls(Class::Ground), map.walls(Class::Ground));
    sound(&map);
    match import::read_relief(path, options) {
        Ok(relief) => {
            assert!(relief.starts.iter().chain(&relief.goals).all(|&cell| {
                let [rows, columns] =
                    [relief.heights.heights.nrows(), relief.heights.heights.ncols()];
                cell[0] < rows && cell[1] < columns
            }));
            assert!(relief.heights.heights.iter().all(|z| z.is_nan() || z.abs() <= 1e9));
        }
        Err(error) => refusal::check(&error),
    }
}

fn sound(map: &MapFile) {
    let shape @ [depth, height, width] = map.shape();
    assert!(depth >= 1 && height >= 1 && width >= 1);
    let layers = map.layers();
    let inside = |cell: &[usize; 3]| cell.iter().zip(shape).all(|(&at, n)| at < n);
    let places = layers.starts.iter().chain(&layers.goals).chain(layers.marks.values());
    assert!(places.into_iter().all(inside), "{layers:?}");
    if let Some(speeds) = &layers.speeds {
        assert_eq!(speeds.dim(), (depth, height, width));
        assert!(speeds.iter().all(|speed| (1e-3..=1e3).contains(speed)));
    }
    if let Some(heights) = &layers.heights {
        assert_eq!(heights.dim(), (height, width));
    }
    assert!(layers.cell_size.is_none_or(|size| size.is_finite() && size > 0.0));
    if shape.iter().product::<usize>() <= MANY {
        maps::regions(map);
    }
}
