//! A front in the limit of short waves that goes on step by step.

use super::map_front::MapFront;
use crate::error::WaveError;
use crate::grid::{Link, Medium, Space};
use crate::simd::Simd;
use ndarray::Array;
use std::marker::PhantomData;

/// The front of a wave in the limit of short waves, on its way: where it comes to a cell at the
/// time T of the eikonal equation `|grad T| = 1 / c`, as in [`ArrivalField::solve`].
///
/// Such a wave is short beside everything it meets, also beside slow areas and their edges; a
/// [`RecordedWave`] that is longer than these are wide runs as if they were not there. Where speeds
/// differ, it tells the way of least time to some 1 %; where they change from cell to cell to 1 to
/// 7 %, and on chessboards to 3 to 18 %. It has no z, and no [wall rule](crate::WallRule).
///
/// ```
/// use ndarray::{Array2, Ix2};
/// use wave_core::{Front, Medium};
///
/// // A slow block, twice as wide as high, between two places.
/// let mut speeds = Array2::from_elem([41, 61], 1.0_f32);
/// for y in 17..24 {
///     (20..40).for_each(|x| speeds[[y, x]] = 0.25);
/// }
/// let medium = Medium::<Ix2>::builder([41, 61]).speeds(&speeds).dt(0.7).build()?;
/// let mut front = Front::new(&medium);
/// front.emit(&medium, &[[20, 55]])?;
/// front.run(&medium)?;
///
/// // A walker from the other side is sent around it: straight on takes 14 + 15 + 20 / 0.25.
/// let travel_time = front.arrival([20, 5]).unwrap() * medium.dt();
/// assert!((50.0..52.0).contains(&travel_time));
/// # Ok::<(), wave_core::WaveError>(())
/// ```
///
/// Memory: 4 bytes a cell, another 4 where speeds differ, and 16 for every cell that the wave is in
/// at the time; where a cell is r times slower than another, also 120 r to 240 r, in 3D 240 r to
/// 490 r. On a grid of more than 2^22 cells of one speed without links, only cells of a box count.
/// The box reaches twice as far from the sources, along each axis, as a wave has ever come, and
/// while it grows, two of them are kept. For [`Front::emit_toward`] it is the box around the cells
/// that the wave may come to.
///
/// [`ArrivalField::solve`]: crate::ArrivalField::solve
/// [`RecordedWave`]: crate::RecordedWave
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = "", try_from = "MapFront", into = "MapFront"))]
pub struct Front<D: Space> {
    pub(super) front: MapFront,
    space: PhantomData<D>,
}

impl<D: Space> Front<D> {
    /// The updates that a reached cell counts for in [`Front::updates`]. An update is some 0.9 ns,
    /// and a cell takes about as long as so many. With AVX2, where all cells have one speed, it
    /// takes half as long on a flat grid and a third or less on a deep one; where speeds change
    /// from cell to cell, up to 2.6 times as long.
    pub const UPDATES_PER_CELL: u64 = MapFront::UPDATES_PER_CELL;
    /// The updates that a cell counts for there if a repair changes its arrival.
    pub const UPDATES_PER_CHANGE: u64 = MapFront::UPDATES_PER_CHANGE;

    /// A front at rest. On a large grid it takes no memory for cells that no wave comes near.
    ///
    /// # Complexity
    /// O(cells), at most 2^22 of them.
    #[must_use]
    pub fn new(medium: &Medium<D>) -> Self {
        Self::of(MapFront::new(medium.map()))
    }

    pub(super) fn of(front: MapFront) -> Self {
        Self { front, space: PhantomData }
    }

