//! How a medium is described, and checked once.

use super::bits::Bits;
use super::edits::Edits;
use super::layout::Layout;
use super::links::Link;
use super::map::{DTS, MAGNITUDES, MAX_DAMPING, Map, WallRule, is_stable, within_bound};
use super::medium::Medium;
use super::space::Space;
use super::speeds::Speeds;
use crate::error::MediumError;
use ndarray::ArrayRef;
use std::ops::RangeInclusive;

/// Collects the properties of a [`Medium`]; nothing is checked before [`MediumBuilder::build`].
#[derive(Clone, Debug)]
pub struct MediumBuilder<'a, D: Space> {
    shape: D::Cell,
    spacing: f64,
    origin: D::Point,
    walls: Option<&'a ArrayRef<bool, D>>,
    speed: f64,
    speeds: Option<(Vec<usize>, Vec<f64>)>,
    links: &'a [Link<D::Cell>],
    rule: WallRule,
    damping: f64,
    step: TimeStep,
}

/// How the time step is given: as a time, or as a share of the limit of stability.
#[derive(Clone, Copy, Debug)]
pub(super) enum TimeStep {
    Time(f64),
    Stability(f64),
}

/// The share of the limit of stability that time steps have by default.
const STABILITY: f64 = 0.98;
/// The same for the published methods: half of the limit. Near the limit odd and even cells hardly
/// know of each other, so the slope between two neighbours of a cell says little about the cell.
const PUBLISHED_STABILITY: f64 = 0.5;

