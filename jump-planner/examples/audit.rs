//! A small level as a designer sees it: its faults, and the shortcuts that an intended route
//! allows.
//!
//! `cargo run -p namiji-jump-planner --example audit`

use jump_planner::{Character, CutAt, JumpGraph, Preference, ShortcutRule, Terrain, Ways};

fn main() -> Result<(), jump_planner::JumpError> {
    // A wall across the level with a gap at its lower end, two pillars beside it, and a pit.
    let mut rows = vec![vec![0.0; 13]; 9];
    for row in &mut rows[..8] {
        row[6] = 3.0;
    }
    (rows[0][4], rows[0][8], rows[4][1]) = (1.5, 1.5, -4.0);
    let graph = JumpGraph::new(Terrain::from_rows(&rows)?, Character::builder(6.0).build()?)?;
    let (start, goal) = ([0, 0], [0, 12]);

    let audit = graph.audit(Some(start))?;
    for finding in audit.findings() {
        println!("{finding:?}");
    }
    assert_eq!(audit.traps(), 1); // the pit

    // One is meant to walk around the wall, and hops over it by the pillars.
    let route = graph.route_through(&[start, [8, 6], goal], Preference::FewestJumps)?;
    let shortcuts = graph.shortcuts(&route, ShortcutRule::default())?;
    println!("skips {} of {} cells: {:?}", shortcuts[0].skipped, route.len(), shortcuts[0].way);
    assert!(shortcuts[0].skipped >= 10);

    // At which launch speed does that begin? And what if it were less?
    let speeds = graph.speed_steps(start)?;
    let over = speeds.steps().last().map_or(0.0, |step| step.speed);
    println!("from {over:.2} on somebody stands on the wall");
    let character = graph.character().at_speed(2.0)?;
    let slow = JumpGraph::new(graph.terrain().clone(), character)?;
    assert!(slow.shortcuts(&route, ShortcutRule::default())?.is_empty());
    let cuts = slow.cuts(&slow.audit(Some(start))?, Ways::FromStart)?;
    assert_eq!(cuts.worst_first()[0].at, CutAt::Cell([8, 6])); // the gap is the only way
    Ok(())
}
