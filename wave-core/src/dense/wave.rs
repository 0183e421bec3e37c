//! A dense wave: every cell of the grid, every step.

use crate::dense::real::Real;
use crate::dense::run::Run;
use crate::dense::source::{Pulse, Source};
use crate::error::WaveError;
use crate::grid::layout::{Cells, Layout, Role};
use crate::grid::medium::{Medium, WallRule};
use crate::grid::space::Space;
use crate::simd::Simd;
#[cfg(feature = "serde")]
use crate::state::{self, PulseState, StateError, WaveState};
use ndarray::{ArrayView, ShapeBuilder};
use std::marker::PhantomData;
use xxhash_rust::xxh3::Xxh3;

/// A wave on two buffers.
///
/// One step computes `z' = delta * sum + (2 - k * delta) * z - z_prev` in every cell
/// (watanabe-2021 eq. 13-15, kumagai-2024 eq. 2.14); with damping, `m = mu dt / 2`,
/// `z' = (delta * sum + (2 - k * delta) * z - (1 - m) * z_prev) / (1 + m)`.
///
/// Memory: two numbers a cell.
///
/// For rollback, clone a wave, or with the feature `serde` write and read it: either goes on in
/// the same bits, which [`Wave::state_hash`] shows. A wave that was read wants its medium, or one
/// that was read, too.
#[derive(Clone, Debug)]
pub struct Wave<D: Space, S: Real = f32> {
    layout: Layout,
    now: Cells<S>,
    prev: Cells<S>,
    steps: u64,
    seen: u64,
    /// The medium in whose walls it is known to be at rest, which a snapshot does not prove.
    medium: Option<u64>,
    pulses: Vec<Pulse>,
    simd: Simd,
    space: PhantomData<D>,
}

impl<D: Space, S: Real> Wave<D, S> {
    /// A wave at rest.
    #[must_use]
    pub fn new(medium: &Medium<D, S>) -> Self {
        let layout = medium.layout.clone();
        Self {
            now: layout.cells(Role::Now, S::ZERO),
            prev: layout.cells(Role::Prev, S::ZERO),
            layout,
            steps: 0,
            seen: medium.revision(),
            medium: Some(medium.identity.number()),
            pulses: Vec::new(),
            simd: Simd::best(),
            space: PhantomData,
        }
    }

