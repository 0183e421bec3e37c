//! Pursuers that go ahead of walkers and show them the way.

use crate::crowd::Crowd;
use crate::error::{CrowdError, number};
use crate::walker::{LEAST_RADIUS, Walker, WalkerId};
use ndarray::Ix2;
use std::collections::BTreeMap;
use thiserror::Error;
use wave_core::Space;
use wave_core::glam::DVec2;
use wave_track::{Pursuer, PursuerId, PursuerState, SKIN, TrackError, Tracker};

/// Why a [`Guides`] did not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GuideError {
    /// The crowd's error.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// The tracker's error.
    #[error(transparent)]
    Track(#[from] TrackError),
}

/// A pursuer of a tracker that goes a little ahead of a body: the guide finds the way, and the body
/// keeps its distance from others. In 2D and 3D, for bodies of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guide(PursuerId);

impl Guide {
    /// A guide where its walker is, for a walker of that speed.
    ///
    /// # Errors
    /// As [`Tracker::add_pursuer`].
    pub fn new<D: Space>(
        tracker: &mut Tracker<D>,
        position: D::Point,
        speed: f64,
    ) -> Result<Self, TrackError> {
        tracker.add_pursuer(position, speed).map(Self)
    }

    /// The pursuer that it is.
    #[must_use]
    pub fn pursuer(self) -> PursuerId {
        self.0
    }

    /// What it does, or why it does not move.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`].
    pub fn state<D: Space>(self, tracker: &Tracker<D>) -> Result<PursuerState, TrackError> {
        Ok(tracker.pursuer(self.0)?.state())
    }

    /// Where it is, and its walker should go.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`].
    pub fn position<D: Space>(self, tracker: &Tracker<D>) -> Result<D::Point, TrackError> {
        Ok(tracker.pursuer(self.0)?.position())
    }

    /// Brings it back to its walker where it is further away than `leash`.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`], [`TrackError::OffGrid`], [`TrackError::InWall`].
    pub fn hold<D: Space>(
        self,
        tracker: &mut Tracker<D>,
        walker: D::Point,
        leash: f64,
    ) -> Result<(), TrackError> {
        let [ahead, here] = [self.position(tracker)?, walker].map(D::to_xyz);
        let square: f64 = ahead.iter().zip(here).map(|(a, b)| (a - b) * (a - b)).sum();
        if square > leash * leash {
            tracker.teleport(self.0, walker)?;
        }
        Ok(())
    }
}

/// Walkers of a [`Crowd`] that follow the waves of one [`Tracker`]: a [`Guide`] for each, and the
/// wish to go where it is.
///
/// A crowd may have several, each with a tracker of its own: people who go both ways, say. Targets
/// may move at any time; walls change by [`Guides::set_walls`]. A walker whose guide stands,
/// because it has arrived or no way leads to a target ([`Guide::state`] says which), walks up to it
/// and stands. Links of the tracker's medium are not for walkers: none can follow its guide along
/// one.
///
/// # Example
/// ```
/// use crowd::{Crowd, CrowdConfig, Guides, Walker};
/// use glam::DVec2;
/// use ndarray::{Array2, Ix2};
/// use wave_track::{Tracker, TrackerConfig, wave_core::Medium};
///
/// // Two rooms, and a door one cell wide.
/// let mut walls = Array2::from_elem([12, 24], false);
/// (0..12).filter(|&y| y != 6).for_each(|y| walls[[y, 12]] = true);
/// let medium = Medium::<Ix2>::builder([12, 24]).walls(&walls).build()?;
/// let mut tracker = Tracker::new(medium, TrackerConfig::default())?;
/// tracker.set_target(DVec2::new(22.0, 6.5))?;
/// let mut crowd = Crowd::new(&walls, CrowdConfig::default())?;
/// let mut guides = Guides::new(4.0)?;
/// for i in 0..20 {
///     let place = DVec2::new(2.5 + f64::from(i % 5), 4.5 + f64::from(i / 5));
///     guides.add(&mut tracker, &mut crowd, Walker::new(place, 0.3, 1.3))?;
/// }
/// let (budget, time) = (tracker.suggested_updates(), 1.0 / 30.0);
/// for _ in 0..60 * 30 {
///     tracker.frame(time, budget)?;
///     guides.lead(&mut tracker, &mut crowd)?;
///     crowd.step(time)?;
/// }
/// assert!(crowd.walkers().all(|(_, walker)| walker.position.x > 13.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Guides {
    leash: f64,
    led: Vec<(WalkerId, Guide)>,
}

