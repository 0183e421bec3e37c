//! The character that walks, falls and jumps.

use crate::error::{CharacterError, OutOfRange};
use crate::jump::ballistics::Ballistics;
use crate::terrain::rounding::is_within;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// `[units: length per time squared]` Standard gravity, in metres and seconds.
pub const STANDARD_GRAVITY: f64 = 9.80665;

/// A character that walks, falls and jumps: a point as published, or an upright box.
///
/// In Unreal's words: the *jump height* is [`Character::jump_height`] `= v^2 / (2 g)`, the *jump
/// length* on level ground [`Character::jump_length`] `= v^2 / g`, and the *max drop* is
/// `max_fall`. If you have a jump height in mind, take [`Character::with_jump_height`].
///
/// ```
/// use jump_planner::Character;
///
/// let runner = Character::builder(6.0).gravity(9.81).step_height(0.25).build()?;
/// assert!((runner.jump_height() - 1.835).abs() < 1e-3);
/// assert!((runner.jump_length() - 3.670).abs() < 1e-3);
/// assert!(Character::builder(-6.0).build().is_err());
/// # Ok::<(), jump_planner::CharacterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Character {
    launch_speed: f64,
    gravity: f64,
    max_fall: Option<f64>,
    step_height: f64,
    radius: f64,
    height: f64,
    walk_speed: f64,
}

/// Settings of a [`Character`], checked by [`CharacterBuilder::build`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct CharacterBuilder {
    /// `[units: length / time] [limits: > 0, <= 1e6] suggested: 6` The same at every elevation.
    pub launch_speed: f64,
    /// `[units: length / time^2] [limits: > 0, <= 1e6] suggested: 9.80665`
    #[cfg_attr(feature = "serde", serde(default = "standard_gravity"))]
    pub gravity: f64,
    /// `[units: length] [limits: 0 to 1e9] suggested: None` The longest fall and the deepest
    /// landing below the launch that are survived; `None`: any, as published. A drop exceeds it
    /// where it does by more than 4 `f64::EPSILON` of the sum of both heights: 0.3 - 0.2 is no more
    /// than 0.1.
    #[cfg_attr(feature = "serde", serde(default))]
    pub max_fall: Option<f64>,
    /// `[units: length] [limits: 0 to 1e9] suggested: 0` A walker steps up by this between
    /// neighbours; 0 as published. Compared as `max_fall` is, so that stairs of 0.1 are climbed in
    /// steps of 0.1, and heights that differ by less than that are equal.
    #[cfg_attr(feature = "serde", serde(default))]
    pub step_height: f64,
    /// `[units: length] [limits: 0 to just under half a cell] suggested: 0` Half the side of the
    /// box (square in plan, along the axes) that the character fills; 0: a point, as published.
    #[cfg_attr(feature = "serde", serde(default))]
    pub radius: f64,
    /// `[units: length] [limits: 0 to 1e9] suggested: 0` The box's height; it matters under
    /// ceilings.
    #[cfg_attr(feature = "serde", serde(default))]
    pub height: f64,
    /// `[units: length / time] [limits: > 0, <= 1e6] suggested: None` For least-time paths; `None`:
    /// the launch speed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub walk_speed: Option<f64>,
    /// The values that gave the launch speed, for error messages.
    #[cfg_attr(feature = "serde", serde(skip))]
    jump_height: Option<f64>,
}

#[cfg(feature = "serde")]
fn standard_gravity() -> f64 {
    STANDARD_GRAVITY
}

impl CharacterBuilder {
    /// Sets the field of this name.
    #[must_use]
    pub fn gravity(self, gravity: f64) -> Self {
        Self { gravity, ..self }
    }
    /// Sets the field of this name.
    #[must_use]
    pub fn max_fall(self, max_fall: f64) -> Self {
        Self { max_fall: Some(max_fall), ..self }
    }
    /// Sets the field of this name.
    #[must_use]
    pub fn step_height(self, step_height: f64) -> Self {
        Self { step_height, ..self }
    }
    /// Sets the fields of these names.
    #[must_use]
    pub fn body(self, radius: f64, height: f64) -> Self {
        Self { radius, height, ..self }
    }
    /// Sets the field of this name.
    #[must_use]
    pub fn walk_speed(self, walk_speed: f64) -> Self {
        Self { walk_speed: Some(walk_speed), ..self }
    }

