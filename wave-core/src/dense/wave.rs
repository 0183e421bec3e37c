//! A dense wave: every cell of the grid, every step.

use super::coefficients::Coefficients;
use super::real::Real;
#[cfg(feature = "serde")]
use super::snapshot::WaveRecord;
use super::source::{Pulse, Source};
use super::storage::{Cells, Role, cells};
use crate::error::{WaveError, no_links, open_cell, same_medium};
use crate::grid::{Follower, Layout, Map, Medium, News, Space, WallRule};
use crate::simd::Simd;
use ndarray::{ArrayView, ShapeBuilder};
use std::marker::PhantomData;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// A wave on two buffers.
///
/// One step computes `z' = delta * sum + (2 - k * delta) * z - z_prev` in every cell
/// (watanabe-2021 eq. 13-15, kumagai-2024 eq. 2.14); with damping, `m = mu dt / 2`,
/// `z' = (delta * sum + (2 - k * delta) * z - (1 - m) * z_prev) / (1 + m)`.
///
/// delta, `(c dt / h)^2`, is a multiple of [`Real::EPSILON`]. So the coefficients of a step add up
/// exactly, and energy is kept over a million steps. A speed is then wrong by some
/// `Real::EPSILON / (4 delta)` of itself at most. With the suggested time step, in `f32`, that is
/// 0.1 % for a hundredth of the fastest speed and 10 % for a thousandth.
///
/// Memory: two numbers a cell, and the coefficients of a step, which clones share until the medium
/// is edited: one number a cell, on flat grids two, and a byte where few kinds of cells make a step
/// faster. Rows are padded: a grid that is narrow along x takes more.
///
/// For rollback, clone a wave, or write and read it with the feature `serde`: the copy goes on with
/// the same bits, as [`Wave::state_hash`] shows. Pair a wave that was read with the medium that it
/// was made for, or with that medium's deserialised copy.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = "", try_from = "WaveRecord", into = "WaveRecord"))]
pub struct Wave<D: Space, S: Real = f32> {
    pub(super) layout: Layout,
    pub(super) now: Cells<S>,
    pub(super) prev: Cells<S>,
    pub(super) steps: u64,
    pub(super) follower: Follower,
    /// The coefficients of a step. `None` after a snapshot was read, until the next step.
    medium: Option<Arc<Coefficients<S>>>,
    pub(super) pulses: Vec<Pulse>,
    simd: Simd,
    space: PhantomData<D>,
}

impl<D: Space> Wave<D> {
    /// A wave at rest, of `f32` numbers; [`Wave::typed`] makes one of others.
    ///
    /// # Errors
    /// [`WaveError::TooLarge`], [`WaveError::Links`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn new(medium: &Medium<D>) -> Result<Self, WaveError> {
        Self::typed(medium)
    }
}

