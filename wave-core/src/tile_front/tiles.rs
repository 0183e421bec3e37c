//! The grid in tiles of sixteen rows of sixteen cells: 16 x 16, or in 3D 16 x 4 x 4.

use crate::grid::Layout;

/// Cells of a row, and bits of its mask.
pub(super) const WIDTH: usize = 16;
/// Rows of a tile.
pub(super) const ROWS: usize = 16;

/// One bit per cell of a tile: a word a row, x from the lowest bit.
pub(super) type Mask = [u16; ROWS];

/// Something of the neighbours before and after along x, y and z.
pub(super) type Beside<T> = [[T; 2]; 3];

/// The cells of a mask on one side of a tile: a bit a row along x, else up to four rows.
pub(super) type Edge = [u16; 4];

/// How many tiles before and after along z, y, x.
pub(super) type Around = [[i16; 2]; 3];

/// Where a cell is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The number of its tile, and that among the tiles inside the grid.
    pub(super) tile: usize,
    pub(super) inner: usize,
    /// Its row in the tile and its place in the row.
    pub(super) row: usize,
    pub(super) lane: usize,
}

/// Where the tiles lie. A frame of tiles outside the grid stands around them, so that every tile
/// inside has all its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiling {
    /// Rows of a tile along z and y, and cells along x.
    pub(super) extent: [usize; 3],
    /// Their logarithms.
    shifts: [usize; 3],
    /// Tiles along z, y and x, the frame included.
    count: [usize; 3],
    frame: [usize; 3],
    /// Cells of the grid along z, y and x.
    size: [usize; 3],
    /// Distances to the next tile along x, y and z.
    strides: [usize; 3],
}

impl Tiling {
    pub(super) fn new(layout: &Layout) -> Self {
        let deep = layout.size[0] > 1;
        let shifts = if deep { [2, 2, 4] } else { [0, 4, 4] };
        let extent = shifts.map(|shift| 1 << shift);
        // A flat grid has no neighbours along z, and needs no frame there.
        let frame = [usize::from(deep), 1, 1];
        let count: [usize; 3] =
            std::array::from_fn(|a| layout.size[a].div_ceil(extent[a]) + 2 * frame[a]);
        let size = layout.size;
        Self { extent, shifts, count, frame, size, strides: [1, count[2], count[2] * count[1]] }
    }

    #[inline]
    pub(super) fn is_deep(&self) -> bool {
        self.frame[0] > 0
    }

    /// Tiles, those of the frame included.
    pub(super) fn len(&self) -> usize {
        self.count.iter().product()
    }

    /// Distances to the neighbours along x, along y, and along z where the grid is deep.
    #[inline]
    pub(super) fn strides(&self) -> &[usize] {
        &self.strides[..if self.is_deep() { 3 } else { 2 }]
    }

    /// Where a cell is.
    #[inline]
    pub(super) fn locate(&self, cell: [usize; 3]) -> Spot {
        let [z, y, x]: [usize; 3] = std::array::from_fn(|a| cell[a] >> self.shifts[a]);
        let [_, ny, nx]: [usize; 3] = std::array::from_fn(|a| self.count[a] - 2 * self.frame[a]);
        let within = |a: usize| cell[a] & (self.extent[a] - 1);
        Spot {
            tile: self.index([z + self.frame[0], y + self.frame[1], x + self.frame[2]]),
            inner: (z * ny + y) * nx + x,
            row: within(0) << self.shifts[1] | within(1),
            lane: within(2),
        }
    }

    /// The first cell of a tile inside the grid.
    pub(super) fn first_cell(&self, tile: usize) -> [usize; 3] {
        let place = self.place(tile);
        std::array::from_fn(|a| (place[a] - self.frame[a]) * self.extent[a])
    }

    /// The smallest box around some cells of a tile, at least one, `[z, y, x]`.
    #[inline]
    pub(super) fn bounds(&self, cells: &Mask) -> [[usize; 2]; 3] {
        let (mut columns, mut rows) = (0u16, 0u16);
        for (r, row) in cells.iter().enumerate() {
            columns |= row;
            rows |= u16::from(*row != 0) << r;
        }
        let ends = |bits: u16| [bits.trailing_zeros(), bits.ilog2()].map(|n| n as usize);
        if !self.is_deep() {
            return [[0; 2], ends(rows), ends(columns)];
        }
        let planes = ends(rows).map(|r| r / 4);
        let rows = rows | rows >> 8;
        [planes, ends((rows | rows >> 4) & 15), ends(columns)]
    }

