//! Evaders that weigh their goal against danger.

use super::cast::{Cast, Doing, Member};
use super::error::Refusal;
use super::nav::{Nav, Walker};
use super::outcome::Outcome;
use super::party::Party;
use super::stage::Stage;
use crate::scenario::{Detour, UtilityMind};
use jump_planner::MoveKind;
use utility_ai::fuzzy::RuleBase;
use utility_ai::{
    Agent, AgentConfig, Danger, Decision, DetourBudget, Extent, FillConfig, Guarantee, IndicatorId,
    Sense, StagnationConfig, StandingCost, Strategy, Threat, UtilityError,
};
use wave_core::Space;
use xxhash_rust::xxh3::Xxh3;

pub(super) struct Deciders {
    mind: UtilityMind,
    /// Its table in the scenario.
    key: String,
    speed: f64,
    /// `[units: frames]` How far back stagnation looks.
    stagnation: u32,
    /// The rules that set the danger's weight, if there are any.
    rules: Option<RuleBase>,
    nav: Nav,
    goal: usize,
    members: Vec<Decider>,
    threats: Vec<Threat>,
}

struct Decider {
    member: usize,
    agent: Agent,
    danger: IndicatorId<Danger>,
    walker: Walker,
    /// `[units: world units]` The most that it will walk, where that is certain.
    certificate: Option<f64>,
    /// `[units: world units]` The edges that it has taken.
    walked: f64,
    /// `[units: frames]` When it came home.
    home: Option<u64>,
    jumps: u32,
    /// Jumps whose flight did not keep clear of everything.
    blocked_jumps: u32,
    falls: u32,
}

impl Deciders {
    pub(super) fn new<D: Space>(
        mind: &UtilityMind,
        speed: f64,
        stage: &Stage<D>,
        key: &str,
    ) -> Result<Self, Refusal> {
        let key = format!("{key}.mind.utility");
        let stagnation = (mind.stagnation / stage.dt).round().max(1.0);
        if stagnation > f64::from(StagnationConfig::MOST_TICKS) {
            let limit = format!("at most {} frames", StagnationConfig::MOST_TICKS);
            let key = format!("{key}.stagnation");
            let value = format!("{:?}", mind.stagnation);
            return Err(stage.scenario.origin.refuse(&key, value, limit).into());
        }
        let nav = Nav::new(stage, &mind.legs, speed, &key)?;
        let goal = nav.node(stage.free_position(&format!("{key}.goal"), &mind.goal)?);
        let rules = mind.fuzzy.read(&stage.scenario, &format!("{key}.fuzzy"))?;
        let (mind, stagnation) = (mind.clone(), stagnation as u32);
        let (members, threats) = (Vec::new(), Vec::new());
        Ok(Self { mind, key, speed, stagnation, rules, nav, goal, members, threats })
    }

    fn config(&self, dt: f64) -> AgentConfig {
        let budget = |detour| Some(DetourBudget { detour, refill_every: None });
        AgentConfig {
            strategy: self.mind.strategy,
            budget: match self.mind.detour {
                Detour::Unlimited => None,
                Detour::OfStart(part) => budget(Extent::OfStart(part)),
                Detour::Length(length) => budget(Extent::Length(length)),
            },
            hysteresis: self.mind.hysteresis,
            health: self.mind.health,
            stagnation: StagnationConfig { ticks: self.stagnation, stride: self.speed * dt },
        }
    }
}

