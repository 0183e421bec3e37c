//! A dense wave that notes when it first came to each cell.
//!
//! # When a wave has come
//! A cell is reached at the first step at which `z * laplacian(z) <= 0`, z not 0, once a neighbour
//! has been reached before: the wave has passed the inflection of its rising flank. What runs ahead
//! of a wave on a grid, the numerical forerunner at one cell a step along the axes, is convex and
//! never fires this rule. The inflection itself travels at the wave's own speed: the leading edge of
//! a dispersive wave is an Airy function, whose inflection lies exactly on `x = c t`. The rule has no
//! threshold and no constant, so it is as good at any distance and at any amplitude. Between two
//! steps the moment is interpolated linearly from the Laplacian.
//!
//! That holds for walls that are free ends and for a smooth pulse. Between fixed walls a corridor
//! has a cut-off, and in one narrower than the wave is long the forerunner is all there is.

use crate::arrival::march::way_back;
use crate::dense::real::Real;
use crate::dense::source::Source;
use crate::dense::wave::{Wave, open_index, source_indices};
use crate::error::WaveError;
use crate::grid::layout::Layout;
use crate::grid::medium::{Medium, WallRule};
use crate::grid::space::Space;
use crate::simd::Simd;
use ndarray::Array;
use xxhash_rust::xxh3::Xxh3;

#[cfg(feature = "serde")]
mod snapshot;

/// Arrival times are whole numbers of this part of a step, so that they are the same everywhere.
const PARTS: u32 = 256;
/// The largest number of steps of a wave.
const MAX_STEPS: u64 = ((u32::MAX - 1) / PARTS) as u64;
/// The time of a cell that was not reached.
const NEVER: u32 = u32::MAX;

/// A [`Wave`] that visits every cell, and when it came there first.
///
/// Every step computes every cell, so it takes 10 to 100 times as long as
/// [`ArrivalField::solve`](crate::ArrivalField::solve); it is for those that want the wave equation
/// itself. Its times are later, too: what arrives later is louder and hides what came first. On maps
/// of games they are 1.01 to 1.14 times those of the shortest ways on the mean, in mazes and among
/// dense random walls up to 1.9 times.
///
/// ```
/// use ndarray::{Array2, Ix2};
/// use wave_core::{Medium, RecordedWave, Source};
///
/// let mut walls = Array2::from_elem([20, 31], false);
/// (0..17).for_each(|y| walls[[y, 15]] = true);
/// let medium = Medium::<Ix2>::builder([20, 31]).walls(&walls).build()?;
/// let mut wave = RecordedWave::new(&medium);
/// wave.emit(&medium, &[[5, 25]], Source::default())?;
/// wave.run(&medium)?;
///
/// // The wave came round the wall, so the way home from its left side leads down to the gap.
/// let way = wave.direction([5, 5]).unwrap();
/// assert!(way.x > 0.0 && way.y > 0.0);
/// # Ok::<(), wave_core::WaveError>(())
/// ```
///
/// Memory: two numbers and 5 bytes a cell.
#[derive(Clone, Debug)]
pub struct RecordedWave<D: Space, S: Real = f32> {
    wave: Wave<D, S>,
    layout: Layout,
    /// `[units: parts of a step]` When it came.
    times: Vec<u32>,
    /// Cells that wait for it because a neighbour has been reached, and whether a cell is one.
    waiting: Vec<u32>,
    waits: Vec<bool>,
    reached: usize,
    /// The step of the latest arrival, and how long to wait for another one.
    latest: u64,
    patience: u64,
    exhausted: bool,
    seen: u64,
    medium: Option<u64>,
}

impl<D: Space, S: Real> RecordedWave<D, S> {
    /// A wave at rest.
    #[must_use]
    pub fn new(medium: &Medium<D, S>) -> Self {
        let layout = medium.layout.clone();
        Self {
            wave: Wave::new(medium),
            times: vec![NEVER; layout.len],
            waiting: Vec::new(),
            waits: vec![false; layout.len],
            layout,
            reached: 0,
            latest: 0,
            patience: 0,
            exhausted: false,
            seen: medium.revision(),
            medium: Some(medium.identity.number()),
        }
    }

    /// Forgets the wave before and emits a new one from all `cells` at once. Every one of them
    /// counts as reached at step 0.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::Source`], [`WaveError::OtherMedium`]; the wave before then goes on.
    ///
    /// # Complexity
    /// O(cells).
    pub fn emit(
        &mut self,
        medium: &Medium<D, S>,
        cells: &[D::Cell],
        source: Source,
    ) -> Result<(), WaveError> {
        self.wave.check_medium(medium)?;
        source.check()?;
        let mut sources = source_indices(medium, cells)?;
        sources.sort_unstable();
        sources.dedup();
        self.clear();
        self.follow_edits(medium);
        for &i in &sources {
            let cell = D::from_zyx(self.layout.cell(i));
            self.wave.emit(medium, cell, source)?;
            self.times[i] = 0;
        }
        self.reached = sources.len();
        // A wave takes 1.5 steps through a cell of the fastest speed, 1.5 / sqrt(delta) through others.
        let (slowest, _) = medium.delta_range();
        self.patience = 1000 + (64.0 / slowest.max(1e-9).sqrt()) as u64;
        sources.into_iter().for_each(|i| self.await_around(medium, i));
        Ok(())
    }

