//! What leads where.

use crate::groups::NONE;
use crate::scc::{self, Csr};

/// Nodes up to which all pairs are kept, as bits: 128 MiB.
pub(crate) const MOST_NODES: usize = 32_768;

/// Answers whether a node of a graph without cycles leads to another. Beyond [`MOST_NODES`] nodes "no" may also mean "not known":
/// then only what one forest of a depth-first search shows is known.
#[derive(Clone, Debug)]
pub(crate) enum Closure {
    /// Rows of bits: a row for each node that leads anywhere, a column for each that is led to.
    /// `led`: columns that there are.
    Pairs { words: usize, rows: Vec<u32>, columns: Vec<u32>, bits: Vec<u64>, led: u32 },
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
            Self::Pairs { words, rows, columns, bits, .. } => {
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

    /// Follows a new pair; `false`: it must be made anew.
    fn insert(&mut self, from: u32, to: u32) -> bool {
        let who: Vec<u32> = match self {
            Self::Pairs { rows, .. } => {
                (0..rows.len() as u32).filter(|&node| self.leads(node, from)).collect()
            }
            Self::Forest { .. } => return false,
        };
        let Self::Pairs { words, rows, columns, bits, led } = self else { return false };
        if columns[to as usize] == NONE {
            if *led as usize == *words * 64 {
                return false;
            }
            (columns[to as usize], *led) = (*led, *led + 1);
        }
        if rows[from as usize] == NONE {
            rows[from as usize] = (bits.len() / *words) as u32;
            bits.resize(bits.len() + *words, 0);
        }
        let mut new = vec![0; *words];
        if rows[to as usize] != NONE {
            new.copy_from_slice(&bits[rows[to as usize] as usize * *words..][..*words]);
        }
        new[columns[to as usize] as usize / 64] |= 1 << (columns[to as usize] % 64);
        for node in who {
            let row = &mut bits[rows[node as usize] as usize * *words..][..*words];
            row.iter_mut().zip(&new).for_each(|(a, b)| *a |= b);
        }
        true
    }

    /// `order`: successors come first.
    fn pairs(graph: &Csr, order: &[u32]) -> Self {
        /// Columns to spare.
        const SPARE: usize = 32;
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
        let words = (counts[1] as usize + SPARE).div_ceil(64);
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
        Self::Pairs { words, rows, columns, bits, led: counts[1] }
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

/// Answers whether a node of any graph of up to [`MOST_NODES`] leads to another.
#[derive(Clone, Debug)]
pub(crate) struct Leading {
    /// Who leads to each other.
    component: Vec<u32>,
    has_cycles: bool,
    closure: Closure,
}

impl Leading {
    /// From pairs in ascending order.
    pub(crate) fn new(nodes: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let graph = Csr::from_sorted(nodes, pairs);
        let (component, components) = scc::components(&graph);
        let has_cycles = components < nodes;
        if !has_cycles {
            // Components are numbered such that successors come first.
            let mut order = vec![0; nodes];
            (0..).zip(&component).for_each(|(node, &c)| order[c as usize] = node);
            let closure = Closure::pairs(&graph, &order);
            return Self { component: (0..nodes as u32).collect(), has_cycles, closure };
        }
        let of = |node: u32| component[node as usize];
        let between: Vec<(u32, u32)> = (0..nodes as u32)
            .flat_map(|from| graph.of(from).iter().map(move |&to| (from, to)))
            .map(|(from, to)| (of(from), of(to)))
            .filter(|(from, to)| from != to)
            .collect();
        let order: Vec<u32> = (0..components as u32).collect();
        let closure = Closure::pairs(&Csr::from_pairs(components, &between), &order);
        Self { component, has_cycles, closure }
    }

    pub(crate) fn leads(&self, from: u32, to: u32) -> bool {
        self.closure.leads(self.component[from as usize], self.component[to as usize])
    }

    pub(crate) fn nodes(&self) -> usize {
        self.component.len()
    }

    /// The number of what leads to each other, by node; below the number of nodes.
    pub(crate) fn component(&self) -> &[u32] {
        &self.component
    }

    /// Whether several nodes lead to each other.
    pub(crate) fn has_cycles(&self) -> bool {
        self.has_cycles
    }

    /// All but one of such nodes are not asked for any more.
    pub(crate) fn forget_cycles(&mut self) {
        self.has_cycles = false;
    }

    /// Follows a new pair; `false`: it must be made anew.
    pub(crate) fn insert(&mut self, from: u32, to: u32) -> bool {
        let [from, to] = [from, to].map(|node| self.component[node as usize]);
        if self.closure.leads(from, to) {
            return true;
        }
        // Whoever is on a way back becomes one with its beginning.
        let back = self.closure.leads(to, from);
        let on = |&part: &u32| self.closure.leads(to, part) && self.closure.leads(part, from);
        let one: Vec<bool> = self.component.iter().map(|part| back && on(part)).collect();
        if !self.closure.insert(from, to) {
            return false;
        }
        let merged = self.component.iter_mut().zip(one).filter(|&(_, is_on)| is_on);
        merged.for_each(|(part, _)| *part = from);
        self.has_cycles |= back;
        true
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

        #[test]
        #[allow(clippy::needless_range_loop)]
        fn cycles_lead_both_ways(
            n in 1_usize..14,
            mut edges in proptest::collection::vec((0_u32..14, 0_u32..14), 0..30),
        ) {
            edges.retain(|&(a, b)| a != b && (a.max(b) as usize) < n);
            edges.sort_unstable();
            edges.dedup();
            // The last ones come one by one.
            let known = edges.len() * 2 / 3;
            let mut first = edges.clone();
            let last = first.split_off(known);
            let mut leading = Leading::new(n, first.iter().copied());
            for (k, &(from, to)) in last.iter().enumerate() {
                if !leading.insert(from, to) {
                    leading = Leading::new(n, edges[..=known + k].iter().copied());
                }
            }
            let mut lead = vec![vec![false; n]; n];
            for i in 0..n {
                lead[i][i] = true;
                edges.iter().filter(|edge| edge.0 as usize == i).for_each(|e| lead[i][e.1 as usize] = true);
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        lead[i][j] |= lead[i][k] && lead[k][j];
                    }
                }
            }
            for i in 0..n {
                for j in 0..n {
                    prop_assert_eq!(leading.leads(i as u32, j as u32), lead[i][j]);
                }
            }
        }
    }
}
