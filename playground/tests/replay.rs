//! A scenario that was saved in the playground runs to the state that it was saved in.

mod levels;
mod undo;

use levels::LEVELS;
use playground::{Open, Playground, answer};
use serde_json::{Value, json};
use sim_harness::import::{Files, Store};
use sim_harness::scenario::{self, built_in};
use sim_harness::world::{self, Runs};
use std::path::{Path, PathBuf};

fn asked(open: &mut Open, request: &Value) -> (Value, Vec<u8>) {
    let text = request.to_string();
    let length = (text.len() as u32).to_le_bytes();
    let answer = answer(open, &[&length, text.as_bytes()].concat());
    let (length, rest) = answer.split_at(4);
    let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
    (serde_json::from_slice(&rest[..length]).unwrap(), rest[length..].to_vec())
}

/// Makes the changes that a hand might make to any scenario, as far as the scenario allows them;
/// returns how many it allowed.
fn play(open: &mut Open, frames: u32) -> u32 {
    let mut done = 0;
    let size = open.world.as_ref().unwrap().head()["size"].clone();
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
        let mut open = Open::default();
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
    // Also saved at once: a run that ends at this frame has not let it in yet.
    for frames in [0, 10] {
        playground.go_on(frames, false).unwrap();
        let outcome = playground.head()["summary"]["outcome"]["pursuers"].as_u64().unwrap();
        assert_eq!(outcome, before + 1);
        let again = scenario::parse("rooms", &playground.saved()).unwrap();
        let summary = world::run(&again, None, None, &mut |_| {}).unwrap();
        assert_eq!(summary.state_hash, playground.state_hash());
    }
}

