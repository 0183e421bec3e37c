//! The front of a wave: computed where the wave is on its way, and nowhere else.
//!
//! # How a cell knows that the wave has come
//! A cell is reached at the first step at which `z * laplacian(z) <= 0`, z not 0, once a neighbour
//! has been reached before: the wave has passed the point of inflection on its rising flank. What
//! runs ahead of a wave on a grid, the numerical forerunner at one cell a step along the axes, is
//! convex and never fires this rule; the inflection itself travels at the wave's own speed (the
//! leading edge of a dispersive wave is an Airy function, whose inflection lies exactly on
//! `x = c t`). That holds for walls that are free ends; between fixed walls a corridor has a
//! cut-off, and in one narrower than the wave is long the forerunner is all there is. The rule has
//! no threshold and no constant, so it is as good at any distance and any amplitude. Between two
//! steps the moment is interpolated linearly from the Laplacian.
//!
//! # Why the rest need not be computed
//! Let t0(x) be when the wave first comes to x. What happens at x until t0(x) + w can only come
//! from what happened at y until t0(x) + w - |x - y| / c, and t0(x) <= t0(y) + |x - y| / c: that is
//! at y at most w after the wave first came there. So what a wave does later than w after its
//! arrival never matters for what it does within w of its arrival anywhere, and a cell may be put
//! to rest once it and its neighbours have been reached and w has passed. On the grid this is no
//! proof, since the scheme's own cone is one cell a step; what it costs is measured in the tests.
//! Before the front, tiles further than [`FrontConfig::lead`] from a reached cell are not computed
//! either.
//!
//! # Why it never gets too faint
//! Every corner and every junction takes its part, and after thousands of them nothing would be
//! left that a number format can hold. But the scheme is linear, and tiles ahead of the front begin
//! at rest: where the wave that reaches a tile is faint, the tiles that it wakes are computed at
//! 2^32 times the amplitude (2^256 in f64), exactly, and neighbours are read across. Where a wave
//! dies all the same, since one that is very much louder runs through the same tile, it is emitted
//! again from the cells that wait for it ([`TileFront::renewals`]).

mod kernel;
mod live;
#[cfg(feature = "serde")]
mod records;
mod run;
#[cfg(feature = "serde")]
mod state;
mod terrain;
mod tiles;

use crate::arrival::field::ArrivalField;
use crate::arrival::march::{UNREACHED, way_back};
use crate::dense::real::Real;
use crate::dense::source::{Pulse, Source};
use crate::error::{WaveError, no_links, open_cell, same_medium, source_cells};
use crate::grid::{Edit, Follower, Layout, Medium, News, Space};
use crate::simd::Simd;
use live::{ASLEEP, Live, Tile, scaled};
use ndarray::Array;
use std::marker::PhantomData;
use terrain::Terrain;
use tiles::{ROWS, Spot, Tiling, WIDTH};
use xxhash_rust::xxh3::Xxh3;

/// How a front is computed. The defaults follow from the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FrontConfig {
    /// `[units: steps] [limits: 2 to 1024] suggested: leave out` The length of the emitted pulse;
    /// left out, 8 times the fastest speed over the slowest, or what a wave takes through 4 of the
    /// slowest cells if that is more, at most 248. That is good for areas 31 times slower, and for
    /// cells that take 62 steps; beyond, waves are too short for the grid and come too early.
    /// Speeds are looked at when it is emitted.
    pub pulse: Option<u32>,
    /// `[units: cells] [limits: 1 to 250] suggested: leave out` How far ahead of the reached cells
    /// the wave is computed at least; left out, 4, and where speeds differ the pulse and 2. Less is
    /// faster and less exact.
    pub lead: Option<u32>,
    /// `[units: steps] [limits: 1 to 1024] suggested: leave out` How long a cell is computed
    /// after the wave has come; left out, as long as the pulse. 32 bytes a step for every tile that
    /// is computed.
    pub rest: Option<u32>,
}

/// `[units: cells]` Waves shorter than that come too early: by 4 % at 1.6 cells, by 20 % at 0.8.
const SHORTEST: u32 = 4;
/// Arrival times are whole numbers of this part of a step, so that they are the same everywhere.
const PARTS: u32 = 256;
/// No wave has such an early arrival.
const NEVER: u32 = 0;
/// The largest number of steps of a wave: times of half the range are left for it.
const MAX_STEPS: u32 = u32::MAX / 2 / PARTS - 1;

