//! The built-in scenarios: their claims over seeds, and the same bits for any number of threads.
//!
//! 100 seeds each: `SCENARIO_SEEDS=100 cargo test --release -p namiji-sim-harness --test harness
//! scenarios`.

use crate::command::{Folder, json, refused};
use crate::rules::Footholds;
use sim_harness::scenario::{self, Setting};
use sim_harness::study::verify::Seeds;
use sim_harness::world::{Moment, Scene, Watch};
use sim_harness::{WriteError, study::verify, world};
use std::collections::BTreeSet;

/// Seeds by default, and settings that make a scenario's runs short enough for every day. Claims
/// hold for the scenario as it is; with settings, only for those listed here.
type Short = &'static [(&'static str, i64)];
const SCENARIOS: [(&str, u64, Short); 14] = [
    ("rooms", 5, &[]),
    ("house", 3, &[]),
    ("hunt", 5, &[]),
    ("leap", 2, &[]),
    ("building", 2, &[]),
    ("pack", 1, &[("pursuers.0.count", 150), ("claims.0.at_least", 150)]),
    ("siege", 1, &[("steps", 200), ("pursuers.0.count", 1000)]),
    ("watanabe", 3, &[]),
    ("kumagai", 1, &[]),
    ("duel", 2, &[]),
    ("dogfight", 1, &[]),
    ("terrace", 5, &[]),
    ("stairwell", 5, &[]),
    ("expanse", 1, &[]),
];

fn settings(settings: &[(&str, i64)]) -> Vec<Setting> {
    settings.iter().map(|&(key, v)| (key.to_owned(), toml::Value::Integer(v))).collect()
}

fn asked_for() -> Option<u64> {
    std::env::var("SCENARIO_SEEDS").ok().map(|seeds| seeds.parse().unwrap())
}

#[test]
fn every_built_in_scenario_is_here() {
    let mut ours: Vec<_> = SCENARIOS.iter().map(|s| s.0).collect();
    let mut all: Vec<_> = scenario::built_in().iter().map(|b| b.name).collect();
    ours.sort_unstable();
    all.sort_unstable();
    assert_eq!(ours, all);
}

#[test]
fn what_is_claimed_holds_over_seeds() {
    for (name, seeds, short) in SCENARIOS {
        let asked = asked_for();
        let short = if asked.is_some() { Vec::new() } else { settings(short) };
        let mut scenario = scenario::load_with(name, &short).unwrap();
        assert!(!scenario.claims.is_empty() && !scenario.question.is_empty(), "{name}");
        if asked.is_none() {
            // Comparisons of means need more seeds than this.
            scenario.claims.retain(|claim| {
                claim.variant.is_none()
                    && claim.relative_to.is_none()
                    && claim.over == scenario::Over::EverySeed
            });
            scenario.variants.clear();
        }
        let seeds = asked.unwrap_or(seeds);
        let seeds = Seeds { first: 1, count: seeds };
        let verification = verify::verify_as(&scenario, &short, seeds, &|| {}).unwrap();
        let broken: Vec<_> = verification.claims.iter().filter(|claim| !claim.holds).collect();
        assert!(verification.holds, "{name}: {broken:#?}");
    }
}

#[test]
fn spacing_is_that_of_all_packs() {
    let pack = |count| {
        format!(
            "[[pursuers]]\nstart = [5, 15]\nspread = 2.0\ncount = {count}\nspeed = 0.4\n\
             mind = {{ pack = {{}} }}\n"
        )
    };
    let spacing = |packs: &str| {
        let text = format!(
            "name = \"packs\"\nsteps = 40\n[map]\nsize = [60, 30]\n[[evaders]]\nstart = [20, 15]\n{packs}"
        );
        let scenario = scenario::parse("packs.toml", &text).unwrap();
        world::run(&scenario, None, None, &mut |_| {}).unwrap().outcome.spacing.unwrap()
    };
    // Whoever is alone counts with the view radius.
    let [one, both] = [pack(1), pack(1) + &pack(20)].map(|packs| spacing(&packs));
    assert_eq!(one, 4.0);
    assert!(both < 2.0, "{both}");
}

