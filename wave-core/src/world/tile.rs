//! Exact ways within a tile: straight lines of sight, from corner to corner of its walls.

use super::sight::{Point, SIDE, SIDES, Sight};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Stands for no way, in a tile.
const NONE: i32 = 1 << 28;
/// Stands for no way, in a matrix.
pub(super) const NO_WAY: u16 = u16::MAX;
/// How many units of sight, 1024ths of a cell, make one of a matrix, a 64th; as a power of two.
pub(super) const FINER: u32 = 4;
/// `[units: 64ths of a cell]` A cell's side.
pub(super) const UNIT: i32 = 64;

/// Works tiles out, and keeps the work space for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Workshop {
    pub(super) sight: Sight,
    /// Straight ways from each point, `[units: 1024ths of a cell]`.
    straight: Vec<i32>,
    /// The points that ways go on to from each corner, and how far they are; and where those of
    /// each corner begin.
    next: Vec<(u32, i32)>,
    first: Vec<usize>,
    lengths: Vec<i32>,
    waits: BinaryHeap<Reverse<(i32, u32)>>,
    done: Vec<bool>,
    values: Vec<i64>,
}

/// The index of a pair of nodes in the matrix of a tile, which has each pair once.
pub(super) fn pair(a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    b * (b - 1) / 2 + a
}

impl Workshop {
    /// Notes the points that are seen from each point.
    fn look(&mut self, first: usize) {
        let points = self.sight.points().len();
        self.straight.clear();
        self.straight.resize(points * points, NONE);
        for (point, row) in self.straight.chunks_exact_mut(points.max(1)).enumerate().skip(first) {
            self.sight.seen_from_point(point, |other, far| row[other] = far as i32);
        }
    }

    /// Lengths of the shortest ways in a tile between all pairs of nodes, rounded up, `[units:
    /// 64ths of a cell]`.
    pub(super) fn matrix(&mut self, rows: &[u32; SIDE], nodes: [u32; SIDES]) -> Box<[u16]> {
        self.sight.reset(rows, nodes, None);
        self.look(0);
        let (n, points) = (self.sight.nodes(), self.sight.points().len());
        // The points that ways go on to from each corner: few among many.
        self.next.clear();
        self.first.clear();
        for row in self.straight.chunks_exact(points.max(1)).skip(n) {
            self.first.push(self.next.len());
            let seen = row.iter().enumerate().filter(|(_, far)| **far < NONE);
            self.next.extend(seen.map(|(to, &far)| (to as u32, far)));
        }
        self.first.push(self.next.len());
        let mut matrix = vec![NO_WAY; n * n.saturating_sub(1) / 2].into_boxed_slice();
        // Only to later nodes, since ways lead in both directions.
        for a in 0..n.saturating_sub(1) {
            let row = a * points..(a + 1) * points;
            self.lengths.clear();
            self.lengths.extend_from_slice(&self.straight[row]);
            self.walk(n);
            for b in a + 1..n {
                if self.lengths[b] < NONE {
                    matrix[pair(a, b)] = ((self.lengths[b] + 15) >> FINER) as u16;
                }
            }
        }
        matrix
    }

    /// Goes on from all corners that were reached, nearest first (Dijkstra's algorithm).
    fn walk(&mut self, nodes: usize) {
        let Self { lengths, next, first, waits, .. } = self;
        let seen = lengths.iter().enumerate().skip(nodes).filter(|(_, far)| **far < NONE);
        waits.extend(seen.map(|(corner, &far)| Reverse((far, corner as u32))));
        while let Some(Reverse((far, corner))) = waits.pop() {
            let corner = corner as usize;
            if far > lengths[corner] {
                continue;
            }
            for &(to, more) in &next[first[corner - nodes]..first[corner - nodes + 1]] {
                let length = far + more;
                if length < lengths[to as usize] {
                    lengths[to as usize] = length;
                    if to as usize >= nodes {
                        waits.push(Reverse((length, to)));
                    }
                }
            }
        }
    }

    /// Lengths of the shortest ways in a tile from a place to all its nodes, rounded up, `[units:
    /// 64ths of a cell]`; [`i32::MAX`] where there is none.
    pub(super) fn lengths_from(
        &mut self,
        rows: &[u32; SIDE],
        nodes: [u32; SIDES],
        at: Point,
        lengths: &mut Vec<i32>,
    ) {
        self.sight.reset(rows, nodes, None);
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.resize(self.sight.points().len(), i64::MAX);
        self.sight.seen_from(at, |other, far| values[other] = far);
        self.spread(&mut values, true);
        let rounded = |value: &i64| match *value {
            i64::MAX => i32::MAX,
            value => ((value + 15) >> FINER) as i32,
        };
        lengths.clear();
        lengths.extend(values[..self.sight.nodes()].iter().map(rounded));
        self.values = values;
    }

    /// Spreads the lengths that are left to go in the tile that sight looks at. Some of its points
    /// have them; corners, and with `to_nodes` nodes as well, get theirs by the shortest ways to
    /// those points.
    pub(super) fn spread(&mut self, values: &mut [i64], to_nodes: bool) {
        let points = self.sight.points().len();
        let (n, end) = (self.sight.nodes(), self.sight.nodes() + self.sight.corners());
        self.look(n);
        for corner in n..end {
            let seen = &self.straight[corner * points..(corner + 1) * points];
            for p in (0..n).chain(end..points) {
                if seen[p] < NONE && values[p] < i64::MAX {
                    values[corner] = values[corner].min(values[p] + i64::from(seen[p]));
                }
            }
        }
        self.done.clear();
        self.done.resize(points, false);
        while let Some(corner) =
            (n..end).filter(|&c| !self.done[c] && values[c] < i64::MAX).min_by_key(|&c| values[c])
        {
            self.done[corner] = true;
            let value = values[corner];
            let seen = &self.straight[corner * points..(corner + 1) * points];
            let first = if to_nodes { 0 } else { n };
            for (other, &far) in seen.iter().enumerate().take(end).skip(first) {
                if far < NONE {
                    values[other] = values[other].min(value + i64::from(far));
                }
            }
        }
    }
}

/// Places with nodes along a side between two tiles, among those where both are open: one in every
/// run, at the ends of a run, where ways turn round walls, and one in about four cells. A run that
/// reaches the corner of a tile goes on in the next tile with the same spacing.
pub(super) fn places(open: u32) -> u32 {
    let mut nodes = 0;
    let mut left = open;
    while left != 0 {
        let from = left.trailing_zeros();
        let len = (left >> from).trailing_ones();
        let before = 2 * u32::from(from == 0);
        let behind = u32::from(from + len == SIDE as u32);
        let long = (len - 1).saturating_sub(before + behind);
        let gaps = (long + 2) / 4;
        if gaps == 0 {
            nodes |= 1 << (from + len / 2);
        } else {
            let place = |i: u32| (2 * i * long + gaps) / (2 * gaps);
            (0..=gaps).for_each(|i| nodes |= 1 << (from + before + place(i)));
        }
        left &= !((((1_u64 << len) - 1) << from) as u32);
    }
    nodes
}

/// The bits of a column of a tile.
pub(super) fn column(rows: &[u32; SIDE], x: usize) -> u32 {
    rows.iter().enumerate().fold(0, |bits, (y, row)| bits | (row >> x & 1) << y)
}

/// The matrix of a tile without walls among such tiles.
pub(super) fn open_matrix(workshop: &mut Workshop) -> Box<[u16]> {
    workshop.matrix(&[u32::MAX; SIDE], [places(u32::MAX); SIDES])
}
