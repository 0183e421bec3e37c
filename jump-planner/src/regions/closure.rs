//! Which nodes lead to which.

use crate::cell::NONE;
use crate::regions::scc::{self, Csr};
use fixedbitset::FixedBitSet;

/// Nodes up to which all pairs are kept, as bits: 128 MiB, twice that under edits.
pub(crate) const MOST_NODES: usize = 32_768;

/// Answers whether a node of a graph without cycles leads to another. Beyond [`MOST_NODES`] nodes
/// "no" may also mean "not known": then only the ways of one forest of a depth-first search are
/// known.
#[derive(Clone, Debug)]
pub(crate) enum Closure {
    /// For each node, where it leads: by the columns of all nodes that are led to. Empty where it
    /// leads nowhere.
    Pairs { rows: Vec<FixedBitSet>, columns: Vec<u32> },
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
            Self::Pairs { rows, columns } => {
                from == to || rows[from as usize].contains(columns[to as usize] as usize)
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
        let (mut rows, mut columns) = (vec![FixedBitSet::new(); n], vec![NONE; n]);
        let mut count = 0_u32;
        for &next in (0..n as u32).flat_map(|node| graph.of(node)) {
            if columns[next as usize] == NONE {
                columns[next as usize] = count;
                count += 1;
            }
        }
        for &node in order.iter().filter(|&&node| !graph.of(node).is_empty()) {
            let mut row = FixedBitSet::with_capacity(count as usize);
            for &next in graph.of(node) {
                row.insert(columns[next as usize] as usize);
                row.union_with(&rows[next as usize]);
            }
            rows[node as usize] = row;
        }
        Self::Pairs { rows, columns }
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
