//! Pursuers that follow waves to targets.

use crate::map::{GridMap, NamijiSystems, SetWalls, WallsSet, Written, add_map_plugin};
use crate::map_3d::edit_walls_3d;
use crate::order::{SpawnOrder, number};
use crate::refusal::{NamijiError, Refused, Request};
use bevy_app::prelude::*;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::prelude::*;
use bevy_math::{Vec2, Vec3};
use bevy_reflect::prelude::*;
use bevy_time::Time;
use bevy_transform::components::Transform;
use std::collections::BTreeSet;
use wave_track::ndarray::{Ix2, Ix3};
use wave_track::wave_core::Space;
use wave_track::{PursuerId, PursuerState, SKIN, TrackError, Tracker, TrackerConfig};

/// Follows waves to the nearest [`PursuitTarget`], by travel time.
///
/// `Transform` says where it begins, and is written in every `FixedUpdate` (x and y; z stays; in 3D
/// all three). Write another place into it and the pursuer goes on from there. Remove this
/// component, or despawn the entity, and the pursuer is gone.
///
/// A place in a wall or outside the map is refused ([`Refused`], [`PursuitState::Refused`]), and
/// asked for again when the component or the `Transform` changes. A pursuer that was there already
/// stays where it was and its `Transform` is put back.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[component(on_add = number)]
#[require(PursuitState, Transform)]
pub struct Pursuer {
    /// `[units: world units per second] [limits: > 0, at most 1000 cells per FixedUpdate]`
    pub speed: f32,
}

/// A target of the pursuers. Its `Transform` may move in any way; a place in a wall or outside the
/// map is refused, and the target is left out until it moves.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Debug, Default, Clone, PartialEq)]
#[component(on_add = number)]
#[require(Transform)]
pub struct PursuitTarget;

/// What a pursuer does, or why it does not move; written in every `FixedUpdate`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Debug, Default, Clone, PartialEq, Hash)]
#[non_exhaustive]
pub enum PursuitState {
    /// There is no map, or no `FixedUpdate` has run since it was spawned.
    #[default]
    NotYet,
    /// It was refused; [`Refused`] says why.
    Refused,
    /// There is no target.
    NoTarget,
    /// No wave has come yet, or none since a cell was freed that may have opened a way.
    Waiting,
    /// It goes where a wave came from.
    Chasing,
    /// It sees the target nearby and goes straight for it.
    Closing,
    /// It has come to the target.
    Arrived,
    /// No way leads to a target.
    TargetUnreachable,
    /// Its straight course ends at a wall; the next wave may turn it.
    Blocked,
    /// It jumps, falls or climbs along a link of the map.
    OnLink,
}

impl From<PursuerState> for PursuitState {
    fn from(state: PursuerState) -> Self {
        match state {
            PursuerState::NoTarget => Self::NoTarget,
            PursuerState::Chasing => Self::Chasing,
            PursuerState::Closing => Self::Closing,
            PursuerState::Arrived => Self::Arrived,
            PursuerState::TargetUnreachable => Self::TargetUnreachable,
            PursuerState::Blocked => Self::Blocked,
            PursuerState::OnLink => Self::OnLink,
            // `Waiting`, and states that later versions of the tracker may add.
            _ => Self::Waiting,
        }
    }
}

/// The budget of a `FixedUpdate` for waves.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Debug, Default, Clone, PartialEq)]
pub struct PursuitBudget {
    /// `[units: cells computed] suggested: leave out, or 1 to 5 for every cell of the map` Left
    /// out, it is three for every open cell. However few there are, nobody waits for ever.
    pub updates: Option<u64>,
}

/// The pursuit as it stands: one tracker for all pursuers on the [`GridMap`].
#[derive(Resource, Debug)]
pub struct Pursuit<D: Space = Ix2> {
    config: TrackerConfig,
    map: u64,
    /// None while there is no map that the tracker takes.
    tracker: Option<Tracker<D>>,
    suggested: u64,
    /// In the order of the tracker's own list.
    members: Vec<Member>,
    ids: EntityHashMap<PursuerId>,
    targets: Vec<(Entity, Vec3)>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    id: PursuerId,
    entity: Entity,
    /// The place last written into its `Transform`, or read from it; z is 0 on a flat map.
    known: Vec3,
    speed: f32,
}

