//! Whether one arc clears the cells it passes over: exact, since an arc is concave and cells are
//! flat, so that it is lowest over a cell where it comes in or goes out.
//!
//! Lengths in plan are in cells here, heights in the terrain's unit. The corner convention: a
//! flight that runs exactly through a corner touches all four cells around it, and touching is
//! blocked.

/// `v.floor()` for a number that fits an index. The baseline of x86-64 has no instruction for it,
/// and the function is a tenth of a decision.
#[inline]
pub(crate) fn floor(v: f64) -> isize {
    let whole = v as isize;
    whole - isize::from(whole as f64 > v)
}

/// `v.ceil()` for a number that fits an index.
#[inline]
pub(crate) fn ceil(v: f64) -> isize {
    let whole = v as isize;
    whole + isize::from((whole as f64) < v)
}

/// The ground and the ceiling of each cell, as a flight that crosses it may meet them.
pub(crate) trait Ground {
    /// Outside there is nothing to run into.
    fn height(&self, x: isize, y: isize) -> f64;
    fn ceiling(&self, x: isize, y: isize) -> f64;
    /// Whether there are ceilings.
    fn is_roofed(&self) -> bool;
}

/// Heights and ceilings, row by row.
#[derive(Clone, Copy)]
pub(crate) struct Raster<'a> {
    pub(crate) heights: &'a [f64],
    /// Empty: none.
    pub(crate) ceilings: &'a [f64],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Ground for Raster<'_> {
    #[inline]
    fn height(&self, x: isize, y: isize) -> f64 {
        self.at(self.heights, x, y, f64::NEG_INFINITY)
    }
    #[inline]
    fn ceiling(&self, x: isize, y: isize) -> f64 {
        self.at(self.ceilings, x, y, f64::INFINITY)
    }
    #[inline]
    fn is_roofed(&self) -> bool {
        !self.ceilings.is_empty()
    }
}

impl Raster<'_> {
    #[inline]
    fn at(&self, values: &[f64], x: isize, y: isize, outside: f64) -> f64 {
        if x < 0 || y < 0 || x >= self.columns as isize || y >= self.rows as isize {
            return outside;
        }
        values.get(y as usize * self.columns + x as usize).copied().unwrap_or(outside)
    }
}

/// The body that flies: half the side of its square in cells, and its height.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Body {
    pub(crate) radius: f64,
    pub(crate) height: f64,
}

/// A flight: where from and to as (x, y) in cells, launch height, gain, and the arc's w.
#[derive(Clone, Copy)]
pub(crate) struct Trajectory {
    pub(crate) from: [f64; 2],
    pub(crate) to: [f64; 2],
    pub(crate) base: f64,
    /// The height of the landing, which `base + gain` only is to rounding.
    pub(crate) end: f64,
    pub(crate) gain: f64,
    pub(crate) w: f64,
}

impl Trajectory {
    /// The height at the share `t` of the distance.
    #[inline]
    pub(crate) fn height(&self, t: f64) -> f64 {
        self.base + t * (self.w * (1.0 - t) + self.gain * t)
    }
}

/// The indices that the span `low..=high`, widened by `radius`, overlaps or touches.
#[inline]
pub(crate) fn overlapped(low: f64, high: f64, radius: f64) -> (isize, isize) {
    (ceil(low - radius) - 1, floor(high + radius))
}

/// `[units: cells]` How far a place on a straight way, at a coordinate of at most `most`, may be
/// off by rounding. It is less than seven roundings of 2^-53 of the coordinate: a share of the way
/// times its length, added to its beginning, and a radius added. So near a corner all four cells
/// count, along both axes. Otherwise a cell that is entered exactly at the corner could be on one
/// side for one axis and on the other side for the other, and be met by neither.
#[inline]
fn rounding(most: f64) -> f64 {
    4.0 * f64::EPSILON * (1.0 + most)
}

/// Calls `each` for every border of cells that a point crosses or touches on its straight way in
/// plan, with the share of the way and the highest ground there; `each` says whether to go on.
#[inline(always)]
#[allow(clippy::inline_always)] // A tenth of a decision slower without.
fn crossings(
    ground: &impl Ground,
    from: [f64; 2],
    to: [f64; 2],
    mut each: impl FnMut(f64, f64) -> bool,
) {
    for axis in 0..2 {
        let across = 1 - axis;
        let span = to[axis] - from[axis];
        let (low, high) = if span > 0.0 { (from[axis], to[axis]) } else { (to[axis], from[axis]) };
        let (first, end) = (floor(low) + 1, ceil(high));
        if first >= end {
            continue;
        }
        let per = 1.0 / span;
        let slack = rounding(from[across].max(to[across]));
        for line in first..end {
            let t = (line as f64 - from[axis]) * per;
            let side = from[across] + t * (to[across] - from[across]);
            let (one, other) = overlapped(side, side, slack);
            let mut highest = f64::NEG_INFINITY;
            for cell in one..=other {
                let top = if axis == 0 {
                    ground.height(line - 1, cell).max(ground.height(line, cell))
                } else {
                    ground.height(cell, line - 1).max(ground.height(cell, line))
                };
                highest = highest.max(top);
            }
            if !each(t, highest) {
                return;
            }
        }
    }
}

