//! Scenarios, map formats, recording and pictures: where the crates of Namiji meet.
//!
//! * [`scenario`]: scenarios as data, from TOML or built in; [`world`]: runs them.
//! * [`record`]: what a run leaves behind: a trace, pictures, a page that shows it.
//! * [`study`]: many runs: what scenarios claim, over seeds, and sweeps of parameters.
//! * [`maps`]: MovingAI maps and their scenario entries; height maps.
//! * [`level`]: paths with jumps and audits of terrains.
//! * [`pursue`]: how long pursuers' ways are on maps; [`flock`]: boids alone, timed.
//! * [`papers`]: the sources' figures, measured again.
//! * [`pages`]: the documents that the program writes.

pub mod flock;
pub mod level;
pub mod maps;
pub mod output;
pub mod pages;
pub mod papers;
pub mod pursue;
pub mod record;
pub mod scenario;
pub mod study;
pub mod world;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
