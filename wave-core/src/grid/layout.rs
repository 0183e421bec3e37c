//! Where a cell lies in flat storage that has its neighbours around it.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Cells along z, y, x.
    pub(crate) size: [usize; 3],
    /// Distance from a cell to its neighbour along y.
    pub(crate) row: usize,
    /// Distance from a cell to its neighbour along z.
    pub(crate) plane: usize,
    /// Whether planes are only ever stepped as single rows: rows may be shorter than their blocks.
    pub(crate) joined: bool,
    /// Index of cell `[0, 0, 0]`.
    pub(crate) lead: usize,
    /// Length of the storage.
    pub(crate) len: usize,
    strides: [usize; 3],
}

impl Layout {
    /// The largest number of stored cells: an index fits in 31 bits, so that it is an `i32` as
    /// well.
    pub(crate) const MAX_CELLS: u128 = 1 << 31;

    /// From so many cells on, padding is to cost less than 2 % of memory.
    const LARGE: u128 = 1 << 26;

    /// With as little between rows as a march needs: one cell, which stays 0 or a wall for ever.
    /// `None` if the storage would be empty or longer than [`Layout::MAX_CELLS`].
    pub(crate) fn close(size: [usize; 3]) -> Option<Self> {
        // Each axis fits in 32 bits, so no product below can overflow.
        if size.iter().any(|&n| n as u128 > Self::MAX_CELLS) {
            return None;
        }
        let [nz, ny, nx] = size.map(|n| n as u128);
        let large = nz * ny * nx >= Self::LARGE;
        let row = match nx {
            0..16 => nx + 1,
            _ if large => (nx + 1).next_multiple_of(4),
            _ => apart((nx + 1).next_multiple_of(4), 4),
        };
        // A single plane has no plane behind it that its last row could touch.
        let plane = row * (ny + u128::from(nz > 1));
        let plane = if plane < 256 || large { plane } else { apart(plane.next_multiple_of(4), 2) };
        // Vectors of eight are read from the cells around.
        let lead = u128::from(nz > 1) * plane + row + 8;
        let len = plane * nz + 2 * lead.next_multiple_of(16);
        if nz * ny * nx == 0 || len > Self::MAX_CELLS {
            return None;
        }
        let [row, plane, lead, len] =
            [row, plane, lead.next_multiple_of(16), len].map(|n| n as usize);
        Some(Self::new(size, false, [row, plane], [lead, len]))
    }

    /// Rows and planes so far apart, after a lead.
    pub(crate) fn new(
        size: [usize; 3],
        joined: bool,
        [row, plane]: [usize; 2],
        [lead, len]: [usize; 2],
    ) -> Self {
        Self { size, row, plane, joined, lead, len, strides: [1, row, plane] }
    }

    /// Cells of the grid.
    pub(crate) fn count(&self) -> usize {
        self.size.iter().product()
    }

    #[inline]
    pub(crate) fn index(&self, [z, y, x]: [usize; 3]) -> usize {
        self.lead + z * self.plane + y * self.row + x
    }

    /// The cell that is stored at `index`, which must be inside the grid.
    #[inline]
    pub(crate) fn cell(&self, index: usize) -> [usize; 3] {
        let i = index - self.lead;
        let (z, rest) = (i / self.plane, i % self.plane);
        [z, rest / self.row, rest % self.row]
    }

    #[inline]
    pub(crate) fn contains(&self, cell: [usize; 3]) -> bool {
        (0..3).all(|a| cell[a] < self.size[a])
    }

    /// Distances to the neighbours along x, along y, and along z where the grid is deep.
    #[inline]
    pub(crate) fn strides(&self) -> &[usize] {
        &self.strides[..if self.size[0] > 1 { 3 } else { 2 }]
    }

    /// All cells inside the grid, in storage order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        let [nz, ny, nx] = self.size;
        (0..nz).flat_map(move |z| {
            (0..ny).flat_map(move |y| {
                let first = self.index([z, y, 0]);
                first..first + nx
            })
        })
    }

    /// The number of axes longer than one cell: `d` of the stability bound, at least 1.
    pub(crate) fn long_axes(size: [usize; 3]) -> usize {
        size.iter().filter(|&&n| n > 1).count().max(1)
    }
}

/// The least stride from `stride` on, in quarters of a cache line, of which no multiple under
/// `times` comes close to a multiple of a page: such cells would share few lines of a cache.
fn apart(stride: u128, times: u128) -> u128 {
    const PAGE: u128 = 4096;
    const APART: u128 = 256;
    let is_apart = |stride: u128| {
        (1..times).all(|n| (APART..=PAGE - APART).contains(&(n * stride * 4 % PAGE)))
    };
    // Residues repeat after a page.
    let mut strides = (0..PAGE / 16).map(|n| stride + 4 * n);
    strides.find(|&stride| stride < 256 || is_apart(stride)).unwrap_or(stride)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every cell has a place of its own, and a step off the grid never lands on a cell of the
    /// grid.
    pub(crate) fn check_neighbours(layout: &Layout) {
        let mut seen = vec![false; layout.len];
        for i in layout.indices() {
            assert_eq!(layout.index(layout.cell(i)), i);
            assert!(!std::mem::replace(&mut seen[i], true));
            for &s in layout.strides() {
                assert!(i >= s && i + s < layout.len);
            }
        }
        for i in layout.indices() {
            let cell = layout.cell(i);
            for (a, &s) in layout.strides().iter().enumerate() {
                let axis = 2 - a;
                assert_eq!(seen[i + s], cell[axis] + 1 < layout.size[axis]);
                assert_eq!(seen[i - s], cell[axis] > 0);
            }
        }
    }

    #[test]
    fn index_and_cell_are_inverse_and_neighbours_stay_in_storage() {
        for size in [[1, 1, 1], [1, 4, 7], [3, 1, 2], [4, 5, 6], [1, 9, 40], [5, 1, 1]] {
            let layout = Layout::close(size).unwrap();
            check_neighbours(&layout);
        }
    }

    #[test]
    fn narrow_grids_are_close_and_large_ones_padded_by_little() {
        for size in [[1, 1 << 20, 1], [1 << 20, 1, 1], [1, 1, 1 << 20]] {
            assert!(Layout::close(size).unwrap().len <= (4 << 20) + 100, "{size:?}");
        }
        let len = Layout::close([512; 3]).unwrap().len as f64;
        assert!(len < 1.02 * 512f64.powi(3));
    }

    #[test]
    fn empty_and_oversized_grids_are_refused() {
        assert!(Layout::close([1, 0, 5]).is_none());
        assert!(Layout::close([1, 1 << 20, 1 << 20]).is_none());
        assert!(Layout::close([usize::MAX; 3]).is_none());
    }
}
