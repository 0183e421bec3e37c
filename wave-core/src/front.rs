//! The front of a wave: computed where the wave is on its way, and nowhere else.
//!
//! # How a cell knows that the wave has come
//! A cell is reached at the first step at which `z * laplacian(z) <= 0`, z not 0, once a neighbour
//! has been reached before: the wave has passed the point of inflection on its rising flank. What
//! runs ahead of a wave on a grid, the numerical forerunner at one cell a step along the axes, is
//! convex and never fires this rule; the inflection itself travels at the wave's own speed (the
//! leading edge of a dispersive wave is an Airy function, whose inflection lies exactly on
//! `x = c t`). That holds for walls that are free ends; between fixed walls a corridor has a cut-off,
//! and in one narrower than the wave is long the forerunner is all there is. The rule has no threshold and no constant, so it is as good at any distance and any
//! amplitude. Between two steps the moment is interpolated linearly from the Laplacian.
//!
//! # Why the rest need not be computed
//! Let t0(x) be when the wave first comes to x. What happens at x until t0(x) + w can only come
//! from what happened at y until t0(x) + w - |x - y| / c, and t0(x) <= t0(y) + |x - y| / c: that is
//! at y at most w after the wave first came there. So what a wave does later than w after its
//! arrival never matters for what it does within w of its arrival anywhere, and a cell may be put
//! to rest once it and its neighbours have been reached and w has passed. On the grid this is no
//! proof, since the scheme's own cone is one cell a step; what it costs is measured in the tests. Before the front, cells
//! further than [`FrontConfig::lead`] from a reached cell are not computed either.
//!
//! # Why it never gets too faint
//! Every corner and every junction takes its part, and after thousands of them nothing would be
//! left that a number format can hold. But the scheme is linear, and cells ahead of the front begin
//! at rest: where the wave that reaches a cell is faint, the cells that it wakes are computed at
//! 2^32 times the amplitude (2^256 in f64), exactly, and neighbours are read across.

use crate::error::WaveError;
use crate::layout::Layout;
use crate::medium::Medium;
use crate::real::Real;
use crate::source::{Pulse, Source};
use crate::space::Space;
use crate::step::{Damping, next};
use crate::wave::{open_index, same_medium};
use ndarray::Array;
use std::marker::PhantomData;
use xxhash_rust::xxh3::Xxh3;

/// How a front is computed. The defaults follow from the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontConfig {
    /// `[units: steps] [limits: 2 to 1024] suggested: leave out` The length of the emitted pulse;
    /// left out, 8 times the fastest speed over the slowest, at most 248, which is good for areas
    /// 31 times slower; beyond that waves come too early. Speeds are looked at when it is emitted.
    pub pulse: Option<u32>,
    /// `[units: cells] [limits: 1 to 250] suggested: leave out` How far ahead of the reached cells
    /// the wave is computed; left out, the pulse and 2. Less is faster and less exact.
    pub lead: Option<u32>,
    /// `[units: steps] [limits: 1 to 65535] suggested: leave out` How long a cell is computed
    /// after the wave has come; left out, as long as the pulse.
    pub rest: Option<u32>,
}

/// Arrival times are whole numbers of this part of a step, so that they are the same everywhere.
const PARTS: u32 = 256;
/// No wave has such an early arrival.
const NEVER: u32 = 0;
/// The largest number of steps of a wave: times of half the range are left for it.
const MAX_STEPS: u32 = u32::MAX / 2 / PARTS - 1;
/// Distance from the reached cells of a cell that is not computed.
const ASLEEP: u8 = u8::MAX;

