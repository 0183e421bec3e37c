//! A byte a cell in place of a step's coefficients, where few pairs of them occur.
//!
//! A step reads delta and `2 - k * delta` of a cell. Most media have few speeds and k is 6 at most,
//! so there are few such pairs: a table of them fits in registers, and every cell has the number of
//! its pair. A deep step then moves 13 bytes a cell in place of 16 and has no k to take out of
//! delta. More kinds than can be looked up are still counted, as far as a byte goes, since they may
//! become few again.

use crate::dense::real::Real;
use crate::dense::step::centre;
use crate::dense::storage::{Cells, PAST_CORE, PAST_SHARED, Role, cells};
use crate::grid::Layout;

/// Kinds that a byte can name.
pub(crate) const MOST: usize = 256;

/// So many cells and their coefficients fill a core's second-level cache.
const SMALL: usize = 1 << 16;

/// delta and `2 - k * delta` of every kind. Kind 0 is for all that is not an open cell, and has 0
/// for both.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Table<S> {
    pub(crate) delta: [S; MOST],
    pub(crate) centre: [S; MOST],
}

/// The kinds of all stored cells.
#[derive(Clone, Debug)]
pub(crate) struct Kinds<S> {
    /// Kinds that can be looked up, kind 0 with them.
    few: usize,
    of: Cells<u8>,
    table: Table<S>,
    /// Cells of every kind but 0: a kind without a cell can become another.
    count: [u32; MOST],
    /// The number of kinds with a cell, and kind 0; the number of those that cannot be looked up;
    /// and a number above all kinds that ever had a cell.
    live: usize,
    beyond: usize,
    used: usize,
    /// Cells that may be [looked through](Kinds::come_down) by now.
    credit: usize,
    /// The kind that was found last for a [hash](recent).
    found: [u8; RECENT],
}

/// There are more than a byte can name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// Cells that every edit may look through, later.
const CREDIT: usize = 4096;

impl<S: Real> Kinds<S> {
    /// For a grid without an open cell, where steps look up as many kinds as are `few`.
    pub(crate) fn new(layout: &Layout, few: usize) -> Self {
        Self {
            few,
            of: cells(layout, Role::Kind, 0),
            table: Table { delta: [S::ZERO; MOST], centre: [S::ZERO; MOST] },
            count: [0; MOST],
            live: 1,
            beyond: 0,
            used: 1,
            credit: 0,
            found: [0; RECENT],
        }
    }

    /// A number above all kinds that there are.
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
    /// [`TooMany`]; after it the kinds are of no more use.
    pub(crate) fn open(&mut self, i: usize, delta: S, k: u8) -> Result<(), TooMany> {
        self.leave(i);
        let pair = [delta, centre(delta, S::from_u8(k))];
        let recent = recent(delta, k);
        let mut kind = usize::from(self.found[recent]);
        if !self.is(kind, pair) {
            let known = (1..self.used).find(|&kind| self.is(kind, pair));
            kind = known.or_else(|| self.make(pair)).ok_or(TooMany)?;
            self.found[recent] = kind as u8;
        }
        if self.count[kind] == 0 {
            self.live += 1;
            self.beyond += usize::from(kind >= self.few);
        }
        self.count[kind] += 1;
        self.of[i] = kind as u8;
        self.come_down();
        Ok(())
    }

    /// Makes a cell a wall.
    pub(crate) fn close(&mut self, i: usize) {
        self.leave(i);
        self.come_down();
    }

    fn leave(&mut self, i: usize) {
        let kind = usize::from(std::mem::take(&mut self.of[i]));
        if kind > 0 {
            self.count[kind] -= 1;
            if self.count[kind] == 0 {
                self.live -= 1;
                self.beyond -= usize::from(kind >= self.few);
            }
        }
    }

    /// Whether a cell is of this kind, and the kind is that of this pair.
    fn is(&self, kind: usize, pair: [S; 2]) -> bool {
        self.count[kind] > 0 && [self.table.delta[kind], self.table.centre[kind]] == pair
    }

    /// Makes this pair the lowest kind that no cell has.
    fn make(&mut self, [delta, centre]: [S; 2]) -> Option<usize> {
        let kind = (1..MOST).find(|&kind| self.count[kind] == 0)?;
        self.table.delta[kind] = delta;
        self.table.centre[kind] = centre;
        self.used = self.used.max(kind + 1);
        Some(kind)
    }

