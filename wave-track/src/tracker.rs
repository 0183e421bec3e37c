//! The world of a pursuit: map, target, waves, pursuers.

use crate::compiled::compiled;
use crate::config::{Fronts, Method, TrackerConfig};
use crate::error::TrackError;
use crate::front::TrackerFront;
use crate::ground::{Cells, Ground};
use crate::pursuer::{AT_ONCE, Pursuer, Surroundings};
use crate::schedule::Crowd;
use crate::targets::Targets;
use crate::walls::Standing;
use crate::waves::{Carrier, Scene, Waves};
use wave_core::{Medium, Space, Wave, WaveError};
use xxhash_rust::xxh3::Xxh3;

/// `[units: cells per step]` The fastest pursuer.
const MAX_STRIDE: f64 = 1000.0;

/// `[units: updates]` The cost of a point of a way home that a pursuer looks at, measured.
const POINT: u64 = 600;

/// `[units: updates]` The cost of an edit for every wave on its way, measured: to make it and to
/// take it over.
const EDIT: u64 = 150;

/// For fewer pursuers, waking another thread costs more than it saves: measured on two cores.
#[cfg(feature = "rayon")]
const MANY_PURSUERS: usize = 4096;

/// `[units: time]` The shortest frame: a target's move in it is still a finite velocity.
const LEAST_TIME: f64 = 1e-100;
/// The most steps of the waves at a time within a frame.
const STEPS_AT_ONCE: u64 = 8;

/// Names a pursuer; a tracker never uses one twice, unless it is [reset](Tracker::reset).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PursuerId(u64);

impl PursuerId {
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    #[cfg(feature = "serde")]
    pub(crate) fn of(number: u64) -> Self {
        Self(number)
    }
}

/// Pursuers, a target, and the waves between them.
///
/// One [`Tracker::step`] is one step of the waves, [`Medium::dt`] of time; one [`Tracker::frame`]
/// is one move of the pursuers, with the waves at a cost that the caller sets. Memory: each wave
/// takes 4 bytes a cell, 8 where speeds differ, and 16 for every cell that it is in at the time; on
/// large maps only in [a box around the cells that it comes to](TrackerConfig::narrow_from). It
/// takes one more byte a cell once it was repaired after edits. With
/// [`Fronts::Waves`](crate::Fronts) it takes 12 bytes a cell, and 8 that all waves share; with the
/// published method 16, and 16 that all share.
#[derive(Clone, Debug)]
pub struct Tracker<D: Space> {
    pub(crate) medium: Medium<D>,
    pub(crate) config: TrackerConfig,
    pub(crate) waves: Waves<D>,
    pub(crate) targets: Targets,
    /// The fastest wave speed when the tracker was made.
    pub(crate) fastest: f64,
    /// Sorted by id.
    pub(crate) pursuers: Vec<Pursuer<D>>,
    pub(crate) next_id: u64,
    pub(crate) steps: u64,
    /// Edits of walls and speeds.
    pub(crate) edits: u64,
    /// Counts up whenever ways may have appeared; see [`Scene`].
    pub(crate) era: u64,
    /// The era, and the count of the map's edits, in which pursuers last acted.
    pub(crate) acted: (u64, u64),
    pub(crate) updates: u64,
    /// The cost of edits in the last frame.
    pub(crate) edited: u64,
    pub(crate) frames: u64,
    /// The pursuers as they were counted last.
    pub(crate) crowd: Crowd,
    /// The speed of the fastest pursuer, where it is known.
    pub(crate) top_speed: Option<f64>,
    pub(crate) standing: Standing,
}

/// Checks that positions can tell apart places that are a fraction of [`SKIN`] apart.
pub(crate) fn check_origin<D: Space>(medium: &Medium<D>) -> Result<(), TrackError> {
    let most = 2f64.powi(32) * medium.spacing();
    match D::to_xyz(medium.origin()).into_iter().find(|at| !(-most..=most).contains(at)) {
        Some(value) => {
            Err(TrackError::Value { what: "origin", value, limit: "at most 2^32 cells from 0" })
        }
        None => Ok(()),
    }
}