/// The names of all figures of a run.
#[derive(Default)]
struct Figures(BTreeSet<String>);

impl Watch for Figures {
    fn begin(&mut self, _: Scene) {}
    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        let count = moment.gauges.len();
        let names: BTreeSet<_> = moment.gauges.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names.len(), count, "{:?}", moment.gauges);
        self.0.extend(names);
        Ok(false)
    }
}

#[test]
fn each_group_has_figures_of_its_own() {
    let evader = |x: u32, speed: f64| {
        format!(
            "[[evaders]]\nstart = [{x}, 5]\nspeed = {speed}\nmind = {{ utility = {{ goal = [19, 5] }} }}\n"
        )
    };
    let pack = |name: &str| {
        format!(
            "[[pursuers]]\nname = \"{name}\"\ncount = 3\nspeed = 0.1\nmind = {{ pack = {{}} }}\n"
        )
    };
    let figures = |groups: &str| {
        let text = format!("name = \"f\"\nsteps = 40\n[map]\nsize = [20, 20]\n{groups}");
        let mut figures = Figures::default();
        let scenario = scenario::parse("f.toml", &text).unwrap();
        world::run(&scenario, None, Some(&mut figures), &mut |_| {}).unwrap();
        figures.0
    };
    let both = [evader(2, 0.1), evader(9, 0.2), pack("wolves"), pack("dogs")].concat();
    let (both, one) = (figures(&both), figures(&(evader(2, 0.1) + &pack("wolves"))));
    for (name, groups) in [("hits", ["evaders 0", "evaders 1"]), ("spacing", ["wolves", "dogs"])] {
        assert!(one.contains(name), "{one:?}");
        assert!(groups.iter().all(|g| both.contains(&format!("{name} ({g})"))), "{both:?}");
    }
}

/// The state hashes in which runs with seed 3 end: the first frames of the short settings, and
/// whole runs of the scenarios as they are. They are the same on every machine and in every build;
/// a change of rules changes them, and then they are set again.
const GOLDEN: [(&str, &str, &str); 14] = [
    ("rooms", "a73ab9891057cb8f", "773b611c849cfadd"),
    ("house", "a7919fe466b99aaa", "47879fb541d7b1a7"),
    ("hunt", "b2d42e5a5e24b718", "e8ebd9fe2f7975ce"),
    ("leap", "2da7fcee44c85803", "a7106091cc8f1b78"),
    ("building", "03b707eef5713595", "6f8a4820d32c177f"),
    ("pack", "9e7725098ab2044f", "73a72bc96ae78af5"),
    ("siege", "6a081819661dc5bf", "805156194dfa0104"),
    ("watanabe", "09ecd774d23ad0a5", "22ebff093b9c43ae"),
    ("kumagai", "94b9b8214b937487", "c16e2c9f7430ba8c"),
    ("duel", "ac6985e19ca1d983", "1bd57f82e1f08e91"),
    ("dogfight", "0825b2842f845739", "c3cdafa36e7cc33b"),
    ("terrace", "0f015aa3fe269168", "0f015aa3fe269168"),
    ("stairwell", "3af85c5f811a7db0", "3af85c5f811a7db0"),
    ("expanse", "4c2445eec164f6d7", "d6e66de245f056f0"),
];

/// The first frames of every scenario with its short settings, and how they end.
fn short_runs() -> Vec<(scenario::Scenario, &'static str)> {
    let run = |((name, _, short), (golden_name, golden, _)): ((&str, u64, Short), _)| {
        assert_eq!(name, golden_name);
        let mut short = settings(short);
        // Edits of rooms and the building come before this.
        let steps = if name == "siege" { 61 } else { 320 };
        short.push(("steps".to_owned(), toml::Value::Integer(steps)));
        (scenario::load_with(name, &short).unwrap(), golden)
    };
    SCENARIOS.into_iter().zip(GOLDEN).map(run).collect()
}