    /// How many tiles before and after a box in a tile reaches that is `lead` cells wider on
    /// every side.
    #[inline]
    pub(super) fn around(&self, bounds: [[usize; 2]; 3], lead: i16) -> Around {
        let tiles = |a: usize| {
            let [low, high] = bounds[a].map(|c| c as i16);
            [low - lead, high + lead].map(|c| c >> self.shifts[a])
        };
        [if self.is_deep() { tiles(0) } else { [0; 2] }, tiles(1), tiles(2)]
    }

    /// The cells of a mask that touch the neighbour along `axis`, before or after.
    #[inline]
    pub(super) fn edge(&self, mask: &Mask, axis: usize, after: usize) -> Edge {
        let mut edge = [0; 4];
        match (axis, self.is_deep()) {
            (0, _) => {
                for (r, row) in mask.iter().enumerate() {
                    edge[0] |= (row >> (after * (WIDTH - 1)) & 1) << r;
                }
            }
            (1, false) => edge[0] = mask[after * (ROWS - 1)],
            (1, true) => (0..4).for_each(|i| edge[i] = mask[4 * i + 3 * after]),
            _ => edge.copy_from_slice(&mask[12 * after..][..4]),
        }
        edge
    }

    /// The number of a tile inside the grid among those.
    #[inline]
    pub(super) fn inner(&self, tile: usize) -> usize {
        let [z, y, x]: [usize; 3] = {
            let place = self.place(tile);
            std::array::from_fn(|a| place[a] - self.frame[a])
        };
        let [_, ny, nx]: [usize; 3] = std::array::from_fn(|a| self.count[a] - 2 * self.frame[a]);
        (z * ny + y) * nx + x
    }

    /// Tiles inside the grid.
    pub(super) fn inner_len(&self) -> usize {
        (0..3).map(|a| self.count[a] - 2 * self.frame[a]).product()
    }

    /// Whether a tile is inside the grid, not of the frame around it.
    #[cfg(feature = "serde")]
    pub(super) fn is_inside(&self, tile: usize) -> bool {
        let place = self.place(tile);
        (0..3).all(|a| (self.frame[a]..self.count[a] - self.frame[a]).contains(&place[a]))
    }

    fn place(&self, tile: usize) -> [usize; 3] {
        let (z, rest) = (tile / self.strides[2], tile % self.strides[2]);
        [z, rest / self.strides[1], rest % self.strides[1]]
    }

    /// The first cell of a row of the tile with this first cell.
    pub(super) fn cell_of_row(&self, first: [usize; 3], row: usize) -> [usize; 3] {
        [first[0] + row / self.extent[1], first[1] + row % self.extent[1], first[2]]
    }

    /// Distance in storage from a tile's first cell to its row `row`.
    pub(super) fn row_offset(&self, layout: &Layout, row: usize) -> usize {
        row / self.extent[1] * layout.plane + row % self.extent[1] * layout.row
    }

    /// The rows inside the grid of the tile with this first cell.
    pub(super) fn rows_inside(&self, first: [usize; 3]) -> impl Iterator<Item = usize> + use<> {
        let (ny, size) = (self.extent[1], self.size);
        (0..ROWS).filter(move |r| first[0] + r / ny < size[0] && first[1] + r % ny < size[1])
    }

    /// How many cells of a row are inside the grid.
    pub(super) fn width_inside(&self, first: [usize; 3]) -> usize {
        WIDTH.min(self.size[2] - first[2])
    }

    fn index(&self, place: [usize; 3]) -> usize {
        place[0] * self.strides[2] + place[1] * self.strides[1] + place[2]
    }
}

/// Whether no cell is in the mask.
#[inline]
pub(super) fn is_empty(mask: &Mask) -> bool {
    mask.iter().all(|&row| row == 0)
}

/// The number of cells in the mask.
#[inline]
pub(super) fn count(mask: &Mask) -> usize {
    // Four rows at a time: without the processor's own instruction a count is a dozen others.
    let word = |rows: &[u16]| rows.iter().fold(0u64, |word, &row| word << 16 | u64::from(row));
    mask.chunks(4).map(|rows| word(rows).count_ones() as usize).sum()
}

/// Adds the cells of a mask to another.
#[inline]
pub(super) fn add(mask: &mut Mask, cells: &Mask) {
    for (row, cells) in mask.iter_mut().zip(cells) {
        *row |= cells;
    }
}
