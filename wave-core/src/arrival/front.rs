//! A front in the limit of short waves that goes on step by step.

#[cfg(feature = "serde")]
mod state;

use crate::arrival::march::{LATEST, March, SLOWEST, UNREACHED, WALL, entry, time_of};
use crate::dense::real::Real;
use crate::dense::wave::{same_medium, source_indices};
use crate::error::WaveError;
use crate::grid::layout::Layout;
use crate::grid::medium::Medium;
use crate::grid::space::Space;
use crate::simd::Simd;
use ndarray::Array;
use std::marker::PhantomData;
use xxhash_rust::xxh3::Xxh3;

/// Waves follow one another in time downward, this far apart: what an earlier one left is later
/// than anything that a new one brings, and need not be cleared. A whole number of turns of any
/// ring.
const SPAN: i32 = 1 << 22;
const _: () = assert!(2 * SLOWEST < SPAN);
/// When the first wave begins.
const FIRST: i32 = LATEST / SPAN * SPAN - SPAN;

/// The front of a wave in the limit of short waves, on its way: where it comes to a cell at the
/// time T of the eikonal equation `|grad T| = 1 / c`, as in [`ArrivalField::solve`].
///
/// It is what a [`TileFront`] becomes where waves are short beside everything they meet: beside
/// slow areas and their edges, too, around which a wave longer than they are wide goes as if they
/// were not there. Where speeds differ it tells the way of least time to some 1 %; where they
/// change from cell to cell to 1 to 7 %, and on chessboards to 3 to 18 %. A front is 1 to 30 % off,
/// and near its source, where some of the ground is 20 times slower or more, up to 60 %: its waves
/// are as long as that asks for. This one takes 0.03 to 0.2 of the time; it has no z, and no
/// [wall rule](crate::WallRule).
///
/// ```
/// use ndarray::{Array2, Ix2};
/// use wave_core::{Front, Medium};
///
/// // A slow block, twice as wide as high, between two places.
/// let mut speeds = Array2::from_elem([41, 61], 1.0_f32);
/// for y in 17..24 {
///     (20..40).for_each(|x| speeds[[y, x]] = 0.25);
/// }
/// let medium = Medium::<Ix2>::builder([41, 61]).speeds(&speeds).dt(0.7).build()?;
/// let mut front = Front::new(&medium);
/// front.emit(&medium, &[[20, 55]])?;
/// front.run(&medium)?;
///
/// // Who comes from the other side is sent around it: straight on takes 14 + 15 + 20 / 0.25.
/// let travel_time = front.arrival([20, 5]).unwrap() * medium.dt();
/// assert!((50.0..52.0).contains(&travel_time));
/// # Ok::<(), wave_core::WaveError>(())
/// ```
///
/// Memory: 4 bytes a cell, another 4 where speeds differ, 16 for every cell that it is in at the
/// time; where a cell is r times slower than another 120 r to 240 r, in 3D 240 r to 490 r.
///
/// [`ArrivalField::solve`]: crate::ArrivalField::solve
/// [`TileFront`]: crate::TileFront
#[derive(Clone, Debug)]
pub struct Front<D: Space, S: Real = f32> {
    march: March,
    /// When this wave began, and from when on times are of earlier ones.
    start: i32,
    later: i32,
    /// When the portion begins that is next, or the last one began.
    time: i32,
    /// Steps that it was given.
    clock: u64,
    /// Until when a cell may stand in the queue twice that was built over while offers for it were
    /// there, and freed.
    twice_until: i32,
    ended: bool,
    exhausted: bool,
    reached_cells: usize,
    updates: u64,
    seen: u64,
    /// The count of speed edits that the slowness is of.
    speeds_of: Option<u64>,
    /// The medium that all this was seen of.
    medium: Option<u64>,
    space: PhantomData<(D, S)>,
}

impl<D: Space, S: Real> Front<D, S> {
    /// What a cell that is reached counts for in [`Front::updates`]: it takes about as long
    /// as so many cell updates of a [`TileFront`](crate::TileFront); with AVX2, where all have one
    /// speed, half as long on a flat grid and a third or less on a deep one; where speeds change
    /// from cell to cell, up to 2.6 times as long as those.
    pub const UPDATES_PER_CELL: u64 = 20;

