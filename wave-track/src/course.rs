//! A pursuer's course: the way that the wave came, pulled straight.

use crate::ground::{Cells, Ground, distance};
use arrayvec::ArrayVec;
use wave_core::{Front, Real, Space};

/// `[units: cells]` The stride in which the way home is traced.
const STRIDE: f64 = 0.5;
/// Strides looked ahead.
const STRIDES: usize = 64;
/// Strides without coming to an earlier cell after which a trace goes home cell by cell.
const PATIENCE: usize = 8;
/// `[units: cells]` Around its source a wave has no direction yet: there one goes straight to it.
const SOURCE_RANGE: f64 = 3.0;

/// What the last wave left behind: when it came to each cell, and from where.
pub(crate) struct Wake<'a, D: Space, S: Real> {
    pub(crate) ground: Ground<'a, D, S>,
    pub(crate) front: &'a Front<D, S>,
    /// Where the wave was emitted, in cells.
    pub(crate) sources: &'a [Cells],
}

impl<D: Space, S: Real> Wake<'_, D, S> {
    /// Where to go from `from`, in a straight line: the furthest point of the way home that can be
    /// seen. `None` where the wave has not come.
    ///
    /// Who goes there and asks again comes home for certain: the aim lies in a cell that the wave
    /// reached earlier than this one, or it is the middle of this cell, from where the next aim
    /// is in an earlier cell.
    pub(crate) fn aim(&self, from: Cells) -> Option<Cells> {
        let here = self.time(from)?;
        let points = self.trace(from);
        let seen = self.furthest_seen(from, &points);
        let earlier =
            |p: &Cells| self.sources.contains(p) || self.time(*p).is_some_and(|t| t < here);
        seen.filter(earlier).or_else(|| self.cell_by_cell(from))
    }

    /// Doubling strides, then halving: what is seen further out is not missed by much.
    fn furthest_seen(&self, from: Cells, points: &[Cells]) -> Option<Cells> {
        let sees = |i: usize| self.ground.sees(from, points[i]) && self.saves(from, points[i]);
        if points.is_empty() || !sees(0) {
            return None;
        }
        let (mut seen, mut stride) = (0, 1);
        let mut hidden = points.len();
        while seen + 1 < hidden {
            let probe = (seen + stride).min(hidden - 1);
            if sees(probe) {
                seen = probe;
                stride *= 2;
            } else {
                hidden = probe;
                stride = ((hidden - seen) / 2).max(1);
            }
        }
        Some(points[seen])
    }

    /// Whether the straight way from `p` to `q` takes a wave no longer than the way it came: it may
    /// lead through a slow area that the wave went around.
    fn saves(&self, p: Cells, q: Cells) -> bool {
        if self.ground.is_uniform() || distance(p, q) <= 2.0 * STRIDE {
            return true;
        }
        let time = |at| self.around(at, |cell| self.front.arrival(cell).map(|t| [t, 1.0, 0.0]));
        let ([here, weight_here, _], [there, weight_there, _]) = (time(p), time(q));
        self.ground.wave_time(p, q) <= (here / weight_here - there / weight_there) * 1.01 + 0.1
    }

    /// The direction home at `p`, interpolated between the cells around that the wave has reached.
    pub(crate) fn direction(&self, p: Cells) -> Option<Cells> {
        let way = self.around(p, |cell| self.front.direction(cell).map(D::to_xyz));
        let length = distance(way, [0.0; 3]);
        (length > 1e-9).then(|| way.map(|w| w / length))
    }

    /// The sum of `values` of the open cells around `p`, weighted as in linear interpolation.
    fn around(&self, p: Cells, values: impl Fn(D::Cell) -> Option<Cells>) -> Cells {
        let low = p.map(f64::floor);
        let mut sum = [0.0; 3];
        for corner in 0..1u8 << D::AXES {
            let high = |a: usize| corner >> a & 1 == 1;
            let weight: f64 = (0..D::AXES)
                .map(|a| if high(a) { p[a] - low[a] } else { 1.0 - (p[a] - low[a]) })
                .product();
            let cell: [i64; 3] = std::array::from_fn(|a| low[a] as i64 + i64::from(high(a)));
            if weight <= 0.0 || !self.ground.is_open(cell) {
                continue;
            }
            let [x, y, z] = cell.map(|c| c as usize);
            if let Some(value) = values(D::from_zyx([z, y, x])) {
                (0..3).for_each(|a| sum[a] += weight * value[a]);
            }
        }
        sum
    }

    fn time(&self, p: Cells) -> Option<f64> {
        self.front.arrival(Ground::<D, S>::cell(p))
    }

    /// Points of the way home, a stride apart.
    fn trace(&self, from: Cells) -> ArrayVec<Cells, STRIDES> {
        let mut points = ArrayVec::new();
        let mut p = from;
        let mut earliest = self.time(from).unwrap_or(f64::INFINITY);
        let mut waited = 0;
        while !points.is_full() {
            let near = |s: &&Cells| distance(p, **s) <= SOURCE_RANGE && self.ground.sees(p, **s);
            if let Some(&source) = self.sources.iter().find(near) {
                points.push(source);
                break;
            }
            let next = match self.direction(p) {
                Some(way) if waited < PATIENCE => {
                    let ahead = std::array::from_fn(|a| p[a] + STRIDE * way[a]);
                    self.ground.slide(p, ahead)
                }
                _ => match self.cell_by_cell(p) {
                    Some(next) => next,
                    None => break,
                },
            };
            let Some(time) = self.time(next) else { break };
            if time < earliest {
                (earliest, waited) = (time, 0);
            } else {
                waited += 1;
            }
            p = next;
            points.push(p);
        }
        points
    }

    /// The way home that cannot fail: to the middle of this cell, and from there to the middle of
    /// the neighbour that the wave reached first, which was before this one.
    fn cell_by_cell(&self, p: Cells) -> Option<Cells> {
        let here = p.map(|v| (v + 0.5).floor());
        if distance(p, here) > 1e-9 {
            return Some(here);
        }
        let mut best = (self.time(p)?, None);
        for a in 0..D::AXES {
            for side in [-1.0, 1.0] {
                let mut there = here;
                there[a] += side;
                if !self.ground.is_open(there.map(|v| v as i64)) {
                    continue;
                }
                if let Some(time) = self.time(there).filter(|&time| time < best.0) {
                    best = (time, Some(there));
                }
            }
        }
        best.1
    }
}
