//! The ways home by the times of arrival.

use super::WALL;
use super::offers::{at_most, not_negative};
use crate::grid::Space;

/// So many cells of a row are all unreached, or are all asked for the way home.
const PART: usize = 64;
/// The same of a deep grid.
const DEEP_PART: usize = 16;

/// Arrivals at the cells of a row of a flat grid, and the ways home from there, by the times of the
/// rows above, here and below, that begin and end a cell further out.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
pub(in crate::arrival) fn flat_row<D: Space>(
    rows: [&[i32]; 3],
    limit: i32,
    unit: f32,
    times: &mut [f32],
    ways: &mut [D::Direction],
) {
    let parts = times.chunks_mut(PART).zip(ways.chunks_mut(PART));
    for (part, (times, ways)) in parts.enumerate() {
        let [above, here, below] = rows.map(|row| &row[part * PART..][..ways.len() + 2]);
        if !arrivals(&here[1..], limit, unit, times) {
            ways.fill(D::Direction::default());
            continue;
        }
        let columns = above.windows(3).zip(here.windows(3)).zip(below.windows(3));
        for (way, ((above, here), below)) in ways.iter_mut().zip(columns) {
            let [x, y] = flat_way([above, here, below], limit);
            *way = D::direction([x, y, 0.0]);
        }
    }
}

/// Writes when something came to cells, in steps, and tells whether to any.
#[allow(clippy::inline_always)]
#[inline(always)]
fn arrivals(from: &[i32], limit: i32, unit: f32, times: &mut [f32]) -> bool {
    let mut earliest = WALL;
    for (to, &time) in times.iter_mut().zip(from) {
        *to = if time < limit { time as f32 * unit } else { f32::INFINITY };
        earliest = earliest.min(time);
    }
    earliest < limit
}

/// The way home of a flat grid's cell, without branches, by three rows of three of which it is the
/// middle: across the side of the triangle of the cell, its earliest neighbour, and the earlier one
/// to a side of both. What is not reached before `limit` need only be later than what is.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn flat_way([above, here, below]: [&[i32]; 3], limit: i32) -> [f32; 2] {
    let pick = |first: bool, a: i32, b: i32| if first { a } else { b };
    let (up, down, left, right) = (above[1], below[1], here[0], here[2]);
    let (is_left, is_up) = (left <= right, up <= down);
    let (beside, across) = (left.min(right), up.min(down));
    let along_x = beside <= across;
    // The earliest neighbour, and the two cells to its sides.
    let first = beside.min(across);
    let near = pick(along_x, pick(is_left, above[0], above[2]), pick(is_up, above[0], below[0]));
    let far = pick(along_x, pick(is_left, below[0], below[2]), pick(is_up, above[2], below[2]));
    let gain = here[1] - first;
    let gain = if gain > 0 && here[1] < limit { gain } else { 0 } as f32;
    let aside = at_most(not_negative((first - near.min(far)) as f32), gain);
    let aside = if near <= far { -aside } else { aside };
    let (x, y) = if along_x {
        (if is_left { -gain } else { gain }, aside)
    } else {
        (aside, if is_up { -gain } else { gain })
    };
    let square = x * x + y * y;
    let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
    // Without the sign of a zero.
    [x * scale + 0.0, y * scale + 0.0]
}

/// [`flat_row`] of a deep grid, by nine rows: of the plane before, of the cells' own and of the one
/// behind, each above, here and below.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
pub(in crate::arrival) fn deep_row<D: Space>(
    rows: [&[i32]; 9],
    limit: i32,
    unit: f32,
    times: &mut [f32],
    ways: &mut [D::Direction],
) {
    let cells = ways.len();
    if cells < DEEP_PART {
        let mut around = [[WALL; DEEP_PART + 2]; 9];
        around.iter_mut().zip(rows).for_each(|(to, row)| to[..cells + 2].copy_from_slice(row));
        deep_part::<D>(around.each_ref(), limit, unit, times, ways);
        return;
    }
    // The last part may share cells with the one before.
    for first in (0..cells).step_by(DEEP_PART).map(|first| first.min(cells - DEEP_PART)) {
        let mut around = [const { &[WALL; DEEP_PART + 2] }; 9];
        for (part, row) in around.iter_mut().zip(rows) {
            *part = row[first..].first_chunk().expect("a row is longer than its cells by two");
        }
        let part = first..first + DEEP_PART;
        deep_part::<D>(around, limit, unit, &mut times[part.clone()], &mut ways[part]);
    }
}