    /// A front at rest.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn new(medium: &Medium<D, S>) -> Self {
        let mut front = Self::empty(&medium.layout);
        front.march.read_walls(medium);
        front.seen = medium.revision();
        front.medium = Some(medium.identity.number());
        front
    }

    fn empty(layout: &Layout) -> Self {
        Self {
            march: March::new(layout),
            start: FIRST + SPAN,
            later: UNREACHED,
            time: FIRST + SPAN,
            clock: 0,
            twice_until: i32::MIN,
            ended: true,
            exhausted: false,
            reached_cells: 0,
            updates: 0,
            seen: 0,
            speeds_of: None,
            medium: None,
            space: PhantomData,
        }
    }

    /// Makes the front use `simd` from now on, where it knows it: AVX2 and what has more. Its bits
    /// do not depend on it.
    ///
    /// # Errors
    /// [`WaveError::Simd`].
    pub fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        self.march.set_simd(simd)
    }

    /// Forgets the wave before and emits a new one from all `cells` at once, at the speeds that the
    /// medium then has.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::OtherMedium`]; the wave before then goes on.
    ///
    /// # Complexity
    /// O(sources); O(cells) after speeds were edited, every 500 waves, and where a cell is 800
    /// times slower than another.
    pub fn emit(&mut self, medium: &Medium<D, S>, cells: &[D::Cell]) -> Result<(), WaveError> {
        same_medium(self.march.layout(), self.seen, medium)?;
        let sources = source_indices(medium, cells)?;
        let known = self.knows(medium);
        self.clear();
        self.sync(medium)?;
        if !known || self.speeds_of != Some(medium.speed_edits()) {
            // Walls may be opened.
            self.march.read_speeds(medium, |_| true);
            self.speeds_of = Some(medium.speed_edits());
        }
        if self.march.slowest > SPAN / 16 {
            // What begins around the sources reaches further than earlier waves are away.
            self.forget_from(self.later);
        }
        self.march.begin(&sources, self.start);
        self.ended = false;
        self.seek();
        Ok(())
    }

    /// Forgets the wave and all arrivals.
    ///
    /// # Complexity
    /// O(1); every 500 waves O(cells).
    pub fn clear(&mut self) {
        self.later = self.start;
        self.start -= SPAN;
        if self.start < 0 {
            self.forget_from(0);
            self.start = FIRST;
        }
        (self.time, self.clock, self.twice_until) = (self.start, 0, i32::MIN);
        (self.ended, self.exhausted) = (true, false);
        (self.reached_cells, self.updates) = (0, 0);
    }

    /// Lets nothing have come at `time` or later.
    fn forget_from(&mut self, time: i32) {
        let stale = |t: &&mut i32| **t >= time && **t != WALL;
        self.march.times.iter_mut().filter(stale).for_each(|t| *t = UNREACHED);
        self.later = UNREACHED;
    }

    /// Steps up to `n` times, fewer if it ends before, and returns the updates spent. A cell that
    /// becomes a wall loses its arrival, and the cells behind it keep theirs. A cell that is freed
    /// beside one that was reached, while the wave is on its way, is reached next; what was reached
    /// behind it stays as it is. Ways that edits make shorter or longer are the next wave's, and so
    /// are speeds that are set.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells reached in these steps + their time over 0.4, in 3D 0.2, of what the fastest cell
    /// takes); once in a wave of over 9,000 times that, O(cells). Nothing is allocated once the
    /// front has been at its longest.
    pub fn step(&mut self, medium: &Medium<D, S>, n: usize) -> Result<u64, WaveError> {
        self.step_within(medium, n, u64::MAX)
    }

    /// [`Front::step`], but it stops before it spends more than `updates`, in the middle of a
    /// step if need be: what comes within 0.4 of what the fastest cell takes (in 3D 0.2) is one
    /// portion, and with less than [`Front::next_updates`] it stays where it is.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn step_within(
        &mut self,
        medium: &Medium<D, S>,
        n: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        self.sync(medium)?;
        let before = self.updates;
        let until = self.clock.saturating_add(n as u64);
        while !self.ended && self.steps_gone() < until as f64 {
            if self.next_updates() > updates - (self.updates - before) {
                // What was due remains due.
                self.clock = self.clock.max(self.steps_gone() as u64);
                return Ok(self.updates - before);
            }
            self.take();
        }
        self.clock = until;
        Ok(self.updates - before)
    }

    /// Steps until the wave ends.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn run(&mut self, medium: &Medium<D, S>) -> Result<u64, WaveError> {
        self.step(medium, usize::MAX)
    }

    /// Reaches the cells of the next portion.
    fn take(&mut self) {
        let Some(place) = self.march.queue.seek() else { return };
        let cells = self.march.queue.ring[place].len();
        self.reached_cells += cells;
        self.updates += cells as u64 * Self::UPDATES_PER_CELL;
        self.march.take_while(|_, _| false);
        self.seek();
    }

    /// Goes on to the next portion, rid of cells that something came to earlier.
    fn seek(&mut self) {
        let March { times, queue, .. } = &mut self.march;
        while let Some(place) = queue.seek() {
            queue.ring[place].retain(|&taken| times[taken as u32 as usize] == time_of(taken));
            if queue.time() as i32 <= self.twice_until {
                queue.ring[place].sort_unstable();
                queue.ring[place].dedup();
            }
            if !queue.ring[place].is_empty() {
                self.time = queue.time() as i32;
                return self.keep_clear();
            }
        }
        self.ended = true;
    }

    /// Keeps what is on its way apart from what earlier waves left, and from the last number.
    fn keep_clear(&mut self) {
        let ahead = self.march.queue.span();
        if self.later < UNREACHED && self.time > self.later - ahead {
            self.forget_from(self.later);
        }
        if self.time > LATEST - ahead && self.start > 0 {
            let March { times, queue, .. } = &mut self.march;
            times.iter_mut().filter(|t| **t < UNREACHED).for_each(|t| *t -= self.start);
            queue.shift_down(self.start);
            self.time -= self.start;
            self.twice_until = self.twice_until.saturating_sub(self.start);
            self.start = 0;
        }
        if self.time > LATEST {
            (self.ended, self.exhausted) = (true, true);
        }
    }

    /// Takes over what became a wall or free since.
    fn sync(&mut self, medium: &Medium<D, S>) -> Result<(), WaveError> {
        same_medium(self.march.layout(), self.seen, medium)?;
        let known = self.knows(medium);
        if self.seen == medium.revision() && known {
            return Ok(());
        }
        let layout = self.march.layout().clone();
        // Walls first: whether a cell is freed beside one that was reached hangs on no order then.
        for opened in [false, true] {
            let fits = |i: &usize| medium.is_open(*i) == opened;
            if let Some(edits) = medium.edits_since(self.seen).filter(|_| known) {
                edits.filter(fits).for_each(|i| self.follow_edit(i, opened));
            } else {
                layout.indices().filter(fits).for_each(|i| self.follow_edit(i, opened));
            }
        }
        self.seen = medium.revision();
        self.medium = Some(medium.identity.number());
        if !self.ended {
            self.seek();
        }
        Ok(())
    }

    /// Whether what it has seen was this medium's.
    fn knows(&self, medium: &Medium<D, S>) -> bool {
        self.medium == Some(medium.identity.number())
    }

    fn follow_edit(&mut self, i: usize, open: bool) {
        let was_open = self.march.times[i] != WALL;
        if open == was_open {
            return;
        }
        if !open {
            let time = std::mem::replace(&mut self.march.times[i], WALL);
            let span = self.march.queue.span();
            if !self.ended {
                self.march.queue.forget_seed(i);
                if time < self.later && time >= self.time - span {
                    self.twice_until = self.time + span;
                }
            }
            if time < self.limit() {
                self.reached_cells -= 1;
            } else if time < self.later {
                self.march.queue.remove(entry(time, i));
            }
            return;
        }
        self.march.times[i] = UNREACHED;
        if self.ended {
            return;
        }
        let beside = self.march.layout().strides().iter().flat_map(|&s| [i - s, i + s]);
        let first = beside.filter(|&j| self.is_reached(j)).map(|j| self.march.times[j]).min();
        if let Some(first) = first {
            let each = self.march.slowness(i);
            let time = (first + each).max(self.time);
            self.march.times[i] = time;
            self.march.queue.push(entry(time, i));
        }
    }

    /// From when on nothing has come yet.
    fn limit(&self) -> i32 {
        if self.ended && !self.exhausted { self.later } else { self.time }
    }

    fn is_reached(&self, i: usize) -> bool {
        self.march.times[i] < self.limit()
    }

    /// Whether it can run in this medium: of its shape, and edited at least as often as the front
    /// has seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D, S>) -> bool {
        same_medium(self.march.layout(), self.seen, medium).is_ok()
    }
    /// Edits of walls that the next step or emission takes over first.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn edits_behind(&self, medium: &Medium<D, S>) -> Result<u64, WaveError> {
        same_medium(self.march.layout(), self.seen, medium)?;
        Ok(medium.revision() - self.seen)
    }
    /// Whether nothing is on its way: when it ended, every cell that a way joined to the sources
    /// had been reached; or nothing was emitted yet, or the wave
    /// [is exhausted](Front::is_exhausted).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }
    /// Whether the wave ended although cells were still waiting for it: it was on its way for 6.6e6
    /// times what the fastest cell takes. Only then does a wave's end prove nothing.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.clock.min(self.steps_gone() as u64)
    }

    /// `[units: steps]` When the next portion is due.
    fn steps_gone(&self) -> f64 {
        f64::from(self.time - self.start) * self.march.unit
    }

    /// [`Front::UPDATES_PER_CELL`] for every cell reached since the emission: the cost of the
    /// wave so far.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }
    /// What the next portion costs, if the map stays as it is.
    #[must_use]
    pub fn next_updates(&self) -> u64 {
        if self.ended {
            return 0;
        }
        self.march.queue.portion() as u64 * Self::UPDATES_PER_CELL
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        self.reached_cells
    }

    /// `[units: steps]` When the wave came to `cell`: larger than at the neighbour that it came
    /// from, in whole 320ths of what the fastest cell takes. `None` in cells not reached and
    /// outside the grid.
    #[must_use]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        let i = self.index(D::to_zyx(cell)).filter(|&i| self.is_reached(i))?;
        Some(f64::from(self.march.times[i] - self.start) * self.march.unit)
    }

    /// Where the wave came from, as a unit vector: the way home, as in
    /// [`ArrivalField::directions`](crate::ArrivalField::directions). Zero at the sources, `None`
    /// in cells not reached.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        let i = self.index(D::to_zyx(cell)).filter(|&i| self.is_reached(i))?;
        let way = self.march.way_from(i, self.limit());
        Some(D::from_xyz(way))
    }

    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    #[allow(clippy::missing_panics_doc)] // a new array is in the standard order
    pub fn arrivals(&self) -> Array<f32, D> {
        let layout = self.march.layout();
        let mut times = Array::from_elem(D::shape(D::from_zyx(layout.size)), f32::INFINITY);
        let cells = times.as_slice_mut().expect("the standard order");
        for (to, i) in cells.iter_mut().zip(layout.indices()) {
            if self.is_reached(i) {
                *to = (self.march.times[i] - self.start) as f32 * self.march.unit as f32;
            }
        }
        times
    }

    fn index(&self, cell: [usize; 3]) -> Option<usize> {
        let layout = self.march.layout();
        layout.contains(cell).then(|| layout.index(cell))
    }

    /// A hash of the whole state: equal for equal bits. How far it was asked to go beyond its end
    /// is no part of it.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&(self.time - self.start).to_le_bytes());
        let clock = if self.ended { self.steps() } else { self.clock };
        hash.update(&clock.to_le_bytes());
        hash.update(&[u8::from(self.ended), u8::from(self.exhausted)]);
        for i in self.march.layout().indices() {
            let time = self.march.times[i];
            let since = if time < self.later { time - self.start + 1 } else { 0 };
            hash.update(&since.to_le_bytes());
        }
        hash.digest()
    }
}
