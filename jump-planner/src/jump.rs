//! Jumps: flights between two squares, and whether one of them clears everything.
//!
//! It knows heights as rows of numbers, and nothing of terrains, walks or graphs. From below:
//! [`ballistics`] is the law of a flight, [`clearance`] flies one over cells, [`exact`] asks for
//! any flight between two squares ([`bound`] proves that there is none), [`published`] is the
//! source's rule. [`offsets`] and [`relief`] tell how far a jump may lead at all.

pub(crate) mod ballistics;
mod bound;
pub(crate) mod clearance;
pub(crate) mod exact;
pub(crate) mod flight;
pub(crate) mod offsets;
pub(crate) mod published;
pub(crate) mod relief;
