//! The crowd: its walkers and their places, and the calls of a game.

use crate::config::CrowdConfig;
use crate::error::{CrowdError, number};
use crate::ground::Ground;
use crate::motion::{Body, Motion};
use crate::walker::{LEAST_RADIUS, Walker, WalkerId, check_wish};
use ndarray::Array2;
use wave_core::glam::DVec2;
use xxhash_rust::xxh3::Xxh3;

/// Walkers that keep apart, on a map of walls.
///
/// Each has a wish, the direction in which it wants to go ([`Crowd::set_wish`]); [`Guides`] sets
/// the wishes of walkers that follow waves. In a step, all first choose a velocity: the wished one,
/// slowed by density ([`Pace`](crate::Pace)), bent away from collisions to come (Karamouzas,
/// Skinner and Guy 2014, "Universal power law governing pedestrian interactions"). Then the step
/// moves them, and pushes apart those that overlap (in the manner of position based dynamics: Weiss
/// et al. 2019, "Position-based real-time simulation of large crowds"). Of two that touch, the one
/// that presses gives way to the other, so none is pushed through a queue.
///
/// Walls are hard: nobody's middle is ever in one, and a step leaves no body that overlaps one, but
/// for one that a new wall or [`Crowd::set`] has put there too deep for a single push.
///
/// # The same bits everywhere
/// Sums are taken in the order of (cell, number), so a step has the same result on any number of
/// threads and any machine.
///
/// # Example
/// ```
/// use crowd::{Crowd, CrowdConfig, Walker};
/// use glam::DVec2;
/// use ndarray::Array2;
///
/// // Two walkers that want to pass each other in a passage three cells wide.
/// let mut crowd = Crowd::new(&Array2::from_elem([3, 20], false), CrowdConfig::default())?;
/// let one = crowd.add(Walker { wish: DVec2::X, ..Walker::new(DVec2::new(3.0, 1.0), 0.3, 1.3) })?;
/// let other =
///     crowd.add(Walker { wish: -DVec2::X, ..Walker::new(DVec2::new(17.0, 1.1), 0.3, 1.3) })?;
/// for _ in 0..10 * 60 {
///     crowd.step(1.0 / 60.0)?;
/// }
/// assert!(crowd.walker(one)?.position.x > 14.0 && crowd.walker(other)?.position.x < 6.0);
/// # Ok::<(), crowd::CrowdError>(())
/// ```
///
/// [`Guides`]: crate::Guides
#[derive(Clone, Debug)]
pub struct Crowd {
    config: CrowdConfig,
    ground: Ground,
    motion: Motion,
    /// The place of each walker in the order of bodies, by number; `NONE` for a walker that was
    /// removed.
    places: Vec<u32>,
    steps: u64,
}

const NONE: u32 = u32::MAX;

/// Substeps of a step, at most.
const MOST_SUBSTEPS: f64 = 256.0;

impl Crowd {
    /// A crowd on a map of cells `[y, x]`, `true` for a wall. Beyond the map's edge is wall.
    ///
    /// # Errors
    /// [`CrowdError::Value`], [`CrowdError::Size`].
    pub fn new(walls: &Array2<bool>, config: CrowdConfig) -> Result<Self, CrowdError> {
        config.check()?;
        let ground = Ground::new(walls, &config)?;
        Ok(Self { config, ground, motion: Motion::default(), places: Vec::new(), steps: 0 })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &CrowdConfig {
        &self.config
    }

    /// The walls, `[y, x]`.
    #[must_use]
    pub fn walls(&self) -> &Array2<bool> {
        self.ground.walls()
    }

    /// How many walkers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.motion.bodies.len()
    }

