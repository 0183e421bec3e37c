//! A byte a cell for what a step asks of the medium, where there are few answers.
//!
//! A step asks for delta and `2 - k * delta` of a cell. Most media have some speeds and k is 6 at most, so
//! that all pairs of them are few: a table that fits in registers, and for every cell the number of
//! its pair. A deep step then moves 13 bytes a cell in place of 16 and has no k to take out of delta.

use crate::layout::{Cells, Layout, PAST_CORE, PAST_SHARED, Role};
use crate::real::Real;
use crate::step::centre;

/// Kinds that a [`Table`] has room for.
pub(crate) const MOST: usize = 32;

/// So many cells and what belongs to them fill a core's second-level cache.
const SMALL: usize = 1 << 16;

/// delta and `2 - k * delta` of every kind. Kind 0 is what is no open cell, and has 0 for both.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Table<S> {
    pub(crate) delta: [S; MOST],
    pub(crate) centre: [S; MOST],
}

/// The kinds of all stored cells.
#[derive(Clone, Debug)]
pub(crate) struct Kinds<S> {
    most: usize,
    of: Cells<u8>,
    table: Table<S>,
    /// Cells of every kind but 0: a kind without a cell can become another.
    count: [u32; MOST],
    /// The kind that was found last for a [hash](recent).
    found: [u8; RECENT],
}

/// There are more than there may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl<S: Real> Kinds<S> {
    /// Of a grid without an open cell, up to `most` of [`MOST`].
    pub(crate) fn new(layout: &Layout, most: usize) -> Self {
        Self {
            most,
            of: layout.cells(Role::Kind, 0),
            table: Table { delta: [S::ZERO; MOST], centre: [S::ZERO; MOST] },
            count: [0; MOST],
            found: [0; RECENT],
        }
    }

    /// Above all kinds that there are.
    pub(crate) fn len(&self) -> usize {
        1 + self.count.iter().rposition(|&count| count > 0).unwrap_or(0)
    }

    /// The kind of every stored cell, below [`Kinds::len`].
    pub(crate) fn of(&self) -> &[u8] {
        &self.of
    }

    pub(crate) fn table(&self) -> &Table<S> {
        &self.table
    }

    /// Makes a cell an open one.
    ///
    /// # Errors
    /// [`TooMany`]: then this is of no more use.
    pub(crate) fn open(&mut self, i: usize, delta: S, k: u8) -> Result<(), TooMany> {
        self.close(i);
        let pair = [delta, centre(delta, S::from_u8(k))];
        let recent = recent(delta, k);
        let mut kind = usize::from(self.found[recent]);
        if self.pair(kind) != pair {
            let known = (1..self.most).find(|&kind| self.pair(kind) == pair);
            kind = known.or_else(|| self.make(pair)).ok_or(TooMany)?;
            self.found[recent] = kind as u8;
        }
        self.count[kind] += 1;
        self.of[i] = kind as u8;
        Ok(())
    }

    /// Makes a cell a wall.
    pub(crate) fn close(&mut self, i: usize) {
        let kind = usize::from(std::mem::take(&mut self.of[i]));
        if kind > 0 {
            self.count[kind] -= 1;
        }
    }

    fn pair(&self, kind: usize) -> [S; 2] {
        [self.table.delta[kind], self.table.centre[kind]]
    }

    /// Makes this pair one that no cell has.
    fn make(&mut self, [delta, centre]: [S; 2]) -> Option<usize> {
        let kind = (1..self.most).find(|&kind| self.count[kind] == 0)?;
        self.table.delta[kind] = delta;
        self.table.centre[kind] = centre;
        Some(kind)
    }
}

/// Hashes that are told apart.
const RECENT: usize = 64;

/// A hash of what makes a kind.
fn recent<S: Real>(delta: S, k: u8) -> usize {
    // By the golden ratio, whose product depends on all bits in its highest ones.
    let hash = (delta.bits() + u64::from(k)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 58) as usize
}

/// Whether a run of so many steps is faster by kinds. A flat step has more to compute with them, and where
/// cells are in cache for many steps that is what counts.
pub(crate) fn help(layout: &Layout, steps: usize) -> bool {
    layout.size[0] > 1
        || match steps {
            0..=2 => layout.count() >= SMALL,
            3..=16 => layout.count() >= PAST_CORE,
            _ => layout.count() >= PAST_SHARED,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout() -> Layout {
        Layout::new([2, 3, 20], 4).unwrap()
    }

    /// Every cell's coefficients, and 0 where there is no open cell.
    fn looked_up<S: Real>(kinds: &Kinds<S>) -> Vec<[S; 2]> {
        let Table { delta, centre } = kinds.table();
        kinds
            .of()
            .iter()
            .map(|&kind| [delta, centre].map(|column| column[usize::from(kind)]))
            .collect()
    }

    fn tells_what_was_set_last<S: Real>(most: usize, edits: &[(usize, u8, u8)]) {
        let layout = layout();
        let mut kinds = Kinds::<S>::new(&layout, most);
        let mut expected = vec![[S::ZERO; 2]; layout.len];
        let mut cells = layout.indices().collect::<Vec<_>>();
        cells.truncate(40);
        for &(cell, delta, k) in edits {
            let i = cells[cell];
            if delta == 0 {
                kinds.close(i);
                expected[i] = [S::ZERO; 2];
            } else {
                let delta = S::from_f64(f64::from(delta) / 8.0);
                expected[i] = [delta, centre(delta, S::from_u8(k))];
                let mut distinct =
                    expected.iter().filter(|pair| pair[0] > S::ZERO).collect::<Vec<_>>();
                distinct.sort_by(|a, b| a.partial_cmp(b).unwrap());
                distinct.dedup();
                let fits = distinct.len() < most;
                assert_eq!(kinds.open(i, delta, k).is_ok(), fits, "{} kinds", distinct.len());
                if !fits {
                    return;
                }
            }
            assert_eq!(looked_up(&kinds), expected);
            assert!(kinds.of().iter().all(|&kind| usize::from(kind) < kinds.len()));
            assert!(kinds.len() <= most);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Few enough at any time, or one too many at last.
        #[test]
        fn a_cell_is_of_the_kind_that_it_was_given_last(
            few in proptest::collection::vec((0..40usize, 0..3u8, 0..=6u8), 1..300),
            many in proptest::collection::vec((0..40usize, 0..9u8, 0..=6u8), 1..300),
        ) {
            for edits in [few, many] {
                tells_what_was_set_last::<f32>(MOST, &edits);
                tells_what_was_set_last::<f64>(16, &edits);
                tells_what_was_set_last::<f32>(8, &edits);
            }
        }
    }

    #[test]
    fn a_kind_without_a_cell_makes_room() {
        let layout = layout();
        let mut kinds = Kinds::<f32>::new(&layout, 8);
        for round in 0..1000 {
            for (n, i) in layout.indices().take(5).enumerate() {
                let delta = 1.0 / (2 + 5 * round + n) as f32;
                kinds.open(i, delta, n as u8).unwrap();
                assert_eq!(looked_up(&kinds)[i], [delta, centre(delta, n as f32)]);
            }
        }
    }
}
