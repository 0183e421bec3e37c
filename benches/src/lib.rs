//! What benches and comparisons run on: see [`scenes`].

pub mod scenes;
