//! Which cells are open, in a plain array with a frame of walls around it.

use ndarray::ArrayRef2;

/// A cell: its place in the array.
pub(crate) type Cell = usize;
/// A position in cells, `[x, y]`; whole numbers are the middles of cells.
pub(crate) type Place = [f64; 2];

/// Open cells and walls.
#[derive(Clone, Debug)]
pub(crate) struct Lattice {
    /// Cells from a row to the next: the width and two for the frame.
    pub(crate) stride: usize,
    pub(crate) open: Vec<bool>,
}

impl Lattice {
    pub(crate) fn new(walls: &ArrayRef2<bool>) -> Self {
        let (height, width) = walls.dim();
        let stride = width + 2;
        let mut lattice = Self { stride, open: vec![false; stride * (height + 2)] };
        for ((y, x), wall) in walls.indexed_iter() {
            let cell = lattice.cell_at(x, y);
            lattice.open[cell] = !wall;
        }
        lattice
    }

    pub(crate) fn cell_at(&self, x: usize, y: usize) -> Cell {
        (y + 1) * self.stride + x + 1
    }

    /// The cell around a place, which must be on the map.
    pub(crate) fn cell(&self, place: Place) -> Cell {
        let [x, y] = place.map(|c| (c + 0.5).floor().max(0.0) as usize);
        self.cell_at(x, y)
    }

    /// `[x, y]`.
    pub(crate) fn xy(&self, cell: Cell) -> [usize; 2] {
        [cell % self.stride - 1, cell / self.stride - 1]
    }

    pub(crate) fn centre(&self, cell: Cell) -> Place {
        centre(self.stride, cell)
    }

    /// Whether all cells of a rectangle of `width` by `height` cells are open.
    pub(crate) fn all_open(&self, corner: Cell, width: usize, height: usize) -> bool {
        (0..height).all(|row| {
            let first = corner + row * self.stride;
            self.open.get(first..first + width).is_some_and(|cells| cells.iter().all(|open| *open))
        })
    }
}

/// The middle of a cell.
pub(crate) fn centre(stride: usize, cell: Cell) -> Place {
    [(cell % stride) as f64 - 1.0, (cell / stride) as f64 - 1.0]
}

pub(crate) fn distance(a: Place, b: Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ndarray::Ix2;

    /// Small maps of all densities, and an open cell on each.
    pub(crate) fn small_maps() -> impl Iterator<Item = (Lattice, Cell)> {
        (0..60_u64).filter_map(|seed| {
            let share = (seed % 6) as f64 * 0.1;
            let walls = benches::scenes::random_walls::<Ix2>([17, 23], share, seed);
            let lattice = Lattice::new(&walls);
            let mut open = (0..lattice.open.len()).filter(|&c| lattice.open[c]);
            let cell = open.nth(seed as usize)?;
            Some((lattice, cell))
        })
    }

    #[test]
    fn cells_and_places_belong_together() {
        for (lattice, cell) in small_maps() {
            assert_eq!(lattice.cell(lattice.centre(cell)), cell);
            let [x, y] = lattice.xy(cell);
            assert_eq!(lattice.cell_at(x, y), cell);
            assert!(lattice.all_open(cell, 1, 1));
            assert!(!lattice.all_open(lattice.cell_at(22, 16), 2, 1), "the frame is a wall");
        }
    }
}
