//! `reproduce furukawa`: an evader that weighs its goal against 8 pursuers, on six kinds of maps.
//!
//! # The game
//! 40 x 40 nodes, 8 neighbours, an edge counts 1 in the distance and takes as long as it is long to
//! walk. The evader runs from the lower left to the upper right at 3 cells a second. Pursuers run
//! along shortest ways to the node where the evader is, at 2.4 cells a second; within their attack
//! reach they stand and attack: 1 hit point, then a second of grace. On the last map one pursuer
//! does not follow but runs to the first node of the evader's shortest way where it can be before
//! it: that stands for the person. U is the sum over pursuers of a linear fall-off by travel
//! distance, beta comes from the appendix's engine; all numbers stand in `furukawa/setting.toml`,
//! the maps beside it.
//!
//! On every drawn map every method plays `seeds` games; seeds say where everybody starts and which
//! of equally short ways pursuers take. 20 generated maps of each kind stand beside the drawn one:
//! every one of them is played `seeds / 20` times, rounded up, and is one draw in the intervals.
//!
//! # What holds means
//! Who has not arrived after 120 s counts as 120 s. A row "gamma = 0.3 / gamma = 0" holds where the
//! ratio of the mean times is at most the source's, and the 95 % interval of the paired difference
//! lies below 0; on the complex maps, where the source's gamma = 0 never arrives, the latter alone,
//! and gamma = 0 must arrive in less than half of the games. Ours holds where it always arrives, is
//! sooner than gamma = 0.3 (interval below 0), and takes no more hits on the mean.
//!
//! The adverse setting changes one number: pursuers come as close as 1.2 cells before they attack.
//! Then they run into the evader instead of besieging it, no pit lasts, and gamma = 0.3 is the
//! later one on most maps.

mod game;
mod level;
mod setting;

use super::{By, Figure, ReproduceError, Row};
use crate::study::estimate::Estimate;
use game::{Board, Outcome};
use level::{GENERATED, KINDS, Kind};
use rayon::prelude::*;
use setting::{METHODS, Method, Setting};

/// Seconds and hits as published, `[kind][gamma = 0, gamma = 0.3]`; without seconds: never.
const PUBLISHED: [[(Option<f64>, f64); 2]; 6] = [
    [(Some(18.8), 1.0), (Some(16.0), 1.0)],
    [(Some(18.7), 1.0), (Some(16.1), 1.0)],
    [(Some(22.4), 4.0), (Some(18.9), 6.0)],
    [(Some(34.5), 7.0), (Some(32.7), 6.0)],
    [(None, 9.0), (Some(29.6), 4.0)],
    [(None, 21.0), (Some(119.7), 19.0)],
];
/// Methods under the adverse setting.
const ADVERSE: [Method; 3] = [Method::Published0, Method::Published3, Method::Ours];

/// Games on one kind of maps: the drawn one, the generated ones, the drawn one under the adverse
/// setting.
#[derive(Clone, Copy)]
enum Part {
    Drawn,
    Generated,
    Adverse,
}

const PARTS: [Part; 3] = [Part::Drawn, Part::Generated, Part::Adverse];

impl Part {
    fn methods(self) -> &'static [Method] {
        match self {
            Self::Drawn | Self::Generated => &METHODS,
            Self::Adverse => &ADVERSE,
        }
    }

    /// Maps, and games on each.
    fn games(self, seeds: u64) -> (u64, u64) {
        match self {
            Self::Drawn | Self::Adverse => (1, seeds),
            Self::Generated => (GENERATED, seeds.div_ceil(GENERATED)),
        }
    }
}

/// Map by map, game by game.
type Games = Vec<Vec<Outcome>>;

pub(super) fn ticks(seeds: u64) -> u64 {
    let part = |part: Part| {
        let (maps, games) = part.games(seeds);
        KINDS.len() as u64 * maps * games * part.methods().len() as u64
    };
    PARTS.into_iter().map(part).sum()
}

