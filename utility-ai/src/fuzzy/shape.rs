//! Membership functions.

#[cfg(feature = "serde")]
use crate::numbers::numbers;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// How far a number belongs to a term, 0 to 1.
///
/// Gaussians and sigmoids are exact as terms of inputs. As terms of the output they stand for the
/// polygon through 1025 of their points, spread evenly over where they are not flat: it differs
/// from the curve by at most 4e-5 of the largest height that the curve has in the output's range,
/// everywhere there, and is 0 where the curve is below 2e-8 of it. The centroid and the bisector of
/// such a term alone differ from those of the curve by at most 4e-5 of the range. It may have its
/// centre outside, as long as it is somewhere above 1e-300 in the range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
pub enum Shape {
    /// `[start, end]`: 0 up to the start, rising (or, with the end on the left, falling) to 1 at
    /// the end, 1 from there.
    Ramp(#[cfg_attr(feature = "serde", serde(deserialize_with = "numbers"))] [f64; 2]),
    /// `[left, peak, right]`, ascending, left < right: 1 at the peak, 0 from left and right
    /// outward.
    Triangle(#[cfg_attr(feature = "serde", serde(deserialize_with = "numbers"))] [f64; 3]),
    /// `[left, top left, top right, right]`, ascending, left < right.
    Trapezoid(#[cfg_attr(feature = "serde", serde(deserialize_with = "numbers"))] [f64; 4]),
    /// `[mean, sigma]`, sigma > 0: `exp(-(x - mean)^2 / (2 sigma^2))`.
    Gaussian(#[cfg_attr(feature = "serde", serde(deserialize_with = "numbers"))] [f64; 2]),
    /// `[centre, slope]`, slope not 0: `1 / (1 + exp(-slope (x - centre)))`.
    Sigmoid(#[cfg_attr(feature = "serde", serde(deserialize_with = "numbers"))] [f64; 2]),
}

/// Segments of the polygon that stands for a smooth shape.
const CHORDS: usize = 1024;
/// Where a smooth shape counts as flat, in sigmas and in inverse slopes: within 4e-8 of 0 or 1.
const FLAT: [f64; 2] = [6.0, 17.0];
/// A shape that is nowhere higher cannot be a term of an output: its numbers would soon have no
/// digits left.
pub(crate) const LEAST_HEIGHT: f64 = 1e-300;

impl Shape {
    /// The membership of `x`, which must be finite.
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        match self {
            Self::Ramp([start, end]) => ((x - start) / (end - start)).clamp(0.0, 1.0),
            Self::Triangle([left, peak, right]) => trapezoid([left, peak, peak, right], x),
            Self::Trapezoid(corners) => trapezoid(corners, x),
            Self::Gaussian([mean, sigma]) => {
                let z = (x - mean) / sigma;
                libm::exp(-0.5 * z * z)
            }
            Self::Sigmoid([centre, slope]) => 1.0 / (1.0 + libm::exp(-slope * (x - centre))),
        }
    }

    /// The condition on its numbers, if they break it.
    pub(crate) fn wrong(self) -> Option<&'static str> {
        let numbers: &[f64] = match &self {
            Self::Ramp(n) | Self::Gaussian(n) | Self::Sigmoid(n) => n,
            Self::Triangle(n) => n,
            Self::Trapezoid(n) => n,
        };
        if numbers.iter().any(|n| !n.is_finite() || n.abs() > 1e100) {
            return Some("its numbers must be finite, within 1e100");
        }
        let ascending = numbers.is_sorted() && numbers.first() < numbers.last();
        match self {
            Self::Ramp([start, end]) if start == end => Some("start and end must differ"),
            Self::Triangle(_) | Self::Trapezoid(_) if !ascending => {
                Some("its corners must ascend, the last above the first")
            }
            Self::Gaussian([_, sigma]) if sigma < 1e-100 => Some("sigma must be above 0"),
            Self::Sigmoid([_, slope]) if slope.abs() < 1e-100 => Some("the slope must not be 0"),
            _ => None,
        }
    }

    /// Its points from `low` to `high`, by ascending x; two at the same x are a step.
    pub(crate) fn polygon(self, low: f64, high: f64) -> Vec<[f64; 2]> {
        let corners: Vec<[f64; 2]> = match self {
            Self::Ramp([start, end]) if start < end => vec![[start, 0.0], [end, 1.0]],
            Self::Ramp([start, end]) => vec![[end, 1.0], [start, 0.0]],
            Self::Triangle([a, b, c]) => vec![[a, 0.0], [b, 1.0], [c, 0.0]],
            Self::Trapezoid([a, b, c, d]) => vec![[a, 0.0], [b, 1.0], [c, 1.0], [d, 0.0]],
            Self::Gaussian([mean, sigma]) => {
                let nearest = mean.clamp(low, high);
                let (off, reach) = ((mean - nearest).abs(), FLAT[0] * sigma);
                // As far below its height there as `reach` is below 1 from the mean.
                let reach = reach * (reach / (off + (off * off + reach * reach).sqrt()));
                self.chords([nearest - reach, nearest + reach], [0.0; 2], low, high)
            }
            Self::Sigmoid([centre, slope]) => {
                let reach = FLAT[1] / slope.abs();
                if slope > 0.0 {
                    self.chords([centre.min(high) - reach, centre + reach], [0.0, 1.0], low, high)
                } else {
                    self.chords([centre - reach, centre.max(low) + reach], [1.0, 0.0], low, high)
                }
            }
        };
        cut(&corners, low, high)
    }

    /// Chords over a stretch, and the flat heights on both sides of it, as far as these are in the
    /// range.
    fn chords(self, stretch: [f64; 2], sides: [f64; 2], low: f64, high: f64) -> Vec<[f64; 2]> {
        let [first, last] = stretch.map(|x| x.clamp(low, high));
        let mut points = Vec::with_capacity(CHORDS + 3);
        // A step of 4e-8 at most; without it something narrow in a wide range would weigh less than
        // its ends.
        if stretch[0] > low {
            points.push([first, sides[0]]);
        }
        if first < last {
            let at = |i: usize| first + (last - first) * (i as f64 / CHORDS as f64);
            points.extend((0..=CHORDS).map(at).map(|x| [x, self.at(x)]));
        }
        if stretch[1] < high {
            points.push([last, sides[1]]);
        }
        points
    }
}

fn trapezoid([a, b, c, d]: [f64; 4], x: f64) -> f64 {
    if x < a || x > d {
        0.0
    } else if x < b {
        (x - a) / (b - a)
    } else if x <= c {
        1.0
    } else {
        (d - x) / (d - c)
    }
}

/// The part of a polygon from `low` to `high`; outside its corners it goes on flat.
fn cut(corners: &[[f64; 2]], low: f64, high: f64) -> Vec<[f64; 2]> {
    let at = |x: f64| {
        let after = corners.partition_point(|c| c[0] <= x);
        match (after.checked_sub(1).map(|i| corners[i]), corners.get(after)) {
            (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * ((x - a[0]) / (b[0] - a[0])),
            (Some(a), None) => a[1],
            (None, b) => b.map_or(0.0, |b| b[1]),
        }
    };
    let inside = corners.iter().copied().filter(|c| low <= c[0] && c[0] <= high);
    let mut points = vec![[low, at(low)]];
    points.extend(inside);
    points.push([high, at(high)]);
    // A corner on an end of the range stands there twice.
    points.dedup();
    points
}
