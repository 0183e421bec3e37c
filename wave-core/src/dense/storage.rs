//! How a dense wave stores its cells.
//!
//! Rows are padded to whole [`BLOCK`]s, by one cell at least; to a quarter of a block where planes
//! are small, and on large grids whose rows are whole blocks already. Planes are one row longer
//! than the grid, and a lead stands before and after all cells. So every cell inside has all its
//! neighbours in storage, and those outside the grid stay 0 for ever.

use super::kernel::{PLANES, ROWS};
use crate::grid::Layout;
use aligned_vec::{AVec, ConstAlign};
use std::ops::{Deref, DerefMut};

/// Cells that a kernel steps at once: a cache line of `f32`.
pub(crate) const BLOCK: usize = 16;

/// Bytes of a second-level cache that a tile may fill at a time: most of the 1 MiB that a core has
/// today.
pub(crate) const CACHE: usize = 3 << 18;

/// From this many cells on, a grid is too large for the caches of a core.
pub(crate) const PAST_CORE: usize = 1 << 20;

/// From this many cells on, it is too large for the caches that cores share.
pub(crate) const PAST_SHARED: usize = 1 << 22;

/// Bytes of a page: the processor compares addresses modulo a page when it checks whether a load
/// must wait for a store. Where a row just written and a neighbour to be read lie a multiple of it
/// apart, a flat step takes twice as long.
const PAGE: usize = 4096;
/// Bytes from such a multiple that are far enough.
const APART: usize = 256;

/// One value per stored cell. Cell `[0, 0, 0]` of numbers begins a cache line: where rows do not,
/// AVX-512 takes half as long again.
#[derive(Clone, Debug)]
pub(crate) struct Cells<T> {
    storage: AVec<T, ConstAlign<PAGE>>,
    /// Values before the first cell's.
    skipped: usize,
}

impl<T> Cells<T> {
    /// No cell at all.
    pub(crate) fn none() -> Self {
        Self { storage: AVec::new(PAGE), skipped: 0 }
    }
}

impl<T> Deref for Cells<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.storage[self.skipped..]
    }
}

impl<T> DerefMut for Cells<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.storage[self.skipped..]
    }
}

/// The arrays that a step goes through side by side. Each begins at another quarter of a page, or
/// they would all use the same sets of a cache at the same time: 1.04x where memory is the bound.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Delta,
    Now,
    Prev,
    Centre,
    /// Read in place of delta and centre.
    Kind,
}

impl Role {
    fn quarter(self) -> usize {
        match self {
            Self::Delta => 0,
            Self::Now => 1,
            Self::Prev => 2,
            Self::Centre | Self::Kind => 3,
        }
    }
}

/// From so many cells on, padding is to cost less than 2 % of memory.
const LARGE: u128 = 1 << 26;

/// Bytes of a plane up to which it is stepped as a single row, with as little padding as can be,
/// unless much more has to be stepped then: 1.05x to 1.5x. Four levels of so many fit in a
/// second-level cache.
const JOINED: u128 = (CACHE / 3 / (4 + PLANES + 1)) as u128;

/// For numbers of `bytes` bytes. `None` if the storage would be empty or longer than
/// [`Layout::MAX_CELLS`].
pub(crate) fn padded(size: [usize; 3], bytes: usize) -> Option<Layout> {
    // Each axis fits in 32 bits, so no product below can overflow.
    if size.iter().any(|&n| n as u128 > Layout::MAX_CELLS) {
        return None;
    }
    let [nz, ny, nx] = size.map(|n| n as u128);
    // One cell deep: there is no neighbour along z, and no plane of halo to pay for.
    let halo_planes = u128::from(nz > 1);
    let block = BLOCK as u128;
    let close = (nx + 1).next_multiple_of(block / 4);
    // Rows as close as can be, unless that is a fifteenth more to step than whole blocks.
    let joined = nz > 1
        && nz >= ny
        && (ny + 2) * close * bytes as u128 <= JOINED
        && close * 15 <= nx.next_multiple_of(block) * 16;
    let row = if joined {
        close
    } else if is_large(size) && nx < 64 * block {
        // Such a grid is bound by memory, so it has no more padding than need be.
        if nx % block == 0 { nx + 4 } else { nx.next_multiple_of(block) }
    } else {
        apart((nx + 1).next_multiple_of(block), bytes, ROWS)
    };
    let plane = apart((row * (ny + 1)).next_multiple_of(block), bytes, 2);
    let lead = halo_planes * plane + (row + 1).next_multiple_of(block);
    let len = plane * nz + 2 * lead;
    if nz * ny * nx == 0 || len > Layout::MAX_CELLS {
        return None;
    }
    let [row, plane, lead, len] = [row, plane, lead, len].map(|n| n as usize);
    Some(Layout::new(size, joined, [row, plane], [lead, len]))
}