    /// # Errors
    /// [`CharacterError::Value`] for the first number out of its limits. That the radius fits the
    /// cells is checked where a terrain is known, by [`JumpGraph::new`](crate::JumpGraph::new).
    pub fn build(self) -> Result<Character, CharacterError> {
        let Self { launch_speed, gravity, max_fall, step_height, radius, height, .. } = self;
        if let Some(value) = self.jump_height.filter(|h| !(5e-10..=5e8).contains(h)) {
            return Err(OutOfRange { what: "jump_height", value, limit: "5e-10 to 5e8" }.into());
        }
        Ballistics::new(launch_speed, gravity)?;
        let walk_speed = self.walk_speed.unwrap_or(launch_speed);
        let at_least_0 = [
            ("max_fall", max_fall.unwrap_or(0.0)),
            ("step_height", step_height),
            ("radius", radius),
            ("height", height),
        ];
        for (what, value) in at_least_0 {
            if !(0.0..=1e9).contains(&value) {
                return Err(OutOfRange { what, value, limit: "0 to 1e9" }.into());
            }
        }
        if !(walk_speed > 0.0 && walk_speed <= 1e6) {
            let (what, value) = ("walk_speed", walk_speed);
            return Err(OutOfRange { what, value, limit: "> 0 and at most 1e6" }.into());
        }
        Ok(Character { launch_speed, gravity, max_fall, step_height, radius, height, walk_speed })
    }
}

impl Character {
    /// A point that jumps at `launch_speed` under standard gravity, steps up nothing and survives
    /// every fall; the rest by the builder's methods.
    #[must_use]
    pub fn builder(launch_speed: f64) -> CharacterBuilder {
        CharacterBuilder {
            launch_speed,
            gravity: STANDARD_GRAVITY,
            max_fall: None,
            step_height: 0.0,
            radius: 0.0,
            height: 0.0,
            walk_speed: None,
            jump_height: None,
        }
    }

    /// As [`Character::builder`], by the height of a jump straight up: `v = sqrt(2 g h)`.
    ///
    /// ```
    /// use jump_planner::Character;
    ///
    /// let hero = Character::with_jump_height(1.8, 9.81).build()?;
    /// assert!((hero.jump_height() - 1.8).abs() < 1e-12);
    /// assert!((hero.jump_length() - 3.6).abs() < 1e-12); // twice the height, always
    /// # Ok::<(), jump_planner::CharacterError>(())
    /// ```
    #[must_use]
    pub fn with_jump_height(jump_height: f64, gravity: f64) -> CharacterBuilder {
        let builder = Self::builder((2.0 * gravity * jump_height).sqrt()).gravity(gravity);
        CharacterBuilder { jump_height: Some(jump_height), ..builder }
    }

    /// The same character at another launch speed.
    ///
    /// # Errors
    /// [`CharacterError::Value`].
    pub fn at_speed(&self, launch_speed: f64) -> Result<Self, CharacterError> {
        Ballistics::new(launch_speed, self.gravity)?;
        Ok(Self { launch_speed, ..*self })
    }

    /// `[units: length / time]`
    #[must_use]
    pub fn launch_speed(&self) -> f64 {
        self.launch_speed
    }
    /// `[units: length / time^2]`
    #[must_use]
    pub fn gravity(&self) -> f64 {
        self.gravity
    }
    /// `[units: length]` The longest fall that is survived; `None`: any.
    #[must_use]
    pub fn max_fall(&self) -> Option<f64> {
        self.max_fall
    }
    /// `[units: length]` The height that a walker steps up.
    #[must_use]
    pub fn step_height(&self) -> f64 {
        self.step_height
    }
    /// `[units: length]` Half the side of the box that the character fills.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
    /// `[units: length]` The height of that box.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.height
    }
    /// `[units: length / time]`
    #[must_use]
    pub fn walk_speed(&self) -> f64 {
        self.walk_speed
    }
    /// `[units: length]` How high a jump straight up goes, `v^2 / (2 g)`.
    #[must_use]
    pub fn jump_height(&self) -> f64 {
        self.launch_speed * self.launch_speed / (2.0 * self.gravity)
    }
    /// `[units: length]` How far a jump on level ground goes, `v^2 / g`.
    #[must_use]
    pub fn jump_length(&self) -> f64 {
        self.launch_speed * self.launch_speed / self.gravity
    }
    /// The law of its flights. It cannot fail: the numbers were checked.
    pub(crate) fn ballistics(&self) -> Ballistics {
        Ballistics::checked(self.launch_speed, self.gravity)
    }
    /// Whether it survives a fall from one height to another, or landing there.
    #[inline]
    pub(crate) fn survives(&self, from: f64, to: f64) -> bool {
        self.max_fall.is_none_or(|most| is_within(most, from, to))
    }
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for Character {
    /// Through the builder, so a character that was read is valid.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        CharacterBuilder::deserialize(deserializer)?.build().map_err(serde::de::Error::custom)
    }
}
