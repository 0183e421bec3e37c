//! Which nodes lead to which, under edits: as [`crate::regions::closure`], for any graph.

use crate::cell::NONE;
use crate::level::known::Changes;
use crate::regions::scc::{self, Csr};
use fixedbitset::FixedBitSet;

/// Answers whether a node of any graph of up to [`MOST_NODES`](crate::regions::closure::MOST_NODES)
/// nodes leads to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leading {
    /// One of those that lead to each other, by node.
    component: Vec<u32>,
    has_cycles: bool,
    /// For each node, where it leads: by the columns of all nodes that any has ever led to.
    rows: Vec<FixedBitSet>,
    /// The column of every node; NONE where nothing leads to it.
    columns: Vec<u32>,
    /// The node of every column; NONE where it stood for one that there is no more.
    led: Vec<u32>,
}

/// Columns to spare.
const SPARE: usize = 64;
/// Up to so many moves that have come are followed one by one.
const FEW_BORN: usize = 16;

impl Leading {
    pub(crate) fn new(graph: &Csr) -> Self {
        let mut new = Self::default();
        let all: Vec<u32> = (0..graph.nodes() as u32).collect();
        new.draw(graph, &all, &vec![false; all.len()]);
        new
    }

    /// Follows changes of a graph, which is given by successors and predecessors. `new`: nodes that
    /// are others than before, or were none. `is_old` is true of nodes that were there and still
    /// are. Returns the pairs of old nodes of which the first led to the second and does not any
    /// more.
    ///
    /// # Complexity
    /// O(nodes + moves). In addition O(nodes / 64) for each move out of a node that has lost a move
    /// or leads to one that has.
    pub(crate) fn follow(
        &mut self,
        [after, before]: [&Csr; 2],
        changes: &Changes,
        new: &[u32],
        is_old: &[bool],
    ) -> Vec<(u32, u32)> {
        let mut is_known = vec![false; after.nodes()];
        for &node in new {
            is_known[node as usize] = true;
        }
        // Nodes that have lost a move; but nothing is lost with a node that has gone if it led
        // nowhere.
        let led_on = |to: u32| self.rows.get(to as usize).is_some_and(|row| !row.is_clear());
        let mut changed: Vec<u32> = (changes.died.iter())
            .filter(|&&(_, to)| is_old[to as usize] || led_on(to))
            .map(|&(from, _)| from)
            .collect();
        if changes.born.len() > FEW_BORN {
            changed.extend(changes.born.iter().map(|&(from, _)| from));
        }
        // A move to a node whose number is used again is neither born nor dead: before, it led to
        // the node that had the number.
        for &node in new {
            changed.extend(before.of(node));
        }
        // And all that lead to any of these now.
        changed.retain(|&node| !std::mem::replace(&mut is_known[node as usize], true));
        let mut at = 0;
        while let Some(&node) = changed.get(at) {
            at += 1;
            for &from in before.of(node) {
                if !std::mem::replace(&mut is_known[from as usize], true) {
                    changed.push(from);
                }
            }
        }
        changed.extend(new);
        self.renew(new);
        let mut lost = self.draw(after, &changed, is_old);
        // The other new moves.
        for &(from, to) in &changes.born {
            if after.of(from).binary_search(&to).is_ok() {
                self.insert(from, to);
            }
        }
        lost.retain(|&(from, to)| !self.leads(from, to));
        lost
    }

    /// Draws again where some nodes lead. All that lead to any of them must be among them, except
    /// for nodes to which nothing led. Returns the pairs of old nodes of which the first led to the
    /// second and does not any more.
    fn draw(&mut self, graph: &Csr, changed: &[u32], is_old: &[bool]) -> Vec<(u32, u32)> {
        let mut lost = Vec::new();
        let nodes = graph.nodes();
        self.rows.resize(nodes, FixedBitSet::new());
        self.columns.resize(nodes, NONE);
        self.component.extend(self.component.len() as u32..nodes as u32);
        let mut place = vec![NONE; nodes];
        (0..).zip(changed).for_each(|(k, &node)| place[node as usize] = k);
        for &node in changed {
            self.component[node as usize] = node;
            graph.of(node).iter().for_each(|&to| self.column_for(to));
        }
        // Components are numbered such that successors come first.
        let (number, components) = scc::components_of(changed.len(), |k, at| {
            let mut rest = graph.of(changed[k as usize]).iter().skip(*at as usize);
            rest.find_map(|&to| {
                *at += 1;
                Some(place[to as usize]).filter(|&k| k != NONE)
            })
        });
        self.has_cycles |= components < changed.len();
        let mut members: Vec<(u32, u32)> =
            number.iter().zip(changed).map(|(&c, &node)| (c, node)).collect();
        members.sort_unstable();
        let mut row = FixedBitSet::with_capacity(self.led.len());
        for members in members.chunk_by(|a, b| a.0 == b.0) {
            row.clear();
            for &(c, node) in members {
                self.component[node as usize] = members[0].1;
                for &next in graph.of(node) {
                    let is_in = row.put(self.columns[next as usize] as usize);
                    // The node that is led to leads nowhere else. Nodes of its own component are in
                    // the row anyway, and their rows are not known yet.
                    let is_own = || {
                        let place = place[next as usize];
                        place != NONE && number[place as usize] == c
                    };
                    if !is_in && !is_own() {
                        row.union_with(&self.rows[next as usize]);
                    }
                }
            }
            for &(_, node) in members {
                let gone = self.rows[node as usize].difference(&row).map(|column| self.led[column]);
                let counts = |node: u32| node != NONE && is_old[node as usize];
                let gone = gone.filter(|&to| to != node && counts(node) && counts(to));
                lost.extend(gone.map(|to| (node, to)));
                // Most nodes lead nowhere: those take no space.
                let new = if row.is_clear() { FixedBitSet::new() } else { row.clone() };
                self.rows[node as usize] = new;
            }
        }
        lost
    }

