//! The safe region, by a march from the walker, and the course to its refuge.
//!
//! The march is Sethian's (1996) over the triangles of a cell, its neighbour and the earlier cell
//! beside that one, as in [`wave_core::ArrivalField`]; a cell is entered only before the threats
//! are there. Earlier is always better, since the walker can wait. So cells taken in the order of
//! their times have the least time of all safe ways.

use super::{Flight, FlightState, Turn, Way, index};
use crate::ground::{Cells, SKIN, distance};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use wave_core::Space;

#[derive(Clone, Debug)]
pub(super) struct Search {
    /// `[units: time]` When the walker can be at each cell; infinite outside the region.
    times: Vec<f32>,
    /// The cells that have a time.
    reached: Vec<u32>,
    /// Times and cells, as `time's bits << 32 | cell`: times are positive, so that their bits are
    /// in order.
    queue: BinaryHeap<Reverse<u64>>,
    /// A way home, cell by cell.
    trace: Vec<Cells>,
    /// The same, pulled straight.
    course: Vec<Turn>,
}

impl Search {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            times: vec![f32::INFINITY; cells],
            reached: Vec::new(),
            queue: BinaryHeap::new(),
            trace: Vec::new(),
            course: Vec::new(),
        }
    }

    pub(super) fn plan<D: Space>(
        &mut self,
        way: &Way<'_, D>,
        start: Cells,
        horizon: f64,
        flight: &mut Flight<D>,
    ) {
        let own = Way::<D>::cell_of(start);
        let here = way.threat(index(way.size, own));
        let cell = way.takes(own);
        // If the walker is caught, threats count as if they came a little after it leaves;
        // otherwise as if they came a cell sooner.
        let grace = if here > 0.0 { -cell.min(0.5 * here) } else { cell - here };
        // A course that was safe is still safe, to the accuracy of looks: two cells. It is kept
        // until another is better by a cell.
        let late = grace.max(0.0) + 2.0 * cell;
        let goes_on = Way { grace: late, ..*way }.follow(start, &mut flight.course);
        let plain = way;
        let until = |course: &[Turn]| {
            course.last().map_or(f64::NEG_INFINITY, |end| plain.threat_at(end.at))
        };
        // Nor does it promise less than to stay, where threats have come to its end since.
        let kept = until(&flight.course);
        let goes_on = goes_on && (here <= 0.0 || kept >= here);
        let before = if goes_on { kept + cell } else { f64::NEG_INFINITY };

        let way = Way { grace, ..*way };
        let refuge = self.march(&way, start, own, horizon);
        self.trace_back(&way, start, own, refuge);
        self.course.clear();
        self.course.push(Turn {
            at: start,
            place: D::to_xyz(way.ground.to_world(start)),
            time: 0.0,
        });
        self.straighten(&way);
        // On areas it may end early, where threats are sooner than at a turn before.
        let threat = |turn: &Turn| plain.threat_at(turn.at);
        let ends = self.course.iter().enumerate();
        let end = ends.max_by(|a, b| threat(a.1).total_cmp(&threat(b.1))).map_or(0, |end| end.0);
        self.course.truncate(end + 1);
        if until(&self.course) > before {
            std::mem::swap(&mut self.course, &mut flight.course);
        }
        flight.promised = if here > 0.0 { until(&flight.course) } else { 0.0 };
        flight.state = if here <= 0.0 {
            FlightState::Caught
        } else if flight.promised >= horizon {
            FlightState::Safe
        } else if flight.course.len() == 1 {
            FlightState::Cornered
        } else {
            FlightState::Fleeing
        };
    }

    /// Fills in the times of the safe region, as far as needed, and returns the refuge.
    fn march<D: Space>(
        &mut self,
        way: &Way<'_, D>,
        start: Cells,
        own: [usize; 3],
        horizon: f64,
    ) -> usize {
        self.queue.clear();
        for cell in self.reached.drain(..) {
            self.times[cell as usize] = f32::INFINITY;
        }
        let own_index = index(way.size, own);
        // A walker off the middle of its cell may be nearer to the next one.
        self.enter(way, own_index, distance(start, centre(own)) * way.takes(own));
        for_each_neighbour(own, way.size, |cell| {
            let middle = centre(cell);
            if way.ground.sees(start, middle) {
                let takes = 0.5 * (way.takes(own) + way.takes(cell));
                self.enter(way, index(way.size, cell), distance(start, middle) * takes);
            }
        });
        let (mut refuge, mut latest) = (own_index, way.threat(own_index));
        let strides = [1, way.size[2], way.size[2] * way.size[1]];
        let even = way.medium.is_uniform().then_some(way.pace);
        while let Some(Reverse(entry)) = self.queue.pop() {
            let (time, i) = (f32::from_bits((entry >> 32) as u32), entry as u32 as usize);
            if time > self.times[i] {
                continue;
            }
            let threat = way.threat(i);
            if threat > latest {
                (refuge, latest) = (i, threat);
            }
            if latest >= horizon {
                break;
            }
            let [x, y, z] = [i % way.size[2], i / way.size[2] % way.size[1], i / strides[2]];
            let (at, most) = ([x, y, z], [way.size[2], way.size[1], way.size[0]]);
            let here = even.unwrap_or_else(|| way.takes([z, y, x]));
            // The earlier cell to the sides, axis by axis.
            let side: [f32; 3] = std::array::from_fn(|a| {
                let low = if at[a] > 0 { self.times[i - strides[a]] } else { f32::INFINITY };
                let high =
                    if at[a] + 1 < most[a] { self.times[i + strides[a]] } else { f32::INFINITY };
                low.min(high)
            });
            for a in 0..D::AXES {
                let beside = (0..D::AXES).filter(|&b| b != a).map(|b| side[b]);
                let lead = f64::from(time) - f64::from(beside.fold(f32::INFINITY, f32::min));
                for up in [false, true] {
                    if if up { at[a] + 1 == most[a] } else { at[a] == 0 } {
                        continue;
                    }
                    let mut there = at;
                    there[a] = if up { at[a] + 1 } else { at[a] - 1 };
                    let to = if up { i + strides[a] } else { i - strides[a] };
                    if self.times[to] <= time || !way.ground.is_open(there.map(|v| v as i64)) {
                        continue;
                    }
                    // Half of each cell, as one walks.
                    let next = || way.takes([there[2], there[1], there[0]]);
                    let each = even.unwrap_or_else(|| 0.5 * (here + next()));
                    self.enter(way, to, f64::from(time) + through_edge(lead, each));
                }
            }
        }
        refuge
    }

    /// Gives a cell this time, unless the walker can be there sooner, or a threat can.
    fn enter<D: Space>(&mut self, way: &Way<'_, D>, cell: usize, time: f64) {
        let before = self.times[cell];
        if time >= way.threat(cell) || time as f32 >= before {
            return;
        }
        if before.is_infinite() {
            self.reached.push(cell as u32);
        }
        self.times[cell] = time as f32;
        self.queue.push(Reverse(u64::from((time as f32).to_bits()) << 32 | cell as u64));
    }

    /// The middles of the cells on the way to `refuge`, from the last one back to the walker.
    fn trace_back<D: Space>(
        &mut self,
        way: &Way<'_, D>,
        start: Cells,
        own: [usize; 3],
        refuge: usize,
    ) {
        self.trace.clear();
        let [_, ny, nx] = way.size;
        let mut cell = [refuge / nx / ny, refuge / nx % ny, refuge % nx];
        let mut time = self.times[refuge];
        while cell != own {
            let middle = centre(cell);
            self.trace.push(middle);
            let near = cell.iter().zip(own).all(|(c, o)| c.abs_diff(o) <= 1);
            if near && way.ground.sees(start, middle) {
                break;
            }
            // Down the steepest slope.
            let (mut best, mut slope) = (None, 0.0);
            for_each_neighbour(cell, way.size, |next| {
                let then = self.times[index(way.size, next)];
                if then < time {
                    let fall = f64::from(time - then) / distance(middle, centre(next));
                    if fall > slope
                        && let Some(via) = step_between(way, cell, next)
                    {
                        (best, slope) = (Some((next, then, via)), fall);
                    }
                }
            });
            let Some((next, then, via)) = best else { break };
            if via != centre(next) {
                self.trace.push(via);
            }
            (cell, time) = (next, then);
        }
    }

    /// Pulls the way straight where no threat can be on it sooner, and ends it where a threat could
    /// be.
    fn straighten<D: Space>(&mut self, way: &Way<'_, D>) {
        let mut left = self.trace.len();
        while left > 0 {
            let Turn { at, time, .. } = self.course[self.course.len() - 1];
            // Points from the near end on: the number `i` is `trace[left - 1 - i]`.
            let try_to = |i: usize| {
                let to = self.trace[left - 1 - i];
                let then = way.walk(at, to, time)?;
                // A straight way may lead through an area that the march went around.
                let own = f64::from(self.times[index(way.size, Way::<D>::cell_of(to))]);
                let saves =
                    i == 0 || way.medium.is_uniform() || then <= 1.01 * own + 0.5 * way.pace;
                saves.then_some((to, then))
            };
            let Some(mut seen) = try_to(0) else { break };
            let (mut low, mut high, mut stride) = (0, left, 1);
            while low + 1 < high {
                let probe = (low + stride).min(high - 1);
                if let Some(found) = try_to(probe) {
                    (low, seen) = (probe, found);
                    stride *= 2;
                } else {
                    high = probe;
                    stride = ((high - low) / 2).max(1);
                }
            }
            let (at, time) = seen;
            self.course.push(Turn { at, place: D::to_xyz(way.ground.to_world(at)), time });
            left -= low + 1;
        }
    }
}

