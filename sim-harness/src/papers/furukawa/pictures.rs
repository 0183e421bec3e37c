//! The six games as the source shows them: the ways of all, over maps of the cost.

use super::game::{Board, Moment, Walker};
use super::level::{KINDS, Kind, SIDE};
use super::setting::{Method, Setting};
use crate::ink::{self, Rgb};
use crate::papers::ReproduceError;
use crate::papers::pictures::{Picture, Sheet};
use utility_ai::{FillConfig, Strategy};

const LOW: Rgb = [255.0, 248.0, 226.0];
const HIGH: Rgb = [176.0, 60.0, 44.0];
/// `[units: ticks]` Between two moments of which the cost is kept.
const EVERY: usize = 10;

/// The costs of a node: the distance to the goal, the danger with its weight, and the cost that the
/// evader descends; in the source's letters G, beta U and T.
type Costs = [Vec<f64>; 3];

fn costs(moment: &Moment<'_>, strategy: Strategy) -> Costs {
    let agent = moment.agent;
    let cost = agent.standing_cost();
    let mut total = cost.total().to_vec();
    if let (Strategy::Fill(FillConfig { gamma, .. }), Some(fill)) = (strategy, agent.fill()) {
        total.iter_mut().zip(fill).for_each(|(total, fill)| *total += gamma * fill);
    }
    [agent.distance_field().values().to_vec(), cost.indicator_sum().to_vec(), total]
}

/// A game of each gamma on every map, in passing.
pub(crate) fn pictures() -> Result<Vec<Picture>, ReproduceError> {
    let setting = Setting::load()?;
    KINDS.into_iter().map(|kind| games(kind, &setting)).collect()
}

fn games(kind: Kind, setting: &Setting) -> Result<Picture, ReproduceError> {
    let mut sheet = Sheet::new([3, 2], [SIDE; 2], 8)?;
    let mut ends = Vec::new();
    for (row, method) in [Method::Published0, Method::Published3].into_iter().enumerate() {
        ends.push(game(&mut sheet, 3 * row, kind, setting, method)?);
    }
    let says = format!(
        "{}: a game of gamma = 0 above ({}) and of gamma = 0.3 below ({}). From left to right, halfway \
         through it: the distance to the goal (G), the danger with its weight (beta U), and the cost that the \
         evader descends (T, the fill C in it); the darker, the higher. Trails of the whole game: evader \
         black, pursuers blue.",
        kind.name(),
        ends[0],
        ends[1]
    );
    sheet.finish(&kind.name().replace([' ', ','], "-").replace("--", "-"), says)
}

/// Draws a game into three panels from `first` on, and says how it ended.
fn game(
    sheet: &mut Sheet,
    first: usize,
    kind: Kind,
    setting: &Setting,
    method: Method,
) -> Result<String, ReproduceError> {
    let config = setting.config(method);
    let (mut kept, mut evader, mut pursuers) = (Vec::new(), Vec::new(), Vec::new());
    let mut watch = |moment: &Moment<'_>| {
        if evader.len().is_multiple_of(EVERY) {
            kept.push(costs(moment, config.strategy));
        }
        evader.push(moment.evader);
        pursuers.push(moment.pursuers.iter().map(Walker::position).collect::<Vec<_>>());
    };
    let outcome = Board::new(kind.drawn())?.watched(kind, setting, config, 0, &mut watch)?;
    let walls = kind.drawn().walls;
    for (panel, costs) in (first..).zip(&kept[kept.len() / 2]) {
        let free = || walls.iter().zip(costs).filter(|(wall, c)| !**wall && c.is_finite());
        let (low, high) = free().fold((f64::MAX, f64::MIN), |(l, h), (_, &c)| (l.min(c), h.max(c)));
        let span = (high - low).max(1e-9);
        sheet.cells(panel, |[x, y]| match costs[y * SIDE + x] {
            _ if walls[[y, x]] => ink::WALL,
            c => ink::mix(LOW, HIGH, ((c - low) / span) as f32),
        });
        for member in 0..pursuers[0].len() {
            sheet.trail(panel, pursuers.iter().map(|all| all[member]), ink::TRAILS[1]);
        }
        sheet.trail(panel, evader.iter().copied(), ink::TARGET);
    }
    let end = if outcome.arrived { "arrived after" } else { "not there after" };
    Ok(format!("{end} {:.1} s, hits: {}", outcome.seconds, outcome.hits))
}
