//! Percentiles of figures, of one definition for this program and for `compare`, whose medians of
//! even numbers are means of two.

/// The value of nearest rank: the smallest of the ascending values that so many percent of them do
/// not exceed. `None` without values.
///
/// ```
/// use sim_harness::quantile::nearest_rank;
///
/// let sixty: Vec<f64> = (1..=60).map(f64::from).collect();
/// assert_eq!(nearest_rank(&sixty, 50), Some(30.0));
/// // 59 of 60 are not yet 99 %.
/// assert_eq!(nearest_rank(&sixty, 99), Some(60.0));
/// ```
#[must_use]
pub fn nearest_rank(ascending: &[f64], percent: u8) -> Option<f64> {
    let rank = (ascending.len() * usize::from(percent.min(100))).div_ceil(100);
    ascending.get(rank.saturating_sub(1)).copied()
}