/// Checks that pursuers find their way through the links of a map, if it has any.
pub(crate) fn check_links<D: Space>(
    medium: &Medium<D>,
    config: &TrackerConfig,
) -> Result<(), TrackError> {
    let knows_links = config.method == Method::Wake && config.fronts == Fronts::ShortWaves;
    if knows_links || !medium.has_links() { Ok(()) } else { Err(WaveError::Links.into()) }
}

/// `[units: world units per time]` The speed of waves in the fastest open cell; if none is open, in
/// the fastest cell that may be opened.
fn fastest_speed<D: Space>(medium: &Medium<D>) -> f64 {
    let fastest = medium.fastest_speed();
    if fastest > 0.0 { fastest } else { medium.fastest_of_all() }
}

impl<D: Space> Tracker<D> {
    /// A tracker without target and pursuers.
    ///
    /// # Errors
    /// [`TrackError::Schedule`]; [`TrackError::Value`] for a setting, and for a map whose origin is
    /// more than 2^32 cells from 0: positions there are too coarse to walk by; [`TrackError::Wave`]
    /// for a map that is too large for dense waves, and, as
    /// [`WaveError::Links`](wave_core::WaveError::Links), for a map with links, unless the method
    /// is [`Method::Wake`] on short waves.
    ///
    /// # Complexity
    /// O(waves * cells).
    pub fn new(medium: Medium<D>, config: TrackerConfig) -> Result<Self, TrackError> {
        let mut tracker = Self {
            waves: Waves::none(),
            fastest: fastest_speed(&medium),
            medium,
            config,
            targets: Targets::default(),
            pursuers: Vec::new(),
            next_id: 0,
            steps: 0,
            edits: 0,
            era: 0,
            acted: (0, 0),
            updates: 0,
            edited: 0,
            frames: 0,
            crowd: Crowd::default(),
            top_speed: None,
            standing: Standing::default(),
        };
        let this = &mut tracker;
        compiled!(D: (this: &mut Tracker<D> = this;) -> Result<(), TrackError> { this.begin() })?;
        Ok(tracker)
    }

    /// Checks map and settings, and makes the waves.
    fn begin(&mut self) -> Result<(), TrackError> {
        self.config.check()?;
        check_origin(&self.medium)?;
        check_links(&self.medium, &self.config)?;
        self.waves = Waves::new(&self.medium, &self.config)?;
        Ok(())
    }

    /// Begins again on the same map: no target, no pursuers, no waves, step 0. Nothing is
    /// allocated.
    pub fn reset(&mut self) {
        self.waves.reset();
        self.targets.clear();
        self.pursuers.clear();
        self.crowd = Crowd::default();
        self.top_speed = None;
        self.standing.asked = 0;
        self.next_id = 0;
        self.steps = 0;
        self.updates = 0;
        self.edited = 0;
        self.frames = 0;
    }

    /// The map.
    #[must_use]
    pub fn medium(&self) -> &Medium<D> {
        &self.medium
    }
    /// The settings.
    #[must_use]
    pub fn config(&self) -> &TrackerConfig {
        &self.config
    }
    /// Steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }
    /// Cells computed so far, counted once a step and wave.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }
    /// `[units: updates]` The cost of the courses that pursuers planned in the last step or frame:
    /// a point of a way that a pursuer looks at takes as long as 600 updates.
    #[must_use]
    pub fn planning_updates(&self) -> u64 {
        POINT * self.crowd.points
    }
    /// `[units: updates]` The cost of the wall edits that waves on their way took over in the last
    /// frame: 150 for each edit and each such wave.
    #[must_use]
    pub fn edit_updates(&self) -> u64 {
        self.edited
    }
    /// Waves emitted so far: the number of the newest one.
    #[must_use]
    pub fn emissions(&self) -> u64 {
        self.waves.newest
    }
    /// `[units: world units]` Where the target is; the first one, if there are several.
    #[must_use]
    pub fn target(&self) -> Option<D::Point> {
        self.targets().next()
    }

