//! How slow may waves be? Pursuers chase a target half as fast as they are around a courtyard; the
//! faster they are beside the waves, the fewer waves reach them on the way.
//!
//! `cargo run --release -p namiji-wave-track --example slow_waves`

use glam::DVec2;
use ndarray::{Array2, Ix2};
use wave_core::Medium;
use wave_track::{Method, TrackError, Tracker, TrackerConfig};

/// `[units: cells]` The courtyard's sides; in its middle stands a house.
const SIDE: usize = 80;

/// Cells walked until the capture and waves heard for every ten of them, on the mean, at this speed
/// beside the wave's.
fn chase(method: Method, ratio: f64) -> Result<(f64, f64), TrackError> {
    let house = |y: usize, x: usize| (25..55).contains(&y) && (25..55).contains(&x);
    let walls = Array2::from_shape_fn([SIDE, SIDE], |(y, x)| house(y, x));
    let medium = Medium::<Ix2>::builder([SIDE, SIDE]).walls(&walls).build()?;
    let wave_speed = medium.fastest_speed() * medium.dt();
    let config = TrackerConfig { method, ..TrackerConfig::default() };
    let mut tracker = Tracker::new(medium, config)?;
    let corners = [(10.0, 10.0), (70.0, 10.0), (70.0, 70.0), (10.0, 70.0)];
    let corners = corners.map(|(x, y)| DVec2::new(x, y));
    let (mut walked, mut heard, mut chases) = (0.0, 0, 0);
    for start in 0..16_u32 {
        tracker.reset();
        let mut target = corners[0];
        tracker.set_target(target)?;
        let around = DVec2::from_angle(f64::from(start) * std::f64::consts::TAU / 16.0);
        let speed = ratio * wave_speed / tracker.medium().dt();
        let stride = ratio * wave_speed;
        let id = tracker.add_pursuer(DVec2::splat(40.0) + 35.0 * around, speed)?;
        let (mut corner, mut last) = (1, 0);
        // Nobody has a longer way than a few rounds.
        for _ in 0..(4000.0 / stride) as usize {
            let way = corners[corner % 4] - target;
            if way.length() < stride {
                corner += 1;
            }
            target += way.clamp_length_max(0.5 * stride);
            tracker.set_target(target)?;
            tracker.step()?;
            let pursuer = tracker.pursuer(id)?;
            heard += u32::from(pursuer.heard() != last);
            last = pursuer.heard();
            if pursuer.position().distance(target) < 2.0 {
                walked += pursuer.walked();
                chases += 1;
                break;
            }
        }
    }
    if chases < 16 {
        return Ok((f64::INFINITY, f64::NAN));
    }
    Ok((walked / f64::from(chases), f64::from(heard) / walked * 10.0))
}

fn main() -> Result<(), TrackError> {
    println!(
        "pursuer / wave   follows the wake: cells, waves per 10   as published: cells, waves per 10"
    );
    let mut wake = Vec::new();
    for ratio in [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2] {
        let ours = chase(Method::Wake, ratio)?;
        let published = chase(Method::PerEmission, ratio)?;
        println!(
            "{ratio:14}   {:23.1}, {:12.2}   {:18.1}, {:12.2}",
            ours.0, ours.1, published.0, published.1
        );
        if ratio == 1.6 {
            assert!(published.0 > 2.0 * ours.0, "who outruns the waves goes astray between them");
        }
        wake.push(ours.0);
    }
    // A pursuer that follows the wake walks no farther with waves that are slower than it is.
    assert!(wake.iter().all(|cells| *cells < 1.1 * wake[0]), "{wake:?}");
    Ok(())
}
