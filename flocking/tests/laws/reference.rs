//! The rule written plainly: every boid looks at every other, in the order (cell, id), and adds the
//! k-th in view to partial sum k mod 8.

use flocking::{
    Boid, BoidId, Edges, Flock, Heed, Neighbours, Push, Scalar, Share, SteeringRule, Turning,
    Vector, Velocity,
};
use std::f64::consts::{PI, TAU};

type Triple<S> = [S; 3];

fn dot<S: Scalar>(a: Triple<S>, b: Triple<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
fn cross<S: Scalar>(a: Triple<S>, b: Triple<S>) -> Triple<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn times<S: Scalar>(a: Triple<S>, k: S) -> Triple<S> {
    a.map(|c| c * k)
}
fn plus<S: Scalar>(a: Triple<S>, b: Triple<S>) -> Triple<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
fn length<S: Scalar>(a: Triple<S>) -> S {
    dot(a, a).sqrt()
}

/// The turn axis where nothing decides: -z, or -x for a heading near z, square to the heading.
fn stated_axis<S: Scalar>(h: Triple<S>) -> Triple<S> {
    let a = if h[2].abs() < S::from_f64(0.9) {
        [h[0] * h[2], h[1] * h[2], h[2] * h[2] - S::ONE]
    } else {
        [h[0] * h[0] - S::ONE, h[1] * h[0], h[2] * h[0]]
    };
    times(a, S::ONE / length(a))
}

fn turn_toward<V: Vector>(h: Triple<V::Scalar>, way: Triple<V::Scalar>) -> Triple<V::Scalar> {
    let zero = V::Scalar::ZERO;
    let axis = cross(h, way);
    if V::FLAT {
        return [zero, zero, (axis[2] + zero).atan2(dot(h, way))];
    }
    let sine = length(axis);
    if sine > zero {
        times(axis, sine.atan2(dot(h, way)) / sine)
    } else if dot(h, way) < zero {
        times(stated_axis(h), V::Scalar::PI)
    } else {
        [zero; 3]
    }
}

fn turn_away<V: Vector>(
    h: Triple<V::Scalar>,
    way: Triple<V::Scalar>,
    angle: V::Scalar,
) -> Triple<V::Scalar> {
    let zero = V::Scalar::ZERO;
    if V::FLAT {
        let left = h[0] * way[1] - h[1] * way[0] >= zero;
        return [zero, zero, if left { -angle } else { angle }];
    }
    let axis = cross(h, way);
    let sine = length(axis);
    if sine > zero { times(axis, -(angle / sine)) } else { times(stated_axis(h), angle) }
}

fn turned<V: Vector>(
    h: Triple<V::Scalar>,
    turn: Triple<V::Scalar>,
    most: f64,
) -> Triple<V::Scalar> {
    let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
    let most = V::Scalar::from_f64(most);
    let (angle, axis) = if V::FLAT {
        (turn[2], [zero, zero, one])
    } else if length(turn) > zero {
        (length(turn), times(turn, one / length(turn)))
    } else {
        (zero, turn)
    };
    let angle = angle.wrapped().max(-most).min(most);
    if angle == zero {
        return h;
    }
    let (sine, cosine) = angle.sin_cos();
    let side = if V::FLAT { [-h[1], h[0], zero] } else { cross(axis, h) };
    let v: Triple<_> = std::array::from_fn(|a| h[a] * cosine + side[a] * sine);
    let l = length(v);
    v.map(|c| c / l)
}

/// Eight partial sums, and their sum: i + 4 to i, then i + 2 to i, then 1 to 0.
struct Eight<S>([Triple<S>; 8]);

impl<S: Scalar> Eight<S> {
    fn new() -> Self {
        Self([[S::ZERO; 3]; 8])
    }
    fn add(&mut self, k: usize, v: Triple<S>) {
        self.0[k % 8] = plus(self.0[k % 8], v);
    }
    fn total(mut self) -> Triple<S> {
        for half in [4, 2, 1] {
            for i in 0..half {
                self.0[i] = plus(self.0[i], self.0[i + half]);
            }
        }
        self.0[0]
    }
}

/// A boid that another sees.
struct Seen<V: Vector> {
    key: <V::Scalar as Scalar>::Key,
    offset: Triple<V::Scalar>,
    distance2: V::Scalar,
    boid: Boid<V>,
    heed: Heed,
}

/// The flock as it will be after its next step. (It is sorted by this, not moved.)
pub(crate) fn stepped<V: Vector>(flock: &mut Flock<V>) -> Vec<(BoidId, Boid<V>)> {
    drop(flock.steer());
    let config = flock.config().clone();
    let mut all: Vec<(usize, BoidId, Boid<V>)> =
        flock.boids().map(|(id, b)| (flock.cell(b.position), id, b)).collect();
    all.sort_by_key(|b| (b.0, b.1));
    let mut out = Vec::new();
    for (_, id, boid) in &all {
        let species = &config.species[boid.species as usize];
        let (reach, angle) = match species.rule {
            SteeringRule::Turning(t) => (t.view_radius, t.view_angle),
            SteeringRule::Velocity(v) => {
                (v.cohesion.radius.max(v.alignment.radius).max(v.separation_radius), v.view_angle)
            }
        };
        let reach = V::Scalar::from_f64(reach);
        let cosine = if angle >= TAU {
            -2.0
        } else if angle == PI {
            0.0
        } else {
            libm::cos(angle / 2.0)
        };
        let h = boid.heading.to_xyz();
        let mut seen: Vec<Seen<V>> = Vec::new();
        for (_, other_id, other) in &all {
            if other_id == id {
                continue;
            }
            let heed = match config.heeds.as_slice() {
                [] => Heed::FULL,
                heeds => {
                    heeds[boid.species as usize * config.species.len() + other.species as usize]
                }
            };
            if heed == Heed::NONE {
                continue;
            }
            let offset = offset(&config.edges, boid.position, other.position);
            let d2 = dot(offset, offset);
            let ahead = dot(h, offset);
            if d2 <= reach * reach
                && d2 > V::Scalar::SAME_PLACE
                && ahead > V::Scalar::from_f64(cosine) * d2.sqrt()
            {
                seen.push(Seen {
                    key: d2.key(other_id.number()),
                    offset,
                    distance2: d2,
                    boid: *other,
                    heed,
                });
            }
        }
        if let Neighbours::Nearest { most } = config.neighbours {
            let mut keys: Vec<_> = seen.iter().map(|s| s.key).collect();
            keys.sort_unstable();
            if let Some(&last) = keys.get(most - 1) {
                seen.retain(|s| s.key <= last);
            }
        }
        let mut next = *boid;
        match &species.rule {
            SteeringRule::Turning(rule) => {
                let turn = turn_of::<V>(rule, h, &seen);
                next.heading = V::from_xyz(turned::<V>(h, turn, species.max_turn));
            }
            SteeringRule::Velocity(rule) => {
                assert!(species.max_turn >= PI, "not in the reference");
                accelerate(rule, species.max_acceleration, all.len(), &mut next, &seen);
            }
        }
        let speed = V::Scalar::from_f64(next.speed);
        let moved = plus(boid.position.to_xyz(), times(next.heading.to_xyz(), speed));
        next.position = V::from_xyz(moved);
        keep_in(&config.edges, &mut next);
        out.push((*id, next));
    }
    out.sort_by_key(|b| b.0);
    out
}

fn offset<V: Vector>(edges: &Edges<V>, from: V, to: V) -> Triple<V::Scalar> {
    let (a, b) = (from.to_xyz(), to.to_xyz());
    std::array::from_fn(|i| {
        let d = b[i] - a[i];
        let Edges::Wrapping { low, high } = edges else { return d };
        let size = high.to_xyz()[i] - low.to_xyz()[i];
        let half = size * V::Scalar::from_f64(0.5);
        if d > half {
            d - size
        } else if d < -half {
            d + size
        } else {
            d
        }
    })
}

fn turn_of<V: Vector>(rule: &Turning, h: Triple<V::Scalar>, seen: &[Seen<V>]) -> Triple<V::Scalar> {
    let number = V::Scalar::from_f64;
    let zero = [V::Scalar::ZERO; 3];
    let [mut offset, mut alignment, mut separation, mut count] = [(); 4].map(|()| Eight::new());
    let radius = number(rule.separation_radius);
    let slope = number(rule.separation_turn / rule.separation_radius);
    let angle_of = |h: Triple<V::Scalar>| h[1].atan2(h[0]);
    for (k, s) in seen.iter().enumerate() {
        offset.add(k, times(s.offset, number(s.heed.cohesion)));
        let other = s.boid.heading.to_xyz();
        let turn = if V::FLAT {
            let mut turn = angle_of(other) - angle_of(h);
            if turn > V::Scalar::PI {
                turn = turn - V::Scalar::TAU;
            } else if turn <= -V::Scalar::PI {
                turn += V::Scalar::TAU;
            }
            [zero[0], zero[0], turn]
        } else {
            turn_toward::<V>(h, other)
        };
        alignment.add(k, times(turn, number(s.heed.alignment)));
        count.add(k, [number(s.heed.alignment); 3]);
        let d = s.distance2.sqrt();
        if d < radius {
            let turn = turn_away::<V>(h, s.offset, (radius - d) * slope);
            separation.add(k, times(turn, number(s.heed.separation)));
        }
    }
    let count = V::Scalar::ONE + count.total()[0];
    let cohesion = times(turn_toward::<V>(h, offset.total()), number(rule.cohesion));
    let alignment = times(alignment.total(), number(rule.alignment) / count);
    let separation = times(separation.total(), number(rule.separation));
    plus(plus(cohesion, alignment), separation)
}

fn accelerate<V: Vector>(
    rule: &Velocity,
    most: f64,
    flock: usize,
    boid: &mut Boid<V>,
    seen: &[Seen<V>],
) {
    let number = V::Scalar::from_f64;
    let (zero, one) = (V::Scalar::ZERO, V::Scalar::ONE);
    let velocity = |b: &Boid<V>| times(b.heading.to_xyz(), number(b.speed));
    let within = |s: &Seen<V>, r: f64| s.distance2 <= number(r) * number(r);
    let share = |share: Share, weight: f64, count: V::Scalar| match share {
        Share::Sum => number(weight),
        Share::Neighbours if count > zero => number(weight) / count,
        Share::Neighbours => zero,
        Share::Flock => number(weight) / number(flock as f64),
    };
    let own = velocity(boid);
    let [mut offset, mut matching, mut push] = [(); 3].map(|()| Eight::new());
    let (mut offsets, mut matchings) = (zero, zero);
    for (i, s) in seen.iter().enumerate() {
        if within(s, rule.cohesion.radius) {
            offset.add(i, s.offset);
            offsets += one;
        }
        if within(s, rule.alignment.radius) {
            matching.add(i, plus(velocity(&s.boid), times(own, -one)));
            matchings += one;
        }
        if within(s, rule.separation_radius) {
            let d = s.distance2.sqrt();
            let k = match rule.push {
                Push::Offset => one,
                Push::Linear => (one - d / number(rule.separation_radius)) / d,
                Push::Inverse => one / s.distance2,
            };
            push.add(i, times(s.offset, -k));
        }
    }
    let cohesion = times(offset.total(), share(rule.cohesion.share, rule.cohesion.weight, offsets));
    let separation = times(push.total(), number(rule.separation));
    let alignment =
        times(matching.total(), share(rule.alignment.share, rule.alignment.weight, matchings));
    let mut change = plus(plus(cohesion, separation), alignment);
    if length(change) > number(most) {
        change = times(change, number(most) / length(change));
    }
    let v = plus(own, change);
    if dot(v, v) > V::Scalar::SAME_PLACE {
        let l = length(v);
        boid.heading = V::from_xyz(v.map(|c| c / l));
    }
    boid.speed = length(v).max(number(rule.min_speed)).min(number(rule.max_speed)).to_f64();
}

fn keep_in<V: Vector>(edges: &Edges<V>, boid: &mut Boid<V>) {
    let mut p = boid.position.to_xyz();
    let mut h = boid.heading.to_xyz();
    let axes = if V::FLAT { 2 } else { 3 };
    match edges {
        Edges::Open => {}
        Edges::Wrapping { low, high } => {
            for a in 0..axes {
                let (low, high) = (low.to_xyz()[a], high.to_xyz()[a]);
                let size = high - low;
                if p[a] < low || p[a] >= high {
                    p[a] = p[a] - ((p[a] - low) / size).floor() * size;
                }
                if p[a] < low || p[a] >= high {
                    p[a] = low;
                }
            }
        }
        Edges::Contained { low, high } => {
            for a in 0..axes {
                let (low, high) = (low.to_xyz()[a], high.to_xyz()[a]);
                let (edge, other, over, inward) = if p[a] < low {
                    (low, high, low - p[a], V::Scalar::ONE)
                } else if p[a] > high {
                    (high, low, p[a] - high, -V::Scalar::ONE)
                } else {
                    continue;
                };
                // Mirrored at both edges in turn: there and back again changes nothing.
                let size = (high - low).to_f64();
                let rest = over.to_f64() % (2.0 * size);
                let place = |way: f64| inward * V::Scalar::from_f64(way);
                if rest > size {
                    p[a] = other - place(rest - size);
                } else {
                    p[a] = edge + place(rest);
                }
                p[a] = p[a].max(low).min(high);
                if rest > 0.0 && rest <= size {
                    h[a] = V::Scalar::ZERO - h[a];
                }
            }
        }
    }
    (boid.position, boid.heading) = (V::from_xyz(p), V::from_xyz(h));
}
