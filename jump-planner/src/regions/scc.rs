//! Strongly connected components of a compact graph: Tarjan's algorithm without recursion.

/// Successors of every node, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Csr {
    /// Where the successors of a node begin; one more than nodes.
    pub(crate) begins: Vec<u32>,
    pub(crate) targets: Vec<u32>,
}

impl Csr {
    /// From pairs in ascending order.
    pub(crate) fn from_sorted(nodes: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut begins = vec![0; nodes + 1];
        let mut targets = Vec::with_capacity(pairs.size_hint().0);
        for (from, to) in pairs {
            begins[from as usize + 1] += 1;
            targets.push(to);
        }
        for i in 0..nodes {
            begins[i + 1] += begins[i];
        }
        Self { begins, targets }
    }

    /// The same but for some pairs in ascending order, which are in it or not as they say; of
    /// `nodes`, which are no fewer.
    ///
    /// # Complexity
    /// O(nodes + edges) to copy, and O(log edges) for each of these pairs.
    pub(crate) fn with(
        &self,
        nodes: usize,
        pairs: impl Iterator<Item = ((u32, u32), bool)>,
    ) -> Self {
        let end = self.targets.len();
        let mut begins = self.begins.clone();
        begins.resize(nodes + 1, end as u32);
        let mut targets = Vec::with_capacity(end + pairs.size_hint().0);
        let (mut copied, mut shifted, mut shift) = (0, 0, 0_u32);
        for ((from, to), is_in) in pairs {
            let from = from as usize;
            begins[shifted..=from].iter_mut().for_each(|begin| *begin = begin.wrapping_add(shift));
            shifted = from + 1;
            let own = if from < self.nodes() { self.range(from as u32) } else { end..end };
            let at = own.start + self.targets[own.clone()].partition_point(|&other| other < to);
            let was_in = self.targets[at..own.end].first() == Some(&to);
            targets.extend_from_slice(&self.targets[copied..at]);
            targets.extend(is_in.then_some(to));
            copied = at + usize::from(was_in);
            shift = shift.wrapping_add(u32::from(is_in)).wrapping_sub(u32::from(was_in));
        }
        targets.extend_from_slice(&self.targets[copied..]);
        begins[shifted..].iter_mut().for_each(|begin| *begin = begin.wrapping_add(shift));
        Self { begins, targets }
    }

    /// From pairs in any order; those of a node stay in theirs.
    pub(crate) fn from_pairs(nodes: usize, pairs: &[(u32, u32)]) -> Self {
        let mut begins = vec![0; nodes + 1];
        for &(from, _) in pairs {
            begins[from as usize + 1] += 1;
        }
        for i in 0..nodes {
            begins[i + 1] += begins[i];
        }
        let mut next = begins.clone();
        let mut targets = vec![0; pairs.len()];
        for &(from, to) in pairs {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Self { begins, targets }
    }

    /// Predecessors instead, in ascending order.
    pub(crate) fn turned(&self) -> Self {
        let mut begins = vec![0; self.begins.len()];
        for &to in &self.targets {
            begins[to as usize + 1] += 1;
        }
        for i in 0..self.nodes() {
            begins[i + 1] += begins[i];
        }
        let mut next = begins.clone();
        let mut targets = vec![0; self.targets.len()];
        for from in 0..self.nodes() as u32 {
            for &to in self.of(from) {
                targets[next[to as usize] as usize] = from;
                next[to as usize] += 1;
            }
        }
        Self { begins, targets }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    pub(crate) fn of(&self, node: u32) -> &[u32] {
        &self.targets[self.range(node)]
    }

    /// Where the successors of a node stand among all.
    pub(crate) fn range(&self, node: u32) -> std::ops::Range<usize> {
        let at = |i: usize| self.begins[i] as usize;
        at(node as usize)..at(node as usize + 1)
    }
}

/// The component of every node, and how many there are. Components are numbered in reverse
/// topological order: an edge between two leads to the lower number.
pub(crate) fn components(graph: &Csr) -> (Vec<u32>, usize) {
    components_of(graph.nodes(), |node, at| {
        let next = graph.of(node).get(*at as usize).copied();
        *at += 1;
        next
    })
}

/// The same of a graph whose edges are asked for: `next(node, at)` is the successor after `at`,
/// which counts on from 0.
pub(crate) fn components_of(
    n: usize,
    next: impl Fn(u32, &mut u32) -> Option<u32>,
) -> (Vec<u32>, usize) {
    const NEW: u32 = u32::MAX;
    let (mut order, mut low) = (vec![NEW; n], vec![0_u32; n]);
    let mut label = vec![NEW; n];
    let (mut open, mut way): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    let (mut met, mut count) = (0, 0);
    for root in 0..n as u32 {
        if order[root as usize] != NEW {
            continue;
        }
        way.push((root, 0));
        while let Some((node, mut at)) = way.pop() {
            let i = node as usize;
            if order[i] == NEW {
                (order[i], low[i]) = (met, met);
                met += 1;
                open.push(node);
            }
            let ended = loop {
                let before = at;
                let Some(to) = next(node, &mut at) else { break true };
                let j = to as usize;
                if order[j] == NEW {
                    // Comes back to this edge, whose end is no longer new then.
                    way.push((node, before));
                    way.push((to, 0));
                    break false;
                }
                if label[j] == NEW {
                    low[i] = low[i].min(low[j]);
                }
            };
            if ended && low[i] == order[i] {
                while let Some(member) = open.pop() {
                    label[member as usize] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    (label, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_are_mutual_reachability(
            n in 1_usize..12,
            mut pairs in proptest::collection::vec((0_u32..12, 0_u32..12), 0..40),
        ) {
            pairs.retain(|&(a, b)| (a as usize) < n && (b as usize) < n);
            pairs.sort_unstable();
            pairs.dedup();
            let graph = Csr::from_sorted(n, pairs.iter().copied());
            let mut reach = vec![vec![false; n]; n];
            for (i, row) in reach.iter_mut().enumerate() {
                row[i] = true;
            }
            for &(a, b) in &pairs {
                reach[a as usize][b as usize] = true;
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        let through = reach[i][k] && reach[k][j];
                        reach[i][j] |= through;
                    }
                }
            }
            let (label, count) = components(&graph);
            prop_assert!(label.iter().all(|&l| (l as usize) < count));
            for i in 0..n {
                for j in 0..n {
                    prop_assert_eq!(label[i] == label[j], reach[i][j] && reach[j][i]);
                    prop_assert!(!reach[i][j] || label[j] <= label[i]);
                }
            }
        }

        #[test]
        fn some_pairs_come_and_go(
            n in 1_u32..12,
            more in 0_u32..3,
            pairs in proptest::collection::btree_set((0_u32..12, 0_u32..15), 0..40),
            told in proptest::collection::btree_map((0_u32..15, 0_u32..15), any::<bool>(), 0..20),
        ) {
            let mut pairs = pairs;
            pairs.retain(|pair| pair.0 < n);
            let mut told = told;
            told.retain(|pair, _| pair.0 < n + more);
            let graph = Csr::from_sorted(n as usize, pairs.iter().copied());
            let nodes = (n + more) as usize;
            let with = graph.with(nodes, told.iter().map(|(&pair, &is_in)| (pair, is_in)));
            for (&pair, &is_in) in &told {
                if is_in { pairs.insert(pair); } else { pairs.remove(&pair); }
            }
            prop_assert_eq!(with, Csr::from_sorted(nodes, pairs.iter().copied()));
        }
    }
}
