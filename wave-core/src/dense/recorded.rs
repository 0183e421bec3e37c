//! A dense wave that notes when it first came to each cell.
//!
//! # When a wave has come
//! A cell is reached at the first step at which `z * laplacian(z) <= 0`, z not 0, once a neighbour
//! has been reached before: the wave has passed the inflection of its rising flank. On a grid, a
//! numerical forerunner runs ahead of the wave at one cell a step along the axes; it is convex and
//! never fires this rule. The inflection itself travels at the wave's own speed: the leading edge
//! of a dispersive wave is an Airy function, whose inflection lies exactly on `x = c t`. The rule
//! has no threshold and no constant, so it is as good at any distance and at any amplitude. Between
//! two steps the moment is interpolated linearly from the Laplacian.
//!
//! That holds for walls that are free ends and for a smooth pulse. Between fixed walls a corridor
//! has a cut-off: if it is narrower than the wave is long, only the forerunner runs through it.

use super::real::Real;
#[cfg(feature = "serde")]
use super::recorded_snapshot::RecordedRecord;
use super::source::Source;
use super::wave::Wave;
use crate::arrival::march::way_back;
use crate::error::{WaveError, same_medium, source_cells};
use crate::grid::{Edit, Follower, Layout, Map, Medium, News, Space, WallRule};
use crate::simd::Simd;
use ndarray::Array;
use xxhash_rust::xxh3::Xxh3;

/// Arrival times are whole numbers of this part of a step, so that they are the same everywhere.
pub(super) const PARTS: u32 = 256;
/// These stand in place of a time: the cell is outside the grid; it is a wall; it waits, looked at
/// after every step, because a neighbour was reached; it is not reached.
const OUTSIDE: u32 = u32::MAX;
pub(super) const WALL: u32 = u32::MAX - 1;
pub(super) const WAITING: u32 = u32::MAX - 2;
pub(super) const NEVER: u32 = u32::MAX - 3;
/// The largest number of steps of a wave.
pub(super) const MAX_STEPS: u64 = (NEVER / PARTS) as u64 - 1;

/// A [`Wave`] that visits every cell, and when it came there first.
///
/// Every step computes every cell, so it takes 10 to 100 times as long as
/// [`ArrivalField::solve`](crate::ArrivalField::solve). Use it if you want the wave equation
/// itself. Its times are also later: louder parts of the wave that arrive later hide those that
/// came first. On maps of games they are 1.01 to 1.14 times those of the shortest ways on the mean,
/// in mazes and among dense random walls up to 1.9 times.
///
/// At every corner the wave loses amplitude. In `f32` it goes round the 600 bends of a corridor 8
/// cells wide (tested), in `f64` further; [`RecordedWave::is_exhausted`] tells when it has become
/// too faint.
///
/// ```
/// use ndarray::{Array2, Ix2};
/// use wave_core::{Medium, RecordedWave};
///
/// let mut walls = Array2::from_elem([20, 31], false);
/// (0..17).for_each(|y| walls[[y, 15]] = true);
/// let medium = Medium::<Ix2>::builder([20, 31]).walls(&walls).build()?;
/// let mut wave = RecordedWave::new(&medium)?;
/// wave.emit(&medium, &[[5, 25]], RecordedWave::pulse(&medium))?;
/// wave.run(&medium)?;
///
/// // The wave came round the wall, so the way home from its left side leads down to the gap.
/// let way = wave.direction([5, 5]).unwrap();
/// assert!(way.x > 0.0 && way.y > 0.0);
/// # Ok::<(), wave_core::WaveError>(())
/// ```
///
/// Memory: that of a [`Wave`], and 4 bytes a cell.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound = "", try_from = "RecordedRecord<D, S>", into = "RecordedRecord<D, S>")
)]
pub struct RecordedWave<D: Space, S: Real = f32> {
    pub(super) wave: Wave<D, S>,
    pub(super) record: Record,
}

/// The arrivals of a wave.
#[derive(Clone, Debug)]
pub(super) struct Record {
    layout: Layout,
    /// `[units: parts of a step]` When the wave came, or one of the marks in place of a time.
    pub(super) times: Vec<u32>,
    /// Cells that wait for the wave; until the next step, perhaps also some that no longer do.
    waiting: Vec<u32>,
    reached: usize,
    /// The step of the latest arrival, and how long to wait for another one.
    pub(super) latest: u64,
    pub(super) patience: u64,
    pub(super) exhausted: bool,
    pub(super) follower: Follower,
}

