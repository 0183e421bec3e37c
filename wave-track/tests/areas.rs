//! Several targets, and areas in which waves are slower.

mod drawn;

use drawn::{Lcg, medium, steps_from};
use glam::{DVec2, DVec3};
use ndarray::{Array2, Array3, Ix2, Ix3, s};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wave_core::Medium;
use wave_track::{PursuerState, Tracker, TrackerConfig};

#[test]
fn with_several_targets_everyone_goes_for_the_nearest_by_way() {
    // A long wall between the rooms: a place that is near in a straight line is far by foot.
    let mut walls = Array2::from_elem([31, 41], false);
    for x in 0..38 {
        walls[[15, x]] = true;
    }
    let targets = [DVec2::new(4.0, 20.0), DVec2::new(36.0, 2.0)];
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_targets(targets).unwrap();
    let starts: Vec<DVec2> = (0..40)
        .map(|i| DVec2::new(f64::from(i), f64::from((i * 11) % 31)))
        .filter(|p| !walls[[p.y as usize, p.x as usize]])
        .collect();
    let ids: Vec<_> = starts.iter().map(|&s| tracker.add_pursuer(s, 0.5).unwrap()).collect();
    for _ in 0..400 {
        tracker.step().unwrap();
    }
    let ways = targets.map(|t| steps_from(&walls, t));
    for (id, start) in ids.iter().zip(&starts) {
        let pursuer = tracker.pursuer(*id).unwrap();
        assert_eq!(pursuer.state(), PursuerState::Arrived, "from {start}");
        let came = usize::from(pursuer.position().distance(targets[1]) < 1.0);
        let way = |t: usize| ways[t][[start.y as usize, start.x as usize]].unwrap();
        // Four-neighbour ways are up to sqrt 2 longer than straight ones: only clear cases count.
        assert!(2 * way(came) < 3 * way(1 - came) + 4, "from {start} to {}", targets[came]);
    }
    // A target that cannot be set leaves all as they were.
    assert!(tracker.set_targets([DVec2::ZERO, DVec2::new(3.0, 15.0)]).is_err());
    assert_eq!(tracker.targets().collect::<Vec<_>>(), targets);
}

/// The least time from `target` to everywhere, by Dijkstra over a grid four times as fine and the
/// 32 shortest directions, speeds being those of the nearest cell.
fn least_times(speeds: &Array2<f64>, target: DVec2) -> impl Fn(DVec2) -> f64 + use<> {
    const FINE: usize = 4;
    let (height, width) = speeds.dim();
    let (rows, columns) = ((height - 1) * FINE + 1, (width - 1) * FINE + 1);
    let speed = |x: f64, y: f64| speeds[[(y + 0.5).floor() as usize, (x + 0.5).floor() as usize]];
    let mut directions = Vec::new();
    for (dx, dy) in (-4..=4i64).flat_map(|dx| (-4..=4i64).map(move |dy| (dx, dy))) {
        let (mut a, mut b) = (dx.unsigned_abs(), dy.unsigned_abs());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        if a == 1 {
            directions.push((dx, dy));
        }
    }
    let mut times = Array2::from_elem([rows, columns], f64::INFINITY);
    let node =
        |p: DVec2| [(p.y * FINE as f64).round() as usize, (p.x * FINE as f64).round() as usize];
    times[node(target)] = 0.0;
    let mut queue = BinaryHeap::from([(Reverse(0u64), node(target))]);
    while let Some((Reverse(bits), [y, x])) = queue.pop() {
        let here = f64::from_bits(bits);
        if here > times[[y, x]] {
            continue;
        }
        for &(dx, dy) in &directions {
            let (Some(tx), Some(ty)) =
                (x.checked_add_signed(dx as isize), y.checked_add_signed(dy as isize))
            else {
                continue;
            };
            if tx >= columns || ty >= rows {
                continue;
            }
            let length = ((dx * dx + dy * dy) as f64).sqrt() / FINE as f64;
            let slowness: f64 = (0..4)
                .map(|i| {
                    let u = (f64::from(i) + 0.5) / 4.0;
                    let at = |from: usize, d: i64| (from as f64 + u * d as f64) / FINE as f64;
                    1.0 / speed(at(x, dx), at(y, dy))
                })
                .sum();
            let there = here + length * slowness / 4.0;
            if there < times[[ty, tx]] {
                times[[ty, tx]] = there;
                // Times are positive: their bits are in their order.
                queue.push((Reverse(there.to_bits()), [ty, tx]));
            }
        }
    }
    move |p| times[node(p)]
}