/// A value for every stored cell.
pub(crate) fn cells<T: Copy>(layout: &Layout, role: Role, value: T) -> Cells<T> {
    let skipped = role.quarter() * (PAGE / 4) / size_of::<T>();
    Cells { storage: aligned_vec::avec![[PAGE]| value; skipped + layout.len], skipped }
}

/// Whether speed depends on memory alone.
pub(crate) fn is_large(size: [usize; 3]) -> bool {
    size.iter().map(|&n| n as u128).product::<u128>() >= LARGE
}

/// The least stride from `stride` on, in blocks, of which no multiple under `times` comes close to
/// a multiple of a page.
fn apart(stride: u128, bytes: usize, times: usize) -> u128 {
    let is_apart = |stride: u128| {
        let mut offsets = (1..times as u128).map(|n| n * stride * bytes as u128 % PAGE as u128);
        offsets.all(|offset| (APART..=PAGE - APART).contains(&(offset as usize)))
    };
    let mut strides = (0..).map(|n| stride + n * BLOCK as u128);
    strides.find(|&stride| is_apart(stride)).unwrap_or(stride)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::layout::tests::check_neighbours;

    #[test]
    fn index_and_cell_are_inverse_and_neighbours_stay_in_storage() {
        for size in [[1, 1, 1], [1, 4, 7], [3, 1, 2], [4, 5, 6]] {
            let layout = padded(size, 4).unwrap();
            check_neighbours(&layout);
        }
    }

    #[test]
    fn rows_begin_cache_lines_apart_and_large_grids_are_padded_by_less_than_2_percent() {
        for size in [[1, 1, 1], [1, 200, 200], [1, 64, 64], [128, 128, 128], [3, 7, 4096]] {
            let layout = padded(size, 4).unwrap();
            assert!(layout.indices().step_by(size[2]).all(|i| i % BLOCK == 0), "{size:?}");
        }
        for nx in 1..2100 {
            for bytes in [4, 8] {
                let flat = padded([1, 3, nx], bytes).unwrap();
                for n in 1..ROWS {
                    let offset = n * flat.row * bytes % PAGE;
                    assert!((APART..=PAGE - APART).contains(&offset), "{nx}: {n} rows");
                }
            }
        }
        let len = padded([512; 3], 4).unwrap().len as f64;
        assert!(len < 1.02 * 512f64.powi(3));
    }

    #[test]
    fn small_planes_have_little_padding_and_room_for_whole_blocks_behind_their_rows() {
        assert_eq!(padded([50, 50, 50], 4).unwrap().row, 52);
        for nz in 2..20 {
            for ny in 1..20 {
                for nx in 1..70 {
                    let layout = padded([nz, ny, nx], 4).unwrap();
                    let cells = (ny * layout.row).next_multiple_of(BLOCK);
                    assert!(cells <= layout.plane, "{nx} x {ny} x {nz}");
                    assert!(layout.joined || layout.row >= nx.next_multiple_of(BLOCK));
                    let first = layout.index([nz - 1, 0, 0]);
                    assert!(
                        first.is_multiple_of(BLOCK) && first + cells + layout.plane <= layout.len
                    );
                }
            }
        }
    }

    #[test]
    fn empty_and_oversized_grids_are_refused() {
        assert!(padded([1, 0, 5], 4).is_none());
        assert!(padded([1, 1 << 20, 1 << 20], 4).is_none());
        assert!(padded([usize::MAX; 3], 4).is_none());
    }
}
