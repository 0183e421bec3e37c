//! A flight, which shows that a jump exists where it is clear.

use crate::jump::ballistics::{Arc, ArcKind};
use glam::{DVec2, DVec3};

/// One flight. As the witness of a jump it clears every cell it passes over.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Flight {
    /// `[units: length]` Where the feet leave the ground; z is up.
    pub launch: DVec3,
    /// `[units: length]` Where they land.
    pub landing: DVec3,
    /// `[units: length / time]` The velocity at launch; its length is the launch speed.
    pub velocity: DVec3,
    /// Which of the two arcs between these points.
    pub arc: ArcKind,
    /// `[units: radians]` The elevation at launch.
    pub angle: f64,
    /// `[units: time]`
    pub flight_time: f64,
    /// `[units: length]` The least distance by which the flight clears the ground and the ceilings,
    /// from cell border to cell border, at most the jump height; the flight is clear where it is
    /// above 0.
    pub margin: f64,
    /// `[units: length]` The length of the curve.
    pub length: f64,
    /// `[units: length / time^2]`
    pub gravity: f64,
}

impl Flight {
    /// Whether it hits nothing; touching counts as hitting.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.margin > 0.0
    }

    pub(crate) fn of(
        ends: [DVec3; 2],
        kind: ArcKind,
        arc: &Arc,
        v: f64,
        g: f64,
        margin: f64,
    ) -> Self {
        let [launch, landing] = ends;
        let way = DVec2::new(landing.x - launch.x, landing.y - launch.y) / arc.distance;
        let cosine = 1.0 / (1.0 + arc.tangent * arc.tangent).sqrt();
        let (level, up) = (way * (v * cosine), v * cosine * arc.tangent);
        Self {
            launch,
            landing,
            velocity: DVec3::new(level.x, level.y, up),
            arc: kind,
            angle: arc.angle(),
            flight_time: arc.flight_time(),
            margin,
            length: arc.length(),
            gravity: g,
        }
    }

    /// `[units: length]` Where the feet are `time` after launch; no sooner than the launch and no
    /// later than the landing.
    #[must_use]
    pub fn position_at(&self, time: f64) -> DVec3 {
        let t = time.clamp(0.0, self.flight_time);
        self.launch + self.velocity * t - DVec3::new(0.0, 0.0, 0.5 * self.gravity * t * t)
    }
}