/// Runs each with so many threads, each time in a pool of its own.
fn assert_ends(runs: Vec<(scenario::Scenario, &str)>, threads: &[usize]) {
    let mut others = Vec::new();
    for (scenario, golden) in runs {
        let run = |&threads: &usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let run = || world::run(&scenario, Some(3), None, &mut |_| {}).unwrap();
            let summary = pool.install(run);
            (summary.state_hash, summary.steps, summary.outcome)
        };
        let ends: Vec<_> = threads.iter().map(run).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{}: {ends:?}", scenario.name);
        if ends[0].0 != golden {
            others.push((scenario.name, ends[0].1, ends[0].0.clone()));
        }
    }
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn the_same_seed_gives_the_same_bits_for_any_number_of_threads_and_every_time() {
    assert_ends(short_runs(), &[1, 3]);
}

/// With the short runs again: where this is a release build, they end as they do in a debug build.
#[test]
fn whole_runs_end_as_they_always_do() {
    if asked_for().is_none() {
        println!("skipped: SCENARIO_SEEDS is not set");
        return;
    }
    let whole = GOLDEN.map(|(name, _, golden)| (scenario::load(name).unwrap(), golden));
    assert_ends(short_runs().into_iter().chain(whole).collect(), &[1, 2]);
}

#[test]
fn a_recorded_run_has_the_bits_of_one_that_is_not() {
    let folder = Folder::new();
    let plain = json(&["run", "leap", "--seed", "4"]);
    let recorded = json(&["run", "leap", "--seed", "4", "--out", &folder.name("out")]);
    assert_eq!(plain["state_hash"], recorded["state_hash"]);
    assert_eq!(plain["outcome"], recorded["outcome"]);
    assert_ne!(plain["state_hash"], json(&["run", "leap", "--seed", "5"])["state_hash"]);
}

#[test]
fn walls_are_not_built_where_somebody_stands_and_edits_reach_every_mind() {
    let folder = Folder::new();
    let text = r#"
        name = "cut"
        steps = 200
        until = "last-step"
        [map]
        drawing = """
.........
.e..#..g.
....#....
....#....
.p.......
"""
        [contact]
        reach = 0.5
        [[evaders]]
        start = "e"
        speed = 0.2
        mind = { utility = { goal = "g", strategy = "straight" } }
        [[pursuers]]
        start = "p"
        speed = 0.1
        [[pursuers]]
        start = "p"
        speed = 0.1
        mind = { travel = {} }
        [[edits]]
        step = 5
        from = [4, 0]
        to = [4, 0]
        wall = true
        [[edits]]
        step = 5
        from = [7, 1]
        to = [7, 1]
        wall = true
    "#;
    let file = folder.file("cut.toml", text);
    let outcome = &json(&["run", &file])["outcome"];
    // The goal cannot be walled up; the short way can, and then the way is the one below.
    assert_eq!(outcome["refused_walls"], 1);
    assert_eq!(outcome["walls_built"], 1);
    assert_eq!(outcome["home"], 1);
    assert!(outcome["evader_walked"].as_f64().unwrap() > 8.0, "{outcome}");
}

/// What is verified is the scenario that was read, with its settings, whatever its name is.
#[test]
fn a_scenario_is_verified_as_it_was_read() {
    let text = "name = \"rooms\"\nsteps = 5\n[map]\nsize = [5, 5]\n[[evaders]]\n[[pursuers]]\ncount = 3\n\
                speed = 0.5\n[[variants]]\nname = \"more\"\nset = { \"steps\" = 4 }\n";
    let counts = |scenario: &scenario::Scenario| -> Vec<f64> {
        let done = verify::verify(scenario, Seeds { first: 1, count: 2 }, &|| ()).unwrap();
        let of = |measured: &verify::Measured| {
            let figure = measured.figures.iter().find(|(key, _)| key == "pursuers").unwrap();
            figure.1.as_ref().unwrap().mean
        };
        done.measured.iter().map(of).collect()
    };
    assert_eq!(counts(&scenario::parse("rooms", text).unwrap()), [3.0, 3.0]);
    let folder = Folder::new();
    let set = settings(&[("pursuers.0.count", 4)]);
    let file = folder.file("some.toml", text);
    assert_eq!(counts(&scenario::load_with(&file, &set).unwrap()), [4.0, 4.0]);
}

