//! The waves that all pursuers share, and when they are emitted.

use crate::config::{MAX_WAVES, Rule, Steering, TrackerConfig};
use crate::course::Wake;
use crate::error::TrackError;
use crate::ground::{Cells, Ground};
use wave_core::{Front, Medium, Real, Source, Space, Wave};

/// What the waves run on.
#[derive(Clone, Debug)]
pub(crate) enum Carrier<D: Space, S: Real> {
    Dense { waves: Vec<Wave<D, S>>, source: Source, threshold: f64 },
    Fronts(Vec<Front<D, S>>),
}

/// The emission that a wave is of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emission {
    /// Emissions count from 1; 0 is a wave that was never emitted.
    pub(crate) number: u64,
    /// Where the targets then were, in cells.
    pub(crate) sources: Vec<Cells>,
    /// The [`Scene::era`] of that time.
    era: u64,
}

/// What the waves run in, as it is now.
pub(crate) struct Scene<'a, D: Space, S: Real> {
    pub(crate) medium: &'a Medium<D, S>,
    pub(crate) config: &'a TrackerConfig,
    pub(crate) step: u64,
    /// Edits of walls and speeds so far.
    pub(crate) edits: u64,
    /// Counts up whenever ways may have appeared: a wall was edited, or a target jumped.
    pub(crate) era: u64,
    pub(crate) targets: &'a [Cells],
}

/// Who still has use for a wave. Those who know that no way exists have none.
pub(crate) trait Audience: Sync {
    /// The emission that each of them stands in; 0 for none.
    fn heard(&self) -> impl Iterator<Item = u64>;
    /// Whether somebody has heard neither emission `number` nor a newer one.
    fn awaits(&self, number: u64) -> bool;
}

#[derive(Clone, Debug)]
pub(crate) struct Waves<D: Space, S: Real> {
    pub(crate) carrier: Carrier<D, S>,
    pub(crate) emissions: Vec<Emission>,
    newest: u64,
    /// Step of the newest emission, and the map's edit count at that time.
    emitted: Option<(u64, u64)>,
    /// The targets' cells, now and at the newest emission of a front.
    cells: Vec<D::Cell>,
    emitted_cells: Vec<D::Cell>,
}

impl<D: Space, S: Real> Waves<D, S> {
    pub(crate) fn new(medium: &Medium<D, S>, config: &TrackerConfig) -> Self {
        let n = config.waves;
        let carrier = match config.rule {
            Rule::Published { threshold, source } => {
                Carrier::Dense { waves: vec![Wave::new(medium); n], source, threshold }
            }
            Rule::Front { .. } => Carrier::Fronts(vec![Front::new(medium); n]),
        };
        Self {
            carrier,
            emissions: vec![Emission::default(); n],
            newest: 0,
            emitted: None,
            cells: Vec::new(),
            emitted_cells: Vec::new(),
        }
    }

    pub(crate) fn reset(&mut self) {
        match &mut self.carrier {
            Carrier::Dense { waves, .. } => waves.iter_mut().for_each(Wave::clear),
            Carrier::Fronts(fronts) => fronts.iter_mut().for_each(Front::clear),
        }
        for emission in &mut self.emissions {
            emission.number = 0;
            emission.sources.clear();
        }
        self.newest = 0;
        self.emitted = None;
    }

    /// Emits what is due at `step`, from where the targets then are.
    pub(crate) fn emit(
        &mut self,
        scene: &Scene<'_, D, S>,
        audience: &impl Audience,
    ) -> Result<(), TrackError> {
        let &Scene { medium, config, step, edits, era, targets } = scene;
        self.cells.clear();
        self.cells.extend(targets.iter().map(|&t| Ground::<D, S>::cell(t)));
        let lifetime = u64::from(config.lifetime);
        let n = config.waves as u64;
        let slot = match &mut self.carrier {
            Carrier::Dense { waves, source, .. } => {
                // Wave i starts i T / n steps after wave 0 and again every T steps.
                let due = |i: u64| {
                    let first = i * lifetime / n;
                    step >= first && (step - first).is_multiple_of(lifetime)
                };
                let Some(i) = (0..n).find(|&i| due(i)) else {
                    return Ok(());
                };
                let i = i as usize;
                waves[i].clear();
                self.emissions[i].number = 0;
                if self.cells.is_empty() {
                    return Ok(());
                }
                for &cell in &self.cells {
                    waves[i].emit(medium, cell, *source)?;
                }
                i
            }
            Carrier::Fronts(fronts) => {
                if self.cells.is_empty() {
                    return Ok(());
                }
                if let Some((last, last_edits)) = self.emitted {
                    let same = edits == last_edits && self.cells == self.emitted_cells;
                    let wake = config.rule == Rule::Front { steering: Steering::Wake };
                    let early = step - last < lifetime.div_ceil(n) && audience.awaits(self.newest);
                    if early || step == last || (wake && same) {
                        return Ok(());
                    }
                }
                let Some(i) = reusable(fronts, &self.emissions, audience) else {
                    return Ok(());
                };
                fronts[i].emit(medium, &self.cells)?;
                self.emitted = Some((step, edits));
                self.emitted_cells.clone_from(&self.cells);
                i
            }
        };
        self.newest += 1;
        self.emissions[slot].number = self.newest;
        self.emissions[slot].sources.clear();
        self.emissions[slot].sources.extend_from_slice(targets);
        self.emissions[slot].era = era;
        Ok(())
    }

