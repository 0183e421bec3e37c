//! Agents that weigh a goal against dangers, from cell to cell of the map.

use crate::map::{GridMap, NamijiSystems, add_map_plugin, bits};
use crate::order::{SpawnOrder, number};
use crate::refusal::{NamijiError, Refused, Request};
use crate::roster::Roster;
use bevy_app::prelude::*;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_reflect::prelude::*;
use bevy_time::Time;
use bevy_transform::components::Transform;
use std::sync::{Mutex, PoisonError};
use utility_ai::glam::DVec3;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Explanation, Falloff, Graph, GridSteps,
    IndicatorId, Neighbours, Sense, StandingCost, StepLengths, Threat, UtilityError,
};

/// Goes to its [`AgentGoal`] and keeps away from dangers, by utility AI: danger counts as length,
/// and the way gets at most half as long again as the shortest one.
///
/// It walks from cell to cell of the map, to the eight neighbours. `Transform` says where it
/// begins, and is written in every `FixedUpdate` (x and y; z stays). Write another place into it,
/// or change this component, and it decides again from there. A place in a wall or outside the map
/// is refused ([`Refused`]), and it goes on from where it was. An agent costs memory for every cell
/// of the map, and a decision time for every cell: it is for guards, not for hordes.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[component(on_add = number)]
#[require(AgentState, Transform)]
pub struct UtilityAgent {
    /// `[units: world units per second] [limits: finite, > 0]`
    pub speed: f32,
    /// Which [`DangerSource`]s it fears: those that share a bit with it. 0: none.
    pub fears: u32,
    /// `[units: cost per unit of danger] [limits: finite, >= 0] suggested: 30` How much it fears.
    pub caution: f32,
    /// `[units: world units] [limits: > 0] suggested: 12` From here on there is no danger.
    pub reach: f32,
}

impl UtilityAgent {
    /// An agent that fears everything, with the suggested numbers.
    #[must_use]
    pub fn new(speed: f32) -> Self {
        Self { speed, fears: u32::MAX, caution: 30.0, reach: 12.0 }
    }
}

/// Where a [`UtilityAgent`] wants to be: in the cell at this place.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
pub struct AgentGoal(
    /// `[units: world units]`
    pub Vec2,
);

/// Something to keep away from, at its `Transform`. Danger falls off along the ways around walls.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[component(on_add = number)]
#[require(Transform)]
pub struct DangerSource {
    /// The kinds that it is of, as bits: agents whose `fears` share a bit with them fear it. An
    /// agent never fears itself.
    pub kinds: u32,
    /// `[units: 1] [limits: finite, >= 0] suggested: 1`
    pub strength: f32,
}

impl Default for DangerSource {
    fn default() -> Self {
        Self { kinds: u32::MAX, strength: 1.0 }
    }
}

/// What an agent does, or why it does not move; written in every `FixedUpdate`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Debug, Default, Clone, PartialEq, Hash)]
#[non_exhaustive]
pub enum AgentState {
    /// There is no map, or no `FixedUpdate` has run since it was spawned.
    #[default]
    NotYet,
    /// It was refused; [`Refused`] says why. It is asked for again when it or its goal changes.
    Refused,
    /// It has no [`AgentGoal`].
    NoGoal,
    /// It walks.
    Walking,
    /// The budget of the tick was spent; it decides in a later one.
    Waiting,
    /// No way leads to its goal; it goes on when an edit opens one.
    CutOff,
    /// It is at its goal.
    Arrived,
}

/// The budget of a `FixedUpdate` for agents.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Debug, Clone, PartialEq)]
pub struct AgentBudget {
    /// `[units: decisions] suggested: 32` Agents that are left out have their turn first in the
    /// next tick. At 0 nobody decides.
    pub decisions: usize,
}

impl Default for AgentBudget {
    fn default() -> Self {
        Self { decisions: 32 }
    }
}

/// The agents as they stand, on one graph of the [`GridMap`].
#[derive(Resource, Default)]
pub struct Agents {
    map: u64,
    graph: Option<Graph>,
    /// Counts edits of the graph.
    edits: u64,
    members: Roster<Member>,
    /// The agent that decides first.
    turn: usize,
    /// Sources that stand nowhere on the map, and where they were refused.
    astray: EntityHashMap<[u32; 2]>,
}

