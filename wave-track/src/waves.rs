//! The waves that all pursuers share, and when they are emitted.

use crate::audience::{self, EVERYWHERE};
use crate::config::{Direction, MAX_WAVES, Method, Sampling, Schedule, TrackerConfig};
use crate::course::Wake;
use crate::error::TrackError;
use crate::front::TrackerFront;
use crate::ground::{Cells, Ground};
use crate::pursuer::{Pursuer, PursuerState};
use crate::schedule::{self, Crowd};
use arrayvec::ArrayVec;
use wave_core::{Medium, Source, Space, Wave, WaveError};

/// The carrier of the waves: dense waves or fronts.
#[derive(Clone, Debug)]
pub(crate) enum Carrier<D: Space> {
    Dense(Dense<D>),
    Fronts(Vec<TrackerFront<D>>),
}

/// Waves as published, and how they are used.
#[derive(Clone, Debug)]
pub(crate) struct Dense<D: Space> {
    pub(crate) waves: Vec<Wave<D, f64>>,
    pub(crate) source: Source,
    pub(crate) threshold: f64,
    pub(crate) schedule: Schedule,
    pub(crate) direction: Direction,
    pub(crate) sampling: Sampling,
}

/// The emission of a wave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emission {
    /// Emissions count from 1; 0 is a wave that was never emitted.
    pub(crate) number: u64,
    /// How often the wave was repaired, and given the next number.
    pub(crate) repairs: u64,
    /// Where the targets then were, in cells.
    pub(crate) sources: Vec<Cells>,
    /// The turn of the targets' trails at which it was emitted.
    pub(crate) turn: u64,
    /// The [`Scene::era`] for which the wave's end, or its arrivals, hold.
    pub(crate) era: u64,
    /// [How far](crate::targets::Targets::walked) the targets had walked; `None` if a way has
    /// appeared since.
    pub(crate) walked: Option<f64>,
    /// `[units: steps]` How far it runs, `None` without a limit.
    pub(crate) range: Option<u64>,
    /// How many waves before it fell short for pursuers that still listen.
    pub(crate) tries: u8,
}

impl Emission {
    /// The number of steps that it may still take.
    fn steps_left<D: Space>(&self, front: &TrackerFront<D>) -> u64 {
        if self.number == 0 || front.has_ended() {
            return 0;
        }
        self.range.map_or(u64::MAX, |range| range.saturating_sub(front.steps()))
    }
}

/// The surroundings of the waves, as they are now.
pub(crate) struct Scene<'a, D: Space> {
    pub(crate) medium: &'a Medium<D>,
    pub(crate) config: &'a TrackerConfig,
    pub(crate) step: u64,
    /// Edits of walls and speeds so far.
    pub(crate) edits: u64,
    /// Counts up whenever ways may have appeared: a cell was freed, or a target jumped.
    pub(crate) era: u64,
    /// Whether the pursuers have acted in this era.
    pub(crate) in_this_era: bool,
    pub(crate) targets: &'a [Cells],
    /// The turn of the targets' trails that a wave emitted now begins at.
    pub(crate) turn: u64,
    /// `[units: cells]` How far the targets have walked.
    pub(crate) walked: f64,
    pub(crate) pursuers: &'a [Pursuer<D>],
    /// `[units: updates]` The budget.
    pub(crate) updates: u64,
}

impl<D: Space> Scene<'_, D> {
    /// Whether a pursuer knows that no way leads to a target: waves are not for it.
    pub(crate) fn counts_out(&self, pursuer: &Pursuer<D>) -> bool {
        self.in_this_era && pursuer.is_cut_off()
    }
}

/// Whether a wave was emitted, and the updates that were spent on a repair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emitted {
    pub(crate) is_new: bool,
    pub(crate) updates: u64,
}

/// How far the waves have come, to tell at little cost which pursuers they cannot have reached.
pub(crate) struct News {
    /// The newest first; none where this cannot be told.
    waves: ArrayVec<Progress, MAX_WAVES>,
    steps_per_cell: f64,
}

