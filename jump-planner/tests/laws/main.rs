//! The laws of jumps, against plainly written references and independent oracles.

mod audits;
mod brute;
mod edits;
mod errors;
mod exact;
mod levels;
mod oracle;
mod paths;
