//! The search over the settings that the source leaves open: numbers, and readings of its text.
//!
//! Settings are drawn from [`RANGES`] and from the readings of the text, and play the six drawn
//! maps with gamma = 0 and 0.3. The worst are dropped, the best come back beside children of theirs
//! whose numbers differ a little, with seeds that were not played yet, and more of them from round
//! to round. The search's seeds begin at 2^20. The report's are those of the reproduction, from 0,
//! which no choice depends on.
//!
//! # The loss
//! Of a map and a gamma: by how much the mean of hits and that of seconds are off the source's,
//! as a ratio (half a hit or a second is added to both), and 3 times the share of games that do not
//! arrive though the source's does, or 4 times the share of those that do though it does not. Of a
//! map that both arrive on: 4 times what the ratio of the times is above the source's, and 1 where
//! gamma = 0.3 is not the sooner. The steered map counts half: nobody knows what the person did.

use super::game::Board;
use super::level::{KINDS, Kind};
use super::setting::{Method, Setting};
use super::{PUBLISHED, ReproduceError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// The first seed of the search.
const FIRST_SEED: u64 = 1 << 20;
/// `[units: seconds]` The search's limit of a game.
const LIMIT: f64 = 60.0;
/// Seeds of a round, and how many settings are kept after it.
const ROUNDS: [(u64, usize); 5] = [(1, 16), (2, 12), (3, 8), (6, 4), (12, 1)];
/// Children of each setting that is kept.
const CHILDREN: usize = 4;
/// Maps by how soon they tell a bad setting.
const ORDER: [usize; 6] = [0, 4, 3, 2, 1, 5];

/// A number of the setting.
type Part = fn(&mut Setting) -> &mut f64;

/// The numbers that are searched: the name, the least, the most, and the place in a setting.
const RANGES: [(&str, f64, f64, Part); 9] = [
    ("evader_speed", 2.4, 3.8, |s| &mut s.evader_speed),
    ("pursuer_speed", 1.2, 3.8, |s| &mut s.pursuer_speed),
    ("attack_reach", 0.6, 4.0, |s| &mut s.attack_reach),
    ("beta", 1.0, 40.0, |s| &mut s.beta),
    ("danger.reach", 4.0, 14.0, |s| &mut s.danger.reach),
    ("fill.threshold", 1.0, 30.0, |s| &mut s.fill.threshold),
    ("health.grace", 0.7, 3.0, |s| &mut s.health.grace),
    ("health.recovery", 0.03, 0.4, |s| &mut s.health.recovery),
    ("stagnation", 1.0, 5.0, |s| &mut s.stagnation),
];
/// `[units: seconds]` Ticks that are tried.
const TICKS: [f64; 2] = [0.05, 0.1];

/// Means over games.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Means {
    /// The share that arrived.
    pub(crate) arrived: f64,
    /// `[units: seconds]`
    pub(crate) seconds: f64,
    /// Hits taken.
    pub(crate) hits: f64,
}

/// A setting and its results.
#[derive(Clone, Debug)]
struct Trial {
    setting: Setting,
    loss: f64,
    /// The means by map, then gamma = 0 and 0.3; zeros where it was given up before.
    means: [[Means; 2]; 6],
}

/// The results of the search.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    /// Settings drawn at first, and games played.
    pub(crate) trials: u64,
    games: u64,
    /// The best of each round on that round's seeds.
    losses: Vec<f64>,
    /// The best of the last round.
    setting: Setting,
    /// `[units: seeds]` How many of the reproduction's seeds it has played.
    pub(crate) seeds: u64,
    /// Its results, by map, then gamma = 0 and 0.3.
    fresh: [[Means; 2]; 6],
}

