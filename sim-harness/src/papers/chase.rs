//! Whatever chases a target, so that every method runs in the same loop.

use crate::papers::lee::Lee;
use ndarray::Ix2;
use wave_core::{Medium, Source, Space};
use wave_track::{Method, PursuerId, TrackError, Tracker, TrackerConfig};

/// `[units: cells per step]` How fast pursuers walk. The sources state no speed. They needed 313 to
/// 769 steps for ways that on 100 x 100 cells are 60 to 150 cells long.
pub(super) const STRIDE: f64 = 0.2;

/// `[units: cells]` A pursuer this near has caught the target: both are half a cell thick. The
/// sources state no distance.
pub(super) const CAPTURE: f64 = 1.0;

/// Settings with which the published rules fail; the sources state none of them: a threshold of
/// 0.01 of the amplitude, an amplitude that is also set one step back, and a time step near the
/// limit of stability. At 60 cells in the open the first crest is lower (0.005) than this
/// threshold, behind corners far lower.
pub(super) fn deaf(config: TrackerConfig) -> TrackerConfig {
    let mut method = config.method;
    if let Method::Published { threshold, source, .. } = &mut method {
        (*threshold, *source) = (0.01, Source::Impulse { amplitude: 1.0 });
    }
    TrackerConfig { method, ..config }
}

/// The source of a preset of the published rules.
pub(super) fn published_source(config: TrackerConfig) -> Source {
    match config.method {
        Method::Published { source, .. } => source,
        _ => Source::Kick { amplitude: 1.0 },
    }
}

/// Pursuers by number, on cells of spacing 1.
pub(super) trait Chase<D: Space> {
    fn set_target(&mut self, at: D::Point) -> Result<(), TrackError>;
    fn step(&mut self) -> Result<(), TrackError>;
    /// Where pursuer `i` is; `None` once it was dismissed.
    fn place(&self, i: usize) -> Option<D::Point>;
    /// Takes a pursuer out that has caught the target.
    fn dismiss(&mut self, i: usize) -> Result<(), TrackError>;
}

/// Pursuers that follow the waves of a [`Tracker`].
pub(super) struct WaveChase<D: Space> {
    tracker: Tracker<D>,
    ids: Vec<Option<PursuerId>>,
}

impl<D: Space> WaveChase<D> {
    pub(super) fn new(
        medium: Medium<D>,
        config: TrackerConfig,
        target: D::Point,
        pursuers: &[D::Point],
    ) -> Result<Self, TrackError> {
        let speed = STRIDE * medium.spacing() / medium.dt();
        let mut tracker = Tracker::new(medium, config)?;
        tracker.set_target(target)?;
        let add = |&at| tracker.add_pursuer(at, speed).map(Some);
        let ids = pursuers.iter().map(add).collect::<Result<_, _>>()?;
        Ok(Self { tracker, ids })
    }

    pub(super) fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), TrackError> {
        self.tracker.set_wall(cell, wall)
    }
}

impl<D: Space> Chase<D> for WaveChase<D> {
    fn set_target(&mut self, at: D::Point) -> Result<(), TrackError> {
        self.tracker.set_target(at)
    }
    fn step(&mut self) -> Result<(), TrackError> {
        self.tracker.step()
    }
    fn place(&self, i: usize) -> Option<D::Point> {
        let id = self.ids.get(i).copied().flatten()?;
        self.tracker.pursuer(id).ok().map(wave_track::Pursuer::position)
    }
    fn dismiss(&mut self, i: usize) -> Result<(), TrackError> {
        match self.ids.get_mut(i).and_then(Option::take) {
            Some(id) => self.tracker.remove_pursuer(id).map(drop),
            None => Ok(()),
        }
    }
}

/// Lee's pursuers walk on when they are dismissed; they have no effect on others.
impl Chase<Ix2> for Lee {
    fn set_target(&mut self, at: wave_core::glam::DVec2) -> Result<(), TrackError> {
        Lee::set_target(self, at)
    }
    fn step(&mut self) -> Result<(), TrackError> {
        Lee::step(self)
    }
    fn place(&self, i: usize) -> Option<wave_core::glam::DVec2> {
        self.position(i)
    }
    fn dismiss(&mut self, _: usize) -> Result<(), TrackError> {
        Ok(())
    }
}
