//! The flock: boids by id, stepped together.

mod order;
mod snapshot;

pub use order::Order;
pub use snapshot::Snapshot;

use crate::boid::{Body, Boid, BoidGoal, HAS_GOAL, Steering};
use crate::error::{FlockError, number};
use crate::ids::BoidId;
use crate::instructions::Instructions;
use crate::kernel::Scene;
use crate::neighbours::bins::{Grid, farthest};
use crate::neighbours::columns::Columns;
use crate::number::lanes::LANES;
use crate::number::scalar::Scalar;
use crate::number::turn::unit;
use crate::number::vector::{ScalarOf, Vector, dot, scale, sub, to_f64};
use crate::parallel::{Split, each_part};
use crate::rules::config::{Edges, FlockConfig, Neighbours};
use crate::rules::laws::{Bounds, Laws};
use crate::world::obstacles::{Obstacle, Surroundings};
use crate::world::walls::Walls;
use glam::{DVec2, DVec3, Vec2, Vec3};
use std::any::Any;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use xxhash_rust::xxh3::Xxh3;

/// A part of the sorted bodies and of every column.
struct Gather<'a, S> {
    bodies: &'a mut [Body<S>],
    numbers: [&'a mut [S]; 9],
}

impl<S> Split for Gather<'_, S> {
    fn split(self, at: usize) -> (Self, Self) {
        let (b0, b1) = Split::split(self.bodies, at);
        let (mut n0, mut n1): ([&mut [S]; 9], [&mut [S]; 9]) = Default::default();
        for (i, column) in self.numbers.into_iter().enumerate() {
            (n0[i], n1[i]) = Split::split(column, at);
        }
        (Self { bodies: b0, numbers: n0 }, Self { bodies: b1, numbers: n1 })
    }
}

/// The slot of every id.
#[derive(Debug, Default)]
struct Slots(Vec<AtomicU32>);

const NOBODY: u32 = u32::MAX;

impl Clone for Slots {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|s| AtomicU32::new(s.load(Relaxed))).collect())
    }
}

/// Boids that step together: all from the same old state, in the same bits on every machine, with
/// any number of threads, in whatever order they were added.
///
/// A step costs O(boids * boids within the view radius), or with [`Neighbours::Nearest`] about
/// O(boids * most). Nothing is allocated once a step has run with as many boids.
#[derive(Clone, Debug)]
pub struct Flock<V: Vector> {
    config: FlockConfig<V>,
    laws: Laws<ScalarOf<V>>,
    pub(crate) bounds: Bounds<V>,
    reach: f64,
    surroundings: Surroundings<V>,
    instructions: Instructions,
    bodies: Vec<Body<ScalarOf<V>>>,
    /// The old state, sorted by (cell, id).
    pub(crate) sorted: Vec<Body<ScalarOf<V>>>,
    columns: Columns<ScalarOf<V>>,
    order: Vec<u64>,
    pub(crate) grid: Grid,
    slots: Slots,
    goals: Vec<(u32, BoidGoal<V>)>,
    next_id: u32,
    steps: u64,
}

