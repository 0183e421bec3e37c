//! A lower bound on the length of the shortest way.
//!
//! A way crosses borders of tiles anywhere, not only at nodes. So each node of a border stands for
//! a stretch of it. A way from stretch to stretch has two lower bounds: the distance between them;
//! and the way between their nodes, less the way from either node to the end of its stretch. By
//! these lengths, the shortest way over stretches is no longer than any real way. It is found best
//! first (Hart, Nilsson and Raphael 1968): the rest of a way is at least the straight line, so the
//! least sum that waits is a bound at any time.

use super::field::{CELL, WorldField};
use super::pyramid::{Pyramid, open_between, rows};
use super::sight::{Point, SIDE, SIDES, bits};
use super::sweeps::place_of;
use super::tile::{FINER, NO_WAY, Workshop, pair};
use crate::error::WaveError;
use crate::grid::{Map, Medium};
use ndarray::Ix2;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// `[units: half cells]` A stretch of a tile's border: its beginning and end along each axis, x
/// first, and the largest distance of an end from its node.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: [i64; 2],
    to: [i64; 2],
    reach: i64,
}

impl Stretch {
    fn place([x, y]: [i64; 2]) -> Self {
        Self { from: [x, y], to: [x, y], reach: 0 }
    }

    fn moved(self, by: [i64; 2]) -> Self {
        let add = |at: [i64; 2]| [at[0] + by[0], at[1] + by[1]];
        Self { from: add(self.from), to: add(self.to), reach: self.reach }
    }

    /// `[units: 1024ths of a cell]` The distance between two stretches, rounded down.
    fn apart(&self, other: &Self) -> i64 {
        let gap = |axis: usize| {
            (other.from[axis] - self.to[axis]).max(self.from[axis] - other.to[axis]).max(0)
        };
        let [dx, dy] = [gap(0), gap(1)];
        // Less one for rounding of the root.
        ((512.0 * ((dx * dx + dy * dy) as f64).sqrt()) as i64 - 1).max(0)
    }

    /// A lower bound between stretches from a length between nodes. It takes back the rounding up
    /// of that: once by a 64th of a cell, and by a 1024th for every corner, of which no two are
    /// nearer than half a cell.
    fn least(&self, other: &Self, length: i64) -> i64 {
        let exact = ((length - 1) << FINER) * 512 / 513;
        (exact - 512 * (self.reach + other.reach)).max(self.apart(other)).max(0)
    }
}

/// A tile as the search sees it.
struct Tile {
    place: [usize; 2],
    /// The stretch of each node, in the tile.
    stretches: Vec<Stretch>,
    /// The key of each node.
    keys: Vec<u32>,
}

/// The key of a node: the tile at whose right or bottom it is, which of the two, and its place
/// there.
fn key(tile: usize, side: usize, place: usize) -> u32 {
    (tile * 2 * SIDE + (side - 2) * SIDE + place) as u32
}

fn tile(map: &Map, pyramid: &Pyramid, place: [usize; 2]) -> Tile {
    let level = &pyramid.levels[0];
    let own = rows(map, place);
    let (mut stretches, mut keys) = (Vec::new(), Vec::new());
    for side in 0..SIDES {
        let Some(other) = level.beside(place, side) else { continue };
        let open = open_between(side, &own, &rows(map, other));
        let last = SIDE - 1;
        let nodes = level.mask(place, side, 0);
        let owner = level.number(if side < 2 { other } else { place });
        for node in bits(nodes) {
            let run = |cells: u32| cells.leading_ones() as usize;
            // The run that the node is in, and the nodes before and behind it there.
            let from = node + 1 - run(open << (last - node));
            let to = node + (open >> node).trailing_ones() as usize;
            let near = (from..node).rev().find(|&i| nodes >> i & 1 == 1);
            let next = (node + 1..to).find(|&i| nodes >> i & 1 == 1);
            let from = near.map_or(2 * from, |i| i + node + 1) as i64;
            let to = next.map_or(2 * to, |i| i + node + 1) as i64;
            let at = 2 * node as i64 + 1;
            let edge = if side < 2 { 0 } else { 2 * SIDE as i64 };
            let along = |i: i64| if side % 2 == 0 { [edge, i] } else { [i, edge] };
            stretches.push(Stretch {
                from: along(from),
                to: along(to),
                reach: (at - from).max(to - at),
            });
            keys.push(key(owner, 2 + side % 2, node));
        }
    }
    Tile { place, stretches, keys }
}

