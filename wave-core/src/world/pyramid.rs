//! All levels of a world: how they are built, and repaired after edits.

use super::levels::{Cell, FACTOR, Level, Place, Starts, levels, thinned};
use super::search::{CellWays, FAR, Search, TileWays};
use super::sight::{SIDE, SIDES};
use super::tile::{NO_WAY, UNIT, Workshop, column, open_matrix, pair, places};
use crate::grid::Map;
use crate::parallel::{each, each_in};

/// Tiles, and levels of cells made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pyramid {
    /// Level 0 are the tiles.
    pub(super) levels: Vec<Level>,
    /// The matrix of each tile; `None` for open ground, of which all have the same.
    tiles: Vec<Option<Box<[u16]>>>,
    open: Box<[u16]>,
    /// By level, the cells whose ways have changed while the levels above do not know it yet.
    changed: Vec<Vec<usize>>,
}

/// Work space for a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    pub(super) search: Search,
    tiles: TileWays,
    /// The nodes on the border of the block: the cell, and the node in it.
    pub(super) border: Vec<(usize, usize)>,
}

/// The rows of a tile: a bit for each open cell.
pub(super) fn rows(map: &Map, [y, x]: Place) -> [u32; SIDE] {
    let [_, ny, nx] = map.size();
    let width = (nx - x * SIDE).min(SIDE);
    let inside = u32::MAX >> (SIDE - width);
    std::array::from_fn(|row| {
        let y = y * SIDE + row;
        if y < ny { map.open().word(map.number([0, y, x * SIDE])) as u32 & inside } else { 0 }
    })
}

/// Places along the side of a tile that are open there and in the tile beside, by their rows.
pub(super) fn open_between(side: usize, here: &[u32; SIDE], there: &[u32; SIDE]) -> u32 {
    let last = SIDE - 1;
    match side {
        0 => column(here, 0) & column(there, last),
        1 => here[0] & there[last],
        2 => column(here, last) & column(there, 0),
        _ => here[last] & there[0],
    }
}

impl Pyramid {
    pub(super) fn new(map: &Map) -> Self {
        let [_, ny, nx] = map.size();
        let levels = levels([ny.div_ceil(SIDE), nx.div_ceil(SIDE)]);
        let mut pyramid = Self {
            tiles: Vec::new(),
            open: open_matrix(&mut Workshop::default()),
            changed: vec![Vec::new(); levels.len()],
            levels,
        };
        let count = pyramid.levels[0].count();
        let masks = each((0..count).collect(), |i| {
            let tile = pyramid.levels[0].place(i);
            [2, 3].map(|side| pyramid.side_nodes(map, tile, side))
        });
        for (i, masks) in masks.into_iter().enumerate() {
            let tile = pyramid.levels[0].place(i);
            for (side, mask) in [2, 3].into_iter().zip(masks) {
                pyramid.levels[0].set_mask(tile, side, 0, mask);
            }
        }
        let work =
            |room: &mut Workshop, i| pyramid.worked_out(map, pyramid.levels[0].place(i), room);
        pyramid.tiles = each_in((0..count).collect(), Workshop::default, work);
        for k in 1..pyramid.levels.len() {
            pyramid.build_level(k);
        }
        pyramid
    }

    /// Nodes of a tile's side.
    fn side_nodes(&self, map: &Map, tile: Place, side: usize) -> u32 {
        let other = self.levels[0].beside(tile, side);
        other.map_or(0, |other| places(open_between(side, &rows(map, tile), &rows(map, other))))
    }

    /// The matrix of a tile.
    fn worked_out(&self, map: &Map, tile: Place, room: &mut Workshop) -> Option<Box<[u16]>> {
        let (rows, masks) = (rows(map, tile), self.levels[0].masks(tile));
        let is_open = rows == [u32::MAX; SIDE] && masks == [places(u32::MAX); SIDES];
        (!is_open).then(|| room.matrix(&rows, masks))
    }

    /// The pairs of a tile.
    pub(super) fn pairs(&self, tile: Place) -> &[u16] {
        self.tiles[self.levels[0].number(tile)].as_ref().unwrap_or(&self.open)
    }

    fn build_level(&mut self, k: usize) {
        let below = &self.levels[k - 1];
        let chosen = each((0..below.count()).collect(), |i| {
            [2, 3].map(|side| self.chosen(k, below.place(i), side))
        });
        for (i, masks) in chosen.into_iter().enumerate() {
            let child = self.levels[k - 1].place(i);
            for (side, masks) in [2, 3].into_iter().zip(masks) {
                self.choose(k, child, side, &masks);
            }
        }
        let level = &self.levels[k];
        let cells = each_in((0..level.count()).collect(), Room::default, |room, i| {
            let cell = level.place(i);
            self.prepare(k, cell, room);
            let nodes = room.border.len();
            let mut lengths = vec![FAR; nodes * nodes];
            for (node, row) in lengths.chunks_exact_mut(nodes.max(1)).enumerate() {
                self.row(k, cell, room, node, row);
            }
            Cell::new(level.starts(cell), &lengths, FAR)
        });
        self.levels[k].cells = cells;
    }

