//! A running front of short waves as plain data, and back, checked.

use super::Front;
use crate::arrival::march::{LATEST, SLOWEST, UNIT, UNREACHED, WALL, entry};
use crate::dense::real::Real;
use crate::grid::space::Space;
use crate::state::{self, StateError};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A front. Cells are in the order of `[z][y][x]`, times are counted from the emission.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontState {
    format: u32,
    size: [usize; 3],
    /// Bits of what a unit of time is.
    unit: u64,
    time: i32,
    clock: u64,
    ended: bool,
    exhausted: bool,
    updates: u64,
    seen: u64,
    speeds_of: Option<u64>,
    /// When it came or is about to come; -1 where neither, -2 in walls.
    times: Vec<i32>,
    /// What every cell takes; empty where all take the same.
    slowness: Vec<i32>,
}

impl<D: Space, S: Real> Front<D, S> {
    fn state(&self) -> FrontState {
        let layout = self.march.layout();
        let since = |i: usize| match self.march.times[i] {
            WALL => -2,
            time if time < self.later => time - self.start,
            _ => -1,
        };
        FrontState {
            format: 8 * size_of::<S>() as u32,
            size: layout.size,
            unit: self.march.unit.to_bits(),
            time: self.time - self.start,
            clock: self.clock,
            ended: self.ended,
            exhausted: self.exhausted,
            updates: self.updates,
            seen: self.seen,
            speeds_of: self.speeds_of,
            times: layout.indices().map(since).collect(),
            slowness: self.march.every_slowness().collect(),
        }
    }

    /// The inverse of [`Front::state`], checked.
    fn from_state(from: &FrontState) -> Result<Self, StateError> {
        let layout = state::layout::<D, S>(from.size, from.format)?;
        state::check_length(&layout, "times", from.times.len())?;
        if !from.slowness.is_empty() {
            state::check_length(&layout, "slowness", from.slowness.len())?;
        }
        state::check_count("updates", from.updates)?;
        let mut front = Self::empty(&layout);
        let refused = |what, value: f64| Err(StateError::Value { what, value });
        let unit = f64::from_bits(from.unit);
        // What the speeds of a medium can give.
        if !(1e-3..=16.0).contains(&unit) {
            return refused("unit", unit);
        }
        if !(0..=LATEST + SLOWEST).contains(&from.time) {
            return refused("time", from.time.into());
        }
        if from.exhausted && !from.ended {
            return refused("exhausted", 1.0);
        }
        let cell = |what, cell, value: i32| StateError::Cell { what, cell, bits: value as u64 };
        if !from.slowness.is_empty() {
            for (number, &each) in from.slowness.iter().enumerate() {
                if !(UNIT..=SLOWEST).contains(&each) {
                    return Err(cell("slowness", number, each));
                }
            }
            front.march.set_slowness(from.slowness.iter().copied());
        }
        front.march.unit = unit;
        (front.start, front.later, front.time) = (0, UNREACHED, from.time);
        (front.ended, front.exhausted) = (from.ended, from.exhausted);
        front.clock = from.clock;
        (front.updates, front.seen, front.speeds_of) = (from.updates, from.seen, from.speeds_of);
        for (number, (i, &time)) in layout.indices().zip(&from.times).enumerate() {
            front.march.times[i] = match time {
                -2 => WALL,
                -1 => UNREACHED,
                0.. if time <= LATEST + 16 * SLOWEST => time,
                _ => return Err(cell("time", number, time)),
            };
            if time >= front.limit() {
                front.march.queue.seeds.push(entry(time, i));
            } else {
                front.reached_cells += usize::from(time >= 0);
            }
        }
        front.march.resume(front.time);
        if !front.ended {
            front.seek();
        }
        Ok(front)
    }
}

impl<D: Space, S: Real> Serialize for Front<D, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.state().serialize(serializer)
    }
}

/// What was written by another type, or cannot be a front, is refused.
impl<'de, D: Space, S: Real> Deserialize<'de> for Front<D, S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_state(&FrontState::deserialize(deserializer)?).map_err(T::Error::custom)
    }
}