impl Guides {
    /// No walkers yet.
    ///
    /// `leash`: `[units: world units] [limits: > 0, at most 1e6]` how far ahead a guide may go.
    /// Four cells are a good length: walkers that come to a door aim at a place behind it, and not
    /// all at its nearer edge; a push from the side hardly turns them.
    ///
    /// # Errors
    /// [`CrowdError::Value`].
    pub fn new(leash: f64) -> Result<Self, CrowdError> {
        number("leash", leash, leash > 0.0 && leash <= 1e6, "more than 0, at most 1e6")?;
        Ok(Self { leash, led: Vec::new() })
    }

    /// Adds a walker to the crowd, and its guide to the tracker.
    ///
    /// # Errors
    /// As [`Crowd::add`] and [`Guides::follow`]; then the crowd does not have it.
    pub fn add(
        &mut self,
        tracker: &mut Tracker<Ix2>,
        crowd: &mut Crowd,
        walker: Walker,
    ) -> Result<WalkerId, GuideError> {
        let id = crowd.add(walker)?;
        if let Err(error) = self.follow(tracker, crowd, id) {
            crowd.remove(id)?;
            return Err(error);
        }
        Ok(id)
    }

    /// Gives a walker of the crowd a guide; one that it has here stays.
    ///
    /// # Errors
    /// [`CrowdError::NoWalker`]; as [`Tracker::add_pursuer`].
    ///
    /// # Complexity
    /// O(walkers led).
    pub fn follow(
        &mut self,
        tracker: &mut Tracker<Ix2>,
        crowd: &Crowd,
        id: WalkerId,
    ) -> Result<(), GuideError> {
        let Walker { position, speed, .. } = *crowd.walker(id)?;
        if let Err(place) = self.find(id) {
            // A walker that stands now may walk later.
            let speed = if speed > 0.0 { speed } else { crowd.config().spacing };
            self.led.insert(place, (id, Guide::new(tracker, position, speed)?));
        }
        Ok(())
    }

    /// Takes a walker's guide away; the walker stays in the crowd, with the wish that it has.
    /// Whether it had one here.
    ///
    /// # Complexity
    /// O(walkers led).
    pub fn release(&mut self, tracker: &mut Tracker<Ix2>, id: WalkerId) -> bool {
        let Ok(place) = self.find(id) else { return false };
        let (_, guide) = self.led.remove(place);
        // A pursuer that was removed from the tracker before is no error.
        let _ = tracker.remove_pursuer(guide.pursuer());
        true
    }

    /// Removes a walker from the crowd, its guide from the tracker; returns it as it was.
    ///
    /// # Errors
    /// [`CrowdError::NoWalker`]; its guide is gone even so.
    pub fn remove(
        &mut self,
        tracker: &mut Tracker<Ix2>,
        crowd: &mut Crowd,
        id: WalkerId,
    ) -> Result<Walker, GuideError> {
        self.release(tracker, id);
        Ok(crowd.remove(id)?)
    }

    /// The walkers that are led, and their guides, oldest first.
    #[must_use]
    pub fn led(&self) -> &[(WalkerId, Guide)] {
        &self.led
    }

