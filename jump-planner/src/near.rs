//! All moves between neighbours, eight bits a cell each way.

use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::moves::NEIGHBOURS;
use crate::parallel;
use crate::regions::near_move;
use crate::scc::Csr;

/// Moves between neighbours, and longer jumps that were found: a graph to walk through.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    /// Bit k: a move to `NEIGHBOURS[k]`, and from it.
    out: Vec<u8>,
    into: Vec<u8>,
    /// How far neighbour k is in memory.
    stride: [isize; 8],
    far_out: Csr,
    far_into: Csr,
}

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

impl Links {
    /// `labels`: NONE where nobody can stand.
    pub(crate) fn new(graph: &JumpGraph, labels: &[u32]) -> Self {
        let [rows, columns] = graph.terrain().shape();
        let bands = parallel::bands(rows, |first, end| {
            let footing = graph.footing();
            let mut band = vec![0_u8; (end - first) * columns];
            for (i, out) in (first * columns..).zip(&mut band) {
                if labels[i] == NONE {
                    continue;
                }
                for (j, way) in footing.neighbours(i) {
                    if labels[j] != NONE && near_move(graph, i, j, way).is_some() {
                        *out |= 1 << bit(way);
                    }
                }
            }
            band
        });
        let out = bands.concat();
        let stride = NEIGHBOURS.map(|(dy, dx)| dy * columns as isize + dx);
        let mut into = vec![0_u8; out.len()];
        for (i, &mask) in out.iter().enumerate() {
            let mut left = mask;
            while left != 0 {
                let k = left.trailing_zeros() as usize;
                left &= left - 1;
                into[i.wrapping_add_signed(stride[k])] |= 1 << OPPOSITE[k];
            }
        }
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

    /// The next cell after `at`, which counts from 0, to which a move leads, or from which one comes.
    #[inline]
    pub(crate) fn next(&self, along: Along, cell: u32, at: &mut u32) -> Option<u32> {
        let (masks, far) = match along {
            Along::Moves => (&self.out, &self.far_out),
            Along::Reverse => (&self.into, &self.far_into),
        };
        if *at < 8 {
            let left = u32::from(masks[cell as usize]) >> *at;
            if left != 0 {
                let k = *at + left.trailing_zeros();
                *at = k + 1;
                return Some((cell as usize).wrapping_add_signed(self.stride[k as usize]) as u32);
            }
            *at = 8;
        }
        let next = far.of(cell).get(*at as usize - 8).copied();
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

/// Where a neighbour stands in `NEIGHBOURS`.
fn bit(way: (isize, isize)) -> usize {
    NEIGHBOURS.iter().position(|&other| other == way).unwrap_or(0)
}

/// The place of the opposite neighbour.
const OPPOSITE: [u8; 8] = [3, 2, 1, 0, 7, 6, 5, 4];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_opposite() {
        for (k, &(dy, dx)) in NEIGHBOURS.iter().enumerate() {
            assert_eq!(bit((-dy, -dx)), usize::from(OPPOSITE[k]));
            assert_eq!(bit((dy, dx)), k);
        }
    }
}
