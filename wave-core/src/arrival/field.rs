//! When a wave came to every cell and from where, as arrays. Games call this a flow field.

use super::solver::{Ended, Solver};
use crate::error::{WaveError, open_cell, same_size, source_cells};
use crate::grid::{Link, Medium, Space};
use crate::simd::Simd;
use ndarray::{Array, ArrayRef};

/// When waves come to every cell, and from where.
///
/// [`ArrivalField::solve`] finds it in the limit of short waves, without running one: it solves the
/// eikonal equation `|grad T| = 1 / c` by marching over triangles, 3D tetrahedra. On maps of games
/// its times are 0.2 to 3 % more than those of the shortest ways at any angle, and a walker that
/// follows its directions walks 0.01 to 0.6 % more. Whether walls are
/// [fixed](crate::WallRule::Fixed) makes no difference in this limit: their cut-off concerns waves
/// that are long beside a corridor.
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
/// Memory: 12 bytes a cell in 2D, 16 in 3D. The work space takes 4 more, another 4 where speeds
/// differ, 16 for every stretch of open cells along x, of 16 cells or more, and 16 for every cell
/// that the wave is in at the time. 3D grids worked out in blocks of 8 x 8 x 8 cells do without
/// this last part; blocks take 4 bytes a cell, and another 4 where speeds differ. Large 2D grids
/// are worked out in tiles, which take 4 bytes a cell as well: from 2^21 open cells on with several
/// threads, from 11 * 2^20 with one.
#[derive(Clone, Debug)]
pub struct ArrivalField<D: Space> {
    times: Array<f32, D>,
    directions: Array<D::Direction, D>,
    solver: Solver,
    /// The number of the reading of walls after which the arrays were last written.
    written: Option<u64>,
}

impl<D: Space> ArrivalField<D> {
    /// A field in which no cell was reached.
    #[must_use]
    pub fn new(medium: &Medium<D>) -> Self {
        let shape = D::shape(medium.shape());
        Self {
            times: Array::from_elem(shape.clone(), f32::INFINITY),
            directions: Array::from_elem(shape, D::Direction::default()),
            solver: Solver::new(medium.map().size()),
            written: None,
        }
    }

