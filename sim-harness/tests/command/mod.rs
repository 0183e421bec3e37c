//! Runs the program, and folders to run it in.
#![allow(dead_code, reason = "no test file uses all of it")]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

pub(crate) fn harness() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("sim-harness"))
}

pub(crate) fn json(arguments: &[&str]) -> Value {
    let output = harness().args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Exit code 2 and one line on stderr that holds all of `parts`; nothing on stdout.
pub(crate) fn refused(arguments: &[&str], parts: &[&str]) {
    let output = harness().args(arguments).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {line}");
    assert_eq!(line.trim_end().lines().count(), 1, "{arguments:?}: {line}");
    assert!(output.stdout.is_empty());
    for part in parts {
        assert!(line.contains(part), "{arguments:?}: no {part:?} in {line}");
    }
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
