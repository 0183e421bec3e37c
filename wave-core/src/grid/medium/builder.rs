//! How a medium is described, and checked once.

use super::{
    DTS, Identity, MAGNITUDES, MAX_DAMPING, Medium, WallRule, coefficients, is_stable, open_bits,
    without_cells,
};
use crate::dense::real::Real;
use crate::error::MediumError;
use crate::grid::layout::Layout;
use crate::grid::space::Space;
use ndarray::ArrayRef;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// Collects the properties of a [`Medium`]; nothing is checked before [`MediumBuilder::build`].
#[derive(Clone, Debug)]
pub struct MediumBuilder<'a, D: Space, S: Real = f32> {
    shape: D::Cell,
    spacing: f64,
    origin: D::Point,
    walls: Option<&'a ArrayRef<bool, D>>,
    speed: f64,
    speeds: Option<&'a ArrayRef<S, D>>,
    rule: WallRule,
    damping: f64,
    dt: Option<f64>,
}

impl<'a, D: Space, S: Real> MediumBuilder<'a, D, S> {
    pub(super) fn new(shape: D::Cell) -> Self {
        Self {
            shape,
            spacing: 1.0,
            origin: D::Point::default(),
            walls: None,
            speed: 1.0,
            speeds: None,
            rule: WallRule::default(),
            damping: 0.0,
            dt: None,
        }
    }

    /// `[units: world units] [limits: 1e-30 to 1e30] suggested: 1` The distance between cell
    /// centres.
    #[must_use]
    pub fn spacing(mut self, spacing: f64) -> Self {
        self.spacing = spacing;
        self
    }
    /// `[units: world units] [limits: finite] suggested: 0` The centre of the first cell.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<D::Point>) -> Self {
        self.origin = origin.into();
        self
    }
    /// True where a cell is a wall; of the grid's shape. Default: no walls.
    #[must_use]
    pub fn walls(mut self, walls: &'a ArrayRef<bool, D>) -> Self {
        self.walls = Some(walls);
        self
    }
    /// `[units: world units per time] [limits: 1e-30 to 1e30] suggested: 1` The wave speed of every
    /// cell that [`MediumBuilder::speeds`] does not set.
    #[must_use]
    pub fn speed(mut self, speed: f64) -> Self {
        self.speed = speed;
        self
    }
    /// The wave speed per cell, of the grid's shape, in place of [`MediumBuilder::speed`].
    #[must_use]
    pub fn speeds(mut self, speeds: &'a ArrayRef<S, D>) -> Self {
        self.speeds = Some(speeds);
        self
    }
    /// What walls do. Default: [`WallRule::Free`].
    #[must_use]
    pub fn wall_rule(mut self, rule: WallRule) -> Self {
        self.rule = rule;
        self
    }
    /// `[units: 1 / time] [limits: 0 to 2^11 / dt] suggested: 0` The factor of `dz/dt`.
    #[must_use]
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
    /// `[units: time] [limits: 1e-90 to 1e90, stable] suggested: leave out` The time step. Left
    /// out, it is the one at which `delta * d` of the fastest cell is 0.98, 1 being the limit of
    /// stability. At the limit itself the shortest waves grow without end, slowly.
    #[must_use]
    pub fn dt(mut self, dt: f64) -> Self {
        self.dt = Some(dt);
        self
    }

    /// Checks everything once.
    ///
    /// # Errors
    /// [`MediumError`], with the value that is wrong and its limit.
    ///
    /// # Complexity
    /// O(cells).
    pub fn build(self) -> Result<Medium<D, S>, MediumError> {
        let size = D::to_size(self.shape);
        let layout = Layout::new(size, size_of::<S>()).ok_or(MediumError::Shape { shape: size })?;
        let within = |what, value: f64, range: RangeInclusive<f64>, limit| {
            if range.contains(&value) {
                Ok(value)
            } else {
                Err(MediumError::Value { what, value, limit })
            }
        };
        let spacing = within("spacing", self.spacing, MAGNITUDES, "from 1e-30 to 1e30")?;
        within("speed", self.speed, MAGNITUDES, "from 1e-30 to 1e30")?;
        let origin = D::to_xyz(self.origin);
        for value in origin {
            within("origin", value, f64::MIN..=f64::MAX, "finite")?;
        }
        let dim = D::shape(self.shape);
        let same = |what, found: &[usize]| {
            let expected = dim.slice();
            if found == expected {
                return Ok(());
            }
            let (found, expected) = (found.to_vec(), expected.to_vec());
            Err(MediumError::ArrayShape { what, found, expected })
        };
        if let Some(walls) = self.walls {
            same("walls", walls.shape())?;
        }
        let mut fastest = self.speed;
        if let Some(speeds) = self.speeds {
            same("speeds", speeds.shape())?;
            fastest = 0.0;
            for (&speed, index) in speeds.iter().zip(layout.indices()) {
                let value = speed.to_f64();
                if !MAGNITUDES.contains(&value) {
                    return Err(MediumError::Speed { value, cell: layout.cell(index) });
                }
                fastest = fastest.max(value);
            }
        }
        let axes = layout.long_axes() as f64;
        let dt = match self.dt {
            None => (0.98 / axes).sqrt() * spacing / fastest,
            Some(dt) => within("dt", dt, DTS, "from 1e-90 to 1e90")?,
        };
        let damping =
            within("damping", self.damping, 0.0..=MAX_DAMPING / dt, "from 0 to 2^11 / dt")?;
        if !is_stable::<S>(fastest * dt / spacing, axes) {
            let mut max_dt = spacing / (fastest * axes.sqrt());
            // Rounding may put the bound itself a hair outside.
            while !is_stable::<S>(fastest * max_dt / spacing, axes) {
                max_dt *= 1.0 - S::EPSILON.to_f64() / 2.0;
            }
            return Err(MediumError::UnstableStep { dt, speed: fastest, max_dt });
        }

        let (delta, centre, k) = coefficients(&layout);
        let mut medium = Medium {
            delta,
            k,
            centre,
            kinds: without_cells(&layout),
            open: open_bits(&layout),
            spacing,
            origin,
            dt,
            damping,
            rule: self.rule,
            uniform: self.speeds.is_none(),
            speed_edits: 0,
            log: VecDeque::new(),
            revision: 0,
            identity: Identity::new(),
            space: PhantomData,
            layout,
        };
        let uniform = medium.delta_of(self.speed);
        let layout = medium.layout.clone();
        let mut speeds = self.speeds.map(|speeds| speeds.iter());
        let mut walls = self.walls.map(|walls| walls.iter());
        for i in layout.indices() {
            let delta = match speeds.as_mut().and_then(Iterator::next) {
                Some(speed) => medium.delta_of(speed.to_f64())?,
                None => uniform.clone()?,
            };
            let wall = walls.as_mut().and_then(Iterator::next) == Some(&true);
            medium.set_cell(i, delta, wall);
        }
        medium.count_all_neighbours();
        Ok(medium)
    }
}
