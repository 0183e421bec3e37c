//! Questions about a level: is there a way, which one is best, which faults are there.

pub(crate) mod audit;
pub(crate) mod cuts;
mod dominators;
pub(crate) mod exists;
pub(crate) mod index;
mod meet;
pub(crate) mod plan;
pub(crate) mod preference;
pub(crate) mod shortcuts;
pub(crate) mod speeds;
pub(crate) mod two_stages;
