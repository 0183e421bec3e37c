//! Scenarios: an accepted one runs, to the same end on one thread and on two, or is refused when it
//! is built.

use crate::refusal;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sim_harness::scenario::{self, Scenario};
use sim_harness::world;
use std::sync::LazyLock;

/// `[units: cells]` Larger maps are read, not run on.
const MANY: usize = 400;
/// `[units: frames]` No run is longer.
const FRAMES: u64 = 12;

/// A scenario's TOML.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    static POOLS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
        [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads"))
    });
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(mut scenario) = refusal::accepted(scenario::parse("fuzz.toml", text)) else { return };
    if !is_small(&scenario) {
        return;
    }
    scenario.steps = scenario.steps.min(FRAMES);
    let [one, two] = POOLS.each_ref().map(|pool| {
        pool.install(|| match world::run(&scenario, None, None, &mut |_| {}) {
            Ok(summary) => Ok((summary.steps, summary.state_hash)),
            Err(error) => {
                refusal::check(&error);
                Err(error.to_string())
            }
        })
    });
    assert_eq!(one, two, "it depends on threads");
}

/// Whether it takes milliseconds.
fn is_small(scenario: &Scenario) -> bool {
    let map = &scenario.map;
    let cells = match (&map.drawing, &map.size, &map.file) {
        (Some(drawing), None, None) => drawing.len(),
        (None, Some(size), None) => size.iter().fold(1, |n: usize, &s| n.saturating_mul(s)),
        _ => return false,
    };
    let evaders = scenario.evaders.iter().map(|group| group.count);
    let pursuers = scenario.pursuers.iter().map(|group| group.count);
    let many = evaders.chain(pursuers).fold(0, usize::saturating_add);
    let blocks = map.blocks.is_none_or(|blocks| blocks.count <= 20 && blocks.longest <= 20);
    let churn = scenario.churn.iter().all(|c| c.broken <= 8 && c.built <= 8);
    cells <= MANY && many <= 20 && blocks && churn
}
