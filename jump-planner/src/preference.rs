//! What makes one path better than another.

use crate::character::Character;
use crate::flight::Flight;
use crate::moves::MoveKind;
use glam::DVec3;
use std::cmp::Ordering;

/// What makes a path better than another one. All but the first count jumps before anything that a
/// jump could save, or count what a jump costs in full, so that nobody hops where walking will do.
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

/// What a path has cost, compared from left to right.
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

    /// A bound from below of what any jump between these centres costs.
    pub(crate) fn least_jump(self, character: &Character, ends: [DVec3; 2]) -> Cost {
        // The feet go at least straight; and no faster than the faster of walking and flying.
        let way = ends[0].distance(ends[1]) * (1.0 - 1e-12);
        match self {
            Self::FewestVertices => Cost { first: 1, second: 0, third: 0.0 },
            Self::FewestJumps => Cost { first: 1, second: 0, third: way },
            Self::Shortest => Cost { first: 0, second: 0, third: way },
            Self::LeastTime => {
                let drop = (ends[0].z - ends[1].z).max(0.0);
                let launch = character.launch_speed();
                let fastest = (launch * launch + 2.0 * character.gravity() * drop).sqrt();
                let third = way / fastest.max(character.walk_speed()) * (1.0 - 1e-12);
                Cost { first: 0, second: 0, third }
            }
            Self::BigJumps { .. } => Cost { first: 0, second: 1, third: way },
        }
    }
}