impl<D: Space, S: Real> Wave<D, S> {
    /// A wave at rest, as in `Wave::<_, f64>::typed(&medium)`.
    ///
    /// # Errors
    /// [`WaveError::TooLarge`], [`WaveError::Links`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn typed(medium: &Medium<D>) -> Result<Self, WaveError> {
        let map = medium.map();
        no_links(map)?;
        let too_large = || WaveError::TooLarge { shape: map.name(map.size()) };
        let layout = Coefficients::<S>::layout(map.size()).ok_or_else(too_large)?;
        let mut wave = Self::at_rest(layout, Follower::new(map.edits()));
        wave.medium = Some(Arc::new(Coefficients::new(map, wave.layout.clone())));
        Ok(wave)
    }

    pub(super) fn at_rest(layout: Layout, follower: Follower) -> Self {
        Self {
            now: cells(&layout, Role::Now, S::ZERO),
            prev: cells(&layout, Role::Prev, S::ZERO),
            layout,
            steps: 0,
            follower,
            medium: None,
            pulses: Vec::new(),
            simd: Simd::best(),
            space: PhantomData,
        }
    }

    /// Emits from `cell`. An impulse or a kick acts at once, a pulse during the steps that follow.
    /// Several sources add up.
    ///
    /// # Errors
    /// [`WaveError::OutOfGrid`], [`WaveError::Wall`], [`WaveError::Source`],
    /// [`WaveError::OtherMedium`].
    pub fn emit(
        &mut self,
        medium: &Medium<D>,
        cell: D::Cell,
        source: Source,
    ) -> Result<(), WaveError> {
        self.check_medium(medium.map())?;
        source.check()?;
        let index = self.layout.index(open_cell(medium.map(), D::to_zyx(cell))?);
        match source {
            Source::Impulse { amplitude } => {
                self.now[index] += S::from_f64(amplitude);
                self.prev[index] += S::from_f64(amplitude);
            }
            Source::Kick { amplitude } => self.now[index] += S::from_f64(amplitude),
            Source::Pulse { amplitude, steps } => {
                self.pulses.push(Pulse { index, amplitude, steps, done: 0 });
            }
        }
        Ok(())
    }

    /// Steps `n` times. Edits of the medium since the last step count from the first step on.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(n * cells), and O(edits).
    pub fn step(&mut self, medium: &Medium<D>, n: usize) -> Result<(), WaveError> {
        self.sync(medium.map())?;
        let Some(coefficients) = self.medium.as_ref().filter(|_| n > 0) else { return Ok(()) };
        let (now, prev) = (&mut self.now[..], &mut self.prev[..]);
        S::run(coefficients, self.simd, [now, prev], &self.pulses, n);
        if n % 2 == 1 {
            std::mem::swap(&mut self.now, &mut self.prev);
        }
        for pulse in &mut self.pulses {
            pulse.done = u32::try_from(n).unwrap_or(u32::MAX).saturating_add(pulse.done);
        }
        self.pulses.retain(|p| p.done < p.steps);
        self.steps += n as u64;
        Ok(())
    }

    /// Makes the wave use `simd` from now on. Its bits do not depend on it.
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

    /// Puts every cell to rest and forgets pulses that are still going out.
    pub fn clear(&mut self) {
        self.now.fill(S::ZERO);
        self.prev.fill(S::ZERO);
        self.pulses.clear();
        self.steps = 0;
    }

    /// Steps since the start or the last [`Wave::clear`].
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// z of every cell, of the grid's shape; 0 in walls once the wave has stepped after an edit.
    #[must_use]
    pub fn values(&self) -> ArrayView<'_, S, D> {
        self.view(&self.now)
    }

    /// z of every cell one step ago, of the grid's shape.
    #[must_use]
    pub fn previous(&self) -> ArrayView<'_, S, D> {
        self.view(&self.prev)
    }

    /// The discrete energy
    /// `sum (z' - z)^2 / (2 delta) + 1/2 sum over edges (z'_i - z'_j)(z_i - z_j)`, where edges to
    /// fixed walls count with `z_j = 0` and edges to free walls and to the outside are left out. It
    /// stays the same from step to step while nothing is damped, emitted or edited, also where the
    /// speed varies. Summed in f64.
    ///
    /// # Errors
    /// [`WaveError::OtherMedium`].
    ///
    /// # Complexity
    /// O(cells).
    pub fn energy(&self, medium: &Medium<D>) -> Result<f64, WaveError> {
        let map = medium.map();
        self.check_medium(map)?;
        let size = map.size();
        let stride = [1, size[2], size[2] * size[1]];
        let mut total = 0.0;
        for (i, number) in self.layout.indices().zip(0..).filter(|&(_, n)| map.is_open(n)) {
            let value = |i: usize| (self.now[i].to_f64(), self.prev[i].to_f64());
            let (now, prev) = value(i);
            let delta = Coefficients::<S>::delta_of(map, map.speeds().at(number)).to_f64();
            total += (now - prev).powi(2) / (2.0 * delta);
            let cell = map.cell(number);
            for (a, &s) in self.layout.strides().iter().enumerate() {
                let (c, n, step) = (cell[2 - a], size[2 - a], stride[a]);
                let fixed = |j: usize| map.wall_rule() == WallRule::Fixed && !map.is_open(j);
                // Each edge between open cells once, by its lower end; to fixed walls, both.
                if c + 1 < n && map.is_open(number + step) {
                    let (there, before) = value(i + s);
                    total += 0.5 * (now - there) * (prev - before);
                } else if c + 1 < n && fixed(number + step) {
                    total += 0.5 * now * prev;
                }
                if c > 0 && fixed(number - step) {
                    total += 0.5 * now * prev;
                }
            }
        }
        Ok(total)
    }

    /// A hash of the whole state: equal for equal bits.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.steps.to_le_bytes());
        for i in self.layout.indices() {
            hash.update(&self.now[i].bits().to_le_bytes());
            hash.update(&self.prev[i].bits().to_le_bytes());
        }
        for p in &self.pulses {
            for i in self.layout.cell(p.index) {
                hash.update(&(i as u64).to_le_bytes());
            }
            hash.update(&p.amplitude.to_bits().to_le_bytes());
            hash.update(&p.steps.to_le_bytes());
            hash.update(&p.done.to_le_bytes());
        }
        hash.digest()
    }

    /// Whether it can run in this medium: one of its shape, edited at least as often as the wave
    /// has seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D>) -> bool {
        self.check_medium(medium.map()).is_ok()
    }

    pub(super) fn now(&self) -> &[S] {
        &self.now
    }

    /// z of one step ago.
    pub(super) fn before(&self) -> &[S] {
        &self.prev
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn check_medium(&self, map: &Map) -> Result<(), WaveError> {
        no_links(map)?;
        same_medium(self.layout.size, &self.follower, map)
    }

    fn view<'a>(&'a self, z: &'a [S]) -> ArrayView<'a, S, D> {
        let Layout { lead, row, plane, size, .. } = self.layout;
        let shape = D::shape(D::from_zyx(size));
        let strides = D::shape(D::from_zyx([plane, row, 1]));
        // The layout holds every index that shape and strides can name.
        ArrayView::from_shape(shape.strides(strides), &z[lead..]).expect("the layout fits")
    }

    /// Takes over edits, and puts cells to rest that became walls (cells that became free are at
    /// rest already).
    fn sync(&mut self, map: &Map) -> Result<(), WaveError> {
        self.check_medium(map)?;
        let news = self.follower.news(map.edits());
        if matches!((&news, &self.medium), (News::Nothing, Some(_))) {
            return Ok(());
        }
        let layout = &self.layout;
        let medium =
            self.medium.get_or_insert_with(|| Arc::new(Coefficients::new(map, layout.clone())));
        let medium = Arc::make_mut(medium);
        let (now, prev) = (&mut self.now, &mut self.prev);
        let mut edited = Vec::new();
        medium.follow(map, news, |i| edited.push(i));
        for i in edited.into_iter().filter(|&i| !medium.is_open(i)) {
            (now[i], prev[i]) = (S::ZERO, S::ZERO);
        }
        self.pulses.retain(|p| medium.is_open(p.index));
        Ok(())
    }
}
