//! Obstacles and walls.

use crate::worlds::random;
use flocking::{
    Avoidance, Boid, BoidGoal, BoidId, Flock, FlockConfig, Obstacle, Scalar, Species, SteeringRule,
    Vector, Velocity, Walls,
};
use glam::{DVec2, DVec3, Vec2, Vec3};
use ndarray::Array2;
use rand::RngExt;
use std::f64::consts::FRAC_PI_3;

fn alone<V: Vector>(obstacles: Vec<Obstacle<V>>, position: V, heading: V) -> V {
    let mut flock = Flock::new(FlockConfig::published()).unwrap();
    flock.set_obstacles(obstacles).unwrap();
    flock.add(Boid::new(position, heading)).unwrap();
    flock.step();
    flock.boid(BoidId::new(0)).unwrap().heading
}

fn post(x: f64, y: f64) -> Vec<Obstacle<DVec2>> {
    vec![Obstacle::Ball { centre: DVec2::new(x, y), radius: 0.0 }]
}

#[test]
fn the_published_projection_by_hand() {
    let turn = |x, y| alone(post(x, y), DVec2::ZERO, DVec2::X).to_angle();
    // 40 of 80 ahead: half of 60 degrees; to the left: turn right, and the other way round.
    assert!((turn(40.0, 10.0) + FRAC_PI_3 / 2.0).abs() < 1e-12);
    assert!((turn(40.0, -10.0) - FRAC_PI_3 / 2.0).abs() < 1e-12);
    assert!((turn(40.0, 0.0) + FRAC_PI_3 / 2.0).abs() < 1e-12, "dead ahead: the negative turn");
    assert_eq!(turn(81.0, 0.0), 0.0, "too far");
    assert_eq!(turn(40.0, 60.0), 0.0, "far enough aside");
    assert!(turn(40.0, 59.9) != 0.0);
    assert_eq!(turn(-10.0, 5.0), 0.0, "behind");
    let near = alone(
        vec![Obstacle::Ball { centre: DVec3::new(40.0, 0.0, 10.0), radius: 0.0 }],
        DVec3::ZERO,
        DVec3::X,
    );
    assert!((near.z + (FRAC_PI_3 / 2.0).sin()).abs() < 1e-12, "down, away from above: {near}");
}

#[test]
fn segments_turn_boids_along_them() {
    let wall = |a: DVec2, b: DVec2| vec![Obstacle::Segment { from: a, to: b, radius: 0.0 }];
    let wall = wall(DVec2::new(40.0, -100.0), DVec2::new(40.0, 100.0));
    let up = alone(wall.clone(), DVec2::ZERO, DVec2::new(1.0, 0.3));
    assert!(up.to_angle() > 0.3f64.atan2(1.0) + 0.2);
    let down = alone(wall.clone(), DVec2::ZERO, DVec2::new(1.0, -0.3));
    assert!(down.to_angle() < -(0.3f64.atan2(1.0)) - 0.2);
    assert_eq!(alone(wall, DVec2::ZERO, DVec2::NEG_X), DVec2::NEG_X, "behind");
}

/// A segment has no first end, beside the path least of all.
#[test]
fn swapping_the_ends_of_a_segment_changes_nothing() {
    let mut random = random(8);
    for i in 0..400 {
        let angle = random.random::<f64>() * 6.0;
        let heading = DVec2::from_angle(angle);
        let side = heading.perp() * [0.0, 5.0, -20.0, 40.0][i % 4];
        let tilt = heading.perp() * if i % 8 < 4 { 0.0 } else { 9.0 };
        let (near, far) = (heading * 10.0 + side, heading * 1000.0 + side + tilt);
        let turn = |from, to| {
            let heading =
                alone(vec![Obstacle::Segment { from, to, radius: 0.0 }], DVec2::ZERO, heading);
            heading.to_angle()
        };
        assert!((turn(near, far) - turn(far, near)).abs() < 1e-9, "{i}");
        // Leaning, its point nearest the path is the far end, out of sight.
        assert!(i % 8 >= 4 || turn(far, near) != heading.to_angle(), "{i}");
    }
}

