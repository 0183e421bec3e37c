//! The one world loop: a scenario comes as data and adds no branch to it.
//!
//! A frame: members that are due come in; the map changes; evaders move; waves run and lead the
//! members that follow them; pursuers move; then all meetings are found. The mind that the scenario
//! names decides what a group does in its turn; the loop only knows parties.

mod cast;
mod changes;
mod decide;
mod error;
mod flee;
mod footing;
mod formation;
mod live;
mod nav;
mod near;
mod outcome;
mod pack;
mod party;
mod places;
mod stage;
mod stroll;
pub mod terrain;
mod travel;
mod watch;
mod wave;
mod world_led;

pub use cast::{Cast, Doing, Member};
pub use error::{Refusal, RunError};
pub use live::Live;
pub use outcome::{FrameTimes, GroupOutcome, Outcome, Summary};
pub use watch::{End, Moment, Scene, Watch};

use crate::import::Store;
use crate::scenario::{Edit, Move, Scenario, Until, check_edit, check_move, check_stride};
use crate::world::terrain::Terrain;
use changes::Changes;
use footing::Proofs;
use formation::Formation;
use nav::Navs;
use ndarray::{Array, Array3, Axis, Ix3};
use near::Near;
use outcome::Costs;
use party::{Party, of_evaders, of_pursuers};
use places::Places;
use stage::{Stage, fastest};
use std::sync::Arc;
use std::time::Instant;
use wave_core::Space;
use xxhash_rust::xxh3::Xxh3;

/// Runs a scenario to its end, in the current rayon pool. `progress` is told of every frame.
///
/// # Errors
/// [`RunError`].
pub fn run(
    scenario: &Scenario,
    seed: Option<u64>,
    recorder: Option<&mut dyn Watch>,
    progress: &mut dyn FnMut(u64),
) -> Result<Summary, RunError> {
    Runs::of(scenario).run(seed, recorder, progress)
}

/// Runs of one scenario, one after the other or side by side, which share the data that are the
/// same for every seed.
#[derive(Debug)]
pub struct Runs {
    scenario: Arc<Scenario>,
    store: Store,
    navs: Arc<Navs>,
}

impl Runs {
    /// None yet.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        Self { scenario: Arc::new(scenario.clone()), store: Store::Disk, navs: Arc::default() }
    }

    /// The same with the map's file from a store.
    #[must_use]
    pub fn from_store(self, store: &Store) -> Self {
        Self { store: store.clone(), ..self }
    }

    /// Builds the world for a seed and brings in the members that are there from the start, but
    /// does not run it. A scenario that cannot be run is refused here, except for random starts of
    /// members that come later.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn build(&self, seed: Option<u64>) -> Result<(), RunError> {
        self.world(seed)?.enter()
    }

    /// As [`run`].
    ///
    /// # Errors
    /// [`RunError`].
    pub fn run(
        &self,
        seed: Option<u64>,
        recorder: Option<&mut dyn Watch>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Summary, RunError> {
        self.world(seed)?.run(recorder, progress)
    }

    /// The world without its members.
    fn world(&self, seed: Option<u64>) -> Result<Box<dyn Frames>, RunError> {
        let seed = seed.unwrap_or(self.scenario.seed);
        let terrain = Terrain::from_store(&self.scenario, &self.store, seed)?;
        Ok(match terrain.dimensions {
            2 => Box::new(World::new(self, terrain, seed, |a| a.index_axis_move(Axis(0), 0))?),
            _ => Box::new(World::<Ix3>::new(self, terrain, seed, |a| a)?),
        })
    }
}

