//! Many runs and what they show together.
//!
//! * [`verify`]: what scenarios claim, over seeds.
//! * [`sweep`]: runs with other parameters, as tables.
//! * [`estimate`]: means with confidence intervals.

pub mod estimate;
pub mod sweep;
pub mod verify;
