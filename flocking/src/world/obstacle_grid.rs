//! Which obstacles can matter where: a grid of lists.

/// A box that has nothing to do with the boids outside of it.
pub(crate) type Extent = ([f64; 3], [f64; 3]);

/// The most cells, and how many an obstacle.
const CELLS: (usize, usize) = (1 << 18, 16);

/// For every cell, the obstacles whose boxes meet it, rising.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObstacleGrid {
    low: [f64; 3],
    high: [f64; 3],
    inverse: [f64; 3],
    dims: [usize; 3],
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl ObstacleGrid {
    pub(crate) fn new(extents: &[Extent]) -> Self {
        let Some(&(mut low, mut high)) = extents.first() else { return Self::default() };
        let mut mean = [0.0; 3];
        for (from, to) in extents {
            for a in 0..3 {
                (low[a], high[a]) = (low[a].min(from[a]), high[a].max(to[a]));
                mean[a] += (to[a] - from[a]) / extents.len() as f64;
            }
        }
        // Cells no smaller than the mean box, lest the lists hold one obstacle too often.
        let most = (CELLS.1 * extents.len()).min(CELLS.0);
        let mut dims: [usize; 3] = std::array::from_fn(|a| {
            let boxes = (high[a] - low[a]) / mean[a];
            if boxes >= 1.0 { (boxes as usize).min(most) } else { 1 }
        });
        while dims.iter().product::<usize>() > most {
            let widest = (0..3).max_by_key(|&a| dims[a]).unwrap_or(0);
            dims[widest] = dims[widest].div_ceil(2);
        }
        let inverse = std::array::from_fn(|a| {
            let size = high[a] - low[a];
            if size > 0.0 { dims[a] as f64 / size } else { 0.0 }
        });
        let cells = dims.iter().product::<usize>();
        let (starts, lists) = (vec![0; cells + 1], Vec::new());
        let mut grid = Self { low, high, inverse, dims, starts, lists };
        for extent in extents {
            grid.cells(extent, |grid, cell| grid.starts[cell + 1] += 1);
        }
        for cell in 0..cells {
            grid.starts[cell + 1] += grid.starts[cell];
        }
        grid.lists = vec![0; grid.starts[cells] as usize];
        let mut next = grid.starts.clone();
        for (obstacle, extent) in extents.iter().enumerate() {
            grid.cells(extent, |grid, cell| {
                grid.lists[next[cell] as usize] = obstacle as u32;
                next[cell] += 1;
            });
        }
        grid
    }

    /// The obstacles that can matter at a place, in their order.
    #[inline]
    pub(crate) fn near(&self, place: [f64; 3]) -> &[u32] {
        let mut cell = 0;
        for a in (0..3).rev() {
            // Without obstacles there are no cells.
            if self.dims[a] == 0 || !(self.low[a]..=self.high[a]).contains(&place[a]) {
                return &[];
            }
            cell = cell * self.dims[a] + self.along(a, place[a]);
        }
        &self.lists[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The cell along an axis. It never falls where the place rises: rounding cannot part a place
    /// from the boxes around it.
    #[inline]
    fn along(&self, a: usize, place: f64) -> usize {
        (((place - self.low[a]) * self.inverse[a]) as usize).min(self.dims[a] - 1)
    }

    fn cells(&mut self, (from, to): &Extent, mut each: impl FnMut(&mut Self, usize)) {
        let spans: [_; 3] = std::array::from_fn(|a| self.along(a, from[a])..=self.along(a, to[a]));
        for z in spans[2].clone() {
            for y in spans[1].clone() {
                for x in spans[0].clone() {
                    each(self, (z * self.dims[1] + y) * self.dims[0] + x);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A boid in a box finds it, in order, and none finds a box twice.
        #[test]
        fn places_find_the_boxes_around_them(
            boxes in proptest::collection::vec(
                (-50.0..50.0f64, -9.0..9.0f64, 0.0..0.1f64, 0.0..30.0f64), 0..40),
            places in proptest::collection::vec((-60.0..90.0f64, -60.0..90.0f64), 20),
        ) {
            let extents: Vec<Extent> = boxes
                .iter()
                .map(|&(x, y, z, size)| ([x, y, z], [x + size, y + size * size * 0.1, z]))
                .collect();
            let grid = ObstacleGrid::new(&extents);
            let corners = extents.iter().flat_map(|e| [e.0, e.1]);
            for place in places.iter().map(|&(x, y)| [x, y, 0.05]).chain(corners) {
                let near = grid.near(place);
                prop_assert!(near.is_sorted_by(|a, b| a < b));
                for (i, (from, to)) in extents.iter().enumerate() {
                    let inside = (0..3).all(|a| from[a] <= place[a] && place[a] <= to[a]);
                    prop_assert!(!inside || near.contains(&(i as u32)), "{place:?} in {i}");
                }
            }
        }

        /// Small boxes far apart: short lists.
        #[test]
        fn lists_are_short(seed in 0..1000u32) {
            let extents: Vec<Extent> = (0..400)
                .map(|i| {
                    let at = |k: u32| f64::from((i * k + seed) * 7919 % 10_007);
                    ([at(1), at(31), 0.0], [at(1) + 100.0, at(31) + 100.0, 0.0])
                })
                .collect();
            let grid = ObstacleGrid::new(&extents);
            prop_assert!(grid.lists.len() <= 9 * extents.len());
        }
    }
}