/// One limit for all that turns a boid, under the velocity rule too, in the plane and out of it.
#[test]
fn no_boid_turns_more_than_it_may() {
    let mut config = FlockConfig::published();
    config.species[0].rule = SteeringRule::Velocity(Velocity::within(10.0));
    config.species[0].max_acceleration = 5.0;
    for limit in [0.1, 0.7] {
        config.species[0].max_turn = limit;
        let mut flock = Flock::<DVec3>::new(config.clone()).unwrap();
        flock
            .set_obstacles(vec![Obstacle::Ball { centre: DVec3::new(20.0, 1.0, 0.0), radius: 5.0 }])
            .unwrap();
        let goal = Some(BoidGoal { position: DVec3::new(0.0, 3.0, 90.0), pull: 1.0 });
        let id = flock.add(Boid { goal, ..Boid::new(DVec3::ZERO, DVec3::X) }).unwrap();
        flock.step();
        let turned = flock.boid(id).unwrap().heading.angle_between(DVec3::X);
        assert!((turned - limit).abs() < 1e-9, "{turned} of {limit}");
    }
}

/// The angle between two unit vectors, right also where they are nearly the same or opposite.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [a, b] = [a, b].map(DVec3::from);
    a.cross(b).length().atan2(a.dot(b))
}

/// Vectors along a heading lie ahead or behind up to rounding only, and have no axis of a turn.
fn turns_are_as_stated_along_any_heading<V: Vector>(most_error: f64) {
    let mut random = random(9);
    let heading_of = |flock: &Flock<V>| {
        let boid = flock.boid(BoidId::new(0)).unwrap();
        boid.heading.to_xyz().map(Scalar::to_f64)
    };
    for i in 0..6000 {
        let mut number = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        let heading = [(); 3].map(|()| number(-1.0, 1.0));
        // Up to a hundred times what has no axis, to all sides of it.
        let slant = [0.0, 1.0, 100.0][i % 3] * V::Scalar::NARROW.to_f64();
        let aside = [(); 3].map(|()| number(-slant, slant));
        let along = |heading: [f64; 3], far: f64| {
            let way = std::array::from_fn(|a| far * (heading[a] + aside[a]));
            V::from_xyz(way.map(V::Scalar::from_f64))
        };
        let (far, limit, ahead) = (number(1.0, 50.0), number(0.1, 3.1), number(1.0, 79.0));
        let mut config = FlockConfig::<V>::published();
        let boid = Boid::new(V::default(), V::from_xyz(heading.map(V::Scalar::from_f64)));

        // A ball ahead, in full: the published angle.
        let mut flock = Flock::new(config.clone()).unwrap();
        flock.add(boid).unwrap();
        let before = heading_of(&flock);
        let centre = along(before, ahead);
        flock.set_obstacles(vec![Obstacle::Ball { centre, radius: 0.0 }]).unwrap();
        flock.step();
        let far_ahead = DVec3::from(centre.to_xyz().map(Scalar::to_f64)).dot(before.into());
        let law = FRAC_PI_3 * (80.0 - far_ahead) / 80.0;
        let turn = angle(before, heading_of(&flock));
        assert!((turn - law).abs() < most_error, "{i}: {turn} away, not {law}: {before:?}");

        // A goal behind: half a turn, cut to the limit.
        config.species[0].max_turn = limit;
        let goal = Some(BoidGoal { position: along(before, -far), pull: 1.0 });
        let mut flock = Flock::new(config).unwrap();
        flock.add(Boid { goal, ..boid }).unwrap();
        flock.step();
        let turn = angle(before, heading_of(&flock));
        assert!((turn - limit).abs() < most_error, "{i}: {turn} of {limit}: {before:?}");
    }
}

#[test]
fn things_along_a_heading_turn_it_as_stated() {
    turns_are_as_stated_along_any_heading::<DVec3>(1e-6);
    turns_are_as_stated_along_any_heading::<Vec3>(3e-6);
}

