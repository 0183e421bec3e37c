//! Pursuers that go ahead of walkers and show them the way.

use crate::crowd::Crowd;
use crate::error::{CrowdError, number};
use crate::walker::{Walker, WalkerId};
use glam::DVec2;
use ndarray::Ix2;
use thiserror::Error;
use wave_core::Space;
use wave_track::{PursuerId, PursuerState, TrackError, Tracker};

/// Why a [`Guides`] did not do what it was asked to.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GuideError {
    /// What the crowd says.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// What the tracker says.
    #[error(transparent)]
    Track(#[from] TrackError),
}

/// A pursuer of a tracker that goes a little ahead of somebody who has a body: it finds the way,
/// the body keeps its distance from others. In 2D and 3D, for bodies of any kind.
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

    /// Where it is: whereto its walker should go.
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
/// A crowd may have several, each with a tracker of its own: people who go both ways, say. The
/// tracker's targets may move, and its walls change with the crowd's, at any time.
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
    /// `leash`: `[units: world units] [limits: > 0, at most 1e6]` how far ahead a guide may go. Four cells are a good length: those who come to a door aim at what lies
    /// behind it, and not all at its nearer edge; a push from the side hardly turns them.
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
    /// As [`Crowd::add`] and [`Tracker::add_pursuer`]; then neither has it.
    pub fn add(
        &mut self,
        tracker: &mut Tracker<Ix2>,
        crowd: &mut Crowd,
        walker: Walker,
    ) -> Result<WalkerId, GuideError> {
        let id = crowd.add(walker)?;
        match Guide::new(tracker, walker.position, walker.speed) {
            Ok(guide) => {
                self.led.push((id, guide));
                Ok(id)
            }
            Err(error) => {
                crowd.remove(id)?;
                Err(error.into())
            }
        }
    }

    /// Removes a walker from the crowd, its guide from the tracker; returns it as it was.
    ///
    /// # Errors
    /// [`CrowdError::NoWalker`] for one that is not led by these guides.
    pub fn remove(
        &mut self,
        tracker: &mut Tracker<Ix2>,
        crowd: &mut Crowd,
        id: WalkerId,
    ) -> Result<Walker, GuideError> {
        let place = self.led.binary_search_by_key(&id, |one| one.0);
        let place = place.map_err(|_| CrowdError::NoWalker(id))?;
        let walker = crowd.remove(id)?;
        let (_, guide) = self.led.remove(place);
        tracker.remove_pursuer(guide.pursuer())?;
        Ok(walker)
    }

    /// Those who are led, and their guides, oldest first.
    #[must_use]
    pub fn led(&self) -> &[(WalkerId, Guide)] {
        &self.led
    }

    /// Tells every walker where to go, and keeps every guide near its walker. To be called in each
    /// frame after [`Tracker::frame`] and before [`Crowd::step`].
    ///
    /// # Errors
    /// [`CrowdError::NoWalker`] and [`TrackError::NoPursuer`] for one that was removed elsewhere.
    ///
    /// # Complexity
    /// O(walkers led).
    pub fn lead(&self, tracker: &mut Tracker<Ix2>, crowd: &mut Crowd) -> Result<(), GuideError> {
        for &(id, guide) in &self.led {
            let Walker { position, speed, .. } = *crowd.walker(id)?;
            let way = guide.position(tracker)? - position;
            let far = way.length();
            // A walker that is as good as there stands.
            let wish = if far > 1e-3 * self.leash { way / far } else { DVec2::ZERO };
            crowd.set_wish(id, wish)?;
            if tracker.slide(position, way)? == guide.position(tracker)? && far <= self.leash {
                // Half a leash ahead it goes as fast as its walker.
                let share = (2.0 * (1.0 - far / self.leash)).max(1e-3);
                tracker.set_pursuer_speed(guide.pursuer(), speed * share)?;
            } else {
                // A wall has come between.
                tracker.teleport(guide.pursuer(), position)?;
            }
        }
        Ok(())
    }
}
