//! The step commutes with the symmetries of space; and the smallest flocks.

use crate::worlds::{boids, flock, turning, vector};
use flocking::{
    Boid, BoidId, Flock, FlockConfig, Obstacle, Species, SteeringRule, Turning, Vector,
};
use glam::{DMat3, DVec2, DVec3, Vec2};
use std::f64::consts::{FRAC_PI_3, TAU};

/// Steps a flock and its image; the image of the stepped one is the stepped image.
fn commutes<V: Vector<Scalar = f64>>(image: impl Fn(V, bool) -> V, tolerance: f64) {
    for angle in [std::f64::consts::PI, 1.2, TAU] {
        let mut config = turning::<V>(|t| t.view_angle = angle);
        config.species[0].avoidance.clearance = 4.0;
        config.species[0].avoidance.look_ahead = 20.0;
        let all = boids::<V>(150, 25.0, 1, 21);
        // No two boids are at the same place, where no rule would decide which one leads.
        let mapped: Vec<_> = all
            .iter()
            .map(|(id, b)| {
                let mut b = *b;
                b.position = image(b.position, true);
                b.heading = image(b.heading, false);
                (*id, b)
            })
            .collect();
        let ball = |c: V| vec![Obstacle::Ball { centre: c, radius: 2.0 }];
        let centre = vector::<V>([12.0, 13.0, 11.0]);
        let (mut a, mut b) = (flock(&config, &all), flock(&config, &mapped));
        a.set_obstacles(ball(centre)).unwrap();
        b.set_obstacles(ball(image(centre, true))).unwrap();
        a.step();
        b.step();
        for (id, _) in &all {
            let (p, q) = (a.boid(*id).unwrap(), b.boid(*id).unwrap());
            for (p, q) in
                [(image(p.position, true), q.position), (image(p.heading, false), q.heading)]
            {
                let (p, q) = (p.to_xyz(), q.to_xyz());
                for axis in 0..3 {
                    assert!((p[axis] - q[axis]).abs() < tolerance, "{id:?}: {p:?} {q:?}");
                }
            }
        }
    }
}

#[test]
fn rotations_mirrors_and_shifts_commute_in_2d() {
    for angle in [0.3, 1.0, 2.5, TAU / 4.0] {
        commutes::<DVec2>(|v, _| DVec2::from_angle(angle).rotate(v), 1e-9);
    }
    commutes::<DVec2>(|v, _| DVec2::new(-v.x, v.y), 1e-9);
    commutes::<DVec2>(|v, _| DVec2::new(v.y, v.x), 1e-9);
    commutes::<DVec2>(|v, place| if place { v + DVec2::new(1234.5, -77.7) } else { v }, 1e-9);
}

#[test]
fn rotations_mirrors_and_shifts_commute_in_3d() {
    let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 1.1);
    commutes::<DVec3>(|v, _| turn * v, 1e-9);
    commutes::<DVec3>(|v, _| DVec3::new(v.x, v.y, -v.z), 1e-9);
    commutes::<DVec3>(|v, _| DVec3::new(v.z, v.x, v.y), 1e-9);
    commutes::<DVec3>(|v, place| if place { v + DVec3::new(99.0, 1e3, -5.0) } else { v }, 1e-9);
}

#[test]
fn a_flat_flock_in_3d_flies_as_in_2d() {
    let flat = boids::<DVec2>(200, 40.0, 1, 5);
    let deep: Vec<_> = flat
        .iter()
        .map(|(id, b)| {
            let mut c = Boid::new(b.position.extend(0.0), b.heading.extend(0.0));
            (c.speed, c.cruise) = (b.speed, b.cruise);
            (*id, c)
        })
        .collect();
    let mut a = flock(&turning::<DVec2>(|_| {}), &flat);
    let mut b = flock(&turning::<DVec3>(|_| {}), &deep);
    for _ in 0..2 {
        a.step();
        b.step();
    }
    for (id, _) in &flat {
        let (p, q) = (a.boid(*id).unwrap(), b.boid(*id).unwrap());
        assert!((p.position.extend(0.0) - q.position).length() < 1e-9, "{id:?}");
    }
}

fn published(boids: &[(DVec2, DVec2)]) -> Flock<DVec2> {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    for (p, v) in boids {
        flock.add(Boid::new(*p, *v)).unwrap();
    }
    flock
}

/// The angle of a boid's heading.
fn angle(flock: &Flock<DVec2>, id: u32) -> f64 {
    flock.boid(BoidId::new(id)).unwrap().heading.to_angle()
}

#[test]
fn one_boid_goes_straight_on() {
    let mut flock = published(&[(DVec2::new(1.0, 2.0), DVec2::new(0.6, 0.8))]);
    for _ in 0..100 {
        flock.step();
    }
    let boid = flock.boid(BoidId::new(0)).unwrap();
    assert!((boid.position - DVec2::new(61.0, 82.0)).length() < 1e-12);
    assert_eq!(boid.heading, DVec2::new(0.6, 0.8));
}

