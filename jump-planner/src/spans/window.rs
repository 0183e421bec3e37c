//! The part of the world that a flight between two squares may meet: for each column, one free part
//! or several next to each other.

use super::SpanTerrain;
use crate::jump::clearance::{Ground, Trajectory};
use crate::jump::exact::{Found, Question};

/// `[units: cells]` How far beside a body the parts of columns are still told apart: more than the
/// margin of a flight allows for rounding.
const SLACK: f64 = 1e-9;

/// The columns between two squares and one around them.
#[derive(Clone)]
pub(super) struct Window<'a> {
    level: &'a SpanTerrain,
    /// x, y of its first column.
    first: [isize; 2],
    columns: usize,
    /// By column, the first of the places that are left and the end.
    left: Vec<[u32; 2]>,
    /// The heights of these together.
    heights: Vec<f64>,
    ceilings: Vec<f64>,
    is_roofed: bool,
}

/// Where a question is split: the column, and the first place that lies above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    column: usize,
    above: u32,
}

/// Between which heights the feet of all flights are.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
    /// How high a jump goes.
    most: f64,
    /// The height of the body.
    height: f64,
}

impl Range {
    fn of(question: &Question<()>) -> Self {
        let most = question.law.most_gain(0.0);
        let (low, high) = (question.base.min(question.end), question.base + most);
        Self { low, high, most, height: question.body.height }
    }
}

impl Ground for &Window<'_> {
    #[inline]
    fn height(&self, x: isize, y: isize) -> f64 {
        self.at(x, y).map_or(f64::NEG_INFINITY, |column| self.heights[column])
    }
    #[inline]
    fn ceiling(&self, x: isize, y: isize) -> f64 {
        self.at(x, y).map_or(f64::INFINITY, |column| self.ceilings[column])
    }
    fn is_roofed(&self) -> bool {
        self.is_roofed
    }
}

impl<'a> Window<'a> {
    /// `None` where the free parts of the columns do not join the two ends.
    pub(super) fn new(level: &'a SpanTerrain, question: &Question<()>) -> Option<Self> {
        let [rows, columns] = level.shape;
        let side = |axis: usize, n: usize| {
            let (a, b) = (question.from[axis], question.to[axis]);
            a.min(b).saturating_sub(1)..(a.max(b) + 2).min(n)
        };
        let (xs, ys) = (side(0, columns), side(1, rows));
        let area = xs.len() * ys.len();
        let mut window = Self {
            level,
            first: [xs.start as isize, ys.start as isize],
            columns: xs.len(),
            left: Vec::with_capacity(area),
            heights: vec![0.0; area],
            ceilings: vec![0.0; area],
            is_roofed: false,
        };
        let range = Range::of(question);
        for y in ys {
            for x in xs.clone() {
                let places = level.range(y * columns + x);
                window.left.push([places.start as u32, places.end as u32]);
            }
        }
        if level.stacks == 0 {
            for column in 0..area {
                window.set(column, range);
            }
            // As the height map has it, to the bit.
            window.is_roofed = level.has_ceilings;
            return Some(window);
        }
        for (at, z) in [(question.from, question.base), (question.to, question.end)] {
            let column = window.column(at);
            let [first, end] = window.left[column];
            let own = (first..end).find(|&i| level.floors[i as usize] == z)?;
            window.left[column] = [own, own + 1];
        }
        for left in &mut window.left {
            let usable = |i: u32| {
                let (floor, ceiling) = (level.floors[i as usize], level.ceilings[i as usize]);
                floor < range.high && floor.max(range.low) < ceiling - range.height
            };
            while left[0] < left[1] && !usable(left[0]) {
                left[0] += 1;
            }
            while left[0] < left[1] && !usable(left[1] - 1) {
                left[1] -= 1;
            }
        }
        window.flooded(question, range)
    }

    fn at(&self, x: isize, y: isize) -> Option<usize> {
        let (x, y) = ((x - self.first[0]) as usize, (y - self.first[1]) as usize);
        (x < self.columns && y < self.heights.len() / self.columns).then(|| y * self.columns + x)
    }