/// Boids that meet head on or fly behind each other, with goals behind and obstacles ahead.
fn no_turn_is_above_the_limit<V: Vector>(velocity: bool, most_error: f64) {
    let mut random = random(if velocity { 11 } else { 10 });
    let vector = |v: [f64; 3]| V::from_xyz(v.map(V::Scalar::from_f64));
    for i in 0..400 {
        let mut number = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        let limit = number(0.1, 3.1);
        let mut config = FlockConfig::<V>::published();
        config.species[0].max_turn = limit;
        if velocity {
            config.species[0].rule = SteeringRule::Velocity(Velocity::within(10.0));
            config.species[0].max_acceleration = 5.0;
        }
        let mut flock = Flock::new(config).unwrap();
        let line = DVec3::from([(); 3].map(|()| number(-1.0, 1.0))).normalize();
        let places = [(); 20].map(|()| (number(-30.0, 30.0), number(0.0, 1.0) < 0.5));
        for (place, back) in places {
            let heading = line * if back { -1.0 } else { 1.0 };
            let at = |far: f64| vector((line * place + heading * far).into());
            let goal = Some(BoidGoal { position: at(-40.0), pull: number(0.1, 1.0) });
            flock.add(Boid { goal, ..Boid::new(at(0.0), vector(heading.into())) }).unwrap();
        }
        let ball = Obstacle::Ball { centre: vector((line * 50.0).into()), radius: 1.0 };
        flock.set_obstacles(vec![ball]).unwrap();
        let headings = |flock: &Flock<V>| -> Vec<_> {
            let boids = (0..places.len() as u32).map(|id| flock.boid(BoidId::new(id)).unwrap());
            boids.map(|boid| boid.heading.to_xyz().map(Scalar::to_f64)).collect()
        };
        for step in 0..3 {
            let before = headings(&flock);
            flock.step();
            for (old, new) in before.into_iter().zip(headings(&flock)) {
                let turn = angle(old, new);
                assert!(turn <= limit + most_error, "{i}, step {step}: {turn} of {limit}");
            }
        }
    }
}

#[test]
fn no_boid_on_a_line_turns_more_than_it_may() {
    for velocity in [false, true] {
        no_turn_is_above_the_limit::<DVec3>(velocity, 1e-6);
        no_turn_is_above_the_limit::<Vec3>(velocity, 3e-6);
    }
}

/// An obstacle that does not turn a boid alone does not turn it among others, to the last bit.
fn only_those_in_the_way_count<V: Vector>(seed: u64) {
    let mut random = random(seed);
    let vector = |v: [f64; 3]| V::from_xyz(v.map(V::Scalar::from_f64));
    let mut place =
        |size: f64| vector(std::array::from_fn(|_| (random.random::<f64>() - 0.5) * size));
    let mut turned = 0;
    for i in 0..60 {
        let (position, heading) = (place(400.0), place(1.0));
        let obstacles: Vec<_> = (0..120u32)
            .map(|k| match k % 3 {
                0 => Obstacle::Segment { from: place(400.0), to: place(400.0), radius: 2.0 },
                1 => Obstacle::Ball { centre: place(400.0), radius: f64::from(k) },
                _ => Obstacle::Ball { centre: place(400.0), radius: 0.0 },
            })
            .collect();
        let straight = alone(Vec::new(), position, heading);
        let turns = |o: &Obstacle<V>| alone(vec![*o], position, heading) != straight;
        let some: Vec<_> = obstacles.iter().copied().filter(turns).collect();
        turned += some.len();
        assert_eq!(alone(obstacles, position, heading), alone(some, position, heading), "{i}");
    }
    assert!(turned > 60);
}

#[test]
fn obstacles_out_of_the_way_are_as_if_not_there() {
    only_those_in_the_way_count::<Vec2>(3);
    only_those_in_the_way_count::<DVec2>(4);
    only_those_in_the_way_count::<Vec3>(5);
}

#[test]
fn nobody_enters_a_wall() {
    let (w, h) = (24, 24);
    let blocked = (0..w * h)
        .map(|i| {
            let (x, y) = (i % w, i / w);
            x == 0
                || y == 0
                || x == w - 1
                || y == h - 1
                || (x == 12 && y != 6)
                || (x * 7 + y * 5) % 31 == 0
        })
        .collect();
    let walls = Walls::new([w, h, 1], 4.0, Vec2::new(-3.0, 5.0), blocked).unwrap();
    let avoidance = Avoidance { look_ahead: 10.0, clearance: 0.0, ..Avoidance::published() };
    let mut config = FlockConfig::of(Species { avoidance, ..Species::published() });
    config.species[0].max_turn = 0.5;
    let mut flock = Flock::new(config).unwrap();
    flock.set_walls(Some(walls.clone())).unwrap();
    let mut rng = random(3);
    while flock.len() < 200 {
        let p = Vec2::new(rng.random::<f32>() * 92.0 - 3.0, rng.random::<f32>() * 92.0 + 5.0);
        let v = Vec2::from_angle(rng.random::<f32>() * 6.3);
        // Refused where there is a wall.
        let _ = flock.add(Boid::new(p, v));
    }
    for _ in 0..500 {
        flock.step();
        assert!(flock.poses().all(|(p, _)| !walls.blocks(p)));
    }
}

