//! Jumps over a column of which less is solid now.

use crate::cell::NONE;
use crate::graph::JumpGraph;
use crate::jump::relief::{SMALL, small_tile, small_tiles};
use crate::level::certificate::passes_over;
use crate::level::dynamic::{Dynamic, Edit};
use crate::level::settle::Asked;
use crate::storage::Storage;

impl<T: Storage> Dynamic<T> {
    /// Jumps over an edited column, but for those from and to some cells: between heights where
    /// feet may be there now.
    pub(crate) fn ask_over(
        &self,
        graph: &JumpGraph<T>,
        edit: Edit,
        freed: [f64; 2],
        cells: &[u32],
        asked: &mut Asked,
    ) {
        let level = graph.terrain();
        let (shape, heights) = (level.shape(), level.floors());
        let (down, was) = (small_tiles(shape), freed[1]);
        let edited = cell(shape, edit.column);
        let over = edited.map(|v| v as f64);
        let wide = if graph.is_point() { 0.0 } else { 1.0 };
        let (mut ahead, mut own_tile) = (Vec::new(), usize::MAX);
        let launches = launches_over(graph, edit, freed);
        for i in launches {
            let own = self.labels[i];
            if own == NONE || cells.contains(&(i as u32)) {
                continue;
            }
            let tile = small_tile(shape, level.column(i));
            if tile != own_tile {
                own_tile = tile;
                ahead.clear();
                tiles_behind(graph, tile, edit, freed, down, &mut ahead);
            }
            let launch = graph.cell(i);
            let at = launch.map(|v| v as f64);
            for Ahead { tile, of, others } in &mut ahead {
                let low = graph.relief().of_small(*tile)[0];
                if heights[i].min(low) >= was {
                    continue;
                }
                if *of != own {
                    *of = own;
                    self.find_not_led(level, own, *tile, others);
                }
                if others.is_empty() {
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
                for &j in &*others {
                    let landing = graph.cell(j as usize);
                    let ends = [launch, landing, edited].map(|cell| cell.map(|v| v as isize));
                    let z = heights[j as usize];
                    if heights[i].min(z) < was
                        && passes_over(ends, graph.is_point())
                        && graph.reaches(z - heights[i], most)
                    {
                        self.ask(graph, (i as u32, j), asked);
                    }
                }
            }
        }
    }

    /// The places of a small tile to whose regions one does not lead, row by row.
    fn find_not_led(&self, level: &T, own: u32, tile: usize, found: &mut Vec<u32>) {
        found.clear();
        let is_led = |label: u32| label == NONE || self.leading.leads(own, label);
        if self.tiles.all(tile, is_led) {
            return;
        }
        let (mut last, mut last_is_led) = (NONE, true);
        for place in self.tiles.rows(level, tile).flatten() {
            let label = self.labels[place];
            if label != last {
                (last, last_is_led) = (label, is_led(label));
            }
            if !last_is_led {
                found.push(place as u32);
            }
        }
    }
}

/// A small tile where flights over the edited column may end.
struct Ahead {
    tile: usize,
    /// The region of whose launches `others` is known; NONE: of none yet.
    of: u32,
    /// Places of the tile to whose regions that one does not lead.
    others: Vec<u32>,
}

fn cell(shape: [usize; 2], column: usize) -> [usize; 2] {
    [column / shape[1], column % shape[1]]
}

/// The places from which a flight may lead over an edited column: it is within their reach. All
/// those within the reach of anything where the column was solid to the top before.
fn launches_over<T: Storage>(graph: &JumpGraph<T>, edit: Edit, freed: [f64; 2]) -> Vec<usize> {
    let level = graph.terrain();
    let shape @ [rows, columns] = level.shape();
    let (down, heights) = (small_tiles(shape), level.floors());
    let (at, reach) = (cell(shape, edit.column), edit.reach);
    let (low, high) = (at.map(|v| v.saturating_sub(reach)), at.map(|v| v + reach));
    let (span, tile) = (reach.div_ceil(SMALL), small_tile(shape, edit.column));
    let around = |at: usize, n: usize| at.saturating_sub(span)..(at + span + 1).min(n);
    let wide = if graph.is_point() { 1.0 } else { 2.0 };
    // Whether one gets so high over the edited column from at most `z`, that far away along the
    // axes.
    let gets = |z: f64, away: [usize; 2]| {
        let [dy, dx] = away.map(|d| (d as f64 - wide).max(0.0));
        let most = || graph.most_gain(dy * dy + dx * dx);
        freed[1] == f64::INFINITY || graph.reaches(freed[0] - z, most())
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
                    for i in level.places(y * columns + x) {
                        if gets(heights[i], away(y, x)) {
                            found.push(i);
                        }
                    }
                }
            }
        }
    }
    found
}

/// The small tiles where a flight from another one may end that passes over an edited column.
fn tiles_behind<T: Storage>(
    graph: &JumpGraph<T>,
    tile: usize,
    edit: Edit,
    freed: [f64; 2],
    [down, across]: [usize; 2],
    found: &mut Vec<Ahead>,
) {
    let at = [tile / across, tile % across];
    let over = cell(graph.terrain().shape(), edit.column).map(|v| v as f64);
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
            if own[0].min(other[0]) >= freed[1] {
                continue;
            }
            if graph.reaches(other[0] - own[1], most) {
                found.push(Ahead { tile: ty * across + tx, of: NONE, others: Vec::new() });
            }
        }
    }
}
