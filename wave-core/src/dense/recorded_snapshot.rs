//! A wave and its arrivals as plain data, and back, checked.

use super::real::Real;
use super::recorded::{MAX_STEPS, NEVER, PARTS, Record, RecordedWave, WAITING, WALL};
use super::wave::Wave;
use crate::grid::{Follower, Space};
use serde::{Deserialize, Serialize};

/// Cells are in the order of `[z][y][x]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub(super) struct RecordedRecord<D: Space, S: Real> {
    wave: Wave<D, S>,
    /// In parts of a step; -1 where the wave did not come, -2 where a cell waits for it, -3 in
    /// walls.
    times: Vec<i64>,
    latest: u64,
    patience: u64,
    exhausted: bool,
    /// Edits of walls and of speeds that were taken over.
    seen: [u64; 2],
}

impl<D: Space, S: Real> From<RecordedWave<D, S>> for RecordedRecord<D, S> {
    fn from(from: RecordedWave<D, S>) -> Self {
        let RecordedWave { wave, record } = from;
        let time = |i: usize| match record.times[i] {
            NEVER => -1,
            WAITING => -2,
            WALL => -3,
            time => i64::from(time),
        };
        Self {
            times: wave.layout().indices().map(time).collect(),
            latest: record.latest,
            patience: record.patience,
            exhausted: record.exhausted,
            seen: record.follower.seen(),
            wave,
        }
    }
}

impl<D: Space, S: Real> TryFrom<RecordedRecord<D, S>> for RecordedWave<D, S> {
    type Error = String;

    fn try_from(from: RecordedRecord<D, S>) -> Result<Self, String> {
        let RecordedRecord { wave, times, latest, patience, exhausted, seen } = from;
        let layout = wave.layout().clone();
        if times.len() != layout.count() {
            return Err(format!("{} times for {:?} cells", times.len(), layout.size));
        }
        if [patience, seen[0], seen[1]].iter().any(|count| count >> 60 > 0) {
            return Err(format!("patience {patience}, edits {seen:?}"));
        }
        if latest > wave.steps() || wave.steps() > MAX_STEPS {
            return Err(format!("an arrival at {latest} of {} steps", wave.steps()));
        }
        let mut record = Record::empty(layout.clone());
        for (cell, (i, time)) in layout.indices().zip(times).enumerate() {
            let last = wave.steps() as i64 * i64::from(PARTS);
            record.times[i] = match time {
                -1 => NEVER,
                -2 => WAITING,
                -3 => WALL,
                0.. if time <= last => time as u32,
                _ => return Err(format!("time of cell {cell}: {time}")),
            };
        }
        record.recount();
        (record.latest, record.patience, record.exhausted) = (latest, patience, exhausted);
        record.follower = Follower::of_snapshot(seen);
        Ok(Self { wave, record })
    }
}
