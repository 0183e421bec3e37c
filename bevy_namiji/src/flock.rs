//! Boids that flock, kept out of the map's walls.

use crate::map::{GridMap, NamijiSystems, Written, add_map_plugin, bits};
use crate::order::{SpawnOrder, number};
use crate::refusal::{NamijiError, Refused, Request};
use crate::roster::Roster;
use bevy_app::prelude::*;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_reflect::prelude::*;
use bevy_time::Time;
use bevy_transform::components::Transform;
use flocking::{BoidId, Flock, FlockConfig, FlockError, Walls};
use wave_track::ndarray::Ix2;
use wave_track::wave_core::Medium;

/// The engine's vector. Conversions go by arrays.
type V = flocking::glam::Vec2;

/// Flies with the other boids that it sees.
///
/// `Transform` says where it begins, and is written in every `FixedUpdate` (x and y; z stays).
/// Write another place or velocity and it goes on from there. A place in a wall is refused
/// ([`Refused`]): the boid stays where it was, or out of the flock if it was not in it.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[component(on_add = number)]
#[require(Transform)]
pub struct Boid {
    /// `[units: world units per second] [limits: finite]` The velocity at first, and then in every
    /// `FixedUpdate`. A value that you write is also the speed that the boid tries to keep. At 0 it
    /// stands and looks along +x.
    pub velocity: Vec2,
    /// `[limits: below the number of species of the settings] suggested: 0`
    pub species: u8,
}

impl Boid {
    /// A boid of species 0.
    #[must_use]
    pub fn new(velocity: Vec2) -> Self {
        Self { velocity, species: 0 }
    }
}

/// Leads a [`Boid`] toward an entity: a target, a place, a pursuer that knows the way.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, Clone, PartialEq)]
pub struct BoidGoal {
    /// Whose `Transform` it wants to be at.
    pub to: Entity,
    /// `[units: 1] [limits: within 1e6] suggested: 0.3` The weight of the turn toward it while
    /// neighbours are in view.
    pub pull: f32,
}

/// The flock as it stands: one for all boids.
#[derive(Resource, Debug)]
pub struct Flocks {
    flock: Result<Flock<V>, Option<FlockError>>,
    map: u64,
    /// `[units: seconds]` How long a step was.
    step: f64,
    members: Roster<Member>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    id: BoidId,
    entity: Entity,
    /// The place last written into its components, or read from them.
    place: Vec2,
    velocity: Vec2,
    species: u8,
    goal: Option<(Entity, f32)>,
    goal_at: Option<Vec2>,
}

impl Flocks {
    /// The flock; `None` if its settings were refused.
    #[must_use]
    pub fn flock(&self) -> Option<&Flock<V>> {
        self.flock.as_ref().ok()
    }
    /// Boids in the flock.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.len() == 0
    }
    /// A hash of all boids: equal for equal bits; 0 if the settings were refused.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.flock.as_ref().map_or(0, Flock::state_hash)
    }
    pub(crate) fn map(&self) -> u64 {
        self.map
    }
    pub(crate) fn walls(&self) -> Option<Walls<V>> {
        self.flock.as_ref().ok().and_then(|flock| flock.walls().cloned())
    }

    /// # Errors
    /// [`NamijiError::Occupied`].
    pub(crate) fn set_walls(&mut self, medium: &Medium<Ix2>) -> Result<(), NamijiError> {
        let Ok(flock) = &mut self.flock else { return Ok(()) };
        let walls = walls_of(medium)?;
        for member in self.members.iter() {
            let place = V::from_array(member.place.to_array());
            if walls.blocks(place) {
                let at = place.to_array().map(f64::from);
                let cell = medium.cell_at(wave_track::glam::DVec2::from_array(at));
                let cell = cell.unwrap_or_default();
                return Err(NamijiError::Occupied { cell, who: member.entity });
            }
        }
        Ok(flock.set_walls(Some(walls))?)
    }

    pub(crate) fn restore_walls(&mut self, walls: Option<Walls<V>>) -> Result<(), NamijiError> {
        match &mut self.flock {
            Ok(flock) => Ok(flock.set_walls(walls)?),
            Err(_) => Ok(()),
        }
    }

    fn remove(&mut self, entity: Entity) {
        let Some(member) = self.members.remove(entity) else { return };
        if let Ok(flock) = &mut self.flock {
            // It is there: members and boids come and go together.
            let _ = flock.remove(member.id);
        }
    }
}

