//! Pursuers of a size: the walls grown by it, kept up to date when walls come and go.

use crate::error::TrackError;
use crate::tracker::Tracker;
use ndarray::Array;
use std::marker::PhantomData;
use wave_core::{MediumError, Space};

/// The walls for pursuers that keep `reach` cells from every wall and from the grid's edge, counted
/// along the axes.
///
/// A [`Tracker`] on the grown walls moves such pursuers exactly: a box of half width
/// [`SKIN`](crate::SKIN) touches no grown wall if and only if a box of half width `reach + SKIN`
/// touches none of the walls. So they pass gaps of `2 reach + 1` cells, their waves run only where
/// they fit, and their courses are swept with that width. Pursuers of another size, or with other
/// walls or slow areas, need a tracker of their own: a wave serves only pursuers with the same
/// ground.
///
/// ```
/// use glam::DVec2;
/// use ndarray::{Array2, Ix2};
/// use wave_core::Medium;
/// use wave_track::{BodyClearance, PursuerState, Tracker, TrackerConfig};
///
/// // A wall with a gap of a cell and, further down, one of three.
/// let mut walls = Array2::from_elem([30, 31], false);
/// for y in 0..30 {
///     walls[[y, 15]] = y != 5 && !(20..23).contains(&y);
/// }
/// let size = BodyClearance::new(&walls, 1);
/// let medium = Medium::<Ix2>::builder([30, 31]).walls(&size.grown()).build()?;
/// let mut large = Tracker::new(medium, TrackerConfig::default())?;
/// large.set_target(DVec2::new(25.0, 5.0))?;
/// let id = large.add_pursuer(DVec2::new(5.0, 5.0), 0.5)?;
/// while large.pursuer(id)?.state() != PursuerState::Arrived {
///     large.step()?;
/// }
/// // Not through the nearer gap: that is 20 cells.
/// assert!(large.pursuer(id)?.walked() > 35.0);
/// # Ok::<(), wave_track::TrackError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BodyClearance<D: Space> {
    reach: usize,
    /// `[nz, ny, nx]`
    size: [usize; 3],
    walls: Vec<bool>,
    /// For each cell, the walls within reach.
    near: Vec<u32>,
    space: PhantomData<D>,
}

impl<D: Space> BodyClearance<D> {
    /// `reach`: `[units: cells]`, 0 for the walls as they are.
    ///
    /// Memory: 5 bytes a cell.
    ///
    /// # Complexity
    /// O(cells + walls * (2 reach + 1)^axes).
    #[must_use]
    pub fn new(walls: &Array<bool, D>, reach: u32) -> Self {
        let mut size = [1; 3];
        size[3 - D::AXES..].copy_from_slice(walls.shape());
        let cells = walls.len();
        let mut this = Self {
            reach: reach as usize,
            size,
            walls: vec![false; cells],
            near: vec![0; cells],
            space: PhantomData,
        };
        for (i, _) in walls.iter().enumerate().filter(|(_, wall)| **wall) {
            this.walls[i] = true;
            let around = this.around(this.cell(i));
            for_each(around, |cell| {
                let i = this.index(cell);
                this.near[i] += 1;
            });
        }
        this
    }

    /// Where pursuers of this size cannot stand.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    #[allow(clippy::missing_panics_doc)] // one value a cell
    pub fn grown(&self) -> Array<bool, D> {
        let closed = (0..self.near.len()).map(|i| self.is_closed(i)).collect();
        Array::from_shape_vec(D::shape(D::from_zyx(self.size)), closed).expect("one value a cell")
    }

    /// Makes a cell a wall or frees it. In the tracker it then closes the cells that this size
    /// cannot enter any more, or frees those that it can.
    ///
    /// # Errors
    /// [`TrackError::Occupied`] if a target or a pursuer of the tracker is in the way;
    /// [`TrackError::Medium`] outside the grid, or if the tracker's grid is another. Nothing has
    /// changed then.
    ///
    /// # Complexity
    /// O((2 reach + 1)^axes); each cell that it closes as in [`Tracker::set_wall`].
    pub fn set_wall(
        &mut self,
        tracker: &mut Tracker<D>,
        cell: D::Cell,
        wall: bool,
    ) -> Result<(), TrackError> {
        let zyx = D::to_zyx(cell);
        let named = |size: [usize; 3]| size[3 - D::AXES..].to_vec();
        let (own, shape) = (named(self.size), D::to_size(tracker.medium().shape()));
        if shape != self.size {
            let expected = named(shape);
            return Err(MediumError::ArrayShape { what: "walls", found: own, expected }.into());
        }
        if zyx.iter().zip(self.size).any(|(c, n)| *c >= n) {
            return Err(MediumError::OutOfGrid { cell: named(zyx), shape: own }.into());
        }
        let own = self.index(zyx);
        if self.walls[own] == wall {
            return Ok(());
        }
        // A cell closes with its first wall and opens with its last one.
        let turning = u32::from(!wall);
        let mut turned = Vec::new();
        for_each(self.around(zyx), |cell| {
            let i = self.index(cell);
            if self.near[i] == turning && !self.is_at_edge(cell) {
                turned.push(D::from_zyx(cell));
            }
        });
        if wall {
            turned.iter().try_for_each(|&cell| tracker.check_free(cell))?;
        }
        for &cell in &turned {
            tracker.set_wall(cell, wall)?;
        }
        self.walls[own] = wall;
        for_each(self.around(zyx), |cell| {
            let i = self.index(cell);
            self.near[i] = if wall { self.near[i] + 1 } else { self.near[i] - 1 };
        });
        Ok(())
    }

    fn is_closed(&self, i: usize) -> bool {
        self.near[i] > 0 || self.is_at_edge(self.cell(i))
    }

    /// Whether the grid ends within reach.
    fn is_at_edge(&self, cell: [usize; 3]) -> bool {
        let near = |a: usize| cell[a] < self.reach || cell[a] + self.reach >= self.size[a];
        (3 - D::AXES..3).any(near)
    }

    /// The cells within reach, first and last along each axis.
    fn around(&self, cell: [usize; 3]) -> [[usize; 2]; 3] {
        std::array::from_fn(|a| {
            let reach = if a + D::AXES < 3 { 0 } else { self.reach };
            [cell[a].saturating_sub(reach), (cell[a] + reach).min(self.size[a] - 1)]
        })
    }

    fn index(&self, [z, y, x]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[2] + x
    }

    fn cell(&self, i: usize) -> [usize; 3] {
        let [_, ny, nx] = self.size;
        [i / nx / ny, i / nx % ny, i % nx]
    }
}

fn for_each([zs, ys, xs]: [[usize; 2]; 3], mut act: impl FnMut([usize; 3])) {
    for z in zs[0]..=zs[1] {
        for y in ys[0]..=ys[1] {
            for x in xs[0]..=xs[1] {
                act([z, y, x]);
            }
        }
    }
}
