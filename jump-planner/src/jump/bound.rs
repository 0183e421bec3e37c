//! Bounds of the margins of all flights between two boxes of places: they make "blocked" a proof.

use super::ballistics::ArcKind;
use super::clearance::{Ground, ceil, floor, lines, over, overlapped};
use super::exact::{Pair, Question};

impl<G: Ground> Question<G> {
    /// Where to cut a side of a box of places. For a body, first where it stops overlapping a cell:
    /// a box across such a place gets no bound from that cell.
    pub(super) fn cut(&self, low: f64, high: f64) -> f64 {
        let radius = self.body.radius;
        let base = low.floor();
        let places = [base + radius, base + 1.0 - radius];
        let inside = places.into_iter().find(|&x| radius > 0.0 && low < x && x < high);
        inside.unwrap_or(low + 0.5 * (high - low))
    }

    /// No pair of the closed box `low..=high` has a margin above this.
    pub(super) fn bound(&self, kind: ArcKind, low: &Pair, high: &Pair) -> f64 {
        let (mut near, mut far) = (0.0, 0.0);
        for axis in 0..2 {
            let gap = (low[axis + 2] - high[axis]).max(low[axis] - high[axis + 2]).max(0.0);
            let wide = (high[axis + 2] - low[axis]).max(high[axis] - low[axis + 2]);
            near += gap * gap;
            far += wide * wide;
        }
        let Some(at_near) = self.law.w(kind, near * self.size2, self.gain) else {
            return f64::NEG_INFINITY;
        };
        let at_far = self.law.w(kind, far * self.size2, self.gain);
        let at_far = at_far.unwrap_or(self.law.w_at_limit());
        let (w_high, w_low) =
            if kind == ArcKind::High { (at_near, at_far) } else { (at_far, at_near) };
        let mut bound = self.law.most_gain(0.0);
        if self.body.radius > 0.0 || self.ground.is_roofed() {
            bound = bound.min(self.standing_bound(low, high));
        }
        for axis in 0..2 {
            let ahead = self.to[axis] > self.from[axis]
                || (self.to[axis] == self.from[axis] && low[axis + 2] >= high[axis]);
            // All segments cross the lines between these two.
            let (start, end) =
                if ahead { (high[axis], low[axis + 2]) } else { (high[axis + 2], low[axis]) };
            if start > end {
                continue;
            }
            let (p0, p1, q0, q1) = (low[axis], high[axis], low[axis + 2], high[axis + 2]);
            // Also the middles of cells: a flight along a diagonal certainly enters a cell, though
            // the side by which it does is open.
            let middles = (floor(start)..ceil(end))
                .map(|i| (i as f64 + 0.5, i, i))
                .filter(|line| line.0 >= start && line.0 <= end);
            let bound_at = |x: f64, cells: (isize, isize)| {
                let (t0, t1) = if ahead {
                    ((x - p1) / (q1 - p1), (x - p0) / (q0 - p0))
                } else {
                    ((p0 - x) / (p0 - q0), (p1 - x) / (p1 - q1))
                };
                let side = Self::side(1 - axis, [t0, t1], low, high);
                let y = self.base + highest(w_high, self.gain, t0, t1);
                let (top, ceiling) = self.cells(axis, cells, side);
                let mut bound = y - top;
                if ceiling < f64::INFINITY {
                    let f = |t: f64| w_low * t * (1.0 - t) + self.gain * t * t;
                    let y = self.base + f(t0).min(f(t1)) + self.body.height;
                    bound = bound.min(ceiling - y);
                    // Wherever it passes, it does so between both.
                    bound = bound.min(0.5 * (ceiling - self.body.height - top));
                }
                (bound, side)
            };
            for (x, first, last) in lines(start, end, self.body.radius).chain(middles) {
                let (here, side) = bound_at(x, (first, last));
                bound = bound.min(here);
                if bound <= 0.0 {
                    return bound;
                }
                // Past a corner on either side of it, but for certain in one cell soon before and
                // after.
                let width = side[1] - side[0];
                if width < 0.25 && first < last && floor(side[1]) as f64 > side[0] {
                    let away = 1.1 * width / Self::slope(axis, low, high);
                    for (x, cell) in [(x - away, first), (x + away, last)] {
                        if away < 0.5 && start <= x && x <= end {
                            bound = bound.min(bound_at(x, (cell, cell)).0);
                        }
                    }
                    if bound <= 0.0 {
                        return bound;
                    }
                }
            }
        }
        if self.ground.is_roofed() {
            bound = bound.min(self.apex_bound(w_low, w_high, low, high));
        }
        bound
    }