/// [`World`], whatever its dimension.
trait Frames {
    /// Goes on to the end.
    fn run(
        &mut self,
        recorder: Option<&mut dyn Watch>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Summary, RunError>;
    /// The loop's body.
    fn advance(&mut self) -> Result<(), RunError>;
    fn edit(&mut self, edit: Edit) -> Result<(), RunError>;
    fn put(&mut self, put: Move) -> Result<(), RunError>;
    fn has_entrances(&self) -> bool;
    /// Brings in members whose time has come.
    fn enter(&mut self) -> Result<(), RunError>;
    fn frame(&self) -> u64;
    fn is_over(&self) -> bool;
    fn scene(&self) -> Scene;
    /// Shows the watcher the present.
    fn show(&mut self, watch: &mut dyn Watch) -> Result<(), RunError>;
    fn outcome(&self) -> Outcome;
    fn state_hash(&self) -> u64;
}

struct World<D: Space> {
    scenario: Arc<Scenario>,
    seed: u64,
    stage: Stage<D>,
    cast: Cast,
    /// One for every group of evaders, then one for every group of pursuers.
    parties: Vec<Box<dyn Party<D>>>,
    changes: Changes,
    near: Option<Near>,
    proofs: Option<Proofs>,
    contact_frames: Vec<u64>,
    updates: Costs,
    times: Costs,
}

impl<D: Space<Point: flocking::Vector<Scalar = f64>>> World<D> {
    fn new(
        runs: &Runs,
        terrain: Terrain,
        seed: u64,
        flatten: impl Fn(Array3<bool>) -> Array<bool, D>,
    ) -> Result<Self, RunError> {
        let scenario = &runs.scenario;
        let refused = |key: &str, source| refused(scenario, key, source);
        let stage =
            Stage::new(Arc::clone(scenario), Arc::clone(&runs.navs), terrain, seed, flatten);
        let stage = stage.map_err(|e| refused("map", e))?;
        let changes = Changes::new(scenario, &stage).map_err(|e| refused("edits", e))?;
        let mut parties = Vec::new();
        for (i, group) in scenario.evaders.iter().enumerate() {
            let key = format!("evaders[{i}]");
            check_stride(scenario, &format!("{key}.speed"), group.speed, stage.dt)?;
            parties.push(of_evaders(group, &stage, &key).map_err(|e| refused(&key, e))?);
        }
        for (i, group) in scenario.pursuers.iter().enumerate() {
            let key = format!("pursuers[{i}]");
            check_stride(scenario, &format!("{key}.speed"), group.speed, stage.dt)?;
            parties.push(of_pursuers(group, &stage, &key).map_err(|e| refused(&key, e))?);
        }
        Ok(Self {
            scenario: Arc::clone(scenario),
            seed,
            stage,
            cast: Cast::default(),
            parties,
            changes,
            near: scenario.contact.near.map(Near::new),
            proofs: scenario.map.legs.as_ref().map(|_| Proofs::default()),
            contact_frames: vec![0; scenario.pursuers.len()],
            updates: Costs::default(),
            times: Costs::default(),
        })
    }

    fn summary(&self, seconds: f64) -> Summary {
        let times = self.times.quantiles().unwrap_or_default();
        Summary {
            scenario: self.scenario.name.clone(),
            seed: self.seed,
            steps: self.stage.frame,
            seconds,
            frame_ms: FrameTimes { median: times[0], p99: times[1], max: times[2] },
            state_hash: format!("{:016x}", self.state_hash()),
            outcome: self.outcome(),
        }
    }

    /// When the newest front that got anywhere came to every cell.
    fn arrivals(&self) -> Option<Array3<f32>> {
        let front = self.stage.tracker.fronts().find(|f| f.reached_cells() > 0)?;
        let shape = self.stage.terrain.walls.raw_dim();
        Array3::from_shape_vec(shape, front.arrivals().iter().copied().collect()).ok()
    }

    /// z of all dense waves in every cell, added up.
    fn dense_waves(&self) -> Option<Array3<f32>> {
        let (first, others) = self.stage.tracker.waves().split_first()?;
        let mut sum: Vec<f64> = first.values().iter().copied().collect();
        for wave in others {
            sum.iter_mut().zip(wave.values().iter()).for_each(|(sum, z)| *sum += z);
        }
        let sum = sum.into_iter().map(|z| z as f32).collect();
        Array3::from_shape_vec(self.stage.terrain.walls.raw_dim(), sum).ok()
    }