struct Progress {
    number: u64,
    /// `[units: steps]` Infinite for a wave that has ended.
    steps: f64,
    /// See [`Emission::walked`].
    walked: Option<f64>,
}

/// How much earlier than by the shortest way a wave may be: a part of the time, and a number of
/// steps. Times are those of the cells' middles, and waves are not exact.
const EARLY: f64 = 0.05;
const EARLY_STEPS: f64 = 8.0;

impl News {
    /// Whether a wave newer than emission `heard` may have come to a pursuer that heard that one
    /// `away` steps after it went out and has `gone` so many cells since. A newer one takes less
    /// time only by that way and by the way of the targets in between, unless ways have appeared.
    #[inline]
    pub(crate) fn may_be_at(&self, heard: u64, away: f64, gone: f64) -> bool {
        let Some(known) = self.waves.iter().position(|wave| wave.number == heard) else {
            return true;
        };
        let Some(walked) = self.waves[known].walked else { return true };
        let least = (1.0 - EARLY) * away - EARLY_STEPS;
        self.waves[..known].iter().any(|wave| {
            let nearer = |more| self.steps_per_cell * (gone + more - walked);
            wave.walked.is_none_or(|more| wave.steps >= least - nearer(more))
        })
    }
}

/// The plan of an emission: its slot, its range and its tries.
type Due = (usize, Option<u64>, u8);

#[derive(Clone, Debug)]
pub(crate) struct Waves<D: Space> {
    pub(crate) carrier: Carrier<D>,
    pub(crate) emissions: Vec<Emission>,
    /// The waves that were emitted, the newest first.
    pub(crate) order: Vec<usize>,
    pub(crate) newest: u64,
    /// Step of the newest emission, and the map's edit count at that time.
    pub(crate) emitted: Option<(u64, u64)>,
    /// The wave whose turn it is to step where the budget is not enough for all.
    pub(crate) turn: usize,
    /// The targets' cells, now and at the newest emission of a front.
    cells: Vec<D::Cell>,
    pub(crate) emitted_cells: Vec<D::Cell>,
}

impl<D: Space> Waves<D> {
    pub(crate) fn new(medium: &Medium<D>, config: &TrackerConfig) -> Result<Self, WaveError> {
        let n = config.wave_count();
        let carrier = match config.method {
            Method::Published { threshold, source, schedule, direction, sampling } => {
                let waves = vec![Wave::typed(medium)?; n];
                Carrier::Dense(Dense { waves, source, threshold, schedule, direction, sampling })
            }
            Method::Wake | Method::PerEmission => {
                Carrier::Fronts(vec![TrackerFront::new(medium, config.fronts)?; n])
            }
        };
        Ok(Self::with(carrier, n))
    }

    /// No waves at all.
    pub(crate) fn none() -> Self {
        Self::with(Carrier::Fronts(Vec::new()), 0)
    }

    /// So many waves, none of them emitted.
    pub(crate) fn with(carrier: Carrier<D>, n: usize) -> Self {
        Self {
            carrier,
            emissions: vec![Emission::default(); n],
            order: Vec::with_capacity(n),
            newest: 0,
            emitted: None,
            turn: 0,
            cells: Vec::new(),
            emitted_cells: Vec::new(),
        }
    }

    pub(crate) fn reset(&mut self) {
        match &mut self.carrier {
            Carrier::Dense(dense) => dense.waves.iter_mut().for_each(Wave::clear),
            Carrier::Fronts(fronts) => fronts.iter_mut().for_each(TrackerFront::clear),
        }
        self.forget_walked();
        for emission in &mut self.emissions {
            (emission.number, emission.repairs) = (0, 0);
            emission.sources.clear();
        }
        self.order.clear();
        self.newest = 0;
        self.turn = 0;
        self.emitted = None;
    }

