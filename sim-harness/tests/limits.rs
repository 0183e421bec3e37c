//! The cost of untrusted input: a little input never takes much time or memory, and the answer is
//! right or one line.
#![cfg(target_os = "linux")]

mod command;

use command::Folder;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// `[units: KiB]` The address space of a process, including its program and stacks.
const ADDRESSES: u32 = 200_000_000 / 1024;
/// Unoptimised programs on busy machines are slow.
const SECONDS: u64 = if cfg!(debug_assertions) { 20 } else { 1 };

/// A scene of `size`, with more lines behind it.
fn scene(map: &str, more: &str) -> String {
    format!(
        "name = \"a\"\nsteps = 3\nuntil = \"last-step\"\n[map]\n{map}\n[[evaders]]\n[[pursuers]]\n\
         speed = 0.5\n{more}"
    )
}

const SMALL: &str = "size = [5, 5]";

/// Runs the program with so many KiB of addresses, for a bounded time.
fn within(kib: u32, arguments: &[&str]) -> Output {
    let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(assert_cmd::cargo::cargo_bin!("sim-harness"))
        .args(arguments)
        // Whatever a thread may take for itself is taken from the addresses at once.
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(SECONDS) {
            child.kill().unwrap();
            panic!("{arguments:?}: not done after {SECONDS} s");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

/// Exit code 2 and one line that holds all of `parts`, or, where there are none, exit code 0.
#[track_caller]
fn cheap(arguments: &[&str], parts: &[&str]) {
    let output = within(ADDRESSES, arguments);
    let line = String::from_utf8_lossy(&output.stderr);
    let short: Vec<String> = arguments.iter().map(|a| a.chars().take(60).collect()).collect();
    let code = if parts.is_empty() { 0 } else { 2 };
    assert_eq!(output.status.code(), Some(code), "{short:?}: {line}");
    assert!(line.trim_end().lines().count() == usize::from(code == 2), "{short:?}: {line}");
    assert!(line.len() < 1000, "{short:?}: {line}");
    for part in parts {
        assert!(line.contains(part), "{short:?}: no {part:?} in {line}");
    }
}

#[test]
fn maps_of_any_size_are_refused_before_they_are_made() {
    let folder = Folder::new();
    let run =
        |map: &str, parts: &[&str]| cheap(&["run", &folder.file("s.toml", scene(map, ""))], parts);
    let refused = ["s.toml:5: map.size", "would take", "the limit is 1.0 GiB (--memory)"];
    for size in ["[1, 67108864]", "[67108864, 1]", "[8192, 8192]", "[1, 1048576, 64]"] {
        run(&format!("size = {size}"), &refused);
    }
    run("size = [4000000000, 4000000000, 4000000000]", &["map.size", "16.0 EiB"]);
    run("size = [0, 4]", &["map.size = [0, 4]", "each from 1"]);
    run(&format!("size = [{}]", "1, ".repeat(50_000)), &["map.size = [1, 1, 1, 1] and more"]);
    folder.file("thin.3dmap", "voxel 1 1048576 64\n");
    run(
        "file = \"thin.3dmap\"",
        &["map.file", "thin.3dmap:1: the map of 67108864 cells would take"],
    );
    let pursue = |map: &str, parts: &[&str]| {
        cheap(&["pursue", "--map", map, "--from", "0,0,0", "--to", "0,0,1"], parts);
    };
    pursue(&folder.name("thin.3dmap"), &["thin.3dmap:1", "the limit is 8.0 GiB (--memory)"]);
    let option = ["--map", &folder.name("thin.3dmap"), "--from", "0,0,0", "--to", "0,0,1"];
    cheap(&[&["pursue", "--memory", "3MiB"], &option[..]].concat(), &["the limit is 3.0 MiB"]);
    cheap(&["run", "house", "--memory", "much"], &["--memory"]);
    // More than is there: the limit may say anything.
    let large = folder.file("large.toml", scene("size = [3000, 3000]", ""));
    cheap(&["run", &large], &["map.size", "which this machine does not give"]);
    // Few cells take little, however they lie.
    run("size = [1, 20000]", &[]);
    run("size = [20000, 1]", &[]);
    // Groups within their own limits, and all of them together not.
    let groups = "count = 100000\n[[pursuers]]\nspeed = 1\n".repeat(4);
    let groups = folder.file("groups.toml", scene("size = [50, 50]", &groups));
    let parts =
        ["pursuers[2].count = 100000", "the groups before would take", "limit is 100.0 MiB"];
    cheap(&["run", &groups, "--memory", "100MiB"], &parts);
}

#[test]
fn searches_over_tiles_are_refused_before_they_are_made() {
    let folder = Folder::new();
    // A jump that goes up and down, longer and longer: every step is a state of every tile.
    let jump = "[0, -1], [0, -2], ".repeat(110);
    let jump = jump.trim_end_matches([',', ' ']);
    let rules = format!("{{\"jumps\": [[{jump}]], \"solid\": [\"X\"]}}");
    let rules = folder.file("rules.json", rules);
    let level = folder.file("level.txt", "M".to_owned() + &"-\n".repeat(500_000) + "X");
    let parts = ["level.txt", "the search over", "states would take", "(--memory)"];
    cheap(&["side", &level, "--rules", &rules], &parts);
    let long = folder.file("long.txt", "-".repeat(5_000_000));
    cheap(&["side", &long, "--rules", &rules], &["long.txt: 5000000 tiles", "1048576"]);
}

#[test]
fn pictures_are_refused_before_they_are_decoded() {
    let folder = Folder::new();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 8192, 8192);
    encoder.set_depth(png::BitDepth::One);
    encoder.write_header().unwrap().write_image_data(&vec![0; 8192 * 1024]).unwrap();
    assert!(bytes.len() < 100_000);
    let bomb = folder.file("bomb.png", bytes);
    let parts = ["bomb.png", "8192 x 8192 cells would take", "(--memory)"];
    cheap(&["audit", "--terrain", &bomb, "--speed", "5"], &parts);
    cheap(&["jump", "--terrain", &bomb, "--speed", "5", "--from", "0,0", "--to", "1,1"], &parts);
    cheap(&["pursue", "--map", &bomb, "--from", "0,0", "--to", "1,1"], &parts);
    let asc = folder.file("a.asc", "ncols 8192\nnrows 8192\ncellsize 1\n0\n");
    cheap(
        &["audit", "--terrain", &asc, "--speed", "5"],
        &["a.asc", "8192 x 8192 cells would take"],
    );
}

#[test]
fn long_texts_take_time_by_their_length() {
    let folder = Folder::new();
    let run = |name: &str, text: String, parts: &[&str]| {
        cheap(&["run", &folder.file(name, text)], parts);
    };
    let variants: String = (0..400)
        .map(|i| format!("[[variants]]\nname = \"v{i}\"\nset = {{ steps = 2 }}\n"))
        .collect::<Vec<_>>()
        .concat();
    run("variants.toml", scene(SMALL, &variants), &[]);
    let bare: String = variants.replace("steps = 2", "");
    run("bare.toml", scene(SMALL, &bare), &[]);
    // A long key of a long list.
    let list = format!("{} = [{}]\n", "k".repeat(50_000), "1,".repeat(25_000));
    run("list.toml", list + &scene(SMALL, ""), &["list.toml:1", "unknown field"]);
    let list = format!("[[claims]]\n{} = [{}]\n", "k".repeat(50_000), "1,".repeat(25_000));
    run("within.toml", scene(SMALL, &list), &["within.toml:10"]);
}

#[test]
fn keys_within_keys_have_a_limit() {
    let folder = Folder::new();
    let deep = vec!["a"; 20_000].join(".");
    let limit = "the limit is 32";
    let run = |name: &str, more: &str, line: &str| {
        cheap(&["run", &folder.file(name, scene(SMALL, more))], &[line, limit]);
    };
    let named = "[[variants]]\nname = \"v\"\n";
    run("set.toml", &format!("{named}[variants.set]\n{deep} = 1\n"), "set.toml:12");
    // Rules are a text of their own.
    let game = |rules: &str| {
        scene(SMALL, "").replace(
            "[[evaders]]\n",
            &format!("[[evaders]]\nspeed = 1\nmind = {{ utility = {{ goal = [1, 1], fuzzy = {rules} }} }}\n"),
        )
    };
    folder.file("rules.toml", format!("{deep} = 1\n"));
    for rules in ["\"rules.toml\"".to_owned(), format!("{{ toml = \"{deep} = 1\" }}")] {
        let file = folder.file("game.toml", game(&rules));
        cheap(&["run", &file], &["game.toml:8", "fuzzy", "line 1: ", limit]);
    }
    let file = folder.file("game.toml", game(&format!("{{ ron = \"{}\" }}", "[".repeat(20_000))));
    cheap(&["run", &file], &["game.toml:8", "fuzzy"]);
    run("quoted.toml", &format!("{named}[variants.set]\n\"{deep}\" = 1\n"), "variant \"v\"");
    run("header.toml", &format!("[{deep}]\n"), "header.toml:9");
    run("lists.toml", &format!("x = {}", "[".repeat(20_000)), "lists.toml:9");
    run("tables.toml", &format!("x = {}", "{a=".repeat(20_000)), "tables.toml:9");
    let small = folder.file("small.toml", scene(SMALL, ""));
    for name in ["hunt", &small] {
        cheap(&["run", name, "--set", &format!("{deep}=1")], &["a.a.a", limit]);
        cheap(&["run", name, "--set", &format!("steps={}", "[".repeat(20_000))], &["steps"]);
        cheap(&["run", name, "--set", &format!("steps={{{deep}=1}}")], &["steps"]);
    }
    let plan = |key: &str| {
        format!(
            "scenario = \"small.toml\"\nseeds = {{ count = 1 }}\n[[parameters]]\nkey = \"{key}\"\nvalues = [1]\n"
        )
    };
    let plan = folder.file("plan.toml", plan(&deep));
    cheap(&["sweep", &plan, "--out", &folder.name("out")], &["plan.toml", "parameters[0]", limit]);
}

#[test]
fn plans_are_counted_before_they_are_made() {
    let folder = Folder::new();
    folder.file("small.toml", scene(SMALL, ""));
    let plan = |points: &str, parts: &[&str]| {
        let plan = folder.file("plan.toml", format!("scenario = \"small.toml\"\n{points}"));
        cheap(&["sweep", &plan, "--out", &folder.name("out")], parts);
    };
    let range = "[[parameters]]\nkey = \"pursuers.0.speed\"\nrange = [0.1, 0.9]\n";
    let told = ["plan.toml", "100000000 points", "the sweep would take", "(--memory)"];
    plan(&format!("seeds = {{ count = 1 }}\n{range}steps = 100000000\n"), &told);
    let sample = "sample = { random = { count = 100000000, seed = 1 } }\n";
    plan(&format!("seeds = {{ count = 1 }}\n{sample}{range}"), &told);
    plan("seeds = { count = 100000000 }\n", &["1 points, 100000000 runs: the sweep would take"]);
    plan(&format!("seeds = {{ count = 1 }}\n{range}steps = 1000000000\n"), &["1000000000 points"]);
    assert!(!folder.path("out").exists());
}

#[test]
fn starts_where_hardly_any_draw_hits_are_found() {
    let folder = Folder::new();
    let run = |map: &str, more: &str, parts: &[&str]| {
        cheap(&["run", &folder.file("s.toml", scene(map, more))], parts);
    };
    run("size = [10, 10]", "start = [5, 5]\nspread = 1500\ncount = 1000\n", &[]);
    run("size = [10, 10]", "start = [5, 5]\nspread = 1e6\ncount = 1000\n", &[]);
    let crowd = ["pursuers[0].count = 1000000", "at most 100000, 1000 a cell of the map"];
    run("size = [10, 10]", "count = 1000000\n", &crowd);
    let boxes = "size = [500, 500]\nboxes = [{ from = [0, 0], to = [499, 499], wall = true }, { from = [9, 9], to = [9, 9], wall = false }]";
    run(boxes, "count = 1000\n", &[]);
    let walls = "size = [50, 50]\nboxes = [{ from = [0, 0], to = [49, 49], wall = true }]";
    run(walls, "", &["evaders[0].start", "no free cell"]);
}

#[test]
fn what_is_no_file_is_not_opened_and_what_is_no_map_not_shown() {
    let folder = Folder::new();
    let secret = folder.file("secret", "hunter2-password\n");
    for (name, arguments) in [
        ("f.map", ["pursue", "--map", "--from", "0,0", "--to", "1,1"]),
        ("f.3dmap", ["pursue", "--map", "--from", "0,0", "--to", "1,1"]),
        ("f.asc", ["jump", "--terrain", "--speed", "1", "--from=0,0", "--to=1,1"]),
        ("f.png", ["jump", "--terrain", "--speed", "1", "--from=0,0", "--to=1,1"]),
        ("f.toml", ["run", "", "", "", "", ""]),
        ("g.toml", ["sweep", "", "", "", "", ""]),
    ] {
        let path = folder.name(name);
        let arguments = || {
            let mut words: Vec<&str> =
                arguments.into_iter().filter(|word| !word.is_empty()).collect();
            words.insert(words.len().min(2), &path);
            words
        };
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        cheap(&arguments(), &[name, "is a pipe, a device or a socket, not a file"]);
        fs::remove_file(&path).unwrap();
        for device in ["/dev/zero", "/dev/tty"] {
            std::os::unix::fs::symlink(device, &path).unwrap();
            cheap(&arguments(), &[name, "not a file"]);
            fs::remove_file(&path).unwrap();
        }
        std::os::unix::fs::symlink(&secret, &path).unwrap();
        let output = within(ADDRESSES, &arguments());
        let line = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && !line.contains("hunter2"), "{line}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn names_do_nothing_to_terminals_and_pages() {
    let folder = Folder::new();
    let hostile = "\\u001b]0;owned\\u0007\\u009b31m\\u202e";
    let markup = "<img src=x>|`[a](javascript:b)";
    let text = scene(SMALL, "").replace("\"a\"", &format!("\"{hostile}{markup}\""));
    let text = text.replace(
        "steps",
        &format!(
            "question = \"{hostile}{markup}?\"\nfigures = [\"groups.{hostile}.arrived\"]\nsteps"
        ),
    );
    let text = text.replace("speed", &format!("name = \"{hostile}\"\nspeed"));
    let text = format!(
        "{text}[[variants]]\nname = \"{hostile}{markup}\"\nset = {{ steps = 2 }}\n[[claims]]\n\
         says = \"{hostile}{markup}\"\noutcome = \"pursuers\"\nat_least = 0.5\n"
    );
    let file = folder.file("\u{1b}[31m.toml", text);
    let page = folder.name("page.md");
    let plan = "seeds = { count = 1 }\n[[parameters]]\nkey = \"steps\"\nvalues = [2, 3]\n";
    let plan = folder.file("plan.toml", format!("scenario = \"\\u001b[31m.toml\"\n{plan}"));
    let commands: [&[&str]; 6] = [
        &["run", &file],
        &["run", &file, "--json"],
        &["verify", &file, "--seeds", "2", "--page", &page],
        &["verify", &file, "--seeds", "2", "--json"],
        &["sweep", &plan, "--out", &folder.name("\u{1b}out")],
        &["run", &file, "--set", "\u{1b}[31m=\u{9b}"],
    ];
    for arguments in commands {
        let output = within(ADDRESSES, arguments);
        let told =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(!told.is_empty());
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!told.contains(obeyed), "{arguments:?}: {}", told.escape_debug());
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(!page.contains(|c: char| c.is_control() && c != '\n'), "{}", page.escape_debug());
    let live = page.replace("\\<", "").replace("\\|", "").replace("\\[", "").replace("\\`", "");
    assert!(!live.contains("<img") && !live.contains("[a]"), "{page}");
}

#[test]
fn people_are_told_where_and_what() {
    let folder = Folder::new();
    let run = |text: String, parts: &[&str]| cheap(&["run", &folder.file("s.toml", text)], parts);
    let drawing = |rows: &str| scene(&format!("drawing = \"\"\"\n{rows}\"\"\""), "");
    run(drawing("....\n..\t.\n"), &["s.toml:7: map.drawing", "row 1: a tab in column 2"]);
    run(
        drawing("\n\n....\n....\n..x\n"),
        &["s.toml:10: map.drawing", "row 2: 3 cells", "must be 4"],
    );
    run(drawing("....\n..?.\n"), &["s.toml:7", "'?' in column 2"]);
    let heights = "....\n....\n\"\"\"\nheights = \"\"\"\n0000\n00a0\n";
    let heights = drawing(heights).replace("speed", "mind = { travel = {} }\nspeed");
    run(heights, &["s.toml:11: map.heights", "00a0"]);
    let open = "drawing = \"\"\"\n....\n....\n";
    run(scene(open, ""), &["s.toml:5", "the text that begins here ends where it should not"]);
    let open = "drawing = \"\"\"\n....\n....\nheights = \"\"\"\n0000\n0000\n\"\"\"\n";
    run(scene(open, ""), &["s.toml:5", "the text that begins here ends where it should not"]);
    let steps = |value: &str| scene(SMALL, "").replace("steps = 3", &format!("steps = {value}"));
    let many = "99999999999999999999";
    run(steps(many), &["s.toml:2", "steps", many, "from 0 to 2^63 - 1"]);
    run(steps("-1"), &["s.toml:2", "steps", "-1", "from 0 to 2^63 - 1"]);
    run(
        scene(SMALL, "start = [7, 2]\n"),
        &["pursuers[0].start = [7.0, 2.0]", "a map of 5 x 5 cells, [x, y] from [0, 0] to [4, 4]"],
    );
    run(scene("size = [5, 6, 7]", "start = [7, 2]\n"), &["must have 3 coordinates, [x, y, z]"]);
    let boxes = "size = [5, 6]\nboxes = [{ from = [0, 0], to = [0, 6], wall = true }]";
    run(scene(boxes, ""), &["map.boxes[0]", "a map of 5 x 6 cells, [x, y] from [0, 0] to [4, 5]"]);
    let small = folder.file("small.toml", scene(SMALL, ""));
    cheap(&["run", &small, "--seed", "-1"], &["--seed", "'-1'", "a whole number, 0 to 2^64 - 1"]);
    cheap(&["run", &small, "--seed", many], &["--seed", many, "a whole number, 0 to 2^64 - 1"]);
    cheap(&["run", &small, "--set", "pursuers.3.speed=2"], &["pursuers has one entry, pursuers.0"]);
    cheap(&["run", &small, "--set", "pursuers.0.speed.x=2"], &["speed is no table or list"]);
    let nowhere = "No such file or directory";
    cheap(&["run", "none.toml"], &["none.toml", nowhere]);
    cheap(&["pursue", "--map", "none.map", "--from", "0,0", "--to", "1,1"], &["none.map", nowhere]);
    folder.file("m.map", "type octile\nheight 2\nwidth 3\nmap\n...\n...\n");
    let map = folder.name("m.map");
    let outside = ["pursue", "--map", &map, "--from", "0,0", "--to", "3,1"];
    cheap(&outside, &["--to 3,1", "the map of 3 x 2 cells: X is below 3, Y below 2"]);
}

/// Estimates are right: whatever address space a process has, it runs or says that there is too
/// little, and it is never killed for lack of memory.
#[test]
fn want_of_memory_is_one_line() {
    let folder = Folder::new();
    let hills = "1 ".repeat(250) + "\n";
    folder.file("hills.asc", "ncols 250\nnrows 250\ncellsize 1\n".to_owned() + &hills.repeat(250));
    let mut codes = Vec::new();
    for (name, map) in [
        ("flat.toml", "size = [700, 700]"),
        ("thin.toml", "size = [1, 20000]"),
        ("deep.toml", "size = [70, 70, 70]"),
        ("wide.toml", "size = [1000, 1000]"),
        ("walked.toml", "size = [400, 400]"),
        ("hills.toml", "file = \"hills.asc\""),
    ] {
        let more = match name {
            "wide.toml" => "mind = \"world\"",
            "walked.toml" | "hills.toml" => "mind = { travel = {} }",
            _ => "",
        };
        let file = folder.file(name, scene(map, more).replace("steps = 3", "steps = 1"));
        let out = folder.name("out");
        for kib in [50_000, 70_000, 100_000] {
            for arguments in [&["run", &file][..], &["run", &file, "--out", &out]] {
                let output = within(kib, arguments);
                let line = String::from_utf8_lossy(&output.stderr);
                let code = output.status.code();
                assert!(
                    code == Some(0) || code == Some(2) && line.contains("memory"),
                    "{name}, {kib} KiB: {code:?} {line}"
                );
                codes.push(code);
            }
        }
    }
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(2)), "{codes:?}");
}
