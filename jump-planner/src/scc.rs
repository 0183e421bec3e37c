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
        let mut targets = Vec::new();
        for (from, to) in pairs {
            begins[from as usize + 1] += 1;
            targets.push(to);
        }
        for i in 0..nodes {
            begins[i + 1] += begins[i];
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
        let at = |i: usize| self.begins[i] as usize;
        &self.targets[at(node as usize)..at(node as usize + 1)]
    }
}

/// The component of every node, and how many there are. Components are numbered in reverse
/// topological order: an edge between two leads to the lower number.
pub(crate) fn components(graph: &Csr) -> (Vec<u32>, usize) {
    const NEW: u32 = u32::MAX;
    let n = graph.nodes();
    let (mut order, mut low) = (vec![NEW; n], vec![0_u32; n]);
    let mut label = vec![NEW; n];
    let (mut open, mut way): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    let (mut next, mut count) = (0, 0);
    for root in 0..n as u32 {
        if order[root as usize] != NEW {
            continue;
        }
        way.push((root, graph.begins[root as usize]));
        while let Some((node, at)) = way.pop() {
            let i = node as usize;
            if order[i] == NEW {
                (order[i], low[i]) = (next, next);
                next += 1;
                open.push(node);
            }
            let mut at = at;
            let mut descended = false;
            while at < graph.begins[i + 1] {
                let to = graph.targets[at as usize];
                let j = to as usize;
                if order[j] == NEW {
                    // Comes back to this edge, whose end is no longer new then.
                    way.push((node, at));
                    way.push((to, graph.begins[j]));
                    descended = true;
                    break;
                }
                if label[j] == NEW {
                    low[i] = low[i].min(low[j]);
                }
                at += 1;
            }
            if !descended && low[i] == order[i] {
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
    }
}
