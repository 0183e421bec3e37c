//! The way to a target from anywhere in a very large world, without a field of all of it.

mod bounds;
mod field;
mod levels;
mod line;
mod pyramid;
mod search;
mod sight;
mod sweeps;
mod tile;

pub use field::WorldField;
