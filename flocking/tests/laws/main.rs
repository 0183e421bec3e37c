//! The laws that a flock keeps, against a plain reference and against themselves.

// An axis indexes several arrays at once.
#![allow(clippy::needless_range_loop)]

mod bounded;
mod edges;
mod equality;
mod errors;
mod golden;
mod huge;
mod obstacles;
mod record;
mod reference;
mod safety;
mod species;
mod symmetry;
mod worlds;
