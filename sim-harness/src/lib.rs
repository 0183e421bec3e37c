//! placeholder
pub mod maps;
