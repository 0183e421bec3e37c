//! When a wave came to every cell and from where, as arrays: what a game stores as a flow field.

use crate::error::WaveError;
use crate::front::Front;
use crate::layout::Layout;
use crate::medium::Medium;
use crate::real::Real;
use crate::space::Space;
use ndarray::{Array, ArrayRef};

/// Arrival times and ways home of one wave.
///
/// ```
/// use ndarray::{Array2, Ix2};
/// use wave_core::{ArrivalField, Medium};
///
/// let mut walls = Array2::from_elem([30, 40], false);
/// (0..25).for_each(|y| walls[[y, 20]] = true);
/// let medium = Medium::<Ix2>::builder([30, 40]).walls(&walls).build()?;
/// let field = ArrivalField::from_sources(&medium, &[[5, 35]])?;
///
/// // Left of the wall the way goes down to the gap below it; a wall is never reached.
/// assert!(field.directions()[[5, 15]].y > 0.7);
/// assert!(field.times()[[10, 20]].is_infinite());
/// # Ok::<(), wave_core::WaveError>(())
/// ```
///
/// Memory: 12 bytes a cell in 2D, 16 in 3D, and 4 for the working copy of the times.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrivalField<D: Space> {
    times: Array<f32, D>,
    directions: Array<D::Direction, D>,
    /// The times with a frame of cells that are never reached, so that every cell has neighbours.
    framed: Vec<f32>,
}

impl<D: Space> ArrivalField<D> {
    /// A field in which nothing was reached.
    #[must_use]
    pub fn new<S: Real>(medium: &Medium<D, S>) -> Self {
        let shape = D::shape(medium.shape());
        let [nz, ny, nx] = medium.layout.size;
        let deep = if nz > 1 { 2 } else { 0 };
        Self {
            times: Array::from_elem(shape.clone(), f32::INFINITY),
            directions: Array::from_elem(shape, D::Direction::default()),
            framed: vec![f32::INFINITY; (nz + deep) * (ny + 2) * (nx + 2)],
        }
    }

    /// The field of one wave that starts from all `sources` at once and runs to its end.
    ///
    /// # Errors
    /// As [`Front::emit`].
    ///
    /// # Complexity
    /// As [`Front::run`], and O(cells).
    pub fn from_sources<S: Real>(
        medium: &Medium<D, S>,
        sources: &[D::Cell],
    ) -> Result<Self, WaveError> {
        let mut front = Front::new(medium);
        front.emit(medium, sources)?;
        front.run(medium)?;
        let mut field = Self::new(medium);
        front.write_field(&mut field)?;
        Ok(field)
    }

    /// `[units: steps]` When the wave came, of the grid's shape; infinite where it did not. Times
    /// [`Medium::dt`] it is the travel time of the shortest way, some 2 % more.
    #[must_use]
    pub fn times(&self) -> &ArrayRef<f32, D> {
        &self.times
    }

    /// The way home as unit vectors (`Vec2` or `Vec3`), of the grid's shape: toward where the wave
    /// came from, per axis toward the neighbour that was reached first. Zero at the sources and
    /// where no wave came.
    #[must_use]
    pub fn directions(&self) -> &ArrayRef<D::Direction, D> {
        &self.directions
    }

    /// Takes over times, the first `nx` of each of `rows`, and works out the directions.
    pub(crate) fn fill(
        &mut self,
        layout: &Layout,
        mut row: impl FnMut(usize, usize, &mut [f32]),
    ) -> Result<(), WaveError> {
        let [nz, ny, nx] = layout.size;
        let expected = D::shape(D::from_zyx(layout.size));
        if self.times.raw_dim() != expected {
            let mut found = [1; 3];
            let shape = self.times.shape();
            found[3 - shape.len()..].copy_from_slice(shape);
            return Err(WaveError::OtherMedium { found, expected: layout.size });
        }
        let (width, deep) = (nx + 2, usize::from(nz > 1));
        let plane = width * (ny + 2);
        let first = |z: usize, y: usize| (z + deep) * plane + (y + 1) * width + 1;
        // A new array is in the standard order, and nobody else can change it.
        let times = self.times.as_slice_mut().expect("the standard order");
        for (r, times) in times.chunks_mut(nx).enumerate() {
            let (z, y) = (r / ny, r % ny);
            row(z, y, times);
            self.framed[first(z, y)..][..nx].copy_from_slice(times);
        }
        let directions = self.directions.as_slice_mut().expect("the standard order");
        let strides = [1, width, plane];
        for (r, directions) in directions.chunks_mut(nx).enumerate() {
            let at = first(r / ny, r % ny);
            if D::AXES == 2 || deep == 0 {
                directions_of_row::<D>(&self.framed, at, &strides[..2], directions);
            } else {
                directions_of_row::<D>(&self.framed, at, &strides, directions);
            }
        }
        Ok(())
    }
}

/// The ways home from the cells of a row, the first at index `at` of the times.
fn directions_of_row<D: Space>(
    times: &[f32],
    at: usize,
    strides: &[usize],
    directions: &mut [D::Direction],
) {
    let n = directions.len();
    let row = |from: usize| &times[from..from + n];
    let here = row(at);
    for (i, direction) in directions.iter_mut().enumerate() {
        let mut way = [0.0; 3];
        for (axis, &stride) in strides.iter().enumerate() {
            let (before, after) = (row(at - stride)[i], row(at + stride)[i]);
            let first = before.min(after);
            // Not where nothing came: infinity is not earlier than infinity.
            let gain = if first < here[i] { here[i] - first } else { 0.0 };
            way[axis] = if before <= after { -gain } else { gain };
        }
        let length = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt();
        let scale = if length > 0.0 && length < f32::INFINITY { 1.0 / length } else { 0.0 };
        *direction = D::direction(way.map(|w| if scale > 0.0 { w * scale } else { 0.0 }));
    }
}