    /// Where along an axis the segments may be at shares `t` of the way.
    fn side(axis: usize, t: [f64; 2], low: &Pair, high: &Pair) -> [f64; 2] {
        let at = |pair: &Pair, t: f64| pair[axis] + t * (pair[axis + 2] - pair[axis]);
        [at(low, t[0]).min(at(low, t[1])), at(high, t[0]).max(at(high, t[1]))]
    }

    /// How far aside the way between the middles of two boxes of places leads for each cell along
    /// `axis`.
    fn slope(axis: usize, low: &Pair, high: &Pair) -> f64 {
        let way = |a: usize| low[a + 2] + high[a + 2] - low[a] - high[a];
        (way(1 - axis) / way(axis)).abs()
    }

    /// Bounds of the ground from below and of the ceilings from above that a body meets at a line
    /// across `axis`, if its middle is somewhere in `side`.
    fn cells(&self, axis: usize, (first, last): (isize, isize), side: [f64; 2]) -> (f64, f64) {
        let radius = self.body.radius;
        let roofed = self.ground.is_roofed();
        let of = |cell: isize| {
            let (mut top, mut ceiling) = (f64::NEG_INFINITY, f64::INFINITY);
            for along in first..=last {
                let (x, y) = if axis == 0 { (along, cell) } else { (cell, along) };
                top = top.max(self.ground.height(x, y));
                if roofed {
                    ceiling = ceiling.min(self.ground.ceiling(x, y));
                }
            }
            (top, ceiling)
        };
        // The cells that are met wherever in the span the middle is, also those only touched; if
        // there are none, any one of the cells that may be met, without those only touched.
        let (first, last) = overlapped(side[1], side[0], radius);
        if first <= last {
            return (first..=last)
                .map(of)
                .fold((f64::NEG_INFINITY, f64::INFINITY), |(top, ceiling), (t, c)| {
                    (top.max(t), ceiling.min(c))
                });
        }
        let (one, other) = (floor(side[0] - radius), ceil(side[1] + radius) - 1);
        (one..=other.max(one))
            .map(of)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(top, ceiling), (t, c)| {
                (top.min(t), ceiling.max(c))
            })
    }

    /// A bound from the ground under the body and the ceilings above it, wherever it stands.
    fn standing_bound(&self, low: &Pair, high: &Pair) -> f64 {
        let mut bound = f64::INFINITY;
        for (end, z) in [(0, self.base), (2, self.end)] {
            // Cells that the body is over wherever in the box it stands.
            let (x, y) = ([high[end], low[end]], [high[end + 1], low[end + 1]]);
            over(&self.ground, x, y, self.body.radius, |top, ceiling| {
                if top > z {
                    bound = bound.min(z - top);
                }
                bound = bound.min(ceiling - (z + self.body.height));
            });
        }
        bound
    }

    /// A bound from the ceilings where the highest point may be.
    fn apex_bound(&self, w_low: f64, w_high: f64, low: &Pair, high: &Pair) -> f64 {
        let share = |w: f64| 0.5 * w / (w - self.gain);
        let t = [share(w_low), share(w_high)];
        let t = [t[0].min(t[1]), t[0].max(t[1])];
        if !(w_low > 0.0 && t[0] > 0.0 && t[1] < 1.0) {
            return f64::INFINITY;
        }
        let y = self.base + 0.25 * w_low * w_low / (w_low - self.gain) + self.body.height;
        let (x, side) = (Self::side(0, t, low, high), Self::side(1, t, low, high));
        let mut most = f64::NEG_INFINITY;
        // Some cell in the span is met, and not only touched; with a body, more.
        let within = |[low, high]: [f64; 2]| floor(low)..=(ceil(high) - 1).max(floor(low));
        for cy in within(side) {
            for cx in within(x) {
                most = most.max(self.ground.ceiling(cx, cy));
            }
        }
        most - y
    }
}

/// The maximum of `w t (1 - t) + gain t^2` over `t0..=t1`; it is concave since `w > gain`.
fn highest(w: f64, gain: f64, t0: f64, t1: f64) -> f64 {
    let t = (0.5 * w / (w - gain)).max(t0).min(t1);
    w * t * (1.0 - t) + gain * t * t
}