    /// Makes cells `[y, x]` walls, or free, for the tracker and the crowd: all, or none where one
    /// is refused. A guide that stands there goes back to its walker.
    ///
    /// With several trackers, the others' walls are set by [`Tracker::set_walls`].
    ///
    /// # Errors
    /// As [`Crowd::set_walls`] and [`Tracker::set_walls`]; [`TrackError::InWall`] and
    /// [`TrackError::OffGrid`] where a guide cannot go back, since the tracker has a wall where its
    /// walker stands, or its map ends before.
    pub fn set_walls(
        &self,
        tracker: &mut Tracker<Ix2>,
        crowd: &mut Crowd,
        cells: &[([usize; 2], bool)],
    ) -> Result<(), GuideError> {
        let cells = crowd.checked_walls(cells)?;
        let is_built = |cell| cells.binary_search(&(cell, true)).is_ok();
        let mut back = BTreeMap::new();
        for &(id, guide) in &self.led {
            let (Ok(ahead), Ok(walker)) = (guide.position(tracker), crowd.walker(id)) else {
                continue;
            };
            if crowd.cells_near(ahead, LEAST_RADIUS).any(is_built) {
                // Refused where the tracker has a wall, which must not be found out half way.
                tracker.slide(walker.position, DVec2::ZERO)?;
                back.insert(guide.pursuer(), walker.position);
            }
        }
        // The tracker is first asked for the cells that it may refuse even so, that no guide moves
        // in vain. It looks further than `SKIN` by a rounding.
        let others = tracker.pursuers().iter().filter(|p| !back.contains_key(&p.id()));
        let places = tracker.targets().chain(others.map(Pursuer::position));
        let near = places.flat_map(|place| crowd.cells_near(place, 1.01 * SKIN));
        let mut asked: Vec<_> = near.filter(|&cell| is_built(cell)).map(|c| (c, true)).collect();
        let [rows, columns] = tracker.medium().shape();
        asked.extend(cells.iter().filter(|&&([y, x], _)| y >= rows || x >= columns));
        tracker.set_walls(&asked)?;
        for (pursuer, place) in back {
            tracker.teleport(pursuer, place)?;
        }
        tracker.set_walls(&cells)?;
        Ok(crowd.set_walls(&cells)?)
    }

    /// Tells every walker where to go, and keeps every guide near its walker. To be called in each
    /// frame after [`Tracker::frame`] and before [`Crowd::step`].
    ///
    /// # Errors
    /// The first one that a walker meets; all others are told even so, and that one stands:
    /// [`CrowdError::NoWalker`], [`TrackError::NoPursuer`] for one that was removed without
    /// [`Guides::remove`]; [`TrackError::InWall`] and [`TrackError::OffGrid`] where the tracker has
    /// a wall that the crowd does not have, or its map ends; [`TrackError::Value`] where the walker
    /// is so fast or so slow that the tracker refuses its guide's speed: a thousandth of its own to
    /// twice as much.
    ///
    /// # Complexity
    /// O(walkers led).
    pub fn lead(&self, tracker: &mut Tracker<Ix2>, crowd: &mut Crowd) -> Result<(), GuideError> {
        let mut refused = Ok(());
        for &(id, guide) in &self.led {
            let told = self.lead_one(tracker, crowd, id, guide);
            if told.is_err() {
                // One that is not there needs no wish.
                let _ = crowd.set_wish(id, DVec2::ZERO);
            }
            refused = refused.and(told);
        }
        refused
    }

    fn lead_one(
        &self,
        tracker: &mut Tracker<Ix2>,
        crowd: &mut Crowd,
        id: WalkerId,
        guide: Guide,
    ) -> Result<(), GuideError> {
        let Walker { position, speed, .. } = *crowd.walker(id)?;
        let ahead = guide.position(tracker)?;
        let way = ahead - position;
        let far = way.length();
        // Near a guide that stands it slows down, and does not walk to and fro.
        let near = speed * crowd.config().relaxation;
        crowd.set_wish(id, if far > 0.0 { way / far.max(near) } else { way })?;
        let rounding = 1e-6 * crowd.config().spacing;
        let sees = tracker.slide(position, way)?.distance(ahead) <= rounding;
        let mut share = 2.0;
        if sees && far <= self.leash {
            // Half a leash ahead it goes as fast as its walker.
            share = (2.0 * (1.0 - far / self.leash)).max(1e-3);
        } else {
            // A wall has come between, or the walker was moved from outside.
            tracker.teleport(guide.pursuer(), position)?;
        }
        if speed > 0.0 {
            tracker.set_pursuer_speed(guide.pursuer(), speed * share)?;
        }
        Ok(())
    }

    fn find(&self, id: WalkerId) -> Result<usize, usize> {
        self.led.binary_search_by_key(&id, |one| one.0)
    }
}