/// [`deep_row`] of a part of a row, or of less.
#[allow(clippy::inline_always)]
#[inline(always)]
fn deep_part<D: Space>(
    rows: [&[i32; DEEP_PART + 2]; 9],
    limit: i32,
    unit: f32,
    times: &mut [f32],
    ways: &mut [D::Direction],
) {
    if !arrivals(&rows[4][1..], limit, unit, times) {
        ways.fill(D::Direction::default());
        return;
    }
    // By a fixed number of cells, each axis apart, and whole numbers apart from others: else the
    // compiler would go cell by cell, or by fewer at once.
    let mut steps = [[0; DEEP_PART]; 3];
    for i in 0..DEEP_PART {
        let way = deep_steps(|[x, y, z]| rows[3 * z + y][i + x], limit);
        (0..3).for_each(|axis| steps[axis][i] = way[axis]);
    }
    let mut apart = [[0.0; DEEP_PART]; 3];
    for i in 0..DEEP_PART {
        let way = length_1([steps[0][i], steps[1][i], steps[2][i]].map(f64::from));
        (0..3).for_each(|axis| apart[axis][i] = way[axis] as f32);
    }
    for (i, way) in ways.iter_mut().enumerate() {
        *way = D::direction([apart[0][i], apart[1][i], apart[2][i]]);
    }
}

/// The way home of a deep grid's cell; see [`deep_steps`].
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn deep_way(at: impl Fn([usize; 3]) -> i32, limit: i32) -> [f64; 3] {
    length_1(deep_steps(at, limit).map(f64::from))
}

/// Where the way home of a deep grid's cell points, without branches, by the times around: `at([1, 1, 1])` is
/// its own, 0 and 2 lie before and behind along x, y and z. It leads across the side of the
/// tetrahedron of the cell, its earliest neighbour, the earliest of that one's neighbours to the
/// sides, and the earlier of that one's to the sides of both. What is not reached before `limit`
/// need only be later than what is.
#[allow(clippy::inline_always)]
#[inline(always)]
fn deep_steps(at: impl Fn([usize; 3]) -> i32, limit: i32) -> [i32; 3] {
    let pick = |first: bool, a: i32, b: i32| if first { a } else { b };
    // Truths are joined by `&` and `|` alone: if they were picked like numbers, vectors of them
    // would be narrowed and widened again.
    //
    // Of two neighbours along each axis, whether the one before is earlier, and when the earlier
    // one was reached.
    let halves = |pairs: [[i32; 2]; 3]| {
        (pairs.map(|[before, behind]| before <= behind), pairs.map(|[a, b]| a.min(b)))
    };
    // Along which axis that is earliest.
    let earliest = |[x, y, z]: [i32; 3]| {
        let along_x = (x <= y) & (x <= z);
        let along_y = !along_x & (y <= z);
        (x.min(y).min(z), [along_x, along_y, !(along_x | along_y)])
    };
    let here = at([1, 1, 1]);
    let (back, sides) = halves([
        [at([0, 1, 1]), at([2, 1, 1])],
        [at([1, 0, 1]), at([1, 2, 1])],
        [at([1, 1, 0]), at([1, 1, 2])],
    ]);
    let (first, along) = earliest(sides);

    // What lies to the sides of the earliest neighbour.
    let [x, y, z] = back;
    let beside_x = |i| {
        let [y, z] = [pick(y, at([i, 0, 1]), at([i, 2, 1])), pick(z, at([i, 1, 0]), at([i, 1, 2]))];
        pick(along[1], y, z)
    };
    let beside_y = |i| {
        let [x, z] = [pick(x, at([0, i, 1]), at([2, i, 1])), pick(z, at([1, i, 0]), at([1, i, 2]))];
        pick(along[0], x, z)
    };
    let beside_z = |i| {
        let [x, y] = [pick(x, at([0, 1, i]), at([2, 1, i])), pick(y, at([1, 0, i]), at([1, 2, i]))];
        pick(along[0], x, y)
    };
    let (aside, mut sides) = halves([
        [beside_x(0), beside_x(2)],
        [beside_y(0), beside_y(2)],
        [beside_z(0), beside_z(2)],
    ]);
    (0..3).for_each(|axis| sides[axis] = pick(along[axis], WALL, sides[axis]));
    let (second, across) = earliest(sides);

    // And to the sides of both, along the axis that is left.
    let [x, y, z]: [bool; 3] =
        std::array::from_fn(|axis| (along[axis] & back[axis]) | (!along[axis] & aside[axis]));
    let corner_x = |i| {
        let [y0, y2] = [0, 2].map(|y| pick(z, at([i, y, 0]), at([i, y, 2])));
        pick(y, y0, y2)
    };
    let corner_y = |i| {
        let [x0, x2] = [0, 2].map(|x| pick(z, at([x, i, 0]), at([x, i, 2])));
        pick(x, x0, x2)
    };
    let corner_z = |i| {
        let [x0, x2] = [0, 2].map(|x| pick(y, at([x, 0, i]), at([x, 2, i])));
        pick(x, x0, x2)
    };
    let [left_x, left_y] = [0, 1].map(|axis| !(along[axis] | across[axis]));
    let corner = |i| pick(left_x, corner_x(i), pick(left_y, corner_y(i), corner_z(i)));
    let [before, behind] = [corner(0), corner(2)];
    let (third, last) = (before.min(behind), before <= behind);

    let gain = here - first;
    let gain = if gain > 0 && here < limit { gain } else { 0 };
    let to_side = (first - second).max(0).min(gain);
    let to_both = (second - third).max(0).min(to_side);
    std::array::from_fn(|axis| {
        let (along, across) = (along[axis], across[axis]);
        let much = pick(along, gain, pick(across, to_side, to_both));
        let left = !(along | across);
        let back = (along & back[axis]) | (!along & across & aside[axis]) | (left & last);
        if back { -much } else { much }
    })
}

