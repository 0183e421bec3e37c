//! Real maps, where they are at hand: no pursuer is lost, ways are short, and a flood fill agrees
//! about which ones are skipped and which have no way.

use crate::command;
use sim_harness::maps::{self, Regions};
use sim_harness::pursue::{self, Outcome, Rules};
use std::path::{Path, PathBuf};
use wave_track::Fronts;

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all = command::files(folder);
    all.retain(|path| path.extension().is_some_and(|e| e == extension));
    all
}

/// Runs `n` entries of each map and returns the mean ratio over all of them.
fn walk_all(
    subfolder: &str,
    [map_extension, scen_extension]: [&str; 2],
    fronts: Fronts,
    n: usize,
) -> Option<f64> {
    let folder = command::data(subfolder)?;
    let scens = files(&folder, scen_extension);
    let mut ratios = Vec::new();
    for path in files(&folder, map_extension) {
        let map = maps::read_map(&path).unwrap();
        let regions = Regions::new(&map);
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let of_map = |s: &&PathBuf| s.file_name().unwrap().to_str().unwrap().starts_with(stem);
        let scen = scens.iter().find(of_map).unwrap();
        let entries = maps::select(&maps::read_scen(scen, &map).unwrap(), n);
        let walks = pursue::run(&map, &entries, Rules::Ours(fronts), &|| {}).unwrap();
        for (entry, walk) in entries.iter().zip(&walks) {
            let class = |cell| map.class(cell);
            let expected =
                if class(entry.start).is_none() || class(entry.start) != class(entry.goal) {
                    Outcome::Skipped
                } else if regions.same(entry.start, entry.goal) {
                    Outcome::Arrived
                } else {
                    Outcome::Unreachable
                };
            assert_eq!(walk.outcome, expected, "{}:{}", scen.display(), entry.line);
            if walk.outcome == Outcome::Arrived && entry.optimal > 0.0 {
                ratios.push(walk.walked / entry.optimal);
            }
        }
    }
    assert!(!ratios.is_empty(), "no maps in {}", folder.display());
    Some(ratios.iter().sum::<f64>() / ratios.len() as f64)
}

#[test]
fn on_every_real_map_everyone_arrives_and_walks_less_than_eight_directions_would() {
    if let Some(mean) = walk_all("movingai", ["map", "scen"], Fronts::ShortWaves, 2) {
        assert!(mean < 0.98, "{mean}");
    }
}

#[test]
fn in_real_voxel_worlds_everyone_arrives_and_walks_less_than_26_directions_would() {
    if let Some(mean) = walk_all("voxel3d", ["3dmap", "3dscen"], Fronts::ShortWaves, 1) {
        assert!(mean < 0.95, "{mean}");
    }
}

/// The same on the wave equation itself, which takes 10 to 100 times as long: some maps of each
/// kind.
#[test]
fn on_real_maps_everyone_arrives_by_dense_waves() {
    for kind in ["da2", "cities", "mapf", "mazes"] {
        let folder = format!("movingai/{kind}");
        if let Some(mean) = walk_all(&folder, ["map", "scen"], Fronts::Waves, 1) {
            println!("{kind}: {mean:.3}");
            assert!(mean < 1.1, "{kind}: {mean}");
        }
    }
}

/// The presets of the published rules work on an open map of a game, if not in a maze.
#[test]
fn as_published_the_arena_is_crossed() {
    let Some(folder) = command::data("movingai") else { return };
    let file = |end| {
        files(&folder, end).into_iter().find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("arena.map"))
        })
    };
    let (Some(map), Some(scen)) = (file("map"), file("scen")) else {
        println!("skipped: there is no arena.map");
        return;
    };
    let map = maps::read_map(&map).unwrap();
    let entries = maps::select(&maps::read_scen(&scen, &map).unwrap(), 40);
    let walks = pursue::run(&map, &entries, Rules::published(&map), &|| {}).unwrap();
    let arrived = walks.iter().filter(|walk| walk.outcome == Outcome::Arrived).count();
    assert!(arrived >= 36, "{arrived} of {}", walks.len());
}