    /// Gives all kinds numbers that can be looked up, once they are few again. This looks through
    /// all cells, so it waits for enough edits to pay for it.
    fn come_down(&mut self) {
        if self.beyond == 0 || self.live > self.few {
            return;
        }
        self.credit += CREDIT;
        if self.credit < self.of.len() {
            return;
        }
        let mut to: [u8; MOST] = std::array::from_fn(|kind| kind as u8);
        let mut free = 1;
        for (kind, to) in to.iter_mut().enumerate().take(self.used).skip(self.few) {
            if self.count[kind] == 0 {
                continue;
            }
            while self.count[free] > 0 {
                free += 1;
            }
            self.count[free] = std::mem::take(&mut self.count[kind]);
            self.table.delta[free] = self.table.delta[kind];
            self.table.centre[free] = self.table.centre[kind];
            *to = free as u8;
        }
        for of in self.of.iter_mut() {
            *of = to[usize::from(*of)];
        }
        (self.beyond, self.used, self.credit) = (0, self.few, 0);
    }
}

/// Hashes that are told apart.
const RECENT: usize = 1024;

/// A hash of the pair that makes a kind.
fn recent<S: Real>(delta: S, k: u8) -> usize {
    // By the golden ratio, whose product depends on all bits in its highest ones.
    let hash = (delta.bits() + u64::from(k)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 54) as usize
}

/// Whether a run of so many steps is faster by kinds. A flat step has more to compute with them,
/// which counts where cells are in cache for many steps.
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
        crate::dense::storage::padded([2, 3, 20], 4).unwrap()
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

    fn tells_what_was_set_last<S: Real>(few: usize, edits: &[(usize, u8, u8)]) {
        let layout = layout();
        let mut kinds = Kinds::<S>::new(&layout, few);
        let mut expected = vec![[S::ZERO; 2]; layout.len];
        let cells = layout.indices().take(40).collect::<Vec<_>>();
        for &(cell, delta, k) in edits {
            let i = cells[cell];
            if delta == 0 {
                kinds.close(i);
                expected[i] = [S::ZERO; 2];
            } else {
                let delta = S::from_f64(f64::from(delta) / 8.0);
                expected[i] = [delta, centre(delta, S::from_u8(k))];
                kinds.open(i, delta, k).unwrap();
            }
            assert_eq!(looked_up(&kinds), expected);
            assert!(kinds.of().iter().all(|&kind| usize::from(kind) < kinds.len()));
            let mut distinct = expected.iter().filter(|pair| pair[0] > S::ZERO).collect::<Vec<_>>();
            distinct.sort_by(|a, b| a.partial_cmp(b).unwrap());
            distinct.dedup();
            // On a grid as small as this, with the edit by which they are few again.
            assert_eq!(kinds.len() <= few, distinct.len() < few, "{} kinds", distinct.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        /// Few kinds, many, and few again.
        #[test]
        fn a_cell_is_of_the_kind_that_it_was_given_last(
            few in proptest::collection::vec((0..40usize, 0..3u8, 0..=6u8), 1..300),
            many in proptest::collection::vec((0..40usize, 0..9u8, 0..=6u8), 1..300),
        ) {
            for edits in [few.clone(), [many, few].concat()] {
                tells_what_was_set_last::<f32>(32, &edits);
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
        assert!(kinds.len() <= 8);
    }

    #[test]
    fn a_byte_names_255_and_no_more() {
        let layout = crate::dense::storage::padded([2, 10, 20], 4).unwrap();
        let mut kinds = Kinds::<f32>::new(&layout, 8);
        let mut cells = layout.indices();
        for n in 1..=255 {
            kinds.open(cells.next().unwrap(), n as f32 / 256.0, 6).unwrap();
        }
        assert_eq!((kinds.len(), kinds.live), (256, 256));
        assert_eq!(kinds.open(cells.next().unwrap(), 1.0, 6), Err(TooMany));
    }

    /// A map of one speed becomes one of another, cell by cell, with too many kinds between.
    #[test]
    fn kinds_that_are_few_again_are_looked_up_again_soon() {
        let layout = crate::dense::storage::padded([8, 40, 80], 4).unwrap();
        let mut kinds = Kinds::<f32>::new(&layout, 8);
        let set =
            |kinds: &mut Kinds<f32>, i: usize, delta| kinds.open(i, delta, (i % 7) as u8).unwrap();
        layout.indices().for_each(|i| set(&mut kinds, i, 0.25));
        assert_eq!(kinds.len(), 8);
        layout.indices().for_each(|i| set(&mut kinds, i, 0.125));
        assert_eq!((kinds.live, kinds.len()), (8, 15));
        let first = layout.indices().next().unwrap();
        let mut edits = 0;
        while kinds.len() > 8 {
            set(&mut kinds, first, 0.125);
            edits += 1;
        }
        assert!((1..=layout.len / CREDIT).contains(&edits), "{edits} edits");
        let looked_up = looked_up(&kinds);
        assert!(layout.indices().all(|i| looked_up[i] == [0.125, centre(0.125, (i % 7) as f32)]));
    }
}