    /// Steps every wave that somebody waits for.
    pub(crate) fn step(
        &mut self,
        medium: &Medium<D, S>,
        audience: &impl Audience,
    ) -> Result<u64, TrackError> {
        let emissions = &self.emissions;
        match &mut self.carrier {
            Carrier::Dense { waves, .. } => {
                let cells = D::to_size(medium.shape()).iter().product::<usize>() as u64;
                let step = |(wave, emission): (&mut Wave<D, S>, &Emission)| {
                    if emission.number == 0 {
                        return Ok(0);
                    }
                    wave.step(medium, 1).map(|()| cells)
                };
                Ok(sum_of(waves, emissions, step)?)
            }
            Carrier::Fronts(fronts) => {
                let step = |(front, emission): (&mut Front<D, S>, &Emission)| {
                    if emission.number == 0 || !audience.awaits(emission.number) {
                        return Ok(0);
                    }
                    front.step(medium, 1)
                };
                Ok(sum_of(fronts, emissions, step)?)
            }
        }
    }

    /// The newest emission that has come to `cell`, and its wake. Fronts only.
    pub(crate) fn heard<'a>(
        &'a self,
        ground: Ground<'a, D, S>,
        cell: D::Cell,
    ) -> Option<(u64, Wake<'a, D, S>)> {
        let Carrier::Fronts(fronts) = &self.carrier else {
            return None;
        };
        let came = |&(front, emission): &(&Front<D, S>, &Emission)| {
            emission.number > 0 && front.arrival(cell).is_some()
        };
        let all = fronts.iter().zip(&self.emissions).filter(came);
        let (front, emission) = all.max_by_key(|(_, emission)| emission.number)?;
        Some((emission.number, Wake { ground, front, sources: &emission.sources }))
    }

    /// The newest emission of this era that has ended, 0 for none: who has heard neither it nor a
    /// newer one is cut off from every target.
    pub(crate) fn latest_end(&self, era: u64) -> u64 {
        let Carrier::Fronts(fronts) = &self.carrier else { return 0 };
        let waves = fronts.iter().zip(&self.emissions);
        let ended = waves.filter(|(f, e)| f.has_ended() && !f.is_exhausted() && e.era == era);
        ended.map(|(_, e)| e.number).max().unwrap_or(0)
    }
}

/// The oldest wave that can be emitted anew: nobody stands in it, and nobody waits for it who would
/// not hear another wave before.
fn reusable<D: Space, S: Real>(
    fronts: &[Front<D, S>],
    emissions: &[Emission],
    audience: &impl Audience,
) -> Option<usize> {
    let mut needed = [false; MAX_WAVES];
    for heard in audience.heard() {
        let mut next = None;
        for (i, emission) in emissions.iter().enumerate() {
            needed[i] |= emission.number == heard;
            let underway = emission.number > heard && !fronts[i].has_ended();
            if underway && next.is_none_or(|next: usize| emission.number < emissions[next].number) {
                next = Some(i);
            }
        }
        if let Some(next) = next {
            needed[next] = true;
        }
    }
    let free = (0..emissions.len()).filter(|&i| emissions[i].number == 0 || !needed[i]);
    free.min_by_key(|&i| emissions[i].number)
}

/// Steps waves side by side and adds up what they cost.
fn sum_of<W: Send>(
    waves: &mut [W],
    emissions: &[Emission],
    step: impl Fn((&mut W, &Emission)) -> Result<u64, wave_core::WaveError> + Send + Sync,
) -> Result<u64, wave_core::WaveError> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        waves.par_iter_mut().zip(emissions.par_iter()).map(step).sum()
    }
    #[cfg(not(feature = "rayon"))]
    {
        waves.iter_mut().zip(emissions).map(step).sum()
    }
}
