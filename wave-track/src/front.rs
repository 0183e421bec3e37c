//! The fronts that a tracker's waves run on.

use crate::audience::Audience;
use crate::config::Fronts;
use ndarray::Array;
use wave_core::{Front, Link, Medium, RecordedWave, Space, WaveError};

/// The front of one of a tracker's waves.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
#[allow(clippy::large_enum_variant)] // a tracker has no more than eight
pub enum TrackerFront<D: Space> {
    /// A wave that visits every cell, in `f32`.
    Wave(RecordedWave<D>),
    /// The front of short waves.
    Short(Front<D>),
}

/// Calls the same method of either.
macro_rules! either {
    ($self:expr, $front:ident => $does:expr) => {
        match $self {
            Self::Wave($front) => $does,
            Self::Short($front) => $does,
        }
    };
}

impl<D: Space> TrackerFront<D> {
    pub(crate) fn new(medium: &Medium<D>, fronts: Fronts) -> Result<Self, WaveError> {
        Ok(match fronts {
            Fronts::ShortWaves => Self::Short(Front::new(medium)),
            Fronts::Waves => Self::Wave(RecordedWave::new(medium)?),
        })
    }

    /// A wave for all, or for the cells of a box.
    pub(crate) fn emit(
        &mut self,
        medium: &Medium<D>,
        cells: &[D::Cell],
        audience: Option<Audience<D>>,
    ) -> Result<(), WaveError> {
        match self {
            Self::Short(front) => match audience {
                Some((corners, steps)) => front.emit_toward(medium, cells, corners, steps),
                None => front.emit(medium, cells),
            },
            Self::Wave(wave) => wave.emit(medium, cells, RecordedWave::pulse(medium)),
        }
    }

    /// Brings a wave up to date with the walls, if that is possible for so many updates. Returns
    /// whether it was, and the cost.
    pub(crate) fn repair(
        &mut self,
        medium: &Medium<D>,
        updates: u64,
    ) -> Result<(bool, u64), WaveError> {
        let Self::Short(front) = self else { return Ok((false, 0)) };
        let before = front.updates();
        let is_repaired = front.repair(medium, updates)?;
        Ok((is_repaired, front.updates() - before))
    }

    pub(crate) fn clear(&mut self) {
        either!(self, front => front.clear());
    }

    #[cfg(feature = "serde")]
    pub(crate) fn fits(&self, medium: &Medium<D>, fronts: Fronts) -> bool {
        let is_short = matches!(self, Self::Short(_));
        is_short == (fronts == Fronts::ShortWaves) && either!(self, front => front.fits(medium))
    }

    /// `[units: updates]` The least amount that it can go on by.
    pub(crate) fn least_cost(&self) -> u64 {
        either!(self, front => front.next_updates())
    }

    pub(crate) fn edits_behind(&self, medium: &Medium<D>) -> Result<u64, WaveError> {
        either!(self, front => front.edits_behind(medium))
    }

    pub(crate) fn step_within(
        &mut self,
        medium: &Medium<D>,
        steps: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        either!(self, front => front.step_within(medium, steps, updates))
    }

    /// Whether no wave is on its way.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        either!(self, front => front.has_ended())
    }
    /// Whether the wave ended although cells were still waiting for it: on large maps waves are for
    /// the pursuers that listen, and leave out cells that lead to none of them.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        either!(self, front => front.is_exhausted())
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        either!(self, front => front.steps())
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        either!(self, front => front.reached_cells())
    }
    /// `[units: steps]` When the wave came to `cell`, `None` in cells not reached and outside the
    /// grid.
    #[must_use]
    #[inline]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        either!(self, front => front.arrival(cell))
    }
    /// Where the wave came from, as a unit vector: the way home. Zero at the sources, `None` in
    /// cells not reached.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        either!(self, front => front.direction(cell))
    }
    /// See [`Front::directions_of_four`]; `None` for a wave that visits every cell.
    pub(crate) fn directions_of_four(&self, last: D::Cell) -> Option<[Option<D::Point>; 4]> {
        if let Self::Short(front) = self { front.directions_of_four(last) } else { None }
    }
    /// The link by which the way home leads on from `cell`, if it leads on by one.
    #[must_use]
    pub fn link(&self, medium: &Medium<D>, cell: D::Cell) -> Option<Link<D::Cell>> {
        match self {
            Self::Wave(_) => None,
            Self::Short(front) => front.link(medium, cell),
        }
    }
    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn arrivals(&self) -> Array<f32, D> {
        either!(self, front => front.arrivals())
    }
    /// A hash of the whole state: equal for equal bits.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        either!(self, front => front.state_hash())
    }
}