    /// Emits the waves that are due, from where the targets then are.
    pub(crate) fn emit(
        &mut self,
        scene: &Scene<'_, D>,
        crowd: &Crowd,
    ) -> Result<Emitted, TrackError> {
        self.cells.clear();
        self.cells.extend(scene.targets.iter().map(|&t| Ground::<D>::cell(t)));
        let (repaired, updates) = self.repair(scene, crowd)?;
        if let Some(slot) = repaired {
            self.emitted = Some((scene.step, scene.edits));
            self.newest += 1;
            let emission = &mut self.emissions[slot];
            (emission.number, emission.era) = (self.newest, scene.era);
            emission.repairs += 1;
            emission.walked = Some(scene.walked);
            return Ok(Emitted { is_new: false, updates });
        }
        let due = match &mut self.carrier {
            Carrier::Dense(_) => self.emit_dense(scene, crowd)?,
            Carrier::Fronts(_) => self.emit_front(scene, crowd)?,
        };
        let Some((slot, range, tries)) = due else {
            return Ok(Emitted { is_new: false, updates });
        };
        self.newest += 1;
        let emission = &mut self.emissions[slot];
        (emission.number, emission.repairs) = (self.newest, 0);
        emission.sources.clear();
        emission.sources.extend_from_slice(scene.targets);
        (emission.era, emission.turn, emission.range) = (scene.era, scene.turn, range);
        emission.tries = tries;
        emission.walked = Some(scene.walked);
        self.order.retain(|&other| other != slot);
        self.order.insert(0, slot);
        Ok(Emitted { is_new: true, updates })
    }

    /// As published: wave i starts i T / n steps after wave 0 and again every T steps; or the one
    /// wave starts again when a pursuer has heard it.
    fn emit_dense(
        &mut self,
        scene: &Scene<'_, D>,
        crowd: &Crowd,
    ) -> Result<Option<Due>, TrackError> {
        let Carrier::Dense(Dense { waves, source, schedule, .. }) = &mut self.carrier else {
            return Ok(None);
        };
        // A frame may look more than once before the next step.
        if self.emitted.is_some_and(|(last, _)| last == scene.step) {
            return Ok(None);
        }
        let i = match schedule {
            Schedule::OnArrival => {
                let number = self.emissions[0].number;
                (number == 0 || crowd.stands_in(number)).then_some(0)
            }
            Schedule::Periodic => {
                let n = waves.len() as u64;
                let lifetime = u64::from(scene.config.fixed_lifetime());
                let due = |i: &u64| {
                    let first = i * lifetime / n;
                    scene.step >= first && (scene.step - first).is_multiple_of(lifetime)
                };
                (0..n).find(due).map(|i| i as usize)
            }
        };
        let Some(i) = i else { return Ok(None) };
        waves[i].clear();
        (self.emissions[i].number, self.emissions[i].repairs) = (0, 0);
        self.order.retain(|&other| other != i);
        if self.cells.is_empty() {
            return Ok(None);
        }
        for &cell in &self.cells {
            waves[i].emit(scene.medium, cell, *source)?;
        }
        self.emitted = Some((scene.step, scene.edits));
        Ok(Some((i, None, EVERYWHERE)))
    }

    /// How many steps can be made at once from this one on before a dense wave is due.
    pub(crate) fn steps_between_emissions(&self, config: &TrackerConfig, step: u64) -> u64 {
        let Carrier::Dense(dense) = &self.carrier else { return u64::MAX };
        if dense.schedule == Schedule::OnArrival {
            return 1;
        }
        let (n, lifetime) = (dense.waves.len() as u64, u64::from(config.fixed_lifetime()));
        let left = |i: u64| {
            let first = i * lifetime / n;
            if step < first { first - step } else { lifetime - (step - first) % lifetime }
        };
        (0..n).map(left).min().unwrap_or(u64::MAX)
    }

    /// Whether pursuers have to listen at every step of the waves, because the next wave depends on
    /// it.
    pub(crate) fn is_emitted_on_arrival(&self) -> bool {
        matches!(&self.carrier, Carrier::Dense(dense) if dense.schedule == Schedule::OnArrival)
    }

