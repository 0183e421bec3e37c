//! Shortest ways over the cells of a block, by their matrices.
//!
//! A cell has its turn when values at its nodes became less from outside. A cell's matrix knows all
//! ways within it, so one turn brings the values of its nodes to all its other nodes, and hands
//! values that became less on to the cells beside. It is the search of Bellman and Ford with cells
//! for vertices, least value first; values are whole numbers, so they are the same in any order.

use super::levels::{Cell, Starts, beside};
use super::sight::SIDES;
use super::tile::NO_WAY;

/// `[units: 64ths of a cell]` Nodes further off count as not reached.
pub(super) const FAR: i32 = 1 << 30;

/// A block of cells and the values at their nodes. A node between two cells is there twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// Cells along y and x.
    size: [usize; 2],
    starts: Vec<Starts>,
    /// Where the values of each cell begin.
    base: Vec<usize>,
    values: Vec<i32>,
    /// For each value, whether it became less since its cell had its turn.
    waits: Vec<bool>,
    /// The least waiting value of each cell.
    least: Vec<i32>,
    turn: Vec<(i32, usize)>,
    before: Vec<i32>,
}

/// The ways within each cell of a block.
pub(super) trait Ways {
    /// The row of a node, and its unit as a power of two, in 64ths of a cell.
    fn row(&self, cell: usize, node: usize) -> (&[u16], u32);
}

/// Cells of a level, row by row of a block.
pub(super) struct CellWays<'a> {
    pub(super) cells: &'a [Cell],
    /// The number of the block's first cell, and the cells in a row of the level and of the block.
    pub(super) first: usize,
    pub(super) columns: [usize; 2],
}

impl Ways for CellWays<'_> {
    #[inline]
    fn row(&self, cell: usize, node: usize) -> (&[u16], u32) {
        let [level, block] = self.columns;
        let cell = &self.cells[self.first + cell / block * level + cell % block];
        (cell.row(node), cell.shift)
    }
}

/// The whole matrix of each tile.
#[derive(Clone, Debug, Default)]
pub(super) struct TileWays {
    rows: Vec<u16>,
    /// For each tile, where its pairs begin, and how many nodes it has.
    tiles: Vec<(usize, usize)>,
}

impl TileWays {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.tiles.clear();
    }

    /// Adds the next tile, whose pairs are these.
    pub(super) fn add(&mut self, nodes: usize, pairs: &[u16]) {
        let first = self.rows.len();
        self.tiles.push((first, nodes));
        self.rows.resize(first + nodes * nodes, 0);
        let rows = &mut self.rows[first..];
        let mut pairs = pairs.iter();
        for b in 1..nodes {
            for (a, &length) in (0..b).zip(pairs.by_ref()) {
                rows[a * nodes + b] = length;
                rows[b * nodes + a] = length;
            }
        }
    }
}

impl Ways for TileWays {
    #[inline]
    fn row(&self, cell: usize, node: usize) -> (&[u16], u32) {
        let (first, nodes) = self.tiles[cell];
        (&self.rows[first + node * nodes..first + (node + 1) * nodes], 0)
    }
}

impl Search {
    /// Begins a block of cells, in which no node is reached.
    pub(super) fn reset(&mut self, size: [usize; 2], starts: impl Iterator<Item = Starts>) {
        self.size = size;
        self.starts.clear();
        self.base.clear();
        let mut base = 0;
        for starts in starts {
            self.starts.push(starts);
            self.base.push(base);
            base += starts[SIDES] as usize;
        }
        self.base.push(base);
        self.values.resize(base, FAR);
        self.waits.resize(base, false);
        self.least.resize(self.starts.len(), FAR);
        self.forget();
    }

    /// Forgets all values.
    pub(super) fn forget(&mut self) {
        self.values.fill(FAR);
        self.waits.fill(false);
        self.least.fill(FAR);
    }

    /// Where the values of each cell begin.
    pub(super) fn base(&self) -> &[usize] {
        &self.base
    }

    pub(super) fn values(&self) -> &[i32] {
        &self.values
    }

    pub(super) fn value(&self, cell: usize, node: usize) -> i32 {
        self.values[self.base[cell] + node]
    }

