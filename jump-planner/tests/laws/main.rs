//! The laws of jumps, against plainly written references and independent oracles.

mod brute;
mod exact;
mod oracle;
