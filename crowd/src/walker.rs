//! The walkers.

use crate::error::{CrowdError, number};
use wave_core::glam::DVec2;

/// `[units: cells]` A walker's middle is never closer to a wall.
pub(crate) const LEAST_RADIUS: f64 = 0.01;

/// Names a walker; a name is never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WalkerId(pub(crate) u32);

impl WalkerId {
    /// Its number; the first one's is 0.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// A walker: a disc that wants to go somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walker {
    /// `[units: world units]` The place of its middle, (x, y).
    pub position: DVec2,
    /// `[units: world units / time]` How it moved in the last step.
    pub velocity: DVec2,
    /// Where it wants to go: a direction, or shorter where it would walk slowly, `ZERO` where it
    /// would stand. `[limits: at most 1 long]`
    pub wish: DVec2,
    /// `[units: world units] [limits: a hundredth of a cell to half a cell]`
    pub radius: f64,
    /// `[units: world units / time] [limits: 0 to 100 cells]` How fast it goes where no other
    /// walker is near.
    pub speed: f64,
}

impl Walker {
    /// One that stands, with no wish.
    #[must_use]
    pub fn new(position: DVec2, radius: f64, speed: f64) -> Self {
        Self { position, velocity: DVec2::ZERO, wish: DVec2::ZERO, radius, speed }
    }

    pub(crate) fn check(&self, spacing: f64) -> Result<(), CrowdError> {
        let Self { velocity, wish, radius, speed, .. } = *self;
        let is_body = (LEAST_RADIUS * spacing..=0.5 * spacing).contains(&radius);
        number("radius", radius, is_body, "a hundredth of a cell to half a cell")?;
        let most = 100.0 * spacing;
        number("speed", speed, (0.0..=most).contains(&speed), "0 to 100 cells in a unit of time")?;
        let fast = velocity.length();
        number("velocity", fast, fast <= most, "at most 100 cells in a unit of time")?;
        check_wish(wish)
    }
}

/// A direction that is hardly longer than 1, as one that was normalised may be.
pub(crate) fn check_wish(wish: DVec2) -> Result<(), CrowdError> {
    let length = wish.length();
    number("wish", length, length <= 1.0 + 1e-9, "at most 1 long")?;
    Ok(())
}
