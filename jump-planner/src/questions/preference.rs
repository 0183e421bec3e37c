//! What makes one path better than another.

use crate::character::Character;
use crate::error::OutOfRange;
use crate::graph::moves::MoveKind;
use crate::jump::flight::Flight;
use glam::DVec3;
use std::cmp::Ordering;

/// What makes a path better than another one. All but the first count jumps before anything that a
/// jump could save, or count the full cost of a jump, so that no path hops where walking is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Preference {
    /// The fewest cells, as published; it hops along steps, as published.
    FewestVertices,
    /// The fewest jumps, then the shortest.
    FewestJumps,
    /// The shortest way of the feet: on the ground from centre to centre, down along falls, in the
    /// air along the arc of the witness, and from the centres to where it starts and lands.
    Shortest,
    /// The least time: on the ground at walking speed, in the air as the witness flies, in falls as
    /// gravity has it.
    LeastTime,
    /// The fewest jumps that lead less far than `at_least` (between launch and landing), then the
    /// fewest jumps, then the shortest: only big jumps, if that is possible at all.
    BigJumps {
        /// `[units: length] [limits: finite, >= 0] suggested: half the length of a level jump`
        at_least: f64,
    },
}

/// The cost of a path, compared from left to right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Small jumps under [`Preference::BigJumps`], jumps under [`Preference::FewestJumps`],
    /// vertices under [`Preference::FewestVertices`].
    pub first: u32,
    /// Jumps under [`Preference::BigJumps`].
    pub second: u32,
    /// `[units: length, or time]`
    pub third: f64,
}

impl Cost {
    /// Nothing yet.
    pub const ZERO: Self = Self { first: 0, second: 0, third: 0.0 };

    pub(crate) fn plus(self, other: Self) -> Self {
        let (first, second) = (self.first + other.first, self.second + other.second);
        Self { first, second, third: self.third + other.third }
    }
}

impl Eq for Cost {}
impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        let whole = (self.first, self.second).cmp(&(other.first, other.second));
        whole.then_with(|| self.third.total_cmp(&other.third))
    }
}

impl Preference {
    pub(crate) fn check(self) -> Result<(), OutOfRange> {
        match self {
            Self::BigJumps { at_least: value } if !(0.0..f64::INFINITY).contains(&value) => {
                Err(OutOfRange { what: "at_least", value, limit: "finite and at least 0" })
            }
            _ => Ok(()),
        }
    }

    /// The cost of a move between the centres of two cells; `flight` is its witness where it jumps.
    pub(crate) fn cost(
        self,
        character: &Character,
        ends: [DVec3; 2],
        kind: MoveKind,
        flight: Option<&Flight>,
    ) -> Cost {
        let level = ends[0].truncate().distance(ends[1].truncate());
        let drop = (ends[0].z - ends[1].z).max(0.0);
        let ground =
            flight.map_or(level, |f| ends[0].distance(f.launch) + ends[1].distance(f.landing));
        let length = match (kind, flight) {
            (MoveKind::Walk, _) => ends[0].distance(ends[1]),
            (MoveKind::Fall, _) => level + drop,
            (MoveKind::Jump, flight) => ground + flight.map_or(0.0, |f| f.length),
        };
        let jumps = u32::from(kind == MoveKind::Jump);
        match self {
            Self::FewestVertices => Cost { first: 1, second: 0, third: 0.0 },
            Self::FewestJumps => Cost { first: jumps, second: 0, third: length },
            Self::Shortest => Cost { first: 0, second: 0, third: length },
            Self::LeastTime => {
                let air = match kind {
                    MoveKind::Walk => 0.0,
                    MoveKind::Fall => (2.0 * drop / character.gravity()).sqrt(),
                    MoveKind::Jump => flight.map_or(0.0, |f| f.flight_time),
                };
                Cost { first: 0, second: 0, third: ground / character.walk_speed() + air }
            }
            Self::BigJumps { at_least } => {
                let far = flight
                    .map_or(f64::INFINITY, |f| f.launch.truncate().distance(f.landing.truncate()));
                Cost { first: u32::from(far < at_least), second: jumps, third: length }
            }
        }
    }

    /// A lower bound on the cost of any jump between these centres, if it is flown by the high arc
    /// and that rises at least to `apex` over the launch.
    pub(crate) fn least_jump(
        self,
        character: &Character,
        ends: [DVec3; 2],
        apex: Option<f64>,
    ) -> Cost {
        // The feet go at least straight; and no faster than the faster of walking and flying.
        let way = ends[0].distance(ends[1]);
        let gain = ends[1].z - ends[0].z;
        // Up to the highest point and down again.
        let level = ends[0].truncate().distance(ends[1].truncate());
        let way = apex.map_or(way, |top| level.hypot(2.0 * top - gain).max(way)) * (1.0 - 1e-9);
        match self {
            Self::FewestVertices => Cost { first: 1, second: 0, third: 0.0 },
            Self::FewestJumps => Cost { first: 1, second: 0, third: way },
            Self::Shortest => Cost { first: 0, second: 0, third: way },
            Self::LeastTime => {
                let drop = (-gain).max(0.0);
                let straight = ends[0].distance(ends[1]) / fastest(character, drop);
                let fall = |height: f64| (2.0 * height.max(0.0) / character.gravity()).sqrt();
                let air = apex.map_or(0.0, |top| fall(top) + fall(top - gain));
                Cost { first: 0, second: 0, third: straight.max(air) * (1.0 - 1e-9) }
            }
            Self::BigJumps { .. } => Cost { first: 0, second: 1, third: way },
        }
    }

    /// A lower bound on the cost that is left at `here`; no move lowers it by more than it costs.
    pub(crate) fn remaining(self, character: &Character, left: &Remaining, here: DVec3) -> Cost {
        let way = here.distance(left.goal) * (1.0 - 1e-9);
        let (first, third) = match self {
            Self::FewestVertices => {
                let cells = (here - left.goal).truncate().abs().max_element() / left.cell_size;
                ((cells / left.hop * (1.0 - 1e-9)).ceil() as u32, 0.0)
            }
            Self::LeastTime => {
                // In plan: who steps up gets further along the slope than the walking speed allows.
                let level = here.truncate().distance(left.goal.truncate()) * (1.0 - 1e-9);
                (0, level / character.launch_speed().max(character.walk_speed()))
            }
            Self::FewestJumps | Self::Shortest | Self::BigJumps { .. } => (0, way),
        };
        Cost { first, second: 0, third }
    }

    /// The share of jumps in a lower bound on the cost of any jump.
    pub(crate) fn jumps_of_a_jump(self) -> Cost {
        match self {
            Self::FewestJumps => Cost { first: 1, ..Cost::ZERO },
            Self::BigJumps { .. } => Cost { second: 1, ..Cost::ZERO },
            Self::FewestVertices | Self::Shortest | Self::LeastTime => Cost::ZERO,
        }
    }
}

/// The bounds on the rest of a way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remaining {
    pub(crate) goal: DVec3,
    pub(crate) cell_size: f64,
    /// `[units: cells]` No move leads further along either axis.
    pub(crate) hop: f64,
}

/// `[units: length / time]` No flight and no walk on level ground is faster than this, down by
/// `drop` at the most.
fn fastest(character: &Character, drop: f64) -> f64 {
    let launch = character.launch_speed();
    let falling = (launch * launch + 2.0 * character.gravity() * drop).sqrt();
    falling.max(character.walk_speed()) * (1.0 + 1e-12)
}
