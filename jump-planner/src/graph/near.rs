//! Moves between cells at most two away, 24 bits a cell.

use crate::graph::JumpGraph;
use crate::graph::moves::MoveKind;
use crate::graph::moves::NEIGHBOURS;
use crate::graph::rule::JumpRule;
use crate::storage::Storage;

/// The cells at most two away as (dy, dx): the neighbours, then those over one cell, the nearest
/// first.
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
                // The rest of the row repeats the last one.
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

/// The move from a ground cell to a neighbour.
pub(crate) fn near_move(
    graph: &JumpGraph<impl Storage>,
    i: usize,
    j: usize,
    way: (isize, isize),
) -> Option<MoveKind> {
    let climb = || graph.climbs(i, j, way).then_some(MoveKind::Jump);
    graph.footing().step(i, j, way).or_else(climb)
}

/// The moves from a cell to its neighbours, and jumps around corners as far as their formula tells.
/// `each` gets each move, or that a corner was looked at.
pub(crate) fn close_mask(
    graph: &JumpGraph,
    i: usize,
    mut each: impl FnMut(Option<MoveKind>),
) -> u32 {
    let footing = graph.footing();
    if !footing.can_stand(i) {
        return 0;
    }
    let mut mask = 0;
    for (k, j) in close_cells(graph, i, 0..NEIGHBOURS.len()) {
        if !footing.can_stand(j) {
            continue;
        }
        let kind = near_move(graph, i, j, CLOSE[k]);
        if kind.is_some() || k >= 4 {
            each(kind);
        }
        if kind.is_some() || turns_corner(graph, i, j, CLOSE[k]) {
            mask |= 1 << k;
        }
    }
    mask
}

impl<T: Storage> JumpGraph<T> {
    /// Whether `j`, a neighbour at `way`, is beside `i`, both ground, and there is a jump up. A
    /// point can always jump onto ground lower than the jump height. So a decision is needed only
    /// for bodies, under ceilings, and for ground almost as high as the jump, where the search may
    /// find no flight.
    pub(crate) fn climbs(&self, i: usize, j: usize, (dy, dx): (isize, isize)) -> bool {
        let beside = dy == 0 || dx == 0;
        let gain = self.terrain.floors()[j] - self.terrain.floors()[i];
        if !(beside && gain > 0.0 && self.reaches(gain, self.law.most_gain(0.0))) {
            return false;
        }
        let spare = match self.rule {
            JumpRule::Exact { tolerance } => 2.0 * tolerance,
            JumpRule::Published => f64::NEG_INFINITY,
        };
        let is_sure = self.is_point() && gain <= self.character.jump_height() - spare;
        if is_sure { self.draws(i, j) } else { self.verdict(i, j).is_clear() }
    }
}

/// Whether a point certainly jumps up from a cell around a corner to a neighbour to which there is
/// no step: it does if and only if this one and the lower one of the two beside lie less than the
/// jump height above. Launched close before the corner and landing close behind, it passes as
/// closely as one likes under the peak. Cells that are almost that high are left to a proof.
pub(crate) fn turns_corner(graph: &JumpGraph, i: usize, j: usize, way: (isize, isize)) -> bool {
    let JumpRule::Exact { tolerance } = graph.rule() else { return false };
    if !graph.is_point() || way.0 == 0 || way.1 == 0 {
        return false;
    }
    let (heights, columns) = (graph.terrain().heights(), graph.terrain().shape()[1]);
    let side = |stride: isize| heights[i.wrapping_add_signed(stride)];
    let sides = side(way.0 * columns as isize).min(side(way.1));
    let highest = heights[j].max(sides) - heights[i];
    heights[j] > heights[i] && highest < graph.character().jump_height() - 2.0 * tolerance
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