    /// The cell of the next level that holds a cell, and the cell's number in that block.
    pub(super) fn parent(&self, k: usize, cell: Place) -> (Place, usize) {
        if k + 1 == self.levels.len() {
            return ([0; 2], self.levels[k].number(cell));
        }
        let parent = cell.map(|i| i / FACTOR);
        let [y, x] = cell.map(|i| i % FACTOR);
        (parent, y * self.block(k + 1, parent).1[1] + x)
    }

    /// The cells of the level below that a cell of level `k` is made of: the first, and how many
    /// along y and x. Above the last level is one cell, the world.
    fn block(&self, k: usize, cell: Place) -> (Place, Place) {
        let below = &self.levels[k - 1];
        if k == self.levels.len() {
            return ([0; 2], below.size);
        }
        let first = cell.map(|i| i * FACTOR);
        (first, std::array::from_fn(|axis| FACTOR.min(below.size[axis] - first[axis])))
    }

    /// Which of the nodes between two cells are nodes of level `k`, if the side is part of a border
    /// there.
    fn chosen(&self, k: usize, child: Place, side: usize) -> Vec<u32> {
        let below = &self.levels[k - 1];
        let Some(other) = below.beside(child, side) else { return Vec::new() };
        if other.map(|i| i / FACTOR) == child.map(|i| i / FACTOR) {
            return Vec::new();
        }
        let masks: Vec<u32> =
            (0..below.pieces(child, side)).map(|i| below.mask(child, side, i)).collect();
        // A 32nd of a cell's side; of larger cells, where ways are long beside it, a 16th.
        let near = self.levels[k].side as i32 * UNIT * if k == 1 { 1 } else { 2 };
        let ends = [(child, side), (other, (side + 2) % SIDES)].map(|(cell, side)| {
            let starts = self.starts(k - 1, cell);
            (cell, starts[side] as usize)
        });
        thinned(&masks, |a, b| {
            ends.iter().all(|&(cell, first)| {
                self.length(k - 1, cell, first + a, first + b).is_some_and(|length| length <= near)
            })
        })
    }

    /// Takes over nodes that were [chosen](Pyramid::chosen), and tells whether they differ from
    /// those before.
    fn choose(&mut self, k: usize, child: Place, side: usize, masks: &[u32]) -> bool {
        let along = child[side % 2] % FACTOR * self.levels[k - 1].side;
        let cell = child.map(|i| i / FACTOR);
        let mut is_new = false;
        for (i, &mask) in masks.iter().enumerate() {
            is_new |= self.levels[k].set_mask(cell, side, along + i, mask);
        }
        is_new
    }

    fn starts(&self, k: usize, cell: Place) -> Starts {
        let level = &self.levels[k];
        if k == 0 { level.starts(cell) } else { level.cells[level.number(cell)].starts }
    }

    /// `[units: 64ths of a cell]` The length of the way between two nodes of a cell, within it.
    fn length(&self, k: usize, cell: Place, a: usize, b: usize) -> Option<i32> {
        if k > 0 {
            let level = &self.levels[k];
            return level.cells[level.number(cell)].length(a, b);
        }
        if a == b {
            return Some(0);
        }
        let length = self.pairs(cell)[pair(a, b)];
        (length != NO_WAY).then(|| i32::from(length))
    }

    /// Makes room for a search in the block of a cell of level `k`, and finds its border.
    pub(super) fn prepare(&self, k: usize, cell: Place, room: &mut Room) {
        let (first, size) = self.block(k, cell);
        let children = || {
            (0..size[0]).flat_map(move |y| (0..size[1]).map(move |x| [first[0] + y, first[1] + x]))
        };
        room.search.reset(size, children().map(|child| self.starts(k - 1, child)));
        room.tiles.clear();
        if k == 1 {
            for (i, tile) in children().enumerate() {
                room.tiles.add(room.search.starts(i)[SIDES] as usize, self.pairs(tile));
            }
        }
        room.border.clear();
        if k == self.levels.len() {
            return;
        }
        let (level, below) = (&self.levels[k], &self.levels[k - 1]);
        for side in 0..SIDES {
            // Cells along the side.
            let axis = side % 2;
            for along in 0..size[axis] {
                let mut at = if side < 2 { [0; 2] } else { size.map(|n| n - 1) };
                at[axis] = along;
                let child = at[0] * size[1] + at[1];
                let place = [first[0] + at[0], first[1] + at[1]];
                let mut node = room.search.starts(child)[side] as usize;
                for piece in 0..below.pieces(place, side) {
                    let all = below.mask(place, side, piece);
                    let kept = level.mask(cell, side, along * below.side + piece);
                    for bit in super::sight::bits(kept) {
                        let before = (all & ((1 << bit) - 1)).count_ones() as usize;
                        room.border.push((child, node + before));
                    }
                    node += all.count_ones() as usize;
                }
            }
        }
    }

