//! Distances to a target: worked out upwards once for each target, and downwards where they are
//! asked for.

use super::levels::{Level, Place};
use super::pyramid::{Pyramid, Room, rows};
use super::search::FAR;
use super::sight::{Point, SIDE, SIDES};
use super::tile::{FINER, NO_WAY, Workshop, pair};
use crate::grid::Map;

/// Values of the cells that were asked for since the target moved.
#[derive(Clone, Debug)]
struct Slots<T> {
    /// For each cell, the round in which it was asked for last, and the place of its values.
    cells: Vec<(u32, u32)>,
    filled: Vec<T>,
    used: usize,
}

/// Values at the nodes of the cells of a block.
#[derive(Clone, Debug, Default)]
struct Block {
    base: Vec<usize>,
    values: Vec<i32>,
}

/// All that depends on where the target is.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    target: Option<[usize; 2]>,
    /// Counts targets and edits.
    round: u32,
    is_up: bool,
    /// For each level, values at the nodes of the target's cell, by ways within it.
    up: Vec<Vec<i32>>,
    /// The blocks of each level from 1 on; the last is that of the world.
    blocks: Vec<Slots<Block>>,
    /// `[units: 1024ths of a cell]` Values at the points of tiles.
    tiles: Slots<Vec<i64>>,
    /// The tile that is looked at.
    seen: Option<usize>,
    /// The number of legs that were asked for.
    work: u64,
    room: Room,
    workshop: Workshop,
}

/// The next straight part of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    /// `[units: half cells]` In the tile.
    pub(super) to: Point,
    /// `[units: 1024ths of a cell]` The length of the rest of the way, this leg included.
    pub(super) left: i64,
    /// The side by which the way leaves the tile there.
    pub(super) exit: Option<usize>,
    pub(super) is_target: bool,
}

impl<T: Clone + Default> Slots<T> {
    fn new(count: usize) -> Self {
        Self { cells: vec![(0, 0); count], filled: Vec::new(), used: 0 }
    }

    fn get(&self, round: u32, cell: usize) -> Option<usize> {
        let (then, slot) = self.cells[cell];
        (then == round).then_some(slot as usize)
    }

    /// A slot for a cell, with whatever was in it.
    fn take(&mut self, round: u32, cell: usize) -> usize {
        if self.used == self.filled.len() {
            self.filled.push(T::default());
        }
        self.cells[cell] = (round, self.used as u32);
        self.used += 1;
        self.used - 1
    }
}

/// The tile of a cell of the map, and the middle of the cell there.
pub(super) fn place_of([y, x]: [usize; 2]) -> (Place, Point) {
    let half = |i: usize| 2 * (i % SIDE) as i32 + 1;
    ([y / SIDE, x / SIDE], [half(x), half(y)])
}

impl Sweeps {
    pub(super) fn new(pyramid: &Pyramid) -> Self {
        let counts = pyramid.levels[1..].iter().map(Level::count);
        Self {
            target: None,
            round: 1,
            is_up: false,
            up: vec![Vec::new(); pyramid.levels.len()],
            blocks: counts.chain([1]).map(Slots::new).collect(),
            tiles: Slots::new(pyramid.levels[0].count()),
            seen: None,
            work: 0,
            room: Room::default(),
            workshop: Workshop::default(),
        }
    }

    pub(super) fn target(&self) -> Option<[usize; 2]> {
        self.target
    }

    /// Room to repair the levels in.
    pub(super) fn room(&mut self) -> (&mut Room, &mut Workshop) {
        self.seen = None;
        (&mut self.room, &mut self.workshop)
    }

