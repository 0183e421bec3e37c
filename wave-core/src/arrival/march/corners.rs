//! Ways across corners, where speeds differ from cell to cell.
//!
//! Over triangles a cell is reached through a neighbour on an axis. Where all cells between it and
//! a diagonal one are slower than itself, as between the fast fields of a chessboard, the earliest
//! way leads through the corner that the two share: half of that way is in either. On an axis the
//! whole time that a cell takes is counted when it is entered, so its middle is late by half of
//! that. Here it is the same.

use super::{Layout, UNREACHED, WALL};

/// A mark on the slowness of a cell: the cell may be left across a corner.
pub(super) const CORNER: i32 = 1 << 30;

/// Cells of a row that are looked at together.
const PART: usize = 64;

/// A diagonal of a cell.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    /// Offset of the cell at its end.
    to: isize,
    /// Offsets of the other cells around the corner.
    beside: Vec<isize>,
    /// `[x, y, z]` of the end, and how long half of it is.
    step: [i8; 3],
    half: f32,
}

/// All diagonals of a cell: 4 on a flat grid, 20 on a deep one.
pub(super) fn corners(layout: &Layout) -> Vec<Corner> {
    let strides = [1, layout.row as isize, layout.plane as isize];
    let deep = i8::from(layout.size[0] > 1);
    let steps =
        (-deep..=deep).flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| [x, y, z])));
    let offset = |step: [i8; 3]| (0..3).map(|a| step[a] as isize * strides[a]).sum::<isize>();
    let corner = |step: [i8; 3]| {
        let axes: Vec<usize> = (0..3).filter(|&a| step[a] != 0).collect();
        // Every part of the axes but none and all.
        let part = |bits: usize| {
            let mut part = [0; 3];
            (0..axes.len())
                .filter(|i| bits >> i & 1 == 1)
                .for_each(|i| part[axes[i]] = step[axes[i]]);
            offset(part)
        };
        Corner {
            to: offset(step),
            beside: (1..(1 << axes.len()) - 1).map(part).collect(),
            step,
            half: 0.5 * (axes.len() as f32).sqrt(),
        }
    };
    steps.filter(|step| step.iter().filter(|&&s| s != 0).count() > 1).map(corner).collect()
}

/// The time that a cell takes, without its mark.
fn each(slowness: &[i32], cell: usize) -> i32 {
    slowness[cell] & !CORNER
}

impl Corner {
    fn is_open(&self, times: &[i32], cell: usize) -> bool {
        self.beside.iter().all(|&beside| times[cell.wrapping_add_signed(beside)] != WALL)
    }

    /// How long after a cell that takes `each` the cell at the end, which takes `end`, is reached.
    fn after(&self, each: i32, end: i32) -> i32 {
        // Exact, but for the last digits: whole numbers below 2^23.
        ((self.half - 0.5) * each as f32 + (self.half + 0.5) * end as f32).round() as i32
    }

    /// Whether the cells beside it are slower than the cell at its end.
    fn is_worth(&self, slowness: &[i32], cell: usize) -> bool {
        let at = |offset: isize| each(slowness, cell.wrapping_add_signed(offset));
        let end = at(self.to);
        self.beside.iter().all(|&beside| at(beside) > end)
    }
}

/// Notes which cells may be left across a corner, and tells whether there are any.
pub(super) fn mark(corners: &[Corner], layout: &Layout, slowness: &mut [i32]) -> bool {
    let mut any = false;
    let [nz, ny, nx] = layout.size;
    let deep = usize::from(nz > 1);
    for [z, y] in (0..nz).flat_map(|z| (0..ny).map(move |y| [z, y])) {
        let row = layout.index([z, y, 0]);
        for first in (row..row + nx).step_by(PART) {
            let cells = PART.min(row + nx - first);
            let around = |i: usize| first + i % 3 * layout.row + i / 3 * layout.plane;
            let rows = (0..3 * (1 + 2 * deep))
                .map(|i| around(i) - layout.row - deep * layout.plane)
                .map(|at| &slowness[at - 1..=at + cells]);
            // Mostly, all are of one area.
            let one = slowness[first];
            let differ = |row: &[i32]| row.iter().fold(0, |some, each| some | (each ^ one));
            if rows.fold(0, |some, row| some | differ(row)) & !CORNER != 0 {
                any |= mark_part(corners, slowness, first, cells);
            }
        }
    }
    any
}

