//! Worlds with storeys: against flights in small steps, a plain closure, and height maps.

use crate::brute::best_flight;
use glam::{DVec2, DVec3};
use jump_planner::{
    ArcKind, Character, Finding, Flight, Jump, JumpGraph, MoveKind, Place, Preference, Span,
    SpanTerrain, Terrain,
};
use ndarray::{Array2, Array3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A small world, as plainly as one can say it.
pub(crate) struct World {
    pub(crate) columns: Array2<Vec<Span>>,
    size: f64,
    pub(crate) character: Character,
}

impl World {
    /// Ground, and on it slabs with room between; here and there a wall, a pillar or a pit.
    pub(crate) fn random(rng: &mut ChaCha8Rng, body: [f64; 2]) -> Self {
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

    pub(crate) fn graph(&self) -> Option<JumpGraph<SpanTerrain>> {
        let terrain = SpanTerrain::builder(&self.columns).cell_size(self.size).build().ok()?;
        JumpGraph::new(terrain, self.character).ok()
    }

    /// The least distance, up or down, of a body at a place from solid spans; at the ends it may
    /// stand on one.
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
                    // It touches the span that it stands on.
                    let stands = is_end && above.abs() < 1e-9;
                    least = least.min(if stands { 0.0 } else { above.max(below) });
                }
            }
        }
        least
    }

    /// The least distance of a flight from solid spans, at `steps` moments.
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

    /// The clearance of a witness, whose world has cell centres at whole multiples of the size.
    fn clearance(&self, flight: &Flight, steps: usize) -> f64 {
        let half = DVec3::new(0.5, 0.5, 0.0) * self.size;
        let launch = flight.launch + half;
        self.flown(launch, flight.velocity, flight.flight_time, steps, f64::NEG_INFINITY)
    }

    fn search(&self, from: (Place, f64), to: (Place, f64), n: usize) -> f64 {
        let ends = [from, to].map(|(place, z)| (place.cell, z));
        let flown = |launch, velocity, time, steps, enough| {
            self.flown(launch, velocity, time, steps, enough)
        };
        best_flight(&self.character, self.size, ends, n, [24, 720, 18_000], flown)
    }
}

