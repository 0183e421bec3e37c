//! The map behind a medium, whatever its dimension: a 2D grid is one cell deep.

use super::bits::Bits;
use super::edits::{Edit, Edits};
use super::layout::Layout;
use super::links::{Link, Links};
#[cfg(feature = "serde")]
use super::snapshot::MapRecord;
use super::speeds::Speeds;
use crate::error::MediumError;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What a wall does to a wave. The outer edge of the grid is a free end under both rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WallRule {
    /// The published rule: a wall holds z = 0 and counts among the neighbours (a fixed end). A
    /// corridor is then a wave guide with a cut-off: waves longer than it is wide die out.
    Fixed,
    /// A wall adds nothing and is not counted (a free end, as at the outer edge). No cut-off.
    #[default]
    Free,
}

/// The limits of spacings and speeds: their quotients and squares stay numbers.
pub(super) const MAGNITUDES: RangeInclusive<f64> = 1e-30..=1e30;
/// The limits of time steps.
pub(super) const DTS: RangeInclusive<f64> = 1e-90..=1e90;
/// The largest `mu dt`; much smaller ones already leave nothing of a wave.
pub(super) const MAX_DAMPING: f64 = (1 << 11) as f64;
/// `(c dt / h)^2` may not fall below this.
pub(crate) const MIN_DELTA: f64 = 1.0 / (1u64 << 24) as f64;

/// A [`Medium`](super::Medium) without its dimension as a type, for code that is to be compiled
/// once: cells are `[z, y, x]`, positions `[x, y, z]`, and a 2D grid is one cell deep. Most methods
/// are those of a medium, which documents them.
///
/// Storage has no padding: the number of cell `[z, y, x]` is `(z * ny + y) * nx + x`. Halos,
/// coefficients and arrival times belong to the solvers.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "MapRecord", into = "MapRecord"))]
pub(crate) struct Map {
    pub(super) axes: usize,
    pub(super) size: [usize; 3],
    /// A bit for every cell: whether it is open.
    pub(super) open: Bits,
    pub(super) speeds: Speeds,
    pub(super) spacing: f64,
    pub(super) origin: [f64; 3],
    pub(super) dt: f64,
    pub(super) damping: f64,
    pub(super) rule: WallRule,
    /// The links, which never change, so copies share them.
    pub(super) links: Option<Arc<Links>>,
    pub(super) edits: Edits,
}

/// `(c dt / h)^2` of a speed.
fn delta(speed: f64, dt: f64, spacing: f64) -> f64 {
    let courant = speed * dt / spacing;
    courant * courant
}

/// A bound, or the next number below it that is within: rounding may put the bound itself a hair
/// outside.
pub(super) fn within_bound(mut bound: f64, is_within: impl Fn(f64) -> bool) -> f64 {
    while !is_within(bound) {
        bound *= 1.0 - f64::EPSILON / 2.0;
    }
    bound
}

/// The slowest speed: a little above the bound, so that rounding does not refuse the speed that an
/// error names.
pub(super) fn min_speed(dt: f64, spacing: f64) -> f64 {
    (MIN_DELTA.sqrt() * spacing / dt) * (1.0 + 1e-12)
}

/// Whether a speed is stable, `axes` being the number of axes longer than a cell.
pub(super) fn is_stable(speed: f64, dt: f64, spacing: f64, axes: f64) -> bool {
    delta(speed, dt, spacing) * axes <= 1.0
}

impl Map {
    /// The number of axes, 2 or 3.
    pub(crate) fn axes(&self) -> usize {
        self.axes
    }
    /// Cells along z, y and x.
    pub(crate) fn size(&self) -> [usize; 3] {
        self.size
    }
    pub(crate) fn spacing(&self) -> f64 {
        self.spacing
    }
    pub(crate) fn origin(&self) -> [f64; 3] {
        self.origin
    }
    pub(crate) fn dt(&self) -> f64 {
        self.dt
    }
    pub(crate) fn damping(&self) -> f64 {
        self.damping
    }
    pub(crate) fn wall_rule(&self) -> WallRule {
        self.rule
    }
    pub(crate) fn is_uniform(&self) -> bool {
        matches!(self.speeds, Speeds::Uniform(_))
    }
    pub(crate) fn revision(&self) -> u64 {
        self.edits.walls()
    }
    pub(crate) fn memory_bytes(&self) -> usize {
        let links = self.links().map_or(0, Links::memory_bytes);
        self.open.memory_bytes() + self.speeds.memory_bytes() + self.edits.memory_bytes() + links
    }

