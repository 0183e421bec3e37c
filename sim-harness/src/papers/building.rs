//! A building in the spirit of kumagai-2024, whose own exists only as pictures: 50 x 50 x 50 cells,
//! two storeys of nine rooms each, a stair in the middle of them.
//!
//! All boxes are `[x, y, z]`, both corners included; z points up. Nobody needs the stair to climb:
//! as in the source there is no gravity, so that it is the hole in the floor that matters.

use ndarray::Array3;

/// Cells to a side.
pub(super) const SIDE: usize = 50;

/// `[x, y, z]` of both corners, which belong to it.
pub(super) type Block = [[usize; 3]; 2];

/// Walls 2 thick between rooms of 14 to 16 cells, and the floor between the storeys.
const SOLID: [Block; 5] = [
    [[0, 0, 24], [49, 49, 25]],
    [[16, 0, 0], [17, 49, 49]],
    [[32, 0, 0], [33, 49, 49]],
    [[0, 16, 0], [49, 17, 49]],
    [[0, 32, 0], [49, 33, 49]],
];

/// Doors 12 high, and the hole above the stair. Columns of rooms run west to east (x), rows north
/// to south (y).
const OPEN: [Block; 18] = [
    // The hole.
    [[18, 18, 24], [25, 31, 25]],
    // Upper storey: centre to north, east, south and west; then the corners.
    [[22, 16, 26], [27, 17, 37]],
    [[32, 22, 26], [33, 27, 37]],
    [[22, 32, 26], [27, 33, 37]],
    [[16, 22, 26], [17, 27, 37]],
    [[38, 32, 26], [43, 33, 37]],
    [[5, 16, 26], [10, 17, 37]],
    [[5, 32, 26], [10, 33, 37]],
    [[32, 5, 26], [33, 10, 37]],
    // Lower storey: centre to east by two doors, to west, north and south; then the corners.
    [[32, 18, 0], [33, 22, 11]],
    [[32, 27, 0], [33, 31, 11]],
    [[16, 28, 0], [17, 31, 11]],
    [[26, 16, 0], [31, 17, 11]],
    [[26, 32, 0], [31, 33, 11]],
    [[44, 32, 0], [49, 33, 11]],
    [[5, 16, 0], [10, 17, 11]],
    [[5, 32, 0], [10, 33, 11]],
    [[38, 16, 0], [43, 17, 11]],
];

/// Beside the target in the south-east room: open at first and then closed, in that case alone.
pub(super) const OPENING: Block = [[32, 38, 0], [33, 43, 11]];

/// Where the wave is slow, in that case alone: around the southern one of the two doors to the
/// lower east room.
pub(super) const SLOW: Block = [[26, 24, 0], [40, 31, 23]];

/// The building.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Building {
    /// True in walls, `[z, y, x]`.
    pub(crate) walls: Array3<bool>,
}

impl Building {
    /// Built; `opening` adds the opening beside the target.
    #[must_use]
    pub(crate) fn new(opening: bool) -> Self {
        let mut walls = Array3::from_elem([SIDE; 3], false);
        let mut fill = |block: Block, wall: bool| cells(block).for_each(|c| walls[c] = wall);
        for block in SOLID {
            fill(block, true);
        }
        for block in OPEN {
            fill(block, false);
        }
        // Twelve stairs, each 2 lower than the one before.
        for i in 0..12 {
            fill([[18, 18 + i, 0], [25, 18 + i, 23 - 2 * i]], true);
        }
        if opening {
            fill(OPENING, false);
        }
        Self { walls }
    }
}

/// The cells of a block, `[z, y, x]`.
pub(super) fn cells([low, high]: Block) -> impl Iterator<Item = [usize; 3]> {
    (low[2]..=high[2]).flat_map(move |z| {
        (low[1]..=high[1]).flat_map(move |y| (low[0]..=high[0]).map(move |x| [z, y, x]))
    })
}
