//! The figures of the games, and whether the contestants agree.

use super::fields::CONDOR;
use super::game::Player;
use crate::error::CompareError;
use crate::measure::Times;
use crate::report::Row;
use serde_json::Value;

pub(crate) const OURS: &str = "ours";
/// The same on one thread.
pub(crate) const ALONE: &str = "ours-1-thread";
/// The contestant with which ways and captures are compared.
pub(crate) const BASELINE: &str = "dijkstra";

/// The players of the first game; their times are the shortest of all games, frame by frame.
pub(crate) struct Figures(Vec<Player>);

impl Figures {
    /// # Errors
    /// [`CompareError::Mismatch`] where the end states of ours depend on the threads. How many
    /// capture the target is no answer to check but a figure to report: contestants know of the
    /// target at different times. That all walk as the rules say, the game has checked frame by
    /// frame.
    pub(crate) fn new(players: Vec<Player>) -> Result<Self, CompareError> {
        let wrong = |one, other, how| Err(CompareError::Mismatch { one, other, how });
        let mut hashes = players
            .iter()
            .filter(|p| [OURS, ALONE].contains(&p.name))
            .filter_map(|p| p.contestant.state_hash().map(|hash| (p.name, hash)));
        if let Some((other, expected)) = hashes.next()
            && let Some((one, hash)) = hashes.find(|(_, hash)| *hash != expected)
        {
            return wrong(one, other, format!("end states {hash:016x} and {expected:016x}"));
        }
        Ok(Self(players))
    }

    pub(crate) fn somebody_gave_up(&self) -> bool {
        self.0.iter().any(|p| p.gave_up)
    }

    /// Adds a further game with the same moves.
    ///
    /// # Errors
    /// [`CompareError::Mismatch`] if it went otherwise.
    pub(crate) fn add(&mut self, players: &[Player]) -> Result<(), CompareError> {
        for again in players {
            let Some(first) = self.0.iter_mut().find(|p| p.name == again.name) else { continue };
            let frames = first.times.len().min(again.times.len());
            let early = first.gave_up || again.gave_up;
            if !early && first.captures != again.captures {
                let how = "another game with the same moves went otherwise".to_owned();
                return Err(CompareError::Mismatch { one: first.name, other: first.name, how });
            }
            for (time, again) in first.times[..frames].iter_mut().zip(&again.times) {
                *time = time.min(*again);
            }
        }
        Ok(())
    }

    pub(crate) fn rows(self, edits: usize) -> Vec<Row> {
        let baseline = self.0.iter().find(|p| p.name == BASELINE);
        let baseline = baseline.map(|p| p.captures.clone()).unwrap_or_default();
        let row = |player: Player| {
            let frames = player.times.len();
            let capture = |capture: &Option<(usize, f64)>| capture.map_or(frames, |c| c.0) as f64;
            let mean_frame = mean(player.captures.iter().map(capture));
            let both = player.captures.iter().zip(&baseline).filter_map(|(a, b)| a.zip(*b));
            // A pursuer that starts beside the target has no way to compare.
            let ratios = both.filter(|(_, b)| b.1 > 0.0).map(|(a, b)| a.1 / b.1);
            let times = Times::new(player.times.clone());
            let capture_frames = if player.gave_up { Value::Null } else { mean_frame.into() };
            let extra = vec![
                ("ms_per_frame", times.median().into()),
                ("ms_per_frame_p99", times.percentile(99).into()),
                ("capture_frames", capture_frames),
                ("captured", captured(&player).into()),
                ("path_ratio", mean(ratios).into()),
                ("edits", edits.into()),
            ];
            let version = if player.name == "condor" { CONDOR } else { env!("CARGO_PKG_VERSION") };
            Row { contestant: player.name, version, times, extra }
        };
        self.0.into_iter().map(row).collect()
    }
}

fn captured(player: &Player) -> usize {
    player.captures.iter().flatten().count()
}

/// NaN, which JSON writes as null, where there is nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means() {
        assert_eq!(mean((1..=200).rev().map(f64::from)), 100.5);
    }
}
