//! Means with confidence intervals.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean of independent figures, and its interval with a confidence of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// How many figures there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The interval's lower end, by Student's t; of fewer than two figures the mean.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

impl Estimate {
    /// The mean of the figures that there are; `None` without any. They are summed in their order.
    ///
    /// ```
    /// use sim_harness::study::estimate::Estimate;
    ///
    /// let estimate = Estimate::of([Some(1.0), None, Some(2.0), Some(3.0)]).unwrap();
    /// assert_eq!((estimate.count, estimate.mean), (3, 2.0));
    /// // 4.303 is the 97.5 % quantile for two degrees of freedom, 1 / sqrt 3 the standard error.
    /// assert!((estimate.high - 2.0 - 4.303 / 3f64.sqrt()).abs() < 1e-3);
    /// ```
    #[must_use]
    pub fn of(figures: impl IntoIterator<Item = Option<f64>>) -> Option<Self> {
        let figures: Vec<f64> = figures.into_iter().flatten().collect();
        let count = figures.len();
        if count == 0 {
            return None;
        }
        let n = count as f64;
        let mean = mean(&figures);
        let squares: f64 = figures.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = if squares > 0.0 { student(n) * (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Some(Self { count, mean, low: mean - half, high: mean + half })
    }

    /// The mean of the first figures over that of the second, `None` without any or if the second
    /// mean is 0. The figures of a pair belong together: they are those of one seed.
    ///
    /// The interval holds the ratios r for which the mean of `a - r b` may be 0 by Student's t
    /// (Fieller 1954). From fewer than two pairs, or where the second mean itself may be 0, nothing
    /// follows: it is all numbers then.
    ///
    /// ```
    /// use sim_harness::study::estimate::Estimate;
    ///
    /// let ratio = Estimate::of_ratio(&[(4.0, 8.0), (5.0, 10.0), (6.0, 12.0)]).unwrap();
    /// assert_eq!((ratio.low, ratio.mean, ratio.high), (0.5, 0.5, 0.5));
    /// ```
    #[must_use]
    pub fn of_ratio(pairs: &[(f64, f64)]) -> Option<Self> {
        let (count, n) = (pairs.len(), pairs.len() as f64);
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let [a, b] = [first, second].map(|figures| mean(&figures));
        if count == 0 || b == 0.0 {
            return None;
        }
        let mean = a / b;
        let unknown = Self { count, mean, low: f64::NEG_INFINITY, high: f64::INFINITY };
        if count < 2 {
            return Some(unknown);
        }
        // t^2 times the variances and the covariance of both means.
        let factor = student(n).powi(2) / (n - 1.0) / n;
        let moment = |f: &dyn Fn(&(f64, f64)) -> f64| factor * pairs.iter().map(f).sum::<f64>();
        let saa = moment(&|p| (p.0 - a) * (p.0 - a));
        let sab = moment(&|p| (p.0 - a) * (p.1 - b));
        let sbb = moment(&|p| (p.1 - b) * (p.1 - b));
        // (a - r b)^2 <= t^2 var(a - r b) is quadratic in r.
        let lead = b * b - sbb;
        if lead <= 0.0 {
            return Some(unknown);
        }
        let middle = (a * b - sab) / lead;
        let half = (middle * middle - (a * a - saa) / lead).max(0.0).sqrt();
        // The effect of rounding on figures that do not differ.
        let half = if saa == 0.0 && sbb == 0.0 || half < 1e-7 * mean.abs() { 0.0 } else { half };
        let middle = if half == 0.0 { mean } else { middle };
        Some(Self { count, mean, low: middle - half, high: middle + half })
    }

    /// Whether all of the interval is within limits.
    #[must_use]
    pub fn is_within(&self, at_least: Option<f64>, at_most: Option<f64>) -> bool {
        at_least.is_none_or(|low| self.low >= low) && at_most.is_none_or(|high| self.high <= high)
    }
}

/// The mean of figures. The sum of equal ones is rounded, but their mean is what they are.
fn mean(figures: &[f64]) -> f64 {
    if figures.windows(2).all(|pair| pair[0] == pair[1]) {
        return figures.first().copied().unwrap_or(f64::NAN);
    }
    figures.iter().sum::<f64>() / figures.len() as f64
}

/// The two-sided 95 % point of Student's t for a mean of `n` draws, 2 or more.
fn student(n: f64) -> f64 {
    StudentsT::new(0.0, 1.0, n - 1.0).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let half = self.high - self.mean;
        let digits = match self.mean.abs().max(half) {
            v if v >= 1000.0 => 0,
            v if v >= 100.0 => 1,
            v if v >= 1.0 => 2,
            _ => 3,
        };
        write!(f, "{:.digits$}", self.mean)?;
        if half > 0.0 { write!(f, " ± {half:.digits$}") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_ratio_s_interval_is_where_the_paired_difference_may_be_zero() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..100 {
            let n = rng.random_range(2..40);
            let mut draw = |mean: f64| mean + rng.random_range(-1.0..1.0);
            let pairs: Vec<(f64, f64)> = (0..n).map(|_| (draw(3.0), draw(5.0))).collect();
            let ratio = Estimate::of_ratio(&pairs).unwrap();
            let difference =
                |r: f64| Estimate::of(pairs.iter().map(|p| Some(p.0 - r * p.1))).unwrap();
            if ratio.low.is_finite() {
                for r in [ratio.low, ratio.high] {
                    let d = difference(r);
                    assert!(d.low.abs() < 1e-9 || d.high.abs() < 1e-9, "{ratio:?}: {d:?}");
                }
                assert!(ratio.low <= ratio.mean && ratio.mean <= ratio.high);
            } else {
                let denominator = Estimate::of(pairs.iter().map(|p| Some(p.1))).unwrap();
                assert!(denominator.low <= 0.0);
            }
        }
    }

    #[test]
    fn the_interval_covers_the_true_ratio_in_95_of_100_cases() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut covered = 0;
        for _ in 0..2000 {
            let pairs: Vec<(f64, f64)> = (0..20)
                .map(|_| {
                    let common = rng.random_range(0.0..4.0);
                    (common + rng.random_range(0.0..2.0), 2.0 * common + rng.random_range(0.0..4.0))
                })
                .collect();
            let ratio = Estimate::of_ratio(&pairs).unwrap();
            covered += u32::from((ratio.low..=ratio.high).contains(&0.5));
        }
        // Of 2000 with 95 %: 1900, give or take three standard deviations.
        assert!((1870..=1930).contains(&covered), "{covered}");
    }

    #[test]
    fn the_mean_of_equal_figures_is_what_they_are() {
        for n in [3, 10, 20, 200] {
            for v in [0.1, 0.8, 0.9, 0.98] {
                let estimate = Estimate::of(vec![Some(v); n]).unwrap();
                assert_eq!([estimate.low, estimate.mean, estimate.high], [v; 3], "{n} times {v}");
                let ratio = Estimate::of_ratio(&vec![(v, 1.0); n]).unwrap();
                assert_eq!([ratio.low, ratio.mean, ratio.high], [v; 3], "{n} times {v}");
            }
        }
    }

    #[test]
    fn too_little_to_tell() {
        assert!(Estimate::of_ratio(&[]).is_none() && Estimate::of_ratio(&[(1.0, 0.0)]).is_none());
        assert_eq!(Estimate::of_ratio(&[(1.0, 2.0)]).unwrap().high, f64::INFINITY);
        let wild = Estimate::of_ratio(&[(1.0, 2.0), (1.0, -1.0), (1.0, 0.5)]).unwrap();
        assert!(!wild.is_within(Some(-1e300), None) && wild.is_within(None, None));
    }

    #[test]
    fn student_is_that_of_the_tables() {
        for (n, t) in [(2.0, 12.706), (8.0, 2.365), (20.0, 2.093), (200.0, 1.972)] {
            assert!((student(n) - t).abs() < 1e-3, "{n}: {}", student(n));
        }
    }
}
