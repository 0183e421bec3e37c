//! What came of a run.

use crate::quantile::nearest_rank;
use crate::scenario::{Pursuers, Scenario};
use serde::Serialize;
use std::collections::BTreeMap;

/// What came of a run; the keys of `run --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of all that was random.
    pub seed: u64,
    /// Frames until it ended.
    pub steps: u64,
    /// Seconds of wall time.
    pub seconds: f64,
    /// Wall time of a frame.
    pub frame_ms: FrameTimes,
    /// Equal for equal runs, whatever the number of threads.
    pub state_hash: String,
    /// What happened.
    pub outcome: Outcome,
}

/// `[units: ms]` Wall time of a frame, after a tenth of the run. Percentiles are
/// [of nearest rank](crate::quantile::nearest_rank).
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct FrameTimes {
    /// The 50th percentile: half of the frames took no longer.
    pub median: f64,
    /// The 99th percentile: 99 of 100 frames took no longer; of fewer than 100, all.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// What happened in a run: the same for every number of threads. What does not apply is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    /// Pursuers that took part.
    pub pursuers: usize,
    /// Pursuers that were in contact with an evader at least once.
    pub arrived: usize,
    /// Pursuers that were near enough to an evader when they came in; see `contact.near`.
    pub near: Option<usize>,
    /// The part of those in `near` that arrived; null where nobody was near.
    pub near_arrived: Option<f64>,
    /// On maps with legs: pursuers that a way led to an evader for when they came in, by a proof
    /// without waves.
    pub can_come: Option<usize>,
    /// On maps with legs: those that no way led to an evader for.
    pub cannot_come: Option<usize>,
    /// Those of `can_come` that did not arrive.
    pub lost: Option<usize>,
    /// Those of `cannot_come` that arrived all the same.
    pub strays: Option<usize>,
    /// Pursuers that at the end knew that no way exists.
    pub unreachable: usize,
    /// The frame in which the first pursuer arrived.
    pub first_arrival: Option<u64>,
    /// The frame in which the last of those that arrived did so first.
    pub last_arrival: Option<u64>,
    /// `[units: world units]` The mean length of the pursuers' ways.
    pub walked_mean: f64,
    /// Pursuers by group.
    pub groups: BTreeMap<String, GroupOutcome>,
    /// Evaders that took part.
    pub evaders: usize,
    /// Evaders that a pursuer was in contact with at least once.
    pub caught: usize,
    /// Evaders that have a goal of their own.
    pub with_goals: usize,
    /// Evaders that came to a goal of their own.
    pub home: usize,
    /// `[units: time]` When the last evader came to its goal, or the end of the run.
    pub home_seconds: Option<f64>,
    /// `[units: world units]` The mean length of the evaders' ways. Of a `utility` evader, edges
    /// count, also the one that it is on, and not its way to the middle of its first cell.
    pub evader_walked: f64,
    /// `[units: world units]` The most that an evader would walk, by its detour budget.
    pub certificate: Option<f64>,
    /// Whether every evader with a certificate came home within it.
    pub within_certificate: Option<bool>,
    /// Hits that evaders with hit points took.
    pub hits: Option<u64>,
    /// Jumps that evaders flew.
    pub jumps: u64,
    /// Jumps that evaders flew and that did not keep clear of everything.
    pub blocked_jumps: u64,
    /// Falls that evaders took.
    pub falls: u64,
    /// `[units: world units]` The mean distance of flocking pursuers to the nearest other of their
    /// pack, nobody counting farther than the view radius. Like `alignment` and `files`: in the
    /// second half of the time until the first pursuer arrives.
    pub spacing: Option<f64>,
    /// The mean cosine between headings of neighbours in a pack: 1 where all go the same way.
    pub alignment: Option<f64>,
    /// How much a pack goes in lanes: 1 where all neighbours are ahead or behind, 0 where they are
    /// on all sides alike, in 2D -1 where they go abreast.
    pub files: Option<f64>,
    /// Cells that became walls on the way.
    pub walls_built: usize,
    /// Walls that became free on the way.
    pub walls_broken: usize,
    /// Cells that did not become walls because a member stood there or was still to come there.
    pub refused_walls: usize,
    /// Cell updates of all waves.
    pub updates: u64,
    /// What waves, new courses and edits of a frame cost in cell updates, the 99th of 100 over the
    /// median, after a tenth of the run.
    pub updates_spread: Option<f64>,
}

/// What happened to a group of pursuers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupOutcome {
    /// Pursuers that took part.
    pub pursuers: usize,
    /// Pursuers that were in contact with an evader at least once.
    pub arrived: usize,
    /// The frame in which the first arrived.
    pub first_arrival: Option<u64>,
    /// Frames in contact, all of them together.
    pub contact_frames: u64,
}

impl Outcome {
    /// The outcome of a scenario in which nothing has happened yet.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let group = |(i, group): (usize, &Pursuers)| (group.name(i), GroupOutcome::default());
        let groups = scenario.pursuers.iter().enumerate().map(group).collect();
        Self { groups, ..Self::default() }
    }

    /// The figure of a key, with dots for keys within keys: true counts 1, false 0.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<f64> {
        self.figures().into_iter().find(|(name, _)| name == key)?.1
    }

    /// All figures, sorted by key; `None` for null.
    #[must_use]
    pub fn figures(&self) -> Vec<(String, Option<f64>)> {
        let mut figures = Vec::new();
        let value = serde_json::to_value(self).unwrap_or_default();
        collect("", &value, &mut figures);
        figures
    }
}

fn collect(key: &str, value: &serde_json::Value, figures: &mut Vec<(String, Option<f64>)>) {
    match value {
        serde_json::Value::Object(map) => {
            for (name, value) in map {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                collect(&key, value, figures);
            }
        }
        serde_json::Value::Bool(truth) => {
            figures.push((key.to_owned(), Some(f64::from(u8::from(*truth)))));
        }
        other => figures.push((key.to_owned(), other.as_f64())),
    }
}

/// Costs of frames, as a multiple of which their worst are judged.
#[derive(Clone, Debug, Default)]
pub(super) struct Costs(Vec<f64>);

impl Costs {
    pub(super) fn push(&mut self, cost: f64) {
        self.0.push(cost);
    }

    /// The 50th, 99th and 100th percentile, after a tenth of the run.
    pub(super) fn quantiles(&self) -> Option<[f64; 3]> {
        let mut costs = self.0[self.0.len() / 10..].to_vec();
        costs.sort_by(f64::total_cmp);
        let at = |percent| nearest_rank(&costs, percent);
        Some([at(50)?, at(99)?, at(100)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_few_frames_is_their_99th_percentile() {
        let mut costs = Costs::default();
        assert_eq!(costs.quantiles(), None);
        (1..=66).for_each(|cost| costs.push(f64::from(cost)));
        assert_eq!(costs.quantiles(), Some([36.0, 66.0, 66.0]), "of 7 to 66");
    }
}
