//! Sequences of calls, each against a plain way to the same answer.

pub mod flocks;
pub mod fronts;
pub mod graphs;
pub mod levels;
pub mod storeys;
pub mod terrains;
pub mod trackers;
pub mod walls;
pub mod worlds;
