//! What a wave runs through: walls, speed per cell, damping, the time step.

mod builder;

pub use builder::MediumBuilder;

use crate::dense::kinds::{self, Kinds};
use crate::dense::real::Real;
use crate::dense::step::centre;
use crate::error::MediumError;
use crate::grid::layout::{Cells, Layout, Role};
use crate::grid::space::Space;
use crate::simd::Simd;
#[cfg(feature = "serde")]
use crate::state::{self, MediumState, StateError};
use ndarray::Array;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a wall does to a wave. The outer edge of the grid is a free end under both rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WallRule {
    /// The published rule: a wall holds z = 0 and counts among the neighbours (a fixed end).
    /// A corridor is then a wave guide with a cut-off: what is longer than it is wide dies out.
    Fixed,
    /// A wall adds nothing and is not counted (a free end, as at the outer edge). No cut-off.
    #[default]
    Free,
}

/// How many of the latest wall edits are kept for waves that have not seen them yet; a wave that
/// is further behind looks at the whole grid once.
const LOG: usize = 1 << 16;

/// What spacings and speeds may be: their quotients and squares stay numbers.
const MAGNITUDES: RangeInclusive<f64> = 1e-30..=1e30;
/// What time steps may be.
const DTS: RangeInclusive<f64> = 1e-90..=1e90;
/// The largest `mu dt`: far over what leaves anything of a wave, and what it divides stays normal
/// ([`Real::FLOOR`]).
const MAX_DAMPING: f64 = (1 << 11) as f64;

/// The grid a wave runs through.
///
/// Any number of waves and fronts can share one medium; they are told of edits when they step.
/// Memory: one number a cell, on flat grids two and a byte; below 2^26 cells, a bit; and where
/// kinds of cells help and are few, a byte.
///
/// # Kinds of cells
/// Cells of the same speed and the same number of neighbours that count are of one kind. While
/// there are no more kinds than a step can look up in registers, walls included, a
/// [`Wave`](crate::Wave) steps 1.15 to 1.4 times as fast on deep grids, and faster, too, on flat
/// ones of 2^22 cells and, in runs of few steps, of 2^16:
///
/// | | kinds | speeds that always fit |
/// |---|---|---|
/// | AVX-512, `f32` | 32 | 4 |
/// | AVX-512, `f64` | 16 | 2 |
/// | AVX2, `f32` | 8 | 1 |
///
/// With more it does without; once they are few again, so many edits later as there are times 4096
/// cells, it does with them again. If there were more than 256, it does without until it is built
/// or read again. No bit depends on it.
#[derive(Clone, Debug)]
pub struct Medium<D: Space, S: Real = f32> {
    pub(crate) layout: Layout,
    /// `(c dt / h)^2` per open cell, not positive elsewhere. On flat grids 0 there; on deep ones
    /// [packed](crate::dense::packed) with k, so that a step without kinds reads nothing else of
    /// the medium.
    pub(crate) delta: Cells<S>,
    /// On flat grids, the neighbours that count.
    k: Vec<u8>,
    /// On flat grids, `2 - k * delta` of open cells: a flat step is bound by arithmetic and 1.3x as
    /// fast with it. Empty on deep grids, which gain nothing.
    ///
    /// A wall keeps the delta that it will have when it is opened: here, where it meets z = 0 and
    /// does nothing; on deep grids as its negative in `delta`.
    pub(crate) centre: Cells<S>,
    /// What a run reads in place of all these where it is faster and kinds are few enough. None
    /// where they never are looked up, or there were more than a byte can name.
    pub(crate) kinds: Option<Box<Kinds<S>>>,
    /// A bit for every stored cell: whether it is open. Of a map of 512 x 512 cells they fit in the
    /// first cache, where who looks for walls finds them. Empty on large grids.
    open: Vec<u64>,
    pub(crate) spacing: f64,
    pub(crate) origin: [f64; 3],
    dt: f64,
    damping: f64,
    rule: WallRule,
    /// Whether all cells were given the same speed.
    uniform: bool,
    /// How often a speed was set since.
    speed_edits: u64,
    /// Cells that became a wall or free, the latest last.
    log: VecDeque<u32>,
    revision: u64,
    pub(crate) identity: Identity,
    space: PhantomData<D>,
}

