//! The six games as the source shows them: where everybody went, over maps of the cost.

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

/// What stands on a node: the distance to the goal G, the danger T, and the cost C that the evader
/// descends.
type Costs = [Vec<f64>; 3];

fn costs(moment: &Moment<'_>, fill: FillConfig) -> Costs {
    let agent = moment.agent;
    let cost = agent.standing_cost();
    let raised = agent.fill().unwrap_or_default();
    let total = cost.total().iter().enumerate();
    let total = total.map(|(node, c)| c + fill.gamma * raised.get(node).unwrap_or(&0.0));
    [agent.distance_field().values().to_vec(), cost.indicator_sum().to_vec(), total.collect()]
}

/// One game of gamma = 0.3 on every map, in passing.
pub(crate) fn pictures() -> Result<Vec<Picture>, ReproduceError> {
    let setting = Setting::load()?;
    KINDS.into_iter().map(|kind| game(kind, &setting)).collect()
}

fn game(kind: Kind, setting: &Setting) -> Result<Picture, ReproduceError> {
    let config = setting.config(Method::Published3);
    let Strategy::Fill(fill) = config.strategy else { unreachable!("gamma = 0.3 fills") };
    let (mut kept, mut evader, mut pursuers) = (Vec::new(), Vec::new(), Vec::new());
    let mut watch = |moment: &Moment<'_>| {
        if evader.len().is_multiple_of(EVERY) {
            kept.push(costs(moment, fill));
        }
        evader.push(moment.evader);
        pursuers.push(moment.pursuers.iter().map(Walker::position).collect::<Vec<_>>());
    };
    let outcome = Board::new(kind.drawn())?.watched(kind, setting, config, 0, &mut watch)?;
    let middle = kept.len() / 2;
    let until = middle * EVERY;
    let walls = kind.drawn().walls;
    let mut sheet = Sheet::new([3, 1], [SIDE; 2], 8)?;
    for (panel, costs) in kept[middle].iter().enumerate() {
        let free = || walls.iter().zip(costs).filter(|(wall, c)| !**wall && c.is_finite());
        let (low, high) = free().fold((f64::MAX, f64::MIN), |(l, h), (_, &c)| (l.min(c), h.max(c)));
        let span = (high - low).max(1e-9);
        sheet.cells(panel, |[x, y]| match costs[y * SIDE + x] {
            _ if walls[[y, x]] => ink::WALL,
            c => ink::mix(LOW, HIGH, ((c - low) / span) as f32),
        });
        for member in 0..pursuers[until].len() {
            let way = pursuers[..=until].iter().map(|all| all[member]);
            sheet.trail(panel, way, ink::TRAILS[1]);
        }
        sheet.trail(panel, evader[..=until].iter().copied(), ink::TARGET);
    }
    let seconds = until as f64 * setting.dt;
    let says = format!(
        "{}, gamma = 0.3, {seconds:.1} s into a game of {:.1} s: from left to right the distance to the \
         goal (G), the danger (T), and the cost that the evader descends (C, the fill in it); the darker, the \
         higher. Evader black, pursuers blue.",
        kind.name(),
        outcome.seconds
    );
    sheet.finish(&kind.name().replace([' ', ','], "-").replace("--", "-"), says)
}