    fn emit_front(
        &mut self,
        scene: &Scene<'_, D>,
        crowd: &Crowd,
    ) -> Result<Option<Due>, TrackError> {
        let &Scene { medium, config, step, edits, .. } = scene;
        let Carrier::Fronts(fronts) = &mut self.carrier else { return Ok(None) };
        if self.cells.is_empty() {
            return Ok(None);
        }
        let runs = |i: &usize| {
            let emission = &self.emissions[*i];
            emission.steps_left(&fronts[*i]) > 0 && crowd.awaits(emission.number)
        };
        let free = schedule::is_free(config);
        let of = |i: &usize| (&self.emissions[*i], &fronts[*i], runs(i));
        let everywhere_underway = self.order.iter().map(of).any(audience::goes_everywhere);
        let falls_short = |newest: usize| {
            !everywhere_underway
                && crowd.awaits(self.newest)
                && audience::falls_short(scene, &self.emissions[newest], &fronts[newest])
        };
        if let (Some((last, last_edits)), Some(&newest)) = (self.emitted, self.order.first()) {
            let wake = config.method == Method::Wake;
            if step == last {
                return Ok(None);
            }
            let nothing_new = wake
                && edits == last_edits
                && self.cells == self.emitted_cells
                && self.emissions[newest].era == scene.era;
            if nothing_new && !falls_short(newest) {
                // The news is new to no pursuer; those further away get the wave that the others
                // have.
                self.emissions[newest].range = None;
                return Ok(None);
            }
            let early = if free {
                fronts[newest].steps() < schedule::period(crowd, fronts.len()) && runs(&newest)
            } else {
                let pause = config.fixed_lifetime().div_ceil(fronts.len() as u32);
                step - last < u64::from(pause) && crowd.awaits(self.newest)
            };
            if early && !falls_short(newest) {
                return Ok(None);
            }
        }
        // The oldest wave in which no pursuer stands and for which none waits; if no wave moves on,
        // the oldest one in which a pursuer stands that has long not heard of a newer one.
        let idle = |i: &usize| !runs(i) && !crowd.stands_in(self.emissions[*i].number);
        let unused = (0..fronts.len()).find(|i| self.emissions[*i].number == 0);
        let oldest = || self.order.iter().rev().copied().find(|i| idle(i));
        let stuck = || {
            let oldest = self.order.last().copied().filter(|_| fronts.len() > 1);
            oldest.filter(|_| !self.order.iter().any(runs))
        };
        let Some(slot) = unused.or_else(oldest).or_else(stuck) else { return Ok(None) };
        let waves = || self.order.iter().map(of);
        let next = audience::next_try(scene, crowd, everywhere_underway, waves);
        let tries = next.unwrap_or(EVERYWHERE);
        let is_underway =
            |i: &usize| self.emissions[*i].range.is_none() && self.emissions[*i].tries >= tries;
        let whole_underway = self.order.iter().any(|i| is_underway(i) && runs(i));
        // A wave after one that fell short has to come to its end.
        let goes_on = next.is_some_and(|tries| tries > 0) && !whole_underway;
        let range = schedule::range(crowd, fronts.len(), self.newest + 1, whole_underway);
        let range = range.filter(|_| free && !goes_on);
        let audience = audience::of(scene, &self.emissions, tries);
        fronts[slot].emit(medium, &self.cells, audience)?;
        self.emitted = Some((step, edits));
        self.emitted_cells.clone_from(&self.cells);
        Ok(Some((slot, range, if audience.is_some() { tries } else { EVERYWHERE })))
    }