impl<D: Space> RecordedWave<D> {
    /// A wave at rest, of `f32` numbers; [`RecordedWave::typed`] makes one of others.
    ///
    /// # Errors
    /// [`WaveError::TooLarge`], [`WaveError::Links`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn new(medium: &Medium<D>) -> Result<Self, WaveError> {
        Self::typed(medium)
    }

    /// The source that suits the medium: a smooth pulse of amplitude 1. It takes 8 steps times the
    /// fastest speed over the slowest, or the time of a wave through 4 of the slowest cells if that
    /// is more, but at most 1024 steps. Shorter waves come too early where cells are slow: by 4 %
    /// at 1.6 cells, by 20 % at 0.8.
    ///
    /// # Complexity
    /// O(cells) where speeds differ, else O(1).
    #[must_use]
    pub fn pulse(medium: &Medium<D>) -> Source {
        let [slowest, fastest] = deltas(medium.map());
        let steps = (8.0 * (fastest / slowest).sqrt()).max(4.0 / slowest.sqrt()).ceil();
        Source::Pulse { amplitude: 1.0, steps: steps.clamp(8.0, 1024.0) as u32 }
    }
}

/// The slowest and the fastest `(c dt / h)^2` of the open cells.
fn deltas(map: &Map) -> [f64; 2] {
    let all = if map.is_uniform() { 1 } else { map.count() };
    let cells = (0..all).filter(|&cell| all == 1 || map.is_open(cell));
    let speeds = cells.map(|cell| map.speeds().at(cell));
    let [slowest, fastest] = speeds.fold([f64::INFINITY, 0.0], |[slowest, fastest], speed| {
        [slowest.min(speed), speed.max(fastest)]
    });
    if fastest > 0.0 { [map.delta(slowest), map.delta(fastest)] } else { [1.0; 2] }
}

/// `[units: steps]` How long to wait for an arrival: a wave takes `1 / sqrt(delta)` steps through a
/// cell, and among fixed walls and areas it is reflected to and fro.
fn patience(slowest: f64) -> u64 {
    1000 + (64.0 / slowest.sqrt()) as u64
}

impl<D: Space, S: Real> RecordedWave<D, S> {
    /// A wave at rest, as in `RecordedWave::<_, f64>::typed(&medium)`.
    ///
    /// # Errors
    /// [`WaveError::TooLarge`], [`WaveError::Links`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn typed(medium: &Medium<D>) -> Result<Self, WaveError> {
        let wave = Wave::typed(medium)?;
        let mut record = Record::empty(wave.layout().clone());
        record.follow(medium.map(), 0);
        Ok(Self { wave, record })
    }

    /// Forgets the wave before and emits a new one from all `cells` at once. Every one of them
    /// counts as reached at step 0. [`RecordedWave::pulse`] has a source that suits the medium.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::Source`], [`WaveError::OtherMedium`]; the wave before then goes on.
    ///
    /// # Complexity
    /// O(cells).
    pub fn emit(
        &mut self,
        medium: &Medium<D>,
        cells: &[D::Cell],
        source: Source,
    ) -> Result<(), WaveError> {
        let map = medium.map();
        self.check_medium(map)?;
        source.check()?;
        let mut cells = source_cells(map, cells.iter().map(|&cell| D::to_zyx(cell)))?;
        cells.sort_unstable();
        cells.dedup();
        self.clear();
        for &cell in &cells {
            self.wave.emit(medium, D::from_zyx(cell), source)?;
        }
        self.record.follow(map, 0);
        self.record.begin(&cells, patience(deltas(map)[0]));
        Ok(())
    }

    /// Puts every cell to rest and forgets all arrivals.
    ///
    /// # Complexity
    /// O(cells).
    pub fn clear(&mut self) {
        self.wave.clear();
        self.record.clear();
    }

    /// Steps up to `n` times, fewer if it ends before; returns how many cells were computed: in
    /// each step all, walls included. A cell that becomes a wall loses its arrival.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells) a step.
    pub fn step(&mut self, medium: &Medium<D>, n: usize) -> Result<u64, WaveError> {
        self.step_within(medium, n, u64::MAX)
    }

    /// [`RecordedWave::step`] that stops before it has computed more than `updates` cells.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn step_within(
        &mut self,
        medium: &Medium<D>,
        n: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        self.check_medium(medium.map())?;
        self.record.follow(medium.map(), self.wave.steps());
        let mut spent = 0;
        for _ in 0..n {
            let next = self.next_updates();
            if next == 0 || next > updates - spent {
                break;
            }
            self.wave.step(medium, 1)?;
            let fixed = medium.wall_rule() == WallRule::Fixed;
            self.record.look(self.wave.steps(), self.wave.now(), self.wave.before(), fixed);
            spent += next;
        }
        Ok(spent)
    }

    /// Steps until it ends.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn run(&mut self, medium: &Medium<D>) -> Result<u64, WaveError> {
        self.step(medium, usize::MAX)
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
    /// Whether it can run in this medium: one of its shape, edited at least as often as the wave
    /// has seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D>) -> bool {
        self.check_medium(medium.map()).is_ok()
    }
    fn check_medium(&self, map: &Map) -> Result<(), WaveError> {
        // The record may have seen edits that the wave takes over with its next step.
        same_medium(self.record.layout.size, &self.record.follower, map)?;
        self.wave.check_medium(map)
    }
    /// The number of wall edits that the next step or emission takes over first.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn edits_behind(&self, medium: &Medium<D>) -> Result<u64, WaveError> {
        self.check_medium(medium.map())?;
        Ok(self.record.follower.walls_behind(medium.map().edits()))
    }
    /// The number of cells that the next step computes: all, or 0 when the wave has ended.
    #[must_use]
    pub fn next_updates(&self) -> u64 {
        if self.has_ended() { 0 } else { self.record.layout.count() as u64 }
    }
    /// Whether every cell that a way joins to the sources has been reached, or nothing was emitted
    /// yet; or it [is exhausted](RecordedWave::is_exhausted).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.record.waiting.is_empty() || self.record.exhausted
    }
    /// Whether it ended although cells were still waiting for it: it has become too faint for its
    /// number format. Then its end proves nothing.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.record.exhausted
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.wave.steps()
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        self.record.reached
    }
    /// `[units: steps]` When the wave first came to `cell`: in 256ths of a step, and later than to
    /// the neighbour that it came from. `None` in cells not reached and outside the grid.
    #[must_use]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        self.record.arrival(D::to_zyx(cell))
    }
    /// Where the wave came from, as a unit vector: the way home. Zero at the sources, `None` in
    /// cells not reached. It is the negative gradient of the arrival time, which stays true where
    /// the wave's own gradient is that of two fronts that meet.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        self.record.direction(D::to_zyx(cell), D::AXES).map(D::from_xyz)
    }

    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn arrivals(&self) -> Array<f32, D> {
        let Record { layout, times, .. } = &self.record;
        let mut arrivals = Array::from_elem(D::shape(D::from_zyx(layout.size)), f32::INFINITY);
        for (arrival, i) in arrivals.iter_mut().zip(layout.indices()) {
            if times[i] < NEVER {
                *arrival = times[i] as f32 / PARTS as f32;
            }
        }
        arrivals
    }

    /// A hash of the whole state: equal for equal bits.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.wave.state_hash().to_le_bytes());
        for i in self.record.layout.indices() {
            hash.update(&self.record.times[i].to_le_bytes());
        }
        hash.digest()
    }
}

