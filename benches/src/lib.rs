//! What benches and comparisons run on: see [`scenes`]; what ways are measured by: [`any_angle`]
//! and [`walker`].

pub mod any_angle;
pub mod grid_graph;
pub mod scenes;
pub mod walker;
