//! Flat maps in the spirit of watanabe-2021, whose own exist only as pictures: blocks, rooms, hooks
//! and halls on 20 x 20 fields of 5 x 5 cells, so 100 x 100 cells.
//!
//! `#` is a wall; `A`, `B`, `C` are where the three pursuers start, `T` where the target does.

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use wave_core::glam::DVec2;

/// Fields to a side.
const FIELDS: usize = 20;

/// `[units: cells]` How far from the middle of its field a walker may start: other seeds give other
/// ways.
const SPREAD: i64 = 5;

/// A map of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Its name.
    pub(crate) name: &'static str,
    fields: [&'static str; FIELDS],
}

/// All plans.
pub(crate) const PLANS: [Plan; 4] = [
    Plan {
        name: "blocks",
        fields: [
            "....................",
            ".A..................",
            "....####....###.....",
            "....####....###..T..",
            "....####....###.....",
            ".........#..........",
            ".........#....####..",
            "..###....#....####..",
            "..###....#..........",
            "..###...............",
            "........####....##..",
            "........####....##..",
            ".B......####....##..",
            "................##..",
            "...####.............",
            "...####......###....",
            ".............###....",
            ".......##....###....",
            ".......##.........C.",
            "....................",
        ],
    },
    Plan {
        name: "rooms",
        fields: [
            "......#......#......",
            ".A....#......#......",
            "......#.............",
            ".............#......",
            "......#......#...T..",
            "......#......#......",
            "###.#####.######.###",
            "......#......#......",
            "......#......#......",
            "......#......#......",
            ".............#......",
            "......#.............",
            "......#......#......",
            "##.######.#######.##",
            "......#......#......",
            "......#......#......",
            "......#.............",
            ".............#......",
            ".B....#......#....C.",
            "......#......#......",
        ],
    },
    Plan {
        name: "hooks",
        fields: [
            "....................",
            ".A...........#####..",
            ".................#..",
            "...######........#..",
            "...#....#....T...#..",
            "...#....#........#..",
            "...#.........#####..",
            "...#................",
            "...######...........",
            "..............##....",
            "........#.....##....",
            "........#...........",
            "..###...#...####....",
            "....#...#......#....",
            "....#...####...#....",
            "....#..........#....",
            ".B..#..........#..C.",
            "....#....#######....",
            "....................",
            "....................",
        ],
    },
    Plan {
        name: "halls",
        fields: [
            "....................",
            ".A................T.",
            "....................",
            "################....",
            "....................",
            "....................",
            "....##############..",
            "....................",
            "....................",
            ".B..................",
            "##########....######",
            "....................",
            "....................",
            "..########..########",
            "....................",
            "....................",
            "........#...........",
            "........#........C..",
            "........#...........",
            "....................",
        ],
    },
];

impl Plan {
    /// The walls, `[y, x]`, with `scale` cells to a side of a field.
    #[must_use]
    pub(crate) fn walls(&self, scale: usize) -> Array2<bool> {
        Array2::from_shape_fn([FIELDS * scale; 2], |(y, x)| {
            self.fields[y / scale].as_bytes()[x / scale] == b'#'
        })
    }

    /// The cell `[y, x]` in the middle of the field that bears `mark`.
    #[must_use]
    pub(crate) fn field(&self, mark: char, scale: usize) -> Option<[usize; 2]> {
        let rows = self.fields.iter().enumerate();
        let mut found = rows.filter_map(|(y, row)| Some([y, row.find(mark)?]));
        found.next().map(|field| field.map(|f| f * scale + scale / 2))
    }

    /// The centre of a random free cell near the field that bears `mark`; `None` if none does.
    pub(super) fn place(
        &self,
        mark: char,
        walls: &Array2<bool>,
        rng: &mut ChaCha8Rng,
    ) -> Option<DVec2> {
        let [y, x] = self.field(mark, walls.nrows() / FIELDS)?.map(|c| c as i64);
        loop {
            let dx = rng.random_range(-SPREAD..=SPREAD);
            let dy = rng.random_range(-SPREAD..=SPREAD);
            let near = dx * dx + dy * dy <= SPREAD * SPREAD;
            if near && walls.get([(y + dy) as usize, (x + dx) as usize]) == Some(&false) {
                return Some(DVec2::new((x + dx) as f64, (y + dy) as f64));
            }
        }
    }
}
