//! Numbers by which one thing is told from another of its kind.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number greater than all that were given before. Answers may depend on which of two is greater, never on which
/// they are.
pub(crate) fn fresh() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}
