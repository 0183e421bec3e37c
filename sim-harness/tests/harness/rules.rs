//! Rule bases, curves and ground that a member does not enter, as data of a scenario.

use sim_harness::WriteError;
use sim_harness::scenario::{load_with, parse};
use sim_harness::world::{self, Moment, Scene, Watch};
use std::path::Path;

/// A corridor with a way around, pursuers in between.
const GAME: &str = r#"
name = "game"
steps = 300
until = "evaders-home"

[map]
drawing = """
.............
.............
.e..........g
......P......
.............
.............
"""

[pace]
frame = 0.1
updates = 10000

[contact]
reach = 1.0

[[evaders]]
start = "e"
speed = 3.0

[evaders.mind.utility]
goal = "g"
strategy = { fill = { gamma = 0.3, threshold = 1.0, decay = 0.01 } }
detour = "unlimited"
danger_weight = 12.0
danger = { reach = 5.0, falloff = "linear" }

[[pursuers]]
start = "P"
speed = 2.0
"#;

/// The outcome of the game with this line added to the evader's mind, as a file in `folder`.
fn play(folder: &Path, line: &str) -> Result<String, String> {
    let text = GAME.replace("danger_weight = 12.0\n", &format!("danger_weight = 12.0\n{line}\n"));
    let file = folder.join("game.toml");
    let scenario = parse(file.to_str().unwrap(), &text).map_err(|e| e.to_string())?;
    let summary = world::run(&scenario, None, None, &mut |_| {}).map_err(|e| e.to_string())?;
    Ok(summary.state_hash)
}

/// Appendix A of furukawa-2021, by hand.
const APPENDIX: &str = r#"
rules = ["if a is bad and b is bad then z is bad",
         "if a is normal and b is normal then z is normal",
         "if a is good and b is good then z is good"]
[[inputs]]
name = "a"
range = [0, 1]
terms = { bad = { ramp = [0.5, 0] }, normal = { triangle = [0, 0.5, 1] }, good = { ramp = [0.5, 1] } }
[[inputs]]
name = "b"
range = [0, 1]
terms = { bad = { ramp = [0.5, 0] }, normal = { triangle = [0, 0.5, 1] }, good = { ramp = [0.5, 1] } }
[output]
name = "z"
range = [0, 1]
terms = { bad = { ramp = [0.5, 0] }, normal = { triangle = [0, 0.5, 1] }, good = { ramp = [0.5, 1] } }
"#;

/// The rules of one label in RON.
fn ron(labels: &[&str]) -> String {
    let terms = r#"{"bad": ramp((0.5, 0.0)), "normal": triangle((0.0, 0.5, 1.0)), "good": ramp((0.5, 1.0))}"#;
    let variable = |name: &str| format!("(name: \"{name}\", range: (0.0, 1.0), terms: {terms})");
    let rules: Vec<_> = labels
        .iter()
        .map(|label| format!("\"if a is {label} and b is {label} then z is {label}\""))
        .collect();
    let [a, b, z] = ["a", "b", "z"].map(variable);
    format!("(\n  inputs: [{a}, {b}],\n  output: {z},\n  rules: [{}],\n)\n", rules.join(", "))
}

#[test]
fn the_same_rules_give_the_same_run_wherever_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rules.toml"), APPENDIX).unwrap();
    std::fs::write(folder.path().join("rules.ron"), ron(&["bad", "normal", "good"])).unwrap();
    let play = |line: &str| play(folder.path(), line).unwrap();
    let published = play("fuzzy = true");
    assert_eq!(play(""), published, "the default");
    assert_eq!(play("fuzzy = \"rules.toml\""), published);
    assert_eq!(play("fuzzy = \"rules.ron\""), published);
    assert_eq!(play(&format!("fuzzy = {{ toml = '''{APPENDIX}''' }}")), published);
    let text = ron(&["bad", "normal", "good"]);
    assert_eq!(play(&format!("fuzzy = {{ ron = '''{text}''' }}")), published);
    // Other rules are other runs.
    assert_ne!(play("fuzzy = false"), published);
}