impl<V: Vector> Flock<V> {
    /// A flock without boids.
    ///
    /// # Errors
    /// [`FlockError::Value`], [`FlockError::SpeciesCount`], [`FlockError::HeedCount`],
    /// [`FlockError::WorldSize`].
    pub fn new(config: FlockConfig<V>) -> Result<Self, FlockError> {
        config.check()?;
        let zero = [ScalarOf::<V>::ZERO; 3];
        let (low, high) = match config.edges {
            Edges::Open => (zero, zero),
            Edges::Wrapping { low, high } | Edges::Contained { low, high } => {
                (low.to_xyz(), high.to_xyz())
            }
        };
        let size = sub(high, low);
        // Only in a world that wraps can a place be more than half a world away.
        let half = if matches!(config.edges, Edges::Wrapping { .. }) {
            scale(size, ScalarOf::<V>::from_f64(0.5))
        } else {
            [ScalarOf::<V>::from_f64(f64::INFINITY); 3]
        };
        Ok(Self {
            laws: Laws::new(&config),
            bounds: Bounds { low, high, size, half },
            reach: config.reach(),
            config,
            surroundings: Surroundings::default(),
            instructions: Instructions::best(),
            bodies: Vec::new(),
            sorted: Vec::new(),
            columns: Columns::default(),
            order: Vec::new(),
            grid: Grid::default(),
            slots: Slots::default(),
            goals: Vec::new(),
            next_id: 0,
            steps: 0,
        })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &FlockConfig<V> {
        &self.config
    }
    /// The number of boids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }
    /// Steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Adds a boid under the id after the largest so far.
    ///
    /// # Errors
    /// [`FlockError::Value`], [`FlockError::Outside`], [`FlockError::InWall`],
    /// [`FlockError::NoSpecies`], [`FlockError::IdLimit`].
    pub fn add(&mut self, boid: Boid<V>) -> Result<BoidId, FlockError> {
        let id = BoidId::new(self.next_id);
        self.add_as(id, boid)?;
        Ok(id)
    }

    /// Adds a boid under an id of the caller's.
    ///
    /// # Errors
    /// As [`Flock::add`], and [`FlockError::IdTaken`].
    pub fn add_as(&mut self, id: BoidId, boid: Boid<V>) -> Result<(), FlockError> {
        if id.number() >= BoidId::LIMIT {
            return Err(FlockError::IdLimit(id));
        }
        if self.slot(id).is_ok() {
            return Err(FlockError::IdTaken(id));
        }
        let body = self.checked(id, &boid)?;
        let at = id.number() as usize;
        if self.slots.0.len() <= at {
            self.slots.0.resize_with(at + 1, || AtomicU32::new(NOBODY));
        }
        self.slots.0[at].store(self.bodies.len() as u32, Relaxed);
        self.bodies.push(body);
        self.next_id = self.next_id.max(id.number() + 1);
        if let Some(goal) = boid.goal {
            let at = self.goals.partition_point(|g| g.0 < id.number());
            self.goals.insert(at, (id.number(), goal));
        }
        Ok(())
    }

    /// Takes a boid away.
    ///
    /// # Errors
    /// [`FlockError::NoBoid`].
    pub fn remove(&mut self, id: BoidId) -> Result<Boid<V>, FlockError> {
        let slot = self.slot(id)?;
        let boid = self.boid_in(slot);
        self.goals.retain(|g| g.0 != id.number());
        self.bodies.swap_remove(slot);
        self.slots.0[id.number() as usize].store(NOBODY, Relaxed);
        if let Some(moved) = self.bodies.get(slot) {
            self.slots.0[moved.id as usize].store(slot as u32, Relaxed);
        }
        Ok(boid)
    }

    /// A boid.
    ///
    /// # Errors
    /// [`FlockError::NoBoid`].
    pub fn boid(&self, id: BoidId) -> Result<Boid<V>, FlockError> {
        Ok(self.boid_in(self.slot(id)?))
    }

    /// Changes a boid: a host that moves it itself says here where it is now.
    ///
    /// # Errors
    /// [`FlockError::NoBoid`], and as [`Flock::add`].
    pub fn set(&mut self, id: BoidId, boid: Boid<V>) -> Result<(), FlockError> {
        let slot = self.slot(id)?;
        let body = self.checked(id, &boid)?;
        if self.bodies[slot].has_goal() || boid.goal.is_some() {
            match (self.goals.binary_search_by_key(&id.number(), |g| g.0), boid.goal) {
                (Ok(at), Some(goal)) => self.goals[at].1 = goal,
                (Ok(at), None) => drop(self.goals.remove(at)),
                (Err(at), Some(goal)) => self.goals.insert(at, (id.number(), goal)),
                (Err(_), None) => {}
            }
        }
        self.bodies[slot] = body;
        Ok(())
    }

    /// All boids, in no stated order.
    pub fn boids(&self) -> impl Iterator<Item = (BoidId, Boid<V>)> + '_ {
        (0..self.bodies.len()).map(|slot| (BoidId::new(self.bodies[slot].id), self.boid_in(slot)))
    }

