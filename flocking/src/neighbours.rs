//! Where a boid looks for its neighbours, and how they are gathered.

pub(crate) mod bins;
pub(crate) mod columns;
pub(crate) mod nearby;
pub(crate) mod nearest;
pub(crate) mod pack;
pub(crate) mod runs;