impl Pursuit {
    /// The place that a walker comes to from `from` by `step`, sliding along walls: for players and
    /// other targets. A target may stand there.
    ///
    /// # Errors
    /// [`NamijiError::NoMap`]; [`NamijiError::Track`] where `from` is in a wall or outside the map.
    pub fn slide(&self, from: Vec2, step: Vec2) -> Result<Vec2, NamijiError> {
        self.slide_xyz(from.extend(0.0), step.extend(0.0)).map(Vec3::truncate)
    }
}

impl Pursuit<Ix3> {
    /// The place that a flier comes to from `from` by `step`, sliding along walls: for players and
    /// other targets. A target may be there.
    ///
    /// # Errors
    /// [`NamijiError::NoMap`]; [`NamijiError::Track`] where `from` is in a wall or outside the map.
    pub fn slide(&self, from: Vec3, step: Vec3) -> Result<Vec3, NamijiError> {
        self.slide_xyz(from, step)
    }
}

impl<D: Space> Pursuit<D> {
    fn new(config: TrackerConfig) -> Self {
        Self {
            config,
            map: 0,
            tracker: None,
            suggested: 0,
            members: Vec::new(),
            ids: EntityHashMap::default(),
            targets: Vec::new(),
        }
    }

    /// The tracker, with its map and waves; `None` while there is no map that it takes.
    #[must_use]
    pub fn tracker(&self) -> Option<&Tracker<D>> {
        self.tracker.as_ref()
    }
    /// Pursuers on the map.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }
    /// Whether there are no pursuers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
    /// A hash of pursuers, targets and waves: equal for equal bits; 0 without a map.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.tracker.as_ref().map_or(0, Tracker::state_hash)
    }
    pub(crate) fn map(&self) -> u64 {
        self.map
    }

    fn slide_xyz(&self, from: Vec3, step: Vec3) -> Result<Vec3, NamijiError> {
        let tracker = self.tracker.as_ref().ok_or(NamijiError::NoMap)?;
        let exact = tracker.slide(point::<D>(from), point::<D>(step))?;
        let rounded = vector::<D>(exact);
        if stands(tracker, rounded) {
            return Ok(rounded);
        }
        // At a wall, f32 may round a place into it: a thousandth toward the middle of the cell.
        let Some(cell) = tracker.medium().cell_at(exact) else { return Ok(from) };
        let (at, middle) = (D::to_xyz(exact), D::to_xyz(tracker.medium().centre(cell)));
        let inner = std::array::from_fn(|a| at[a] + (middle[a] - at[a]) * 1e-3);
        let inner = vector::<D>(D::from_xyz(inner));
        Ok(if stands(tracker, inner) { inner } else { from })
    }

    pub(crate) fn set_walls(&mut self, cells: &[(D::Cell, bool)]) -> Result<(), NamijiError> {
        let Some(tracker) = &mut self.tracker else { return Ok(()) };
        tracker.set_walls(cells).map_err(|reason| match reason {
            TrackError::Occupied { cell, .. } => {
                self.who_stands_at(cell).map_or(reason.into(), |who| occupied::<D>(cell, who))
            }
            _ => reason.into(),
        })
    }

    /// Refuses walls where a body is that the tracker does not know there.
    pub(crate) fn check_places(
        &self,
        map: &GridMap<D>,
        closing: &BTreeSet<D::Cell>,
        bodies: &Bodies,
    ) -> Result<(), NamijiError> {
        let medium = map.medium();
        let reach = 2.0 * SKIN * medium.spacing();
        for (entity, transform, pursues, is_target) in bodies {
            let at = place::<D>(transform);
            if !at.is_finite() {
                continue;
            }
            let mut corners = (0..1 << D::AXES).filter_map(|corner: usize| {
                let mut xyz = at.to_array().map(f64::from);
                for (axis, c) in xyz.iter_mut().enumerate().take(D::AXES) {
                    *c += if corner >> axis & 1 == 0 { -reach } else { reach };
                }
                medium.cell_at(D::from_xyz(xyz))
            });
            let Some(cell) = corners.find(|cell| closing.contains(cell)) else {
                continue;
            };
            // The tracker itself answers for bodies that are where it last saw them.
            let is_here = self.map == map.identity();
            let is_known = |known: Option<Vec3>| is_here && known.map(bits) == Some(bits(at));
            let target = || self.targets.iter().find(|t| t.0 == entity).map(|t| t.1);
            let member = || self.member(entity).map(|member| member.known);
            if (pursues && !is_known(member())) || (is_target && !is_known(target())) {
                return Err(occupied::<D>(D::to_zyx(cell), entity));
            }
        }
        Ok(())
    }

    fn member(&self, entity: Entity) -> Option<&Member> {
        let id = self.ids.get(&entity)?;
        let at = self.members.binary_search_by_key(id, |member| member.id).ok()?;
        Some(&self.members[at])
    }

    fn who_stands_at(&self, cell: [usize; 3]) -> Option<Entity> {
        let tracker = self.tracker.as_ref()?;
        let reach = (0.5 + 2.0 * SKIN) * tracker.medium().spacing();
        let middle = D::to_xyz(tracker.medium().centre(D::from_zyx(cell)));
        let touches = |at: D::Point| {
            D::to_xyz(at).iter().zip(middle).all(|(at, middle)| (at - middle).abs() <= reach)
        };
        let target = self.targets.iter().find(|t| touches(point::<D>(t.1)));
        target.map(|t| t.0).or_else(|| {
            let mut all = tracker.pursuers().iter().zip(&self.members);
            all.find(|(p, _)| touches(p.position())).map(|(_, member)| member.entity)
        })
    }

    fn remove(&mut self, entity: Entity) {
        let Some(id) = self.ids.remove(&entity) else { return };
        if let Ok(at) = self.members.binary_search_by_key(&id, |member| member.id) {
            self.members.remove(at);
        }
        if let Some(tracker) = &mut self.tracker {
            // It is there: members and pursuers come and go together.
            let _ = tracker.remove_pursuer(id);
        }
    }

    /// Puts all targets and pursuers on another map.
    fn begin(&mut self, map: &GridMap<D>) -> Result<(), NamijiError> {
        self.map = map.identity();
        self.members.clear();
        self.ids.clear();
        self.targets.clear();
        self.tracker = None;
        let tracker = Tracker::new(map.medium().clone(), self.config)?;
        self.suggested = tracker.suggested_updates();
        self.tracker = Some(tracker);
        Ok(())
    }
}

