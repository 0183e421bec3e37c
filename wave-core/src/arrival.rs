//! When the first wave comes, in the limit of short waves.

mod blocks;
mod eight;
pub(crate) mod field;
pub(crate) mod front;
mod map_front;
pub(crate) mod march;
mod repair;
#[cfg(feature = "serde")]
mod snapshot;
mod solver;
mod tiles;
mod toward;
mod window;
