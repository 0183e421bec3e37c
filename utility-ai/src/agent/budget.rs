//! A promise of arrival that no threat can break: the detour budget.

use crate::error::{UtilityError, number};
use crate::graph::Graph;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How far an agent may stray from a shortest way.
///
/// # Theorem
/// Let the lengths of all edges be fixed and above 0, let G be the exact distance to the nearest
/// goal, finite at the start (G0), and let every decision take an edge. A move from P to Q costs
/// `length + G(Q) - G(P)`: so much longer it makes the way. Only moves whose cost is at most the
/// rest of the budget D are allowed; this is tested before the move. Then, whatever the threats do
/// and however the allowed moves are ranked:
///
/// 1. *No cost is negative*: `G(P) <= length + G(Q)`, or G would not be the distance.
/// 2. *Some move is always allowed*: the next node of a shortest way costs 0.
/// 3. *The way is at most G0 + D long, and so ends, at a goal*. The costs of a way from S to P add
///    up to its length plus G(P) - G0, as all G in between cancel; they are at most D, so its
///    length is at most `D + G0 - G(P) <= G0 + D`. As every edge is at least the shortest edge
///    long, the way ends, and it ends only at a goal.
///
/// If the budget is filled up again whenever the lowest G so far has fallen by g since it was last
/// filled up, that happens at most `floor(G0 / g)` times, so the way is at most
/// `G0 + D (1 + floor(G0 / g))` long.
///
/// Lengths and distances are whole multiples of [`Graph::quantum`], so all this holds of the
/// numbers as they are computed, not only of real ones. It says nothing about surviving.
///
/// # What ends the promise
/// * Other goals, an edit of the graph that changes the distance from where the agent stands, and a
///   game that puts the agent elsewhere. A new promise with a full budget then begins. After any
///   other edit the promise and the rest of the budget still hold.
/// * Turning round in the middle of an edge. It costs twice the part of the edge that was walked:
///   charge it with [`Agent::charge`](crate::Agent::charge).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields))]
pub struct DetourBudget {
    /// How long detours may be.
    pub detour: Extent,
    /// `[units: length] [limits: at least a quantum] suggested: none` If set: fills up the budget
    /// whenever the distance has fallen by so much; never, if it is more than there is to walk.
    #[cfg_attr(feature = "serde", serde(default))]
    pub refill_every: Option<f64>,
}

/// A length, or a part of the distance at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Extent {
    /// `[units: length] [limits: 0 to 2^50 quanta]`
    Length(f64),
    /// `[units: distance at the start] [limits: 0 to 1e6] suggested: 0.5`
    OfStart(f64),
}

impl DetourBudget {
    /// Half as much again as the shortest way.
    #[must_use]
    pub fn half() -> Self {
        Self { detour: Extent::OfStart(0.5), refill_every: None }
    }
}

/// What is certain about arrival, now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guarantee {
    /// Whatever the threats do and whatever anything weighs, as long as edges and goals stay.
    Arrival {
        /// `[units: length]` After no more than this from here.
        within: f64,
    },
    /// As long as threats, indicators, weights, edges and goals stay.
    WhileStill {
        /// `[units: length]` After no more than this from here.
        within: f64,
    },
    /// Nothing is promised.
    None,
}

fn checked(what: &'static str, value: f64, least: f64, most: f64) -> Result<f64, UtilityError> {
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(UtilityError::Budget { what, value, least, most })
    }
}

/// A budget in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Purse {
    full: f64,
    left: f64,
    refill_every: Option<f64>,
    /// The distance at which it was last filled up.
    filled_at: f64,
}

impl Purse {
    /// A full budget at a distance.
    pub(crate) fn new(
        budget: DetourBudget,
        graph: &Graph,
        distance: f64,
    ) -> Result<Self, UtilityError> {
        let quantum = graph.quantum();
        // Sums with distances stay exact below 2^53 quanta.
        let most = quantum * (1_u64 << 50) as f64;
        let full = match budget.detour {
            Extent::Length(length) => checked("budget.detour", length, 0.0, most)?,
            Extent::OfStart(part) => {
                number("budget.detour", part, (0.0..=1e6).contains(&part), "0 to 1e6")?;
                (part * distance).min(most)
            }
        };
        // Downward: the promised detour is the requested one, or less.
        let whole = |length: f64| (length / quantum).floor() * quantum;
        if let Some(every) = budget.refill_every {
            checked("budget.refill_every", every, quantum, f64::MAX)?;
        }
        let refill_every = budget.refill_every.map(|g| (g / quantum).ceil() * quantum);
        Ok(Self { full: whole(full), left: whole(full), refill_every, filled_at: distance })
    }

    pub(crate) fn left(&self) -> f64 {
        self.left
    }

    /// Takes off a length that was walked for nothing. Returns whether the budget had it.
    pub(crate) fn charge(&mut self, length: f64) -> bool {
        let enough = length <= self.left;
        self.left = (self.left - length).max(0.0);
        enough
    }

    pub(crate) fn pay(&mut self, cost: f64, distance: f64) {
        self.left -= cost;
        if let Some(every) = self.refill_every
            && self.filled_at - distance >= every
        {
            self.left = self.full;
            self.filled_at = distance;
        }
    }

    /// How long the way from here is at most. In a promise of many refills that is more quanta than
    /// a float has digits, so they are counted, and the sum is rounded once and upwards: as the
    /// count never grows on the way, neither does the promise.
    pub(crate) fn within(&self, graph: &Graph, distance: f64) -> f64 {
        let quantum = graph.quantum();
        let quanta = |length: f64| (length / quantum).ceil() as u128;
        let refills = self.refill_every.map_or(0, |every| quanta(self.filled_at) / quanta(every));
        // Each of the factors is below 2^53.
        let exact = quanta(distance) + quanta(self.left) + quanta(self.full) * refills;
        let rounded = exact as f64;
        let up = if (rounded as u128) < exact { rounded.next_up() } else { rounded };
        up * quantum
    }
}
