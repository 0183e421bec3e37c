//! A pursuer's course: the way by which the wave came, pulled straight.

use crate::front::TrackerFront;
use crate::ground::{Cells, Ground, between, distance, dot, floor};
use crate::targets::{Mark, Targets};
use arrayvec::ArrayVec;
use wave_core::{Link, Space};

/// `[units: cells]` The stride in which the way home is traced. It doubles every time the way goes
/// straight on, up to the longest stride.
const STRIDE: f64 = 1.0;
const LONGEST_STRIDE: f64 = 16.0;
/// The cosine of the largest angle at which a way still goes straight on.
const STRAIGHT: f64 = 0.999;
/// `[units: cells]` The error of times over a stride, since they are those of the cells' middles.
const OFF: f64 = 0.75;
/// The part of a way that may be lost for going further straight on: a pursuer that turns at every
/// point gets nowhere.
const WORTH: f64 = 0.002;
/// Points looked ahead, at the most.
const POINTS: usize = 16;
/// The same on flat maps, where more points do not make ways shorter. Among storeys ways would be
/// a hundredth longer.
const POINTS_FLAT: usize = 8;
/// Turns of a target's trail looked ahead, at the most.
const TURNS: usize = 64;

/// How many points the pursuer of this number looks ahead, if last it looked `before` points ahead,
/// which is 0 at the start: few at first and more every time, up to at least half of all.
/// The number differs among pursuers, so that those that set out together do not look for their
/// next aims in the same frames.
pub(crate) fn horizon<D: Space>(number: u64, before: usize) -> usize {
    let points = if D::AXES == 2 { POINTS_FLAT } else { POINTS };
    let spread = |from: usize, to: usize| {
        from + ((number * 13 + before as u64 * 5) % (to - from + 1) as u64) as usize
    };
    if before == 0 {
        return spread(4, 8);
    }
    let most = points / 2 + (number * 13 % (points / 2 + 1) as u64) as usize;
    spread(before + 1, 2 * before + 1).min(most)
}
/// Strides without coming to an earlier cell after which a trace goes home cell by cell.
const PATIENCE: usize = 8;
/// `[units: cells]` Around its source a wave has no direction yet: there a pursuer goes straight to
/// the source.
const SOURCE_RANGE: f64 = 3.0;

/// A place to go to in a straight line that is free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) at: Cells,
    /// Its place on a target's trail, if it is on one.
    pub(crate) mark: Option<Mark>,
}

/// The arrivals of a wave: when it came to each cell, and from where.
pub(crate) struct Wake<'a, D: Space> {
    pub(crate) ground: Ground<'a, D>,
    pub(crate) front: &'a TrackerFront<D>,
    /// Where the wave was emitted, in cells.
    pub(crate) sources: &'a [Cells],
    /// The turn of the targets' trails at which it was emitted.
    pub(crate) turn: u64,
    /// How often the wave was repaired, and given the next number.
    pub(crate) repairs: u64,
}

/// Points of a way home, found as they are asked for.
struct Trace {
    points: ArrayVec<Cells, POINTS>,
    /// `[units: steps]` Where speeds differ, how long the wave took from its source to each point;
    /// negative along the trail, which is before the source.
    times: ArrayVec<f64, POINTS>,
    /// The cell time of the last point, and how long there was no earlier one.
    earliest: f64,
    waited: usize,
    /// The source that it has come to, and the point from which on it is on the trail.
    source: Option<(usize, usize)>,
    ways: Ways,
    /// The last stride and its direction.
    stride: f64,
    before: Cells,
    /// The direction at the last point, if it has been found.
    heading: Option<Cells>,
    /// Strides that ended where the way had turned.
    given_up: u32,
}

impl Trace {
    /// Whether a point is the source or on the trail from there on.
    fn is_home(&self, i: usize) -> bool {
        self.source.is_some_and(|(_, first)| i + 1 >= first)
    }
}

/// The directions in the cells around a point, as far as they were asked for. The next point of a
/// trace has most of these cells around it as well.
#[derive(Default)]
struct Ways {
    /// The first of these cells; which of them were asked for, x from the lowest bit; and the
    /// directions found.
    low: [i64; 3],
    asked: u8,
    found: [Option<Cells>; 8],
}

