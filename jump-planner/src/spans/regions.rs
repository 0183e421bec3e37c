//! Regions of a world with storeys.

use super::SpanTerrain;
use crate::graph::JumpGraph;
use crate::graph::bits::Bits;
use crate::graph::near::near_move;
use crate::parallel;
use crate::regions::Regions;
use crate::regions::parts::Parts;
use crate::regions::passage::{MoveCounts, Passage, thin};
use crate::regions::scc::Csr;
use crate::storage::Storage;

/// Places in one piece of work.
const PIECE: usize = 4096;

/// Moves to places beside join most parts; jumps between the others are looked for as on height
/// maps.
pub(super) fn regions(graph: &JumpGraph<SpanTerrain>) -> Regions<u64> {
    let (footing, places) = (graph.footing(), graph.terrain().len());
    let pieces = parallel::pieces(places, PIECE, |first, end| {
        let (mut near, mut counts) = (Vec::new(), MoveCounts::default());
        for i in (first..end).filter(|&i| footing.can_stand(i)) {
            for (j, way) in footing.neighbours(i).filter(|&(j, _)| footing.can_stand(j)) {
                if let Some(kind) = near_move(graph, i, j, way) {
                    counts.add(kind);
                    near.push((i as u32, j as u32, kind));
                }
            }
        }
        (near, counts)
    });
    let (mut near, mut counts) = (Vec::new(), MoveCounts::default());
    for (mut piece, of_piece) in pieces {
        near.append(&mut piece);
        counts.walk += of_piece.walk;
        counts.fall += of_piece.fall;
        counts.jump += of_piece.jump;
    }
    let moves = Csr::from_sorted(places, near.iter().map(|&(i, j, _)| (i, j)));
    let parts = Parts::joined(
        places,
        |i| footing.can_stand(i),
        |place, at| {
            let next = moves.of(place).get(*at as usize).copied();
            *at += 1;
            next
        },
    );
    let label = |i: u32| parts.labels[i as usize];
    let between = near.iter().filter(|&&(i, j, _)| label(i) != label(j));
    let mut known: Vec<_> = between
        .map(|&(from, to, kind)| {
            let parts = (label(from), label(to));
            Passage { parts, far: false, kind, from, to }
        })
        .collect();
    thin(&mut known);
    let (mut moves, mut rest) = (vec![0_u64; places], Vec::new());
    for &(from, to, _) in &near {
        match graph.terrain().bit(from as usize, to as usize) {
            Some(bit) => moves[from as usize].insert(bit),
            None => rest.push((from, to)),
        }
    }
    Regions { moves, rest, ..Regions::joined(graph, parts, known, counts, near.len()) }
}
