//! Walls that come and go around a target that stands: the last wave is repaired, at the cost of
//! what they change.

mod drawn;

use drawn::{Lcg, free_centres, medium, random_walls};
use glam::DVec2;
use ndarray::Ix2;
use wave_core::Front;
use wave_track::{PursuerState, Tracker, TrackerConfig};

const SHAPE: [usize; 2] = [90, 120];
/// What a frame may spend, enough for a quarter of a wave.
const UPDATES: u64 = 5 * (SHAPE[0] * SHAPE[1]) as u64;

/// A chase of so many pursuers, too slow to come anywhere, who have all heard of the target.
fn chase(share: f64, seed: u64, pursuers: usize) -> (Tracker<Ix2>, Vec<DVec2>) {
    let walls = random_walls(SHAPE, share, seed);
    let mut tracker = Tracker::new(medium(&walls), TrackerConfig::default()).unwrap();
    let centres = free_centres(&walls);
    tracker.set_target(centres[0]).unwrap();
    let mut random = Lcg(seed);
    for _ in 0..pursuers {
        tracker.add_pursuer(centres[random.below(centres.len())], 1e-4).unwrap();
    }
    rest(&mut tracker);
    (tracker, centres)
}

/// Frames until nothing is on its way, and what they spend.
fn rest(tracker: &mut Tracker<Ix2>) -> u64 {
    let before = tracker.updates();
    for _ in 0..200 {
        if tracker.frame(1.0, UPDATES).unwrap() == 0 {
            return tracker.updates() - before;
        }
    }
    panic!("waves still run");
}

/// Builds a wall of up to four cells somewhere, or takes what stands there away. Nowhere near the
/// target, where a new wave is needed.
fn edit(tracker: &mut Tracker<Ix2>, random: &mut Lcg) {
    let target = tracker.target().unwrap();
    let (y, x) = (random.below(SHAPE[0]), random.below(SHAPE[1] - 4));
    let is_near = target.distance(DVec2::new(x as f64, y as f64)) < 16.0;
    let wall = random.below(2) == 0;
    for x in x..x + 1 + random.below(4) {
        if !is_near {
            // Refused where a pursuer stands.
            let _ = tracker.set_wall([y, x], wall);
        }
    }
}

#[test]
fn after_an_edit_the_last_wave_is_that_of_the_walls_there_are_now() {
    let (mut edits, mut cheap, mut told) = (0, 0, 0);
    for seed in 0..12 {
        let (mut tracker, _) = chase([0.0, 0.15, 0.3][seed as usize % 3], seed, 30);
        let mut random = Lcg(seed + 100);
        let whole = Front::<Ix2>::UPDATES_PER_CELL * tracker.medium().open_cells() as u64;
        for _ in 0..20 {
            let (before, revision) = (tracker.emissions(), tracker.medium().revision());
            edit(&mut tracker, &mut random);
            if tracker.medium().revision() == revision {
                continue;
            }
            let first = tracker.frame(1.0, UPDATES).unwrap();
            let is_told = tracker.pursuers().iter().all(|p| {
                p.heard() == tracker.emissions() || p.state() == PursuerState::TargetUnreachable
            });
            let spent = first + rest(&mut tracker);
            assert!(tracker.emissions() > before);

            let mut new = Front::new(tracker.medium());
            let source = tracker.medium().cell_at(tracker.target().unwrap()).unwrap();
            new.emit(tracker.medium(), &[source]).unwrap();
            new.run(tracker.medium()).unwrap();
            // Where nobody waits, it has not come.
            let last = tracker.fronts().next().unwrap().arrivals();
            for (found, expected) in last.iter().zip(&new.arrivals()) {
                assert!(found.is_infinite() || found == expected, "seed {seed}");
            }
            edits += 1;
            cheap += u32::from(spent < whole / 10);
            told += u32::from(is_told);
        }
    }
    assert!(edits > 150 && cheap > edits / 2, "{cheap} of {edits}");
    assert!(told > edits * 2 / 3, "{told} of {edits} in the frame after");
}

/// Every frame a wall comes or goes: pursuers still come to a target that stands, and frames keep
/// to what they may spend.
#[test]
fn who_has_a_way_arrives_while_walls_change_in_every_frame() {
    for seed in 0..6 {
        let (mut tracker, centres) = chase(0.1, seed, 0);
        let mut random = Lcg(seed);
        for _ in 0..20 {
            let at = centres[random.below(centres.len())];
            let _ = tracker.add_pursuer(at, 0.5);
        }
        for _ in 0..1500 {
            edit(&mut tracker, &mut random);
            // One step may cost more.
            assert!(tracker.frame(1.0, UPDATES).unwrap() <= UPDATES);
        }
        let states: Vec<_> = tracker.pursuers().iter().map(wave_track::Pursuer::state).collect();
        let arrived = states.iter().filter(|&&state| state == PursuerState::Arrived).count();
        assert!(arrived >= states.len() - 2, "{states:?}");
    }
}
