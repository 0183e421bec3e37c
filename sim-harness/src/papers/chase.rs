//! Whatever chases a target, so that every method runs in the same loop.

use crate::papers::lee::{Lee, StraightWalker, distance};
use ndarray::Ix2;
use wave_core::{Medium, Source, Space, Wave};
use wave_track::{Method, PursuerId, TrackError, Tracker, TrackerConfig};

/// `[units: cells per step]` How fast pursuers walk. The sources state no speed. They needed 313 to
/// 769 steps for ways that on 100 x 100 cells are 60 to 150 cells long.
pub(super) const STRIDE: f64 = 0.2;

/// `[units: cells]` A pursuer this near has caught the target: both are half a cell thick. The
/// sources state no distance.
pub(super) const CAPTURE: f64 = 1.0;

/// What the published rules need and the sources do not state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// How far the time step is up to the limit of stability: delta times the axes, at most 1.
    pub(super) share: f64,
    /// `[units: of the source's amplitude]` What |z| must pass.
    pub(super) threshold: f64,
}

/// The crates' defaults. At 60 cells in the open the first crest is lower (0.005) than this
/// threshold, behind corners far lower; and so near to the limit of stability odd and even cells
/// hardly know of each other, so that the slope between two neighbours of a cell says little about
/// the cell.
pub(super) const PRESET: Reading = Reading { share: 0.98, threshold: 0.01 };

/// Found by trial in favour of the published rules, once for both sources: steps of 1, 0.7 and 0.5
/// times the default were tried, with thresholds from 0.01 down to 1e-10. With a step of 0.7 and
/// the lowest threshold these rules do what the sources report.
pub(super) const SENSITIVE: Reading = Reading { share: 0.5, threshold: 1e-10 };

impl Reading {
    /// The time step for spacing and wave speed 1 along `axes` axes.
    pub(super) fn dt(self, axes: usize) -> f64 {
        (self.share / axes as f64).sqrt()
    }
    /// The published rules with `waves` waves.
    pub(super) fn config(self, waves: usize) -> TrackerConfig {
        let source = Source::Impulse { amplitude: 1.0 };
        let method = Method::Published { threshold: self.threshold, source };
        TrackerConfig { method, waves: Some(waves), ..TrackerConfig::published() }
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

/// A chase on a map that changes.
pub(super) trait OnChangingMap<D: Space>: Chase<D> {
    fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), TrackError>;
}

/// Pursuers that follow the waves of a [`Tracker`].
pub(super) struct WaveChase<D: Space> {
    tracker: Tracker<D, f64>,
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
        let mut tracker = Tracker::typed(medium, config)?;
        tracker.set_target(target)?;
        let add = |&at| tracker.add_pursuer(at, speed).map(Some);
        let ids = pursuers.iter().map(add).collect::<Result<_, _>>()?;
        Ok(Self { tracker, ids })
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

impl<D: Space> OnChangingMap<D> for WaveChase<D> {
    fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), TrackError> {
        self.tracker.set_wall(cell, wall)
    }
}

/// Lee's pursuers walk on when they are dismissed; they bear on nobody.
impl Chase<Ix2> for Lee {
    fn set_target(&mut self, at: glam::DVec2) -> Result<(), TrackError> {
        Lee::set_target(self, at)
    }
    fn step(&mut self) -> Result<(), TrackError> {
        Lee::step(self)
    }
    fn place(&self, i: usize) -> Option<glam::DVec2> {
        self.position(i)
    }
    fn dismiss(&mut self, _: usize) -> Result<(), TrackError> {
        Ok(())
    }
}

/// One pursuer by kumagai-2024 2.2 to the letter: one wave; when it has come to the cell nearest to
/// the pursuer, z is reset to 0 everywhere and the target emits again.
pub(super) struct ResetChase<D: Space> {
    /// The map and its walking rules; its own waves are never run.
    ground: Tracker<D, f64>,
    wave: Wave<D, f64>,
    threshold: f64,
    emits: bool,
    target: D::Point,
    walker: StraightWalker<D>,
}

impl<D: Space> ResetChase<D> {
    pub(super) fn new(
        medium: Medium<D>,
        threshold: f64,
        target: D::Point,
        pursuer: D::Point,
    ) -> Result<Self, TrackError> {
        let config = TrackerConfig { waves: Some(1), ..TrackerConfig::published() };
        let wave = Wave::typed(&medium)?;
        let ground = Tracker::typed(medium, config)?;
        let walker =
            StraightWalker { at: ground.slide(pursuer, D::Point::default())?, heading: None };
        Ok(Self { ground, wave, threshold, emits: true, target, walker })
    }
}

impl<D: Space> Chase<D> for ResetChase<D> {
    fn set_target(&mut self, at: D::Point) -> Result<(), TrackError> {
        self.target = at;
        Ok(())
    }
    fn step(&mut self) -> Result<(), TrackError> {
        let medium = self.ground.medium();
        if let Some(cell) = medium.cell_at(self.target).filter(|_| self.emits) {
            self.wave.clear();
            self.wave.emit(medium, cell, Source::Impulse { amplitude: 1.0 })?;
            self.emits = false;
        }
        self.wave.step(medium, 1)?;
        if let Some(cell) = medium.cell_at(self.walker.at) {
            let z = self.wave.values()[D::shape(cell)];
            if z.abs() > self.threshold {
                self.emits = true;
                let gradient = self.wave.gradient_at(medium, medium.centre(cell))?;
                let up = D::to_xyz(gradient).map(|g| g * z.signum());
                let length = distance::<D>(gradient, D::Point::default());
                if length > 0.0 {
                    self.walker.heading = Some(up.map(|g| g / length));
                }
            }
        }
        self.walker.walk(&self.ground, self.target, STRIDE)
    }
    fn place(&self, _: usize) -> Option<D::Point> {
        Some(self.walker.at)
    }
    fn dismiss(&mut self, _: usize) -> Result<(), TrackError> {
        Ok(())
    }
}

impl<D: Space> OnChangingMap<D> for ResetChase<D> {
    fn set_wall(&mut self, cell: D::Cell, wall: bool) -> Result<(), TrackError> {
        self.ground.set_wall(cell, wall)
    }
}
