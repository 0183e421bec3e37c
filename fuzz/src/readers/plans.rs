//! Plans of sweeps: an accepted plan gives every run a point and a seed, and every point is a
//! scenario or is refused.

use super::{MEMORY, scratch, within};
use crate::refusal;
use sim_harness::scenario;
use sim_harness::study::sweep::Plan;
use std::fs;

/// `[units: runs]` Of larger plans only so many are looked at.
const RUNS: u64 = 64;

/// A plan's TOML.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let folder = scratch();
    let path = folder.path().join("plan.toml");
    fs::write(&path, data).expect("there is room");
    let Some(plan) = refusal::accepted(within(MEMORY, || Plan::read(&path))) else { return };
    assert!(plan.points() > 0 && plan.runs() >= plan.points());
    let seeds = plan.runs() / plan.points();
    assert_eq!(seeds * plan.points(), plan.runs());
    let (_, first) = plan.run(0);
    for run in (0..plan.runs()).take(RUNS as usize).chain([plan.runs() - 1]) {
        assert_eq!(plan.run(run), (run / seeds, first + run % seeds), "{run}");
    }
    let mut columns = plan.columns().to_vec();
    assert_eq!(columns.len(), plan.keys().len());
    columns.sort();
    columns.dedup();
    assert_eq!(columns.len(), plan.keys().len(), "a column stands twice");
    for point in (0..plan.points()).take(RUNS as usize) {
        let settings = plan.settings(point);
        assert!(settings.iter().map(|(key, _)| key).eq(plan.keys()), "{settings:?}");
        if let Err(error) = scenario::load_with(plan.scenario(), &settings) {
            refusal::check(&error);
        }
    }
    let again = Plan::read(&path).expect("it was read before");
    assert_eq!(again.fingerprint(), plan.fingerprint());
}
