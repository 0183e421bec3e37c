//! Sweeps: the same tables whatever happened on the way.

use crate::command::{Folder, harness, json, refused};
use parquet::record::RowAccessor;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

const SCENE: &str = r#"
name = "scene"
steps = 400
until = "last-step"
[map]
size = [60, 40]
blocks = { count = 20, shortest = 2, longest = 6 }
[contact]
reach = 1.0
[[evaders]]
start = [50.0, 20.0]
speed = 0.2
mind = { wander = 20 }
[[pursuers]]
name = "some"
count = 12
speed = 0.5
"#;

const PLAN: &str = r#"
scenario = "scene.toml"
seeds = { first = 1, count = 6 }
[[parameters]]
key = "pursuers.0.speed"
range = [0.3, 0.5]
steps = 2
[[parameters]]
key = "tracking.rule"
values = ["wake", "per-emission"]
"#;

fn plan(folder: &Folder) -> String {
    folder.file("scene.toml", SCENE);
    folder.file("plan.toml", PLAN)
}

fn tables(folder: &Folder, out: &str) -> [Vec<u8>; 3] {
    let read = |name: &str| fs::read(folder.path(out).join(name)).unwrap();
    ["rows.csv", "rows.parquet", "means.csv"].map(read)
}

/// Lines of a journal with the check that they would have.
fn checked(lines: &str) -> String {
    let check =
        |line: &str| format!("{line},{:016x}\n", xxhash_rust::xxh3::xxh3_64(line.as_bytes()));
    lines.lines().map(check).collect()
}

#[test]
fn tables_are_the_same_for_any_threads_and_shards() {
    let folder = Folder::new();
    let plan = plan(&folder);
    let one = json(&["sweep", &plan, "--out", &folder.name("one"), "--threads", "1"]);
    assert_eq!((&one["runs"], &one["made"], &one["kept"]), (&24.into(), &24.into(), &0.into()));
    let whole = tables(&folder, "one");
    json(&["sweep", &plan, "--out", &folder.name("three"), "--threads", "3"]);
    assert_eq!(tables(&folder, "three"), whole);
    for shard in 1..=5 {
        let shard_of = format!("{shard}/5");
        let arguments = ["sweep", &plan, "--out", &folder.name("shards"), "--shard", &shard_of];
        let summary = json(&arguments);
        let complete = summary["missing"] == 0;
        assert_eq!(complete, shard == 5);
        assert_eq!(folder.path("shards/rows.csv").exists(), complete);
    }
    assert_eq!(tables(&folder, "shards"), whole);
    // All is there: nothing is run again.
    let again = json(&["sweep", &plan, "--out", &folder.name("shards")]);
    assert_eq!((&again["made"], &again["kept"]), (&0.into(), &24.into()));
    assert_eq!(tables(&folder, "shards"), whole);

    // A row has the results of `run`.
    let text = String::from_utf8(whole[0].clone()).unwrap();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header = rows.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let row = rows.records().nth(20).unwrap().unwrap();
    let set = |key: &str| format!("{key}={}", &row[column(key)]);
    let (speed, rule) = (set("pursuers.0.speed"), set("tracking.rule"));
    let scene = folder.name("scene.toml");
    let seed = &row[column("seed")];
    let run = json(&["run", &scene, "--seed", seed, "--set", &speed, "--set", &rule]);
    assert_eq!(run["state_hash"], &row[column("state_hash")]);
    assert_eq!(run["outcome"]["arrived"].to_string(), row[column("arrived")]);

    // Parquet holds the same rows.
    let file = fs::File::open(folder.path("one/rows.parquet")).unwrap();
    let reader = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let hashes = reader.into_iter().map(|row| {
        let row = row.unwrap();
        let columns: Vec<_> = row.get_column_iter().collect();
        assert_eq!(columns.len(), header.len());
        let hash = columns.iter().find(|(name, _)| *name == "state_hash").unwrap().1;
        hash.to_string().trim_matches('"').to_owned()
    });
    let hashes: Vec<_> = hashes.collect();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let expected = rows.records().map(|row| row.unwrap()[column("state_hash")].to_owned());
    assert_eq!(hashes, expected.collect::<Vec<_>>());
}