/// A wave that visits every cell once.
///
/// Memory: three numbers and seven bytes a cell. Time: about 20 updates a reached cell for the
/// whole wave.
#[derive(Clone, Debug)]
pub struct Front<D: Space, S: Real = f32> {
    layout: Layout,
    config: FrontConfig,
    pulse: u32,
    lead: u8,
    rest: u32,
    /// The count of speed edits that pulse, lead and rest were chosen for.
    suited: u64,
    /// Whether the wave ended with cells still waiting for it.
    exhausted: bool,
    now: Vec<S>,
    prev: Vec<S>,
    /// The Laplacian of the step before, times delta.
    bend: Vec<S>,
    /// How many times [`Real::GAIN`] stands on the numbers of a cell that is computed.
    gains: Vec<u16>,
    /// Whether any cell has a gain; until then none need be looked at.
    has_gains: bool,
    /// When the wave came, in parts of a step, counted on from wave to wave, so that a new wave
    /// need not clear what the last one left: times before `start` are of earlier waves.
    arrival: Vec<u32>,
    /// When this wave was emitted.
    start: u32,
    /// Cells from the nearest reached one, while the cell is computed; else [`ASLEEP`].
    ahead: Vec<u8>,
    /// The cells that are computed.
    live: Vec<u32>,
    /// The cells reached in this step with the gain that cells ahead of them take, and work space
    /// for [`Front::spread`].
    frontier: Vec<(u32, u16)>,
    following: Vec<(u32, u16)>,
    pulses: Vec<Pulse>,
    reached_cells: usize,
    updates: u64,
    step: u32,
    seen: u64,
    space: PhantomData<D>,
}

