//! Routes over heights: walks, falls, and jumps that are found by themselves.

use crate::map::{NamijiSystems, add_map_plugin, bits};
use crate::order::{SpawnOrder, number};
use crate::refusal::{NamijiError, Refused, Request};
use bevy_app::prelude::*;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_time::Time;
use bevy_transform::components::Transform;
use jump_planner::glam::{DVec2, DVec3};
use jump_planner::{Character, JumpGraph, Move, MoveKind, Preference, Terrain};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// A terrain of heights and the character that jumps on it.
///
/// Positions are (x, y) on the map and z up, all in `Transform`'s units. A game seen from the side
/// has a terrain of one row: it draws x and z.
///
/// ```
/// use bevy_namiji::JumpLevel;
/// use bevy_namiji::jump_planner::{Character, Terrain};
///
/// let terrain = Terrain::from_rows(&[[0.0, 0.0, -3.0, 0.0]])?;
/// let level = JumpLevel::new(terrain, Character::builder(6.0).build()?)?;
/// // Over the ditch and back, or down into it; from its bottom nobody comes out again.
/// let links: Vec<_> = level.links().iter().map(|link| link.cells).collect();
/// assert!(links.iter().any(|[from, to]| *from == [0, 3] && to[1] < 2));
/// assert!(links.iter().any(|[from, to]| from[1] < 2 && *to == [0, 3]));
/// assert!(links.iter().all(|[from, _]| *from != [0, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Resource, Debug)]
pub struct JumpLevel {
    graph: JumpGraph,
    version: Version,
}

/// Which level, and how often it was edited.
type Version = (u64, u64);

impl JumpLevel {
    /// A level of all jumps that can be flown.
    ///
    /// # Errors
    /// [`NamijiError::Jump`] for a character that does not fit the terrain.
    pub fn new(terrain: Terrain, character: Character) -> Result<Self, NamijiError> {
        Ok(Self::from_graph(JumpGraph::new(terrain, character)?))
    }
    /// A level of a graph, which may follow another rule.
    #[must_use]
    pub fn from_graph(graph: JumpGraph) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { graph, version: (NEXT.fetch_add(1, Ordering::Relaxed), 0) }
    }
    /// The graph, for other questions: audits, traps, cuts.
    #[must_use]
    pub fn graph(&self) -> &JumpGraph {
        &self.graph
    }
    /// `[units: world units]` Where the feet of a walker are in the middle of a cell
    /// `[row, column]`; `None` outside the terrain and where there is no ground.
    #[must_use]
    pub fn standing(&self, cell: [usize; 2]) -> Option<Vec3> {
        self.feet(cell).map(to_f32)
    }

    fn feet(&self, cell: [usize; 2]) -> Option<DVec3> {
        let terrain = self.graph.terrain();
        terrain.height(cell).map(|height| terrain.centre(cell).extend(height))
    }

    /// Jump links, found by themselves: of every two groups of cells between which nobody can walk,
    /// the jump of the shortest flight from the one to the other, if there is any.
    ///
    /// # Complexity
    /// O(cells * cells within reach of a jump): for a level of some thousand cells.
    #[must_use]
    pub fn links(&self) -> Vec<JumpLeg> {
        let mut best: BTreeMap<(usize, usize), JumpLeg> = BTreeMap::new();
        let [rows, columns] = self.graph.terrain().shape();
        for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [y, x])) {
            self.graph.for_each_move(cell, |step| {
                let groups = (self.graph.group(step.from), self.graph.group(step.to));
                let (Some(from), Some(to)) = groups else { return };
                if step.kind != MoveKind::Jump || from == to {
                    return;
                }
                let Some(leg) = self.leg(&step) else { return };
                let known = best.entry((from, to)).or_insert(leg);
                if leg.flight_time < known.flight_time {
                    *known = leg;
                }
            });
        }
        best.into_values().collect()
    }

    /// A move of the graph as it is walked.
    fn leg(&self, step: &Move) -> Option<JumpLeg> {
        let (from, to) = (self.feet(step.from)?, self.feet(step.to)?);
        let character = self.graph.character();
        let leg = JumpLeg {
            cells: [step.from, step.to],
            kind: step.kind.into(),
            from: to_f32(from),
            to: to_f32(to),
            launch: to_f32(from),
            landing: to_f32(to),
            velocity: Vec3::ZERO,
            flight_time: 0.0,
            gravity: character.gravity() as f32,
            walk_speed: character.walk_speed() as f32,
        };
        Some(match step.kind {
            MoveKind::Walk => leg,
            MoveKind::Fall => {
                let drop = from.z - to.z;
                let time = (2.0 * drop / character.gravity()).sqrt();
                JumpLeg {
                    launch: to_f32(to.truncate().extend(from.z)),
                    flight_time: time as f32,
                    ..leg
                }
            }
            MoveKind::Jump => {
                let flight = self.graph.witness(step)?;
                JumpLeg {
                    launch: to_f32(flight.launch),
                    landing: to_f32(flight.landing),
                    velocity: to_f32(flight.velocity),
                    flight_time: flight.flight_time as f32,
                    ..leg
                }
            }
        })
    }
}

