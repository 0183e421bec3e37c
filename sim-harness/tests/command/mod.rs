//! Runs the program, and folders to run it in.
#![allow(dead_code, reason = "no test file uses all of it")]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn harness() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("sim-harness"))
}

pub(crate) fn json(arguments: &[&str]) -> Value {
    let output = harness().args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A value a line of stdout.
pub(crate) fn json_lines(arguments: &[&str]) -> Vec<Value> {
    let output = harness().args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    values(&output.stdout)
}

/// A value a line.
pub(crate) fn values(text: &[u8]) -> Vec<Value> {
    let lines = str::from_utf8(text).unwrap().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Exit code 2 and one line on stderr that holds all of `parts`; nothing on stdout.
pub(crate) fn refused(arguments: &[&str], parts: &[&str]) {
    assert!(fails(arguments, parts).is_empty());
}

/// Exit code 2 and one line on stderr that holds all of `parts`. Returns stdout, where earlier
/// measurements may be.
pub(crate) fn fails(arguments: &[&str], parts: &[&str]) -> Vec<u8> {
    let output = harness().args(arguments).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {line}");
    assert_eq!(line.trim_end().lines().count(), 1, "{arguments:?}: {line}");
    for part in parts {
        assert!(line.contains(part), "{arguments:?}: no {part:?} in {line}");
    }
    output.stdout
}

/// Runs the program, none of whose files may be larger than so many blocks of 512 bytes.
#[cfg(unix)]
pub(crate) fn on_small_disk(blocks: u32, arguments: &[&str]) -> std::process::Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).arg(assert_cmd::cargo::cargo_bin!("sim-harness")).args(arguments);
    shell.output().unwrap()
}

/// A path in the folder of published data, where it is at hand.
pub(crate) fn data(path: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("DATA_DIR") else {
        println!("skipped: DATA_DIR is not set");
        return None;
    };
    Some(Path::new(&folder).join(path))
}

/// The files in a folder and in those below.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    pub(crate) fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), text).unwrap();
        self.name(name)
    }
}