    /// Emits from `cell`. An impulse is there at once, a pulse during the steps that follow.
    /// Several sources add up.
    ///
    /// # Errors
    /// [`WaveError::OutOfGrid`], [`WaveError::Wall`], [`WaveError::Source`],
    /// [`WaveError::OtherMedium`].
    pub fn emit(
        &mut self,
        medium: &Medium<D, S>,
        cell: D::Cell,
        source: Source,
    ) -> Result<(), WaveError> {
        self.check_medium(medium)?;
        source.check()?;
        let index = open_index(medium, cell)?;
        match source {
            Source::Impulse { amplitude } => {
                self.now[index] += S::from_f64(amplitude);
                self.prev[index] += S::from_f64(amplitude);
            }
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
    pub fn step(&mut self, medium: &Medium<D, S>, n: usize) -> Result<(), WaveError> {
        self.sync(medium)?;
        if n == 0 {
            return Ok(());
        }
        let (now, prev) = (&mut self.now[..], &mut self.prev[..]);
        Run::new(medium, self.simd, now, prev, &self.pulses, n).step();
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
    pub fn energy(&self, medium: &Medium<D, S>) -> Result<f64, WaveError> {
        self.check_medium(medium)?;
        let value = |i: usize| (self.now[i].to_f64(), self.prev[i].to_f64());
        let mut total = 0.0;
        for i in self.layout.indices().filter(|&i| medium.is_open(i)) {
            let (now, prev) = value(i);
            total += (now - prev).powi(2) / (2.0 * medium.cell_delta(i).to_f64());
            let cell = self.layout.cell(i);
            for (a, &s) in self.layout.strides().iter().enumerate() {
                let (c, n) = (cell[2 - a], self.layout.size[2 - a]);
                let fixed = |j: usize| medium.wall_rule() == WallRule::Fixed && !medium.is_open(j);
                // Each edge between open cells once, by its lower end; to fixed walls, both.
                if c + 1 < n && medium.is_open(i + s) {
                    let (there, before) = value(i + s);
                    total += 0.5 * (now - there) * (prev - before);
                } else if c + 1 < n && fixed(i + s) {
                    total += 0.5 * now * prev;
                }
                if c > 0 && fixed(i - s) {
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

    /// Whether it can run in this medium: of its shape, and edited at least as often as the wave
    /// has seen.
    #[must_use]
    pub fn fits(&self, medium: &Medium<D, S>) -> bool {
        same_medium(&self.layout, self.seen, medium).is_ok()
    }

    pub(crate) fn now(&self) -> &[S] {
        &self.now
    }

    pub(crate) fn check_medium(&self, medium: &Medium<D, S>) -> Result<(), WaveError> {
        same_medium(&self.layout, self.seen, medium)
    }

    fn view<'a>(&'a self, z: &'a [S]) -> ArrayView<'a, S, D> {
        let Layout { lead, row, plane, size, .. } = self.layout;
        let shape = D::shape(D::from_zyx(size));
        let strides = D::shape(D::from_zyx([plane, row, 1]));
        // The layout holds every index that shape and strides can name.
        ArrayView::from_shape(shape.strides(strides), &z[lead..]).expect("the layout fits")
    }

    /// Puts cells to rest that became walls (those that became free are at rest already).
    fn sync(&mut self, medium: &Medium<D, S>) -> Result<(), WaveError> {
        self.check_medium(medium)?;
        let known = self.medium == Some(medium.identity.number());
        if self.seen == medium.revision() && known {
            return Ok(());
        }
        let mut rest = |i: usize| {
            if !medium.is_open(i) {
                self.now[i] = S::ZERO;
                self.prev[i] = S::ZERO;
            }
        };
        match medium.edits_since(self.seen).filter(|_| known) {
            Some(edits) => edits.for_each(&mut rest),
            None => medium.layout.indices().for_each(&mut rest),
        }
        self.pulses.retain(|p| medium.is_open(p.index));
        self.seen = medium.revision();
        self.medium = Some(medium.identity.number());
        Ok(())
    }

    /// As plain data.
    #[cfg(feature = "serde")]
    pub(crate) fn state(&self) -> WaveState {
        let layout = &self.layout;
        WaveState {
            format: 8 * size_of::<S>() as u32,
            size: layout.size,
            steps: self.steps,
            seen: self.seen,
            now: state::bits(layout, |i| self.now[i]),
            prev: state::bits(layout, |i| self.prev[i]),
            pulses: self.pulses.iter().map(|pulse| PulseState::new(pulse, layout)).collect(),
        }
    }

    /// The inverse of [`Wave::state`], checked.
    #[cfg(feature = "serde")]
    pub(crate) fn from_state(from: &WaveState) -> Result<Self, StateError> {
        let layout = state::layout::<D, S>(from.size, from.format)?;
        state::check_length(&layout, "z", from.now.len())?;
        state::check_count("steps", from.steps)?;
        let [mut now, mut prev] = [Role::Now, Role::Prev].map(|role| layout.cells(role, S::ZERO));
        // Finite, and nothing that a step would have made 0.
        let fits = |z: S| z.to_f64().is_finite() && z.floored().bits() == z.bits();
        state::fill(&layout, "z", &from.now, fits, |i, z| now[i] = z)?;
        state::fill(&layout, "z_prev", &from.prev, fits, |i, z| prev[i] = z)?;
        let pulses = from.pulses.iter().map(|pulse| pulse.pulse(&layout));
        Ok(Self {
            pulses: pulses.collect::<Result<_, _>>()?,
            now,
            prev,
            steps: from.steps,
            seen: from.seen,
            medium: None,
            simd: Simd::best(),
            space: PhantomData,
            layout,
        })
    }
}

/// The storage index of an open cell.
pub(crate) fn open_index<D: Space, S: Real>(
    medium: &Medium<D, S>,
    cell: D::Cell,
) -> Result<usize, WaveError> {
    let zyx = D::to_zyx(cell);
    if !medium.layout.contains(zyx) {
        return Err(WaveError::OutOfGrid { cell: zyx, shape: medium.layout.size });
    }
    let index = medium.layout.index(zyx);
    if medium.is_open(index) { Ok(index) } else { Err(WaveError::Wall { cell: zyx }) }
}

/// The storage indices of the cells that a wave starts from: one at the least, all open.
pub(crate) fn source_indices<D: Space, S: Real>(
    medium: &Medium<D, S>,
    cells: &[D::Cell],
) -> Result<Vec<usize>, WaveError> {
    if cells.is_empty() {
        return Err(WaveError::NoSource);
    }
    cells.iter().map(|&cell| open_index(medium, cell)).collect()
}

/// Refuses a medium of another shape, and one with fewer edits than were seen already.
pub(crate) fn same_medium<D: Space, S: Real>(
    layout: &Layout,
    seen: u64,
    medium: &Medium<D, S>,
) -> Result<(), WaveError> {
    if *layout == medium.layout && seen <= medium.revision() {
        return Ok(());
    }
    Err(WaveError::OtherMedium { found: medium.layout.size, expected: layout.size })
}