/// The least height by which a point clears the ground that it passes over, from cell to cell;
/// negative or 0 where it does not. Without ceilings. Once it is known not to exceed `enough`, the
/// rest does not matter.
pub(crate) fn point_margin(ground: &impl Ground, flight: &Trajectory, enough: f64) -> f64 {
    let mut least = f64::INFINITY;
    crossings(ground, flight.from, flight.to, |t, top| {
        least = least.min(flight.height(t) - top);
        least > enough
    });
    least
}

/// The least w of an arc between two points that touches nothing on its way but from above.
pub(crate) fn least_w(
    ground: &impl Ground,
    [from, to]: [[f64; 2]; 2],
    base: f64,
    gain: f64,
) -> f64 {
    let mut least = f64::NEG_INFINITY;
    crossings(ground, from, to, |t, top| {
        least = least.max((top - base - gain * t * t) / (t * (1.0 - t)));
        true
    });
    least
}

/// The lines at which a body's box enters or leaves cells along an axis while its middle goes
/// through the closed span `low..=high`, with the cells (first, last) that it meets there.
pub(crate) fn lines(low: f64, high: f64, radius: f64) -> impl Iterator<Item = (f64, isize, isize)> {
    let (first, last) = (floor(low - radius), ceil(high + radius));
    (first..=last)
        .flat_map(move |i| {
            let x = i as f64;
            let enter = (x - radius, if radius > 0.0 { i } else { i - 1 }, i);
            let leave = (radius > 0.0).then_some((x + radius, i - 1, i - 1));
            std::iter::once(enter).chain(leave)
        })
        .filter(move |line| line.0 >= low && line.0 <= high)
}

/// The margin of a body that stands there at height `z`: the ground under the box must not be
/// higher, and there must be headroom.
#[inline]
pub(crate) fn standing_margin(ground: &impl Ground, body: Body, at: [f64; 2], z: f64) -> f64 {
    let mut least = f64::INFINITY;
    let wide = body.radius + rounding(at[0].max(at[1]));
    over(ground, [at[0], at[0]], [at[1], at[1]], wide, |top, ceiling| {
        if top > z {
            least = least.min(z - top);
        }
        least = least.min(ceiling - (z + body.height));
    });
    least
}

/// As [`point_margin`], for a box and under ceilings; ceilings count as much as the ground.
pub(crate) fn body_margin(ground: &impl Ground, body: Body, flight: &Trajectory) -> f64 {
    let Trajectory { from, to, base, end, gain, w } = *flight;
    let standing = [(from, base), (to, end)].map(|(at, z)| standing_margin(ground, body, at, z));
    let mut least = standing[0].min(standing[1]);
    for axis in 0..2 {
        let across = 1 - axis;
        let span = to[axis] - from[axis];
        let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
        // The place where a box enters a cell is rounded as well. This counts more the less the box
        // moves along that axis.
        let slope = ((to[across] - from[across]) / span).abs();
        let wide = body.radius + rounding(from[across].max(to[across]) + slope * high);
        for (x, first, last) in lines(low, high, body.radius) {
            // Also keeps a flight along the lines, which has no span, from being divided by it.
            if x == low || x == high {
                continue;
            }
            let t = (x - from[axis]) / span;
            let side = from[across] + t * (to[across] - from[across]);
            let y = flight.height(t);
            let (one, other) = overlapped(side, side, wide);
            for along in first..=last {
                for cell in one..=other {
                    let (cx, cy) = if axis == 0 { (along, cell) } else { (cell, along) };
                    least = least.min(y - ground.height(cx, cy));
                    least = least.min(ground.ceiling(cx, cy) - (y + body.height));
                }
            }
        }
    }
    // Under a ceiling the highest point counts, too.
    let t = 0.5 * w / (w - gain);
    if ground.is_roofed() && t > 0.0 && t < 1.0 {
        let at = [0, 1].map(|a: usize| from[a] + t * (to[a] - from[a]));
        let y = flight.height(t);
        over(ground, [at[0], at[0]], [at[1], at[1]], body.radius, |_, ceiling| {
            least = least.min(ceiling - (y + body.height));
        });
    }
    least
}

/// Calls `each` with height and ceiling of all cells under a box whose middle is within `x`, `y`.
pub(crate) fn over(
    ground: &impl Ground,
    x: [f64; 2],
    y: [f64; 2],
    radius: f64,
    mut each: impl FnMut(f64, f64),
) {
    let (x0, x1) = overlapped(x[0], x[1], radius);
    let (y0, y1) = overlapped(y[0], y[1], radius);
    for cy in y0..=y1 {
        for cx in x0..=x1 {
            each(ground.height(cx, cy), ground.ceiling(cx, cy));
        }
    }
}