/// Pursuers and targets: whether it is the one, the other, or both.
pub(crate) type Bodies<'w, 's> = Query<
    'w,
    's,
    (Entity, &'static Transform, Has<Pursuer>, Has<PursuitTarget>),
    Or<(With<Pursuer>, With<PursuitTarget>)>,
>;

fn occupied<D: Space>(cell: [usize; 3], who: Entity) -> NamijiError {
    match cell {
        [_, y, x] if D::AXES == 2 => NamijiError::Occupied { cell: [y, x], who },
        cell => NamijiError::Occupied3d { cell, who },
    }
}

/// Converts to the engine's numbers by arrays, since the two may use different versions of glam.
fn point<D: Space>(at: Vec3) -> D::Point {
    D::from_xyz(at.to_array().map(f64::from))
}
/// Back again; z is 0 on a flat map.
fn vector<D: Space>(at: D::Point) -> Vec3 {
    Vec3::from_array(D::to_xyz(at).map(|c| c as f32))
}
/// The place of an entity on the map; z is 0 on a flat one.
fn place<D: Space>(transform: &Transform) -> Vec3 {
    let at = transform.translation;
    if D::AXES == 2 { at.with_z(0.0) } else { at }
}
/// Puts an entity elsewhere; on a flat map z stays.
fn put<D: Space>(transform: &mut Transform, at: Vec3) {
    let z = if D::AXES == 2 { transform.translation.z } else { at.z };
    transform.translation = at.with_z(z);
}
/// The bits by which places are compared: a place that is not a number is equal to itself.
fn bits(at: Vec3) -> [u32; 3] {
    at.to_array().map(f32::to_bits)
}

/// Whether a body may stand at a place.
fn stands<D: Space>(tracker: &Tracker<D>, at: Vec3) -> bool {
    tracker.slide(point::<D>(at), D::Point::default()).is_ok()
}

/// Pursuit: [`Pursuer`], [`PursuitTarget`], [`PursuitState`], [`PursuitBudget`], [`Pursuit`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PursuitPlugin {
    /// How the waves work; the default is right for games.
    pub config: TrackerConfig,
}