impl<D: Space, S: Real> Front<D, S> {
    /// A front at rest, with the settings that suit the medium.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn new(medium: &Medium<D, S>) -> Self {
        let mut front = Self::at_rest(medium);
        front.suit(medium);
        front
    }

    /// Sets what the caller left open to what suits the speeds of the medium.
    fn suit(&mut self, medium: &Medium<D, S>) {
        let ratio = if medium.is_uniform() {
            1.0
        } else {
            let (slowest, fastest) = medium.delta_range();
            if fastest > 0.0 { (fastest / slowest).sqrt() } else { 1.0 }
        };
        let FrontConfig { pulse, lead, rest } = self.config;
        self.pulse = pulse.unwrap_or((8.0 * ratio).ceil().min(248.0) as u32);
        self.lead = lead.unwrap_or(self.pulse + 2).min(250) as u8;
        self.rest = rest.unwrap_or(self.pulse);
        self.suited = medium.speed_edits();
    }

    /// A front at rest, with settings of the caller's.
    ///
    /// # Errors
    /// [`WaveError::Config`].
    pub fn with_config(medium: &Medium<D, S>, config: FrontConfig) -> Result<Self, WaveError> {
        let check = |what, value: Option<u32>, min, max, limit| match value {
            Some(value) if !(min..=max).contains(&value) => {
                Err(WaveError::Config { what, value, limit })
            }
            _ => Ok(()),
        };
        check("pulse", config.pulse, 2, 1024, "2 to 1024")?;
        check("lead", config.lead, 1, 250, "1 to 250")?;
        check("rest", config.rest, 1, 65535, "1 to 65535")?;
        let mut front = Self::at_rest(medium);
        front.config = config;
        front.suit(medium);
        Ok(front)
    }

    fn at_rest(medium: &Medium<D, S>) -> Self {
        let layout = medium.layout.clone();
        Self {
            config: FrontConfig::default(),
            pulse: 0,
            lead: 0,
            rest: 0,
            suited: 0,
            exhausted: false,
            now: vec![S::ZERO; layout.len],
            prev: vec![S::ZERO; layout.len],
            bend: vec![S::ZERO; layout.len],
            gains: vec![0; layout.len],
            has_gains: false,
            arrival: vec![NEVER; layout.len],
            start: NEVER + 1,
            ahead: vec![ASLEEP; layout.len],
            layout,
            live: Vec::new(),
            frontier: Vec::new(),
            following: Vec::new(),
            pulses: Vec::new(),
            reached_cells: 0,
            updates: 0,
            step: 0,
            seen: medium.revision(),
            space: PhantomData,
        }
    }

    /// Forgets the wave before and emits a new one, of amplitude 1, from all `cells` at once.
    /// Every source cell counts as reached at step 0.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::OtherMedium`]; the wave before then goes on.
    ///
    /// # Complexity
    /// O(cells on the front before).
    pub fn emit(&mut self, medium: &Medium<D, S>, cells: &[D::Cell]) -> Result<(), WaveError> {
        self.emit_scaled(medium, cells, 1.0)
    }

    /// [`Front::emit`] with an amplitude. It changes no arrival as long as it keeps clear of the
    /// number format's bounds.
    ///
    /// # Errors
    /// As [`Front::emit`]; [`WaveError::Source`].
    pub fn emit_scaled(
        &mut self,
        medium: &Medium<D, S>,
        cells: &[D::Cell],
        amplitude: f64,
    ) -> Result<(), WaveError> {
        same_medium(&self.layout, self.seen, medium)?;
        Source::Pulse { amplitude, steps: self.pulse }.check()?;
        if cells.is_empty() {
            return Err(WaveError::NoSource);
        }
        let mut sources = Vec::with_capacity(cells.len());
        for &cell in cells {
            sources.push(open_index(medium, cell)?);
        }
        sources.sort_unstable();
        sources.dedup();

        self.seen = medium.revision();
        if self.suited != medium.speed_edits() {
            self.suit(medium);
        }
        self.clear();
        self.reached_cells = sources.len();
        for index in sources {
            self.arrival[index] = self.start;
            self.live.push(index as u32);
            self.gains[index] = 0;
            self.frontier.push((index as u32, 0));
            self.pulses.push(Pulse { index, amplitude, steps: self.pulse, done: 0 });
        }
        self.spread(medium);
        Ok(())
    }

    /// Forgets the wave and all arrivals.
    ///
    /// # Complexity
    /// O(cells on the front); every 8 million steps a memory fill.
    pub fn clear(&mut self) {
        self.put_all_to_rest();
        self.start += (self.step + 1) * PARTS;
        if self.start > u32::MAX / 2 {
            self.arrival.fill(NEVER);
            self.start = NEVER + 1;
        }
        self.step = 0;
        self.updates = 0;
        self.reached_cells = 0;
        self.has_gains = false;
        self.exhausted = false;
    }

    /// Steps up to `n` times, fewer if the wave ends before, and returns how many cells were
    /// computed, counted once a step.
    ///
    /// Cells that became walls since the last step lose their wave and their arrival. A cell that
    /// was freed behind the front stays unreached until the next wave.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells on the front) a step. Nothing is allocated once the front has been at its longest.
    pub fn step(&mut self, medium: &Medium<D, S>, n: usize) -> Result<u64, WaveError> {
        self.sync(medium)?;
        let before = self.updates;
        for _ in 0..n {
            if self.live.is_empty() {
                break;
            }
            self.step_once(medium);
        }
        Ok(self.updates - before)
    }

    /// Steps until the wave ends.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn run(&mut self, medium: &Medium<D, S>) -> Result<u64, WaveError> {
        self.step(medium, usize::MAX)
    }

    /// Whether nothing is on its way: every cell that a way joins to the sources has been
    /// reached, or nothing was emitted yet; or the wave [is exhausted](Front::is_exhausted).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.live.is_empty()
    }
    /// Whether the wave ended although cells were still waiting for it: damping took it all, or it
    /// was on its way for 8 million steps. Only then does a wave's end prove nothing.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        u64::from(self.step)
    }
    /// Cell updates since the emission: the cost of the wave so far.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        self.reached_cells
    }

    /// `[units: steps]` When the wave came to `cell`: exact to 1/256 step, and larger than at the
    /// neighbour that it came from. `None` in cells not reached and outside the grid.
    #[must_use]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        let zyx = D::to_zyx(cell);
        let i = self.layout.contains(zyx).then(|| self.layout.index(zyx))?;
        self.time(i)
    }

    /// Where the wave came from, as a unit vector: the way home. Zero at the sources, `None` in
    /// cells not reached.
    ///
    /// The direction is the negative gradient of the arrival time, per axis toward the neighbour
    /// that was reached first.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        let zyx = D::to_zyx(cell);
        let i = self.layout.contains(zyx).then(|| self.layout.index(zyx))?;
        let here = self.time(i)?;
        let mut way = [0.0; 3];
        for (a, &s) in self.layout.strides().iter().enumerate() {
            let gain = |j: usize| self.time(j).map_or(0.0, |there| here - there);
            let (before, after) = (gain(i - s), gain(i + s));
            if before.max(after) > 0.0 {
                way[a] = if before >= after { -before } else { after };
            }
        }
        let length = way.iter().map(|w| w * w).sum::<f64>().sqrt();
        if length > 0.0 {
            way = way.map(|w| w / length);
        }
        Some(D::from_xyz(way))
    }

    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn arrivals(&self) -> Array<f32, D> {
        let mut cells = self.layout.indices();
        let shape = D::shape(D::from_zyx(self.layout.size));
        Array::from_shape_simple_fn(shape, || {
            cells.next().and_then(|i| self.time(i)).map_or(f32::INFINITY, |t| t as f32)
        })
    }

    /// z of `cell`, 0 where it is not computed and outside the grid, and where it is under
    /// [`Real::FLOOR`].
    #[must_use]
    pub fn value(&self, cell: D::Cell) -> S {
        let zyx = D::to_zyx(cell);
        if !self.layout.contains(zyx) {
            return S::ZERO;
        }
        let i = self.layout.index(zyx);
        if self.ahead[i] == ASLEEP { S::ZERO } else { scaled(self.now[i], self.gains[i], 0) }
    }

    /// A hash of the whole state: equal for equal bits.
    #[must_use]
    pub fn content_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.step.to_le_bytes());
        for i in self.layout.indices() {
            let since = self.arrival[i].saturating_sub(self.start - 1);
            hash.update(&since.to_le_bytes());
            hash.update(&self.now[i].bits().to_le_bytes());
            hash.update(&self.prev[i].bits().to_le_bytes());
            let gains = if self.ahead[i] == ASLEEP { 0 } else { self.gains[i] };
            hash.update(&gains.to_le_bytes());
        }
        hash.digest()
    }

    fn time(&self, index: usize) -> Option<f64> {
        self.is_reached(index)
            .then(|| f64::from(self.arrival[index] - self.start) / f64::from(PARTS))
    }

    fn is_reached(&self, index: usize) -> bool {
        self.arrival[index] >= self.start
    }

    fn step_once(&mut self, medium: &Medium<D, S>) {
        let damping = Damping::new(medium.half_damping());
        let mut moving = false;
        self.step += 1;
        self.updates += self.live.len() as u64;
        let live = std::mem::take(&mut self.live);
        for &index in &live {
            let i = index as usize;
            let mut sum = S::ZERO;
            if self.has_gains {
                sum = self.sum_with_gains(i);
            } else {
                for &s in self.layout.strides() {
                    sum += self.now[i - s] + self.now[i + s];
                }
            }
            let z = self.now[i];
            let k = S::from_u8(medium.k[i]);
            let after = next(medium.delta[i], k, sum, z, self.prev[i], damping);
            moving |= after != S::ZERO;
            self.prev[i] = after;
            if self.ahead[i] > 0 {
                let bend = medium.delta[i] * (sum - k * z);
                let inflected = z > S::ZERO && bend <= S::ZERO || z < S::ZERO && bend >= S::ZERO;
                if inflected && self.ahead[i] == 1 {
                    self.arrival[i] = self.moment(self.bend[i], bend);
                    // Cells ahead begin at rest: they may take any gain.
                    let faint = u16::from(z.abs() < S::FAINT);
                    self.has_gains |= faint > 0;
                    self.frontier.push((index, self.gains[i].saturating_add(faint)));
                }
                self.bend[i] = bend;
            }
            if self.has_gains && after.abs() > S::LOUD && self.gains[i] > 0 {
                self.set_gains(i, self.gains[i] - 1);
            }
        }
        self.live = live;
        std::mem::swap(&mut self.now, &mut self.prev);
        for pulse in &mut self.pulses {
            if let Some(increment) = pulse.next::<S>() {
                let z = &mut self.now[pulse.index];
                *z = (*z + increment).floored();
                moving = true;
            }
        }
        if !moving || self.step >= MAX_STEPS {
            // All is under the floor: nothing will ever come of it.
            self.exhausted = true;
            self.put_all_to_rest();
            return;
        }
        self.put_to_rest(medium);
        self.pulses.retain(|p| p.done < p.steps && self.ahead[p.index] != ASLEEP);
        self.reached_cells += self.frontier.len();
        self.spread(medium);
    }

    /// The sum of the neighbours' values, on the gains of cell `i`, which are taken down where a
    /// much stronger wave comes in: what was there before is then nothing beside it.
    fn sum_with_gains(&mut self, i: usize) -> S {
        let own = self.gains[i];
        let mut least = own;
        for &s in self.layout.strides() {
            for j in [i - s, i + s] {
                if self.now[j] != S::ZERO {
                    least = least.min(self.gains[j]);
                }
            }
        }
        if own > least + 1 {
            self.set_gains(i, least + 1);
        }
        let own = self.gains[i];
        let value = |j: usize| {
            if self.gains[j] == own { self.now[j] } else { scaled(self.now[j], self.gains[j], own) }
        };
        let mut sum = S::ZERO;
        for &s in self.layout.strides() {
            sum += value(i - s) + value(i + s);
        }
        sum
    }

    fn set_gains(&mut self, i: usize, gains: u16) {
        let own = std::mem::replace(&mut self.gains[i], gains);
        for z in [&mut self.now[i], &mut self.prev[i], &mut self.bend[i]] {
            *z = scaled(*z, own, gains);
        }
    }

    /// Counts the distances from the cells in `frontier`, which were reached just now, and wakes
    /// the cells within the lead.
    fn spread(&mut self, medium: &Medium<D, S>) {
        for &(i, _) in &self.frontier {
            self.ahead[i as usize] = 0;
        }
        for distance in 1..=self.lead {
            for &(i, gains) in &self.frontier {
                for &s in self.layout.strides() {
                    for j in [i as usize - s, i as usize + s] {
                        let further = self.ahead[j] > distance && !self.is_reached(j);
                        if !(further && medium.is_open(j)) {
                            continue;
                        }
                        if self.ahead[j] == ASLEEP {
                            self.live.push(j as u32);
                            self.bend[j] = S::ZERO;
                            self.gains[j] = gains;
                        }
                        self.ahead[j] = distance;
                        self.following.push((j as u32, gains));
                    }
                }
            }
            std::mem::swap(&mut self.frontier, &mut self.following);
            self.following.clear();
        }
        self.frontier.clear();
    }

    /// The moment in the step before this one at which the bend passed 0.
    fn moment(&self, before: S, now: S) -> u32 {
        let (before, now) = (before.abs().to_f64(), now.abs().to_f64());
        // Past the inflection before a neighbour was reached: reached with this step.
        let part = if before > 0.0 { before / (before + now) } else { 1.0 };
        let part = (part * f64::from(PARTS)).ceil().clamp(1.0, f64::from(PARTS));
        self.start + (self.step - 1) * PARTS + part as u32
    }

    /// Stops computing cells that the wave has left behind.
    fn put_to_rest(&mut self, medium: &Medium<D, S>) {
        let (step, rest) = (self.step, self.rest);
        let Self { live, arrival, now, prev, ahead, layout, start, .. } = self;
        // Reached this long ago, a cell rests.
        let old = *start + PARTS * step.saturating_sub(rest);
        let aged = step > rest;
        live.retain(|&index| {
            let i = index as usize;
            let waits = |j: usize| arrival[j] < *start && medium.is_open(j);
            if !aged || arrival[i] < *start || arrival[i] > old {
                return true;
            }
            if layout.strides().iter().any(|&s| waits(i - s) || waits(i + s)) {
                return true;
            }
            now[i] = S::ZERO;
            prev[i] = S::ZERO;
            ahead[i] = ASLEEP;
            false
        });
    }

    fn put_all_to_rest(&mut self) {
        for i in self.live.drain(..) {
            self.now[i as usize] = S::ZERO;
            self.prev[i as usize] = S::ZERO;
            self.ahead[i as usize] = ASLEEP;
        }
        self.pulses.clear();
    }

    /// Takes the wave out of cells that became walls.
    fn sync(&mut self, medium: &Medium<D, S>) -> Result<(), WaveError> {
        same_medium(&self.layout, self.seen, medium)?;
        if self.seen == medium.revision() {
            return Ok(());
        }
        let mut edited = Vec::new();
        match medium.edits_since(self.seen) {
            Some(edits) => edited.extend(edits),
            None => edited.extend(self.layout.indices()),
        }
        let mut cut = false;
        for &i in &edited {
            if medium.is_open(i) {
                continue;
            }
            cut |= self.ahead[i] != ASLEEP;
            self.reached_cells -= usize::from(self.is_reached(i));
            self.arrival[i] = NEVER;
            self.ahead[i] = ASLEEP;
            self.now[i] = S::ZERO;
            self.prev[i] = S::ZERO;
        }
        let ahead = &self.ahead;
        self.live.retain(|&i| ahead[i as usize] != ASLEEP);
        self.pulses.retain(|p| ahead[p.index] != ASLEEP);
        if cut {
            self.forget_cut_off(medium);
        }
        // A cell freed where the wave is takes part at once.
        for &i in &edited {
            let asleep = self.ahead[i] == ASLEEP && !self.is_reached(i);
            if !(asleep && medium.is_open(i)) {
                continue;
            }
            let around = self.layout.strides().iter().flat_map(|&s| [i - s, i + s]);
            let nearest = around.map(|j| (self.ahead[j], self.gains[j])).min();
            let (nearest, gains) = nearest.unwrap_or((ASLEEP, 0));
            if nearest < self.lead {
                self.ahead[i] = nearest + 1;
                self.bend[i] = S::ZERO;
                self.gains[i] = gains;
                self.live.push(i as u32);
            }
        }
        self.seen = medium.revision();
        Ok(())
    }

    /// Counts the distances ahead anew and puts to rest what a new wall has cut off from every
    /// reached cell: the wave there would ring for ever and reach nothing.
    fn forget_cut_off(&mut self, medium: &Medium<D, S>) {
        for &i in &self.live {
            let i = i as usize;
            if self.is_reached(i) {
                self.frontier.push((i as u32, self.gains[i]));
            } else {
                self.ahead[i] = ASLEEP - 1;
            }
        }
        self.spread(medium);
        let Self { live, now, prev, ahead, .. } = self;
        live.retain(|&i| {
            let i = i as usize;
            if ahead[i] != ASLEEP - 1 {
                return true;
            }
            now[i] = S::ZERO;
            prev[i] = S::ZERO;
            ahead[i] = ASLEEP;
            false
        });
    }
}

/// `z` on `to` gains in place of `from`; 0 under the floor.
fn scaled<S: Real>(z: S, from: u16, to: u16) -> S {
    let mut z = z;
    for _ in from..to {
        z = z * S::GAIN;
    }
    // Two gains down from anything that is allowed is under every format's floor or close to it.
    for _ in to..from.min(to.saturating_add(8)) {
        z = z * (S::ONE / S::GAIN);
    }
    z.floored()
}