    /// Forgets all values.
    pub(super) fn forget(&mut self) {
        self.is_up = false;
        self.seen = None;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.round = 1;
            self.blocks.iter_mut().for_each(|slots| slots.cells.fill((0, 0)));
            self.tiles.cells.fill((0, 0));
        }
        self.blocks.iter_mut().for_each(|slots| slots.used = 0);
        self.tiles.used = 0;
    }

    pub(super) fn aim(&mut self, target: Option<[usize; 2]>) {
        if self.target != target {
            self.target = target;
            self.forget();
        }
    }

    /// Values at the nodes of the cells that hold the target, from the tile upwards.
    fn go_up(&mut self, map: &Map, pyramid: &Pyramid, target: [usize; 2]) {
        let (tile, at) = place_of(target);
        self.seen = None;
        let masks = pyramid.levels[0].masks(tile);
        self.workshop.lengths_from(&rows(map, tile), masks, at, &mut self.up[0]);
        for k in 1..pyramid.levels.len() {
            let cell = tile.map(|i| i / pyramid.levels[k].side);
            pyramid.prepare(k, cell, &mut self.room);
            self.sow_target(pyramid, k, tile);
            pyramid.run(k, cell, &mut self.room);
            let room = &self.room;
            let values = room.border.iter().map(|&(child, node)| room.search.value(child, node));
            self.up[k].clear();
            self.up[k].extend(values);
        }
        self.is_up = true;
    }

    /// Puts the values of the target's cell into the search of the block that it is part of.
    fn sow_target(&mut self, pyramid: &Pyramid, k: usize, tile: Place) {
        let child = tile.map(|i| i / pyramid.levels[k - 1].side);
        let (_, number) = pyramid.parent(k - 1, child);
        for (node, &value) in self.up[k - 1].iter().enumerate() {
            self.room.search.seed(number, node, value);
        }
    }

    /// Values in the block of a cell of level `k`; the world is such a block, a level above the
    /// last.
    fn block(&mut self, pyramid: &Pyramid, k: usize, cell: Place, target: Place) -> usize {
        let is_world = k == pyramid.levels.len();
        let number = if is_world { 0 } else { pyramid.levels[k].number(cell) };
        if let Some(slot) = self.blocks[k - 1].get(self.round, number) {
            return slot;
        }
        let above = (!is_world).then(|| {
            let (parent, child) = pyramid.parent(k, cell);
            (self.block(pyramid, k + 1, parent, target), child)
        });
        pyramid.prepare(k, cell, &mut self.room);
        if let Some((slot, child)) = above {
            let Block { base, values } = &self.blocks[k].filled[slot];
            for (&value, &(child, node)) in values[base[child]..].iter().zip(&self.room.border) {
                self.room.search.seed(child, node, value);
            }
        }
        let own = target.map(|i| i / pyramid.levels.get(k).map_or(usize::MAX, |level| level.side));
        if is_world || own == cell {
            self.sow_target(pyramid, k, target);
        }
        pyramid.run(k, cell, &mut self.room);
        let slot = self.blocks[k - 1].take(self.round, number);
        let Block { base, values } = &mut self.blocks[k - 1].filled[slot];
        base.clear();
        base.extend_from_slice(self.room.search.base());
        values.clear();
        values.extend_from_slice(self.room.search.values());
        slot
    }

    /// Looks at a tile, with the target if it lies in it.
    fn look(&mut self, map: &Map, pyramid: &Pyramid, tile: Place, target: [usize; 2]) {
        let number = pyramid.levels[0].number(tile);
        if self.seen == Some(number) {
            return;
        }
        let (home, at) = place_of(target);
        let mark = (home == tile).then_some(at);
        self.workshop.sight.reset(&rows(map, tile), pyramid.levels[0].masks(tile), mark);
        self.seen = Some(number);
    }

    /// The place of the values at a tile's points, which are worked out if need be.
    fn tile(&mut self, map: &Map, pyramid: &Pyramid, tile: Place, target: [usize; 2]) -> usize {
        let number = pyramid.levels[0].number(tile);
        if let Some(slot) = self.tiles.get(self.round, number) {
            self.look(map, pyramid, tile, target);
            return slot;
        }
        if !self.is_up {
            self.go_up(map, pyramid, target);
        }
        let home = place_of(target).0;
        let (parent, child) = pyramid.parent(0, tile);
        let block = self.block(pyramid, 1, parent, home);
        self.look(map, pyramid, tile, target);
        let slot = self.tiles.take(self.round, number);
        let to = &mut self.tiles.filled[slot];
        let sight = &self.workshop.sight;
        to.clear();
        to.resize(sight.points().len(), i64::MAX);
        let Block { base, values } = &self.blocks[0].filled[block];
        let values = &values[base[child]..base[child + 1]];
        let pairs = pyramid.pairs(tile);
        for (node, &value) in values.iter().enumerate().filter(|(_, value)| **value < FAR) {
            // The way leads out of the tile unless a way within it is as short.
            let from = |other: usize| match pairs[pair(node, other)] {
                NO_WAY => FAR,
                length => values[other].saturating_add(i32::from(length)),
            };
            let within = (0..values.len()).filter(|&other| other != node).map(from).min();
            let straight = (home == tile).then(|| self.up[0][node]);
            if within.into_iter().chain(straight).all(|within| within > value) {
                to[node] = i64::from(value) << FINER;
            }
        }
        if home == tile
            && let Some(last) = to.last_mut()
        {
            *last = 0;
        }
        self.workshop.spread(to, false);
        slot
    }

    /// How the way to the target goes on from a place in a tile; `None` if there is none.
    pub(super) fn leg(
        &mut self,
        map: &Map,
        pyramid: &Pyramid,
        tile: Place,
        at: Point,
    ) -> Option<Leg> {
        let target = self.target?;
        self.work += 1;
        let slot = self.tile(map, pyramid, tile, target);
        let values = &self.tiles.filled[slot];
        let mut best: Option<(i64, usize)> = None;
        self.workshop.sight.seen_from(at, |point, far| {
            if values[point] < i64::MAX {
                let way = (values[point] + far, point);
                best = Some(best.map_or(way, |best| best.min(way)));
            }
        });
        let sight = &self.workshop.sight;
        let (left, point) = best?;
        let to = sight.points()[point];
        let is_target = place_of(target) == (tile, to);
        let exit = (point < sight.nodes()).then(|| sight.side_of(point).0);
        Some(Leg { to, left, exit, is_target })
    }

    /// The number of legs that were asked for so far.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Tiles in which values are known.
    pub(super) fn filled_tiles(&self) -> usize {
        self.tiles.used
    }

    /// `[units: bytes]`
    pub(super) fn memory_bytes(&self) -> usize {
        let blocks = self.blocks.iter().map(|slots| {
            let filled = slots.filled.iter();
            8 * slots.cells.capacity()
                + filled.map(|b| 8 * b.base.capacity() + 4 * b.values.capacity()).sum::<usize>()
        });
        let tiles = self.tiles.filled.iter().map(|values| 8 * values.capacity() + 24);
        blocks.sum::<usize>() + 8 * self.tiles.cells.capacity() + tiles.sum::<usize>()
    }
}

/// The same point of the tile beside, across a side.
pub(super) fn across([x, y]: Point, side: usize) -> Point {
    let width = 2 * SIDE as i32;
    debug_assert!(side < SIDES);
    match side {
        0 => [x + width, y],
        1 => [x, y + width],
        2 => [x - width, y],
        _ => [x, y - width],
    }
}

/// `[units: cells]` Where a point of a tile is on the map, x first, 0 at the first cell's middle.
pub(super) fn on_map([y, x]: Place, at: Point) -> [f64; 2] {
    let coordinate = |tile: usize, half: i32| (tile * SIDE) as f64 + f64::from(half) / 2.0 - 0.5;
    [coordinate(x, at[0]), coordinate(y, at[1])]
}
