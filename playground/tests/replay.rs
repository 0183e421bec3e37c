//! What is saved in the playground runs to the state that it was saved in.

mod levels;

use levels::LEVELS;
use playground::{Playground, answer};
use serde_json::{Value, json};
use sim_harness::import::{Files, Store};
use sim_harness::scenario::{self, built_in};
use sim_harness::world::{self, Runs};
use std::path::{Path, PathBuf};

fn asked(open: &mut Option<Playground>, request: &Value) -> (Value, Vec<u8>) {
    let text = request.to_string();
    let length = (text.len() as u32).to_le_bytes();
    let answer = answer(open, &[&length, text.as_bytes()].concat());
    let (length, rest) = answer.split_at(4);
    let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
    (serde_json::from_slice(&rest[..length]).unwrap(), rest[length..].to_vec())
}

/// Does what a hand might do to any scenario, as far as it lets itself be done to; how much did.
fn play(open: &mut Option<Playground>, frames: u32) -> u32 {
    let mut done = 0;
    let size = open.as_ref().unwrap().head()["size"].clone();
    let size: Vec<u64> = serde_json::from_value(size).unwrap();
    let axes = if size[2] > 1 { 3 } else { 2 };
    let mut dice = 7u64;
    for _ in 0..frames {
        let mut next = |below: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) % below
        };
        let cell: Vec<u64> = (0..axes).map(|a| next(size[a])).collect();
        let at: Vec<f64> = cell.iter().map(|&c| c as f64).collect();
        let requests = [
            json!({"ask": "mark"}),
            json!({"ask": "edit", "from": cell, "to": cell, "wall": next(2) == 0, "wave_speed": null}),
            json!({"ask": "put", "evader": 0, "to": at}),
        ];
        for request in &requests[1..] {
            done += u32::from(asked(open, request).0.get("error").is_none());
        }
        let (head, _) = asked(open, &json!({"ask": "go-on", "frames": 1, "layers": false}));
        assert!(head.get("error").is_none(), "{head}");
    }
    done
}

#[test]
fn every_scenario_runs_to_the_state_in_which_it_was_saved() {
    let mut done = 0;
    for built in built_in() {
        let mut open = None;
        let (head, _) =
            asked(&mut open, &json!({"ask": "open", "name": built.name, "text": built.text}));
        assert!(head.get("error").is_none(), "{}: {head}", built.name);
        done += play(&mut open, 12);
        let (saved, _) = asked(&mut open, &json!({"ask": "save"}));
        let text = saved["text"].as_str().unwrap();
        let again = scenario::parse(built.name, text).unwrap();
        let summary = world::run(&again, None, None, &mut |_| {}).unwrap();
        assert_eq!(summary.state_hash, saved["state_hash"], "{}", built.name);
    }
    assert!(done > 100, "only {done} things could be done");
}

#[test]
fn untouched_a_scenario_goes_on_as_a_run_does() {
    for built in built_in() {
        let mut playground = Playground::open(built.name, built.text, None).unwrap();
        playground.go_on(20, false).unwrap();
        let mut scenario = scenario::parse(built.name, built.text).unwrap();
        scenario.steps = 20;
        scenario.until = scenario::Until::LastStep;
        let summary = world::run(&scenario, None, None, &mut |_| {}).unwrap();
        assert_eq!(summary.state_hash, playground.state_hash(), "{}", built.name);
    }
}

#[test]
fn undo_takes_back_what_was_done_since_the_mark_and_nothing_else() {
    let text = scenario::text_of("rooms").unwrap();
    let mut touched = Playground::open("rooms", &text, None).unwrap();
    let mut other = Playground::open("rooms", &text, None).unwrap();
    assert!(touched.undo().is_err());
    for playground in [&mut touched, &mut other] {
        playground.go_on(5, false).unwrap();
        playground.mark();
        playground.edit(vec![1, 1], vec![3, 1], Some(false), None).unwrap();
        playground.go_on(5, false).unwrap();
    }
    touched.mark();
    touched.edit(vec![1, 2], vec![4, 4], Some(false), None).unwrap();
    touched.edit(vec![2, 2], vec![2, 4], None, Some(0.5)).unwrap();
    touched.undo().unwrap();
    for playground in [&mut touched, &mut other] {
        playground.go_on(20, false).unwrap();
    }
    assert_eq!(touched.state_hash(), other.state_hash());
    assert_eq!(touched.saved(), other.saved());
}