/// Tells a medium from all others of a process, its clones included.
#[derive(Debug)]
pub(crate) struct Identity(u64);

impl Identity {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// To remember it by.
    pub(crate) fn number(&self) -> u64 {
        self.0
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::new()
    }
}

/// Whether a cell with Courant number `c dt / h` is stable, judged by the delta that is stored.
fn is_stable<S: Real>(courant: f64, axes: f64) -> bool {
    S::from_f64(courant * courant).to_f64() * axes <= 1.0
}

impl<D: Space, S: Real> Medium<D, S> {
    /// `(c dt / h)^2` may not fall below this: products with [`Real::FLOOR`] stay normal numbers.
    const MIN_DELTA: f64 = 1.0 / (1u64 << 24) as f64;

    /// A medium of `shape` cells, `[ny, nx]` or `[nz, ny, nx]`.
    #[must_use]
    pub fn builder<'a>(shape: D::Cell) -> MediumBuilder<'a, D, S> {
        MediumBuilder::new(shape)
    }

    /// Cells along each axis, `[ny, nx]` or `[nz, ny, nx]`.
    #[must_use]
    pub fn shape(&self) -> D::Cell {
        D::from_zyx(self.layout.size)
    }
    /// `[units: world units]` The distance between cell centres.
    #[must_use]
    pub fn spacing(&self) -> f64 {
        self.spacing
    }
    /// `[units: world units]` The centre of the first cell.
    #[must_use]
    pub fn origin(&self) -> D::Point {
        D::from_xyz(self.origin)
    }
    /// `[units: time]` The time that one step of a wave stands for.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// `[units: 1 / time]` The factor of `dz/dt`.
    #[must_use]
    pub fn damping(&self) -> f64 {
        self.damping
    }
    /// What walls do.
    #[must_use]
    pub fn wall_rule(&self) -> WallRule {
        self.rule
    }
    /// Whether the wave is equally fast everywhere, by what was asked for: true if neither
    /// [`MediumBuilder::speeds`] nor [`Medium::set_speed`] was called.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.uniform
    }
    /// How often walls were edited since the medium was built.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The cell around `position`, or `None` if no cell covers it.
    #[must_use]
    pub fn cell_at(&self, position: impl Into<D::Point>) -> Option<D::Cell> {
        let p = self.to_cells(position.into());
        self.nearest(p).map(D::from_zyx)
    }
    /// `[units: world units]` The centre of `cell`, which need not be inside the grid.
    #[must_use]
    pub fn centre(&self, cell: D::Cell) -> D::Point {
        let [z, y, x] = D::to_zyx(cell).map(|v| v as f64);
        self.from_cells([x, y, z])
    }
    /// Whether `cell` is a wall; cells outside the grid are.
    #[must_use]
    #[inline]
    pub fn is_wall(&self, cell: D::Cell) -> bool {
        let cell = D::to_zyx(cell);
        !self.layout.contains(cell) || !self.is_open(self.layout.index(cell))
    }
    /// Whether the cells from `first` on along the x axis, so many, are all on the grid and none a
    /// wall: what asks for many neighbours at once, as lines of sight do.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    #[inline]
    pub fn is_open_row(&self, first: D::Cell, cells: usize) -> bool {
        let [z, y, x] = D::to_zyx(first);
        let [nz, ny, nx] = self.layout.size;
        if z >= nz || y >= ny || x >= nx || cells > nx - x {
            return false;
        }
        let i = self.layout.index([z, y, x]);
        if self.open.is_empty() {
            return self.delta[i..i + cells].iter().all(|&delta| delta > S::ZERO);
        }
        // Short rows, as most are, lie in two words at the most.
        let (low, high) = (i / 64, (i + cells.max(1) - 1) / 64);
        if cells < 64 {
            let words = u128::from(self.open[low]) | u128::from(self.open[high]) << 64;
            let asked = (1u64 << cells) - 1;
            return !((words >> (i % 64)) as u64) & asked == 0;
        }
        let (mut i, end) = (i, i + cells);
        while i < end {
            let taken = (64 - i % 64).min(end - i);
            let mask = (u64::MAX >> (64 - taken)) << (i % 64);
            if self.open[i / 64] & mask != mask {
                return false;
            }
            i += taken;
        }
        true
    }
    /// All walls, as an array of the grid's shape.
    #[must_use]
    pub fn walls(&self) -> Array<bool, D> {
        let mut cells = self.layout.indices();
        let shape = D::shape(self.shape());
        Array::from_shape_simple_fn(shape, || cells.next().is_none_or(|i| !self.is_open(i)))
    }
    /// `[units: world units per time]` The wave speed of `cell`, to rounding; of a wall, the speed
    /// it will have when it is opened. `None` outside the grid.
    #[must_use]
    pub fn speed(&self, cell: D::Cell) -> Option<f64> {
        let cell = D::to_zyx(cell);
        let i = self.layout.contains(cell).then(|| self.layout.index(cell))?;
        Some(self.cell_delta(i).to_f64().sqrt() * self.spacing / self.dt)
    }
    /// `[units: world units per time]` The wave speed of the fastest open cell, to rounding; 0 if
    /// there is none.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn fastest_speed(&self) -> f64 {
        self.delta_range().1.sqrt() * self.spacing / self.dt
    }
    /// Open cells.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn open_cells(&self) -> usize {
        self.layout.indices().filter(|&i| self.is_open(i)).count()
    }

    /// Makes `cell` a wall or frees it. What counts is what it is when a wave steps next: then a
    /// wave in a wall is gone. The cell keeps its speed.
    ///
    /// # Errors
    /// [`MediumError::OutOfGrid`].
    ///
    /// # Complexity
    /// O(1).
    pub fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), MediumError> {
        let i = self.checked_index(cell)?;
        if self.is_open(i) != wall {
            return Ok(());
        }
        self.set_cell(i, self.cell_delta(i), wall);
        self.count_neighbours(i);
        for s in 0..self.layout.strides().len() {
            let s = self.layout.strides()[s];
            self.count_neighbours(i - s);
            self.count_neighbours(i + s);
        }
        self.log.push_back(i as u32);
        if self.log.len() > LOG {
            self.log.pop_front();
        }
        self.revision += 1;
        Ok(())
    }

    /// Whether [`Medium::set_speed`] would take this speed.
    ///
    /// # Errors
    /// As [`Medium::set_speed`]'s for cell 0.
    pub fn check_speed(&self, speed: f64) -> Result<(), MediumError> {
        self.delta_at([0; 3], speed).map(|_| ())
    }

    /// Sets the wave speed of `cell`, now or, if it is a wall, for when it is opened.
    ///
    /// # Errors
    /// [`MediumError::OutOfGrid`]; [`MediumError::UnstableSpeed`] and [`MediumError::SlowSpeed`]
    /// with the bounds that the medium's time step sets.
    ///
    /// # Complexity
    /// O(1).
    pub fn set_speed(&mut self, cell: D::Cell, speed: f64) -> Result<(), MediumError> {
        let i = self.checked_index(cell)?;
        let delta = self.delta_at(D::to_zyx(cell), speed)?;
        self.set_cell(i, delta, !self.is_open(i));
        self.count_neighbours(i);
        self.uniform = false;
        self.speed_edits += 1;
        Ok(())
    }

    /// The factor `mu dt / 2` of the damped scheme.
    pub(crate) fn half_damping(&self) -> S {
        S::from_f64(self.damping * self.dt / 2.0)
    }

    /// delta of every cell, where speeds do not differ.
    pub(crate) fn uniform_delta(&self) -> S {
        self.cell_delta(self.layout.lead)
    }

    pub(crate) fn is_open(&self, index: usize) -> bool {
        match self.open.get(index / 64) {
            Some(word) => word >> (index % 64) & 1 == 1,
            None => self.delta[index] > S::ZERO,
        }
    }

    pub(crate) fn speed_edits(&self) -> u64 {
        self.speed_edits
    }

    /// How many edits there have been, of walls and of speeds.
    pub(crate) fn edits(&self) -> u64 {
        self.revision + self.speed_edits
    }

    /// The slowest and the fastest delta of the open cells; infinite and 0 where there is none.
    ///
    /// # Complexity
    /// O(cells), where all have the same speed up to the first that is open.
    pub(crate) fn delta_range(&self) -> (f64, f64) {
        let packed = self.k.is_empty();
        let open = self.delta.iter().filter(|&&delta| delta > S::ZERO);
        let deltas = open.map(|&delta| if packed { delta.unpack().0 } else { delta }.to_f64());
        let all = if self.uniform { 1 } else { usize::MAX };
        deltas.take(all).fold((f64::INFINITY, 0.0), |(lo, hi), d| (lo.min(d), hi.max(d)))
    }

    /// `position` in cells, `[x, y, z]`.
    pub(crate) fn to_cells(&self, position: D::Point) -> [f64; 3] {
        let p = D::to_xyz(position);
        std::array::from_fn(|a| (p[a] - self.origin[a]) / self.spacing)
    }
    /// The inverse of [`Medium::to_cells`].
    #[allow(clippy::wrong_self_convention)] // converts from cells, by this medium
    pub(crate) fn from_cells(&self, p: [f64; 3]) -> D::Point {
        D::from_xyz(std::array::from_fn(|a| p[a] * self.spacing + self.origin[a]))
    }
    /// The cell `[z, y, x]` whose centre is nearest to a position in cells.
    pub(crate) fn nearest(&self, p: [f64; 3]) -> Option<[usize; 3]> {
        let mut cell = [0; 3];
        for a in 0..3 {
            let c = (p[a] + 0.5).floor();
            let n = self.layout.size[2 - a];
            if !(c >= 0.0 && c < n as f64) {
                return None;
            }
            cell[2 - a] = c as usize;
        }
        Some(cell)
    }

    /// Cells that became a wall or free since `seen` edits, oldest first; `None` if the log does
    /// not reach back so far.
    pub(crate) fn edits_since(&self, seen: u64) -> Option<impl Iterator<Item = usize> + '_> {
        let missed = usize::try_from(self.revision.checked_sub(seen)?).ok()?;
        let first = self.log.len().checked_sub(missed)?;
        Some(self.log.range(first..).map(|&i| i as usize))
    }

    pub(crate) fn checked_index(&self, cell: D::Cell) -> Result<usize, MediumError> {
        let cell = D::to_zyx(cell);
        if self.layout.contains(cell) {
            Ok(self.layout.index(cell))
        } else {
            Err(MediumError::OutOfGrid { cell, shape: self.layout.size })
        }
    }

    fn delta_at(&self, cell: [usize; 3], value: f64) -> Result<S, MediumError> {
        if !MAGNITUDES.contains(&value) {
            return Err(MediumError::Speed { value, cell });
        }
        self.delta_of(value)
    }

    fn delta_of(&self, speed: f64) -> Result<S, MediumError> {
        let (dt, axes) = (self.dt, self.layout.long_axes() as f64);
        let courant = speed * dt / self.spacing;
        if !is_stable::<S>(courant, axes) {
            let mut max_speed = self.spacing / (dt * axes.sqrt());
            while !is_stable::<S>(max_speed * dt / self.spacing, axes) {
                max_speed *= 1.0 - S::EPSILON.to_f64() / 2.0;
            }
            return Err(MediumError::UnstableSpeed { speed, dt, max_speed });
        }
        if courant * courant < Self::MIN_DELTA {
            // A little above the bound, so that rounding does not refuse what the error names.
            let min_speed = (Self::MIN_DELTA.sqrt() * self.spacing / dt) * (1.0 + 1e-12);
            return Err(MediumError::SlowSpeed { speed, dt, min_speed });
        }
        Ok(S::from_f64(courant * courant))
    }

    /// As plain data.
    #[cfg(feature = "serde")]
    pub(crate) fn state(&self) -> MediumState {
        let cell = |i| {
            let delta = self.cell_delta(i);
            if self.is_open(i) { delta } else { -delta }
        };
        MediumState {
            format: 8 * size_of::<S>() as u32,
            size: self.layout.size,
            spacing: self.spacing.to_bits(),
            origin: self.origin.map(f64::to_bits),
            dt: self.dt.to_bits(),
            damping: self.damping.to_bits(),
            wall_rule: self.rule,
            uniform: self.uniform,
            speed_edits: self.speed_edits,
            revision: self.revision,
            log: self.log.iter().map(|&i| state::number(&self.layout, i as usize)).collect(),
            delta: state::bits(&self.layout, cell),
        }
    }

    /// The inverse of [`Medium::state`], checked as [`MediumBuilder::build`] does.
    #[cfg(feature = "serde")]
    pub(crate) fn from_state(from: &MediumState) -> Result<Self, StateError> {
        let layout = state::layout::<D, S>(from.size, from.format)?;
        state::check_length(&layout, "delta", from.delta.len())?;
        state::check_count("revision", from.revision)?;
        state::check_count("speed_edits", from.speed_edits)?;
        let within = |what, bits, range: RangeInclusive<f64>| {
            let value = f64::from_bits(bits);
            if range.contains(&value) { Ok(value) } else { Err(StateError::Value { what, value }) }
        };
        let dt = within("dt", from.dt, DTS)?;
        let mut origin = [0.0; 3];
        for (origin, &bits) in origin.iter_mut().zip(&from.origin) {
            *origin = within("origin", bits, f64::MIN..=f64::MAX)?;
        }
        let edited = from.log.len();
        if edited > LOG || edited as u64 > from.revision {
            return Err(StateError::Length { what: "log", found: edited, expected: LOG });
        }
        let log = from.log.iter().map(|&cell| {
            let value = cell as f64;
            let index = state::index(&layout, cell).map(|i| i as u32);
            index.ok_or(StateError::Value { what: "an edited cell", value })
        });
        let (delta, centre, k) = coefficients(&layout);
        let mut medium = Self {
            delta,
            k,
            centre,
            kinds: without_cells(&layout),
            open: open_bits(&layout),
            spacing: within("spacing", from.spacing, MAGNITUDES)?,
            origin,
            dt,
            damping: within("damping", from.damping, 0.0..=MAX_DAMPING / dt)?,
            rule: from.wall_rule,
            uniform: from.uniform,
            speed_edits: from.speed_edits,
            log: log.collect::<Result<_, _>>()?,
            revision: from.revision,
            identity: Identity::new(),
            space: PhantomData,
            layout: layout.clone(),
        };
        let axes = layout.long_axes() as f64;
        let fits = |delta: S| {
            let delta = delta.abs().to_f64();
            delta >= Self::MIN_DELTA && delta * axes <= 1.0
        };
        state::fill(&layout, "delta", &from.delta, fits, |i, delta| {
            medium.set_cell(i, delta.abs(), delta < S::ZERO);
        })?;
        medium.count_all_neighbours();
        Ok(medium)
    }

    /// The delta of a cell, of a wall the one that it will have when it is opened.
    pub(crate) fn cell_delta(&self, i: usize) -> S {
        match (self.is_open(i), self.centre.get(i)) {
            (true, Some(_)) => self.delta[i],
            (true, None) => self.delta[i].unpack().0,
            (false, Some(&kept)) => kept,
            (false, None) => self.delta[i].abs(),
        }
    }

    /// The neighbours that count, of the open cells among those from `first` on.
    pub(crate) fn read_k(&self, first: usize, to: &mut [u8]) {
        self.read(&self.k, first, to, |(_, k)| k);
    }

    /// delta of the cells from `first` on, 0 in walls.
    pub(crate) fn read_delta(&self, first: usize, to: &mut [S]) {
        self.read(&self.delta, first, to, |(delta, _)| delta);
    }

    /// What flat grids have in an array of its own and deep ones packed.
    fn read<T: Copy>(&self, flat: &[T], first: usize, to: &mut [T], part: impl Fn((S, u8)) -> T) {
        let cells = first..first + to.len();
        if self.k.is_empty() {
            let packed = self.delta[cells].iter();
            to.iter_mut().zip(packed).for_each(|(to, packed)| *to = part(packed.unpack()));
        } else {
            to.copy_from_slice(&flat[cells]);
        }
    }

    /// Makes a cell an open one or a wall of this delta; its neighbours are to be counted then.
    fn set_cell(&mut self, i: usize, delta: S, wall: bool) {
        self.delta[i] = match self.centre.get_mut(i) {
            Some(kept) if wall => {
                *kept = delta;
                S::ZERO
            }
            Some(_) => delta,
            None if wall => -delta,
            None => S::pack(delta, 0),
        };
        if let Some(word) = self.open.get_mut(i / 64) {
            *word = *word & !(1 << (i % 64)) | u64::from(!wall) << (i % 64);
        }
    }

    /// Counts k again. Storage outside the grid has k = 0 and stays so.
    fn count_neighbours(&mut self, i: usize) {
        if i < self.layout.lead {
            return;
        }
        let cell = self.layout.cell(i);
        if self.layout.contains(cell) {
            self.count_neighbours_of(i, cell);
        }
    }

    /// Of all cells.
    fn count_all_neighbours(&mut self) {
        let [nz, ny, nx] = self.layout.size;
        for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
            let first = self.layout.index([z, y, 0]);
            (0..nx).for_each(|x| self.count_neighbours_of(first + x, [z, y, x]));
        }
    }

    fn count_neighbours_of(&mut self, i: usize, cell: [usize; 3]) {
        let mut k = 0;
        for (a, &s) in self.layout.strides().iter().enumerate() {
            let (c, n) = (cell[2 - a], self.layout.size[2 - a]);
            let counts = |j: usize| self.rule == WallRule::Fixed || self.is_open(j);
            k += u8::from(c > 0 && counts(i - s)) + u8::from(c + 1 < n && counts(i + s));
        }
        let (open, delta) = (self.is_open(i), self.cell_delta(i));
        if let Some(kept) = self.k.get_mut(i) {
            *kept = k;
            if open {
                self.centre[i] = centre(delta, S::from_u8(k));
            }
        } else if open {
            self.delta[i] = S::pack(delta, k);
        }
        let Some(kinds) = &mut self.kinds else { return };
        if !open {
            kinds.close(i);
        } else if kinds.open(i, delta, k).is_err() {
            self.kinds = None;
        }
    }
}