    /// `[units: world units]` Where the targets are.
    pub fn targets(&self) -> impl Iterator<Item = D::Point> {
        let ground = Ground::new(&self.medium);
        self.targets.here().iter().map(move |&t| ground.to_world(t))
    }

    /// Places the target, or moves it; other targets are removed.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`].
    pub fn set_target(&mut self, position: impl Into<D::Point>) -> Result<(), TrackError> {
        self.set_targets([position])
    }

    /// Places several targets, or moves them; an empty list removes them. Their waves run as one,
    /// so every pursuer goes for the target whose wave comes first, which is the nearest by travel
    /// time.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`]; the targets then stay as they were.
    pub fn set_targets(
        &mut self,
        positions: impl IntoIterator<Item = impl Into<D::Point>>,
    ) -> Result<(), TrackError> {
        let places: Vec<_> = positions.into_iter().map(|p| D::to_xyz(p.into())).collect();
        compiled!(D: (this: &mut Tracker<D> = self; places: Vec<[f64; 3]>) -> Result<(), TrackError> {
            this.move_targets(&places)
        })
    }

    fn move_targets(&mut self, places: &[[f64; 3]]) -> Result<(), TrackError> {
        let places = places.iter().map(|&place| self.free_place("target", place));
        let places: Vec<Cells> = places.collect::<Result<_, _>>()?;
        // A target that walks keeps its connections; one that jumps may not.
        let ground = Ground::new(&self.medium);
        self.standing.asked = 0;
        let walked = self.targets.move_to(places, |p, q| ground.sees(p, q));
        if !walked {
            self.era += 1;
            self.waves.forget_walked();
        }
        Ok(())
    }

    /// Takes all targets away.
    pub fn clear_target(&mut self) {
        self.standing.asked = 0;
        self.waves.forget_walked();
        self.targets.clear();
    }

    /// The place that a walker comes to from `position` by `step`, sliding along walls: for targets
    /// that walk by the pursuers' rules.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`], [`TrackError::Value`].
    pub fn slide(
        &self,
        position: impl Into<D::Point>,
        step: impl Into<D::Point>,
    ) -> Result<D::Point, TrackError> {
        let (from, step) = (D::to_xyz(position.into()), D::to_xyz(step.into()));
        let to = compiled!(
            D: (this: &Tracker<D> = self; from: [f64; 3], step: [f64; 3])
                -> Result<[f64; 3], TrackError>
            { this.slide_on(from, step) }
        );
        to.map(D::from_xyz)
    }

    fn slide_on(&self, from: [f64; 3], step: [f64; 3]) -> Result<[f64; 3], TrackError> {
        let from = self.free_place("walker", from)?;
        if let Some(&value) = step.iter().find(|s| s.is_nan() || s.abs() > 1e9) {
            return Err(TrackError::Value { what: "step", value, limit: "at most 1e9" });
        }
        let ground = Ground::new(&self.medium);
        let to = std::array::from_fn(|a| from[a] + step[a] / self.medium.spacing());
        Ok(D::to_xyz(ground.to_world(ground.slide(from, to))))
    }

    /// Adds a pursuer that walks at `speed`.
    ///
    /// `speed`:
    /// `[units:
    /// world units per time] [limits: > 0, at most 1000 cells in a step, which is Medium::dt]`.
    ///
    /// # Errors
    /// [`TrackError::OffGrid`], [`TrackError::InWall`], [`TrackError::Value`].
    pub fn add_pursuer(
        &mut self,
        position: impl Into<D::Point>,
        speed: f64,
    ) -> Result<PursuerId, TrackError> {
        let speed = self.checked_speed(speed)?;
        let position = position.into();
        let at = self.checked_place("pursuer", position)?;
        self.standing.asked = 0;
        let id = PursuerId(self.next_id);
        self.next_id += 1;
        self.top_speed = None;
        self.pursuers.push(Pursuer::new(id, at, position, speed));
        Ok(id)
    }

