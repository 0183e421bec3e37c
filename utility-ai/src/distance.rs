//! How far it is from every node to a goal, by length or by cost.

mod field;
mod queue;
mod route;
mod search;

pub use field::DistanceField;
pub use route::Route;
pub(crate) use search::{Along, Search};