    /// Whether nobody is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.motion.bodies.is_empty()
    }

    /// Adds a walker.
    ///
    /// # Errors
    /// [`CrowdError::Value`], [`CrowdError::OffGrid`], [`CrowdError::InWall`],
    /// [`CrowdError::Full`].
    pub fn add(&mut self, walker: Walker) -> Result<WalkerId, CrowdError> {
        walker.check(self.config.spacing)?;
        self.ground.check(walker.position)?;
        let number = u32::try_from(self.places.len()).ok().filter(|&n| n != NONE);
        let number = number.ok_or(CrowdError::Full)?;
        self.places.push(self.len() as u32);
        self.motion.bodies.push(Body { walker, number, cell: self.ground.cell(walker.position) });
        Ok(WalkerId(number))
    }

    /// Removes a walker and returns it as it was.
    ///
    /// # Errors
    /// [`CrowdError::NoWalker`].
    ///
    /// # Complexity
    /// O(walkers).
    pub fn remove(&mut self, id: WalkerId) -> Result<Walker, CrowdError> {
        let place = self.place(id)?;
        let body = self.motion.bodies.remove(place);
        self.places[id.0 as usize] = NONE;
        self.note_places();
        Ok(body.walker)
    }

    /// A walker.
    ///
    /// # Errors
    /// [`CrowdError::NoWalker`].
    pub fn walker(&self, id: WalkerId) -> Result<&Walker, CrowdError> {
        Ok(&self.motion.bodies[self.place(id)?].walker)
    }

    /// Puts another walker in the place of one, under its name: moves, turns or resizes it.
    ///
    /// # Errors
    /// As [`Crowd::add`], and [`CrowdError::NoWalker`].
    pub fn set(&mut self, id: WalkerId, walker: Walker) -> Result<(), CrowdError> {
        walker.check(self.config.spacing)?;
        self.ground.check(walker.position)?;
        let place = self.place(id)?;
        let cell = self.ground.cell(walker.position);
        self.motion.bodies[place] = Body { walker, number: id.0, cell };
        Ok(())
    }

    /// Where a walker wants to go from now on: see [`Walker::wish`].
    ///
    /// # Errors
    /// [`CrowdError::Value`], [`CrowdError::NoWalker`].
    pub fn set_wish(&mut self, id: WalkerId, wish: DVec2) -> Result<(), CrowdError> {
        check_wish(wish)?;
        let place = self.place(id)?;
        self.motion.bodies[place].walker.wish = wish;
        Ok(())
    }

    /// All walkers, in no particular order.
    #[must_use]
    pub fn walkers(&self) -> impl ExactSizeIterator<Item = (WalkerId, &Walker)> {
        self.motion.bodies.iter().map(|body| (WalkerId(body.number), &body.walker))
    }

    /// Makes cells `[y, x]` walls, or free: all, or none where one is refused. Of several entries
    /// for a cell the last one counts. A body that a new wall overlaps is pushed out by the next
    /// step. Walkers with guides need [`Guides::set_walls`](crate::Guides::set_walls).
    ///
    /// # Errors
    /// [`CrowdError::NoCell`] for a cell outside the map, whatever it would become;
    /// [`CrowdError::Occupied`] where a free cell would become a wall and a walker's middle is in
    /// it, or along each axis closer to it than a hundredth of a cell.
    ///
    /// # Complexity
    /// O(cells log cells + walkers).
    pub fn set_walls(&mut self, cells: &[([usize; 2], bool)]) -> Result<(), CrowdError> {
        for (cell, wall) in self.checked_walls(cells)? {
            self.ground.set(cell, wall);
        }
        Ok(())
    }

    /// The cells that a place lies in or is closer to than `far` cells.
    pub(crate) fn cells_near(&self, place: DVec2, far: f64) -> impl Iterator<Item = [usize; 2]> {
        self.ground.cells_near(place, far)
    }

    /// The same cells once each, in order, if they may be changed so.
    pub(crate) fn checked_walls(
        &self,
        cells: &[([usize; 2], bool)],
    ) -> Result<Vec<([usize; 2], bool)>, CrowdError> {
        for &(cell, _) in cells {
            self.ground.check_cell(cell)?;
        }
        // If a cell has two entries, the last one counts.
        let mut cells: Vec<_> = cells.iter().rev().copied().collect();
        cells.sort_by_key(|one| one.0);
        cells.dedup_by_key(|one| one.0);
        for body in &self.motion.bodies {
            for cell in self.cells_near(body.walker.position, LEAST_RADIUS) {
                if let Ok(n) = cells.binary_search_by_key(&cell, |one| one.0)
                    && cells[n].1
                    && !self.ground.walls()[cell]
                {
                    return Err(CrowdError::Occupied { cell, walker: WalkerId(body.number) });
                }
            }
        }
        Ok(cells)
    }

    /// All walk for `time`.
    ///
    /// It is cut into substeps in which no walker goes further than half of the smallest radius.
    ///
    /// # Errors
    /// [`CrowdError::Value`] where `time` is not finite, neither 0 nor at least 1e-9, or takes more
    /// than 256 substeps.
    ///
    /// # Complexity
    /// O(walkers * walkers within sight) for each substep.
    pub fn step(&mut self, time: f64) -> Result<(), CrowdError> {
        let least = self.motion.bodies.iter().map(|b| b.walker.radius).fold(f64::MAX, f64::min);
        let most = self.motion.bodies.iter().map(|b| b.walker.speed).fold(0.0, f64::max);
        let substeps = (time * most / (0.5 * least)).ceil().max(1.0);
        let limit = "0, or at least 1e-9 and so short that nobody walks further than 128 of the \
                     smallest radius";
        let long = time == 0.0 || time >= 1e-9;
        number("time", time, long && substeps <= MOST_SUBSTEPS, limit)?;
        if time > 0.0 && !self.is_empty() {
            for _ in 0..substeps as usize {
                self.motion.step(&self.ground, &self.config, time / substeps);
            }
            self.note_places();
        }
        self.steps += 1;
        Ok(())
    }

    /// A hash of every bit of every walker, in the order of their numbers, and of the number of
    /// steps.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.steps.to_le_bytes());
        for body in self.places.iter().filter_map(|&place| self.motion.bodies.get(place as usize)) {
            hash.update(&body.number.to_le_bytes());
            let Walker { position, velocity, wish, radius, speed } = body.walker;
            let vectors = [position, velocity, wish].map(|v| v.to_array());
            for value in vectors.as_flattened().iter().chain(&[radius, speed]) {
                hash.update(&value.to_bits().to_le_bytes());
            }
        }
        hash.digest()
    }

    fn place(&self, id: WalkerId) -> Result<usize, CrowdError> {
        let place = self.places.get(id.0 as usize).copied().filter(|&place| place != NONE);
        place.map(|place| place as usize).ok_or(CrowdError::NoWalker(id))
    }

    fn note_places(&mut self) {
        for (place, body) in self.motion.bodies.iter().enumerate() {
            self.places[body.number as usize] = place as u32;
        }
    }
}
