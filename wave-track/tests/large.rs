//! On large maps waves are only for pursuers that listen, and leave out cells that lead to none of
//! them.

use glam::{DVec2, DVec3};
use ndarray::{Array2, Array3, Ix2, Ix3};
use wave_core::{ArrivalField, Medium, Space};
use wave_track::{PursuerState, Tracker, TrackerConfig, TrackerFront};

mod drawn;
use drawn::Lcg;

/// More than 2^22 cells.
const SIDE: usize = 2100;

/// Long walls with gaps, so that ways wind.
fn map(seed: u64) -> Medium<Ix2> {
    let mut random = Lcg(seed);
    let mut walls = Array2::from_elem([SIDE, SIDE], false);
    for _ in 0..400 {
        let (at, length) = ([0; 2].map(|_| random.below(SIDE)), 20 + random.below(180));
        let upright = random.below(2) == 0;
        for i in 0..length {
            let [y, x] = if upright { [at[0] + i, at[1]] } else { [at[0], at[1] + i] };
            if let Some(wall) = walls.get_mut([y, x]) {
                *wall = true;
            }
        }
    }
    Medium::builder([SIDE, SIDE]).walls(&walls).build().unwrap()
}

/// A free place in a part of the map.
fn place(medium: &Medium<Ix2>, random: &mut Lcg, [low, high]: [usize; 2]) -> DVec2 {
    loop {
        let [y, x] = [0; 2].map(|_| low + random.below(high - low));
        if !medium.is_wall([y, x]) {
            return DVec2::new(x as f64, y as f64);
        }
    }
}

fn cell(at: DVec2) -> [usize; 2] {
    [(at.y + 0.5) as usize, (at.x + 0.5) as usize]
}

/// Frames of one step, until all have arrived.
fn arrive<D: Space>(tracker: &mut Tracker<D>, most: usize) -> usize {
    for frame in 0..most {
        tracker.frame(1.0, 3_000_000).unwrap();
        if tracker.pursuers().iter().all(|p| p.state() == PursuerState::Arrived) {
            return frame;
        }
    }
    let states: Vec<_> = tracker.pursuers().iter().map(|p| (p.position(), p.state())).collect();
    panic!("{states:?}");
}

/// The cells that the wave came to, and how far each pursuer walks: as far as by a field of the
/// whole map.
#[test]
fn who_listens_hears_when_a_wave_that_goes_everywhere_comes() {
    let mut cells = 0;
    for seed in 0..4 {
        let medium = map(seed);
        let mut random = Lcg(100 + seed);
        let target = place(&medium, &mut random, [900, 1200]);
        let field = ArrivalField::from_sources(&medium, &[cell(target)]).unwrap();
        let mut tracker = Tracker::new(medium.clone(), TrackerConfig::default()).unwrap();
        tracker.set_target(target).unwrap();
        let start = loop {
            let at = place(&medium, &mut random, [700, 1000]);
            if field.times()[cell(at)].is_finite() && tracker.add_pursuer(at, 0.9).is_ok() {
                break at;
            }
        };
        while tracker.pursuers()[0].heard() == 0 {
            tracker.frame(1.0, 3_000_000).unwrap();
        }
        let front = tracker.fronts().next().unwrap();
        let here = cell(tracker.pursuers()[0].position());
        let (heard, due) = (front.arrival(here).unwrap(), f64::from(field.times()[here]));
        assert!((due..=due + 1.0).contains(&heard), "{seed}: {heard}, {due}");
        cells += front.reached_cells();
        let length = f64::from(field.times()[cell(start)]) * medium.dt();
        arrive(&mut tracker, 40_000);
        let walked = tracker.pursuers()[0].walked();
        assert!((0.93..=1.02).contains(&(walked / length)), "{seed}: {walked} of {length}");
    }
    assert!(cells < SIDE * SIDE / 10, "{cells}");
}

#[test]
fn many_pursuers_of_a_target_that_walks_capture_it_while_doors_close() {
    let mut medium = map(9);
    let wall: Vec<_> = (600..1500).map(|x| ([1100, x], true)).collect();
    medium.set_walls(&wall).unwrap();
    let play = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut random = Lcg(5);
            let mut tracker = Tracker::new(medium.clone(), TrackerConfig::default()).unwrap();
            tracker.set_target([1000.0, 1150.0]).unwrap();
            for _ in 0..30 {
                let at = place(&medium, &mut random, [950, 1090]);
                let _ = tracker.add_pursuer(at, 1.0);
            }
            for frame in 0..400usize {
                let walk = DVec2::new(0.3, if frame % 100 < 50 { 0.2 } else { -0.2 });
                let to = tracker.slide(tracker.target().unwrap(), walk).unwrap();
                tracker.set_target(to).unwrap();
                if frame % 40 == 20 {
                    // A gap in the wall between, which moves on.
                    let (gap, before) = (700 + 15 * frame, 700 + 15 * frame.saturating_sub(40));
                    let doors = |at: usize, wall| (0..4).map(move |i| ([1100, at + i], wall));
                    let _ = tracker.set_walls(&doors(gap.min(1490), false).collect::<Vec<_>>());
                    let _ = tracker.set_walls(&doors(before.min(1490), true).collect::<Vec<_>>());
                }
                tracker.frame(1.0, 3_000_000).unwrap();
            }
            arrive(&mut tracker, 3000);
            tracker.state_hash()
        })
    };
    assert_eq!(play(1), play(4));
}