    fn end(&self) -> End {
        let shape = self.stage.terrain.walls.raw_dim();
        let waves = self.stage.tracker.waves();
        let height = (!waves.is_empty()).then(|| {
            Array3::from_shape_fn(shape, |(z, y, x)| {
                let cell = D::shape(D::from_zyx([z, y, x]));
                waves.iter().map(|w| w.values()[cell.clone()]).sum::<f64>() as f32
            })
        });
        // The wave that got furthest says most about the ground.
        let front = self.stage.tracker.fronts().max_by_key(|f| f.reached_cells());
        let arrivals = front.and_then(|f| {
            Array3::from_shape_vec(shape, f.arrivals().iter().copied().collect()).ok()
        });
        let walls = Array3::from_shape_fn(shape, |(z, y, x)| self.stage.is_solid([z, y, x]));
        End { walls, arrivals, height }
    }
}

impl<D: Space<Point: flocking::Vector<Scalar = f64>>> Frames for World<D> {
    fn run(
        &mut self,
        mut recorder: Option<&mut dyn Watch>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Summary, RunError> {
        let begin = Instant::now();
        let every = self.scenario.record_every;
        while !self.is_over() {
            self.enter()?;
            if let Some(recorder) = recorder.as_deref_mut() {
                if self.stage.frame == 0 {
                    recorder.begin(self.scene());
                }
                if self.stage.frame.is_multiple_of(every) {
                    self.show(recorder)?;
                }
            }
            let start = Instant::now();
            self.advance()?;
            self.times.push(start.elapsed().as_secs_f64() * 1e3);
            progress(self.stage.frame);
        }
        let summary = self.summary(begin.elapsed().as_secs_f64());
        if let Some(recorder) = recorder {
            if self.stage.frame == 0 {
                recorder.begin(self.scene());
            }
            self.show(recorder)?;
            recorder.end(&self.end(), &summary)?;
        }
        Ok(summary)
    }

    fn advance(&mut self) -> Result<(), RunError> {
        let Self { scenario, stage, cast, parties, changes, .. } = self;
        let refused = |key: &str, source| refused(scenario, key, source);
        changes.put(stage, cast, parties).map_err(|e| refused("moves", e))?;
        changes.apply(stage, cast, parties).map_err(|e| refused("edits", e))?;
        let (evaders, pursuers) = parties.split_at_mut(scenario.evaders.len());
        for (i, party) in evaders.iter_mut().enumerate() {
            party.step(stage, cast).map_err(|e| refused(&format!("evaders[{i}]"), e))?;
        }
        let updates = stage.run_waves(cast).map_err(|e| refused("tracking", e))?;
        for (i, party) in pursuers.iter_mut().enumerate() {
            party.step(stage, cast).map_err(|e| refused(&format!("pursuers[{i}]"), e))?;
        }
        stage.frame += 1;
        cast.meet(scenario.contact.reach, stage.frame);
        for pursuer in cast.pursuers.iter().filter(|p| p.contact) {
            self.contact_frames[pursuer.group] += 1;
        }
        self.updates.push(updates as f64);
        Ok(())
    }

    fn edit(&mut self, edit: Edit) -> Result<(), RunError> {
        let key = format!("edits[{}]", self.changes.edits());
        if self.scenario.map.legs.is_some() {
            // A scenario with such a map and with edits is refused in the same way.
            let limit = "must be left out on a map with map.legs";
            return Err(self.scenario.origin.refuse(&key, "a change", limit).into());
        }
        check_edit(&self.scenario, &key, &edit)?;
        let planned = self.changes.plan(&self.stage, edit);
        planned.map_err(|e| refused(&self.scenario, "edits", e))
    }

    fn put(&mut self, put: Move) -> Result<(), RunError> {
        let key = format!("moves[{}]", self.changes.moves());
        check_move(&self.scenario, &key, &put)?;
        let to = format!("{key}.to");
        let at = self.stage.free_position(&to, &put.to)?;
        if !self.stage.tracker.is_free(D::from_xyz(at)) {
            return Err(self.scenario.origin.refuse(&to, &put.to, "touches a wall").into());
        }
        self.changes.plan_move(put, at);
        Ok(())
    }

    fn has_entrances(&self) -> bool {
        self.scenario.pursuers.iter().any(|group| group.enter == self.stage.frame)
    }

    fn enter(&mut self) -> Result<(), RunError> {
        let Self { scenario, stage, cast, parties, near, proofs, .. } = self;
        let (frame, before) = (stage.frame, cast.pursuers.len());
        let evaders = scenario.evaders.iter().map(|g| (g.start.as_ref(), 0.0, g.count, 0));
        let pursuers =
            scenario.pursuers.iter().map(|g| (g.start.as_ref(), g.spread, g.count, g.enter));
        for (i, (start, spread, count, due)) in evaders.chain(pursuers).enumerate() {
            if due != frame {
                continue;
            }
            let pursues = i.checked_sub(scenario.evaders.len());
            let (crowd, group, role) = match pursues {
                None => (&mut cast.evaders, i, "evaders"),
                Some(group) => (&mut cast.pursuers, group, "pursuers"),
            };
            let key = format!("{role}[{group}]");
            let start_key = format!("{key}.start");
            let start = start.map(|place| stage.free_position(&start_key, place)).transpose()?;
            let mut places = Places::new(start.map(|at| (at, spread)), &key);
            for _ in 0..count {
                let at = match start {
                    Some(at) if spread == 0.0 => at,
                    _ => places.draw(stage)?,
                };
                crowd.push(Member::new(at, group));
                let (member, me) = (crowd.len() - 1, &crowd[crowd.len() - 1]);
                let entered = parties[i].enter(stage, member, me);
                entered.map_err(|e| refused(scenario, &key, e))?;
            }
        }
        if let Some(near) = near.as_mut().filter(|_| before < cast.pursuers.len()) {
            near.look(stage, cast, before).map_err(|e| refused(scenario, "contact.near", e))?;
        }
        if let Some(proofs) = proofs {
            proofs.look(stage, cast, before).map_err(|e| refused(scenario, "map.legs", e))?;
        }
        Ok(())
    }

    fn frame(&self) -> u64 {
        self.stage.frame
    }

    fn is_over(&self) -> bool {
        let frame = self.stage.frame;
        if frame >= self.scenario.steps {
            return true;
        }
        let waiting = self.scenario.pursuers.iter().any(|g| g.enter >= frame);
        let mut pursuers = self.cast.pursuers.iter();
        let mut evaders = self.cast.evaders.iter();
        match self.scenario.until {
            Until::LastStep => false,
            Until::Frame(last) => frame >= last,
            Until::FirstArrived => pursuers.any(|p| p.met.is_some()),
            Until::AllArrived => {
                let changing = self.changes.is_due_from(frame, &self.scenario);
                let done =
                    |p: &Member| p.met.is_some() || p.doing == Doing::Unreachable && !changing;
                !waiting && pursuers.all(done)
            }
            Until::EvadersHome => {
                let has_goal = |e: &Member| self.parties[e.group].has_goals();
                let is_done = |e: &Member| e.doing == Doing::Home || !has_goal(e);
                frame > 0 && self.cast.evaders.iter().any(has_goal) && evaders.all(is_done)
            }
        }
    }

    fn outcome(&self) -> Outcome {
        let Cast { evaders, pursuers } = &self.cast;
        let met = || pursuers.iter().filter_map(|p| p.met);
        let walked = |members: &[Member]| {
            // A sum of nothing is -0.
            let all = members.iter().fold(0.0, |sum, m| sum + m.walked);
            all / members.len().max(1) as f64
        };
        let mut outcome = Outcome {
            pursuers: pursuers.len(),
            arrived: met().count(),
            unreachable: pursuers.iter().filter(|p| p.doing == Doing::Unreachable).count(),
            first_arrival: met().min(),
            last_arrival: met().max(),
            walked_mean: walked(pursuers),
            evaders: evaders.len(),
            caught: evaders.iter().filter(|e| e.met.is_some()).count(),
            evader_walked: walked(evaders),
            updates: self.stage.tracker.updates(),
            ..Outcome::of(&self.scenario)
        };
        for (i, group) in self.scenario.pursuers.iter().enumerate() {
            let name = group.name(i);
            let total = outcome.groups.entry(name).or_default();
            for member in pursuers.iter().filter(|p| p.group == i) {
                total.pursuers += 1;
                total.arrived += usize::from(member.met.is_some());
                total.first_arrival = total.first_arrival.into_iter().chain(member.met).min();
            }
            total.contact_frames += self.contact_frames[i];
        }
        let spread = self.updates.quantiles().filter(|[median, ..]| *median > 0.0);
        outcome.updates_spread = spread.map(|[median, p99, _]| p99 / median);
        self.changes.tell(&mut outcome);
        if let Some(near) = &self.near {
            near.tell(&self.cast, &mut outcome);
        }
        if let Some(proofs) = &self.proofs {
            proofs.tell(&self.cast, &mut outcome);
        }
        let end = outcome.first_arrival.unwrap_or(self.stage.frame);
        let mut formation = Formation::default();
        for party in &self.parties {
            party.tell(&self.stage, &mut outcome);
            formation = formation.and(&party.formation(end));
        }
        outcome.spacing = formation.spacing();
        outcome.alignment = formation.alignment();
        outcome.files = formation.files();
        outcome
    }

    fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.stage.frame.to_le_bytes());
        hash.update(&self.stage.tracker.state_hash().to_le_bytes());
        for member in self.cast.evaders.iter().chain(&self.cast.pursuers) {
            member.position.iter().for_each(|v| hash.update(&v.to_bits().to_le_bytes()));
            hash.update(&member.walked.to_bits().to_le_bytes());
            hash.update(&[member.doing as u8, u8::from(member.contact)]);
        }
        for party in &self.parties {
            party.hash(&mut hash);
        }
        hash.digest()
    }