/// A wave that visits every cell once.
///
/// It is computed in tiles of 16 x 16 cells, or 16 x 4 x 4 in 3D: those that it is about to enter,
/// is in, or has just left.
///
/// # Beside the whole wave
/// With everything computed (`lead` 250, `rest` 1024) the same cells are reached. On open ground
/// times then differ by half a step at most; on maps of games by 0.002 to 2 steps on the mean and
/// 32 at most, and directions by more than 60 degrees in up to 1.3 % of the cells. Where ground is
/// rugged the whole wave is much later, since what comes after is louder and hides what came first:
/// by 11 steps on the mean among random walls of 20 %, 74 among 35 %, 70 to 150 in mazes. The front
/// is the nearer to the least time there is: 1.02 to 1.28 times it on the mean of each of these
/// maps, the whole wave 1.02 to 1.68 times. It was up to 16 steps later, in corridors one to three
/// cells wide.
///
/// Memory: 4.3 bytes a cell for the arrivals and what is known of tiles, and 5 KiB (f64: 9) for
/// every tile that is computed at the time: on 512 x 512 cells some 60.
#[derive(Clone, Debug)]
pub struct TileFront<D: Space, S: Real = f32> {
    layout: Layout,
    config: FrontConfig,
    pulse: u32,
    lead: u32,
    rest: u32,
    /// For how many steps a tile is computed that is within the lead.
    hold: u32,
    /// How long a cell may wait for the wave once a neighbour has it.
    patience: u32,
    /// The count of edits of the medium that these were chosen for.
    suited: u64,
    /// Whether it ended with cells still waiting.
    exhausted: bool,
    simd: Simd,
    tiling: Tiling,
    tiles: Vec<Tile>,
    live: Live<S>,
    /// When the wave came, in parts of a step, counted on from wave to wave, so that a new wave
    /// need not clear what the last one left: times before `start` are of earlier waves.
    times: Vec<[[u32; WIDTH]; ROWS]>,
    /// When this wave was emitted.
    start: u32,
    /// Cells freed behind the front: closed to this wave.
    closed: Vec<u32>,
    /// A count of searches among the tiles, and work space for them.
    search: u32,
    path: Vec<(u32, [i16; 3])>,
    pulses: Vec<Pulse>,
    /// z is computed over this power of two, so that the amplitude is from 1 to 2 and what is a
    /// bound of the number format does not depend on it.
    exponent: i32,
    reached_cells: usize,
    renewals: u64,
    updates: u64,
    step: u32,
    follower: Follower,
    space: PhantomData<D>,
}

impl<D: Space> TileFront<D> {
    /// A front at rest, of `f32` numbers, with the settings that suit the medium.
    #[must_use]
    pub fn new(medium: &Medium<D>) -> Self {
        Self::typed(medium)
    }

    /// A front at rest, of `f32` numbers, with settings of the caller's.
    ///
    /// # Errors
    /// [`WaveError::Config`].
    pub fn with_config(medium: &Medium<D>, config: FrontConfig) -> Result<Self, WaveError> {
        Self::typed_with(medium, config)
    }
}

