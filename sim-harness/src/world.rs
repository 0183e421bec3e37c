//! The one world loop: a scenario comes as data and adds no branch to it.

use crate::record::{Frame, Recording};
use crate::scenario::{Edit, Scenario, ScenarioError, TrackingRule, Until};
use crate::terrain::Terrain;
use ndarray::{Array, Array3, Axis, Ix2, Ix3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::time::Instant;
use thiserror::Error;
use wave_core::{Medium, Space};
use wave_track::{PursuerState, Rule, Steering, TrackError, Tracker, TrackerConfig};

/// Why a scenario did not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scenario states something that is not possible.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A crate refused what the scenario asks for.
    #[error("{name}: {key}: {source}")]
    Refused {
        /// The scenario.
        name: String,
        /// Where in the file.
        key: String,
        /// What the crate says.
        source: TrackError,
    },
}

/// What came of a run; the keys of `run --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of all that was random.
    pub seed: u64,
    /// Steps until it ended.
    pub steps: u64,
    /// Seconds of wall time.
    pub seconds: f64,
    /// Equal for equal runs, whatever the number of threads.
    pub state_hash: String,
    /// What happened.
    pub outcome: Outcome,
}

/// What happened in a run.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Pursuers that took part.
    pub pursuers: usize,
    /// Pursuers that stood at the target at least once.
    pub arrived: usize,
    /// Pursuers that at the end knew that no way exists.
    pub unreachable: usize,
    /// The step in which the first pursuer arrived.
    pub first_arrival: Option<u64>,
    /// The step in which the last of those that arrived did so first.
    pub last_arrival: Option<u64>,
    /// `[units: world units]` The mean length of the pursuers' ways.
    pub walked_mean: f64,
    /// Cells that did not become walls because somebody stood there.
    pub refused_walls: usize,
    /// Cell updates of all waves.
    pub updates: u64,
}

/// Runs a scenario to its end, in the current rayon pool. `progress` is told of every step. Without
/// `record` the recording holds the last step alone.
///
/// # Errors
/// [`RunError`]; nothing has been written then.
pub fn run(
    scenario: &Scenario,
    seed: Option<u64>,
    record: bool,
    progress: &mut dyn FnMut(u64),
) -> Result<(Summary, Recording), RunError> {
    let terrain = Terrain::new(scenario)?;
    let seed = seed.unwrap_or(scenario.seed);
    if terrain.dimensions == 2 {
        World::<Ix2>::new(scenario, terrain, seed, |a| a.index_axis_move(Axis(0), 0))?
            .run(record, progress)
    } else {
        World::<Ix3>::new(scenario, terrain, seed, |a| a)?.run(record, progress)
    }
}

/// `[units: positions]` The largest recording.
const MAX_RECORDED: u64 = 1 << 26;

struct World<'a, D: Space> {
    scenario: &'a Scenario,
    terrain: Terrain,
    tracker: Tracker<D>,
    rng: ChaCha8Rng,
    seed: u64,
    patrol: Vec<[f64; 3]>,
    next_stop: usize,
    heading: [f64; 3],
    /// The step in which each pursuer first arrived, by its place in the tracker.
    arrivals: Vec<Option<u64>>,
    refused_walls: usize,
}