#[test]
fn pursuers_that_are_added_stand_in_the_saved_scenario() {
    let text = scenario::text_of("rooms").unwrap();
    let mut playground = Playground::open("rooms", &text, None).unwrap();
    playground.go_on(3, false).unwrap();
    let before = playground.head()["summary"]["outcome"]["pursuers"].as_u64().unwrap();
    let at = {
        let scenario = scenario::parse("rooms", &text).unwrap();
        let walls = playground.ground();
        let width = playground.head()["size"][0].as_u64().unwrap() as usize;
        let free = walls.iter().position(|&wall| wall == 0).unwrap();
        [(free % width) as f64, (free / width) as f64].map(|c| c * scenario.map.spacing).to_vec()
    };
    playground.add_pursuer(at).unwrap();
    playground.go_on(10, false).unwrap();
    let outcome = playground.head()["summary"]["outcome"]["pursuers"].as_u64().unwrap();
    assert_eq!(outcome, before + 1);
    let again = scenario::parse("rooms", &playground.saved()).unwrap();
    let summary = world::run(&again, None, None, &mut |_| {}).unwrap();
    assert_eq!(summary.state_hash, playground.state_hash());
}

#[test]
fn what_is_wrong_is_said_on_a_line_and_changes_nothing() {
    let mut open = None;
    let error = |open: &mut Option<Playground>, request: Value| {
        let (head, _) = asked(open, &request);
        let line = head["error"].as_str().unwrap_or_else(|| panic!("{request}: {head}")).to_owned();
        assert!(line.lines().count() == 1, "{line}");
        line
    };
    error(&mut open, json!({"ask": "undo"}));
    error(&mut open, json!({"ask": "open", "name": "mine.toml", "text": "name = 1"}));
    assert!(open.is_none());
    let text = scenario::text_of("rooms").unwrap();
    asked(&mut open, &json!({"ask": "open", "name": "rooms", "text": text}));
    let before = (open.as_ref().unwrap().state_hash(), open.as_ref().unwrap().saved());
    for request in [
        json!({"ask": "dance"}),
        json!({"ask": "edit", "from": [1, 1], "to": [100_000, 1], "wall": true, "wave_speed": null}),
        json!({"ask": "edit", "from": [1, 1], "to": [1, 1], "wall": null, "wave_speed": 1e9}),
        json!({"ask": "put", "evader": 99, "to": [1.0, 1.0]}),
        json!({"ask": "put", "evader": 0, "to": [-50.0, 1.0]}),
        json!({"ask": "add-pursuer", "at": [-50.0, 1.0]}),
        json!({"ask": "open", "name": "mine.toml", "text": "steps = 3"}),
    ] {
        error(&mut open, request);
        assert_eq!(before, (open.as_ref().unwrap().state_hash(), open.as_ref().unwrap().saved()));
    }
}

fn level(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim-harness/tests/levels").join(name)
}

fn files(names: &[&str]) -> Files {
    names.iter().map(|name| ((*name).to_owned(), std::fs::read(level(name)).unwrap())).collect()
}

#[test]
fn levels_of_every_editor_are_scenarios_that_run_beside_their_files() {
    for name in LEVELS {
        let mut playground = Playground::open_files(files(&[name]), Some(3)).unwrap();
        // Waves need as long from one end to the other. Cells of meshes are small.
        let is_mesh = ["castle.glb", "castle.obj"].contains(&name);
        playground.go_on(if is_mesh { 1200 } else { 90 }, false).unwrap();
        playground.mark();
        playground.go_on(10, true).unwrap();
        // From the disk, as `sim-harness run` does, and from memory.
        let saved = playground.saved();
        let beside = level("saved.toml");
        let scenario = scenario::parse(beside.to_str().unwrap(), &saved).unwrap();
        for store in [Store::Disk, Store::Memory(files(&[name]).into())] {
            let runs = Runs::of(&scenario).from_store(&store);
            let summary = runs.run(None, None, &mut |_| {}).unwrap();
            assert_eq!(summary.state_hash, playground.state_hash(), "{name}: {saved}");
            assert!(summary.outcome.walked_mean > 1.0, "{name}: nobody walks: {saved}");
        }
        let has_places = !["castle.map", "castle.obj", "hill.tif"].contains(&name);
        assert_eq!(saved.contains("start = \"goal\""), has_places, "{name}: {saved}");
    }
}

