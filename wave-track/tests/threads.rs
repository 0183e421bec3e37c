//! Games come out in the same bits, whatever the number of threads.

mod drawn;

use drawn::{Lcg, free_centres, medium, random_walls};
use glam::DVec2;
use ndarray::Ix2;
use wave_track::{Tracker, TrackerConfig};

/// A game on a map of this size, in frames of a sixtieth of a second.
struct Game {
    size: [usize; 2],
    pursuers: usize,
    updates: u64,
    frames: usize,
}

fn play(game: &Game) -> u64 {
    let walls = random_walls(game.size, 0.18, 21);
    let centres = free_centres(&walls);
    let mut random = Lcg(4);
    let mut anywhere = move || centres[random.below(centres.len())];
    let mut tracker = Tracker::<Ix2>::new(medium(&walls), TrackerConfig::default()).unwrap();
    tracker.set_targets([anywhere(), anywhere()]).unwrap();
    for _ in 0..game.pursuers {
        tracker.add_pursuer(anywhere(), 6.0).unwrap();
    }
    for frame in 0..game.frames {
        let turn = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y][frame / 50 % 4];
        let walk = |at| tracker.slide(at, turn * 0.07).unwrap();
        let to: Vec<DVec2> = tracker.targets().map(walk).collect();
        tracker.set_targets(to).unwrap();
        if frame % 10 == 0 {
            // Refused where a body stands.
            let at = anywhere();
            let _ = tracker.set_wall([at.y as usize, at.x as usize], frame % 20 == 0);
            let id = tracker.pursuers()[frame % game.pursuers].id();
            let _ = tracker.teleport(id, anywhere());
        }
        if frame % 100 == 99 {
            tracker.remove_pursuer(tracker.pursuers()[frame % game.pursuers].id()).unwrap();
            while tracker.add_pursuer(anywhere(), 6.0).is_err() {}
        }
        tracker.frame(1.0 / 60.0, game.updates).unwrap();
    }
    tracker.state_hash()
}

fn is_the_same_on_any_number_of_threads(game: &Game) {
    let hash = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| play(game))
    };
    let alone = hash(1);
    for threads in [2, 3, 8] {
        assert_eq!(hash(threads), alone, "{threads} threads");
    }
}

#[test]
fn a_long_game_is_the_same_on_any_number_of_threads() {
    let game = Game { size: [70, 90], pursuers: 200, updates: 12_000, frames: 6000 };
    is_the_same_on_any_number_of_threads(&game);
}

/// Smaller ones keep to the caller's thread.
#[test]
fn a_large_game_is_the_same_on_any_number_of_threads() {
    let game = Game { size: [250, 300], pursuers: 5000, updates: 1_500_000, frames: 100 };
    is_the_same_on_any_number_of_threads(&game);
}
