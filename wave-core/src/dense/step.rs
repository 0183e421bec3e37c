//! The parts of a step besides the fields: the same for every cell, and for every set of lanes.

use crate::dense::real::Real;

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
#[allow(clippy::inline_always)] // the loops over rows must see through it
pub(crate) fn centre<S: Real>(delta: S, k: S) -> S {
    S::ONE + S::ONE - k * delta
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the least delta is over, and how much finer than that parts are drawn.
    const FINE: u32 = 1 << 24;

    /// 0, or a number that is over the floor and not far, as often as not one of its first.
    fn faint<S: Real>() -> impl Strategy<Value = S> {
        let last = prop_oneof![0..4u32, 0..FINE / 2];
        let number = |(octave, last, minus): (i32, u32, bool)| {
            let size = 2f64.powi(octave) * (1.0 + f64::from(last) * S::EPSILON.to_f64());
            S::from_f64(S::FLOOR.to_f64() * if minus { -size } else { size })
        };
        prop_oneof![1 => Just(S::ZERO), 4 => (0..30, last, any::<bool>()).prop_map(number)]
    }

    /// From 2^-24 to 1, every octave as often.
    fn part() -> impl Strategy<Value = f64> {
        (0..=24, 0..FINE).prop_map(|(octave, last)| {
            let size = 2f64.powi(octave) * (1.0 + f64::from(last) / f64::from(FINE));
            size.min(f64::from(FINE)) / f64::from(FINE)
        })
    }

    /// Takes a step apart: every number on the way is 0 or normal.
    fn is_normal_throughout<S: Real>(z: [S; 8], delta: f64, k: u8, m: f64) {
        let least = if size_of::<S>() == 4 { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE };
        let normal = |number: S| {
            let size = number.to_f64().abs();
            assert!(size == 0.0 || size >= least, "{size:e}");
            number
        };
        let [left, right, up, down, front, back, here, prev] = z;
        let (delta, k) = (S::from_f64(delta), S::from_u8(k));
        let damping = Damping::new(S::from_f64(m));
        let flat = normal(normal(left + right) + normal(up + down));
        let sum = normal(flat + normal(front + back));
        let free = normal(normal(delta * sum) + normal(normal(centre(delta, k)) * here));
        let left = normal(free - normal(damping.keep * prev));
        normal(left * damping.scale);
        // The Laplacian, by which an inflection is found.
        normal(sum - normal(k * here));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(5000) })]

        #[test]
        fn no_subnormal_number_is_computed_with(
            single in proptest::array::uniform8(faint::<f32>()),
            double in proptest::array::uniform8(faint::<f64>()),
            delta in part(),
            k in 0..=6u8,
            m in prop_oneof![Just(0.0), part().prop_map(|part| 1.0 - part), part().prop_map(|part| 1024.0 * part)],
        ) {
            let delta = delta.min(if k > 4 { 1.0 / 3.0 } else { 0.5 });
            is_normal_throughout(single, delta, k, m);
            is_normal_throughout(double, delta, k, m);
        }
    }
}
