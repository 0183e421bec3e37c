//! How heights are compared: which part of their difference is rounding.

/// `[units: length]` The part of the difference of two heights that does not count. Each of the two
/// may be a multiple of a decimal fraction, scaled, and off by five roundings of 2^-53. A sum,
/// since taking the larger of two costs a twentieth of an audit.
#[inline]
pub(crate) fn rounding(a: f64, b: f64) -> f64 {
    4.0 * f64::EPSILON * (a.abs() + b.abs())
}

/// Whether `high` lies at most `limit` above `low`, but for rounding.
#[inline]
pub(crate) fn is_within(limit: f64, high: f64, low: f64) -> bool {
    high - low <= limit + rounding(high, low)
}
