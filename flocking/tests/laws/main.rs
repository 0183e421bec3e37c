//! The laws that a flock keeps, against a plain reference and against themselves.

mod bounded;
mod equality;
mod errors;
mod obstacles;
mod record;
mod reference;
mod safety;
mod species;
mod symmetry;
mod worlds;
