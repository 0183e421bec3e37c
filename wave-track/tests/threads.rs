//! A hundred seconds of a game come out in the same bits, whatever the number of threads.

mod drawn;

use drawn::{Lcg, free_centres, medium, random_walls};
use glam::DVec2;
use ndarray::Ix2;
use wave_track::{Tracker, TrackerConfig};

/// Frames of a sixtieth of a second.
const FRAMES: usize = 6000;

fn game() -> u64 {
    let walls = random_walls([70, 90], 0.18, 21);
    let centres = free_centres(&walls);
    let mut random = Lcg(4);
    let mut anywhere = move || centres[random.below(centres.len())];
    let mut tracker = Tracker::<Ix2>::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_targets([anywhere(), anywhere()]).unwrap();
    for _ in 0..200 {
        tracker.add_pursuer(anywhere(), 6.0).unwrap();
    }
    for frame in 0..FRAMES {
        let turn = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y][frame / 50 % 4];
        let walk = |at| tracker.slide(at, turn * 0.07).unwrap();
        let to: Vec<DVec2> = tracker.targets().map(walk).collect();
        tracker.set_targets(to).unwrap();
        if frame % 10 == 0 {
            // Refused where somebody stands.
            let at = anywhere();
            let _ = tracker.set_wall([at.y as usize, at.x as usize], frame % 20 == 0);
            let id = tracker.pursuers()[frame % 200].id();
            let _ = tracker.teleport(id, anywhere());
        }
        if frame % 100 == 99 {
            tracker.remove_pursuer(tracker.pursuers()[frame % 200].id()).unwrap();
            while tracker.add_pursuer(anywhere(), 6.0).is_err() {}
        }
        tracker.frame(1.0 / 60.0, 12_000).unwrap();
    }
    tracker.content_hash()
}

#[test]
fn a_long_game_is_the_same_on_any_number_of_threads() {
    let hash = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(game)
    };
    let alone = hash(1);
    for threads in [2, 3, 8] {
        assert_eq!(hash(threads), alone, "{threads} threads");
    }
}
