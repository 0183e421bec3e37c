//! Jumps over a cell that is lower now.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::jump::relief::{SMALL, small_tile, small_tiles};
use crate::level::certificate::passes_over;
use crate::level::dynamic::{Dynamic, Edit};
use crate::level::settle::Asked;

impl Dynamic {
    /// Jumps over an edited cell, but for those from and to some cells.
    pub(crate) fn ask_over(&self, graph: &JumpGraph, edit: Edit, cells: &[u32], asked: &mut Asked) {
        let shape = graph.terrain().shape();
        let down = small_tiles(shape);
        let heights = graph.terrain().heights();
        let edited = graph.terrain().cell(edit.cell);
        let over = edited.map(|v| v as f64);
        let wide = if graph.is_point() { 0.0 } else { 1.0 };
        let (mut ahead, mut own_tile) = (Vec::new(), usize::MAX);
        let launches = launches_over(graph, edit);
        for i in launches {
            let own = self.labels[i];
            if own == NONE || cells.contains(&(i as u32)) {
                continue;
            }
            let tile = small_tile(shape, i);
            if tile != own_tile {
                own_tile = tile;
                ahead.clear();
                tiles_behind(graph, tile, edit, down, &mut ahead);
            }
            let launch = graph.terrain().cell(i);
            let at = launch.map(|v| v as f64);
            for Ahead { tile, of, others } in &mut ahead {
                let low = graph.relief().of_small(*tile)[0];
                if heights[i].min(low) >= edit.was {
                    continue;
                }
                if *of != own {
                    (*of, *others) = (own, self.not_led(own, *tile));
                }
                if *others == 0 {
                    continue;
                }
                // It is further to the other end than to the edited cell along either axis.
                let first = [*tile / down[1], *tile % down[1]].map(|v| v * SMALL);
                let gap = |a: usize| {
                    let first = first[a] as f64;
                    let tile = (first - at[a]).max(at[a] - first - (SMALL - 1) as f64);
                    (tile.max((over[a] - at[a]).abs() - wide) - 1.0).max(0.0)
                };
                let most = graph.most_gain(gap(0) * gap(0) + gap(1) * gap(1));
                if !graph.reaches(low - heights[i], most) {
                    continue;
                }
                let mut left = *others;
                while left != 0 {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let landing = [first[0] + bit / SMALL, first[1] + bit % SMALL];
                    let j = landing[0] * shape[1] + landing[1];
                    let ends = [launch, landing, edited].map(|cell| cell.map(|v| v as isize));
                    if heights[i].min(heights[j]) < edit.was
                        && passes_over(ends, graph.is_point())
                        && graph.reaches(heights[j] - heights[i], most)
                    {
                        self.ask(graph, (i as u32, j as u32), asked);
                    }
                }
            }
        }
    }

    /// The cells of a small tile to whose regions one does not lead, a bit for each, row by row.
    fn not_led(&self, own: u32, tile: usize) -> u64 {
        let is_led = |label: u32| label == NONE || self.leading.leads(own, label);
        if self.tiles.all(tile, is_led) {
            return 0;
        }
        let (mut found, mut last, mut last_is_led) = (0, NONE, true);
        for (dy, row) in self.tiles.rows(&self.labels, tile).enumerate() {
            for (dx, &label) in row.iter().enumerate() {
                if label != last {
                    (last, last_is_led) = (label, is_led(label));
                }
                found |= u64::from(!last_is_led) << (dy * SMALL + dx);
            }
        }
        found
    }
}

/// A small tile where flights over the edited cell may end.
struct Ahead {
    tile: usize,
    /// The region of whose launches `others` is known; NONE: of none yet.
    of: u32,
    /// Cells of the tile to whose regions that one does not lead, as [`Dynamic::not_led`].
    others: u64,
}

const _: () = assert!(SMALL * SMALL == 64, "a bit for every cell of a small tile");

/// The cells from which a flight may lead over an edited cell: it is within their reach. All those
/// within the reach of anything where the cell had no data before.
fn launches_over(graph: &JumpGraph, edit: Edit) -> Vec<usize> {
    let shape @ [rows, columns] = graph.terrain().shape();
    let (down, heights) = (small_tiles(shape), graph.terrain().heights());
    let (at, reach) = (graph.terrain().cell(edit.cell), edit.reach);
    let (low, high) = (at.map(|v| v.saturating_sub(reach)), at.map(|v| v + reach));
    let (span, tile) = (reach.div_ceil(SMALL), small_tile(shape, edit.cell));
    let around = |at: usize, n: usize| at.saturating_sub(span)..(at + span + 1).min(n);
    let wide = if graph.is_point() { 1.0 } else { 2.0 };
    let ground = heights[edit.cell];
    // Whether one gets so high over the edited cell from at most `z`, that far away along the axes.
    let gets = |z: f64, away: [usize; 2]| {
        let [dy, dx] = away.map(|d| (d as f64 - wide).max(0.0));
        edit.was == f64::INFINITY || graph.reaches(ground - z, graph.most_gain(dy * dy + dx * dx))
    };
    let away = |y: usize, x: usize| [y.abs_diff(at[0]), x.abs_diff(at[1])];
    let mut found = Vec::new();
    for ty in around(tile / down[1], down[0]) {
        for tx in around(tile % down[1], down[1]) {
            let (y, x) = (ty * SMALL, tx * SMALL);
            let nearest = [at[0].clamp(y, y + SMALL - 1), at[1].clamp(x, x + SMALL - 1)];
            let most = graph.relief().of_small(ty * down[1] + tx)[1];
            if !gets(most, away(nearest[0], nearest[1])) {
                continue;
            }
            for y in y.max(low[0])..(y + SMALL).min(rows).min(high[0] + 1) {
                for x in x.max(low[1])..(x + SMALL).min(columns).min(high[1] + 1) {
                    let i = y * columns + x;
                    if gets(heights[i], away(y, x)) {
                        found.push(i);
                    }
                }
            }
        }
    }
    found
}

/// The small tiles where a flight from another one may end that passes over an edited cell.
fn tiles_behind(
    graph: &JumpGraph,
    tile: usize,
    edit: Edit,
    [down, across]: [usize; 2],
    found: &mut Vec<Ahead>,
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
            if own[0].min(other[0]) >= edit.was {
                continue;
            }
            if graph.reaches(other[0] - own[1], most) {
                found.push(Ahead { tile: ty * across + tx, of: NONE, others: 0 });
            }
        }
    }
}
