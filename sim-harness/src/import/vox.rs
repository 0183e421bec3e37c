//! MagicaVoxel's `.vox`: models of coloured voxels, placed by a graph of nodes.
//!
//! A voxel is a wall; x, y and z are the editor's, z upwards, and the level is the box around all
//! that is shown. A node's name may give its voxels another meaning: `start`, `goal` and
//! `mark_NAME` are places (the middle of the model, at its foot), `speed_50` are free cells in
//! which one is half as fast. Hidden layers and nodes are left out, as the editor shows them. In an
//! animation the first frame counts.
//!
//! The crate `dot_vox` passes over chunks that it cannot read, recurses as deep as a file asks for
//! and asserts that rotations are proper, so it is not for files of unknown worth.

mod scene;

use super::ImportError;
use super::draft::Draft;
use super::names::{Facts, Role};
use super::source::{Source, quoted};
use crate::maps::MapFile;
use scene::{Chunks, Placed};

/// A model: its size and its voxels.
struct Model {
    size: [u32; 3],
    voxels: Vec<[u8; 3]>,
}

pub(super) fn read(source: &Source) -> Result<MapFile, ImportError> {
    let chunks = Chunks::read(source)?;
    let placed = scene::placed(source, &chunks)?;
    let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
    for part in &placed {
        for corner in part.corners(&chunks.models[part.model]) {
            for axis in 0..3 {
                low[axis] = low[axis].min(corner[axis]);
                high[axis] = high[axis].max(corner[axis] + 1);
            }
        }
    }
    if placed.is_empty() {
        return Err(source.file_error("it shows no model"));
    }
    // Corners lie within +-2^34, so differences fit.
    let [x, y, z] = [0, 1, 2].map(|axis| (high[axis] - low[axis]) as u64);
    let mut draft = Draft::new(source, "the models together", 3, [z, y, x])?;
    let voxels = placed.iter().map(|part| chunks.models[part.model].voxels.len()).sum();
    draft.say(voxels).map_err(|what| source.error("the models together", what))?;
    let cell = |at: [i64; 3]| [2, 1, 0].map(|axis| (at[axis] - low[axis]) as usize);
    for part in &placed {
        let model = &chunks.models[part.model];
        let place = format!("node {}", quoted(&part.name));
        if let Some((role, name)) = Role::of_node(&part.name) {
            let [first, last] = part.corners(model);
            let middle =
                [(first[0] + last[0]).div_euclid(2), (first[1] + last[1]).div_euclid(2), first[2]];
            draft.place(role, name, cell(middle)).map_err(|what| source.error(place, what))?;
            continue;
        }
        let facts = Facts::of_name(&part.name);
        let facts = if facts.speed.is_some() { facts } else { Facts { wall: Some(true), ..facts } };
        if facts.height.is_some() {
            return Err(source.error(place, "the heights of voxels are their places"));
        }
        for &voxel in &model.voxels {
            draft.set(cell(part.at(model, voxel)), facts);
        }
    }
    Ok(draft.finish(source.name()))
}

impl Placed {
    /// Where a voxel of the model lies.
    fn at(&self, model: &Model, voxel: [u8; 3]) -> [i64; 3] {
        // A model turns about the corner of the voxel in its middle; voxels are cubes around half
        // numbers, so everything is counted twice to stay whole.
        let twice: [i64; 3] = std::array::from_fn(|axis| {
            2 * i64::from(voxel[axis]) + 1 - 2 * (i64::from(model.size[axis]) / 2)
        });
        std::array::from_fn(|row| {
            let turned = self.signs[row] * twice[self.axes[row]];
            self.offset[row] + turned.div_euclid(2)
        })
    }

    /// The lowest and the highest cell of its box.
    fn corners(&self, model: &Model) -> [[i64; 3]; 2] {
        let last = model.size.map(|n| (n.clamp(1, 256) - 1) as u8);
        let ends = [self.at(model, [0; 3]), self.at(model, last)];
        [
            std::array::from_fn(|axis| ends[0][axis].min(ends[1][axis])),
            std::array::from_fn(|axis| ends[0][axis].max(ends[1][axis])),
        ]
    }
}