/// delta and, on flat grids, `centre` and k, without a cell.
fn coefficients<S: Real>(layout: &Layout) -> (Cells<S>, Cells<S>, Vec<u8>) {
    if layout.size[0] > 1 {
        return (layout.cells(Role::Delta, S::OUTSIDE), Cells::none(), Vec::new());
    }
    let [delta, centre] = [Role::Delta, Role::Centre].map(|role| layout.cells(role, S::ZERO));
    (delta, centre, vec![0; layout.len])
}

/// Kinds without a cell, where some run is faster by them.
fn without_cells<S: Real>(layout: &Layout) -> Option<Box<Kinds<S>>> {
    let few = S::kinds(Simd::best());
    (few > 0 && kinds::help(layout, 1)).then(|| Box::new(Kinds::new(layout, few)))
}

/// No cell is open.
fn open_bits(layout: &Layout) -> Vec<u64> {
    if Layout::is_large(layout.size) { Vec::new() } else { vec![0; layout.len.div_ceil(64)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrival::march::tests::dice;
    use crate::dense::kernel::Kernels;
    use ndarray::{Array3, Ix2, Ix3};
    use proptest::prelude::*;

    /// As if a run were faster by so few, whatever the processor.
    fn with_kinds<D: Space, S: Real>(mut medium: Medium<D, S>, few: usize) -> Medium<D, S> {
        medium.kinds = Some(Box::new(Kinds::new(&medium.layout, few)));
        medium.count_all_neighbours();
        medium
    }

    /// Edits in which no more than `speeds` speeds occur, and whether a byte could name all kinds.
    fn are_told_of_edits<D: Space, S: Real>(
        few: usize,
        size: [usize; 3],
        speeds: u64,
        seed: u64,
    ) -> bool {
        let mut random = dice();
        for _ in 0..seed {
            random(2);
        }
        let builder = Medium::<D, S>::builder(D::from_zyx(size)).dt(0.2);
        let mut medium = with_kinds(builder.build().unwrap(), few);
        for _ in 0..200 {
            let cell = D::from_zyx(size.map(|n| random(n as u64) as usize));
            if random(2) == 0 {
                medium.set_wall(cell, random(2) == 0).unwrap();
            } else {
                medium.set_speed(cell, 2.0 / (1 + random(speeds)) as f64).unwrap();
            }
            let Some(kinds) = &medium.kinds else { return false };
            let (mut deltas, mut ks) = (vec![S::ZERO; kinds.of().len()], vec![0; kinds.of().len()]);
            medium.read_delta(0, &mut deltas);
            medium.read_k(0, &mut ks);
            for (i, &kind) in kinds.of().iter().enumerate() {
                let found = [kinds.table().delta, kinds.table().centre]
                    .map(|column| column[usize::from(kind)]);
                if i >= medium.layout.lead && medium.is_open(i) {
                    assert_eq!(found, [deltas[i], centre(deltas[i], S::from_u8(ks[i]))]);
                } else {
                    assert_eq!(found, [S::ZERO; 2]);
                }
            }
        }
        true
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn kinds_are_what_the_medium_is(nz in 1..4usize, ny in 1..5usize, nx in 1..20usize, seed in 0..1000u64) {
            let (flat, deep) = ([1, ny, nx], [nz, ny, nx]);
            prop_assert!(are_told_of_edits::<Ix2, f32>(32, flat, 6, seed));
            prop_assert!(are_told_of_edits::<Ix3, f32>(32, deep, 4, seed));
            prop_assert!(are_told_of_edits::<Ix3, f64>(16, deep, 2, seed));
            prop_assert!(are_told_of_edits::<Ix3, f64>(16, deep, 9, seed));
        }
    }

    #[test]
    fn more_speeds_than_a_byte_can_name_are_done_without_kinds() {
        let speeds = Array3::from_shape_fn([3, 10, 20], |(z, y, x)| {
            2.0 / (1 + x + 20 * (y + 10 * z)) as f32
        });
        let medium = Medium::<Ix3>::builder([3, 10, 20]).speeds(&speeds).build().unwrap();
        assert!(with_kinds(medium, 8).kinds.is_none());
    }

    /// One number a cell and, if that, a byte: with a wave's two numbers 13 bytes in `f32`, before
    /// the padding that `layout` answers for.
    #[test]
    fn a_deep_medium_is_a_number_and_at_most_a_byte_a_cell() {
        let medium = Medium::<Ix3>::builder([20, 30, 40]).build().unwrap();
        assert!(medium.k.is_empty() && medium.centre.is_empty());
        assert_eq!(medium.delta.len(), medium.layout.len);
        let kinds = medium.kinds.as_ref().map_or(0, |kinds| size_of_val(kinds.of()));
        let looked_up = f32::kinds(Simd::best()) > 0;
        assert_eq!(kinds, if looked_up { medium.layout.len } else { 0 });
    }
}
