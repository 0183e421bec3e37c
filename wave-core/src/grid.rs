//! The map: walls, speeds, the places of cells and the log of edits.

mod bits;
mod builder;
pub(crate) mod edits;
pub(crate) mod layout;
pub(crate) mod links;
mod map;
mod medium;
#[cfg(feature = "serde")]
mod snapshot;
mod space;
mod speeds;

pub use builder::MediumBuilder;
pub use links::Link;
pub use map::WallRule;
pub use medium::Medium;
pub use space::{Directions, Space};

pub(crate) use bits::Bits;
pub(crate) use edits::{Edit, Follower, News};
pub(crate) use layout::Layout;
pub(crate) use links::Links;
pub(crate) use map::Map;
pub(crate) use speeds::Speeds;
