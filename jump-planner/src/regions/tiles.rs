//! Which parts there are in every small tile.

use crate::cell::NONE;
use crate::jump::relief::{SMALL, small_tile, small_tiles};
use crate::storage::Storage;
use std::ops::Range;

/// The parts in every small tile.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    shape: [usize; 2],
    /// The one part; NONE: no ground, [`SEVERAL`].
    only: Vec<u32>,
}

/// More than one part.
const SEVERAL: u32 = NONE - 1;

impl Tiles {
    pub(crate) fn new(labels: &[u32], shape: [usize; 2]) -> Self {
        Self::by_column(labels, shape, |cell| cell)
    }

    /// From the places of a level.
    pub(crate) fn of(level: &impl Storage, labels: &[u32]) -> Self {
        Self::by_column(labels, level.shape(), |place| level.column(place))
    }

    fn by_column(labels: &[u32], shape: [usize; 2], column: impl Fn(usize) -> usize) -> Self {
        let mut only = vec![NONE; small_tiles(shape).iter().product()];
        for (i, &label) in labels.iter().enumerate().filter(|&(_, &label)| label != NONE) {
            let only = &mut only[small_tile(shape, column(i))];
            *only = if *only == NONE || *only == label { label } else { SEVERAL };
        }
        Self { shape, only }
    }

    /// Follows a new label of a place.
    pub(crate) fn follow(&mut self, level: &impl Storage, labels: &[u32], place: usize) {
        let tile = small_tile(self.shape, level.column(place));
        let cells = self.rows(level, tile).flat_map(|places| &labels[places]);
        let mut only = NONE;
        for &label in cells.filter(|&&label| label != NONE) {
            only = if only == NONE || only == label { label } else { SEVERAL };
        }
        self.only[tile] = only;
    }

    /// The places of a tile, row by row.
    pub(crate) fn rows<T: Storage>(
        &self,
        level: &T,
        tile: usize,
    ) -> impl Iterator<Item = Range<usize>> {
        let [rows, columns] = self.shape;
        let across = small_tiles(self.shape)[1];
        let (y, x) = (tile / across * SMALL, tile % across * SMALL);
        (y..(y + SMALL).min(rows))
            .map(move |y| level.run(y * columns + x..y * columns + (x + SMALL).min(columns)))
    }

    /// The tiles within `span` cells, less than a tile, of a cell; some several times.
    pub(crate) fn around(&self, cell: usize, span: usize) -> impl Iterator<Item = usize> + use<> {
        let [rows, columns] = self.shape;
        let sides =
            |at: usize, n: usize| [at.saturating_sub(span) / SMALL, (at + span).min(n - 1) / SMALL];
        let (ys, xs) = (sides(cell / columns, rows), sides(cell % columns, columns));
        let across = columns.div_ceil(SMALL);
        ys.into_iter().flat_map(move |y| xs.map(|x| y * across + x))
    }

    /// Whether all parts in a tile are such.
    pub(crate) fn all(&self, tile: usize, such: impl Fn(u32) -> bool) -> bool {
        match self.only[tile] {
            NONE => true,
            SEVERAL => false,
            label => such(label),
        }
    }
}
