//! Maps whose waves keep to the ground: pursuers that can come do, no others do, and settings that
//! such a map cannot have are refused.

use sim_harness::{scenario, world};

fn text(map: &str, mind: &str) -> String {
    format!(
        r#"
name = "ground"
question = "Who comes?"
steps = 4000
until = "all-arrived"
[map]
{map}
[contact]
reach = 1.0
[[evaders]]
mind = "still"
[[pursuers]]
count = 12
speed = 1.0
mind = {mind}
"#
    )
}

/// Heights from 0 to 3 in blocks of 3 x 3 cells, the same for the same number.
fn heights(mut state: u64) -> String {
    let mut digit = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 4
    };
    let blocks: Vec<Vec<u64>> = (0..6).map(|_| (0..8).map(|_| digit()).collect()).collect();
    let row = |y: usize| (0..24).map(|x| blocks[y / 3][x / 3].to_string()).collect::<String>();
    (0..18).map(row).collect::<Vec<_>>().join("\n")
}

/// Random ground, and legs from none to good ones.
#[test]
fn whoever_can_come_comes_and_nobody_else_does() {
    let legs = ["{}", "{ step_height = 1.0 }", "{ launch_speed = 4.5 }", "{ max_fall = 1.0 }"];
    let (mut can, mut cannot) = (0, 0);
    for seed in 0..12 {
        let legs = legs[seed as usize % legs.len()];
        let map =
            format!("size = [24, 18]\nheights = \"\"\"\n{}\n\"\"\"\nlegs = {legs}", heights(seed));
        let scenario = scenario::parse("ground.toml", &text(&map, "\"wave\"")).unwrap();
        let outcome = world::run(&scenario, Some(seed), None, &mut |_| {}).unwrap().outcome;
        let case = format!("seed {seed}, legs {legs}: {outcome:?}");
        assert_eq!((outcome.lost, outcome.strays), (Some(0), Some(0)), "{case}");
        assert_eq!(Some(outcome.unreachable), outcome.cannot_come, "{case}");
        can += outcome.can_come.unwrap();
        cannot += outcome.cannot_come.unwrap();
    }
    assert!(can > 20 && cannot > 20, "{can} can, {cannot} cannot");
}

#[test]
fn what_such_a_map_cannot_have_is_refused_by_key() {
    let refused = |map: &str, mind: &str, parts: &[&str]| {
        let scenario = scenario::parse("ground.toml", &text(map, mind));
        let error = match scenario {
            Ok(scenario) => world::run(&scenario, None, None, &mut |_| {}).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(parts.iter().all(|part| error.contains(part)), "{map}: {error}");
    };
    let heights = "size = [3, 1]\nheights = \"012\"\n";
    let with = |legs: &str| format!("{heights}legs = {legs}");
    refused("size = [3, 3]\nlegs = {}", "\"wave\"", &["map.legs", "flat"]);
    refused(&with("{ gravity = 0.0 }"), "\"wave\"", &["map.legs.gravity"]);
    let no_go = "{ no_go = [{ from = [0, 0], to = [0, 0] }] }";
    refused(&with(no_go), "\"wave\"", &["map.legs.no_go"]);
    refused(&with("{}"), "{ travel = {} }", &["pursuers[0].mind", "follow waves"]);
    refused(&with("{}"), "{ pack = {} }", &["pursuers[0].mind", "follow waves"]);
    let halves = format!("{heights}height_step = 0.5\nlegs = {{}}");
    refused(&halves, "\"wave\"", &["map.legs", "whole multiples"]);
    let published = format!("{heights}legs = {{}}\n[tracking]\nrule = \"watanabe\"");
    refused(&published, "\"wave\"", &["links"]);
    let flees = text(&with("{}"), "\"wave\"").replace("\"still\"", "{ flee = 60 }");
    let flees = flees.replace("[[evaders]]", "[[evaders]]\nspeed = 1.0");
    let error = scenario::parse("ground.toml", &flees).unwrap_err().to_string();
    assert!(error.contains("evaders[0].mind.flee") && error.contains("has legs"), "{error}");
}