struct Member {
    entity: Entity,
    mind: Option<Mind>,
    settings: UtilityAgent,
    goal: Vec2,
    /// The place last written into its `Transform`, or read from it.
    known: Vec2,
    walk: Walk,
    state: AgentState,
    /// The count of edits at which it was cut off.
    cut_off: u64,
    /// `[units: seconds]` Since it last decided.
    thought: f64,
}

/// Agents are `Send` but not `Sync`; the lock is never waited for.
struct Mind {
    agent: Mutex<Agent>,
    danger: IndicatorId<Danger>,
}

impl Mind {
    fn agent(&mut self) -> &mut Agent {
        self.agent.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// On its way between two places, in a straight line.
#[derive(Clone, Copy, Default)]
struct Walk {
    at: [f64; 2],
    to: [f64; 2],
    /// The cells that it is in or comes to.
    cells: [[usize; 2]; 2],
}

impl Walk {
    /// Goes on by `length`; returns the rest of it at the end.
    fn go(&mut self, length: f64) -> f64 {
        let [dx, dy] = [self.to[0] - self.at[0], self.to[1] - self.at[1]];
        let far = (dx * dx + dy * dy).sqrt();
        if far <= length {
            self.at = self.to;
            self.cells[0] = self.cells[1];
            return length - far;
        }
        self.at = [self.at[0] + dx * length / far, self.at[1] + dy * length / far];
        0.0
    }
    fn has_come(&self) -> bool {
        self.at == self.to
    }
}

impl Agents {
    /// Agents on the map.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.len() == 0
    }
    /// Why an agent goes where it goes, as of its last decision; `None` for an agent that is not on
    /// the map or has no goal.
    ///
    /// # Errors
    /// [`NamijiError::Utility`], such as for an agent that is cut off.
    pub fn explain(&mut self, entity: Entity) -> Result<Option<Explanation>, NamijiError> {
        let Self { graph: Some(graph), members, .. } = self else { return Ok(None) };
        let mind = members.get_mut(entity).and_then(|member| member.mind.as_mut());
        Ok(mind.map(|mind| mind.agent().explain(graph)).transpose()?)
    }
    /// A hash of all agents: where they are and where they go.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        for member in self.members.iter() {
            let Walk { at, to, .. } = member.walk;
            at.iter().chain(&to).for_each(|c| hash.update(&c.to_bits().to_le_bytes()));
            hash.update(&[member.state as u8]);
        }
        hash.digest()
    }
    pub(crate) fn map(&self) -> u64 {
        self.map
    }

    pub(crate) fn check_walls(&self, cells: &[([usize; 2], bool)]) -> Result<(), NamijiError> {
        let walls = cells.iter().filter(|c| c.1).map(|c| c.0);
        for cell in walls {
            if let Some(member) = self.members.iter().find(|m| m.walk.cells.contains(&cell)) {
                return Err(NamijiError::Occupied { cell, who: member.entity });
            }
        }
        Ok(())
    }
    pub(crate) fn set_walls(&mut self, cells: &[([usize; 2], bool)]) -> Result<(), NamijiError> {
        let Some(graph) = &mut self.graph else { return Ok(()) };
        self.edits += 1;
        Ok(cells.iter().try_for_each(|&(cell, wall)| graph.set_wall(cell, wall))?)
    }

    fn forget_goal(&mut self, entity: Entity) {
        let Some(member) = self.members.get_mut(entity) else { return };
        (member.mind, member.goal, member.state) = (None, Vec2::NAN, AgentState::NoGoal);
    }
}

/// Utility agents: [`UtilityAgent`], [`AgentGoal`], [`DangerSource`], [`AgentState`],
/// [`AgentBudget`], [`Agents`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentPlugin;

