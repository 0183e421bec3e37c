//! The laws of waves and fronts, each named by its test.

mod dense_laws;
mod dense_reference;
mod doors;
mod edits;
mod eikonal;
mod errors;
mod front;
mod heard;
mod links;
mod maps;
mod probe;
mod recorded;
mod recorded_metric;
mod reference;
mod repair;
#[cfg(feature = "serde")]
mod serde_fronts;
mod simd;
mod speed_areas;
mod stability;
mod symmetry;
mod threads;
mod toward;
mod world;
