//! Many runs and their common results.
//!
//! * [`verify`]: claims of scenarios, over seeds.
//! * [`sweep`]: runs with other parameters, as tables.
//! * [`estimate`]: means with confidence intervals.

pub mod estimate;
pub mod sweep;
pub mod verify;
