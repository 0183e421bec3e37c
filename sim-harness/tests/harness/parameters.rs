//! The page of parameters is that of the program, and the smallest scenario of the guide runs.

use assert_cmd::Command;
use sim_harness::{scenario, world};

#[test]
fn the_page_is_of_today() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("parameters.md");
    let mut harness = Command::new(assert_cmd::cargo::cargo_bin!("sim-harness"));
    harness.args(["schema", "--page"]).arg(&page).assert().success();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/parameters.md");
    assert!(
        std::fs::read_to_string(file).unwrap() == std::fs::read_to_string(page).unwrap(),
        "make it again: cargo run --release --features schema -- schema --page docs/parameters.md"
    );
}

#[test]
fn the_smallest_scenario_of_the_page_is_the_file_beside_it_and_ends() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    let read = |name: &str| std::fs::read_to_string(format!("{docs}/{name}")).unwrap();
    let text = read("minimal.toml");
    assert!(read("writing-scenarios.md").contains(&format!("```toml\n{text}```")));
    let scenario = scenario::parse("minimal.toml", &text).unwrap();
    let outcome = world::run(&scenario, None, None, &mut |_| {}).unwrap().outcome;
    assert_eq!(outcome.arrived, 3);
}
