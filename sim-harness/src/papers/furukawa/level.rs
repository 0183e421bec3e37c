//! The maps of the game: drawn, and generated ones of the same kinds.

use super::game::reached;
use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cells to a side.
pub(super) const SIDE: usize = 40;
/// Pursuers on every map.
const PURSUERS: usize = 8;
/// Generated maps of each kind.
pub(super) const GENERATED: u64 = 20;

/// A kind of map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    None,
    Two,
    Several,
    Thin,
    Complex,
    /// Complex, with one pursuer that cuts off the way, standing for the person.
    Steered,
}

pub(super) const KINDS: [Kind; 6] =
    [Kind::None, Kind::Two, Kind::Several, Kind::Thin, Kind::Complex, Kind::Steered];

/// A map with places to start.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) walls: Array2<bool>,
    /// Cells `[y, x]`.
    pub(super) start: [usize; 2],
    pub(super) goal: [usize; 2],
    pub(super) pursuers: Vec<[usize; 2]>,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "no obstacle",
            Self::Two => "two blocks",
            Self::Several => "several blocks",
            Self::Thin => "long thin blocks",
            Self::Complex => "complex",
            Self::Steered => "complex, one steered",
        }
    }

    /// The map that we have drawn.
    pub(super) fn drawn(self) -> Level {
        Level::parse(match self {
            Self::None => include_str!("../../../furukawa/none.txt"),
            Self::Two => include_str!("../../../furukawa/two.txt"),
            Self::Several => include_str!("../../../furukawa/several.txt"),
            Self::Thin => include_str!("../../../furukawa/thin.txt"),
            Self::Complex | Self::Steered => include_str!("../../../furukawa/complex.txt"),
        })
    }

    /// A random map of this kind: the same for every method and machine.
    pub(super) fn generated(self, number: u64) -> Level {
        let mut rng = ChaCha8Rng::seed_from_u64(number);
        rng.set_stream(1 + self as u64);
        loop {
            let mut walls = Array2::from_elem([SIDE; 2], false);
            match self {
                Self::None => {}
                Self::Two => blocks(&mut walls, 2, 6..=11, &mut rng),
                Self::Several => blocks(&mut walls, 10, 3..=6, &mut rng),
                Self::Thin => bars(&mut walls, 8, &mut rng),
                Self::Complex | Self::Steered => {
                    bars(&mut walls, 4, &mut rng);
                    hooks(&mut walls, 4, &mut rng);
                    blocks(&mut walls, 4, 3..=5, &mut rng);
                }
            }
            let (start, goal) = ([SIDE - 3, 2], [2, SIDE - 3]);
            for [y, x] in [start, goal] {
                for dy in 0..3 {
                    for dx in 0..3 {
                        walls[[y + dy - 1, x + dx - 1]] = false;
                    }
                }
            }
            let reached = reached(&walls, start);
            let far = |[y, x]: [usize; 2]| {
                let from = |[a, b]: [usize; 2]| y.abs_diff(a).max(x.abs_diff(b));
                from(start) >= 10 && from(goal) >= 6
            };
            let places: Vec<_> = reached.iter().copied().filter(|&cell| far(cell)).collect();
            if !reached.contains(&goal) || places.len() < 400 {
                continue;
            }
            let any = |_| places[rng.random_range(0..places.len())];
            let pursuers = (0..PURSUERS).map(any).collect();
            return Level { walls, start, goal, pursuers };
        }
    }
}

impl Level {
    /// From a drawing: `#` wall, `E` the evader's start, `G` the goal, `P` pursuers.
    fn parse(drawing: &str) -> Self {
        let mark = |y: usize, x: usize| drawing.as_bytes()[y * (SIDE + 1) + x];
        let cells = || (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| [y, x]));
        let all = |wanted: u8| cells().filter(move |&[y, x]| mark(y, x) == wanted);
        Self {
            walls: Array2::from_shape_fn([SIDE; 2], |(y, x)| mark(y, x) == b'#'),
            start: all(b'E').next().unwrap_or_default(),
            goal: all(b'G').next().unwrap_or_default(),
            pursuers: all(b'P').collect(),
        }
    }
}

fn rectangle(walls: &mut Array2<bool>, y: i64, x: i64, height: i64, width: i64) {
    for y in y..y + height {
        for x in x..x + width {
            if let Some(wall) = walls.get_mut([y as usize, x as usize]) {
                *wall = true;
            }
        }
    }
}

fn blocks(
    walls: &mut Array2<bool>,
    count: usize,
    sides: std::ops::RangeInclusive<i64>,
    rng: &mut ChaCha8Rng,
) {
    for _ in 0..count {
        let (height, width) = (rng.random_range(sides.clone()), rng.random_range(sides.clone()));
        let (y, x) = (rng.random_range(2..36 - height), rng.random_range(2..36 - width));
        rectangle(walls, y, x, height, width);
    }
}

/// Walls 2 thick, 12 to 24 long, either way.
fn bars(walls: &mut Array2<bool>, count: usize, rng: &mut ChaCha8Rng) {
    for _ in 0..count {
        let length = rng.random_range(12..=24);
        let (height, width) = if rng.random_bool(0.5) { (2, length) } else { (length, 2) };
        let (y, x) = (rng.random_range(0..40 - height), rng.random_range(0..40 - width));
        rectangle(walls, y, x, height, width);
    }
}

/// Corners that open to the lower left, where the evader comes from.
fn hooks(walls: &mut Array2<bool>, count: usize, rng: &mut ChaCha8Rng) {
    for _ in 0..count {
        let (y, x) = (rng.random_range(4..30), rng.random_range(10..36));
        let (height, width) = (rng.random_range(5..=9), rng.random_range(5..=9));
        rectangle(walls, y, x - width, 2, width);
        rectangle(walls, y, x, height, 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_has_its_marks_in_one_region() {
        for kind in KINDS {
            let drawn = kind.drawn();
            for level in (0..GENERATED).map(|n| kind.generated(n)).chain([drawn]) {
                let region = reached(&level.walls, level.start);
                assert!(region.contains(&level.goal), "{kind:?}");
                assert_eq!(level.pursuers.len(), PURSUERS);
                assert!(level.pursuers.iter().all(|place| region.contains(place)), "{kind:?}");
            }
            assert_eq!(kind.generated(3).walls, kind.generated(3).walls);
        }
    }
}