    /// Puts every cell to rest and forgets all arrivals.
    ///
    /// # Complexity
    /// O(cells).
    pub fn clear(&mut self) {
        self.wave.clear();
        self.times.fill(NEVER);
        self.waits.fill(false);
        self.waiting.clear();
        (self.reached, self.latest, self.exhausted) = (0, 0, false);
    }

    /// Steps up to `n` times, fewer if it ends before; returns how many cells were computed, walls
    /// counted, once a step. A cell that becomes a wall loses its arrival.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells) a step.
    pub fn step(&mut self, medium: &Medium<D, S>, n: usize) -> Result<u64, WaveError> {
        self.step_within(medium, n, u64::MAX)
    }

    /// [`RecordedWave::step`], but no step that would make it more than `updates` cells.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn step_within(
        &mut self,
        medium: &Medium<D, S>,
        n: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        self.wave.check_medium(medium)?;
        self.follow_edits(medium);
        let mut spent = 0;
        for _ in 0..n {
            let next = self.next_updates();
            if next == 0 || next > updates - spent {
                break;
            }
            self.wave.step(medium, 1)?;
            self.look(medium);
            spent += next;
        }
        Ok(spent)
    }

    /// Steps until it ends.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn run(&mut self, medium: &Medium<D, S>) -> Result<u64, WaveError> {
        self.step(medium, usize::MAX)
    }

    /// Steps until all `cells` have been reached, or the wave ends, and returns whether they have.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`], [`WaveError::OutOfGrid`], [`WaveError::Wall`].
    pub fn run_until(
        &mut self,
        medium: &Medium<D, S>,
        cells: &[D::Cell],
    ) -> Result<bool, WaveError> {
        let left = cells.iter().map(|&cell| open_index(medium, cell));
        let mut left = left.collect::<Result<Vec<_>, _>>()?;
        self.wave.check_medium(medium)?;
        self.follow_edits(medium);
        loop {
            left.retain(|&i| self.times[i] == NEVER);
            if left.is_empty() || self.has_ended() {
                return Ok(left.is_empty());
            }
            self.wave.step(medium, 1)?;
            self.look(medium);
        }
    }

    /// Makes the wave use `simd` from now on. Its bits do not depend on it.
    ///
    /// # Errors
    /// [`WaveError::Simd`].
    pub fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        self.wave.set_simd(simd)
    }

    /// The wave itself.
    #[must_use]
    pub fn wave(&self) -> &Wave<D, S> {
        &self.wave
    }
    /// Whether it can run in this medium: of its shape, and edited at least as often as the wave has
    /// seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D, S>) -> bool {
        self.wave.fits(medium)
    }
    /// Edits of walls that the next step or emission takes over first.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn edits_behind(&self, medium: &Medium<D, S>) -> Result<u64, WaveError> {
        self.wave.check_medium(medium)?;
        Ok(medium.revision() - self.seen)
    }
    /// What the next step computes: every cell, or none when the wave has ended.
    #[must_use]
    pub fn next_updates(&self) -> u64 {
        if self.has_ended() { 0 } else { self.layout.size.iter().product::<usize>() as u64 }
    }
    /// Whether every cell that a way joins to the sources has been reached, or nothing was emitted
    /// yet; or it [is exhausted](RecordedWave::is_exhausted).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.waiting.is_empty() || self.exhausted
    }
    /// Whether it ended although cells were still waiting for it: it has become too faint for its
    /// number format. In f32 that takes more than a thousand corners. Then its end proves nothing.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.wave.steps()
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        self.reached
    }

    /// `[units: steps]` When the wave first came to `cell`: in 256ths of a step, and later than to
    /// the neighbour that it came from. `None` in cells not reached and outside the grid.
    #[must_use]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        let zyx = D::to_zyx(cell);
        Some(f64::from(self.parts(zyx)?) / f64::from(PARTS))
    }

    /// Where the wave came from, as a unit vector: the way home. Zero at the sources, `None` in
    /// cells not reached. It is the negative gradient of the arrival time, which stays true where
    /// the wave's own gradient is that of two fronts that meet.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        let zyx = D::to_zyx(cell);
        self.parts(zyx)?;
        let time = |[x, y, z]: [isize; 3]| {
            let mut there = zyx;
            for (there, step) in there.iter_mut().zip([z, y, x]) {
                *there = there.checked_add_signed(step)?;
            }
            self.parts(there).map(f64::from)
        };
        let time = |step| time(step).unwrap_or(f64::INFINITY);
        let way = if D::AXES == 2 { way_back::<2>(time) } else { way_back::<3>(time) };
        Some(D::from_xyz(way))
    }

    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn arrivals(&self) -> Array<f32, D> {
        let mut times = Array::from_elem(D::shape(D::from_zyx(self.layout.size)), f32::INFINITY);
        for (time, i) in times.iter_mut().zip(self.layout.indices()) {
            if self.times[i] != NEVER {
                *time = self.times[i] as f32 / PARTS as f32;
            }
        }
        times
    }

    /// A hash of the whole state: equal for equal bits.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.wave.state_hash().to_le_bytes());
        for i in self.layout.indices() {
            hash.update(&self.times[i].to_le_bytes());
        }
        hash.digest()
    }

    fn parts(&self, zyx: [usize; 3]) -> Option<u32> {
        let inside = self.layout.contains(zyx);
        inside.then(|| self.times[self.layout.index(zyx)]).filter(|&time| time != NEVER)
    }

    /// The cells beside one, as far as they are in the grid.
    fn beside(layout: &Layout, i: usize) -> impl Iterator<Item = usize> + use<'_, D, S> {
        let cell = layout.cell(i);
        let strides = layout.strides().iter().enumerate();
        strides.flat_map(move |(a, &stride)| {
            let (c, n) = (cell[2 - a], layout.size[2 - a]);
            let before = (c > 0).then(|| i - stride);
            before.into_iter().chain((c + 1 < n).then_some(i + stride))
        })
    }

    fn await_around(&mut self, medium: &Medium<D, S>, i: usize) {
        for there in Self::beside(&medium.layout, i).filter(|&there| medium.is_open(there)) {
            if self.times[there] == NEVER && !self.waits[there] {
                self.waits[there] = true;
                self.waiting.push(there as u32);
            }
        }
    }

    /// The Laplacian at a cell, positive where the wave is bent away from 0.
    fn bend(medium: &Medium<D, S>, z: &[S], i: usize) -> f64 {
        let here = z[i].to_f64();
        let fixed = medium.wall_rule() == WallRule::Fixed;
        let beside = Self::beside(&medium.layout, i).filter(|&j| fixed || medium.is_open(j));
        let laplacian: f64 = beside.map(|j| z[j].to_f64() - here).sum();
        laplacian.copysign(laplacian * here)
    }

    /// Which waiting cells the last step has reached.
    fn look(&mut self, medium: &Medium<D, S>) {
        let step = self.wave.steps();
        let (now, before) = (self.wave.now(), self.wave.before());
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut fresh = Vec::new();
        waiting.retain(|&i| {
            let i = i as usize;
            if now[i] == S::ZERO {
                return true;
            }
            let bend = Self::bend(medium, now, i);
            if bend > 0.0 {
                return true;
            }
            let last = Self::bend(medium, before, i);
            let part = if last > 0.0 { last / (last - bend) } else { 0.0 };
            // Later than the neighbour, which was reached a step before at the latest.
            let part = (part * f64::from(PARTS)).clamp(1.0, f64::from(PARTS)) as u32;
            self.times[i] = (step as u32 - 1) * PARTS + part;
            self.waits[i] = false;
            fresh.push(i);
            false
        });
        self.waiting = waiting;
        self.reached += fresh.len();
        if !fresh.is_empty() {
            self.latest = step;
        }
        fresh.into_iter().for_each(|i| self.await_around(medium, i));
        let late = step - self.latest > self.patience || step >= MAX_STEPS;
        self.exhausted = late && !self.waiting.is_empty();
    }

    /// Takes edits of walls over: what became a wall loses its arrival and waits no longer, what was
    /// freed waits if a neighbour was reached.
    fn follow_edits(&mut self, medium: &Medium<D, S>) {
        let known = self.medium == Some(medium.identity.number());
        if self.seen == medium.revision() && known {
            return;
        }
        let edits: Vec<usize> = match medium.edits_since(self.seen).filter(|_| known) {
            Some(edits) => edits.collect(),
            None => self.layout.indices().collect(),
        };
        for i in edits {
            if medium.is_open(i) {
                let reached = |there: usize| self.times[there] != NEVER;
                let beside = Self::beside(&medium.layout, i).any(reached);
                if beside && self.times[i] == NEVER && !self.waits[i] {
                    self.waits[i] = true;
                    self.waiting.push(i as u32);
                    (self.latest, self.exhausted) = (self.wave.steps(), false);
                }
            } else {
                self.reached -= usize::from(self.times[i] != NEVER);
                self.times[i] = NEVER;
                self.waits[i] = false;
            }
        }
        let waits = &self.waits;
        self.waiting.retain(|&i| waits[i as usize]);
        self.seen = medium.revision();
        self.medium = Some(medium.identity.number());
    }
}