    fn column(&self, [x, y]: [usize; 2]) -> usize {
        self.at(x as isize, y as isize).unwrap_or(0)
    }

    /// Sets the heights of all places together that are left of a column.
    fn set(&mut self, column: usize, range: Range) {
        let [first, end] = self.left[column].map(|i| i as usize);
        (self.heights[column], self.ceilings[column]) = if first < end {
            (self.level.floors[first], self.level.ceilings[end - 1])
        } else {
            // No flight passes here; finite, so that a search learns which way is better.
            (range.high + 0.1 * range.most, f64::INFINITY)
        };
        // A ceiling higher above the highest flight than a margin counts does not matter.
        self.is_roofed |= self.ceilings[column] - range.height < range.high + range.most;
    }

    /// Keeps the places that are joined with the launch; `None` if the landing is not.
    fn flooded(mut self, question: &Question<()>, range: Range) -> Option<Self> {
        let (start, goal) = (self.column(question.from), self.column(question.to));
        if self.left[start][0] == self.left[start][1] || self.left[goal][0] == self.left[goal][1] {
            return None;
        }
        self.is_roofed = false;
        if self.left.iter().any(|[first, end]| end - first > 64) {
            // More than bits: nothing is left out, which is as right and slower.
            (0..self.left.len()).for_each(|column| self.set(column, range));
            return Some(self);
        }
        let rows = self.left.len() / self.columns;
        // A point stays between the two squares; a body overlaps cells around them.
        let rim = usize::from(question.body.radius == 0.0);
        let within = |axis: usize, n: usize| {
            let (a, b) = (question.from[axis], question.to[axis]);
            let first = self.first[axis] as usize;
            (a.min(b) + rim).saturating_sub(first + 1)..(a.max(b) + 2 - rim - first).min(n)
        };
        let (xs, ys) = (within(0, self.columns), within(1, rows));
        // Bits by place, from the first one that is left.
        let mut seen = vec![0_u64; self.left.len()];
        let mut open = vec![(start, self.left[start][0])];
        seen[start] = 1;
        while let Some((column, place)) = open.pop() {
            let (floor, ceiling) = self.free(place);
            let (y, x) = (column / self.columns, column % self.columns);
            let beside = [
                (x > xs.start).then(|| column - 1),
                (x + 1 < xs.end).then_some(column + 1),
                (y > ys.start).then(|| column - self.columns),
                (y + 1 < ys.end).then_some(column + self.columns),
            ];
            for other in beside.into_iter().flatten() {
                let [first, end] = self.left[other];
                for next in first..end {
                    let bit = 1 << (next - first);
                    let (low, high) = self.free(next);
                    let feet = floor.max(low).max(range.low);
                    let most = (ceiling.min(high) - range.height).min(range.high);
                    if seen[other] & bit == 0 && feet < most {
                        seen[other] |= bit;
                        open.push((other, next));
                    }
                }
            }
        }
        if seen[goal] == 0 {
            return None;
        }
        for (column, &bits) in seen.iter().enumerate() {
            let first = self.left[column][0];
            self.left[column] = match bits {
                0 => [first; 2],
                _ => [first + bits.trailing_zeros(), first + 64 - bits.leading_zeros()],
            };
            self.set(column, range);
        }
        Some(self)
    }

    fn free(&self, place: u32) -> (f64, f64) {
        (self.level.floors[place as usize], self.level.ceilings[place as usize])
    }

    pub(super) fn below(mut self, question: &Question<()>, split: Split) -> Option<Self> {
        self.left[split.column][1] = split.above;
        self.flooded(question, Range::of(question))
    }

    pub(super) fn above(mut self, question: &Question<()>, split: Split) -> Option<Self> {
        self.left[split.column][0] = split.above;
        self.flooded(question, Range::of(question))
    }

