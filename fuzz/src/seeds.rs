//! Inputs that are made and not stored: snapshots in today's format, levels that tests of
//! `sim-harness` have, and bytes for sequences of calls.

use crate::TARGETS;
use flocking::{Boid, Flock, FlockConfig};
use glam::{DVec2, DVec3};
use ndarray::{Ix2, Ix3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::Path;
use wave_core::{Front, Link, Medium, Source, Wave};
use wave_track::{Method, Tracker, TrackerConfig};

/// Inputs of a target by name.
pub type Seeds = Vec<(String, Vec<u8>)>;

/// Levels of editors: the target and the file.
const LEVELS: [(&str, &str); 7] = [
    ("import_glb", "castle.glb"),
    ("import_ldtk", "castle.ldtk"),
    ("import_obj", "castle.obj"),
    ("import_tif", "hill.tif"),
    ("import_tmj", "castle.tmj"),
    ("import_tmx", "castle.tmx"),
    ("import_vox", "castle.vox"),
];
/// Targets whose bytes are calls.
const CALLS: [&str; 10] = [
    "flocks", "fronts", "graphs", "journals", "levels", "storeys", "terrains", "trackers", "walls",
    "worlds",
];

/// The inputs that are made for the target of this name.
///
/// # Panics
/// Where one cannot be made, or a level's file is not there.
#[must_use]
pub fn of(target: &str) -> Seeds {
    assert!(TARGETS.iter().any(|(name, _)| *name == target), "there is no target {target}");
    let mut seeds = match target {
        "saved_flocks" => flocks(),
        "saved_trackers" => trackers(),
        "saved_waves" => waves(),
        _ => Seeds::new(),
    };
    let levels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-harness/tests/levels");
    for (_, file) in LEVELS.iter().filter(|(name, _)| *name == target) {
        seeds.push(((*file).to_owned(), fs::read(levels.join(file)).expect("it is there")));
    }
    if target == "side_levels" {
        let [level, rules] = ["hop.txt", "hop.json"]
            .map(|file| fs::read_to_string(levels.join(file)).expect("it is there"));
        seeds.push(("hop".to_owned(), format!("{level}\n;\n{rules}").into_bytes()));
    }
    if CALLS.contains(&target) {
        seeds.extend((1..=12).map(|n| (format!("random_{n}"), random(n, 64 * n as usize))));
    }
    seeds
}

/// So many random bytes, the same each time.
fn random(seed: u64, count: usize) -> Vec<u8> {
    // SplitMix64.
    let mut state = seed;
    let bytes = (0..count).map(|_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as u8
    });
    bytes.collect()
}

fn saved<T: Serialize + DeserializeOwned>(name: &str, value: &T) -> (String, Vec<u8>) {
    let text = serde_json::to_vec(value).expect("it can be written");
    let _: T = serde_json::from_slice(&text).expect("what was written is read");
    (name.to_owned(), text)
}

/// With a wall and a slow cell.
fn flat() -> Medium<Ix2> {
    let mut medium = Medium::<Ix2>::builder([3, 4]).build().expect("it is sound");
    medium.set_wall([1, 1], true).expect("it is in the grid");
    medium.set_speed([2, 2], 0.5).expect("it is slow enough");
    medium
}

fn linked() -> Medium<Ix2> {
    let links = [Link { from: [0, 0], to: [2, 3], time: 1.5 }];
    Medium::<Ix2>::builder([3, 4]).links(&links).build().expect("it is sound")
}

fn deep() -> Medium<Ix3> {
    Medium::<Ix3>::builder([2, 2, 2]).build().expect("it is sound")
}

fn waves() -> Seeds {
    let (flat, linked, deep) = (flat(), linked(), deep());
    let mut front = Front::new(&flat);
    front.emit(&flat, &[[0, 0]]).expect("it is open");
    front.step(&flat, 2).expect("it is its medium");
    let mut wave = Wave::<Ix2, f32>::typed(&flat).expect("there are no links");
    let pulse = Source::Pulse { amplitude: 1.0, steps: 9 };
    wave.emit(&flat, [0, 0], pulse).expect("it is open");
    wave.step(&flat, 2).expect("it is its medium");
    let mut links_front = Front::new(&linked);
    links_front.emit(&linked, &[[2, 3]]).expect("it is open");
    links_front.step(&linked, 1).expect("it is its medium");
    vec![
        saved("deep_medium", &deep),
        saved("front", &front),
        saved("linked_front", &links_front),
        saved("linked_medium", &linked),
        saved("medium", &flat),
        saved("wave", &wave),
    ]
}

fn trackers() -> Seeds {
    let few = |config: TrackerConfig| TrackerConfig { waves: config.waves.or(Some(2)), ..config };
    let per_emission = TrackerConfig { method: Method::PerEmission, ..TrackerConfig::default() };
    let configs = [
        ("wake", TrackerConfig::default()),
        ("per_emission", per_emission),
        ("watanabe", TrackerConfig::watanabe()),
        ("kumagai", TrackerConfig::kumagai()),
    ];
    let follow = |medium, config| {
        let mut tracker = Tracker::new(medium, few(config)).expect("the settings are sound");
        tracker.set_target(DVec2::new(3.0, 2.0)).expect("it is open");
        tracker.add_pursuer(DVec2::ZERO, 0.3).expect("it is open");
        for _ in 0..4 {
            tracker.step().expect("waves run");
        }
        tracker
    };
    let mut seeds: Seeds =
        configs.into_iter().map(|(name, config)| saved(name, &follow(flat(), config))).collect();
    seeds.push(saved("linked", &follow(linked(), TrackerConfig::default())));
    let mut tracker =
        Tracker::new(deep(), few(TrackerConfig::default())).expect("the settings are sound");
    tracker.set_target(DVec3::ONE).expect("it is open");
    tracker.add_pursuer(DVec3::ZERO, 0.3).expect("it is open");
    tracker.step().expect("waves run");
    seeds.push(saved("deep", &tracker));
    seeds
}

fn flocks() -> Seeds {
    let mut flat = Flock::new(FlockConfig::published()).expect("the settings are sound");
    for (x, heading) in [(0.1, DVec2::X), (3.0, DVec2::Y)] {
        flat.add(Boid::new(DVec2::new(x, 0.2), heading)).expect("it is sound");
    }
    flat.step();
    let mut deep = Flock::new(FlockConfig::published()).expect("the settings are sound");
    deep.add(Boid::new(DVec3::ZERO, DVec3::X)).expect("it is sound");
    vec![saved("deep", &deep.snapshot()), saved("flat", &flat.snapshot())]
}
