//! Groups with different walls, slow areas or sizes, after one target on one map: a tracker each,
//! since a wave serves only pursuers with the same ground. A group without pursuers costs nothing.
//!
//! `cargo run --release -p namiji-wave-track --example groups`

use glam::DVec2;
use ndarray::{Array2, Ix2};
use wave_core::Medium;
use wave_track::{BodyClearance, PursuerState, TrackError, Tracker, TrackerConfig};

const HEIGHT: usize = 40;
const WIDTH: usize = 61;
/// `[units: updates]` The budget of all groups together in a frame.
const UPDATES: u64 = 12_000;

/// A river from north to south, a bridge of one cell, a ford further off, and a swamp before the
/// bridge.
fn is_river(y: usize, x: usize) -> bool {
    (28..33).contains(&x) && y != 12 && !(30..36).contains(&y)
}
fn is_swamp(y: usize, x: usize) -> bool {
    (5..20).contains(&y) && (8..24).contains(&x)
}

/// One group, and how it hears of changes to the map.
struct Group {
    name: &'static str,
    tracker: Tracker<Ix2>,
    size: Option<BodyClearance<Ix2>>,
    swims: bool,
}

impl Group {
    /// A bridge is closed, or opened again: this does not concern swimmers.
    fn bar(&mut self, cell: [usize; 2], barred: bool) -> Result<(), TrackError> {
        match &mut self.size {
            _ if self.swims => Ok(()),
            Some(size) => size.set_wall(&mut self.tracker, cell, barred),
            None => self.tracker.set_wall(cell, barred),
        }
    }
}

fn groups() -> Result<Vec<Group>, TrackError> {
    let river = Array2::from_shape_fn([HEIGHT, WIDTH], |(y, x)| is_river(y, x));
    let swamp = |(y, x)| if is_swamp(y, x) { 0.25 } else { 1.0 };
    let config = TrackerConfig { areas_slow_pursuers: true, ..TrackerConfig::default() };
    let tracker = |medium: Medium<Ix2>| Tracker::new(medium, config);

    // On foot: not through the river, slowly through the swamp.
    let speeds = Array2::from_shape_fn([HEIGHT, WIDTH], swamp);
    let foot = Medium::builder([HEIGHT, WIDTH]).walls(&river).speeds(&speeds).build()?;
    // Frogs: everywhere, and nowhere slowly.
    let water = Medium::builder([HEIGHT, WIDTH]).build()?;
    // Elephants, three cells wide: the bridge is too narrow, the swamp is nothing to them.
    let size = BodyClearance::new(&river, 1);
    let wide = Medium::builder([HEIGHT, WIDTH]).walls(&size.grown()).build()?;
    Ok(vec![
        Group { name: "on foot", tracker: tracker(foot)?, size: None, swims: false },
        Group { name: "frogs", tracker: tracker(water)?, size: None, swims: true },
        Group { name: "elephants", tracker: tracker(wide)?, size: Some(size), swims: false },
    ])
}

fn main() -> Result<(), TrackError> {
    let (start, target) = (DVec2::new(4.0, 12.0), DVec2::new(56.0, 12.0));
    for barred in [false, true] {
        let mut groups = groups()?;
        let part = UPDATES / groups.len() as u64;
        for group in &mut groups {
            group.tracker.set_target(target)?;
            group.tracker.add_pursuer(start, 0.25)?;
            group.bar([12, 30], barred)?;
        }
        let mut frames = vec![0; groups.len()];
        let arrived = |group: &Group| group.tracker.pursuers()[0].state() == PursuerState::Arrived;
        for frame in 1..2000 {
            for (group, frames) in groups.iter_mut().zip(&mut frames) {
                if !arrived(group) {
                    group.tracker.frame(1.0, part)?;
                    *frames = frame;
                }
            }
        }
        println!("bridge {}:", if barred { "barred" } else { "open" });
        let mut walked = Vec::new();
        for (group, frames) in groups.iter().zip(&frames) {
            let pursuer = &group.tracker.pursuers()[0];
            println!("  {:10} {frames:4} frames, {:5.1} cells", group.name, pursuer.walked());
            assert_eq!(pursuer.state(), PursuerState::Arrived, "{}", group.name);
            walked.push(pursuer.walked());
        }
        // Frogs go straight, whatever the bridge; elephants by the ford; walkers go around the
        // swamp, and by the ford where the bridge is barred.
        assert!(walked[1] < 52.5 && walked[2] > 60.0, "{walked:?}");
        assert!((walked[0] > 64.0) == barred && walked[0] > 60.0, "{walked:?}");
    }
    Ok(())
}