impl<D: Space, S: Real> TileFront<D, S> {
    /// A front at rest, with the settings that suit the medium.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    pub fn typed(medium: &Medium<D>) -> Self {
        let medium = &Terrain::new(medium.map());
        let mut front = Self::at_rest(medium);
        front.suit(medium);
        front
    }

    /// Sets what the caller left open to what suits the speeds of the medium.
    fn suit(&mut self, medium: &Terrain<'_, S>) {
        let (slowest, fastest) = medium.delta_range();
        let (ratio, through) = if fastest > 0.0 {
            ((fastest / slowest).sqrt(), f64::from(SHORTEST) / slowest.sqrt())
        } else {
            (1.0, 0.0)
        };
        let FrontConfig { pulse, lead, rest } = self.config;
        self.pulse = pulse.unwrap_or((8.0 * ratio).max(through).ceil().min(248.0) as u32);
        self.lead = lead.unwrap_or(if ratio > 1.0 { self.pulse + 2 } else { 4 }).min(250);
        self.rest = rest.unwrap_or(self.pulse);
        self.hold = self.pulse / 2 + 1;
        self.patience = 64 + 8 * self.pulse.max((8.0 * ratio).ceil().min(65_535.0) as u32);
        self.suited = medium.edits();
    }

    /// A front at rest, with settings of the caller's.
    ///
    /// # Errors
    /// [`WaveError::Config`].
    pub fn typed_with(medium: &Medium<D>, config: FrontConfig) -> Result<Self, WaveError> {
        let check = |what, value: Option<u32>, min, max, limit| match value {
            Some(value) if !(min..=max).contains(&value) => {
                Err(WaveError::Config { what, value, limit })
            }
            _ => Ok(()),
        };
        check("pulse", config.pulse, 2, 1024, "2 to 1024")?;
        check("lead", config.lead, 1, 250, "1 to 250")?;
        check("rest", config.rest, 1, 1024, "1 to 1024")?;
        let medium = &Terrain::new(medium.map());
        let mut front = Self::at_rest(medium);
        front.config = config;
        front.suit(medium);
        Ok(front)
    }

    fn at_rest(medium: &Terrain<'_, S>) -> Self {
        let follower = Follower::new(medium.map.edits());
        let mut front = Self::empty(medium.layout.clone(), follower);
        for i in front.layout.indices().filter(|&i| medium.is_open(i)) {
            let at = front.tiling.locate(front.layout.cell(i));
            front.tiles[at.tile].open[at.row] |= 1 << at.lane;
        }
        front
    }

    /// A front without settings, that may enter no cell.
    fn empty(layout: Layout, follower: Follower) -> Self {
        let tiling = Tiling::new(&layout);
        let tile =
            Tile { open: [0; ROWS], reached: [0; ROWS], wave: NEVER, search: 0, place: ASLEEP };
        let tiles = vec![tile; tiling.len()];
        Self {
            config: FrontConfig::default(),
            pulse: 0,
            lead: 0,
            rest: 0,
            hold: 0,
            patience: 0,
            suited: 0,
            exhausted: false,
            simd: Simd::best(),
            times: vec![[[NEVER; WIDTH]; ROWS]; tiling.inner_len()],
            tiling,
            tiles,
            live: Live::NONE,
            layout,
            start: NEVER + 1,
            closed: Vec::new(),
            search: 0,
            path: Vec::new(),
            pulses: Vec::new(),
            exponent: 0,
            reached_cells: 0,
            renewals: 0,
            updates: 0,
            step: 0,
            follower,
            space: PhantomData,
        }
    }

    /// Makes the front use `simd` from now on. Its bits do not depend on it.
    ///
    /// # Errors
    /// [`WaveError::Simd`].
    pub fn set_simd(&mut self, simd: Simd) -> Result<(), WaveError> {
        if !simd.is_available() {
            return Err(WaveError::Simd { simd });
        }
        self.simd = simd;
        Ok(())
    }

    /// Forgets the wave before and emits a new one, of amplitude 1, from all `cells` at once.
    /// Every source cell counts as reached at step 0.
    ///
    /// # Errors
    /// [`WaveError::NoSource`], [`WaveError::OutOfGrid`], [`WaveError::Wall`],
    /// [`WaveError::OtherMedium`], [`WaveError::Links`]; the wave before then goes on.
    ///
    /// # Complexity
    /// O(cells on the front before); where speeds differ, O(cells) after an edit.
    pub fn emit(&mut self, medium: &Medium<D>, cells: &[D::Cell]) -> Result<(), WaveError> {
        self.emit_scaled(medium, cells, 1.0)
    }

    /// [`TileFront::emit`] with an amplitude. A power of two as a factor changes no arrival at all,
    /// any other changes what is rounded.
    ///
    /// # Errors
    /// As [`TileFront::emit`]; [`WaveError::Source`].
    pub fn emit_scaled(
        &mut self,
        medium: &Medium<D>,
        cells: &[D::Cell],
        amplitude: f64,
    ) -> Result<(), WaveError> {
        let map = medium.map();
        no_links(map)?;
        same_medium(self.layout.size, &self.follower, map)?;
        Source::Pulse { amplitude, steps: self.pulse }.check()?;
        let cells = cells.iter().map(|&cell| D::to_zyx(cell));
        let cells = source_cells(map, cells)?.into_iter();
        let mut sources: Vec<usize> = cells.map(|cell| self.layout.index(cell)).collect();
        sources.sort_unstable();
        sources.dedup();

        let medium = &Terrain::new(map);
        self.clear();
        let known = self.sync(medium)?;
        if !known || self.suited != medium.edits() {
            self.suit(medium);
        }
        self.exponent = exponent(amplitude);
        let amplitude = amplitude * 2f64.powi(-self.exponent);
        self.live.clear(self.rest as usize);
        for i in self.closed.drain(..) {
            let at = self.tiling.locate(self.layout.cell(i as usize));
            let open = medium.is_open(i as usize);
            self.tiles[at.tile].open[at.row] |= u16::from(open) << at.lane;
        }
        self.reached_cells = sources.len();
        for index in sources {
            let at = self.tiling.locate(self.layout.cell(index));
            let place = match self.tiles[at.tile].place {
                ASLEEP => self.wake(medium, at.tile, 0),
                place => place as usize,
            };
            let mut cell = [0; ROWS];
            cell[at.row] = 1 << at.lane;
            self.tiles[at.tile].reached[at.row] |= cell[at.row];
            self.tell(at.tile, |_, _| true);
            self.times[at.inner][at.row][at.lane] = self.start;
            self.live.begin(place, at.row, at.lane);
            self.live.heads[place].until = self.pulse;
            let bounds = self.tiling.bounds(&cell);
            self.wake_around(medium, place, bounds, 0);
            self.pulses.push(Pulse { index, amplitude, steps: self.pulse, done: 0 });
        }
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
            self.times.fill([[NEVER; WIDTH]; ROWS]);
            self.tiles.iter_mut().for_each(|tile| tile.wave = NEVER);
            self.start = NEVER + 1;
        }
        if self.search > u32::MAX / 2 {
            self.tiles.iter_mut().for_each(|tile| tile.search = 0);
            self.search = 0;
        }
        self.step = 0;
        self.updates = 0;
        self.reached_cells = 0;
        self.renewals = 0;
        self.exhausted = false;
    }

    /// Steps up to `n` times, fewer if the wave ends before, and returns how many cells were
    /// computed, counted once a step.
    ///
    /// Cells that became walls since the last step lose their wave and their arrival. A cell that
    /// was freed behind the front stays unreached until the next wave, but for cells that it has
    /// just left: the wave rings there for some tens of steps, and may come out of them late. So a
    /// front may not end while walls come and go where it has just been: whoever waits for its end
    /// should wait for so many steps at the most.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells on the front) a step. Nothing is allocated once the front has been at its longest.
    pub fn step(&mut self, medium: &Medium<D>, n: usize) -> Result<u64, WaveError> {
        self.step_within(medium, n, u64::MAX)
    }

    /// [`TileFront::step`], but no step that would make it more than `updates` cells: with less
    /// than the next step takes, it stays where it is.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn step_within(
        &mut self,
        medium: &Medium<D>,
        n: usize,
        updates: u64,
    ) -> Result<u64, WaveError> {
        let medium = &Terrain::new(medium.map());
        self.sync(medium)?;
        let before = self.updates;
        for _ in 0..n {
            let spent = self.updates - before;
            if self.has_ended() || self.live.cells > updates - spent {
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
    pub fn run(&mut self, medium: &Medium<D>) -> Result<u64, WaveError> {
        self.step(medium, usize::MAX)
    }

    /// Steps until all `cells` have been reached, or the wave ends, and returns whether they have.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`], [`WaveError::OutOfGrid`], [`WaveError::Wall`].
    ///
    /// # Complexity
    /// As [`TileFront::step`], and O(cells named).
    pub fn run_until(&mut self, medium: &Medium<D>, cells: &[D::Cell]) -> Result<bool, WaveError> {
        let mut left = Vec::with_capacity(cells.len());
        for &cell in cells {
            let cell = open_cell(medium.map(), D::to_zyx(cell))?;
            left.push(self.layout.index(cell));
        }
        let medium = &Terrain::new(medium.map());
        self.sync(medium)?;
        loop {
            while left.last().is_some_and(|&i| self.is_reached(i)) {
                left.pop();
            }
            if left.is_empty() || self.has_ended() {
                return Ok(left.is_empty());
            }
            self.step_once(medium);
        }
    }

    /// Whether it can run in this medium: of its shape, and edited at least as often as the front
    /// has seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D>) -> bool {
        same_medium(self.layout.size, &self.follower, medium.map()).is_ok()
    }

    /// Edits of walls that the next step or emission takes over first.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    pub fn edits_behind(&self, medium: &Medium<D>) -> Result<u64, WaveError> {
        same_medium(self.layout.size, &self.follower, medium.map())?;
        Ok(self.follower.walls_behind(medium.map().edits()))
    }

    /// Whether nothing is on its way: every cell that a way joins to the sources has been
    /// reached, or nothing was emitted yet; or the wave [is exhausted](TileFront::is_exhausted).
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.live.heads.is_empty()
    }
    /// Whether the wave ended although cells were still waiting for it: it was on its way for 8
    /// million steps. Only then does a wave's end prove nothing.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
    /// Steps since the emission.
    #[must_use]
    pub fn steps(&self) -> u64 {
        u64::from(self.step)
    }
    /// Cell updates since the emission, walls counted: the cost of the wave so far.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }
    /// What the next step costs, if the map stays as it is: the cells that are computed now.
    #[must_use]
    pub fn live_cells(&self) -> u64 {
        self.live.cells
    }
    /// Cells in which the wave had died before it came there, so that it was emitted again from
    /// them. It comes late there and from there on; none is known on maps of games.
    #[must_use]
    pub fn renewals(&self) -> u64 {
        self.renewals
    }
    /// Cells reached since the emission.
    #[must_use]
    pub fn reached_cells(&self) -> usize {
        self.reached_cells
    }

    /// `[units: steps]` When the wave came to `cell`: in 256ths of a step, and larger than at the
    /// neighbour that it came from. `None` in cells not reached and outside the grid.
    #[must_use]
    pub fn arrival(&self, cell: D::Cell) -> Option<f64> {
        let zyx = D::to_zyx(cell);
        let parts = self.layout.contains(zyx).then(|| self.parts(zyx))??;
        Some(f64::from(parts) / f64::from(PARTS))
    }

    /// Where the wave came from, as a unit vector: the way home. Zero at the sources, `None` in
    /// cells not reached.
    ///
    /// The direction is the negative gradient of the arrival time, per axis toward the neighbour
    /// that was reached first. Where only one axis has an earlier neighbour, as behind corners, it
    /// is the gradient over the triangle (3D: over two) of the cell, that neighbour and the earlier
    /// one of the cells beside it.
    #[must_use]
    pub fn direction(&self, cell: D::Cell) -> Option<D::Point> {
        self.way(D::to_zyx(cell)).map(D::from_xyz)
    }

    fn way(&self, zyx: [usize; 3]) -> Option<[f64; 3]> {
        self.layout.contains(zyx).then(|| self.parts(zyx))??;
        let time = |[x, y, z]: [isize; 3]| {
            let mut there = zyx;
            for (there, step) in there.iter_mut().zip([z, y, x]) {
                *there = there.checked_add_signed(step)?;
            }
            self.layout.contains(there).then(|| self.parts(there))?.map(f64::from)
        };
        let time = |step| time(step).unwrap_or(f64::INFINITY);
        Some(if D::AXES == 2 { way_back::<2>(time) } else { way_back::<3>(time) })
    }

    /// When the wave came to every cell, in steps, of the grid's shape; infinite where it did not.
    ///
    /// # Complexity
    /// O(cells).
    #[must_use]
    #[allow(clippy::missing_panics_doc)] // a new array is in the standard order
    pub fn arrivals(&self) -> Array<f32, D> {
        let [_, ny, nx] = self.layout.size;
        let mut times = Array::zeros(D::shape(D::from_zyx(self.layout.size)));
        let rows = times.as_slice_mut().expect("the standard order");
        let mut parts = vec![UNREACHED; nx];
        for (r, row) in rows.chunks_mut(nx).enumerate() {
            self.parts_of_row([r / ny, r % ny, 0], &mut parts);
            for (to, &parts) in row.iter_mut().zip(&parts) {
                let steps = parts as f32 / PARTS as f32;
                *to = if parts == UNREACHED { f32::INFINITY } else { steps };
            }
        }
        times
    }

    /// Writes times and directions of all cells into a field for the same medium. Allocates
    /// nothing.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`] if the field is of another shape.
    ///
    /// # Complexity
    /// O(cells).
    pub fn write_field(&self, field: &mut ArrivalField<D>) -> Result<(), WaveError> {
        field.write_rows(self.layout.size, |cell, times, ways| {
            let mut parts = vec![UNREACHED; times.len()];
            self.parts_of_row(cell, &mut parts);
            for (x, (time, way)) in times.iter_mut().zip(ways).enumerate() {
                let came = parts[x] != UNREACHED;
                *time = if came { parts[x] as f32 / PARTS as f32 } else { f32::INFINITY };
                let to = self.way([cell[0], cell[1], x]).unwrap_or_default();
                *way = D::direction(to.map(|w| w as f32));
            }
        })
    }

    /// The arrivals in the cells of a row from `[z, y, 0]` on, in parts of a step.
    fn parts_of_row(&self, [z, y, _]: [usize; 3], row: &mut [i32]) {
        for (i, row) in row.chunks_mut(WIDTH).enumerate() {
            let Spot { tile, inner, row: r, .. } = self.tiling.locate([z, y, i * WIDTH]);
            let tile = &self.tiles[tile];
            let reached = tile.reached(self.start)[r];
            let (times, fresh) = match self.live.heads.get(tile.place as usize) {
                Some(head) => (&head.times.0[r], head.fresh[r]),
                None => (&self.times[inner][r], u16::MAX),
            };
            let old = &self.times[inner][r];
            for (lane, to) in row.iter_mut().enumerate() {
                let time = if fresh >> lane & 1 == 1 { times[lane] } else { old[lane] };
                let parts = time.wrapping_sub(self.start) as i32;
                *to = if reached >> lane & 1 == 1 { parts } else { UNREACHED };
            }
        }
    }

    /// z of `cell`, 0 where it is not computed and outside the grid, and where it is under
    /// [`Real::FLOOR`].
    #[must_use]
    pub fn value(&self, cell: D::Cell) -> S {
        let zyx = D::to_zyx(cell);
        if !self.layout.contains(zyx) {
            return S::ZERO;
        }
        let at = self.tiling.locate(zyx);
        match self.tiles[at.tile].place {
            ASLEEP => S::ZERO,
            place => {
                let place = place as usize;
                let z = scaled(self.live.now[place].get(at.row, at.lane), self.live.gains[place]);
                (z * S::from_f64(2f64.powi(self.exponent))).floored()
            }
        }
    }

    /// A hash of the whole state: equal for equal bits.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.step.to_le_bytes());
        hash.update(&self.exponent.to_le_bytes());
        for i in self.layout.indices() {
            let since = self.parts(self.layout.cell(i)).map_or(0, |parts| parts + 1);
            hash.update(&since.to_le_bytes());
        }
        for (tile, place) in self.tiles.iter().map(|tile| tile.place).enumerate() {
            if place == ASLEEP {
                continue;
            }
            hash.update(&(tile as u64).to_le_bytes());
            let place = place as usize;
            hash.update(&self.live.gains[place].to_le_bytes());
            for block in [&self.live.now, &self.live.prev] {
                for z in block[place].cells() {
                    hash.update(&z.bits().to_le_bytes());
                }
            }
        }
        hash.digest()
    }

    /// When the wave came to a cell inside the grid, in parts of a step.
    fn parts(&self, cell: [usize; 3]) -> Option<u32> {
        let Spot { tile, inner, row, lane } = self.tiling.locate(cell);
        let tile = &self.tiles[tile];
        if tile.reached(self.start)[row] >> lane & 1 == 0 {
            return None;
        }
        let time = match self.live.heads.get(tile.place as usize) {
            Some(head) if head.fresh[row] >> lane & 1 == 1 => head.times.0[row][lane],
            _ => self.times[inner][row][lane],
        };
        Some(time - self.start)
    }

    fn is_reached(&self, index: usize) -> bool {
        index >= self.layout.lead && {
            let cell = self.layout.cell(index);
            self.layout.contains(cell) && self.parts(cell).is_some()
        }
    }

    /// Takes over what was edited. Whether it knew the map before.
    fn sync(&mut self, medium: &Terrain<'_, S>) -> Result<bool, WaveError> {
        same_medium(self.layout.size, &self.follower, medium.map)?;
        let unseen = match self.follower.news(medium.map.edits()) {
            News::Nothing => return Ok(true),
            News::Edits(edits) => Some(edits.collect::<Vec<_>>()),
            News::Everything => None,
        };
        let is_speed = |edit: &Edit| matches!(edit, Edit::Speed(_));
        if unseen.as_ref().is_none_or(|edits| edits.iter().any(is_speed)) {
            for place in 0..self.live.heads.len() {
                self.live.read_medium(medium, &self.tiling, place);
            }
        }
        let known = unseen.is_some();
        let walls = unseen.map(|edits| {
            let wall = |edit| match edit {
                Edit::Wall(number) => Some(self.layout.index(medium.map.cell(number))),
                Edit::Speed(_) => None,
            };
            edits.into_iter().filter_map(wall).collect::<Vec<_>>()
        });
        if walls.as_ref().is_none_or(|walls| !walls.is_empty()) {
            self.follow_edits(medium, walls);
        }
        Ok(known)
    }
}

/// That of the highest bit of a normal number.
fn exponent(amplitude: f64) -> i32 {
    (amplitude.to_bits() >> 52 & 0x7ff) as i32 - 1023
}
