//! Saved flocks: an accepted flock goes on, and so does its copy, with the same bits.
//!
//! Copies go through RON: `serde_json` may read a float one bit off.

use crate::refusal;
use flocking::{Flock, Snapshot, Vector};
use glam::{DVec2, DVec3, Vec2, Vec3};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// `[units: boids, obstacles]` Larger flocks are read, not stepped.
const MANY: usize = 64;

/// A snapshot's JSON.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    of::<Vec2>(data);
    of::<Vec3>(data);
    of::<DVec2>(data);
    of::<DVec3>(data);
}

fn of<V: Vector + Serialize + DeserializeOwned>(data: &[u8]) {
    let Ok(snapshot) = serde_json::from_slice::<Snapshot<V>>(data) else { return };
    if snapshot.boids.len().max(snapshot.obstacles.len()) > MANY {
        return;
    }
    let Some(mut flock) = refusal::accepted(Flock::restore(snapshot)) else { return };
    let text = ron::to_string(&flock.snapshot()).expect("it can be written");
    let copy = ron::from_str(&text).expect("it was read before");
    let mut copy = Flock::<V>::restore(copy).expect("it was accepted before");
    assert_eq!(copy.state_hash(), flock.state_hash());
    for _ in 0..3 {
        flock.step();
        copy.step();
        assert_eq!(copy.state_hash(), flock.state_hash());
    }
    // The flock after its steps can also be saved.
    let text = ron::to_string(&flock.snapshot()).expect("it can be written");
    let later = ron::from_str(&text).expect("every number of a flock is finite");
    let later = Flock::<V>::restore(later).expect("a flock stays sound");
    assert_eq!(later.state_hash(), flock.state_hash());
}
