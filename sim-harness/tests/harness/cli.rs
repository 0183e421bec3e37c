//! The commands, their JSON, and one line for every bad input.

use crate::command::{Folder, harness, json, refused, values};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const ROOM: &str = "type octile\nheight 5\nwidth 6\nmap\n......\n.@@@..\n.@W@..\n.@@@..\n....@.\n";

#[test]
fn list_names_every_built_in_scenario_with_its_question() {
    let output = harness().arg("list").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), sim_harness::scenario::built_in().len());
    assert!(text.lines().all(|line| line.ends_with('?')));
}

#[test]
fn new_writes_a_scenario_that_keeps_its_claims_and_none_over_another() {
    let folder = Folder::new();
    let new = |arguments: &[&str]| {
        harness().current_dir(folder.path("")).arg("new").args(arguments).output().unwrap()
    };
    assert!(new(&["mine"]).status.success());
    let mine = folder.name("mine.toml");
    harness().args(["verify", &mine, "--seeds", "20"]).assert().success();
    assert!(fs::read_to_string(&mine).unwrap().contains("name = \"mine\""));
    // A copy runs as its original does.
    for built_in in sim_harness::scenario::built_in() {
        assert!(new(&["copy", "--from", built_in.name]).status.success());
        let text = fs::read_to_string(folder.path("copy.toml")).unwrap();
        let names = [built_in.name, "copy"].map(|name| format!("name = \"{name}\""));
        assert_eq!(text, built_in.text.replacen(&names[0], &names[1], 1));
        assert!(text.contains(&names[1]), "{}", built_in.name);
        fs::remove_file(folder.path("copy.toml")).unwrap();
    }
    let before = fs::read(&mine).unwrap();
    for (arguments, part) in [
        (&["mine"][..], "mine.toml: "),
        (&["../mine"], "../mine: a name has 1 to 64 letters"),
        (&["other", "--from", "hump"], "--from hump: must be one of rooms, house, hunt"),
    ] {
        let output = new(arguments);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(fs::read(&mine).unwrap(), before);
    assert!(!folder.path("other.toml").exists());
}

#[test]
fn a_trace_names_cells_by_x_and_y() {
    let folder = Folder::new();
    let text = "name = \"door\"\nsteps = 3\nuntil = \"last-step\"\nrecord_every = 1\n\
                [map]\nsize = [7, 5]\n[[evaders]]\nstart = [0.0, 0.0]\n[[pursuers]]\n\
                start = [1.0, 0.0]\nspeed = 0.1\n\
                [[edits]]\nstep = 1\nfrom = [5, 2]\nto = [5, 2]\nwall = true\n";
    let file = folder.file("door.toml", text);
    let out = folder.path("out");
    harness().args(["run", &file, "--out"]).arg(&out).assert().success();
    let trace = std::fs::read_to_string(out.join("trace.jsonl")).unwrap();
    assert!(trace.contains("\"walls\":[[[5,2],true]]"), "{trace}");
}

/// Counted once more from the traces of the same seeds.
#[test]
fn heat_counts_over_seeds_where_pursuers_walk_and_evaders_are_caught() {
    let text = "name = \"yard\"\nsteps = 60\n[map]\nsize = [14, 9]\n[[evaders]]\nspeed = 0.3\n\
                mind = { wander = 7 }\n[[evaders]]\n[[pursuers]]\ncount = 3\nspeed = 0.5\n";
    let folder = Folder::new();
    let file = folder.file("yard.toml", text);
    let out = folder.path("out");
    let (mut walked, mut caught) = (BTreeMap::new(), 0);
    for seed in ["5", "6", "7", "8"] {
        let path = out.to_str().unwrap();
        let more = if seed == "5" { &["--heat", "4"][..] } else { &[] };
        let command = [&["run", &file, "--seed", seed, "--out", path], more].concat();
        caught += json(&command)["outcome"]["caught"].as_u64().unwrap();
        if seed == "5" {
            fs::rename(out.join("report.html"), folder.path("heat.html")).unwrap();
        }
        let mut last = [None; 3];
        for line in values(&fs::read(out.join("trace.jsonl")).unwrap()) {
            for (last, pursuer) in last.iter_mut().zip(line["pursuers"].as_array().unwrap()) {
                let cell = [0, 1].map(|a| pursuer[0][a].as_f64().unwrap().round() as u64);
                if *last != Some(cell) {
                    *last = Some(cell);
                    *walked.entry(cell).or_insert(0_u64) += 1;
                }
            }
        }
    }
    assert!(caught > 0);
    let report = fs::read_to_string(folder.path("heat.html")).unwrap();
    let head = report.split("id=\"head\"").nth(1).unwrap().split_once('>').unwrap().1;
    let head: Value = serde_json::from_str(head.split("</script>").next().unwrap()).unwrap();
    let layers = head["layers"].as_array().unwrap();
    let most = |name: &str| {
        let layer = layers.iter().find(|layer| layer["name"] == name).unwrap();
        layer["most"].as_f64().unwrap() as u64
    };
    assert_eq!(Some(&most("walked")), walked.values().max());
    assert!((1..=caught).contains(&most("caught")));
    for seeds in ["0", "1000001"] {
        let told = format!("--heat {seeds}: must be 1 to 1000000");
        refused(&["run", "rooms", "--out", &folder.name("none"), "--heat", seeds], &[&told]);
    }
    assert!(!folder.path("none").exists());
}

#[test]
fn out_writes_summary_trace_pictures_and_report() {
    let folder = Folder::new();
    let out = folder.path("deep/er");
    let summary = json(&["run", "house", "--out", out.to_str().unwrap()]);
    let read = |name: &str| fs::read(out.join(name)).unwrap();
    let written: Value = serde_json::from_slice(&read("summary.json")).unwrap();
    assert_eq!(written["state_hash"], summary["state_hash"]);
    let lines = values(&read("trace.jsonl"));
    assert_eq!(lines.last().unwrap()["step"], summary["steps"]);
    let pursuers = lines[0]["pursuers"].as_array().unwrap();
    assert_eq!(pursuers.len(), 4);
    assert_eq!(pursuers[0][0].as_array().unwrap().len(), 3);
    let picture = tiny_skia::Pixmap::decode_png(&read("final.png")).unwrap();
    // Walls and a trail are there.
    for (r, g, b) in [(52, 58, 70), (202, 62, 71)] {
        assert!(picture.pixels().iter().any(|p| (p.red(), p.green(), p.blue()) == (r, g, b)));
    }
    let short = ["run", "hunt", "--gif", "--set", "steps=6", "--out"];
    json(&[&short[..], &[folder.path("film").to_str().unwrap()]].concat());
    assert!(fs::read(folder.path("film/film.gif")).unwrap().starts_with(b"GIF89a"));
    // A film of one run does not stay beside the files of another.
    let short = ["run", "hunt", "--set", "steps=6", "--out"];
    json(&[&short[..], &[folder.path("film").to_str().unwrap()]].concat());
    assert!(!folder.path("film/film.gif").exists());
    let report = String::from_utf8(read("report.html")).unwrap();
    assert!(report.contains(summary["state_hash"].as_str().unwrap()));
    // Nothing is fetched from anywhere.
    assert!(!report.contains("http://") && !report.contains("https://"));
    let left: Vec<_> = fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

/// A run that ends before its first frame is written like any other.
#[test]
fn a_run_of_no_frames_is_written_too() {
    let folder = Folder::new();
    let out = folder.name("out");
    let summary = json(&["run", "rooms", "--set", "until={frame=0}", "--out", &out]);
    assert_eq!((&summary["steps"], &summary["outcome"]["pursuers"]), (&0.into(), &0.into()));
    assert_eq!(summary["outcome"]["walked_mean"].to_string(), "0.0");
    for file in ["summary.json", "trace.jsonl", "final.png", "report.html"] {
        assert!(folder.path("out").join(file).exists(), "{file}");
    }
}

#[test]
fn pursue_counts_every_kind_of_entry() {
    let folder = Folder::new();
    let map = folder.file("room.map", ROOM.as_bytes());
    let scen = "version 1\n\
        0\troom.map\t6\t5\t0\t0\t0\t4\t4\n\
        0\troom.map\t6\t5\t0\t2\t4\t2\t8\n\
        0\troom.map\t6\t5\t3\t4\t5\t4\t15.41421356\n\
        0\troom.map\t6\t5\t0\t0\t2\t2\t5\n\
        0\troom.map\t6\t5\t0\t0\t1\t1\t5\n\
        0\troom.map\t6\t5\t2\t2\t2\t2\t0\n\
        0\troom.map\t6\t5\t5\t4\t5\t4\t0\n";
    let scen = folder.file("room.map.scen", scen.as_bytes());
    let run = |threads| json(&["pursue", "--map", &map, "--scen", &scen, "--threads", threads]);
    let summary = run("1");
    assert_eq!(summary["entries"], 7);
    // One end in water, one on a blocked cell.
    assert_eq!(summary["skipped"], 2);
    assert_eq!(summary["unreachable"], 0);
    assert_eq!(summary["arrived"], 5);
    assert_eq!(summary["lost"], 0);
    let mean = summary["ratio_mean"].as_f64().unwrap();
    assert!((0.8..1.01).contains(&mean), "{mean}");
    for threads in ["2", "8"] {
        assert_eq!(run(threads)["state_hash"], summary["state_hash"]);
    }
    let one = json(&["pursue", "--map", &map, "--scen", &scen, "--entries", "1"]);
    assert_eq!(one["entries"], 1);
    let none = ["pursue", "--map", &map, "--scen", &scen, "--entries", "0"];
    refused(&none, &["--entries 0: must be at least 1"]);
    let ends = json(&["pursue", "--map", &map, "--from", "0,0", "--to", "5,4"]);
    assert_eq!(ends["arrived"], 1);
    assert_eq!(ends["ratio_mean"], Value::Null);
}

#[test]
fn an_unreachable_goal_costs_one_front() {
    let folder = Folder::new();
    let size = 60;
    let row = |y: usize| -> String {
        (0..size).map(|x| if x == 40 || (y == 30 && x > 40) { '@' } else { '.' }).collect()
    };
    let rows: Vec<String> = (0..size).map(row).collect();
    let map = format!("type octile\nheight {size}\nwidth {size}\nmap\n{}\n", rows.join("\n"));
    let map = folder.file("split.map", map.as_bytes());
    let summary = json(&["pursue", "--map", &map, "--from", "50,10", "--to", "5,5"]);
    assert_eq!(summary["unreachable"], 1);
    assert_eq!(summary["lost"], 0);
    assert!(summary["updates_per_cell"].as_f64().unwrap() < 120.0);
    let voxels: Vec<String> = (0..9).map(|i| format!("2 {} {}", i % 3, i / 3)).collect();
    let map =
        folder.file("split.3dmap", format!("voxel 5 3 3\n{}\n", voxels.join("\n")).as_bytes());
    let across = json(&["pursue", "--map", &map, "--from", "0,0,0", "--to", "4,2,2"]);
    assert_eq!(across["unreachable"], 1);
    let beside = json(&["pursue", "--map", &map, "--from", "3,0,0", "--to", "4,2,2"]);
    assert_eq!(beside["arrived"], 1);
}

#[test]
fn the_published_rules_run_too() {
    let folder = Folder::new();
    let open = format!("type octile\nheight 30\nwidth 30\nmap\n{}", ".".repeat(30) + "\n")
        .replace(&(".".repeat(30) + "\n"), &(".".repeat(30) + "\n").repeat(30));
    let map = folder.file("open.map", open.as_bytes());
    let summary =
        json(&["pursue", "--map", &map, "--from", "3,4", "--to", "20,22", "--walls", "fixed"]);
    assert_eq!(summary["arrived"], 1);
    // Dense waves have no front whose cells could be counted.
    assert_eq!(summary["updates_per_cell"], Value::Null);
}

/// Each key that a scenario has in `[tracking]` changes the chase, or is refused as it is there.
#[test]
fn the_waves_of_a_pursuit_can_be_set() {
    let folder = Folder::new();
    // Two walls across, with a gap each at other ends.
    let cell = |x: usize, y: usize| match (x, y) {
        (10, 6..) | (19, ..24) => '@',
        _ => '.',
    };
    let row = |y| (0..30).map(|x| cell(x, y)).chain(['\n']).collect::<String>();
    let map =
        format!("type octile\nheight 30\nwidth 30\nmap\n{}", (0..30).map(row).collect::<String>());
    let map = folder.file("room.map", map.as_bytes());
    let chase = |set: &[&str]| {
        let mut line = vec!["pursue", "--map", &map, "--from", "2,3", "--to", "25,20"];
        line.extend(["--walls", "fixed"]);
        line.extend(set.iter().flat_map(|set| ["--set", *set]));
        json(&line)["state_hash"].clone()
    };
    let mut hashes = vec![chase(&[])];
    for set in [
        "tracking.threshold=1e-3",
        "tracking.source=impulse",
        "tracking.stability=0.9",
        "tracking.damping=0.1",
        "tracking.sampling=cell",
        "tracking.rule=kumagai",
        "tracking.lifetime=90",
        "tracking.waves=2",
        "tracking.schedule=on-arrival",
    ] {
        hashes.push(chase(&[set]));
        assert_eq!(chase(&[set]), *hashes.last().unwrap());
    }
    let different: std::collections::BTreeSet<_> = hashes.iter().map(Value::to_string).collect();
    assert_eq!(different.len(), hashes.len(), "{hashes:?}");
    // The threshold is in proportion to the amplitude, and the first part of a wave is positive:
    // there the gradient points toward the crest.
    for same in ["tracking.amplitude=4", "tracking.direction=toward-crest"] {
        assert_eq!(chase(&[same]), hashes[0], "{same}");
    }

    let refuse = |walls: &str, set: &str, parts: &[&str]| {
        let line = ["pursue", "--map", &map, "--from", "2,3", "--to", "25,20", "--walls", walls];
        refused(&[&line[..], &["--set", set]].concat(), parts);
    };
    refuse("free", "tracking.threshold=1", &["--set", "--walls fixed"]);
    refuse("fixed", "tracking.threshold=-1", &["tracking.threshold", "-1", "> 0"]);
    refuse("fixed", "tracking.threshhold=1", &["threshhold", "did you mean `threshold`?"]);
    refuse("fixed", "tracking.rule=wake", &["tracking.rule", "watanabe or kumagai"]);
    refuse("fixed", "seed=4", &["seed", "tracking."]);
}

#[test]
fn bad_maps_and_entries_are_one_line_with_file_line_and_fault() {
    let folder = Folder::new();
    let good = folder.file("good.map", ROOM.as_bytes());
    let pursue = |map: &str, parts: &[&str]| {
        refused(&["pursue", "--map", map, "--from", "0,0", "--to", "1,0"], parts);
    };
    let map = |name: &str, text: &str| folder.file(name, text.as_bytes());
    pursue(&map("short.map", &ROOM[..ROOM.len() - 7]), &["short.map:8: "]);
    pursue(&map("row.map", &ROOM.replace(".@W@..", ".@W@.")), &["row.map", ":7: "]);
    pursue(&map("letter.map", &ROOM.replace('W', "x")), &["letter.map", ":7: ", "x"]);
    pursue(&map("lie.map", &ROOM.replace("height 5", "height 9")), &["lie.map"]);
    pursue(
        &map(
            "huge.map",
            &ROOM.replace("height 5", "height 1000000000").replace("width 6", "width 1000000000"),
        ),
        &["huge.map", "1000000000"],
    );
    pursue(&map("empty.map", ""), &["empty.map"]);
    pursue(&folder.file("junk.map", [0u8, 255, 10, 7, 200, 13, 10, 128]), &["junk.map"]);
    pursue(&map("nan.3dmap", "voxel 3 NaN 3\n"), &["nan.3dmap", ":1: "]);
    pursue(&map("minus.3dmap", "voxel 3 3 3\n1 -1 1\n"), &["minus.3dmap", ":2: "]);
    pursue(&map("huge.3dmap", "voxel 1000000000 1000000000 1000000000\n"), &["huge.3dmap"]);
    pursue(folder.path("missing.map").to_str().unwrap(), &["missing.map"]);
    pursue(folder.path("").to_str().unwrap(), &[]);
    refused(
        &["pursue", "--map", &good, "--from", "1,1", "--to", "0,0"],
        &["--from 1,1", "blocked"],
    );
    refused(&["pursue", "--map", &good, "--from", "0,0", "--to", "6,0"], &["--to 6,0", "outside"]);
    refused(&["pursue", "--map", &good, "--from", "0,0,0", "--to", "1,0"], &["X,Y"]);
    refused(&["pursue", "--map", &good, "--from", "0,-1", "--to", "1,0"], &["--from 0,-1"]);
    refused(&["pursue", "--map", &good], &["--scen"]);
    refused(&["pursue"], &["--map"]);
    refused(&["run"], &["SCENARIO"]);
    refused(&[], &["command"]);
    refused(&["pursue", "--map", &good, "--from", "0,0"], &[]);
    refused(
        &["pursue", "--map", &good, "--walls", "soft", "--from", "0,0", "--to", "1,0"],
        &["soft"],
    );
    refused(
        &["pursue", "--map", &good, "--threads", "0", "--from", "0,0", "--to", "1,0"],
        &["--threads"],
    );
    refused(&["fly"], &["fly"]);
    for (name, line) in [
        ("few.scen", "0\tgood.map\t6\t5\t0\t0"),
        ("out.scen", "0\tgood.map\t6\t5\t0\t0\t6\t0\t5"),
        ("nan.scen", "0\tgood.map\t6\t5\t0\t0\t1\t0\tNaN"),
        ("minus.scen", "0\tgood.map\t6\t5\t0\t0\t1\t0\t-5"),
        ("size.scen", "0\tgood.map\t7\t5\t0\t0\t1\t0\t5"),
    ] {
        let scen = folder.file(name, format!("version 1\n{line}\n").as_bytes());
        refused(&["pursue", "--map", &good, "--scen", &scen], &[name, ":2: "]);
    }
}

/// A world has room for their view, whatever the density.
#[test]
fn few_boids_fly_too() {
    for boids in ["1", "2", "39", "700"] {
        for (dim, radius) in [("2", "10"), ("3", "10"), ("2", "0.7"), ("3", "1e-3")] {
            let options =
                ["flock", "--boids", boids, "--steps", "3", "--dim", dim, "--radius", radius];
            assert_eq!(json(&options)["boids"].to_string(), boids);
        }
    }
}

#[test]
fn bad_flocks_are_one_line_with_option_value_and_limit() {
    let flock = |options: &str, line: &str| {
        let options: Vec<&str> = options.split(' ').collect();
        refused(&[&["flock", "--steps", "5"], &options[..]].concat(), &[line]);
    };
    flock("--boids 1 --density 1e-300", "--boids 1 --density 1e-300: the world is ");
    flock("--boids 0", "--boids 0: must be 1 to 2^24 - 1");
    flock("--boids 99999999", "--boids 99999999: must be 1 to 2^24 - 1");
    flock("--boids 9 --density -0.10", "--density -0.10: must be a number > 0");
    flock("--boids 9 --radius 0", "--radius 0: must be > 0 and at most 1e12");
    flock("--boids 9 --radius 2e12", "--radius 2e12: must be > 0 and at most 1e12");
    flock("--boids 9 --dim 4", "--dim 4: must be 2 or 3");
    flock("--boids 9 --nearest 65", "--nearest 65: must be 1 to 64");
}

/// A seed that TOML's whole numbers cannot hold is refused for all scenarios, but not where the
/// number is no scenario's seed.
#[test]
fn seeds_go_as_far_as_it_is_said() {
    let folder = Folder::new();
    let scene = "name = \"s\"\nsteps = 2\nSEED\n[map]\nsize = [5, 5]\n[[evaders]]\n[[pursuers]]\nspeed = 0.5\n";
    let file = |name: &str, seed: &str| {
        folder.file(name, scene.replace("SEED", &format!("seed = {seed}")))
    };
    let (last, most) = ("9223372036854775807", "18446744073709551615");
    let good = file("good.toml", last);
    assert_eq!(json(&["run", &good])["seed"].to_string(), last);
    let set = format!("seed={last}");
    assert_eq!(json(&["run", &good, "--set", &set])["seed"].to_string(), last);
    assert_eq!(json(&["run", &good, "--seed", most])["seed"].to_string(), most);
    let beyond = "9223372036854775808";
    let parts = ["bad.toml:3: seed = 9223372036854775808", "0 to 2^63 - 1", "--seed"];
    refused(&["run", &file("bad.toml", beyond)], &parts);
    let set = format!("seed={beyond}");
    let parts = ["--set seed=9223372036854775808", "2^63 - 1", "--seed takes up to 2^64 - 1"];
    refused(&["run", &good, "--set", &set], &parts);
    refused(&["run", &good, "--set", "steps=99999999999999999999"], &["--set steps", "2^63 - 1"]);
}

#[test]
fn bad_scenarios_are_one_line_with_file_and_line_or_key() {
    let folder = Folder::new();
    let rooms = include_str!("../../scenarios/rooms.toml");
    let run = |name: &str, text: &str, parts: &[&str]| {
        let file = folder.file(name, text.as_bytes());
        refused(&["run", &file], &[&[name], parts].concat());
    };
    let swap = |from: &str, to: &str| {
        assert!(rooms.contains(from), "{from}");
        rooms.replacen(from, to, 1)
    };
    run(
        "key.toml",
        &swap("question =", "qestion ="),
        &[":3: ", "qestion", "did you mean `question`?"],
    );
    run("nested.toml", &swap("speed = 0.5", "sped = 0.5"), &[":", "sped", "did you mean `speed`?"]);
    run(
        "variant.toml",
        &swap("all-arrived", "all-arived"),
        &["all-arived", "did you mean `all-arrived`?"],
    );
    run("nan.toml", &swap("speed = 0.5", "speed = nan"), &["pursuers[0].speed", "NaN"]);
    run(
        "spread.toml",
        &swap("start = \"A\"", "spread = 2.0"),
        &["pursuers[0].spread", "2", "needs a start"],
    );
    run("minus.toml", &swap("speed = 0.5", "speed = -0.5"), &["pursuers[0].speed", "-0.5"]);
    let line = |text: &str| 1 + rooms[..rooms.find(text).unwrap()].matches('\n').count();
    let place = format!(":{}: pursuers[0].speed", line("speed = 0.5"));
    run("line.toml", &swap("speed = 0.5", "speed = -0.5"), &[&place]);
    run("far.toml", &swap("speed = 0.5", "speed = 1e300"), &["pursuers[0].speed = 1e300", "10^6"]);
    run("whole.toml", &swap("steps = 4000", "steps = -4"), &["steps: ", "whole number from 0"]);
    run("zero.toml", &swap("steps = 4000", "steps = 0"), &["steps", "0"]);
    run("type.toml", &swap("steps = 4000", "steps = \"many\""), &[":4: "]);
    run("wall.toml", &swap("start = \"t\"", "start = [0.0, 0.0]"), &["evaders[0].start", "wall"]);
    run("inf.toml", &swap("start = \"t\"", "start = [inf, 0.0]"), &["evaders[0].start", "inf"]);
    run("mark.toml", &swap("start = \"t\"", "start = \"z\""), &["evaders[0].start", "drawing"]);
    run("place.toml", &swap("start = \"t\"", "start = [1.0]"), &["evaders[0].start"]);
    run("box.toml", &swap("to = [34, 5]", "to = [340, 5]"), &["edits[0]", "340"]);
    run("late.toml", &swap("step = 125", "step = 4000"), &["edits[0].step"]);
    run("row.toml", &swap("...A....", "...A..."), &["map.drawing = row 4: "]);
    run("letter.toml", &swap("...A....", "...A.?.."), &["map.drawing = row 4: ", "?"]);
    run("empty.toml", "", &[":1: "]);
    run("syntax.toml", "name = \n", &[":1: "]);
    run(
        "huge.toml",
        &format!("{}size = [1000000000, 1000000000]\n", "name='h'\nsteps=1\n[map]\n"),
        &[":1: "],
    );
    let huge = "name='h'\nsteps=1\n[map]\nsize=[1000000000, 1000000000]\n[[evaders]]\nstart=[0,0]\n[[pursuers]]\nspeed=1.0\n";
    run("huge2.toml", huge, &["map.size", "1000000000"]);
    let wave = huge
        .replace("1000000000, 1000000000", "9, 9")
        .replace("[[evaders]]", "wave_speed = -1.0\n[[evaders]]");
    run("wave.toml", &wave, &["map.wave_speed", "-1"]);
    refused(&["run", "rooms", "--set", "evaders.3.speed=1"], &["evaders.3.speed"]);
    let fast = ["--set", "pace={frame=1.0,updates=1}", "--set", "evaders.0.speed=1001"];
    refused(&[&["run", "rooms"], &fast[..]].concat(), &["evaders[0].speed = 1001", "1000 cells"]);
    let far = ["run", "hunt", "--set", "evaders.0.mind.utility.detour={length=100000.0}"];
    refused(&far, &["evaders[0].mind.utility.detour.length = 100000", "on this map"]);
    refused(&["run", "rooms", "--set", "evaders.0.sped=1"], &["evaders.0.sped = 1", "sped"]);
    refused(&["run", "rooms", "--set", "steps"], &["KEY=VALUE"]);
    for (setting, parts) in [
        ("evaders.0.mind=flee", &["evaders[0].mind", "{ flee = 60 }"][..]),
        ("evaders.0.mind={ flee = 1, wander = 2 }", &["evaders[0].mind", "two choices"]),
        ("evaders.0.mind={ patrol = [] }", &["evaders[0].mind.patrol = []"]),
        ("evaders.0.mind={ patrol = [[0, 0]] }", &["mind.patrol[0] = [0.0, 0.0]", "wall"]),
        ("pursuers.1.name=pursuers 0", &["pursuers[1].name", "pursuers 0"]),
        ("slices=[0]", &["slices[0]", "2D"]),
        ("name=\"\"", &["name"]),
        ("zzz=1", &["zzz: unknown field"]),
        ("claims.0.at_most=6", &["claims[0].at_least = 7", "above at_most"]),
        ("claims.0.at_most=inf", &["claims[0].at_most = inf", "finite"]),
        ("claims.0.outcome=arived", &["claims[0].outcome", "arived", "did you mean arrived?"]),
        ("pace={ frame = 1e-101, updates = 1 }", &["pace.frame = 1e-101: must be 10^-100 to 10^6"]),
        ("figures=[\"walkd\"]", &["figures[0] = walkd", "no such figure"]),
    ] {
        refused(&["run", "rooms", "--set", setting], parts);
    }
    refused(&["run", "house", "--set", "slices=[99]"], &["slices[0] = 99", "below"]);
    // A wrong value that only a variant sets is also found, by the variant's name.
    let variant =
        swap("[[evaders]]", "[[variants]]\nname = \"odd\"\nset = { sped = 1 }\n[[evaders]]");
    run("odd.toml", &variant, &["with sped = 1, variant \"odd\"", "sped"]);
    // A setting may fit the scenario, though not its variants, which do not run with it; or it may
    // be why the file itself does not do.
    let still = ["run", "hunt", "--set", "evaders.0.mind=still", "--set", "steps=400"];
    assert!(harness().args(still).output().unwrap().status.success());
    refused(&["run", "rooms", "--set", "steps=10"], &["rooms:72 with steps = 10: edits[0].step"]);
    refused(
        &["run", "rooms", "--set", "tracking.waves=1"],
        &["with tracking.waves = 1: tracking:"],
    );
    // A value that a crate refuses is named by its key.
    let reach = "evaders.0.mind.utility.danger.reach=-1";
    refused(&["run", "hunt", "--set", reach], &["evaders[0].mind.utility.danger: reach = -1"]);
    refused(&["run", "rooms", "--seed", "-1"], &["--seed", "-1"]);
    let binary = folder.file("binary.toml", [1, 2, 255, 254, 10]);
    refused(&["run", &binary], &["binary.toml"]);
    refused(&["run", folder.path("missing.toml").to_str().unwrap()], &["missing.toml"]);
    refused(&["run", "room"], &["room", "did you mean rooms?"]);
    refused(&["run", &folder.file("note.txt", "")], &["note.txt", "not named .toml"]);
}

/// A key that would change nothing is refused, with what it needs.
#[test]
fn keys_that_mean_nothing_are_refused() {
    let of_published = "needs a published rule, watanabe or kumagai";
    for (scenario, setting, told) in [
        ("rooms", "tracking.threshold=1e-6", "tracking.threshold = 1e-6: "),
        ("rooms", "tracking.source=impulse", "tracking.source = \"impulse\": "),
        ("rooms", "tracking.amplitude=2", "tracking.amplitude = 2.0: "),
        ("rooms", "tracking.schedule=periodic", "tracking.schedule = \"periodic\": "),
        ("rooms", "tracking.direction=gradient", "tracking.direction = \"gradient\": "),
        ("rooms", "tracking.sampling=cell", "tracking.sampling = \"cell\": "),
        ("rooms", "tracking.stability=0.9", "tracking.stability = 0.9: "),
        (
            "rooms",
            "tracking={ rule = \"per-emission\", damping = 0.1 }",
            "tracking.damping = 0.1: ",
        ),
    ] {
        refused(&["run", scenario, "--set", setting], &[told, of_published]);
    }
    for (scenario, setting, parts) in [
        (
            "watanabe",
            "tracking.fronts=waves",
            ["tracking.fronts = waves", "rule wake or per-emission"],
        ),
        ("rooms", "map.cell=-2", ["map.cell = -2.0", "> 0"]),
        ("rooms", "map.level=A", ["map.level = \"A\"", ".ldtk"]),
        ("rooms", "map.cell=2", ["map.cell = 2.0", ".obj"]),
        ("rooms", "map.view=floor", ["map.view = floor", ".obj"]),
        ("rooms", "map.up=z", ["map.up = z", ".obj"]),
        (
            "hunt",
            "evaders.0.mind.utility.legs.launch_speed=5",
            ["evaders[0].mind.utility.legs.launch_speed = 5.0", "heights"],
        ),
        (
            "hunt",
            "evaders.0.mind.utility.legs.step_height=1",
            ["evaders[0].mind.utility.legs.step_height = 1.0", "heights"],
        ),
    ] {
        refused(&["run", scenario, "--set", setting], &parts);
    }
}

#[test]
fn refused_settings_are_named_by_their_whole_key() {
    // Without a pace, a frame is a step of the waves.
    for fast in ["evaders.0.speed=1e5", "pursuers.0={ speed = 1e5, mind = { travel = {} } }"] {
        let key = format!("{}[0].speed = 100000.0", &fast[..fast.find('.').unwrap()]);
        refused(&["run", "rooms", "--set", fast], &[&key, "1000 cells"]);
    }
    // None is passed over that a choice does not have.
    for choice in [
        "danger.falloff={ power = { exponent = 2, zzz = 1 } }",
        "danger_curve={ linear = { slope = 1, offset = 0, zzz = 1 } }",
    ] {
        let setting = format!("evaders.0.mind.utility.{choice}");
        refused(&["run", "hunt", "--set", &setting], &["unknown field `zzz`"]);
    }
    for (setting, told) in [
        ("mind.utility.detour={ of-start = -1 }", "mind.utility.detour.of-start = -1.0: must be 0"),
        ("mind.utility.detour={ length = -1 }", "mind.utility.detour.length = -1.0: must be 0"),
        ("speed=-1", "speed = -1.0: must be > 0, <= 10^6"),
    ] {
        let setting = format!("evaders.0.{setting}");
        refused(&["run", "hunt", "--set", &setting], &[&format!("evaders[0].{told}")]);
    }
}

#[test]
fn verify_fails_where_a_claim_is_contradicted_and_not_where_seeds_are_too_few() {
    // With one seed no ratio of means is known.
    let open = json(&["verify", "hunt", "--seeds", "1"]);
    let claims = open["claims"].as_array().unwrap();
    assert_eq!(open["holds"], false);
    assert!(claims.iter().all(|claim| claim["refuted"] == false));

    let folder = Folder::new();
    let rooms = include_str!("../../scenarios/rooms.toml");
    let (file, page) = (folder.name("mine.toml"), folder.path("page.md"));
    let arguments = ["verify", &file, "--seeds", "1", "--page", page.to_str().unwrap()];
    fs::write(&file, rooms.replace("at_least = 7", "at_least = 8")).unwrap();
    let output = harness().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("fails: every pursuer finds it"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("contradicts what is claimed"));
    // The page tells how it was made, and shows no picture that is not there.
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(&format!("verify {file} --first 1 --seeds 1")) && !page.contains("!["));

    fs::write(&file, rooms.replace(r#"outcome = "arrived""#, r#"outcome = "arived""#)).unwrap();
    let parts = ["mine.toml", "claims[0].outcome", "arived", "did you mean arrived?"];
    refused(&["verify", &file, "--seeds", "1"], &parts);
}

#[test]
fn the_end_of_a_long_run_is_shown() {
    let folder = Folder::new();
    // More moments than are kept, at the last of which a group has just come in.
    let scene = "name = \"long\"\nsteps = 4101\nrecord_every = 1\nuntil = \"last-step\"\n\
                 [map]\nsize = [9, 9]\n[[evaders]]\nstart = [8, 8]\n\
                 [[pursuers]]\nstart = [1, 4]\nenter = 4100\nspeed = 0.5\n";
    let scene = folder.file("long.toml", scene);
    json(&["run", &scene, "--out", &folder.name("out")]);
    let report = fs::read_to_string(folder.path("out/report.html")).unwrap();
    let kept = report.split_once("\"steps\":[").unwrap().1.split_once(']').unwrap().0;
    assert!(kept.ends_with(",4098,4100,4101"), "{}", &kept[kept.len() - 40..]);
    // The pursuer's disc is there.
    let picture = fs::read(folder.path("out/final.png")).unwrap();
    let picture = tiny_skia::Pixmap::decode_png(&picture).unwrap();
    assert!(picture.pixels().iter().any(|p| (p.red(), p.green(), p.blue()) == (202, 62, 71)));
}

#[test]
fn verify_takes_seeds_up_to_the_last_one() {
    let folder = Folder::new();
    let scene = "name = \"scene\"\nsteps = 20\nuntil = \"last-step\"\n[map]\nsize = [20, 20]\n\
                 [[evaders]]\nstart = [15.0, 10.0]\nspeed = 0.2\nmind = { wander = 20 }\n\
                 [[pursuers]]\ncount = 1\nspeed = 0.5\n";
    let file = folder.file("scene.toml", scene);
    for (first, seeds) in [("18446744073709551615", "1"), ("18446744073709551614", "2")] {
        let verified = json(&["verify", &file, "--first", first, "--seeds", seeds]);
        assert_eq!(verified["seeds"]["first"].to_string(), first);
    }
    refused(
        &["verify", &file, "--first", "18446744073709551615", "--seeds", "2"],
        &[
            "--first 18446744073709551615 --seeds 2: the last seed",
            "at most 2^64 - 1 = 18446744073",
        ],
    );
}

#[test]
fn run_shows_the_figures_that_a_scenario_is_about() {
    let output = harness().args(["run", "rooms"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\narrived: 7\n") && text.contains("\nwalked_mean: "), "{text}");
}

#[test]
fn help_and_version_are_no_errors() {
    for option in ["--help", "--version"] {
        let output = harness().arg(option).output().unwrap();
        assert!(output.status.success());
        assert!(output.stderr.is_empty() && !output.stdout.is_empty());
    }
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").is_dir());
}

/// Waves run and walkers walk on a map's file as on the drawing or the boxes that say the same.
#[test]
fn a_map_file_is_ground_like_any_other() {
    let folder = Folder::new();
    let minds = "[[evaders]]\nstart = PLACE\nspeed = 0.3\nmind = { wander = 20 }\n[[pursuers]]\ncount = 5\nspeed = 0.5\n";
    let scene = |map: &str, place: &str| {
        format!("name = \"s\"\nsteps = 300\n[map]\n{map}\n{}", minds.replace("PLACE", place))
    };
    let outcome = |name: &str, text: &str| {
        let run = json(&["run", &folder.file(name, text)]);
        ["steps", "outcome", "state_hash"].map(|key| run[key].clone())
    };

    let rows = "..@....\n.T..W..\n....@..\n.....O.\n";
    folder.file("flat.map", format!("type octile\nheight 4\nwidth 7\nmap\n{rows}"));
    let drawing = rows.replace(['@', 'T', 'W', 'O'], "#");
    assert_eq!(
        outcome("file.toml", &scene("file = \"flat.map\"", "[0, 3]")),
        outcome("drawing.toml", &scene(&format!("drawing = \"\"\"\n{drawing}\"\"\""), "[0, 3]")),
    );

    folder.file("deep.3dmap", "voxel 4 5 6\n1 2 3\n3 4 5\n");
    let boxes = "size = [4, 5, 6]\nboxes = [{ from = [1, 2, 3], to = [1, 2, 3], wall = true }, \
                 { from = [3, 4, 5], to = [3, 4, 5], wall = true }]";
    assert_eq!(
        outcome("file.toml", &scene("file = \"deep.3dmap\"", "[0, 3, 0]")),
        outcome("boxes.toml", &scene(boxes, "[0, 3, 0]")),
    );

    let wrong = |map: &str, parts: &[&str]| {
        refused(&["run", &folder.file("wrong.toml", scene(map, "[0, 3]"))], parts);
    };
    wrong("file = \"none.map\"", &["wrong.toml:4: map.file = \"none.map\": ", "cannot be read"]);
    wrong("file = \"file.toml\"", &["map.file", ".map or .3dmap"]);
    wrong(
        "file = \"flat.map\"\nsize = [2, 2]",
        &["wrong.toml:3: map = ", "one of drawing, size and file"],
    );
    folder.file("bad.map", "type octile\nheight 1\nwidth 2\nmap\n.?\n");
    wrong("file = \"bad.map\"", &["map.file", "bad.map:5: unknown letter `?`"]);
}
