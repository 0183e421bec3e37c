//! Dominators of a graph of cells: what every way from a root to a cell must pass.
//!
//! The semi-NCA algorithm (Georgiadis, *Linear-time algorithms for dominators and related problems*,
//! 2005). petgraph's `simple_fast` keeps hash maps and is quadratic where chains of dominators are
//! long, which on a map of a million cells they are.

use crate::near::{Along, Links};

const NEW: u32 = u32::MAX;

/// The dominator tree of the cells that a root leads to. Nodes are preorder numbers; a node's
/// immediate dominator has a lower number.
pub(crate) struct Dominators {
    /// The cell of every node.
    pub(crate) cells: Vec<u32>,
    /// The node of every cell; `u32::MAX` where the root does not lead.
    node: Vec<u32>,
    pub(crate) above: Vec<u32>,
    /// Nodes in the subtree, the node itself included.
    pub(crate) size: Vec<u32>,
    /// The place in an order in which subtrees lie together.
    place: Vec<u32>,
}

impl Dominators {
    /// # Complexity
    /// O(moves x log cells) at worst, nearly linear in practice.
    pub(crate) fn new(links: &Links, cells: usize, root: u32, along: Along) -> Self {
        let (cells, node, parent) = preorder(links, cells, root, along);
        let above = immediate(links, along.turned(), &cells, &node, parent);
        let mut size = vec![1_u32; cells.len()];
        for i in (1..cells.len()).rev() {
            size[above[i] as usize] += size[i];
        }
        let (mut place, mut free) = (vec![0; cells.len()], vec![1; cells.len()]);
        for i in 1..cells.len() {
            let up = above[i] as usize;
            place[i] = free[up];
            free[up] += size[i];
            free[i] = place[i] + 1;
        }
        Self { cells, node, above, size, place }
    }

    /// The node of a cell, if the root leads there.
    pub(crate) fn node(&self, cell: u32) -> Option<u32> {
        let node = self.node[cell as usize];
        (node != NEW).then_some(node)
    }

    /// Whether `upper` is `lower` or above it.
    pub(crate) fn dominates(&self, upper: u32, lower: u32) -> bool {
        let begin = self.place[upper as usize];
        (begin..begin + self.size[upper as usize]).contains(&self.place[lower as usize])
    }
}

/// Cells in preorder of a depth-first search, the number of every cell, and the numbers' parents.
fn preorder(
    links: &Links,
    cells: usize,
    root: u32,
    along: Along,
) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut node = vec![NEW; cells];
    let (mut order, mut parent) = (vec![root], vec![0]);
    node[root as usize] = 0;
    let mut way = vec![(0_u32, 0_u32)];
    while let Some((from, at)) = way.last_mut() {
        let Some(next) = links.next(along, order[*from as usize], at) else {
            way.pop();
            continue;
        };
        if node[next as usize] == NEW {
            let number = order.len() as u32;
            node[next as usize] = number;
            order.push(next);
            parent.push(*from);
            way.push((number, 0));
        }
    }
    (order, node, parent)
}

/// The immediate dominator of every node but the root.
fn immediate(
    links: &Links,
    back: Along,
    cells: &[u32],
    node: &[u32],
    parent: Vec<u32>,
) -> Vec<u32> {
    let n = cells.len();
    let mut above = parent.clone();
    let mut ancestor = parent;
    let mut semi: Vec<u32> = (0..n as u32).collect();
    let mut label = semi.clone();
    let mut path = Vec::new();
    for w in (1..n).rev() {
        let mut least = above[w];
        links.for_each(back, cells[w], |from| {
            let from = node[from as usize];
            if from != NEW {
                let best = lowest(from, w as u32 + 1, &mut ancestor, &mut label, &semi, &mut path);
                least = least.min(semi[best as usize]);
            }
        });
        semi[w] = least;
    }
    for w in 1..n {
        while above[w] > semi[w] {
            above[w] = above[above[w] as usize];
        }
    }
    above
}

/// The node of the lowest semidominator on the way up to what is not linked yet; shortens the way.
#[inline]
fn lowest(
    v: u32,
    linked: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) -> u32 {
    if ancestor[v as usize] < linked {
        return label[v as usize];
    }
    let mut top = v;
    while ancestor[top as usize] >= linked {
        path.push(top);
        top = ancestor[top as usize];
    }
    let (mut best, root) = (label[top as usize], ancestor[top as usize]);
    while let Some(v) = path.pop() {
        ancestor[v as usize] = root;
        let own = label[v as usize];
        if semi[best as usize] < semi[own as usize] {
            label[v as usize] = best;
        } else {
            best = own;
        }
    }
    best
}