impl<D: Space> Party<D> for Deciders {
    fn enter(&mut self, stage: &mut Stage<D>, member: usize, me: &Member) -> Result<(), Refusal> {
        let graph = &self.nav.graph;
        let start = self.nav.node(me.position);
        let mut cost = StandingCost::new(graph, self.mind.distance_weight)?;
        let danger = Danger::by_travel(graph, self.mind.danger);
        let danger = danger.map_err(Refusal::at(format!("{}.danger", self.key)))?;
        let danger = cost.add("danger", danger, self.mind.danger_weight)?;
        cost.set_curve(danger, self.mind.danger_curve)
            .map_err(Refusal::at(format!("{}.danger_curve", self.key)))?;
        let config = self.config(stage.dt);
        let agent = Agent::new(graph, cost, start, &[self.goal], config);
        let mut agent = agent.map_err(|e| match e {
            UtilityError::Unreachable { .. } => {
                let (key, goal) = (format!("{}.goal", self.key), &self.mind.goal);
                let [y, x] = self.nav.cell(start);
                let limit = format!("no way leads there from its start, the cell [{x}, {y}]");
                Refusal::Scenario(stage.scenario.origin.refuse(&key, goal, limit))
            }
            UtilityError::Budget { what: "budget.detour", value, least, most } => {
                let key = format!("{}.detour.length", self.key);
                let limit = format!("must be {least:?} to {most:?} on this map");
                let value = format!("{value:?}");
                Refusal::Scenario(stage.scenario.origin.refuse(&key, value, limit))
            }
            other => Refusal::at(&self.key)(other),
        })?;
        if let Some(rules) = &self.rules {
            agent
                .set_fuzzy_weight(danger, rules.clone(), self.mind.danger_weight)
                .map_err(Refusal::at(format!("{}.fuzzy", self.key)))?;
            agent.set_unfired(self.mind.unfired)?;
        }
        let certificate = match agent.guarantee(graph)? {
            Guarantee::Arrival { within } => Some(within),
            Guarantee::WhileStill { .. } | Guarantee::None => None,
        };
        self.members.push(Decider {
            member,
            agent,
            danger,
            walker: Walker::from(&self.nav, me.position),
            certificate,
            walked: 0.0,
            home: None,
            jumps: 0,
            blocked_jumps: 0,
            falls: 0,
        });
        Ok(())
    }

    fn has_goals(&self) -> bool {
        true
    }

    fn step(&mut self, stage: &mut Stage<D>, cast: &mut Cast) -> Result<(), Refusal> {
        let Self { nav, members, threats, .. } = self;
        threats.clear();
        threats.extend(cast.pursuers.iter().map(|p| Threat::at_node(nav.node(p.foothold))));
        for decider in members {
            let me = &mut cast.evaders[decider.member];
            let graph = &nav.graph;
            decider.agent.indicator_mut(decider.danger)?.set_threats(graph, threats)?;
            let sense = Sense { position: me.position.into(), contact: me.contact, dt: stage.dt };
            if decider.home.is_none() {
                decider.agent.tick(graph, sense)?;
            }
            let Decider { agent, walked, jumps, blocked_jumps, falls, .. } = decider;
            let mut cut_off = false;
            let left = decider.walker.walk(stage.dt, |node| {
                let step = match agent.decide(graph) {
                    Ok(Decision::Go(step)) => step,
                    Ok(Decision::Arrived) => return Ok(None),
                    // It waits for a way.
                    Err(UtilityError::Unreachable { .. }) => {
                        cut_off = true;
                        return Ok(None);
                    }
                    Err(error) => return Err(error.into()),
                };
                *walked += step.length;
                let leg = nav.leg(node, step.to);
                *jumps += u32::from(leg.kind == MoveKind::Jump);
                *blocked_jumps += u32::from(leg.margin <= 0.0);
                *falls += u32::from(leg.kind == MoveKind::Fall);
                Ok(Some(leg))
            })?;
            if left.is_some() && !cut_off {
                decider.home.get_or_insert(stage.frame + 1);
            }
            me.position = decider.walker.position(nav);
            me.foothold = decider.walker.foothold(nav);
            me.walked = decider.walked;
            me.doing = match &decider.walker.leg {
                None if cut_off => Doing::Unreachable,
                None => Doing::Home,
                Some(leg) => doing(leg.kind),
            };
        }
        Ok(())
    }

