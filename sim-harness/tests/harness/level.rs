//! `jump` and `audit`: their JSON, height maps good and bad, real terrains.

use crate::command::{Folder, data, harness, json, json_lines, refused, values};
use png::{BitDepth, ColorType};
use serde_json::Value;
use std::path::PathBuf;

const HEAD: &str = "NCOLS 5\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n";

/// A picture of 4 x 3 pixels.
fn write_png(path: &PathBuf, colour: ColorType, depth: BitDepth, bytes: &[u8]) {
    let mut encoder = png::Encoder::new(std::fs::File::create(path).unwrap(), 4, 3);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(bytes).unwrap();
}

#[test]
fn a_ditch_is_jumped_and_a_trap_is_found() {
    let folder = Folder::new();
    let file = folder.file("ditch.asc", format!("{HEAD}0 -3 -3 0 -9999\n0 -3 -3 0 1\n"));
    let jump = json(&[
        "jump",
        "--terrain",
        &file,
        "--from",
        "0,0",
        "--to",
        "4,1",
        "--speed",
        "6",
        "--prefer",
        "fewest-jumps",
    ]);
    assert_eq!(jump["reachable"], true);
    let path = jump["path"].as_array().unwrap();
    assert_eq!((&path[0]["move"], &path[0]["cell"][1]), (&Value::from("start"), &Value::from(0)));
    let jumps: Vec<_> = path.iter().filter(|step| step["move"] == "jump").collect();
    assert_eq!(jumps.len(), 2);
    assert!(jumps.iter().all(|step| step["flight"]["margin"].as_f64().unwrap() > 0.0));
    assert!(jump["steps_grouped"].as_u64() < jump["steps_plain"].as_u64());
    let out = folder.path("out");
    let audit = |threads: &str| {
        json(&[
            "audit",
            "--terrain",
            &file,
            "--speed",
            "6",
            "--start",
            "0,0",
            "--threads",
            threads,
            "--out",
            out.to_str().unwrap(),
        ])
    };
    let first = audit("1");
    assert_eq!((&first["cells"], &first["traps"]), (&Value::from(10), &Value::from(1)));
    assert_eq!(first["unreachable"], 0);
    for threads in ["2", "8"] {
        assert_eq!(audit(threads)["state_hash"], first["state_hash"]);
    }
    let list: Value =
        serde_json::from_slice(&std::fs::read(out.join("findings.json")).unwrap()).unwrap();
    let trap = &list["worst_first"][0];
    assert_eq!((&trap["finding"], &trap["cells"]), (&"trap".into(), &4.into()));
    // Cells are [column, row], as they are typed: the ditch is in columns 1 and 2.
    assert_eq!(
        (&trap["cell"], &trap["entrance"]["to"][0]),
        (&serde_json::json!([1, 0]), &1.into())
    );
    assert_eq!(trap["entrance"]["from"][0], 0);
    let picture = tiny_skia::Pixmap::load_png(out.join("audit.png")).unwrap();
    // The largest cells that there are, and a margin for marks at the edge.
    assert_eq!(picture.width(), 5 * 48 + 2 * 16);
}

