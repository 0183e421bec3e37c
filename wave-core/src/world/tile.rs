//! Ways within a tile, exactly: straight from sight to sight, round the corners of walls.

use super::sight::{Point, SIDE, SIDES, Sight};

/// No way, in a tile.
const NONE: i32 = 1 << 28;
/// No way, in a matrix.
pub(super) const NO_WAY: u16 = u16::MAX;
/// How many of the units of sight are one of a matrix, as a power of two: 1024ths of a cell, and
/// 64ths.
pub(super) const FINER: u32 = 4;
/// `[units: 64ths of a cell]` A cell's side.
pub(super) const UNIT: i32 = 64;

/// What works tiles out, and its room to do so.
#[derive(Clone, Debug, Default)]
pub(super) struct Workshop {
    pub(super) sight: Sight,
    /// Straight ways from each point, `[units: 1024ths of a cell]`.
    straight: Vec<i32>,
    /// From a node to each corner.
    to_corner: Vec<i32>,
    done: Vec<bool>,
    values: Vec<i64>,
}

/// Where pairs of nodes are in the matrix of a tile; of each pair there is one.
pub(super) fn pair(a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    b * (b - 1) / 2 + a
}

/// Lets a way through each corner in turn be one of the ways to all points: what is in `to` from
/// what is in `by`.
fn shorten(to: &mut [i32], by: &[i32], first: i32) {
    for (to, &by) in to.iter_mut().zip(by) {
        *to = (*to).min(first + by);
    }
}

impl Workshop {
    /// What is seen from each point.
    fn look(&mut self, first: usize) {
        let points = self.sight.points().len();
        self.straight.clear();
        self.straight.resize(points * points, NONE);
        for (point, row) in self.straight.chunks_exact_mut(points.max(1)).enumerate().skip(first) {
            self.sight.from_point(point, |other, far| row[other] = far as i32);
        }
    }

    /// Lengths of the shortest ways in a tile between all pairs of nodes, rounded up, `[units:
    /// 64ths of a cell]`.
    pub(super) fn matrix(&mut self, rows: &[u32; SIDE], nodes: [u32; SIDES]) -> Box<[u16]> {
        self.sight.reset(rows, nodes, None);
        self.look(0);
        let (n, corners) = (self.sight.nodes(), self.sight.corners());
        let points = n + corners;
        // From corner to corner, by Floyd and Warshall.
        for by in n..points {
            let (start, end) = (by * points + n, (by + 1) * points);
            self.straight[by * points + by] = 0;
            self.to_corner.clear();
            self.to_corner.extend_from_slice(&self.straight[start..end]);
            for from in n..points {
                let row = &mut self.straight[from * points + n..(from + 1) * points];
                let first = row[by - n];
                if first < NONE && from != by {
                    shorten(row, &self.to_corner, first);
                }
            }
        }
        let (to_nodes, from_corners) = self.straight.split_at_mut(n * points);
        let mut matrix = vec![NO_WAY; n * n.saturating_sub(1) / 2].into_boxed_slice();
        for (a, row) in to_nodes.chunks_exact_mut(points.max(1)).enumerate() {
            let (row, seen) = row.split_at_mut(n);
            let rows = || from_corners.chunks_exact(points.max(1));
            self.to_corner.clear();
            self.to_corner.resize(corners, NONE);
            for (&first, by) in seen.iter().zip(rows()).filter(|(first, _)| **first < NONE) {
                shorten(&mut self.to_corner, &by[n..], first);
            }
            for (&first, by) in self.to_corner.iter().zip(rows()) {
                if first < NONE {
                    shorten(&mut row[a + 1..], &by[a + 1..n], first);
                }
            }
            for b in a + 1..n {
                if row[b] < NONE {
                    matrix[pair(a, b)] = ((row[b] + 15) >> FINER) as u16;
                }
            }
        }
        matrix
    }

    /// Lengths of the shortest ways in a tile from a place to all its nodes, rounded up, `[units:
    /// 64ths of a cell]`; [`i32::MAX`] where there is none.
    pub(super) fn from_place(
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
        self.sight.from_place(at, |other, far| values[other] = far);
        self.spread(&mut values, true);
        let rounded = |value: &i64| match *value {
            i64::MAX => i32::MAX,
            value => ((value + 15) >> FINER) as i32,
        };
        lengths.clear();
        lengths.extend(values[..self.sight.nodes()].iter().map(rounded));
        self.values = values;
    }

    /// What is left to go from the points of the tile that sight looks at, where some of them know:
    /// corners, and nodes if they are asked for, get it by the shortest ways to those.
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

/// Places with nodes along a side between two tiles, of those where both are open: one in every
/// four cells of a run, and one in every run.
pub(super) fn places(open: u32) -> u32 {
    const APART: u32 = 4;
    let mut nodes = 0;
    let mut left = open;
    while left != 0 {
        let from = left.trailing_zeros();
        let len = (left >> from).trailing_ones();
        let count = len.div_ceil(APART);
        for i in 0..count {
            nodes |= 1 << (from + (2 * i + 1) * len / (2 * count));
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