impl Plugin for AgentPlugin {
    fn build(&self, app: &mut App) {
        add_map_plugin(app);
        app.register_type::<UtilityAgent>()
            .register_type::<AgentGoal>()
            .register_type::<DangerSource>()
            .register_type::<AgentState>()
            .register_type::<AgentBudget>()
            .init_resource::<AgentBudget>()
            .init_resource::<Agents>()
            .add_systems(
                FixedUpdate,
                (begin, read_agents, decide, show).chain().in_set(NamijiSystems::Decide),
            )
            .add_observer(|gone: On<Remove<UtilityAgent>>, mut agents: ResMut<Agents>| {
                agents.members.remove(gone.entity);
            })
            .add_observer(|gone: On<Remove<DangerSource>>, mut agents: ResMut<Agents>| {
                agents.astray.remove(&gone.entity);
            })
            .add_observer(|gone: On<Remove<AgentGoal>>, mut agents: ResMut<Agents>| {
                agents.forget_goal(gone.entity);
            });
    }
}

/// A new map: all agents begin on it. A map that has gone has no agents any more.
fn begin(
    map: Option<Res<GridMap>>,
    mut agents: ResMut<Agents>,
    mut all: Query<(&mut UtilityAgent, &mut AgentState)>,
    mut refused: MessageWriter<Refused>,
) {
    let identity = map.as_ref().map_or(0, |map| map.identity());
    if identity == agents.map {
        return;
    }
    *agents = Agents { map: identity, ..Agents::default() };
    for (_, mut state) in &mut all {
        state.set_if_neq(AgentState::NotYet);
    }
    let Some(map) = map else { return };
    let spacing = map.medium().spacing();
    let steps =
        GridSteps { neighbours: Neighbours::Eight, lengths: StepLengths::Straight, spacing };
    match Graph::from_walls(&map.medium().walls(), steps) {
        Ok(graph) => {
            agents.graph = Some(graph);
            all.iter_mut().for_each(|(mut agent, _)| agent.set_changed());
        }
        Err(reason) => {
            refused
                .write(Refused { request: Request::Map { part: "agents" }, reason: reason.into() });
        }
    }
}

type ChangedAny = Or<(Changed<UtilityAgent>, Changed<AgentGoal>, Changed<Transform>)>;
type Given = (
    Entity,
    Option<&'static SpawnOrder>,
    &'static UtilityAgent,
    Option<&'static AgentGoal>,
    &'static mut Transform,
    &'static mut AgentState,
);

/// Takes over agents that are new, were put elsewhere, or were given other settings or a goal.
fn read_agents(
    map: Option<Res<GridMap>>,
    mut agents: ResMut<Agents>,
    mut changed: Query<Given, ChangedAny>,
    mut refused: MessageWriter<Refused>,
) {
    let Some(map) = map else { return };
    let Agents { graph: Some(graph), members, .. } = &mut *agents else { return };
    let mut sorted: Vec<_> = changed.iter_mut().collect();
    sorted.sort_unstable_by_key(|agent| agent.1);
    for (entity, _, settings, goal, mut transform, mut state) in sorted {
        let mut at = transform.translation.truncate();
        let wanted = goal.map_or(Vec2::NAN, |goal| goal.0);
        let known = members.get_mut(entity);
        if let Some(member) = known.as_deref().filter(|m| bits(m.known) != bits(at))
            && let Err(reason) = open_cell(&map, at)
        {
            // Only the place is refused: it goes on from where it was.
            at = member.known;
            transform.translation = at.extend(transform.translation.z);
            refused.write(Refused { request: Request::Agent(entity), reason });
        }
        let stays = known.as_deref().filter(|m| bits(m.known) == bits(at));
        if stays.is_some_and(|m| m.settings == *settings && bits(m.goal) == bits(wanted)) {
            continue;
        }
        let walk = stays.map(|member| member.walk);
        match begin_walk(&map, graph, entity, *settings, goal.copied(), at, walk) {
            Ok(new) => {
                *state = new.state;
                members.set(entity, new);
            }
            Err(reason) => {
                *state = AgentState::Refused;
                if let Some(member) = known {
                    transform.translation = member.known.extend(transform.translation.z);
                    (member.settings, member.goal) = (*settings, wanted);
                    (member.mind, member.state) = (None, AgentState::Refused);
                }
                refused.write(Refused { request: Request::Agent(entity), reason });
            }
        }
    }
}