    #[inline]
    pub(crate) fn is_wall(&self, cell: [usize; 3]) -> bool {
        !self.contains(cell) || !self.is_open(self.number(cell))
    }
    #[inline]
    pub(crate) fn is_open_box(&self, first: [usize; 3], last: [usize; 3]) -> bool {
        if (0..3).any(|a| first[a] > last[a] || last[a] >= self.size[a]) {
            return false;
        }
        let [deep, high, wide] = [0, 1, 2].map(|a: usize| last[a] - first[a] + 1);
        let [_, ny, nx] = self.size;
        let row = |z, y| self.number(first) + (z * ny + y) * nx;
        (0..deep).all(|z| (0..high).all(|y| self.open.all(row(z, y), wide)))
    }
    pub(crate) fn open_cells(&self) -> usize {
        self.open.count()
    }
    pub(crate) fn speed(&self, cell: [usize; 3]) -> Option<f64> {
        self.contains(cell).then(|| self.speeds.at(self.number(cell)))
    }
    pub(crate) fn fastest_speed(&self) -> f64 {
        if let Speeds::Uniform(speed) = self.speeds {
            return if self.open_cells() > 0 { speed } else { 0.0 };
        }
        let open = (0..self.count()).filter(|&cell| self.is_open(cell));
        open.map(|cell| self.speeds.at(cell)).fold(0.0, f64::max)
    }
    /// All links, in the order of the cells where they begin.
    pub(crate) fn all_links(&self) -> impl Iterator<Item = Link<[usize; 3]>> + '_ {
        self.links().into_iter().flat_map(Links::all)
    }
    /// The cell whose centre is nearest to a position in cells, `[x, y, z]`.
    pub(crate) fn nearest(&self, p: [f64; 3]) -> Option<[usize; 3]> {
        let mut cell = [0; 3];
        for a in 0..3 {
            let c = (p[a] + 0.5).floor();
            let n = self.size[2 - a];
            if !(c >= 0.0 && c < n as f64) {
                return None;
            }
            cell[2 - a] = c as usize;
        }
        Some(cell)
    }
    /// A position `[x, y, z]` in cells.
    pub(crate) fn to_cells(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|a| (p[a] - self.origin[a]) / self.spacing)
    }
    /// The inverse of [`Map::to_cells`].
    #[allow(clippy::wrong_self_convention)] // converts from cells, by this map
    pub(crate) fn from_cells(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|a| p[a] * self.spacing + self.origin[a])
    }

    pub(crate) fn set_wall(&mut self, cell: [usize; 3], wall: bool) -> Result<(), MediumError> {
        let number = self.checked(cell)?;
        if self.is_open(number) == wall {
            self.open.set(number, !wall);
            self.edits.add(Edit::Wall(number));
        }
        Ok(())
    }
    pub(crate) fn set_speed(&mut self, cell: [usize; 3], speed: f64) -> Result<(), MediumError> {
        let number = self.checked(cell)?;
        self.check_speed(cell, speed)?;
        self.speeds.set(number, speed, self.size.iter().product());
        self.edits.add(Edit::Speed(number));
        Ok(())
    }
    pub(crate) fn check_speed(&self, cell: [usize; 3], speed: f64) -> Result<(), MediumError> {
        if !MAGNITUDES.contains(&speed) {
            return Err(MediumError::Speed { value: speed, cell: self.name(cell) });
        }
        let (dt, spacing, axes) = (self.dt, self.spacing, self.long_axes() as f64);
        if !is_stable(speed, dt, spacing, axes) {
            let max_speed = spacing / (dt * axes.sqrt());
            let max_speed = within_bound(max_speed, |speed| is_stable(speed, dt, spacing, axes));
            return Err(MediumError::UnstableSpeed { speed, dt, max_speed });
        }
        if delta(speed, dt, spacing) < MIN_DELTA {
            let min_speed = min_speed(dt, spacing);
            return Err(MediumError::SlowSpeed { speed, dt, min_speed });
        }
        Ok(())
    }

    /// Cells of the grid.
    pub(crate) fn count(&self) -> usize {
        self.size.iter().product()
    }
    #[inline]
    pub(crate) fn contains(&self, cell: [usize; 3]) -> bool {
        (0..3).all(|a| cell[a] < self.size[a])
    }
    #[inline]
    pub(crate) fn number(&self, [z, y, x]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[2] + x
    }
    /// The inverse of [`Map::number`].
    pub(crate) fn cell(&self, number: usize) -> [usize; 3] {
        let [_, ny, nx] = self.size;
        [number / nx / ny, number / nx % ny, number % nx]
    }
    /// Whether the cell of this number is open.
    #[inline]
    pub(crate) fn is_open(&self, number: usize) -> bool {
        self.open.get(number)
    }
    pub(crate) fn open(&self) -> &Bits {
        &self.open
    }
    pub(crate) fn speeds(&self) -> &Speeds {
        &self.speeds
    }
    pub(crate) fn links(&self) -> Option<&Links> {
        self.links.as_deref()
    }
    /// Takes links over, none of which may take less than `shortest`.
    pub(super) fn link(
        &mut self,
        links: &[Link<[usize; 3]>],
        shortest: f64,
    ) -> Result<(), MediumError> {
        if !links.is_empty() {
            self.links = Some(Arc::new(Links::new(self, links, shortest)?));
        }
        Ok(())
    }
    pub(crate) fn fastest_of_all(&self) -> f64 {
        self.speeds.fastest()
    }
    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }
    /// `(c dt / h)^2` of a speed, from [`MIN_DELTA`] to the bound of stability.
    pub(crate) fn delta(&self, speed: f64) -> f64 {
        delta(speed, self.dt, self.spacing).max(MIN_DELTA)
    }
    /// [`Map::delta`] as a number of four bytes, by which times of arrival are counted.
    pub(crate) fn short_delta(&self, speed: f64) -> f64 {
        let nearest = self.delta(speed) as f32;
        let is_stable = f64::from(nearest) * self.long_axes() as f64 <= 1.0;
        f64::from(if is_stable { nearest } else { nearest.next_down() })
    }
    /// [`Map::short_delta`] of the fastest of all cells.
    pub(crate) fn fastest_delta(&self) -> f64 {
        self.short_delta(self.fastest_of_all())
    }
    /// [`Map::short_delta`] of the fastest cells among those that count, and how many these are;
    /// where all have one speed, that one's and 0.
    pub(crate) fn fastest(&self, counts: impl Fn(usize) -> bool) -> (f64, usize) {
        if let Speeds::Uniform(speed) = self.speeds {
            return (self.short_delta(speed), 0);
        }
        let (mut fastest, mut cells) = (0.0, 0);
        let mut last = (f64::NAN, 0.0);
        for cell in (0..self.count()).filter(|&cell| counts(cell)) {
            let speed = self.speeds.at(cell);
            if speed != last.0 {
                last = (speed, self.short_delta(speed));
            }
            if last.1 > fastest {
                (fastest, cells) = (last.1, 0);
            }
            cells += usize::from(last.1 == fastest);
        }
        (fastest, cells)
    }
    /// The number of axes longer than a cell: `d` of the stability bound, at least 1.
    pub(crate) fn long_axes(&self) -> usize {
        Layout::long_axes(self.size)
    }
    /// A cell as it is named in errors: `[y, x]` or `[z, y, x]`.
    pub(crate) fn name(&self, cell: [usize; 3]) -> Vec<usize> {
        cell[3 - self.axes..].to_vec()
    }
    /// The number of a cell that must be on the grid.
    pub(crate) fn checked(&self, cell: [usize; 3]) -> Result<usize, MediumError> {
        if self.contains(cell) {
            return Ok(self.number(cell));
        }
        Err(MediumError::OutOfGrid { cell: self.name(cell), shape: self.name(self.size) })
    }
}
