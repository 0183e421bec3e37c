//! Several processes at one folder: they never leave a broken file with exit 0.

use crate::command::{Folder, json, refused};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("sim-harness"));
    command.args(arguments).args(["--threads", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// One line that says that another process writes there.
fn is_told(output: &Output, folder: &str) {
    let line = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(line.contains(folder) && line.contains("another process is writing"), "{line}");
    assert_eq!(line.trim_end().lines().count(), 1, "{line}");
}

const RUN: [&str; 4] = ["run", "house", "--set", "steps=130"];

fn pairs_of_runs(pairs: usize) {
    let folder = Folder::new();
    let trace = |out: &str| fs::read(folder.path(out).join("trace.jsonl")).unwrap();
    let run = |seed: &str, out: &str| {
        start(&[&RUN[..], &["--seed", seed, "--out", &folder.name(out)]].concat())
    };
    for seed in ["1", "2"] {
        assert!(run(seed, seed).wait().unwrap().success());
    }
    let mut refused = 0;
    for pair in 0..pairs {
        // At once, or one a little after the other.
        let first = run("1", "two");
        std::thread::sleep(Duration::from_millis(pair as u64 % 8 * 20));
        let outputs = [first, run("2", "two")].map(|child| child.wait_with_output().unwrap());
        let fine = outputs.each_ref().map(|output| output.status.success());
        assert!(fine[0] || fine[1]);
        for output in outputs.iter().filter(|output| !output.status.success()) {
            is_told(output, "two");
            refused += 1;
        }
        let read = |name: &str| fs::read(folder.path("two").join(name)).unwrap();
        let summary: Value = serde_json::from_slice(&read("summary.json")).unwrap();
        let seed = summary["seed"].to_string();
        assert!(fine[usize::from(seed == "2")], "what is there is of a run that failed");
        assert_eq!(trace("two"), trace(&seed), "pair {pair}");
        assert_eq!(read("final.png"), fs::read(folder.path(&seed).join("final.png")).unwrap());
        assert!(read("report.html").trim_ascii_end().ends_with(b"</html>"));
        assert_eq!(fs::read_dir(folder.path("two")).unwrap().count(), 4);
    }
    println!("{pairs} pairs of runs, {refused} refused");
    assert!(refused > 0, "they never met");
}

fn pairs_of_shards(pairs: usize) {
    let folder = Folder::new();
    let plan = folder.file(
        "plan.toml",
        "scenario = \"scene.toml\"\nseeds = { count = 6 }\n[[parameters]]\n\
         key = \"evaders.0.speed\"\nvalues = [0.1, 0.2]\n",
    );
    let scene = "name = \"scene\"\nsteps = 40\nuntil = \"last-step\"\n[map]\nsize = [20, 20]\n\
        [[evaders]]\nmind = { wander = 5 }\n[[pursuers]]\nspeed = 0.5\n";
    folder.file("scene.toml", scene);
    json(&["sweep", &plan, "--out", &folder.name("calm")]);
    for pair in 0..pairs {
        let out = format!("out{pair}");
        let shard = |i: &str| start(&["sweep", &plan, "--out", &folder.name(&out), "--shard", i]);
        for child in [shard("1/2"), shard("2/2")] {
            let output = child.wait_with_output().unwrap();
            let line = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "pair {pair}: {line}");
        }
        for name in ["rows.csv", "means.csv", "rows.parquet"] {
            let read = |out: &str| fs::read(folder.path(out).join(name)).unwrap();
            assert_eq!(read(&out), read("calm"), "{name} of pair {pair}");
        }
        assert_eq!(fs::read_dir(folder.path(&out)).unwrap().count(), 6);
    }
    println!("{pairs} pairs of shards");
}

#[test]
fn two_runs_in_one_folder_leave_one_of_them() {
    pairs_of_runs(6);
}

#[test]
fn shards_run_side_by_side() {
    pairs_of_shards(6);
}

#[test]
#[ignore = "takes minutes"]
fn two_hundred_pairs() {
    pairs_of_runs(100);
    pairs_of_shards(100);
}

#[test]
fn different_sweeps_of_one_folder_never_mix() {
    let folder = Folder::new();
    let plan = |count: u32| {
        let text = format!(
            "scenario = \"house\"\nseeds = {{ count = {count} }}\n[[parameters]]\nkey = \"steps\"\nvalues = [130]\n"
        );
        folder.file(&format!("plan{count}.toml"), text)
    };
    for (first, second) in [(2, 3), (3, 2)] {
        let out = folder.name(&format!("out{first}"));
        let plans = [plan(first), plan(second)];
        let children = plans.each_ref().map(|plan| start(&["sweep", plan, "--out", &out]));
        let codes = children.map(|mut child| child.wait().unwrap().code());
        assert!(codes == [Some(0), Some(2)] || codes == [Some(2), Some(0)], "{codes:?}");
        let rows = fs::read_to_string(Path::new(&out).join("rows.csv")).unwrap();
        let runs = if codes[0] == Some(0) { first } else { second };
        assert_eq!(rows.lines().count(), 1 + runs as usize);
    }
}

#[test]
fn links_are_not_followed_and_what_a_killed_run_left_goes() {
    let folder = Folder::new();
    let victim = folder.file("victim", "mine");
    let out = folder.path("out");
    fs::create_dir(&out).unwrap();
    for name in ["summary.json.part", "summary.json", ".summary.json.part"] {
        std::os::unix::fs::symlink(&victim, out.join(name)).unwrap();
    }
    for (name, goes) in
        [(".trace.jsonl.aB3dE9.part", true), (".mine.part", false), ("mine.aB3dE9.part", false)]
    {
        fs::write(out.join(name), b"half").unwrap();
        json(&[&RUN[..], &["--out", out.to_str().unwrap()]].concat());
        assert_eq!(out.join(name).exists(), !goes, "{name}");
    }
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
    assert!(!out.join("summary.json").is_symlink());
    // Nor by a journal.
    let plan = folder.file("plan.toml", "scenario = \"house\"\nseeds = { count = 1 }\n");
    let journal = folder.path("rows/journal-1-of-1.csv");
    json(&["sweep", &plan, "--out", &folder.name("rows")]);
    fs::remove_file(&journal).unwrap();
    std::os::unix::fs::symlink(&victim, journal).unwrap();
    refused(&["sweep", &plan, "--out", &folder.name("rows")], &["symbolic link"]);
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
}

#[test]
fn a_signal_leaves_nothing_half_written() {
    let folder = Folder::new();
    for signal in ["INT", "TERM", "HUP"] {
        let out = folder.path(signal);
        let long = ["run", "pack", "--set", "until=\"last-step\"", "--set", "steps=100000"];
        let mut child = start(&[&long[..], &["--out", out.to_str().unwrap()]].concat());
        let begun = || fs::read_dir(&out).is_ok_and(|mut files| files.next().is_some());
        while !begun() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut kill = Command::new("sh");
        kill.args(["-c", &format!("kill -{signal} {}", child.id())]);
        assert!(kill.status().unwrap().success());
        let status = child.wait().unwrap();
        // It ends by the signal, as a shell expects.
        assert_eq!(status.code(), None, "{signal}");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0, "{signal}");
    }
}
