//! Steps beyond the edge of a contained world.

use crate::worlds::{contained, turning, vector};
use flocking::{Boid, Flock, Scalar, Vector};
use glam::{DVec2, DVec3, Vec2, Vec3};

/// One mirroring after the other.
fn mirrored(mut place: f64, mut heading: f64, side: f64) -> (f64, f64) {
    while !(0.0..=side).contains(&place) {
        place = if place < 0.0 { -place } else { side - (place - side) };
        heading = -heading;
    }
    (place, heading)
}

fn stepped<V: Vector>(from: [f64; 3], way: [f64; 3], speed: f64) -> Boid<V> {
    let mut config = turning::<V>(|_| {});
    config.edges = contained(16.0);
    let mut flock = Flock::new(config).unwrap();
    let boid = Boid { speed, cruise: speed, ..Boid::new(vector(from), vector(way)) };
    let id = flock.add(boid).unwrap();
    flock.step();
    let again = Flock::restore(flock.snapshot()).unwrap();
    assert_eq!(again.state_hash(), flock.state_hash());
    flock.boid(id).unwrap()
}

/// Along an axis all numbers are whole, so nothing is rounded.
fn along_the_axes<V: Vector>() {
    for axis in 0..if V::FLAT { 2 } else { 3 } {
        for sign in [-1.0, 1.0] {
            for speed in 0..200 {
                let mut way = [0.0; 3];
                way[axis] = sign;
                let speed = f64::from(speed);
                let boid = stepped::<V>([5.0; 3], way, speed);
                let (place, heading) = mirrored(5.0 + sign * speed, sign, 16.0);
                assert_eq!(boid.position.to_xyz()[axis].to_f64(), place, "{way:?} {speed}");
                assert_eq!(boid.heading.to_xyz()[axis].to_f64(), heading, "{way:?} {speed}");
            }
        }
    }
}

#[test]
fn a_step_is_mirrored_as_often_as_it_meets_the_edge() {
    along_the_axes::<Vec2>();
    along_the_axes::<DVec2>();
    along_the_axes::<Vec3>();
    along_the_axes::<DVec3>();
}

#[test]
fn both_axes_are_mirrored_by_themselves() {
    let boid = stepped::<DVec2>([5.0; 3], [0.6, -0.8, 0.0], 60.0);
    let (x, y) = (mirrored(41.0, 0.6, 16.0), mirrored(-43.0, -0.8, 16.0));
    assert!((boid.position - DVec2::new(x.0, y.0)).length() < 1e-12);
    assert!((boid.heading - DVec2::new(x.1, y.1)).length() < 1e-12);
}

#[test]
fn the_longest_steps_end_inside() {
    let p = stepped::<Vec2>([5.0; 3], [3.0, 1.0, 0.0], 1e12).position;
    assert!(p.min_element() >= 0.0 && p.max_element() <= 16.0, "{p}");
}
