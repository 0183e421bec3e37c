//! The speed of waves in every cell, walls included.

use std::collections::HashMap;

/// Speeds that a byte can name.
const MOST: usize = 256;

/// The speed of every cell by its number. A wall keeps the speed that it will have when it is
/// opened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Speeds {
    /// All cells have this speed.
    Uniform(f64),
    /// A byte a cell: the place of its speed in a table.
    Few(Box<Few>),
    /// More speeds than [`MOST`].
    Many(Vec<f32>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Few {
    /// The place of every cell's speed in the table.
    pub(crate) of: Vec<u8>,
    /// The speed of every place, 0 where no cell ever had it.
    pub(crate) table: [f64; MOST],
    /// Cells of every place; a place without cells can take another speed.
    cells: [u32; MOST],
}

impl Speeds {
    /// Speeds that may differ, one for every cell.
    pub(crate) fn each(speeds: impl Iterator<Item = f64> + Clone) -> Self {
        let mut places = HashMap::new();
        let mut of = Vec::with_capacity(speeds.size_hint().0);
        let (mut table, mut cells) = ([0.0; MOST], [0; MOST]);
        // Neighbours mostly have the same speed.
        let mut last = (f64::NAN, 0);
        for speed in speeds.clone() {
            if speed != last.0 {
                let next = places.len();
                let place = *places.entry(speed.to_bits()).or_insert(next);
                if place == MOST {
                    return Self::Many(speeds.map(rounded).collect());
                }
                last = (speed, place);
                table[place] = speed;
            }
            of.push(last.1 as u8);
            cells[last.1] += 1;
        }
        Self::Few(Box::new(Few { of, table, cells }))
    }

    /// Speeds of four bytes each; `None` if others are among them.
    #[cfg(feature = "serde")]
    pub(crate) fn each_rounded(speeds: &[f64]) -> Option<Self> {
        let exact = |&speed: &f64| Some(speed as f32).filter(|&short| f64::from(short) == speed);
        speeds.iter().map(exact).collect::<Option<_>>().map(Self::Many)
    }

    /// The speed of a cell.
    #[inline]
    pub(crate) fn at(&self, cell: usize) -> f64 {
        match self {
            Self::Uniform(speed) => *speed,
            Self::Few(few) => few.table[usize::from(few.of[cell])],
            Self::Many(speeds) => speeds[cell].into(),
        }
    }

    /// The fastest of all cells.
    pub(crate) fn fastest(&self) -> f64 {
        match self {
            Self::Uniform(speed) => *speed,
            Self::Few(few) => {
                let there = few.table.iter().zip(&few.cells).filter(|(_, cells)| **cells > 0);
                there.fold(0.0, |fastest, (speed, _)| speed.max(fastest))
            }
            // Numbers that are not negative are in the order of their bits.
            Self::Many(speeds) => {
                f32::from_bits(speeds.iter().map(|speed| speed.to_bits()).max().unwrap_or(0)).into()
            }
        }
    }

    /// Gives one of `count` cells another speed.
    pub(crate) fn set(&mut self, cell: usize, speed: f64, count: usize) {
        if let Self::Uniform(all) = *self {
            let (mut table, mut cells) = ([0.0; MOST], [0; MOST]);
            (table[0], cells[0]) = (all, count as u32);
            *self = Self::Few(Box::new(Few { of: vec![0; count], table, cells }));
        }
        if let Self::Few(few) = self {
            if few.set(cell, speed) {
                return;
            }
            *self = Self::Many((0..count).map(|cell| rounded(few.at(cell))).collect());
        }
        if let Self::Many(speeds) = self {
            speeds[cell] = rounded(speed);
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::Uniform(_) => 0,
            Self::Few(few) => few.of.capacity() + size_of::<Few>(),
            Self::Many(speeds) => size_of_val(&speeds[..]),
        }
    }
}

impl Few {
    fn at(&self, cell: usize) -> f64 {
        self.table[usize::from(self.of[cell])]
    }

    /// Sets the speed of a cell, and tells whether the table had a place for it.
    fn set(&mut self, cell: usize, speed: f64) -> bool {
        let old = usize::from(self.of[cell]);
        self.cells[old] -= 1;
        let known = (0..MOST).find(|&place| self.cells[place] > 0 && self.table[place] == speed);
        let free = || (0..MOST).find(|&place| self.cells[place] == 0);
        let Some(place) = known.or_else(free) else {
            self.cells[old] += 1;
            return false;
        };
        self.table[place] = speed;
        self.cells[place] += 1;
        self.of[cell] = place as u8;
        true
    }
}

/// A speed as a number of four bytes, rounded down, since only the speed itself is known to be
/// stable.
fn rounded(speed: f64) -> f32 {
    let nearest = speed as f32;
    if f64::from(nearest) > speed { nearest.next_down() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_cell_has_the_speed_that_it_was_given(
            edits in proptest::collection::vec((0..300usize, 0..600u16), 0..900), differ: bool,
        ) {
            let mut expected = vec![1.0; 300];
            let mut speeds =
                if differ { Speeds::each(expected.iter().copied()) } else { Speeds::Uniform(1.0) };
            for (cell, eighths) in edits {
                let speed = f64::from(eighths + 1) / 8.0;
                speeds.set(cell, speed, 300);
                expected[cell] = speed;
            }
            prop_assert!((0..300).all(|cell| speeds.at(cell) == expected[cell]));
            prop_assert_eq!(speeds.fastest(), expected.iter().copied().fold(0.0, f64::max));
            prop_assert!((0..300).all(|i| Speeds::each(expected.iter().copied()).at(i) == expected[i]));
        }
    }

    #[test]
    fn a_place_in_the_table_that_no_cell_has_is_used_again() {
        let mut speeds = Speeds::Uniform(1.0);
        (2..5000).for_each(|n| speeds.set(3, f64::from(n), 10));
        assert!(matches!(speeds, Speeds::Few(_)));
        assert_eq!((speeds.at(3), speeds.at(4)), (4999.0, 1.0));
    }
}
