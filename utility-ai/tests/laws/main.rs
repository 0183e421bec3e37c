//! Laws of graphs, fields, strategies and agents, and independently computed answers.

mod agent;
mod budget;
mod curve;
mod danger;
mod errors;
mod field;
mod fill;
mod flood;
mod grid;
mod oracle;
mod worlds;
