//! The sum of the fired rules: a curve of straight pieces over the output's range.

use super::inference::{Inference, Piece};
use super::rule_base::{Aggregation, Implication, RuleBase};

/// Curves of the rules that fired, corner by corner, and where each one begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curves {
    corners: Vec<[f64; 2]>,
    /// For each curve its next segment: the number of the corner on its left, and the curve's end.
    at: Vec<(usize, usize)>,
    /// All x at which some curve has a corner.
    breaks: Vec<f64>,
    /// Heights of all curves at both ends of a stretch.
    ends: Vec<[f64; 2]>,
}

impl Inference {
    pub(crate) fn aggregate(&mut self, rules: &RuleBase) {
        let Self { strengths, pieces, curves, unit, .. } = self;
        pieces.clear();
        curves.clear();
        curves.reserve(rules, pieces);
        let exponent = exponent(rules, strengths);
        *unit = libm::ldexp(1.0, exponent);
        curves.collect(rules, strengths, libm::ldexp(1.0, -exponent));
        let aggregation = rules.definition().aggregation;
        for i in 1..curves.breaks.len() {
            let (x0, x1) = (curves.breaks[i - 1], curves.breaks[i]);
            curves.measure(x0, x1);
            match aggregation {
                Aggregation::Sum => {
                    let add = |sum: [f64; 2], e: &[f64; 2]| [sum[0] + e[0], sum[1] + e[1]];
                    let [y0, y1] = curves.ends.iter().fold([0.0; 2], add);
                    pieces.push(Piece { x0, x1, y0, y1 });
                }
                Aggregation::Max => upper(&curves.ends, x0, x1, pieces),
            }
        }
    }
}

/// The largest height of all fired rules, to the power of two above it; at least 2^-1000, whose
/// inverse is a number too.
fn exponent(rules: &RuleBase, strengths: &[f64]) -> i32 {
    let exponent = |height: f64| libm::frexp(height).1;
    let heights = rules.rules().iter().zip(strengths).filter(|(_, strength)| **strength > 0.0);
    let largest = heights.map(|(rule, &strength)| {
        let peak = rules.terms[rule.term].peak;
        match rules.definition().implication {
            Implication::Product => exponent(peak) + exponent(strength),
            Implication::Min => exponent(peak.min(strength)),
        }
    });
    largest.max().unwrap_or(0).clamp(-1000, 0)
}

/// Room for envelopes beyond this is made when it is needed: no rule base that a person writes
/// does.
const MOST_EXTRA_PIECES: usize = 1 << 16;

impl Curves {
    fn clear(&mut self) {
        self.corners.clear();
        self.at.clear();
        self.breaks.clear();
    }

    /// Room for all rules firing at once, so that later inferences allocate nothing.
    fn reserve(&mut self, rules: &RuleBase, pieces: &mut Vec<Piece>) {
        let count = rules.rules().len();
        // A height cuts a polygon at most once between two corners.
        let corners = rules.rules().iter().map(|r| 2 * rules.terms[r.term].polygon.len()).sum();
        self.corners.reserve(corners);
        self.at.reserve(count);
        self.breaks.reserve(corners);
        self.ends.reserve(count);
        pieces.reserve(corners + (corners * (count - 1)).min(MOST_EXTRA_PIECES));
    }

    /// Heights are multiplied by `scale`, a power of two: they may be so small that their squares
    /// would not be numbers.
    fn collect(&mut self, rules: &RuleBase, strengths: &[f64], scale: f64) {
        let Self { corners, at, breaks, .. } = self;
        for (rule, &strength) in rules.rules().iter().zip(strengths) {
            if strength <= 0.0 {
                continue;
            }
            let polygon = &rules.terms[rule.term].polygon;
            let begin = corners.len();
            match rules.definition().implication {
                Implication::Product => {
                    corners.extend(polygon.iter().map(|&[x, y]| [x, y * (strength * scale)]));
                }
                Implication::Min => {
                    cut_off(polygon, strength, corners);
                    corners[begin..].iter_mut().for_each(|corner| corner[1] *= scale);
                }
            }
            at.push((begin, corners.len()));
        }
        breaks.extend(corners.iter().map(|corner| corner[0]));
        breaks.sort_unstable_by(f64::total_cmp);
        breaks.dedup();
    }

    /// Heights just right of `x0` and just left of `x1`, between which no curve has a corner.
    fn measure(&mut self, x0: f64, x1: f64) {
        self.ends.clear();
        for (left, end) in &mut self.at {
            while *left + 2 < *end && self.corners[*left + 1][0] <= x0 {
                *left += 1;
            }
            let [[xa, ya], [xb, yb]] = [self.corners[*left], self.corners[*left + 1]];
            let slope = (yb - ya) / (xb - xa);
            // At a corner its own height, to the last bit.
            let y0 = if xa == x0 { ya } else { ya + slope * (x0 - xa) };
            let y1 = if xb == x1 { yb } else { ya + slope * (x1 - xa) };
            self.ends.push([y0, y1]);
        }
    }
}

/// Appends a polygon cut off at a height.
fn cut_off(polygon: &[[f64; 2]], height: f64, corners: &mut Vec<[f64; 2]>) {
    let mut before: Option<[f64; 2]> = None;
    for &[x, y] in polygon {
        if let Some([xa, ya]) = before
            && (ya < height) != (y < height)
            && ya != height
            && y != height
        {
            let cross = (xa + (x - xa) * ((height - ya) / (y - ya))).clamp(xa, x);
            corners.push([cross, height]);
        }
        corners.push([x, y.min(height)]);
        before = Some([x, y]);
    }
}

/// The upper envelope of straight lines, given by their heights at both ends.
fn upper(lines: &[[f64; 2]], x0: f64, x1: f64, pieces: &mut Vec<Piece>) {
    // Along t from 0 to 1 the envelope only ever changes to a steeper line.
    let mut t = 0.0;
    let at = |line: [f64; 2], t: f64| line[0] + (line[1] - line[0]) * t;
    let Some(mut top) = lines.iter().copied().reduce(|a, b| if a < b { b } else { a }) else {
        return;
    };
    let (mut x, mut y) = (x0, top[0]);
    loop {
        let rise = top[1] - top[0];
        let mut next = (1.0, top);
        for &line in lines {
            let steeper = line[1] - line[0] - rise;
            if steeper > 0.0 {
                let cross = ((top[0] - line[0]) / steeper).max(t);
                if cross < next.0 || (cross == next.0 && cross < 1.0 && line[1] > next.1[1]) {
                    next = (cross, line);
                }
            }
        }
        if next.0 >= 1.0 {
            pieces.push(Piece { x0: x, x1, y0: y, y1: top[1] });
            return;
        }
        t = next.0;
        let (end, height) = (x0 + (x1 - x0) * t, at(top, t));
        if end > x {
            pieces.push(Piece { x0: x, x1: end, y0: y, y1: height });
        }
        (x, y, top) = (end, height, next.1);
    }
}