fn open_cell(map: &GridMap, at: Vec2) -> Result<[usize; 2], NamijiError> {
    let cell = map.cell_at(at).ok_or(NamijiError::OffMap { position: at.to_array() })?;
    if map.is_wall(cell) { Err(NamijiError::InWall { cell }) } else { Ok(cell) }
}

/// An agent as it begins, or begins again in the middle of a walk.
fn begin_walk(
    map: &GridMap,
    graph: &Graph,
    entity: Entity,
    settings: UtilityAgent,
    goal: Option<AgentGoal>,
    at: Vec2,
    walk: Option<Walk>,
) -> Result<Member, NamijiError> {
    let UtilityAgent { speed, caution, reach, .. } = settings;
    let number = |what, value: f32, fits: bool, limit| {
        let refused = NamijiError::Value { what, value: f64::from(value), limit };
        if value.is_finite() && fits { Ok(()) } else { Err(refused) }
    };
    number("speed", speed, speed > 0.0, "finite and above 0")?;
    number("caution", caution, caution >= 0.0, "finite and at least 0")?;
    let walk = if let Some(walk) = walk {
        walk
    } else {
        let cell = open_cell(map, at)?;
        let to = map.exact_centre(cell);
        Walk { at: at.to_array().map(f64::from), to, cells: [cell; 2] }
    };
    let mut state = AgentState::NoGoal;
    let mut mind = None;
    if let Some(AgentGoal(goal)) = goal {
        let goal = graph.node(open_cell(map, goal)?)?;
        let mut cost = StandingCost::new(graph, 1.0)?;
        let config = DangerConfig { reach: f64::from(reach), falloff: Falloff::Linear };
        let danger = Danger::by_travel(graph, config)?;
        let danger = cost.add("danger", danger, f64::from(caution))?;
        let start = graph.node(walk.cells[1])?;
        match Agent::new(graph, cost, start, &[goal], AgentConfig::default()) {
            Ok(agent) => {
                state = AgentState::Walking;
                mind = Some(Mind { agent: Mutex::new(agent), danger });
            }
            Err(UtilityError::Unreachable { .. }) => state = AgentState::CutOff,
            Err(reason) => return Err(reason.into()),
        }
    }
    let goal = goal.map_or(Vec2::NAN, |goal| goal.0);
    let cut_off = u64::MAX;
    Ok(Member { entity, mind, settings, goal, known: at, walk, state, cut_off, thought: 0.0 })
}

/// A danger that is on the map, at a node of the graph.
struct Source {
    entity: Entity,
    kinds: u32,
    threat: Threat,
}

