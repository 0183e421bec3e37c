//! The laws of waves and fronts, each named by its test.

mod dense_laws;
mod dense_reference;
mod edits;
mod eikonal;
mod errors;
mod field;
mod front;
mod links;
mod maps;
mod probe;
mod recorded;
mod reference;
mod simd;
mod speed_areas;
mod stability;
mod symmetry;
mod threads;
mod tile_edits;
mod tile_laws;
mod tile_metric;
mod tile_reach;