/// The two tiles that a node is between.
fn tiles(pyramid: &Pyramid, key: u32) -> [Option<[usize; 2]>; 2] {
    let level = &pyramid.levels[0];
    let tile = level.place(key as usize / (2 * SIDE));
    let side = 2 + key as usize / SIDE % 2;
    [Some(tile), level.beside(tile, side)]
}

/// A search over stretches.
struct Bound<'a> {
    map: &'a Map,
    pyramid: &'a Pyramid,
    workshop: Workshop,
    target: [usize; 2],
    /// The least distance to each node, indexed by the number of nodes before its tile's.
    known: Vec<i64>,
    first: Vec<u32>,
    waits: BinaryHeap<(Reverse<i64>, i64, u32)>,
}

/// Stands for the target in place of a key.
const TARGET: u32 = u32::MAX;

impl Bound<'_> {
    fn slot(&self, key: u32) -> usize {
        let level = &self.pyramid.levels[0];
        let (tile, side) = (key as usize / (2 * SIDE), 2 + key as usize / SIDE % 2);
        let place = level.place(tile);
        let before = level.mask(place, side, 0) & ((1 << (key as usize % SIDE)) - 1);
        let right = if side == 3 { level.mask(place, 2, 0) } else { 0 };
        (self.first[tile] + before.count_ones() + right.count_ones()) as usize
    }

    /// `[units: half cells]` The point of the map where a tile begins.
    fn origin([y, x]: [usize; 2]) -> [i64; 2] {
        [x, y].map(|i| (i * 2 * SIDE) as i64)
    }

    fn target_place(&self) -> Stretch {
        Stretch::place([self.target[1], self.target[0]].map(|i| 2 * i as i64 + 1))
    }

    fn offer(&mut self, key: u32, far: i64, stretch: Stretch) {
        let slot = self.slot(key);
        if far < self.known[slot] {
            self.known[slot] = far;
            let left = stretch.apart(&self.target_place());
            self.waits.push((Reverse(far + left), far, key));
        }
    }

    /// The least distances of a tile's nodes from a place in it.
    fn lengths_from(&mut self, tile: &Tile, at: Point) -> Vec<Option<i64>> {
        let masks = self.pyramid.levels[0].masks(tile.place);
        let mut lengths = Vec::new();
        self.workshop.lengths_from(&rows(self.map, tile.place), masks, at, &mut lengths);
        let place = Stretch::place(at.map(i64::from));
        let least = |(length, stretch): (&i32, &Stretch)| {
            (*length < i32::MAX).then(|| place.least(stretch, i64::from(*length)))
        };
        lengths.iter().zip(&tile.stretches).map(least).collect()
    }

    /// The least length from a cell to the target within a tile.
    fn within(&mut self, place: [usize; 2], from: Point, to: Point) -> Option<i64> {
        let masks = self.pyramid.levels[0].masks(place);
        self.workshop.sight.reset(&rows(self.map, place), masks, Some(to));
        let mut values = vec![i64::MAX; self.workshop.sight.points().len()];
        if let Some(last) = values.last_mut() {
            *last = 0;
        }
        self.workshop.spread(&mut values, false);
        let mut best = None;
        self.workshop.sight.seen_from(from, |point, far| {
            if values[point] < i64::MAX {
                let far = values[point] + far;
                best = Some(best.map_or(far, |best: i64| best.min(far)));
            }
        });
        best.map(|far| (far * 512 / 513 - 1).max(0))
    }

    /// `[units: 1024ths of a cell]`
    fn run(mut self, cell: [usize; 2]) -> Option<i64> {
        let ((start, at), (end, home)) = (place_of(cell), place_of(self.target));
        let end = tile(self.map, self.pyramid, end);
        let last = self.lengths_from(&end, home);
        let start = tile(self.map, self.pyramid, start);
        let first = self.lengths_from(&start, at);
        for (i, far) in first.into_iter().enumerate() {
            if let Some(far) = far {
                let stretch = start.stretches[i].moved(Self::origin(start.place));
                self.offer(start.keys[i], far, stretch);
            }
        }
        if start.place == end.place
            && let Some(far) = self.within(start.place, at, home)
        {
            self.waits.push((Reverse(far), far, TARGET));
        }
        let centre = Stretch::place([cell[1], cell[0]].map(|i| 2 * i as i64 + 1));
        let mut bound = centre.apart(&self.target_place());
        while let Some((Reverse(sum), far, key)) = self.waits.pop() {
            bound = bound.max(sum);
            if key == TARGET {
                return Some(bound);
            }
            if far > self.known[self.slot(key)] {
                continue;
            }
            for place in tiles(self.pyramid, key).into_iter().flatten() {
                self.leave(place, key, far, (&end, &last));
            }
        }
        None
    }

    /// Goes on from a stretch to all others of a tile.
    fn leave(&mut self, place: [usize; 2], from: u32, far: i64, end: (&Tile, &[Option<i64>])) {
        let tile = tile(self.map, self.pyramid, place);
        let Some(node) = tile.keys.iter().position(|&key| key == from) else { return };
        let origin = Self::origin(place);
        let pyramid = self.pyramid;
        let pairs = pyramid.pairs(place);
        for (other, stretch) in tile.stretches.iter().enumerate().filter(|(i, _)| *i != node) {
            let length = pairs[pair(node, other)];
            if length != NO_WAY {
                let least = tile.stretches[node].least(stretch, i64::from(length));
                self.offer(tile.keys[other], far + least, stretch.moved(origin));
            }
        }
        if place == end.0.place
            && let Some(least) = end.1[node]
        {
            self.waits.push((Reverse(far + least), far + least, TARGET));
        }
    }
}

