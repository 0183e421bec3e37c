//! Maps to run waves through, and the results of a plain search on them.

use ndarray::Array3;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A cell, `[z, y, x]`.
pub(crate) type Cell = [usize; 3];

/// splitmix64.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// From 0 up to, and without, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
    pub(crate) fn cell(&mut self, shape: Cell) -> Cell {
        shape.map(|n| self.below(n))
    }
}

pub(crate) fn open_ground(shape: Cell) -> Array3<bool> {
    Array3::from_elem(shape, false)
}

/// Each cell is a wall with probability `fraction`.
pub(crate) fn random_walls(shape: Cell, fraction: f64, rng: &mut Rng) -> Array3<bool> {
    Array3::from_shape_simple_fn(shape, || rng.unit() < fraction)
}

/// A depth-first maze of `rooms` (rows, columns), corridors `width` cells wide, walls one cell.
pub(crate) fn maze(rooms: [usize; 2], width: usize, rng: &mut Rng) -> Array3<bool> {
    let pitch = width + 1;
    let [rows, columns] = rooms;
    let mut walls = Array3::from_elem([1, rows * pitch + 1, columns * pitch + 1], true);
    let mut seen = vec![vec![false; columns]; rows];
    let mut way = vec![[rng.below(rows), rng.below(columns)]];
    seen[way[0][0]][way[0][1]] = true;
    while let Some(&[r, c]) = way.last() {
        for y in 0..width {
            for x in 0..width {
                walls[[0, r * pitch + 1 + y, c * pitch + 1 + x]] = false;
            }
        }
        let mut sides = Vec::new();
        for (dr, dc) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let (nr, nc) = (r.wrapping_add_signed(dr), c.wrapping_add_signed(dc));
            if nr < rows && nc < columns && !seen[nr][nc] {
                sides.push([nr, nc]);
            }
        }
        if sides.is_empty() {
            way.pop();
            continue;
        }
        let [nr, nc] = sides[rng.below(sides.len())];
        seen[nr][nc] = true;
        // The wall between two rooms lies before the greater of them.
        let (y, x) = (r.max(nr) * pitch, c.max(nc) * pitch);
        for i in 1..=width {
            let door = if nr == r { [0, r * pitch + i, x] } else { [0, y, c * pitch + i] };
            walls[door] = false;
        }
        way.push([nr, nc]);
    }
    walls
}

/// A corridor of `length` cells, `width` wide, folded into `folds` lanes.
pub(crate) fn folded_corridor(length: usize, width: usize, folds: usize) -> Array3<bool> {
    let lane = length / folds;
    let pitch = width + 1;
    let mut walls = Array3::from_elem([1, folds * pitch - 1, lane], false);
    for fold in 1..folds {
        for x in 0..lane {
            let gap = if fold % 2 == 1 { x >= lane - width } else { x < width };
            walls[[0, fold * pitch - 1, x]] = !gap;
        }
    }
    walls
}

/// The axis neighbours of `cell` inside `shape`.
pub(crate) fn neighbours(shape: Cell, cell: Cell) -> Vec<Cell> {
    let mut all = Vec::new();
    for axis in 0..3 {
        if cell[axis] > 0 {
            let mut there = cell;
            there[axis] -= 1;
            all.push(there);
        }
        if cell[axis] + 1 < shape[axis] {
            let mut there = cell;
            there[axis] += 1;
            all.push(there);
        }
    }
    all
}

/// Steps along the axes from the nearest source through open cells; `None` where no way leads.
pub(crate) fn flood(walls: &Array3<bool>, sources: &[Cell]) -> Array3<Option<usize>> {
    let (nz, ny, nx) = walls.dim();
    let mut distance = Array3::from_elem([nz, ny, nx], None);
    let mut queue = VecDeque::new();
    for &source in sources {
        distance[source] = Some(0);
        queue.push_back(source);
    }
    while let Some(cell) = queue.pop_front() {
        let next = distance[cell].map(|d: usize| d + 1);
        for there in neighbours([nz, ny, nx], cell) {
            if !walls[there] && distance[there].is_none() {
                distance[there] = next;
                queue.push_back(there);
            }
        }
    }
    distance
}

/// All open cells, in storage order.
pub(crate) fn open_cells(walls: &Array3<bool>) -> Vec<Cell> {
    let cells = walls.indexed_iter().filter(|&(_, &wall)| !wall);
    cells.map(|((z, y, x), _)| [z, y, x]).collect()
}

/// Lengths of the shortest ways from `source` on a flat map by axis, diagonal and knight's moves
/// over open ground: at most 2.8 % above the shortest of any angle. Infinite where no way leads.
pub(crate) fn walked(walls: &Array3<bool>, source: Cell) -> Array3<f64> {
    let (_, ny, nx) = walls.dim();
    let mut length = Array3::from_elem(walls.dim(), f64::INFINITY);
    length[source] = 0.0;
    let mut heap = BinaryHeap::from([(Reverse(0u64), source)]);
    let moves: Vec<(isize, isize)> = (-2..=2isize)
        .flat_map(|dy| (-2..=2isize).map(move |dx| (dy, dx)))
        .filter(|&(dy, dx)| dy.abs().max(dx.abs()) == 1 || dy.abs() + dx.abs() == 3)
        .collect();
    while let Some((Reverse(bits), [_, y, x])) = heap.pop() {
        // Lengths are not negative, so their bits sort as they do.
        let here = f64::from_bits(bits);
        if here > length[[0, y, x]] {
            continue;
        }
        for &(dy, dx) in &moves {
            let (ty, tx) = (y.wrapping_add_signed(dy), x.wrapping_add_signed(dx));
            let open = ty < ny
                && tx < nx
                && (y.min(ty)..=y.max(ty))
                    .all(|y| (x.min(tx)..=x.max(tx)).all(|x| !walls[[0, y, x]]));
            if !open {
                continue;
            }
            let there = here + (dy as f64).hypot(dx as f64);
            if there < length[[0, ty, tx]] {
                length[[0, ty, tx]] = there;
                heap.push((Reverse(there.to_bits()), [0, ty, tx]));
            }
        }
    }
    length
}