#[test]
fn two_boids_by_hand() {
    // To the left, at 45 degrees, out of reach of separation, looking the same way: cohesion alone.
    let mut flock = published(&[(DVec2::ZERO, DVec2::X), (DVec2::new(40.0, 40.0), DVec2::X)]);
    flock.step();
    assert!((angle(&flock, 0) - TAU / 8.0).abs() < 1e-12);
    // The second one sees nobody: the first is behind it.
    assert_eq!(angle(&flock, 1), 0.0);
    // Its own heading differs by 60 degrees: half of that more.
    let mut flock = published(&[
        (DVec2::ZERO, DVec2::X),
        (DVec2::new(40.0, 40.0), DVec2::from_angle(FRAC_PI_3)),
    ]);
    flock.step();
    assert!((angle(&flock, 0) - (TAU / 8.0 + FRAC_PI_3 / 2.0)).abs() < 1e-12);
    // Dead ahead at 15, half of the separation's range: the negative turn of 30 degrees.
    let mut flock = published(&[(DVec2::ZERO, DVec2::X), (DVec2::new(15.0, 0.0), DVec2::X)]);
    flock.step();
    assert!((angle(&flock, 0) + FRAC_PI_3 / 2.0).abs() < 1e-12);
    // At exactly 90 degrees it is blind.
    let mut flock = published(&[(DVec2::ZERO, DVec2::X), (DVec2::new(0.0, 20.0), -DVec2::X)]);
    flock.step();
    assert_eq!(angle(&flock, 0), 0.0);
    // At the radius it sees, beyond it does not.
    for (far, sees) in [(75.0, true), (75.1, false)] {
        let mut flock =
            published(&[(DVec2::ZERO, DVec2::X), (DVec2::new(0.6 * far, 0.8 * far), DVec2::X)]);
        flock.step();
        assert_eq!(angle(&flock, 0) != 0.0, sees);
    }
}

#[test]
fn the_mean_of_thirty_degrees_each_way_is_straight_on() {
    let mut config = turning::<DVec2>(|t| (t.cohesion, t.separation) = (0.0, 0.0));
    config.species[0].max_turn = 3.0;
    let mut flock = Flock::new(config).unwrap();
    flock.add(Boid::new(DVec2::ZERO, DVec2::X)).unwrap();
    for a in [TAU / 12.0, -TAU / 12.0] {
        flock.add(Boid::new(DVec2::new(5.0, a), DVec2::from_angle(a))).unwrap();
    }
    flock.step();
    assert!(angle(&flock, 0).abs() < 1e-15);
}

/// Whichever way a boid looks, and whatever the sign of a zero of either heading.
#[test]
fn an_exactly_opposite_heading_is_half_a_turn_to_the_positive_side() {
    let mut config =
        turning::<DVec2>(|t| (t.cohesion, t.separation, t.alignment) = (0.0, 0.0, 1.0));
    config.species[0].max_turn = 3.0;
    for (x, y) in [(1.0, 0.0), (1.0, -0.0), (0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0), (0.0, -1.0)] {
        let heading = DVec2::new(x, y);
        for opposite in [-heading, DVec2::ZERO - heading] {
            let mut flock = Flock::new(config.clone()).unwrap();
            let boid = flock.add(Boid::new(DVec2::ZERO, heading)).unwrap();
            flock.add(Boid::new(5.0 * heading, opposite)).unwrap();
            flock.step();
            let turned = flock.boid(boid).unwrap().heading;
            assert!((turned - heading.perp()).length() < 1e-15, "{heading} {opposite}: {turned}");
        }
    }
}

#[test]
fn boids_at_the_same_place_do_not_see_each_other() {
    let here = DVec2::new(3.0, 4.0);
    let mut flock = published(&[(here, DVec2::X), (here, DVec2::Y), (here, DVec2::X)]);
    flock.step();
    assert_eq!(angle(&flock, 0), 0.0);
    assert!((angle(&flock, 1) - TAU / 4.0).abs() < 1e-15);
    assert_eq!(
        flock.boid(BoidId::new(0)).unwrap().position,
        flock.boid(BoidId::new(2)).unwrap().position
    );
}

#[test]
fn a_radius_of_zero_sees_nobody() {
    let species =
        Species { rule: SteeringRule::Turning(Turning::published_at(0.0)), ..Species::published() };
    let mut flock = Flock::<Vec2>::new(FlockConfig::of(species)).unwrap();
    for i in 0..10u8 {
        flock.add(Boid::new(Vec2::new(f32::from(i) * 0.1, 0.0), Vec2::Y)).unwrap();
    }
    flock.step();
    assert!(flock.boids().all(|(_, b)| b.heading == Vec2::Y));
}

#[test]
fn no_boid_at_all() {
    let mut flock = Flock::<Vec2>::new(FlockConfig::published()).unwrap();
    flock.step();
    assert_eq!(flock.steer().count(), 0);
}
