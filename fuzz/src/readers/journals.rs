//! Damaged files of a sweep: they are refused, or the sweep ends with the same tables.

use super::scratch;
use crate::refusal;
use arbitrary::{Arbitrary, Unstructured};
use sim_harness::study::sweep::{self, Plan, Shard};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

const SCENARIO: &str = r#"name = "fuzz"
steps = 3
until = "last-step"
[map]
size = [4, 3]
[[evaders]]
[[pursuers]]
start = [0.0, 0.0]
speed = 0.5
"#;
/// Values with commas, quotes and line ends are quoted in tables.
const PLAN: &str = r#"scenario = "scenario.toml"
[seeds]
count = 2
[[parameters]]
key = "name"
values = ["plain", "two\nlines, \"quoted\""]
"#;
const WHOLE: Shard = Shard { index: 1, of: 1 };

/// A sweep that has run to its end.
struct Finished {
    /// Holds the plan and the scenario.
    _folder: TempDir,
    plan: Plan,
    /// The files that the sweep leaves while it runs, by name.
    left: BTreeMap<String, Vec<u8>>,
    /// The tables that it ends with, by name.
    tables: BTreeMap<String, Vec<u8>>,
}

/// The damage to a file: at a place (modulo its length), bytes go and others come.
#[derive(Debug, Arbitrary)]
struct Damage<'a> {
    file: u8,
    at: u16,
    gone: u8,
    come: &'a [u8],
}

/// Damage to the files of a sweep.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    static FINISHED: LazyLock<Finished> = LazyLock::new(finished);
    let mut bytes = Unstructured::new(data);
    let cut = u16::arbitrary(&mut bytes).unwrap_or(0);
    let damages: Vec<Damage<'_>> = Vec::arbitrary(&mut bytes).unwrap_or_default();
    let mut left = FINISHED.left.clone();
    let names: Vec<String> = left.keys().cloned().collect();
    for damage in damages.iter().take(4) {
        let file = left.get_mut(&names[usize::from(damage.file) % names.len()]);
        let file = file.expect("the name is one of them");
        let at = usize::from(damage.at) % (file.len() + 1);
        let end = (at + usize::from(damage.gone)).min(file.len());
        file.splice(at..end, damage.come.iter().copied());
    }
    // A sweep that was killed leaves the first part of a journal.
    if let Some(journal) = names.iter().find(|name| name.starts_with("journal")) {
        let journal = left.get_mut(journal).expect("the name is one of them");
        journal.truncate(journal.len().saturating_sub(usize::from(cut)));
    }
    let folder = scratch();
    let out = folder.path().join("out");
    fs::create_dir(&out).expect("there is room");
    for (name, bytes) in &left {
        fs::write(out.join(name), bytes).expect("there is room");
    }
    match sweep::run(&FINISHED.plan, &out, WHOLE, &|_| {}) {
        Ok(summary) => {
            assert_eq!(summary.missing, 0);
            let tables = files(&out, |name| FINISHED.tables.contains_key(name));
            assert!(tables == FINISHED.tables, "other tables after {cut}, {damages:?}");
        }
        Err(error) => refusal::check(&error),
    }
}

fn finished() -> Finished {
    let folder = scratch();
    let write = |name: &str, text: &str| {
        let path: PathBuf = folder.path().join(name);
        fs::write(&path, text).expect("there is room");
        path
    };
    write("scenario.toml", SCENARIO);
    let plan = Plan::read(&write("plan.toml", PLAN)).expect("the plan is sound");
    let out = folder.path().join("out");
    let summary = sweep::run(&plan, &out, WHOLE, &|_| {}).expect("the sweep runs");
    let is_table = |name: &str| {
        let mut files = summary.files.iter().filter_map(|path| path.file_name());
        files.any(|file| file == name)
    };
    let left = files(&out, |name| !is_table(name));
    let tables = files(&out, is_table);
    assert!(!left.is_empty() && !tables.is_empty());
    Finished { _folder: folder, plan, left, tables }
}

/// Files of a folder by name.
fn files(folder: &Path, which: impl Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("it is there");
    let files = entries.filter_map(|entry| {
        let path = entry.expect("it is there").path();
        let name = path.file_name()?.to_str()?.to_owned();
        which(&name).then(|| (name, fs::read(&path).unwrap_or_default()))
    });
    files.collect()
}