/// A wave that ended and did not come there proves nothing unless it went everywhere.
#[test]
fn who_is_shut_in_is_told_and_goes_on_when_a_door_opens() {
    let mut medium = Medium::<Ix2>::builder([SIDE, SIDE]).build().unwrap();
    let ring = (0..=20)
        .flat_map(|i| [[1000, 1000 + i], [1020, 1000 + i], [1000 + i, 1000], [1000 + i, 1020]]);
    medium.set_walls(&ring.map(|cell| (cell, true)).collect::<Vec<_>>()).unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.set_target([1060.0, 1010.0]).unwrap();
    let inside = tracker.add_pursuer([1010.0, 1010.0], 0.5).unwrap();
    let outside = tracker.add_pursuer([980.0, 1010.0], 0.5).unwrap();
    for _ in 0..200 {
        tracker.frame(1.0, 3_000_000).unwrap();
        assert_ne!(tracker.pursuer(outside).unwrap().state(), PursuerState::TargetUnreachable);
    }
    assert_eq!(tracker.pursuer(inside).unwrap().state(), PursuerState::TargetUnreachable);
    // On the side that is turned away from the target.
    tracker.set_wall([1010, 1000], false).unwrap();
    arrive(&mut tracker, 2000);
}

/// It stands where no wave has been, and nothing else has changed.
#[test]
fn who_comes_later_from_elsewhere_hears_of_a_target_that_stands_still() {
    let medium = map(3);
    let mut tracker = Tracker::new(medium.clone(), TrackerConfig::default()).unwrap();
    let mut random = Lcg(8);
    tracker.set_target(place(&medium, &mut random, [1000, 1100])).unwrap();
    for far in [[1000, 1100], [300, 500], [1800, 2000], [100, 200]] {
        let id = tracker.add_pursuer(place(&medium, &mut random, far), 1.0).unwrap();
        for _ in 0..60 {
            tracker.frame(1.0, 3_000_000).unwrap();
        }
        assert!(tracker.pursuer(id).unwrap().heard() > 0, "{far:?}");
        // Away from all ways that waves have come by.
        let at = place(&medium, &mut random, far);
        tracker.teleport(id, at).unwrap();
    }
    arrive(&mut tracker, 10_000);
}

#[test]
fn in_three_dimensions_a_wave_costs_the_cells_between() {
    let size = [200, 180, 170];
    let mut random = Lcg(2);
    let mut walls = Array3::from_elem(size, false);
    for _ in 0..60 {
        let at: [usize; 3] = std::array::from_fn(|a| random.below(size[a] - 20));
        let side: [usize; 3] = std::array::from_fn(|_| 2 + random.below(18));
        let mut part = walls.slice_mut(ndarray::s![
            at[0]..at[0] + side[0],
            at[1]..at[1] + side[1],
            at[2]..at[2] + side[2]
        ]);
        part.fill(true);
    }
    let (from, to) = ([20, 30, 20], [150, 140, 130]);
    for [z, y, x] in [from, to] {
        walls[[z, y, x]] = false;
    }
    let medium = Medium::<Ix3>::builder(size).walls(&walls).build().unwrap();
    let place = |[z, y, x]: [usize; 3]| DVec3::new(x as f64, y as f64, z as f64);
    let field = ArrivalField::from_sources(&medium, &[to]).unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    tracker.set_target(place(to)).unwrap();
    tracker.add_pursuer(place(from), 0.5).unwrap();
    arrive(&mut tracker, 2000);
    let reached = |front: &TrackerFront<Ix3>| front.reached_cells();
    let cells: usize = tracker.fronts().map(reached).sum();
    let nearer = field.times().iter().filter(|&&t| t <= field.times()[from]).count();
    assert!(10 * cells < nearer, "{cells} of {nearer}");
}

/// The way round is many times as long as the straight line, and the target never stands still.
#[test]
fn a_target_that_walks_behind_a_long_wall_is_heard_of() {
    let mut medium = Medium::<Ix2>::builder([SIDE, SIDE]).build().unwrap();
    let wall: Vec<_> = (0..SIDE - 300).map(|y| ([y, 1000], true)).collect();
    medium.set_walls(&wall).unwrap();
    let mut tracker = Tracker::new(medium, TrackerConfig::default()).unwrap();
    let id = tracker.add_pursuer([980.0, 1500.0], 2.0).unwrap();
    let mut frames = 0;
    while tracker.pursuer(id).unwrap().heard() == 0 {
        let up = 1500.0 + 0.9 * f64::from(frames % 200);
        tracker.set_target([1020.0, up]).unwrap();
        tracker.frame(1.0, 3_000_000).unwrap();
        frames += 1;
        assert!(frames < 60, "{:?}", tracker.pursuer(id).unwrap().state());
    }
    arrive(&mut tracker, 2000);
}
