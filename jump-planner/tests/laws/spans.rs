//! Worlds with storeys: against flights in small steps, a plain closure, and height maps.

use glam::{DVec2, DVec3};
use jump_planner::{
    ArcKind, Ballistics, Character, Finding, Flight, Jump, JumpGraph, MoveKind, Place, Preference,
    Span, SpanTerrain, Terrain,
};
use ndarray::{Array2, Array3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A small world, as plainly as one can say it.
struct World {
    columns: Array2<Vec<Span>>,
    size: f64,
    character: Character,
}

impl World {
    /// Ground, and on it slabs with room between; here and there a wall, a pillar or a pit.
    fn random(rng: &mut ChaCha8Rng, body: [f64; 2]) -> Self {
        let size = [0.5, 1.0, 2.0][rng.random_range(0..3)];
        let character = Character::builder(rng.random_range(2.0..9.0))
            .gravity(9.81)
            .body(body[0] * size, body[1])
            .step_height([0.0, 0.25][rng.random_range(0..2)])
            .build()
            .unwrap();
        let shape = (rng.random_range(1..5), rng.random_range(2..7));
        let high = character.jump_height();
        let flat = rng.random_range(0.0..0.9);
        let (slabs, bare) = (rng.random_range(0..4), rng.random_range(0.1..0.7));
        // The storeys of a level are about as high in all columns, or slabs would never be long.
        let storeys: Vec<f64> =
            (0..slabs).map(|_| body[1] + rng.random_range(0.3..1.6) * high).collect();
        let columns = Array2::from_shape_simple_fn(shape, || {
            if rng.random_bool(0.03) {
                return vec![Span::wall()];
            }
            let rough = |rng: &mut ChaCha8Rng| {
                let z: f64 = if rng.random_bool(flat) { 0.0 } else { rng.random_range(0.0..high) };
                (z * 4.0).round() / 4.0
            };
            let mut spans = Vec::new();
            let mut top = rough(rng);
            if !rng.random_bool(0.05) {
                spans.push(Span::ground(top));
            }
            for storey in &storeys {
                let bottom = top + storey;
                top = bottom + [0.125, 0.25, 1.0][rng.random_range(0..3)];
                if rng.random_bool(bare) {
                    continue;
                }
                spans.push(Span { no_go: rng.random_bool(0.05), ..Span::new(bottom, top) });
                top += rough(rng) * f64::from(u8::from(rng.random_bool(0.2)));
            }
            spans
        });
        Self { columns, size, character }
    }

    fn graph(&self) -> Option<JumpGraph<SpanTerrain>> {
        let terrain = SpanTerrain::builder(&self.columns).cell_size(self.size).build().ok()?;
        JumpGraph::new(terrain, self.character).ok()
    }

    /// The least distance, up or down, of a body at a place from what is solid; at the ends it may
    /// stand on something.
    fn room(&self, feet: DVec3, is_end: bool) -> f64 {
        let (r, height) = (self.character.radius() / self.size, self.character.height());
        let (rows, columns) = self.columns.dim();
        let at = feet.truncate() / self.size;
        let mut least = f64::INFINITY;
        let under = |v: f64, n: usize| {
            let (low, high) = ((v - r).floor(), (v + r).ceil() - 1.0);
            let inside = |v: f64| v.clamp(0.0, n as f64 - 1.0) as usize;
            inside(low)..=inside(high.max(low))
        };
        for y in under(at.y, rows) {
            for x in under(at.x, columns) {
                for span in &self.columns[[y, x]] {
                    let (above, below) = (feet.z - span.top, span.bottom - feet.z - height);
                    // What it stands on it touches.
                    let stands = is_end && above.abs() < 1e-9;
                    least = least.min(if stands { 0.0 } else { above.max(below) });
                }
            }
        }
        least
    }

    /// The least distance of a flight from what is solid, at `steps` moments.
    fn flown(&self, launch: DVec3, velocity: DVec3, time: f64, steps: usize, enough: f64) -> f64 {
        let g = self.character.gravity();
        let mut least = f64::INFINITY;
        for n in 0..=steps {
            let t = time * n as f64 / steps as f64;
            let p = launch + velocity * t - DVec3::new(0.0, 0.0, 0.5 * g * t * t);
            let is_end = n == 0 || n == steps;
            let room = self.room(p, is_end);
            if is_end {
                if room < -1e-9 {
                    return room;
                }
            } else {
                least = least.min(room);
            }
            if least <= enough {
                break;
            }
        }
        least
    }

    /// That of a witness, whose world has cell centres at whole multiples of the size.
    fn clearance(&self, flight: &Flight, steps: usize) -> f64 {
        let half = DVec3::new(0.5, 0.5, 0.0) * self.size;
        let launch = flight.launch + half;
        self.flown(launch, flight.velocity, flight.flight_time, steps, f64::NEG_INFINITY)
    }

    /// That of the best of n^2 times n^2 pairs of points, by both arcs; what seems clear is flown
    /// again in finer steps.
    fn search(&self, from: (Place, f64), to: (Place, f64), n: usize) -> f64 {
        let (v, g) = (self.character.launch_speed(), self.character.gravity());
        let law = Ballistics::new(v, g).unwrap();
        // Off the middle, each end differently: no way runs exactly through a corner.
        let at = |place: Place, i: usize, off: f64| {
            let share = |i: usize, off: f64| (i as f64 + 0.5 + off) / n as f64;
            let [y, x] = place.cell.map(|v| v as f64);
            DVec2::new(x + share(i % n, off), y + share(i / n, -0.7 * off)) * self.size
        };
        let mut best = f64::NEG_INFINITY;
        for i in 0..n * n {
            for j in 0..n * n {
                let (p, q) = (at(from.0, i, 0.11), at(to.0, j, 0.23));
                let way = q - p;
                for arc in law.arcs(way.length(), to.1 - from.1).into_iter().flatten() {
                    let cosine = 1.0 / (1.0 + arc.tangent * arc.tangent).sqrt();
                    let level = way / way.length() * v * cosine;
                    let velocity = level.extend(v * cosine * arc.tangent);
                    let time = way.length() / (v * cosine);
                    let mut clear = f64::INFINITY;
                    for steps in [24, 720, 18_000] {
                        if clear > 0.0 && clear > best {
                            let enough = best.max(0.0);
                            clear = self.flown(p.extend(from.1), velocity, time, steps, enough);
                        }
                    }
                    best = best.max(clear);
                    if best > 0.01 {
                        return best;
                    }
                }
            }
        }
        best
    }
}

fn standing(graph: &JumpGraph<SpanTerrain>) -> Vec<(Place, f64)> {
    let terrain = graph.terrain();
    let places = terrain.places().filter(|&place| graph.can_stand(place));
    places.map(|place| (place, terrain.floor(place).unwrap())).collect()
}

#[derive(Default, Debug)]
struct Tally {
    asked: usize,
    clear: usize,
    blocked: usize,
    out: usize,
    marginal: usize,
    /// Clear by the exact rule, not found by samples.
    narrow: usize,
    /// Marginal, and found by samples.
    open: usize,
    low: usize,
    /// Clear, between places that are not the highest of their columns.
    inside: usize,
}

/// Every pair of places of random worlds, as far as it goes.
fn ask(seed: u64, questions: usize, body: [f64; 2], samples: usize) -> Tally {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tally = Tally::default();
    while tally.asked < questions {
        let world = World::random(&mut rng, body);
        let Some(graph) = world.graph() else { continue };
        let places = standing(&graph);
        for &from in &places {
            for &to in places.iter().filter(|to| to.0.cell != from.0.cell) {
                // One in three, or large worlds would be nearly all.
                if rng.random_bool(0.67) {
                    continue;
                }
                tally.asked += 1;
                let jump = graph.jump(from.0, to.0).unwrap();
                let case = || format!("{from:?} {to:?} {jump:?} {:?}", world.columns);
                if let Jump::Clear(flight) = jump {
                    tally.clear += 1;
                    tally.low += usize::from(flight.arc == ArcKind::Low);
                    let ceiling = |place| graph.terrain().ceiling(place).is_some();
                    tally.inside += usize::from(ceiling(from.0) || ceiling(to.0));
                    assert!(flight.margin > 0.0);
                    let flown = world.clearance(&flight, 4000);
                    assert!(flown > -1e-6, "{flown} {} {}", case(), world.size);
                    let sampled = tally.clear % 8 == 0 && world.search(from, to, samples) <= 0.0;
                    tally.narrow += usize::from(sampled);
                    continue;
                }
                let sampled = match jump {
                    Jump::OutOfReach => world.search(from, to, 2),
                    _ => world.search(from, to, samples),
                };
                match jump {
                    // What was not decided must not count as a no.
                    Jump::Marginal { .. } => {
                        tally.marginal += 1;
                        tally.open += usize::from(sampled > 1e-6);
                        continue;
                    }
                    Jump::Blocked => tally.blocked += 1,
                    _ => tally.out += 1,
                }
                assert!(sampled <= 1e-6, "{sampled} {}", case());
            }
        }
    }
    tally
}

#[test]
fn every_claim_about_points_holds_against_sampled_flights() {
    let tally = ask(31, 9000, [0.0, 0.0], 4);
    println!("{tally:?}");
}

#[test]
fn so_does_every_claim_about_bodies() {
    let tally = ask(32, 2000, [0.0, 0.9], 4);
    println!("{tally:?}");
    let tally = ask(33, 1000, [0.3, 0.5], 3);
    println!("{tally:?}");
}