impl Plugin for PursuitPlugin {
    fn build(&self, app: &mut App) {
        add_pursuit::<Ix2>(app, self.config);
    }
}

/// Pursuit in 3D, with the same components: [`GridMap<Ix3>`](GridMap), [`Pursuit<Ix3>`](Pursuit),
/// [`SetWalls<3>`](SetWalls), [`WallsSet<3>`](WallsSet). Pursuers fly.
///
/// It may stand beside [`PursuitPlugin`]. Where there is a map in 3D, all pursuers are on it, and
/// flat maps have none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pursuit3dPlugin {
    /// How the waves work; the default is right for games.
    pub config: TrackerConfig,
}

impl Plugin for Pursuit3dPlugin {
    fn build(&self, app: &mut App) {
        add_pursuit::<Ix3>(app, self.config);
        app.add_message::<SetWalls<3>>()
            .add_message::<WallsSet<3>>()
            .add_systems(FixedUpdate, edit_walls_3d.in_set(NamijiSystems::Edit));
    }
}

fn add_pursuit<D: Space>(app: &mut App, config: TrackerConfig) {
    add_map_plugin(app);
    app.register_type::<Pursuer>()
        .register_type::<PursuitTarget>()
        .register_type::<PursuitState>()
        .register_type::<PursuitBudget>()
        .init_resource::<PursuitBudget>()
        .insert_resource(Pursuit::<D>::new(config))
        .add_systems(
            FixedUpdate,
            (
                forget::<D>.before(begin::<Ix2>).before(begin::<Ix3>),
                (begin::<D>, read_pursuers::<D>, read_targets::<D>, walk::<D>)
                    .chain()
                    .run_if(has_pursuers::<D>),
            )
                .in_set(NamijiSystems::Pursue),
        )
        .add_observer(|gone: On<Remove<Pursuer>>, mut pursuit: ResMut<Pursuit<D>>| {
            pursuit.remove(gone.entity);
        });
}

/// One pursuer is never on two maps.
fn has_pursuers<D: Space>(deep: Option<Res<GridMap<Ix3>>>) -> bool {
    D::AXES == 3 || deep.is_none()
}

/// A map that has gone, or to which another one was preferred, has no pursuit any more.
fn forget<D: Space>(
    map: Option<Res<GridMap<D>>>,
    deep: Option<Res<GridMap<Ix3>>>,
    mut pursuit: ResMut<Pursuit<D>>,
    mut states: Query<&mut PursuitState>,
) {
    let is_there = map.is_some() && has_pursuers::<D>(deep);
    if is_there || pursuit.tracker.is_none() {
        return;
    }
    let empty = Pursuit::new(pursuit.config);
    let before = std::mem::replace(&mut *pursuit, empty);
    for member in before.members {
        if let Ok(mut state) = states.get_mut(member.entity) {
            state.set_if_neq(PursuitState::NotYet);
        }
    }
}

/// A new map: all targets and pursuers begin on it.
fn begin<D: Space>(
    map: Option<Res<GridMap<D>>>,
    mut pursuit: ResMut<Pursuit<D>>,
    mut pursuers: Query<&mut Pursuer>,
    mut refused: MessageWriter<Refused>,
) {
    let Some(map) = map.filter(|map| map.identity() != pursuit.map) else { return };
    match pursuit.begin(&map) {
        Ok(()) => pursuers.iter_mut().for_each(|mut pursuer| pursuer.set_changed()),
        Err(reason) => {
            refused.write(Refused { request: Request::Map { part: "pursuit" }, reason });
        }
    }
}

type Given = (
    Entity,
    Option<&'static SpawnOrder>,
    &'static Pursuer,
    &'static mut Transform,
    &'static mut PursuitState,
);