    /// All positions and headings (of length 1), in the order of [`Flock::boids`].
    pub fn poses(&self) -> impl Iterator<Item = (V, V)> + '_ {
        self.bodies.iter().map(|b| (V::from_xyz(b.position), V::from_xyz(b.heading)))
    }

    /// Puts other obstacles in place of those that were there.
    ///
    /// # Errors
    /// [`FlockError::Value`].
    pub fn set_obstacles(&mut self, obstacles: Vec<Obstacle<V>>) -> Result<(), FlockError> {
        self.surroundings.set(obstacles, &self.config.species)
    }

    /// The obstacles.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle<V>] {
        self.surroundings.obstacles()
    }

    /// Puts other walls in place of those that were there.
    ///
    /// # Errors
    /// [`FlockError::InWall`] where a boid stands in one; as [`Walls::new`] where they come from a
    /// file.
    pub fn set_walls(&mut self, walls: Option<Walls<V>>) -> Result<(), FlockError> {
        let walls = walls.map(Walls::checked).transpose()?;
        if let Some(walls) = &walls {
            let caught = self.bodies.iter().filter(|b| walls.blocks(V::from_xyz(b.position)));
            // Which of them is named does not depend on where they are stored.
            if let Some(body) = caught.min_by_key(|b| b.id) {
                return Err(FlockError::InWall { position: to_f64(body.position) });
            }
        }
        self.surroundings.walls = walls;
        Ok(())
    }

    /// The walls.
    #[must_use]
    pub fn walls(&self) -> Option<&Walls<V>> {
        self.surroundings.walls.as_ref()
    }

    /// The instructions that a step is computed with.
    #[must_use]
    pub fn instructions(&self) -> Instructions {
        self.instructions
    }

    /// Computes steps with these instructions, which changes no bit: for tests.
    ///
    /// # Errors
    /// [`FlockError::NoInstructions`].
    pub fn set_instructions(&mut self, instructions: Instructions) -> Result<(), FlockError> {
        if !instructions.available() {
            return Err(FlockError::NoInstructions(instructions));
        }
        self.instructions = instructions;
        Ok(())
    }

    /// Moves all boids by one step, from the same old state.
    ///
    /// Every boid sums over its neighbours in the stated order, then turns, then moves.
    pub fn step(&mut self) {
        self.sort();
        advance_any(self, false);
        self.steps += 1;
    }

    /// Works out what a step would do to each boid's velocity, without doing it. Edges and walls
    /// are then up to the host: it turns back or clamps the boids that it moves, and then calls
    /// [`Flock::set`].
    ///
    /// # Example
    /// ```
    /// use flocking::{Boid, Flock, FlockConfig};
    /// use glam::Vec2;
    ///
    /// let mut flock = Flock::new(FlockConfig::published())?;
    /// flock.add(Boid::new(Vec2::ZERO, Vec2::X))?;
    /// flock.add(Boid::new(Vec2::new(50.0, 50.0), Vec2::X))?;
    /// let plans: Vec<_> = flock.steer().collect();
    /// for (id, steering) in plans {
    ///     let mut boid = flock.boid(id)?;
    ///     boid.position += boid.velocity() + 0.5 * steering.change; // the host's own movement
    ///     flock.set(id, boid)?;
    /// }
    /// # Ok::<(), flocking::FlockError>(())
    /// ```
    pub fn steer(&mut self) -> impl Iterator<Item = (BoidId, Steering<V>)> + '_ {
        self.sort();
        advance_any(self, true);
        // The old state stays, the new one is only looked at.
        std::mem::swap(&mut self.bodies, &mut self.sorted);
        self.bodies.iter().zip(&self.sorted).map(|(old, new)| {
            let velocity = scale(new.heading, new.speed);
            let change = sub(velocity, scale(old.heading, old.speed));
            let steering =
                Steering { velocity: V::from_xyz(velocity), change: V::from_xyz(change) };
            (BoidId::new(old.id), steering)
        })
    }

    /// The number of the cell in which a position lay at the last [`Flock::step`] or
    /// [`Flock::steer`] of this very flock, not of the one it was cloned from: neighbours are
    /// summed in the order of (cell, id). 0 before either.
    #[must_use]
    pub fn cell(&self, position: V) -> usize {
        if self.grid.dims[0] == 0 {
            return 0;
        }
        self.grid.index(self.grid.place(to_f64(position.to_xyz())).bin)
    }

    /// A hash of every bit of every boid, in the order of their ids, and of the number of steps.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.steps.to_le_bytes());
        for slot in &self.slots.0 {
            let Some(body) = self.bodies.get(slot.load(Relaxed) as usize) else { continue };
            hash.update(&u64::from(body.id).to_le_bytes());
            // In a flat flock the third number is a zero of either sign.
            let axes = if V::FLAT { 2 } else { 3 };
            let numbers = body.position[..axes].iter().chain(&body.heading[..axes]);
            for number in numbers.chain([&body.speed, &body.cruise]) {
                hash.update(&number.bits().to_le_bytes());
            }
        }
        hash.digest()
    }

    /// Everything that the flock's future depends on, in the order of ids.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<V> {
        let mut boids: Vec<_> = self.boids().collect();
        boids.sort_unstable_by_key(|b| b.0);
        Snapshot {
            config: self.config.clone(),
            obstacles: self.surroundings.obstacles().to_vec(),
            walls: self.surroundings.walls.clone(),
            boids,
            next_id: self.next_id,
            steps: self.steps,
        }
    }

    /// The flock of a snapshot; it goes on in the same bits.
    ///
    /// # Errors
    /// As [`Flock::new`], [`Flock::add_as`], [`Flock::set_obstacles`], [`Flock::set_walls`]; and
    /// [`FlockError::Value`] where the number of steps or the next id is out of its limits.
    pub fn restore(snapshot: Snapshot<V>) -> Result<Self, FlockError> {
        // No flock gets there by steps, and from there none comes to the end of the numbers.
        let steps = snapshot.steps;
        number("steps", steps as f64, steps <= 1 << 53, "0 to 2^53")?;
        let next = snapshot.next_id;
        number("next_id", next.into(), next <= BoidId::LIMIT, "0 to 2^24")?;
        let mut flock = Self::new(snapshot.config)?;
        flock.set_obstacles(snapshot.obstacles)?;
        if let Some(w) = snapshot.walls {
            flock.set_walls(Some(Walls::checked(w)?))?;
        }
        for (id, boid) in snapshot.boids {
            flock.add_as(id, boid)?;
        }
        flock.next_id = flock.next_id.max(snapshot.next_id);
        flock.steps = snapshot.steps;
        Ok(flock)
    }

    fn slot(&self, id: BoidId) -> Result<usize, FlockError> {
        match self.slots.0.get(id.number() as usize).map(|s| s.load(Relaxed)) {
            Some(slot) if slot != NOBODY => Ok(slot as usize),
            _ => Err(FlockError::NoBoid(id)),
        }
    }

    fn boid_in(&self, slot: usize) -> Boid<V> {
        let body = &self.bodies[slot];
        let goal = body.has_goal().then(|| self.goals.binary_search_by_key(&body.id, |g| g.0));
        Boid {
            position: V::from_xyz(body.position),
            heading: V::from_xyz(body.heading),
            speed: body.speed.to_f64(),
            cruise: body.cruise.to_f64(),
            species: body.species() as u8,
            goal: goal.and_then(Result::ok).map(|at| self.goals[at].1),
        }
    }

    /// A boid whose every number is fit for a step.
    fn checked(&self, id: BoidId, boid: &Boid<V>) -> Result<Body<ScalarOf<V>>, FlockError> {
        let position = boid.position.to_xyz();
        let p = to_f64(position);
        let axes = if V::FLAT { 2 } else { 3 };
        let (mut low, mut high) = (to_f64(self.bounds.low), to_f64(self.bounds.high));
        if matches!(self.config.edges, Edges::Open) {
            // As a boid that flies off is held there.
            let far = ScalarOf::<V>::from_f64(farthest(self.reach)).to_f64();
            low[..axes].fill(-far);
            high[..axes].fill(far);
        }
        let wraps = matches!(self.config.edges, Edges::Wrapping { .. });
        let inside = |a: usize| p[a] >= low[a] && (p[a] < high[a] || p[a] == high[a] && !wraps);
        if !(0..axes).all(inside) {
            return Err(FlockError::Outside { position: p, low, high, wraps });
        }
        if self.surroundings.walls.as_ref().is_some_and(|w| w.blocks(boid.position)) {
            return Err(FlockError::InWall { position: p });
        }
        let speed =
            |what, value: f64| number(what, value, (0.0..=1e12).contains(&value), "0 to 1e12");
        speed("speed", boid.speed)?;
        speed("cruise", boid.cruise)?;
        let last = (self.config.species.len() - 1) as u8;
        if boid.species > last {
            return Err(FlockError::NoSpecies { found: boid.species, last });
        }
        let mut tag = u32::from(boid.species);
        if let Some(goal) = boid.goal {
            for value in to_f64(goal.position.to_xyz()) {
                number("goal position", value, value.abs() <= 1e18, "within 1e18")?;
            }
            number("goal.pull", goal.pull, goal.pull.abs() <= 1e6, "within 1e6")?;
            tag |= HAS_GOAL;
        }
        Ok(Body {
            position,
            heading: heading_of(boid.heading)?,
            speed: ScalarOf::<V>::from_f64(boid.speed),
            cruise: ScalarOf::<V>::from_f64(boid.cruise),
            id: id.number(),
            tag,
        })
    }

    /// Sorts the boids by (cell, id), and fills the columns.
    pub(crate) fn sort(&mut self) {
        sort_any(self);
    }

    fn sort_here(&mut self) {
        let n = self.bodies.len();
        let bodies = &self.bodies;
        let most = match (self.config.neighbours, V::FLAT) {
            (Neighbours::All, _) => 1,
            (Neighbours::Nearest { .. }, true) => 16,
            (Neighbours::Nearest { .. }, false) => 8,
        };
        let crowd = match self.config.neighbours {
            Neighbours::All => u64::MAX,
            // With so many in its own bin, the nearest in view are mostly in the bins around it.
            Neighbours::Nearest { most } => (3 * most as u64 / 4).max(4),
        };
        let position = |slot: usize| to_f64(bodies[slot].position);
        self.grid.bin::<V>(&self.config.edges, self.reach, (1, most, crowd), n, &position);
        self.order.resize(n, 0);
        self.sorted.resize(n, Body::default());
        let (columns, velocities) = (&mut self.columns, self.laws.velocities);
        let mut take = |column: usize, used: bool| {
            let column = match column {
                0 => &mut columns.x,
                1 => &mut columns.y,
                2 => &mut columns.z,
                3 => &mut columns.hx,
                4 => &mut columns.hy,
                5 => &mut columns.hz,
                6 => &mut columns.angle,
                7 => &mut columns.speed,
                _ => &mut columns.kind,
            };
            column.resize(if used { n + LANES } else { 0 }, ScalarOf::<V>::ZERO);
            std::mem::take(column)
        };
        let deep = !V::FLAT;
        let mut numbers = [
            take(0, true),
            take(1, true),
            take(2, deep),
            take(3, deep || velocities),
            take(4, deep || velocities),
            take(5, deep),
            take(6, V::FLAT),
            take(7, velocities),
            take(8, !self.laws.plain),
        ];
        let gather =
            Gather { bodies: &mut self.sorted, numbers: numbers.each_mut().map(|c| &mut c[..]) };
        let ids = |slot: usize| bodies[slot].id;
        self.grid.sort(&ids, &mut self.order, gather, &|order, out: Gather<'_, ScalarOf<V>>| {
            let Gather { bodies: sorted, numbers: [x, y, z, hx, hy, hz, angle, speed, kind] } = out;
            for (i, &entry) in order.iter().enumerate() {
                let body = bodies[entry as u32 as usize];
                sorted[i] = body;
                x[i] = body.position[0];
                y[i] = body.position[1];
                if let Some(z) = z.get_mut(i) {
                    *z = body.position[2];
                    hz[i] = body.heading[2];
                }
                if let Some(hx) = hx.get_mut(i) {
                    *hx = body.heading[0];
                    hy[i] = body.heading[1];
                }
                if let Some(angle) = angle.get_mut(i) {
                    *angle = body.heading[1].atan2(body.heading[0]);
                }
                if let Some(speed) = speed.get_mut(i) {
                    *speed = body.speed;
                }
                if let Some(kind) = kind.get_mut(i) {
                    *kind = ScalarOf::<V>::from_f64(body.species() as f64);
                }
            }
        });
        let [x, y, z, hx, hy, hz, angle, speed, kind] = numbers;
        self.columns = Columns { x, y, z, hx, hy, hz, angle, speed, kind };
    }

    /// The places from which no boid sees across the world's edge, whatever cell it looks into.
    fn inner(&self) -> ([ScalarOf<V>; 3], [ScalarOf<V>; 3]) {
        let far = ScalarOf::<V>::from_f64(f64::INFINITY);
        let Edges::Wrapping { .. } = self.config.edges else { return ([-far; 3], [far; 3]) };
        let wide =
            self.grid.edge.map(|e| ScalarOf::<V>::from_f64((self.grid.rings + 1) as f64 * e));
        (crate::number::vector::add(self.bounds.low, wide), sub(self.bounds.high, wide))
    }

    /// The sorted boids after a step, in place of the old ones.
    fn advance_here(&mut self, stay: bool) {
        let n = self.sorted.len();
        let scene = Scene {
            sorted: &self.sorted,
            columns: &self.columns,
            grid: &self.grid,
            laws: &self.laws,
            surroundings: &self.surroundings,
            goals: &self.goals,
            edges: self.config.edges,
            bounds: self.bounds,
            reach: self.reach,
            inner: self.inner(),
            instructions: self.instructions,
        };
        let slots = &self.slots.0;
        each_part(&mut self.bodies[..], n, GRAIN, &|first, part: &mut [Body<_>]| {
            scene.advance(first, part, stay);
            for (i, body) in part.iter().enumerate() {
                slots[body.id as usize].store((first + i) as u32, Relaxed);
            }
        });
    }
}