impl Ways {
    /// The direction in a cell, for which `find` is asked only once.
    fn of(&mut self, corner: usize, find: impl FnOnce() -> Option<Cells>) -> Option<Cells> {
        if self.asked >> corner & 1 == 0 {
            self.asked |= 1 << corner;
            self.found[corner] = find();
        }
        self.found[corner]
    }

    /// Keeps the directions of those cells that are also around the next point.
    fn move_to(&mut self, low: [i64; 3]) {
        if low == self.low {
            return;
        }
        let (asked, found) = (std::mem::take(&mut self.asked), self.found);
        for corner in 0..8 {
            let bits = [0, 1, 2].map(|a: usize| low[a] - self.low[a] + (corner >> a & 1) as i64);
            let before = (bits[0] | bits[1] << 1 | bits[2] << 2) as usize;
            if bits.iter().all(|bit| (0..2).contains(bit)) && asked >> before & 1 == 1 {
                self.asked |= 1 << corner;
                self.found[corner] = found[before];
            }
        }
        self.low = low;
    }
}

impl<D: Space> Wake<'_, D> {
    /// Where to go from `from`, in a straight line: the furthest point that can be seen of the way
    /// home and, from there on, of the target's trail, `horizon` points ahead at the most. `None`
    /// where the wave has not come. `traced` counts the points that were looked at.
    ///
    /// A pursuer that goes there and asks again comes home for certain: the aim lies in a cell that
    /// the wave reached earlier than this one, or on the trail, or it is the middle of this cell,
    /// from where the next aim is in an earlier cell.
    pub(crate) fn aim(
        &self,
        from: Cells,
        targets: &Targets,
        horizon: usize,
        traced: &mut u32,
    ) -> Option<Goal> {
        let here = self.time(from)?;
        let mut trace = Trace {
            points: ArrayVec::new(),
            times: ArrayVec::new(),
            earliest: here,
            waited: 0,
            source: None,
            ways: Ways::default(),
            stride: STRIDE,
            before: [0.0; 3],
            heading: None,
            given_up: 0,
        };
        let uniform = self.ground.is_uniform();
        let reach = |trace: &mut Trace, i: usize| {
            while trace.points.len() <= i {
                let last = trace.points.last().copied().unwrap_or(from);
                if !self.extend(trace, last, targets) {
                    return Err(trace.points.len());
                }
                if !uniform {
                    let (n, at) = (trace.points.len(), trace.points[trace.points.len() - 1]);
                    let is_on_trail = trace.source.is_some_and(|(_, first)| n > first);
                    let time =
                        if is_on_trail || self.ground.is_even(last) && self.ground.is_even(at) {
                            let before = trace.times.last().copied();
                            before.unwrap_or_else(|| self.time_between(from))
                                - self.ground.wave_time(last, at)
                        } else if trace.source.is_some() {
                            -self.entry(Ground::<D>::cell(at))
                        } else {
                            self.time_between(at)
                        };
                    trace.times.push(time);
                }
            }
            Ok(trace.points[i])
        };
        let mut least = f64::INFINITY;
        let seen = if uniform {
            furthest_seen(horizon, |i| reach(&mut trace, i).map(|p| self.ground.sees(from, p)))
        } else {
            best_seen(horizon, |i| {
                let p = reach(&mut trace, i)?;
                if !self.ground.sees(from, p) {
                    return Ok(None);
                }
                // The straight way may lead through a slow area that the wave went around.
                let by = trace.times[i] + self.ground.wave_time(from, p) * (1.0 - WORTH);
                if trace.is_home(i) || self.time(p).is_some_and(|t| t < here) {
                    least = least.min(by);
                }
                Ok(Some(-by))
            })
        };
        *traced += trace.points.len() as u32 + trace.given_up;
        if !uniform
            && !seen.is_some_and(|i| trace.is_home(i))
            && let Some(at) = self.beside(from, here, least)
        {
            return Some(Goal { at, mark: None });
        }
        let goal = seen.and_then(|i| {
            let mut at = trace.points[i];
            let mark = trace.source.filter(|&(_, first)| i >= first);
            if let (true, None, Some(&hidden)) = (uniform, mark, trace.points.get(i + 1)) {
                at = self.furthest_between(from, at, hidden);
            }
            let mark =
                mark.map(|(target, first)| Mark::new(target, self.turn + 1 + (i - first) as u64));
            let earlier = trace.is_home(i) || self.time(at).is_some_and(|t| t < here);
            earlier.then_some(Goal { at, mark })
        });
        goal.or_else(|| self.cell_by_cell(from).map(|at| Goal { at, mark: None }))
    }

    /// The middle of a neighbour that the wave reached before `here`, and over which the way home
    /// takes less than `least`. Directions tell the way well inside of areas, but hardly where
    /// speeds change from cell to cell.
    fn beside(&self, from: Cells, here: f64, mut least: f64) -> Option<Cells> {
        if self.ground.is_even(from) {
            return None;
        }
        let mut best = None;
        for at in self.neighbours(from) {
            let Some(time) = self.time(at).filter(|&time| time < here) else { continue };
            let left = time - self.entry(Ground::<D>::cell(at));
            let by = left + self.ground.wave_time(from, at) * (1.0 - WORTH);
            if by < least && self.ground.sees(from, at) {
                (least, best) = (by, Some(at));
            }
        }
        best
    }

    /// The middles of the open cells around that of `p`, also of those across corners.
    fn neighbours(&self, p: Cells) -> impl Iterator<Item = Cells> + '_ {
        let here = p.map(|v| floor(v + 0.5));
        let around = (0..3usize.pow(D::AXES as u32)).map(move |i| {
            let step = [i % 3, i / 3 % 3, i / 9].map(|part| part as i64 - 1);
            [0, 1, 2].map(|a: usize| if a < D::AXES { here[a] + step[a] } else { here[a] })
        });
        let others = around.filter(move |&at| at != here && self.ground.is_open(at));
        others.map(|at| at.map(|v| v as f64))
    }

    /// `[units: steps]` How late a front of short waves is in the middle of a cell beside cells of
    /// other speeds: it counts the whole way from one middle to the next at the speed of the cell
    /// that it comes to.
    fn entry(&self, cell: D::Cell) -> f64 {
        match self.front {
            TrackerFront::Short(_) => 0.5 * self.ground.crossing_time(cell),
            TrackerFront::Wave(_) => 0.0,
        }
    }

    /// `[units: steps]` When the wave came to a place between the middles of cells: interpolated,
    /// and where speeds differ around it, no later than by a straight way from one of them.
    fn time_between(&self, p: Cells) -> f64 {
        let is_even = self.ground.is_even(p);
        let mut least = f64::INFINITY;
        let [sum, weight, _] = self.around(p, |_, cell| {
            let time = self.front.arrival(cell)? - self.entry(cell);
            if !is_even {
                least = least.min(time + self.ground.wave_time(Ground::<D>::middle(cell), p));
            }
            Some([time, 1.0, 0.0])
        });
        least.min(if weight > 0.0 { sum / weight } else { f64::INFINITY })
    }

    /// The furthest place that is seen between a seen point and the next point of a way, to a
    /// quarter of the distance.
    fn furthest_between(&self, from: Cells, seen: Cells, hidden: Cells) -> Cells {
        let (mut part, mut at) = (0.5, seen);
        for stride in [0.25, 0.0] {
            let place = between(seen, hidden, part);
            if self.ground.sees(from, place) {
                at = place;
                part += stride;
            } else {
                part -= stride;
            }
        }
        at
    }

    /// How much earlier the wave came to the cell of `q` than to that of `p`, in steps.
    pub(crate) fn gain(&self, p: Cells, q: Cells) -> Option<f64> {
        Some(self.time(p)? - self.time(q)?)
    }

    /// The direction home at `p`, interpolated between the cells around that the wave has reached.
    pub(crate) fn direction(&self, p: Cells) -> Option<Cells> {
        self.direction_among(p, &mut Ways::default())
    }

    fn direction_among(&self, p: Cells, ways: &mut Ways) -> Option<Cells> {
        let low = p.map(floor);
        let [x, y, _] = low.map(|v| (v + 1) as usize);
        let way = if let Some(four) = self.front.directions_of_four(D::from_zyx([0, y, x])) {
            self.around(p, |corner, _| four[corner].map(D::to_xyz))
        } else {
            ways.move_to(low);
            let find = |cell| self.front.direction(cell).map(D::to_xyz);
            self.around(p, |corner, cell| ways.of(corner, || find(cell)))
        };
        let length = distance(way, [0.0; 3]);
        (length > 1e-9).then(|| way.map(|w| w / length))
    }

    /// The sum of `values` of the open cells around `p`, weighted as in linear interpolation.
    /// `values` gets a corner's number, x from the lowest bit, and its cell.
    #[inline]
    fn around(&self, p: Cells, mut values: impl FnMut(usize, D::Cell) -> Option<Cells>) -> Cells {
        let low = p.map(floor);
        let part: Cells = [0, 1, 2].map(|a: usize| p[a] - low[a] as f64);
        let mut sum = [0.0; 3];
        for corner in 0..1usize << D::AXES {
            let mut weight = 1.0;
            let mut cell = low;
            for a in 0..D::AXES {
                let high = corner >> a & 1 == 1;
                weight *= if high { part[a] } else { 1.0 - part[a] };
                cell[a] += i64::from(high);
            }
            if weight <= 0.0 || !self.ground.is_open(cell) {
                continue;
            }
            let [x, y, z] = cell.map(|c| c as usize);
            if let Some(value) = values(corner, D::from_zyx([z, y, x])) {
                (0..3).for_each(|a| sum[a] += weight * value[a]);
            }
        }
        sum
    }

    /// The middle of the cell around `p`, and the link, if the way home leads on from there by one.
    pub(crate) fn link(&self, p: Cells) -> Option<(Cells, Link<D::Cell>)> {
        let link = self.ground.link(self.front, Ground::<D>::cell(p))?;
        Some((Ground::<D>::middle(link.from), link))
    }

    pub(crate) fn time(&self, p: Cells) -> Option<f64> {
        self.front.arrival(Ground::<D>::cell(p))
    }

    /// Adds the next point of the way home from `p`, the last one.
    fn extend(&self, trace: &mut Trace, p: Cells, targets: &Targets) -> bool {
        if let Some((target, first)) = trace.source {
            let turn = self.turn + 1 + (trace.points.len() - first) as u64;
            // The target's own place is the last one.
            let further = turn <= targets.next_turn() && self.turn >= targets.first_turn();
            let place = targets.place(Mark::new(target, turn)).filter(|_| further);
            trace.points.extend(place);
            return place.is_some();
        }
        let near = |s: &Cells| distance(p, *s) <= SOURCE_RANGE && self.ground.sees(p, *s);
        if let Some(source) = self.sources.iter().position(near) {
            trace.points.push(self.sources[source]);
            trace.source = Some((source, trace.points.len()));
            return true;
        }
        if let Some((start, _)) = self.link(p) {
            // Further on there is nothing to see.
            let further = p != start;
            trace.points.extend(further.then_some(start));
            return further;
        }
        let heading = trace.heading.take().or_else(|| self.direction_among(p, &mut trace.ways));
        let next = match heading {
            Some(way) if trace.waited < PATIENCE => self.stride(trace, p, way),
            _ => match self.cell_by_cell(p) {
                Some(next) => next,
                None => return false,
            },
        };
        let Some(time) = self.time(next) else { return false };
        if time < trace.earliest {
            (trace.earliest, trace.waited) = (time, 0);
        } else {
            trace.waited += 1;
        }
        trace.points.push(next);
        true
    }

    /// The next point from `p` in the direction home: far away if the wave came straight from
    /// there, with the same direction at both ends, and no wall is beside the way; half a stride
    /// away at walls.
    fn stride(&self, trace: &mut Trace, p: Cells, way: Cells) -> Cells {
        let ahead = |stride: f64| std::array::from_fn(|a| p[a] + stride * way[a]);
        let straight = dot(trace.before, way) >= STRAIGHT;
        trace.before = way;
        if straight {
            let stride = (2.0 * trace.stride).min(LONGEST_STRIDE);
            let far = ahead(stride);
            if self.ground.is_box_open(p, far) {
                // Otherwise the wave came in by a crossing in between.
                let due = self.ground.wave_time(p, far) * (1.0 - OFF / stride);
                if self.gain(p, far).is_some_and(|gain| gain >= due) {
                    let there = self.direction_among(far, &mut trace.ways);
                    trace.heading = there.filter(|&there| dot(there, way) >= STRAIGHT);
                }
                if trace.heading.is_some() {
                    trace.stride = stride;
                    return far;
                }
                trace.given_up += 1;
            }
        }
        trace.stride = STRIDE;
        if self.ground.is_short_and_open(p, ahead(STRIDE)) {
            ahead(STRIDE)
        } else {
            self.ground.slide(p, ahead(0.5 * STRIDE))
        }
    }

    /// The way home that cannot fail: to the middle of this cell, and from there to the middle of
    /// the neighbour that the wave reached first, which was before this one, or across a corner.
    fn cell_by_cell(&self, p: Cells) -> Option<Cells> {
        let here = p.map(|v| floor(v + 0.5) as f64);
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
        best.1.or_else(|| {
            let timed = self.neighbours(here).filter_map(|at| Some((self.time(at)?, at)));
            let open =
                timed.filter(|&(time, at)| time < best.0 && self.ground.is_box_open(here, at));
            open.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
        })
    }
}

