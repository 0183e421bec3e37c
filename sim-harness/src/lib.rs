//! Scenarios, map formats, recording and pictures: where the crates of Namiji meet.
//!
//! * [`scenario`]: scenarios as data, from TOML or built in.
//! * [`parameters`]: all that may stand in one; [`world`]: runs them.
//! * [`record`], [`film`], [`picture`] and [`report`]: what a run leaves behind.
//! * [`verify`]: what scenarios claim, over seeds; [`sweep`]: many runs with other parameters.
//! * [`maps`]: MovingAI maps and their scenario entries.
//! * [`heightmap`] and [`level`]: terrains from files, paths with jumps, audits.
//! * [`pursue`]: how long pursuers' ways are on such maps.
//! * [`reproduce`]: the sources' figures, measured again; [`lee`]: what they compare with.

pub mod estimate;
pub mod film;
pub mod flock;
pub mod grid_graph;
pub mod heightmap;
pub mod lee;
pub mod level;
pub mod maps;
pub mod page;
pub mod parameters;
pub mod picture;
pub mod pursue;
pub mod record;
pub mod report;
pub mod reproduce;
pub mod scenario;
pub mod sweep;
pub mod terrain;
pub mod verify;
pub mod whole;
pub mod world;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
