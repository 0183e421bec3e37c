//! Flights without air drag: the places that can be reached, by which arcs, at which speed.
//!
//! With `k = g / (2 v^2)`, horizontal distance d and height gain h, the elevations that hit the
//! target satisfy `k d^2 tan^2 - d tan + (h + k d^2) = 0`. Everything here is written in
//! `w = d tan`, `w = (1 +- sqrt(1 - 4 k (h + k d^2))) / (2 k)`: along the way, at the share t of
//! the distance, the arc is `w t (1 - t) + h t^2` above the launch. This needs no trigonometry. The
//! height of the high arc falls at every t as d grows; the exact rule's bounds depend on that.

use crate::error::{CharacterError, OutOfRange};

/// Launch speed and gravity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ballistics {
    speed: f64,
    gravity: f64,
    /// g / (2 v^2)
    k: f64,
}

/// Which of the two arcs to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ArcKind {
    /// The flat, fast one.
    Low,
    /// The steep, slow one. Between the same ends it is above the low one everywhere, and it is
    /// always on its way down when it lands.
    High,
}

/// One flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// `[units: length]` Horizontal distance.
    pub distance: f64,
    /// `[units: length]` Height of the landing over the launch.
    pub gain: f64,
    /// The tangent of the elevation.
    pub tangent: f64,
    speed: f64,
    gravity: f64,
}

impl Ballistics {
    /// # Errors
    /// [`CharacterError::Value`] where speed or gravity is not within `> 0` and `<= 1e6`, or
    /// `v^2 / g` is not within 1e-9 to 1e9.
    pub fn new(speed: f64, gravity: f64) -> Result<Self, CharacterError> {
        // Gravity first: a launch speed may have been made of it.
        for (what, value) in [("gravity", gravity), ("launch_speed", speed)] {
            if !(value > 0.0 && value <= 1e6) {
                let limit = "> 0 and at most 1e6";
                return Err(OutOfRange { what, value, limit }.into());
            }
        }
        let value = speed * speed / gravity;
        if !(1e-9..=1e9).contains(&value) {
            let what = "launch_speed^2 / gravity";
            return Err(OutOfRange { what, value, limit: "1e-9 to 1e9" }.into());
        }
        Ok(Self::checked(speed, gravity))
    }

    pub(crate) fn checked(speed: f64, gravity: f64) -> Self {
        Self { speed, gravity, k: gravity / (2.0 * speed * speed) }
    }

    /// `v^4 - g (g d^2 + 2 v^2 h)`: at least 0 where the target can be reached in free air.
    #[must_use]
    pub fn discriminant(&self, distance: f64, gain: f64) -> f64 {
        let v2 = self.speed * self.speed;
        v2 * v2 - self.gravity * (self.gravity * distance * distance + 2.0 * v2 * gain)
    }

    /// Whether a point at horizontal distance `distance > 0` and height `gain` is within reach in
    /// free air: `gain <= v^2 / (2 g) - g d^2 / (2 v^2)`, in the form of the discriminant.
    #[must_use]
    pub fn reaches(&self, distance: f64, gain: f64) -> bool {
        self.discriminant(distance, gain) >= 0.0
    }

    /// The low and the high arc to a point at horizontal distance `distance` and height `gain`;
    /// `None` where the distance is not positive and finite, or the point is out of reach.
    ///
    /// ```
    /// use jump_planner::{ArcKind, Ballistics};
    ///
    /// let [low, high] = Ballistics::new(6.0, 9.81)?.arcs(2.0, 0.5).unwrap();
    /// assert!(low.tangent < high.tangent && low.flight_time() < high.flight_time());
    /// assert!((high.height_at(2.0) - 0.5).abs() < 1e-12);
    /// # Ok::<(), jump_planner::CharacterError>(())
    /// ```
    #[must_use]
    pub fn arcs(&self, distance: f64, gain: f64) -> Option<[Arc; 2]> {
        let root = self.discriminant(distance, gain);
        if !(distance > 0.0 && distance.is_finite() && root >= 0.0) {
            return None;
        }
        let (v2, root) = (self.speed * self.speed, root.sqrt());
        let arc = |sign: f64| Arc {
            distance,
            gain,
            tangent: (v2 + sign * root) / (self.gravity * distance),
            speed: self.speed,
            gravity: self.gravity,
        };
        Some([arc(-1.0), arc(1.0)])
    }

    /// `[units: length / time]` The least launch speed that reaches a point in free air:
    /// `v^2 = g (h + sqrt(h^2 + d^2))`.
    ///
    /// ```
    /// use jump_planner::Ballistics;
    ///
    /// let v = Ballistics::least_speed(9.81, 2.0, 0.5);
    /// assert!(Ballistics::new(v * 1.000_001, 9.81)?.reaches(2.0, 0.5));
    /// assert!(!Ballistics::new(v * 0.999_999, 9.81)?.reaches(2.0, 0.5));
    /// # Ok::<(), jump_planner::CharacterError>(())
    /// ```
    #[must_use]
    pub fn least_speed(gravity: f64, distance: f64, gain: f64) -> f64 {
        (gravity * (gain + (gain * gain + distance * distance).sqrt())).max(0.0).sqrt()
    }

    /// The one arc at the edge of reach.
    pub(crate) fn at_limit(&self, distance: f64, gain: f64) -> Arc {
        let tangent = self.w_at_limit() / distance;
        Arc { distance, gain, tangent, speed: self.speed, gravity: self.gravity }
    }

    /// `[units: length]` The largest gain at a horizontal distance whose square is `d2`.
    pub(crate) fn most_gain(&self, d2: f64) -> f64 {
        0.25 / self.k - self.k * d2
    }