/// Graphs over heights do not change, so walls may not where members walk on them.
#[test]
fn walls_over_heights_do_not_change_under_those_who_walk_there() {
    let folder = Folder::new();
    let text = r#"
        name = "heights"
        steps = 20
        [map]
        size = [3, 2]
        heights = """
000
000
"""
        [[evaders]]
        start = [2, 0]
        [[pursuers]]
        start = [0, 0]
        speed = 0.1
        mind = { travel = {} }
    "#;
    let edit =
        |change: &str| format!("[[edits]]\nstep = 5\nfrom = [1, 0]\nto = [1, 1]\n{change}\n");
    let churn = "[[churn]]\nevery = 3\nbuilt = 1\n".to_owned();
    let utility = text.replace(
        "start = [2, 0]",
        "start = [2, 0]\nspeed = 0.1\nmind = { utility = { goal = [0, 1] } }",
    );
    for (base, change, key) in [
        (text, edit("wall = true"), "edits[0]"),
        (text, edit("wall = false"), "edits[0]"),
        (text, churn, "churn"),
        (&utility, edit("wall = true"), "edits[0]"),
    ] {
        let file = folder.file("heights.toml", format!("{base}\n{change}"));
        refused(&["run", &file], &[key, "must be left out", "a map with heights"]);
    }
    // Speeds of waves are nothing to them.
    json(&["run", &folder.file("speed.toml", format!("{text}\n{}", edit("wave_speed = 0.5")))]);
}

/// In the frame in which a traveller arrives it walks no further than to its goal.
#[test]
fn travellers_walk_as_far_as_their_way_is_long() {
    let folder = Folder::new();
    for speed in [0.3, 0.7, 5.0] {
        let text = format!(
            "name = \"way\"\nsteps = 60\nuntil = \"last-step\"\n[map]\nsize = [9, 3]\n\
             [[evaders]]\nstart = [8, 1]\n[[pursuers]]\nstart = [0, 1]\nspeed = {speed}\n\
             mind = {{ travel = {{}} }}\n"
        );
        let outcome = &json(&["run", &folder.file("way.toml", text)])["outcome"];
        let walked = outcome["walked_mean"].as_f64().unwrap();
        assert!((walked - 8.0).abs() < 1e-9, "{walked} at speed {speed}");
    }
}

/// Members on a graph that start beside the middle of a cell walk there first.
#[test]
fn members_on_a_graph_walk_from_where_they_start() {
    struct Ways([Vec<[f64; 3]>; 2], f64);
    impl Watch for Ways {
        fn begin(&mut self, _: Scene) {}
        fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
            let members = [moment.cast.evaders[0], moment.cast.pursuers[0]];
            self.0.iter_mut().zip(members).for_each(|(places, me)| places.push(me.position));
            self.1 = members[1].walked;
            Ok(false)
        }
    }
    for speed in [0.01, 0.2, 0.9] {
        let text = format!(
            "name = \"beside\"\nsteps = 7\nrecord_every = 1\nuntil = \"last-step\"\n[map]\n\
             size = [12, 6]\n[pace]\nframe = 1.0\nupdates = 1000\n[[evaders]]\nstart = [1.6, 4.4]\n\
             speed = {speed}\nmind = {{ utility = {{ goal = [9, 4] }} }}\n[[pursuers]]\n\
             start = [2.4, 2.4]\nspeed = {speed}\nmind = {{ travel = {{}} }}\n"
        );
        let scenario = scenario::parse("beside", &text).unwrap();
        let mut ways = Ways([vec![], vec![]], 0.0);
        world::run(&scenario, None, Some(&mut ways), &mut |_| {}).unwrap();
        let Ways(places, walked) = ways;
        assert_eq!(places.each_ref().map(|p| p[0]), [[1.6, 4.4, 0.0], [2.4, 2.4, 0.0]]);
        assert!(walked <= 7.0 * speed + 1e-9, "{walked} at speed {speed}");
        for places in places {
            assert!(places.len() > 6);
            for pair in places.windows(2) {
                let way = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
                assert!(way <= speed * (1.0 + 1e-9), "{way} at speed {speed}");
            }
        }
    }
}