pub(crate) fn standing(graph: &JumpGraph<SpanTerrain>) -> Vec<(Place, f64)> {
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
                    let flown = world.clearance(&flight, 2000);
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
                    // An undecided jump must not count as a no.
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

fn claims_about_points_hold(seed: u64, questions: usize) {
    let tally = ask(seed, questions, [0.0, 0.0], 3);
    let all = tally.asked;
    let often = tally.clear * 3 > all && tally.inside * 4 > all && tally.blocked * 9 > all;
    assert!(
        often && tally.out * 4 > all && tally.low * 100 > all && tally.narrow > 10,
        "{tally:?}"
    );
    // One in twenty of such tight places stays open, and of those that samples find, none or so.
    assert!(tally.marginal * 20 <= all && tally.open <= 1, "{tally:?}");
}

#[test]
fn every_claim_about_points_holds_against_sampled_flights() {
    claims_about_points_hold(31, 3000);
}

#[test]
#[ignore = "takes a minute"]
fn so_do_twelve_thousand() {
    claims_about_points_hold(34, 12_000);
}

#[test]
fn so_does_every_claim_about_bodies() {
    let tally = ask(32, 1700, [0.0, 0.9], 3);
    assert!(tally.clear > 700 && tally.blocked > 150 && tally.open <= 1, "{tally:?}");
    let tally = ask(33, 400, [0.3, 0.5], 3);
    assert!(tally.clear > 100 && tally.blocked > 50 && tally.open <= 1, "{tally:?}");
}

/// A terrain with all that it may have.
pub(crate) fn terrain(rng: &mut ChaCha8Rng) -> Option<(Terrain, Character)> {
    let (shape, high) = ((rng.random_range(1..6), rng.random_range(2..7)), 2.0);
    let heights = Array2::from_shape_simple_fn(shape, || {
        if rng.random_bool(0.04) { -9.0 } else { 0.25 * f64::from(rng.random_range(0..9)) }
    });
    let no_go = heights.map(|_| rng.random_bool(0.06));
    let ceilings = heights.map(|z| {
        let room = rng.random_range(0.5..3.0) * high;
        if rng.random_bool(0.5) { z + room } else { f64::INFINITY }
    });
    let builder = Terrain::builder(&heights).no_data(-9.0).no_go(&no_go).cell_size(0.5);
    let builder = if rng.random_bool(0.3) { builder.ceilings(&ceilings) } else { builder };
    let terrain = builder.origin(DVec2::new(3.0, -7.0)).build().ok()?;
    let mut character = Character::builder(rng.random_range(2.5..6.0)).step_height(0.25);
    if rng.random_bool(0.3) {
        character = character.body(0.1, 0.5);
    }
    Some((terrain, character.build().unwrap()))
}

/// The place of a cell in a world of one storey.
pub(crate) fn place(cell: [usize; 2]) -> Place {
    Place { cell, storey: 0 }
}

#[test]
fn one_storey_answers_as_a_height_map_to_the_bit() {
    let mut rng = ChaCha8Rng::seed_from_u64(41);
    let (mut clear, mut worlds) = (0, 0);
    while worlds < 60 {
        let Some((terrain, character)) = terrain(&mut rng) else { continue };
        let spans = SpanTerrain::from(&terrain);
        let [rows, columns] = terrain.shape();
        // The builder's terrain of the same spans.
        let columns = Array2::from_shape_fn([rows, columns], |(y, x)| {
            let Some(z) = terrain.height([y, x]) else { return vec![Span::wall()] };
            let no_go = !terrain.can_stand([y, x]);
            let roof = terrain.ceiling([y, x]).map(|roof| Span::new(roof, f64::INFINITY));
            [Span { no_go, ..Span::ground(z) }].into_iter().chain(roof).collect()
        });
        let built = SpanTerrain::builder(&columns).cell_size(0.5).origin(terrain.centre([0, 0]));
        let built = built.build().unwrap();
        let Ok(flat) = JumpGraph::new(terrain, character) else { continue };
        worlds += 1;
        let cells: Vec<_> = columns.indexed_iter().map(|((y, x), _)| [y, x]).collect();
        let ground: Vec<_> = cells.iter().copied().filter(|&cell| flat.can_stand(cell)).collect();
        for graph in [spans, built].map(|spans| JumpGraph::new(spans, character).unwrap()) {
            for &from in &cells {
                assert_eq!(graph.group(place(from)), flat.group(from));
                let mut moves = Vec::new();
                flat.for_each_move(from, |m| moves.push((place(m.from), place(m.to), m.kind)));
                let mut ours = Vec::new();
                graph.for_each_move(place(from), |m| ours.push((m.from, m.to, m.kind)));
                assert_eq!(moves, ours);
            }
            for &from in &ground {
                let to = ground[rng.random_range(0..ground.len())];
                let jump = graph.jump(place(from), place(to)).unwrap();
                assert_eq!(jump, flat.jump(from, to).unwrap());
                clear += usize::from(matches!(jump, Jump::Clear(_)));
            }
            let to = ground[rng.random_range(0..ground.len())];
            let ways = (
                flat.plan(ground[0], to, Preference::Shortest).unwrap(),
                graph.plan(place(ground[0]), place(to), Preference::Shortest).unwrap(),
            );
            assert_eq!(ways.0.is_some(), ways.1.is_some());
            if let (Some(one), Some(other)) = ways {
                assert_eq!(one.cost, other.cost);
                assert!(one.moves.iter().zip(&other.moves).all(|(a, b)| place(a.to) == b.to));
            }
            let start = ground[0];
            let audits =
                (flat.audit(Some(start)).unwrap(), graph.audit(Some(place(start))).unwrap());
            assert_eq!(audits.0.state_hash(), audits.1.state_hash());
            assert_eq!(audits.0.traps(), audits.1.traps());
            assert_eq!(audits.0.unreached_cells(), audits.1.unreached_cells());
            assert_eq!(audits.0.findings().len(), audits.1.findings().len());
        }
    }
    assert!(clear > 500, "{clear}");
}

/// The places that each place leads to, with every jump decided.
fn closure(graph: &JumpGraph<SpanTerrain>) -> BTreeMap<Place, BTreeSet<Place>> {
    let mut next: BTreeMap<Place, Vec<Place>> = BTreeMap::new();
    for (from, _) in standing(graph) {
        let to = next.entry(from).or_default();
        graph.for_each_move(from, |step| to.push(step.to));
    }
    let leads = |&from: &Place| {
        let (mut seen, mut open) = (BTreeSet::from([from]), VecDeque::from([from]));
        while let Some(at) = open.pop_front() {
            open.extend(next[&at].iter().copied().filter(|&to| seen.insert(to)));
        }
        (from, seen)
    };
    next.keys().map(leads).collect()
}

#[test]
fn regions_and_plans_are_those_of_a_plain_closure() {
    let mut rng = ChaCha8Rng::seed_from_u64(51);
    let (mut several, mut traps, mut stacked) = (0, 0, 0);
    for n in 0..32 {
        let body = if n % 4 == 0 { [0.0, 0.6] } else { [0.0, 0.0] };
        let world = World::random(&mut rng, body);
        let Some(graph) = world.graph() else { continue };
        let (level, leads) = (graph.terrain(), closure(&graph));
        stacked += usize::from(level.most_storeys() > 2);
        let places: Vec<Place> = leads.keys().copied().collect();
        let start = places[rng.random_range(0..places.len())];
        let audit = graph.audit(Some(start)).unwrap();
        let mutual = |a: Place, b: Place| leads[&a].contains(&b) && leads[&b].contains(&a);
        for &a in &places {
            assert_eq!(audit.is_reached(level, a), leads[&start].contains(&a), "{n} {a:?}");
            for &b in &places {
                let same = audit.region(level, a) == audit.region(level, b);
                assert_eq!(same, mutual(a, b), "{n} {a:?} {b:?} {:?}", world.columns);
            }
        }
        several += usize::from(audit.region_count() > 1);
        let is_trap = |place: Place| {
            let home = &leads[&place];
            let outside = |other: &&Place| !home.contains(other) && leads[&start].contains(other);
            leads[&start].contains(&place)
                && home.iter().all(|&other| mutual(place, other))
                && places.iter().filter(outside).any(|other| leads[other].contains(&place))
        };
        for finding in audit.findings() {
            if let Finding::Trap { cell, cells, .. } = finding {
                traps += 1;
                assert!(is_trap(*cell) && leads[cell].len() == *cells, "{n} {finding:?}");
            }
            if let Some(step) = finding.witness().filter(|step| step.kind == MoveKind::Jump) {
                let flight = finding.flight(&graph).expect("every jump has a flight");
                assert!(world.clearance(&flight, 2000) > -1e-6, "{n} {step:?}");
            }
        }
        for _ in 0..3 {
            let goal = places[rng.random_range(0..places.len())];
            let is_led = leads[&start].contains(&goal);
            assert_eq!(graph.is_reachable(start, goal).unwrap(), is_led, "{n} {start:?} {goal:?}");
            let plan = graph.plan(start, goal, Preference::FewestJumps).unwrap();
            assert_eq!(plan.is_some(), is_led);
            let mut at = start;
            for step in plan.iter().flat_map(|plan| &plan.moves) {
                assert_eq!(step.from, at);
                at = step.to;
                match step.kind {
                    MoveKind::Jump => {
                        let flight = graph.witness(step).expect("every jump has a flight");
                        assert!(world.clearance(&flight, 2000) > -1e-6, "{n} {step:?}");
                    }
                    kind => assert_eq!(graph.step(step.from, step.to), Some(kind)),
                }
            }
            assert!(plan.is_none() || at == goal);
        }
    }
    assert!(several > 10 && traps > 5 && stacked > 10, "{several} {traps} {stacked}");
}

#[test]
fn one_neither_falls_nor_jumps_through_a_floor() {
    // A room with a roof that reaches over all cells but the last.
    let roof = Span::new(2.0, 2.25);
    let row = |cells: usize| {
        let column = |x: usize| {
            if x + 1 < cells { vec![Span::ground(0.0), roof] } else { vec![Span::ground(0.0)] }
        };
        Array2::from_shape_fn([1, cells], |(_, x)| column(x))
    };
    let at = |x: usize, storey: usize| Place { cell: [0, x], storey };
    let character = Character::with_jump_height(2.5, 9.81).body(0.2, 1.0).build().unwrap();
    let graph = |cells: usize| {
        let terrain = SpanTerrain::builder(&row(cells)).build().unwrap();
        JumpGraph::new(terrain, character).unwrap()
    };
    let graph = graph(4);
    assert_eq!(graph.jump(at(0, 0), at(1, 1)).unwrap(), Jump::Blocked);
    assert_eq!(graph.jump(at(1, 1), at(0, 0)).unwrap(), Jump::Blocked);
    assert_eq!(graph.step(at(2, 1), at(3, 0)), Some(MoveKind::Fall));
    // Up from beside the roof, and only from there.
    assert!(matches!(graph.jump(at(3, 0), at(2, 1)).unwrap(), Jump::Clear(_)));
    assert_eq!(graph.jump(at(2, 0), at(2, 1)).unwrap(), Jump::Blocked);
    let plan = graph.plan(at(0, 0), at(0, 1), Preference::FewestJumps).unwrap().unwrap();
    assert_eq!(plan.cost.first, 1);
    assert!(plan.moves.iter().any(|step| step.to == at(3, 0)));
}

/// A world that others have drawn: whatever joins two of its places is flown by its voxels.
#[test]
fn a_voxel_world_is_a_level() {
    let Some(folder) = std::env::var_os("DATA_DIR") else {
        eprintln!("skipped: DATA_DIR is not set");
        return;
    };
    let file = std::path::Path::new(&folder).join("voxel3d/warframe/Simple.3dmap");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: no {}", file.display());
        return;
    };
    let numbers = |line: &str| -> Vec<usize> {
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let mut lines = text.lines().map(numbers);
    let size = lines.next().unwrap();
    let mut solid = Array3::from_elem([size[2], size[1], size[0]], false);
    for voxel in lines.filter(|voxel| voxel.len() == 3) {
        solid[[voxel[2], voxel[1], voxel[0]]] = true;
    }
    let columns = Span::of_voxels(&solid);
    let terrain = SpanTerrain::builder(&columns).build().unwrap();
    let character = Character::with_jump_height(3.0, 9.81).body(0.3, 1.8).build().unwrap();
    let graph = JumpGraph::new(terrain, character).unwrap();
    let audit = graph.audit(None).unwrap();
    let world = World { columns, size: 1.0, character };
    let mut flown = 0;
    for (from, _) in standing(&graph).into_iter().step_by(997) {
        let mut moves = Vec::new();
        graph.for_each_move(from, |step| moves.push(step));
        for step in moves.iter().filter(|step| step.kind == MoveKind::Jump).take(20) {
            let flight = graph.witness(step).expect("every jump has a flight");
            assert!(world.clearance(&flight, 500) > -1e-6, "{step:?}");
            flown += 1;
        }
    }
    assert!(audit.region_count() == 2 && flown >= 20, "{} {flown}", audit.region_count());
}
