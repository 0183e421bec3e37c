//! The results of the rules for given numbers, and the output that is read from them.

use super::aggregate::Curves;
use super::rule_base::Defuzzifier;

/// An output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// One number.
    Point(f64),
    /// Every number from `low` to `high` has half of the area on each side: there is none in
    /// between.
    Plateau {
        /// The smallest of these.
        low: f64,
        /// The largest of these.
        high: f64,
    },
    /// No rule fired, so there is no area to read anything from.
    NothingFired,
}

impl Output {
    /// The number; of a plateau the middle; `None` where no rule fired.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Point(value) => Some(value),
            Self::Plateau { low, high } => Some(f64::midpoint(low, high)),
            Self::NothingFired => None,
        }
    }

    /// The smallest and the largest number that it may be.
    #[must_use]
    pub fn interval(self) -> Option<[f64; 2]> {
        match self {
            Self::Point(value) => Some([value; 2]),
            Self::Plateau { low, high } => Some([low, high]),
            Self::NothingFired => None,
        }
    }
}

/// A straight piece of the curve that the rules add up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) x0: f64,
    /// Above `x0`.
    pub(crate) x1: f64,
    pub(crate) y0: f64,
    pub(crate) y1: f64,
}

impl Piece {
    fn area(self) -> f64 {
        (self.x1 - self.x0) * (self.y0 + self.y1) / 2.0
    }

    fn is_zero(self) -> bool {
        self.y0 == 0.0 && self.y1 == 0.0
    }

    /// How far from its left end lies an area of `part`; of the two ends, from the nearer.
    fn split(self, part: f64) -> f64 {
        let (width, rest) = (self.x1 - self.x0, self.area() - part);
        let slope = (self.y1 - self.y0) / width;
        // y t + slope t^2 / 2 = part, in the form that loses no digits.
        let from = |y: f64, slope: f64, part: f64| {
            2.0 * part / (y + (y * y + 2.0 * slope * part).max(0.0).sqrt())
        };
        if part <= rest {
            self.x0 + from(self.y0, slope, part).min(width)
        } else {
            self.x1 - from(self.y1, -slope, rest.max(0.0)).min(width)
        }
    }
}

/// Half areas that differ by this part of the whole are the same. A curve that falls to 0 just
/// where half of the area is reached would otherwise turn the last bit of a sum into half of the
/// digits of the bisector.
const SAME_AREA: f64 = 1e-14;
/// Heights that differ by this part are the same maximum.
const SAME_HEIGHT: f64 = 1e-12;

/// The results of the rules for given numbers.
#[derive(Clone, Debug, Default)]
pub struct Inference {
    /// Input by input, label by label.
    pub(crate) memberships: Vec<f64>,
    pub(crate) strengths: Vec<f64>,
    /// Heights in units of `unit`, so that the largest is about 1.
    pub(crate) pieces: Vec<Piece>,
    /// A power of two.
    pub(crate) unit: f64,
    pub(crate) curves: Curves,
    pub(crate) defuzzifier: Defuzzifier,
}

impl Inference {
    /// How strongly each rule fired, 0 to 1, its weight included; in the order of the definition.
    #[must_use]
    pub fn strengths(&self) -> &[f64] {
        &self.strengths
    }
    /// How far each number belongs to each term: input by input, labels in alphabetical order.
    #[must_use]
    pub fn memberships(&self) -> &[f64] {
        &self.memberships
    }
    /// The area under the sum of the fired rules.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.unit * self.area_in_units()
    }

    fn area_in_units(&self) -> f64 {
        self.pieces.iter().map(|piece| piece.area()).sum()
    }

    /// The output by the defuzzifier of the rule base.
    #[must_use]
    pub fn output(&self) -> Output {
        self.read(self.defuzzifier)
    }

    /// The output by any defuzzifier.
    ///
    /// # Complexity
    /// O(pieces).
    #[must_use]
    pub fn read(&self, defuzzifier: Defuzzifier) -> Output {
        let area = self.area_in_units();
        if area <= 0.0 {
            return Output::NothingFired;
        }
        match defuzzifier {
            Defuzzifier::Bisector => self.bisector(area),
            Defuzzifier::Centroid => self.centroid(area),
            Defuzzifier::MeanOfMaximum => Output::Point(self.maxima().mean()),
            Defuzzifier::SmallestOfMaximum => Output::Point(self.maxima().smallest),
            Defuzzifier::LargestOfMaximum => Output::Point(self.maxima().largest),
        }
    }

    fn bisector(&self, area: f64) -> Output {
        let half = area / 2.0;
        let mut left = 0.0;
        for (i, piece) in self.pieces.iter().enumerate() {
            let part = piece.area();
            if left + part < half - area * SAME_AREA {
                left += part;
                continue;
            }
            if left + part > half + area * SAME_AREA {
                return Output::Point(piece.split(half - left));
            }
            let gap = self.pieces[i + 1..].iter().take_while(|piece| piece.is_zero());
            let high = gap.last().map_or(piece.x1, |piece| piece.x1);
            let low = piece.x1;
            return if low < high { Output::Plateau { low, high } } else { Output::Point(low) };
        }
        // Rounding cannot lose half of the area.
        Output::NothingFired
    }

    fn centroid(&self, area: f64) -> Output {
        let origin = self.pieces.first().map_or(0.0, |piece| piece.x0);
        let moment = |p: &Piece| {
            let (x0, x1) = (p.x0 - origin, p.x1 - origin);
            (p.x1 - p.x0) * (p.y0 * (2.0 * x0 + x1) + p.y1 * (x0 + 2.0 * x1)) / 6.0
        };
        Output::Point(origin + self.pieces.iter().map(moment).sum::<f64>() / area)
    }

    fn maxima(&self) -> Maxima {
        let height = self.pieces.iter().map(|p| p.y0.max(p.y1)).fold(0.0, f64::max);
        let least = height * (1.0 - SAME_HEIGHT);
        let mut maxima = Maxima {
            smallest: f64::INFINITY,
            largest: f64::NEG_INFINITY,
            width: 0.0,
            moment: 0.0,
            points: (0.0, 0.0),
        };
        for piece in &self.pieces {
            let ends = [(piece.x0, piece.y0 >= least), (piece.x1, piece.y1 >= least)];
            if ends[0].1 && ends[1].1 {
                maxima.width += piece.x1 - piece.x0;
                maxima.moment += (piece.x1 - piece.x0) * f64::midpoint(piece.x0, piece.x1);
            }
            for (x, _) in ends.into_iter().filter(|end| end.1) {
                maxima.smallest = maxima.smallest.min(x);
                // The right end of a piece is the left end of the next.
                if x > maxima.largest {
                    maxima.largest = x;
                    maxima.points = (maxima.points.0 + x, maxima.points.1 + 1.0);
                }
            }
        }
        maxima
    }
}

/// Where the height is largest.
struct Maxima {
    smallest: f64,
    largest: f64,
    /// The length of all stretches, and its first moment.
    width: f64,
    moment: f64,
    /// Sum and number of the single points, for when there are no stretches.
    points: (f64, f64),
}

impl Maxima {
    fn mean(&self) -> f64 {
        if self.width > 0.0 { self.moment / self.width } else { self.points.0 / self.points.1 }
    }
}
