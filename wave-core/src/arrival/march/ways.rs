//! The ways home by the times of arrival.

use super::WALL;
use crate::arrival::eight::{Eight, Plain, Whole};
use crate::grid::Space;

/// So many cells of a row are all unreached, or are all asked for the way home.
const PART: usize = 64;
/// The same of a deep grid.
const DEEP_PART: usize = 16;

/// Arrivals at the cells of a row of a flat grid, and the ways home from there. They follow from
/// the times of the rows above, here and below, which begin and end a cell further out.
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

/// Writes the arrivals at cells, in steps, and tells whether there are any.
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

/// The way home of a flat grid's cell, by the three rows of three cells around it.
#[allow(clippy::inline_always)]
#[inline(always)]
pub(super) fn flat_way(rows: [&[i32]; 3], limit: i32) -> [f32; 2] {
    let around = rows.map(|row| [Plain([row[0]]), Plain([row[1]]), Plain([row[2]])]);
    let [Plain([x]), Plain([y])] = flat_steps(&around, limit);
    unit_vector_of([x, y])
}

/// Where the way home of a flat grid's cell points, along x and y, by the times around:
/// `at[1][1]` is its own, 0 and 2 lie before and behind along y and x. The way leads across the
/// side of a triangle: that of the cell, its earliest neighbour, and the earlier cell to a side of
/// both. Times from `limit` on need only be later than those before it.
#[allow(clippy::inline_always)]
#[inline(always)]
fn flat_steps<W: Whole>(at: &[[W; 3]; 3], limit: i32) -> [W; 2] {
    let here = at[1][1];
    let (x, on_x) = earlier(at[1][0], at[1][2]);
    let (y, on_y) = earlier(at[0][1], at[2][1]);
    // The earliest neighbour, and the two cells to its sides.
    let (first, is_y) = (x.min(y), x.above(y));
    let [before_x, before_y] =
        [W::pick(on_y, at[2][0], at[0][0]), W::pick(on_x, at[0][2], at[0][0])];
    let [behind_x, behind_y] =
        [W::pick(on_y, at[2][2], at[0][2]), W::pick(on_x, at[2][2], at[2][0])];
    let before = W::pick(is_y, before_x, before_y);
    let (second, by) = earlier(before, W::pick(is_y, behind_x, behind_y));

    let none = W::splat(0);
    let gain = here.minus(first).max(none).and(W::splat(limit).above(here));
    let aside = first.minus(second).max(none).min(gain);
    let aside = W::pick(by, aside, none.minus(aside));
    let [x, y] = [on_x, on_y].map(|on| W::pick(on, gain, none.minus(gain)));
    [W::pick(is_y, aside, x), W::pick(is_y, y, aside)]
}

/// The direction of whole numbers of steps along x and y.
#[allow(clippy::inline_always)]
#[inline(always)]
fn unit_vector_of([x, y]: [i32; 2]) -> [f32; 2] {
    let [x, y, _] = unit_vector([x as f32, y as f32, 0.0]);
    [x, y]
}

/// The ways home of four cells of a flat grid, by the four rows of four cells around them; `None`
/// in cells whose time is not before `limit`. The first one's are followed by those of the next
/// cell along x, then by those of the next row.
#[inline]
pub(super) fn four_ways(rows: [&[i32; 4]; 4], limit: i32) -> [Option<[f32; 2]>; 4] {
    // No closures: the compiler would go cell by cell.
    let mut around = [[Plain([0; 4]); 3]; 3];
    for (y, row) in around.iter_mut().enumerate() {
        for (x, times) in row.iter_mut().enumerate() {
            let [above, below] = [rows[y], rows[y + 1]];
            *times = Plain([above[x], above[x + 1], below[x], below[x + 1]]);
        }
    }
    let [Plain(x), Plain(y)] = flat_steps(&around, limit);
    let Plain(here) = around[1][1];
    std::array::from_fn(|i| (here[i] < limit).then(|| unit_vector_of([x[i], y[i]])))
}

/// A vector of length 1, or 0.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
fn unit_vector([x, y, z]: [f32; 3]) -> [f32; 3] {
    let square = x * x + y * y + z * z;
    let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
    [x * scale, y * scale, z * scale]
}

/// [`flat_row`] of a deep grid, by nine rows: of the plane before, of the cells' own and of the one
/// behind, each above, here and below.
#[allow(clippy::inline_always)] // into the code for each instruction set
#[inline(always)]
pub(in crate::arrival) fn deep_row<E: Eight, D: Space>(
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
        deep_part::<E, D>(around.each_ref(), limit, unit, times, ways);
        return;
    }
    // The last part may share cells with the one before.
    for first in (0..cells).step_by(DEEP_PART).map(|first| first.min(cells - DEEP_PART)) {
        let mut around = [const { &[WALL; DEEP_PART + 2] }; 9];
        for (part, row) in around.iter_mut().zip(rows) {
            *part = row[first..].first_chunk().expect("a row is longer than its cells by two");
        }
        let part = first..first + DEEP_PART;
        deep_part::<E, D>(around, limit, unit, &mut times[part.clone()], &mut ways[part]);
    }
}