#[test]
fn nobody_enters_a_wall_in_3d() {
    let n = 10;
    let blocked = (0..n * n * n)
        .map(|i| {
            let (x, y, z) = (i % n, i / n % n, i / (n * n));
            let shell = [x, y, z].iter().any(|&c| c == 0 || c == n - 1);
            shell || (z == 5 && !(x == 3 && y == 3)) || (x * 7 + y * 5 + z * 3) % 37 == 0
        })
        .collect();
    let walls = Walls::new([n, n, n], 4.0, Vec3::new(-3.0, 5.0, 1.0), blocked).unwrap();
    let avoidance = Avoidance { look_ahead: 8.0, clearance: 0.0, ..Avoidance::published() };
    let mut flock =
        Flock::new(FlockConfig::of(Species { avoidance, ..Species::published() })).unwrap();
    flock.set_walls(Some(walls.clone())).unwrap();
    let mut rng = random(4);
    while flock.len() < 150 {
        let p = [-3.0, 5.0, 1.0].map(|low| low + rng.random::<f32>() * 36.0);
        let v = [(); 3].map(|()| rng.random::<f32>() - 0.5);
        // Refused where there is a wall.
        let _ = flock.add(Boid::new(Vec3::from(p), Vec3::from(v).normalize()));
    }
    for _ in 0..300 {
        flock.step();
        assert!(flock.poses().all(|(p, _)| !walls.blocks(p)));
    }
}

#[test]
fn a_wall_ahead_is_turned_from_in_3d() {
    // A wall of cells across x = 20, open at the top alone: the boid turns up.
    let blocked = (0..11 * 11 * 11).map(|i| i % 11 == 10 && i / 121 < 7).collect();
    let walls = Walls::new([11, 11, 11], 2.0, DVec3::ZERO, blocked).unwrap();
    let avoidance = Avoidance { look_ahead: 14.0, clearance: 0.0, ..Avoidance::published() };
    let mut flock =
        Flock::new(FlockConfig::of(Species { avoidance, ..Species::published() })).unwrap();
    flock.set_walls(Some(walls)).unwrap();
    let id = flock.add(Boid::new(DVec3::new(10.0, 10.0, 10.0), DVec3::X)).unwrap();
    flock.step();
    let heading = flock.boid(id).unwrap().heading;
    assert!(heading.z > 0.05 && heading.y.abs() < 1e-12, "{heading}");
}

#[test]
fn a_corridor_is_followed() {
    let blocked = (0..40 * 5).map(|i| i / 40 == 0 || i / 40 == 4).collect();
    let walls = Walls::new([40, 5, 1], 2.0, DVec2::ZERO, blocked).unwrap();
    let avoidance = Avoidance { look_ahead: 4.0, clearance: 0.0, ..Avoidance::published() };
    let mut flock =
        Flock::new(FlockConfig::of(Species { avoidance, ..Species::published() })).unwrap();
    flock.set_walls(Some(walls)).unwrap();
    let id = flock.add(Boid::new(DVec2::new(2.0, 4.0), DVec2::new(0.3, 0.1))).unwrap();
    for _ in 0..200 {
        flock.step();
    }
    assert!(flock.boid(id).unwrap().position.x > 40.0);
}

/// The turn away from posts by boids-2016's code, line by line (its y points down), for a boid at
/// the origin that goes along x.
fn coded(posts: &[(f64, f64)]) -> f64 {
    let mut turn = 0.0;
    for &(x, y) in posts {
        // `checkProject`, the vector, and `projectScalar`, its length: that is never negative.
        let project = [x, 0.0_f64];
        let length = project[0].hypot(project[1]);
        if length > 80.0 || (project[0] - x).hypot(project[1] - y) >= 60.0 {
            continue;
        }
        let side = y.atan2(x).rem_euclid(2.0 * std::f64::consts::PI);
        let away = if side <= std::f64::consts::PI { -1.0 } else { 1.0 };
        turn += away * FRAC_PI_3 * (80.0 - length) / 80.0;
    }
    turn
}

