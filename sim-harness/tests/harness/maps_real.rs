//! Every published map and scenario under `DATA_DIR` loads, and agrees with the regions.

use crate::command::{data, files};
use std::error::Error;
use std::path::{Path, PathBuf};

use sim_harness::maps::{self, Entry, MapFile, Regions};

fn text(part: Option<&std::ffi::OsStr>) -> String {
    part.unwrap_or_default().to_string_lossy().into_owned()
}

/// The scenarios beside a map: `a.map.scen`, or `a-even-1.scen` for `a.map`.
fn scenarios<'a>(map: &'a Path, all: &'a [PathBuf]) -> impl Iterator<Item = &'a PathBuf> {
    let stem = text(map.file_stem());
    all.iter().filter(move |path| {
        let name = text(path.file_name());
        let tail = name.strip_prefix(&stem).unwrap_or_default();
        path.parent() == map.parent()
            && tail.starts_with(['.', '-'])
            && ["scen", "3dscen"].contains(&text(path.extension()).as_str())
    })
}

/// No way is shorter than the free one: octile in 2D, and with cubes' diagonals in 3D.
fn straight(entry: &Entry) -> f64 {
    let mut steps = [0, 1, 2].map(|axis| entry.start[axis].abs_diff(entry.goal[axis]) as f64);
    steps.sort_by(f64::total_cmp);
    let [low, middle, high] = steps;
    3_f64.sqrt() * low + 2_f64.sqrt() * (middle - low) + (high - middle)
}

struct Tally {
    joined: usize,
    apart: usize,
    skipped: usize,
}

fn check(map: &MapFile, regions: &Regions, scenario: &Path) -> Result<Tally, maps::MapError> {
    let mut tally = Tally { joined: 0, apart: 0, skipped: 0 };
    for entry in maps::read_scen(scenario, map)? {
        let at = format!("{}:{}", scenario.display(), entry.line);
        let (start, goal) = (map.class(entry.start), map.class(entry.goal));
        if start.is_none() || start != goal {
            tally.skipped += 1;
            continue;
        }
        let joined = regions.same(entry.start, entry.goal);
        assert_eq!(joined, entry.optimal > 0.0 || entry.start == entry.goal, "{at}");
        if joined {
            tally.joined += 1;
            let least = straight(&entry);
            assert!(
                entry.optimal >= least - 0.011 - 2e-5 * least,
                "{at}: {} < {least}",
                entry.optimal
            );
        } else {
            tally.apart += 1;
        }
    }
    Ok(tally)
}

#[test]
fn published_entries_agree_with_the_regions() -> Result<(), Box<dyn Error>> {
    let [Some(flat), Some(deep)] = ["movingai", "voxel3d"].map(data) else { return Ok(()) };
    let all = [files(&flat), files(&deep)].concat();
    let (mut loaded, mut seen) = (0, 0);
    for path in
        all.iter().filter(|path| ["map", "3dmap"].contains(&text(path.extension()).as_str()))
    {
        let map = maps::read_map(path)?;
        let regions = Regions::new(&map);
        loaded += 1;
        for scenario in scenarios(path, &all) {
            let tally = check(&map, &regions, scenario)?;
            seen += 1;
            let Tally { joined, apart, skipped } = tally;
            println!("{}: {joined} joined, {apart} apart, {skipped} skipped", scenario.display());
            assert!(joined > 0 && skipped * 50 <= joined, "{}", scenario.display());
        }
    }
    assert!(loaded > 0, "no maps in {} and {}", flat.display(), deep.display());
    let written = all.iter().filter(|path| text(path.extension()).ends_with("scen")).count();
    assert_eq!(seen, written, "scenarios without a map");
    Ok(())
}