/// Rules that always say a half are a weight of a half, and a curve that is a factor is a factor.
#[test]
fn constant_rules_and_straight_curves_are_weights() {
    let folder = tempfile::tempdir().unwrap();
    let play = |line: &str| play(folder.path(), line).unwrap();
    let half = "fuzzy = { toml = '''
rules = [\"if a is any then z is half\"]
inputs = [{ name = \"a\", range = [0, 1], terms = { any = { trapezoid = [0, 0, 1, 1] } } },
          { name = \"b\", range = [0, 1], terms = { any = { trapezoid = [0, 0, 1, 1] } } }]
output = { name = \"z\", range = [0, 1], terms = { half = { triangle = [0, 0.5, 1] } } }
''' }";
    let scaled = "fuzzy = false\ndanger_curve = { linear = { slope = 0.5, offset = 0 } }";
    assert_eq!(play(half), play(scaled));
    assert_ne!(play(half), play("fuzzy = false"));

    // Where rules never fire, the setting for that gives the weight: 1 - 0.75.
    let never = half.replace("trapezoid = [0, 0, 1, 1]", "triangle = [2, 3, 4]");
    let scaled = "fuzzy = false\ndanger_curve = { linear = { slope = 0.25, offset = 0 } }";
    assert_eq!(play(&format!("unfired = 0.75\n{never}")), play(scaled));
    assert_eq!(play(&never), play(half), "a half, where nothing is said");
}

#[test]
fn stagnation_that_looks_too_far_back_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = play(folder.path(), "stagnation = 1000000.0").unwrap_err();
    assert!(error.contains("evaders[0].mind.utility.stagnation = 1000000"), "{error}");
    assert!(error.contains("65536 frames") && error.lines().count() == 1, "{error}");
}

#[test]
fn what_is_wrong_with_rules_is_one_line_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.ron"), "(\n  inputs: 7,\n)").unwrap();
    std::fs::write(folder.path().join("broken.toml"), "rules = [\n").unwrap();
    std::fs::write(folder.path().join("label.ron"), ron(&["bad", "mad"])).unwrap();
    let three = APPENDIX.replacen(
        "[output]",
        "[[inputs]]\nname = \"c\"\nrange = [0, 1]\nterms = { d = { ramp = [0, 1] } }\n[output]",
        1,
    );
    std::fs::write(folder.path().join("three.toml"), three).unwrap();
    for (line, parts) in [
        ("fuzzy = \"nothing.ron\"", &["nothing.ron", "No such file"][..]),
        ("fuzzy = \"rules.txt\"", &["rules.txt", ".ron or .toml"]),
        ("fuzzy = \"broken.ron\"", &["broken.ron", "RON, line 2"]),
        ("fuzzy = \"broken.toml\"", &["broken.toml", "TOML, line"]),
        ("fuzzy = \"label.ron\"", &["label.ron", "rule 2", "mad"]),
        ("fuzzy = \"three.toml\"", &["take 3"]),
        ("fuzzy = 3", &["rules are true, false"]),
        ("fuzzy = { yaml = \"\" }", &["rules are true, false"]),
    ] {
        let error = play(folder.path(), line).unwrap_err();
        // The line of the scenario's file, the key, and the fault.
        let place = "game.toml:32: evaders[0].mind.utility.fuzzy";
        assert!(error.replace("evaders.0", "evaders[0]").contains(place), "{line}: {error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{line}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

/// Where the evader stands, at every frame.
#[derive(Default)]
pub(crate) struct Footholds(pub(crate) Vec<[f64; 3]>);

impl Watch for Footholds {
    fn begin(&mut self, _: Scene) {}
    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        self.0.push(moment.cast.evaders[0].foothold);
        Ok(false)
    }
}

/// A strip of `name`'s map that its evader does not enter, and how the run ends.
fn barred(name: &str, from: &str, to: &str) -> Result<(world::Outcome, Vec<[f64; 3]>), String> {
    let boxes = format!("boxes = [{{ from = {from}, to = {to} }}]").parse::<toml::Table>();
    let key = "evaders.0.mind.utility.legs.no_go".to_owned();
    let settings = [(key, boxes.unwrap()["boxes"].clone())];
    let scenario = load_with(name, &settings).map_err(|e| e.to_string())?;
    let mut footholds = Footholds::default();
    let run = world::run(&scenario, None, Some(&mut footholds), &mut |_| {});
    run.map(|summary| (summary.outcome, footholds.0)).map_err(|e| e.to_string())
}

#[test]
fn who_has_a_no_go_does_not_enter_it_and_jumps_over_it() {
    // On flat ground a strip from wall to wall leaves no way.
    let walled = barred("hunt", "[30, 0]", "[30, 45]").unwrap_err();
    assert!(walled.contains("no way leads there from its start"), "{walled}");
    let outside = barred("hunt", "[30, 0]", "[61, 40]").unwrap_err();
    assert!(outside.contains("evaders[0].mind.utility.legs.no_go[0]"), "{outside}");

    // `leap` has heights: its jumper passes the strip through the air.
    let (outcome, footholds) = barred("leap", "[20, 0]", "[20, 27]").unwrap();
    assert!(outcome.home == 1 && outcome.jumps >= 1 && outcome.blocked_jumps == 0);
    assert!(footholds.iter().all(|at| (at[0] - 20.0).abs() > 0.4), "it stood in the strip");
    assert!(footholds.first().unwrap()[0] < 20.0 && footholds.last().unwrap()[0] > 20.0);
}