    /// If the map was edited and the targets are in the cells where they were at the last emission:
    /// repairs the newest wave, if that is possible, and returns which one it is and the updates
    /// spent. If a pursuer waits for it, half of the budget is left for it to go on.
    fn repair(
        &mut self,
        scene: &Scene<'_, D>,
        crowd: &Crowd,
    ) -> Result<(Option<usize>, u64), WaveError> {
        let (Carrier::Fronts(fronts), Some((last, last_edits)), Some(&slot)) =
            (&mut self.carrier, self.emitted, self.order.first())
        else {
            return Ok((None, 0));
        };
        let is_due = schedule::is_free(scene.config)
            && scene.step != last
            && scene.edits != last_edits
            && !self.cells.is_empty()
            && self.cells == self.emitted_cells
            && crowd.awaits(self.newest + 1);
        if !is_due {
            return Ok((None, 0));
        }
        let updates = if crowd.awaits(self.newest) { scene.updates / 2 } else { scene.updates };
        let (is_repaired, spent) = fronts[slot].repair(scene.medium, updates)?;
        Ok((is_repaired.then_some(slot), spent))
    }

    /// If a wave was just emitted because the one before fell short, runs it as far as that one
    /// came: otherwise pursuers that listen would wait for all of them, one after the other, each
    /// from its sources. A wave that goes everywhere is not run ahead. Returns the updates.
    pub(crate) fn catch_up(&mut self, medium: &Medium<D>) -> Result<u64, WaveError> {
        let Self { carrier: Carrier::Fronts(fronts), emissions, order, .. } = self else {
            return Ok(0);
        };
        let &[newest, before, ..] = &order[..] else { return Ok(0) };
        let tries = emissions[newest].tries;
        let fell_short = tries > emissions[before].tries && fronts[before].has_ended();
        if !fell_short || tries == EVERYWHERE || fronts[newest].reached_cells() > 0 {
            return Ok(0);
        }
        let steps = fronts[before].steps();
        fronts[newest].step_within(medium, steps as usize, u64::MAX)
    }

    /// The cost of the least amount that a wave can go on by; 0 if no pursuer waits for it.
    fn cost(&self, slot: usize, medium: &Medium<D>, crowd: &Crowd) -> u64 {
        let emission = &self.emissions[slot];
        match &self.carrier {
            Carrier::Dense(_) if emission.number == 0 => 0,
            Carrier::Dense(_) => D::to_size(medium.shape()).iter().product::<usize>() as u64,
            Carrier::Fronts(fronts) => {
                let runs = emission.steps_left(&fronts[slot]) > 0 && crowd.awaits(emission.number);
                if runs { fronts[slot].least_cost() } else { 0 }
            }
        }
    }

    /// The cost of the least amount that all of them can go on by.
    pub(crate) fn cost_of_all(&self, medium: &Medium<D>, crowd: &Crowd) -> u64 {
        (0..self.emissions.len()).map(|slot| self.cost(slot, medium, crowd)).sum()
    }

    /// The number of edits that waves on their way have yet to take over, counted for each of these
    /// waves.
    pub(crate) fn edits_behind(
        &self,
        medium: &Medium<D>,
        crowd: &Crowd,
    ) -> Result<u64, TrackError> {
        let Carrier::Fronts(fronts) = &self.carrier else { return Ok(0) };
        let running = fronts.iter().enumerate().filter(|(i, _)| self.cost(*i, medium, crowd) > 0);
        running.map(|(_, front)| Ok(front.edits_behind(medium)?)).sum()
    }

