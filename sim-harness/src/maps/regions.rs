//! Which cells of a map a way joins.

use super::{MapFile, index_in};

/// The connected regions of a map, each of one class.
///
/// Cells are joined along the axes: 4 neighbours in 2D, 6 in 3D. Ways may also take diagonals, but
/// a diagonal needs the cells beside it free, so it joins nothing that the axes do not.
///
/// ```
/// use sim_harness::maps::{Regions, parse_octile};
/// let map = parse_octile("m", b"type octile\nheight 2\nwidth 2\nmap\n.@\n@.\n")?;
/// let regions = Regions::new(&map);
/// assert_eq!(regions.count(), 2);
/// assert!(!regions.same([0, 0, 0], [0, 1, 1]));
/// # Ok::<(), sim_harness::maps::MapError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Regions {
    shape: [usize; 3],
    /// 0 is blocked; a region's label is one less.
    labels: Vec<u32>,
    count: u32,
}

impl Regions {
    /// Finds the regions of `map` in one flood fill.
    ///
    /// # Complexity
    ///
    /// O(cells) time; 4 bytes a cell, and up to 4 more while it works.
    #[must_use]
    pub fn new(map: &MapFile) -> Self {
        let [depth, height, width] = map.shape;
        let layer = height * width;
        let mut labels = vec![0_u32; map.cells.len()];
        let mut count = 0;
        // A map has at most 2^31 cells, so an index fits.
        let mut open: Vec<u32> = Vec::new();
        for seed in 0..map.cells.len() {
            let class = map.cells[seed];
            if class.is_none() || labels[seed] != 0 {
                continue;
            }
            count += 1;
            labels[seed] = count;
            open.push(seed as u32);
            while let Some(at) = open.pop() {
                let at = at as usize;
                let (x, y, z) = (at % width, at / width % height, at / layer);
                // Labelled when found, not when taken: each cell is on the stack once.
                let mut visit = |next: usize| {
                    if labels[next] == 0 && map.cells[next] == class {
                        labels[next] = count;
                        open.push(next as u32);
                    }
                };
                if x > 0 {
                    visit(at - 1);
                }
                if x + 1 < width {
                    visit(at + 1);
                }
                if y > 0 {
                    visit(at - width);
                }
                if y + 1 < height {
                    visit(at + width);
                }
                if z > 0 {
                    visit(at - layer);
                }
                if z + 1 < depth {
                    visit(at + layer);
                }
            }
        }
        Self { shape: map.shape, labels, count }
    }

    /// How many regions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The region of the cell `[z, y, x]`, less than [`count`](Self::count); `None` where it is
    /// blocked or off the map. Regions are numbered by their first cell.
    #[must_use]
    pub fn label(&self, cell: [usize; 3]) -> Option<u32> {
        index_in(self.shape, cell).and_then(|index| self.labels[index].checked_sub(1))
    }

    /// Whether a way joins `a` and `b`. A blocked cell joins nothing, not even itself.
    #[must_use]
    pub fn same(&self, a: [usize; 3], b: [usize; 3]) -> bool {
        let label = self.label(a);
        label.is_some() && label == self.label(b)
    }
}
