//! Hit points, and how far an agent gets.

use crate::error::{UtilityError, number};
use glam::DVec3;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Settings of hit points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields, default))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct HealthConfig {
    /// `[units: hit points] [limits: > 0] suggested: 10` At the start, and at most.
    pub max: f64,
    /// `[units: hit points per time] [limits: >= 0] suggested: 0.2` Gained while out of contact.
    pub recovery: f64,
    /// `[units: time] [limits: >= 0] suggested: 1` How long after a hit there is no other.
    pub grace: f64,
}

impl Default for HealthConfig {
    fn default() -> Self {
        Self { max: 10.0, recovery: 0.2, grace: 1.0 }
    }
}

/// Hit points by furukawa-2021: contact takes 1, then nothing for a while; out of contact they
/// recover. At 0 the game goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    config: HealthConfig,
    points: f64,
    grace_left: f64,
    hits: u32,
}

impl Health {
    /// Full hit points.
    ///
    /// # Errors
    /// [`UtilityError::Value`].
    pub fn new(config: HealthConfig) -> Result<Self, UtilityError> {
        number("health.max", config.max, config.max > 0.0, "above 0")?;
        number("health.recovery", config.recovery, config.recovery >= 0.0, ">= 0")?;
        number("health.grace", config.grace, config.grace >= 0.0, ">= 0")?;
        Ok(Self { config, points: config.max, grace_left: 0.0, hits: 0 })
    }

    /// Passes a time `dt >= 0`, in contact with an attacker or not. Returns whether a hit was
    /// taken.
    pub(crate) fn pass(&mut self, dt: f64, contact: bool) -> bool {
        self.grace_left = (self.grace_left - dt).max(0.0);
        if !contact {
            self.points = (self.points + self.config.recovery * dt).min(self.config.max);
            return false;
        }
        let hit = self.grace_left <= 0.0;
        if hit {
            self.points = (self.points - 1.0).max(0.0);
            self.grace_left = self.config.grace;
            self.hits += 1;
        }
        hit
    }

    /// `[units: hit points]` The hit points that are left, from 0.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.points
    }
    /// The share of hit points that is left, 0 to 1: the source's a.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.points / self.config.max
    }
    /// Hits taken so far.
    #[must_use]
    pub fn hits(&self) -> u32 {
        self.hits
    }
}

/// Settings of stagnation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields, default))]
pub struct StagnationConfig {
    /// `[units: ticks] [limits: 1 to 65536] suggested: those of 3 seconds` The source's f: the
    /// position is compared with that of so many ticks ago.
    pub ticks: u32,
    /// `[units: distance per tick] [limits: > 0]` The source's S: its speed
    /// times the time of a tick.
    pub stride: f64,
}

impl StagnationConfig {
    /// The most ticks that stagnation looks back, since an agent keeps a position for each.
    pub const MOST_TICKS: u32 = 65_536;
}

impl Default for StagnationConfig {
    fn default() -> Self {
        Self { ticks: 60, stride: 0.1 }
    }
}

/// Stagnation by furukawa-2021: `L = f S - |P(t) - P(t - f)|`, large when stuck.
#[derive(Clone, Debug, PartialEq)]
pub struct Stagnation {
    config: StagnationConfig,
    /// The latest positions, the oldest first: f + 1 when full.
    trail: VecDeque<DVec3>,
}

impl Stagnation {
    /// Nothing observed yet.
    ///
    /// # Errors
    /// [`UtilityError::Value`].
    pub fn new(config: StagnationConfig) -> Result<Self, UtilityError> {
        let StagnationConfig { ticks, stride } = config;
        let fits = (1..=StagnationConfig::MOST_TICKS).contains(&ticks);
        number("stagnation.ticks", f64::from(ticks), fits, "1 to 65536")?;
        number("stagnation.stride", stride, stride > 0.0, "above 0")?;
        Ok(Self { config, trail: VecDeque::with_capacity(ticks as usize + 2) })
    }

    pub(crate) fn observe(&mut self, position: DVec3) {
        self.trail.push_back(position);
        if self.trail.len() > self.config.ticks as usize + 1 {
            self.trail.pop_front();
        }
    }

    /// `[units: distance]` L; 0 before f ticks have passed, and if it was faster than S.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.share() * f64::from(self.config.ticks) * self.config.stride
    }

    /// `L / (f S)`, 0 to 1: the source's b.
    #[must_use]
    pub fn share(&self) -> f64 {
        match (self.trail.front(), self.trail.back()) {
            (Some(&old), Some(&new)) if self.trail.len() > self.config.ticks as usize => {
                self.share_of(old, new)
            }
            _ => 0.0,
        }
    }

    /// The value of [`Stagnation::share`] once a position has been observed.
    pub(crate) fn share_with(&self, position: DVec3) -> f64 {
        let ticks = self.config.ticks as usize;
        let behind = self.trail.len().checked_sub(ticks).and_then(|i| self.trail.get(i));
        behind.map_or(0.0, |&old| self.share_of(old, position))
    }

    fn share_of(&self, old: DVec3, new: DVec3) -> f64 {
        let most = f64::from(self.config.ticks) * self.config.stride;
        (1.0 - old.distance(new) / most).max(0.0)
    }
}
