//! A running wave and its arrivals as plain data, and back, checked.

use super::{MAX_STEPS, NEVER, PARTS, RecordedWave};
use crate::dense::real::Real;
use crate::dense::wave::Wave;
use crate::grid::space::Space;
use crate::state::{self, StateError, WaveState};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Cells are in the order of `[z][y][x]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedState {
    wave: WaveState,
    /// In parts of a step; the largest number where it did not come.
    times: Vec<u32>,
    waiting: Vec<usize>,
    latest: u64,
    patience: u64,
    exhausted: bool,
    seen: u64,
}

impl<D: Space, S: Real> RecordedWave<D, S> {
    fn state(&self) -> RecordedState {
        let number = |&i: &u32| state::number(&self.layout, i as usize);
        RecordedState {
            wave: self.wave.state(),
            times: self.layout.indices().map(|i| self.times[i]).collect(),
            waiting: self.waiting.iter().map(number).collect(),
            latest: self.latest,
            patience: self.patience,
            exhausted: self.exhausted,
            seen: self.seen,
        }
    }

    /// The inverse of [`RecordedWave::state`], checked.
    fn from_state(from: &RecordedState) -> Result<Self, StateError> {
        let wave = Wave::<D, S>::from_state(&from.wave)?;
        let layout = state::layout::<D, S>(from.wave.size, from.wave.format)?;
        state::check_length(&layout, "times", from.times.len())?;
        state::check_count("latest", from.latest)?;
        state::check_count("patience", from.patience)?;
        let steps = wave.steps();
        if from.latest > steps || steps > MAX_STEPS {
            return Err(StateError::Value { what: "latest", value: from.latest as f64 });
        }
        let mut times = vec![NEVER; layout.len];
        let mut reached = 0;
        for (cell, (i, &time)) in layout.indices().zip(&from.times).enumerate() {
            if time != NEVER && u64::from(time.div_ceil(PARTS)) > steps {
                return Err(StateError::Cell { what: "time", cell, bits: time.into() });
            }
            times[i] = time;
            reached += usize::from(time != NEVER);
        }
        let mut waits = vec![false; layout.len];
        let mut waiting = Vec::with_capacity(from.waiting.len());
        for &cell in &from.waiting {
            let i = state::index(&layout, cell);
            let fresh = i.filter(|&i| times[i] == NEVER && !waits[i]);
            let bits = cell as u64;
            let i = fresh.ok_or(StateError::Cell { what: "waiting", cell, bits })?;
            waits[i] = true;
            waiting.push(i as u32);
        }
        Ok(Self {
            wave,
            layout,
            times,
            waiting,
            waits,
            reached,
            latest: from.latest,
            patience: from.patience,
            exhausted: from.exhausted,
            seen: from.seen,
            medium: None,
        })
    }
}

impl<D: Space, S: Real> Serialize for RecordedWave<D, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.state().serialize(serializer)
    }
}

/// What was written by another type, or cannot be a wave, is refused.
impl<'de, D: Space, S: Real> Deserialize<'de> for RecordedWave<D, S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_state(&RecordedState::deserialize(deserializer)?).map_err(T::Error::custom)
    }
}
