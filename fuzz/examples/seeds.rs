//! Temporary.
use glam::{DVec2, DVec3};
use ndarray::{Ix2, Ix3};
use std::fs;
use wave_core::*;
use wave_track::*;
fn put<T: serde::Serialize>(to: &str, name: &str, value: &T) {
    fs::create_dir_all(format!("fuzz/corpus/{to}")).unwrap();
    fs::write(format!("fuzz/corpus/{to}/{name}"), serde_json::to_string(value).unwrap()).unwrap();
}
fn main() {
    let mut medium = Medium::<Ix2>::builder([3, 4]).build().unwrap();
    medium.set_wall([1, 1], true).unwrap();
    medium.set_speed([2, 2], 0.5).unwrap();
    put("saved_waves", "medium", &medium);
    let mut front = Front::new(&medium);
    front.emit(&medium, &[[0, 0]]).unwrap();
    front.step(&medium, 2).unwrap();
    put("saved_waves", "front", &front);
    let mut wave = Wave::<Ix2, f32>::typed(&medium).unwrap();
    wave.emit(&medium, [0, 0], Source::Pulse { amplitude: 1.0, steps: 9 }).unwrap();
    wave.step(&medium, 2).unwrap();
    put("saved_waves", "wave", &wave);
    let deep = Medium::<Ix3>::builder([2, 2, 2]).build().unwrap();
    put("saved_waves", "deep_medium", &deep);
    let mut tile = TileFront::<Ix2, f32>::typed(&medium);
    tile.emit(&medium, &[[0, 0]]).unwrap();
    tile.step(&medium, 1).unwrap();
    put("saved_waves", "tile_front", &tile);
    for (name, method) in [
        ("wake", Method::Wake),
        ("per_emission", Method::PerEmission),
        ("dense", Method::published()),
    ] {
        let config = TrackerConfig { method, waves: Some(2), ..TrackerConfig::default() };
        let mut tracker = Tracker::new(medium.clone(), config).unwrap();
        tracker.set_target(DVec2::new(3.0, 2.0)).unwrap();
        tracker.add_pursuer(DVec2::ZERO, 0.3).unwrap();
        for _ in 0..4 {
            tracker.step().unwrap();
        }
        put("saved_trackers", name, &tracker);
    }
    let mut tracker =
        Tracker::new(deep, TrackerConfig { waves: Some(2), ..TrackerConfig::default() }).unwrap();
    tracker.set_target(DVec3::new(1.0, 1.0, 1.0)).unwrap();
    tracker.add_pursuer(DVec3::ZERO, 0.3).unwrap();
    tracker.step().unwrap();
    put("saved_trackers", "deep", &tracker);
    let mut flock = flocking::Flock::new(flocking::FlockConfig::published()).unwrap();
    flock.add(flocking::Boid::new(DVec2::new(0.1, 0.2), DVec2::X)).unwrap();
    flock.add(flocking::Boid::new(DVec2::new(3.0, 0.2), DVec2::Y)).unwrap();
    flock.step();
    put("saved_flocks", "flat", &flock.snapshot());
    let mut flock = flocking::Flock::new(flocking::FlockConfig::published()).unwrap();
    flock.add(flocking::Boid::new(DVec3::ZERO, DVec3::X)).unwrap();
    put("saved_flocks", "deep", &flock.snapshot());
}