    /// `[units: length]` The largest horizontal distance at which a landing `drop` below is
    /// reached.
    pub(crate) fn longest(&self, drop: f64) -> f64 {
        ((0.25 / self.k + drop).max(0.0) / self.k).sqrt()
    }

    /// w of an arc; `None` out of reach.
    pub(crate) fn w(&self, kind: ArcKind, d2: f64, gain: f64) -> Option<f64> {
        let root = 1.0 - 4.0 * self.k * (gain + self.k * d2);
        let sign = if kind == ArcKind::High { 1.0 } else { -1.0 };
        (root >= 0.0).then(|| (1.0 + sign * root.sqrt()) / (2.0 * self.k))
    }

    /// The square of the launch speed of the arc with this w; of the high arc if w is at least
    /// `gain + sqrt(gain^2 + d2)`, where it is least.
    pub(crate) fn speed2(&self, w: f64, d2: f64, gain: f64) -> f64 {
        0.5 * self.gravity * (d2 + w * w) / (w - gain)
    }

    /// w where the two arcs become one, at the edge of reach.
    pub(crate) fn w_at_limit(&self) -> f64 {
        0.5 / self.k
    }
}

impl Arc {
    /// `[units: length]` The height over the launch at a horizontal distance from it.
    #[must_use]
    pub fn height_at(&self, x: f64) -> f64 {
        let t = x / self.distance;
        self.tangent * self.distance * t * (1.0 - t) + self.gain * t * t
    }

    /// `[units: radians]` The elevation at launch.
    #[must_use]
    pub fn angle(&self) -> f64 {
        libm::atan(self.tangent)
    }

    /// `[units: time]` From launch to landing.
    #[must_use]
    pub fn flight_time(&self) -> f64 {
        self.distance * (1.0 + self.tangent * self.tangent).sqrt() / self.speed
    }

    /// `[units: length]` How far the highest point is above the launch: 0 where the flight only
    /// descends, the gain where it lands while it still rises.
    #[must_use]
    pub fn apex(&self) -> f64 {
        if 2.0 * self.gain > self.tangent * self.distance {
            return self.gain;
        }
        let up = self.tangent.max(0.0) * self.speed;
        let up = up / (1.0 + self.tangent * self.tangent).sqrt();
        up * up / (2.0 * self.gravity)
    }

    /// `[units: length]` The length of the curve.
    #[must_use]
    pub fn length(&self) -> f64 {
        // With s = slope: integral of sqrt(1 + s^2) ds / curvature, from landing to launch slope.
        let curvature =
            self.gravity * (1.0 + self.tangent * self.tangent) / (self.speed * self.speed);
        let end = self.tangent - curvature * self.distance;
        let primitive = |s: f64| 0.5 * (s * (1.0 + s * s).sqrt() + libm::asinh(s));
        (primitive(self.tangent) - primitive(end)) / curvature
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_flight_rises_above_its_apex_and_each_comes_to_it(
            v in 0.5..50.0, g in 0.5..20.0, reach in 0.01..0.99, share in 0.0..1.0,
        ) {
            let law = Ballistics::new(v, g).unwrap();
            let distance: f64 = v * v / g * reach;
            let gain = law.most_gain(distance * distance) - share * v * v / g;
            for arc in law.arcs(distance, gain).into_iter().flatten() {
                let heights = (0..=1000).map(|i| arc.height_at(distance * f64::from(i) / 1000.0));
                let highest = heights.fold(0.0, f64::max);
                let scale = 1e-5 * (1.0 + arc.tangent.abs()) * distance;
                prop_assert!((arc.apex() - highest).abs() < scale, "{arc:?}: {highest}");
            }
        }

        #[test]
        fn the_high_arc_is_above_the_low_one_and_lands_descending(
            v in 0.5..50.0, g in 0.5..20.0, reach in 0.01..0.99, share in 0.0..1.0,
        ) {
            let law = Ballistics::new(v, g).unwrap();
            let distance: f64 = v * v / g * reach;
            let gain = law.most_gain(distance * distance) - share * v * v / g;
            let [low, high] = law.arcs(distance, gain).unwrap();
            for i in 0..=20 {
                let x = distance * f64::from(i) / 20.0;
                prop_assert!(high.height_at(x) >= low.height_at(x) - 1e-9 * (1.0 + v * v / g));
            }
            let e = distance * 1e-4;
            prop_assert!(high.height_at(distance - e) > gain - 1e-9);
            for arc in [low, high] {
                // The same flight in time.
                let cos = 1.0 / (1.0 + arc.tangent * arc.tangent).sqrt();
                let t = arc.flight_time();
                let fallen = v * cos * arc.tangent * t - 0.5 * g * t * t;
                prop_assert!((v * cos * t - distance).abs() < 1e-9 * (1.0 + distance));
                prop_assert!((fallen - gain).abs() < 1e-6 * (1.0 + v * v / g), "{fallen} {gain}");
                // The length against a polygon.
                let n = 2000;
                let at = |i: i32| f64::from(i) / f64::from(n) * distance;
                let polygon: f64 = (0..n)
                    .map(|i| {
                        let rise = arc.height_at(at(i + 1)) - arc.height_at(at(i));
                        (rise * rise + (distance / f64::from(n)).powi(2)).sqrt()
                    })
                    .sum();
                prop_assert!((polygon - arc.length()).abs() < 1e-3 * polygon);
            }
            let least = Ballistics::least_speed(g, distance, gain);
            prop_assert!(least <= v * (1.0 + 1e-9));
        }
    }
}
