//! Groups: cells that walking joins. Without a step height these are the source's groups, eight-
//! connected cells of equal height. Walking is possible both ways, so a group is all or nothing.

use crate::cell::NONE;
use crate::graph::moves::Footing;
use crate::graph::partition::Partition;
use crate::storage::walks;

/// The groups of a terrain, each named by its first cell at first.
///
/// # Complexity
/// O(cells), almost.
pub(crate) fn groups(footing: &Footing<'_>) -> Partition {
    let forest = Forest::of_cells(footing, |i, j, way| walks(footing, i, j, way));
    Partition::new(forest.flat())
}

/// The cells of every group, in order.
pub(crate) struct Members {
    /// The beginning of each group, by label.
    begins: Vec<u32>,
    cells: Vec<u32>,
}

impl Members {
    /// The cells of every label; labels are below the number of cells.
    pub(crate) fn new(labels: &[u32]) -> Self {
        let n = labels.len();
        let mut begins = vec![0_u32; n + 1];
        for &label in labels.iter().filter(|&&label| label != NONE) {
            begins[label as usize + 1] += 1;
        }
        for i in 0..n {
            begins[i + 1] += begins[i];
        }
        let mut next = begins.clone();
        let mut cells = vec![0; begins[n] as usize];
        for (i, &label) in labels.iter().enumerate() {
            if label != NONE {
                let at = &mut next[label as usize];
                cells[*at as usize] = i as u32;
                *at += 1;
            }
        }
        Self { begins, cells }
    }

    pub(crate) fn of(&self, label: u32) -> &[u32] {
        let at = |i: usize| self.begins[i] as usize;
        &self.cells[at(label as usize)..at(label as usize + 1)]
    }
}

/// A union-find forest whose roots are the smallest members.
pub(crate) struct Forest {
    pub(crate) parent: Vec<u32>,
}

impl Forest {
    /// Cells that can be stood on, joined where `joins` says so of two neighbours.
    pub(crate) fn of_cells(
        footing: &Footing<'_>,
        joins: impl Fn(usize, usize, (isize, isize)) -> bool,
    ) -> Self {
        let n = footing.terrain.len();
        let stands = |i: usize| if footing.can_stand(i) { i as u32 } else { NONE };
        let mut forest = Self { parent: (0..n).map(stands).collect() };
        let [rows, columns] = footing.terrain.shape();
        // Half of the neighbours are enough: the others look at this cell.
        for y in 0..rows {
            for x in 0..columns {
                let i = y * columns + x;
                if forest.parent[i] == NONE {
                    continue;
                }
                let before = [(0, -1), (-1, -1), (-1, 0), (-1, 1)];
                for (dy, dx) in before {
                    let Some(x) = x.checked_add_signed(dx).filter(|&x| x < columns) else {
                        continue;
                    };
                    let Some(y) = y.checked_add_signed(dy) else { continue };
                    let j = y * columns + x;
                    if forest.parent[j] != NONE && joins(i, j, (dy, dx)) {
                        forest.join(i as u32, j as u32);
                    }
                }
            }
        }
        forest
    }

    /// Every cell with its root; roots are the smallest of their set, so one pass flattens.
    pub(crate) fn flat(mut self) -> Vec<u32> {
        for i in 0..self.parent.len() {
            if self.parent[i] != NONE {
                self.parent[i] = self.parent[self.parent[i] as usize];
            }
        }
        self.parent
    }

    pub(crate) fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