/// [`deep_row`] of a part of a row, or of less.
#[allow(clippy::inline_always)]
#[inline(always)]
fn deep_part<E: Eight, D: Space>(
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
    let mut steps = [[0; DEEP_PART]; 3];
    for first in (0..DEEP_PART).step_by(8) {
        let mut around = [[[E::splat(0); 3]; 3]; 3];
        for z in 0..3 {
            for y in 0..3 {
                for x in 0..3 {
                    let row = &rows[3 * z + y][first + x..];
                    around[z][y][x] = E::load(row.first_chunk().expect("eight cells and two"));
                }
            }
        }
        let way = deep_steps(&around, limit);
        for axis in 0..3 {
            let to = steps[axis][first..].first_chunk_mut();
            way[axis].store(to.expect("a part is a number of times eight cells"));
        }
    }
    // A fixed number of cells, and each axis apart: otherwise the compiler would go cell by cell.
    let mut apart = [[0.0; DEEP_PART]; 3];
    for i in 0..DEEP_PART {
        let steps = [steps[0][i] as f32, steps[1][i] as f32, steps[2][i] as f32];
        [apart[0][i], apart[1][i], apart[2][i]] = unit_vector(steps);
    }
    for (i, way) in ways.iter_mut().enumerate() {
        *way = D::direction([apart[0][i], apart[1][i], apart[2][i]]);
    }
}

/// The way home of a deep grid's cell; see [`deep_steps`]. 0 and 2 lie before and behind along x, y
/// and z.
pub(super) fn deep_way(at: impl Fn([usize; 3]) -> i32, limit: i32) -> [f64; 3] {
    let place = |z: usize, y: usize, x: usize| Plain([at([x, y, z])]);
    let row = |z, y| [place(z, y, 0), place(z, y, 1), place(z, y, 2)];
    let around = [0, 1, 2].map(|z| [row(z, 0), row(z, 1), row(z, 2)]);
    length_1(deep_steps(&around, limit).map(|Plain([much])| f64::from(much)))
}

/// Where the way home of a deep grid's cell points, along x, y and z, by the times around:
/// `at[1][1][1]` is its own, 0 and 2 lie before and behind along z, y and x. The way leads across
/// the side of a tetrahedron: that of the cell, its earliest neighbour, the earliest of that one's
/// neighbours to the sides, and the earlier of the next ones along the third axis. Times from
/// `limit` on need only be later than those before it.
#[allow(clippy::inline_always)]
#[inline(always)]
fn deep_steps<W: Whole>(at: &[[[W; 3]; 3]; 3], limit: i32) -> [W; 3] {
    // No closures: they would not be compiled for the instruction set.
    let here = at[1][1][1];
    let (x, on_x) = earlier(at[1][1][0], at[1][1][2]);
    let (y, on_y) = earlier(at[1][0][1], at[1][2][1]);
    let (z, on_z) = earlier(at[0][1][1], at[2][1][1]);
    let (first, [is_x, is_y, is_z]) = earliest(x, y, z);

    // The cells to the sides of the earliest neighbour, and the earliest of these.
    let (on, is) = ([on_x, on_y, on_z], [is_x, is_y, is_z]);
    let ([x, y, z], [x2, y2, z2]) = (to_sides(at, 0, on, is), to_sides(at, 2, on, is));
    let ((x, by_x), (y, by_y), (z, by_z)) = (earlier(x, x2), earlier(y, y2), earlier(z, z2));
    let wall = W::splat(WALL);
    let (x, y, z) = (W::pick(is_x, wall, x), W::pick(is_y, wall, y), W::pick(is_z, wall, z));
    let (second, [across_x, across_y, across_z]) = earliest(x, y, z);

    // And those to the sides of both, along the axis that is left.
    let on = [W::pick(is_x, on_x, by_x), W::pick(is_y, on_y, by_y), W::pick(is_z, on_z, by_z)];
    let used = [is_x.or(across_x), is_y.or(across_y)];
    let (third, last) = earlier(to_both(at, 0, on, used), to_both(at, 2, on, used));

    let none = W::splat(0);
    let gain = here.minus(first).max(none).and(W::splat(limit).above(here));
    let aside = first.minus(second).max(none).min(gain);
    let least = second.minus(third).max(none).min(aside);
    let much = [gain, aside, least];
    [
        along(much, [is_x, across_x], [on_x, by_x, last]),
        along(much, [is_y, across_y], [on_y, by_y, last]),
        along(much, [is_z, across_z], [on_z, by_z, last]),
    ]
}

