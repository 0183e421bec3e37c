//! Threads that stay awake for many short rounds of work.
//!
//! A pool lets its threads sleep between tasks, and to wake them takes longer than a round of few
//! small tasks. Here they are taken from the pool once for all rounds, and wait awake.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};
use std::{hint, thread};

/// After so many looks in vain, a thread lets others have its core.
const PATIENCE: usize = 1 << 12;

/// What the threads share. Tasks of a round read `state`; between rounds the leader changes it.
struct Crew<S, A> {
    state: RwLock<S>,
    act: A,
    /// Tasks of this round that no thread has begun.
    left: AtomicUsize,
    /// Tasks of this round that are not done.
    undone: AtomicUsize,
    is_over: AtomicBool,
    has_failed: AtomicBool,
}

/// The thread that says when rounds begin. It works in them like the others.
pub(crate) struct Leader<'a, S, A, R> {
    crew: &'a Crew<S, A>,
    room: R,
}

/// Runs `lead` on this thread, with the other threads of the current pool at its side as soon as
/// they are free. `act` does one task of a round: it is told the state, a work space of its thread,
/// made by `room`, and which task.
pub(crate) fn lead<S, R, A, T>(
    state: S,
    room: impl Fn() -> R + Sync,
    act: A,
    lead: impl FnOnce(&mut Leader<'_, S, A, R>) -> T,
) -> T
where
    S: Send + Sync,
    A: Fn(&S, &mut R, usize) + Sync,
{
    let crew = Crew {
        state: RwLock::new(state),
        act,
        left: AtomicUsize::new(0),
        undone: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        has_failed: AtomicBool::new(false),
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| crew.help(&mut room()));
        }
        let _over = OnDrop(|| crew.is_over.store(true, Release));
        lead(&mut Leader { crew: &crew, room: room() })
    })
}

impl<S, A> Crew<S, A> {
    /// Does tasks of all rounds.
    fn help<R>(&self, room: &mut R)
    where
        A: Fn(&S, &mut R, usize),
    {
        while !self.is_over.load(Acquire) {
            self.take(room);
            wait_until(|| self.left.load(Relaxed) > 0 || self.is_over.load(Acquire));
        }
    }

    /// Does one task, if any is left.
    fn take<R>(&self, room: &mut R) -> bool
    where
        A: Fn(&S, &mut R, usize),
    {
        // The number rises from 0 alone, once all tasks are done: whoever lowers it has a task of
        // the present round.
        let left = self.left.fetch_update(Acquire, Relaxed, |left| left.checked_sub(1));
        let Ok(left) = left else { return false };
        let _done = OnDrop(|| {
            if thread::panicking() {
                self.has_failed.store(true, Relaxed);
            }
            self.undone.fetch_sub(1, Release);
        });
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        (self.act)(&state, room, left - 1);
        true
    }
}

impl<S, A, R> Leader<'_, S, A, R>
where
    A: Fn(&S, &mut R, usize),
{
    /// The state, between rounds.
    pub(crate) fn state(&mut self) -> RwLockWriteGuard<'_, S> {
        self.crew.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does so many tasks, the last one first, and returns when all are done.
    ///
    /// # Panics
    /// If a task panicked.
    pub(crate) fn round(&mut self, tasks: usize) {
        let Self { crew, room } = self;
        crew.undone.store(tasks, Relaxed);
        crew.left.store(tasks, Release);
        while crew.take(room) {}
        wait_until(|| crew.undone.load(Acquire) == 0);
        assert!(!crew.has_failed.load(Relaxed), "a thread panicked at its task");
    }
}

/// Waits awake.
fn wait_until(is_so: impl Fn() -> bool) {
    let mut looks = 0;
    while !is_so() {
        if looks < PATIENCE {
            looks += 1;
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}

/// Acts when it is dropped, after a panic, too.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0();
    }
}

#[cfg(test)]
mod tests {
    use super::lead;
    use crate::parallel::{lock, with_threads};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    /// Each task of each round reads what the rounds before it left, and is done once.
    #[test]
    fn tasks_are_done_once_and_in_their_round() {
        let rounds = if cfg!(miri) { 8 } else { 2000 };
        for threads in [1, 2, 4] {
            let done = with_threads(threads, || {
                let done: Vec<Mutex<Vec<usize>>> = (0..7).map(|_| Mutex::default()).collect();
                let act = |(now, done): &(usize, Vec<Mutex<_>>), (): &mut (), n: usize| {
                    lock::<Vec<usize>>(&done[n]).push(*now);
                };
                lead(
                    (0, done),
                    || (),
                    act,
                    |leader| {
                        for now in 0..rounds {
                            leader.state().0 = now;
                            leader.round(now % 8);
                        }
                        std::mem::take(&mut leader.state().1)
                    },
                )
            });
            for (n, done) in done.into_iter().enumerate() {
                let expected = (0..rounds).filter(|now| now % 8 > n);
                assert!(done.into_inner().unwrap().into_iter().eq(expected), "{threads}, {n}");
            }
        }
    }

    #[test]
    fn a_panic_ends_all_rounds() {
        for (threads, bad) in [(1, 0), (2, 0), (2, 99), (4, 50)] {
            let run = || {
                let act = |(): &(), (): &mut (), n| assert!(n != bad, "as it should");
                lead((), || (), act, |leader| leader.round(100));
            };
            let ended = catch_unwind(AssertUnwindSafe(|| with_threads(threads, run)));
            assert!(ended.is_err(), "{threads}, {bad}");
            let by_leader = || lead((), || (), |&(), (), _| (), |_| panic!("as it should"));
            assert!(catch_unwind(|| with_threads(threads, by_leader)).is_err());
        }
    }

    /// Where all threads of a pool lead crews of their own, none waits for another.
    #[test]
    fn crews_share_a_pool() {
        use rayon::prelude::*;
        let sums: Vec<usize> = with_threads(3, || {
            (0..if cfg!(miri) { 4 } else { 50 })
                .into_par_iter()
                .map(|_| {
                    let state: Vec<Mutex<usize>> = (0..9).map(Mutex::new).collect();
                    let act = |all: &Vec<Mutex<usize>>, (): &mut (), n: usize| *lock(&all[n]) *= 2;
                    lead(
                        state,
                        || (),
                        act,
                        |leader| {
                            (0..9).for_each(|_| leader.round(9));
                            leader.state().iter().map(|n| *lock(n)).sum()
                        },
                    )
                })
                .collect()
        });
        assert!(sums.iter().all(|&sum| sum == 36 << 9));
    }
}