    /// A flight that is clear here, and the world of one place a column in which it is; or where it
    /// runs into a solid span.
    pub(super) fn settle(
        &self,
        question: &Question<()>,
        found: Found,
    ) -> Result<(Found, Self), Split> {
        let Some(flight) = flight(question, &found) else {
            return Ok((found, self.clone()));
        };
        let mut chosen: Option<Self> = None;
        let mut touched = None;
        for (column, &[first, end]) in self.left.iter().enumerate() {
            if end - first < 2 {
                continue;
            }
            let (x, y) = (column % self.columns, column / self.columns);
            let low = [x as isize + self.first[0], y as isize + self.first[1]].map(|v| v as f64);
            let (meets, between) = meeting(&flight, low, question.body.radius + SLACK);
            let (low, high) = heights(&flight, between);
            let high = high + question.body.height;
            let room = |place: u32| {
                let (floor, ceiling) = self.free(place);
                (low - floor).min(ceiling - high)
            };
            // The margin decides cases that differ only by rounding.
            let rounding = 1e-12 * (1.0 + low.abs());
            // The last one below the feet; if the column is not met, the one that lies best.
            let mut own = first;
            for place in first + 1..end {
                let is_below = self.free(place).0 <= low + rounding;
                if if meets { is_below } else { room(place) > room(own) } {
                    own = place;
                }
            }
            if meets {
                if room(own) < -rounding {
                    return Err(Split { column, above: (own + 1).min(end - 1) });
                }
                touched = touched.or(Some(Split { column, above: (own + 1).min(end - 1) }));
            }
            chosen.get_or_insert_with(|| self.clone()).left[column] = [own, own + 1];
        }
        let Some(mut world) = chosen else { return Ok((found, self.clone())) };
        let range = Range::of(question);
        world.is_roofed = false;
        for column in 0..world.left.len() {
            world.set(column, range);
        }
        let pair = [found.from[0], found.from[1], found.to[0], found.to[1]];
        let margin = question.over(&world).margin(found.kind, pair);
        match touched {
            // By rounding, it touches a span that it seemed to pass.
            Some(split) if margin <= 0.0 => Err(split),
            _ => Ok((Found { margin, ..found }, world)),
        }
    }
}

fn flight(question: &Question<()>, found: &Found) -> Option<Trajectory> {
    let [dx, dy] = [0, 1].map(|axis: usize| found.to[axis] - found.from[axis]);
    let w = question.law.w(found.kind, (dx * dx + dy * dy) * question.size2, question.gain)?;
    let Question { base, end, gain, .. } = *question;
    Some(Trajectory { from: found.from, to: found.to, base, end, gain, w })
}

/// Whether a box of this radius meets the cell at `low` on its way, and between which shares of the
/// way; else the share at which it is nearest, about.
fn meeting(flight: &Trajectory, low: [f64; 2], radius: f64) -> (bool, [f64; 2]) {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (axis, low) in low.into_iter().enumerate() {
        let (from, way) = (flight.from[axis], flight.to[axis] - flight.from[axis]);
        let slack = radius + SLACK * (1.0 + from.abs());
        let (near, far) = (low - slack - from, low + 1.0 + slack - from);
        if way == 0.0 {
            if near > 0.0 || far < 0.0 {
                leaves = -1.0;
            }
            continue;
        }
        let (a, b) = (near / way, far / way);
        (enters, leaves) = (enters.max(a.min(b)), leaves.min(a.max(b)));
    }
    if enters <= leaves {
        return (true, [enters, leaves]);
    }
    let way = [0, 1].map(|axis: usize| flight.to[axis] - flight.from[axis]);
    let to = [0, 1].map(|axis: usize| low[axis] + 0.5 - flight.from[axis]);
    let length2 = way[0] * way[0] + way[1] * way[1];
    let share = ((way[0] * to[0] + way[1] * to[1]) / length2).clamp(0.0, 1.0);
    (false, [share; 2])
}

/// The lowest and the highest place of the feet between two shares of the way.
fn heights(flight: &Trajectory, [first, last]: [f64; 2]) -> (f64, f64) {
    let (a, b) = (flight.height(first), flight.height(last));
    let top = (0.5 * flight.w / (flight.w - flight.gain)).clamp(first, last);
    (a.min(b), a.max(b).max(flight.height(top)))
}