impl Record {
    /// The record of a wave that has seen nothing of its map.
    pub(super) fn empty(layout: Layout) -> Self {
        let mut times = vec![OUTSIDE; layout.len];
        layout.indices().for_each(|i| times[i] = NEVER);
        Self {
            layout,
            times,
            waiting: Vec::new(),
            reached: 0,
            latest: 0,
            patience: 0,
            exhausted: false,
            follower: Follower::unread(),
        }
    }

    fn clear(&mut self) {
        let reached = |time: &&mut u32| **time < NEVER || **time == WAITING;
        self.times.iter_mut().filter(reached).for_each(|time| *time = NEVER);
        self.waiting.clear();
        (self.reached, self.latest, self.exhausted) = (0, 0, false);
    }

    fn begin(&mut self, sources: &[[usize; 3]], patience: u64) {
        self.patience = patience;
        self.reached = sources.len();
        let sources = sources.iter().map(|&cell| self.layout.index(cell)).collect::<Vec<_>>();
        for &i in &sources {
            self.times[i] = 0;
        }
        for i in sources {
            self.await_around(i);
        }
    }

    fn arrival(&self, cell: [usize; 3]) -> Option<f64> {
        Some(f64::from(self.parts(cell)?) / f64::from(PARTS))
    }

    fn parts(&self, cell: [usize; 3]) -> Option<u32> {
        let inside = self.layout.contains(cell);
        inside.then(|| self.times[self.layout.index(cell)]).filter(|&time| time < NEVER)
    }

    fn direction(&self, cell: [usize; 3], axes: usize) -> Option<[f64; 3]> {
        self.parts(cell)?;
        let time = |[x, y, z]: [isize; 3]| {
            let mut there = cell;
            for (there, step) in there.iter_mut().zip([z, y, x]) {
                *there = there.checked_add_signed(step)?;
            }
            self.parts(there).map(f64::from)
        };
        let time = |step| time(step).unwrap_or(f64::INFINITY);
        Some(if axes == 2 { way_back::<2>(time) } else { way_back::<3>(time) })
    }

