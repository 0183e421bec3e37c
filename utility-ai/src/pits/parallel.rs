//! A slice worked on in chunks: over the rayon pool that the caller is in, or one after the other.

/// Nodes that one task works on: enough that handing them out costs nothing.
const GRAIN: usize = 8192;

/// Calls `work(first index, chunk)` for chunks of the slice. From outside of all pools, work is
/// handed over through a queue that allocates now and then: there the caller does all of it.
#[cfg(feature = "rayon")]
pub(crate) fn in_chunks<T: Send>(items: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    use rayon::prelude::*;
    let outside = rayon::current_thread_index().is_none();
    if items.len() <= GRAIN || outside || rayon::current_num_threads() == 1 {
        work(0, items);
        return;
    }
    items.par_chunks_mut(GRAIN).enumerate().for_each(|(i, chunk)| work(i * GRAIN, chunk));
}

/// The same without threads.
#[cfg(not(feature = "rayon"))]
pub(crate) fn in_chunks<T>(items: &mut [T], work: impl Fn(usize, &mut [T])) {
    for (i, chunk) in items.chunks_mut(GRAIN).enumerate() {
        work(i * GRAIN, chunk);
    }
}
