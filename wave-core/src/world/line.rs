//! Whether a straight line across the map is free, in whole numbers.
//!
//! As within a [tile](super::sight), a line may touch walls, but never passes between two walls
//! that meet at a corner.

use super::levels::Place;
use super::sight::{Point, SIDE, WIDTH};
use crate::grid::Map;

/// `[units: half cells]` A point of the map, x first.
type Far = [i64; 2];

/// A point of a tile as one of the map.
pub(super) fn half_cells([y, x]: Place, at: Point) -> Far {
    let origin = [x, y].map(|i| (i * 2 * SIDE) as i64);
    [origin[0] + i64::from(at[0]), origin[1] + i64::from(at[1])]
}

fn is_open(map: &Map, [x, y]: Far) -> bool {
    let cell = usize::try_from(y).ok().zip(usize::try_from(x).ok());
    cell.is_some_and(|(y, x)| !map.is_wall([0, y, x]))
}

/// Whether the straight line between two points keeps out of walls.
pub(super) fn sees(map: &Map, a: Far, b: Far) -> bool {
    let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    if dx == 0 || dy == 0 {
        return sees_straight(map, a, b, usize::from(dx == 0));
    }
    // Columns of cells that it crosses, and in each the rows: y at x is a.y + dy (x - a.x) / dx.
    let (a, b) = if dx > 0 { (a, b) } else { (b, a) };
    let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    let first = a[0].div_euclid(2);
    let last = (b[0] - 1).div_euclid(2);
    for column in first..=last {
        let left = (2 * column).max(a[0]);
        let right = (2 * column + 2).min(b[0]);
        // Twice dx times the row, at both sides of the column.
        let at = |x: i64| a[1] * dx + dy * (x - a[0]);
        let (low, high) = (at(left).min(at(right)), at(left).max(at(right)));
        let (low, high) = (low.div_euclid(2 * dx), (high - 1).div_euclid(2 * dx));
        if !(low..=high).all(|row| is_open(map, [column, row])) {
            return false;
        }
        // Through a vertex between two columns: the cells that the line does not follow may not
        // both be walls.
        if right < b[0] && at(right).rem_euclid(2 * dx) == 0 {
            let row = at(right).div_euclid(2 * dx);
            let (beside, beyond) = if dy > 0 { (row, row - 1) } else { (row - 1, row) };
            if !is_open(map, [column, beside]) && !is_open(map, [column + 1, beyond]) {
                return false;
            }
        }
    }
    true
}

/// [`sees`] along an axis: between two rows of cells, or through the middle of one.
fn sees_straight(map: &Map, a: Far, b: Far, along: usize) -> bool {
    let (low, high) = (a[along].min(b[along]), a[along].max(b[along]));
    let across = a[1 - along];
    let on_line = across.rem_euclid(2) == 0;
    let row = across.div_euclid(2);
    // On a line between two rows it may change sides only where both are open.
    let mut sides = [true, on_line];
    (low.div_euclid(2)..=(high - 1).div_euclid(2)).all(|i| {
        let cell = |j: i64| if along == 0 { [i, j] } else { [j, i] };
        let open = [row, row - 1].map(|j| is_open(map, cell(j)));
        let both = open[0] && open[1] && on_line;
        sides = if both { [true; 2] } else { [sides[0] && open[0], sides[1] && open[1]] };
        sides[0] || sides[1]
    })
}

/// `[units: half cells]` The distance between two points.
fn apart(a: Far, b: Far) -> f64 {
    let [dx, dy] = [a[0] - b[0], a[1] - b[1]];
    ((dx * dx + dy * dy) as f64).sqrt()
}

/// The point of a tile's side where a free way from one point to another crosses it best, in place
/// of `node`; in the tile. `None` if no point is better.
pub(super) fn crossing(
    map: &Map,
    tile: Place,
    side: usize,
    node: Point,
    [from, to]: [Far; 2],
) -> Option<Point> {
    let long = |at: Point| {
        let at = half_cells(tile, at);
        apart(from, at) + apart(at, to)
    };
    // In both directions along the side, as long as it is open on both sides and the way gets
    // shorter: its length is convex.
    let along = usize::from(side.is_multiple_of(2));
    let mut best = None;
    let mut least = long(node);
    for step in [-1, 1] {
        let (mut at, mut before) = (node, long(node));
        loop {
            at[along] += step;
            let now = long(at);
            if !(0..=WIDTH).contains(&at[along]) || now >= before {
                break;
            }
            before = now;
            // Middles of cells stand for the cells: between two of them, at vertices, both are
            // open.
            if at[along].rem_euclid(2) == 1 && !is_open_across(map, half_cells(tile, at), along) {
                break;
            }
            let there = half_cells(tile, at);
            if now < least && there != from && sees(map, from, there) && sees(map, there, to) {
                (best, least) = (Some(at), now);
            }
        }
    }
    best
}

/// Whether a border can be crossed at the middle of a cell's side.
fn is_open_across(map: &Map, at: Far, along: usize) -> bool {
    let cell = |off: i64| {
        let mut cell = [at[0].div_euclid(2), at[1].div_euclid(2)];
        cell[1 - along] += off;
        cell
    };
    is_open(map, cell(0)) && is_open(map, cell(-1))
}