    fn heads_for(&self, [_, y, x]: [usize; 3]) -> bool {
        let node = self.nav.index([y, x]);
        node == self.goal || self.members.iter().any(|decider| decider.walker.ahead() == node)
    }

    fn follow_edit(&mut self, stage: &Stage<D>, [_, y, x]: [usize; 3]) -> Result<(), Refusal> {
        self.nav.follow_edit([y, x], stage.is_wall([0, y, x]))
    }

    fn tell(&self, stage: &Stage<D>, outcome: &mut Outcome) {
        for decider in &self.members {
            let within = decider.certificate.map(|c| decider.home.is_some() && decider.walked <= c);
            outcome.with_goals += 1;
            outcome.home += usize::from(decider.home.is_some());
            let frames = decider.home.unwrap_or(stage.frame) as f64;
            let seconds = outcome.home_seconds.unwrap_or(0.0).max(frames * stage.dt);
            outcome.home_seconds = Some(seconds);
            outcome.certificate =
                outcome.certificate.into_iter().chain(decider.certificate).reduce(f64::max);
            outcome.within_certificate = match (outcome.within_certificate, within) {
                (Some(a), Some(b)) => Some(a && b),
                (a, b) => a.or(b),
            };
            let hits = u64::from(decider.agent.health().hits());
            outcome.hits = Some(outcome.hits.unwrap_or(0) + hits);
            outcome.jumps += u64::from(decider.jumps);
            outcome.blocked_jumps += u64::from(decider.blocked_jumps);
            outcome.falls += u64::from(decider.falls);
        }
    }

    fn explain(&mut self, member: usize) -> Option<String> {
        let decider = self.members.iter_mut().find(|d| d.member == member)?;
        let graph = &self.nav.graph;
        let cell = |node: usize| {
            let [y, x] = self.nav.cell(node);
            format!("{x},{y}")
        };
        decider.agent.explain(graph).ok().map(|why| why.named(cell).to_string())
    }

    fn gauges(&self, each: &mut dyn FnMut(&'static str, f64)) {
        if let Some(decider) = self.members.first() {
            each("hit points", decider.agent.health().points());
            each("hits", f64::from(decider.agent.health().hits()));
            each("stagnation", decider.agent.stagnation().share());
            each(
                "danger weight",
                decider.agent.standing_cost().weight(decider.danger).unwrap_or(0.0),
            );
            let node = decider.agent.node();
            each("distance to goal", decider.agent.distance_field().distance(node));
            each("danger here", decider.agent.standing_cost().indicator_sum()[node]);
        }
    }

    fn layers(&self, each: &mut dyn FnMut(&'static str, &[f64])) {
        if let Some(decider) = self.members.first() {
            let agent = &decider.agent;
            // The source's T, G and C, and U with its weight.
            let cost = agent.standing_cost();
            each("danger", cost.indicator_sum());
            if let (Some(fill), Strategy::Fill(FillConfig { gamma, .. })) =
                (agent.fill(), self.mind.strategy)
            {
                let filled = |(cost, fill): (&f64, &f64)| cost + gamma * fill;
                let filled: Vec<f64> = cost.total().iter().zip(fill).map(filled).collect();
                each("cost", &filled);
                each("fill", fill);
            } else {
                each("cost", cost.total());
            }
            each("distance", agent.distance_field().values());
        }
    }

    fn ways(&self, each: &mut dyn FnMut([[f64; 3]; 2], bool)) {
        self.nav.ways(each);
    }

    fn hash(&self, hash: &mut Xxh3) {
        for decider in &self.members {
            hash.update(&decider.walked.to_bits().to_le_bytes());
            hash.update(&decider.agent.health().points().to_bits().to_le_bytes());
            hash.update(&(decider.agent.node() as u64).to_le_bytes());
        }
    }
}

pub(super) fn doing(kind: MoveKind) -> Doing {
    match kind {
        MoveKind::Walk => Doing::Walking,
        MoveKind::Fall => Doing::Falling,
        MoveKind::Jump => Doing::Jumping,
    }
}