#[test]
fn the_published_rule_walks_on_a_plain() {
    let folder = Folder::new();
    let row = "0 0 0 0 0 0 0 0\n";
    let plain = folder.file("plain.asc", format!("ncols 8\nnrows 2\ncellsize 1\n{row}{row}"));
    let ends = ["--from", "0,0", "--to", "7,1", "--speed", "6", "--rule", "published"];
    let jump = json(&[&["jump", "--terrain", &plain], &ends[..]].concat());
    let kinds: Vec<_> = jump["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["move"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["start", "walk", "walk", "walk", "walk", "walk", "walk", "walk"]);
    // One group: no edge between groups needs to be looked at.
    assert_eq!(jump["steps_grouped"], 0);
}

#[test]
fn nobody_stands_where_one_may_not_go() {
    let folder = Folder::new();
    let row = "0 0 0 0 0 0 0 0\n";
    let plain = folder.file("plain.asc", format!("ncols 8\nnrows 2\ncellsize 1\n{row}{row}"));
    let line = ["jump", "--terrain", &plain, "--from", "0,0", "--to", "7,1", "--speed"];
    let jump = |speed: &str, no_go: &[&str]| {
        let boxes = no_go.iter().flat_map(|corners| ["--no-go", corners]);
        json(&line.into_iter().chain([speed]).chain(boxes).collect::<Vec<_>>())
    };
    // Over a strip of two cells by a jump, if one jumps that far.
    let over = jump("6", &["3,0,4,1"]);
    let moves = || over["path"].as_array().unwrap().iter();
    assert!(moves().any(|step| step["move"] == "jump"));
    let inside = |step: &serde_json::Value| matches!(step["cell"][0].as_u64(), Some(3 | 4));
    assert!(!moves().any(inside), "{over}");
    assert_eq!(jump("3", &["3,0,4,1"])["reachable"], false);
    assert_eq!(jump("3", &["3,0,3,0", "4,0,4,0"])["reachable"], true);
    for (no_go, part) in [
        ("3,0,8,1", "--no-go 3,0,8,1: must lie on the level of 8 x 2 cells"),
        ("4,0,3,1", "the smaller corner first"),
        ("3,0,4", "four whole numbers"),
    ] {
        let ask = ["jump", "--terrain", &plain, "--speed", "6", "--from", "0,0", "--to", "7,1"];
        refused(&[&ask[..], &["--no-go", no_go]].concat(), &[part]);
    }
}

#[test]
fn a_way_is_drawn_and_a_missing_one_may_be_denied() {
    let folder = Folder::new();
    let file = folder.file("ditch.asc", format!("{HEAD}0 -3 -3 0 9\n0 -3 -3 0 1\n"));
    let out = folder.path("out");
    let ask = |to: &str, more: &[&str]| {
        let ends = ["jump", "--terrain", &file, "--speed", "6", "--from", "0,0", "--to", to];
        let output = harness().args(ends).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = ask("4,1", &["--out", out.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    assert!(text.contains("jump.png"), "{text}");
    let picture = tiny_skia::Pixmap::load_png(out.join("jump.png")).unwrap();
    assert!(picture.width() > picture.height());
    let deny = ["--deny", "unreachable"];
    assert_eq!(ask("4,1", &deny).0, Some(0));
    let (code, text) = ask("4,0", &[]);
    assert!(code == Some(0) && text.starts_with("not reachable"), "{code:?} {text}");
    assert_eq!(ask("4,0", &deny).0, Some(1));
}

/// A wall that one is meant to walk around, pillars that let one hop over it, and a pit.
fn wall(folder: &Folder) -> String {
    let mut rows = vec![["0"; 13]; 9];
    for row in &mut rows[..8] {
        row[6] = "3";
    }
    (rows[0][4], rows[0][8], rows[4][1]) = ("1.5", "1.5", "-4");
    let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    folder.file("wall.asc", format!("ncols 13\nnrows 9\ncellsize 1\n{}\n", rows.join("\n")))
}

#[test]
fn a_route_has_its_shortcuts_a_goal_its_cuts_and_a_level_its_speeds() {
    let folder = Folder::new();
    let file = wall(&folder);
    let route = folder.file("route.txt", "0,0 # here\n\n6,8\n12,0\n");
    let out = folder.path("out");
    let all = ["audit", "--terrain", &file, "--speed", "6", "--start", "0,0", "--goal", "12,0"];
    let more = ["--route", &route, "--speeds", "--out", out.to_str().unwrap()];
    let audit = json(&[&all[..], &more[..]].concat());
    assert!(audit["worst_shortcut"].as_u64().unwrap() >= 10, "{audit}");
    assert_eq!(audit["goal"]["reached"], true);
    assert_eq!(audit["goal"]["on_every_way"].as_array().unwrap().len(), 0);
    let speeds = audit["speeds"].as_array().unwrap();
    assert_eq!(speeds.last().unwrap()["reached"], 13 * 9);
    let list: Value =
        serde_json::from_slice(&std::fs::read(out.join("findings.json")).unwrap()).unwrap();
    let worst = &list["shortcuts_worst_first"][0];
    assert_eq!(worst["skipped"], audit["worst_shortcut"]);
    // Over the wall in column 6, where it is lowest, in row 0; and so says stdout.
    let first = &worst["way"][0];
    let ends = ["from", "to"].map(|end| first[end].as_array().unwrap().clone());
    assert!(
        ends[0][0].as_u64() < Some(6) && ends.iter().all(|end| end[0].as_u64() < Some(13)),
        "{worst}"
    );
    let last = &speeds.last().unwrap()["witness"];
    assert_eq!(*last, list["speeds_ascending"].as_array().unwrap().last().unwrap()["witness"]);
    let cuts = list["cuts_worst_first"].as_array().unwrap();
    let trap = list["worst_first"].as_array().unwrap().iter().find(|f| f["finding"] == "trap");
    assert_eq!(trap.unwrap()["cell"], serde_json::json!([1, 4]), "{cuts:?}");
    assert!(worst["flight"]["margin"].as_f64().unwrap() > 0.0);
    // Too slow even to jump across the gap at the end of the wall: all have to set foot in it.
    let slow = ["audit", "--terrain", &file, "--speed", "2", "--start", "0,0", "--goal", "12,0"];
    let slow = json(&slow);
    let gap = slow["goal"]["on_every_way"].as_array().unwrap();
    assert_eq!(*gap, vec![serde_json::json!([6, 8])]);
    assert!(slow["worst_cut"].as_u64().unwrap() > 50);
}

#[test]
fn a_bad_route_is_one_line() {
    let folder = Folder::new();
    let file = wall(&folder);
    let bad = |text: &str, parts: &[&str]| {
        let route = folder.file("bad.txt", text);
        refused(&["audit", "--terrain", &file, "--speed", "6", "--route", &route], parts);
    };
    bad("0,0\n1;2\n", &["bad.txt", "line 2", "1;2"]);
    bad("0,0\n", &["bad.txt", "two"]);
    bad("0,0\n\n99,0\n", &["bad.txt: line 3: 99,0: outside", "13 columns and 9 rows"]);
    bad("1,4 # a pit\n0,0\n", &["bad.txt: line 2: 0,0: there is no way"]);
    bad("0,0\n0,0\n", &["bad.txt: a route has two cells"]);
    refused(&["audit", "--terrain", &file, "--speed", "6", "--route", "nowhere"], &["nowhere"]);
    let goal = ["audit", "--terrain", &file, "--speed", "6", "--goal", "13,0"];
    refused(&goal, &["--goal 13,0: outside the terrain of 13 columns and 9 rows"]);
}

const FLAT: &str = "0 0 0 0 0\n0 0 0 0 0\n";
const DITCH: &str = "0 -3 -3 0 0\n0 -3 -3 0 0\n";

/// A folder of levels: one is flat, one below it has a trap.
fn levels(folder: &Folder) -> String {
    let (root, below) = (folder.path("levels"), folder.path("levels/below"));
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(root.join("flat.asc"), format!("{HEAD}{FLAT}")).unwrap();
    std::fs::write(root.join("notes.txt"), "no level").unwrap();
    std::fs::write(below.join("flat.asc"), format!("{HEAD}{DITCH}")).unwrap();
    folder.name("levels")
}

/// The exit code, a value a line of stdout, and stderr.
fn audited(arguments: &[&str]) -> (Option<i32>, Vec<Value>, String) {
    let output = harness().arg("audit").args(arguments).args(["--speed", "6", "--json"]).output();
    let output = output.unwrap();
    (output.status.code(), values(&output.stdout), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_gate_fails_where_a_denied_fault_is_there_and_only_there() {
    let folder = Folder::new();
    let root = levels(&folder);
    let (code, all, told) = audited(&[&root]);
    assert_eq!((code, all.len(), &*told), (Some(0), 2, ""));
    let ends = ["levels/below/flat.asc", "levels/flat.asc"];
    for (level, end) in all.iter().zip(ends) {
        assert!(level["file"].as_str().unwrap().ends_with(end), "{level}");
        assert_eq!(level.get("denied"), None);
    }
    let keys = ["traps", "unreachable", "one_way", "marginal", "cuts", "cuts_back"];
    let faults = ["trap", "unreachable", "one-way", "marginal", "cut", "cut-back"];
    for (key, fault) in keys.into_iter().zip(faults) {
        let counts: Vec<u64> = all.iter().map(|level| level[key].as_u64().unwrap()).collect();
        let (code, lines, told) = audited(&[&root, "--deny", fault]);
        let is_there = counts.iter().any(|&count| count > 0);
        assert_eq!(code, Some(i32::from(is_there)), "{fault}: {told}");
        assert_eq!(told.lines().count(), usize::from(is_there), "{fault}: {told}");
        for (line, count) in lines.iter().zip(counts) {
            let denied = serde_json::json!([{"fault": fault, "count": count}]);
            let expected = if count > 0 { denied } else { serde_json::json!([]) };
            assert_eq!(line["denied"], expected);
        }
    }
    assert!(all[0]["traps"] == 1 && all[1]["traps"] == 0);
    // A goal that is not reached, and one that nobody named.
    let ditch = folder.name("levels/below/flat.asc");
    let goal =
        |ends: &[&str]| audited(&[&["--terrain", &ditch, "--deny", "goal"], ends].concat()).0;
    assert_eq!(goal(&["--start", "0,0", "--goal", "4,0"]), Some(0));
    assert_eq!(goal(&["--start", "1,0", "--goal", "4,0"]), Some(1));
    assert_eq!(goal(&[]), Some(1));
    refused(
        &["audit", &root, "--speed", "6", "--deny", "shortcut"],
        &["--deny shortcut", "--route"],
    );
    refused(&["audit", &root, "--speed", "6", "--deny", "holes"], &["holes", "one-way"]);
    refused(&["audit", "--speed", "6"], &["FILE"]);
    refused(&["audit", &root], &["--speed V"]);
}

#[test]
fn a_gate_reports_every_level_also_beside_one_that_is_none() {
    let folder = Folder::new();
    let root = levels(&folder);
    folder.file("levels/bad.asc", "nrows <2>\n");
    let (out, junit) = (folder.path("out"), folder.name("junit.xml"));
    let gate = [&root, "--deny", "trap,one-way", "--junit", &junit, "--out", out.to_str().unwrap()];
    let (code, lines, told) = audited(&gate);
    assert_eq!((code, lines.len(), told.lines().count()), (Some(2), 2, 1), "{told}");
    assert!(told.contains("bad.asc:1"), "{told}");
    let xml = std::fs::read_to_string(&junit).unwrap();
    let count = |text: &str| xml.matches(text).count();
    // Two of the ditch fail, two of the flat one pass, and a file that is no level is one error.
    let seen = ["<testsuite ", "<testcase ", "<failure ", "<error "].map(count);
    assert_eq!(seen, [3, 5, 2, 1], "{xml}");
    assert!(xml.contains("1 traps") && xml.contains("a trap of 4 cells"), "{xml}");
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    for text in ["1 traps", "flat-2/audit.png", "flat/findings.json", "not a level"] {
        assert!(page.contains(text), "no {text} in {page}");
    }
    assert!(!page.contains("<2>"), "{page}");
    for name in ["flat", "flat-2"] {
        let files = ["audit.png", "findings.json", "index.html"];
        assert!(files.iter().all(|file| out.join(name).join(file).is_file()), "{name}");
    }
    assert!(!out.join("bad").exists());
    refused(&["audit", &root, "--speed", "6", "--junit", &folder.name("no/j.xml")], &["no/j.xml"]);
    let (bad, alone) = (folder.name("levels/bad.asc"), folder.name("alone.xml"));
    refused(&["audit", "--terrain", &bad, "--speed", "6", "--junit", &alone], &["bad.asc:1"]);
    assert_eq!(std::fs::read_to_string(&alone).unwrap().matches("<error ").count(), 1);
    std::fs::create_dir(folder.path("empty")).unwrap();
    refused(&["audit", &folder.name("empty"), "--speed", "6"], &["empty: holds no file", ".tmx"]);
}

#[test]
fn start_and_goal_are_drawn_whole() {
    let folder = Folder::new();
    let file = folder.file("flat.asc", format!("{HEAD}{FLAT}"));
    let out = folder.path("out");
    let ends = ["--start", "0,0", "--goal", "4,1", "--out", out.to_str().unwrap()];
    assert_eq!(audited(&[&["--terrain", &file], &ends[..]].concat()).0, Some(0));
    let picture = tiny_skia::Pixmap::load_png(out.join("audit.png")).unwrap();
    let (width, height) = (picture.width(), picture.height());
    let is_paper = |x: u32, y: u32| {
        let pixel = picture.pixel(x, y).unwrap();
        (pixel.red(), pixel.green(), pixel.blue()) == (250, 250, 248)
    };
    for x in 0..width {
        assert!(is_paper(x, 0) && is_paper(x, height - 1));
    }
    for y in 0..height {
        assert!(is_paper(0, y) && is_paper(width - 1, y));
    }
    let at = |x: u32, y: u32| {
        let pixel = picture.pixel(16 + 24 + 48 * x, 16 + 24 + 48 * y).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    };
    assert_eq!((at(0, 0), at(4, 1)), ([24, 24, 30], [190, 30, 40]));
}

#[test]
fn scenarios_are_levels_with_their_own_jumpers() {
    let leap = json(&["audit", "leap"]);
    assert_eq!(leap["cells"], 44 * 28);
    // Where its evader starts, and its home.
    assert_eq!(leap["start"], serde_json::json!([3, 22]));
    assert_eq!(leap["goal"]["cell"], serde_json::json!([40, 4]));
    assert_eq!(leap["goal"]["reached"], true);
    // Nobody gets out of the two chasms, says its file, and a bridge parts each in two; a stronger
    // jumper does.
    assert_eq!(leap["traps"], 4);
    assert_eq!(json(&["audit", "leap", "--speed", "8"])["traps"], 0);
    let jump = json(&["jump", "--terrain", "leap", "--from", "3,22", "--to", "40,4"]);
    assert_eq!(jump["reachable"], true);
    refused(&["audit", "rooms"], &["rooms", "legs", "launch_speed"]);
    refused(&["audit", "nothing.toml"], &["nothing.toml"]);
}

#[test]
fn grey_pictures_of_8_and_16_bits_are_terrains() {
    let folder = Folder::new();
    let (eight, sixteen) = (folder.path("a.png"), folder.path("b.png"));
    let (grey, row) = (ColorType::Grayscale, [0, 1, 2, 3]);
    write_png(&eight, grey, BitDepth::Eight, &row.repeat(3));
    write_png(&sixteen, grey, BitDepth::Sixteen, &row.map(|x| [x, 0]).concat().repeat(3));
    let groups = |file: &PathBuf, scale: &str| {
        let file = file.to_str().unwrap();
        json(&["audit", "--terrain", file, "--speed", "6", "--scale", scale])["groups"].clone()
    };
    assert_eq!(groups(&eight, "1"), 4);
    assert_eq!(groups(&sixteen, "0.00390625"), 4);
    let colour = folder.path("c.png");
    write_png(&colour, ColorType::Rgb, BitDepth::Eight, &[0; 36]);
    refused(&["audit", "--terrain", colour.to_str().unwrap(), "--speed", "6"], &["grey"]);
}

#[test]
fn bad_input_is_one_line() {
    let folder = Folder::new();
    let good = folder.file("good.asc", format!("{HEAD}0 0 0 0 0\n0 0 0 0 -9999\n"));
    let bad = |text: &str, parts: &[&str]| {
        let file = folder.file("bad.asc", text);
        refused(&["audit", "--terrain", &file, "--speed", "6"], parts);
    };
    bad("", &["ncols"]);
    bad(&format!("{HEAD}0 0 0 0\n0 0 0 0 0\n"), &["bad.asc:6", "4 heights", "5"]);
    bad(&format!("{HEAD}0 0 0 0 nan\n0 0 0 0 0\n"), &["bad.asc:6", "column 4", "nan"]);
    bad(&format!("{HEAD}0 0 0 0 0\n"), &["1 rows", "2"]);
    bad(
        &format!("{HEAD}-9999 -9999 -9999 -9999 -9999\n").replace("nrows 2", "nrows 1"),
        &["stood"],
    );
    bad(&HEAD.replace("cellsize 1", "cellsize -1"), &["bad.asc:5", "cellsize"]);
    bad(&HEAD.replace("nrows 2", "rows 2"), &["bad.asc:2", "rows"]);
    bad("ncols 1\nnrows 1\ncellsize 1\n5\n", &["1 x 1"]);
    let audit = |more: &[&str], parts: &[&str]| {
        refused(&[&["audit", "--terrain", &good], more].concat(), parts);
    };
    audit(&["--speed", "6", "--start", "4"], &["--start 4", "C,R"]);
    // A value is refused by its option, as it was typed, and with its limit.
    for (options, line) in [
        ("--speed -6.0", "--speed -6.0: must be > 0 and at most 1e6"),
        ("--speed -inf", "--speed -inf: must be > 0 and at most 1e6"),
        ("--speed -NaN", "--speed -NaN: must be > 0 and at most 1e6"),
        ("--speed 6 --scale -infinity", "--scale -infinity: must be within 1e-9 to 1e9"),
        ("--speed 6 --gravity 0", "--gravity 0: must be > 0 and at most 1e6"),
        ("--speed 1e-6", "--speed 1e-6 --gravity 9.80665: speed^2 / gravity is 1.01971621297"),
        ("--speed 6 --step-height -1", "--step-height -1: must be 0 to 1e9"),
        ("--speed 6 --max-fall -1", "--max-fall -1: must be 0 to 1e9"),
        ("--speed 6 --cell 0", "--cell 0: must be within 1e-6 to 1e6"),
        ("--speed 6 --scale -1", "--scale -1: must be within 1e-9 to 1e9"),
        ("--speed 6 --quantise 0", "--quantise 0: must be within 1e-9 to 1e9"),
        ("--speed 6 --speeds --rule published", "--speeds: launch speeds cannot be ordered"),
        (
            "--speed 6 --start 20,0 --goal 99,0",
            "--start 20,0: outside the terrain of 5 columns and 2 rows",
        ),
        ("--speed 6 --goal 0,2", "--goal 0,2: outside the terrain of 5 columns and 2 rows"),
        ("--speed 6 --start 4,1", "--start 4,1: cannot be stood on: it has no data"),
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        audit(&options, &[line]);
        let output = harness().args(["audit", "--terrain", &good]).args(options).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        let told = told.strip_prefix("sim-harness: ").unwrap_or(&told);
        assert!(told.starts_with(line), "{told}");
    }
    let high = folder.file("high.asc", format!("{HEAD}0 0 0 0 0\n0 0 0 2 0\n"));
    let high = ["audit", "--terrain", &high, "--speed", "6", "--scale", "1e9"];
    refused(&high, &["--scale 1e9: the height of cell 3,1 of ", "high.asc is 2000000000", "+-1e9"]);
    let small = folder.file("small.asc", "ncols 2\nnrows 1\ncellsize 1e-7\n0 0\n");
    refused(&["audit", "--terrain", &small, "--speed", "6"], &["small.asc", "cell_size", "1e-6"]);
    let jump = |from: &str, to: &str, line: &str| {
        let ends = ["--from", from, "--to", to];
        refused(&[&["jump", "--terrain", &good, "--speed", "6"], &ends[..]].concat(), &[line]);
    };
    jump("20,0", "0,0", "--from 20,0: outside the terrain of 5 columns and 2 rows");
    jump("0,0", "1,9", "--to 1,9: outside the terrain of 5 columns and 2 rows");
    jump("0,0", "4,1", "--to 4,1: cannot be stood on: it has no data");
    refused(&["audit", "--terrain", "none.asc", "--speed", "6"], &["none.asc"]);
    refused(&["audit", "--terrain", "none.bmp", "--speed", "6"], &[".png"]);
}

#[test]
fn real_terrains_are_audited() {
    let Some(folder) = data("heightmap") else { return };
    let mut count = 0;
    for kind in ["dem", "game"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "asc") {
                continue;
            }
            // Cells of 2 m and a tenth of the relief: walks and jumps exist everywhere.
            let audit = json(&[
                "audit",
                "--terrain",
                path.to_str().unwrap(),
                "--cell",
                "2",
                "--scale",
                "0.1",
                "--quantise",
                "0.5",
                "--step-height",
                "0.5",
                "--speed",
                "6",
            ]);
            for kind in ["walk", "jump"] {
                assert!(audit["edges"][kind].as_u64() > Some(0), "{path:?}: {audit}");
            }
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn links_join_what_jumps_join_and_walking_does_not() {
    let folder = Folder::new();
    let rows = ["0 0 -9 0 0 0 2", "0 0 -9 0 1 0 2", "0 0 -9 0 0 0 2"].join("\n");
    let file = folder.file("a.asc", format!("ncols 7\nnrows 3\ncellsize 1\n{rows}\n"));
    let links = |threads: &str| {
        json_lines(&["links", "--terrain", &file, "--speed", "5", "--threads", threads])
    };
    let all = links("1");
    assert_eq!(all, links("3"));
    let number = |value: &Value| value.as_f64().unwrap();
    let mut pairs = Vec::new();
    for link in &all {
        // The flight begins and ends where it says, and takes no more speed than there is.
        let at = |key: &str, i: usize| number(&link[key][i]);
        let time = number(&link["time"]);
        for i in 0..3 {
            let fallen = if i == 2 { 0.5 * 9.80665 * time * time } else { 0.0 };
            let landed = at("from", i) + at("launch", i) * time - fallen;
            assert!((landed - at("to", i)).abs() < 1e-9, "{link}");
        }
        let speed = (0..3).map(|i| at("launch", i).powi(2)).sum::<f64>().sqrt();
        assert!((speed - 5.0).abs() < 1e-9 && number(&link["least_speed"]) <= 5.0, "{link}");
        assert!(number(&link["margin"]) > 0.0);
        let groups = [&link["groups"][0], &link["groups"][1]].map(|g| g.as_u64().unwrap());
        pairs.push(groups);
        if link["both_ways"] == true {
            pairs.push([groups[1], groups[0]]);
        }
    }
    let count = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), count, "no pair of groups twice");
    // By brute force over all pairs of cells, as the command `jump` decides them.
    let file = file.into();
    let options = sim_harness::level::LevelOptions {
        terrain: file,
        import: sim_harness::import::ImportOptions::default(),
        scaling: sim_harness::maps::heights::Scaling::default(),
        speed: 5.0,
        gravity: jump_planner::STANDARD_GRAVITY,
        step_height: 0.0,
        max_fall: None,
        body: [0.0; 2],
        rule: jump_planner::JumpRule::default(),
        no_go: Vec::new(),
        storeys: false,
    };
    let graph = options.graph().unwrap();
    let cells = || (0..3).flat_map(|y| (0..7).map(move |x| [y, x]));
    let mut expected = Vec::new();
    for (from, to) in cells().flat_map(|from| cells().map(move |to| (from, to))) {
        let ends = [graph.group(from).unwrap(), graph.group(to).unwrap()];
        let jump = graph.jump(from, to).unwrap();
        if ends[0] != ends[1] && matches!(jump, jump_planner::Jump::Clear(_)) {
            expected.push(ends.map(|group| group as u64));
        }
    }
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(pairs, expected);
    assert!(pairs.len() > 4);
}

#[test]
fn storeys_lie_under_a_bridge_and_on_it() {
    // Ground of 7 x 3 voxels; a bridge over its middle row, and two crates to get onto it.
    let mut voxels = String::from("voxel 7 3 6\n");
    let ground = (0..7).flat_map(|x| (0..3).map(move |y| [x, y, 0]));
    let others = [[1, 1, 3], [2, 1, 3], [3, 1, 3], [4, 1, 3], [5, 1, 1], [5, 1, 2], [6, 1, 1]];
    for [x, y, z] in ground.chain(others) {
        voxels += &format!("{x} {y} {z}\n");
    }
    let folder = Folder::new();
    let file = folder.file("bridge.3dmap", voxels);
    let level = ["--terrain", &file, "--speed", "5", "--body", "0.2,1.5", "--storeys"];
    let of = |command: &'static str, more: &[&str]| {
        let mut arguments = vec![command];
        arguments.extend(level);
        arguments.extend(more);
        json(&arguments)
    };
    let up = of("jump", &["--from", "2,1,1.5", "--to", "2,1", "--prefer", "fewest-jumps"]);
    let path = up["path"].as_array().unwrap();
    let ends = [path.first().unwrap(), path.last().unwrap()].map(|step| step["z"].as_f64());
    assert_eq!(ends, [Some(1.0), Some(4.0)]);
    assert_eq!(path.iter().filter(|step| step["move"] == "jump").count(), 3);
    let through = of("jump", &["--from", "2,0", "--to", "2,2", "--prefer", "shortest"]);
    assert!(through["path"].as_array().unwrap().iter().all(|step| step["z"] == 1.0));

    let audit = of("audit", &[]);
    let numbers = ["cells", "places", "storeys", "components", "unreachable", "marginal"];
    assert_eq!(numbers.map(|key| audit[key].as_u64().unwrap()), [21, 25, 3, 1, 0, 0], "{audit}");
    // A player that jumps less never gets up.
    let slow = json(&["audit", "--terrain", &file, "--speed", "4", "--storeys"]);
    assert_eq!(slow["unreachable"], 4 + 1 + 1, "{slow}");

    let inside = [&["jump"][..], &level, &["--from", "2,1,3.5", "--to", "0,0"]].concat();
    refused(&inside, &["--from 2,1,3.5", "inside something"]);
    let typed = [&["audit"][..], &level, &["--speeds"]].concat();
    refused(&typed, &["--speeds: launch speeds cannot be ordered under ceilings"]);
    let typed = [&["links"][..], &level, &["--quantise", "0.5"]].concat();
    refused(&typed, &["--quantise: not with --storeys"]);
}

/// A corridor, a gallery above it that stairs at its left end lead to, and a crate under its right
/// end by which one gets up without the stairs.
fn gallery(folder: &Folder) -> String {
    let mut voxels = String::from("voxel 12 3 6\n");
    let ground = (0..12).flat_map(|x| (0..3).map(move |y| [x, y, 0]));
    let gallery = (3..10).map(|x| [x, 1, 3]);
    let stairs = [[1, 1, 1], [2, 1, 1], [2, 1, 2]];
    let crates = [[11, 1, 1], [10, 1, 1], [10, 1, 2]];
    for [x, y, z] in ground.chain(gallery).chain(stairs).chain(crates) {
        voxels += &format!("{x} {y} {z}\n");
    }
    folder.file("gallery.3dmap", voxels)
}

#[test]
fn storeys_have_cuts_shortcuts_reports_and_pictures() {
    let folder = Folder::new();
    let file = gallery(&folder);
    let level = ["--terrain", &file, "--speed", "5", "--body", "0.2,1.5", "--storeys"];
    let route =
        folder.file("route.txt", "0,1 # up the stairs, along the gallery\n3,1,4\n9,1,4.5\n");
    let (out, junit) = (folder.path("out"), folder.path("audit.xml"));
    let more = ["--start", "0,1", "--goal", "9,1,4", "--route", &route, "--route-width", "0"];
    let deny = ["--least-skip", "2", "--deny", "cut,cut-back,shortcut,goal", "--json"];
    let written = ["--out", out.to_str().unwrap(), "--junit", junit.to_str().unwrap()];
    let typed = [&["audit"][..], &level, &more, &deny, &written].concat();
    let output = harness().args(&typed).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Up by the stairs or by the crates: no single loss matters, but there is a way past the
    // stairs.
    assert_eq!((&audit["cuts"], &audit["goal"]["reached"]), (&0.into(), &true.into()), "{audit}");
    assert_eq!(audit["denied"][0]["fault"], "shortcut", "{audit}");
    assert_eq!(audit["start"], serde_json::json!({"cell": [0, 1], "z": 1.0}));
    let list: Value =
        serde_json::from_slice(&std::fs::read(out.join("findings.json")).unwrap()).unwrap();
    let way = list["shortcuts_worst_first"][0]["way"].as_array().unwrap();
    assert_eq!(way.last().unwrap()["to"]["z"], 4.0, "{way:?}");
    assert!(std::fs::read_to_string(&junit).unwrap().contains("no shortcut"));
    assert!(std::fs::read_to_string(out.join("index.html")).unwrap().contains("no floor so high"));
    // Two plans of 12 x 3 cells, one below the other.
    let picture = tiny_skia::Pixmap::load_png(out.join("audit.png")).unwrap();
    assert_eq!((picture.width(), picture.height()), (12 * 48 + 2 * 16, 2 * (3 * 48 + 16) + 16));

    // Without the crates the stairs are the only way, and a way there is drawn.
    let alone = ["--start", "0,1", "--goal", "9,1,4", "--no-go", "10,0,11,2"];
    let audit = json(&[&["audit"][..], &level, &alone].concat());
    let every = audit["goal"]["on_every_way"].as_array().unwrap();
    assert!(every.contains(&serde_json::json!({"cell": [2, 1], "z": 3.0})), "{audit}");
    let ends = ["--from", "0,1", "--to", "9,1", "--out", out.to_str().unwrap()];
    let jump = json(&[&["jump"][..], &level, &ends].concat());
    assert!(jump["reachable"] == true && out.join("jump.png").exists());
}