/// Where no way leads to an evader yet, a run waits for all that may open one.
#[test]
fn a_run_waits_for_what_may_open_a_way() {
    let folder = Folder::new();
    let text = "name = \"shut\"\nsteps = 400\n[map]\ndrawing = \"\"\"\n#######\n#e#..p#\n#######\n\"\"\"\n\
                [[evaders]]\nstart = \"e\"\n[[pursuers]]\nstart = \"p\"\nspeed = 0.5\n";
    for (change, arrives) in [
        ("[[moves]]\nstep = 200\nto = [3.0, 1.0]\n", true),
        ("[[edits]]\nstep = 200\nfrom = [2, 1]\nto = [2, 1]\nwall = false\n", true),
        ("[[churn]]\nevery = 100\nbroken = 8\nside = 5\n", true),
        ("[[churn]]\nevery = 100\nbuilt = 1\n", false),
        ("", false),
    ] {
        let summary = json(&["run", &folder.file("shut.toml", format!("{text}{change}"))]);
        let outcome = &summary["outcome"];
        assert_eq!(outcome["arrived"], u64::from(arrives), "{change}: {outcome}");
        assert_eq!(summary["steps"].as_u64() > Some(90), arrives, "{change}: {summary}");
    }
}

/// Where a member is still to be put, no wall is built, neither in a run nor by hand.
#[test]
fn walls_leave_the_ends_of_moves_free() {
    let text = "name = \"put\"\nsteps = 60\nuntil = \"last-step\"\n[map]\nsize = [9, 3]\n[[evaders]]\n\
                start = [8, 1]\n[[pursuers]]\nstart = [0, 1]\nspeed = 0.1\n";
    let wall = "[[edits]]\nstep = 20\nfrom = [4, 0]\nto = [4, 1]\nwall = true\n";
    let put = "[[moves]]\nstep = 40\nto = [4, 1]\n";
    let folder = Folder::new();
    let outcome =
        &json(&["run", &folder.file("put.toml", format!("{text}{wall}{put}"))])["outcome"];
    assert_eq!((&outcome["walls_built"], &outcome["refused_walls"]), (&1.into(), &1.into()));

    let scenario = scenario::parse("put", &format!("{text}{wall}")).unwrap();
    let mut live = world::Live::new(&scenario, None).unwrap();
    let to = scenario::Place::At(vec![4.0, 1.0]);
    live.put(scenario::Move { step: 40, evader: 0, pursuer: None, to }).unwrap();
    (0..60).for_each(|_| live.advance().unwrap());
    assert_eq!(live.outcome().refused_walls, 1);
}

/// Where a group is still to come in, no wall is built.
#[test]
fn walls_leave_entrances_free() {
    let folder = Folder::new();
    let text = r#"
        name = "late"
        steps = 120
        until = "last-step"
        [map]
        drawing = """
....................
.e................p.
....................
"""
        [[evaders]]
        start = "e"
        [[pursuers]]
        start = "p"
        speed = 0.3
        [[pursuers]]
        start = "p"
        name = "reinforcements"
        speed = 0.3
        enter = 100
        [[edits]]
        step = 40
        from = [18, 1]
        to = [18, 1]
        wall = true
        [[churn]]
        every = 10
        built = 1
        broken = 1
        side = 2
    "#;
    let file = folder.file("late.toml", text);
    for seed in 1..=12u64 {
        let outcome = &json(&["run", &file, "--seed", &seed.to_string()])["outcome"];
        assert_eq!(outcome["pursuers"], 2);
        assert!(outcome["refused_walls"].as_u64() >= Some(1), "{outcome}");
    }
}

/// The places of the evader frame by frame in a world with a map of these lines, if it can be.
fn flights(seed: u64, speed: f64, map: &str, mind: &str) -> Option<Vec<[f64; 3]>> {
    let text = format!(
        "name = \"fast\"\nsteps = 80\nrecord_every = 1\nuntil = \"last-step\"\nseed = {seed}\n[map]\n{map}\n\
         [pace]\nframe = 1.0\nupdates = 100000\n[[evaders]]\nspeed = {speed:?}\nmind = {{ flee = 8 }}\n\
         [[pursuers]]\ncount = 2\nspeed = 1.0\nmind = {mind}\n"
    );
    let scenario = scenario::parse("fast", &text).unwrap();
    let mut places = Footholds::default();
    world::run(&scenario, None, Some(&mut places), &mut |_| {}).ok()?;
    Some(places.0)
}