impl<'a, D: Space> World<'a, D> {
    fn new(
        scenario: &'a Scenario,
        terrain: Terrain,
        seed: u64,
        flatten: impl Fn(Array3<bool>) -> Array<bool, D>,
    ) -> Result<Self, RunError> {
        let refused = |key: &str| {
            let (name, key) = (scenario.file.clone(), key.to_owned());
            move |source: TrackError| RunError::Refused { name, key, source }
        };
        let (depth, height, width) = terrain.walls.dim();
        let walls = flatten(terrain.walls.clone());
        let shape = D::from_zyx([depth, height, width]);
        let mut medium = Medium::<D>::builder(shape)
            .walls(&walls)
            .wall_rule(terrain.wall_rule)
            .spacing(scenario.map.spacing)
            .speed(fastest(scenario, &terrain))
            .build()
            .map_err(|e| refused("map")(e.into()))?;
        if let Some(speeds) = &terrain.speeds {
            for ((z, y, x), &speed) in speeds.indexed_iter() {
                let set = medium.set_speed(D::from_zyx([z, y, x]), speed);
                set.map_err(|e| refused("map.boxes")(e.into()))?;
            }
        }
        let mut tracker = Tracker::new(medium, config(scenario)).map_err(refused("tracking"))?;
        let name = &scenario.file;
        let start = terrain.position(name, "target.start", &scenario.target.start)?;
        tracker.set_target(D::from_xyz(start)).map_err(refused("target.start"))?;
        let patrol = scenario.target.patrol.iter().enumerate();
        let patrol = patrol
            .map(|(i, place)| terrain.position(name, &format!("target.patrol[{i}]"), place))
            .collect::<Result<_, _>>()?;
        for (i, edit) in scenario.edits.iter().enumerate() {
            // Applied when its step comes; refused now if it never can be.
            if let Some(speed) = edit.wave_speed {
                let key = format!("edits[{i}].wave_speed");
                let checked = tracker.medium().check_speed(speed);
                checked.map_err(|e| refused(&key)(e.into()))?;
            }
            let _ = terrain.cells(name, &format!("edits[{i}]"), &edit.from, &edit.to)?;
        }
        Ok(Self {
            scenario,
            terrain,
            tracker,
            rng: ChaCha8Rng::seed_from_u64(seed),
            seed,
            patrol,
            next_stop: 0,
            heading: [0.0; 3],
            arrivals: Vec::new(),
            refused_walls: 0,
        })
    }