/// Calls a method of a flock of any of the four vector types. The costly parts of a step are called
/// in this way: a function without type parameters is compiled here. So a program that uses it does
/// not compile it again, nor without optimisation where that is how it compiles itself.
macro_rules! of_any {
    ($flock:ident, $method:ident($($argument:expr),*)) => {
        if let Some(flock) = $flock.downcast_mut::<Flock<Vec2>>() {
            flock.$method($($argument),*);
        } else if let Some(flock) = $flock.downcast_mut::<Flock<Vec3>>() {
            flock.$method($($argument),*);
        } else if let Some(flock) = $flock.downcast_mut::<Flock<DVec2>>() {
            flock.$method($($argument),*);
        } else if let Some(flock) = $flock.downcast_mut::<Flock<DVec3>>() {
            flock.$method($($argument),*);
        }
    };
}

#[inline(never)]
fn sort_any(flock: &mut dyn Any) {
    of_any!(flock, sort_here());
}

#[inline(never)]
fn advance_any(flock: &mut dyn Any, stay: bool) {
    of_any!(flock, advance_here(stay));
}

/// Boids per task: enough to hide a task's cost, few enough to share out a condensed flock.
const GRAIN: usize = 256;

/// The unit vector along `heading`; the same bits where it is one already.
fn heading_of<V: Vector>(heading: V) -> Result<[ScalarOf<V>; 3], FlockError> {
    let h = heading.to_xyz();
    let length2 = dot(h, h);
    let rounding = if size_of::<ScalarOf<V>>() == 4 { 1e-6 } else { 1e-14 };
    if (length2.to_f64() - 1.0).abs() <= rounding {
        return Ok(h);
    }
    // By the largest component first, so that no square overflows or vanishes.
    let largest = h.iter().fold(ScalarOf::<V>::ZERO, |m, c| m.max(c.abs()));
    number("heading", largest.to_f64(), largest > ScalarOf::<V>::ZERO, "not 0")?;
    for c in h {
        number("heading", c.to_f64(), true, "a number")?;
    }
    Ok(unit(h.map(|c| c / largest)))
}