/// The point by which a walker goes between the middles of two cells that touch, if it can:
/// straight, or close around the corner of a wall beside both.
fn step_between<D: Space>(way: &Way<'_, D>, from: [usize; 3], to: [usize; 3]) -> Option<Cells> {
    let (p, q) = (centre(from), centre(to));
    if way.ground.sees(p, q) {
        return Some(q);
    }
    (0..D::AXES).filter(|&a| p[a] != q[a]).find_map(|a| {
        let mut side = p;
        side[a] = q[a];
        let via = std::array::from_fn(|b| {
            let middle = 0.5 * (p[b] + q[b]);
            middle + (side[b] - middle) * (4.0 * SKIN)
        });
        let fits = way.ground.sees(p, via) && way.ground.sees(via, q);
        fits.then_some(via)
    })
}

pub(super) fn centre([z, y, x]: [usize; 3]) -> Cells {
    [x, y, z].map(|c| c as f64)
}

/// Calls `act` for the cells around one, diagonal ones included.
pub(super) fn for_each_neighbour(
    cell: [usize; 3],
    size: [usize; 3],
    mut act: impl FnMut([usize; 3]),
) {
    let range = |a: usize| cell[a].saturating_sub(1)..=(cell[a] + 1).min(size[a] - 1);
    for z in range(0) {
        for y in range(1) {
            for x in range(2) {
                if [z, y, x] != cell {
                    act([z, y, x]);
                }
            }
        }
    }
}

/// How long after a cell its neighbour, which takes `each`, is reached if a cell to the cell's side
/// was reached `lead` before it: across the edge between both, or from the far one along the
/// diagonal.
fn through_edge(lead: f64, each: f64) -> f64 {
    let lead = lead.clamp(0.0, each);
    if lead <= each * FRAC_1_SQRT_2 {
        (each * each - lead * lead).max(0.0).sqrt()
    } else {
        SQRT_2 * each - lead
    }
}