    /// Makes the field use `simd` from now on: AVX2 for `Avx2` and `Avx512`, no vector instructions
    /// for others. Its bits do not depend on it.
    ///
    /// # Errors
    /// [`WaveError::Simd`].
    pub fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        self.solver.set_simd(simd)
    }

    /// The field of waves that start from all `sources` at once.
    ///
    /// # Errors
    /// As [`ArrivalField::solve`].
    pub fn from_sources(medium: &Medium<D>, sources: &[D::Cell]) -> Result<Self, WaveError> {
        let mut field = Self::new(medium);
        field.solve(medium, sources)?;
        Ok(field)
    }

    /// Works out the field again, for waves that start from all `sources` at once.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::OtherMedium`] if the field is of another shape, [`WaveError::TooFar`].
    /// The field is then as it was; only [`ArrivalField::link`] names no link after `TooFar`, until
    /// it is solved again.
    ///
    /// # Complexity
    /// O(cells + time of the last arrival over 0.4, in 3D 0.2, of what the fastest cell takes).
    /// Solved again and again for one medium, with few edits of walls, it skips cells that stay
    /// walls, in stretches of 16 cells along x. It goes through all cells after as many edits as
    /// one stored cell in 128, or more than the medium keeps; after every edit of speeds; and where
    /// the last of the fastest cells becomes a wall or a faster one is opened. Once buckets and
    /// stretches have been at their most, only lists are allocated: of sources and goals, and of
    /// the work of tiles and threads.
    ///
    /// 3D grids of 2^21 cells and more are worked out in blocks of 8 x 8 x 8 cells, by all threads
    /// of the current rayon pool, and from 2^20 cells on if there are several. How often a block
    /// has its turn depends on the walls: once in the open, one and a half times among random ones,
    /// 10 % of the cells. So blocks begin at 2^16 cells (2^18 for several threads) where a row
    /// along x meets a wall once in 40 cells or less often, but at 2^24 (2^22) where it does so
    /// more often than once in 8. 2D grids of one speed are worked out in tiles of 512 x 512 cells,
    /// from 2^21 open cells on by several threads, from 11 * 2^20 by one; a tile that the
    /// wave comes to costs a pass over all of its cells. One thread marches alone through long
    /// passages, where there is little to share, on maps with links and, where speeds differ, with
    /// ways across corners. Bits depend on none of this.
    pub fn solve(&mut self, medium: &Medium<D>, sources: &[D::Cell]) -> Result<(), WaveError> {
        self.solve_until(medium, sources, &[]).map(|_| ())
    }

    /// Brings the field up to date with the edits since it was solved: its bits are those of
    /// [`ArrivalField::solve`] from the same sources now.
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use wave_core::{ArrivalField, Medium};
    ///
    /// // A wall with a door, which closes.
    /// let mut medium = Medium::<Ix2>::builder([40, 60]).build()?;
    /// (0..36).try_for_each(|y| medium.set_wall([y, 30], !(10..14).contains(&y)))?;
    /// let mut field = ArrivalField::from_sources(&medium, &[[12, 50]])?;
    /// let before = field.times()[[12, 5]];
    /// (10..14).try_for_each(|y| medium.set_wall([y, 30], true))?;
    /// field.repair(&medium)?;
    /// assert!(field.times()[[12, 5]] > before);
    /// assert!(field == ArrivalField::from_sources(&medium, &[[12, 50]])?);
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    ///
    /// # Errors
    /// [`WaveError::NoSource`] if it was never solved, else as [`ArrivalField::solve`]. The field
    /// is then as it was.
    ///
    /// # Complexity
    /// O(cells whose time changes, and those around them), some ten times what solving them takes.
    /// It solves the field again where that is cheaper or nothing else is possible: if a tenth of
    /// the open cells changes; if the cell of an edit is within 8 cells of a source along every
    /// axis, in 3D 4; after as many edits as one stored cell in 128, or more than the medium keeps;
    /// where the first speed is set, the last of the fastest cells slows down or becomes a wall, or
    /// a faster one appears; for another medium, and where [`ArrivalField::solve_until`] stopped
    /// early. After a solve, the first repair takes another byte a cell to work with, and goes
    /// through all cells once. Later repairs allocate only where more changes at a time than ever
    /// before.
    pub fn repair(&mut self, medium: &Medium<D>) -> Result<(), WaveError> {
        let map = medium.map();
        same_size(self.solver.size(), map)?;
        self.solver.check_again(map)?;
        let is_repaired = self.solver.repair(map);
        if !is_repaired && self.solver.run_again(map) == Ended::TooFar {
            return Err(WaveError::TooFar);
        }
        if !is_repaired {
            self.write();
        } else if let (Some(times), Some(ways)) =
            (self.times.as_slice_mut(), self.directions.as_slice_mut())
        {
            self.solver.write_changed(times, D::directions(ways));
        }
        Ok(())
    }

    /// [`ArrivalField::solve`] that stops when all of `goals` have been reached, and tells whether
    /// they were. Cells further off than the furthest goal may then count as not reached. It runs
    /// to the end if there are no goals.
    ///
    /// # Errors
    /// As [`ArrivalField::solve`], for goals as for sources.
    ///
    /// # Complexity
    /// As [`ArrivalField::solve`]; cells further off cost a few nanoseconds each. Blocks begin at
    /// 2^22 cells or more.
    pub fn solve_until(
        &mut self,
        medium: &Medium<D>,
        sources: &[D::Cell],
        goals: &[D::Cell],
    ) -> Result<bool, WaveError> {
        let map = medium.map();
        same_size(self.solver.size(), map)?;
        let sources = source_cells(map, sources.iter().map(|&cell| D::to_zyx(cell)))?;
        let goals = goals.iter().map(|&cell| open_cell(map, D::to_zyx(cell)));
        let goals = goals.collect::<Result<Vec<_>, _>>()?;
        let ended = self.solver.run(map, &sources, &goals);
        if ended == Ended::TooFar {
            return Err(WaveError::TooFar);
        }
        self.write();
        Ok(ended == Ended::Early || goals.is_empty())
    }

    /// Writes all results of the solver.
    fn write(&mut self) {
        let (times, ways) = (self.times.as_slice_mut(), self.directions.as_slice_mut());
        if let (Some(times), Some(ways)) = (times, ways) {
            self.written = Some(self.solver.write(times, D::directions(ways), self.written));
        }
    }

    /// `[units: steps]` When the wave came, of the grid's shape; infinite where it did not. Times
    /// [`Medium::dt`] it is the travel time of the shortest way, and a little more. Times of a
    /// solved field are whole multiples of a 320th of what the fastest cell takes.
    #[must_use]
    pub fn times(&self) -> &ArrayRef<f32, D> {
        &self.times
    }

    /// The way home as unit vectors (`Vec2` or `Vec3`), of the grid's shape: toward where the wave
    /// came from. The way leads across a side of a triangle (3D: tetrahedron): that of the cell,
    /// its earliest neighbour and the earliest cell beside that one. Where no neighbour on an axis
    /// is earlier, it leads across the corner by which the wave came. Zero at the sources and where
    /// no wave came.
    #[must_use]
    pub fn directions(&self) -> &ArrayRef<D::Direction, D> {
        &self.directions
    }

    /// The link by which the way home leads on from `cell`: the wave came to the link's end, and
    /// from there to its beginning. `None` where the way leads to a neighbour and where no wave
    /// came. The medium must have the links that the field was solved with: among others it takes
    /// one whose time fits. [`ArrivalField::directions`] knows nothing of links: ask here first.
    ///
    /// # Complexity
    /// O(log(links) + links that begin at the cell).
    #[must_use]
    pub fn link(&self, medium: &Medium<D>, cell: D::Cell) -> Option<Link<D::Cell>> {
        let cell = D::to_zyx(cell);
        let is_solved = self.written.is_some() && medium.map().size() == self.solver.size();
        let is_there = is_solved && medium.map().contains(cell);
        let link = is_there.then(|| self.solver.link(medium.map(), cell))?;
        link.map(|link| link.map(D::from_zyx))
    }
}

impl<D: Space> PartialEq for ArrivalField<D> {
    fn eq(&self, other: &Self) -> bool {
        self.times == other.times && self.directions == other.directions
    }
}
