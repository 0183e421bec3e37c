//! A substep: it finds near walkers, chooses velocities, moves all, and pushes them apart.

use crate::config::{CrowdConfig, Pace};
use crate::ground::{Ground, ahead, nearness};
use crate::walker::Walker;
use std::ops::RangeInclusive;
use wave_core::glam::DVec2;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) walker: Walker,
    pub(crate) number: u32,
    /// `[y, x]`
    pub(crate) cell: [i32; 2],
}

/// Bodies and the results of a substep; kept so that no substep allocates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    pub(crate) bodies: Vec<Body>,
    /// Where the bodies of each row that has any begin, and its number.
    rows: Vec<(i32, u32)>,
    velocities: Vec<DVec2>,
    spots: Vec<Spot>,
    apart: Vec<Spot>,
}

/// Where a body is about to be.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    place: DVec2,
    /// How much of the last push it followed: less than all where there is a wall behind it.
    freedom: f64,
}

/// Times that overlaps are taken away in a substep.
const ROUNDS: usize = 5;
/// A push is so many times the mean push by a body's neighbours, since that mean is less than each
/// of them needs.
const OVERSHOOT: f64 = 1.5;
/// `[units: 1 / relaxation]` Avoiding changes velocity no faster than by so many times one's speed.
const MOST_FORCE: f64 = 4.0;
/// Fewer bodies are not worth other threads.
#[cfg(feature = "rayon")]
const GRAIN: usize = 256;

impl Motion {
    pub(crate) fn step(&mut self, ground: &Ground, config: &CrowdConfig, time: f64) {
        self.sort(ground);
        let mut velocities = std::mem::take(&mut self.velocities);
        fill(&mut velocities, self.bodies.len(), |i| self.velocity(i, ground, config, time));
        let mut spots = std::mem::take(&mut self.spots);
        let bodies = &self.bodies;
        fill(&mut spots, bodies.len(), |i| {
            let Walker { position, radius, .. } = bodies[i].walker;
            let place = kept(ground, position, position + velocities[i] * time, radius);
            Spot { place, freedom: 1.0 }
        });
        let mut apart = std::mem::take(&mut self.apart);
        let widest = bodies.iter().map(|b| b.walker.radius).fold(0.0, f64::max);
        for _ in 0..ROUNDS {
            fill(&mut apart, bodies.len(), |i| self.apart(i, &spots, widest, ground));
            std::mem::swap(&mut spots, &mut apart);
        }
        for (body, spot) in self.bodies.iter_mut().zip(&spots) {
            let walker = &mut body.walker;
            // A pushed walker was not walking.
            let velocity = (spot.place - walker.position) / time;
            walker.velocity = velocity.clamp_length_max(walker.speed);
            walker.position = spot.place;
            body.cell = ground.cell(spot.place);
        }
        (self.velocities, self.spots, self.apart) = (velocities, spots, apart);
    }

    /// Sorts bodies by row, column and number.
    fn sort(&mut self, ground: &Ground) {
        for body in &mut self.bodies {
            body.cell = ground.cell(body.walker.position);
        }
        // No two have the same number, so this is the one order; a stable sort would allocate.
        self.bodies.sort_unstable_by_key(|body| (body.cell, body.number));
        self.rows.clear();
        for (i, body) in self.bodies.iter().enumerate() {
            if self.rows.last().is_none_or(|&(row, _)| row != body.cell[0]) {
                self.rows.push((body.cell[0], i as u32));
            }
        }
    }

    /// Calls `visit` with the place in the order of all bodies but `i` in cells up to `far` away.
    fn near(&self, i: usize, far: i32, mut visit: impl FnMut(usize)) {
        let [y, x] = self.bodies[i].cell;
        let rows: RangeInclusive<i32> = y - far..=y + far;
        let from = self.rows.partition_point(|&(row, _)| row < *rows.start());
        for (n, &(row, start)) in self.rows[from..].iter().enumerate() {
            if row > *rows.end() {
                break;
            }
            let end = self.rows.get(from + n + 1).map_or(self.bodies.len(), |&(_, s)| s as usize);
            let start = start as usize;
            let bodies = &self.bodies[start..end];
            let first = start + bodies.partition_point(|body| body.cell[1] < x - far);
            for j in (first..end).take_while(|&j| self.bodies[j].cell[1] <= x + far) {
                if j != i {
                    visit(j);
                }
            }
        }
    }

