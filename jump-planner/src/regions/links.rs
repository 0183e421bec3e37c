//! Moves between places close by, and longer jumps that were found: a graph to walk through.

use super::scc::Csr;
use crate::graph::bits::Bits;
use crate::graph::near::strides;
use crate::storage::{BitsOf, Storage};

/// Which way moves are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    Moves,
    Reverse,
}

impl Along {
    pub(crate) fn turned(self) -> Self {
        match self {
            Self::Moves => Self::Reverse,
            Self::Reverse => Self::Moves,
        }
    }
}

/// Moves between places close by, and longer jumps that were found: a graph to walk through.
pub(crate) struct Links<'a, T: Storage> {
    level: &'a T,
    /// For each place, the moves from it, and to it.
    out: Vec<BitsOf<T>>,
    into: Vec<BitsOf<T>>,
    stride: [isize; 24],
    far_out: Csr,
    far_into: Csr,
}

impl<'a, T: Storage> Links<'a, T> {
    pub(crate) fn new(level: &'a T, out: Vec<BitsOf<T>>) -> Self {
        let (into, stride) = (turned(level, &out), strides(level.shape()[1]));
        let places = out.len();
        let none = || Csr::from_sorted(places, std::iter::empty());
        Self { level, out, into, stride, far_out: none(), far_into: none() }
    }

    /// Sets the longer jumps; sorts them.
    pub(crate) fn set_far(&mut self, jumps: &mut Vec<(u32, u32)>) {
        // The stable sort is the faster one where most is in order already.
        jumps.sort_by(Ord::cmp);
        jumps.dedup();
        self.far_out = Csr::from_sorted(self.out.len(), jumps.iter().copied());
        self.far_into = self.far_out.turned();
    }

    /// The next place after `at`, which counts from 0, to which a move leads, or from which one
    /// comes.
    #[inline]
    pub(crate) fn next(&self, along: Along, place: u32, at: &mut u32) -> Option<u32> {
        let (masks, far) = match along {
            Along::Moves => (&self.out, &self.far_out),
            Along::Reverse => (&self.into, &self.far_into),
        };
        let end = BitsOf::<T>::END;
        if *at < end
            && let Some(bit) = masks[place as usize].next(at)
        {
            return Some(self.level.beside(place as usize, bit, &self.stride) as u32);
        }
        let next = far.of(place).get((*at - end) as usize).copied();
        *at += 1;
        next
    }

    pub(crate) fn for_each(&self, along: Along, place: u32, mut each: impl FnMut(u32)) {
        let mut at = 0;
        while let Some(other) = self.next(along, place, &mut at) {
            each(other);
        }
    }
}

/// The same moves, by where they lead.
pub(crate) fn turned<T: Storage>(level: &T, out: &[BitsOf<T>]) -> Vec<BitsOf<T>> {
    let stride = strides(level.shape()[1]);
    let mut into = vec![BitsOf::<T>::default(); out.len()];
    for (i, &mask) in out.iter().enumerate() {
        let mut at = 0;
        while let Some(bit) = mask.next(&mut at) {
            into[level.beside(i, bit, &stride)].insert(level.back(i, bit));
        }
    }
    into
}