fn to_f32(at: DVec3) -> Vec3 {
    Vec3::from_array(at.to_array().map(|c| c as f32))
}

/// The kind of a leg of a route.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LegKind {
    /// A walk to a neighbour within the step height.
    Walk,
    /// A fall to a neighbour that lies lower.
    Fall,
    /// Through the air.
    Jump,
}

impl From<MoveKind> for LegKind {
    fn from(kind: MoveKind) -> Self {
        match kind {
            MoveKind::Walk => Self::Walk,
            MoveKind::Fall => Self::Fall,
            MoveKind::Jump => Self::Jump,
        }
    }
}

/// One move of a route: on the ground to `launch`, through the air to `landing`, on the ground to
/// `to`. All places are in world units, z up.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct JumpLeg {
    /// The cells `[row, column]` that it leads from and to.
    pub cells: [[usize; 2]; 2],
    /// The kind of the leg.
    pub kind: LegKind,
    /// The middle of the cell that it leads from.
    pub from: Vec3,
    /// The middle of the cell that it leads to.
    pub to: Vec3,
    /// Where the feet leave the ground.
    pub launch: Vec3,
    /// Where they land.
    pub landing: Vec3,
    /// `[units: world units per second]` At launch.
    pub velocity: Vec3,
    /// `[units: seconds]` In the air.
    pub flight_time: f32,
    /// `[units: world units per second^2]`
    pub gravity: f32,
    /// `[units: world units per second]` On the ground.
    pub walk_speed: f32,
}

impl JumpLeg {
    /// `[units: seconds]` On the ground before the launch, in the air, and on the ground after it.
    fn times(&self) -> [f32; 3] {
        let ground = |a: Vec3, b: Vec3| a.distance(b) / self.walk_speed;
        match self.kind {
            LegKind::Walk => [ground(self.from, self.to), 0.0, 0.0],
            LegKind::Fall => [ground(self.from, self.launch), self.flight_time, 0.0],
            LegKind::Jump => {
                [ground(self.from, self.launch), self.flight_time, ground(self.landing, self.to)]
            }
        }
    }

    /// `[units: seconds]` How long it takes.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.times().iter().sum()
    }

    /// `[units: world units]` Where the feet are `time` seconds after the begin; before it the
    /// begin, after its end the end.
    #[must_use]
    pub fn position_at(&self, time: f32) -> Vec3 {
        let [before, air, after] = self.times();
        let part = |time: f32, all: f32| if all > 0.0 { (time / all).clamp(0.0, 1.0) } else { 1.0 };
        if self.kind == LegKind::Walk {
            return self.from.lerp(self.to, part(time, before));
        }
        if time < before {
            return self.from.lerp(self.launch, part(time, before));
        }
        let flown = time - before;
        if flown < air {
            let drop = Vec3::new(0.0, 0.0, 0.5 * self.gravity * flown * flown);
            return self.launch + self.velocity * flown - drop;
        }
        self.landing.lerp(self.to, part(flown - air, after))
    }
}

/// What makes a route better than another.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Debug, Default, Clone, PartialEq)]
pub enum RoutePreference {
    /// The fewest jumps, then the shortest.
    #[default]
    FewestJumps,
    /// The shortest way of the feet.
    Shortest,
    /// The least time.
    LeastTime,
    /// The fewest jumps that lead less far than this:
    /// `[units: world units] [limits: finite, >= 0]`
    BigJumps {
        /// The least length of a big jump.
        at_least: f32,
    },
}

impl From<RoutePreference> for Preference {
    fn from(preference: RoutePreference) -> Self {
        match preference {
            RoutePreference::FewestJumps => Self::FewestJumps,
            RoutePreference::Shortest => Self::Shortest,
            RoutePreference::LeastTime => Self::LeastTime,
            RoutePreference::BigJumps { at_least } => {
                Self::BigJumps { at_least: f64::from(at_least) }
            }
        }
    }
}

