//! Calls of a flock: every step is that of the plain rule, for every set of instructions.

#[allow(clippy::needless_range_loop, reason = "as in the crate, an axis indexes several arrays")]
#[path = "../../../flocking/tests/laws/reference.rs"]
mod reference;

use arbitrary::{Arbitrary, Unstructured};
use flocking::{
    Boid, BoidId, Edges, Flock, FlockConfig, Heed, Instructions, Neighbours, Scalar, Species,
    SteeringRule, Turning, Vector,
};
use glam::{DVec2, DVec3, Vec2, Vec3};
use std::f64::consts::{PI, TAU};

/// `[units: boids]` The largest flock.
const BOIDS: usize = 40;
/// `[units: calls]` The longest sequence.
const CALLS: usize = 24;
/// `[units: world units]` The side of a bounded world.
const SIDE: f64 = 40.0;

#[derive(Debug, Arbitrary)]
struct Play {
    format: u8,
    edges: u8,
    angle: u8,
    nearest: Option<u8>,
    two_species: bool,
    calls: Vec<Call>,
}

#[derive(Debug, Arbitrary)]
enum Call {
    Add(Who),
    Remove(u8),
    Set(u8, Who),
    Step,
    /// A copy through a snapshot takes its place.
    Save,
}

#[derive(Clone, Copy, Debug, Arbitrary)]
struct Who {
    /// The place, in 256ths of the side.
    at: [u8; 3],
    heading: [i8; 3],
    /// Quarters.
    speed: u8,
    second: bool,
}

/// A flock and its calls.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(play) = Play::arbitrary(&mut Unstructured::new(data)) else { return };
    match play.format % 4 {
        0 => follow::<Vec2>(&play),
        1 => follow::<Vec3>(&play),
        2 => follow::<DVec2>(&play),
        _ => follow::<DVec3>(&play),
    }
}

fn vector<V: Vector>(v: [f64; 3]) -> V {
    V::from_xyz(v.map(V::Scalar::from_f64))
}

fn config<V: Vector>(play: &Play) -> FlockConfig<V> {
    let view_angle = [PI, TAU, 0.6 * PI, 1.5 * PI][usize::from(play.angle % 4)];
    let rule = Turning { view_angle, ..Turning::published_at(10.0) };
    let species = Species { rule: SteeringRule::Turning(rule), ..Species::published() };
    let mut config = FlockConfig::of(species);
    let (low, high) = (vector([0.0; 3]), vector([SIDE; 3]));
    config.edges = match play.edges % 3 {
        0 => Edges::Open,
        1 => Edges::Wrapping { low, high },
        _ => Edges::Contained { low, high },
    };
    if let Some(most) = play.nearest {
        config.neighbours = Neighbours::Nearest { most: usize::from(most % 8) + 1 };
    }
    if play.two_species {
        config.species.push(Species { max_turn: 0.2, ..species });
        config.heeds = vec![Heed::FULL, Heed::FLEE, Heed::NONE, Heed::CHASE];
    }
    config
}

fn boid<V: Vector>(play: &Play, who: Who) -> Boid<V> {
    let at = who.at.map(|n| f64::from(n) * SIDE / 256.0);
    let mut boid = Boid::new(vector(at), vector(who.heading.map(f64::from)));
    boid.speed = f64::from(who.speed) / 4.0;
    boid.cruise = boid.speed;
    boid.species = u8::from(play.two_species && who.second);
    boid
}

fn follow<V: Vector>(play: &Play) {
    let mut flock = Flock::<V>::new(config(play)).expect("the settings are sound");
    let mut ids: Vec<BoidId> = Vec::new();
    for call in play.calls.iter().take(CALLS) {
        match *call {
            Call::Add(who) if ids.len() < BOIDS => ids.extend(flock.add(boid(play, who))),
            Call::Remove(which) if !ids.is_empty() => {
                let id = ids.swap_remove(usize::from(which) % ids.len());
                flock.remove(id).expect("it is there");
                assert!(flock.boid(id).is_err() && flock.remove(id).is_err());
            }
            Call::Set(which, who) if !ids.is_empty() => {
                let id = ids[usize::from(which) % ids.len()];
                let before = flock.boid(id);
                if flock.set(id, boid(play, who)).is_err() {
                    assert_eq!(flock.boid(id), before);
                }
            }
            Call::Step => step(&mut flock),
            Call::Save => {
                let copy = Flock::restore(flock.snapshot()).expect("a flock is sound");
                assert_eq!(copy.state_hash(), flock.state_hash());
                flock = copy;
            }
            _ => {}
        }
        assert_eq!(flock.len(), ids.len());
    }
    step(&mut flock);
}

/// A step, beside the plain one and beside that by every other set of instructions.
fn step<V: Vector>(flock: &mut Flock<V>) {
    let expected = reference::stepped(flock);
    let copies: Vec<Flock<V>> = Instructions::ALL
        .into_iter()
        .filter_map(|instructions| {
            let mut copy = flock.clone();
            copy.set_instructions(instructions).ok().map(|()| copy)
        })
        .collect();
    flock.step();
    for (id, boid) in expected {
        let found = flock.boid(id).expect("it is there");
        // A zero has two signs, and both are equal.
        assert_eq!(found.position.to_xyz(), boid.position.to_xyz(), "{id:?}");
        assert_eq!(found.heading.to_xyz(), boid.heading.to_xyz(), "{id:?}");
        assert_eq!(found.speed.to_bits(), boid.speed.to_bits(), "{id:?}");
    }
    for mut copy in copies {
        copy.step();
        assert_eq!(copy.state_hash(), flock.state_hash(), "{:?}", copy.instructions());
    }
}
