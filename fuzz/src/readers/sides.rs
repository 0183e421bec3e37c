//! Side-view levels and their rules: a way is one of single moves from its start to the last
//! column, and tiles that are cut out open a way.

use super::{scratch, within};
use crate::refusal;
use sim_harness::side::{self, SideLevel, SideRules};
use std::fs;

/// `[units: bytes]` The memory that a level may take.
const MEMORY: u64 = 16 << 20;

/// A level, a line of one `;`, and rules in JSON.
///
/// # Panics
/// Where something is found.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (level, rules) = text.split_once("\n;\n").unwrap_or(("", text));
    let folder = scratch();
    let path = folder.path().join("rules.json");
    fs::write(&path, rules).expect("there is room");
    let rules = refusal::accepted(SideRules::read(&[&path]));
    let level = refusal::accepted(SideLevel::parse("fuzz.txt", level));
    let (Some(rules), Some(level)) = (rules, level) else { return };
    let solution = within(MEMORY, || side::solve(&level, &rules, None, None));
    let Some(solution) = refusal::accepted(solution) else { return };
    let [columns, rows] = level.size().map(|n| n as isize);
    assert_eq!(solution.solvable, !solution.way.is_empty());
    for &[x, y] in &solution.way {
        assert!((0..columns).contains(&x) && y < rows && y >= -(side::ABOVE as isize));
    }
    if let Some(cut) = &solution.cut {
        assert!(!solution.solvable && !cut.tiles.is_empty());
    }
}