fn walls_of(medium: &Medium<Ix2>) -> Result<Walls<V>, FlockError> {
    let origin = V::from_array(medium.origin().to_array().map(|c| c as f32));
    Walls::from_grid(&medium.walls(), medium.spacing(), origin)
}

/// Flocks: [`Boid`], [`BoidGoal`], [`Flocks`].
#[derive(Clone, Debug, Default)]
pub struct FlockPlugin {
    /// How boids steer. Its times are in steps, one a `FixedUpdate`; the default fits a map of some
    /// 100 units. Settings that the flock refuses are told by [`Refused`], and no boid moves then.
    pub config: FlockConfig<V>,
}

impl Plugin for FlockPlugin {
    fn build(&self, app: &mut App) {
        add_map_plugin(app);
        app.register_type::<Boid>()
            .register_type::<BoidGoal>()
            .insert_resource(Flocks {
                flock: Flock::new(self.config.clone()).map_err(Some),
                map: 0,
                step: 0.0,
                members: Roster::default(),
            })
            .add_systems(
                FixedUpdate,
                (begin, read_boids, read_goals, fly)
                    .chain()
                    .in_set(NamijiSystems::Flock)
                    // Speeds are per step, and a tick of no time has none.
                    .run_if(|time: Res<Time>| !time.delta().is_zero()),
            )
            .add_observer(|gone: On<Remove<Boid>>, mut flocks: ResMut<Flocks>| {
                flocks.remove(gone.entity);
            });
    }
}

/// Tells why there is no flock, takes over a map that was not there before, and forgets one that
/// has gone.
fn begin(
    map: Option<Res<GridMap>>,
    mut flocks: ResMut<Flocks>,
    mut refused: MessageWriter<Refused>,
) {
    let mut refuse = |request, reason| {
        refused.write(Refused { request, reason });
    };
    if let Err(reason) = &mut flocks.flock
        && let Some(reason) = reason.take()
    {
        refuse(Request::Map { part: "flocks" }, reason.into());
    }
    let identity = map.as_ref().map_or(0, |map| map.identity());
    if identity == flocks.map {
        return;
    }
    flocks.map = identity;
    let Some(map) = map else {
        if let Err(reason) = flocks.restore_walls(None) {
            refuse(Request::Map { part: "flocks" }, reason);
        }
        return;
    };
    let walls = match walls_of(map.medium()) {
        Ok(walls) => walls,
        Err(reason) => return refuse(Request::Map { part: "flocks" }, reason.into()),
    };
    let caught = |member: &&Member| walls.blocks(V::from_array(member.place.to_array()));
    let caught: Vec<Member> = flocks.members.iter().filter(caught).copied().collect();
    for member in caught {
        flocks.remove(member.entity);
        let [x, y] = member.place.to_array().map(f64::from);
        let reason = FlockError::InWall { position: [x, y, 0.0] };
        refuse(Request::Boid(member.entity), reason.into());
    }
    if let Err(reason) = flocks.restore_walls(Some(walls)) {
        refuse(Request::Map { part: "flocks" }, reason);
    }
}