impl WorldField {
    /// `[units: world units]` A lower and an upper bound on the shortest way from the centre of a
    /// cell to the target; `None` as in [`WorldField::direction`]. Both are proved: no way that
    /// keeps out of walls is shorter than the lower one, and there is a way no longer than the
    /// upper one, which is [`WorldField::length`].
    ///
    /// # Errors
    /// As [`WorldField::direction`].
    ///
    /// # Complexity
    /// It is a check, not for every frame: O(n log n) for the n nodes of all tiles that are near
    /// enough to lie on a way of that length. While it runs, it takes 8 bytes for every node of the
    /// world.
    pub fn bounds(
        &mut self,
        medium: &Medium<Ix2>,
        cell: [usize; 2],
    ) -> Result<Option<[f64; 2]>, WaveError> {
        let leg = self.leg(medium, cell)?;
        let Some((leg, target)) = leg.zip(self.target()) else { return Ok(None) };
        let level = &self.pyramid.levels[0];
        let mut nodes = 0;
        let first = (0..level.count()).map(|i| {
            let before = nodes;
            let place = level.place(i);
            nodes += [2, 3].map(|side| level.mask(place, side, 0).count_ones()).iter().sum::<u32>();
            before
        });
        let first = first.collect();
        let search = Bound {
            map: medium.map(),
            pyramid: &self.pyramid,
            workshop: Workshop::default(),
            target,
            known: vec![i64::MAX; nodes as usize],
            first,
            waits: BinaryHeap::new(),
        };
        let lower = search.run(cell).unwrap_or(leg.left).min(leg.left);
        let in_world = |length: i64| length as f64 / CELL * medium.spacing();
        Ok(Some([in_world(lower), in_world(leg.left)]))
    }
}
