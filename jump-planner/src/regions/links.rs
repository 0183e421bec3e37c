//! Moves between cells at most two away, and longer jumps that were found: a graph to walk through.

use super::scc::Csr;
use crate::graph::near::{next_bit, opposite, strides};

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

/// Moves between cells at most two away, and longer jumps that were found: a graph to walk through.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// Bit k: a move to the cell at `CLOSE[k]`, and from it.
    out: Vec<u32>,
    into: Vec<u32>,
    stride: [isize; 24],
    far_out: Csr,
    far_into: Csr,
}

impl Links {
    pub(crate) fn new(out: Vec<u32>, columns: usize) -> Self {
        let (into, stride) = (turned(&out, columns), strides(columns));
        let cells = out.len();
        let none = || Csr::from_sorted(cells, std::iter::empty());
        Self { out, into, stride, far_out: none(), far_into: none() }
    }

    /// Sets the longer jumps; sorts them.
    pub(crate) fn set_far(&mut self, jumps: &mut Vec<(u32, u32)>) {
        // The stable sort is the faster one where most is in order already.
        jumps.sort_by(Ord::cmp);
        jumps.dedup();
        self.far_out = Csr::from_sorted(self.out.len(), jumps.iter().copied());
        self.far_into = self.far_out.turned();
    }

    /// The next cell after `at`, which counts from 0, to which a move leads, or from which one
    /// comes.
    #[inline]
    pub(crate) fn next(&self, along: Along, cell: u32, at: &mut u32) -> Option<u32> {
        let (masks, far) = match along {
            Along::Moves => (&self.out, &self.far_out),
            Along::Reverse => (&self.into, &self.far_into),
        };
        if *at < 24
            && let Some(k) = next_bit(masks[cell as usize], at)
        {
            return Some((cell as usize).wrapping_add_signed(self.stride[k]) as u32);
        }
        let next = far.of(cell).get(*at as usize - 24).copied();
        *at += 1;
        next
    }

    pub(crate) fn for_each(&self, along: Along, cell: u32, mut each: impl FnMut(u32)) {
        let mut at = 0;
        while let Some(other) = self.next(along, cell, &mut at) {
            each(other);
        }
    }
}

/// The same moves, by where they lead.
pub(crate) fn turned(out: &[u32], columns: usize) -> Vec<u32> {
    let stride = strides(columns);
    let mut into = vec![0_u32; out.len()];
    for (i, &mask) in out.iter().enumerate() {
        let mut at = 0;
        while let Some(k) = next_bit(mask, &mut at) {
            into[i.wrapping_add_signed(stride[k])] |= 1 << opposite(k);
        }
    }
    into
}
