//! Killed at any moment, or out of disk at any byte: a file under its name is whole, and the final
//! results are the same as without the trouble.

use crate::command::Folder;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A command that writes into `OUT`, and the files that it leaves, without wall times in them.
struct Work {
    arguments: Vec<String>,
    files: Vec<&'static str>,
}

impl Work {
    fn command(&self, out: &Path, before: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{before}exec \"$0\" \"$@\"")]);
        command.arg(assert_cmd::cargo::cargo_bin!("sim-harness"));
        let place = |a: &String| a.replace("OUT", out.to_str().unwrap());
        command.args(self.arguments.iter().map(place)).args(["--threads", "2"]);
        command.current_dir(out).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// The files, `None` where there is none. Wall times do not count.
    fn found(&self, out: &Path) -> Vec<Option<Vec<u8>>> {
        let read = |name: &&str| {
            let bytes = fs::read(out.join(name)).ok()?;
            if Path::new(name).extension().is_none_or(|ending| ending != "json") {
                return Some(bytes);
            }
            let mut summary: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            for key in ["seconds", "frame_ms"] {
                summary.as_object_mut().unwrap().remove(key);
            }
            Some(summary.to_string().into_bytes())
        };
        self.files.iter().map(read).collect()
    }
}

fn works(folder: &Folder) -> Vec<Work> {
    let scene = "name = \"scene\"\nsteps = 30\nuntil = \"last-step\"\n[map]\nsize = [30, 20]\n\
        blocks = { count = 9, shortest = 2, longest = 4 }\n[[evaders]]\nmind = { wander = 9 }\n\
        [[pursuers]]\ncount = 9\nspeed = 0.5\n[[claims]]\nsays = \"all\"\noutcome = \"pursuers\"\n\
        at_least = 9\n";
    let scene = folder.file("scene.toml", scene);
    let plan = "scenario = \"scene.toml\"\nseeds = { count = 12 }\n[[parameters]]\n\
        key = \"tracking.rule\"\nvalues = [\"wake\", \"per-emission\"]\n";
    let plan = folder.file("plan.toml", plan);
    let work = |arguments: &[&str], files: &[&'static str]| Work {
        arguments: arguments.iter().map(|&a| a.to_owned()).collect(),
        files: files.to_vec(),
    };
    vec![
        work(&["sweep", &plan, "--out", "OUT"], &["rows.csv", "means.csv", "rows.parquet"]),
        work(
            &["run", &scene, "--out", "OUT", "--gif"],
            &["trace.jsonl", "final.png", "film.gif", "summary.json"],
        ),
        work(&["verify", &scene, "--seeds", "20", "--page", "page.md"], &["page.md"]),
    ]
}

fn finish(work: &Work, out: &Path) -> Duration {
    let begin = Instant::now();
    let output = work.command(out, "").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    begin.elapsed()
}

/// A file under its name is as in an undisturbed run.
fn is_whole(work: &Work, out: &Path, calm: &[Option<Vec<u8>>], when: &str) {
    for ((name, found), calm) in work.files.iter().zip(work.found(out)).zip(calm) {
        assert!(found.is_none() || found == *calm, "{:?}, {when}: {name}", work.arguments);
    }
}

/// Each work is killed so often, anywhere in the time that it takes, and then done.
fn kills(each: u32) {
    let folder = Folder::new();
    for (i, work) in works(&folder).iter().enumerate() {
        let [calm, out] = ["calm", "killed"].map(|name| folder.path(&format!("{name}{i}")));
        fs::create_dir(&calm).unwrap();
        fs::create_dir(&out).unwrap();
        let time = finish(work, &calm);
        let calm = work.found(&calm);
        let mut killed = 0;
        for kill in 0..each {
            let mut child = work.command(&out, "").spawn().unwrap();
            // Not evenly, so that no two kills of a work come at the same place of it.
            std::thread::sleep(time.mul_f64(f64::from(kill * 7 % each) / f64::from(each)));
            child.kill().unwrap();
            killed += u32::from(!child.wait().unwrap().success());
            is_whole(work, &out, &calm, &format!("kill {kill}"));
        }
        assert!(killed > 0);
        finish(work, &out);
        assert_eq!(work.found(&out), calm, "{:?}", work.arguments);
        let parts = fs::read_dir(&out).unwrap().flatten();
        let parts = parts.filter(|file| file.file_name().to_string_lossy().ends_with(".part"));
        println!("{}: {killed} kills, {} parts left", work.arguments[0], parts.count());
    }
}

fn is_refused(output: &Output) -> bool {
    let line = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(code == Some(0) || code == Some(2), "{code:?}: {line}");
    assert_eq!(line.trim_end().lines().count(), usize::from(code == Some(2)), "{line}");
    code == Some(2)
}

/// Each work meets so many disks that are full at one byte or another, and then one that is not.
fn full_disks(each: u32) {
    let folder = Folder::new();
    for (i, work) in works(&folder).iter().enumerate() {
        let [calm, out] = ["calm", "full"].map(|name| folder.path(&format!("{name}{i}")));
        fs::create_dir(&calm).unwrap();
        fs::create_dir(&out).unwrap();
        finish(work, &calm);
        let largest = fs::read_dir(&calm).unwrap().flatten();
        let largest = largest.map(|file| file.metadata().unwrap().len()).max().unwrap();
        let calm = work.found(&calm);
        let mut refused = 0;
        for disk in 0..each {
            // In blocks of 512 bytes.
            let blocks = largest * u64::from(disk) / u64::from(each) / 512;
            let limit = format!("trap '' XFSZ; ulimit -f {blocks}; ");
            let output = work.command(&out, &limit).output().unwrap();
            refused += u32::from(is_refused(&output));
            is_whole(work, &out, &calm, &format!("{blocks} blocks"));
        }
        assert!(refused > 0);
        finish(work, &out);
        assert_eq!(work.found(&out), calm, "{:?}", work.arguments);
        println!("{}: {refused} of {each} disks were full", work.arguments[0]);
    }
}

#[test]
fn some_kills_change_nothing() {
    kills(3);
}

#[test]
fn some_full_disks_change_nothing() {
    full_disks(3);
}

#[test]
#[ignore = "takes minutes"]
fn fifty_kills_change_nothing() {
    kills(50);
}

#[test]
#[ignore = "takes minutes"]
fn fifty_full_disks_change_nothing() {
    full_disks(50);
}