#[test]
fn files_are_opened_with_those_that_they_need() {
    let tileset = "<tileset tilewidth=\"8\" tileheight=\"8\" tilecount=\"2\" columns=\"2\"><tile id=\"1\">\
        <properties><property name=\"wall\" type=\"bool\" value=\"true\"/></properties></tile></tileset>";
    let map = "<map orientation=\"orthogonal\" width=\"3\" height=\"1\" tilewidth=\"8\" tileheight=\"8\">\
        <tileset firstgid=\"1\" source=\"sets/walls.tsx\"/><layer id=\"1\" name=\"ground\" width=\"3\" height=\"1\">\
        <data encoding=\"csv\">1,1,2</data></layer></map>";
    let scenario = "name = \"mine\"\nsteps = 9\n[map]\nfile = \"maps/level.tmx\"\n\
        [[evaders]]\nstart = [1, 0]\n[[pursuers]]\nstart = [0, 0]\nspeed = 0.5\n";
    let given = |names: &[&str]| -> Files {
        let all = [("level.tmx", map), ("walls.tsx", tileset), ("mine.toml", scenario)];
        let given = all.iter().filter(|(name, _)| names.contains(name));
        given.map(|&(name, text)| (name.to_owned(), text.into())).collect()
    };
    let open = Playground::open_files(given(&["level.tmx", "walls.tsx"]), None).unwrap();
    assert_eq!(open.ground()[..3], [0, 0, 1]);
    let all = given(&["level.tmx", "walls.tsx", "mine.toml"]);
    assert_eq!(Playground::open_files(all, None).unwrap().summary()["scenario"], "mine");

    let picture = Files::from([("walls.png".to_owned(), b"no picture".to_vec())]);
    let two = files(&["castle.map", "castle.tmx"]);
    let text = Files::from([("notes.txt".to_owned(), Vec::new())]);
    for (files, part) in [
        (given(&["level.tmx"]), "walls.tsx: is needed, and was not given with the others"),
        (given(&["mine.toml"]), "level.tmx: is needed"),
        (picture, "walls.png: not a PNG"),
        (two, "castle.map and castle.tmx: one level at a time"),
        (text, "notes.txt: one must be a scenario"),
        (Files::new(), "one must be"),
    ] {
        let error = Playground::open_files(files, None).err().unwrap().to_string();
        assert!(error.contains(part) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn requests_that_are_cut_are_refused() {
    for request in [&b""[..], &[9, 0, 0, 0], &[255, 255, 255, 255, b'{'], &[2, 0, 0, 0, b'{', b'}']]
    {
        let answer = answer(&mut None, request);
        assert!(String::from_utf8_lossy(&answer).contains("not understood"), "{request:?}");
    }
    let text = json!({"ask": "files", "files": [["a.map", 5]], "seed": null}).to_string();
    let request = [&(text.len() as u32).to_le_bytes()[..], text.as_bytes(), b"four"].concat();
    assert!(String::from_utf8_lossy(&answer(&mut None, &request)).contains("not understood"));
}

#[test]
fn numbers_are_changed_by_their_keys_and_run_again() {
    let text = scenario::text_of("rooms").unwrap();
    let mut playground = Playground::open("rooms", &text, None).unwrap();
    playground.go_on(20, false).unwrap();
    playground.edit(vec![1, 1], vec![3, 1], Some(false), None).unwrap();
    let numbers = playground.numbers();
    let stated = |key: &str, value: f64| {
        numbers["numbers"].as_array().unwrap().contains(&json!([key, value]))
    };
    assert!(stated("steps", 4000.0) && stated("pursuers.4.speed", 0.4), "{numbers}");
    // What is put: numbers, and tables that were left out.
    for (key, number) in [
        ("pursuers.4.speed", Some(0.9)),
        ("pursuers.4.count", Some(5.0)),
        ("contact.reach", Some(2.0)),
        ("pursuers.4.spread", Some(0.0)),
        ("pursuers.4.spread", None),
    ] {
        playground.set(key, number).unwrap();
    }
    playground.go_on(10, false).unwrap();
    let saved = playground.saved();
    assert!(["speed = 0.9", "count = 5", "reach = 2"].iter().all(|part| saved.contains(part)));
    let summary = world::run(&scenario::parse("rooms", &saved).unwrap(), None, None, &mut |_| {});
    assert_eq!(summary.unwrap().state_hash, playground.state_hash());
    for (key, number, part) in [
        ("pursuers.4.speed", -1.0, "pursuers[4].speed"),
        ("pursuers.9.speed", 1.0, "pursuers.9.speed: the scenario has no table"),
        ("steps.speed", 1.0, "steps.speed: the scenario has no table"),
        ("pursuers.0.sped", 1.0, "did you mean `speed`"),
    ] {
        let error = playground.set(key, Some(number)).unwrap_err().to_string();
        assert!(error.contains(part) && error.lines().count() == 1, "{key}: {error}");
        assert_eq!(playground.saved(), saved);
    }
}
