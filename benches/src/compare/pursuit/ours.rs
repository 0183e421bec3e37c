//! Ours: a tracker of wave-track with its default settings.

use super::contestant::{Contestant, Refused};
use super::lattice::{Cell, Lattice, Place};
use glam::DVec2;
use ndarray::{Array2, Ix2};
use rayon::ThreadPool;
use wave_core::Medium;
use wave_track::{Tracker, TrackerConfig};

pub(crate) struct Ours {
    tracker: Tracker<Ix2>,
    lattice: Lattice,
    /// Updates that its waves may take in a frame.
    updates: u64,
    /// Where its frames run if not where the game does.
    pool: Option<ThreadPool>,
}

impl Ours {
    /// `speed` in cells per frame.
    pub(crate) fn new(
        lattice: &Lattice,
        starts: &[Cell],
        speed: f64,
        updates: Option<u64>,
        pool: Option<ThreadPool>,
    ) -> Result<Self, Refused> {
        let (width, height) = (lattice.stride - 2, lattice.open.len() / lattice.stride - 2);
        let walls =
            Array2::from_shape_fn([height, width], |(y, x)| !lattice.open[lattice.cell_at(x, y)]);
        let medium = Medium::builder([height, width]).walls(&walls).build().map_err(refused)?;
        let mut tracker = Tracker::new(medium, TrackerConfig::default()).map_err(refused)?;
        for &cell in starts {
            tracker.add_pursuer(DVec2::from(lattice.centre(cell)), speed).map_err(refused)?;
        }
        let updates = updates.unwrap_or_else(|| tracker.suggested_updates());
        Ok(Self { tracker, lattice: lattice.clone(), updates, pool })
    }
}

impl Contestant for Ours {
    fn set_wall(&mut self, cell: Cell, wall: bool) -> Result<(), Refused> {
        let [x, y] = self.lattice.xy(cell);
        self.tracker.set_wall([y, x], wall).map_err(refused)
    }
    fn frame(&mut self, target: Place) -> Result<(), Refused> {
        let Self { tracker, updates, pool, .. } = self;
        tracker.set_target(DVec2::from(target)).map_err(refused)?;
        let mut frame = || tracker.frame(1.0, *updates);
        let spent = match pool {
            Some(pool) => pool.install(frame),
            None => frame(),
        };
        spent.map(|_| ()).map_err(refused)
    }
    fn place(&self, pursuer: usize) -> Place {
        self.tracker.pursuers()[pursuer].position().to_array()
    }
    fn walked(&self, pursuer: usize) -> f64 {
        self.tracker.pursuers()[pursuer].walked()
    }
    fn state_hash(&self) -> Option<u64> {
        Some(self.tracker.state_hash())
    }
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn refused(error: impl ToString) -> Refused {
    error.to_string()
}
