#![doc = include_str!("../pictures/front.svg")]
//!
//! A scenario that goes on in a web page and is changed there by hand.
//!
//! The page asks and this answers, in JSON with numbers behind it: [`answer`]. Compiled for
//! `wasm32-unknown-unknown` it has three functions beside, by which bytes go in and out. The
//! program `playground` puts it and the page into one file that works without a network.
//!
//! Changes by hand are written into the scenario at once, as `[[edits]]`, `[[moves]]` and groups
//! that come in later: [`Playground::saved`] is a scenario that `sim-harness run` runs to the same
//! state. While a level of heights is painted, `jump-planner` audits it.

mod ask;
mod level;
mod relief;
mod sheet;
#[cfg(target_family = "wasm")]
mod wasm;
mod world;

pub use ask::{Open, answer};
pub use world::{Error, Playground};
