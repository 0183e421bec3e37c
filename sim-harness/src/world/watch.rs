//! The view of a run for a watcher.

use super::cast::Cast;
use super::outcome::Summary;
use crate::output::WriteError;
use ndarray::{Array2, Array3, Axis};
use std::cmp::Reverse;

/// Watches a run and keeps data of its choice, as a recorder does.
pub trait Watch {
    /// The run begins.
    fn begin(&mut self, scene: Scene);

    /// A moment that the scenario wants recorded. Returns whether figures per cell are wanted too.
    ///
    /// # Errors
    /// [`WriteError`] where it cannot be written down; it ends the run.
    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError>;

    /// `[units: steps]` When the newest wave came to every cell `[z, y, x]`; infinite where it did
    /// not.
    fn wave(&mut self, _step: u64, _arrivals: &Array3<f32>) {}

    /// z of all dense waves in every cell `[z, y, x]`, added up.
    fn dense_waves(&mut self, _step: u64, _z: &Array3<f32>) {}

    /// Figures per cell `[y, x]` of a flat map, row by row.
    fn layer(&mut self, _step: u64, _name: &'static str, _values: &[f64]) {}

    /// The run has ended.
    ///
    /// # Errors
    /// [`WriteError`] where it cannot be written down.
    fn end(&mut self, _end: &End, _summary: &Summary) -> Result<(), WriteError> {
        Ok(())
    }
}

/// The constant data.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The scenario's name.
    pub name: String,
    /// The question that it answers.
    pub question: String,
    /// 2 or 3.
    pub dimensions: usize,
    /// `[units: world units]` The distance between cell centres.
    pub spacing: f64,
    /// `[units: time]` The length of a frame.
    pub dt: f64,
    /// True where a wall is at first, `[z, y, x]`.
    pub walls: Array3<bool>,
    /// True where the wave is slower than elsewhere.
    pub slow: Array3<bool>,
    /// `[units: world units]` The ground's heights, on maps that have them.
    pub heights: Option<Array2<f64>>,
    /// `[units: cells]` The storeys to show, by their z.
    pub slices: Vec<usize>,
    /// How many evaders there are.
    pub evaders: usize,
    /// `[units: world units]` Places that the scenario or its map names, `[x, y, z]`: marks by
    /// their names, others by their keys.
    pub places: Vec<(String, [f64; 3])>,
    /// Edges of a navigation graph, and whether they are jumps.
    pub ways: Vec<([[f64; 3]; 2], bool)>,
}

impl Scene {
    /// The storeys to show, each on the map.
    #[must_use]
    pub fn storeys(&self) -> Vec<usize> {
        match &self.slices[..] {
            // The one with the most room, of equals the nearest to the middle.
            [] => {
                let middle = self.walls.dim().0 / 2;
                let open =
                    |z: usize| self.walls.index_axis(Axis(0), z).iter().filter(|w| !**w).count();
                let storeys = 0..self.walls.dim().0;
                storeys
                    .max_by_key(|&z| (open(z), Reverse(z.abs_diff(middle))))
                    .into_iter()
                    .collect()
            }
            slices => slices.to_vec(),
        }
    }

    /// Coordinates that a place has.
    #[must_use]
    pub fn axes(&self) -> usize {
        if self.heights.is_some() { 3 } else { self.dimensions }
    }

    /// `[units: world units]` The range that places are told in, by axis: the lowest, and the
    /// extent.
    #[must_use]
    pub fn range(&self) -> [[f64; 2]; 3] {
        let (depth, height, width) = self.walls.dim();
        let span = |cells: usize| [-0.5 * self.spacing, cells as f64 * self.spacing];
        let z = match &self.heights {
            // Room for jumps.
            Some(heights) => {
                let top = heights.iter().fold(0.0, |a: f64, &b| a.max(b));
                [-1.0, top + 17.0]
            }
            None => span(depth),
        };
        [span(width), span(height), z]
    }
}

/// The present, as a recorder sees it.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Frames done.
    pub step: u64,
    /// All members.
    pub cast: &'a Cast,
    /// Cells `[z, y, x]` that have become walls or free since the last moment.
    pub edits: &'a [([usize; 3], bool)],
    /// Named figures; of several groups of evaders or pursuers, with the group in the name.
    pub gauges: &'a [(String, f64)],
    /// Why an evader does what it does.
    pub why: &'a [(usize, String)],
}

/// The map at the end; arrays are `[z, y, x]`.
#[derive(Clone, Debug)]
pub struct End {
    /// True where a wall is.
    pub walls: Array3<bool>,
    /// `[units: steps]` When the front that got furthest came; infinite where it did not.
    pub arrivals: Option<Array3<f32>>,
    /// The sum of all z. Dense waves only.
    pub height: Option<Array3<f32>>,
}
