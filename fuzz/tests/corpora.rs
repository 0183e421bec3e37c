//! Every target finds nothing in its corpus and its seeds, and every target has some.

use namiji_fuzz::{TARGETS, seeds};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn names(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(here(folder)).expect("the folder is there");
    let stem = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("it can be read").path().file_stem()?.to_str().map(str::to_owned)
    };
    entries.filter_map(stem).collect()
}

#[test]
fn nothing_is_found_in_the_corpora() {
    for (name, target) in TARGETS {
        let mut inputs = seeds::of(name);
        for entry in fs::read_dir(here("corpus").join(name)).into_iter().flatten() {
            let path = entry.expect("it can be read").path();
            inputs.push((path.display().to_string(), fs::read(&path).expect("it can be read")));
        }
        assert!(!inputs.is_empty(), "{name} has no inputs");
        for (input, bytes) in inputs {
            // An input that panics is named.
            eprintln!("{name}: {input}");
            target(&bytes);
        }
    }
}

#[test]
fn every_target_has_its_files() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len());
    assert_eq!(names("fuzz_targets"), targets);
    assert!(names("corpus").is_subset(&targets));
    assert!(names("dictionaries").is_subset(&targets));
    let manifest = fs::read_to_string(here("Cargo.toml")).expect("it is there");
    for target in targets {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")), "{target}");
    }
}
