//! The source's game: an evader with a goal and hit points, and pursuers that chase it.

use super::level::{Kind, Level, SIDE};
use super::setting::Setting;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::fuzzy::RuleBase;
use utility_ai::glam::DVec3;
use utility_ai::{
    Agent, AgentConfig, Danger, Decision, DistanceField, Graph, GridSteps, Neighbours, Sense,
    StandingCost, StepLengths, Strategy, Threat, UtilityError,
};

/// The result of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// `[units: seconds]` Until the goal, or the limit.
    pub(super) seconds: f64,
    pub(super) arrived: bool,
    pub(super) hits: u32,
}

/// A moment of a game.
pub(super) struct Moment<'a> {
    pub(super) agent: &'a Agent,
    /// `[units: cells]` x and y.
    pub(super) evader: [f64; 2],
    pub(super) pursuers: &'a [Walker],
}

/// An edge counts 1 in the distance.
const HOPS: GridSteps =
    GridSteps { neighbours: Neighbours::Eight, lengths: StepLengths::Hops, spacing: 1.0 };

/// A map, ready to play on.
pub(super) struct Board {
    level: Level,
    graph: Graph,
}

/// The free cells that a walker at `start` can walk to, by rows.
pub(super) fn reached(walls: &Array2<bool>, start: [usize; 2]) -> Vec<[usize; 2]> {
    let node = |[y, x]: [usize; 2]| y * SIDE + x;
    let field = Graph::from_walls(walls, HOPS).and_then(|g| DistanceField::new(&g, &[node(start)]));
    let distance = |cell| field.as_ref().map_or(f64::INFINITY, |f| f.distance(node(cell)));
    let cells = walls.indexed_iter().map(|((y, x), _)| [y, x]);
    cells.filter(|&cell| distance(cell) < f64::INFINITY).collect()
}

/// A walker on an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walker {
    from: usize,
    to: usize,
    /// `[units: cells]` Walked of the edge, and how long it is.
    walked: f64,
    length: f64,
}

impl Walker {
    fn at(node: usize) -> Self {
        Self { from: node, to: node, walked: 0.0, length: 0.0 }
    }

    pub(super) fn position(&self) -> [f64; 2] {
        let part = if self.length > 0.0 { self.walked / self.length } else { 0.0 };
        let (from, to) = (place(self.from), place(self.to));
        [0, 1].map(|a| from[a] + (to[a] - from[a]) * part)
    }

    /// The node that it is nearer to.
    fn node(&self) -> usize {
        if 2.0 * self.walked < self.length { self.from } else { self.to }
    }

    /// Walks on; at every node `next` says where to. Returns false where there is no next node.
    fn walk(
        &mut self,
        mut stride: f64,
        mut next: impl FnMut(usize) -> Result<Option<usize>, UtilityError>,
    ) -> Result<bool, UtilityError> {
        loop {
            let left = self.length - self.walked;
            if stride < left {
                self.walked += stride;
                return Ok(true);
            }
            stride -= left;
            let Some(to) = next(self.to)? else {
                *self = Self::at(self.to);
                return Ok(false);
            };
            let (a, b) = (place(self.to), place(to));
            let diagonal = a[0] != b[0] && a[1] != b[1];
            let length = if diagonal { std::f64::consts::SQRT_2 } else { 1.0 };
            *self = Self { from: self.to, to, walked: 0.0, length };
        }
    }
}

fn place(node: usize) -> [f64; 2] {
    [(node % SIDE) as f64, (node / SIDE) as f64]
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let [x, y] = [0, 1].map(|i| a[i] - b[i]);
    (x * x + y * y).sqrt()
}

impl Board {
    pub(super) fn new(level: Level) -> Result<Self, UtilityError> {
        let graph = Graph::from_walls(&level.walls, HOPS)?;
        Ok(Self { level, graph })
    }

    /// A free cell near a mark that can be walked to.
    fn near(&self, [y, x]: [usize; 2], spread: i64, rng: &mut ChaCha8Rng) -> usize {
        loop {
            let (dy, dx) = (rng.random_range(-spread..=spread), rng.random_range(-spread..=spread));
            let (y, x) = ((y as i64 + dy) as usize, (x as i64 + dx) as usize);
            if y < SIDE && x < SIDE && self.graph.steps(y * SIDE + x).len() > 0 {
                return y * SIDE + x;
            }
        }
    }

    /// One game. The seed decides where all start and which of equally short ways pursuers take; it
    /// is the same for every method.
    pub(super) fn play(
        &self,
        kind: Kind,
        setting: &Setting,
        config: AgentConfig,
        seed: u64,
    ) -> Result<Outcome, UtilityError> {
        self.watched(kind, setting, config, seed, &mut |_| ())
    }

