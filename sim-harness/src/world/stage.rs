//! The stage that all parties share: the map, its waves, the clock, the dice.

use super::cast::{Cast, distance};
use super::error::Refusal;
use super::footing::Footing;
use super::nav::Navs;
use crate::scenario::{Place, Scenario, ScenarioError};
use crate::world::terrain::Terrain;
use ndarray::{Array, Array3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use wave_core::{Link, Medium, MediumError, Space};
use wave_track::{TrackError, Tracker, TrackerConfig};

/// The stage that all parties share.
pub(super) struct Stage<D: Space> {
    pub(super) scenario: Arc<Scenario>,
    pub(super) terrain: Terrain,
    pub(super) navs: Arc<Navs>,
    /// Where waves keep to the ground.
    pub(super) footing: Option<Arc<Footing>>,
    pub(super) tracker: Tracker<D>,
    pub(super) rng: ChaCha8Rng,
    /// Frames done.
    pub(super) frame: u64,
    /// `[units: time]` The length of a frame.
    pub(super) dt: f64,
}

impl<D: Space> Stage<D> {
    pub(super) fn new(
        scenario: Arc<Scenario>,
        navs: Arc<Navs>,
        terrain: Terrain,
        seed: u64,
        flatten: impl Fn(Array3<bool>) -> Array<bool, D>,
    ) -> Result<Self, Refusal> {
        let (depth, height, width) = terrain.walls.dim();
        let walls = flatten(terrain.walls.clone());
        // The fastest speed that is ever set says how long a step is.
        let fastest = fastest(&scenario, &terrain);
        let builder = Medium::<D>::builder(D::from_zyx([depth, height, width]));
        let builder = scenario.tracking.medium(builder);
        let config = config(&scenario);
        let legs = scenario.map.legs.as_ref();
        let footing = legs.map(|legs| navs.footing(&scenario, &terrain, legs, fastest));
        let footing = footing.transpose().map_err(Refusal::at("map.legs"))?;
        let named = |link: &Link<[usize; 3]>| Link {
            from: D::from_zyx(link.from),
            to: D::from_zyx(link.to),
            time: link.time,
        };
        let links = footing.iter().flat_map(|footing| &footing.links);
        let links: Vec<_> = links.map(named).collect();
        let mut medium = builder
            .links(&links)
            .walls(&walls)
            .wall_rule(terrain.wall_rule)
            .spacing(scenario.map.spacing)
            .speed(fastest)
            .build()?;
        for ((z, y, x), _) in terrain.walls.indexed_iter() {
            let speeds = terrain.speeds.as_ref();
            let speed = speeds.map_or(scenario.map.wave_speed, |speeds| speeds[[z, y, x]]);
            if speed != fastest {
                medium.set_speed(D::from_zyx([z, y, x]), speed)?;
            }
        }
        let tracker = Tracker::new(medium, config).map_err(Refusal::at("tracking"))?;
        let dt = scenario.pace.frame.unwrap_or(tracker.medium().dt());
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Ok(Self { scenario, terrain, navs, footing, tracker, rng, frame: 0, dt })
    }

    /// Runs the waves for a frame; members that follow them walk. Returns the cost in cell updates.
    pub(super) fn run_waves(&mut self, cast: &Cast) -> Result<u64, Refusal> {
        if self.tracker.pursuers().is_empty() {
            return Ok(0);
        }
        self.tracker.set_targets(cast.evaders.iter().map(|e| D::from_xyz(e.position)))?;
        let before = self.tracker.updates();
        match self.scenario.pace.updates {
            Some(updates) => {
                self.tracker.frame(self.dt, updates)?;
            }
            None => self.tracker.step()?,
        }
        Ok(self.tracker.updates() - before
            + self.tracker.planning_updates()
            + self.tracker.edit_updates())
    }

    /// The ground for members that areas do not slow: its walls, and a wave speed of 1.
    pub(super) fn even_ground(&self) -> Result<Medium<D>, MediumError> {
        let medium = self.tracker.medium();
        let walls = medium.walls();
        let even = Medium::builder(medium.shape()).walls(&walls);
        even.spacing(medium.spacing()).origin(medium.origin()).build()
    }

    /// `[units: world units]` The position `[x, y, z]` that `place` names, and its cell
    /// `[z, y, x]`; refused outside the map.
    pub(super) fn position_in_map(
        &self,
        key: &str,
        place: &Place,
    ) -> Result<([f64; 3], [usize; 3]), ScenarioError> {
        let at = self.terrain.position(&self.scenario.origin, key, place)?;
        let outside = || {
            let cells = self.terrain.cells_in_words();
            let spacing = self.scenario.map.spacing;
            let apart = if spacing == 1.0 {
                String::new()
            } else {
                format!(", {spacing:?} world units apart")
            };
            self.scenario.origin.refuse(key, place, format!("is outside {cells}{apart}"))
        };
        Ok((at, self.cell(at).ok_or_else(outside)?))
    }

    /// The same on the ground; refused where no member can stand.
    pub(super) fn free_position(
        &self,
        key: &str,
        place: &Place,
    ) -> Result<[f64; 3], ScenarioError> {
        let (at, cell) = self.position_in_map(key, place)?;
        if self.is_wall(cell) {
            return Err(self.scenario.origin.refuse(key, place, "is in a wall"));
        }
        Ok(self.terrain.on_ground(at))
    }

    /// The cell `[z, y, x]` of a position in the map.
    pub(super) fn cell(&self, position: [f64; 3]) -> Option<[usize; 3]> {
        self.tracker.medium().cell_at(D::from_xyz(position)).map(D::to_zyx)
    }

    pub(super) fn is_wall(&self, cell: [usize; 3]) -> bool {
        self.tracker.medium().is_wall(D::from_zyx(cell))
    }

    /// Whether a cell is filled: where waves keep to the ground, those in the air are not.
    pub(super) fn is_solid(&self, cell: [usize; 3]) -> bool {
        let in_the_air = self.terrain.walls[cell]
            && self.terrain.solid.as_ref().is_some_and(|solid| !solid[cell]);
        self.is_wall(cell) && !in_the_air
    }

    /// A random cell `[z, y, x]`.
    pub(super) fn random_cell(&mut self) -> [usize; 3] {
        let (depth, height, width) = self.terrain.walls.dim();
        // x first, as always: the meaning of a seed depends on the order.
        let x = self.rng.random_range(0..width as u64) as usize;
        let y = self.rng.random_range(0..height as u64) as usize;
        let z = self.rng.random_range(0..depth as u64) as usize;
        [z, y, x]
    }

    /// `[units: world units]` The centre `[x, y, z]` of a cell `[z, y, x]`.
    pub(super) fn centre(&self, cell: [usize; 3]) -> [f64; 3] {
        self.place(self.tracker.medium().centre(D::from_zyx(cell)))
    }

    /// `[units: world units]` A point of the waves' medium as `[x, y, z]`, on the ground.
    pub(super) fn place(&self, point: D::Point) -> [f64; 3] {
        self.terrain.on_ground(D::to_xyz(point))
    }

    /// A unit vector, all directions alike: a random point of the ball, pulled to its surface.
    pub(super) fn random_heading(&mut self) -> [f64; 3] {
        loop {
            let mut v = [0.0f64; 3];
            v[..D::AXES].fill_with(|| self.rng.random_range(-1.0..1.0));
            let length = distance(v, [0.0; 3]);
            if (0.01..=1.0).contains(&length) {
                return v.map(|c| c / length);
            }
        }
    }

    /// The place that a walker comes to by `step`, sliding along walls.
    pub(super) fn slide(&self, from: [f64; 3], step: [f64; 3]) -> Result<[f64; 3], TrackError> {
        self.tracker.slide(D::from_xyz(from), D::from_xyz(step)).map(|to| self.place(to))
    }

    /// Marks the cells in which these places lie, or within a tenth of a cell of them.
    pub(super) fn mark_occupied(
        &self,
        places: impl Iterator<Item = [f64; 3]>,
        cells: &mut Array3<bool>,
    ) {
        let (reach, spacing) = (0.6, self.tracker.medium().spacing());
        match cells.as_slice_mut() {
            // A slice is filled by whole words.
            Some(slice) if slice.len() == self.terrain.walls.len() => slice.fill(false),
            _ => *cells = Array3::from_elem(self.terrain.walls.raw_dim(), false),
        }
        for place in places {
            // At most two cells along each axis, since twice the reach is less than two: the first
            // and the last. Casts round down; calling the library's `ceil` for all members would
            // take time.
            let mut ends = [[0; 2]; 3];
            for (ends, v) in ends.iter_mut().zip(place).take(D::AXES) {
                let (low, high) = ((v / spacing - reach).max(0.0), (v / spacing + reach).max(0.0));
                let first = low as u32;
                *ends = [first.saturating_add(u32::from(f64::from(first) < low)), high as u32];
            }
            for corner in 0..1usize << D::AXES {
                let [x, y, z] = [0, 1, 2].map(|a: usize| ends[a][corner >> a & 1] as usize);
                // Beyond the map's edge there is nothing to build on.
                cells.get_mut([z, y, x]).into_iter().for_each(|cell| *cell = true);
            }
        }
    }
}

/// The largest wave speed that the scenario ever sets, for which the time step must be stable.
pub(super) fn fastest(scenario: &Scenario, terrain: &Terrain) -> f64 {
    let edits = scenario.edits.iter().filter_map(|e| e.wave_speed);
    let cells = terrain.speeds.iter().flatten().copied();
    cells.chain(edits).fold(scenario.map.wave_speed, f64::max)
}

fn config(scenario: &Scenario) -> TrackerConfig {
    let mut config = scenario.tracking.config();
    if scenario.tracking.rule.is_published() {
        // A member that stands still because it has arrived has met its target.
        let reach = scenario.contact.reach / scenario.map.spacing;
        config.arrival_range = config.arrival_range.min(reach);
    }
    config
}
