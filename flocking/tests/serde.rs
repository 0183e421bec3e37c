//! A snapshot through JSON goes on in the same bits.

use flocking::{Boid, Flock, FlockConfig, Snapshot};
use glam::DVec2;

#[test]
fn a_snapshot_survives_json() {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    for i in 0..50u8 {
        let a = f64::from(i);
        flock.add(Boid::new(DVec2::from_angle(a) * a, DVec2::from_angle(3.0 * a))).unwrap();
    }
    flock.step();
    let text = serde_json::to_string(&flock.snapshot()).unwrap();
    let read: Snapshot<DVec2> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, flock.snapshot());
    let mut other = Flock::restore(read).unwrap();
    assert_eq!(flock.state_hash(), other.state_hash());
    flock.step();
    other.step();
    assert_eq!(flock.snapshot(), other.snapshot());
    assert_eq!(flock.state_hash(), other.state_hash());
}