fn draw(base: &Setting, rng: &mut ChaCha8Rng) -> Setting {
    let mut setting = base.clone();
    for (_, low, high, part) in RANGES {
        // Small numbers as often as large ones, without a logarithm, which platforms round
        // differently.
        let u: f64 = rng.random_range(0.0..1.0);
        *part(&mut setting) = low + (high - low) * u * u;
    }
    setting.dt = TICKS[rng.random_range(0..TICKS.len())];
    let mut one_of = |n: u32| rng.random_range(0..n) == 0;
    let reading = &mut setting.reading;
    reading.unfired = if one_of(2) { 0.0 } else { 0.5 };
    reading.stands = one_of(2);
    reading.straight = one_of(3);
    reading.rest = if one_of(3) { setting.health.grace } else { 0.0 };
    setting
}

fn child(of: &Setting, rng: &mut ChaCha8Rng) -> Setting {
    let mut setting = of.clone();
    for (_, low, high, part) in RANGES {
        if rng.random_range(0..2) == 0 {
            let value = part(&mut setting);
            *value = (*value * rng.random_range(0.7..1.4)).clamp(low, high);
        }
    }
    setting
}

/// How far a mean is off the source's figure.
fn off(measured: f64, published: f64) -> f64 {
    let ratio = (measured + 0.5) / (published + 0.5);
    ratio.max(1.0 / ratio) - 1.0
}

fn play(
    board: &Board,
    kind: Kind,
    setting: &Setting,
    method: Method,
    seeds: Range<u64>,
) -> Result<Means, ReproduceError> {
    let mut means = Means::default();
    let n = (seeds.end - seeds.start) as f64;
    for seed in seeds {
        let outcome = board.play(kind, setting, setting.config(method), seed)?;
        means.arrived += f64::from(u8::from(outcome.arrived)) / n;
        means.seconds += outcome.seconds / n;
        means.hits += f64::from(outcome.hits) / n;
    }
    Ok(means)
}

const METHODS: [Method; 2] = [Method::Published0, Method::Published3];

/// Plays all maps, unless the loss is above `give_up` before.
fn attempt(
    boards: &[Board],
    setting: Setting,
    seeds: &Range<u64>,
    give_up: f64,
    tick: &(dyn Fn() + Sync),
) -> Result<Trial, ReproduceError> {
    let mut trial = Trial { setting, loss: 0.0, means: [[Means::default(); 2]; 6] };
    for map in ORDER {
        let weight = if KINDS[map] == Kind::Steered { 0.5 } else { 1.0 };
        for (i, method) in METHODS.into_iter().enumerate() {
            if trial.loss > give_up {
                trial.loss = f64::INFINITY;
                return Ok(trial);
            }
            let means = play(&boards[map], KINDS[map], &trial.setting, method, seeds.clone())?;
            (seeds.start..seeds.end).for_each(|_| tick());
            let (seconds, hits) = PUBLISHED[map][i];
            let missed = match seconds {
                Some(s) => off(means.seconds, s.min(LIMIT)) + 3.0 * (1.0 - means.arrived),
                None => 4.0 * means.arrived,
            };
            trial.loss += weight * (missed + off(means.hits, hits));
            trial.means[map][i] = means;
        }
        let [(before, _), (after, _)] = PUBLISHED[map];
        if let Some((before, after)) = before.zip(after) {
            let [zero, fill] = trial.means[map];
            trial.loss += 4.0 * (fill.seconds / zero.seconds - after / before).max(0.0);
            trial.loss += f64::from(u8::from(fill.seconds >= zero.seconds));
        }
    }
    Ok(trial)
}