/// An evader that flees never goes further in a frame than its speed allows, not even around a
/// corner.
#[test]
fn who_flees_is_never_faster_than_its_speed() {
    let blocks = "blocks = { count = 40, shortest = 1, longest = 2 }";
    let mut fled = 0.0;
    for (speed, size) in [(1.0, "[20, 14]"), (3.0, "[20, 14]"), (1.0, "[9, 9, 5]")] {
        for seed in 0..60 {
            let map = format!("size = {size}\n{blocks}");
            let Some(places) = flights(seed, speed, &map, "\"wave\"") else { continue };
            for pair in places.windows(2) {
                let way = (0..3).map(|a| (pair[1][a] - pair[0][a]).powi(2)).sum::<f64>().sqrt();
                assert!(way <= speed * (1.0 + 1e-5), "seed {seed}: {way} at speed {speed}");
                fled += way;
            }
        }
    }
    assert!(fled > 1000.0, "{fled}");
}

/// An evader flees over heights as it does on flat ground: heights are no part of its way.
#[test]
fn who_flees_over_heights_goes_as_far_as_on_flat_ground() {
    let heights = |height: char| {
        let row: String = std::iter::repeat_n(height, 20).collect();
        let rows = vec![row; 14].join("\n");
        format!("size = [20, 14]\nheights = \"\"\"\n{rows}\n\"\"\"")
    };
    let mut fled = 0.0;
    for seed in 0..6 {
        let [low, high] =
            ['0', '5'].map(|h| flights(seed, 0.5, &heights(h), "{ travel = {} }").unwrap());
        for (low, high) in low.iter().zip(&high) {
            assert_eq!((low[..2].to_vec(), high[2]), (high[..2].to_vec(), 5.0), "seed {seed}");
        }
        let ways = high.windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1]));
        fled += ways.sum::<f64>();
    }
    assert!(fled > 20.0, "{fled}");
}

#[test]
fn who_is_cut_off_waits_for_a_way() {
    let folder = Folder::new();
    let text = r#"
        name = "cut-off"
        steps = 200
        until = "last-step"
        [map]
        drawing = """
...#...
.e...g.
...#...
#######
p......
"""
        [[evaders]]
        start = "e"
        speed = 0.2
        mind = { utility = { goal = "g", strategy = "weighted", detour = { of-start = 0.5 } } }
        [[pursuers]]
        start = "p"
        speed = 0.1
        [[edits]]
        step = 5
        from = [3, 1]
        to = [3, 1]
        wall = true
        [[edits]]
        step = 100
        from = [3, 1]
        to = [3, 1]
        wall = false
    "#;
    let file = folder.file("cut-off.toml", text);
    let result = json(&["run", &file]);
    let outcome = &result["outcome"];
    assert_eq!((&outcome["walls_built"], &outcome["home"]), (&1.into(), &1.into()), "{result}");
    // All the way, and not before the wall was gone again.
    assert_eq!(outcome["evader_walked"], 4.0);
    // A step lasts 0.7 s.
    assert!(outcome["home_seconds"].as_f64() > Some(70.0), "{outcome}");
}