    pub(super) fn starts(&self, cell: usize) -> &Starts {
        &self.starts[cell]
    }

    fn beside(&self, cell: usize, side: usize) -> Option<usize> {
        let width = self.size[1];
        let other = beside(self.size, [cell / width, cell % width], side);
        other.map(|[y, x]| y * width + x)
    }

    fn lower(&mut self, cell: usize, node: usize, value: i32) {
        let i = self.base[cell] + node;
        if value < self.values[i] {
            self.values[i] = value;
            self.waits[i] = true;
            self.least[cell] = self.least[cell].min(value);
        }
    }

    /// Gives a node a value, if that is less than its own.
    pub(super) fn seed(&mut self, cell: usize, node: usize, value: i32) {
        self.lower(cell, node, value);
        let starts = self.starts[cell];
        let side = (1..SIDES).take_while(|&side| starts[side] as usize <= node).count();
        if let Some(other) = self.beside(cell, side) {
            let there = self.starts[other][(side + 2) % SIDES] as usize;
            self.lower(other, node - starts[side] as usize + there, value);
        }
    }

    /// Brings values to all nodes that a way leads to. A turn takes all waiting values of a cell
    /// that are at most `apart` above the least one that waits.
    pub(super) fn run(&mut self, ways: &impl Ways, apart: i32) {
        while let Some(cell) = (0..self.least.len()).min_by_key(|&cell| self.least[cell])
            && self.least[cell] < FAR
        {
            self.take(ways, cell, self.least[cell].saturating_add(apart));
        }
    }

    /// A cell's turn.
    fn take(&mut self, ways: &impl Ways, cell: usize, limit: i32) {
        let (first, end) = (self.base[cell], self.base[cell + 1]);
        let own = &mut self.values[first..end];
        let waits = &mut self.waits[first..end];
        self.turn.clear();
        let mut later = FAR;
        for (node, waits) in waits.iter_mut().enumerate().filter(|(_, waits)| **waits) {
            if own[node] <= limit {
                self.turn.push((own[node], node));
                *waits = false;
            } else {
                later = later.min(own[node]);
            }
        }
        self.turn.sort_unstable();
        self.before.clear();
        self.before.extend_from_slice(own);
        for &(value, node) in &self.turn {
            // A value that came by a way within the cell need not spread: the row of the way's
            // beginning has done so.
            if own[node] == value {
                let (row, shift) = ways.row(cell, node);
                spread(own, row, value, shift);
            }
        }
        self.least[cell] = FAR;
        self.hand_on(cell, later);
    }

    /// Hands values that became less on to the cells beside.
    fn hand_on(&mut self, cell: usize, mut later: i32) {
        let first = self.base[cell];
        let starts = self.starts[cell];
        let mut is_late = false;
        for side in 0..SIDES {
            let other = self.beside(cell, side);
            let there = other.map_or(0, |other| {
                self.base[other] + self.starts[other][(side + 2) % SIDES] as usize
            });
            let mut least = FAR;
            let nodes = starts[side] as usize..starts[side + 1] as usize;
            for (n, node) in nodes.enumerate() {
                let value = self.values[first + node];
                if value >= self.before[node] {
                    continue;
                }
                is_late |= std::mem::replace(&mut self.waits[first + node], false);
                if other.is_some() {
                    self.values[there + n] = value;
                    self.waits[there + n] = true;
                    least = least.min(value);
                }
            }
            if let Some(other) = other {
                self.least[other] = self.least[other].min(least);
            }
        }
        if is_late {
            // Some waiting values have had their turn by now.
            let nodes = first..self.base[cell + 1];
            later = nodes.filter(|&i| self.waits[i]).map(|i| self.values[i]).min().unwrap_or(FAR);
        }
        self.least[cell] = later;
    }
}

/// Spreads the value of one of a cell's nodes to the others.
fn spread(values: &mut [i32], row: &[u16], first: i32, shift: u32) {
    for (value, &length) in values.iter_mut().zip(row) {
        let by = first.wrapping_add(i32::from(length) << shift);
        let by = if length == NO_WAY { FAR } else { by };
        *value = (*value).min(by);
    }
}