    /// Removes a pursuer and returns it as it stood.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`].
    pub fn remove_pursuer(&mut self, id: PursuerId) -> Result<Pursuer<D>, TrackError> {
        let i = self.find(id)?;
        self.standing.asked = 0;
        self.top_speed = None;
        Ok(self.pursuers.remove(i))
    }

    /// Whether a pursuer may be put somewhere: within the map, in no wall and touching none.
    #[must_use]
    pub fn is_free(&self, position: impl Into<D::Point>) -> bool {
        self.checked_place("pursuer", position.into()).is_ok()
    }

    /// Puts a pursuer elsewhere; it listens again.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`], [`TrackError::OffGrid`], [`TrackError::InWall`].
    pub fn teleport(
        &mut self,
        id: PursuerId,
        position: impl Into<D::Point>,
    ) -> Result<(), TrackError> {
        let i = self.find(id)?;
        let position = position.into();
        let at = self.checked_place("pursuer", position)?;
        self.standing.asked = 0;
        self.pursuers[i].teleport(at, position);
        Ok(())
    }

    /// A pursuer.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`].
    ///
    /// # Complexity
    /// O(log pursuers).
    pub fn pursuer(&self, id: PursuerId) -> Result<&Pursuer<D>, TrackError> {
        Ok(&self.pursuers[self.find(id)?])
    }

    /// All pursuers, oldest first.
    #[must_use]
    pub fn pursuers(&self) -> &[Pursuer<D>] {
        &self.pursuers
    }

    /// The dense waves under [`Method::Published`](crate::Method::Published); else none.
    #[must_use]
    pub fn waves(&self) -> &[Wave<D, f64>] {
        match &self.waves.carrier {
            Carrier::Dense(dense) => &dense.waves,
            Carrier::Fronts(_) => &[],
        }
    }

