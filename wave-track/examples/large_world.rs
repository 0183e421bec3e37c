//! Fifty walkers pursue a target that runs along a road in 2000 x 2000 cells, while a door closes
//! and opens again: no wave and no field goes over the map.

use std::error::Error;
use wave_track::glam::DVec2;
use wave_track::ndarray::{Array2, Ix2};
use wave_track::wave_core::{Medium, WorldField};
use wave_track::{PursuerState, WorldWalker};

/// `[units: cells]`
const SIDE: usize = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    // A wall across the map with two doors, and blocks here and there.
    let mut walls = Array2::from_elem([SIDE, SIDE], false);
    for y in (0..SIDE).filter(|y| !(400..404).contains(y) && !(1500..1504).contains(y)) {
        walls[[y, 1000]] = true;
    }
    for i in 0..4000 {
        let (y, x) = (i * 7919 % (SIDE - 20), i * 104_729 % (SIDE - 20));
        if x.abs_diff(1000) > 30 && y.abs_diff(960) > 30 {
            walls.slice_mut(ndarray::s![y..y + 9, x..x + 14]).fill(true);
        }
    }
    let mut medium = Medium::<Ix2>::from_walls(&walls)?;
    let mut world = WorldField::new(&medium)?;

    let mut target = DVec2::new(1100.0, 960.0);
    let start = |i: usize| DVec2::new(20.0 + 18.0 * i as f64, 960.0 + (i % 7) as f64);
    let walkers = (0..50).map(|i| WorldWalker::new(&medium, start(i), 60.0));
    let mut walkers = walkers.collect::<Result<Vec<_>, _>>()?;

    let dt = 1.0 / 60.0;
    for frame in 0..6000 {
        if frame == 300 || frame == 1200 {
            let door: Vec<_> = (400..404).map(|y| ([y, 1000], frame == 300)).collect();
            medium.set_walls(&door)?;
        }
        target.x += 15.0 * dt;
        // In the same cell as before it costs nothing.
        let cell = medium.cell_at(target).ok_or("the target has left the map")?;
        world.set_target(&medium, cell)?;
        for walker in &mut walkers {
            let is_close = walker.position().distance(target) < 3.0;
            if !(is_close && walker.close_in(&medium, target, dt)?) {
                walker.step(&medium, &mut world, dt)?;
            }
        }
        let here = |walker: &&WorldWalker| walker.state() == PursuerState::Arrived;
        if walkers.iter().filter(here).count() == walkers.len() {
            let walked = walkers.iter().map(WorldWalker::walked).sum::<f64>() / 50.0;
            println!("all 50 have come after {frame} frames, having walked {walked:.0} cells");
            return Ok(());
        }
    }
    Err("some have not come".into())
}