    pub(crate) fn leads(&self, from: u32, to: u32) -> bool {
        from == to || self.rows[from as usize].contains(self.columns[to as usize] as usize)
    }

    /// A node and all that lead to it, ascending.
    pub(crate) fn before(&self, to: u32) -> impl Iterator<Item = u32> + '_ {
        let column = self.columns[to as usize] as usize;
        let nodes = (0..).zip(&self.rows);
        nodes.filter(move |&(node, row)| node == to || row.contains(column)).map(|(node, _)| node)
    }

    /// A node and all that it leads to, ascending.
    pub(crate) fn after(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let row = &self.rows[from as usize];
        let led = move |column: u32| row.contains(column as usize);
        let nodes = (0..).zip(&self.columns);
        nodes.filter(move |&(node, &column)| node == from || led(column)).map(|(node, _)| node)
    }

    /// Makes space where a node is led to.
    fn column_for(&mut self, node: u32) {
        let column = &mut self.columns[node as usize];
        if *column == NONE {
            *column = self.led.len() as u32;
            self.led.push(node);
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.rows.len()
    }

    /// Takes nodes for others, to which nothing leads yet.
    fn renew(&mut self, new: &[u32]) {
        for &node in new {
            let column = self.columns.get_mut(node as usize);
            let column = column.map_or(NONE, |column| std::mem::replace(column, NONE));
            if column != NONE {
                self.led[column as usize] = NONE;
            }
        }
    }

    /// Whether so much space was lost by new nodes that it pays to make it again.
    pub(crate) fn is_wasteful(&self) -> bool {
        self.led.len() > 2 * self.nodes() + SPARE
    }

    /// One of those that lead to each other, by node.
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
        (0..).zip(&mut self.component).for_each(|(node, component)| *component = node);
    }

    /// Follows a new pair.
    pub(crate) fn insert(&mut self, from: u32, to: u32) {
        if self.leads(from, to) {
            return;
        }
        self.column_for(to);
        let who: Vec<u32> = self.before(from).collect();
        if self.leads(to, from) {
            // A node on a way back becomes one with its beginning.
            for &node in &who {
                if self.leads(to, node) {
                    self.component[node as usize] = from;
                }
            }
            self.has_cycles = true;
        }
        let mut new = self.rows[to as usize].clone();
        new.grow_and_insert(self.columns[to as usize] as usize);
        for node in who {
            self.rows[node as usize].union_with(&new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
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
            let mut leading = Leading::new(&Csr::from_sorted(n, first.iter().copied()));
            for &(from, to) in &last {
                leading.insert(from, to);
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

        #[test]
        fn changes_lead_to_the_graph_made_anew(
            n in 2_u32..16,
            rounds in proptest::collection::vec(
                (
                    proptest::collection::vec((0_u32..16, 0_u32..16), 0..24),
                    proptest::collection::vec(0_u32..16, 0..3),
                ),
                1..8,
            ),
        ) {
            let mut known: BTreeSet<(u32, u32)> = BTreeSet::new();
            let graph_of = |nodes: u32, pairs: &BTreeSet<(u32, u32)>| {
                Csr::from_sorted(nodes as usize, pairs.iter().copied())
            };
            let mut nodes = n;
            let mut leading = Leading::new(&graph_of(nodes, &known));
            for (toggled, mut new) in rounds {
                // Nodes that give way to others lose the moves from them and to them; some nodes
                // are new.
                new.retain(|&node| node <= nodes);
                new.sort_unstable();
                new.dedup();
                let led = Leading::new(&graph_of(nodes, &known));
                let was = nodes;
                nodes = nodes.max(new.last().map_or(0, |&node| node + 1));
                // As moves come and go, a pair may come and go again, too.
                let mut changes = Changes::default();
                let gone = |&(a, b): &(u32, u32)| new.contains(&a) || new.contains(&b);
                changes.died.extend(known.iter().filter(|pair| gone(pair)));
                known.retain(|pair| !gone(pair));
                for pair in toggled.into_iter().filter(|&(a, b)| a != b && a.max(b) < nodes) {
                    if known.remove(&pair) {
                        changes.died.insert(pair);
                    } else {
                        known.insert(pair);
                        changes.born.insert(pair);
                    }
                }
                let is_old: Vec<bool> = (0..nodes).map(|i| i < was && !new.contains(&i)).collect();
                let after = graph_of(nodes, &known);
                let lost = leading.follow([&after, &after.turned()], &changes, &new, &is_old);
                let rebuilt = Leading::new(&after);
                let mut expected = Vec::new();
                for i in 0..nodes {
                    for j in 0..nodes {
                        prop_assert_eq!(leading.leads(i, j), rebuilt.leads(i, j), "{} {}", i, j);
                        let both = is_old[i as usize] && is_old[j as usize];
                        if both && led.leads(i, j) && !rebuilt.leads(i, j) {
                            expected.push((i, j));
                        }
                    }
                }
                let mut lost = lost;
                lost.sort_unstable();
                prop_assert_eq!(lost, expected);
                leading.forget_cycles();
            }
        }
    }
}
