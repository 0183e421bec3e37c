//! Jumps over a cell that is lower now.

use crate::dynamic::{Dynamic, Edit};
use crate::graph::JumpGraph;
use crate::groups::NONE;
use crate::relief::{SMALL, small_tile, small_tiles};
use crate::settle::Asked;

impl Dynamic {
    /// Jumps over an edited cell, but for those from and to some cells. One end at least of each that
    /// matters is outside the largest region.
    pub(crate) fn ask_over(&self, graph: &JumpGraph, edit: Edit, cells: &[u32], asked: &mut Asked) {
        let shape = graph.terrain().shape();
        let down = small_tiles(shape);
        let heights = graph.terrain().heights();
        let around = self.outside_around(graph, edit.cell, edit.reach);
        let over = graph.terrain().cell(edit.cell).map(|v| v as f64);
        let wide = if graph.is_point() { 0.0 } else { 1.0 };
        let (mut ahead, mut own_tile) = (Vec::new(), usize::MAX);
        for cell in around.into_iter().filter(|cell| !cells.contains(cell)) {
            let (i, own) = (cell as usize, self.labels[cell as usize]);
            let tile = small_tile(shape, i);
            if tile != own_tile {
                own_tile = tile;
                ahead.clear();
                tiles_behind(graph, tile, edit, down, &mut ahead);
            }
            let is_left = !self.leading.leads(self.main, own);
            let at = graph.terrain().cell(i).map(|v| v as f64);
            for &tile in &ahead {
                let [low, high] = graph.relief().of_small(tile);
                // It is further to the other end than to the edited cell along either axis.
                let first = [tile / down[1], tile % down[1]].map(|v| (v * SMALL) as f64);
                let gap = |a: usize| {
                    let tile = (first[a] - at[a]).max(at[a] - first[a] - (SMALL - 1) as f64);
                    (tile.max((over[a] - at[a]).abs() - wide) - 1.0).max(0.0)
                };
                let most = graph.most_gain(gap(0) * gap(0) + gap(1) * gap(1));
                let leaves = graph.reaches(low - heights[i], most)
                    && !self.tiles.all(tile, |label| self.leading.leads(own, label));
                let comes = is_left
                    && graph.reaches(heights[i] - high, most)
                    && !self.tiles.all(tile, |label| label != self.main);
                if !leaves && !comes {
                    continue;
                }
                let mut look = |j: usize| {
                    let label = self.labels[j];
                    if label == NONE || label == own {
                        return;
                    }
                    let gain = heights[j] - heights[i];
                    let leads = |from: u32, to: u32| self.leading.leads(from, to);
                    if leaves && graph.reaches(gain, most) && !leads(own, label) {
                        self.ask(graph, (cell, j as u32), asked);
                    }
                    if comes && label == self.main && graph.reaches(-gain, most) {
                        self.ask(graph, (j as u32, cell), asked);
                    }
                };
                tile_cells_behind(graph, tile, [i, edit.cell], &mut look);
            }
        }
    }

    /// The cells outside the largest region within reach of one.
    fn outside_around(&self, graph: &JumpGraph, cell: usize, reach: usize) -> Vec<u32> {
        let shape @ [rows, columns] = graph.terrain().shape();
        let down = small_tiles(shape);
        let at = graph.terrain().cell(cell);
        let (low, high) = (at.map(|v| v.saturating_sub(reach)), at.map(|v| v + reach));
        let (span, tile) = (reach.div_ceil(SMALL), small_tile(shape, cell));
        let around = |at: usize, n: usize| at.saturating_sub(span)..(at + span + 1).min(n);
        let mut found = Vec::new();
        for ty in around(tile / down[1], down[0]) {
            for tx in around(tile % down[1], down[1]) {
                if self.tiles.all(ty * down[1] + tx, |only| only == self.main) {
                    continue;
                }
                let (y, x) = (ty * SMALL, tx * SMALL);
                for y in y.max(low[0])..(y + SMALL).min(rows).min(high[0] + 1) {
                    for x in x.max(low[1])..(x + SMALL).min(columns).min(high[1] + 1) {
                        let label = self.labels[y * columns + x];
                        if label != self.main && label != NONE {
                            found.push((y * columns + x) as u32);
                        }
                    }
                }
            }
        }
        found
    }
}

