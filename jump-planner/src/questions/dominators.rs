//! Dominators of a graph of places: the places that every way from a root to a place must pass.
//!
//! The semi-NCA algorithm (Georgiadis, *Linear-time algorithms for dominators and related
//! problems*, 2005). petgraph's `simple_fast` keeps hash maps and is quadratic where chains of
//! dominators are long, which on a map of a million cells they are.

use crate::jump::relief::{small_tile, small_tiles};
use crate::regions::links::{Along, Links};
use crate::storage::Storage;
use std::ops::Range;

const NEW: u32 = u32::MAX;

/// The dominator tree of the cells that a root leads to. Nodes are preorder numbers; a node's
/// immediate dominator has a lower number.
pub(crate) struct Dominators {
    /// The cell of every node.
    pub(crate) cells: Vec<u32>,
    /// The node of every cell, 0 where it counts as the root; `u32::MAX` where the root does not
    /// lead.
    node: Vec<u32>,
    /// In a depth-first search.
    parent: Vec<u32>,
    pub(crate) above: Vec<u32>,
    /// Nodes in the subtree, the node itself included.
    pub(crate) size: Vec<u32>,
    /// The place in an order in which subtrees lie together.
    place: Vec<u32>,
}

impl Dominators {
    /// # Complexity
    /// O(moves x log cells) at worst, nearly linear in practice.
    pub(crate) fn new(
        links: &Links<'_, impl Storage>,
        cells: usize,
        root: u32,
        along: Along,
    ) -> Self {
        let mut node = vec![NEW; cells];
        node[root as usize] = 0;
        Self::from_preorder(preorder(links, &[root], node, vec![root], along), links, along)
    }

    /// The tree after moves have come to `links`. Cells that nothing but the root dominates, and
    /// that dominate nothing, stay so whatever comes: they count as the root from now on, as their
    /// node does, but for cells that the root alone may lead to.
    ///
    /// # Complexity
    /// As [`Dominators::new`] of the cells that are left.
    pub(crate) fn after(&self, links: &Links<'_, impl Storage>, along: Along) -> Self {
        let mut node = self.node.clone();
        let mut entered = vec![self.cells[0]];
        for i in 1..self.cells.len() {
            let free = self.above[i] == 0 && self.size[i] == 1 && self.parent[i] != 0;
            node[self.cells[i] as usize] = if free { 0 } else { NEW };
        }
        // Cells that are left, and can be entered from those that count as the root.
        for &cell in &self.cells[1..] {
            if node[cell as usize] == NEW {
                let mut at = 0;
                while let Some(from) = links.next(along.turned(), cell, &mut at) {
                    if node[from as usize] == 0 {
                        entered.push(cell);
                        break;
                    }
                }
            }
        }
        let root = vec![self.cells[0]];
        Self::from_preorder(preorder(links, &entered, node, root, along), links, along)
    }

    fn from_preorder(
        [cells, node, parent]: [Vec<u32>; 3],
        links: &Links<'_, impl Storage>,
        along: Along,
    ) -> Self {
        let above = immediate(links, along.turned(), &cells, &node, parent.clone());
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
        Self { cells, node, parent, above, size, place }
    }

    /// The node of a cell, if the root leads there.
    pub(crate) fn node(&self, cell: u32) -> Option<u32> {
        let node = self.node[cell as usize];
        (node != NEW).then_some(node)
    }

    /// The lowest node that is above both, or one of them.
    pub(crate) fn lowest_common(&self, mut one: u32, other: u32) -> u32 {
        while !self.dominates(one, other) {
            one = self.above[one as usize];
        }
        one
    }

    /// The places of a subtree.
    pub(crate) fn places(&self, top: u32) -> Range<u32> {
        let begin = self.place[top as usize];
        begin..begin + self.size[top as usize]
    }

    /// Whether `upper` is `lower` or above it.
    pub(crate) fn dominates(&self, upper: u32, lower: u32) -> bool {
        self.places(upper).contains(&self.place[lower as usize])
    }
}

/// The place of every cell in an order in which subtrees lie together, and the lowest and highest
/// of every small tile: most cells have nothing around them that lies outside the subtree that they
/// are in.
pub(crate) struct Places {
    /// `u32::MAX` where the root does not lead.
    of: Vec<u32>,
    tiles: Vec<[u32; 2]>,
}

impl Places {
    pub(crate) fn new(tree: &Dominators, level: &impl Storage) -> Self {
        let shape = level.shape();
        let place = |&node: &u32| if node == NEW { NEW } else { tree.place[node as usize] };
        let of: Vec<u32> = tree.node.iter().map(place).collect();
        let mut tiles = vec![[NEW, 0]; small_tiles(shape).iter().product()];
        for (cell, &place) in of.iter().enumerate().filter(|&(_, &place)| place != NEW) {
            let [low, high] = &mut tiles[small_tile(shape, level.column(cell))];
            (*low, *high) = ((*low).min(place), (*high).max(place));
        }
        Self { of, tiles }
    }

    /// Whether a cell is in the tree, but not in a subtree.
    #[inline]
    pub(crate) fn is_outside(&self, cell: usize, subtree: &Range<u32>) -> bool {
        let place = self.of[cell];
        place != NEW && !subtree.contains(&place)
    }

    /// Whether a small tile has no such cell.
    #[inline]
    pub(crate) fn are_within(&self, tile: usize, subtree: &Range<u32>) -> bool {
        let [low, high] = self.tiles[tile];
        low == NEW || (subtree.start <= low && high < subtree.end)
    }
}

/// Cells in preorder of a depth-first search from the root, which is first in `order`; the number
/// of every cell; and the numbers' parents. The search enters the cells `entered` from the root.
fn preorder(
    links: &Links<'_, impl Storage>,
    entered: &[u32],
    mut node: Vec<u32>,
    mut order: Vec<u32>,
    along: Along,
) -> [Vec<u32>; 3] {
    let mut parent = vec![0];
    let mut way = Vec::new();
    for &cell in entered {
        if node[cell as usize] == NEW {
            node[cell as usize] = order.len() as u32;
            way.push((order.len() as u32, 0_u32));
            order.push(cell);
            parent.push(0);
        } else if cell == order[0] {
            way.push((0, 0));
        }
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
    }
    [order, node, parent]
}

/// The immediate dominator of every node but the root.
fn immediate(
    links: &Links<'_, impl Storage>,
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

/// The node of the lowest semidominator on the way up to the first unlinked node; shortens the way.
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
