//! Names of things: nodes, indicators, and numbers that tell one object from another.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{self, AtomicU64};

/// A node of a [`Graph`](crate::Graph): petgraph's own index of it
/// ([`to_index`](petgraph::visit::NodeIndexable::to_index)). On a grid
/// [`Graph::node`](crate::Graph::node) and [`Graph::cell`](crate::Graph::cell) convert it.
pub type Node = usize;

/// An indicator that was added to a [`StandingCost`](crate::StandingCost). It remembers the type.
pub struct IndicatorId<I> {
    number: u32,
    /// The sum that the indicator was added to.
    of: u64,
    kind: PhantomData<fn() -> I>,
}

impl<I> IndicatorId<I> {
    pub(crate) fn new(number: usize, of: u64) -> Self {
        Self { number: number as u32, of, kind: PhantomData }
    }

    /// Which indicator of its sum it is: 0 for the first that was added.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// Its place in a sum; `None` if it belongs to another one.
    pub(crate) fn index_in(self, sum: u64) -> Option<usize> {
        (self.of == sum).then_some(self.number as usize)
    }
}

impl<I> Clone for IndicatorId<I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I> Copy for IndicatorId<I> {}
impl<I> PartialEq for IndicatorId<I> {
    fn eq(&self, other: &Self) -> bool {
        (self.of, self.number) == (other.of, other.number)
    }
}
impl<I> Eq for IndicatorId<I> {}
impl<I> PartialOrd for IndicatorId<I> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<I> Ord for IndicatorId<I> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.of, self.number).cmp(&(other.of, other.number))
    }
}
impl<I> Hash for IndicatorId<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.of, self.number).hash(state);
    }
}
impl<I> fmt::Debug for IndicatorId<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndicatorId({})", self.number)
    }
}

/// A number greater than all that were given before. Answers may depend on which of two is greater,
/// never on the numbers themselves.
pub(crate) fn fresh() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, atomic::Ordering::Relaxed) + 1
}