/// Calls `each` with the cells of a small tile such that a flight between them and the first one of two
/// cells may pass over the second; see [`crate::certificate::passes`].
fn tile_cells_behind(
    graph: &JumpGraph,
    tile: usize,
    cells: [usize; 2],
    each: &mut impl FnMut(usize),
) {
    let shape @ [rows, columns] = graph.terrain().shape();
    let across = small_tiles(shape)[1];
    let [from, over] = cells.map(|i| graph.terrain().cell(i).map(|v| v as isize));
    let wide = isize::from(!graph.is_point());
    let way = [0, 1].map(|a| over[a] - from[a]);
    let span = |axis: usize, first: usize, n: usize| {
        let (first, end) = (first as isize, (first + SMALL).min(n) as isize);
        let low = if way[axis] > wide { first.max(over[axis] - wide) } else { first };
        let high = if way[axis] < -wide { end.min(over[axis] + wide + 1) } else { end };
        low..high
    };
    let xs = span(1, tile % across * SMALL, columns);
    for y in span(0, tile / across * SMALL, rows) {
        for x in xs.clone() {
            let (dy, dx) = (y - from[0], x - from[1]);
            if wide > 0 || (dy * way[1] - dx * way[0]).abs() <= dy.abs() + dx.abs() {
                each(y as usize * columns + x as usize);
            }
        }
    }
}

/// The small tiles where a flight from another one, or to it, may end that passes over an edited cell.
fn tiles_behind(
    graph: &JumpGraph,
    tile: usize,
    edit: Edit,
    [down, across]: [usize; 2],
    found: &mut Vec<usize>,
) {
    let at = [tile / across, tile % across];
    let over = graph.terrain().cell(edit.cell).map(|v| v as f64);
    let (side, own) = (SMALL as f64, graph.relief().of_small(tile));
    let wide = if graph.is_point() { 0.0 } else { 1.0 };
    let span = edit.reach.div_ceil(SMALL);
    let around =
        |axis: usize, n: usize| at[axis].saturating_sub(span)..(at[axis] + span + 1).min(n);
    // From the one tile's cells to the edited one, along each axis.
    let first = at.map(|v| v as f64 * side);
    let aside = [0, 1].map(|a| [over[a] - first[a] - side + 1.0, over[a] - first[a]]);
    let product = |a: [f64; 2], b: [f64; 2]| {
        let all = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
        all.into_iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    };
    for ty in around(0, down) {
        for tx in around(1, across) {
            let other = [ty as f64 * side, tx as f64 * side];
            let ahead = [0, 1].map(|a| {
                let way = other[a] - first[a];
                [way - side + 1.0, way + side - 1.0]
            });
            // The edited cell lies between, along each axis.
            let between = |a: usize| {
                let [low, high] = [first[a].min(other[a]), first[a].max(other[a]) + side - 1.0];
                low - wide <= over[a] && over[a] <= high + wide
            };
            let (one, two) = (product(ahead[0], aside[1]), product(ahead[1], aside[0]));
            let far = |axis: usize| ahead[axis][0].abs().max(ahead[axis][1].abs());
            let most = far(0) + far(1);
            let meets = wide > 0.0 || (one[0] - two[1] <= most && one[1] - two[0] >= -most);
            if !(between(0) && between(1) && meets) {
                continue;
            }
            let gap = |a: usize| {
                let edited = aside[a][0].max(-aside[a][1]) - wide - 1.0;
                ((other[a] - first[a]).abs() - side).max(edited).max(0.0)
            };
            let most = graph.most_gain(gap(0) * gap(0) + gap(1) * gap(1));
            let other = graph.relief().of_small(ty * across + tx);
            if graph.reaches(other[0] - own[1], most) || graph.reaches(own[0] - other[1], most) {
                found.push(ty * across + tx);
            }
        }
    }
}