    /// The velocity that a body takes up.
    fn velocity(&self, i: usize, ground: &Ground, config: &CrowdConfig, time: f64) -> DVec2 {
        let me = &self.bodies[i].walker;
        let square = config.sight * config.sight;
        let mut density = nearness(0.0, config.sight);
        let mut force = DVec2::ZERO;
        let cells = (config.sight / ground.spacing()).ceil() as i32;
        self.near(i, cells, |j| {
            let other = &self.bodies[j].walker;
            let from = me.position - other.position;
            if from.length_squared() < square {
                density += ahead(-from, me.wish) * nearness(from.length_squared(), config.sight);
                force += avoidance(me, other, config);
            }
        });
        if config.pace != Pace::Free {
            density /= ground.openness(me.position, me.wish, config.sight);
        }
        let speed = me.speed * config.pace.share(density);
        let most = MOST_FORCE * me.speed / config.relaxation;
        // Implicit, so that no time step is too long.
        let heading = me.velocity.normalize_or_zero();
        let force = force - heading * ((1.0 - config.braking) * force.dot(heading).min(0.0));
        let drive = (me.wish * speed - me.velocity) / (config.relaxation + time);
        (me.velocity + (drive + force.clamp_length_max(most)) * time).clamp_length_max(speed)
    }

    /// Where body `i` comes to when it and those that it overlaps move apart.
    fn apart(&self, i: usize, spots: &[Spot], widest: f64, ground: &Ground) -> Spot {
        let (me, spot) = (&self.bodies[i].walker, spots[i]);
        let (mut push, mut count) = (DVec2::ZERO, 0.0);
        // Cells are those of before the step, in which each moves by half a radius, and is pushed.
        let cells = ((me.radius + 2.5 * widest) / ground.spacing()).ceil() as i32;
        self.near(i, cells, |j| {
            let other = &self.bodies[j].walker;
            let from = spot.place - spots[j].place;
            let room = me.radius + other.radius;
            let square = from.length_squared();
            if square >= room * room {
                return;
            }
            let far = square.sqrt();
            // In one and the same place, the one with the lower number goes to the left.
            let side = if self.bodies[i].number < self.bodies[j].number { -1.0 } else { 1.0 };
            let away = if far > 0.0 { from / far } else { DVec2::X * side };
            // The one that presses gives way, unless there is a wall behind it.
            let pressing = 0.2 * (-away.dot(me.wish) - away.dot(other.wish));
            let mine = (0.5 + pressing).clamp(0.1, 0.9) * spot.freedom;
            let its = (0.5 - pressing).clamp(0.1, 0.9) * spots[j].freedom;
            push += away * ((room - far) * mine / (mine + its));
            count += 1.0;
        });
        if count == 0.0 {
            return Spot { freedom: 1.0, ..spot };
        }
        let push = push * (OVERSHOOT / count);
        let place = kept(ground, me.position, spot.place + push, me.radius);
        let square = push.length_squared();
        let followed = (place - spot.place).dot(push) / square;
        Spot { place, freedom: if square > 0.0 { followed.clamp(0.1, 1.0) } else { 1.0 } }
    }
}

/// The change of a velocity by a coming collision with another body.
///
/// Karamouzas, Skinner and Guy (2014): the gradient of `k / tau^2 exp(-tau / tau_0)`, where `tau`
/// is the time to the collision if both go on as they do.
fn avoidance(me: &Walker, other: &Walker, config: &CrowdConfig) -> DVec2 {
    let x = me.position - other.position;
    let v = me.velocity - other.velocity;
    let room = me.radius + other.radius;
    let (a, b, c) = (v.length_squared(), -x.dot(v), x.length_squared() - room * room);
    let root = b * b - a * c;
    // Already together, going apart, or passing each other; or so slow that `a` rounds to 0.
    if c <= 0.0 || b <= 0.0 || root <= 0.0 || a == 0.0 {
        return DVec2::ZERO;
    }
    let root = root.sqrt();
    let tau = (b - root) / a;
    // A shorter time has no finite force.
    if tau <= 1e-6 || tau > 4.0 * config.horizon {
        return DVec2::ZERO;
    }
    let strength = config.foresight * libm::exp(-tau / config.horizon) / (a * tau * tau);
    let steep = 2.0 / tau + 1.0 / config.horizon;
    -(v - (v * b + x * a) / root) * (strength * steep)
}

/// A body's new place, out of the walls; its old one if there is no way to the new one.
fn kept(ground: &Ground, from: DVec2, to: DVec2, radius: f64) -> DVec2 {
    let to = from + (to - from).clamp_length_max(0.5 * ground.spacing());
    let start = if ground.is_open(from, to) { to } else { from };
    let out = ground.push_out(start, radius);
    if ground.is_open(from, out) { out } else { from }
}

/// Fills `all` with `len` values by index.
#[cfg(feature = "rayon")]
fn fill<T: Clone + Default + Send>(
    all: &mut Vec<T>,
    len: usize,
    value: impl Fn(usize) -> T + Sync,
) {
    use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
    all.resize(len, T::default());
    if len < 2 * GRAIN {
        all.iter_mut().enumerate().for_each(|(i, one)| *one = value(i));
    } else {
        let parts = all.par_iter_mut().enumerate().with_min_len(GRAIN);
        parts.for_each(|(i, one)| *one = value(i));
    }
}

/// Fills `all` with `len` values by index.
#[cfg(not(feature = "rayon"))]
fn fill<T>(all: &mut Vec<T>, len: usize, value: impl Fn(usize) -> T) {
    all.clear();
    all.extend((0..len).map(value));
}