pub(super) fn rows(seeds: u64, tick: &(dyn Fn() + Sync)) -> Result<Vec<Row>, ReproduceError> {
    let setting = Setting::load()?;
    let mut rows = Vec::new();
    for part in PARTS {
        for (i, kind) in KINDS.into_iter().enumerate() {
            let setting = match part {
                Part::Adverse => setting.adverse(),
                Part::Drawn | Part::Generated => setting.clone(),
            };
            let games = part.methods().iter().map(|&m| play(part, kind, &setting, m, seeds, tick));
            let games = games.collect::<Result<Vec<Games>, _>>()?;
            compare(part, i, &games, &mut rows);
        }
    }
    Ok(rows)
}

fn play(
    part: Part,
    kind: Kind,
    setting: &Setting,
    method: Method,
    seeds: u64,
    tick: &(dyn Fn() + Sync),
) -> Result<Games, ReproduceError> {
    let (maps, games) = part.games(seeds);
    let config = setting.config(method);
    (0..maps)
        .into_par_iter()
        .map(|map| {
            let level = match part {
                Part::Generated => kind.generated(map),
                Part::Drawn | Part::Adverse => kind.drawn(),
            };
            let board = Board::new(level)?;
            let game = |seed: u64| {
                let outcome = board.play(kind, setting, config, seed);
                tick();
                outcome.map_err(ReproduceError::from)
            };
            let seeds: Vec<u64> = (0..games).collect();
            seeds.into_par_iter().with_max_len(1).map(game).collect()
        })
        .collect()
}

fn all(games: &Games) -> impl Iterator<Item = &Outcome> {
    games.iter().flatten()
}

fn mean(games: &Games, of: impl Fn(&Outcome) -> f64) -> f64 {
    all(games).map(of).sum::<f64>() / all(games).count() as f64
}

fn seconds(outcome: &Outcome) -> f64 {
    outcome.seconds
}

fn hits(outcome: &Outcome) -> f64 {
    f64::from(outcome.hits)
}

/// The rows of one kind of maps.
fn compare(part: Part, kind: usize, games: &[Games], rows: &mut Vec<Row>) {
    let name = KINDS[kind].name();
    let place = match part {
        Part::Drawn => name.to_owned(),
        Part::Generated => format!("{name}, {GENERATED} generated"),
        Part::Adverse => format!("{name}, adverse"),
    };
    let (zero, fill, ours) = (&games[0], &games[1], &games[games.len() - 1]);
    // Under the adverse setting nothing is claimed.
    let claim = |holds: bool| (!matches!(part, Part::Adverse)).then_some(holds);
    let [(before, _), (after, _)] = PUBLISHED[kind];
    let published = before.zip(after).map(|(before, after)| after / before);
    let paired = Paired::new(fill, zero);
    rows.push(Row {
        case: format!("{place}: seconds, gamma = 0.3 / gamma = 0"),
        by: By::Published,
        published: published.map(Figure::Number),
        measured: Figure::Number(paired.ratio),
        holds: claim(published.is_none_or(|p| paired.ratio <= p) && paired.is_negative()),
        detail: paired.to_string(),
    });
    if before.is_none() {
        let share = mean(zero, |o| f64::from(u8::from(o.arrived)));
        rows.push(Row {
            case: format!("{place}: arrived, gamma = 0"),
            by: By::Published,
            published: Some(Figure::Number(0.0)),
            measured: Figure::Number(share),
            holds: claim(share < 0.5),
            detail: "the source's never arrives; holds where most games fail".to_owned(),
        });
    }
    let paired = Paired::new(ours, fill);
    let arrived = all(ours).all(|outcome| outcome.arrived);
    let [our_hits, their_hits] = [ours, fill].map(|games| mean(games, hits));
    rows.push(Row {
        case: format!("{place}: seconds, ours / gamma = 0.3"),
        by: By::Ours,
        published: None,
        measured: Figure::Number(paired.ratio),
        holds: claim(arrived && paired.is_negative() && our_hits <= their_hits),
        detail: format!("{paired}; hits {our_hits:.2} against {their_hits:.2}"),
    });
    for (i, (method, games)) in part.methods().iter().zip(games).enumerate() {
        let by = match method {
            Method::Published0 | Method::Published3 => By::Published,
            Method::Straight => By::Baseline,
            Method::Flood | Method::Weighted | Method::Ours => By::Ours,
        };
        let source = PUBLISHED[kind].get(i).filter(|_| matches!(part, Part::Drawn));
        let count = all(games).count() as f64;
        let arrived = all(games).filter(|outcome| outcome.arrived).count() as f64;
        let [low, high] = wilson(arrived, count);
        let said = source.map_or(String::new(), |(_, hits)| format!(" (published {hits:.0})"));
        rows.push(Row {
            case: format!("{place}: seconds, {}", method.name()),
            by,
            published: source.and_then(|(seconds, _)| *seconds).map(Figure::Number),
            measured: Figure::Number(mean(games, seconds)),
            // Seconds on other maps than the source's say nothing; ours must always arrive.
            holds: (*method == Method::Ours).then_some(arrived == count),
            detail: format!(
                "arrived {:.1} % ({:.1} to {:.1}), hits {:.2}{said}",
                100.0 * arrived / count,
                100.0 * low,
                100.0 * high,
                mean(games, hits),
            ),
        });
    }
}

