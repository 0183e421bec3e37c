//! Means with confidence intervals.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean of independent figures, and between what it lies with a confidence of 95 %.
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
    /// Of the figures that there are; `None` without any. They are summed in their order.
    ///
    /// ```
    /// use sim_harness::estimate::Estimate;
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
        let mean = figures.iter().sum::<f64>() / n;
        let squares: f64 = figures.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = match StudentsT::new(0.0, 1.0, n - 1.0) {
            Ok(t) if squares > 0.0 => t.inverse_cdf(0.975) * (squares / (n - 1.0) / n).sqrt(),
            _ => 0.0,
        };
        Some(Self { count, mean, low: mean - half, high: mean + half })
    }
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