    fn scene(&self) -> Scene {
        let medium = self.stage.tracker.medium();
        let shape = self.stage.terrain.walls.raw_dim();
        let fastest = fastest(&self.scenario, &self.stage.terrain);
        let mut ways = Vec::new();
        for party in &self.parties {
            party.ways(&mut |way, jump| ways.push((way, jump)));
        }
        Scene {
            name: self.scenario.name.clone(),
            question: self.scenario.question.clone(),
            dimensions: self.stage.terrain.dimensions,
            spacing: medium.spacing(),
            dt: self.stage.dt,
            walls: Array3::from_shape_fn(shape, |(z, y, x)| self.stage.is_solid([z, y, x])),
            slow: Array3::from_shape_fn(shape, |(z, y, x)| {
                medium.speed(D::from_zyx([z, y, x])).unwrap_or(0.0) < 0.999 * fastest
            }),
            heights: self.stage.terrain.heights.clone(),
            slices: self.scenario.slices.clone(),
            evaders: self.cast.evaders.len(),
            places: self.stage.terrain.places(&self.scenario),
            ways,
        }
    }

    fn show(&mut self, recorder: &mut dyn Watch) -> Result<(), RunError> {
        let contacts = self.cast.pursuers.iter().filter(|p| p.contact).count();
        let mut gauges = vec![("in contact".to_owned(), contacts as f64)];
        let Scenario { evaders, pursuers, .. } = &*self.scenario;
        for (i, party) in self.parties.iter().enumerate() {
            // Several groups may have the same figures.
            let group = match i.checked_sub(evaders.len()) {
                None if evaders.len() > 1 => format!(" (evaders {i})"),
                Some(i) if pursuers.len() > 1 => format!(" ({})", pursuers[i].name(i)),
                _ => String::new(),
            };
            party.gauges(&mut |name, value| gauges.push((format!("{name}{group}"), value)));
        }
        // A cut-off evader has no distance to its goal.
        gauges.retain(|(_, value)| value.is_finite());
        let mut why = Vec::new();
        for (i, evader) in self.cast.evaders.iter().enumerate() {
            why.extend(self.parties[evader.group].explain(i).map(|text| (i, text)));
        }
        let moment = Moment {
            step: self.stage.frame,
            cast: &self.cast,
            edits: self.changes.since_last(),
            gauges: &gauges,
            why: &why,
        };
        if recorder.show(&moment)? {
            if let Some(arrivals) = self.arrivals() {
                recorder.wave(self.stage.frame, &arrivals);
            }
            if let Some(z) = self.dense_waves() {
                recorder.dense_waves(self.stage.frame, &z);
            }
            let mut names = Vec::new();
            for party in &self.parties {
                party.layers(&mut |name, values| {
                    if !names.contains(&name) {
                        names.push(name);
                        recorder.layer(self.stage.frame, name, values);
                    }
                });
            }
        }
        self.changes.forget();
        Ok(())
    }
}

fn refused(scenario: &Scenario, key: &str, source: Refusal) -> RunError {
    match source {
        Refusal::Scenario(error) => RunError::Scenario(error),
        Refusal::At { key, source } => refused(scenario, &key, *source),
        source => RunError::Refused {
            file: scenario.origin.of(key),
            key: key.to_owned(),
            source: Box::new(source),
        },
    }
}