/// The way home by the times of a front, which are a little off: the gradient toward the earlier
/// neighbour on every axis is steadier than across sides. Where that knows one axis only, as behind
/// corners, the way leads across the side of a triangle.
pub(crate) fn way_back<const AXES: usize>(time: impl Fn([isize; 3]) -> f64) -> [f64; 3] {
    let here = time([0; 3]);
    // The earlier one of the neighbours of a place along an axis.
    let along = |place: [isize; 3], axis: usize| {
        let (mut before, mut after) = (place, place);
        before[axis] -= 1;
        after[axis] += 1;
        let (earlier, later) = (time(before), time(after));
        if earlier <= later { (before, earlier) } else { (after, later) }
    };
    let mut way = [0.0; 3];
    let mut first = None;
    let mut axes = 0;
    for axis in 0..AXES {
        let (there, then) = along([0; 3], axis);
        if then < here {
            way[axis] = there[axis] as f64 * (here - then);
            first = Some((axis, there, then));
            axes += 1;
        }
    }
    if let (1, Some((axis, there, then))) = (axes, first) {
        for across in (0..AXES).filter(|&across| across != axis) {
            let (beyond, earliest) = along(there, across);
            if earliest < then {
                way[across] = beyond[across] as f64 * (then - earliest).min(here - then);
            }
        }
    }
    length_1(way)
}

/// A vector of length 1, or 0.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
fn length_1([x, y, z]: [f64; 3]) -> [f64; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    let length = if length > 0.0 { length } else { 1.0 };
    [x / length, y / length, z / length]
}

#[cfg(test)]
mod tests {
    use super::super::tests::dice;
    use super::*;
    use glam::{Vec2, Vec3};
    use ndarray::{Ix2, Ix3};