/// Groups that only some points have are told by their figures, too.
#[test]
fn figures_are_of_the_groups_that_take_part() {
    let folder = Folder::new();
    folder.file("scene.toml", SCENE);
    let plan = folder.file(
        "plan.toml",
        "scenario = \"scene.toml\"\nseeds = { count = 1 }\n\
         [[parameters]]\nkey = \"steps\"\nvalues = [3]\n\
         [[parameters]]\nkey = \"pursuers[0].name\"\nvalues = [\"some\", \"others\"]\n",
    );
    json(&["sweep", &plan, "--out", &folder.name("out")]);
    let mut rows = csv::Reader::from_path(folder.path("out/rows.csv")).unwrap();
    let header = rows.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let columns = ["groups.some.pursuers", "groups.others.pursuers"].map(column);
    let rows = rows.records().map(|row| row.unwrap());
    let counts: Vec<_> = rows.map(|row| columns.map(|at| row[at].to_owned())).collect();
    assert_eq!(counts, [["12", ""], ["", "12"]]);
}

/// A key may have the name of another column: both are there, under different names.
#[test]
fn columns_have_different_names_whatever_is_varied() {
    let folder = Folder::new();
    folder.file("scene.toml", SCENE);
    let plan = folder.file(
        "plan.toml",
        "scenario = \"scene.toml\"\nseeds = { first = 18446744073709551615, count = 1 }\n\
         [[parameters]]\nkey = \"steps\"\nvalues = [3, 400]\n\
         [[parameters]]\nkey = \"until\"\nvalues = [\"first-arrived\"]\n\
         [[parameters]]\nkey = \"evaders\"\nvalues = [[{ start = [50.0, 20.0] }]]\n",
    );
    let out = folder.name("out");
    json(&["sweep", &plan, "--out", &out]);
    let read = |name: &str| csv::Reader::from_path(folder.path("out").join(name)).unwrap();
    let names = |name: &str| -> Vec<String> {
        read(name).headers().unwrap().iter().map(str::to_owned).collect()
    };
    let rows = names("rows.csv");
    let start =
        ["run", "point", "seed", "set.steps", "until", "set.evaders", "steps", "state_hash"];
    assert_eq!(rows[..8], start);
    assert!(rows.contains(&"evaders".to_owned()));
    for names in [&rows, &names("means.csv")] {
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }
    assert_eq!(names("means.csv")[..4], ["point", "set.steps", "until", "set.evaders"]);
    let file = fs::File::open(folder.path("out/rows.parquet")).unwrap();
    let reader = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    for row in reader {
        let row = row.unwrap();
        let columns: Vec<String> = row.get_column_iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(columns, rows);
        assert_eq!(row.get_ulong(2).unwrap(), u64::MAX);
    }
    // The parameter is the requested value, the column of that name the actual one.
    let row = |i: usize| read("rows.csv").records().nth(i).unwrap().unwrap();
    assert_eq!((&row(0)[3], &row(0)[6]), ("3", "3"));
    assert!(&row(1)[3] == "400" && row(1)[6].parse::<u64>().unwrap() < 400, "{:?}", row(1));
    // The rows are known again.
    assert_eq!(json(&["sweep", &plan, "--out", &out])["made"], 0);
}