impl<'a, D: Space> MediumBuilder<'a, D> {
    pub(super) fn new(shape: D::Cell) -> Self {
        Self {
            shape,
            spacing: 1.0,
            origin: D::Point::default(),
            walls: None,
            speed: 1.0,
            speeds: None,
            links: &[],
            rule: WallRule::default(),
            damping: 0.0,
            step: TimeStep::Stability(STABILITY),
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
    /// The wave speed per cell, of the grid's shape, `f32` or `f64`, in place of
    /// [`MediumBuilder::speed`].
    #[must_use]
    pub fn speeds<S: Copy + Into<f64>>(mut self, speeds: &'a ArrayRef<S, D>) -> Self {
        let shape = speeds.shape().to_vec();
        self.speeds = Some((shape, speeds.iter().map(|&speed| speed.into()).collect()));
        self
    }
    /// Ways from a cell to another that need not be its neighbour, as jumps and falls are. Only
    /// [`Front`](crate::Front) and [`ArrivalField`](crate::ArrivalField) run through them: a
    /// [`Wave`](crate::Wave) refuses a medium that has any.
    #[must_use]
    pub fn links(mut self, links: &'a [Link<D::Cell>]) -> Self {
        self.links = links;
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
    /// out, it follows from [`MediumBuilder::stability`].
    #[must_use]
    pub fn dt(mut self, dt: f64) -> Self {
        self.step = TimeStep::Time(dt);
        self
    }
    /// `[units: 1] [limits: > 0 to 1] suggested: 0.98; for the published methods 0.5` The time step
    /// by how near it is to the limit of stability: `delta * d` of the fastest cell, where d is the
    /// number of axes. At the limit itself, 1, the shortest waves grow without end, slowly.
    #[must_use]
    pub fn stability(mut self, stability: f64) -> Self {
        self.step = TimeStep::Stability(stability);
        self
    }
    /// The setting for the published methods: walls that are [fixed](WallRule::Fixed), and a time
    /// step at half the limit of stability, delta 0.25 in 2D. Fixed walls are what the papers use.
    /// They do not state the time step; at 0.98 of the limit few of their pursuers catch anybody.
    #[must_use]
    pub fn published(self) -> Self {
        self.wall_rule(WallRule::Fixed).stability(PUBLISHED_STABILITY)
    }

    /// Checks everything once.
    ///
    /// # Errors
    /// [`MediumError`] with the wrong value and its limit.
    ///
    /// # Complexity
    /// O(cells).
    pub fn build(self) -> Result<Medium<D>, MediumError> {
        let walls = self.walls.map(|walls| {
            let cells = walls.as_slice().map_or_else(
                || walls.iter().copied().collect::<Vec<_>>().into(),
                std::borrow::Cow::Borrowed,
            );
            (walls.shape(), cells)
        });
        let speeds = self.speeds.as_ref().map(|(shape, speeds)| (&shape[..], &speeds[..]));
        let settings = Settings {
            axes: D::AXES,
            size: D::to_size(self.shape),
            spacing: self.spacing,
            origin: D::to_xyz(self.origin),
            walls: walls.as_ref().map(|(shape, walls)| (*shape, &walls[..])),
            speed: self.speed,
            speeds,
            rule: self.rule,
            damping: self.damping,
            step: self.step,
        };
        let mut map = settings.build()?;
        let links: Vec<_> = self.links.iter().map(|link| link.map(D::to_zyx)).collect();
        // Not the fastest one of the map, where many speeds are rounded.
        let fastest = |each: &[f64]| each.iter().fold(0.0, |most: f64, speed| most.max(*speed));
        let fastest = self.speeds.as_ref().map_or(self.speed, |(_, each)| fastest(each));
        let shortest = map.spacing / fastest;
        map.link(&links, shortest)?;
        Ok(Medium::of(map))
    }
}

/// The settings of a builder, whatever the dimension. Arrays are a shape and cells in order.
pub(super) struct Settings<'a> {
    pub(super) axes: usize,
    pub(super) size: [usize; 3],
    pub(super) spacing: f64,
    pub(super) origin: [f64; 3],
    pub(super) walls: Option<(&'a [usize], &'a [bool])>,
    pub(super) speed: f64,
    pub(super) speeds: Option<(&'a [usize], &'a [f64])>,
    pub(super) rule: WallRule,
    pub(super) damping: f64,
    pub(super) step: TimeStep,
}

/// A number within its limits.
fn within(
    what: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
    limit: &'static str,
) -> Result<f64, MediumError> {
    if range.contains(&value) { Ok(value) } else { Err(MediumError::Value { what, value, limit }) }
}

impl Settings<'_> {
    pub(super) fn build(self) -> Result<Map, MediumError> {
        let Self { axes, size, .. } = self;
        let shape = &size[3 - axes..];
        if Layout::close(size).is_none() {
            return Err(MediumError::Shape { shape: shape.to_vec() });
        }
        let spacing = within("spacing", self.spacing, MAGNITUDES, "from 1e-30 to 1e30")?;
        within("speed", self.speed, MAGNITUDES, "from 1e-30 to 1e30")?;
        for value in self.origin {
            within("origin", value, f64::MIN..=f64::MAX, "finite")?;
        }
        let same = |what, found: &[usize]| {
            if found == shape {
                return Ok(());
            }
            let (found, expected) = (found.to_vec(), shape.to_vec());
            Err(MediumError::ArrayShape { what, found, expected })
        };
        self.walls.map_or(Ok(()), |(shape, _)| same("walls", shape))?;
        self.speeds.map_or(Ok(()), |(shape, _)| same("speeds", shape))?;
        let count = size.iter().product();
        let mut map = Map {
            axes,
            size,
            open: Bits::new(count, true),
            speeds: Speeds::Uniform(self.speed),
            spacing,
            origin: self.origin,
            dt: 0.0,
            damping: self.damping,
            rule: self.rule,
            links: None,
            edits: Edits::new(),
        };
        let mut fastest = self.speed;
        if let Some((_, speeds)) = self.speeds {
            fastest = 0.0;
            for (number, &value) in speeds.iter().enumerate() {
                if !MAGNITUDES.contains(&value) {
                    let cell = map.name(map.cell(number));
                    return Err(MediumError::Speed { value, cell });
                }
                fastest = fastest.max(value);
            }
            map.speeds = Speeds::each(speeds.iter().copied());
        }
        let axes = map.long_axes() as f64;
        map.dt = match self.step {
            TimeStep::Stability(share) => {
                within("stability", share, f64::MIN_POSITIVE..=1.0, "> 0 to 1")?;
                let dt = (share / axes).sqrt() * spacing / fastest;
                within_bound(dt, |dt| is_stable(fastest, dt, spacing, axes))
            }
            TimeStep::Time(dt) => within("dt", dt, DTS, "from 1e-90 to 1e90")?,
        };
        let most = MAX_DAMPING / map.dt;
        within("damping", self.damping, 0.0..=most, "from 0 to 2^11 / dt")?;
        if !is_stable(fastest, map.dt, spacing, axes) {
            let max_dt = spacing / (fastest * axes.sqrt());
            let max_dt = within_bound(max_dt, |dt| is_stable(fastest, dt, spacing, axes));
            return Err(MediumError::UnstableStep { dt: map.dt, speed: fastest, max_dt });
        }
        let speeds = self.speeds.map_or(std::slice::from_ref(&self.speed), |(_, speeds)| speeds);
        speeds.iter().try_for_each(|&speed| map.check_speed([0; 3], speed))?;
        if let Some((_, walls)) = self.walls {
            for number in (0..count).filter(|&number| walls[number]) {
                map.open.set(number, false);
            }
        }
        Ok(map)
    }
}
