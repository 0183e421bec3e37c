//! Sums of the differences to all neighbours: they are most of the fill's work.

use crate::graph::Graph;
use crate::graph::rows::slices::Slice;
use crate::graph::rows::stencil::{BLOCK, Stencil};

/// Calls `with(node, sums)` for all nodes from `first` on, block by block: for `node` and those
/// after it the sum over its neighbours j of `values[j] - values[node]`. Neighbours without a
/// finite value are left out; the order is that of their indices. The sum of a node without a
/// finite value may be anything but a finite number above 0.
///
/// `first` is a multiple of [`BLOCK`].
pub(crate) fn sums(
    graph: &Graph,
    values: &[f64],
    first: usize,
    count: usize,
    mut with: impl FnMut(usize, &[f64]),
) {
    let values = &values[..graph.out.len()];
    let mut sums = [0.0; BLOCK];
    let (stencil, slices) = (graph.out.stencil(), graph.out.slices());
    let (low, high) = stencil.map_or((0, 0), Stencil::reach);
    for node in (first..first + count).step_by(BLOCK) {
        let len = BLOCK.min(first + count - node);
        let slice = slices.and_then(|slices| slices.slice(node / BLOCK));
        match (stencil, slice) {
            // All that a step of the pattern leads to is there.
            (Some(stencil), _)
                if len == BLOCK && node >= low && node + BLOCK + high <= values.len() =>
            {
                let (words, elsewhere) = stencil.block(node / BLOCK);
                let spoilt = masked_sums(stencil.offsets(), words, values, node, &mut sums);
                mend(graph, values, node, &mut sums, spoilt, elsewhere);
            }
            (None, Some((columns, longer))) if len == BLOCK => {
                let spoilt = match columns {
                    Slice::Near(columns) => {
                        sliced_sums(columns, isize::from, values, node, &mut sums)
                    }
                    Slice::Far(columns) => {
                        sliced_sums(columns, |by| by as isize, values, node, &mut sums)
                    }
                };
                mend(graph, values, node, &mut sums, spoilt, longer);
            }
            _ => {
                for (i, sum) in sums[..len].iter_mut().enumerate() {
                    *sum = sum_at(graph, values, node + i);
                }
            }
        }
        with(node, &sums[..len]);
    }
}

/// The sum of one node.
#[allow(unsafe_code)] // 8 bounds checks a node
fn sum_at(graph: &Graph, values: &[f64], node: usize) -> f64 {
    let values = &values[..graph.out.len()];
    let own = values[node];
    let mut sum = 0.0;
    for step in graph.out.of(node) {
        // SAFETY: steps lead to nodes below out.len(), the length of values.
        let there = unsafe { *values.get_unchecked(step.from(node)) };
        sum += if there < f64::INFINITY { there - own } else { 0.0 };
    }
    sum
}

/// Sums a block's nodes again that a neighbour without a finite value has spoilt, or that have more
/// neighbours.
fn mend(
    graph: &Graph,
    values: &[f64],
    first: usize,
    sums: &mut [f64; BLOCK],
    spoilt: bool,
    incomplete: u64,
) {
    if !spoilt && incomplete == 0 {
        return;
    }
    for (i, sum) in sums.iter_mut().enumerate() {
        let spoilt = !sum.is_finite() && values[first + i].is_finite();
        if spoilt || incomplete >> i & 1 == 1 {
            *sum = sum_at(graph, values, first + i);
        }
    }
}

