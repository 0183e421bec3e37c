//! What leads where.

use crate::cell::NONE;
use crate::regions::scc::{self, Csr};

/// Nodes up to which all pairs are kept, as bits: 128 MiB, twice that under edits.
pub(crate) const MOST_NODES: usize = 32_768;

/// Answers whether a node of a graph without cycles leads to another. Beyond [`MOST_NODES`] nodes
/// "no" may also mean "not known": then only what one forest of a depth-first search shows is
/// known.
#[derive(Clone, Debug)]
pub(crate) enum Closure {
    /// Rows of bits: a row for each node that leads anywhere, a column for each that is led to.
    Pairs { words: usize, rows: Vec<u32>, columns: Vec<u32>, bits: Vec<u64> },
    /// First and end of each node's descendants, in the order of a depth-first search.
    Forest { first: Vec<u32>, end: Vec<u32> },
}

impl Closure {
    pub(crate) fn new(graph: &Csr) -> Self {
        if graph.nodes() > MOST_NODES {
            return Self::forest(graph);
        }
        let (number, _) = scc::components(graph);
        let mut order: Vec<u32> = (0..graph.nodes() as u32).collect();
        order.sort_unstable_by_key(|&node| number[node as usize]);
        Self::pairs(graph, &order)
    }

    pub(crate) fn leads(&self, from: u32, to: u32) -> bool {
        match self {
            Self::Pairs { words, rows, columns, bits } => {
                let (row, column) = (rows[from as usize], columns[to as usize]);
                let bit = || bits[row as usize * words + column as usize / 64] >> (column % 64) & 1;
                from == to || (row != NONE && column != NONE && bit() == 1)
            }
            Self::Forest { first, end } => {
                let at = first[to as usize];
                first[from as usize] <= at && at < end[from as usize]
            }
        }
    }

    /// `order`: successors come first.
    fn pairs(graph: &Csr, order: &[u32]) -> Self {
        let n = graph.nodes();
        let (mut rows, mut columns) = (vec![NONE; n], vec![NONE; n]);
        let mut counts = [0_u32; 2];
        let mut number = |place: &mut u32, side: usize| {
            if *place == NONE {
                *place = counts[side];
                counts[side] += 1;
            }
        };
        for node in (0..n as u32).filter(|&node| !graph.of(node).is_empty()) {
            number(&mut rows[node as usize], 0);
            graph.of(node).iter().for_each(|&next| number(&mut columns[next as usize], 1));
        }
        let words = (counts[1] as usize).div_ceil(64);
        let mut bits = vec![0_u64; counts[0] as usize * words];
        let mut row = vec![0_u64; words];
        for &node in order.iter().filter(|&&node| rows[node as usize] != NONE) {
            row.fill(0);
            for &next in graph.of(node) {
                let column = columns[next as usize];
                row[column as usize / 64] |= 1 << (column % 64);
                if rows[next as usize] != NONE {
                    let other = &bits[rows[next as usize] as usize * words..][..words];
                    row.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
                }
            }
            bits[rows[node as usize] as usize * words..][..words].copy_from_slice(&row);
        }
        Self::Pairs { words, rows, columns, bits }
    }

    /// The forest, however few nodes there are.
    pub(crate) fn forest(graph: &Csr) -> Self {
        const NEW: u32 = u32::MAX;
        let n = graph.nodes();
        let (mut first, mut end) = (vec![NEW; n], vec![0; n]);
        let (number, _) = scc::components(graph);
        // From the sources down: trees that begin high up reach far.
        let mut roots: Vec<u32> = (0..n as u32).collect();
        roots.sort_unstable_by_key(|&node| std::cmp::Reverse(number[node as usize]));
        let (mut next, mut way) = (0, Vec::new());
        for root in roots {
            if first[root as usize] != NEW {
                continue;
            }
            way.push((root, 0_usize));
            while let Some((node, at)) = way.pop() {
                let i = node as usize;
                if at == 0 && first[i] == NEW {
                    first[i] = next;
                    next += 1;
                }
                let successors = graph.of(node);
                match (at..successors.len()).find(|&k| first[successors[k] as usize] == NEW) {
                    Some(k) => way.extend([(node, k + 1), (successors[k], 0)]),
                    None => end[i] = next,
                }
            }
        }
        Self::Forest { first, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Indices stand for nodes here.
    #[allow(clippy::needless_range_loop)]
    fn leads_plainly(graph: &Csr) -> Vec<Vec<bool>> {
        let n = graph.nodes();
        let mut lead = vec![vec![false; n]; n];
        for i in 0..n {
            lead[i][i] = true;
            for &next in graph.of(i as u32) {
                for j in 0..n {
                    lead[i][j] |= lead[next as usize][j];
                }
            }
        }
        lead
    }

    proptest! {
        #[test]
        fn pairs_are_exact_and_the_forest_never_claims_too_much(
            n in 1_usize..14,
            mut edges in proptest::collection::vec((0_u32..14, 0_u32..14), 0..40),
        ) {
            edges.retain(|&(a, b)| a > b && (a as usize) < n);
            edges.sort_unstable();
            edges.dedup();
            let graph = Csr::from_sorted(n, edges.iter().copied());
            let (pairs, forest) = (Closure::new(&graph), Closure::forest(&graph));
            for (i, row) in leads_plainly(&graph).into_iter().enumerate() {
                for (j, leads) in row.into_iter().enumerate() {
                    let (a, b) = (i as u32, j as u32);
                    prop_assert_eq!(pairs.leads(a, b), leads);
                    prop_assert!(!forest.leads(a, b) || leads);
                }
            }
        }
    }
}