/// The furthest place that can be seen of a target's trail, from a mark on.
pub(crate) fn aim_on_trail<D: Space>(
    ground: Ground<'_, D>,
    targets: &Targets,
    from: Cells,
    mark: Mark,
) -> Option<Goal> {
    if mark.turn < targets.first_turn() {
        return None;
    }
    let at = |i: usize| Mark { turn: mark.turn + i as u64, ..mark };
    let last = targets.next_turn().saturating_sub(mark.turn) as usize;
    let seen = furthest_seen(TURNS, |i| {
        let place = targets.place(at(i)).filter(|_| i <= last).ok_or(last + 1)?;
        Ok(ground.sees(from, place))
    })?;
    let place = targets.place(at(seen))?;
    Some(Goal { at: place, mark: Some(at(seen)) })
}

/// The number of the point of a way that is worth most to go straight to; the way has so many
/// points or fewer. `worth` returns the saving, `None` for a point that is not seen, and the length
/// of the way where it is shorter. The search doubles its strides, then halves them around the
/// best.
fn best_seen(
    points: usize,
    mut worth: impl FnMut(usize) -> Result<Option<f64>, usize>,
) -> Option<usize> {
    let (mut best, mut most) = (0, worth(0).ok()??);
    let mut better = |i: usize, best: &mut usize| match worth(i) {
        Ok(Some(saved)) if saved > most => {
            (*best, most) = (i, saved);
            Ok(true)
        }
        Ok(seen) => Ok(seen.is_some()),
        Err(points) => Err(points),
    };
    let mut end = points;
    let mut stride = 1;
    while stride < end {
        match better(stride, &mut best) {
            Ok(true) => stride *= 2,
            Ok(false) => end = stride,
            Err(points) => {
                end = points;
                if points > 0 {
                    let _ = better(points - 1, &mut best);
                }
            }
        }
    }
    let mut stride = best.max(1) / 2;
    while stride > 0 {
        let middle = best;
        for i in [middle.saturating_sub(stride), middle + stride] {
            if i < end {
                let _ = better(i, &mut best);
            }
        }
        stride /= 2;
    }
    Some(best)
}

/// The number of a point that is seen, far along a way of so many points or fewer; where the way is
/// shorter, `sees` answers with its length. The search doubles its strides, then halves them, so it
/// misses little of what is seen.
fn furthest_seen(
    points: usize,
    mut sees: impl FnMut(usize) -> Result<bool, usize>,
) -> Option<usize> {
    if sees(0) != Ok(true) {
        return None;
    }
    let (mut seen, mut stride) = (0, 1);
    let mut hidden = points;
    while seen + 1 < hidden {
        let probe = (seen + stride).min(hidden - 1);
        match sees(probe) {
            Ok(true) => {
                seen = probe;
                stride *= 2;
            }
            Ok(false) => {
                hidden = probe;
                stride = ((hidden - seen) / 2).max(1);
            }
            Err(points) => hidden = points,
        }
    }
    Some(seen)
}