/// Sums over the neighbours in columns. A node that is its own neighbour adds 0, which changes no
/// sum. Returns whether a node with a finite value has a sum that is not.
#[allow(unsafe_code)] // 8 bounds checks a node
fn sliced_sums<T: Copy>(
    columns: &[T],
    step: impl Fn(T) -> isize,
    values: &[f64],
    first: usize,
    sums: &mut [f64; BLOCK],
) -> bool {
    let own = &values[first..][..BLOCK];
    *sums = [0.0; BLOCK];
    for column in columns.chunks_exact(BLOCK) {
        for (i, ((sum, own), &by)) in sums.iter_mut().zip(own).zip(column).enumerate() {
            let neighbour = (first + i).wrapping_add_signed(step(by));
            // SAFETY: neighbours are nodes of the graph, which has as many as there are values.
            let there = unsafe { *values.get_unchecked(neighbour) };
            *sum += there - own;
        }
    }
    let each = sums.iter().zip(own);
    each.fold(false, |any, (sum, own)| any | !sum.is_finite() & own.is_finite())
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn masked_sums(
    offsets: &[i32],
    words: &[u64],
    values: &[f64],
    first: usize,
    sums: &mut [f64; BLOCK],
) -> bool {
    #[target_feature(enable = "avx2")]
    fn wide(o: &[i32], w: &[u64], v: &[f64], first: usize, sums: &mut [f64; BLOCK]) -> bool {
        masked_sums_in_lanes(o, w, v, first, sums)
    }
    // Miri cannot ask the processor.
    if cfg!(target_feature = "avx2") || !cfg!(miri) && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has it.
        return unsafe { wide(offsets, words, values, first, sums) };
    }
    masked_sums_in_lanes(offsets, words, values, first, sums)
}

#[cfg(not(target_arch = "x86_64"))]
use masked_sums_in_lanes as masked_sums;

/// Nodes whose sums are in registers.
const LANES: usize = 16;
const QUAD: usize = 4;
/// All bits of a number, or none, for each bit of four.
const MASKS: [[u64; QUAD]; 16] = {
    let mut masks = [[0; QUAD]; 16];
    let mut entry = 0;
    while entry < 16 * QUAD {
        if (entry / QUAD) >> (entry % QUAD) & 1 == 1 {
            masks[entry / QUAD][entry % QUAD] = !0;
        }
        entry += 1;
    }
    masks
};

/// Sums over the steps that `words` has a bit for. Others add 0, which changes no sum. Returns
/// whether a node with a finite value has a sum that is not.
#[inline(always)]
#[allow(clippy::inline_always)] // into the instruction sets above
fn masked_sums_in_lanes(
    offsets: &[i32],
    words: &[u64],
    values: &[f64],
    first: usize,
    sums: &mut [f64; BLOCK],
) -> bool {
    let mut spoilt = false;
    for (group, sums) in sums.chunks_exact_mut(LANES).enumerate() {
        let at = first + group * LANES;
        let own = &values[at..][..LANES];
        let mut sum = [0.0; LANES];
        for (&by, word) in offsets.iter().zip(words) {
            let there = &values[at.wrapping_add_signed(by as isize)..][..LANES];
            let bits = word >> (group * LANES);
            for quad in 0..LANES / QUAD {
                let mask = &MASKS[(bits >> (quad * QUAD)) as usize % 16];
                for (i, mask) in mask.iter().enumerate() {
                    let lane = quad * QUAD + i;
                    let difference = there[lane] - own[lane];
                    sum[lane] += f64::from_bits(difference.to_bits() & mask);
                }
            }
        }
        sums.copy_from_slice(&sum);
        let lanes = sum.iter().zip(own);
        spoilt |= lanes.fold(false, |any, (sum, own)| any | !sum.is_finite() & own.is_finite());
    }
    spoilt
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wide_instructions_give_the_same_bits(
            values in prop::collection::vec(
                prop_oneof![8 => -9.0..9.0, 1 => Just(f64::INFINITY), 1 => Just(-0.0)], 3 * BLOCK,
            ),
            words: [u64; 3],
        ) {
            let offsets = [-21, 3, 40];
            let mut sums = [[0.0; BLOCK]; 2];
            let wide = masked_sums(&offsets, &words, &values, BLOCK, &mut sums[0]);
            let plain = masked_sums_in_lanes(&offsets, &words, &values, BLOCK, &mut sums[1]);
            prop_assert_eq!(wide, plain);
            // A NaN may be any of them.
            let bits = |sum: f64| if sum.is_nan() { 0 } else { sum.to_bits() };
            prop_assert_eq!(sums[0].map(bits), sums[1].map(bits));
        }
    }
}
