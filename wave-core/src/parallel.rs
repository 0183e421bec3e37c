//! Pieces of work, done by all threads of the current pool where there are several.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether several threads work.
pub(crate) fn is_shared() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "rayon"))]
    return false;
}

/// The result of `act` for each item, in order.
pub(crate) fn each<T: Send, R: Send>(all: Vec<T>, act: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    each_in(all, || (), |(), one| act(one))
}

/// The same with work space, which is made a few times and used again.
pub(crate) fn each_in<T: Send, S, R: Send>(
    all: Vec<T>,
    room: impl Fn() -> S + Sync + Send,
    act: impl Fn(&mut S, T) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if all.len() > 1 && is_shared() {
        use rayon::prelude::*;
        let least = (all.len() / (16 * rayon::current_num_threads())).max(1);
        return all.into_par_iter().with_min_len(least).map_init(room, act).collect();
    }
    let mut room = room();
    all.into_iter().map(|one| act(&mut room, one)).collect()
}

/// Also after a panic of another thread: what it left behind is cleared before it is used.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `task` on so many threads; without the feature, on this one.
#[cfg(test)]
pub(crate) fn with_threads<T: Send>(threads: usize, task: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(task);
    #[cfg(not(feature = "rayon"))]
    return (threads, task()).1;
}
