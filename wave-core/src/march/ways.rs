//! The ways home by the times of arrival.

use super::WALL;
use super::offers::{at_most, not_negative};
use crate::space::Space;

/// So many cells of a row are all unreached, or are all asked for the way home.
const PART: usize = 64;

/// The way home from a cell whose time is `time([0; 3])`, `time` telling those of the cells around
/// at offsets `[x, y, z]`, infinite where nothing came: across the side of the triangle (3D:
/// tetrahedron) of the cell, its earliest neighbour, and the earliest of that one's neighbours to the
/// side. Zero where no neighbour is earlier.
pub(super) fn way_home<const AXES: usize>(time: impl Fn([isize; 3]) -> f64) -> [f64; 3] {
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
    unit(way)
}

/// Arrivals at the cells of a row of a flat grid, and the ways home from there, by the times of the
/// rows above, here and below, that begin and end a cell further out.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
pub(super) fn flat_row<D: Space>(
    rows: [&[i32]; 3],
    limit: i32,
    unit: f32,
    times: &mut [f32],
    ways: &mut [D::Direction],
) {
    let parts = times.chunks_mut(PART).zip(ways.chunks_mut(PART));
    for (part, (times, ways)) in parts.enumerate() {
        let [above, here, below] = rows.map(|row| &row[part * PART..][..ways.len() + 2]);
        let mut earliest = WALL;
        for (to, &time) in times.iter_mut().zip(&here[1..]) {
            *to = if time < limit { time as f32 * unit } else { f32::INFINITY };
            earliest = earliest.min(time);
        }
        // Much of a map may be walls.
        if earliest >= limit {
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

/// [`way_home`] from the cell in the middle of three rows of three, without branches. What is not reached
/// before `limit` need only be later than what is.
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

/// The way home by the times of a front, which are a little off: the gradient toward the earlier
/// neighbour on every axis is steadier than [`way_home`]. Where that knows one axis only, as behind
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
    unit(way)
}

/// A vector of length 1, or 0.
fn unit(way: [f64; 3]) -> [f64; 3] {
    let length = way.iter().map(|w| w * w).sum::<f64>().sqrt();
    if length > 0.0 { way.map(|w| w / length) } else { way }
}

#[cfg(test)]
mod tests {
    use super::super::tests::dice;
    use super::*;
    use glam::Vec2;
    use ndarray::Ix2;

    /// Rows of every length up to three parts, with walls, cells not reached, ties, stretches of nothing
    /// and a limit among the times.
    #[test]
    fn a_row_at_once_gives_the_way_home_of_every_cell() {
        let mut random = dice();
        let limit = 900;
        for nx in 1..if cfg!(miri) { 4 } else { 3 * PART + 2 } {
            let blank = random(3) as usize * PART;
            let rows: [Vec<i32>; 3] = std::array::from_fn(|_| {
                let time = |x: usize| match random(8) {
                    _ if x / PART * PART == blank => WALL,
                    0 => WALL,
                    1 => WALL - 1,
                    2 => 40 * random(30) as i32,
                    _ => 320 * random(4) as i32 + random(320) as i32,
                };
                (0..nx + 2).map(time).collect()
            });
            let (mut times, mut ways) = (vec![0.0; nx], vec![Vec2::ONE; nx]);
            let [above, here, below] = &rows;
            flat_row::<Ix2>([above, here, below], limit, 0.5, &mut times, &mut ways);
            for x in 0..nx {
                let time = |[dx, dy, _]: [isize; 3]| {
                    let row = &rows[dy.wrapping_add(1) as usize];
                    let time = row[(x + 1).wrapping_add_signed(dx)];
                    if time < limit { f64::from(time) } else { f64::INFINITY }
                };
                let came = time([0; 3]);
                assert_eq!(f64::from(times[x]), 0.5 * came, "{x} of {nx}");
                let home = if came.is_finite() { way_home::<2>(time) } else { [0.0; 3] };
                for (found, expected) in ways[x].to_array().into_iter().zip(home) {
                    assert!((f64::from(found) - expected).abs() < 1e-6, "{x} of {nx}: {home:?}");
                    assert!(found != 0.0 || found.is_sign_positive(), "{x} of {nx}");
                }
            }
        }
    }
}