    /// The same, and shows every moment.
    pub(super) fn watched(
        &self,
        kind: Kind,
        setting: &Setting,
        config: AgentConfig,
        seed: u64,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Outcome, UtilityError> {
        let Self { level, graph } = self;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let goal = level.goal[0] * SIDE + level.goal[1];
        let start = self.near(level.start, setting.spread_evader, &mut rng);
        let mut evader = Walker::at(start);
        let mut pursuers: Vec<Walker> = level
            .pursuers
            .iter()
            .map(|&mark| Walker::at(self.near(mark, setting.spread_pursuers, &mut rng)))
            .collect();
        // How long each still rests.
        let mut rests = vec![0.0; pursuers.len()];

        let straight = matches!(config.strategy, Strategy::Straight);
        let mut cost = StandingCost::new(graph, setting.alpha)?;
        let reading = setting.reading;
        let danger = if reading.straight {
            let positions: Vec<DVec3> = (0..SIDE * SIDE)
                .map(|node| {
                    let [x, y] = place(node);
                    DVec3::new(x, y, 0.0)
                })
                .collect();
            Danger::by_distance(graph, setting.danger, &positions)?
        } else {
            Danger::by_travel(graph, setting.danger)?
        };
        let danger = cost.add("danger", danger, 0.0)?;
        let mut agent = Agent::new(graph, cost, start, &[goal], config)?;
        agent.set_fuzzy_weight(danger, RuleBase::furukawa(), setting.beta)?;
        agent.set_unfired(reading.unfired)?;
        let mut chase = DistanceField::new(graph, &[start])?;
        let mut from_steered = chase.clone();
        let mut threats = Vec::with_capacity(pursuers.len());

        let ticks = (setting.limit / setting.dt).round() as u32;
        for tick in 0..ticks {
            // Pursuers first: they have seen where the evader was.
            if chase.goals() != [evader.node()] {
                chase.set_goals(graph, &[evader.node()])?;
            }
            for (i, pursuer) in pursuers.iter_mut().enumerate() {
                let steered = kind == Kind::Steered && i == 0;
                if rests[i] > 0.0 {
                    rests[i] -= setting.dt;
                    continue;
                }
                // Near enough to attack, it stands and does so.
                if reading.stands
                    && distance(pursuer.position(), evader.position()) <= setting.attack_reach
                {
                    continue;
                }
                let stride = setting.pursuer_speed * setting.dt;
                let rng = &mut rng;
                pursuer.walk(stride, |node| {
                    if steered {
                        from_steered.set_goals(graph, &[node])?;
                        let ahead =
                            ahead(graph, agent.distance_field(), &from_steered, evader.node());
                        let mut way = from_steered.clone();
                        way.set_goals(graph, &[ahead])?;
                        return Ok(descend(graph, &way, node, rng));
                    }
                    Ok(descend(graph, &chase, node, rng))
                })?;
            }
            let here = evader.position();
            let contact =
                pursuers.iter().any(|p| distance(p.position(), here) <= setting.attack_reach);
            if !straight {
                threats.clear();
                threats.extend(pursuers.iter().map(|p| Threat::at_node(p.node())));
                agent.indicator_mut(danger)?.set_threats(graph, &threats)?;
            }
            let sense = Sense { position: [here[0], here[1], 0.0].into(), contact, dt: setting.dt };
            if agent.tick(graph, sense)? {
                for (pursuer, rest) in pursuers.iter().zip(&mut rests) {
                    if distance(pursuer.position(), here) <= setting.attack_reach {
                        *rest = reading.rest;
                    }
                }
            }
            watch(&Moment { agent: &agent, evader: here, pursuers: &pursuers });
            let walks = evader.walk(setting.evader_speed * setting.dt, |_| {
                Ok(match agent.decide(graph)? {
                    Decision::Arrived => None,
                    Decision::Go(step) => Some(step.to),
                })
            })?;
            if !walks {
                let seconds = f64::from(tick + 1) * setting.dt;
                return Ok(Outcome { seconds, arrived: true, hits: agent.health().hits() });
            }
        }
        Ok(Outcome { seconds: setting.limit, arrived: false, hits: agent.health().hits() })
    }
}

/// One of the next nodes of shortest ways; `None` at the end of it.
fn descend(
    graph: &Graph,
    field: &DistanceField,
    node: usize,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let here = field.distance(node);
    let next = |step: &utility_ai::Step| step.length + field.distance(step.to) == here;
    let count = graph.steps(node).filter(next).count();
    if here == 0.0 || count == 0 {
        return None;
    }
    graph.steps(node).filter(next).nth(rng.random_range(0..count)).map(|step| step.to)
}

/// The first node on the evader's shortest way to its goal where the steered pursuer can be before
/// it; the evader's node if there is none.
fn ahead(
    graph: &Graph,
    to_goal: &DistanceField,
    from_steered: &DistanceField,
    evader: usize,
) -> usize {
    let mut node = evader;
    let mut hops = 0.0;
    while let Some(next) = to_goal.successor(graph, node) {
        node = next;
        hops += 1.0;
        if from_steered.distance(node) < hops {
            return node;
        }
    }
    evader
}