/// The walked routes' time integrals of ds / c, over the least times: mean and largest.
fn times_walked(speeds: &Array2<f64>, target: DVec2, starts: &[DVec2]) -> (f64, f64) {
    let (height, width) = speeds.dim();
    let medium =
        Medium::<Ix2>::builder([height, width]).speeds(&speeds.mapv(|s| s as f32)).build().unwrap();
    let config = TrackerConfig { areas_slow_pursuers: true, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(medium, config).unwrap();
    tracker.set_target(target).unwrap();
    let speed = 0.3;
    for &start in starts {
        tracker.add_pursuer(start, speed).unwrap();
    }
    let mut heard = vec![None; starts.len()];
    let mut came = vec![0; starts.len()];
    for step in 0..6000 {
        tracker.step().unwrap();
        for (i, p) in tracker.pursuers().iter().enumerate() {
            if p.position() != starts[i] {
                heard[i].get_or_insert(step);
            }
            if p.state() == PursuerState::Arrived && came[i] == 0 {
                came[i] = step;
            }
        }
    }
    let least = least_times(speeds, target);
    let ratios: Vec<f64> = (0..starts.len())
        .map(|i| {
            assert!(came[i] > 0, "from {}", starts[i]);
            // Pursuers are slowed as the wave is: steps on the way are the integral of ds / c.
            let steps = f64::from(came[i] - heard[i].unwrap()) + 1.0;
            steps * tracker.medium().dt() * speed / least(starts[i])
        })
        .collect();
    (ratios.iter().sum::<f64>() / ratios.len() as f64, ratios.iter().copied().fold(0.0, f64::max))
}

#[test]
fn routes_through_and_around_slow_areas_take_little_more_than_the_least_time() {
    let starts: Vec<DVec2> = (0..12).map(|i| DVec2::new(4.0 + 7.0 * f64::from(i), 4.0)).collect();
    let target = DVec2::new(50.0, 70.0);
    for slow in [0.5, 0.25] {
        let band = Array2::from_shape_fn(
            [80, 90],
            |(y, _)| {
                if (25..50).contains(&y) { slow } else { 1.0 }
            },
        );
        let block = Array2::from_shape_fn([80, 90], |(y, x)| {
            if (20..55).contains(&y) && (30..70).contains(&x) { slow } else { 1.0 }
        });
        for (name, speeds) in [("band", band), ("block", block)] {
            let (mean, largest) = times_walked(&speeds, target, &starts);
            println!("{name} at {slow}: mean {mean:.4}, largest {largest:.4}");
            assert!(mean < 1.02 && largest < 1.04, "{name} at {slow}: {mean}, {largest}");
        }
    }
    // A patchwork of both, with gaps of a few cells between patches.
    for seed in 1..=12 {
        let mut random = Lcg(seed);
        let mut speeds = Array2::from_elem([80, 90], 1.0);
        for i in 0..14 {
            let [y, x] = [random.below(70), random.below(80)];
            let [height, width] = [5 + random.below(20), 5 + random.below(20)];
            let area = s![y..(y + height).min(80), x..(x + width).min(90)];
            speeds.slice_mut(area).fill(if i % 2 == 0 { 0.5 } else { 0.25 });
        }
        let (mean, largest) = times_walked(&speeds, target, &starts);
        println!("patches {seed}: mean {mean:.4}, largest {largest:.4}");
        assert!(mean < 1.015 && largest < 1.03, "patches {seed}: {mean}, {largest}");
    }
}

#[test]
fn routes_over_ground_that_changes_from_cell_to_cell_take_little_more_than_the_least_time() {
    let starts: Vec<DVec2> = (0..12).map(|i| DVec2::new(4.0 + 7.0 * f64::from(i), 4.0)).collect();
    let target = DVec2::new(50.0, 70.0);
    // The measured values, and a little more: see the README.
    let mut cases = Vec::new();
    for (percent, mean, largest) in [(2, 1.01, 1.03), (10, 1.02, 1.04), (50, 1.08, 1.13)] {
        let mut random = Lcg(percent as u64);
        let speeds = Array2::from_shape_simple_fn([80, 90], || {
            if random.below(100) < percent { 0.25 } else { 1.0 }
        });
        cases.push((format!("{percent} % of cells"), speeds, mean, largest));
    }
    for wide in [3, 5] {
        let speeds =
            Array2::from_shape_fn([80, 90], |(y, _)| if y / wide % 2 == 1 { 0.25 } else { 1.0 });
        cases.push((format!("stripes of {wide}"), speeds, 1.02, 1.05));
        let speeds = Array2::from_shape_fn([80, 90], |(y, x)| {
            if (y / wide + x / wide) % 2 == 1 { 0.25 } else { 1.0 }
        });
        cases.push((format!("fields of {wide}"), speeds, 1.12, 1.2));
    }
    for (name, speeds, most_mean, most) in cases {
        let (mean, largest) = times_walked(&speeds, target, &starts);
        println!("{name}: mean {mean:.4}, largest {largest:.4}");
        assert!(mean < most_mean && largest < most, "{name}: {mean}, {largest}");
    }
}

/// Whether a medium knows that all of its cells are equally fast changes little.
#[test]
fn on_even_ground_routes_are_those_of_one_speed() {
    for seed in [1, 2] {
        let mut random = Lcg(seed);
        let walls = Array2::from_shape_simple_fn([60, 60], || random.below(4) == 0);
        let walked = |mixed: bool| {
            let mut medium = medium(&walls);
            if mixed {
                let speed = medium.speed([0, 0]).unwrap();
                medium.set_speed([0, 0], speed).unwrap();
            }
            assert_eq!(medium.is_uniform(), !mixed);
            let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
            let open = walls.indexed_iter().filter(|(_, wall)| !**wall);
            let places: Vec<_> = open.map(|((y, x), _)| DVec2::new(x as f64, y as f64)).collect();
            tracker.set_target(places[places.len() / 2]).unwrap();
            for &place in places.iter().step_by(9) {
                tracker.add_pursuer(place, 0.5).unwrap();
            }
            for _ in 0..800 {
                tracker.step().unwrap();
            }
            let arrived = |p: &&_| wave_track::Pursuer::state(*p) == PursuerState::Arrived;
            let lengths =
                tracker.pursuers().iter().filter(arrived).map(wave_track::Pursuer::walked);
            (lengths.clone().count(), lengths.sum::<f64>())
        };
        let ((all, even), (mixed_all, mixed)) = (walked(false), walked(true));
        assert_eq!(all, mixed_all);
        println!("{seed}: {all} pursuers, {}", mixed / even);
        assert!(all > 150 && mixed < 1.006 * even, "{seed}: {all}, {even}, {mixed}");
    }
}

/// Where fast cells touch at edges and corners only, the way home leads through them.
#[test]
fn through_any_ground_everyone_comes_home_in_3d() {
    let shape = [12, 14, 16];
    for seed in 1..=4 {
        let mut random = Lcg(seed);
        let speeds = Array3::from_shape_simple_fn(shape, || [1.0_f32, 0.5, 0.1][random.below(3)]);
        let walls = Array3::from_shape_simple_fn(shape, || random.below(5) == 0);
        let medium = Medium::<Ix3>::builder(shape).walls(&walls).speeds(&speeds).build().unwrap();
        let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
        let open = walls.indexed_iter().filter(|(_, wall)| !**wall);
        let at = |(z, y, x): (usize, usize, usize)| DVec3::new(x as f64, y as f64, z as f64);
        let places: Vec<DVec3> = open.map(|(cell, _)| at(cell)).collect();
        tracker.set_target(places[places.len() / 2]).unwrap();
        for &place in places.iter().step_by(7) {
            tracker.add_pursuer(place, 0.5).unwrap();
        }
        for _ in 0..2000 {
            tracker.step().unwrap();
        }
        let mut states: Vec<_> =
            tracker.pursuers().iter().map(wave_track::Pursuer::state).collect();
        let all = states.len();
        states.retain(|&state| state != PursuerState::TargetUnreachable);
        assert!(states.iter().all(|&state| state == PursuerState::Arrived), "seed {seed}");
        assert!(states.len() * 10 > all * 8, "seed {seed}: {} of {all}", states.len());
    }
}
