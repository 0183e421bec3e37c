//! A full disk, a folder that cannot be written, files that an earlier run left half written: one
//! line, and earlier results stay as they were.

use crate::command::{Folder, fails, json, refused};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files of a folder and their contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.filter(|path| path.is_file()).map(|p| (file(&p), fs::read(&p).unwrap())).collect()
}

/// Runs a command that writes `names` into `out`, then again with other arguments while one of them
/// after the other cannot be written, for every reason that there is.
fn spares(out: &Path, first: &[&str], again: &[&str], names: &[&str]) {
    json(first);
    let before = files(out);
    assert_eq!(before.keys().map(String::as_str).collect::<Vec<_>>(), names, "{first:?}");
    for name in names {
        let path = out.join(name);
        // A folder stands in its place.
        fs::rename(&path, out.join("aside")).unwrap();
        fs::create_dir(&path).unwrap();
        fails(again, &[name]);
        fs::remove_dir(&path).unwrap();
        fs::rename(out.join("aside"), &path).unwrap();
        assert_eq!(files(out), before, "{again:?}, a folder at {name}");
    }
    // The disk is full, sooner or later.
    #[cfg(unix)]
    {
        let mut failed: BTreeSet<&str> = BTreeSet::new();
        for blocks in [0, 8, 64, 512] {
            let output = crate::command::on_small_disk(blocks, again);
            if output.status.success() {
                break;
            }
            let line = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{again:?}, {blocks} blocks: {line}");
            assert!(line.contains("too large"), "{line}");
            assert_eq!(files(out), before, "{again:?}, {blocks} blocks");
            failed.extend(names.iter().find(|name| line.contains(**name)).copied());
        }
        assert!(!failed.is_empty());
    }
    json(again);
    let after = files(out);
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert_ne!(after, before);
}

#[test]
fn run_spares_the_run_before() {
    let folder = Folder::new();
    let out = folder.name("out");
    let run = ["run", "house", "--set", "steps=130", "--out", &out];
    let names = ["final.png", "report.html", "summary.json", "trace.jsonl"];
    spares(&folder.path("out"), &run, &[&run[..], &["--seed", "2"]].concat(), &names);
}

#[test]
fn audit_spares_the_audit_before() {
    let folder = Folder::new();
    let row = |y: u32| (0..12).map(|x| (x * y % 5).to_string()).collect::<Vec<_>>().join(" ");
    let heights = (0..12).map(row).collect::<Vec<_>>().join("\n");
    let header = "ncols 12\nnrows 12\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
    let terrain = folder.file("hills.asc", format!("{header}{heights}"));
    let out = folder.name("out");
    let audit = ["audit", "--terrain", &terrain, "--out", &out, "--speed"];
    let (first, again) = ([&audit[..], &["4"]].concat(), [&audit[..], &["7"]].concat());
    spares(&folder.path("out"), &first, &again, &["audit.png", "findings.json", "index.html"]);
}

#[test]
fn pages_spare_the_page_before() {
    let folder = Folder::new();
    fs::create_dir(folder.path("verify")).unwrap();
    fs::create_dir(folder.path("reproduce")).unwrap();
    let scene = "name = \"short\"\nsteps = 3\nuntil = \"last-step\"\n[map]\nsize = [5, 5]\n\
        [[evaders]]\n[[pursuers]]\nspeed = 0.5\n[[claims]]\nsays = \"one is there\"\n\
        outcome = \"pursuers\"\nat_least = 1\n";
    let scene = folder.file("short.toml", scene);
    let page = folder.name("verify/page.md");
    let verify = |seeds| ["verify", &scene, "--page", &page, "--seeds", seeds].map(str::to_owned);
    let (first, again) = (verify("1"), verify("2"));
    let [first, again] = [&first, &again].map(|v| v.iter().map(String::as_str).collect::<Vec<_>>());
    spares(&folder.path("verify"), &first, &again, &["page.md"]);
    let page = folder.name("reproduce/page.md");
    let first = ["reproduce", "boids", "--page", &page];
    let again = ["reproduce", "fuzzy-appendix", "--page", &page];
    spares(&folder.path("reproduce"), &first, &again, &["page.md"]);
}

#[test]
fn the_tables_of_a_sweep_spare_those_before() {
    let folder = Folder::new();
    let scene = include_str!("../../scenarios/house.toml").replace("steps = ", "steps = 130 #");
    folder.file("scene.toml", scene);
    let plan =
        folder.file("plan.toml", "scenario = \"scene.toml\"\nseeds = { first = 1, count = 2 }\n");
    let out = folder.name("out");
    let sweep = ["sweep", &plan, "--out", &out];
    json(&sweep);
    let before = files(&folder.path("out"));
    for name in ["means.csv", "rows.csv", "rows.parquet"] {
        let path = folder.path("out").join(name);
        fs::rename(&path, folder.path("aside")).unwrap();
        fs::create_dir(&path).unwrap();
        refused(&sweep, &[name]);
        fs::remove_dir(&path).unwrap();
        fs::rename(folder.path("aside"), &path).unwrap();
        assert_eq!(files(&folder.path("out")), before, "{name}");
    }
    // Tables that belong together are written together.
    fs::remove_file(folder.path("out/means.csv")).unwrap();
    fs::create_dir(folder.path("out/means.csv")).unwrap();
    fs::write(folder.path("out/rows.csv"), b"old").unwrap();
    refused(&sweep, &["means.csv"]);
    assert_eq!(fs::read(folder.path("out/rows.csv")).unwrap(), b"old");
}

#[test]
fn a_folder_that_cannot_be_made_is_one_line() {
    let folder = Folder::new();
    let file = folder.file("file", b"");
    let below = format!("{file}/out");
    refused(&["run", "house", "--out", &below], &[&below]);
    let page = format!("{file}/page.md");
    refused(&["reproduce", "nothing", "--page", &page], &["nothing"]);
    // A folder that nobody may write to, unless one is root.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let shut = folder.path("shut");
        fs::create_dir(&shut).unwrap();
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(shut.join("probe"), b"").is_err() {
            refused(&["run", "house", "--out", &folder.name("shut")], &["shut"]);
        }
    }
}

/// A map too long for a film is refused before it is run, and not after.
#[test]
fn a_film_that_no_gif_can_hold_is_one_line() {
    let folder = Folder::new();
    let text = "name = \"long\"\nsteps = 90\n[map]\nsize = [66000, 2]\n[[evaders]]\nstart = [1, 1]\n\
                [[pursuers]]\nstart = [5, 1]\nspeed = 0.5\n";
    let scenario = folder.file("long.toml", text);
    let run = ["run", &scenario, "--gif", "--out", &folder.name("out")];
    refused(&run, &["film.gif", "66024 x", "at most 65535 a side"]);
    assert!(files(&folder.path("out")).is_empty());
}
