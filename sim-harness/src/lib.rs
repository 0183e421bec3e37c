//! Scenarios, map formats, recording and the command line of Namiji.
pub mod maps;
pub mod pursue;