/// The times of two methods in the same games.
struct Paired {
    /// Of the means.
    ratio: f64,
    /// `[units: seconds]`
    difference: Option<Estimate>,
}

impl Paired {
    fn new(a: &Games, b: &Games) -> Self {
        // Games on one generated map have the map in common: it is one draw. A single map's games
        // are draws by themselves.
        let differences: Vec<f64> = if a.len() > 1 {
            let of =
                |games: &[Outcome]| games.iter().map(seconds).sum::<f64>() / games.len() as f64;
            a.iter().zip(b).map(|(a, b)| of(a) - of(b)).collect()
        } else {
            all(a).zip(all(b)).map(|(a, b)| a.seconds - b.seconds).collect()
        };
        let ratio = mean(a, seconds) / mean(b, seconds);
        Self { ratio, difference: Estimate::of(differences.into_iter().map(Some)) }
    }

    /// Whether all of the interval is below 0. One draw has none.
    fn is_negative(&self) -> bool {
        self.difference.is_some_and(|d| d.count > 1 && d.high < 0.0)
    }
}

impl std::fmt::Display for Paired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.difference {
            Some(Estimate { count: 2.., mean, low, high }) => {
                write!(f, "paired difference {mean:.2} s, 95 % interval {low:.2} to {high:.2}")
            }
            _ => write!(f, "one draw, no interval"),
        }
    }
}

/// Wilson's 95 % interval of a share.
fn wilson(successes: f64, n: f64) -> [f64; 2] {
    let (z, p) = (1.96, successes / n);
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    [(centre - half).max(0.0) / scale, (centre + half).min(scale) / scale]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        let [low, high] = wilson(90.0, 100.0);
        assert!((low - 0.8256).abs() < 1e-3 && (high - 0.9448).abs() < 1e-3, "{low} {high}");
        assert!(wilson(10.0, 10.0)[1] == 1.0 && wilson(0.0, 10.0)[0] == 0.0);
    }

    #[test]
    fn the_same_figures_for_any_number_of_threads() {
        let rows = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let setting = Setting::load().unwrap();
            let play = || play(Part::Drawn, Kind::Steered, &setting, Method::Ours, 3, &|| ());
            let games = pool.install(play).unwrap();
            all(&games).map(|o| (o.seconds.to_bits(), o.hits)).collect::<Vec<_>>()
        };
        assert_eq!(rows(1), rows(3));
    }

    #[test]
    fn a_game_without_pursuit_takes_as_long_as_the_way() {
        let mut setting = Setting::load().unwrap();
        setting.pursuer_speed = 0.0;
        let board = Board::new(Kind::None.drawn()).unwrap();
        let outcome = board.play(Kind::None, &setting, setting.config(Method::Straight), 1);
        let outcome = outcome.unwrap();
        // 35 hops, each 1 to sqrt 2 cells long, give or take where it starts.
        assert!(outcome.arrived && outcome.seconds > 33.0 / 3.0 && outcome.seconds < 52.0 / 3.0);
    }
}
