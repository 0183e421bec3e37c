//! One step of the scheme in one cell, as the front takes it; the kernels say the same for lanes.

use crate::real::Real;

/// The coefficients of a step that are the same for all cells: `1 - m` and `1 / (1 + m)` with
/// `m = mu dt / 2`. Both are exactly 1 without damping, and then change no bit.
#[derive(Clone, Copy)]
pub(crate) struct Damping<S> {
    pub(crate) keep: S,
    pub(crate) scale: S,
}

impl<S: Real> Damping<S> {
    pub(crate) fn new(m: S) -> Self {
        Self { keep: S::ONE - m, scale: S::ONE / (S::ONE + m) }
    }
}

/// The factor of z of a cell itself, `2 - k * delta`.
#[inline(always)]
#[allow(clippy::inline_always)] // as `next`, which is made of it
pub(crate) fn centre<S: Real>(delta: S, k: S) -> S {
    S::ONE + S::ONE - k * delta
}

/// `z'` of one open cell. The sums stand in the one order that gives the same bits everywhere;
/// nothing is fused.
#[inline(always)]
#[allow(clippy::inline_always)] // about 4x slower where the row loop does not see through it
pub(crate) fn next<S: Real>(delta: S, k: S, sum: S, z: S, prev: S, damping: Damping<S>) -> S {
    let free = delta * sum + centre(delta, k) * z;
    ((free - damping.keep * prev) * damping.scale).floored()
}
