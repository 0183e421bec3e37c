//! The laws of waves and fronts, each named by its test.

mod dense_laws;
mod dense_reference;
mod edits;
mod eikonal;
mod eikonal_front;
mod errors;
mod field;
mod front_edits;
mod front_laws;
mod front_metric;
mod front_reach;
mod maps;
mod probe;
mod reference;
mod simd;
mod speed_areas;
mod stability;
mod symmetry;
mod threads;
