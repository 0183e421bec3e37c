//! Tiles in cells, cells in larger cells, and the nodes on the borders between them.

use super::sight::{SIDES, bits};
use super::tile::NO_WAY;

/// How many cells of a level are side by side in one of the next.
pub(super) const FACTOR: usize = 4;
/// A world of no more cells than this along each axis has no further level.
const TOP: usize = 8;

/// A cell of a level, `[y, x]`.
pub(super) type Place = [usize; 2];

/// Cells of one size. Level 0 are the tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// `[units: tiles]` The side of a cell.
    pub(super) side: usize,
    /// Cells along y and x.
    pub(super) size: Place,
    tiles: Place,
    /// Nodes at the right of cells: a mask for each row of tiles and column of cells.
    right: Vec<u32>,
    /// Nodes at the bottom of cells: a mask for each row of cells and column of tiles.
    down: Vec<u32>,
    /// Ways within each cell; none at level 0, whose ways are kept apart.
    pub(super) cells: Vec<Cell>,
}

/// Ways between the nodes of a cell, all within it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) starts: Starts,
    /// Lengths from a row's node to all nodes, in matrix units. A unit is so many 64ths of a cell,
    /// as a power of two.
    pub(super) shift: u32,
    pub(super) matrix: Box<[u16]>,
}

/// Where the nodes of each side begin, in the order of sides; last, how many there are.
pub(super) type Starts = [u32; SIDES + 1];

/// The sizes of all levels of a world.
pub(super) fn levels(tiles: Place) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut side = 1;
    loop {
        let size = tiles.map(|n| n.div_ceil(side));
        levels.push(Level {
            side,
            size,
            tiles,
            right: vec![0; tiles[0] * size[1]],
            down: vec![0; size[0] * tiles[1]],
            cells: Vec::new(),
        });
        if size.iter().all(|&n| n <= TOP) {
            return levels;
        }
        side *= FACTOR;
    }
}

/// The cell beside another, of so many along y and x.
pub(super) fn beside([rows, columns]: Place, [y, x]: Place, side: usize) -> Option<Place> {
    match side {
        0 => x.checked_sub(1).map(|x| [y, x]),
        1 => y.checked_sub(1).map(|y| [y, x]),
        2 => (x + 1 < columns).then_some([y, x + 1]),
        _ => (y + 1 < rows).then_some([y + 1, x]),
    }
}

impl Level {
    /// The number of the cell at a place.
    pub(super) fn number(&self, [y, x]: Place) -> usize {
        y * self.size[1] + x
    }

    /// The place of the cell with a number.
    pub(super) fn place(&self, number: usize) -> Place {
        [number / self.size[1], number % self.size[1]]
    }

    pub(super) fn count(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// How many tiles lie along a side of a cell.
    pub(super) fn pieces(&self, cell: Place, side: usize) -> usize {
        let axis = side % 2;
        self.side.min(self.tiles[axis] - cell[axis] * self.side)
    }

    /// The place of the mask of a tile's side along the side of a cell: the table, and the index
    /// there. `None` at the edge of the world.
    fn index(&self, cell: Place, side: usize, piece: usize) -> Option<(bool, usize)> {
        let other = self.beside(cell, side)?;
        let [y, x] = if side < 2 { other } else { cell };
        Some(if side.is_multiple_of(2) {
            (true, (y * self.side + piece) * self.size[1] + x)
        } else {
            (false, y * self.tiles[1] + x * self.side + piece)
        })
    }

    /// Nodes on a tile's side along the side of a cell, by their places there.
    pub(super) fn mask(&self, cell: Place, side: usize, piece: usize) -> u32 {
        match self.index(cell, side, piece) {
            Some((true, i)) => self.right[i],
            Some((false, i)) => self.down[i],
            None => 0,
        }
    }

    /// Sets these nodes, unless it is the edge of the world, and tells whether there were others.
    pub(super) fn set_mask(&mut self, cell: Place, side: usize, piece: usize, mask: u32) -> bool {
        let to = match self.index(cell, side, piece) {
            Some((true, i)) => &mut self.right[i],
            Some((false, i)) => &mut self.down[i],
            None => return false,
        };
        std::mem::replace(to, mask) != mask
    }

    /// The nodes of a cell by side.
    pub(super) fn starts(&self, cell: Place) -> Starts {
        let mut starts = [0; SIDES + 1];
        for side in 0..SIDES {
            let pieces = 0..self.pieces(cell, side);
            let nodes = pieces.map(|piece| self.mask(cell, side, piece).count_ones()).sum::<u32>();
            starts[side + 1] = starts[side] + nodes;
        }
        starts
    }

    /// The masks of a tile's sides, at level 0.
    pub(super) fn masks(&self, tile: Place) -> [u32; SIDES] {
        std::array::from_fn(|side| self.mask(tile, side, 0))
    }

    /// The cell beside another.
    pub(super) fn beside(&self, cell: Place, side: usize) -> Option<Place> {
        beside(self.size, cell, side)
    }

    /// `[units: bytes]`
    pub(super) fn memory_bytes(&self) -> usize {
        let matrices = self.cells.iter().map(|cell| size_of_val(&cell.matrix[..])).sum::<usize>();
        4 * (self.right.capacity() + self.down.capacity())
            + self.cells.capacity() * size_of::<Cell>()
            + matrices
    }
}

impl Cell {
    /// From lengths in 64ths of a cell, which are `far` or more where there is no way.
    pub(super) fn new(starts: Starts, lengths: &[i32], far: i32) -> Self {
        let most = lengths.iter().copied().filter(|&length| length < far).max().unwrap_or(0);
        let mut shift = 0;
        while (most as u32).div_ceil(1 << shift) >= u32::from(NO_WAY) {
            shift += 1;
        }
        let short = |&length: &i32| {
            if length < far { (length as u32).div_ceil(1 << shift) as u16 } else { NO_WAY }
        };
        Self { starts, shift, matrix: lengths.iter().map(short).collect() }
    }

    fn nodes(&self) -> usize {
        self.starts[SIDES] as usize
    }

    /// Lengths from a node to all nodes.
    pub(super) fn row(&self, node: usize) -> &[u16] {
        &self.matrix[node * self.nodes()..(node + 1) * self.nodes()]
    }

    /// `[units: 64ths of a cell]` The length of the way between two nodes.
    pub(super) fn length(&self, a: usize, b: usize) -> Option<i32> {
        let length = self.matrix[a * self.nodes() + b];
        (length != NO_WAY).then(|| i32::from(length) << self.shift)
    }
}

/// The nodes of a side that are kept at the next level: each node that has no kept one near it.
/// Nodes are masks, piece by piece; `is_near` gets their numbers along the side.
pub(super) fn thinned(masks: &[u32], mut is_near: impl FnMut(usize, usize) -> bool) -> Vec<u32> {
    let mut kept: Vec<usize> = Vec::new();
    let mut node = 0;
    let piece = |&mask: &u32| {
        let mut left = 0;
        for place in bits(mask) {
            // The nearest are the latest.
            if !kept.iter().rev().any(|&other| is_near(other, node)) {
                kept.push(node);
                left |= 1 << place;
            }
            node += 1;
        }
        left
    };
    masks.iter().map(piece).collect()
}