#[test]
fn five_kills_lose_and_repeat_no_run() {
    let folder = Folder::new();
    let plan = plan(&folder);
    json(&["sweep", &plan, "--out", &folder.name("calm")]);
    let out = folder.name("killed");
    let journal = folder.path("killed/journal-1-of-1.csv");
    let rows = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    for kill in 1..=5 {
        let program = assert_cmd::cargo::cargo_bin!("sim-harness");
        let mut child = Command::new(program)
            .args(["sweep", &plan, "--out", &out, "--threads", "2"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Somewhere in the middle of a run, after at least three more rows.
        while rows() < 1 + 3 * kill && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if kill % 2 == 0 {
            // As if the machine had stopped in the middle of a line.
            let mut text = fs::read(&journal).unwrap();
            text.extend_from_slice(b"23,3,6,0.5,wa");
            fs::write(&journal, text).unwrap();
        }
    }
    json(&["sweep", &plan, "--out", &out]);
    assert_eq!(tables(&folder, "killed"), tables(&folder, "calm"));
    let text = fs::read_to_string(&journal).unwrap();
    let runs: Vec<_> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(runs.len(), 24);
    assert_eq!(runs.iter().collect::<BTreeSet<_>>().len(), 24);
}

#[test]
fn trouble_is_one_line_and_rows_stay() {
    let folder = Folder::new();
    let plan = plan(&folder);
    let out = folder.name("out");
    json(&["sweep", &plan, "--out", &out]);
    let whole = tables(&folder, "out");
    let sweep = |plan: &str, out: &str, parts: &[&str]| {
        refused(&["sweep", plan, "--out", out], parts);
    };
    // Another plan does not get into the folder.
    let other = folder.file("other.toml", PLAN.replace("count = 6", "count = 7"));
    sweep(&other, &out, &["sweep.json", "another plan"]);
    assert_eq!(tables(&folder, "out"), whole);
    // Nor the same plan on a map that has changed since.
    let map = |cells: &str| {
        folder.file("m.map", format!("type octile\nheight 1\nwidth 60\nmap\n{cells}\n"))
    };
    map(&".".repeat(60));
    let scene =
        SCENE.replace("size = [60, 40]", "file = \"m.map\"").replace("[50.0, 20.0]", "[50, 0]");
    folder.file("mapped.toml", scene);
    let mapped = folder.file("mapped-plan.toml", PLAN.replace("scene.toml", "mapped.toml"));
    json(&["sweep", &mapped, "--out", &folder.name("mapped")]);
    map(&format!("{}@", ".".repeat(59)));
    sweep(&mapped, &folder.name("mapped"), &["sweep.json", "another plan, scenario or map"]);
    // A table that cannot be written, a journal that is no journal.
    fs::remove_file(folder.path("out/rows.parquet")).unwrap();
    fs::create_dir(folder.path("out/rows.parquet")).unwrap();
    sweep(&plan, &out, &["rows.parquet"]);
    fs::remove_dir(folder.path("out/rows.parquet")).unwrap();
    json(&["sweep", &plan, "--out", &out]);
    assert_eq!(tables(&folder, "out"), whole);
    let journal = folder.path("out/journal-1-of-1.csv");
    let text = fs::read_to_string(&journal).unwrap();
    // Which run ended first is up to the threads, so nothing here asks for a certain row.
    let mut lines = text.lines().map(|line| line.rsplit_once(',').unwrap().0);
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    let row: Vec<_> = lines.next().unwrap().split(',').collect();
    let with = |column: &str, value: &str| {
        let mut row = row.clone();
        let cell = &mut row[header.iter().position(|name| *name == column).unwrap()];
        assert_ne!(*cell, value);
        *cell = value;
        row.join(",")
    };
    let ours = row.join(",");
    let none = &["line 2", "no row of this sweep"][..];
    for (wrong, parts) in [
        // A column too many, other parameters, no number, a contradiction of another row.
        (format!("{ours},1"), &["journal-1-of-1.csv", "line 2"][..]),
        (with("pursuers.0.speed", "0.4"), none),
        (with("steps", "NaN"), none),
        (with(header.last().unwrap(), "inf"), none),
        (format!("{ours}\n{}", with("steps", "401")), &["line 3", "run ", "before"]),
    ] {
        fs::write(&journal, checked(&format!("{}\n{wrong}", header.join(",")))).unwrap();
        sweep(&plan, &out, parts);
    }
    fs::write(&journal, text).unwrap();
    // Whose rows these are is not known.
    let owner = fs::read(folder.path("out/sweep.json")).unwrap();
    fs::write(folder.path("out/sweep.json"), "{").unwrap();
    sweep(&plan, &out, &["sweep.json", "damaged"]);
    fs::remove_file(folder.path("out/sweep.json")).unwrap();
    sweep(&plan, &out, &["sweep.json", "missing"]);
    fs::write(folder.path("out/sweep.json"), owner).unwrap();
    json(&["sweep", &plan, "--out", &out]);
    assert_eq!(tables(&folder, "out"), whole);
    // A folder that is a file.
    let file = folder.file("file", "");
    sweep(&plan, &file, &["file"]);
}

/// Rows belong to the maps that a plan varies, however it spells the key.
#[test]
fn a_varied_map_that_changes_makes_another_sweep() {
    let folder = Folder::new();
    let map = |cells: &str| {
        folder.file("m.map", format!("type octile\nheight 1\nwidth 60\nmap\n{cells}\n"))
    };
    let scene = SCENE.replace("size = [60, 40]", "file = \"other.map\"");
    folder.file("scene.toml", scene.replace("[50.0, 20.0]", "[50, 0]"));
    for (name, key, value) in
        [("table", "map", "{ file = \"m.map\" }"), ("dots", ".map..file", "\"m.map\"")]
    {
        let text = format!(
            "scenario = \"scene.toml\"\nseeds = {{ count = 1 }}\n[[parameters]]\nkey = \"{key}\"\n\
             values = [{value}]\n"
        );
        let (plan, out) = (folder.file(&format!("{name}.toml"), text), folder.name(name));
        map(&".".repeat(60));
        json(&["sweep", &plan, "--out", &out]);
        map(&format!("{}@", ".".repeat(59)));
        refused(&["sweep", &plan, "--out", &out], &["sweep.json", "another plan, scenario or map"]);
    }
}

/// Rows also belong to the rules that a mind names, when a plan varies the whole mind.
#[test]
fn varied_rules_that_change_make_another_sweep() {
    let folder = Folder::new();
    let rules = |when: &str| {
        let variable = |name: &str| {
            format!(
                "{{ name = \"{name}\", range = [0, 1], terms = {{ bad = {{ ramp = [0.5, 0] }}, \
                 good = {{ ramp = [0.5, 1] }} }} }}"
            )
        };
        let [a, b, z] = ["a", "b", "z"].map(variable);
        let text = format!("inputs = [{a}, {b}]\noutput = {z}\nrules = [\"{when}\"]\n");
        folder.file("brave.toml", text)
    };
    folder.file("scene.toml", SCENE);
    let mind = "{ utility = { goal = [9, 9], fuzzy = \"brave.toml\" } }";
    for (name, key, value) in [
        ("mind", "evaders.0.mind", mind.to_owned()),
        ("group", "evaders.0", format!("{{ start = [50, 20], speed = 0.2, mind = {mind} }}")),
        ("all", "evaders", format!("[{{ start = [50, 20], speed = 0.2, mind = {mind} }}]")),
    ] {
        let text = format!(
            "scenario = \"scene.toml\"\nseeds = {{ count = 1 }}\n[[parameters]]\nkey = \"{key}\"\n\
             values = [{value}]\n"
        );
        let (plan, out) = (folder.file(&format!("{name}.toml"), text), folder.name(name));
        rules("if a is bad then z is bad");
        json(&["sweep", &plan, "--out", &out]);
        rules("if a is bad then z is good");
        refused(&["sweep", &plan, "--out", &out], &["sweep.json", "another plan, scenario or map"]);
    }
}

#[test]
fn plans_that_are_none_are_one_line_and_write_nothing() {
    let folder = Folder::new();
    let whole = plan(&folder);
    let bad = |name: &str, from: &str, to: &str, parts: &[&str]| {
        assert!(PLAN.contains(from));
        let plan = folder.file(name, PLAN.replacen(from, to, 1));
        refused(&["sweep", &plan, "--out", &folder.name("bad")], parts);
    };
    bad("key.toml", "seeds", "sedes", &["key.toml:3", "sedes"]);
    bad("none.toml", "count = 6", "count = 0", &["none.toml", "seeds.count = 0"]);
    bad("steps.toml", "steps = 2", "steps = 1", &["steps.toml", "parameters[0]"]);
    bad("range.toml", "[0.3, 0.5]", "[0.5, 0.3]", &["range.toml", "parameters[0]"]);
    bad("wide.toml", "[0.3, 0.5]", "[-1.7e308, 1.7e308]", &["parameters[0]", "finite width"]);
    bad("way.toml", "tracking.rule", "traking.rule", &["traking"]);
    bad(
        "seed.toml",
        "\"pursuers.0.speed\"",
        "\"seed\"",
        &["parameters[0]", "seed is no parameter"],
    );
    bad(
        "dot.toml",
        "\"pursuers.0.speed\"",
        "\".seed\"",
        &["parameters[0]", "seed is no parameter"],
    );
    bad(
        "last.toml",
        "first = 1, count = 6",
        "first = 18446744073709551615, count = 2",
        &[
            "last.toml: seeds.first = 18446744073709551615, seeds.count = 2",
            "first + count - 1",
            "at most 2^64 - 1",
        ],
    );
    bad("value.toml", "\"wake\"", "\"wave\"", &["tracking.rule", "wave"]);
    bad(
        "twice.toml",
        "\"wake\"",
        "\"wake\", \"wake\"",
        &["parameters[1]", "\"wake\" stands twice"],
    );
    bad(
        "again.toml",
        "key = \"tracking.rule\"",
        "key = \"pursuers.0.speed\"\nvalues = [1]\n[[parameters]]\nkey = \"pursuers.0.speed\"",
        &["parameters[", "varied twice"],
    );
    let other =
        "key = \"pursuers[0].speed\"\nvalues = [1]\n[[parameters]]\nkey = \"tracking.rule\"";
    bad("other.toml", "key = \"tracking.rule\"", other, &["pursuers[0].speed is varied twice"]);
    // Values that only the world can refuse are also refused before any run.
    let from = "tracking.rule\"\nvalues = [\"wake\", \"per-emission\"]";
    let to = "evaders.0.start\"\nvalues = [[-9.0, 0.0]]";
    bad("outside.toml", from, to, &["point 0, seed", "evaders[0].start = [-9.0, 0.0]", "outside"]);
    let late = "pursuers.0\"\nvalues = [{ speed = 1, enter = 5, start = [-9.0, 0.0] }]\n[[parameters]]\nkey = ";
    let late = &format!("{late}\"pursuers.0.speed\"\n");
    let from = "pursuers.0.speed\"\n";
    bad("late.toml", from, late, &["pursuers[0].start = [-9.0, 0.0]", "outside"]);
    // The whole of a table of which an earlier parameter varies a part.
    for whole in ["pursuers.0", "pursuers", "pursuers[0]"] {
        let lines = format!("{whole}\"\nvalues = [{{ speed = 0.5 }}]\n#");
        let told = format!(
            "parameters[1]: {whole} sets all of pursuers.0.speed again, which parameters[0]"
        );
        bad("whole.toml", "tracking.rule\"\n", &lines, &["whole.toml: ", &told]);
    }
    let lines = "pursuers.0.speeds\"\nvalues = [1]\n#";
    bad("longer.toml", "tracking.rule\"\n", lines, &["speeds"]);
    bad("scene.toml.toml", "scene.toml", "nowhere.toml", &["nowhere.toml"]);
    refused(&["sweep", &whole, "--shard", "3/2"], &["--shard 3/2"]);
    refused(&["sweep", &whole, "--shard", "1/1000001"], &["--shard 1/1000001", "at most 10^6"]);
    assert!(!folder.path("bad").exists());
    let help = harness().args(["sweep", "--help"]).output().unwrap();
    assert!(help.status.success());
}

#[test]
#[cfg(unix)]
fn a_disk_that_is_full_in_the_middle_is_one_line_and_the_rest_comes_later() {
    let folder = Folder::new();
    let plan = plan(&folder);
    json(&["sweep", &plan, "--out", &folder.name("calm")]);
    let out = folder.name("full");
    let output = crate::command::on_small_disk(4, &["sweep", &plan, "--out", &out]);
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(line.lines().count() == 1 && line.contains("journal-1-of-1.csv"), "{line}");
    let journal = fs::read_to_string(folder.path("full/journal-1-of-1.csv")).unwrap();
    assert!(journal.ends_with('\n') && journal.lines().count() > 2, "{journal}");
    let summary = json(&["sweep", &plan, "--out", &out]);
    assert_eq!(summary["kept"], journal.lines().count() - 1);
    assert_eq!(tables(&folder, "full"), tables(&folder, "calm"));
}

const SHORT: &str = "name = \"short\"\nsteps = 2\nuntil = \"last-step\"\n[map]\nsize = [9, 9]\n\
    [[evaders]]\n[[pursuers]]\nspeed = 0.5\n";

/// Values with line ends, quotes and commas; a journal that ends anywhere is gone on with.
#[test]
fn a_journal_cut_anywhere_resumes() {
    let folder = Folder::new();
    folder.file("scene.toml", SHORT);
    let plan = folder.file(
        "plan.toml",
        "scenario = \"scene.toml\"\nseeds = { count = 1 }\n[[parameters]]\nkey = \"question\"\n\
         values = [\"one\\ntwo\", \"a, \\\"b\\\"\\r\\n\\\\n\"]\n",
    );
    json(&["sweep", &plan, "--out", &folder.name("calm"), "--threads", "1"]);
    let calm = tables(&folder, "calm");
    let mut rows = csv::Reader::from_reader(&calm[0][..]);
    let values: Vec<_> = rows.records().map(|row| row.unwrap()[3].to_owned()).collect();
    assert_eq!(values, ["one\ntwo", "a, \"b\"\r\n\\n"]);
    let journal = fs::read(folder.path("calm/journal-1-of-1.csv")).unwrap();
    assert_eq!(journal.split(|&b| b == b'\n').count() - 1, 3);
    let cut = folder.path("calm/journal-1-of-1.csv");
    // Every place of the last row, and some places before it.
    let rows = journal[..journal.len() - 1].iter().rposition(|&b| b == b'\n').unwrap();
    for at in (0..rows).step_by(29).chain((rows..=journal.len()).step_by(3)) {
        fs::write(&cut, &journal[..at]).unwrap();
        json(&["sweep", &plan, "--out", &folder.name("calm"), "--threads", "1"]);
        assert_eq!(tables(&folder, "calm"), calm, "cut at {at}");
    }
}

/// Whatever is changed in a journal, it is refused by its line, or the rows come out the same.
#[test]
fn a_changed_journal_is_refused_or_right() {
    let folder = Folder::new();
    folder.file("scene.toml", SHORT);
    let plan = folder.file("plan.toml", "scenario = \"scene.toml\"\nseeds = { count = 3 }\n");
    let out = folder.name("out");
    let sweep = ["sweep", &plan, "--out", &out, "--threads", "1"];
    json(&sweep);
    let whole = tables(&folder, "out");
    let path = folder.path("out/journal-1-of-1.csv");
    let journal = fs::read(&path).unwrap();
    let mut refused = 0;
    let mut random = 1u64;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    for change in 0..60 {
        let mut changed = journal.clone();
        let at = draw(changed.len());
        match change % 4 {
            0 => changed[at] = b"0123456789,\n\"e.-"[draw(16)],
            1 => drop(changed.remove(at)),
            2 => changed.insert(at, b"0123456789,\n\"e.-"[draw(16)]),
            _ => changed[at] ^= 1 << draw(8),
        }
        fs::write(&path, &changed).unwrap();
        let output = harness().args(sweep).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        let number = journal[..at].split(|&b| b == b'\n').count();
        if output.status.success() {
            assert_eq!(tables(&folder, "out"), whole, "{change}");
        } else {
            assert_eq!(output.status.code(), Some(2), "{line}");
            assert!(line.contains(&format!("journal-1-of-1.csv: line {number} ")), "{line}");
            refused += 1;
        }
    }
    assert!(refused > 30, "{refused}");
    // One without checks is of an earlier version.
    let text = String::from_utf8(journal).unwrap();
    let lines = text.lines().map(|line| line.rsplit_once(',').unwrap().0);
    let old = lines.collect::<Vec<_>>().join("\n") + "\n";
    fs::write(&path, old).unwrap();
    crate::command::refused(&sweep, &["line 1 has no check", "earlier version"]);
}