/// Asks for a way on the [`JumpLevel`] from the `Transform` (x and y) to a place. The answer is
/// [`JumpPath`], in a `FixedUpdate` that has the budget for it.
///
/// It is asked again when this component changes and when heights were edited. With [`JumpWalker`]
/// the entity also goes. Remove this component and it stops where it is.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[component(on_add = number)]
#[require(JumpPath, RouteState, Transform)]
pub struct JumpRoute {
    /// `[units: world units]` A place (x, y) in the cell to go to.
    pub goal: Vec2,
    /// What makes a way better.
    pub preference: RoutePreference,
}

/// Walks, falls and jumps along its [`JumpPath`]; `Transform` is written in every `FixedUpdate`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Debug, Default, Clone, PartialEq)]
pub struct JumpWalker;

/// The way to the goal of a [`JumpRoute`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Debug, Default, Clone, PartialEq)]
pub struct JumpPath {
    /// The moves from the place where it was planned to the goal. Empty if there is no way.
    pub legs: Vec<JumpLeg>,
    /// The leg that a walker is on.
    pub leg: usize,
    /// `[units: seconds]` How long it has been on it.
    pub time: f32,
}

/// The state of a [`JumpRoute`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Debug, Default, Clone, PartialEq, Hash)]
#[non_exhaustive]
pub enum RouteState {
    /// It was not looked at yet.
    #[default]
    NotYet,
    /// It was refused; [`Refused`] says why.
    Refused,
    /// There is a way.
    Found,
    /// No way leads to the goal.
    NoWay,
    /// A walker is there.
    Arrived,
}

/// The budget of a `FixedUpdate` for routes.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Debug, Clone, PartialEq)]
pub struct JumpBudget {
    /// `[units: plans] suggested: 4` Routes that are left out have their turn first in the next
    /// tick. At 0 nobody gets a way.
    pub plans: usize,
}

impl Default for JumpBudget {
    fn default() -> Self {
        Self { plans: 4 }
    }
}

/// Sets the height of a cell of the [`JumpLevel`]. Where a walker is, or comes to on its present
/// leg, it is refused ([`Refused`]).
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct SetHeight {
    /// `[row, column]`
    pub cell: [usize; 2],
    /// `[units: world units] [limits: finite, within 1e9]`
    pub height: f64,
}

/// The start, goal and settings that a route was planned for. Only this plugin reads it.
#[derive(Component, Clone, Copy, Debug, Default)]
struct Planned {
    /// The level that it was planned on.
    version: Option<Version>,
    /// The place last written into its `Transform`, or read from it.
    known: Vec2,
    /// The how many-th plan it was; 0: none yet.
    turn: u64,
}

/// Jump routes: [`JumpLevel`], [`JumpRoute`], [`JumpWalker`], [`JumpPath`], [`RouteState`],
/// [`JumpBudget`], [`SetHeight`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LevelPlugin;

impl Plugin for LevelPlugin {
    fn build(&self, app: &mut App) {
        add_map_plugin(app);
        app.register_type::<JumpRoute>()
            .register_type::<JumpWalker>()
            .register_type::<JumpPath>()
            .register_type::<RouteState>()
            .register_type::<JumpBudget>()
            .init_resource::<JumpBudget>()
            .add_message::<SetHeight>()
            .register_required_components::<JumpRoute, Planned>()
            .add_systems(FixedUpdate, set_heights.in_set(NamijiSystems::Edit))
            .add_systems(FixedUpdate, (plan, walk).chain().in_set(NamijiSystems::Jump))
            .add_observer(forget_route);
    }
}

/// A walker without a route has nowhere to go.
fn forget_route(
    gone: On<Remove<JumpRoute>>,
    mut routes: Query<(&mut JumpPath, &mut RouteState, &mut Planned)>,
) {
    let Ok((mut path, mut state, mut planned)) = routes.get_mut(gone.entity) else { return };
    // Its turn stays, so that a route that is put back does not come before those that wait.
    *planned = Planned { turn: planned.turn, ..Planned::default() };
    *path = JumpPath::default();
    state.set_if_neq(RouteState::NotYet);
}

type OnTheirWay = (With<JumpRoute>, With<JumpWalker>);

fn set_heights(
    mut edits: MessageReader<SetHeight>,
    mut refused: MessageWriter<Refused>,
    level: Option<ResMut<JumpLevel>>,
    walkers: Query<(Entity, &JumpPath, &Transform), OnTheirWay>,
) {
    let Some(mut level) = level else { return };
    for &SetHeight { cell, height } in edits.read() {
        let terrain = level.graph.terrain();
        let is_there = |(_, path, transform): &(Entity, &JumpPath, &Transform)| {
            let at = transform.translation.truncate().to_array().map(f64::from);
            let leg = path.legs.get(path.leg);
            terrain.cell_at(DVec2::from_array(at)) == Some(cell)
                || leg.is_some_and(|leg| leg.cells.contains(&cell))
        };
        let set = match walkers.iter().find(is_there) {
            Some((who, ..)) => Err(NamijiError::Occupied { cell, who }),
            None => level.graph.set_height(cell, height).map_err(NamijiError::from),
        };
        match set {
            Ok(()) => level.version.1 += 1,
            Err(reason) => {
                refused.write(Refused { request: Request::SetHeight { cell }, reason });
            }
        }
    }
}

