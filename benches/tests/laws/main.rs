//! The output of `compare`, and how well walkers follow our fields and flee by them.

mod compare;
mod fleeing;
mod following;
