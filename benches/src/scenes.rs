//! Maps that are the same in every run, from a seed: random walls and mazes.

use ndarray::{Array, Array2, Dimension};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wave_core::Space;

/// Each cell of a grid of `shape` cells is a wall with probability `share`, which is at most 1.
///
/// ```
/// use benches::scenes;
/// use ndarray::Ix2;
///
/// let walls = scenes::random_walls::<Ix2>([100, 100], 0.2, 1);
/// let count = walls.iter().filter(|wall| **wall).count();
/// assert!((1800..2200).contains(&count));
/// ```
#[must_use]
pub fn random_walls<D: Space>(shape: D::Cell, share: f64, seed: u64) -> Array<bool, D> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let share = share.clamp(0.0, 1.0);
    Array::from_shape_simple_fn(D::shape(shape), || rng.random_bool(share))
}

/// A maze without loops of `rooms` by `rooms` rooms of one cell, walls of one cell between them:
/// `2 * rooms + 1` cells a side, cell `[1, 1]` is open and joined to every open cell.
#[must_use]
pub fn maze(rooms: usize, seed: u64) -> Array2<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut walls = Array2::from_elem([2 * rooms + 1, 2 * rooms + 1], true);
    if rooms == 0 {
        return walls;
    }
    // Depth first: long ways with few branches, the hardest for a wave.
    let mut way = vec![[1_usize, 1]];
    walls[[1, 1]] = false;
    while let Some(&[y, x]) = way.last() {
        let mut closed = [[0; 2]; 4];
        let mut sides = 0;
        for (dy, dx) in [(0, 2), (2, 0), (0, -2), (-2, 0)] {
            let room = [y.wrapping_add_signed(dy), x.wrapping_add_signed(dx)];
            if walls.get(room) == Some(&true) {
                closed[sides] = room;
                sides += 1;
            }
        }
        if sides == 0 {
            way.pop();
            continue;
        }
        let [ny, nx] = closed[rng.random_range(0..sides)];
        walls[[ny, nx]] = false;
        walls[[usize::midpoint(y, ny), usize::midpoint(x, nx)]] = false;
        way.push([ny, nx]);
    }
    walls
}

/// The open cells that side-to-side moves join to `from`, nearest first; none if `from` is a wall.
#[must_use]
pub fn reachable(walls: &Array2<bool>, from: [usize; 2]) -> Vec<[usize; 2]> {
    let mut seen = walls.clone();
    let mut cells = Vec::with_capacity(walls.raw_dim().size());
    let mut visit = |cell: [usize; 2], cells: &mut Vec<[usize; 2]>| {
        if let Some(seen) = seen.get_mut(cell).filter(|seen| !**seen) {
            *seen = true;
            cells.push(cell);
        }
    };
    visit(from, &mut cells);
    let mut next = 0;
    while let Some(&[y, x]) = cells.get(next) {
        next += 1;
        for (dy, dx) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let beside = [y.wrapping_add_signed(dy), x.wrapping_add_signed(dx)];
            visit(beside, &mut cells);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maze_joins_all_its_cells_without_loops() {
        for rooms in [1, 2, 17] {
            let walls = maze(rooms, 3);
            let open = walls.iter().filter(|wall| !**wall).count();
            // A tree of rooms: one passage fewer than rooms.
            assert_eq!(open, 2 * rooms * rooms - 1);
            assert_eq!(reachable(&walls, [1, 1]).len(), open);
        }
    }

    #[test]
    fn nothing_is_reachable_from_a_wall_or_from_outside() {
        let walls = maze(3, 3);
        assert!(reachable(&walls, [0, 0]).is_empty());
        assert!(reachable(&walls, [99, 0]).is_empty());
    }
}
