//! The part of a large grid that a front knows.

use super::toward::Toward;

/// Only a part of a grid of more cells is known.
const LARGE: usize = 1 << 22;
/// How far around a wave's sources cells are known when it begins.
pub(super) const START: usize = 32;

/// A box of cells of a grid `[z, y, x]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    grid: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
    /// The box around the sources.
    sources: [[usize; 3]; 2],
}

impl Window {
    /// A whole grid; of a large one, a single cell.
    pub(super) fn new(grid: [usize; 3]) -> Self {
        let is_large = grid.iter().product::<usize>() > LARGE;
        let to = if is_large { [1; 3] } else { grid };
        Self { grid, from: [0; 3], to, sources: [[0; 3], [1; 3]] }
    }

    /// A cell of a grid, however large.
    #[cfg(test)]
    pub(super) fn part(grid: [usize; 3]) -> Self {
        Self { grid, from: [0; 3], to: [1; 3], sources: [[0; 3], [1; 3]] }
    }

    /// A box of a snapshot, if it is one.
    #[cfg(feature = "serde")]
    pub(super) fn of(
        grid: [usize; 3],
        [[from, to], sources]: [[[usize; 3]; 2]; 2],
    ) -> Option<Self> {
        let is_box = |from: [usize; 3], to: [usize; 3]| {
            (0..3).all(|axis| from[axis] < to[axis] && to[axis] <= grid[axis])
        };
        let fits = is_box(from, to) && is_box(sources[0], sources[1]);
        fits.then_some(Self { grid, from, to, sources })
    }

    /// What [`Window::of`] takes.
    #[cfg(feature = "serde")]
    pub(super) fn boxes(&self) -> [[[usize; 3]; 2]; 2] {
        [[self.from, self.to], self.sources]
    }

    pub(super) fn whole(self) -> Self {
        Self { from: [0; 3], to: self.grid, ..self }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.from == [0; 3] && self.to == self.grid
    }

    pub(super) fn is_same_box(&self, other: &Self) -> bool {
        (self.from, self.to) == (other.from, other.to)
    }

    pub(super) fn grid(&self) -> [usize; 3] {
        self.grid
    }

    /// Cells of the grid.
    pub(super) fn cells(&self) -> usize {
        self.grid.iter().product()
    }

    pub(super) fn size(&self) -> [usize; 3] {
        std::array::from_fn(|axis| self.to[axis] - self.from[axis])
    }

    pub(super) fn origin(&self) -> [usize; 3] {
        self.from
    }

    /// Where a cell of the grid lies in the box, if it does.
    #[inline]
    pub(super) fn place(&self, cell: [usize; 3]) -> Option<[usize; 3]> {
        let inside = (0..3).all(|axis| (self.from[axis]..self.to[axis]).contains(&cell[axis]));
        inside.then(|| std::array::from_fn(|axis| cell[axis] - self.from[axis]))
    }

    /// The numbers in the grid of its cells, in order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        let Self { grid: [_, ny, nx], from, to, .. } = *self;
        (from[0]..to[0]).flat_map(move |z| {
            (from[1]..to[1]).flat_map(move |y| {
                let row = (z * ny + y) * nx;
                row + from[2]..row + to[2]
            })
        })
    }

    /// A box of cells and all cells within `far` of it, as far as the grid goes.
    fn around_box(&self, [from, to]: [[usize; 3]; 2], far: usize) -> Self {
        Self {
            grid: self.grid,
            from: from.map(|at| at.saturating_sub(far)),
            to: std::array::from_fn(|axis| (to[axis] + far).min(self.grid[axis])),
            sources: [from, to],
        }
    }

    fn holds(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.from[axis] <= other.from[axis] && other.to[axis] <= self.to[axis])
    }

    /// The box, if it holds the cells around sources; otherwise one that does.
    pub(super) fn around(self, sources: &[[usize; 3]]) -> Self {
        self.or_larger(self.around_box(box_around(sources), START))
    }

    /// The box, if it holds all cells that a wave from sources comes to; otherwise one that does.
    pub(super) fn toward(self, sources: &[[usize; 3]], toward: &Toward) -> Self {
        let [first, end] = box_around(sources);
        let [from, to] = toward.bounds([first, end.map(|end| end - 1)]);
        self.or_larger(Self {
            grid: self.grid,
            from: from.map(|at| at.max(0) as usize),
            to: std::array::from_fn(|axis| (to[axis].max(0) as usize).min(self.grid[axis])),
            sources: [first, end],
        })
    }

    fn or_larger(self, other: Self) -> Self {
        if self.holds(&other) { Self { sources: other.sources, ..self } } else { other }
    }

    /// A larger box, and where this one begins there, if cells so far from the sources are not all
    /// in it.
    pub(super) fn with_room(&self, far: usize) -> Option<(Self, [usize; 3])> {
        if self.holds(&self.around_box(self.sources, far)) {
            return None;
        }
        // Twice as far, since all known cells are copied each time; and all that are known already.
        let mut larger = self.around_box(self.sources, 2 * far);
        for axis in 0..3 {
            larger.from[axis] = larger.from[axis].min(self.from[axis]);
            larger.to[axis] = larger.to[axis].max(self.to[axis]);
        }
        Some((larger, std::array::from_fn(|axis| self.from[axis] - larger.from[axis])))
    }
}

/// The box around some cells, from and to.
fn box_around(cells: &[[usize; 3]]) -> [[usize; 3]; 2] {
    let least = |axis: usize| cells.iter().map(|cell| cell[axis]).min().unwrap_or(0);
    let most = |axis: usize| cells.iter().map(|cell| cell[axis] + 1).max().unwrap_or(1);
    [std::array::from_fn(least), std::array::from_fn(most)]
}