    /// The fronts under [`Method::Wake`](crate::Method::Wake), the newest first; else none.
    pub fn fronts(&self) -> impl Iterator<Item = &TrackerFront<D>> {
        let fronts = match &self.waves.carrier {
            Carrier::Dense(_) => &[][..],
            Carrier::Fronts(fronts) => fronts,
        };
        let mut order: Vec<usize> = (0..fronts.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.waves.emissions[i].number));
        order.into_iter().map(|i| &fronts[i])
    }

    /// Sets how fast a pursuer walks, in world units per time.
    ///
    /// # Errors
    /// [`TrackError::NoPursuer`], [`TrackError::Value`].
    pub fn set_pursuer_speed(&mut self, id: PursuerId, speed: f64) -> Result<(), TrackError> {
        let i = self.find(id)?;
        self.pursuers[i].speed = self.checked_speed(speed)?;
        self.top_speed = None;
        Ok(())
    }

    /// Sets the wave speed of a cell; see [`Medium::set_speed`].
    ///
    /// # Errors
    /// [`TrackError::Medium`].
    pub fn set_wave_speed(&mut self, cell: D::Cell, speed: f64) -> Result<(), TrackError> {
        self.medium.set_speed(cell, speed)?;
        self.edits += 1;
        Ok(())
    }

    /// One step: waves are emitted where they are due, waves run, pursuers listen and walk.
    ///
    /// # Errors
    /// None that input can cause: all that a wave may refuse was checked before.
    ///
    /// # Complexity
    /// O(cells on the fronts) or, under the published rule, O(waves * cells); O(pursuers). Where
    /// waves are [only for pursuers that listen](TrackerConfig::narrow_from), O(cells) of the wave
    /// before after one fell short, since the next one first comes as far as that.
    pub fn step(&mut self) -> Result<(), TrackError> {
        compiled!(D: (this: &mut Tracker<D> = self;) -> Result<(), TrackError> { this.step_once() })
    }

    fn step_once(&mut self) -> Result<(), TrackError> {
        self.count_crowd();
        self.emit(u64::MAX)?;
        self.updates += self.waves.catch_up(&self.medium)?;
        self.updates += self.waves.step(&self.medium, &self.crowd, 1, u64::MAX)?;
        self.steps += 1;
        let time = self.medium.dt();
        self.targets.pass(time, Ground::new(&self.medium));
        self.each_pursuer(time, None, Pursuer::step);
        Ok(())
    }

    /// One frame of a game: every pursuer walks once, for `time`; then waves run until `updates`
    /// cells have been computed or no pursuer waits for them. Returns the updates spent. They are
    /// no more than `updates`, except that one wave always makes one step if `updates` is not 0. So
    /// that frames take equally long, waves leave up to three quarters of `updates` to [pursuers
    /// that plan new courses](Tracker::planning_updates) and to [edits of
    /// walls](Tracker::edit_updates).
    ///
    /// Pursuers act in this frame by waves that ran in earlier frames: a pursuer that has just been
    /// cut off knows it when the next wave has ended. A pursuer that is on its way listens in every
    /// fourth frame.
    ///
    /// So a frame costs what the caller gives, whatever the map and the target do: the work for an
    /// edit or an unreachable target is spread over the next frames. Around a target that stands,
    /// walls that come and go mostly need no new wave: if there are updates enough, the last one is
    /// [repaired](wave_core::Front::repair) at once. How fast the waves are then depends on the
    /// budget alone: a wave costs 20 updates a cell, so that 10^6 updates a frame carry it over 512
    /// x 512 cells in 6 frames, 21 while courses take all that they may. With
    /// [`Fronts::Waves`](crate::Fronts) a step costs an update for every cell of the map, so a wave
    /// costs as many updates a cell as it takes steps: 1.4 or more for each cell of the longest
    /// way.
    ///
    /// Every pursuer that a way joins to the target hears where the target is before the waves have
    /// spent as much as ten waves take over the whole map. The needs of other pursuers, all
    /// positions and a small budget make no difference. (The longest in 2500 random chases: 9.6.)
    /// So news are at most `4 * 10 * 20 * cells / updates` frames old, with
    /// [`Fronts::Waves`](crate::Fronts) `4 * 10 * steps` divided by the steps that a frame pays
    /// for. Where waves are [only for pursuers that listen](TrackerConfig::narrow_from), some fall
    /// short first, so it is twenty waves in place of ten (the longest in 1250 chases: 13.5).
    ///
    /// Even with an unlimited budget a frame ends: with [`Method::Wake`] fronts stop once no
    /// pursuer waits for them; with [`Method::PerEmission`] and [`Method::Published`] waves take at
    /// most as many steps in a frame as their lifetime has.
    ///
    /// `time`:
    /// `[units: time] [limits: >= 1e-100, no pursuer more than 1000 cells] suggested: 1/60 s`;
    /// `updates`: `[units: cells] suggested: 1 to 5 for every cell of the map`.
    ///
    /// # Errors
    /// [`TrackError::Value`]; nothing has moved then.
    ///
    /// # Complexity
    /// O(updates + pursuers).
    pub fn frame(&mut self, time: f64, updates: u64) -> Result<u64, TrackError> {
        compiled!(
            D: (this: &mut Tracker<D> = self; time: f64, updates: u64) -> Result<u64, TrackError>
            { this.go_on(time, updates) }
        )
    }

    fn go_on(&mut self, time: f64, updates: u64) -> Result<u64, TrackError> {
        let pursuers = &self.pursuers;
        let fastest = || pursuers.iter().fold(0.0, |most: f64, p| most.max(p.speed));
        let stride = self.top_speed.get_or_insert_with(fastest).max(f64::MIN_POSITIVE) * time
            / self.medium.spacing();
        if !(time >= LEAST_TIME && time.is_finite() && stride <= MAX_STRIDE) {
            let limit = ">= 1e-100 and no pursuer more than 1000 cells in that time";
            return Err(TrackError::Value { what: "time", value: time, limit });
        }
        self.frames += 1;
        self.targets.pass(time, Ground::new(&self.medium));
        self.each_pursuer(time, Some(self.frames), Pursuer::step);
        let before = self.updates;
        // Dense waves never end, and per emission one goes out after the other: a frame has at most
        // a lifetime of steps.
        let last_step = match self.config.method {
            Method::Published { .. } | Method::PerEmission => {
                self.steps + u64::from(self.config.fixed_lifetime())
            }
            Method::Wake => u64::MAX,
        };
        let mut asked = false;
        self.edited = EDIT.saturating_mul(self.waves.edits_behind(&self.medium, &self.crowd)?);
        let others = self.planning_updates().saturating_add(self.edited);
        let updates = updates - others.min(updates / 4 * 3);
        loop {
            let left = updates.saturating_sub(self.updates - before);
            if left == 0 || self.steps >= last_step {
                break;
            }
            self.emit(left)?;
            let spent = self.updates - before;
            let left = updates.saturating_sub(spent);
            let a_step = self.waves.cost_of_all(&self.medium, &self.crowd);
            if a_step == 0 {
                // A pursuer that a wave has reached waits for it no longer, and the next one may go
                // out.
                if std::mem::replace(&mut asked, true) {
                    break;
                }
                self.steps += 1;
                self.each_pursuer(time, None, Pursuer::hear);
                continue;
            }
            if 2 * a_step <= left {
                let most = self.waves.steps_between_emissions(&self.config, self.steps);
                let most = most.min(last_step - self.steps);
                let steps = (left / (2 * a_step)).min(STEPS_AT_ONCE).min(most);
                self.updates += self.waves.step(&self.medium, &self.crowd, steps, left)?;
                self.steps += steps;
                if self.waves.is_emitted_on_arrival() {
                    self.each_pursuer(time, None, Pursuer::hear);
                }
                continue;
            }
            // One wave has to go on, however small the budget is.
            let most = if spent == 0 { u64::MAX } else { left };
            let next = self.waves.step_next(&self.medium, &self.crowd, most)?;
            let Some((cost, again)) = next else { break };
            self.updates += cost;
            self.steps += u64::from(again);
        }
        Ok(self.updates - before)
    }

    /// `[units: cells]` The suggested budget of [`Tracker::frame`]: three updates for every open
    /// cell. They carry a wave over the map in 7 frames, in 27 while courses take all that they
    /// may; in 27 frames a target at half a cell a frame goes 13 cells.
    ///
    /// Crowds may need more. In 23,000 open cells of rooms 20 cells wide, 1000 pursuers catch a
    /// target half as fast 1.19 times as late as by a field a frame; with 8 updates a cell 1.03
    /// times as late. In 63,000 cells and more they catch it as early.
    ///
    /// With [`Fronts::Waves`](crate::Fronts) that is at most three steps of a wave, in which it
    /// goes two cells.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn suggested_updates(&self) -> u64 {
        3 * self.medium.open_cells() as u64
    }

    /// Makes the summary of the pursuers for the waves, as they stand now.
    pub(crate) fn count_crowd(&mut self) {
        self.crowd = self.waves.count(&self.pursuers, self.acted.0 == self.era);
    }

    /// Emits the waves that are due, for no more than so many updates.
    fn emit(&mut self, updates: u64) -> Result<(), TrackError> {
        let Self { medium, config, waves, targets, pursuers, era, acted, crowd, .. } = self;
        let (step, edits) = (self.steps, self.edits);
        let (here, turn) = (targets.here(), targets.next_turn());
        let (era, walked) = (*era, targets.walked());
        let scene = Scene {
            medium,
            config,
            step,
            edits,
            era,
            in_this_era: era == acted.0,
            targets: here,
            turn,
            walked,
            pursuers,
            updates,
        };
        let emitted = waves.emit(&scene, crowd)?;
        if emitted.is_new {
            targets.turn();
        }
        self.updates += emitted.updates;
        Ok(())
    }

    /// Does something with all pursuers, some at a time, in a step of `time`, and counts them in
    /// the same pass: to read many pursuers once more would take as long as their steps.
    fn each_pursuer(
        &mut self,
        time: f64,
        turn: Option<u64>,
        act: impl Fn(&mut [Pursuer<D>], &Surroundings<'_, D>) + Send + Sync,
    ) {
        self.standing.asked = 0;
        let Self { medium, config, waves, targets, pursuers, era, acted, crowd, .. } = self;
        let now = (*era, medium.revision());
        let before = std::mem::replace(acted, now);
        let around = Surroundings {
            ground: Ground::new(medium),
            latest_end: waves.latest_end(*era, targets.here()),
            news: waves.news(Ground::new(medium)),
            turn,
            waves,
            config,
            targets,
            fastest: self.fastest,
            stride: time / medium.spacing(),
            time,
            medium,
        };
        let nobody = || around.waves.nobody();
        let each = |some: &mut [Pursuer<D>]| {
            if before != now {
                for pursuer in some.iter_mut() {
                    pursuer.doubt(before.1 != now.1, before.0 != now.0);
                }
            }
            act(some, &around);
            around.waves.count(some, true)
        };
        #[cfg(feature = "rayon")]
        if pursuers.len() >= MANY_PURSUERS {
            use rayon::prelude::*;
            let some = pursuers.par_chunks_mut(AT_ONCE).map(each);
            *crowd = some.reduce(nobody, |all, some| all.join(&some));
            return;
        }
        let some = pursuers.chunks_mut(AT_ONCE).map(each);
        *crowd = some.fold(nobody(), |all, some| all.join(&some));
    }

    /// A hash of pursuers, target and waves: equal for equal bits.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        compiled!(D: (this: &Tracker<D> = self;) -> u64 { this.hash_of_state() })
    }

    fn hash_of_state(&self) -> u64 {
        let mut hash = Xxh3::new();
        let mut add = |value: u64| hash.update(&value.to_le_bytes());
        add(self.steps);
        self.targets.here().iter().flatten().for_each(|v| add(v.to_bits()));
        for p in &self.pursuers {
            add(p.id.0);
            p.at().iter().for_each(|v| add(v.to_bits()));
            add(p.walked.to_bits());
            add(p.hears);
            add(p.state as u64);
            p.crossing_left().into_iter().for_each(|left| add(left.to_bits()));
        }
        self.waves().iter().for_each(|w| add(w.state_hash()));
        self.fronts().for_each(|f| add(f.state_hash()));
        hash.digest()
    }

    pub(crate) fn checked_speed(&self, speed: f64) -> Result<f64, TrackError> {
        let stride = speed * self.medium.dt() / self.medium.spacing();
        if speed > 0.0 && stride <= MAX_STRIDE {
            return Ok(speed);
        }
        let limit = "> 0 and at most 1000 cells a step";
        Err(TrackError::Value { what: "speed", value: speed, limit })
    }

    fn find(&self, id: PursuerId) -> Result<usize, TrackError> {
        self.pursuers.binary_search_by_key(&id, |p| p.id).map_err(|_| TrackError::NoPursuer(id))
    }

    /// [`Tracker::free_place`], compiled here.
    fn checked_place(&self, what: &'static str, position: D::Point) -> Result<Cells, TrackError> {
        let position = D::to_xyz(position);
        compiled!(
            D: (this: &Tracker<D> = self; what: &'static str, position: [f64; 3])
                -> Result<Cells, TrackError>
            { this.free_place(what, position) }
        )
    }

    pub(crate) fn free_place(
        &self,
        what: &'static str,
        position: [f64; 3],
    ) -> Result<Cells, TrackError> {
        Ground::new(&self.medium).free_place(what, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pursuer::Echo;
    use ndarray::{Array, Ix2, Ix3};
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Takes the short paths and the long one in a chase, and counts how often there was a short
    /// path, of each of the two kinds.
    fn compare_paths<D: Space>(
        medium: Medium<D>,
        turns: &[(usize, f64, f64)],
        time: f64,
        taken: &[AtomicUsize; 2],
    ) {
        let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
        let [_, ny, nx] = D::to_size(tracker.medium().shape());
        let cell = |i: usize| D::from_zyx([i / nx / ny, i / nx % ny, i % nx]);
        for &(i, x, _) in turns {
            let _ = tracker.add_pursuer(D::from_xyz(Ground::<D>::middle(cell(i))), 0.1 + x.abs());
        }
        tracker.set_target(tracker.pursuers()[0].position()).unwrap();
        for frame in 0..200 {
            let (i, x, y) = turns[frame / 5];
            let step = D::from_xyz([x * time, y * time, (x - y) * time]);
            let to = tracker.slide(tracker.target().unwrap(), step).unwrap();
            // Later a second one, which a pursuer has with it.
            let targets = [to, tracker.pursuers()[1].position()];
            tracker.set_targets(targets.into_iter().take(1 + frame / 100)).unwrap();
            if frame % 50 == 49 {
                let wall = tracker.medium().is_wall(cell(i));
                let _ = tracker.set_wall(cell(i), !wall);
            }
            tracker.targets.pass(time, Ground::new(&tracker.medium));
            tracker.each_pursuer(time, Some(0), |some, around| {
                let mut echo = Echo::default();
                for p in &*some {
                    let (mut short, mut long) = (p.clone(), p.clone());
                    if short.keeps_on(around) {
                        long.go(around, p.nearest(around));
                        taken[0].fetch_add(1, Ordering::Relaxed);
                    } else if short.stays_close(around, p.nearest(around), &mut echo) {
                        long.listen_in_turn(around);
                        long.go(around, p.nearest(around));
                        taken[1].fetch_add(1, Ordering::Relaxed);
                    }
                    assert_eq!(format!("{short:?}"), format!("{long:?}"));
                }
            });
            tracker.frame(time, 10_000).unwrap();
        }
    }

    /// Pursuers that only go straight on, and those beside a target, take short paths through the
    /// code. The long path gives the same bits.
    #[test]
    fn the_short_paths_are_the_long_one() {
        let any = (
            prop::collection::vec(0.0..1.0f64, 60 * 60),
            prop::collection::vec((0..60 * 60usize, -1.0..1.0f64, -1.0..1.0f64), 40),
            prop::sample::select(vec![1e-7, 0.3, 1.0, 4.0]),
        );
        let taken: [[AtomicUsize; 2]; 3] = Default::default();
        let mut runner = TestRunner::new(ProptestConfig::with_cases(40));
        let all = runner.run(&any, |(cells, turns, time)| {
            let walls = Array::from_iter(cells.iter().map(|&cell| cell < 0.2));
            let flat = walls.clone().into_shape_with_order([60, 60]).unwrap();
            let speeds =
                Array::from_iter(cells.iter().map(|&cell| if cell < 0.6 { 0.3 } else { 0.6 }));
            let speeds = speeds.into_shape_with_order([60, 60]).unwrap();
            let deep = walls.into_shape_with_order([4, 30, 30]).unwrap();
            let medium = || Medium::<Ix2>::builder([60, 60]).walls(&flat);
            compare_paths(medium().build().unwrap(), &turns, time, &taken[0]);
            compare_paths(medium().speeds(&speeds).build().unwrap(), &turns, time, &taken[1]);
            let medium = Medium::<Ix3>::builder([4, 30, 30]).walls(&deep).build().unwrap();
            compare_paths(medium, &turns, time, &taken[2]);
            Ok(())
        });
        all.unwrap();
        let taken = taken.map(|taken| taken.map(AtomicUsize::into_inner));
        assert!(taken.as_flattened().iter().all(|&times| times > 1000), "{taken:?}");
    }
}