/// The cell before (0) or behind (2) the earliest neighbour along x, y and z. That neighbour `is`
/// one along one of these axes, and `on` tells for each axis whether the earlier neighbour is the
/// one behind.
#[allow(clippy::inline_always)]
#[inline(always)]
fn to_sides<W: Whole>(
    at: &[[[W; 3]; 3]; 3],
    i: usize,
    [on_x, on_y, on_z]: [W; 3],
    [is_x, is_y, _]: [W; 3],
) -> [W; 3] {
    let y_to_x = W::pick(on_y, at[1][2][i], at[1][0][i]);
    let z_to_x = W::pick(on_z, at[2][1][i], at[0][1][i]);
    let x_to_y = W::pick(on_x, at[1][i][2], at[1][i][0]);
    let z_to_y = W::pick(on_z, at[2][i][1], at[0][i][1]);
    let x_to_z = W::pick(on_x, at[i][1][2], at[i][1][0]);
    let y_to_z = W::pick(on_y, at[i][2][1], at[i][0][1]);
    [W::pick(is_y, y_to_x, z_to_x), W::pick(is_x, x_to_y, z_to_y), W::pick(is_x, x_to_z, y_to_z)]
}

/// The cell before (0) or behind (2) along the axis that is left, where two axes are `used`; for
/// these, `on` tells whether the way leads to the cell behind.
#[allow(clippy::inline_always)]
#[inline(always)]
fn to_both<W: Whole>(
    at: &[[[W; 3]; 3]; 3],
    i: usize,
    [on_x, on_y, on_z]: [W; 3],
    [used_x, used_y]: [W; 2],
) -> W {
    let before = W::pick(on_z, at[2][0][i], at[0][0][i]);
    let behind = W::pick(on_z, at[2][2][i], at[0][2][i]);
    let x = W::pick(on_y, behind, before);
    let before = W::pick(on_z, at[2][i][0], at[0][i][0]);
    let behind = W::pick(on_z, at[2][i][2], at[0][i][2]);
    let y = W::pick(on_x, behind, before);
    let before = W::pick(on_y, at[i][2][0], at[i][0][0]);
    let behind = W::pick(on_y, at[i][2][2], at[i][0][2]);
    let z = W::pick(on_x, behind, before);
    W::pick(used_x, W::pick(used_y, z, y), x)
}

/// How far the way leads along an axis: the first, the second or the last of three lengths, as the
/// axis is the first or the second one or neither. `on` tells for each of them whether the way
/// leads to the cell behind.
#[allow(clippy::inline_always)]
#[inline(always)]
fn along<W: Whole>(much: [W; 3], [is, across]: [W; 2], on: [W; 3]) -> W {
    let much_here = W::pick(is, much[0], W::pick(across, much[1], much[2]));
    let on = W::pick(is, on[0], W::pick(across, on[1], on[2]));
    W::pick(on, much_here, W::splat(0).minus(much_here))
}

/// The earlier one of two neighbours along an axis, and a mask: whether that is the one behind.
#[allow(clippy::inline_always)]
#[inline(always)]
fn earlier<W: Whole>(before: W, behind: W) -> (W, W) {
    (before.min(behind), before.above(behind))
}

/// The earliest of three, and masks: whether it is the one along x, y, z.
#[allow(clippy::inline_always)]
#[inline(always)]
fn earliest<W: Whole>(x: W, y: W, z: W) -> (W, [W; 3]) {
    let (none, all) = (W::splat(0), W::splat(-1));
    let other = x.above(y.min(z));
    let after_y = y.above(z);
    let [is_y, is_z] = [W::pick(after_y, none, other), other.and(after_y)];
    (x.min(y.min(z)), [all.minus(other), is_y, is_z])
}

/// The way home by the times of a front, which are a little off. The gradient toward the earlier
/// neighbour on every axis is steadier than a way across sides. Where the gradient knows only one
/// axis, as behind corners, the way leads across the side of a triangle.
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

/// [`unit_vector`] of more exact numbers.
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

    /// The way home from a cell. `time` gives the times of the cell and of those around it at
    /// offsets `[x, y, z]`, infinite where no wave came. The way leads across the side of the
    /// triangle (3D: tetrahedron) of the cell, its earliest neighbour, and the earliest of that
    /// one's neighbours to the side. Zero where no neighbour is earlier.
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
    /// cells not reached, ties, stretches that no wave came to and a limit among the times.
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
            deep_row::<Plain, Ix3>(slices, limit, 0.5, &mut times, &mut ways);
            for x in 0..nx {
                let time = |off| beside(rows, x, off, limit);
                let came = time([0; 3]);
                assert_eq!(f64::from(times[x]), 0.5 * came, "{x} of {nx}");
                let home = if came.is_finite() { way_home::<3>(time) } else { [0.0; 3] };
                for (found, expected) in ways[x].to_array().into_iter().zip(home) {
                    assert!((f64::from(found) - expected).abs() < 1e-6, "{x} of {nx}: {home:?}");
                    assert!(found != 0.0 || found.is_sign_positive(), "{x} of {nx}");
                }
            }
        });
    }
}