#[test]
fn with_the_switch_obstacles_behind_count_as_in_the_published_code() {
    let turn = |behind, posts: &[(f64, f64)]| {
        let mut config = FlockConfig::published();
        if behind {
            config.species[0].avoidance = Avoidance::published_code();
        }
        let mut flock = Flock::new(config).unwrap();
        let posts = posts.iter().flat_map(|&(x, y)| post(x, y)).collect();
        flock.set_obstacles(posts).unwrap();
        let id = flock.add(Boid::new(DVec2::ZERO, DVec2::X)).unwrap();
        flock.step();
        flock.boid(id).unwrap().heading.to_angle()
    };
    let (mut behind, mut ahead) = (0, 0);
    let mut number = 1_u32;
    for _ in 0..500 {
        let mut place = || {
            // A linear congruence is random enough for places.
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(number >> 8) / f64::from(1 << 24) * 240.0 - 120.0
        };
        let posts = [(place(), place()), (place(), place())];
        let wrapped = |angle: f64| DVec2::from_angle(angle).to_angle();
        assert!((turn(true, &posts) - wrapped(coded(&posts))).abs() < 1e-9, "{posts:?}");
        let only_ahead: Vec<_> = posts.into_iter().filter(|post| post.0 >= 0.0).collect();
        let expected = turn(true, &only_ahead);
        assert_eq!(turn(false, &posts), expected, "behind nothing counts: {posts:?}");
        behind += u32::from(turn(true, &posts) != expected);
        ahead += u32::from(expected != 0.0);
    }
    assert!(behind > 100 && ahead > 100, "{behind} {ahead}");
}

/// Forty boids that set out side by side on a map of 100 units, toward a pillar.
#[test]
fn defaults_fit_a_map_of_100_units() {
    let map = Array2::from_shape_fn((100, 100), |(y, x)| x % 99 == 0 || y % 99 == 0);
    let mut flock = Flock::new(FlockConfig::default()).unwrap();
    flock.set_walls(Some(Walls::from_grid(&map, 1.0, DVec2::ZERO).unwrap())).unwrap();
    let (centre, radius) = (DVec2::splat(50.0), 5.0);
    flock.set_obstacles(vec![Obstacle::Ball { centre, radius }]).unwrap();
    for i in 0..40u8 {
        let place = DVec2::new(20.0 + 2.0 * f64::from(i % 8), 45.0 + 2.0 * f64::from(i / 8));
        flock.add(Boid::new(place, 0.5 * DVec2::X)).unwrap();
    }
    let (mut inside, mut passed) = (0, 0);
    for _ in 0..150 {
        flock.step();
        for (position, _) in flock.poses() {
            assert!(!flock.walls().unwrap().blocks(position));
            inside += usize::from(position.distance(centre) < radius - 1.0);
        }
        passed = passed.max(flock.poses().filter(|(p, _)| p.x > 56.0).count());
    }
    println!("{inside} of 6000 inside the pillar, {passed} of 40 past it");
    assert!(inside < 60 && passed >= 20, "{inside} {passed}");
}

/// Walls are seen from as far outside of their grid as a boid looks: a grid with a free border
/// around it makes no difference.
#[test]
fn walls_are_seen_from_outside_of_their_grid() {
    let heading = |side: usize, border: usize, post: [usize; 2], position: DVec2, toward: DVec2| {
        let mut walls = Array2::from_elem([side + 2 * border; 2], false);
        walls[post.map(|c| c + border)] = true;
        let origin = DVec2::splat(-(border as f64));
        let mut flock = Flock::new(FlockConfig::<DVec2>::published()).unwrap();
        flock.set_walls(Some(Walls::from_grid(&walls, 1.0, origin).unwrap())).unwrap();
        flock.add(Boid::new(position, toward)).unwrap();
        flock.step();
        flock.boid(BoidId::new(0)).unwrap().heading
    };
    let mut random = random(31);
    let mut turned = 0;
    for i in 0..600 {
        let side = random.random_range(1..4);
        let post = [random.random_range(0..side), random.random_range(0..side)];
        let angle = random.random::<f64>() * 6.3;
        let position = DVec2::from_angle(angle) * random.random_range(2.0..90.0);
        let aim = DVec2::new(post[1] as f64, post[0] as f64) - position;
        let toward = (aim + DVec2::from_angle(random.random::<f64>() * 6.3) * 2.0).normalize();
        let near = heading(side, 0, post, position, toward);
        assert!((near - heading(side, 100, post, position, toward)).length() < 1e-9, "{i}");
        turned += usize::from(near != toward);
    }
    assert!(turned > 80, "{turned}");
}
