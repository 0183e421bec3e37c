//! Ways out of pits: nodes that cost less than all their neighbours and are no goals.

mod differences;
mod fill;
mod flood;
mod laplacian;
mod parallel;

pub use fill::{Fill, FillConfig, Laplacian};
pub use flood::Flood;
