//! The map: walls, speeds, where a cell lies and what was edited.

pub(crate) mod layout;
pub(crate) mod medium;
pub(crate) mod space;