    /// Makes the front use `simd` from now on: AVX2 for `Avx2` and `Avx512`, no vector instructions
    /// for others. Its bits do not depend on it.
    ///
    /// # Errors
    /// [`WaveError::Simd`].
    pub fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        self.front.set_simd(simd)
    }

    /// Forgets the wave before and emits a new one from all `cells` at once, at the speeds that the
    /// medium then has.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::OtherMedium`]; the wave before then goes on.
    ///
    /// # Complexity
    /// O(sources); O(cells) after speeds were edited, every 500 waves, and where a cell is 800
    /// times slower than another.
    pub fn emit(&mut self, medium: &Medium<D>, cells: &[D::Cell]) -> Result<(), WaveError> {
        let cells: Vec<_> = cells.iter().map(|&cell| D::to_zyx(cell)).collect();
        self.front.emit(medium.map(), &cells)
    }

    /// [`Front::emit`] of a wave for the cells of a box, of which `to` are two corners. The wave
    /// leaves out cells from which it could not come to the box in the steps left, even in a
    /// straight line over the fastest cells. So a wave for a distant listener costs the cells
    /// between, not those all around its sources.
    ///
    /// ```
    /// use ndarray::Ix3;
    /// use wave_core::{Front, Medium};
    ///
    /// let medium = Medium::<Ix3>::builder([100, 100, 200]).build()?;
    /// let (from, to) = ([50, 50, 50], [50, 50, 150]);
    /// let mut front = Front::new(&medium);
    /// front.emit(&medium, &[from])?;
    /// while front.arrival(to).is_none() {
    ///     front.step(&medium, 1)?;
    /// }
    /// let (arrival, cells) = (front.arrival(to), front.reached_cells());
    ///
    /// let steps = 1.1 * arrival.unwrap();
    /// front.emit_toward(&medium, &[from], [to; 2], steps)?;
    /// front.run(&medium)?;
    /// assert_eq!(front.arrival(to), arrival);
    /// assert!(front.reached_cells() < cells / 8);
    /// assert!(front.is_exhausted(), "it proves nothing about the cells that it left out");
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    ///
    /// Arrivals are those of a wave that goes everywhere in those cells of the box that it comes to
    /// with two steps and 2 % of the arrival left. Elsewhere they may be later, and in 3D, at the
    /// rim of the reached cells, up to a step earlier. On a map with links, which may lead
    /// anywhere, the wave goes everywhere.
    ///
    /// `steps`: `[units: steps] [limits: >= 0] suggested: a tenth more than the way takes, if that
    /// is known; else than a straight line takes, and a wave for longer if it was not heard`.
    ///
    /// # Errors
    /// As [`Front::emit`]; also [`WaveError::OutOfGrid`] for the corners, and [`WaveError::Steps`].
    ///
    /// # Complexity
    /// As [`Front::emit`]; on a large grid, if the wave may leave the box that the front knows,
    /// O(cells) of the box around all that it may come to. The wave comes to the cells of a
    /// spheroid with the sources and the box at its ends. These are a thirtieth of the cells of a
    /// ball with a tenth more steps than the straight line takes, an eleventh with a quarter more.
    pub fn emit_toward(
        &mut self,
        medium: &Medium<D>,
        cells: &[D::Cell],
        to: [D::Cell; 2],
        steps: f64,
    ) -> Result<(), WaveError> {
        let cells: Vec<_> = cells.iter().map(|&cell| D::to_zyx(cell)).collect();
        self.front.emit_toward(medium.map(), &cells, to.map(D::to_zyx), steps)
    }

    /// Forgets the wave and all arrivals.
    ///
    /// # Complexity
    /// O(1); every 500 waves O(cells).
    pub fn clear(&mut self) {
        self.front.clear();
    }

    /// Steps up to `n` times, fewer if it ends before, and returns the updates spent. A cell that
    /// becomes a wall loses its arrival, and the cells behind it keep theirs. A cell that is freed
    /// beside one that was reached, while the wave is on its way, is reached next; cells reached
    /// behind it keep their arrivals. Ways that edits make shorter or longer, and speeds that are
    /// set, are for the next wave, or for this one after [`Front::repair`].
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells reached in these steps + their time over 0.4, in 3D 0.2, of what the fastest cell
    /// takes); once in a wave of over 9,000 times that, O(cells). Nothing is allocated once the
    /// front has been at its longest.
    pub fn step(&mut self, medium: &Medium<D>, n: usize) -> Result<u64, WaveError> {
        self.front.step_within(medium.map(), n, u64::MAX)
    }

    /// [`Front::step`] that spends `updates` at most. It may stop within a step: the wave moves on
    /// in portions of 0.4 of what the fastest cell takes (in 3D 0.2). With fewer `updates` than
    /// [`Front::next_updates`] it stays where it is.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn step_within(
        &mut self,
        medium: &Medium<D>,
        n: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        self.front.step_within(medium.map(), n, updates)
    }

    /// Steps until the wave ends.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn run(&mut self, medium: &Medium<D>) -> Result<u64, WaveError> {
        self.step(medium, usize::MAX)
    }

    /// Brings a wave up to date with walls and speeds that were edited since it was emitted: as far
    /// as it has come, its arrivals are then those of a wave emitted now from the same cells, and
    /// it goes on like that one. Returns whether that was done. If not, only the new walls are
    /// taken over.
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use wave_core::{Front, Medium};
    ///
    /// // Something is built in the way.
    /// let mut medium = Medium::<Ix2>::builder([40, 60]).build()?;
    /// let mut front = Front::new(&medium);
    /// front.emit(&medium, &[[20, 50]])?;
    /// front.run(&medium)?;
    /// medium.set_walls(&[19, 20, 21].map(|y| ([y, 20], true)))?;
    /// assert!(front.repair(&medium, u64::MAX)?);
    ///
    /// let mut new = Front::new(&medium);
    /// new.emit(&medium, &[[20, 50]])?;
    /// new.run(&medium)?;
    /// assert_eq!(front.arrivals(), new.arrivals());
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    ///
    /// A wave is not repaired where a new one is cheaper or a repair is impossible: if more than a
    /// fifth as many cells change as were reached; if an edited cell is within 8 cells of a source
    /// along every axis, in 3D 4; after as many edits as one cell in 128; once an edit has changed
    /// which speed is the fastest, or has given a map of one speed a second one; with a medium of
    /// other links; on maps of more than 2^22 cells, and for a wave that was emitted [toward a
    /// box](Front::emit_toward). Nor is it repaired if that takes more than `updates`: 100 for each
    /// cell that changes, and one for every eight cells of the map the first time after an emission
    /// and after speeds were set. Once a repair has failed because too much changed or `updates`
    /// ran out, it is not tried again for that wave. Failed tries count in [`Front::updates`] as
    /// well.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells whose arrival changes, and those around them); the first time after an emission,
    /// after speeds were set, and for the emission after it, O(cells), a few per cent of what a
    /// wave takes. It takes another byte a cell from then on.
    pub fn repair(&mut self, medium: &Medium<D>, updates: u64) -> Result<bool, WaveError> {
        self.front.repair(medium.map(), updates)
    }

    /// Whether it can run in this medium: one of its shape, edited at least as often as the front
    /// has seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D>) -> bool {
        self.front.fits(medium.map())
    }
    /// The number of wall edits that the next step or emission takes over first.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn edits_behind(&self, medium: &Medium<D>) -> Result<u64, WaveError> {
        self.front.edits_behind(medium.map())
    }
    /// Whether no wave is on its way. Either it has ended, and then every cell that a way joined to
    /// the sources was reached; or none was emitted yet; or it [is exhausted](Front::is_exhausted).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.front.has_ended()
    }
    /// Whether the wave ended although cells were still waiting for it: it was on its way for 6.6e6
    /// times what the fastest cell takes, or [left cells out](Front::emit_toward). Only then does a
    /// wave's end prove nothing.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.front.is_exhausted()
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.front.steps()
    }
    /// [`Front::UPDATES_PER_CELL`] for every cell reached since the emission, and the updates of
    /// repairs: the cost of the wave so far.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.front.updates()
    }
    /// `[units: updates]` The cost of the next portion, if the map stays as it is.
    #[must_use]
    pub fn next_updates(&self) -> u64 {
        self.front.next_updates()
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        self.front.reached_cells()
    }
    /// `[units: steps]` When the wave came to `cell`: larger than at the neighbour that it came
    /// from, in whole 320ths of what the fastest cell takes. `None` in cells not reached and
    /// outside the grid.
    #[must_use]
    #[inline]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        self.front.arrival(D::to_zyx(cell))
    }
    /// Asks memory for the times at `cell` and in the rows beside it, in its plane, so that
    /// [`Front::arrival`] and [`Front::direction`] take less time a little later. For a caller that
    /// is about to ask for many cells far apart. Changes nothing.
    ///
    /// # Complexity
    /// O(1).
    #[inline]
    pub fn prefetch(&self, cell: D::Cell) {
        self.front.prefetch(D::to_zyx(cell));
    }
    /// Where the wave came from, as a unit vector: the way home, as in
    /// [`ArrivalField::directions`](crate::ArrivalField::directions). Zero at the sources, `None`
    /// in cells not reached.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        self.front.direction(D::to_zyx(cell)).map(D::from_xyz)
    }
    /// [`Front::direction`] of four cells at once, for directions between the middles of cells: of
    /// the cell before `last` along both axes, of those before it along y and along x, and of
    /// `last`. `None` on 3D grids, where speeds differ, and if one of the cells is not on the grid:
    /// ask cell by cell then.
    ///
    /// ```
    /// use ndarray::Ix2;
    /// use wave_core::{Front, Medium};
    ///
    /// let medium = Medium::<Ix2>::builder([20, 20]).build()?;
    /// let mut front = Front::new(&medium);
    /// front.emit(&medium, &[[15, 15]])?;
    /// front.step(&medium, 100)?;
    /// let cells = [[4, 7], [4, 8], [5, 7], [5, 8]];
    /// let ways = cells.map(|cell| front.direction(cell));
    /// assert_eq!(front.directions_of_four([5, 8]), Some(ways));
    /// assert_eq!(front.directions_of_four([0, 8]), None);
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    #[must_use]
    pub fn directions_of_four(&self, last: D::Cell) -> Option<[Option<D::Point>; 4]> {
        if D::AXES != 2 {
            return None;
        }
        let four = self.front.directions_of_four(D::to_zyx(last))?;
        Some(four.map(|way| way.map(D::from_xyz)))
    }
    /// The link by which the way home leads on from `cell`: the wave came to the link's end, and
    /// from there to its beginning. `None` where the way leads to a neighbour, in cells not reached
    /// and outside the grid. The medium must have the links that the wave ran with: among others it
    /// takes one whose time fits. [`Front::direction`] knows nothing of links: ask here first.
    ///
    /// ```
    /// use ndarray::{Array2, Ix2};
    /// use wave_core::{Front, Link, Medium};
    ///
    /// // Two rooms, and a chute from the left one to the right one that takes 4.
    /// let mut walls = Array2::from_elem([5, 11], false);
    /// walls.column_mut(5).fill(true);
    /// let chute = Link { from: [2, 1], to: [2, 7], time: 4.0 };
    /// let medium = Medium::<Ix2>::builder([5, 11]).walls(&walls).links(&[chute]).build()?;
    /// let mut front = Front::new(&medium);
    /// front.emit(&medium, &[[2, 9]])?;
    /// front.run(&medium)?;
    /// let way = front.link(&medium, [2, 1]).unwrap();
    /// assert_eq!((way.from, way.to), ([2, 1], [2, 7]));
    /// let since = front.arrival([2, 1]).unwrap() - front.arrival([2, 7]).unwrap();
    /// assert!((since * medium.dt() - 4.0).abs() < 0.01);
    ///
    /// // Nothing comes up a chute: from the right nobody can come to the left.
    /// front.emit(&medium, &[[2, 3]])?;
    /// front.run(&medium)?;
    /// assert_eq!(front.arrival([2, 9]), None);
    /// # Ok::<(), wave_core::WaveError>(())
    /// ```
    ///
    /// # Complexity
    /// O(log(links) + links that begin at the cell).
    #[must_use]
    pub fn link(&self, medium: &Medium<D>, cell: D::Cell) -> Option<Link<D::Cell>> {
        self.front.link(medium.map(), D::to_zyx(cell)).map(|link| link.map(D::from_zyx))
    }
    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn arrivals(&self) -> Array<f32, D> {
        let shape = D::shape(D::from_zyx(self.front.size()));
        let mut times = Array::from_elem(shape, f32::INFINITY);
        if let Some(cells) = times.as_slice_mut() {
            self.front.write_arrivals(cells);
        }
        times
    }
    /// A hash of the whole state: equal for equal bits. Steps asked for after its end do not count.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.front.state_hash()
    }
}
