//! Every target finds nothing in its corpus, and every corpus has a target.

use namiji_fuzz::TARGETS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn names(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).expect("the folder is there");
    let stem = |entry: std::io::Result<fs::DirEntry>| {
        entry.expect("it can be read").path().file_stem()?.to_str().map(str::to_owned)
    };
    entries.filter_map(stem).collect()
}

#[test]
fn nothing_is_found_in_the_corpora() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, target) in TARGETS {
        let entries = fs::read_dir(corpora.join(name)).expect("every target has a corpus");
        let mut inputs = 0;
        for entry in entries {
            let path = entry.expect("it can be read").path();
            let data = fs::read(&path).expect("it can be read");
            // What panics is named.
            eprintln!("{}", path.display());
            target(&data);
            inputs += 1;
        }
        assert!(inputs > 0, "the corpus of {name} is empty");
    }
}

#[test]
fn every_target_has_its_files() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len());
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("corpus"), targets);
    assert!(names("dictionaries").is_subset(&targets));
}

/// Bytes that are no input of a corpus: where nothing else is fuzzed, at least these are.
#[test]
fn nothing_is_found_in_noise() {
    for (name, target) in TARGETS {
        eprintln!("{name}");
        target(&[]);
        let mut state = 1_u64;
        for length in [1, 16, 256] {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            };
            let noise: Vec<u8> = (0..length).map(|_| next()).collect();
            target(&noise);
        }
    }
}