/// Takes over pursuers that are new, were put elsewhere, or were given another speed. New ones come
/// in the order in which they were spawned.
fn read_pursuers<D: Space>(
    mut pursuit: ResMut<Pursuit<D>>,
    mut changed: Query<Given, Written<Pursuer>>,
    mut refused: MessageWriter<Refused>,
) {
    let Pursuit { tracker: Some(tracker), members, ids, .. } = &mut *pursuit else { return };
    let refuse = |entity, reason: TrackError| Refused {
        request: Request::Pursuer(entity),
        reason: reason.into(),
    };
    let mut new = Vec::new();
    for (entity, order, pursuer, mut transform, state) in &mut changed {
        let at = place::<D>(&transform);
        let member = ids
            .get(&entity)
            .and_then(|id| members.binary_search_by_key(id, |member| member.id).ok());
        let Some(member) = member.map(|i| &mut members[i]) else {
            new.push((order.copied(), entity, at, pursuer.speed, state));
            continue;
        };
        if member.speed.to_bits() != pursuer.speed.to_bits() {
            member.speed = pursuer.speed;
            if let Err(reason) = tracker.set_pursuer_speed(member.id, f64::from(pursuer.speed)) {
                refused.write(refuse(entity, reason));
            }
        }
        if bits(member.known) != bits(at) {
            match tracker.teleport(member.id, point::<D>(at)) {
                Ok(()) => member.known = at,
                Err(reason) => {
                    put::<D>(&mut transform, member.known);
                    refused.write(refuse(entity, reason));
                }
            }
        }
    }
    new.sort_by_key(|new| new.0);
    for (_, entity, at, speed, mut state) in new {
        match tracker.add_pursuer(point::<D>(at), f64::from(speed)) {
            Ok(id) => {
                ids.insert(entity, id);
                members.push(Member { id, entity, known: at, speed });
            }
            Err(reason) => {
                *state = PursuitState::Refused;
                refused.write(refuse(entity, reason));
            }
        }
    }
}

/// Where the targets are.
fn read_targets<D: Space>(
    mut pursuit: ResMut<Pursuit<D>>,
    targets: Query<(Entity, Option<&SpawnOrder>, &Transform), With<PursuitTarget>>,
    mut refused: MessageWriter<Refused>,
) {
    let Pursuit { tracker: Some(tracker), targets: before, .. } = &mut *pursuit else { return };
    let mut sorted: Vec<_> = targets.iter().collect();
    sorted.sort_unstable_by_key(|target| target.1);
    let now: Vec<_> = sorted.into_iter().map(|(e, _, t)| (e, place::<D>(t))).collect();
    let is_same = |a: &(Entity, Vec3), b: &(Entity, Vec3)| a.0 == b.0 && bits(a.1) == bits(b.1);
    if now.len() == before.len() && now.iter().zip(&*before).all(|(a, b)| is_same(a, b)) {
        return;
    }
    let mut places = Vec::with_capacity(now.len());
    for &(entity, at) in &now {
        match tracker.slide(point::<D>(at), D::Point::default()) {
            Ok(_) => places.push(point::<D>(at)),
            // It has been told so.
            Err(_) if before.iter().any(|b| is_same(b, &(entity, at))) => {}
            Err(reason) => {
                let request = Request::Target(entity);
                refused.write(Refused { request, reason: of_target(reason).into() });
            }
        }
    }
    if let Err(reason) = tracker.set_targets(places) {
        refused.write(Refused { request: Request::Pursuit, reason: reason.into() });
    }
    *before = now;
}

/// The tracker was asked about a walker, but the refused body is a target.
fn of_target(reason: TrackError) -> TrackError {
    let what = "target";
    match reason {
        TrackError::OffGrid { position, .. } => TrackError::OffGrid { what, position },
        TrackError::InWall { position, .. } => TrackError::InWall { what, position },
        other => other,
    }
}

/// A frame: pursuers walk, waves run as far as the budget lets them.
fn walk<D: Space>(
    mut pursuit: ResMut<Pursuit<D>>,
    budget: Res<PursuitBudget>,
    time: Res<Time>,
    mut pursuers: Query<(&mut Transform, &mut PursuitState), With<Pursuer>>,
    mut refused: MessageWriter<Refused>,
) {
    let Pursuit { tracker: Some(tracker), members, suggested, .. } = &mut *pursuit else { return };
    let updates = budget.updates.unwrap_or(*suggested);
    if let Err(reason) = tracker.frame(time.delta_secs_f64(), updates) {
        refused.write(Refused { request: Request::Pursuit, reason: reason.into() });
        return;
    }
    for (pursuer, member) in tracker.pursuers().iter().zip(members) {
        let Ok((mut transform, mut state)) = pursuers.get_mut(member.entity) else { continue };
        let at = vector::<D>(pursuer.position());
        if at != member.known {
            member.known = at;
            put::<D>(&mut transform, at);
        }
        state.set_if_neq(pursuer.state().into());
    }
}