type Routes = (
    Entity,
    Option<&'static SpawnOrder>,
    Ref<'static, JumpRoute>,
    &'static Transform,
    &'static mut JumpPath,
    &'static mut RouteState,
    &'static mut Planned,
    Has<JumpWalker>,
);

/// Plans the routes that are asked for. A walker gets a new one at the end of a leg, where it has
/// ground.
fn plan(
    level: Option<Res<JumpLevel>>,
    budget: Res<JumpBudget>,
    mut turn: Local<u64>,
    mut routes: Query<Routes>,
    mut refused: MessageWriter<Refused>,
) {
    let Some(level) = level else { return };
    let mut waiting = Vec::new();
    for (entity, order, route, transform, mut path, mut state, mut planned, walks) in &mut routes {
        let at = transform.translation.truncate();
        let is_put_elsewhere = bits(at) != bits(planned.known);
        if route.is_changed() || is_put_elsewhere {
            planned.version = None;
        }
        if walks && is_put_elsewhere {
            // Its leg ends here, even if the budget of this tick has no plan for it.
            *path = JumpPath::default();
            planned.known = at;
            state.set_if_neq(RouteState::NotYet);
        }
        let in_leg = walks && path.leg < path.legs.len() && path.time > 0.0;
        if planned.version != Some(level.version) && !in_leg {
            waiting.push((planned.turn, order.copied(), entity));
        }
    }
    // The walker whose plan is oldest comes first: so even if every tick makes all ways old, the
    // last one has its turn.
    waiting.sort_by_key(|&(turn, order, _)| (turn, order));
    for (_, _, entity) in waiting.into_iter().take(budget.plans) {
        let Ok(found) = routes.get_mut(entity) else { continue };
        let (_, _, route, transform, mut path, mut state, mut planned, _) = found;
        let at = transform.translation.truncate();
        *turn += 1;
        *planned = Planned { version: Some(level.version), known: at, turn: *turn };
        let found = level.way(at, *route);
        *path = JumpPath::default();
        *state = match found {
            Ok(Some(legs)) => {
                path.legs = legs;
                RouteState::Found
            }
            Ok(None) => RouteState::NoWay,
            Err(reason) => {
                refused.write(Refused { request: Request::Route(entity), reason });
                RouteState::Refused
            }
        };
    }
}

impl JumpLevel {
    fn way(&self, at: Vec2, route: JumpRoute) -> Result<Option<Vec<JumpLeg>>, NamijiError> {
        let cell = |at: Vec2| {
            let position = at.to_array();
            let exact = DVec2::from_array(position.map(f64::from));
            let cell = at.is_finite().then(|| self.graph.terrain().cell_at(exact)).flatten();
            cell.ok_or(NamijiError::OffMap { position })
        };
        let plan = self.graph.plan(cell(at)?, cell(route.goal)?, route.preference.into())?;
        Ok(plan.map(|plan| plan.moves.iter().filter_map(|step| self.leg(step)).collect()))
    }
}

type Walkers =
    (&'static mut Transform, &'static mut JumpPath, &'static mut RouteState, &'static mut Planned);

/// Walkers go on. A walker leaves a leg only at its end; there it takes edits into account.
fn walk(
    level: Option<Res<JumpLevel>>,
    time: Res<Time>,
    mut walkers: Query<Walkers, With<JumpWalker>>,
) {
    let Some(level) = level else { return };
    for (mut transform, mut path, mut state, mut planned) in &mut walkers {
        if *state != RouteState::Found {
            continue;
        }
        let mut left = time.delta_secs();
        while let Some(leg) = path.legs.get(path.leg).copied() {
            if path.time == 0.0 && planned.version != Some(level.version) {
                break;
            }
            let rest = leg.time() - path.time;
            if left < rest {
                path.time += left;
                transform.translation = leg.position_at(path.time);
                break;
            }
            left -= rest;
            path.leg += 1;
            path.time = 0.0;
            transform.translation = leg.to;
        }
        if path.leg >= path.legs.len() {
            *state = RouteState::Arrived;
        }
        planned.known = transform.translation.truncate();
    }
}