    /// Steps every wave that a pursuer waits for, up to `steps` times and so many updates in all,
    /// and returns the updates. A wave's share of them is that of its least cost in the sum of
    /// these.
    pub(crate) fn step(
        &mut self,
        medium: &Medium<D>,
        crowd: &Crowd,
        steps: u64,
        updates: u64,
    ) -> Result<u64, TrackError> {
        let all = u128::from(self.cost_of_all(medium, crowd).max(1));
        let mut costs = [0; MAX_WAVES];
        for (slot, cost) in costs.iter_mut().enumerate().take(self.emissions.len()) {
            *cost = self.cost(slot, medium, crowd);
        }
        let part = |cost: u64| (u128::from(updates) * u128::from(cost) / all) as u64;
        let emissions = &self.emissions;
        let work = all.saturating_mul(u128::from(steps)).min(u128::from(updates));
        let spread = work >= WORTH_THREADS;
        match &mut self.carrier {
            Carrier::Dense(Dense { waves, .. }) => {
                let step = |wave: &mut Wave<D, f64>, slot: usize| {
                    if costs[slot] == 0 {
                        return Ok(0);
                    }
                    wave.step(medium, steps as usize).map(|()| costs[slot] * steps)
                };
                Ok(sum_of(waves, spread, step)?)
            }
            Carrier::Fronts(fronts) => {
                let step = |front: &mut TrackerFront<D>, slot: usize| {
                    if costs[slot] == 0 {
                        return Ok(0);
                    }
                    let steps = emissions[slot].steps_left(front).min(steps);
                    front.step_within(medium, steps as usize, part(costs[slot]))
                };
                Ok(sum_of(fronts, spread, step)?)
            }
        }
    }

    /// Makes the wave whose turn it is go on by its least amount, if that costs no more than this.
    /// Returns the cost, and whether a new round began with it.
    pub(crate) fn step_next(
        &mut self,
        medium: &Medium<D>,
        crowd: &Crowd,
        updates: u64,
    ) -> Result<Option<(u64, bool)>, TrackError> {
        let n = self.emissions.len();
        let turns = (0..n).map(|i| (self.turn + i) % n);
        let next = turns.map(|slot| (slot, self.cost(slot, medium, crowd))).find(|(_, c)| *c > 0);
        let Some((slot, cost)) = next.filter(|(_, cost)| *cost <= updates) else {
            return Ok(None);
        };
        let again = slot < std::mem::replace(&mut self.turn, slot + 1);
        let cost = match &mut self.carrier {
            Carrier::Dense(dense) => dense.waves[slot].step(medium, 1).map(|()| cost)?,
            Carrier::Fronts(fronts) => fronts[slot].step_within(medium, 1, cost)?,
        };
        Ok(Some((cost, again)))
    }

    /// Notes that ways may have appeared by which no earlier wave came.
    pub(crate) fn forget_walked(&mut self) {
        self.emissions.iter_mut().for_each(|emission| emission.walked = None);
    }

    /// A cell was freed, which begins an era. Fronts on their way take it over, so that their end
    /// counts for this era.
    pub(crate) fn take_along(&mut self, era: u64) {
        self.forget_walked();
        let Carrier::Fronts(fronts) = &self.carrier else { return };
        for (front, emission) in fronts.iter().zip(&mut self.emissions) {
            if !front.has_ended() && emission.era + 1 == era {
                emission.era = era;
            }
        }
    }