#[test]
fn what_is_wrong_is_said_on_a_line_and_changes_nothing() {
    let mut open = Open::default();
    let error = |open: &mut Open, request: Value| {
        let (head, _) = asked(open, &request);
        let line = head["error"].as_str().unwrap_or_else(|| panic!("{request}: {head}")).to_owned();
        assert!(line.lines().count() == 1, "{line}");
        line
    };
    error(&mut open, json!({"ask": "undo"}));
    error(&mut open, json!({"ask": "open", "name": "mine.toml", "text": "name = 1"}));
    let long = error(&mut open, json!({"ask": "open", "name": "a.toml", "text": "a".repeat(9999)}));
    assert!(long.starts_with("a.toml:1: ") && long.len() < 200, "{long}");
    assert!(open.world.is_none());
    let text = scenario::text_of("rooms").unwrap();
    asked(&mut open, &json!({"ask": "open", "name": "rooms", "text": text}));
    let before = (open.world.as_ref().unwrap().state_hash(), open.world.as_ref().unwrap().saved());
    for request in [
        json!({"ask": "dance"}),
        json!({"ask": "edit", "from": [1, 1], "to": [100_000, 1], "wall": true, "wave_speed": null}),
        json!({"ask": "edit", "from": [1, 1], "to": [1, 1], "wall": null, "wave_speed": 1e9}),
        json!({"ask": "put", "evader": 99, "to": [1.0, 1.0]}),
        json!({"ask": "put", "evader": 0, "to": [-50.0, 1.0]}),
        // So near to a wall no target can stand: the next frame would fail.
        json!({"ask": "put", "evader": 0, "to": [71.4995, 15.0]}),
        json!({"ask": "add-pursuer", "at": [-50.0, 1.0]}),
        json!({"ask": "open", "name": "mine.toml", "text": "steps = 3"}),
    ] {
        error(&mut open, request);
        assert_eq!(
            before,
            (open.world.as_ref().unwrap().state_hash(), open.world.as_ref().unwrap().saved())
        );
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
        let answer = answer(&mut Open::default(), request);
        assert!(String::from_utf8_lossy(&answer).contains("not understood"), "{request:?}");
    }
    let text = json!({"ask": "files", "files": [["a.map", 5]], "seed": null}).to_string();
    let request = [&(text.len() as u32).to_le_bytes()[..], text.as_bytes(), b"four"].concat();
    assert!(
        String::from_utf8_lossy(&answer(&mut Open::default(), &request)).contains("not understood")
    );
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
    // Sets numbers, and tables that were left out.
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

/// A run of the saved scenario ends in the saved state.
fn check_saved(name: &str, playground: &Playground) {
    let again = scenario::parse(name, &playground.saved()).unwrap();
    let summary = world::run(&again, None, None, &mut |_| {}).unwrap();
    assert_eq!(summary.state_hash, playground.state_hash(), "{}", playground.saved());
}

/// A small scenario that ends when its evader was caught, or after 20 frames.
const SHORT: &str = "name = \"short\"\nsteps = 20\n[map]\nsize = [12, 12]\n\
    [[evaders]]\nstart = [1, 1]\n[[pursuers]]\nstart = [9, 9]\nspeed = 2.0\n";

#[test]
fn after_the_end_a_hand_lets_it_go_on() {
    let mut playground = Playground::open("short", SHORT, None).unwrap();
    playground.go_on_to_end(100, false).unwrap();
    assert!(playground.is_over());
    let end = playground.frame();
    playground.go_on_to_end(5, false).unwrap();
    assert_eq!(playground.frame(), end);
    // Frames after the last of `steps`.
    playground.go_on(25, false).unwrap();
    let end = playground.frame();
    assert!(end > 20);

    playground.mark();
    playground.edit(vec![4, 4], vec![5, 5], Some(true), None).unwrap();
    playground.go_on_to_end(3, false).unwrap();
    playground.put(0, vec![2.0, 1.0]).unwrap();
    playground.add_pursuer(vec![9.0, 1.0]).unwrap();
    playground.go_on_to_end(3, false).unwrap();
    playground.set("pursuers.0.speed", Some(1.5)).unwrap();
    playground.go_on_to_end(3, false).unwrap();
    assert_eq!((playground.frame(), playground.is_over()), (end + 9, false));
    check_saved("short", &playground);
    playground.restart(None).unwrap();
    playground.go_on_to_end(200, false).unwrap();
    assert!(playground.is_over(), "from the first frame on");

    // What is taken back does not let it go on.
    let mut playground = Playground::open("short", SHORT, None).unwrap();
    playground.go_on_to_end(100, false).unwrap();
    playground.mark();
    playground.edit(vec![4, 4], vec![5, 5], Some(true), None).unwrap();
    assert!(!playground.is_over());
    playground.undo().unwrap();
    assert!(playground.is_over());

    // The first thing that is done after the end may be one that needs another world.
    let mut playground = Playground::open("short", SHORT, None).unwrap();
    playground.go_on(30, false).unwrap();
    playground.add_pursuer(vec![9.0, 1.0]).unwrap();
    playground.go_on_to_end(4, false).unwrap();
    assert_eq!(playground.frame(), 34);
    check_saved("short", &playground);
}

#[test]
fn what_no_scenario_can_have_is_refused() {
    let seed = (1 << 63) - 1;
    assert_eq!(Playground::open("short", SHORT, Some(seed)).unwrap().summary()["seed"], seed);
    let error = Playground::open("short", SHORT, Some(seed + 1)).err().unwrap().to_string();
    assert!(error.contains("9223372036854775808") && error.contains("2^63 - 1"), "{error}");
    let mut playground = Playground::open("short", SHORT, None).unwrap();
    assert!(playground.restart(Some(u64::MAX)).is_err());
    let error = playground.edit(vec![4, 4], vec![5, 5], None, None).unwrap_err().to_string();
    assert!(error.contains("needs wall or wave_speed"), "{error}");
    playground.restart(None).unwrap();
    check_saved("short", &playground);
}

#[test]
fn pursuers_that_are_put_elsewhere_listen_again() {
    let text = scenario::text_of("rooms").unwrap();
    let mut playground = Playground::open("rooms", &text, None).unwrap();
    playground.go_on(90, false).unwrap();
    let mut untouched = Playground::open("rooms", &text, None).unwrap();
    for step in 0..20 {
        playground.put_pursuer(1, vec![17.0 + 0.2 * f64::from(step), 26.0]).unwrap();
        playground.go_on(1, false).unwrap();
    }
    untouched.go_on(110, false).unwrap();
    assert_ne!(playground.state_hash(), untouched.state_hash());
    let walked = |p: &Playground| p.summary()["outcome"]["walked_mean"].as_f64().unwrap();
    assert!(walked(&playground) > 0.0);
    playground.go_on(20, false).unwrap();
    check_saved("rooms", &playground);

    let saved = playground.saved();
    assert!(saved.contains("pursuer = 1"));
    for (name, who, to, part) in [
        ("rooms", 999, vec![17.0, 26.0], "must be below"),
        ("rooms", 1, vec![0.0, 0.0], "is in a wall"),
        ("rooms", 1, vec![17.0, 22.500_05], "touches a wall"),
        ("leap", 0, vec![1.0, 1.0], "must be one that follows waves"),
    ] {
        let mut playground =
            Playground::open(name, &scenario::text_of(name).unwrap(), None).unwrap();
        let error = playground.put_pursuer(who, to).unwrap_err().to_string();
        assert!(error.contains(part) && error.lines().count() == 1, "{name}: {error}");
    }
    // The first group comes in last.
    let late = text.replace("start = \"A\"", "start = \"A\"\nenter = 9");
    let all = playground.summary()["outcome"]["pursuers"].as_u64().unwrap();
    let last = format!("pursuer = {}", all - 1);
    for (who, step, part) in [
        ("evader = 1\npursuer = 0", 9, "must be left out"),
        (&last, 8, "comes in before frame 9"),
        (&last, 9, ""),
    ] {
        let text = format!("{late}\n[[moves]]\nstep = {step}\n{who}\nto = [17, 26]\n");
        let error = scenario::parse("rooms", &text).err().map_or(String::new(), |e| e.to_string());
        assert!(error.contains(part) && error.is_empty() == part.is_empty(), "{error}");
    }
}

#[test]
fn beside_a_world_the_same_is_done_under_other_rules() {
    let text = scenario::text_of("rooms").unwrap();
    let mut open = Open::default();
    asked(&mut open, &json!({"ask": "open", "name": "rooms", "text": text}));
    let go_on = json!({"ask": "go-on", "frames": 25, "layers": false});
    asked(&mut open, &go_on);
    let missing = asked(&mut open, &json!({"ask": "take-beside"})).0;
    assert!(missing["error"].as_str().unwrap().contains("beside"), "{missing}");
    for rule in ["watanabe", "kumagai", "wake"] {
        let (head, ground) = asked(&mut open, &json!({"ask": "beside", "rule": rule}));
        assert!(head.get("error").is_none(), "{head}");
        assert_eq!(ground.len(), 2 * 73 * 33);
        asked(&mut open, &json!({"ask": "edit", "from": [14, 6], "to": [14, 8], "wall": true}));
        asked(&mut open, &json!({"ask": "put", "evader": 0, "to": [17.0, 26.0]}));
        asked(&mut open, &go_on);
        let (taken, _) = asked(&mut open, &json!({"ask": "take-beside"}));
        let (here, _) = asked(&mut open, &json!({"ask": "outcome"}));
        let (there, _) = asked(&mut open, &json!({"ask": "outcome-beside"}));
        assert_eq!(taken["steps"].as_array().unwrap().last(), Some(&there["steps"]));
        // At the same time, and with the same done.
        let dt = |head: &Value| head["dt"].as_f64().unwrap();
        let (own, _) = asked(&mut open, &json!({"ask": "head"}));
        let time = |outcome: &Value, dt: f64| outcome["steps"].as_f64().unwrap() * dt;
        let apart = time(&here, dt(&own)) - time(&there, dt(&head));
        assert!(apart.abs() <= dt(&head), "{rule}: {apart}");
        let world = open.world.as_ref().unwrap();
        let is_own = rule == "wake";
        assert_eq!(there["state_hash"] == world.state_hash(), is_own, "{rule}");
        let other = world.beside(rule).unwrap();
        assert_eq!(other.frame(), there["steps"].as_u64().unwrap());
        check_saved("rooms", &other);
        asked(&mut open, &json!({"ask": "restart", "seed": null}));
        let (there, _) = asked(&mut open, &json!({"ask": "outcome-beside"}));
        assert_eq!(there["steps"], 0);
        asked(&mut open, &go_on);
    }
    let (head, _) = asked(&mut open, &json!({"ask": "beside", "rule": "guess"}));
    assert!(head["error"].as_str().unwrap().contains("guess"), "{head}");
}

mod painted {
    //! A level under the brush has the results of a fresh audit of the same ground.

    use super::{asked, json, level};
    use jump_planner::{Character, JumpGraph};
    use playground::Open;
    use serde_json::Value;
    use sim_harness::maps::heights::{Scaling, parse_asc};

    fn tell(open: &mut Open, request: &Value) -> (Value, Vec<u8>) {
        let mut whole = json!({"ask": "level"});
        for (key, value) in request.as_object().unwrap() {
            whole[key] = value.clone();
        }
        asked(open, &whole)
    }

    fn done(open: &mut Open, request: &Value) -> (Value, Vec<u8>) {
        let answer = tell(open, request);
        assert!(answer.0.get("error").is_none(), "{request}: {}", answer.0);
        answer
    }

    fn saved(open: &mut Open) -> String {
        done(open, &json!({"do": "save"})).0["text"].as_str().unwrap().to_owned()
    }

    fn graph(text: &str, settings: &Value) -> JumpGraph {
        let terrain = parse_asc("saved.asc", text.as_bytes()).unwrap();
        let number = |key: &str| settings[key].as_f64().unwrap();
        let character = Character::builder(number("launch_speed"))
            .gravity(number("gravity"))
            .step_height(number("step_height"));
        let terrain = terrain.terrain(&Scaling::default()).unwrap();
        JumpGraph::new(terrain, character.build().unwrap()).unwrap()
    }

    /// Checks that the results are those of an audit of the saved file.
    fn check(open: &mut Open, start: Option<[usize; 2]>) {
        let (told, reach) = done(open, &json!({"do": "look"}));
        let graph = graph(&saved(open), &told["settings"]);
        let audit = graph.audit(start.map(|[x, y]| [y, x])).unwrap();
        let outcome = &told["summary"]["outcome"];
        assert_eq!(outcome["regions"], audit.region_count());
        assert_eq!(outcome["traps"], audit.traps());
        assert_eq!(outcome["one_way"], audit.one_way());
        let [rows, columns] = graph.terrain().shape();
        let unreached = reach.iter().filter(|kind| matches!(kind, 3)).count();
        assert_eq!(unreached, audit.unreached_cells());
        assert_eq!(reach.len(), rows * columns);
    }

    #[test]
    fn strokes_and_steps_back_are_audited_as_afresh() {
        let mut open = Open::default();
        done(&mut open, &json!({"do": "open"}));
        let first = saved(&mut open);
        check(&mut open, None);
        let mut dice = 7u64;
        let mut next = |below: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) % below
        };
        done(&mut open, &json!({"do": "put", "what": "start", "at": [2, 2]}));
        for turn in 0..12 {
            done(&mut open, &json!({"do": "begin"}));
            for _ in 0..4 {
                let [x, y] = [next(40) + 4, next(26)];
                let by = [-2.0, -0.5, 0.5, 2.0][next(4) as usize];
                let mut paint = json!({"do": "paint", "from": [x, y], "to": [x + next(3), y + 2]});
                paint[if turn % 3 == 0 { "height" } else { "by" }] = json!(by);
                done(&mut open, &paint);
            }
            done(&mut open, &json!({"do": "end"}));
            check(&mut open, Some([2, 2]));
        }
        // A stroke over itself raises a cell once.
        done(&mut open, &json!({"do": "begin"}));
        let paint = json!({"do": "paint", "from": [1, 1], "to": [1, 1], "by": 1.0});
        assert_eq!(done(&mut open, &paint).0["heights"].as_array().unwrap().len(), 1);
        assert_eq!(done(&mut open, &paint).0["heights"], json!([]));
        let speed = json!({"do": "set", "key": "launch_speed", "number": 4.0});
        done(&mut open, &speed);
        check(&mut open, Some([2, 2]));
        for _ in 0..15 {
            done(&mut open, &json!({"do": "undo"}));
        }
        assert_eq!(saved(&mut open), first);
        assert!(tell(&mut open, &json!({"do": "undo"})).0["error"].is_string());
    }

    /// Opens a file as if it were dropped.
    fn dropped(open: &mut Open, name: &str, bytes: &[u8]) {
        let text =
            json!({"ask": "level", "do": "files", "files": [[name, bytes.len()]]}).to_string();
        let request = [&(text.len() as u32).to_le_bytes()[..], text.as_bytes(), bytes].concat();
        let answer = playground::answer(open, &request);
        let answer = String::from_utf8_lossy(&answer[4..]).into_owned();
        assert!(answer.contains("\"heights\""), "{answer}");
    }

    /// Pits of voxels are jumped over: the audit of the saved file, told of them, says the same as
    /// the tools; told of none, it has them as ground, and in some levels other regions.
    #[test]
    fn a_level_with_pits_is_saved_as_it_is() {
        let mut differs = 0;
        let mut dice = 5u64;
        let mut next = |below: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) % below
        };
        for turn in 0..20 {
            let [columns, rows] = [next(9) + 4, next(9) + 4];
            let mut voxels = format!("voxel {columns} {rows} 4\n");
            let ditch = next(columns - 2) + 1;
            for y in 0..rows {
                for x in 0..columns {
                    let height = if x == ditch || next(6) == 0 { 0 } else { next(3) + 1 };
                    voxels.extend((0..height).map(|z| format!("{x} {y} {z}\n")));
                }
            }
            let mut open = Open::default();
            dropped(&mut open, "pits.3dmap", voxels.as_bytes());
            done(&mut open, &json!({"do": "paint", "from": [0, 0], "to": [0, 2], "by": 0.5}));
            let (told, reach) = done(&mut open, &json!({"do": "look"}));
            let (kept, _) = done(&mut open, &json!({"do": "save"}));
            let text = kept["text"].as_str().unwrap();
            let boxes: Vec<[[usize; 2]; 2]> =
                serde_json::from_value(kept["no_go"].clone()).unwrap();
            let note = kept["note"].as_str().unwrap();

            let mut map = parse_asc("saved.asc", text.as_bytes()).unwrap();
            let mut no_go = map.heights.map(|_| false);
            for [[left, upper], [right, lower]] in boxes {
                assert!(
                    note.contains(&format!(" --no-go {left},{upper},{right},{lower}")),
                    "{note}"
                );
                for y in upper..=lower {
                    for x in left..=right {
                        assert!(!std::mem::replace(&mut no_go[[y, x]], true), "{turn}: twice");
                    }
                }
            }
            map.no_go = Some(no_go);
            let number = |key: &str| told["settings"][key].as_f64().unwrap();
            let character = Character::builder(number("launch_speed"))
                .gravity(number("gravity"))
                .step_height(number("step_height"))
                .build()
                .unwrap();
            let terrain = map.terrain(&Scaling::default()).unwrap();
            let audit = JumpGraph::new(terrain, character).unwrap().audit(None).unwrap();
            let outcome = &told["summary"]["outcome"];
            assert_eq!(outcome["regions"], audit.region_count(), "{turn}");
            assert_eq!(outcome["traps"], audit.traps(), "{turn}");
            assert_eq!(outcome["one_way"], audit.one_way(), "{turn}");
            let stood = reach.iter().map(|&kind| kind != 0);
            assert!(stood.eq(map.no_go.unwrap().iter().map(|no_go| !no_go)), "{turn}");
            let unreached = reach.iter().filter(|kind| matches!(kind, 3)).count();
            assert_eq!(unreached, audit.unreached_cells(), "{turn}");
            let plain = graph(text, &told["settings"]).audit(None).unwrap();
            differs += usize::from(outcome["regions"] != plain.region_count());

            // A chase keeps out of them.
            let chase = done(&mut open, &json!({"do": "chase"})).0["text"].clone();
            let chase = chase.as_str().unwrap().as_bytes().to_vec();
            let files = [
                ("pits.asc".to_owned(), text.as_bytes().to_vec()),
                ("chase.toml".to_owned(), chase),
            ];
            playground::Playground::open_files(files.into(), Some(1)).unwrap();
        }
        assert!(differs > 3, "{differs}");
        // Without pits there is nothing to add.
        let mut open = Open::default();
        done(&mut open, &json!({"do": "open"}));
        let (kept, _) = done(&mut open, &json!({"do": "save"}));
        assert_eq!([&kept["no_go"], &kept["note"]], [&json!([]), &Value::Null]);
    }

    #[test]
    fn findings_have_witnesses_and_speeds_open_more() {
        let mut open = Open::default();
        let (head, _) = done(&mut open, &json!({"do": "open"}));
        let (told, _) = done(&mut open, &json!({"do": "look"}));
        let settings = &told["settings"];
        let graph = graph(&saved(&mut open), settings);
        let mut jumps = 0;
        for found in told["findings"].as_array().unwrap() {
            let moves = &found["moves"];
            let show = json!({"do": "show", "cell": found["cell"], "moves": moves});
            let (shown, mask) = done(&mut open, &show);
            let [x, y] = [0, 1].map(|a| found["cell"][a].as_u64().unwrap() as usize);
            assert_eq!(mask[y * head["size"][0].as_u64().unwrap() as usize + x], 1);
            for (arc, step) in
                shown["arcs"].as_array().unwrap().iter().zip(moves.as_array().unwrap())
            {
                if step["kind"] != "jump" || found["kind"] == "marginal" {
                    continue;
                }
                jumps += 1;
                let speed = arc["flight"]["speed"].as_f64().unwrap();
                assert!((speed - settings["launch_speed"].as_f64().unwrap()).abs() < 1e-9);
                // It flies over the right cells.
                let points =
                    arc["points"].as_array().unwrap().iter().zip(arc["ground"].as_array().unwrap());
                let clear = |(p, ground): (&Value, &Value)| {
                    ground.as_f64().is_none_or(|z| p[2].as_f64().unwrap() > z - 1e-9)
                };
                assert!(points.into_iter().all(clear), "{found}");
            }
        }
        assert!(jumps > 0);
        // A chase on it has the same character, which gets over the chasm: it walks and jumps.
        let chase = done(&mut open, &json!({"do": "chase"})).0["text"].as_str().unwrap().to_owned();
        assert!(chase.contains("launch_speed = 6.0"), "{chase}");
        let ground = saved(&mut open).into_bytes();
        let files = [("sample.asc".to_owned(), ground), ("chase.toml".to_owned(), chase.into())];
        let mut playground = playground::Playground::open_files(files.into(), Some(1)).unwrap();
        playground.go_on(200, false).unwrap();
        let outcome = playground.outcome()["outcome"].clone();
        assert!(outcome["walked_mean"].as_f64() > Some(1.0), "{outcome}");
        assert_eq!(outcome["unreachable"], 0, "{outcome}");

        let traps = told["findings"].as_array().unwrap().iter().filter(|f| f["kind"] == "trap");
        assert_eq!(traps.count(), 3, "the pit, the moat and the yard");

        let steps = done(&mut open, &json!({"do": "speeds", "most": 9.0})).0["steps"].clone();
        let start = graph.audit(None).unwrap().start();
        for step in steps.as_array().unwrap() {
            let speed = step["speed"].as_f64().unwrap().max(0.01) * 1.001;
            let set = json!({"do": "set", "key": "launch_speed", "number": speed});
            done(&mut open, &set);
            done(&mut open, &json!({"do": "put", "what": "start", "at": [start[1], start[0]]}));
            let (_, reach) = done(&mut open, &json!({"do": "look"}));
            let reached = reach.iter().filter(|&&kind| kind == 1 || kind == 2).count();
            assert_eq!(step["reached"], reached, "{step}");
        }
        assert!(steps.as_array().unwrap().len() > 2, "{steps}");
    }

    #[test]
    fn cuts_and_shortcuts_are_those_of_the_planner() {
        let mut open = Open::default();
        done(&mut open, &json!({"do": "new", "columns": 13, "rows": 9}));
        // A wall to walk around: two low pillars beside it let one hop over.
        for (from, to, height) in
            [([6, 0], [6, 7], 3.0), ([4, 0], [4, 0], 1.5), ([8, 0], [8, 0], 1.5)]
        {
            done(&mut open, &json!({"do": "paint", "from": from, "to": to, "height": height}));
        }
        for at in [[0, 0], [6, 8], [12, 0]] {
            done(&mut open, &json!({"do": "put", "what": "stop", "at": at}));
        }
        let (shortcuts, _) = done(&mut open, &json!({"do": "shortcuts"}));
        assert!(shortcuts["counts"]["shortcut"].as_u64() > Some(0), "{shortcuts}");
        assert_eq!(shortcuts["route"][0], json!([0, 0]));
        done(&mut open, &json!({"do": "put", "what": "start", "at": [0, 4]}));
        done(&mut open, &json!({"do": "put", "what": "goal", "at": [12, 4]}));
        done(&mut open, &json!({"do": "set", "key": "launch_speed", "number": 1.0}));
        let (cuts, _) = done(&mut open, &json!({"do": "cuts"}));
        assert_eq!(cuts["goal"], json!({"reached": true, "on_every_way": [[6, 8]]}));
        done(&mut open, &json!({"do": "clear-route"}));
    }

    #[test]
    fn what_a_level_cannot_be_is_said_and_it_stays() {
        let mut open = Open::default();
        let error = |open: &mut Open, request: &Value, part: &str| {
            let head = tell(open, request).0;
            let said = head["error"].as_str().unwrap_or_else(|| panic!("{request}: {head}"));
            assert!(said.contains(part) && said.lines().count() == 1, "{request}: {said}");
        };
        error(&mut open, &json!({"do": "look"}), "no level is open");
        error(&mut open, &json!({"do": "new", "columns": 513, "rows": 2}), "512 a side");
        done(&mut open, &json!({"do": "open"}));
        let before = saved(&mut open);
        for (request, part) in [
            (json!({"do": "fly"}), "not understood"),
            (json!({"do": "paint", "from": [0, 0], "to": [1, 1], "height": 1e12}), "1000000000000"),
            (json!({"do": "put", "what": "start", "at": [99, 0]}), "99"),
            (json!({"do": "set", "key": "launch_speed", "number": -1.0}), "launch_speed"),
            (json!({"do": "set", "key": "wings", "number": 1.0}), "wings"),
            (json!({"do": "shortcuts"}), "route"),
            (json!({"do": "new", "columns": 1, "rows": 1}), "1 x 1"),
        ] {
            error(&mut open, &request, part);
            assert_eq!(saved(&mut open), before);
        }
        // Files as they are dropped.
        let asc = saved(&mut open);
        for (name, bytes) in [
            ("hill.tif", std::fs::read(level("hill.tif")).unwrap()),
            ("mine.asc", asc.into_bytes()),
        ] {
            dropped(&mut open, name, &bytes);
            check(&mut open, None);
        }
        assert_eq!(saved(&mut open), before);
    }
}