type Given = (Entity, Option<&'static SpawnOrder>, &'static mut Boid, &'static mut Transform);

/// Takes over boids that are new, were put elsewhere, or were given another velocity or species.
/// New ones come in the order in which they were spawned.
fn read_boids(
    mut flocks: ResMut<Flocks>,
    time: Res<Time>,
    mut changed: Query<Given, Written<Boid>>,
    mut refused: MessageWriter<Refused>,
) {
    let Flocks { flock: Ok(flock), members, step, .. } = &mut *flocks else { return };
    let now = time.delta_secs_f64();
    if *step != now {
        // Speeds are per step: other steps, other numbers for the same speeds.
        for member in members.iter_mut() {
            let Ok(mut boid) = flock.boid(member.id) else { continue };
            (boid.speed, boid.cruise) = (boid.speed * now / *step, boid.cruise * now / *step);
            if let Err(reason) = flock.set(member.id, boid) {
                let request = Request::Boid(member.entity);
                refused.write(Refused { request, reason: reason.into() });
            }
        }
        *step = now;
    }
    let refuse = |entity, reason: FlockError| Refused {
        request: Request::Boid(entity),
        reason: reason.into(),
    };
    let mut new = Vec::new();
    for (entity, order, mut given, mut transform) in &mut changed {
        let place = transform.translation.truncate();
        let mut boid = flocking::Boid::new(
            V::from_array(place.to_array()),
            V::from_array(given.velocity.to_array()),
        );
        boid.speed *= now;
        boid.cruise *= now;
        boid.species = given.species;
        let Some(member) = members.get_mut(entity) else {
            new.push((order.copied(), entity, place, *given, boid));
            continue;
        };
        let id = member.id;
        let flies_on =
            bits(member.velocity) == bits(given.velocity) && member.species == given.species;
        if flies_on && bits(member.place) == bits(place) {
            continue;
        }
        let Ok(before) = flock.boid(id) else { continue };
        if flies_on {
            let position = boid.position;
            boid = flocking::Boid { position, ..before };
        }
        boid.goal = before.goal;
        match flock.set(id, boid) {
            Ok(()) => {
                member.place = place;
                (member.velocity, member.species) = (given.velocity, given.species);
            }
            Err(reason) => {
                transform.translation = member.place.extend(transform.translation.z);
                (given.velocity, given.species) = (member.velocity, member.species);
                refused.write(refuse(entity, reason));
            }
        }
    }
    new.sort_by_key(|new| new.0);
    for (_, entity, place, Boid { velocity, species }, boid) in new {
        match flock.add(boid) {
            Ok(id) => {
                let (goal, goal_at) = (None, None);
                let member = Member { id, entity, place, velocity, species, goal, goal_at };
                members.set(entity, member);
            }
            Err(reason) => {
                refused.write(refuse(entity, reason));
            }
        }
    }
}

/// Where the goals are.
fn read_goals(
    mut flocks: ResMut<Flocks>,
    goals: Query<&BoidGoal>,
    places: Query<&Transform>,
    mut refused: MessageWriter<Refused>,
) {
    let Flocks { flock: Ok(flock), members, .. } = &mut *flocks else { return };
    for member in members.iter_mut() {
        let goal = goals.get(member.entity).ok().map(|goal| (goal.to, goal.pull));
        let at = goal.and_then(|(to, _)| places.get(to).ok()).map(|t| t.translation.truncate());
        let is_known = match (member.goal, goal) {
            (None, None) => true,
            (Some(a), Some(b)) => a.0 == b.0 && a.1.to_bits() == b.1.to_bits(),
            _ => false,
        };
        if is_known && member.goal_at.map(bits) == at.map(bits) {
            continue;
        }
        (member.goal, member.goal_at) = (goal, at);
        let reason = match (goal, at) {
            (Some((to, _)), None) => Err(NamijiError::NoPlace(to)),
            _ => Ok(()),
        };
        let wanted = goal.zip(at).map(|((_, pull), at)| flocking::BoidGoal {
            position: V::from_array(at.to_array()),
            pull: f64::from(pull),
        });
        let set = flock.boid(member.id).and_then(|mut boid| {
            boid.goal = wanted;
            flock.set(member.id, boid)
        });
        if let Err(reason) = reason.and(set.map_err(NamijiError::from)) {
            refused.write(Refused { request: Request::Boid(member.entity), reason });
        }
    }
}

/// A step of the flock.
fn fly(mut flocks: ResMut<Flocks>, mut boids: Query<(&mut Transform, &mut Boid)>) {
    let Flocks { flock: Ok(flock), members, step, .. } = &mut *flocks else { return };
    flock.step();
    for member in members.iter_mut() {
        let (Ok(boid), Ok((mut transform, mut shown))) =
            (flock.boid(member.id), boids.get_mut(member.entity))
        else {
            continue;
        };
        let per_second = (boid.speed / *step) as f32;
        member.place = Vec2::from_array(boid.position.to_array());
        member.velocity = Vec2::from_array(boid.heading.to_array()) * per_second;
        transform.translation = member.place.extend(transform.translation.z);
        shown.velocity = member.velocity;
    }
}
