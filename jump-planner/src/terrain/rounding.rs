//! How heights are compared: what of their difference is rounding.

/// `[units: length]` What of the difference of two heights does not count: each may be a multiple
/// of a decimal fraction, scaled, five roundings of 2^-53 off, and so may what it is compared with
/// be. A sum, since the larger of two takes a twentieth of an audit.
#[inline]
pub(crate) fn rounding(a: f64, b: f64) -> f64 {
    4.0 * f64::EPSILON * (a.abs() + b.abs())
}

/// Whether `high` lies at most `limit` above `low`, but for rounding.
#[inline]
pub(crate) fn is_within(limit: f64, high: f64, low: f64) -> bool {
    high - low <= limit + rounding(high, low)
}