    /// The newest emission that has come to the cell of `at`, and its wake. Fronts only.
    pub(crate) fn heard<'a>(
        &'a self,
        ground: Ground<'a, D>,
        at: Cells,
    ) -> Option<(u64, Wake<'a, D>)> {
        let Carrier::Fronts(fronts) = &self.carrier else {
            return None;
        };
        let cell = Ground::<D>::cell(at);
        let i = self.order.iter().copied().find(|&i| fronts[i].arrival(cell).is_some())?;
        let &Emission { number, repairs, ref sources, turn, .. } = &self.emissions[i];
        Some((number, Wake { ground, front: &fronts[i], sources, turn, repairs }))
    }

    /// Asks memory for what [`Waves::heard`] reads, if that was wave `heard` before.
    #[inline]
    pub(crate) fn prefetch(&self, at: Cells, heard: u64) {
        let Carrier::Fronts(fronts) = &self.carrier else { return };
        let cell = Ground::<D>::cell(at);
        for &i in self.order.iter().take_while(|&&i| self.emissions[i].number >= heard) {
            if let TrackerFront::Short(front) = &fronts[i] {
                front.prefetch(cell);
            }
        }
    }

    /// How far the waves have come.
    pub(crate) fn news(&self, ground: Ground<'_, D>) -> News {
        let mut waves = ArrayVec::new();
        let steps_per_cell = ground.even_steps_per_cell();
        if let (Carrier::Fronts(fronts), Some(_)) = (&self.carrier, steps_per_cell) {
            for &i in &self.order {
                // Longer waves are noticed late, and later after every corner. So their times may
                // fall faster than the way to the source gets shorter, and the bound does not hold
                // for them.
                let TrackerFront::Short(front) = &fronts[i] else { break };
                let Emission { number, walked, .. } = self.emissions[i];
                let steps = if front.has_ended() { f64::INFINITY } else { front.steps() as f64 };
                waves.push(Progress { number, steps, walked });
            }
        }
        News { waves, steps_per_cell: steps_per_cell.unwrap_or(0.0) }
    }

    /// A summary without pursuers, to add to.
    pub(crate) fn nobody(&self) -> Crowd {
        Crowd::new(self.emissions.iter().map(|emission| emission.number))
    }

    /// The summary of some pursuers for the waves. Whether they are cut off counts if they have
    /// acted in this era.
    pub(crate) fn count(&self, pursuers: &[Pursuer<D>], in_this_era: bool) -> Crowd {
        let mut crowd = self.nobody();
        // A pursuer that has arrived asks for no other wave.
        let on_arrival = self.is_emitted_on_arrival();
        for p in pursuers {
            crowd.points += u64::from(p.traced);
            let asks_for_none = on_arrival && p.state == PursuerState::Arrived;
            if !(asks_for_none || p.is_cut_off() && in_this_era) {
                crowd.add(p.hears, p.away, p.hears == 0 || p.state == PursuerState::Waiting);
            }
        }
        crowd
    }

    /// The newest emission of this era that has ended, 0 for none: a pursuer that has heard neither
    /// it nor a newer one is cut off from every target.
    pub(crate) fn latest_end(&self, era: u64, targets: &[Cells]) -> u64 {
        let Carrier::Fronts(fronts) = &self.carrier else { return 0 };
        let waves = fronts.iter().zip(&self.emissions).filter(|(_, e)| e.number > 0);
        // A wave may have ended in a place that was closed behind a target which had left it.
        let came = |front: &TrackerFront<D>| {
            targets.iter().all(|&target| front.arrival(Ground::<D>::cell(target)).is_some())
        };
        let ended =
            waves.filter(|(f, e)| f.has_ended() && !f.is_exhausted() && e.era == era && came(f));
        ended.map(|(_, e)| e.number).max().unwrap_or(0)
    }
}

/// `[units: updates]` Some tenths of a millisecond: for less, waking another thread costs more than
/// it saves.
const WORTH_THREADS: u128 = 200_000;

/// Steps waves, each called with its number, side by side if there is enough to do, and adds up
/// their costs.
#[cfg_attr(not(feature = "rayon"), allow(unused_variables))]
fn sum_of<W: Send>(
    waves: &mut [W],
    spread: bool,
    step: impl Fn(&mut W, usize) -> Result<u64, WaveError> + Send + Sync,
) -> Result<u64, WaveError> {
    #[cfg(feature = "rayon")]
    if spread {
        use rayon::prelude::*;
        return waves.par_iter_mut().enumerate().map(|(i, wave)| step(wave, i)).sum();
    }
    waves.iter_mut().enumerate().map(|(i, wave)| step(wave, i)).sum()
}

#[cfg(test)]
mod tests {
    use crate::config::TrackerConfig;
    use crate::ground::Ground;
    use crate::pursuer::Pursuer;
    use crate::tracker::Tracker;
    use glam::DVec2;
    use ndarray::{Array, Ix2};
    use proptest::prelude::*;
    use wave_core::Medium;

    /// Pursuers listen every so many frames.
    const TURN: u32 = 4;