    /// The stored cells beside one on the grid.
    fn beside(layout: &Layout, i: usize) -> impl Iterator<Item = usize> + use<'_> {
        layout.strides().iter().flat_map(move |&stride| [i - stride, i + stride])
    }

    fn await_around(&mut self, i: usize) {
        for there in Self::beside(&self.layout, i) {
            if self.times[there] == NEVER {
                self.times[there] = WAITING;
                self.waiting.push(there as u32);
            }
        }
    }

    /// The Laplacian at a cell, positive where the wave is bent away from 0.
    fn bend<S: Real>(&self, z: &[S], i: usize, fixed: bool) -> f64 {
        let here = z[i].to_f64();
        let counts = |j: &usize| match self.times[*j] {
            OUTSIDE => false,
            WALL => fixed,
            _ => true,
        };
        let beside = Self::beside(&self.layout, i).filter(counts);
        let laplacian: f64 = beside.map(|j| z[j].to_f64() - here).sum();
        laplacian.copysign(laplacian * here)
    }

    /// Which waiting cells the last step has reached.
    fn look<S: Real>(&mut self, step: u64, now: &[S], before: &[S], fixed: bool) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut fresh = Vec::new();
        waiting.retain(|&i| {
            let i = i as usize;
            if now[i] == S::ZERO {
                return true;
            }
            let bend = self.bend(now, i, fixed);
            if bend > 0.0 {
                return true;
            }
            let last = self.bend(before, i, fixed);
            let part = if last > 0.0 { last / (last - bend) } else { 0.0 };
            // Later than the neighbour, which was reached a step before at the latest.
            let part = (part * f64::from(PARTS)).clamp(1.0, f64::from(PARTS)) as u32;
            fresh.push((i, (step as u32 - 1) * PARTS + part));
            false
        });
        self.waiting = waiting;
        self.reached += fresh.len();
        if !fresh.is_empty() {
            self.latest = step;
        }
        for &(i, time) in &fresh {
            self.times[i] = time;
        }
        for (i, _) in fresh {
            self.await_around(i);
        }
        let late = step - self.latest > self.patience || step >= MAX_STEPS;
        self.exhausted = late && !self.waiting.is_empty();
    }

    /// Takes edits over: a cell that became a wall loses its arrival and waits no longer; a cell
    /// that was freed waits if a neighbour was reached.
    pub(super) fn follow(&mut self, map: &Map, step: u64) {
        let (walls, slowest) = match self.follower.news(map.edits()) {
            News::Nothing => return,
            News::Edits(edits) => {
                let (mut walls, mut slowest) = (Vec::new(), f64::INFINITY);
                for edit in edits {
                    let (Edit::Wall(number) | Edit::Speed(number)) = edit;
                    if map.is_open(number) {
                        slowest = slowest.min(map.speeds().at(number));
                    }
                    if let Edit::Wall(number) = edit {
                        walls.push(number);
                    }
                }
                (walls, slowest.is_finite().then(|| map.delta(slowest)))
            }
            News::Everything => ((0..map.count()).collect(), Some(deltas(map)[0])),
        };
        if let Some(slowest) = slowest {
            self.patience = self.patience.max(patience(slowest));
        }
        let waited = self.waiting.len();
        let walls = walls.into_iter().map(|n| (self.layout.index(map.cell(n)), map.is_open(n)));
        let walls: Vec<(usize, bool)> = walls.collect();
        for &(i, open) in &walls {
            self.reached -= usize::from(self.times[i] < NEVER && !open);
            self.times[i] = match self.times[i] {
                _ if !open => WALL,
                WALL => NEVER,
                time => time,
            };
        }
        for &(i, open) in &walls {
            self.wait_or_not(i);
            if !open {
                for axis in 0..self.layout.strides().len() {
                    let stride = self.layout.strides()[axis];
                    self.wait_or_not(i - stride);
                    self.wait_or_not(i + stride);
                }
            }
        }
        let has_more = self.waiting.len() > waited;
        let times = &self.times;
        self.waiting.retain(|&i| times[i as usize] == WAITING);
        if has_more {
            (self.latest, self.exhausted) = (step, step >= MAX_STEPS);
        }
    }

    /// Makes a cell that was not reached wait if a neighbour was reached, and otherwise not.
    fn wait_or_not(&mut self, i: usize) {
        let reached = |there: usize| self.times[there] < NEVER;
        match self.times[i] {
            NEVER if Self::beside(&self.layout, i).any(reached) => {
                self.times[i] = WAITING;
                self.waiting.push(i as u32);
            }
            WAITING if !Self::beside(&self.layout, i).any(reached) => self.times[i] = NEVER,
            _ => (),
        }
    }

    /// Counts again the cells that were reached and those that wait.
    #[cfg(feature = "serde")]
    pub(super) fn recount(&mut self) {
        let Self { layout, times, reached, waiting, .. } = self;
        *reached = layout.indices().filter(|&i| times[i] < NEVER).count();
        let waits = layout.indices().filter(|&i| times[i] == WAITING);
        *waiting = waits.map(|i| i as u32).collect();
    }
}