/// Notes again whether a cell may be left across a corner, and returns that.
pub(super) fn mark_one(corners: &[Corner], slowness: &mut [i32], cell: usize) -> bool {
    let found = corners.iter().any(|corner| corner.is_worth(slowness, cell));
    slowness[cell] = each(slowness, cell) | if found { CORNER } else { 0 };
    found
}

/// The earliest time offered to a cell across a corner by cells that are earlier than `before`;
/// [`UNREACHED`] if there is none.
pub(super) fn earliest(
    corners: &[Corner],
    times: &[i32],
    slowness: &[i32],
    cell: usize,
    before: i32,
) -> i32 {
    let mine = each(slowness, cell);
    let is_slower = |&beside: &isize| each(slowness, cell.wrapping_add_signed(beside)) > mine;
    let by = corners.iter().filter_map(|corner| {
        let from = cell.wrapping_add_signed(corner.to);
        let comes = times[from] < before
            && corner.beside.iter().all(is_slower)
            && corner.is_open(times, cell);
        comes.then(|| times[from] + corner.after(each(slowness, from), mine))
    });
    by.min().unwrap_or(UNREACHED)
}

/// [`mark`] for some cells side by side.
fn mark_part(corners: &[Corner], slowness: &mut [i32], first: usize, cells: usize) -> bool {
    let mut found = [false; PART];
    for corner in corners {
        let at = |offset: isize| &slowness[first.wrapping_add_signed(offset)..][..cells];
        let mut worth = [true; PART];
        for &beside in &corner.beside {
            for ((worth, beside), end) in worth.iter_mut().zip(at(beside)).zip(at(corner.to)) {
                *worth &= beside & !CORNER > end & !CORNER;
            }
        }
        found.iter_mut().zip(worth).for_each(|(found, worth)| *found |= worth);
    }
    for (each, found) in slowness[first..][..cells].iter_mut().zip(found) {
        *each |= if found { CORNER } else { 0 };
    }
    found[..cells].contains(&true)
}

/// Offers times across corners from a cell reached at `time`. A cell that takes one is handed to
/// `take` with its new and its old time.
pub(super) fn leave(
    corners: &[Corner],
    times: &mut [i32],
    slowness: &[i32],
    (time, cell): (i32, usize),
    mut take: impl FnMut(i32, usize, i32),
) {
    for corner in corners.iter().filter(|corner| corner.is_worth(slowness, cell)) {
        let to = cell.wrapping_add_signed(corner.to);
        let time = time + corner.after(each(slowness, cell), each(slowness, to));
        let before = times[to];
        if before != WALL && time < before && corner.is_open(times, cell) {
            times[to] = time;
            take(time, to, before);
        }
    }
}

/// The way home from a cell that was reached across a corner, `[x, y, z]`.
pub(super) fn way_across(
    corners: &[Corner],
    times: &[i32],
    slowness: &[i32],
    cell: usize,
) -> Option<[f64; 3]> {
    let by = |corner: &Corner| {
        let from = cell.wrapping_add_signed(corner.to);
        let is_earlier = times[from] < times[cell] && corner.is_open(times, cell);
        is_earlier.then(|| times[from] + corner.after(each(slowness, from), each(slowness, cell)))
    };
    let ways = corners.iter().filter_map(|corner| Some((by(corner)?, corner)));
    let (_, corner) = ways.min_by_key(|(time, _)| *time)?;
    let length = 2.0 * f64::from(corner.half);
    Some(corner.step.map(|s| f64::from(s) / length))
}