/// Two targets, one behind a wall; the nearer one by the way is taken, and after an edit the other.
#[test]
fn who_asks_across_a_world_goes_to_the_target_that_is_nearer_by_the_way() {
    let folder = Folder::new();
    let text = r#"
        name = "world"
        steps = 60
        until = "last-step"
        [map]
        drawing = """
a.#p...........b
..#.............
..#.............
..#.............
"""
        [contact]
        reach = 0.5
        [[evaders]]
        start = "a"
        [[evaders]]
        start = "b"
        [[pursuers]]
        start = "p"
        speed = 0.25
        mind = "world"
        [[edits]]
        step = 20
        from = [2, 3]
        to = [2, 3]
        wall = false
    "#;
    let file = folder.file("world.toml", text);
    let frame = ["--set", "pace.frame=1.0", "--set", "pace.updates=1000"];
    let run =
        |more: &[&str]| json(&[&["run", &file], &frame[..], more].concat())["outcome"].clone();
    let outcome = run(&["--set", "edits.0.step=59"]);
    assert_eq!((&outcome["arrived"], &outcome["walked_mean"]), (&1.into(), &12.0.into()));
    // After 20 steps it is 7 cells from that one, and 10 from the other by the door.
    assert_eq!(run(&[])["walked_mean"], 12.0);
    // At once it is 2.5 + 1 + 2.9 cells to the other, around the door's corners.
    let walked = run(&["--set", "edits.0.step=0"])["walked_mean"].as_f64().unwrap();
    assert!((6.46..6.48).contains(&walked), "{walked}");
    // It is for flat maps without heights, and few targets.
    for (more, key, limit) in [
        ("evaders.0.count=16", "pursuers[0].mind", "16 evaders"),
        ("map.heights='0'", "pursuers[0].mind", "take travel"),
    ] {
        refused(&[&["run", &file, "--set", more][..], &frame[..]].concat(), &[key, limit]);
    }
    let legs = ["--set", "map.legs={}", "--set", "edits=[]"];
    refused(&[&["run", &file], &legs[..]].concat(), &["pursuers[0].mind", "must follow waves"]);
    let deep = "name = 'deep'\nsteps = 3\n[map]\nsize = [5, 5, 5]\n[[evaders]]\n[[pursuers]]\n\
                speed = 0.5\nmind = 'world'\n";
    refused(&["run", &folder.file("deep.toml", deep)], &["pursuers[0].mind", "2D maps only"]);
}

#[test]
fn who_flees_takes_another_way_when_its_own_is_walled_up() {
    let folder = Folder::new();
    let text = r#"
        name = "flight"
        steps = 60
        until = "last-step"
        [map]
        drawing = """
p.........e...................
#################.############
#################.############
#################.############
#################.############
"""
        [[evaders]]
        start = "e"
        speed = 0.5
        mind = { flee = 50 }
        [[pursuers]]
        start = "p"
        speed = 0.2
        [[edits]]
        step = 10
        from = [20, 0]
        to = [20, 0]
        wall = true
    "#;
    let file = folder.file("flight.toml", text);
    let outcome = &json(&["run", &file])["outcome"];
    // Seven cells to the alley and four into it, and somewhat less around the corner.
    let walked = outcome["evader_walked"].as_f64().unwrap();
    assert!((10.0..=11.0).contains(&walked), "{outcome}");
    assert_eq!((&outcome["walls_built"], &outcome["caught"]), (&1.into(), &0.into()));
    // With no wall in its way it runs on to the east.
    let open = &json(&["run", &file, "--set", "edits.0.wall=false"])["outcome"];
    assert!((open["evader_walked"].as_f64().unwrap() - 19.0).abs() < 1e-9, "{open}");
}

#[test]
fn who_is_near_is_told_by_the_way_and_not_by_the_distance() {
    let folder = Folder::new();
    let text = r#"
        name = "near"
        steps = 20
        until = "last-step"
        [map]
        drawing = """
a...e...b
########.
....c....
"""
        [contact]
        reach = 0.5
        near = 0.8
        [[evaders]]
        start = "e"
        speed = 0.0
        [[pursuers]]
        start = "a"
        speed = 0.6
        [[pursuers]]
        start = "b"
        speed = 0.6
        [[pursuers]]
        start = "c"
        speed = 0.6
        # Too late for the same way.
        [[pursuers]]
        start = "a"
        speed = 0.6
        enter = 12
        # The way of the second one, who has come in already.
        [[edits]]
        step = 0
        from = [6, 0]
        to = [6, 0]
        wall = true
    "#;
    let file = folder.file("near.toml", text);
    let outcome = &json(&["run", &file])["outcome"];
    assert_eq!(outcome["near"], 2, "{outcome}");
    assert_eq!((&outcome["arrived"], &outcome["near_arrived"]), (&1.into(), &0.5.into()));
    // Nobody was counted where nobody asks.
    let unasked = text.replace("near = 0.8", "");
    let unasked = &json(&["run", &folder.file("unasked.toml", &unasked)])["outcome"];
    assert!(unasked["near"].is_null() && unasked["near_arrived"].is_null(), "{unasked}");
}