type Dangers = (Entity, Option<&'static SpawnOrder>, &'static DangerSource, &'static Transform);

/// The dangers, in the order in which they were spawned. Those that are of no use are told of once
/// a place.
fn sources(
    map: &GridMap,
    graph: &Graph,
    astray: &mut EntityHashMap<[u32; 2]>,
    all: &Query<Dangers>,
    refused: &mut MessageWriter<Refused>,
) -> Vec<Source> {
    let mut found = Vec::new();
    let mut sorted: Vec<_> = all.iter().collect();
    sorted.sort_unstable_by_key(|danger| danger.1);
    for (entity, _, source, transform) in sorted {
        let at = transform.translation.truncate();
        let strength = f64::from(source.strength);
        let threat = || {
            if !(strength >= 0.0 && strength.is_finite()) {
                let (what, limit) = ("strength", "finite and at least 0");
                return Err(NamijiError::Value { what, value: strength, limit });
            }
            let cell = open_cell(map, at)?;
            Ok(Threat { strength, ..Threat::at_node(graph.node(cell)?) })
        };
        match threat() {
            Ok(threat) => {
                astray.remove(&entity);
                found.push(Source { entity, kinds: source.kinds, threat });
            }
            Err(reason) => {
                if astray.insert(entity, bits(at)) != Some(bits(at)) {
                    refused.write(Refused { request: Request::Danger(entity), reason });
                }
            }
        }
    }
    found
}

/// All agents walk. An agent that comes to the middle of a cell decides where to go next.
fn decide(
    map: Option<Res<GridMap>>,
    mut agents: ResMut<Agents>,
    budget: Res<AgentBudget>,
    time: Res<Time>,
    dangers: Query<Dangers>,
    mut refused: MessageWriter<Refused>,
) {
    let Some(map) = map else { return };
    let Agents { graph: Some(graph), members, turn, astray, edits, .. } = &mut *agents else {
        return;
    };
    if members.len() == 0 {
        return;
    }
    let sources = sources(&map, graph, astray, &dangers, &mut refused);
    let (mut left, count, first) = (budget.decisions, members.len(), *turn % members.len());
    let mut left_out = None;
    for i in (first..count).chain(0..first) {
        let member = members.at(i);
        if member.state == AgentState::CutOff && member.cut_off != *edits {
            member.begin_again(&map, graph, *edits, &mut refused);
        }
        let seconds = time.delta_secs_f64();
        member.thought += seconds;
        let mut way = f64::from(member.settings.speed) * seconds;
        loop {
            way = member.walk.go(way);
            if !member.walk.has_come() || member.mind.is_none() {
                break;
            }
            if member.state == AgentState::Arrived {
                break;
            }
            if left == 0 {
                member.state = AgentState::Waiting;
                left_out = left_out.or(Some(i));
                break;
            }
            left -= 1;
            if let Err(reason) = member.decide(&map, graph, &sources, *edits) {
                (member.mind, member.state) = (None, AgentState::Refused);
                refused.write(Refused { request: Request::Agent(member.entity), reason });
            }
        }
    }
    *turn = left_out.unwrap_or(0);
}

impl Member {
    /// Whether a way leads to the goal now that the map has changed.
    fn begin_again(
        &mut self,
        map: &GridMap,
        graph: &Graph,
        edits: u64,
        refused: &mut MessageWriter<Refused>,
    ) {
        let Self { entity, settings, goal, known, walk, .. } = *self;
        match begin_walk(map, graph, entity, settings, Some(AgentGoal(goal)), known, Some(walk)) {
            Ok(new) => *self = Self { cut_off: edits, ..new },
            Err(reason) => {
                self.state = AgentState::Refused;
                refused.write(Refused { request: Request::Agent(entity), reason });
            }
        }
    }

    /// Where to go from the middle of a cell.
    fn decide(
        &mut self,
        map: &GridMap,
        graph: &Graph,
        sources: &[Source],
        edits: u64,
    ) -> Result<(), NamijiError> {
        let Some(mind) = &mut self.mind else { return Ok(()) };
        let danger = mind.danger;
        let fears = |s: &&Source| s.kinds & self.settings.fears != 0 && s.entity != self.entity;
        let threats: Vec<Threat> = sources.iter().filter(fears).map(|s| s.threat).collect();
        let agent = mind.agent();
        agent.indicator_mut(danger)?.set_threats(graph, &threats)?;
        let [x, y] = self.walk.at;
        let dt = std::mem::take(&mut self.thought);
        agent.tick(graph, Sense { position: DVec3::new(x, y, 0.0), contact: false, dt })?;
        match agent.decide(graph) {
            Ok(Decision::Arrived) => self.state = AgentState::Arrived,
            Ok(Decision::Go(step)) => {
                let cell = graph.cell(step.to).unwrap_or(self.walk.cells[1]);
                self.walk.to = map.exact_centre(cell);
                self.walk.cells[1] = cell;
                self.state = AgentState::Walking;
            }
            Err(UtilityError::Unreachable { .. }) => {
                (self.mind, self.state, self.cut_off) = (None, AgentState::CutOff, edits);
            }
            Err(reason) => return Err(reason.into()),
        }
        Ok(())
    }
}

/// Writes changes into the components.
fn show(
    mut agents: ResMut<Agents>,
    mut all: Query<(&mut Transform, &mut AgentState), With<UtilityAgent>>,
) {
    for member in agents.members.iter_mut() {
        let Ok((mut transform, mut state)) = all.get_mut(member.entity) else { continue };
        let at = Vec2::from_array(member.walk.at.map(|c| c as f32));
        if at != member.known {
            member.known = at;
            transform.translation = at.extend(transform.translation.z);
        }
        state.set_if_neq(member.state);
    }
}