/// Searches, beginning with so many settings, then plays the best with seeds from 0.
///
/// # Errors
/// The errors of the game, which would be a mistake of ours.
pub(crate) fn search(
    trials: u64,
    seeds: u64,
    tick: &(dyn Fn() + Sync),
) -> Result<Found, ReproduceError> {
    let mut base = Setting::load()?;
    let limit = std::mem::replace(&mut base.limit, LIMIT);
    let boards = KINDS.into_iter().map(|kind| Board::new(kind.drawn()));
    let boards: Vec<Board> = boards.collect::<Result<_, _>>()?;
    let mut rng = ChaCha8Rng::seed_from_u64(trials);
    // The present setting of the reproduction is also a candidate.
    let mut candidates = vec![base.clone()];
    candidates.extend((1..trials).map(|_| draw(&base, &mut rng)));
    let (mut first, mut give_up) = (FIRST_SEED, 25.0);
    let (mut losses, mut games) = (Vec::new(), std::sync::atomic::AtomicU64::new(0));
    let mut best = base;
    for (count, keep) in ROUNDS {
        let range = first..first + count;
        first += count;
        let counted = || {
            games.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tick();
        };
        let tried = candidates.into_par_iter().with_max_len(1);
        let tried = tried.map(|setting| attempt(&boards, setting, &range, give_up, &counted));
        let mut tried: Vec<Trial> = tried.collect::<Result<_, _>>()?;
        tried.sort_by(|a, b| a.loss.total_cmp(&b.loss));
        tried.truncate(keep);
        best = tried[0].setting.clone();
        losses.push(tried[0].loss);
        give_up = (1.4 * tried[tried.len() - 1].loss).min(25.0);
        candidates = tried.into_iter().map(|trial| trial.setting).collect();
        let children: Vec<Setting> = candidates
            .iter()
            .flat_map(|parent| (0..CHILDREN).map(|_| child(parent, &mut rng)).collect::<Vec<_>>())
            .collect();
        candidates.extend(children);
    }
    let setting = Setting { limit, ..best };
    let fresh = KINDS.into_par_iter().zip(&boards).map(|(kind, board)| {
        let [zero, fill] = METHODS.map(|method| play(board, kind, &setting, method, 0..seeds));
        Ok([zero?, fill?])
    });
    let fresh = fresh.collect::<Result<Vec<_>, ReproduceError>>()?;
    let fresh = std::array::from_fn(|i| fresh[i]);
    Ok(Found { trials, games: *games.get_mut(), losses, setting, seeds, fresh })
}

impl Found {
    /// The results as text.
    #[must_use]
    pub(crate) fn table(&self) -> String {
        let losses: Vec<_> = self.losses.iter().map(|loss| format!("{loss:.2}")).collect();
        let mut text = format!(
            "{} settings, {} games; the least loss of each round: {}\n\n{}\nwith {} seeds that no choice depends on:\n",
            self.trials,
            self.games,
            losses.join(", "),
            toml::to_string(&self.setting).unwrap_or_default(),
            self.seeds,
        );
        for ((kind, means), published) in KINDS.iter().zip(&self.fresh).zip(&PUBLISHED) {
            for ((gamma, means), (seconds, hits)) in [0.0, 0.3].iter().zip(means).zip(published) {
                let source = seconds.map_or("never".to_owned(), |s| format!("{s:.1} s"));
                let _ = writeln!(
                    text,
                    "{:22} gamma = {gamma:.1}: {:5.1} % arrived, {:6.1} s, {:5.1} hits (source {source}, {hits:.0} hits)",
                    kind.name(),
                    100.0 * means.arrived,
                    means.seconds,
                    means.hits,
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_draws_stay_within_their_ranges() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let base = Setting::load().unwrap();
        for _ in 0..200 {
            let mut drawn = draw(&base, &mut rng);
            let mut child = child(&drawn, &mut rng);
            for (name, low, high, part) in RANGES {
                for setting in [&mut drawn, &mut child] {
                    assert!((low..=high).contains(part(setting)), "{name}");
                }
            }
            assert!(TICKS.contains(&child.dt) && child.reading == drawn.reading);
        }
    }

    #[test]
    fn a_figure_that_is_met_is_not_off_and_both_sides_count_alike() {
        assert_eq!(off(7.0, 7.0), 0.0);
        assert_eq!(off(4.5, 2.0), off(2.0, 4.5));
    }
}