    /// A frame, after which a wave that had come before has been heard at the next turn. `late`
    /// has, for each pursuer, the number of a wave that it has not heard, and for how many frames.
    fn hear_in_turn(tracker: &mut Tracker<Ix2>, updates: u64, late: &mut [(u64, u32)]) {
        let before = tracker.waves.clone();
        tracker.frame(1.0, updates).unwrap();
        let ground = Ground::new(&tracker.medium);
        for (pursuer, (missed, frames)) in tracker.pursuers.iter().zip(late) {
            // It may have gone on to where the wave that it heard has not come yet.
            let came = before.heard(ground, pursuer.at()).map_or(0, |heard| heard.0);
            if pursuer.hears >= came {
                (*missed, *frames) = (0, 0);
            } else if pursuer.hears >= *missed {
                (*missed, *frames) = (came, 1);
            } else {
                *frames += 1;
            }
            assert!(*frames <= TURN, "{pursuer:?} has not heard {came}");
        }
    }

    #[test]
    fn who_has_a_way_opened_hears_by_it_in_turn() {
        // A long wall with a gap at its end, and later with a door.
        let walls = Array::from_shape_fn([100, 60], |(y, x)| x == 30 && y < 99);
        let medium = Medium::<Ix2>::builder([100, 60]).walls(&walls).build().unwrap();
        let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
        for y in 0..8 {
            tracker.add_pursuer([10.0, f64::from(y)], 0.3).unwrap();
        }
        let mut late = [(0, 0); 8];
        for frame in 0..300 {
            let along = f64::from(frame) * 0.02;
            tracker.set_target([50.0, 2.0 + along]).unwrap();
            if frame == 100 {
                assert!(tracker.pursuers().iter().all(|p| p.heard() > 0 && p.away > 200.0));
                tracker.set_wall([3, 30], false).unwrap();
            }
            hear_in_turn(&mut tracker, 2500, &mut late);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Pursuers do not listen where [`News`](super::News) says that no wave can have come. A
        /// wave that has come is still heard at the next turn.
        #[test]
        fn a_wave_that_has_come_is_heard_in_turn(
            size in 16..140usize,
            walls in prop::collection::vec(0.0..1.0f64, 140 * 140),
            share in prop::sample::select(vec![0.0, 0.2, 0.35]),
            targets in 1..4usize,
            per_cell in prop::sample::select(vec![1, 3, 20]),
            edits in prop::sample::select(vec![0, 0, 7, 40]),
            narrow_from in prop::sample::select(vec![0, u64::MAX]),
            turns in prop::collection::vec((0.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64), 60),
        ) {
            let walls = Array::from_iter(walls[..size * size].iter().map(|&wall| wall < share));
            let walls = walls.into_shape_with_order([size, size]).unwrap();
            let medium = Medium::<Ix2>::builder([size, size]).walls(&walls).build().unwrap();
            let config = TrackerConfig { narrow_from, ..TrackerConfig::default() };
            let mut tracker = Tracker::new(medium, config).unwrap();
            let cell = |part: f64| {
                let i = (part * (size * size) as f64) as usize;
                [i / size, i % size]
            };
            let place = |part| DVec2::new(cell(part)[1] as f64, cell(part)[0] as f64);
            for (n, &(part, ..)) in turns.iter().enumerate() {
                let speed = [0.01, 0.4, 0.8][n % 3];
                let _ = tracker.add_pursuer(place(part), speed);
            }
            let starts = tracker.pursuers().iter().take(targets).map(Pursuer::position);
            let starts: Vec<DVec2> = starts.collect();
            tracker.set_targets(starts).unwrap();
            let mut late = vec![(0, 0); tracker.pursuers().len()];
            for frame in 0..300 {
                let (part, x, y) = turns[frame / 10];
                let slid = |at| tracker.slide(at, DVec2::new(x, y) * 0.7).unwrap();
                let moved: Vec<DVec2> = tracker.targets().map(slid).collect();
                tracker.set_targets(moved).unwrap();
                if edits > 0 && frame % edits == 0 {
                    let wall = tracker.medium().is_wall(cell(part));
                    let _ = tracker.set_wall(cell(part), !wall);
                }
                hear_in_turn(&mut tracker, per_cell * (size * size) as u64, &mut late);
            }
        }
    }
}