    /// The way home from a cell whose time is `time([0; 3])`, `time` telling those of the cells
    /// around at offsets `[x, y, z]`, infinite where nothing came: across the side of the triangle
    /// (3D: tetrahedron) of the cell, its earliest neighbour, and the earliest of that one's
    /// neighbours to the side. Zero where no neighbour is earlier.
    fn way_home<const AXES: usize>(time: impl Fn([isize; 3]) -> f64) -> [f64; 3] {
        let mut way = [0.0; 3];
        let mut used = [false; AXES];
        let (mut at, mut now, mut most) = ([0; 3], time([0; 3]), f64::INFINITY);
        for _ in 0..AXES {
            let mut best = (now, at, 0);
            for axis in (0..AXES).filter(|&axis| !used[axis]) {
                for step in [-1, 1] {
                    let mut there = at;
                    there[axis] = step;
                    let then = time(there);
                    if then < best.0 {
                        best = (then, there, axis);
                    }
                }
            }
            let (then, there, axis) = best;
            if then >= now {
                break;
            }
            most = most.min(now - then);
            way[axis] = most * there[axis] as f64;
            used[axis] = true;
            (at, now) = (there, then);
        }
        length_1(way)
    }

    /// A row in each plane and beside each of them, of every length up to three parts: with walls,
    /// cells not reached, ties, stretches of nothing and a limit among the times.
    fn some_rows(mut check: impl FnMut(&[Vec<i32>; 9], i32)) {
        let mut random = dice();
        for nx in 1..if cfg!(miri) { 4 } else { 3 * PART + 2 } {
            let blank = random(3) as usize * PART;
            let rows = std::array::from_fn(|_| {
                let time = |x: usize| match random(8) {
                    _ if x / PART * PART == blank => WALL,
                    0 => WALL,
                    1 => WALL - 1,
                    2 => 40 * random(30) as i32,
                    _ => 320 * random(4) as i32 + random(320) as i32,
                };
                (0..nx + 2).map(time).collect()
            });
            check(&rows, 900);
        }
    }

    /// The time of a cell beside cell `x` of the middle row.
    fn beside(rows: &[Vec<i32>; 9], x: usize, [dx, dy, dz]: [isize; 3], limit: i32) -> f64 {
        let row = &rows[(4 + 3 * dz + dy) as usize];
        let time = row[(x + 1).wrapping_add_signed(dx)];
        if time < limit { f64::from(time) } else { f64::INFINITY }
    }

    #[test]
    fn a_row_at_once_gives_the_way_home_of_every_cell() {
        some_rows(|rows, limit| {
            let nx = rows[0].len() - 2;
            let (mut times, mut ways) = (vec![0.0; nx], vec![Vec2::ONE; nx]);
            let [_, _, _, above, here, below, ..] = rows;
            flat_row::<Ix2>([above, here, below], limit, 0.5, &mut times, &mut ways);
            for x in 0..nx {
                let time = |off| beside(rows, x, off, limit);
                let came = time([0; 3]);
                assert_eq!(f64::from(times[x]), 0.5 * came, "{x} of {nx}");
                let home = if came.is_finite() { way_home::<2>(time) } else { [0.0; 3] };
                for (found, expected) in ways[x].to_array().into_iter().zip(home) {
                    assert!((f64::from(found) - expected).abs() < 1e-6, "{x} of {nx}: {home:?}");
                    assert!(found != 0.0 || found.is_sign_positive(), "{x} of {nx}");
                }
            }
        });
    }

    #[test]
    fn a_deep_row_at_once_gives_the_way_home_of_every_cell() {
        some_rows(|rows, limit| {
            let nx = rows[0].len() - 2;
            let (mut times, mut ways) = (vec![0.0; nx], vec![Vec3::ONE; nx]);
            let slices = std::array::from_fn(|r| rows[r].as_slice());
            deep_row::<Ix3>(slices, limit, 0.5, &mut times, &mut ways);
            for x in 0..nx {
                let time = |off| beside(rows, x, off, limit);
                let came = time([0; 3]);
                assert_eq!(f64::from(times[x]), 0.5 * came, "{x} of {nx}");
                let home = if came.is_finite() { way_home::<3>(time) } else { [0.0; 3] };
                let bits = |way: [f32; 3]| way.map(f32::to_bits);
                assert_eq!(bits(ways[x].to_array()), bits(home.map(|w| w as f32)), "{x} of {nx}");
            }
        });
    }
}
