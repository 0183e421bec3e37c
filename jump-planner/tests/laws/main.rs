//! The laws of jumps, against plainly written references and independent oracles.

mod audits;
mod brute;
mod cliffs;
mod corners;
mod cuts;
mod edits;
mod errors;
mod exact;
mod levels;
mod oracle;
mod paths;
mod published;
mod shortcuts;
mod spans;
mod speeds;
mod storeys;
mod units;