    /// Runs a search in a block that was prepared.
    pub(super) fn run(&self, k: usize, cell: Place, room: &mut Room) {
        let below = &self.levels[k - 1];
        let apart = (below.side * SIDE) as i32 * UNIT / 2;
        if k == 1 {
            room.search.run(&room.tiles, apart);
            return;
        }
        let (first, size) = self.block(k, cell);
        let ways = CellWays {
            cells: &below.cells,
            first: below.number(first),
            columns: [below.size[1], size[1]],
        };
        room.search.run(&ways, apart);
    }

    /// Lengths of the ways from a node of a block's border to all of them.
    fn row(&self, k: usize, cell: Place, room: &mut Room, node: usize, lengths: &mut [i32]) {
        room.search.forget();
        let (child, place) = room.border[node];
        room.search.seed(child, place, 0);
        self.run(k, cell, room);
        for (length, &(child, node)) in lengths.iter_mut().zip(&room.border) {
            *length = room.search.value(child, node);
        }
    }

    /// Works out again the tiles with edited cells, and neighbouring tiles where nodes between them
    /// have changed.
    pub(super) fn repair_tiles(&mut self, map: &Map, edited: &mut Vec<usize>, room: &mut Workshop) {
        edited.sort_unstable();
        edited.dedup();
        for &i in &*edited {
            let tile = self.levels[0].place(i);
            for side in 0..SIDES {
                let nodes = self.side_nodes(map, tile, side);
                if self.levels[0].set_mask(tile, side, 0, nodes)
                    && let Some(other) = self.levels[0].beside(tile, side)
                {
                    self.changed[0].extend([i, self.levels[0].number(other)]);
                }
            }
        }
        // Tiles that still wait from earlier, and those whose nodes have changed.
        edited.extend_from_slice(&self.changed[0]);
        edited.sort_unstable();
        edited.dedup();
        for &i in &*edited {
            let matrix = self.worked_out(map, self.levels[0].place(i), room);
            if std::mem::replace(&mut self.tiles[i], matrix) != self.tiles[i] {
                self.changed[0].push(i);
            }
        }
    }

    /// Whether all levels know of all edits.
    pub(super) fn is_fresh(&self) -> bool {
        self.changed.iter().all(Vec::is_empty)
    }

    /// Works out again all cells that depend on changed ones, level by level.
    pub(super) fn refresh(&mut self, room: &mut Room) {
        for k in 1..self.levels.len() {
            let mut changed = std::mem::take(&mut self.changed[k - 1]);
            changed.sort_unstable();
            changed.dedup();
            // Cells by number, and whether their nodes have changed.
            let mut stale: Vec<(usize, bool)> = Vec::new();
            for &i in &changed {
                let child = self.levels[k - 1].place(i);
                let own = self.levels[k].number(child.map(|i| i / FACTOR));
                stale.push((own, false));
                for side in 0..SIDES {
                    if let Some(other) = self.chosen_again(k, child, side) {
                        stale.extend([(own, true), (other, true)]);
                    }
                }
            }
            changed.clear();
            self.changed[k - 1] = changed;
            stale.sort_unstable_by_key(|&(i, is_other)| (i, !is_other));
            stale.dedup_by_key(|(i, _)| *i);
            for (i, is_other) in stale {
                // Even unchanged ways count as changed if they lead between other nodes.
                if self.cell_again(k, i, room) || is_other {
                    self.changed[k].push(i);
                }
            }
        }
        if let Some(last) = self.changed.last_mut() {
            last.clear();
        }
    }

    /// Chooses nodes between two cells again; if they are others, the cell of level `k` across.
    fn chosen_again(&mut self, k: usize, child: Place, side: usize) -> Option<usize> {
        let other = self.levels[k - 1].beside(child, side)?;
        // Nodes along a side are chosen from its left or its top.
        let masks =
            if side < 2 { self.chosen(k, other, side + 2) } else { self.chosen(k, child, side) };
        let is_new = self.choose(k, child, side, &masks);
        is_new.then(|| self.levels[k].number(other.map(|i| i / FACTOR)))
    }

    /// Works a cell out again, and tells whether its ways have changed.
    fn cell_again(&mut self, k: usize, i: usize, room: &mut Room) -> bool {
        let cell = self.levels[k].place(i);
        self.prepare(k, cell, room);
        let (nodes, room) = (room.border.len(), &*room);
        let rows = each_in(
            (0..nodes).collect(),
            || room.clone(),
            |room, node| {
                let mut row = vec![FAR; nodes];
                self.row(k, cell, room, node, &mut row);
                row
            },
        );
        let made = Cell::new(self.levels[k].starts(cell), &rows.concat(), FAR);
        let old = &mut self.levels[k].cells[i];
        let is_new = *old != made;
        *old = made;
        is_new
    }

    /// `[units: bytes]`
    pub(super) fn memory_bytes(&self) -> usize {
        let tiles = self.tiles.iter().flatten().map(|pairs| size_of_val(&pairs[..]));
        tiles.sum::<usize>()
            + self.tiles.capacity() * size_of::<Option<Box<[u16]>>>()
            + size_of_val(&self.open[..])
            + self.levels.iter().map(Level::memory_bytes).sum::<usize>()
    }
}