/// In a house a stroke reaches from the floor to the ceiling of each column's room: beside the hole
/// of the stair the other storey stays as it is. A stroke that breaks a wall beside a door is as
/// high as the door. On flat maps, and out of the map, no stroke is stretched.
#[test]
fn walls_are_painted_from_floor_to_ceiling() {
    let text = |name| built_in().iter().find(|b| b.name == name).unwrap().text;
    let house = Playground::open("building", text("building"), None).unwrap();
    let tall = |low: [usize; 3], high: [usize; 3], breaks| {
        let boxes = house.floor_to_ceiling(&low, &high, breaks);
        let cells: usize = boxes
            .iter()
            .map(|[low, high]| (0..3).map(|a| high[a] + 1 - low[a]).product::<usize>())
            .sum();
        (boxes[0][0][2], boxes[0][1][2], cells)
    };
    assert_eq!(tall([40, 24, 32], [42, 26, 32], false), (26, 49, 9 * 24));
    // A row of the room, and two of the wall, in which only the door is open.
    assert_eq!(tall([42, 31, 32], [44, 33, 32], false), (26, 49, 3 * 24 + 4 * 12 + 2));
    assert_eq!(tall([44, 32, 32], [46, 33, 32], true), (26, 37, 6 * 12));
    assert_eq!(tall([16, 6, 6], [17, 8, 6], true), (0, 23, 6 * 24));
    // One column above the stair, of which the lowest open cell is 10, and two beside the hole.
    assert_eq!(tall([25, 25, 32], [27, 25, 32], false), (10, 49, 40 + 2 * 24));
    assert_eq!(tall([40, 24, 30], [42, 26, 32], false).2, 27);
    let out = house.floor_to_ceiling(&[48, 48, 99], &[usize::MAX, 50, 99], true);
    assert_eq!(out, [[vec![48, 48, 99], vec![usize::MAX, 50, 99]]]);
    let rooms = Playground::open("rooms", text("rooms"), None).unwrap();
    assert_eq!(rooms.floor_to_ceiling(&[3, 4], &[5, 6], false), [[vec![3, 4], vec![5, 6]]]);
}