    fn run(
        mut self,
        record: bool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(Summary, Recording), RunError> {
        let begin = Instant::now();
        let mut frames = Vec::new();
        if record {
            self.check_recording()?;
        }
        while self.tracker.steps() < self.scenario.steps && !self.is_over() {
            self.enter()?;
            self.edit()?;
            self.move_target()?;
            if record && self.tracker.steps().is_multiple_of(self.scenario.record_every) {
                frames.push(self.frame());
            }
            self.tracker.step().map_err(|e| self.refused("step", e))?;
            let step = self.tracker.steps();
            self.arrivals.resize(self.tracker.pursuers().len(), None);
            for (arrival, pursuer) in self.arrivals.iter_mut().zip(self.tracker.pursuers()) {
                if pursuer.state() == PursuerState::Arrived {
                    arrival.get_or_insert(step);
                }
            }
            progress(step);
        }
        frames.push(self.frame());
        let summary = self.summary(begin.elapsed().as_secs_f64());
        Ok((summary, self.recording(frames)))
    }

    /// A recording is held in memory until the run ends.
    fn check_recording(&self) -> Result<(), RunError> {
        let frames = self.scenario.steps / self.scenario.record_every;
        let crowd: usize = self.scenario.pursuers.iter().map(|g| g.count).sum();
        if frames.saturating_mul(crowd as u64) <= MAX_RECORDED {
            return Ok(());
        }
        Err(RunError::Scenario(ScenarioError::Value {
            name: self.scenario.file.clone(),
            key: "record_every".to_owned(),
            value: self.scenario.record_every.to_string(),
            limit: format!(
                "would record {frames} times {crowd} pursuers, the limit is {MAX_RECORDED}"
            ),
        }))
    }

    fn is_over(&self) -> bool {
        let waiting = self.scenario.pursuers.iter().any(|g| g.enter >= self.tracker.steps());
        let changing = self.scenario.edits.iter().any(|e| e.step >= self.tracker.steps());
        let mut arrivals = self.arrivals.iter().zip(self.tracker.pursuers());
        !waiting
            && match self.scenario.until {
                Until::LastStep => false,
                Until::FirstArrived => arrivals.any(|(a, _)| a.is_some()),
                Until::AllArrived => arrivals.all(|(a, p)| {
                    let hopeless = p.state() == PursuerState::TargetUnreachable && !changing;
                    a.is_some() || hopeless
                }),
            }
    }

    /// Adds the pursuers whose time has come.
    fn enter(&mut self) -> Result<(), RunError> {
        let step = self.tracker.steps();
        for (i, group) in self.scenario.pursuers.iter().enumerate() {
            if group.enter != step {
                continue;
            }
            let key = format!("pursuers[{i}]");
            for _ in 0..group.count {
                let at = match &group.start {
                    Some(place) => {
                        let key = format!("{key}.start");
                        self.terrain.position(&self.scenario.file, &key, place)?
                    }
                    None => self.random_place(&key)?,
                };
                let added = self.tracker.add_pursuer(D::from_xyz(at), group.speed);
                added.map_err(|e| self.refused(&key, e))?;
            }
        }
        Ok(())
    }

    fn random_place(&mut self, key: &str) -> Result<[f64; 3], RunError> {
        let (depth, height, width) = self.terrain.walls.dim();
        for _ in 0..1_000_000 {
            let x = self.rng.random_range(0..width as u64) as usize;
            let y = self.rng.random_range(0..height as u64) as usize;
            let z = self.rng.random_range(0..depth as u64) as usize;
            let cell = D::from_zyx([z, y, x]);
            if !self.tracker.medium().is_wall(cell) {
                return Ok(D::to_xyz(self.tracker.medium().centre(cell)));
            }
        }
        Err(RunError::Scenario(ScenarioError::Value {
            name: self.scenario.file.clone(),
            key: key.to_owned(),
            value: "no start".to_owned(),
            limit: "the map has hardly any free cell for a random start".to_owned(),
        }))
    }

    fn edit(&mut self) -> Result<(), RunError> {
        let step = self.tracker.steps();
        for (i, edit) in self.scenario.edits.iter().enumerate() {
            if edit.step == step {
                self.apply(i, edit)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, i: usize, edit: &Edit) -> Result<(), RunError> {
        let key = format!("edits[{i}]");
        for zyx in self.terrain.cells(&self.scenario.file, &key, &edit.from, &edit.to)? {
            let cell = D::from_zyx(zyx);
            if let Some(speed) = edit.wave_speed {
                self.tracker.set_wave_speed(cell, speed).map_err(|e| self.refused(&key, e))?;
            }
            match edit.wall.map(|wall| self.tracker.set_wall(cell, wall)) {
                Some(Err(TrackError::Occupied { .. })) => self.refused_walls += 1,
                Some(Err(e)) => return Err(self.refused(&key, e)),
                Some(Ok(())) | None => {}
            }
        }
        Ok(())
    }

    /// The target walks by the pursuers' rules: it slides along walls.
    fn move_target(&mut self) -> Result<(), RunError> {
        let target = &self.scenario.target;
        let length = target.speed * self.tracker.medium().dt();
        let Some(at) = self.tracker.target().map(D::to_xyz) else {
            return Ok(());
        };
        if length <= 0.0 {
            return Ok(());
        }
        let step = if let Some(every) = target.wander_every {
            if self.tracker.steps().is_multiple_of(every) {
                self.heading = self.random_heading();
            }
            self.heading.map(|h| h * length)
        } else if let Some(stop) = self.patrol.get(self.next_stop) {
            let way: [f64; 3] = std::array::from_fn(|a| stop[a] - at[a]);
            let far = way.iter().map(|w| w * w).sum::<f64>().sqrt();
            if far <= length {
                self.next_stop = (self.next_stop + 1) % self.patrol.len();
                way
            } else {
                way.map(|w| w * (length / far))
            }
        } else {
            return Ok(());
        };
        let moved = self.tracker.slide(D::from_xyz(at), D::from_xyz(step));
        let moved = moved.map_err(|e| self.refused("target", e))?;
        self.tracker.set_target(moved).map_err(|e| self.refused("target", e))
    }

    /// A unit vector, all directions alike: a random point of the ball, pulled to its surface.
    fn random_heading(&mut self) -> [f64; 3] {
        loop {
            let mut v = [0.0f64; 3];
            v[..D::AXES].fill_with(|| self.rng.random_range(-1.0..1.0));
            let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
            if (0.01..=1.0).contains(&length) {
                return v.map(|c| c / length);
            }
        }
    }

    fn frame(&self) -> Frame {
        let place = |p: D::Point| D::to_xyz(p).map(|v| v as f32);
        Frame {
            step: self.tracker.steps(),
            target: self.tracker.target().map(place),
            pursuers: self
                .tracker
                .pursuers()
                .iter()
                .map(|p| (place(p.position()), p.state()))
                .collect(),
        }
    }

    fn summary(&self, seconds: f64) -> Summary {
        let pursuers = self.tracker.pursuers();
        let walked: f64 = pursuers.iter().map(wave_track::Pursuer::walked).sum();
        let lost = PursuerState::TargetUnreachable;
        Summary {
            scenario: self.scenario.name.clone(),
            seed: self.seed,
            steps: self.tracker.steps(),
            seconds,
            state_hash: format!("{:016x}", self.tracker.content_hash()),
            outcome: Outcome {
                pursuers: pursuers.len(),
                arrived: self.arrivals.iter().flatten().count(),
                unreachable: pursuers.iter().filter(|p| p.state() == lost).count(),
                first_arrival: self.arrivals.iter().flatten().min().copied(),
                last_arrival: self.arrivals.iter().flatten().max().copied(),
                walked_mean: walked / pursuers.len().max(1) as f64,
                refused_walls: self.refused_walls,
                updates: self.tracker.updates(),
            },
        }
    }

    fn recording(self, frames: Vec<Frame>) -> Recording {
        let medium = self.tracker.medium();
        let shape = self.terrain.walls.raw_dim();
        let deep = |values: Vec<f32>| Array3::from_shape_vec(shape, values).ok();
        let all = || {
            (0..shape[0]).flat_map(move |z| {
                (0..shape[1]).flat_map(move |y| (0..shape[2]).map(move |x| [z, y, x]))
            })
        };
        // The wave that got furthest says most about the ground.
        let front = self.tracker.fronts().max_by_key(|f| f.reached_cells());
        let arrivals = front.and_then(|f| deep(f.arrivals().iter().copied().collect()));
        let waves = self.tracker.waves();
        let height = (!waves.is_empty()).then(|| {
            let sum = |cell: [usize; 3]| -> f32 {
                waves.iter().map(|w| w.values()[D::shape(D::from_zyx(cell))]).sum()
            };
            all().map(sum).collect()
        });
        Recording {
            name: self.scenario.name.clone(),
            spacing: medium.spacing(),
            dimensions: self.terrain.dimensions,
            walls: Array3::from_shape_fn(shape, |(z, y, x)| medium.is_wall(D::from_zyx([z, y, x]))),
            slow: Array3::from_shape_fn(shape, |(z, y, x)| {
                let speed = medium.speed(D::from_zyx([z, y, x])).unwrap_or(0.0);
                speed < 0.999 * fastest(self.scenario, &self.terrain)
            }),
            arrivals,
            height: height.and_then(deep),
            slices: self.scenario.slices.clone(),
            frames,
        }
    }

    fn refused(&self, key: &str, source: TrackError) -> RunError {
        RunError::Refused { name: self.scenario.file.clone(), key: key.to_owned(), source }
    }
}

/// The largest wave speed that the scenario ever sets, for which the time step must be stable.
fn fastest(scenario: &Scenario, terrain: &Terrain) -> f64 {
    let edits = scenario.edits.iter().filter_map(|e| e.wave_speed);
    let cells = terrain.speeds.iter().flatten().copied();
    cells.chain(edits).fold(scenario.map.wave_speed, f64::max)
}

fn config(scenario: &Scenario) -> TrackerConfig {
    let tracking = &scenario.tracking;
    let front = |steering| TrackerConfig { rule: Rule::Front { steering }, ..Default::default() };
    let mut config = match tracking.rule {
        TrackingRule::Wake => front(Steering::Wake),
        TrackingRule::PerEmission => front(Steering::PerEmission),
        TrackingRule::Published => TrackerConfig::published(),
    };
    config.waves = tracking.waves.or(config.waves);
    config.lifetime = tracking.lifetime.or(config.lifetime);
    if let (Some(level), Rule::Published { threshold, .. }) = (tracking.threshold, &mut config.rule)
    {
        *threshold = level;
    }
    config
}
