//! Moves between cells at most two away, 24 bits a cell.

use crate::graph::{Clearance, JumpGraph};
use crate::moves::NEIGHBOURS;
use crate::scc::Csr;

/// The cells at most two away as (dy, dx): the neighbours, then those over one cell, the nearest first.
pub(crate) const CLOSE: [(isize, isize); 24] = {
    let mut all = [(0, 0); 24];
    let mut k = 0;
    while k < NEIGHBOURS.len() {
        all[k] = NEIGHBOURS[k];
        k += 1;
    }
    let over_one = [
        [(-2, 0), (0, -2), (0, 2), (2, 0)],
        [(-2, -1), (-2, 1), (-1, -2), (-1, 2)],
        [(1, -2), (1, 2), (2, -1), (2, 1)],
        [(-2, -2), (-2, 2), (2, -2), (2, 2)],
    ];
    while k < all.len() {
        all[k] = over_one[k / 4 - 2][k % 4];
        k += 1;
    }
    all
};

/// The pairs of neighbours that lead to each cell of `CLOSE`; some twice.
pub(crate) const VIA: [[(u8, u8); 4]; 24] = {
    let mut all = [[(0, 0); 4]; 24];
    let mut k = 0;
    while k < CLOSE.len() {
        let (mut count, mut first) = (0, 0);
        while first < 64 {
            let (a, b) = (NEIGHBOURS[first / 8], NEIGHBOURS[first % 8]);
            if a.0 + b.0 == CLOSE[k].0 && a.1 + b.1 == CLOSE[k].1 && count < 4 {
                // What is left of the row repeats the last one.
                let mut at = count;
                while at < 4 {
                    all[k][at] = ((first / 8) as u8, (first % 8) as u8);
                    at += 1;
                }
                count += 1;
            }
            first += 1;
        }
        k += 1;
    }
    all
};

/// The place of the opposite cell.
#[inline]
pub(crate) fn opposite(k: usize) -> usize {
    match k {
        0..4 => 3 - k,
        4..8 => 11 - k,
        8..12 => 19 - k,
        12..20 => 31 - k,
        _ => 43 - k,
    }
}

/// How far the cells of `CLOSE` are in memory.
pub(crate) fn strides(columns: usize) -> [isize; 24] {
    CLOSE.map(|(dy, dx)| dy * columns as isize + dx)
}

/// The cells of `CLOSE` inside the terrain, by place; those of `places`.
pub(crate) fn close_cells(
    graph: &JumpGraph,
    i: usize,
    places: std::ops::Range<usize>,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let ([rows, columns], [y, x]) = (graph.terrain().shape(), graph.terrain().cell(i));
    places.filter_map(move |k| {
        let y = y.checked_add_signed(CLOSE[k].0).filter(|&y| y < rows)?;
        let x = x.checked_add_signed(CLOSE[k].1).filter(|&x| x < columns)?;
        Some((k, y * columns + x))
    })
}

/// Whether a point certainly jumps up from a cell around a corner to a neighbour to which there is no step: it does if
/// and only if this one and the lower one of the two beside lie less than the jump height above.
/// Launched close before the corner and landing close behind, it passes as closely as one likes
/// under the peak. What is almost as high as that is left to proof.
pub(crate) fn turns_corner(graph: &JumpGraph, i: usize, j: usize, way: (isize, isize)) -> bool {
    let Clearance::Exact { tolerance } = graph.clearance() else { return false };
    if !graph.is_point() || way.0 == 0 || way.1 == 0 {
        return false;
    }
    let (heights, columns) = (graph.terrain().heights(), graph.terrain().shape()[1]);
    let side = |stride: isize| heights[i.wrapping_add_signed(stride)];
    let sides = side(way.0 * columns as isize).min(side(way.1));
    let highest = heights[j].max(sides) - heights[i];
    heights[j] > heights[i] && highest < graph.character().jump_height() - 2.0 * tolerance
}

/// The next set bit from `at` on, which counts on past it.
#[inline]
pub(crate) fn next_bit(mask: u32, at: &mut u32) -> Option<usize> {
    let left = if *at < 32 { mask >> *at } else { 0 };
    if left == 0 {
        *at = 24;
        return None;
    }
    let k = *at + left.trailing_zeros();
    *at = k + 1;
    Some(k as usize)
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

    /// The next cell after `at`, which counts from 0, to which a move leads, or from which one comes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Character, Terrain};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_formula_of_corners_is_the_exact_rule(
            z in proptest::array::uniform4(-6..9),
            size in 0.05..30.0,
            speed in 2.0..9.0,
        ) {
            let z = z.map(|z| 0.5 * f64::from(z));
            let heights = ndarray::arr2(&[[z[0], z[1]], [z[2], z[3]]]);
            let terrain = Terrain::builder(&heights).cell_size(size).build().unwrap();
            let character = Character::builder(speed).build().unwrap();
            let graph = JumpGraph::new(terrain, character).unwrap();
            let clear = graph.has_jump(0, 3);
            if turns_corner(&graph, 0, 3, (1, 1)) {
                prop_assert!(clear);
            } else if z[3] > z[0] && z[3].max(z[1].min(z[2])) - z[0] > graph.character().jump_height() {
                prop_assert!(!clear);
            }
        }
    }

    #[test]
    fn opposites_are_opposite() {
        for (k, &(dy, dx)) in CLOSE.iter().enumerate() {
            assert_eq!(CLOSE[opposite(k)], (-dy, -dx));
            assert_eq!(CLOSE.iter().filter(|&&other| other == (dy, dx)).count(), 1);
            for (a, b) in VIA[k].map(|(a, b)| (CLOSE[usize::from(a)], CLOSE[usize::from(b)])) {
                assert_eq!((a.0 + b.0, a.1 + b.1), (dy, dx));
            }
        }
    }
}
