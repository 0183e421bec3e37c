//! Parts that are joined by moves to cells close by: neighbours, and jumps around corners and over
//! one cell.

use super::parts::Parts;
use super::passage::{MoveCounts, Passage, thin};
use super::tiles::Tiles;
use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::graph::bits::Bits;
use crate::graph::moves::{MoveKind, NEIGHBOURS};
use crate::graph::near::{CLOSE, VIA, close_cells, close_mask, near_move, strides};
use crate::jump::exact::Effort;
use crate::parallel;

/// Moves to cells close by.
pub(super) struct Close {
    /// Bit k for one at `CLOSE[k]`.
    pub(super) moves: Vec<u32>,
    /// Between neighbours, without jumps around corners.
    pub(super) counts: MoveCounts,
    /// How many corners were checked.
    pub(super) asked: usize,
}

/// All moves between neighbours, and jumps around corners as far as their formula tells.
pub(super) fn close_moves(graph: &JumpGraph) -> Close {
    let [rows, columns] = graph.terrain().shape();
    let bands = parallel::bands(rows, |first, end| {
        let (mut counts, mut asked) = (MoveCounts::default(), 0);
        let moves: Vec<u32> = (first * columns..end * columns)
            .map(|i| {
                close_mask(graph, i, |kind| match kind {
                    Some(kind) => counts.add(kind),
                    None => asked += 1,
                })
            })
            .collect();
        (moves, counts, asked)
    });
    let (mut moves, mut counts, mut asked) = (Vec::new(), MoveCounts::default(), 0);
    moves.reserve_exact(rows * columns);
    for (band, of_band, asked_there) in bands {
        moves.extend(band);
        counts.walk += of_band.walk;
        counts.fall += of_band.fall;
        counts.jump += of_band.jump;
        asked += asked_there;
    }
    Close { moves, counts, asked }
}

/// The parts that these moves join both ways.
pub(super) fn joined(graph: &JumpGraph, moves: &[u32]) -> Parts {
    let (footing, stride) = (graph.footing(), strides(graph.terrain().shape()[1]));
    let next = |cell: u32, at: &mut u32| {
        let k = moves[cell as usize].next(at)?;
        Some((cell as usize).wrapping_add_signed(stride[k]) as u32)
    };
    Parts::joined(moves.len(), |cell| footing.can_stand(cell), next)
}

/// Adds jumps over one cell, and around corners, that one look finds, each from a cell to a part to
/// which it has no move yet and two between neighbours do not lead; of how many it was asked.
pub(super) fn add_short(graph: &JumpGraph, parts: &Parts, moves: &mut [u32]) -> usize {
    let [rows, columns] = graph.terrain().shape();
    let (labels, stride) = (&parts.labels, strides(columns));
    let tiles = Tiles::new(labels, graph.terrain().shape());
    let before = &*moves;
    let bands = parallel::bands(rows, |first, end| {
        let (mut added, mut asked) = (Vec::new(), 0);
        for i in first * columns..end * columns {
            let own = labels[i];
            // Most cells have nothing else around them.
            let is_own = |label: u32| label == own;
            if own == NONE || tiles.around(i, 2).all(|tile| tiles.all(tile, is_own)) {
                continue;
            }
            let mut mask = before[i];
            for (k, j) in close_cells(graph, i, 4..CLOSE.len()) {
                if labels[j] == own || labels[j] == NONE || two_steps(before, &stride, i, k) {
                    continue;
                }
                let mut at = 0;
                let known = std::iter::from_fn(|| mask.next(&mut at));
                let mut parts = known.map(|k| labels[i.wrapping_add_signed(stride[k])]);
                if parts.any(|part| part == labels[j]) || !graph.within_reach(i, j) {
                    continue;
                }
                asked += 1;
                if graph.shows_jump(i, j, Effort::Look) {
                    mask |= 1 << k;
                }
            }
            if mask != before[i] {
                added.push((i, mask));
            }
        }
        (added, asked)
    });
    let mut all = 0;
    for (added, asked) in bands {
        for (i, mask) in added {
            moves[i] = mask;
        }
        all += asked;
    }
    all
}

/// Whether two moves between neighbours lead from a cell to the one at `CLOSE[k]`.
fn two_steps(moves: &[u32], stride: &[isize; 24], i: usize, k: usize) -> bool {
    VIA[k].iter().any(|&(first, second)| {
        let via = || i.wrapping_add_signed(stride[usize::from(first)]);
        moves[i] >> first & 1 == 1 && moves[via()] >> second & 1 == 1
    })
}

/// Calls `each` with all of these moves in some rows that lead to other parts: from, to, where.
fn for_each_between(
    labels: &[u32],
    moves: &[u32],
    columns: usize,
    (first, end): (usize, usize),
    mut each: impl FnMut(usize, usize, usize),
) {
    let stride = strides(columns);
    for i in first * columns..end * columns {
        let mut at = 0;
        while let Some(k) = moves[i].next(&mut at) {
            let j = i.wrapping_add_signed(stride[k]);
            if labels[j] != labels[i] {
                each(i, j, k);
            }
        }
    }
}

/// Which parts these moves lead from and to.
pub(super) fn pairs(graph: &JumpGraph, parts: &Parts, moves: &[u32]) -> Vec<(u32, u32)> {
    let [rows, columns] = graph.terrain().shape();
    let labels = &parts.labels;
    let bands = parallel::bands(rows, |first, end| {
        let mut pairs = Vec::new();
        for_each_between(labels, moves, columns, (first, end), |i, j, _| {
            pairs.push((labels[i], labels[j]));
        });
        pairs
    });
    bands.concat()
}

/// Direct moves between parts, one per pair of parts.
pub(super) fn passages(graph: &JumpGraph, parts: &Parts, moves: &[u32]) -> Vec<Passage> {
    let [rows, columns] = graph.terrain().shape();
    let labels = &parts.labels;
    let bands = parallel::bands(rows, |first, end| {
        let mut found = Vec::new();
        for_each_between(labels, moves, columns, (first, end), |i, j, k| {
            let kind = (k < NEIGHBOURS.len()).then(|| near_move(graph, i, j, CLOSE[k])).flatten();
            let (far, kind) = (kind.is_none(), kind.unwrap_or(MoveKind::Jump));
            let (from, to) = (i as u32, j as u32);
            found.push(Passage { parts: (labels[i], labels[j]), far, kind, from, to });
        });
        thin(&mut found);
        found
    });
    let mut all = bands.concat();
    thin(&mut all);
    all
}
