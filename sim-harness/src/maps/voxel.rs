//! `.3dmap`: the size of a box, then its blocked voxels, one per line.

use super::error::MapError;
use super::lines::Lines;
use super::{Class, Layers, MAX_AXIS, MapFile, check_memory};

/// Reads a voxel map; `name` is the map's name, and the file's in errors.
///
/// A voxel may be named twice. The size is the header's, whatever the number of voxels: a byte a
/// cell, up to the limit of [`memory`](crate::memory).
///
/// # Errors
///
/// Every [`MapError`] about a header, a voxel or the memory.
pub fn parse_voxel(name: &str, bytes: &[u8]) -> Result<MapFile, MapError> {
    let mut lines = Lines::new(name, bytes)?;
    let header = lines.header("`voxel X Y Z`")?;
    let [b"voxel", x, y, z] = header.fields()[..] else {
        return Err(header.other_than("voxel", "`voxel X Y Z`"));
    };
    let width = header.integer("size x", x, (1, MAX_AXIS))?;
    let height = header.integer("size y", y, (1, MAX_AXIS))?;
    let depth = header.integer("size z", z, (1, MAX_AXIS))?;
    check_memory(&header, [depth, height, width])?;
    // Three axes of 2^20 at most: the product fits.
    let count = (width * height * depth) as usize;
    let mut cells = Vec::with_capacity(count);
    cells.resize(count, Some(Class::Ground));
    for line in lines {
        let fields = line.fields();
        let [x, y, z] = fields[..] else {
            if fields.is_empty() {
                continue;
            }
            return Err(line.columns("three integers x y z", fields.len()));
        };
        let x = line.integer("x", x, (0, width - 1))?;
        let y = line.integer("y", y, (0, height - 1))?;
        let z = line.integer("z", z, (0, depth - 1))?;
        cells[((z * height + y) * width + x) as usize] = None;
    }
    let shape = [depth as usize, height as usize, width as usize];
    Ok(MapFile { name: name.to_owned(), dimensions: 3, shape, cells, layers: Layers::default() })
}
